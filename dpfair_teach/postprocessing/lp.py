"""The linear program of post-processing, as written: any number of groups, any number of predictions, solved by HiGHS."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ._exact import exact_program
from ._highs import minimize
from ._program import Solution, base_decides, conditional, limits

__all__ = ["solve_lp", "printed_tp_row", "derived_counts", "predict_proba"]

PROOF = 1e-9    # how far a gap may pass its limit, and the value its proof (relative to the table's size), by rounding


def solve_lp(q: ArrayLike, gamma: float, slack: ArrayLike = 0.0) -> Solution:
    """The most accurate gamma-fair classifier derived from the base's predictions and the group.

    Source: supplement, program LP^ (2) with ``slack=0``, program LP~ (3) with ``slack=paper_slack(...)`` and a noisy ``q``
    (main text, program (1)). Equalized odds against group 0.

    Parameters
    ----------
    q : (b, k, 2) array [yhat, a, y], k >= 2
        Frequencies, counts / m (counts give the same p, and a value in people). Noisy entries may be negative.
    gamma : float >= 0
    slack : float, or (k, 2) array [a, y]
        Added to gamma; row 0 is unused; ``inf`` lifts a constraint.

    Returns
    -------
    Solution
        ``p`` (b, k), ``value``, ``dual`` (k, 2), the proof that it is optimal, ``fallbacks``. The answer of HiGHS is checked: gaps within
        1e-9 of their limits, and :func:`dual_value` within 1e-9 of the value, relative to the size of the table. Where it fails, the
        program is solved again in rational numbers, which takes milliseconds, longer for many groups.

    Raises
    ------
    ValueError
        gamma < 0; gamma + slack < 0 somewhere (nothing is feasible); a cell (a, y) that a constraint divides by is <= 0, or
        its entries cancel to a millionth of their size (a rate above a million); wrong shapes.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]) / 10
    >>> best = solve_lp(ten, gamma=0)
    >>> best.p.round(3) + 0   # rows: what the base said; columns: groups
    array([[0.25, 0.  ],
           [1.  , 0.75]])
    >>> round(best.value, 6)
    0.25
    """
    q = check.table("q", q, least_groups=2)
    if q.ndim != 3:
        check.refuse("q", q.shape, "is a batch of tables", "Solve one table at a time, or all at once with closed_form or solve_many.")
    gamma = check.gamma(gamma)
    b, k, _ = q.shape
    limit = limits(gamma, slack, k, batch=False)
    rate = conditional(q, limit)

    cost = (q[..., 0] - q[..., 1]).ravel()              # for each (yhat, a): what accepting adds to the error
    where = [(a, y) for a in range(1, k) for y in (0, 1) if np.isfinite(limit[a, y])]
    gap = np.zeros((len(where), b, k))                  # rate_a(p) - rate_0(p), one row for each (a, y)
    for row, (a, y) in zip(gap, where, strict=True):
        row[:, a] = rate[:, a, y]
        row[:, 0] = -rate[:, 0, y]
    gap = gap.reshape(len(where), b * k)
    most = np.array([limit[a, y] for a, y in where])

    # The unit of the table must not decide what the solver counts as zero.
    scale = np.abs(cost).max() or 1.0
    found = minimize(cost[None] / scale, gap[None], most[None])
    if found is not None:
        p, lam = found[0][0].clip(0.0, 1.0), scale * found[1][0]
        value, bound = cost @ p, np.minimum(cost + lam @ gap, 0.0).sum() - np.abs(lam) @ most
        if (np.abs(gap @ p) <= most + PROOF).all() and abs(value - bound) <= PROOF * np.abs(q).sum():
            dual = np.zeros((k, 2))
            for cell, price in zip(where, lam, strict=True):
                dual[cell] = price
            return Solution(base_decides(p.reshape(b, k), q), float(value + q[..., 1].sum()), dual)
    return exact_program(q, rate, limit)


def printed_tp_row(q: ArrayLike, group: int, program: int = 2) -> np.ndarray:
    """The true-positive row of LP^ (2) or LP~ (3), term by term as printed, for the lesson: both are misprints.

    Source: supplement, LP^ (2) and LP~ (3). What is meant is TP_a p_1a + (1 - TP_a) p_0a - TP_0 p_10 - (1 - TP_0) p_00, the gap of the
    derived rates, as in :func:`solve_lp`. LP (2) prints 1 - TP_1 for 1 - TP_a, whatever the group, and inserts two terms too many:
    -TP_0 p_1a + (1 - TP_1) p_0a. LP (3) prints (1 - TP_a) p_00 for (1 - TP_0) p_00. What fails: accepting everybody treats all groups
    alike, so a fairness row gives it 0, and these give 1 + TP_a - 2 TP_1 - TP_0 and TP_a - TP_0.

    Parameters
    ----------
    q : (2, k, 2) array [yhat, a, y], k >= 2
        People or frequencies; noisy ones for LP (3).
    group : int in 1..k-1
        The a of the row.
    program : int
        2 or 3.

    Returns
    -------
    (2, k) array [yhat, a]
        Coefficients: the printed left side is |sum(row * p)|.

    Raises
    ------
    ValueError
        Not one table of 0/1 predictions; a group whose label 1 holds nobody; no such group or program.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]])
    >>> row = printed_tp_row(ten, group=1, program=3)
    >>> round(float(row.sum()), 3)          # at "accept everybody"
    0.333
    """
    q = check.table("q", q, bins=2, least_groups=2)
    if q.ndim != 3:
        check.refuse("q", q.shape, "is a batch of tables", "Take one table at a time.")
    a = check.integer("group", group, low=1, high=q.shape[1] - 1)
    check.integer("program", program, low=2, high=3)
    people = q[:, :, 1].sum(axis=0)
    check.occupied("q", people[:, None], "Merge that group with another.", labels=(1,))
    tp = q[1, :, 1] / people
    row = np.zeros(q.shape[:2])
    if program == 2:
        row[1, a] = tp[a] - tp[0]
        row[0, a] = (1 - tp[1]) + (1 - tp[1])
        row[1, 0], row[0, 0] = -tp[0], -(1 - tp[0])
    else:
        row[1, a], row[0, a] = tp[a], 1 - tp[a]
        row[1, 0], row[0, 0] = -tp[0], -(1 - tp[a])
    return row


def derived_counts(q: ArrayLike, p: ArrayLike) -> np.ndarray:
    """The table of the derived classifier: what the people of ``q`` get when each base prediction is replaced by its p.

    Source: supplement, section 2.1. Exact expected counts: no sampling; ``fairness.rates``, ``error``, ``violation`` then apply.

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y], people or frequencies
    p : (..., b, k) array [yhat, a] in [0, 1]

    Returns
    -------
    (..., 2, k, 2) array [new yhat, a, y], in the unit of ``q``; leading axes of ``q`` and ``p`` broadcast.

    Raises
    ------
    ValueError
        Shapes that do not fit, or a p outside [0, 1].

    Examples
    --------
    >>> derived_counts([[[2, 1], [2, 0]], [[0, 2], [1, 2]]], p=[[.25, 0], [1, .75]])[1]   # accepted people
    array([[0.5 , 2.25],
           [0.75, 1.5 ]])
    """
    q = check.table("q", q)
    p = check.array("p", p, low=0.0, high=1.0)
    if p.ndim < 2 or p.shape[-2:] != q.shape[-3:-1]:
        check.refuse("p", p.shape, f"does not end in (b, k) = {q.shape[-3:-1]} as q does", "Give one probability for each (yhat, a).")
    check.broadcast("p", p.shape[:-2], "q", q.shape[:-3], "Give one p for each table.")
    accepted = (p[..., None] * q).sum(axis=-3)
    rejected = ((1 - p)[..., None] * q).sum(axis=-3)
    return np.stack([rejected, accepted], axis=-3)


def predict_proba(p: ArrayLike, prediction: ArrayLike, A: ArrayLike) -> np.ndarray:
    """P(say 1) for every person: p at the base's prediction and the person's group.

    Source: supplement, section 2.1 and its Figure 1: p_yhat,a = P[Yhat_p = 1 | Yhat = yhat, A = a]. The group is needed to predict.

    Parameters
    ----------
    p : (b, k) array [yhat, a] in [0, 1]
    prediction : (m,) array of ints 0..b-1
    A : (m,) array of ints 0..k-1

    Returns
    -------
    (m,) array in [0, 1]

    Raises
    ------
    ValueError
        Different lengths, a prediction or group that ``p`` does not know.

    Examples
    --------
    >>> predict_proba([[.25, 0], [1, .75]], prediction=[0, 1, 1], A=[0, 0, 1])
    array([0.25, 1.  , 0.75])
    """
    p = check.filled("p", check.array("p", p, ndim=2, low=0.0, high=1.0), "probability for each (yhat, a)")
    b, k = p.shape
    prediction = check.codes("prediction", prediction, what="predictions",
                             remedy="Give what the base predicts, as whole numbers 0, ..., b-1.")
    A = check.group_codes("A", A)
    if len(prediction) != len(A):
        check.refuse("prediction, A", (len(prediction), len(A)), "different lengths", "Give one entry a person in each.")
    if prediction.max() >= b or A.max() >= k:
        check.refuse("p", p.shape, f"knows predictions below {b} and groups below {k}, but prediction goes up to {prediction.max()} and A "
                     f"up to {A.max()}", "Give the p of these predictions and groups.")
    return p.ravel().take(prediction * k + A)
