"""No silent way to lose the promise: each kind is tried on every public learner. One joins by its valid call in ``valid_calls.py``."""
from __future__ import annotations

import copy
import functools
import importlib
import inspect
import itertools
import multiprocessing
import pickle
import pkgutil
import re
import warnings
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import dpfair_teach
from dpfair_teach import _generator, data, fairness
from dpfair_teach._classifier import RandomizedClassifier
from valid_calls import VALID


def public_learners() -> dict[str, type[RandomizedClassifier]]:
    """"room.Name" and class of every learner that a room names in its ``__all__``."""
    rooms = {room.name: importlib.import_module(f"dpfair_teach.{room.name}") for room in pkgutil.iter_modules(dpfair_teach.__path__)}
    return {f"{short}.{name}": kind for short, room in rooms.items() for name in getattr(room, "__all__", ())
            if isinstance(kind := getattr(room, name), type) and issubclass(kind, RandomizedClassifier)}


LEARNERS = public_learners()
PEOPLE = data.make_logistic(90, n_groups=3, d=2, shifts=[[0, 0], [1, .5], [-1, 1]], rng=np.random.default_rng(4))
X = pd.DataFrame(np.clip(PEOPLE.X, -1, 1) / 2, columns=["income", "age"])
Y, A = PEOPLE.Y, PEOPLE.A


class Public:
    """A base without names of columns: it accepts where the first number is above 0."""

    classes_ = (0, 1)

    def predict(self, X: Any) -> np.ndarray:
        return (np.asarray(X)[:, 0] > 0).astype(int)

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.column_stack([1 - self.predict(X), self.predict(X)])


def made(name: str, base: Any = None, **changed: Any) -> RandomizedClassifier:
    """A learner for three groups, with the settings of its valid call, and a base, if it has one, that takes these people."""
    known = inspect.signature(LEARNERS[name]).parameters
    settings = {key: value for key, value in VALID[name]().arguments.items() if key in known and key != "against"}
    if "classifiers" in settings:
        settings["classifiers"] = [base or Public()]
    elif not hasattr(settings.get("base"), "fit") or hasattr(settings["base"], "classes_"):     # it comes fitted, if at all
        settings |= {"base": base or Public()} if settings.get("base") is not None or base else {}
    return LEARNERS[name](**settings | {"n_groups": 3} | changed)


def fitted(model: RandomizedClassifier, **changed: Any) -> RandomizedClassifier:
    told = dict(X=X, y=Y, sensitive_features=A, rng=np.random.default_rng(3)) | changed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(told.pop("X"), told.pop("y"), **told)


# ------------------------------------------------------------------------------------------------ any two groups
#: Who compares each group with everybody, as the paper that it is from does: two groups may then be 2 gamma apart.
WITH_EVERYBODY = {"baselines.Reduction"}


@pytest.mark.parametrize("name", [name for name in LEARNERS if "against" in inspect.signature(LEARNERS[name]).parameters])
def test_gamma_holds_between_any_two_groups_unless_the_anchor_is_asked_for(name):
    given = {"notion": "demographic_parity", "gamma": .05, "epsilon": 50.0}
    given = {key: value for key, value in given.items() if key in inspect.signature(LEARNERS[name]).parameters}
    said = {against: fitted(made(name, **given, against=against)) for against in (None, "pairs", "anchor")}
    bare = fitted(made(name, **given | {"notion": fairness.Parity("demographic_parity")}))
    chances = {against: model.predict_proba(X, A)[:, 1] for against, model in said.items()}
    if name in WITH_EVERYBODY:
        assert not np.array_equal(chances[None], chances["anchor"])
        return
    assert np.array_equal(chances[None], chances["pairs"]) and not np.array_equal(chances[None], chances["anchor"])
    assert np.array_equal(bare.predict_proba(X, A)[:, 1], chances["pairs"])         # a notion alone says nothing of it either
    for model in said.values():
        assert model.get_params()["against"] in (None, "pairs", "anchor")       # as it was given: a clone is the same
    if hasattr(LEARNERS[name], "curve"):
        assert np.array_equal(said[None].curve([.05]), said["pairs"].curve([.05]))
    parity = fairness.Parity("demographic_parity", "anchor")                # the word of a Parity is its own
    assert np.array_equal(fitted(made(name, **given | {"notion": parity})).predict_proba(X, A)[:, 1], chances["anchor"])


# ------------------------------------------------------------------------------------------------ the group is no feature
RACE = pd.Series(A, name="race")
NAMED = {"a column": RACE, "a table of one": RACE.to_frame(), "under two headings": pd.Series(A, name=("people", "race")),
         "an index": pd.Index(A, name="race")}


