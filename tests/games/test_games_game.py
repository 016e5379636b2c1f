"""The game: the Lagrangian, the costs, the exact solutions, against definitions written out and programs solved another way."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_teach import fairness, load, oracles
from dpfair_teach.data import base_classifier
from dpfair_teach.games import FairnessGame, dp_oracle_learner, exponentiated_gradient, hedge
from dpfair_teach.oracles import threshold_labelings, with_constants
from faults import Mutant, changed


def drawn(seed: int, k: int = 3, m: int = 40, H: int = 12, gamma=0.1, constraints=("FP", "TP"), constants: bool = True):
    rng = np.random.default_rng(seed)
    A, Y = np.arange(m) % k, np.arange(m) // k % 2                  # no empty cell
    P = rng.integers(0, 2, (H, m))
    return FairnessGame(with_constants(P) if constants else P, A, Y, gamma, constraints), (with_constants(P) if constants else P, A, Y)


def lagrangian_by_hand(P, A, Y, Q, lam, gamma, constraints):
    """err + sum over a = 1, ..., k-1 of (FP+, FP-, TP+, TP-), from the definition of each rate."""
    p = Q @ P
    total, entries = np.mean(np.where(Y == 1, 1 - p, p)), iter(lam)
    for a in range(1, A.max() + 1):
        for y in [{"FP": 0, "TP": 1}[c] for c in constraints]:
            gap = p[(A == a) & (Y == y)].mean() - p[(A == 0) & (Y == y)].mean()
            total += next(entries) * (gap - gamma) + next(entries) * (-gap - gamma)
    return total


@pytest.mark.parametrize("constraints", [("FP", "TP"), ("FP",), ("TP",)])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_lagrangian_is_error_plus_priced_gaps_in_the_order_of_the_constraints(k, constraints):
    game, (P, A, Y) = drawn(1, k=k, constraints=constraints)
    rng = np.random.default_rng(2)
    for _ in range(20):
        Q, lam = rng.dirichlet(np.ones(len(P))), rng.exponential(size=game.n_constraints)
        by_hand = lagrangian_by_hand(P, A, Y, Q, lam, 0.1, constraints)
        assert game.lagrangian(Q, lam) == pytest.approx(by_hand, abs=1e-12)
        assert game.losses(lam) @ Q == pytest.approx(by_hand, abs=1e-12)
        assert lam @ game.constraint_values(Q) + game.error(Q) == pytest.approx(by_hand, abs=1e-12)


def test_the_last_row_compares_with_the_anchor():
    """Supplement, r(Q): its last row prints TP_a - TP_a, which is always 0; what is meant is TP_0 - TP_a."""
    game, _ = drawn(3, k=2)
    r = game.constraint_values(np.eye(game.n_classifiers))
    tp = game.rates[:, :, 1]
    assert np.allclose(r[:, 3], tp[:, 0] - tp[:, 1] - 0.1) and np.ptp(r[:, 3]) > 0.1


def test_error_and_violation_are_those_of_fairness():
    game, (P, A, Y) = drawn(4)
    Q = np.random.default_rng(0).dirichlet(np.ones(len(P)), size=5)
    for q, error, violation in zip(Q, game.error(Q), game.violation(Q), strict=True):
        counts = fairness.cell_counts(q @ P, A, Y)
        assert error == pytest.approx(fairness.error(counts)) and violation == pytest.approx(fairness.violation(counts, against="anchor"))


@pytest.mark.parametrize("constraints", [("FP", "TP"), ("FP",), ("TP",)])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_mean_cost_is_the_lagrangian_plus_gamma_times_the_multipliers(k, constraints):
    """Subroutine 2: so the cheapest classifier is the best answer."""
    game, (P, A, Y) = drawn(5, k=k, gamma=0.07, constraints=constraints)
    rng = np.random.default_rng(6)
    for _ in range(10):
        lam = rng.exponential(size=game.n_constraints)
        C0, C1 = game.costs(lam)
        mean = (P * C1 + (1 - P) * C0).mean(axis=1)
        assert np.allclose(mean, game.losses(lam) + 0.07 * lam.sum(), atol=1e-12)
        assert game.losses(lam)[game.best_response(lam)] == game.losses(lam).min()
        w = game.signed(lam).reshape(k - 1, -1)             # the box, written out, for one person of each cell
        for i in range(2 * k):
            a, y = A[i], Y[i]
            column = [{"FP": 0, "TP": 1}[c] for c in constraints]
            price = 0.0 if y not in column else w[a - 1, column.index(y)] if a else -w[:, column.index(y)].sum()
            assert C0[i] == (y != 0) and C1[i] == pytest.approx((y != 1) + price / np.mean((A == a) & (Y == y)))


def test_costs_and_payoffs_for_many_multipliers_at_once():
    game, _ = drawn(7, gamma=[0.0, 0.1, 0.3])
    rng = np.random.default_rng(8)
    lam, Q = rng.exponential(size=(3, 8)), rng.dirichlet(np.ones(game.n_classifiers), size=3)
    assert game.costs(lam).shape == (3, 2, 40) and game.cell_costs(lam).shape == (3, 2, 3, 2)
    for i, gamma in enumerate(game.gamma):
        one = game.with_gamma(gamma)
        assert np.array_equal(game.costs(lam)[i], one.costs(lam[i])) and game.best_response(lam)[i] == one.best_response(lam[i])
        assert np.allclose(game.losses(lam)[i], one.losses(lam[i]))
        assert np.allclose(game.lagrangian(Q, lam)[i], one.lagrangian(Q[i], lam[i]))
        assert np.allclose(game.regrets(Q, lam, 20.0), [[*pair] for pair in zip(*(
            game.with_gamma(g).regrets(q, z, 20.0) for g, q, z in zip(game.gamma, Q, lam, strict=True)), strict=True)])


def test_the_game_from_counts_is_the_game_from_predictions():
    game, _ = drawn(9)
    other = FairnessGame.from_counts(game.n_pos, game.n, 0.1)
    lam = np.random.default_rng(1).exponential(size=8)
    assert np.array_equal(game.losses(lam), other.losses(lam)) and other.fair_erm().value == pytest.approx(game.fair_erm().value)
    with pytest.raises(ValueError, match="lam="):
        other.costs(lam)


@pytest.mark.parametrize("notion", ["demographic_parity", "accuracy_parity"])
def test_other_notions_are_the_same_game_with_other_gaps(notion):
    """Every promise, with the violation that `fairness` measures: linear programs, play, Lemmas B.1 and B.2, by people and by gaps."""
    rng = np.random.default_rng(3)
    P, A, Y = oracles.with_constants(rng.integers(0, 2, (20, 60))), np.arange(60) % 3, np.arange(60) // 3 % 2
    tables = np.array([fairness.cell_counts(p, A, Y) for p in P])
    own = tables[:, 1].sum(axis=-1) if notion == "demographic_parity" else tables[:, 0, :, 0] + tables[:, 1, :, 1]
    rates = own / tables.sum(axis=(1, 3))
    game = FairnessGame.from_gaps(fairness.error(tables), rates[:, 1:] - rates[:, :1], 0.05)
    # Part 2, the costs: a gap is kappa plus the sum of u over the accepted.
    n = tables[0].sum(axis=0)
    sign = np.ones(60) if notion == "demographic_parity" else np.where(Y == 1, 1.0, -1.0)
    u = np.array([sign * ((A == a) / n[a].sum() - (A == 0) / n[0].sum()) for a in (1, 2)])
    kappa = np.zeros(2) if notion == "demographic_parity" else n[1:, 0] / n[1:].sum(axis=1) - n[0, 0] / n[0].sum()
    np.testing.assert_allclose(game.gaps, kappa + P @ u.T, atol=1e-12)
    for lam in rng.exponential(size=(5, 4)):
        w = game.signed(lam)
        accept = (Y != 1) + 60 * w @ u
        mean = (P * accept + (1 - P) * (Y != 0)).mean(axis=1)
        np.testing.assert_allclose(mean, game.losses(lam) + 0.05 * lam.sum() - w @ kappa, atol=1e-12)
    best = game.fair_erm()
    for Q in (best.Q, rng.dirichlet(np.ones(22))):
        counts = fairness.cell_counts(Q @ P, A, Y)
        assert game.violation(Q) == pytest.approx(fairness.violation(counts, notion, "anchor"))
        assert game.error(Q) == pytest.approx(fairness.error(counts))
    for rounds in (10, 300):
        run = exponentiated_gradient(game, 4.0, rounds=rounds)
        assert run.error <= best.value + 2 * run.gap + 1e-9
        assert run.violation <= 0.05 + (best.value - run.error + 2 * run.gap) / 4.0 + 1e-9 or run.violation <= 0.05
    assert game.with_gamma(0.2).fair_erm().value <= best.value
    assert game.restricted(np.flatnonzero(best.Q > 0)).fair_erm().value <= best.value + 1e-9


def test_the_same_gaps_make_the_same_game_and_people_are_missed_by_name():
    game, _ = drawn(2, gamma=[0.0, 0.1])
    bare = FairnessGame.from_gaps(game.errors, game.gaps, game.gamma)
    assert np.allclose(bare.fair_erm().value, game.fair_erm().value) and np.allclose(bare.value(2.0), game.value(2.0))
    with pytest.raises(ValueError, match=r"game=FairnessGame\(14 classifiers, 4 gaps\): was made from gaps, and has no n_groups"):
        _ = bare.n_groups
    assert not hasattr(bare, "n") and getattr(bare, "rates", None) is None and hasattr(game, "n")
    for call in (bare.with_constants, lambda: bare.costs(np.zeros(8)), lambda: bare.cell_costs(np.zeros(8))):
        with pytest.raises(ValueError, match="was made from gaps"):
            call()
    assert not hasattr(bare, "no_such_name")


# ------------------------------------------------------------------------------------------------------------- solutions

def by_scipy(game, gamma):
    D = game.gaps.shape[1]
    found = linprog(game.errors, A_ub=np.vstack([game.gaps.T, -game.gaps.T]), b_ub=np.full(2 * D, gamma),
                    A_eq=np.ones((1, game.n_classifiers)), b_eq=[1], bounds=(0, 1))
    return found.fun if found.status == 0 else None


@pytest.mark.parametrize("seed", range(6))
def test_fair_erm_is_the_linear_program_and_its_multipliers_prove_it(seed):
    game, _ = drawn(seed, k=2 + seed % 3, gamma=[0.0, 0.02, 0.1, 0.5])
    best = game.fair_erm()
    for i, gamma in enumerate(game.gamma):
        assert best.value[i] == pytest.approx(by_scipy(game, gamma), abs=1e-8)
    assert (game.violation(best.Q) <= game.gamma + 1e-8).all() and np.allclose(game.error(best.Q), best.value, atol=1e-9)
    assert (best.lam >= 0).all() and (np.abs(best.gap) < 1e-8).all()
    assert np.allclose(game.losses(best.lam).min(axis=-1), best.value, atol=1e-8)           # weak duality, tight
    assert ((best.Q > 1e-12).sum(axis=1) <= game.gaps.shape[1] + 1).all()                    # a vertex


def test_a_class_too_large_for_one_program_gets_the_same_answer_from_few_columns():
    rng = np.random.default_rng(0)
    n = np.array([[50, 30], [40, 20]])
    game = FairnessGame.from_counts(rng.binomial(n, 0.5, (5000, 2, 2)), n, [0.0, 0.02, 0.1])
    best = game.fair_erm()
    assert np.allclose(best.value, [by_scipy(game, g) for g in game.gamma], atol=1e-8)
    assert (game.violation(best.Q) <= game.gamma + 1e-8).all()


@pytest.mark.parametrize("seed", [11, 20, 21])
def test_the_value_rises_to_the_fair_optimum_and_is_reached_from_the_sum_of_its_multipliers_on(seed):
    """All parts of the theorem on the value: minimax in the next test; here B*, concavity, what a constant does to B*, infeasibility."""
    game, (P, A, Y) = drawn(seed, k=2 + seed % 3, gamma=0.05)
    best = game.fair_erm()
    enough = best.lam.sum()
    Bs = enough * np.array([0.2, 0.5, 0.9, 1.0, 1.5, 40.0])
    values = np.array([game.value(B) for B in Bs])
    assert (np.diff(values) >= -1e-10).all() and (values[:3] < best.value - 1e-6).all() and np.allclose(values[3:], best.value, atol=1e-8)

    even = np.array([game.value(B) for B in enough * np.linspace(0.1, 1.5, 15)])
    assert (np.diff(even, 2) <= 1e-9).all() and np.diff(even, 2).min() < -1e-6              # concave, and bends

    for gamma in (0.02, 0.1, 0.3):
        both = game.with_gamma(gamma)
        best, constants = both.fair_erm(), both.errors[np.abs(both.gaps).max(axis=1) == 0]
        assert len(constants) == 2 and best.lam.sum() <= (constants.min() - best.value) / gamma + 1e-8 <= 0.5 / gamma + 1e-8
        for c in (0, 1):                                                    # one of them
            one = FairnessGame(np.vstack([P[:12], np.full((1, 40), c)]), A, Y, gamma)
            best = one.fair_erm()
            assert best.lam.sum() <= (one.errors[-1] - best.value) / gamma + 1e-8

    unfair = game.restricted(np.argsort(-np.abs(game.gaps).max(axis=1))[:2]).with_gamma(0.01)
    worst = np.abs(np.linspace(0, 1, 10_001)[:, None] * (unfair.gaps[0] - unfair.gaps[1]) + unfair.gaps[1]).max(axis=1).min() - 0.01
    assert worst > 0.02 and all(unfair.value(B) >= B * (worst - 1e-3) for B in (1.0, 100.0, 1e4))


def test_one_constant_may_need_a_price_above_that_of_both():
    """Part 4 of the theorem on the value: 1/(2 gamma) is for both constants. This "accept everybody" errs on nine in ten: B* is 4.05."""
    unfair, accept, n = [[18, 10], [0, 10]], [[90, 10], [90, 10]], [[90, 10], [90, 10]]
    one = FairnessGame.from_counts([unfair, accept], n, gamma=0.15)
    best = one.fair_erm()
    enough = best.lam.sum()
    assert enough == pytest.approx(0.81 / 0.2) and 1 / (2 * 0.15) < enough <= (one.errors[1] - best.value) / 0.15 + 1e-8
    assert one.value(4.0) < best.value - 1e-3 and one.with_constants().fair_erm().lam.sum() <= 1 / (2 * 0.15)


def test_the_sum_of_the_multipliers_that_are_returned_need_not_be_the_least():
    """One classifier and both constants at gamma = 0: a ninth is B*, and what proves the optimum may have a larger sum."""
    game = FairnessGame.from_counts([[[1, 0], [1, 3]]], [[3, 1], [2, 3]], gamma=0.0).with_constants()
    best = game.fair_erm()
    assert best.gap == pytest.approx(0, abs=1e-9) and best.lam.sum() >= 1 / 9 - 1e-6
    assert game.value(1 / 9) == pytest.approx(best.value) and game.value(0.99 / 9) < best.value - 1e-5


def test_the_prices_of_chapter_8_are_the_least_that_are_needed():
    """Of all thresholds on the score of Communities: just below the sum of the multipliers the game's value is below the optimum."""
    people = load("communities")
    rows = threshold_labelings(base_classifier(people).decision_function(people.X))
    game = FairnessGame(rows, people.A, people.Y, [0.0, 0.02, 0.05, 0.1, 0.15, 0.2])
    best = game.fair_erm()
    enough = best.lam.sum(axis=1)
    assert enough == pytest.approx([0.8768] * 5 + [0.0306], abs=1e-4)
    assert (game.value(0.99 * enough) < best.value - 1e-6).all() and game.value(enough) == pytest.approx(best.value, abs=1e-8)


