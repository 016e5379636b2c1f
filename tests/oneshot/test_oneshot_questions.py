"""What is asked, of how many cells and with how much of epsilon; few people, many groups, and what is said of them."""
from __future__ import annotations

import itertools
import re
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from dpfair_teach import data, mechanisms
from dpfair_teach._fit_warnings import SmallGroupWarning
from dpfair_teach.fairness import Parity
from dpfair_teach.fairness.parity import NOTIONS
from dpfair_teach.oneshot import (
    FrontierLearner,
    NothingToAskWarning,
    ask_part,
    ask_well,
    fair_candidates,
    fit_group_posterior,
    public_cells,
    public_data,
    split_epsilon,
)
from dpfair_teach.oneshot.questions import cells_for, parts_of
from dpfair_teach.oneshot.settings import ONE_QUESTION, SETTINGS, SHARE, SLOPE, TARGETS, first_shares


def fitted(people, A=None, epsilon=2.0, gamma=.05, **how):
    model = FrontierLearner(epsilon, gamma, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallGroupWarning)
        return model.fit(people.X, people.Y, sensitive_features=people.A if A is None else A, rng=np.random.default_rng(3))


@pytest.fixture(scope="module")
def people():
    return data.make_logistic(500, d=4, shifts=[[0, 0, 0, 0], [1, .5, 0, 0]], rng=np.random.default_rng(1))


@pytest.mark.parametrize("few", [1, 2, 3, 7])
def test_a_few_people_of_a_label_are_served_and_never_thought_well_known(people, few):
    """Whatever the noise is: no count tells so much of so few, and the prior alone tells nothing."""
    Y = np.zeros(people.m, dtype=int)
    Y[np.argsort(people.X[:, 0])[-few:]] = 1
    for seed in range(3):
        model = FrontierLearner(2.0, .05)
        with (pytest.warns(SmallGroupWarning, match=f"^y has {few} p.* of label 1, fewer than 10"),
              pytest.warns(SmallGroupWarning, match="^too small")):
            model.fit(people.X, Y, sensitive_features=people.A, rng=np.random.default_rng(seed))
        assert model.frontier_.expected_error.max() <= few / people.m + 1e-9 and model.curve().violation.between(0, 1).all()


@pytest.mark.parametrize("epsilon", [2.0, 50.0, 1e3])
def test_few_people_of_a_label_and_a_group_of_nobody_are_never_passed_over_in_silence(people, epsilon):
    """However little noise there is: how many have a label is public, and of a group that is not there the release says so."""
    Y = np.zeros(people.m, dtype=int)
    Y[np.argsort(people.X[:, 0])[-9:]] = 1
    for labels, A, said in ((Y, people.A, "^y has 9 people of label 1"), (people.Y, 0 * people.A, "^(too small|nobody is there).*group 1"),
                            (people.Y, 0 * people.A + 1, "^(too small|nobody is there).*group 0")):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model = FrontierLearner(epsilon, .05).fit(people.X, labels, sensitive_features=A, rng=np.random.default_rng(3))
        assert any(re.match(said, str(one.message)) for one in told) and np.isfinite(model.frontier_.violations).all()


def test_where_no_cell_is_left_the_frontier_goes_from_what_is_useful_to_the_base_and_says_so(people):
    model = FrontierLearner(.002, 0.0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(3))
    assert [w.category for w in said].count(NothingToAskWarning) == 1 and "so small that noise hides every cell" in str(
        next(w.message for w in said if w.category is NothingToAskWarning))
    F = model.frontier_
    assert F.row(0.0) @ F.error < min(F.error[-2:]) - .005 and F.row(1.0) @ F.error == pytest.approx(F.error.min())
    assert "label 0: 1 cell for epsilon 0.002; " in model.summary_ and " of it constants, expected to violate by 0.05." in model.summary_
    base = model.curve([1.0])
    assert base.violation_high[0] - base.violation_low[0] > .3          # nothing is known of its gap
    with warnings.catch_warnings():
        warnings.simplefilter("error", NothingToAskWarning)
        fitted(people, epsilon=.2)


