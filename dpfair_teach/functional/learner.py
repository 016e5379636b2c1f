"""A fair linear classifier from one release that protects all of a person: as a scikit-learn estimator."""
from __future__ import annotations

import math
import warnings
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .. import _checks as check
from .._classifier import GammaClassifier, refuse_other_columns
from ..fairness import Parity
from .moments import released
from .people import BLOCK, ROUNDING, read_people, to_grid
from .quadratic import MOST, Quadratic, bounded_minimum

__all__ = ["FunctionalClassifier", "LittleLearnedWarning"]

#: What the constant feature is: fixed on drawn populations, of 20,000 people with 5 to 60 features.
CONSTANT = 0.5
#: Above this mean squared length, of at most 1, most rows were shortened.
FULL = 0.98


class LittleLearnedWarning(UserWarning):
    """The released sums are hardly larger than noise, most rows were shortened, or gamma = 0 asks for as many equations as weights."""


class FunctionalParams(NamedTuple):
    """The parameters of a :class:`FunctionalClassifier`, checked."""

    epsilon: float
    gamma: float
    delta: float
    bound: float
    n_groups: int
    shorten: bool


@check.formerly(group_weight="Sums of a group weigh as much as everybody's.")
class FunctionalClassifier(GammaClassifier):
    """Least squares on noisy second moments, with bounds on the covariances of groups and score: one release, one pass, all else follows.

    Source: ours, in place of PDFC and ADFC (Ding et al. 2020). Privacy unit: one whole tuple (x, y, group) is replaced; m and the set of
    groups are public. (epsilon, delta), in one answer of :func:`release_moments`. The second-order form of the log loss is minimized where
    |covariance of group and score| <= gamma for every group, by the release: a proxy of demographic parity, and of no other notion. It
    decides by X alone, and surely: P(1) is 0 or 1. Another gamma costs nothing: ``predict(X, gamma=...)``.

    **Nothing before it in a pipeline may be fitted on these people**: no StandardScaler, no OneHotEncoder without ``categories``. Scale by
    public ranges. Labels are private too: a score on the people of ``fit`` is for the eyes of who holds the data.

    Parameters
    ----------
    epsilon : float in [1e-6, 700]
    gamma : float >= 0
        The covariance allowed, in units of the score: about log odds.
    delta : float in [1e-100, 1 - 1e-9]
    bound : float in [1e-50, 1e50]
        What no row of X is longer than. Public: of r numbers scaled to [-1, 1] and c categories as 0/1 columns sqrt(r + c).
    n_groups : int in 2..1000
    shorten : bool
        False: a longer row is refused, which tells of it; True: it is shortened to the bound, in the fit and at a decision. Numbers that
        are missing or beyond 1e50 are refused by either: let a public rule replace them first.

    Attributes
    ----------
    moments_ : Moments
        What was released, of rows (1/2, sqrt(3)/2 x / bound).
    coef_ : (n_features,) array, intercept_ : float
        At gamma_, the gamma of the fit; of another :meth:`weights`.
    covariances_ : (1 or k, n_features + 1) array
        Of group 1, or of each of more groups, with the rows of ``moments_``, divided by m, by the release.
    gamma_ : float
    releases_ : tuple of one accounting.Release

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(5000, d=2, shifts=[[0, 0], [1.5, 0]], rng=np.random.default_rng(1))
    >>> model = FunctionalClassifier(1.0, 0.0, 1e-6, bound=4.0, shorten=True)
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> [round(model.score(people.X, people.Y, gamma=gamma), 2) for gamma in (0.0, 1.0)]
    [0.67, 0.78]
    """

    _labels_are_public = False
    _small_group_advice = "choose a larger epsilon"

    def __init__(self, epsilon: float, gamma: float, delta: float, *, bound: float, n_groups: int = 2, shorten: bool = False) -> None:
        self.epsilon = epsilon
        self.gamma = gamma
        self.delta = delta
        self.bound = bound
        self.n_groups = n_groups
        self.shorten = shorten

    def _checked_params(self) -> FunctionalParams:
        return FunctionalParams(check.number("epsilon", self.epsilon, low=1e-6, high=700.0), check.gamma(self.gamma),
                                check.number("delta", check.delta(self.delta), low=1e-100, high=1 - 1e-9),
                                check.number("bound", self.bound, low=1e-50, high=1e50), check.group_count(self.n_groups),
                                check.flag("shorten", self.shorten))

    def _learn(self, params: FunctionalParams, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        X, y = read_people(X, y)
        if X.shape[1] >= MOST:
            check.refuse("X", X.shape, f"has {X.shape[1]:,} features", f"Give at most {MOST - 1:,}: their products are released.")
        A = check.groups_below("sensitive_features", sensitive_features, params.n_groups, length=len(X))
        block: np.ndarray = np.empty((min(BLOCK, len(X)), X.shape[1] + 1))      # made once: fresh memory for each costs a tenth of the fit
        rows_of = partial(framed, bound=params.bound, shorten=params.shorten, out=block)
        moments, release = released(X, CONSTANT, rows_of, y, A, params.epsilon, params.delta, rng, n_groups=params.n_groups)
        self.releases_ = (release,)
        self.moments_ = moments
        self.covariances_ = self.moments_.covariances() / len(X)
        self.coef_, self.intercept_ = self._weights(params.gamma)
        self.gamma_ = params.gamma

    def weights(self, gamma: float | None = None) -> tuple[np.ndarray, float]:
        """Weights (n_features,) and intercept that decide at another gamma, for X as it was given; None for the model's own."""
        check_is_fitted(self)
        self._refuse_a_stale_fit()
        gamma = self._tolerance(gamma)
        return (self.coef_, self.intercept_) if gamma == self.gamma_ else self._weights(gamma)

    def _weights(self, gamma: float) -> tuple[np.ndarray, float]:
        """Post-processing of what was released."""
        f = Quadratic(-self.moments_.by_label, self.moments_.denoised_gram() / 4)
        w = bounded_minimum(f, self.covariances_, gamma)
        return w[1:] * math.sqrt(1 - CONSTANT**2) / self.bound, float(w[0] * CONSTANT)

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity] | None:
        people, deviation = self.moments_.sizes()
        return people[:, None], np.full((len(people), 1), deviation), float(self.epsilon), Parity("demographic_parity")

    def _warn(self, y: np.ndarray) -> None:
        moments = self.moments_
        told, noise = np.linalg.norm(moments.by_label[1:]), moments.sigma * math.sqrt(max(1, len(moments.by_label) - 1))
        if told < 2 * noise:
            warnings.warn(f"the sums of labelled features have length {told:.3g}, and noise alone has about {noise:.3g}: what was "
                          "learned tells little but noise. Give more people, a larger epsilon, fewer features or a smaller bound.",
                          LittleLearnedWarning, stacklevel=3)
        length, unsure = np.trace(moments.gram) / moments.m, math.sqrt(len(moments.gram)) * moments.gram_deviation() / moments.m
        if self.shorten and length - 2 * unsure > FULL:
            warnings.warn(f"rows have a mean squared length of {length:.3g} of what bound={self.bound:g} allows, by the release: most were "
                          "shortened, and only their directions are left. Scale features by public ranges, or give a larger bound.",
                          LittleLearnedWarning, stacklevel=3)
        if self.gamma == 0 and self.n_groups - 1 >= self.n_features_in_:
            warnings.warn(f"gamma=0 makes {self.n_groups - 1} covariances of {self.n_groups} groups 0, and there are no more than "
                          f"{self.n_features_in_} weights: the classifier decides alike for everybody. Give a gamma above 0, or more "
                          "features.", LittleLearnedWarning, stacklevel=3)

    def decision_function(self, X: Any, gamma: float | None = None) -> np.ndarray:
        """Scores (n,), about log odds: above 0 is accepted. ``gamma``: None for the model's own."""
        check_is_fitted(self)
        self._refuse_a_stale_fit()
        if self._group_column is not None and check.columns_called(X, self._group_column):
            X, _, _ = check.column_taken_out(X, self._group_column)
        refuse_other_columns(self, X)
        return self._scores(X, self._tolerance(gamma))

    def _scores(self, X: Any, gamma: float) -> np.ndarray:
        X = check.filled("X", check.rows("X", X, columns=self.n_features_in_, low=-1e50, high=1e50), "person")
        coef, intercept = self.weights(gamma)
        scores = np.empty(len(X))
        for start in range(0, len(X), BLOCK):
            some = np.asarray(X[start:start + BLOCK], dtype=float)
            told = some @ coef
            if self.shorten:                                                   # what was learned holds for rows as long as in the fit
                told *= self.bound / np.maximum(np.sqrt(np.einsum("ij,ij->i", some, some)), self.bound)
            scores[start:start + BLOCK] = told + intercept
        return scores

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """1 where the score is above 0. The group is no input: given, it is only checked."""
        scores = self._scores(X, gamma)
        self._validated_groups(sensitive_features, len(scores))
        return (scores > 0).astype(float)


def framed(some: np.ndarray, unit: float, *, bound: float, shorten: bool, out: np.ndarray) -> np.ndarray:
    """(1/2, sqrt(3)/2 x / bound) of some people, in multiples of ``unit``: whole numbers, in the first rows of ``out``."""
    rows, constant, rest = out[:len(some)], CONSTANT / unit, math.sqrt(1 - CONSTANT**2) / unit
    rows[:, 0] = constant
    np.multiply(some, rest / bound, out=rows[:, 1:])
    square = np.einsum("ij,ij->i", rows, rows)
    if shorten:
        longer = square - constant**2 > rest**2
        rows[longer, 1:] *= rest * np.sqrt((1 - 1e-12) / (square[longer] - constant**2))[:, None]
    elif square.max() > (1 + ROUNDING) / unit**2:
        longest = bound * math.sqrt(float(square.max()) - constant**2) / rest
        check.refuse("X", float(f"{longest:.10g}"), f"is the length of a row, and bound says {bound:g}",
                     "Give a larger bound, from a codebook and not from these people; or shorten=True: a row that is longer is "
                     "shortened to the bound, which changes nobody else's row and keeps what is promised. "
                     "float32 rounds by 6e-8: convert before.")
    return to_grid(rows, unit, square)
