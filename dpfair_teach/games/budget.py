"""How much privacy each round may cost, and what the printed noise really costs."""
from __future__ import annotations

import math
from typing import Any, Literal, get_args

from .. import _checks as check
from ..accounting import ORDERS, rdp_exponential, rdp_laplace, rdp_to_epsilon
from ..audit import laplace_scale_delta
from .auditor import MOST_ROUNDS
from .notions import checked_constraints

__all__ = ["largest_step", "printed_noise_delta", "printed_noise_epsilon"]

Accounted = Literal["advanced", "rdp"]
ACCOUNTED: tuple[Accounted, ...] = get_args(Accounted)
SMALLEST_STEP = 1e-9
SMALLEST_EPSILON = 1e-9     # of a part of what a caller gives
SHARE = 0.1                 # of epsilon, for what is released before the first round


def checked_share(value: object, epsilon: float) -> float:
    """The part of ``epsilon`` that is spent before the first round: something, and something is left."""
    share = check.number("share", value, low=0.0, high=1.0, low_open=True, high_open=True)
    if min(share, 1 - share) * epsilon < SMALLEST_EPSILON:
        check.refuse("share", share, f"of epsilon={epsilon:g}, less than {SMALLEST_EPSILON:g} is spent before the rounds, or left for them",
                     "Choose share nearer to its default.")
    return share


def checked_delta(value: object, least: float = 1e-300) -> float:
    """delta of a play: below 1, and where doubles hold its logarithm."""
    return check.number("delta", value, low=least, high=1.0, high_open=True)


def printed_step(epsilon: Any, delta: float, rounds: int) -> Any:
    """epsilon' of Algorithm 5, for 2T steps: epsilon / (4 sqrt(T ln(1/delta)))."""
    return epsilon / (4 * math.sqrt(-rounds * math.log(delta)))


def sure_step(epsilon: float, delta: float, steps: int) -> tuple[float, float]:
    """epsilon' by Theorem 1.5, 0 where its formula is no bound; and the larger of that and basic composition: what is sure."""
    short = epsilon / (2 * math.sqrt(-2 * steps * math.log(delta)))
    short = short if math.sqrt(steps) * math.tanh(short / 2) <= math.sqrt(-2 * math.log(delta)) else 0.0
    return short, max(epsilon / steps, short)


def largest_step(epsilon: float, delta: float, selections: int, gradients: int, *, method: Accounted = "rdp") -> float:
    """epsilon' such that so many exponential and so many Laplace mechanisms of epsilon' each stay within (epsilon, delta).

    Source: supplement, section 3.2 (epsilon' = epsilon / (4 sqrt(T ln(1/delta))) for 2T steps, by Theorem 1.5), for "advanced". "rdp":
    ours, the largest of basic composition, Theorem 1.5 and the Renyi divergences of the two mechanisms, found by bisection.

    Parameters
    ----------
    epsilon : float in [1e-9, 1e6]
        Of all together.
    delta : float in [1e-300, 1)
    selections, gradients : int in 0..10^15, not both 0
        How often the learner selects, and how often the auditor measures.
    method : str
        "advanced" or "rdp".

    Returns
    -------
    float

    Raises
    ------
    ValueError
        A number out of range; "advanced" where the formula is no bound.

    Examples
    --------
    >>> round(largest_step(1.0, 1e-7, 100, 99), 4), round(largest_step(1.0, 1e-7, 100, 99, method="advanced"), 4)
    (0.0184, 0.0062)
    """
    epsilon = check.number("epsilon", epsilon, low=SMALLEST_EPSILON, high=1e6)
    delta = checked_delta(delta)
    count = [check.integer(name, value, low=0, high=MOST_ROUNDS) for name, value in (("selections", selections), ("gradients", gradients))]
    steps = sum(count)
    if not steps:
        check.refuse("selections", selections, "and no gradients either", "Count the mechanisms that read private data.")
    short, low = sure_step(epsilon, delta, steps)
    if check.choice("method", method, ACCOUNTED) == "advanced":
        if not short:
            check.refuse("epsilon", epsilon, f"with {steps} steps the formula of Theorem 1.5 is no bound", "Choose method='rdp'.")
        return short
    if low < SMALLEST_STEP:
        check.refuse("selections, gradients", tuple(count), f"leave epsilon' = {low:.3g} to each step", "Play fewer rounds.")
    high = max(epsilon, 2 * low)
    for _ in range(50):
        step = math.sqrt(low * high)
        spent = count[0] * rdp_exponential(step, ORDERS) + count[1] * rdp_laplace(step, ORDERS)
        low, high = (step, high) if rdp_to_epsilon(ORDERS, spent, delta) <= epsilon else (low, step)
    return low


