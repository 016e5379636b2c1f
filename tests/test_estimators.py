"""One contract for every learner: the same tests for all of them. A learner joins by one line of ``CASES``.

Who reads groups when it predicts is told them in a column of X wherever the caller, such as ``cross_val_predict``, hands on nothing but X.
"""
from __future__ import annotations

import functools
import importlib
import inspect
import pickle
import pkgutil
import re
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame, selection_rate
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array
from sklearn.utils.estimator_checks import check_estimator

import dpfair_teach
from dpfair_teach import (
    accounting,
    audit,
    baselines,
    data,
    experiments,
    explore,
    fairness,
    functional,
    games,
    lagrangian,
    networks,
    oneshot,
    oracles,
    plotting,
    postprocessing,
    training,
)
from dpfair_teach._classifier import RandomizedClassifier
from dpfair_teach._group_argument import WITHOUT_GROUPS

PEOPLE = data.make_logistic(400, d=3, shifts=[[0, 0, 0], [1, .5, 0]], rng=np.random.default_rng(1))
X, Y, A = PEOPLE.X, PEOPLE.Y, PEOPLE.A
FRAME = pd.DataFrame(X, columns=list("xyz"), index=np.random.default_rng(0).permutation(1000)[:400])
GROUPED = FRAME.assign(group=A)


class Base:
    """A base, with decisions and scores, that takes tables with and without names."""

    weights = LogisticRegression().fit(X, Y).coef_[0]

    def predict(self, X: Any) -> np.ndarray:
        return (self.decision_function(X) > 0).astype(int)

    def decision_function(self, X: Any) -> np.ndarray:
        return np.asarray(X) @ self.weights


class Above:
    """Accepts where one feature is above a threshold; no estimator, so that a clone keeps the threshold."""

    def __init__(self, feature: int, threshold: float) -> None:
        self.feature, self.threshold = feature, threshold

    def predict(self, X: Any) -> np.ndarray:
        return (np.asarray(X)[:, self.feature] > self.threshold).astype(int)


RULES = [Above(feature, threshold) for feature in (0, 1) for threshold in (-1, -.5, 0, .5, 1)]


class Case(NamedTuple):
    """A learner: how it is made, whether its classifier reads the group, at which epsilon it warns of small groups, if ever; and whether it
    is sure of everybody, each P(1) being 0 or 1, so that there are no coins."""

    make: Callable[..., RandomizedClassifier]
    aware: bool
    warns_at: float | None = .05
    sure: bool = False

    def fitted(self, X: Any = X, y: Any = Y, A: Any = A, seed: int = 2, **changed: Any) -> RandomizedClassifier:
        return self.make(**changed).fit(X, y, sensitive_features=A, rng=np.random.default_rng(seed))

    def groups(self, A: Any = A) -> Any:
        """What a prediction has to be told."""
        return A if self.aware else None


def repaired(**how: Any) -> Case:
    usual = dict(epsilon=2.0, gamma=.05, n_groups=2)
    return Case(lambda **changed: postprocessing.DPPostProcessing(Base(), **dict(usual, **how) | changed), aware=True)


def asked(**how: Any) -> Case:
    return Case(lambda **changed: oneshot.FrontierLearner(**dict(epsilon=4.0, gamma=.05, **how) | changed), aware=False)


def played(learner: type, *given: Any, warns_at: float | None = None, **how: Any) -> Case:
    usual = dict(epsilon=4.0, gamma=.05, delta=DELTA, n_groups=2)
    return Case(lambda **changed: learner(*given, **dict(usual, **how) | changed), aware=False, warns_at=warns_at)


def priced(learner: type, sure: bool = True, warns_at: float | None = None, **how: Any) -> Case:
    """A network with multipliers; in one step an epoch, so that folds of any size have noise that was found before."""
    usual = dict(gamma=.05, n_groups=2, hidden=(3,), epochs=3, batch=512, learning_rate=.05)
    usual |= dict(epsilon=4.0, delta=DELTA, learning_rate=1e-3) if learner is lagrangian.PrivateFairLagrangian else dict(epochs=30)
    return Case(lambda **changed: learner(**dict(usual, **how) | changed), aware=False, warns_at=warns_at, sure=sure)


def compared(learner: type, *given: Any, warns_at: float | None = .05, sure: bool = False, **how: Any) -> Case:
    """One of those that the papers compare with."""
    usual = dict(gamma=.05, n_groups=2, notion="demographic_parity", rounds=3)
    if sure:
        del usual["rounds"]
    return Case(lambda **changed: learner(*given, **dict(usual, **how) | changed), aware=False, warns_at=warns_at, sure=sure)


