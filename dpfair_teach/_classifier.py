"""One contract for every learner: what ``fit``, ``predict`` and ``score`` ask, promise and refuse, whatever is learned in between."""
from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from . import _checks as check
from ._curve import GAMMAS, Drawn, table_of
from ._fit_warnings import warn_of_a_large_delta, warn_of_small_groups
from ._generator import refuse_people_drawn_twice, refused_as_a_copy
from ._group_argument import missing_now, refuse_group_as_feature, refuse_no_groups, validated_groups
from .fairness import Parity, cell_counts, error
from .fairness.parity import OfGroups

if TYPE_CHECKING:
    import pandas as pd

#: What a fit keeps beside the names that end in "_".
_HIDDEN = ("_basis", "_fitted_with", "_group_column")


class TwoLabelClassifier(ClassifierMixin, BaseEstimator):
    """Labels 0 and 1, and randomness in the fit."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.non_deterministic = True
        return tags


class RandomizedClassifier(TwoLabelClassifier):
    """Two classes, 0 and 1, each with its exact chance, in scikit-learn's contract.

    A learner fills in three steps: ``_checked_params`` reads its parameters, and refuses what is wrong with them; ``_learn`` learns from
    checked people; ``_positive_proba`` says everybody's exact P(1). One with a classifier for every gamma is a :class:`GammaClassifier`.
    """

    #: What scikit-learn's metadata routing hands on, where it is switched on, without being told.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"sensitive_features": True, "rng": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"sensitive_features": True, "rng": True, "gamma": True}
    __metadata_request__predict_proba: ClassVar[dict[str, bool]] = {"sensitive_features": True, "gamma": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"sensitive_features": True, "gamma": True}

    #: Parameters that hold at once when they are set after a fit. Another one that was set anew makes the fit stale, and it is refused.
    #: (What is changed inside a base is not seen: a fit has its own copy.)
    _tunable_after_fit: ClassVar[tuple[str, ...]] = ()

    #: Does the classifier read the group? Said here and nowhere else: ``predict`` then asks for it; else it may be given, and is only
    #: checked, and the learner stands in ``WITHOUT_GROUPS``.
    _reads_groups: ClassVar[bool] = False

    #: Is who has which label public? Where the whole person is protected it is not, and no refusal or warning may depend on it.
    _labels_are_public: ClassVar[bool] = True

    #: What helps too where a group is too small.
    _small_group_advice: ClassVar[str] = "choose a larger epsilon"

    def _checked_params(self) -> Any:
        """The parameters, each checked: what ``_learn`` goes by."""
        raise NotImplementedError

    def _learn(self, params: Any, X: Any, y: np.ndarray, sensitive_features: Any, rng: np.random.Generator) -> None:
        """Learn, and keep what is published: nothing else of the people, and ``n_groups_`` where the classifier reads the group.

        ``params`` is what ``_checked_params`` returned; ``y`` is (m,) ints, with both labels. X, without the column of groups, and the
        groups are as they were given. To be refused before any noise is drawn: an X that cannot be read, or is not as long as y; groups not
        as long, or no codes below n_groups (``check.groups_below``). Never because of who is in which group. Of a private learner the
        first thing that is kept are ``releases_``: a fit may die at any moment, and no answer is to be there without its record.
        """
        raise NotImplementedError

    def _positive_proba(self, X: Any, sensitive_features: Any, gamma: float) -> np.ndarray:
        """Everybody's exact P(1), (n,).

        X is as it was given, with the names of ``fit`` where both have names; to be refused: nobody in it, or another number of columns.
        The groups are as they were given, and there where the classifier reads them: ``_validated_groups`` refuses what is wrong with them.
        ``gamma`` was checked.
        """
        raise NotImplementedError

    def _validated_groups(self, sensitive_features: Any, n: int) -> Any:
        """Everybody's group at a prediction about n people, as codes that ``fit`` knew; None where none is given, and none needed."""
        if sensitive_features is None:
            return None
        k = self.n_groups_ if self._reads_groups else None
        return validated_groups("sensitive_features", sensitive_features, k, of="X", length=n, knows="fit")

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity] | None:
        """What :func:`warn_of_small_groups` goes by, from the release alone; None where no size was released."""
        return None

    def _warn(self, y: np.ndarray) -> None:
        """Warn of what else makes the fit of little use, from public numbers alone."""

    def fit(self, X: Any, y: ArrayLike, *by_position: Any, sensitive_features: ArrayLike | str | None = None,
            rng: np.random.Generator | None = None) -> Self:
        """Learn. Each call is a new release and costs its epsilon again.

        ``sensitive_features`` (m,) holds the groups 0..k-1, or is the name of the column of X that does: it is then taken out of X. All
        noise comes from ``rng``, which is not kept.

        The group is no feature. Groups with a name are refused where X has a column of that name (``race``, or ``remainder__race``, as a
        ColumnTransformer writes it), or where a base was fitted on one: by names alone. Where X is an array, also one that an earlier step
        of a pipeline made, and where the group is copied under another name, as one-hot columns are, nothing can be checked.

        One person is one row. Of somebody with four rows, as a bootstrap or a sampler against rare labels makes them, everything moves
        four times as far, and four times the epsilon is spent. A private fit inside scikit-learn's bagging is refused.

        One generator for one process: ``cross_validate(..., n_jobs=2)`` hands every fold a copy of it, all folds draw the same noise, and
        the difference of two folds' counts is exact. A private fit refuses such a copy where it sees one: in a process that was started
        for tasks. Use one process, or a loop in which each fit has its own of ``rng.spawn(n)``.

        A search spends epsilon at each of its fits: ``GridSearchCV`` fits every point of its grid on every fold, and once more. And where
        the classifier reads the group, it chooses by scores on the true groups, which is not private. Where a learner has a ``curve``,
        fit once and choose by that, with :func:`experiments.select_row`.
        """
        # Everything is checked before the noise is drawn: afterwards no message may depend on it.
        name = type(self).__name__
        if by_position:
            check.refuse("sensitive_features", by_position[0], f"{name} takes groups and generator by their names alone",
                         "Write fit(X, y, sensitive_features=A, rng=rng), with everybody's group in A.")
        params, rng = self._checked_params(), check.rng(rng, of=name)
        if sensitive_features is None:
            check.refuse("sensitive_features", None, f"{name} learns to be fair between groups",
                         "Write fit(X, y, sensitive_features=A, rng=rng), with everybody's group in A.")
        given, (X, sensitive_features, column) = sensitive_features, check.column_taken_out(X, sensitive_features)
        named = getattr(sensitive_features, "name", None) if column is None else column
        refuse_group_as_feature(X, named, getattr(sensitive_features, "index", None), self.get_params(deep=False))
        check.no_missing_group("sensitive_features", sensitive_features)
        check.as_long_as(X, name, y=(y, "label"), sensitive_features=(given if column is None else sensitive_features, "group"))
        check.same_people(X=X, y=y, sensitive_features=sensitive_features)
        y = check.labels("y", y)
        if self._labels_are_public and y.min() == y.max():
            check.refuse("y", int(y[0]), "everybody has the same label", "Give people of both labels.")
        if hasattr(self, "delta"):
            warn_of_a_large_delta(self.delta, len(y))
        if hasattr(self, "epsilon"):
            refuse_people_drawn_twice()
        with refused_as_a_copy(rng) if hasattr(self, "epsilon") else nullcontext():
            self._forget()
            self._learn(params, X, y, sensitive_features, rng)
        self.classes_ = np.array([0, 1])
        remember_columns(self, X)
        self._group_column = column
        self._fitted_with = {name: _copied(value) for name, value in self.get_params(deep=False).items()
                             if name not in self._tunable_after_fit}
        if (known := self._people_and_noise()) is not None:
            warn_of_small_groups(*known, otherwise=self._small_group_advice)
        self._warn(y)
        return self

    def predict_proba(self, X: Any, sensitive_features: ArrayLike | str | None = None, gamma: float | None = None) -> np.ndarray:
        """The exact P(0) and P(1) for every person, shape (n, 2): nothing is drawn. ``gamma``: None for the model's own."""
        check_is_fitted(self)
        self._refuse_a_stale_fit()
        gamma = self._tolerance(gamma)
        if sensitive_features is None and self._group_column is not None and check.columns_called(X, self._group_column):
            sensitive_features = self._group_column
        if sensitive_features is None and self._reads_groups:
            refuse_no_groups("sensitive_features", f", and X has no column {self._group_column!r}" if self._group_column else "")
        given, (X, sensitive_features, column) = sensitive_features, check.column_taken_out(X, sensitive_features)
        check.no_missing_group("sensitive_features", sensitive_features, missing_now(self._reads_groups))
        check.as_long_as(X, type(self).__name__, sensitive_features=(given if column is None else sensitive_features, "group"))
        check.same_people(X=X, sensitive_features=sensitive_features)
        refuse_other_columns(self, X)
        ones = self._positive_proba(X, sensitive_features, gamma)
        return np.column_stack([1 - ones, ones])

    def predict(self, X: Any, sensitive_features: ArrayLike | str | None = None, rng: np.random.Generator | None = None,
                gamma: float | None = None) -> np.ndarray:
        """Decisions, shape (n,): for every person a coin that shows 1 with the chance of :meth:`predict_proba`.

        The coins are fresh at each call, unless you give an ``rng``. Not that of ``fit``, whose draws are a secret.
        """
        ones = self.predict_proba(X, sensitive_features, gamma)[:, 1]
        coins = np.random.default_rng() if rng is None else check.rng(rng, drawn="the classifier's coins")
        return (coins.random(len(ones)) < ones).astype(np.int64)

    def score(self, X: Any, y: ArrayLike, sensitive_features: ArrayLike | str | None = None, gamma: float | None = None, *,
              sample_weight: None = None) -> float:
        """The accuracy that :meth:`predict` has on average, 1 minus the exact expected error: nothing is drawn. No weights.

        Where the classifier reads the group, the score on the people of ``fit`` is exact, not private, and no part of the release.
        """
        if sample_weight is not None:
            check.refuse("sample_weight", sample_weight, "everybody counts once here", "Leave it out.")
        check.as_long_as(X, type(self).__name__, y=(y, "label"))
        check.same_people(X=X, y=y)
        ones = self.predict_proba(X, sensitive_features, gamma)[:, 1]
        y = check.labels("y", y, length=len(ones))
        return float(1 - error(cell_counts(ones, np.zeros(len(y), dtype=int), y)))

    def _tolerance(self, gamma: float | None) -> float:
        """The gamma of a prediction: here that of the fit and no other."""
        own: Any = getattr(self, "gamma_", self.gamma)      # of a learner that chose one by a rule, that one
        if gamma is not None and check.gamma(gamma) != own:
            check.refuse("gamma", gamma, f"one fit of this learner serves one gamma, its own, {check.shown(own)}",
                         "Fit again with another gamma, which is a new release, or take oneshot.FrontierLearner: its one fit serves all.")
        return own

    def _forget(self) -> None:
        """Nothing is kept from an earlier fit: one that dies halfway leaves no older model beside its own records."""
        for name in [name for name in vars(self) if name.endswith("_") or name in _HIDDEN]:
            delattr(self, name)

    def __sklearn_is_fitted__(self) -> bool:
        """Not by a fit that died, though its records are there."""
        return "_fitted_with" in vars(self)

    def _refuse_a_stale_fit(self) -> None:
        """Refuse to predict when a parameter changed since ``fit``."""
        for name, then in self._fitted_with.items():
            now = getattr(self, name)
            if not _same(now, then):
                check.refuse(name, now, f"the last fit was with {name}={check.shown(then)}",
                             f"Fit again, which is a new release, or set {name} back."
                             + " Other gammas cost neither: give them to predict or to curve." * (name == "gammas"))


