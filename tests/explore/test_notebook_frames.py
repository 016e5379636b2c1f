"""Every frame of every interactive figure in the book's notebooks, as a reader has it, against a direct call of its function.

A notebook's cells are run here again, which gives the functions; the numbers come from the committed file. A new chapter is
found by itself: nothing is listed here.
"""
from __future__ import annotations

import ast
import copy
import json
from html import unescape
from pathlib import Path

import nbformat
import numpy as np
import pytest

from dpfair_teach.explore import Explorer, packing
from page_frames import ISLAND, assert_every_frame_is_a_direct_call, frames_of, sentences_of

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
    for cell in notebook.cells:
        if cell.cell_type == "code":
            value = run(cell.source, names)
            texts = [output["data"].get("text/html", "") for output in cell.outputs if "data" in output]
            stored = [json.loads(unescape(island)) for text in texts for island in ISLAND.findall(text)]
            # One that is shown from the middle of a cell would have no partner here: that fails, it is not passed over.
            assert len(stored) == isinstance(value, Explorer), f"end the cell with its one figure:\n{cell.source}"
            found += [(value, data) for data in stored]
    return found


@pytest.fixture(scope="module")
def all_figures() -> list[tuple[Explorer, dict]]:
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DPFAIR_TEACH_DATA", raising=False)
        for path in NOTEBOOKS:
            patch.chdir(path.parent)    # as a kernel does
            found += figures(nbformat.read(path, as_version=4))
    return found


@pytest.mark.slow
def test_every_frame_in_the_notebooks_is_a_direct_call(all_figures):
    for figure, data in all_figures:
        assert data["title"] == figure.title
        assert_every_frame_is_a_direct_call(figure, data)
        told = sentences_of(data)
        told = told * len(figure.grid()) if len(told) == 1 else told
        assert told == [figure.sentence(**values) for values in figure.grid()]
    frames = sum(len(figure.grid()) for figure, _ in all_figures)
    print(f"{len(all_figures)} figures, {frames} frames")
    assert len(all_figures) >= 4


@pytest.mark.slow
def test_one_step_in_one_number_of_any_frame_is_seen(all_figures):
    """The check can fail: the last frame of each figure, its first number moved by one step of what is stored."""
    for figure, data in all_figures:
        frames = frames_of(data)
        spoilt = [frame.copy() for frame in frames]
        spoilt[-1][0] += 1 if figure.view != "table" or spoilt[-1][0] + 1 < len(data["u"]) else -1
        altered = copy.deepcopy(data) | {"p": packing.pack(spoilt)}
        assert not np.array_equal(np.concatenate(frames_of(altered)), np.concatenate(frames))
        with pytest.raises(AssertionError):
            assert_every_frame_is_a_direct_call(figure, altered)
