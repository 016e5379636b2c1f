"""The auditor: exponential weights on the constraints, and how much it can regret."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["hedge", "hedge_regret", "agarwal_theorem_1"]

MOST_ROUNDS = 10**15


def bound_on_multipliers(value: object, name: str = "B") -> np.ndarray:
    """B, above 0: one number, or one for each game of a batch."""
    B = check.array(name, value, booleans=False)
    if B.size and B.min() > 0 and B.max() <= 1e9:
        return B
    check.filled(name, np.atleast_1d(B), "bound")
    if (B == 0).any():
        check.refuse(name, value, "is or holds 0, and then no constraint can be charged for", f"Choose {name} above 0.")
    beyond = (B < 0) | (B > 1e9)
    if beyond.any():
        check.refuse(name, float(B[beyond].ravel()[0]), "outside (0, 1e+09]", f"Check the entries of {name}.")
    return B


def hedge(theta: ArrayLike, B: ArrayLike) -> np.ndarray:
    """lambda_k = B exp(theta_k) / (1 + sum_j exp(theta_j)): the auditor's multipliers from its summed evidence.

    Source: supplement, Algorithm 3, first line of the loop. The 1 is a spare coordinate with theta = 0, which takes the part of B that no
    constraint deserves: without it the multipliers would always sum to B.

    Parameters
    ----------
    theta : (..., K) array
        eta times the sum of the constraint values so far, in the order of :meth:`FairnessGame.constraint_values`.
    B : float in (0, 1e9], or (...) array
        Limit on the sum of the multipliers.

    Returns
    -------
    (..., K) array, entries >= 0, with sum at most B

    Examples
    --------
    >>> hedge([0.0, 0.0, 0.0, 0.0], B=5)
    array([1., 1., 1., 1.])
    >>> hedge([1000.0, 0.0], B=5)       # no overflow
    array([5., 0.])
    """
    theta = check.array("theta", theta)
    if theta.ndim == 0 or theta.size == 0:
        check.refuse("theta", theta.shape if theta.ndim else float(theta),
                     "is no vector with one entry for each constraint",
                     "Give theta of shape (..., K).")
    B = bound_on_multipliers(B)
    if B.ndim:
        check.broadcast("B", B.shape, "theta", theta.shape[:-1],
                        "Give one B for all, or one for each row of theta.")
    return weights(theta, B)


def weights(theta: np.ndarray, B: np.ndarray) -> np.ndarray:
    """:func:`hedge` without its checks, for the loop."""
    top = np.maximum.reduce(theta, axis=-1, keepdims=True, initial=0.0)
    e = np.exp(theta - top)
    return B[..., None] * e / (np.exp(-top) + np.add.reduce(e, axis=-1, keepdims=True))


def _spread(value: object, as_printed: object) -> float:
    """The range of the payoffs; printed, |r| <= 2 stands in its place."""
    if check.flag("as_printed", as_printed):
        check.unread("as_printed=True", "as_printed=False", spread=value)
    return 2.0 if value is None else check.number("spread", value, low=0.0, high=1e9, low_open=True)


def hedge_rate(n_constraints: int, rounds: int, *, spread: float | None = None, as_printed: bool = False) -> float:
    """The step eta that makes :func:`hedge_regret` smallest: sqrt(8 ln(K+1) / T) / spread; printed, sqrt(ln(K+1) / T) / 2.

    Source: supplement, Algorithm 5 (eta), with K + 1 = 4|A| - 3; sharp, from Hoeffding's lemma.
    """
    d = check.integer("n_constraints", n_constraints, low=1, high=10**9) + 1
    T = check.integer("rounds", rounds, low=1, high=MOST_ROUNDS)
    spread = _spread(spread, as_printed)
    return math.sqrt(math.log(d) / T) / 2 if as_printed else math.sqrt(8 * math.log(d) / T) / spread


def late(B, d, eta, rounds):
    """First term of Hedge's regret, B ln d / (eta T), of d things to put weight on: weight arrives late."""
    return B * math.log(d) / (eta * rounds)


def hasty(B, eta, spread):
    """Second term of Hedge's regret, eta B spread^2 / 8, by Hoeffding's lemma for values within ``spread``: he believes each round."""
    return eta * B * spread**2 / 8


