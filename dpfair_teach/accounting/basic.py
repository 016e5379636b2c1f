"""Sums: the epsilons add up, or, on disjoint parts, only those of the parts that one change touches. And rows that change together."""
from __future__ import annotations

import math
from collections.abc import Iterable

from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms import Release
from ._ranges import any_epsilon, any_steps
from .records import alike, records_of, within

__all__ = ["basic_composition", "compose_parallel", "group_privacy", "upsampling"]


def basic_composition(epsilon0: float, k: int) -> float:
    """k epsilon0: what ``k`` steps cost, each epsilon0-private given the answers before it.

    Source: supplement, Theorem 1.4. The probability of a list of answers is a product, one factor a step given the answers before it;
    each factor changes by at most exp(epsilon0) when the data set is replaced by a neighbour, so the product changes by at most exp(k
    epsilon0).

    Parameters
    ----------
    epsilon0 : float in (0, 1e9]
    k : int in 1..10^15

    Returns
    -------
    float
        epsilon of all ``k`` steps, with delta 0 when the steps have none, else with the sum of theirs.

    Examples
    --------
    >>> basic_composition(0.25, k=8)
    2.0
    """
    epsilon0 = any_epsilon(epsilon0)
    return any_steps(k) * epsilon0


def compose_parallel(releases: Release | Iterable[Release], delta: float = 0.0, touches: int = 1) -> float:
    """An epsilon for releases made on disjoint parts of the data, of which one change touches at most ``touches``.

    Source: parallel composition (McSherry 2009): releases on untouched parts have the same law on both neighbours, so only
    the touched ones add up, by supplement, Theorem 1.4; the largest are taken. Each release must be private, at its epsilon and
    delta, for what the change does to its part; no record shows that. If a private number divides all people, it fails.

    Parameters
    ----------
    releases : Release or iterable of Release
        One per part.
    delta : float in [0, 1)
        The total delta allowed.
    touches : int from 1 to the number of releases
        1 when the parts are cut by public columns (cells of Yhat and Y, when only A changes); 2 when one replaced value can
        leave one part and enter another (parts cut by A, or a replaced tuple): each mechanism must then be private when a
        person enters or leaves its part; privacy for "replace one A" inside a part is not enough.

    Returns
    -------
    float
        epsilon, for ``delta``.

    Raises
    ------
    ValueError
        As :func:`compose`; ``touches`` not from 1 to the number of releases.

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

    Source: ours, by supplement, Definition 1.2 along a path of g neighbours, each changing one more of them. Nothing to do with
    composition: there is one release. The group of two twins who answer alike, or of one person with two rows, is g = 2.

    Parameters
    ----------
    epsilon : float in [0, 1e9]
    people : int in 1..10^15
        g, how many entries may change together.
    delta : float in [0, 1)

    Returns
    -------
    (float, float)
        epsilon and delta for the group; delta is cut at 1, where it promises nothing.

    Examples
    --------
    >>> group_privacy(0.5, people=3)
    (1.5, 0.0)
    >>> epsilon, delta = group_privacy(0.5, people=3, delta=1e-6)
    >>> f"{delta:.3g}"
    '5.37e-06'
    >>> group_privacy(0.0, people=3, delta=0.25)
    (0.0, 0.75)
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

    Source: main text, Section 5 ("taking 10 copies of the dataset"), where epsilon is a row's. A person's group is in all of that
    person's rows, so :func:`group_privacy` of the largest number of copies. Sharp: a Laplace count of a group reaches it. As the largest
    number is at least the mean, N rows of m people leave epsilon N / m or more, however the rows were chosen.

    Parameters
    ----------
    epsilon : float in [0, 1e9]
        For one row.
    copies : (m,) array of ints >= 0, not all 0
        How often each person stands in the table. They must not depend on the groups: public, or drawn by a public coin.
    delta : float in [0, 1)
        For one row.

    Returns
    -------
    (float, float)
        epsilon and delta for one person.

    Raises
    ------
    ValueError
        A number out of range; copies that are no whole numbers, negative, none, or all 0.

    Examples
    --------
    >>> upsampling(0.1, copies=[10] * 5)
    (1.0, 0.0)

    As many rows, drawn with replacement from 2,000 people:

    >>> import numpy as np
    >>> drawn = np.bincount(np.random.default_rng(1).integers(0, 2000, 20_000), minlength=2000)
    >>> round(upsampling(0.1, drawn)[0], 1)
    2.1
    """
    times = check.whole_numbers("copies", check.array("copies", copies, ndim=1, low=0.0, high=1e15, booleans=False), low=0, high=10**15)
    check.filled("copies", times, "person")
    if times.max() == 0:
        check.refuse("copies", int(times.max()), "nobody stands in the table", "Give each person's number of rows, one of them above 0.")
    return group_privacy(epsilon, int(times.max()), delta)
