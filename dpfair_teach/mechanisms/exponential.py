"""The exponential mechanism: choosing the index of a small loss, by two ways to draw, with its law and the loss that it costs."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .mechanism import Mechanism, Numbers, Run, failure_chance, orders_of, scale_of, sinh_slope, step_epsilon
from .noise import gumbel_noise

__all__ = [
    "exponential", "exponential_by_gumbel", "exponential_error_bound", "exponential_probabilities",
    "rdp_exponential",
]


_BLOCK = 2**24      # losses that get their noise at a time


def _losses(loss: object) -> np.ndarray:
    loss = check.array("loss", loss)
    if loss.ndim == 0:
        check.refuse("loss", float(loss), "is a single number", "Give one loss for each choice: shape (H,) or (..., H).")
    return check.filled("loss", loss, "loss")


def _scores(loss: object, sensitivity: object, epsilon: object) -> np.ndarray:
    """-epsilon (loss - best) / (2 sensitivity), at most 0; -inf, which never wins, where a loss is infinitely far above the best."""
    loss = _losses(loss)
    with np.errstate(over="ignore"):
        return -((loss - loss.min(axis=-1, keepdims=True)) / (2 * scale_of(sensitivity, epsilon)))


def exponential_probabilities(loss: ArrayLike, sensitivity: float, epsilon: float) -> np.ndarray:
    """The exact law of the exponential mechanism: probability proportional to exp(-epsilon loss / (2 sensitivity)).

    Source: supplement, Definition 1.5 and Theorem 1.2 (epsilon-differentially private).

    Parameters
    ----------
    loss : array (..., H)
        One loss for each of H choices; smaller is better. Leading axes are independent selections.
    sensitivity : float > 0
        The most that one loss changes between neighbouring data sets. Public.
    epsilon : float > 0

    Returns
    -------
    array (..., H), each row summing to 1

    Examples
    --------
    >>> exponential_probabilities([0.0, 1.0, 2.0], sensitivity=1, epsilon=2.0).round(3)
    array([0.665, 0.245, 0.09 ])
    """
    weights = np.exp(_scores(loss, sensitivity, epsilon))
    return weights / weights.sum(axis=-1, keepdims=True)


def exponential(loss: ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator,
                size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Choose the index of a small loss privately: the exponential mechanism.

    Source: supplement, Definition 1.5. Drawn by inverting the exact distribution function of :func:`exponential_probabilities`, in doubles:
    of H choices, a delta below H (1 + exp(epsilon)) 2^-52 is no promise that they keep.

    Parameters
    ----------
    loss, sensitivity, epsilon : as in :func:`exponential_probabilities`
    rng, size : as in :func:`laplace`

    Returns
    -------
    int array of shape size + loss.shape[:-1], entries in 0..H-1

    Examples
    --------
    >>> exponential([[0.0, 1.0], [1.0, 0.0]], sensitivity=1, epsilon=200.0, rng=np.random.default_rng(0))
    array([0, 1])
    """
    below = np.cumsum(exponential_probabilities(loss, sensitivity, epsilon), axis=-1)
    below /= below[..., -1:]  # rounding must not leave room above the last choice
    rng = check.rng(rng)
    if below.ndim == 1:
        return np.searchsorted(below, rng.random(check.size(size)), side="right")
    u = rng.random(check.size(size, below.shape) + below.shape[:-1])    # below.shape: the next line compares with every choice
    return (u[..., None] >= below).sum(axis=-1)


def exponential_by_gumbel(
    loss: ArrayLike, sensitivity: float, epsilon: float,
    rng: np.random.Generator, size: int | tuple[int, ...] | None = None,
) -> np.ndarray:
    """The exponential mechanism as "report noisy max": add Gumbel noise to every score and name the largest.

    Source: supplement, Definition 1.5, by the Gumbel trick: the index has exactly the law of :func:`exponential_probabilities`. Only it may
    be shown: the noisy scores are another release.

    Parameters
    ----------
    loss, sensitivity, epsilon, rng, size : as in :func:`exponential`

    Returns
    -------
    int array of shape size + loss.shape[:-1], entries in 0..H-1

    Examples
    --------
    >>> exponential_by_gumbel([[0.0, 1.0], [1.0, 0.0]], sensitivity=1, epsilon=200.0, rng=np.random.default_rng(0))
    array([0, 1])
    """
    score = _scores(loss, sensitivity, epsilon)
    rng = check.rng(rng)
    shape = check.size(size, score.shape) + score.shape
    return np.argmax(score + rng.gumbel(size=shape), axis=-1)


