"""Candidates by a posterior: how many, whom they accept, counted alike of few people and of many; and what they are made of."""
from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from dpfair_teach import data
from dpfair_teach._curve import violation_of
from dpfair_teach.fairness import Parity
from dpfair_teach.fairness.parity import NOTIONS
from dpfair_teach.oneshot import (
    FrontierLearner,
    _blocks,
    algorithm,
    ask_part,
    ask_well,
    bayes_mixtures,
    bayes_scores,
    fair_candidates,
    fit_group_posterior,
    multiplier_grid,
    public_cells,
    public_data,
    split_epsilon,
)
from dpfair_teach.oneshot.candidates import MOST, grid_of
from dpfair_teach.oneshot.decision_matrix import Decisions
from dpfair_teach.oneshot.settings import SETTINGS

FEW = data.make_logistic(40, d=2, rng=np.random.default_rng(2))


@functools.cache
def candidates_of(notion="equalized_odds"):
    """By a first question to each part; what the base says, which no line does, is on the map."""
    base = GaussianNB().fit(FEW.X, FEW.Y)
    public, rng = public_data(FEW.X, FEW.Y, notion=notion, cost=(1, 2), base=base), np.random.default_rng(3)
    asked = [ask_part(public_cells(public, part), FEW.A, part, part.first, rng) for part in split_epsilon(public, 2.0)]
    return public, fair_candidates(public, fit_group_posterior(public, asked))


@pytest.mark.parametrize(("notion", "against", "usual", "many"), [
    ("demographic_parity", "pairs", 20, 40), ("equalized_odds", "anchor", 9, 20), ("equalized_odds", "pairs", 9, 20)])
def test_candidates_are_so_many_that_their_drawn_rates_can_be_held(notion, against, usual, many):
    """Of few groups as many as usual, of twenty fewer."""
    parity = Parity(notion, against)
    assert len(grid_of(2, parity, SETTINGS.draws)) == (41 if notion == "demographic_parity" else 41**2) + 1
    for k in (3, 4, usual):
        assert np.array_equal(grid_of(k, parity, SETTINGS.draws), multiplier_grid(k, notion=parity))
    grid = grid_of(many, parity, SETTINGS.draws)
    assert 1000 < len(grid) < len(multiplier_grid(many, notion=parity))
    assert SETTINGS.draws * len(parity.cells) * len(parity.comparisons(many)) * len(grid) <= MOST


def test_too_many_gaps_are_refused_before_anybody_is_asked(monkeypatch):
    parity, rng = Parity("demographic_parity", "pairs"), np.random.default_rng(3)
    monkeypatch.setattr(algorithm, "ask_part", lambda *of: pytest.fail("somebody was asked"))
    calls = [lambda: grid_of(66, parity, SETTINGS.draws),
             lambda: ask_well(public_data(FEW.X, FEW.Y, notion=parity), FEW.A, 1.0, rng, n_groups=66),
             lambda: FrontierLearner(1.0, 0.0, n_groups=66, notion=parity).fit(FEW.X, FEW.Y, sensitive_features=FEW.A, rng=rng)]
    for call in calls:
        with pytest.raises(ValueError, match=r"^n_groups=66: makes 2145 gaps between groups, too many to draw"):
            call()


def test_what_has_no_drawn_violation_is_refused():
    """A comparison with all groups together."""
    with pytest.raises(ValueError, match=r"^against='population': is no comparison"):
        violation_of(np.zeros((2, 1)), Parity("false_positive", "population"))


