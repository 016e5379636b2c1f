"""Theorem 3.8 and what is sharper: random and worst equilibria of games with the group indicators, exactly."""
from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_teach import audit, games, mechanisms
from dpfair_teach.games import FairnessGame
from faults import Mutant, changed, scaled, with_arguments


def random_people(rng, k):
    """A, Y with somebody of label 0 in each group."""
    m = int(rng.integers(2 * k, 40))
    A = np.concatenate([np.arange(k), rng.integers(0, k, m - k)])
    Y = np.concatenate([np.zeros(k, int), rng.integers(0, 2, m - k)])
    return A, Y


def aware_game(rng, k, gamma, n_own=3):
    """Some classifiers of any kind and, by Assumption 3.4, the indicators; false positives only."""
    A, Y = random_people(rng, k)
    own = np.vstack([rng.integers(0, 2, (n_own, len(A))), Y ^ (rng.random(len(A)) < 0.1)])
    return FairnessGame(np.vstack([own, games.group_indicators(A, k)]), A, Y, gamma, constraints=("FP",))


def mixed(rng, n, size):
    return rng.dirichlet(np.full(n, rng.choice([0.2, 1.0])), size)


def types_of(k):
    """(2k, k): whom the indicators accept."""
    return np.vstack([np.eye(k), 1 - np.eye(k)])


def unfair_as_possible(game, lam, B, nu):
    """The largest gap minus gamma of a Q such that (Q, lam) is a nu-approximate equilibrium, by one linear program a constraint."""
    H, K = game.n_classifiers, game.n_constraints
    values = np.array([game.constraint_values(row) for row in np.eye(H)])       # (H, K)
    payoff = game.losses(lam)
    rows = [payoff] + [game.errors + B * values[:, j] - payoff for j in range(K)] + [game.errors - payoff]
    limits = [payoff.min() + nu] + [nu] * (K + 1)
    worst = -np.inf
    for j in range(K):
        found = linprog(-values[:, j], A_ub=rows, b_ub=limits, A_eq=np.ones((1, H)), b_eq=[1])
        if found.status == 0:
            worst = max(worst, -found.fun)
    return worst


def hardest(k, gamma, v=0.002, people=10 ** 9):
    """A game in which it pays to violate up to a price near least_bound: h errs on nearly nobody, every repair on many."""
    up, down = range(1, 1 + k // 2), range(1 + k // 2, k)
    gap = np.array([0.0] + [gamma + v] * len(up) + [-gamma - v] * len(down))
    n = np.ones((k, 2))
    for a in up:
        n[a, 1] = people / len(up)
    for b in down:
        n[b, 0] = people / len(down)
    h = np.stack([gap - gap.min(), np.ones(k)], axis=1) * n
    return FairnessGame.from_counts(np.concatenate([[h], types_of(k)[:, :, None] * n]), n, gamma, constraints=("FP",))


def bound_of_all(k, gamma):
    return ((games.least_bound(k, gamma), False), (games.least_bound(k, gamma, as_printed=True), True))


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 4])
def test_theorem_3_8_holds_for_every_approximate_equilibrium(k):
    """thm-3-8, printed and sharper: any (Q, lambda) is a nu-approximate equilibrium for its own nu."""
    rng, seen = np.random.default_rng(38 + k), 0
    for gamma in (0.0, 0.05, 0.2):
        for _ in range(25):
            game = aware_game(rng, k, gamma)
            best = game.fair_erm()
            for least, as_printed in bound_of_all(k, gamma):
                for B in (1.02 * least + 0.01, float(k), 2.0 * k):
                    if B <= least:
                        continue
                    Q = mixed(rng, game.n_classifiers, 4)
                    lam = mixed(rng, game.n_constraints + 1, 4)[:, :-1] * B
                    for q, price in zip([*Q, best.Q], [*lam, np.minimum(best.lam, B / game.n_constraints)], strict=True):
                        nu = game.equilibrium_gap(q, price, B)
                        said = games.theorem_3_8(nu, gamma, B, k, as_printed=as_printed)
                        assert game.violation(q) <= said.violation + 1e-9
                        assert game.error(q) <= best.value + said.error + 1e-9
                        seen += said.violation < 1
    assert seen > 50                                                            # and the bound says something
    tight, B = hardest(k, 0.05, 0.1 if k == 2 else 0.02), 1.2 * games.least_bound(k, 0.05)     # and here more than 2 nu / B
    worst = unfair_as_possible(tight, tight.equilibrium(B).lam, B, 0.01)
    assert 1.9 * 0.02 / B < worst <= games.theorem_3_8(0.01, 0.05, B, k).violation - 0.05 + 1e-7


