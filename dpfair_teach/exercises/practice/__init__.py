"""The book's practice exercises that a program can judge: a learner alone hears right or wrong.

Each is a function of the answer and of the numbers it is about, that returns what is wrong in one line, or "". Their solutions are printed
in the chapters, so nothing of them is marked in a class.
"""
from __future__ import annotations

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .._draw import Draw

Judge = Callable[[Any, dict[str, Any]], str]

#: By name what an exercise's module has.
ALL: dict[str, SimpleNamespace] = {}


def practice(shape: Any, params: Callable[[Draw], dict[str, Any]] = lambda draw: {}) -> Callable[[Judge], Judge]:
    """Take a judge in, under its name: the answer's shape, and the numbers where each learner has other ones."""
    def take(judge: Judge) -> Judge:
        def check(own: dict[str, Any], answer: Any) -> tuple[int, str]:
            wrong = judge(answer, own)
            return (0, wrong) if wrong else (1, "")
        ALL[judge.__name__] = SimpleNamespace(SHAPE=shape, POINTS=1, params=params, check=check)
        return judge
    return take


def found(name: str) -> SimpleNamespace | None:
    """The exercise of that name, or None."""
    for part in ("tables", "learners"):
        importlib.import_module(f"{__name__}.{part}")
    return ALL.get(name)