def measured(**how: Any) -> Case:
    """Of second moments; rows are shortened, and a longer one is no refusal."""
    usual = dict(epsilon=4.0, gamma=.05, delta=DELTA, bound=3.0, n_groups=2, shorten=True)
    return Case(lambda **changed: functional.FunctionalClassifier(**dict(usual, **how) | changed), aware=False, warns_at=.5, sure=True)


DELTA = 1e-6
CASES: dict[str, Case] = {
    **{f"DPPostProcessing, {method}": repaired(method=method) for method in postprocessing.learner.METHODS},
    "FrontierLearner": asked(),
    "DPOracleLearner": played(games.DPOracleLearner, RULES, warns_at=.05),
    "DPRegressionLearner": played(games.DPRegressionLearner, warns_at=.5),
    "FairLagrangian": priced(lagrangian.FairLagrangian),
    "PrivateFairLagrangian": priced(lagrangian.PrivateFairLagrangian, warns_at=.5),
    "CovarianceClassifier": compared(baselines.CovarianceClassifier, warns_at=None, sure=True),
    "Reduction": compared(baselines.Reduction, LogisticRegression(), warns_at=None),
    "PrivateReduction": compared(baselines.PrivateReduction, LogisticRegression(), epsilon=4.0),
    "PrivateReduction, none": compared(baselines.PrivateReduction, LogisticRegression(), epsilon=4.0, correction="none"),
    "FunctionalClassifier": measured(),
}


@pytest.fixture(params=CASES, scope="module")
def case(request):
    return CASES[request.param]


def of_frontiers(yes: bool) -> pytest.MarkDecorator:
    """The learners whose one fit serves every gamma, or the others."""
    those = [name for name in CASES if ("gamma" in CASES[name].make()._tunable_after_fit) == yes]
    return pytest.mark.parametrize("case", those, indirect=True)


# ------------------------------------------------------------------------------------------------ scikit-learn's own checks
#: What scikit-learn's checks ask for and we do otherwise, and why.
OTHERWISE = {
    **dict.fromkeys(["check_estimators_dtypes", "check_classifiers_classes", "check_fit2d_1feature", "check_classifier_data_not_an_array"],
                    "labels are 0 and 1, and nothing else is recoded in silence"),
    **dict.fromkeys(["check_complex_data", "check_classifiers_one_label", "check_classifiers_regression_target",
                     "check_classifier_not_supporting_multiclass", "check_fit2d_1sample", "check_fit2d_predict1d", "check_requires_y_none",
                     "check_n_features_in_after_fitting", "check_dtype_object"],
                    "refused, in this library's words"),
    "check_supervised_y_2d": "y is one column, and another shape is refused",
}
OTHERWISE_OF = {
    "FrontierLearner": {"check_estimators_empty_data_messages": "refused, in this library's words"},
    "DPOracleLearner": {"check_classifiers_train": "the classifiers are not fitted here, and not good at these data"},
    "DPRegressionLearner": {"check_estimators_empty_data_messages": "refused, in this library's words"},
    "FairLagrangian": {"check_estimators_empty_data_messages": "refused, in this library's words"},
    "PrivateFairLagrangian": {"check_classifiers_train": "three steps are too few to be right about 83 of 100 of them",
                              "check_estimators_empty_data_messages": "refused, in this library's words"},
    "DPPostProcessing": {"check_classifiers_train": "the base is not fitted here, and not good at these data"},
    "CovarianceClassifier": {"check_estimators_empty_data_messages": "refused, in this library's words"},
    "FunctionalClassifier": {"check_estimators_empty_data_messages": "refused, in this library's words"},
}
#: What is no refusal where labels are private: that everybody has the same one.
ONE_LABEL = {"check_classifiers_one_label", "check_fit2d_1sample"}


class Likelier(np.random.Generator):
    """Coins of which each shows what is likelier: scikit-learn compares decisions with the larger chances."""

    def random(self, size):
        return np.full(size, .5)


@functools.cache
def told(kind: type) -> type:
    """The same learner, told groups and coins by itself: scikit-learn's checks know of neither."""
    def groups(X):
        return np.arange((X if hasattr(X, "shape") else np.asarray(X)).shape[0]) % 2

    class Told(kind):
        def fit(self, X, y):
            return super().fit(X, y, sensitive_features=groups(X), rng=np.random.default_rng(0))

        def predict_proba(self, X, sensitive_features=None, gamma=None):
            return super().predict_proba(X, groups(X), gamma)

        def predict(self, X):
            return super().predict(X, rng=Likelier(np.random.PCG64(0)))

        def score(self, X, y):
            return super().score(X, y)

    Told.__name__ = Told.__qualname__ = f"Told{kind.__name__}"
    globals()[Told.__name__] = Told         # where pickle looks
    return Told


