"""The built site: links, weights, and every page in a headless Chromium.

``visit`` is a page at a desk, ``phone`` the same page on a phone: what needs a phone stands together, since it takes a long page time to be
laid out again. What axe says stands last.
"""
from __future__ import annotations

import functools
import gzip
import re
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup

import accessibility
import turning

pytestmark = pytest.mark.site

ROOT = Path(__file__).resolve().parents[2]
KB = 1024
# Gzipped bytes: a chapter's own HTML; everything a first visit loads, without and with maths; everything a second page loads.
CHAPTER, FIRST, FIRST_WITH_MATHS, SECOND = 300 * KB, 1000 * KB, 1600 * KB, 350 * KB
PLAYER = 16 * KB
#: Widths in px. The scroll bar takes 15 of them: the second is the narrowest phone, of 320.
DESKTOP, PHONE, NARROWEST = 1280, 360, 335


def toc() -> list[str]:
    """The pages of `_toc.yml` in order, as paths of the site."""
    found: list[str] = []

    def walk(node):
        if isinstance(node, dict):
            found.extend(node[key] for key in ("root", "file") if key in node)
            for key in ("parts", "chapters", "sections"):
                for child in node.get(key, []):
                    walk(child)

    walk(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
    return [f"{name}.html" for name in found]


PAGES = toc()
ALL_PAGES = [*PAGES, "search.html", "genindex.html"]


@functools.cache
def soup(path: Path) -> BeautifulSoup:
    """A page, parsed once for all tests, which only read it."""
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


# --- without a browser ------------------------------------------------------------------------------------------------------

# All that reads every page goes to one worker, which parses it once.
reads_all_pages = pytest.mark.xdist_group("reads all pages")


def test_every_page_of_the_toc_is_built_and_nothing_else(site):
    built = {p.relative_to(site).as_posix() for p in site.rglob("*.html") if "_static" not in p.parts}
    assert set(PAGES) <= built
    assert {p for p in built if p.startswith("book/")} == set(PAGES)


def test_chapters_with_cells_are_published_as_notebooks():
    import notebooks

    with_cells = {path.stem for path in notebooks.chapters()}
    wrong = [page for page in PAGES if (Path(page).stem in with_cells) != page.startswith("book/notebooks/")]
    assert not wrong, f"list these in _toc.yml in the other folder (book/notebooks/ with cells, book/chapters/ without): {wrong}"


@reads_all_pages
def test_internal_links_resolve(site):
    pages = {p: soup(p) for p in site.rglob("*.html") if "_static" not in p.parts}
    ids = {p: {tag["id"] for tag in s.find_all(id=True)} for p, s in pages.items()}
    dead = []
    for page, content in pages.items():
        for tag, attribute in [(t, a) for a in ("href", "src") for t in content.find_all(attrs={a: True})]:
            target, fragment = urldefrag(tag[attribute])
            if urlsplit(target).scheme or target.startswith("//"):
                continue
            file = (page.parent / unquote(urlsplit(target).path)).resolve() if target else page
            if file.is_dir():
                file = file / "index.html"
            if not file.is_file() or (fragment and file in ids and unquote(fragment) not in ids[file]):
                dead.append(f"{page.relative_to(site)}: {tag[attribute]}")
    assert not dead, "\n".join(sorted(set(dead)))


@reads_all_pages
def test_no_page_names_a_script_or_style_elsewhere(site):
    for page in site.rglob("*.html"):
        for tag in soup(page).find_all(["script", "link", "img", "iframe", "source"]):
            address = tag.get("src") or (tag.get("href") if "stylesheet" in tag.get("rel", []) else "") or ""
            assert not re.match(r"(https?:)?//", address), f"{page.relative_to(site)}: {address}"


@reads_all_pages
def test_ids_are_unique(site):
    for page in PAGES:
        seen, twice = set(), set()
        for tag in soup(site / page).find_all(id=True):
            (twice if tag["id"] in seen else seen).add(tag["id"])
        assert not twice, f"{page}: {sorted(twice)}"


@reads_all_pages
def test_images_have_a_text_alternative(site):
    for page in PAGES:
        bare = [str(tag)[:120] for tag in soup(site / page).select("article img") if not tag.get("alt", "").strip()]
        assert not bare, f"{page}: {bare}"


@pytest.mark.parametrize("page", PAGES)
def test_weight_of_the_page_itself(site, page):
    weight = len(gzip.compress((site / page).read_bytes()))
    assert weight <= CHAPTER, f"{weight / KB:.0f} KB gzipped, at most {CHAPTER // KB}"


@reads_all_pages
def test_weight_of_the_player(site):
    """One script for every figure of every page, linked once where there are figures; with its styles at most 16 KB over the line."""
    linked = {page: re.findall(r'_static/(dpfair-[^"]*\.js)"', (site / page).read_text(encoding="utf-8")) for page in PAGES}
    figures = {page for page in PAGES if soup(site / page).select("dpfair-explorer")}
    assert figures and {page for page, scripts in linked.items() if scripts} == figures
    assert len({tuple(linked[page]) for page in figures}) == 1 and all(len(linked[page]) == 1 for page in figures)
    own = [path for path in (site / "_static").glob("dpfair-*") if path.suffix in (".js", ".css")]
    assert 1000 < sum(len(gzip.compress(path.read_bytes())) for path in own) <= PLAYER


# --- in a browser -----------------------------------------------------------------------------------------------------------

class Visit:
    """One page in a context of its own, with what it asked for and what it complained about; unfolded unless told otherwise."""

    def __init__(self, browser, address: str, page: str, depth: str = "everything"):
        self.address = address
        self.width, self.condensed = DESKTOP, False
        self.context = browser.new_context(viewport={"width": DESKTOP, "height": 900}, color_scheme="light",
                                           # Colours are read at once after a change, not half way through it.
                                           reduced_motion="reduce")
        self.context.add_init_script(f"localStorage.setItem('book-depth', '{depth}')")
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.loaded: dict[str, int] = {}
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("requestfinished", self._weigh)
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address + page, wait_until="networkidle")
        self._settle()

    def _settle(self) -> None:
        # Scripts and fonts of MathJax come last: networkidle has seen them, but on a busy machine they may not have run.
        self.page.evaluate("""async () => {
            for (let waited = 0; document.querySelector(".math") && !window.MathJax?.startup?.promise && waited < 300; waited++)
                await new Promise(later => setTimeout(later, 100));
            await window.MathJax?.startup?.promise;
        }""")

    def _weigh(self, request) -> None:
        # A data: address is part of the page that was weighed already.
        if request.url.startswith("http"):
            self.loaded[request.url] = request.sizes()["responseBodySize"]

    def at(self, pixels: int) -> Visit:
        """The page at this width, where it stays."""
        if self.condensed:
            self.page.reload(wait_until="networkidle")
            self._settle()
            self.condensed = False
        self._resize(pixels)
        return self

    def _resize(self, pixels: int) -> None:
        if self.width != pixels:
            self.page.set_viewport_size({"width": pixels, "height": 900})
            self.page.wait_for_timeout(300)     # layout follows at once, our own script marks what scrolls a moment later
            self.width = pixels

    def condense(self) -> None:
        """Leave out what axe would only look at again, but in `make nightly`; who asks for a width gets the page as it was."""
        if not turning.all_of_it():
            accessibility.condense(self.page)
            self.condensed = True
        self._resize(DESKTOP)

    @contextmanager
    def dark(self):
        """The page in its dark theme."""
        self.page.evaluate("document.documentElement.dataset.theme = 'dark'")
        try:
            yield
        finally:
            self.page.evaluate("document.documentElement.dataset.theme = 'light'")

    def violations(self, within: str | None = None, **options) -> list[str]:
        """What axe finds, one line each; ``within`` one part of the page."""
        return accessibility.violations(self.page, within, **options)


