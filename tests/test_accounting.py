"""Release records and their sums: against exact laws of what was composed."""
from __future__ import annotations

import copy
import dataclasses
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpfair_teach import accounting
from dpfair_teach.accounting import (
    UNIT_A,
    UNIT_TUPLE,
    Release,
    advanced_composition,
    compare_accountants,
    compose,
    compose_parallel,
    releases_table,
)
from dpfair_teach.audit import exact_delta, exact_epsilon
from dpfair_teach.mechanisms import RELATIONS, geometric_law, randomized_response_matrix
from dpfair_teach.mechanisms.laplace import Laplace
from faults import Mutant


def reports(epsilon, times=1, delta=0.0, unit=UNIT_A):
    return Release("randomized response", unit, epsilon=epsilon, delta=delta, times=times)


# -------------------------------------------------------------------------------------------------------- records

def test_a_record_keeps_what_it_was_given_and_cannot_change():
    record = Release("laplace", UNIT_TUPLE, sensitivity=2, scale=4, relation="add or remove one tuple", times=3)
    assert dataclasses.astuple(record) == ("laplace", UNIT_TUPLE, 2.0, 4.0, 0.5, 0.0, 1.0, "add or remove one tuple", 3, None)
    for name in ("scale", "epsilon"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, name, 0.1)
    assert dataclasses.replace(record, times=1).times == 1 and dataclasses.replace(record, scale=2, epsilon=None).epsilon == 1
    with pytest.raises(ValueError, match=r"scale=2\.0"):
        dataclasses.replace(record, scale=2)
    for unit, relations in RELATIONS.items():
        assert Release("other", unit, epsilon=1.0).relation == relations[0]


@pytest.mark.slow
def test_what_was_asked_of_one_part_adds_up_and_of_another_does_not():
    """Whoever's A changes is in one part: two questions to each of two parts cost as much as those to the dearer one, and what was asked
    of all is added. With every accountant; and there is no part where a change may take somebody into another."""
    def noise(scale, part=None):
        return Release("laplace", UNIT_A, sensitivity=1, scale=scale, part=part and (part, "halves"))
    records = [noise(2.0, "a"), noise(4.0, "b"), noise(4.0, "a"), noise(1.0, "b")]
    assert compose(records) == pytest.approx(1.25) and compose([*records, noise(8.0)]) == pytest.approx(1.375)
    assert compose([noise(10.0, "a")] * 3 + [noise(20.0, "b")] * 90, 1e-6, "pld") == pytest.approx(compose([noise(20.0)] * 90, 1e-6, "pld"))
    table = compare_accountants(records, 1e-6)
    assert table.loc["basic", "epsilon"] == pytest.approx(1.25) and (table["epsilon"].dropna() <= 1.25 + 1e-9).all()
    assert releases_table(records)["part"].tolist() == ["a", "b", "a", "b"] and "part" not in releases_table([noise(1.0)])
    assert "partition" not in releases_table(records)
    assert dataclasses.replace(records[0], times=2).part == ("a", "halves")
    for unit, relation in ((UNIT_TUPLE, None), (UNIT_A, "replace all A of a household")):
        with pytest.raises(ValueError, match=r"^part=\('a', 'halves'\): with the unit .* a change may take somebody from one part into"):
            Release("laplace", unit, sensitivity=1, scale=1.0, part=("a", "halves"), relation=relation)
    for part in ("a", ("a", " "), ("a", "halves", "b"), (1, "halves")):
        with pytest.raises(ValueError, match=r"^part=.* is no part of a partition\. Give two texts"):
            Release("laplace", UNIT_A, sensitivity=1, scale=1.0, part=part)


def test_parts_of_two_partitions_may_hold_the_same_person():
    """Somebody is in one part of each: the dearest of one and the dearest of the other add up, whatever the parts are called."""
    def noise(epsilon, part, partition):
        return Release("geometric", UNIT_A, sensitivity=1, epsilon=epsilon, part=(part, partition))
    records = [noise(1.0, "label 0", "May"), noise(0.5, "label 1", "May"), noise(0.25, "label 0", "June"), noise(2.0, "label 1", "June")]
    assert compose(records) == pytest.approx(3.0) and compose(records[:2]) == 1.0
    assert releases_table(records)["partition"].tolist() == ["May", "May", "June", "June"]
    both = [noise(0.1, part, partition) for part in "ab" for partition in "xy" for _ in range(20)]
    alone = [Release("geometric", UNIT_A, sensitivity=1, epsilon=0.1)] * 40
    for method in ("optimal", "rdp", "pld"):
        assert compose(both, 1e-6, method) == pytest.approx(compose(alone, 1e-6, method))
    many = [noise(0.1, part, str(partition)) for part in "ab" for partition in range(9)]        # 512 kinds of people: all is added up
    assert compose(many) == pytest.approx(1.8) and compose(many[:8] + many[9:17]) == pytest.approx(0.8)


