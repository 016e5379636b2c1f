"""Logistic regression under bounds on covariances, as a scikit-learn estimator."""
from __future__ import annotations

import warnings
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from .. import _checks as check
from .._classifier import RandomizedClassifier
from ..fairness import Parity
from ..fairness.parity import Notion
from .covariance import BEND, CovarianceProgram, bends, convex_concave, group_weights, with_everybody

__all__ = ["CovarianceClassifier"]

MOST_STEPS = 1000
STEPS = 20      # where nobody says how many
FAR = 0.01      # a residual of which one is told


class CovarianceParams(NamedTuple):
    """The parameters of a fit, each checked."""

    gamma: float
    k: int
    parity: Parity
    C: float
    steps: int


class CovarianceClassifier(RandomizedClassifier):
    """Logistic regression in which no group goes together with the score, or with its mistakes, by more than gamma. **Not private.**

    Source: Tran et al. 2020, Section 8, baseline Z (Zafar et al. 2017, reconstructed), for any number of groups: one bound for each group,
    of two groups for one of them, whose covariance is the other's but for its sign. It decides by X alone, and surely: P(1) is 0 or 1.

    ``gamma`` bounds :func:`covariances`, not gaps of rates: at gamma = 0 the mean scores of the groups are equal, and how often they are
    accepted need not be; for demographic parity mean scores of groups of n_a and n_b of m people may be gamma (m / n_a + m / n_b) apart.
    ``fit`` draws nothing from its ``rng``; there are no ``releases_``. Standardize X: the penalty on weights goes by its columns' units.

    For demographic parity the program is convex. For the other notions one convex program follows the other: every step meets the bounds,
    the loss never rises, and a point that returns itself is stationary, but no global optimum. The corner of min(0, v) is rounded over
    0.001 to either side, which moves a covariance by at most 0.000125.

    Parameters
    ----------
    gamma : float in [0, 1e9]
        The covariance allowed; of other notions than demographic parity at least 0.0005, from where on 0 is inside the bounds.
    n_groups : int in 2..1000
        k.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``; a Parity against the
        population, as a covariance is of a group with everybody.
    C : float in [1e-6, 1e6]
        As in scikit-learn's LogisticRegression: the log losses of all people are added to |w|^2 / (2 C); the intercept is free.
    steps : int in 1..1000, optional
        At most so many convex programs; None: 20. Demographic parity has one, and takes no number.

    Attributes
    ----------
    coef_ : (n_features,) array, intercept_ : float
    losses_ : (t,) array
        The penalised mean log loss at theta = 0, and after each convex program; it never rises.
    residual_ : float
        How far Lagrange's conditions are from holding, in coordinates in which the Hessian of the loss at 0 is the unit matrix. Above 0.01
        ``fit`` warns.
    covariances_ : (k, R) array
        On the people of ``fit``, without the rounding.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, d=3, shifts=[[0, 0, 0], [1, .5, 0]], rng=np.random.default_rng(1))
    >>> model = CovarianceClassifier(gamma=.01, notion="demographic_parity")
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> model.covariances_.round(3).ravel(), bool(model.residual_ < 1e-4)
    (array([-0.01,  0.01]), True)
    """

    _gone: ClassVar[dict[str, str]] = {"as_printed": "baselines.covariances has the printed form."}

    def __init__(self, gamma: float, *, n_groups: int = 2, notion: Notion | Parity = "equalized_odds", C: float = 1.0,
                 steps: int | None = None) -> None:
        self.gamma = gamma
        self.n_groups = n_groups
        self.notion = notion
        self.C = C
        self.steps = steps

    def _checked_params(self) -> CovarianceParams:
        parity = with_everybody(self.notion)
        gamma = check.number("gamma", self.gamma, low=BEND / 2 if bends(parity) else 0.0, high=1e9)
        if not bends(parity):
            check.unread(f"notion={parity.notion!r}", "a notion about mistakes", steps=self.steps)
        steps = STEPS if self.steps is None else check.integer("steps", self.steps, low=1, high=MOST_STEPS)
        return CovarianceParams(gamma, check.group_count(self.n_groups), parity, check.number("C", self.C, low=1e-6, high=1e6), steps)

    def _learn(self, params: CovarianceParams, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        X = self._people(X)
        A = check.groups_below("sensitive_features", sensitive_features, params.k, length=len(X))
        n = np.bincount(2 * A + y, minlength=2 * params.k).reshape(params.k, 2).astype(float)
        params.parity.require("sensitive_features", n, codes=True)
        weights = group_weights(A, y, params.k, params.parity)
        bounded = weights[1:] if params.k == 2 else weights
        program = CovarianceProgram(np.column_stack([X, np.ones(len(X))]), 2.0 * y - 1, bounded.reshape(-1, len(X)), bends(params.parity),
                                    params.gamma, params.C)
        theta, losses = convex_concave(program, params.steps)
        self.coef_, self.intercept_ = theta[:-1], float(theta[-1])
        self.losses_, self.residual_ = np.array(losses), program.residual(theta)
        if self.residual_ > FAR:
            warnings.warn(f"not yet stationary after {len(losses) - 1} convex programs: residual_ is {self.residual_:.2g}, above {FAR}. "
                          f"Standardize X{', or give more steps' if bends(params.parity) else ''}.", ConvergenceWarning, stacklevel=3)
        scores = program.Z @ theta
        self.covariances_ = weights @ (np.minimum(program.signs * scores, 0.0) if program.bend else scores)

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """1 where the score is above 0. The group is no input: given, it is only checked."""
        X = self._people(X, self.n_features_in_)
        self._validated_groups(sensitive_features, len(X))
        return (X @ self.coef_ + self.intercept_ > 0).astype(float)

    @staticmethod
    def _people(X: Any, columns: int | None = None) -> np.ndarray:
        X = check.filled("X", check.rows("X", X, columns=columns, low=-1e50, high=1e50), "person")
        return np.asarray(X, dtype=float)
