"""How many rounds are played, how much privacy each may cost, and what noise really costs: as printed, and as drawn in doubles."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .. import _checks as check
from ..accounting import ORDERS, rdp_exponential, rdp_laplace, rdp_to_epsilon
from ..audit import laplace_scale_delta
from .auditor import MOST_ROUNDS, hedge_rate
from .table import checked_constraints

__all__ = ["schedule", "largest_step", "printed_noise_delta", "printed_noise_epsilon"]

SMALLEST_STEP = 1e-9
SMALLEST_EPSILON = 1e-9     # of a part of what a caller gives
BUDGET_FRACTION = 0.1                 # of epsilon, for what is released before the first round


def checked_fraction(value: object, epsilon: float) -> float:
    """The part of ``epsilon`` that is spent before the first round: something, and something is left."""
    fraction = check.number("budget_fraction", value, low=0.0, high=1.0, low_open=True, high_open=True)
    if min(fraction, 1 - fraction) * epsilon < SMALLEST_EPSILON:
        check.refuse("budget_fraction", fraction, f"of epsilon={epsilon:g}, less than {SMALLEST_EPSILON:g} is spent before the rounds, or "
                     "left for them", "Choose budget_fraction nearer to its default.")
    return fraction


def checked_delta(value: object, least: float = 1e-300) -> float:
    """delta of a play: below 1, and where doubles hold its logarithm."""
    return check.number("delta", value, low=least, high=1.0, high_open=True)


def printed_step(epsilon: Any, delta: float, rounds: int) -> Any:
    """epsilon' of Algorithm 5, for 2T steps: epsilon / (4 sqrt(T ln(1/delta)))."""
    return epsilon / (4 * math.sqrt(-rounds * math.log(delta)))


def sure_step(epsilon: float, delta: float, steps: int) -> float:
    """epsilon' by basic composition, or by Theorem 1.5 where its formula is a bound and gives more."""
    short = epsilon / (2 * math.sqrt(-2 * steps * math.log(delta)))
    holds = math.sqrt(steps) * math.tanh(short / 2) <= math.sqrt(-2 * math.log(delta))
    return max(epsilon / steps, short) if holds else epsilon / steps


@dataclass(frozen=True)
class Schedule:
    """The settings of Algorithm 5.

    ``rounds_real`` is T as the formula gives it, often below 1; ``rounds`` max(1, T rounded up), what is played. To this number belong
    ``eta``, the auditor's step, and ``epsilon_step``, the privacy of each of the 2T private steps. ``formula_holds``: whether advanced
    composition (Theorem 1.5) is a bound for them; where it is not, the steps together may lose more than epsilon.
    """

    rounds_real: float
    rounds: int
    eta: float
    epsilon_step: float
    formula_holds: bool


def rounds_for(people: float, epsilon: float, delta: float, B: float, n_groups: int, K: int, beta: float, log_labelings: float) -> float:
    """T by the formula of :func:`schedule`, for K multipliers; of checked numbers."""
    k, log_delta = n_groups, -math.log(delta)
    real = B * math.sqrt(math.log(1 + K)) * people * epsilon / (
        2 * (2 * k * B + 1) * math.sqrt(log_delta) * (log_labelings + math.log(2 / beta)))
    if real > 10**15:
        check.refuse("epsilon", epsilon, f"gives {real:.3g} rounds", "Choose a smaller epsilon.")
    return real


