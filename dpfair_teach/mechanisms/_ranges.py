"""Ranges of arguments that several mechanisms share."""
from __future__ import annotations

from .. import _checks as check


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
