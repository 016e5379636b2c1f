"""Candidate classifiers: what the paper's regression oracle answers to a grid of multipliers, with expected groups in place of the true."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import ACCEPTANCE_NOTIONS, OF_GROUPS, AcceptanceNotion, OfGroups, read_parity
from ..oracles import RegressionOracle
from .decided import Decisions
from .releases import as_many

__all__ = ["bayes_scores", "expected_gaps", "group_costs", "multiplier_grid", "regression_scores"]

BECAUSE = "Constant classifiers have to keep it, whatever the noise says, and a gap to be between two groups."

#: Points on an axis of the grid and its largest, by the number of axes; with more, or between pairs, one direction at a time.
_GRID = {1: (41, 2.0), 2: (21, 2.0), 3: (9, 1.0), 4: (5, 1.0), 6: (3, 0.2)}
_ALONG = (9, 1.0)
_MOST = 20_000


def served(notion: AcceptanceNotion | Parity | None, against: OfGroups | None = None) -> Parity:
    """The notion of a call, if one-shot learning serves it."""
    return read_parity(notion, against=against, notions=ACCEPTANCE_NOTIONS, forms=OF_GROUPS, because=BECAUSE)


def strata_of(parity: Parity, Y: np.ndarray) -> list[np.ndarray]:
    """The people whose rates are compared, one array of indices for each rate: those of a label, or all."""
    return [np.arange(len(Y)) if cell.label is None else np.flatnonzero(Y == cell.label) for cell in parity.cells]


def multiplier_grid(n_groups: int = 2, points: int | None = None, largest: float | None = None,
                    notion: AcceptanceNotion | Parity = "equalized_odds", against: OfGroups | None = None) -> np.ndarray:
    """Multipliers u_ar for every a = 1, ..., k-1 and each rate r of a notion, on [-largest, largest]; and first no constraint at all.

    Source: ours. The learner's best response to the auditor (main text, Section 4) depends on the multipliers only through the price of
    each group's rate; the prices of a rate sum to 0, and u are those of all groups but 0. Against an anchor, up to four groups, the others'
    prices are all points of a grid. Else, one direction at a time: one group against another, or against all, with a grid for its
    rates; then a permutation of the groups permutes the candidates. Points lie at largest sinh(4 t) / sinh(4) for evenly spaced t: dense
    at 0, so that one grid serves data on which a small multiplier is enough and data that need a large one.

    Parameters
    ----------
    n_groups : int in 2..1000
        With the usual points up to 21, up to 66 for a notion of one rate: with more the grid is too large.
    points : int in 2..101, optional
        On each axis; 21 for two groups and two rates, 5 for three groups, 3 for four, 9 one direction at a time.
    largest : float in (0, 1e6], optional
        A multiplier of 1 trades a gap of 1 for the errors of everybody; 2 for two groups, 1 for three, 0.2 for four, 1 otherwise.
    notion : str or Parity
        ``equalized_odds``, ``false_positive``, ``true_positive`` or ``demographic_parity``.
    against : str, optional
        ``anchor`` or ``pairs``; None: the first.

    Returns
    -------
    array (U, (k-1) R) for R rates, columns (u_10, u_11, u_20, u_21, ...)

    Raises
    ------
    ValueError
        Numbers out of range, a notion that is not served, or a grid of more than 20,000 points.

    Examples
    --------
    >>> multiplier_grid(2, points=3, largest=.5).tolist()[:4]
    [[0.0, 0.0], [-0.5, -0.5], [-0.5, 0.0], [-0.5, 0.5]]
    >>> multiplier_grid(3).shape, multiplier_grid(3, notion="demographic_parity").shape, multiplier_grid(3, against="pairs").shape
    ((626, 4), (442, 2), (487, 4))
    """
    k, parity = check.group_count(n_groups), served(notion, against)
    parity.comparisons(k)                   # refuses an anchor that is no group
    R = len(parity.cells)
    axes = R * (k - 1)
    full = k == 2 or (parity.against == "anchor" and k <= 4)
    usual = _GRID[axes] if full else _ALONG
    points = usual[0] if points is None else check.integer("points", points, low=2, high=101)
    largest = usual[1] if largest is None else check.number("largest", largest, low=0.0, high=1e6, low_open=True)
    axis = largest * np.sinh(4 * np.linspace(-1, 1, points)) / np.sinh(4)
    n = points**axes if full else k * (k + 1) // 2 * points**R
    if n > _MOST:
        if n_groups > 4 and points == usual[0]:
            check.refuse("n_groups", k, f"makes {n:,} multipliers, more than {_MOST:,}", "Merge groups.")
        check.refuse("points", points, f"makes {n:,} multipliers", "Choose fewer points.")
    if full:
        prices = _all_points(axis, axes).reshape(-1, k - 1, R)
        if parity.anchor:       # the prices of all but the anchor are free, and u are those of all but group 0
            prices = np.insert(prices, parity.anchor, -prices.sum(axis=1), axis=1)[:, 1:]
    else:
        to = np.array([np.eye(k)[b] - np.eye(k)[a] for a in range(k) for b in range(a + 1, k)] + [row - 1 / k for row in np.eye(k)])
        prices = (to[:, None, :, None] * _all_points(axis, R)[None, :, None, :]).reshape(-1, k, R)[:, 1:]
    grid = prices.reshape(len(prices), axes)
    return np.concatenate([np.zeros((1, axes)), grid])


def _all_points(axis: np.ndarray, axes: int) -> np.ndarray:
    return np.stack(np.meshgrid(*[axis] * axes, indexing="ij"), axis=-1).reshape(-1, axes)


def _weights(name: str, value: ArrayLike, Y: np.ndarray) -> np.ndarray:
    weights = check.array(name, value, ndim=2, low=-1e9, high=1e9, booleans=False)
    as_many(name, weights, "Y", len(Y))
    if weights.shape[1] < 2:
        check.refuse(name, weights.shape, "has fewer than two groups", f"Give {name} a column for each group, group 0 first.")
    return weights


def group_shares(weights: np.ndarray, strata: list[np.ndarray]) -> np.ndarray:
    """n~ (R, k) [rate, a] from weights (m, k): the sum over the people of each rate, lifted to at least one person.

    The total over groups is the public number of these people; where the lift breaks it, the largest group gives."""
    n = np.stack([weights[i].sum(axis=0) for i in strata])
    total = n.sum(axis=1, keepdims=True)
    n = np.maximum(n, 1.0)
    surplus = n.sum(axis=1, keepdims=True) - total
    n[np.arange(len(n)), n.argmax(axis=1)] -= surplus[:, 0]
    return np.maximum(n, 1.0)


def with_lift(weights: np.ndarray, strata: list[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """For each rate the weights of its people, (n, k), that sum to :func:`group_shares`; and these (R, k).

    What a group was lifted by is spread evenly over the people of the rate: as if whoever is missing were decided about as they are on
    average. So the same share of each group accepts where everybody is accepted, and a constant has no gap.
    """
    n = group_shares(weights, strata)
    return [weights[i] + (n[r] - weights[i].sum(axis=0)) / len(i) for r, i in enumerate(strata)], n


def group_costs(weights: ArrayLike, Y: ArrayLike, notion: AcceptanceNotion | Parity = "equalized_odds") -> np.ndarray:
    """What accepting a person adds to m times each signed gap: the columns that the regression oracle projects on X.

    Source: main text, Section 5 and supplement, Section 3.1: the cost of accepting i holds, for every a != 0 and y, the multiplier u_ay
    times m (1{A_i = a, Y_i = y} / n_ay - 1{A_i = 0, Y_i = y} / n_0y). Here weights stand for the indicators.

    Parameters
    ----------
    weights : array (m, k)
        Of every person on every group: true 0/1 membership, its expectation, or debiased reports.
    Y : array (m,) of 0/1
    notion : str or Parity
        As in :func:`multiplier_grid`. These gaps are to group 0 in any case: a basis for all prices.

    Returns
    -------
    array (m, (k-1) R), columns (1, 0), (1, 1), (2, 0), ... as [a, y] for the R = 2 rates of equalized odds

    Raises
    ------
    ValueError
        Shapes that do not fit, one label only, a notion that is not served.

    Examples
    --------
    >>> group_costs([[1, 0], [0, 1], [1, 0], [0, 1]], [0, 0, 1, 1]).tolist()
    [[-4.0, 0.0], [4.0, 0.0], [0.0, -4.0], [0.0, 4.0]]
    """
    Y = both_labels(check.labels("Y", Y))
    return costs_of(_weights("weights", weights, Y), strata_of(served(notion), Y))


def both_labels(Y: np.ndarray) -> np.ndarray:
    if Y.min() == Y.max():
        check.refuse("Y", int(Y[0]), "everybody has the same label", "Give people of both labels.")
    return Y


def costs_of(weights: np.ndarray, strata: list[np.ndarray]) -> np.ndarray:
    m, k = weights.shape
    costs, (lifted, n) = np.zeros((m, k - 1, len(strata))), with_lift(weights, strata)
    for r, i in enumerate(strata):
        rates = m * lifted[r] / n[r]
        costs[i, :, r] = rates[:, 1:] - rates[:, :1]
    return costs.reshape(m, -1)


def regression_scores(X: ArrayLike, Y: ArrayLike, weights: ArrayLike, X_new: ArrayLike | None = None,
                      notion: AcceptanceNotion | Parity = "equalized_odds") -> np.ndarray:
    """The regression oracle's fitted values: of 2 Y - 1, and of every column of :func:`group_costs`, on (1, X).

    Source: main text, Section 5 (regression oracle: least squares of each label's cost on X, then the cheaper label). Least squares is
    linear in the costs, and these are linear in the multipliers, so one fit of 1 + (k-1) R columns answers all multipliers:
    accept where scores[:, 0] > scores[:, 1:] @ u.

    Parameters
    ----------
    X : array (m, d)
    Y : array (m,) of 0/1
    weights : array (m, k)
    X_new : array (n, d), optional
        People to score; those of the fit without.
    notion : str or Parity
        As in :func:`group_costs`.

    Returns
    -------
    array (n, 1 + (k-1) R) for R rates

    Raises
    ------
    ValueError
        Shapes that do not fit, one label only, a notion that is not served.

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
    return oracle.scores(np.column_stack([oracle.base, oracle.coefficients(costs_of(weights, strata_of(served(notion), Y)))]).T, new).T


def bayes_scores(eta: ArrayLike, group_given: ArrayLike, n: ArrayLike, notion: AcceptanceNotion | Parity = "equalized_odds",
                 share: float = 1.0) -> np.ndarray:
    """The columns of fair Bayes thresholding: 2 eta - 1, and what accepting x adds to each gap, in expectation over its Y and A.

    Source: ours, in the manner of fair Bayes classifiers (Zeng, Dobriban and Cheng 2022): the minimizer of P(h != Y) plus the sum of
    u_ay (rate_ay - rate_0y) over all functions of x accepts where 2 eta - 1 is above the sum of
    u_ay P(y | x) (P(a | x, y) / P(a, y) - P(0 | x, y) / P(0, y)). Of A it needs only the P(a | x, y) and the shares; eta is public.
    Demographic parity has no y: u_a (P(a | x) / P(a) - P(0 | x) / P(0)).

    Parameters
    ----------
    eta : array (n,) in [0, 1]
        P(Y = 1 | x).
    group_given : array (n, R, k) in [0, 1], indexed [x, rate, a]
        P(A = a | x, Y = y) for the label y that the rate conditions on, as both of equalized odds; or P(A = a | x).
    n : array (R, k), above 0
        Number of people, or shares, [rate, a].
    notion : str or Parity
        As in :func:`group_costs`.
    share : float in [1e-12, 1]
        Of everybody, those whom ``n`` counts: 1 unless a single label is compared.

    Returns
    -------
    array (n, 1 + (k-1) R), used as those of :func:`regression_scores`

    Raises
    ------
    ValueError
        Shapes that do not fit, numbers out of range, a notion that is not served.

    Examples
    --------
    >>> bayes_scores([.8], [[[.5, .5], [.5, .5]]], [[10, 10], [10, 10]]).round(3).tolist()
    [[0.6, 0.0, 0.0]]
    """
    eta = check.filled("eta", check.array("eta", eta, ndim=1, low=0.0, high=1.0), "person")
    parity = served(notion)
    R = len(parity.cells)
    group_given = check.array("group_given", group_given, shape=(len(eta), R, None), low=-0.5, high=1.5)
    k = group_given.shape[2]
    if k < 2:
        check.refuse("group_given", group_given.shape, "has fewer than two groups", "Give a column for each group.")
    share = check.number("share", share, low=1e-12, high=1.0)
    return bayes_of(eta, group_given, check.array("n", n, shape=(R, k), low=1e-12, high=1e15), parity, share)


def bayes_of(eta: np.ndarray, group_given: np.ndarray, n: np.ndarray, parity: Parity, share: float) -> np.ndarray:
    """:func:`bayes_scores` without checks."""
    n = share * n / n.sum()
    label = np.stack([np.ones_like(eta) if cell.label is None else eta if cell.label else 1 - eta for cell in parity.cells], axis=1)
    rates = label[:, :, None] * group_given / n
    return np.column_stack([2 * eta - 1, (rates[:, :, 1:] - rates[:, :, :1]).swapaxes(1, 2).reshape(len(eta), -1)])


def expected_gaps(decisions: ArrayLike, weights: ArrayLike, Y: ArrayLike, notion: AcceptanceNotion | Parity = "equalized_odds",
                  against: OfGroups | None = None) -> np.ndarray:
    """Signed gaps of candidates, with weights for the groups: rate_ay - rate_0y for a = 1..k-1, false positives then true positives.

    Source: supplement, Section 3.1 (the constraints), with n~_ay = sum of weights over a label, lifted to at least one person:
    what is added to a group accepts as often as the label does, so that a constant has no gap: of accepting everybody exactly none.
    Weights from much noise can make a gap as large as they like: it is cut to [-1e6, 1e6].

    Parameters
    ----------
    decisions : array (H, m) in [0, 1]
        P(h = 1) of every candidate for every person.
    weights : array (m, k)
    Y : array (m,) of 0/1
    notion, against : as in :func:`multiplier_grid`

    Returns
    -------
    array (H, 2 (k-1)); of another notion or between pairs as many as it compares, see :class:`dpfair_teach.fairness.Parity`

    Raises
    ------
    ValueError
        Shapes that do not fit, one label only, a notion that is not served.

    Examples
    --------
    >>> expected_gaps([[1, 0, 1, 1]], [[1, 0], [0, 1], [1, 0], [0, 1]], [0, 0, 1, 1]).tolist()
    [[-1.0, 0.0]]
    """
    Y = both_labels(check.labels("Y", Y))
    decisions = check.filled("decisions", check.array("decisions", decisions, ndim=2, low=0.0, high=1.0), "decision")
    as_many("Y", Y, "decisions", decisions.shape[1])
    parity = served(notion, against)
    everybody = (decisions == 1).all(axis=1)
    return estimated_gaps(Decisions.of(decisions), everybody, _weights("weights", weights, Y), strata_of(parity, Y), parity)


def estimated_gaps(decisions: Decisions, everybody: np.ndarray, weights: np.ndarray, strata: list[np.ndarray],
                   parity: Parity) -> np.ndarray:
    """Gaps by what was released. Noise can make them as large as it likes: cut far outside [-1, 1], where the programs still take them.

    Who accepts everybody has no gap, which is public: 0, and not what rounding leaves of large weights."""
    gaps = np.clip(gaps_of(decisions, weights, strata, parity), -1e6, 1e6)
    gaps[everybody] = 0.0
    return gaps


def gaps_of(decisions: Decisions, weights: np.ndarray, strata: list[np.ndarray], parity: Parity) -> np.ndarray:
    """:func:`expected_gaps` without checks."""
    n = group_shares(weights, strata)
    lift = np.stack([(n[r] - weights[i].sum(axis=0)) / len(i) for r, i in enumerate(strata)])

    def shares(at: slice) -> np.ndarray:
        """What each person of a block adds to the rate of each group, (n, R k)."""
        found = np.zeros((at.stop - at.start, len(strata), weights.shape[1]))
        for r, i in enumerate(strata):
            here = i[np.searchsorted(i, at.start):np.searchsorted(i, at.stop)]
            found[here - at.start, r] = (weights[here] + lift[r]) / n[r]
        return found.reshape(len(found), -1)

    rates = decisions.sums(shares).reshape(-1, len(strata), weights.shape[1])
    return parity.differences(rates.swapaxes(1, 2))
