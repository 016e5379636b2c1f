"""The mechanisms: privacy by their exact laws, samplers against those laws, accuracy statements by exact probabilities.

Samplers: n = 200,000 draws, fixed seeds, false-failure rate ALPHA = 1e-9 for each check (Dvoretzky-Kiefer-Wolfowitz for the distribution
function, exact chi-square and binomial windows for scales and frequencies).
"""
from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from dpfair_teach import mechanisms
from dpfair_teach.mechanisms import (
    debias_counts,
    exponential,
    exponential_error_bound,
    exponential_probabilities,
    gaussian,
    gaussian_delta,
    gaussian_sigma,
    geometric,
    geometric_law,
    laplace,
    laplace_error_bound,
    laplace_error_quantile,
    laplace_law,
    randomized_response,
    randomized_response_matrix,
    response,
)
from dpfair_teach.mechanisms.geometric import failures
from faults import Mutant, with_arguments

N, ALPHA = 200_000, 1e-9
DKW = math.sqrt(math.log(2 / ALPHA) / (2 * N))


def inside_binomial_window(hits, n, p):
    """Each count within the central 1 - ALPHA of its binomial law (the union over a few cells keeps the rate near ALPHA)."""
    low, high = stats.binom.ppf(ALPHA / 2, n, p), stats.binom.isf(ALPHA / 2, n, p)
    return np.all((low <= hits) & (hits <= high))


# ------------------------------------------------------------------------------------------------------- samplers

@pytest.mark.parametrize("sensitivity, epsilon", [(1, 1.0), (2, 0.25), (0.5, 5.0)])
def test_laplace_draws_follow_definition_1_4(sensitivity, epsilon):
    noise = laplace(3.0, sensitivity, epsilon, np.random.default_rng(1), N) - 3.0
    scale = sensitivity / epsilon
    assert stats.kstest(noise, lambda x: stats.laplace.cdf(x, scale=scale)).statistic < DKW
    low, high = stats.chi2.ppf([ALPHA / 2, 1 - ALPHA / 2], 2 * N)      # 2 sum|W|/scale is chi-square with 2n degrees
    assert low < 2 * np.abs(noise).sum() / scale < high


