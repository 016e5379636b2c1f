"""Studies with two, three and five groups, each number counted person by person; and the one home of the splits."""
from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import RepeatedKFold

from book.studies import ask_once, left_panel
from book.studies import left_panel_games as played
from dpfair_teach import data, games
from dpfair_teach.experiments import GAMMAS_PROTOCOL, reference, regression_reference
from dpfair_teach.experiments.protocol import held_out_splits
from dpfair_teach.oneshot import ask_well, public_data
from dpfair_teach.oneshot.posterior_frontier import published_of
from dpfair_teach.oracles import RegressionOracle
from faults import Mutant, planted


def people_of(k, m=600):
    """Groups of decreasing base rates and features, so that every gap is large and the last group's is the largest."""
    shifts = np.outer(np.linspace(0, -1.2, k), np.full(5, 5**-.5))
    return data.make_logistic(m, n_groups=k, intercepts=np.linspace(.6, -.9, k), shifts=shifts, rng=np.random.default_rng(k))


def by_hand(accept, A, Y, k):
    """Error and anchored violation of chances to be accepted (m,), counted person by person."""
    wrong = sum(1 - p if y else p for p, y in zip(accept, Y, strict=True)) / len(Y)
    rate = {(a, y): np.mean([p for p, b, z in zip(accept, A, Y, strict=True) if (b, z) == (a, y)]) for a in range(k) for y in (0, 1)}
    return wrong, max(abs(rate[a, y] - rate[0, y]) for a in range(1, k) for y in (0, 1))


def of_two_groups(f):
    """The body as it was: groups 0 and 1, however many there are."""
    def faulty(decisions, A, Y, n_groups):
        decisions = np.asarray(decisions, dtype=float)
        cells = [decisions @ ((A == a) & (Y == y)) / max(((A == a) & (Y == y)).sum(), 1) for y in (0, 1) for a in (0, 1)]
        return (decisions != Y).mean(axis=1), np.stack([cells[1] - cells[0], cells[3] - cells[2]], axis=1)
    return faulty


TWO_ONLY = Mutant("dpfair_teach.experiments.reference.error_and_gaps", of_two_groups, "groups beyond the first two are not looked at")


def counted(k):
    people, rng = people_of(k), np.random.default_rng(1)
    decisions = rng.random((7, people.m)) < .2 + .1 * people.A
    error, gaps = reference.error_and_gaps(decisions, people.A, people.Y, k)
    hand = [by_hand(d.astype(float), people.A, people.Y, k) for d in decisions]
    np.testing.assert_allclose(np.column_stack([error, np.abs(gaps).max(axis=1)]), hand, atol=1e-12)
    assert gaps.shape == (7, 2 * (k - 1))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_gaps_of_decisions(k):
    counted(k)
    if k > 2:
        with planted(TWO_ONLY), pytest.raises(AssertionError, match="Not equal to tolerance"):
            counted(k)