@pytest.mark.parametrize("B", [0.1, 1.0, 7.0])
def test_an_equilibrium_has_no_gap_and_min_max_is_max_min(B):
    game, _ = drawn(12, gamma=[0.0, 0.05])
    at = game.equilibrium(B)
    assert (game.equilibrium_gap(at.Q, at.lam, B) < 1e-8).all()
    worst = game.error(at.Q) + B * np.maximum(game.constraint_values(at.Q).max(axis=-1), 0)    # primal: the auditor moves second
    assert np.allclose(worst, at.value) and np.allclose(game.losses(at.lam).min(axis=-1), at.value)    # dual: the learner does


def test_the_gap_is_what_a_better_move_would_gain():
    game, _ = drawn(13, gamma=0.05)
    rng, B = np.random.default_rng(0), 3.0
    corners = np.vstack([np.zeros(8), B * np.eye(8)])
    for _ in range(20):
        Q, lam = rng.dirichlet(np.ones(game.n_classifiers)), B * rng.dirichlet(np.ones(9))[:8]
        now = game.lagrangian(Q, lam)
        auditor = max(game.lagrangian(Q, corner) for corner in corners) - now
        learner = now - min(game.lagrangian(q, lam) for q in np.eye(game.n_classifiers))
        assert game.regrets(Q, lam, B) == pytest.approx((auditor, learner))
        assert game.equilibrium_gap(Q, lam, B) == max(game.regrets(Q, lam, B))


