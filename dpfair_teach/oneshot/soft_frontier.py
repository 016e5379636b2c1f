"""Mixtures of fair Bayes thresholds for people whose groups are known as chances: every notion, any two groups, by column generation."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import NOTIONS, Notion
from .thresholds import as_many, both_labels

__all__ = ["fair_mixture", "response_error", "threshold_scores"]

#: What a gap above gamma costs, in errors: dearer ones are exceeded, and so is what no mixture keeps, as may be with accuracy parity.
PRICE = 10.0
_ROUNDS, _SCALES, _GAIN = 25, (1.0, 0.7, 1.4), 1e-5


def _counted(parity: Parity) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each label and rate, (2, R): is it below the fraction line; what is counted of who is rejected; and what accepting adds."""
    inside = np.array([[cell.label in (None, y) for cell in parity.cells] for y in (0, 1)], dtype=float)
    no, yes = (np.array([[float((yhat, y) in cell.above) for cell in parity.cells] for y in (0, 1)]) for yhat in (0, 1))
    return inside, no * inside, (yes - no) * inside


def threshold_scores(eta: np.ndarray, given: np.ndarray, shares: np.ndarray, notion: Notion = "equalized_odds") -> np.ndarray:
    """The columns of fair Bayes thresholds: 2 eta - 1; what accepting x adds to the rate of each cell and group, in expectation; and 1.

    Source: ours, as :func:`bayes_scores`, for every notion and all groups alike. The minimizer of P(h != Y) plus the sum of nu_ra rate_ra
    over all functions of x accepts where 2 eta - 1 is above the sum of nu_ra g_ra(x), g_ra(x) the sum over y of
    s_ry P(y | x) P(a | x, y) / P(a, cell r). s_ry says what accepting adds to who is counted: 1, 0 or, of somebody with label 0 under
    accuracy parity, -1.

    Parameters
    ----------
    eta : array (n,) in [0, 1]
        P(Y = 1 | x).
    given : array (n, 2, k) in [0, 1], [x, y, a]
        P(A = a | x, Y = y).
    shares : array (2, k) above 0
        P(Y = y, A = a), or people.
    notion : str
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``.

    Returns
    -------
    array (n, R k + 2)

    Raises
    ------
    ValueError
        Shapes that do not fit, numbers out of range, an unknown notion.

    Examples
    --------
    >>> threshold_scores([.8], [[[.5, .5], [1, 0]]], [[.25, .25], [.4, .1]], "demographic_parity").round(2).tolist()
    [[0.6, 1.38, 0.29, 1.0]]
    """
    eta = check.filled("eta", check.array("eta", eta, ndim=1, low=0.0, high=1.0), "person")
    given = check.array("given", given, shape=(len(eta), 2, None), low=0.0, high=1.0)
    if given.shape[2] < 2:
        check.refuse("given", given.shape, "has fewer than two groups", "Give a chance for each group.")
    shares = check.array("shares", shares, shape=(2, given.shape[2]), low=1e-12, high=1e15)
    return _scores(eta, given, shares, Parity(check.choice("notion", notion, NOTIONS), "pairs"))


def _scores(eta: np.ndarray, given: np.ndarray, shares: np.ndarray, parity: Parity) -> np.ndarray:
    inside, _, adds = _counted(parity)
    joint = np.stack([1 - eta, eta], axis=1)[:, :, None] * given
    g = np.einsum("nya,yr->nra", joint, adds) / (inside.T @ (shares / shares.sum()))
    return np.column_stack([2 * eta - 1, g.reshape(len(eta), -1), np.ones(len(eta))])


@dataclass(frozen=True)
class FairMixture:
    """A mixture of thresholds: rule h accepts where scores @ multipliers[h] > 0, and is used with probability weights[h].

    Parameters
    ----------
    multipliers : array (H, R k + 2)
        Of the columns of the scores, one row for each rule.
    weights : array (H,)
        Chances, of sum 1.
    error : float
        On the people that it was made for.
    violation : float
        Largest gap between two groups by the chances it was made with: an estimate, mostly too low, as the program made it small.

    Examples
    --------
    >>> FairMixture(np.array([[1.0, 0.0, 0.0]]), np.ones(1), .1, .05).violation
    0.05
    """

    multipliers: np.ndarray
    weights: np.ndarray
    error: float
    violation: float


