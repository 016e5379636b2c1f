"""Composition theorems as formulas of numbers: sums, disjoint parts, rows that change together, mean, tail and moments of the loss."""
from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms import Release
from .releases import alike, records_of, within

__all__ = ["advanced_composition", "advanced_composition_long", "basic_composition", "compose_parallel", "group_privacy",
           "ORDERS", "rdp_to_epsilon", "theorem_1_5", "upsampling"]

#: Orders at which accountants look: 1.01 to 100,001, four percent apart. Few steps of pure privacy want large ones.
ORDERS = 1 + np.geomspace(0.01, 1e5, 400)
ORDERS.setflags(write=False)
#: Arrays of k + 1 numbers are held; beyond this many steps take Renyi's accountant.
MOST_STEPS = 10**6


def any_epsilon(epsilon0: object) -> float:
    """The epsilon of one step, for formulas that are sums and products."""
    return check.number("epsilon0", epsilon0, low=0.0, high=1e9, low_open=True)


def choice_epsilon(epsilon0: object) -> float:
    """The epsilon of one exponential mechanism, where binomial tails at exp(-epsilon0) are subtracted: narrower, to keep their digits."""
    return check.number("epsilon0", epsilon0, low=1e-6, high=500.0)


def any_steps(k: object) -> int:
    """A number of steps, for formulas that only multiply by it."""
    return check.integer("k", k, low=1, high=10**15)


def listed_steps(k: object, most: int = MOST_STEPS) -> int:
    """A number of steps whose k + 1 outcomes can be listed."""
    k = check.integer("k", k, low=1)
    if k > most:
        check.refuse("k", k, f"all k + 1 outcomes are listed, for at most {most:,} steps",
                     "Use rdp_to_epsilon(orders, k * rdp_pure(epsilon0, orders), delta).")
    return k


def product_rounded_up(k: int, epsilon0: float) -> float:
    """The least float that is not below k epsilon0: the product of floats may be, by half its last digit."""
    product = k * epsilon0
    return product if Fraction(product) >= k * Fraction(epsilon0) else math.nextafter(product, math.inf)


def basic_composition(epsilon0: float, k: int) -> float:
    """k epsilon0: what ``k`` steps cost, each epsilon0-private given the answers before it.

    Source: supplement, Theorem 1.4.

    Parameters
    ----------
    epsilon0 : float in (0, 1e9]
    k : int in 1..10^15

    Examples
    --------
    >>> basic_composition(0.25, k=8)
    2.0
    """
    epsilon0 = any_epsilon(epsilon0)
    return any_steps(k) * epsilon0


def compose_parallel(releases: Release | Iterable[Release], delta: float = 0.0, touches: int = 1) -> float:
    """An epsilon for releases made on disjoint parts of the data, of which one change touches at most ``touches``.

    Source: parallel composition (McSherry 2009): of the releases only those on touched parts add up, by supplement, Theorem 1.4. Each must
    be private for what the change does to its part; no record shows that. If a private number divides all people, it fails.

    Parameters
    ----------
    releases : as in :func:`compose`, one per part
    delta : float in [0, 1)
    touches : int from 1 to the number of releases
        1 when the parts are cut by public columns; 2 when one replaced value can leave one part and enter another (parts cut by A, or a
        replaced tuple): each mechanism must then be private when a person enters or leaves its part.

    Examples
    --------
    >>> from dpfair_teach.accounting import UNIT_A
    >>> cells = [Release("laplace", UNIT_A, sensitivity=1, scale=2.0) for _ in range(4)]
    >>> compose_parallel(cells), compose_parallel(cells, touches=2)
    (0.5, 1.0)
    """
    records = records_of(releases)
    alike(records)
    delta = check.number("delta", delta, low=0.0, high=1.0, high_open=True)
    touches = check.integer("touches", touches, low=1, high=len(records))
    for r in records:
        if r.epsilon is None:
            check.refuse("releases", r, "has no epsilon without a delta of its own",
                         "Give compose the records of the parts that one change touches, with method='rdp' or 'pld'.")
    within(math.fsum(sorted(r.times * r.delta for r in records)[-touches:]), delta)
    return math.fsum(sorted(r.times * (r.epsilon or 0.0) for r in records)[-touches:])     # none is None: refused above


