"""The functions of x that candidates are made of, for the people learned from and for anybody else."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._blocks import blocks
from .public_data import PublicData
from .thresholds import bayes_of


class BayesBasis:
    """Columns (2 eta - 1, gap scores, 1) of fair Bayes thresholding, with the P(A = a | x, y) that are believed."""

    def __init__(self, public: PublicData, chances: Any, n: np.ndarray) -> None:
        self.chances, self.eta, self.parity, self.n = chances, public.eta, public.parity, n
        self.share, self.cost = sum(map(len, public.people)) / public.m, public.cost

    def __call__(self, X: np.ndarray, eta: np.ndarray | None = None, features: Any = None) -> np.ndarray:
        eta = self.eta(X) if eta is None else eta
        given = self.chances(self.chances.features(X, eta) if features is None else features)
        scores = bayes_of(eta, given, self.n, self.parity, self.share, self.cost)
        return np.column_stack([scores, np.ones(len(scores))])


class BothBases:
    """The columns of two bases on the same map, side by side; the first may itself be of two."""

    def __init__(self, first: Basis, second: BayesBasis) -> None:
        self.first, self.second = first, second

    def __call__(self, X: np.ndarray, eta: np.ndarray | None = None, features: Any = None) -> np.ndarray:
        eta = self.second.eta(X) if eta is None else eta
        features = self.second.chances.features(X, eta) if features is None else features
        return np.column_stack([self.first(X, eta, features), self.second(X, eta, features)])


Basis = BayesBasis | BothBases


def scores_of(basis: Basis, public: PublicData) -> np.ndarray:
    """The columns for the people learned from, (m, b)."""
    return np.concatenate([basis(public.X[at], public.eta_of_people[at]) for at in blocks(*public.X.shape)])