class FirstColumn:
    """A base that can be copied: it accepts where the first number is above a threshold."""

    def __init__(self, threshold: float = 0.0) -> None:
        self.threshold = threshold

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)

    def decision_function(self, X):
        return check_array(X, dtype=float)[:, 0] - self.threshold


@pytest.mark.turning(3, of=["dpfair_teach"])
@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_scikit_learns_checks(name):
    model = CASES[name].make()
    assert type(model).__new__ is object.__new__                # else the first Pythons of 3.11 read a heir's parameters off it
    ours = {"base": FirstColumn(), "classifiers": [FirstColumn(), FirstColumn(.5)], "smallest_cell": 1}
    if hasattr(getattr(model, "base", None), "fit"):
        del ours["base"]        # one that is fitted there
    params = {name: ours.get(name, value) if value is not None else None for name, value in model.get_params(deep=False).items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(told(type(model))(**params), on_fail=None, on_skip=None)
    failed = {one["check_name"] for one in found if one["status"] == "failed"}
    expected = (OTHERWISE | OTHERWISE_OF.get(type(model).__name__, {})).keys() - (set() if type(model)._labels_are_public else ONE_LABEL)
    assert failed == expected, (failed ^ expected, [one["exception"] for one in found if one["check_name"] in failed])


GONE = {"PrivateFairLagrangian": "method h decision rate dual_rate largest free clip sample subspace shares sizes_share dual_share n_cells "
        "callback checkpoint", "FairLagrangian": "multipliers checkpoint",
        "DPOracleLearner": "repair cell_sizes smallest_cell checkpoint",
        "DPRegressionLearner": "checkpoint", "Reduction": "B", "PrivateReduction": "B", "CovarianceClassifier": "as_printed",
        "DPPostProcessing, public_margins": "noise criterion", "FunctionalClassifier": "group_weight",
        "FrontierLearner": "method oracle n_cells norm columns smoothing", "NetworkClassifier": "rate decay"}


@pytest.mark.parametrize("name, gone", [(name, gone) for name, options in GONE.items() for gone in options.split()])
def test_an_option_that_is_gone_is_refused_with_what_replaced_it(name, gone):
    with pytest.raises(ValueError, match=rf"^{gone}=1: is no option of {name.split(',')[0]} any more\. \w.{{8,120}}\.$"):
        (CASES[name].make if name in CASES else getattr(baselines, name))(**{gone: 1})


@pytest.mark.parametrize("function, gone", [(function, gone) for function, options in (
    (games.dp_oracle_learner, "repair share accounting beta log_labelings every checkpoint callback"),
    (games.dp_oracle_learner_as_printed, "checkpoint callback"), (games.Setting, "share accounting"),
    (lagrangian.Plan, "dual_rate largest clip free sample"), (lagrangian.find_noise, "sizes_share dual_share"),
    (lagrangian.public_sizes, "shares"), (lagrangian.FairTerms, "h"), (networks.SGD, "rate momentum"), (networks.Adam, "rate"),
    *((function, "against") for function in (
        postprocessing.solve_lp, postprocessing.dual_value, postprocessing.closed_form, postprocessing.solve,
        postprocessing.lift_unusable, postprocessing.margin_slack, postprocessing.bins_slack)),
    (functional.minimum, "tau"), (functional.release_moments, "group_weight"), (fairness.report, "group_names"),
    (accounting.pld_delta, "interval"), (games.exponentiated_gradient, "nu checkpoint callback"),
    (games.regression_dp_oracle_learner, "share learner_share constraints checkpoint callback"),
    (games.regression_exponentiated_gradient, "constraints checkpoint callback"), (training.train, "checkpoint callback every budget run"),
    (oneshot.public_data, "method"), (oneshot.multiplier_grid, "largest"),
    (oneshot.bayes_mixtures, "against"), (oneshot.price_grid, "against"),
    (postprocessing.noisy_counts, "noise"), (accounting.most_steps, "before"), (accounting.pld_epsilon, "interval"),
    (audit.epsilon_lower_bound, "n_0 both_directions"), (postprocessing.paper_slack, "negative"), (networks.Adam, "beta_1 beta_2 floor"),
    (oracles.threshold_counts, "limit"), (functional.moments_l2, "group_weight"), (games.exponentiated_gradient, "every progress"),
    (games.dp_oracle_learner_as_printed, "beta log_labelings every"), (games.regression_exponentiated_gradient, "n_groups every"),
    (games.largest_step, "method"), (games.frozen_tau, "constraints"), (games.lemma_b_2, "feasible"), (data.Dataset, "population"),
    (experiments.free_points, "notion against"), (experiments.postprocessing_draws, "notion"), (experiments.held_out_counts, "seed"),
    (experiments.regression_reference, "splits thresholds"), (plotting.pareto, "ax"), (plotting.roc_plane, "ax group_names"),
    (explore.Panel, "y z_label"), (explore.People, "decision flips argument"),
    (audit.audit_scalar, "n_thresholds")) for gone in options.split()])
def test_a_functions_option_that_is_gone_is_refused_with_what_replaced_it(function, gone):
    with pytest.raises(ValueError, match=rf"^{gone}=1: is no option of {function.__name__} any more\. [A-Z].{{8,120}}\.$"):
        function(**{gone: 1})


# ------------------------------------------------------------------------------------------------ copies
def test_a_clone_has_the_parameters_and_nothing_learned(case):
    model = case.fitted()
    again = clone(model)
    assert vars(again).keys() == model.get_params(deep=False).keys() and "gamma" in vars(again)
    for ask in (again.predict_proba, again.predict, lambda X, A: again.score(X, Y, A)):
        with pytest.raises(NotFittedError):
            ask(X, case.groups())


def learned(model: RandomizedClassifier) -> list[str]:
    return [name for name in vars(model) if name not in model.get_params(deep=False)]


def test_a_fit_that_dies_leaves_no_answer_without_its_record_and_nothing_of_the_fit_before(case, monkeypatch):
    """Killed when it keeps its second thing: the first are the records, as then no answer is ever kept without one."""
    model, kept = case.fitted(), []
    private = hasattr(model, "releases_")

    def dies(self, name, value):
        if name not in self.get_params(deep=False):
            kept.append((name, learned(self)))
            if len(kept) == 2:
                raise KeyboardInterrupt
        object.__setattr__(self, name, value)
    with monkeypatch.context() as patched:
        patched.setattr(RandomizedClassifier, "__setattr__", dies)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(3))
    assert kept[0][1] == [], "of the fit before"
    assert learned(model) == [kept[0][0]] and (not private or kept[0][0] == "releases_")
    for ask in (model.predict_proba, model.predict, lambda X, A: model.score(X, Y, A)):
        with pytest.raises(NotFittedError):
            ask(X, case.groups())


