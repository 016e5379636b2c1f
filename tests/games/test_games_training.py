"""The learners of the game show a bar."""
from __future__ import annotations

import numpy as np

from dpfair_teach import games
from dpfair_teach.oracles import RegressionOracle
from plays import private_play

T = 9


def people(neighbour=False):
    rng = np.random.default_rng(0)
    X, A = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    A[0] = A[0] if not neighbour else 1 - A[0]
    return X, A, (X[:, 0] + 0.5 * A + rng.normal(size=300) > 0.3).astype(int)


def game(neighbour=False):
    X, A, Y = people(neighbour)
    return games.FairnessGame([X[:, 0] > t for t in np.linspace(-1, 1, 9)], A, Y, [0.02, 0.1], n_groups=2, empty="zero")


def private(**options):
    return lambda seed=0, neighbour=False, **how: private_play(
        game(neighbour), 2.0, 1e-6, 3.0, np.random.default_rng(seed), rounds=T, size=2, **options, **how)


def private_regression(seed=0, neighbour=False, **how):
    X, A, Y = people(neighbour)
    return games.regression_dp_oracle_learner(RegressionOracle(X, Y), A, [0.02, 0.1], 2.0, 1e-6, np.random.default_rng(seed), n_groups=2,
                                              rounds=T, size=2, **how)


LEARNERS = [private(), private(cell_sizes="noisy_lower_bound"), private(cell_sizes="public_lower_bound", smallest_cell=9),
            private_regression]


def test_a_bar_shows_the_rounds(capfd):
    for play in LEARNERS:
        play(progress=True)
        assert f"{T}/{T}" in capfd.readouterr().err
        play()
        assert capfd.readouterr() == ("", "")
