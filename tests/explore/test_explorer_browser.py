"""The player in a browser, from a file, with no server and no network."""
from __future__ import annotations

import re

import pytest

from dpfair_teach.explore import Puzzle, SelfCheck, drawing, show
from explorer_samples import samples

pytestmark = [pytest.mark.browser, pytest.mark.slow]
FIGURES = samples()
CARDS = {"self-check": SelfCheck("Which is private?", [("A", True, "X and Y are public."), ("Y", False, "It is public here.")]),
         "puzzle": Puzzle("How many cells move?", "Two."), "show": show(drawing.Chart)}


def body(name: str) -> str:
    return FIGURES[name].html() if name in FIGURES else CARDS[name]._repr_html_()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Each figure on a page of its own in both themes, and all of them on one."""
    folder = tmp_path_factory.mktemp("pages")
    bodies = {name: body(name) for name in [*FIGURES, *CARDS]}
    for name, html in {**bodies, "all": "".join(bodies.values())}.items():
        for theme in ("light", "dark"):
            ground, ink = ("#fff", "#000") if theme == "light" else ("#121212", "#fff")
            (folder / f"{name}-{theme}.html").write_text(
                f'<!doctype html><html lang="en" data-theme="{theme}"><head><meta charset="utf-8">'
                f'<meta name="viewport" content="width=device-width"><title>{name}</title>'
                f"<style>body{{margin:0;padding:16px;background:{ground};color:#777}}h1,h2{{color:{ink}}}</style>"
                f"</head><body><main><h1>Page</h1><h2>Figure</h2>{html}</main></body></html>", encoding="utf-8")
    return folder


@pytest.fixture
def visit(chromium, folder):
    """Opens a page; afterwards nothing may have gone wrong on it and nothing may have been asked of the network."""
    context = chromium.new_context(viewport={"width": 1000, "height": 900})
    page = context.new_page()
    trouble: list[str] = []
    page.on("console", lambda m: trouble.append(m.text))
    page.on("pageerror", lambda e: trouble.append(str(e)))
    page.on("request", lambda r: None if r.url.startswith("file:") else trouble.append(r.url))

    def go(name: str, theme: str = "light", width: int = 1000):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto((folder / f"{name}-{theme}.html").as_uri())
        return page
    yield go
    context.close()
    assert not trouble


SHOWN = """figure => ({
    paths: [...figure.querySelectorAll(".dpx-svg .dpx-s")].map(p => p.getAttribute("d")),
    levels: [...figure.querySelectorAll("rect")].map(r => +r.getAttribute("class").slice(5)),
    cells: [...figure.querySelectorAll(".dpx-plot tbody td")].map(c => c.textContent),
    inside: [...figure.querySelectorAll(".dpx-in")].map(c => c.textContent),
    moved: [...figure.querySelectorAll(".dpx-plot tbody td")].map(c => c.className === "dpx-moved" ? c.dataset.was : null),
    say: figure.querySelector(".dpx-say").textContent,
    label: figure.querySelector(".dpx-svg")?.getAttribute("aria-label"),
    listed: [...figure.querySelectorAll("details tbody tr")].map(r => [...r.cells].map(c => c.textContent)),
})"""


@pytest.mark.parametrize("name", FIGURES)
def test_every_frame_is_drawn_as_python_draws_it(visit, name):
    """The player's picture, sentence and folded numbers of every frame are those of a direct call."""
    figure = FIGURES[name]
    page = visit(name)
    element = page.locator("dpfair-explorer")
    if element.locator("details").count():
        element.locator("summary").click()
    grids = list(figure.sliders.values())
    for values in figure.grid():
        places = [grid.index(v) for grid, v in zip(grids, values.values(), strict=True)]
        element.evaluate("""async (figure, places) => {
            figure.querySelectorAll("input").forEach((input, i) => { input.value = places[i]; });
            figure.querySelector("input").dispatchEvent(new Event("input", {bubbles: true}));
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        }""", places)
        shown = element.evaluate(SHOWN)
        frame = figure.frame(**values)
        assert shown["say"] == figure.sentence(**values)
        if figure.view == "table":
            now, before = drawing.cells(frame, figure.digits), drawing.cells(figure.frame(), figure.digits)
            assert shown["cells"] == now
            assert shown["moved"] == [b if a != b else None for a, b in zip(now, before, strict=True)]
            continue
        assert shown["label"] == f"{figure.title}. {shown['say']}"
        if figure.view == "heatmap":
            assert shown["levels"] == drawing.levels(figure._chart, frame)
            assert shown["inside"] == [figure._chart.y.text(k) for k in figure._chart.y.keep(frame).ravel().tolist()][:len(shown["inside"])]
            assert bool(shown["inside"]) == (frame.size <= drawing.MOST_LABELLED)
        else:
            assert shown["paths"] == drawing.paths(figure._chart, frame)
        if element.locator("details").count():
            assert shown["listed"] == drawing.rows_of(figure._chart, frame)[1]


