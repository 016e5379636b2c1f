"""The same programs without a solver: two groups for any gamma, any number of groups for gamma = 0; thousands at once.

With multipliers lam = (lam_FP, lam_TP) for the two constraints of two groups, the dual function

    D(lam) = const + sum over the 2b (yhat, a) of min(0, cost_ya + s_a (lam_FP F_ya + lam_TP T_ya)) - g_FP |lam_FP| - g_TP |lam_TP|

(s_1 = 1, s_0 = -1; F and T are the shares P(yhat | a, y=0) and P(yhat | a, y=1)) is concave and piecewise linear in the plane. Its kinks
lie on 2b + 2 lines: 2b where a bracket is 0, and the two axes. Its maximum is therefore at one of the points where two of them cross: at
most 15 for the two predictions of a classifier (six lines), 91 for six score bins. The two lines through the best point say which two
numbers of the primal are free: a bracket's own p_ya, or, for an axis, the gap that is not at its limit. Every other p is 0 or 1 by the
sign of its bracket, and a 2 x 2 system gives the rest. Equal primal and dual values prove the answer. A program where they differ, either
way, is tilted by about 1e-9 and solved again, at last by the solver. (Ties do it, and lines nearly parallel. With three bins or more there
is a tie of another kind: group 1's bracket is q_v10 (1 + lam_FP / q_10) + q_v11 (lam_TP / q_11 - 1) for bin v, so all b lines of a group
meet in one point. An optimum there has the group inside its own ROC polygon, where many p reach.)
"""
from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import AcceptanceNotion, OfGroups
from ._crossings import EQUAL, FEASIBLE, PARALLEL, best_crossing, pairs
from ._program import (
    EQUALIZED_ODDS,
    Solution,
    as_numbered,
    base_decides,
    batch_shape,
    conditional,
    in_order,
    is_pairs,
    limits,
    served,
    width,
)
from .many import flat, solve_in_parts

__all__ = ["closed_form"]

AT_ONCE = 10_000    # programs of two predictions, fewer of more: within the processor's cache, and a million need little more room
MOST_BINS = 16      # the crossings grow like b^3 where the solver's work hardly grows; from about here on it is as fast
BY_HAND = 4         # predictions: up to here plain arithmetic beats arrays of length one

# Fixed unequal numbers that tilt the costs of ties, so that one vertex wins.
NO_TILT = np.zeros(2 * MOST_BINS)
_MORE = (-1.0) ** np.arange(2 * MOST_BINS - 4) * (0.3 + 0.7 * (np.arange(1, 2 * MOST_BINS - 3) * (5**0.5 - 1) / 2 % 1))
TILTS = (1e-9 * np.append([0.91, -0.47, 0.63, -0.78], _MORE), 1e-9 * np.append([-0.59, 0.83, -0.94, 0.37], _MORE[::-1]))


def closed_form(q: ArrayLike, gamma: ArrayLike, slack: ArrayLike = 0.0, *, notion: AcceptanceNotion | Parity = "equalized_odds",
                against: OfGroups | None = None) -> Solution:
    """The answer of :func:`solve_lp` for a whole batch of tables, gammas and slacks, without a solver.

    Source: ours; solves supplement, LP^ (2) and LP~ (3). The module's text is the proof in short; the chapter on equalized odds has
    the long one.

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y], k >= 2
        Frequencies; noisy entries may be negative. b = 2 where k > 2. (More than 16 score bins are handed to :func:`solve_many`, which is
        then as fast.)
    gamma : float or array >= 0 that broadcasts against the leading axes of ``q``
        For 600 tables and 25 gammas: ``q`` (600, 1, 2, 2, 2) and gamma (25,).
    slack : float, or (..., k, 2) array [a, y], leading axes broadcasting; ``inf`` lifts a constraint
    notion, against : as in :func:`solve_lp`; with more than two groups equalized odds only

    Returns
    -------
    Solution
        ``p`` (..., b, k), ``value`` (...), ``dual`` (..., k, 2), ``fallbacks`` (how many programs were ties and took a slower road).
        Whatever road solved a program, gaps pass their limits by at most 1e-9, and :func:`dual_value` is within 1e-9 of the value,
        relative to the size of the table. (Where a base says nearly nothing about the label, multipliers may have to be huge. Beyond
        about a million times that size, doubles round more of the bound away: up to 1e-15 of the largest multiplier.)

    Raises
    ------
    ValueError
        As :func:`solve_lp`; and, with more than two groups, gamma + slack other than 0, another notion or more than two predictions.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]) / 10
    >>> closed_form(ten, gamma=[0, .1, .5]).value.round(6)
    array([0.25 , 0.235, 0.2  ])
    >>> best = closed_form(ten, gamma=0)
    >>> best.p.round(3) + 0
    array([[0.25, 0.  ],
           [1.  , 0.75]])
    """
    parity = served(notion, against)
    q = check.table("q", q, least_groups=2)
    k = q.shape[-2]
    if k > 2:
        if parity.notion != "equalized_odds":
            check.refuse("notion", parity.notion, f"with {k} groups only equalized odds has a closed form", "Use solve_lp, or solve_many.")
        check.table("q", q, bins=2, remedy=f"With {k} groups use solve_lp, or solve_many: they take any number of predictions.")
    least, limit = limits(gamma, slack, k, parity, batch=True)
    batch = batch_shape(q, limit)
    if k > 2 and (limit != 0).any():
        name = "gamma" if np.any(gamma) else "slack"
        check.refuse(name, float(np.max(gamma if name == "gamma" else limit)), f"with {k} groups only gamma + slack = 0 has a closed form",
                     "Use solve_lp, or solve_many.")
    rate = conditional(q, limit, parity)
    best = _between_pairs(q, rate, least, limit, batch) if is_pairs(parity) else _against_group_0(q, rate, limit, batch)
    return best if width(parity) == 2 else replace(best, dual=best.dual[..., :1])


