"""What the frames of a panel have in common: axes over all of them, series, colours, and where names stand at the ends of lines."""
from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

import numpy as np

from .._checks import refuse
from . import views
from .axes import Axis
from .panel import Panel
from .views import TableFrame, View

__all__: list[str] = []

TIGHT = 1e-9
BAR = 44                # from one bar to the next: its name and number above, the bar below


@dataclass(frozen=True)
class Chart:
    """All that stays the same from frame to frame: axes, series, size. Sizes in units of the SVG's viewBox."""

    view: View
    x: Any                                  # an Axis; a table has none
    y: Any                                  # an Axis; bars and tables have none
    x_label: str
    y_label: str
    series: tuple[tuple[str, str], ...] = ()
    slots: tuple[int, ...] = ()             # which colour, dash and marker each series has
    at: Any = None                          # lines: the kept x values, an array,
    ends: tuple[int, ...] = ()              # lines: how high the name at the end of each series is, in tenths of a unit
    exact: tuple[float, ...] = ()           # the x values themselves,
    said: tuple[str, ...] = ()              # and how those that the folded table shows read
    clip: bool = False
    digits: int = 3
    start: TableFrame | None = None              # a table: what its cells are compared with,
    compare: tuple[tuple[int, int], ...] = ()       # or which row with which other
    box: tuple[int, int, int, int] = field(init=False)      # left, top, width, height of the drawing area
    size: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        if self.view == "roc":
            box, size = (52, 30, 370, 370), (440, 454)
        elif self.view == "bars":
            box = (2, 5, 516, BAR * len(self.series) - 8)
            size = (520, box[3] + 29)
        else:
            box, size = (62, 30, 440, 270), (520, 354)
        object.__setattr__(self, "box", box)
        object.__setattr__(self, "size", size)

    @property
    def named(self) -> bool:
        """Whether the names stand beside the picture, at the ends of their series."""
        return 0 < sum(self.ends) <= ROOM


def chart_of(panel: Panel, frames: list, start: Any) -> Chart:
    """The chart of a panel; ``start`` is the frame at which the figure stands first."""
    common: dict[str, Any] = {"view": panel.view, "x_label": panel.x_label, "y_label": panel.y_label, "digits": panel.digits}
    if panel.view == "table":
        place = {row: i for i, row in enumerate(frames[0].rows)}
        return Chart(**common, x=None, y=None, start=start, compare=tuple((place[a], place[b]) for a, b in panel.compare.items()))
    if panel.view == "bars":
        numbers = np.concatenate([v for f in frames for v in f.values()])
        kinds = tuple((name, "bar") for name in frames[0])
        over = panel.x_range or (min(0.0, float(numbers.min())), float(numbers.max()) or 1.0)
        return Chart(**common, x=Axis.over(numbers, given=over), y=None, series=kinds, slots=(0,) * len(kinds))
    return chart_of_curves(panel, frames, common)


def chart_of_curves(panel: Panel, frames: list, common: dict) -> Chart:
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
    common |= {"x": x, "y": y, "series": kinds, "slots": colour_slots(panel, dict(kinds)), "clip": bool(outside)}
    if not lines:
        return Chart(**common)
    said = tuple(x.says(panel.x[i]) for i in shown_rows(len(panel.x)))
    # of a guess the end would tell the answer
    ends = label_heights(kinds) if len(kinds) > 1 and not panel.guess else ()
    return Chart(**common, at=x.keep(panel.x), exact=tuple(panel.x.tolist()), said=said, ends=ends)


def colour_slots(panel: Panel, kinds: dict[str, str]) -> tuple[int, ...]:
    """The place of each series among colours, dashes and markers: its own, in order, or that of the series it is to look like."""
    own = {name: i for i, name in enumerate(name for name in kinds if name not in panel.colors)}
    taken = {(slot, kinds[name]) for name, slot in own.items()}
    for name, like in panel.colors.items():
        if (own[like], kinds[name]) in taken:
            refuse(f"colors[{name!r}]", like, f"another series of kind {kinds[name]!r} has that colour: nothing would tell them apart",
                   "Share a colour between different kinds.")
        taken.add((own[like], kinds[name]))
    return tuple(own[panel.colors.get(name, name)] for name in kinds)


def shown_rows(n: int) -> list[int]:
    """At most 21 of ``n`` x values, evenly spread, the last among them."""
    return sorted({round(i * (n - 1) / (min(n, 21) - 1)) for i in range(min(n, 21))})


# --- names at the ends of lines ---------------------------------------------------------------------------------------------
# Beside a picture over x the name of each series stands where the series ends; a leader goes from the end to it, and names that would
# overlap are moved apart. Where there is no room beside, a number stands at each end, and the same number before the name below. Both
# move with the frame: ``player/numbers.js`` spreads them as ``spread`` does.

#: Of a name beside the picture, in tenths of a unit: the height of a line, and what is left free around the name.
LINE, AROUND = 220, 40
#: Characters of a line, beside the key and the value that is read; a band has two numbers to read, in a line of their own.
CHARACTERS = 16
#: How far down names and numbers may reach, above what is told of the values; how high a number is.
ROOM, NUMBER = 3000, 280


def label_heights(series: tuple[tuple[str, str], ...]) -> tuple[int, ...]:
    """How high the name of each series is, given names and kinds."""
    return tuple(LINE * (len(wrap(name, CHARACTERS)) + (kind == "band")) + AROUND for name, kind in series)


def spread(wanted: list[int], heights: list[int], room: int) -> list[int]:
    """Middles as near to the ``wanted`` ones as these ``heights`` let them be, in their order and within 0 and ``room``.

    >>> spread([100, 110, 500], [40, 40, 40], 510)
    [100, 140, 490]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    middles, free = [0] * len(wanted), 0
    for i in order:
        middles[i] = max(wanted[i], free + heights[i] // 2)
        free = middles[i] + heights[i] // 2
    free = room
    for i in reversed(order):
        middles[i] = min(middles[i], free - heights[i] // 2)
        free = middles[i] - heights[i] // 2
    return middles