@pytest.mark.parametrize("mechanism, sensitivity, scale, epsilon, delta, right", [
    ("laplace", 1.0, 2.0, 0.5, 0.0, True), ("laplace", 1.0, 1.0, 0.5, 0.0, False), ("laplace", 2.0, 2.0, 0.5, 0.0, False),
    ("geometric", 1, 2.0, 0.5, 0.0, True), ("geometric", 1, 1.9, 0.5, 0.0, False),
    ("exponential", 1.0, 4.0, 0.5, 0.0, True), ("exponential", 1.0, 2.0, 0.5, 0.0, False),
    ("laplace", 1.0, 2.0, None, 0.0, True), ("laplace", 1.0, None, 0.5, 0.0, True), ("laplace", 1.0, 2.0, None, 1e-9, True),
    ("laplace", None, 2.0, 0.5, 0.0, False), ("laplace", 1.0, None, None, 0.0, False), ("geometric", None, None, 0.5, 0.0, False),
    ("gaussian", 2.0, 3.0, None, 0.0, True), ("gaussian", 2.0, None, None, 0.0, False), ("gaussian", None, 3.0, None, 0.0, False),
    ("gaussian", 2.0, 30.0, 0.5, 0.0, False), ("gaussian", 2.0, None, 0.5, 1e-6, False), ("gaussian", 2.0, 30.0, None, 1e-6, False),
    ("exponential", 1.0, 4.0, None, 0.0, True), ("exponential", None, None, 0.5, 0.0, True), ("exponential", 1.0, None, 0.5, 0.0, True),
    ("exponential", None, 4.0, None, 0.0, False), ("exponential", None, 4.0, 0.5, 0.0, False), ("exponential", 1.0, None, None, 0.0, False),
    ("randomized response", None, None, 0.5, 0.0, True), ("randomized response", None, None, None, 0.0, False),
    ("randomized response", 1.0, None, 0.5, 0.0, False), ("randomized response", None, 1.0, 0.5, 0.0, False),
    ("staircase", 1.0, 2.0, 0.5, 0.0, True), ("staircase", 1.0, 2.0, None, 0.0, False),
])
def test_a_record_says_what_was_run_and_does_not_contradict_itself(mechanism, sensitivity, scale, epsilon, delta, right):
    if right:
        Release(mechanism, UNIT_A, sensitivity=sensitivity, scale=scale, epsilon=epsilon, delta=delta)
    else:
        with pytest.raises(ValueError, match=r"^(scale|sensitivity|epsilon|delta)=.*\. [A-Z]"):
            Release(mechanism, UNIT_A, sensitivity=sensitivity, scale=scale, epsilon=epsilon, delta=delta)


@pytest.mark.parametrize("sensitivity", [1.5, 0.5, 1 - 1e-9])
def test_geometric_noise_has_a_whole_sensitivity(sensitivity):
    """Such a query moves by whole steps; noise whose law has another ratio between neighbours is not this noise."""
    for numbers in ({"scale": 2.0}, {"epsilon": 0.5}):
        with pytest.raises(ValueError, match=rf"^sensitivity={sensitivity}: not a whole number\. Give an int"):
            Release("geometric", UNIT_A, sensitivity=sensitivity, **numbers)
    assert Release("geometric", UNIT_A, sensitivity=2.0, scale=2.0).epsilon == 1 and Release(
        "laplace", UNIT_A, sensitivity=sensitivity, scale=2.0).sensitivity == sensitivity


def test_the_table_has_a_row_per_record_in_order():
    table = releases_table([Release("laplace", UNIT_A, sensitivity=2, scale=4, times=2), reports(1.0)])
    assert list(table.columns) == ["mechanism", "unit", "relation", "sensitivity", "scale", "epsilon", "delta", "times"]
    assert list(table["mechanism"]) == ["laplace", "randomized response"] and list(table["times"]) == [2, 1]
    assert table.loc[0, "scale"] == 4 and pd.isna(table.loc[1, "scale"])
    pd.testing.assert_frame_equal(releases_table(reports(1.0)), releases_table(r for r in [reports(1.0)]))


