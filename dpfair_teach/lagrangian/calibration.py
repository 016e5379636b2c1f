"""How much noise a training needs for its epsilon and delta, by the exact accountant; and how much the paper's accounting asks for."""
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .. import _checks as check
from ..accounting import ORDERS, UNIT_A, Release, pld_epsilon, rdp_of_releases, rdp_to_epsilon
from ..mechanisms import cell_sensitivity, gaussian_sigma
from .plan import Plan, checked_plan

__all__ = ["Noise", "find_noise", "training_releases"]

#: Of noise: below the least nothing is hidden, above the largest nothing is told.
LEAST, MOST = 0.05, 1e6
#: How close to epsilon the noise is sought.
CLOSE = 1e-3
#: Of Renyi's accountant, where only a start is asked of it.
SOME_ORDERS = ORDERS[::8]


@dataclass(frozen=True)
class Noise:
    """The noise of a training: two noise multipliers, and the epsilon of the question for the sizes.

    Source: ours; Tran et al. 2020 call the first two sigma_p and sigma_d. A noise multiplier is a standard deviation over a sensitivity
    (gap T10).

    Parameters
    ----------
    primal, dual : float in [0, 1e9]
        Noise multipliers, of the sum of a step and of the violations.
    sizes : float in [0, 1e9]
        0: sizes are public, and nothing is asked.

    Raises
    ------
    ValueError
        No number.

    Examples
    --------
    >>> Noise(1.5, 20.0)
    Noise(primal=1.5, dual=20.0, sizes=0.0)
    """

    primal: float
    dual: float
    sizes: float = 0.0

    def __post_init__(self) -> None:
        for name in ("primal", "dual", "sizes"):
            object.__setattr__(self, name, check.number(name, getattr(self, name), low=0.0, high=1e9))


def training_releases(noise: Noise, plan: Plan, m: int, n_groups: int = 2, missing: bool = False) -> tuple[Release, ...]:
    """What a repaired training releases: the sizes, if they are asked, a noisy sum in each primal step and violations in each dual step
    that are paid for.

    Source: ours, for Tran et al. 2020, Theorem 5, whose count is off by the free epoch and the last dual step (gap T14). How many there
    are is fixed beforehand; a step whose prices nu / N are all equal releases nothing, and is counted.

    Parameters
    ----------
    noise : Noise
    plan : Plan
    m : int in 1..10^9
        People.
    n_groups : int in 2..1000
    missing : bool
        May a person be in no group? Then of two groups two numbers are free.

    Returns
    -------
    tuple of accounting.Release
        Sums in units of how far one person moves them.

    Raises
    ------
    ValueError
        What is no noise, or no plan; noise of 0.

    Examples
    --------
    >>> for record in training_releases(Noise(1.5, 20.0), Plan(20, 256, sample=.01), 1000):
    ...     print(record.sensitivity, record.scale, record.sampling_probability, record.times)
    1.0 1.5 0.01 76
    1.0 20.0 1.0 19
    """
    noise, plan = checked_noise(noise), checked_plan(plan)
    k = check.group_count(n_groups)
    primal, dual = plan.paid(check.integer("m", m, low=1, high=10**9))
    for name in ("primal", "dual"):
        if getattr(noise, name) == 0:
            check.refuse("noise", noise, f"holds no {name} noise, and without any there is no privacy", "Choose noise above 0.")
    all_codes = k + check.flag("missing", missing)
    moved, both = cell_sensitivity(k, all_codes > 2), 1.0 if all_codes == 2 else math.sqrt(2)
    asked = [Release("geometric", UNIT_A, sensitivity=moved, epsilon=noise.sizes)] if noise.sizes else []
    steps = [Release("gaussian", UNIT_A, sensitivity=1.0, scale=noise.primal, sampling_probability=plan.sample, times=primal),
             Release("gaussian", UNIT_A, sensitivity=both, scale=both * noise.dual, times=dual)] if primal else []
    return *asked, *steps


