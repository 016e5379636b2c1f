"""Somebody's classifier, fitted again and again with weights: it is not ours, and may raise or answer anything."""
from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from .. import _checks as check
from .._base_estimator import base_prediction, fitted_copy
from .._generator import own_generator

REMEDY = "Give a classifier that answers 0 or 1."


def readable(base: Any) -> Any:
    """A classifier that can be copied, fitted with weights and asked."""
    if isinstance(base, type):
        check.refuse("base", base, "is a class, and no classifier yet",
                     f"Give an instance: {base.__name__ if hasattr(base, 'fit') else 'LogisticRegression'}().")
    for name in ("fit", "predict", "get_params"):
        if not callable(getattr(base, name, None)):
            check.refuse("base", base, f"has no {name}, so it is no classifier of scikit-learn's", "Give one, as LogisticRegression().")
    if "sample_weight" not in inspect.signature(base.fit).parameters:
        check.refuse("base", base, "its fit takes no sample_weight, and the reduction is about weights",
                     "Give one that takes weights, as LogisticRegression(); the last step of a Pipeline does not.")
    return base


def fitted(base: Any, X: Any, labels: np.ndarray, weights: np.ndarray, rng: np.random.Generator) -> Any:
    """A copy that has learned these labels, with weights of mean 1; a constant where there is one label only."""
    total = weights.sum()
    if labels.min() == labels.max() or total <= 0:
        return constant(int(labels[0]))
    # a generator of its own, as a base may keep what it is given
    return fitted_copy(base, X, labels, lambda: own_generator(rng), sample_weight=weights * (len(weights) / total))


def tried(base: Any, X: Any, y: np.ndarray) -> None:
    """Refuse a base that cannot learn these people, or says no decisions: before anything private is asked, so that it costs nothing.

    A copy learns y with weights of 1, and is thrown away. X, y and the base are all that is read, and its generator is its own: the
    refusal depends on nobody's group, and the caller's generator draws what it would have drawn.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")         # of the same the rounds will warn
        model = fitted_copy(base, X, y, lambda: np.random.default_rng(0), sample_weight=np.ones(len(y)))
        decisions(model, X, len(y))


def constant(value: int) -> DummyClassifier:
    """Who says the same of everybody."""
    return DummyClassifier(strategy="constant", constant=value).fit(np.zeros((1, 1)), [value])


def decisions(model: Any, X: Any, n: int) -> np.ndarray:
    """What it says of everybody, 0 or 1."""
    return base_prediction(model, X, n, remedy=REMEDY).astype(np.int64)
