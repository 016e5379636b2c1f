"""``compose`` with every method, all accountants side by side, and their curves."""
from __future__ import annotations

import math
import time
from dataclasses import replace

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from dpfair_teach.accounting import (
    ORDERS,
    UNIT_A,
    UNIT_TUPLE,
    Release,
    adding,
    advanced_composition,
    advanced_composition_long,
    bounded_range_composition,
    compare_accountants,
    compose,
    epsilon_by_steps,
    optimal_composition,
    pld_epsilon,
    rdp_laplace,
    rdp_to_epsilon,
)
from dpfair_teach.accounting.adding import ACCOUNTANTS
from dpfair_teach.mechanisms import MECHANISMS, gaussian_delta, gaussian_sigma
from dpfair_teach.mechanisms.gaussian import _epsilon, log_delta
from faults import Mutant

DELTA = 1e-6


def laplace(epsilon, times=1):
    return Release("laplace", UNIT_A, sensitivity=1.0, scale=1 / epsilon, times=times)


def exponential(epsilon, times=1):
    return Release("exponential", UNIT_A, sensitivity=1.0, epsilon=epsilon, times=times)


def test_every_method_is_its_function():
    for records in (laplace(0.1, 100), [laplace(0.1, 40), laplace(0.1, 60)]):
        assert compose(records, DELTA, "basic") == pytest.approx(10)
        assert compose(records, DELTA, "advanced") == pytest.approx(advanced_composition(0.1, 100, DELTA))
        assert compose(records, DELTA, "long") == pytest.approx(advanced_composition_long(0.1, 100, DELTA))
        assert compose(records, DELTA, "optimal") == pytest.approx(optimal_composition(0.1, 100, DELTA))
        assert compose(records, DELTA, "rdp") == pytest.approx(float(rdp_to_epsilon(ORDERS, 100 * rdp_laplace(0.1, ORDERS), DELTA)))
        assert compose(records, DELTA, "pld") == pytest.approx(pld_epsilon(laplace(0.1, 100), DELTA), rel=1e-5)
    assert compose(exponential(0.1, 100), DELTA, "bounded_range") == pytest.approx(bounded_range_composition(0.1, 100, DELTA))


@pytest.mark.parametrize("method", ACCOUNTANTS)
def test_k_records_are_one_record_k_times(method):
    many, one = [exponential(0.2)] * 12, exponential(0.2, 12)
    assert compose(many, 1e-3, method) == pytest.approx(compose(one, 1e-3, method), rel=1e-6)


@pytest.mark.parametrize("method, records, why", [
    ("advanced", [laplace(0.1), laplace(0.2)], "releases"), ("long", [laplace(0.1), laplace(0.2)], "releases"),
    ("optimal", [laplace(0.1), laplace(0.2)], "releases"), ("bounded_range", [laplace(0.1)], "releases"),
    ("advanced", [Release("another", UNIT_A, epsilon=0.1, delta=1e-9)], "releases"), ("advanced", [laplace(1.0, 1000)], "epsilon0"),
    ("rdp", [Release("another", UNIT_A, epsilon=0.1, delta=1e-5)], "delta"),
    ("pld", [Release("another", UNIT_A, epsilon=0.1, delta=1e-5)], "delta"),
    ("best", [Release("another", UNIT_A, epsilon=0.1, delta=1e-5)], "delta"),
])
def test_a_method_that_does_not_apply_says_so(method, records, why):
    with pytest.raises(ValueError, match=rf"^{why}="):
        compose(records, DELTA, method)


@pytest.mark.parametrize("method", ["advanced", "long", "bounded_range", "rdp", "pld"])
def test_without_a_delta_only_sums_are_left(method):
    records = exponential(0.1, 3)
    with pytest.raises(ValueError, match="delta"):
        compose(records, 0.0, method)
    assert compose(records, 0.0, "best") == compose(records, 0.0, "optimal") == pytest.approx(0.3)


@pytest.mark.slow
def test_the_best_is_the_smallest_and_the_table_says_which():
    for records, winner in ((laplace(0.1, 100), "pld"), ([exponential(0.1, 100), laplace(0.05)], "rdp"), (laplace(0.5), "pld"),
                            ([laplace(0.1), laplace(0.2)], "pld")):
        table = compare_accountants(records, DELTA)
        assert tuple(table.index) == ACCOUNTANTS and list(table.columns) == ["epsilon", "best", "why_not"]
        assert compose(records, DELTA, "best") == pytest.approx(table["epsilon"].min())
        assert table.index[table["best"]].tolist() == [winner]
        for name, row in table.iterrows():
            if pd.isna(row["epsilon"]):
                assert "=" in row["why_not"]
            else:
                assert row["why_not"] == "" and row["epsilon"] == pytest.approx(compose(records, DELTA, name))