def test_no_table_prints_a_delta_above_0_as_0():
    """On its side or not: among texts and large numbers pandas rounds to six places."""
    pure = Release("laplace", UNIT_A, sensitivity=1, scale=2.0)
    for delta in (1e-7, 3e-12, 1e-99, 0.1 + 0.2):
        release = Release("laplace", UNIT_A, sensitivity=1, scale=2.0, delta=delta)
        for table in (releases_table(release), releases_table([pure, release])):
            assert f"{delta:.6g}" in table.to_string() and f"{delta:.6g}" in table.T.to_string()
    assert releases_table(pure)["delta"].tolist() == ["0.0"]


def test_epsilon_is_derived_and_never_kept():
    """One run's: what noise of this scale gives, or the mechanism's own; none where it takes a delta."""
    for record, epsilon in ((Release("laplace", UNIT_A, sensitivity=2, scale=8), 0.25),
                            (Release("geometric", UNIT_A, sensitivity=1, epsilon=4), 4.0),
                            (Release("exponential", UNIT_A, sensitivity=3, scale=12), 0.5), (reports(0.7, delta=1e-9), 0.7),
                            (Release("gaussian", UNIT_A, sensitivity=1, scale=1), None)):
        assert record.epsilon == epsilon
        assert ("epsilon" in vars(record)) is False
    assert Release("geometric", UNIT_A, sensitivity=1, epsilon=4).scale == 0.25


def test_a_record_prints_as_what_makes_it():
    for record in (Release("Laplace", UNIT_A, sensitivity=2, scale=4, times=3), reports(1.0, delta=1e-7),
                   Release("gaussian", UNIT_TUPLE, sensitivity=1, scale=2, sampling_probability=0.1), Release("mine", UNIT_A, epsilon=1)):
        assert eval(repr(record), {"Release": Release}) == record
        assert pickle.loads(pickle.dumps(record)) == record and hash(record) == hash(copy.deepcopy(record))


@pytest.mark.parametrize("fields, words", [
    (dict(mechanism="laplace", sensitivity=1.0, scale=2.0, sampling_probability=0.5), "sampling_probability=0.5.*'laplace'.*Gaussian"),
    (dict(mechanism="gaussian", sensitivity=1.0, scale=2.0, sampling_probability=0.5, unit="mine", relation="twins"),
     "relation='twins'.*Start"),
    (dict(mechanism="laplace", sensitivity=1.0),
     "epsilon=None: a laplace record with neither scale nor epsilon.*Give sensitivity and scale"),
    (dict(mechanism="gaussian", sensitivity=1.0, scale=2.0, delta=1e-6), "delta=1e-06.*compose"),
    (dict(mechanism="gaussian", sensitivity=1.0, epsilon=2.0, delta=1e-6), "epsilon=2.0.*gaussian_sigma"),
])
def test_what_a_record_cannot_say_is_refused_in_words(fields, words):
    with pytest.raises(ValueError, match=words):
        Release(**({"unit": UNIT_A} | fields))


# ------------------------------------------------------------------------------------------------------ composition

def test_basic_composition_is_exact_for_pure_randomized_response():
    """Theorem 1.4 is tight for pure steps: the joint law of reports with different epsilons loses exactly their sum."""
    epsilons = (0.3, 1.0, 0.5)
    joint = [np.ones(1), np.ones(1)]
    for epsilon in epsilons:
        matrix = randomized_response_matrix(2, epsilon)
        joint = [np.outer(law, matrix[a]).ravel() for a, law in enumerate(joint)]
    assert compose([reports(e) for e in epsilons]) == pytest.approx(exact_epsilon(*joint), rel=1e-12)


def test_times_k_equals_k_records():
    assert compose(reports(0.3, times=7, delta=1e-9), delta=1e-8) == pytest.approx(compose([reports(0.3, delta=1e-9)] * 7, delta=1e-8))


def test_deltas_add_up_and_may_not_exceed_the_total():
    records = [reports(0.1, times=3, delta=1e-7), reports(0.2, delta=2e-7)]
    assert compose(records, delta=5e-7) == pytest.approx(0.5)
    for too_little in (0.0, 4.9e-7, 5e-7 * (1 - 1e-9)):
        with pytest.raises(ValueError, match="delta"):
            compose(records, delta=too_little)
    assert compose_parallel(records, delta=3e-7) == pytest.approx(0.3)
    for too_little in (2e-7, 3e-7 * (1 - 1e-9)):
        with pytest.raises(ValueError, match="delta"):
            compose_parallel(records, delta=too_little)


