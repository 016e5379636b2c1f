"""What a play is: the moves of all rounds and their averages, as published and as evaluated on the private data."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import _checks as check
from ..accounting import Release
from ..fairness import Parity
from ..fairness.parity import signed
from .game import FairnessGame, checked_game
from .programs import plain
from .setting import Setting

__all__ = ["evaluate", "gradient_seen"]

MOST = 2 * 10**8    # numbers that a play may keep
IN_ONE_GO = "Play in one go: a play that resumes could draw its noise twice."


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
        flat = self.chosen.reshape(self.rounds, -1)
        H, games = self.n_classifiers, flat.shape[1]
        counts = np.bincount((flat + H * np.arange(games)).ravel(), minlength=games * H)
        return (counts / self.rounds).reshape(self.chosen.shape[1:] + (H,))

    @property
    def lam(self) -> np.ndarray:
        """The auditor's average of all rounds, (..., K)."""
        return self.multipliers.mean(axis=0)


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
        The learner's classifier in each round, of the game's ``n_classifiers``.
    multipliers : (T, ..., K) array
        The auditor's lambda in each round, chosen before it sees the classifier.
    rounds, Q, lam, gap, regrets, error, violation
        T; the averages of both players; the equilibrium gap of these, and what either player could still gain (auditor, learner); err(Q);
        the largest gap of Q.
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
        """The equilibrium gap of the averages over the first t rounds, for each t of the list ``after``: (len(after), ...)."""
        error, gaps, lam, _ = self._averages(after)
        r, w = self.game._values(gaps), signed(lam)
        auditor = self.B * np.maximum(r.max(axis=-1), 0.0) - (lam * r).sum(axis=-1)
        learner = error + (w * gaps).sum(axis=-1) - (self.game.errors + w @ self.game.gaps.T).min(axis=-1)
        return np.maximum(np.maximum(auditor, learner), 0.0)

    def regret_after(self, after: ArrayLike) -> np.ndarray:
        """The auditor's average regret over the first t rounds, (len(after), ...): best fixed lambda in hindsight minus what it got."""
        _, gaps, _, mean = self._averages(after)
        got = mean((self.multipliers * self.game._values(self.game.gaps[self.chosen])).sum(axis=-1))
        return self.B * np.maximum(self.game._values(gaps).max(axis=-1), 0.0) - got


@dataclass(frozen=True, eq=False)
class PrivatePlay(Moves):
    """What a private play publishes: public numbers only. Batches and repeats are axes "..." in front of all but the round.

    What they are worth on the private data (error, violation, equilibrium gap, regrets) says :func:`evaluate`, which is handed the game
    again. As printed the play is not private, and its records hold scales that were made from the private data.

    Attributes
    ----------
    n_classifiers, gamma, parity, B, eta, chosen, multipliers, rounds, Q, lam
        As in :class:`Play`; the first three are the game's, which were public.
    epsilon_step : float
        epsilon' of each of the private steps.
    gradients : (T-1, ..., K) array
        What the auditor saw: the last round's would never be used. As printed T of them.
    history : pandas.DataFrame
        As in :class:`Play`, with ``chosen``, each ``multiplier`` and each ``gradient``.
    denominators : (..., k, 2) array or None
        The released sizes of the cells, whole people, with ``cell_sizes="noisy"`` and T > 1; NaN of a cell that no constraint asks about.
        Of rates of all people, whatever their label, (..., k, 1).
    smallest_cell : (...) array or None
        N, as promised or released.
    releases_ : tuple of accounting.Release
        All that was released, by all games of the batch. As printed the records say what the paper claims; the claim is false. A
        learner's sensitivity is 1, or 1/2, of the loss divided by the most that one person can move it in that round. What doubles give
        away was taken from delta, and is in no record.
    """

    n_classifiers: int
    gamma: np.ndarray = field(repr=False)
    parity: Parity
    B: float
    eta: float
    chosen: np.ndarray = field(repr=False)
    multipliers: np.ndarray = field(repr=False)
    epsilon_step: float
    gradients: np.ndarray = field(repr=False)
    denominators: np.ndarray | None = field(repr=False)
    smallest_cell: np.ndarray | None
    releases_: tuple[Release, ...] = field(repr=False)

    @classmethod
    def of(cls, game: FairnessGame, setting: Setting, lam: np.ndarray, h: np.ndarray, r: np.ndarray, *, epsilon_step: float,
           denominators: np.ndarray | None, smallest_cell: ArrayLike | None, releases: tuple[Release, ...]) -> PrivatePlay:
        """The moves of all rounds, what was released before them, and the public numbers of the game."""
        return cls(game.n_classifiers, plain(game.gamma), game.parity, setting.B, setting.learning_rate, h, lam, epsilon_step, r,
                   denominators, None if smallest_cell is None else plain(np.asarray(smallest_cell)), releases)

    @property
    def history(self) -> pd.DataFrame:
        """The rounds as a table."""
        return table_of_rounds(self.parity, self.chosen.shape[1:], chosen=self.chosen, multiplier=self.multipliers, gradient=self.gradients)


