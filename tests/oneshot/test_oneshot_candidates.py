"""Candidates: the regression oracle with soft groups, fair Bayes thresholding, and their gaps."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

from dpfair_teach import fairness
from dpfair_teach.fairness import Parity
from dpfair_teach.fairness.parity import ACCEPTANCE_NOTIONS
from dpfair_teach.oneshot import FrontierLearner, bayes_scores, expected_gaps, group_costs, multiplier_grid, regression_scores
from dpfair_teach.oneshot.candidates import group_shares, strata_of
from faults import Mutant


def people(k: int, seed: int, m: int = 60):
    rng = np.random.default_rng(seed)
    A, Y = np.r_[np.repeat(np.arange(k), 2), rng.integers(0, k, m - 2 * k)], np.r_[np.tile([0, 1], k), rng.integers(0, 2, m - 2 * k)]
    return rng, rng.standard_normal((m, 3)), A, Y


@pytest.mark.parametrize("k", [2, 3])
def test_one_fit_answers_every_multiplier_as_the_oracle_would(k):
    """The oracle by hand: least squares of the costs of saying 1 and of saying 0, separately for each u, then the cheaper."""
    rng, X, A, Y = people(k, 1)
    m, onehot, design = len(Y), np.eye(k)[A], np.column_stack([np.ones(60), X])
    scores = regression_scores(X, Y, onehot)
    for u in rng.standard_normal((20, 2 * (k - 1))):
        cost_one, cost_zero = (Y == 0).astype(float), (Y == 1).astype(float)
        for a, y in itertools.product(range(1, k), (0, 1)):
            cell, anchor = (A == a) & (Y == y), (A == 0) & (Y == y)
            cost_one += u[2 * (a - 1) + y] * m * (cell / cell.sum() - anchor / anchor.sum())
        predicted = [design @ np.linalg.lstsq(design, c, rcond=None)[0] for c in (cost_one, cost_zero)]
        assert np.abs(predicted[1] - predicted[0] - (scores[:, 0] - scores[:, 1:] @ u)).max() < 1e-9


def test_the_costs_are_the_lagrangian_person_by_person():
    """Sum over accepted people of group_costs / m is the gap, for true groups."""
    rng, _, A, Y = people(3, 2)
    decisions = rng.integers(0, 2, (5, 60))
    onehot = np.eye(3)[A]
    gaps = expected_gaps(decisions, onehot, Y)
    assert np.abs(decisions @ group_costs(onehot, Y) / 60 - gaps).max() < 1e-12
    fp, tp = fairness.rates(fairness.cell_counts(decisions[0], A, Y))
    assert np.abs(gaps[0] - [fp[1] - fp[0], tp[1] - tp[0], fp[2] - fp[0], tp[2] - tp[0]]).max() < 1e-12


def test_fair_bayes_thresholding_minimizes_the_lagrangian_over_all_functions_of_x():
    """Four kinds of people with known P(y | x), P(a | x, y): of all 16 classifiers none is better, for 200 multipliers."""
    rng = np.random.default_rng(5)
    eta, p = rng.uniform(.1, .9, 4), rng.uniform(.1, .9, (4, 2))
    given = np.stack([1 - p, p], axis=-1)
    mass = np.stack([1 - eta, eta], axis=1)[:, :, None] * given / 4         # P(x, y, a)
    shares = mass.sum(axis=0)
    scores = bayes_scores(eta, given, shares)
    with pytest.raises(ValueError, match="share=1e-320: outside"):      # nobody divided by nearly nobody was NaN
        bayes_scores(eta, given, shares, share=1e-320)

    def lagrangian(h, u):
        error = (h @ (1 - eta) + (1 - h) @ eta) / 4
        rates = np.einsum("x,xya->ya", h, mass) / shares
        return error + u @ (rates[:, 1] - rates[:, 0])

    for u in rng.uniform(-.5, .5, (200, 2)):
        ours = (scores[:, 0] > scores[:, 1:] @ u).astype(float)
        best = min(lagrangian(np.array(h, float), u) for h in itertools.product((0, 1), repeat=4))
        assert lagrangian(ours, u) <= best + 1e-12


@pytest.mark.parametrize(("k", "shape"), [(2, (442, 2)), (3, (626, 4)), (4, (730, 6))])
def test_grids_hold_no_constraint_first_and_are_symmetric(k, shape):
    grid = multiplier_grid(k)
    assert grid.shape == shape and not grid[0].any()
    assert {tuple(u) for u in grid.round(12)} == {tuple(-u + 0.0) for u in grid.round(12)}


def test_too_many_groups_for_a_grid_are_refused():
    assert multiplier_grid(20).shape == (17_011, 38)
    with pytest.raises(ValueError, match=r"^n_groups=30: makes 37,665 multipliers, more than 20,000. Merge groups"):
        multiplier_grid(30)
    assert multiplier_grid(30, points=5).shape == (11_626, 58)


def test_the_largest_numbers_of_groups_are_those_that_the_learner_says():
    for notion, most in (("equalized_odds", 21), ("false_positive", 66), ("demographic_parity", 66)):
        for against in ("anchor", "pairs"):
            assert len(multiplier_grid(most, notion=notion, against=against)) > 18_000
            with pytest.raises(ValueError, match="Merge groups"):
                multiplier_grid(most + 1, notion=notion, against=against)
    assert "n_groups : int in 2..21; in 2..66 for a notion of one rate" in FrontierLearner.__doc__
    assert "up to 21, up to 66 for a notion of one rate" in multiplier_grid.__doc__


@pytest.mark.parametrize("notion", ACCEPTANCE_NOTIONS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_renamed_groups_have_the_same_candidates_between_pairs(notion, k):
    """The prices of all groups, renamed: the same set."""
    u = multiplier_grid(k, notion=notion, against="pairs").reshape(-1, k - 1, len(Parity(notion).cells))
    prices = np.concatenate([-u.sum(axis=1, keepdims=True), u], axis=1).round(9) + 0.0
    order = np.random.default_rng(k).permutation(k)
    if (order == np.arange(k)).all():
        order = order[::-1]
    assert {p.tobytes() for p in prices} == {np.ascontiguousarray(p).tobytes() for p in prices[:, order]}


@pytest.mark.parametrize("anchor", [1, 2])
def test_the_grid_of_another_anchor_is_that_of_the_first_renamed(anchor):
    u = multiplier_grid(3, notion=Parity(anchor=anchor)).reshape(-1, 2, 2)
    prices = np.concatenate([-u.sum(axis=1, keepdims=True), u], axis=1)
    order = [anchor, *(a for a in range(3) if a != anchor)]
    assert prices[:, order][:, 1:].reshape(-1, 4) == pytest.approx(multiplier_grid(3))


@pytest.mark.parametrize("seed", range(6))
def test_a_constant_has_no_gap_whatever_is_lifted(seed):
    """Whoever is missing in a group is decided about as the label is: where everybody is accepted, so are they."""
    rng = np.random.default_rng(seed)
    k, Y = 2 + seed % 3, np.r_[0, rng.random(49) < .8].astype(int)
    weights = np.column_stack([np.zeros((50, k - 1)), rng.normal(size=50) - .5])       # of a group that noise made less than nobody
    weights[:, 0] = 1 - weights.sum(axis=1)
    assert (group_shares(weights, strata_of(Parity(), Y)) == 1).any()
    assert np.abs(expected_gaps([[1.] * 50, [.3] * 50, [0.] * 50], weights, Y)).max() < 1e-12
    assert np.abs(group_costs(weights, Y).sum(axis=0)).max() < 1e-10


def test_shares_keep_the_public_total_where_a_group_is_lifted():
    """A negative debiased total cannot make a rate of it; the label still has its people."""
    weights = np.array([[1.2, -.2], [1.1, -.1], [1.4, -.4], [.5, .5], [.4, .6]])
    Y = np.array([0, 0, 0, 1, 1])
    strata = strata_of(Parity(), Y)
    assert group_shares(weights, strata) == pytest.approx(np.array([[2, 1], [1, 1]]))        # lifted from (3.7, -.7) and (.9, 1.1)
    # the debiased weights on the people accepted and the lift of 1.7 at the label's rate of 2/3, by those shares: rates may leave [0, 1]
    assert expected_gaps([[1, 0, 1, 0, 1]], weights, Y) == pytest.approx(np.array([[(-.6 + 1.7 * 2 / 3) / 1 - (2.6 - 1.7 * 2 / 3) / 2,
                                                                                      (.6 - .1 / 2) - (.4 + .1 / 2)]]))
    three = np.array([[.9, .9, -.8], [.5, 1., -.5], [1., .4, -.4], [.1, .4, .5], [.5, .3, .2]])
    assert group_shares(three, strata) == pytest.approx(np.array([[1.0, 2.3, 1.0], [1, 1, 1]]))      # no group below 1, at the total's cost
    many = np.concatenate([np.tile([.8, .3, -.1], (10, 1)), np.tile([.2, .1, .7], (20, 1))])
    lifted = group_shares(many, strata_of(Parity(), np.repeat([0, 1], [10, 20])))
    assert lifted == pytest.approx(np.array([[6, 3, 1], [4, 2, 14]])) and lifted.sum(axis=1) == pytest.approx([10, 20])


# --- deliberate faults

def costs_without_group_0(f):
    return lambda weights, Y: np.maximum(f(weights, Y), 0)


def thresholds_without_the_label(f):
    def bayes_scores(eta, group_given, n, *args, **kw):
        return np.column_stack([2 * np.asarray(eta) - 1, f(np.full(len(eta), 0.5), group_given, n, *args, **kw)[:, 1:]])
    return bayes_scores


FAULTS = {
    "costs_without_group_0": Mutant(
        "dpfair_teach.oneshot.candidates.costs_of", costs_without_group_0, "group 0's part of the costs is lost"),
    "thresholds_without_the_label": Mutant(
        "dpfair_teach.oneshot.bayes_scores", thresholds_without_the_label, "P(y | x) is taken as one half"),
    "lifted_people_not_counted": Mutant(
        "dpfair_teach.oneshot.candidates.with_lift",
        lambda f: lambda weights, strata: ([weights[i] for i in strata], f(weights, strata)[1]),
        "sizes are lifted, who is accepted is not"),
}
