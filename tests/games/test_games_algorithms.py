"""The algorithms on one screen: a batch is its games, the players are those of the play, and what cannot be played is refused."""
from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dpfair_teach.fairness import Parity, cell_counts
from dpfair_teach.games import (
    FairnessGame,
    FrozenPlayers,
    PromisePlayers,
    Setting,
    algorithm_3,
    algorithm_5,
    algorithm_5_as_printed,
    dp_oracle_learner,
    start_play,
)
from dpfair_teach.games.players import private_players

N = 20
SEEN = np.random.default_rng(5)
SAID, CODES, LABELS = SEEN.random((9, 400)) > 0.5, SEEN.integers(0, 60, 400), SEEN.integers(0, 2, 400)
NOTIONS = [("equalized_odds", "anchor"), ("true_positive", "anchor"), ("demographic_parity", "anchor"), ("equalized_odds", "pairs"),
           ("accuracy_parity", "pairs")]


def game(k=2, notion="equalized_odds", against="anchor", counts=False, **how):
    A, parity = CODES % k, Parity(notion, against)
    if counts:
        tables = [cell_counts(said, A, LABELS, k) for said in SAID]
        return FairnessGame.from_counts([table[1] for table in tables], tables[0].sum(axis=0), 0.05, notion=parity, empty="zero")
    return FairnessGame(SAID, A, LABELS, 0.05, **dict(dict(notion=parity, n_groups=k, empty="zero"), **how))


def small():
    return FairnessGame(np.eye(3, 8), [0, 0, 1, 1] * 2, [0] * 4 + [1] * 4, 0.1, n_groups=2, empty="zero")


def two_of_each():
    return FairnessGame(np.eye(3, 8), [0, 0, 1, 1] * 2, [0] * 4 + [1] * 4, 0.1)


def setting_of(one, **how):
    return Setting.of(one, 1.0, 1e-6, 2.0, **dict(dict(rounds=3, smallest_cell=1.0), **how))


VALID_CALLS = {
    "games.algorithm_3": lambda: dict(game=small(), B=2.0, eta=0.1, rounds=4),
    "games.algorithm_5": lambda: dict(game=small(), setting=setting_of(small()), rng=np.random.default_rng(1), cell_sizes="noisy",
                                      size=2, progress=False),
    "games.algorithm_5_as_printed": lambda: dict(game=two_of_each(), setting=setting_of(two_of_each()), rng=np.random.default_rng(1),
                                                 size=2),
    "games.players.private_players": lambda: dict(game=small(), setting=setting_of(small()), rng=np.random.default_rng(1),
                                          cell_sizes="public_lower_bound", size=2, progress=False),
    **{f"games.{name}": lambda: dict(game=small(), setting=setting_of(small()), rng=np.random.default_rng(1), size=2,
                                  progress=False)
       for name in ("FrozenPlayers", "PromisePlayers")},
    "games.players.printed_sensitivities": lambda: dict(game=two_of_each(), setting=setting_of(two_of_each())),
    "games.start_play": lambda: dict(game=small(), B=2.0, eta=0.1, rounds=4, size=2),
}


@pytest.mark.parametrize(("notion", "against"), NOTIONS)
def test_the_games_of_a_batch_are_games_alone(notion, against):
    """Of Algorithm 3: several gammas, prices and steps at once."""
    one = game(3, notion, against)
    B, eta, gammas = np.array([5.0, 2.0, 9.0]), np.array([0.07, 0.2, 0.01]), np.array([0.05, 0.0, 0.2])
    lam, h = algorithm_3(one.with_gamma(gammas), B, eta, 30)
    for i in range(3):
        alone, answers = algorithm_3(one.with_gamma(gammas[i]), B[i], eta[i], 30)
        np.testing.assert_allclose(lam[:, i], alone, rtol=1e-12)
        assert (h[:, i] == answers).all()


def test_what_players_release_is_what_the_play_records():
    one = game()
    play = dp_oracle_learner(one, 2.0, 1e-6, 3.0, np.random.default_rng(3), rounds=5)
    both = private_players(one, Setting.of(one, 2.0, 1e-6, 3.0, rounds=5), np.random.default_rng(3))
    assert (both.sizes == play.denominators).all() and both.first == play.releases_[:1]
    assert private_players(one, Setting.of(one, 2.0, 1e-6, 3.0, rounds=5), np.random.default_rng(3),
                           "noisy_lower_bound").N == dp_oracle_learner(
        one, 2.0, 1e-6, 3.0, np.random.default_rng(3), rounds=5, cell_sizes="noisy_lower_bound").smallest_cell


