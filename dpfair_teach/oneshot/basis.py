"""The functions of x that candidates are made of: the oracle's scores, for the people learned from and for anybody else."""
from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from ._blocks import blocks, floats, together, with_one
from ._public import Public
from .candidates import bayes_of, costs_of, group_shares
from .known import Known


class RegressionBasis:
    """Columns (score, gap scores, 1), linear in (1, x): the regression oracle of main text, Section 5. Or with 2 eta - 1 for the score."""

    def __init__(self, public: Public, smooth: np.ndarray) -> None:
        self.eta = public.eta if public.oracle == "logistic" else None
        self.coefficients = np.column_stack([public.base, public.least.coefficients(costs_of(smooth, public.people))])

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return self._of(with_one(X), self.eta(X) if self.eta else None)

    def of_people(self, public: Public) -> np.ndarray:
        """For the people learned from, who are looked at together."""
        return self._of(public.design, public.eta_of_people if self.eta else None)

    def _of(self, design: np.ndarray, eta: np.ndarray | None) -> np.ndarray:
        scores = design @ self.coefficients
        if eta is not None:
            scores[:, 0] = 2 * eta - 1
        return _with_one(scores)


class BayesBasis:
    """Columns (2 eta - 1, gap scores, 1) of fair Bayes thresholding, with the P(A = a | x, y) of what was released."""

    def __init__(self, public: Public, chances: Any, n: np.ndarray) -> None:
        self.chances, self.eta, self.parity, self.n = chances, public.eta, public.parity, n
        self.share = sum(map(len, public.people)) / public.m

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return self._of(self.chances(X), self.eta(X))

    def of_people(self, public: Public) -> np.ndarray:
        """For the people learned from, who are looked at together."""
        return self._of(self.chances.of_people(public), public.eta_of_people)

    def _of(self, given: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return _with_one(bayes_of(eta, given, self.n, self.parity, self.share))


class BothBases:
    """The columns of two bases, side by side."""

    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return np.column_stack([self.first(X), self.second(X)])

    def of_people(self, public: Public) -> np.ndarray:
        return np.column_stack([self.first.of_people(public), self.second.of_people(public)])


def _with_one(scores: np.ndarray) -> np.ndarray:
    return np.column_stack([scores, np.ones(len(scores))])


Basis = RegressionBasis | BayesBasis | BothBases


def basis_of(public: Public, known: Known, smooth: np.ndarray) -> Basis:
    if public.oracle == "bayes":
        return BayesBasis(public, known.chances(), group_shares(smooth, public.people))
    return RegressionBasis(public, smooth)


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