def test_a_stored_model_decides_as_it_did(case):
    model = case.fitted()
    stored = pickle.loads(pickle.dumps(model))
    assert np.array_equal(stored.predict_proba(X, case.groups()), model.predict_proba(X, case.groups()))


#: Where functions, bound methods, closures and partials keep what they were given.
KEPT_IN = ("__dict__", "__closure__", "cell_contents", "__self__", "__defaults__", "__kwdefaults__", "func", "args", "keywords")


def generators(thing: object) -> list[object]:
    """All generators, their sources of bits and their states, that can be reached from an object, however far away."""
    seen: dict[int, object] = {}        # with the object, so that no other one gets its id
    found, ahead = [], [thing]
    while ahead:
        thing = ahead.pop()
        if thing is None or id(thing) in seen or isinstance(thing, type | types.ModuleType):
            continue
        seen[id(thing)] = thing
        if isinstance(thing, np.random.Generator | np.random.BitGenerator | np.random.RandomState | np.random.SeedSequence):
            found.append(thing)
        elif isinstance(thing, dict) and {"bit_generator", "state"} <= thing.keys():
            found.append(thing)
        else:
            ahead += [getattr(thing, name, None) for name in KEPT_IN]
            ahead += [*thing.keys(), *thing.values()] if isinstance(thing, dict) else thing if isinstance(thing, list | tuple | set) else []
            ahead += thing.tolist() if isinstance(thing, np.ndarray) and thing.dtype == object else []
    return found


def test_no_learner_keeps_a_generator(case):
    """Its state gives the noise away. Nor does its class, or the library: what is shared by all models is kept longer still."""
    rng = np.random.default_rng(2)
    model = case.make().fit(X, Y, sensitive_features=A, rng=rng)
    model.predict(X, case.groups(), rng=rng)
    model.predict(X, case.groups())
    shared = [dict(vars(kind)) for kind in type(model).__mro__]
    shared += [dict(vars(module)) for name, module in sys.modules.items() if name.partition(".")[0] == "dpfair_teach"]
    assert generators([model, shared]) == []


