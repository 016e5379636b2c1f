"""Q, one number for a whole trade-off curve: 1 is as good as without privacy, 0 is no better than what is free.

Two points cost no privacy: the constant classifier and the base classifier as it is. Mixing by a public coin is free as well, so what a
method offers is the lower convex hull of these and its points [violation, error]. Q compares the area that it leaves above the non-private
optimum with that of the free points. Where the optimum hardly beats these, Q divides by almost nothing.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["epsilon_at_quality", "error_at_violation", "lower_hull", "pareto_quality", "select_row"]


def _points(name: str, value: ArrayLike) -> np.ndarray:
    """Rows (violation, error), both in [0, 1], at least one of them."""
    points = _checks.array(name, value, shape=(None, 2), low=0.0, high=1.0)
    if len(points) == 0:
        _checks.refuse(name, points.shape, "holds no point", "Give at least one row [violation, error].")
    return points


def _hull(points: np.ndarray) -> np.ndarray:
    """The lower hull of points already checked: walk from left to right, drop every vertex that does not turn left."""
    hull: list[tuple[float, float]] = []
    for x, y in points[np.lexsort((points[:, 1], points[:, 0]))].tolist():
        if hull and x == hull[-1][0]:
            continue  # same violation: the smaller error came first
        while len(hull) > 1 and ((hull[-1][0] - hull[-2][0]) * (y - hull[-2][1])
                                 <= (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0])):
            hull.pop()
        hull.append((x, y))
    return np.array(hull)


def lower_hull(points: ArrayLike) -> np.ndarray:
    """The corners of the lower convex hull of points [violation, error], from left to right.

    Source: none in the papers; the definition of Q uses it.

    Parameters
    ----------
    points : array_like, shape (n, 2) in [0, 1], n >= 1

    Returns
    -------
    ndarray, shape (h, 2), h <= n

    Examples
    --------
    >>> lower_hull([[0, .3], [.1, .3], [.2, .1], [.2, .2]]).tolist()
    [[0.0, 0.3], [0.2, 0.1]]
    """
    return _hull(_points("points", points))


def _free(free_points: ArrayLike) -> np.ndarray:
    """The two free points: a constant at violation 0, a base at a violation above 0."""
    free = _checks.array("free_points", free_points, shape=(2, 2), low=0.0, high=1.0)
    if free[0, 0] != 0.0:
        _checks.refuse("free_points", free[0].tolist(), "its first row is the constant classifier, whose violation is 0",
                       "Give [[0, error of the constant], [violation, error of the base]].")
    if free[1, 0] <= 0.0:
        _checks.refuse("free_points", free[1].tolist(), "the base has violation 0, so there is nothing to trade",
                       "Q needs a base classifier that is unfair: give its violation, above 0.")
    return free


def area(upper: np.ndarray, lower: np.ndarray, end: float) -> float:
    """The signed area of one piecewise linear curve above another over [0, end], exact."""
    knots = np.unique(np.concatenate([upper[:, 0], lower[:, 0], [0.0, end]]))
    knots = knots[knots <= end]
    gap = np.interp(knots, upper[:, 0], upper[:, 1]) - np.interp(knots, lower[:, 0], lower[:, 1])
    return float(np.sum((gap[1:] + gap[:-1]) * np.diff(knots)) / 2)


def pareto_quality(curve: ArrayLike, reference: ArrayLike,
                   free_points: ArrayLike) -> float:
    """Q of a trade-off curve: 1 - area(curve above reference) / area(chord above reference).

    The free points are added to both curves, then each is its lower convex hull, on violations from 0 to the base's. The chord is the
    segment between the free points.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    curve : array_like, shape (n, 2)
        Rows [violation, error] of the method, each in [0, 1], n >= 1, in any order.
    reference : array_like, shape (r, 2)
        Of the non-private optimum.
    free_points : array_like, shape (2, 2)
        Rows [0, error] of the best constant classifier and [violation, error] of the unconstrained base.

    Returns
    -------
    float
        1 where the curve is as good as the reference, 0 where it never beats the chord, above 1 where it beats the reference.

    Raises
    ------
    ValueError
        Where the constant has a violation or the base has none; where the reference does not beat the chord.

    Examples
    --------
    >>> free = [[0, .4], [.2, .1]]
    >>> [round(pareto_quality([[0, error]], [[0, .2]], free), 12) for error in (.2, .3, .4)]
    [1.0, 0.5, 0.0]
    """
    curve, reference = _points("curve", curve), _points("reference", reference)
    free = _free(free_points)
    optimum, end = _hull(np.vstack([reference, free])), free[1, 0]
    room = area(free, optimum, end)
    if room <= 1e-12:
        _checks.refuse("reference", reference.tolist(),
                       "does not lie below the chord of the free points",
                       "Q compares with an optimum that beats the free points "
                       "somewhere; check rows and column order.")
    return 1.0 - area(_hull(np.vstack([curve, free])), optimum, end) / room


def error_at_violation(curve: ArrayLike, violation: float, free_points: ArrayLike) -> float:
    """The error that a method offers at a violation: its lower hull with the two free points, read there.

    Source: none in the papers; the evaluation protocol of this book, whose hull this is.

    Parameters
    ----------
    curve : as in :func:`pareto_quality`
    violation : float from 0 to the base's
    free_points : as in :func:`pareto_quality`

    Examples
    --------
    >>> error_at_violation([[.1, .15]], .05, [[0, .4], [.2, .1]])
    0.275
    """
    curve, free = _points("curve", curve), _free(free_points)
    violation = _checks.number("violation", violation, low=0.0)
    if violation > free[1, 0]:
        _checks.refuse("violation", violation, f"above the base's, {free[1, 0]:g}", "Beyond it the base itself has the smaller error.")
    hull = _hull(np.vstack([curve, free]))
    return float(np.interp(violation, hull[:, 0], hull[:, 1]))


def epsilon_at_quality(epsilons: ArrayLike, qualities: ArrayLike, target: float) -> float:
    """The epsilon at which a method reaches a quality: linear interpolation in log epsilon, at the first crossing from below.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    epsilons, qualities : array_like, shape (n,), n >= 2
        The former increasing and above 0.
    target : float

    Raises
    ------
    ValueError
        Where the target is not crossed inside the grid: nothing is extrapolated.

    Examples
    --------
    >>> round(epsilon_at_quality([0.1, 1, 10], [0, .5, 1], .75), 4)
    3.1623
    """
    epsilons = _checks.array("epsilons", epsilons, ndim=1, low=0.0)
    if len(epsilons) < 2 or epsilons[0] == 0 or (np.diff(epsilons) <= 0).any():
        _checks.refuse("epsilons", epsilons.tolist(), "not an increasing list of at least two numbers above 0", "Sort the rows by epsilon.")
    qualities = _checks.array("qualities", qualities, ndim=1, low=-1e100, high=1e100)
    if len(qualities) != len(epsilons):
        _checks.refuse("qualities", qualities.shape, f"epsilons has {len(epsilons)} entries", "Give one quality for each of epsilons.")
    target = _checks.number("target", target)
    above = np.flatnonzero(qualities >= target)
    if qualities[0] > target or len(above) == 0:
        _checks.refuse("target", target, f"not reached inside the grid, where qualities go from {qualities[0]:g} to {qualities.max():g}",
                       "Add smaller or larger epsilons, or choose another target.")
    i = above[0]
    if i == 0:
        return float(epsilons[0])
    share = (target - qualities[i - 1]) / (qualities[i] - qualities[i - 1])
    return float(np.exp(np.log(epsilons[i - 1]) + share * np.log(epsilons[i] / epsilons[i - 1])))


READ = ("gamma", "error", "violation_high")


def select_row(curve: pd.DataFrame, violation: float) -> pd.Series:
    """The row of a learner's curve that promises the least error, of those whose violation is small enough at its interval's upper end.

    The curve is a function of what was released, so the choice costs no epsilon. (By a violation on the true groups, as GridSearchCV would,
    it would.)

    Source: ours.

    Parameters
    ----------
    curve : pandas.DataFrame
        Of ``DPPostProcessing.curve`` or ``FrontierLearner.curve``; or several, one below the other, with a column that says which. Of n
        curves together each interval fails with its own probability: ask each for confidence 1 - 0.05 / n.
    violation : float >= 0
        The most that ``violation_high`` may be.

    Returns
    -------
    pandas.Series

    Examples
    --------
    >>> import pandas as pd
    >>> curve = pd.DataFrame({"gamma": [0, .1, .2], "error": [.3, .2, .1], "violation_high": [.05, .12, .3]})
    >>> float(select_row(curve, violation=.15).gamma)
    0.1
    """
    import pandas as pd

    bound = _checks.number("violation", violation, low=0.0)
    names = _checks.column_names(curve)
    if names is None or not isinstance(curve, pd.DataFrame) or not set(READ) <= set(names):
        _checks.refuse("curve", curve, f"is no table with the columns {', '.join(READ)}",
                       "Give what the method curve() of a fitted learner returns.")
    told = {name: _checks.filled("curve", _checks.array("curve", curve[name], ndim=1, booleans=False), "row") for name in READ}
    if (told["violation_high"] > bound).all():
        least = told["violation_high"].argmin()
        _checks.refuse("violation", bound, f"no gamma promises so little: the least is {told['violation_high'][least]:.3g}, at gamma "
                       f"{told['gamma'][least]:g}", "Allow that much, or fit with a larger epsilon, larger groups, or fewer bins.")
    rows = curve[told["violation_high"] <= bound].sort_values(["error", "violation_high"], kind="stable")
    return rows.iloc[0]
