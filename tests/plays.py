"""Private plays by their options, and private players over sizes, bounds and epsilons of a test's own."""
from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from dpfair_teach import games
from dpfair_teach.games import players
from dpfair_teach.games.players import by_rate


def private_play(*args: Any, as_printed: bool = False, **how: Any) -> games.PrivatePlay:
    """``dp_oracle_learner``, or the printed one."""
    return games.dp_oracle_learner_as_printed(*args, **how) if as_printed else games.dp_oracle_learner(*args, **how)


def multipliers(w: Any) -> np.ndarray:
    """Of prices of gaps, of either sign."""
    w = np.asarray(w, dtype=float)
    return np.stack([np.maximum(w, 0.0), np.maximum(-w, 0.0)], axis=-1).reshape(*w.shape[:-1], -1)


def sizes_of(game: games.FairnessGame, epsilon: float, axes: tuple[int, ...], rng: Any) -> tuple[np.ndarray, Any]:
    """Released sizes of the cells, and their record."""
    sizes, (record,) = players.release_sizes(game, epsilon, axes, rng, asker(axes))
    return sizes, record


def bound_of(n: float, epsilon: float, delta: float, axes: tuple[int, ...], rng: Any) -> np.ndarray:
    """A released lower bound."""
    return players.released_bound(n, epsilon, delta, axes, rng, asker(axes))[0]


def asker(axes: tuple[int, ...]) -> Any:
    """What makes the mechanisms of players of so many games."""
    both = games.FrozenPlayers.__new__(games.FrozenPlayers)
    both.axes, both.setting = axes, SimpleNamespace(protect="A")
    return both._asked


class Player:
    """A pair of private players, asked about prices of gaps (..., D) of either sign, and heard."""

    def __init__(self, kind: type, game: games.FairnessGame, step: float, over: Any, protect: str) -> None:
        self.game, self.kind, self.step, self.over = game, kind, float(step), over
        self.setting = SimpleNamespace(protect=protect, gradients=0, epsilon_step=self.step, step=lambda cell_sizes: self.step,
                                       smallest_cell=over, rounds=2)
        self._of_each(())

    def _of_each(self, axes: tuple[int, ...]) -> None:
        """Players of so many games; what could not be played with its noise is played all the same."""
        if hasattr(self, "both") and self.both.axes == axes:
            return
        with mock.patch.multiple(players, _refuse_unfit=lambda game: None, _refuse_another_game=lambda *both: None,
                                 promised=lambda game, N: N):
            self.both = self.kind(self.game, self.setting, np.random.default_rng(0), axes or None)
        self.both._over(self.over, self.step)
        self.scale = self.both.choose.planned(1)[0].scale

    def answer(self, w: Any, rng: Any) -> Any:
        """The choice."""
        self._of_each(np.shape(w)[:-1])
        return self.both.best_response(multipliers(w), rng)

    def heard(self, w: Any) -> tuple[np.ndarray, Any]:
        """What the choice is drawn from: losses, and the scale of its noise."""
        self._of_each(())
        asked, real = [], self.both.choose
        self.both.choose = SimpleNamespace(invoke=lambda loss, rng, units=1.0: asked.append((loss, self.scale * units)))
        try:
            self.both.best_response(multipliers(w), None)
        finally:
            self.both.choose = real
        return asked[0]

    def measurement(self) -> Any:
        """The record that one measurement leaves."""
        return self.both.measure.planned(1)[0]

    def measure(self, h: Any, rng: Any, rounded: bool = True) -> Any:
        """What the auditor measures; not ``rounded``: without its grid, with any stand-in for a generator."""
        self._of_each(np.shape(h))
        real, scale = self.both.measure, self.measurement().scale
        if not rounded:
            self.both.measure = SimpleNamespace(invoke=lambda value, rng: value + rng.laplace(size=value.shape) * scale)
        try:
            return self.both.constraint_values(h, rng)
        finally:
            self.both.measure = real


def frozen(game: games.FairnessGame, step: float, cells: np.ndarray, protect: str = "A") -> Player:
    """Over these sizes of cells, as if they had been released."""
    return Player(games.FrozenPlayers, game, step, by_rate(game.parity, np.asarray(cells, dtype=float)), protect)


def promised(game: games.FairnessGame, step: float, N: float, protect: str = "A") -> Player:
    """With this lower bound on the smallest cell."""
    return Player(games.PromisePlayers, game, step, float(N), protect)


def less_noise(kind: type, mechanism: str, before_the_rounds: bool = False, part: float = 0.5) -> Any:
    """A fault: a kind of players makes a mechanism for a part of the sensitivity, and says so."""
    def make(f: Any) -> Any:
        def asked(self: Any, name: str, sensitivity: Any, epsilon: float, **options: Any) -> Any:
            this = isinstance(self, kind) and name == mechanism and before_the_rounds == ("grid" in options)
            return f(self, name, np.multiply(sensitivity, part) if this else sensitivity, epsilon, **options)
        return asked
    return make