def hedge_regret(n_constraints: int, rounds: int, B: float, eta: float | None = None, *, spread: float | None = None,
                 as_printed: bool = False) -> float:
    """How much the auditor can lose, on average over T rounds, against the best fixed multipliers: for any answers of the learner.

    Source: supplement, Lemma 3.4 without noise (Agarwal et al. 2018, proof of Theorem 1). Printed: B ln(K+1) / (eta T) + 4 eta B, from
    |r| <= 2. Sharp: B ln(K+1) / (eta T) + eta B spread^2 / 8, by Hoeffding's lemma, for every eta > 0.

    Parameters
    ----------
    n_constraints : int in 1..10^9
    rounds : int in 1..10^15
    B : float in (0, 1e9]
    eta : float in [1e-12, 1e9], optional
        The step; by default the best, sqrt(8 ln(K+1) / T) / spread; printed, sqrt(ln(K+1) / T) / 2.
    spread : float in (0, 1e9], optional
        Largest minus smallest payoff in a round, the spare one's 0 among them: by default 2, as when gamma <= 1;
        :attr:`FairnessGame.spread` exactly. As printed it has no part in it, and is refused.
    as_printed : bool

    Examples
    --------
    >>> round(hedge_regret(4, 200, B=5), 4), round(hedge_regret(4, 200, B=5, as_printed=True), 4)
    (0.6343, 1.7941)
    """
    B = check.number("B", B, low=0.0, high=1e9, low_open=True)
    best, spread = hedge_rate(n_constraints, rounds, spread=spread, as_printed=as_printed), _spread(spread, as_printed)
    eta = best if eta is None else check.number("eta", eta, low=1e-12, high=1e9)
    return late(B, n_constraints + 1, eta, rounds) + (8 * hasty(B, eta, 2.0) if as_printed else hasty(B, eta, spread))


@dataclass(frozen=True)
class AgarwalTheorem1:
    """Rounds and step with which Algorithm 3 returns a nu-approximate equilibrium.

    ``rounds_real`` is the formula's number, ``rounds`` the same rounded up, ``eta`` the step that belongs to it; ``nu`` is what is then
    promised, at most the nu that was asked for.
    """

    rounds_real: float
    rounds: int
    eta: float
    nu: float


def agarwal_theorem_1(nu: float, n_constraints: int, B: float, *, spread: float | None = None, as_printed: bool = False) -> AgarwalTheorem1:
    """How many rounds make the play a nu-approximate equilibrium: 2 (spread / 2)^2 B^2 ln(K+1) / nu^2; printed, 16 B^2 ln(K+1) / nu^2.

    Source: supplement, text below Algorithm 3 (Agarwal et al. 2018, Theorem 1, with their rho = 2), which says "for appropriately chosen
    eta and T". The learner answers best, so all the gap is the auditor's regret: T is where :func:`hedge_regret` at its best eta equals
    nu. The printed 16 follows from what is printed for the private game.

    Parameters
    ----------
    nu : float in [1e-9, 1e9]
        Wanted gap.
    n_constraints : int in 1..10^9
    B : float in (0, 1e9]
    spread : float in (0, 1e9], optional
        As in :func:`hedge_regret`.
    as_printed : bool

    Examples
    --------
    >>> agarwal_theorem_1(0.05, 4, B=5).rounds, agarwal_theorem_1(0.05, 4, B=5, as_printed=True).rounds
    (32189, 257511)
    """
    nu = check.number("nu", nu, low=1e-9, high=1e9)
    K = check.integer("n_constraints", n_constraints, low=1, high=10**9)
    B = check.number("B", B, low=0.0, high=1e9, low_open=True)
    payoffs = _spread(spread, as_printed)
    real = (16.0 if as_printed else payoffs**2 / 2) * B**2 * math.log(K + 1) / nu**2
    if real > MOST_ROUNDS:
        check.refuse("nu", nu, f"needs {real:.3g} rounds", "Ask for a larger nu, or choose a smaller B.")
    rounds = max(1, math.ceil(real))
    return AgarwalTheorem1(real, rounds, hedge_rate(K, rounds, spread=spread, as_printed=as_printed),
                           hedge_regret(K, rounds, B, spread=spread, as_printed=as_printed))
