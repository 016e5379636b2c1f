"""Candidate classifiers: a grid of multipliers, and the scores of fair Bayes thresholding that they are prices of."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import ACCEPTANCE_NOTIONS, OF_GROUPS, Notion, OfGroups, read_parity

__all__ = ["bayes_scores", "multiplier_grid"]

#: Of people who are known before anybody decides, the share accepted or judged right: of a mixture the mean, and linear programs serve it.
SERVED = (*ACCEPTANCE_NOTIONS, "accuracy_parity")
BECAUSE = "Rates are of who is accepted, or judged right, and a gap is between two groups."

#: Points on an axis of the grid and its largest, by the number of axes; with more, or between pairs, one direction at a time.
_GRID = {1: (41, 2.0), 2: (21, 2.0), 3: (9, 1.0), 4: (5, 1.0), 6: (3, 0.2)}
_ALONG = (9, 1.0)
_MOST = 20_000


def served(notion: Notion | Parity | None, against: OfGroups | None = None) -> Parity:
    """The notion of a call, if one-shot learning serves it."""
    return read_parity(notion, against=against, notions=SERVED, forms=OF_GROUPS, because=BECAUSE)


@check.formerly(largest="It follows from the number of groups: multiply the grid.")
def multiplier_grid(n_groups: int = 2, points: int | None = None, notion: Notion | Parity = "equalized_odds",
                    against: OfGroups | None = None) -> np.ndarray:
    """Multipliers u_ar for every a = 1, ..., k-1 and each rate r of a notion, up to a largest size; and first no constraint at all.

    Source: ours. The learner's best response to the auditor (main text, Section 4) depends on the multipliers only through the price of
    each group's rate; the prices of a rate sum to 0, and u are those of all groups but 0. Against an anchor, up to four groups, the others'
    prices are all points of a grid. Else, one direction at a time: one group against another, or against all, with a grid for its
    rates; then a permutation of the groups permutes the candidates. Points lie at largest sinh(4 t) / sinh(4) for evenly spaced t: dense
    at 0, so that one grid serves data on which a small multiplier is enough and data that need a large one. A multiplier of 1 trades a gap
    of 1 for the errors of everybody; the largest is 2 for two groups, 1 for three, 0.2 for four, 1 otherwise.

    Parameters
    ----------
    n_groups : int in 2..1000
        With the usual points up to 21, up to 66 for a notion of one rate: with more the grid is too large.
    points : int in 2..101, optional
        On each axis; 21 for two groups and two rates, 5 for three groups, 3 for four, 9 one direction at a time.
    notion : str or Parity
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``.
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
    >>> multiplier_grid(2, points=3).tolist()[:4]
    [[0.0, 0.0], [-2.0, -2.0], [-2.0, 0.0], [-2.0, 2.0]]
    >>> multiplier_grid(3).shape, multiplier_grid(3, notion="demographic_parity").shape, multiplier_grid(3, against="pairs").shape
    ((626, 4), (442, 2), (487, 4))
    """
    k, parity = check.group_count(n_groups), served(notion, against)
    parity.comparisons(k)                   # refuses an anchor that is no group
    R = len(parity.cells)
    axes = R * (k - 1)
    full = k == 2 or (parity.against == "anchor" and k <= 4)
    usual, largest = _GRID[axes] if full else _ALONG
    points = usual if points is None else check.integer("points", points, low=2, high=101)
    axis = largest * np.sinh(4 * np.linspace(-1, 1, points)) / np.sinh(4)
    n = points**axes if full else k * (k + 1) // 2 * points**R
    if n > _MOST:
        if n_groups > 4 and points == usual:
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


def as_many(name: str, value: np.ndarray, other: str, n_other: int) -> None:
    """Two arrays of one entry (a row) for each person."""
    if len(value) != n_other:
        check.refuse(name, value.shape, f"{other} has {n_other} entries", f"Give {name} and {other} as many entries.")


def bayes_scores(eta: ArrayLike, group_given: ArrayLike, n: ArrayLike, notion: Notion | Parity = "equalized_odds",
                 share: float = 1.0, cost: tuple[float, float] = (1.0, 1.0)) -> np.ndarray:
    """The columns of fair Bayes thresholding: 2 eta - 1, and what accepting x adds to each gap, in expectation over its Y and A.

    With errors of unlike ``cost``, false positives and false negatives, the first is what accepting x saves, eta times the latter less
    1 - eta times the former.

    Source: ours, in the manner of fair Bayes classifiers (Zeng, Dobriban and Cheng 2022): the minimizer of P(h != Y) plus the sum of
    u_ay (rate_ay - rate_0y) over all functions of x accepts where 2 eta - 1 is above the sum of
    u_ay P(y | x) (P(a | x, y) / P(a, y) - P(0 | x, y) / P(0, y)). Of A it needs only the P(a | x, y) and the shares; eta is public.
    Demographic parity has no y: u_a (P(a | x) / P(a) - P(0 | x) / P(0)). Accuracy parity has both: who accepts x is right where y is 1,
    and was right without it where y is 0, so the two labels count with opposite signs.

    Parameters
    ----------
    eta : array (n,) in [0, 1]
        P(Y = 1 | x).
    group_given : array (n, R, k) in [0, 1], indexed [x, rate, a]
        P(A = a | x, Y = y) for the label y that the rate conditions on, as both of equalized odds; or P(A = a | x). For accuracy parity
        (n, 2, k), P(A = a | x, Y = y) for both labels.
    n : array (R, k), above 0
        Number of people, or shares, [rate, a].
    notion : str or Parity
        As in :func:`multiplier_grid`.
    share : float in [1e-12, 1]
        Of everybody, those whom ``n`` counts: 1 unless a single label is compared.
    cost : pair of floats
        Of a false positive and of a false negative.

    Returns
    -------
    array (n, 1 + (k-1) R) for R rates: accept where scores[:, 0] > scores[:, 1:] @ u

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
    given = 2 if parity.notion == "accuracy_parity" else R
    group_given = check.array("group_given", group_given, shape=(len(eta), given, None), low=-0.5, high=1.5)
    k = group_given.shape[2]
    if k < 2:
        check.refuse("group_given", group_given.shape, "has fewer than two groups", "Give a column for each group.")
    share = check.number("share", share, low=1e-12, high=1.0)
    return bayes_of(eta, group_given, check.array("n", n, shape=(R, k), low=1e-12, high=1e15), parity, share, read_cost(cost))


