"""What is promised: by an approximate equilibrium, by DP-oracle-learner in Theorems 3.5 to 3.7, printed and sharper, and as it runs."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .budget import SMALLEST_STEP, largest_step, sure_step
from .programs import plain
from .regret import Noisy, auditor_bound, auditor_step, labelings_of, learner_bound, noisy, noisy_answers, smallest_of
from .sensitivity import Sensitivities
from .setting import SMALLEST_ETA, Setting, checked_setting

__all__ = ["lemma_b_1", "lemma_b_2", "fairness_bound_with_constants", "population_bound", "best_setting", "theorem_3_5", "theorem_3_6",
           "theorem_3_7", "frozen_bound", "frozen_tau"]

_GRID = np.unique(np.geomspace(1, 10**9, 90).astype(np.int64)).tolist()     # a quarter apart: nu is within 2 % of its least


# ------------------------------------------------------------------------------------------- of an approximate equilibrium

def _nu(value: object, name: str = "nu") -> float:
    return check.number(name, value, low=0.0)       # a gap above 1 says nothing, and that is an answer


def _b(value: object) -> float:
    return check.number("B", value, low=0.0, high=1e9, low_open=True)


def lemma_b_1(nu: float, nu_learner: float | None = None) -> float:
    """Excess error of a nu-approximate equilibrium over any gamma-fair mixture: 2 nu.

    Source: supplement, Lemma B.1 (Agarwal et al. 2018). The proof spends nu once for each player, so the sum of the two regrets will do;
    where both are nu, 2 nu is attained.

    Parameters
    ----------
    nu : float >= 0
        The gap; or the auditor's regret alone, when ``nu_learner`` is given.
    nu_learner : float >= 0, optional
        The learner's regret.

    Examples
    --------
    >>> lemma_b_1(0.05), lemma_b_1(0.05, nu_learner=0.0)
    (0.1, 0.05)
    """
    nu = _nu(nu)
    return nu + (nu if nu_learner is None else _nu(nu_learner, "nu_learner"))


@check.formerly(feasible="Say excess, the room between errors.")
def lemma_b_2(nu: float, B: float, gamma: float, *, excess: float | None = None) -> float:
    """Violation of a nu-approximate equilibrium: gamma + (1 + 2 nu) / B.

    Source: supplement, Lemma B.2 (Agarwal et al. 2018). The 1 stands for err(Q*) - err(Q~), at most 1 and seldom near it: with ``excess``
    it is replaced. Theorems 3.6 and 3.7 use the lemma without its hypothesis, that some mixture is gamma-fair, as one is when the class has
    a constant classifier; without it nothing holds. Above 1 the bound says nothing.

    Parameters
    ----------
    nu : float >= 0
    B : float in (0, 1e9]
    gamma : float >= 0
    excess : float in [-1, 1], optional
        err(Q*) - err(Q~), or an upper bound on it, for the sharper (excess + 2 nu) / B.

    Examples
    --------
    >>> lemma_b_2(0.05, B=10, gamma=.1), round(lemma_b_2(0.05, B=10, gamma=.1, excess=.2), 3)
    (0.21000000000000002, 0.13)
    """
    nu, B, gamma = _nu(nu), _b(B), check.gamma(gamma)
    excess = 1.0 if excess is None else check.number("excess", excess, low=-1.0, high=1.0)
    return gamma + max(excess + 2 * nu, 0.0) / B


def fairness_bound_with_constants(nu: float, B: float, gamma: float, *, room: float = 0.5) -> float:
    """Violation of a nu-approximate equilibrium when the class has both constant classifiers: gamma + 2 nu / (B - room / gamma).

    Source: ours, sharpening supplement, Theorem 3.6. Mixing Q~ with the better constant until it is exactly gamma-fair costs at most
    room / gamma of error for each unit of violation, so a price above room / gamma is worth more than any error. With B = 1 / gamma the
    bound is at most gamma + 4 nu gamma, and no term 1 / B is left: the trade-off in B (Remark 3.1) is not inherent when gamma > 0.

    Parameters
    ----------
    nu : float >= 0
    B : float in (0, 1e9]
    gamma : float >= 0
    room : float in [0, 1]
        err(constant) - err(Q~), or an upper bound on it: 1/2 does for the better of both constants; for a single one only 1 does.

    Returns
    -------
    float
        Infinite where B <= room / gamma, and where gamma = 0: there the bound says nothing.

    Examples
    --------
    >>> round(fairness_bound_with_constants(0.05, B=10, gamma=.1), 3), lemma_b_2(0.05, B=10, gamma=.1)
    (0.12, 0.21000000000000002)
    >>> fairness_bound_with_constants(0.05, B=10, gamma=.1, room=1.0)       # one constant: B has to be above 1 / gamma
    inf
    """
    nu, B, gamma = _nu(nu), _b(B), check.gamma(gamma)
    room = check.number("room", room, low=0.0, high=1.0)
    left = B * gamma - room         # (B - room / gamma) gamma, without dividing by 0
    return gamma + 2 * gamma * nu / left if left > 0 else math.inf


@dataclass(frozen=True, eq=False)
class PopulationBound:
    """How far the sample's numbers may lie from the population's, for all mixtures at once, with probability at least 1 - beta.

    ``error`` is of err(Q), ``rates`` (k, 2) [a, y] of each rate, ``gaps`` (k, 2) of rate_a - rate_0, whose row 0 is 0.
    """

    error: float
    rates: np.ndarray
    gaps: np.ndarray


def population_bound(n: ArrayLike, log_classifiers: float, beta: float) -> PopulationBound:
    """From the sample to the population, for a finite class chosen before the sample: Hoeffding and a union bound.

    Source: ours, for the step from program (5) to program (4) of the supplement, section 3.1, which it does not take.
    With N = 2 |H| (2k + 1) / beta: sqrt(ln N / (2m)) for the error, sqrt(ln N / (2 n_ay)) for a rate. It extends from classifiers to
    their mixtures because both are averages. It does not cover a class picked with the sample, such as H(S).

    Parameters
    ----------
    n : (k, 2) array [a, y], entries > 0
        People of the sample.
    log_classifiers : float in [0, 1e12]
        ln|H|.
    beta : float in (0, 1)
        Failure probability of all together.

    Examples
    --------
    >>> bound = population_bound([[5000, 3000], [1000, 1000]], math.log(100), beta=.05)
    >>> round(bound.error, 4), bound.gaps[1].round(4)
    (0.0223, array([0.1018, 0.111 ]))
    """
    n = check.array("n", n, shape=(None, 2), low=0.0, high=1e15, booleans=False)
    check.filled("n", n, "group")
    check.occupied("n", n, "Merge that group with another.")
    log_n = (check.number("log_classifiers", log_classifiers, low=0.0, high=1e12) + math.log(2 * (2 * len(n) + 1))
             - math.log(check.beta(beta)))
    rates = np.sqrt(log_n / (2 * n))
    gaps = rates + rates[:1]
    gaps[0] = 0.0
    return PopulationBound(math.sqrt(log_n / (2 * n.sum())), rates, gaps)


# --------------------------------------------------------------------------------------------- of the play after a promise

@dataclass(frozen=True)
class EquilibriumBound:
    """The gap of the output of DP-oracle-learner, with probability at least 1 - beta.

    ``nu`` is ``learner`` + ``auditor``, bounds on the two regrets. ``rounds`` and ``eta``, the auditor's step, are those of the algorithm
    that the bound is about: give it both. ``order`` is what stands inside the O~ of Theorem 3.5, and nu / order the constant that it hides.

    Of :func:`frozen_bound` ``nu`` is the gap in the true game, with 4 B tau for the released denominators, which add 2 B tau to the
    learner's regret and 4 B tau to the auditor's; ``tau`` is how far a rate over them is from the true one, at most. Elsewhere it is 0.
    """

    nu: float
    learner: float
    auditor: float
    rounds: int
    eta: float
    order: float | None = None
    tau: float = 0.0


@dataclass(frozen=True)
class Guarantee:
    """What the output promises, as an approximate equilibrium with the gap ``nu``.

    err(Q~) - err(Q*) is at most ``error``, the largest gap of Q~ at most ``violation``; from 1 on they say nothing. Of DP-oracle-learner
    that holds with probability at least 1 - beta, for the algorithm that plays ``rounds`` and the step ``eta``: give it both.
    """

    nu: float
    error: float
    violation: float
    rounds: int | None = None
    eta: float | None = None


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

    Source: supplement, Theorem 3.5 (main text, Theorem 4.3): nu adds the bounds of Lemmas 3.3 and 3.4, here with T and eta of the setting
    and nothing hidden in an O~. For gamma <= 1. As printed it is about :func:`dp_oracle_learner_as_printed`, whose rounds are
    :meth:`Setting.scheduled`'s. Sharp it is about ``dp_oracle_learner(..., cell_sizes="public_lower_bound", smallest_cell=N,
    rounds=found.rounds, eta=found.eta)``; :func:`best_setting` finds the best of both. The grid of what is measured is left out.

    Parameters
    ----------
    setting : Setting
        As in :func:`lemma_3_2`, with ``m``. Without ``eta`` as printed the printed step, sqrt(ln d / T) / 2; sharp,
        that with the smallest nu. As printed the bound is proved for the printed step and larger ones only, see :func:`lemma_3_4`.
    as_printed : bool

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
        setting.n_groups * math.sqrt(-math.log(setting.delta)) * (log_labelings - math.log(setting.beta)) / (m * setting.epsilon))


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

    Source: supplement, Theorem 3.7 and the text above it (main text, Table 1, third row). Sharp: where :func:`dp_oracle_learner` makes its
    learner's noise for a change of a loss by 1/m + 2B/(N+1) at most. A whole record (Y too) is not covered.

    Parameters
    ----------
    setting : Setting
        As in :func:`theorem_3_5`; ``protect="X and A"``, and ``log_labelings`` is ln|H|.
    gamma, constants, as_printed : as in :func:`theorem_3_6`

    Examples
    --------
    >>> setting = replace(Setting.scheduled(10**8, 1.0, 1e-7, 10.0, 2, .05, math.log(500), 10**7), protect="X and A")
    >>> round(theorem_3_7(best_setting(setting), .1).nu, 3)
    0.182
    """
    if checked_setting(setting).protect == "A":
        check.refuse("protect", "A", "the theorem is about a learner that protects X as well", "Use theorem_3_6, or protect='X and A'.")
    return _promises(theorem_3_5(setting, as_printed=as_printed), setting.B, gamma, constants, as_printed)


