"""What randomized response does to gaps: against every response that is possible; and the learner that lives with it."""
from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpfair_teach import accounting, baselines, data, fairness
from dpfair_teach.baselines import learner
from dpfair_teach.baselines.learner import tolerated
from dpfair_teach.baselines.response_gaps import pair_shrinkage
from dpfair_teach.fairness import NOTIONS, Parity
from dpfair_teach.mechanisms import debias_counts, randomized_response, randomized_response_matrix
from faults import Mutant

TABLES = {k: np.random.default_rng(k).integers(1, 30, (2, k, 2)).astype(float) for k in (2, 3, 5)}


def reported(counts: np.ndarray, epsilon: float) -> np.ndarray:
    """Mean counts (2, k, 2) by report."""
    return np.einsum("bay,ar->bry", counts, randomized_response_matrix(counts.shape[1], epsilon))


@pytest.mark.parametrize("epsilon", [.1, 1.0, 4.0])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("notion", NOTIONS)
def test_a_gap_to_everybody_shrinks_by_its_own_factor(notion, k, epsilon):
    counts, parity = TABLES[k], Parity(notion, "population")
    told = reported(counts, epsilon)
    sizes, reports = (parity.sizes(table.sum(axis=0)) for table in (counts, told))
    true, seen = (parity.gaps(table)[::2].reshape(k, -1) for table in (counts, told))
    of_groups, of_reports = (np.stack([baselines.response_shrinkage(table[:, r], epsilon, of=of) for r in range(table.shape[1])], axis=1)
                             for table, of in ((sizes, "groups"), (reports, "reports")))
    np.testing.assert_allclose(seen, of_groups * true, atol=1e-12)
    np.testing.assert_allclose(of_reports, of_groups, atol=1e-12)


@pytest.mark.parametrize("epsilon", [.1, 1.0, 4.0])
@pytest.mark.parametrize("notion", NOTIONS)
def test_the_gap_of_two_groups_shrinks_by_the_known_factor(notion, epsilon):
    counts, parity = TABLES[2], Parity(notion, "pairs")
    true, seen = (parity.gaps(table)[::2] for table in (counts, reported(counts, epsilon)))
    sizes = parity.sizes(counts.sum(axis=0))
    np.testing.assert_allclose(seen, [pair_shrinkage(sizes[:, r], epsilon) * gap for r, gap in enumerate(true)], atol=1e-12)


def test_of_three_groups_a_gap_between_reports_may_be_there_where_there_is_none():
    """Groups 0 and 1 are accepted equally often, and of different sizes: their reports are not."""
    n = np.array([800.0, 100, 100])
    accepted = n * [.2, .2, 1.0]
    law = randomized_response_matrix(3, 1.0)
    seen = (accepted @ law) / (n @ law)
    assert seen[1] - seen[0] > .03
    with pytest.raises(ValueError, match=r"^sizes=\(3,\): is not of two groups, and of more there is no factor"):
        pair_shrinkage(n, 1.0)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_factor_of_the_reports_is_what_inverting_the_matrix_comes_to(k):
    """To the letter, for reports as they came, not for their means."""
    rng, epsilon = np.random.default_rng(k), 1.0
    A, h = rng.integers(0, k, 4000), rng.random(4000) < .4
    Z = randomized_response(A, k, epsilon, rng)
    reports, accepted = np.bincount(Z, minlength=k).astype(float), np.bincount(Z, weights=h, minlength=k)
    n, x = debias_counts(reports, epsilon), debias_counts(accepted, epsilon)
    R = h.mean()
    factors = baselines.response_shrinkage(reports, epsilon, of="reports")
    np.testing.assert_allclose(accepted / reports - R, factors * (x / n - R), atol=1e-12)


@pytest.mark.parametrize("k, h, A", [(2, [1, 0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1]), (3, [1, 0, 1, 1, 0, .5], [0, 0, 1, 1, 1, 2])])
def test_the_deviation_is_that_of_all_responses(k, h, A):
    """Each of the k^m responses, with its chance: n_a times the gap, its mean and its variance."""
    h, A, epsilon = np.array(h, float), np.array(A), 0.8
    law, m, R = randomized_response_matrix(k, epsilon), len(A), np.mean(h)
    keep, other = law[0, 0], law[0, 1]
    mean, square = np.zeros(k), np.zeros(k)
    for Z in itertools.product(range(k), repeat=m):
        chance = np.prod(law[A, list(Z)])
        found = np.array([sum(((z == a) - other) / (keep - other) * (x - R) for z, x in zip(Z, h, strict=True)) for a in range(k)])
        mean, square = mean + chance * found, square + chance * found**2
    n, accepted = np.bincount(A, minlength=k), np.bincount(A, weights=h, minlength=k)
    np.testing.assert_allclose(mean, accepted - n * R, atol=1e-12)
    if set(h) <= {0, 1}:
        np.testing.assert_allclose(np.sqrt(square - mean**2) / n, baselines.response_gap_deviation(accepted, n, epsilon), rtol=1e-9)
    else:       # somebody accepted by a coin: h - R is smaller, and the deviation no larger
        assert (np.sqrt(square - mean**2) / n <= baselines.response_gap_deviation(accepted, n, epsilon)).all()


