"""How accurate the private players are in one round: Lemma 3.2, and the checked numbers that all bounds on DP-oracle-learner share."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from scipy.optimize import brentq

from .. import _checks as check
from .auditor import MOST_ROUNDS, bound_on_multipliers
from .budget import checked_delta, largest_step, printed_step
from .notions import checked_constraints
from .sensitivity import Protected, lemma_3_1

__all__ = ["lemma_3_2"]


@dataclass(frozen=True)
class RoundAccuracy:
    """How far one round of the private players may be off, with probability at least 1 - beta/(2T) each; sharp, 1 - beta/(2(T-1)).

    Attributes
    ----------
    auditor : float
        Largest error of an entry of r.
    learner : float
        Loss above the best answer's.
    """

    auditor: float
    learner: float


@dataclass(frozen=True)
class Setting:
    """Checked numbers, and the noise that belongs to them."""

    T: int
    epsilon: float
    log_delta: float
    B: float
    k: int
    beta: float
    n: float
    d: int
    m: Any              # people, or None where only A is protected
    step: float
    protect: Protected = "A"

    def sensitivities(self, as_printed):
        if as_printed or self.protect == "A":
            return lemma_3_1(self.n, self.k, self.B, as_printed=as_printed)
        found = lemma_3_1(self.n, self.k, self.B, protect=self.protect, m=self.m)       # PromisedRates adds the error to either change,
        return replace(found, learner=2 * self.B / (self.n + 1) + 1 / self.m)           # and that of who stays, B/N, is no more as N >= 1


def checked_setting(rounds, epsilon, delta, B, n_groups, beta, smallest_cell, constraints, as_printed, protect="A", m=None, spend=1.0):
    """``spend`` is the part of epsilon that the rounds get."""
    T = check.integer("rounds", rounds, low=1, high=MOST_ROUNDS)
    epsilon, delta = check.number("epsilon", epsilon, low=1e-6, high=1e6), checked_delta(delta)
    B = float(bound_on_multipliers(check.number("B", B, low=0.0, high=1e9, low_open=True)))
    k, beta = check.group_count(n_groups), check.number("beta", beta, low=1e-300, high=1.0, high_open=True)
    n = check.number("smallest_cell", smallest_cell, low=1.0, high=1e15)
    d = 1 + 2 * len(checked_constraints(constraints)) * (k - 1)
    if check.flag("as_printed", as_printed) and n <= 1:
        check.refuse("smallest_cell", n, "Assumption 3.3 asks for more than one person in every cell", "Give a larger one.")
    selections = T if protect != "A" else T - 1
    step = (printed_step(epsilon, delta, T) if as_printed
            else largest_step(spend * epsilon, delta, selections, T - 1) if selections else math.inf)
    return Setting(T, epsilon, -math.log(delta), B, k, beta, n, d, m, step, protect)


def checked_labelings(value):
    return check.number("log_labelings", value, low=0.0, high=1e12)


def gap_noise(k: int, scale: float, tail: float) -> float:
    """What the noise of a gap exceeds with probability ``tail``: it is one Laplace for two groups, else V - V'.

    P(|V - V'| > x) = (1 + x / (2 scale)) exp(-x / scale).
    """
    if scale == 0 or tail >= 1:
        return 0.0
    log_tail = -math.log(tail)
    return scale * (log_tail if k == 2 else brentq(lambda x: x - math.log1p(x / 2) - log_tail, 0.0, 2 * log_tail + 10))


def noisy_answers(s):
    """In round 1 all prices cancel: a learner that does not see A reads nothing private there."""
    return s.T - (s.protect == "A")


def learner_bound(s, log_labelings, as_printed):
    noisy = s.T if as_printed else noisy_answers(s)
    if not noisy:
        return 0.0
    return 2 * s.sensitivities(as_printed).learner / s.step * (log_labelings + math.log(2 * noisy / s.beta))


def printed_noise(s):
    """What the printed noise of no entry exceeds, in any round."""
    return s.sensitivities(True).auditor / s.step * math.log(8 * s.T * s.k / s.beta)


def lemma_3_2(rounds: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, log_labelings: float,
              smallest_cell: float, *, constraints: tuple[str, ...] = ("FP", "TP"), as_printed: bool = False) -> RoundAccuracy:
    """How accurate the private players are in one round, each with probability at least 1 - beta/(2T); sharp, 1 - beta/(2(T-1)).

    Source: supplement, Lemma 3.2: Delta r ln(8Tk/beta) / epsilon' and 2 Delta l (ln|H(S)| + ln(2T/beta)) / epsilon', from Theorems 1.1 and
    1.2. It prints d ln m for ln|H(S)|, see :func:`~dpfair_teach.oracles.labelings_bound`, and draws the root of epsilon' over that
    logarithm too, which its Lemma 3.3 does not. Sharp: the same for the repaired algorithm with a public N (``repair="promise"``), of
    whose rounds T - 1 have noise. Its auditor measures rates, so that an entry is off by the difference of two Laplace noises; of two
    groups the gaps, off by one. That the algorithm rounds them to a grid of at most 2^-10 of the noise's scale is left out.

    Parameters
    ----------
    rounds : int in 1..10^15
        T.
    epsilon : float in [1e-6, 1e6]
    delta : float in [1e-300, 1)
    B : float in (0, 1e9]
    n_groups : int in 2..1000
        k.
    beta : float in [1e-300, 1)
        Failure probability of the whole.
    log_labelings : float in [0, 1e12]
        ln|H(S)| or ln|H|.
    smallest_cell : float in [1, 1e15]
        The promised N, of the cells that a constraint asks about; as printed n, above 1.
    constraints : tuple of "FP", "TP"
    as_printed : bool

    Returns
    -------
    RoundAccuracy
        ``auditor``, ``learner``: 0 at T = 1 when sharp, as then nothing private is read.

    Examples
    --------
    >>> printed = lemma_3_2(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000, as_printed=True)
    >>> sharp = lemma_3_2(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000)
    >>> round(printed.auditor, 3), round(sharp.auditor, 3), round(printed.learner, 2), round(sharp.learner, 2)
    (1.333, 0.195, 10.52, 1.58)
    """
    s = checked_setting(rounds, epsilon, delta, B, n_groups, beta, smallest_cell, constraints, as_printed)
    learner = learner_bound(s, checked_labelings(log_labelings), as_printed)
    if as_printed:
        return RoundAccuracy(printed_noise(s), learner)
    if s.T == 1:
        return RoundAccuracy(0.0, learner)
    return RoundAccuracy(gap_noise(s.k, s.sensitivities(False).rates / s.step, s.beta / ((s.T - 1) * (s.d - 1))), learner)
