"""In front of a real kernel: moving a slider makes Python call the function and the picture change."""
from __future__ import annotations

import queue
import re
import time
from html import escape, unescape

import pytest

from dpfair_teach.explore import Explorer, drawing, reader
from explorer_samples import samples
from test_explorer_reading import READABLE, expected

MAKE = """
import numpy as np
from dpfair_teach.explore import Explorer
calls = []
def fn(x, power):
    calls.append(power)
    if power == 3 and len(calls) > 20:
        return {"s": x * np.nan}
    return {"s": x ** power}
figure = Explorer(fn, x=np.linspace(0, 1, 11), sliders={"power": [1, 2, 3]}, title="Powers",
                  alt=lambda power: f"The curve is x to the {power}.")
figure
"""


@pytest.fixture(scope="module")
def kernel():
    from jupyter_client.manager import start_new_kernel
    manager, client = start_new_kernel(kernel_name="python3")
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def messages(client, request: str) -> list[dict]:
    """All that the kernel published for one request."""
    found, until = [], time.monotonic() + 60
    while time.monotonic() < until:
        try:
            message = client.get_iopub_msg(timeout=5)
        except queue.Empty:
            continue
        if message["parent_header"].get("msg_id") != request:
            continue
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return found
        found.append(message)
    raise AssertionError("the kernel did not answer")


def run(client, code: str) -> list[dict]:
    return messages(client, client.execute(code))


def printed(client, code: str) -> str:
    return "".join(m["content"]["text"] for m in run(client, f"print({code})") if m["msg_type"] == "stream").strip()


@pytest.mark.slow
def test_a_slider_moves_the_picture_through_the_kernel(kernel):
    shown = run(kernel, MAKE)
    assert not [m for m in shown if m["msg_type"] in ("error", "stream")], shown
    data = next(m["content"]["data"] for m in shown if m["msg_type"] == "execute_result")
    assert set(data) == {"text/html", "image/png", "text/plain", "application/vnd.jupyter.widget-view+json"}
    assert data["text/plain"] == "Powers. The curve is x to the 1."

    # what a browser knows: the widgets' states as they were opened
    opened = {m["content"]["comm_id"]: m["content"]["data"]["state"] for m in shown if m["msg_type"] == "comm_open"}
    root = opened[data["application/vnd.jupyter.widget-view+json"]["model_id"]]
    assert root["_model_name"] == "VBoxModel"
    slider = next(i for i, s in opened.items() if s["_model_name"] == "SelectionSliderModel")
    picture = root["children"][1].removeprefix("IPY_MODEL_")
    assert opened[slider]["_options_labels"] == ["1", "2", "3"] and opened[slider]["description"] == "power"
    html = opened[picture]["value"]
    assert opened[slider]["readout"] is False and "<b>1</b>" in [s.get("value") for s in opened.values()]
    assert "x to the 1." in html and 'role="img" aria-label="Powers. The curve is x to the 1."' in html
    assert not [s for s in opened.values() if s["_model_name"] == "OutputModel"]

    def move(index: int) -> tuple[str, str]:
        """What a browser does when the slider moves; the picture before and after."""
        before = printed(kernel, "figure.widget.children[1].value")
        message = kernel.session.msg("comm_msg",
                                     {"comm_id": slider, "data": {"method": "update", "state": {"index": index}, "buffer_paths": []}})
        kernel.shell_channel.send(message)
        sent = {m["content"]["comm_id"]: m["content"]["data"].get("state", {}) for m in messages(kernel, message["header"]["msg_id"])
                if m["msg_type"] == "comm_msg"}
        below = [s["value"] for i, s in sent.items() if i != picture and "value" in s]
        assert below == [f"<b>{index + 1}</b>"], "the value below the slider"
        return before, sent[picture]["value"]

    count = int(printed(kernel, "len(calls)"))
    before, after = move(1)
    assert before != after and "The curve is x to the 2." in after
    assert int(printed(kernel, "len(calls)")) == count + 1 and printed(kernel, "calls[-1]") == "2", "fn was not called afresh"

    run(kernel, "calls.extend([0] * 20)")
    _, broken = move(2)
    assert 'role="alert"' in broken and "fn at power = 3" in broken and "NaN" in broken
    _, mended = move(0)
    assert "The curve is x to the 1." in mended


