"""The public map: where somebody with scaled features stands, and the prior features of that place."""
from __future__ import annotations

import numpy as np
from scipy.special import logit

from ._blocks import with_one
from .scaled import Moments, Scaling
from .settings import Settings

#: Chances are told apart between these two; logits that deviate by less are one.
SURE, LEVEL = 0.01, 1e-3


def surely(chances: np.ndarray) -> np.ndarray:
    return logit(np.clip(chances, SURE, 1 - SURE))


class Map:
    """The first principal components, the first of variance 1, and the score of least squares; what somebody's own ``base`` says is one
    more coordinate, as it may see in x what no line does, and groups may go by that. Landmarks give the smooth part of the prior.

    Of the people that it was made of it holds means, directions and landmarks only.
    """

    def __init__(self, settings: Settings, scaling: Scaling, moments: Moments, told: np.ndarray | None = None) -> None:
        self.settings, self.scaling, self.centre, self.base = settings, scaling, moments.mean, moments.coefficients
        self.axes = moments.axes[:, :settings.coordinates]
        self.score_centre, self.score_scale = moments.fitted_mean, max(moments.fitted_deviation, 1e-12)
        #: Mean and deviation of the logits of what a base says of the people, ``told`` (m,).
        self.told = None if told is None else (float(surely(told).mean()), float(surely(told).std()))
        self.landmarks, self.whiten = np.empty((0, 0)), np.empty((0, 0))

    def score(self, X: np.ndarray) -> np.ndarray:
        """Of least squares of 2 y - 1, in deviations from its mean, (n,)."""
        return self._score(self.scaling(X))

    def _score(self, Z: np.ndarray) -> np.ndarray:
        return (with_one(Z) @ self.base - self.score_centre) / self.score_scale

    def place(self, X: np.ndarray, eta: np.ndarray, label: np.ndarray | None = None) -> np.ndarray:
        """Where people stand, (n, p); ``eta`` (n,) are their chances of label 1. Where ``label`` tells people of one part apart, it is one
        more coordinate."""
        Z = self.scaling(X)
        coordinates = [(Z - self.centre) @ self.axes, self.settings.score_weight * self._score(Z)]
        if self.told is not None:
            mean, deviation = self.told
            coordinates.append(self.settings.score_weight * (surely(eta) - mean) / max(deviation, LEVEL))
        if label is not None:
            coordinates.append(self.settings.label_weight * (label - 0.5))
        return np.column_stack(coordinates)

    def set_landmarks(self, landmarks: np.ndarray) -> None:
        self.landmarks = landmarks
        values, vectors = np.linalg.eigh(self.bells(landmarks) + 1e-8 * np.eye(len(landmarks)))
        self.whiten = vectors / np.sqrt(np.maximum(values, 1e-8))

    def bells(self, place: np.ndarray) -> np.ndarray:
        """(n, landmarks), which whitened are the smooth part of the features: whitening meets the landmarks once, not each person."""
        bells = place @ self.landmarks.T
        bells -= 0.5 * (self.landmarks**2).sum(axis=1)
        bells -= 0.5 * (place**2).sum(axis=1)[:, None]
        np.minimum(bells, 0.0, out=bells)
        bells *= 1 / self.settings.length**2
        np.exp(bells, out=bells)
        bells *= self.settings.smooth
        return bells

    def raw(self, place: np.ndarray) -> np.ndarray:
        """1, the place and the bells, (n, 1 + p + landmarks): what the features of the prior are made of."""
        return np.column_stack([np.ones(len(place)), place, self.bells(place)])
