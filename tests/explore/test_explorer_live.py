"""In front of a real kernel: moving a slider makes Python call the function and the picture change."""
from __future__ import annotations

import queue
import time

import pytest

from dpfair_teach.explore import Explorer
from explorer_samples import samples

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
    figure = Explorer(lambda a: [[a]], sliders={"a": [1]}, title="t", alt="says", view="heatmap")
    assert "application/vnd.jupyter.widget-view+json" not in figure._repr_mimebundle_()[0]


def test_the_widget_without_a_kernel_still_draws():
    figure = Explorer(lambda a, b, c: [[a, len(b), c]], sliders={"a": [1, 2], "b": ["l", "rr"], "c": [True, False]}, title="t",
                      alt=lambda a, b, c: f"a {a} b {b} c {c}", view="heatmap", start={"c": False}, labels={"c": "see it"})
    inputs, picture = figure.widget.children
    (slider, _), (buttons,), flag = inputs.children[0].children, inputs.children[1].children, inputs.children[2]
    assert [type(w).__name__ for w in (slider, buttons, flag)] == ["SelectionSlider", "ToggleButtons", "Checkbox"]
    assert flag.description == "see it" and flag.value is False
    buttons.value = "rr"
    slider.index = 1
    flag.value = True
    assert "a 2 b rr c True" in picture.value and picture.value == figure.still(a=2, b="rr", c=True)


def test_people_are_buttons_that_say_who_changed():
    figure = samples()["crowd"]
    people, noise, flag = figure.widget.children[0].children
    row = people.children[1].children
    assert [button.description for button in row] == ["Ada", "Ben", "Cleo", "Dan"] and not any(button.value for button in row)
    row[0].value = True
    row[3].value = True
    noise.children[0].value, flag.value = "none", True
    assert figure.widget.children[1].value == figure.still(A=(1, 0, 1, 0), noise="none", blurred=True)
    assert "A (1, 0, 1, 0), noise none, blurred True" in figure.widget.children[1].value


def test_rounds_have_a_clock_that_stands_still_at_first():
    clock, box = samples()["rounds"].widget.children[0].children[0].children
    assert type(clock).__name__ == "Play" and (clock.min, clock.max, clock.value, clock.playing) == (0, 7, 0, False)
    assert type(box.children[0]).__name__ == "SelectionSlider"


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
    assert runs.value == 2 and flag.value is False and figure.widget.children[1].value == figure.still(method="loop", runs=2)


def test_the_value_of_a_slider_is_said_in_full_below_it():
    figure = Explorer(lambda a: [[a]], sliders={"a": [1000, 20000.0]}, title="t", alt="says", view="heatmap")
    slider, says = figure.widget.children[0].children[0].children
    assert says.value == "<b>1,000</b>" and not slider.readout
    slider.index = 1
    assert says.value == "<b>20,000</b>"
