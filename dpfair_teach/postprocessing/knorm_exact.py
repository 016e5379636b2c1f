"""The noise of ``knorm`` without floating point: whole numbers and random bits only, at a cost that is a polynomial of the groups.

The recipe is that of ``knorm``: ||x|| = I + G_1 + ... + G_d, then the number j of positive entries, then two cuts and a shuffle. The G come
from ``mechanisms.exact``; j, the cuts and the shuffle are choices with whole weights. What is left is I from 0..d with weights
C(d,i)^2 r^i, r = exp(-epsilon), which are no fractions. I is the i for which a uniform real number U lies between the shares of the first
i and of the first i + 1 weights. Of U as many bits are drawn, of the shares as many are computed, as it takes to see that: 64 of each, and
64 more as long as they do not tell, which for up to 1,000 groups and an epsilon up to 20 happens less than once in 10^9 draws. The shares
are never rounded: they lie between two whole numbers (over a power of 2), and only an I that both ends agree on is taken. So its law is
exact. (Drawing i with the whole weights C(d,i)^2 and keeping it with probability r^i needs no such bounds, and is right; but of seven
billion draws one is kept, for twenty groups at epsilon 5.)
"""
from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np

from ..mechanisms import exact

__all__: list[str] = []     # ``k_norm_counts(exact=True)`` and ``noise="exact"`` draw by it

BLOCK = 64      # random bits at a time


def exact_noise(rows: int, k: int, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Independent draws of the K-norm noise, (rows, k); a float ``epsilon`` is the fraction that it holds."""
    return np.array([exact_vector(k, Fraction(epsilon), rng) for _ in range(rows)], dtype=np.int64).reshape(rows, k)


def exact_vector(k: int, epsilon: Fraction,
                 rng: np.random.Generator) -> list[int]:
    """One vector of k whole numbers with sum 0, P(x) proportional to exp(-epsilon ||x||)."""
    d = k - 1
    n = exact_shift(d, epsilon, rng)
    n += sum(exact.failures(epsilon, rng) for _ in range(d))
    if n == 0:
        return [0] * k
    up = 1 + choice(ways(k, n), rng)
    x = [1 + part for part in cut(n - up, up, rng)]
    x += [-part for part in cut(n, k - up, rng)]
    for i in range(d, 0, -1):                           # shuffled
        j = exact.below(i + 1, rng)
        x[i], x[j] = x[j], x[i]
    return x


def exact_shift(d: int, epsilon: Fraction, rng: np.random.Generator) -> int:
    """I from 0..d, with weights C(d,i)^2 exp(-i epsilon): the module's text."""
    u, bits = 0, 0                                  # u <= 2^bits U < u + 1
    while True:
        u, bits = u << BLOCK | exact.below(1 << BLOCK, rng), bits + BLOCK
        low, high = sums_of_weights(d, epsilon, bits)
        i = next((i for i in range(d) if high[i] << bits > u * low[d]), d)
        if i == d or (u + 1) * high[d] <= low[i] << bits:
            return i    # those before it have a share <= U, and with it more


@lru_cache(maxsize=16)
def sums_of_weights(d: int, epsilon: Fraction, bits: int) -> tuple[list[int], list[int]]:
    """Whole numbers below and above 2^bits sum_{l <= i} C(d,l)^2 exp(-l epsilon), for i = 0..d.

    One weight from the one before by its ratio ((d - i + 1) / i)^2 exp(-epsilon), rounded down and rounded up.
    """
    low, high = [1 << bits], [1 << bits]
    below, above = exp_bounds(epsilon, bits)
    for i in range(1, d + 1):
        top, bottom = (d - i + 1) ** 2, i**2 << bits
        low.append(low[-1] * top * below // bottom)
        high.append(-(-high[-1] * top * above // bottom))
    return list(accumulate(low)), list(accumulate(high))


def exp_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Whole numbers below and above 2^bits exp(-x), x >= 0.

    exp(y) for y = x / 2^h <= 1/2 by its series, whose terms are rounded down, or up with the last one twice (what follows is no more than
    it, as each term is at most half the one before); turned over; squared h times.
    """
    if x >= bits:                                       # exp(-x) < 2^-bits
        return 0, 1
    h, one = math.ceil(2 * x).bit_length(), 1 << bits
    s, t = x.numerator, x.denominator << h
    small, large = [one], [one]
    while large[-1] > 1:
        small.append(small[-1] * s // (t * len(small)))
        large.append(-(-large[-1] * s // (t * len(large))))
    low, high = one * one // (sum(large) + large[-1]), -(-one * one // sum(small))
    for _ in range(h):
        low, high = low * low >> bits, -(-high * high >> bits)
    return low, high


def ways(k: int, n: int) -> list[int]:
    """How many points of norm n >= 1 have j positive entries, j = 1..k-1: C(k,j) C(n-1,j-1) C(n+k-j-1,k-j-1), each from the one before."""
    numbers = [k * math.comb(n + k - 2, n)]
    for j in range(1, k - 1):
        numbers.append(numbers[-1] * (k - j) * (k - j - 1) * (n - j) // (j * (j + 1) * (n + k - j - 1)) if n > j else 0)
    return numbers


def choice(weights: list[int], rng: np.random.Generator) -> int:
    """An index, with chances proportional to whole weights."""
    u, index = exact.below(sum(weights), rng), 0
    while u >= weights[index]:
        u -= weights[index]
        index += 1
    return index


def cut(n: int, parts: int, rng: np.random.Generator) -> list[int]:
    """n cut into ``parts`` whole numbers >= 0, every way equally likely: as ``_cut`` of ``knorm``."""
    bars: set[int] = set()
    for i in range(parts - 1):
        place = exact.below(n + i + 1, rng)
        bars.add(n + i if place in bars else place)
    ends = [-1, *sorted(bars), n + parts - 1]
    return [right - left - 1 for left, right in pairwise(ends)]
