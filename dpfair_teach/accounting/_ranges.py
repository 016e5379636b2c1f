"""Ranges that accountants share: how large one step may be, and how many there may be."""
from __future__ import annotations

import math
from fractions import Fraction

from .. import _checks as check
from ..mechanisms.mechanism import step_epsilon as step_epsilon

#: Arrays of k + 1 numbers are held; beyond this many steps take Renyi's accountant.
MOST_STEPS = 10**6


def any_epsilon(epsilon0: object) -> float:
    """The epsilon of one step, for formulas that are sums and products."""
    return check.number("epsilon0", epsilon0, low=0.0, high=1e9, low_open=True)


def choice_epsilon(epsilon0: object) -> float:
    """The epsilon of one exponential mechanism, where binomial tails at exp(-epsilon0) are subtracted: narrower, to keep their digits."""
    return check.number("epsilon0", epsilon0, low=1e-6, high=500.0)


def any_steps(k: object) -> int:
    """A number of steps, for formulas that only multiply by it."""
    return check.integer("k", k, low=1, high=10**15)


def listed_steps(k: object, most: int = MOST_STEPS) -> int:
    """A number of steps whose k + 1 outcomes can be listed."""
    k = check.integer("k", k, low=1)
    if k > most:
        check.refuse("k", k, f"all k + 1 outcomes are listed, for at most {most:,} steps",
                     "Use rdp_to_epsilon(orders, k * rdp_pure(epsilon0, orders), delta).")
    return k


def product_rounded_up(k: int, epsilon0: float) -> float:
    """The least float that is not below k epsilon0: the product of floats may be, by half its last digit."""
    product = k * epsilon0
    return product if Fraction(product) >= k * Fraction(epsilon0) else math.nextafter(product, math.inf)
