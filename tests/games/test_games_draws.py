"""What the private players draw, tested at the calls that draw: the law of every move of a play, and what a move tells of one person.

The laws are written out once more, from the statements of the chapters; the library's own scales are never read. Fixed seeds, alpha = 1e-9.
"""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, stats

from dpfair_teach.audit import exact_epsilon
from dpfair_teach.games import FairnessGame, FrozenPlayers, PromisePlayers
from dpfair_teach.games.players import BoundPlayers
from dpfair_teach.mechanisms import exponential_probabilities
from faults import Mutant, changed
from plays import frozen, less_noise, private_play, promised

ALPHA = 1e-9
PLAYS = [dict(as_printed=True), *(dict(cell_sizes=cell_sizes, protect=protect,
                                       smallest_cell=20 if cell_sizes == "public_lower_bound" else None)
                                  for cell_sizes in ("noisy", "noisy_lower_bound", "public_lower_bound") for protect in ("A", "X and A"))]


def name(how: dict) -> str:
    return "printed" if "as_printed" in how else f"{how['cell_sizes']} {how['protect']}"


# --------------------------------------------------------------------------------------------------------- laws of a play

def uniform(u: np.ndarray) -> None:
    """Kolmogorov-Smirnov by DKW: no more than one in a billion seeds would refute the law."""
    assert stats.kstest(u.ravel(), "uniform").statistic < math.sqrt(math.log(2 / ALPHA) / (2 * u.size))