def test_no_kernel_no_widget():
    figure = Explorer(lambda a: {"a": a}, sliders={"a": [1]}, title="t", alt="says", view="bars")
    assert "application/vnd.jupyter.widget-view+json" not in figure._repr_mimebundle_()[0]


def picture(figure) -> str:
    """The HTML of the live figure."""
    return next(child.value for child in figure.widget.children if 'class="dpx' in getattr(child, "value", ""))


def drawn(figure) -> str:
    """The same without its styles and the flat image."""
    return re.sub(r'src="[^"]*"', "", picture(figure).split("</style>", 1)[1])


def test_the_widget_without_a_kernel_still_draws():
    figure = Explorer(lambda a, b, c: {"a": a, "b": len(b), "c": c}, sliders={"a": [1, 2], "b": ["l", "rr"], "c": [True, False]}, title="t",
                      alt=lambda a, b, c: f"a {a} b {b} c {c}", view="bars", start={"c": False}, labels={"c": "see it"})
    inputs = figure.widget.children[0]
    (slider, _), (buttons,), flag = inputs.children[0].children, inputs.children[1].children, inputs.children[2]
    assert [type(w).__name__ for w in (slider, buttons, flag)] == ["SelectionSlider", "ToggleButtons", "Checkbox"]
    assert flag.description == "see it" and flag.value is False
    buttons.value = "rr"
    slider.index = 1
    flag.value = True
    assert "a 2 b rr c True" in picture(figure) and picture(figure) == figure.still(a=2, b="rr", c=True)


def test_people_are_buttons_that_say_what_the_player_says_in_its_order():
    """Words and side of each person, at the start and after each press; the player's own words are held by the tests of it."""
    figure = samples()["crowd"]
    people, row = figure.people, figure.widget.children[0].children[0].children[1].children
    bits = list(people.start)
    for place, i in enumerate([None, *people.order()], start=-1):
        if i is not None:
            row[place].value, bits[i] = True, 1 - bits[i]
        assert [button.description for button in row] == [people.told(tuple(bits))[j] for j in people.order()]
        assert [(button.tooltip, button.icon) for button in row] == [(button.description, "") for button in row]
        assert picture(figure) == figure.still(A=tuple(bits))
        assert [button.layout.grid_area for button in row] == [f"auto / {bits[j] + 1}" for j in people.order()]


def test_people_and_other_controls_go_together():
    figure = samples()["crowd"]
    people, noise, flag = figure.widget.children[0].children
    row = {button.description.split(",")[0]: button for button in people.children[1].children}
    assert list(row) == ["Ben", "Dan", "<Cleo>", "Ada"] and not any(button.value for button in row.values())
    row["Ada"].value = row["Dan"].value = True
    noise.children[0].value, flag.value = "none", True
    assert picture(figure) == figure.still(A=(1, 0, 1, 0), noise="none", blurred=True)
    assert "A (1, 0, 1, 0), noise none, blurred True" in picture(figure)


def test_rounds_have_a_clock_that_stands_still_at_first_and_a_step():
    figure = samples()["rounds"]
    (clock, step, box), asking = figure.widget.children[0].children[0].children, figure.widget.children[1]
    slider = box.children[0]
    assert type(clock).__name__ == "Play" and (clock.min, clock.max, clock.value, clock.playing) == (0, 7, 0, False)
    assert type(slider).__name__ == "SelectionSlider" and step.description == "Step" and step.disabled
    asking.children[-1].children[1].click()                 # Show me
    clock.playing = True
    step.click()
    assert slider.value == 2 and not clock.playing and picture(figure).count("at rounds 2, B 1") >= 2
    for _ in range(9):
        step.click()
    assert slider.value == 8, "beyond the end"


def test_a_live_control_offers_what_goes_with_those_before_it():
    figure = samples()["some"]
    (method,), (runs, _), flag = figure.widget.children[0].children[0].children, figure.widget.children[0].children[1].children, \
        figure.widget.children[0].children[2]
    assert [label for label, _ in method.options] == ["counts", "loop"] and [value for _, value in runs.options] == [2, 10, 20]
    assert flag.disabled
    runs.value = 10
    method.value = "counts"
    assert [value for _, value in runs.options] == [1, 2, 5, 10, 20] and runs.value == 10 and not flag.disabled
    runs.value, flag.value = 5, True
    method.value = "loop"
    assert runs.value == 2 and flag.value is False and picture(figure) == figure.still(method="loop", runs=2)


