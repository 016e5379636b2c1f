"""Many linear programs as one: they do not touch each other, so their matrices stand on a diagonal, and the solver is called once for 200.

The closed form serves two groups, and any number at gamma + slack = 0. For the rest a solver is needed, and for programs this small
nearly all of its time is being called.
"""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ._highs import minimize
from ._program import Solution, base_decides, batch_shape, conditional, limits
from .lp import PROOF, solve_lp

__all__ = ["solve_many"]

AT_ONCE = 200


def solve_many(q: ArrayLike, gamma: ArrayLike, slack: ArrayLike = 0.0) -> Solution:
    """The answers of :func:`solve_lp` for a batch of tables, gammas and slacks; any number of groups and predictions.

    Source: supplement, LP^ (2) and LP~ (3).

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y], k >= 2
        Frequencies; noisy entries may be negative.
    gamma : float or array >= 0 that broadcasts against the leading axes of ``q``
    slack : float, or (..., k, 2) array [a, y], leading axes broadcasting; ``inf`` lifts a constraint

    Returns
    -------
    Solution
        ``p`` (..., b, k), ``value`` (...), ``dual`` (..., k, 2), ``fallbacks``: each program proves itself as in :func:`solve_lp`, and one
        that does not is handed to it.

    Raises
    ------
    ValueError
        As :func:`solve_lp`; leading axes that do not broadcast.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]) / 10
    >>> solve_many(ten, gamma=[0, .1, .5]).value.round(6)
    array([0.25 , 0.235, 0.2  ])
    """
    q = check.table("q", q, least_groups=2)
    b, k, _ = q.shape[-3:]
    limit = limits(gamma, slack, k, batch=True)
    batch = batch_shape(q, limit)
    rate = conditional(q, limit)
    q, rate, limit = (np.broadcast_to(x, batch + x.shape[-n:]).reshape(-1, *x.shape[-n:]) for x, n in ((q, 3), (rate, 3), (limit, 2)))

    p, dual, fallbacks = np.empty((len(q), b, k)), np.zeros((len(q), k, 2)), 0
    for start in range(0, len(q), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        p[part], dual[part, 1:], proven = _solve(q[part], rate[part], limit[part, 1:])
        for n in start + np.flatnonzero(~proven):
            one = solve_lp(q[n], 0.0, limit[n])
            p[n], dual[n], fallbacks = one.p, one.dual, fallbacks + 1
    value = ((q[..., 0] - q[..., 1]) * p).sum(axis=(1, 2)) + q[..., 1].sum(axis=(1, 2))
    value = value.reshape(batch) if batch else float(value[0])
    return Solution(base_decides(p, q).reshape(batch + (b, k)), value, dual.reshape(batch + (k, 2)), fallbacks)


def _solve(q, rate, limit):
    """``solve_lp`` for N tables at once: p (N, b, k), multipliers (N, k-1, 2), and which programs are proven (N,)."""
    n, b, k, _ = q.shape
    limited = np.isfinite(limit)
    gap = np.zeros((n, k - 1, 2, b, k))                 # row (a, y), variable (yhat, a)
    share = rate.transpose(0, 2, 3, 1)                  # (N, k, 2, b)
    gap[..., 0] = -share[:, :1]
    for a in range(1, k):
        gap[:, a - 1, :, :, a] = share[:, a]
    gap *= limited[..., None, None]
    gap, most = gap.reshape(n, 2 * (k - 1), b * k), np.where(limited, limit, 0.0).reshape(n, -1)

    cost = (q[..., 0] - q[..., 1]).reshape(n, -1)
    scale = np.abs(cost).max(axis=1, keepdims=True)
    scale[scale == 0] = 1.0
    found = minimize(cost / scale, gap, most)
    if found is None:
        return 0.0, 0.0, np.zeros(n, dtype=bool)
    p, lam = found[0].clip(0.0, 1.0), scale * found[1]
    reached = np.abs((gap * p[:, None]).sum(axis=-1))
    bound = np.minimum(cost + (lam[..., None] * gap).sum(axis=1), 0.0).sum(axis=-1) - (np.abs(lam) * most).sum(axis=-1)
    proven = (reached <= most + PROOF).all(axis=-1) & (np.abs((cost * p).sum(axis=-1) - bound) <= PROOF * np.abs(q).sum(axis=(1, 2, 3)))
    return p.reshape(n, b, k), np.where(limited, lam.reshape(limit.shape), 0.0), proven
