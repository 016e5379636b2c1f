"""The linear program of post-processing, as written: any number of groups, any number of predictions, solved by HiGHS."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .._group_argument import validated_groups, way_out_of_groups
from ..fairness import Parity
from ..fairness.parity import AcceptanceNotion, OfGroups
from ._highs import minimize
from ._program import Solution, as_numbered, base_decides, conditional, errors, in_order, is_pairs, limits, served, width

__all__ = ["solve_lp", "printed_tp_row", "derived_counts", "acceptance_probability"]

#: How a program is solved again, alone, whose answer does not prove itself: in a batch it may, or the solver's units were no good.
ROADS: tuple[dict[str, object], ...] = ({}, {"simplex_scale_strategy": 0}, {"presolve": "on"}, {"solver": "ipm"})
PROOF = 1e-9    # how far a gap may pass its limit, and the value its proof (relative to the table's size), by rounding


def solve_lp(q: ArrayLike, gamma: float, slack: ArrayLike = 0.0, *, notion: AcceptanceNotion | Parity = "equalized_odds",
             against: OfGroups | None = None) -> Solution:
    """The most accurate gamma-fair classifier derived from the base's predictions and the group.

    Source: supplement, program LP^ (2) with ``slack=0``, program LP~ (3) with ``slack=paper_slack(...)`` and a noisy ``q``
    (main text, program (1)): equalized odds against group 0. Other notions, and pairs, are ours.

    Parameters
    ----------
    q : (b, k, 2) array [yhat, a, y], k >= 2
        Frequencies, counts / m (counts give the same p, and a value in people). Noisy entries may be negative.
    gamma : float >= 0
    slack : float, or (k, 2) array [a, y]; (k, 1) for demographic parity
        Against group 0: added to gamma; row 0 is unused; ``inf`` lifts a constraint. Between pairs: each group's own, a gap of a and b may
        be gamma + slack_a + slack_b; ``inf`` leaves the group out.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive`` or ``demographic_parity``. (``accuracy_parity`` compares no rates of
        acceptance, and is refused.)
    against : str, optional
        What gamma is about: ``anchor``, gaps to group 0, as in the papers and as without a word; ``pairs``, gaps of any two groups. With
        pairs another numbering of the groups gives the same answer, renumbered, and nothing else. (``population`` is refused: the slack
        of a noisy table is about groups.)

    Returns
    -------
    Solution
        ``p`` (b, k), ``value``, ``dual`` (k, 2), the proof that it is optimal, ``fallbacks``. The answer of HiGHS is checked: gaps within
        1e-9 of their limits, and :func:`dual_value` within 1e-9 of the value, relative to the size of the table. Where it fails, about
        once in 60,000 odd tables, HiGHS solves it again in other ways.

    Raises
    ------
    ValueError
        gamma < 0; gamma + slack < 0 somewhere (nothing is feasible); a cell that a constraint divides by is <= 0, or
        its entries cancel to a millionth of their size (a rate above a million); wrong shapes; a notion that is not served.
    RuntimeError
        No answer of the solver proves itself. Nobody has seen this.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]) / 10
    >>> best = solve_lp(ten, gamma=0)
    >>> best.p.round(3) + 0   # rows: what the base said; columns: groups
    array([[0.25, 0.  ],
           [1.  , 0.75]])
    >>> round(best.value, 6)
    0.25
    >>> round(solve_lp(ten, gamma=0, notion="demographic_parity").value, 6)
    0.233333
    """
    parity = served(notion, against)
    q = check.table("q", q, least_groups=2)
    if q.ndim != 3:
        check.refuse("q", q.shape, "is a batch of tables", "Solve one table at a time, or all at once with closed_form or solve_many.")
    gamma = check.gamma(gamma)
    least, most = limits(gamma, slack, q.shape[1], parity, batch=False)
    rate = conditional(q, most, parity)
    p, dual, fallbacks = solve_all(q[None], rate[None], least[None], most[None], parity)
    p = base_decides(p[0], q)
    return Solution(p, float(errors(q[None], p[None], parity)[0]), dual[0][:, :width(parity)], fallbacks)


def solve_all(q: np.ndarray, rate: np.ndarray, least: np.ndarray, most: np.ndarray, parity: Parity) -> tuple[np.ndarray, np.ndarray, int]:
    """N programs, each with its proof: p (N, b, k), multipliers (N, k, 2), and how many had to be solved again."""
    p, dual, proven = solve_each(q, rate, least, most, parity)
    for i in np.flatnonzero(~proven):
        one = slice(i, i + 1)
        for options in ROADS:
            p[one], dual[one], alone = solve_each(q[one], rate[one], least[one], most[one], parity, options)
            if alone[0]:
                break
        else:
            raise RuntimeError(f"HiGHS has no answer for q={q[i].tolist()} that proves itself optimal.")
    return p, dual, int((~proven).sum())


def solve_each(q: np.ndarray, rate: np.ndarray, least: np.ndarray, most: np.ndarray, parity: Parity,
               options: dict[str, object] | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """N programs: p (N, b, k), multipliers (N, k, 2), and which are proven optimal (N,).

    ``q`` and ``rate`` (N, b, k, 2), limits (N, k, 2). Pairs are compared in an order of the groups that does not depend on their numbers.
    """
    if not is_pairs(parity):
        return program(q, rate, least, most, parity, options)
    order, alike = in_order(q, least, most)
    sort: list[Any] = [np.take_along_axis(x, order[:, None, :, None] if x.ndim == 4 else order[..., None], axis=-2)
                       for x in (q, rate, least, most)]
    p, dual, proven = program(*[*sort, parity, options])
    return *as_numbered(order, alike, p, dual), proven


def program(
    q: np.ndarray, rate: np.ndarray, least: np.ndarray, most: np.ndarray,
    parity: Parity, options: dict[str, object] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The linear programs as written, N of them: minimize the error under -least <= rate_a(p) - reference <= most for every group a.

    The reference is group 0's rate, or, between pairs, one more variable for each rate.
    """
    n, b, k, _ = q.shape
    limited = np.isfinite(most)                 # (N, k, 2): the constraints
    limited[:, 0] &= is_pairs(parity)           # the anchor has none
    free = 2 if is_pairs(parity) else 0
    gap = np.zeros((n, k, 2, b * k + free))     # row (a, y), variable (yhat, a)
    by_group, group = gap[..., :b * k].reshape(n, k, 2, b, k), np.arange(k)
    by_group[:, group, :, :, group] = rate.transpose(2, 0, 3, 1)
    if is_pairs(parity):
        gap[:, :, [0, 1], [b * k, b * k + 1]] = -1.0
    else:
        by_group[..., 0] -= rate[:, :, 0].transpose(0, 2, 1)[:, None]
    kept = limited.any(axis=0)
    gap = (gap * limited[..., None])[:, kept]
    least, most = (np.where(limited, x, 0.0)[:, kept] for x in (least, most))

    # What accepting adds to the error, scaled: no unit decides what counts as 0.
    cost = np.zeros((n, b * k + free))
    cost[:, :b * k] = (q[..., 0] - q[..., 1]).reshape(n, -1)
    scale = np.abs(cost).max(axis=1, keepdims=True)
    scale[scale == 0] = 1.0
    found = minimize(cost / scale, gap, most, -least, free, options)
    if found is None:
        return np.zeros((n, b, k)), np.zeros((n, k, 2)), np.zeros(n, dtype=bool)

    # The proof: feasible, and nothing fair errs less than the multipliers say.
    x, dual = found[0], np.zeros((n, k, 2))
    x[:, :b * k] = x[:, :b * k].clip(0.0, 1.0)
    dual[:, kept] = scale * found[1]
    dual = balanced(dual) if free else dual
    lam = dual[:, kept]
    reached = (gap * x[:, None]).sum(axis=-1)
    left = cost + (lam[..., None] * gap).sum(axis=1)
    bound = np.minimum(left[:, :b * k], 0.0).sum(axis=-1)
    bound -= np.maximum(lam * most, -lam * least).sum(axis=-1)
    fair = ((-least - PROOF <= reached) & (reached <= most + PROOF)).all(axis=-1)
    apart = np.abs((cost * x).sum(axis=-1) - bound)
    proven = fair & (apart <= PROOF * np.abs(q).sum(axis=(1, 2, 3)))
    return x[:, :b * k].reshape(n, b, k), np.where(limited, dual, 0.0), proven


