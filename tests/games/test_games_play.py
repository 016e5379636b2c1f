"""The play: Algorithm 3 by its box, Hedge's regret against every kind of opponent, the rounds of Agarwal's Theorem 1, the schedule."""
from __future__ import annotations

import math
import time

import numpy as np
import pytest
from test_games_game import drawn

from dpfair_teach.games import (
    FairnessGame,
    agarwal_theorem_1,
    algorithm_3,
    dp_oracle_learner,
    exponentiated_gradient,
    hedge,
    hedge_regret,
    lemma_3_1,
    schedule,
)
from dpfair_teach.games.auditor import hedge_rate
from faults import Mutant, changed, scaled


def test_hedge_is_a_softmax_with_a_spare_coordinate():
    theta = np.random.default_rng(0).normal(size=(5, 4))
    lam = hedge(theta, 3.0)
    assert np.allclose(lam, 3 * np.exp(theta) / (1 + np.exp(theta).sum(axis=1, keepdims=True)))
    assert (lam.sum(axis=1) < 3).all() and hedge(np.full(4, -900.0), 3.0).sum() < 1e-300        # nothing deserved, nothing charged


def play_by_the_box(game, B, eta, T):
    """Algorithm 3, line by line, for one game."""
    theta = np.zeros(game.n_constraints)
    hs, lams = [], []
    for _ in range(T):
        lam = B * np.exp(theta) / (1 + np.exp(theta).sum())
        h = game.losses(lam).argmin()
        theta = theta + eta * game.constraint_values(np.eye(game.n_classifiers)[h])
        hs.append(h)
        lams.append(lam)
    return np.bincount(hs, minlength=game.n_classifiers) / T, np.mean(lams, axis=0)


def test_the_play_is_the_box():
    game, _ = drawn(1, gamma=0.05)
    play = exponentiated_gradient(game, 3.0, eta=0.11, rounds=60)
    Q, lam = play_by_the_box(game, 3.0, 0.11, 60)
    shown, answers = algorithm_3(game, 3.0, 0.11, 60)
    assert np.allclose(shown.mean(axis=0), lam) and np.allclose(np.bincount(answers, minlength=len(Q)) / 60, Q)
    assert np.allclose(play.Q, Q) and np.allclose(play.lam, lam) and play.gap == pytest.approx(game.equilibrium_gap(Q, lam, 3.0))
    assert play.error == pytest.approx(game.error(Q)) and play.violation == pytest.approx(game.violation(Q))


def test_the_step_is_by_default_the_best_for_the_games_own_payoffs():
    """sqrt(8 ln(K+1) / T) / spread, each game with its own spread: neither 2 for all, nor a step for payoffs of another range."""
    game, _ = drawn(2, gamma=[0.0, 0.05, 0.9])
    best = [hedge_rate(game.n_constraints, 40, spread=spread) for spread in game.spread]
    assert exponentiated_gradient(game, 2.0, rounds=40).eta == pytest.approx(best) and np.ptp(best) > 0.1 * max(best)
    assert best[1] == pytest.approx(math.sqrt(8 * math.log(game.n_constraints + 1) / 40) / (2 * np.abs(game.gaps).max()))


def test_a_batch_is_its_games_one_by_one():
    game, _ = drawn(2, gamma=[0.0, 0.05, 0.2])
    B = np.array([5.0, 2.0, 1.0])
    play = exponentiated_gradient(game, B, rounds=40)
    for i in range(3):
        one = exponentiated_gradient(game.with_gamma(game.gamma[i]), B[i], rounds=40)
        assert np.array_equal(play.chosen[:, i], one.chosen) and np.allclose(play.multipliers[:, i], one.multipliers)
        assert play.gap[i] == pytest.approx(one.gap) and np.allclose(play.gap_after([1, 7, 40])[:, i], one.gap_after([1, 7, 40]))
        assert np.allclose(play.regret_after([7, 40])[:, i], one.regret_after([7, 40])) and np.allclose(play.Q[i], one.Q)