def test_without_lambda_at_least_0_it_is_another_game():
    """The main text's Lambda: signed multipliers punish a gap strictly inside the tolerance, so the value exceeds by B gamma."""
    game = FairnessGame([[0] * 4, [1] * 4], A=[0, 0, 1, 1], Y=[0, 1, 0, 1], gamma=0.06)
    assert game.value(5.0) == pytest.approx(0.5) and game.value(5.0, as_printed=True) == pytest.approx(0.5 + 5 * 0.06)
    game, _ = drawn(14, gamma=0.06)
    at = game.equilibrium(2.0, as_printed=True)
    signs = np.array(list(itertools.product((-2.0, 2.0), range(8))))
    corners = np.zeros((16, 8))
    corners[np.arange(16), signs[:, 1].astype(int)] = signs[:, 0]
    payoff = game.errors[:, None] + game.constraint_values(np.eye(game.n_classifiers)) @ corners.T
    assert (at.Q @ payoff).max() == pytest.approx(at.value)                                             # auditor's best
    w = at.lam[0::2] - at.lam[1::2]
    assert np.abs(at.lam).sum() == pytest.approx(2.0)
    assert (game.errors + game.gaps @ w - 0.06 * at.lam.sum()).min() == pytest.approx(at.value)         # learner's best
    assert at.value > game.value(2.0) + 0.05


