"""What chapter 14 says of other releases, cells and covariances, and the helpers that make them."""
from __future__ import annotations

import copy
import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

from dpfair_teach.data import make_logistic
from dpfair_teach.experiments import ask_once_others as others
from dpfair_teach.oneshot._public import Public
from dpfair_teach.oneshot.asked import Asked
from dpfair_teach.oneshot.learner import learn
from dpfair_teach.oneshot.settings import DEFAULTS

RESULTS = Path(__file__).parents[2] / "book" / "results"


@pytest.fixture(scope="module")
def people():
    return make_logistic(400, d=4, rng=np.random.default_rng(1))


@pytest.fixture(scope="module")
def public(people):
    return Public(people.X, people.Y, oracle="bayes")


def stored(table):
    return pd.read_csv(RESULTS / f"{table}.csv")


def test_crossed_cells_hold_everybody_of_one_label_and_one_half(public):
    codes, n = others.crossed_cells(public, 6)
    assert n == 12 and sorted(set(codes)) == list(range(12))
    for y in (0, 1):
        score = public.place[public.people[y], -1]
        for code in set(codes[public.people[y]]):
            assert len(set((score > np.median(score))[codes[public.people[y]] == code])) == 1
    assert not set(codes[public.people[0]]) & set(codes[public.people[1]])


def test_the_same_constants_give_the_same_covariance_and_others_another(public):
    K = public.features @ public.features.T
    same, other = (others.with_covariance(public, constants) for constants in (DEFAULTS, dataclasses.replace(DEFAULTS, smooth=0.4)))
    assert np.allclose(same.features @ same.features.T, K) and not np.allclose(other.features @ other.features.T, K)
    assert same.cells(5)[0] is public.cells(5)[0]


def test_the_covariance_is_chosen_by_the_answer_that_the_learner_then_draws(people, public, monkeypatch):
    """Post-processing of one release, not a second question: the counts that the likelihood saw are those of the run."""
    seen = []
    monkeypatch.setattr(others, "log_likelihood", lambda public, asked: seen.append(asked.answers[0][1]) or 0.0)
    rng = np.random.default_rng(3)
    before = copy.deepcopy(rng.bit_generator.state)
    fitted = others.by_likelihood([public], public.cells(5), people.A, 1.0, rng)
    assert rng.bit_generator.state == before
    *_, asked = learn(fitted, people.A, 2, 1.0, rng, n_cells=5)
    assert np.array_equal(seen[0], asked.answers[0][1])


def test_the_likelihood_is_that_of_the_normal_law(people, public):
    """By scipy, on the covariance of the answers as the model has it."""
    asked = Asked(public, people.A, 2, np.random.default_rng(4))
    asked.histogram(*public.cells(3), 0.5, sets_mean=True)
    by_hand = 0.0
    for y, i in enumerate(public.people):
        M, mean = asked.observed[0][y].queries, asked.means[0, y]
        K = public.features[i] @ public.features[i].T + DEFAULTS.residual * mean * (1 - mean) * np.eye(len(i))
        law = multivariate_normal(cov=M @ K @ M.T + np.diag(asked.observed[0][y].variances))
        by_hand += law.logpdf(asked.observed[0][y].answers - mean * M.sum(axis=1)) + 0.5 * len(M) * np.log(2 * np.pi)
    assert others.log_likelihood(public, asked) == pytest.approx(by_hand, rel=1e-9)


def test_what_the_chapter_says_of_questions_with_the_same_oracle():
    q = pd.concat([stored("left_oneshot"), stored("left_oneshot_others")]).groupby(["group", "method", "epsilon"]).q.first()
    for group in ("paper", "race_argmax"):
        at = {name: q[group, name] for name in ("histogram_regression", "response", "sums_regression", "sums_features")}
        assert at["histogram_regression"][1.0] == max(rows[1.0] for rows in at.values())
        assert at["sums_features"][1.0] == min(rows[1.0] for rows in at.values())
        assert at["response"][5.0] > at["histogram_regression"][5.0]
        assert (q[group, "histogram"][0.25:] > q[group, "histogram_regression"][0.25:]).all()
        assert (q[group, "histogram_logistic"][0.25:] > q[group, "histogram_regression"][0.25:]).all()


def test_what_the_chapter_says_of_other_ways():
    """No way is told apart from the chosen one: all differences are within two standard errors of it."""
    ways = stored("left_tuning_others").set_index(["way", "epsilon"])
    for (way, epsilon), row in ways.iterrows():
        assert abs(row.q - ways.q["chosen", epsilon]) < 2 * np.hypot(row.q_standard_error, ways.q_standard_error["chosen", epsilon]), way
