"""A class without a fair mixture, and cells that nobody asks about: what the plays do, and who refuses."""
import math

import numpy as np
import pytest

from dpfair_teach.games import FairnessGame, dp_oracle_learner, evaluate, exponentiated_gradient, regression_exponentiated_gradient
from dpfair_teach.oracles import RegressionOracle
from faults import Mutant
from test_oracles_regression import people

A, Y = np.tile([0, 1], 60), np.repeat([0, 1], 60)


def test_without_a_fair_mixture_a_play_is_of_the_value_of_its_prices():
    """H = {A}: its one classifier accepts a group and nobody else. The linear program refuses; the plays return it, with all B on a gap
    that stays open, and only ``violation`` says so."""
    game = FairnessGame([A], A, Y, 0.1, n_groups=2, empty="zero")
    with pytest.raises(ValueError, match=r"no mixture of these 1 classifiers .* violation is 1"):
        game.fair_erm()
    for B in (2.0, 30.0):
        private = evaluate(dp_oracle_learner(game, 50.0, 1e-6, B, np.random.default_rng(0), rounds=400), game)
        for play in (exponentiated_gradient(game, B, rounds=400), private):
            assert play.violation == 1 and play.error == 0.5 and play.Q.tolist() == [1.0]
            assert game.value(B) == pytest.approx(0.5 + B * 0.9)        # not the least error: it pays for what is open
            assert play.lam.max() > 0.4 * B and play.lam.sum() <= B


@pytest.mark.parametrize("cell_sizes", ["noisy", "noisy_lower_bound"])
def test_a_private_play_says_nothing_of_whether_a_fair_mixture_exists(cell_sizes):
    """Neighbours of which one has a fair mixture and the other none: no refusal for either, and the same shapes."""
    H, other = np.r_[1, np.zeros(119, int)][None], A.copy()
    other[1] = 0
    feasible = []
    for world in (A, other):
        game = FairnessGame(H, world, Y, 1 / 30.5, n_groups=2, empty="zero")
        feasible.append(bool(game.violation([1.0]) <= 1 / 30.5))
        play = dp_oracle_learner(game, 1.0, 1e-6, 5.0, np.random.default_rng(0), rounds=5, cell_sizes=cell_sizes)
        assert play.lam.shape == (4,) and math.isclose(play.Q.sum(), 1)
    assert feasible == [False, True]


@pytest.mark.parametrize(("notion", "empty"), [("false_positive", 1), ("true_positive", 0)])
def test_the_regression_game_asks_no_cell_that_no_constraint_asks_about(notion, empty):
    """Nobody of group 1 has the other label: the game is that of the one label, as with the classifiers that were met."""
    X, G, Z = people(m=300, d=3, k=2)
    G[empty == Z] = 0
    oracle = RegressionOracle(X, Z)
    try:
        play = regression_exponentiated_gradient(oracle, G, 0.02, notion=notion, rounds=300)
    except ValueError as refusal:
        pytest.fail(f"refused: {refusal}")
    assert play.gap_coefficients.shape == (1, 4) and play.game.n[1, empty] == 0
    asked = [(G == a) & (1 - empty == Z) for a in (0, 1)]
    direct = oracle.inverse @ (oracle.design[asked[1]].mean(axis=0) - oracle.design[asked[0]].mean(axis=0)) * oracle.m
    np.testing.assert_allclose(play.gap_coefficients[0], direct, rtol=1e-9)
    assert play.game.violation(play.game.fair_erm().Q) <= 0.02 + 1e-9
    with pytest.raises(ValueError, match=rf"^A=1: the cell \(a=1, y={empty}\) holds nobody"):
        regression_exponentiated_gradient(oracle, G, 0.02, rounds=3)


# --- deliberate faults

FAULTS = {
    "game_asks_every_cell": Mutant(
        "dpfair_teach.games.regression.nobody_as_one", lambda f: lambda sums: sums, "it stops at a cell that nobody asks about"),
}
