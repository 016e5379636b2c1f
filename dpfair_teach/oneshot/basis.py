"""The functions of x that candidates are made of: the oracle's scores, for the people learned from and for anybody else."""
from __future__ import annotations

import numpy as np

from ._public import Public
from .asked import Asked
from .candidates import bayes_of, costs_of, group_shares


class RegressionBasis:
    """Columns (score, gap scores, 1), linear in (1, x): the regression oracle of main text, Section 5. Or with 2 eta - 1 for the score."""

    def __init__(self, public: Public, smooth: np.ndarray) -> None:
        self.public = public if public.oracle == "logistic" else None
        self.coefficients = np.column_stack([public.base, public.inverse @ costs_of(smooth, public.y)])
        self.on_people = self._of(public.design, public.eta_of_people if self.public else None)

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return self._of(np.column_stack([np.ones(len(X)), X]), self.public.eta(X) if self.public else None)

    def _of(self, design: np.ndarray, eta: np.ndarray | None) -> np.ndarray:
        scores = design @ self.coefficients
        if eta is not None:
            scores[:, 0] = 2 * eta - 1
        return _with_one(scores)


class BayesBasis:
    """Columns (2 eta - 1, gap scores, 1) of fair Bayes thresholding, with the P(A = a | x, y) of what was released."""

    def __init__(self, public: Public, asked: Asked, smooth: np.ndarray) -> None:
        self.public, self.means, self.weights = public, asked.means.copy(), asked.weights_of_features.copy()
        self.n = group_shares(smooth, public.y)
        self.on_people = self._of(public.features, public.eta_of_people)

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return self._of(self.public.prior_features(self.public.map(X)), self.public.eta(X))

    def _of(self, features: np.ndarray, eta: np.ndarray) -> np.ndarray:
        given = np.clip(self.means[:, :, None] + self.weights @ features.T, 0.0, 1.0)       # [a - 1, y, x]
        rest = np.clip(1 - given.sum(axis=0, keepdims=True), 0.0, 1.0)
        given = np.moveaxis(np.concatenate([rest, given]), (0, 1, 2), (2, 1, 0))
        return _with_one(bayes_of(eta, given, self.n))


def _with_one(scores: np.ndarray) -> np.ndarray:
    return np.column_stack([scores, np.ones(len(scores))])


def basis_of(public: Public, asked: Asked, smooth: np.ndarray) -> RegressionBasis | BayesBasis:
    return BayesBasis(public, asked, smooth) if public.oracle == "bayes" else RegressionBasis(public, smooth)
