"""The functions of x that candidates are made of, for the people learned from and for anybody else."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._blocks import blocks
from .public_data import PublicData
from .thresholds import bayes_of


class Basis:
    """Columns (what accepting saves, gap scores, 1) of fair Bayes thresholding, with the P(A = a | x, y) that are believed; before them
    those of an ``earlier`` belief on the same map."""

    earlier: Basis | None = None

    def __init__(self, public: PublicData, chances: Any, n: np.ndarray) -> None:
        self.chances, self.eta, self.parity, self.n = chances, public.eta, public.parity, n
        self.share, self.cost = sum(map(len, public.people)) / public.m, public.cost

    def __call__(self, X: np.ndarray, eta: np.ndarray | None = None, features: Any = None) -> np.ndarray:
        eta = self.eta(X) if eta is None else eta
        features = self.chances.features(X, eta) if features is None else features
        before = [] if self.earlier is None else [self.earlier(X, eta, features)]
        scores = bayes_of(eta, self.chances(features), self.n, self.parity, self.share, self.cost)
        return np.column_stack([*before, scores, np.ones(len(scores))])


def scores_of(basis: Basis, public: PublicData) -> np.ndarray:
    """The columns for the people learned from, (m, b)."""
    return np.concatenate([basis(public.X[at], public.eta_of_people[at]) for at in blocks(*public.X.shape)])