# ----------------------------------------------------------------------------------------- of the play over released sizes

@check.formerly(constraints="They are those that n and denominators have.")
def frozen_tau(n: ArrayLike, denominators: ArrayLike) -> np.ndarray:
    """tau = max |n~ - n| / n~: how far a rate over the released denominators may be from the true one.

    Source: ours. A rate n_1 / n~ is the true rate times n / n~, so it is off by the rate times |n~ - n| / n~, and a rate is at most 1.

    Parameters
    ----------
    n : (k, 2) array [a, y], entries >= 0
        People of the cells, who are private: so is tau, but for the teacher's eye.
    denominators : (..., k, 2) array, entries >= 1
        What was released for equalized odds, ``dp_oracle_learner(...).denominators``.

    Returns
    -------
    (...) array, or float

    Examples
    --------
    >>> round(frozen_tau([[100, 100], [50, 80]], [[98, 100], [52, 80]]), 3)
    0.038
    """
    n = check.filled("n", check.array("n", n, shape=(None, 2), low=0.0, high=1e15, booleans=False), "group")
    shown = check.array("denominators", denominators, low=1.0, high=1e15, booleans=False)
    if shown.ndim < 2 or shown.shape[-2:] != n.shape:
        check.refuse("denominators", shown.shape, f"does not end in the shape of n, {n.shape}", "Give one for each cell.")
    return plain((np.abs(shown - n) / shown).max(axis=(-2, -1)))


