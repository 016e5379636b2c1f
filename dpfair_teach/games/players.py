"""The two private players of Algorithm 5, one pair for each way to scale their noise. Many games at once; no checks: the loop made them.

A learner answers w = lambda_+ - lambda_-, a price for each gap, with a classifier; an auditor measures the constraints of a classifier.
Each has the privacy ``step``. ``selection`` and ``measurement`` say with which mechanism and sensitivity.
"""
from __future__ import annotations

import numpy as np

from .game import FairnessGame, labels_of, public_prices
from .sensitivity import lemma_3_1

__all__: list[str] = []     # dp_oracle_learner plays them

_BLOCK = 2**24


def asked(game: FairnessGame) -> list[int]:
    """The labels whose rates are compared."""
    return labels_of(game.constraints)


def smallest_asked(game: FairnessGame) -> float:
    """People in the smallest cell that a constraint asks about."""
    return float(game.n[:, asked(game)].min())


def laplace_noise(scale: np.ndarray | float, shape: tuple[int, ...], rng: np.random.Generator, inner: int = 1) -> np.ndarray:
    """Laplace noise; ``scale`` broadcasts with all axes of ``shape`` but the ``inner`` last."""
    scale = np.asarray(scale, dtype=float)
    return rng.laplace(size=shape) * scale.reshape(scale.shape + (1,) * inner)


def on_grid(value: np.ndarray, scale: np.ndarray | float | None = None, inner: int = 1) -> np.ndarray:
    """Noisy numbers, to the nearest multiple of a public step: a power of two, about a thousandth of ``scale``; without one, 1.

    A private number plus noise in doubles has low digits that only some private numbers can lead to: who sees them all may know the number
    for certain. Multiples of the same step can come out whatever the number is. Rounding is post-processing and costs no epsilon.
    ``scale``, the noise's, broadcasts as in :func:`laplace_noise`.

    What is left: the probability of each multiple is made from doubles, right to about 2^-53; so a multiple that is to come out
    about so seldom, more than 28 scales away (all of these together, less than once in 10^12), may be missing.
    """
    if scale is None:
        return np.rint(value)
    step = np.ldexp(1.0, np.frexp(scale)[1] - 11)      # 2^floor(log2(scale)) / 1024
    step = step.reshape(step.shape + (1,) * inner)
    return np.rint(value / step) * step


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
    """Sensitivities from a public N: no cell of either neighbour holds fewer people."""

    selection, measurement = ("exponential", 1.0), None     # of the loss divided by its public sensitivity in the round

    def __init__(self, game: FairnessGame, step: np.ndarray, N: np.ndarray | float, protect: str):
        self.game, self.step, self.N, self.protect = game, step, np.asarray(N, dtype=float), protect
        self.measurement, self.errors = ("laplace", 2 / (self.N + 1)), excess_errors(game)

    def sensitivity(self, w: np.ndarray) -> np.ndarray:
        """The most that one classifier's loss moves at these prices."""
        size = np.sort(np.abs(public_prices(self.game, w)), axis=-2)
        moves = (size[..., -1, :] + size[..., -2, :]).max(axis=-1) / (self.N + 1)
        if self.protect == "A":
            return moves
        return np.maximum(moves, size[..., -1, :].max(axis=-1) / np.maximum(self.N, 1.0)) + 1 / self.game.m

    def answer(self, w, rng):
        return select(self.errors + w @ self.game.gaps.T, 2 * self.sensitivity(w) / self.step, rng)

    def measure(self, h, rng):
        scale = self.measurement[1] / self.step
        if self.game.n_groups == 2:     # the gap itself: one number for each label, where rates would be two
            gaps = self.game.gaps[h]
            return self.game._values(on_grid(gaps + laplace_noise(scale, gaps.shape, rng), scale))
        rates = self.game.rates[h][..., asked(self.game)]
        return gaps_to_values(self.game, on_grid(rates + laplace_noise(scale, rates.shape, rng, 2), scale, 2))


