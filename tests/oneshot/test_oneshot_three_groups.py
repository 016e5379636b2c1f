"""Three groups, and what is easily got wrong beyond two: group 0 is what all the others leave, not what group 1 leaves."""
from __future__ import annotations

import numpy as np
import pytest

from dpfair_teach import data, mechanisms
from dpfair_teach.oneshot import FrontierLearner, bayes_scores, debiased_groups, expected_gaps
from dpfair_teach.oneshot._public import Public
from dpfair_teach.oneshot.asked import Asked

METHODS = [{}, {"method": "sums"}, {"method": "response"}, {"smoothing": "likelihood"}, {"oracle": "regression"}]
GAMMAS = np.array([0, .05, .2])


@pytest.fixture(scope="module")
def people():
    return data.make_logistic(1500, n_groups=3, d=4, shifts=np.outer([0, .5, 1], [1, .5, 0, 0]), rng=np.random.default_rng(1))


@pytest.mark.parametrize("how", METHODS, ids=str)
def test_with_hardly_any_noise_the_frontier_says_what_the_true_gaps_are(people, how):
    """In-sample, at epsilon 500: every tolerance is used up, and the true violation is near the one that is told."""
    model = FrontierLearner(500.0, n_groups=3, gammas=GAMMAS, **how)
    model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(5))
    accepted = np.stack([model.predict_proba(people.X, gamma=g)[:, 1] for g in GAMMAS])
    true = np.abs(expected_gaps(accepted, np.eye(3)[people.A], people.Y)).max(axis=1)
    assert model.frontier_.violation == pytest.approx(GAMMAS, abs=1e-6)
    assert np.abs(true - GAMMAS).max() < 0.03


def test_candidates_threshold_by_the_shares_of_all_groups(people):
    """The columns of fair Bayes thresholding, from the model's P(A = a | x, y) of the released groups and the rest for group 0."""
    model = FrontierLearner(5.0, n_groups=3).fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(6))
    basis, public = model._basis, model._basis.public
    given = np.zeros((people.m, 2, 3))
    for a, y in np.ndindex(2, 2):
        given[:, y, a + 1] = np.clip(basis.means[a, y] + public.features @ basis.weights[a, y], 0, 1)
    given[:, :, 0] = np.clip(1 - given[:, :, 1] - given[:, :, 2], 0, 1)
    assert basis.on_people[:, :-1] == pytest.approx(bayes_scores(public.eta_of_people, given, basis.n), abs=1e-12)
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
        assert asked.observed[a][y].variances[0] == pytest.approx(sums[:, y, a + 1].var(), rel=.15)
