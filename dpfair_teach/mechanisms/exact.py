"""Noise without floating point: whole numbers only, from random bits, with exactly the chances that the privacy proof is about.

Here epsilon is a fraction, every coin is a comparison of a random integer with another, and exp(-x) is never computed. Slow (tens of
microseconds a number). What is left to trust: that nobody predicts numpy's bits (take ``numpy.random.default_rng()``), nor times a draw.
"""
from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["exact_geometric"]


def as_fraction(name: str, value: Any, *, low: float, high: float) -> Fraction:
    """A number in [low, high], as the fraction that it is: every float is one."""
    check.number(name, value, low=low, high=high)
    if isinstance(value, Rational):                     # Python's integers, not numpy's, which overflow
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(float(value))


def below(n: int, rng: np.random.Generator) -> int:
    """A whole number 0 <= u < n, all equally likely, of any size: random bits, thrown away where they make n or more."""
    bits = (n - 1).bit_length()
    while True:
        u = int.from_bytes(rng.bytes((bits + 7) // 8), "big") >> (-bits % 8)
        if u < n:
            return u


def heads_exp(x: Fraction, rng: np.random.Generator) -> bool:
    """Heads with probability exp(-x), x >= 0. Source: Canonne, Kamath and Steinke 2020, Algorithm 1, after von Neumann."""
    while x > 1:                                        # exp(-x) = exp(-1) ... exp(-1) exp(-rest): every factor has to fall heads
        if not heads_exp(Fraction(1), rng):
            return False
        x -= 1
    # Toss coins with chances x/1, x/2, x/3, ... until one falls tails: the first n fall heads with probability x^n / n!. So the number of
    # heads is even with probability 1 - x + x^2/2! - x^3/3! + ... = exp(-x).
    n = 1
    while below(n * x.denominator, rng) < x.numerator:
        n += 1
    return n % 2 == 1


def failures(decay: Fraction, rng: np.random.Generator) -> int:
    """A whole number G >= 0 with P(G >= g) = exp(-decay g)."""
    # With decay = s / t: U + t V, where U < t and V are independent, P(U = u) proportional to exp(-u / t) and P(V >= v) = exp(-v), has
    # P(. >= n) = exp(-n / t). Of that, the quotient by s.
    s, t = decay.numerator, decay.denominator
    while True:
        u = below(t, rng)
        if heads_exp(Fraction(u, t), rng):
            break
    v = 0
    while heads_exp(Fraction(1), rng):
        v += 1
    return (u + t * v) // s


def exact_geometric(value: ArrayLike, sensitivity: int, epsilon: float | Fraction,
                    rng: np.random.Generator,
                    size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """``mechanisms.geometric`` with exactly its law: P(W = w) proportional to exp(-epsilon |w| / sensitivity), no floats anywhere.

    Source: Canonne, Kamath and Steinke 2020, Algorithm 2, with another last step: the difference of two one-sided geometric numbers. The
    discrete form of supplement, Definition 1.4; epsilon-private by Theorem 1.1.

    Parameters
    ----------
    value : array of whole numbers, any shape, at most 2^53 in absolute value
    sensitivity : int in 1..10^9
        l1 sensitivity of all entries together.
    epsilon : float or fractions.Fraction in [1e-9, 1e9]
        A float is the fraction that it holds. epsilon / sensitivity from 1e-9 on.
    rng : numpy.random.Generator
    size : as in :func:`laplace`

    Returns
    -------
    int64 array of shape size + value.shape

    Examples
    --------
    >>> exact_geometric([12, 30], sensitivity=1, epsilon=20, rng=np.random.default_rng(0))
    array([12, 30])
    """
    value = check.filled("value", check.whole_numbers("value", value), "number")
    sensitivity = check.integer("sensitivity", sensitivity, low=1, high=10**9)
    decay = as_fraction("epsilon", epsilon, low=1e-9, high=1e9) / sensitivity
    if decay < Fraction(1, 10**9) * (1 - Fraction(1, 10**9)):
        check.refuse("epsilon", epsilon,
                     f"over sensitivity {sensitivity} is below 1e-9",
                     "Choose a larger epsilon.")
    rng = check.rng(rng)
    shape = check.size(size, value.shape, most=10**6) + value.shape
    noise = [failures(decay, rng) - failures(decay, rng)
             for _ in range(int(np.prod(shape)))]
    return value + np.array(noise, dtype=np.int64).reshape(shape)
