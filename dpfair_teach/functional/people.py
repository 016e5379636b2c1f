"""Who is learned from: rows in the unit ball, on a public grid on which sums are exact, and sums over them in one pass."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["in_domain", "shorten_rows"]

#: Rounding that a row of norm 1 may have.
ROUNDING = 1e-9
#: People whose rows are read together: few enough for the processor's own memory.
BLOCK = 4096
#: With more, what rounding in doubles adds to a covariance could be more than what m - 1 in place of m leaves: the box of chapter 19.
MOST_WITH_COVARIANCES = 10**7


def read_people(X: Any, y: Any) -> tuple[Any, np.ndarray]:
    """X (m, d), as :func:`_checks.rows` reads it, and labels y (m,) of the same people."""
    check.same_people(X=X, y=y)
    rows = check.filled("X", check.rows("X", X, low=-1e50, high=1e50), "person, with at least one feature")
    labels = check.labels("y", y)
    if len(labels) != len(rows):
        check.refuse("y", labels.shape, f"not as long as X, which has {len(rows)} rows", "Give one label for each row of X.")
    return rows, labels


def read_groups(A: Any, m: int) -> np.ndarray:
    """A (m,) of 0/1."""
    return check.groups_below("A", A, 2, length=m, last="the second of two groups, n_groups - 1",
                              remedy="A covariance is of one group with everybody: recode A as 0/1, or take FunctionalClassifier, "
                                     "which has one for each group.")


def grid_digits(m: int) -> int:
    """b of the public grid, the multiples of 2^-b: sums of m products of two, at most 1 in size, are exact in doubles in any order."""
    return (53 - (m - 1).bit_length()) // 2


def to_grid(rows: np.ndarray, unit: float, square: np.ndarray) -> np.ndarray:
    """Rows in multiples of ``unit``, 2^-b, cut off toward 0, in place: whole numbers. ``square``: of their lengths, in the same multiples.

    No row becomes longer, so one of the ball stays in it. One that is too long by rounding, and lies on the grid, is refused.
    """
    np.trunc(rows, out=rows)
    edge = square > (1 - 1e-12) / unit**2
    if edge.any():
        there = rows[edge]
        longest = np.einsum("ij,ij->i", there, there).max() * unit**2
        if longest > 1:
            refuse_long_row(math.sqrt(longest))
    return rows


def refuse_long_row(longest: float) -> None:
    check.refuse("X", float(f"{longest:.12g}"), "is the norm of a row, and the noise is for rows of norm at most 1",
                 "Divide X by a bound that does not come from these people; shorten_rows(X, bound) also shortens longer rows, and "
                 "a person's row then depends on nobody else. Dividing by the largest norm of these people is not private. "
                 "float32 rounds by 6e-8: convert before.")


def in_domain(X: ArrayLike, y: ArrayLike, A: ArrayLike | None = None, *, domain: Literal["nonnegative", "signed"] = "nonnegative",
              as_printed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """X (m, d) on a public grid, and y (m,): what a sensitivity was proved for, and what adds up exactly; all else is refused.

    Source: Problem Statement (Ding et al. 2020); the grid is ours. Entries are cut off toward 0 to multiples of 2^-b, b about
    (53 - log2 m) / 2: every sum of their products is exact in doubles, and a row of the ball stays in it. The refusal of a row outside
    tells of a person: bring rows into the domain by a public rule, such as :func:`shorten_rows`. A, of two groups and at most 10^7 people,
    is only checked. Entries are at least 0, domain "nonnegative" or ``as_printed``, or "signed".
    """
    nonnegative = check.choice("domain", domain, ("nonnegative", "signed")) == "nonnegative"
    nonnegative |= check.flag("as_printed", as_printed)
    rows, labels = read_people(X, y)
    if A is not None:
        check.same_people(X=X, y=y, A=A)
        read_groups(A, len(rows))
        if len(rows) > MOST_WITH_COVARIANCES:
            check.refuse("X", rows.shape, f"is of more than {MOST_WITH_COVARIANCES:,} people", "Take FunctionalClassifier.")
    unit = 2.0**-grid_digits(len(rows))
    on_grid: np.ndarray = np.empty(rows.shape)
    for start in range(0, len(rows), BLOCK):
        some = slice(start, start + BLOCK)
        block = np.asarray(rows[some], dtype=float) / unit
        square = np.einsum("ij,ij->i", block, block)
        longest, smallest = math.sqrt(float(square.max())) * unit, float(block.min())
        if longest > 1 + ROUNDING:
            refuse_long_row(longest)
        np.multiply(to_grid(block, unit, square), unit, out=on_grid[some])
        if nonnegative and smallest < 0:
            check.refuse("X", smallest * unit, "is below 0, and this sensitivity was proved for features of at least 0",
                         "Shift every feature by a public lower bound before scaling, or take a method for signed features.")
    return on_grid, labels


def sums(X: np.ndarray, columns: Callable[[slice], np.ndarray],
         framed: Callable[[np.ndarray], np.ndarray] = np.asarray) -> tuple[np.ndarray, np.ndarray]:
    """X'X (d, d) and, for each of q columns of numbers, X'column (q, d), of rows as ``framed`` makes them: one pass, in blocks, of each of
    which ``columns`` says its own numbers."""
    gram, toward = np.zeros((0, 0)), np.zeros((0, 0))
    for start in range(0, len(X), BLOCK):
        some = slice(start, start + BLOCK)
        block, numbers = framed(np.asarray(X[some], dtype=float)), columns(some)
        if not gram.size:
            gram, toward = np.zeros((block.shape[1],) * 2), np.zeros((numbers.shape[1], block.shape[1]))
        gram += block.T @ block
        toward += numbers.T @ block
    return gram, toward


def shorten_rows(X: ArrayLike, bound: float) -> np.ndarray:
    """X / bound, and every row that is then longer than 1 shortened to 1: what becomes of a row depends on no other row.

    Source: ours (the domain of Ding et al. 2020, Problem Statement).

    Parameters
    ----------
    X : (m, d) array
    bound : float in [1e-50, 1e50]
        Public: a range from a codebook, not the largest norm of these people.

    Returns
    -------
    (m, d) array of rows with norm at most 1

    Examples
    --------
    >>> shorten_rows([[3.0, 4.0], [0.0, 1.0]], 4.0)
    array([[0.6 , 0.8 ],
           [0.  , 0.25]])
    """
    X = np.asarray(check.filled("X", check.array("X", X, ndim=2, low=-1e50, high=1e50), "person"))
    X = X / check.number("bound", bound, low=1e-50, high=1e50)
    longest = np.linalg.norm(X, axis=1)
    return X / np.maximum(longest, 1.0)[:, None]
