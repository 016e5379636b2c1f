"""What doubles would tell of private numbers: low digits of noisy numbers, and roundings of sums that depend on who is in which group.

The attacks convict plays without the mend, and find nothing with it. Fixed seeds.
"""
from __future__ import annotations

import dataclasses
import itertools
import math
import sys

import numpy as np
import pytest

from dpfair_teach import _checks as check
from dpfair_teach import load
from dpfair_teach.fairness import Parity
from dpfair_teach.games import (
    FairnessGame,
    Setting,
    dp_oracle_learner,
    dp_oracle_learner_as_printed,
    frozen_bound,
    frozen_tau,
    largest_step,
    regression,
    regression_dp_oracle_learner,
    regression_exponentiated_gradient,
)
from dpfair_teach.games import regression_private as loop
from dpfair_teach.games.regression_private import evaluate_regression
from dpfair_teach.mechanisms import Measurement
from dpfair_teach.mechanisms.mechanism import rounded
from dpfair_teach.oracles import RegressionOracle
from faults import Mutant
from plays import frozen, promised
from test_oracles_regression import people

LOG = np.frompyfunc(math.log, 1, 1)     # the C library's, as the generator uses it; numpy's own differs in the last digit


def could(x: np.ndarray, n: float, scale: float, margin: float, whole: bool, steps: int = 100) -> np.ndarray:
    """Could the published x be the whole number next to n and a Laplace noise of that scale, less the margin? The generator makes noise
    from a multiple of 2^-52 between 0 and 1; the multiples near the one that would fit are tried."""
    off = (x + margin - n) / scale
    near, sign, found = np.rint(np.exp(-np.abs(off)) * 2.0**52), np.sign(off), np.zeros(x.shape, dtype=bool)
    for j in range(-steps, steps + 1):
        u = (near + j / 2) * 2.0**-52
        good = (u > 0) & (u <= 1)
        noise = -sign * LOG(np.where(good, u, 1.0)).astype(float)
        said = n + noise * scale
        found |= good & ((np.rint(said) if whole else said) - margin == x)
    return found


def ruled_out(game: FairnessGame, n: int, label: int, size: int, whole: bool = True, **how: object) -> float:
    """The part of plays whose published number of group 1, of which n have the label, could not have come from n - 1."""
    play = dp_oracle_learner(game, 1.0, 1e-7, 2.0, np.random.default_rng(0), rounds=2, size=size, **how)
    if how:
        x, margin = play.smallest_cell, math.ceil(0.5 - math.log(1e-7) / 0.1)
        inside = x > 0
    else:
        x, margin = play.denominators[:, 1, label], 0.0
        inside = (x > 1) & (x < game.n[:, label].sum() - 1)
    assert could(x, n, 10.0, margin, whole)[inside].all()    # never the truth
    return float((inside & ~could(x, n - 1, 10.0, margin, whole)).mean())


def worlds():
    """(game, n, label, bounds on what unrounded noise would tell): cells of 30 people, and Communities."""
    A = np.repeat([1, 0, 1, 0], [30, 90, 60, 60])
    yield FairnessGame(np.eye(1, 240, dtype=int), A, np.repeat([0, 1], 120), 0.1, n_groups=2, empty="zero"), 30, 0, (0.05, 0.15)
    data = load("communities")
    game = FairnessGame(np.eye(1, len(data.A), dtype=int), data.A, data.Y, 0.05, n_groups=2, empty="zero")
    yield game, 495, 0, (0.003, 0.009)


def test_the_digits_of_a_released_size_tell_nothing(monkeypatch):
    """At epsilon 1, of 2,000 plays: unrounded, in about one of ten the double that is published cannot have come from one person fewer,
    where cells hold 30, and in about one of 200 on Communities. The truth is never ruled out. Rounded, nothing is."""
    found = list(worlds())
    assert [ruled_out(game, n, label, 2000) for game, n, label, _ in found] == [0.0, 0.0]
    monkeypatch.setattr(sys.modules["dpfair_teach.mechanisms.mechanism"], "rounded", lambda noisy, *_: noisy)
    for game, n, label, (low, high) in found:
        assert low < ruled_out(game, n, label, 2000, whole=False) < high


