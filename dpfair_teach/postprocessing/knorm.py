"""The K-norm mechanism for counts whose sum is public: less noise than independent noise on every count, for the same epsilon.

N people with one prediction and label are spread over k groups: counts e_0 + ... + e_{k-1} = N, and N is public. One changed A takes a
person from one count to another, so e' - e is one of the k (k - 1) vectors (1 in one place, -1 in another). Their convex hull K is as
small as a convex set can be that holds every change (for three groups a hexagon). The norm whose unit ball is K is, for a vector of sum 0,

    ||x|| = the sum of its positive entries = half of its l1 norm,

the number of people who must move. Noise with P(x) proportional to exp(-epsilon ||x||), on the whole-number vectors of sum 0, is then
epsilon-private, because ||x - e'|| <= ||x - e|| + 1. Independent noise forgets that the sum is known and has to pay for the l1 norm 2.

The number of points with norm n, c_n, has the generating function sum_n c_n r^n = sum_i C(d,i)^2 r^i / (1 - r)^d with d = k - 1 (Conway and
Sloane 1997: the coordination sequence of the root lattice A_d). With r = exp(-epsilon) that is a recipe: ||x|| = I + G_1 + ... + G_d with
geometric numbers G (P(G >= g) = r^g) and I from 0..d with weights C(d,i)^2 r^i. Given the norm n, all points are equally likely: the number
j of positive entries has weights C(k,j) C(n-1,j-1) C(n+k-j-1,k-j-1) (n cut into j parts of at least 1 and into k - j parts, some perhaps
0), the two cuts are uniform, and so is who is positive.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy import signal, special, stats

from .. import _checks as check
from ..mechanisms.geometric import failures, waits
from ._people import checked_epsilon, people_of, whole_people
from .knorm_exact import exact_noise

MOST_EPSILON = 1e9
END = 2.0**-30      # a uniform number nearer to 0 or 1 than this is drawn again, with more digits

__all__ = ["k_norm_counts", "k_norm_probability", "k_norm_variance"]


def k_norm_counts(counts: ArrayLike, epsilon: float, rng: np.random.Generator, size: int | tuple[int, ...] | None = None,
                  exact: bool = False) -> np.ndarray:
    """Every (yhat, y) gets noise that keeps its public number of people: P(x) proportional to exp(-epsilon ||x||), ||x|| = people moved.

    Source: the K-norm mechanism of Hardt and Talwar 2010, in whole numbers; which K, and the sampler, in the module's text.
    epsilon-differentially private: one changed A moves one person inside one (yhat, y). For two groups this is the two-sided geometric
    noise of scale 1 / epsilon on group 1's count, and group 0 gets the rest. :func:`public_margin_counts` clips it afterwards.

    Parameters
    ----------
    counts : (b, k, 2) array [yhat, a, y], whole people, k >= 2
    epsilon : float in [1e-9, 1e9]
    rng : numpy.random.Generator
    size : int or tuple, optional
        Independent repeats, as leading axes.
    exact : bool
        Draw in whole numbers, without floating point (see :mod:`dpfair_teach.mechanisms.exact`): for a release. For each (yhat, y) about 50
        microseconds a group, so no simulations.

    Returns
    -------
    size + (b, k, 2) int64 array, in people, with the margins of ``counts``; entries may be negative.

    Raises
    ------
    ValueError
        Not one table of whole people; epsilon out of range; no Generator.

    Notes
    -----
    In doubles each chance, also a tiny one, is right to a share of about 1e-7 k; below an epsilon of about 1e-3 the geometric numbers have
    fewer digits (see :func:`dpfair_teach.mechanisms.geometric`). ``exact=True`` has no such limits.

    Examples
    --------
    >>> counts = [[[5, 1], [2, 7], [3, 3]], [[0, 2], [1, 2], [4, 0]]]
    >>> noisy = k_norm_counts(counts, epsilon=1, rng=np.random.default_rng(0), size=100)
    >>> noisy.shape, bool((noisy.sum(axis=-2) == np.sum(counts, axis=-2)).all())
    ((100, 2, 3, 2), True)
    """
    counts = whole_people(people_of(counts)).astype(np.int64)
    epsilon, exact = checked_epsilon(epsilon, MOST_EPSILON), check.flag("exact", exact)
    b, k, _ = counts.shape
    rng = check.rng(rng)
    shape = check.size(size, counts.shape, most=10**5 if exact else 10**8) + (b, 2)
    noise = (exact_noise if exact else _noise)(math.prod(shape), k, epsilon, rng)
    return counts + np.moveaxis(noise.reshape(*shape, k), -1, -2)


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

    Raises
    ------
    ValueError
        Not whole numbers, fewer than two; epsilon out of range.

    Examples
    --------
    >>> k_norm_probability([[0, 0, 0], [1, -1, 0], [1, 1, -2], [1, 0, 0]], epsilon=1.0).round(4)
    array([0.1533, 0.0564, 0.0207, 0.    ])
    """
    x = check.filled("noise", check.whole_numbers("noise", noise), "vector")
    if x.ndim == 0 or not 2 <= x.shape[-1] <= check.MOST_GROUPS:
        check.refuse("noise", x.shape, f"does not end in an axis of 2 to {check.MOST_GROUPS} groups", "Give one number for each group.")
    epsilon = checked_epsilon(epsilon, MOST_EPSILON)
    d = x.shape[-1] - 1
    log_constant = d * math.log(-math.expm1(-epsilon)) - special.logsumexp(_log_shift(d, epsilon))
    return np.where(x.sum(axis=-1) == 0, np.exp(log_constant - epsilon * np.maximum(x, 0).sum(axis=-1)), 0.0)[()]


