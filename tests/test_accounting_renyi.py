"""Renyi divergences: against the definition, against dp-accounting, and what they say about (epsilon, delta)."""
from __future__ import annotations

import dataclasses
import importlib
import itertools
import math

import dp_accounting
import mpmath
import numpy as np
import pytest
from dp_accounting import rdp as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special

from dpfair_teach.accounting import (
    ORDERS,
    UNIT_A,
    Release,
    compose,
    optimal_composition,
    optimal_composition_delta,
    rdp_exponential,
    rdp_laplace,
    rdp_pure,
    rdp_to_epsilon,
)
from dpfair_teach.accounting.adding import rdp_of_releases
from dpfair_teach.mechanisms import (
    exponential_probabilities,
    gaussian_sigma,
    geometric_law,
    laplace_law,
)
from dpfair_teach.mechanisms.gaussian import rdp_gaussian
from dpfair_teach.mechanisms.geometric import rdp_geometric
from faults import Mutant, scaled, with_arguments

PEER_ORDERS = np.array(peer.rdp_privacy_accountant.DEFAULT_RDP_ORDERS)
EPSILONS = (1e-3, 0.01, 0.3, 1.0, 4.0, 20.0)


def divergence(p, q, orders):
    """ln of the sum of p^a q^(1-a), over a - 1: the definition, in logarithms."""
    orders = np.atleast_1d(orders)[:, None]
    return special.logsumexp(orders * np.log(p) + (1 - orders) * np.log(q), axis=1) / (orders[:, 0] - 1)


def of_peer(event, relation="ADD_OR_REMOVE_ONE"):
    book = peer.RdpAccountant(PEER_ORDERS, getattr(dp_accounting.NeighboringRelation, relation))
    return book.compose(event).rdp


# -------------------------------------------------------------------------------------- every order, to 1e-9, dp-accounting

@pytest.mark.parametrize("epsilon0", EPSILONS)
def test_laplace_is_the_peers(epsilon0):
    assert rdp_laplace(epsilon0, PEER_ORDERS) == pytest.approx(of_peer(dp_accounting.LaplaceDpEvent(1 / epsilon0)), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("noise_multiplier", (0.05, 0.7, 1.0, 40.0))
def test_gaussian_is_the_peers(noise_multiplier):
    assert rdp_gaussian(noise_multiplier, PEER_ORDERS) == pytest.approx(of_peer(dp_accounting.GaussianDpEvent(noise_multiplier)), rel=1e-9)


@pytest.mark.parametrize("epsilon0", EPSILONS)
def test_pure_is_the_peers_randomized_response_of_two(epsilon0):
    event = dp_accounting.RandomizedResponseDpEvent(2 / (math.exp(epsilon0) + 1), 2)
    assert rdp_pure(epsilon0, PEER_ORDERS) == pytest.approx(of_peer(event, "REPLACE_ONE"), rel=1e-9, abs=1e-14)


def test_composition_and_conversion_are_the_peers():
    events = [(dp_accounting.LaplaceDpEvent(5.0), 40), (dp_accounting.GaussianDpEvent(6.0), 25), (dp_accounting.LaplaceDpEvent(1.0), 1)]
    records = [Release("laplace", UNIT_A, sensitivity=1.0, scale=5.0, times=40),
               Release("gaussian", UNIT_A, sensitivity=1.0, scale=6.0, times=25),
               Release("laplace", UNIT_A, sensitivity=2.0, scale=2.0)]
    book = peer.RdpAccountant(PEER_ORDERS)
    for event, count in events:
        book.compose(event, count)
    ours = rdp_of_releases(records, PEER_ORDERS)
    assert ours == pytest.approx(book.rdp, rel=1e-9)
    for delta in (1e-12, 1e-6, 0.01, 0.5):
        assert rdp_to_epsilon(PEER_ORDERS, ours, delta) == pytest.approx(book.get_epsilon(delta), rel=1e-9)


# ---------------------------------------------------------------------------------------------------- the definition

@pytest.mark.parametrize("epsilon0, sensitivity", list(itertools.product((0.1, 1.0, 3.0), (1, 2, 7))))
def test_geometric_is_the_definition(epsilon0, sensitivity):
    reach = int(60 * sensitivity / epsilon0)
    w = np.arange(-reach, reach + sensitivity + 1)
    p, q = (geometric_law(sensitivity, epsilon0, centre).pmf(w) for centre in (0, sensitivity))
    orders = np.array([1.01, 1.5, 2, 7, 60])
    assert rdp_geometric(epsilon0, orders, sensitivity) == pytest.approx(divergence(p, q, orders), rel=1e-9)


@pytest.mark.parametrize("epsilon0, order", list(itertools.product((0.1, 1.0, 3.0), (1.1, 2.0, 8.0))))
def test_laplace_is_the_definition(epsilon0, order):
    p, q = laplace_law(1, epsilon0), laplace_law(1, epsilon0, 1.0)
    whole = sum(integrate.quad(lambda x: math.exp(order * p.logpdf(x) + (1 - order) * q.logpdf(x)), a, b, epsabs=1e-13)[0]
                for a, b in ((-60 / epsilon0, 0), (0, 1), (1, 1 + 60 / epsilon0)))
    assert rdp_laplace(epsilon0, order) == pytest.approx(math.log(whole) / (order - 1), rel=1e-8)


def test_between_laplace_and_the_worst():
    for epsilon0 in (0.01, 1.0, 6.0):
        curves = [rdp_pure(epsilon0, ORDERS)] + [rdp_geometric(epsilon0, ORDERS, n) for n in (1, 2, 3, 30, 10**6)] + [
            rdp_laplace(epsilon0, ORDERS)]
        assert curves[0] == pytest.approx(curves[1], rel=1e-9, abs=1e-15)
        assert all((left >= right - 1e-14).all() for left, right in itertools.pairwise(curves))
        assert curves[-2] == pytest.approx(curves[-1], rel=1e-5)
        assert (rdp_pure(epsilon0, ORDERS) <= np.minimum(epsilon0, ORDERS * epsilon0**2 / 2) * (1 + 1e-12)).all()
        assert (rdp_exponential(epsilon0, ORDERS) <= ORDERS * epsilon0**2 / 8 * (1 + 1e-9) + 1e-14).all()


@pytest.mark.parametrize("epsilon0", (0.2, 1.0, 4.0))
def test_several_coordinates_lose_no_more_than_one_that_takes_the_whole_change(epsilon0):
    for share in (0.1, 0.5, 0.9):
        assert (rdp_laplace(share * epsilon0, ORDERS) + rdp_laplace((1 - share) * epsilon0, ORDERS) <= rdp_laplace(epsilon0, ORDERS)
                + 1e-14).all()
    for n, part in ((2, 1), (5, 2), (9, 1)):
        parts = rdp_geometric(part * epsilon0 / n, ORDERS, part) + rdp_geometric((n - part) * epsilon0 / n, ORDERS, n - part)
        assert (parts <= rdp_geometric(epsilon0, ORDERS, n) + 1e-14).all()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 5), st.floats(-1, 1)), min_size=2, max_size=6), st.floats(0.01, 6), st.floats(1.01, 50))