#: In so many days `make test` opens every page; a page whose chapter changed is opened every day.
DAYS = 5


def on(pages: list[str]):
    """One test per page, by turns; a page's tests go to one worker, which opens it once."""
    each = [pytest.param(page, id=page, marks=pytest.mark.xdist_group(page)) for page in pages]
    marks = [pytest.mark.slow, pytest.mark.browser, pytest.mark.parametrize("opened", each, indirect=True),
             *([pytest.mark.turning(DAYS)] if len(pages) > 1 else [])]
    return lambda test: functools.reduce(lambda marked, mark: mark(marked), marks, test)


@on(ALL_PAGES)
def test_nothing_is_asked_of_other_hosts(visit):
    other = [url for url in visit.requests if not url.startswith((visit.address, "data:", "blob:"))]
    assert not other


@on(ALL_PAGES)
def test_no_complaint_in_the_console(visit):
    assert not visit.complaints


@on(PAGES)
def test_no_raw_tex(visit):
    """What a reader sees outside code has no dollar sign of a formula and no TeX command."""
    text = visit.page.evaluate("""() => {
        const copy = document.querySelector("article").cloneNode(true);
        copy.querySelectorAll("pre, code, script, style, mjx-container, .dpx-svg").forEach(node => node.remove());
        return copy.textContent;
    }""")
    raw = re.findall(r".{0,30}(?:\$|\\\(|\\\[|\\[a-zA-Z]{2,}|\\begin).{0,30}", text)
    assert not raw
    assert not visit.page.locator("mjx-merror").count(), visit.page.locator("mjx-merror").first.inner_text()