class FrozenCounts:
    """Rates over denominators that were released once: then counts are measured, whose sensitivity everybody knows."""

    def __init__(self, game: FairnessGame, step: np.ndarray, denominators: np.ndarray, protect: str):
        self.game, self.step, self.protect = game, step, protect
        self.denominators = np.where(np.isnan(denominators), 1.0, denominators)     # where no constraint asks, nothing has a price
        self.margins = game.n_groups == 2 and protect == "A"        # then one count of two is known from the other
        self.selection = ("exponential", 0.5 if protect == "A" else 1.0)
        self.measurement, self.errors = ("laplace", 1.0 if self.margins else 2.0), excess_errors(game)

    def spread(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The price of accepting one person, (..., k, 2), and over how wide a range one person can move all losses."""
        price = public_prices(self.game, w) / self.denominators
        if self.protect == "A":
            return price, np.ptp(price, axis=-2).max(axis=-1)
        return price, 2 * np.abs(price + np.array([1.0, -1.0]) / self.game.m).max(axis=(-2, -1))

    def answer(self, w, rng):
        price, spread = self.spread(w)
        counts = self.game.n_pos.reshape(self.game.n_classifiers, -1)
        return select(self.errors + price.reshape(price.shape[:-2] + (-1,)) @ counts.T, spread / self.step, rng)

    def measure(self, h, rng):
        labels, scale = asked(self.game), self.measurement[1] / self.step
        counts = self.game.n_pos[h][..., labels]
        if self.margins:
            total = self.game._accepted[h][..., labels]
            one = on_grid(counts[..., 1, :] + laplace_noise(scale, total.shape, rng), scale)
            counts = np.stack([total - one, one], axis=-2)
        else:
            counts = on_grid(counts + laplace_noise(scale, counts.shape, rng, 2), scale, 2)
        return gaps_to_values(self.game, counts / self.denominators[..., labels])


def gaps_to_values(game: FairnessGame, rates: np.ndarray) -> np.ndarray:
    """(..., k, labels) rates -> (..., K) constraint values."""
    gaps = rates[..., 1:, :] - rates[..., :1, :]
    return game._values(gaps.reshape(gaps.shape[:-2] + (-1,)))


def frozen_cells(game: FairnessGame, epsilon: np.ndarray, axes: tuple[int, ...], rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Released sizes of the cells (..., k, 2), in whole people, at least 1, and the l1 sensitivity of the release.

    With two groups one count for each label is enough: the label's total is public. A cell that no constraint asks about is not released,
    and reads NaN.
    """
    labels, noisy = asked(game), np.full(axes + game.n.shape, np.nan)
    if game.n_groups == 2:
        total = game.n.sum(axis=0)[labels]
        one = on_grid(game.n[1, labels] + laplace_noise(1 / epsilon, axes + (len(labels),), rng))
        one = np.clip(one, 1.0, np.maximum(total - 1, 1.0))
        noisy[..., 1, labels], noisy[..., 0, labels] = one, np.maximum(total - one, 1.0)
        return noisy, 1.0
    noise = laplace_noise(2 / epsilon, axes + (game.n_groups, len(labels)), rng, 2)
    noisy[..., labels] = np.maximum(on_grid(game.n[:, labels] + noise), 1.0)
    return noisy, 2.0


def released_bound(n: float, epsilon: np.ndarray, delta: float, axes: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """N >= 0: with probability at least 1 - delta below the smallest cell n. One person's A moves n by at most 1.

    N = 0 asks nothing of the data: a rate of an empty cell, whatever in [0, 1] it is taken for, moves by at most 1 = 1/(0+1). In whole
    people: noise that is rounded to at least j is at least j - 1/2.
    """
    return np.maximum(on_grid(n + laplace_noise(1 / epsilon, axes, rng, 0)) - np.ceil(0.5 - np.log(2 * delta) / epsilon), 0.0)
