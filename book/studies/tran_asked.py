"""The learner that asks, in the tables of Tran et al. 2020: where it is operated, what it is when it is told, whom F-LD is trained on."""
from __future__ import annotations

import hashlib
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from dpfair_teach._base_estimator import fitted_copy
from dpfair_teach.accounting import Release
from dpfair_teach.oneshot import FrontierLearner, ask_part, fit_group_posterior, public_cells, public_data, split_epsilon

#: The rule of the operating point, of all data sets, notions, epsilons and bases, fixed before anybody was judged: as fair as so much more
#: error than without a constraint makes it.
SPENT = 0.01
#: Noise is nothing: the same learner, told what it asks.
TOLD_EPSILON = 10_000.0


def operating_gamma(model: FrontierLearner) -> float:
    """The smallest gamma whose mixture errs at most ``SPENT`` more than the least of the frontier; by the release, X and y alone."""
    frontier = model.frontier_
    errors = frontier.corners @ frontier.error                  # they fall as violations rise
    return float(np.interp(errors.min() + SPENT, errors[::-1], frontier.violations[::-1]))


def asked_groups(X: np.ndarray, y: np.ndarray, A: np.ndarray, k: int, epsilon: float,
                 rng: np.random.Generator) -> tuple[np.ndarray, tuple[Release, ...]]:
    """Everybody's expected group by one question to each label, (m, k); and the records of the counts, which alone read A."""
    public = public_data(X, y)
    asked = [ask_part(public_cells(public, part), A, part, part.first, rng) for part in split_epsilon(public, epsilon, k, share=1.0)]
    posterior, weights = fit_group_posterior(public, asked, k), np.empty((public.m, k))
    for r, people in enumerate(public.people):
        weights[people] = posterior.all_groups(posterior.of_everybody(r), 1.0)
    return weights, tuple(one.release for one in asked)


class Remembered(ClassifierMixin, BaseEstimator):
    """A classifier that is fitted once for the same people: a base sees X and y alone, so all notions, epsilons and draws have the same."""

    def __init__(self, base: Any) -> None:
        self.base = base

    def fit(self, X: np.ndarray, y: np.ndarray) -> Remembered:
        people = np.ascontiguousarray(X).tobytes() + np.asarray(y, dtype=np.int8).tobytes()
        key = repr(self.base), hashlib.sha256(people).hexdigest()
        if key not in FITTED:
            FITTED[key] = fitted_copy(self.base, X, y, partial(np.random.default_rng, 0))
        self.fitted_, self.classes_ = FITTED[key], np.array([0, 1])
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.fitted_.predict_proba(X)


#: What one process has fitted.
FITTED: dict[tuple[str, str], Any] = {}
