"""How K-norm noise is drawn: in doubles, private by the exact chances of the draw; in whole numbers, with its law and at little cost."""
from __future__ import annotations

import math
import time
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import special, stats

from dpfair_teach.mechanisms import exact, k_norm, noise
from dpfair_teach.mechanisms.k_norm import BLOCK, exp_bounds, sums_of_weights, ways
from dpfair_teach.postprocessing import k_norm_counts, k_norm_probability
from dpfair_teach.postprocessing.slacks import k_norm_tail
from faults import Mutant, planted

# ------------------------------------------------------------------------------------------------- the draw in doubles


class Dealt:
    """Stands in for a generator: deals this uniform number, and exponential times that add up to this wait, if one is known."""

    def __init__(self, grid: int, wait: float | None = None):
        self.grid, self.wait, self.asked = grid, wait, False

    def random(self, size):
        return np.full(size, self.grid / 2**53)

    def standard_exponential(self, size):
        self.asked = True
        step = min(0.0 if self.wait is None else self.wait, noise.FAR_WAIT + 1)      # far: so much has passed, and a fresh time begins
        self.wait = (self.wait or 0.0) - noise.FAR_WAIT
        return np.full(size, step)


def first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first whole number in [low, high) from which on it holds; ``high`` if it never does."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def chances(logs: np.ndarray) -> np.ndarray:
    """The exact chances of ``weighted_index`` (l,): all 2^53 numbers that ``random`` can give, each as likely, and what is drawn beyond.

    By bisection, as the index rises with the number. An exponential time is taken at its law, exp(-wait).
    """
    def at(grid, wait=None):
        rng = Dealt(grid, wait)
        return int(k_norm.weighted_index(logs[None], 1, rng)[0]), rng.asked

    length, top, half = len(logs), 2**53, 2**52
    left, right = first(0, half, lambda i: not at(i)[1]), first(half, top, lambda i: at(i)[1])
    ends = [first(left, right, lambda i, at_most=at_most: at(i)[0] > at_most) for at_most in range(length)]
    chance = np.diff([left, *ends]) / top
    for grid, share in ((0, left / top), (top - 1, (top - right) / top)):
        if share:       # a long wait leads to the end: beyond this wait the index is no longer in the middle
            def beyond(index, grid=grid):
                lo, hi = 0.0, 4000.0
                for _ in range(60):
                    middle = (lo + hi) / 2
                    inside = at(grid, middle)[0] >= index if grid == 0 else at(grid, middle)[0] <= index
                    lo, hi = (middle, hi) if inside else (lo, middle)
                return math.exp(-lo) if lo < 3999 else 0.0              # P(the index has passed ``index`` towards the end)
            order = range(length) if grid == 0 else range(length - 1, -1, -1)
            passed = [beyond(i) for i in order]                          # in the order from the end: that end itself passes nobody
            for i, before, after in zip(order, passed, [*passed[1:], 1.0], strict=True):
                chance[i] += share * (after - before)
    return chance


def worst_loss(k: int, epsilon: float, norms: range) -> float:
    """The largest loss between neighbouring noise vectors under the exact chances of the draw in doubles.

    A point of norm n with j positive entries has the chance P(n) P(j | n) / their number. One changed A takes a vector to one whose norm
    and whose j differ by at most 1; every such pair of (n, j), but (0, 0) to itself, has a pair of vectors.
    """
    d, point = k - 1, {}
    with np.errstate(divide="ignore"):
        shift = np.log(chances(k_norm.log_shift(d, epsilon)))
        for n in norms:
            i = np.arange(min(n, d) + 1)
            log_cuts = np.array([math.log(math.comb(n - s + d - 1, d - 1)) for s in i])
            radius = special.logsumexp(shift[i] + log_cuts - (n - i) * epsilon) + d * math.log(-math.expm1(-epsilon))
            if n == 0:
                point[0, 0] = radius
                continue
            split = np.log(chances(k_norm._log_ways(k, np.array([n]))[0]))
            point |= {(n, j): radius + split[j - 1] - math.log(number) for j, number in enumerate(ways(k, n), start=1) if number}
    return max(math.inf if here == -math.inf or point[n + up, j + more] == -math.inf else abs(here - point[n + up, j + more])
               for (n, j), here in point.items() for up in (0, 1) for more in (-1, 0, 1)
               if (n + up, j + more) in point and (n, up) != (0, 0))


@pytest.mark.parametrize("k, epsilon, norms", [(2, 38.0, range(4)), (5, 18.0, range(6)), (5, 0.5, range(4)), (8, 2.0, range(4)),
                                               pytest.param(50, 45.0, range(3), marks=pytest.mark.slow),
                                               (50, 0.1, range(1000, 1003)), (6, 200.0, range(4))])
def test_the_draws_in_doubles_are_private_by_their_exact_chances(k, epsilon, norms):
    """The attack: what an observer can tell from the draws as the computer makes them. 1e-5 for the digits of a double."""
    assert worst_loss(k, epsilon, norms) <= epsilon + 1e-5


