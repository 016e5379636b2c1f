"""Asking well as an estimator: bad input in clear words, few people, many groups, and what it claims."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from dpfair_teach import data
from dpfair_teach._curve import violation_of
from dpfair_teach._fit_warnings import SmallGroupWarning
from dpfair_teach.fairness import Parity
from dpfair_teach.oneshot import (
    FrontierLearner,
    NothingToAskWarning,
    ask_part,
    ask_well,
    believe,
    designed,
    fair_candidates,
    learner,
    multiplier_grid,
    public_cells,
    public_part,
    split_epsilon,
)
from dpfair_teach.oneshot.chosen import MORE_APART, Believed, between, expected_violations, lower_corners, published_of
from dpfair_teach.oneshot.designed import parts_of
from dpfair_teach.oneshot.settings import DESIGNED
from dpfair_teach.oneshot.thresholds import MOST, Candidates, grid_of


def fitted(people, A=None, epsilon=2.0, gamma=.05, **how):
    model = FrontierLearner(epsilon, gamma, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallGroupWarning)
        return model.fit(people.X, people.Y, sensitive_features=people.A if A is None else A, rng=np.random.default_rng(3))


@pytest.fixture(scope="module")
def people():
    return data.make_logistic(500, d=4, shifts=[[0, 0, 0, 0], [1, .5, 0, 0]], rng=np.random.default_rng(1))


def test_a_label_of_seven_people_is_served_and_warned_of(people):
    Y = np.zeros(people.m, dtype=int)
    Y[np.argsort(people.X[:, 0])[-7:]] = 1
    model = FrontierLearner(2.0, .05)
    with (pytest.warns(SmallGroupWarning, match="^y has 7 people of label 1, fewer than 10"),
          pytest.warns(SmallGroupWarning, match="^too small")):
        model.fit(people.X, Y, sensitive_features=people.A, rng=np.random.default_rng(3))
    assert model.frontier_.expected_error.max() <= 7 / people.m + 1e-9 and model.curve().violation.between(0, 1).all()


@pytest.mark.parametrize("epsilon", [2.0, 50.0, 1e3])
def test_few_people_of_a_label_and_a_group_of_nobody_are_never_passed_over_in_silence(people, epsilon):
    """However little noise there is: how many have a label is public, and of a group that is not there the release says so."""
    Y = np.zeros(people.m, dtype=int)
    Y[np.argsort(people.X[:, 0])[-9:]] = 1
    nobody = np.zeros(people.m, dtype=int)
    for labels, A, said in ((Y, people.A, "^y has 9 people of label 1"), (people.Y, nobody, "^too small|^nobody is there")):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            FrontierLearner(epsilon, .05).fit(people.X, labels, sensitive_features=A, rng=np.random.default_rng(3))
        assert any(re.match(said, str(one.message)) for one in told)


@pytest.mark.parametrize("a", [0, 1])
def test_a_group_of_nobody_is_served_and_warned_of(people, a):
    model = FrontierLearner(2.0, .05)
    with pytest.warns(SmallGroupWarning, match=f"group {1 - a}"):
        model.fit(people.X, people.Y, sensitive_features=np.full(people.m, a), rng=np.random.default_rng(3))
    assert np.isfinite(model.frontier_.gaps).all()


def test_where_no_cell_is_left_the_frontier_goes_from_the_constant_to_the_base_and_says_so(people):
    model = FrontierLearner(.002, .05)
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
        FrontierLearner(50.0, .05).fit(people.Y[:, None].astype(float), people.Y, sensitive_features=people.A,
                                                          rng=np.random.default_rng(3))


def test_a_small_label_of_one_cell_beside_a_large_one_of_several_is_no_reason_for_a_warning(people):
    Y = np.zeros(people.m, dtype=int)
    Y[np.argsort(people.X[:, 0])[-12:]] = 1
    model = FrontierLearner(.2, .05)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NothingToAskWarning)
        warnings.simplefilter("ignore", SmallGroupWarning)
        model.fit(people.X, Y, sensitive_features=people.A, rng=np.random.default_rng(3))
    assert [cells.max() > 0 for cells, _ in model.answers_[:2]] == [True, False]


def test_one_person_of_a_label_is_one_cell_at_any_epsilon_and_no_warning(people):
    Y = (np.arange(people.m) == 7).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NothingToAskWarning)
        warnings.simplefilter("ignore", SmallGroupWarning)
        FrontierLearner(1e6, .05, notion="true_positive").fit(people.X, Y, sensitive_features=people.A,
                                                                                 rng=np.random.default_rng(3))


@pytest.mark.parametrize(("epsilon", "share"), [(1.0, 1 - 1e-12), (1e-6, .9999)])
def test_a_share_that_leaves_no_second_question_is_refused_before_the_first(epsilon, share, people):
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    with pytest.raises(ValueError, match=r"^share=.*leaves .* for the second question"):
        ask_well(public_part(people.X, people.Y), people.A, epsilon, rng, share=share)
    assert rng.random() == other.random()


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


@pytest.mark.parametrize("few", [1, 2, 3])
def test_a_few_people_of_a_label_are_never_thought_well_known(people, few):
    """Whatever the noise is: no count tells so much of so few, and the prior alone tells nothing."""
    Y = np.zeros(people.m, dtype=int)
    Y[np.argsort(people.X[:, 0])[-few:]] = 1
    for seed in range(3):
        with (pytest.warns(SmallGroupWarning, match="^y has . p.* of label 1, fewer than 10"),
              pytest.warns(SmallGroupWarning, match="^too small")):
            FrontierLearner(1.0, .05).fit(people.X, Y, sensitive_features=people.A, rng=np.random.default_rng(seed))


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


@pytest.mark.parametrize(("notion", "against", "usual"), [
    ("demographic_parity", "pairs", 10), ("equalized_odds", "anchor", 10), ("equalized_odds", "pairs", 9)])
def test_candidates_are_so_many_that_their_drawn_gaps_can_be_held(notion, against, usual):
    """Of few groups as many as usual, of twenty fewer."""
    parity = Parity(notion, against)
    assert len(grid_of(2, parity, DESIGNED.draws)) == (41 if notion == "demographic_parity" else 41**2) + 1
    for k in range(3, usual + 1):
        assert np.array_equal(grid_of(k, parity, DESIGNED.draws), multiplier_grid(k, notion=parity))
    grid = grid_of(20, parity, DESIGNED.draws)
    assert 1000 < len(grid) < len(multiplier_grid(20, notion=parity))
    assert DESIGNED.draws * len(parity.cells) * len(parity.comparisons(20)) * len(grid) <= MOST


def test_too_many_gaps_are_refused_before_anybody_is_asked(people, monkeypatch):
    parity, rng = Parity("demographic_parity", "pairs"), np.random.default_rng(3)
    monkeypatch.setattr(designed, "ask_part", lambda *of: pytest.fail("somebody was asked"))
    calls = [lambda: grid_of(66, parity, DESIGNED.draws),
             lambda: ask_well(public_part(people.X, people.Y, notion=parity), people.A, 1.0, rng, n_groups=66),
             lambda: FrontierLearner(1.0, 0.0, n_groups=66, notion=parity).fit(
                 people.X, people.Y, sensitive_features=people.A, rng=rng)]
    for call in calls:
        with pytest.raises(ValueError, match=r"^n_groups=66: makes 2145 gaps between groups, too many to draw"):
            call()


def test_what_has_no_drawn_violation_is_refused():
    """A comparison with all groups together."""
    with pytest.raises(ValueError, match=r"^against='population': is no comparison"):
        violation_of(np.zeros((2, 1)), Parity("false_positive", "population"))


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
    assert model.frontier_.gaps.shape[1] == 380 and model.predict_proba(people.X).shape == (people.m, 2)


def test_a_larger_label_gives_more_of_epsilon_to_its_first_question(people):
    rare = (np.arange(people.m) < 50).astype(int)
    parts = split_epsilon(public_part(people.X, rare), 1.0)
    assert [round(part.first, 3) for part in parts] == [.7, .3] and {part.first + part.second for part in parts} == {1.0}
    alone = split_epsilon(public_part(people.X, people.Y, notion="demographic_parity"), 1.0)
    assert [(part.first, part.name, len(part.people)) for part in alone] == [(.5, None, people.m)]


def test_a_label_of_next_to_nobody_and_one_of_nearly_all_leave_something_to_the_second_question():
    people = data.make_logistic(1000, rng=np.random.default_rng(1))
    parts = split_epsilon(public_part(people.X, (np.arange(1000) < 10).astype(int)), 2.0)
    assert [part.first for part in parts] == pytest.approx([1.49, 0.51])


def test_both_answers_are_believed(people):
    asked, belief, _, _ = ask_well(public_part(people.X, people.Y), people.A, 2.0, np.random.default_rng(2))
    assert [len(questions) for questions in belief.asked] == [2, 2] and len(asked) == 4


def test_a_question_that_epsilon_leaves_nothing_of_is_refused_by_its_name(people):
    part = split_epsilon(public_part(people.X, people.Y), 1.0)[0]
    with pytest.raises(ValueError, match=r"^epsilon=1e-09: leaves room for 1 steps of a weight, and 2 weights.*0\. Ask with fewer"):
        ask_part(np.full((2, len(part.people)), .5), people.A, part, 1e-9, np.random.default_rng(0))


def test_questions_and_parts_of_other_people_are_refused(people):
    """Of other rows, other labels, another order, or another notion: as many numbers, and they would tell of somebody else."""
    public = public_part(people.X, people.Y)
    other = public_part(people.X[::-1], people.Y[::-1])
    parts = split_epsilon(public, 2.0)
    asked = [ask_part(public_cells(public, part), people.A, part, part.first, np.random.default_rng(2)) for part in parts]
    belief = believe(public, asked)
    with pytest.raises(ValueError, match=r"^asked=.*is no question to these people\. Give the records"):
        believe(other, asked)
    with pytest.raises(ValueError, match=r"^part=.*is no part of these people"):
        public_cells(other, parts[0])
    with pytest.raises(ValueError, match=r"^also=.*no candidates for the people of public"):
        found = fair_candidates(other, believe(other, [question._replace(partition=other.partition) for question in asked]))
        fair_candidates(public, belief, found, np.ones((1, len(found.error))))
    with pytest.raises(ValueError, match=r"^n_groups=3: asks for answers about 2 groups, and there are 1\. Give"):
        believe(public, asked, 3)
    assert repr(public) == f"public part of {len(people.Y)} people"


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


def test_what_is_published_is_told_by_draws_that_chose_no_mixture(people, monkeypatch):
    """What a mixture was chosen by it violates by less than it does."""
    honest, seeds = Candidates.rates, []
    monkeypatch.setattr(Candidates, "rates", lambda self, size, seed, *of: (seeds.append(seed), honest(self, size, seed, *of))[1])
    fitted(people)
    assert len(seeds) == 3 and len(set(seeds)) == 3


def test_intervals_are_those_of_larger_deviations(people, monkeypatch):
    """By the factor that is calibrated; 1 makes them narrower."""
    model = fitted(people)
    assert MORE_APART > 1
    weights = np.stack([model.frontier_.row(gamma) for gamma in (.02, .1)])
    plain, apart = model.accepted_.rates(weights), model.accepted_.rates(weights, MORE_APART)
    inside = ((apart > 0) & (apart < 1)).all(axis=0)
    assert inside.any() and apart.std(axis=0)[inside] == pytest.approx(MORE_APART * plain.std(axis=0)[inside])
    assert apart.mean(axis=0)[inside] == pytest.approx(plain.mean(axis=0)[inside])
    wide = model.curve([.02, .1])
    monkeypatch.setattr(learner, "MORE_APART", 1.0)
    narrow = model.curve([.02, .1])
    assert (wide.violation_high > narrow.violation_high).all() and np.array_equal(wide.claimed, narrow.claimed)


def test_what_is_expected_is_the_mean_violation_and_not_that_of_the_mean():
    """One candidate of which each of two groups is accepted more by 0.2, in half of the draws."""
    drawn = np.array([[.4, .6], [.6, .4]])[:, :, None, None]                # (D, k, S, R)
    believed = Believed(drawn, np.ones((2, 1)), np.ones((2, 1)))
    for parity in (Parity("demographic_parity"), Parity("demographic_parity", "pairs")):
        assert expected_violations(believed, np.ones((1, 1)), parity) == pytest.approx([.2])


def test_what_is_published_of_a_mixture_is_all_of_it_however_rarely_a_candidate_is_used(people):
    """A mixture that uses one of them once in a million times: the same errors, and the same people are accepted as often."""
    public = public_part(people.X, people.Y)
    _, belief, found, path = ask_well(public, people.A, 2.0, np.random.default_rng(2))
    path = path[[0]].copy()
    rare = int(found.error[:-2].argmax())
    path[0] = (1 - 1e-6) * path[0]
    path[0, rare] += 1e-6
    basis, frontier, _ = published_of(belief, found, path, (1.0,))
    accepted = (basis(people.X) @ frontier.multipliers.T > 0) @ frontier.row(1.0)
    assert frontier.row(1.0) @ frontier.error == pytest.approx(path[0] @ found.error, rel=1e-12)
    assert accepted == pytest.approx(path[0] @ found.decisions.whole, rel=1e-9, abs=1e-12)


FIT = """
import json, warnings
import numpy as np
from dpfair_teach import data, oneshot
warnings.simplefilter("ignore")
told = []
for m, k, epsilon, notion in [(200, 2, .1, "equalized_odds"), (900, 2, 1.0, "equalized_odds"), (900, 3, 3.0, "demographic_parity")]:
    people = data.make_logistic(m, rng=np.random.default_rng(1))
    A = people.A + (people.X[:, 0] > 1) if k == 3 else people.A
    model = oneshot.FrontierLearner(epsilon, gamma=.05, n_groups=k, notion=notion).fit(
        people.X, people.Y, sensitive_features=A, rng=np.random.default_rng(3))
    told.append([[answers.tolist() for _, answers in model.answers_], model.curve([0, .05]).round(9).to_numpy().tolist()])
print(json.dumps(told))
"""


@pytest.mark.slow
def test_what_is_asked_and_answered_is_the_same_on_every_processor():
    """The same seed, other routines for products of matrices and for exponentials: the same questions, noise and answers, to the last
    one. (What follows from them differs by rounding.) Where the processor knows one way only, there is nothing to compare."""
    ways = [{}, {"OPENBLAS_CORETYPE": "Sandybridge", "NPY_DISABLE_CPU_FEATURES": "X86_V4 X86_V3"}, {"OPENBLAS_CORETYPE": "SkylakeX"}]
    said = [subprocess.run([sys.executable, "-c", FIT], env=os.environ | way, check=True, capture_output=True, text=True).stdout
            for way in ways]
    first, *others = [json.loads(one) for one in said]
    for other in others:
        for (answers, curve), (answers_there, curve_there) in zip(first, other, strict=True):
            assert answers == answers_there
            assert np.abs(np.array(curve) - curve_there).max() < 1e-7
