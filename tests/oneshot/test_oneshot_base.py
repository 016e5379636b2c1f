"""Somebody's classifier in the place of the public logistic: its chances are read, nothing else; refusals precede the noise."""
from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from dpfair_teach import _checks, data
from dpfair_teach.oneshot import FrontierLearner, _blocks, ask_well, fair_candidates, public_part

PEOPLE = data.make_logistic(300, d=3, shifts=[[0, 0, 0], [1, .5, 0]], rng=np.random.default_rng(1))
GAMMAS = [0, .05, .2]


class Says:
    """What somebody's classifier may say: any function of X."""

    def __init__(self, answer):
        self.answer = answer

    def predict_proba(self, X):
        return self.answer(X)


def chances(ones):
    return np.column_stack([1 - ones, ones])


def fitted(base, X=PEOPLE.X, rng=None, **how):
    model = FrontierLearner(1.0, 0.0, gammas=GAMMAS, base=base, **how)
    return model.fit(X, PEOPLE.Y, sensitive_features=PEOPLE.A, rng=np.random.default_rng(2) if rng is None else rng)


WAYS = [{}, {"n_groups": 3, "against": "anchor"}, {"notion": "demographic_parity"}]


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_a_base_that_says_what_the_logistic_says_changes_no_bit(how):
    eta = public_part(PEOPLE.X, PEOPLE.Y).eta
    plain, given = fitted(None, **how), fitted(Says(lambda X: chances(eta(X))), **how)
    for name in ("weights", "multipliers", "error", "gaps"):
        assert np.array_equal(getattr(plain.frontier_, name), getattr(given.frontier_, name))
    assert np.array_equal(plain.predict_proba(PEOPLE.X[:40], gamma=.05), given.predict_proba(PEOPLE.X[:40], gamma=.05))


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_the_first_question_does_not_look_at_the_base_and_the_candidates_do(how):
    plain, given = fitted(None, **how), fitted(GaussianNB().fit(PEOPLE.X, PEOPLE.Y), **how)
    (cells, told), (again, told_again) = plain.answers_[0], given.answers_[0]
    assert np.array_equal(cells, again) and np.array_equal(told, told_again)
    assert not np.array_equal(plain.frontier_.error, given.frontier_.error)


def test_without_multipliers_the_candidate_is_the_base_itself():
    base = GaussianNB().fit(PEOPLE.X, PEOPLE.Y)
    public = public_part(PEOPLE.X, PEOPLE.Y, base=base)
    _, belief, *_ = ask_well(public, PEOPLE.A, 1.0, np.random.default_rng(2))
    assert np.array_equal(fair_candidates(public, belief).decisions.whole[0], base.predict(PEOPLE.X))


def test_the_stages_ask_well_with_the_same_base():
    base = GaussianNB().fit(PEOPLE.X, PEOPLE.Y)
    public = public_part(PEOPLE.X, PEOPLE.Y, base=base)
    asked, _, found, _ = ask_well(public, PEOPLE.A, 1.0, np.random.default_rng(2))
    model = fitted(base)
    assert [a.release for a in asked] == list(model.releases_)
    assert set(model.frontier_.error) <= set(found.error)


