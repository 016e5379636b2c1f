"""The whole transcript of asking well, over all neighbours of small data: every answer's law is known, and told answers are replayed."""
from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpfair_teach import accounting, data, mechanisms
from dpfair_teach.fairness import Parity
from dpfair_teach.oneshot import (
    FrontierLearner,
    algorithm,
    ask_part,
    ask_well,
    bayes_mixtures,
    fair_candidates,
    fit_group_posterior,
    price_grid,
    public_cells,
    public_data,
    representative,
    split_epsilon,
)
from dpfair_teach.oneshot.public_data import PublicData
from faults import Mutant

EPSILON = 2.0
FEW = data.make_logistic(40, d=2, rng=np.random.default_rng(2))


def small(k: int, parity: Parity) -> tuple[PublicData, np.ndarray]:
    people = data.make_logistic(14, n_groups=k, d=2, rng=np.random.default_rng(1))
    return public_data(people.X, people.Y, notion=parity), people.A


class Witness:
    """Stands where noise is drawn: keeps what went in, and tells answers that are given in place of the drawn ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        law = mechanisms.MECHANISMS["geometric"]
        real = law.draw

        def noisy(value: np.ndarray, numbers: Any, rng: np.random.Generator, *how: Any, **options: Any) -> np.ndarray:
            assert options["exact"], "doubles are no exact noise"
            assert self.tell or repr(rng.bit_generator.state) not in self.states, "noise that was drawn before is not fresh"
            self.states.add(repr(rng.bit_generator.state))
            number = len(self.inputs)
            self.inputs.append((np.array(value), numbers[2] / numbers[0]))
            return real(value, numbers, rng, *how, **options) if self.tell is None else self.tell(number, value)
        monkeypatch.setattr(law, "draw", noisy)

    def run(self, public: PublicData, A: np.ndarray, k: int, seed: int = 0, tell: Callable[[int, np.ndarray], np.ndarray] | None = None,
            share: float | None = None, epsilon: float = EPSILON) -> Any:
        self.inputs, self.states, self.tell = [], set(), tell
        return algorithm.ask_well(public, A, epsilon, np.random.default_rng(seed), n_groups=k, share=share)


def neighbours(A: np.ndarray, k: int):
    for i in range(len(A)):
        for a in set(range(k)) - {A[i]}:
            other = A.copy()
            other[i] = a
            yield i, other


def same(one: Any, other: Any) -> bool:
    """Two questions: arrays, or weights of cells and the cells."""
    return all(map(same, one, other)) if isinstance(one, tuple) else np.array_equal(one, other)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "parity", "share", "epsilon", "many"), [
    (2, Parity(), .5, 2.0, False), (3, Parity(against="pairs"), .6, 2.0, False), (2, Parity("demographic_parity"), .3, 2.0, False),
    (3, Parity("true_positive"), .75, 2.0, False), (2, Parity("accuracy_parity"), .5, 2.0, False),
    (2, Parity("demographic_parity"), .3, 2.0, True), (2, Parity("demographic_parity"), None, 2.0, False),
    (2, Parity("demographic_parity"), None, 20.0, False)], ids=str)
def test_no_neighbour_s_transcript_is_more_than_epsilon_away_and_some_is_that_far(k, parity, share, epsilon, many, monkeypatch):
    """Geometric noise with decay d: the logarithm of how much likelier an answer is from one input than from another is at most d times
    their distance, and is that for answers far away. So one transcript, told to all neighbours, shows the largest ratio there is with its
    questions; of drawn answers, and of answers far off. What is published follows from the answers. ``many``: four people of each rate
    stand for all. Without a share so few people are asked once, for all of epsilon, unless that is large."""
    if many:
        monkeypatch.setattr(representative, "SAMPLE", 4)
        monkeypatch.setattr(representative, "LEAST", 4)
    public, A = small(k, parity)
    witness = Witness(monkeypatch)
    far, largest = np.random.default_rng(2), 0.0
    for tell in (None, lambda number, value: value + 200 * far.choice([-1, 1], size=value.shape)):
        asked, belief, _, published = witness.run(public, A, k, tell=tell, share=share, epsilon=epsilon)
        inputs, answers = witness.inputs, [one.answers for one in asked]
        assert len(asked) == (1 if share is None and epsilon == EPSILON else 2) * len(public.people) and belief.sample.whole != many

        def told(number, value, answers=answers):
            return answers[number]
        for i, other in neighbours(A, k):
            asked_again, _, _, published_again = witness.run(public, other, k, tell=told, share=share, epsilon=epsilon)
            for one, two in zip(asked, asked_again, strict=True):
                assert same(one.question, two.question) and one.release == two.release
            assert np.array_equal(published, published_again)
            loss = sum(decay * np.abs(value - moved).sum() for (value, decay), (moved, _) in zip(inputs, witness.inputs, strict=True))
            largest = max(largest, loss)
            touched = {one.rate for one, (value, _), (moved, _) in zip(asked, inputs, witness.inputs, strict=True)
                       if (value != moved).any()}
            assert touched <= {r for r, people in enumerate(public.people) if i in people}
    assert .98 * epsilon < largest <= epsilon * (1 + 1e-9)


def test_what_is_asked_by_other_labels_of_the_same_people_adds_up():
    """Label 0 of one labelling and label 1 of the other may be the same people: they were asked twice, whatever their labels are called."""
    records = []
    for Y, notion in ((FEW.Y, "false_positive"), (1 - FEW.Y, "true_positive")):
        model = FrontierLearner(1.0, .05, notion=notion, share=.5)
        records += model.fit(FEW.X, Y, sensitive_features=FEW.A, rng=np.random.default_rng(3)).releases_
    assert accounting.compose(records) == pytest.approx(2.0) and accounting.compose(records[:2]) == pytest.approx(1.0)
    again = FrontierLearner(1.0, .05, share=.5).fit(FEW.X, FEW.Y, sensitive_features=FEW.A, rng=np.random.default_rng(3))
    assert accounting.compose([*records[:2], *again.releases_]) == pytest.approx(2.0)       # one labelling: label 0 was asked twice for 1
    assert len({r.part[1] for r in [*records, *again.releases_]}) == 3


PAIRS = np.repeat([0.0, 1.0], 20)[:, None], np.tile([0, 1], 20), np.arange(40).reshape(-1, 2)[:, ::-1].ravel()


@pytest.mark.parametrize(("X", "Y", "order"), [PAIRS, (FEW.X, (FEW.X[:, 0] > np.median(FEW.X[:, 0])).astype(int), None)], ids=["X", "Y"])
def test_tables_that_look_the_same_may_be_of_other_people(X, Y, order):
    """Pairs of equal rows, of one label each; every pair is swapped and the labels are: the same bytes, and who had label 1 has label 0.
    Or labels are swapped and rows sorted anew: the same column of labels, and in each place another person."""
    records, columns = [], []
    for labels, notion, to in ((Y, "true_positive", None), (1 - Y, "false_positive", order)):
        to = (np.argsort(labels, kind="stable") if order is None else np.arange(40)) if to is None else to
        columns.append(labels[to])
        model = FrontierLearner(1.0, .05, notion=notion)
        records += model.fit(X[to], labels[to], sensitive_features=FEW.A[to], rng=np.random.default_rng(3)).releases_
    assert np.array_equal(*columns) and accounting.compose(records) == pytest.approx(2.0)
    assert len({record.part[1] for record in records}) == 2


@pytest.mark.parametrize("k", [2, 3])
def test_each_question_is_designed_for_what_it_may_cost_and_by_the_prices_of_the_mixtures(k, monkeypatch):
    """Of every part: its own rate, the epsilon of its second question, and each mixture with the price that it was chosen for. The last
    candidates hold those that the questions were about."""
    honest, seen, kept = algorithm.design_question, [], set()

    def question(belief, found, path, prices, rate, epsilon):
        rates = found.rates(seed=0)
        seen.append((rate, epsilon))
        kept.add(len(found.error) + int((path[:, :-2] > 0).any(axis=0).sum()))
        assert np.array_equal(prices, price_grid(found.loss, rates)) and np.array_equal(path, bayes_mixtures(found.loss, rates, prices))
        return honest(belief, found, path, prices, rate, epsilon)
    monkeypatch.setattr(algorithm, "design_question", question)
    public, A = small(k, Parity())
    asked, belief, last, path = ask_well(public, A, EPSILON, np.random.default_rng(0), n_groups=k, share=.3)
    assert kept == {len(last.error)} and last.belief is belief
    rates = last.rates(seed=1)                  # what is published is decided in the same way, by all draws of the last belief
    assert np.array_equal(path, bayes_mixtures(last.loss, rates, price_grid(last.loss, rates)))
    assert seen == [(0, pytest.approx(.7 * EPSILON)), (1, pytest.approx(.7 * EPSILON))]
    assert [one.release.epsilon for one in asked] == pytest.approx([.3 * EPSILON] * 2 + [.7 * EPSILON] * 2)


@pytest.mark.parametrize("k", [2, 3])
def test_each_answer_is_believed_as_its_record_says(k):
    """Weights in the unit of the largest, and the variance of geometric noise by the epsilon and the sensitivity that were recorded."""
    public, A = small(k, Parity())
    asked, belief, *_ = ask_well(public, A, EPSILON, np.random.default_rng(0), n_groups=k, share=.5)
    answers = [iter(of_rate) for of_rate in belief.asked]
    for one in asked:
        believed, unit = next(answers[one.rate]), 1 if k == 2 else 2
        weights, cells = one.question if isinstance(one.question, tuple) else (np.eye(one.answers.shape[1]), one.question)
        grid, decay = one.release.sensitivity / unit, np.exp(-one.release.epsilon / one.release.sensitivity)
        assert believed.rows(slice(None)).toarray() * grid == pytest.approx(weights[:, cells])
        assert believed.variance * grid**2 == pytest.approx(2 * decay / (1 - decay)**2)


@functools.cache
def begun(n_groups=2):
    """The public part, its parts, and a first question to each."""
    public = public_data(FEW.X, FEW.Y)
    parts, rng = split_epsilon(public, 2.0, n_groups), np.random.default_rng(3)
    return public, parts, [ask_part(public_cells(public, part), FEW.A, part, part.first, rng) for part in parts]


def decided():
    public, parts, asked = begun()
    belief = fit_group_posterior(public, asked)
    found = fair_candidates(public, belief)
    return public, parts, belief, found, bayes_mixtures(found.loss, found.rates(16), [1.0, .1])


def design_call():
    _, _, belief, found, path = decided()
    return dict(belief=belief, candidates=found, path=path, prices=[1.0, .1], rate=0, epsilon=1.0)


def candidates_call():
    public, _, belief, found, path = decided()
    return dict(public=public, belief=belief, also=found, path=path)


VALID_CALLS = {
    "oneshot.public_data": lambda: dict(X=FEW.X, Y=FEW.Y, notion="equalized_odds", against="anchor",
                                        base=LogisticRegression().fit(FEW.X, FEW.Y), cost=(1, 2), target="new"),
    "oneshot.ask_well": lambda: dict(public=begun()[0], A=FEW.A, epsilon=1.0, rng=np.random.default_rng(4), n_groups=2, share=.5),
    "oneshot.split_epsilon": lambda: dict(public=begun()[0], epsilon=1.0, n_groups=2, share=.5),
    "oneshot.public_cells": lambda: dict(zip(("public", "part"), (begun()[0], begun()[1][0]), strict=True)),
    "oneshot.ask_part": lambda: dict(question=public_cells(begun()[0], begun()[1][0]), A=FEW.A, part=begun()[1][0], epsilon=1.0,
                                     rng=np.random.default_rng(5)),
    "oneshot.fit_group_posterior": lambda: dict(public=begun()[0], asked=begun()[2], n_groups=2),
    "oneshot.fair_candidates": candidates_call,
    "oneshot.design_question": design_call,
}


def asked_well(people, A, rng):
    k = int(np.max(A)) + 1
    asked, _, found, path = ask_well(public_data(people.X, people.Y), np.asarray(A), 2.0, rng, n_groups=k, share=.5)
    return SimpleNamespace(releases_=[one.release for one in asked], asked=asked, path=path, rates=found.rates(8))


def asked_part(people, A, rng):
    k, public = int(np.max(A)) + 1, public_data(people.X, people.Y)
    asked = [ask_part(public_cells(public, part), A, part, part.first, rng) for part in split_epsilon(public, 2.0, k)]
    return SimpleNamespace(releases_=[one.release for one in asked], asked=asked)


PRIVATE_FITS = {"oneshot.ask_well": asked_well, "oneshot.ask_part": asked_part}


# --- deliberate faults

def a_look_at_the_groups(f):
    def ask_well(public, A, *args, **kw):
        honest = algorithm.design_question

        def question(belief, candidates, path, prices, rate, epsilon):
            weights, cells = honest(belief, candidates, path, prices, rate, epsilon)
            return weights, np.where(A[public.people[rate]] == 0, np.roll(cells, 1), cells)
        algorithm.design_question = question
        try:
            return f(public, A, *args, **kw)
        finally:
            algorithm.design_question = honest
    return ask_well


def a_share_by_the_groups(f):
    return lambda public, A, *of, share=None, **how: f(public, A, *of, share=.5 + .01 * float(np.mean(A)), **how)


def weights_beyond_the_grid(f):
    """Twice what is said of them goes into the sums."""
    def release(name, value, rng, **how):
        return f(name, value * (2 if how.get("sensitivity", 1) > 2 else 1), rng, **how)
    return release


FAULTS = {
    "shares_add_up_to_more": Mutant(
        "dpfair_teach.oneshot.questions.split_epsilon",
        lambda f: lambda public, epsilon, *how: [part._replace(second=epsilon) for part in f(public, epsilon, *how)],
        "the second question has all of epsilon once more"),
    "a_share_chosen_with_a_look": Mutant("dpfair_teach.oneshot.algorithm.ask_well", a_share_by_the_groups,
                                         "how much the first question may cost goes by how many are in group 1"),
    "a_direction_above_1": Mutant(
        "dpfair_teach.mechanisms.directions.release_directions",
        lambda f: lambda directions, A, epsilon, rng, **how: f(directions, A, 1.1 * epsilon, rng, **how),
        "weights that add up to 1.1, and noise for 1"),
    "counts_by_doubles": Mutant(
        "dpfair_teach.oneshot.questions.release_cells", lambda f: lambda *asked, **how: f(*asked, **how | {"exact": False}),
        "the noise of counts is rounded from doubles"),
    "sizes_beyond_the_grid": Mutant("dpfair_teach.mechanisms.directions.release", weights_beyond_the_grid,
                                    "somebody's sizes add up to twice what the noise is made for"),
    "an_audit_chosen_with_a_look": Mutant("dpfair_teach.oneshot.algorithm.ask_well", a_look_at_the_groups,
                                          "the second question is made with a look at A"),
}
