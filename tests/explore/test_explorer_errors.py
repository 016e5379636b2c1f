"""Bad arguments and bad results: a ``ValueError`` that says which, what, and what to do."""
from __future__ import annotations

import inspect
import re

import numpy as np
import pandas as pd
import pytest

from dpfair_teach.explore import Explorer, Panel, People
from dpfair_teach.mechanisms import laplace

X = [0.0, 1.0, 2.0]


def good(x, a):
    return {"s": a * np.asarray(x)}


def make(**changes):
    x = {} if isinstance(changes.get("fn"), list) else {"x": X}
    return Explorer(**x | {"fn": good, "sliders": {"a": [1, 2]}, "title": "t", "alt": "says", **changes})


@pytest.mark.parametrize("changes, names", [
    ({"fn": 3}, "fn=3"), ({"fn": None}, "fn=None"),
    ({"sliders": {}}, "sliders"), ({"sliders": None}, "sliders"), ({"sliders": {"a": []}}, r"sliders\['a'\]"),
    ({"sliders": {"a": "abc"}}, r"sliders\['a'\]"), ({"sliders": {"a": [1, np.nan]}}, r"sliders\['a'\]"),
    ({"sliders": {"a": [1, True]}}, r"sliders\['a'\]"), ({"sliders": {"a": [1, 1.0]}}, "two values read the same"),
    ({"sliders": {"a": [[1], [2, 3]]}}, r"sliders\['a'\]"), ({"sliders": {"a": np.ones((2, 2))}}, r"sliders\['a'\]"),
    ({"sliders": {"not a name": [1]}}, "sliders"), ({"sliders": {3: [1]}}, "sliders"),
    ({"sliders": {"a": range(100), "b": range(90)}}, "9,000 frames.*Coarsen"),
    ({"title": ""}, "title"), ({"title": None}, "title"), ({"title": "bell \x07"}, "title"), ({"alt": ""}, "alt"), ({"alt": 5}, "alt"),
    ({"question": 5}, "question"), ({"x_label": None}, "x_label"),
    ({"view": "pie"}, "view='pie'.*'table'"), ({"view": None}, "view"),
    ({"x": None}, "x=None.*increasing"), ({"x": [1, 1]}, "x=.*increasing"), ({"x": [1]}, "x="), ({"x": [[1, 2]]}, "x="),
    ({"x": ["a", "b"]}, "x="), ({"x": [0, np.inf]}, "x="), ({"log_x": True}, "x=0.0.*log_x"),
    ({"log_x": 1}, "log_x"), ({"log_y": "yes"}, "log_y"), ({"y_range": (1, 1)}, "y_range"), ({"y_range": 3}, "y_range"),
    ({"y_range": (0, 1), "log_y": True}, "y_range.*positive"), ({"view": "table", "x": None, "digits": 9}, "digits=9"),
    ({"view": "table", "x": None, "digits": 1.5}, "digits=1.5: not"),
    ({"series": {"s": "pie"}}, r"series\['s'\]='pie'"), ({"series": [1]}, "series"), ({"labels": {"b": "x"}}, "labels='b'"),
    ({"labels": {"a": 3}}, r"labels\['a'\]"), ({"start": {"a": 3}}, r"start\['a'\]=3.*1, 2"), ({"start": {"b": 1}}, "start='b'"),
    ({"start": 1}, "start"), ({"start": {"a": [1]}}, r"start\['a'\]"), ({"view": "table", "x": None, "series": {"s": "line"}}, "series"),
    ({"view": "roc", "x": None, "log_x": True}, 'log_x=True: is read by view "lines" or "pareto", and not by view "roc"'),
    ({"view": "table", "x": None, "y_range": (0, 1)}, "y_range=.*: is read by view"),
    ({"view": "table", "x": None, "x_label": "x"}, "x_label='x': is read by .*Leave x_label out"),
    ({"digits": 2}, r'^digits=2: is read by view "table", and not by view "lines"\. Leave digits out, or choose view "table"\.$'),
    ({"colors": [1]}, "colors"), ({"colors": {"s": 3}}, r"colors\['s'\]=3"), ({"colors": {"s": "s"}}, r"colors\['s'\]='s'"),
    ({"colors": {"s": "t", "t": "u"}}, r"colors\['s'\]='t'"), ({"view": "table", "x": None, "colors": {"s": "t"}}, "colors"),
])
def test_a_bad_argument_is_named_when_the_figure_is_made(changes, names):
    with pytest.raises(ValueError, match=names):
        make(**changes)


def people(**changes):
    return People(**{"names": ["Ada", "Ben"], "group": [0, 1], "label": [1, 1], "score": [1, 2], "cut": 1.5, **changes})


