"""Exponential mechanisms: their loss has bounded range, and composes for far less."""
from __future__ import annotations

import itertools
import math
from functools import reduce

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from dpfair_teach.accounting import (
    bounded_range_composition,
    bounded_range_delta,
    bounded_range_mean,
    optimal_composition,
    optimal_composition_delta,
)
from dpfair_teach.audit import exact_delta, exact_epsilon
from dpfair_teach.mechanisms import exponential_probabilities
from faults import Mutant, scaled


def two_ends(t, epsilon0):
    """The pair whose losses are t and t - epsilon0."""
    low_q = math.expm1(-t) / math.expm1(-epsilon0)
    low_p = low_q * math.exp(t - epsilon0)
    return np.array([1 - low_p, low_p]), np.array([1 - low_q, low_q])


def joint(laws):
    return reduce(np.kron, laws)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 5), st.floats(-1, 1)), min_size=2, max_size=6), st.floats(0.01, 6))
def test_the_losses_of_an_exponential_mechanism_span_no_more_than_its_epsilon(choices, epsilon0):
    losses, changes = (np.array(column) for column in zip(*choices, strict=True))
    loss = np.log(exponential_probabilities(losses, 1.0, epsilon0)) - np.log(exponential_probabilities(losses + changes, 1.0, epsilon0))
    assert np.ptp(loss) <= epsilon0 + 1e-9
    p = exponential_probabilities(losses, 1.0, epsilon0)
    assert p @ loss <= bounded_range_mean(epsilon0) + 1e-12


@pytest.mark.parametrize("epsilon0", (1e-6, 1e-3, 0.0099, 0.0101, 0.3, 2.0, 30.0))
def test_the_largest_mean_is_attained(epsilon0):
    t = epsilon0 - math.log(epsilon0 / -math.expm1(-epsilon0))
    p, q = two_ends(t, epsilon0)
    assert bounded_range_mean(epsilon0) == pytest.approx(p @ np.log(p / q), rel=1e-6, abs=1e-14)
    others = [two_ends(s, epsilon0) for s in np.linspace(0, epsilon0, 1001)[1:-1]]
    assert max(p @ np.log(p / q) for p, q in others) <= bounded_range_mean(epsilon0) * (1 + 1e-6) + 1e-14
    assert bounded_range_mean(epsilon0) <= epsilon0**2 / 8 * (1 + 1e-6)


@pytest.mark.parametrize("epsilon0, k", [(0.3, 1), (0.3, 2), (1.0, 2), (2.0, 3), (1.0, 3), (0.5, 4)])
def test_steps_fixed_beforehand_by_brute_force(epsilon0, k):
    """No mixture of unequal steps, on a grid of t's, exceeds the closed form; equal ones on a fine grid come near it."""
    coarse = np.linspace(0, epsilon0, {1: 301, 2: 41, 3: 15, 4: 9}[k])[1:-1]
    fine = np.linspace(0, epsilon0, 2001)[1:-1]
    mixed = [tuple(joint(laws) for laws in zip(*(two_ends(t, epsilon0) for t in ts), strict=True))
             for ts in itertools.combinations_with_replacement(coarse, k)]
    equal = [tuple(joint([law] * k) for law in two_ends(t, epsilon0)) for t in fine]
    for epsilon in epsilon0 * np.array([0.0, 0.2, 0.5, 1.0, 1.5, k - 0.3]):
        if epsilon < 0:
            continue
        exact = bounded_range_delta(epsilon0, k, float(epsilon))
        one_way = [max(float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) for p, q in pairs) for pairs in (mixed, equal)]
        assert one_way[0] <= exact + 1e-12
        assert one_way[1] == pytest.approx(exact, rel=1e-4, abs=1e-9) and one_way[1] <= exact + 1e-12
        assert max(exact_delta(p, q, float(epsilon)) for p, q in mixed) <= exact + 1e-12      # the other direction is covered


