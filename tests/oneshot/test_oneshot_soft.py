"""One Gaussian answer and what follows from it: its sensitivity by exhaustion, the model, the mixture, the yardstick, the learner."""
from __future__ import annotations

import importlib
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dpfair_teach import accounting, data, fairness, mechanisms
from dpfair_teach.baselines import NetworkClassifier
from dpfair_teach.fairness import NOTIONS, Parity
from dpfair_teach.oneshot import (
    SoftGroupLearner,
    ask_softly,
    group_contrasts,
    of_own_label,
    release_contrasts,
    response_error,
    soft_frontier,
    soft_groups,
    soft_learner,
    threshold_scores,
)
from dpfair_teach.oneshot.soft_frontier import fair_mixture
from dpfair_teach.oneshot.soft_learner import CrossFitted, prior_of
from faults import Mutant, calling, planted

_F = np.array([[1, .2], [1, -.5], [.5, .1], [1, 1.]])
_SCORES = [[.8, 1, 0, .2, .1, 1], [-.4, .3, .5, 0, 0, 1], [.2, .1, .1, .6, .2, 1], [-.6, .2, .3, .1, .4, 1]]


def people_of(k: int, m: int = 1500, seed: int = 1) -> data.Dataset:
    return data.make_logistic(m, n_groups=k, d=3, shifts=np.outer(np.linspace(0, 1.5, k), [1, .5, 0]), rng=np.random.default_rng(seed))


def private_fit(people, A, rng):
    model = SoftGroupLearner(1.0, None, 1e-6, n_groups=int(A.max()) + 1)
    model.fit(people.X, people.Y, sensitive_features=A, rng=rng).score(people.X, people.Y, A)
    return model


def test_the_answer_is_on_a_public_grid():
    """A sum of doubles plus noise has low digits that only some sums lead to: what is published is a multiple of a step that noise sets."""
    people = people_of(3)
    model = private_fit(people, people.A, np.random.default_rng(0))
    (release,) = model.releases_
    step = 2.0 ** (np.floor(np.log2(release.scale)) - 10)
    assert np.array_equal(model.answer_ / step, np.rint(model.answer_ / step)) and (model.answer_ / step % 2 == 1).any()


PRIVATE_FITS = {
    "oneshot.release_contrasts": lambda people, A, rng: release_contrasts(people.X, A, 1.0, 1e-6, rng, n_groups=int(A.max()) + 1),
    "oneshot.SoftGroupLearner": private_fit,
    "oneshot.ask_softly": lambda people, A, rng: ask_softly(
        np.stack([np.column_stack([people.X, np.full(len(A), y)]) for y in (0, 1)], axis=1), .2 + .6 * people.Y, people.Y, A, 1.0, 1e-6,
        .05, rng, n_groups=int(A.max()) + 1),
}
VALID_CALLS = {
    "oneshot.group_contrasts": lambda: dict(n_groups=3),
    "oneshot.release_contrasts": lambda: dict(features=_F, A=[0, 1, 2, 1], epsilon=1.0, delta=1e-6, rng=np.random.default_rng(0),
                                              n_groups=3),
    "oneshot.of_own_label": lambda: dict(features=np.arange(12.0).reshape(3, 2, 2), y=[0, 1, 1]),
    "oneshot.ask_softly": lambda: dict(features=np.stack([_F, _F + .1], axis=1), eta=np.array([.2, .7, .4, .6]), y=[0, 1, 1, 0],
                                       A=[0, 1, 1, 0], epsilon=1.0, delta=1e-6, gamma=.1, rng=np.random.default_rng(0), n_groups=2,
                                       notion="demographic_parity"),
    "oneshot.soft_groups": lambda: dict(features=_F, contrasts=[[.5, .1], [.2, .3]], scale=.5, n_groups=3, prior=[16.0, 1.0]),
    "oneshot.threshold_scores": lambda: dict(eta=[.2, .7], given=np.full((2, 2, 2), .5), shares=[[4, 2.], [3, 5]], notion="equalized_odds"),
    "oneshot.soft_frontier.fair_mixture": lambda: dict(
        scores=_SCORES, y=[1, 0, 1, 0], weights=[[.7, .3], [.4, .6], [.9, .1], [.2, .8]], gamma=.1, notion="equalized_odds"),
    "oneshot.response_error": lambda: dict(y=[0, 1, 1, 0], decisions=[1, 1, 0, 0], people=[[1.2, .8], [1, 1]], epsilon=1.0,
                                           notion="equalized_odds"),
}


