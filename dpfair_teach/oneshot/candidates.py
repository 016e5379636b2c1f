"""Candidate classifiers: what the paper's regression oracle answers to a grid of multipliers, with expected groups in place of the true."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..oracles import RegressionOracle
from .releases import as_many

__all__ = ["bayes_scores", "expected_gaps", "group_costs", "multiplier_grid", "regression_scores"]

#: Points on an axis of the default grid of multipliers and its largest, by the number of groups; beyond, the grid is too large.
_POINTS = {2: (21, 2.0), 3: (5, 1.0), 4: (3, 0.2)}


def multiplier_grid(n_groups: int = 2, points: int | None = None, largest: float | None = None) -> np.ndarray:
    """Multipliers u_ay for every a = 1, ..., k-1 and both labels: a grid on [-largest, largest], and first no constraint at all.

    Source: ours. The learner's best response to the auditor (main text, Section 4) depends on the multipliers only through
    u_ay = lam(a, y, +) - lam(a, y, -). Points lie at largest sinh(4 t) / sinh(4) for evenly spaced t: dense at 0, so that one grid
    serves data on which a small multiplier is enough and data that need a large one.

    Parameters
    ----------
    n_groups : int in 2..4
    points : int in 2..101, optional
        On each of the 2 (k-1) axes; 21 for two groups, 5 for three, 3 for four.
    largest : float > 0, optional
        A multiplier of 1 trades a gap of 1 for the errors of everybody; 2 for two groups, 1 for three, 0.2 for four.

    Returns
    -------
    array (U, 2 (k-1)), columns (u_10, u_11, u_20, u_21, ...)

    Raises
    ------
    ValueError
        Numbers out of range, or a grid of more than 20,000 points.

    Examples
    --------
    >>> multiplier_grid(2, points=3, largest=.5).tolist()[:4]
    [[0.0, 0.0], [-0.5, -0.5], [-0.5, 0.0], [-0.5, 0.5]]
    >>> multiplier_grid(3).shape
    (626, 4)
    """
    k = check.integer("n_groups", n_groups, low=2)
    if k not in _POINTS:
        check.refuse("n_groups", k, f"the grid has {2 * (k - 1)} axes: too many points for more than 4 groups",
                     "Merge groups.")
    points = _POINTS[k][0] if points is None else check.integer("points", points, low=2, high=101)
    largest = _POINTS[k][1] if largest is None else check.number("largest", largest, low=0.0, high=1e6, low_open=True)
    if points ** (2 * (k - 1)) > 20_000:
        check.refuse("points", points, f"makes {points ** (2 * (k - 1)):,} multipliers", "Choose fewer points.")
    axis = largest * np.sinh(4 * np.linspace(-1, 1, points)) / np.sinh(4)
    grid = np.stack(np.meshgrid(*[axis] * (2 * (k - 1)), indexing="ij"), axis=-1).reshape(-1, 2 * (k - 1))
    return np.concatenate([np.zeros((1, grid.shape[1])), grid])


def _weights(name: str, value: ArrayLike, Y: np.ndarray) -> np.ndarray:
    weights = check.array(name, value, ndim=2, low=-1e9, high=1e9, booleans=False)
    as_many(name, weights, "Y", len(Y))
    if weights.shape[1] < 2:
        check.refuse(name, weights.shape, "has fewer than two groups", f"Give {name} a column for each group, group 0 first.")
    return weights


def group_shares(weights: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """n~_ay (2, k) [y, a] from weights (m, k): the sum over a label, lifted to at least one person.

    The total over groups is the public number of people of the label; where the lift breaks it, the largest group gives."""
    n = np.stack([weights[Y == y].sum(axis=0) for y in (0, 1)])
    total = n.sum(axis=1, keepdims=True)
    n = np.maximum(n, 1.0)
    surplus = n.sum(axis=1, keepdims=True) - total
    n[np.arange(2), n.argmax(axis=1)] -= surplus[:, 0]
    return np.maximum(n, 1.0)


def with_lift(weights: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights that sum to :func:`group_shares`, and these shares of everybody's label (m, k).

    What a group was lifted by is spread evenly over the people of the label: as if whoever is missing were decided about as they are on
    average. So the same share of each group accepts where everybody is accepted, and a constant has no gap.
    """
    n = group_shares(weights, Y)
    lift = np.stack([n[y] - weights[Y == y].sum(axis=0) for y in (0, 1)]) / np.bincount(Y, minlength=2)[:, None]
    return weights + lift[Y], n[Y]


