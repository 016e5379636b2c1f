"""The extended Gaussian mechanism: enough noise for every epsilon, and more than needed."""
from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["extended_gaussian", "gaussian_sigma_extended"]


def gaussian_sigma_extended(sensitivity: float, epsilon: float, delta: float) -> float:
    """sensitivity (sqrt(s) + sqrt(s + epsilon)) / (sqrt(2) epsilon), s = ln(sqrt(2/pi) / delta): private for every epsilon, and loose.

    Source: Theorem 2 (Ding et al. 2020; from Phan et al. 2019, whose text is not among our sources). The root covers 2/pi alone: over
    delta, too, the noise would be too small, by gap D9. :func:`mechanisms.gaussian_sigma` is the exact calibration.

    Why it is enough: with v = epsilon sigma / sensitivity - sensitivity / (2 sigma) the exact delta is below Q(v), the normal tail, and
    this sigma makes v = sqrt(2 s). For v >= 0, Q(v) <= e^(-v^2/2) / 2 = delta sqrt(pi/8), at most 0.63 of delta.

    Parameters
    ----------
    sensitivity : float in [1e-200, 1e200]
        l2.
    epsilon : float in [1e-9, 1e6]
    delta : float in [1e-100, 0.797]
        Above sqrt(2/pi) the formula has no value.

    Returns
    -------
    float, in the units of ``sensitivity``

    Raises
    ------
    ValueError
        A number outside its range.

    Examples
    --------
    >>> from dpfair_teach.mechanisms import gaussian_sigma
    >>> [round(gaussian_sigma_extended(1, e, 1e-5) / gaussian_sigma(1, e, 1e-5), 2) for e in (.01, 1, 10)]
    [1.95, 1.3, 1.13]
    """
    sensitivity = check.number("sensitivity", sensitivity, low=1e-200, high=1e200)
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e6)
    s = math.log(math.sqrt(2 / math.pi) / check.number("delta", check.delta(delta), low=1e-100, high=0.797))
    return sensitivity * (math.sqrt(s) + math.sqrt(s + epsilon)) / (math.sqrt(2) * epsilon)


def extended_gaussian(value: ArrayLike, sensitivity: float, epsilon: float, delta: float, rng: np.random.Generator) -> np.ndarray:
    """Release ``value`` with Gaussian noise of :func:`gaussian_sigma_extended`: (epsilon, delta)-private, with more noise than needed.

    Source: Theorem 2 (Ding et al. 2020). Drawn in doubles, see :mod:`dpfair_teach.mechanisms`.

    Parameters
    ----------
    value : array, any shape
    sensitivity : float in [1e-200, 1e200]
        l2, public.
    epsilon : float in [1e-9, 1e6]
    delta : float in [1e-100, 0.797]
    rng : numpy.random.Generator

    Returns
    -------
    array of the shape of ``value``

    Raises
    ------
    ValueError
        A number outside its range; a value that is not finite.

    Examples
    --------
    >>> extended_gaussian([0.0, 0.0], 1.0, 1.0, 1e-5, np.random.default_rng(0)).round(2)
    array([ 0.61, -0.64])
    """
    value = check.filled("value", check.array("value", value, low=-1e300, high=1e300), "number")
    sigma = gaussian_sigma_extended(sensitivity, epsilon, delta)
    return value + check.rng(rng).normal(0.0, sigma, size=value.shape)
