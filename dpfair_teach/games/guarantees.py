"""What DP-oracle-learner promises: Theorems 3.5 to 3.7, as printed and sharper."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from .. import _checks as check
from .bounds import fairness_bound_with_constants, lemma_b_1, lemma_b_2
from .budget import SMALLEST_STEP, largest_step, sure_step
from .regret import auditor_bound, auditor_step, labelings_of, learner_bound, noisy, noisy_answers, smallest_of
from .setting import SMALLEST_ETA, Setting, checked_setting

__all__ = ["best_setting", "theorem_3_5", "theorem_3_6", "theorem_3_7"]

_GRID = np.unique(np.geomspace(1, 10**9, 90).astype(np.int64)).tolist()     # a quarter apart: nu is within 2 % of its least


@dataclass(frozen=True)
class EquilibriumBound:
    """The gap of the output of DP-oracle-learner, with probability at least 1 - beta.

    Attributes
    ----------
    nu : float
        learner + auditor.
    learner, auditor : float
        Bounds on the two regrets.
    rounds : int
        T, how many of them the bound is about.
    eta : float
        The auditor's step. The bound is for an algorithm that plays ``rounds`` and this step: give it both.
    order : float
        What stands inside the O~ of Theorem 3.5; nu / order is the constant that it hides.
    """

    nu: float
    learner: float
    auditor: float
    rounds: int
    eta: float
    order: float


@dataclass(frozen=True)
class Guarantee:
    """Error and fairness of the output of DP-oracle-learner, with probability at least 1 - beta.

    Attributes
    ----------
    nu : float
        The equilibrium gap.
    error : float
        err(Q~) - err(Q*) is at most this; from 1 on it says nothing.
    violation : float
        The largest gap of Q~ is at most this; from 1 on it says nothing.
    rounds : int
        T, how many of them the bound is about.
    eta : float
        The auditor's step. The bound is for an algorithm that plays ``rounds`` and this step: give it both.
    """

    nu: float
    error: float
    violation: float
    rounds: int
    eta: float


@lru_cache(maxsize=2**14)
def _step(epsilon, delta, selections, gradients):
    return largest_step(epsilon, delta, selections, gradients)


def _regrets(s, log_labelings, eta, as_printed):
    part = 1.0 if as_printed else noisy_answers(s) / s.T
    return part * learner_bound(s, log_labelings, as_printed), float(auditor_bound(s, eta, as_printed))


def best_setting(setting: Setting) -> Setting:
    """The setting with the rounds and the step eta for which Theorem 3.5, sharp, promises about the smallest nu.

    Source: ours. Both depend on public numbers only. The rounds are the best on a grid, so that nu is within about 2 % of its least. It is
    searched with the law of the noise; what noise in doubles gives away (``n_classifiers``) is left to the bound.

    Parameters
    ----------
    setting : Setting
        As in :func:`theorem_3_5`; its rounds are not read, and an ``eta`` is kept.

    Returns
    -------
    Setting
        For :func:`theorem_3_5`, and for ``dp_oracle_learner(..., cell_sizes="public_lower_bound")`` with its ``rounds`` and ``eta``.

    Examples
    --------
    >>> setting = best_setting(Setting.scheduled(10**6, 1.0, 1e-7, 2.0, 2, .05, math.log(10**6 + 1), 10**6 / 4))
    >>> setting.rounds, round(setting.eta, 3)
    (856, 0.06)
    """
    checked_setting(setting)
    setting = replace(setting, rounds=_best_rounds(replace(setting, rounds=1)))
    eta = auditor_step(noisy(setting, False), False) if setting.eta is None else setting.eta
    return replace(setting, eta=max(eta, SMALLEST_ETA))     # where noise drowns everything, a bound that says nothing


def _best_rounds(first: Setting) -> int:
    """The number of rounds with the smallest sharp bound, on a grid."""
    best, s, log_labelings = (math.inf, 1), noisy(first, False), labelings_of(first)
    for T in _GRID:
        selections = T - (s.protect == "A")
        if selections and sure_step(first.epsilon, first.delta, selections + T - 1) < SMALLEST_STEP:
            break
        step = _step(first.epsilon, first.delta, selections, T - 1) if selections else math.inf
        learner, auditor = _regrets(replace(s, T=T, step=step), log_labelings, first.eta, False)
        best = min(best, (learner + auditor, T))
        if learner > best[0]:       # it only grows
            break
    return best[1]


def theorem_3_5(setting: Setting, *, as_printed: bool = False) -> EquilibriumBound:
    """DP-oracle-learner's output is a nu-approximate equilibrium with probability at least 1 - beta: nu, with all its constants.

    Source: supplement, Theorem 3.5 (main text, Theorem 4.3): nu adds the bounds of Lemmas 3.3 and 3.4. The theorem shows it inside an O~
    after putting in T and eta; here nothing is hidden, and T and eta are the setting's. For gamma <= 1. As printed it is about
    :func:`dp_oracle_learner_as_printed`, whose rounds are :meth:`Setting.scheduled`'s. Sharp it is about ``dp_oracle_learner(...,
    cell_sizes="public_lower_bound", smallest_cell=N, rounds=found.rounds, eta=found.eta)``; :func:`best_setting` finds the best of both
    for this bound, and neither is what that function plays by default. The grid to which that function rounds what it measures is left
    out: with x_0 = 2^-11 (k >= 3: 2^-10) of the noise's scale it adds at most 2 B x_0, and 2 x_0 to the gaps' range.

    Parameters
    ----------
    setting : Setting
        As in :func:`lemma_3_2`, with ``m``. Without ``eta`` as printed the printed step, :func:`hedge_rate` with ``as_printed``; sharp,
        that with the smallest nu. As printed the bound is proved for the printed step and larger ones only, see :func:`lemma_3_4`.
    as_printed : bool

    Returns
    -------
    EquilibriumBound

    Examples
    --------
    >>> for m in (10**6, 10**8):
    ...     setting = Setting.scheduled(m, 1.0, 1e-7, 2.0, 2, .05, math.log(m + 1), m / 4)
    ...     print(round(theorem_3_5(setting, as_printed=True).nu, 2), round(theorem_3_5(best_setting(setting)).nu, 3))
    1.54 0.251
    0.18 0.029
    """
    s, log_labelings = noisy(setting, as_printed), labelings_of(setting)
    eta = auditor_step(s, as_printed) if setting.eta is None else setting.eta
    learner, auditor = _regrets(s, log_labelings, eta, as_printed)
    return EquilibriumBound(learner + auditor, learner, auditor, s.T, eta, _order(setting, log_labelings))


def _order(setting: Setting, log_labelings: float) -> float:
    """What stands inside the O~."""
    m, n = setting.m, smallest_of(setting)
    if m is None:
        check.refuse("m", None, "the order of the bound asks how many people there are", "Give m.")
    return setting.B * m / n * math.sqrt(
        setting.k * math.sqrt(-math.log(setting.delta)) * (log_labelings - math.log(setting.beta)) / (m * setting.epsilon))


def _promises(bound: EquilibriumBound, B: float, gamma: float, constants: int, as_printed: bool) -> Guarantee:
    constants = check.integer("constants", constants, low=0, high=2)
    if as_printed:
        check.unread("as_printed=True", "as_printed=False", constants=None if constants == 2 else constants)
    gamma = check.number("gamma", gamma, low=0.0, high=1.0)
    if as_printed:
        return Guarantee(bound.nu, lemma_b_1(bound.nu), lemma_b_2(bound.nu, B, gamma), bound.rounds, bound.eta)
    if constants == 0:
        return Guarantee(bound.nu, math.inf, math.inf, bound.rounds, bound.eta)
    each = bound.nu / 2         # what both players together could still gain is the sum of the two regrets: nu, once
    room = 0.5 if constants == 2 else 1.0       # of two constants one errs on at most half of the people; a single one may on all
    violation = min(lemma_b_2(each, B, gamma), fairness_bound_with_constants(each, B, gamma, room=room))
    return Guarantee(bound.nu, lemma_b_1(each), violation, bound.rounds, bound.eta)


def theorem_3_6(setting: Setting, gamma: float, *, constants: int = 2, as_printed: bool = False) -> Guarantee:
    """Error and fairness of DP-oracle-learner: err(Q*) + 2 nu, gamma + (1 + 2 nu) / B.

    Source: supplement, Theorem 3.6 (main text, Theorem 4.4): Theorem 3.5 with Lemmas B.1 and B.2, of which it leaves out the hypothesis
    that some mixture is gamma-fair. Sharp: the sharp nu; nu for 2 nu, since max L(Q~, .) - min L(., lambda~) is at most the sum of the
    two regrets, which is nu once; and for gamma > 0, where the class has constant classifiers, :func:`fairness_bound_with_constants` if
    that is less.

    Parameters
    ----------
    setting : Setting
        As in :func:`theorem_3_5`; ``protect="A"``.
    gamma : float in [0, 1]
    constants : 0, 1 or 2
        How many of "reject everybody" and "accept everybody" the class has. One makes a fair mixture possible; with both, one errs on
        at most half of the people. With none some mixture may still be fair and Lemma B.2 hold, but these numbers cannot say so: inf.
        The printed theorem asks for none and reads no number of them.
    as_printed : bool

    Returns
    -------
    Guarantee

    Examples
    --------
    >>> setting = Setting.scheduled(10**8, 1.0, 1e-7, 10.0, 2, .05, math.log(10**8), 10**7)
    >>> round(theorem_3_6(best_setting(setting), .1).violation, 3), round(theorem_3_6(setting, .1, as_printed=True).violation, 3)
    (0.145, 0.601)
    """
    if checked_setting(setting).protect != "A":
        check.refuse("protect", setting.protect, "the theorem is about a learner that protects A", "Use theorem_3_7, or protect='A'.")
    return _promises(theorem_3_5(setting, as_printed=as_printed), setting.B, gamma, constants, as_printed)


def theorem_3_7(setting: Setting, gamma: float, *, constants: int = 2, as_printed: bool = False) -> Guarantee:
    """The same for a finite class: ln|H| for ln|H(S)|, and X is protected as well as A.

    Source: supplement, Theorem 3.7 and the text above it (main text, Table 1, third row). Sharp: for ``protect="X and
    A"``, where :func:`dp_oracle_learner` makes its learner's noise for a change of a loss by 1/m + 2B/(N+1) at most; the printed
    sensitivity, made for A, is larger still. A whole record (Y too) is not covered.

    Parameters
    ----------
    setting : Setting
        As in :func:`theorem_3_5`; ``protect="X and A"``, and ``log_labelings`` is ln|H|.
    gamma, constants, as_printed : as in :func:`theorem_3_6`

    Returns
    -------
    Guarantee

    Examples
    --------
    >>> setting = replace(Setting.scheduled(10**8, 1.0, 1e-7, 10.0, 2, .05, math.log(500), 10**7), protect="X and A")
    >>> round(theorem_3_7(best_setting(setting), .1).nu, 3)
    0.182
    """
    if checked_setting(setting).protect == "A":
        check.refuse("protect", "A", "the theorem is about a learner that protects X as well", "Use theorem_3_6, or protect='X and A'.")
    return _promises(theorem_3_5(setting, as_printed=as_printed), setting.B, gamma, constants, as_printed)
