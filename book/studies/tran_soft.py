"""The one-shot learner of the tables as its rivals would have it: told everybody's group, or everybody's randomized response.

Both differ from ``oneshot.SoftGroupLearner`` in how they come to the weights of the model of the groups, and in nothing else: same bases,
same features, same prior, same thresholds, same rule of the operating point.
"""
from __future__ import annotations

import hashlib
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from dpfair_teach._base_estimator import fitted_copy
from dpfair_teach.accounting import UNIT_A, Release
from dpfair_teach.mechanisms import randomized_response, randomized_response_matrix
from dpfair_teach.oneshot import SoftGroupLearner, group_contrasts, soft_groups
from dpfair_teach.oneshot.soft_frontier import FairMixture, Pool, _scores, mixture_of
from dpfair_teach.oneshot.soft_learner import CrossFitted, SoftGroupParams, prior_of


class Told(SoftGroupLearner):
    """The ceiling: exact sums in the place of noisy ones. **Not private.** epsilon is read by the rule of the operating point alone."""

    def _groups(self, params: SoftGroupParams, features: np.ndarray, A: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        sums = features.T @ group_contrasts(params.k)[A]
        return soft_groups(features, sums, 0.0, n_groups=params.k, prior=prior_of(features))

    def _people_and_noise(self) -> None:
        """There is no noise to warn of."""


class Responding(SoftGroupLearner):
    """The same epsilon spent on everybody's randomized response: the model of the groups under which the responses are most likely."""

    def _groups(self, params: SoftGroupParams, features: np.ndarray, A: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        reports = randomized_response(A, params.k, params.epsilon, rng)
        self.releases_ = (Release("randomized response", UNIT_A, epsilon=params.epsilon),)
        return response_model(features, reports, params.k, params.epsilon)

    def _people_and_noise(self) -> None:
        """Its noise is not that of the learner's own answer."""


def response_model(features: np.ndarray, reports: np.ndarray, k: int, epsilon: float) -> np.ndarray:
    """W (d, k-1) of largest posterior density, where P(A = a | f) is proportional to exp((f W b_a)) and reports are k-ary responses."""
    law, B = randomized_response_matrix(k, epsilon), group_contrasts(k)     # [group, report]
    shape, precision = (features.shape[1], k - 1), 1 / prior_of(features)[:, None]
    given = law[:, reports].T                                               # (m, k): chance of the report, by group

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        W = flat.reshape(shape)
        logits = features @ W @ B.T
        joint = log_softmax(logits, axis=1) + np.log(given)
        most = joint.max(axis=1, keepdims=True)
        likelihood = most[:, 0] + np.log(np.exp(joint - most).sum(axis=1))
        slope = features.T @ ((softmax(joint, axis=1) - softmax(logits, axis=1)) @ B)
        return float((precision * W**2).sum() / 2 - likelihood.sum()), (precision * W - slope).ravel()
    return minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x.reshape(shape)


def mixtures(model: SoftGroupLearner, X: np.ndarray, y: np.ndarray, gammas: list[float]) -> list[FairMixture]:
    """For each gamma the mixture that a fit with it would have found from the same answer: post-processing of one release."""
    params, basis = model._checked_params(), model._basis
    eta = CrossFitted(params.bases, X, y).of_people
    given = basis.given(X, eta)
    people = _scores(eta, given, basis.shares, params.parity), y, given[np.arange(len(y)), y], params.parity
    return [mixture_of(Pool(*people), gamma) for gamma in gammas]      # a pool of its own for each, as a fit has


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