def test_geometric_takes_a_sensitivity_as_a_record_holds_it():
    """A record's sensitivity is a float, 1.0; a fraction is none of whole numbers."""
    one, other = (mechanisms.geometric([3, 5], sensitivity, 1.0, np.random.default_rng(0)) for sensitivity in (1, 1.0))
    assert np.array_equal(one, other)
    with pytest.raises(ValueError, match=r"^sensitivity=1\.5: not a whole number"):
        mechanisms.geometric([3, 5], 1.5, 1.0, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^n_groups=2\.0: a float, not an int. Give an int"):
        mechanisms.randomized_response_matrix(2.0, 1.0)


def test_geometric_noise_has_the_tail_of_its_law_at_every_epsilon():
    """One number of the generator has 53 bits: the time it stands for ends near 40. A time above 30 is 30 and a fresh one."""
    class Scripted:
        def __init__(self):
            self.draws = [[1.0, 35.0, 40.0], [2.0, 33.0], [5.0]]

        def standard_exponential(self, size):
            drawn = self.draws.pop(0)
            assert np.size(drawn) == np.prod(size)
            return np.array(drawn)

    assert failures(10.0, Scripted(), (3,)).tolist() == [0, 3, 6]          # 1, 30 + 2, 30 + 30 + 5
    assert geometric([3, 4], 1, 1e6, np.random.default_rng(0)).tolist() == [3, 4]      # e^-1,000,000 is not seen
    assert geometric_law(1, 1e6).pmf(0) == 1.0
    for sensitivity in (1, 2):
        with pytest.raises(ValueError, match=r"epsilon.*\[1e-9, 1e9\]"):
            geometric(3, sensitivity, 2e9 * sensitivity, np.random.default_rng(0))


@pytest.mark.parametrize("sensitivity, epsilon", [(1, 1.0), (2, 0.25), (3, 6.0)])
def test_geometric_draws_follow_their_law(sensitivity, epsilon):
    noise = geometric(3, sensitivity, epsilon, np.random.default_rng(2), N) - 3
    t = epsilon / sensitivity
    support = np.arange(noise.min(), noise.max() + 1)
    pmf = np.tanh(t / 2) * np.exp(-t * np.abs(support))
    law = geometric_law(sensitivity, epsilon)
    np.testing.assert_allclose(law.pmf(support), pmf, rtol=1e-12)
    empirical = np.cumsum(np.bincount(noise - support[0], minlength=support.size)) / N
    assert np.abs(empirical - law.cdf(support)).max() < DKW
    near = np.abs(support) <= 3
    assert inside_binomial_window(np.bincount(noise - support[0])[near], N, pmf[near])
    assert noise.dtype == np.int64


@pytest.mark.parametrize("epsilon, delta", [(1.0, 1e-6), (0.1, 1e-3), (8.0, 1e-9)])
def test_gaussian_draws_have_the_calibrated_sigma(epsilon, delta):
    sigma = gaussian_sigma(2.0, epsilon, delta)
    noise = gaussian(-1.0, 2.0, epsilon, delta, np.random.default_rng(3), N) + 1.0
    assert stats.kstest(noise, lambda x: stats.norm.cdf(x, scale=sigma)).statistic < DKW
    low, high = stats.chi2.ppf([ALPHA / 2, 1 - ALPHA / 2], N)
    assert low < (noise ** 2).sum() / sigma ** 2 < high


def test_exponential_draws_follow_definition_1_5():
    loss = np.array([[0.0, 1.0, 2.0, 0.5], [3.0, 0.0, 0.0, 1.0]])
    drawn = exponential(loss, sensitivity=0.5, epsilon=1.5, rng=np.random.default_rng(4), size=N)
    assert drawn.shape == (N, 2)
    for row in range(2):
        weights = np.exp(-1.5 * loss[row] / (2 * 0.5))
        assert inside_binomial_window(np.bincount(drawn[:, row], minlength=4), N, weights / weights.sum())
    alone = exponential(loss[0], sensitivity=0.5, epsilon=1.5, rng=np.random.default_rng(5), size=N)
    weights = np.exp(-1.5 * loss[0] / (2 * 0.5))
    assert inside_binomial_window(np.bincount(alone, minlength=4), N, weights / weights.sum())


@pytest.mark.parametrize("k", [2, 3, 5])
def test_randomized_responses_follow_their_matrix(k):
    epsilon, truth = 1.2, np.arange(k)
    reports = randomized_response(truth, k, epsilon, np.random.default_rng(6), N)
    keep = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    for a in range(k):
        law = np.full(k, (1 - keep) / (k - 1))
        law[a] = keep
        np.testing.assert_allclose(randomized_response_matrix(k, epsilon)[a], law, rtol=1e-12)
        assert inside_binomial_window(np.bincount(reports[:, a], minlength=k), N, law)


class Given(np.random.Generator):
    """A generator whose uniform numbers are given beforehand: each stands for the half-open step [u, u + 2^-53)."""

    def __init__(self, *uniforms):
        super().__init__(np.random.PCG64(0))
        self.uniforms = np.array(uniforms)

    def random(self, size):
        return self.uniforms.reshape(size)


def just_below(u):
    return np.nextafter(u, 0)


def test_a_choice_of_probability_zero_is_never_drawn_and_borders_belong_to_the_next_choice():
    """Exact: choices of probability 0, 1/2, 1/2, 0 own nothing, [0, 1/2), [1/2, 1), nothing; so 0 and 1/2 are where a wrong side shows."""
    loss, uniforms, owners = np.array([1e6, 0.0, 0.0, 1e6]), (0.0, just_below(0.5), 0.5, just_below(1.0)), [1, 1, 2, 2]
    assert exponential_probabilities(loss, 1.0, 1.0).tolist() == [0, 0.5, 0.5, 0]
    assert exponential(loss, 1.0, 1.0, Given(*uniforms), size=4).tolist() == owners
    assert exponential(np.tile(loss, (4, 1)), 1.0, 1.0, Given(*uniforms)).tolist() == owners


def test_rounding_leaves_no_room_above_the_last_choice():
    """Six probabilities of 1/6 add up to 1 - 2^-53 in doubles, and that is a number that a generator draws."""
    loss, largest = np.zeros(6), just_below(1.0)
    assert np.cumsum(exponential_probabilities(loss, 1.0, 1.0))[-1] == largest
    assert exponential(loss, 1.0, 1.0, Given(largest), size=1).tolist() == [5]
    assert exponential(np.tile(loss, (1, 1)), 1.0, 1.0, Given(largest)).tolist() == [5]


@pytest.mark.parametrize("k", [2, 3, 1000])
@pytest.mark.parametrize("epsilon", [1e-18, 1e-12, 1e-9, math.log(3), 5.0, 36.4, 37.0, 50.0, 700.0])
def test_lies_own_their_share_of_the_uniform_numbers_and_never_less(epsilon, k):
    """Exact: the truth is told on [0, start), and lies on the rest: at least (k - 1) / (e^epsilon + k - 1) of them, and hardly more.
    So the true code is at most e^epsilon times as likely as another, to the last bit, and never less likely."""
    lies = response._lies(k, response._truth(k, epsilon)[2])
    if lies == 2**53:                                               # an epsilon that is lost in rounding: a code at random
        assert epsilon < 1e-14 * k and len(set(randomized_response(np.zeros(20_000, int), k, epsilon, np.random.default_rng(0)))) == k
        return
    with mpmath.workdps(400):
        odds = mpmath.exp(mpmath.mpf(epsilon))
        least = 2**53 * (k - 1) / (k - 1 + odds)
        assert least <= lies <= least * (1 + mpmath.mpf(2)**-47) + 1 and 1 <= mpmath.mpf(2**53 - lies) * (k - 1) / lies <= odds
    start = 1 - lies / 2.0**53
    for truth in range(min(k, 3)):
        reports = randomized_response([truth] * 4, k, epsilon, Given(0.0, just_below(start), start, just_below(1.0)))
        assert (reports == truth).tolist() == [True, True, False, False]


@pytest.mark.parametrize("draw", [
    lambda rng, size: laplace(np.zeros(2), 1, 1.0, rng, size),
    lambda rng, size: gaussian(np.zeros(2), 1, 1.0, 1e-6, rng, size),
    lambda rng, size: geometric(np.zeros(2), 1, 1.0, rng, size),
    lambda rng, size: 2 * exponential(np.zeros((2, 2)), 1, 1.0, rng, size) - 1,
    lambda rng, size: 2 * randomized_response(np.array([0, 1]), 2, 1e-9, rng, size) - 1,
])
def test_entries_and_repeats_are_independent(draw):
    """Signs of two entries agree half of the time, and so do signs of successive repeats."""
    noise = draw(np.random.default_rng(7), N)
    across = noise[noise.all(axis=1)]
    assert inside_binomial_window((across[:, 0] * across[:, 1] > 0).sum(), len(across), 0.5)
    pairs = noise[:, 0].reshape(-1, 2)
    pairs = pairs[pairs.all(axis=1)]
    assert inside_binomial_window((pairs[:, 0] * pairs[:, 1] > 0).sum(), len(pairs), 0.5)


def test_size_adds_leading_axes_and_the_generator_decides_the_draw():
    table, rng = np.ones((2, 3, 2)), np.random.default_rng
    for draw in (lambda r, s: laplace(table, 1, 1, r, s), lambda r, s: geometric(table, 1, 1, r, s),
                 lambda r, s: gaussian(table, 1, 1, 1e-5, r, s)):
        assert draw(rng(0), None).shape == (2, 3, 2)
        assert draw(rng(0), 5).shape == (5, 2, 3, 2)
        assert draw(rng(0), (4, 5)).shape == (4, 5, 2, 3, 2)
        assert np.array_equal(draw(rng(0), 5), draw(rng(0), 5)) and not np.array_equal(draw(rng(0), 5), draw(rng(1), 5))
    assert np.ndim(laplace(1.0, 1, 1, rng(0))) == 0
    assert exponential(np.zeros((6, 3)), 1, 1, rng(0), (4, 5)).shape == (4, 5, 6)
    assert randomized_response([0, 1, 1], 2, 1, rng(0), (4, 5)).shape == (4, 5, 3)


# -------------------------------------------------------------------------------------------- privacy, exact laws

@pytest.mark.parametrize("sensitivity, epsilon", [(1.0, 0.1), (2.0, 1.0), (0.3, 4.0)])
def test_laplace_density_ratio_is_at_most_epsilon_and_reaches_it(sensitivity, epsilon):
    x = np.linspace(-20, 20, 4001)
    at = laplace_law(sensitivity, epsilon, 0.0).logpdf(x)
    for step in np.linspace(-1, 1, 9):
        ratio = at - laplace_law(sensitivity, epsilon, step * sensitivity).logpdf(x)
        assert np.abs(ratio).max() == pytest.approx(abs(step) * epsilon, abs=1e-9)


@pytest.mark.parametrize("sensitivity, epsilon", [(1, 0.1), (2, 1.0), (3, 4.0)])
def test_geometric_ratio_is_at_most_epsilon_on_every_neighbour(sensitivity, epsilon):
    w = np.arange(-60, 61)
    at = geometric_law(sensitivity, epsilon, 0).logpmf(w)
    losses = [np.abs(at - geometric_law(sensitivity, epsilon, v).logpmf(w)).max() for v in range(-sensitivity, sensitivity + 1)]
    assert max(losses) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("k, epsilon", [(2, 0.5), (3, 1.0), (4, 3.0)])
def test_randomized_response_is_private_on_every_pair_of_neighbours(k, epsilon):
    matrix = randomized_response_matrix(k, epsilon)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-12)
    worst = 0.0
    for data in itertools.product(range(k), repeat=2):
        for neighbour in itertools.product(range(k), repeat=2):
            if sum(a != b for a, b in zip(data, neighbour, strict=True)) == 1:
                law, other = (np.outer(matrix[d[0]], matrix[d[1]]) for d in (data, neighbour))
                worst = max(worst, np.abs(np.log(law / other)).max())
    assert worst == pytest.approx(epsilon, rel=1e-9)


