"""The best crossing of two lines solves a program with two groups: for one program in plain arithmetic, for thousands in arrays.

The chapter on equalized odds has the proof. One program alone takes a quarter of the time in plain arithmetic, fifteen thousand take a
fifth of a thousandth each in arrays: ``tests/bench.py`` has both.
"""
from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from .lp import Solution

__all__: list[str] = []     # ``closed_form`` calls them

PARALLEL = 1e-13    # two directions whose cross product is smaller than this have no crossing
FEASIBLE = 1e-10    # how far a probability or a rate gap may pass its limit, by rounding
EQUAL = 1e-12       # how far primal and dual value may differ, relative to the table's size


@cache
def pairs(b: int) -> tuple[tuple[int, int], ...]:
    """Which two of the 2b + 2 lines may cross: 15 pairs for 2 predictions, 91 for 6, 153 for 8."""
    return tuple(combinations(range(2 * b + 2), 2))


def best_crossing(q: np.ndarray, rate: np.ndarray,
                  g_f: float, g_t: float) -> Solution | None:
    """Solve one program: ``q`` and ``rate`` (b, 2, 2) [yhat, a, y], limits of the FP and TP gap. None where ties hide the answer."""
    const, size, lines = 0.0, 0.0, []
    for cells, shares in zip(q.tolist(), rate.tolist(), strict=True):
        for a, ((q_0, q_1), (f, t)) in enumerate(zip(cells, shares, strict=True)):
            lines.append((f, t, q_0 - q_1) if a else (-f, -t, q_0 - q_1))
            const += q_1
            size += abs(q_0) + abs(q_1)
    brackets = tuple(lines)                     # c + f lam_f + t lam_t, each
    lines += [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    g_f = min(g_f, 1.0 + sum(abs(f) for f, _, _ in brackets))
    g_t = min(g_t, 1.0 + sum(abs(t) for _, t, _ in brackets))
    # No gap is so large. (A multiplier of it, left by rounding, fails the proof.)

    # The dual at every crossing of two lines, 15 for b = 2; the best is its top.
    bound = -np.inf
    for i, j in pairs(len(q)):
        (f_i, t_i, c_i), (f_j, t_j, c_j) = lines[i], lines[j]
        det = f_i * t_j - f_j * t_i
        if -PARALLEL < det < PARALLEL:
            continue
        lam_f = (t_i * c_j - t_j * c_i) / det
        lam_t = (f_j * c_i - f_i * c_j) / det
        dual = -g_f * abs(lam_f) - g_t * abs(lam_t)
        for f, t, c in brackets:
            bracket = c + f * lam_f + t * lam_t
            if bracket < 0.0:
                dual += bracket
        if dual > bound:
            bound, best = dual, (i, j, det, lam_f, lam_t)

    # Its two lines are free; the rest is 0 or 1 by sign, the base's choice at 0.
    i, j, det, lam_f, lam_t = best
    want_f = g_f * ((lam_f > 0) - (lam_f < 0))
    want_t = g_t * ((lam_t > 0) - (lam_t < 0))
    p = [0.0] * len(lines)
    upper = (len(q) + 1) // 2 * 2               # from here on the base accepts
    for n, (f, t, c) in enumerate(brackets):
        bracket = c + f * lam_f + t * lam_t
        if n not in (i, j) and (bracket < 0 or (bracket == 0 and n >= upper)):
            p[n] = 1.0
            want_f, want_t = want_f - f, want_t - t
    p[i] = (want_f * lines[j][1] - want_t * lines[j][0]) / det
    p[j] = (want_t * lines[i][0] - want_f * lines[i][1]) / det

    # Proof: feasible, and the value is the dual's. (A dual above it is rounding.)
    gap_f = gap_t = value = 0.0
    for n, (f, t, c) in enumerate(brackets):
        if not -FEASIBLE <= p[n] <= 1.0 + FEASIBLE:
            return None
        p[n] = min(max(p[n], 0.0), 1.0)
        gap_f, gap_t, value = gap_f + f * p[n], gap_t + t * p[n], value + c * p[n]
    if (abs(gap_f) > g_f + FEASIBLE or abs(gap_t) > g_t + FEASIBLE
            or abs(value - bound) > EQUAL * size):
        return None
    lam = np.array([[0.0, 0.0], [lam_f, lam_t]])
    return Solution(np.array(p[:-2]).reshape(-1, 2), const + value, lam)


@cache
def lines_of_pairs(b: int) -> tuple[np.ndarray, np.ndarray]:
    """First and second line of each crossing: brackets (yhat, a) = (0,0), (0,1), (1,0), ..., then the axes lam_FP = 0 and lam_TP = 0."""
    first, second = (np.array(side) for side in zip(*pairs(b), strict=True))
    return first, second


def best_crossings(q, rate, table_of, limit, tilt):
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
    lines[2, :n] = cost + tilt[:n, None] * np.abs(q).sum(axis=(0, 1, 2))
    lines[0, n] = lines[1, n + 1] = 1.0

    # The crossings of every table, and the dual there before gamma comes in.
    first, second = lines_of_pairs(b)
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
