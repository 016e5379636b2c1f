"""What DP-oracle-learner promises: Theorems 3.5 to 3.7, as printed and sharper."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from .. import _checks as check
from .accuracy import labelings_of, learner_bound, noisy, noisy_answers, smallest_of
from .bounds import fairness_bound_with_constants, lemma_b_1, lemma_b_2
from .budget import SMALLEST_STEP, largest_step, sure_step
from .regret import auditor_bound, auditor_step
from .rounds import schedule
from .setting import Setting

__all__ = ["theorem_3_5", "theorem_3_6", "theorem_3_7"]

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
    share = 1.0 if as_printed else noisy_answers(s) / s.T
    return share * learner_bound(s, log_labelings, as_printed), float(auditor_bound(s, eta, as_printed))


def _best_rounds(first, eta):
    """The number of rounds with the smallest sharp bound, on a grid. It depends on public numbers only."""
    best, s, log_labelings = (math.inf, 1), noisy(first, False), labelings_of(first)
    for T in _GRID:
        selections = T - (s.protect == "A")
        if selections and sure_step(first.epsilon, first.delta, selections + T - 1)[1] < SMALLEST_STEP:
            break
        step = _step(first.epsilon, first.delta, selections, T - 1) if selections else math.inf
        learner, auditor = _regrets(replace(s, T=T, step=step), log_labelings, eta, False)
        best = min(best, (learner + auditor, T))
        if learner > best[0]:       # it only grows
            break
    return best[1]


def theorem_3_5(m: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, log_labelings: float,
                smallest_cell: float, *, rounds: int | None = None, eta: float | None = None,
                constraints: tuple[str, ...] = ("FP", "TP"), as_printed: bool = False) -> EquilibriumBound:
    """DP-oracle-learner's output is a nu-approximate equilibrium with probability at least 1 - beta: nu, with all its constants.

    Source: supplement, Theorem 3.5 (main text, Theorem 4.3): nu adds the bounds of Lemmas 3.3 and 3.4. The theorem shows it inside an O~
    after putting in T and eta; here nothing is hidden. For gamma <= 1. As printed it is about ``dp_oracle_learner(..., as_printed=True)``.
    Sharp it is about ``dp_oracle_learner(..., repair="promise", smallest_cell=N, rounds=found.rounds, eta=found.eta)``: both are found
    here, about the best for this bound, and neither is what that function plays by default. The grid to which that function rounds what it
    measures is left out: with x_0 = 2^-11 (k >= 3: 2^-10) of the noise's scale it adds at most 2 B x_0, and 2 x_0 to the gaps' range.

    Parameters
    ----------
    m : int in 1..10^15
        People.
    epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell : as in :func:`lemma_3_2`
    rounds : int in 1..10^15, optional
        T. By default the printed schedule's; sharp, that with about the smallest nu, which public numbers decide.
    eta : float in [1e-12, 1e9], optional
        The auditor's step. By default the printed one, :func:`hedge_rate` with ``as_printed``; sharp, that with the smallest nu. As
        printed the bound is proved for that step and larger ones only, see :func:`lemma_3_4`.
    constraints, as_printed : as in :func:`lemma_3_2`

    Returns
    -------
    EquilibriumBound
        ``nu``, ``learner``, ``auditor``, ``rounds``, ``eta``, ``order``.

    Raises
    ------
    ValueError
        A number out of range; the cells that a constraint asks about would hold more than m people.

    Examples
    --------
    >>> import math
    >>> for m in (10**6, 10**8):
    ...     printed = theorem_3_5(m, 1.0, 1e-7, 2.0, 2, .05, math.log(m + 1), m / 4, as_printed=True)
    ...     print(round(printed.nu, 2), round(theorem_3_5(m, 1.0, 1e-7, 2.0, 2, .05, math.log(m + 1), m / 4).nu, 3))
    1.54 0.251
    0.18 0.029
    >>> found = theorem_3_5(10**6, 1.0, 1e-7, 2.0, 2, .05, math.log(10**6 + 1), 10**6 / 4)
    >>> found.rounds, round(found.eta, 3)       # for dp_oracle_learner
    (856, 0.06)
    """
    return _bound(m, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell, rounds, eta, constraints, as_printed, "A")


def _bound(m, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell, rounds, eta, constraints, as_printed, protect):
    m = check.integer("m", m, low=1, high=10**15, whole_float=True)
    first = Setting(1, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell, constraints, eta=eta, protect=protect, m=m)
    log_labelings, n = labelings_of(first), smallest_of(first)
    if rounds is None:
        noisy(first, as_printed)        # it refuses what the schedule would not
        rounds = (schedule(m, epsilon, delta, B, n_groups, beta, log_labelings, constraints).rounds if as_printed else
                  _best_rounds(first, first.eta))
    s = noisy(setting := replace(first, rounds=rounds), as_printed)
    eta = auditor_step(s, as_printed) if setting.eta is None else setting.eta
    learner, auditor = _regrets(s, log_labelings, eta, as_printed)
    order = s.B * m / n * math.sqrt(s.k * math.sqrt(-math.log(setting.delta)) * (log_labelings - math.log(s.beta)) / (m * setting.epsilon))
    return EquilibriumBound(learner + auditor, learner, auditor, s.T, eta, order)


def _promises(bound, B, gamma, constants, as_printed):
    constants = check.integer("constants", constants, low=0, high=2)
    gamma = check.number("gamma", gamma, low=0.0, high=1.0)
    if math.isinf(bound.nu):
        return Guarantee(math.inf, math.inf, math.inf, bound.rounds, bound.eta)
    if as_printed:
        return Guarantee(bound.nu, lemma_b_1(bound.nu), lemma_b_2(bound.nu, B, gamma), bound.rounds, bound.eta)
    if constants == 0:
        return Guarantee(bound.nu, math.inf, math.inf, bound.rounds, bound.eta)
    each = bound.nu / 2         # what both players together could still gain is the sum of the two regrets: nu, once
    room = 0.5 if constants == 2 else 1.0       # of two constants one errs on at most half of the people; a single one may on all
    violation = min(lemma_b_2(each, B, gamma), fairness_bound_with_constants(each, B, gamma, room=room))
    return Guarantee(bound.nu, lemma_b_1(each), violation, bound.rounds, bound.eta)


def theorem_3_6(m: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, log_labelings: float, smallest_cell: float,
                gamma: float, *, constants: int = 2, rounds: int | None = None, eta: float | None = None,
                constraints: tuple[str, ...] = ("FP", "TP"), as_printed: bool = False) -> Guarantee:
    """Error and fairness of DP-oracle-learner: err(Q*) + 2 nu, gamma + (1 + 2 nu) / B.

    Source: supplement, Theorem 3.6 (main text, Theorem 4.4): Theorem 3.5 with Lemmas B.1 and B.2, of which it leaves out the hypothesis
    that some mixture is gamma-fair. Sharp: the sharp nu; nu for 2 nu, since max L(Q~, .) - min L(., lambda~) is at most the sum of the
    two regrets, which is nu once; and for gamma > 0, where the class has constant classifiers, :func:`fairness_bound_with_constants` if
    that is less.

    Parameters
    ----------
    m, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell : as in :func:`theorem_3_5`
    gamma : float in [0, 1]
    constants : 0, 1 or 2
        How many of "reject everybody" and "accept everybody" the class has. One makes a fair mixture possible; with both, one errs on
        at most half of the people. With none some mixture may still be fair and Lemma B.2 hold, but these numbers cannot say so: inf.
    rounds, eta, constraints, as_printed : as in :func:`theorem_3_5`

    Returns
    -------
    Guarantee
        ``nu``, ``error``, ``violation``, ``rounds``, ``eta``.

    Examples
    --------
    >>> import math
    >>> sharp = theorem_3_6(10**8, 1.0, 1e-7, 10.0, 2, .05, math.log(10**8), 10**7, .1)
    >>> printed = theorem_3_6(10**8, 1.0, 1e-7, 10.0, 2, .05, math.log(10**8), 10**7, .1, as_printed=True)
    >>> round(sharp.violation, 3), round(printed.violation, 3)
    (0.145, 0.601)
    """
    return _promises(_bound(m, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell, rounds, eta, constraints, as_printed, "A"),
                     B, gamma, constants, as_printed)


def theorem_3_7(m: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, n_classifiers: int, smallest_cell: float,
                gamma: float, *, constants: int = 2, rounds: int | None = None, eta: float | None = None,
                constraints: tuple[str, ...] = ("FP", "TP"), as_printed: bool = False) -> Guarantee:
    """The same for a finite class: ln|H| for ln|H(S)|, and X is protected as well as A.

    Source: supplement, Theorem 3.7 and the text above it (main text, Table 1, third row). Sharp: for ``protect="X and
    A"``, where :func:`dp_oracle_learner` makes its learner's noise for a change of a loss by 1/m + 2B/(N+1) at most; the printed
    sensitivity, made for A, is larger still. A whole record (Y too) is not covered.

    Parameters
    ----------
    m, epsilon, delta, B, n_groups, beta : as in :func:`theorem_3_5`
    n_classifiers : int >= 1
        |H|.
    smallest_cell, gamma, constants, rounds, eta, constraints, as_printed : as in :func:`theorem_3_6`

    Returns
    -------
    Guarantee
        ``nu``, ``error``, ``violation``, ``rounds``, ``eta``.

    Examples
    --------
    >>> round(theorem_3_7(10**8, 1.0, 1e-7, 10.0, 2, .05, 500, 10**7, .1).nu, 3)
    0.182
    """
    if (n_classifiers := check.integer("n_classifiers", n_classifiers, low=1)) > 10**300:
        check.refuse("n_classifiers", n_classifiers, "more than 10^300", "Use theorem_3_6 with the logarithm, or a smaller class.")
    log_h = math.log(n_classifiers)
    return _promises(_bound(m, epsilon, delta, B, n_groups, beta, log_h, smallest_cell, rounds, eta, constraints, as_printed, "X and A"),
                     B, gamma, constants, as_printed)