def test_units_are_never_mixed():
    other = Release("another", UNIT_TUPLE, epsilon=0.1)
    for method in (*ACCOUNTANTS, "best"):
        with pytest.raises(ValueError, match="unit"):
            compose([laplace(0.1), other], DELTA, method)
    with pytest.raises(ValueError, match="unit"):
        compare_accountants([laplace(0.1), other], DELTA)


def test_gaussian_runs_are_added_up_as_gaussians():
    """Basic and optimal composition split delta between the runs; the loss itself is one Gaussian with less noise."""
    record = Release("gaussian", UNIT_A, sensitivity=1.0, scale=gaussian_sigma(1.0, 0.5, DELTA), times=50)
    exact = optimize.brentq(lambda e: gaussian_delta(math.sqrt(50), record.scale, e) - DELTA, 0, 50)
    assert compose(record, DELTA, "pld") == pytest.approx(exact, rel=1e-5)
    assert exact < compose(record, DELTA, "rdp") < 1.1 * exact
    each = optimize.brentq(lambda e: gaussian_delta(1, record.scale, e) - DELTA / 50, 0, 50)
    assert compose(record, DELTA) == pytest.approx(50 * each)
    assert exact < compose(record, DELTA, "optimal") < compose(record, DELTA)
    with pytest.raises(ValueError, match=r"delta=0\.0"):
        compose(record)
    for method in ("advanced", "long", "bounded_range"):
        with pytest.raises(ValueError, match="releases"):
            compose(record, DELTA, method)


def test_basic_composition_of_a_mixed_list_splits_what_is_left_of_delta():
    """Two Gaussian records, a pure one, and one that may fail: the failures come first, the rest is shared by the runs."""
    gaussians = [Release("gaussian", UNIT_A, sensitivity=1.0, scale=sigma, times=k) for sigma, k in ((10.0, 3), (20.0, 7))]
    pure, failing = laplace(0.1, 4), Release("another", UNIT_A, epsilon=0.2, delta=1e-7, times=2)
    share = (DELTA - 2e-7) / 10
    said = compose([*gaussians, pure, failing], DELTA)
    each = [optimize.brentq(lambda e, sigma=r.scale: gaussian_delta(1, sigma, e) - share, 0, 10) for r in gaussians]
    assert said == pytest.approx(3 * each[0] + 7 * each[1] + 4 * 0.1 + 2 * 0.2, rel=1e-9)
    assert compose([*gaussians, pure, failing], DELTA, "pld") < compose([*gaussians, pure, failing], DELTA, "rdp") < said
    with pytest.raises(ValueError, match="delta"):
        compose([*gaussians, failing], 2e-7)


@pytest.mark.parametrize("off", [0.0, 1e-13])
def test_steps_of_one_spread_are_not_of_one_law(off):
    """A sampled and an unsampled Gaussian whose losses have the same deviation: optimal composition is not for them."""
    on_a_sample = Release("gaussian", UNIT_TUPLE, sensitivity=1, scale=0.2, sampling_probability=0.01)
    scale = 1 / (MECHANISMS["gaussian"].loss(on_a_sample)[1] * (1 + off))
    everybody = Release("gaussian", UNIT_TUPLE, sensitivity=1, scale=scale)
    for records in ([everybody, on_a_sample], [on_a_sample, everybody]):
        with pytest.raises(ValueError, match=r"releases=.*steps of one epsilon"):
            compose(records, 1e-3, "optimal")
    assert compose(records, 1e-3, "best") > 1.28            # it said 0.632; the loss distribution rounded down says 1.2893


@pytest.mark.parametrize("delta", [1e-3, 0.1, 0.3])
@pytest.mark.parametrize("k", [1, 2])
def test_optimal_composition_pays_for_the_deltas_of_its_steps(k, delta):
    """Gaussian steps are private at the deltas that they are given, which add up: with them left out, the exact delta would be passed.

    Where one step is private at its share of delta alone, epsilon is 0. Of steps of one epsilon and two deltas neither is that of all.
    """
    for scale in (0.5, 1.0, 3.0):
        said = compose(Release("gaussian", UNIT_A, sensitivity=1.0, scale=scale, times=k), delta, "optimal")
        assert gaussian_delta(math.sqrt(k), scale, said) <= delta
        assert (said == 0) == (gaussian_delta(1.0, scale, 0.0) <= 0.99 * delta / k)
    failing = [Release("another", UNIT_A, epsilon=0.2, delta=each, times=k) for each in (delta / 100, delta / 50)]
    for records in (failing, failing[::-1]):
        with pytest.raises(ValueError, match=r"releases=.*steps of one epsilon and one delta"):
            compose(records, delta, "optimal")
    assert compose(failing[1], delta, "optimal") == optimal_composition(0.2, k, delta, delta / 50)


