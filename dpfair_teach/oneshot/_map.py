"""The public map: where somebody with scaled features stands, and the prior features of that place."""
from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag

from ._blocks import with_one
from ._label import clipped_logit
from .scaled import Moments, Scaling
from .settings import Settings

#: Chances nearer to 0 or 1 than this, or than a tenth of the rarer label's share, count as that; logits that deviate by less are one.
SURE, LEVEL = 0.01, 1e-3
#: Where bells stand along what a base says, in its deviations; each has a deviation of 1. Groups may go by what it says and by no line.
LINE = np.linspace(-3.0, 3.0, 13)


class Map:
    """The first principal components, the first of variance 1, and the score of least squares; what somebody's own ``base`` says is one
    more coordinate, as it may see in x what no line does, and groups may go by that. Landmarks give the smooth part of the prior; of
    people to come, ``bent``, there is one along a base's own coordinate too, of variance 1.

    Of the people that it was made of it holds means, directions and landmarks only.
    """

    def __init__(self, settings: Settings, scaling: Scaling, moments: Moments, eta: np.ndarray | None = None, bent: bool = False) -> None:
        self.settings, self.scaling, self.centre, self.coefficients = settings, scaling, moments.mean, moments.coefficients
        self.axes = moments.axes[:, :settings.coordinates]
        self.score_centre, self.score_scale = moments.fitted_mean, max(moments.fitted_deviation, 1e-12)
        #: Without a base None; else where the logits of what it says of the people, ``eta`` (m,), are cut, their mean and their deviation.
        self.logits: tuple[float, float, float] | None = None
        if eta is not None:
            sure = min(SURE, 0.05 * (1 - abs(moments.fitted_mean)))         # targets are -1 and 1
            logits = clipped_logit(eta, sure)
            self.logits = sure, float(logits.mean()), float(logits.std())
        self.bent = bent and eta is not None
        self.landmarks, self.whiten = np.empty((0, 0)), np.empty((0, 0))

    def score(self, Z: np.ndarray) -> np.ndarray:
        """Of least squares of 2 y - 1 on scaled features, in deviations from its mean, (n,)."""
        return (with_one(Z) @ self.coefficients - self.score_centre) / self.score_scale

    def place(self, X: np.ndarray, eta: np.ndarray, label: np.ndarray | None = None) -> np.ndarray:
        """Where people stand, (n, p); ``eta`` (n,) are their chances of label 1. Where ``label`` tells people of one part apart, it is one
        more coordinate."""
        Z = self.scaling(X)
        coordinates = [(Z - self.centre) @ self.axes, self.settings.score_weight * self.score(Z)]
        if self.logits is not None:
            sure, mean, deviation = self.logits
            coordinates.append(self.settings.score_weight * (clipped_logit(eta, sure) - mean) / max(deviation, LEVEL))
        if label is not None:
            coordinates.append(self.settings.label_weight * (label - 0.5))
        return np.column_stack(coordinates)

    def set_landmarks(self, landmarks: np.ndarray) -> None:
        self.landmarks = landmarks
        self.whiten = whitened(self.bells(landmarks))
        if self.bent:
            self.whiten = block_diag(self.whiten, whitened(along(LINE)))

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
        """1, the place and all bells, (n, 1 + p + landmarks + LINE): what the features of the prior are made of."""
        line = [along(place[:, self.axes.shape[1] + 1])] if self.bent else []
        return np.column_stack([np.ones(len(place)), place, self.bells(place), *line])


def along(said: np.ndarray) -> np.ndarray:
    """Bells on a line, (n, LINE)."""
    return np.exp(-0.5 * (np.clip(said, LINE[0], LINE[-1])[:, None] - LINE) ** 2)


def whitened(bells: np.ndarray) -> np.ndarray:
    """Takes bells to features: the inner product of two centres' features is how high one's bell is at the other."""
    values, vectors = np.linalg.eigh(bells + 1e-8 * np.eye(len(bells)))
    return vectors / np.sqrt(np.maximum(values, 1e-8))