def delta_in_sixty_digits(epsilon0, k, epsilon):
    """Theorem 2 of Dong, Durfee and Rogers, term by term."""
    with mpmath.workdps(60):
        top, best = mpmath.mpf(epsilon0), mpmath.mpf(0)
        for low in range(k):
            t = min(max((epsilon + (low + 1) * top) / (k + 1), mpmath.mpf(0)), top)
            high_p = mpmath.expm1(t - top) / mpmath.expm1(-top)
            high_q = mpmath.exp(-t) * high_p
            f, g = (sum(mpmath.binomial(k, h) * p**h * (1 - p) ** (k - h) for h in range(k - low, k + 1)) for p in (high_p, high_q))
            best = max(best, f - mpmath.exp(mpmath.mpf(epsilon)) * g)
        return float(best)


@pytest.mark.parametrize("epsilon0, k, epsilon", [
    (12.0, 1, 11.99), (20.0, 1, 19.95), (25.0, 2, 49.95), (25.0, 8, 150.0), (40.0, 1, 39.95), (40.0, 3, 100.0), (40.0, 6, 239.0),
    (150.0, 8, 900.0), (500.0, 1, 498.6), (500.0, 3, 1499.0), (500.0, 5, 1400.0), (1e-3, 4, 1e-3), (3.0, 12, 20.0)])
def test_large_epsilons_keep_their_digits(epsilon0, k, epsilon):
    exact = delta_in_sixty_digits(epsilon0, k, epsilon)
    assert bounded_range_delta(epsilon0, k, epsilon) == pytest.approx(exact, rel=1e-9, abs=2e-14)
    for delta in (1e-10, 1e-6, 1e-3, 0.3):
        fixed = bounded_range_composition(epsilon0, k, delta, adaptive=False)
        assert delta_in_sixty_digits(epsilon0, k, fixed) == pytest.approx(delta, rel=1e-3) or fixed == 0
        assert fixed <= bounded_range_composition(epsilon0, k, delta) * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("epsilon0, k", [(3.0, 1000), (20.0, 200), (0.5, 25_000)])
def test_probabilities_that_underflow_still_count(epsilon0, k):
    """Losses beyond exp(700): all terms of the sum over the number of low losses, for many t, none of them a difference."""
    epsilon = bounded_range_composition(epsilon0, k, 0.1, adaptive=False)
    assert epsilon > 720
    low = np.arange(k + 1)

    def at(t):
        ends = two_ends(t, epsilon0)[0]
        log_p = special.gammaln(k + 1) - special.gammaln(low + 1) - special.gammaln(k - low + 1) + special.xlogy(k - low, ends[0]) \
            + special.xlogy(low, ends[1])
        loss = k * t - low * epsilon0
        return float((np.exp(log_p) * -np.expm1(np.minimum(0, epsilon - loss))).sum())

    coarse = np.linspace(0, epsilon0, 401)[1:-1]
    near = coarse[np.argmax([at(t) for t in coarse])]
    stationary = (epsilon + (low + 1) * epsilon0) / (k + 1)
    stationary = stationary[(abs(stationary - near) < epsilon0 / 50) & (stationary < epsilon0)]
    others = np.linspace(near - epsilon0 / 400, min(near + epsilon0 / 400, epsilon0 * (1 - 1e-9)), 201)
    assert max(at(t) for t in stationary) == pytest.approx(0.1, rel=1e-8)
    assert max(at(t) for t in others) <= 0.1 * (1 + 1e-8)


def adaptive_delta(epsilon0, k, epsilon, grid):
    """A lower bound of the adaptive optimum: each step's t is chosen from a grid after the losses so far."""
    def best(steps, left):
        if steps == 0:
            return max(0.0, -math.expm1(left)) if left < 0 else 0.0
        chances = [(two_ends(t, epsilon0)[0], t) for t in grid]
        return max(p[0] * best(steps - 1, left - t) + p[1] * best(steps - 1, left - t + epsilon0) for p, t in chances)
    return best(k, epsilon)


