"""The distribution of the loss on a grid, against exact answers, from above and from below."""
from __future__ import annotations

import math
import subprocess
import sys
from unittest import mock

import dp_accounting
import numpy as np
import pytest
from scipy import integrate, optimize

from brute_force import event_epsilon
from dpfair_teach.accounting import (
    UNIT_A,
    Release,
    loss_distribution,
    optimal_composition,
    optimal_composition_delta,
    pld_delta,
    pld_epsilon,
    rdp_to_epsilon,
)
from dpfair_teach.accounting.adding import rdp_of_releases
from dpfair_teach.audit import exact_delta, laplace_shift_delta
from dpfair_teach.mechanisms import gaussian_delta, geometric_law
from faults import Mutant, scaled


def with_interval(interval, answer, *given, **more):
    with mock.patch.object(loss_distribution, "_interval", lambda *_: interval):
        return answer(*given, **more)


def reports(epsilon, times=1, delta=0.0):
    return Release("randomized response", UNIT_A, epsilon=epsilon, delta=delta, times=times)


def laplace(epsilon, times=1):
    return Release("laplace", UNIT_A, sensitivity=1.0, scale=1 / epsilon, times=times)


def gaussian(sigma, times=1):
    return Release("gaussian", UNIT_A, sensitivity=1.0, scale=sigma, times=times)


@pytest.mark.parametrize("epsilon0, k, delta", [(1.0, 1, 1e-6), (0.5, 10, 1e-4), (1.0, 100, 1e-6), (0.1, 1000, 1e-6), (0.01, 10_000, 1e-7),
                                                (0.1, 10_000, 1e-6), (0.1, 300, 0.3)])
def test_randomized_response_is_the_exact_optimal_composition(epsilon0, k, delta):
    """The losses lie on the grid, so only the rounding of the convolutions remains."""
    exact = optimal_composition(epsilon0, k, delta)
    assert pld_epsilon(reports(epsilon0, k), delta) == pytest.approx(exact, rel=1e-6)
    assert pld_delta(reports(epsilon0, k), exact) == pytest.approx(delta, rel=1e-4)


@pytest.mark.parametrize("epsilon0, k", [(0.37, 20), (1.1, 5)])
def test_off_the_grid_the_answers_bracket_the_exact_one(epsilon0, k):
    interval = 0.0013
    exact = optimal_composition(epsilon0, k, 1e-3)
    above, below = (with_interval(interval, pld_epsilon, reports(epsilon0, k), 1e-3, pessimistic=p) for p in (True, False))
    assert below <= exact <= above
    assert above - below <= 2 * k * interval
    above, below = (with_interval(interval, pld_delta, reports(epsilon0, k), exact, pessimistic=p) for p in (True, False))
    assert below <= 1e-3 <= above


@pytest.mark.parametrize("sigma, k", [(1.0, 1), (10.0, 100), (50.0, 10_000), (4.0, 1000), (0.5, 1)])
def test_gaussian_is_the_analytic_one(sigma, k):
    """k runs are one with sqrt(k) times the sensitivity."""
    record = gaussian(sigma, k)
    exact = optimize.brentq(lambda e: gaussian_delta(math.sqrt(k), sigma, e) - 1e-6, 0, 300, xtol=1e-13)
    above, below = pld_epsilon(record, 1e-6), with_interval(5e-5 * exact, pld_epsilon, record, 1e-6, pessimistic=False)
    assert exact - 1e-9 <= above <= exact * (1 + 1e-6)
    assert below <= exact + 1e-9
    assert exact - below < 1e-3 * max(1, exact)
    for epsilon in (0.2 * exact, exact):
        delta = gaussian_delta(math.sqrt(k), sigma, epsilon)
        assert delta * (1 - 1e-6) <= pld_delta(record, epsilon) <= delta * (1 + 1e-4)
        assert with_interval(5e-5 * exact, pld_delta, record, epsilon, pessimistic=False) <= delta * (1 + 1e-6)


def test_one_laplace_is_its_exact_curve():
    for epsilon in (0.0, 0.3, 0.9):
        delta = laplace_shift_delta(1.0, 1.0, epsilon)
        assert with_interval(1e-3, pld_delta, laplace(1.0), epsilon, pessimistic=False) <= delta <= pld_delta(laplace(1.0), epsilon)
        assert pld_delta(laplace(1.0), epsilon) == pytest.approx(delta, rel=1e-4)