@pytest.mark.parametrize("k", [2, pytest.param(3, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)])
def test_no_equilibrium_is_less_fair_than_promised(k):
    """The most unfair Q for the auditor's best and for other multipliers, nu = 0 and above."""
    rng, close = np.random.default_rng(138), 0.0
    for gamma in (0.02, 0.2):
        for game in (*(aware_game(rng, k, gamma) for _ in range(3)), hardest(k, gamma, 0.1)):
            for B in (1.05 * games.least_bound(k, gamma), float(k)):
                prices = [game.equilibrium(B).lam, *(mixed(rng, game.n_constraints + 1, 2)[:, :-1] * B)]
                for lam, nu in itertools.product(prices, (0.0, 0.01, 0.05)):
                    worst = unfair_as_possible(game, lam, B, nu)
                    allowed = games.theorem_3_8(nu, gamma, B, k).violation - gamma
                    assert worst <= allowed + 1e-7
                    close = max(close, worst / allowed if nu else 0.0)
    assert close > 0.4


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("gamma", [0.0, 0.05, 0.2, 0.45])
def test_no_smaller_price_would_do(k, gamma):
    """Just below least_bound the exact equilibrium violates; from there on it does not (no nu: the game is solved)."""
    game, least = hardest(k, gamma), games.least_bound(k, gamma)
    fair = game.fair_erm()
    assert fair.lam.sum() == pytest.approx(least, rel=0.01)                     # the price that the constraints are worth
    assert game.violation(game.equilibrium(0.97 * least).Q) > gamma + 1e-3
    assert game.violation(game.equilibrium(1.01 * least).Q) <= gamma + 1e-7
    assert game.value(1.01 * least) == pytest.approx(fair.value) and game.value(0.97 * least) < fair.value - 1e-6


def test_the_price_of_many_groups_is_half_of_the_printed_one_and_never_above_the_blind_one():
    for k, gamma in itertools.product(range(2, 12), (0.0, 0.01, 0.1, 0.4, 0.5)):
        least = games.least_bound(k, gamma)
        assert least <= games.least_bound(k, gamma, as_printed=True) == k - 1
        assert gamma == 0 or least <= 1 / (2 * gamma) + 1e-12
        assert least == pytest.approx(1 / (1 + gamma) if k == 2 else (k + 1) / (2 + 2 * (k - 1) * gamma))
        assert k > 2 or least >= 1 - gamma                                      # two groups: only a little less than 1


REPAIRS = {False: "fair_mixture", True: "fair_mixture_as_printed"}


@pytest.mark.parametrize("as_printed", REPAIRS)
def test_a_mixture_is_made_fair_at_the_price_that_is_said(as_printed):
    """Both repairs on rates of all kinds, corners among them: gamma-fair, and no (group, label) errs more than the price."""
    rng = np.random.default_rng(8)
    for case in range(3000):
        k, gamma = int(rng.integers(2, 8)), rng.choice([0.0, 0.03, 0.2, 0.45])
        fp = rng.random(k) if case % 3 else np.append(0.5, 0.5 + rng.choice([-1, 0, 1], k - 1) * rng.choice([0.1, 0.3, 0.5], k - 1))
        if case % 7 == 0:
            fp = fp.round(1)
        weights, price = getattr(games, REPAIRS[as_printed])(fp, gamma)
        assert weights.sum() == pytest.approx(1) and weights.min() >= -1e-12
        rates = weights @ np.vstack([fp, types_of(k)])
        assert np.abs(rates - rates[0]).max() <= gamma + 1e-9
        added, accepts = weights[1:] / weights[0], types_of(k)
        assert max((added @ accepts).max(), (added @ (1 - accepts)).max()) <= price + 1e-9       # labels 0, labels 1
        violation = max(0.0, np.abs(fp - fp[0]).max() - gamma)
        assert price <= violation * games.least_bound(k, gamma, as_printed=as_printed) + 1e-9
        if violation == 0:
            assert weights[0] == 1
    assert games.fair_mixture([0.2, 0.5], 0.1)[0][-1] == pytest.approx(0.2 / 1.1 / (1 + 0.2 / 1.1))


