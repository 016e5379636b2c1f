"""Q as the stored tables have it: with an interval over repeats, and only where the non-private optimum beats the free points by enough."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpfair_teach.experiments import bootstrap_means, lower_hull, pareto_quality
from dpfair_teach.experiments.pareto import area

#: How often whole curves are drawn again for an interval.
RESAMPLES = 1000


def quality_room(reference: ArrayLike, free_points: ArrayLike) -> float:
    """What Q divides by, as a share: the area between chord and non-private optimum over that of the triangle below the chord.

    An optimum whose fairness costs nothing has room 1; one that never beats the free points has room 0. The base's error is below the
    constant's.
    """
    free = np.asarray(free_points, dtype=float)
    optimum = lower_hull(np.vstack([reference, free]))
    return float(area(free, optimum, free[1, 0]) / (free[1, 0] * (free[0, 1] - free[1, 1]) / 2))


def quality_interval(violations: np.ndarray, errors: np.ndarray, reference: ArrayLike, free_points: ArrayLike,
                     rng: np.random.Generator) -> tuple[float, float, float]:
    """Q of the mean curve over repeats, and the lower and upper end of its 95 % bootstrap interval: low <= Q <= high.

    ``violations`` and ``errors`` are (R, n), one row a repeat, one column a tolerance. A repeat is one release, and it gives the whole
    curve: whole curves are resampled. The Q of few noisy curves is too high, and that of their resamples higher still: where Q is outside
    the percentile interval, the interval is Q plus or minus the distance of its farther end, and not below 0.
    """
    curves, free = np.stack([violations, errors], axis=-1), np.asarray(free_points, dtype=float)
    q, end = pareto_quality(curves.mean(axis=0), reference, free), free[1, 0]
    optimum = lower_hull(np.vstack([reference, free]))
    resampled = bootstrap_means(curves, rng, resamples=RESAMPLES)
    with_free = np.concatenate([resampled, np.broadcast_to(free, (len(resampled), 2, 2))], axis=1)
    chord, least = (_areas_below(points[None], end)[0] for points in (free, optimum))
    again = (chord - _areas_below(with_free, end)) / (chord - least)
    low, high = np.quantile(again, [0.025, 0.975])
    if not low <= q <= high:
        reach = max(high - q, q - low)
        low, high = max(q - reach, 0.0), q + reach
    return q, float(low), float(high)


def _areas_below(points: np.ndarray, end: float) -> np.ndarray:
    """The areas below the lower hulls of many sets of points (n, p, 2) over [0, end], (n,): all sets walk abreast."""
    n, p, _ = points.shape
    order = np.lexsort((points[:, :, 1], points[:, :, 0]))
    x, y = (np.take_along_axis(points[:, :, i], order, axis=1) for i in (0, 1))
    hull, top, every = np.zeros((n, p), dtype=np.int64), np.zeros(n, dtype=np.int64), np.arange(n)
    for i in range(1, p):
        new = x[:, i] > x[every, hull[every, top]]      # same violation: the smaller error came first
        walk = every[new]
        while walk.size:
            last, before = hull[walk, top[walk]], hull[walk, top[walk] - 1]
            flat = (x[walk, last] - x[walk, before]) * (y[walk, i] - y[walk, before]) <= (
                (y[walk, last] - y[walk, before]) * (x[walk, i] - x[walk, before]))
            walk = walk[flat & (top[walk] > 0)]
            top[walk] -= 1
        top[new] += 1
        hull[every[new], top[new]] = i
    corner = np.minimum(np.arange(p), top[:, None])     # the last corner repeats, and adds nothing
    hx, hy = (np.take_along_axis(v, np.take_along_axis(hull, corner, axis=1), axis=1) for v in (x, y))
    left, right = np.minimum(hx[:, :-1], end), np.minimum(hx[:, 1:], end)
    width = np.where(hx[:, 1:] > hx[:, :-1], hx[:, 1:] - hx[:, :-1], 1.0)
    slope = (hy[:, 1:] - hy[:, :-1]) / width
    middle = hy[:, :-1] + slope * ((left + right) / 2 - hx[:, :-1])
    return (middle * (right - left)).sum(axis=1)