def frozen_gap(nu: float, B: float, tau: float) -> float:
    """A nu-approximate equilibrium of the frozen game is one of the true game, with nu + 4 B tau (exercise 11D)."""
    return nu + 4 * B * tau


def _off(s, cells, epsilon_0):
    """How many people the released sizes of so many cells may be off, with probability at least 1 - beta/3; 1/2 by rounding."""
    return 0.5 + (1 if s.n_groups == 2 else 2) * math.log(3 * cells / s.beta) / epsilon_0


def _grid(s, least):
    """x_0: how far the grid moves a measured gap."""
    return (1 if s.k == 2 else 2) * 2**-11 * 2 / (least * s.step) if s.T > 1 else 0.0


def frozen_bound(setting: Setting) -> EquilibriumBound:
    """The utility of dp_oracle_learner as it runs by default, with frozen denominators: Theorem 3.5 for it, for gamma <= 1.

    Source: ours, after supplement, Lemmas 3.2 to 3.4 and Theorem 3.5. beta is spent in thirds, beta_0 = beta/3. The released sizes are
    all off by at most xi = 1/2 + ln(L/beta_0)/epsilon_0 (k = 2, L labels) or 1/2 + 2 ln(kL/beta_0)/epsilon_0, 1/2 for whole people, so
    they are at least N~ = max(n - xi, 1), and tau <= xi / N~. Given them the learner's loss has a range of at most 2B/N~, and the noise of
    a gap is that of 2/N~; the rest is as for a promise, where that is 2/(N+1), with gaps up to 1 + tau + x_0, and 2 B x_0 for the grid of
    what is measured: it moves a gap by at most x_0, 2^-11 of the noise's scale (2^-10 for k >= 3). In the true game either player may gain
    4 B tau more. A small ``smallest_cell`` spoils this bound, never the privacy.

    Parameters
    ----------
    setting : Setting
        With ``log_labelings``, and ``smallest_cell``: people in the smallest cell that a constraint asks about; ``protect="A"``. Without
        ``eta`` the step of :func:`dp_oracle_learner`.

    Examples
    --------
    >>> found = frozen_bound(Setting(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000))
    >>> round(found.nu, 2), round(found.learner, 2), round(found.auditor, 2), round(found.tau, 4)
    (1.63, 0.93, 0.74, 0.0098)
    """
    if checked_setting(setting).protect != "A":
        check.refuse("protect", setting.protect, "the bound is about a learner that protects A", "Use theorem_3_7, or protect='A'.")
    k, T, B, n = setting.n_groups, setting.rounds, setting.B, smallest_of(setting)
    off = _off(setting, len(setting.parity.cells) * (1 if k == 2 else k), setting.budget_fraction * setting.epsilon)
    least = max(n - off, 1.0)
    tau, thirds = off / least, setting.beta * 2 / 3
    # Denominators are all at least that: a price of the loss moves by B (1/n + 1/n), its noise is made for half.
    moves = Sensitivities(auditor=4 * (k - 1) / least, learner=B / least, rates=2 / least)
    s = Noisy(T, k, setting.d, B, thirds, setting.epsilon_step, moves)
    learner = learner_bound(s, labelings_of(setting), False) * (T - 1) / T
    grid = _grid(s, least)
    auditor = float(auditor_bound(s, setting.learning_rate, False, largest=1 + tau + grid)) + 2 * B * grid
    return EquilibriumBound(frozen_gap(learner + auditor, B, tau), learner + 2 * B * tau, auditor + 4 * B * tau, T, setting.learning_rate,
                            tau=tau)
