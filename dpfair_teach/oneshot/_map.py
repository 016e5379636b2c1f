"""The public map: where somebody with features x stands, and the prior features of that place."""
from __future__ import annotations

import copy

import numpy as np

from ._blocks import with_one
from .settings import Designed


class Map:
    """Principal components, the first of variance 1, and the base score; landmarks on it give the smooth part of the prior.

    Of the people that it was made of it holds means, directions and landmarks only.
    """

    def __init__(self, settings: Designed, centre: np.ndarray, axes: np.ndarray, base: np.ndarray, score: tuple[float, float]) -> None:
        self.settings, self.centre, self.axes, self.base = settings, centre, axes, base
        self.score_centre, self.score_scale = score[0], max(score[1], 1e-12)
        self.landmarks, self.whiten = np.empty((0, axes.shape[1] + 1)), np.empty((0, 0))

    def place(self, X: np.ndarray) -> np.ndarray:
        score = with_one(X) @ self.base
        return np.column_stack([(X - self.centre) @ self.axes, self.settings.score_weight * (score - self.score_centre) / self.score_scale])

    def with_landmarks(self, landmarks: np.ndarray) -> Map:
        """The same places with the prior features of these landmarks."""
        other = copy.copy(self)
        other.landmarks = landmarks
        values, vectors = np.linalg.eigh(other._bumps(landmarks) + 1e-8 * np.eye(len(landmarks)))
        other.whiten = vectors / np.sqrt(np.maximum(values, 1e-8))
        return other

    def _bumps(self, place: np.ndarray) -> np.ndarray:
        square = (place**2).sum(axis=1)[:, None] + (self.landmarks**2).sum(axis=1) - 2 * place @ self.landmarks.T
        return self.settings.smooth * np.exp(-np.maximum(square, 0.0) / (2 * self.settings.length**2))

    def bells(self, place: np.ndarray) -> np.ndarray:
        """(n, landmarks), which whitened are the smooth part of the prior features."""
        bells = place @ self.landmarks.T
        bells -= 0.5 * (self.landmarks**2).sum(axis=1)
        bells -= 0.5 * (place**2).sum(axis=1)[:, None]
        np.minimum(bells, 0.0, out=bells)
        bells *= 1 / self.settings.length**2
        np.exp(bells, out=bells)
        bells *= self.settings.smooth
        return bells

    def raw(self, place: np.ndarray) -> np.ndarray:
        """1, the place and the bells, (n, 1 + p + landmarks): what the prior features are made of."""
        return np.column_stack([np.ones(len(place)), place, self.bells(place)])
