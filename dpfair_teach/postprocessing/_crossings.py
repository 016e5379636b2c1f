"""One program with two groups, in plain arithmetic: the module text of ``closed_form`` line by line."""
from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from ._program import Solution

__all__ = ["best_crossing", "pairs"]

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