@pytest.mark.parametrize(("who", "epsilon", "notion"), [
    ("alike", 50.0, "equalized_odds"), ("a dozen", .4, "equalized_odds"), ("one", 1e6, "true_positive")])
def test_a_label_of_one_cell_is_no_reason_for_a_warning(people, who, epsilon, notion):
    """Whose people are all alike; a small one beside a large one of several; of one person, at any epsilon."""
    X, Y = people.X, people.Y
    if who == "alike":
        X = Y[:, None].astype(float)
    else:
        Y = np.zeros(people.m, dtype=int)
        Y[np.argsort(X[:, 0])[-(12 if who == "a dozen" else 1):]] = 1
    model = FrontierLearner(epsilon, .05, notion=notion, share=.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NothingToAskWarning)
        warnings.simplefilter("ignore", SmallGroupWarning)
        model.fit(X, Y, sensitive_features=people.A, rng=np.random.default_rng(3))
    assert [cells.max() > 0 for cells, _ in model.answers_[:len(model._parity.cells)]][-1] is np.False_


def test_the_two_epsilons_of_a_part_never_pass_the_whole():
    """As fractions, to the last digit; and they are no less than it but for that digit."""
    rng = np.random.default_rng(8)
    pairs = [(.35, .3), *zip(np.append(rng.uniform(.001, 5, 300), 10 ** rng.uniform(-3, 5, 100)), rng.uniform(.01, .99, 400), strict=True)]
    above = 0
    for epsilon, share in pairs:
        first, second = parts_of(epsilon, share, 2)
        above += Fraction(first) + Fraction(epsilon - first) > Fraction(epsilon)
        assert Fraction(first) + Fraction(second) <= Fraction(epsilon) and first + second == pytest.approx(epsilon, rel=1e-15)
    assert above > 50


@pytest.mark.parametrize(("epsilon", "how", "said"), [
    (2.0, {"share": .001}, r"^share = 0\.001 leaves so little of epsilon = 2 .*Choose a larger share"),
    (.002, {}, r"^epsilon = 0\.002 is so small.*Choose a larger epsilon"),
    (.002, {"share": .5}, r"^epsilon = 0\.002 is so small.*Choose a larger epsilon")], ids=str)
def test_where_no_cell_is_left_the_warning_names_what_would_help(people, epsilon, how, said):
    with pytest.warns(NothingToAskWarning, match=said):
        fitted(people, epsilon=epsilon, **how)


def test_the_epsilon_that_a_warning_names_is_the_same_from_any_small_one(people):
    named = []
    for epsilon in (1e-6, 1e-5, 1e-4):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            FrontierLearner(epsilon, .05).fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(3))
        words, = [str(w.message) for w in said if w.category is SmallGroupWarning]
        named.append(max(float(number) for number in re.findall(r"or epsilon ([\d.e+-]+)\)", words)))
    assert max(named) < 3 * min(named) and .01 < max(named) < 5


@pytest.mark.parametrize(("k", "anchor"), [(2, 2), (5, 7)])
def test_an_anchor_that_is_no_group_is_refused_before_anybody_is_asked(people, k, anchor):
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=rf"^anchor={anchor}: not one of the {k} groups"):
        FrontierLearner(1.0, 0.0, n_groups=k, notion=Parity(anchor=anchor)).fit(
            people.X, people.Y, sensitive_features=people.A, rng=rng)
    assert rng.bit_generator.state == before