GOOD = LogisticRegression().fit(PEOPLE.X, PEOPLE.Y)
OTHER_LABELS = LogisticRegression().fit(PEOPLE.X, np.arange(300) % 3)
WRONG = {
    "not fitted": (LogisticRegression(), r"^base=LogisticRegression\(\): is not fitted, and is never fitted here\. Fit it on X and Y"),
    "no chances": (LinearSVC().fit(PEOPLE.X, PEOPLE.Y), r"^base=LinearSVC\(\): has no predict_proba\. Give a fitted classifier that"),
    "no classifier": ("boosted", r"^base='boosted': has no predict_proba\. Give"),
    "three classes": (OTHER_LABELS, r"^base=.*: knows the classes \[.*2.*\], not 0 and 1\. Fit it on labels 0 and 1"),
    "other features": (LogisticRegression().fit(PEOPLE.X[:, :2], PEOPLE.Y),
                       r"^X=\(300, 3\): the base cannot predict on it \(ValueError: .*3 features.*\)\. Give the columns that the base was"),
    "one column": (Says(lambda X: X[:, 0]), r"^base\.predict_proba\(X\)=\(300,\): is not of the shape \(300, 2\)\. Give a base that"),
    "words": (Says(lambda X: [["a", "b"]] * len(X)), r"^base\.predict_proba\(X\)=.*'a'.*: not numeric\. Give a base that answers with two"),
    "NaN": (Says(lambda X: np.full((len(X), 2), np.nan)), r"^base\.predict_proba\(X\)=nan: outside \[0, 1\]\. Give a base that"),
    "scores": (Says(lambda X: np.full((len(X), 2), 1.5)), r"^base\.predict_proba\(X\)=1\.5: outside \[0, 1\]\. Give a base that"),
    "raises": (Says(lambda X: 1 / 0), r"^X=\(300, 3\): the base cannot predict on it \(ZeroDivisionError: division by zero\)"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_base_that_cannot_tell_is_refused_before_anything_is_drawn(what):
    base, said = WRONG[what]
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=said):
        fitted(base, rng=rng)
    assert rng.bit_generator.state == before
    with pytest.raises(ValueError, match=said):
        public_part(PEOPLE.X, PEOPLE.Y, base=base)


def test_of_many_people_a_base_that_fails_at_the_last_is_refused_before_anything_is_drawn(monkeypatch):
    for module in (_blocks, _checks):
        monkeypatch.setattr(module, "TOGETHER", 50)
        monkeypatch.setattr(module, "BLOCK", 64)
    last, sizes, rng = PEOPLE.X[-1], [], np.random.default_rng(3)
    before = rng.bit_generator.state

    def answer(X):
        sizes.append(len(X))
        return chances(np.where((last == X).all(axis=1), np.nan, .5))
    with pytest.raises(ValueError, match=r"^base\.predict_proba\(X\)=nan: "):
        fitted(Says(answer), rng=rng)
    assert rng.bit_generator.state == before and max(sizes) == 64 and sum(sizes) == 300


def test_rounding_is_no_chance_above_one():
    assert np.isfinite(fitted(Says(lambda X: chances(np.where(X[:, 0] > 0, 1 + 1e-15, 0.0)))).frontier_.error).all()


def test_a_clone_forgets_unless_the_base_is_frozen_and_a_pickle_does_not():
    model = fitted(GOOD)
    with pytest.raises(ValueError, match=r"^base=LogisticRegression\(\): is not fitted.*wrap it in sklearn\.frozen\.FrozenEstimator"):
        fitted(clone(model).base)
    frozen = clone(FrontierLearner(1.0, 0.0, gammas=GAMMAS, base=FrozenEstimator(GOOD)))
    frozen.fit(PEOPLE.X, PEOPLE.Y, sensitive_features=PEOPLE.A, rng=np.random.default_rng(2))
    said = model.predict_proba(PEOPLE.X)
    assert np.array_equal(frozen.predict_proba(PEOPLE.X), said)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(PEOPLE.X), said)
    with pytest.raises(ValueError, match=r"^base=None: the last fit was with base=LogisticRegression\(\)\. Fit again"):
        model.set_params(base=None).predict_proba(PEOPLE.X)


@pytest.mark.parametrize("how", WAYS[:2], ids=str)
def test_who_fits_the_base_anew_changes_nothing_that_is_published(how):
    base = LogisticRegression().fit(PEOPLE.X, PEOPLE.Y)
    model = fitted(base, **how)
    before = model.predict_proba(PEOPLE.X)
    base.fit(PEOPLE.X, 1 - PEOPLE.Y)
    assert np.array_equal(model.predict_proba(PEOPLE.X), before)
    model.gamma = .1
    assert np.isfinite(model.predict_proba(PEOPLE.X)).all()


@pytest.mark.filterwarnings("error")
def test_a_base_that_knows_names_is_asked_by_names():
    """So columns in another order are an error and no other classifier; plain arrays of people to come are taken by the names of fit."""
    table = pd.DataFrame(PEOPLE.X, columns=["a", "b", "c"])
    base = LogisticRegression().fit(table, PEOPLE.Y)
    model = fitted(base, table)
    assert model.predict_proba(table) == pytest.approx(fitted(GOOD).predict_proba(PEOPLE.X), abs=1e-5)
    assert np.array_equal(model.predict_proba(table), model.predict_proba(PEOPLE.X))
    with pytest.raises(ValueError, match=r"(?s)^X=\(300, 3\): the base cannot predict on it \(ValueError: The feature names.*order"):
        fitted(base, table[["b", "a", "c"]])
    fitted(GOOD, table)
