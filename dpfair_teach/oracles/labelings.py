"""H(S): every labeling that a family of classifiers can give to a sample, enumerated exactly, and how many there can be."""
from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["threshold_labelings", "halfplane_labelings", "with_constants", "sauer_sum", "labelings_bound", "shattered_sets"]

LIMIT = 10**8       # labels that an enumeration may hold
MOST_TERMS = 10**4  # of Sauer's sum


def _not_too_many(name: str, value: object, labelings: int, m: int) -> None:
    if labelings * m > LIMIT:
        check.refuse(name, value, f"has up to {labelings:,} labelings of {m:,} people, more than {LIMIT:,} labels",
                     "Use fewer people, or counts: games.FairnessGame.from_counts.")


@check.formerly(limit="What is too large is refused by itself.")
def threshold_labelings(x: ArrayLike) -> np.ndarray:
    """The labelings H(S) of the thresholds h_t(x) = 1{x >= t}: every way in which they can label the people by one number.

    Source: supplement, section 3.2 (the set H(S)), for the family with VC dimension 1. With u different values there are u + 1 labelings,
    which is Sauer's bound for d = 1; people with equal numbers always get the same label.

    Parameters
    ----------
    x : (m,) array

    Returns
    -------
    (u + 1, m) array of 0/1 (int8)
        From "everybody" to "nobody", t rising.

    Examples
    --------
    >>> threshold_labelings([.2, .7, .2])
    array([[1, 1, 1],
           [0, 1, 0],
           [0, 0, 0]], dtype=int8)
    """
    x = check.exact("x", x, check.filled("x", check.array("x", x, ndim=1), "person"))
    values, rank = np.unique(x, return_inverse=True)
    _not_too_many("x", x.shape, len(values) + 1, len(x))
    return (rank >= np.arange(len(values) + 1)[:, None]).astype(np.int8)


def halfplane_labelings(X: ArrayLike) -> np.ndarray:
    """The labelings H(S) of the half-planes 1{w . x >= b}: every way to label people with two numbers, ties and points on a line included.

    Source: supplement, section 3.2 (the set H(S)), for the family with VC dimension 3. From each point p look at each other point, in each
    direction once; draw the line from there through p, and accept what is left of it, p itself, and what is on it beyond p: a small turn
    about p makes it a half-plane. Every labeling but the constants is met once (chapter 9): u^2 - u + 2 in all for u points, no three
    on a line. Exact for the floats that are given: the side of a line is decided in whole numbers wherever floats might err.

    Parameters
    ----------
    X : (m, 2) array

    Returns
    -------
    (H, m) array of 0/1 (int8)
        Each labeling once, "nobody" and "everybody" first.

    Examples
    --------
    >>> len(halfplane_labelings([[0, 0], [1, 0], [0, 1], [1, 1]]))      # all 16 but the two of XOR
    14
    >>> len(halfplane_labelings([[0, 0], [1, 1], [2, 2]]))              # on a line: thresholds in both directions
    6
    """
    X = points_of(X)
    points, inverse = np.unique(X, axis=0, return_inverse=True)
    u = len(points)
    _not_too_many("X", X.shape, u * u - u + 2, len(X))
    exact = whole(points)
    found = [np.array([np.zeros(u, bool), np.ones(u, bool)])]
    for p in range(u):
        side = _sides(points, exact, p)     # [j, c]: c by the line from p to j
        # Order along it: by x, or by y where it is upright; +1 on j's side of p.
        dx, dy = np.sign(points - points[p]).T
        along = np.where(dx[:, None] != 0, dx[:, None] * dx, dy[:, None] * dy)
        same_direction = (side == 0) & (along > 0)
        first = same_direction.argmax(axis=1) == np.arange(u)
        once = same_direction.any(axis=1) & first
        # Left of the line from j through p is right of the line from p to j.
        found.append(((side < 0) | ((side == 0) & (along <= 0)))[once])
    return np.concatenate(found).astype(np.int8)[:, inverse.ravel()]


def points_of(X: object) -> np.ndarray:
    """People with two numbers each."""
    points = check.filled("X", check.array("X", X, ndim=2), "person")
    if points.shape[1] != 2:
        check.refuse("X", points.shape, "has not two columns, and half-planes are listed for two",
                     "Choose two columns, one for thresholds, or give a finite class of your own.")
    return check.exact("X", X, points)


