"""One label, two groups, one gap: the same numbers as of everybody, the best question by search, and the winner's curse by games."""
from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import data
from dpfair_teach.oneshot import (
    ask_part,
    fit_group_posterior,
    gap_question,
    logit_posterior,
    public_cells,
    public_data,
    split_epsilon,
    winners_curse_bound,
)
from dpfair_teach.oneshot.posterior import GroupPosterior
from faults import Mutant, scaled


@pytest.mark.parametrize("epsilon", [.5, 3.0, 300.0])
def test_the_few_lines_have_the_numbers_of_the_belief(epsilon, monkeypatch):
    """Of a notion that asks one label; with two questions, cells and whole weights."""
    monkeypatch.setattr("dpfair_teach.oneshot.posterior.ARRIVED", 1e-7)
    monkeypatch.setattr("dpfair_teach.oneshot.posterior.STEPS", 200)
    people = data.make_logistic(300, d=3, shifts=[[0, 0, 0], [1, .5, 0]], rng=np.random.default_rng(1))
    public, rng = public_data(people.X, people.Y, notion="true_positive"), np.random.default_rng(2)
    part, = split_epsilon(public, epsilon, share=.5)
    asked = [ask_part(public_cells(public, part), people.A, part, part.first, rng),
             ask_part((rng.uniform(-1, 1, (1, len(part.people))), np.arange(len(part.people))), people.A, part, part.second, rng)]
    belief: GroupPosterior = fit_group_posterior(public, asked)
    questions = belief.asked[0]
    queries = np.vstack([question.rows(slice(None)).toarray() for question in questions])
    variances = np.concatenate([np.full(question.q, question.variance) for question in questions])
    told = logit_posterior(queries, np.concatenate([question.answers[0] for question in questions]), variances + 1e-9,
                           belief.sample.raw[0] @ belief.sample.to[0], .5)
    assert told == pytest.approx(belief.means(0)[:, 0], abs=1e-4)


def left_by(weights, gap, D, noise):
    return D @ gap**2 - (gap * D @ weights)**2 / (D @ weights**2 + noise)


@pytest.mark.parametrize("noise", [.01, .5, 5.0, 200.0])
def test_no_weights_leave_less_of_one_gap_of_independent_people(noise):
    """By search from a hundred starts; and tau solves noise tau = the sum of D (|c| - tau)+."""
    rng = np.random.default_rng(5)
    gap, D = rng.normal(size=30), rng.uniform(.05, .25, 30)
    found = gap_question(gap, D, noise)
    assert noise * found.tau == pytest.approx((D * np.maximum(np.abs(gap) - found.tau, 0)).sum())
    assert found.left == pytest.approx(left_by(found.weights, gap, D, noise), rel=1e-9)
    assert found.weights == pytest.approx(np.clip(gap / found.tau, -1, 1), rel=1e-12)
    for _ in range(100):
        other = rng.uniform(-1, 1, 30)
        for _ in range(300):
            told = (gap * D @ other) / (D @ other**2 + noise)
            other = np.clip(other + 2 * D * (gap - told * other) * np.sign(told) / D.max(), -1, 1)
        assert left_by(other, gap, D, noise) >= found.left - 1e-9


def test_gaps_too_small_for_a_tau_in_doubles_are_scaled():
    assert gap_question([1e-300, 0], [1e-12] * 2, 1e12).weights.tolist() == [1.0, 0.0]


def test_the_search_arrives_where_it_would_turn_round_for_ever():
    """Few people, features so large that a step overshoots: at the end the coefficients are those that follow from themselves."""
    assert logit_posterior(np.ones((1, 4)), [5.0], [.5], 3 * np.ones((4, 1)), .5) == pytest.approx(np.full(4, 1.0324), abs=1e-4)
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(200):
        n, d, q = rng.integers((3, 1, 1), (12, 4, 4))
        F, Q, v = 3 * rng.normal(size=(n, d)), rng.normal(size=(q, n)), rng.uniform(.2, 4, q)
        t = Q @ (rng.random(n) < .5) + np.sqrt(v) * rng.normal(size=q)
        told = [logit_posterior(Q, t * (1 + tiny), v, F, .5) for tiny in (0.0, 1e-12)]
        worst = max(worst, np.abs(told[0] - told[1]).max())
    assert worst < 1e-4                     # before the step was halved one search in three went round for ever, and this was .5