# ------------------------------------------------------------------------------------------------------ the question
@pytest.mark.parametrize("k", [2, 3, 5])
def test_contrasts_are_orthonormal_and_any_two_groups_as_far_apart(k):
    B = group_contrasts(k)
    np.testing.assert_allclose(B.T @ B, np.eye(k - 1), atol=1e-14)
    np.testing.assert_allclose(B.sum(axis=0), 0, atol=1e-14)
    apart = [np.linalg.norm(B[a] - B[b]) for a, b in itertools.combinations(range(k), 2)]
    np.testing.assert_allclose(apart, math.sqrt(2))


@pytest.mark.parametrize("k", [2, 3])
def test_the_sensitivity_of_the_contrasts_is_what_exhaustion_finds(k):
    """All groups of four people and all their neighbours: the sums move by at most what the record says, and once by as much."""
    F, B = np.random.default_rng(k).standard_normal((4, 2)), group_contrasts(k)
    _, release = release_contrasts(F, [0, 1, 0, 1], 1.0, 1e-6, np.random.default_rng(0), n_groups=k)
    largest = 0.0
    for A in itertools.product(range(k), repeat=4):
        for i, a in itertools.product(range(4), range(k)):
            other = list(A)
            other[i] = a
            largest = max(largest, float(np.linalg.norm(F.T @ B[list(A)] - F.T @ B[other])))
    assert release.sensitivity == pytest.approx(largest, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_in_doubles_too_the_contrasts_move_by_at_most_their_sensitivity(k, monkeypatch):
    """300 features, 5 long: in fractions, rounded sums move by more than 5 times root 2, and no further than the record says."""
    who, asked = np.arange(300), []
    F, A = np.where(who[:, None] % 7, [3.0, 4.0], [5.0, 0.0]), who % k
    monkeypatch.setattr(importlib.import_module("dpfair_teach.oneshot.soft_groups"), "release",
                        lambda mechanism, value, rng, **numbers: asked.append((value, numbers["sensitivity"])) or (value, None))
    for world in (A, *(np.where(who == i, (A + 1) % k, A) for i in range(40))):
        release_contrasts(F, world, 1.0, 1e-6, np.random.default_rng(0), n_groups=k)
    (told, sensitivity), *others = asked
    moved = max(sum((Fraction(a) - Fraction(b))**2 for a, b in zip(told.flat, other.flat, strict=True)) for other, _ in others)
    assert 50 * (1 + Fraction(1, 2**51)) < moved <= Fraction(sensitivity)**2


def test_features_whose_squares_vanish_have_their_length():
    """10,000 entries of 1.5e-162 are 1.5e-160 long. Squared first they are no number at all, and the noise was 67 times too small."""
    F = np.full((2, 10_001), 1.5e-162)
    F[:, 0] = 2e-162
    _, release = release_contrasts(F, [0, 1], 1.0, 1e-6, np.random.default_rng(0))
    assert release.sensitivity == pytest.approx(math.sqrt(2) * 1.5e-160, rel=1e-3)


def test_the_noise_is_that_of_the_record_and_the_record_costs_its_epsilon():
    """Kolmogorov and Smirnov against the DKW bound: n = 40,000, a false alarm once in 10^9."""
    n, A = 40_000, [1, 0]
    F = np.random.default_rng(2).standard_normal((2, n))
    answer, release = release_contrasts(F, A, 1.0, 1e-5, np.random.default_rng(3))
    drawn = np.sort((answer - F.T @ group_contrasts(2)[A]).ravel()) / release.scale
    apart = np.abs(norm.cdf(drawn) - (np.arange(n) + .5) / n).max()
    assert apart < math.sqrt(math.log(2e9) / (2 * n))
    assert accounting.compose(release, 1e-5) == pytest.approx(1.0, abs=1e-9)
    assert accounting.compose(release, 1e-5) <= 1.0 + 1e-9 and release.unit == accounting.UNIT_A


@pytest.mark.parametrize("k", [2, 3])
def test_one_screen_is_the_estimator(k):
    """With the estimator's own features and eta, and one prior for all: the same answer, model and mixture, from the same draw."""
    people = people_of(k)
    model = SoftGroupLearner(1.0, .05, 1e-6, n_groups=k, notion="demographic_parity")
    model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(4))
    eta = CrossFitted(model._checked_params().bases, people.X, people.Y).of_people
    features = np.stack([model._basis.features(people.X, float(y), eta) for y in (0, 1)], axis=1)
    mixture, W, release = ask_softly(features, eta, people.Y, people.A, 1.0, 1e-6, .05, np.random.default_rng(4), n_groups=k,
                                     notion="demographic_parity")
    assert release == model.releases_[0]
    own = of_own_label(features, people.Y)
    np.testing.assert_array_equal(soft_groups(own, model.answer_, release.scale, n_groups=k), W)
    wider = soft_groups(own, model.answer_, release.scale, n_groups=k, prior=prior_of(own))     # the estimator's prior
    np.testing.assert_array_equal(wider, model._basis.W)
    assert mixture.violation <= .05 + 1e-9 and abs(mixture.error - model.error_) < .02


