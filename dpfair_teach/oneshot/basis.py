"""The functions of x that candidates are made of, for the people learned from and for anybody else."""
from __future__ import annotations

from collections.abc import Callable
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
        given = self.chances(self.chances.features(X) if features is None else features)
        scores = bayes_of(self.eta(X) if eta is None else eta, given, self.n, self.parity, self.share, self.cost)
        return np.column_stack([scores, np.ones(len(scores))])


class BothBases:
    """The columns of two bases on the same map, side by side."""

    def __init__(self, first: BayesBasis, second: BayesBasis) -> None:
        self.first, self.second = first, second

    def __call__(self, X: np.ndarray, eta: np.ndarray | None = None) -> np.ndarray:
        eta, features = self.first.eta(X) if eta is None else eta, self.first.chances.features(X)
        return np.column_stack([self.first(X, eta, features), self.second(X, eta, features)])


Basis = BayesBasis | BothBases


def scores_of(basis: Basis, public: PublicData) -> np.ndarray:
    """The columns for the people learned from, (m, b)."""
    return np.concatenate([basis(public.X[at], public.eta_of_people[at]) for at in blocks(public.m)])


def chances(basis: Callable[[np.ndarray], np.ndarray], X: np.ndarray, multipliers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """P(h = 1) of a mixture of candidates for everybody, (n,)."""
    accepted = [(basis(X[at]) @ multipliers.T > 0) @ weights for at in blocks(len(X))]
    return np.clip(np.concatenate(accepted), 0.0, 1.0)        # sums of weights round
