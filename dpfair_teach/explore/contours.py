"""The line between two decisions: where a function of the plane crosses a level, as few segments."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__: list[str] = []

#: How far a corner that is left out may lie from the line, as a part of the plane's sides.
CLOSE = 0.003
#: From tick to tick along a line, and how long one is, as parts of the plane's sides.
EVERY, LONG = 0.08, 0.035


def crossing(fn: Callable[[np.ndarray], np.ndarray], x: np.ndarray, y: np.ndarray, level: float) -> np.ndarray:
    """Where ``fn``, of (n, 2) points, crosses ``level``, by its values on the grid of ``x`` and ``y``: (2 s, 2), every two rows a segment.

    >>> crossing(lambda points: points[:, 0] + points[:, 1], np.linspace(0, 1, 5), np.linspace(0, 1, 5), 0.5)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    import contourpy  # matplotlib draws its contours with it, and brings it along
    across, up = np.meshgrid(x, y)
    values = fn(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    sides = np.array([x[-1] - x[0], y[-1] - y[0]])
    lines = contourpy.contour_generator(x, y, values, line_type=contourpy.LineType.Separate).lines(level)
    ends = [np.repeat(line, 2, axis=0)[1:-1] for line in (sides * fewer(np.asarray(line) / sides, CLOSE) for line in lines)]
    return np.concatenate(ends) if ends else np.empty((0, 2))


def ticks(fn: Callable[[np.ndarray], np.ndarray], line: np.ndarray, x: tuple[float, float], y: tuple[float, float]) -> np.ndarray:
    """Short strokes from a line of segments, as :func:`crossing` gives it, to the side where ``fn`` is larger: (2 t, 2), two rows each.

    They stand at a right angle to the line on a plane whose ends ``x`` and ``y`` are drawn equally long.

    >>> ticks(lambda points: points[:, 1], np.array([[0., 0.5], [0.1, 0.5]]), (0., 1.), (0., 1.)).round(3)
    array([[0.04 , 0.5  ],
           [0.04 , 0.535]])
    """
    low, sides = np.array([x[0], y[0]]), np.array([x[1] - x[0], y[1] - y[0]])
    starts, along = line[::2] / sides, (line[1::2] - line[::2]) / sides
    lengths = np.hypot(*along.T)
    starts, along, lengths = starts[lengths > 0], along[lengths > 0], lengths[lengths > 0]
    if not len(lengths):
        return np.empty((0, 2))
    passed = np.concatenate([[0.0], lengths.cumsum()])
    at = np.arange(min(EVERY, passed[-1]) / 2, passed[-1], EVERY)
    which = np.minimum(np.searchsorted(passed, at, side="right") - 1, len(lengths) - 1)
    feet = starts[which] + along[which] * ((at - passed[which]) / lengths[which])[:, None]
    across = along[which][:, ::-1] * [-1, 1] / lengths[which][:, None] * LONG
    larger = fn((feet + across) * sides) >= fn((feet - across) * sides)
    tips = np.clip((feet + np.where(larger[:, None], across, -across)) * sides, low, low + sides)
    return np.stack([feet * sides, tips], axis=1).reshape(-1, 2)


def fewer(line: np.ndarray, close: float) -> np.ndarray:
    """A line of fewer corners, none of those left out further than ``close`` from it (Ramer; Douglas and Peucker).

    >>> fewer(np.array([[0, 0], [1, 0.001], [2, 0], [2, 1]]), 0.01)
    array([[0., 0.],
           [2., 0.],
           [2., 1.]])
    """
    if len(line) < 3:
        return line
    along, from_first = line[-1] - line[0], line - line[0]
    length = np.linalg.norm(along)
    away = np.linalg.norm(from_first, axis=1)
    if length > close:
        away = np.abs(along[0] * from_first[:, 1] - along[1] * from_first[:, 0]) / length
    far = int(away.argmax())
    if away[far] <= close:
        return line[[0, -1]]
    return np.concatenate([fewer(line[:far + 1], close)[:-1], fewer(line[far:], close)])