@pytest.mark.slow
def test_no_accountant_says_less_than_the_truth():
    """The truth: of randomized response the optimum; of noise, from below, the loss distribution rounded down; of exponential mechanisms
    the optimum for steps fixed beforehand."""
    truths = {"exponential": lambda record: bounded_range_composition(record.epsilon, record.times, DELTA, adaptive=False),
              "randomized response": lambda record: optimal_composition(record.epsilon, record.times, DELTA)}
    applied = dict.fromkeys(ACCOUNTANTS, 0)
    for mechanism in ("laplace", "geometric", "randomized response", "exponential"):
        for epsilon0, k in ((0.01, 1), (0.01, 10_000), (0.2, 1000), (1.0, 30), (3.0, 5)):
            scale = {"exponential": 2 / epsilon0, "randomized response": None}.get(mechanism, 1 / epsilon0)
            record = Release(mechanism, UNIT_A, sensitivity=None if scale is None else 1.0, scale=scale, epsilon=epsilon0, times=k)
            truth = truths.get(mechanism, lambda record: pld_epsilon(record, DELTA, pessimistic=False))(record)
            for method in ACCOUNTANTS:
                try:
                    said = compose(record, DELTA, method)
                except ValueError:
                    continue
                assert said >= truth * (1 - 1e-9), (method, mechanism, epsilon0, k)
                applied[method] += 1
    assert min(applied.values()) >= 5, applied


# ---------------------------------------------------------------------------------------------------------- curves

STEPS = [1, 3, 10, 100, 1000]


@pytest.mark.parametrize("mechanism", ["laplace", "geometric", "exponential", "randomized response"])
def test_curves_are_the_accountants(mechanism):
    for epsilon0 in (0.05, 1.0):
        curves = epsilon_by_steps(mechanism, epsilon0, STEPS, DELTA)
        assert tuple(curves) == ACCOUNTANTS
        for i, k in enumerate(STEPS):
            scale = {"exponential": 2 / epsilon0, "randomized response": None}.get(mechanism, 1 / epsilon0)
            record = Release(mechanism, UNIT_A, sensitivity=None if scale is None else 1.0, scale=scale, epsilon=epsilon0, times=k)
            table = compare_accountants(record, DELTA)["epsilon"]
            for name in ACCOUNTANTS:
                assert curves[name][i] == pytest.approx(table[name], rel=1e-3, nan_ok=True), (name, k)
    assert np.isnan(curves["advanced"][-1]) and not np.isnan(curves["long"]).any()


def test_gaussian_curves():
    curves = epsilon_by_steps("gaussian", 0.5, STEPS, DELTA)
    assert curves["exact"][0] == pytest.approx(0.5, rel=1e-6)
    assert curves["pld"] == pytest.approx(curves["exact"], rel=1e-5)
    assert (curves["rdp"] >= curves["exact"]).all() and (curves["optimal"] >= curves["exact"]).all()
    assert (curves["basic"] * 1.01 >= curves["optimal"]).all()
    assert np.isnan(curves["advanced"]).all() and np.isnan(curves["bounded_range"]).all()


@pytest.mark.parametrize("epsilon0, k", [(3.0, 100_000), (3.0, 10**6), (50.0, 3000)])
def test_the_exact_gaussian_curve_goes_on_where_epsilon_is_large(epsilon0, k):
    """Theorem 8 of Balle and Wang in 400 digits, at the epsilon that the curve says: its delta is the one asked for."""
    epsilon = epsilon_by_steps("gaussian", epsilon0, [k], DELTA, ("basic",))["exact"][0]
    assert epsilon > 1e4
    with mpmath.workdps(400):
        ratio = mpmath.sqrt(k) / mpmath.mpf(gaussian_sigma(1.0, epsilon0, DELTA))
        s, t = ratio / 2, mpmath.mpf(epsilon) / ratio
        delta = (mpmath.erfc((t - s) / mpmath.sqrt(2)) - mpmath.exp(epsilon) * mpmath.erfc((t + s) / mpmath.sqrt(2))) / 2
    assert float(delta) == pytest.approx(DELTA, rel=1e-6)


