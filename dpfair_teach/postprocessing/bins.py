"""Score bins: more than two predictions from a public score, so that the program may move the threshold and not only mix two answers.

The base never saw A, so the score, its cuts and everybody's bin are public, as yhat is: a table of b bins costs no more epsilon than one of
two predictions.
"""
from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["score_bins", "optimal_cuts", "suggested_bins"]

Criterion = Literal["area", "price"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

MANY = 1000         # corners of the curve among which cuts are looked for; time and memory grow like their square
FEW = 200           # quantiles of the score that are candidates too, where corners are fewer than the cuts wanted or too many
MOST = 1000         # bins, as in fairness.cell_counts


def score_bins(score: ArrayLike, cuts: ArrayLike) -> np.ndarray:
    """The bin of every score: how many cuts it reaches.

    Source: ours. With one cut this is the decision score >= cut, yhat itself.

    Parameters
    ----------
    score : (m,) array
        Larger means more likely label 1.
    cuts : (b - 1,) array, strictly rising

    Returns
    -------
    (m,) array of ints 0..b-1; a score equal to a cut is above it

    Examples
    --------
    >>> score_bins([.9, .7, .5, .2], cuts=[.5, .8])
    array([2, 1, 1, 0])
    """
    score, cuts = _scores(score), check.filled("cuts", check.array("cuts", cuts, ndim=1, booleans=False), "cut")
    if cuts.size >= MOST or (np.diff(cuts) <= 0).any():
        check.refuse("cuts", cuts.tolist() if cuts.size < 20 else cuts.size, f"not at most {MOST - 1} numbers, each above the one before",
                     "Sort them, and leave out repetitions.")
    return np.searchsorted(cuts, score, side="right")


def optimal_cuts(score: ArrayLike, Y: ArrayLike, n_bins: int, criterion: Criterion = "area") -> np.ndarray:
    """The best cuts of a score, by its ROC curve or by the mean cost of mistakes. They read score and Y only: no epsilon is spent.

    Source: ours. Dynamic programming finds the best of candidates: the corners of the ROC curve, for the area of its concave hull, and
    where they are too few or more than 1000 the hull's and about 200 quantiles of the score. The chapter on less epsilon has the proofs.

    Parameters
    ----------
    score : (m,) array
        Larger means more likely label 1.
    Y : (m,) array of 0/1, both occurring
    n_bins : int in 2..1000
        b; at most the number of different scores.
    criterion : "area" or "price"
        ``area``: the largest area under the ROC curve of the binned score, a mean over false positive rates. ``price``: the least mean
        cost where a false positive costs c, a false negative 1 - c, each bin gets the answer that is cheaper there, and c is uniform in
        [0, 1].

    Returns
    -------
    (b - 1,) array, strictly rising; each is somebody's score, the lowest of the bin above it

    Examples
    --------
    >>> score, Y = [.9, .7, .4, .3, .2, .8, .6, .55, .35, .1], [1, 1, 1, 0, 0, 1, 1, 0, 0, 0]
    >>> optimal_cuts(score, Y, n_bins=3)
    array([0.4, 0.6])
    """
    score = _scores(score)
    Y = check.labels("Y", Y)
    if len(score) != len(Y):
        check.refuse("score, Y", (len(score), len(Y)), "different lengths", "Give one entry a person in each.")
    if Y.min() == Y.max():
        check.refuse("Y", int(Y[0]), "everybody has the same label", "Give people of both labels.")
    n_bins = check.integer("n_bins", n_bins, low=2, high=MOST)
    criterion = check.choice("criterion", criterion, CRITERIA)
    values, where = np.unique(score, return_inverse=True)
    if len(values) < n_bins:
        check.refuse("n_bins", n_bins, f"more bins than the score has different values, {len(values)}",
                     "Choose fewer bins, or a base with a finer score.")
    # The ROC curve from (1, 1), everybody accepted, down to (0, 0): corner t accepts the scores from values[t] on. In people.
    corner = np.array([np.append(np.bincount(where[Y == y], minlength=len(values))[::-1].cumsum()[::-1], 0) for y in (0, 1)])
    candidates, merit = _CRITERIA[criterion]
    chosen = candidates(corner)
    if not n_bins < len(chosen) <= MANY:                # the first and the last are no cuts
        people = np.linspace(0, len(score) - 1, max(FEW, n_bins) + 1).astype(int)
        corners = chosen if len(chosen) <= MANY else _hull(corner)
        chosen = np.unique(np.concatenate([corners, np.unique(where[np.argsort(where, kind="stable")[people]])]))
        if len(chosen) <= n_bins:                       # a score with a few very frequent values
            chosen = np.arange(len(values) + 1)
    return values[chosen[best_path(merit(corner[:, chosen].astype(float)), n_bins)]]


def suggested_bins(m: int, epsilon: float) -> int:
    """How many bins: 0.45 (m epsilon)^(2/5), rounded, but 3 at least and 16 at most. It reads public numbers only.

    Source: ours; the factor was tuned on drawn populations, the experiment ``bins_tuned``.

    Parameters
    ----------
    m : int in 1..10^15
        People.
    epsilon : float > 0

    Examples
    --------
    >>> [suggested_bins(m, 0.25) for m in (500, 2000, 8000, 50_000)]
    [3, 5, 9, 16]
    """
    m, epsilon = check.integer("m", m, low=1, high=10**15), check.epsilon(epsilon)
    return int(np.clip(round(0.45 * min(m * epsilon, 1e9) ** 0.4), 3, 16))


def _hull(corner: np.ndarray) -> np.ndarray:
    """Which corners (2, n) of the curve from upper right to (0, 0) lie on its concave hull, both ends included; in whole numbers, exact."""
    kept: list[int] = []
    fp, tp = corner.tolist()
    for t in range(len(fp)):
        while len(kept) > 1:
            i, j = kept[-2:]
            if (fp[i] - fp[j]) * (tp[i] - tp[t]) > (fp[i] - fp[t]) * (tp[i] - tp[j]):
                break
            kept.pop()
        kept.append(t)
    return np.array(kept)


def _bends(corner: np.ndarray) -> np.ndarray:
    """Which corners (2, n) of the curve are no inner points of a straight piece of it, both ends included; in whole numbers, exact."""
    fp, tp = np.diff(corner)
    return np.concatenate([[0], np.flatnonzero(fp[1:] * tp[:-1] != fp[:-1] * tp[1:]) + 1, [len(fp)]])


def _strips(corner: np.ndarray) -> np.ndarray:
    """The area under the polygon's edge from corner i of (2, n) on to corner j > i, (n, n)."""
    fp, tp = corner
    return (fp[:, None] - fp) * (tp[:, None] + tp) / 2


def _sureness(corner: np.ndarray) -> np.ndarray:
    """Minus twice the mean cost of the bin from corner i of (2, n) on to corner j > i, (n, n)."""
    wrong, right = corner[:, :, None] - corner[:, None]
    return -wrong * right / np.where(wrong + right > 0, wrong + right, 1)


#: How cuts are compared: which corners of the curve are enough to look at, and what the bin between any two of them adds.
_CRITERIA = {"area": (_hull, _strips), "price": (_bends, _sureness)}


def best_path(merit: np.ndarray, n_bins: int) -> np.ndarray:
    """The n_bins - 1 stops on the way from the first of n corners to the last whose sum of merits (n, n), from stop to stop, is largest."""
    merit = np.where(np.tri(len(merit), dtype=bool), -np.inf, merit)  # never back
    best, before = merit[0], []     # of the ways that reach corner j with one bin
    for _ in range(n_bins - 1):
        reached = best[:, None] + merit
        before.append(reached.argmax(axis=0))
        best = reached.max(axis=0)
    stops = [len(merit) - 1]
    for step in reversed(before):
        stops.append(step[stops[-1]])
    return np.array(stops[:0:-1])


def _scores(score: ArrayLike) -> np.ndarray:
    """Scores as floats; whole numbers that no float tells apart would fall into one bin."""
    return check.exact("score", score, check.filled("score", check.array("score", score, ndim=1, booleans=False), "person"))