def test_exponential_mechanism_is_private_on_every_pair_of_neighbours():
    """All losses in {0, 4, 8}^3, all neighbours that move each loss by -1, 0 or 1: the ratio stays below epsilon and comes near it."""
    sensitivity, epsilon, worst = 1.0, 2.0, 0.0
    moves = np.array(list(itertools.product((-1, 0, 1), repeat=3)), dtype=float)
    for loss in itertools.product((0.0, 4.0, 8.0), repeat=3):
        law = exponential_probabilities(np.array(loss), sensitivity, epsilon)
        others = exponential_probabilities(np.array(loss) + moves, sensitivity, epsilon)
        worst = max(worst, np.abs(np.log(law / others)).max())
    assert 0.99 * epsilon < worst <= epsilon * (1 + 1e-12)


def hockey_stick(ratio, epsilon):
    """delta(epsilon) of N(0,1) against N(ratio,1) by quadrature of E (1 - e^(epsilon - L))^+: all terms positive."""
    eta = ratio ** 2 / 2
    law = stats.norm(eta, ratio)
    return integrate.quad(lambda loss: law.pdf(loss) * -math.expm1(epsilon - loss), epsilon, max(epsilon, eta) + 40 * ratio, limit=500,
                          points=[max(epsilon, eta), max(epsilon, eta) + 3 * ratio], epsabs=0, epsrel=1e-9)[0]


