"""Where one rate is compared, it is the rate that was named; and what a play answers for anybody is all of its mixture.

Each test was seen red with the fault that its name denies.
"""
from __future__ import annotations

import copy
import dataclasses
import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from dpfair_teach import games
from dpfair_teach.audit import exact_epsilon
from dpfair_teach.games import (
    FairnessGame,
    dp_oracle_learner,
    regression_dp_oracle_learner,
    regression_exponentiated_gradient,
)
from dpfair_teach.games.regression_private import evaluate_regression
from dpfair_teach.games.table import LABEL as labels
from dpfair_teach.mechanisms import exponential_probabilities
from dpfair_teach.oracles import RegressionOracle
from faults import Mutant, calling
from plays import private_play, promised, sizes_of
from test_oracles_regression import people

RATES = [("FP",), ("TP",), ("FP", "TP")]
NAMES = {"FP": 0, "TP": 1}


def unlike(k, m=900):
    """Thresholds on people whose two rates differ between groups in opposite directions, and whose cells are of unlike sizes."""
    rng = np.random.default_rng(k)
    A, x = rng.integers(0, k, m), rng.random(m)
    Y = (rng.random(m) < 0.3).astype(int)
    x = np.clip(x + 0.3 * (A > 0) * (1 - 2 * Y), 0, 1)
    return np.array([x > t for t in np.linspace(0.05, 0.95, 9)]).astype(int), A, Y


def rates_of(decisions, A, Y, constraints):
    """rate_a - rate_0, from the definition: (..., D) for decisions (..., m)."""
    found = [decisions[..., (A == a) & (Y == NAMES[c])].mean(axis=-1) - decisions[..., (A == 0) & (Y == NAMES[c])].mean(axis=-1)
             for a in range(1, A.max() + 1) for c in constraints]
    return np.stack(found, axis=-1)


def test_every_rate_that_can_be_named_is_here():
    assert NAMES == labels and {name for constraints in RATES for name in constraints} == set(labels)


def test_no_two_names_are_of_one_rate():
    """Two names for a label would be the same rate twice, and prices and sensitivities hold one for each (group, label)."""
    assert len(set(labels.values())) == len(labels)


@pytest.mark.usefixtures("real_numbers")
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("constraints", RATES)
@pytest.mark.parametrize("how", [dict(as_printed=True), dict(), dict(protect="X and A"), dict(cell_sizes="noisy_lower_bound"),
                                 dict(cell_sizes="public_lower_bound", smallest_cell=5)])
def test_a_private_auditor_measures_the_rates_that_were_named(k, constraints, how):
    """At epsilon = 1e6 what it saw is, to the noise, the constraint values of the classifiers that were chosen, counted by hand."""
    H, A, Y = unlike(k)
    game = FairnessGame(H, A, Y, 0.05, constraints, n_groups=k, empty="zero")
    play = private_play(game, 1e6, 1e-9, 3.0, np.random.default_rng(0), rounds=6, **how)
    gaps = rates_of(H[play.chosen], A, Y, constraints)[:len(play.gradients)]
    r = np.stack([gaps, -gaps], axis=-1).reshape(len(gaps), -1) - 0.05
    both = rates_of(H, A, Y, ("FP", "TP"))
    assert play.gradients == pytest.approx(r, abs=0.02) and np.abs(both[play.chosen, 0] - both[play.chosen, 1]).min() > 0.1


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("constraints", RATES)
def test_the_sizes_that_are_released_are_of_the_cells_that_are_asked_about(k, constraints):
    H, A, Y = unlike(k)
    game = FairnessGame(H, A, Y, 0.05, constraints)
    asked = [NAMES[c] for c in constraints]
    sizes, _ = sizes_of(game, 1e6, (), np.random.default_rng(1))
    assert sizes[:, asked] == pytest.approx(game.n[:, asked], abs=0.01)
    smallest = min(((A == a) & (Y == y)).sum() for a in range(k) for y in asked)
    assert game.table.sizes.min() == smallest == game.n[:, asked].min()


NOTIONS = {("FP", "TP"): "equalized_odds", ("FP",): "false_positive", ("TP",): "true_positive"}