def _scales(smallest_cell: object) -> tuple[float, float]:
    """The printed scales at n and at n - 1, up to a common factor."""
    n = check.integer("smallest_cell", smallest_cell, low=1, high=10**12)
    if n < 3:
        check.refuse("smallest_cell", n, "a neighbour may have a cell of one person or none, for whom there is no printed scale 1/(n - 1)",
                     "Give at least 3: then both data sets satisfy Assumption 3.3.")
    return 1 / (n - 1), 1 / (n - 2)


def printed_noise_delta(smallest_cell: int, n_groups: int, epsilon: float, *,
                        gradients: int = 1,
                        constraints: tuple[str, ...] = ("FP", "TP")) -> float:
    """The delta that the printed Laplace noise of Algorithm 5 needs at this epsilon, by its scale alone: exact.

    Source: ours, on supplement, Algorithm 5. The scale is proportional to 1/(n-1), with n the smallest cell of the private data. A
    neighbour with n - 1 there uses a scale (n-1)/(n-2) times as large, and the sum of absolute noises tells which it was
    (:func:`~dpfair_teach.audit.laplace_scale_delta`). A class of constants has all gaps 0 whatever A is, so there nothing else is
    to be seen, and the answer does not depend on the rest of the algorithm.

    Parameters
    ----------
    smallest_cell : int in 3..10^12
        n. From 3 on, both data sets satisfy Assumption 3.3.
    n_groups : int in 2..1000
    epsilon : float in [0, 700]
    gradients : int in 1..10^6
        How many noisy gradients are seen. The average multipliers of a run of two rounds determine one.
    constraints : tuple of "FP", "TP"

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    ValueError
        A cell of 1 or 2, whose neighbour has no printed scale; a number out of range.

    Examples
    --------
    >>> [round(printed_noise_delta(n, 2, epsilon=1.0), 3) for n in (3, 4, 5)]
    [0.323, 0.106, 0.039]
    """
    k = check.group_count(n_groups)
    each = 2 * len(checked_constraints(constraints)) * (k - 1)
    entries = each * check.integer("gradients", gradients, low=1, high=10**6)
    scales = _scales(smallest_cell)
    epsilon = check.number("epsilon", epsilon, low=0.0, high=700.0)
    return laplace_scale_delta(*scales, epsilon=epsilon, n=entries)


def printed_noise_epsilon(smallest_cell: int, n_groups: int, delta: float, *, gradients: int = 1,
                          constraints: tuple[str, ...] = ("FP", "TP")) -> float:
    """The epsilon that the printed noise gives at this delta, by its scale alone: where :func:`printed_noise_delta` falls to delta.

    Source: ours, on supplement, Algorithm 5.

    Parameters
    ----------
    smallest_cell, n_groups : as in :func:`printed_noise_delta`
    delta : float in (0, 1)
    gradients, constraints : as in :func:`printed_noise_delta`

    Returns
    -------
    float
        Infinite where it is above 700.

    Raises
    ------
    ValueError
        As :func:`printed_noise_delta`.

    Examples
    --------
    >>> [round(printed_noise_epsilon(n, 2, delta=1e-7), 1) for n in (3, 4, 5, 10)]
    [20.5, 9.8, 6.4, 2.2]
    """
    delta = check.delta(delta)
    low, high = 0.0, 1.0
    while printed_noise_delta(smallest_cell, n_groups, high, gradients=gradients, constraints=constraints) > delta:
        low, high = high, min(2 * high, 700.0)
        if low == high:
            return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        above = printed_noise_delta(smallest_cell, n_groups, middle, gradients=gradients, constraints=constraints) > delta
        low, high = (middle, high) if above else (low, middle)
    return high