def test_everybodys_row_is_that_of_the_own_label():
    table = np.arange(12.0).reshape(3, 2, 2)
    np.testing.assert_array_equal(of_own_label(table, [1, 0, 1]), [table[0, 1], table[1, 0], table[2, 1]])
    with pytest.raises(ValueError, match=r"^features"):
        of_own_label(table, [1, 0])


# --------------------------------------------------------------------------------------------------------- the model
def test_without_noise_it_is_logistic_regression():
    people = people_of(2)
    F = np.column_stack([np.ones(len(people.A)), people.X])
    W = soft_groups(F, F.T @ group_contrasts(2)[people.A], 0.0, prior=1e6)
    p = softmax(F @ W @ group_contrasts(2).T, axis=1)[:, 1]
    theirs = LogisticRegression(C=1e6, max_iter=2000, tol=1e-10).fit(people.X, people.A).predict_proba(people.X)[:, 1]
    np.testing.assert_allclose(p, theirs, atol=2e-4)


def test_much_noise_leaves_the_prior_and_groups_may_be_renamed():
    people = people_of(3)
    F, B = people.X, group_contrasts(3)
    assert np.abs(soft_groups(F, F.T @ B[people.A], 1e9, n_groups=3)).max() < 1e-6
    other = np.array([2, 0, 1])
    p, q = (softmax(F @ soft_groups(F, F.T @ B[A], 20.0, n_groups=3) @ B.T, axis=1) for A in (people.A, other[people.A]))
    np.testing.assert_allclose(p, q[:, other], atol=1e-4)


def test_noise_is_not_taken_for_people():
    """At the noise of epsilon .1 the model is nearer to the truth than logistic regression on the noisy sums: 20 draws, each time."""
    people = people_of(2, 1500)
    F, B = np.column_stack([np.ones(1500), people.X, np.random.default_rng(0).standard_normal((1500, 12))]), group_contrasts(2)
    exact, nearer = F.T @ B[people.A], 0
    truth = softmax(F @ soft_groups(F, exact, 0.0) @ B.T, axis=1)[:, 1]
    for seed in range(20):
        noisy = exact + 150 * np.random.default_rng(seed).standard_normal(exact.shape)
        apart = [np.abs(softmax(F @ soft_groups(F, noisy, scale) @ B.T, axis=1)[:, 1] - truth).mean() for scale in (150.0, 0.0)]
        nearer += apart[0] < apart[1]
    assert nearer == 20