def k_norm_variance(n_groups: int, epsilon: float) -> float:
    """The exact variance of one group's count under :func:`k_norm_counts`.

    Source: ours. With f_n = the sum of x_0^2 over all points of norm n, a polynomial in n of degree k, the series sum_n f_n r^n is
    F(r) / (1 - r)^(k + 1) with a polynomial F that f_0, ..., f_{k+1} determine, in whole numbers; divided by the series of the points
    themselves. As epsilon falls, it nears 4 (k - 1)(2k - 1) / (k (k + 1)) / epsilon^2, the variance of the continuous law: 2 / epsilon^2
    for two groups, (10/3) / epsilon^2 for three, up to 8 / epsilon^2. Independent Laplace noise (scale 2 / epsilon on every count, l1
    sensitivity 2) has 8 / epsilon^2, and after projecting on the public sum 8 (1 - 1/k) / epsilon^2: 16/3 for three.

    Parameters
    ----------
    n_groups : int in 2..300
        k.
    epsilon : float in [1e-9, 1e9]

    Returns
    -------
    float, in people squared

    Examples
    --------
    >>> round(k_norm_variance(3, epsilon=0.1) * 0.1**2, 3), round(k_norm_variance(2, epsilon=0.1) * 0.1**2, 3)
    (3.332, 1.998)
    """
    k = check.group_count(n_groups)
    if k > 300:
        check.refuse("n_groups", k, "more than 300: the sums of this exact formula have thousands of digits then",
                     "For many groups it is near 8 / epsilon^2, if epsilon is small.")
    epsilon = checked_epsilon(epsilon, MOST_EPSILON)
    d, r = k - 1, Fraction(math.exp(-epsilon))
    squares = [_sum_of_squares(k, n) for n in range(k + 2)]             # of all entries, so k times one's
    signs = [(-1) ** i * math.comb(k + 1, i) for i in range(k + 2)]
    top = sum(sum(signs[i] * squares[n - i] for i in range(n + 1)) * r**n for n in range(k + 2))
    points = sum(math.comb(d, i) ** 2 * r**i for i in range(k))
    return float(top / points / k) / math.expm1(-epsilon) ** 2


def k_norm_tail(k: int, epsilon: float, n: int, vectors: int = 1) -> float:
    """P(the norms of so many independent noise vectors add up to more than n)."""
    d = k - 1
    shift = _log_shift(d, epsilon)
    one = np.exp(shift - shift.max())
    weight, power, left = np.ones(1), one / one.sum(), vectors          # the law of the sum of all I, by squaring
    while left:
        if left % 2:
            weight = signal.convolve(weight, power)
        left //= 2
        if left:
            power = signal.convolve(power, power)
    i = np.arange(len(weight))
    return float(weight @ np.where(i > n, 1.0, stats.nbinom.sf(np.maximum(n - i, 0), d * vectors, -math.expm1(-epsilon))))


