"""What DP-oracle-learner promises: Lemmas 3.2 to 3.4 and Theorems 3.5 to 3.7, as printed and sharper."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from .. import _checks as check
from .auditor import MOST_ROUNDS, bound_on_multipliers, hedge_rate
from .bounds import fairness_bound_with_constants, lemma_b_1, lemma_b_2
from .budget import largest_step
from .game import checked_constraints
from .rounds import schedule
from .sensitivity import lemma_3_1

__all__ = ["lemma_3_2", "lemma_3_3", "lemma_3_4", "theorem_3_5", "theorem_3_6", "theorem_3_7"]

_THETA = np.linspace(1e-3, 0.999, 999)
_GRID = 90


@dataclass(frozen=True)
class RoundAccuracy:
    """How far one round of the private players may be off, with probability at least 1 - beta/(2T) each.

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
class EquilibriumBound:
    """The gap of the output of DP-oracle-learner, with probability at least 1 - beta.

    Attributes
    ----------
    nu : float
        learner + auditor.
    learner, auditor : float
        Bounds on the two regrets.
    rounds : int
    order : float
        What stands inside the O~ of Theorem 3.5; nu / order is the constant that it hides.
    """

    nu: float
    learner: float
    auditor: float
    rounds: int
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
    """

    nu: float
    error: float
    violation: float
    rounds: int


@dataclass(frozen=True)
class _Setting:
    """Checked numbers, and the noise that belongs to them."""

    T: int
    epsilon: float
    log_delta: float
    B: float
    k: int
    beta: float
    n: float
    d: int
    m: int | None
    step: float
    protect: str = "A"

    def sensitivities(self, as_printed):
        return lemma_3_1(self.n, self.k, self.B, as_printed=as_printed, protect="A" if as_printed else self.protect, m=self.m)


def _setting(rounds, epsilon, delta, B, n_groups, beta, smallest_cell, constraints, as_printed, protect="A", m=None):
    T = check.integer("rounds", rounds, low=1, high=MOST_ROUNDS)
    epsilon, delta = check.number("epsilon", epsilon, low=1e-6, high=1e6), check.number("delta", delta, low=1e-300, high=1, high_open=True)
    B = float(bound_on_multipliers(check.number("B", B, low=0.0, high=1e9, low_open=True)))
    k, beta = check.integer("n_groups", n_groups, low=2, high=4096), check.number("beta", beta, low=1e-300, high=1.0, high_open=True)
    n = check.number("smallest_cell", smallest_cell, low=1.0, high=1e15)
    d = 1 + 2 * len(checked_constraints(constraints)) * (k - 1)
    if check.flag("as_printed", as_printed) and n <= 1:
        check.refuse("smallest_cell", n, "Assumption 3.3 asks for more than one person in every cell", "Give a larger one.")
    selections = T if protect != "A" else T - 1
    step = (epsilon / (4 * math.sqrt(-T * math.log(delta))) if as_printed
            else largest_step(epsilon, delta, selections, T - 1) if selections else math.inf)
    return _Setting(T, epsilon, -math.log(delta), B, k, beta, n, d, m, step, protect)


def _labelings(value):
    return check.number("log_labelings", value, low=0.0, high=1e12)


def _gap_noise(k: int, scale: float, tail: float) -> float:
    """What the noise of a gap exceeds with probability ``tail``: it is one Laplace for two groups, else V - V'.

    P(|V - V'| > x) = (1 + x / (2 scale)) exp(-x / scale).
    """
    if scale == 0 or tail >= 1:
        return 0.0
    log_tail = -math.log(tail)
    return scale * (log_tail if k == 2 else brentq(lambda x: x - math.log1p(x / 2) - log_tail, 0.0, 2 * log_tail + 10))


def _learner(s, log_labelings, as_printed):
    noisy = s.T if as_printed or s.protect != "A" else s.T - 1
    if not noisy:
        return 0.0
    return 2 * s.sensitivities(as_printed).learner / s.step * (log_labelings + math.log(2 * noisy / s.beta))


def lemma_3_2(rounds: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, log_labelings: float,
              smallest_cell: float, *, constraints: tuple[str, ...] = ("FP", "TP"), as_printed: bool = False) -> RoundAccuracy:
    """How accurate the private players are in one round, each with probability at least 1 - beta/(2T).

    Source: supplement, Lemma 3.2: Delta r ln(8Tk/beta) / epsilon' and 2 Delta l (ln|H(S)| + ln(2T/beta)) / epsilon', from Theorems 1.1 and
    1.2. It prints d ln m for ln|H(S)|, see :func:`~dpfair_teach.oracles.labelings_bound`. Sharp: the same for the repaired algorithm with
    a public N (``repair="promise"``). Its auditor measures rates, so that an entry is off by the difference of two Laplace noises; of two
    groups the gaps, off by one.

    Parameters
    ----------
    rounds : int >= 1
        T.
    epsilon : float > 0
    delta : float in (0, 1)
    B : float > 0
    n_groups : int >= 2
        k.
    beta : float in (0, 1)
        Failure probability of the whole.
    log_labelings : float >= 0
        ln|H(S)| or ln|H|.
    smallest_cell : float >= 1
        The promised N; as printed n, above 1.
    constraints : tuple of "FP", "TP"
    as_printed : bool

    Returns
    -------
    RoundAccuracy
        ``auditor``, ``learner``: 0 at T = 1 when sharp, as then nothing private is read.

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> printed = lemma_3_2(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000, as_printed=True)
    >>> sharp = lemma_3_2(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000)
    >>> round(printed.auditor, 3), round(sharp.auditor, 3), round(printed.learner, 2), round(sharp.learner, 2)
    (1.333, 0.196, 10.52, 1.58)
    """
    s = _setting(rounds, epsilon, delta, B, n_groups, beta, smallest_cell, constraints, as_printed)
    learner = _learner(s, _labelings(log_labelings), as_printed)
    if as_printed:
        return RoundAccuracy(s.sensitivities(True).auditor / s.step * math.log(8 * s.T * s.k / s.beta), learner)
    return RoundAccuracy(_gap_noise(s.k, s.sensitivities(False).rates / s.step, s.beta / (s.T * (s.d - 1))), learner)


def lemma_3_3(rounds: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, log_labelings: float,
              smallest_cell: float, *, as_printed: bool = False) -> float:
    """The private learner's average regret, with probability at least 1 - beta/2: no more than the worst of its rounds.

    Source: supplement, Lemma 3.3 (main text, Lemma 4.1): Lemma 3.2 in all rounds at once.

    Parameters
    ----------
    rounds, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell, as_printed : as in :func:`lemma_3_2`

    Returns
    -------
    float

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> round(lemma_3_3(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000), 2)
    1.57
    """
    s = _setting(rounds, epsilon, delta, B, n_groups, beta, smallest_cell, ("FP", "TP"), as_printed)
    return _learner(s, _labelings(log_labelings), as_printed) * (1 if as_printed else (s.T - 1) / s.T)


def _auditor(s, eta, as_printed):
    T, B, d = s.T, s.B, s.d
    if as_printed:
        eta = hedge_rate(d - 1, T, as_printed=True) if eta is None else eta
        half = s.sensitivities(True).auditor / (2 * s.step) * math.log(8 * T * s.k / s.beta)
        return B * math.log(d) / (eta * T) + 4 * eta * B * (1 + half)**2
    scale = s.sensitivities(False).rates / s.step if T > 1 else 0.0
    sup = _gap_noise(s.k, scale, s.beta / (2 * (T - 1) * (d - 1))) if T > 1 else 0.0
    noises = (T - 1) * (1 if s.k == 2 else 2)
    drift = 2 * scale * ((math.log(4 * d / s.beta) - noises * np.log1p(-_THETA**2)) / _THETA).min() if T > 1 else 0.0
    spread = 2 + 2 * sup
    eta = hedge_rate(d - 1, T, spread=spread) if eta is None else eta
    return B * math.log(d) / (eta * T) + eta * B * spread**2 / 8 + B * drift / T


def lemma_3_4(rounds: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, smallest_cell: float, *,
              eta: float | None = None, constraints: tuple[str, ...] = ("FP", "TP"), as_printed: bool = False) -> float:
    """The private auditor's average regret against the *true* constraint values, with probability at least 1 - beta/2; for gamma <= 1.

    Source: supplement, Lemma 3.4 (main text, Lemma 4.2): B ln d / (eta T) + 4 eta B (1 + b l / 2)^2, with b the noise scale and l =
    ln(8Tk/beta). The printed proof bounds the regret against the noisy values and stops. Missing is the average of (lambda_t - lambda) .
    W_t, a martingale, which is about b sqrt(ln d / T): the stated bound has room for it at the algorithm's own eta, and only there is it
    proved. Sharp, for the repair "promise": Hoeffding's lemma, the exact tail of the noise of rates, and Chernoff's bound for
    the martingale.

    Parameters
    ----------
    rounds, epsilon, delta, B, n_groups, beta, smallest_cell : as in :func:`lemma_3_2`
    eta : float > 0, optional
        By default the algorithm's; sharp, the best.
    constraints, as_printed : as in :func:`lemma_3_2`

    Returns
    -------
    float

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> round(lemma_3_4(100, 1.0, 1e-7, 2.0, 2, .05, 5000, as_printed=True), 3), round(lemma_3_4(100, 1.0, 1e-7, 2.0, 2, .05, 5000), 3)
    (1.917, 0.477)
    """
    s = _setting(rounds, epsilon, delta, B, n_groups, beta, smallest_cell, constraints, as_printed)
    return float(_auditor(s, None if eta is None else check.number("eta", eta, low=1e-12, high=1e9), as_printed))


def _best_rounds(m, epsilon, delta, B, k, beta, log_labelings, n, d, protect):
    """The number of rounds with the smallest bound, on a grid, with the closed formulas for epsilon'. It depends on public numbers only."""
    grid = np.unique(np.geomspace(1, 10**9, _GRID).astype(np.int64)).tolist()
    best = (math.inf, 1)
    for T in grid:
        steps = 2 * T - 2 + (protect != "A")
        short = epsilon / (2 * math.sqrt(-2 * max(steps, 1) * math.log(delta)))
        holds = math.sqrt(steps) * math.tanh(short / 2) <= math.sqrt(-2 * math.log(delta))
        step = max(epsilon / max(steps, 1), short if holds else 0.0)
        if step < 1e-8:
            break
        s = _Setting(T, epsilon, -math.log(delta), B, k, beta, n, d, m, step, protect)
        best = min(best, (_learner(s, log_labelings, False) + _auditor(s, None, False), T))
    return best[1]


def theorem_3_5(m: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, log_labelings: float,
                smallest_cell: float, *, rounds: int | None = None, constraints: tuple[str, ...] = ("FP", "TP"),
                as_printed: bool = False) -> EquilibriumBound:
    """DP-oracle-learner's output is a nu-approximate equilibrium with probability at least 1 - beta: nu, with all its constants.

    Source: supplement, Theorem 3.5 (main text, Theorem 4.3): nu = R_Q + R_lambda of Lemmas 3.3 and 3.4. The theorem shows it inside an O~
    after putting in T and eta; here nothing is hidden. For gamma <= 1.

    Parameters
    ----------
    m : int >= 1
        People.
    epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell : as in :func:`lemma_3_2`
    rounds : int >= 1, optional
        T. By default the printed schedule's; sharp, about the best for these public numbers.
    constraints, as_printed : as in :func:`lemma_3_2`

    Returns
    -------
    EquilibriumBound
        ``nu``, ``learner``, ``auditor``, ``rounds``, ``order``.

    Raises
    ------
    ValueError
        A number out of range; cells of that size are more than m people.

    Examples
    --------
    >>> import math
    >>> for m in (10**6, 10**8):
    ...     printed = theorem_3_5(m, 1.0, 1e-7, 2.0, 2, .05, math.log(m + 1), m / 4, as_printed=True)
    ...     print(round(printed.nu, 2), round(theorem_3_5(m, 1.0, 1e-7, 2.0, 2, .05, math.log(m + 1), m / 4).nu, 3))
    1.54 0.288
    0.18 0.033
    """
    return _bound(m, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell, rounds, constraints, as_printed, "A")


def _bound(m, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell, rounds, constraints, as_printed, protect):
    log_labelings = _labelings(log_labelings)
    m = check.integer("m", m, low=1, high=10**15, whole_float=True)
    first = _setting(1, epsilon, delta, B, n_groups, beta, smallest_cell, constraints, as_printed)
    if first.n * 2 * first.k > m * (1 + 1e-9):
        check.refuse("smallest_cell, n_groups", (first.n, first.k), f"{2 * first.k} cells of that many people are more than m={m}",
                     "Give a smaller cell, or fewer groups.")
    if rounds is None:
        rounds = (schedule(m, epsilon, delta, B, n_groups, beta, log_labelings, constraints).rounds if as_printed else
                  _best_rounds(m, first.epsilon, math.exp(-first.log_delta), first.B, first.k, first.beta, log_labelings, first.n, first.d,
                               protect))
    s = _setting(rounds, epsilon, delta, B, n_groups, beta, smallest_cell, constraints, as_printed, protect, m)
    noisy = 1 if as_printed or protect != "A" else (s.T - 1) / s.T
    learner, auditor = noisy * _learner(s, log_labelings, as_printed), float(_auditor(s, None, as_printed))
    order = s.B * m / s.n * math.sqrt(s.k * math.sqrt(s.log_delta) * (log_labelings - math.log(s.beta)) / (m * s.epsilon))
    return EquilibriumBound(learner + auditor, learner, auditor, s.T, order)


def _promises(bound, B, gamma, constants, as_printed):
    check.flag("constants", constants)
    gamma = check.number("gamma", gamma, low=0.0, high=1.0)
    if as_printed:
        return Guarantee(bound.nu, lemma_b_1(bound.nu), lemma_b_2(bound.nu, B, gamma), bound.rounds)
    if not constants:
        return Guarantee(bound.nu, math.inf, math.inf, bound.rounds)
    each = bound.nu / 2         # what both players together could still gain is the sum of the two regrets: nu, once
    return Guarantee(bound.nu, lemma_b_1(each), min(lemma_b_2(each, B, gamma), fairness_bound_with_constants(each, B, gamma)), bound.rounds)


def theorem_3_6(m: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, log_labelings: float, smallest_cell: float,
                gamma: float, *, constants: bool = True, rounds: int | None = None, as_printed: bool = False) -> Guarantee:
    """Error and fairness of DP-oracle-learner: err(Q*) + 2 nu, gamma + (1 + 2 nu) / B.

    Source: supplement, Theorem 3.6 (main text, Theorem 4.4): Theorem 3.5 with Lemmas B.1 and B.2, of which it leaves out the hypothesis
    that some mixture is gamma-fair. Sharp: the sharp nu; nu for 2 nu, since max L(Q~, .) - min L(., lambda~) is at most the sum of the
    two regrets, which is nu once; and where the class has a constant classifier, :func:`fairness_bound_with_constants` if that is less.

    Parameters
    ----------
    m, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell : as in :func:`theorem_3_5`
    gamma : float in [0, 1]
    constants : bool
        Whether the class has a constant classifier. Without it the sharp form promises nothing.
    rounds, as_printed : as in :func:`theorem_3_5`

    Returns
    -------
    Guarantee
        ``nu``, ``error``, ``violation``, ``rounds``.

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> import math
    >>> sharp = theorem_3_6(10**8, 1.0, 1e-7, 10.0, 2, .05, math.log(10**8), 10**7, .1)
    >>> printed = theorem_3_6(10**8, 1.0, 1e-7, 10.0, 2, .05, math.log(10**8), 10**7, .1, as_printed=True)
    >>> round(sharp.violation, 3), round(printed.violation, 3)
    (0.151, 0.601)
    """
    return _promises(_bound(m, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell, rounds, ("FP", "TP"), as_printed, "A"),
                     B, gamma, constants, as_printed)


def theorem_3_7(m: int, epsilon: float, delta: float, B: float, n_groups: int, beta: float, n_classifiers: int, smallest_cell: float,
                gamma: float, *, constants: bool = True, rounds: int | None = None, as_printed: bool = False) -> Guarantee:
    """The same for a finite class: ln|H| for ln|H(S)|, and X is protected as well as A.

    Source: supplement, Theorem 3.7 and the text above it (main text, Table 1, third row). Sharp: with the sensitivities of "X and
    A" in :func:`lemma_3_1`, of which the printed ones, made for A, are an upper bound; a whole record (Y too) they do not cover.

    Parameters
    ----------
    m, epsilon, delta, B, n_groups, beta : as in :func:`theorem_3_5`
    n_classifiers : int >= 1
        |H|.
    smallest_cell, gamma, constants, rounds, as_printed : as in :func:`theorem_3_6`

    Returns
    -------
    Guarantee
        ``nu``, ``error``, ``violation``, ``rounds``.

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> round(theorem_3_7(10**8, 1.0, 1e-7, 10.0, 2, .05, 500, 10**7, .1).nu, 3)
    0.203
    """
    log_h = math.log(check.integer("n_classifiers", n_classifiers, low=1, high=10**300))
    return _promises(_bound(m, epsilon, delta, B, n_groups, beta, log_h, smallest_cell, rounds, ("FP", "TP"), as_printed, "X and A"),
                     B, gamma, constants, as_printed)
