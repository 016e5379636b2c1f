"""The likelihood of noisy counts, and what it chooses."""
from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from dpfair_teach import data
from dpfair_teach.oneshot import FrontierLearner, answers_log_likelihood, smoothing
from dpfair_teach.oneshot._public import Public
from dpfair_teach.oneshot.asked import Asked
from dpfair_teach.oneshot.posterior import Observed
from dpfair_teach.oneshot.settings import DEFAULTS


@pytest.fixture(scope="module")
def public():
    people = data.make_logistic(900, d=4, rng=np.random.default_rng(1))
    return Public(people.X, people.Y, oracle="bayes")


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_density_of_the_normal_law(seed):
    """By scipy, on the covariance of the answers as the model has it; questions that overlap are in it."""
    rng = np.random.default_rng(seed)
    M, features, variances = rng.integers(0, 3, (5, 8)).astype(float), rng.standard_normal((8, 3)), rng.uniform(0.1, 2, 5)
    answers, mean, residual = rng.standard_normal(5), 0.3, 0.2
    law = multivariate_normal(M.sum(axis=1) * mean, M @ (features @ features.T + residual * np.eye(8)) @ M.T + np.diag(variances))
    assert answers_log_likelihood(M, answers, variances, features, mean, residual) == pytest.approx(law.logpdf(answers), rel=1e-6)


def test_other_settings_change_the_covariance_and_neither_map_nor_cells(public):
    K = public.features @ public.features.T
    same, other = public.under(DEFAULTS), public.under(dataclasses.replace(DEFAULTS, length=1.0))
    assert np.allclose(same.features @ same.features.T, K) and not np.allclose(other.features @ other.features.T, K)
    assert other.place is public.place and other.cells(5)[0] is public.cells(5)[0] and public.settings == DEFAULTS


def test_the_choice_is_the_best_of_the_grid_by_the_answers_to_both_labels(public):
    """By hand: every covariance of the grid written out, its density by scipy."""
    A = np.random.default_rng(2).integers(0, 2, public.m)
    asked = Asked(public, A, 2, np.random.default_rng(3))
    asked.histogram(*public.cells(4), 1.0, sets_mean=True)

    def by_hand(settings):
        total, features = 0.0, public.under(settings).features
        for y, i in enumerate(public.people):
            seen, mean = asked.known.observed[0][y], asked.known.means[0, y]
            K = features[i] @ features[i].T + settings.residual * mean * (1 - mean) * np.eye(len(i))
            total += multivariate_normal(mean * seen.queries.sum(axis=1), seen.queries @ K @ seen.queries.T + np.diag(seen.variances)
                                         ).logpdf(seen.answers)
        return total

    best = max(smoothing.grid(DEFAULTS), key=by_hand)
    asked.known.smooth_by_likelihood()
    assert asked.known.public.settings == best and len(list(smoothing.grid(DEFAULTS))) == 18
    known = asked.known
    assert all(np.array_equal(seen.features, features) for seen, features in zip(known.observed[0], known.public.features_of, strict=True))


@pytest.mark.parametrize("length", smoothing.LENGTHS)
def test_it_finds_the_length_that_the_people_were_drawn_with(public, length):
    """Shares with the covariance of a length of the grid, told in many cells with little noise: 16 draws, right in 14 or more."""
    truth = public.under(dataclasses.replace(DEFAULTS, length=length, smooth=4 * DEFAULTS.smooth, linear=4 * DEFAULTS.linear))
    codes, _ = public.cells(60)
    rng, right = np.random.default_rng(4), 0
    for _ in range(16):
        observed = [[]]
        for i in public.people:
            shares = 0.5 + truth.features[i] @ rng.standard_normal(truth.features.shape[1])
            A = shares + np.sqrt(0.6 / 4) * rng.standard_normal(len(i))
            queries = (codes[i] == np.unique(codes[i])[:, None]).astype(float)
            answers = queries @ A + rng.standard_normal(len(queries))
            observed[0].append(Observed(public.features[i]).add(queries, answers, np.ones(len(queries))))
        right += smoothing.likeliest(public, observed, np.full((1, 2), 0.5)).settings.length == length
    assert right >= 14


def test_it_asks_no_further_question_and_says_what_it_chose():
    people = data.make_logistic(400, d=4, rng=np.random.default_rng(5))
    fixed, free = (FrontierLearner(1.0, 0.0, gammas=[0, .1], smoothing=how).fit(people.X, people.Y, sensitive_features=people.A,
                                                                          rng=np.random.default_rng(6)) for how in ("fixed", "likelihood"))
    assert [dataclasses.asdict(r) for r in fixed.releases_] == [dataclasses.asdict(r) for r in free.releases_]
    assert np.array_equal(fixed.answers_[0][1], free.answers_[0][1])
    assert fixed.smoothing_ == {name: getattr(DEFAULTS, name) for name in ("length", "linear", "smooth", "residual")}
    assert free.smoothing_["length"] in smoothing.LENGTHS and free.smoothing_["residual"] in smoothing.RESIDUALS
