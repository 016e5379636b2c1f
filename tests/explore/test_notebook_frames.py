"""Every frame of every interactive figure in the book's notebooks, as a reader has it, against a direct call of its function.

A notebook's cells are run here again, which gives the functions; the numbers come from the committed file. A new chapter is
found by itself: nothing is listed here.
"""
from __future__ import annotations

import ast
import copy
import functools
import json
from html import unescape
from pathlib import Path

import nbformat
import numpy as np
import pytest

from dpfair_teach.explore import Explorer, schema
from page_frames import ISLAND, assert_every_frame_is_a_direct_call, decode, frames_of, sentences_of, unpack

NOTEBOOKS = sorted((Path(__file__).parents[2] / "book" / "notebooks").glob("*.ipynb"))


def run(source: str, names: dict) -> object:
    """Run a cell as a kernel does; returns the value that it shows."""
    lines = [line for line in source.splitlines() if not line.startswith("%")]
    tree = ast.parse("\n".join(lines))
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return last and eval(compile(last, "cell", "eval"), names)


def figures(notebook: nbformat.NotebookNode) -> list[tuple[Explorer, dict]]:
    """Each interactive figure and the data that the notebook holds of it."""
    names: dict = {"__name__": "__main__", "display": lambda *shown: None}      # a kernel has display
    found = []
    cells = [(cell, [data for output in cell.outputs if "data" in output for data in islands(output["data"].get("text/html", ""))])
             for cell in notebook.cells if cell.cell_type == "code"]
    while cells and not cells[-1][1]:       # what comes after the last figure makes none
        cells.pop()
    for cell, stored in cells:
        value = run(cell.source, names)
        # One that is shown from the middle of a cell would have no partner here: that fails, it is not passed over.
        assert len(stored) == isinstance(value, Explorer), f"end the cell with its one figure:\n{cell.source}"
        found += [(value, data) for data in stored]
    return found


def asked_once(fn):
    """A panel's function, which computes each setting once: the checks below ask for each four times."""
    found = {}

    @functools.wraps(fn)
    def ask(*x, **values):
        key = tuple(values.items())
        if key not in found:
            found[key] = fn(*x, **values)
        return copy.deepcopy(found[key])
    return ask


def same(old: object, new: object, where: str) -> None:
    """The figure's data as stored and as made now: one unit of what is stored may differ between machines."""
    if isinstance(old, dict) and isinstance(new, dict):
        assert old.keys() == new.keys(), where
        if "q" in old:
            before, now = decode(old["q"]), decode(new["q"])
            assert before.shape == now.shape, where
            # A unit more here and less there shows up as up to 2 ** order times as much in a difference of that order.
            assert np.abs(before - now).max(initial=0) <= 2 ** (int(old.get("o", 0)) + int(old.get("m", 0)) + 1), where
            return
        for key in old:
            same(old[key], new[key], f"{where}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        assert len(old) == len(new), where
        for number, pair in enumerate(zip(old, new, strict=True)):
            same(*pair, f"{where}[{number}]")
    elif isinstance(old, float) or isinstance(new, float):
        assert old == pytest.approx(new, rel=1e-3, abs=1e-6), where
    else:
        assert old == new, where


def islands(html: str) -> list[dict]:
    return [json.loads(unescape(island)) for island in ISLAND.findall(html)]


def test_there_are_figures():
    assert sum(path.read_text(encoding="utf-8").count("dpx-data") for path in NOTEBOOKS) >= 4


@pytest.fixture(scope="module")
def stored() -> dict[str, dict]:
    """What the notebooks hold of each figure, by its title."""
    return {data["title"]: data for path in NOTEBOOKS for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"
            for output in cell.outputs if "data" in output for data in islands(output["data"].get("text/html", ""))}


def test_what_a_picture_of_a_chapter_joins_compares_and_offers(stored):
    """Eleven cuts are no curve; a neighbour is compared with its own data, not with the sliders' start; only what was run is offered."""
    assert {one["kind"] for one in stored["What each threshold pays"]["P"][0]["S"]} == {"points"}
    assert stored["The best mixtures on D and D'"]["P"][0]["rows"] == {"1": 0, "3": 2}
    left = stored["The left panel, by method, epsilon and rule"]
    assert len(unpack(left["o"], [])[0]) == 148 < np.prod(left["n"])


def test_every_axis_of_a_curve_has_a_name(stored):
    nameless = [title for title, data in stored.items() for panel in data["P"] if panel.get("xl") == "x" or panel.get("yl") == "y"]
    assert len(stored) > 30 and not nameless


@pytest.mark.turning(7)
@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_frame_in_the_notebook_is_a_direct_call(path, monkeypatch):
    """Of each figure: every frame and sentence, all else that the player is handed; and that one step in one number would be seen."""
    monkeypatch.delenv("DPFAIR_TEACH_DATA", raising=False)
    monkeypatch.chdir(path.parent)      # as a kernel does
    for number, (figure, data) in enumerate(figures(nbformat.read(path, as_version=4)), start=1):
        assert data["title"] == figure.title
        for panel in figure.panels:
            object.__setattr__(panel, "fn", asked_once(panel.fn))
        assert_every_frame_is_a_direct_call(figure, data)
        assert sentences_of(figure, data) == [figure.sentence(**values) for values in figure.grid()]
        same(data, *islands(figure.html()), f"{path.stem}, figure {number}")
        # The check can fail: the last frame, its first number moved by one step of what is stored.
        altered = copy.deepcopy(data)
        held = altered["P"][-1]
        frames = frames_of(held)
        spoilt = [frame.copy() for frame in frames]
        spoilt[-1][0] += 1 if held["view"] != "table" or spoilt[-1][0] + 1 < len(held["u"]) else -1
        held["p"] = schema.pack(spoilt)
        assert not np.array_equal(np.concatenate(frames_of(held)), np.concatenate(frames))
        with pytest.raises(AssertionError):
            assert_every_frame_is_a_direct_call(figure, altered)