# A formula no wider than its block has no scroll bar and is no stop; a box that scrolls is one, and shows on which side it goes on.
WRONG_STOPS = """() => {
    const found = [];
    for (const formula of document.querySelectorAll("article mjx-container")) {
        const may = /auto|scroll/.test(getComputedStyle(formula).overflowX);
        const scrolls = may && formula.scrollWidth > formula.clientWidth + 1;
        const width = formula.querySelector("mjx-math").getBoundingClientRect().width;
        const tooWide = width > formula.closest("p, li, td, div").clientWidth - 30;
        const stops = formula.tabIndex >= 0 || formula.parentElement.tabIndex >= 0;
        if (stops !== scrolls || (scrolls && !tooWide)) found.push([stops, scrolls, tooWide, formula.textContent.slice(0, 60)]);
        if (!formula.querySelector("mjx-assistive-mml"))
            found.push("no text for screen readers: " + formula.textContent.slice(0, 60));
    }
    for (const box of document.querySelectorAll("article [data-scrolls]"))
        if (!box.matches(".more-left, .more-right") || getComputedStyle(box).maskImage === "none")
            found.push("no sign that it goes on: " + box.className);
    return found;
}"""


@on(PAGES)
def test_only_what_scrolls_is_a_stop_of_the_tab_key_and_only_what_is_too_wide_scrolls(visit):
    assert not visit.page.evaluate(WRONG_STOPS)


@on(PAGES)
def test_no_display_formula_is_cut_on_a_desktop(visit):
    """At 1280 px with scroll bars every displayed formula is seen whole: break it in the chapter."""
    wide = visit.page.evaluate("""() => [...document.querySelectorAll("article mjx-container[display]")]
        .filter(formula => formula.tabIndex >= 0 || formula.parentElement.tabIndex >= 0)
        .map(formula => formula.textContent.slice(0, 100))""")
    assert not wide


@on(PAGES)
def test_the_type_of_a_figure_survives_a_phone(visit):
    """A phone makes type under 10 px of a figure wider than 5 inches (650 px): use `plotting.new_figure()` as it comes, legend below."""
    wide = visit.page.evaluate("""() => [...document.querySelectorAll("article div.cell_output > :is(img, figure img, a img)")]
        .filter(image => image.naturalWidth > 660).map(image => image.naturalWidth + " px: " + image.alt.slice(0, 60))""")
    assert not wide


@on(PAGES)
def test_a_figure_and_its_controls_fit_a_desktop(visit):
    """At most 700 pixels of a window of 1280 x 800, while its answer is asked for and once it is shown; the player's tests hold that no
    control makes it higher."""
    heights = visit.page.evaluate("""() => Object.fromEntries([...document.querySelectorAll("article dpfair-explorer")].map(figure => {
        const height = () => Math.round(figure.getBoundingClientRect().height), asked = height();
        if (figure.guess) figure.guess.show("");
        const shown = height();
        if (figure.guess) figure.guess.ask();
        return [figure.data.title, [asked, shown]];
    }))""")
    assert not {title: high for title, high in heights.items() if not 0 < min(high) <= max(high) <= 700}


@on(PAGES)
def test_boxes_and_figures_are_headings_and_folds_have_names_of_their_own(visit):
    titles = visit.page.evaluate("""() => [...document.querySelectorAll(
            "article :is(.proof, .exercise, .note) > p.admonition-title, article .dpx-title")]
        .filter(title => title.getAttribute("role") !== "heading").map(title => title.textContent)""")
    assert not titles
    folded = visit.page.locator("details:is(.fold, .chapter-card)").count()
    assert visit.page.locator("summary > .fold-title[role=heading]").count() == folded >= visit.page.locator(".proof-body").count()
    names = [summary.inner_text().strip() for summary in visit.page.locator("details.hide > summary").all()]
    told = f"a comment in the first line names a cell: {names}"
    assert len(set(names)) == len(names) and not any("cell source" in name for name in names), told