def test_group_0_is_moved_as_far_as_the_others_are_together():
    rng, inside = np.random.default_rng(9), 0
    for _ in range(500):
        gap, limit = rng.uniform(-1, 1, int(rng.integers(1, 6))), rng.choice([0.0, 0.1, 0.3])
        most = max(0.0, np.abs(gap).max() - limit)
        t = games.aware.anchor_move(gap, limit, most)
        raised, lowered = np.maximum(t - gap - limit, 0).sum(), np.maximum(gap - t - limit, 0).sum()
        assert abs(t) <= most and games.aware.anchor_move(-gap, limit, most) == -t
        if abs(t) < most:
            assert raised - lowered == pytest.approx(t, abs=1e-12)
            inside += t != 0
        else:
            assert (lowered - raised) * np.sign(t) >= -most - 1e-12
    assert inside > 50


def test_gaps_are_signed_and_the_furthest_says_how_much_too_far():
    gap, v = games.aware.false_positive_gaps([0.5, 0.25, 1.0], 0.125)
    assert gap.tolist() == [0, -0.25, 0.5] and v == 0.375 and games.aware.false_positive_gaps([0.5, 0.25], 0.5)[1] == 0


def test_two_groups_are_mixed_exactly_to_gamma():
    """gap J29: the printed mixture overshoots, the sharper one ends at gamma."""
    for fp, gamma in (([0.1, 0.7], 0.2), ([0.9, 0.3], 0.05)):
        gaps = []
        for repair in (games.fair_mixture_as_printed, games.fair_mixture):
            rates = repair(fp, gamma)[0] @ np.vstack([fp, types_of(2)])
            gaps.append(abs(rates[1] - rates[0]))
        assert gaps[0] < gamma - 1e-3 and gaps[1] == pytest.approx(gamma)


def test_corollary_3_8_1_is_the_theorem_at_b_equal_to_k():
    for k in (2, 3, 6):
        printed, ours = (games.theorem_3_8(0.01, 0.05, k, k, as_printed=as_printed) for as_printed in (True, False))
        assert printed.error == ours.error == 0.02
        assert printed.violation == pytest.approx(0.05 + 2 * 0.01)
        assert ours.violation == pytest.approx(0.05 + 0.02 / (k - games.least_bound(k, 0.05)))


def test_where_nu_grows_with_b_a_larger_b_is_fairer():
    """gap J29: with nu = c B the printed bounds at B = k and 2k add 2ck and 4ck/(k+1) to gamma, for twice the error term."""
    c, gamma = 0.001, 0.05
    for k in (2, 3, 5):
        once, twice = (games.theorem_3_8(c * B, gamma, B, k, as_printed=True) for B in (k, 2 * k))
        assert once.violation - gamma == pytest.approx(2 * c * k)
        assert twice.violation - gamma == pytest.approx(4 * c * k / (k + 1)) and twice.error == pytest.approx(2 * once.error)


def test_the_price_is_a_slope():
    """sec-price-is-slope: the least fair error falls no faster than least_bound as the tolerance grows; the multipliers are it."""
    rng, steps = np.random.default_rng(12), np.array([0.0, 0.01, 0.03, 0.1, 0.3])
    for k in (2, 3, 4):
        for _ in range(10):
            best = aware_game(rng, k, steps).fair_erm()
            slope = -np.diff(best.value) / np.diff(steps)
            assert (slope <= [games.least_bound(k, gamma) + 1e-7 for gamma in steps[:-1]]).all()
            assert (slope <= best.lam.sum(axis=-1)[:-1] + 1e-7).all() and (slope >= best.lam.sum(axis=-1)[1:] - 1e-7).all()