def refused(model: RandomizedClassifier, said: str, **changed: Any) -> None:
    """Before anything is drawn, and nothing is kept."""
    rng = changed.setdefault("rng", np.random.default_rng(3))
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=said):
        fitted(model, **changed)
    assert rng.bit_generator.state == before and vars(model).keys() == model.get_params(deep=False).keys()


@pytest.mark.parametrize("name", LEARNERS)
def test_groups_that_are_a_column_of_x_are_refused_by_name(name):
    learn, said = X.assign(race=A), r"^sensitive_features='race': the group is also a column of X, .* no epsilon would protect it"
    for groups in NAMED.values():
        refused(made(name), said, X=learn, sensitive_features=groups)
    two = pd.concat({"people": learn[["race"]], "money": learn[["income", "age"]]}, axis=1)
    refused(made(name), said, X=two, sensitive_features=two["people"]["race"])
    # Names only: other people's numbers under the name are refused, and the same numbers under another name are not.
    refused(made(name), said, X=learn.assign(race=0.0), sensitive_features=RACE)
    fitted(made(name), X=X.assign(x=A / 9), sensitive_features=RACE)
    for groups in (A, A.tolist(), RACE.to_numpy(), RACE.rename("other"), RACE.rename(0), RACE.rename(None)):
        fitted(made(name), X=X.assign(race=A / 9), sensitive_features=groups)       # nobody said that it is the group
    fitted(made(name), X=X.rename_axis(index="race"), sensitive_features=RACE.rename_axis("race"))
    fitted(made(name), X=X.to_numpy(), sensitive_features=RACE)
    fitted(made(name), X=pd.DataFrame(X.to_numpy()), sensitive_features=RACE.rename(0))         # numbers are pandas' own
    for column in ("remainder__race", "race__race_1", "first__then__race", "Race", "race ", "race_x", "race.1"):      # as steps name it
        copied, its = X.assign(**{column: A / 9}), rf"^sensitive_features='race': the group is also a column of X, '{column}', so"
        refused(made(name), its, X=copied, sensitive_features=RACE)
    fitted(made(name), X=X.assign(race_time=A / 9), sensitive_features=RACE)
    file = pd.DataFrame(np.column_stack([X, A]))                                    # of a file without a line of names
    refused(made(name), r"^sensitive_features=2: the group is also a column of X, of this number, .*drop\(columns=2\)", X=file,
            sensitive_features=file[2].astype(int))
    fitted(made(name), X=file.drop(columns=2), sensitive_features=file[2].astype(int))
    model = fitted(made(name), X=learn, sensitive_features="race")                  # and so the column is taken out
    assert model.feature_names_in_.tolist() == ["income", "age"]


KNOWS = X.assign(race=A)
LOGISTIC = LogisticRegression().fit(KNOWS, Y)
BASES = {
    "itself": LOGISTIC, "in a pipeline": make_pipeline(StandardScaler(), LogisticRegression()).fit(KNOWS, Y),
    "after a step without names": make_pipeline(FunctionTransformer(), LogisticRegression()).fit(KNOWS, Y),
    "frozen": FrozenEstimator(LOGISTIC), "calibrated": CalibratedClassifierCV(FrozenEstimator(LOGISTIC)).fit(KNOWS, Y),
    "voting": VotingClassifier([("it", LOGISTIC)]).fit(KNOWS, Y), "a forest": RandomForestClassifier(5, random_state=0).fit(KNOWS, Y),
}


class Calls:
    """A base that is called, and holds what answers."""

    def __init__(self, base):
        self.base = base

    def __call__(self, X):
        return self.base.predict(X)


ASKED = {"its method": LOGISTIC.predict, "called": Calls(LOGISTIC), "a function of it": lambda X: LOGISTIC.predict(X),
         "one that holds it": functools.partial(lambda base, X: base.predict(X), LOGISTIC)}


@pytest.mark.parametrize("base", [*BASES, *ASKED])
@pytest.mark.parametrize("name", [name for name in LEARNERS if {"base", "classifiers"} & VALID[name]().arguments.keys()])
def test_a_base_that_was_fitted_on_the_group_is_refused_by_name(name, base):
    usual, known = made(name).get_params(deep=False), (BASES | ASKED)[base]
    parameter = "classifiers" if "classifiers" in usual else "base"
    model = LEARNERS[name](**usual | {parameter: [known] if parameter == "classifiers" else known})
    refits = parameter == "base" and not isinstance(usual["base"], Public)      # and may want another kind of base
    said = "" if refits and base != "itself" else ".*: was fitted on a column 'race', which is the group.* Fit it again without that column"
    for learn, groups in ((X, RACE), (X.to_numpy(), RACE), (KNOWS, "race"), (X, RACE.to_frame())):
        refused(model, rf"^{parameter}={said}", X=learn, sensitive_features=groups)


