"""The public chance of label 1: that of somebody's classifier, or a logistic regression, by scikit-learn or, of many, Newton in blocks."""
from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from .._base_estimator import base_chance
from ._blocks import blocks, floats, together, with_one

#: How little the logistic is drawn to 0, as scikit-learn counts it.
C = 0.1


class LabelModel:
    """eta(x), the chance of label 1; it holds numbers of the fit and nobody's data."""

    def __init__(self, X: np.ndarray, y: np.ndarray, centre: np.ndarray, scale: np.ndarray) -> None:
        self.centre, self.scale = centre, scale
        if together(len(X)):
            self.model = LogisticRegression(C=C, max_iter=500).fit((X - centre) / scale, y)
        else:
            self.model = by_newton(X, y, centre, scale)

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict_proba((X - self.centre) / self.scale)[:, 1]


class GivenLabel:
    """The same of a fitted classifier, which is asked and never fitted. One that knows names of columns is asked about a table with those
    that X had, so that another order is an error of its own. It is copied: whoever fits it anew changes nothing that is published."""

    def __init__(self, base: Any, names: list[str] | None) -> None:
        self.base, self.names = copy.deepcopy(base), names if hasattr(base, "feature_names_in_") else None

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return base_chance(self.base, X if self.names is None else pd.DataFrame(X, columns=self.names))


def centre_and_scale(mean: np.ndarray, deviation: np.ndarray, largest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the logistic takes from every feature, and divides by. A feature that is the same for all, up to rounding, tells it nothing:
    its scale is infinite. One whose mean is far from 0 is centred, or the solver would not arrive; one within a standard deviation of 0
    is left where it is, as all features of the book's stored tables were."""
    same = deviation <= 1e-12 * largest
    return np.where(~same & (np.abs(mean) > deviation), mean, 0.0), np.where(same, np.inf, deviation)


def by_newton(X: np.ndarray, y: np.ndarray, centre: np.ndarray, scale: np.ndarray) -> LogisticRegression:
    """The optimum that scikit-learn's solver stops near: C times the log loss of everybody, plus half the squares of the coefficients.

    The loss is convex; a step that does not lower it is halved. Near the optimum each step doubles the digits.
    """
    n = X.shape[1] + 1
    ridge = np.diag(np.append(0.0, np.ones(n - 1)))        # the intercept is free

    def look(w: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        loss, slope, curvature = 0.5 * w @ ridge @ w, ridge @ w, ridge.copy()
        for at in blocks(len(X)):
            rows, label = with_one((floats(X[at]) - centre) / scale), y[at]
            z = rows @ w
            chance = expit(z)
            loss += C * float((np.logaddexp(0.0, z) - label * z).sum())
            slope += C * rows.T @ (chance - label)
            curvature += C * (rows.T * (chance * (1 - chance))) @ rows
        return loss, slope, curvature

    w = np.zeros(n)
    loss, slope, curvature = look(w)
    for _ in range(50):
        step = np.linalg.solve(curvature + 1e-12 * np.trace(curvature) / n * np.eye(n), slope)
        gain, size = float(slope @ step), 1.0
        if gain <= 1e-20 * len(X):
            break
        found = look(w - step)
        while found[0] > loss * (1 + 1e-12) and size > 1e-6:
            size /= 2
            found = look(w - size * step)
        w = w - size * step
        loss, slope, curvature = found
    model = LogisticRegression(C=C, max_iter=500)
    model.classes_, model.coef_, model.intercept_, model.n_features_in_ = np.array([0, 1]), w[None, 1:], w[:1], n - 1
    return model
