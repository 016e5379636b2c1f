"""Section 5's private learner by settings read off an author's code: noise on X'C in each of T rounds, the average, no linear program."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness.parity import both_signs, signed
from ..oracles import RegressionOracle
from ..training import State, train
from .auditor import weights
from .programs import plain
from .regression import checked_oracle
from .regression_printed_setting import Noise, Section5Setting, Step, read_section_5

__all__ = ["section_5_learner"]

_AT_ONCE = 128      # games whose scores of two thousand people stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Section5Play:
    """What came out. Repeats and the batch are axes "..."; what depends on the tolerance alone has the batch's axes.

    It has no ``releases_``, as a private play has: a record says an epsilon, and nobody has shown one for noise of these scales. What the
    supplement claims for its algorithm is in the records of ``dp_oracle_learner_as_printed``.

    Attributes
    ----------
    rounds_real, rounds : arrays
        T by the formula, and T as played: rounded down, at least 1, at most ``most_rounds``.
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
                      size: int | tuple[int, ...] | None = None, progress: bool = False) -> Section5Play:
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
    progress : bool

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
    s = read_section_5(oracle, A, gamma, epsilon, delta, B=B, beta=beta, step=step, noise=noise, most_rounds=most_rounds,
                       n_groups=n_groups, size=size)
    cells, parity, k, largest = s.cells, s.constants.parity, s.constants.n_groups, np.abs(oracle.design).max(axis=0)
    T, prices, tolerances, eta, learner, auditor = s.of_all("rounds", "B", "gamma", "eta", "learner", "auditor")
    # A rule is a row (1, -prices, -noise), its scores one product with this: nothing of a round has people as an axis but that product.
    gap_coefficients, gaps_of = oracle.gap_coefficients(oracle.sums(A, k))[s.asked], parity.differences_for(k)
    people = np.vstack([oracle.base, gap_coefficients, oracle.inverse]) @ oracle.design[cells.order].T
    rows = np.ones((len(T), len(people)))

    def one_round(state: State) -> State:
        i, theta, rng = np.flatnonzero(state.round < T), state["theta"], state.rng
        assert rng is not None
        lam = weights(theta[i], prices[i])
        asks = rows[:len(i)]
        asks[:, 1:] = -np.hstack([signed(lam), _noise(s.noise, learner[i, None] * largest, (len(i), oracle.d + 1), rng)])
        counts = np.concatenate([cells.counts(asks[j:j + _AT_ONCE] @ people > 0) for j in range(0, len(i), _AT_ONCE)])
        state["accepted"][i] += counts
        r = both_signs(gaps_of(counts / cells.n)) - tolerances[i, None]
        theta[i] += eta[i, None] * (r + _noise(s.noise, auditor[i, None], r.shape, rng))
        return state.then()
    start = State({"theta": np.zeros((len(T), s.constants.n_constraints)), "accepted": np.zeros((len(T), *cells.n.shape))}, rng)
    state = train(one_round, start, int(T.max()), progress=progress).state
    return _worth(s, state["accepted"] / T[:, None, None])


def _noise(noise: Noise, scale: np.ndarray, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Laplace noise of that scale, or of scale 1 around it."""
    return rng.laplace(size=shape) * scale if noise == "scale" else scale + rng.laplace(size=shape)


def _worth(s: Section5Setting, accepted: np.ndarray) -> Section5Play:
    """What came out, of the average number that each cell's people were ``accepted``, (games, k, 2)."""
    n, parity = s.cells.n, s.constants.parity
    error = (accepted[..., 0].sum(axis=-1) + (n[:, 1] - accepted[..., 1]).sum(axis=-1)) / n.sum()
    violation = parity.apart(accepted / n)
    ran = [plain(v.reshape(s.each)) for v in (s.rounds_real, s.rounds, s.epsilon_step, s.learner, s.auditor)]
    return Section5Play(*[*ran, plain(error.reshape(s.axes)), plain(violation.reshape(s.axes))])