@pytest.mark.parametrize("changes, names", [
    ({"names": ["Ada"]}, "names=.*2 to 10"), ({"names": [f"P{i}" for i in range(11)]}, "names=.*1,024"), ({"names": "AB"}, "names="),
    ({"names": ["Ada", "Ada"]}, "names=.*two people of one name"), ({"names": ["Ada", ""]}, r"names\[1\]"),
    ({"names": ["Ada", "Bartholomew"]}, r"names\[1\]='Bartholomew'.*Shorten"), ({"group": [0, 2]}, "group=.*"), ({"group": [0]}, "group="),
    ({"group": [0, 0.5]}, "group=.*0 or 1"), ({"label": [1]}, "label="), ({"score": [1, np.nan]}, "score="), ({"cut": None}, "cut=None"),
    ({"words": {"group": "AB"}}, "words="), ({"words": {"size": ("a", "b")}}, "words="),
    ({"words": {"group": ("a", "")}}, r"words\['group'\]"),
])
def test_bad_people_are_named(changes, names):
    with pytest.raises(ValueError, match=names):
        people(**changes)


def panel(name="one", fn=lambda a: {"s": a}, **changes):
    return Panel(fn, **{"name": name, "view": "bars", **changes})


@pytest.mark.parametrize("changes, names", [
    ({"fn": []}, r"fn=\[\]: neither"), ({"fn": [panel(), 3]}, "neither a function nor"), ({"fn": [panel(), []]}, "neither a function nor"),
    ({"fn": [panel(), panel()]}, "two of one name"), ({"fn": [panel(""), panel()]}, "without a name"),
    ({"fn": [panel(), panel("two")], "x": X}, "x=.*Give x to the Panel"), ({"fn": [panel()], "digits": 2}, "digits=2"),
    ({"fn": [panel(), panel("two")], "sliders": {"a": [1], "b": [1]}}, "sliders='b': no panel"),
    ({"people": 3}, "people=3"), ({"people": people(), "sliders": {"A": [1, 2]}}, "sliders='A'.*another"),
    ({"people": people(), "sliders": [1]}, "sliders"),
    ({"people": people(), "start": {"A": [0, 2]}}, r"start\['A'\]"), ({"people": people(), "labels": {"A": "who"}}, "labels='A'"),
    ({"offered": 3}, "offered=3"), ({"offered": lambda a: False}, "offered=.*no setting"), ({"offered": lambda a: 1}, "offered at a = 1"),
    ({"offered": lambda b: True}, "offered at a = 1: raised TypeError"),
    ({"people": people(), "offered": lambda a: True}, "offered=.*people"),
    ({"play": "b"}, "play='b'.*none"), ({"play": "a"}, "play='a'.*three numbers"),
    ({"play": None}, "play=None: not a text. Give play as a str, or leave it out"),
    ({"guess": 3}, "guess=3"), ({"guess": "s", "series": {"s": "band"}}, "guess='s'.*draw or place"),
    ({"guess": "s", "x": None, "view": "table"}, "guess='s'"), ({"compare": {"a": "b"}}, "compare=.*: is read by view .table., and not"),
    ({"fn": [panel(guess="s"), panel("two", guess="s")]}, "guess=.*two panels"),
    ({"sliders": {"a": [True]}}, r"sliders\['a'\].*checkbox"), ({"sliders": {"a": [True, "no"]}}, "read the same|checkbox"),
    ({"sliders": {"a": [False, True]}, "start": {"a": "yes"}}, r"start\['a'\]='yes': not on that slider's grid\. Choose one of False, T"),
    ({"sliders": {"a": [str(i) for i in range(25)]}}, "25 values.*side by side"), ({"start": {"a": True}}, r"start\['a'\]=True"),
])
def test_bad_panels_people_and_controls_are_named(changes, names):
    with pytest.raises(ValueError, match=names):
        make(**changes)


def test_a_bad_frame_of_a_panel_names_the_panel():
    with pytest.raises(ValueError, match=r"fn of panel 'two' at a = 2: bar 's' has shape \(3,\), not one number"):
        Explorer([panel(), panel("two", lambda a: {"s": 1 if a == 1 else X})], sliders={"a": [1, 2]}, title="t", alt="says").html()
    with pytest.raises(ValueError, match=r"share=2"):
        panel(share=2)


