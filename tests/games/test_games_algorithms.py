"""The algorithms on one screen: the same numbers as the batched play at the same seed, for every repair, notion and number of groups."""
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
    dp_oracle_learner_as_printed,
    exponentiated_gradient,
    laplace_on_grid,
    noisy_minimum,
    private_players,
    start_play,
)

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
    "games.algorithm_5": lambda: dict(game=small(), setting=setting_of(small()), rng=np.random.default_rng(1), repair="frozen"),
    "games.algorithm_5_as_printed": lambda: dict(game=two_of_each(), setting=setting_of(two_of_each()), rng=np.random.default_rng(1)),
    "games.private_players": lambda: dict(game=small(), setting=setting_of(small()), rng=np.random.default_rng(1), repair="promise"),
    **{f"games.{name}": lambda: dict(game=small(), setting=setting_of(small()), rng=np.random.default_rng(1))
       for name in ("FrozenPlayers", "BoundPlayers", "PromisePlayers")},
    "games.printed_sensitivities": lambda: dict(game=two_of_each(), setting=setting_of(two_of_each())),
    "games.start_play": lambda: dict(game=small(), B=2.0, eta=0.1, rounds=4),
    "games.noisy_minimum": lambda: dict(loss=[0.5, 0.1], scale=1.0, rng=np.random.default_rng(1)),
    "games.laplace_on_grid": lambda: dict(value=[0.5, 0.1], scale=1.0, rng=np.random.default_rng(1)),
}


@pytest.mark.parametrize("rounds", [1, 2, 30])
@pytest.mark.parametrize(("notion", "against"), NOTIONS)
def test_algorithm_3_is_exponentiated_gradient_to_the_last_bit(rounds, notion, against):
    for k in (2, 3, 5):
        one = game(k, notion, against)
        Q, lam = algorithm_3(one, 5.0, 0.07, rounds)
        play = exponentiated_gradient(one, 5.0, eta=0.07 if rounds > 1 else None, rounds=rounds)
        assert (Q == play.Q).all() and (lam == play.lam).all()


