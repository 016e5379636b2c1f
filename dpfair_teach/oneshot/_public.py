"""Everything that one-shot learning computes before it asks for a group: nothing in this file ever sees A."""
from __future__ import annotations

import copy
from typing import Literal

import numpy as np
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression

from .. import _checks as check
from ..fairness import Parity
from ..oracles.regression import PRECISE, pseudo_inverse
from .candidates import both_labels, strata_of
from .releases import as_many
from .settings import DEFAULTS, Settings

#: Where candidates come from.
Oracle = Literal["regression", "logistic", "bayes"]


class Public:
    """X and y, and what follows from them: the oracle's projection, the base score, a map of the features, cells, prior covariance."""

    def __init__(self, X: object, y: object, settings: Settings = DEFAULTS, *, oracle: Oracle = "regression",
                 parity: Parity | None = None) -> None:
        self.X = check.filled("X", check.array("X", X, shape=(None, None), low=-1e50, high=1e50), "feature")
        self.y = both_labels_of_y(check.labels("y", y))
        as_many("y", self.y, "X", len(self.X))
        self.m, self.settings, self.oracle = len(self.X), settings, oracle
        self.parity = parity = parity or Parity()
        self.people = strata_of(parity, self.y)         # those of each rate
        self.asked = np.unique(np.concatenate(self.people))
        self.design = np.column_stack([np.ones(self.m), self.X])
        self.inverse = pseudo_inverse(self.design)
        self.base = self.inverse @ (2.0 * self.y - 1)
        self._map()
        if oracle != "regression":
            self.eta_centre, self.eta_scale = centre_and_scale(self.X)
            self.eta_model = LogisticRegression(C=0.1, max_iter=500).fit((self.X - self.eta_centre) / self.eta_scale, self.y)
            self.eta_of_people = self.eta(self.X)

    def _map(self) -> None:
        """The map: principal components, the first of variance 1, and the base score; landmarks on it give the smooth part of the prior."""
        self.centre = self.X.mean(axis=0)
        _, singular, axes = np.linalg.svd(self.X - self.centre, full_matrices=False)
        if singular[0] <= PRECISE * np.sqrt(self.m) * max(1.0, np.abs(self.centre).max()):
            check.refuse("X", float(singular[0]), "is its largest singular value without the mean: the features hardly vary beside it",
                         "Give features that vary, standardized.")
        self.axes = axes[singular > 1e-9 * singular[0]].T * np.sqrt(self.m) / singular[0]
        score = self.design @ self.base
        self.score_centre, self.score_scale = score.mean(), max(score.std(), 1e-12)
        self.place = self.map(self.X)
        n_landmarks = min(self.settings.landmarks, len(np.unique(self.place, axis=0)))
        self.landmarks = KMeans(n_landmarks, n_init=1, max_iter=20, random_state=1).fit(self.place).cluster_centers_
        self._covariance()
        self._cells: dict[int, tuple[np.ndarray, int]] = {}

    def _covariance(self) -> None:
        values, vectors = np.linalg.eigh(self._bumps(self.landmarks) + 1e-8 * np.eye(len(self.landmarks)))
        self.whiten = vectors / np.sqrt(np.maximum(values, 1e-8))
        self.features = self.prior_features(self.place)
        self.features_of = [self.features[i] for i in self.people]

    def under(self, settings: Settings) -> Public:
        """The same map, cells and label model with the length, variances and residual of other settings."""
        other = copy.copy(self)
        other.settings = settings
        other._covariance()
        return other

    def map(self, X: np.ndarray) -> np.ndarray:
        score = np.column_stack([np.ones(len(X)), X]) @ self.base
        return np.column_stack([(X - self.centre) @ self.axes, self.settings.score_weight * (score - self.score_centre) / self.score_scale])

    def _bumps(self, place: np.ndarray) -> np.ndarray:
        square = (place**2).sum(axis=1)[:, None] + (self.landmarks**2).sum(axis=1) - 2 * place @ self.landmarks.T
        return self.settings.smooth * np.exp(-np.maximum(square, 0.0) / (2 * self.settings.length**2))

    def prior_features(self, place: np.ndarray) -> np.ndarray:
        """Features (n, r) whose inner products are the prior covariance of P(A = a | x): a linear part and a smooth one."""
        return np.column_stack([np.sqrt(self.settings.linear) * place, self._bumps(place) @ self.whiten])

    def cells(self, n_cells: int) -> tuple[np.ndarray, int]:
        """Everybody's cell, ``n_cells`` for each rate (fewer where it has fewer different people), -1 for who is not asked; how many."""
        if n_cells not in self._cells:
            codes, start = np.full(self.m, -1), 0
            for i in self.people:
                n = min(n_cells, len(np.unique(self.place[i], axis=0)))
                codes[i] = start + KMeans(n, n_init=1, random_state=0).fit(self.place[i]).labels_
                start += n
            self._cells[n_cells] = codes, start
        return self._cells[n_cells]

    def eta(self, X: np.ndarray) -> np.ndarray:
        return self.eta_model.predict_proba((X - self.eta_centre) / self.eta_scale)[:, 1]


def centre_and_scale(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the logistic takes from every feature, and divides by. A feature that is the same for all, up to rounding, tells it nothing:
    its scale is infinite. One whose mean is far from 0 is centred, or the solver would not arrive; one within a standard deviation of 0
    is left where it is, as all features of the book's stored tables were."""
    centre, scale = X.mean(axis=0), X.std(axis=0)
    same = scale <= 1e-12 * np.abs(X).max(axis=0)
    return np.where(~same & (np.abs(centre) > scale), centre, 0.0), np.where(same, np.inf, scale)


def both_labels_of_y(y: np.ndarray) -> np.ndarray:
    try:
        return both_labels(y)
    except ValueError:
        check.refuse("y", int(y[0]), "everybody has the same label", "Give people of both labels.")