@on(PAGES)
def test_the_words_in_a_drawing_can_be_read_on_a_desktop(visit):
    """A narrow picture beside others makes its type small: give its Panel a larger share."""
    small = visit.page.evaluate("""() => [...document.querySelectorAll("article .dpx svg text")].map(text => {
        const scale = text.getBoundingClientRect().width && text.ownerSVGElement.getScreenCTM().a;
        return [parseFloat(getComputedStyle(text).fontSize) * scale, text.closest("dpfair-explorer")?.data.title, text.textContent];
    }).filter(([size]) => 0 < size && size < 10.5)""")
    assert not small


@contextmanager
def answered(figure):
    """A figure that asks for a guess first keeps its controls shut until it has answered; afterwards it asks again."""
    asks = figure.locator(".dpx-guess").count() and "dpx-asks" in figure.get_attribute("class")
    if asks:
        assert figure.locator(".dpx-sliders").evaluate_all("all => all.every(controls => controls.inert)")
        figure.get_by_role("button", name="Show me").click()
    yield figure
    if asks:
        figure.get_by_role("button", name="Guess again").click()


@on(PAGES)
def test_every_choice_moves_its_figure(visit):
    """Names to choose from, yes or no, people: each changes picture or sentence, and the last choice brings the first picture back."""
    for figure in visit.page.locator("dpfair-explorer").all():
        with answered(figure):
            choices_move(figure)


def choices_move(figure) -> None:
    title = figure.locator(".dpx-title").inner_text()

    def shown():
        # a class that came and went leaves an empty attribute, and a height that was set is written with spaces and without a last 0
        found = (figure.locator(what).first.inner_html().replace(' class=""', "") for what in (".dpx-body", ".dpx-say"))
        return [re.sub(r'style="top: ?([\d.]+)%;?"', lambda at: f'style="top:{float(at[1])}%"', html) for html in found]

    def setting():
        return figure.evaluate("figure => figure.setting")

    def is_back(before, at):
        # of a figure that offers only some settings, a choice takes the controls after it along, and they stay there
        return shown() == before if setting() == at else figure.evaluate("figure => !!figure.offered")
    for group in figure.locator("fieldset").all():
        choices = group.get_by_role("radio").all()
        first, at, start = shown(), setting(), [choice.is_checked() for choice in choices].index(True)
        seen = set()
        for choice in choices:
            if choice.is_enabled():
                choice.check(force=True)
                seen.add("".join(shown()))
        still = len(seen) == 1 < sum(choice.is_enabled() for choice in choices)
        assert not still, f"{title}, {group.locator('legend').inner_text()}: the figure stands still"
        choices[start].check(force=True)
        assert is_back(first, at)
    for one in [*figure.get_by_role("checkbox").all(), *figure.locator(".dpx-who").all()]:
        if one.is_disabled():
            continue
        before, at = shown(), setting()
        one.press("Space")
        assert shown() != before, f"{title}: the figure stands still"
        one.press("Space")
        assert is_back(before, at)


@on(PAGES)
def test_every_slider_moves_its_figure_by_keyboard(visit):
    for figure in visit.page.locator("dpfair-explorer").all():
        with answered(figure):
            sliders_move(figure)


def sliders_move(figure) -> None:
    title = figure.locator(".dpx-title").inner_text()
    plot = figure.locator(".dpx-plot").first
    sliders = figure.locator("input[type=range]").all()
    assert sliders or figure.locator("fieldset, input[type=checkbox], .dpx-who").count(), f"{title}: nothing to move"
    for slider in sliders:
        name = slider.evaluate("input => input.labels[0].querySelector('span').textContent")
        start = slider.get_attribute("aria-valuetext")
        # some figures offer at a slider only what goes with the controls before it: it goes on over the gaps
        steps = slider.evaluate("""input => {
            const {offered, setting} = input.closest("dpfair-explorer"), k = +input.dataset.k, at = setting.split(",").map(Number);
            if (!offered) return +input.max;
            return new Set(offered.settings.filter(one => at.every((place, j) => j >= k || one[j] === place)).map(one => one[k])).size - 1;
        }""")
        slider.focus()
        slider.press("Home")
        pictures, spoken = {plot.inner_html()}, [slider.get_attribute("aria-valuetext")]
        for _ in range(steps):
            slider.press("ArrowRight")
            pictures.add(plot.inner_html())
            spoken.append(slider.get_attribute("aria-valuetext"))
            # "gamma 0.03" beside a slider that says 0.0333 would be two values for one.
            sentence = figure.locator(".dpx-say").inner_text()
            told = re.search(rf"\b{re.escape(name)}(?: is| =| of)? (\d[\d,]*(?:\.\d+)?)", sentence) if name else None
            if told:
                said, shown = (float(text.replace(",", "")) for text in (told[1], spoken[-1]))
                assert said == shown, f"{title}: {told[0]!r} beside {spoken[-1]}"
        assert len(set(spoken)) == steps + 1, f"{title}, {name}: the spoken values repeat: {spoken}"
        assert len(pictures) > 1 or not steps, f"{title}, {name}: the figure stands still"
        slider.press("Home")
        for _ in range(spoken.index(start)):
            slider.press("ArrowRight")


