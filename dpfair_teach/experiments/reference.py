"""What learning can reach without privacy, blind to A: the reference that in-processing is compared with."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .. import fairness
from ..oneshot import bayes_scores, best_mixtures, multiplier_grid
from ..oracles.regression import pseudo_inverse
from .protocol import GAMMAS_PROTOCOL

__all__ = ["error_and_gaps", "regression_reference"]

#: Index arrays of the people learned from, and of those judged.
Split = tuple[np.ndarray, np.ndarray]


def _grid(ends: float, points: int) -> np.ndarray:
    axis = np.linspace(-ends, ends, points)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)


#: Multipliers (u_0, u_1) of the reference: 41 x 41 of [-0.5, 0.5]^2 and of [-5, 5]^2, and no constraint first.
_MULTIPLIERS: np.ndarray = np.concatenate([np.zeros((1, 2)), _grid(0.5, 41), _grid(5.0, 41)])


def error_and_gaps(decisions: ArrayLike, A: ArrayLike, Y: ArrayLike, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Error of each of H classifiers, and its signed gaps to group 0: what a mixture of them is made of, since both are linear.

    Source: main text, Definition 3 (equalized odds), of many classifiers at once.

    Parameters
    ----------
    decisions : array_like, shape (H, m)
        0/1, booleans, or P(Yhat = 1).
    A : array_like of ints, shape (m,)
        Groups 0..k-1; no (group, label) cell may be empty.
    Y : array_like of 0/1, shape (m,)
    n_groups : int in 2..1000

    Returns
    -------
    (ndarray (H,), ndarray (H, 2 (k-1)))
        Errors; for a = 1..k-1 the gap in false positive rates, then that in true positive rates.

    Examples
    --------
    >>> error, gaps = error_and_gaps([[1, 0, 1, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], n_groups=2)
    >>> error.tolist(), gaps.tolist()
    ([0.5, 0.5], [[1.0, -1.0], [0.0, 0.0]])
    """
    n_groups = check.group_count(n_groups)
    A, _ = check.groups("A", A, n_groups=n_groups)
    Y = check.labels("Y", Y)
    decisions = check.filled("decisions", check.array("decisions", decisions, ndim=2, low=0.0, high=1.0), "classifier and person")
    if not decisions.shape[1] == len(A) == len(Y):
        check.refuse("decisions, A, Y", (decisions.shape[1], len(A), len(Y)), "different lengths", "Give one entry a person in each.")
    accepted, people = np.empty((len(decisions), n_groups, 2)), np.empty((n_groups, 2))
    for a, y in np.ndindex(n_groups, 2):
        cell = (A == a) & (Y == y)
        accepted[:, a, y], people[a, y] = decisions @ cell, cell.sum()
    check.occupied("A", people, "Merge groups or leave the group out yourself.")
    counts = np.stack([people - accepted, accepted], axis=1)
    return fairness.error(counts), fairness.Parity("equalized_odds").gaps(counts)[..., ::2]     # the others are their negatives


