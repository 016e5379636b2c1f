"""A guess before the answer, as ``player/guess.js`` has it, for the live figure: a list of fractions of axes."""
from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np

from .axes import Axis, brief
from .chart import Chart, shown_rows
from .drawing import Spot
from .panel import Panel

__all__: list[str] = []

STEP = 0.01
SHOWN = "This is the answer."
BEFORE = "Your guess was for the setting before."
HINT = "Point at it to read values."


@dataclass(frozen=True)
class PanelGuess:
    """What a panel asks its reader for."""

    panel: Panel
    chart: Chart

    @property
    def i(self) -> int:
        """Which series it is."""
        return [name for name, _ in self.chart.series].index(self.panel.guess)

    def handles(self) -> list[tuple[str, Axis]]:
        """What the reader sets: the name of each number, and its axis."""
        if self.chart.view == "lines":
            return [(said, self.chart.y) for said in self.chart.said]
        if self.chart.view == "bars":
            return [(self.panel.guess, self.chart.x)]
        return [(self.chart.x_label or "x", self.chart.x), (self.chart.y_label or "y", self.chart.y)]

    def path(self, mine: list[float]) -> str:
        """The ``d`` of the guess, in tenths of a unit."""
        width, height = 10 * self.chart.box[2], 10 * self.chart.box[3]
        if self.chart.view == "bars":
            return f"M{nearest(mine[0] * width) - 15} 0h30v140h-30z"
        if self.chart.view != "lines":
            return f"M{nearest(mine[0] * width) - 80} {nearest((1 - mine[1]) * height)}h160m-80 -80v160"
        return "M" + "L".join(f"{x} {nearest((1 - part) * height)}" for x, part in zip(self._nodes(), mine, strict=True))

    def _nodes(self) -> list[int]:
        """Where the places of a drawn curve lie."""
        return self.chart.x.place(self.chart.at[shown_rows(len(self.chart.at))], 10 * self.chart.box[2]).tolist()

    def compared(self, frame: dict, mine: list[float]) -> str:
        """How far the guess is from the answer, in the words of the player."""
        x, y, answer = self.chart.x, self.chart.y, frame[self.panel.guess]
        if self.chart.view == "bars":
            kept = int(x.keep(answer)[0])
            return f"You were {apart(x, abs(value(x, mine[0]) - real(x, kept)))} off: it is {x.text(kept)}."
        if self.chart.view != "lines":
            across, up = int(x.keep(answer[:, 0])[0]), int(y.keep(answer[:, 1])[0])
            off = [apart(axis, abs(value(axis, part) - real(axis, kept))) for axis, part, kept in ((x, mine[0], across), (y, mine[1], up))]
            return f"It is at ({x.text(across)}, {y.text(up)}): you were {off[0]} off across and {off[1]} off up or down."
        at = x.place(self.chart.at, 10 * self.chart.box[2])
        away = np.abs(value(y, np.interp(at, self._nodes(), mine)) - real(y, y.keep(answer)))
        most = int(away.argmax())
        where = f"{self.chart.x_label or 'x'} = {x.says(self.chart.exact[most]) if x.log else x.text(int(self.chart.at[most]))}"
        return f"You were {apart(y, away.mean())} off on average; the most, {apart(y, away[most])}, at {where}."


def nearest(number: float) -> int:
    """Rounded as JavaScript rounds."""
    return math.floor(number + 0.5)


def value(axis: Axis, part: Any) -> Any:
    """The number at a fraction of an axis; on a log axis its logarithm."""
    return axis.low + part * (axis.high - axis.low)


def real(axis: Axis, kept: Any) -> Any:
    """A kept number, in axis space."""
    return kept / 10 ** axis.decimals


def apart(axis: Axis, away: float) -> str:
    """How far apart two numbers of an axis are, in words."""
    return f"a factor of {two_digits(10 ** away)}" if axis.log else two_digits(away)


def two_digits(number: float) -> str:
    """A number to two significant digits, as the player rounds it.

    >>> two_digits(0.125), two_digits(187.3), two_digits(0.0)
    ('0.13', '190', '0')
    """
    return brief(float(Context(prec=2, rounding=ROUND_HALF_UP).create_decimal(Decimal(float(number)))))


# --- values ------------------------------------------------------------------------------------------------------------------

def spots(chart: Chart, frame: Any) -> list[Spot]:
    """What there is to read in a frame, in the order of the arrow keys; bars and tables show their numbers anyway."""
    if chart.view in ("bars", "table"):
        return []
    width, height = 10 * chart.box[2], 10 * chart.box[3]
    if chart.view == "lines":
        return spots_over_x(chart, frame, width, height)
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


def spots_over_x(chart: Chart, frame: Any, width: int, height: int) -> list[Spot]:
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