@pytest.mark.parametrize("name", FIGURES)
def test_the_keyboard_moves_slider_figure_and_sentence(visit, name):
    page = visit(name)
    figure = page.locator("dpfair-explorer")
    for slider in FIGURES[name].sliders:
        box = page.get_by_role("slider", name=slider, exact=True)
        box.focus()
        page.keyboard.press("Home")
        before = figure.evaluate(SHOWN), box.get_attribute("aria-valuetext")
        for key in ("ArrowRight", "End"):
            page.keyboard.press(key)
        after = figure.evaluate(SHOWN), box.get_attribute("aria-valuetext")
        assert before[1] != after[1] and before[0]["say"] != after[0]["say"]
        assert after[1] == after[0]["say"].split(slider + " ")[1].split(",")[0].split(" ")[0].replace("100000", "100,000")
        if slider not in ("weight",):      # the weight moves nothing while nobody changes group
            assert [before[0][k] for k in ("paths", "levels", "cells")] != [after[0][k] for k in ("paths", "levels", "cells")]
        page.keyboard.press("ArrowLeft")
        assert box.get_attribute("aria-valuetext") != after[1]


@pytest.mark.parametrize("name", FIGURES)
def test_an_input_costs_less_than_a_millisecond_and_the_next_frame_shows_it(visit, name):
    """The median of 60 inputs; the figure is already changed when the next animation frame is asked for."""
    page = visit(name)
    times, changed = page.evaluate("""async () => {
        const input = document.querySelector("input"), plot = document.querySelector(".dpx-plot"), times = [];
        let changed = 0;
        for (let i = 1; i <= 60; i++) {
            const before = plot.innerHTML;
            input.value = (+input.value + 1) % (+input.max + 1);
            const start = performance.now();
            input.dispatchEvent(new Event("input", {bubbles: true}));
            times.push(performance.now() - start);
            await new Promise(requestAnimationFrame);
            changed += plot.innerHTML !== before;
        }
        return [times.sort((a, b) => a - b), changed];
    }""")
    assert times[30] < 1, f"median {times[30]:.2f} ms"
    assert changed == 60


@pytest.mark.parametrize("width", [375, 1000])
@pytest.mark.parametrize("name", [*FIGURES, *CARDS])
def test_nothing_scrolls_sideways_and_text_is_legible(visit, name, width):
    page = visit(name, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sizes = page.evaluate("""() => [...document.querySelectorAll(".dpx svg[role=img] text")].map(t =>
        parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getScreenCTM().a)""")
    assert all(size >= 11 for size in sizes), min(sizes)
    outside = page.evaluate("""() => [...document.querySelectorAll(".dpx svg[role=img] text")].filter(t => {
        const box = t.getBoundingClientRect(), card = t.closest(".dpx").getBoundingClientRect();
        return box.left < card.left || box.right > card.right;
    }).map(t => t.textContent)""")
    assert not outside, "cut off"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", [*FIGURES, *CARDS, "all"])
def test_axe_finds_nothing(visit, name, theme):
    from axe_playwright_python.sync_playwright import Axe
    page = visit(name, theme)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    found = Axe().run(page).response["violations"]
    assert not found, [(v["id"], [n["html"][:120] for n in v["nodes"]]) for v in found]


def test_many_figures_on_one_page_all_start(visit):
    page = visit("all")
    assert page.locator("dpfair-explorer.dpx-on").count() == len(FIGURES)
    assert page.get_by_role("slider").count() == sum(len(f.sliders) for f in FIGURES.values())


def test_a_figure_put_into_a_page_later_starts(visit):
    """As JupyterLab does: the HTML first, then its scripts again."""
    page = visit("puzzle")
    page.evaluate("""html => {
        const place = document.querySelector("main");
        place.innerHTML = html;
        place.querySelectorAll("script").forEach(old => {
            const script = document.createElement("script");
            for (const {name, value} of old.attributes) script.setAttribute(name, value);
            script.textContent = old.textContent;
            old.replaceWith(script);
        });
    }""", FIGURES["lines"].html())
    before = page.locator(".dpx-s0").last.get_attribute("d")
    page.get_by_role("slider").first.press("End")
    assert page.locator(".dpx-s0").last.get_attribute("d") != before


def test_without_scripts_figure_and_sentence_are_there(chromium, folder):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "lines-light.html").as_uri())
    assert page.locator(".dpx-svg[role=img]").is_visible() and page.get_by_role("slider").count() == 0
    assert page.get_by_text("epsilon = 0.5, sensitivity = 1").is_visible()
    assert page.locator(".dpx-say").inner_text().startswith("The sliders stand at epsilon 0.5")
    context.close()


def test_print_shows_values_instead_of_sliders(visit):
    page = visit("lines")
    page.emulate_media(media="print")
    assert not page.locator(".dpx-sliders").is_visible() and page.locator(".dpx-at").is_visible()


def test_feedback_opens_by_keyboard(visit):
    page = visit("self-check")
    answer = page.get_by_text("Not quite.")
    assert not answer.is_visible()
    page.locator("summary").nth(1).focus()
    page.keyboard.press("Enter")
    assert answer.is_visible() and re.match("Not quite. It is public here.", page.locator("details p").nth(1).inner_text())
