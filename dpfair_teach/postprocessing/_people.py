"""What every release of counts asks of its arguments before anything is drawn."""
from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["LEAST_EPSILON", "MOST_EPSILON", "checked_epsilon", "people_of", "whole_people"]

LEAST_EPSILON = 1e-9    # noise of scale 2e9 people; so every noisy table stays within what a table may hold
MOST_EPSILON = 1e9      # the most that a record of a release takes


def checked_epsilon(epsilon: float, high: float = math.inf) -> float:
    """Refused before anything is drawn: a message after it could show a noisy number."""
    return check.number("epsilon", epsilon, low=LEAST_EPSILON, high=high)


def people_of(counts: ArrayLike) -> np.ndarray:
    """One table (b, k, 2) in people."""
    counts = check.table("counts", counts, least_groups=2, low=0.0)
    if counts.ndim != 3:
        check.refuse("counts", counts.shape, "is a batch of tables", "Release one table; size= gives repeats.")
    if not counts.any():                                # their number is public
        check.refuse("counts", 0, "is the sum of the entries: the table holds nobody", "Count at least one person.")
    return check.people("counts", counts)


def whole_people(counts: np.ndarray) -> np.ndarray:
    """The table if it is in whole people, which discrete noise needs."""
    if (counts != np.floor(counts)).any():
        check.refuse("counts", float(counts[counts != np.floor(counts)][0]), "not a whole number of people",
                     "Use noise='laplace' for expected counts.")
    return counts
