"""What frozen denominators cost: on every play of the default algorithm, where the cost is attained, and the whole bound on runs."""
from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from test_games_regret import data

from dpfair_teach.games import (
    FairnessGame,
    Setting,
    dp_oracle_learner,
    evaluate,
    frozen_bound,
    frozen_tau,
    largest_step,
)
from dpfair_teach.games.auditor import hedge_rate
from dpfair_teach.games.guarantees import frozen_gap
from faults import Mutant, less, with_arguments


def over(n_pos, denominators):
    """Gaps (..., H, 2 (k-1)) of counts (H, k, 2) over denominators (..., k, 2)."""
    rates = n_pos / denominators[..., None, :, :]
    return (rates[..., 1:, :] - rates[..., :1, :]).reshape(rates.shape[:-2] + (-1,))


def regrets(errors, gaps, Q, lam, B, gamma):
    """What auditor and learner could still gain, in any game of errors (H,) and gaps (..., H, D)."""
    met = np.einsum("...h,...hd->...d", Q, gaps)
    r = np.stack([met, -met], axis=-1).reshape(met.shape[:-1] + (-1,)) - gamma
    w = lam[..., 0::2] - lam[..., 1::2]
    losses = errors + np.einsum("...d,...hd->...h", w, gaps)
    return B * np.maximum(r.max(axis=-1), 0) - (lam * r).sum(axis=-1), (Q * losses).sum(axis=-1) - losses.min(axis=-1)


@pytest.mark.parametrize("k", [2, 3])
def test_a_play_is_as_good_in_the_true_game_but_for_its_denominators(k):
    """600 runs with cells of about 50 people, and denominators that are off by up to a half and more: a sure statement, no run may break
    it. Nor may a classifier with all of the price on one side of one gap, which spends more than half of what is granted."""
    game, B, spent = data(m=400, k=k, seed=4), 3.0, 0.0
    corners = B * np.eye(game.n_constraints)
    for rounds, epsilon in ((2, 0.3), (20, 3.0), (20, 100.0)):
        play = dp_oracle_learner(game, epsilon, 1e-6, B, np.random.default_rng(rounds), rounds=rounds, size=200)
        tau = frozen_tau(game.n, play.denominators)
        gaps = [over(game.n_pos, play.denominators), over(game.n_pos, game.n)]
        frozen, true = (np.array(regrets(game.errors, g, play.Q, play.lam, B, 0.05)) for g in gaps)
        gap = evaluate(play, game).gap
        np.testing.assert_allclose(true.max(axis=0), gap, atol=1e-9)
        bound = [frozen_gap(nu, B, t) for nu, t in zip(frozen.max(axis=0), tau, strict=True)]
        assert (gap <= np.array(bound) + 1e-9).all()
        assert (true <= frozen + np.array([[4.0], [2.0]]) * B * tau + 1e-9).all()
        for Q in np.eye(game.n_classifiers):
            for lam in corners:
                frozen, true = (np.array(regrets(game.errors, g, Q, lam, B, 0.05)).reshape(2, -1) for g in gaps)
                assert (true <= frozen + np.array([[4.0], [2.0]]) * B * tau + 1e-9).all()
                spent = max(spent, ((true[0] - frozen[0])[tau > 0] / (4 * B * tau[tau > 0])).max(initial=0.0))
    assert spent > 0.5


def test_what_frozen_denominators_cost_is_attained():
    """One classifier whose gap is 0 over the frozen numbers: any prices are a best answer there, those on the wrong side cost
    2 B times the true gap, which is 2 tau but for terms of the second order."""
    B, n = 5.0, np.array([[10_000.0, 10_000.0], [10_000.0, 10_000.0]])
    for off in (10.0, 100.0):
        denominators = n + np.array([[-off, 0.0], [off, 0.0]])
        n_pos = np.array([[[denominators[0, 0] / denominators[1, 0] * 10_000, 0.0], [10_000.0, 0.0]]])
        tau, lam = frozen_tau(n, denominators), np.array([0.0, B, 0.0, 0.0])
        assert tau == pytest.approx(off / (10_000 - off))
        here = regrets(np.zeros(1), over(n_pos, denominators), np.ones(1), lam, B, 0.0)
        true = FairnessGame.from_gaps([0.0], over(n_pos, n), 0.0).equilibrium_gap([1.0], lam, B)
        assert max(here) == pytest.approx(0.0, abs=1e-12) and true <= frozen_gap(0.0, B, tau)
        assert true == pytest.approx(frozen_gap(0.0, B, tau), rel=0.02)
        assert frozen_gap(0.3, B, tau) == pytest.approx(0.3 + 4 * B * tau)
    the_bound_spelt_out()


@pytest.mark.parametrize("k", [2, 3])
def test_the_bound_of_the_default_algorithm_on_runs(k):
    """400 runs at beta = 0.05: were the bound just met, 20 would fail on average. None does, and the release is off by what is said in
    all but a third of beta of them: more than 30 of 400 would have a chance below 1e-10 at that rate."""
    game, T, B, epsilon = data(k=k), 25, 2.0, 20.0
    n = game.n.min()
    play = dp_oracle_learner(game, epsilon, 1e-6, B, np.random.default_rng(1), rounds=T, size=400)
    said = frozen_bound(Setting(T, epsilon, 1e-6, B, k, 0.05, math.log(12), n))
    tau = frozen_tau(game.n, play.denominators)
    assert (tau > said.tau).sum() <= 30 and tau.max() > 0.5 * said.tau
    (auditor, learner), gap = evaluate(play, game).regrets, evaluate(play, game).gap
    assert (gap <= said.nu).all() and (auditor + learner <= said.nu).all()      # together, and so either alone
    assert (game.error(play.Q) <= game.fair_erm().value + said.nu).all()
    assert gap.max() > 0.02 * said.nu


