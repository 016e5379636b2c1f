"""Noise whose density falls with the length of a vector: epsilon-private for what is bounded in l2."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _checks as check
from .grid import rounded
from .mechanism import Noise, Numbers

__all__ = ["l2_noise"]


def l2_noise(d: int, scale: float, rng: np.random.Generator, size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Noise in d dimensions with density proportional to exp(-||z||_2 / scale): a Gamma(d) length in a uniform direction.

    Source: the K-norm mechanism of Hardt and Talwar 2010 for the l2 ball; for a query of l2 sensitivity scale * epsilon it is
    epsilon-private by the triangle inequality, as Laplace noise is for l1. The length has density proportional to
    r^(d-1) exp(-r / scale), because the sphere of radius r has an area proportional to r^(d-1).

    Parameters
    ----------
    d : int in 1..100,000
    scale : float in [1e-300, 1e300]
        Sensitivity over epsilon.
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.

    Returns
    -------
    array of shape size + (d,); each coordinate has variance (d + 1) scale^2

    Examples
    --------
    >>> noise = l2_noise(3, 2.0, np.random.default_rng(0), size=20_000)
    >>> noise.shape, bool(abs(noise.var() / (4 * 4.0) - 1) < .05)
    ((20000, 3), True)
    """
    d = check.integer("d", d, low=1, high=100_000)
    scale = check.number("scale", scale, low=1e-300, high=1e300)
    rng, shape = check.rng(rng), check.size(size, (d,))
    direction = rng.standard_normal((*shape, d))
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    return direction * rng.gamma(d, scale, size=(*shape, 1))


class L2Norm(Noise):
    """Such noise, on a public grid, for each row of a value by itself: one person moves one row. For accountants its epsilon's worst."""

    options = frozenset({"grid"})

    def draw(self, value: np.ndarray, numbers: Numbers, rng: np.random.Generator, shape: tuple[int, ...], **options: Any) -> np.ndarray:
        noise = l2_noise(value.shape[-1], numbers[1], rng, shape + value.shape[:-1])
        return rounded(value + noise, numbers[1], options.get("grid"))

    def distance(self, value: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.linalg.norm(value - other, axis=-1)
