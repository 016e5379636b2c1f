"""The private learner of Jagielski et al., Section 5, by settings read off an author's code: noise on X'C in each of T rounds."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import both_signs, signed
from ..games.auditor import bound_on_multipliers, hedge_rate, weights
from ..games.budget import checked_delta, printed_step, schedule
from ..games.programs import plain
from ..games.regression import asked_people, checked_oracle, counted, default_price
from ..oracles import RegressionOracle

__all__ = ["regression_dp_oracle_learner_as_printed", "section_5_step"]

Noise = Literal["scale", "location"]
Step = Literal["code", "supplement"]
NOISES: tuple[Noise, ...] = get_args(Noise)
STEPS: tuple[Step, ...] = get_args(Step)
_AT_ONCE = 128      # games whose scores of two thousand people stay in the processor's cache


def section_5_step(epsilon: float, delta: float, rounds: int) -> float:
    """epsilon' of a step, from 0.5 (sqrt(4 T ln(1/delta)) e + 2 T e (exp(e) - 1)) = epsilon.

    Source: none in the papers; an author's public code for Figure 1, left. It is half of Dwork, Rothblum and Vadhan's long form of advanced
    composition for 2 T steps: too large at large steps, no bound at small ones.

    Parameters
    ----------
    epsilon : float in [1e-9, 1e15]
    delta : float in [1e-300, 1)
    rounds : int in 1..10^9
        T.

    Examples
    --------
    >>> round(section_5_step(100, 1e-7, 9), 1)
    1.8
    """
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e15)
    delta = checked_delta(delta)
    T = check.integer("rounds", rounds, low=1, high=10**9)
    low, high = 0.0, 50.0
    for _ in range(200):
        e = (low + high) / 2
        spent = 0.5 * (math.sqrt(-4 * T * math.log(delta)) * e + 2 * T * e * math.expm1(e))
        low, high = (e, high) if spent <= epsilon else (low, e)
    return low


@dataclass(frozen=True, eq=False)
class PrintedRegressionPlay:
    """What came out. Axes are those of the tolerances; ``error`` and ``violation`` have the repeats in front. It has no ``releases_``.

    ``rounds_real`` is T by the formula, ``rounds`` as played: rounded down, at least 1, at most ``most_rounds``. ``epsilon_step`` is
    epsilon' of a step; ``learner_scale`` and ``auditor_scale`` are those of the noise on the constant's coordinate of X'C_1, and on each
    entry of the gradient. ``error`` and ``violation`` are of the average of the rounds, exact, on the true groups.
    """

    rounds_real: np.ndarray
    rounds: np.ndarray
    epsilon_step: np.ndarray
    learner_scale: np.ndarray
    auditor_scale: np.ndarray
    error: np.ndarray
    violation: np.ndarray


def regression_dp_oracle_learner_as_printed(
        oracle: RegressionOracle, A: ArrayLike, gamma: ArrayLike, epsilon: float, delta: float, rng: np.random.Generator, *,
        B: ArrayLike | None = None, beta: float = 0.05, step: Step = "code", noise: Noise = "scale", most_rounds: int = 1000,
        size: int | tuple[int, ...] | None = None) -> PrintedRegressionPlay:
    """DP-oracle-learner with the regression oracle, literally: fresh noise on X'C_1 and on the gradient in every round, scales from A.

    Source: main text, Section 5, with the settings of an author's public code: T as in the supplement with d = number of columns + 1,
    rounded down; coordinate i of X'C_1 gets noise of scale 2 K m max|x_i| / epsilon' with K = (2|A|B + 1) / (n - 1), the gradient 2|A| /
    ((n - 1) epsilon'), n the smallest cell of the private data. Whether the published panel was made by that code is not known. **No
    privacy is claimed for it here**: the scales are read off the private data, and no theorem covers this oracle. The learner to use is
    :func:`~dpfair_teach.games.regression_dp_oracle_learner`.

    Parameters
    ----------
    oracle : oracles.RegressionOracle
    A : (m,) array of ints 0..k-1
    gamma : float in [0, 1e9], or (...) array
    epsilon : float in [1e-9, 1e12]
    delta : float in [1e-300, 1)
    rng : numpy.random.Generator
    B : float in [1e-9, 1e9], or array that broadcasts with gamma, optional
        By default 1 / gamma, 20 at most below gamma = 0.05; give 1 / gamma for the literal one.
    beta : float in [1e-300, 1)
        Enters T only.
    step : str
        epsilon' of a step. "code": :func:`section_5_step`, which grows like the logarithm of epsilon. "supplement": epsilon /
        (4 sqrt(T ln(1/delta))), beyond where that formula is a bound.
    noise : str
        "scale": Laplace noise of those scales. "location": a constant of that size plus Laplace noise of scale 1, which is what comes out
        when the scale is handed to a sampler as its first argument.
    most_rounds : int in 1..10^6
        T is cut there.
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, A = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    >>> Y = (X[:, 0] + X[:, 1] * A + .3 * rng.normal(size=400) > .5).astype(int)
    >>> play = regression_dp_oracle_learner_as_printed(RegressionOracle(X, Y), A, [.05, .1], 1e4, 1e-7, rng, B=5, most_rounds=30, size=3)
    >>> play.rounds.tolist(), play.error.shape
    ([30, 30], (3, 2))
    """
    oracle, rng = checked_oracle(oracle), check.rng(rng)
    cells, constants, asked = asked_people(oracle, A, gamma, Parity("equalized_odds", "anchor"))
    B = default_price(constants.gamma) if B is None else bound_on_multipliers(B)
    each = check.broadcast("B", B.shape, "gamma", constants.gamma.shape, "Give one B for each gamma.")
    epsilon, beta = check.number("epsilon", epsilon, low=1e-9, high=1e12), check.beta(beta)
    delta = checked_delta(delta)
    check.choice("noise", noise, NOISES)
    check.choice("step", step, STEPS)
    most_rounds = check.integer("most_rounds", most_rounds, low=1, high=10**6)
    k, m, sizes = constants.n_groups, oracle.m, constants.n
    n = float(sizes.min())
    if n <= 1:
        check.refuse("A", n, "is the smallest cell, and the scales divide by one person less", "Merge groups; this learner cannot run.")
    repeats = math.prod(axes := check.size(size, each))
    if repeats * math.prod(each) * m > 10**9:
        check.refuse("size", size, f"means {repeats * math.prod(each)} games of {m} people at once", "Play fewer at once.")

    B, gammas = (np.broadcast_to(v, each).astype(float).ravel() for v in (B, constants.gamma))
    real = np.array([schedule(m, epsilon, delta, b, k, beta, (oracle.d + 1) * math.log(m)).rounds_real for b in B])
    rounds = np.clip(real.astype(int), 1, most_rounds)
    step_of = section_5_step if step == "code" else printed_step
    steps = np.array([step_of(epsilon, delta, int(t)) for t in rounds])
    learner, auditor = 2 * (2 * k * B + 1) / (n - 1) * m / steps, 2 * k / ((n - 1) * steps)
    eta = np.array([hedge_rate(constants.n_constraints, int(t), as_printed=True) for t in rounds])

    # A rule is a row (1, -prices, -noise), its scores one product with this: nothing of a round has people as an axis but that product.
    gap_coefficients, gaps_of = oracle.gap_coefficients(oracle.sums(A, k))[asked], constants.parity.differences_for(k)
    people = np.vstack([oracle.base, gap_coefficients, oracle.inverse]) @ oracle.design.T
    largest = np.abs(oracle.design).max(axis=0)
    T, prices, tolerances, rate, of_learner, of_auditor = (np.tile(v, repeats) for v in (rounds, B, gammas, eta, learner, auditor))
    theta, accepted = np.zeros((len(T), constants.n_constraints)), np.zeros((len(T), *sizes.shape))
    rows = np.ones((len(T), len(people)))
    for t in range(T.max()):
        i = np.flatnonzero(t < T)
        asks = rows[:len(i)]
        asks[:, 1:] = -np.hstack([signed(weights(theta[i], prices[i])),
                                  _noise(noise, of_learner[i, None] * largest, (len(i), oracle.d + 1), rng)])
        counts = np.concatenate([counted(asks[j:j + _AT_ONCE] @ people > 0, cells) for j in range(0, len(i), _AT_ONCE)]).reshape(-1, k, 2)
        accepted[i] += counts
        r = both_signs(gaps_of(counts / sizes)) - tolerances[i, None]
        theta[i] += rate[i, None] * (r + _noise(noise, of_auditor[i, None], r.shape, rng))

    mean = accepted / T[:, None, None]
    error = (mean[..., 0].sum(axis=-1) + (sizes[:, 1] - mean[..., 1]).sum(axis=-1)) / m
    violation = constants.parity.apart(mean / sizes)
    found = [v.reshape(each) for v in (real, rounds, steps, learner, auditor)]
    return PrintedRegressionPlay(*map(plain, (*found, error.reshape(axes + each), violation.reshape(axes + each))))


def _noise(noise: Noise, scale: np.ndarray, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Laplace noise of that scale, or of scale 1 around it."""
    return rng.laplace(size=shape) * scale if noise == "scale" else scale + rng.laplace(size=shape)
