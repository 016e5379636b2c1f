"""What a figure's function may return, for each kind of figure, brought into one form.

``canonical`` turns one result into a frame: a dict of named arrays (``lines``, ``roc``, ``pareto``, ``bars``) or a ``TableFrame``. Whatever
does not fit raises a ``ValueError`` that names the slider values of the frame.
"""
from __future__ import annotations

import sys
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from .arguments import writable

__all__: list[str] = []

View = Literal["lines", "roc", "pareto", "bars", "table"]
VIEWS: tuple[View, ...] = get_args(View)
#: The kinds of series each view draws; the first is the default.
KINDS: dict[View, tuple[str, ...]] = {
    "lines": ("line", "points", "band"), "roc": ("points", "line", "polygon", "circles", "squares", "segments"),
    "pareto": ("points", "line", "polygon", "circles", "squares", "segments"), "bars": (), "table": ()}
#: What is drawn at each point, instead of through them.
DOTS = ("points", "circles", "squares")
MOST_SERIES = 8
MOST_CELLS = 625        # of a table, and
MOST_POINTS = 2500      # of all series of a frame: the player redraws them within a millisecond
LARGEST = 1e12          # on a linear axis


@dataclass(frozen=True)
class TableFrame:
    """A table of numbers or short texts."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: np.ndarray
    corner: str = ""


def canonical(result: Any, view: View, what: str, *, x: Any, kinds: dict[str, str]) -> Any:
    """One result of ``fn`` as a frame of ``view``; ``what`` names the function and the slider values in an error."""
    def wrong(why: str, remedy: str) -> None:
        raise ValueError(f"{what}: {why}. {remedy}")

    if view == "table":
        return table(result, wrong)
    if not isinstance(result, dict) or not result or not all(isinstance(name, str) and name.strip() and writable(name) for name in result):
        wrong(f"returned {type(result).__name__}, not a dict from names to arrays", 'Return {"name": array, ...}.')
    if len(result) > MOST_SERIES:
        wrong(f"{len(result)} series, at most {MOST_SERIES} can be told apart", "Return fewer.")
    frame = {}
    for name, values in result.items():
        values = numbers(values, f"series {name!r}", wrong)
        if view == "bars":
            if values.size != 1:
                wrong(f"bar {name!r} has shape {values.shape}, not one number", "Return one number a name.")
            values = values.reshape(1)
        elif view == "lines":
            want = (len(x), 2) if kinds.get(name) == "band" else (len(x),)
            if values.shape != want:
                wrong(f"series {name!r} has shape {values.shape}, not {want}", "Return one value (a band: low and high) for each x.")
        elif values.size == 0:
            values = np.empty((0, 2))
        elif values.ndim != 2 or values.shape[1] != 2:
            wrong(f"series {name!r} has shape {values.shape}, not (n, 2)", "Return one row (x, y) for each point.")
        elif kinds.get(name) == "segments" and len(values) % 2:
            wrong(f"series {name!r} has {len(values)} points, and every two make a segment", "Return both ends of each.")
        frame[name] = values
    if sum(map(len, frame.values())) > MOST_POINTS:
        wrong(f"{sum(map(len, frame.values())):,} points, more than {MOST_POINTS:,}", "Give fewer points a curve.")
    return frame


def numbers(values: Any, what: str, wrong: Any) -> np.ndarray:
    """Finite floats, or the complaint."""
    try:
        array = np.asarray(values)
        array = array.astype(float, casting="same_kind" if array.dtype.kind in "biufc" else "unsafe")
    except (TypeError, ValueError, OverflowError):
        wrong(f"{what} is not numeric", "Return numbers.")
    if not np.isfinite(array).all():
        wrong(f"{what} holds NaN or infinity", "Return a finite number everywhere, or leave that slider value out of the grid.")
    return array


def table(result: Any, wrong: Any) -> TableFrame:
    """A pandas table, or ``{"rows": names, "columns": names, "values": cells}``."""
    pandas = sys.modules.get("pandas")      # whoever returns its table has imported it
    if pandas is not None and isinstance(result, pandas.DataFrame):
        corner = str(result.index.name or result.columns.name or "")
        rows, columns, values = map(label, result.index), map(label, result.columns), result.to_numpy(dtype=object)
    elif isinstance(result, dict) and {"rows", "columns", "values"} <= set(result):
        corner = str(result.get("corner", ""))
        try:
            rows, columns = map(label, result["rows"]), map(label, result["columns"])
            values = np.array([list(row) for row in result["values"]], dtype=object)
        except (TypeError, ValueError):
            wrong("rows, columns or values of the table are no lists", "Return lists of names and a list of rows.")
    else:
        wrong(f"returned {type(result).__name__}, not a table",
              'Return a pandas DataFrame or {"rows": ..., "columns": ..., "values": ...}.')
    found = TableFrame(tuple(rows), tuple(columns), values, corner)
    if not all(map(writable, (*found.rows, *found.columns, corner))):
        wrong("a row or column name holds a control character", "Leave it out.")
    if values.ndim != 2 or values.shape != (len(found.rows), len(found.columns)) or not values.size:
        wrong(f"cells of shape {values.shape} under {len(found.rows)} rows and {len(found.columns)} columns",
              "Give each row one cell a column.")
    if values.size > MOST_CELLS:
        wrong(f"{values.size:,} cells, more than {MOST_CELLS}", "Show fewer rows or columns.")
    for value in values.ravel():
        if isinstance(value, str) and writable(value):
            continue
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not np.isfinite(float(value)):
            wrong(f"a cell holds {value!r}", "Cells are finite numbers or short texts.")
    return found


def label(name: Any) -> str:
    """A row or column name; the parts of a pandas MultiIndex in one line."""
    return ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def key(frame: Any) -> Any:
    """The same for two frames of one view that are equal to the last bit, and for those only."""
    if isinstance(frame, TableFrame):
        return frame.rows, frame.columns, tuple(map(repr, frame.values.ravel()))
    return tuple((name, part.shape, part.tobytes()) for name, part in frame.items())


def size(frame: Any) -> int:
    """How many numbers or cells a frame holds."""
    return frame.values.size if isinstance(frame, TableFrame) else sum(part.size for part in frame.values())


def same_shape(first: Any, frame: Any, where: str) -> None:
    """All frames of a figure have the same series, rows and columns: only the numbers move."""
    def shape(f: Any) -> Any:
        return (f.rows, f.columns) if isinstance(f, TableFrame) else tuple(f)
    if shape(first) != shape(frame):
        raise ValueError(f"fn at {where}: returned {shape(frame)}, but {shape(first)} at the first frame. "
                         "Return the same series, rows and columns at every slider value.")