def find_noise(epsilon: float, delta: float, plan: Plan, m: int, *, sizes_share: float = 0.0, dual_share: float = 0.2) -> Noise:
    """The least noise with which a repaired training is (epsilon, delta)-private, by the accountant of loss distributions.

    Source: ours, for Tran et al. 2020, Lemmas 1 and 2 and Theorem 5. The dual steps get the noise that would cost ``dual_share`` of epsilon
    were they alone, the primal steps as little as fits: what composes is not the sum of the parts, so they get more than the rest.

    Parameters
    ----------
    epsilon : float in [1e-6, 100]
    delta : float in [1e-10, 0.5]
    plan : Plan
    m : int in 1..10^9
        People.
    sizes_share : float in [0.001, 0.9], or 0
        Of epsilon, for the sizes; 0 where they are public.
    dual_share : float in [0.001, 0.9]

    Returns
    -------
    Noise

    Raises
    ------
    ValueError
        What is no plan, or one that is free; a budget that no noise multiplier up to 10^6 reaches.

    Examples
    --------
    >>> from dpfair_teach.accounting import compose
    >>> plan = Plan(20, 256, sample=.01)
    >>> noise = find_noise(1.0, 1e-5, plan, 10_000)
    >>> round(compose(training_releases(noise, plan, 10_000), 1e-5, "pld"), 2)
    1.0
    """
    epsilon, delta = check.number("epsilon", epsilon, low=1e-6, high=100.0), check.number("delta", delta, low=1e-10, high=0.5)
    plan = checked_plan(plan)
    m = check.integer("m", m, low=1, high=10**9)
    sizes_share = check.number("sizes_share", sizes_share, low=0.0, high=0.9)
    if 0 < sizes_share < 0.001:
        check.refuse("sizes_share", sizes_share, "above 0 and below 0.001: it would pay for an answer that is all noise",
                     "Give 0 where sizes are public, else at least 0.001.")
    dual_share = check.number("dual_share", dual_share, low=0.001, high=0.9)
    primal, dual = plan.paid(m)
    if not primal:
        check.refuse("plan", (plan.epochs, plan.free), "epochs, and so many of them free: nothing private is read", "Choose more epochs.")
    return _least_noise(epsilon, delta, primal, dual, plan.sample, sizes_share, dual_share)


@lru_cache(maxsize=256)
def _least_noise(epsilon: float, delta: float, primal: int, dual: int, q: float, sizes_share: float, dual_share: float) -> Noise:
    """The cost depends on these numbers alone: two groups and more have the same noise multipliers, and a question of the same epsilon."""
    sizes = sizes_share * epsilon
    sigma_d = math.sqrt(dual) * gaussian_sigma(1.0, dual_share * (epsilon - sizes), delta)
    fixed = [Release("geometric", UNIT_A, sensitivity=1, epsilon=sizes)] if sizes else []
    fixed.append(Release("gaussian", UNIT_A, sensitivity=1.0, scale=sigma_d, times=dual))

    def with_noise(log_sigma: float) -> list[Release]:
        return [*fixed, Release("gaussian", UNIT_A, sensitivity=1.0, scale=math.exp(log_sigma), sampling_probability=q, times=primal)]

    def over(log_sigma: float) -> float:
        """ln of what such noise costs, over epsilon."""
        try:
            return math.log(max(pld_epsilon(with_noise(log_sigma), delta), 1e-12) / epsilon)
        except ValueError:              # beyond the accountant's grid: too much loss, or losses too small to tell from rounding
            return math.inf

    def surely_enough(log_sigma: float) -> bool:
        """By Renyi's accountant at some orders, which is fast, and on the safe side."""
        return bool(rdp_to_epsilon(SOME_ORDERS, rdp_of_releases(with_noise(log_sigma), SOME_ORDERS), delta) <= epsilon)

    low, high = math.log(LEAST), math.log(10.0)
    if surely_enough(high):
        while high - low > 0.3:
            middle = (low + high) / 2
            low, high = (low, middle) if surely_enough(middle) else (middle, high)
    else:
        while over(high) > 0 and high < math.log(MOST):
            high += math.log(10.0)
    while 0 < (off := over(high)) < math.inf and high < math.log(MOST):
        high += 10 * CLOSE
    if off > 0:
        check.refuse("epsilon, delta", (epsilon, delta), "a budget that the accountant of loss distributions shows no noise multiplier "
                     f"up to {MOST:g} to keep, in {primal} primal and {dual} dual steps",
                     "Choose a larger epsilon or delta, or fewer epochs.")
    at = high
    low, slope = math.log(LEAST), -1.5
    for _ in range(30):                 # secants, and halves where they leave what is known
        if -CLOSE <= off <= 0 or (at == low and off <= 0) or high - low < CLOSE / 10:
            break
        low, high = (low, at) if off <= 0 else (at, high)
        then = at - (off + CLOSE / 2) / slope
        then = then if low <= then < high else (low + high) / 2
        now = over(then)
        slope = (now - off) / (then - at) if math.isfinite(now - off) and then != at and (now - off) / (then - at) < 0 else -1.5
        at, off = then, now
    return Noise(math.exp(at if off <= 0 else high), sigma_d, sizes)


def checked_noise(noise: Any) -> Noise:
    if not isinstance(noise, Noise):
        check.refuse("noise", noise, "not a Noise", "Find it with lagrangian.find_noise(epsilon, delta, plan, m).")
    return noise
