"""Many small linear programs as one: the programs do not touch each other, so their matrices stand on a diagonal.

The closed form serves two groups, and any number at gamma + slack = 0. For the rest a solver is needed, and nearly all of its
time per program is calling it. One sparse program that holds 200 of them is solved in about the time of ten calls.
"""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linprog

from .. import _checks

__all__ = ["solve_many"]

_AT_ONCE = 200


def solve_many(q: ArrayLike, limit: ArrayLike) -> np.ndarray:
    """The answers of ``postprocessing.solve_lp`` for N tables.

    Source: supplement, LP (2) and LP (3).

    Parameters
    ----------
    q : array_like, shape (N, 2, k, 2)
        Frequencies [yhat, a, y], k >= 2; noisy ones may be negative.
    limit : array_like, shape (N, k, 2)
        gamma + slack of each constraint [a, y], at least 0; ``inf`` for no constraint, row 0 unused.

    Returns
    -------
    ndarray, shape (N, 2, k)
        P(accept) by [yhat, a].

    Raises
    ------
    ValueError
        Where shapes do not fit, a limit is negative or NaN, or a constraint needs the rate of a cell (a, y) that is not positive.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]) / 10
    >>> (solve_many([ten, ten], [np.zeros((2, 2)), np.full((2, 2), np.inf)]).round(3) + 0).tolist()
    [[[0.25, 0.0], [1.0, 0.75]], [[0.0, 0.0], [1.0, 1.0]]]
    """
    q = _checks.array("q", q, shape=(None, 2, None, 2))
    k = q.shape[2]
    if len(q) == 0 or k < 2:
        _checks.refuse("q", q.shape, "needs at least one table and two groups", "Give an array of shape (N, 2, k, 2).")
    try:
        free = np.isposinf(np.asarray(limit, dtype=float))
    except (TypeError, ValueError, OverflowError):
        _checks.refuse("limit", limit, "not numeric", "Give limit as an array of numbers, inf for no constraint.")
    bound = _checks.array("limit", np.where(free, 0.0, limit), shape=(len(q), k, 2), low=0.0)
    people = q.sum(axis=1)
    wrong = ~free[:, 1:] & (np.minimum(people[:, 1:], people[:, :1]) <= 0)
    if wrong.any():
        n, a, y = np.argwhere(wrong)[0].tolist()
        _checks.refuse("q", float(min(people[n, a + 1, y], people[n, 0, y])),
                       f"table {n} has no positive cell for group {a + 1} or 0 and label {y}, so that rate does not exist",
                       "Lift the constraint with limit=inf there, or clip the table.")
    return np.concatenate([_solve(q[i:i + _AT_ONCE], bound[i:i + _AT_ONCE], free[i:i + _AT_ONCE])
                           for i in range(0, len(q), _AT_ONCE)])


def _solve(q: np.ndarray, bound: np.ndarray, free: np.ndarray) -> np.ndarray:
    """One sparse program. Variables: p of table 0, p of table 1, ... ; rows: the gaps of table 0, ..."""
    n, k = len(q), q.shape[2]
    people = q.sum(axis=1)
    rate = q / np.where(people <= 0, 1.0, people)[:, None]
    gap = np.zeros((n, k, 2, 2, k))  # table, constraint (a, y), variable (yhat, a)
    for a in range(1, k):
        gap[:, a, :, :, a] = np.moveaxis(rate[:, :, a], 1, 2)
        gap[:, a, :, :, 0] = -np.moveaxis(rate[:, :, 0], 1, 2)
    gaps = sparse.block_diag(list(gap[:, 1:].reshape(n, 2 * (k - 1), 2 * k)), format="csr")
    needed = np.flatnonzero(~free[:, 1:].ravel())
    cost = (q[..., 0] - q[..., 1]).ravel()
    # HiGHS reads 1e-7 as its tolerance: the tables' own scale must not decide what counts as zero.
    cost /= np.abs(cost).max() or 1.0
    rows, right = gaps[needed], bound[:, 1:].ravel()[needed]
    result = linprog(cost, A_ub=sparse.vstack([rows, -rows], format="csr"), b_ub=np.concatenate([right, right]),
                     bounds=(0, 1), method="highs")
    if result.status != 0:
        _checks.refuse("q", q.shape, f"HiGHS found no optimum (status {result.status}: {result.message})",
                       "Check the tables for entries far apart in size.")
    return np.clip(result.x.reshape(n, 2, k), 0.0, 1.0)
