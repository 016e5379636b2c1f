"""What a figure shows is what the function returns: every frame, on every view."""
from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfair_teach.explore import Explorer, Panel, People, drawing, schema
from dpfair_teach.explore.axes import Axis, brief, log_ticks, ticks
from dpfair_teach.explore.chart import NUMBER, ROOM, spread
from explorer_samples import X, density, samples, say, was_run
from page_frames import assert_every_frame_is_a_direct_call, data_of, decode, sentences_of, unpack

FIGURES = samples()


@pytest.mark.parametrize("name", FIGURES)
def test_every_frame_in_the_page_is_a_direct_call(name):
    figure = FIGURES[name]
    assert_every_frame_is_a_direct_call(figure, data_of(figure.html()))


@pytest.mark.parametrize("name", [n for n in FIGURES if n not in ("table", "pairs")])
def test_the_step_is_fine_enough_to_draw_with(name):
    axes = [panel[key] for panel in data_of(FIGURES[name].html())["P"] for key in "XY" if key in panel]
    assert axes
    for axis in axes:
        span = axis["hi"] - axis["lo"]
        assert 10.0 ** -axis["k"] <= span / 2000 * (1 + 1e-9)


def test_the_folded_table_of_a_log_axis_has_three_right_digits_and_whole_people():
    figure = FIGURES["lines_log"]
    frame = figure.frame(n=4)
    _, rows = drawing.number_rows(figure._charts[0], frame)
    assert [row[0] for row in rows] == ["5", "20", "76.9", "1247", "2239", "20000"] == data_of(figure.html())["P"][0]["rx"]
    for row, one, other in zip(rows, frame["share"], frame["other"], strict=True):
        assert [float(text) for text in row[1:]] == [float(f"{one:.2e}"), float(f"{other:.2e}")]


@given(st.lists(st.floats(1e-12, 1e12), min_size=1), st.integers(1, 30))
@settings(deadline=None, derandomize=True)
def test_any_number_of_a_log_axis_reads_as_it_is_to_three_digits(numbers, decades):
    axis = Axis.over(np.array(numbers), log=True, given=(1.0, 10.0 ** decades))
    assert [axis.text(k) for k in axis.keep(np.array(numbers)).tolist()] == [brief(float(f"{v:.2e}")) for v in numbers]


@pytest.mark.parametrize("name", FIGURES)
def test_frame_is_exact(name):
    figure = FIGURES[name]
    values = figure.grid()[-1]
    frames = figure.frame(**values)
    for panel in figure.panels:
        frame = frames[panel.name] if len(figure.panels) > 1 else frames
        given = {name: values[name] for name in panel.takes(figure.controls)}
        direct = panel.fn(*panel.positional(given), **given)
        if panel.view == "table":
            assert (frame.values == (np.array(direct["values"]) if isinstance(direct, dict) else direct.to_numpy())).all()
        else:
            assert list(frame) == list(direct)
            assert all((frame[k] == direct[k]).all() for k in direct)


@pytest.mark.parametrize("name", FIGURES)
def test_every_sentence_is_the_one_of_its_frame(name):
    figure = FIGURES[name]
    told = sentences_of(figure, data_of(figure.html()))
    assert told == [say(**values) for values in figure.grid()] == [figure.sentence(**values) for values in figure.grid()]


def test_a_fixed_sentence_is_carried_once():
    figure = Explorer(density, x=X, sliders={"epsilon": [1, 2], "sensitivity": [1, 2]}, title="t", alt="Two tents, 1 apart.",
                      series={"a tenth": "band"})
    assert data_of(figure.html())["say"] == {"on": [], "t": ["Two tents, \x01 apart."], "a": ["0|1"]}


def test_frames_and_sentences_that_are_equal_are_carried_once():
    """A thousand settings of ten people, of which the counts know eleven."""
    calls = []

    def counted(A):
        calls.append(A)
        return {"in group 1": sum(A)}
    people = People([f"P{i}" for i in range(10)], group=[0] * 10, label=[1] * 10, score=range(10), cut=4)
    figure = Explorer([Panel(counted, name="Count", view="bars"), Panel(lambda e: {"e": e}, name="Epsilon", view="bars")], people=people,
                      sliders={"e": [1, 2, 5]}, title="t", alt=lambda A: f"{sum(A)} are in group 1.")
    data = data_of(figure.html())
    assert len(set(calls)) == len(calls) == 1024, "called once for each list of bits, not for each epsilon"
    assert [panel["f"] for panel in data["P"]] == [11, 3] and len(data["say"]["a"]) == 11
    assert [panel["on"] for panel in data["P"]] == [[0], [1]] and data["say"]["on"] == [0]
    assert_every_frame_is_a_direct_call(figure, data)
    import gzip
    assert len(gzip.compress(json.dumps(data).encode())) < 1500