def test_program_6_asks_about_false_positives_only():
    """prog-6: 2(k - 1) constraints, (FP, +) and (FP, -) of each group; true positives may differ as they like."""
    rng = np.random.default_rng(6)
    for k in (2, 3, 4):
        game = aware_game(rng, k, 0.1)
        assert game.n_constraints == 2 * (k - 1) and game.constraints == ("FP",)
        Q = mixed(rng, game.n_classifiers, 1)[0]
        fp = Q @ game.rates[..., 0]
        wanted = np.stack([fp[1:] - fp[0], fp[0] - fp[1:]], axis=1).ravel() - 0.1
        assert game.constraint_values(Q) == pytest.approx(wanted)
        both = game.fair_erm().value
        again = linprog(game.errors, A_ub=np.vstack([game.gaps.T, -game.gaps.T]), b_ub=np.full(2 * (k - 1), 0.1),
                        A_eq=np.ones((1, game.n_classifiers)), b_eq=[1])
        assert both == pytest.approx(again.fun)


def test_the_indicators_are_the_groups():
    """asm-3-4: each accepts one group or all others; their false positive rates are 0 and 1, their gaps what the proof says."""
    A, Y = np.array([0, 1, 2, 2, 1, 0]), np.array([0, 0, 0, 1, 1, 1])
    said = games.group_indicators(A)
    assert said.shape == (6, 6) and (said[:3] + said[3:] == 1).all() and (said[:3].argmax(axis=0) == A).all()
    game = FairnessGame(said, A, Y, 0.1, constraints=("FP",))
    assert game.gaps.tolist() == [[-1, -1], [1, 0], [0, 1], [1, 1], [-1, 0], [0, -1]]
    with pytest.raises(ValueError, match="A=2: a code above n_groups - 1 = 1"):
        games.group_indicators(A, 2)


def test_a_private_learner_may_choose_a_name_and_not_a_labeling():
    """rem-4-2: over the list H the exponential mechanism is epsilon-private for A-aware classifiers; over H(S) it publishes A."""
    rng = np.random.default_rng(42)
    x, Y, epsilon, B = rng.random(6), np.array([0, 0, 0, 0, 1, 1]), 0.5, 1.0
    cuts = np.array(list(itertools.product((0.2, 0.5, 0.8), repeat=2)))
    by_group = (x >= cuts[:, :, None]).astype(float)                            # (9, 2, 6)
    lam, m, least, neighbours = np.array([B, 0.0]), 6, 1, []
    for A in map(np.array, itertools.product((0, 1), repeat=m)):
        near = [A ^ row for row in np.eye(m, dtype=int)]
        neighbours += [(A, other) for other in near if 0 < A[:4].sum() < 4 and 0 < other[:4].sum() < 4]

    def rows_and_losses(A):
        rows = games.aware_predictions(by_group, A)
        return rows, FairnessGame(rows, A, Y, 0.1, constraints=("FP",)).losses(lam)
    pairs = [(rows_and_losses(A), rows_and_losses(other)) for A, other in neighbours]
    sensitivity = max(np.abs(here[1] - there[1]).max() for here, there in pairs)
    assert 0.5 < sensitivity <= max(2 * B / (least + 1), B / (least + 1) + 1 / m) + 1e-12
    laws = [[mechanisms.exponential_probabilities(loss, sensitivity, epsilon) for _, loss in pair] for pair in pairs]
    worst = max(audit.exact_epsilon(*pair) for pair in laws)
    assert 0.3 * epsilon <= worst <= epsilon + 1e-12
    gave_away = sum(set(map(tuple, here[0])) != set(map(tuple, there[0])) for here, there in pairs)
    assert gave_away > 100                                                      # labelings that only one of two neighbours can show


