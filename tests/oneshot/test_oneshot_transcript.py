"""The whole transcript of asking well, over all neighbours of small data: every answer's law is known, and told answers are replayed."""
from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpfair_teach import _checks, accounting, data, mechanisms
from dpfair_teach.fairness import Parity
from dpfair_teach.oneshot import (
    FrontierLearner,
    _blocks,
    ask_part,
    ask_well,
    bayes_mixtures,
    bayes_scores,
    believe,
    crowd,
    designed,
    fair_candidates,
    price_grid,
    public_cells,
    public_part,
    split_epsilon,
)
from dpfair_teach.oneshot._public import Public
from faults import Mutant

EPSILON = 2.0


def small(k: int, parity: Parity) -> tuple[Public, np.ndarray]:
    people = data.make_logistic(14, n_groups=k, d=2, rng=np.random.default_rng(1))
    return public_part(people.X, people.Y, notion=parity), people.A


class Witness:
    """Stands where noise is drawn: keeps what went in, and tells answers that are given in place of the drawn ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        law = mechanisms.MECHANISMS["geometric"]
        real = law.draw

        def noisy(value: np.ndarray, numbers: Any, *how: Any, **options: Any) -> np.ndarray:
            number = len(self.inputs)
            self.inputs.append((np.array(value), numbers[2] / numbers[0]))
            return real(value, numbers, *how, **options) if self.tell is None else self.tell(number, value)
        monkeypatch.setattr(law, "draw", noisy)

    def run(self, public: Public, A: np.ndarray, k: int, seed: int = 0, tell: Callable[[int, np.ndarray], np.ndarray] | None = None,
            share: float | None = None) -> Any:
        self.inputs, self.tell = [], tell
        return designed.ask_well(public, A, EPSILON, np.random.default_rng(seed), n_groups=k, share=share)


def neighbours(A: np.ndarray, k: int):
    for i in range(len(A)):
        for a in set(range(k)) - {A[i]}:
            other = A.copy()
            other[i] = a
            yield i, other


def same(one: Any, other: Any) -> bool:
    """Two questions: arrays, or weights of cells and the cells."""
    return all(map(same, one, other)) if isinstance(one, tuple) else np.array_equal(one, other)


def as_of_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four people of each rate stand for all, and the second question is one of weights of cells; in two halves, so that there are several
    weights of each person."""
    for module in (_blocks, _checks):
        monkeypatch.setattr(module, "TOGETHER", 5)
    monkeypatch.setattr(crowd, "SAMPLE", 4)
    honest = designed.design_question

    def in_halves(*of: Any) -> tuple[np.ndarray, np.ndarray]:
        weights, cells = honest(*of)
        return np.concatenate([weights / 2, weights / 2]), cells
    monkeypatch.setattr(designed, "design_question", in_halves)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "parity", "share", "many"), [
    (2, Parity(), None, False), (3, Parity(against="pairs"), None, False), (2, Parity("demographic_parity"), .3, False),
    (3, Parity("true_positive"), None, False), (2, Parity("demographic_parity"), .3, True)], ids=str)
