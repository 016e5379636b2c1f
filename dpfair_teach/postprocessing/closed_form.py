"""The same programs without a solver: two groups for any gamma, any number of groups for gamma = 0; thousands at once.

With multipliers lam = (lam_FP, lam_TP) for the two constraints of two groups, the dual function

    D(lam) = const + sum over the four (yhat, a) of min(0, cost_ya + s_a (lam_FP F_ya + lam_TP T_ya)) - g_FP |lam_FP| - g_TP |lam_TP|

(s_1 = 1, s_0 = -1; F and T are the shares P(yhat | a, y=0) and P(yhat | a, y=1)) is concave and piecewise linear in the plane. Its kinks lie
on six lines: four where a bracket is 0, and the two axes. Its maximum is therefore at one of the at most 15 points where two of them
cross. The two lines through the best point say which two numbers of the primal are free: a bracket's own p_ya, or, for an axis, the gap
that is not at its limit. Every other p is 0 or 1 by the sign of its bracket, and a 2 x 2 system gives the rest. Equal primal and dual
values prove the answer; a program where they differ (ties) is tilted by about 1e-9 and solved again, at last by HiGHS.
"""
from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ._program import Solution, conditional, limits
from .lp import solve_lp

__all__ = ["closed_form"]

FEASIBLE = 1e-10    # how far a rate gap may exceed its limit, by rounding
EQUAL = 1e-12       # how far primal and dual value may differ, relative to the table's size
# Fixed unequal numbers that tilt the costs of ties, so that one vertex wins.
NO_TILT = np.zeros(4)
TILTS = (1e-9 * np.array([0.91, -0.47, 0.63, -0.78]), 1e-9 * np.array([-0.59, 0.83, -0.94, 0.37]))


