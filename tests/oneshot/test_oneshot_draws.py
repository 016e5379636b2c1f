"""What a fit of ``FrontierLearner`` draws: the laws of its answers, whatever is asked first, and an attack on everybody's report.

The records are not believed: scales are written out once more from epsilon and the number of groups. Fixed seeds, alpha = 1e-9.
"""
from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import audit, data, mechanisms
from dpfair_teach.oneshot import FrontierLearner, learner
from faults import Mutant, calling, with_arguments

ALPHA, EPSILON, FITS = 1e-9, 2.0, 12
METHODS = [{"method": "histogram", "n_cells": 50, "share": 0.4}, {"method": "response", "share": 1.0},
           {"method": "sums", "norm": "l1", "share": 1.0}, {"method": "sums", "norm": "l2", "columns": "features", "share": 1.0},
           {"method": "histogram", "n_cells": 50, "share": 0.4, "notion": "true_positive", "against": "pairs"},
           {"method": "sums", "norm": "l2", "share": 1.0, "notion": "demographic_parity", "against": "pairs"},
           {"method": "response", "share": 1.0, "notion": "false_positive"}]
METHODS += [{"method": new, "share": 0.4} for new in learner.METHODS if new not in {how["method"] for how in METHODS}]


def within(value: float, law: stats.rv_continuous) -> None:
    low, high = law.ppf([ALPHA / 2, 1 - ALPHA / 2])
    assert low <= value <= high


def counts_of(cells: np.ndarray, A: np.ndarray, groups: range, J: int) -> np.ndarray:
    return np.stack([np.bincount(cells[(A == a) & (cells >= 0)], minlength=J) for a in groups])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("how", METHODS, ids=str)
def test_the_answers_of_a_fit_have_the_noise_of_their_records(how, k):
    """A dozen fits, all noise of one kind together: geometric noise by how often it is 0, Laplace noise by its sizes, the two-norm's by
    its length, reports by how often they are true. Half a scale is ten standard deviations away and more, of an audit's few counts six."""
    people = data.make_logistic(200, n_groups=k, d=10, rng=np.random.default_rng(1))
    first, moved = how["share"] * EPSILON, 1.0 if k == 2 else 2.0
    zeros, lengths, truths, spreads = {0: [], 1: []}, [], [], []
    for seed in range(FITS):
        model = FrontierLearner(EPSILON, 0.0, n_groups=k, gammas=[0.0, 0.1], **how)
        model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(seed))
        turns = [0, 0, 1, 1] if how["method"] == "designed" else [0, 1][:len(model.answers_)]     # of each label, each has all of epsilon
        assert [r.epsilon for r in model.releases_] == pytest.approx([(first, EPSILON - first)[turn] for turn in turns])
        for which, (question, answer) in zip(turns, model.answers_, strict=True):
            groups = range(k - len(answer), k) if question is not None else range(k)      # group 0 too, between pairs of three
            asked_of = {"false_positive": [people.Y == 0], "demographic_parity": [people.Y >= 0]}.get(
                how.get("notion"), [people.Y == 0, people.Y == 1])
            if question is None:
                who = np.any(asked_of, axis=0)
                truths.append((answer == people.A[who]).mean())
            elif how["method"] == "designed" and question.ndim == 2:
                true = np.stack([question[:, people.A == a].sum(axis=1) for a in groups])
                grid = np.abs(question.astype(int)).sum(axis=0).max()
                spreads += (np.abs(answer - true) * (EPSILON - first) / (moved * grid)).ravel().tolist()
            elif question.ndim == 1:
                zeros[which].append(answer == counts_of(question, people.A, groups, answer.shape[1]))
            else:
                true = np.stack([[question[(people.A == a) & here].sum(axis=0) for here in asked_of] for a in groups])
                order = 1 if how.get("norm") == "l1" else 2
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
        n = int(who.sum())
        within(sum(truths) * n, stats.binom(FITS * n, math.exp(first) / (math.exp(first) + k - 1)))
    if spreads:                                                         # of a wide geometric law nearly those of Laplace's
        within(sum(spreads), stats.gamma(len(spreads)))
    assert zeros[0] or lengths or truths
    assert bool(spreads) == (how["method"] == "designed")


def test_the_published_reports_give_away_what_their_record_says(monkeypatch):
    """Every person is a trial: all in group 0 against all in group 1, 4,000 reports each. Half of the claim is certified and not more than
    it; with the coins of twice the epsilon it is refuted."""
    people = data.make_logistic(4_000, d=2, rng=np.random.default_rng(2))

    def attack():
        ones = []
        for a in (0, 1):
            model = FrontierLearner(2.0, .1, method="response", gammas=[0.1], share=0.5)
            model.fit(people.X, people.Y, sensitive_features=np.full(people.m, a), rng=np.random.default_rng(3 + a))
            ones.append(int(model.answers_[0][1].sum()))
        return audit.epsilon_lower_bound(ones[1], ones[0], people.m, alpha=ALPHA), model.releases_[0].epsilon

    found, claimed = attack()
    assert claimed == 1.0 and claimed / 2 < found <= claimed
    honest = mechanisms.MECHANISMS["randomized response"].draw
    monkeypatch.setattr(mechanisms.MECHANISMS["randomized response"], "draw",
                        lambda value, numbers, *how, **options: honest(value, (*numbers[:2], 2 * numbers[2]), *how, **options))
    assert attack()[0] > claimed


# --- deliberate faults

FAULTS = {
    "responses_at_double_epsilon": Mutant(
        "dpfair_teach.oneshot.asked.Asked.response", calling("release", with_arguments(epsilon=lambda e: 2 * e)),
        "the coins of twice the epsilon, and the record of once"),
    "first_counts_at_double_epsilon": Mutant(
        "dpfair_teach.oneshot.asked.Asked.histogram", calling("release_cells", with_arguments(epsilon=lambda e: 2 * e)),
        "half the noise on a fit's counts"),
    "first_sums_at_double_epsilon": Mutant(
        "dpfair_teach.oneshot.asked.Asked.sums", calling("release_sums", with_arguments(epsilon=lambda e: 2 * e)),
        "half the noise on a fit's sums"),
}
