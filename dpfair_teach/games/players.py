"""The two private players of Algorithm 5, one pair for each way to scale their noise. Many games at once; no checks: the loop made them.

A learner answers w = lambda_+ - lambda_-, a price for each gap, with a classifier; an auditor measures the constraints of a classifier.
Each has the privacy ``step``. ``selection`` and ``measurement`` say with which mechanism and sensitivity.
"""
from __future__ import annotations

import numpy as np

from .game import FairnessGame
from .sensitivity import lemma_3_1, public_prices

__all__: list[str] = []     # dp_oracle_learner plays them

_BLOCK = 2**24


def asked(game: FairnessGame) -> list[int]:
    """The labels whose rates are compared."""
    return [{"FP": 0, "TP": 1}[name] for name in game.constraints]


def smallest_asked(game: FairnessGame) -> float:
    """People in the smallest cell that a constraint asks about."""
    return float(game.n[:, asked(game)].min())


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
    """Sensitivities from a public N: no cell of either neighbour holds fewer people."""

    selection, measurement = ("exponential", 1.0), None     # of the loss divided by its public sensitivity in the round

    def __init__(self, game: FairnessGame, step: np.ndarray, N: np.ndarray | float, protect: str):
        self.game, self.step, self.N, self.protect = game, step, np.asarray(N, dtype=float), protect
        self.measurement = ("laplace", 2 / (self.N + 1))

    def sensitivity(self, w: np.ndarray) -> np.ndarray:
        """The most that one classifier's loss moves at these prices."""
        size = np.sort(np.abs(public_prices(self.game, w)), axis=-2)
        moves = (size[..., -1, :] + size[..., -2, :]).max(axis=-1) / (self.N + 1)
        if self.protect == "A":
            return moves
        return np.maximum(moves, size[..., -1, :].max(axis=-1) / np.maximum(self.N, 1.0)) + 1 / self.game.m

    def answer(self, w, rng):
        return select(self.game.errors + w @ self.game.gaps.T, 2 * self.sensitivity(w) / self.step, rng)

    def measure(self, h, rng):
        if self.game.n_groups == 2:     # the gap itself: one number for each label, where rates would be two
            gaps = self.game.gaps[h]
            return self.game._values(gaps + laplace_noise(self.measurement[1] / self.step, gaps.shape, rng))
        rates = self.game.rates[h][..., asked(self.game)]
        return gaps_to_values(self.game, rates + laplace_noise(self.measurement[1] / self.step, rates.shape, rng, 2))


class FrozenCounts:
    """Rates over denominators that were released once: then counts are measured, whose sensitivity everybody knows."""

    def __init__(self, game: FairnessGame, step: np.ndarray, denominators: np.ndarray, protect: str):
        self.game, self.step, self.denominators, self.protect = game, step, denominators, protect
        self.margins = game.n_groups == 2 and protect == "A"        # then one count of two is known from the other
        self.selection = ("exponential", 0.5 if protect == "A" else 1.0)
        self.measurement = ("laplace", 1.0 if self.margins else 2.0)

    def spread(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The price of accepting one person, (..., k, 2), and over how wide a range one person can move all losses."""
        price = public_prices(self.game, w) / self.denominators
        if self.protect == "A":
            return price, np.ptp(price, axis=-2).max(axis=-1)
        return price, 2 * np.abs(price + np.array([1.0, -1.0]) / self.game.m).max(axis=(-2, -1))

    def answer(self, w, rng):
        price, spread = self.spread(w)
        counts = self.game.n_pos.reshape(self.game.n_classifiers, -1)
        return select(self.game.errors + price.reshape(price.shape[:-2] + (-1,)) @ counts.T, spread / self.step, rng)

    def measure(self, h, rng):
        labels = asked(self.game)
        counts = self.game.n_pos[h][..., labels]
        if self.margins:
            total = counts.sum(axis=-2)
            one = counts[..., 1, :] + laplace_noise(self.measurement[1] / self.step, total.shape, rng)
            counts = np.stack([total - one, one], axis=-2)
        else:
            counts = counts + laplace_noise(self.measurement[1] / self.step, counts.shape, rng, 2)
        return gaps_to_values(self.game, counts / self.denominators[..., labels])


def gaps_to_values(game: FairnessGame, rates: np.ndarray) -> np.ndarray:
    """(..., k, labels) rates -> (..., K) constraint values."""
    gaps = rates[..., 1:, :] - rates[..., :1, :]
    return game._values(gaps.reshape(gaps.shape[:-2] + (-1,)))


def frozen_cells(game: FairnessGame, epsilon: np.ndarray, axes: tuple[int, ...], rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Released sizes of the cells (..., k, 2), at least 1, and the l1 sensitivity of the release.

    With two groups one count for each label is enough: the label's total is public. A cell that no constraint asks about reads 1.
    """
    labels, noisy = asked(game), np.ones(axes + game.n.shape)
    if game.n_groups == 2:
        total = game.n.sum(axis=0)[labels]
        one = game.n[1, labels] + laplace_noise(1 / epsilon, axes + (len(labels),), rng)
        one = np.clip(one, 1.0, np.maximum(total - 1, 1.0))
        noisy[..., 1, labels], noisy[..., 0, labels] = one, np.maximum(total - one, 1.0)
        return noisy, 1.0
    noisy[..., labels] = np.maximum(game.n[:, labels] + laplace_noise(2 / epsilon, axes + (game.n_groups, len(labels)), rng, 2), 1.0)
    return noisy, 2.0


def released_bound(n: float, epsilon: np.ndarray, delta: float, axes: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """N >= 0: with probability at least 1 - delta below the smallest cell n. One person's A moves n by at most 1.

    N = 0 asks nothing of the data: a rate of an empty cell, whatever in [0, 1] it is taken for, moves by at most 1 = 1/(0+1).
    """
    return np.maximum(n + laplace_noise(1 / epsilon, axes, rng, 0) + np.log(2 * delta) / epsilon - 1, 0.0)
