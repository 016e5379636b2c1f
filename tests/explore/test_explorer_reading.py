"""What a reader does with a figure beside moving its controls: read values, guess, let rounds pass. Nothing jumps meanwhile."""
from __future__ import annotations

import re
from statistics import median

import numpy as np
import pytest

from bench_player import FRAME, hands, measure
from dpfair_teach.explore.axes import brief
from dpfair_teach.plotting import whole_subject
from explorer_samples import samples

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.turning(5, of=["dpfair_teach/explore", "tests/explore"])]
FIGURES = samples()
READABLE = [name for name, figure in FIGURES.items()
            if len(figure.panels) == 1 and figure.panels[0].view in ("lines", "roc", "pareto")]


def show_the_answer(page) -> None:
    """Of a figure that asks for a guess."""
    if page.get_by_role("button", name="Show me").count():
        page.get_by_role("button", name="Show me").click()


def expected(figure) -> list[str]:
    """What is read at each place of the starting frame, in the order of the arrow keys."""
    panel, chart, frame = figure.panels[0], figure._charts[0], figure.frame()
    if panel.view == "lines":
        out = []
        for j, x in enumerate(panel.x):
            each = [f"{name} " + " to ".join(chart.y.text(int(v)) for v in np.atleast_1d(chart.y.keep(frame[name][j]))) for name in frame]
            out.append(f"{panel.x_label} = {chart.x.says(x)}: " + ", ".join(each))
        return out
    points = [(name, int(chart.x.keep(np.float64(a))), int(chart.y.keep(np.float64(b)))) for name in frame for a, b in frame[name]]
    out = []
    for _, a, b in points:
        x, y = chart.x.text(a), chart.y.text(b)
        there = dict.fromkeys(name for name, c, d in points if (c, d) == (a, b))
        out.append(f"{panel.x_label} = {x}, {panel.y_label} = {y}: " + ", ".join(there))
    return out


@pytest.mark.parametrize("name", READABLE)
def test_the_arrow_keys_read_every_value(visit, name):
    page = visit(name)
    show_the_answer(page)
    area = page.locator(".dpx-read")
    area.focus()
    want = expected(FIGURES[name])
    for told in want[:30]:
        page.keyboard.press("ArrowRight")
        assert area.get_attribute("aria-valuetext") == told
    page.keyboard.press("End")
    assert area.get_attribute("aria-valuetext") == want[-1]
    page.keyboard.press("Home")
    assert area.get_attribute("aria-valuetext") == want[0] and area.get_attribute("aria-valuenow") == "0"
    values = [text for text in page.locator(".dpx-value").all_inner_texts() if text]
    assert all(text in want[0] for text in values) and bool(values) == (FIGURES[name].panels[0].view == "lines")
    marked = [text.strip() for text in page.locator(".dpx-here").all_inner_texts()]
    assert FIGURES[name].panels[0].view == "lines" or ", ".join(marked) == want[0].split(": ", 1)[1]
    area.evaluate("area => area.blur()")
    assert not any(page.locator(".dpx-value").all_inner_texts()) and page.locator(".dpx-where").first.inner_text().startswith("Point")


@pytest.mark.parametrize("name", READABLE)
def test_pointer_and_finger_read_the_nearest_value(visit, name):
    """At each of nine places: nothing that can be read is nearer to the pointer than what is read."""
    page = visit(name)
    show_the_answer(page)
    area = page.locator(".dpx-read")
    area.scroll_into_view_if_needed()
    box, every = area.bounding_box(), expected(FIGURES[name])
    lines = FIGURES[name].panels[0].view == "lines"
    for kind in ("mouse", "touch"):
        for across, down in [(x, y) for x in (0.03, 0.5, 0.97) for y in (0.1, 0.5, 0.9)]:
            at = [box["x"] + across * box["width"], box["y"] + down * box["height"], kind, lines]
            away = area.evaluate("""(area, [x, y, kind, lines]) => {
                const how = kind === "mouse" ? "pointermove" : "pointerdown";
                area.dispatchEvent(new PointerEvent(how, {clientX: x, clientY: y, pointerType: kind}));
                const reading = area.closest("dpfair-explorer").readings[0], box = area.getBoundingClientRect();
                const far = ({at}) => Math.hypot(at[0] * box.width - (x - box.left), lines ? 0 : at[1] * box.height - (y - box.top));
                return [far(reading.spots()[reading.spot]), Math.min(...reading.spots().map(far))];
            }""", at)
            assert away[0] == pytest.approx(away[1], abs=1e-6)
            assert area.get_attribute("aria-valuetext") in every


