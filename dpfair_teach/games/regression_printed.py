"""Section 5's private learner by settings read off an author's code: noise on X'C in each of T rounds, the average, no linear program."""
from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import both_signs, signed
from ..oracles import RegressionOracle
from ..training import State, train
from ..training.loop import Callback
from .auditor import bound_on_multipliers, hedge_rate, weights
from .budget import checked_delta, printed_step
from .programs import plain
from .regression import asked_people, checked_oracle, default_price
from .rounds import schedule

__all__ = ["section_5_learner", "section_5_step"]

Noise = Literal["scale", "location"]
Step = Literal["code", "supplement"]
NOISES: tuple[Noise, ...] = get_args(Noise)
STEPS: tuple[Step, ...] = get_args(Step)
_AT_ONCE = 128      # games whose scores of two thousand people stay in the processor's cache


def section_5_step(epsilon: float, delta: float, rounds: int) -> float:
    """epsilon' of a step, from 0.5 (sqrt(4 T ln(1/delta)) e + 2 T e (exp(e) - 1)) = epsilon.

    Source: none in the papers; an author's public code for Figure 1, left. It is half of Dwork, Rothblum and Vadhan's long form of
    advanced composition for 2 T steps: too large at large steps, no bound at small ones. The supplement's epsilon / (4 sqrt(T ln(1/delta)))
    is :func:`schedule`'s.

    Parameters
    ----------
    epsilon : float in [1e-9, 1e15]
    delta : float in [1e-300, 1)
    rounds : int in 1..10^9
        T.

    Returns
    -------
    float

    Examples
    --------
    >>> [round(section_5_step(epsilon, 1e-7, rounds), 1) for epsilon, rounds in ((100, 9), (150, 14), (200, 19))]
    [1.8, 1.8, 1.8]
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
class Section5Play:
    """What came out. Repeats and the batch are axes "..."; what depends on the tolerance alone has the batch's axes.

    It has no ``releases_``, as a private play has: a record says an epsilon, and nobody has shown one for noise of these scales. What the
    supplement claims for its algorithm is in the records of ``dp_oracle_learner_as_printed``.

    Attributes
    ----------
    rounds_real, rounds : arrays
        T by the formula, and T as played: rounded down, at least 1, at most ``most_rounds``, and fewer where a callback stopped the play.
    epsilon_step : array
        epsilon' of a step.
    learner_scale, auditor_scale : arrays
        Of the noise on the constant's coordinate of X'C_1, and on each entry of the gradient.
    error, violation : (...) arrays
        Of the average of the rounds, exact, on the true groups.
    """

    rounds_real: np.ndarray
    rounds: np.ndarray
    epsilon_step: np.ndarray
    learner_scale: np.ndarray
    auditor_scale: np.ndarray
    error: np.ndarray
    violation: np.ndarray


def section_5_learner(oracle: RegressionOracle, A: ArrayLike, gamma: ArrayLike, epsilon: ArrayLike, delta: float,
                      rng: np.random.Generator, *, B: ArrayLike | None = None, beta: float = 0.05, step: Step = "code",
                      noise: Noise = "scale", most_rounds: int = 1000, n_groups: int | None = None,
                      size: int | tuple[int, ...] | None = None, progress: bool = False, callback: Callback | None = None,
                      checkpoint: str | os.PathLike[str] | None = None, every: int | None = None) -> Section5Play:
    """DP-oracle-learner with the regression oracle, literally: fresh noise on X'C_1 and on the gradient in every round, scales from A.

    Source: main text, Section 5, with the settings of an author's public code: T as in the supplement with d = number of columns + 1,
    rounded down; epsilon' as ``step`` says; coordinate i of X'C_1 gets noise of scale 2 K m max|x_i| / epsilon' with
    K = (2|A|B + 1) / (n - 1), the gradient 2|A| / ((n - 1) epsilon'), n the smallest cell of the private data. That code also solves a
    linear program over the iterates after each round and keeps the better average: not here. Whether the published panel was made by
    that code is not known. (The epsilon' 2.5, 3.5, 4 in the panel's legend are the values claimed for ten copies of the data, not those
    of a round.)
    **No privacy is claimed for it here**: the scales are read off the private data (:func:`printed_noise_delta`), and no theorem covers
    this oracle. It leaves no records of releases, because there is nothing true to write in them.

    Parameters
    ----------
    oracle : oracles.RegressionOracle
    A : (m,) array of ints 0..k-1
    gamma : float in [0, 1e9], or (...) array
    epsilon : float in [1e-9, 1e12], or array that broadcasts with gamma
        Of each game: its rounds, step and scales.
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
    n_groups : int in 2..1000, optional
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.
    progress, callback, checkpoint, every : as in :func:`exponentiated_gradient`
        The state has ``accepted``, the sums of accepted people of each cell, for ``chosen`` and ``multipliers``.

    Returns
    -------
    Section5Play

    Raises
    ------
    ValueError
        A smallest cell of one person; an absent group; shapes that do not broadcast; a number out of range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, A = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    >>> Y = (X[:, 0] + X[:, 1] * A + .3 * rng.normal(size=400) > .5).astype(int)
    >>> play = section_5_learner(RegressionOracle(X, Y), A, [.05, .1], 1e4, 1e-7, rng, B=5, most_rounds=30, size=3)
    >>> play.rounds.tolist(), play.error.shape
    ([30, 30], (3, 2))
    """
    oracle, rng = checked_oracle(oracle), check.rng(rng)
    cells, constants, asked = asked_people(oracle, A, gamma, n_groups, Parity())
    B = default_price(constants.gamma) if B is None else bound_on_multipliers(B)
    each = check.broadcast("B", B.shape, "gamma", constants.gamma.shape, "Give one B for each gamma.")
    epsilon, beta = check.array("epsilon", epsilon, low=1e-9, high=1e12, booleans=False), check.beta(beta)
    check.filled("epsilon", np.atleast_1d(epsilon), "epsilon")
    each = check.broadcast("epsilon", epsilon.shape, "gamma and B", each, "Give one epsilon for all games, or one for each.")
    delta = checked_delta(delta)
    check.choice("noise", noise, NOISES)
    check.choice("step", step, STEPS)
    most_rounds = check.integer("most_rounds", most_rounds, low=1, high=10**6)
    k, m, n = constants.n_groups, oracle.m, float(cells.n.min())
    if n <= 1:
        check.refuse("A", n, "is the smallest cell, and the scales divide by one person less", "Merge groups; this learner cannot run.")
    shape = check.size(size, each)
    games = math.prod(shape + each)
    if games * m > 10**9:
        check.refuse("size", size, f"means {games} games of {m} people at once", "Play fewer at once.")

    bounds, tolerances, budgets = (np.broadcast_to(v, each).astype(float).ravel() for v in (B, constants.gamma, epsilon))
    log_labelings = (oracle.d + 1) * math.log(m)
    real = np.array([schedule(m, e, delta, b, k, beta, log_labelings).rounds_real for e, b in zip(budgets, bounds, strict=True)])
    rounds = np.clip(real.astype(int), 1, most_rounds)
    step_of = section_5_step if step == "code" else printed_step
    each_step = np.array([step_of(e, delta, int(t)) for e, t in zip(budgets, rounds, strict=True)])
    eta = np.array([hedge_rate(constants.n_constraints, int(t), as_printed=True) for t in rounds])
    learner = 2 * (2 * k * bounds + 1) / (n - 1) * m / each_step
    auditor = 2 * k / ((n - 1) * each_step)

    repeats = math.prod(shape)
    T, B_, gamma_, eta_, learner_, auditor_ = (np.tile(v, repeats) for v in (rounds, bounds, tolerances, eta, learner, auditor))
    largest, K = np.abs(oracle.design).max(axis=0), constants.n_constraints
    gap_coefficients = oracle.gap_coefficients(oracle.sums(A, k))[asked]
    # A rule is a row (1, -prices, -noise), its scores one product with this: nothing of a round has people as an axis but that product.
    people = np.vstack([oracle.base, gap_coefficients, oracle.inverse]) @ oracle.design[cells.order].T
    rows = np.ones((games, len(people)))
    gaps_of = constants.parity.differences_for(k)

    def added(scale: np.ndarray, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        return rng.laplace(size=shape) * scale if noise == "scale" else scale + rng.laplace(size=shape)

    def one_round(state: State) -> State:
        i, theta, rng = np.flatnonzero(state.round < T), state["theta"], state.rng
        assert rng is not None
        lam = weights(theta[i], B_[i])
        asks = rows[:len(i)]
        asks[:, 1:] = -np.hstack([signed(lam), added(learner_[i, None] * largest, (len(i), oracle.d + 1), rng)])
        counts = np.concatenate([cells.counts(asks[s:s + _AT_ONCE] @ people > 0) for s in range(0, len(i), _AT_ONCE)])
        state["accepted"][i] += counts
        r = both_signs(gaps_of(counts / cells.n)) - gamma_[i, None]
        theta[i] += eta_[i, None] * (r + added(auditor_[i, None], r.shape, rng))
        return state.then()
    run = None if checkpoint is None else {
        "algorithm": "section_5_learner", "X": oracle.design, "Y": oracle.Y, "base": oracle.base, "A": np.asarray(A), "k": k, "T": T,
        "B": B_, "gamma": gamma_, "eta": eta_, "learner": learner_, "auditor": auditor_, "noise": noise, "axes": shape + each}
    start = State({"theta": np.zeros((games, K)), "accepted": np.zeros((games,) + cells.n.shape)}, rng)
    state = train(one_round, start, int(T.max()), progress=progress, callback=callback, checkpoint=checkpoint, every=every, run=run).state
    rounds, T = np.minimum(rounds, state.round), np.minimum(T, state.round)     # fewer, where the callback stopped it
    mean = state["accepted"] / T[:, None, None]
    error = (mean[..., 0].sum(axis=-1) + (cells.n[:, 1] - mean[..., 1]).sum(axis=-1)) / m
    violation = constants.parity.apart(mean / cells.n)
    ran = [plain(v.reshape(each)) for v in (real, rounds, each_step, learner, auditor)]
    return Section5Play(*[*ran, plain(error.reshape(shape + each)), plain(violation.reshape(shape + each))])
