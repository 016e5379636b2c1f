"""The grids of the evaluation protocol, written once: epsilons, tolerances gamma, delta, beta.

Every experiment reads them from here, so that two people who say "the 25 gammas" mean the same 25 numbers.
"""
from __future__ import annotations

import numpy as np

__all__ = ["BETA", "DELTA", "EPSILONS", "EPSILONS_FIGURE1", "GAMMAS_FIGURE1", "GAMMAS_PROTOCOL"]

#: Privacy levels of the comparisons.
EPSILONS: tuple[float, ...] = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)

#: Privacy levels of the right panel of Figure 1; ``inf`` is the program without noise.
EPSILONS_FIGURE1: tuple[float, ...] = (1.0, 2.0, 3.0, 5.0, float("inf"))

#: Failure probability of the approximate guarantees, and the confidence parameter of Algorithm 1.
DELTA: float = 1e-7
BETA: float = 0.05


def _merged(*pieces: np.ndarray) -> tuple[float, ...]:
    """The values of all pieces in increasing order, those equal to 12 decimals once."""
    values = np.concatenate(pieces)
    _, first = np.unique(np.round(values, 12), return_index=True)
    return tuple(float(g) for g in values[first])


#: The 25 tolerances of the comparisons: 0 to 0.10 by 0.01, then 14 values up to 0.5.
GAMMAS_PROTOCOL: tuple[float, ...] = _merged(np.arange(11) / 100, np.linspace(0.12, 0.50, 14))

#: The 72 tolerances of Figure 1: fine near 0, coarse to 1, and 51 values over [0.01, 0.2]; duplicates merged.
GAMMAS_FIGURE1: tuple[float, ...] = _merged(
    np.arange(1, 11) / 1000, np.arange(2, 11) / 100, np.array([0.2, 0.4, 0.8, 1.0]), np.linspace(0.01, 0.2, 51))