def schedule(m: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, log_labelings: float,
             constraints: tuple[str, ...] = ("FP", "TP"), *, smallest_cell: float | None = None) -> Schedule:
    """Rounds, step and privacy of a step for the private game.

    Source: supplement, Algorithm 5 and Theorems 3.7, 3.8 (main text, Algorithm 3): T = B sqrt(ln d) m epsilon /
    (2 (2|A|B + 1) sqrt(ln(1/delta)) (ln|H(S)| + ln(2/beta))), d = 4|A| - 3; eta = sqrt(ln d / T) / 2; epsilon' = epsilon /
    (4 sqrt(T ln(1/delta))). T balances what the two players lose. max(1, ceil(T)) rounds are played, and eta and epsilon' belong to those.

    Parameters
    ----------
    m : int in 1..10^15
        People.
    epsilon : float in [1e-12, 1e12]
    delta : float in [1e-300, 1)
        Of the whole algorithm.
    B : float in [1e-9, 1e9]
    n_groups : int in 2..1000
        |A|.
    beta : float in [1e-300, 1)
        Failure probability of the promise.
    log_labelings : float in [0, 1e12]
        ln|H(S)| of the labelings of S, exactly or a bound on it such as d ln m; or ln|H|.
    constraints : tuple of "FP", "TP"
        What is equalized. With both, d = 4|A| - 3; with one, d = 2|A| - 1, where Theorem 3.8 keeps printing 4|A| - 3.
    smallest_cell : float >= 1, optional
        A public lower bound N on the people of every (group, label) that a constraint asks about: it takes the place of m in T.

    Examples
    --------
    >>> import math
    >>> s = schedule(m=1994, epsilon=1, delta=1e-7, B=10, n_groups=2, beta=.05, log_labelings=123 * math.log(1994))
    >>> round(s.rounds_real, 2), s.rounds, round(s.epsilon_step, 4)
    (0.08, 1, 0.0623)
    >>> schedule(m=10**6, epsilon=1, delta=1e-7, B=2, n_groups=2, beta=.05, log_labelings=math.log(10**6 + 1)).rounds
    2006
    """
    m = check.integer("m", m, low=1, high=10**15, whole_float=True)
    epsilon = check.number("epsilon", epsilon, low=1e-12, high=1e12)
    delta = checked_delta(delta)
    log_delta = -math.log(delta)
    B = check.number("B", B, low=1e-9, high=1e9)
    k = check.group_count(n_groups)
    beta = check.number("beta", beta, low=1e-300, high=1.0, high_open=True)
    log_labelings = check.number("log_labelings", log_labelings, low=0.0, high=1e12)
    constraints = checked_constraints(constraints)
    people = m if smallest_cell is None else check.number("smallest_cell", smallest_cell, low=1.0)
    cells = len(constraints) * k        # those of a label that no constraint asks about may be of any size
    if smallest_cell is not None and people > m / cells:
        check.refuse("smallest_cell, n_groups", (people, k), f"{cells} cells of that many people are more than m={m}",
                     "Give a smaller cell, or fewer groups.")
    K = 2 * len(constraints) * (k - 1)
    real = rounds_for(people, epsilon, delta, B, k, K, beta, log_labelings)
    T = max(1, math.ceil(real))
    step = printed_step(epsilon, delta, T)
    return Schedule(real, T, hedge_rate(K, T, as_printed=True), step,
                    math.sqrt(2 * T) * math.tanh(step / 2) <= math.sqrt(2 * log_delta))


@check.formerly(method="Steps are added up as tightly as the accountant can.")
def largest_step(epsilon: float, delta: float, selections: int, gradients: int) -> float:
    """epsilon' such that so many exponential and so many Laplace mechanisms of epsilon' each stay within (epsilon, delta).

    Source: ours, for the epsilon' = epsilon / (4 sqrt(T ln(1/delta))) of supplement, section 3.2: the largest of basic composition,
    Theorem 1.5 and the Renyi divergences of the two mechanisms, found by bisection.

    Parameters
    ----------
    epsilon : float in [1e-9, 1e6]
        Of all together.
    delta : float in [1e-300, 1)
    selections, gradients : int in 0..10^15, not both 0
        How often the learner selects, and how often the auditor measures.

    Examples
    --------
    >>> round(largest_step(1.0, 1e-7, 100, 99), 4)
    0.0184
    """
    epsilon = check.number("epsilon", epsilon, low=SMALLEST_EPSILON, high=1e6)
    delta = checked_delta(delta)
    count = [check.integer(name, value, low=0, high=MOST_ROUNDS) for name, value in (("selections", selections), ("gradients", gradients))]
    steps = sum(count)
    if not steps:
        check.refuse("selections", selections, "and no gradients either", "Count the mechanisms that read private data.")
    low = sure_step(epsilon, delta, steps)
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
                        gradients: int = 1) -> float:
    """The delta that the printed Laplace noise of Algorithm 5, for equalized odds, needs at this epsilon, by its scale alone: exact.

    Source: ours, on supplement, Algorithm 5. The scale is proportional to 1/(n-1), with n the smallest cell of the private data; a
    neighbour's may be (n-1)/(n-2) times as large (:func:`~dpfair_teach.audit.laplace_scale_delta`).

    Parameters
    ----------
    smallest_cell : int in 3..10^12
        n. From 3 on, both data sets satisfy Assumption 3.3.
    n_groups : int in 2..1000
    epsilon : float in [0, 700]
    gradients : int in 1..10^6
        How many noisy gradients are seen. The average multipliers of a run of two rounds determine one.

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> [round(printed_noise_delta(n, 2, epsilon=1.0), 3) for n in (3, 4, 5)]
    [0.323, 0.106, 0.039]
    """
    k = check.group_count(n_groups)
    gradients = check.integer("gradients", gradients, low=1, high=10**6)
    scales = _scales(smallest_cell)
    epsilon = check.number("epsilon", epsilon, low=0.0, high=700.0)
    entries = 4 * (k - 1) * gradients
    return laplace_scale_delta(*scales, epsilon=epsilon, n=entries)


