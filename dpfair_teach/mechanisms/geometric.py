"""Two-sided geometric noise: whole numbers for counts."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from .. import _checks as check

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
    """Independent whole numbers with P(at least k) = exp(-decay k), drawn as the integer part of an exponential time over ``decay``.

    One draw of the generator has 53 bits, so no time above about 40 would ever come. Waiting has no memory: whoever has waited 30 has a
    fresh exponential time before him. Drawing that one again makes the tail as long as the law's, and large epsilons safe.
    """
    times = np.atleast_1d(rng.standard_exponential(shape)).ravel()
    still, waited = np.flatnonzero(times > 30), 30.0
    while len(still):
        fresh = rng.standard_exponential(len(still))
        times[still] = waited + fresh
        still, waited = still[fresh > 30], waited + 30.0
    return np.floor(times / decay).astype(np.int64).reshape(shape)


def geometric(value: ArrayLike, sensitivity: int, epsilon: float, rng: np.random.Generator,
              size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Release whole numbers with two-sided geometric ("discrete Laplace") noise, P(W = w) proportional to exp(-epsilon |w| / sensitivity).

    Source: the discrete form of supplement, Definition 1.4 (Ghosh, Roughgarden and Sundararajan 2012). The ratio of
    P(W = w) to P(W = w + 1) is at most exp(epsilon / sensitivity), so the proof of Theorem 1.1 holds word for word.
    Drawn as the difference of two independent geometric variables, whose law is exactly this one.

    Parameters
    ----------
    value : array of whole numbers, any shape, at most 2^53 in absolute value
    sensitivity : whole number >= 1
        l1 sensitivity of all entries together.
    epsilon : float > 0
        epsilon / sensitivity within [1e-9, 1e9].
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.

    Returns
    -------
    int64 array of shape size + value.shape

    Raises
    ------
    ValueError
        ``value`` empty or not whole; ``sensitivity`` not a whole number >= 1; ``epsilon / sensitivity`` outside [1e-9, 1e9].

    Notes
    -----
    Each chance is right to about 2^-53, but privacy is about ratios. The generator's exponential times lie on a grid that widens along the
    tail, to about 1e-6 before a fresh one is drawn, and a whole number is an interval of length epsilon / sensitivity of such times: in
    the far tail its chance has a relative error up to about 1e-6 sensitivity / epsilon. So below epsilon / sensitivity of about 1e-3 the
    guarantee is one for the ideal law, not for these draws.

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
    sensitivity : int >= 1
    epsilon : float > 0
    value : int
        What is released, the centre.

    Returns
    -------
    frozen ``scipy.stats`` distribution (``pmf``, ``cdf``...)

    Raises
    ------
    ValueError
        ``sensitivity`` or ``value`` not a whole number, ``epsilon / sensitivity`` outside [1e-9, 1e9].

    Examples
    --------
    >>> law = geometric_law(sensitivity=1, epsilon=1.0, value=7)
    >>> law.pmf([6, 7, 8]).round(3)
    array([0.17 , 0.462, 0.17 ])
    """
    decay = _decay(sensitivity, epsilon)
    return stats.dlaplace(decay, loc=check.integer("value", value, low=-2**53, high=2**53))