def group_costs(weights: ArrayLike, Y: ArrayLike) -> np.ndarray:
    """What accepting a person adds to m times each signed gap: the columns that the regression oracle projects on X.

    Source: main text, Section 5 and supplement, Section 3.1: the cost of accepting i holds, for every a != 0 and y, the multiplier u_ay
    times m (1{A_i = a, Y_i = y} / n_ay - 1{A_i = 0, Y_i = y} / n_0y). Here weights stand for the indicators.

    Parameters
    ----------
    weights : array (m, k)
        Of every person on every group: true 0/1 membership, its expectation, or debiased reports.
    Y : array (m,) of 0/1

    Returns
    -------
    array (m, 2 (k-1)), columns (1, 0), (1, 1), (2, 0), ... as [a, y]

    Raises
    ------
    ValueError
        Shapes that do not fit, one label only.

    Examples
    --------
    >>> group_costs([[1, 0], [0, 1], [1, 0], [0, 1]], [0, 0, 1, 1]).tolist()
    [[-4.0, 0.0], [4.0, 0.0], [0.0, -4.0], [0.0, 4.0]]
    """
    Y = both_labels(check.labels("Y", Y))
    return costs_of(_weights("weights", weights, Y), Y)


def both_labels(Y: np.ndarray) -> np.ndarray:
    if Y.min() == Y.max():
        check.refuse("Y", int(Y[0]), "everybody has the same label", "Give people of both labels.")
    return Y


def costs_of(weights: np.ndarray, Y: np.ndarray) -> np.ndarray:
    m, k = weights.shape
    weights, n = with_lift(weights, Y)
    rates = m * weights / n
    gaps = rates[:, 1:] - rates[:, :1]
    costs = np.zeros((m, k - 1, 2))
    costs[np.arange(m), :, Y] = gaps
    return costs.reshape(m, 2 * (k - 1))


