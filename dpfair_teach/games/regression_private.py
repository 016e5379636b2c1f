"""DP-oracle-learner with the regression oracle, repaired: frozen denominators, sensitivities that everybody knows, exact accounting."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import tqdm
from numpy.typing import ArrayLike

from .. import _checks as check
from .. import mechanisms
from ..accounting import Release
from ..fairness import Parity
from ..fairness.parity import both_signs, signed
from ..mechanisms import UNIT_A, Measurement, Name
from ..oracles import RegressionOracle
from ..oracles.private import charged
from ..oracles.regression import PRECISE, SAFE, lost_to_scale
from .auditor import bound_on_multipliers, hedge_rate, weights
from .budget import SMALLEST_EPSILON, STEPS, checked_fraction, gaussian_cost, laplace_delta, refuse_delta_below
from .play import IN_ONE_GO, MOST, table_of_rounds
from .players import release_sizes
from .programs import plain
from .regression import cells_of, checked_oracle, counted, default_price, game_of_constants, label_rates
from .table import OddsNotion, labels_of

__all__ = ["regression_dp_oracle_learner"]

SIZES = 0.05        # of epsilon
LEARNERS = 0.9      # of what the Gaussians may spend


@dataclass(frozen=True, eq=False)
class PrivateRegressionPlay:
    """What the private loop publishes: public numbers only. Repeats and the batch are axes "...".

    Attributes
    ----------
    oracle : oracles.RegressionOracle
        It holds X and Y, which are public.
    n_groups, parity, gamma
        As given; ``constraints`` are the names of the notion's rates.
    rules : (T, ..., d + 1) array
        Coefficients of each round's classifier: accept where (1, x) . rule > 0.
    multipliers, denominators : arrays
        As in :class:`~dpfair_teach.games.play.PrivatePlay`.
    errors : (T, ...) array
        Of each round's classifier: X and Y are public, so these are.
    gaps_seen : (T-1, ..., D) array
        Noisy gaps of each round's classifier but the last.
    history : pandas.DataFrame
        One row for each round, and each game of a batch: ``error``, each ``multiplier`` and each ``gap`` that was seen.
    B, eta, epsilon : arrays or floats
        The bound of the multipliers, the auditor's step and the epsilon of each game.
    releases_ : tuple of accounting.Release
        All that was released, by all games of the batch. Those of *one* game are together (epsilon, delta)-private:
        ``accounting.compose(..., delta, "pld")`` finds it.
    """

    oracle: RegressionOracle = field(repr=False)
    n_groups: int
    parity: Parity
    gamma: np.ndarray = field(repr=False)
    rules: np.ndarray = field(repr=False)
    multipliers: np.ndarray = field(repr=False)
    errors: np.ndarray = field(repr=False)
    denominators: np.ndarray | None = field(repr=False)
    gaps_seen: np.ndarray = field(repr=False)
    B: np.ndarray
    eta: float
    epsilon: float
    releases_: tuple[Release, ...]

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.rules)

    @property
    def history(self) -> pd.DataFrame:
        return table_of_rounds(self.parity, self.errors.shape[1:], error=self.errors, multiplier=self.multipliers, gap=self.gaps_seen)

    @property
    def constraints(self) -> tuple[str, ...]:
        """The names of the rates that were compared."""
        return tuple(cell.name for cell in self.parity.cells)

    def acceptance_probability(self, X: ArrayLike) -> np.ndarray:
        """P(accept) by the average of the rounds, exact: (..., n) of X (n, d)."""
        return (self.oracle.scores(self.rules, X) > 0).mean(axis=0)


@dataclass(frozen=True, eq=False)
class EvaluatedRegression:
    """What a private loop is worth on the private groups; none of these numbers is private.

    People ``n`` (k, 2) [a, y]; of each round ``counts`` (T, ..., k, 2) of accepted people, ``errors`` (T, ...) and true ``gaps``
    (T, ..., D), for which the rate of an empty cell reads 0; ``error`` and ``violation`` (...) are of the average of the rounds.
    """

    n: np.ndarray
    counts: np.ndarray = field(repr=False)
    errors: np.ndarray = field(repr=False)
    gaps: np.ndarray = field(repr=False)

    @property
    def error(self) -> np.ndarray:
        return plain(self.errors.mean(axis=0))

    @property
    def violation(self) -> np.ndarray:
        return plain(np.abs(self.gaps.mean(axis=0)).max(axis=-1))


def evaluate_regression(published: PrivateRegressionPlay, A: ArrayLike) -> EvaluatedRegression:
    """Error and violation of a private loop on the people it learned from: handed their groups again, and so for the teacher's eye."""
    oracle, k, rules = published.oracle, published.n_groups, published.rules
    A, _ = check.groups("A", A, length=oracle.m, n_groups=k)
    one_hot, n = cells_of(A, oracle.Y, k)
    people = oracle.design.T
    counts = np.stack([_accepted(each.reshape(-1, each.shape[-1]), people, one_hot) for each in rules]).reshape(len(rules), -1, k, 2)
    gaps = published.parity.differences((counts / np.maximum(n, 1.0))[..., labels_of(published.constraints)])
    axes = rules.shape[:-1]
    return EvaluatedRegression(n, counts.reshape(axes + (k, 2)), published.errors, gaps.reshape(axes + (-1,)))