def test_the_digits_of_a_released_bound_tell_nothing(monkeypatch):
    A = np.repeat([1, 0, 1, 0], [200, 800, 500, 500])
    game = FairnessGame(np.eye(1, 2000, dtype=int), A, np.repeat([0, 1], 1000), 0.1, n_groups=2, empty="zero")
    assert ruled_out(game, 200, 0, 1500, cell_sizes="noisy_lower_bound") == 0.0
    monkeypatch.setattr(sys.modules["dpfair_teach.mechanisms.mechanism"], "rounded", lambda noisy, *_: noisy)
    assert ruled_out(game, 200, 0, 1500, whole=False, cell_sizes="noisy_lower_bound") > 0.005


@pytest.mark.parametrize("scale", [0.3, 1.0, 3.7, 4.0, 900.0])
def test_the_grid_is_a_power_of_two_below_a_thousandth_of_the_scale(scale):
    """The step is public and exact, whatever the number; a measurement is off by half of it at most; and every multiple within eight scales
    could have come from a neighbour's count."""
    step = 2.0 ** math.floor(math.log2(scale)) / 1024
    assert scale / 2048 < step <= scale / 1024
    x = np.random.default_rng(0).laplace(7.0, scale, 100_000)
    said = rounded(x, scale)
    assert (said / step == np.rint(said / step)).all() and np.abs(said - x).max() <= step / 2
    assert (rounded(x, np.full(100_000, scale)) == said).all()
    for count in (7.0, 6.0):
        near = said[np.abs(said - 7) < 8 * scale]
        assert (rounded(count + (near - count) / scale * scale, scale) == near).all()


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("how", [dict(), dict(protect="X and A"), dict(cell_sizes="noisy_lower_bound"),
                                 dict(cell_sizes="public_lower_bound", smallest_cell=20)],
                         ids=["frozen", "frozen X and A", "bound", "promise"])
def test_all_that_a_play_measures_is_on_its_grid(how, k, monkeypatch):
    """Sizes and N are whole; the measured counts, rates or gaps are multiples of the power of two of their noise."""
    rng = np.random.default_rng(k)
    A, Y = np.arange(90 * k) % k, rng.integers(0, 2, 90 * k)
    game, seen = FairnessGame(rng.random((5, 90 * k)), A, Y, 0.02, n_groups=k, empty="zero"), []
    healthy = Parity.differences_for

    def overheard(self, k):
        gaps_of = healthy(self, k)
        return lambda rates: seen.append(rates) or gaps_of(rates)
    monkeypatch.setattr(Parity, "differences_for", overheard)
    play = dp_oracle_learner(game, 8.0, 1e-3, 2.0, rng, rounds=4, size=50, **how)
    if play.denominators is not None:
        scale, sizes = (1.0 if k == 2 and not how else 2.0) / play.epsilon_step, play.denominators
        assert (sizes == np.rint(sizes)).all()
        said = [rates[:, 1:] * sizes[:, 1:] for rates in seen]
    else:
        N = np.broadcast_to(play.smallest_cell, (50,))
        assert (N == np.rint(N)).all()
        scale = (2 / (N + 1) / play.epsilon_step).reshape(-1, 1, 1)
        said = seen if k > 2 else [row[:, None, ::2] + 0.02 for row in play.gradients]
    assert len(said) == 3
    for numbers in said:
        steps = numbers / (2.0 ** np.floor(np.log2(scale)) / 1024)
        assert np.abs(steps - np.rint(steps)).max() < 1e-6


@pytest.mark.parametrize("k", [2, 3])
def test_all_that_the_regression_loop_says_is_on_its_grid(k, monkeypatch):
    """Sizes, counts, and the vector of which a rule is a function: no rule has digits of its own."""
    X, A, Y = people(m=240, d=3, k=k)
    oracle, heard = RegressionOracle(X, Y), []
    healthy = Measurement.invoke

    def invoke(self, value, rng, **how):
        answer = healthy(self, value, rng, **how)
        if self.mechanism == "gaussian" and not how:        # the auditor's: the learner's has units
            heard.append(answer)
        return answer
    monkeypatch.setattr(Measurement, "invoke", invoke)
    play = regression_dp_oracle_learner(oracle, A, 0.05, 12.0, 1e-4, np.random.default_rng(1), n_groups=k, B=5.0, rounds=3, size=40)
    _, learner, auditor = play.releases_
    assert (play.denominators == np.rint(play.denominators)).all() and len(heard) == 2
    step = 2.0 ** math.floor(math.log2(auditor.scale)) / 1024
    assert all((counts / step == np.rint(counts / step)).all() for counts in heard)
    root, white = loop._root(oracle.design, 0.0)
    for t in (1, 2):
        w = (play.multipliers[t][:, 0::2] - play.multipliers[t][:, 1::2]).reshape(40, k - 1, 2)
        c = oracle.m * np.concatenate([-w.sum(axis=1, keepdims=True), w], axis=1) / play.denominators
        scale = np.ptp(c, axis=1).max(axis=1) * np.sqrt((white**2).sum(axis=1).max()) * learner.scale
        said = np.linalg.solve(root, (oracle.base - play.rules[t]).T).T / (2.0 ** np.floor(np.log2(scale)) / 1024)[:, None]
        assert np.abs(said - np.rint(said)).max() < 1e-6 and np.abs(said).max() > 100


