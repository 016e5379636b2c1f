"""What the private players draw, taken together: every number has its law, and none has anything to do with another one.

A noise that two answers share, or that returns round after round, has the right law wherever one looks at it alone, and cancels from the
difference of the two. So all draws of two plays are made uniform by the laws of the statements, as in ``test_games_draws.py``, and
compared with each other. Fixed seeds, alpha = 1e-9.
"""
from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from test_games_draws import PLAYS, auditor, learner, name, uniform, whole
from test_games_regression_private import answered, people

from dpfair_teach.games import FairnessGame, PromisePlayers, regression_dp_oracle_learner
from dpfair_teach.games.regression_private import evaluate_regression
from dpfair_teach.oracles import RegressionOracle
from faults import Mutant, scaled, with_a_known_seed
from plays import private_play

ROUNDS, SIZE = 4, 6000
MOST = 0.1          # of a correlation: 7.7 standard deviations; that one of 2,600 pairs passes it has a probability below 1e-9


def strangers(columns: list[tuple[str, np.ndarray]]) -> None:
    """Uniform, and uncorrelated but for those of one name."""
    for _, values in columns:
        uniform(values)
    names, found = [n for n, _ in columns], np.corrcoef([values for _, values in columns])
    for i, j in zip(*np.nonzero(np.abs(found) > MOST), strict=True):
        assert i == j or (names[i] == names[j]), (names[i], names[j], found[i, j])
    assert len(names) <= 72


def draws(game, play, how, rng, run):
    """(name, uniform numbers) of the release before the rounds, every choice and every measurement. Two gaps of three groups that share
    the anchor's noise have one name."""
    k, epsilon, spent = game.n_groups, 24.0, []
    if play.denominators is not None:
        free = play.denominators[:, 1:] if k == 2 else play.denominators
        u = whole(free - game.n[1 if k == 2 else 0:], (1 if k == 2 else 2) / (0.1 * epsilon), rng).reshape(SIZE, -1)
        spent += [(f"{run} size {i}", column) for i, column in enumerate(u.T)]
    if how.get("cell_sizes") == "noisy_lower_bound":
        centre = game.n.min() - math.ceil(0.5 - math.log(2 * 0.5e-3) / (0.1 * epsilon))
        spent.append((f"{run} bound", whole(play.smallest_cell - centre, 1 / (0.1 * epsilon), rng)))
    for t in range(ROUNDS):
        losses, scale = learner(game, play, play.multipliers[t][:, 0::2] - play.multipliers[t][:, 1::2], how)
        if scale.max() > 0:
            p = np.exp((losses.min(axis=1, keepdims=True) - losses) / scale[:, None])
            p /= p.sum(axis=1, keepdims=True)
            below, here = (np.take_along_axis(v, play.chosen[t][:, None], axis=1)[:, 0] for v in (np.cumsum(p, axis=1) - p, p))
            spent.append((f"{run} choice {t}", below + rng.random(SIZE) * here))
        if t < len(play.gradients):
            u = auditor(game, play, t, how).reshape(SIZE, -1)
            shared = k > 2 and "as_printed" not in how
            spent += [(f"{run} measurement {t}, {i % 2 if shared else i}", column) for i, column in enumerate(u.T)]
    return spent


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("how", PLAYS, ids=name)
def test_the_draws_of_two_plays_have_their_laws_and_nothing_to_do_with_each_other(how, k):
    """6,000 repeats of a play of four rounds, twice, with two generators."""
    rng = np.random.default_rng(20 + k)
    x, A = rng.random(160 * k), np.arange(160 * k) % k
    Y = (x + 0.3 * (A == 1) + 0.3 * rng.normal(size=160 * k) > 0.6).astype(int)
    cuts = np.linspace(0.5, 0.6, 5)                        # so much alike that the choice is open
    game = FairnessGame(np.array([x > t for t in cuts]), A, Y, 0.02, n_groups=k, empty="zero")
    found = []
    for run in (1, 2):
        play = private_play(game, 24.0, 1e-3, 8.0, np.random.default_rng(run), rounds=ROUNDS, size=SIZE, **how)
        found += draws(game, play, how, rng, run)
    strangers(found)


