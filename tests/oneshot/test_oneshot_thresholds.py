"""Fair Bayes thresholding, and the grid of its multipliers."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

from dpfair_teach.fairness import Parity
from dpfair_teach.fairness.parity import NOTIONS
from dpfair_teach.oneshot import FrontierLearner, bayes_scores, multiplier_grid, thresholds
from faults import Mutant


@pytest.mark.parametrize("cost", [(1.0, 1.0), (1.0, 10.0), (2.0, 0.0)])
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("k", [2, 3])
def test_fair_bayes_thresholding_minimizes_the_lagrangian_over_all_functions_of_x(k, notion, cost):
    """Four kinds of people with known P(y | x), P(a | x, y): of all 16 classifiers none is better, for 100 multipliers. Accuracy parity:
    of a group those count about whom one is right."""
    rng, parity = np.random.default_rng(5), Parity(notion)
    eta, given = rng.uniform(.1, .9, 4), rng.dirichlet(np.ones(k), (4, 2))     # P(a | x, y), [x, y, a]
    mass = np.stack([1 - eta, eta], axis=1)[:, :, None] * given / 4         # P(x, y, a)
    labels = [(0, 1) if cell.label is None else (cell.label,) for cell in parity.cells]
    shares = np.stack([mass.sum(axis=0)[list(of)].sum(axis=0) for of in labels])
    told = {"demographic_parity": (mass.sum(axis=1) * 4)[:, None], "accuracy_parity": given}
    told = told.get(notion, given[:, [of[0] for of in labels]])
    scores = bayes_scores(eta, told, shares, notion, share=shares.sum(), cost=cost)
    with pytest.raises(ValueError, match="share=1e-320: outside"):      # nobody divided by nearly nobody was NaN
        bayes_scores(eta, told, shares, notion, share=1e-320)

    def lagrangian(h, u):
        counted = np.stack([1 - h, h] if notion == "accuracy_parity" else [h, h], axis=1)[:, :, None] * mass
        rates = np.stack([counted[:, list(of)].sum(axis=(0, 1)) for of in labels]) / shares
        return (cost[0] * h @ (1 - eta) + cost[1] * (1 - h) @ eta) / 4 + u @ (rates[:, 1:] - rates[:, :1]).T.ravel()

    for u in rng.uniform(-.5, .5, (100, len(labels) * (k - 1))):
        ours = (scores[:, 0] > scores[:, 1:] @ u).astype(float)
        best = min(lagrangian(np.array(h, float), u) for h in itertools.product((0, 1), repeat=4))
        assert lagrangian(ours, u) <= best + 1e-12


@pytest.mark.parametrize("cost", [(0, 0), (-1, 1), (1,), "dear", (1, np.inf), (True, False)])
def test_a_cost_that_is_none_is_refused(cost):
    with pytest.raises(ValueError, match=r"^cost="):
        bayes_scores([.8], [[[.5, .5], [.5, .5]]], [[10, 10], [10, 10]], cost=cost)


@pytest.mark.parametrize(("k", "shape"), [(2, (442, 2)), (3, (626, 4)), (4, (730, 6))])
def test_grids_hold_no_constraint_first_and_are_symmetric(k, shape):
    grid = multiplier_grid(k)
    assert grid.shape == shape and not grid[0].any()
    assert {tuple(u) for u in grid.round(12)} == {tuple(-u + 0.0) for u in grid.round(12)}


def test_the_largest_numbers_of_groups_are_those_that_the_learner_says():
    assert multiplier_grid(20).shape == (17_011, 38) and multiplier_grid(30, points=5).shape == (11_626, 58)
    for notion, most in (("equalized_odds", 21), ("false_positive", 66), ("demographic_parity", 66)):
        for against in ("anchor", "pairs"):
            assert len(multiplier_grid(most, notion=notion, against=against)) > 18_000
            with pytest.raises(ValueError, match="Merge groups"):
                multiplier_grid(most + 1, notion=notion, against=against)
    assert "n_groups : int in 2..21; in 2..66 for a notion of one rate" in FrontierLearner.__doc__
    assert "up to 21, up to 66 for a notion of one rate" in multiplier_grid.__doc__


@pytest.mark.parametrize("notion", NOTIONS)
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


def test_what_is_served_is_how_often_a_group_is_accepted_or_judged_right():
    """Whoever adds a notion says here that it is: all else of this room takes its rates for these, and would keep another gap."""
    for notion in thresholds.SERVED:
        for cell in Parity(notion).cells:
            accepted = {(1, y) for y in (0, 1) if cell.label in (None, y)}
            assert set(cell.above) == ({(0, 0), (1, 1)} if notion == "accuracy_parity" else accepted)


# --- deliberate faults

def thresholds_without_the_label(f):
    def bayes_scores(eta, group_given, n, *args, **kw):
        return np.column_stack([2 * np.asarray(eta) - 1, f(np.full(len(eta), 0.5), group_given, n, *args, **kw)[:, 1:]])
    return bayes_scores


FAULTS = {
    "a_cost_forgotten": Mutant("dpfair_teach.oneshot.thresholds.bayes_of", lambda f: lambda *of: f(*of[:-1], (1.0, 1.0)),
                               "candidates are thresholds for errors that cost alike"),
    "thresholds_without_the_label": Mutant(
        "dpfair_teach.oneshot.bayes_scores", thresholds_without_the_label, "P(y | x) is taken as one half"),
}
