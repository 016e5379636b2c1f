"""What an approximate equilibrium promises: Lemmas B.1 and B.2, sharper where the class has constants, and beyond the sample."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["lemma_b_1", "lemma_b_2", "fairness_bound_with_constants", "population_bound"]


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

    Returns
    -------
    float

    Examples
    --------
    >>> lemma_b_1(0.05), lemma_b_1(0.05, nu_learner=0.0)
    (0.1, 0.05)
    """
    nu = _nu(nu)
    return nu + (nu if nu_learner is None else _nu(nu_learner, "nu_learner"))


def lemma_b_2(nu: float, B: float, gamma: float, *, excess: float | None = None, feasible: bool = True) -> float:
    """Violation of a nu-approximate equilibrium: gamma + (1 + 2 nu) / B.

    Source: supplement, Lemma B.2 (Agarwal et al. 2018). The 1 stands for err(Q*) - err(Q~), at most 1 and seldom near it: with ``excess``
    it is replaced. Theorems 3.6 and 3.7 use the lemma without its hypothesis, that some mixture is gamma-fair; without it nothing holds.

    Parameters
    ----------
    nu : float >= 0
    B : float in (0, 1e9]
    gamma : float >= 0
    excess : float in [-1, 1], optional
        err(Q*) - err(Q~), or an upper bound on it, for the sharper (excess + 2 nu) / B.
    feasible : bool
        Whether some mixture of the class is gamma-fair, as it is when the class has a constant classifier, whichever of the two.

    Returns
    -------
    float
        Infinite where ``feasible`` is False, and then ``excess`` is refused. It may be above 1 and say nothing.

    Examples
    --------
    >>> lemma_b_2(0.05, B=10, gamma=.1), round(lemma_b_2(0.05, B=10, gamma=.1, excess=.2), 3)
    (0.21000000000000002, 0.13)
    """
    nu, B, gamma = _nu(nu), _b(B), check.gamma(gamma)
    if not check.flag("feasible", feasible):
        check.unread("feasible=False", "feasible=True", excess=excess)
        return math.inf
    excess = 1.0 if excess is None else check.number("excess", excess, low=-1.0, high=1.0)
    return gamma + max(excess + 2 * nu, 0.0) / B


def fairness_bound_with_constants(nu: float, B: float, gamma: float, *, room: float = 0.5) -> float:
    """Violation of a nu-approximate equilibrium when the class has both constant classifiers: gamma + 2 nu / (B - room / gamma).

    Source: ours, sharpening supplement, Theorem 3.6. Mixing Q~ with the better constant until it is exactly gamma-fair costs at most
    room / gamma of error for each unit of violation, so a price above room / gamma is worth more than any error. With B = 1 / gamma the
    bound is at most gamma + 4 nu gamma, and no term 1 / B is left: the trade-off in B (Remark 3.1) is not inherent when gamma > 0.
    A class with one constant only has the same bound with that constant's ``room``, which may be near 1. With gamma = 0 there is no such
    bound, and Lemma B.2's 1/B stays: an exact equilibrium may have violation room / B.

    Parameters
    ----------
    nu : float >= 0
    B : float in (0, 1e9]
    gamma : float >= 0
    room : float in [0, 1]
        err(constant) - err(Q~), 0 where that is negative, or an upper bound on it. 1/2 always does for the better of both constants; for a
        single one only 1 does.

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

    Attributes
    ----------
    error : float
        |err(Q) - err^(Q)|.
    rates : (k, 2) array [a, y]
        |rate_a,y(Q) - rate^_a,y(Q)|.
    gaps : (k, 2) array [a, y]
        The same for rate_a - rate_0; row 0 is 0.
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

    Returns
    -------
    PopulationBound

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