@pytest.mark.usefixtures("real_numbers")
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("constraints", RATES)
def test_the_private_loop_measures_and_tells_the_rates_that_were_named(k, constraints):
    """At epsilon = 1000: what the auditor saw, the true gaps and the violation, all counted from the rules on the people."""
    X, A, Y = people(m=4000, k=k, seed=5)
    X[:, 0] += 0.5 * (A > 0) * (1 - 2 * Y)          # the two rates lie apart
    oracle = RegressionOracle(X, Y)
    play = regression_dp_oracle_learner(oracle, A, 0.02, 1e3, 1e-3, np.random.default_rng(2), n_groups=k, B=4.0, rounds=5,
                                        notion=NOTIONS[constraints])
    decisions = play.rules @ np.column_stack([np.ones(len(X)), X]).T > 0
    gaps = rates_of(decisions, A, Y, constraints)
    found = evaluate_regression(play, A)
    np.testing.assert_allclose(found.gaps, gaps, atol=1e-12)
    assert found.violation == pytest.approx(np.abs(gaps.mean(axis=0)).max())
    np.testing.assert_allclose(play.gaps_seen, gaps[:-1], atol=0.005)
    both = rates_of(decisions[:-1], A, Y, ("FP", "TP"))
    assert np.abs(both[:, 0] - both[:, 1]).max() > 0.01


def test_the_private_loop_answers_with_the_average_of_its_rounds():
    X, A, Y = people(m=400, k=2, seed=3)
    play = regression_dp_oracle_learner(RegressionOracle(X, Y), A, 0.0, 50.0, 1e-3, np.random.default_rng(4), n_groups=2, B=20.0, rounds=6)
    decisions = play.rules @ np.column_stack([np.ones(len(X)), X]).T > 0
    assert (decisions.any(axis=0) & ~decisions.all(axis=0)).mean() > 0.05           # the rounds disagree about some people
    np.testing.assert_allclose(play.acceptance_probability(X), decisions.mean(axis=0))
    error = np.where(Y == 1, 1 - play.acceptance_probability(X), play.acceptance_probability(X)).mean()
    assert evaluate_regression(play, A).error == play.errors.mean() == pytest.approx(error)


def test_a_mixture_over_the_iterates_accepts_with_all_its_parts():
    """A mixture that is a tenth "reject", three tenths "accept", the rest classifiers that were met: its error on the people is that of
    the game. Single classifiers too, the two constants among them."""
    X, A, Y = people(m=500, k=3, seed=6)
    play = regression_exponentiated_gradient(RegressionOracle(X, Y), A, 0.02, rounds=40)
    H = play.game.n_classifiers
    Q = np.zeros((3, H))
    Q[0, -1], Q[1, -2] = 1.0, 1.0
    Q[2, -1], Q[2, -2], Q[2, :-2] = 0.3, 0.1, 0.6 / (H - 2)
    accept = play.acceptance_probability(X, Q)
    assert (accept[0] == 1).all() and (accept[1] == 0).all()
    np.testing.assert_allclose(np.where(Y == 1, 1 - accept, accept).mean(axis=1), Q @ play.game.errors, atol=1e-12)
    assert accept[2].min() >= 0.3 - 1e-12


def test_classifiers_that_count_as_one_are_one_in_q_only():
    """Of 60 people many accept as many of each cell: persons get other answers by ``Q``, each cell gets the same."""
    X, A, Y = people(m=60, k=2, seed=2)
    play = regression_exponentiated_gradient(RegressionOracle(X, Y), A, 0.0, rounds=200)
    own, merged = play.acceptance_probability(X), play.acceptance_probability(X, play.Q)
    assert np.abs(own - merged).max() > 0.2
    for a in (0, 1):
        for y in (0, 1):
            assert own[(A == a) & (Y == y)].sum() == pytest.approx(merged[(A == a) & (Y == y)].sum())


def test_a_promise_is_about_the_cells_that_a_constraint_asks_about():
    """1,000 people, of whom 300 and 400 have label 0: a promise of 300 can be kept where those cells alone are asked about, so that play,
    schedule and theorems take it; four cells of 300 would be more people than there are."""
    A, Y = np.repeat([0, 0, 1, 1], [300, 100, 400, 200]), np.repeat([0, 1, 0, 1], [300, 100, 400, 200])
    H = np.array([np.arange(1000) % 7 < c for c in range(1, 7)]).astype(int)
    settings, promise = (1000, 1.0, 1e-6, 2.0, 2, 0.05), dict(smallest_cell=300)

    def plays(constraints):
        game, how = FairnessGame(H, A, Y, 0.1, constraints, n_groups=2, empty="zero"), dict(promise, constraints=constraints)
        yield partial(dp_oracle_learner, game, 1.0, 1e-6, 2.0, np.random.default_rng(0), rounds=3,
                      cell_sizes="public_lower_bound", **promise)
        yield partial(games.schedule, *settings, 3.0, **how)
        yield partial(games.Setting, 3, *settings[1:], 3.0, m=1000, **how)

    for play in plays(("FP",)):
        play()
    for play in plays(("FP", "TP")):
        with pytest.raises(ValueError, match="smallest_cell"):
            play()
    with pytest.raises(ValueError, match=r"smallest_cell, n_groups=\(501.0, 2\): 2 cells of that many people are more than m=1000"):
        games.schedule(*settings, 3.0, smallest_cell=501, constraints=("TP",))


