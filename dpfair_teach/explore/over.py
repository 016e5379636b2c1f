"""What the live figure lays over a drawing, since no script of ours runs in its page: the guess, where values are read, words to hover."""
from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import NamedTuple

__all__: list[str] = []


class Spot(NamedTuple):
    """One place to read values at: in tenths of a unit in the drawing area."""

    x: int
    y: int | None                           # None: all that stands over x
    marks: tuple[tuple[int, int], ...]      # where the values lie
    where: str
    told: str


@dataclass(frozen=True)
class Over:
    """Of one picture. While ``asking``, the answer of the series ``guess`` is not drawn."""

    spots: tuple[Spot, ...] = ()            # each says its values under the pointer
    read: int | None = None                 # the spot that is being read
    guess: int | None = None                # the series that the reader guesses,
    mine: str = ""                          # the ``d`` of the guess, as far as there is one
    asking: bool = False

    def hides(self, i: int) -> bool:
        """Whether series ``i`` is the answer that is not to be seen yet."""
        return self.asking and self.guess == i

    def guessed(self, i: int, kind: str) -> str:
        """The reader's guess of series ``i``."""
        return f'<path class="dpx-mine dpx-{kind}" d="{self.mine}"/>' if self.mine and self.guess == i else ""

    def spoken(self, height: int) -> list[str]:
        """A rule and rings where values are read, and above all else what each place says."""
        parts = []
        if self.read is not None:
            at = self.spots[self.read]
            parts += [] if at.y is not None else [f'<path class="dpx-now" d="M{at.x} 0V{height}"/>']
            parts += [f'<circle class="dpx-now" cx="{x}" cy="{y}" r="50"/>' for x, y in at.marks]
        xs = [spot.x for spot in self.spots]
        for before, spot, after in zip([*xs[:1], *xs[:-1]], self.spots, [*xs[1:], *xs[-1:]], strict=True):
            words = f'class="dpx-hit"><title>{escape(spot.told)}</title>'
            if spot.y is None:
                left, right = (before + spot.x) // 2, (spot.x + after) // 2
                parts.append(f'<rect x="{left}" y="0" width="{right - left}" height="{height}" {words}</rect>')
            else:
                parts.append(f'<circle cx="{spot.x}" cy="{spot.y}" r="90" {words}</circle>')
        return parts


NOTHING = Over()
