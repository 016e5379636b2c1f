"""What one-shot learning publishes: a mixture of candidates for every tolerance."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _checks as check


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

    def row(self, gamma: float | None = None) -> np.ndarray:
        """The mixture for a gamma: that of the largest tolerance of the frontier not above it. None: the smallest tolerance."""
        gammas = np.asarray(self.gammas)
        gamma = gammas.min() if gamma is None else gamma
        below = np.flatnonzero(gammas <= gamma + 1e-12)
        if below.size == 0:
            check.refuse("gamma", gamma, f"below the smallest tolerance of the frontier, {gammas.min():g}",
                         f"Fit with a smaller one in gammas, or give gamma={gammas.min():g} or more.")
        return self.weights[below[gammas[below].argmax()]]
