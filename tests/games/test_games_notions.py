"""Every notion of fairness in the game and for its private players: gaps counted by hand, and attacks on all neighbours of small data."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from test_games_least_price import farthest, law

from dpfair_teach import fairness, games
from dpfair_teach.fairness import NOTIONS, Parity
from dpfair_teach.games import (
    FairnessGame,
    FrozenPlayers,
    Play,
    PromisePlayers,
    dp_oracle_learner,
    dp_oracle_learner_as_printed,
    evaluate,
    exponentiated_gradient,
    regression_dp_oracle_learner,
)
from dpfair_teach.games.regression_private import evaluate_regression
from dpfair_teach.mechanisms.registry import Laplace
from dpfair_teach.oracles import RegressionOracle
from faults import Mutant, scaled
from plays import frozen, less_noise, promised, sizes_of

FORMS = [Parity(notion, against) for notion in NOTIONS for against in ("anchor", "pairs", "population")]
PRIVATE = [parity for parity in FORMS if parity.against != "population"] + [Parity("demographic_parity", anchor=1)]


def rate(notion, h, A, Y, a):
    """The rates of a notion in group a, or of everybody for None, by its definition."""
    who = np.ones(len(A), bool) if a is None else A == a
    return {"equalized_odds": [h[who & (Y == 0)].mean(), h[who & (Y == 1)].mean()], "false_positive": [h[who & (Y == 0)].mean()],
            "true_positive": [h[who & (Y == 1)].mean()], "demographic_parity": [h[who].mean()],
            "accuracy_parity": [np.where(Y == 1, h, 1 - h)[who].mean()]}[notion]


def by_hand(parity, h, A, Y):
    """The violation, group by group."""
    k = A.max() + 1
    against = {"anchor": [(a, parity.anchor) for a in range(k)], "pairs": list(itertools.combinations(range(k), 2)),
               "population": [(a, None) for a in range(k)]}[parity.against]
    return max(np.abs(np.subtract(rate(parity.notion, h, A, Y, a), rate(parity.notion, h, A, Y, b))).max() for a, b in against)


def people(k, m=300, seed=0):
    rng = np.random.default_rng(seed)
    A, x = np.arange(m) % k, rng.random(m)
    Y = (x + 0.2 * (A == k - 1) + 0.3 * rng.normal(size=m) > 0.5).astype(int)
    return np.array([x > t for t in np.linspace(0, 1, 9)]).astype(float), A, Y


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("parity", FORMS, ids=str)
def test_the_game_of_every_notion(parity, k):
    """Violation of each classifier and of fair mixtures, costs of each person against the payoff, and a play that approaches the value."""
    H, A, Y = people(k)
    game = FairnessGame(H, A, Y, 0.05, notion=parity, n_groups=k)
    for h, Q in zip(H, np.eye(len(H)), strict=True):
        assert game.violation(Q) == pytest.approx(by_hand(parity, h, A, Y), abs=1e-12)
        counts = fairness.cell_counts(h, A, Y)
        assert game.violation(Q) == pytest.approx(fairness.violation(counts, parity.notion, parity.against), abs=1e-12)
    counts = np.stack([fairness.cell_counts(h, A, Y) for h in H])
    np.testing.assert_allclose(game.constraint_values(np.eye(len(H))), parity.gaps(counts) - 0.05, atol=1e-12)
    best = game.with_constants().fair_erm()
    mixed = best.Q @ np.vstack([H, np.zeros(len(A)), np.ones(len(A))])
    assert by_hand(parity, mixed, A, Y) <= 0.05 + 1e-9
    lam = np.random.default_rng(1).random(game.n_constraints)
    reject, accept = game.costs(lam)
    np.testing.assert_allclose((H @ accept + (1 - H) @ reject) / len(A) - game.losses(lam),
                               ((H @ accept + (1 - H) @ reject) / len(A) - game.losses(lam))[0], atol=1e-12)
    play = exponentiated_gradient(game, 4.0, rounds=200)
    assert play.gap <= 4.0 * game.spread * np.sqrt(np.log(game.n_constraints + 1) / 400) + 1e-9
    assert play.violation == pytest.approx(by_hand(parity, H[play.chosen].mean(axis=0), A, Y), abs=1e-12)


@pytest.mark.parametrize("notion", NOTIONS)
def test_with_all_pairs_a_permutation_of_the_groups_permutes_nothing_else(notion):
    H, A, Y = people(4)
    values = [[FairnessGame(H, np.array(order)[A], Y, 0.03, notion=Parity(notion, against)).with_constants().fair_erm().value
               for order in itertools.permutations(range(4))] for against in ("pairs", "anchor")]
    assert np.ptp(values[0]) < 1e-9
    assert np.ptp(values[1]) > 1e-4 or notion == "accuracy_parity"


# ------------------------------------------------------------------------------------------------ the private players

Y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
H = np.array([[1, 1, 0, 0, 1, 0, 1, 1], [0, 1, 1, 0, 1, 1, 0, 1], [1, 0, 0, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 0, 1]])


def smallest(parity, k):
    """People in the smallest cell of the data and of all neighbours."""
    return min(FairnessGame(H, A, Y, 0.1, notion=parity, n_groups=k, empty="zero").table.sizes.min() for A, _ in worlds(k, "A"))


def worlds(k, protect):
    """(A, H) and all its neighbours: one person's group changes, or what is said of them too."""
    A = np.arange(8) % k
    yield A, H
    for i, a in itertools.product(range(8), range(k)):
        moved = np.where(np.arange(8) == i, a, A)
        for says in [H[:, i]] if protect == "A" else [H[:, i], 1 - H[:, i], 0, 1]:
            other = H.copy()
            other[:, i] = says
            yield moved, other