def exponential_error_bound(n_choices: int, sensitivity: float, epsilon: float, beta: float) -> float:
    """ln(H / beta) 2 sensitivity / epsilon: with probability at least 1 - beta the chosen loss exceeds the best by no more.

    Source: supplement, Theorem 1.2.

    Parameters
    ----------
    n_choices : int in 1..10^15
    sensitivity, epsilon : float > 0
    beta : float in [1e-200, 1)

    Examples
    --------
    >>> round(exponential_error_bound(100, sensitivity=1, epsilon=1, beta=0.05), 3)
    15.202
    """
    return math.log(check.integer("n_choices", n_choices, low=1, high=10**15) / failure_chance(beta)) * 2 * scale_of(sensitivity, epsilon)


def rdp_exponential(epsilon0: float, order: ArrayLike) -> np.ndarray:
    """The most that the Renyi divergence of the exponential mechanism can be, from the range of its loss. About a quarter of ``rdp_pure``.

    Source: the exponential mechanism of supplement, Definition 1.5, has bounded range (Durfee and Rogers 2019): on two neighbours all its
    losses lie within an interval of length epsilon0. By convexity the divergence is largest when they sit on both ends, at the worst place.

    Parameters
    ----------
    epsilon0, order : as in :func:`rdp_pure`

    Returns
    -------
    array of the shape of ``order``; at most about a epsilon0^2 / 8

    Examples
    --------
    >>> rdp_exponential(1.0, [2, 10, 1000]).round(4)
    array([0.2402, 0.6898, 0.9925])
    """
    epsilon0, order = step_epsilon(epsilon0), orders_of(order)
    ends = np.log(-np.expm1(-order * epsilon0))
    t = epsilon0 + np.log1p(-1 / order) + ends - np.log(-np.expm1(-(order - 1) * epsilon0))
    large = np.maximum(t + (ends - np.log(order) - math.log(-math.expm1(-epsilon0))) / (order - 1), 0)
    if epsilon0 > 0.9:
        return large
    a = np.minimum(order, 1 / epsilon0)
    small = (2 * a - 1) * sinh_slope(a * epsilon0, (a - 1) * epsilon0) + (a + 1) * sinh_slope(a * epsilon0, epsilon0)
    return np.where(order == a, epsilon0**2 * small, large)[()]


class Exponential(Mechanism):
    """A choice of a small loss. For accountants one of bounded range, whose epsilon is its own; with a sensitivity it has a scale, 2
    sensitivity / epsilon."""

    inner = 1
    needs = ("sensitivity", "epsilon")

    def draw(self, value: np.ndarray, numbers: Numbers, rng: np.random.Generator, shape: tuple[int, ...], *args: Any, **options: Any
             ) -> np.ndarray:
        sensitivity, _, epsilon = numbers
        loss = np.broadcast_to(value, shape + value.shape)
        scales = np.broadcast_to(2 * np.asarray(sensitivity) / epsilon, loss.shape[:-1]).ravel()
        flat = loss.reshape(-1, loss.shape[-1])
        rows = max(1, _BLOCK // flat.shape[1])
        drawn = [(flat[i:i + rows] - scales[i:i + rows, None] * gumbel_noise(rng, flat[i:i + rows].shape)).argmin(axis=1)
                 for i in range(0, len(flat), rows)]
        return np.concatenate(drawn).reshape(loss.shape[:-1])

    def worst_pair(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array([0.0, 2.0]), np.array([0.0, 4.0])     # a choice that is seldom made, and more seldom

    def distance(self, value: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Half of what two losses move apart: what all move by changes no choice."""
        return np.ptp(value - other, axis=-1).sum(axis=-1) / 2

    def numbers(self, mechanism: str, sensitivity: Any, scale: Any, epsilon: Any) -> Numbers:
        if epsilon is None:
            if scale is None or sensitivity is None:
                check.refuse("epsilon", None, "a record of the exponential mechanism with neither epsilon nor sensitivity and scale says "
                             "nothing of its privacy", "Give the epsilon that it was run at.")
            epsilon = 2 * sensitivity / scale
        if scale is not None and sensitivity is None:
            check.refuse("sensitivity", None, "a scale without it says nothing", "Give the sensitivity, or epsilon alone.")
        if scale is not None and not math.isclose(scale, 2 * sensitivity / epsilon, rel_tol=1e-9):
            check.refuse("scale", scale, f"sensitivity {sensitivity:g} and epsilon {epsilon:g} ask for {2 * sensitivity / epsilon:g}",
                         "Leave the scale out: it is derived.")
        return sensitivity, None if sensitivity is None else 2 * sensitivity / epsilon, epsilon

    def divergence(self, run: Run, order: ArrayLike) -> np.ndarray:
        return rdp_exponential(run.epsilon, order)
