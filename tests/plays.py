"""Private plays by their options, and private players over sizes, bounds and epsilons of a test's own."""
from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from dpfair_teach import games
from dpfair_teach.games import players
from dpfair_teach.games.players import by_rate, excess_errors


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
        self.game, self.both, self.step, self.given = game, kind.__new__(kind), float(step), over
        self.both.game, self.both.setting = game, SimpleNamespace(protect=protect)
        self.both.errors = excess_errors(game)
        self._of_each(())

    def _of_each(self, axes: tuple[int, ...]) -> None:
        self.both.axes = axes
        self.both._over(self.given, self.step)

    def answer(self, w: Any, rng: Any) -> Any:
        """The choice."""
        self._of_each(np.shape(w)[:-1])
        return self.both.best_response(multipliers(w), rng)

    def heard(self, w: Any) -> tuple[np.ndarray, Any]:
        """What the choice is drawn from: losses, and the scale of its noise."""
        self._of_each(())
        asked, scale = [], self.both.choose.planned(1)[0].scale
        self.both.choose = SimpleNamespace(invoke=lambda loss, rng, units=1.0: asked.append((loss, scale * units)))
        self.both.best_response(multipliers(w), None)
        return asked[0]

    def measurement(self) -> Any:
        """The record that one measurement leaves."""
        return self.both.measure.planned(1)[0]

    def measure(self, h: Any, rng: Any, rounded: bool = True) -> Any:
        """What the auditor measures; not ``rounded``: without its grid, with any stand-in for a generator."""
        self._of_each(np.shape(h))
        if not rounded:
            scale = self.measurement().with_times(1).scale
            self.both.measure = SimpleNamespace(invoke=lambda value, rng: value + rng.laplace(size=value.shape) * scale)
        return self.both.constraint_values(h, rng)


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