@pytest.mark.parametrize("hidden", [
    lambda rng: {"of": (lambda: rng,)}, lambda rng: rng.random, lambda rng: functools.partial(rng.normal, 0),
    lambda rng: functools.partial(int, rng), lambda rng: (lambda n, rng=rng: n), lambda rng: [{1: rng.spawn(1)}],
    lambda rng: rng.bit_generator.state, lambda rng: rng.bit_generator.seed_seq, lambda rng: np.array([None, rng]),
    lambda rng: functools.reduce(lambda inner, _: [inner], range(5000), rng)])
def test_a_kept_generator_is_found(hidden):
    model = CASES["FrontierLearner"].make()
    model.kept_ = hidden(np.random.default_rng(2))
    assert len(generators(model)) == 1


# ------------------------------------------------------------------------------------------------ coins
def test_decisions_come_from_fresh_coins_unless_a_generator_is_given(case):
    """10,000 copies of the one person whose decision is the most random: equal draws twice show, and so does a global seed that matters."""
    model = case.fitted(gamma=0.1)
    ones = model.predict_proba(X, case.groups())[:, 1]
    with pytest.raises(ValueError, match=r"^rng=7: not a numpy.random.Generator.*the classifier's coins must be unpredictable"):
        model.predict(X, case.groups(), rng=7)
    if case.sure:
        assert np.isin(ones, (0, 1)).all() and np.array_equal(model.predict(X, case.groups()), ones)
        return
    who = np.full(10_000, np.abs(ones - .5).argmin())
    assert .01 < ones[who[0]] < .99
    draws = []
    for _ in range(2):
        np.random.seed(0)                       # noqa: NPY002
        draws.append(model.predict(X[who], case.groups(A[who])))
    given = [model.predict(X[who], case.groups(A[who]), rng=np.random.default_rng(7)) for _ in range(2)]
    assert (draws[0] != draws[1]).any() and (given[0] == given[1]).all()
    off = np.sqrt(np.log(2e9) / 2 / 10_000)         # Hoeffding, alpha = 1e-9 each
    assert all(abs(drawn.mean() - ones[who[0]]) < off for drawn in (*draws, given[0]))


def test_the_score_is_the_accuracy_of_the_decisions_on_average(case):
    model = case.fitted()
    chances = model.predict_proba(X, case.groups())
    assert model.score(X, Y, case.groups()) == pytest.approx(chances[np.arange(len(Y)), Y].mean(), abs=1e-12)
    assert chances.shape == (len(Y), 2) and chances.sum(axis=1) == pytest.approx(1)


# ------------------------------------------------------------------------------------------------ gamma, and what else is changed
@of_frontiers(True)
def test_a_gamma_that_is_set_after_a_fit_holds_at_once(case):
    model = case.fitted(gamma=0.0)
    before, told = model.predict_proba(X, case.groups()), model.predict_proba(X, case.groups(), gamma=.07)
    assert np.array_equal(model.set_params(gamma=.07).predict_proba(X, case.groups()), told) and not np.allclose(before, told)
    assert np.array_equal(model.predict_proba(X, case.groups(), gamma=0.0), before)
    assert model.score(X, Y, case.groups()) == model.score(X, Y, case.groups(), gamma=.07)
    coins = [model.predict(X, case.groups(), rng=np.random.default_rng(1), gamma=gamma) for gamma in (None, .07, 0.0)]
    assert (coins[0] == coins[1]).all() and (coins[0] != coins[2]).any()
    assert model.releases_ == case.fitted(gamma=0.0).releases_
    with pytest.raises(ValueError, match=r"^gamma=-1: outside"):
        model.predict(X, case.groups(), gamma=-1)
    with pytest.raises(ValueError, match=r"^gamma='fair': not a real number"):
        model.set_params(gamma="fair").predict_proba(X, case.groups())


@of_frontiers(False)
def test_where_a_fit_serves_one_gamma_another_is_refused_and_its_own_is_taken(case):
    model = case.fitted(gamma=.05)
    asks = (model.predict_proba, functools.partial(model.predict, rng=np.random.default_rng(1)),
            lambda X, A, gamma=None: model.score(X, Y, A, gamma))
    said = [asks[0](X, case.groups()), asks[2](X, case.groups())]
    assert all(np.array_equal(ask(X, case.groups(), gamma=np.float64(.05)), one) for ask, one in zip((asks[0], asks[2]), said, strict=True))
    for ask in asks:
        with pytest.raises(ValueError, match=r"^gamma=0\.1: one fit of this learner serves one gamma, its own, 0\.05\. Fit again with an.*"
                                             r"which is a new release, or take oneshot\.FrontierLearner"):
            ask(X, case.groups(), gamma=.1)
        with pytest.raises(ValueError, match=r"^gamma=-1: outside"):
            ask(X, case.groups(), gamma=-1)
    model.set_params(gamma=.1)
    for ask in asks:
        with pytest.raises(ValueError, match=r"^gamma=0\.1: the last fit was with gamma=0\.05\. Fit again, .* or set gamma back"):
            ask(X, case.groups())
    assert np.array_equal(model.set_params(gamma=.05).predict_proba(X, case.groups()), said[0])


