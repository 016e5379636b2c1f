"""Algorithm 3 with the regression oracle of the experiments: all games of a batch, a few array operations a round."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import both_signs, read_parity, signed
from ..oracles import RegressionOracle
from .auditor import bound_on_multipliers, hedge_rate, weights
from .game import FairnessGame
from .play import IN_ONE_GO, MOST, Play
from .programs import plain
from .table import ODDS_NOTIONS, Empty, OddsNotion, labels_of

__all__ = ["regression_exponentiated_gradient"]

MOST_B = 20.0       # the default price is 1 / gamma, and this where gamma is below 0.05
#: Up to here single precision adds ones exactly; it is twice as fast as doubles.
EXACT = 2**24


@dataclass(frozen=True, eq=False)
class RegressionPlay(Play):
    """A play against the regression oracle.

    Its ``game`` is over the classifiers that were met (one for each table of accepted people) and, last, the two constants: so
    ``play.game.fair_erm()`` is the linear program over the iterates, and ``gap`` compares with what was met, not with all half-spaces.
    Rounds whose answers accept as many of each cell count as the same classifier, the first of them, in ``game``, ``chosen`` and ``Q``.

    Attributes
    ----------
    oracle : oracles.RegressionOracle
        Who answered: it holds X and Y.
    prices : (H - 2, D) array
        Of the gaps: what first made the oracle answer with each classifier.
    gap_coefficients : (D, d + 1) array
        Of (1, x) in the score of each gap, which the prices multiply.
    """

    oracle: RegressionOracle = field(repr=False)
    prices: np.ndarray = field(repr=False)
    gap_coefficients: np.ndarray = field(repr=False)

    def acceptance_probability(self, X: ArrayLike, Q: ArrayLike | None = None) -> np.ndarray:
        """P(accept) for anybody, exact, (..., n); of a mixture ``Q`` over ``game``, or without it of all rounds' own answers.

        ``Q=play.Q`` may say something else of a person: a classifier of ``game`` stands for all rounds that accept as many of each cell.
        Errors and rates on the oracle's people are equal.
        """
        if Q is None:
            return self.oracle.answer(signed(self.multipliers), self.gap_coefficients, X).mean(axis=0)
        Q = np.asarray(self.game._mixture(Q))
        used = np.flatnonzero((Q[..., :-2] > 0).reshape(-1, len(self.prices)).any(axis=0))
        return Q[..., used] @ self.oracle.answer(self.prices[used], self.gap_coefficients, X) + Q[..., -1:]


def checked_oracle(oracle: object) -> RegressionOracle:
    return check.instance("oracle", oracle, RegressionOracle, "not a RegressionOracle", "Make it with oracles.RegressionOracle(X, Y).")


def default_price(gamma: np.ndarray) -> np.ndarray:
    """B = 1 / gamma, 20 at most."""
    return 1 / np.maximum(gamma, 1 / MOST_B)


def cells_of(A: np.ndarray, Y: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Each person's cell as a row of 0 and one 1, (m, 2k), to be :func:`counted`; and how many are in each."""
    code = 2 * np.asarray(A, dtype=np.int64) + Y
    return (code[:, None] == np.arange(2 * k)).astype(np.float32), np.bincount(code, minlength=2 * k).astype(float).reshape(k, 2)


def counted(accepts: np.ndarray, one_hot: np.ndarray) -> np.ndarray:
    """How many of each cell are accepted, (G, cells), exact: (G, m) decisions, and each person's cell as a row of 0 and one 1 in single
    precision, (m, cells)."""
    counts = np.zeros((len(accepts), one_hot.shape[1]))
    for i in range(0, len(one_hot), EXACT):
        counts += accepts[:, i:i + EXACT].astype(np.float32) @ one_hot[i:i + EXACT]
    return counts


def game_of_constants(n: np.ndarray, gamma: ArrayLike, parity: Parity, empty: Empty = "refuse") -> FairnessGame:
    """The game of "reject everybody" and "accept everybody": it knows constraints, tolerance and denominators."""
    return FairnessGame.from_counts(np.stack([np.zeros_like(n), n]), n, gamma, notion=parity, empty=empty)


def asked_people(oracle: RegressionOracle, A: ArrayLike, gamma: ArrayLike, parity: Parity) -> tuple[np.ndarray, FairnessGame, np.ndarray]:
    """The people's cells, the game of the two constants on them, and which gaps are asked."""
    A, k = check.groups("A", A, length=oracle.m)
    if k < 2:
        check.refuse("A", k - 1, "is the largest code, so there is one group only", "Comparing needs two groups.")
    cells, n = cells_of(A, oracle.Y, k)
    parity.require("A", n, "Merge that group with another, or leave that rate out of constraints.", codes=True)
    game = game_of_constants(n, gamma, parity)
    return cells, game, (2 * np.arange(k - 1)[:, None] + labels_of(game.constraints)).ravel()


def label_rates(notion: Any) -> Parity:
    """The notion of a loop with the regression oracle."""
    parity = read_parity(notion, notions=ODDS_NOTIONS, forms=("anchor",),
                         because="The regression oracle answers prices of gaps of false and true positive rates to those of group 0.")
    if parity.anchor:
        check.refuse("notion", parity, "has another anchor than group 0", "Leave the anchor out.")
    return parity


def nobody_as_one(sums: np.ndarray) -> np.ndarray:
    """Sums of cells (..., 1 + d) with a size of at least 1, to divide by."""
    return np.concatenate([np.maximum(sums[..., :1], 1.0), sums[..., 1:]], axis=-1)