def balanced(lam: np.ndarray) -> np.ndarray:
    """Multipliers (N, k, 2) of pairs sum to 0 over the groups: what rounding has left goes to the largest."""
    largest = np.abs(lam).argmax(axis=1)[:, None]
    off = np.take_along_axis(lam, largest, axis=1) - lam.sum(axis=1, keepdims=True)
    lam = lam.copy()
    np.put_along_axis(lam, largest, off, axis=1)
    return lam


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


def acceptance_probability(p: ArrayLike, prediction: ArrayLike, A: ArrayLike) -> np.ndarray:
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
    >>> acceptance_probability([[.25, 0], [1, .75]], prediction=[0, 1, 1], A=[0, 0, 1])
    array([0.25, 1.  , 0.75])
    """
    p = check.filled("p", check.array("p", p, ndim=2, low=0.0, high=1.0), "probability for each (yhat, a)")
    b, k = p.shape
    with way_out_of_groups(read=True):
        check.same_people(prediction=prediction, A=A)
    prediction = check.codes("prediction", prediction, what="predictions",
                             remedy="Give what the base predicts, as whole numbers 0, ..., b-1.")
    A = validated_groups("A", A, k, of="prediction", length=len(prediction), knows="p")
    if prediction.max() >= b:
        check.refuse("prediction", int(prediction.max()), f"p has rows for predictions below {b}", "Give the p of these predictions.")
    return p.ravel().take(prediction * k + A)
