"""Somebody's classifier: fitting a copy of it, and what it says of people. It is not ours: it may raise or answer anything."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from . import _checks as check

#: What to do about a base that answers something else than decisions.
DECIDE = ("Give a base that answers 0 or 1: turn scores into decisions first, for instance score >= 0.5, or keep them and use "
          "method='score_bins'.")


def fitted_copy(base: Any, X: Any, y: np.ndarray, make_rng: Callable[[], np.random.Generator], **more: Any) -> Any:
    """A copy that has learned; one whose ``fit`` takes ``rng`` is given a new generator."""
    model = clone(base)
    own = {"rng": make_rng()} if "rng" in inspect.signature(model.fit).parameters else {}
    try:
        return model.fit(X, y, **more, **own)
    except Exception as problem:        # whatever it is: the base is not ours
        check.refuse("base", base, f"cannot be fitted to these people ({type(problem).__name__}: {problem})",
                     "Give an X that it can read, and see its own message.", problem)


def base_prediction(base: Any, X: Any, length: int | None = None, columns: int | None = None, *, name: str = "base",
                    remedy: str = DECIDE) -> np.ndarray:
    """What the base says, 0 or 1 for each row of ``X``; ``name`` is the argument's, ``remedy`` for other answers."""
    predict = getattr(base, "predict", base)
    if not callable(predict):
        check.refuse(name, base, "neither has predict nor is a function", "Give a fitted classifier.")
    prediction, rows = _ask(base, predict, X, length, columns, name)
    return check.labels(f"{name}.predict(X)", prediction, length=rows, remedy=remedy)


def base_score(base: Any, X: Any, length: int | None = None, columns: int | None = None) -> np.ndarray:
    """The base's score of each row of ``X``: its P(1), else its decision function, else what it returns as a function."""
    for name in ("predict_proba", "decision_function"):
        score = getattr(base, name, None)
        if callable(score):
            break
    else:
        name, score = "", base
        if not callable(score):
            check.refuse("base", base, "has neither predict_proba nor decision_function, nor is it a function",
                         "Give a base with scores, or a function that returns them: base.predict, if it answers with a score. "
                         "Or choose another method.")
    _refuse_other_classes(base)
    scores, rows = _ask(base, score, X, length, columns)
    both = name == "predict_proba"
    scores = check.array(f"base.{name}(X)" if name else "base(X)", scores, shape=(rows, 2) if both else (rows,),
                         remedy="Give a base that answers a number for each row.")
    return scores[:, 1] if both else scores


def base_chance(base: Any, X: Any) -> np.ndarray:
    """The base's P(1) of each row of ``X``, in [0, 1]: of one that has ``predict_proba``."""
    if not callable(getattr(base, "predict_proba", None)):
        check.refuse("base", base, "has no predict_proba", "Give a fitted classifier that tells the chances of its labels.")
    _refuse_other_classes(base)
    found, rows = _ask(base, base.predict_proba, X)
    name, remedy = "base.predict_proba(X)", "Give a base that answers with two chances for each row."
    answer = check.numeric(name, found, remedy)
    if answer.shape != (rows, 2):
        check.refuse(name, answer.shape, f"is not of the shape {(rows, 2)}", remedy)
    chances = answer[:, 1].astype(float)
    fine = np.abs(chances - 0.5) <= 0.5 + 1e-9          # so much is rounding; NaN is not near anything
    if not fine.all():
        check.refuse(name, chances[~fine][0], "outside [0, 1]", remedy)
    return np.clip(chances, 0.0, 1.0)


def _refuse_other_classes(base: Any) -> None:
    known = getattr(base, "classes_", None)
    if known is not None and list(known) != [0, 1]:
        check.refuse("base", base, f"knows the classes {list(known)}, not 0 and 1", "Fit it on labels 0 and 1.")


def rows_of(X: Any, length: int | None = None, columns: int | None = None) -> tuple[Any, int]:
    """``X`` as a table of whatever entries, and its number of rows. Only its shape is looked at."""
    try:
        X = X if hasattr(X, "shape") else np.asarray(X)
    except Exception as problem:            # rows of different lengths; whatever an __array__ of somebody's raises
        check.refuse("X", X, f"is no table ({problem})", "Give one row for each person, all of the same length.", problem)
    shape = X.shape
    if not isinstance(shape, tuple) or not shape:
        check.refuse("X", X, "has no rows", "Give one row for each person.")
    if shape[0] != (shape[0] if length is None else length):
        check.refuse("X", shape, f"has {shape[0]} rows, not {length}", "Give one row for each person of y.")
    if columns is not None and shape[1:] != (columns,):
        check.refuse("X", shape, f"is not of {columns} columns, as it was for fit", "Give the columns that fit had.")
    return X, shape[0]


def people_of(X: Any, columns: int | None = None) -> tuple[Any, int]:
    """``X`` as a table of whatever entries, and its number of rows, at least one."""
    X, rows = rows_of(X, columns=columns)
    if not rows:
        check.refuse("X", X.shape, "is empty", "Give at least one person.")
    return X, rows


def _ask(base: Any, question: Any, X: Any, length: int | None = None, columns: int | None = None, name: str = "base") -> tuple[Any, int]:
    """The base's answer about ``X``, and its number of rows."""
    X, rows = rows_of(X, length, columns)
    try:
        return question(X), rows
    except NotFittedError as problem:
        check.refuse(name, base, "is not fitted",
                     "Fit it on X and Y first, without A. (A clone forgets: wrap it in sklearn.frozen.FrozenEstimator.)", problem)
    except Exception as problem:            # whatever it is: the base is not ours
        check.refuse("X", X.shape, f"the {name} cannot predict on it ({type(problem).__name__}: {problem})",
                     f"Give the columns that the {name} was fitted on.", problem)
