"""Two-sided geometric noise: whole numbers for counts."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .exact import exact_geometric
from .mechanism import AdditiveNoise, Neighbours, Numbers, Run, orders_of, repeated, sinh_slope, step_epsilon
from .noise import waits

__all__ = ["geometric", "geometric_law"]


def _decay(sensitivity: object, epsilon: object) -> float:
    """epsilon / sensitivity for whole-number queries, in a range where double precision holds."""
    sensitivity = check.integer("sensitivity", sensitivity, low=1, high=10**9, whole_float=True)      # as records hold it
    epsilon = check.epsilon(epsilon)
    if not 1e-9 <= epsilon / sensitivity <= 1e9:
        check.refuse("epsilon", epsilon, f"epsilon / sensitivity = {epsilon / sensitivity:g} lies outside [1e-9, 1e9]: "
                     "double precision does not hold there", "Choose another epsilon.")
    return epsilon / sensitivity


def failures(decay: float, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Independent whole numbers with P(at least k) = exp(-decay k), drawn as the integer part of an exponential time over ``decay``."""
    return np.floor(waits(rng, shape) / decay).astype(np.int64)


def geometric(value: ArrayLike, sensitivity: int, epsilon: float,
              rng: np.random.Generator,
              size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Release whole numbers with two-sided geometric ("discrete Laplace") noise, P(W = w) proportional to exp(-epsilon |w| / sensitivity).

    Source: the discrete form of supplement, Definition 1.4 (Ghosh, Roughgarden and Sundararajan 2012); private by Theorem 1.1. Drawn from
    doubles: below epsilon / sensitivity of about 1e-3 the far tail is off by more than 1e-3 of itself, so take :func:`exact_geometric`.

    Parameters
    ----------
    value : array of whole numbers, any shape, at most 2^53 in absolute value
    sensitivity : whole number in 1..10^9
        l1 sensitivity of all entries together.
    epsilon : float > 0
        epsilon / sensitivity within [1e-9, 1e9].
    rng, size : as in :func:`laplace`

    Returns
    -------
    int64 array of shape size + value.shape

    Examples
    --------
    >>> geometric([12, 30], sensitivity=1, epsilon=20.0, rng=np.random.default_rng(0))
    array([12, 30])
    """
    value = check.filled("value", check.whole_numbers("value", value), "number")
    decay, rng = _decay(sensitivity, epsilon), check.rng(rng)
    shape = check.size(size, value.shape) + value.shape
    return value + failures(decay, rng, shape) - failures(decay, rng, shape)


def geometric_law(sensitivity: int, epsilon: float, value: int = 0) -> Any:
    """The exact law of one released count: tanh(t/2) exp(-t |w - value|) with t = epsilon / sensitivity.

    Source: discrete form of supplement, Definition 1.4.

    Parameters
    ----------
    sensitivity : int in 1..10^9
    epsilon : float > 0
    value : int in -2^53..2^53

    Returns
    -------
    frozen ``scipy.stats`` distribution (``pmf``, ``cdf``...)

    Examples
    --------
    >>> law = geometric_law(sensitivity=1, epsilon=1.0, value=7)
    >>> law.pmf([6, 7, 8]).round(3)
    array([0.17 , 0.462, 0.17 ])
    """
    decay = _decay(sensitivity, epsilon)
    from scipy import stats  # here: it takes a second

    return stats.dlaplace(decay, loc=check.integer("value", value, low=-2**53, high=2**53))


def geometric_variance(sensitivity: float, epsilon: float) -> float:
    """Variance of two-sided geometric noise."""
    decay = math.exp(-epsilon / sensitivity)
    return 2 * decay / (1 - decay) ** 2


def rdp_geometric(epsilon0: float, order: ArrayLike, sensitivity: int = 1) -> np.ndarray:
    """The exact Renyi divergence of two-sided geometric noise at this l1 sensitivity, a whole number: between Laplace's and the worst."""
    epsilon0, order = step_epsilon(epsilon0), orders_of(order)
    n = check.integer("sensitivity", sensitivity, low=1, high=10**9)
    t = epsilon0 / n
    if t < 1e-9:
        check.refuse("sensitivity", n, f"epsilon0 / sensitivity = {t:g} is below 1e-9", "Take rdp_laplace, which is its limit.")
    step = (2 * order - 1) * t                   # the terms of the sum fall by exp(-step)
    between = -math.expm1(-t) * np.exp(-step) * np.expm1(-(n - 1) * step) / np.expm1(-step)
    total = np.exp(-n * step) + between
    large = np.maximum(epsilon0 + (np.log1p(total) - math.log1p(math.exp(-t))) / (order - 1), 0)
    if epsilon0 > 0.9:
        return large
    a = np.minimum(order, (1 / epsilon0 + 1) / 2)
    return np.where(order == a, _small_divergence(epsilon0, a, n), large)[()]


def _small_divergence(epsilon0: float, a: np.ndarray, n: int) -> np.ndarray:
    """:func:`rdp_geometric` where (2a - 1) epsilon0 <= 1, to all its digits: as a sum of differences of cosh, which are products."""
    t, b = epsilon0 / n, 2 * a - 1
    growth = 4 * a * (a - 1) * t**2 * ((n - 1)**2 * sinh_slope(b * t * (n - 1), t * (n - 1)) - sinh_slope(b * t, t))
    between = math.sinh(t * (n - 1) / 2) / math.sinh(t / 2) * np.expm1(growth)
    more = 4 * np.sinh(a * epsilon0 / 2) * np.sinh((a - 1) * epsilon0 / 2) - math.expm1(-t) * between
    return np.log1p(more / (math.exp(epsilon0 / 2) * (1 + math.exp(-t)))) / (a - 1)


class Geometric(AdditiveNoise):
    """Two-sided geometric noise; for accountants a shift of the noise by the sensitivity, in whole steps."""

    options = frozenset({"exact"})

    def draw(self, value: np.ndarray, numbers: Numbers, rng: np.random.Generator, shape: tuple[int, ...], exact: bool = False
             ) -> np.ndarray:
        sensitivity, scale, epsilon = numbers
        value, sensitivity = check.whole_numbers("value", value), check.integer("sensitivity", sensitivity, low=1, whole_float=True)
        draw, epsilon = exact_geometric if exact else geometric, sensitivity / scale if epsilon is None else epsilon
        return draw(value, sensitivity, epsilon, rng, shape)

    def numbers(self, mechanism: str, sensitivity: Any, scale: Any, epsilon: Any) -> Numbers:
        if sensitivity is not None:
            check.integer("sensitivity", sensitivity, low=1, whole_float=True)
        return super().numbers(mechanism, sensitivity, scale, epsilon)

    def divergence(self, run: Run, order: ArrayLike) -> np.ndarray:
        n = run.sensitivity
        if n <= 1e9 and run.epsilon >= 1e-9 * n:        # else the worst of its epsilon
            return rdp_geometric(run.epsilon, order, int(n))
        return super().divergence(run, order)

    def losses(self, pld: Any, run: Run, how: dict) -> Any:
        n = run.sensitivity
        if n <= 1000:                                   # the pair of laws is listed
            return repeated(pld.from_discrete_laplace_mechanism(run.epsilon / n, int(n), **how), run)
        return super().losses(pld, run, how)

    def event(self, dp: Any, run: Run) -> tuple[Any, Neighbours]:
        return dp.dp_event.DiscreteLaplaceDpEvent(1 / run.scale, int(run.sensitivity)), "add or remove one"

    def of_event(self, event: Any, neighbours: Neighbours) -> dict[str, float] | None:
        if type(event).__name__ == "DiscreteLaplaceDpEvent":
            return {"sensitivity": event.sensitivity * (2 if neighbours == "replace one" else 1), "scale": 1 / event.noise_parameter}
        return None
