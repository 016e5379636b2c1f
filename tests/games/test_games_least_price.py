"""Prices so small that doubles make no noise of them are not charged: every neighbour of small data, every repair, prices from 5e-324.

An answer is exp(-loss / scale), so what a neighbour changes is read off exactly, from the losses and the scale that a player chooses by.
"""
from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpfair_teach import oracles
from dpfair_teach.fairness import Parity
from dpfair_teach.fairness.parity import signed
from dpfair_teach.games import FairnessGame, dp_oracle_learner
from dpfair_teach.oracles.private import LEAST_PRICE, charged
from faults import Mutant
from plays import frozen, promised


def without_a_floor(f):
    """Prices are charged with all their digits."""
    def best_response(self, lam, rng):
        self.prices = lambda lam: self.game.parity.prices_of_rates(signed(lam), self.game.n_groups)
        return f(self, lam, rng)
    return best_response


FAULTS = {
    "frozen_without_a_floor": Mutant("dpfair_teach.games.FrozenPlayers.best_response", without_a_floor,
                                     "prices of which doubles make no noise are charged: over frozen sizes"),
    "promised_without_a_floor": Mutant("dpfair_teach.games.PromisePlayers.best_response", without_a_floor,
                                       "prices of which doubles make no noise are charged: with N"),
    "prices_with_all_digits": Mutant(
        "dpfair_teach.oracles.private.charged", lambda f: lambda price, axes=-1: np.where(
            np.abs(price).max(axis=axes, keepdims=True) < LEAST_PRICE, 0.0, price),
        "prices between pairs cancel but for rounding, of which no noise is made"),
    "floor_too_low": Mutant(
        "dpfair_teach.games.players.charged", lambda f: lambda price: np.where(
            np.abs(price).max(axis=-1, keepdims=True) < 1e-290, 0.0, price),
        "prices are charged whose noise, at the largest sizes and epsilon', is below the normal doubles"),
    "oracle_without_a_floor": Mutant("dpfair_teach.oracles.private._charged", lambda f: lambda costs: costs,
                                     "the private oracle answers without noise where costs differ by less than doubles divide"),
}

Y = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])
H = np.array([[1, 1, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 1, 1, 1, 1], [0, 1, 0, 0, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 1, 1, 0, 1]])
SIZES = [5e-324, 1e-323, 3e-322, 1e-318, 3e-310, 1e-300, 1e-220, LEAST_PRICE / 2, LEAST_PRICE, 1e-199, 1e-150, 1e-20, 1.0]


def game(A, k=2):
    return FairnessGame(H, A, Y, 0.1, n_groups=k, empty="zero")


def players(A, k, step):
    """One of each repair; every cell of data and neighbours holds at least one person where N = 1 is promised."""
    table = game(A, k)
    yield "frozen", frozen(table, step, np.arange(2.0, 2 + 2 * k).reshape(k, 2))
    yield "N", promised(table, step, 1.0)


def law(loss, scale):
    """Exact scores -loss / scale, as fractions; at scale 0 the choice itself."""
    if scale == 0:
        return None, int(np.argmin(loss))
    exact = [-Fraction(float(one)) / Fraction(float(scale)) for one in loss]
    return exact, None


def farthest(first, second):
    """The most that ln of an outcome's probability moves; the logarithm of a sum moves between the least and the largest score's move."""
    if first[0] is None or second[0] is None:
        return 0.0 if first == second else np.inf
    moved = np.array([float(x - y) for x, y in zip(first[0], second[0], strict=True)])
    chance = np.exp(np.array([float(x - max(first[0])) for x in first[0]]))
    return float(np.abs(moved + np.log((chance / chance.sum()) @ np.exp(-(moved - moved[chance.argmax()]))) - moved[chance.argmax()]).max())


def cancelling(size):
    """Prices of the six pairs of four groups, one rate: around a triangle the large ones cancel; what is left is one digit, or tiny."""
    ring = size * np.array([1.0, -1.0, 0.0, 1.0, 0.0, 0.0])             # of (0, 1), (0, 2), (0, 3), (1, 2), ...
    for rest in (0.0, 5e-324, 1e-310, 1e-250, 2.0**-53 * size, 2.0**-39 * size):
        for place in range(6):
            yield ring + rest * (np.arange(6) == place)
        yield ring * (1 + 2.0**-52 * np.arange(6)) + rest
    yield size * np.array([0.1, -0.3, 0.0, 0.2, 0.0, 0.0])              # 0.1 + 0.2 - 0.3 is not 0 in doubles