def test_a_new_accountant_has_its_curve_at_once(monkeypatch):
    """Whoever is in the table of ``compose`` is drawn; no second list has to know of it."""
    monkeypatch.setitem(adding._METHODS, "careful", lambda records, delta: sum(r.times for r in records))
    monkeypatch.setattr(adding, "ACCOUNTANTS", tuple(adding._METHODS))
    for mechanism in MECHANISMS:
        assert epsilon_by_steps(mechanism, 0.5, STEPS, DELTA, ("careful",))["careful"].tolist() == STEPS


def test_a_new_mechanism_is_one_class(monkeypatch):
    """Its records are checked, every accountant reads them, and its curves are drawn."""
    class Staircase(type(MECHANISMS["geometric"])):
        def at(self, epsilon, delta):
            return {"sensitivity": 1.0, "scale": 3 / epsilon}

        def epsilon(self, sensitivity, scale, own):
            return 3 * sensitivity / scale

        def numbers(self, mechanism, sensitivity, scale, epsilon):
            if epsilon is not None and epsilon != self.epsilon(sensitivity, scale, None):
                raise ValueError(f"scale={scale}")
            return sensitivity, scale, None

        def divergence(self, run, order):
            return 0.5 * rdp_laplace(run.epsilon, order)

    monkeypatch.setitem(MECHANISMS, "staircase", Staircase())
    with pytest.raises(ValueError, match=r"^scale=2\.0"):
        Release("Staircase", UNIT_A, sensitivity=1.0, scale=2.0, epsilon=0.5)
    record = Release("Staircase", UNIT_A, sensitivity=1.0, scale=6.0, times=100)
    assert record.epsilon == 0.5
    assert compose(record, DELTA, "rdp") == pytest.approx(float(rdp_to_epsilon(ORDERS, 50 * rdp_laplace(0.5, ORDERS), DELTA)))
    same = Release("geometric", UNIT_A, sensitivity=1.0, scale=2.0, times=100)
    assert compose(record, DELTA, "pld") == pytest.approx(compose(same, DELTA, "pld"))
    assert epsilon_by_steps("staircase", 0.5, [100], DELTA, ("rdp",))["rdp"][0] == pytest.approx(compose(record, DELTA, "rdp"))


@pytest.mark.slow
def test_a_frame_takes_less_than_a_second():
    """Every accountant at 41 numbers of steps up to ten thousand; without the grid a fiftieth of that. Processor time, best of three."""
    steps = np.unique(np.geomspace(1, 10_000, 41).astype(int))
    pld_epsilon(laplace(0.1), DELTA)                                             # import first
    for accountants, limit in ((None, 1.0), (("basic", "advanced", "long", "optimal", "rdp", "bounded_range"), 0.2)):
        times = []
        for _ in range(3):
            start = time.process_time()
            epsilon_by_steps("exponential", 0.1, steps, DELTA, accountants)
            times.append(time.process_time() - start)
        assert min(times) < limit


def test_only_the_curves_that_were_asked_for():
    assert tuple(epsilon_by_steps("laplace", 0.1, [5], DELTA, ["rdp", "basic"])) == ("rdp", "basic")
    with pytest.raises(ValueError, match=r"accountants='moments'.*'bounded_range'"):
        epsilon_by_steps("laplace", 0.1, [5], DELTA, ("moments",))


def test_the_exact_gaussian_curve_never_says_less_than_its_delta_needs():
    """The root is taken on the safe side, to the last digit."""
    rng = np.random.default_rng(5)
    for ratio, delta in zip(10 ** rng.uniform(-2, 2, 300), 10 ** rng.uniform(-9, -1, 300), strict=True):
        assert log_delta(ratio, _epsilon(ratio, delta)) <= np.log(delta)


# --- deliberate faults

def whatever_the_sample(f):
    """Steps are alike if their losses have one deviation and one delta."""
    def old(records, method):
        sizes = [MECHANISMS[r.mechanism].loss(r)[1] for r in records]
        if max(sizes) > min(sizes) * (1 + 1e-12) or len({(r.delta, r.epsilon is None) for r in records}) > 1:
            return f(records, method)
        largest = records[sizes.index(max(sizes))]
        return largest, largest.epsilon, sum(r.times for r in records)
    return old


def whatever_their_delta(f):
    """Steps are alike if their losses have one deviation; the delta is the first one's."""
    def same(records, method):
        return f([replace(r, delta=records[0].delta) for r in records], method)
    return same


FAULTS = {
    "same_steps_whatever_their_delta": Mutant(
        "dpfair_teach.accounting.adding._same", whatever_their_delta, "steps with a larger delta count as those with the smaller"),
    "same_steps_whatever_the_sample": Mutant(
        "dpfair_teach.accounting.adding._same", whatever_the_sample, "a sampled step counts as an unsampled one of the same deviation"),
}
