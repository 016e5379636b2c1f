"""What the frames of a panel have in common: axes over all of them, series, names."""
from __future__ import annotations

from typing import Any

import numpy as np

from .._checks import refuse
from . import drawing, views
from .axes import Axis
from .drawing import Chart
from .ends import heights
from .panel import Panel

__all__: list[str] = []

TIGHT = 1e-9

def chart_of(panel: Panel, frames: list, start: Any) -> Chart:
    """The chart of a panel; ``start`` is the frame at which the figure stands first."""
    common: dict[str, Any] = {"view": panel.view, "x_label": panel.x_label, "y_label": panel.y_label, "digits": panel.digits}
    if panel.view == "table":
        place = {row: i for i, row in enumerate(frames[0].rows)}
        return Chart(**common, x=None, y=None, start=start, compare=tuple((place[a], place[b]) for a, b in panel.compare.items()))
    if panel.view == "bars":
        numbers = np.concatenate([v for f in frames for v in f.values()])
        kinds = tuple((name, "bar") for name in frames[0])
        slots = colours(panel, dict(kinds)) if panel.colors else (0,) * len(kinds)
        over = None if panel.log_x or panel.x_range else (min(0.0, float(numbers.min())), float(numbers.max()) or 1.0)
        return Chart(**common | {"y": None}, x=Axis.over(numbers, log=panel.log_x, given=panel.x_range or over), series=kinds, slots=slots)
    return curves(panel, frames, common)


def curves(panel: Panel, frames: list, common: dict) -> Chart:
    """The chart of lines or points on two axes."""
    kinds = tuple((name, panel.series.get(name, views.KINDS[panel.view][0])) for name in frames[0])
    lines = panel.view == "lines"
    if lines:
        all_x, all_y = panel.x, np.concatenate([v.ravel() for f in frames for v in f.values()])
    else:
        all_x, all_y = (np.concatenate([v[:, i] for f in frames for v in f.values()]) for i in (0, 1))
    x_range, y_range = panel.x_range, panel.y_range
    if lines and x_range is None:
        x_range = (float(panel.x[0]), float(panel.x[-1]))
    if panel.view == "roc":
        x_range, y_range = x_range or (-0.02, 1.02), y_range or (-0.02, 1.02)
        common["x_label"], common["y_label"] = panel.x_label or "false positive rate", panel.y_label or "true positive rate"
    x = Axis.over(all_x, log=panel.log_x, given=x_range)
    y = Axis.over(all_y, log=panel.log_y, given=y_range)
    outside = any(s.min(initial=a.low) < a.low - TIGHT or s.max(initial=a.high) > a.high + TIGHT
                  for a, v in ((x, all_x), (y, all_y)) for s in [np.log10(v) if a.log else v])
    common |= {"x": x, "y": y, "series": kinds, "slots": colours(panel, dict(kinds)), "clip": bool(outside)}
    if not lines:
        return Chart(**common)
    said = tuple(x.says(panel.x[i]) for i in drawing.shown_rows(len(panel.x)))
    # of a guess the end would tell the answer
    ends = heights(kinds) if len(kinds) > 1 and not panel.guess else ()
    return Chart(**common, at=x.keep(panel.x), exact=tuple(panel.x.tolist()), said=said, ends=ends)


def colours(panel: Panel, kinds: dict[str, str]) -> tuple[int, ...]:
    """The place of each series among colours, dashes and markers: its own, in order, or that of the series it is to look like."""
    own = {name: i for i, name in enumerate(name for name in kinds if name not in panel.colors)}
    taken = {(slot, kinds[name]) for name, slot in own.items()}
    for name, like in panel.colors.items():
        if (own[like], kinds[name]) in taken and panel.view != "bars":
            refuse(f"colors[{name!r}]", like, f"another series of kind {kinds[name]!r} has that colour: nothing would tell them apart",
                   "Share a colour between different kinds.")
        taken.add((own[like], kinds[name]))
    return tuple(own[panel.colors.get(name, name)] for name in kinds)
