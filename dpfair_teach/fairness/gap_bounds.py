"""How large a gap between groups can be: what one form says of another, what a share of acceptances allows, what sampling adds."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .parity import OF_GROUPS, OfGroups, form_for

__all__ = ["form_constants", "widest_gap", "gap_margin", "chance_violation", "mean_gap_bounds"]


def form_constants(shares: ArrayLike, anchor: int = 0) -> np.ndarray:
    """What one form of a notion promises of another: the smallest c with violation(wanted) <= c violation(given), for all rates.

    Source: ours (chapter 2); the supplement, Definition 1.1, goes from pairs to an anchor "without loss of generality".

    Parameters
    ----------
    shares : (k,) array, k >= 2, positive
        People, or shares of people, of each group among those whose rate is compared: with label y for the rates of equalized odds,
        all of them for demographic and accuracy parity.
    anchor : int in 0..k-1
        The group that the anchored form compares with.

    Returns
    -------
    (3, 3) array indexed [given, wanted], both in the order of :data:`AGAINST`. Each constant is attained for violations up to 1/2.

    Examples
    --------
    >>> form_constants([0.6, 0.3, 0.1])     # rows: given the anchored, pairwise, population form
    array([[1.        , 2.        , 1.2       ],
           [1.        , 1.        , 0.9       ],
           [1.66666667, 2.        , 1.        ]])
    """
    w = check.array("shares", shares, ndim=1, high=1e15)
    if w.size < 2 or (w <= 0).any():
        check.refuse("shares", w.tolist(), "not the positive shares of at least two groups", "Leave empty groups out.")
    anchor = check.integer("anchor", anchor, low=0, high=w.size - 1)
    w = w / w.max()
    w = w / w.sum()
    own, least = w[anchor], np.delete(w, anchor).min()
    return np.array([
        [1.0, 1.0 if w.size == 2 else 2.0, max(1 - own, 2 - own - 2 * least)],
        [1.0, 1.0, 1 - w.min()],
        [min(2.0, 1 / max(own, least)), min(2.0, 1 / np.sort(w)[1]), 1.0],
    ])


def widest_gap(accepted: ArrayLike, shares: ArrayLike) -> np.ndarray:
    """The largest demographic parity gap, between any two groups, of a classifier that accepts this share of all people.

    Source: ours, for Table 1 (Ding et al. 2020): min(1, p / pi_a) - max(0, (p - 1 + pi_b) / pi_b) for the worst pair a, b. For a
    small p it is p over the smallest share.

    Parameters
    ----------
    accepted : array in [0, 1]
        p, of any shape.
    shares : (k,) array, k >= 2
        Every group's share of the people, each above 0, with sum 1.

    Returns
    -------
    array of the shape of ``accepted``

    Examples
    --------
    >>> widest_gap([0.01, 0.3, 1.0], [0.7, 0.3]).round(3)
    array([0.033, 1.   , 0.   ])
    """
    p = check.array("accepted", accepted, low=0.0, high=1.0)
    pi = check.array("shares", shares, ndim=1, low=0.0, high=1.0)
    if len(pi) < 2 or (pi <= 0).any() or abs(pi.sum() - 1) > 1e-6:
        check.refuse("shares", pi.tolist(), "are not the shares of two groups or more: each above 0, with sum 1",
                     "Divide the sizes of the groups by their sum.")
    highest = np.minimum(1.0, p[..., None] / pi)
    lowest = np.maximum(0.0, (p[..., None] - 1 + pi) / pi)
    gaps = highest[..., :, None] - lowest[..., None, :]
    return gaps[..., ~np.eye(len(pi), dtype=bool)].max(axis=-1)


def gap_margin(people: ArrayLike, beta: float = 0.05) -> np.ndarray:
    """How far drawn gaps to group 0 are from the expected ones, at most, for all groups and labels at once, with chance 1 - beta.

    Source: ours (chapter 2), from Hoeffding's inequality: sqrt((1/n_ay + 1/n_0y) ln(2 G / beta) / 2) with G = (k-1) l gaps in all.

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
    """The violation that a classifier which treats all groups alike exceeds with chance at most beta: one rate, equal cells, exact.

    Source: ours (chapter 2): each of k cells holds n people, each accepted with chance ``rate`` independently. A multiple of 1/n.

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

    Examples
    --------
    >>> [round(chance_violation(n, rate=0.3), 4) for n in (20, 200, 2000)]
    [0.3, 0.09, 0.0285]
    """
    from scipy import stats  # more than a second, that nothing else here costs

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

    Source: ours (chapter 22): |d| <= E|D| <= sqrt(d^2 + v) for the measured gap D with mean d, the true gap, and variance
    v = sum over both groups of r (1 - r) / n.

    Parameters
    ----------
    rates : (..., 2) array in [0, 1]
        r: how often a person of each group is accepted.
    people : (..., 2) array, at least 1
        n: how many are judged.

    Returns
    -------
    low, high : (...) arrays

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