def test_values_follow_the_controls(visit):
    page = visit("lines")
    area = page.locator(".dpx-read")
    area.focus()
    page.keyboard.press("End")
    before = area.get_attribute("aria-valuetext")
    page.locator("dpfair-explorer").evaluate("""figure => { const input = figure.querySelector("input");
        input.value = 3; input.dispatchEvent(new Event("input", {bubbles: true})); }""")
    y = FIGURES["lines"]._charts[0].y
    now = y.text(int(y.keep(FIGURES["lines"].frame(epsilon=2)["this data set"][-1])))
    assert before != area.get_attribute("aria-valuetext") and f"this data set {now}," in area.get_attribute("aria-valuetext")


# -- guess first -----------------------------------------------------------------------------------------------------------------

def state(page) -> dict:
    return page.evaluate("""() => ({
        curve: getComputedStyle(document.querySelector(".dpx-secret") || document.body).visibility,
        said: getComputedStyle(document.querySelector(".dpx-say")).visibility, heard: document.querySelector(".dpx-plot svg").ariaLabel,
        inert: document.querySelector(".dpx-sliders").inert, mine: document.querySelector(".dpx-plot .dpx-mine").getAttribute("d"),
        words: document.querySelector(".dpx-guess p").textContent})""")


@pytest.mark.parametrize("name", ["draw", "draw_log", "rounds", "bar"])
def test_the_answer_is_not_there_before_the_guess_and_show_me_skips_it(visit, name):
    page = visit(name)
    before = state(page)
    assert before["curve"] == before["said"] == "hidden" and before["inert"] and before["words"].startswith("Guess first")
    assert page.get_by_role("button", name="Compare").is_disabled()
    sentence = page.locator(".dpx-say").text_content()
    assert sentence not in before["heard"] and before["words"] in before["heard"]
    page.get_by_role("button", name="Show me").click()
    after = state(page)
    assert sentence in after["heard"]
    assert after["curve"] == after["said"] == "visible" and not after["inert"] and after["words"] == "This is the answer."
    page.get_by_role("button", name="Guess again").click()
    assert state(page)["curve"] == "hidden"


def test_a_curve_drawn_by_pointer_is_compared_at_every_x(visit):
    page = visit("draw")
    area = page.locator(".dpx-read")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    page.mouse.down()
    for across in np.linspace(0, 1, 12):
        page.mouse.move(box["x"] + 1 + across * (box["width"] - 2), box["y"] + box["height"] / 2)
    page.mouse.up()
    page.get_by_role("button", name="Compare").click()
    figure = FIGURES["draw"]
    panel, y = figure.panels[0], figure._charts[0].y
    away = np.abs((y.low + y.high) / 2 - figure.frame()["answer"])
    told = re.fullmatch(r"You were ([\d.]+) off on average; the most, ([\d.]+), at x = (-?[\d.]+)\.", state(page)["words"])
    assert float(told[1]) == pytest.approx(away.mean(), abs=0.01) and float(told[2]) == pytest.approx(away.max(), abs=0.01)
    assert float(told[3]) == pytest.approx(panel.x[away.argmax()])
    assert state(page)["mine"].count("L") >= 15 and state(page)["curve"] == "visible"
    # at another setting it is no guess any more
    page.locator("input[type=range]").press("ArrowRight")
    assert state(page)["words"] == "Your guess was for the setting before." and state(page)["mine"] == ""