@pytest.mark.parametrize("noise", [1e-16, 1e-12, 1e-8])
def test_people_who_differ_by_rounding_alone_are_no_warning(people, noise):
    X = (people.X > 0) + noise * np.random.default_rng(2).normal(size=people.X.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        FrontierLearner(2.0, .05).fit(X[:200], people.Y[:200], sensitive_features=people.A[:200],
                                                         rng=np.random.default_rng(3))


@pytest.mark.slow
@pytest.mark.parametrize("notion", ["equalized_odds", "demographic_parity"])
@pytest.mark.parametrize("epsilon", [20.0, 1e4, 1e6])
def test_answers_without_noise_that_say_the_same_are_no_error(notion, epsilon):
    """A message after the first answer would tell of it. Of 2,000 people the directions of the second question may say the same twice."""
    rng = np.random.default_rng(0)
    X, A = rng.normal(size=(2000, 5)), (rng.random(2000) < .4).astype(int)
    X[:, 0] += A
    Y = (X[:, 0] + X[:, 1] + rng.normal(size=2000) > .5).astype(int)
    model = FrontierLearner(epsilon, .05, notion=notion)
    model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(2))
    assert model.frontier_.expected_violation[0] < .01


@pytest.mark.turning(7)
@pytest.mark.slow
def test_twenty_groups_of_500_people(people):
    A = np.arange(people.m) % 20
    model = fitted(people, A, n_groups=20)
    assert model.predict_proba(people.X).shape == (people.m, 2)


@pytest.mark.parametrize("target", TARGETS)
def test_one_question_is_all_up_to_a_number_of_people_times_epsilon(target):
    """Part by part: of the larger one a second question may be asked, and of the smaller one not."""
    limit = ONE_QUESTION[target]
    assert first_shares([1], limit, target) == first_shares([2], limit / 2, target) == [1.0]
    assert first_shares([1], 1.001 * limit, target) == [SHARE[target]]
    few, many = first_shares([100, 300], limit / 200, target)
    assert few == 1.0 and many < 1.0


@pytest.mark.parametrize("target", TARGETS)
def test_the_first_share_grows_with_a_part_s_share_of_the_people(target):
    """By a slope, about a mean of all parts that is larger for people to come; epsilon alone, and all people alone, change nothing."""
    small, large = first_shares([100, 300], 1e3, target)
    assert (small + large) / 2 == pytest.approx(SHARE[target]) and small < large
    assert large - small == pytest.approx(SLOPE * (300 - 100) / 400)
    assert first_shares([1000, 3000], 1e5, target) == [small, large] and SHARE["these"] < SHARE["new"]
    assert (first_shares([10, 990], 1e5, target)[1] == 1) == (target == "new")        # what would be left is too little to ask with


@pytest.mark.parametrize("target", TARGETS)
def test_parts_have_the_first_shares_of_their_people_and_what_one_answer_tells(people, target):
    """Half the epsilon where a person moves two counts. What is given for ``share`` is for every part."""
    seen, rare = set(), (np.arange(people.m) < 50).astype(int)
    for notion, k, epsilon in itertools.product(NOTIONS, (2, 3), (.1, 1.0, 30.0)):
        public = public_data(people.X, rare, notion=notion, target=target)
        unit, parts = 1 if k == 2 else 2, split_epsilon(public, epsilon, k)
        shares = first_shares([len(part.people) for part in parts], epsilon / unit, target)
        seen |= {share == 1 for share in shares}
        for part, share in zip(parts, shares, strict=True):
            assert part.unit == unit and part.first == epsilon * share and part.first + part.second == pytest.approx(epsilon, rel=1e-15)
        assert all(part.first == pytest.approx(.3 * epsilon) and part.first + part.second == epsilon
                   for part in split_epsilon(public, epsilon, k, .3))
    assert seen == {True, False}


def test_of_few_people_nothing_is_asked_a_second_time(people):
    asked, *_ = ask_well(public_data(people.X, people.Y), people.A, .1, np.random.default_rng(2))
    assert [(one.rate, one.release.epsilon) for one in asked] == [(0, .1), (1, .1)]