def test_no_exponential_mechanism_exceeds_its_bound(choices, epsilon0, order):
    losses, changes = (np.array(column) for column in zip(*choices, strict=True))
    p, q = (exponential_probabilities(loss, 1.0, epsilon0) for loss in (losses, losses + changes))
    assert divergence(p, q, order)[0] <= rdp_exponential(epsilon0, order) + 1e-11


@pytest.mark.parametrize("epsilon0", (0.1, 1.0, 5.0))
def test_the_bound_for_the_exponential_mechanism_is_attained(epsilon0):
    """Two choices whose losses change by +1 and -1 realize both ends; where they start picks t. A grid of starts comes near the best."""
    for order in (1.5, 3.0, 20.0):
        starts = np.linspace(-20, 20, 40_001) / epsilon0 * 2
        losses = np.stack([np.zeros_like(starts), starts], axis=-1)
        p, q = (np.log(exponential_probabilities(loss, 1.0, epsilon0)) for loss in (losses, losses + [1.0, -1.0]))
        attained = (special.logsumexp(order * p + (1 - order) * q, axis=-1) / (order - 1)).max()
        assert attained == pytest.approx(float(rdp_exponential(epsilon0, order)), rel=1e-5)


def by_definition(name, epsilon0, order, n=1):
    """The divergence from the listed losses, to eighty digits."""
    with mpmath.workdps(80):
        e, a = mpmath.mpf(epsilon0), mpmath.mpf(order)
        if name == "exponential":       # the best t by its formula, then the two ends' own sum
            t = mpmath.log((a - 1) * mpmath.expm1(-a * e) / (a * (mpmath.exp(-a * e) - mpmath.exp(-e))))
            high = mpmath.expm1(t - e) / mpmath.expm1(-e)
            laws = [(high, t), (1 - high, t - e)]
        elif name == "geometric":
            q = mpmath.exp(-e / n)
            laws = [(1 / (1 + q), e), (q**n / (1 + q), -e)] + [(q**x * (1 - q) / (1 + q), (n - 2 * x) * e / n) for x in range(1, n)]
        else:
            return mpmath.log((a * mpmath.exp((a - 1) * e) + (a - 1) * mpmath.exp(-a * e)) / (2 * a - 1)) / (a - 1)
        return mpmath.log(sum(p * mpmath.exp((a - 1) * loss) for p, loss in laws)) / (a - 1)


