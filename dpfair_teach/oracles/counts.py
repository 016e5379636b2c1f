"""The same classes without their lists: how many people of each (group, label) every labeling accepts."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .labelings import points_of, turn, whole

__all__ = ["threshold_counts", "halfplane_counts"]

LIMIT = 10**8       # counts that may be held


def _cells(features: np.ndarray, A: object, Y: object, n_groups: int | None) -> tuple[np.ndarray, int]:
    """Each person's cell, 2 a + y, and k."""
    A, k = check.groups("A", A, n_groups=n_groups)
    Y = check.labels("Y", Y)
    if not len(features) == len(A) == len(Y):
        name = "x" if features.ndim == 1 else "X"
        check.refuse(f"{name}, A, Y", (len(features), len(A), len(Y)), "different lengths", "Give one entry a person in each.")
    return 2 * A + Y, k


def _people(place: np.ndarray, places: int, cell: np.ndarray, k: int) -> np.ndarray:
    """(places, 2k): how many of each cell stand at each place."""
    return np.bincount(2 * k * place + cell, minlength=2 * k * places).reshape(places, 2 * k).astype(float)


def _not_too_many(name: str, shape: tuple, labelings: int, k: int) -> None:
    if labelings * 2 * k > LIMIT:
        check.refuse(name, shape, f"has up to {labelings:,} labelings with {2 * k} counts each, more than {LIMIT:,}", "Use fewer people.")


@check.formerly(limit="What is too large is refused by itself.")
def threshold_counts(x: ArrayLike, A: ArrayLike, Y: ArrayLike, *, n_groups: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """How many people of each (group, label) every threshold on one number accepts: the labelings in numbers, for any number of people.

    Source: supplement, section 3.2 (H(S)); all that the game asks about :func:`threshold_labelings`, in the same order.

    Parameters
    ----------
    x : (m,) array
    A : (m,) array of ints 0..k-1
    Y : (m,) array of 0/1
    n_groups : int in 1..1000, optional
        k; by default the largest code plus one.

    Returns
    -------
    n_pos : (u + 1, k, 2) array [h, a, y]
        People accepted, for u different numbers; from everybody to nobody.
    n : (k, 2) array [a, y]
        People. ``games.FairnessGame.from_counts(n_pos, n, gamma)`` is the game.

    Examples
    --------
    >>> n_pos, n = threshold_counts([.2, .7, .7], A=[0, 0, 1], Y=[1, 0, 1])
    >>> n_pos.sum(axis=(1, 2)), n.tolist()
    (array([3., 2., 0.]), [[1.0, 1.0], [0.0, 1.0]])
    """
    check.same_people(x=x, A=A, Y=Y)
    x = check.exact("x", x, check.filled("x", check.array("x", x, ndim=1), "person"))
    cell, k = _cells(x, A, Y, n_groups)
    values, rank = np.unique(x, return_inverse=True)
    _not_too_many("x", x.shape, len(values) + 1, k)
    below = np.vstack([np.zeros(2 * k), _people(rank, len(values), cell, k).cumsum(axis=0)])
    return (below[-1] - below).reshape(-1, k, 2), below[-1].reshape(k, 2)


@check.formerly(limit="What is too large is refused by itself.")
def halfplane_counts(X: ArrayLike, A: ArrayLike, Y: ArrayLike, *, n_groups: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """How many people of each (group, label) every half-plane accepts: :func:`halfplane_labelings` in numbers, without their list.

    Source: supplement, section 3.2 (H(S)). Sorting the directions about each point gives all its counts by running sums: u^2 ln u steps in
    all for u different points. Exact as there.

    Parameters
    ----------
    X : (m, 2) array
    A, Y, n_groups : as in :func:`threshold_counts`

    Returns
    -------
    n_pos : (H, k, 2) array [h, a, y]
        People accepted by each labeling, "nobody" and "everybody" first.
    n : (k, 2) array [a, y]
        People.

    Examples
    --------
    >>> n_pos, n = halfplane_counts([[0, 0], [1, 0], [0, 1], [1, 1]], A=[0, 0, 1, 1], Y=[0, 1, 0, 1])
    >>> n_pos.shape, n.tolist()
    ((14, 2, 2), [[1.0, 1.0], [1.0, 1.0]])
    """
    check.same_people(X=X, A=A, Y=Y)
    X = points_of(X)
    cell, k = _cells(X, A, Y, n_groups)
    points, inverse = np.unique(X, axis=0, return_inverse=True)
    u = len(points)
    _not_too_many("X", X.shape, u * u - u + 2, k)
    each = _people(inverse.ravel(), u, cell, k)
    exact, total = whole(points), each.sum(axis=0)
    found = [np.stack([np.zeros(2 * k), total])]
    for p in range(u):
        if u > 1:
            found.append(_about(points, exact, each, p))
    return np.concatenate(found).reshape(-1, k, 2), total.reshape(k, 2)


def _about(points: np.ndarray, exact: np.ndarray, each: np.ndarray, p: int) -> np.ndarray:
    """Counts of the labelings whose point is p."""
    others = np.delete(np.arange(len(points)), p)
    d, exact_d = points[others] - points[p], exact[others] - exact[p]
    # Every line through p once: turn the directions that point down, or straight left, around.
    down = (points[others, 1] < points[p, 1]) | ((points[others, 1] == points[p, 1]) & (points[others, 0] < points[p, 0]))
    d, exact_d = np.where(down[:, None], -d, d), np.where(down[:, None], -exact_d, exact_d)
    order = np.argsort(np.arctan2(d[:, 1], d[:, 0]), kind="stable")
    steps = turn(d[order[:-1]], d[order[1:]], exact_d[order[:-1]], exact_d[order[1:]])
    while (steps < 0).any():    # rounding has exchanged neighbours: put them back, of two pairs that overlap the first
        wrong = np.flatnonzero(steps < 0)
        wrong = wrong[np.diff(wrong, prepend=-2) > 1]
        order[wrong], order[wrong + 1] = order[wrong + 1], order[wrong]
        steps = turn(d[order[:-1]], d[order[1:]], exact_d[order[:-1]], exact_d[order[1:]])
    line = np.concatenate([[0], np.cumsum(steps > 0)])
    up_there, down_there = (np.zeros((line[-1] + 1, each.shape[1])) for _ in range(2))
    turned = down[order]
    np.add.at(up_there, line[~turned], each[others[order[~turned]]])
    np.add.at(down_there, line[turned], each[others[order[turned]]])
    # Left of the upward line: who points up further round, and who points down less far round.
    up_after, down_after = (side[::-1].cumsum(axis=0)[::-1] - side for side in (up_there, down_there))
    up_before, down_before = up_there.cumsum(axis=0) - up_there, down_there.cumsum(axis=0) - down_there
    somebody_up, somebody_down = (np.bincount(line[who], minlength=line[-1] + 1) > 0 for who in (~turned, turned))
    upward = (up_after + down_before + each[p] + up_there)[somebody_down]           # those below p are behind it
    downward = (up_before + down_after + each[p] + down_there)[somebody_up]
    return np.concatenate([upward, downward])

