"""The linear program of post-processing, as written: any number of groups and of predictions, one table or many, solved by HiGHS.

And what its solution, a chance to say 1 for each prediction of the base and each group, does to people.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .._group_argument import validated_groups
from ..fairness import Parity
from ..fairness.parity import ACCEPTANCE_NOTIONS, OF_GROUPS, AcceptanceNotion, OfGroups, read_parity
from .highs import minimize

__all__ = ["derived_counts", "dual_value", "solve_lp"]

#: A cell (a, y) whose entries cancel to less than this part of their sizes holds nobody: its rates would pass a million, and 16 digits
#: could no longer hold both such a rate and the gaps of a few percent that the program is about.
CANCELS = 1e-6
EQUALIZED_ODDS = Parity("equalized_odds", "anchor")
#: The programs do not touch each other, so the matrices of many stand on a diagonal, and the solver is called once for so many: for
#: programs this small nearly all of its time is being called.
AT_ONCE = 200           # programs
AT_MOST = 10**7         # coefficients
#: How a program is solved again, alone, whose answer does not prove itself: in a batch it may, or the solver's units were no good.
ROADS: tuple[dict[str, object], ...] = ({}, {"simplex_scale_strategy": 0}, {"presolve": "on"}, {"solver": "ipm"})
PROOF = 1e-9    # how far a gap may pass its limit, and the value its proof (relative to the table's size), by rounding


@dataclass(frozen=True)
class Solution:
    """An optimal derived classifier, with the proof that it is optimal.

    Attributes
    ----------
    p : (..., b, k) array [yhat, a]
        P(say 1 | the base said yhat, group a), in [0, 1]. Where the table has nobody with that yhat in the group any p is optimal, and it
        is the base's own decision (of b > 2 predictions the upper half accepts).
    value : (...) array or float
        The expected error on the table that was given.
    dual : (..., k, 2) array [a, y], (..., k, 1) for demographic parity
        Multipliers of the constraints rate_a - rate_0; row 0 is 0. Positive where the upper limit binds, negative where the lower one
        does. Between pairs: the multipliers of the pairs in which the group has the larger rate, minus those in which it has the smaller.
        :func:`dual_value` at them equals ``value``: no fair classifier errs less.
    fallbacks : int
        How many programs of the batch were ties or degenerate, and took a slower road.
    """

    p: np.ndarray
    value: Any      # an array, or a float
    dual: np.ndarray
    fallbacks: int = 0


def base_decides(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """``p`` (..., b, k), with the base's own decision wherever ``q`` (..., b, k, 2) has nobody with that prediction in the group."""
    nobody = (q == 0).all(axis=-1)
    if not nobody.any():
        return p
    b = q.shape[-3]
    return np.where(nobody, (2 * np.arange(b) >= b)[:, None], p)


@check.formerly(against=check.BY_PARITY)
def solve_lp(q: ArrayLike, gamma: ArrayLike, slack: ArrayLike = 0.0, *,
             notion: AcceptanceNotion | Parity = "equalized_odds") -> Solution:
    """The most accurate gamma-fair classifier derived from the base's predictions and the group.

    Source: supplement, program LP^ (2) with ``slack=0``, program LP~ (3) with ``slack=paper_slack(...)`` and a noisy ``q``
    (main text, program (1)): equalized odds against group 0. Other notions, and pairs, are ours. Every answer of HiGHS is checked: gaps
    within 1e-9 of their limits, :func:`dual_value` within 1e-9 of the value, relative to the size of the table.

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y], k >= 2
        Frequencies, counts / m (counts give the same p, and a value in people). Noisy entries may be negative.
    gamma : float or array >= 0 that broadcasts against the leading axes of ``q``
        600 tables and 25 gammas: ``q`` (600, 1, b, k, 2) and gamma (25,).
    slack : float, or (..., k, 2) array [a, y], (..., k, 1) for demographic parity; leading axes broadcast
        Against group 0: added to gamma; row 0 is unused; ``inf`` lifts a constraint. Between pairs: each group's own, a gap of a and b may
        be gamma + slack_a + slack_b; ``inf`` leaves the group out.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive`` or ``demographic_parity``: rates of acceptance, and gaps to group 0, as in
        the papers; ``Parity(notion, "pairs")``: of any two groups, so that another numbering of the groups gives the same answer,
        renumbered.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]) / 10
    >>> best = solve_lp(ten, gamma=0)
    >>> best.p.round(3) + 0   # rows: what the base said; columns: groups
    array([[0.25, 0.  ],
           [1.  , 0.75]])
    >>> solve_lp(ten, gamma=[0, .1, .5]).value.round(6)
    array([0.25 , 0.235, 0.2  ])
    """
    parity = served(notion)
    q = check.table("q", q, least_groups=2)
    k = q.shape[-2]
    least, most = limits(gamma, slack, k, parity)
    batch = batch_shape(q, most)
    rate = conditional(q, most, parity)
    p, value, dual, fallbacks = solve_in_parts(*[*flat(batch, (q, 3), (rate, 3), (least, 2), (most, 2)), parity])
    return shaped(batch, p, value, dual[..., :width(parity)], fallbacks)


