"""A guess before the answer, as ``player/guess.js`` has it, for the live figure: how it is drawn, and how far off it was.

A guess is a list of fractions of axes: one of the y axis for each place of a curve, across and up of a point, along of a bar.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np

from . import drawing
from .axes import Axis, brief
from .drawing import Chart
from .panel import Panel

__all__: list[str] = []

STEP = 0.01
SHOWN = "This is the answer."
BEFORE = "Your guess was for the setting before."


@dataclass(frozen=True)
class Guess:
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
        return self.chart.x.place(self.chart.at[drawing.shown_rows(len(self.chart.at))], 10 * self.chart.box[2]).tolist()

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