@pytest.mark.parametrize("sigma, epsilon", [(s, e) for s in (0.3, 1.0, 4.0, 20.0) for e in (0.0, 0.01, 0.5, 1.0, 5.0) if e * s < 40])
def test_gaussian_delta_is_the_exact_curve(sigma, epsilon):
    ratio = 1.5 / sigma
    assert gaussian_delta(1.5, sigma, epsilon) == pytest.approx(hockey_stick(ratio, epsilon), rel=1e-6)


def exact_delta(ratio, epsilon):
    """Theorem 8 of Balle and Wang in 400 digits: Phi(s - t) - e^epsilon Phi(-s - t)."""
    with mpmath.workdps(400):
        s, t = mpmath.mpf(ratio) / 2, mpmath.mpf(epsilon) / mpmath.mpf(ratio)
        return (mpmath.erfc((t - s) / mpmath.sqrt(2)) - mpmath.exp(mpmath.mpf(epsilon)) * mpmath.erfc((t + s) / mpmath.sqrt(2))) / 2


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.1, 1.0, 30.0])
def test_gaussian_delta_keeps_its_digits_where_the_formula_cancels(epsilon):
    """At epsilon = 1e-9 and small delta the two terms agree in nine digits and more; delta down to 1e-280 and up to nearly 1."""
    if epsilon:
        ratios = epsilon / np.geomspace(1e-9, 35, 60)               # t = epsilon sigma / sensitivity
    else:
        ratios = np.geomspace(1e-12, 10, 60)
    ratios = np.append(ratios[ratios < 20], [0.999999, 1.0, 1.000001])     # where one way of computing takes over from another
    for ratio in ratios[(ratios >= 1e-12) & (epsilon / ratios < 36)]:
        sigma = 1 / float(ratio)
        assert gaussian_delta(1.0, sigma, epsilon) == pytest.approx(float(exact_delta(1.0 / sigma, epsilon)), rel=1e-11, abs=0)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("delta", [1e-100, 1e-30, 1e-12, 1e-5, 0.3, 0.999])