def bayes_of(eta: np.ndarray, group_given: np.ndarray, n: np.ndarray, parity: Parity, share: float,
             cost: tuple[float, float]) -> np.ndarray:
    """:func:`bayes_scores` without checks."""
    n = share * n / n.sum()
    if parity.notion == "accuracy_parity":
        rates = (eta[:, None] * group_given[:, 1] - (1 - eta)[:, None] * group_given[:, 0])[:, None] / n
    else:
        label = np.stack([np.ones_like(eta) if cell.label is None else eta if cell.label else 1 - eta for cell in parity.cells], axis=1)
        rates = label[:, :, None] * group_given / n
    saved = cost[1] * eta - cost[0] * (1 - eta)
    return np.column_stack([saved, (rates[:, :, 1:] - rates[:, :, :1]).swapaxes(1, 2).reshape(len(eta), -1)])


def read_cost(cost: object) -> tuple[float, float]:
    """What a false positive and a false negative cost."""
    how = "Give what a false positive and what a false negative costs, as (1, 1)."
    found = check.array("cost", cost, low=0.0, high=1e6, booleans=False, remedy=how)
    if found.shape != (2,) or not found.any():
        check.refuse("cost", cost, "is no pair of numbers" if found.shape != (2,) else "is 0 for both errors", how)
    return float(found[0]), float(found[1])
