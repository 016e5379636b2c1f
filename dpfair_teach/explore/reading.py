"""What can be read off a picture, as ``player/reading.js`` has it, for the live figure: what it says, and where it lies."""
from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import Chart
from .over import Spot

__all__: list[str] = []

HINT = "Point at it to read values."


def spots(chart: Chart, frame: Any) -> list[Spot]:
    """What there is to read in a frame, in the order of the arrow keys; bars and tables show their numbers anyway."""
    if chart.view in ("bars", "table"):
        return []
    width, height = 10 * chart.box[2], 10 * chart.box[3]
    if chart.view == "lines":
        return over_x(chart, frame, width, height)
    points = [(name, a, b) for name, _ in chart.series
              for a, b in zip(chart.x.keep(frame[name][:, 0]).tolist(), chart.y.keep(frame[name][:, 1]).tolist(), strict=True)]
    there: dict[tuple[int, int], dict[str, None]] = {}
    for name, a, b in points:
        there.setdefault((a, b), {})[name] = None
    found = []
    for _, a, b in points:
        x, y = int(chart.x.place(np.float64(a), width)), height - int(chart.y.place(np.float64(b), height))
        where = f"{chart.x_label or 'x'} = {chart.x.text(a)}, {chart.y_label or 'y'} = {chart.y.text(b)}"
        found.append(Spot(x, y, ((x, y),), where, f"{where}: {', '.join(there[a, b])}"))
    return found


def over_x(chart: Chart, frame: Any, width: int, height: int) -> list[Spot]:
    """Of lines: at each x the values of all series."""
    kept = {name: chart.y.keep(frame[name]) for name, _ in chart.series}
    places = {name: height - chart.y.place(values, height) for name, values in kept.items()}
    found = []
    for j, x in enumerate(chart.x.place(chart.at, width).tolist()):
        where = f"{chart.x_label or 'x'} = {chart.x.says(chart.exact[j]) if chart.x.log else chart.x.text(int(chart.at[j]))}"
        each = [f"{name} " + " to ".join(chart.y.text(int(v)) for v in np.atleast_1d(kept[name][j])) for name, _ in chart.series]
        marks = tuple((x, int(places[name][j])) for name, kind in chart.series if kind != "band")
        found.append(Spot(x, None, marks, where, f"{where}: {', '.join(each)}"))
    return found
