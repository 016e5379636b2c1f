"""How many people are looked at together: up to ``TOGETHER`` all of them, of more a block at a time, and what a block gives is added up.

The small way keeps every product of matrices as it was when the stored tables were made, bit by bit. The large way holds a few numbers a
person and never a matrix of people by candidates, by landmarks or by cells, so that memory and time grow with the number of people alone.
"""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .. import _checks as check

#: People who are looked at in one block: of no more than these a check of X makes floats.
TOGETHER = check.TOGETHER
#: People of a block where there are more than that, and fewer where rows are wider: what is made of them stays near the processor.
BLOCK, WIDE = 2**11, 2**7


def together(n: int) -> bool:
    return n <= TOGETHER


def blocks(n: int, width: int = WIDE) -> Iterator[slice]:
    """All of 0, ..., n - 1, rows of so many numbers: one slice, or many."""
    step = max(n, 1) if together(n) else max(BLOCK * WIDE // max(width, WIDE), 1)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def one_thread() -> AbstractContextManager[Any]:
    """Products of matrices are too small here to be shared out: threads that wait for each other take longer than one of them, and on a
    busy machine make hours of seconds. It also makes the last bits those of any number of threads."""
    return threadpool_limits(1)


def floats(rows: np.ndarray) -> np.ndarray:
    """A block of a table as doubles, row by row in memory, so that sums run in one order; no copy where it is that."""
    return np.ascontiguousarray(rows, dtype=float)


def with_one(X: np.ndarray) -> np.ndarray:
    """(1, x), row by row."""
    return np.column_stack([np.ones(len(X)), X])


def sample(n: int, least: int = 0) -> np.ndarray | slice:
    """Who stands for n people: all of few, else ``TOGETHER``, or ``least`` where that is more, by a fixed seed that is public."""
    most = max(TOGETHER, least)
    return slice(None) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))