@pytest.mark.parametrize("keys", [["ArrowUp"], ["ArrowRight"] * 3 + ["ArrowUp"] * 2, ["ArrowDown"] + ["ArrowRight"] * 30 + ["ArrowUp"]])
def test_what_is_compared_is_what_is_drawn_from_the_first_key_on(visit, keys):
    """The reader's line reaches from end to end, and the distances are those of that line: read back from the picture."""
    page = visit("draw")
    page.locator(".dpx-read").focus()
    for key in keys:
        page.keyboard.press(key)
        corners = np.array([re.findall(r"-?\d+", pair) for pair in re.split("[ML]", state(page)["mine"])[1:]], dtype=float)
        assert corners[0, 0] == 0 and corners[-1, 0] == 4400 and len(corners) == 21
    page.get_by_role("button", name="Compare").click()
    figure, chart = FIGURES["draw"], FIGURES["draw"]._charts[0]
    at = 4400 * (figure.panels[0].x - figure.panels[0].x[0]) / np.ptp(figure.panels[0].x)
    drawn = chart.y.high - np.interp(at, *corners.T) / 2700 * (chart.y.high - chart.y.low)
    away = np.abs(drawn - figure.frame()["answer"])
    told = re.match(r"You were ([\d.]+) off on average; the most, ([\d.]+), at x = (-?[\d.]+)\.", state(page)["words"])
    assert float(told[1]) == pytest.approx(away.mean(), abs=0.01) and float(told[2]) == pytest.approx(away.max(), abs=0.01)


def test_a_curve_drawn_by_keyboard_on_a_log_axis_is_off_by_a_factor(visit):
    page = visit("draw_log")
    area = page.locator(".dpx-read")
    area.focus()
    page.keyboard.press("ArrowUp")
    assert re.fullmatch(r"x = 5: your guess [\d.e-]+", area.get_attribute("aria-valuetext"))
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    page.get_by_role("button", name="Compare").click()
    figure = FIGURES["draw_log"]
    y = figure._charts[0].y
    away = np.abs(y.low + np.array([0.55] * 5 + [0.54]) * (y.high - y.low) - np.log10(figure.frame()["share"]))
    told = re.fullmatch(r"You were a factor of ([\d.]+) off on average; the most, a factor of ([\d.e+]+), at x = ([\d.]+)\.",
                        state(page)["words"])
    assert float(told[1]) == pytest.approx(10 ** away.mean(), rel=0.06) and float(told[2]) == pytest.approx(10 ** away.max(), rel=0.06)
    assert told[3] == brief(float(figure.panels[0].x[away.argmax()]))


def test_a_point_and_a_bar_are_placed_by_keyboard_and_by_click(visit):
    page = visit("rounds")
    page.locator(".dpx-read").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Compare").click()
    chart, now = FIGURES["rounds"]._charts[0], FIGURES["rounds"].frame()["now"][0]
    across, up = (axis.low + part * (axis.high - axis.low) for axis, part in ((chart.x, 0.6), (chart.y, 0.55)))
    told = re.fullmatch(r"It is at \(([\d.-]+), ([\d.-]+)\): you were ([\d.]+) off across and ([\d.]+) off up or down\.",
                        state(page)["words"])
    np.testing.assert_allclose([float(v) for v in told.groups()], [*now, abs(across - now[0]), abs(up - now[1])], rtol=0.06, atol=2e-3)
    page = visit("bar")
    box = page.locator(".dpx-read").bounding_box()
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2)
    page.get_by_role("button", name="Compare").click()
    assert state(page)["words"] == "You were 0.3 off: it is 0.5."


def test_without_scripts_and_on_paper_the_answer_is_there(chromium, folder, visit):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "draw-light.html").as_uri())
    assert page.locator(".dpx-say").is_visible() and page.locator(".dpx-plot .dpx-s0").is_visible()
    assert not page.locator(".dpx-guess").is_visible()
    context.close()
    page = visit("draw")
    page.emulate_media(media="print")
    assert state(page)["curve"] == state(page)["said"] == "visible" and not page.locator(".dpx-guess").is_visible()