@check.formerly(share="Say budget_fraction.", learner_share="Say learner_fraction.", constraints="Say notion.", checkpoint=IN_ONE_GO,
                callback=IN_ONE_GO, every=IN_ONE_GO)
def regression_dp_oracle_learner(oracle: RegressionOracle, A: ArrayLike, gamma: ArrayLike, epsilon: float, delta: float,
                                 rng: np.random.Generator, *, n_groups: int, B: ArrayLike | None = None, rounds: int = 10,
                                 eta: float | None = None, budget_fraction: float | None = None, learner_fraction: float | None = None,
                                 ridge: float = 0.0, notion: OddsNotion | Parity = "equalized_odds",
                                 size: int | tuple[int, ...] | None = None, progress: bool = False) -> PrivateRegressionPlay:
    """The loop of Algorithm 5 with the regression oracle, (epsilon, delta)-private: noise on A's part of X'C_1 in every round.

    Source: ours, repairing main text, Section 5. The sizes of the cells are released once. Each round's costs then read A through a sum
    of (1, x) with public weights, which gets Gaussian noise with covariance proportional to M = X'X + ridge; the auditor counts whom a
    classifier accepts in each group, with Gaussian noise too, so that the accounting is exact. With T = 1 nothing private is read. What
    noise in doubles gives away is taken from epsilon and delta; either that is not above it is refused.

    Parameters
    ----------
    oracle : oracles.RegressionOracle
    A : (m,) array of ints 0..k-1
        Private. Which groups and cells occur is private too: an empty one is no error, and its rate reads 0.
    gamma : float in [0, 1e9], or (...) array
    epsilon : float in [0.000001, 1000]
        Of each game.
    delta : float in [1e-100, 0.5]
    rng : numpy.random.Generator
    n_groups : int in 2..1000
        k, public.
    B : float in (0, 1e9], or array that broadcasts with gamma, optional
        By default 1 / gamma, 20 at most.
    rounds : int in 1..10^6
        T.
    eta : float in [1e-12, 1e9], optional
        By default :func:`hedge_regret`'s.
    budget_fraction : float in (0, 1), optional
        The part of epsilon for the sizes, by default a twentieth.
    learner_fraction : float in [0.000001, 0.999999], optional
        The learner's part of the Gaussians' budget (of the sum of 1 / sigma^2), by default nine tenths.
    ridge : float in [0, 1e12]
        Added to X'X for the gap scores, a shrinkage, and in M.
    notion : str or Parity
        ``equalized_odds``, ``false_positive`` or ``true_positive``, against group 0.
    size : int or tuple of ints, optional
        Independent repeats, as leading axes. Each is a release.
    progress : bool
        A bar on the standard error stream.

    Returns
    -------
    PrivateRegressionPlay
        Its violation on the private groups is no part of it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, A = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    >>> Y = (X[:, 0] + X[:, 1] * A + .3 * rng.normal(size=400) > .5).astype(int)
    >>> play = regression_dp_oracle_learner(RegressionOracle(X, Y), A, .05, 2.0, 1e-6, rng, n_groups=2, rounds=5, size=3)
    >>> play.rules.shape, [(r.mechanism, r.times) for r in play.releases_]
    ((5, 3, 4), [('laplace', 3), ('gaussian', 12), ('gaussian', 12)])
    """
    oracle, rng = checked_oracle(oracle), check.rng(rng)
    k, parity, T = check.group_count(n_groups), label_rates(notion), check.integer("rounds", rounds, low=1, high=10**6)
    A, _ = check.groups("A", A, length=oracle.m, n_groups=k)
    one_hot, n = cells_of(A, oracle.Y, k)
    constants = game_of_constants(n, gamma, parity, "zero")
    B = default_price(constants.gamma) if B is None else bound_on_multipliers(B)
    ridge = check.number("ridge", ridge, low=0.0, high=1e12)
    if T == 1:
        check.unread("a play of rounds=1", "a play of more rounds", eta=eta, budget_fraction=budget_fraction,
                     learner_fraction=learner_fraction, ridge=ridge or None)
    noise = _noise_of(oracle, k, epsilon, delta, T, budget_fraction, learner_fraction)
    K = constants.n_constraints
    eta = check.number("eta", hedge_rate(K, T) if eta is None else eta, low=1e-12, high=1e9)
    axes = check.broadcast("B", B.shape, "gamma", constants.gamma.shape, "Give one B for each gamma.")
    axes = check.size(size, axes) + axes
    if T * math.prod(axes) * (oracle.d + 1 + 2 * K) > MOST:
        check.refuse("size" if size is not None else "rounds", size if size is not None else rounds,
                     f"means {T} rounds of {math.prod(axes)} games, too many to keep", "Play fewer rounds or games at once.")

    def asked(mechanism: Name, sensitivity: float, epsilon: float, **options: Any) -> Measurement:
        return Measurement(mechanism, UNIT_A, sensitivity=sensitivity, epsilon=np.full(axes, epsilon), **options)
    cells, releases = release_sizes(constants, noise.sizes, axes, rng, asked) if T > 1 else (None, ())
    moved = 1.0 if k == 2 else math.sqrt(2)             # of two groups one count is known from the other
    learner = Measurement("gaussian", UNIT_A, sensitivity=1.0, scale=np.full(axes, 1 / noise.learner))
    auditor = Measurement("gaussian", UNIT_A, sensitivity=moved, scale=np.full(axes, moved / noise.auditor))
    frozen = np.ones((*axes, k, 2)) if cells is None else np.nan_to_num(cells, nan=1.0)     # where no constraint asks, nothing has a price
    root, sums, largest = _vector(oracle, one_hot, ridge)
    people, labels, gaps_of = oracle.design.T, labels_of(constants.constraints), parity.differences_for(k)
    theta, c = np.zeros((*axes, K)), np.zeros((*axes, k, 2))
    rules, multipliers = np.zeros((T, *axes, oracle.d + 1)), np.zeros((T, *axes, K))
    errors, seen = np.zeros((T, *axes)), np.zeros((T - 1, *axes, K // 2))
    for t in tqdm.trange(T, disable=not check.flag("progress", progress)):
        lam = multipliers[t] = weights(theta, B)
        c[..., labels] = oracle.m * parity.prices_of_rates(charged(signed(lam)), k) / frozen[..., labels]
        rules[t] = oracle.base
        if t:               # in the first round all prices cancel
            spread = np.ptp(c, axis=-2).max(axis=-1) * largest
            rules[t] -= learner.invoke(c.reshape(*axes, -1) @ sums, rng, units=spread) @ root.T
        counts = _accepted(rules[t].reshape(-1, oracle.d + 1), people, one_hot).reshape(*axes, k, 2)
        errors[t] = (counts[..., 0].sum(axis=-1) + (n[:, 1].sum() - counts[..., 1].sum(axis=-1))) / oracle.m
        if t < T - 1:       # the last is never used
            if k == 2:
                total, one = counts.sum(axis=-2), auditor.invoke(counts[..., 1, :], rng)
                counts = np.stack([total - one, one], axis=-2)
            else:
                counts = auditor.invoke(counts, rng)
            seen[t] = gaps_of((counts / frozen)[..., labels])
            theta += eta * (both_signs(seen[t]) - constants.gamma[..., None])
    return PrivateRegressionPlay(oracle, k, constants.parity, plain(constants.gamma), rules, multipliers, errors, cells, seen, plain(B),
                                 eta, noise.epsilon, releases + learner.releases + auditor.releases)


class NoiseBudget(NamedTuple):
    """How much each mechanism may spend: of one game's ``epsilon`` the part for the sizes, and sensitivity / sigma of each learner's and
    each auditor's Gaussian."""

    epsilon: float
    sizes: float
    learner: float
    auditor: float


def _vector(oracle: RegressionOracle, one_hot: np.ndarray, ridge: float) -> tuple[np.ndarray, np.ndarray, float]:
    """root with root root' = M^-1, private sums of root' (1, x) over each cell, the longest root' (1, x).

    root' (the vector) gets standard noise: where root has no direction, neither the vector nor the noise is seen. Its entries are rounded
    to a public power of two on which any sum of them is exact: else it would be rounded by who is where, with no noise for that.
    """
    root, white = _root(oracle.design, ridge)
    step = np.ldexp(1.0, np.frexp(np.abs(white).max())[1] + oracle.m.bit_length() - 53)
    white = np.rint(white / step) * step
    return root, one_hot.T.astype(float) @ white, np.sqrt((white ** 2).sum(axis=1).max())


def _root(design: np.ndarray, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    """R with R R' = M^-1, and design R, a row for each person. Directions that the oracle leaves out as rounding are left out here too."""
    m, d = design.shape
    values, vectors = np.linalg.eigh(design.T @ design + ridge * np.eye(d))
    if values[0] > SAFE * values[-1]:
        root = vectors / np.sqrt(values)
        return root, design @ root
    q, r = np.linalg.qr(np.vstack([design, math.sqrt(ridge) * np.eye(d)]) if ridge else design)
    left, singular, right = np.linalg.svd(r, full_matrices=False)
    kept = singular > PRECISE * singular[0]
    standard = lost_to_scale(design, int(kept.sum()), ridge)
    if standard is not None:
        return standard
    return right[kept].T / singular[kept], (q @ left[:, kept])[:m]


def _accepted(rules: np.ndarray, people: np.ndarray, one_hot: np.ndarray) -> np.ndarray:
    """Accepted people of each cell, (G, 2 k).

    Decided in public order, then counted by cell: in an order made from A the rounding of a score near 0 would depend on A.
    """
    return counted(rules @ people > 0, one_hot)


def _noise_of(oracle: RegressionOracle, k: int, epsilon: float, delta: float, T: int, budget_fraction: float | None,
              learner_fraction: float | None) -> NoiseBudget:
    """How much noise keeps (epsilon, delta): the squares of the Gaussians' numbers add up to that of one Gaussian, exactly.

    What doubles give away is mostly paid already: sizes and Gaussians together keep a smaller delta than the Gaussians alone, as the
    sizes seldom lose all of their epsilon when the Gaussians lose theirs. Where that is too little, the Gaussians get less.
    """
    epsilon = check.number("epsilon", epsilon, low=1e-6, high=1e3)
    delta = check.number("delta", delta, low=1e-100, high=0.5)
    fraction = checked_fraction(SIZES if budget_fraction is None else budget_fraction, epsilon)
    learners = check.number("learner_fraction", LEARNERS if learner_fraction is None else learner_fraction, low=1e-6, high=0.999999)
    first, rest, numbers = fraction * epsilon, (1 - fraction) * epsilon, 1 if k == 2 else 2
    if T == 1:                                  # nothing private is asked
        return NoiseBudget(epsilon, first, 1.0, 1.0)
    parts = np.sqrt([learners / (T - 1), (1 - learners) / (T - 1)])
    found = 1 / mechanisms.gaussian_sigma(1.0, rest, delta)
    more, less = _in_doubles(oracle, k, first, T, *(found * parts).tolist())        # smaller Gaussians give away less
    if rest - more < SMALLEST_EPSILON:
        check.refuse("epsilon", epsilon, f"of which noise in doubles gives away {more:.3g}", "Choose a larger epsilon, or play fewer "
                     "rounds.")
    refuse_delta_below(less, delta, epsilon, T)
    # A number that moves by one person loses this much less than all of its epsilon, or still less, with probability q.
    won = min(2 * first / numbers, 2.0)
    q = math.exp(-won / 2) / 2
    lost = [mechanisms.gaussian_delta(found, 1.0, rest - more + spare) for spare in (0.0, won)]
    if (1 - q) * lost[0] + q * lost[1] > delta - less:
        found = 1 / mechanisms.gaussian_sigma(1.0, rest - more, delta - less)
    return NoiseBudget(epsilon, first, *(found * parts).tolist())


def _in_doubles(oracle: RegressionOracle, k: int, first: float, T: int, learner: float, auditor: float) -> tuple[float, float]:
    """What one game gives away by noise in doubles, of epsilon and of delta.

    One person moves one size and one count of two groups, else two of each; and every entry of the vector, in scales by a vector of length
    ``learner`` at most, whose j-th largest entry is at most that over the root of j.
    """
    numbers, summed = 1 if k == 2 else 2, 2 * k * oracle.m * learner       # costs times sums are summed over the cells
    moved = [gaussian_cost(STEPS, learner / math.sqrt(j), summed) for j in range(1, oracle.d + 2)]
    moved += numbers * [gaussian_cost(STEPS, auditor / math.sqrt(numbers))]
    epsilon, delta = ((T - 1) * sum(costs) for costs in zip(*moved, strict=True))
    return epsilon, delta + numbers * laplace_delta(numbers / first, first / numbers)