def regression_scores(X: ArrayLike, Y: ArrayLike, weights: ArrayLike, X_new: ArrayLike | None = None) -> np.ndarray:
    """The regression oracle's fitted values: of 2 Y - 1, and of every column of :func:`group_costs`, on (1, X).

    Source: main text, Section 5 (regression oracle: least squares of each label's cost on X, then the cheaper label). Least squares is
    linear in the costs, and these are linear in the multipliers, so one fit of 1 + 2 (k-1) columns answers all multipliers:
    accept where scores[:, 0] > scores[:, 1:] @ u.

    Parameters
    ----------
    X : array (m, d)
    Y : array (m,) of 0/1
    weights : array (m, k)
    X_new : array (n, d), optional
        People to score; those of the fit without.

    Returns
    -------
    array (n, 1 + 2 (k-1))

    Raises
    ------
    ValueError
        Shapes that do not fit, one label only.

    Examples
    --------
    >>> regression_scores([[0.], [1.]], [0, 1], [[.5, .5], [.5, .5]]).round(6).tolist()
    [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    X = check.array("X", X, shape=(None, None), low=-1e50, high=1e50)
    Y = both_labels(check.labels("Y", Y))
    as_many("Y", Y, "X", len(X))
    weights = _weights("weights", weights, Y)
    new = X if X_new is None else check.array("X_new", X_new, shape=(None, X.shape[1]), low=-1e50, high=1e50)
    oracle = RegressionOracle(X, Y)
    return oracle.scores(np.column_stack([oracle.base, oracle.coefficients(costs_of(weights, Y))]).T, new).T


def bayes_scores(eta: ArrayLike, group_given: ArrayLike, n: ArrayLike) -> np.ndarray:
    """The columns of fair Bayes thresholding: 2 eta - 1, and what accepting x adds to each gap, in expectation over its Y and A.

    Source: ours, in the manner of fair Bayes classifiers (Zeng, Dobriban and Cheng 2022): the minimizer of P(h != Y) plus the sum of
    u_ay (rate_ay - rate_0y) over all functions of x accepts where 2 eta - 1 is above the sum of
    u_ay P(y | x) (P(a | x, y) / P(a, y) - P(0 | x, y) / P(0, y)). Of A it needs only the P(a | x, y) and the shares; eta is public.

    Parameters
    ----------
    eta : array (n,) in [0, 1]
        P(Y = 1 | x).
    group_given : array (n, 2, k) in [0, 1], indexed [x, y, a]
        P(A = a | x, Y = y).
    n : array (2, k), above 0
        Number of people, or shares, [y, a].

    Returns
    -------
    array (n, 1 + 2 (k-1)), used as those of :func:`regression_scores`

    Raises
    ------
    ValueError
        Shapes that do not fit, numbers out of range.

    Examples
    --------
    >>> bayes_scores([.8], [[[.5, .5], [.5, .5]]], [[10, 10], [10, 10]]).round(3).tolist()
    [[0.6, 0.0, 0.0]]
    """
    eta = check.filled("eta", check.array("eta", eta, ndim=1, low=0.0, high=1.0), "person")
    group_given = check.array("group_given", group_given, shape=(len(eta), 2, None), low=-0.5, high=1.5)
    k = group_given.shape[2]
    if k < 2:
        check.refuse("group_given", group_given.shape, "has fewer than two groups", "Give a column for each group.")
    return bayes_of(eta, group_given, check.array("n", n, shape=(2, k), low=1e-12, high=1e15))


def bayes_of(eta: np.ndarray, group_given: np.ndarray, n: np.ndarray) -> np.ndarray:
    """:func:`bayes_scores` without checks."""
    n = n / n.sum()
    label = np.stack([1 - eta, eta], axis=1)[:, :, None]
    rates = label * group_given / n
    return np.column_stack([2 * eta - 1, (rates[:, :, 1:] - rates[:, :, :1]).swapaxes(1, 2).reshape(len(eta), -1)])


def expected_gaps(decisions: ArrayLike, weights: ArrayLike, Y: ArrayLike) -> np.ndarray:
    """Signed gaps rate_ay - rate_0y of candidates, with weights for the groups: for a = 1..k-1, false positives then true positives.

    Source: supplement, Section 3.1 (the constraints), with n~_ay = sum of weights over a label, lifted to at least one person:
    what is added to a group accepts as often as the label does, so that a constant has no gap.

    Parameters
    ----------
    decisions : array (H, m) in [0, 1]
        P(h = 1) of every candidate for every person.
    weights : array (m, k)
    Y : array (m,) of 0/1

    Returns
    -------
    array (H, 2 (k-1))

    Raises
    ------
    ValueError
        Shapes that do not fit, one label only.

    Examples
    --------
    >>> expected_gaps([[1, 0, 1, 1]], [[1, 0], [0, 1], [1, 0], [0, 1]], [0, 0, 1, 1]).tolist()
    [[-1.0, 0.0]]
    """
    Y = both_labels(check.labels("Y", Y))
    decisions = check.filled("decisions", check.array("decisions", decisions, ndim=2, low=0.0, high=1.0), "decision")
    as_many("Y", Y, "decisions", decisions.shape[1])
    return gaps_of(decisions, _weights("weights", weights, Y), Y)


def gaps_of(decisions: np.ndarray, weights: np.ndarray, Y: np.ndarray) -> np.ndarray:
    k = weights.shape[1]
    weights, n = with_lift(weights, Y)
    by_label = np.concatenate([weights * (Y == y)[:, None] / n for y in (0, 1)], axis=1)       # (m, 2k), label 0 first
    rates = (np.asarray(decisions, dtype=float) @ by_label).reshape(-1, 2, k)
    return (rates[:, :, 1:] - rates[:, :, :1]).swapaxes(1, 2).reshape(len(decisions), 2 * (k - 1))


