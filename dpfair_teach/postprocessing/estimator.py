"""DP-postprocessing as a scikit-learn estimator: a fitted base in, a fair randomized classifier out, the group stays private."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from .. import _checks as check
from ..accounting import UNIT_A, Release
from ..fairness import cell_counts
from .closed_form import closed_form
from .lp import predict_proba, solve_lp
from .noise import clip_counts, margin_slack, noisy_counts, paper_slack, public_margin_counts

__all__ = ["DPPostProcessing"]

METHODS = ("public_margins", "as_printed")


class DPPostProcessing(ClassifierMixin, BaseEstimator):
    """Make a fitted classifier fair between groups, with epsilon-differential privacy for everybody's group.

    Source: supplement and main text, Algorithm 1 (``method="as_printed"``); ``method="public_margins"`` is the same idea with half the
    sensitivity and no slack. Privacy unit: one person's A changes, X and Y are public. The base must not have been trained on A.

    Parameters
    ----------
    base : fitted classifier with ``predict``, or a function X -> 0/1
        It is never refitted. (``sklearn.base.clone`` forgets what a base has learned: wrap it in ``sklearn.frozen.FrozenEstimator`` first.)
    epsilon : float > 0
    gamma : float >= 0
        The gap allowed between the groups' false- and true-positive rates on the noisy table.
    method : str
        ``public_margins``: :func:`public_margin_counts`, then :func:`clip_counts`. ``as_printed``: :func:`noisy_counts`; a constraint whose
        slack comes out negative counts as none; with ``slack=False`` the table goes through :func:`clip_counts`.
    slack : bool, optional
        Add the method's slack to gamma (:func:`paper_slack`, :func:`margin_slack`). None: yes for ``as_printed``, no for
        ``public_margins``.
    beta : float in (0, 1)
        Failure probability in the slack.
    n_bins : int
        Number of score bins, for methods that use scores; the two methods here do not.
    n_groups : int, optional
        k, public knowledge. None takes the largest code in A plus one, which is then treated as public.

    Attributes
    ----------
    p_ : (2, k) array [yhat, a], what is published: P(say 1 | the base says yhat, group a)
    q_tilde_ : (2, k, 2) array [yhat, a, y], the noisy frequencies that the program saw
    slack_ : (k, 2) array [a, y], what was added to gamma
    releases_ : tuple of accounting.Release, in people
    n_groups_, n_features_in_ : int
    classes_ : array([0, 1])

    Raises
    ------
    ValueError
        By ``fit`` and ``predict``, for any parameter or array out of range; never because of a private cell: that would tell.

    Examples
    --------
    >>> score = np.array([[.9], [.7], [.4], [.3], [.2], [.8], [.6], [.55], [.35], [.1]])
    >>> Y, A = [1, 1, 1, 0, 0, 1, 1, 0, 0, 0], [0] * 5 + [1] * 5
    >>> model = DPPostProcessing(lambda X: (X[:, 0] >= .5).astype(int), epsilon=5, gamma=.05)
    >>> model = model.fit(score, Y, sensitive_features=A, rng=np.random.default_rng(0))
    >>> model.predict_proba(score[:2], sensitive_features=[0, 1]).shape
    (2, 2)
    >>> model.releases_[0].sensitivity, model.releases_[0].epsilon
    (1.0, 5.0)
    """

    def __init__(self, base: Any, epsilon: float, gamma: float, *, method: str = "public_margins", slack: bool | None = None,
                 beta: float = 0.05, n_bins: int = 6, n_groups: int | None = None) -> None:
        self.base = base
        self.epsilon = epsilon
        self.gamma = gamma
        self.method = method
        self.slack = slack
        self.beta = beta
        self.n_bins = n_bins
        self.n_groups = n_groups

    def fit(self, X: ArrayLike, y: ArrayLike, *, sensitive_features: ArrayLike, rng: np.random.Generator) -> DPPostProcessing:
        """Count, add noise, solve. ``sensitive_features`` (m,) holds the groups 0..k-1; all noise comes from ``rng``."""
        epsilon, gamma, beta = check.epsilon(self.epsilon), check.gamma(self.gamma), check.beta(self.beta)
        check.choice("method", self.method, METHODS)
        check.integer("n_bins", self.n_bins, low=2)
        if self.slack is not None:
            check.flag("slack", self.slack)
        rng = check.rng(rng)
        y = check.labels("y", y)
        if y.min() == y.max():
            check.refuse("y", int(y[0]), "everybody has the same label", "Give people of both labels.")
        prediction = self._base_prediction(X, len(y))
        A, k = self._groups(sensitive_features, len(y), self.n_groups)
        m = len(y)

        counts = cell_counts(prediction, A, y, n_groups=k)
        if self.method == "public_margins":
            noisy = clip_counts(public_margin_counts(counts, epsilon, rng))
            sensitivity = 1 if k == 2 else 2
            slack = margin_slack(noisy / m, m, epsilon, beta) if self.slack else np.zeros((k, 2))
        else:
            noisy = noisy_counts(counts, epsilon, rng)
            sensitivity = 2
            if self.slack is False:
                noisy, slack = clip_counts(noisy), np.zeros((k, 2))
            else:
                slack = paper_slack(noisy / m, m, epsilon, beta, negative="unconstrained")
        q = noisy / m
        solve = closed_form if k == 2 or (gamma == 0 and not slack.any()) else solve_lp

        self.p_ = solve(q, gamma, slack).p
        self.q_tilde_, self.slack_, self.n_groups_ = q, slack, k
        self.releases_ = (Release("laplace", UNIT_A, sensitivity, sensitivity / epsilon, epsilon),)
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict_proba(self, X: ArrayLike, sensitive_features: ArrayLike | None = None) -> np.ndarray:
        """The exact P(0) and P(1) for every person, shape (n, 2). The group is an input of the classifier."""
        check_is_fitted(self)
        if sensitive_features is None:
            check.refuse("sensitive_features", None, "the derived classifier decides by the base's prediction and the group",
                         "Give everybody's group, or train a classifier that does not need A.")
        prediction = self._base_prediction(X)
        A, _ = self._groups(sensitive_features, len(prediction), self.n_groups_)
        ones = predict_proba(self.p_, prediction, A)
        return np.column_stack([1 - ones, ones])

    def predict(self, X: ArrayLike, sensitive_features: ArrayLike | None = None, rng: np.random.Generator | None = None) -> np.ndarray:
        """Draw a decision for every person, shape (n,): 1 with the probability of ``predict_proba``. ``rng`` is required."""
        ones = self.predict_proba(X, sensitive_features)[:, 1]
        return (check.rng(rng).random(len(ones)) < ones).astype(np.int64)

    def _base_prediction(self, X: ArrayLike, length: int | None = None) -> np.ndarray:
        plain = check.array("X", X, ndim=2, length=length)
        X = X if hasattr(X, "iloc") else plain              # a DataFrame keeps its column names for the base
        predict = getattr(self.base, "predict", self.base)
        if not callable(predict):
            check.refuse("base", self.base, "neither has predict nor is a function", "Give a fitted classifier.")
        try:
            prediction = predict(X)
        except NotFittedError:
            check.refuse("base", self.base, "is not fitted, and is never fitted here", "Fit it on X and Y first, without A.")
        except (TypeError, IndexError, KeyError, AttributeError) as problem:
            check.refuse("X", np.shape(X), f"the base cannot predict on it ({problem})", "Give the columns that the base was fitted on.")
        return check.labels("base.predict(X)", prediction, length=len(X))

    @staticmethod
    def _groups(sensitive_features: ArrayLike, length: int, n_groups: int | None) -> tuple[np.ndarray, int]:
        if n_groups is not None:
            n_groups = check.integer("n_groups", n_groups, low=2, high=10**6)
        A, k = check.groups("sensitive_features", sensitive_features, length=length, n_groups=n_groups)
        if k < 2:
            check.refuse("sensitive_features", k, "names one group only", "Give n_groups if the others happen to be absent.")
        return A, k