@on(PAGES)
def test_a_slider_step_costs_under_a_millisecond(visit):
    """The median over 60 inputs of each slider; a loaded machine stretches single ones."""
    slow = visit.page.evaluate("""() => [...document.querySelectorAll("dpfair-explorer input[type=range]")].map(input => {
        const times = [], kept = input.value, max = +input.max;
        for (let i = 0; i < 60; i++) {
            input.value = i % (max + 1);
            const start = performance.now();
            input.dispatchEvent(new Event("input", {bubbles: true}));
            times.push(performance.now() - start);
        }
        input.value = kept;
        input.dispatchEvent(new Event("input", {bubbles: true}));
        return [input.getAttribute("aria-label"), times.sort((a, b) => a - b)[30]];
    }).filter(([name, time]) => time >= 1)""")
    assert not slow


@on(PAGES)
def test_weight_of_a_first_visit(visit):
    """Gzipped bytes of all that the page loads."""
    weight = sum(visit.loaded.values())
    budget = FIRST_WITH_MATHS if visit.page.locator("mjx-container").count() else FIRST
    heaviest = sorted(((size // KB, url.removeprefix(visit.address)) for url, size in visit.loaded.items()), reverse=True)[:5]
    assert weight <= budget, f"{weight / KB:.0f} KB, at most {budget // KB}: {heaviest}"


@pytest.fixture(scope="session")
def shared(chromium, site_url):
    """What the page with the least on it loads beside itself: so does every other page, as the test below finds out."""
    visit = Visit(chromium, site_url, "book/chapters/bibliography.html")
    # The browser fetches the icon of its tab whenever it finds the time.
    yield {url for url in visit.loaded if "/_static/" in url and not url.endswith("/favicon.svg")}
    visit.context.close()


@on(PAGES)
def test_weight_of_a_second_page(visit, shared):
    """Gzipped bytes of the page after any other one, the browser keeping what it has: at most what not all pages have."""
    assert len(shared) > 10 and shared <= visit.loaded.keys(), "there is a page with less: let the fixture open that one"
    own = {url: size for url, size in visit.loaded.items() if url not in shared}
    weight = sum(own.values())
    assert weight <= SECOND, f"{weight / KB:.0f} KB, at most {SECOND // KB}: {own}"


# --- on a phone -------------------------------------------------------------------------------------------------------------

@on(PAGES)
def test_only_what_scrolls_is_a_stop_of_the_tab_key_on_a_phone(phone):
    assert not phone.page.evaluate(WRONG_STOPS)


@on(PAGES)
def test_a_formula_in_a_line_is_broken_where_a_phone_is_too_narrow(phone):
    found = phone.page.evaluate("""() => [...document.querySelectorAll("article mjx-container:not([display])")].map(formula => {
        const block = formula.closest("p, li, td, dd"), right = formula.querySelector("mjx-math").getBoundingClientRect().right;
        const leaves = block && right > block.getBoundingClientRect().right + 1;
        return formula.matches(".wide") || leaves ? formula.textContent.slice(0, 80) : null;
    }).filter(Boolean)""")
    assert not found


@on(PAGES)
def test_rows_of_tables_become_cards_and_what_is_still_too_wide_fades(phone):
    wide = phone.page.evaluate("""() => [...document.querySelectorAll("article table.table")]
        .filter(table => !table.matches(".stacks") || table.parentElement.scrollWidth > table.parentElement.clientWidth + 1)
        .map(table => table.textContent.slice(0, 80))""")
    assert not wide
    # folded tables of numbers are wide, too, once they are open
    bare = phone.page.evaluate("""async () => {
        for (const fold of document.querySelectorAll(".dpx-numbers")) fold.open = true;
        await new Promise(done => setTimeout(done, 400));
        const boxes = [...document.querySelectorAll("article :is(.cell_output > .output, .dpx-scroll, .dpx-plot:has(table))")];
        const found = boxes.filter(box => box.clientWidth && box.scrollWidth > box.clientWidth + 1
            && (!box.matches(".more-right") || getComputedStyle(box).maskImage === "none" || box.tabIndex < 0));
        for (const fold of document.querySelectorAll(".dpx-numbers")) fold.open = false;
        return found.map(box => box.className);
    }""")
    assert not bare


@on(PAGES)
def test_a_line_does_not_start_with_the_punctuation_of_a_formula(phone):
    parted = phone.page.evaluate("""() => [...document.querySelectorAll("article mjx-container:not([display])")].map(formula => {
        const next = formula.parentElement.nextSibling;
        if (!next || next.nodeType !== 3 || !/^[,.;:)!?’”]/.test(next.data)) return null;
        const range = document.createRange();
        range.setStart(next, 0), range.setEnd(next, 1);
        const below = range.getBoundingClientRect().top > formula.getBoundingClientRect().bottom - 2;
        return below ? formula.textContent.slice(0, 40) + next.data.slice(0, 20) : null;
    }).filter(Boolean)""")
    assert not parted


@on(PAGES)
def test_a_name_in_a_table_is_in_one_piece(phone):
    """But for the ledger's names of tests, which are too long for that."""
    broken = phone.page.evaluate("""() => [...document.querySelectorAll("article table:not(.ledger) :is(td, th) code")]
        .filter(code => !/ |^[0-9a-f]{64}$/.test(code.textContent) && code.getClientRects().length > 1)
        .map(code => code.textContent)""")
    assert not broken


@on(PAGES)
def test_no_text_of_a_drawing_is_cut_off_on_a_phone(phone):
    cut = phone.page.evaluate("""() => [...document.querySelectorAll(".dpx-plot .dpx-svg text")].filter(text => {
        const box = text.getBoundingClientRect(), plot = text.closest(".dpx-plot").getBoundingClientRect();
        return box.width && (box.left < plot.left - 1 || box.right > plot.right + 1 || box.top < plot.top - 3);
    }).map(text => text.closest(".dpx").querySelector(".dpx-title").textContent + ": " + text.textContent)""")
    assert not cut


TOO_WIDE = """() => {
    const edge = document.documentElement.clientWidth, found = [];
    if (document.documentElement.scrollWidth <= edge) return found;
    for (const node of document.querySelectorAll("article *"))
        if (node.getBoundingClientRect().right > edge + 1) found.push(node.outerHTML.slice(0, 100));
    return [document.documentElement.scrollWidth + " > " + edge, ...found.slice(0, 8)];
}"""


@on(ALL_PAGES)
def test_no_horizontal_scroll_on_a_phone(phone):
    assert not phone.page.evaluate(TOO_WIDE)


@on(ALL_PAGES)
def test_no_horizontal_scroll_on_the_narrowest_phone(opened):
    assert not opened.at(NARROWEST).page.evaluate(TOO_WIDE)


# --- for everybody ----------------------------------------------------------------------------------------------------------

@on(ALL_PAGES)
def test_axe_in_both_themes(opened):
    """In the dark one what depends on colours: the themes show the same."""
    opened.condense()
    assert not opened.violations()
    with opened.dark():
        assert not opened.violations(runOnly=accessibility.OF_COLOURS)
    assert not opened.page.locator(".only-light, .only-dark").count()


# --- several pages ----------------------------------------------------------------------------------------------------------

@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("chosen", ["auto", "light", "dark"])
def test_the_page_follows_the_readers_theme(chromium, site_url, theme, chosen):
    """From the first line on: also before the theme's own scripts are there, which come last."""
    context = chromium.new_context(color_scheme=theme)
    context.add_init_script(f"localStorage.setItem('mode', '{chosen}')")
    for late in (True, False):        # the theme keeps what it found
        page = context.new_page()
        if late:
            page.route("**/scripts/*.js*", lambda route: route.abort())
        page.goto(site_url + PAGES[0])
        assert page.evaluate("document.documentElement.dataset.theme") == (theme if chosen == "auto" else chosen)
        assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--pst-color-border')")
    context.close()
