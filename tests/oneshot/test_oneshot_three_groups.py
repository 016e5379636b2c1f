"""Three groups, and what is easily got wrong beyond two: group 0 is what all the others leave, not what group 1 leaves."""
from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import data, mechanisms
from dpfair_teach.oneshot import FrontierLearner, bayes_scores, debiased_groups, expected_gaps
from dpfair_teach.oneshot._public import Public
from dpfair_teach.oneshot.asked import Asked
from faults import Mutant

METHODS = [{}, {"method": "sums"}, {"method": "response"}, {"smoothing": "likelihood"}, {"oracle": "regression"}]
GAMMAS = np.array([0, .05, .2])


@pytest.fixture(scope="module")
def people():
    return data.make_logistic(1500, n_groups=3, d=4, shifts=np.outer([0, .5, 1], [1, .5, 0, 0]), rng=np.random.default_rng(1))


@pytest.mark.parametrize("how", METHODS, ids=str)
def test_with_hardly_any_noise_the_frontier_says_what_the_true_gaps_are(people, how):
    """In-sample, at epsilon 500: every tolerance is used up, and the true violation is near the one that is told."""
    model = FrontierLearner(500.0, 0.0, n_groups=3, gammas=GAMMAS, against="anchor", **how)
    model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(5))
    accepted = np.stack([model.predict_proba(people.X, gamma=g)[:, 1] for g in GAMMAS])
    true = np.abs(expected_gaps(accepted, np.eye(3)[people.A], people.Y)).max(axis=1)
    assert model.frontier_.expected_violation == pytest.approx(GAMMAS, abs=1e-6)
    assert np.abs(true - GAMMAS).max() < 0.03


def test_candidates_threshold_by_the_shares_of_all_groups(people):
    """The columns of fair Bayes thresholding, from the model's P(A = a | x, y) of the released groups and the rest for group 0."""
    model = FrontierLearner(5.0, 0.0, n_groups=3, against="anchor").fit(people.X, people.Y, sensitive_features=people.A,
                                                                        rng=np.random.default_rng(6))
    basis, public = model._basis, Public(people.X, people.Y, oracle="bayes")
    given = np.zeros((people.m, 2, 3))
    for a, y in np.ndindex(2, 2):
        given[:, y, a + 1] = np.clip(basis.chances.means[a, y] + public.features @ basis.chances.weights[a, y], 0, 1)
    given[:, :, 0] = np.clip(1 - given[:, :, 1] - given[:, :, 2], 0, 1)
    assert basis(people.X)[:, :-1] == pytest.approx(bayes_scores(public.eta_of_people, given, basis.n), abs=1e-12)
    assert np.ptp(given[:, :, 2]) > .1                              # or nothing could be told from it


def test_a_sum_of_reports_is_taken_for_as_uncertain_as_it_is(people):
    """The weight of a person on a group varies otherwise for members than for others, with more than two groups."""
    A = people.A % 3 * (people.A < 2) + 2 * (np.arange(people.m) % 9 == 0) * (people.A == 2)      # group 2 is small
    asked = Asked(Public(people.X, people.Y), A, 3, np.random.default_rng(7))
    asked.response(1.0)
    asked.histogram(people.Y, 2, 1.0)
    rng = np.random.default_rng(8)
    sums = np.array([[debiased_groups(mechanisms.randomized_response(A, 3, 1.0, rng), 3, 1.0)[people.Y == y].sum(axis=0) for y in (0, 1)]
                     for _ in range(2000)])
    for a, y in np.ndindex(2, 2):           # 2,000 sums: known to 3 parts in 100; of members alone up to a third more
        assert asked.known.observed[a][y].variances[0] == pytest.approx(sums[:, y, a + 1].var(), rel=.15)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_the_model_knows_the_variance_of_the_noise_on_a_sum(people, norm, k):
    """By the law: of the two-norm's noise a number has the D-th part of the square of a Gamma(D) length, D all numbers of a label."""
    asked = Asked(Public(people.X, people.Y), people.A % k, k, np.random.default_rng(9))
    asked.sums(1.0, norm, "features")
    D, scale = (k - 1) * (1 + people.X.shape[1]), asked.known.releases[0].scale
    variance = stats.laplace(scale=scale).var() if norm == "l1" else stats.gamma(D, scale=scale).moment(2) / D
    for a, y in np.ndindex(k - 1, 2):
        assert asked.known.observed[a][y].variances == pytest.approx(np.full(D // (k - 1), variance))


@pytest.mark.parametrize("method", ["histogram", "response", "sums"])
def test_the_prior_mean_is_the_share_that_was_released_cut_to_what_can_be_one(people, method):
    """Chapter 14: to [0.05, 0.95]. At so small an epsilon most shares are no shares; with hardly any noise none is cut."""
    public, cut = Public(people.X, people.Y), []
    size = [len(i) for i in public.people]
    for epsilon, seed in ((1e-3, 0), (1e-3, 1), (500.0, 0)):
        asked = Asked(public, people.A, 3, np.random.default_rng(seed))
        if method == "histogram":
            asked.histogram(*public.cells(4), epsilon, sets_mean=True)
            question, answer = asked.known.answers[0]
            share = [[answer[a, np.unique(question[i])].sum() / len(i) for i in public.people] for a in (0, 1)]
        elif method == "response":
            asked.response(epsilon)
            share = [[debiased_groups(asked.known.answers[0][1], 3, epsilon)[i, a].mean() for i in public.people] for a in (1, 2)]
        else:
            asked.sums(epsilon, "l1", "features")
            share = asked.known.answers[0][1][:, :, 0] / size
        assert asked.known.means == pytest.approx(np.clip(share, .05, .95), abs=1e-9)
        cut.append(np.abs(asked.known.means - share).max() > 1e-6)
    assert any(cut[:2]) and not cut[2]


# --- deliberate faults

def zero_without_one_only(f):
    def expected(self):
        weights, smooth = f(self)
        return tuple(made if weights is smooth else np.column_stack([1 - made[:, 1], made[:, 1:]]) for made in (weights, smooth))
    return expected


FAULTS = {
    "group_zero_without_group_one_only": Mutant(
        "dpfair_teach.oneshot.known.Known.expected", zero_without_one_only, "group 0 is taken for everybody outside group 1"),
    "rest_of_group_one_only": Mutant(
        "dpfair_teach.oneshot.known.rest_of", lambda f: lambda given: f(given[:1]),
        "candidates take group 0 for everybody outside group 1"),
}