@pytest.mark.usefixtures("real_numbers")
def test_a_player_alone_may_gain_more_than_its_own_part():
    """The parts bound regrets, not gains: here the learner gains a hundred times its part at the averages, and both less than nu."""
    n_pos = [[[0, 1e5], [2e4, 1e5]], [[0, 8e4], [0, 8e4]], [[0, 0], [0, 0]], [[1e5, 1e5], [1e5, 1e5]]]
    game = FairnessGame.from_counts(n_pos, np.full((2, 2), 1e5), 0.05, empty="zero")
    play = dp_oracle_learner(game, 1000.0, 1e-7, 1.0, np.random.default_rng(0), rounds=100)
    said = frozen_bound(Setting(100, 1000.0, 1e-7, 1.0, 2, 0.05, math.log(4), 1e5))
    auditor, learner = game.regrets(play.Q, play.lam, 1.0)
    assert learner > 100 * said.learner and auditor + learner < said.nu


def beyond(k, tail):
    """Where |V| (k = 2) or |V - V'| (more), V of scale 1, is with this probability."""
    low, high = 0.0, 100.0
    for _ in range(80):
        x = (low + high) / 2
        low, high = (x, high) if (1.0 if k == 2 else 1 + x / 2) * math.exp(-x) > tail else (low, x)
    return low


def the_bound_spelt_out():
    """Terms written out once more, and at much epsilon what no noise leaves: the auditor's own regret with that step."""
    theta = np.linspace(1e-3, 0.999, 999)
    for T, k, labels in itertools.product((2, 40), (2, 3), (("FP", "TP"), ("TP",))):
        setting = Setting(T, 2.0, 1e-6, 3.0, k, 0.06, 4.0, 5000.0, labels)
        found = frozen_bound(dataclasses.replace(setting, budget_fraction=0.25))
        noises = len(labels) * (1 if k == 2 else k)
        off = 0.5 + (1 if k == 2 else 2) / 0.5 * math.log(noises / 0.02)        # half a person by rounding
        assert found.tau == pytest.approx(off / (5000 - off)) and found.rounds == T
        step = largest_step(1.5, 1e-6, T - 1, T - 1)
        learner = 2 * 3.0 / (5000 - off) / step * (4.0 + math.log((T - 1) / 0.02)) * (T - 1) / T
        assert found.learner == pytest.approx(learner + 2 * 3.0 * found.tau, rel=1e-9)
        assert found.nu == pytest.approx(learner + found.auditor)       # 4 B tau is in the auditor's
        d, b = 2 * len(labels) * (k - 1) + 1, 2 / (5000 - off) / step
        x = (1 if k == 2 else 2) * 2**-11 * b                           # the grid, on one rate or on two
        eta = hedge_rate(d - 1, T, as_printed=True)
        spread = 2 * (1 + found.tau + x) + 2 * b * beyond(k, 0.04 / (2 * (T - 1) * (d - 1)))
        hidden = (2 * b / theta * (math.log(4 * d / 0.04) - (1 if k == 2 else 2) * (T - 1) * np.log(1 - theta**2))).min()
        own = 3.0 * math.log(d) / (eta * T) + eta * 3.0 * spread**2 / 8 + 3.0 * hidden / T
        assert found.auditor == pytest.approx(own + 2 * 3.0 * x + 4 * 3.0 * found.tau, rel=1e-12)
        free = frozen_bound(dataclasses.replace(setting, epsilon=1e6, smallest_cell=1e12))
        assert free.nu == pytest.approx(3.0 * math.log(d) / (eta * T) + eta * 3.0 / 2, rel=1e-6)
    small = frozen_bound(dataclasses.replace(setting, smallest_cell=3.0))
    assert small.nu > 100 and np.isfinite(small.nu)


# --- deliberate faults

def denominators_left_out(player, times):
    """One player's bound without what the denominators add."""
    def make(f):
        def frozen_bound(setting):
            found = f(setting)
            return dataclasses.replace(found, **{player: getattr(found, player) - times * setting.B * found.tau})
        return frozen_bound
    return make


FROZEN = "dpfair_teach.games.guarantees."
FAULTS = {
    "frozen_gap_without_nu": Mutant(FROZEN + "frozen_gap", less(lambda call: call.nu), "the denominators alone"),
    "frozen_gap_without_the_denominators": Mutant(FROZEN + "frozen_gap", with_arguments(tau=lambda _: 0.0), "nu alone"),
    "frozen_learner_without_the_denominators": Mutant(FROZEN + "frozen_bound", denominators_left_out("learner", 2), "no 2 B tau"),
    "frozen_auditor_without_the_denominators": Mutant(FROZEN + "frozen_bound", denominators_left_out("auditor", 4), "no 4 B tau"),
    "frozen_sizes_not_rounded": Mutant(FROZEN + "_off", less(lambda call: 0.5), "half a person by rounding is forgotten"),
    "frozen_sizes_without_noise": Mutant(FROZEN + "_off", lambda f: lambda s, cells, epsilon_0: 0.5, "sizes are off by rounding only"),
    "frozen_bound_without_the_grid": Mutant(FROZEN + "_grid", lambda f: lambda s, least: 0.0, "what is measured is not rounded"),
    "frozen_gap_pays_once": Mutant("dpfair_teach.games.guarantees.frozen_gap", lambda f: lambda nu, B, tau: f(nu, B, tau / 2), "2 B tau"),
    "frozen_tau_ignores_a_group": Mutant(
        "dpfair_teach.games.guarantees.frozen_tau", lambda f: lambda n, d, **kw: f(np.asarray(n)[1:], np.asarray(d)[..., 1:, :], **kw),
        "group 0 is left out"),
}
