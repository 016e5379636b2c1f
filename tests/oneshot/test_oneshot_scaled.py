"""Features as people have them: in other units, far from 0, with wild rows, dependent up to rounding, in single precision."""
from __future__ import annotations

import numpy as np
import pytest

from dpfair_teach import data
from dpfair_teach.oneshot import FrontierLearner, public_data
from dpfair_teach.oneshot.scaled import CUT, Scaling

PEOPLE = data.make_logistic(1500, d=5, rng=np.random.default_rng(1))
#: The last is the sum of the first two, up to the twelfth digit.
DEPENDENT = np.column_stack([PEOPLE.X.round(12), (PEOPLE.X[:, 0] + PEOPLE.X[:, 1]).round(12)])
HALF = np.arange(PEOPLE.m) < 750


def fitted(X: np.ndarray, **how) -> FrontierLearner:
    model = FrontierLearner(1.0, .1, gammas=[.1], **how)
    return model.fit(X, PEOPLE.Y[:len(X)], sensitive_features=PEOPLE.A[:len(X)], rng=np.random.default_rng(0))


@pytest.mark.parametrize("notion", ["equalized_odds", "accuracy_parity"])
def test_units_and_where_zero_is_change_nothing(notion):
    """A column a million times as large, or as small, or shifted: the same cells, answers and records, and up to rounding the same
    predictions. Powers of two round nothing."""
    plain = fitted(PEOPLE.X, notion=notion)
    times, shift = np.array([1e6, 1e-6, 1, 3, 2.0**30]), np.array([0, 0, 100, -7, 0])
    other = fitted(PEOPLE.X * times + shift, notion=notion)
    assert [(r.epsilon, r.scale) for r in plain.releases_] == [(r.epsilon, r.scale) for r in other.releases_]
    assert all(np.array_equal(mine, theirs) for (_, mine), (_, theirs) in zip(plain.answers_, other.answers_, strict=True))
    assert other.predict_proba(PEOPLE.X * times + shift) == pytest.approx(plain.predict_proba(PEOPLE.X), abs=1e-6)
    assert other.accepted_.deviation == pytest.approx(plain.accepted_.deviation, rel=1e-6)
    exact = fitted(PEOPLE.X * 2.0**np.arange(-20, 21, 10), notion=notion)
    assert np.array_equal(exact.predict_proba(PEOPLE.X * 2.0**np.arange(-20, 21, 10)), plain.predict_proba(PEOPLE.X))


def test_a_wild_row_changes_little():
    """Of one person a thousand times as far out as all others: deviations of columns become larger by a third at most."""
    plain, X = Scaling(PEOPLE.X), PEOPLE.X.copy()
    X[7] *= 1e3
    found, wild = Scaling(X), fitted(X)
    assert (found.deviation / plain.deviation).max() < 1.33 and (np.abs(found.mean - plain.mean) / plain.deviation).max() < .05
    assert np.abs(found(X)).max() <= CUT
    assert np.abs(public_data(X, PEOPLE.Y).eta_of_people - public_data(PEOPLE.X, PEOPLE.Y).eta_of_people).mean() < .01
    assert np.abs(wild.predict_proba(X) - fitted(PEOPLE.X).predict_proba(PEOPLE.X)).mean() < .1


def test_a_constant_feature_or_one_far_from_zero_ruins_nothing():
    """Neither says anything about anybody: where people stand and the chance of label 1 stay."""
    plain = public_data(PEOPLE.X, PEOPLE.Y)
    for X in (np.insert(PEOPLE.X, 5, .1, axis=1), np.insert(PEOPLE.X, 0, 1e6, axis=1), PEOPLE.X + [0, 1e5, 0, -1e7, 0]):
        public = public_data(X, PEOPLE.Y)
        assert public.eta_of_people == pytest.approx(plain.eta_of_people, abs=1e-6) and public.place == pytest.approx(plain.place, abs=1e-5)
        assert np.array_equal(public.eta(X), public.eta_of_people)


def test_single_precision_decides_as_double_does_where_features_depend_on_each_other():
    """A direction that is rounding and nothing else must not carry coefficients of 10^11."""
    model = fitted(DEPENDENT[HALF])
    double, single = (model.score(X, PEOPLE.Y[~HALF], gamma=.1) for X in (DEPENDENT[~HALF], DEPENDENT[~HALF].astype(np.float32)))
    assert abs(double - single) < 1e-3
    moved = DEPENDENT * (1 + 1e-9 * np.random.default_rng(3).normal(size=DEPENDENT.shape))
    assert np.abs(model.predict_proba(moved, gamma=.1) - model.predict_proba(DEPENDENT, gamma=.1)).mean() < 1e-3


def test_only_features_that_hardly_vary_are_refused():
    """What is smaller than the last digits of the mean is rounding; of small numbers about 0 nothing is."""
    for X in (np.full((1500, 2), .1), PEOPLE.X * 1e-3 + 1e12, 0 * PEOPLE.X):
        with pytest.raises(ValueError, match=r"^X=.*: is the largest standard deviation of its columns: the features hardly vary"):
            fitted(X)
    for times in (1e-40, 1e40):
        fitted(PEOPLE.X * times)


@pytest.mark.parametrize("far", [1e6, 1e12, 1e30])
def test_one_entry_however_far_out_changes_little(far):
    """Medians start: 10^12 out is no further than ten deviations out."""
    X = PEOPLE.X.copy()
    X[7, 2] = far
    found, plain = Scaling(X), Scaling(PEOPLE.X)
    assert found.deviation == pytest.approx(plain.deviation, rel=0.02) and np.abs(found(X)).max() == CUT
    assert np.abs(found(X) - plain(PEOPLE.X))[np.arange(PEOPLE.m) != 7].max() < 0.1


def test_a_rare_indicator_stays():
    """Most people are at the median of such a column; whoever is not there is told apart from them as before."""
    X = np.column_stack([PEOPLE.X, np.arange(PEOPLE.m) == 3])
    Z = Scaling(X)(X)
    assert Z[3, -1] == CUT and np.ptp(np.delete(Z[:, -1], 3)) == 0