class Pool:
    """Rules so far, with their errors and the rates (R, k) of groups by everybody's chances ``weights`` (m, k)."""

    def __init__(self, scores: np.ndarray, y: np.ndarray, weights: np.ndarray, parity: Parity) -> None:
        inside, self.no, self.adds = (table[y] for table in _counted(parity))
        self.scores, self.y, self.weights, self.n = scores, y, weights, np.maximum(inside.T @ weights, 1.0)
        self.rules: list[np.ndarray] = []
        self.errors: list[float] = []
        self.rates: list[np.ndarray] = []
        free = np.zeros(scores.shape[1])
        for first, last in ((1.0, 0.0), (0.0, -1.0), (0.0, 1.0)):       # no constraint; reject everybody; accept everybody
            free[0], free[-1] = first, last
            self.add(free)

    def add(self, rule: np.ndarray) -> bool:
        if any(np.abs(rule - other).max() < 1e-9 for other in self.rules):
            return False
        accepts = self.scores @ rule > 0
        self.rules.append(rule.copy())
        self.errors.append(float((accepts != self.y).mean()))
        self.rates.append(self.rates_of(accepts))
        return True

    def rates_of(self, chances: np.ndarray) -> np.ndarray:
        """(R, k), of everybody's chance to be accepted."""
        return (self.no + self.adds * chances[:, None]).T @ self.weights / self.n

    def price(self, nu: np.ndarray) -> np.ndarray:
        """The threshold that answers prices nu (R, k) best."""
        return np.concatenate([[1.0], -nu.ravel(), [0.0]])

    def solve(self, gamma: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Weights of the best mixture, the prices (R, k) of its rates, and its error with what is above gamma at ``PRICE``."""
        rates = np.stack(self.rates)                            # (H, R, k)
        H, R, k = rates.shape
        above = np.concatenate([rates.reshape(H, R * k).T, np.kron(-np.eye(R), np.ones((k, 1))), np.zeros((R * k, R + 1))], axis=1)
        below = np.concatenate([-rates.reshape(H, R * k).T, np.zeros((R * k, R)), np.kron(np.eye(R), np.ones((k, 1))),
                                np.zeros((R * k, 1))], axis=1)
        width = np.concatenate([np.zeros((R, H)), np.eye(R), -np.eye(R), -np.ones((R, 1))], axis=1)
        found = linprog(np.concatenate([self.errors, np.zeros(2 * R), [PRICE]]), A_ub=np.concatenate([above, below, width]),
                        b_ub=np.concatenate([np.zeros(2 * R * k), np.full(R, gamma)]),
                        A_eq=np.concatenate([np.ones(H), np.zeros(2 * R + 1)])[None], b_eq=[1.0],
                        bounds=[(0, None)] * H + [(None, None)] * (2 * R) + [(0, None)], method="highs")
        if found.status != 0:
            raise RuntimeError(f"the program of the mixture was not solved: {found.message}")
        weights, duals = np.clip(found.x[:H], 0.0, None), -found.ineqlin.marginals[:2 * R * k].reshape(2, R, k)
        return weights / weights.sum(), duals[0] - duals[1], float(found.fun)

    def violation(self, weights: np.ndarray) -> float:
        return float(np.ptp(np.tensordot(weights, np.stack(self.rates), 1), axis=1).max())


def fair_mixture(scores: ArrayLike, y: ArrayLike, weights: ArrayLike, gamma: float, notion: Notion = "equalized_odds") -> FairMixture:
    """A mixture of fair Bayes thresholds of small error whose groups' rates are at most gamma apart.

    Source: ours; the linear program over mixtures of main text, Section 4, by column generation: the program's prices of the rates name
    a threshold, :func:`threshold_scores`, the best one by the model at these prices, which joins; until none helps. By the model, and not
    by the labels of these people: thresholds that would do better on them may be left out, so the error is small and need not be the least.
    A unit of gap above gamma costs ten errors: where keeping gamma is dearer, or no mixture keeps it, it is exceeded.

    Parameters
    ----------
    scores : array (m, R k + 2)
        Of :func:`threshold_scores`, everybody's.
    y : array (m,) of 0/1
    weights : array (m, k) in [0, 1]
        Everybody's chance of each group: P(A = a | x, y), or who is in it.
    gamma : float >= 0
    notion : str
        The one of the scores: ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``.

    Raises
    ------
    ValueError
        Shapes that do not fit, one label only, numbers out of range, an unknown notion.

    Examples
    --------
    Group 1 is accepted half as often as group 0; to accept them alike costs a quarter of the decisions.

    >>> y, group = np.array([1, 1, 1, 0]), np.eye(2)[[0, 0, 1, 1]]
    >>> scores = threshold_scores([.9, .9, .9, .1], np.stack([group, group], 1), [[.01, .24], [.49, .26]], "demographic_parity")
    >>> [round(fair_mixture(scores, y, group, gamma, "demographic_parity").error, 3) for gamma in (.5, .25, 0)]
    [0.0, 0.125, 0.25]
    """
    parity = Parity(check.choice("notion", notion, NOTIONS), "pairs")
    weights = check.filled("weights", check.array("weights", weights, ndim=2, low=0.0, high=1.0), "person")
    k = weights.shape[1]
    if k < 2:
        check.refuse("weights", weights.shape, "has fewer than two groups", "Give a column for each group.")
    scores = check.array("scores", scores, shape=(len(weights), len(parity.cells) * k + 2), low=-1e15, high=1e15)
    y = both_labels(check.labels("y", y))
    as_many("y", y, "weights", len(weights))
    return mixture_of(Pool(scores, y, weights, parity), check.gamma(gamma))


def mixture_of(pool: Pool, gamma: float) -> FairMixture:
    """:func:`fair_mixture` from a pool that may hold rules already."""
    best = np.inf
    for rounds in range(_ROUNDS):
        weights, nu, value = pool.solve(gamma)
        if rounds > 3 and value > best - _GAIN:
            break
        best = min(best, value)
        if not any([pool.add(pool.price(scale * nu)) for scale in _SCALES]):
            break
    weights, _, _ = pool.solve(gamma)
    used = np.flatnonzero(weights > 1e-9)
    return FairMixture(np.stack(pool.rules)[used], weights[used] / weights[used].sum(), float(weights @ pool.errors),
                       pool.violation(weights))


def response_error(y: ArrayLike, decisions: ArrayLike, people: ArrayLike, epsilon: float, notion: Notion = "equalized_odds") -> float:
    """Standard error with which everybody's randomized response would tell a group's rate: the largest over groups and cells.

    Source: ours. N people of a cell, n_a of them in group a; each reports once, and reports a with chance r_a = p keep + (1 - p) other,
    p = n_a / N. A rate is the sum of its group's deviations from the share q that is counted, over n_a; debiased, the sum of N people's
    deviations, whose squares are q (1 - q) on average, has variance N q (1 - q) r_a (1 - r_a) / (keep - other)^2 where decision and group
    are nearly independent. A yardstick, and public once the sizes are: a finer gap is one that randomized response could not see.

    Parameters
    ----------
    y : array (m,) of 0/1
    decisions : array (m,) of 0/1
        Of a public classifier.
    people : array (2, k) above 0
        How many of each label and group.
    epsilon : float in [1e-9, 700]
    notion : str
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``.

    Raises
    ------
    ValueError
        Shapes that do not fit, numbers out of range, an unknown notion.

    Examples
    --------
    >>> y, yes = np.arange(1000) % 2, np.arange(1000) < 500
    >>> [round(response_error(y, yes, [[450, 50], [450, 50]], epsilon, "demographic_parity"), 2) for epsilon in (.5, 1, 2)]
    [0.32, 0.16, 0.08]
    """
    y = both_labels(check.labels("y", y))
    accepted = check.labels("decisions", decisions)
    as_many("decisions", accepted, "y", len(y))
    people = check.array("people", people, shape=(2, None), low=1e-12, high=1e15)
    k = people.shape[1]
    if k < 2:
        check.refuse("people", people.shape, "has fewer than two groups", "Give a number for each group.")
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=700.0)
    keep, other = 1 / (1 + (k - 1) * np.exp(-epsilon)), 1 / (k - 1 + np.exp(epsilon))
    inside, no, adds = _counted(Parity(check.choice("notion", notion, NOTIONS), "pairs"))
    found = []
    for r in range(inside.shape[1]):
        here = inside[y, r] > 0
        N, q, n = here.sum(), (no[y, r] + adds[y, r] * accepted)[here].mean(), inside[:, r] @ people
        p = n / n.sum()
        reported = p * keep + (1 - p) * other
        found.append(np.sqrt(N * q * (1 - q) * reported * (1 - reported)) / ((keep - other) * n))
    return float(np.max(found))
