"""Noise in whole numbers: the laws by chi-square with stated n and alpha, every step of the coins by exact probability, no floats."""
from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import mechanisms
from dpfair_teach.mechanisms import exact
from dpfair_teach.mechanisms.exact import below, exact_geometric, failures, heads_exp
from faults import Mutant


def fits(observed, expected, alpha=1e-9):
    """Pearson's chi-square against a fully known law; every expected number is at least 5."""
    observed, expected = np.asarray(observed, float), np.asarray(expected, float)
    assert expected.min() >= 5 and observed.sum() == pytest.approx(expected.sum())
    return ((observed - expected) ** 2 / expected).sum() <= stats.chi2.isf(alpha, len(expected) - 1)


def binned(sample, law, most):
    """Observed and expected numbers of -most..most, with both tails beyond as two more kinds."""
    kinds = np.clip(sample, -most - 1, most + 1)
    middle = law.pmf(np.arange(-most, most + 1))
    expected = len(sample) * np.concatenate([[law.cdf(-most - 1)], middle, [law.sf(most)]])
    return np.bincount(kinds + most + 1, minlength=2 * most + 3), expected


@pytest.mark.parametrize("sensitivity, epsilon, most", [(1, 1.0, 4), (2, 0.5, 12), (1, Fraction(1, 3), 10), (3, 0.1, 60)])
def test_the_law_is_the_two_sided_geometric(sensitivity, epsilon, most):
    """n = 4,000; alpha = 1e-9. Noise of 1.3 times the scale fails the same test."""
    sample = exact_geometric(7, sensitivity, epsilon, np.random.default_rng(1), size=4000) - 7
    law = mechanisms.geometric_law(sensitivity, float(epsilon))
    observed, expected = binned(sample, law, most)
    assert fits(observed, expected)
    if sensitivity < 3:
        wrong = exact_geometric(0, sensitivity, float(epsilon) / 1.3, np.random.default_rng(1), size=4000)
        assert not fits(*binned(wrong, law, most))


@pytest.mark.slow
def test_one_sided_numbers_and_integers_below():
    """n = 5,000 each, alpha = 1e-9; a decay with a large denominator and one above 1."""
    rng = np.random.default_rng(2)
    for decay, most in ((Fraction(0.3), 12), (Fraction(7, 4), 2)):
        sample = np.minimum([failures(decay, rng) for _ in range(5000)], most)
        chance = np.exp(-float(decay) * np.arange(most + 1))
        assert fits(np.bincount(sample, minlength=most + 1), 5000 * np.append(chance[:-1] - chance[1:], chance[-1]))
    for n in (1, 2, 3, 6, 256, 257):
        drawn = [below(n, rng) for _ in range(20 * n if n > 10 else 5000)]
        assert min(drawn) >= 0 and max(drawn) < n
        assert n == 1 or fits(np.bincount(drawn, minlength=n), np.full(n, len(drawn) / n))
    big = [below(10**40, rng) for _ in range(200)]
    assert max(big) > 9 * 10**39 and all(type(u) is int for u in big)


class Bits:
    """Stands in for a generator, deals a prescribed string of bytes, and counts."""

    def __init__(self, dealt):
        self.dealt = list(dealt)

    def bytes(self, n):
        return bytes(self.dealt.pop(0) for _ in range(n))


def test_a_coin_is_decided_by_the_comparisons_that_the_proof_names():
    """exp(-1/2): coins u < 1 of 2, of 4, of 6, ...: the run of heads ends at the first tails, and is heads if its length is even."""
    def toss(*coins):
        """each is (u, bits of n - 1): what ``below`` would draw"""
        return heads_exp(Fraction(1, 2), Bits([u << (8 - bits) for u, bits in coins]))

    assert toss((1, 1))                                 # tails at once: no heads, even
    assert not toss((0, 1), (3, 2))                     # one heads, odd
    assert toss((0, 1), (0, 2), (5, 3))                 # two
    assert not toss((0, 1), (0, 2), (0, 3), (7, 3))     # three
    assert toss((0, 1), (0, 2), (7, 3), (5, 3))         # 7 is not below 6: drawn again
    assert heads_exp(Fraction(0), Bits([]))             # no coin can fall heads, and none is needed: one integer below 1


