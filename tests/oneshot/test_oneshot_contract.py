"""The learner keeps scikit-learn's contract, as the library's other estimator does."""
from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score, cross_validate
from sklearn.utils import get_tags

from dpfair_teach import data, fairness
from dpfair_teach.oneshot import FrontierLearner

PEOPLE = data.make_logistic(300, d=4, shifts=[[0, 0, 0, 0], [1, .5, 0, 0]], rng=np.random.default_rng(1))
FRAME = pd.DataFrame(PEOPLE.X, columns=list("abcd"))


def fitted(X=PEOPLE.X, seed=2, **settings):
    model = FrontierLearner(1.0, 0.0, **{"gammas": [0, .1], **settings})
    return model.fit(X, PEOPLE.Y, sensitive_features=PEOPLE.A, rng=np.random.default_rng(seed))


def test_clone_pickle_and_tags():
    model = fitted(share=0.4, gammas=np.array([0, .1]))
    again = clone(model)
    assert again.get_params().keys() == model.get_params().keys() and again.share == 0.4 and np.array_equal(again.gammas, [0, .1])
    with pytest.raises(NotFittedError):
        again.predict_proba(PEOPLE.X)
    stored = pickle.loads(pickle.dumps(model))
    assert np.array_equal(stored.predict_proba(PEOPLE.X, gamma=.1), model.predict_proba(PEOPLE.X, gamma=.1))
    tags = get_tags(model)
    assert tags.estimator_type == "classifier" and not tags.classifier_tags.multi_class


def test_a_table_with_names_is_read_and_its_names_are_kept():
    model, plain = fitted(FRAME), fitted()
    assert model.n_features_in_ == 4 and model.feature_names_in_.tolist() == list("abcd")
    assert model.predict_proba(FRAME) == pytest.approx(plain.predict_proba(PEOPLE.X), abs=1e-9)
    assert model.predict_proba(PEOPLE.X) == pytest.approx(plain.predict_proba(FRAME), abs=1e-9)     # no names on one side: all is well
    model.fit(PEOPLE.X, PEOPLE.Y, sensitive_features=PEOPLE.A, rng=np.random.default_rng(2))
    assert not hasattr(model, "feature_names_in_")                                          # nothing of the first fit is left


def test_columns_in_another_order_are_refused():
    model = fitted(FRAME)
    uses = (model.predict_proba, model.decisions, lambda X: model.predict(X, rng=np.random.default_rng(0)),
            lambda X: model.score(X, PEOPLE.Y))
    for wrong in (FRAME[list("dcba")], FRAME.rename(columns={"a": "e"})):
        for use in uses:
            with pytest.raises(ValueError, match=r"^X=\['[a-e]', .*\]: are not the columns of fit, \['a', 'b', 'c', 'd'\]"):
                use(wrong)


@pytest.mark.parametrize("change, told", [
    (lambda X: X.drop(columns="c57"), r", but without \['c57'\]\. Give X the columns of fit, in that order\.$"),
    (lambda X: X.assign(group=0), r", but with \['group'\]\. .*: X\[list\(feature_names_in_\)\]\.$"),
    (lambda X: X.rename(columns={"c3": "d3"}), r", but without \['c3'\] and with \['d3'\]\. "),
    (lambda X: X[X.columns[::-1]], r", but in another order\. Give"),
    (lambda X: X.rename(columns={"c3": "c4"}), r", but without \['c3'\] and with \['c4'\]\. .* order\.$"),
    (lambda X: pd.concat([X, X[["c4"]]], axis=1), r", but with \['c4'\]\. .* order\.$"),
])
def test_of_many_columns_those_that_differ_are_named_and_not_all(change, told):
    table = pd.DataFrame(np.random.default_rng(0).random((40, 100)), columns=[f"c{j}" for j in range(100)])
    model = FrontierLearner(100.0, 0.0, gammas=[0.0]).fit(
        table, np.arange(40) % 2, sensitive_features=np.arange(40) // 20, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match=told) as refusal:
        model.predict_proba(change(table))
    assert len(str(refusal.value)) < 400


def test_what_every_candidate_decides_is_of_the_parameters_of_the_fit():
    model = fitted(gammas=np.array([0, .1]))
    told = model.decisions(PEOPLE.X)
    with pytest.raises(ValueError, match=r"^epsilon=2\.0: the last fit was with epsilon=1\.0\. Fit again"):
        model.set_params(epsilon=2.0).decisions(PEOPLE.X)
    model.set_params(epsilon=1.0).gammas[1] = .2                # in place
    with pytest.raises(ValueError, match=r"^gammas=.*: the last fit was with gammas=.*Other gammas cost neither: give them to predict"):
        model.decisions(PEOPLE.X)
    assert np.array_equal(model.set_params(gammas=[0, .1]).decisions(PEOPLE.X), told)


@pytest.mark.parametrize("gamma", [0.0, .1])
def test_the_score_is_the_exact_expected_accuracy(gamma):
    model = fitted()
    right = model.predict_proba(PEOPLE.X, gamma=gamma)[np.arange(PEOPLE.m), PEOPLE.Y].mean()
    told = 1 - model.frontier_.expected_error[[0, .1].index(gamma)]
    assert model.score(PEOPLE.X, PEOPLE.Y, gamma=gamma) == pytest.approx(right, abs=1e-12) == pytest.approx(told, abs=1e-9)
    drawn = model.predict(PEOPLE.X, rng=np.random.default_rng(3), gamma=gamma)
    counts = fairness.cell_counts(drawn, np.zeros(PEOPLE.m, int), PEOPLE.Y)
    assert abs(fairness.error(counts) - 1 + right) < 0.2            # 300 coins, Hoeffding: off by more with probability below 1e-10
    with pytest.raises(ValueError, match=r"^sample_weight="):
        model.score(PEOPLE.X, PEOPLE.Y, sample_weight=np.ones(PEOPLE.m))
    with pytest.raises(ValueError, match=r"^y="):
        model.score(PEOPLE.X, PEOPLE.Y[:-1])


def test_cross_validation_scores_it():
    known = {"sensitive_features": PEOPLE.A, "rng": np.random.default_rng(4)}
    found = cross_val_score(FrontierLearner(1.0, 0.0), PEOPLE.X, PEOPLE.Y, params=known, cv=3, error_score="raise")
    assert ((found > .3) & (found < 1)).all() and len(found) == 3


def noise_of(folds: dict) -> np.ndarray:
    """What was added to the first ten counts of each fold's first release."""
    off = []
    for model, learned in zip(folds["estimator"], folds["indices"]["train"], strict=True):
        cells, counts = model.answers_[0]
        off.append((counts[0] - np.bincount(cells[(PEOPLE.A[learned] == 1) & (cells >= 0)], minlength=counts.shape[1]))[:10])
    return np.array(off)


def test_folds_in_one_process_draw_their_own():
    known = {"sensitive_features": PEOPLE.A, "rng": np.random.default_rng(5)}
    folds = noise_of(cross_validate(FrontierLearner(1.0, 0.0), PEOPLE.X, PEOPLE.Y, params=known, cv=3, scoring="roc_auc",
                                    return_estimator=True, return_indices=True))
    assert (folds[1:] != folds[0]).any(axis=1).all()