def test_nobody_or_no_information_is_refused():
    for wrong in ([0.0, 0.0], [[1, 2], [0, 0]]):
        with pytest.raises(ValueError, match=r"^sizes=0\.0: holds nobody"):
            baselines.response_shrinkage(wrong, 1.0)
    with pytest.raises(ValueError, match=r"^sizes=0\.0: holds an empty group"):
        baselines.response_gap_deviation([1, 0], [2, 0], 1.0)
    with pytest.raises(ValueError, match=r"^accepted, sizes=.*more accepted than there are"):
        baselines.response_gap_deviation([3, 0], [2, 1], 1.0)
    with pytest.raises(ValueError, match=r"^epsilon=1e-12: leaves no information"):
        baselines.response_gap_deviation([1, 0], [2, 1], 1e-12)
    assert baselines.response_shrinkage([100, 1], 1.0, of="reports").tolist()[1] == 0.0


# ------------------------------------------------------------------------------------------------ the learner
def people(k: int) -> data.Dataset:
    return data.make_logistic(3000, n_groups=k, d=3, shifts=np.outer(np.linspace(0, 1.5, k), [1, .5, 0]), rng=np.random.default_rng(7))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("notion", ["demographic_parity", "equalized_odds", "accuracy_parity"])
def test_with_the_correction_the_debiased_gaps_are_within_gamma(notion, k):
    """Responses are those of one call of the mechanism, and nothing else is drawn before the base is fitted."""
    D, epsilon, gamma = people(k), 3.0, 0.04
    Z = randomized_response(D.A, k, epsilon, np.random.default_rng(3))
    for correction in ("rates", "none"):
        model = baselines.PrivateReduction(LogisticRegression(), epsilon, gamma, n_groups=k, notion=notion, correction=correction)
        model.fit(D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(3))
        counts = fairness.cell_counts(model.predict_proba(D.X)[:, 1], Z, D.Y, n_groups=k)
        parity = Parity(notion, "population")
        np.testing.assert_array_equal(model.reports_, parity.sizes(counts.sum(axis=0)).round())
        among = parity.violation(counts)
        debiased = np.stack([debias_counts(table, epsilon, axis=0) for table in counts])
        found = np.abs(parity.gaps(debiased)).max()
        assert among <= gamma + 1e-6
        if notion != "accuracy_parity":        # there the gaps are small without help
            assert (found <= gamma + 1e-6) == (correction == "rates")
        assert correction == "none" or found <= gamma + 1e-6


def test_it_asks_once_and_costs_epsilon():
    D = people(2)
    model = baselines.PrivateReduction(LogisticRegression(), 1.5, .1, rounds=3).fit(D.X, D.Y, sensitive_features=D.A,
                                                                                  rng=np.random.default_rng(0))
    assert [(r.mechanism, r.unit, r.times) for r in model.releases_] == [("randomized response", accounting.UNIT_A, 1)]
    assert accounting.compose(model.releases_, 0.0, method="basic") == pytest.approx(1.5)
    assert model.reports_.sum(axis=0).tolist() == [(D.Y == y).sum() for y in (0, 1)]


def test_a_group_that_noise_hides_counts_as_one_deviation_of_it():
    """Reports as lies alone would make them, or fewer: the tolerance stays above 0, and is of the order of the noise."""
    reports = np.array([[1000.0, 500.0], [250.0, 0.0]])
    found = tolerated(reports, 1.0)
    assert found[1, 0] == pytest.approx(1 / math.sqrt(250)) and found[1, 1] == 0.0
    assert found[0] == pytest.approx(baselines.response_shrinkage(reports.T, 1.0, of="reports").T[0])


class Keeps(LogisticRegression):
    """A base that keeps the generator it is given."""

    def fit(self, X, y, sample_weight=None, rng=None):
        self.rng_ = rng
        return super().fit(X, y, sample_weight)


def test_a_base_that_keeps_its_generator_does_not_publish_the_seed_of_the_responses():
    """A spawned generator knows its parent's seed: from it everybody's lies could be drawn again."""
    rng = np.random.default_rng(12345)
    X, A = np.random.default_rng(0).normal(size=(300, 2)), np.arange(300) % 2
    Y = (X[:, 0] + A > .5).astype(int)
    model = baselines.PrivateReduction(Keeps(), 2.0, .05, notion="demographic_parity", rounds=3)
    model.fit(X, Y, sensitive_features=A, rng=rng)
    kept = [one.rng_.bit_generator.seed_seq.entropy for one in model.classifiers_ if hasattr(one, "rng_")]
    assert kept and not any(np.array_equal(seed, 12345) for seed in kept)


@pytest.mark.parametrize("spoil, base, said", [
    (math.nan, LogisticRegression(), r"(?s)^base=.*cannot be fitted.*NaN.*X that it can read"),
    (0.0, LogisticRegression(C=-1), r"^base=.*cannot be fitted.*'C'"),
    (math.nan, baselines.NetworkClassifier((3,), epochs=1), r"^base=.*cannot be fitted.*holds NaN")])