def test_releases_that_protect_different_things_do_not_add_up():
    for add in (compose, compose_parallel):
        with pytest.raises(ValueError, match="unit"):
            add([reports(1.0), reports(1.0, unit=UNIT_TUPLE)])
        with pytest.raises(ValueError, match="relation"):
            add([reports(1.0, unit=UNIT_TUPLE), Release("other", UNIT_TUPLE, epsilon=1.0, relation="add or remove one tuple")])


@pytest.mark.parametrize("touches, change", [(1, (1, 0)), (2, (1, 1)), (2, (1, -1))])
def test_parallel_composition_is_exact_for_two_counts(touches, change):
    """The joint law of two noisy counts (window of 120: the rest weighs below 1e-12), of which one change moves one or both by 1."""
    epsilons, w = (0.5, 0.8), np.arange(-120, 121)

    def joint(counts):
        laws = [geometric_law(1, e, c).pmf(w) for e, c in zip(epsilons, counts, strict=True)]
        return np.outer(*[law / law.sum() for law in laws]).ravel()

    worst = max(exact_epsilon(joint((0, 0)), joint(c)) for c in (change, change[::-1]))
    records = [Release("geometric", UNIT_A, sensitivity=1, scale=1 / e) for e in epsilons]
    assert compose_parallel(records, touches=touches) == pytest.approx(worst, rel=1e-6)


def test_a_private_number_that_divides_all_people_is_no_parallel_composition():
    """Two halves of ten, swapped when the number of ones is odd: one change touches two parts, but moves their counts by 10 and 9."""
    def logs(x, y):
        counts = (x, y) if (x + y) % 2 == 0 else (y, x)
        first, second = (np.log(geometric_law(1, 0.5, c).pmf(np.arange(-5, 16))) for c in counts)
        return np.add.outer(first, second)

    true = max(np.abs(logs(x, y) - logs(x + 1, y)).max() for x in range(10) for y in range(11))
    assert true == pytest.approx(9.5)
    assert compose_parallel([Release("geometric", UNIT_A, sensitivity=1, scale=2.0)] * 2, touches=2) == pytest.approx(1.0)


# --------------------------------------------------------------------------------------------- the short formula

def k_fold_delta(epsilon0, k, epsilon):
    """Exact delta of k randomized responses, which no k pure epsilon0-private steps exceed (Kairouz, Oh and Viswanath 2015)."""
    heads = np.arange(k + 1)
    loss = (2 * heads - k) * epsilon0
    keep = 1 / (1 + math.exp(-epsilon0))
    return float((stats.binom.pmf(heads, k, keep) * -np.expm1(np.minimum(epsilon - loss, 0))).sum())