@pytest.mark.parametrize("epsilon0", (1e-9, 3e-8, 1e-6, 1e-4, 0.01, 0.3, 0.89, 0.91, 3.0))
def test_small_divergences_keep_their_digits(epsilon0):
    """Nothing is lost where the terms of the closed forms cancel: an accountant multiplies by up to 10^15 runs."""
    for order in (1.001, 1.01, 1.3, 2.0, 30.0, 1e3, 1e6, *np.clip(np.array([0.5, 0.999, 1.001]) / epsilon0, 1.001, 1e6)):
        assert float(rdp_exponential(epsilon0, order) / by_definition("exponential", epsilon0, order)) == pytest.approx(1, abs=1e-9)
        assert float(rdp_laplace(epsilon0, order) / by_definition("laplace", epsilon0, order)) == pytest.approx(1, abs=1e-13)
        for n in (1, 2, 7):
            if epsilon0 / n >= 1e-9:
                whole = by_definition("geometric", epsilon0, order, n)
                assert float(rdp_geometric(epsilon0, order, n) / whole) == pytest.approx(1, abs=1e-12)


def test_very_many_very_small_steps_are_not_free():
    """10^14 steps of epsilon 1e-7 are nearly one Gaussian, with sensitivity / sigma = 1; of exponential mechanisms, half of that."""
    def gaussian(ratio):
        return compose(Release("gaussian", UNIT_A, sensitivity=ratio, scale=1.0), 1e-6)
    many = dict(epsilon=1e-7, times=10**14)
    for record, ratio in ((Release("exponential", UNIT_A, **many), 0.5), (Release("geometric", UNIT_A, sensitivity=2, **many), 1.0),
                          (Release("laplace", UNIT_A, sensitivity=2, **many), 1.0)):
        for method in ("rdp", "best"):
            assert gaussian(ratio) <= compose(record, 1e-6, method) <= 1.1 * gaussian(ratio)


# ---------------------------------------------------------------------------------------------------- the conversion

@settings(max_examples=150, deadline=None, report_multiple_bugs=False)
@given(st.floats(1e-3, 8), st.integers(1, 3000), st.floats(-12, -0.05))
def test_the_conversion_is_a_bound(epsilon0, k, log10_delta):
    """Of k randomized responses everything is known."""
    delta = 10 ** log10_delta
    epsilon = float(rdp_to_epsilon(ORDERS, k * rdp_pure(epsilon0, ORDERS), delta))
    assert optimal_composition_delta(epsilon0, k, epsilon) <= delta * (1 + 1e-7)
    assert epsilon >= optimal_composition(epsilon0, k, delta) - 1e-8


@pytest.mark.parametrize("order, rdp, delta", [(2.0, 0.5, 0.2), (10.0, 1.0, 1e-3), (1.5, 3.0, 0.1)])
def test_the_conversion_is_a_bound_with_the_smallest_constant(order, rdp, delta):
    """(1 - e^-u)_+ <= c e^((a-1) u) with equality at one u: a loss that sits there, or is very negative, attains the bound in that step."""
    u = np.linspace(-5, 40, 400_001)
    c = delta / math.exp((order - 1) * (rdp - float(rdp_to_epsilon([order], [rdp], delta))))
    assert np.max(np.maximum(-np.expm1(-u), 0) * np.exp(-(order - 1) * u)) == pytest.approx(c, rel=1e-8)


def test_many_compositions_at_once():
    rdp = np.arange(1, 7)[:, None] * rdp_laplace(0.5, ORDERS)
    batch = rdp_to_epsilon(ORDERS, rdp.reshape(2, 3, -1), 1e-5)
    assert batch.shape == (2, 3)
    assert batch.ravel() == pytest.approx([float(rdp_to_epsilon(ORDERS, row, 1e-5)) for row in rdp])


def test_divergences_that_are_nearly_nothing_need_no_epsilon():
    assert rdp_to_epsilon(ORDERS, rdp_laplace(1e-6, ORDERS), 1e-3) == 0
    assert rdp_to_epsilon([2.0], [0.5], 0.7) == 0


