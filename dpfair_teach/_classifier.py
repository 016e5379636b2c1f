"""What the randomized classifiers of this library share of scikit-learn's contract: columns, an exact score, tags."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin

from . import _checks as check
from .fairness import cell_counts, error


class RandomizedClassifier(ClassifierMixin, BaseEstimator):
    """Two classes, 0 and 1, each with its exact chance."""

    def _remember_columns(self, X: Any) -> None:
        """What scikit-learn wants known of X after ``fit``; nothing is kept from an earlier one."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
        if len(shape) == 2:
            self.n_features_in_ = shape[1]
        names = check.column_names(X)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _refuse_other_columns(self, X: Any) -> None:
        """Where both tables have names they are the same, in the same order."""
        known, names = getattr(self, "feature_names_in_", None), check.column_names(X)
        if known is not None and names is not None and names != known.tolist():
            check.refuse("X", names, f"are not the columns of fit, {known.tolist()}", "Give X the columns of fit, in that order.")

    @staticmethod
    def _refuse_weights(sample_weight: object) -> None:
        if sample_weight is not None:
            check.refuse("sample_weight", sample_weight, "everybody counts once here", "Leave it out.")

    @staticmethod
    def _expected_accuracy(ones: np.ndarray, y: ArrayLike) -> float:
        """1 minus the exact expected error of decisions that are 1 with the chances ``ones``."""
        y = check.labels("y", y, length=len(ones))
        return float(1 - error(cell_counts(ones, np.zeros(len(y), dtype=int), y)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
