"""How accurate the private players are in one round: Lemma 3.2, and what all bounds on DP-oracle-learner share."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace

from scipy.optimize import brentq

from .. import _checks as check
from ..fairness import Parity
from .sensitivity import Protected, Sensitivities, lemma_3_1
from .setting import Setting, checked_setting

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
    step = setting.step("printed" if as_printed else "promise") if step is None else step
    return Noisy(setting.T, setting.k, setting.d, setting.B, setting.beta, step, _moves(setting, n, as_printed), setting.protect)


def _moves(setting: Setting, n: float, as_printed: bool) -> Sensitivities:
    """How much one person moves what a round computes."""
    if as_printed or setting.protect == "A":
        return lemma_3_1(n, setting.k, setting.B, as_printed=as_printed)
    m = setting.m
    if m is None:
        check.refuse("m", m, "the error of a classifier moves by 1/m when X does", "Give m.")
    found = lemma_3_1(n, setting.k, setting.B, protect=setting.protect, m=math.ceil(m))
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
    """What the noise of a gap exceeds with probability ``tail``: it is one Laplace for two groups, else V - V'.

    P(|V - V'| > x) = (1 + x / (2 scale)) exp(-x / scale).
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
    1.2. It prints d ln m for ln|H(S)|, see :func:`~dpfair_teach.oracles.labelings_bound`, and draws the root of epsilon' over that
    logarithm too, which its Lemma 3.3 does not. Sharp: the same for the repaired algorithm with a public N (``repair="promise"``), of
    whose rounds T - 1 have noise. Its auditor measures rates, so that an entry is off by the difference of two Laplace noises; of two
    groups the gaps, off by one. That the algorithm rounds them to a grid of at most 2^-10 of the noise's scale is left out.

    Parameters
    ----------
    setting : Setting
        With ``log_labelings``, and ``smallest_cell``: the promised N, of the cells that a constraint asks about; as printed n, above 1.
    as_printed : bool

    Returns
    -------
    RoundAccuracy
        ``auditor``, ``learner``: 0 at T = 1 when sharp and A alone is protected, as then nothing private is read.

    Raises
    ------
    ValueError
        No setting, or one without a number that is needed; rates of other notions, or between all pairs of groups.

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
