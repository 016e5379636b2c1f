"""What every solver of the linear programs shares: reading the arguments, the pieces of the program, the answer's record."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import ACCEPTANCE_NOTIONS, OF_GROUPS, AcceptanceNotion, OfGroups, read_parity

__all__ = ["Solution", "dual_value"]

#: A cell (a, y) whose entries cancel to less than this share of their sizes holds nobody: its rates would pass a million, and 16 digits
#: could no longer hold both such a rate and the gaps of a few percent that the program is about.
CANCELS = 1e-6
EQUALIZED_ODDS = Parity()


@dataclass(frozen=True)
class Solution:
    """An optimal derived classifier, with the proof that it is optimal.

    Attributes
    ----------
    p : (..., b, k) array [yhat, a]
        P(say 1 | the base said yhat, group a), in [0, 1]. Where the table has nobody with that yhat in the group, any p is optimal, and
        it is the base's own decision: p = yhat (of b > 2 predictions, the upper half accepts).
    value : (...) array or float
        The objective: the expected error on the table that was given (for noisy tables the noisy error, err~).
    dual : (..., k, 2) array [a, y], (..., k, 1) for demographic parity
        Multipliers of the constraints rate_a - rate_0; row 0 is 0. Positive where the upper limit binds, negative where the lower one
        does, 0 where there is no limit. Between pairs, of each group's: the multipliers of the pairs in which it has the larger rate,
        minus those in which it has the smaller. :func:`dual_value` at them equals ``value``: nothing else can have a smaller error.
    fallbacks : int
        How many programs of the batch were ties or degenerate, so that a slower road solved them.
    """

    p: np.ndarray
    value: Any      # an array, or a float
    dual: np.ndarray
    fallbacks: int = 0


def served(notion: AcceptanceNotion | Parity, against: OfGroups | None) -> Parity:
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


def limits(gamma: ArrayLike, slack: ArrayLike, k: int, parity: Parity = EQUALIZED_ODDS, *, batch: bool) -> tuple[np.ndarray, np.ndarray]:
    """How far a rate may be below and above its reference, two arrays (..., k, 2); infinity means no constraint.

    Against group 0 the reference is that group's rate and both are gamma + slack; row 0 is 0. Between pairs it is a number lo that the
    program finds: lo - slack <= rate <= lo + gamma + slack for every group is the same as gaps of at most gamma + slack_a + slack_b.
    """
    wide = width(parity)
    if isinstance(gamma, float) and isinstance(slack, float) and 0 <= gamma < np.inf and 0 <= slack:    # the usual call, unburdened
        least, most = np.full((k, wide), slack), np.full((k, wide), gamma + slack)
        if parity is EQUALIZED_ODDS:
            most[0] = 0.0
            return most, most
    else:
        gamma = check.array("gamma", gamma, ndim=None if batch else 0, low=0.0, booleans=False)
        slack = slacks(slack, k, wide, batch=batch)
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


def slacks(slack: ArrayLike, k: int, wide: int = 2, *, batch: bool) -> np.ndarray:
    """``slack`` as floats, () or (..., k, wide) [a, y]; entries may be +infinity but not NaN."""
    raw = check.array("slack", slack, infinite=True, booleans=False)
    if raw.ndim and (raw.shape[-2:] != (k, wide) or (raw.ndim > 2 and not batch)):
        check.refuse("slack", raw.shape, f"neither a number nor an array of shape {'(..., ' if batch else '('}{k}, {wide}) [a, y]",
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
                       remedy="Lift the constraint (lift_unusable, or slack=inf there), or clip the noisy table (clip_counts).")
        top, people = np.where(usable[..., None, :, :], top, 0.0), np.where(usable, people, 1.0)
    rate = top / people[..., None, :, :]
    return rate if wide == 2 else widened(rate)


def errors(q: np.ndarray, p: np.ndarray, parity: Parity) -> np.ndarray:
    """The error of each of N derived classifiers. Between pairs the terms are added in the order of their size, not of the groups."""
    added, constant = (q[..., 0] - q[..., 1]) * p, q[..., 1]
    if is_pairs(parity):
        added, constant = (np.sort(x.reshape(len(q), 1, -1), axis=-1) for x in (added, constant))
    return added.sum(axis=(1, 2)) + constant.sum(axis=(1, 2))


def base_decides(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """``p`` (..., b, k), with the base's own decision wherever ``q`` (..., b, k, 2) has nobody with that prediction in the group.

    Any p serves there: it changes no rate and no error. Leading axes broadcast. Every solver makes this choice: p = yhat; among more
    predictions than two, the upper half accepts.
    """
    nobody = (q == 0).all(axis=-1)
    if not nobody.any():
        return p
    b = q.shape[-3]
    return np.where(nobody, (2 * np.arange(b) >= b)[:, None], p)


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


def dual_value(q: ArrayLike, gamma: ArrayLike, dual: ArrayLike, slack: ArrayLike = 0.0, *,
               notion: AcceptanceNotion | Parity = "equalized_odds", against: OfGroups | None = None) -> np.ndarray:
    """A lower limit on the error of every fair derived classifier, from multipliers: weak duality, in one line of arithmetic.

    Source: the Lagrangian of supplement, LP (2). For any multipliers lam[a, y] (lam[0, y] standing for minus the sum of the others),
    a fair p has err(p) >= sum of q_ya1 + sum over (yhat, a) of min(0, q_ya0 - q_ya1 + sum_y lam_ay P(yhat | a, y))
    - sum over (a, y) of |lam_ay| (gamma + slack_ay). Between pairs the lam of each rate sum to 0, and the last term is
    gamma max(lam_ay, 0) + slack_ay |lam_ay|, summed over all groups.

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y]
    gamma : float or array against the leading axes, >= 0
    dual : (..., k, 2) array [a, y], (..., k, 1) for demographic parity; against group 0 its row is unused
    slack, notion, against : as in :func:`solve_lp`

    Returns
    -------
    (...) array or float; equal to ``Solution.value`` at ``Solution.dual``.

    Raises
    ------
    ValueError
        As :func:`solve_lp`; between pairs, multipliers of a rate that do not sum to 0.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]) / 10
    >>> round(float(dual_value(ten, gamma=0, dual=[[0, 0], [0, 0]])), 6)   # without multipliers: the best that ignores fairness
    0.2
    """
    parity = served(notion, against)
    q = check.table("q", q, least_groups=2)
    k, wide = q.shape[-2], width(parity)
    least, most = limits(gamma, slack, k, parity, batch=True)
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
