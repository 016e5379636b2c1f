"""The same programs without a solver: two groups for any gamma, any number of groups for gamma = 0; thousands at once.

The dual is concave and piecewise linear in the plane of the two multipliers, so its maximum is where two of 2b + 2 lines cross, which say
which two numbers of the primal are free: ``crossings``. Equal primal and dual values prove the answer. A program where they differ, a tie,
is tilted by about 1e-9 and solved again, at last by the solver. The chapter on equalized odds has the proof.
"""
from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import AcceptanceNotion
from .crossings import EQUAL, FEASIBLE, PARALLEL, best_crossing, best_crossings, pairs
from .lp import (
    EQUALIZED_ODDS,
    Solution,
    as_numbered,
    base_decides,
    batch_shape,
    conditional,
    flat,
    in_order,
    is_pairs,
    limits,
    served,
    shaped,
    solve_in_parts,
    solve_lp,
    width,
)

__all__ = ["closed_form", "solve"]

AT_ONCE = 10_000    # programs of two predictions, fewer of more: within the processor's cache, and a million need little more room
MOST_BINS = 16      # the crossings grow like b^3 where the solver's work hardly grows; from about here on it is as fast
BY_HAND = 4         # predictions: up to here plain arithmetic beats arrays of length one

# Fixed unequal numbers that tilt the costs of ties, so that one vertex wins.
NO_TILT = np.zeros(2 * MOST_BINS)
_MORE = (-1.0) ** np.arange(2 * MOST_BINS - 4) * (0.3 + 0.7 * (np.arange(1, 2 * MOST_BINS - 3) * (5**0.5 - 1) / 2 % 1))
TILTS = (1e-9 * np.append([0.91, -0.47, 0.63, -0.78], _MORE), 1e-9 * np.append([-0.59, 0.83, -0.94, 0.37], _MORE[::-1]))


@check.formerly(against=check.BY_PARITY)
def solve(q: ArrayLike, gamma: ArrayLike, slack: ArrayLike = 0.0, *, notion: AcceptanceNotion | Parity = "equalized_odds") -> Solution:
    """The program of :func:`solve_lp`: by :func:`closed_form` where there is one, else by the solver.

    Source: supplement, LP^ (2) and LP~ (3). Two groups have a closed form, and so has exact equality of more, of two predictions. Where
    several p are optimal the two ways may choose different ones: all that is published of a noisy table is solved here.

    Parameters
    ----------
    q, gamma, slack, notion : as in :func:`solve_lp`

    Examples
    --------
    >>> ten = [[[.2, .1], [.2, 0]], [[0, .2], [.1, .2]]]
    >>> solve(ten, gamma=0).p.round(3) + 0
    array([[0.25, 0.  ],
           [1.  , 0.75]])
    """
    parity, q = served(notion), check.table("q", q, least_groups=2)
    b, k = q.shape[-3:-1]
    closed = k == 2 or (b == 2 and parity.notion == "equalized_odds"
                        and not any(check.array(name, x, infinite=True).any() for name, x in (("gamma", gamma), ("slack", slack))))
    return (closed_form if closed else solve_lp)(q, gamma, slack, notion=parity)


@check.formerly(against=check.BY_PARITY)
def closed_form(q: ArrayLike, gamma: ArrayLike, slack: ArrayLike = 0.0, *,
                notion: AcceptanceNotion | Parity = "equalized_odds") -> Solution:
    """The answer of :func:`solve_lp` without a solver, for two groups, or for any number at gamma + slack = 0.

    Source: ours; solves supplement, LP^ (2) and LP~ (3). The chapter on equalized odds has the proof.

    Parameters
    ----------
    q, gamma, slack, notion : as in :func:`solve_lp`
        With more than two groups b = 2, and equalized odds only. (More than 16 score bins are handed to the solver, which is then as fast.)

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]) / 10
    >>> closed_form(ten, gamma=[0, .1, .5]).value.round(6)
    array([0.25 , 0.235, 0.2  ])
    """
    parity = served(notion)
    q = check.table("q", q, least_groups=2)
    b, k = q.shape[-3:-1]
    if k > 2:
        if parity.notion != "equalized_odds":
            check.refuse("notion", parity.notion, f"with {k} groups only equalized odds has a closed form", "Use solve_lp.")
        check.table("q", q, bins=2, remedy=f"With {k} groups use solve_lp: it takes any number of predictions.")
    least, limit = limits(gamma, slack, k, parity)
    batch = batch_shape(q, limit)
    if k > 2 and (limit != 0).any():
        name = "gamma" if np.any(gamma) else "slack"
        check.refuse(name, float(np.max(gamma if name == "gamma" else limit)), f"with {k} groups only gamma + slack = 0 has a closed form",
                     "Use solve_lp.")
    rate = conditional(q, limit, parity)
    if is_pairs(parity):
        p, value, dual, fallbacks = _between_pairs(*flat(batch, (q, 3), (rate, 3), (least, 2), (limit, 2)))
    else:
        if k == 2 and b <= BY_HAND and not batch and (one := best_crossing(q, rate, *limit[1].tolist())) is not None:
            return one if width(parity) == 2 else Solution(one.p, one.value, one.dual[..., :1])
        p, value, dual, fallbacks = _against_group_0(q, rate, limit, batch)
    return shaped(batch, p, value, dual[..., :width(parity)], fallbacks)