def printed_noise_epsilon(smallest_cell: int, n_groups: int, delta: float, *, gradients: int = 1) -> float:
    """The epsilon that the printed noise gives at this delta, by its scale alone: where :func:`printed_noise_delta` falls to delta.

    Source: ours, on supplement, Algorithm 5.

    Parameters
    ----------
    smallest_cell, n_groups : as in :func:`printed_noise_delta`
    delta : float in (0, 1)
    gradients : as in :func:`printed_noise_delta`

    Returns
    -------
    float
        Infinite where it is above 700.

    Examples
    --------
    >>> [round(printed_noise_epsilon(n, 2, delta=1e-7), 1) for n in (3, 4, 5, 10)]
    [20.5, 9.8, 6.4, 2.2]
    """
    delta = check.delta(delta)
    low, high = 0.0, 1.0
    while printed_noise_delta(smallest_cell, n_groups, high, gradients=gradients) > delta:
        low, high = high, min(2 * high, 700.0)
        if low == high:
            return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        above = printed_noise_delta(smallest_cell, n_groups, middle, gradients=gradients) > delta
        low, high = (middle, high) if above else (low, middle)
    return high


# ----------------------------------------------------------------------- what noise gives away because it is drawn in doubles
# Proofs: chapter 11, at its close. The accountant of a play is handed delta less all of it.

UNIT = 2.0**-53             # a double's uniform number is a multiple of it
#: The scale of what the players measure with is less than so many steps of its grid.
STEPS = 2**11
#: Scales that Laplace noise reaches on one side, twice on the other, and what logarithm and product are off: half of 36.04 + 73.48 + 6.
REACH = 60.0
#: Above this, exp(epsilon) units are more than everything.
MOST_EPSILON = 37.0
#: A larger delta promises nothing.
MOST_DELTA = 0.5


def _both(units: float, epsilon: float) -> float:
    return (1 + math.exp(epsilon)) * units * UNIT if epsilon <= MOST_EPSILON else math.inf


def laplace_delta(scale: float, epsilon: float, rounding: float = 0.0) -> float:
    """What one rounded number with Laplace noise gives away of delta, for a ``scale`` in steps of its grid.

    One person moves the number by ``epsilon`` scales; ``rounding``: how far it is off before it gets its noise, in 2^-53 scales.
    """
    return _both(REACH * (scale + 1) + rounding, epsilon)


def gaussian_cost(scale: float, mu: float, rounding: float = 0.0) -> tuple[float, float]:
    """What one rounded number with Gaussian noise gives away of epsilon and of delta; ``scale`` is at least 1,000 steps.

    One person moves the number by ``mu`` sigma; ``rounding`` as in :func:`laplace_delta`.
    """
    epsilon = (51 * (scale + 1) + 2**9 + 26 * rounding) * UNIT
    if mu > 10:
        return epsilon, math.inf
    return epsilon, 0.0004 * scale * (1 + math.exp(3.66 * mu)) * UNIT


def choice_delta(n: int, epsilon: float, rounding: float = 0.0) -> float:
    """What one choice among n classifiers gives away of delta; losses are off by ``rounding``, in 2^-53 of the noise's scale."""
    return _both(2 * n + 300 + rounding, epsilon)


def losses_off(rates: int, people: float, epsilon: float) -> float:
    """How far losses are off, those that a choice of this epsilon may still fall on, in 2^-53 of the noise's scale."""
    return (rates + 6) * people * epsilon


def refuse_delta_below(least: float, delta: float, epsilon: float, rounds: int) -> None:
    """Where no delta of use is above it, the fault is not delta's."""
    if delta > least:
        return
    if least >= MOST_DELTA:
        check.refuse("epsilon, rounds", (epsilon, rounds), f"at which noise in doubles gives away more than any delta of use: "
                     f"delta={delta:g} is not above {least:.3g}, as its chances are multiples of 2^-53", "Choose a smaller epsilon.")
    check.refuse("delta", delta, f"not above {least:.3g}, what noise in doubles gives away here: its chances are multiples of "
                 "2^-53, for a data set and for its neighbour", "Choose a larger delta, a moderate epsilon, or play fewer rounds.")