def test_players_refuse_what_they_cannot_play():
    one, rng = game(), np.random.default_rng(0)
    fine = Setting.of(one, 1.0, 1e-6, 2.0, rounds=3)
    for setting, match in ((dataclasses.replace(fine, m=401.0), r"^setting=401\.0: is its m, and the game's is 400\.0\. Make it with"),
                           (dataclasses.replace(fine, n_classifiers=None), r"^setting=None: is its n_classifiers, and the game's is 9\."),
                           (dataclasses.replace(fine, constraints=("FP",)), r"^setting=Parity.*is its constraints"),
                           (None, r"^setting=None: is no Setting\. Make it with")):
        with pytest.raises(ValueError, match=match):
            algorithm_5(one, setting, rng)
        with pytest.raises(ValueError, match=match):
            algorithm_5_as_printed(one, setting, rng)
    wrong = FairnessGame(SAID, CODES % 2, LABELS, 0.05)
    with pytest.raises(ValueError, match="read the number of groups off A"):
        algorithm_5(wrong, Setting.of(wrong, 1.0, 1e-6, 2.0, rounds=3), rng)
    with pytest.raises(ValueError, match=r"^setting='X and A': is what it protects, and as printed it is A alone"):
        algorithm_5_as_printed(one, dataclasses.replace(fine, protect="X and A"), rng)
    with pytest.raises(ValueError, match=r"^smallest_cell=None: no promise was made"):
        algorithm_5(one, fine, rng, "public_lower_bound")
    with pytest.raises(ValueError, match=r"the promise is broken"):
        algorithm_5(one, dataclasses.replace(fine, smallest_cell=100.0), rng, "public_lower_bound")
    lonely = FairnessGame(np.eye(3, 8), [0, 0, 1, 1] * 2, [0, 0, 0, 0, 1, 1, 0, 1], 0.1, n_groups=2, empty="zero")
    with pytest.raises(ValueError, match=r"^game=1\.0: is its smallest cell"):
        algorithm_5_as_printed(lonely, setting_of(lonely), rng)
    assert algorithm_5(lonely, setting_of(lonely), rng).Q.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match=r"^game=FairnessGame.*not whole people"):
        FrozenPlayers(FairnessGame.from_counts([[[0.5, 0], [1, 0]]], [[2, 2], [2, 2]], 0.1, empty="zero"), fine, rng)


def test_where_a_play_starts():
    theta, lam, h = start_play(game(3), 2.0, 0.1, 5)
    assert theta.shape == (8,) and lam.shape == (5, 8) and h.shape == (5,) and not theta.any() and h.dtype == np.int64
    with pytest.raises(ValueError, match=r"^rounds=100000000: means 100000000 rounds of 1 games, too many"):
        start_play(game(3), 2.0, 0.1, 10**8)


def test_prices_are_what_gaps_cost():
    one, rng = game(3), np.random.default_rng(0)
    lam = rng.random(8)
    players = PromisePlayers(one, Setting.of(one, 1.0, 1e-6, 2.0, rounds=3, smallest_cell=9), rng)
    price = players.prices(lam)
    assert one.table.compared.reshape(9, -1) @ price.ravel() == pytest.approx(one.gaps @ one.signed(lam))
    assert (players.prices(np.full(8, 1e-250)) == 0).all()
    assert (players.constraints_of(one.gaps[4]) == one.constraint_values(np.eye(9)[4])).all()
    assert (one.constraints_of(one.gaps[4]) == one.constraint_values(np.eye(9)[4])).all()
    assert players.rates.shape == (9, 3, 2)


@pytest.mark.parametrize("cell_sizes", ["noisy", "public_lower_bound"])
def test_a_play_of_one_game_measures_one_classifier_at_a_time(cell_sizes):
    """Five at once would be five answers, of which the record counts one."""
    rng, one = np.random.default_rng(0), game(3)
    players = private_players(one, Setting.of(one, 1.0, 1e-6, 2.0, rounds=3, smallest_cell=9), rng, cell_sizes)
    assert players.constraint_values(4, rng).shape == (8,)
    with pytest.raises(ValueError, match=r"^h=\(5,\): is not the games' shape \(\)"):
        players.constraint_values(np.arange(5), rng)