# ------------------------------------------------------------------------------------------------ who is in which group decides no rounding

@pytest.mark.parametrize("how", [dict(rounds=1), dict(rounds=3), dict(rounds=3, cell_sizes="noisy_lower_bound")],
                         ids=["T=1", "noisy", "bound"])
def test_a_tie_is_not_broken_by_who_is_in_which_group(how):
    """Two classifiers with probabilities, equally wrong. Summed by cell, rounding would prefer the one or the other."""
    H, Y = [[0.8, 0.7, 0.6, 0.0], [0.7, 0.6, 0.8, 0.0]], [0, 0, 0, 1]
    first = []
    for A in ([0, 0, 0, 0], [1, 0, 0, 0]):
        game = FairnessGame(H, A, Y, 0.1, n_groups=2, empty="zero")
        first.append(int(dp_oracle_learner(game, 0.01, 1e-9, 1.0, np.random.default_rng(0), **how).chosen[0]))
    assert first[0] == first[1]


@pytest.mark.parametrize("cell_sizes", ["noisy", "a lower bound"])
def test_a_price_below_the_digits_of_an_error_is_not_rounded_by_who_is_where(cell_sizes):
    """Two equally wrong classifiers, cells of 100,000, a price of 1.39e-16, as a play has where it is fair for long. Its noise is far below
    the digits of the errors; added to those, what two neighbours' counts cost would be rounded to different doubles, and the choice
    would name the neighbour for certain."""
    n, worlds = 100_000, []
    A, Y = np.repeat([0, 1, 0, 1], n), np.repeat([0, 0, 1, 1], n)
    H = np.tile(np.where(Y == 1, 1, 0), (2, 1))
    H[0, :55_000] = H[0, n:n + 45_000] = H[1, n - 45_000:n] = H[1, n:n + 55_000] = 1
    for groups in (A, np.where(np.arange(4 * n) == n - 1, 1, A)):
        game = FairnessGame(H, groups, Y, 0.3, n_groups=2, empty="zero")
        worlds.append(frozen(game, 0.0036, np.full((2, 2), float(n))) if cell_sizes == "noisy" else promised(game, 0.01, n - 1.0))
    assert game.errors[0] == game.errors[1] == 0.25
    w = np.full((5000, 2), [-1.3877e-16, 0.0])
    chosen = [(world.answer(w, np.random.default_rng(0)) == 0).mean() for world in worlds]
    assert abs(chosen[0] - chosen[1]) < 0.02


def test_errors_and_accepted_are_the_same_numbers_whoever_is_where():
    """To the last bit, and for the games that are made from a game."""
    rng = np.random.default_rng(3)
    H, Y = rng.random((40, 60)), rng.integers(0, 2, 60)
    seen = set()
    for _ in range(20):
        game = FairnessGame(H, rng.integers(0, 3, 60), Y, 0.1, n_groups=3, empty="zero")
        same = game.restricted(np.arange(40)[::-1]).restricted(np.arange(40)[::-1]).with_gamma(0.2)
        assert (same.errors == game.errors).all() and (game.with_constants().errors[:-2] == game.errors).all()
        seen.add(game.errors.tobytes() + game.table.accepted.tobytes())
    assert len(seen) == 1


def counted(H, A, Y, k=2):
    cells = np.eye(2 * k)[2 * np.asarray(A) + Y]
    return (H @ cells).reshape(-1, k, 2), cells.sum(axis=0).reshape(k, 2)


@pytest.mark.slow
@pytest.mark.parametrize(("H", "fine"), [([[0.5, 1, 1, 0.5, 0, 1, 1, 0], [0, 0, 1, 1, 0, 1, 0, 1]], True),
                                         ([[0.5, 1, 1, 1, 0, 1, 1, 0], [0, 0, 1, 1, 0, 1, 0, 1]], False),
                                         ([[0, 1, 1, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 1, 0, 1]], True)])