def _between_pairs(q: np.ndarray, rate: np.ndarray, least: np.ndarray, most: np.ndarray, batch: tuple[int, ...]) -> Solution:
    """Two groups are one pair, and groups with equal rates have them equal to group 0's; in an order that their numbers do not change."""
    b, k = q.shape[-3:-1]
    q, rate, least, most = flat(batch, (q, 3), (rate, 3), (least, 2), (most, 2))
    order, alike = in_order(q, least, most)
    q, rate, least, most = (np.take_along_axis(x, order[:, None, :, None] if x.ndim == 4 else order[..., None], axis=-2)
                            for x in (q, rate, least, most))
    limit = np.zeros_like(most)
    if k == 2:
        limit[:, 1] = most[:, 1] + least[:, 0]
    best = _against_group_0(q, rate, limit, (len(q),))
    dual = best.dual.copy()
    dual[:, 0] = -dual[:, 1:].sum(axis=1)
    p, dual = as_numbered(order, alike, best.p, dual)
    value = best.value.reshape(batch) if batch else float(best.value[0])
    return Solution(p.reshape(batch + (b, k)), value, dual.reshape(batch + (k, 2)), best.fallbacks)


def _against_group_0(q: np.ndarray, rate: np.ndarray, limit: np.ndarray, batch: tuple[int, ...]) -> Solution:
    """``closed_form`` of checked arguments: ``q`` and ``rate`` (..., b, k, 2), ``limit`` (..., k, 2), broadcasting to ``batch``."""
    b, k = q.shape[-3:-1]
    if b > MOST_BINS:
        each: list[Any] = flat(batch, (q, 3), (rate, 3), (limit, 2), (limit, 2))
        best = solve_in_parts(*[*each, EQUALIZED_ODDS])
        value = best.value.reshape(batch) if batch else float(best.value[0])
        return Solution(best.p.reshape(batch + (b, k)), value, best.dual.reshape(batch + (k, 2)), best.fallbacks)
    if k == 2 and b <= BY_HAND and q.ndim == 3 and limit.ndim == 2:
        one = best_crossing(q, rate, *limit[1].tolist())
        if one is not None:
            return one
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
    found = value.reshape(batch) if batch else float(value[0])
    return Solution(base_decides(p.reshape(batch + (b, k)), q), found, dual.reshape(batch + (k, 2)), fallbacks)


def _solve(q, rate, table_of, limit):
    """The fast road, then the tilts, then the solver: p (N, b, k), value (N,), multipliers (N, k, 2), how many left the fast road."""
    solve = _two_groups if q.shape[1] == 2 else _equal_rates
    p, value, feasible, dual, bound = solve(q, rate, table_of, limit, NO_TILT)
    close = EQUAL * np.abs(q).sum(axis=(0, 1, 2))[table_of]
    again = np.flatnonzero(~(feasible & (np.abs(value - bound) <= close)))
    fallbacks = len(again)
    for tilt in TILTS:
        if len(again):                                  # another p; the multipliers and their bound stay
            p[again], value[again], feasible, *_ = solve(q, rate, table_of[again], limit[again], tilt)
            again = again[~(feasible & (np.abs(value[again] - bound[again]) <= close[again]))]
    if len(again):
        left_q, left_rate = (x[..., table_of[again]].transpose(3, 0, 1, 2) for x in (q, rate))
        best = solve_in_parts(left_q, left_rate, limit[again], limit[again], EQUALIZED_ODDS)
        p[again], value[again], dual[again] = best.p, best.value, best.dual
    dual[np.isinf(limit)] = 0.0
    return p, value, dual, fallbacks


@cache
def _crossings(b: int) -> tuple[np.ndarray, np.ndarray]:
    """First and second line of each crossing: brackets (yhat, a) = (0,0), (0,1), (1,0), ..., then the axes lam_FP = 0 and lam_TP = 0."""
    first, second = (np.array(side) for side in zip(*pairs(b), strict=True))
    return first, second