def test_gaussian_sigma_crosses_the_exact_curve_at_every_epsilon(epsilon, delta):
    sigma = gaussian_sigma(1.0, epsilon, delta)
    assert exact_delta(1 / sigma, epsilon) <= delta * (1 + 1e-11)
    assert exact_delta(1 / (sigma * (1 - 1e-9)), epsilon) > delta


@settings(max_examples=200, deadline=None)
@given(st.floats(-9, 3), st.floats(-60, -0.01), st.floats(0.1, 1e3))
def test_gaussian_sigma_is_the_smallest_private_one(log10_epsilon, log10_delta, sensitivity):
    epsilon, delta = max(1e-9, 10 ** log10_epsilon), 10 ** log10_delta
    sigma = gaussian_sigma(sensitivity, epsilon, delta)
    assert gaussian_delta(sensitivity, sigma, epsilon) <= delta * (1 + 1e-9)
    assert gaussian_delta(sensitivity, sigma * (1 - 1e-5), epsilon) > delta


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.5, 1.0, 2.0, 5.0])
def test_gaussian_sigma_ends_on_the_private_side_of_the_crossing(epsilon):
    """The root that Brent's method ends on lies on the other side, by up to 1e-12 of delta, in about half of these."""
    for digits in range(2, 60):
        delta = 10.0 ** -digits
        assert gaussian_delta(1.0, gaussian_sigma(1.0, epsilon, delta), epsilon) <= delta * (1 + 7e-14)


def test_gaussian_sigma_beats_the_textbook_formula():
    for epsilon in (0.1, 0.5, 0.9):
        for delta in (1e-3, 1e-7):
            assert gaussian_sigma(1, epsilon, delta) < math.sqrt(2 * math.log(1.25 / delta)) / epsilon


# ------------------------------------------------------------------------------------------------------- accuracy

@pytest.mark.parametrize("k", [1, 8, 1000])
@pytest.mark.parametrize("beta", [1e-6, 0.05, 0.9])
def test_theorem_1_1_bounds_the_exact_quantile(k, beta):
    sharp, bound = (f(k, 2.0, 0.5, beta) for f in (laplace_error_quantile, laplace_error_bound))
    one_within = 1 - 2 * laplace_law(2.0, 0.5).sf(sharp)
    assert one_within ** k == pytest.approx(1 - beta, rel=1e-9)          # exactly 1 - beta at the quantile
    assert bound == pytest.approx(math.log(k / beta) * 4.0)
    assert 1 - (1 - 2 * laplace_law(2.0, 0.5).sf(bound)) ** k <= beta * (1 + 1e-9)
    assert sharp <= bound * (1 + 1e-12)


def test_laplace_errors_exceed_the_quantile_as_often_as_said():
    """n = 20,000 tables of 8 cells; exact binomial window at 1e-9."""
    noise = laplace(np.zeros(8), 2, 1, np.random.default_rng(8), 20_000)
    outside = (np.abs(noise).max(axis=1) > laplace_error_quantile(8, 2, 1, 0.1)).sum()
    assert inside_binomial_window(outside, 20_000, 0.1)


