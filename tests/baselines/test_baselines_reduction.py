"""The reduction: equal to the exact answer where the class can be listed, at least as good as fairlearn's where it cannot."""
from __future__ import annotations

import warnings

import numpy as np
import pytest
from fairlearn import reductions
from scipy.optimize import linprog
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from dpfair_teach import baselines, data, fairness
from dpfair_teach.baselines.reductions import reweighed
from dpfair_teach.fairness import Parity
from dpfair_teach.games import FairnessGame
from faults import Mutant, with_arguments

NOTIONS = ("equalized_odds", "demographic_parity", "accuracy_parity")


def people(k: int, m: int = 300) -> data.Dataset:
    return data.make_logistic(m, n_groups=k, d=3, shifts=np.outer(np.linspace(0, 1.5, k), [1, .5, 0]), rng=np.random.default_rng(7))


def thresholds(X: np.ndarray) -> np.ndarray:
    """A class small enough to be searched, with both constants in it."""
    cuts = np.linspace(-2.5, 3.5, 40)
    return np.concatenate([[X[:, j] > c for c in cuts] for j in range(2)] + [np.zeros((1, len(X))), np.ones((1, len(X)))]).astype(int)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("notion", NOTIONS)
def test_with_the_best_answers_it_finds_the_best_fair_mixture(notion, k):
    """Of a class that is listed the linear program knows the value; the multipliers prove it, and so does the bound."""
    D = people(k)
    said, gamma, B = thresholds(D.X), 0.03, 20.0
    best = FairnessGame(said, D.A, D.Y, gamma, notion=Parity(notion, "population")).equilibrium(B)

    def learn(labels, weights):
        return said[np.argmin((said != labels) @ weights)]
    game, found, bound = baselines.reduction(learn, D.A, D.Y, gamma, B, 40, np.random.default_rng(0),
                                             parity=Parity(notion, "population"), n_groups=k)
    assert found.value == pytest.approx(best.value, abs=1e-8) and bound == pytest.approx(best.value, abs=1e-8)
    assert found.Q.sum() == pytest.approx(1) and game.error(found.Q) <= found.value + 1e-9


def test_the_answers_are_to_the_costs_of_subroutine_2():
    """Weights and labels are such that the weighted mistakes differ from L(h, lam) by the same number for every h."""
    D, seen = people(3), []

    def learn(labels, weights):
        seen.append((labels, weights))
        return (D.X[:, 0] > 0.5).astype(int)
    parity = Parity("equalized_odds", "population")
    baselines.reduction(learn, D.A, D.Y, 0.02, 20.0, 3, np.random.default_rng(0), parity=parity, n_groups=3)
    said = thresholds(D.X)
    constants = [np.zeros(len(D.Y)), np.ones(len(D.Y))]
    lam = FairnessGame(constants, D.A, D.Y, 0.02, notion=parity, n_groups=3).equilibrium(20.0).lam      # of the first round
    labels, weights = seen[0]
    apart = (said != labels) @ weights / len(D.Y) - FairnessGame(said, D.A, D.Y, 0.02, notion=parity, n_groups=3).losses(lam)
    assert np.ptp(apart) < 1e-12 and (weights >= 0).all()


@pytest.mark.parametrize("notion", NOTIONS)
def test_it_is_no_worse_than_fairlearns_at_equal_violation(notion):
    """The same people, base, notion and form; at the violation that fairlearn's has, and with no more fits than it made."""
    D, gamma = people(2, 1500), 0.02
    theirs = {"equalized_odds": reductions.EqualizedOdds, "demographic_parity": reductions.DemographicParity,
              "accuracy_parity": reductions.ErrorRateParity}[notion]
    rival = reductions.ExponentiatedGradient(LogisticRegression(), theirs(difference_bound=gamma), eps=gamma)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rival.fit(D.X, D.Y, sensitive_features=D.A)
    counts = fairness.cell_counts(np.clip(rival._pmf_predict(D.X)[:, 1], 0, 1), D.A, D.Y)
    allowed = max(Parity(notion, "population").violation(counts), 1e-6)
    ours = baselines.Reduction(LogisticRegression(), gamma=allowed, notion=notion, rounds=rival.n_oracle_calls_)
    ours.fit(D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(0))
    own = fairness.cell_counts(ours.predict_proba(D.X)[:, 1], D.A, D.Y)
    assert Parity(notion, "population").violation(own) <= allowed + 1e-6
    assert fairness.error(own) <= fairness.error(counts) + 1e-6


def test_tolerances_of_their_own():
    """Against the program with one row for each, solved from scratch; and a factor of 0 leaves its gap free."""
    D = people(3)
    said = thresholds(D.X)
    game = FairnessGame(said, D.A, D.Y, 0.1, notion=Parity("demographic_parity", "population"))
    for factors in ([1.0, .5, .1], [.3, .3, .3], [0.0, .2, 1.0]):
        played, _ = reweighed(game, factors)
        bounded = [(gap, factor) for gap, factor in zip(game.gaps.T, factors, strict=True) if factor]
        rows = np.array([sign * gap for gap, _ in bounded for sign in (1, -1)])
        room = np.repeat([0.1 * factor for _, factor in bounded], 2)
        hand = linprog(game.errors, A_ub=rows, b_ub=room, A_eq=np.ones((1, len(said))), b_eq=[1])
        assert played.fair_erm().value == pytest.approx(hand.fun, abs=1e-9)
    played, scale = reweighed(game, [1.0, .5, .1])
    lam = np.random.default_rng(0).random(6)
    assert np.ptp(played.losses(lam) - game.losses(lam * scale)) < 1e-12
    assert np.array_equal(reweighed(game)[0].gaps, game.gaps)


