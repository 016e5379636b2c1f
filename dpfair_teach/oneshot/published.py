"""What one-shot learning publishes: a mixture of candidates for every tolerance."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .frontier import best_mixtures


@dataclass(frozen=True)
class Frontier:
    """What is published: for every gamma a mixture of candidates, each a function of x.

    Source: ours. ``gammas`` (G,); ``weights`` (G, H): how often each candidate is used; ``multipliers`` (H, b): candidate h accepts x where
    basis(x) @ multipliers[h] > 0; ``error`` (H,): on the people learned from, exact and public; ``gaps`` (H, C): expected signed
    gaps of the notion, by what was released; ``audited`` (n, H): the mixtures that the audit counted for, chosen by the first answer (for
    gamma 0; with ``response`` one for each of 25 tolerances; none without an audit); ``expected_violation``, ``expected_error`` (G,): of
    the mixtures published. The violation is an estimate by what was released, and the program chose what makes it small: the true one,
    which only A tells, is mostly larger. The error is exact.
    """

    gammas: tuple[float, ...]
    weights: np.ndarray
    multipliers: np.ndarray
    error: np.ndarray
    gaps: np.ndarray
    audited: np.ndarray

    @property
    def expected_violation(self) -> np.ndarray:
        return np.abs(self.weights @ self.gaps).max(axis=1)

    @property
    def expected_error(self) -> np.ndarray:
        return self.weights @ self.error

    @property
    def used(self) -> np.ndarray:
        """The candidates that some tolerance of the frontier uses, and the two constants, (S,)."""
        H = len(self.error)
        return np.union1d(np.flatnonzero((self.weights > 0).any(axis=0)), [H - 2, H - 1])

    def row(self, gamma: float) -> np.ndarray:
        """The mixture for a gamma, (H,): where it is no tolerance of the frontier, solved anew for the candidates that these use."""
        for kept, weights in zip(self.gammas, self.weights, strict=True):
            if abs(kept - gamma) < 1e-12:
                return weights
        row = np.zeros(len(self.error))
        row[self.used] = best_mixtures(self.error[self.used], self.gaps[self.used], [gamma]).weights[0]
        return row