def test_six_people_and_a_list_of_functions_move_by_five_sixths_unless_a_cell_gets_empty():
    """All groups, all changes of one: the vertices of the multipliers suffice, as the largest change is convex in them."""
    x, Y = np.array([0.1, 0.3, 0.6, 0.9, 0.4, 0.7]), np.array([0, 0, 0, 0, 1, 1])
    by_group = (x >= np.array(list(itertools.product((0.2, 0.5, 0.8), repeat=2)))[:, :, None]).astype(float)
    worst = {True: 0.0, False: 0.0}
    for A, j in itertools.product(itertools.product((0, 1), repeat=6), range(6)):
        pair = [np.array(A), np.array(A)]
        pair[1][j] = 1 - A[j]
        games_of_pair = [FairnessGame(games.aware_predictions(by_group, a), a, Y, 0.1, ("FP",), n_groups=2, empty="zero") for a in pair]
        empty = min(g.n[:, 0].min() for g in games_of_pair) < 1
        for lam in ([1.0, 0.0], [0.0, 1.0], [0.0, 0.0]):
            one, other = (g.losses(lam) for g in games_of_pair)
            worst[empty] = max(worst[empty], float(np.abs(one - other).max()))
    assert worst[False] == pytest.approx(5 / 6) and worst[True] == pytest.approx(1.25)


@pytest.mark.parametrize("k, N", [(2, 1), (2, 3), (3, 2), (4, 2)])
def test_what_one_group_moves_where_classifiers_see_it(k, N):
    """From below: everybody who may leave a cell of N+1 for one of N, accepted there and here or not, among any number of accepted people.
    From above: random functions of (x, a), all groups, all changes. Large prices and small ones, for which the error matters more."""
    m, worst = 2 * k * N + 1, np.zeros(5)
    prices = (0.01, 0.1, 5.0)
    for y, (a, b), here, there in itertools.product((0, 1), itertools.permutations(range(min(k, 3)), 2), (0, 1), (0, 1)):
        for left, met in itertools.product(range(here, N + here + 1), range(N + 1)):
            d = np.zeros(k)
            d[a], d[b] = (left - here) / N - left / (N + 1), (met + there) / (N + 1) - met / N
            gaps, error = d[1:] - d[0], ((there != y) - int(here != y)) / m
            moved = [2 * np.abs(gaps).sum(), np.abs(d).sum(), *(max(np.abs(error + B * gaps).max(), np.abs(error - B * gaps).max())
                                                                for B in prices)]
            worst = np.maximum(worst, moved)
    said = [games.aware_sensitivities(N, k, B, m) for B in prices]
    assert worst == pytest.approx([said[0].auditor, said[0].rates] + [s.learner for s in said], rel=1e-12)
    for B, s in zip(prices, said, strict=True):
        assert s.learner == pytest.approx(max(2 * B / (N + 1), B / (N + 1) + 1 / m))

    rng = np.random.default_rng(10 * k + N)
    by_group, Y = rng.integers(0, 2, (60, k, m)).astype(float), np.arange(m) % 2
    compared = 0
    for _ in range(6):
        A = np.arange(m) // 2 % k
        A[Y == 0], A[Y == 1] = rng.permutation(A[Y == 0]), rng.permutation(A[Y == 1])
        for j, other in itertools.product(range(m), range(k)):
            pair = [A, np.where(np.arange(m) == j, other, A)]
            if min(np.bincount(2 * each + Y, minlength=2 * k).min() for each in pair) < N:
                continue
            one, two = (FairnessGame(games.aware_predictions(by_group, each), each, Y, 0.1) for each in pair)
            compared += 1
            for B, s in zip(prices, said, strict=True):
                lam = B * np.eye(one.n_constraints)[rng.integers(one.n_constraints)]
                assert np.abs(one.losses(lam) - two.losses(lam)).max() <= s.learner + 1e-12
    assert compared > 5


@pytest.mark.parametrize("call, words", [
    (lambda: games.theorem_3_8(0.1, 0.05, 2, 3, as_printed=True), r"B=2: not above \|A\| - 1 = 2.*Choose a larger B"),
    (lambda: games.theorem_3_8(0.1, 0.05, 0.95, 2), r"B=0.95: not above least_bound\(n_groups, gamma\) = 0.952381"),
    (lambda: games.theorem_3_8(-0.1, 0.05, 2, 2), "nu=-0.1"), (lambda: games.least_bound(1, 0.1), "n_groups=1"),
    (lambda: games.fair_mixture([0.3], 0.1), "fp=.*fewer than two groups"),
    (lambda: games.aware_predictions(np.zeros((1, 2, 3)), [0, 1]), r"by_group, A=\(3, 2\): different numbers"),
    (lambda: games.aware_predictions(np.zeros((1, 2, 2)), [0, 2]), r"by_group, A=\(2, 2\): by_group knows"),
    (lambda: games.fair_mixture([0.3, 1.2], 0.1), "fp=1.2")])