def test_a_base_that_cannot_learn_costs_no_epsilon(spoil, base, said, monkeypatch):
    """It is found before anybody responds: no response is drawn, none is kept, and the generator stands where it stood."""
    D, rng, asked = people(2), np.random.default_rng(5), []
    X, before = D.X.copy(), rng.bit_generator.state
    X[7, 1] += spoil
    monkeypatch.setattr(learner, "release", lambda *given, **how: asked.append(given))
    model = baselines.PrivateReduction(base, 1.0, .1, rounds=2)
    with pytest.raises(ValueError, match=said):
        model.fit(X, D.Y, sensitive_features=D.A, rng=rng)
    assert not asked and not hasattr(model, "releases_") and rng.bit_generator.state == before


class Says(LogisticRegression):
    """A base that answers no decisions."""

    def predict(self, X):
        return self.predict_proba(X)[:, 1]


def test_a_base_that_says_no_decisions_costs_no_epsilon_and_a_good_one_is_tried_on_no_draw_of_the_fit():
    D, rng = people(2), np.random.default_rng(5)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=r"^base\.predict\(X\)=.*Give a classifier that answers 0 or 1"):
        baselines.PrivateReduction(Says(), 1.0, .1, rounds=2).fit(D.X, D.Y, sensitive_features=D.A, rng=rng)
    assert rng.bit_generator.state == before
    learner.tried(baselines.NetworkClassifier((3,), epochs=1), D.X, D.Y)     # takes a generator: one of its own
    model = baselines.PrivateReduction(LogisticRegression(), 1.0, .1, notion="demographic_parity", rounds=2)
    model.fit(D.X, D.Y, sensitive_features=D.A, rng=rng)
    drawn = randomized_response(D.A, 2, 1.0, np.random.default_rng(5))
    assert model.reports_.ravel().tolist() == np.bincount(drawn).tolist()


def test_few_people_of_many_groups_are_learned_from_whoever_is_in_which():
    """No refusal goes by who is in which group, nor by what the responses were."""
    X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 1, 0])
    for A in ([0] * 6, [11, 0, 0, 0, 0, 0], [11] * 6):
        model = baselines.PrivateReduction(LogisticRegression(), 50.0, .05, n_groups=12, notion="demographic_parity", rounds=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(0))


def test_other_forms_are_refused():
    with pytest.raises(ValueError, match=r"^against='pairs': not served here\. Of three groups or more"):
        baselines.PrivateReduction(LogisticRegression(), 1.0, .1, notion=Parity("demographic_parity", "pairs"))._checked_params()


VALID_CALLS = {
    "baselines.response_shrinkage": lambda: dict(sizes=[90.0, 10.0], epsilon=1.0, of="groups"),
    "baselines.response_gap_deviation": lambda: dict(accepted=[45.0, 5.0], sizes=[90.0, 10.0], epsilon=1.0),
}


# --- deliberate faults

def without(members: bool):
    """The deviation with the lies of the members alone, or of the others alone."""
    def make(f):
        def faulty(accepted, sizes, epsilon):
            x, n = np.asarray(accepted, float), np.asarray(sizes, float)
            law = randomized_response_matrix(n.shape[-1], epsilon)
            p, q = law[0, 0], law[0, 1]
            R = x.sum(axis=-1, keepdims=True) / n.sum(axis=-1, keepdims=True)
            own = x * (1 - R)**2 + (n - x) * R**2
            rest = own.sum(axis=-1, keepdims=True) - own
            return np.sqrt(q * (1 - q) * rest if members else p * (1 - p) * own) / (p - q) / n
        return faulty
    return make


FAULTS = {
    "all_who_report_are_members": Mutant(
        "dpfair_teach.baselines.response_shrinkage", lambda f: lambda sizes, epsilon, of="groups": np.ones(np.shape(sizes)),
        "reports are taken for groups"),
    "every_group_shrinks_alike": Mutant(
        "dpfair_teach.baselines.response_shrinkage",
        lambda f: lambda sizes, epsilon, of="groups": np.full(np.shape(sizes), math.tanh(epsilon / 2)), "p - q, whatever the sizes"),
    "pairs_shrink_by_the_signal": Mutant(
        "dpfair_teach.baselines.response_gaps.pair_shrinkage", lambda f: lambda sizes, epsilon: math.tanh(epsilon / 2),
        "2 p - 1, whatever the sizes"),
    "members_never_lie": Mutant(
        "dpfair_teach.baselines.response_gap_deviation", without(members=True), "the members' own lies are left out"),
    "others_never_lie": Mutant(
        "dpfair_teach.baselines.response_gap_deviation", without(members=False), "those who lie themselves into the group are left out"),
    "corrected_by_nothing": Mutant(
        "dpfair_teach.baselines.learner.tolerated", lambda f: lambda reports, epsilon: np.ones_like(reports),
        "every gap may be gamma among the reports"),
}
assert learner.CORRECTIONS == ("rates", "none")