@pytest.mark.parametrize("beta", [0.01, 0.05, 0.3, 0.9])
def test_theorem_1_2_and_its_sharp_form_hold_for_every_loss(beta):
    H, sensitivity, epsilon = 4, 0.5, 2.0
    printed, odds = exponential_error_bound(H, sensitivity, epsilon, beta), (H - 1) * (1 - beta) / beta
    worst = max(0.0, 2 * sensitivity / epsilon * math.log(odds))
    grid = np.unique(np.concatenate([np.linspace(0, 1.3 * printed, 14), [worst * (1 + 1e-9), worst + 1e-9]]))
    losses = np.array([(0.0, *rest) for rest in itertools.combinations_with_replacement(grid, H - 1)])  # order plays no role
    law = exponential_probabilities(losses, sensitivity, epsilon)
    for bound in (worst, printed):
        assert (law * (losses > bound)).sum(axis=1).max() <= beta
    if worst > 0:  # reached
        assert (law * (losses > worst)).sum(axis=1).max() == pytest.approx(beta, rel=1e-6)
    assert worst < printed


@pytest.mark.parametrize("k", [2, 4])
def test_debiased_counts_have_the_true_mean(k):
    rng = np.random.default_rng(9)
    counts = rng.integers(0, 50, (3, 2, k, 2)).astype(float)
    expected = np.einsum("ar,nbay->nbry", randomized_response_matrix(k, 0.7), counts)      # mean of the report counts
    np.testing.assert_allclose(debias_counts(expected, 0.7, axis=-2), counts, atol=1e-9)
    np.testing.assert_allclose(debias_counts(np.moveaxis(expected, -2, -1), 0.7), np.moveaxis(counts, -2, -1), atol=1e-9)


# ------------------------------------------------------------------------------------------------------ bad input

@pytest.mark.parametrize("value", [[2**53 + 1], np.array([-2**53 - 1]), np.array([2**63], dtype=np.uint64),
                                   np.array([2**53 + 1], dtype=object)])
def test_whole_numbers_are_not_rounded_on_the_way_in(value):
    """No float tells 2^53 + 1 from 2^53."""
    with pytest.raises(ValueError, match=r"^value=-?9\d{15,18}: outside"):
        geometric(value, 1, 1.0, np.random.default_rng(0))
    assert geometric([2**53 - 1], 1, 1e9, np.random.default_rng(0)).tolist() == [2**53 - 1]


ONE, TWO = dict(sensitivity=1, scale=100.0), dict(sensitivity=1, scale=[1.0, 2.0])
#: What would come out without noise, or with another's, or with more answers than the record counts.
LOST = {
    "units below 0": ("laplace", ONE, 12.0, {"units": -1.0}, "units=-1.0"),
    "no units": ("laplace", ONE, 12.0, {"units": math.nan}, "units=nan"),
    "one number for two games": ("laplace", TWO, 12345.678, {}, "does not begin with the axes"),
    "a row for two games": ("gaussian", TWO, np.zeros((1, 3)), {}, "does not begin with the axes"),
    "fifty choices for one": ("exponential", dict(sensitivity=1, epsilon=1.0), np.zeros((50, 3)), {}, "not one answer's"),
    "a masked number": ("laplace", ONE, np.ma.array([12.34, 30.1], mask=[1, 0]), {}, "masked"),
    "one count whose sum is public": ("k_norm", dict(sensitivity=1, epsilon=.01), [42], {}, "has one count in a row"),
    "a choice by a scale": ("exponential", dict(sensitivity=1, scale=2.0), [0.0, 1.0], {}, "^epsilon=None: the exponential mechanism"),
    "half a person": ("geometric", dict(sensitivity=98, epsilon=1.0), 3, {"units": 1 / 49}, "not a whole number"),
}


@pytest.mark.parametrize("case", LOST)
def test_no_number_comes_out_without_its_own_noise_and_record(case):
    name, numbers, value, how, said = LOST[case]
    with pytest.raises(ValueError, match=said):
        mechanisms.Measurement(name, mechanisms.UNIT_A, **numbers).invoke(value, np.random.default_rng(0), **how)


def test_units_that_would_leave_no_noise_are_refused_and_nothing_is_drawn():
    noise = mechanisms.Measurement("laplace", "one row", relation="replace it", sensitivity=1e-200, scale=1e-200)
    with pytest.raises(ValueError, match=r"^units=1e-200: times the scale is 0 in doubles"):
        noise.invoke(0.0, np.random.default_rng(0), units=1e-200)
    assert noise.releases == ()


# --- deliberate faults

FAULTS = {
    "exponential_drawn_at_double_epsilon": Mutant(
        "dpfair_teach.mechanisms.exponential", with_arguments(epsilon=lambda e: 2 * e), "the 2 under the fraction line is missing"),
}