def test_whether_counts_are_refused_tells_nothing_of_who_is_where(H, fine):
    """Counts of classifiers with probabilities, for every A up to the groups' names: that of all groups together is public, and decides
    alone."""
    H, Y = np.array(H, dtype=float), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    heard, whole = set(), set()
    for A in itertools.product((0,), *[(0, 1)] * 7):
        n_pos, n = counted(H, A, Y)
        game = FairnessGame.from_counts(n_pos, n, 0.1, empty="zero")
        for how in (dict(rounds=1), dict(rounds=2, cell_sizes="noisy_lower_bound"), dict(rounds=2, cell_sizes="public_lower_bound",
                                                                                            smallest_cell=1)):
            if how.get("smallest_cell") and n.min() < 1:
                continue
            try:
                dp_oracle_learner(game, 1.0, 1e-6, 1.0, np.random.default_rng(0), **how)
                heard.add("played")
            except ValueError as refused:
                assert "of all groups together, are not whole people" in str(refused)
                heard.add("refused")
        whole.add(not (n_pos % 1).any())
    assert heard == {"played" if fine else "refused"}
    assert whole == ({True} if (H % 1 == 0).all() else {True, False} if fine else {False})   # the cells themselves would have told
    printed = FairnessGame.from_counts([[[0.5, 1], [2, 3]]], [[4, 4], [4, 4]], 0.1, empty="zero")
    dp_oracle_learner_as_printed(printed, 1.0, 1e-6, 1.0, np.random.default_rng(0), rounds=3)      # which promises nothing


def test_how_a_sum_of_many_people_is_rounded_refuses_nobody():
    """1.3e11 people accepted by three groups, in parts that are not whole: in doubles some sums are off by 1e-5."""
    rng, people, off, heard = np.random.default_rng(0), 1e11, [], set()
    for _ in range(20):
        a, b = people * (0.2 + 0.3 * rng.random((2, 1, 2)))
        game = FairnessGame.from_counts(np.stack([a, b, 1.3 * people - a - b], axis=1), np.full((3, 2), people), 0.1, empty="zero")
        off.append(np.abs(game.table.accepted - 1.3 * people).max())
        try:
            dp_oracle_learner(game, 1.0, 1e-6, 1.0, np.random.default_rng(0), rounds=1)
            heard.add("played")
        except ValueError as refused:
            heard.add(str(refused))
    assert heard == {"played"} and min(off) == 0 and max(off) > 1e-5