def test_with_three_groups_there_are_cells_for_half_the_epsilon(people):
    """Whoever moves between two of them moves two counts."""
    public = public_data(people.X, people.Y)
    for of_three, of_two in zip(split_epsilon(public, 8.0, 3), split_epsilon(public, 4.0, 2), strict=True):
        assert np.array_equal(public_cells(public, of_three), public_cells(public, of_two))
        assert public_cells(public, of_three).max() < public_cells(public, split_epsilon(public, 8.0, 2)[of_two.rate]).max()
    assert cells_for(10**6, 10.0, SETTINGS) == 400


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("against", ["anchor", "pairs"])
@pytest.mark.parametrize("epsilon", [2.0, 1e-8])
def test_a_question_s_sensitivity_is_how_far_some_neighbour_moves_it(people, epsilon, against, n_groups, monkeypatch):
    """Over all neighbours, what goes into the noise: of cells 1, of weights of cells the largest sum of somebody's sizes, in whole numbers,
    as many as the epsilon has room for; twice that where a person moves two counts."""
    seen, A = [], np.ones(16, dtype=int)
    public = public_data(people.X[:16], people.Y[:16], against=against)
    part = split_epsilon(public, 2.0, n_groups)[0]
    law, draw = mechanisms.MECHANISMS["geometric"], mechanisms.MECHANISMS["geometric"].draw
    monkeypatch.setattr(law, "draw", lambda value, *of, **how: (seen.append(value), draw(value, *of, **how))[1])
    cells = np.arange(len(part.people)) % 5
    for question in (cells, (np.random.default_rng(6).uniform(-.5, .5, (2, 5)), cells)):
        largest = 0
        for i, a in itertools.product(part.people, range(n_groups)):
            asked = [ask_part(question, groups, part, epsilon, np.random.default_rng(7))
                     for groups in (A, np.where(np.arange(16) == i, a, A))]
            largest = max(largest, np.abs(seen[-1] - seen[-2]).sum())
        assert asked[0].release.sensitivity == largest and asked[0].release.epsilon == pytest.approx(epsilon)
        if isinstance(question, tuple):
            whole, kept = asked[0].question
            assert np.array_equal(kept, cells) and np.abs(whole).sum(axis=0).max() == largest / part.unit
            whole_one = 1024 if epsilon > 1 else 10 // part.unit
            assert np.abs(whole - whole_one * question[0] / np.abs(question[0]).sum(axis=0).max()).max() <= 1


def test_a_question_that_epsilon_leaves_nothing_of_is_refused_by_its_name(people):
    part = split_epsilon(public_data(people.X, people.Y), 1.0)[0]
    with pytest.raises(ValueError, match=r"^epsilon=1e-09: leaves room for 1 steps of a weight, and 2 weights.*0\. Ask with fewer"):
        ask_part((np.full((2, 1), .5), 0 * part.people), people.A, part, 1e-9, np.random.default_rng(0))


def test_questions_and_parts_of_other_people_are_refused(people):
    """Of other rows, other labels, another order, or another notion: as many numbers, and they would tell of somebody else."""
    public = public_data(people.X, people.Y)
    other = public_data(people.X[::-1], people.Y[::-1])
    parts = split_epsilon(public, 2.0)
    asked = [ask_part(public_cells(public, part), people.A, part, part.first, np.random.default_rng(2)) for part in parts]
    belief = fit_group_posterior(public, asked)
    with pytest.raises(ValueError, match=r"^asked=.*is no question to these people\. Give the records"):
        fit_group_posterior(other, asked)
    with pytest.raises(ValueError, match=r"^part=.*is no part of these people"):
        public_cells(other, parts[0])
    with pytest.raises(ValueError, match=r"^also=.*no candidates for the people of public"):
        found = fair_candidates(other, fit_group_posterior(other, [question._replace(partition=other.partition) for question in asked]))
        fair_candidates(public, belief, found, np.ones((1, len(found.error))))
    with pytest.raises(ValueError, match=r"^n_groups=3: asks for answers about 2 groups, and there are 1\. Give"):
        fit_group_posterior(public, asked, 3)
    assert repr(public) == f"public part of {len(people.Y)} people"