def test_no_neighbour_s_transcript_is_more_than_epsilon_away_and_some_is_that_far(k, parity, share, many, monkeypatch):
    """Geometric noise with decay d: the logarithm of how much likelier an answer is from one input than from another is at most d times
    their distance, and is that for answers far away. So one transcript, told to all neighbours, shows the largest ratio there is with its
    questions; of drawn answers, and of answers far off. What is published follows from the answers."""
    if many:
        as_of_very_many(monkeypatch)
    public, A = small(k, parity)
    witness = Witness(monkeypatch)
    far, largest = np.random.default_rng(2), 0.0
    for tell in (None, lambda number, value: value + 200 * far.choice([-1, 1], size=value.shape)):
        asked, _, _, published = witness.run(public, A, k, tell=tell, share=share)
        inputs, answers = witness.inputs, [one.answers for one in asked]

        def told(number, value, answers=answers):
            return answers[number]
        for i, other in neighbours(A, k):
            asked_again, _, _, published_again = witness.run(public, other, k, tell=told, share=share)
            for one, two in zip(asked, asked_again, strict=True):
                assert same(one.question, two.question)
            assert np.array_equal(published, published_again)
            loss = sum(decay * np.abs(value - moved).sum() for (value, decay), (moved, _) in zip(inputs, witness.inputs, strict=True))
            largest = max(largest, loss)
            touched = {one.rate for one, (value, _), (moved, _) in zip(asked, inputs, witness.inputs, strict=True)
                       if (value != moved).any()}
            assert touched <= {r for r, people in enumerate(public.people) if i in people}
    assert isinstance(asked[-1].question, tuple) == many
    assert largest <= EPSILON * (1 + 1e-9)
    assert largest > .99 * EPSILON


@pytest.mark.parametrize("k", [2, 3])
def test_the_records_add_up_to_epsilon_of_each_label_and_of_all(k, monkeypatch):
    public, A = small(k, Parity())
    asked, *_ = Witness(monkeypatch).run(public, A, k)
    records = [one.release for one in asked]
    assert [r.part[0] for r in records] == ["label 0", "label 1"] * 2
    assert accounting.compose(records) == pytest.approx(EPSILON, rel=1e-12)
    for part in ("label 0", "label 1"):
        assert accounting.compose([r for r in records if r.part[0] == part]) == pytest.approx(EPSILON, rel=1e-12)
    assert {r.unit for r in records} == {accounting.UNIT_A}


def test_what_is_asked_by_other_labels_of_the_same_people_adds_up():
    """Label 0 of one labelling and label 1 of the other may be the same people: they were asked twice, whatever their labels are called."""
    records = []
    for Y, notion in ((FEW.Y, "false_positive"), (1 - FEW.Y, "true_positive")):
        model = FrontierLearner(1.0, .05, notion=notion)
        records += model.fit(FEW.X, Y, sensitive_features=FEW.A, rng=np.random.default_rng(3)).releases_
    assert accounting.compose(records) == pytest.approx(2.0) and accounting.compose(records[:2]) == pytest.approx(1.0)
    again = FrontierLearner(1.0, .05).fit(FEW.X, FEW.Y, sensitive_features=FEW.A, rng=np.random.default_rng(3))
    assert accounting.compose([*records[:2], *again.releases_]) == pytest.approx(2.0)       # one labelling: label 0 was asked twice for 1
    assert len({r.part[1] for r in [*records, *again.releases_]}) == 3


def test_tables_that_look_the_same_may_be_of_other_people():
    """Pairs of equal rows, of one label each; every pair is swapped and the labels are: the same bytes, and who had label 1 has label 0."""
    X, Y, A = np.repeat([0.0, 1.0], 40)[:, None], np.tile([0, 1], 40), np.random.default_rng(1).integers(0, 2, 80)
    swapped = np.arange(80).reshape(-1, 2)[:, ::-1].ravel()
    assert np.array_equal(X, X[swapped]) and np.array_equal(Y, (1 - Y)[swapped])
    records = []
    for order, labels, notion in ((np.arange(80), Y, "true_positive"), (swapped, 1 - Y, "false_positive")):
        model = FrontierLearner(1.0, .05, notion=notion)
        records += model.fit(X[order], labels[order], sensitive_features=A[order], rng=np.random.default_rng(3)).releases_
    assert accounting.compose(records) == pytest.approx(2.0)