def test_what_else_is_changed_after_a_fit_makes_it_stale(case):
    model = case.fitted()
    name = "epsilon" if hasattr(model, "epsilon") else "n_groups"
    epsilon = getattr(model, name)
    for ask in (model.predict_proba, model.predict, lambda X, A: model.score(X, Y, A)):
        model.set_params(**{name: 77.0})
        with pytest.raises(ValueError, match=rf"^{name}=77\.0: the last fit was with {name}={epsilon}\. Fit again, .* or set {name} b"):
            ask(X, case.groups())
        model.set_params(**{name: np.float64(epsilon)})         # the same number
        ask(X, case.groups())
    if name != "epsilon":
        assert not hasattr(model, "releases_") and "**Not private.**" in type(model).__doc__
        return
    model.set_params(epsilon=77.0).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(2))
    delta = getattr(model, "delta", 0.0)
    spent = accounting.compose(model.releases_, delta, method="best" if delta else "basic")
    assert epsilon < spent <= 77 * (1 + 1e-6) if delta else spent == pytest.approx(77.0)        # accountants round up
    model.predict(X, case.groups())


# ------------------------------------------------------------------------------------------------ whose row is whose
def test_groups_or_labels_of_another_index_are_refused(case):
    y, groups, rng = pd.Series(Y, FRAME.index), pd.Series(A, FRAME.index), np.random.default_rng(3)
    at = len(A) - 2                             # all are in their places but the last two
    shuffled = groups.iloc[[*range(at), at + 1, at]]
    before = rng.bit_generator.state
    said = rf"\.index\[{at}\]={shuffled.index[at]}: X has {FRAME.index[at]} in row {at}: other people, or another order\. Give "
    for which, wrong in (("sensitive_features", dict(y=y, sensitive_features=shuffled)),
                         ("y", dict(y=y.loc[shuffled.index], sensitive_features=groups))):
        with pytest.raises(ValueError, match=f"^{which}{said}{which}.loc\\[X.index\\], or {which}.to_numpy()"):
            case.make().fit(FRAME, **wrong, rng=rng)
    assert rng.bit_generator.state == before
    with pytest.raises(ValueError, match=r"^sensitive_features\.index.*: y has .* Give sensitive_features\.loc\[y\.index\]"):
        case.make().fit(X, y, sensitive_features=shuffled, rng=rng)         # X lost its index in a step before
    model = case.fitted(X, y, groups)
    assert np.array_equal(model.predict_proba(X, case.groups()), case.fitted().predict_proba(X, case.groups()))
    case.fitted(FRAME, y, shuffled.loc[FRAME.index])
    case.fitted(FRAME, Y, shuffled.to_numpy())
    for ask in (model.predict_proba, model.predict, lambda X, A: model.score(X, y, A)):
        ask(FRAME.to_numpy(), groups)
        with pytest.raises(ValueError, match=r"^sensitive_features\.index"):
            ask(FRAME, shuffled)
    with pytest.raises(ValueError, match=r"^y\.index"):
        model.score(FRAME, y.loc[shuffled.index], case.groups(groups))


def test_groups_too_few_or_beyond_the_last_are_refused_in_the_same_words_by_every_learner(case):
    name = type(case.make()).__name__
    said = rf"^sensitive_features=\(399,\): not as long as X, which has 400 rows\. Give {name} one group for each row of X\.$"
    with pytest.raises(ValueError, match=said):
        case.fitted(A=A[:-1])
    with pytest.raises(ValueError, match=r"^sensitive_features=2: a code above n_groups - 1 = 1\. Raise n_groups or recode the groups\.$"):
        case.fitted(A=np.where(np.arange(400) == 3, 2, A))


def test_the_group_may_be_a_column_of_x(case):
    """Then folds of X bring the groups along, and who decides without them never sees the column."""
    model, plain = case.fitted(GROUPED, Y, "group"), case.fitted(FRAME)
    assert model.feature_names_in_.tolist() == list("xyz") and model.n_features_in_ == 3
    for told in (model.predict_proba(GROUPED), model.predict_proba(GROUPED, "group"), model.predict_proba(FRAME, case.groups())):
        assert np.array_equal(told, plain.predict_proba(FRAME, case.groups()))
    assert model.score(GROUPED, Y) == plain.score(FRAME, Y, case.groups())
    for wrong in (X, FRAME, pd.concat([GROUPED, GROUPED[["group"]]], axis=1)):
        with pytest.raises(ValueError, match=r"^sensitive_features='group': X is no table with one column of that name"):
            case.fitted(wrong, Y, "group")


