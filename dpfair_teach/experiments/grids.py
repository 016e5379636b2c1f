"""The grids of the evaluation protocol, written once: epsilons, tolerances gamma, delta, beta.

Every experiment reads them from here, so that two people who say "the 25 gammas" mean the same 25 numbers.
"""
from __future__ import annotations

from .._curve import GAMMAS

__all__ = ["BETA", "DELTA", "EPSILONS", "GAMMAS_PROTOCOL"]

#: Privacy levels of the comparisons.
EPSILONS: tuple[float, ...] = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)

#: Failure probability of the approximate guarantees, and the confidence parameter of Algorithm 1.
DELTA: float = 1e-7
BETA: float = 0.05

#: The 25 tolerances of the comparisons, which learners take too where no others are given: 0 to 0.10 by 0.01, then 14 values up to 0.5.
GAMMAS_PROTOCOL: tuple[float, ...] = GAMMAS