def test_other_labels_adds_up_too_where_rows_stand_by_label():
    """Labels are swapped and rows sorted anew: the same column of labels, and in each place another person."""
    Y = (FEW.X[:, 0] > np.median(FEW.X[:, 0])).astype(int)
    records, columns = [], []
    for labels, notion in ((Y, "false_positive"), (1 - Y, "true_positive")):
        order = np.argsort(labels, kind="stable")
        columns.append(labels[order].tolist())
        model = FrontierLearner(1.0, .05, notion=notion)
        records += model.fit(FEW.X[order], labels[order], sensitive_features=FEW.A[order], rng=np.random.default_rng(3)).releases_
    assert columns[0] == columns[1] and accounting.compose(records) == pytest.approx(2.0)
    assert len({record.part[1] for record in records}) == 2


@pytest.mark.parametrize("k", [2, 3])
def test_each_question_is_designed_for_what_it_may_cost_and_by_the_prices_of_the_mixtures(k, monkeypatch):
    """Of every part: its own rate, the epsilon of its second question, and each mixture with the price that it was chosen for. The last
    candidates hold those that the questions were about."""
    honest, seen, kept = designed.design_question, [], set()

    def question(belief, found, path, prices, rate, epsilon):
        gaps = found.gaps(seed=0)
        seen.append((rate, epsilon))
        kept.add(len(found.error) + int((path[:, :-2] > 0).any(axis=0).sum()))
        assert np.array_equal(prices, price_grid(found.error, gaps)) and np.array_equal(path, bayes_mixtures(found.error, gaps, prices))
        return honest(belief, found, path, prices, rate, epsilon)
    monkeypatch.setattr(designed, "design_question", question)
    public, A = small(k, Parity())
    asked, belief, last, path = ask_well(public, A, EPSILON, np.random.default_rng(0), n_groups=k, share=.3)
    assert kept == {len(last.error)} and last.belief is belief
    gaps = last.gaps(seed=1)                    # what is published is decided in the same way, by all draws of the last belief
    assert np.array_equal(path, bayes_mixtures(last.error, gaps, price_grid(last.error, gaps)))
    assert seen == [(0, pytest.approx(.7 * EPSILON)), (1, pytest.approx(.7 * EPSILON))]
    assert [one.release.epsilon for one in asked] == pytest.approx([.3 * EPSILON] * 2 + [.7 * EPSILON] * 2)


@pytest.mark.parametrize("k", [2, 3])
def test_each_answer_is_believed_as_its_record_says(k):
    """Weights in the unit of the largest, and the variance of geometric noise by the epsilon and the sensitivity that were recorded."""
    public, A = small(k, Parity())
    asked, belief, *_ = ask_well(public, A, EPSILON, np.random.default_rng(0), n_groups=k)
    answers = [iter(of_rate) for of_rate in belief.asked]
    for one in asked:
        believed, unit = next(answers[one.rate]), 1 if k == 2 else 2
        cells = np.eye(one.question.max() + 1, dtype=int)[one.question].T if one.question.ndim == 1 else one.question
        grid, decay = one.release.sensitivity / unit, np.exp(-one.release.epsilon / one.release.sensitivity)
        assert believed.rows(slice(None)).toarray() * grid == pytest.approx(cells)
        assert believed.variance * grid**2 == pytest.approx(2 * decay / (1 - decay)**2)


def test_candidates_take_the_chances_of_their_own_label():
    public, _, asked = begun()
    belief = believe(public, asked)
    chances = fair_candidates(public, belief).basis.chances(FEW.X)
    for r, people in enumerate(public.people):
        assert chances[people, r] == pytest.approx(belief.p[r])
    assert not np.allclose(chances[:, 0], chances[:, 1])


@pytest.mark.parametrize("notion", ["true_positive", "false_positive", "demographic_parity"])
def test_a_single_rate_has_half_of_epsilon_for_each_question(notion):
    parts = split_epsilon(public_part(FEW.X, FEW.Y, notion=notion), 1.0)
    assert [(part.first, part.second) for part in parts] == [(.5, .5)]


