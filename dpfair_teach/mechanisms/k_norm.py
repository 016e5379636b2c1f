"""K-norm noise for counts whose sum is public: less noise than independent noise on every count, for the same epsilon.

One changed A takes a person from one count to another. Noise with P(x) proportional to exp(-epsilon ||x||), ||x|| the sum of the positive
entries of x, on the whole-number vectors of sum 0, is epsilon-private: the K-norm mechanism of Hardt and Talwar 2010. The chapter on public
margins proves it. ``draws`` draws many at once, in doubles; ``exact_vector`` one, in whole numbers only.
"""
from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .. import _checks as check
from . import exact
from .geometric import failures
from .mechanism import AdditiveNoise, Numbers
from .noise import waits

__all__ = ["k_norm_probability", "k_norm_variance"]

LEAST_EPSILON, MOST_EPSILON = 1e-9, 1e9
END = 2.0**-30      # a uniform number nearer to 0 or 1 than this is drawn again, with more digits
BLOCK = 64          # random bits at a time of the exact draw


def k_norm_probability(noise: ArrayLike, epsilon: float) -> np.ndarray:
    """The exact law of the noise on one (yhat, y): (1 - r)^d r^||x|| / sum_i C(d,i)^2 r^i with r = exp(-epsilon), d = k - 1.

    Source: ours; the constant is the generating function of the coordination sequence of the lattice A_d (Conway and Sloane 1997).

    Parameters
    ----------
    noise : (..., k) array of whole numbers, k >= 2
        A vector of another sum than 0 never comes: probability 0.
    epsilon : float in [1e-9, 1e9]

    Returns
    -------
    (...) array or float

    Examples
    --------
    >>> k_norm_probability([[0, 0, 0], [1, -1, 0], [1, 1, -2], [1, 0, 0]], epsilon=1.0).round(4)
    array([0.1533, 0.0564, 0.0207, 0.    ])
    """
    x = check.filled("noise", check.whole_numbers("noise", noise), "vector")
    if x.ndim == 0 or not 2 <= x.shape[-1] <= check.MOST_GROUPS:
        check.refuse("noise", x.shape, f"does not end in an axis of 2 to {check.MOST_GROUPS} groups", "Give one number for each group.")
    epsilon = check.number("epsilon", epsilon, low=LEAST_EPSILON, high=MOST_EPSILON)
    d = x.shape[-1] - 1
    log_constant = d * math.log(-math.expm1(-epsilon)) - special.logsumexp(log_shift(d, epsilon))
    return np.where(x.sum(axis=-1) == 0, np.exp(log_constant - epsilon * np.maximum(x, 0).sum(axis=-1)), 0.0)[()]


def k_norm_variance(n_groups: int, epsilon: float) -> float:
    """The exact variance of one group's count under K-norm noise, in people squared.

    Source: ours. As epsilon falls it nears 4 (k - 1)(2k - 1) / (k (k + 1)) / epsilon^2: 2 / epsilon^2 for two groups, up to 8 / epsilon^2,
    which independent Laplace noise has.

    Parameters
    ----------
    n_groups : int in 2..300
    epsilon : float in [1e-9, 1e9]

    Examples
    --------
    >>> round(k_norm_variance(3, epsilon=0.1) * 0.1**2, 3), round(k_norm_variance(2, epsilon=0.1) * 0.1**2, 3)
    (3.332, 1.998)
    """
    k = check.group_count(n_groups)
    if k > 300:
        check.refuse("n_groups", k, "more than 300: the sums of this exact formula have thousands of digits then",
                     "For many groups it is near 8 / epsilon^2, if epsilon is small.")
    epsilon = check.number("epsilon", epsilon, low=LEAST_EPSILON, high=MOST_EPSILON)
    d, r = k - 1, Fraction(math.exp(-epsilon))
    squares = [_sum_of_squares(k, n) for n in range(k + 2)]             # of all entries, so k times one's
    signs = [(-1) ** i * math.comb(k + 1, i) for i in range(k + 2)]
    top = sum(sum(signs[i] * squares[n - i] for i in range(n + 1)) * r**n for n in range(k + 2))
    points = sum(math.comb(d, i) ** 2 * r**i for i in range(k))
    return float(top / points / k) / math.expm1(-epsilon) ** 2


def _sum_of_squares(k: int, n: int) -> int:
    """The sum of x_0^2 + ... + x_{k-1}^2 over all points of norm n."""
    total = Fraction(0)
    for j in range(1, k):
        if j <= n:
            cuts, rest = math.comb(n - 1, j - 1), math.comb(n + k - j - 1, k - j - 1)
            # the mean of the squares' sum: N(2N + l - 1)/(l + 1) for N cut into l parts, uniformly
            inner, other = n - j, k - j
            ups = Fraction(inner * (2 * inner + j - 1), j + 1) + 2 * inner + j
            total += math.comb(k, j) * cuts * rest * (ups + Fraction(n * (2 * n + other - 1), other + 1))
    return int(total)