def test_the_orders_are_enough():
    """A denser grid of orders gains less than one part in two thousand, from one step to a million."""
    dense = 1 + np.geomspace(0.002, 5e5, 20_000)
    for epsilon0, k in ((2.0, 1), (0.5, 10), (0.1, 1000), (1e-3, 10**6), (1.0, 10**4)):
        for curve in (rdp_pure, rdp_laplace, rdp_exponential):
            ours, best = (float(rdp_to_epsilon(orders, k * curve(epsilon0, orders), 1e-6)) for orders in (ORDERS, dense))
            assert best <= ours <= best * 1.0005


def test_records_by_their_mechanism():
    sigma = gaussian_sigma(2.0, 0.5, 1e-6)
    orders = np.array([1.5, 2.0, 30.0])
    for record, curve in (
            (Release("laplace", UNIT_A, sensitivity=2, scale=4), rdp_laplace(0.5, orders)),
            (Release("geometric", UNIT_A, sensitivity=2, scale=4), rdp_geometric(0.5, orders, 2)),
            (Release("gaussian", UNIT_A, sensitivity=2, scale=sigma), rdp_gaussian(sigma / 2, orders)),
            (Release("exponential", UNIT_A, sensitivity=1, epsilon=0.5), rdp_exponential(0.5, orders)),
            (Release("randomized response", UNIT_A, epsilon=0.5), rdp_pure(0.5, orders)),
            (Release("another", UNIT_A, epsilon=0.5), rdp_pure(0.5, orders))):
        assert rdp_of_releases(record, orders) == pytest.approx(curve)
        assert rdp_of_releases([record, record], orders) == pytest.approx(2 * curve)


def test_the_claimed_run_spends_033_of_its_epsilon():
    """J11. T Laplace steps of the auditor and T exponential mechanisms of the learner, each at the epsilon' of a claimed epsilon 1."""
    for T, spent in ((100, 0.3225), (1000, 0.3267), (100_000, 0.3272)):
        step = 1 / (4 * math.sqrt(T * math.log(1e7)))
        rdp = T * (rdp_laplace(step, ORDERS) + rdp_exponential(step, ORDERS))
        assert rdp_to_epsilon(ORDERS, rdp, 1e-7) == pytest.approx(spent, abs=2e-4)


# --- deliberate faults

def first_record_only(f):
    return lambda releases, order: f(releases if dataclasses.is_dataclass(releases) else list(releases)[:1], order)


FAULTS = {
    "renyi_conversion_without_the_divergence": Mutant("dpfair_teach.accounting.rdp_to_epsilon", with_arguments(
        rdp=lambda rdp: 0 * np.asarray(rdp)), "the losses' moments are left out"),
    "renyi_conversion_without_delta": Mutant("dpfair_teach.accounting.rdp_to_epsilon", with_arguments(
        delta=lambda delta: 1 - 1e-12), "ln(1/delta) is left out"),
    "renyi_conversion_without_the_order": Mutant("dpfair_teach.accounting.rdp_to_epsilon", lambda f: lambda orders, rdp, delta: (
        f(orders, rdp + np.log(orders) / (np.asarray(orders) - 1), delta)), "- ln a / (a - 1) is left out"),
    "renyi_conversion_without_the_sharpening": Mutant("dpfair_teach.accounting.rdp_to_epsilon", lambda f: lambda orders, rdp, delta: (
        f(orders, rdp - np.log1p(-1 / np.asarray(orders)), delta)), "ln(1 - 1/a) is left out"),
    "renyi_worst_is_laplace": Mutant(
        "dpfair_teach.accounting.rdp_pure", lambda f: lambda e, a: importlib.import_module("dpfair_teach.accounting").rdp_laplace(e, a),
        "Laplace for the worst mechanism"),
    "renyi_of_the_first_record": Mutant("dpfair_teach.accounting.adding.rdp_of_releases", first_record_only, "the first record only"),
    "renyi_laplace_halved": Mutant("dpfair_teach.accounting.rdp_laplace", scaled(0.5), "half the divergence"),
    "renyi_exponential_a_tenth_less": Mutant("dpfair_teach.accounting.rdp_exponential", scaled(0.9), "nine tenths of the divergence"),
    "renyi_exponential_without_a_tenth_of_the_slope": Mutant(
        "dpfair_teach.mechanisms.exponential.sinh_slope", scaled(0.9), "nine tenths of the differences of g"),
    "renyi_conversion_at_ten_times_delta": Mutant(
        "dpfair_teach.accounting.rdp_to_epsilon", lambda f: lambda o, r, d: f(o, r, min(0.9999, 10 * d)), "a constant ten times too small"),
}