def test_with_three_groups_there_are_cells_for_half_the_epsilon():
    """Whoever moves between two of them moves two counts."""
    public = public_part(FEW.X, FEW.Y)
    for of_three, of_two in zip(split_epsilon(public, 8.0, 3), split_epsilon(public, 4.0, 2), strict=True):
        assert np.array_equal(public_cells(public, of_three), public_cells(public, of_two))
        assert public_cells(public, of_three).max() < public_cells(public, split_epsilon(public, 8.0, 2)[of_two.rate]).max()


@pytest.mark.parametrize("epsilon", [2.0, 1e-8])
def test_weights_of_cells_are_rounded_and_told_as_those_of_everybody(epsilon):
    """In whole numbers, as many as the epsilon has room for."""
    _, (part, _), _ = begun()
    cells, weights = np.arange(len(part.people)) % 5, np.random.default_rng(6).uniform(-.5, .5, (2, 5))
    one = ask_part((weights, cells), FEW.A, part, epsilon, np.random.default_rng(7))
    other = ask_part(weights[:, cells], FEW.A, part, epsilon, np.random.default_rng(7))
    assert np.array_equal(one.question[0][:, one.question[1]], other.question) and one.release == other.release
    assert np.array_equal(one.answers, other.answers)


def test_the_largest_of_several_gaps_is_what_unfairness_costs():
    """On average over draws, of the candidate of least error: 0.2 and 0.4, beside a smaller one."""
    gaps = [[[.2, 0, 0], [.1, 0, 0]], [[0, 0, 0], [-.4, 0, 0]]]
    assert price_grid([.1, .4, .5], gaps)[0] == pytest.approx(8 * .3 / .3) and price_grid([.1, .4, .5], gaps)[-1] == 0


def test_candidates_that_some_mixture_uses_are_there_the_second_time_however_rarely():
    """First, in their order, and they decide what they decided."""
    public, _, belief, found, path = decided()
    path = path.copy()
    rare = int(np.flatnonzero(~(path > 0).any(axis=0))[5])
    path[0] *= 1 - 1e-7
    path[0, rare] = 1e-7
    used = np.flatnonzero((path[:, :-2] > 0).any(axis=0))
    again = fair_candidates(public, belief, found, path)
    assert rare in used and len(again.error) == len(found.error) + len(used)
    assert np.array_equal(again.decisions.whole[:len(used)], found.decisions.whole[used])
    assert np.array_equal(again.error[:len(used)], found.error[used])
    scores = again.basis(FEW.X)
    assert np.array_equal((scores @ again.decisions.multipliers.T > 0).T, again.decisions.whole)


@pytest.mark.parametrize("notion", ["true_positive", "false_positive", "demographic_parity", "equalized_odds"])
def test_candidates_weigh_gaps_by_how_many_have_the_label(notion):
    """As :func:`bayes_scores` does, whose ``share`` is that of the people who are compared."""
    public = public_part(FEW.X, FEW.Y, notion=notion)
    asked = [ask_part(public_cells(public, part), FEW.A, part, part.first, np.random.default_rng(3)) for part in split_epsilon(public, 2.0)]
    basis = fair_candidates(public, believe(public, asked)).basis
    compared = {"true_positive": FEW.Y == 1, "false_positive": FEW.Y == 0}.get(notion, FEW.Y >= 0)
    told = bayes_scores(public.eta(FEW.X), basis.chances(FEW.X), basis.n, notion, share=compared.mean())
    assert 0 < compared.mean() and basis(FEW.X)[:, :-1] == pytest.approx(told) and basis.n.sum() == pytest.approx(compared.sum())


FEW = data.make_logistic(40, d=2, rng=np.random.default_rng(2))


@functools.cache
def begun(n_groups=2):
    """The public part, its parts, and a first question to each."""
    public = public_part(FEW.X, FEW.Y)
    parts, rng = split_epsilon(public, 2.0, n_groups), np.random.default_rng(3)
    return public, parts, [ask_part(public_cells(public, part), FEW.A, part, part.first, rng) for part in parts]