class GammaClassifier(RandomizedClassifier):
    """A learner whose one fit serves every gamma: each follows from what was released, and costs nothing more."""

    _tunable_after_fit: ClassVar[tuple[str, ...]] = ("gamma",)

    def _tolerance(self, gamma: float | None) -> float:
        return check.gamma(self.gamma if gamma is None else gamma)


class FrontierClassifier(GammaClassifier):
    """A learner with a table of the error and the violation of every gamma, estimated from what was released."""

    _small_group_advice: ClassVar[str] = "see in curve() what can be relied on"

    def _draws(self, gammas: np.ndarray, rng: np.random.Generator) -> Drawn:
        """Errors and violations of G gammas on tables that could be the true one, drawn by the law of the noise around the release."""
        raise NotImplementedError

    def curve(self, gammas: ArrayLike | None = None, *, confidence: float = 0.95, rng: np.random.Generator | None = None) -> pd.DataFrame:
        """Error and violation for every gamma, as well as what was released tells, for the people of ``fit``: one row a gamma.

        No private number is read, so a curve costs no epsilon, however often it is asked for.

        Columns: ``gamma``; ``error`` and ``violation``, means over what could be true by the release and the law of its noise;
        ``error_low``, ``error_high`` and ``violation_low``, ``violation_high``, between which they lie about as often as ``confidence``
        says, for all gammas at once; ``claimed``, the violation by the release itself, mostly too small: there the program chose what
        looks fair. The class says how they are computed. The intervals are calibrated on drawn populations, and no theorem.

        The intervals are about the noise, on the people of ``fit``. On other people there is sampling error, which no epsilon removes.

        Parameters
        ----------
        gammas : sequence of floats >= 0, optional
            None: 25 between 0 and 0.5, and the model's own.
        confidence : float in [0.5, 0.999]
        rng : numpy.random.Generator, optional
            Draws the tables. There is nothing to hide in it: without one the same release makes the same curve.
        """
        check_is_fitted(self)
        self._refuse_a_stale_fit()
        asked = np.union1d(GAMMAS, self._tolerance(None)) if gammas is None else gammas
        asked = check.filled("gammas", check.array("gammas", asked, ndim=1, low=0.0, booleans=False), "tolerance")
        confidence = check.number("confidence", confidence, low=0.5, high=0.999)
        draws = np.random.default_rng(0) if rng is None else check.rng(rng, drawn="the tables")
        return table_of(asked, self._draws(asked, draws), confidence)


