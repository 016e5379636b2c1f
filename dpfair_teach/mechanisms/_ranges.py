"""Ranges of arguments that several mechanisms share."""
from __future__ import annotations

import numpy as np

from .. import _checks as check

#: The least epsilon of one step, for formulas with exponentials.
LEAST_STEP = 1e-9


def scale_of(sensitivity: object, epsilon: object) -> float:
    """sensitivity / epsilon, both finite and above 0."""
    sensitivity = check.number("sensitivity", sensitivity, low=0.0, low_open=True)
    epsilon = check.epsilon(epsilon)
    if not 1e-300 < sensitivity / epsilon < 1e300:
        check.refuse("epsilon", epsilon, f"gives the scale {sensitivity / epsilon:g} at sensitivity {sensitivity:g}",
                     "Choose an epsilon nearer to the sensitivity.")
    return sensitivity / epsilon


def failure_chance(beta: object) -> float:
    """A failure probability, large enough for its logarithm."""
    return check.number("beta", beta, low=1e-200, high=1.0, high_open=True)


def step_epsilon(epsilon0: object) -> float:
    """The epsilon of one step, for formulas with exponentials: they are computed so that none overflows or cancels in this range."""
    return check.number("epsilon0", epsilon0, low=LEAST_STEP, high=1e6)


def orders_of(value: object) -> np.ndarray:
    """Orders of a Renyi divergence."""
    return check.filled("order", check.array("order", value, low=1.001, high=1e6), "order")