# ------------------------------------------------------------------------------------------------------- the mixture
def made(k: int, notion: str, m: int = 400):
    rng = np.random.default_rng(k)
    eta = rng.random(m)
    y = (rng.random(m) < eta).astype(int)
    given = rng.dirichlet(np.ones(k), (m, 2))
    weights = given[np.arange(m), y]
    shares = np.stack([weights[y == label].sum(axis=0) for label in (0, 1)])
    return y, eta, weights, shares, threshold_scores(eta, given, shares, notion), given


def counted_rates(accepts, weights, y, notion):
    """By hand: the share of each group in each cell."""
    rates = []
    for cell in Parity(notion).cells:
        here = np.ones(len(y), bool) if cell.label is None else y == cell.label
        counted = np.array([(int(a), int(label)) in cell.above for a, label in zip(accepts, y, strict=True)])
        rates.append((weights[here] * counted[here, None]).sum(axis=0) / weights[here].sum(axis=0))
    return np.array(rates)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("notion", NOTIONS)
def test_rates_and_error_of_the_mixture_are_those_of_the_hand(k, notion):
    y, _, weights, _, scores, _ = made(k, notion)
    found = fair_mixture(scores, y, weights, .02, notion)
    accepts = scores @ found.multipliers.T > 0
    rates = sum(w * counted_rates(a, weights, y, notion) for w, a in zip(found.weights, accepts.T, strict=True))
    assert np.ptp(rates, axis=1).max() == pytest.approx(found.violation, abs=1e-9)
    assert found.violation <= .02 + 1e-9
    assert found.error == pytest.approx(found.weights @ (accepts.T != y).mean(axis=1), abs=1e-9)


@pytest.mark.parametrize("notion", NOTIONS)
def test_a_column_of_scores_is_what_accepting_adds_to_a_rate_in_expectation(notion):
    """Over all (y, a) of one x, each with its chance."""
    eta, given, shares = .3, np.array([[.2, .5, .3], [.6, .1, .3]]), np.array([[.1, .2, .1], [.3, .2, .1]])
    found = threshold_scores([eta], given[None], shares, notion)[0]
    by_hand = [2 * eta - 1]
    for cell in Parity(notion).cells:
        for a in range(3):
            labels = [y for y in (0, 1) if cell.label in (None, y)]
            adds = sum((eta if y else 1 - eta) * given[y, a] * (((1, y) in cell.above) - ((0, y) in cell.above)) for y in labels)
            by_hand.append(adds / sum(shares[y, a] for y in labels))
    np.testing.assert_allclose(found, [*by_hand, 1.0])


def test_no_mixture_of_many_thresholds_is_better():
    """Two groups, demographic parity: against the program over 201 prices at once."""
    y, _, weights, _, scores, _ = made(2, "demographic_parity", 4000)
    rules = [np.array([1.0, -u, u, 0.0]) for u in np.linspace(-1, 1, 201)]
    pool = soft_frontier.Pool(scores, y, weights, Parity("demographic_parity", "pairs"))
    for rule in rules:
        pool.add(rule)
    for gamma in (0.0, .02, .05):
        _, _, best = pool.solve(gamma)
        assert fair_mixture(scores, y, weights, gamma, "demographic_parity").error <= best + .004


def test_where_no_mixture_keeps_gamma_the_nearest_is_taken():
    """Accuracy parity, and groups that a rule of x cannot tell apart but by the label: the gap stays, and is said."""
    y, weights = np.array([0, 0, 0, 1] * 20), np.tile([[.9, .1], [.9, .1], [.9, .1], [.1, .9]], (20, 1))
    scores = threshold_scores(np.full(80, .25), np.tile([[.9, .1], [.1, .9]], (80, 1, 1)), [[54., 6], [2, 18]], "accuracy_parity")
    found = fair_mixture(scores, y, weights, 0.0, "accuracy_parity")
    assert found.violation == pytest.approx(0.0, abs=1e-9) and found.error == pytest.approx(.5)


