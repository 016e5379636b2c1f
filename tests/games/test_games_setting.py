"""The numbers of a private play, read once: what follows from them, what is refused, and that play and bounds are of the same numbers."""
from __future__ import annotations

import dataclasses
import math
import pickle

import numpy as np
import pytest

from dpfair_teach.fairness import Parity
from dpfair_teach.games import (
    FairnessGame,
    Setting,
    dp_oracle_learner,
    frozen_bound,
    largest_step,
    schedule,
)
from dpfair_teach.games.auditor import hedge_rate

NUMBERS = dict(rounds=9, epsilon=1.0, delta=1e-6, B=2.0, n_groups=2, beta=0.05, log_labelings=2.0, smallest_cell=200.0,
               constraints=("FP", "TP"), eta=0.1, budget_fraction=0.2, protect="A", m=1000.0, n_classifiers=8)
VALID_CALLS = {"games.Setting": lambda: dict(NUMBERS)}


def game(k=2, **how):
    rng = np.random.default_rng(0)
    A, Y = rng.integers(0, k, 600), rng.integers(0, 2, 600)
    return FairnessGame(rng.random((12, 600)) > 0.5, A, Y, 0.05, n_groups=k, empty="zero", **how)


def test_what_follows_from_the_numbers():
    setting = Setting(**NUMBERS)
    assert (setting.K, setting.d) == (4, 5)
    assert (setting.selections, setting.gradients) == (8, 8) and setting.epsilon_sizes == 0.2
    assert setting.learning_rate == 0.1 and dataclasses.replace(setting, eta=None).learning_rate == hedge_rate(4, 9, as_printed=True)
    assert dataclasses.replace(setting, protect="X and A").selections == 9
    assert dataclasses.replace(setting, constraints=["TP"]).constraints == ("TP",)
    one = dataclasses.replace(setting, rounds=1)
    assert (one.selections, one.gradients, one.epsilon_sizes, one.epsilon_step) == (0, 0, 0.0, 1.0)


@pytest.mark.parametrize("notion, against, k", [(notion, against, k) for notion in ("equalized_odds", "true_positive", "accuracy_parity")
                                                for against in ("anchor", "pairs") for k in (2, 4)])
def test_the_multipliers_are_those_of_the_game(notion, against, k):
    parity = Parity(notion, against)
    setting = Setting.of(game(k, notion=parity), 1.0, 1e-6, 2.0, rounds=3)
    assert setting.parity == parity and setting.K == game(k, notion=parity).n_constraints
    assert setting == dataclasses.replace(setting, constraints=parity)     # one way to say it


def test_a_setting_of_a_game_holds_its_public_numbers_and_the_schedule():
    found = Setting.of(game(3), 1.0, 1e-6, 2.0)
    assert (found.n_groups, found.m, found.n_classifiers, found.log_labelings) == (3, 600.0, 12, math.log(12))
    assert found.rounds == schedule(600, 1.0, 1e-6, 2.0, 3, 0.05, math.log(12)).rounds == found.scheduled_rounds
    with pytest.raises(ValueError, match="m, log_labelings"):
        _ = Setting(3, 1.0, 1e-6, 2.0, 2).scheduled_rounds


@pytest.mark.parametrize("cell_sizes", ["noisy", "noisy_lower_bound", "public_lower_bound"])
@pytest.mark.parametrize("protect", ["A", "X and A"])
def test_a_play_has_the_steps_of_its_setting(cell_sizes, protect):
    """What the play publishes is epsilon' of the setting of the same game, and what noise in doubles gives away is taken from delta."""
    N = 20.0 if cell_sizes == "public_lower_bound" else None
    setting = Setting.of(game(), 1.0, 1e-6, 2.0, rounds=5, protect=protect, smallest_cell=N)
    play = dp_oracle_learner(game(), 1.0, 1e-6, 2.0, np.random.default_rng(0), rounds=5, protect=protect, cell_sizes=cell_sizes,
                             smallest_cell=N)
    assert play.epsilon_step == setting.step(cell_sizes)
    share, delta = 0.0 if cell_sizes == "public_lower_bound" else 0.1, 5e-7 if cell_sizes == "noisy_lower_bound" else 1e-6
    law = largest_step((1 - share) * 1.0, delta, setting.selections, 4)
    assert 0 < law - setting.step(cell_sizes) < 1e-4 * law
    assert dataclasses.replace(setting, m=None).step(cell_sizes) == law
    assert play.eta == setting.learning_rate


def test_a_bound_takes_the_steps_of_the_law():
    setting = Setting(100, 1.0, 1e-7, 2.0, 2, 0.05, 9.9, 5000)
    assert setting.epsilon_step == largest_step(0.9, 1e-7, 99, 99) and setting.step("public_lower_bound") == largest_step(1.0, 1e-7, 99, 99)
    assert frozen_bound(setting).rounds == setting.rounds


def test_it_stays_as_it_was_made():
    setting = Setting(**NUMBERS)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setting.epsilon = 2.0
    assert setting.epsilon_step > 0 and pickle.loads(pickle.dumps(setting)) == setting and hash(setting) == hash(Setting(**NUMBERS))
    assert repr(setting).startswith("Setting(rounds=9, epsilon=1.0, ")


@pytest.mark.parametrize("wrong", [
    {"rounds": 0}, {"epsilon": 1e-7}, {"delta": 1.0}, {"B": 0.0}, {"n_groups": 1}, {"beta": 0.0}, {"log_labelings": -1.0},
    {"smallest_cell": 0.5}, {"constraints": ("FN",)}, {"eta": 0.0}, {"budget_fraction": 1.0}, {"budget_fraction": 1e-12},
    {"protect": "record"}, {"m": 0.0}, {"n_classifiers": 0}, {"smallest_cell": 251.0}], ids=str)
def test_each_number_is_refused_by_its_name(wrong):
    with pytest.raises(ValueError, match=rf"^{next(iter(wrong))}"):
        Setting(**NUMBERS | wrong)


def test_a_delta_that_noise_in_doubles_eats_is_refused():
    with pytest.raises(ValueError, match=r"^delta=1e-12"):
        _ = Setting.of(game(), 1.0, 1e-12, 2.0, rounds=5).epsilon_step
    with pytest.raises(ValueError, match=r"^cell_sizes="):
        Setting(**NUMBERS).step("none")
