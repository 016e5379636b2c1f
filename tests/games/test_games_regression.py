"""Algorithm 3 with the regression oracle equals the plain loop; on Communities it comes close to the reference."""
import numpy as np
import pytest

from book.studies.left_panel import left_people, left_reference
from dpfair_teach import games
from dpfair_teach.experiments import best_mixtures, pareto_quality
from dpfair_teach.oracles import RegressionOracle
from test_oracles_regression import people

GAMMAS = np.linspace(0, 0.3, 16)


def plain_loop(oracle, A, gamma, B, eta, rounds, constraints):
    """One game, one round at a time, with the people themselves."""
    theta, gaps, lams, said = 0.0, oracle.gap_coefficients(oracle.sums(A)), [], []
    asked = [i for i in range(len(gaps)) if ("FP", "TP")[i % 2] in constraints]
    for _ in range(rounds):
        lam = games.hedge(theta * np.ones(2 * len(asked)), B)
        h = oracle.answer(lam[0::2] - lam[1::2], gaps[asked])
        r = games.FairnessGame(h[None], A, oracle.Y, gamma, constraints).constraint_values([1.0])
        theta = theta + eta * r
        lams.append(lam)
        said.append(h)
    return np.array(said), np.array(lams)


NOTIONS = {("FP", "TP"): "equalized_odds", ("FP",): "false_positive", ("TP",): "true_positive"}


@pytest.mark.parametrize(("k", "constraints"), [(2, ("FP", "TP")), (3, ("FP", "TP")), (2, ("TP",)), (4, ("FP",))])
def test_the_batch_is_the_plain_loop(k, constraints):
    X, A, Y = people(m=400, k=k, seed=k)
    oracle, gammas, B, eta, T = RegressionOracle(X, Y), [0.0, 0.1], [0.3, 4.0], 0.3, 30
    play = games.regression_exponentiated_gradient(oracle, A, gammas, B, notion=NOTIONS[constraints], eta=eta, rounds=T)
    for g in range(2):
        said, lams = plain_loop(oracle, A, gammas[g], B[g], eta, T, constraints)
        np.testing.assert_allclose(play.multipliers[:, g], lams, atol=1e-12)
        game = games.FairnessGame(said, A, Y, gammas[g], constraints)
        assert np.array_equal(play.game.n_pos[play.chosen[:, g]], game.n_pos)
        assert play.violation[g] == pytest.approx(game.violation(np.full(T, 1 / T)))
        np.testing.assert_allclose(play.acceptance_probability(X)[g], said.mean(axis=0), atol=1e-12)
    alone = games.regression_exponentiated_gradient(oracle, A, 0.1, 4.0, notion=NOTIONS[constraints], eta=eta, rounds=T)
    assert alone.error == pytest.approx(play.error[1])


@pytest.mark.parametrize("seed", range(6))
def test_whoever_a_price_could_move_is_asked_in_every_round(seed):
    """People whose score is beyond all prices are decided once and for all. Large steps bring the prices to that limit; error and rates
    are still those of the rounds' own answers, person by person."""
    X, A, Y = people(m=600, k=2, seed=seed)
    play = games.regression_exponentiated_gradient(RegressionOracle(X, Y), A, 0.0, 3.0, eta=5.0, rounds=40)
    direct = games.FairnessGame(play.acceptance_probability(X)[None], A, Y, 0.0)
    assert play.error == pytest.approx(direct.errors[0], abs=1e-12) and play.violation == pytest.approx(direct.violation([1.0]), abs=1e-12)


def test_the_program_over_the_iterates_is_fair_and_no_worse_than_the_average():
    X, A, Y = people(m=600, k=3)
    oracle = RegressionOracle(X, Y)
    play = games.regression_exponentiated_gradient(oracle, A, [0.02, 0.1], rounds=60)
    best = play.game.fair_erm()
    assert (play.game.violation(best.Q) <= np.array([0.02, 0.1]) + 1e-9).all()
    slack = play.game.with_gamma(play.violation).fair_erm()
    assert (slack.value <= play.error + 1e-9).all()
    accept = play.acceptance_probability(X, best.Q)
    direct = games.FairnessGame(accept, A, Y, 0.0)
    np.testing.assert_allclose(direct.errors, best.value, atol=1e-9)


def test_two_hundred_rounds_on_communities():
    """Q of 16 gammas with T = 200: the averages, and the linear program over the iterates, both against the protocol's reference."""
    data = left_people()
    oracle = RegressionOracle(data.X, data.Y)
    play = games.regression_exponentiated_gradient(oracle, data.A, GAMMAS, rounds=200)
    average = pareto_quality(np.column_stack([play.violation, play.error]), *left_reference())
    best = best_mixtures(play.game.errors, play.game.gaps, GAMMAS)
    mixed = pareto_quality(np.column_stack([np.abs(best.weights @ play.game.gaps).max(axis=1), best.values]), *left_reference())
    assert average >= 0.90
    assert mixed >= 0.95
    np.testing.assert_allclose(play.game.fair_erm().value, best.values, atol=1e-8)


def test_bad_input():
    X, A, Y = people(k=2)
    oracle = RegressionOracle(X, Y)
    with pytest.raises(ValueError, match="oracle"):
        games.regression_exponentiated_gradient(X, A, 0.1)
    with pytest.raises(ValueError, match="holds nobody"):
        games.regression_exponentiated_gradient(oracle, np.where(Y == 1, 0, A), 0.1)
    with pytest.raises(ValueError, match="rounds"):
        games.regression_exponentiated_gradient(oracle, A, 0.1, rounds=0)
    with pytest.raises(ValueError, match="B"):
        games.regression_exponentiated_gradient(oracle, A, [0.1, 0.2], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="A"):
        games.regression_exponentiated_gradient(oracle, np.zeros(len(A), int), 0.1)
