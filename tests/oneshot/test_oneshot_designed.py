"""Asking well as an estimator: bad input in clear words, few people, many groups, and what it claims."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

from dpfair_teach import data
from dpfair_teach._small_groups import SmallGroupWarning
from dpfair_teach.oneshot import FrontierLearner, NothingToAskWarning, ask_well, public_part, split_epsilon
from dpfair_teach.oneshot.chosen import between, lower_corners


def fitted(people, A=None, epsilon=2.0, gamma=.05, **how):
    model = FrontierLearner(epsilon, gamma, method="designed", **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallGroupWarning)
        return model.fit(people.X, people.Y, sensitive_features=people.A if A is None else A, rng=np.random.default_rng(3))


@pytest.fixture(scope="module")
def people():
    return data.make_logistic(500, d=4, shifts=[[0, 0, 0, 0], [1, .5, 0, 0]], rng=np.random.default_rng(1))


def test_a_label_of_seven_people_is_served_and_warned_of(people):
    Y = np.zeros(people.m, dtype=int)
    Y[np.argsort(people.X[:, 0])[-7:]] = 1
    model = FrontierLearner(2.0, .05, method="designed")
    with pytest.warns(SmallGroupWarning, match="with label 1"):
        model.fit(people.X, Y, sensitive_features=people.A, rng=np.random.default_rng(3))
    assert model.frontier_.expected_error.max() <= 7 / people.m + 1e-9 and model.curve().violation.between(0, 1).all()


@pytest.mark.parametrize("a", [0, 1])
def test_a_group_of_nobody_is_served_and_warned_of(people, a):
    model = FrontierLearner(2.0, .05, method="designed")
    with pytest.warns(SmallGroupWarning, match=f"group {1 - a}"):
        model.fit(people.X, people.Y, sensitive_features=np.full(people.m, a), rng=np.random.default_rng(3))
    assert np.isfinite(model.frontier_.gaps).all()


def test_where_no_cell_is_left_the_frontier_goes_from_the_constant_to_the_base_and_says_so(people):
    model = FrontierLearner(.002, .05, method="designed")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(3))
    assert [w.category for w in said].count(NothingToAskWarning) == 1 and "so small that noise hides every cell" in str(
        next(w.message for w in said if w.category is NothingToAskWarning))
    F = model.frontier_
    assert F.row(0.0) @ F.error == pytest.approx(min(F.error[-2:])) and F.row(1.0) @ F.error == pytest.approx(F.error.min())
    with warnings.catch_warnings():
        warnings.simplefilter("error", NothingToAskWarning)
        fitted(people, epsilon=.2)


def test_a_label_whose_people_are_all_alike_has_one_cell_and_no_warning(people):
    with warnings.catch_warnings():
        warnings.simplefilter("error", NothingToAskWarning)
        FrontierLearner(50.0, .05, method="designed").fit(people.Y[:, None].astype(float), people.Y, sensitive_features=people.A,
                                                          rng=np.random.default_rng(3))


@pytest.mark.parametrize(("epsilon", "share"), [(1.0, 1 - 1e-12), (1e-6, .9999)])
def test_a_share_that_leaves_no_second_question_is_refused_before_the_first(epsilon, share, people):
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    with pytest.raises(ValueError, match=r"^share=.*leaves .* for the second question"):
        ask_well(public_part(people.X, people.Y, method="designed"), people.A, epsilon, rng, share=share)
    assert rng.random() == other.random()


@pytest.mark.parametrize("notion", ["equalized_odds", "demographic_parity"])
@pytest.mark.parametrize("epsilon", [20.0, 1e4, 1e6])
def test_answers_without_noise_that_say_the_same_are_no_error(notion, epsilon):
    """A message after the first answer would tell of it. Of 2,000 people the directions of the second question may say the same twice."""
    rng = np.random.default_rng(0)
    X, A = rng.normal(size=(2000, 5)), (rng.random(2000) < .4).astype(int)
    X[:, 0] += A
    Y = (X[:, 0] + X[:, 1] + rng.normal(size=2000) > .5).astype(int)
    model = FrontierLearner(epsilon, .05, method="designed", notion=notion)
    model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(2))
    assert model.frontier_.expected_violation[0] < .01


@pytest.mark.turning(7)
@pytest.mark.slow
def test_twenty_groups_of_500_people(people):
    A = np.arange(people.m) % 20
    model = fitted(people, A, n_groups=20)
    assert model.frontier_.gaps.shape[1] == 38 and model.predict_proba(people.X).shape == (people.m, 2)


@pytest.mark.parametrize("how, said", [
    ({"oracle": "regression"}, r"^oracle='regression': is not read by method='designed'"), ({"n_cells": 4}, r"^n_cells=4: is read by"),
    ({"norm": "l1"}, r"^norm='l1': is read by"), ({"smoothing": "likelihood"}, r"^smoothing='likelihood': is read by"),
    ({"n_groups": 30}, r"^n_groups=30: makes 37,665 multipliers")])
def test_what_it_does_not_read_is_refused_before_anybody_is_asked(people, how, said):
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=said):
        FrontierLearner(1.0, 0.0, method="designed", **how).fit(people.X, people.Y, sensitive_features=people.A, rng=rng)
    assert rng.bit_generator.state == before


def test_a_larger_label_gives_more_of_epsilon_to_its_first_question(people):
    rare = (np.arange(people.m) < 50).astype(int)
    parts = split_epsilon(public_part(people.X, rare, method="designed"), 1.0)
    assert [round(part.first, 3) for part in parts] == [.7, .3] and {part.first + part.second for part in parts} == {1.0}
    alone = split_epsilon(public_part(people.X, people.Y, method="designed", notion="demographic_parity"), 1.0)
    assert [(part.first, part.name, len(part.people)) for part in alone] == [(.5, None, people.m)]


def test_a_gamma_is_kept_by_what_is_expected_and_below_the_fairest_by_that(people):
    model = fitted(people, gammas=[0.0, .02, .05, .1, .3])
    F = model.frontier_
    assert (F.expected_violation <= np.maximum(F.gammas, F.violations[0]) + 1e-9).all() and (np.diff(F.expected_error) <= 1e-12).all()
    assert np.array_equal(F.weights[0], F.corners[0]) and (np.diff(F.violations) > 0).all()
    table = model.curve([.02, .05, .1])
    assert (table.claimed <= table.violation + 1e-9).all() and (table.violation_low <= table.violation).all()
    assert table.claimed.to_numpy() == pytest.approx(F.expected_violation[1:4], abs=1e-9)
    assert (table.violation <= table.violation_high).all() and np.array_equal(table.error_low, table.error_high)


def test_corners_are_the_lower_hull_and_between_them_is_a_mixture():
    rng = np.random.default_rng(5)
    x, y = np.append(0.0, rng.random(30)), np.append(.5, rng.random(30) * .5)
    hull = lower_corners(x, y)
    for w in rng.dirichlet(np.ones(31), size=200):          # no mixture lies below
        at = w @ x
        if at <= x[hull[-1]]:
            row = between(np.eye(31)[hull], x[hull], at)
            assert row @ x == pytest.approx(at) and row @ y <= w @ y + 1e-12
    assert np.array_equal(between(np.eye(31)[hull], x[hull], 5.0), np.eye(31)[hull[-1]])
