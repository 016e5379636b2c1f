"""The page on the learners as scikit-learn estimators: what it shows and does not run works too, and what it says of them is so."""
from __future__ import annotations

import contextlib
import io
import re
import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from dpfair_teach import accounting, fairness
from test_chapters import CHAPTERS, boxes

PAGE = (CHAPTERS / "using-it.md").read_text(encoding="utf-8")


@cache
def run() -> tuple[dict, str]:
    """All that its cells define and print, and then the code that it only shows."""
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for box in boxes(PAGE):
            if box.kind == "code-cell":
                exec(box.body, names)
        for shown in re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S):
            exec(shown, names)
    return names, printed.getvalue()


@pytest.mark.slow
def test_who_does_not_say_is_a_group_and_two_attributes_are_one():
    names, _ = run()
    assert names["asked"]["sex"].fillna("not said").map(names["sexes"].index).tolist() == [0, 2, 1] and names["A"] == [0, 5, 3]


@pytest.mark.slow
def test_fairlearns_metrics_are_those_of_the_decisions():
    names, printed = run()
    rates = names["frame"].by_group.to_numpy()
    assert rates.shape == (2, 2) and f"{rates[0, 0]:.6f}" in printed
    chances = names["line"].predict_proba(names["X"])[:, 1]
    exact = np.stack(fairness.rates(fairness.cell_counts(chances, names["group"], names["y"])), axis=1)
    cells = fairness.cell_counts(np.ones(len(chances), dtype=int), names["group"], names["y"])[1]
    assert (np.abs(rates - exact) < np.sqrt(np.log(8e9) / 2 / cells)).all()         # Hoeffding, 1e-9 together


def test_what_it_says_that_folds_spend_is_so():
    names, printed = run()
    fits = [fold for _ in range(names["points"]) for fold in range(names["folds"])]
    assert all(sum(fold != own for fold in fits) + 1 == names["per_person"] == 13 for own in range(names["folds"]))
    assert "each person pays 13 x 1 = 13" in printed and len(names["curve"]) == 26 and "26 gammas" in PAGE


def test_the_choice_on_the_page_is_what_it_says():
    names, _ = run()
    assert names["best"].violation_high <= .1 and set(names["both"].learner) == {"ask once", "repair"}
    assert sum(accounting.compose(model.releases_) for model in (names["learner"], names["repair"])) == pytest.approx(2.0)
    assert names["told"][0].category is names["SmallGroupWarning"]


def test_the_comparison_of_learners_shows_what_is_said_of_it():
    """Asking in every round costs accuracy, above all at a small epsilon; and what was spent is what was asked for, or less."""
    names, printed = run()
    rows = {(name, epsilon): found for (name, epsilon), found in names["rows"].items()}
    for name in ("DPOracleLearner", "DPRegressionLearner"):
        assert rows[name, 1.0].accuracy < rows["FrontierLearner", 1.0].accuracy - .05
        assert rows[name, 20.0].violation < rows[name, 1.0].violation + .01
    assert rows["DPRegressionLearner", 20.0].accuracy > rows["DPRegressionLearner", 1.0].accuracy + .1
    nobody = 1 - names["y"].mean()
    assert rows["DPRegressionLearner", 1.0].accuracy < nobody < rows["DPRegressionLearner", 20.0].accuracy
    assert f"who rejects everybody is right about {nobody:.2f} of these people" in PAGE
    assert 19 < names["spent"] <= 20 and "asked for 20, spent 19." in printed


def test_with_its_defaults_the_learner_of_rules_is_worse_than_a_constant():
    names, _ = run()
    assert "With its defaults it is worse than a constant on these people, at epsilon 1 as at epsilon 100." in PAGE
    for epsilon in (1.0, 100.0):
        model = names["DPRegressionLearner"](epsilon, 0.05, delta=1e-6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(names["X"], names["y"], sensitive_features=names["group"], rng=np.random.default_rng(0))
        assert model.score(names["X"], names["y"]) < 1 - names["y"].mean() - .1


@pytest.mark.slow
def test_a_search_that_scores_by_accuracy_takes_the_larger_gamma():
    names, _ = run()
    search = GridSearchCV(names["FrontierLearner"](1.0, 0.05), {"gamma": [0.0, 0.2]}, cv=2)
    search.fit(names["table"], names["y"], sensitive_features="group", rng=np.random.default_rng(0))
    assert search.best_params_ == {"gamma": 0.2} and np.ptp(search.cv_results_["mean_test_score"]) > .02


def test_the_loop_on_the_page_takes_the_steps_that_its_epsilon_allows():
    names, printed = run()
    found, steps = names["found"], names["steps"]
    assert len(found.history) == found.state.round == steps and f"{steps} steps, epsilon 0.99" in printed
    assert names["model"].history_.index.tolist() == list(range(1, 11))


def test_the_table_names_every_learner():
    from test_estimators import CASES
    rows = re.findall(r"^\| `(\w+)\.(\w+)` \| .* \| (yes|no) \|$", PAGE, re.M)
    made = {type(case.make()): case.aware for case in CASES.values()}
    assert {(kind.__module__.split(".")[1], kind.__name__, "yes" if aware else "no") for kind, aware in made.items()} == set(rows)