def test_little_noise_leaves_nothing_and_much_counts_everybody_fully():
    gap, D = np.array([1.0, -.5, .1]), np.full(3, .25)
    little, much = gap_question(gap, D, 1e-9), gap_question(gap, D, 1e9)
    assert little.weights == pytest.approx(gap, abs=1e-4) and little.left < 1e-8
    assert much.weights.tolist() == [1.0, -1.0, 1.0] and much.left == pytest.approx(D @ gap**2)


def test_the_gap_of_whoever_is_chosen_exceeds_its_claim_by_no_more_than_the_bound():
    """Normal errors, 4,000 games: the least claim is chosen. The mean excess is below the bound, within a factor of 3 of it from two
    candidates on where true gaps are alike, and 0 up to three standard errors where there is nothing to choose."""
    rng = np.random.default_rng(6)
    for n in (1, 2, 10, 100):
        true = np.full((4000, n), .3)
        told = true + .1 * rng.normal(size=(4000, n))
        best = np.abs(told).argmin(axis=1)
        excess = np.take_along_axis(true - np.abs(told), best[:, None], 1)
        bound = winners_curse_bound(.1, n)
        assert excess.mean() < bound
        assert excess.mean() > bound / 3 if n > 1 else abs(excess.mean()) < 3 * .1 / np.sqrt(4000)
        largest = np.abs(told - true).max(axis=1).mean()
        assert bound / 1.6 < largest < bound        # what the bound bounds, whatever is chosen


def test_one_noise_each_curses_more_than_normal_errors_and_no_more_than_its_own_bound():
    """Geometric noise of scale 1, 4,000 games of up to 1,683 candidates that are all alike: the mean excess passes the normal bound, and
    stays below that of the longer tails, within a factor of 1.5 of it."""
    rng, alpha = np.random.default_rng(7), np.exp(-1.0)
    deviation = np.sqrt(2 * alpha) / (1 - alpha)
    for n in (1, 10, 100, 1683):
        off = rng.geometric(1 - alpha, size=(4000, n)) - rng.geometric(1 - alpha, size=(4000, n))
        largest, bound = np.abs(off).max(axis=1).mean(), winners_curse_bound(np.sqrt(2), n, "laplace")
        assert largest < bound and (n == 1 or largest > bound / 1.5)
        assert (largest > winners_curse_bound(deviation, n)) == (n >= 100)


def test_the_mean_of_the_larger_of_two_gaps():
    """Chapter 14's question on noise of deviation 0.02: one gap, and the larger of two independent ones, by both laws."""
    for law, one, larger in ((stats.laplace(scale=.02 / math.sqrt(2)), .014, .021), (stats.norm(scale=.02), .016, .023)):
        assert law.std() == pytest.approx(.02)
        below = 2 * law.cdf(np.linspace(0, .5, 200_001)) - 1            # the chance that one gap is no larger
        found = [.5 * (1 - below**n).mean() for n in (1, 2)]            # a mean is the area above the distribution function
        assert np.round(found, 3).tolist() == [one, larger]


VALID_CALLS = {
    "oneshot.logit_posterior": lambda: dict(queries=[[1, 1, 0, 0], [0, 0, 1, 1]], answers=[1.8, .3], variances=[.1, .1],
                                            features=np.eye(4), share=.5),
    "oneshot.gap_question": lambda: dict(gap=[1.0, -.5, .1], variances=[.25, .25, .25], noise=1.0),
    "oneshot.winners_curse_bound": lambda: dict(deviation=.1, candidates=10, law="laplace"),
}


# --- deliberate faults

FAULTS = {
    "weights_are_not_cut": Mutant(
        "dpfair_teach.oneshot.one_label.gap_question",
        lambda f: lambda gap, variances, noise: f(gap, variances, noise / 2), "the question for half the noise"),
    "coins_told_once": Mutant(
        "dpfair_teach.oneshot.one_label.logit_posterior",
        lambda f: lambda queries, answers, variances, features, share: f(queries, answers, 2 * np.asarray(variances), features, share),
        "answers that are believed half as much"),
    "curse_of_half_the_deviation": Mutant("dpfair_teach.oneshot.one_label.winners_curse_bound", scaled(0.5), "half the bound"),
    "curse_of_normal_noise": Mutant(
        "dpfair_teach.oneshot.one_label.winners_curse_bound",
        lambda f: lambda deviation, candidates, law="normal": f(deviation, candidates),
        "the tails of a noise are taken for a normal law's"),
}