def _open_people(oracle: RegressionOracle, A: ArrayLike, cells: np.ndarray, asked: np.ndarray,
                 most: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The gaps' coefficients; the cells of the people whom prices of at most ``most`` together may decide; how many others are accepted of
    each cell; and the scores of the open ones, their own and those of the gaps."""
    # An empty cell that no constraint asks about: its gap is left out here.
    gap_coefficients = oracle.gap_coefficients(nobody_as_one(oracle.sums(A, cells.shape[1] // 2)))[asked]
    scores = np.vstack([oracle.base, gap_coefficients]) @ oracle.design.T
    # Whose score is beyond all that the prices can take away or give, is decided: only the others are asked.
    is_open = np.abs(scores[0]) <= most * np.abs(scores[1:]).max(axis=0) * (1 + 1e-9) + 1e-12
    settled = counted(((scores[0] > 0) & ~is_open)[None], cells)
    scores = scores[:, is_open]
    return gap_coefficients, cells[is_open], settled, scores[0], scores[1:]


@check.formerly(constraints='Say notion, such as "false_positive".', checkpoint=IN_ONE_GO, callback=IN_ONE_GO,
                n_groups="Nothing is private here: it is read off A.", progress="It takes seconds.", every=IN_ONE_GO)
def regression_exponentiated_gradient(oracle: RegressionOracle, A: ArrayLike, gamma: ArrayLike, B: ArrayLike | None = None, *,
                                      notion: OddsNotion | Parity = "equalized_odds", eta: ArrayLike | None = None,
                                      rounds: int = 200) -> RegressionPlay:
    """Algorithm 3 with least squares for the learner: exponential weights against the regression oracle's answers.

    Source: supplement, Algorithm 3, with the oracle of main text, Section 5. The oracle is fitted once: a round is a product of the gap
    scores with the prices, a comparison, and a count by cell, for all games at once. Not private.

    Parameters
    ----------
    oracle : oracles.RegressionOracle
    A : (m,) array of ints 0..k-1
    gamma : float in [0, 1e9], or (...) array
    B : float in (0, 1e9], or array that broadcasts with gamma, optional
        By default 1 / gamma, 20 at most.
    notion : str or Parity
        ``equalized_odds``, ``false_positive`` or ``true_positive``, against group 0.
    eta : float in [1e-12, 1e9], or array like B, optional
        The step; by default :func:`hedge_regret`'s. Not for one round, after which nobody plays.
    rounds : int in 1..10^15
        T.

    Returns
    -------
    RegressionPlay
        ``game.fair_erm()`` is the best mixture of the classifiers met.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, A = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    >>> Y = (X[:, 0] + X[:, 1] * A + .3 * rng.normal(size=400) > .5).astype(int)
    >>> from dpfair_teach.oracles import RegressionOracle
    >>> play = regression_exponentiated_gradient(RegressionOracle(X, Y), A, gamma=[.02, .1], rounds=100)
    >>> best = play.game.fair_erm()
    >>> bool((play.game.violation(best.Q) <= np.array([.02, .1]) + 1e-9).all()), play.acceptance_probability(X[:5], best.Q).shape
    (True, (2, 5))
    """
    oracle = checked_oracle(oracle)
    cells, constants, asked = asked_people(oracle, A, gamma, label_rates(notion))
    n = constants.n
    B = default_price(constants.gamma) if B is None else bound_on_multipliers(B)
    axes = check.broadcast("B", B.shape, "gamma", constants.gamma.shape, "Give one B for each gamma.")
    rounds, K = check.integer("rounds", rounds, low=1), constants.n_constraints
    if rounds == 1:
        check.unread("a play of rounds=1", "a play of more rounds", eta=eta)
    eta = check.array("eta", hedge_rate(K, rounds) if eta is None else eta, low=1e-12, high=1e9, booleans=False)
    check.filled("eta", np.atleast_1d(eta), "step")
    axes = check.broadcast("eta", eta.shape, "B and gamma", axes, "Give one eta, or one for each game.")
    games = math.prod(axes)
    if rounds * games * (K + 1) > MOST:
        check.refuse("rounds", rounds, f"rounds of {games} games are too many to keep", "Play fewer rounds or games at once.")

    gap_coefficients, cells, settled, score, gap_scores = _open_people(oracle, A, cells, asked, float(B.max()))
    gammas, prices_of = (np.broadcast_to(v, axes).reshape(games) for v in (constants.gamma, B))
    steps = np.broadcast_to(eta, axes).reshape(games, 1)
    gaps_of = constants.parity.differences_for(len(n))
    theta, multipliers = np.zeros((games, K)), np.zeros((rounds, games, K))
    prices, counts = np.zeros((rounds, games, K // 2)), np.zeros((rounds, games) + n.shape)
    # A cell that no constraint asks about may be empty; its rate is never read.
    labels, size = labels_of(constants.constraints), np.maximum(n, 1.0)
    columns = np.s_[:, :, labels[0]:labels[-1] + 1]
    for t in range(rounds):
        lam = multipliers[t] = weights(theta, prices_of)
        w = prices[t] = signed(lam)
        counts[t] = (settled + counted(score > w @ gap_scores, cells)).reshape(games, *n.shape)
        theta += steps * (both_signs(gaps_of((counts[t] / size)[columns])) - gammas[:, None])
    met, first, chosen = np.unique(counts.reshape(rounds * games, -1), axis=0, return_index=True, return_inverse=True)
    game = FairnessGame.from_counts(met.reshape(-1, *n.shape), n, constants.gamma, notion=constants.parity).with_constants()
    return RegressionPlay(game, plain(B), plain(eta), chosen.reshape((rounds,) + axes), multipliers.reshape((rounds,) + axes + (K,)),
                          oracle, prices.reshape(rounds * games, -1)[first], gap_coefficients)