def test_whom_candidates_accept_is_counted_alike_of_few_people_and_of_many(monkeypatch):
    """Kept, or made anew for some at a time: the same decisions, and exact sums of whole numbers."""
    rng = np.random.default_rng(4)
    scores, multipliers, numbers, y = *(rng.normal(size=shape) for shape in ((700, 3), (50, 3), (700, 2))), rng.integers(0, 2, 700)
    accepts, some = scores @ multipliers.T > 0, np.array([5, 3, 699, 3])
    kept = Decisions(scores, multipliers)
    monkeypatch.setattr(_blocks, "TOGETHER", 100)
    made = Decisions(scores, multipliers)
    assert kept.whole is not None and made.whole is None
    for decisions in (kept, made):
        assert np.array_equal(decisions.accepted(y), [accepts[y == label].sum(axis=0) for label in (0, 1)])
        assert decisions.sums(lambda at: numbers[at]) == pytest.approx(accepts.T @ numbers)
        assert np.array_equal(decisions.of_people(some), accepts[some]) and np.array_equal(decisions.about(some), accepts[some].T)
        assert np.array_equal(decisions.only(np.array([7, 2])).of_people(some), accepts[some][:, [7, 2]])


@pytest.mark.parametrize("notion", NOTIONS)
def test_errors_and_losses_are_exact_and_rates_of_those_who_are_counted(notion):
    """The last two candidates are the constants; by accuracy parity those are counted about whom one is right."""
    public, found = candidates_of(notion)
    accepts = found.basis(FEW.X) @ found.decisions.multipliers.T > 0
    wrong = accepts != FEW.Y[:, None]
    assert found.error == pytest.approx(wrong.mean(axis=0)) and not accepts[:, -2].any() and accepts[:, -1].all()
    assert found.loss == pytest.approx(np.where(FEW.Y == 1, 1, .5) @ wrong / 40)
    for people, counted in zip(public.people, found.of_sample, strict=True):
        assert np.array_equal(counted, (~wrong if notion == "accuracy_parity" else accepts)[people])
    only, rates = np.array([7, len(found.error) - 1]), found.rates(20)
    assert np.array_equal(found.rates(20, 0, only), rates[:, :, only]) and 0 <= rates.min() and rates.max() <= 1


@pytest.mark.parametrize("notion", NOTIONS)
def test_candidates_weigh_gaps_by_how_many_have_the_label_and_take_its_own_chances(notion):
    """As :func:`bayes_scores` does, whose ``share`` is that of the people who are compared."""
    public, found = candidates_of(notion)
    basis, belief = found.basis, found.belief
    compared = {"true_positive": FEW.Y == 1, "false_positive": FEW.Y == 0}.get(notion, FEW.Y >= 0)
    chances = basis.chances(basis.chances.features(FEW.X, basis.eta(FEW.X)))
    told = bayes_scores(public.eta(FEW.X), chances, basis.n, notion, share=compared.mean(), cost=(.5, 1))
    assert basis(FEW.X)[:, :-1] == pytest.approx(told) and basis.n.sum() == pytest.approx(compared.sum())
    for r, people in enumerate(public.people):
        assert chances[people, FEW.Y[people] if notion == "accuracy_parity" else r] == pytest.approx(belief.p[r])
    assert chances.shape[1] == 1 or not np.allclose(chances[:, 0], chances[:, 1])


def test_candidates_that_some_mixture_uses_are_there_the_second_time_however_rarely():
    """First, in their order, and they decide what they decided; and so the third time."""
    public, found = candidates_of()
    path = bayes_mixtures(found.loss, found.rates(16), [1.0, .1])
    rare = int(np.flatnonzero(~(path > 0).any(axis=0))[5])
    path[0] *= 1 - 1e-7
    path[0, rare] = 1e-7
    used = np.flatnonzero((path[:, :-2] > 0).any(axis=0))
    again = fair_candidates(public, found.belief, found, path)
    assert rare in used and len(again.error) == len(found.error) + len(used)
    assert np.array_equal(again.decisions.whole[:len(used)], found.decisions.whole[used])
    assert np.array_equal(again.error[:len(used)], found.error[used])
    scores = again.basis(FEW.X)
    assert np.array_equal((scores @ again.decisions.multipliers.T > 0).T, again.decisions.whole)
    third = fair_candidates(public, found.belief, again, np.eye(len(again.error))[:1])
    assert np.array_equal((third.basis(FEW.X) @ third.decisions.multipliers.T > 0).T, third.decisions.whole)