@pytest.mark.parametrize("sensitivity, k", [(1, 4), (2, 3), (3, 2)])
def test_geometric_is_the_exact_product_law(sensitivity, k):
    """A window of +-60 holds all but 1e-12 of the noise."""
    w = np.arange(-60, 61 + sensitivity)
    one = [geometric_law(sensitivity, 0.5 * sensitivity, centre).pmf(w) for centre in (0, sensitivity)]
    p = q = np.ones(1)
    # what tells is the loss: outputs with one ratio are one outcome
    loss = np.round(np.log(one[0] / one[1]), 9)
    values = np.unique(loss)
    p1, q1 = (np.array([law[loss == v].sum() for v in values]) for law in one)
    for _ in range(k):
        p, q = np.outer(p, p1).ravel(), np.outer(q, q1).ravel()
    record = Release("geometric", UNIT_A, sensitivity=sensitivity, scale=2.0, times=k)
    for epsilon in (0.1, 0.6, 1.3):
        assert pld_delta(record, epsilon) == pytest.approx(exact_delta(p / p.sum(), q / q.sum(), epsilon), rel=1e-5, abs=1e-10)


def laplace_curve(change, epsilon):
    """delta of Laplace noise of scale 1 on one number, at any real epsilon."""
    if epsilon < 0:
        return 1 - math.exp(epsilon) + math.exp(epsilon) * laplace_shift_delta(change, 1.0, -epsilon)
    return laplace_shift_delta(change, 1.0, epsilon)


def two_laplace(u, v, epsilon):
    """delta of two numbers that change by u and v: the second's curve, averaged over the loss of the first at each noise x."""
    def inside(x):
        return math.exp(-x) / 2 * laplace_curve(v, epsilon - (u - 2 * x))
    return (laplace_curve(v, epsilon - u) / 2 + math.exp(-u) / 2 * laplace_curve(v, epsilon + u)
            + integrate.quad(inside, 0, u, points=[x for x in ((u + v - epsilon) / 2, (u - epsilon) / 2) if 0 < x < u])[0])


@pytest.mark.parametrize("noise", ("laplace", "geometric"))
def test_several_coordinates_lose_no_more_than_one_that_takes_the_whole_change(noise):
    """A vector whose coordinates change by u and v, against one number that changes by u + v; both as their exact laws have them."""
    t, w = 0.3, np.arange(-130, 141)

    def release(change):
        return Release(noise, UNIT_A, sensitivity=change, scale=1 / t, epsilon=change * t)

    def pair(change):
        return [geometric_law(1, t, centre).pmf(w) for centre in (0, change)]

    for u, v in ((1, 1), (1, 3), (2, 5)):
        for epsilon in np.linspace(0, 0.9 * t * (u + v), 7):
            vector = with_interval(t / 200, pld_delta, [release(u), release(v)], float(epsilon))
            whole = with_interval(t / 200, pld_delta, release(u + v), float(epsilon))
            if noise == "laplace":
                exact = two_laplace(t * u, t * v, float(epsilon)), laplace_shift_delta(t * (u + v), 1.0, float(epsilon))
            else:
                both = [np.outer(one, other).ravel() for one, other in zip(pair(u), pair(v), strict=True)]
                exact = [exact_delta(p / p.sum(), q / q.sum(), float(epsilon)) for p, q in (both, pair(u + v))]
            assert exact[0] <= exact[1] + 1e-12
            assert vector == pytest.approx(exact[0], rel=1e-2, abs=1e-9) and vector >= exact[0] - 1e-9
            assert whole == pytest.approx(exact[1], rel=1e-2, abs=1e-9) and whole >= exact[1] - 1e-9


