"""The warning of groups that are too small for their epsilon: its rule, what it says, and that it reads the release alone."""
from __future__ import annotations

import pickle
import re
import warnings

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import dpfair_teach
from dpfair_teach import SmallGroupWarning, data
from dpfair_teach._fit_warnings import OF_USE, warn_of_small_groups
from dpfair_teach.fairness import Parity
from dpfair_teach.oneshot import FrontierLearner
from dpfair_teach.postprocessing import DPPostProcessing, noisy_counts, public_margin_counts
from dpfair_teach.postprocessing.curve import noise_of_accepted
from test_estimators import CASES, GROUPED, A, X, Y


def said(people, deviation, epsilon=1.0, notion="equalized_odds") -> str:
    with pytest.warns(SmallGroupWarning) as caught:
        warn_of_small_groups(np.array(people, dtype=float), np.asarray(deviation, dtype=float), epsilon, Parity(notion),
                             otherwise="see in curve() what can be relied on")
    assert len(caught) == 1 and issubclass(SmallGroupWarning, UserWarning) and dpfair_teach.SmallGroupWarning is SmallGroupWarning
    return str(caught[0].message)


def test_it_says_which_cell_and_how_large_it_or_epsilon_would_have_to_be():
    message = said([[500, 400], [60, 20]], [4.0, 4.0], epsilon=.5)
    assert message.startswith("too small for epsilon = 0.5, as noise alone moves a rate by more than 0.1, one standard deviation: ")
    assert "group 1 with label 1 (20 people by the release, rate off by 0.2; it takes 40 people, or epsilon 1)" in message
    assert "label 0" not in message and "; and" not in message and message.endswith("or see in curve() what can be relied on.")
    assert "group 2 (0 people by the release, rate unknown; it takes 30 people, or epsilon 30)" in said(
        [[90], [80], [-5]], [3.0], notion="demographic_parity")
    assert "group 1 (1 person by the release, rate unknown; it takes 30 people" in said([[90], [1]], [3.0], notion="demographic_parity")
    many = said(np.arange(10).reshape(5, 2), [4.0, 4.0])
    assert many.count(" by the release") == 3 and "; and 7 more. " in many
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_small_groups(np.full((2, 2), 40.0), np.full(2, 4.0), 1.0, Parity(), otherwise="")         # exactly 0.1: of use


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("public", [True, False])
def test_the_rule_goes_by_the_noise_that_is_drawn(k, public):
    """4,000 tables of large cells: their accepted are off by what the rule says."""
    counts, half = np.full((4, k, 2), 500), np.array([1.0, 1, 0, 0])[:, None] - .5
    draw = public_margin_counts if public else noisy_counts
    off = draw(counts, .4, np.random.default_rng(0), 4000) - counts
    found = (half * off[:, :, k - 1]).sum(axis=1).std(axis=0)
    assert found == pytest.approx(noise_of_accepted(4, k, .4, public, 1), rel=.06)
    both = (half[:, 0] * off[:, :, k - 1].sum(axis=-1)).sum(axis=1).std()
    assert both == pytest.approx(noise_of_accepted(4, k, .4, public, 2), rel=.06)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].warns_at])
def test_a_fit_warns_where_its_advice_would_help(name):
    """At that epsilon the 200 people of a group are too few; at half as much again as the epsilon that is named nothing is said."""
    case, rng = CASES[name], np.random.default_rng(3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", SmallGroupWarning)
        model = case.make(epsilon=case.warns_at).fit(X, Y, sensitive_features=A, rng=rng)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert re.search(r"group 1 (with label|\()", str(caught[0].message))      # of a notion without labels a group is one cell
    enough = max(float(number) for number in re.findall(r"or epsilon ([\d.e+]+)\)", str(caught[0].message)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SmallGroupWarning)
        case.make(epsilon=1.5 * enough).fit(X, Y, sensitive_features=A, rng=rng)
    people, deviation, epsilon, _ = pickle.loads(pickle.dumps(model))._people_and_noise()              # of the published object alone
    assert (deviation / np.maximum(people, 1) > OF_USE).any() and epsilon == case.warns_at


def test_each_fold_warns_of_its_own_release_unless_it_is_told_not_to():
    def caught(action: str) -> int:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter(action, SmallGroupWarning)
            model = CASES["DPPostProcessing, public_margins"].make(epsilon=.05)
            cross_val_score(model, GROUPED, Y, cv=3, params={"sensitive_features": "group", "rng": np.random.default_rng(5)})
        return len(found)
    assert (caught("default"), caught("ignore")) == (3, 0)


def test_demographic_parity_speaks_of_groups_and_not_of_labels():
    with pytest.warns(SmallGroupWarning, match=r"group 2 \("):
        DPPostProcessing(lambda X: (X[:, 0] > 0).astype(int), .5, .1, n_groups=3, notion="demographic_parity").fit(
            X, Y, sensitive_features=A, rng=np.random.default_rng(1))


def test_a_small_group_among_many_people_is_found_by_the_learner_that_asks_once():
    people = data.make_logistic(2000, group_shares=[.98, .02], d=3, rng=np.random.default_rng(0))
    with pytest.warns(SmallGroupWarning, match="group 1 with label") as caught:
        FrontierLearner(.5, .05).fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(1))
    assert "group 0" not in str(caught[0].message)
