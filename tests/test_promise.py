"""No silent way to lose the promise: each kind is tried on every public learner. One joins by its valid call in ``valid_calls.py``."""
from __future__ import annotations

import importlib
import inspect
import pkgutil
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpfair_teach
from dpfair_teach import data, fairness
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
    chances = {against: model.predict_proba(X, A)[:, 1] for against, model in said.items()}
    if name in WITH_EVERYBODY:
        assert not np.array_equal(chances[None], chances["anchor"])
        return
    assert np.array_equal(chances[None], chances["pairs"]) and not np.array_equal(chances[None], chances["anchor"])
    for model in said.values():
        assert model.get_params()["against"] in (None, "pairs", "anchor")       # as it was given: a clone is the same
    if hasattr(LEARNERS[name], "curve"):
        assert np.array_equal(said[None].curve([.05]), said["pairs"].curve([.05]))
    parity = fairness.Parity("demographic_parity", "anchor")                # the word of a Parity is its own
    assert np.array_equal(fitted(made(name, **given | {"notion": parity})).predict_proba(X, A)[:, 1], chances["anchor"])