# ------------------------------------------------------------------------------------------------------ the yardstick
def test_the_yardstick_is_the_spread_of_randomized_response():
    """Decisions that do not depend on the group: 2,000 draws, standard deviation within a tenth."""
    rng = np.random.default_rng(0)
    m, k, epsilon = 3000, 3, 1.0
    A, yhat, y = rng.choice(3, m, p=[.6, .3, .1]), rng.integers(0, 2, m), rng.integers(0, 2, m)
    people = np.array([[np.sum((A == a) & (y == label)) for a in range(k)] for label in (0, 1)])
    law = mechanisms.randomized_response_matrix(k, epsilon)
    rates = []
    for _ in range(2000):
        reports = mechanisms.randomized_response(A, k, epsilon, rng)
        weights = (np.eye(k)[reports] - law[0, 1]) / (law[0, 0] - law[0, 1])
        n = people.sum(axis=0)
        rates.append((weights * (yhat - yhat.mean())[:, None]).sum(axis=0) / n)
    said = response_error(y, yhat, people, epsilon, "demographic_parity")
    assert said == pytest.approx(np.std(rates, axis=0).max(), rel=.1)


# -------------------------------------------------------------------------------------------------------- the learner
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("notion", NOTIONS)
def test_it_is_fair_to_the_true_groups_of_other_people(k, notion):
    people, other = people_of(k, 6000), people_of(k, 6000, seed=2)
    model = SoftGroupLearner(2.0, 0.0, 1e-6, n_groups=k, notion=notion)
    model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(5))
    counts = fairness.cell_counts(model.predict_proba(other.X)[:, 1], other.A, other.Y, n_groups=k)
    free = fairness.cell_counts(model._basis.eta(other.X) > .5, other.A, other.Y, n_groups=k)
    left, before = (fairness.violation(table, notion, "pairs") for table in (counts, free))
    assert left < max(.4 * before, .05)


def test_the_classifier_follows_from_the_answer_alone(monkeypatch):
    """The transcript: with the same answer, neighbours, and even all other groups, make the same classifier to the bit."""
    people = people_of(3, 600)
    first = SoftGroupLearner(1.0, None, 1e-6, n_groups=3).fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(1))
    monkeypatch.setattr(soft_learner, "release_contrasts", lambda *_, **__: (first.answer_, first.releases_[0]))
    for A in (np.r_[(people.A[:1] + 1) % 3, people.A[1:]], (people.A + 1) % 3):
        again = SoftGroupLearner(1.0, None, 1e-6, n_groups=3).fit(people.X, people.Y, sensitive_features=A, rng=np.random.default_rng(9))
        assert np.array_equal(first.predict_proba(people.X), again.predict_proba(people.X)) and first.gamma_ == again.gamma_


def test_one_release_of_the_whole_budget_and_its_features_keep_their_length():
    people = people_of(2, 600)
    model = SoftGroupLearner(.7, .05, 1e-6).fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(1))
    (release,) = model.releases_
    assert accounting.compose(release, 1e-6) == pytest.approx(.7, abs=1e-9)
    features = model._basis.features
    assert release.sensitivity == pytest.approx(math.sqrt(2) * features.longest)
    assert model.people_.sum() == pytest.approx(600)


def test_gamma_none_is_the_rule():
    people = people_of(2, 3000)
    for epsilon in (.1, 5.0):
        model = SoftGroupLearner(epsilon, None, 1e-6).fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(1))
        eta = soft_learner.CrossFitted([make_pipeline(StandardScaler(), LogisticRegression())], people.X, people.Y)
        error = response_error(people.Y, eta.of_people > .5, model.people_, epsilon)
        assert model.gamma_ == min(.8 * model.unconstrained_, 1.25 * error)
        assert model.predict_proba(people.X, gamma=model.gamma_).shape == (3000, 2)
        with pytest.raises(ValueError, match=r"^gamma=0.9: one fit of this learner serves one gamma, its own, 0\.\d+"):
            model.predict_proba(people.X, gamma=.9)


