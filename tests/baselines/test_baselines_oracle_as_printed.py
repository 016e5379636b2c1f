"""The regression learner of Section 5 by an author's settings equals its description, and without noise it is Algorithm 3."""
import math

import numpy as np
import pytest

from book.studies.left_panel import left_people
from book.studies.left_panel_games import LITERAL_ROUNDS
from dpfair_teach import games
from dpfair_teach.baselines import oracle_learner_as_printed
from dpfair_teach.baselines import regression_dp_oracle_learner_as_printed as learn
from dpfair_teach.oracles import RegressionOracle
from faults import Mutant, scaled
from test_oracles_regression import people

DELTA = 1e-7


def described(X, A, Y, gamma, B, epsilon, step, noise, rng, most_rounds):
    """One run of the description, written down line by line; k groups, costs of Subroutine 2 person by person."""
    m, k = len(Y), A.max() + 1
    X1 = np.column_stack([np.ones(m), X])
    n = np.array([[((A == a) & (Y == y)).sum() for y in (0, 1)] for a in range(k)])
    D = X1.shape[1]
    real = (B * math.sqrt(math.log(4 * k - 3)) * m * epsilon
            / (2 * (2 * k * B + 1) * math.sqrt(math.log(1 / DELTA)) * (D * math.log(m) + math.log(2 / 0.05))))
    T = min(max(1, int(real)), most_rounds)
    if step == "supplement":
        e = epsilon / (4 * math.sqrt(T * math.log(1 / DELTA)))
    else:
        grid = np.linspace(0, 30, 3_000_001)[1:]
        spent = 0.5 * (np.sqrt(4 * T * math.log(1 / DELTA)) * grid + 2 * T * grid * (np.exp(grid) - 1))
        e = grid[np.searchsorted(spent, epsilon) - 1]
    scales = 2 * (2 * k * B + 1) / (n.min() - 1) * m * np.abs(X1).max(axis=0) / e
    auditor = 2 * k / ((n.min() - 1) * e)
    add = (lambda b, size: rng.laplace(0, b, size)) if noise == "scale" else (lambda b, size: rng.laplace(np.broadcast_to(b, size), 1.0))
    theta, said = np.zeros(4 * (k - 1)), []
    for _ in range(T):
        lam = np.exp(theta) * B / (1 + np.exp(theta).sum())
        w = (lam[0::2] - lam[1::2]).reshape(k - 1, 2)
        price = np.vstack([-w.sum(axis=0), w])
        C1, C0 = (Y == 0) + m * (price / n)[A, Y], (Y == 1).astype(float)
        right = X1.T @ C1 + add(scales, len(scales))
        h = X1 @ np.linalg.solve(X1.T @ X1, right) < X1 @ np.linalg.solve(X1.T @ X1, X1.T @ C0)
        said.append(h)
        rates = np.array([[h[(A == a) & (Y == y)].mean() for y in (0, 1)] for a in range(k)])
        gap = (rates[1:] - rates[0]).ravel()
        r = np.stack([gap, -gap], axis=1).ravel() - gamma
        theta = theta + math.sqrt(math.log(4 * k - 3) / T) / 2 * (r + add(auditor, len(r)))
    Q = np.mean(said, axis=0)
    rates = np.array([[Q[(A == a) & (Y == y)].mean() for y in (0, 1)] for a in range(k)])
    return T, e, np.where(Y == 1, 1 - Q, Q).mean(), np.abs(rates[1:] - rates[0]).max()


@pytest.mark.parametrize("noise", ["scale", "location"])
@pytest.mark.parametrize(("step", "epsilon", "k"),
                         [("code", 300.0, 2), ("code", 3000.0, 3), ("supplement", 3e4, 2), ("supplement", 1e6, 3)])
def test_the_learner_of_the_experiments_is_its_description(noise, step, epsilon, k):
    """Same random stream, so the same run to rounding."""
    X, A, Y = people(m=500, d=3, k=k)
    oracle = RegressionOracle(X, Y)
    for gamma, B in ((0.1, 10.0), (0.3, 1.0)):
        play = learn(oracle, A, gamma, epsilon, DELTA, np.random.default_rng(5), B=B, step=step, noise=noise,
                                       most_rounds=40)
        T, e, error, violation = described(X, A, Y, gamma, B, epsilon, step, noise, np.random.default_rng(5), 40)
        assert play.rounds == T
        assert play.epsilon_step == pytest.approx(e, rel=1e-4)
        assert play.error == pytest.approx(error, abs=3e-4)
        assert play.violation == pytest.approx(violation, abs=3e-3)


def test_games_that_are_played_in_blocks_are_the_same_games(monkeypatch):
    """Each round draws for all games first; then blocks of them meet the people."""
    X, A, Y = people(m=300, d=3, k=2)
    oracle, gammas = RegressionOracle(X, Y), np.array([0.05, 0.1, 0.3])
    plays = []
    for block in (128, 7, 1):
        monkeypatch.setattr(oracle_learner_as_printed, "_AT_ONCE", block)
        plays.append(learn(oracle, A, gammas, 1e6, DELTA, np.random.default_rng(2), B=1 / gammas, step="supplement",
                                             most_rounds=30, size=20))
    for other in plays[1:]:
        np.testing.assert_array_equal(other.error, plays[0].error)
        np.testing.assert_array_equal(other.violation, plays[0].violation)


def test_without_noise_it_is_algorithm_3():
    X, A, Y = people(m=500, d=3, k=2)
    oracle = RegressionOracle(X, Y)
    quiet = learn(oracle, A, [0.05, 0.2], 1e12, DELTA, np.random.default_rng(0), B=[20.0, 5.0], step="supplement",
                                    most_rounds=60, size=2)
    plain = games.regression_exponentiated_gradient(oracle, A, [0.05, 0.2], [20.0, 5.0], rounds=60,
                                                    eta=games.auditor.hedge_rate(4, 60, as_printed=True))
    np.testing.assert_allclose(quiet.error, [plain.error] * 2, atol=1e-3)
    np.testing.assert_allclose(quiet.violation, [plain.violation] * 2, atol=5e-3)


def test_no_epsilon_of_the_panel_leaves_more_than_noise():
    """Communities: at 100, 150 and 200 the noise on one coordinate is above a hundred times what it covers, whatever gamma."""
    data = left_people()
    oracle = RegressionOracle(data.X, data.Y)
    most = np.abs(oracle.m * (oracle.sums(data.A) / oracle.sums(data.A)[:, :, :1])).max()
    for epsilon, rounds in ((100, 9), (150, 14), (200, 19)):
        play = learn(oracle, data.A, [0.001, 0.1], epsilon, DELTA, np.random.default_rng(0), B=[1000.0, 10.0])
        assert play.rounds.tolist() == [rounds, rounds] and rounds < LITERAL_ROUNDS
        assert (play.learner_scale > 0.1 * most * np.array([1000.0, 10.0]) / 10).all()
        assert (play.error > 0.4).all()


def noise_readings_exchanged(f):
    return lambda *a, noise="scale", **kw: f(*a, noise={"scale": "location", "location": "scale"}[noise], **kw)


FAULTS = {
    "section_5_step_a_tenth_more": Mutant(
        "dpfair_teach.baselines.oracle_learner_as_printed.section_5_step", scaled(1.1), "a tenth more epsilon in each round"),
    "section_5_noise_in_the_wrong_place": Mutant(
        "dpfair_teach.baselines.oracle_learner_as_printed.regression_dp_oracle_learner_as_printed", noise_readings_exchanged,
        "the scale is handed over as the location"),
}