def test_the_exact_k_fold_delta_is_what_it_says():
    matrix, joint = randomized_response_matrix(2, 0.4), [np.ones(1), np.ones(1)]
    for _ in range(6):
        joint = [np.outer(law, matrix[a]).ravel() for a, law in enumerate(joint)]
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        assert k_fold_delta(0.4, 6, epsilon) == pytest.approx(exact_delta(*joint, epsilon), abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(st.floats(1e-3, 10), st.integers(1, 3000), st.floats(-12, -0.05))
def test_short_formula_is_a_bound_wherever_it_is_given(epsilon0, k, log10_delta):
    delta = 10 ** log10_delta
    holds = math.sqrt(k) * math.tanh(epsilon0 / 2) <= math.sqrt(2 * math.log(1 / delta))
    try:
        epsilon = advanced_composition(epsilon0, k, delta)
    except ValueError as refusal:
        assert not holds and "epsilon0" in str(refusal) and "long formula" in str(refusal)
    else:
        assert holds
        assert epsilon == pytest.approx(2 * epsilon0 * math.sqrt(2 * k * math.log(1 / delta)))
        assert k_fold_delta(epsilon0, k, epsilon) <= delta * (1 + 1e-9)


def test_short_formula_is_refused_where_it_is_false():
    """epsilon0 = 1, k = 1000, delta = 1e-5: it says 303; the true delta there is near 1, and the long formula is a bound."""
    short = 2 * math.sqrt(2 * 1000 * math.log(1e5))
    assert short == pytest.approx(303.5, abs=0.1)
    assert k_fold_delta(1.0, 1000, short) > 0.99
    with pytest.raises(ValueError, match=r"613.86") as refusal:
        advanced_composition(1.0, 1000, 1e-5)
    assert all(word in str(refusal.value) for word in ("1000", "optimal_composition", "'rdp'", "'pld'"))     # better, and they apply
    assert k_fold_delta(1.0, 1000, 613.86) <= 1e-5


def test_short_formula_holds_for_every_step_of_a_target_below_8_ln_1_over_delta():
    """With epsilon0 = epsilon / (2 sqrt(2 k ln(1/delta))) it returns epsilon for all k while epsilon <= 8 ln(1/delta) = 128.9."""
    log = math.log(1e7)
    for k in (1, 10, 1000, 100_000):
        assert advanced_composition(128.9 / (2 * math.sqrt(2 * k * log)), k, 1e-7) == pytest.approx(128.9)
    with pytest.raises(ValueError, match="epsilon0"):
        advanced_composition(150 / (2 * math.sqrt(2 * 1000 * log)), 1000, 1e-7)


# ------------------------------------------------------------------------------------------------------- bad input

@pytest.mark.parametrize("name, meant", [
    ("laplase", "laplace"), ("gausian", "gaussian"), ("randomised_response", "randomized response"), ("exponental", "exponential"),
])
def test_a_name_that_would_escape_the_check_is_refused(name, meant):
    with pytest.raises(ValueError, match=f"mechanism='{name}': nearly '{meant}'"):
        accounting.Release(name, accounting.UNIT_A, sensitivity=2, scale=1.0, epsilon=0.5)


@pytest.mark.parametrize("name, meant", [("Laplace", "laplace"), (" LAPLACE ", "laplace"), ("randomized_response", "randomized response")])
def test_capitals_and_underscores_do_not_escape_the_check(name, meant):
    noise = {"sensitivity": 2, "scale": 4.0} if meant == "laplace" else {}
    assert accounting.Release(name, accounting.UNIT_A, epsilon=0.5, **noise).mechanism == meant
    if noise:
        with pytest.raises(ValueError, match="scale"):
            accounting.Release(name, accounting.UNIT_A, sensitivity=2, scale=1.0, epsilon=0.5)


def test_a_unit_in_own_words_says_its_relation():
    own = accounting.Release("laplace", "one household", sensitivity=1, scale=2.0, relation="replace one household")
    assert (own.unit, own.relation) == ("one household", "replace one household")
    with pytest.raises(ValueError, match=r"relation=None.*one household"):
        accounting.Release("laplace", "one household", sensitivity=1, scale=2.0)
    with pytest.raises(ValueError, match="releases"):
        accounting.compose([own, accounting.Release("laplace", accounting.UNIT_A, sensitivity=1, scale=2.0)])


@pytest.mark.parametrize("name", ["discrete laplace", "sparse vector", "report noisy max", "discrete gaussian", "DP-SGD"])
def test_another_mechanism_may_have_its_name(name):
    assert accounting.Release(name, accounting.UNIT_A, epsilon=1.0).mechanism == name


# --- deliberate faults

def one_part(f):
    return lambda releases, delta=0.0, touches=1: f(releases, delta)


def without_what_all_were_asked(f):
    def of_parts(name, records, delta):
        parts = {r.part for r in records} - {None}
        return f(name, [r for r in records if r.part is not None] if parts else records, delta)
    return of_parts


def of_one_partition(f):
    return lambda name, records, delta: f(name, [dataclasses.replace(r, part=r.part and (r.part[0], "one")) for r in records], delta)


FAULTS = {
    "partitions_are_one": Mutant("dpfair_teach.accounting.adding._of_parts", of_one_partition,
                                 "parts that are called alike are taken for one, whatever they are parts of"),
    "what_all_were_asked_is_forgotten": Mutant("dpfair_teach.accounting.adding._of_parts", without_what_all_were_asked,
                                               "beside what a part was asked, what everybody was is left out"),
    "geometric_of_any_sensitivity": Mutant("dpfair_teach.mechanisms.geometric.Geometric.numbers", lambda f: Laplace.numbers,
                                           "half a step is taken for a sensitivity of whole numbers"),
    "parallel_touches_one_part": Mutant("dpfair_teach.accounting.compose_parallel", one_part, "one part, however many a change touches"),
}
