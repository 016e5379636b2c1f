"""The door of the private regression loop: its arguments are read and refused here, once; what is handed on are public numbers."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .. import mechanisms
from ..accounting import UNIT_A, Release
from ..fairness import Parity
from ..oracles import RegressionOracle
from .auditor import bound_on_multipliers, hedge_rate
from .budget import SMALLEST_EPSILON, checked_share
from .doubles import STEPS, gaussian_cost, laplace_delta, refuse_delta_below
from .game import FairnessGame
from .play import MOST
from .programs import plain
from .regression import asked_people, default_price

__all__: list[str] = []     # regression_dp_oracle_learner asks it

SIZES = 0.05        # of epsilon
LEARNERS = 0.9      # of what the Gaussians may spend


@dataclass(frozen=True, eq=False)
class LoopSetting:
    """What a private loop is played with: arguments of :func:`regression_dp_oracle_learner`, checked, and what follows from them.

    Attributes
    ----------
    constants : FairnessGame
        Of the two constants on these people: it knows rates and tolerances, and the sizes, which are private.
    parity : Parity
    T, k, K, games : ints
        Rounds, groups, multipliers, games of the batch.
    axes : tuple of ints
        Repeats, and the batch.
    gamma, B, eta, epsilon, for_sizes, learner, auditor : (games,) arrays
        One for each game: of epsilon the part for the sizes; sensitivity / sigma of each learner's and of each auditor's Gaussian.
    shown : tuple
        gamma, B, eta and epsilon as they are published, with the axes they were given.
    ridge : float
    """

    constants: FairnessGame
    parity: Parity
    T: int
    k: int
    K: int
    games: int
    axes: tuple[int, ...]
    gamma: np.ndarray
    B: np.ndarray
    eta: np.ndarray
    epsilon: np.ndarray
    for_sizes: np.ndarray
    learner: np.ndarray
    auditor: np.ndarray
    shown: tuple
    ridge: float

    def records(self, sensitivity: float) -> tuple[Release, ...]:
        """The releases of all games in all T rounds. Each game has its epsilon for the sizes and its two
        sensitivity / sigma; games alike are one record."""
        found = []
        different = np.unique(self.for_sizes, return_index=True, return_counts=True)
        for e, first, games in zip(*different, strict=True) if self.T > 1 else ():
            found.append(Release("laplace", UNIT_A, sensitivity=sensitivity, scale=sensitivity / float(e), times=int(games)))
            for mu, moved, times in ((self.learner[first], 1.0, self.T - 1),
                                     (self.auditor[first], 1.0 if self.k == 2 else math.sqrt(2), self.T - 1)):
                if times:
                    found.append(Release("gaussian", UNIT_A, sensitivity=moved, scale=moved / float(mu), times=times * int(games)))
        return tuple(found)


def read_loop(oracle: RegressionOracle, A: ArrayLike, gamma: ArrayLike, epsilon: ArrayLike, delta: float, parity: Parity, *, n_groups: int,
              B: ArrayLike | None, rounds: int, eta: ArrayLike | None, share: float | None, learner_share: float | None, ridge: float,
              size: int | tuple[int, ...] | None) -> LoopSetting:
    """Arguments as in :func:`regression_dp_oracle_learner`. Nothing is refused because of who is in which group."""
    k = check.group_count(n_groups)
    _, constants, _ = asked_people(oracle, A, gamma, k, parity, empty="zero")
    B = default_price(constants.gamma) if B is None else bound_on_multipliers(B)
    epsilon = check.array("epsilon", epsilon, low=1e-6, high=1e3, booleans=False)
    check.filled("epsilon", np.atleast_1d(epsilon), "epsilon")
    delta = check.number("delta", delta, low=1e-100, high=0.5)
    T, K = check.integer("rounds", rounds, low=1, high=10**6), constants.n_constraints
    ridge = check.number("ridge", ridge, low=0.0, high=1e12)
    if T == 1:
        check.unread("a play of rounds=1", "a play of more rounds", eta=eta, share=share, learner_share=learner_share, ridge=ridge or None)
    share = checked_share(SIZES if share is None else share, float(epsilon.min()))
    learner_share = check.number("learner_share", LEARNERS if learner_share is None else learner_share, low=1e-6, high=0.999999)
    eta = check.array("eta", hedge_rate(K, T) if eta is None else eta, low=1e-12, high=1e9, booleans=False)
    one = constants.gamma.shape
    for name, value in (("B", B), ("epsilon", epsilon), ("eta", eta)):
        check.filled(name, np.atleast_1d(value), "number")
        one = check.broadcast(name, value.shape, "the other arguments", one, "Give one for all games, or one for each.")
    axes = check.size(size, one) + one
    games = math.prod(axes)
    if T * games * (oracle.d + 1 + 2 * K) > MOST:
        check.refuse("size" if size is not None else "rounds", size if size is not None else rounds,
                     f"means {T} rounds of {games} games, too many to keep", "Play fewer rounds or games at once.")
    learner, auditor = _budget(oracle, k, epsilon, delta, T, share, learner_share)
    gammas, prices, steps, of_each, for_sizes, learners, auditors = (
        np.broadcast_to(v, axes).reshape(games) for v in (constants.gamma, B, eta, epsilon, share * epsilon, learner, auditor))
    return LoopSetting(constants, constants.parity, T, k, K, games, axes, gammas, prices, steps, of_each, for_sizes, learners, auditors,
                       (plain(constants.gamma), plain(B), plain(eta), plain(epsilon)), ridge)


def _budget(oracle: RegressionOracle, k: int, epsilon: np.ndarray, delta: float, T: int, share: float,
            learner_share: float) -> tuple[np.ndarray, np.ndarray]:
    """sensitivity / sigma of each learner's and each auditor's Gaussian: squares add up to those of one Gaussian, exactly.

    What doubles give away is mostly paid already: sizes and Gaussians together keep a smaller delta than the Gaussians alone, as the
    sizes seldom lose all of their epsilon when the Gaussians lose theirs. Where that is too little, the Gaussians get less.
    """
    if T == 1:                                  # nothing private is asked
        return np.ones_like(epsilon), np.ones_like(epsilon)
    parts = np.sqrt([learner_share / (T - 1), (1 - learner_share) / (T - 1)])

    def total(e: float) -> float:
        first, rest, numbers = share * e, (1 - share) * e, 1 if k == 2 else 2
        found = 1 / mechanisms.gaussian_sigma(1.0, rest, delta)
        more, less = _in_doubles(oracle, k, first, T, *(found * parts).tolist())        # smaller Gaussians give away less
        if rest - more < SMALLEST_EPSILON:
            check.refuse("epsilon", e, f"of which noise in doubles gives away {more:.3g}", "Choose a larger epsilon, or play fewer rounds.")
        refuse_delta_below(less, delta, e, T)
        # A number that moves by one person loses this much less than all of its epsilon, or still less, with probability q.
        won = min(2 * first / numbers, 2.0)
        q = math.exp(-won / 2) / 2
        lost = [mechanisms.gaussian_delta(found, 1.0, rest - more + spare) for spare in (0.0, won)]
        if (1 - q) * lost[0] + q * lost[1] <= delta - less:
            return found
        return 1 / mechanisms.gaussian_sigma(1.0, rest - more, delta - less)
    each = {e: total(e) for e in np.unique(epsilon).tolist()}
    found = np.vectorize(each.__getitem__, otypes=[float])(epsilon)
    return found * parts[0], found * parts[1]


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
