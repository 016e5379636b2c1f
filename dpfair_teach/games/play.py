"""Algorithm 3: the learner answers best, the auditor reweighs; many games at once, a few array operations a round."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness.parity import signed
from ..training import State, train
from .auditor import agarwal_theorem_1, bound_on_multipliers, hedge_rate, weights
from .game import FairnessGame, refuse_no_game
from .history import table_of_rounds
from .programs import plain

__all__ = ["exponentiated_gradient"]

MOST = 2 * 10**8    # numbers that a play may keep


class Moves:
    """What both players played, round by round, and its averages; no word of the people on whom they played."""

    n_classifiers: int
    chosen: np.ndarray
    multipliers: np.ndarray

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.chosen)

    @property
    def Q(self) -> np.ndarray:
        """The learner's average of all rounds, (..., H)."""
        return self.mixture_after(self.rounds)

    @property
    def lam(self) -> np.ndarray:
        """The auditor's average of all rounds, (..., K)."""
        return self.multipliers.mean(axis=0)

    def mixture_after(self, t: int) -> np.ndarray:
        """The learner's average over the first t rounds.

        Parameters
        ----------
        t : int in 1..rounds

        Returns
        -------
        (..., H) array
        """
        t = check.integer("t", t, low=1, high=self.rounds)
        flat = self.chosen[:t].reshape(t, -1)
        H, games = self.n_classifiers, flat.shape[1]
        counts = np.bincount((flat + H * np.arange(games)).ravel(), minlength=games * H)
        return (counts / t).reshape(self.chosen.shape[1:] + (H,))


@dataclass(frozen=True, eq=False)
class Play(Moves):
    """What happened in T rounds, with the game at hand. Batches (of gamma, of B) are axes "..." in front of all but the round.

    Attributes
    ----------
    game : FairnessGame
        With the private data.
    B, eta : (...) arrays, or floats
        The bound of the multipliers, and the auditor's step.
    chosen : (T, ...) array of ints
        The learner's classifier in each round.
    multipliers : (T, ..., K) array
        The auditor's lambda in each round, chosen before it sees the classifier.
    n_classifiers : int
        H, of the game.
    rounds, Q, lam, gap, regrets, error, violation
        T; the averages of both players, (..., H) and (..., K); the equilibrium gap of these averages, and what either player could still
        gain (auditor, learner); err(Q); the largest gap of Q.
    history : pandas.DataFrame
        One row for each round, and each game of a batch: ``chosen``, its ``error``, a ``multiplier`` for each constraint, such as
        ``multiplier FP 1-0 +``, and each ``gap`` of the chosen classifier.
    """

    game: FairnessGame = field(repr=False)
    B: np.ndarray
    eta: np.ndarray
    chosen: np.ndarray = field(repr=False)
    multipliers: np.ndarray = field(repr=False)

    n_classifiers: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_classifiers", self.game.n_classifiers)

    @property
    def history(self) -> pd.DataFrame:
        """The rounds as a table."""
        game, chosen = self.game, self.chosen
        return table_of_rounds(game.parity, chosen.shape[1:], chosen=chosen, error=game.errors[chosen], multiplier=self.multipliers,
                               gap=game.gaps[chosen])

    @property
    def gap(self) -> np.ndarray:
        """The equilibrium gap of the averages."""
        return plain(self.gap_after([self.rounds])[0])

    @property
    def regrets(self) -> tuple[np.ndarray, np.ndarray]:
        """What either player could still gain against the other's average: auditor, learner."""
        return self.game.regrets(self.Q, self.lam, self.B)

    @property
    def error(self) -> np.ndarray:
        """err(Q)."""
        return plain(self.game.errors[self.chosen].mean(axis=0))

    @property
    def violation(self) -> np.ndarray:
        """The largest gap of Q."""
        return plain(np.abs(self.game.gaps[self.chosen].mean(axis=0)).max(axis=-1))

    def _averages(self, after):
        after = check.whole_numbers("after", after, low=1, high=self.rounds)
        if after.ndim != 1 or not after.size:
            check.refuse("after", after.shape, "is no list of rounds", "Give the numbers of rounds as a list.")
        count = np.arange(1, self.rounds + 1)

        def mean(values):
            return (np.cumsum(values, axis=0) / count.reshape((-1,) + (1,) * (values.ndim - 1)))[after - 1]
        return mean(self.game.errors[self.chosen]), mean(self.game.gaps[self.chosen]), mean(self.multipliers), mean

    def gap_after(self, after: ArrayLike) -> np.ndarray:
        """The equilibrium gap of the averages over the first t rounds, for each t.

        Parameters
        ----------
        after : list of ints in 1..rounds

        Returns
        -------
        (len(after), ...) array
        """
        error, gaps, lam, _ = self._averages(after)
        r, w = self.game._values(gaps), signed(lam)
        auditor = self.B * np.maximum(r.max(axis=-1), 0.0) - (lam * r).sum(axis=-1)
        learner = error + (w * gaps).sum(axis=-1) - (self.game.errors + w @ self.game.gaps.T).min(axis=-1)
        return np.maximum(np.maximum(auditor, learner), 0.0)

    def regret_after(self, after: ArrayLike) -> np.ndarray:
        """The auditor's average regret over the first t rounds: best fixed lambda in hindsight minus what it got; may be negative.

        Parameters
        ----------
        after : list of ints in 1..rounds

        Returns
        -------
        (len(after), ...) array
        """
        _, gaps, _, mean = self._averages(after)
        got = mean((self.multipliers * self.game._values(self.game.gaps[self.chosen])).sum(axis=-1))
        return self.B * np.maximum(self.game._values(gaps).max(axis=-1), 0.0) - got


