"""How many rounds the private algorithm plays, with what step, and how much privacy each round may cost."""
from __future__ import annotations

import math
from dataclasses import dataclass

from .. import _checks as check
from .auditor import hedge_rate
from .budget import checked_delta, printed_step
from .notions import checked_constraints

__all__ = ["schedule"]


@dataclass(frozen=True)
class Schedule:
    """The settings of Algorithm 5.

    Attributes
    ----------
    rounds_real : float
        T as the formula gives it, often below 1.
    rounds : int
        max(1, T rounded up): what is played. ``eta`` and ``epsilon_step`` belong to this number.
    eta : float
        The auditor's step, sqrt(ln d / T) / 2 with d the multipliers and the spare one.
    epsilon_step : float
        epsilon', the privacy of each of the 2T private steps.
    formula_holds : bool
        Whether advanced composition (Theorem 1.5) is a bound for 2T pure steps of ``epsilon_step``: its condition
        sqrt(2T) tanh(epsilon' / 2) <= sqrt(2 ln(1/delta)). Where it is False the steps together may lose more than epsilon.
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
    (4 sqrt(T ln(1/delta))). T balances what the two players lose. (The main text prints ln|H(S)| + ln(2/beta) under the root, which
    balances nothing.) The paper does not say what to do with a T that is no whole number, or below 1: this plays max(1, ceil(T)), and
    reckons eta and epsilon' from the number that is played.

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
        A public lower bound N on the people of every (group, label) that a constraint asks about: it takes the place of m in T, which the
        paper keeps free of the cells so that it depends on nothing private. The gap then grows like 1/sqrt(N/m) instead of m/N.

    Returns
    -------
    Schedule
        ``rounds_real``, ``rounds``, ``eta``, ``epsilon_step``, ``formula_holds``.

    Raises
    ------
    ValueError
        A number out of range, an unknown constraint, more than 10**15 rounds; cells of ``smallest_cell`` people that are more than m.

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