def _between_pairs(q: np.ndarray, rate: np.ndarray, least: np.ndarray,
                   most: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Two groups are one pair, and groups with equal rates have them equal to group 0's; in an order that their numbers do not change."""
    order, alike = in_order(q, least, most)
    q, rate, least, most = (np.take_along_axis(x, order[:, None, :, None] if x.ndim == 4 else order[..., None], axis=-2)
                            for x in (q, rate, least, most))
    limit = np.zeros_like(most)
    if q.shape[2] == 2:
        limit[:, 1] = most[:, 1] + least[:, 0]
    p, value, dual, fallbacks = _against_group_0(q, rate, limit, (len(q),))
    dual[:, 0] = -dual[:, 1:].sum(axis=1)
    p, dual = as_numbered(order, alike, p, dual)
    return p, value, dual, fallbacks


def _against_group_0(q: np.ndarray, rate: np.ndarray, limit: np.ndarray,
                     batch: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """N programs: p (N, b, k), value (N,), multipliers (N, k, 2), how many took a slower road.

    ``q`` and ``rate`` (..., b, k, 2), ``limit`` (..., k, 2), broadcasting to ``batch``.
    """
    b, k = q.shape[-3:-1]
    if b > MOST_BINS:
        return solve_in_parts(*[*flat(batch, (q, 3), (rate, 3), (limit, 2), (limit, 2)), EQUALIZED_ODDS])
    # Flat views: T tables with the batch axis last (numpy is fastest there), N programs, table_of (N,).
    tables = math.prod(q.shape[:-3])
    flat_q = q.reshape(tables, b, k, 2).transpose(1, 2, 3, 0)
    flat_rate = rate.reshape(tables, b, k, 2).transpose(1, 2, 3, 0)
    table_of = np.broadcast_to(np.arange(tables).reshape(q.shape[:-3]), batch).ravel()
    flat_limit = np.broadcast_to(limit, batch + (k, 2)).reshape(-1, k, 2)
    p, value, dual = np.empty((len(table_of), b, k)), np.empty(len(table_of)), np.empty((len(table_of), k, 2))
    fallbacks = 0
    step = max(1, AT_ONCE * len(pairs(2)) // len(pairs(b)))
    for start in range(0, len(table_of), step):
        part = slice(start, start + step)
        first, last = table_of[part].min(), table_of[part].max() + 1
        p[part], value[part], dual[part], slower = _solve(flat_q[..., first:last], flat_rate[..., first:last], table_of[part] - first,
                                                          flat_limit[part])
        fallbacks += slower
    return base_decides(p.reshape(batch + (b, k)), q).reshape(-1, b, k), value, dual, fallbacks


def _solve(q, rate, table_of, limit):
    """The fast road, then the tilts, then the solver: p (N, b, k), value (N,), multipliers (N, k, 2), how many left the fast road."""
    crossings = best_crossings if q.shape[1] == 2 else _equal_rates
    p, value, feasible, dual, bound = crossings(q, rate, table_of, limit, NO_TILT)
    close = EQUAL * np.abs(q).sum(axis=(0, 1, 2))[table_of]
    again = np.flatnonzero(~(feasible & (np.abs(value - bound) <= close)))
    fallbacks = len(again)
    for tilt in TILTS:
        if len(again):                                  # another p; the multipliers and their bound stay
            p[again], value[again], feasible, *_ = crossings(q, rate, table_of[again], limit[again], tilt)
            again = again[~(feasible & (np.abs(value[again] - bound[again]) <= close[again]))]
    if len(again):
        left_q, left_rate = (x[..., table_of[again]].transpose(3, 0, 1, 2) for x in (q, rate))
        p[again], value[again], dual[again], _ = solve_in_parts(left_q, left_rate, limit[again], limit[again], EQUALIZED_ODDS)
    dual[np.isinf(limit)] = 0.0
    return p, value, dual, fallbacks


def _equal_rates(q, rate, table_of, limit, tilt):
    """gamma = 0: all groups share one point (fp, tp), the best of the intersection of k parallelograms.

    Group a reaches {p_1a u_1a + p_0a u_0a}, u_ya = (F_ya, T_ya), where each edge's normal n_i has min(0, d_i) <= n_i . x <= max(0, d_i).
    The error is const + w . x, at least const + sum min(0, mu d) for w = mu_i n_i + mu_j n_j; the best pair of the 2k edges has the best
    point. ``limit`` is 0 everywhere here, and not read.
    """
    k, tables = q.shape[1], q.shape[-1]
    size = np.abs(q).sum(axis=(0, 1, 2))
    weight = np.stack([q[:, :, 0].sum(axis=(0, 1)), -q[:, :, 1].sum(axis=(0, 1))])            # (2, T)
    tilted = weight + tilt[:2, None] * size
    const = q[:, :, 1].sum(axis=(0, 1))
    normal = np.stack([-rate[:, :, 1], rate[:, :, 0]]).reshape(2, 2 * k, tables)               # direction (yhat, a) turned left
    cross = rate[0, :, 0] * rate[1, :, 1] - rate[0, :, 1] * rate[1, :, 0]                       # n_0a . u_1a = -(n_1a . u_0a)
    depth = np.concatenate([cross, -cross])
    first, second = (np.array(side) for side in zip(*combinations(range(2 * k), 2), strict=True))
    (x_i, y_i), (x_j, y_j) = normal[:, first], normal[:, second]
    det = x_i * y_j - x_j * y_i
    parallel = np.abs(det) < PARALLEL
    det[parallel] = np.inf
    mu_i = (tilted[0] * y_j - tilted[1] * x_j) / det
    mu_j = (tilted[1] * x_i - tilted[0] * y_i) / det
    bound = np.minimum(0, mu_i * depth[first]) + np.minimum(0, mu_j * depth[second])
    bound[parallel] = -np.inf
    best = bound.argmax(axis=0)

    all_tables = np.arange(tables)
    i, j = first[best], second[best]
    mu_i, mu_j, det = mu_i[best, all_tables], mu_j[best, all_tables], det[best, all_tables]
    at_i = np.where(mu_i * depth[i, all_tables] < 0, depth[i, all_tables], 0.0)
    at_j = np.where(mu_j * depth[j, all_tables] < 0, depth[j, all_tables], 0.0)
    n_i, n_j = normal[:, i, all_tables], normal[:, j, all_tables]
    fp = (at_i * n_j[1] - at_j * n_i[1]) / det
    tp = (at_j * n_i[0] - at_i * n_j[0]) / det
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.stack([(rate[1, :, 1] * fp - rate[1, :, 0] * tp) / cross, (rate[0, :, 0] * tp - rate[0, :, 1] * fp) / cross])
    # A base that says nothing about the label in a group (F = T) reaches the diagonal only.
    p = np.where(np.abs(cross) < PARALLEL, (fp + tp) / 2, p)
    outside = np.maximum(-p, p - 1).max(axis=(0, 1))
    p = np.clip(p, 0.0, 1.0)
    gap = np.abs((rate * p[:, :, None]).sum(axis=0) - np.stack([fp, tp])).max(axis=(0, 1))
    value = const + ((q[:, :, 0] - q[:, :, 1]) * p).sum(axis=(0, 1))
    # Multipliers: group a is left with the cost mu n of its own lines, so lam_a = that minus its own (q_a0, -q_a1).
    left = np.zeros((2, k, tables))
    whole: Any = slice(None)
    np.add.at(left, (whole, i % k, all_tables), mu_i * n_i)
    np.add.at(left, (whole, j % k, all_tables), mu_j * n_j)
    own = q.sum(axis=0)
    dual = np.stack([left[0] - own[:, 0], left[1] + own[:, 1]], axis=1)                         # (k, 2, T)
    dual[0] = 0.0
    feasible = (outside <= FEASIBLE) & (gap <= FEASIBLE)
    by_program = [np.moveaxis(array, -1, 0)[table_of] for array in (p, value, feasible, dual, const + bound[best, all_tables])]
    return tuple(by_program)