def player(kind, parity, A, says, k, protect, N, step=1.0):
    game = FairnessGame(says, A, Y, 0.1, notion=parity, n_groups=k, empty="zero")
    if kind == "N":
        return promised(game, step, N, protect)
    return frozen(game, step, np.arange(2.0, 2 + 2 * k).reshape(k, 2), protect)


@pytest.mark.slow
@pytest.mark.parametrize("protect", ["A", "X and A"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("parity", PRIVATE, ids=str)
def test_no_neighbour_moves_a_choice_by_more_than_the_step(parity, k, protect):
    """Exact laws of the learner's choice, at prices large and small, on one gap, on all, and in a circle; nearly attained somewhere."""
    D = len(parity.comparisons(k)) * len(parity.cells)
    w = [size * row for size in (0.02, 3.0) for row in (*np.eye(D)[:3], -np.eye(D)[-1], np.ones(D), (-1.0) ** np.arange(D))]
    N = smallest(parity, k)
    for kind in ("frozen", "N"):
        worst, here = 0.0, None
        for A, says in worlds(k, protect):
            one = player(kind, parity, A, says, k, protect, N)
            heard = [law(*one.heard(each)) for each in w]
            here = here or heard
            worst = max(worst, *(farthest(a, b) for a, b in zip(here, heard, strict=True)))
        assert worst <= 1.0 + 1e-9
        assert worst > 0.2


@pytest.mark.slow
@pytest.mark.parametrize("protect", ["A", "X and A"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("parity", PRIVATE, ids=str)
def test_no_neighbour_moves_what_is_measured_by_more_than_its_sensitivity(parity, k, protect, monkeypatch):
    """Sizes, counts, rates or gaps before their noise: the l1 distance to every neighbour's, and it is met (of sizes, which are put into
    the public range after the noise, and counts). Over the scale of the noise that they get it is the epsilon that was meant, 1."""
    seen, scales, rng = [], [], np.random.default_rng(0)
    monkeypatch.setattr(Laplace, "draw", lambda self, value, numbers, *how, **grid: (
        scales.append(float(np.max(numbers[1]))) or seen.append(value) or value))
    N = smallest(parity, k)
    for kind in ("frozen", "N"):
        worst, here = np.zeros(len(H) + 1), None
        for A, says in worlds(k, protect):
            one = player(kind, parity, A, says, k, protect, N)
            seen.clear()
            scales.clear()
            sizes = sizes_of(one.game, 1.0, (), rng)[1].sensitivity
            for h in range(len(H)):
                one.measure(np.array(h), rng)
            if here is None:
                here = list(seen)
            worst = np.maximum(worst, [np.abs(a - b).sum() for a, b in zip(here, seen, strict=True)])
        assert worst[0] == sizes == scales[0]
        assert worst[1:].max() <= one.measurement().sensitivity + 1e-12 and len(scales) == len(worst)
        assert scales[1:] == pytest.approx([one.measurement().sensitivity] * len(H))
        assert worst[1:].max() == one.measurement().sensitivity or kind == "N"


@pytest.mark.usefixtures("real_numbers")
@pytest.mark.parametrize("parity", PRIVATE, ids=str)
def test_without_noise_a_private_play_is_of_its_notion(parity):
    """At epsilon 1e6: what the auditor saw is the constraint values of what was chosen, and the play is evaluated by hand's counts."""
    says, A, label = people(3, m=600)
    game = FairnessGame(says, A, label, 0.05, notion=parity, n_groups=3, empty="zero")
    for how in (dict(), dict(cell_sizes="noisy_lower_bound"), dict(cell_sizes="public_lower_bound", smallest_cell=50),
                dict(protect="X and A")):
        play = dp_oracle_learner(game, 1e6, 1e-6, 3.0, np.random.default_rng(0), rounds=5, **how)
        np.testing.assert_allclose(play.gradients, game.constraint_values(np.eye(9)[play.chosen])[:-1], atol=1e-3)
        found = evaluate(play, game)
        assert found.violation == pytest.approx(by_hand(parity, says[play.chosen].mean(axis=0), A, label), abs=1e-12)
        assert play.parity == parity and play.chosen[0] == game.errors.argmin()
    assert dp_oracle_learner(game, 1.0, 1e-6, 3.0, np.random.default_rng(0)).rounds >= 1


def test_a_play_is_evaluated_on_a_game_of_its_own_kind():
    """Another notion with as many constraints, another gamma, other classifiers or groups: refused, as the numbers would be of no play.
    The same on other people is what it is for."""
    says, A, label = people(3, m=600)

    def game(parity="false_positive", gamma=0.05, says=says, k=3, A=A):
        return FairnessGame(says, A, label, gamma, notion=parity, n_groups=k, empty="zero")
    play = dp_oracle_learner(game(), 1.0, 1e-6, 3.0, np.random.default_rng(0), rounds=3)
    for other, word in ((game(Parity("true_positive")), "notion"), (game(Parity("demographic_parity")), "notion"),
                        (game(Parity("false_positive", "anchor", 1)), "notion"), (game(gamma=0.1), "gamma"),
                        (game(gamma=[0.05]), "gamma"), (game(says=says[:-1]), "number of classifiers"), (game(k=4), "groups")):
        with pytest.raises(ValueError, match=rf"^game=.*: is its .*{word}.*, and the play's is "):
            evaluate(play, other)
    assert evaluate(play, game(parity="false_positive", A=A[::-1])).error >= 0
    X = np.arange(600.0)[:, None]
    loop = regression_dp_oracle_learner(RegressionOracle(X, label), A, 0.05, 1.0, 1e-6, np.random.default_rng(0), n_groups=3, rounds=2)
    for groups in (A[:-1], A + 1, np.append(A, 0)):
        with pytest.raises(ValueError, match=r"^A="):
            evaluate_regression(loop, groups)


def test_what_is_not_served_is_refused_in_words():
    says, A, label = people(3)
    rng = np.random.default_rng(0)

    def game(notion):
        return FairnessGame(says, A, label, 0.05, notion=notion, n_groups=3, empty="zero")
    with pytest.raises(ValueError, match="compares with the population, and how much of it a group is, is private"):
        dp_oracle_learner(game(Parity("equalized_odds", "population")), 1.0, 1e-6, 1.0, rng, rounds=3)
    for notion in ("demographic_parity", "accuracy_parity", Parity("equalized_odds", "pairs"), Parity("false_positive", anchor=1)):
        with pytest.raises(ValueError, match="is no notion of the printed algorithm"):
            dp_oracle_learner_as_printed(game(notion), 1.0, 1e-6, 1.0, rng, rounds=3)
    with pytest.raises(ValueError, match="two vocabularies for one thing"):
        FairnessGame(says, A, label, 0.05, ("FP",), notion="false_positive")
    with pytest.raises(ValueError, match="notion='fairness'"):
        FairnessGame(says, A, label, 0.05, notion="fairness")
    oracle = RegressionOracle(np.arange(300.0)[:, None], label)
    for call in (lambda **how: games.regression_exponentiated_gradient(oracle, A, 0.1, rounds=3, **how),
                 lambda **how: games.regression_dp_oracle_learner(oracle, A, 0.1, 1.0, 1e-6, rng, n_groups=3, rounds=3, **how)):
        with pytest.raises(ValueError, match=r"^notion='demographic_parity': not served here. The regression oracle"):
            call(notion="demographic_parity")
        with pytest.raises(ValueError, match=r"^against='pairs': not served here"):
            call(notion=Parity("equalized_odds", "pairs"))
        with pytest.raises(ValueError, match="has another anchor than group 0"):
            call(notion=Parity("equalized_odds", anchor=1))
        call(notion="true_positive")


def one_group_moves(f):
    """As if who leaves a group joined none."""
    def spread(self, price):
        return np.abs(price).max(axis=(-2, -1)) if self.setting.protect == "A" else f(self, price)
    return spread


def for_one_label(kind, before_the_rounds=False):
    """The noise of the numbers of three groups, where one rate is compared, is made as if one person moved one of them."""
    def make(f):
        def asked(self, name, sensitivity, epsilon, **options):
            game = getattr(self, "game", None)
            this = isinstance(self, kind) and name == "laplace" and before_the_rounds == ("grid" in options) and (
                game is None or (game.n_groups > 2 and len(game.parity.cells) == 1))
            return f(self, name, np.multiply(sensitivity, 0.5 if this else 1.0), epsilon, **options)
        return asked
    return make


ASKED = "dpfair_teach.games.players._Players._asked"
FAULTS = {
    "evaluated_on_any_game": Mutant("dpfair_teach.games.play.evaluate", lambda f: lambda published, game: Play(
        game, published.B, published.eta, published.chosen, published.multipliers), "a play is evaluated on a game of another kind"),
    "learner_as_if_nobody_joined": Mutant("dpfair_teach.games.players.FrozenPlayers.spread", one_group_moves,
                                          "the price of the group that is left, not the difference to the one that is joined"),
    "promised_loss_moves_by_half": Mutant("dpfair_teach.games.players.PromisePlayers.moves", scaled(0.5),
                                          "half of the most that a loss moves"),
    "sizes_of_one_rate_with_half_the_noise": Mutant(ASKED, for_one_label(FrozenPlayers, True),
                                                    "of three groups' sizes, where one rate is asked about, half the noise"),
    "counts_of_one_rate_with_half_the_noise": Mutant(ASKED, for_one_label(FrozenPlayers), "so of the counts"),
    "rates_of_one_label_with_half_the_noise": Mutant(ASKED, for_one_label(PromisePlayers), "so of the rates"),
    "sizes_said_to_move_by_half": Mutant(ASKED, less_noise(FrozenPlayers, "laplace", True),
                                         "half of the sensitivity of the sizes"),
}
