"""How accurate the private players are in one round, and what they regret over all: Lemmas 3.2 to 3.4, as printed and sharper."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from .. import _checks as check
from ..fairness import Parity
from .auditor import hasty, hedge_rate, late
from .sensitivity import Protected, Sensitivities, lemma_3_1
from .setting import Setting, checked_setting

__all__ = ["lemma_3_2", "lemma_3_3", "lemma_3_4"]

_THETA = np.linspace(1e-3, 0.999, 999)


@dataclass(frozen=True)
class RoundAccuracy:
    """How far one round of the private players may be off, with probability at least 1 - beta/(2T) each; sharp, 1 - beta/(2(T-1)).

    ``auditor`` is the largest error of an entry of r, ``learner`` the loss above the best answer's.
    """

    auditor: float
    learner: float


@dataclass(frozen=True)
class Noisy:
    """A setting with the noise of one variant of the algorithm: what its bounds add up."""

    T: int
    k: int
    d: int
    B: float
    beta: float
    step: float
    moves: Sensitivities
    protect: Protected = "A"


def noisy(setting: Setting, as_printed: bool, step: float | None = None) -> Noisy:
    """The printed noise, or that after a promise; ``step`` where it is known."""
    n = smallest_of(setting)
    if check.flag("as_printed", as_printed) and n <= 1:
        check.refuse("smallest_cell", n, "Assumption 3.3 asks for more than one person in every cell", "Give a larger one.")
    step = setting.step("printed" if as_printed else "public_lower_bound") if step is None else step
    moves = _moves(setting, n, as_printed)
    return Noisy(setting.rounds, setting.n_groups, setting.d, setting.B, setting.beta, step, moves, setting.protect)


def _moves(setting: Setting, n: float, as_printed: bool) -> Sensitivities:
    """How much one person moves what a round computes."""
    if as_printed or setting.protect == "A":
        return lemma_3_1(n, setting.n_groups, setting.B, as_printed=as_printed)
    m = setting.m
    if m is None:
        check.refuse("m", m, "the error of a classifier moves by 1/m when X does", "Give m.")
    found = lemma_3_1(n, setting.n_groups, setting.B, protect=setting.protect, m=math.ceil(m))
    # PromisedRates adds the error to either change, and that of who stays, B/N, is no more as N >= 1.
    return replace(found, learner=2 * setting.B / (n + 1) + 1 / m)


def smallest_of(setting: Setting) -> float:
    """N, of a setting that a bound can be about."""
    checked_setting(setting)
    if isinstance(setting.constraints, Parity):
        check.refuse("constraints", setting.constraints, "the bound is proved for rates of group 0 and of another",
                     'Give ("FP", "TP"), or one of them.')
    if setting.smallest_cell is None:
        check.refuse("smallest_cell", None, "the bound asks how many people the smallest cell holds", "Give smallest_cell.")
    return setting.smallest_cell


def labelings_of(setting: Setting) -> float:
    """ln|H(S)|, of a setting that a bound on the learner can be about."""
    if setting.log_labelings is None:
        check.refuse("log_labelings", None, "the bound asks how many answers the learner chooses among", "Give log_labelings.")
    return setting.log_labelings


def gap_noise(k: int, scale: float, tail: float) -> float:
    """What the noise of a gap exceeds with probability ``tail``: it is one Laplace for two groups, else V - V', exceeded with chance
    (1 + x / (2 scale)) exp(-x / scale).
    """
    if scale == 0 or tail >= 1:
        return 0.0
    log_tail = -math.log(tail)
    return scale * (log_tail if k == 2 else brentq(lambda x: x - math.log1p(x / 2) - log_tail, 0.0, 2 * log_tail + 10))


def noisy_answers(s: Noisy) -> int:
    """In round 1 all prices cancel: a learner that does not see A reads nothing private there."""
    return s.T - (s.protect == "A")


def learner_bound(s: Noisy, log_labelings: float, as_printed: bool) -> float:
    """What the learner's loss is above the best answer's, in no round by more."""
    noisy = s.T if as_printed else noisy_answers(s)
    if not noisy:
        return 0.0
    return 2 * s.moves.learner / s.step * (log_labelings + math.log(2 * noisy) - math.log(s.beta))


def printed_noise(s: Noisy) -> float:
    """What the printed noise of no entry exceeds, in any round."""
    return s.moves.auditor / s.step * (math.log(8 * s.T * s.k) - math.log(s.beta))


def lemma_3_2(setting: Setting, *, as_printed: bool = False) -> RoundAccuracy:
    """How accurate the private players are in one round, each with probability at least 1 - beta/(2T); sharp, 1 - beta/(2(T-1)).

    Source: supplement, Lemma 3.2: Delta r ln(8Tk/beta) / epsilon' and 2 Delta l (ln|H(S)| + ln(2T/beta)) / epsilon', from Theorems 1.1 and
    1.2. Sharp: the same for the repaired algorithm with a public N (``cell_sizes="public_lower_bound"``), of whose rounds T - 1 have noise.
    Its auditor measures rates, so that an entry is off by the difference of two Laplace noises; of two groups the gaps, off by one. The
    grid to which they are rounded is left out.

    Parameters
    ----------
    setting : Setting
        With ``log_labelings``, and ``smallest_cell``: the promised N, of the cells that a constraint asks about; as printed n, above 1.
    as_printed : bool

    Returns
    -------
    RoundAccuracy
        ``auditor``, ``learner``: 0 at T = 1 when sharp and A alone is protected, as then nothing private is read.

    Examples
    --------
    >>> setting = Setting(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000)
    >>> printed, sharp = lemma_3_2(setting, as_printed=True), lemma_3_2(setting)
    >>> round(printed.auditor, 3), round(sharp.auditor, 3), round(printed.learner, 2), round(sharp.learner, 2)
    (1.333, 0.195, 10.52, 1.58)
    """
    s = noisy(setting, as_printed)
    learner = learner_bound(s, labelings_of(setting), as_printed)
    if as_printed:
        return RoundAccuracy(printed_noise(s), learner)
    if s.T == 1:
        return RoundAccuracy(0.0, learner)
    return RoundAccuracy(gap_noise(s.k, s.moves.rates / s.step, s.beta / ((s.T - 1) * (s.d - 1))), learner)


def lemma_3_3(setting: Setting, *, as_printed: bool = False) -> float:
    """The private learner's average regret, with probability at least 1 - beta/2: no more than the worst of its rounds.

    Source: supplement, Lemma 3.3 (main text, Lemma 4.1): Lemma 3.2 in all rounds at once. It is the same whichever rates are compared.

    Parameters
    ----------
    setting, as_printed : as in :func:`lemma_3_2`

    Examples
    --------
    >>> round(lemma_3_3(Setting(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000)), 2)
    1.57
    """
    s = noisy(setting, as_printed)
    return learner_bound(s, labelings_of(setting), as_printed) * (1 if as_printed else noisy_answers(s) / s.T)


def _noise(s: Noisy) -> tuple[float, float]:
    """Scale of the noise of a rate, and what that of a gap does not exceed in any round."""
    scale = s.moves.rates / s.step if s.T > 1 else 0.0
    return scale, gap_noise(s.k, scale, s.beta / (2 * (s.T - 1) * (s.d - 1))) if s.T > 1 else 0.0


def auditor_step(s: Noisy, as_printed: bool, largest: float = 1.0) -> float:
    """The printed step; sharp, the best for the range of what the auditor sees."""
    if as_printed:
        return hedge_rate(s.d - 1, s.T, as_printed=True)
    return math.sqrt(8 * math.log(s.d) / s.T) / (2 * largest + 2 * _noise(s)[1])      # hedge_rate's, for any spread


def _hidden(s: Noisy, scale: float) -> float:
    """What noise hides from him: Chernoff's bound for the martingale."""
    if s.T == 1:
        return 0.0
    noises = (s.T - 1) * (1 if s.k == 2 else 2)
    return s.B * 2 * scale * ((math.log(4 * s.d / s.beta) - noises * np.log1p(-_THETA**2)) / _THETA).min() / s.T


