"""The reduction on randomized responses: everybody lies about the group now and then, once, and all that follows is post-processing."""
from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from .. import _checks as check
from .._base_estimator import people_of
from ..fairness import Parity
from ..fairness.parity import Notion, read_parity
from ..mechanisms import UNIT_A, debias_counts, release
from .reduction_learner import ReductionClassifier, ReductionParams, tried
from .response import law, response_shrinkage

__all__ = ["PrivateReduction"]

Correction = Literal["rates", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


class PrivateReductionParams(NamedTuple):
    """The parameters of a fit, each checked."""

    reduction: ReductionParams
    epsilon: float
    correction: Correction


class PrivateReduction(ReductionClassifier):
    """A fair mixture of answers of a weighted classifier, learned from randomized responses: epsilon-private for everybody's group.

    Source: Tran et al. 2020, Section 8, baseline M (Mozannar et al. 2020, reconstructed). Privacy unit: one person's A changes; X, y and
    the set of groups {0, ..., k-1} are public. Everybody responds once, by k-ary randomized response; :func:`reduction` then takes the
    responses for groups. It is post-processing, so the guarantee is pure epsilon, whoever sees the responses. Nothing is refused because of
    who is in which group.

    Among those who report a group its gap to everybody is smaller, by the factor of :func:`response_shrinkage`. ``correction="rates"`` lets
    each gap among reports be gamma times its factor, held at one standard deviation of the noise where that leaves little of a group.
    ``correction="none"`` is the method as Tran et al. describe it: the true gap may then be gamma divided by the factor.

    Parameters
    ----------
    base : classifier
        As in :class:`Reduction`. Before anybody responds a copy learns y once, so that one that cannot read X costs no epsilon.
    epsilon : float in [1e-6, 700]
        Of the whole fit.
    gamma : float in [0, 1e9]
        What each gap to everybody may be; two groups may then be 2 gamma apart.
    n_groups : int in 2..1000
        k, public. It is not read off A.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``; against the population, as
        between two groups there is no such factor where k is above 2.
    correction : str
        "rates" or "none".
    rounds : int in 1..10^4
        How often the base is fitted.

    Attributes
    ----------
    releases_ : tuple of one accounting.Release, of the last ``fit`` only
    reports_ : (k, R) array
        How many reported each group, under each fraction line.
    factors_ : (k, R) array
        What each gap's tolerance was multiplied by; 1 without a correction.
    classifiers_, weights_, multipliers_, parity_, B_ : as in :class:`Reduction`

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(4000, rng=np.random.default_rng(1))
    >>> model = PrivateReduction(LogisticRegression(), epsilon=2.0, gamma=.02, notion="demographic_parity")
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> [(r.mechanism, r.epsilon) for r in model.releases_], model.predict_proba(people.X[:3]).shape
    ([('randomized response', 2.0)], (3, 2))
    """

    _small_group_advice: ClassVar[str] = "choose a larger epsilon"

    def __init__(self, base: Any, epsilon: float, gamma: float, *, n_groups: int = 2, notion: Notion | Parity = "equalized_odds",
                 correction: Correction = "rates", rounds: int = 20) -> None:
        self.base = base
        self.epsilon = epsilon
        self.gamma = gamma
        self.n_groups = n_groups
        self.notion = notion
        self.correction = correction
        self.rounds = rounds

    def _checked_params(self) -> PrivateReductionParams:
        epsilon = check.number("epsilon", self.epsilon, low=1e-6, high=700.0)
        parity = read_parity(self.notion, against=None if isinstance(self.notion, Parity) else "population", forms=("population",),
                             because="Of three groups or more, gaps among reports tell nothing of gaps between two groups.")
        return PrivateReductionParams(self._read(parity), epsilon, check.choice("correction", self.correction, CORRECTIONS))

    def _learn(self, params: PrivateReductionParams, X: Any, y: np.ndarray, sensitive_features: Any, rng: np.random.Generator) -> None:
        reduction, epsilon, correction = params
        X, m = people_of(X)
        A = check.groups_below("sensitive_features", sensitive_features, reduction.k, length=m)
        tried(reduction.base, X, y)       # a base that fails later has spent epsilon
        Z, record = release("randomized response", A, rng, unit=UNIT_A, epsilon=epsilon, n_groups=reduction.k)
        self.releases_ = (record,)
        self.reports_ = reduction.parity.sizes(np.bincount(2 * Z + y, minlength=2 * reduction.k).reshape(reduction.k, 2).astype(float))
        self.factors_ = np.ones_like(self.reports_) if correction == "none" else tolerated(self.reports_, epsilon)
        self._play(reduction, X, y, Z, rng, self.factors_.ravel())

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity]:
        """How many are in each cell by the reports, and the noise in the number of those who are accepted where half are."""
        n = debias_counts(self.reports_, self.epsilon, axis=0)
        p, q = law(len(n), self.epsilon)
        people = self.reports_.sum(axis=0) * q * (1 - q) + np.maximum(n, 0.0) * (p * (1 - p) - q * (1 - q))
        return n, np.sqrt(people) / 2 / (p - q), float(self.epsilon), self.parity_


def tolerated(reports: np.ndarray, epsilon: float) -> np.ndarray:
    """The factors of the tolerances (k, R); of the reports' own noise, of variance at most their number, one deviation at least."""
    factors = response_shrinkage(reports.T, epsilon, of="reports").T
    return np.where(reports > 0, np.maximum(factors, 1 / np.sqrt(np.maximum(reports, 1.0))), 0.0)
