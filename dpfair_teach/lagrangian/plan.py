"""A training in numbers: how long, in which steps, and with how much noise for an epsilon and delta by the exact accountant."""
from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from .. import _checks as check
from ..accounting import ORDERS, adding, pld_epsilon, rdp_to_epsilon
from ..mechanisms import UNIT_A, Measurement, Release, cell_sensitivity, gaussian_sigma
from ..networks import Adam, Optimizer

__all__ = ["Plan", "NoiseMultipliers", "find_noise", "training_releases"]

Empty = Literal["refuse", "skip"]
EMPTY: tuple[Empty, ...] = get_args(Empty)

#: Entries of X beyond that, or of theta, are refused: with few layers no number overflows then, whoever is in a secret sample.
LARGEST = 1e6
#: Of the secret sample: of smaller ones the accountant cannot tell the losses from rounding.
LEAST_SAMPLE = 1e-5
#: Noise multipliers that are looked at: below the least nothing is hidden, above the largest nothing is told.
LEAST_NOISE, MOST_NOISE = 0.05, 1e6
#: Of epsilon, what the dual steps would cost alone.
DUAL_BUDGET_FRACTION = 0.2
#: How close to epsilon the noise is sought.
CLOSE = 1e-3
#: Of Renyi's accountant, where only a start is asked of it.
SOME_ORDERS = ORDERS[::8]


@check.formerly(dual_rate="Say dual_learning_rate.", largest="Say max_multiplier.", clip="Say max_grad_norm.", free="Say warmup_epochs.",
                sample="Say sampling_probability.")