WRONG_GROUPS = {
    "none": (X, None, r"=None: the classifier decides by the group\. Give everybody's group; in a search or cross-validation by the name"),
    "a missing one": (X, [*A[:-1], np.nan], r"=nan: a group is missing\. Give that person's group, or the code of a missing group if"),
    "a missing one, in pandas": (X, [*A[:-1], -1], r"=-1: a group is missing, which pandas codes as -1\. Give that person's group"),
    "an unknown one": (X, [*A[:-1], 2], r"=2: a code above the last group of fit = 1\. Give groups below 2: fit knows no other\."),
}
#: A slip, and no group that somebody has not: then there is no other way to speak of.
SLIPS = {
    "one of another kind": (X, [*A[:-1], -2], r"=-2\.0: groups must be integer codes"),
    "too few": (X, A[:-1], r"=\(399,\): not as long as X, which has 400 rows"),
    "no column": (FRAME, "group", r"='group': X is no table with one column of that name"),
    "others' index": (FRAME, pd.Series(A), r"\.index\[0\]=0: X has .* in row 0"),
}


@pytest.mark.parametrize("wrong", [*WRONG_GROUPS, *SLIPS])
def test_where_a_group_cannot_be_given_at_a_prediction_the_way_out_of_needing_it_is_named(case, wrong):
    model, (people, groups, said) = case.fitted(), (WRONG_GROUPS | SLIPS)[wrong]
    asks = (model.predict_proba, model.predict, lambda X, A: model.score(X, Y, A))
    if not case.aware and wrong in ("none", "an unknown one"):
        assert np.array_equal(asks[0](people, groups), model.predict_proba(people))
        return
    out = f"Or use a learner whose classifier reads X alone: {WITHOUT_GROUPS}." if case.aware else "Or leave them out: they are not read."
    for ask in asks:
        with pytest.raises(ValueError, match=rf"^sensitive_features{said}") as refused:
            ask(people, groups)
        assert str(refused.value).endswith(out) == (wrong in WRONG_GROUPS) and (wrong in WRONG_GROUPS or len(str(refused.value)) < 300)


def test_the_group_is_found_among_columns_that_are_numbered(case):
    """As pandas numbers those of an array; and then they are no names to compare."""
    table = pd.DataFrame(X)
    model, plain = case.fitted(table.assign(group=A), Y, "group"), case.fitted(table)
    assert np.array_equal(model.predict_proba(table.assign(group=A)), plain.predict_proba(table, case.groups()))
    assert not hasattr(model, "feature_names_in_")


def test_a_group_that_was_a_column_of_x_at_fit_is_missed_as_that(case):
    model = case.fitted(GROUPED, Y, "group")
    if case.aware:
        with pytest.raises(ValueError, match=r"^sensitive_features=None: the classifier decides by the group, and X has no column 'group'"):
            model.predict_proba(FRAME)


def test_who_does_without_groups_is_named_completely():
    """By the list of all learners: each decides by X alone, and is named, or reads the group."""
    rooms = [importlib.import_module(f"dpfair_teach.{room.name}") for room in pkgutil.iter_modules(dpfair_teach.__path__)]
    found = {f"{room.__name__.split('.')[-1]}.{name}": thing for room in rooms for name in getattr(room, "__all__", ())
             if isinstance(thing := getattr(room, name), type) and issubclass(thing, RandomizedClassifier)}
    missing = {kind.__name__ for kind in found.values()} ^ {type(case.make()).__name__ for case in CASES.values()}
    assert not missing, f"{missing}: every learner has a line in CASES"
    without = {name for name, kind in found.items() if not kind._reads_groups} ^ set(re.findall(r"\w+\.\w+", WITHOUT_GROUPS))
    assert not without, f"{without}: say _reads_groups = True, or name it in WITHOUT_GROUPS of dpfair_teach/_group_argument.py"
    assert all(case.aware == type(case.make())._reads_groups for case in CASES.values())


def of_the_library(kind: type) -> set[Any]:
    """What of that kind stands in a module of the library under a name."""
    rooms = [importlib.import_module(module.name) for module in pkgutil.walk_packages(dpfair_teach.__path__, "dpfair_teach.")
             if module.name.rpartition(".")[2] != "__main__"]
    return {thing for room in rooms for thing in vars(room).values() if isinstance(thing, kind) and thing.__module__.startswith("dpfair_")}