def laplace(x: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return stats.laplace(scale=scale).cdf(x)


def whole(x: np.ndarray, scale: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Uniform numbers, if x is Laplace noise rounded to whole numbers: spread evenly over what each of them takes of [0, 1]."""
    assert (x == np.rint(x)).all()
    low, high = laplace(x - 0.5, scale), laplace(x + 0.5, scale)
    return low + rng.random(x.shape) * (high - low)


def difference(x: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Distribution function of the sum of two Laplace noises of scales b and c."""
    c, t = np.where(np.isclose(b, c), b * (1 + 1e-4), c), np.abs(x)
    above = (b**2 * np.exp(-t / b) - c**2 * np.exp(-t / c)) / (2 * (b**2 - c**2))
    return np.where(x < 0, above, 1 - above)


def prices(w: np.ndarray, k: int) -> np.ndarray:
    """(R, 2 (k-1)) -> (R, k, 2): what the rate of each cell costs."""
    each = w.reshape(-1, k - 1, 2)
    return np.concatenate([-each.sum(axis=1, keepdims=True), each], axis=1)


def learner(game, play, w, how):
    """(losses (R, H), scale (R,)): the choice has probability proportional to exp(-loss / scale)."""
    k, m, step = game.n_groups, game.m, play.epsilon_step
    price = prices(w, k)
    size = np.sort(np.abs(price), axis=1)
    losses = game.errors + w @ game.gaps.T
    if "as_printed" in how:
        return losses, np.full(len(w), 2 * (2 * k * play.B + 1) / (game.n.min() - 1) / step)
    if how["cell_sizes"] == "noisy":
        c = price / play.denominators
        losses = game.errors + np.einsum("ray,hay->rh", c, game.n_pos)
        if how["protect"] == "A":
            return losses, (c.max(axis=1) - c.min(axis=1)).max(axis=1) / step
        return losses, 2 * np.abs(c + np.array([1, -1]) / m).max(axis=(1, 2)) / step
    N = play.smallest_cell if how["cell_sizes"] == "noisy_lower_bound" else 20.0
    moves = (size[:, -1] + size[:, -2]).max(axis=1) / (N + 1)
    if how["protect"] == "X and A":
        moves = np.maximum(moves, size[:, -1].max(axis=1) / np.maximum(N, 1)) + 1 / m
    return losses, 2 * moves / step


def auditor(game, play, t, how):
    """Uniform numbers, if the measurement of round t has its law: one for each entry, gap, or count."""
    h, k, step, seen = play.chosen[t], game.n_groups, play.epsilon_step, play.gradients[t]
    if "as_printed" in how:
        return laplace(seen - game._values(game.gaps[h]), 2 * k / (game.n.min() - 1) / step)
    gaps = seen[:, 0::2] + game.gamma
    np.testing.assert_allclose(seen[:, 1::2], -gaps - game.gamma, atol=1e-9)
    if how["cell_sizes"] == "noisy":
        sizes = play.denominators
        rates = game.n_pos[h] / sizes
        x = gaps.reshape(-1, k - 1, 2) - (rates[:, 1:] - rates[:, :1])
        if k == 2 and how["protect"] == "A":
            return laplace(x[:, 0], (1 / sizes[:, 1] + 1 / sizes[:, 0]) / step)
        return difference(x, 2 / sizes[:, 1:] / step, 2 / sizes[:, :1] / step)
    N = (play.smallest_cell if how["cell_sizes"] == "noisy_lower_bound" else np.full(len(h), 20.0))[:, None]
    scale = 2 / (N + 1) / step
    return laplace(gaps - game.gaps[h], scale) if k == 2 else difference(gaps - game.gaps[h], scale, scale)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("how", PLAYS, ids=name)
def test_every_draw_of_a_play_has_the_law_of_its_statement(how, k):
    """20,000 plays of three rounds: sizes or bound, every choice given the prices, every measurement given the classifier. A choice
    is spread evenly over the part of [0, 1] that its probability takes: uniform then, if the probabilities are right. The classes are
    such that half a scale would show: not one classifier is sure, nor all alike."""
    rng, R = np.random.default_rng(k), 20_000
    epsilon, cuts = (24.0, np.linspace(0, 1.01, 5)) if "as_printed" in how else (8.0, np.linspace(0.45, 0.65, 6))
    x, A = rng.random(160 * k), np.arange(160 * k) % k
    Y = (x + 0.3 * (A == 1) + 0.3 * rng.normal(size=160 * k) > 0.6).astype(int)
    game = FairnessGame(np.array([x > t for t in cuts]), A, Y, 0.02, n_groups=k, empty="zero")
    play = private_play(game, epsilon, 1e-3, 8.0, rng, rounds=3, size=R, **how)
    if play.denominators is not None:
        free = play.denominators[:, 1:] if k == 2 else play.denominators
        noise = (free - game.n[-free.shape[1]:]).reshape(R, -1)
        for column in noise.T:
            uniform(whole(column, (1 if k == 2 else 2) / (0.1 * epsilon), rng))
        assert k > 2 or np.allclose(play.denominators.sum(axis=1), game.n.sum(axis=0))
    if how.get("cell_sizes") == "noisy_lower_bound":
        margin = math.ceil(0.5 - math.log(2 * 0.5e-3) / (0.1 * epsilon))
        uniform(whole(play.smallest_cell - game.n.min() + margin, 1 / (0.1 * epsilon), rng))
    for t in range(3):
        w = play.multipliers[t][:, 0::2] - play.multipliers[t][:, 1::2]
        losses, scale = learner(game, play, w, how)
        if scale.max() == 0:            # the first round: nothing private is read
            assert (play.chosen[t] == game.errors.argmin()).all()
        else:
            p = np.exp((losses.min(axis=1, keepdims=True) - losses) / scale[:, None])
            p /= p.sum(axis=1, keepdims=True)
            below, here = (np.take_along_axis(v, play.chosen[t][:, None], axis=1)[:, 0] for v in (np.cumsum(p, axis=1) - p, p))
            uniform(below + rng.random(R) * here)
        if t < len(play.gradients):
            for column in np.moveaxis(auditor(game, play, t, how).reshape(R, -1), 1, 0):
                uniform(column)


# ---------------------------------------------------------------------------------------------------- what one move tells

class Unit:
    """Stands in for a generator: no noise in the first row, then one unit of each noise by turns."""

    noises = 0

    def laplace(self, size):
        rows, self.noises = size[0], math.prod(size[1:])
        assert rows > self.noises
        return np.r_[np.zeros((1, self.noises)), np.eye(rows - 1, self.noises)].reshape(size)


def measured(player, h):
    """What the player gives out about classifier h: without noise, and how each unit of noise moves it."""
    unit = Unit()
    out = player.measure(np.full(1 + 2 * player.game.n_groups, h), unit, rounded=False)
    return out[0], (out[1:1 + unit.noises] - out[0]).T


def least_noise(move, along):
    """The smallest sum of |z| with which noise makes up for the move: so much the output tells, at most; infinite if none does."""
    if np.abs(move).max() < 1e-12:
        return 0.0
    n = along.shape[1]
    if n == 0:
        return math.inf
    found = optimize.linprog(np.ones(2 * n), A_eq=np.c_[along, -along], b_eq=move, bounds=(0, None))
    return found.fun if found.status == 0 else math.inf


def small_data(k, rng):
    m = 4 * k + 1
    A, Y = np.arange(m) % k, (np.arange(m) // k) % 2
    H = np.r_[np.eye(m, dtype=int), 1 - np.eye(m, dtype=int), np.zeros((1, m), int), np.ones((1, m), int), rng.integers(0, 2, (20, m))]
    return H, A, Y


def neighbours(H, A, Y, k, protect, least, rng):
    """(person, their games) for all changes of one person after which no cell is below ``least``."""
    n = np.bincount(2 * A + Y, minlength=2 * k).reshape(k, 2)
    for j, a, new in itertools.product(range(len(A)), range(k), ("same", "other", "drawn")[:1 if protect == "A" else 3]):
        if (protect == "A" and a == A[j]) or (a != A[j] and n[A[j], Y[j]] - 1 < least):
            continue
        A2, H2 = A.copy(), H.copy()
        A2[j] = a
        H2[:, j] = {"same": H[:, j], "other": 1 - H[:, j], "drawn": rng.integers(0, 2, len(H))}[new]
        yield j, FairnessGame(H2, A2, Y, 0.1, n_groups=k, empty="zero")


def player_of(kind, game, step, N, sizes, protect):
    return frozen(game, step, sizes, protect) if kind == "frozen" else promised(game, step, N, protect)


@pytest.mark.parametrize("kind", ["frozen", "promise"])
@pytest.mark.parametrize("protect", ["A", "X and A"])
@pytest.mark.parametrize("k", [2, 3])
def test_every_move_is_private_for_every_neighbour_and_close_to_its_epsilon(kind, protect, k):
    """Small data, all neighbours, prices from 0 to large: what the learner hands to its mechanism, and what the auditor adds to what, tell
    at most epsilon' of one person, exactly; and for some neighbours more than half of it. (With X too: the person's predictions change in
    every way. The grid, to which the sum is rounded, is left out.)"""
    rng, step = np.random.default_rng(10 * k + len(protect)), 0.8

    def law(player, w):
        loss, scale = player.heard(w)
        return exponential_probabilities(loss, 1.0, 2 / scale) if scale > 0 else np.eye(len(loss))[loss.argmin()]

    H, A, Y = small_data(k, rng)
    here = FairnessGame(H, A, Y, 0.1)
    N, told, known = here.n.min(), [], {}
    for B, sizes in ((0.0, np.full((k, 2), 2.0)), (0.02, np.full((k, 2), 9.0)), (1.0, rng.integers(1, 6, (k, 2)).astype(float)),
                     (30.0, np.full((k, 2), 3.0))):
        prices = [sign * B * row for sign in (-1, 1) for row in np.eye(here.gaps.shape[1])][:None if B else 1]
        player = player_of(kind, here, step, N, sizes, protect)
        laws = [law(player, w) for w in prices]
        seen = [measured(player, h) for h in range(len(H))]
        for j, there in neighbours(H, A, Y, k, protect, N, rng):
            other = player_of(kind, there, step, N, sizes, protect)
            choice = max(exact_epsilon(p, law(other, w)) for p, w in zip(laws, prices, strict=True))
            worst = 0.0
            for h in (j, len(A) + j, len(H) - 1):
                (before, along), (after, along_2) = seen[h], measured(other, h)
                np.testing.assert_allclose(along, along_2)
                key = (B, tuple((after - before).round(10)))
                known[key] = known.get(key) or least_noise(after - before, along)
                worst = max(worst, known[key])
            told.append((choice, worst))
    assert (np.array(told) <= step + 1e-9).all()
    assert (np.array(told).max(axis=0) > step / 2).all()


# --- deliberate faults

def one_count_whoever_changes(f):
    def over(self, sizes, step):
        f(self, sizes, step)
        if self.game.n_groups == 2:
            self.one_count, self.measure = True, self._asked("laplace", 1.0, step)
    return over


ASKED = "dpfair_teach.games.players._Players._asked"
FAULTS = {
    "printed_answer_at_half": Mutant(
        "dpfair_teach.games.players.printed_sensitivities", changed(learner=lambda s: s / 2),
        "the printed learner draws with half its scale"),
    "promised_answer_at_half": Mutant(
        ASKED, less_noise(PromisePlayers, "exponential"), "the learner of a promise or a bound draws with half its scale"),
    "promised_measurement_at_half": Mutant(
        ASKED, less_noise(PromisePlayers, "laplace"), "the auditor of a promise or a bound measures with half its scale, and says so"),
    "frozen_answer_at_half": Mutant(
        ASKED, less_noise(FrozenPlayers, "exponential"), "the learner over frozen sizes draws with half its scale"),
    "frozen_counts_at_half": Mutant(
        ASKED, less_noise(FrozenPlayers, "laplace"), "the auditor over frozen sizes measures with half its scale, and says so"),
    "frozen_margins_whoever_changes": Mutant(
        "dpfair_teach.games.players.FrozenPlayers._over", one_count_whoever_changes,
        "with private features too the number of accepted is taken for public"),
    "frozen_sizes_at_double_epsilon": Mutant(
        ASKED, less_noise(FrozenPlayers, "laplace", before_the_rounds=True), "half the noise on the sizes of cells"),
    "bound_at_double_epsilon": Mutant(
        ASKED, less_noise(BoundPlayers, "laplace", before_the_rounds=True), "half the noise on the bound"),
}