def test_one_classifier_stays_unfair_whatever_the_price():
    """Theorem 3.6 without feasibility: H = {h} with violation 1/2."""
    game = FairnessGame.from_counts([[[1, 2], [0, 2]]], [[2, 2], [2, 2]], gamma=0.1)
    assert all(game.violation(game.equilibrium(B).Q) == 0.5 for B in (1, 10, 1e3, 1e6))
    with pytest.raises(ValueError, match=r"gamma=0.1: no mixture of these 1 classifiers .* violation is 0.5.*with_constants"):
        game.fair_erm()
    assert game.with_constants().fair_erm().value <= 0.5
    play = exponentiated_gradient(game, 10.0, rounds=50)
    assert play.gap < 2 and play.violation == 0.5 > game.gamma


def test_infeasible_large_classes_say_so_too():
    n = np.array([[10, 10], [10, 10]])
    n_pos = np.random.default_rng(0).integers(3, 6, (3000, 2, 2))
    n_pos[:, 0, 0] = 0
    with pytest.raises(ValueError, match=r"gamma=0.05: no mixture .* violation is 0.3"):
        FairnessGame.from_counts(n_pos, n, 0.05).fair_erm()


def test_bad_games_are_refused():
    with pytest.raises(ValueError, match=r"^A=1: the cell \(a=1, y=1\) holds nobody"):
        FairnessGame([[0, 1, 1]], A=[0, 0, 1], Y=[0, 1, 0], gamma=0.1)
    FairnessGame([[0, 1, 1]], A=[0, 0, 1], Y=[0, 1, 0], gamma=0.1, constraints=("FP",))       # nobody asks about that cell
    with pytest.raises(ValueError, match=r"^game=.*: was made from gaps, .*; of other notions than those there is no private play"):
        dp_oracle_learner(FairnessGame.from_gaps([0.1, 0.2], [[0.1], [0.0]], 0.1), 1.0, 1e-6, 2.0, np.random.default_rng(0))
    for B in (-2.0, 1e10):
        with pytest.raises(ValueError, match=r"^B=-?[0-9.]+: outside \(0, 1e\+09\]"):
            hedge([0.0], B)
    with pytest.raises(ValueError, match="A=0: is the largest code"):
        FairnessGame([[0, 1]], A=[0, 0], Y=[0, 1], gamma=0.1)
    with pytest.raises(ValueError, match=r"lam=9\.0: is a sum of multipliers above B=5"):
        drawn(1)[0].regrets(np.eye(14)[0], np.full(8, 9 / 8), B=5)