def compared(notion: object, against: OfGroups | None, k: int | None) -> OfGroups | None:
    """Who a learner compares where nobody says it, beside the notion or in a :class:`fairness.Parity`: any two groups, and two are also
    each with group 0."""
    return "pairs" if against is None and k != 2 and not (isinstance(notion, Parity) and notion.said) else against


def remember_columns(model: Any, X: Any) -> None:
    """What scikit-learn wants known of X after ``fit``."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    if len(shape) == 2:
        model.n_features_in_ = shape[1]
    names = check.column_names(X)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)


def refuse_other_columns(model: Any, X: Any) -> None:
    """Where both tables have names they are the same, in the same order."""
    known, names = getattr(model, "feature_names_in_", None), check.column_names(X)
    if known is not None and names is not None and names != known.tolist():
        then, now = Counter(known.tolist()), Counter(names)
        missing, more = list((then - now).elements()), list((now - then).elements())
        apart = [f"{words} {check.shown(found)}" for words, found in (("without", missing), ("with", more)) if found]
        why = f"are not the columns of fit, {check.shown(known.tolist())}, but {' and '.join(apart) or 'in another order'}"
        pick = "" if missing or max(now.values()) > 1 else ": X[list(feature_names_in_)]"
        check.refuse("X", names, why, f"Give X the columns of fit, in that order{pick}.")


def _copied(value: object) -> object:
    """A list, whose entries somebody may replace after the fit, as they are now."""
    return tuple(value) if isinstance(value, list) else value.copy() if isinstance(value, np.ndarray) else value


def _same(now: object, then: object) -> bool:
    """The same object, or equal numbers, words and lists."""
    if now is then:
        return True
    if isinstance(now, (list, tuple)) and isinstance(then, (list, tuple)):
        return len(now) == len(then) and all(map(_same, now, then))
    try:
        return bool(np.array_equal(np.asarray(now), np.asarray(then)))
    except Exception:       # somebody's object that is no array, or cannot be compared
        return False