# -- rounds that pass ---------------------------------------------------------------------------------------------------------------

def test_rounds_play_pause_step_and_stop_at_the_end(visit):
    page = visit("rounds")
    show_the_answer(page)
    slider = page.locator("input[type=range]").first
    page.wait_for_timeout(700)          # a round takes 600 ms at most
    assert slider.input_value() == "0" and page.get_by_role("button", name="Play").count() == 1, "it began by itself"
    page.get_by_role("button", name="Step").press("Enter")
    assert slider.input_value() == "1" and page.locator(".dpx-say").inner_text().startswith("The sliders stand at rounds 2, B 1")
    page.get_by_role("button", name="Play").press("Space")
    page.wait_for_function("+document.querySelector('input[type=range]').value >= 3")
    assert page.locator(".dpx-say").get_attribute("aria-live") == "off", "a screen reader would be told of every round"
    page.get_by_role("button", name="Pause").click()
    at = slider.input_value()
    page.wait_for_timeout(900)
    assert slider.input_value() == at and page.locator(".dpx-say").get_attribute("aria-live") == "polite"
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("document.querySelector('.dpx-time button').textContent === 'Play'", timeout=15_000)
    assert slider.input_value() == "7", "not at the end"
    page.get_by_role("button", name="Play").click()
    assert slider.input_value() == "0", "from the beginning"
    slider.press("ArrowRight")
    assert page.get_by_role("button", name="Play").count() == 1, "it goes on although the reader moved it"


def test_where_motion_is_not_wanted_there_is_only_the_step(visit):
    page = visit("rounds")
    page.emulate_media(reduced_motion="reduce")
    show_the_answer(page)
    assert not page.get_by_role("button", name="Play").is_visible()
    page.locator("dpfair-explorer").evaluate("figure => figure.playing.start()")
    page.wait_for_timeout(1000)
    assert page.locator("input[type=range]").first.input_value() == "0"
    page.get_by_role("button", name="Step").click()
    assert page.locator("input[type=range]").first.input_value() == "1"


# -- nothing jumps ------------------------------------------------------------------------------------------------------------------

HEIGHTS = """async () => {
    const figure = document.querySelector("dpfair-explorer"), seen = new Set();
    const note = () => seen.add(Math.round(figure.getBoundingClientRect().height));
    note();
    if (figure.guess) figure.guess.show("");
    note();
    for (const input of figure.querySelectorAll(".dpx-sliders input"))
        for (let i = 0; i <= (input.type === "range" ? +input.max : 1); i++) {
            if (input.type === "range") input.value = i; else input.checked = input.type === "radio" || !input.checked;
            input.dispatchEvent(new Event("input", {bubbles: true}));
            note();
        }
    for (const who of figure.querySelectorAll(".dpx-who")) { who.dispatchEvent(new MouseEvent("click", {bubbles: true})); note(); }
    for (const reading of figure.readings.filter(Boolean))
        for (let i = 0; i < Math.min(reading.spots().length, 40); i++) { reading.show(i); note(); }
    return [...seen];
}"""


@pytest.mark.parametrize("width", [320, 1000])
@pytest.mark.parametrize("name", FIGURES)
def test_the_height_is_the_same_at_every_setting_and_while_reading(visit, name, width):
    heights = visit(name, width=width).evaluate(HEIGHTS)
    assert len(heights) == 1, heights


# -- in time ------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", hands())
def test_an_input_is_painted_within_a_frame(chromium, name):
    """The median of 40: ``python tests/explore/bench_player.py`` prints the figures."""
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    work, _ = measure(page, FIGURES | {"whole subject": whole_subject()}, name)
    page.close()
    assert len(work) >= 40 and median(work) < FRAME, f"{median(work):.1f} ms"