def test_ten_people():
    """By hand: the mixture of thresholds with no gap, and the multipliers that prove it."""
    ten = load("ten_people")
    game = FairnessGame(threshold_labelings(ten.X[:, 0]), ten.A, ten.Y, 0.0)
    best = game.fair_erm()
    assert best.value == pytest.approx(by_scipy(game, 0.0)) and game.violation(best.Q) < 1e-9


# --- deliberate faults

def gamma_forgotten(f):
    return lambda self, gaps: f(self, gaps) + self.gamma[..., None]


def last_row_as_printed(f):
    """TP_a - TP_a - gamma."""
    def values(self, gaps):
        r = f(self, gaps)
        r[..., -1] = -self.gamma
        return r
    return values


def value_as_printed(f):
    return lambda self, B, *, as_printed=False: f(self, B, as_printed=True)


def costs_without_the_anchor(f):
    def cell_costs(self, lam):
        costs = f(self, lam)
        costs[..., 1, 0, :] = [1.0, 0.0]
        return costs
    return cell_costs


def dearest_answer(f):
    return lambda self, lam: (self.losses(lam)).argmax(axis=-1)


def gap_of_the_learner(f):
    return lambda self, Q, lam, B: self.regrets(Q, lam, B)[1]


def halved_gaps(f):
    return staticmethod(lambda errors, gaps, gamma: f(errors, np.asarray(gaps) / 2, gamma))


