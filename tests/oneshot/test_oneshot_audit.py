"""Which mixtures were audited, which are published, and the numbers that chapter 14 says of both."""
from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.cluster import KMeans

from book.studies.left_panel import left_people
from book.studies.populations import PEOPLE, POPULATIONS, drawn_population
from dpfair_teach import data
from dpfair_teach.experiments import GAMMAS_PROTOCOL as GAMMAS
from dpfair_teach.oneshot import (
    FrontierLearner,
    _clusters,
    audit_price,
    best_mixtures,
    expected_gaps,
    expected_groups,
    gap_weights,
    joint_cells,
)

RESULTS = Path(__file__).parents[2] / "book" / "results"
METHODS = [{}, {"method": "histogram", "oracle": "regression"}, {"method": "sums"}, {"method": "response"}]


def known(frontier) -> np.ndarray:
    """Candidates that some audited mixture uses, and the constants."""
    used = (frontier.audited > 1e-9).any(axis=0)
    used[-2:] = True
    return np.flatnonzero(used)


@pytest.mark.parametrize("how", METHODS, ids=str)
def test_what_was_audited_is_a_mixture_with_one_chance_on_every_cell(how):
    people = data.make_logistic(500, d=4, shifts=[[0, 0, 0, 0], [1, .5, 0, 0]], rng=np.random.default_rng(1))
    model = FrontierLearner(1.0, 0.0, **how).fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    audited, decisions, cells = model.frontier_.audited, model.decisions(people.X), model.answers_[1][0]
    assert audited.shape == (25 if how.get("method") == "response" else 1, len(decisions))
    assert np.abs(audited.sum(axis=1) - 1).max() < 1e-12 and audited.min() >= 0
    for mixture in audited @ decisions:
        assert max(np.ptp(mixture[cells == c]) for c in np.unique(cells)) < 1e-12
    asked = decisions if how.get("method") == "response" else decisions[(audited > 1e-9).any(axis=0)]
    assert np.array_equal(np.unique(joint_cells(asked, people.Y), return_inverse=True)[1], np.unique(cells, return_inverse=True)[1])
    none = FrontierLearner(1.0, 0.0, share=1.0, gammas=[0]).fit(
        people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    assert none.frontier_.audited.shape == (0, len(none.decisions(people.X)))


@pytest.mark.slow
def test_only_responses_publish_mixtures_of_audited_candidates_alone():
    """Chapter 14, below the prices: the default hardly ever does, on the data of its figure."""
    people, others = left_people("paper"), []
    for seed in (14, 0, 1):
        for method in ("histogram", "response"):
            rng = np.random.default_rng(seed)
            F = FrontierLearner(1.0, 0.0, method=method).fit(people.X, people.Y, sensitive_features=people.A, rng=rng).frontier_
            weight = 1 - F.weights[:, known(F)].sum(axis=1)
            if method == "response":
                assert np.abs(weight).max() < 1e-9
            else:
                others.append(np.count_nonzero(weight > 1e-9))
    assert min(others) >= len(GAMMAS) // 2


def test_the_prices_of_chapter_14_are_of_the_audited_mixture():
    """Of this mixture one person a cell will do for all; of the published one it would not."""
    people = left_people("paper")
    model = FrontierLearner(1.0, 0.0).fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(14))
    F, decisions, cells = model.frontier_, model.decisions(people.X), model.answers_[1][0]
    sizes = [((people.A == 1) & (people.Y == y)).sum() for y in (0, 1)]
    assert audit_price(F.audited[0] @ decisions, people.Y, sizes, 0.5) == pytest.approx([.0082, .0162], abs=5e-5)
    first, last = ([np.flatnonzero(cells == c)[j] for c in np.unique(cells)] for j in (0, -1))
    q = math.exp(-0.5)
    for mixture, alike in ((F.audited[0] @ decisions, True), (F.weights[0] @ decisions, False)):
        weights = gap_weights(mixture, people.Y, sizes)
        one, other = (np.sqrt(2 * q / (1 - q) ** 2 * (weights[:, who] ** 2).sum(axis=1)) for who in (first, last))
        assert (np.abs(one - other).max() < 1e-12) == alike
        if alike:
            assert one == pytest.approx([.0104, .0336], abs=5e-5)


@pytest.mark.turning(7)
@pytest.mark.slow
def test_what_keeping_to_audited_candidates_would_cost():
    """The drawn populations, twenty runs each at epsilon 1: violation and error for gamma 0, as published and kept to what was audited."""
    rows = []
    for seed in range(POPULATIONS):
        X, A, Y = drawn_population(PEOPLE, np.random.default_rng(np.random.SeedSequence(seed)), even=seed % 2 == 1)
        for run in range(20):
            model = FrontierLearner(1.0, 0.0, gammas=[0.0]).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(run))
            F, keep = model.frontier_, known(model.frontier_)
            gaps = expected_gaps(model.decisions(X), np.column_stack([1 - A, A]), Y)
            kept = best_mixtures(F.error[keep], F.gaps[keep], [0.0])
            violations = [np.abs(weights @ true).max() for weights, true in ((F.weights[0], gaps), (kept.weights[0], gaps[keep]))]
            rows.append([violations[0], F.expected_error[0], violations[1], kept.values[0]])
    assert np.mean(rows, axis=0) == pytest.approx([.018, .182, .006, .268], abs=1e-3)
    assert np.std(rows, axis=0, ddof=1)[3] / np.sqrt(len(rows)) == pytest.approx(.006, abs=5e-4)