def draws(rows: int, k: int, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Independent draws of the noise, (rows, k), in doubles: each chance is right to about 1e-7 k + 5e-7 / epsilon of it."""
    d = k - 1
    n = weighted_index(log_shift(d, epsilon)[None], rows, rng) + failures(epsilon, rng, (rows, d)).sum(axis=1)
    positive = 1 + weighted_index(_log_ways(k, n), rows, rng)
    x = np.zeros((rows, k), dtype=np.int64)
    for up in range(1, k):
        here = np.flatnonzero((positive == up) & (n > 0))
        if len(here):
            x[here, :up] = 1 + _cut(n[here] - up, up, rng)
            x[here, up:] = -_cut(n[here], k - up, rng)
    return rng.permuted(x, axis=1)


def log_shift(d: int, epsilon: float) -> np.ndarray:
    """ln of the weights C(d,i)^2 r^i, i = 0..d."""
    i = np.arange(d + 1)
    return 2 * (special.gammaln(d + 1) - special.gammaln(i + 1) - special.gammaln(d - i + 1)) - epsilon * i


def _log_ways(k: int, n: np.ndarray) -> np.ndarray:
    """ln of the number of points of norm n (rows,) with j = 1..k-1 positive entries, but for a constant: (rows, k - 1); -inf for j > n."""
    j = np.arange(1, k - 1)
    with np.errstate(divide="ignore"):
        ratio = np.log((k - j) * (k - 1 - j) / (j + 1) / j) + np.log(np.maximum(n[:, None] - j, 0)) - np.log(n[:, None] + k - 1 - j)
    return np.concatenate([np.zeros((len(n), 1)), ratio.cumsum(axis=1)], axis=1)


def weighted_index(logs: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
    """For each row an index of ``logs`` (rows or 1, l), logarithms of weights that rise and then fall; near 0 and 1 with more digits."""
    u, weights = rng.random(rows), np.exp(logs - logs.max(axis=1, keepdims=True)).cumsum(axis=1)
    index = (u[:, None] * weights[:, -1:] >= weights).sum(axis=1)
    end = np.flatnonzero((u < END) | (u > 1 - END))
    if len(end):
        upper = u[end] > END
        tail = np.broadcast_to(logs, (rows, logs.shape[1]))[end]
        tail = np.where(upper[:, None], tail[:, ::-1], tail)            # the end at 1 from its last index on
        sums = np.logaddexp.accumulate(tail, axis=1)
        log_u = math.log(END) - waits(rng, (len(end),))
        place = (log_u[:, None] >= sums - sums[:, -1:]).sum(axis=1)
        index[end] = np.where(upper, logs.shape[1] - 1 - place, place)
    return index


def _cut(n: np.ndarray, parts: int, rng: np.random.Generator) -> np.ndarray:
    """n (rows,) cut into ``parts`` whole numbers >= 0, every way equally likely: the gaps of bars whose places Floyd's sampling draws."""
    bars = np.full((len(n), parts - 1), -1, dtype=np.int64)
    for i in range(parts - 1):
        place = rng.integers(0, n + i + 1)
        taken = (bars[:, :i] == place[:, None]).any(axis=1)
        bars[:, i] = np.where(taken, n + i, place)
    bars.sort(axis=1)
    ends = np.concatenate([np.full((len(n), 1), -1), bars, (n + parts - 1)[:, None]], axis=1)
    return np.diff(ends, axis=1) - 1


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
    """I from 0..d, with weights C(d,i)^2 exp(-i epsilon), which are no fractions: as many bits are drawn as it takes to see which."""
    u, bits = 0, 0                                  # u <= 2^bits U < u + 1
    while True:
        u, bits = u << BLOCK | exact.below(1 << BLOCK, rng), bits + BLOCK
        low, high = sums_of_weights(d, epsilon, bits)
        i = next((i for i in range(d) if high[i] << bits > u * low[d]), d)
        if i == d or (u + 1) * high[d] <= low[i] << bits:
            return i    # those before it have a share <= U, and with it more


@lru_cache(maxsize=16)
def sums_of_weights(d: int, epsilon: Fraction, bits: int) -> tuple[list[int], list[int]]:
    """Whole numbers below and above 2^bits sum_{l <= i} C(d,l)^2 exp(-l epsilon), for i = 0..d."""
    low, high = [1 << bits], [1 << bits]
    below, above = exp_bounds(epsilon, bits)
    for i in range(1, d + 1):
        top, bottom = (d - i + 1) ** 2, i**2 << bits
        low.append(low[-1] * top * below // bottom)
        high.append(-(-high[-1] * top * above // bottom))
    return list(accumulate(low)), list(accumulate(high))


def exp_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Whole numbers below and above 2^bits exp(-x), x >= 0: the series of exp(x / 2^h), rounded both ways, turned over, squared h times."""
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
    """n cut into ``parts`` whole numbers >= 0, every way equally likely: as ``_cut``."""
    bars: set[int] = set()
    for i in range(parts - 1):
        place = exact.below(n + i + 1, rng)
        bars.add(n + i if place in bars else place)
    ends = [-1, *sorted(bars), n + parts - 1]
    return [right - left - 1 for left, right in pairwise(ends)]


class KNorm(AdditiveNoise):
    """K-norm noise on whole numbers whose sum over the last axis is public; for accountants the worst of its epsilon."""

    options = frozenset({"exact"})

    def draw(self, value: np.ndarray, numbers: Numbers, rng: np.random.Generator, shape: tuple[int, ...], **options: Any) -> np.ndarray:
        exact, (sensitivity, scale, own) = options.get("exact", False), numbers
        value, decay = check.whole_numbers("value", value), 1 / scale if own is None else own / sensitivity
        decay = check.number("epsilon", decay, low=LEAST_EPSILON, high=MOST_EPSILON)
        *rows, k = shape + value.shape or (1,)
        if k == 1:
            check.refuse("value", value.shape, "has one count in a row, and a row's sum is public: it would be told as it is",
                         "Give rows of two counts or more, or take geometric noise.")
        return value + (exact_noise if exact else draws)(math.prod(rows), k, decay, rng).reshape(*rows, k)

    def distance(self, value: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.maximum(value - other, 0).sum(axis=(-2, -1))

    def worst_pair(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array([[51, 49, 50], [50, 50, 50]]), np.full((2, 3), 50)

    def at(self, epsilon: float, delta: float) -> dict[str, Any]:
        return {"sensitivity": 1.0, "epsilon": epsilon}