@pytest.mark.parametrize("k", [2, 3])
def test_the_draws_of_two_regression_loops_have_their_laws_and_nothing_to_do_with_each_other(k):
    """The same of the loop with the regression oracle: what each rule shows of its vector, every noisy gap, the sizes."""
    X, A, Y = people(m=120, d=2, k=k)
    oracle, found, rng = RegressionOracle(X, Y), [], np.random.default_rng(0)
    n = np.array([[((A == a) & (Y == y)).sum() for y in (0, 1)] for a in range(k)])
    for run in (1, 2):
        play = regression_dp_oracle_learner(oracle, A, 0.05, 60.0, 1e-4, np.random.default_rng(run), n_groups=k, B=5.0, rounds=ROUNDS,
                                            ridge=5.0, size=SIZE)
        sizes, said, heard = play.releases_
        counts = evaluate_regression(play, A).counts
        free = play.denominators[:, 1:] if k == 2 else play.denominators
        u = whole(free - n[1 if k == 2 else 0:], sizes.scale, rng).reshape(SIZE, -1)
        found += [(f"{run} size {i}", column) for i, column in enumerate(u.T)]
        for t in range(1, ROUNDS):
            c, published, M, largest = answered(oracle, play, t, k, 5.0)
            off = published - np.einsum("ray,ayd->rd", c, oracle.sums(A, k))
            noise = off @ np.linalg.inv(np.linalg.cholesky(M)).T / (np.ptp(c, axis=1).max(axis=1) * largest)[:, None]
            u = stats.norm.cdf(noise * said.sensitivity / said.scale)
            found += [(f"{run} answer {t}, {i}", column) for i, column in enumerate(u.T)]
        for t in range(ROUNDS - 1):
            rates, size = counts[t] / play.denominators, 1 / play.denominators
            gaps = play.gaps_seen[t].reshape(SIZE, k - 1, 2) - (rates[:, 1:] - rates[:, :1])
            spread = size[:, 1:] + size[:, :1] if k == 2 else np.hypot(size[:, 1:], size[:, :1])
            u = stats.norm.cdf(gaps / (heard.scale * spread)).reshape(SIZE, -1)
            found += [(f"{run} measurement {t}, {i % 2}", column) for i, column in enumerate(u.T)]
    strangers(found)


# --- deliberate faults

def half_the_noise(f):
    """Of what is added, half."""
    def draw(self, value, numbers, rng, shape, **how):
        sensitivity, scale, epsilon = numbers
        return f(self, value, (sensitivity, np.multiply(scale, 0.5), epsilon), rng, shape, **how)
    return draw


def seeded(f):
    return lambda self, value, numbers, rng, shape, **how: f(self, value, numbers, np.random.default_rng(7), shape, **how)


def one_noise(f):
    """All that is asked in one call gets the noise of its first label."""
    def draw(self, value, numbers, rng, shape, **how):
        if value.ndim < 2:
            return f(self, value, numbers, rng, shape, **how)
        return value + (f(self, value[..., :1], numbers, rng, shape, **how) - value[..., :1])
    return draw


def one_noise_for_both_sizes(f):
    def release_sizes(game, epsilon, axes, rng, asked):
        sizes, records = f(game, epsilon, axes, rng, asked)
        sizes[..., 1] = np.maximum(sizes[..., 0] - game.n[:, 0] + game.n[:, 1], 1.0)
        return sizes, records
    return release_sizes


def half_the_noise_on_three_rates(f):
    def asked(self, name, sensitivity, epsilon, **options):
        this = isinstance(self, PromisePlayers) and name == "laplace" and "grid" not in options and self.game.n_groups > 2
        return f(self, name, np.multiply(sensitivity, 0.5 if this else 1.0), epsilon, **options)
    return asked


FAULTS = {
    "players_with_half_the_noise": Mutant("dpfair_teach.mechanisms.registry.Laplace.draw", half_the_noise,
                                         "half the noise on what is measured"),
    "one_noise_for_all_labels": Mutant(
        "dpfair_teach.mechanisms.registry.Laplace.draw", one_noise, "one noise for both labels' counts"),
    "one_noise_for_both_sizes": Mutant(
        "dpfair_teach.games.players.release_sizes", one_noise_for_both_sizes, "one noise for the sizes of both labels"),
    "frozen_auditor_with_a_known_seed": Mutant(
        "dpfair_teach.games.players.FrozenPlayers.constraint_values", with_a_known_seed, "the same noise in every round"),
    "frozen_learner_at_half": Mutant("dpfair_teach.games.players.FrozenPlayers.spread", scaled(0.5), "half the learner's range"),
    "frozen_learner_with_a_known_seed": Mutant(
        "dpfair_teach.games.players.FrozenPlayers.best_response", with_a_known_seed, "the same noise in every round"),
    "promised_auditor_with_a_known_seed": Mutant(
        "dpfair_teach.games.players.PromisePlayers.constraint_values", with_a_known_seed, "the same noise every round"),
    "promised_rates_at_half": Mutant(
        "dpfair_teach.games.players._Players._asked", half_the_noise_on_three_rates, "half the noise on the rates of three groups"),
    "promised_learner_at_half": Mutant(
        "dpfair_teach.games.players.PromisePlayers.moves", scaled(0.5), "half the learner's sensitivity"),
    "regression_learner_with_a_known_seed": Mutant(
        "dpfair_teach.mechanisms.registry.Gaussian.draw", seeded, "the same noise in every round"),
    "regression_auditor_with_one_noise": Mutant(
        "dpfair_teach.mechanisms.registry.Gaussian.draw", one_noise, "one noise for the counts of both labels"),
}
