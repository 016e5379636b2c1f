"""The public map: where somebody with features x stands, and the prior features of that place."""
from __future__ import annotations

import copy

import numpy as np

from ._blocks import with_one
from .settings import Settings


class Map:
    """Principal components, the first of variance 1, and the base score; landmarks on it give the smooth part of the prior.

    Of the people that it was made of it holds means, directions and landmarks only.
    """

    def __init__(self, settings: Settings, centre: np.ndarray, axes: np.ndarray, base: np.ndarray, score: tuple[float, float]) -> None:
        self.settings, self.centre, self.axes, self.base = settings, centre, axes, base
        self.score_centre, self.score_scale = score[0], max(score[1], 1e-12)
        self.landmarks, self.whiten = np.empty((0, axes.shape[1] + 1)), np.empty((0, 0))

    def place(self, X: np.ndarray) -> np.ndarray:
        score = with_one(X) @ self.base
        return np.column_stack([(X - self.centre) @ self.axes, self.settings.score_weight * (score - self.score_centre) / self.score_scale])

    def with_landmarks(self, landmarks: np.ndarray, settings: Settings) -> Map:
        """The same places with the prior features of these landmarks and settings."""
        other = copy.copy(self)
        other.settings, other.landmarks = settings, landmarks
        values, vectors = np.linalg.eigh(other._bumps(landmarks) + 1e-8 * np.eye(len(landmarks)))
        other.whiten = vectors / np.sqrt(np.maximum(values, 1e-8))
        return other

    def _bumps(self, place: np.ndarray) -> np.ndarray:
        square = (place**2).sum(axis=1)[:, None] + (self.landmarks**2).sum(axis=1) - 2 * place @ self.landmarks.T
        return self.settings.smooth * np.exp(-np.maximum(square, 0.0) / (2 * self.settings.length**2))

    def features(self, place: np.ndarray) -> np.ndarray:
        """Features (n, r) whose inner products are the prior covariance of P(A = a | x): a linear part and a smooth one."""
        return np.column_stack([np.sqrt(self.settings.linear) * place, self._bumps(place) @ self.whiten])

    # In blocks a product of the features with weights, and a sum of them over people, are made of places and bells: the whitening meets the
    # landmarks once, not each person.

    def bells(self, place: np.ndarray) -> np.ndarray:
        """(n, landmarks), which whitened are the smooth part of the features."""
        bells = place @ self.landmarks.T
        bells -= 0.5 * (self.landmarks**2).sum(axis=1)
        bells -= 0.5 * (place**2).sum(axis=1)[:, None]
        np.minimum(bells, 0.0, out=bells)
        bells *= 1 / self.settings.length**2
        np.exp(bells, out=bells)
        bells *= self.settings.smooth
        return bells

    def raw(self, place: np.ndarray) -> np.ndarray:
        """1, the place and the bells, (n, 1 + p + landmarks): what features of a belief are made of."""
        return np.column_stack([np.ones(len(place)), place, self.bells(place)])

    def whitened(self, of_place: np.ndarray, of_bells: np.ndarray) -> np.ndarray:
        """Sums of the features (q, r), from sums of the places and of the bells."""
        return np.column_stack([np.sqrt(self.settings.linear) * of_place, of_bells @ self.whiten])

    def product(self, place: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """features(place) @ weights, for weights (r,) or (r, n)."""
        n = place.shape[1]
        return place @ (np.sqrt(self.settings.linear) * weights[:n]) + self.bells(place) @ (self.whiten @ weights[n:])

    @property
    def width(self) -> int:
        """r."""
        return self.landmarks.shape[1] + self.whiten.shape[1]