def _read(game: FairnessGame, B: ArrayLike, eta: ArrayLike | None, rounds: int | None, nu: float | None,
          as_printed: bool) -> tuple[np.ndarray, np.ndarray, int, tuple[int, ...]]:
    """Arguments as in :func:`exponentiated_gradient`, read and refused: B, eta, the number of rounds and the axes of the batch."""
    if not isinstance(game, FairnessGame):
        refuse_no_game(game)
    check.flag("as_printed", as_printed)
    B = bound_on_multipliers(B)
    axes = check.broadcast("B", B.shape, "gamma", game.gamma.shape, "Give one B for each gamma.")
    K, spread = game.n_constraints, np.maximum(game.spread, 1e-6)
    if rounds is None and nu is None:
        check.refuse("rounds", rounds, "and no nu either", "Give rounds, or the gap nu that is wanted.")
    if rounds is not None and nu is not None:
        check.refuse("rounds, nu", (rounds, nu), "both are given", "Give rounds, or the gap nu that is wanted, not both.")
    if nu is not None and eta is not None:
        check.refuse("nu, eta", (nu, eta), "both are given, and the rounds for nu are reckoned for the default step",
                     "Give nu alone, or rounds with eta.")
    if eta is not None:
        check.unread(f"a play with eta={check.shown(eta)}", "one whose eta is found", as_printed=as_printed or None)
    if rounds is None:
        assert nu is not None
        rounds = agarwal_theorem_1(nu, K, float(B.max()), spread=None if as_printed else float(spread.max()), as_printed=as_printed).rounds
        asked: tuple[str, object] = ("nu, B", (nu, float(B.max())))
    else:
        rounds = check.integer("rounds", rounds, low=1)
        asked = ("rounds", rounds)
        if rounds == 1:
            check.unread("a play of rounds=1", "a play of more rounds", eta=eta, as_printed=as_printed or None)
    if eta is None:
        eta = hedge_rate(K, rounds, as_printed=as_printed) * (1.0 if as_printed else 2.0 / spread)
    eta = check.array("eta", eta, low=1e-12, high=1e9, booleans=False)
    check.filled("eta", np.atleast_1d(eta), "step")
    axes = check.broadcast("eta", eta.shape, "B and gamma", axes, "Give one eta, or one for each game.")
    if rounds * math.prod(axes) * (K + 1) > MOST:
        check.refuse(*asked, f"means {rounds} rounds of {math.prod(axes)} games, too many to keep",
                     "Play fewer rounds or games at once, or ask for a larger gap or a smaller bound.")
    return B, eta, rounds, axes


def exponentiated_gradient(game: FairnessGame, B: ArrayLike, *, eta: ArrayLike | None = None, rounds: int | None = None,
                           nu: float | None = None, as_printed: bool = False, progress: bool = False) -> Play:
    """Algorithm 3: T rounds of exponential weights against best answers; the averages approach the equilibrium.

    Source: supplement, Algorithm 3 (Agarwal et al. 2018). All games of a batch advance together; one on one screen is :func:`algorithm_3`.

    Where no mixture of the classifiers is gamma-fair, the play is still of the game with multipliers of sum at most B: it approaches the
    mixture with the least error + B times what its largest gap exceeds gamma by. Then ``violation`` stays above gamma, which is how to
    know; :meth:`FairnessGame.fair_erm` refuses instead, and says which violation is the smallest.

    Parameters
    ----------
    game : FairnessGame
        Perhaps with many gammas.
    B : float in (0, 1e9], or array that broadcasts with the game's gamma
    eta : float in [1e-12, 1e9], or array like B, optional
        The step; by default :func:`hedge_rate`'s for T rounds and the game's own :attr:`FairnessGame.spread`.
    rounds : int >= 1, optional
        T.
    nu : float in [1e-9, 1e9], optional
        Instead of ``rounds`` and ``eta``: the gap that :func:`agarwal_theorem_1` is to promise, at the default step (for the largest B
        of a batch).
    as_printed : bool
        The printed step (and, with ``nu``, the printed number of rounds) instead of the sharp ones; not with ``eta``.
    progress : bool
        A bar on the standard error stream.

    Returns
    -------
    Play
        ``Q``, ``lam``, ``gap``, ``error``, ``violation`` of the averages; ``chosen``, ``multipliers`` of each round; ``gap_after``,
        ``regret_after``.

    Raises
    ------
    ValueError
        Neither or both of ``rounds`` and ``nu``; ``nu`` or ``as_printed`` with ``eta``; either with one round, after which nobody plays;
        more numbers to keep than memory is for; a number
        out of range.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=[.1, .3])
    >>> play = exponentiated_gradient(game, B=5, rounds=400)
    >>> play.Q.shape, bool((play.gap < .4).all())
    ((2, 3), True)
    """
    B, eta, rounds, axes = _read(game, B, eta, rounds, nu, as_printed)
    K = game.n_constraints
    start = State({"theta": np.zeros(axes + (K,)), "chosen": np.zeros((rounds,) + axes, dtype=np.int64),
                   "multipliers": np.zeros((rounds,) + axes + (K,))})

    def step(state: State) -> State:
        t, theta = state.round, state["theta"]
        lam = state["multipliers"][t] = weights(theta, B)
        h = (game.errors + signed(lam) @ game.gaps.T).argmin(axis=-1)
        state["chosen"][t] = h
        theta += eta[..., None] * game._values(game.gaps[h])
        return state.then()
    state = train(step, start, rounds, progress=progress).state
    return Play(game, plain(B), plain(eta), state["chosen"], state["multipliers"])