def test_a_guess_or_a_comparison_that_fn_does_not_return_is_named():
    with pytest.raises(ValueError, match=r"guess='t': fn at a = 1 returned no such series\. It returned s\."):
        make(guess="t").html()
    with pytest.raises(ValueError, match="guess='s': fn at a = 1 returned 2 points"):
        make(fn=lambda a: {"s": [[0, 0], [1, 1]]}, x=None, view="pareto", guess="s").html()
    with pytest.raises(ValueError, match=r"compare='E': fn at a = 1 returned no such row\. It returned D\."):
        make(fn=lambda a: {"rows": ["D"], "columns": ["c"], "values": [[1]]}, x=None, view="table", compare={"D": "E"}).html()


def at_two(bad):
    """A function that is fine at a = 1 and returns ``bad`` at a = 2."""
    return lambda x, a: good(x, a) if a == 1 else bad


@pytest.mark.parametrize("bad, why", [
    (None, "NoneType, not a dict"), ([1, 2, 3], "list, not a dict"), ({}, "dict"), ({"s": [1, 2]}, r"shape \(2,\), not \(3,\)"),
    ({"s": [1, 2, np.nan]}, "'s' holds NaN"), ({"s": [1, 2, np.inf]}, "infinity"), ({"s": "abc"}, "not numeric"),
    ({"s": [1, 2, 1j]}, "not numeric"),
    ({"s": [1, 2, 10 ** 400]}, "not numeric"), ({"s": [1, 2, 1e13]}, "beyond 1e.12.*log_y"), ({"t": [1, 2, 3]}, "same series"),
    ({"bell\x07": X}, "dict from names"), ({f"s{i}": X for i in range(9)}, "9 series, at most 8"),
])
def test_a_bad_frame_is_named_by_its_slider_values(bad, why):
    with pytest.raises(ValueError, match=f"fn at a = 2: .*{why}"):
        make(fn=at_two(bad)).html()


def test_an_error_inside_fn_says_where():
    with pytest.raises(ValueError, match=r"fn at a = 1: raised ZeroDivisionError: .*leave that slider value out"):
        make(fn=lambda x, a: 1 / 0).frame()
    with pytest.raises(ValueError, match="fn at a = 1: raised TypeError"):
        make(fn=lambda wrong: 1).frame()


@pytest.mark.parametrize("fn, changes, said", [
    (lambda a, x: good(x, a), {}, r"Define it as fn\(x, a\): x first, and each control by its name\."),
    (lambda x, b: good(x, b), {}, r"Define it as fn\(x, a\)"),
    (lambda: {"s": 1}, {"view": "bars", "x": None}, r"Define it as fn\(a\): each control by its name\."),
    (lambda a: {"s": 1 + None}, {"view": "bars", "x": None}, "Make fn work there, or leave that slider value out of the grid"),
])
def test_a_fn_with_other_arguments_is_told_which(fn, changes, said):
    with pytest.raises(ValueError, match=rf"^fn at a = 1: raised TypeError: .*{said}"):
        make(fn=fn, **changes).frame()


def broken(x, a):
    raise ValueError


def test_an_error_inside_fn_is_told_once():
    """The library's own refusal stands in our message, with one stop at its end; a reader's own error keeps its traceback."""
    with pytest.raises(ValueError, match=r"fn at a = 1: raised ValueError: epsilon=-1[^.]*\. [^.]*\. Make fn work there") as refused:
        make(fn=lambda x, a: laplace(0.0, 1.0, -a, np.random.default_rng(0))).frame()
    assert refused.value.__cause__ is None and refused.value.__suppress_context__
    with pytest.raises(ValueError, match=r"fn at a = 1: raised ValueError\. Make fn") as empty:
        make(fn=broken).frame()
    assert isinstance(empty.value.__cause__, ValueError)


@pytest.mark.parametrize("alt, why", [(lambda a: "", "alt at a = 1: returned ''"), (lambda a: 3, "alt at a = 1: returned 3"),
                                      (lambda a: "a\x01b", "alt at a = 1: returned"),
                                      (lambda b: "x", "alt at a = 1: raised TypeError"),
                                      (lambda a: 1 / 0, "alt at a = 1: raised ZeroDivisionError")])
def test_a_bad_sentence_is_named(alt, why):
    with pytest.raises(ValueError, match=why):
        make(alt=alt).html()


@pytest.mark.parametrize("view, bad, why", [
    ("roc", {"s": [1, 2]}, r"shape \(2,\), not \(n, 2\)"), ("pareto", {"s": [[1, 2, 3]]}, r"not \(n, 2\)"),
    ("table", [[1, 2]], "not a table"), ("table", pd.DataFrame(np.ones((40, 40))), "1,600 cells"),
    ("table", pd.DataFrame({"a": [1, np.nan]}), "a cell holds nan"), ("table", pd.DataFrame({"a": [None]}), "a cell holds None"),
    ("table", pd.DataFrame({"a": [1j]}), "a cell holds"), ("table", pd.DataFrame({"a\x00": [1]}), "control character"),
    ("table", pd.DataFrame(), "cells of shape"),
    ("table", {"rows": ["a"], "columns": ["b"], "values": [[1, 2]]}, "cells of shape"),
    ("table", {"rows": 1, "columns": 2, "values": 3}, "no lists"),
])
def test_each_view_refuses_what_it_cannot_draw(view, bad, why):
    with pytest.raises(ValueError, match=f"fn at a = 1: .*{why}"):
        Explorer(lambda a: bad, sliders={"a": [1]}, title="t", alt="says", view=view).html()