@pytest.mark.parametrize("epsilon0, k", [(1.0, 2), (0.3, 2), (1.0, 3)])
def test_adaptive_steps_cost_more_than_fixed_ones_and_stay_below_the_bound(epsilon0, k):
    grid = np.linspace(0, epsilon0, 61 if k == 2 else 25)[1:-1]
    gaps = []
    for epsilon in epsilon0 * np.array([0.3, 0.5, 0.8, 1.2]):
        adaptive = adaptive_delta(epsilon0, k, epsilon, grid)
        gaps.append(adaptive - bounded_range_delta(epsilon0, k, float(epsilon)))
        assert bounded_range_composition(epsilon0, k, adaptive) >= epsilon - 1e-9
    assert max(gaps) > 1e-4             # the cost of adaptivity
    # and of many steps not below those fixed beforehand, of which everything is known: mean and tail are both needed
    assert bounded_range_composition(1.0, 1000, 1e-6) >= bounded_range_composition(1.0, 1000, 1e-6, adaptive=False) > 150


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.floats(1e-3, 5.0), st.floats(5.0, 500.0)), st.integers(1, 2000), st.floats(-10, -0.05))
def test_both_directions_and_both_kinds(epsilon0, k, log10_delta):
    delta = 10 ** log10_delta
    fixed = bounded_range_composition(epsilon0, k, delta, adaptive=False)
    assert bounded_range_delta(epsilon0, k, fixed) <= delta * (1 + 1e-4)
    if fixed > 0:
        assert bounded_range_delta(epsilon0, k, fixed) == pytest.approx(delta, rel=1e-4)
    adaptive = bounded_range_composition(epsilon0, k, delta)
    assert fixed <= adaptive + 1e-9 * (1 + adaptive)
    assert adaptive <= optimal_composition(epsilon0, k, delta) + 1e-12
    assert bounded_range_delta(epsilon0, k, adaptive) <= optimal_composition_delta(epsilon0, k, adaptive) + 1e-12


def test_many_steps_cost_half():
    """The tail of range epsilon0, not 2 epsilon0: for many small steps the ratio to pure steps tends to 2."""
    ratio = optimal_composition(1e-3, 10**5, 1e-6) / bounded_range_composition(1e-3, 10**5, 1e-6, adaptive=False)
    assert ratio == pytest.approx(2.0, abs=0.15)


def test_real_exponential_mechanisms_stay_below():
    """Ten fixed mechanisms of two to four candidates each: the exact law of their choices."""
    rng = np.random.default_rng(5)
    for epsilon0 in (0.2, 1.0):
        losses = [rng.uniform(0, 6, size) for size in (2, 3, 2, 4, 2, 2, 3, 2)]
        laws = [(exponential_probabilities(loss, 1.0, epsilon0), exponential_probabilities(loss + rng.choice([-1.0, 1.0], loss.size), 1.0,
                                                                                        epsilon0)) for loss in losses]
        p, q = joint([law for law, _ in laws]), joint([law for _, law in laws])
        for delta in (1e-6, 1e-3, 0.1):
            assert exact_epsilon(p, q, delta) <= bounded_range_composition(epsilon0, 8, delta, adaptive=False) + 1e-9


# --- deliberate faults

FAULTS = {
    "bounded_range_without_the_mean": Mutant("dpfair_teach.accounting.bounded_range.bounded_range_mean", lambda f: lambda epsilon0: 0.0,
                                             "the mean loss is left out"),
    "bounded_range_without_the_tail": Mutant(
        "dpfair_teach.accounting.bounded_range.bounded_range_composition", lambda f: lambda epsilon0, k, delta, adaptive=True: (
            min(f(epsilon0, k, delta, adaptive=adaptive), k * bounded_range_mean(epsilon0))), "the mean loss alone"),
    "bounded_range_adaptive_as_fixed": Mutant(
        "dpfair_teach.accounting.bounded_range_composition", lambda f: lambda *a, adaptive=True: f(*a, adaptive=False),
        "steps chosen adaptively as if fixed beforehand"),
    "bounded_range_delta_a_tenth_less": Mutant("dpfair_teach.accounting.bounded_range_delta", scaled(0.9), "nine tenths of the delta"),
}
