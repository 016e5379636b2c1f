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
        self.coefficients = np.column_stack([public.base, public.inverse @ costs_of(smooth, public.people)])
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
        self.n, self.whole = group_shares(smooth, public.people), asked.every_group
        self.on_people = self._of(public.features, public.eta_of_people)

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return self._of(self.public.prior_features(self.public.map(X)), self.public.eta(X))

    def _of(self, features: np.ndarray, eta: np.ndarray) -> np.ndarray:
        given = self.means[:, :, None] + self.weights @ features.T              # [a - 1, rate, x], or of every group
        if self.whole:
            given = np.clip(given - (given.sum(axis=0) - 1) / len(given), 0.0, 1.0)
        else:
            given = np.clip(given, 0.0, 1.0)
            given = np.concatenate([rest_of(given), given])
        given, share = np.moveaxis(given, (0, 1, 2), (2, 1, 0)), len(self.public.asked) / self.public.m
        return _with_one(bayes_of(eta, given, self.n, self.public.parity, share))


def rest_of(given: np.ndarray) -> np.ndarray:
    """P(A = 0 | x, y), as (1, ...), of the other groups' (k - 1, ...)."""
    return np.clip(1 - given.sum(axis=0, keepdims=True), 0.0, 1.0)


def _with_one(scores: np.ndarray) -> np.ndarray:
    return np.column_stack([scores, np.ones(len(scores))])


def basis_of(public: Public, asked: Asked, smooth: np.ndarray) -> RegressionBasis | BayesBasis:
    return BayesBasis(public, asked, smooth) if public.oracle == "bayes" else RegressionBasis(public, smooth)
