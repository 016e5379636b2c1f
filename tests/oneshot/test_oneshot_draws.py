"""What a fit of ``FrontierLearner`` draws: the laws of its answers, whatever is asked first, and an attack on everybody's report.

The records are not believed: scales are written out once more from epsilon and the number of groups. Fixed seeds, alpha = 1e-9.
"""
from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import audit, data, mechanisms
from dpfair_teach.oneshot import FrontierLearner, asked, learner

ALPHA, EPSILON, FITS = 1e-9, 2.0, 12
METHODS = [{"method": "histogram", "n_cells": 50, "share": 0.4}, {"method": "response", "share": 1.0},
           {"method": "sums", "norm": "l1", "share": 1.0}, {"method": "sums", "norm": "l2", "columns": "features", "share": 1.0}]


def test_every_method_is_tested():
    assert {how["method"] for how in METHODS} == set(learner.METHODS)


def within(value: float, law: stats.rv_continuous) -> None:
    low, high = law.ppf([ALPHA / 2, 1 - ALPHA / 2])
    assert low <= value <= high


def counts_of(cells: np.ndarray, A: np.ndarray, k: int, J: int) -> np.ndarray:
    return np.stack([np.bincount(cells[A == a], minlength=J) for a in range(1, k)])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("how", METHODS, ids=str)
def test_the_answers_of_a_fit_have_the_noise_of_their_records(how, k):
    """A dozen fits, all noise of one kind together: geometric noise by how often it is 0, Laplace noise by its sizes, the two-norm's by
    its length, reports by how often they are true. Half a scale is ten standard deviations away and more, of an audit's few counts six."""
    people = data.make_logistic(200, n_groups=k, d=10, rng=np.random.default_rng(1))
    first, moved = how["share"] * EPSILON, 1.0 if k == 2 else 2.0
    zeros, lengths, truths = {0: [], 1: []}, [], []
    for seed in range(FITS):
        model = FrontierLearner(EPSILON, n_groups=k, gammas=[0.0, 0.1], **how)
        model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(seed))
        assert [r.epsilon for r in model.releases_] == pytest.approx([first, EPSILON - first][:1 + (how["share"] < 1)])
        for which, (question, answer) in enumerate(model.answers_):
            if question is None:
                truths.append((answer == people.A).mean())
            elif question.ndim == 1:
                zeros[which].append(answer == counts_of(question, people.A, k, answer.shape[1]))
            else:
                true = np.stack([[question[(people.A == a) & (people.Y == y)].sum(axis=0) for y in (0, 1)] for a in range(1, k)])
                order = 1 if how["norm"] == "l1" else 2
                largest = np.linalg.norm(question, ord=order, axis=1).max() * (1.0 if k == 2 else 2 ** (1 / order))
                for off in (answer - true).swapaxes(0, 1):              # of one label
                    lengths.append(np.linalg.norm(off.ravel(), ord=order) * first / largest)
    for which, epsilon in ((0, first), (1, EPSILON - first)):
        if zeros[which]:
            q, seen = math.exp(-epsilon / moved), np.concatenate([z.ravel() for z in zeros[which]])
            within(seen.sum(), stats.binom(seen.size, (1 - q) / (1 + q)))
    if lengths:                                                         # each is Gamma of as many numbers as it has
        within(sum(lengths), stats.gamma(len(lengths) * off.size))
    if truths:
        within(sum(truths) * people.m, stats.binom(FITS * people.m, math.exp(first) / (math.exp(first) + k - 1)))
    assert zeros[0] or lengths or truths


def test_the_published_reports_give_away_what_their_record_says(monkeypatch):
    """Every person is a trial: all in group 0 against all in group 1, 4,000 reports each. Half of the claim is certified and not more than
    it; with the coins of twice the epsilon it is refuted."""
    people = data.make_logistic(4_000, d=2, rng=np.random.default_rng(2))

    def attack():
        ones = []
        for a in (0, 1):
            model = FrontierLearner(2.0, method="response", gammas=[0.1], share=0.5)
            model.fit(people.X, people.Y, sensitive_features=np.full(people.m, a), rng=np.random.default_rng(3 + a))
            ones.append(int(model.answers_[0][1].sum()))
        return audit.epsilon_lower_bound(ones[1], ones[0], people.m, alpha=ALPHA), model.releases_[0].epsilon

    found, claimed = attack()
    assert claimed == 1.0 and claimed / 2 < found <= claimed
    honest = mechanisms.randomized_response
    monkeypatch.setattr(asked.mechanisms, "randomized_response", lambda A, k, epsilon, rng: honest(A, k, 2 * epsilon, rng))
    assert attack()[0] > claimed