def regression_reference(X: ArrayLike, A: ArrayLike, Y: ArrayLike, splits: Sequence[Split] | None = None, *,
                         thresholds: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The protocol's in-processing reference: the non-private frontier over mixtures of the regression oracle's answers.

    Source: ours, the evaluation protocol of this book; the oracle of main text, Section 5, answers no multiplier and 41 x 41 (u_0, u_1) of
    [-0.5, 0.5]^2 and of [-5, 5]^2; with the two constants these are the candidates, which one program a gamma mixes.

    Parameters
    ----------
    X : array_like, shape (m, d)
    A : array_like of ints, shape (m,)
        Two groups, 0 and 1.
    Y : array_like of 0/1, shape (m,)
    splits : sequence of (learn, judge), optional
        Such as :func:`held_out_splits` makes: the mean over them. Without, everybody is learned from and judged.
    thresholds : bool
        Also mix fair Bayes thresholds, :func:`oneshot.bayes_scores`, by logistic regressions of the label and of the true groups of each
        label.

    Returns
    -------
    (ndarray (25, 2), ndarray (2, 2))
        Rows (violation, error) for the gammas of the protocol; the free points, a constant and the oracle's answer without multipliers.

    Examples
    --------
    >>> from dpfair_teach import data
    >>> people = data.load("communities", group="race_argmax", features="unprotected")
    >>> curve, free = regression_reference(people.X, people.A, people.Y)
    >>> curve.shape, free.round(4).tolist()
    ((25, 2), [[0.0, 0.2924], [0.4477, 0.1269]])
    """
    X = check.array("X", X, ndim=2)
    A, k = check.groups("A", A)
    Y = check.labels("Y", Y)
    if not len(X) == len(A) == len(Y):
        check.refuse("X, A, Y", (len(X), len(A), len(Y)), "different lengths", "Give one row and one entry a person.")
    if k != 2:
        check.refuse("A", k, "is its number of groups, and the protocol's grid of multipliers (u_0, u_1) is that of two",
                     "Merge groups, or take the frontier of oneshot.best_mixtures over candidates of your own.")
    everybody = np.arange(len(Y))
    pairs = [(everybody, everybody)] if splits is None else _pairs(splits, len(Y))
    thresholds = check.flag("thresholds", thresholds)
    rows = np.mean([_reference(X, A, Y, learn, judge, thresholds) for learn, judge in pairs], axis=0)
    return rows[:-2], rows[-2:]


def _pairs(splits: object, m: int) -> list[Split]:
    remedy = "Give pairs of index arrays, such as experiments.held_out_splits makes."
    pairs = []
    for split in check.filled("splits", check.entries("splits", splits, "a list of pairs (learn, judge)", remedy), "split"):
        sides = check.entries("splits", split, "a list of pairs (learn, judge)", remedy)
        if len(sides) != 2:
            check.refuse("splits", split, "not a pair (learn, judge)", remedy)
        learn, judge = (check.codes("splits", side, what="indices of people", remedy=remedy) for side in sides)
        for side in (learn, judge):
            if side.max() >= m:
                check.refuse("splits", int(side.max()), f"no index of one of {m} people", remedy)
        pairs.append((learn, judge))
    return pairs


def _thresholds(X: np.ndarray, A: np.ndarray, Y: np.ndarray, learn: np.ndarray) -> np.ndarray:
    """What fair Bayes thresholds decide, (H, m), by logistic regressions of those learned from, as the one-shot learner's of the label."""
    from sklearn.linear_model import LogisticRegression

    deviation = X[learn].std(axis=0)
    scaled = X / np.where(deviation > 0, deviation, np.inf)

    def chance(of: np.ndarray, who: np.ndarray) -> np.ndarray:
        return LogisticRegression(C=0.1, max_iter=500).fit(scaled[who], of[who]).predict_proba(scaled)[:, 1]
    of_label = [chance(A, learn[Y[learn] == y]) for y in (0, 1)]
    n = [[((A[learn] == a) & (Y[learn] == y)).sum() for a in (0, 1)] for y in (0, 1)]
    scores = bayes_scores(chance(Y, learn), np.stack([[1 - p, p] for p in of_label]).transpose(2, 0, 1), n)
    return scores[:, 0] > multiplier_grid(2, points=41) @ scores[:, 1:].T


def _reference(X: np.ndarray, A: np.ndarray, Y: np.ndarray, learn: np.ndarray, judge: np.ndarray, thresholds: bool) -> np.ndarray:
    """Rows (violation, error): one a gamma of the protocol, then the constant, then the oracle's answer without multipliers."""
    X1 = np.column_stack([np.ones(len(Y)), X])
    inverse, Al, Yl = pseudo_inverse(X1[learn]), A[learn], Y[learn]
    targets = [2.0 * Yl - 1]
    for y in (0, 1):
        one, zero = (Al == 1) & (Yl == y), (Al == 0) & (Yl == y)
        if not one.any() or not zero.any():
            check.refuse("A", f"{'group 0' if one.any() else 'group 1'}, label {y}", "is nobody of those learned from",
                         "Give more people, or larger parts of them.")
        targets.append(len(learn) * (one / one.sum() - zero / zero.sum()))
    score, gap0, gap1 = (X1 @ (inverse @ np.transpose(targets))).T
    u = _MULTIPLIERS
    decisions = score - u[:, :1] * gap0 - u[:, 1:] * gap1 > 0
    if thresholds:
        decisions = np.concatenate([decisions, _thresholds(X, A, Y, learn)])
    decisions = np.concatenate([decisions, np.zeros((1, len(Y)), bool), np.ones((1, len(Y)), bool)]).astype(float)
    error, gaps = error_and_gaps(decisions[:, learn], Al, Yl, 2)
    mixtures = best_mixtures(error, gaps, GAMMAS_PROTOCOL)
    error, gaps = error_and_gaps(decisions[:, judge], A[judge], Y[judge], 2)
    curve = np.column_stack([np.abs(mixtures.weights @ gaps).max(axis=1), mixtures.weights @ error])
    return np.vstack([curve, [0.0, min(error[-2:])], [np.abs(gaps[0]).max(), error[0]]])
