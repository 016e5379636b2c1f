"""Tolerances as fractions: the separation is about equality, which floats do not keep."""
from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any

from .. import _checks as check

__all__ = ["exact_gamma"]


def exact_gamma(gamma: Any) -> tuple[Fraction, bool]:
    """gamma as a Fraction, and whether it came as one (or as an int); a float means the decimal that it prints as."""
    as_float = check.gamma(gamma)
    rational = isinstance(gamma, Rational)
    return (Fraction(gamma.numerator, gamma.denominator) if rational else Fraction(repr(as_float))), rational