@pytest.mark.parametrize("size", [1e-199, 1e-20, 1.0, 1e9])
def test_prices_between_all_pairs_that_cancel_have_their_noise_or_are_zero(size):
    """Exactly 0 over the groups, so of both signs or none; and no answer to a neighbour moves by more than exp(step)."""
    step, parity = 2.251, Parity("false_positive", "pairs")
    A = np.array([0, 1, 2, 3, 0, 1, 2, 3, 0])
    labels, said = np.zeros(9, dtype=int), np.vstack([H[0], 1 - H[0], H[2]])
    for w in cancelling(size):
        price = parity.prices_of_rates(charged(w), 4)[:, 0]
        assert sum(map(Fraction, price)) == 0 and np.ptp(price) >= np.abs(price).max()
        assert (price == 0).all() or np.abs(price).max() > 1e-213
        for make in (lambda one: frozen(one, step, np.full((4, 2), 2.0)), lambda one: promised(one, step, 1.0)):
            laws = []
            for i in (None, 0, 3, 8):
                groups = A if i is None else np.where(np.arange(9) == i, (A + 1) % 4, A)
                laws.append(law(*make(FairnessGame(said, groups, labels, 0.1, notion=parity, n_groups=4, empty="zero")).heard(w)))
            if np.bincount(A).min() > 1:
                assert max(farthest(laws[0], other) for other in laws[1:]) <= step * (1 + 1e-6)


def test_the_least_price_has_a_normal_scale_at_the_largest_numbers():
    """Sizes of 1e17, epsilon' of 1e7, prices from 5e-324 on: the noise's scale is a normal double, or all prices are 0."""
    step, parity, some = 1e7, Parity("false_positive", "pairs"), 0
    table = FairnessGame(np.eye(4, dtype=int), np.arange(4), np.zeros(4, dtype=int), 0.1, notion=parity, n_groups=4, empty="zero")
    for size in SIZES + np.geomspace(1e-300, 1e-199, 102).tolist():
        for player in (frozen(table, step, np.full((4, 2), 1e17)), promised(table, step, 1e17)):
            loss, scale = player.heard(np.array(list(cancelling(size))))
            assert ((scale > np.finfo(float).tiny) | ((np.ptp(loss, axis=-1) == 0) & (scale == 0))).all()
            some += (scale > 0).sum()
    assert some > 100


@pytest.mark.parametrize(("k", "step"), [(2, 0.02), (2, 2.251), (2, 40.0), (3, 2.251)])
def test_no_price_is_too_small_for_its_noise(k, step):
    """All neighbours of nine people, prices from 5e-324 to 1 on one rate or two: no answer's probability moves by more than exp(step)."""
    A = np.arange(9) % k
    worlds = [A] + [np.where(np.arange(9) == i, a, A) for i, a in itertools.product(range(9), range(k)) if a != A[i]]
    signs = [sign for sign in itertools.product((-1, 0, 1), repeat=2 * (k - 1)) if any(sign)][::1 if k == 2 else 9]
    worst = {}
    for world in worlds:
        for (name, player), size in itertools.product(players(world, k, step), SIZES):
            for sign in signs:
                for w in (size * np.array(sign), np.where(np.arange(len(sign)) == 0, size, 5e-324) * np.array(sign)):
                    found, key = law(*player.heard(w)), (name, size, sign, tuple(w))
                    worst[key] = (found, 0.0) if world is A else (worst[key][0], max(worst[key][1], farthest(worst[key][0], found)))
    assert max(moved for _, moved in worst.values()) <= step * (1 + 1e-6)
    charged = [moved for (_, size, *_), (_, moved) in worst.items() if size >= LEAST_PRICE]
    assert max(charged) > 0.2 * min(step, 1.0)                      # the floor is not all there is


def rounds(A, cell_sizes, B, **how):
    """What the last round chose, of 2,000 plays with the same seed."""
    play = dp_oracle_learner(game(A), 5.0, 1e-6, B, np.random.default_rng(1), cell_sizes=cell_sizes, size=2000,
                             **dict(smallest_cell=1) if cell_sizes == "public_lower_bound" else {}, **how)
    return np.bincount(play.chosen[-1], minlength=len(H)) / 2000


@pytest.mark.parametrize("cell_sizes", ["noisy", "noisy_lower_bound", "public_lower_bound"])
def test_a_play_with_a_tiny_B_is_the_same_for_every_neighbour(cell_sizes):
    """B = 2e-323, two rounds: all that the learner charges is 0, so the same draws choose the same, whoever is where."""
    A = np.arange(9) % 2
    first = rounds(A, cell_sizes, 2e-323, rounds=2)
    assert first[0] == 1                                # the first of those that err least
    for i in range(9):
        assert (rounds(np.where(np.arange(9) == i, 1 - A, A), cell_sizes, 2e-323, rounds=2) == first).all()


def test_the_private_oracle_has_noise_or_reads_nothing():
    """Costs that differ between groups by 5e-324 to 1e-199: the same draws choose the same, or a record says what it cost."""
    labelings = np.vstack([H[:, :5], 1 - H[:, :5]])
    for size in SIZES[:-3]:
        costs = np.array([[0.0, 0.0], [7 * size, 0.0]])
        seen = set()
        for A in itertools.product((0, 1), repeat=5):
            answer = oracles.private_oracle(labelings, np.array(A), Y[:5], costs, 3.0, np.random.default_rng(0), size=50)
            seen.add((answer.release is None, answer.index.tobytes() if answer.release is None else b""))
        assert len(seen) == 1 and (size < LEAST_PRICE / 7) == seen.pop()[0]
