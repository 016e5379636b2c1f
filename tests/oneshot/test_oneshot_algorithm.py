"""Asking once on one screen: the estimator's numbers at the same seed; and the guess that it is made of."""
from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpfair_teach import data, load
from dpfair_teach.accounting import UNIT_A, Release
from dpfair_teach.mechanisms import release_cells
from dpfair_teach.oneshot import FrontierLearner, ask_once, expected_groups, guess_groups, public_part
from faults import Mutant, calling, with_arguments

GAMMAS = [0, .03, .1]
PEOPLE = {"drawn": data.make_logistic(500, d=4, shifts=[[0, 0, 0, 0], [1, .5, 0, 0]], rng=np.random.default_rng(1)),
          "communities": load("communities", features="unprotected")}
FEW = data.make_logistic(40, d=2, rng=np.random.default_rng(2))
THREE = data.make_logistic(300, n_groups=3, d=3, rng=np.random.default_rng(3))


def asked_of(people, n_groups=2, epsilon=1.0, n=4, seed=4):
    public = public_part(people.X, people.Y)
    cells, J = public.cells(n)
    return public, [(cells, *release_cells(cells, people.A, epsilon, np.random.default_rng(seed), n_groups=n_groups, n_cells=J))]


VALID_CALLS = {
    "oneshot.public_part": lambda: dict(X=FEW.X, Y=FEW.Y, method="designed", notion="equalized_odds", against="anchor",
                                        base=LogisticRegression().fit(FEW.X, FEW.Y)),
    "oneshot.guess_groups": lambda: dict(zip(("public", "asked"), asked_of(FEW), strict=True)),
    "oneshot.ask_once": lambda: dict(X=FEW.X, Y=FEW.Y, A=FEW.A, epsilon=1.0, gammas=[0, .1], rng=np.random.default_rng(5)),
}


def published(people, A, rng):
    asked, guess, best = ask_once(people.X, people.Y, A, 1.0, [0, .1], rng)
    return asked, dataclasses.astuple(dataclasses.replace(guess, chances=guess.chances(people.X))), dataclasses.astuple(best)


PRIVATE_FITS = {"oneshot.ask_once": published}


@pytest.mark.parametrize(("name", "epsilon"), [("drawn", 1e-6), ("drawn", 0.5), ("drawn", 500.0), ("communities", 2.0)])
def test_one_screen_has_the_numbers_of_the_estimator_at_the_same_seed(name, epsilon):
    """The same cells, the audit's too, answers, records and errors, whatever the noise is."""
    people = PEOPLE[name]
    for seed in range(2 if name == "drawn" else 1):
        asked, guess, best = ask_once(people.X, people.Y, people.A, epsilon, GAMMAS, np.random.default_rng(seed))
        model = FrontierLearner(epsilon, 0.0, gammas=GAMMAS).fit(people.X, people.Y, sensitive_features=people.A,
                                                                 rng=np.random.default_rng(seed))
        assert [release for _, _, release in asked] == list(model.releases_)
        for (cells, counts, _), (question, answer) in zip(asked, model.answers_, strict=True):
            assert np.array_equal(cells, question) and np.array_equal(counts, answer)
        assert best.values == pytest.approx(model.frontier_.expected_error, abs=1e-9)
        assert guess.chances(people.X[:5]) == pytest.approx(model._basis.chances(people.X[:5]), abs=1e-12)


@pytest.mark.parametrize("people, k", [(PEOPLE["drawn"], 2), (THREE, 3)], ids=["two", "three"])
def test_the_guess_is_the_best_linear_guess_of_each_label(people, k):
    """By expected_groups, with the questions written out, for one answer and for two that overlap."""
    public, asked = asked_of(people, k)
    joint = (people.X[:, 0] > 0) + 2 * people.Y
    asked.append((joint, *release_cells(joint, people.A, 2.0, np.random.default_rng(6), n_groups=k)))
    moved = 1.0 if k == 2 else 2.0
    variance = [2 * np.exp(-e / moved) / (1 - np.exp(-e / moved))**2 for e in (1.0, 2.0)]
    for told in (asked[:1], asked):
        guess = guess_groups(public, told)
        assert guess.weights.sum(axis=1) == pytest.approx(np.ones(people.m))
        for a, y in np.ndindex(k - 1, 2):
            i, queries, answers, variances = np.flatnonzero(people.Y == y), [], [], []
            for (cells, counts, _), noise in zip(told, variance, strict=False):
                for c in np.unique(cells[i]):
                    queries.append(cells[i] == c)
                    answers.append(counts[a, c])
                    variances.append(noise)
            mean = np.clip(sum(answers[:len(np.unique(asked[0][0][i]))]) / len(i), .05, .95)
            features = public.map.features(public.map.place(people.X[i]))
            by_hand = expected_groups(np.array(queries, float), answers, variances, features, mean, .6 * mean * (1 - mean))
            assert guess.weights[i, a + 1] == pytest.approx(by_hand, abs=1e-7)


@pytest.mark.parametrize("wrong", [
    [(0, 1)], [([0] * 40, [[1.0]], "a record")], [([0] * 39, [[1.0]], Release("geometric", UNIT_A, sensitivity=1, scale=1.0))],
    [([1] * 40, [[1.0]], Release("geometric", UNIT_A, sensitivity=1, scale=1.0))],
    [([0] * 40, [[1.0]], Release("laplace", UNIT_A, sensitivity=1, scale=1.0))]], ids=range(5))
def test_what_is_no_question_with_its_answer_is_refused(wrong):
    with pytest.raises(ValueError, match=r"^asked=.*Give a list of \(cells, counts, release\)"):
        guess_groups(public_part(FEW.X, FEW.Y), wrong)


FAULTS = {
    "audit_forgotten": Mutant(
        "dpfair_teach.oneshot.ask_once", calling("guess_groups", with_arguments(asked=lambda asked: asked[:1])),
        "the last mixtures are made without the second answer"),
}