def test_the_value_of_a_slider_is_said_in_full_below_it():
    figure = Explorer(lambda a: {"a": a}, sliders={"a": [1000, 20000.0]}, title="t", alt="says", view="bars")
    slider, says = figure.widget.children[0].children[0].children
    assert says.value == "<b>1,000</b>" and not slider.readout
    slider.index = 1
    assert says.value == "<b>20,000</b>"


# -- guess first ------------------------------------------------------------------------------------------------------------------

GUESSES = {"draw": "answer", "draw_log": "share", "rounds": "now", "bar": "right"}


def hand(figure) -> tuple:
    """The words, the sliders of the guess and its two buttons."""
    words, handles, buttons = figure.widget.children[1].children
    return words, handles.children[-1].children, *buttons.children


def paths(html: str, figure) -> list[str]:
    """All that is drawn of the guessed series and of the guess."""
    made = drawing.series_paths if figure.panels[0].view != "bars" else lambda chart, frame: [
        drawing.bar_path(chart, int(chart.x.keep(v)[0])) for v in frame.values()]
    values = {one.control.name: one.value() for one in live_inputs(figure)}
    i = [name for name, _ in figure._charts[0].series].index(figure.panels[0].guess)
    answer, *others = (lambda each: [each.pop(i), *each])(made(figure._charts[0], figure.frame(**values)))
    shown = html.count(f'd="{answer}"') - others.count(answer)
    return re.findall(r'<path class="dpx-mine dpx-\w+" d="([^"]*)"', html) + ["the answer"] * shown


def live_inputs(figure) -> list:
    return figure.widget.live.inputs


@pytest.mark.parametrize("name", GUESSES)
def test_the_live_figure_asks_for_the_guess_first(name):
    """Neither the answer nor the sentence nor a table of values is in it before; *Compare* shows both and says how far they are apart."""
    figure = samples()[name]
    words, handles, compare, skip = hand(figure)
    controls = [widget for one in live_inputs(figure) for widget in (one.widget, *one.parts)]
    asked = figure.panels[0].asks(live=True)
    assert asked in words.value and asked in picture(figure) and compare.description == "Compare" and compare.disabled
    assert escape(figure.sentence()) not in picture(figure) and paths(drawn(figure), figure) == []
    assert "<title>" not in picture(figure) and "<tbody>" not in picture(figure) and all(one.disabled for one in controls)
    for one in handles:         # as a front end does
        one.value *= 1 + 1e-12
    assert compare.disabled, "nobody has touched it"
    handles[0].value = handles[0].min + 0.75 * (handles[0].max - handles[0].min) if name != "draw_log" else 10 ** handles[0].max
    assert not compare.disabled and len(paths(drawn(figure), figure)) == 1 and ("your guess" in picture(figure) or name == "bar")
    compare.click()
    mine = [(0.75 if name != "draw_log" else 1.0), *[0.5] * (len(handles) - 1)]
    guess = reader.PanelGuess(figure.panels[0], figure._charts[0])
    assert guess.compared(figure.frame(), mine) in words.value and paths(drawn(figure), figure) == [guess.path(mine), "the answer"]
    assert escape(figure.sentence()) in picture(figure) and not any(one.disabled for one in controls) and skip.layout.display == "none"
    # at another setting it is no guess any more
    live_inputs(figure)[0].widget.index = 1
    assert reader.BEFORE in words.value and paths(drawn(figure), figure) == ["the answer"]
    assert compare.description == "Guess again"
    compare.click()
    assert asked in words.value and compare.disabled and paths(drawn(figure), figure) == [] and handles[0].value != handles[0].max
    skip.click()
    assert reader.SHOWN in words.value and paths(drawn(figure), figure) == ["the answer"]


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("name", GUESSES)
def test_the_live_figure_draws_a_guess_and_says_how_far_off_it_was_as_the_player_does(visit, name):
    figure, page = samples()[name], visit(name)
    guess = reader.PanelGuess(figure.panels[0], figure._charts[0])
    n = len(guess.handles())
    for mine in ([0.5] * n, [0.13] * n, [(7 * k % 100) / 100 for k in range(1, n + 1)], [0.0] * n, [1.0] * n):
        drawn, words = page.evaluate("""mine => { const {guess} = document.querySelector("dpfair-explorer");
            guess.ask(); guess.start(); guess.mine = mine; guess.draw(); const d = guess.line.getAttribute("d");
            guess.compare(); return [d, guess.words.textContent]; }""", mine)
        assert guess.path(mine) == drawn and guess.compared(figure.frame(), mine) == words
    assert words != reader.SHOWN and page.evaluate("document.querySelector('dpfair-explorer').guess.show('')") is None
    assert page.locator(".dpx-guess p").first.text_content() == reader.SHOWN
    page.locator("input[type=range]").first.press("ArrowRight")