# ------------------------------------------------------------------------------------------------ groups that are missing, or two
def with_one_missing(groups: Any, missing: Any) -> list[Any]:
    return [missing, *list(groups)[1:]]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_missing_group_is_not_to_be_dropped(name):
    """One person fewer in the public counts would tell whose it was."""
    texts = np.array(["f", "m", "x"])[A]
    refused(made(name), r"^sensitive_features=-1: a group is missing, which pandas codes as -1\. Do not drop that row",
            sensitive_features=np.where(A == 2, -1, A))
    for groups, missing in itertools.product((A, texts), (None, np.nan, pd.NA, "")):
        given = with_one_missing(groups, missing)
        for column in (given, pd.Series(given, dtype=object), np.array(given, dtype=object)):
            refused(made(name), r"^sensitive_features=.*: a group is missing\. Do not drop that row: .* 'not said'.* public chances",
                    sensitive_features=column)
    refused(made(name), "Do not drop that row", sensitive_features=np.ma.array(A, mask=A == 2))
    names = ["f", "m", "not said"]
    said = pd.Series(with_one_missing(texts, None)).replace("x", None)
    codes = said.fillna("not said").map(names.index)                    # as the README has it
    fitted(made(name), sensitive_features=codes)


@pytest.mark.parametrize("name", LEARNERS)
def test_two_columns_are_to_be_crossed_and_a_table_of_one_is_a_column(name):
    two = pd.DataFrame({"sex": np.arange(90) % 2, "old": np.arange(90) % 4 > 1})
    said = r"^sensitive_features=.*: 2 (attributes|columns of X), and everybody has one group\. "
    for groups in (two, two.to_numpy()):
        refused(made(name), said + r"Cross them by a list that is fixed before the data are seen: names = list\(itertools\.product",
                sensitive_features=groups)
    refused(made(name), said, X=X.join(two), sensitive_features=["sex", "old"])
    one = pd.DataFrame({"group": A})
    by_its_name = fitted(made(name), X=X.join(one), sensitive_features=["group"])
    assert by_its_name.feature_names_in_.tolist() == X.columns.tolist()
    alike = fitted(made(name), sensitive_features=one), fitted(made(name))
    told = (one, A) if LEARNERS[name]._reads_groups else (None, None)
    assert np.array_equal(*(model.predict_proba(X, groups) for model, groups in zip(alike, told, strict=True)))
    names = list(itertools.product([0, 1], [False, True]))              # as the message says
    fitted(made(name, n_groups=4), sensitive_features=[names.index(both) for both in zip(two.sex, two.old, strict=True)])


# ------------------------------------------------------------------------------------------------ right words
@pytest.mark.parametrize("name", LEARNERS)
def test_a_slip_is_said_in_one_line_under_the_learners_own_name(name):
    own = LEARNERS[name].__name__
    for rng in (None, 7, np.random.RandomState(7)):
        with pytest.raises(ValueError, match=rf"^rng=.*: not a numpy\.random\.Generator, from which {own} draws\. Write fit\(X, y, "
                                             r"sensitive_features=A, rng=np\.random\.default_rng\(\)\)"):
            made(name).fit(X, Y, sensitive_features=A, **{} if rng is None else {"rng": rng})
    with pytest.raises(ValueError, match=rf"^sensitive_features=<ndarray .*: {own} takes .* by their names alone\. Write fit\(X, y, sens"):
        made(name).fit(X, Y, A, np.random.default_rng(0))
    refused(made(name), rf"^sensitive_features=None: {own} .*Write fit\(X, y, sensitive_features=A", sensitive_features=None)
    model, groups = fitted(made(name)), A if LEARNERS[name]._reads_groups else None
    short = {of: rf"^{of}=\(89,\): not as long as X, which has 90 rows\. Give {own} one {each} for each row of X\.$"
             for of, each in (("sensitive_features", "group"), ("y", "label"))}
    for kind in (np.asarray, list, pd.Series):
        refused(made(name), short["sensitive_features"], sensitive_features=kind(A[:-1]))
        refused(made(name), short["y"], y=kind(Y[:-1]))
        for ask in (model.predict, model.predict_proba, lambda X, A: model.score(X, Y, A)):
            with pytest.raises(ValueError, match=short["sensitive_features"]):
                ask(X, kind(A[:-1]))
        with pytest.raises(ValueError, match=short["y"]):
            model.score(X, kind(Y[:-1]), groups)


# ------------------------------------------------------------------------------------------------ a generator that was copied
def said_of(name: str, *generators: Any) -> list[str]:
    """What each fit says; a number is a seed."""
    said = []
    for rng in generators:
        try:
            fitted(made(name), rng=np.random.default_rng(rng) if isinstance(rng, int) else rng)
        except ValueError as refusal:
            said.append(str(refusal))
        else:
            said.append("")
    return said


