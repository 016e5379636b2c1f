"""The rounds of a private play: all games of a batch advance together, on the loop of all that trains; and what they publish."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..accounting import UNIT_A, Release
from ..fairness import Parity
from ..fairness.parity import signed
from ..training import State, train
from .auditor import weights
from .game import FairnessGame
from .history import table_of_rounds
from .play import Moves
from .players import FrozenCounts, PrintedPlayers, PromisedRates, frozen_cells, released_bound
from .private_setting import PlaySetting
from .programs import plain
from .sensitivity import Guarded

__all__: list[str] = []     # dp_oracle_learner plays them


@dataclass(frozen=True, eq=False)
class PrivatePlay(Moves):
    """What a private play publishes: public numbers only. Batches and repeats are axes "..." in front of all but the round.

    What they are worth on the private data (error, violation, equilibrium gap, regrets) says :func:`evaluate`, which is handed the game
    again. As printed the play is not private, and its records hold scales that were made from the private data.

    Attributes
    ----------
    n_classifiers, gamma, parity
        Of the game, which were public.
    B, eta : (...) arrays, or floats
        The bound of the multipliers, and the auditor's step.
    chosen : (T, ...) array of ints
        The learner's classifier in each round.
    multipliers : (T, ..., K) array
        The auditor's lambda in each round, chosen before it sees the classifier.
    rounds, Q, lam
        T; the averages of both players, (..., H) and (..., K).
    epsilon_step : (...) array, or float
        epsilon' of each of the private steps.
    gradients : (T-1, ..., K) array
        What the auditor saw: the last round's would never be used. As printed T of them.
    history : pandas.DataFrame
        One row for each round, and each game of a batch: ``chosen``, and for each constraint a ``multiplier`` and a ``gradient``, such as
        ``gradient FP 1-0 +``. What the auditor did not see is missing.
    denominators : (..., k, 2) array or None
        The released sizes of the cells, whole people, for the repair "frozen"; NaN where no constraint asks, as nothing is released of
        such a cell; of rates of all people, whatever their label, (..., k, 1). None too where T = 1, which needs no sizes.
    smallest_cell : (...) array or None
        N, promised, or released for the repair "bound", where T > 1.
    spent, protect
        What ``releases_`` is made from.
    releases_ : tuple of accounting.Release
        All that was released, by all games of the batch. As printed the records say what the paper claims; the claim is false. A
        learner's sensitivity is 1, or 1/2, of the loss divided by the most that one person can move it in that round. They are the laws
        of the noise. What doubles give away beside them was taken from delta, and is in no record: of several plays add up the epsilons
        and deltas they were asked for, or leave their records some delta to spare.
    """

    n_classifiers: int
    gamma: np.ndarray = field(repr=False)
    parity: Parity
    B: np.ndarray
    eta: np.ndarray
    chosen: np.ndarray = field(repr=False)
    multipliers: np.ndarray = field(repr=False)
    epsilon_step: np.ndarray
    gradients: np.ndarray = field(repr=False)
    denominators: np.ndarray | None = field(repr=False)
    smallest_cell: np.ndarray | None
    spent: tuple = field(repr=False)
    protect: Guarded = field(repr=False)

    @property
    def history(self) -> pd.DataFrame:
        return table_of_rounds(self.parity, self.chosen.shape[1:], chosen=self.chosen, multiplier=self.multipliers, gradient=self.gradients)

    @property
    def releases_(self) -> tuple[Release, ...]:
        return _records(self.spent, self.chosen.shape[1:], self.protect)


class _Before(NamedTuple):
    """What is released before the first round: sizes of the cells, or N, or nothing; and the records of it."""

    released: np.ndarray
    spent: tuple


def play(game: FairnessGame, s: PlaySetting, rng: np.random.Generator, *, progress: bool) -> PrivatePlay:
    """All rounds, of arguments that were read."""
    setting, printed = s.setting, s.repair == "printed"
    if not printed and game.table.people is None:
        game = FairnessGame._made_of(game.table.in_whole_people(), game.gamma)
    before = _before(game, s, rng)
    T, K, measured = setting.T, setting.K, setting.T if printed else setting.gradients
    player = _player(game, s, before.released)
    start = State({"theta": np.zeros(s.axes + (K,)), "chosen": np.zeros((T,) + s.axes, dtype=np.int64),
                   "multipliers": np.zeros((T,) + s.axes + (K,)), "gradients": np.zeros((measured,) + s.axes + (K,))}, rng)

    def one_round(state: State) -> State:
        t, theta = state.round, state["theta"]
        lam = state["multipliers"][t] = weights(theta, s.B)
        h = state["chosen"][t] = player.answer(signed(lam), state.rng)
        if t < measured:
            seen = state["gradients"][t] = player.measure(h, state.rng)
            theta += s.eta[..., None] * seen
        return state.then()
    state = train(one_round, start, T, progress=progress).state
    selections = T - (not printed and setting.protect == "A")
    spent = (*before.spent, (*player.selection, s.step, 0.0, selections), (*player.measurement, s.step, 0.0, measured))
    sizes = before.released if before.spent and s.repair == "frozen" else None
    N = plain(player.N) if isinstance(player, PromisedRates) else None
    return PrivatePlay(game.n_classifiers, plain(game.gamma), game.parity, plain(s.B), plain(s.eta), state["chosen"],
                       state["multipliers"], plain(s.step), state["gradients"], sizes, N, spent, setting.protect)


def _before(game: FairnessGame, s: PlaySetting, rng: np.random.Generator) -> _Before:
    """What is released before the first round."""
    if not s.first.any():
        return _Before(np.zeros(0), ())
    if s.repair == "bound":
        N = released_bound(float(game.table.sizes.min()), s.first, s.first_delta, s.axes, rng)
        return _Before(np.asarray(N), (("laplace", 1.0, s.first, s.first_delta, 1),))
    sizes, sensitivity = frozen_cells(game, s.first, s.axes, rng)
    return _Before(sizes, (("laplace", sensitivity, s.first, 0.0, 1),))


def _player(game: FairnessGame, s: PlaySetting, released: np.ndarray) -> Any:
    """The two players with their noise."""
    setting = s.setting
    if s.repair == "printed":
        return PrintedPlayers(game, s.step, s.B)
    if s.repair == "promise":
        assert setting.smallest_cell is not None    # the door read it
        return PromisedRates(game, s.step, setting.smallest_cell, setting.protect)
    if setting.rounds == 1:
        return FrozenCounts(game, s.step, np.ones(s.axes + (setting.k, 2)), setting.protect)
    return (PromisedRates if s.repair == "bound" else FrozenCounts)(game, s.step, released, setting.protect)


def _records(spent, axes, protect):
    """The releases of the whole batch: (mechanism, sensitivity, epsilon, delta, times in one game)."""
    unit, relation = (UNIT_A, None) if protect == "A" else ("one person's X and A change, Y public", "replace one X and A")
    found = []
    for mechanism, sensitivity, epsilon, delta, times in spent:
        pairs = np.stack([np.broadcast_to(sensitivity, axes), np.broadcast_to(epsilon, axes)], axis=-1).reshape(-1, 2)
        for (s, e), games in zip(*np.unique(pairs, axis=0, return_counts=True), strict=True):
            if times:
                found.append(Release(mechanism, unit, sensitivity=s, epsilon=e, delta=delta, relation=relation, times=times * int(games)))
    return tuple(found)