def closed_form(q: ArrayLike, gamma: ArrayLike, slack: ArrayLike = 0.0) -> Solution:
    """The answer of :func:`solve_lp` for a whole batch of tables, gammas and slacks, without a solver.

    Source: ours; solves supplement, LP^ (2) and LP~ (3). The module's text is the proof in short; the chapter on equalized odds has
    the long one.

    Parameters
    ----------
    q : (..., 2, k, 2) array [yhat, a, y], k >= 2
        Frequencies; noisy entries may be negative.
    gamma : float or array >= 0 that broadcasts against the leading axes of ``q``
        For 600 tables and 25 gammas: ``q`` (600, 1, 2, 2, 2) and gamma (25,).
    slack : float, or (..., k, 2) array [a, y], leading axes broadcasting; ``inf`` lifts a constraint

    Returns
    -------
    Solution
        ``p`` (..., 2, k), ``value`` (...), ``dual`` (..., k, 2), ``fallbacks``.

    Raises
    ------
    ValueError
        As :func:`solve_lp`; and gamma + slack other than 0 with more than two groups.

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
    q = check.table("q", q, bins=2, least_groups=2)
    k = q.shape[-2]
    limit = limits(gamma, slack, k, batch=True)
    try:
        batch = np.broadcast_shapes(q.shape[:-3], limit.shape[:-2])
    except ValueError:
        check.refuse("gamma", limit.shape[:-2], f"its shape (with that of slack) does not broadcast with the tables' {q.shape[:-3]}",
                     "Insert an axis: q[:, None] for every table with every gamma.")
    if k > 2 and (limit != 0).any():
        check.refuse("gamma", float(limit[limit != 0][0]), f"with {k} groups only gamma + slack = 0 has a closed form",
                     "Use solve_lp.")
    rate = conditional(q, limit)
    # Flat views: T tables with the batch axis last (numpy is fastest there), N programs, table_of (N,).
    tables = int(np.prod(q.shape[:-3]))
    flat_q = np.moveaxis(q.reshape(tables, 2, k, 2), 0, -1)
    flat_rate = np.moveaxis(rate.reshape(tables, 2, k, 2), 0, -1)
    table_of = np.broadcast_to(np.arange(tables).reshape(q.shape[:-3]), batch).ravel()
    flat_limit = np.broadcast_to(limit, batch + (k, 2)).reshape(-1, k, 2)

    solve = _two_groups if k == 2 else _equal_rates
    p, value, feasible, dual, bound = solve(flat_q, flat_rate, table_of, flat_limit, NO_TILT)
    close = EQUAL * np.abs(flat_q).sum(axis=(0, 1, 2))[table_of]
    again = np.flatnonzero(~(feasible & (value - bound <= close)))
    fallbacks = len(again)
    for tilt in TILTS:
        if len(again):                                  # another p; the multipliers and their bound stay
            p[again], value[again], feasible, *_ = solve(flat_q, flat_rate, table_of[again], flat_limit[again], tilt)
            again = again[~(feasible & (value[again] - bound[again] <= close[again]))]
    for n in again:
        best = solve_lp(flat_q[..., table_of[n]], 0.0, flat_limit[n])
        p[n], value[n], dual[n] = best.p, best.value, best.dual
    value = value.reshape(batch)
    return Solution(p.reshape(batch + (2, k)), value if batch else float(value), dual.reshape(batch + (k, 2)), fallbacks)


# The six lines n . lam + c = 0 of two groups: brackets (yhat, a) = (0,0), (0,1), (1,0), (1,1), then the axes lam_FP = 0, lam_TP = 0.
_BRACKETS = ((0, 0), (0, 1), (1, 0), (1, 1))
_I, _J = (np.array(side) for side in zip(*combinations(range(6), 2)))


def _two_groups(q, rate, table_of, limit, tilt):
    """Best crossing of the six lines for every program: p (N, 2, 2), its value (N,), is it feasible, dual (N, 2, 2), its bound (N,)."""
    tables = q.shape[-1]
    size = np.abs(q).sum(axis=(0, 1, 2))
    sign = np.array([-1.0, 1.0])[None, :, None]
    cost = (q[:, :, 0] - q[:, :, 1]).reshape(4, tables)
    lines = np.zeros((3, 6, tables))                    # normal (FP part, TP part) and offset of each line
    lines[0, :4] = (sign * rate[:, :, 0]).reshape(4, tables)
    lines[1, :4] = (sign * rate[:, :, 1]).reshape(4, tables)
    lines[2, :4] = cost + tilt[:, None] * size
    lines[0, 4] = lines[1, 5] = 1.0
    const = q[:, :, 1].sum(axis=(0, 1))

    # The 15 crossings of every table, and the dual there before gamma comes in.
    (f_i, t_i, c_i), (f_j, t_j, c_j) = lines[:, _I], lines[:, _J]
    det = f_i * t_j - f_j * t_i
    parallel = np.abs(det) < 1e-13
    det[parallel] = np.inf                              # such a pair stands for lam = 0: a valid lower limit, no harm
    lam_f = (t_i * c_j - t_j * c_i) / det
    lam_t = (f_j * c_i - f_i * c_j) / det
    lam_f[_I == 4] = 0.0
    lam_t[_J == 5] = 0.0
    dual0 = np.zeros((15, tables))
    for f, t, c in zip(*lines[:, :4]):
        dual0 += np.minimum(0.0, c + f * lam_f + t * lam_t)

    # gamma enters linearly. A limit beyond every possible gap is no constraint, and stands for infinity.
    reach = 1.0 + np.abs(lines[:2, :4]).sum(axis=1)
    g_f = np.minimum(limit[:, 1, 0], reach[0, table_of])
    g_t = np.minimum(limit[:, 1, 1], reach[1, table_of])
    dual_at = (dual0[:, table_of] - np.abs(lam_f)[:, table_of] * g_f - np.abs(lam_t)[:, table_of] * g_t)
    best = dual_at.argmax(axis=0)
    programs = np.arange(len(table_of))
    lam_f, lam_t, det = lam_f[best, table_of], lam_t[best, table_of], det[best, table_of]
    i, j = _I[best], _J[best]

    # Everything that is not free is 0 or 1 by the sign of its bracket; a bracket of exactly 0 keeps the base's decision.
    f, t, c = lines[:, :, table_of]
    bracket = c[:4] + f[:4] * lam_f + t[:4] * lam_t
    p = np.where(bracket == 0, [[0.0], [0.0], [1.0], [1.0]], (bracket < 0).astype(float))
    free_i, free_j = i < 4, j < 4
    p[i[free_i], programs[free_i]] = 0.0
    p[j[free_j], programs[free_j]] = 0.0
    # Two free numbers u solve n_i u_i + n_j u_j = wanted gap - gap of the fixed ones; for an axis u is the unused gap.
    want_f = np.sign(lam_f) * g_f - (f[:4] * p).sum(axis=0)
    want_t = np.sign(lam_t) * g_t - (t[:4] * p).sum(axis=0)
    u_i = (want_f * t[j, programs] - want_t * f[j, programs]) / det
    u_j = (want_t * f[i, programs] - want_f * t[i, programs]) / det
    p[i[free_i], programs[free_i]] = u_i[free_i]
    p[j[free_j], programs[free_j]] = u_j[free_j]

    outside = np.maximum(-p, p - 1).max(axis=0)
    p = np.clip(p, 0.0, 1.0)
    gap_f, gap_t = np.abs((f[:4] * p).sum(axis=0)), np.abs((t[:4] * p).sum(axis=0))
    value = const[table_of] + (cost[:, table_of] * p).sum(axis=0)
    dual = np.zeros((len(table_of), 2, 2))
    dual[:, 1, 0], dual[:, 1, 1] = lam_f, lam_t
    feasible = (outside <= FEASIBLE) & (gap_f <= g_f + FEASIBLE) & (gap_t <= g_t + FEASIBLE)
    return p.T.reshape(-1, 2, 2).copy(), value, feasible, dual, const[table_of] + dual_at[best, programs]


def _equal_rates(q, rate, table_of, limit, tilt):
    """gamma = 0: all groups share one point (fp, tp), the best of the intersection of k parallelograms.

    Group a reaches {p_1a u_1a + p_0a u_0a}, u_ya = (F_ya, T_ya). Along the edge direction i of a group the normal n_i satisfies
    min(0, d_i) <= n_i . x <= max(0, d_i). The error is const + w . x with w = (q_.0, -q_.1). Dual: write w as mu_i n_i + mu_j n_j for
    two of the 2k directions; then w . x >= sum min(0, mu d). The best pair gives the two lines on which the best point lies.
    """
    k, tables = q.shape[1], q.shape[-1]
    size = np.abs(q).sum(axis=(0, 1, 2))
    weight = np.stack([q[:, :, 0].sum(axis=(0, 1)), -q[:, :, 1].sum(axis=(0, 1))])            # (2, T)
    tilted = weight + tilt[:2, None] * size
    const = q[:, :, 1].sum(axis=(0, 1))
    normal = np.stack([-rate[:, :, 1], rate[:, :, 0]]).reshape(2, 2 * k, tables)               # direction (yhat, a) turned left
    cross = rate[0, :, 0] * rate[1, :, 1] - rate[0, :, 1] * rate[1, :, 0]                       # n_0a . u_1a = -(n_1a . u_0a)
    depth = np.concatenate([cross, -cross])
    first, second = (np.array(side) for side in zip(*combinations(range(2 * k), 2)))
    (x_i, y_i), (x_j, y_j) = normal[:, first], normal[:, second]
    det = x_i * y_j - x_j * y_i
    parallel = np.abs(det) < 1e-13
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
    p = np.where(np.abs(cross) < 1e-13, (fp + tp) / 2, p)
    outside = np.maximum(-p, p - 1).max(axis=(0, 1))
    p = np.clip(p, 0.0, 1.0)
    gap = np.abs((rate * p[:, :, None]).sum(axis=0) - np.stack([fp, tp])).max(axis=(0, 1))
    value = const + ((q[:, :, 0] - q[:, :, 1]) * p).sum(axis=(0, 1))
    # Multipliers: group a is left with the cost mu n of its own lines, so lam_a = that minus its own (q_a0, -q_a1).
    left = np.zeros((2, k, tables))
    np.add.at(left, (slice(None), i % k, all_tables), mu_i * n_i)
    np.add.at(left, (slice(None), j % k, all_tables), mu_j * n_j)
    own = q.sum(axis=0)
    dual = np.stack([left[0] - own[:, 0], left[1] + own[:, 1]], axis=1)                         # (k, 2, T)
    dual[0] = 0.0
    feasible = (outside <= FEASIBLE) & (gap <= FEASIBLE)
    by_program = [np.moveaxis(array, -1, 0)[table_of] for array in (p, value, feasible, dual, const + bound[best, all_tables])]
    return tuple(by_program)