def auditor_bound(s: Noisy, eta: float | None, as_printed: bool, largest: float = 1.0) -> float:
    """The auditor's average regret; ``largest`` is that of a gap, before noise."""
    eta = auditor_step(s, as_printed, largest) if eta is None else eta
    if as_printed:
        return late(s.B, s.d, eta, s.T) + 8 * hasty(s.B, eta, 2 + printed_noise(s))         # 4 eta B (1 + half the noise)^2
    scale, sup = _noise(s)
    return late(s.B, s.d, eta, s.T) + hasty(s.B, eta, 2 * largest + 2 * sup) + _hidden(s, scale)


def lemma_3_4(setting: Setting, *, as_printed: bool = False) -> float:
    """The private auditor's average regret against the *true* constraint values, with probability at least 1 - beta/2; for gamma <= 1.

    Source: supplement, Lemma 3.4 (main text, Lemma 4.2): B ln d / (eta T) + 4 eta B (1 + b l / 2)^2, with b the noise scale and l =
    ln(8Tk/beta), proved at the algorithm's own eta and at larger ones. Sharp, for a public lower bound: Hoeffding's lemma, the exact tail
    of the noise of rates, and Chernoff's bound for what noise hides; without the grid to which that algorithm rounds.

    Parameters
    ----------
    setting : Setting
        With ``smallest_cell``, as in :func:`lemma_3_2`. Without ``eta`` as printed the algorithm's own step; sharp, that with the smallest
        bound, which :func:`dp_oracle_learner` has to be given: its own is another. :func:`theorem_3_5` returns it.
    as_printed : bool

    Examples
    --------
    >>> setting = Setting(100, 1.0, 1e-7, 2.0, 2, .05, smallest_cell=5000)
    >>> round(lemma_3_4(setting, as_printed=True), 3), round(lemma_3_4(setting), 3)
    (1.917, 0.477)
    """
    return float(auditor_bound(noisy(setting, as_printed), setting.eta, as_printed))