def test_alt_may_read_the_frame():
    figure = Explorer(lambda x, a: {"s": a * x}, x=X, sliders={"a": [1, 2]}, title="t",
                      alt=lambda frame, a: f"It ends at {frame['s'][-1]:g}.")
    assert figure.sentence(a=2) == "It ends at 12."
    assert repr(figure) == "t. It ends at 6."


def test_the_function_is_called_with_and_without_x():
    def with_x(x, a):
        return {"s": a * x}

    def without(a):
        return {"s": a * X}

    def starred(**values):
        return {"s": values["a"] * X}
    for fn in (with_x, without, starred):
        assert (Explorer(fn, x=X, sliders={"a": [3]}, title="t", alt="a").frame()["s"] == 3 * X).all()


def test_the_start_is_where_the_page_stands():
    figure = FIGURES["lines"]
    html = figure.html()
    assert 'value="1" aria-valuetext="0.5"' in html and 'value="0" aria-valuetext="1"' in html
    assert figure.start == {"epsilon": 0.5, "sensitivity": 1}
    for d in drawing.series_paths(figure._charts[0], figure.frame()):
        assert f'd="{d}"' in html
    html = FIGURES["crowd"].html()
    assert '<input type="radio" name="k1" value="1" data-k="1" checked>' in html and '<input type="checkbox" data-k="2">' in html
    assert html.count('class="dpx-who dpx-is0"') == html.count('class="dpx-who dpx-is1"') == 2


def test_three_sliders_of_ten_with_two_curves_stay_small():
    figure = Explorer(lambda x, a, b, c: {"f": np.exp(-a * np.abs(x)) + b * c, "g": a * np.cos(b * x) + c}, x=np.linspace(0, 5, 60),
                      sliders={k: list(np.linspace(0.1, 1, 10)) for k in "abc"}, title="t",
                      alt=lambda a, b, c: f"a {a:.1f}, b {b:.1f}, c {c:.1f}.")
    import gzip
    html = figure.html().encode()
    assert len(html) < 300_000 and len(gzip.compress(html)) < 60_000, (len(html), len(gzip.compress(html)))


def test_only_what_is_offered_is_computed_and_told():
    calls = []

    def counted(x, **values):
        calls.append(values)
        return {"s": x}
    figure = Explorer(counted, x=X, sliders={"method": ["counts", "loop", "none"], "runs": [1, 2, 5, 10, 20], "held_out": [False, True]},
                      offered=was_run, title="t", alt=lambda **values: f"{values}", start={"method": "loop", "runs": 2})
    data = data_of(figure.html())
    assert len(calls) == len(figure.grid()) == 13 and all(was_run(**values) for values in calls)
    assert_every_frame_is_a_direct_call(figure, data)
    with pytest.raises(ValueError, match=r"values=.*not offered.*grid"):
        figure.frame(method="none")
    with pytest.raises(ValueError, match=r"start=.*this setting is not offered"):
        Explorer(counted, x=X, sliders=figure.sliders, offered=was_run, title="t", alt="a", start={"method": "none"})


def test_the_nearest_setting_that_is_offered_keeps_the_controls_before():
    offered = samples()["some"].offered
    assert offered.nearest((1, 2, 1)) == (1, 1, 0), "5 runs of the loop were not made: 2, not 10; held out neither"
    assert offered.nearest((2, 4, 1)) == (1, 4, 0) and offered.nearest((0, 2, 1)) == (0, 2, 1)
    assert offered.allowed((1, 0, 0), 1) == [1, 3, 4] and offered.allowed((0, 0, 0), 0) == [0, 1]