FAULTS = {
    "constraints_without_gamma": Mutant("dpfair_teach.games.game.FairnessGame._values", gamma_forgotten, "the tolerance is left out"),
    "constraints_last_row_as_printed": Mutant(
        "dpfair_teach.games.game.FairnessGame._values", last_row_as_printed, "TP_a - TP_a in the last row"),
    "fair_erm_five_percent_up": Mutant(
        "dpfair_teach.games.programs.solve_fair_erm", changed(value=lambda x: 1.05 * x), "a value that no mixture has"),
    "prices_a_tenth_more": Mutant(
        "dpfair_teach.games.programs.solve_fair_erm", changed(lam=lambda x: 1.1 * x), "a tenth more than the least prices"),
    "game_value_of_the_root_of_the_price": Mutant(
        "dpfair_teach.games.game.FairnessGame.value", lambda f: lambda self, B, **kw: f(self, np.sqrt(B), **kw),
        "the root of B is charged"),
    "game_value_with_signs": Mutant("dpfair_teach.games.game.FairnessGame.value", value_as_printed, "multipliers may be negative"),
    "costs_without_the_anchor": Mutant(
        "dpfair_teach.games.game.FairnessGame.cell_costs", costs_without_the_anchor, "group 0 pays for no gap"),
    "best_answer_is_the_dearest": Mutant(
        "dpfair_teach.games.game.FairnessGame.best_response", dearest_answer, "the largest cost, not the least"),
    "gaps_of_notions_halved": Mutant("dpfair_teach.games.game.FairnessGame.from_gaps", halved_gaps, "every gap counts half"),
    "gap_of_the_learner_alone": Mutant(
        "dpfair_teach.games.game.FairnessGame.equilibrium_gap", gap_of_the_learner, "the auditor is not asked"),
}


@pytest.mark.parametrize("k", [2, 5])
def test_many_people_are_counted_classifier_by_classifier_with_the_same_counts(monkeypatch, k):
    """From 30,000 people on: the table is the product of matrices' to the bit, for classifiers that are held as any whole numbers."""
    rng = np.random.default_rng(k)
    predictions, A, Y = rng.integers(0, 2, (4, 40_000)), rng.integers(0, k, 40_000), rng.integers(0, 2, 40_000)
    quick = [FairnessGame(predictions.astype(kind), A, Y, 0.1) for kind in (int, bool, np.int8, np.uint8)]
    monkeypatch.setattr("dpfair_teach.games.table._MANY", 10**9)
    slow = FairnessGame(predictions, A, Y, 0.1)
    for game in quick:
        assert np.array_equal(game.errors, slow.errors) and np.array_equal(game.gaps, slow.gaps)
        assert np.array_equal(game.constraint_values([0.1, 0.2, 0.3, 0.4]), slow.constraint_values([0.1, 0.2, 0.3, 0.4]))
