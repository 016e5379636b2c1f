"""Many linear programs as one: they do not touch each other, so their matrices stand on a diagonal, and the solver is called once for 200.

The closed form serves two groups, and any number at gamma + slack = 0. For the rest a solver is needed, and for programs this small
nearly all of its time is being called.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import AcceptanceNotion, OfGroups
from ._program import Solution, base_decides, batch_shape, conditional, errors, limits, served, width
from .lp import solve_all

__all__ = ["solve_many"]

AT_ONCE = 200           # programs
AT_MOST = 10**7         # coefficients


def solve_many(q: ArrayLike, gamma: ArrayLike, slack: ArrayLike = 0.0, *, notion: AcceptanceNotion | Parity = "equalized_odds",
               against: OfGroups | None = None) -> Solution:
    """The answers of :func:`solve_lp` for a batch of tables, gammas and slacks; any number of groups and predictions.

    Source: supplement, LP^ (2) and LP~ (3).

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y], k >= 2
        Frequencies; noisy entries may be negative.
    gamma : float or array >= 0 that broadcasts against the leading axes of ``q``
    slack : float, or (..., k, 2) array [a, y], leading axes broadcasting; ``inf`` lifts a constraint
    notion, against : as in :func:`solve_lp`

    Returns
    -------
    Solution
        ``p`` (..., b, k), ``value`` (...), ``dual`` (..., k, 2), ``fallbacks``: each program proves itself as in :func:`solve_lp`, and one
        that does not is solved again alone.

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
    parity = served(notion, against)
    q = check.table("q", q, least_groups=2)
    b, k, _ = q.shape[-3:]
    least, most = limits(gamma, slack, k, parity, batch=True)
    batch = batch_shape(q, most)
    rate = conditional(q, most, parity)
    each: list[Any] = flat(batch, (q, 3), (rate, 3), (least, 2), (most, 2))
    best = solve_in_parts(*[*each, parity])
    value = best.value.reshape(batch) if batch else float(best.value[0])
    dual = best.dual[..., :width(parity)].reshape(batch + (k, width(parity)))
    return Solution(best.p.reshape(batch + (b, k)), value, dual, best.fallbacks)


def flat(batch: tuple[int, ...], *arrays: tuple[np.ndarray, int]) -> list[np.ndarray]:
    """Arrays and the number of their last axes that are one program's: with all leading axes broadcast, as one."""
    return [np.broadcast_to(x, batch + x.shape[-n:]).reshape(-1, *x.shape[-n:]) for x, n in arrays]


def solve_in_parts(q: np.ndarray, rate: np.ndarray, least: np.ndarray, most: np.ndarray, parity: Parity) -> Solution:
    """N programs: ``q`` and ``rate`` (N, b, k, 2), limits (N, k, 2)."""
    n, b, k, _ = q.shape
    p, dual, fallbacks = np.empty((n, b, k)), np.empty((n, k, 2)), 0
    step = max(1, min(AT_ONCE, AT_MOST // (2 * k * (b * k + 2))))
    for start in range(0, n, step):
        part = slice(start, start + step)
        p[part], dual[part], slower = solve_all(q[part], rate[part], least[part], most[part], parity)
        fallbacks += slower
    p = base_decides(p, q)
    return Solution(p, errors(q, p, parity), dual, fallbacks)