@pytest.mark.parametrize("repair", ["frozen", "bound", "promise"])
@pytest.mark.parametrize(("notion", "against"), NOTIONS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_algorithm_5_is_dp_oracle_learner_to_the_last_bit(repair, notion, against, k):
    for rounds, eta, counts in ((1, None, False), (2, 0.3, True), (25, None, False)):
        one, cell = game(k, notion, against, counts), N if repair == "promise" else None
        setting = Setting.of(one, 8.0, 1e-6, 3.0, rounds=rounds, eta=eta, smallest_cell=cell)
        first, second = np.random.default_rng(7), np.random.default_rng(7)
        Q, lam = algorithm_5(one, setting, first, repair if rounds > 1 else "frozen")
        how = dict(repair=repair, smallest_cell=cell) if rounds > 1 else {}             # one round needs no repair
        play = dp_oracle_learner(one, 8.0, 1e-6, 3.0, second, rounds=rounds, eta=eta, **how)
        assert (Q == play.Q).all() and (lam == play.lam).all() and first.bit_generator.state == second.bit_generator.state
        assert rounds < 25 or notion != "equalized_odds" or len(set(play.chosen)) > 2, "the learner chose among several"


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("notion", ["equalized_odds", "false_positive"])
def test_as_printed_the_choices_are_those_of_the_batched_play(k, notion):
    """Losses are summed in another order, so that they differ by 1e-16; the noise is a billion times that, and the numbers are equal."""
    one = game(k, notion)
    setting = Setting.of(one, 200.0, 1e-6, 3.0, rounds=25)
    Q, lam = algorithm_5_as_printed(one, setting, np.random.default_rng(7))
    play = dp_oracle_learner_as_printed(one, 200.0, 1e-6, 3.0, np.random.default_rng(7), rounds=25)
    assert (Q == play.Q).all() and (lam == play.lam).all() and len(set(play.chosen)) > 2


def test_what_players_release_is_what_the_play_records():
    one = game()
    play = dp_oracle_learner(one, 2.0, 1e-6, 3.0, np.random.default_rng(3), rounds=5)
    both = private_players(one, Setting.of(one, 2.0, 1e-6, 3.0, rounds=5), np.random.default_rng(3))
    assert (both.sizes == play.denominators).all() and both.epsilon_step == play.epsilon_step
    assert private_players(one, Setting.of(one, 2.0, 1e-6, 3.0, rounds=5), np.random.default_rng(3), "bound").N == dp_oracle_learner(
        one, 2.0, 1e-6, 3.0, np.random.default_rng(3), rounds=5, repair="bound").smallest_cell


def test_players_refuse_what_they_cannot_play():
    one, rng = game(), np.random.default_rng(0)
    fine = Setting.of(one, 1.0, 1e-6, 2.0, rounds=3)
    for setting, match in ((dataclasses.replace(fine, m=401.0), r"^setting=401\.0: is its m, and the game's is 400\.0\. Make it with"),
                           (dataclasses.replace(fine, n_classifiers=None), r"^setting=None: is its n_classifiers, and the game's is 9\."),
                           (dataclasses.replace(fine, constraints=("FP",)), r"^setting=Parity.*is its constraints"),
                           (dataclasses.replace(fine, protect="X and A"), r"^setting='X and A': is what it protects, and these players"),
                           (None, r"^setting=None: is no Setting\. Make it with")):
        with pytest.raises(ValueError, match=match):
            algorithm_5(one, setting, rng)
        with pytest.raises(ValueError, match=match):
            algorithm_5_as_printed(one, setting, rng)
    for wrong, match in ((FairnessGame(SAID, CODES % 2, LABELS, 0.05), "read the number of groups off A"),
                         (one.with_gamma([0.1, 0.2]), r"^game=\(2,\): is the shape of its gammas")):
        with pytest.raises(ValueError, match=match):
            algorithm_5(wrong, Setting.of(wrong, 1.0, 1e-6, 2.0, rounds=3), rng)
    with pytest.raises(ValueError, match=r"^smallest_cell=None: no promise was made"):
        algorithm_5(one, fine, rng, "promise")
    with pytest.raises(ValueError, match=r"the promise is broken"):
        algorithm_5(one, dataclasses.replace(fine, smallest_cell=100.0), rng, "promise")
    lonely = FairnessGame(np.eye(3, 8), [0, 0, 1, 1] * 2, [0, 0, 0, 0, 1, 1, 0, 1], 0.1, n_groups=2, empty="zero")
    with pytest.raises(ValueError, match=r"^game=1\.0: is its smallest cell"):
        algorithm_5_as_printed(lonely, setting_of(lonely), rng)
    assert algorithm_5(lonely, setting_of(lonely), rng)[0].sum() == pytest.approx(1)
    with pytest.raises(ValueError, match=r"^game=FairnessGame.*not whole people"):
        FrozenPlayers(FairnessGame.from_counts([[[0.5, 0], [1, 0]]], [[2, 2], [2, 2]], 0.1, empty="zero"), fine, rng)


def test_choices_and_noise_have_their_laws():
    """100,000 draws each; by Hoeffding a share is off by 0.0105 with probability below 1e-9, a mean of noise of scale 1 by 0.03."""
    rng, loss = np.random.default_rng(0), np.array([0.0, 0.5, 2.0])
    drawn = np.bincount([noisy_minimum(loss, 0.7, rng) for _ in range(100_000)], minlength=3) / 100_000
    law = np.exp(-loss / 0.7) / np.exp(-loss / 0.7).sum()
    assert np.abs(drawn - law).max() < 0.0105 and noisy_minimum(loss, 0.0, rng) == 0
    noise = laplace_on_grid(np.full(100_000, 3.0), 1.0, rng) - 3
    assert abs(np.abs(noise).mean() - 1) < 0.03 and abs(noise.mean()) < 0.03 and (noise * 1024 % 1 == 0).all()


def test_where_a_play_starts():
    theta, lam, h = start_play(game(3), 2.0, 0.1, 5)
    assert theta.shape == (8,) and lam.shape == (5, 8) and h.shape == (5,) and not theta.any() and h.dtype == np.int64
    with pytest.raises(ValueError, match=r"^rounds=100000000: rounds of 8 multipliers are too many"):
        start_play(game(3), 2.0, 0.1, 10**8)


def test_prices_are_what_gaps_cost():
    one, rng = game(3), np.random.default_rng(0)
    lam = rng.random(8)
    price = one.prices(lam)
    assert one.table.compared.reshape(9, -1) @ price.ravel() == pytest.approx(one.gaps @ one.signed(lam))
    assert (one.prices(np.full(8, 1e-250)) == 0).all()
    assert (one.constraints_of(one.gaps[4]) == one.constraint_values(np.eye(9)[4])).all()
    players = PromisePlayers(one, Setting.of(one, 1.0, 1e-6, 2.0, rounds=3, smallest_cell=9), rng)
    assert players.rates.shape == (9, 3, 2)