def _two_groups(q, rate, table_of, limit, tilt):
    """``best_crossing`` for arrays of programs.

    ``q`` and ``rate`` (b, 2, 2, T) [yhat, a, y, table], ``table_of`` (N,), ``limit`` (N, 2, 2). Returns p (N, b, 2), its value (N,),
    whether it is feasible (N,), the multipliers (N, 2, 2) and their bound (N,).
    """
    b, tables, programs = q.shape[0], q.shape[-1], np.arange(len(table_of))
    n = 2 * b                                           # brackets; lines n and n + 1 are the axes
    upper = (b + 1) // 2 * 2                            # from this bracket on the base accepts
    cost = (q[:, :, 0] - q[:, :, 1]).reshape(n, tables)
    const = q[:, :, 1].sum(axis=(0, 1))
    lines = np.zeros((3, n + 2, tables))                # FP and TP part of each normal, and the offset
    lines[:2, :n] = rate.transpose(2, 0, 1, 3).reshape(2, n, tables)
    lines[:2, :n:2] *= -1                               # group 0
    lines[2, :n] = cost if tilt is NO_TILT else cost + tilt[:n, None] * np.abs(q).sum(axis=(0, 1, 2))
    lines[0, n] = lines[1, n + 1] = 1.0

    # The crossings of every table, and the dual there before gamma comes in.
    first, second = _crossings(b)
    (f_i, t_i, c_i), (f_j, t_j, c_j) = lines[:, first], lines[:, second]
    det = f_i * t_j - f_j * t_i
    parallel = np.abs(det) < PARALLEL
    det[parallel] = 1.0
    lam = np.stack([t_i * c_j - t_j * c_i, f_j * c_i - f_i * c_j]) / det
    dual = np.zeros(det.shape)
    for f, t, c in lines[:, :n].swapaxes(0, 1):
        dual += np.minimum(0.0, c + f * lam[0] + t * lam[1])
    dual[parallel] = -np.inf                            # no crossing; the axes cross always, so one candidate is left

    # gamma enters linearly. A limit beyond every possible gap is no constraint, and stands for infinity.
    reach = 1.0 + np.abs(lines[:2, :n]).sum(axis=1)
    g = np.minimum(limit[:, 1].T, reach[:, table_of])   # (2, N)
    dual = dual[:, table_of] - (np.abs(lam)[:, :, table_of] * g[:, None]).sum(axis=0)
    best = dual.argmax(axis=0)
    bound = const[table_of] + dual[best, programs]
    lam, det = lam[:, best, table_of], det[best, table_of]
    i, j = first[best], second[best]

    # Everything that is not free is 0 or 1 by the sign of its bracket; a bracket of exactly 0 keeps the base's decision.
    f, t, c = lines = lines[:, :, table_of]
    bracket = c[:n] + f[:n] * lam[0] + t[:n] * lam[1]
    p = np.zeros((n + 2, len(programs)))                # the last two rows stand for the unused part of a gap
    p[:upper] = bracket[:upper] < 0
    p[upper:n] = bracket[upper:] <= 0
    p[i, programs] = p[j, programs] = 0.0
    # The two free numbers u solve n_i u_i + n_j u_j = wanted gap - gap of the fixed ones.
    want_f, want_t = np.sign(lam) * g - (lines[:2] * p).sum(axis=1)
    p[i, programs] = (want_f * t[j, programs] - want_t * f[j, programs]) / det
    p[j, programs] = (want_t * f[i, programs] - want_f * t[i, programs]) / det

    p = p[:n]
    clipped = np.minimum(np.maximum(p, 0.0), 1.0)
    gap = np.abs((lines[:2, :n] * clipped).sum(axis=1))
    feasible = (np.abs(clipped - p).max(axis=0) <= FEASIBLE) & (gap <= g + FEASIBLE).all(axis=0)
    value = const[table_of] + (cost[:, table_of] * clipped).sum(axis=0)
    multipliers = np.zeros((len(programs), 2, 2))
    multipliers[:, 1] = lam.T
    return clipped.T.reshape(-1, b, 2), value, feasible, multipliers, bound


def _equal_rates(q, rate, table_of, limit, tilt):
    """gamma = 0: all groups share one point (fp, tp), the best of the intersection of k parallelograms.

    Group a reaches {p_1a u_1a + p_0a u_0a}, u_ya = (F_ya, T_ya). Along the edge direction i of a group the normal n_i satisfies
    min(0, d_i) <= n_i . x <= max(0, d_i). The error is const + w . x with w = (q_.0, -q_.1). Dual: write w as mu_i n_i + mu_j n_j for
    two of the 2k directions; then w . x >= sum min(0, mu d). The best pair gives the two lines on which the best point lies.

    ``limit`` is 0 everywhere here, and not read: it is there because the caller hands the same arguments to :func:`_two_groups`.
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