def decided():
    public, parts, asked = begun()
    belief = believe(public, asked)
    found = fair_candidates(public, belief)
    return public, parts, belief, found, bayes_mixtures(found.error, found.gaps(16), [1.0, .1])


def design_call():
    _, _, belief, found, path = decided()
    return dict(belief=belief, candidates=found, path=path, prices=[1.0, .1], rate=0, epsilon=1.0)


def candidates_call():
    public, _, belief, found, path = decided()
    return dict(public=public, belief=belief, also=found, path=path)


VALID_CALLS = {
    "oneshot.public_part": lambda: dict(X=FEW.X, Y=FEW.Y, notion="equalized_odds", against="anchor",
                                        base=LogisticRegression().fit(FEW.X, FEW.Y)),
    "oneshot.ask_well": lambda: dict(public=begun()[0], A=FEW.A, epsilon=1.0, rng=np.random.default_rng(4), n_groups=2, share=.5),
    "oneshot.split_epsilon": lambda: dict(public=begun()[0], epsilon=1.0, n_groups=2, share=.5),
    "oneshot.price_grid": lambda: dict(error=[.1, .4, .5], gaps=[[[.2, 0, 0]], [[-.4, 0, 0]]]),
    "oneshot.public_cells": lambda: dict(zip(("public", "part"), (begun()[0], begun()[1][0]), strict=True)),
    "oneshot.ask_part": lambda: dict(question=public_cells(begun()[0], begun()[1][0]), A=FEW.A, part=begun()[1][0], epsilon=1.0,
                                     rng=np.random.default_rng(5)),
    "oneshot.believe": lambda: dict(public=begun()[0], asked=begun()[2], n_groups=2),
    "oneshot.fair_candidates": candidates_call,
    "oneshot.design_question": design_call,
}


def asked_well(people, A, rng):
    k = int(np.max(A)) + 1
    asked, _, found, path = ask_well(public_part(people.X, people.Y), np.asarray(A), 2.0, rng, n_groups=k)
    return SimpleNamespace(releases_=[one.release for one in asked], asked=asked, path=path, gaps=found.gaps(8))


def asked_part(people, A, rng):
    k, public = int(np.max(A)) + 1, public_part(people.X, people.Y)
    asked = [ask_part(public_cells(public, part), A, part, part.first, rng) for part in split_epsilon(public, 2.0, k)]
    return SimpleNamespace(releases_=[one.release for one in asked], asked=asked)


PRIVATE_FITS = {"oneshot.ask_well": asked_well, "oneshot.ask_part": asked_part}


# --- deliberate faults

def a_look_at_the_groups(f):
    def ask_well(public, A, *args, **kw):
        honest = designed.design_question

        def question(belief, candidates, path, prices, rate, epsilon):
            weights = honest(belief, candidates, path, prices, rate, epsilon)
            return weights * np.where(A[public.people[rate]] == 0, .9, 1.0)
        designed.design_question = question
        try:
            return f(public, A, *args, **kw)
        finally:
            designed.design_question = honest
    return ask_well


FAULTS = {
    "shares_add_up_to_more": Mutant(
        "dpfair_teach.oneshot.designed.split_epsilon",
        lambda f: lambda public, epsilon, *how: [part._replace(second=epsilon) for part in f(public, epsilon, *how)],
        "the second question has all of epsilon once more"),
    "a_direction_above_1": Mutant(
        "dpfair_teach.mechanisms.directions.release_directions",
        lambda f: lambda directions, A, epsilon, rng, **how: f(directions, A, 1.1 * epsilon, rng, **how),
        "weights that add up to 1.1, and noise for 1"),
    "an_audit_chosen_with_a_look": Mutant("dpfair_teach.oneshot.designed.ask_well", a_look_at_the_groups,
                                          "the second question is chosen with a look at A"),
}