def folds(name: str, jobs: int) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cross_val_score(made(name), X.assign(group=A), Y, cv=3, n_jobs=jobs, error_score="raise",
                            params={"sensitive_features": "group", "rng": np.random.default_rng(1)})
    except ValueError as refusal:
        return str(refusal)
    return ""


def voters(name: str, jobs: int) -> str:
    """Several learners of one ensemble, each of which scikit-learn hands the same generator."""
    with config_context(enable_metadata_routing=True):
        learners = [(str(i), made(name).set_fit_request(sensitive_features=True, rng=True)) for i in range(2)]
        try:
            VotingClassifier(learners, n_jobs=jobs).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(1))
        except ValueError as refusal:
            return str(refusal)
    return ""


COPY = r"rng=Generator\(PCG64\).*: a copy: .*rng\.spawn\(n\)"


def task(*given: Any) -> list[str]:
    """Handed over as joblib does it, and run as in one of its processes."""
    inside = joblib.parallel.SequentialBackend(nesting_level=1), 1
    return pickle.loads(pickle.dumps(joblib.parallel.BatchedCalls([(said_of, given, {})], inside)))()[0]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_copy_from_which_another_fit_has_drawn_is_refused_in_a_process_for_tasks(name, monkeypatch):
    rng, private = np.random.default_rng(1), "epsilon" in inspect.signature(LEARNERS[name]).parameters
    assert task(name, rng) == task(name, rng) == [""] and "fit" not in vars(LEARNERS[name])
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: "somebody")
    monkeypatch.setattr(_generator, "_used", set())
    assert task(name, rng) == [""]
    found = task(name, rng)[0]
    assert re.match(COPY, found) if private else found == ""
    assert task(name, rng.spawn(1)[0], rng.spawn(1)[0]) == ["", ""]         # a generator of its own
    assert task(name, rng.spawn(1)[0], 7, 7) == [""] * 3                    # a seed that is meant
    assert said_of(name, rng, rng, 1) == [""] * 3                           # what no task brought; one object in a row
    assert folds(name, 1) == ""
    refused(made(name), "^sensitive_features=None", sensitive_features=None, rng=rng)       # has drawn nothing


@pytest.mark.slow
def test_a_fold_in_another_process_has_a_copy_and_is_refused():
    """By joblib's own processes; all learners have one ``fit``."""
    assert re.match(COPY, folds("postprocessing.DPPostProcessing", 2))
    assert folds("baselines.CovarianceClassifier", 2) == ""                 # there is no noise
    assert re.match(COPY, voters("postprocessing.DPPostProcessing", 2)) and voters("postprocessing.DPPostProcessing", 1) == ""
    rng = np.random.default_rng(1)
    with joblib.Parallel(n_jobs=2, batch_size=1) as run:
        nested = run(joblib.delayed(folds)("postprocessing.DPPostProcessing", 1) for _ in range(2))
        copies = run(joblib.delayed(said_of)("postprocessing.DPPostProcessing", rng) for _ in range(6))
        own = run(joblib.delayed(said_of)("postprocessing.DPPostProcessing", child, child, 7, 7) for child in rng.spawn(4))
    assert nested == ["", ""] and own == [[""] * 4] * 4
    first = sum(said == [""] for said in copies)
    assert first <= 2 and sum(re.match(COPY, said[0]) is not None for said in copies) == 6 - first      # each process has a first one


@pytest.mark.parametrize("name", LEARNERS)
def test_a_bagging_draws_people_with_repetition_and_is_refused(name):
    """Somebody who comes four times moves counts by four. Without repetition each fit is a release of its own."""
    private = "epsilon" in inspect.signature(LEARNERS[name]).parameters

    def bagged(bootstrap):
        with config_context(enable_metadata_routing=True), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            BaggingClassifier(made(name).set_fit_request(sensitive_features=True, rng=True), 1, bootstrap=bootstrap, random_state=0).fit(
                X, Y, sensitive_features=A, rng=np.random.default_rng(1))

    if private:
        with pytest.raises(ValueError, match=r"^bootstrap=True: draws people with repetition.* Choose bootstrap=False"):
            bagged(True)
    bagged(False)


def test_in_one_process_nothing_is_said():
    """A copy there looks like a new generator of the same seed: a notebook that is run again."""
    rng = np.random.default_rng(1)
    assert said_of("postprocessing.DPPostProcessing", rng, rng, copy.deepcopy(rng), rng, 1, 1) == [""] * 6
    with joblib.Parallel(n_jobs=2, backend="threading") as run:
        assert run(joblib.delayed(said_of)("postprocessing.DPPostProcessing", rng) for _ in range(4)) == [[""]] * 4