def group_privacy(epsilon: float, people: int, delta: float = 0.0) -> tuple[float, float]:
    """(g epsilon, delta (e^(g epsilon) - 1) / (e^epsilon - 1)), or (0, g delta): what is promised to ``people`` = g together.

    Source: ours, by supplement, Definition 1.2 along a path of g neighbours. Two twins who answer alike, or one person with two rows, are g
    = 2.

    Parameters
    ----------
    epsilon : float in [0, 1e9]
    people : int in 1..10^15
    delta : float in [0, 1)

    Returns
    -------
    (float, float)
        epsilon and delta for the group; delta is cut at 1.

    Examples
    --------
    >>> group_privacy(0.5, people=3)
    (1.5, 0.0)
    """
    epsilon = check.number("epsilon", epsilon, low=0.0, high=1e9)
    people = check.integer("people", people, low=1, high=10**15)
    delta = check.number("delta", delta, low=0.0, high=1.0, high_open=True)
    if delta == 0:
        return people * epsilon, 0.0
    if epsilon == 0:
        return 0.0, min(people * delta, 1.0)
    # ln of (e^(g eps) - 1) / (e^eps - 1), with the large exponents taken out before the subtraction
    growth = (people - 1) * epsilon + math.log(-math.expm1(-people * epsilon)) - math.log(-math.expm1(-epsilon))
    return people * epsilon, math.exp(min(math.log(delta) + growth, 0.0))


def upsampling(epsilon: float, copies: ArrayLike, delta: float = 0.0) -> tuple[float, float]:
    """What an algorithm that is (epsilon, delta)-private for one row promises to a person, where person i has copies[i] rows.

    Source: main text, Section 5 ("taking 10 copies of the dataset"), where epsilon is a row's: :func:`group_privacy` of the largest number
    of copies. Sharp: a Laplace count of a group reaches it.

    Parameters
    ----------
    epsilon : float in [0, 1e9]
    copies : (m,) array of ints >= 0, not all 0
        How often each person stands in the table, whatever the groups are.
    delta : float in [0, 1)

    Returns
    -------
    (float, float)

    Examples
    --------
    >>> upsampling(0.1, copies=[10] * 5)
    (1.0, 0.0)
    """
    times = check.whole_numbers("copies", check.array("copies", copies, ndim=1, low=0.0, high=1e15, booleans=False), low=0, high=10**15)
    check.filled("copies", times, "person")
    if times.max() == 0:
        check.refuse("copies", int(times.max()), "nobody stands in the table", "Give each person's number of rows, one of them above 0.")
    return group_privacy(epsilon, int(times.max()), delta)


def _checked(epsilon0: object, k: object, delta: object) -> tuple[float, int, float]:
    return any_epsilon(epsilon0), any_steps(k), check.delta(delta)


def _mean_and_tail(epsilon0: float, k: int, delta: float) -> tuple[float, float]:
    return k * epsilon0 * math.tanh(epsilon0 / 2), epsilon0 * math.sqrt(-2 * k * math.log(delta))


def advanced_composition(epsilon0: float, k: int, delta: float) -> float:
    """2 epsilon0 sqrt(2 k ln(1/delta)): k pure epsilon0-private steps are (this, delta)-private, where that is true.

    Source: supplement, Theorem 1.5, with pure steps and, in place of its hypothesis epsilon < 1, the exact condition sqrt(k) tanh(epsilon0
    / 2) <= sqrt(2 ln(1/delta)): the tail of the summed loss is at least its mean. The chapter on adding up has the proof.

    Parameters
    ----------
    epsilon0 : float in (0, 1e9]
    k : int in 1..10^15
    delta : float in (0, 1)

    Raises
    ------
    ValueError
        Where the short formula is no bound; the message has those that are.

    Examples
    --------
    >>> round(advanced_composition(0.01, k=10_000, delta=1e-5), 3)
    9.597
    """
    epsilon0, k, delta = _checked(epsilon0, k, delta)
    mean, tail = _mean_and_tail(epsilon0, k, delta)
    if mean > tail:
        check.refuse("epsilon0", epsilon0,
                     f"with k={k} and delta={delta:g} the mean loss alone may be {mean:.6g}, so that the short formula is no bound",
                     "Use optimal_composition, the least that is true of all such steps, or for a known mechanism compose(releases, delta, "
                     f"method='rdp') or 'pld'; weaker are the long formula, mean plus tail = {mean + tail:.6g}, and basic composition, "
                     f"k epsilon0 = {k * epsilon0:.6g}. Or choose a smaller epsilon0.")
    return 2 * tail


def advanced_composition_long(epsilon0: float, k: int, delta: float) -> float:
    """k epsilon0 tanh(epsilon0 / 2) + epsilon0 sqrt(2 k ln(1/delta)): mean plus tail, true for all pure epsilon0-private steps.

    Source: Dwork, Rothblum and Vadhan 2010, with the exact mean. It is above k epsilon0 when the steps are few.

    Parameters
    ----------
    epsilon0, k, delta : as in :func:`advanced_composition`

    Examples
    --------
    >>> round(advanced_composition_long(1.0, k=1000, delta=1e-5), 2)
    613.86
    """
    return sum(_mean_and_tail(*_checked(epsilon0, k, delta)))


@dataclass(frozen=True)
class Theorem15:
    """What Theorem 1.5 grants each step, and what all steps then have.

    ``epsilon_step`` is epsilon', ``epsilon`` the target, ``delta`` is k delta' + delta; ``condition``: whether pure steps of this size
    satisfy the exact condition of :func:`advanced_composition`.
    """

    epsilon_step: float
    epsilon: float
    delta: float
    condition: bool