def test_a_game_that_takes_an_empty_cell_keeps_taking_it():
    """Another tolerance, fewer classifiers, the constants added: the same people, of whom no cell becomes a reason to stop."""
    H = np.array([[1, 1, 0, 0, 1], [0, 1, 1, 0, 0], [1, 0, 0, 1, 1]])
    game = FairnessGame(H, A=[0, 0, 0, 1, 1], Y=[0, 1, 1, 1, 1], gamma=0.1, empty="zero")
    assert game.n[1, 0] == 0
    for other, rows in ((game.with_gamma([0.0, 0.3]), [0, 1, 2]), (game.restricted([2, 0]), [2, 0]), (game.with_constants(), [0, 1, 2])):
        np.testing.assert_array_equal(other.gaps[:len(rows)], game.gaps[rows])
        assert other.rates[0, 1, 0] == 0 and other.with_gamma(0.2).restricted([0]).gaps.shape == (1, 2)
    assert games.FairnessGame.from_counts(game.n_pos, game.n, 0.1, empty="zero").with_gamma(0.3).gamma == 0.3


def test_who_stays_in_a_small_cell_counts_where_a_promise_protects_features_too():
    """Three groups, N = 1, and 500 classifiers that accept one person, a member of the cell of that size: when that decision flips, a rate
    moves by 1 and not by 1/2 and 1/2 of two groups that share a price. Exactly at most epsilon', by less than one part in a hundred."""
    step, w = 0.8, np.array([30.0, 0.0, 30.0, 0.0])
    A = np.array([0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2] + [0] * 40)
    Y = np.array([0] * 5 + [1] * 46)
    one = np.eye(1, len(A), dtype=int)
    H = np.r_[np.tile(one, (500, 1)), 1 - one]
    laws = []
    for person in (H[:, 0], 1 - H[:, 0]):
        game = FairnessGame(np.column_stack([person, H[:, 1:]]), A, Y, 0.1)
        assert game.n.tolist() == [[1, 42], [2, 2], [2, 2]]
        loss, scale = promised(game, step, 1, "X and A").heard(w)
        laws.append(exponential_probabilities(loss, 1.0, 2 / scale))
    found = exact_epsilon(*laws)
    assert 0.99 * step < found <= step + 1e-9
    assert math.isclose(scale * step / 2, 60.0 + 1 / len(A))    # the anchor's price over N


# --- deliberate faults

def stay_forgotten(f):
    def moves(self, price):
        if self.setting.protect == "A":
            return f(self, price)
        without = copy.copy(self)
        without.setting = SimpleNamespace(protect="A")
        return f(without, price) + 1 / self.game.m
    return moves


def false_positives_reported(f):
    def evaluated(published, A):
        found = f(published, A)
        rates = (found.counts / found.n)[..., :len(published.constraints)]
        return dataclasses.replace(found, gaps=(rates[..., 1:, :] - rates[..., :1, :]).reshape(found.gaps.shape))
    return evaluated


FAULTS = {
    "stay_forgotten": Mutant(
        "dpfair_teach.games.players.PromisePlayers.moves", stay_forgotten, "a decision changes with the group only"),
    "first_rate_for_any": Mutant(
        "dpfair_teach.fairness.parity.above", lambda f: lambda n_pos, n, cells: n_pos[..., :len(cells)],
        "true positives are asked for, false positives measured"),
    "first_rate_in_the_loop": Mutant(
        "dpfair_teach.games.regression_private.regression_dp_oracle_learner",
        calling("labels_of", lambda f: lambda constraints: list(range(len(constraints)))), "the first rate is measured"),
    "first_rate_in_the_report": Mutant(
        "dpfair_teach.games.regression_private.evaluate_regression", false_positives_reported, "false positives are reported"),
}
