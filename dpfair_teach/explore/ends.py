"""Names at the ends of lines, so that nobody has to go to a legend and back.

Beside a picture over x the name of each series stands at the height where the series ends; a short leader goes from the end to it, and
names that would overlap are moved apart. Where there is no room beside, on a narrow screen or among other pictures, a number stands at
each end, and the same number before the name below. Both move with the frame: ``player/numbers.js`` spreads them as ``spread`` does.
"""
from __future__ import annotations

from textwrap import wrap

__all__: list[str] = []

#: Of a name beside the picture, in tenths of a unit: the height of a line, and what is left free around the name.
LINE, AROUND = 220, 40
#: Characters of a line, beside the key and the value that is read; a band has two numbers to read, in a line of their own.
CHARACTERS = 16
#: How far down names and numbers may reach, above what is told of the values; how high a number is.
ROOM, NUMBER = 3000, 280


def heights(series: tuple[tuple[str, str], ...]) -> tuple[int, ...]:
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