def flat(batch: tuple[int, ...], *arrays: tuple[np.ndarray, int]) -> list[Any]:
    """Arrays and the number of their last axes that are one program's: with all leading axes broadcast, as one."""
    if not batch:
        return [x[None] for x, _ in arrays]
    return [np.broadcast_to(x, batch + x.shape[-n:]).reshape(math.prod(batch), *x.shape[-n:]) for x, n in arrays]


def shaped(batch: tuple[int, ...], p: np.ndarray, value: np.ndarray, dual: np.ndarray, fallbacks: int) -> Solution:
    """The answers of N programs with the leading axes of their batch."""
    found = value.reshape(batch) if batch else float(value[0])
    return Solution(p.reshape(batch + p.shape[1:]), found, dual.reshape(batch + dual.shape[1:]), fallbacks)


def solve_in_parts(q: np.ndarray, rate: np.ndarray, least: np.ndarray, most: np.ndarray,
                   parity: Parity) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """N programs, each with its proof: p (N, b, k), value (N,), multipliers (N, k, 2), and how many had to be solved again.

    ``q`` and ``rate`` (N, b, k, 2), limits (N, k, 2).
    """
    n, b, k, _ = q.shape
    p, dual, proven = np.empty((n, b, k)), np.empty((n, k, 2)), np.empty(n, dtype=bool)
    step = max(1, min(AT_ONCE, AT_MOST // (2 * k * (b * k + 2))))
    for start in range(0, n, step):
        part = slice(start, start + step)
        p[part], dual[part], proven[part] = solve_each(q[part], rate[part], least[part], most[part], parity)
    for i in np.flatnonzero(~proven):
        one = slice(i, i + 1)
        for options in ROADS:
            p[one], dual[one], alone = solve_each(q[one], rate[one], least[one], most[one], parity, options)
            if alone[0]:
                break
        else:
            raise RuntimeError(f"HiGHS has no answer for q={q[i].tolist()} that proves itself optimal.")
    p = base_decides(p, q)
    return p, errors(q, p, parity), dual, int((~proven).sum())


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


@check.formerly(against=check.BY_PARITY)
def dual_value(q: ArrayLike, gamma: ArrayLike, dual: ArrayLike, slack: ArrayLike = 0.0, *,
               notion: AcceptanceNotion | Parity = "equalized_odds") -> np.ndarray:
    """A lower limit on the error of every fair derived classifier, from multipliers: weak duality, in one line of arithmetic.

    Source: the Lagrangian of supplement, LP (2). For any multipliers lam[a, y] (lam[0, y] standing for minus the sum of the others),
    a fair p has err(p) >= sum of q_ya1 + sum over (yhat, a) of min(0, q_ya0 - q_ya1 + sum_y lam_ay P(yhat | a, y))
    - sum over (a, y) of |lam_ay| (gamma + slack_ay). Between pairs the lam of each rate sum to 0.

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y]
    gamma : float or array against the leading axes, >= 0
    dual : (..., k, 2) array [a, y], (..., k, 1) for demographic parity; against group 0 its row is unused
    slack, notion : as in :func:`solve_lp`

    Returns
    -------
    (...) array or float; equal to ``Solution.value`` at ``Solution.dual``.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]) / 10
    >>> round(float(dual_value(ten, gamma=0, dual=[[0, 0], [0, 0]])), 6)   # without multipliers: the best that ignores fairness
    0.2
    """
    parity = served(notion)
    q = check.table("q", q, least_groups=2)
    k, wide = q.shape[-2], width(parity)
    least, most = limits(gamma, slack, k, parity)
    dual = check.array("dual", dual, booleans=False)
    if dual.ndim < 2 or dual.shape[-2:] != (k, wide):
        check.refuse("dual", dual.shape, f"not of shape (..., {k}, {wide}) [a, y]", "Give one multiplier for each group and label.")
    check.broadcast("dual", dual.shape[:-2], "q, gamma and slack", batch_shape(q, most), "Give one set of multipliers for each program.")
    rate, lam = conditional(q, most, parity), widened(dual)
    total, scale = lam.sum(axis=-2), np.abs(lam).sum(axis=-2)
    if not is_pairs(parity):
        lam[..., 0, :] -= total
        total = 0.0 * total
    if (np.abs(total) > 1e-9 * scale).any():
        check.refuse("dual", float(total[np.abs(total) > 1e-9 * scale][0]), "the sum of a rate's multipliers over the groups has to be 0",
                     "Of a pair, one group has the multiplier and the other minus it.")
    cost = q[..., 0] - q[..., 1] + (lam[..., None, :, :] * rate).sum(axis=-1)
    priced = lam.copy()
    if not is_pairs(parity):
        priced[..., 0, :] = 0.0
    sides = np.where(priced > 0, most, np.where(priced < 0, least, 0.0))
    price = np.abs(priced) * sides
    return q[..., 1].sum(axis=(-2, -1)) + np.minimum(cost, 0).sum(axis=(-2, -1)) - price.sum(axis=(-2, -1))


def served(notion: AcceptanceNotion | Parity, against: OfGroups | None = None) -> Parity:
    """The notion of a program here: rates of acceptance, against group 0 or between any two groups."""
    if against is None and isinstance(notion, str) and notion == "equalized_odds":      # the usual call, unburdened
        return EQUALIZED_ODDS
    parity = read_parity(notion, against=against, notions=ACCEPTANCE_NOTIONS, forms=OF_GROUPS,
                         because="A program here compares rates of acceptance, of groups that its table has.")
    if parity.anchor:
        check.refuse("notion", parity, "has another anchor than group 0", 'Make that group 0, or choose against="pairs".')
    return parity


def is_pairs(parity: Parity) -> bool:
    return parity.against == "pairs"


def columns(parity: Parity) -> list[int]:
    """Where the rates of a notion stand on the last axis of what the solvers hold: FP at 0, TP at 1; the rate of acceptance alone, at 0."""
    return [cell.label or 0 for cell in parity.cells]


def width(parity: Parity) -> int:
    """The length of the last axis of ``slack`` and ``dual``: labels y, or 1 where a rate is of all people of a group."""
    return 1 if parity.cells[0].label is None else 2


def limits(gamma: ArrayLike, slack: ArrayLike, k: int, parity: Parity = EQUALIZED_ODDS) -> tuple[np.ndarray, np.ndarray]:
    """How far a rate may be below and above its reference, two arrays (..., k, 2); infinity means no constraint.

    Against group 0 the reference is that group's rate; row 0 is 0. Between pairs it is a number that the program finds.
    """
    wide = width(parity)
    if isinstance(gamma, float) and isinstance(slack, float) and 0 <= gamma < np.inf and 0 <= slack:    # the usual call, unburdened
        least, most = np.full((k, wide), slack), np.full((k, wide), gamma + slack)
        if parity is EQUALIZED_ODDS:
            most[0] = 0.0
            return most, most
    else:
        gamma = check.array("gamma", gamma, low=0.0, booleans=False)
        slack = slack_array(slack, k, wide)
        shape = check.broadcast("slack", slack.shape[:-2], "gamma", gamma.shape, "Give one slack for each gamma, or one for all.")
        least = np.broadcast_to(slack, shape + (k, wide)).copy()
        most = gamma[..., None, None] + least
    refused, name = (least, "slack") if is_pairs(parity) else (most, "gamma + slack")
    if not is_pairs(parity):
        most[..., 0, :] = 0.0
    if (refused < 0).any():
        worst = np.argwhere(refused < 0)[0]
        check.refuse("slack", float(least[refused < 0][0]),
                     f"{name} is negative at (a={worst[-2]}, y={worst[-1]}): nothing is feasible",
                     "A noisy cell below 0 makes the printed slack negative: lift the constraint (lift_unusable) or choose a larger "
                     "epsilon. Drawing again until the slack is positive is not private.")
    if columns(parity) != [0, 1]:
        used, least, most = columns(parity), *(widened(x) for x in (least, most))
        for x in (least, most):
            x[..., [y for y in (0, 1) if y not in used]] = np.inf
    if is_pairs(parity):
        least[np.isinf(most)] = np.inf
        return least, most
    most[..., 0, :] = 0.0
    return most, most


def widened(x: np.ndarray) -> np.ndarray:
    """An array (..., k, 2) from one (..., k, 1) or (..., k, 2), its own."""
    return np.concatenate([x, np.zeros_like(x)], axis=-1) if x.shape[-1] == 1 else x.copy()


def batch_shape(q: np.ndarray, limit: np.ndarray) -> tuple[int, ...]:
    """The leading axes of tables and limits together."""
    return check.broadcast("gamma, slack", limit.shape[:-2], "q", q.shape[:-3],
                           "Insert an axis: q[:, None] for every table with every gamma.")


def slack_array(slack: ArrayLike, k: int, wide: int = 2) -> np.ndarray:
    """``slack`` as floats, () or (..., k, wide) [a, y]; entries may be +infinity but not NaN."""
    raw = check.array("slack", slack, infinite=True, booleans=False)
    if raw.ndim and raw.shape[-2:] != (k, wide):
        check.refuse("slack", raw.shape, f"neither a number nor an array of shape (..., {k}, {wide}) [a, y]",
                     "Give one number for all constraints, or one for each group and label.")
    return raw


def counted(q: np.ndarray, parity: Parity) -> np.ndarray:
    """What the rates count, (..., b, k, 1 or 2): of each prediction, the people of each label, or all."""
    return q.sum(axis=-1, keepdims=True) if width(parity) == 1 else q


def has_rate(q: np.ndarray, parity: Parity = EQUALIZED_ODDS) -> np.ndarray:
    """Which rates exist, (..., k, 1 or 2): their cells hold somebody."""
    top = counted(q, parity)
    return _occupied(q, top, top.sum(axis=-3), parity)


def _occupied(q: np.ndarray, top: np.ndarray, people: np.ndarray, parity: Parity) -> np.ndarray:
    entries = np.abs(q) if top is q else counted(np.abs(q), parity)
    return people > CANCELS * entries.sum(axis=-3)


def conditional(q: np.ndarray, limit: np.ndarray, parity: Parity = EQUALIZED_ODDS) -> np.ndarray:
    """P(yhat | a, y), or P(yhat | a), of every cell, shape (..., b, k, 2): the coefficients of p in the rates.

    A cell that holds nobody has no rate. That is refused where a finite limit needs it, else its entries are 0.
    """
    top, wide = counted(q, parity), width(parity)
    people = top.sum(axis=-3)
    usable = _occupied(q, top, people, parity)
    if not usable.all():
        # against group 0 a constraint (a, y) divides by q_ay and by q_0y
        needed = np.isfinite(limit[..., :wide])
        if not is_pairs(parity):
            needed[..., 0, :] = needed[..., 1:, :].any(axis=-2)
        fine = usable | ~needed
        check.occupied("q", np.broadcast_to(people, fine.shape), usable=fine, labels=(0, 1) if wide == 2 else (None,),
                       remedy="Lift the constraint: lift_unusable, or slack=inf there.")
        top, people = np.where(usable[..., None, :, :], top, 0.0), np.where(usable, people, 1.0)
    rate = top / people[..., None, :, :]
    return rate if wide == 2 else widened(rate)


def errors(q: np.ndarray, p: np.ndarray, parity: Parity) -> np.ndarray:
    """The error of each of N derived classifiers. Between pairs the terms are added in the order of their size, not of the groups."""
    added, constant = (q[..., 0] - q[..., 1]) * p, q[..., 1]
    if is_pairs(parity):
        added, constant = (np.sort(x.reshape(len(q), 1, math.prod(x.shape[1:])), axis=-1) for x in (added, constant))
    return added.sum(axis=(1, 2)) + constant.sum(axis=(1, 2))


def in_order(q: np.ndarray, least: np.ndarray, most: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The groups of N programs in an order that does not depend on how they are numbered, (N, k); and who is alike, (N, k) numbers.

    By what the program knows of each: ``q`` (N, b, k, 2) and its limits (N, k, 2). Solvers choose among several optima by the order of the
    groups. Given this one, they choose the same for every numbering.
    """
    n, b, k, _ = q.shape
    known = np.concatenate([q.transpose(0, 2, 1, 3).reshape(n, k, 2 * b), least, most], axis=-1)
    order = np.lexsort(np.moveaxis(known, -1, 0)[::-1], axis=-1)
    known = np.take_along_axis(known, order[..., None], axis=1)
    new = (known[:, 1:] != known[:, :-1]).any(axis=-1)
    return order, np.concatenate([np.zeros((n, 1), int), new.cumsum(axis=1)], axis=1)


def as_numbered(order: np.ndarray, alike: np.ndarray, p: np.ndarray, dual: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``p`` (N, b, k) and ``dual`` (N, k, 2) of the ordered groups, with their own numbers again. Groups that are alike share the mean."""
    p, dual = p.copy(), dual.copy()
    for n in np.flatnonzero(alike[:, -1] < alike.shape[1] - 1):
        for group in np.unique(alike[n]):
            same = alike[n] == group
            if same.sum() > 1:
                p[n][:, same] = p[n][:, same].mean(axis=1, keepdims=True)
                dual[n, same] = dual[n, same].mean(axis=0)
    back = np.argsort(order, axis=-1)
    return np.take_along_axis(p, back[:, None], axis=2), np.take_along_axis(dual, back[..., None], axis=1)


def derived_counts(q: ArrayLike, p: ArrayLike) -> np.ndarray:
    """The table of the derived classifier: what the people of ``q`` get when each base prediction is replaced by its p.

    Source: supplement, section 2.1. Exact expected counts, nothing is drawn: ``fairness.rates``, ``error`` and ``violation`` read them.

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y], people or frequencies
    p : (..., b, k) array [yhat, a] in [0, 1]

    Returns
    -------
    (..., 2, k, 2) array [new yhat, a, y], in the unit of ``q``; leading axes of ``q`` and ``p`` broadcast.

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
    """P(say 1) for every person, (m,): p (b, k) at the base's prediction and the person's group.

    Source: supplement, section 2.1 and its Figure 1: p_yhat,a = P[Yhat_p = 1 | Yhat = yhat, A = a].
    """
    p = check.filled("p", check.array("p", p, ndim=2, low=0.0, high=1.0), "probability for each (yhat, a)")
    b, k = p.shape
    check.same_people(prediction=prediction, A=A)
    prediction = check.codes("prediction", prediction, what="predictions",
                             remedy="Give what the base predicts, as whole numbers 0, ..., b-1.")
    A = validated_groups("A", A, k, of="prediction", length=len(prediction), knows="p")
    if prediction.max() >= b:
        check.refuse("prediction", int(prediction.max()), f"p has rows for predictions below {b}", "Give the p of these predictions.")
    return p.ravel().take(prediction * k + A)
