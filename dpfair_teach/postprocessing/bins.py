"""Score bins: more than two predictions from a public score, so that the program may move the threshold and not only mix two answers.

The score comes from a base that never saw A, so the score, its cuts and everybody's bin are public, as yhat is. A table of b bins costs no
more epsilon than one of two predictions (a changed A still moves one person inside one public cell); it has more cells for the same people,
so each rate is a sum of more noisy numbers.
"""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["score_bins", "optimal_cuts", "suggested_bins"]

FEW = 200           # candidates beside the corners of the hull, where those are fewer than the cuts wanted
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

    Raises
    ------
    ValueError
        Nobody, no cut, NaN, cuts that do not rise.

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


def optimal_cuts(score: ArrayLike, Y: ArrayLike, n_bins: int) -> np.ndarray:
    """The cuts with the largest area under the ROC curve of the binned score. They read score and Y only: public, no epsilon is spent.

    Source: ours. With coins inside the bins, the points (FP, TP) that can be reached from b bins without A are a polygon: its upper
    corners are the b - 1 thresholds on the ROC curve of the score, joined by straight lines. What lies between it and the ROC curve of
    the score itself is lost by binning. The cuts make that area as small as possible, whatever the operating point will be: gamma, the
    noise and the groups' own curves are not known when they are chosen.

    The optimum over all thresholds is found exactly. A polygon with a corner below the concave hull of the ROC curve grows when the
    corner moves up to it; along an edge of the hull the area is linear in the corner's place, so the corner may go to an end of the
    edge. So some best polygon has its corners among those of the hull; dynamic programming over them, one bin after the other, finds it.
    Where the hull has fewer corners than there are cuts (more bins would only split bins for nothing), about 200 quantiles of the score
    are candidates too, and the optimum is over these.

    Parameters
    ----------
    score : (m,) array
        Larger means more likely label 1.
    Y : (m,) array of 0/1, both occurring
    n_bins : int in 2..1000
        b; at most the number of different scores.

    Returns
    -------
    (b - 1,) array, strictly rising; each is somebody's score, the lowest of the bin above it

    Raises
    ------
    ValueError
        Different lengths, one label only, NaN, fewer different scores than bins.

    Examples
    --------
    >>> optimal_cuts([.9, .7, .4, .3, .2, .8, .6, .55, .35, .1], Y=[1, 1, 1, 0, 0, 1, 1, 0, 0, 0], n_bins=3)
    array([0.4, 0.6])
    """
    score = _scores(score)
    Y = check.labels("Y", Y)
    if len(score) != len(Y):
        check.refuse("score, Y", (len(score), len(Y)), "different lengths", "Give one entry a person in each.")
    if Y.min() == Y.max():
        check.refuse("Y", int(Y[0]), "everybody has the same label", "Give people of both labels.")
    n_bins = check.integer("n_bins", n_bins, low=2, high=MOST)
    values, where = np.unique(score, return_inverse=True)
    if len(values) < n_bins:
        check.refuse("n_bins", n_bins, f"more bins than the score has different values, {len(values)}",
                     "Choose fewer bins, or a base with a finer score.")
    # The ROC curve from (1, 1), everybody accepted, down to (0, 0): corner t accepts the scores from values[t] on. In people.
    corner = np.array([np.append(np.bincount(where[Y == y], minlength=len(values))[::-1].cumsum()[::-1], 0) for y in (0, 1)])
    chosen = _hull(corner)
    if len(chosen) - 2 < n_bins - 1:
        people = np.linspace(0, len(score) - 1, max(FEW, n_bins) + 1).astype(int)
        chosen = np.unique(np.concatenate([chosen, np.unique(where[np.argsort(where, kind="stable")[people]])]))
        if len(chosen) - 2 < n_bins - 1:                # a score with a few very frequent values
            chosen = np.arange(len(values) + 1)
    return values[chosen[_largest_area(corner[:, chosen], n_bins)]]


def suggested_bins(m: int, epsilon: float) -> int:
    """How many bins: 0.45 (m epsilon)^(2/5), rounded, but 3 at least and 16 at most. It reads public numbers only.

    Source: ours. Two errors pull in opposite directions. The polygon of b corners stays below a smooth concave ROC curve by an area of
    order 1 / b^2. A rate of the derived classifier is a sum over b noisy counts, so its noise has a deviation of order
    sqrt(b) / (m epsilon). The sum of the two is smallest where b^(5/2) is in proportion to m epsilon. The factor comes from drawn
    populations alone: the experiment ``bins_tuned`` compares numbers of bins on 58 logistic populations, m epsilon from 50 to 12,800, and
    the rule's mean Q is within 0.03 of the best everywhere.

    Parameters
    ----------
    m : int >= 1
        People.
    epsilon : float > 0

    Returns
    -------
    int in 3..16

    Raises
    ------
    ValueError
        Numbers out of range.

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


def _largest_area(corner: np.ndarray, n_bins: int) -> np.ndarray:
    """The n_bins - 1 inner corners of (2, n), from upper right to (0, 0), whose polygon has the largest area."""
    fp, tp = corner.astype(float)
    area = (fp[:, None] - fp) * (tp[:, None] + tp) / 2                  # of the strip from corner i on to corner j > i
    area[np.tril_indices(len(fp))] = -np.inf
    best, before = area[0], []                                          # of the polygons that reach corner j with one bin
    for _ in range(n_bins - 1):
        reached = best[:, None] + area
        before.append(reached.argmax(axis=0))
        best = reached.max(axis=0)
    corners = [len(fp) - 1]
    for step in reversed(before):
        corners.append(step[corners[-1]])
    return np.array(corners[:0:-1])


def _scores(score: ArrayLike) -> np.ndarray:
    return check.filled("score", check.array("score", score, ndim=1, booleans=False), "person")
