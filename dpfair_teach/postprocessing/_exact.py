"""The last road: the program in rational numbers, where no rounding can mislead. Slow, and needed for hardly any table."""
from __future__ import annotations

from fractions import Fraction

import numpy as np

from ._program import Solution, base_decides

__all__ = ["exact_program"]


def exact_program(q: np.ndarray, rate: np.ndarray, limit: np.ndarray) -> Solution:
    """The optimum for one table ``q`` and its ``rate`` (b, k, 2), with right-hand sides ``limit`` (k, 2), infinite where nothing is asked.

    The simplex method on a full tableau of fractions. The start is p = 0: it meets 0 <= p <= 1 and -limit <= gap <= limit. Bland's rule
    (always the first index that may enter, the first that must leave) cannot cycle, so it ends, whatever the ties.
    """
    b, k, _ = q.shape
    exact, shares = ([[[Fraction(x) for x in cell] for cell in row] for row in table.tolist()] for table in (q, rate))
    where = [(a, y) for a in range(1, k) for y in (0, 1) if np.isfinite(limit[a, y])]

    def gap(a: int, y: int, sign: int) -> list[Fraction]:
        row = [Fraction(0)] * (b * k)
        for v in range(b):
            row[v * k + a] = sign * shares[v][a][y]
            row[v * k] = -sign * shares[v][0][y]
        return row

    rows = [([Fraction(int(i == j)) for j in range(b * k)], Fraction(1)) for i in range(b * k)]
    rows += [(gap(a, y, sign), Fraction(float(limit[a, y]))) for a, y in where for sign in (1, -1)]
    cost = [exact[v][a][0] - exact[v][a][1] for v in range(b) for a in range(k)]
    p, price = _simplex(rows, cost)

    dual = np.zeros((k, 2))
    for n, cell in enumerate(where):
        dual[cell] = float(price[b * k + 2 * n] - price[b * k + 2 * n + 1])
    value = sum(c * x for c, x in zip(cost, p, strict=True)) + sum(exact[v][a][1] for v in range(b) for a in range(k))
    return Solution(base_decides(np.array([float(x) for x in p]).reshape(b, k), q), float(value), dual, fallbacks=1)


def _simplex(rows: list[tuple[list[Fraction], Fraction]], cost: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """x >= 0 that minimizes cost . x under row . x <= right >= 0, and the price of each row."""
    n, m = len(cost), len(rows)
    tableau = [row + [Fraction(int(i == j)) for j in range(m)] + [right] for i, (row, right) in enumerate(rows)]
    reduced = cost + [Fraction(0)] * (m + 1)
    basis = list(range(n, n + m))
    while (enter := next((j for j in range(n + m) if reduced[j] < 0), None)) is not None:
        leave = min((i for i in range(m) if tableau[i][enter] > 0), key=lambda i: (tableau[i][-1] / tableau[i][enter], basis[i]))
        pivot = tableau[leave][enter]
        tableau[leave] = [x / pivot for x in tableau[leave]]
        basis[leave] = enter
        for i in range(m):
            if i != leave and tableau[i][enter]:
                tableau[i] = [x - tableau[i][enter] * y if y else x for x, y in zip(tableau[i], tableau[leave], strict=True)]
        reduced = [x - reduced[enter] * y if y else x for x, y in zip(reduced, tableau[leave], strict=True)]
    x = [Fraction(0)] * (n + m)
    for i, j in enumerate(basis):
        x[j] = tableau[i][-1]
    return x[:n], reduced[n:n + m]