def test_a_mix_of_records_lies_between_its_lower_bound_and_renyis():
    records = [laplace(0.1, 50), gaussian(8.0, 20), Release("exponential", UNIT_A, sensitivity=1.0, epsilon=0.2, times=10), reports(0.3, 5),
               Release("geometric", UNIT_A, sensitivity=2, scale=10.0, times=20)]
    epsilon = pld_epsilon(records, 1e-6)
    # Renyi's accountant knows of the exponential mechanism what the grid does not, and still loses
    assert pld_epsilon(records, 1e-6, pessimistic=False) <= epsilon
    orders = np.geomspace(1.1, 1e4, 300)
    worst = [Release("another", UNIT_A, epsilon=0.2, times=10) if r.mechanism == "exponential" else r for r in records]
    assert epsilon < float(rdp_to_epsilon(orders, rdp_of_releases(worst, orders), 1e-6))
    assert pld_delta(records, epsilon) == pytest.approx(1e-6, rel=1e-3)
    shuffled = pld_epsilon(records[::-1], 1e-6)
    assert shuffled == pytest.approx(epsilon, rel=1e-6)
    split = [laplace(0.1, 20), laplace(0.1, 30), *records[1:]]
    assert pld_epsilon(split, 1e-6) == pytest.approx(epsilon, rel=1e-5)


def test_a_delta_of_the_steps_is_spent_first():
    record = reports(0.3, 10, delta=1e-7)
    assert pld_epsilon(record, 1e-4) == pytest.approx(optimal_composition(0.3, 10, 1e-4, 1e-7), rel=1e-6)
    assert pld_delta(record, 1.5) == pytest.approx(optimal_composition_delta(0.3, 10, 1.5, 1e-7), rel=1e-5)
    with pytest.raises(ValueError, match=r"delta=1e-06.*leave 4.5e-13"):
        pld_epsilon(record, 1e-6)


@pytest.mark.parametrize("record, what", [
    (reports(1.0, 10_000), "650"), (laplace(300.0), "grid"), (reports(1e-7), "grid"), (gaussian(1.0, 10**12), "grid")])
def test_losses_that_no_grid_holds_are_refused(record, what):
    with pytest.raises(ValueError, match=f"releases=.*{what}"):
        pld_epsilon(record, 1e-6)


@pytest.mark.parametrize("k, delta", [(10, 1e-10), (1000, 1e-9), (10_000, 1e-8), (100_000, 1e-8)])
def test_rounding_never_makes_a_bound_too_small(k, delta):
    """Convolving k times errs by about 1e-16 k in delta, either way; the allowance covers it."""
    exact = optimal_composition(1 / math.sqrt(k), k, delta)
    assert exact <= pld_epsilon(reports(1 / math.sqrt(k), k), delta) <= exact * (1 + 1e-4)


def test_a_delta_that_rounding_drowns_is_refused():
    with pytest.raises(ValueError, match=r"delta=1e-09.*rounding"):
        pld_epsilon(reports(1e-3, 10**6), 1e-9)
    with pytest.raises(ValueError, match=r"releases=.*1000000000 runs"):
        pld_delta(reports(1e-5, 10**9), 1.0)


def test_records_are_the_peers_events():
    """One event of k runs, composed by dp-accounting's own accountant on its own grid."""
    for record, event in ((laplace(0.1, 100), dp_accounting.LaplaceDpEvent(10.0)),
                          (Release("geometric", UNIT_A, sensitivity=3, scale=10.0, times=100),
                           dp_accounting.dp_event.DiscreteLaplaceDpEvent(0.1, 3)),
                          (gaussian(8.0, 100), dp_accounting.GaussianDpEvent(8.0))):
        peer = event_epsilon(dp_accounting.SelfComposedDpEvent(event, 100), 1e-6)
        assert pld_epsilon(record, 1e-6) == pytest.approx(peer, rel=1e-3)


@pytest.mark.slow
def test_the_package_is_imported_when_it_is_needed():
    """Half a second of import that readers of other rooms do not pay; and without the package a sentence that says what to install."""
    program = """
import sys
from dpfair_teach import accounting
assert "dp_accounting" not in sys.modules
record = accounting.Release("another", "unit", epsilon=1.0, relation="neighbours", times=9)
assert accounting.compose(record, 1e-6, "rdp") > 0 and "dp_accounting" not in sys.modules
sys.modules["dp_accounting"] = None
try:
    accounting.pld_epsilon(record, 1e-6)
except ValueError as refusal:
    assert "pip install dp-accounting" in str(refusal) and "releases" in str(refusal)
else:
    raise AssertionError
assert accounting.compose(record, 1e-6, "best") == accounting.compose(record, 1e-6, "optimal")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


# --- deliberate faults

FAULTS = {
    "loss_distribution_a_tenth_less": Mutant("dpfair_teach.accounting.pld_delta", scaled(0.9), "nine tenths of the delta"),
}
