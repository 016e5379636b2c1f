"""How far one person who changes group moves the measured violations: the dual step, as printed, true, and repaired."""
from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .sensitivity import sizes_of

__all__ = ["theorem_2", "fixed_violation_sensitivity"]


def _range(low: object, high: object) -> tuple[float, float]:
    low, high = check.number("low", low, low=-1e12, high=1e12), check.number("high", high, low=-1e12, high=1e12)
    if high - low < 1e-12:
        check.refuse("high", high, f"not above low = {low:g}", "Give the least and the largest value of h.")
    return low, high


def theorem_2(n_left: float, n_joined: float, low: float, high: float, *, as_printed: bool = False) -> float:
    """The l2 sensitivity of the violations, one for each group: (high - low) hypot(1/n1, 1/(n2 + 1)).

    Source: Tran et al. 2020, Theorem 2; the constant is ours (gaps T16 and T17). The mean of h over a group of n1 moves by at most (high -
    low) / n1 when somebody leaves, that of n2 by (high - low) / (n2 + 1) when somebody joins; these are two coordinates, so their squares
    add up. An absolute value moves by no more than what is inside. The signed violations attain it, the absolute ones where a
    third group keeps their signs; of two groups they move a little less. As in Theorem 1 the sizes at hand are private.

    Parameters
    ----------
    n_left : float in [2, 1e12]
        n1: people of the group that is left, with the one who leaves.
    n_joined : float in [1, 1e12]
        n2: people of the group that is joined, before.
    low, high : float in [-1e12, 1e12]
        The range of h, public; high above low.
    as_printed : bool
        sqrt(2) C_d / (min(n1, n2) - 1), C_d the largest absolute value of h: valid if h has one sign, too small if it has both.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        An empty range of h.

    Examples
    --------
    >>> round(theorem_2(10, 10, low=-1, high=1), 3), round(theorem_2(10, 10, low=-1, high=1, as_printed=True), 3)
    (0.27, 0.157)
    >>> round(theorem_2(10, 10, low=0, high=1), 3)
    0.135
    """
    n1, n2 = sizes_of(n_left, n_joined)
    low, high = _range(low, high)
    if check.flag("as_printed", as_printed):
        return math.sqrt(2) * max(abs(low), abs(high)) / (min(n1, n2) - 1) if min(n1, n2) > 1 else math.inf
    return (high - low) * math.hypot(1 / n1, 1 / (n2 + 1))


def fixed_violation_sensitivity(normalisers: ArrayLike, low: float, high: float, population: float, *, one: bool = False) -> float:
    """The l2 sensitivity of violations with fixed public normalisers, (1/N_a) times the sum over group a of (population - h).

    Source: ours (repair R2 of gaps T17 and T28). ``population`` is the mean of h over all people, which is public. Who changes group takes
    population - h, at most R = max(high - population, population - low) in absolute value, from one coordinate to another.

    Parameters
    ----------
    normalisers : (k,) array in [1e-6, 1e15]
        N, public.
    low, high : float in [-1e12, 1e12]
        The range of h, public; high above low.
    population : float in [-1e12, 1e12]
        The mean of h over all people, from low to high.
    one : bool
        Only the first group's violation is measured: enough for two groups, whose violations are multiples of each other.

    Returns
    -------
    float
        R hypot of the two largest 1/N, or R / N of the first group.

    Raises
    ------
    ValueError
        Fewer than two normalisers, a population outside the range of h; ``one`` with more than two.

    Examples
    --------
    >>> round(fixed_violation_sensitivity([10, 10], low=0, high=1, population=0.4), 4)
    0.0849
    >>> round(fixed_violation_sensitivity([10, 10], low=0, high=1, population=0.4, one=True), 4)
    0.06
    """
    N = check.array("normalisers", normalisers, ndim=1, low=1e-6, high=1e15, booleans=False)
    if not 2 <= N.size <= 1000:
        check.refuse("normalisers", N.shape, "not one number for each of 2 to 1000 groups", "Give one normaliser for each group.")
    low, high = _range(low, high)
    population = check.number("population", population, low=-1e12, high=1e12)
    if not low <= population <= high:
        check.refuse("population", population, f"outside the range of h, from low = {low:g} to high = {high:g}",
                     "Give the mean of h over all people.")
    reach = max(high - population, population - low)
    if check.flag("one", one):
        if N.size > 2:
            check.refuse("one", one, f"one violation says nothing of the others of {N.size} groups", "Measure all, one=False.")
        return float(reach / N[0])
    return float(reach * math.hypot(*np.sort(1 / N)[-2:]))
