"""The rounds of a play as a table: what was published, a row a round, each gap by its name."""
from __future__ import annotations

import pickle

import numpy as np
import pytest

from dpfair_teach import data, games
from dpfair_teach.fairness import Parity
from dpfair_teach.oracles import RegressionOracle

PEOPLE = data.make_logistic(300, n_groups=3, rng=np.random.default_rng(1))
RULES = np.array([(PEOPLE.X[:, 0] > t).astype(int) for t in (-9, -1, 0, 1, 9)])
GAPS = {("equalized_odds", "anchor"): ["FP 1-0", "TP 1-0", "FP 2-0", "TP 2-0"],
        ("true_positive", "pairs"): ["TP 1-0", "TP 2-0", "TP 2-1"],
        ("accuracy_parity", "anchor"): ["right 1-0", "right 2-0"],
        ("demographic_parity", "population"): ["accepted 0-all", "accepted 1-all", "accepted 2-all"]}


def signs(gaps):
    return [f"{gap} {sign}" for gap in gaps for sign in "+-"]


def game(gamma=.05, **how):
    return games.FairnessGame(RULES, PEOPLE.A, PEOPLE.Y, gamma, n_groups=3, empty="zero", **how)


@pytest.mark.parametrize("notion, against", GAPS)
def test_each_gap_has_its_name(notion, against):
    """The names of the columns are checked by the numbers: a gap of the last classifier alone, counted from the people."""
    parity, gaps = Parity(notion, against), GAPS[notion, against]
    play = games.exponentiated_gradient(game(notion=parity), 2.0, rounds=6)
    table = play.history
    assert list(table.columns) == ["chosen", "error", *(f"multiplier {one}" for one in signs(gaps)), *(f"gap {gap}" for gap in gaps)]
    assert table.index.tolist() == list(range(1, 7)) and table.index.name == "round" and not table.isna().any(axis=None)
    assert (table["chosen"] == play.chosen).all() and (table.filter(like="multiplier").to_numpy() == play.multipliers).all()
    says, right = RULES[play.chosen[-1]], RULES[play.chosen[-1]] == PEOPLE.Y
    assert table["error"].iloc[-1] == pytest.approx(1 - right.mean())
    rate, among = {"FP": (says, PEOPLE.Y == 0), "TP": (says, PEOPLE.Y == 1), "accepted": (says, PEOPLE.Y >= 0),
                   "right": (right, PEOPLE.Y >= 0)}, {str(a): PEOPLE.A == a for a in range(3)} | {"all": PEOPLE.A >= 0}
    for gap in gaps:
        name, one, other = gap.replace("-", " ").split()
        said, people = rate[name]
        assert table[f"gap {gap}"].iloc[-1] == pytest.approx(said[people & among[one]].mean() - said[people & among[other]].mean())


def test_a_private_play_shows_what_it_published_and_no_more():
    play = games.dp_oracle_learner(game(), 2.0, 1e-6, 4.0, np.random.default_rng(2), rounds=5)
    table = pickle.loads(pickle.dumps(play)).history                # the published object alone
    each = signs(GAPS["equalized_odds", "anchor"])
    assert list(table.columns) == ["chosen", *(f"multiplier {one}" for one in each), *(f"gradient {one}" for one in each)]
    seen = table.filter(like="gradient").to_numpy()
    assert (seen[:-1] == play.gradients).all() and np.isnan(seen[-1]).all()
    assert (table.filter(like="multiplier").to_numpy() == play.multipliers).all() and (table["chosen"] == play.chosen).all()
    one = games.dp_oracle_learner(game(), 2.0, 1e-6, 4.0, np.random.default_rng(2), rounds=1).history
    assert len(one) == 1 and one.filter(like="gradient").isna().all(axis=None) and one.notna().sum(axis=1).item() == 1 + len(each)


def test_a_batch_has_a_row_for_each_round_of_each_game():
    play = games.dp_oracle_learner(game(gamma=[.02, .1]), 2.0, 1e-6, 4.0, np.random.default_rng(2), rounds=4, size=3)
    table = play.history
    assert table.index.names == ["round", "axis 0", "axis 1"] and len(table) == 4 * 3 * 2
    assert (table.loc[(3, 2, 1)].filter(like="multiplier").to_numpy() == play.multipliers[2, 2, 1]).all()
    assert (table.loc[(3, 2, 1)].filter(like="gradient").to_numpy() == play.gradients[2, 2, 1]).all()
    assert np.isnan(table.loc[4].filter(like="gradient").to_numpy()).all()


def test_the_plays_against_the_regression_oracle_have_one_too():
    oracle = RegressionOracle(PEOPLE.X, PEOPLE.Y)
    private = games.regression_dp_oracle_learner(oracle, PEOPLE.A, .05, 2.0, 1e-6, np.random.default_rng(2), n_groups=3, rounds=5)
    gaps, table = GAPS["equalized_odds", "anchor"], private.history
    assert list(table.columns) == ["error", *(f"multiplier {one}" for one in signs(gaps)), *(f"gap {gap}" for gap in gaps)]
    assert (table["error"] == private.errors).all() and (table.filter(like="gap").to_numpy()[:-1] == private.gaps_seen).all()
    open_ = games.regression_exponentiated_gradient(oracle, PEOPLE.A, [.02, .1], rounds=7)
    assert open_.history.groupby("axis 0")["error"].mean().to_numpy() == pytest.approx(open_.error)


@pytest.mark.parametrize("model", [games.DPOracleLearner([lambda X: (X[:, 0] > 0).astype(int)], 2.0, .05, 1e-6, n_groups=3, rounds=4),
                                   games.DPRegressionLearner(2.0, .05, 1e-6, n_groups=3, notion=Parity("equalized_odds", "anchor"),
                                                             rounds=4)], ids=lambda model: type(model).__name__)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_estimators_keep_it(model):
    model.fit(PEOPLE.X, PEOPLE.Y, sensitive_features=PEOPLE.A, rng=np.random.default_rng(2))
    assert model.history_.index.tolist() == [1, 2, 3, 4]
    assert (model.history_.filter(like="multiplier").to_numpy() == model.multipliers_).all()