def test_what_is_called_predict_proba_is_scikit_learns():
    """Two chances for everybody. What says something else has a name of its own."""
    learners = {thing for thing in of_the_library(type) if issubclass(thing, RandomizedClassifier)}
    assert {type(case.make()) for case in CASES.values()} < learners
    plain = {baselines.NetworkClassifier}       # a classifier of scikit-learn's own kind: no groups, no coins
    assert {thing for thing in of_the_library(type) if hasattr(thing, "predict_proba")} == learners | plain
    assert "predict_proba" not in {thing.__name__ for thing in of_the_library(types.FunctionType)}


def test_no_learner_has_a_default_of_what_it_promises():
    """A gamma of 0 that nobody asked for is a constant classifier, and an epsilon that nobody chose is nobody's decision."""
    for case in CASES.values():
        given = inspect.signature(type(case.make())).parameters
        promised = [given[name] for name in ("epsilon", "gamma", "delta") if name in given]
        assert len(promised) >= 2 - ("epsilon" not in given) and all(one.default is one.empty for one in promised)


# ------------------------------------------------------------------------------------------------ in the company of others
@pytest.mark.parametrize("routing", [False, True])
def test_it_is_the_last_step_of_a_pipeline(case, routing):
    with config_context(enable_metadata_routing=routing):
        learner = case.make()
        name = type(learner).__name__.lower()
        line = make_pipeline(StandardScaler(), learner)
        told = {"sensitive_features": A, "rng": np.random.default_rng(5)}
        line.fit(X, Y, **(told if routing else {f"{name}__{key}": value for key, value in told.items()}))
        alone = case.fitted(StandardScaler().fit_transform(X), seed=5)
        at = {"sensitive_features": A} if case.aware else {}
        chances = alone.predict_proba(StandardScaler().fit_transform(X), case.groups())
        assert np.allclose(line.predict_proba(X, **at), chances)
        assert np.allclose(line.predict_proba(X, gamma=.05, **at), chances)
        drawn = line.predict(X, rng=np.random.default_rng(6), **at)
        assert ((drawn == 1) <= (chances[:, 1] > 0)).all() and ((drawn == 0) <= (chances[:, 0] > 0)).all()
        if routing or not case.aware:
            assert line.score(X, Y, **at) == pytest.approx(chances[np.arange(len(Y)), Y].mean())


@pytest.mark.slow
def test_cross_validation_and_searches_work_on_it(case, monkeypatch):
    """Each fold is a fit with noise of its own, and so is each point of a grid. The groups ride in X."""
    told = {"sensitive_features": "group", "rng": np.random.default_rng(5)}
    chances = cross_val_predict(case.make(), GROUPED, Y, cv=3, method="predict_proba", params=told)
    assert chances.shape == (len(Y), 2) and chances.sum(axis=1) == pytest.approx(1)
    assert set(cross_val_predict(case.make(), GROUPED, Y, cv=3, params=told)) <= {0, 1}
    assert np.isfinite(cross_val_score(case.make(), GROUPED, Y, cv=3, params=told, error_score="raise")).all()
    learner, fits = case.make(), []
    kind, learn = type(learner), type(learner)._learn
    monkeypatch.setattr(kind, "_learn", lambda model, *given: (fits.append(model), learn(model, *given)))
    search = GridSearchCV(learner, {"gamma": [0.0, .2]}, cv=2, error_score="raise").fit(GROUPED, Y, **told)
    assert search.best_params_["gamma"] in (0.0, .2) and search.best_estimator_.predict(GROUPED).shape == Y.shape
    assert len(fits) == 2 * 2 + 1 and "``GridSearchCV`` fits every point of its grid on every fold, and once more" in " ".join(
        kind.fit.__doc__.split()), "what a search spends is said where a fit is explained"


def test_metadata_routing_reaches_every_fold(case):
    with config_context(enable_metadata_routing=True):
        found = cross_val_score(case.make(), FRAME, pd.Series(Y, FRAME.index), cv=3, error_score="raise",
                                params={"sensitive_features": pd.Series(A, FRAME.index), "rng": np.random.default_rng(5)})
    assert np.isfinite(found).all()


def test_fairlearns_metrics_take_its_decisions(case):
    model = case.fitted()
    decisions = model.predict(X, case.groups(), rng=np.random.default_rng(7))
    frame = MetricFrame(metrics=selection_rate, y_true=Y, y_pred=decisions, sensitive_features=A)
    assert frame.by_group.to_numpy() == pytest.approx([decisions[A == a].mean() for a in (0, 1)])
    counts = fairness.cell_counts(decisions, A, Y)
    assert frame.difference() == pytest.approx(fairness.violation(counts, "demographic_parity"))