def k_norm_limit(k: int, epsilon: float, beta: float, vectors: int = 1) -> int:
    """The smallest n that the sum of the norms passes with probability at most beta."""
    return smallest(lambda n: k_norm_tail(k, epsilon, n, vectors) <= beta)


def smallest(fits: Callable[[int], bool]) -> int:
    """The smallest n >= 0 that fits, where all larger ones do."""
    low, high = -1, 1
    while not fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def nearest_whole(x: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The nonnegative whole numbers with sum ``total`` (...) that are nearest to ``x`` (..., k), whole numbers with that sum.

    All give up the same number t, those below it all they have; what is then too much, less than one each, comes off the largest. No entry
    moves away from what it was before the noise by more than the norm n of the noise: upwards by no more than its own noise, so downwards,
    the sums being equal, by no more than the positive noise of the others.
    """
    order = np.argsort(-x, axis=-1, kind="stable")
    falling = np.take_along_axis(x, order, axis=-1)
    place = np.arange(1, x.shape[-1] + 1)
    t = ((np.cumsum(falling, axis=-1) - total[..., None]) // place).max(axis=-1, keepdims=True)
    kept = np.maximum(falling - t, 0)
    kept -= place <= kept.sum(axis=-1, keepdims=True) - total[..., None]
    out = np.empty_like(kept)
    np.put_along_axis(out, order, kept, axis=-1)
    return out


def _log_shift(d: int, epsilon: float) -> np.ndarray:
    """ln of the weights C(d,i)^2 r^i, i = 0..d."""
    i = np.arange(d + 1)
    return 2 * (special.gammaln(d + 1) - special.gammaln(i + 1) - special.gammaln(d - i + 1)) - epsilon * i


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


def _noise(rows: int, k: int, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Independent draws, (rows, k)."""
    d = k - 1
    n = _index(_log_shift(d, epsilon)[None], rows, rng) + failures(epsilon, rng, (rows, d)).sum(axis=1)
    positive = 1 + _index(_log_ways(k, n), rows, rng)
    x = np.zeros((rows, k), dtype=np.int64)
    for up in range(1, k):
        here = np.flatnonzero((positive == up) & (n > 0))
        if len(here):
            x[here, :up] = 1 + _cut(n[here] - up, up, rng)
            x[here, up:] = -_cut(n[here], k - up, rng)
    return rng.permuted(x, axis=1)


def _log_ways(k: int, n: np.ndarray) -> np.ndarray:
    """ln of the number of points of norm n (rows,) with j = 1..k-1 positive entries, but for a constant: (rows, k - 1); -inf for j > n."""
    j = np.arange(1, k - 1)
    with np.errstate(divide="ignore"):
        ratio = np.log((k - j) * (k - 1 - j) / (j + 1) / j) + np.log(np.maximum(n[:, None] - j, 0)) - np.log(n[:, None] + k - 1 - j)
    return np.concatenate([np.zeros((len(n), 1)), ratio.cumsum(axis=1)], axis=1)


def _index(logs: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
    """For each row an index of ``logs`` (rows or 1, l): the logarithms of weights that rise and then fall.

    By a uniform number and the partial sums. A uniform number has 53 bits, so a chance of 10^-17 would come out as 0 or as 2^-53, and
    neighbours would be told apart by it. So a number within 2^-30 of 0 or of 1 is drawn again, with all the digits that its logarithm has.
    """
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
    """n (rows,) cut into ``parts`` whole numbers >= 0, every way equally likely: the gaps of parts - 1 bars among n + parts - 1 places.

    The places are drawn one after the other; where one is taken already, the last of those that have come into play is taken for it, and
    every set of places stays equally likely (Floyd's sampling).
    """
    bars = np.full((len(n), parts - 1), -1, dtype=np.int64)
    for i in range(parts - 1):
        place = rng.integers(0, n + i + 1)
        taken = (bars[:, :i] == place[:, None]).any(axis=1)
        bars[:, i] = np.where(taken, n + i, place)
    bars.sort(axis=1)
    ends = np.concatenate([np.full((len(n), 1), -1), bars, (n + parts - 1)[:, None]], axis=1)
    return np.diff(ends, axis=1) - 1