def theorem_1_5(epsilon: float, k: int, delta: float, delta_step: float = 0.0, *, as_printed: bool = False) -> Theorem15:
    """Turn a target (epsilon, delta) into a budget for each of k steps: epsilon' = epsilon / (2 sqrt(2 k ln(1/delta))).

    Source: supplement, Theorem 1.5. ``as_printed`` keeps its hypothesis 0 < epsilon < 1, which is too narrow and, for delta near 1, not
    enough. By default it is the exact condition of :func:`advanced_composition`, which holds for every k when epsilon <= 8 ln(1/delta).

    Parameters
    ----------
    epsilon : float in [1e-200, 1e9]
    k : int in 1..10^15
    delta : float in (0, 1)
        The part of the total delta that is spent on the tail of the loss.
    delta_step : float in [0, 1)
        delta' of each step; k delta' + delta must stay below 1.
    as_printed : bool
        The printed hypothesis epsilon < 1 instead of the condition.

    Examples
    --------
    >>> granted = theorem_1_5(0.5, k=100, delta=1e-6, delta_step=1e-9)
    >>> round(granted.epsilon_step, 6), granted.delta, granted.condition
    (0.004756, 1.1e-06, True)
    """
    epsilon, delta = check.number("epsilon", epsilon, low=1e-200, high=1e9), check.delta(delta)
    k, as_printed = any_steps(k), check.flag("as_printed", as_printed)
    delta_step = check.number("delta_step", delta_step, low=0.0, high=1.0, high_open=True)
    if k * delta_step + delta >= 1:
        check.refuse("delta_step", delta_step, f"k delta_step + delta = {k * delta_step + delta:.6g} is no less than 1",
                     "Choose smaller deltas.")
    if as_printed and epsilon >= 1:
        check.refuse("epsilon", epsilon, "the theorem as printed supposes epsilon < 1", "Leave as_printed False: it then holds up to "
                     f"8 ln(1/delta) = {-8 * math.log(delta):.6g}.")
    step = epsilon / (2 * math.sqrt(-2 * k * math.log(delta)))
    mean, tail = _mean_and_tail(step, k, delta)
    if not as_printed and mean > tail:
        check.refuse("epsilon", epsilon, f"with k={k} and delta={delta:g} the mean loss alone may be {mean:.6g}",
                     f"Choose epsilon up to 8 ln(1/delta) = {-8 * math.log(delta):.6g}.")
    return Theorem15(step, epsilon, k * delta_step + delta, mean <= tail)


def _at_orders(orders: object, rdp: object) -> tuple[np.ndarray, np.ndarray]:
    orders = check.filled("orders", check.array("orders", orders, ndim=1, low=1.001, high=1e6), "order")
    rdp = check.filled("rdp", check.array("rdp", rdp, low=0.0), "divergence")
    if rdp.ndim == 0 or rdp.shape[-1] != len(orders):
        check.refuse("rdp", rdp.shape, f"has not one entry for each of {len(orders)} orders on its last axis",
                     "Compute it at these orders.")
    return orders, rdp


def rdp_to_epsilon(orders: ArrayLike, rdp: ArrayLike, delta: float) -> np.ndarray:
    """The epsilon that Renyi divergences give at this delta: the smallest over the orders of the sharp conversion.

    Source: Balle, Barthe, Gaboardi, Hsu and Sato 2020, Theorem 21, and Asoodeh, Liao, Calmon, Kosut and Sankar 2021:

        epsilon = rdp + ln(1 - 1/a) - (ln delta + ln a) / (a - 1).

    The chapter on adding up has the proof. Where delta^2 >= 1 - exp(-rdp), epsilon 0 will do (Bretagnolle and Huber).

    Parameters
    ----------
    orders : array (n,) in [1.001, 1e6]
    rdp : array (..., n) >= 0
        Of the whole composition: sums over its steps. Leading axes are separate compositions.
    delta : float in [1e-300, 1)

    Returns
    -------
    array (...)

    Examples
    --------
    >>> from dpfair_teach.accounting import rdp_laplace
    >>> rdp_to_epsilon(ORDERS, np.outer([1, 100], rdp_laplace(0.1, ORDERS)), delta=1e-6).round(3)
    array([0.1  , 4.984])
    """
    orders, rdp = _at_orders(orders, rdp)
    delta = check.number("delta", check.delta(delta), low=1e-300, high=1.0)
    for_delta = (math.log(delta) + np.log(orders)) / (orders - 1)
    epsilon = (rdp + np.log1p(-1 / orders) - for_delta).min(axis=-1)
    free = (-np.expm1(-rdp) <= delta**2).any(axis=-1)
    return np.where(free, 0.0, np.maximum(epsilon, 0.0))[()]
