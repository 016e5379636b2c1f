"""The warning of a delta that promises nobody anything: of every learner that has one, before anything is drawn."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import dpfair_teach
from dpfair_teach import LargeDeltaWarning
from test_estimators import CASES, A, X, Y

#: Pure methods of a learner that has one are given 0.
WITH_DELTA = [name for name in CASES if CASES[name].make().get_params().get("delta")]


def test_the_learners_of_games_and_those_with_gaussian_noise_have_a_delta_and_the_others_none():
    assert {type(CASES[name].make()).__module__.split(".")[1] for name in WITH_DELTA} == {"functional", "games", "lagrangian"}
    assert all(type(CASES[name].make()).__module__.split(".")[1] != "games" for name in CASES.keys() - set(WITH_DELTA))


@pytest.mark.parametrize("name", WITH_DELTA)
def test_from_one_over_m_on_it_is_said_before_anything_is_drawn(name):
    model, rng = CASES[name].make(delta=1 / 400), np.random.default_rng(3)
    before = rng.bit_generator.state
    with pytest.raises(LargeDeltaWarning, match=r"^delta = 0\.0025 is 1/m or more for the m people of fit: such a promise may publish one "
                                                r"person in the clear\. Choose a delta well below 1/m\.$"):
        model.fit(X, Y, sensitive_features=A, rng=rng)
    assert rng.bit_generator.state == before
    with warnings.catch_warnings():
        warnings.simplefilter("error", LargeDeltaWarning)
        CASES[name].make(delta=.99 / 400).fit(X, Y, sensitive_features=A, rng=rng)


def test_it_names_the_line_of_the_fit_and_a_loop_over_folds_says_it_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", LargeDeltaWarning)
        for m in (399, 400):
            CASES[WITH_DELTA[0]].make(delta=.01).fit(X[:m], Y[:m], sensitive_features=A[:m], rng=np.random.default_rng(3))
    assert [warning.filename for warning in caught] == [__file__]
    assert issubclass(LargeDeltaWarning, UserWarning) and dpfair_teach.LargeDeltaWarning is LargeDeltaWarning


def test_who_publishes_one_person_in_the_clear_keeps_such_a_delta():
    """The reason for 1/m: whose group is published is drawn among the m; the laws of two neighbours are apart by 1/m, at any epsilon."""
    m = 5
    laws = [{(i, group): 1 / m for i, group in enumerate(groups)} for groups in ([0, 1, 0, 0, 1], [0, 1, 1, 0, 1])]
    for one, other in (laws, laws[::-1]):
        for epsilon in (0.0, 50.0):
            delta = sum(max(0.0, chance - np.exp(epsilon) * other.get(said, 0.0)) for said, chance in one.items())
            assert delta == pytest.approx(1 / m)