def test_what_one_uniform_number_gave_away():
    """38.69 for 38 promised, 48.91 for 45; and of 50 groups no single one would ever gain all of 1,000 people, whom a neighbour's may."""
    with planted(FAULTS["k_norm_by_one_uniform"]):
        assert worst_loss(2, 38.0, range(3)) == pytest.approx(38.69, abs=0.01)
        assert worst_loss(50, 45.0, range(2)) == pytest.approx(48.91, abs=0.01)
        assert worst_loss(50, 0.1, range(1000, 1002)) == math.inf


@pytest.mark.parametrize("k, epsilon", [(2, 3.0), (4, 40.0), (30, 0.3), (80, 3.0)])
def test_the_exact_chances_of_the_shift_are_its_weights(k, epsilon):
    """C(d,i)^2 r^i to a share of 1e-6, however small they are."""
    logs = k_norm.log_shift(k - 1, epsilon)
    with np.errstate(divide="ignore"):
        assert np.log(chances(logs)) == pytest.approx(logs - special.logsumexp(logs), abs=1e-6)


# --------------------------------------------------------------------------------------------- the draw in whole numbers

def in_digits(epsilon: Fraction, d: int) -> list[Decimal]:
    """sum_{l <= i} C(d,l)^2 exp(-l epsilon), i = 0..d, with 150 digits."""
    with localcontext() as context:
        context.prec = 150
        one, total, sums = (-Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp(), Decimal(0), []
        for i in range(d + 1):
            total += math.comb(d, i) ** 2 * one**i
            sums.append(total)
    return sums


@pytest.mark.parametrize("x", [
    Fraction(0), Fraction(1e-9), Fraction(1, 2), Fraction(0.7), Fraction(1), Fraction(20), Fraction(63.9), Fraction(200), Fraction(10**9),
])
def test_bounds_of_the_exponential(x):
    for bits in (64, 128, 320):
        low, high = exp_bounds(x, bits)
        with localcontext() as context:
            context.prec = 150
            assert low <= Decimal(2) ** bits * (-Decimal(x.numerator) / Decimal(x.denominator)).exp() <= high
        assert high - low <= 2 * bits


@pytest.mark.parametrize("d, epsilon", [(1, Fraction(0.1)), (4, Fraction(5)), (9, Fraction(1e-9)), (40, Fraction(45)),
                                        (999, Fraction(1, 10))])
def test_a_number_between_two_shares_gives_their_index(d, epsilon):
    """U just below and just above each share, by 2^-300: as many blocks are read as it takes; the index is the right one."""
    sums, bits = in_digits(epsilon, d), 5 * BLOCK
    with localcontext() as context:
        context.prec = 150
        edges = [int(total / sums[-1] * 2**bits) for total in sums[:-1]]
    for i in sorted({0, 1, d // 2, d - 1} & set(range(d))):
        for step in (-2**20, 2**20):
            u = edges[i] + step
            if 0 <= u < 2**bits:
                dealt = Blocks(u, bits)
                within = next((place for place, edge in enumerate(edges) if u < edge), d)
                assert k_norm.exact_shift(d, epsilon, dealt) == within and dealt.read >= (4 if edges[i] > 2**64 else 1)


class Blocks:
    """Stands in for a generator: the digits of one number, block by block."""

    def __init__(self, u: int, bits: int):
        self.u, self.left, self.read = u, bits, 0

    def bytes(self, n):
        assert 8 * n == BLOCK
        self.left, self.read = self.left - BLOCK, self.read + 1
        return (self.u >> self.left & 2**BLOCK - 1).to_bytes(n, "big")


@pytest.mark.parametrize("d", [1, 10, 100, 999])
@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 20.0])
def test_the_first_block_is_nearly_always_enough(d, epsilon):
    low, high = sums_of_weights(d, Fraction(epsilon), BLOCK)
    unclear = sum(Fraction(h, low[-1]) - Fraction(b, high[-1]) for b, h in zip(low[:-1], high[:-1], strict=True))
    assert 0 <= unclear + Fraction(d, 2**BLOCK) < Fraction(1, 10**9)


@pytest.mark.parametrize("k, n", [(2, 1), (3, 1), (3, 7), (6, 3), (6, 40), (30, 12)])
def test_how_many_points_have_so_many_positive_entries(k, n):
    assert ways(k, n) == [math.comb(k, j) * math.comb(n - 1, j - 1) * math.comb(n + k - j - 1, k - j - 1) for j in range(1, k)]


class Counting:
    """A generator whose draws are counted; more than allowed is a failure."""

    def __init__(self, most: int):
        self.rng, self.left = np.random.default_rng(0), most

    def bytes(self, n):
        self.left -= 1
        assert self.left >= 0, "more draws than the cost that is stated"
        return self.rng.bytes(n)


@pytest.mark.parametrize("k", [2, 10, 50, 200, 1000])
@pytest.mark.parametrize("epsilon", [0.1, 5.0, 20.0])
def test_the_cost_grows_with_the_groups_and_no_faster(k, epsilon):
    """Random numbers drawn for one vector: at most 40 a group, 60 beside. The rejection took 30,000 tries at ten groups, epsilon 5."""
    x = k_norm.exact_vector(k, Fraction(epsilon), Counting(60 + 40 * k))
    assert len(x) == k and sum(x) == 0


def test_four_vectors_of_a_thousand_groups_take_less_than_a_second():
    """Processor time, the best of three; epsilon 0.1, the slowest of 0.1 to 20."""
    counts, taken = np.full((2, 1000, 2), 3), []
    for seed in range(3):
        start = time.process_time()
        noisy = k_norm_counts(counts, 0.1, np.random.default_rng(seed), exact=True)
        taken.append(time.process_time() - start)
        assert (noisy.sum(axis=1) == 3000).all()
    assert min(taken) < 1.0


def fits(observed, chance, alpha=1e-9):
    """Chi-square, kinds with fewer than 5 expected put together."""
    expected, n = np.asarray(chance) * observed.sum(), observed.sum()
    rare = expected < 5
    observed = np.append(observed[~rare], n - observed[~rare].sum())
    expected = np.append(expected[~rare], n - expected[~rare].sum())
    expected[-1] = max(expected[-1], 1e-9)
    return ((observed - expected) ** 2 / expected).sum() <= stats.chi2.isf(alpha, len(expected) - 1)


@pytest.mark.parametrize("k, epsilon", [(3, 0.7), (4, 2.0), (4, 12.0)])
def test_exact_draws_have_the_enumerated_law(k, epsilon):
    """n = 3,000 vectors, alpha = 1e-9: every vector with entries up to 3, one by one, and all others together."""
    box = np.array(list(product(range(-3, 4), repeat=k)))
    points = box[box.sum(axis=1) == 0]
    drawn = k_norm.exact_noise(3000, k, epsilon, np.random.default_rng(k))
    inside = (np.abs(drawn) <= 3).all(axis=1)
    code = 7 ** np.arange(k)
    found = np.bincount((drawn[inside] + 3) @ code, minlength=7**k)[(points + 3) @ code]
    law = k_norm_probability(points, epsilon)
    assert fits(np.append(found, (~inside).sum()), np.append(law, 1 - law.sum()))


@pytest.mark.parametrize("k, epsilon, n", [(10, 5.0, 1000), (20, 1.0, 500), (200, 3.0, 60)])
def test_exact_norms_have_their_law_where_the_rejection_did_not_end(k, epsilon, n):
    """The largest distance of the distribution functions is within the DKW bound at alpha = 1e-9."""
    drawn = k_norm.exact_noise(n, k, epsilon, np.random.default_rng(k))
    norm = np.maximum(drawn, 0).sum(axis=1)
    at = np.arange(norm.max() + 1)
    law = 1 - np.array([k_norm_tail(k, epsilon, int(i)) for i in at])
    margin = math.sqrt(math.log(2e9) / (2 * n))
    assert np.abs((norm[:, None] <= at).mean(axis=0) - law).max() <= margin


# --- deliberate faults

def by_one_number(f):
    """The body as it was: one uniform number of 53 bits and the partial sums."""
    def index(logs, rows, rng):
        weights = np.exp(logs - logs.max(axis=1, keepdims=True)).cumsum(axis=1)
        return (rng.random(rows)[:, None] * weights[:, -1:] >= weights).sum(axis=1)
    return index


def by_rejection(f):
    """The body as it was: a weight C(d,i)^2, kept with probability exp(-i epsilon)."""
    def exact_shift(d, epsilon, rng):
        squares = [math.comb(d, i) ** 2 for i in range(d + 1)]
        while True:
            i = k_norm.choice(squares, rng)
            if exact.heads_exp(i * epsilon, rng):
                return i
    return exact_shift


def not_squared(f):
    """Weights C(d,i) for C(d,i)^2."""
    def sums(d, epsilon, bits):
        low, high = (np.diff([0, *end]) for end in f(d, epsilon, bits))
        return tuple(list(np.cumsum([int(w) // math.comb(d, i) + up for i, w in enumerate(end)])) for end, up in ((low, 0), (high, 1)))
    return sums


def test_how_many_draws_the_rejection_throws_away():
    """What the module and chapter 7 say of it, at epsilon 5."""
    for k, tries in ((10, 30_259), (20, 6_957_616_303)):
        whole = [math.comb(k - 1, i) ** 2 for i in range(k)]
        assert round(sum(whole) / math.fsum(w * math.exp(-5 * i) for i, w in enumerate(whole))) == tries


FAULTS = {
    "k_norm_by_one_uniform": Mutant("dpfair_teach.mechanisms.k_norm.weighted_index", by_one_number, "one number of 53 bits, as it was"),
    "exact_k_norm_by_rejection": Mutant("dpfair_teach.mechanisms.k_norm.exact_shift", by_rejection, "the rejection, as it was"),
    "exact_k_norm_weights_not_squared": Mutant("dpfair_teach.mechanisms.k_norm.sums_of_weights", not_squared,
                                               "C(d,i), no square"),
}