def test_segments_have_two_ends():
    with pytest.raises(ValueError, match="fn at a = 1: series 's' has 3 points, and every two make a segment"):
        Explorer(lambda a: {"s": np.zeros((3, 2))}, sliders={"a": [1]}, title="t", alt="says", view="roc", series={"s": "segments"}).html()


def test_a_log_axis_refuses_zero():
    with pytest.raises(ValueError, match="fn at a = 1: 0 or a negative number on a logarithmic y axis"):
        make(log_y=True).html()


def test_a_series_that_never_comes_is_named():
    with pytest.raises(ValueError, match=r"series='other': fn at a = 1 returned no such series. It returned s."):
        make(series={"other": "points"}).html()


def test_a_colour_of_a_series_that_never_comes_is_named():
    with pytest.raises(ValueError, match=r"colors='nobody'.*returned no such series"):
        make(colors={"s": "nobody"}).html()


def test_two_lines_may_not_share_a_colour():
    figure = make(fn=lambda x, a: {"s": np.asarray(x), "t": a * np.asarray(x)}, colors={"t": "s"})
    with pytest.raises(ValueError, match=r"colors\['t'\]='s'.*tell them apart"):
        figure.html()


def test_too_much_data_is_refused_with_a_way_out():
    rng = np.random.default_rng(0)
    noisy = Explorer(lambda x, a: {"s": rng.normal(size=2000)}, x=np.arange(2000.0), sliders={"a": range(150)}, title="t", alt="says")
    with pytest.raises(ValueError, match=r"sliders=150: .*characters of a page.*smooth Monte-Carlo noise"):
        noisy.html()
    with pytest.raises(ValueError, match="2,501 points"):
        make(fn=lambda x, a: {"s": x}, x=np.arange(2501.0)).html()


@pytest.mark.parametrize("values, names", [({"a": 3}, r"values\['a'\]=3"), ({"b": 1}, "values='b'"), ({"a": "1"}, r"values\['a'\]"),
                                           ({"a": None}, r"values\['a'\]")])
def test_frame_takes_only_what_is_on_the_grid(values, names):
    for ask in (make().frame, make().still, make().sentence):
        with pytest.raises(ValueError, match=names):
            ask(**values)


#: Each view with a function that it draws; and another value for every option that describes a picture.
PICTURES = {
    "lines": dict(fn=lambda x, a: {"s": a * np.asarray(x), "t": a + np.asarray(x)}, x=[1.0, 2.0, 3.0], series={"t": "points"}),
    "roc": dict(fn=lambda a: {"s": [[.1 * a, .3]], "t": [[.2, .3 * a], [.3, .1]]}, series={"t": "line"}),
    "pareto": dict(fn=lambda a: {"s": [[.1 * a, .3]], "t": [[.2, .3 * a], [.3, .1]]}, series={"t": "line"}),
    "bars": dict(fn=lambda a: {"s": .12345 * a, "t": 2.0, "u": 1.0}),
    "table": dict(fn=lambda a: {"rows": ["D", "E"], "columns": ["c"], "values": [[.12345 * a], [2]]}),
}
OTHERS = dict(x=[1.0, 2.0, 4.0], series={"s": "line"}, x_label="wide", y_label="high", log_x=True, log_y=True, x_range=(.01, 9.0),
              y_range=(.01, 9.0), digits=1, colors={"t": "s"}, compare={"E": "D"}, guess="s")


@pytest.mark.parametrize("view", PICTURES)
def test_an_option_changes_the_picture_or_is_refused(view):
    assert set(OTHERS) == set(inspect.signature(Panel).parameters) - {"fn", "name", "view", "share"}
    usual = dict(sliders={"a": [1, 2, 3]}, title="t", alt="says", view=view, **PICTURES[view])
    plain = Explorer(**usual).html()
    for option, value in OTHERS.items():
        try:
            assert Explorer(**usual | {option: value}).html() != plain, option
        except ValueError as refused:
            assert re.match(rf"{option}=.*: (is read by|nothing that a reader could draw or place)", str(refused)), str(refused)