@given(st.lists(st.tuples(st.integers(300, 3000), st.integers(1, 30)), min_size=1, max_size=8))
@settings(deadline=None, derandomize=True)
def test_names_at_the_ends_of_lines_keep_their_order_and_do_not_overlap(ends):
    """None leaves the picture while all of them fit; one that meets no other and no edge stands where its line ends."""
    wanted, heights = [end for end, _ in ends], [20 * half for _, half in ends]
    middles = spread(wanted, heights, ROOM)
    order = sorted(range(len(ends)), key=lambda i: (wanted[i], i))
    for i, j in itertools.pairwise(order):
        assert middles[j] - middles[i] >= (heights[i] + heights[j]) // 2
    if sum(heights) <= ROOM:
        assert all(middles[i] - heights[i] // 2 >= 0 and middles[i] + heights[i] // 2 <= ROOM for i in order)
    if len(ends) == 1 and heights[0] // 2 <= wanted[0] <= ROOM - heights[0] // 2:
        assert middles == wanted


def test_lines_that_end_far_apart_are_named_where_they_end_and_a_band_in_its_middle():
    figure = Explorer(lambda x, a: {"low": 0 * x + 1, "band": np.stack([0 * x + 4, 0 * x + 6], axis=1), "top": 0 * x + 12 - a}, x=X,
                      sliders={"a": [0, 6]}, y_range=(0, 12), series={"band": "band"}, title="t", alt="a")
    chart = figure._charts[0]
    assert drawing.label_places(chart, figure.frame()) == [(2775, 2775, 2775), (1875, 1875, 1875), (300, 300, 300)]
    end, name, number = zip(*drawing.label_places(chart, figure.frame(a=6)), strict=True)
    assert end == (2775, 1875, 1650) and name[1] - name[2] >= (chart.ends[1] + chart.ends[2]) / 2 and number == (2775, 1650 + NUMBER, 1650)
    assert figure.html().count('class="dpx-body dpx-beside dpx-named"') == 1


def test_what_has_no_ends_to_name_keeps_its_legend():
    """A single series, and a guess, whose end would tell the answer; where the names are too long for all of them, only numbers do."""
    def figure(n, name="s", **more):
        return Explorer(lambda x, a: {f"{name} {i}": x * a * i for i in range(n)}, x=X, sliders={"a": [1, 2]}, title="t", alt="a", **more)
    assert figure(1)._charts[0].ends == figure(3, guess="s 0")._charts[0].ends == () and "dpx-named" not in body(figure(1))
    long = figure(8, "a name that takes three lines of what stands beside")
    assert len(long._charts[0].ends) == 8 and "dpx-named" not in body(long) and body(long).count('<b class="dpx-near"') == 8


def body(figure) -> str:
    """The HTML after the styles."""
    return figure.html().split("</style>", 1)[1]


@given(st.lists(st.integers(-2 ** 52, 2 ** 52)))
@settings(deadline=None, derandomize=True)
def test_packed_numbers_come_back(numbers):
    kept = np.array(numbers, dtype=np.int64)
    assert (decode(schema.encode(kept)) == kept).all()


@given(st.lists(st.lists(st.integers(-10 ** 6, 10 ** 6), min_size=3, max_size=3), min_size=1, max_size=6))
@settings(deadline=None, derandomize=True)
def test_packed_frames_come_back(frames):
    kept = [np.array(f, dtype=np.int64) for f in frames]
    assert all((a == b).all() for a, b in zip(unpack(schema.pack(kept), [3] * len(kept)), kept, strict=True))


def test_smooth_curves_take_about_a_character_a_number():
    x = np.linspace(0, 3, 100)
    kept = [np.rint(1000 * np.sin(a * x)).astype(np.int64) for a in np.linspace(1, 2, 30)]
    assert len(schema.pack(kept)["q"]) < 1.1 * 3000


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e6), st.integers(2, 9))
@settings(deadline=None, derandomize=True)
def test_ticks_are_inside_few_and_read_as_they_stand(low, width, most):
    high = low + width
    found = ticks(low, high, most)
    assert 1 <= len(found) <= most
    for at, text in found:
        assert low - 1e-6 * width <= at <= high + 1e-6 * width
        assert float(text) == pytest.approx(at, rel=1e-9, abs=1e-9 * width)


@pytest.mark.parametrize("low, high", [(-3, 2), (0, 1), (2, 9), (-12, -2), (0.1, 0.9)])
def test_log_ticks_read_as_they_stand(low, high):
    superscript = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    found = log_ticks(low, high, 6)
    assert 2 <= len(found) <= 6
    for at, text in found:
        digit, _, power = text.rpartition("·") if "·" in text else ("1", "", text)
        if re.search("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]", power):
            value = float(digit) * 10.0 ** int(power[2:].translate(superscript))
        else:
            value = float(power.replace(",", ""))
        assert np.log10(value) == pytest.approx(at)


def test_a_flat_curve_and_a_tiny_one_have_an_axis():
    for values in (np.zeros(3), np.full(3, 7.0), np.array([0, 1e-20]), np.array([-1e-9, 1e-9])):
        axis = Axis.over(values)
        assert axis.low < axis.high and axis.low <= values.min() and values.max() <= axis.high
        assert np.abs(axis.keep(values) / 10 ** axis.decimals - values).max() <= 0.5 / 10 ** axis.decimals * (1 + 1e-9)


@pytest.mark.parametrize("value, text", [(1234567.0, "1234567"), (0.1 + 0.2, "0.30000000000000004"), (1e21, "1e+21"), (-1.5e-7, "-1.5e-7")])
def test_numbers_are_written_as_a_browser_writes_them(value, text):
    assert brief(value) == text


def test_any_name_serves_for_a_slider():
    figure = Explorer(lambda x, **values: {"line": np.asarray(x) * values["self"]}, x=[0.0, 1.0], sliders={"self": [1, 2]}, title="t",
                      alt=lambda **values: f"slope {values['self']}")
    assert figure.frame(self=2)["line"].tolist() == [0, 2] and figure.sentence(self=2) == "slope 2"
    assert "slope 2" in figure.still(self=2)