def test_everybody_is_asked_of_a_model_that_never_saw_them():
    """Labels that are coins: what was fitted on a person would know their label, what was not cannot."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 60)), rng.integers(0, 2, 200)
    eta = soft_learner.CrossFitted([GaussianNB()], X, y)
    assert ((eta.of_people > .5) == y).mean() < .6 < .75 < (GaussianNB().fit(X, y).predict(X) == y).mean()


def test_several_bases_are_weighed_and_a_base_that_cannot_be_one_is_refused():
    people = people_of(2, 600)
    told = dict(X=people.X, y=people.Y, sensitive_features=people.A, rng=np.random.default_rng(1))
    both = SoftGroupLearner(1.0, .05, 1e-6, base=[LogisticRegression(), GaussianNB()]).fit(**told)
    assert len(both._basis.eta.models[0]) == 2
    for wrong in (3, [], [LogisticRegression(), "logistic"], LogisticRegression):
        with pytest.raises(ValueError, match=r"^base"):
            SoftGroupLearner(1.0, .05, 1e-6, base=wrong).fit(**told)


def test_a_base_that_draws_is_repeatable_and_one_that_breaks_is_named():
    people = people_of(2, 300)
    told = dict(X=people.X, y=people.Y, sensitive_features=people.A)
    network = NetworkClassifier((4,), epochs=3)
    one, two = (SoftGroupLearner(1.0, .05, 1e-6, base=network).fit(**told, rng=np.random.default_rng(1)) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(people.X), two.predict_proba(people.X))

    class Breaks(LogisticRegression):
        def fit(self, X, y):
            raise RuntimeError("boom")

    with pytest.raises(ValueError, match=r"^base=.*cannot be fitted to these people \(RuntimeError: boom\)"):
        SoftGroupLearner(1.0, .05, 1e-6, base=Breaks()).fit(**told, rng=np.random.default_rng(1))


# -------------------------------------------------------------------------------------------------------- the faults
def half_the_sensitivity(f):
    def release(features, A, epsilon, delta, rng, *, n_groups=2):
        answer, record = f(features, A, epsilon, delta, rng, n_groups=n_groups)
        return answer, accounting.Release("gaussian", record.unit, sensitivity=record.sensitivity / math.sqrt(2), scale=record.scale)
    return release


def without_the_slack(f):
    """The noise of sums in doubles is made for sums of real numbers."""
    def release(features, A, *args, **how):
        def without(f):
            return lambda *asked, sensitivity, **numbers: f(*asked, sensitivity=sensitivity / (
                1 + 2.0**-49 * how["n_groups"] * len(features) / math.sqrt(2)), **numbers)
        return calling("release", without)(f)(features, A, *args, **how)
    return release


def group_0_in_the_middle(f):
    return lambda n_groups: f(n_groups) * (np.arange(n_groups) > 0)[:, None]


def without_the_noise(f):
    return lambda features, contrasts, scale, **how: f(features, contrasts, 0.0, **how)


FAULTS = {
    "contrasts_move_one_column": Mutant(
        "dpfair_teach.oneshot.soft_groups.release_contrasts", half_the_sensitivity, "sums move by features, not by sqrt(2) of them"),
    "contrasts_are_taken_for_exact": Mutant("dpfair_teach.oneshot.soft_groups.release_contrasts", without_the_slack,
                                            "that sums are put together in doubles is not reckoned"),
    "contrasts_of_group_0_short": Mutant(
        "dpfair_teach.oneshot.soft_groups.group_contrasts", group_0_in_the_middle, "moves to group 0 cost less than the others"),
    "one_screen_forgets_the_noise": Mutant(
        "dpfair_teach.oneshot.ask_softly", calling("soft_groups", without_the_noise), "the model on one screen does not know of the noise"),
}
#: Faults of what is in no box of a chapter, planted here.
PLANTED = {
    "noise_taken_for_people": (
        Mutant("dpfair_teach.oneshot.soft_groups.soft_groups", without_the_noise, "the model does not know of the noise"),
        test_noise_is_not_taken_for_people),
    "contrasts_of_group_0_short": (
        FAULTS["contrasts_of_group_0_short"], lambda: test_contrasts_are_orthonormal_and_any_two_groups_as_far_apart(3)),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_fault_turns_its_test_red(fault):
    mutant, test = PLANTED[fault]
    with planted(mutant), pytest.raises(AssertionError):
        test()