def test_b_too_small_and_other_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# --- deliberate faults

def gamma_left_out(f):
    def theorem_3_8(nu, gamma, B, n_groups, **kw):
        said = f(nu, gamma, B, n_groups, **kw)
        return dataclasses.replace(said, violation=said.violation - gamma)
    return theorem_3_8


def hats_for_bars(f):
    """Every repair with h_a, as the misprint reads."""
    def fair_mixture(fp, gamma):
        (weights, price), k = f(fp, gamma), len(fp)
        own, other = weights[1:k + 1], weights[k + 1:]
        return np.concatenate([weights[:1], own + other, 0 * other]), price
    return fair_mixture


def rows_of_one_group(f):
    return lambda by_group, A: f(by_group, 0 * np.asarray(A))


def constraints_reversed(f):
    return lambda self, Q: f(self, Q)[..., ::-1]


AWARE = "dpfair_teach.games.aware."
FAULTS = {
    "aware_bound_without_the_price": Mutant(AWARE + "theorem_3_8", lambda f: lambda nu, gamma, B, n_groups, as_printed=False: (
        dataclasses.replace(f(nu, gamma, B, n_groups, as_printed=as_printed), violation=gamma + 2 * nu / B)),
        "2 nu / B: nothing is lost to the price of a repair"),
    "aware_bound_without_nu": Mutant(AWARE + "theorem_3_8", with_arguments(nu=lambda _: 0.0), "gamma alone, and no error"),
    "aware_loss_without_a_changed_decision": Mutant(AWARE + "aware_sensitivities", lambda f: lambda N, k, B, m: (
        dataclasses.replace(f(N, k, B, m), learner=2 * B / (N + 1))), "2B / (N + 1), as if the error stayed"),
    "aware_loss_without_an_unchanged_decision": Mutant(AWARE + "aware_sensitivities", lambda f: lambda N, k, B, m: (
        dataclasses.replace(f(N, k, B, m), learner=B / (N + 1) + 1 / m)), "as if the decision always changed"),
    "aware_loss_without_the_error": Mutant(AWARE + "aware_sensitivities", with_arguments(m=lambda m: 10**15), "no 1/m"),
    "aware_loss_without_the_gap": Mutant(AWARE + "aware_sensitivities", lambda f: lambda N, k, B, m: (
        dataclasses.replace(f(N, k, B, m), learner=max(2 * B / (N + 1), 1 / m))), "a changed decision moves no gap"),
    "aware_bound_without_gamma": Mutant("dpfair_teach.games.theorem_3_8", gamma_left_out, "gamma left out"),
    "aware_error_nu_once": Mutant("dpfair_teach.games.theorem_3_8", changed(error=lambda x: x / 2), "nu once, not twice"),
    "aware_price_a_tenth_less": Mutant("dpfair_teach.games.least_bound", scaled(0.9), "nine tenths of the price"),
    "aware_price_a_tenth_more": Mutant("dpfair_teach.games.least_bound", scaled(1.1), "a tenth more than the price"),
    "aware_price_as_printed": Mutant(
        "dpfair_teach.games.least_bound", lambda f: lambda k, gamma, as_printed=False: f(k, gamma, as_printed=True), "|A| - 1"),
    "aware_hats_for_bars": Mutant("dpfair_teach.games.fair_mixture", hats_for_bars, "h_a in the place of hbar_a"),
    "aware_rows_of_one_group": Mutant("dpfair_teach.games.aware_predictions", rows_of_one_group, "everybody is taken for group 0"),
    "indicators_bars_first": Mutant(
        "dpfair_teach.games.group_indicators", lambda f: lambda A, n_groups=None: 1 - f(A, n_groups), "h_a and hbar_a exchanged"),
    "program_6_constraints_reversed": Mutant("dpfair_teach.games.FairnessGame.constraint_values", constraints_reversed, "the wrong order"),
}
