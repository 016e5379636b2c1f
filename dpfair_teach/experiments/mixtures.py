"""A frontier of known gaps at once: the best mixture of candidate classifiers for every gamma, from one convex hull."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, QhullError

from .. import _checks as check

__all__ = ["best_mixtures"]

_TIE = 1e-12        # a point this little outside the box counts as on its edge: rounding, no unfairness


@dataclass(frozen=True)
class Mixtures:
    """For each gamma a mixture of candidates: which ones, and how often each is used.

    Source: ours; the answer of the LP over mixtures that main text, Section 4 (the fair empirical risk minimization problem), asks for.

    Parameters
    ----------
    gammas : tuple of floats
        The G tolerances.
    weights : array (G, H)
        Row g are the probabilities with which gammas[g] uses each of the H candidates; at most 3 are above 0 for two groups.
    values : array (G,)
        The error of each mixture by the numbers that the program was given.

    Examples
    --------
    >>> best_mixtures([.1, .4], [[.2, 0], [0, 0]], [0, .1]).weights.tolist()
    [[0.0, 1.0], [0.5, 0.5]]
    """

    gammas: tuple[float, ...]
    weights: np.ndarray
    values: np.ndarray


def _inputs(error: ArrayLike, gaps: ArrayLike, gammas: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    error = check.filled("error", check.array("error", error, ndim=1, low=-1e6, high=1e6, booleans=False), "candidate")
    gaps = check.array("gaps", gaps, ndim=2, low=-1e6, high=1e6, booleans=False)
    if len(gaps) != error.size:
        check.refuse("gaps", gaps.shape, f"error has {error.size} entries", "Give gaps and error as many entries.")
    gammas = check.filled("gammas", check.array("gammas", gammas, ndim=1, low=0.0, booleans=False), "tolerance")
    if gaps.shape[1] == 0:
        check.refuse("gaps", gaps.shape, "has no constraint", "Give a column for each constrained gap.")
    return error, gaps, gammas


def best_mixtures(error: ArrayLike, gaps: ArrayLike, gammas: ArrayLike) -> Mixtures:
    """Mixtures of least error whose gaps are all at most gamma, for every gamma; with two gaps from one convex hull.

    Source: ours, for the linear program over mixtures (main text, Section 4; supplement, Section 3.1). Each candidate is a point (gap 0,
    gap 1, error); mixtures are the convex hull; the program asks for the lowest point of the hull's lower surface above the square
    [-gamma, gamma]^2. That surface is flat on triangles, so the answer sits at one of its corners, where one of its edges crosses a side
    of the square, or above a corner of the square: finitely many places, all computed at once. Any other number of gaps, and points
    that lie in one plane, are served by a linear program for each gamma.

    Parameters
    ----------
    error : array (H,)
        Error of each candidate: what the mixture is to keep small.
    gaps : array (H, c)
        Signed gaps between groups of each candidate; c = 2 for two groups, (false positives, true positives).
    gammas : array (G,)
        Tolerances, at least 0. Each must be possible: a candidate without gaps, such as a constant, makes it so.

    Raises
    ------
    ValueError
        Shapes that do not fit, entries that are not finite, or a gamma that no mixture keeps.

    Examples
    --------
    Accepting everybody or nobody is fair; the sharp classifier has a gap of 0.2 in false positives:

    >>> best = best_mixtures([.1, .5, .5], [[.2, 0], [0, 0], [0, 0]], [0, .1, .2])
    >>> best.values.round(3).tolist()
    [0.5, 0.3, 0.1]
    """
    error, gaps, gammas = _inputs(error, gaps, gammas)
    if gaps.shape[1] != 2:
        return _programs(error, gaps, gammas)
    faces = _lower_faces(gaps, error)
    if faces is None:
        return _programs(error, gaps, gammas)
    found = [_corners(faces, gaps, error, gammas), *_crossings(faces, gaps, error, gammas), *_above_corners(faces, gaps, error, gammas)]
    at, values = (np.concatenate([place[i] for place in found]) for i in (0, 1))
    order = np.lexsort((np.arange(len(at)), values, at))
    best = order[np.unique(at[order], return_index=True)[1]]        # the first place of least value for each gamma
    if len(best) < gammas.size:
        return _programs(error, gaps, gammas)        # which says that a gamma is impossible, or finds what rounding hid
    weights = np.zeros((gammas.size, error.size))
    start = np.cumsum([0] + [len(place[0]) for place in found])
    for g, n in enumerate(best):
        part = int(np.searchsorted(start, n, side="right")) - 1
        np.add.at(weights[g], found[part][2][n - start[part]], found[part][3][n - start[part]])
    weights = np.clip(weights, 0.0, None)
    weights /= weights.sum(axis=1, keepdims=True)
    if (np.abs(weights @ gaps).max(axis=1) > gammas + 1e-9).any():     # a triangle of next to no width
        return _programs(error, gaps, gammas)
    return Mixtures(tuple(gammas.tolist()), weights, values[best])


def _lower_faces(gaps: np.ndarray, error: np.ndarray) -> np.ndarray | None:
    """Triangles (F, 3) of the lower hull; None where the points span no volume above a plane area, or where the gaps lie on a line but
    for rounding, which would make triangles of no width."""
    if len(error) < 3 or np.ptp(gaps, axis=0).min() < 1e-9:
        return None
    along, across = np.linalg.svd(gaps - gaps.mean(axis=0), compute_uv=False)
    if across < 1e-8 * along:
        return None
    top = np.append(gaps.mean(axis=0), error.max() + max(np.ptp(error), 1.0))        # one point far above gives the hull a volume
    try:
        hull = ConvexHull(np.vstack([np.column_stack([gaps, error]), top]))
    except QhullError:
        return None
    lower = (hull.equations[:, 2] < -1e-10) & (hull.simplices < len(error)).all(axis=1)
    return hull.simplices[lower] if lower.any() else None


# A list of places: (which gamma, value there, candidates, their shares), arrays (n,), (n,), (n, s), (n, s). Few of all pairs of a gamma
# and a piece of the surface meet, so conditions are computed for all pairs, everything else for those that do.

def _corners(faces, gaps, error, gammas):
    """Corners of the surface: single candidates inside the square."""
    who = np.unique(faces)
    i, g = np.nonzero(np.abs(gaps[who]).max(axis=1)[:, None] <= gammas + _TIE)
    return g, error[who[i]], who[i, None], np.ones((len(i), 1))


def _crossings(faces, gaps, error, gammas):
    """Where edges of the surface cross a side of the square: two candidates."""
    ends = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [0, 2]]]).astype(np.int64), axis=1)
    edges = np.stack(np.divmod(np.unique(ends[:, 0] * len(error) + ends[:, 1]), len(error)), axis=1)
    for axis in (0, 1):
        a, b = gaps[edges[:, 0]], gaps[edges[:, 1]]
        for side in (1.0, -1.0):
            with np.errstate(divide="ignore", invalid="ignore"):
                t = (side * gammas - a[:, axis, None]) / (b[:, axis] - a[:, axis])[:, None]
            i, g = np.nonzero((t >= 0) & (t <= 1))
            t = t[i, g]
            inside = np.abs(a[i, 1 - axis] * (1 - t) + b[i, 1 - axis] * t) <= gammas[g] + _TIE
            i, g, t = i[inside], g[inside], t[inside]
            yield g, error[edges[i, 0]] * (1 - t) + error[edges[i, 1]] * t, edges[i], np.stack([1 - t, t], axis=1)


def _above_corners(faces, gaps, error, gammas):
    """The surface above the four corners of the square: three candidates."""
    p0, p1, p2 = (gaps[faces[:, i]] for i in range(3))
    u, v = p1 - p0, p2 - p0
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    safe = np.abs(area) > 1e-18
    faces, p0, u, v, area = faces[safe], p0[safe], u[safe], v[safe], area[safe, None]
    for sx, sy in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):
        dx, dy = sx * gammas - p0[:, 0, None], sy * gammas - p0[:, 1, None]
        s = (dx * v[:, 1, None] - dy * v[:, 0, None]) / area
        t = (u[:, 0, None] * dy - u[:, 1, None] * dx) / area
        i, g = np.nonzero((s >= -_TIE) & (t >= -_TIE) & (1 - s - t >= -_TIE))
        share = np.stack([1 - s[i, g] - t[i, g], s[i, g], t[i, g]], axis=1)
        yield g, (error[faces[i]] * share).sum(axis=1), faces[i], share


def _programs(error: np.ndarray, gaps: np.ndarray, gammas: np.ndarray) -> Mixtures:
    """The same by one linear program for each gamma, for any number of gaps: minimize the sum of w_h error_h such that
    |sum of w_h gap_h| <= gamma for each gap, w >= 0, sum of w = 1."""
    rows = np.concatenate([gaps.T, -gaps.T])
    weights, values = np.empty((gammas.size, error.size)), np.empty(gammas.size)
    for g, gamma in enumerate(gammas):
        weights[g], values[g] = _program(error, rows, gamma)
    return Mixtures(tuple(gammas.tolist()), weights, values)


def _program(error: np.ndarray, rows: np.ndarray, gamma: float) -> tuple[np.ndarray, float]:
    """Weights and error of one program. Its presolve takes a gamma of 1e-9, below its own tolerance of 1e-7, for impossible now and then
    where it is not; a single candidate that keeps gamma shows that it never is, whatever the solver says."""
    for presolve in (True, False):
        answer = linprog(error, A_ub=rows, b_ub=np.full(len(rows), gamma), A_eq=np.ones((1, error.size)), b_eq=[1.0], method="highs",
                         options={"presolve": presolve})
        if answer.status == 0:
            weights = np.clip(answer.x, 0.0, None)
            return weights / weights.sum(), answer.fun
    alone = np.flatnonzero((rows <= gamma).all(axis=0))
    if alone.size == 0:
        check.refuse("gammas", float(gamma), "no mixture of these candidates has gaps that small",
                     "Add a candidate without gaps, such as the constant classifiers, or raise gamma.")
    best = alone[error[alone].argmin()]
    return np.eye(error.size)[best], float(error[best])