def regret(payoffs, B, eta):
    """Average regret of Hedge on payoffs (T, K), against the best fixed lambda."""
    theta = np.vstack([np.zeros(payoffs.shape[1]), eta * np.cumsum(payoffs, axis=0)[:-1]])
    got = (hedge(theta, B) * payoffs).sum()
    return (B * max(0.0, payoffs.sum(axis=0).max()) - got) / len(payoffs)



@pytest.mark.parametrize("ask", [
    lambda: hedge_rate(4, 10, spread=3.0, as_printed=True), lambda: hedge_regret(4, 10, 1.0, spread=3.0, as_printed=True),
    lambda: agarwal_theorem_1(0.1, 4, 1.0, spread=3.0, as_printed=True), lambda: lemma_3_1(9, 2, 1.0, at="here", as_printed=True),
    lambda: lemma_3_1(9, 2, 1.0, protect="X and A", as_printed=True), lambda: lemma_3_1(9, 2, 1.0, m=50, as_printed=True)])
def test_what_a_printed_formula_does_not_read_is_refused(ask):
    with pytest.raises(ValueError, match=r"^(spread|at|protect|m)=.* is read by as_printed=False, and not by as_printed=True"):
        ask()


@pytest.mark.parametrize("K, T", [(1, 20), (4, 100), (4, 7), (8, 400), (12, 50)])
def test_hedge_regrets_no_more_than_hoeffdings_lemma_allows(K, T):
    rng, B = np.random.default_rng(K * T), 2.5
    top = -np.inf
    for eta in (0.3 * hedge_rate(K, T), hedge_rate(K, T), 5 * hedge_rate(K, T), 3.0):
        bound = hedge_regret(K, T, B, eta)
        for kind in range(30):
            payoffs = rng.choice([-1.0, 1.0], size=(T, K)) if kind % 3 else rng.uniform(-1, 1, (T, K))
            if kind % 3 == 2:                                                   # one constraint with a drift
                payoffs[:, 0] = rng.random(T) < 0.5 + rng.random() / 2
            top = max(top, regret(payoffs, B, eta) / bound)
            assert regret(payoffs, B, eta) <= bound + 1e-12
        assert bound <= hedge_regret(K, T, B, eta, as_printed=True)
    assert top > 0.2                                                            # the bound is not met for lack of trying


