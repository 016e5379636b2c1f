"""Answers that know the shape and not the question."""
from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpfair_teach.exercises._draw import Draw
from dpfair_teach.exercises._shapes import meant


def random_answer(shape: Any, params: dict, draw: Draw) -> Any:
    """A well-formed answer, each number anywhere in its range."""
    if isinstance(shape, dict):
        return {name: random_answer(entry, params, draw) for name, entry in shape.items()}
    kind, *rest = shape
    if kind == "or null":
        return draw.one_of([None, random_answer(rest[0], params, draw)])
    if kind == "one of":
        return draw.one_of(rest)
    if kind == "text":
        return draw.one_of(["", "x = 1", "noise_scale = 1", "def noise_scale():\n    return 1.0"])
    low, high = (meant(bound, params) for bound in rest[-2:])
    if kind == "list":
        return [random_answer(rest[0], params, draw) for _ in range(draw.whole(low, high))]
    if kind == "whole":
        return draw.whole(low, high)
    parts = draw.one_of([1, 2, 10, 60, 1000])                   # quarters and tenths are guessed sooner than others
    at = Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(draw.whole(0, parts), parts)
    if draw.whole(0, 1) and Fraction(high) - Fraction(low) > 100:
        at = min(max(Fraction(draw.whole(-200, 200), 10), Fraction(low)), Fraction(high))
    return str(at) if kind == "exact" else float(at)


def constant(shape: Any, params: dict, where: str) -> Any:
    """Every number the least, the largest, the one in the middle, or 0; lists as short, or as long, as they may be."""
    if isinstance(shape, dict):
        return {name: constant(entry, params, where) for name, entry in shape.items()}
    kind, *rest = shape
    if kind == "or null":
        return None if where == "low" else constant(rest[0], params, where)
    if kind == "one of":
        return rest[0] if where == "low" else rest[-1]
    if kind == "text":
        return "" if where == "low" else "def noise_scale():\n    return 0"
    low, high = (meant(bound, params) for bound in rest[-2:])
    if kind == "list":
        return [constant(rest[0], params, where) for _ in range(low if where == "low" else high)]
    low, high = Fraction(low), Fraction(high)
    at = {"low": low, "high": high, "middle": (low + high) / 2, "zero": min(max(Fraction(0), low), high)}[where]
    return int(at) if kind == "whole" else str(at) if kind == "exact" else float(at)
