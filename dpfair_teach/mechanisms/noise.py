"""Standard noise in doubles with tails as long as their laws': numpy's generators all end, at 12 to 44 scales, and there two worlds part.

Each draws numpy's own numbers. What lies beyond a point that hardly any number reaches goes on from there, by the law's own tail, as often
as it takes. So every chance, however small, is right to a small share of itself (proofs: chapters 11 and 18).
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__: list[str] = []     # the room's mechanisms draw by these

Shape = tuple[int, ...]
#: In scales: the points from which noise goes on. Up to there half a step of the scale's own grid has a chance right to 1/1000 of itself.
FAR_WAIT, FAR_LAPLACE, FAR_NORMAL, FAR_GUMBEL = 28.0, 20.0, 8.0, 25.0


def drawn_on(noise: np.ndarray, far: float, excess: Callable[[int], np.ndarray]) -> np.ndarray:
    """Noise beyond ``far``, on either side, becomes far and an excess, of which so many are drawn."""
    if np.abs(noise).max(initial=0.0) <= far:
        return noise
    beyond = np.abs(noise) > far
    noise[beyond] = np.copysign(far + excess(int(beyond.sum())), noise[beyond])
    return noise


def waits(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Exponential times: who has waited long waits another time."""
    return drawn_on(rng.standard_exponential(shape), FAR_WAIT, lambda n: waits(rng, (n,)))


def laplace_noise(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Laplace noise: beyond any point it is exponential."""
    return drawn_on(rng.laplace(size=shape), FAR_LAPLACE, lambda n: waits(rng, (n,)))


def gumbel_noise(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Gumbel noise, which has a tail on one side: far out it is exponential to e^-25 of itself."""
    return drawn_on(rng.gumbel(size=shape), FAR_GUMBEL, lambda n: waits(rng, (n,)))


def normal_noise(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Normal noise. Source of the tail: Marsaglia 1964: an exponential excess x is kept with probability exp(-x^2 / 2)."""
    def excess(n: int) -> np.ndarray:
        return kept(n, rng, lambda n: waits(rng, (n,)) / FAR_NORMAL, lambda x: x * x / 2)
    return drawn_on(rng.standard_normal(shape), FAR_NORMAL, excess)


def kept(n: int, rng: np.random.Generator, draw: Callable[[int], np.ndarray], cost: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """n draws, each kept with probability exp(-cost)."""
    found = draw(n)
    again = np.flatnonzero(waits(rng, (n,)) <= cost(found))
    if len(again):
        found[again] = kept(len(again), rng, draw, cost)
    return found