def test_a_play_counts_whole_people_and_what_is_public_stays_public():
    """Each cell is rounded half up, so that a person with a probability still moves it by one at most; the errors are as they were."""
    H, Y = np.array([[0.5, 1, 1, 0.5, 0.25, 1, 0.75, 0]]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    errors = set()
    for A in itertools.product((0, 1), repeat=8):
        found = [FairnessGame.from_counts(*counted(H, np.where(np.arange(8) == i, 1 - np.array(A), A), Y), 0.1, empty="zero")
                 .table.in_whole_people() for i in range(-1, 8)]
        errors |= {table.errors.tobytes() + table.totals.tobytes() for table in found}
        assert all((table.n_pos % 1 == 0).all() and np.abs(table.n_pos - found[0].n_pos).max() <= 1 for table in found)
    assert len(errors) == 1


def test_sums_of_probabilities_are_exact_for_a_private_play():
    """Thirds, tenths and the like of 1,000 people: whoever is where, the groups' counts add up to the same number, to the last bit."""
    rng = np.random.default_rng(0)
    H, Y = rng.random((5, 1000)), rng.integers(0, 2, 1000)
    sums = set()
    for _ in range(20):
        A = rng.integers(0, 3, 1000)
        game = FairnessGame(H, A, Y, 0.1, n_groups=3, empty="zero")
        sums.add(game.n_pos.sum(axis=1).tobytes())
        assert (game.n_pos[:, ::-1].sum(axis=1) == game.table.accepted).all()
        np.testing.assert_allclose(game.n_pos, counted(H, A, Y, 3)[0], rtol=1e-12)
    assert len(sums) == 1


def test_what_is_not_released_is_not_shown():
    """One rate: NaN for the other label, and tau is of what was released. One round: no sizes, nothing paid but for a private choice."""
    A, Y = np.arange(4000) % 2, np.arange(4000) // 2 % 2
    H = np.random.default_rng(0).integers(0, 2, (5, 4000))
    game = FairnessGame(H, A, Y, 0.05, ("FP",), n_groups=2, empty="zero")
    play = dp_oracle_learner(game, 5.0, 1e-7, 2.0, np.random.default_rng(1), rounds=3, size=50)
    assert np.isnan(play.denominators[..., 1]).all() and (play.denominators[..., 0] > 900).all()
    shown = play.denominators[..., 0]
    tau = (np.abs(shown - game.n[:, 0]) / shown).max(axis=-1)
    assert 0 < tau.max() < 2 * frozen_bound(Setting(3, 5.0, 1e-7, 2.0, 2, 0.05, math.log(5), 1000, ("FP",))).tau
    with pytest.raises(ValueError, match="denominators"):
        frozen_tau(game.n, play.denominators)
    for protect in ("A", "X and A"):
        once = dp_oracle_learner(game, 5.0, 1e-7, 2.0, np.random.default_rng(1), rounds=1, protect=protect, size=3)
        assert once.denominators is None and once.smallest_cell is None
        said = [("exponential", 3)] if protect != "A" else []
        assert [(r.mechanism, r.times) for r in once.releases_] == said
        assert all(5.0 <= r.epsilon == pytest.approx(largest_step(5.0, 1e-7, 1, 0), rel=1e-5) for r in once.releases_)


def test_more_people_than_single_precision_counts_are_counted_exactly():
    """2^24 + 3, an odd number that no float32 holds: a sum in single precision would lose one of them, and one person move two."""
    many = 2**24 + 3
    assert int(np.float32(many)) != many
    one_hot = np.zeros((many, 2), np.float32)
    one_hot[:, 1] = 1
    accepts = np.ones((1, many), bool)
    assert regression.counted(accepts, one_hot).tolist() == [[0.0, many]]
    accepts[0, -1] = False
    assert regression.counted(accepts, one_hot).tolist() == [[0.0, many - 1]]


@pytest.mark.parametrize("k", [2, 3])
def test_people_counted_in_parts_are_the_same_plays(k, monkeypatch):
    """To the last bit: the loops with the regression oracle, counting 64 people at a time."""
    X, A, Y = people(m=1000, d=3, k=k)
    oracle = RegressionOracle(X, Y)

    def plays():
        private = regression_dp_oracle_learner(oracle, A, 0.02, 5.0, 1e-6, np.random.default_rng(1), n_groups=k, rounds=4, size=3)
        return (private.errors, private.gaps_seen, private.rules, evaluate_regression(private, A).counts,
                regression_exponentiated_gradient(oracle, A, [0.02, 0.1], rounds=9).error)
    whole = plays()
    monkeypatch.setattr(regression, "EXACT", 64)
    assert all((some == all_).all() for some, all_ in zip(plays(), whole, strict=True))


@pytest.mark.usefixtures("real_numbers")
def test_the_loop_has_noise_in_all_directions_whatever_the_units():
    """One feature in units 3e7 times as small: the same plays. Left out are the directions that the oracle leaves out, and no others."""
    X, A, Y = people(m=1000, d=3, k=2)
    plays = []
    for units in (1.0, 3e7):
        oracle = RegressionOracle(X * [units, 1.0, 1.0], Y)
        plays.append(regression_dp_oracle_learner(oracle, A, 0.02, 1000.0, 1e-6, np.random.default_rng(1), n_groups=2, B=5.0, rounds=40,
                                                  size=5))
    for name in ("error", "violation"):
        np.testing.assert_allclose(*(getattr(evaluate_regression(play, A), name) for play in plays), atol=0.005)
    for Z in (X, X * [3e7, 1, 1], np.c_[X, X[:, 0] + X[:, 1]]):
        oracle = RegressionOracle(Z, Y)
        root, white = loop._root(oracle.design, 0.0)
        assert root.shape == (Z.shape[1] + 1, 4)
        units = np.sqrt(np.diag(oracle.inverse))
        np.testing.assert_allclose(root @ root.T / units / units[:, None], oracle.inverse / units / units[:, None], atol=1e-6)
        np.testing.assert_allclose(white.T @ white, np.eye(4), atol=1e-6)
    root, _ = loop._root(oracle.design, 30.0)           # a ridge, where features depend on each other
    np.testing.assert_allclose(root @ root.T, np.linalg.inv(oracle.design.T @ oracle.design + 30 * np.eye(5)), rtol=1e-9)


def test_the_loop_decides_in_an_order_that_everybody_knows():
    """Thirty people with a score of 0 but for rounding. Decided in the order of their cells, one of them or other would be accepted as
    person 79 is in the one group or the other; and errors, which everybody may see, would say so."""
    rng = np.random.default_rng(0)
    for tried in range(969):                               # the first such data of many that were tried
        d, m = int(rng.integers(4, 10)), int(rng.integers(12, 60))
        X, Y = rng.integers(0, 3, (m, d)) / 2, rng.integers(0, 2, m)
        X, Y = np.vstack([X, 1 - X, np.full((20, d), 0.5)]), np.concatenate([Y, 1 - Y, np.tile([0, 1], 10)])
        m = len(Y)
        if tried < 968:
            rng.integers(0, 2, m), rng.permutation(m)
    A = rng.integers(0, 2, m)
    other = np.where(np.arange(m) == 79, 1 - A, A)
    first = set()
    for world, rounds in itertools.product((A, other), (1, 2)):
        play = regression_dp_oracle_learner(RegressionOracle(X, Y), world, 0.1, 0.1, 1e-6, np.random.default_rng(0), n_groups=2,
                                            rounds=rounds)
        first.add(float(play.errors[0]))
    assert len(first) == 1


# --- deliberate faults

def decided_by_cell(f):
    def accepted(rules, people, one_hot):
        order = np.argsort(one_hot.argmax(axis=1), kind="stable")
        return f(rules, people[:, order], one_hot[order])
    return accepted


def loop_roots_by_squares(f):
    def root(design, ridge):
        values, vectors = np.linalg.eigh(np.linalg.inv(design.T @ design + ridge * np.eye(design.shape[1])))
        kept = values > 1e-14 * values[-1]
        found = vectors[:, kept] * np.sqrt(values[kept])
        return found, design @ found
    return root


def with_all_digits(f):
    return lambda self, *how, **grid: f(self, *how, grid=0)


FAULTS = {
    "players_with_all_digits": Mutant(
        "dpfair_teach.mechanisms.registry.Laplace.draw", with_all_digits, "noisy numbers are not rounded"),
    "loop_with_all_digits": Mutant(
        "dpfair_teach.mechanisms.registry.Gaussian.draw", with_all_digits, "noisy counts and vectors are not rounded"),
    "sums_of_probabilities_are_rounded": Mutant(
        "dpfair_teach.games.table.table_of_people",
        lambda f: lambda H, A, Y, parity, k, empty: dataclasses.replace(f(H, A, Y, parity, None, empty), k_given=k is not None),
        "counts of classifiers with probabilities are rounded by who is where"),
    "errors_summed_by_cell": Mutant(
        "dpfair_teach.games.table.table_of_people",
        lambda f: lambda H, A, Y, parity, k, empty: dataclasses.replace(
            f(H, A, Y, parity, k, empty), accepted=counted(np.asarray(H, dtype=float), A, np.asarray(Y), k)[0].sum(axis=1)),
        "errors are sums over the cells, and rounded so"),
    "whole_cells_are_asked_for": Mutant(
        "dpfair_teach.games.players._refuse_unfit",
        lambda f: lambda game: f(game) if not (game.n_pos % 1).any() else
        check.refuse("game", game, "of all groups together, are not whole people", "Make it from predictions."),
        "a play is refused for who is in which group"),
    "rounded_sums_are_refused": Mutant(
        "dpfair_teach.games.players._refuse_unfit",
        lambda f: lambda game: f(game) if (game.table.accepted % 1 < 1e-6).all() else
        check.refuse("game", game, "of all groups together, are not whole people", "Make it from predictions."),
        "a play is refused for how the parts of a public number are rounded"),
    "public_numbers_from_rounded_cells": Mutant(
        "dpfair_teach.games.table.Table.in_whole_people",
        lambda f: lambda self: dataclasses.replace(f(self), accepted=f(self).n_pos.sum(axis=1)),
        "errors are those of cells that were rounded by who is where"),
    "prices_added_to_errors": Mutant(
        "dpfair_teach.games.players.excess_errors", lambda f: lambda game: game.errors,
        "small prices are rounded to the digits of the errors"),
    "loop_decides_by_cell": Mutant(
        "dpfair_teach.games.regression_private._accepted", decided_by_cell, "people are decided about in the order of their cells"),
    "loop_roots_by_squares": Mutant(
        "dpfair_teach.games.regression_private._root", loop_roots_by_squares, "strong directions count as rounding"),
}
