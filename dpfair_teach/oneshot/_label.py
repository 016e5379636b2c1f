"""The public chance of label 1: that of somebody's classifier, or a logistic regression on scaled features; perhaps cross-fitted."""
from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from .. import _checks as check
from .._base_estimator import base_chance, fitted_copy
from ._blocks import blocks, floats, sample, with_one
from .scaled import Scaling

#: How little the logistic is drawn to 0, as scikit-learn counts it; so many people for each coefficient tell the curvature.
C, A_COEFFICIENT = 0.1, 20
#: Steps at most, after how many everybody tells the curvature anew, and what a step may still gain, in the loss of one person.
STEPS, ANEW, ARRIVED = 60, 6, 1e-10
#: Parts of a cross-fit; chances are told apart up to this.
PARTS, SURE = 5, 1e-6

Chance = Callable[[np.ndarray], np.ndarray]


def clipped_logit(chances: np.ndarray, sure: float) -> np.ndarray:
    """Chances nearer to 0 or 1 than ``sure`` count as that."""
    return logit(np.clip(chances, sure, 1 - sure))


class LabelModel:
    """eta(x) by logistic regression: C times the log loss of everybody, plus half the squares of the coefficients, is least.

    Newton's steps, halved where they do not lower the loss. Everybody tells the slope, so the optimum is everybody's. Of many people a
    sample, drawn by a fixed seed, tells the curvature; as it may miss a rare column, after ``ANEW`` steps everybody tells it, and so again
    and again. It holds numbers of the fit and nobody's data.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray, scaling: Scaling) -> None:
        m, n = len(X), X.shape[1] + 1
        self.scaling, self.ridge = scaling, np.append(0.0, np.ones(n - 1))          # the intercept is free
        rows = with_one(scaling(X[sample(m, A_COEFFICIENT * n)]))
        w = np.zeros(n)
        loss, slope = self._look(X, y, w)
        for number in range(STEPS):
            if len(rows) == m or number < ANEW:
                curvature = np.diag(self.ridge) + curvature_of(rows, w, C * m / len(rows))
            elif number % ANEW == 0:
                curvature = np.diag(self.ridge) + sum(curvature_of(with_one(scaling(X[at])), w, C) for at in blocks(*X.shape))
            step = np.linalg.solve(curvature + 1e-12 * np.trace(curvature) / n * np.eye(n), slope)
            if slope @ step <= ARRIVED * C * m:
                break
            size, found = 1.0, self._look(X, y, w - step)
            while found[0] > loss and size > 1e-6:
                size /= 2
                found = self._look(X, y, w - size * step)
            w = w - size * step
            loss, slope = found
        self.coefficients = w

    def _look(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss, and its slope."""
        loss, slope = 0.5 * float(w @ (self.ridge * w)), self.ridge * w
        for at in blocks(*X.shape):
            rows = with_one(self.scaling(X[at]))
            z = rows @ w
            loss += C * float((np.logaddexp(0.0, z) - y[at] * z).sum())
            slope += C * rows.T @ (expit(z) - y[at])
        return loss, slope

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return expit(self.coefficients[0] + self.scaling(X) @ self.coefficients[1:])


def curvature_of(rows: np.ndarray, w: np.ndarray, times: float) -> np.ndarray:
    """Of so many times the log loss of people with ``rows``."""
    chance = expit(rows @ w)
    return times * (rows.T * (chance * (1 - chance))) @ rows


class GivenLabel:
    """The same of a fitted classifier, which is asked and never fitted. One that knows names of columns is asked about a table with those
    that X had, so that another order is an error of its own. It is copied: whoever fits it anew changes nothing that is published."""

    def __init__(self, base: Any, names: list[str] | None) -> None:
        self.base, self.names = copy.deepcopy(base), names if hasattr(base, "feature_names_in_") else None

    def __call__(self, X: np.ndarray) -> np.ndarray:
        X = floats(X)
        return base_chance(self.base, X if self.names is None else pd.DataFrame(X, columns=self.names))


class CrossFitted:
    """eta(x) of models of which each was fitted to all people but a part, and asked about that part; a logistic regression weighs them.

    Source: cross-fitting, as van der Laan, Polley and Hubbard (2007). The people learned from get answers of models that never saw them, as
    people to come do: ``of_people`` (m,). Who is new gets the mean of all models, on the scale of logits.
    """

    def __init__(self, fit: Callable[[np.ndarray, np.ndarray], Chance], X: np.ndarray, y: np.ndarray) -> None:
        parts = min(PARTS, int(np.bincount(y, minlength=2).min()))
        everybody = np.arange(len(y))
        split = list(StratifiedKFold(parts, shuffle=True, random_state=0).split(y, y)) if parts > 1 else [(everybody, everybody)]
        self.models = [fit(X[rest], y[rest]) for rest, _ in split]
        logits = np.empty(len(y))
        for model, (_, part) in zip(self.models, split, strict=True):
            logits[part] = clipped_logit(model(X[part]), SURE)
        self.weigh = LogisticRegression(C=1e3).fit(logits[:, None], y)
        self.of_people = self._weighed(logits)

    def _weighed(self, logits: np.ndarray) -> np.ndarray:
        return expit(self.weigh.intercept_[0] + self.weigh.coef_[0, 0] * logits)

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return self._weighed(np.mean([clipped_logit(model(X), SURE) for model in self.models], axis=0))


def label_chance(X: np.ndarray, y: np.ndarray, scaling: Scaling, base: Any, names: list[str] | None,
                 new: bool) -> tuple[Chance, np.ndarray, np.ndarray]:
    """eta(x); that of the people learned from, (m,); and what is said of each of them as of others, (m,), by which they stand on the map.

    A base that is fitted is only asked: who gives it knows what it says of others. One that is not may remember the people that it is
    fitted to, and says their label then, so it is cross-fitted; these very people are decided by what is published, and those who
    stand for people to come as these will be. The logistic regression is drawn to 0, and remembers little where people are many.
    """
    if isinstance(base, type):
        check.refuse("base", base, "is a class, and no classifier", f"Give {base.__name__}(), or one that is fitted.")

    def asked(eta: Chance) -> np.ndarray:
        return np.concatenate([eta(X[at]) for at in blocks(*X.shape)])       # a base may raise: before anything is asked

    if base is None or is_fitted(base):
        eta = LabelModel(X, y, scaling) if base is None else GivenLabel(base, names)
        told = asked(eta)
        return eta, told, told
    crossed = CrossFitted(partial(fitted_base, base), X, y)
    return crossed, crossed.of_people if new else asked(crossed), crossed.of_people


def fitted_base(base: Any, X: np.ndarray, y: np.ndarray) -> GivenLabel:
    return GivenLabel(fitted_copy(base, floats(X), y, partial(np.random.default_rng, 0)), None)


def is_fitted(base: Any) -> bool:
    """Has it learned? What scikit-learn cannot tell of counts as fitted."""
    try:
        check_is_fitted(base)
    except NotFittedError:
        return False
    except (AttributeError, TypeError):         # no estimator of scikit-learn's
        return True
    return True