@pytest.mark.parametrize("factors, why", [([0.0] * 3, "all 0"), ([1.0], "not one for each of 3 gaps"),
                                          ([2.0, 1, 1], "outside"), ([np.nan, 1, 1], "NaN")])
def test_wrong_factors_are_refused(factors, why):
    D = people(3)
    game = FairnessGame(thresholds(D.X), D.A, D.Y, 0.1, notion=Parity("demographic_parity", "population"))
    with pytest.raises(ValueError, match=f"^factors=.*{why}"):
        reweighed(game, factors)
    with pytest.raises(ValueError, match=r"^game=\(2,\): has several gammas"):
        reweighed(game.with_gamma([.1, .2]), None)


class NoWeights:
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)

    def get_params(self, deep=True):
        return {}


class Refuses(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        raise RuntimeError("not today")


@pytest.mark.parametrize("base, why", [
    (NoWeights(), "takes no sample_weight"), (LogisticRegression, r"is a class.*Give an instance: LogisticRegression\(\)\."),
    (int, r"is a class.*Give an instance: LogisticRegression\(\)\."), (3, "has no fit"),
    (Refuses(), r"cannot be fitted .*RuntimeError: not today"), (GaussianNB(priors=[2, 3]), "cannot be fitted")])
def test_a_base_that_will_not_do_is_named(base, why):
    D = people(2)
    with pytest.raises(ValueError, match=f"^base=.*{why}"):
        baselines.Reduction(base, 0.1).fit(D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(0))


def test_what_others_call_a_notion_is_called_by_its_name_here():
    D = people(2)
    for word, here in (("equal_opportunity", "true_positive"), ("statistical_parity", "demographic_parity")):
        with pytest.raises(ValueError, match=f"^notion='{word}': not a known option: here it is called '{here}'\\. Choose one of"):
            baselines.Reduction(LogisticRegression(), .1, notion=word).fit(D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(0))


def test_an_empty_cell_is_refused_by_the_learner_that_is_not_private_alone():
    D = people(2)
    A = np.where(D.Y == 1, 0, D.A)
    with pytest.raises(ValueError, match=r"^sensitive_features=1: .* nobody"):
        baselines.Reduction(LogisticRegression(), 0.1).fit(D.X, D.Y, sensitive_features=A, rng=np.random.default_rng(0))


def test_a_network_is_a_base_and_draws_from_the_generator_of_the_fit():
    D = people(2)
    model = baselines.Reduction(baselines.NetworkClassifier((4,), epochs=3, learning_rate=.02), 0.05, notion="demographic_parity", rounds=4)
    said = [model.fit(D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(seed)).predict_proba(D.X) for seed in (0, 0, 1)]
    assert np.array_equal(said[0], said[1]) and not np.array_equal(said[0], said[2])
    assert not hasattr(model.base, "theta_") and model.violation_ <= 0.05 + 1e-9




VALID_CALLS = {
    "baselines.reduction": lambda: dict(
        learn=lambda labels, weights: (np.arange(8) % 3 > 0).astype(int), A=[0, 0, 0, 0, 1, 1, 1, 1], Y=[0, 1, 1, 1, 0, 0, 0, 1], gamma=0.1,
        B=3.0, rounds=2, rng=np.random.default_rng(0), parity=Parity("demographic_parity", "population"), n_groups=2, factors=[1.0, 0.5]),
    "baselines.reductions.start_reduction": lambda: dict(learn=lambda labels, weights: labels, A=[0, 1, 1], gamma=0.1, B=2.0, rounds=5,
                                              rng=np.random.default_rng(0), parity=Parity(), n_groups=2),
    "baselines.reductions.shaken_prices": lambda: dict(lam=[1.0, 0.0], B=2.0, rng=np.random.default_rng(0)),
    "baselines.reductions.reweighed": lambda: dict(
        game=FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=0.1), factors=[1.0, 0.5]),
}


# --- deliberate faults


FAULTS = {
    "reduction_pays_for_no_gap": Mutant(
        "dpfair_teach.games.FairnessGame.costs", lambda f: lambda self, lam: f(self, 0.0 * np.asarray(lam)),
        "classifiers are asked for as if no gap had a price"),
    "reduction_prices_the_other_way": Mutant(
        "dpfair_teach.games.FairnessGame.costs", lambda f: lambda self, lam: f(self, np.asarray(lam).reshape(-1, 2)[:, ::-1].ravel()),
        "what widens a gap is made cheap"),
    "tolerances_all_alike": Mutant(
        "dpfair_teach.baselines.reductions.reweighed", with_arguments(factors=lambda factors: None), "every gap has the same tolerance"),
}
