"""What luck does to rates: a finite cell, or a coin at every decision, makes groups differ whom the rule treats alike.

Two questions have one answer. A randomized classifier promises equal *chances*; how far apart are the shares in one round of
decisions? And a classifier is fair in a population; how far apart are the shares in a sample? In both, each person of a (group, label)
cell brings one independent 0 or 1.
"""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from .. import _checks as check
from .parity import OF_GROUPS, OfGroups, form_for

__all__ = ["chance_violation", "gap_margin", "mean_gap_bounds"]


def gap_margin(people: ArrayLike, beta: float = 0.05) -> np.ndarray:
    """How far a drawn gap may be from the expected one, for all groups and labels at once, with chance at least 1 - beta.

    Source: ours, from Hoeffding's inequality: sqrt((1/n_ay + 1/n_0y) ln(2 G / beta) / 2) with G = (k-1) l gaps in all.

    Parameters
    ----------
    people : (k, l) array, k >= 2
        n_ay, the people of each group whose decisions are drawn, for each of l rates: l = 2 for equalized odds (its columns are the
        labels), 1 for a notion of one rate. Group 0 is the anchor.
    beta : float in (0, 1)
        The chance with which some gap may be further off.

    Returns
    -------
    (k, l) array [a, y]; the row of group 0 is 0, its gap to itself. The drawn violation differs from the expected one by at most the
    largest entry. It may exceed 1, and then says nothing.

    Raises
    ------
    ValueError
        Fewer than two groups, a cell with less than one person, or beta outside (0, 1).

    Examples
    --------
    >>> gap_margin([[500, 200], [500, 50]]).round(3)
    array([[0.   , 0.   ],
           [0.094, 0.234]])
    """
    people = check.array("people", people, ndim=2, high=1e15)
    if people.shape[0] < 2 or people.size == 0 or (people < 1).any():
        check.refuse("people", people.tolist(),
                     "not at least one person in each cell "
                     "of at least two groups",
                     "Leave empty groups out, or merge them.")
    beta = check.beta(beta)
    inverse = 1 / people + 1 / people[0]
    inverse[0] = 0
    gaps = (people.shape[0] - 1) * people.shape[1]
    return np.sqrt(inverse * (np.log(2 * gaps) - np.log(beta)) / 2)


def chance_violation(people: int, rate: float, n_groups: int = 2, beta: float = 0.05,
                     against: OfGroups | None = None) -> float:
    """The violation that a fair classifier exceeds by luck with chance at most beta: one rate, equal cells, exact.

    Source: ours. Each of k cells holds n people, each accepted with chance ``rate`` independently; the law of the largest gap is a
    sum over the anchor's (the smallest) count.

    Parameters
    ----------
    people : int
        n, people in each cell, 1 to 10^6.
    rate : float in [0, 1]
    n_groups : int, 2 to 1000
    beta : float in [1e-12, 1)
        Smaller chances are lost in the rounding of the sum.
    against : "anchor" or "pairs"
        As in :func:`violation`: to be said for more than two groups.

    Returns
    -------
    float, the smallest such multiple of 1/n

    Raises
    ------
    ValueError
        An argument outside its range.

    Examples
    --------
    >>> [round(chance_violation(n, rate=0.3), 4) for n in (20, 200, 2000)]
    [0.3, 0.09, 0.0285]
    >>> chance_violation(200, rate=0.3, n_groups=10, against="pairs")
    0.145
    """
    n = check.integer("people", people, low=1, high=10**6)
    rate = check.number("rate", rate, low=0.0, high=1.0)
    k = check.group_count(n_groups)
    beta = check.number("beta", beta, low=1e-12, high=1.0, high_open=True)
    against = check.choice("against", form_for(against, k), OF_GROUPS)
    law = stats.binom(n, rate)
    first = np.arange(n + 1)
    first = first[law.pmf(first) > 1e-18]               # the rest of the law is lost in rounding anyway
    pmf = law.pmf(first)

    def within(gap: int) -> float:
        """The chance that all counts lie within ``gap`` of the anchor's, or of each other."""
        if against == "anchor":
            return float(pmf @ (law.cdf(first + gap) - law.cdf(first - gap - 1)) ** (k - 1))
        top = law.cdf(first + gap)
        return float(((top - law.cdf(first - 1)) ** k - (top - law.cdf(first)) ** k).sum())

    low, high = -1, n                                   # bisection: within(high) is enough, within(low) is not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if within(middle) >= 1 - beta else (middle, high)
    return high / n


def mean_gap_bounds(rates: ArrayLike, people: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Between which numbers the mean measured gap of two groups lies, where as many new people of each are judged.

    Source: ours. The measured gap D has mean d, the true gap, and variance v = sum over both groups of r (1 - r) / n. |.| and the square
    are convex: |d| <= E|D| <= sqrt(d^2 + v). So the mean of several folds' gaps keeps the luck of one fold; people of
    several folds added up have less.

    Parameters
    ----------
    rates : (..., 2) array in [0, 1]
        r: how often a person of each group is accepted.
    people : (..., 2) array, at least 1
        n: how many are judged.

    Returns
    -------
    low, high : (...) arrays

    Raises
    ------
    ValueError
        Another number of groups, rates outside [0, 1], a group with less than one person, shapes that do not fit.

    Examples
    --------
    >>> low, high = mean_gap_bounds([[.5, .5], [.7, .5]], [[5, 5], [500, 37]])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.2], [0.316, 0.217])
    """
    r = check.filled("rates", check.array("rates", rates, low=0.0, high=1.0, booleans=False), "rate")
    n = check.array("people", people, low=1.0, high=1e15, booleans=False)
    if r.ndim == 0 or r.shape[-1] != 2:
        check.refuse("rates", r.shape, "does not end in two groups", "Give a rate for each of two groups.")
    if n.shape != r.shape:
        check.refuse("people", n.shape, f"not of the shape of rates, {r.shape}", "Give the people of each group.")
    low = np.abs(r[..., 0] - r[..., 1])
    return low, np.sqrt(low**2 + (r * (1 - r) / n).sum(axis=-1))
