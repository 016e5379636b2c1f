"""The functions of x that candidates are made of, for the people learned from and for anybody else."""
from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from ._blocks import blocks, floats, together
from ._public import Public
from .candidates import bayes_of


class BayesBasis:
    """Columns (2 eta - 1, gap scores, 1) of fair Bayes thresholding, with the P(A = a | x, y) that are believed."""

    def __init__(self, public: Public, chances: Any, n: np.ndarray) -> None:
        self.chances, self.eta, self.parity, self.n = chances, public.eta, public.parity, n
        self.share = sum(map(len, public.people)) / public.m

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return self._of(self.chances(X), self.eta(X))

    def of_people(self, public: Public) -> np.ndarray:
        """For the people learned from, who are looked at together."""
        return self._of(self.chances.of_people(public), public.eta_of_people)

    def _of(self, given: np.ndarray, eta: np.ndarray) -> np.ndarray:
        scores = bayes_of(eta, given, self.n, self.parity, self.share)
        return np.column_stack([scores, np.ones(len(scores))])


class BothBases:
    """The columns of two bases, side by side."""

    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return np.column_stack([self.first(X), self.second(X)])

    def of_people(self, public: Public) -> np.ndarray:
        return np.column_stack([self.first.of_people(public), self.second.of_people(public)])


Basis = BayesBasis | BothBases


def scores_of(basis: Basis, public: Public) -> np.ndarray:
    """The columns for the people learned from, (m, b)."""
    if public.together:
        return basis.of_people(public)
    parts = (basis(floats(public.X[at])) for at in blocks(public.m))
    first = next(parts)
    scores = np.empty((public.m, first.shape[1]))
    for at, part in zip(blocks(public.m), chain([first], parts), strict=True):
        scores[at] = part
    return scores


def chances(basis: Callable[[np.ndarray], np.ndarray], X: np.ndarray, multipliers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """P(h = 1) of a mixture of candidates for everybody, (n,)."""
    accepted = [(basis(floats(X[at])) @ multipliers.T > 0) @ weights for at in blocks(len(X))]
    return np.clip(accepted[0] if together(len(X)) else np.concatenate(accepted), 0.0, 1.0)        # sums of weights round
