"""Names at the ends of lines: where in all frames one fits above or below its line and touches nothing.

The reader then need not go to the legend and back. Where a name would lie on a curve, on another name or outside the picture in any
frame, the line has its name in the legend alone.
"""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from .drawing import Chart

__all__: list[str] = []

#: Of a name: units a character takes at most on average, its height, and where its baseline lies from the line.
CHARACTER, HEIGHT, ABOVE, BELOW = 7.4, 15, -7, 18
APART = 4


def with_ends(chart: Chart, frames: list) -> Chart:
    """The chart, with the baseline of each name counted from its line's end, or None where it would collide."""
    lines = [i for i, (_, kind) in enumerate(chart.series) if kind == "line"]
    if chart.view != "lines" or len(lines) < 2:
        return chart
    heights = np.array([[curve_heights(chart, frame[name], kind) for name, kind in chart.series] for frame in frames])
    ends: list[int | None] = [None] * len(chart.series)
    taken: list[np.ndarray] = []
    for i in lines:
        for offset in (ABOVE, BELOW):
            tops = heights[:, i, -1] + offset - HEIGHT + 3
            if fits(chart, heights, tops, chart.series[i][0]) and all((np.abs(tops - other) >= HEIGHT).all() for other in taken):
                ends[i] = offset
                taken.append(tops)
                break
    return replace(chart, ends=tuple(ends))


def curve_heights(chart: Chart, values: np.ndarray, kind: str) -> np.ndarray:
    """How far below the top of the drawing area a curve lies at each x, in units; a band is no obstacle."""
    if kind == "band":
        return np.full(len(values), np.nan)
    return chart.box[3] - chart.y.place(chart.y.keep(values), 10 * chart.box[3]) / 10


def fits(chart: Chart, heights: np.ndarray, tops: np.ndarray, name: str) -> bool:
    """Whether a name whose box has its top at ``tops``, frame by frame, lies inside and on no curve."""
    width = CHARACTER * len(name)
    if width > chart.box[2] / 2 or (tops < 0).any() or (tops + HEIGHT > chart.box[3]).any():
        return False
    at = chart.x.place(chart.at, 10 * chart.box[2]) / 10
    first = max(int(np.searchsorted(at, chart.box[2] - width - APART)) - 1, 0)     # the piece that begins before the name counts
    low, high = np.fmin(heights[:, :, first:-1], heights[:, :, first + 1:]), np.fmax(heights[:, :, first:-1], heights[:, :, first + 1:])
    touches = (high > tops[:, None, None] - 1) & (low < tops[:, None, None] + HEIGHT + 1)
    return not touches.any()