# -- values -----------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", READABLE)
def test_the_live_figure_tells_the_values_that_the_player_reads(name):
    """Each place says them under the pointer, and a slider goes from one to the next; the order is that of the player's arrow keys."""
    figure = samples()[name]
    for one in figure.widget.children[1:-2]:
        one.children[-1].children[1].click()                # Show me
    slider, said = figure.widget.children[-1].children
    want = expected(figure)
    assert [unescape(words) for words in re.findall("<title>(.*?)</title>", picture(figure))] == want
    assert slider.description == f"Values of: {figure.title}" and reader.HINT in said.value and "dpx-now" not in drawn(figure)
    for i in {0, len(want) // 2, len(want) - 1}:
        slider.index = i + 1
        assert said.value == f'<p aria-live="polite">{escape(want[i])}</p>' and slider.label in want[i]
        assert "dpx-now" in drawn(figure)


def test_the_values_that_are_read_follow_the_controls():
    figure = samples()["lines"]
    slider, said = figure.widget.children[-1].children
    slider.index = 61
    before = said.value
    live_inputs(figure)[0].widget.value = 2
    assert slider.index == 61 and said.value != before
    chart, last = figure._charts[0], figure.frame(epsilon=2)["this data set"][-1]
    assert f"this data set {chart.y.text(int(chart.y.keep(last)))}," in said.value


def test_a_figure_of_several_pictures_reads_each_of_them():
    figure = samples()["crowd"]
    readers = [one for one in figure.widget.children[2:] if one.layout.display != "none"]
    assert [one.children[0].description for one in readers] == ["Values of: Plane", "Values of: Each", "Values of: Kept"]


def test_asking_again_stops_the_clock():
    figure = samples()["rounds"]
    (clock, *_), asking = figure.widget.children[0].children[0].children, figure.widget.children[1]
    done, show = asking.children[-1].children
    show.click()
    clock.playing = True
    done.click()                                            # Guess again
    assert done.description == "Compare" and not clock.playing


def test_a_step_stays_among_the_rounds_that_are_offered():
    figure = Explorer(lambda x, kind, t: {"s": x * t}, x=[0, 1], sliders={"kind": ["short", "long"], "t": [1, 2, 3, 4]}, play="t",
                      title="t", alt=lambda kind, t: f"{kind} {t}", offered=lambda kind, t: kind == "long" or t < 3)
    clock, step, box = figure.widget.children[0].children[1].children
    for _ in range(4):
        step.click()
    assert box.children[0].value == 2 and clock.max == 1


def test_what_was_refused_is_not_drawn_again_as_something_else():
    """The slider over the values redraws; the setting that fn refuses keeps its message."""
    calls = []

    def fn(x, power):
        calls.append(power)
        return {"s": x * float("nan") if power == 3 and len(calls) > 20 else x ** power}
    figure = Explorer(fn, x=[0.0, 1.0], sliders={"power": [1, 2, 3]}, title="Powers", alt=lambda power: f"to the {power}")
    widget = figure.widget
    calls.extend([0] * 20)
    slider, values, shown = widget.children[0].children[0].children[0], widget.children[2].children[0], widget.children[1]
    slider.index = 2
    assert 'role="alert"' in shown.value
    values.index = 1
    assert 'role="alert"' in shown.value and "to the" not in shown.value
    slider.index = 1
    assert "to the 2" in shown.value and "alert" not in shown.value
