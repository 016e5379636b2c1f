"""Laplace noise, its law, and how far off it makes what is released."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .mechanism import AdditiveNoise, Neighbours, Numbers, Run, exp_rest, failure_chance, noisy, orders_of, repeated, scale_of, step_epsilon
from .noise import laplace_noise

__all__ = ["laplace", "laplace_error_bound", "laplace_error_quantile", "laplace_law", "rdp_laplace"]


def laplace(value: ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator,
            size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Release ``value`` with independent Laplace noise of scale sensitivity / epsilon on every entry.

    Source: supplement, Definition 1.4 (Laplace mechanism) and Theorem 1.1 (it is epsilon-differentially private). In doubles, for study.

    Parameters
    ----------
    value : array, any shape
    sensitivity : float > 0
        The most that ``value`` changes in l1 norm between neighbouring data sets. Public.
    epsilon : float > 0
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent repeats, as leading axes; each is a release.

    Returns
    -------
    array of shape size + value.shape

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> laplace([12.0, 30.0], sensitivity=2, epsilon=1, rng=rng, size=1000).shape
    (1000, 2)
    """
    value = check.filled("value", check.array("value", value, low=-1e300, high=1e300), "number")
    scale = scale_of(sensitivity, epsilon)
    rng = check.rng(rng)
    return value + rng.laplace(0.0, scale, size=check.size(size, value.shape) + value.shape)


def laplace_law(sensitivity: float, epsilon: float, value: float = 0.0) -> Any:
    """The exact law of one released number: Laplace around ``value`` with scale sensitivity / epsilon.

    Source: supplement, Definition 1.4.

    Parameters
    ----------
    sensitivity, epsilon : float > 0
    value : float

    Returns
    -------
    frozen ``scipy.stats`` distribution (``pdf``, ``cdf``, ``ppf``, ``std``...)

    Examples
    --------
    >>> law = laplace_law(sensitivity=1, epsilon=0.5)
    >>> round(float(law.std()), 3)          # sqrt(2) times the scale 2
    2.828
    """
    from scipy import stats  # here: it takes a second

    return stats.laplace(loc=check.number("value", value), scale=scale_of(sensitivity, epsilon))


def laplace_error_bound(n_numbers: int, sensitivity: float, epsilon: float, beta: float) -> float:
    """ln(n / beta) sensitivity / epsilon: with probability at least 1 - beta none of n released numbers is further off.

    Source: supplement, Theorem 1.1 (which calls the failure probability delta).


    Parameters
    ----------
    n_numbers : int in 1..10^15
    sensitivity, epsilon : float > 0
    beta : float in [1e-200, 1)

    Examples
    --------
    >>> round(laplace_error_bound(8, sensitivity=2, epsilon=1, beta=0.05), 3)
    10.15
    """
    return math.log(check.integer("n_numbers", n_numbers, low=1, high=10**15) / failure_chance(beta)) * scale_of(sensitivity, epsilon)


def laplace_error_quantile(n_numbers: int, sensitivity: float, epsilon: float, beta: float) -> float:
    """The exact (1 - beta) quantile of the largest of n absolute Laplace errors: the sharp form of the error bound.

    Source: sharpens supplement, Theorem 1.1: independence gives P(max |W| <= t) = (1 - exp(-t/scale))^n, solved for t.

    Parameters
    ----------
    n_numbers, sensitivity, epsilon, beta : as in :func:`laplace_error_bound`

    Examples
    --------
    >>> round(laplace_error_quantile(8, sensitivity=2, epsilon=1, beta=0.05), 3)
    10.106
    """
    n, beta = check.integer("n_numbers", n_numbers, low=1, high=10**15), failure_chance(beta)
    one_fails = -math.expm1(math.log1p(-beta) / n)      # 1 - (1 - beta)^(1/n), without cancellation
    return -math.log(one_fails) * scale_of(sensitivity, epsilon)


def rdp_laplace(epsilon0: float, order: ArrayLike) -> np.ndarray:
    """The exact Renyi divergence of the Laplace mechanism with sensitivity / scale = epsilon0.

    Source: Mironov 2017, Proposition 6: with b = 2a - 1, ln((a e^((a-1) epsilon0) + (a-1) e^(-a epsilon0)) / b) / (a-1). Of a vector it is
    at most that of one coordinate that takes all of the change.

    Parameters
    ----------
    epsilon0, order : as in :func:`rdp_pure`

    Returns
    -------
    array of the shape of ``order``

    Examples
    --------
    >>> rdp_laplace(1.0, [2, 10, 1000]).round(4)
    array([0.6191, 0.9287, 0.9993])
    """
    epsilon0, order = step_epsilon(epsilon0), orders_of(order)
    b = 2 * order - 1
    large = np.maximum(epsilon0 + np.log1p((order - 1) / b * np.expm1(-b * epsilon0)) / (order - 1), 0)
    if epsilon0 > 0.9:
        return large
    a = np.minimum(order, 1 / epsilon0)     # there both terms nearly cancel, but for what they have above 1 + their exponent
    small = np.log1p((a * exp_rest((a - 1) * epsilon0) + (a - 1) * exp_rest(-a * epsilon0)) / (2 * a - 1)) / (a - 1)
    return np.where(order == a, small, large)[()]


class Laplace(AdditiveNoise):
    """Laplace noise, on a public grid; for accountants a shift of the noise by the sensitivity."""

    options = frozenset({"grid"})

    def draw(self, value: np.ndarray, numbers: Numbers, rng: np.random.Generator, shape: tuple[int, ...], grid: Any = None) -> np.ndarray:
        return noisy(value, laplace_noise(rng, shape + value.shape), numbers[1], grid)

    def divergence(self, run: Run, order: ArrayLike) -> np.ndarray:
        return rdp_laplace(run.epsilon, order)

    def losses(self, pld: Any, run: Run, how: dict) -> Any:
        return repeated(pld.from_laplace_mechanism(1 / run.epsilon, **how), run)

    def event(self, dp: Any, run: Run) -> tuple[Any, Neighbours]:
        return dp.LaplaceDpEvent(run.scale / run.sensitivity), "add or remove one"

    def of_event(self, event: Any, neighbours: Neighbours) -> dict[str, float] | None:
        if type(event).__name__ == "LaplaceDpEvent":
            return {"sensitivity": 2.0 if neighbours == "replace one" else 1.0, "scale": event.noise_multiplier}
        return None
