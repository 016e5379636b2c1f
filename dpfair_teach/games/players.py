"""The two private players of Algorithm 5, one pair for each way to scale their noise. Many games at once; no checks: the loop made them.

A learner answers w = lambda_+ - lambda_-, a price for each gap, with a classifier; an auditor measures the constraints of a classifier.
Each has the privacy ``step``. ``selection`` and ``measurement`` say with which mechanism and sensitivity.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..fairness import Parity
from ..mechanisms.grid import on_grid as on_grid
from ..oracles.private import charged
from .game import FairnessGame
from .sensitivity import Guarded, lemma_3_1

__all__: list[str] = []     # dp_oracle_learner plays them

_BLOCK = 2**24


def smallest_asked(game: FairnessGame) -> float:
    """People in the smallest cell that a constraint asks about."""
    return float(game.table.sizes.min())


def by_rate(parity: Parity, cells: np.ndarray) -> np.ndarray:
    """Sizes of cells as they are published, (..., k, 2) [a, y] or, of a rate of all people, (..., k, 1): of each rate, (..., k, R)."""
    labels: list[Any] = [cell.label for cell in parity.cells]
    return cells[..., :1] if None in labels else cells[..., labels]


def by_label(parity: Parity, sizes: np.ndarray) -> np.ndarray:
    """The same backwards; NaN where no constraint asks."""
    labels: list[Any] = [cell.label for cell in parity.cells]
    if None in labels:
        return sizes
    cells = np.full(sizes.shape[:-1] + (2,), np.nan)
    cells[..., labels] = sizes
    return cells


def laplace_noise(scale: np.ndarray | float, shape: tuple[int, ...], rng: np.random.Generator, inner: int = 1) -> np.ndarray:
    """Laplace noise; ``scale`` broadcasts with all axes of ``shape`` but the ``inner`` last."""
    scale = np.asarray(scale, dtype=float)
    return rng.laplace(size=shape) * scale.reshape(scale.shape + (1,) * inner)


def select(loss: np.ndarray, scale: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw with probability proportional to exp(-loss / scale), by Gumbel noise; at scale 0 the smallest loss.

    Parameters are (..., H) and (...).
    """
    flat, scales = loss.reshape(-1, loss.shape[-1]), np.broadcast_to(scale, loss.shape[:-1]).ravel()
    rows = max(1, _BLOCK // flat.shape[1])
    drawn = [(flat[i:i + rows] - scales[i:i + rows, None] * rng.gumbel(size=flat[i:i + rows].shape)).argmin(axis=1)
             for i in range(0, len(flat), rows)]
    return np.concatenate(drawn).reshape(loss.shape[:-1])


def excess_errors(game: FairnessGame) -> np.ndarray:
    """(H,) errors above the least one: the part of the losses that holds no price.

    A constant changes no choice. But prices may be far smaller than the digits of an error, and so is the noise, made for them: added to
    the errors themselves, a private part would be rounded away or up by who is in which group, with no noise to cover it. From 0 it
    keeps its own digits.
    """
    return game.errors - game.errors.min()


class PrintedPlayers:
    """Scales from the smallest cell of the private data, as in Lemma 3.1 and Algorithm 5."""

    def __init__(self, game: FairnessGame, step: np.ndarray, B: np.ndarray):
        self.game, self.step, n = game, step, smallest_asked(game)
        self.delta_r = lemma_3_1(n, game.n_groups, 1.0, as_printed=True).auditor
        self.delta_l = (2 * game.n_groups * B + 1) / (n - 1)
        self.selection, self.measurement = ("exponential", self.delta_l), ("laplace", self.delta_r)

    def answer(self, w, rng):
        return select(self.game.errors + w @ self.game.gaps.T, 2 * self.delta_l / self.step, rng)

    def measure(self, h, rng):
        r = self.game._values(self.game.gaps[h])
        return r + laplace_noise(self.delta_r / self.step, r.shape, rng)


class PromisedRates:
    """Sensitivities from a public N: no cell of either neighbour holds fewer people.

    One person is counted in one rate of a group, that of their label, or the only one. So one changed A moves two rates, of the same kind
    and of two groups, by at most 1/(N+1) each: a cell that loses or wins one person has at least N+1 before or after. Somebody who stays
    and is decided about otherwise moves one rate by at most 1/N. A loss is its error and the sum of prices times rates.
    """

    selection: tuple[str, float] = ("exponential", 1.0)     # of the loss divided by its public sensitivity in the round
    measurement: Any = None

    def __init__(self, game: FairnessGame, step: np.ndarray, N: np.ndarray | float, protect: Guarded):
        self.game, self.step, self.N, self.protect = game, step, np.asarray(N, dtype=float), protect
        self.measurement, self.errors = ("laplace", 2 / (self.N + 1)), excess_errors(game)

    def sensitivity(self, w: np.ndarray) -> np.ndarray:
        """The most that one classifier's loss moves at these prices."""
        return self._moved(self.game.parity.prices_of_rates(w, self.game.n_groups))

    def _moved(self, price: np.ndarray) -> np.ndarray:
        size = np.sort(np.abs(price), axis=-2)
        moves = (size[..., -1, :] + size[..., -2, :]).max(axis=-1) / (self.N + 1)
        if self.protect == "A":
            return moves
        return np.maximum(moves, size[..., -1, :].max(axis=-1) / np.maximum(self.N, 1.0)) + 1 / self.game.m

    def answer(self, w, rng):
        price = self.game.parity.prices_of_rates(charged(w), self.game.n_groups)
        rates = self.game.table.compared.reshape(self.game.n_classifiers, -1)
        loss = self.errors + price.reshape(price.shape[:-2] + (-1,)) @ rates.T      # by the prices that the noise is made for
        return select(loss, 2 * self._moved(price) / self.step, rng)

    def measure(self, h, rng):
        scale = self.measurement[1] / self.step
        if self.game.n_groups == 2:     # the gap itself: one number for each rate, where rates would be two
            gaps = self.game.gaps[h]
            return self.game._values(on_grid(gaps + laplace_noise(scale, gaps.shape, rng), scale))
        rates = self.game.table.compared[h]
        return gaps_to_values(self.game, on_grid(rates + laplace_noise(scale, rates.shape, rng, 2), scale, 2))


class FrozenCounts:
    """Rates over denominators that were released once: then counts are measured, whose sensitivity everybody knows.

    One person is counted above one fraction line, that of their group and label, or group alone. One changed A takes 1 from a group's count
    and adds 1 to another's; of two groups it is enough to measure one, as both together are public where X and Y are. A loss, its error and
    the sum of prices over denominators times counts, moves by the price of the one less that of the other.
    """

    def __init__(self, game: FairnessGame, step: np.ndarray, denominators: np.ndarray, protect: Guarded):
        self.game, self.step, self.protect = game, step, protect
        self.denominators = by_rate(game.parity, denominators)
        self.margins = game.n_groups == 2 and protect == "A"        # then one count of two is known from the other
        self.selection = ("exponential", 0.5 if protect == "A" else 1.0)
        self.measurement, self.errors = ("laplace", 1.0 if self.margins else 2.0), excess_errors(game)

    def spread(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The price of counting one person, (..., k, R), and over how wide a range one person can move all losses."""
        price = self.game.parity.prices_of_rates(w, self.game.n_groups) / self.denominators
        if self.protect == "A":
            return price, np.ptp(price, axis=-2).max(axis=-1)
        # Who is accepted at (1, 0) errs, who is counted at (1, 1) or (0, 0) no longer does; a label that no rate asks about errs alone.
        cells, m = self.game.parity.cells, self.game.m
        each = [price[..., r] + (1.0 if cell == (1, 0) else -1.0) / m for r, found in enumerate(cells) for cell in found.above]
        least = 0.0 if {y for found in cells for _, y in found.above} == {0, 1} else 1 / m
        return price, 2 * np.maximum(np.abs(np.stack(each, axis=-1)).max(axis=(-2, -1)), least)

    def answer(self, w, rng):
        price, spread = self.spread(charged(w))
        counts = self.game.table.above.reshape(self.game.n_classifiers, -1)
        return select(self.errors + price.reshape(price.shape[:-2] + (-1,)) @ counts.T, spread / self.step, rng)

    def measure(self, h, rng):
        scale = self.measurement[1] / self.step
        counts = self.game.table.above[h]
        if self.margins:
            total = self.game.table.totals[h]
            one = on_grid(counts[..., 1, :] + laplace_noise(scale, total.shape, rng), scale)
            counts = np.stack([total - one, one], axis=-2)
        else:
            counts = on_grid(counts + laplace_noise(scale, counts.shape, rng, 2), scale, 2)
        return gaps_to_values(self.game, counts / self.denominators)


def gaps_to_values(game: FairnessGame, rates: np.ndarray) -> np.ndarray:
    """(..., k, R) rates -> (..., K) constraint values."""
    return game._values(game.parity.differences_for(game.n_groups)(rates))


def frozen_cells(game: FairnessGame, epsilon: np.ndarray, axes: tuple[int, ...], rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Released sizes of the cells (..., k, 2), in whole people, at least 1, and the l1 sensitivity of the release.

    With two groups one count for each label is enough: the label's total is public. A cell that no constraint asks about is not released,
    and reads NaN. Of a rate of all people, whatever their label, the groups are the cells: (..., k, 1).
    """
    sizes = game.table.sizes
    if game.n_groups == 2:
        total = sizes.sum(axis=0)
        one = on_grid(sizes[1] + laplace_noise(1 / epsilon, axes + total.shape, rng))
        one = np.clip(one, 1.0, np.maximum(total - 1, 1.0))
        return by_label(game.parity, np.stack([np.maximum(total - one, 1.0), one], axis=-2)), 1.0
    noise = laplace_noise(2 / epsilon, axes + sizes.shape, rng, 2)
    return by_label(game.parity, np.maximum(on_grid(sizes + noise), 1.0)), 2.0


def released_bound(n: float, epsilon: np.ndarray, delta: float, axes: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """N >= 0: with probability at least 1 - delta below the smallest cell n. One person's A moves n by at most 1.

    N = 0 asks nothing of the data: a rate of an empty cell, whatever in [0, 1] it is taken for, moves by at most 1 = 1/(0+1). In whole
    people: noise that is rounded to at least j is at least j - 1/2.
    """
    return np.maximum(on_grid(n + laplace_noise(1 / epsilon, axes, rng, 0)) - bound_is_below(epsilon, delta), 0.0)


def bound_is_below(epsilon: Any, delta: float) -> Any:
    """How far, but for its noise, the released bound is below the smallest cell."""
    return np.ceil(0.5 - np.log(2 * delta) / epsilon)