def evaluate(published: PrivatePlay, game: FairnessGame) -> Play:
    """What a private play is worth on a game: its error, violation, equilibrium gap and regrets, after every round.

    Source: ours. These numbers are computed from the private data, so they are no part of what was published, and are not private: they are
    for the teacher's eye.

    Parameters
    ----------
    published : PrivatePlay
        As :func:`dp_oracle_learner` returns it.
    game : FairnessGame
        The game that was played, or one of the same classifiers, groups, notion and gamma on other people.

    Returns
    -------
    Play
        The same moves, with ``error``, ``violation``, ``gap``, ``regrets``, ``gap_after``, ``regret_after``.

    Examples
    --------
    >>> from dpfair_teach import games
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1, n_groups=2, empty="zero")
    >>> play = games.dp_oracle_learner(game, 1.0, 1e-6, 1.0, np.random.default_rng(0), rounds=2)
    >>> evaluate(play, game).error, evaluate(play, game).violation
    (0.5, 0.0)
    """
    check.instance("published", published, PrivatePlay, "is not what dp_oracle_learner returns",
                   "Give its result; any other play has these numbers itself.")
    checked_game(game)
    for name, theirs, ours in (("number of classifiers", game.n_classifiers, published.n_classifiers),
                               ("notion", game.parity, published.parity),
                               ("number of constraints, and so of groups,", game.n_constraints, published.multipliers.shape[-1]),
                               ("gamma", game.gamma.tolist(), np.asarray(published.gamma).tolist())):
        if theirs != ours:
            check.refuse("game", theirs, f"is its {name}, and the play's is {check.shown(ours)}",
                         "Give the game that was played, or the same on other people.")
    return Play(game, np.asarray(published.B)[()], np.asarray(published.eta)[()], published.chosen, published.multipliers)


def gradient_seen(lam: ArrayLike, B: float, eta: float) -> np.ndarray:
    """The noisy gradient of the first round, from the published average multipliers of a run of two rounds.

    Source: ours, on supplement, Algorithm 5: of lambda~ = (lambda_1 + lambda_2) / 2 everybody knows lambda_1, all whose entries are B /
    (K+1); lambda_2 is the softmax of theta_2 = eta r~_1, which is undone.

    Parameters
    ----------
    lam : (..., K) array
        lambda~ of a run with T = 2.
    B : float in [1e-12, 1e9]
    eta : float in [1e-9, 1e9]
        Both as in the run.

    Returns
    -------
    (..., K) array
        r~_1. What lies so far below the largest entry that floating point has lost it, reads as at the edge of that.

    Examples
    --------
    >>> from dpfair_teach import games
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1, n_groups=2, empty="zero")
    >>> play = games.dp_oracle_learner(game, 1.0, 1e-6, 1.0, np.random.default_rng(0), rounds=2)
    >>> bool(np.allclose(gradient_seen(play.lam, play.B, play.eta), play.gradients[0]))
    True
    """
    lam = check.array("lam", lam, low=0.0, high=1e12, booleans=False)
    if lam.ndim == 0 or lam.size == 0:
        check.refuse("lam", lam.shape if lam.ndim else float(lam), "is no vector of multipliers", "Give play.lam of a run of two rounds.")
    B = check.number("B", B, low=1e-12, high=1e9)
    eta = check.number("eta", eta, low=1e-9, high=1e9)
    second = 2 * lam - B / (lam.shape[-1] + 1)
    spare = B - second.sum(axis=-1, keepdims=True)
    if min(second.min(), spare.min()) < -1e-9 * B:
        check.refuse("lam", float(lam.max()), "is an entry of what no run of two rounds with this B publishes", "Give its play.lam and B.")
    edge = B * 2.0**-53
    return np.log(np.maximum(second, edge) / np.maximum(spare, edge)) / eta


def table_of_rounds(parity: Parity, axes: tuple[int, ...], **columns: np.ndarray) -> pd.DataFrame:
    """Arrays (t, *axes), or (t, *axes, D) of gaps, or (t, *axes, 2 D) of constraints, as columns, ``multiplier`` among them.

    The index is ``round``, from 1 on, and of a batch also ``axis 0``, ...: where the game stands in it. A number for each gap has a column
    for each, such as ``multiplier FP 1-0 +``: of the false positive rate of group 1 minus that of group 0, with its sign; ``-all`` stands
    for everybody's rate. What a last round has none of is missing there.
    """
    T = max(map(len, columns.values()))
    levels = [range(1, T + 1), *map(range, axes)]
    index = (pd.MultiIndex.from_product(levels, names=["round", *(f"axis {i}" for i in range(len(axes)))]) if axes
             else pd.RangeIndex(1, T + 1, name="round"))
    table: dict[str, np.ndarray] = {}
    for name, values in columns.items():
        if len(values) < T:
            values = np.concatenate([values, np.full((T - len(values), *values.shape[1:]), np.nan)])
        if values.ndim == 1 + len(axes):
            table[name] = values.ravel()
        else:
            gaps = gap_names(parity, columns["multiplier"].shape[-1] // 2)
            signed = values.shape[-1] > len(gaps)
            each = [f"{gap} {sign}" for gap in gaps for sign in "+-"] if signed else gaps
            table |= {f"{name} {one}": values[..., i].ravel() for i, one in enumerate(each)}
    return pd.DataFrame(table, index=index)


def gap_names(parity: Parity, D: int) -> list[str]:
    """What each of D gaps compares: ``FP 1-0``."""
    C = D // len(parity.cells)
    k = {"anchor": C + 1, "population": C, "pairs": (1 + math.isqrt(1 + 8 * C)) // 2}[parity.against]
    return [f"{cell.name} {a}-{b if b >= 0 else 'all'}" for a, b in parity.comparisons(k).tolist() for cell in parity.cells]