def test_the_series_behind_the_coin():
    """P(even run) summed over the runs is exp(-x): the n-th term is the chance that the first n fall heads and the next tails."""
    for x in (0.0, 0.3, 1.0):
        even = sum(x**n / math.factorial(n) * (1 - x / (n + 1)) for n in range(0, 30, 2))
        assert even == pytest.approx(math.exp(-x), abs=1e-15)


@pytest.mark.parametrize("x", [0, 0.1, Fraction(1, 2), 1, 2.5])
def test_coins_fall_heads_with_probability_exp_minus_x(x):
    """n = 4,000, Hoeffding at alpha = 1e-9."""
    rng = np.random.default_rng(3)
    heads = np.mean([heads_exp(Fraction(x), rng) for _ in range(4000)])
    assert abs(heads - math.exp(-x)) <= math.sqrt(math.log(2e9) / 8000)


def test_no_float_takes_part(monkeypatch):
    """The module draws bytes and nothing else, and computes with ints and fractions."""
    asked = []

    class Watched:
        def __init__(self, rng):
            self.rng = rng

        def __getattr__(self, name):
            asked.append(name)
            return getattr(self.rng, name)

    seen = []
    heads = exact.heads_exp
    monkeypatch.setattr(exact, "heads_exp", lambda x, rng: seen.append(type(x)) or heads(x, rng))
    value = failures(Fraction(0.1), Watched(np.random.default_rng(0)))
    assert type(value) is int and set(asked) == {"bytes"} and set(seen) == {Fraction}


def test_an_epsilon_is_the_fraction_that_it_holds():
    """The same random bits give the same noise for 0.1 and for the fraction behind it, and another for one tenth."""
    one = exact_geometric(0, 1, 0.1, np.random.default_rng(5), size=100)
    assert (one == exact_geometric(0, 1, Fraction(0.1), np.random.default_rng(5), size=100)).all()
    assert (one != exact_geometric(0, 1, Fraction(1, 10), np.random.default_rng(5), size=100)).any()


def test_neighbours_differ_by_the_factor_that_epsilon_allows():
    """The losses of neighbouring counts never pass epsilon: the law that the tests above find is the one with that property."""
    law = [mechanisms.geometric_law(1, 0.7, value=v).pmf(np.arange(-40, 41)) for v in (0, 1)]
    assert np.abs(np.log(law[0] / law[1])).max() == pytest.approx(0.7)
    assert all(one > other for one, other in pairwise(law[0][40:]))


@pytest.mark.parametrize("make, message", [
    (lambda rng: exact_geometric([1], 1, 0, rng), "epsilon=0"), (lambda rng: exact_geometric([1], 1, float("nan"), rng), "epsilon=nan"),
    (lambda rng: exact_geometric([1], 10**9, 0.5, rng), "epsilon=0.5: over sensitivity 1000000000 is below 1e-9"),
    (lambda rng: exact_geometric([1.5], 1, 1, rng), "value=1.5"), (lambda rng: exact_geometric([1], 1.5, 1, rng), "sensitivity=1.5"),
    (lambda rng: exact_geometric([1], 1, 1, 7), "rng=7"), (lambda rng: exact_geometric([1], 1, 1, rng, size=10**7), "size=10000000"),
])
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make(np.random.default_rng(0))


# --- deliberate faults

FAULTS = {
    "coin_turned": Mutant("dpfair_teach.mechanisms.exact.heads_exp", lambda f: lambda x, rng: not f(x, rng), "heads for tails"),
    "exact_noise_at_double_epsilon": Mutant(
        "dpfair_teach.mechanisms.exact.exact_geometric", lambda f: lambda v, s, e, *a, **kw: f(v, s, 2 * e, *a, **kw), "half the noise"),
}
