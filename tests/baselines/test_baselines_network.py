"""The network as scikit-learn's classifier: weights are copies, seeds are seeds, and it learns what a line cannot."""
from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from dpfair_teach import baselines, data
from faults import Mutant

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 2))
Y = (X[:, 0] * X[:, 1] > 0).astype(int)         # no line knows


def fitted(X=X, y=Y, sample_weight=None, seed=1, **how):
    return baselines.NetworkClassifier(**dict(hidden=(8,), epochs=5, batch=1000, learning_rate=.01) | how).fit(
        X, y, sample_weight, rng=np.random.default_rng(seed))


def test_it_learns_what_a_line_cannot():
    model = fitted(hidden=(16, 16), epochs=60, batch=32)
    assert (model.predict(X) == Y).mean() > .9 > .65 > (LogisticRegression().fit(X, Y).predict(X) == Y).mean()
    chances = model.predict_proba(X)
    assert np.array_equal(model.predict(X), chances[:, 1] > .5) and chances.sum(axis=1) == pytest.approx(1)


def test_a_weight_is_a_number_of_copies():
    """All in one batch: the same steps, up to rounding. And weights count in proportion."""
    w = RNG.integers(0, 4, 400)
    weighted, copied = fitted(sample_weight=w), fitted(np.repeat(X, w, axis=0), np.repeat(Y, w))
    np.testing.assert_allclose(weighted.theta_, copied.theta_, atol=1e-9)
    np.testing.assert_allclose(fitted(sample_weight=7.5 * w).theta_, weighted.theta_, atol=1e-9)
    assert np.abs(fitted().theta_ - weighted.theta_).max() > 1e-3


def test_the_generator_is_the_only_chance():
    assert np.array_equal(fitted(batch=32).theta_, fitted(batch=32).theta_)
    assert not np.array_equal(fitted(batch=32).theta_, fitted(batch=32, seed=2).theta_)
    fresh = [baselines.NetworkClassifier((4,), epochs=0).fit(X, Y).theta_ for _ in range(2)]
    assert not np.array_equal(*fresh)
    with pytest.raises(ValueError, match=r"^rng=3: not a numpy.random.Generator"):
        baselines.NetworkClassifier((4,)).fit(X, Y, rng=3)


def test_every_option_is_read():
    plain = fitted(batch=32).theta_
    for other in (dict(learning_rate=.02), dict(epochs=6), dict(batch=64), dict(precision="float32")):
        assert not np.array_equal(fitted(**dict(batch=32) | other).theta_, plain)
    assert fitted(precision="float32").theta_.dtype == np.float32 and fitted(hidden=()).theta_.shape == (3,)


def test_wrong_weights_and_labels_are_refused():
    for wrong, why in ((np.zeros(400), "is 0 for everybody"), (-np.ones(400), "outside"), (np.ones(3), "shape"),
                       (np.full(400, np.nan), "NaN")):
        with pytest.raises(ValueError, match=f"^sample_weight=.*{why}"):
            fitted(sample_weight=wrong)
    with pytest.raises(ValueError, match=r"^y=1: everybody has the same label"):
        fitted(y=np.ones(400, int))


class Told(baselines.NetworkClassifier):
    """scikit-learn's checks know of no generator, and want ones that draw the same."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight, rng=np.random.default_rng(0))


@pytest.mark.slow
def test_scikit_learns_checks():
    """What it does otherwise: labels are 0 and 1, and what is wrong is refused in this library's words."""
    otherwise = {"check_estimators_dtypes", "check_classifiers_classes", "check_fit2d_1feature", "check_classifier_data_not_an_array",
                 "check_complex_data", "check_classifiers_one_label", "check_classifiers_regression_target", "check_fit2d_1sample",
                 "check_classifier_not_supporting_multiclass", "check_fit2d_predict1d", "check_requires_y_none",
                 "check_n_features_in_after_fitting", "check_dtype_object", "check_supervised_y_2d"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(Told(hidden=(8,), epochs=60, batch=16, learning_rate=.02), on_fail=None, on_skip=None)
    failed = {one["check_name"]: one["exception"] for one in found if one["status"] == "failed"}
    assert failed.keys() <= otherwise | {
        "check_estimators_empty_data_messages", "check_classifiers_train", "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weights_not_an_array", "check_all_zero_sample_weights_error", "check_sample_weights_shape",
        "check_sample_weights_not_overwritten", "check_sample_weights_list", "check_sample_weights_pandas_series"}, failed


def test_others_can_use_it():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = fitted(frame)
    assert model.feature_names_in_.tolist() == ["a", "b"] and np.array_equal(model.predict(frame), model.predict(X))
    CalibratedClassifierCV(baselines.NetworkClassifier((4,), epochs=2), cv=2).fit(X, Y).predict(X)


def test_with_metadata_routing_the_generator_reaches_it():
    """As its siblings say it: without that a search refuses rng, or drops it."""
    search = GridSearchCV(make_pipeline(StandardScaler(), baselines.NetworkClassifier((4,), batch=64)),
                          {"networkclassifier__epochs": [1, 2]}, cv=2)
    frame = pd.DataFrame(X, columns=["a", "b"])
    with sklearn.config_context(enable_metadata_routing=True):
        found = [search.fit(frame, Y, rng=np.random.default_rng(seed)).predict_proba(frame) for seed in (0, 0, 1)]
    assert np.array_equal(found[0], found[1]) and not np.array_equal(found[0], found[2])


# --- deliberate faults

FAULTS = {
    "network_ignores_weights": Mutant(
        "dpfair_teach.baselines.NetworkClassifier.fit", lambda f: lambda self, X, y, sample_weight=None, rng=None: f(self, X, y, rng=rng),
        "everybody counts once"),
}


def test_a_table_with_other_columns_is_refused():
    people = data.make_logistic(60, d=3, rng=np.random.default_rng(0))
    table = pd.DataFrame(people.X, columns=list("abc"))
    model = baselines.NetworkClassifier((4,), epochs=1).fit(table, people.Y, rng=np.random.default_rng(0))
    for ask in (model.predict_proba, model.decision_function, model.predict):
        with pytest.raises(ValueError, match=r"X=.*in another order"):
            ask(table[["c", "b", "a"]])


def test_float32_refuses_what_it_cannot_hold():
    people = data.make_logistic(60, d=3, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^X, precision=.*Standardize"):
        baselines.NetworkClassifier((4,), epochs=1, precision="float32").fit(people.X * 1e40, people.Y)