@pytest.mark.slow
def test_eight_clusterings_say_what_one_does_of_few_and_many_cells(monkeypatch):
    """Chapter 14, where the loss is: without noise, true gaps, error for gamma 0, by other starts of the clustering."""
    people, means = left_people("paper"), []
    groups = np.column_stack([1 - people.A, people.A])
    for n_cells, deviation in ((27, .006), (54, .005)):
        errors = []
        for start in range(8):
            def clustering(n, n_init, random_state, start=start, **how):
                return KMeans(n, n_init=n_init, random_state=random_state or start, **how)       # 0 are the cells, 1 the landmarks
            monkeypatch.setattr(_clusters, "KMeans", clustering)
            model = FrontierLearner(1e3, 0.0, n_cells=n_cells, gammas=[0.0])
            model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(0))
            errors.append(best_mixtures(model.frontier_.error, expected_gaps(model.decisions(people.X), groups, people.Y), [0.0]).values[0])
        assert np.std(errors, ddof=1) == pytest.approx(deviation, abs=5e-4)
        means.append(np.mean(errors))
    assert means == pytest.approx([.175, .158], abs=1e-3)


def test_the_mean_of_the_larger_of_two_gaps():
    """Chapter 14's question on noise of deviation 0.02: one gap, and the larger of two independent ones, by both laws."""
    for law, one, larger in ((stats.laplace(scale=.02 / math.sqrt(2)), .014, .021), (stats.norm(scale=.02), .016, .023)):
        assert law.std() == pytest.approx(.02)
        below = 2 * law.cdf(np.linspace(0, .5, 200_001)) - 1            # the chance that one gap is no larger
        found = [.5 * (1 - below**n).mean() for n in (1, 2)]            # a mean is the area above the distribution function
        assert np.round(found, 3).tolist() == [one, larger]


def test_an_answer_that_chooses_the_next_question_does_no_harm_to_normal_laws_and_some_to_others():
    """prop-linear-posterior wants M fixed. Two fair coins, their sum told; after a 1 the first is asked for, with noise of +-1/2: the rule
    of chapter 14 has mean square error 5/72, another one that is linear after each first answer 1/16. Of fixed questions it is the best."""
    blank, ours, other = np.zeros((2, 1)), 0.0, 0.0
    for *A, w in itertools.product((0, 1), (0, 1), (-.5, .5)):
        told = [float(sum(A))]
        if told[0] == 1:
            guess = expected_groups([[1, 1], [1, 0]], [*told, A[0] + w], [0, .25], blank, .5, .25)[0]
            better = .5 + .5 * (A[0] + w - .5)
        else:
            guess = better = expected_groups([[1, 1]], told, [0], blank, .5, .25)[0]
        ours, other = ours + (guess - A[0]) ** 2 / 8, other + (better - A[0]) ** 2 / 8
    assert ours == pytest.approx(5 / 72, abs=1e-6) and other == pytest.approx(1 / 16, abs=1e-6)
    # a normal law, conditioned first on one answer and then on a second whose weights the first has chosen
    rng = np.random.default_rng(3)
    features = rng.standard_normal((5, 2))
    mean, covariance = np.full(5, .4), features @ features.T + .2 * np.eye(5)
    asked, answers = [], []
    for turn in range(2):
        row = np.array([1., 1, 1, 0, 0]) if turn == 0 else np.eye(5)[int(answers[0] > 1)] + np.eye(5)[4]
        answer = row @ rng.multivariate_normal(mean, covariance) + rng.normal(scale=.5)
        gain = covariance @ row / (row @ covariance @ row + .25)
        mean, covariance = mean + gain * (answer - row @ mean), covariance - np.outer(gain, row @ covariance)
        asked, answers = [*asked, row], [*answers, answer]
    assert np.abs(expected_groups(asked, answers, [.25, .25], features, .4, .2) - mean).max() < 1e-6


def test_held_out_violations_are_four_times_as_large_from_epsilon_1_on():
    """Chapter 14's limit, of the stored tables: default label rule, gamma 0, all four group rules."""
    tables = [pd.read_csv(RESULTS / f"{name}.csv").query("label == 'p70' and method == 'histogram' and gamma == 0")
              for name in ("left_oneshot", "left_oneshot_rules")]
    inside, held_out = (t[t.evaluated == how].set_index(["group", "epsilon"]).violation
                        for t, how in zip(tables, ("in_sample", "held_out"), strict=True))
    times = (held_out / inside).unstack()
    assert times.shape == (4, 6) and (times[[1.0, 2.0, 5.0]] > 4).all(axis=None) and times[0.1].between(.5, 2).all()