def test_the_sharp_bound_needs_its_constant():
    """K constraints in two camps that pay +1 and -1 in turn: Hedge always leans the wrong way and loses eta B / 2 K / (K + 1) a round."""
    B, eta = 2.0, 0.05
    for K, T in ((2, 20_000), (20, 20_000), (2000, 1000)):
        turn = np.where(np.arange(T) % 2 == 0, 1.0, -1.0)
        got = regret(np.outer(turn, np.repeat([1.0, -1.0], K // 2)), B, eta)
        assert got == pytest.approx(eta * B / 2 * K / (K + 1), rel=1e-3) and got <= hedge_regret(K, T, B, eta)
    turn = np.where(np.arange(20_000) % 2 == 0, 1.0, -1.0)
    got = regret(np.outer(turn, np.repeat([1.0, -1.0], 100)), B, 0.2)
    assert 0.95 * hedge_regret(200, 20_000, B, 0.2) < got <= hedge_regret(200, 20_000, B, 0.2)


def test_printed_and_sharp_rates():
    """4 B sqrt(ln d / T) and B sqrt(2 ln d / T): 8 times fewer rounds, and each step minimizes its own bound."""
    K, T, B = 4, 300, 5.0
    assert hedge_regret(K, T, B, as_printed=True) == pytest.approx(4 * B * math.sqrt(math.log(5) / T))
    assert hedge_regret(K, T, B) == pytest.approx(B * math.sqrt(2 * math.log(5) / T))
    assert agarwal_theorem_1(0.1, K, B, as_printed=True).rounds_real == pytest.approx(8 * agarwal_theorem_1(0.1, K, B).rounds_real)
    assert hedge_rate(K, T, as_printed=True) == pytest.approx(math.sqrt(math.log(5) / T) / 2)
    for printed in (False, True):
        best = hedge_rate(K, T, as_printed=printed)
        for factor in (0.7, 1.4):
            assert hedge_regret(K, T, B, factor * best, as_printed=printed) > hedge_regret(K, T, B, as_printed=printed)


@pytest.mark.parametrize("seed", range(8))
def test_agarwals_theorem_1(seed):
    """After its rounds the averages are a nu-approximate equilibrium; the auditor's regret is the gap, for the learner regrets nothing."""
    game, _ = drawn(seed, k=2 + seed % 3, gamma=[0.0, 0.05, 0.2])
    nu, B = 0.15, 1.0 + seed / 3
    K, spread = game.n_constraints, float(game.spread.max())
    play = exponentiated_gradient(game, B, rounds=agarwal_theorem_1(nu, K, B, spread=spread).rounds)
    assert (play.gap <= nu).all() and (play.regret_after([play.rounds])[0] <= nu).all()
    assert hedge_regret(K, play.rounds, B, spread=spread) <= nu < hedge_regret(K, play.rounds - 1, B, spread=spread)   # no fewer
    assert agarwal_theorem_1(nu, K, B, as_printed=True).rounds_real == pytest.approx(16 * B**2 * math.log(K + 1) / nu**2)
    assert exponentiated_gradient(game, B, rounds=50, as_printed=True).eta == hedge_rate(game.n_constraints, 50, as_printed=True)


def test_the_gap_is_at_most_the_regret():
    """Both hold round by round: the learner's best answers regret nothing, so the averages' gap is at most the auditor's regret."""
    for seed in range(5):
        game, _ = drawn(seed, gamma=0.05)
        play = exponentiated_gradient(game, 4.0, rounds=200)
        after = np.arange(1, 201)
        assert (play.gap_after(after) <= play.regret_after(after) + 1e-9).all()


def test_the_spread_is_that_of_the_payoffs():
    for gamma in (0.0, 0.3, 1.5):
        game, _ = drawn(3, gamma=gamma)
        r = game.constraint_values(np.eye(game.n_classifiers))
        widest = (np.maximum(r.max(axis=1), 0) - np.minimum(r.min(axis=1), 0)).max()
        assert widest <= game.spread + 1e-12 and game.spread <= max(2, 1 + gamma) and widest == pytest.approx(game.spread)


def test_plays_and_solutions_compare_as_objects():
    """Arrays have no truth value, so records that hold some are equal to themselves only, and may stand in lists and sets."""
    game, _ = drawn(2, gamma=0.05)
    private = FairnessGame.from_counts(np.rint(game.n_pos), game.n, 0.05, empty="zero")
    for one, other in ((exponentiated_gradient(game, 2.0, rounds=3), exponentiated_gradient(game, 2.0, rounds=3)),
                       (game.fair_erm(), game.fair_erm()), (game.equilibrium(2.0), game.equilibrium(2.0)),
                       *(tuple(dp_oracle_learner(private, 1.0, 1e-6, 2.0, np.random.default_rng(0), rounds=3) for _ in range(2)),)):
        assert one == one and one != other and other in [one, other] and len({one, other}) == 2


def test_what_a_play_refuses():
    game, _ = drawn(1)
    for settings, message in (({"rounds": 0}, "rounds=0"), ({"rounds": 10**9}, "rounds=1000000000: must be at least"),
                              ({"rounds": 3.5}, "rounds=3.5")):
        with pytest.raises(ValueError, match=message):
            exponentiated_gradient(game, 2.0, **settings)
    with pytest.raises(ValueError, match="B=0"):
        exponentiated_gradient(game, 0, rounds=5)


def test_a_round_of_a_batch_is_a_few_array_operations():
    """25 tolerances cost no 25 times as much as one."""
    game, _ = drawn(1, H=200, gamma=np.linspace(0, 0.5, 25))
    one = game.with_gamma(0.1)

    def seconds(g):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            exponentiated_gradient(g, 3.0, rounds=300)
            times.append(time.perf_counter() - start)
        return min(times)
    assert seconds(game) < 12 * seconds(one)


# -------------------------------------------------------------------------------------------------------------- schedule

def test_the_schedule_is_algorithm_5s():
    """T, eta and epsilon' by the supplement's formulas, on the paper's own data: T = 0.08."""
    s = schedule(1994, 1, 1e-7, 10, 2, 0.05, 123 * math.log(1994))
    by_hand = 10 * math.sqrt(math.log(5)) * 1994 / (2 * 41 * math.sqrt(math.log(1e7)) * (123 * math.log(1994) + math.log(40)))
    assert s.rounds_real == pytest.approx(by_hand) and round(s.rounds_real, 2) == 0.08 and s.rounds == 1
    assert s.eta == pytest.approx(0.5 * math.sqrt(math.log(5))) and s.epsilon_step == pytest.approx(1 / (4 * math.sqrt(math.log(1e7))))
    needed = 1 / s.rounds_real
    assert 12.1 < needed < 12.3
    assert schedule(1994, needed * 1.0001, 1e-7, 10, 2, 0.05, 123 * math.log(1994)).rounds_real >= 1
    assert [schedule(m, 1, 1e-7, 1, 2, 0.05, math.log(2)).rounds for m in (277, 20_000, 10**6)] == [2, 145, 7212]


def test_the_schedule_balances_the_two_players():
    """At T the auditor's 4 B sqrt(ln d / T) equals the learner's 8 (2kB + 1) sqrt(T ln(1/delta)) (D + ln(2/beta)) / (m epsilon)."""
    for k, constraints in ((2, ("FP", "TP")), (3, ("FP",)), (4, ("TP",))):
        s = schedule(10**6, 0.7, 1e-6, 3.0, k, 0.1, 9.0, constraints)
        d, T = 1 + 2 * len(constraints) * (k - 1), s.rounds_real
        auditor = 4 * 3.0 * math.sqrt(math.log(d) / T)
        learner = 8 * (2 * k * 3.0 + 1) * math.sqrt(T * math.log(1e6)) * (9.0 + math.log(20)) / (10**6 * 0.7)
        assert auditor == pytest.approx(learner)


def test_a_public_bound_on_the_cells_takes_the_place_of_m():
    """Item J14: with N for m in T, the balance is between 4 B sqrt(ln d / T) and the learner's true loss, over N epsilon."""
    s = schedule(10**6, 1, 1e-6, 3.0, 2, 0.1, 9.0, smallest_cell=20_000)
    learner = 8 * 13 * math.sqrt(s.rounds_real * math.log(1e6)) * (9.0 + math.log(20)) / 20_000
    assert 4 * 3 * math.sqrt(math.log(5) / s.rounds_real) == pytest.approx(learner)
    assert s.rounds_real == pytest.approx(schedule(10**6, 1, 1e-6, 3.0, 2, 0.1, 9.0).rounds_real * 0.02)


def test_the_steps_of_the_schedule_compose_to_epsilon_where_the_formula_holds():
    from dpfair_teach import accounting
    s = schedule(10**5, 1, 1e-6, 2.0, 2, 0.05, 5.0)
    assert s.formula_holds and accounting.advanced_composition(s.epsilon_step, 2 * s.rounds, 1e-6) == pytest.approx(1.0)
    large = schedule(10**5, 150, 1e-7, 2.0, 2, 0.05, 5.0)
    assert not large.formula_holds
    with pytest.raises(ValueError, match="no bound"):
        accounting.advanced_composition(large.epsilon_step, 2 * large.rounds, 1e-7)


def test_a_game_must_be_a_game():
    with pytest.raises(ValueError, match="game="):
        exponentiated_gradient("chess", 2.0, rounds=3)
    assert isinstance(drawn(1)[0], FairnessGame)


# --- deliberate faults

def without_a_spare(f):
    def weights(theta, B):
        lam = f(theta, B)
        return lam / lam.sum(axis=-1, keepdims=True) * B[..., None]
    return weights


FAULTS = {
    "hedge_without_a_spare": Mutant("dpfair_teach.games.auditor.weights", without_a_spare, "the multipliers always sum to B"),
    "rounds_halved": Mutant("dpfair_teach.games.auditor.agarwal_theorem_1", changed(rounds=lambda x: max(1, x // 2)), "half of the rounds"),
    "hedge_regret_halved": Mutant("dpfair_teach.games.auditor.hedge_regret", scaled(0.5), "half of the regret"),
}