def whole(points: np.ndarray) -> np.ndarray:
    """The points as whole numbers in one unit: int64 where their products fit, else Python's own."""
    ratios = [[value.as_integer_ratio() for value in row] for row in points.tolist()]
    unit = max(bottom for row in ratios for _, bottom in row)
    scaled = [[top * (unit // bottom) for top, bottom in row] for row in ratios]    # all bottoms are powers of 2
    small = max(abs(value) for row in scaled for value in row) < 2**29
    return np.array(scaled, dtype=np.int64 if small else object)


def turn(a: np.ndarray, b: np.ndarray, exact_a: np.ndarray, exact_b: np.ndarray) -> np.ndarray:
    """sign of a x b for vectors (..., 2): +1 where b is left of a. In floats where they are sure, else in whole numbers."""
    if exact_a.dtype != object:
        return np.sign(exact_a[..., 0] * exact_b[..., 1] - exact_a[..., 1] * exact_b[..., 0])
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        one, two = a[..., 0] * b[..., 1], a[..., 1] * b[..., 0]
        size = np.abs(one) + np.abs(two)
        sure = (np.abs(one - two) > 1e-15 * size) & (size > 1e-280) & np.isfinite(size)
        sign = np.where(sure, np.sign(one - two), 0.0)
    unsure = np.nonzero(~sure)
    left, right = np.broadcast_arrays(exact_a, exact_b)
    left, right = left[unsure], right[unsure]
    crossed = left[..., 0] * right[..., 1] - left[..., 1] * right[..., 0]
    sign[unsure] = (crossed > 0).astype(float) - (crossed < 0).astype(float)
    return sign


def _sides(points: np.ndarray, exact: np.ndarray, i: int) -> np.ndarray:
    """sign of (p_j - p_i) x (p_c - p_i), for all j and c: on which side of the line from i to j lies c."""
    d, exact_d = points - points[i], exact - exact[i]
    return turn(d[:, None], d[None], exact_d[:, None], exact_d[None])


def with_constants(predictions: ArrayLike) -> np.ndarray:
    """The class with "reject everybody" and "accept everybody" in it: then every tolerance gamma >= 0 is feasible.

    Source: supplement, Lemma B.2, whose hypothesis ("suppose the fairness constraints are feasible") Theorem 3.6 leaves out.

    Parameters
    ----------
    predictions : (H, m) array of 0/1

    Returns
    -------
    (H to H + 2, m) array of 0/1 (int8)
        The rows given, then those of the two constants that are missing.

    Examples
    --------
    >>> with_constants([[0, 1, 0]])
    array([[0, 1, 0],
           [0, 0, 0],
           [1, 1, 1]], dtype=int8)
    """
    predictions = labeling_rows("predictions", predictions)
    each = predictions.sum(axis=1, dtype=np.int64)
    new = [np.full(predictions.shape[1], c, dtype=np.int8) for c, total in ((0, 0), (1, predictions.shape[1])) if not (each == total).any()]
    return np.concatenate([predictions, np.array(new, dtype=np.int8).reshape(len(new), -1)]) if new else predictions


def labeling_rows(name: str, value: Any) -> np.ndarray:
    """(H, m) of 0/1 as int8."""
    plain = type(value) is np.ndarray and value.ndim == 2 and value.dtype.kind in "biu" and value.size
    rows = value if plain else check.filled(name, check.array(name, value, ndim=2), "classifier")
    wrong = (rows != 0) & (rows != 1)
    if wrong.any():
        check.refuse(name, float(rows[wrong][0]), "entries must be 0 or 1", "Give one row of 0/1 for each classifier.")
    return rows.astype(np.int8)


def sauer_sum(m: int, d: int) -> int:
    """The most labelings of m people by a family with VC dimension d: the sum of C(m, i) for i = 0..d, exactly; 2^m when d >= m.

    Source: supplement, section 3.2 (Sauer's lemma, cited for |H(S)| <= O(m^d)). The paper then writes d ln m for ln|H(S)|: true when d >= 2
    and m >= 2; for d = 1 there are m + 1 > m.

    Parameters
    ----------
    m, d : int in 0..10^9

    Examples
    --------
    >>> sauer_sum(10, 1), sauer_sum(10, 3), sauer_sum(4, 9)
    (11, 176, 16)
    """
    m = check.integer("m", m, low=0, high=10**9)
    d = check.integer("d", d, low=0, high=10**9)
    if d >= m:
        if m > 10**5:
            check.refuse("m", m, "2^m has too many digits", "Use m ln 2 for its logarithm, or a smaller d.")
        return 2**m
    if d > MOST_TERMS:
        check.refuse("d", d, "asks for too many terms", "Use labelings_bound for its logarithm, or a smaller d.")
    total = term = 1
    for i in range(d):
        term = term * (m - i) // (i + 1)
        total += term
    return total


def labelings_bound(m: int, d: int, *, as_printed: bool = False) -> float:
    """An upper bound on ln|H(S)| for a family with VC dimension d: ln of Sauer's sum; as printed, d ln m.

    Source: supplement, Algorithm 5 (d ln m). As printed it is no bound for d = 1, where m + 1 labelings are reached, nor for m = 1. Above
    d = 10,000 it is the smaller of d ln(e m / d), which Sauer's sum does not exceed, and m ln 2.

    Parameters
    ----------
    m : int in 1..10^9
    d : int in 1..10^9
    as_printed : bool

    Examples
    --------
    >>> round(labelings_bound(2000, 3), 2), round(labelings_bound(2000, 3, as_printed=True), 2)
    (21.01, 22.8)
    """
    m = check.integer("m", m, low=1, high=10**9)
    d = check.integer("d", d, low=1, high=10**9)
    if check.flag("as_printed", as_printed):
        return d * math.log(m)
    if d >= m:
        return m * math.log(2)
    return math.log(sauer_sum(m, d)) if d <= MOST_TERMS else min(d * (1 + math.log(m / d)), m * math.log(2))


def shattered_sets(labelings: ArrayLike) -> list[tuple[int, ...]]:
    """The sets of people on which every pattern of labels occurs; the largest has as many people as the VC dimension on this sample.

    Source: ours, for the proof of Sauer's lemma (supplement, section 3.2): H different labelings shatter at least H sets (Pajor).

    Parameters
    ----------
    labelings : (H, m) array of 0/1, m <= 16

    Returns
    -------
    list of tuples of ints, by size

    Examples
    --------
    >>> shattered_sets(threshold_labelings([.1, .2, .3]))
    [(), (0,), (1,), (2,)]
    """
    rows = labeling_rows("labelings", labelings)
    m = rows.shape[1]
    if m > 16:
        check.refuse("labelings", rows.shape, f"labels {m} people, and 2^{m} sets are too many to try", "Use at most 16 people.")
    code = rows.astype(np.int64) @ (1 << np.arange(m))
    found = []
    for size in range(m + 1):
        if 2**size > len(rows):
            break
        found += [people for people in combinations(range(m), size)
                  if len(np.unique(code & sum(1 << i for i in people))) == 2**size]
    return found