@pytest.mark.parametrize("judged", ["in_sample", "held_out"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_asking_well(k, judged):
    """The same run again, its mixtures read person by person, on those learned from or on others."""
    people, others = people_of(k), people_of(k, 500)
    public = public_data(people.X, people.Y, against="anchor")
    judge = None if judged == "in_sample" else (others.X, others.A, others.Y)
    draws = ask_once.draws_on(public, people.A, judge, 2.0, 1, np.random.default_rng(5), n_groups=k)
    _, posterior, candidates, path = ask_well(public, people.A, 2.0, np.random.default_rng(5), n_groups=k)
    basis, frontier, _ = published_of(posterior, candidates, path, GAMMAS_PROTOCOL)
    told = people if judge is None else others
    decisions = (basis(told.X) @ frontier.multipliers.T > 0).T
    for g in (0, 5, 15):
        accept = frontier.weights[g] @ decisions
        np.testing.assert_allclose((draws.error[0, g], draws.violation[0, g]), by_hand(accept, told.A, told.Y, k), atol=1e-9)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_repaired_loop(k):
    """The mean of the rounds, read from the chances that the run publishes."""
    people, others = people_of(k), people_of(k, 500)
    oracle, loop = RegressionOracle(people.X, people.Y), (1.0, .6, 30.0, 4)
    for told in (people, others):
        judge = None if told is people else (told.X, told.A, told.Y)
        draws = played.loop_draws(oracle, people.A, 20.0, 1, np.random.default_rng(2), loop, judge=judge, n_groups=k)
        play = games.regression_dp_oracle_learner(
            oracle, people.A, np.array(GAMMAS_PROTOCOL), 20.0, played.DELTA, np.random.default_rng(2), n_groups=k,
            B=np.minimum(1 / np.maximum(GAMMAS_PROTOCOL, 1e-9), 1.0), rounds=4, eta=4 * games.auditor.hedge_rate(4 * (k - 1), 4),
            budget_fraction=.05, learner_fraction=.6, ridge=30.0, size=1)
        accept = play.acceptance_probability(told.X)
        for g in (0, 10, 24):
            mine = draws["mean"].error[0, g], draws["mean"].violation[0, g]
            np.testing.assert_allclose(mine, by_hand(accept[0, g], told.A, told.Y, k), atol=1e-9)
        assert draws["lp"].violation.max() <= 1 and draws["lp"].error.shape == (1, 25)


@pytest.mark.parametrize("k", [3, 5])
def test_the_reference_of_the_protocol_is_that_of_two_groups(k):
    people = people_of(k)
    with pytest.raises(ValueError, match=rf"^A={k}: is its number of groups, and the protocol's grid of multipliers .* is that of two"):
        regression_reference(people.X, people.A, people.Y)


def test_the_reference_of_two_groups_by_hand():
    """Its free points: the better constant, and the oracle's answer without multipliers."""
    people = people_of(2)
    curve, (constant, base) = regression_reference(people.X, people.A, people.Y)
    second, free = left_panel.reference_on(people, left_panel.left_splits(people, "in_sample"), thresholds=True)   # more to choose from
    assert np.array_equal(free, [constant, base])
    assert (second[:, 1] <= curve[:, 1] + 1e-9).all() and (second[:, 1] < curve[:, 1] - 1e-4).any()
    accept = (RegressionOracle(people.X, people.Y).answer(np.zeros(2), np.zeros((2, 6)))).astype(float)
    np.testing.assert_allclose(base[::-1], by_hand(accept, people.A, people.Y, 2), atol=1e-12)
    assert len(curve) == 25 and constant.tolist() == [0.0, min(people.Y.mean(), 1 - people.Y.mean())]


def test_the_reference_of_several_splits_is_the_mean_of_theirs():
    people, splits = people_of(2), held_out_splits(600)[:3]
    each = [np.vstack(left_panel.reference_on(people, [split], False)) for split in splits]
    np.testing.assert_allclose(np.vstack(left_panel.reference_on(people, splits, False)), np.mean(each, axis=0), atol=1e-12)
    assert np.ptp(each, axis=0).max() > .01


def test_a_part_without_a_cell_is_refused():
    people = people_of(2)
    without = np.flatnonzero((people.A == 0) | (people.Y == 0))
    with pytest.raises(ValueError, match=r"^A='group 1, label 1': is nobody of those learned from"):
        left_panel.reference_on(people, [(without, np.arange(600))], False)


@pytest.mark.parametrize("m", [3, 7, 8, 1994])
def test_the_splits_are_four_partitions_into_thirds(m):
    """As RepeatedKFold's: each third judged once, thirds of the same sizes; the same people at every call."""
    splits, folds = held_out_splits(m), list(RepeatedKFold(n_splits=3, n_repeats=4, random_state=0).split(np.zeros(m)))
    assert [(len(a), len(b)) for a, b in splits] == [(len(a), len(b)) for a, b in folds]
    for start in range(0, 12, 3):
        assert np.array_equal(np.sort(np.concatenate([judge for _, judge in splits[start:start + 3]])), np.arange(m))
    assert all(np.array_equal(np.sort(np.concatenate(split)), np.arange(m)) for split in splits)
    assert all(np.array_equal(a, b) for one, two in zip(splits, held_out_splits(m), strict=True) for a, b in zip(one, two, strict=True))