@dataclass(frozen=True)
class Plan:
    """How long a training goes, in which steps, and how far the multipliers go: public numbers, chosen without a look at A.

    Source: Tran et al. 2020, the input of Algorithm 1: T, alpha, s_k (one for all epochs) and lambda^max; C_p and C_d of (10) and (13).
    One plan serves all variants; each takes what it needs.

    Parameters
    ----------
    epochs : int in 1..10^6
        T.
    batch : int in 1..10^9
        People of a mini-batch.
    optimizer : networks.SGD or networks.Adam
        Or a dataclass of yours with their ``rate``, ``start`` and ``step``. Its rate is alpha. The paper writes plain SGD.
    dual_learning_rate : float in [0, 1e9]
        s: how far a multiplier moves for a violation of 1.
    max_multiplier : float in (0, 1e9]
        lambda^max.
    gamma : float in [0, 1]
        The violation allowed: 0 in the paper. Multipliers are moved by what is beyond.
    max_grad_norm : float in (0, 1e9]
        C_p: one person's gradient of h is clipped to this length.
    dual_clip : float in (0, 1e9], optional
        C_d, for h of one person: read, and needed, by the printed variants only.
    warmup_epochs : int in 1..10^6
        Epochs before the first dual step: multipliers are 0, and nothing private is read. One in the paper.
    sampling_probability : float in [1e-5, 1]
        q: with which probability a person is in the secret sample of a step; of the repair.
    empty : str
        Of a batch in which a group has no mean: "refuse" it, or "skip" it and count how often; of F-LD and the printed variants.

    Examples
    --------
    >>> Plan(20, 256).steps(1000), Plan(20, 256, warmup_epochs=2).paid(1000)
    (4, (72, 18))
    """

    epochs: int
    batch: int
    _: KW_ONLY
    optimizer: Optimizer = field(default_factory=lambda: Adam(0.001))
    dual_learning_rate: float = 1.0
    max_multiplier: float = 5.0
    gamma: float = 0.0
    max_grad_norm: float = 1.0
    dual_clip: float | None = None
    warmup_epochs: int = 1
    sampling_probability: float = 0.01
    empty: Empty = "refuse"

    def __post_init__(self) -> None:
        found: dict[str, Any] = {
            "epochs": check.integer("epochs", self.epochs, low=1, high=10**6),
            "batch": check.integer("batch", self.batch, low=1, high=10**9),
            "dual_learning_rate": check.number("dual_learning_rate", self.dual_learning_rate, low=0.0, high=1e9),
            "max_multiplier": check.number("max_multiplier", self.max_multiplier, low=0.0, high=1e9, low_open=True),
            "gamma": check.number("gamma", self.gamma, low=0.0, high=1.0),
            "max_grad_norm": check.number("max_grad_norm", self.max_grad_norm, low=0.0, high=1e9, low_open=True),
            "dual_clip": None if self.dual_clip is None else check.number("dual_clip", self.dual_clip, low=0.0, high=1e9, low_open=True),
            "warmup_epochs": check.integer("warmup_epochs", self.warmup_epochs, low=1, high=10**6),
            "sampling_probability": check.number("sampling_probability", self.sampling_probability, low=LEAST_SAMPLE, high=1.0),
            "empty": check.choice("empty", self.empty, EMPTY)}
        if isinstance(self.optimizer, type) or not isinstance(self.optimizer, Optimizer):
            check.refuse("optimizer", self.optimizer, "not something with learning_rate, start(p) and step(theta, gradient, moments)",
                         "Give networks.Adam(learning_rate) or networks.SGD(learning_rate).")
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def steps(self, m: int) -> int:
        """Primal steps of an epoch."""
        return -(-m // self.batch)

    def paid(self, m: int) -> tuple[int, int]:
        """How many primal and how many dual steps read A: those after the warm-up; and the last epoch has no dual step, as nobody uses
        its multipliers (gap T14)."""
        return max(0, self.epochs - self.warmup_epochs) * self.steps(m), max(0, self.epochs - self.warmup_epochs)

    def step(self, theta: np.ndarray, gradient: np.ndarray, moments: Any) -> tuple[np.ndarray, Any]:
        """The optimizer's step. Weights that run away are refused before they overflow: that may not depend on a secret sample."""
        theta, moments = self.optimizer.step(theta, gradient, moments)
        if not max(theta.max(), -theta.min()) <= LARGEST:
            check.refuse("learning_rate", self.optimizer.learning_rate, f"at which an entry of theta has grown beyond {LARGEST:g}",
                         "Take smaller steps, or standardize X.")
        return theta, moments


@dataclass(frozen=True)
class NoiseMultipliers:
    """The noise of a training: two noise multipliers, and the epsilon of the question for the groups' sizes.

    Source: ours; Tran et al. 2020 call the first two sigma_p and sigma_d: standard deviations over sensitivities (gap T10).

    Parameters
    ----------
    primal, dual : float in [0, 1e9]
        Of the sum of a step, and of the violations. Both above 0, or both 0 for a training as printed.
    sizes : float in [0, 1e9]
        0: sizes are public, and nothing is asked.

    Examples
    --------
    >>> NoiseMultipliers(1.5, 20.0)
    NoiseMultipliers(primal=1.5, dual=20.0, sizes=0.0)
    """

    primal: float
    dual: float
    sizes: float = 0.0

    def __post_init__(self) -> None:
        for name in ("primal", "dual", "sizes"):
            object.__setattr__(self, name, check.number(name, getattr(self, name), low=0.0, high=1e9))
        if (self.primal == 0) != (self.dual == 0):
            check.refuse("primal" if self.primal == 0 else "dual", 0.0, "then one part is read without noise, and the records of the other "
                         "promise too much", "Give both above 0; or both 0 to a training as printed, which promises nothing.")

    def measurements(self, sampling_probability: float) -> tuple[Measurement, Measurement]:
        """What draws the noise of the sums of steps and that of the violations, in units of how far one person moves them."""
        if self.primal == 0:
            check.refuse("noise", self, "is none: the records would be empty, as if nothing private had been read",
                         "Find noise with lagrangian.find_noise, or train with f_ld_signed, which promises nothing.")
        return gaussian_of(self.primal, sampling_probability), gaussian_of(self.dual)


def gaussian_of(multiplier: float, sampling_probability: float = 1.0) -> Measurement:
    return Measurement("gaussian", UNIT_A, sensitivity=1.0, scale=multiplier, sampling_probability=sampling_probability)


def training_releases(noise: NoiseMultipliers, plan: Plan, m: int, n_groups: int = 2, missing: bool = False) -> tuple[Release, ...]:
    """What a repaired training releases: the sizes, if they are asked, then a noisy sum a primal step and violations a dual step.

    Source: ours, for Tran et al. 2020, Theorem 5, whose count is off by the warm-up epoch and the last dual step (gap T14). How many there
    are is fixed beforehand: a step whose prices nu / N are all equal releases nothing, and is counted.

    Parameters
    ----------
    noise : NoiseMultipliers
        Above 0.
    plan : Plan
    m : int in 1..10^9
        People.
    n_groups : int in 2..1000
    missing : bool
        May a person be in no group? Then of two groups two sizes are free.

    Returns
    -------
    tuple of accounting.Release
        Sums in units of how far one person moves them.

    Examples
    --------
    >>> records = training_releases(NoiseMultipliers(1.5, 20.0), Plan(20, 256, sampling_probability=.01), 1000)
    >>> [(record.sensitivity, record.scale, record.sampling_probability, record.times) for record in records]
    [(1.0, 1.5, 0.01, 76), (1.0, 20.0, 1.0, 19)]
    """
    noise, plan = checked_noise(noise), checked_plan(plan)
    k = check.group_count(n_groups)
    primal, dual = plan.paid(check.integer("m", m, low=1, high=10**9))
    for name in ("primal", "dual"):
        if getattr(noise, name) == 0:
            check.refuse("noise", noise, f"holds no {name} noise, and without any there is no privacy", "Choose noise above 0.")
    moved = cell_sensitivity(k, k + check.flag("missing", missing) > 2)
    asked = Measurement("geometric", UNIT_A, sensitivity=moved, epsilon=noise.sizes).planned(1) if noise.sizes else ()
    of_steps, of_violations = noise.measurements(plan.sampling_probability)
    return *asked, *of_steps.planned(primal), *of_violations.planned(dual)


@check.formerly(sizes_share="Say sizes_budget_fraction.", dual_share="It is a fifth of epsilon.")
def find_noise(epsilon: float, delta: float, plan: Plan, m: int, *, sizes_budget_fraction: float = 0.0) -> NoiseMultipliers:
    """The least noise with which a repaired training is (epsilon, delta)-private, by the accountant of loss distributions.

    Source: ours, for Tran et al. 2020, Lemmas 1 and 2 and Theorem 5. The dual steps get the noise that would cost a fifth of epsilon were
    they alone, the primal steps as little as fits.

    Parameters
    ----------
    epsilon : float in [1e-6, 100]
    delta : float in [1e-10, 0.5]
    plan : Plan
        Not every epoch may be warm-up.
    m : int in 1..10^9
        People.
    sizes_budget_fraction : float in [0.001, 0.9], or 0
        Of epsilon, for the sizes; 0 where they are public.

    Examples
    --------
    >>> from dpfair_teach.accounting import compose
    >>> plan = Plan(20, 256, sampling_probability=.01)
    >>> noise = find_noise(1.0, 1e-5, plan, 10_000)
    >>> round(compose(training_releases(noise, plan, 10_000), 1e-5, "pld"), 2)
    1.0
    """
    epsilon, delta = check.number("epsilon", epsilon, low=1e-6, high=100.0), check.number("delta", delta, low=1e-10, high=0.5)
    plan = checked_plan(plan)
    m = check.integer("m", m, low=1, high=10**9)
    of_sizes = check.number("sizes_budget_fraction", sizes_budget_fraction, low=0.0, high=0.9)
    if 0 < of_sizes < 0.001:
        check.refuse("sizes_budget_fraction", of_sizes, "above 0 and below 0.001: it would pay for an answer that is all noise",
                     "Give 0 where sizes are public, else at least 0.001.")
    primal, dual = plan.paid(m)
    if not primal:
        check.refuse("plan", (plan.epochs, plan.warmup_epochs), "epochs, and so many of them warm-up: nothing private is read",
                     "Choose more epochs.")
    return _least_noise(epsilon, delta, primal, dual, plan.sampling_probability, of_sizes)


@lru_cache(maxsize=256)
def _least_noise(epsilon: float, delta: float, primal: int, dual: int, q: float, of_sizes: float) -> NoiseMultipliers:
    """The cost depends on these numbers alone: two groups and more have the same noise multipliers, and a question of the same epsilon."""
    sizes = of_sizes * epsilon
    sigma_d = math.sqrt(dual) * gaussian_sigma(1.0, DUAL_BUDGET_FRACTION * (epsilon - sizes), delta)
    asked = Measurement("geometric", UNIT_A, sensitivity=1, epsilon=sizes).planned(1) if sizes else ()
    asked += gaussian_of(sigma_d).planned(dual)

    def with_noise(log_sigma: float) -> list[Release]:
        return [*asked, *gaussian_of(math.exp(log_sigma), q).planned(primal)]

    def over(log_sigma: float) -> float:
        """ln of what such noise costs, over epsilon."""
        try:
            return math.log(max(pld_epsilon(with_noise(log_sigma), delta), 1e-12) / epsilon)
        except ValueError:              # beyond the accountant's grid: too much loss, or losses too small to tell from rounding
            return math.inf

    def surely_enough(log_sigma: float) -> bool:
        """By Renyi's accountant at some orders, which is fast, and on the safe side."""
        return bool(rdp_to_epsilon(SOME_ORDERS, adding.rdp_of_releases(with_noise(log_sigma), SOME_ORDERS), delta) <= epsilon)

    low, high = math.log(LEAST_NOISE), math.log(10.0)
    if surely_enough(high):
        while high - low > 0.3:
            middle = (low + high) / 2
            low, high = (low, middle) if surely_enough(middle) else (middle, high)
    else:
        while over(high) > 0 and high < math.log(MOST_NOISE):
            high += math.log(10.0)
    while 0 < (off := over(high)) < math.inf and high < math.log(MOST_NOISE):
        high += 10 * CLOSE
    if off > 0:
        check.refuse("epsilon, delta", (epsilon, delta), "a budget that the accountant of loss distributions shows no noise multiplier "
                     f"up to {MOST_NOISE:g} to keep, in {primal} primal and {dual} dual steps",
                     "Choose a larger epsilon or delta, or fewer epochs.")
    at = high
    low, slope = math.log(LEAST_NOISE), -1.5
    for _ in range(30):                 # secants, and halves where they leave what is known
        if -CLOSE <= off <= 0 or (at == low and off <= 0) or high - low < CLOSE / 10:
            break
        low, high = (low, at) if off <= 0 else (at, high)
        then = at - (off + CLOSE / 2) / slope
        then = then if low <= then < high else (low + high) / 2
        now = over(then)
        slope = (now - off) / (then - at) if math.isfinite(now - off) and then != at and (now - off) / (then - at) < 0 else -1.5
        at, off = then, now
    return NoiseMultipliers(math.exp(at if off <= 0 else high), sigma_d, sizes)


def dual_clip_of(plan: Any) -> float:
    """C_d, which a plan for what is printed must have."""
    if checked_plan(plan).dual_clip is None:
        check.refuse("plan", None, "is its dual_clip, and the printed dual step clips everybody's h by it",
                     "Make the Plan with dual_clip=5.0, as in the paper, or another number above 0.")
    return plan.dual_clip


def checked_plan(plan: Any) -> Plan:
    return check.instance("plan", plan, Plan, "not a Plan", "Make it with lagrangian.Plan(epochs, batch).")


def checked_noise(noise: Any) -> NoiseMultipliers:
    return check.instance("noise", noise, NoiseMultipliers, "not NoiseMultipliers",
                          "Find them with lagrangian.find_noise(epsilon, delta, plan, m).")
