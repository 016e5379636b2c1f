"""Features as people have them: dependent up to rounding, in single precision, in other units."""
from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from book.studies.left_panel import reference_on
from dpfair_teach import data
from dpfair_teach.oneshot import FrontierLearner
from dpfair_teach.oneshot._public import Public
from dpfair_teach.oracles import RegressionOracle

PEOPLE = data.make_logistic(1500, d=5, rng=np.random.default_rng(1))
#: The last is the sum of the first two, up to the twelfth digit.
DEPENDENT = np.column_stack([PEOPLE.X.round(12), (PEOPLE.X[:, 0] + PEOPLE.X[:, 1]).round(12)])
HALF = np.arange(PEOPLE.m) < 750


def fitted(X: np.ndarray) -> FrontierLearner:
    model = FrontierLearner(1.0, .1, gammas=[.1])
    return model.fit(X, PEOPLE.Y[:len(X)], sensitive_features=PEOPLE.A[:len(X)], rng=np.random.default_rng(0))


def test_single_precision_decides_as_double_does_where_features_depend_on_each_other():
    """A direction that is rounding and nothing else must not carry coefficients of 10^11."""
    model = fitted(DEPENDENT[HALF])
    double, single = (model.score(X, PEOPLE.Y[~HALF], gamma=.1) for X in (DEPENDENT[~HALF], DEPENDENT[~HALF].astype(np.float32)))
    assert abs(double - single) < 1e-3
    moved = DEPENDENT * (1 + 1e-9 * np.random.default_rng(3).normal(size=DEPENDENT.shape))
    assert np.abs(model.predict_proba(moved, gamma=.1) - model.predict_proba(DEPENDENT, gamma=.1)).mean() < 1e-3


def test_there_is_one_least_squares():
    """The learner and the reference of the protocol leave out what the oracle leaves out."""
    public, oracle = Public(DEPENDENT, PEOPLE.Y), RegressionOracle(DEPENDENT, PEOPLE.Y)
    assert np.abs(public.base - oracle.base).max() < 1e-9 and np.abs(oracle.base).max() < 10
    third = np.arange(PEOPLE.m) % 3 == 0
    split = np.flatnonzero(~third), np.flatnonzero(third)
    plain, doubled = (np.vstack(reference_on(SimpleNamespace(X=X, A=PEOPLE.A, Y=PEOPLE.Y), [split], False)) for X in (PEOPLE.X, DEPENDENT))
    assert np.abs(plain - doubled).max() < 1e-9


def test_features_that_vary_too_little_are_refused_for_what_they_are():
    for X in (PEOPLE.X * 1e-40, PEOPLE.X * 1e-12, PEOPLE.X * 1e-3 + 1e12):
        with pytest.raises(ValueError, match=r"^X=.*: is its largest singular value without the mean: the features hardly vary"):
            fitted(X)
    fitted(PEOPLE.X * 1e-7)


def test_a_column_that_is_far_from_0_is_named():
    X = np.insert(PEOPLE.X, 2, 1.7e12, axis=1)
    with pytest.raises(ValueError, match=r"^X=1\.?7\d*.*: is the mean of column 2, so far from 0 .*Take the mean off"):
        fitted(X)
    X[:, 2] -= X[:, 2].mean()
    fitted(X)
