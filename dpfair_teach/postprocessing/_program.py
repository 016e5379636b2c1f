"""What every solver of the linear programs shares: reading the arguments, the pieces of the program, the answer's record."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["Solution", "dual_value"]

#: A cell (a, y) whose entries cancel to less than this share of their sizes holds nobody: its rates would pass a million, and 16 digits
#: could no longer hold both such a rate and the gaps of a few percent that the program is about.
CANCELS = 1e-6


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
    dual : (..., k, 2) array [a, y]
        Multipliers of the constraints rate_a - rate_0; row 0 is 0. Positive where the upper limit binds, negative where the lower one
        does, 0 where there is no limit. :func:`dual_value` at them equals ``value``: nothing else can have a smaller error.
    fallbacks : int
        How many programs of the batch were ties or degenerate, so that a slower road solved them.
    """

    p: np.ndarray
    value: np.ndarray | float
    dual: np.ndarray
    fallbacks: int = 0


def limits(gamma: ArrayLike, slack: ArrayLike, k: int, *, batch: bool) -> np.ndarray:
    """Right-hand sides gamma + slack, shape (..., k, 2) [a, y]; infinity means no constraint. Row 0 is unused and set to 0."""
    if isinstance(gamma, float) and isinstance(slack, float) and 0 <= gamma < np.inf and 0 <= slack:    # the usual call, unburdened
        out = np.full((k, 2), gamma + slack)
        out[0] = 0.0
        return out
    gamma = check.array("gamma", gamma, ndim=None if batch else 0, low=0.0, booleans=False)
    slack = slacks(slack, k, batch=batch)
    shape = check.broadcast("slack", slack.shape[:-2], "gamma", gamma.shape, "Give one slack for each gamma, or one for all.")
    out = np.broadcast_to(gamma[..., None, None] + slack, shape + (k, 2)).copy()
    out[..., 0, :] = 0.0
    if (out < 0).any():
        worst = np.argwhere(out < 0)[0]
        check.refuse("slack", float(np.broadcast_to(slack, out.shape)[out < 0][0]),
                     f"gamma + slack is negative at (a={worst[-2]}, y={worst[-1]}): nothing is feasible",
                     "A noisy cell below 0 makes the printed slack negative: lift the constraint (lift_unusable) or choose a larger "
                     "epsilon. Drawing again until the slack is positive is not private.")
    return out


def batch_shape(q: np.ndarray, limit: np.ndarray) -> tuple[int, ...]:
    """The leading axes of tables and limits together."""
    return check.broadcast("gamma, slack", limit.shape[:-2], "q", q.shape[:-3],
                           "Insert an axis: q[:, None] for every table with every gamma.")


def slacks(slack: ArrayLike, k: int, *, batch: bool) -> np.ndarray:
    """``slack`` as floats, () or (..., k, 2) [a, y]; entries may be +infinity but not NaN."""
    raw = check.array("slack", slack, infinite=True, booleans=False)
    if raw.ndim and (raw.shape[-2:] != (k, 2) or (raw.ndim > 2 and not batch)):
        check.refuse("slack", raw.shape, f"neither a number nor an array of shape {'(..., ' if batch else '('}{k}, 2) [a, y]",
                     "Give one number for all constraints, or one for each group and label (row 0 is unused).")
    return raw


def has_rate(q: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Which cells (a, y) hold somebody, so that their rates exist, shape (..., k, 2); ``people`` is q summed over yhat."""
    return people > CANCELS * np.abs(q).sum(axis=-3)


def conditional(q: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """P(yhat | a, y) of every cell, shape (..., b, k, 2): the coefficients of p in the rates.

    A cell (a, y) that holds nobody has no rate. That is refused where a finite limit needs it, else its entries are 0.
    """
    people = q.sum(axis=-3)
    usable = has_rate(q, people)
    if usable.all():
        return q / people[..., None, :, :]
    # a constraint (a, y) divides by q_ay and by q_0y
    needed = np.isfinite(limit)
    needed[..., 0, :] = needed[..., 1:, :].any(axis=-2)
    fine = usable | ~needed
    check.occupied("q", np.broadcast_to(people, fine.shape), usable=fine,
                   remedy="Lift the constraint (lift_unusable, or slack=inf there), or clip the noisy table (clip_counts).")
    empty = ~usable
    return np.where(empty[..., None, :, :], 0.0, q) / np.where(empty, 1.0, people)[..., None, :, :]


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


def dual_value(q: ArrayLike, gamma: ArrayLike, dual: ArrayLike, slack: ArrayLike = 0.0) -> np.ndarray:
    """A lower limit on the error of every fair derived classifier, from multipliers: weak duality, in one line of arithmetic.

    Source: the Lagrangian of supplement, LP (2). For any multipliers lam[a, y] (lam[0, y] standing for minus the sum of the others),
    a fair p has err(p) >= sum of q_ya1 + sum over (yhat, a) of min(0, q_ya0 - q_ya1 + sum_y lam_ay P(yhat | a, y))
    - sum over (a, y) of |lam_ay| (gamma + slack_ay).

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y]
    gamma : float or array against the leading axes, >= 0
    dual : (..., k, 2) array [a, y]; row 0 unused
    slack : as in :func:`solve_lp`

    Returns
    -------
    (...) array or float; equal to ``Solution.value`` at ``Solution.dual``.

    Raises
    ------
    ValueError
        As :func:`solve_lp`.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]) / 10
    >>> round(float(dual_value(ten, gamma=0, dual=[[0, 0], [0, 0]])), 6)   # without multipliers: the best that ignores fairness
    0.2
    """
    q = check.table("q", q, least_groups=2)
    limit = limits(gamma, slack, q.shape[-2], batch=True)
    dual = check.array("dual", dual, booleans=False)
    if dual.ndim < 2 or dual.shape[-2:] != q.shape[-2:]:
        check.refuse("dual", dual.shape, f"not of shape (..., {q.shape[-2]}, 2) [a, y]", "Give one multiplier for each group and label.")
    check.broadcast("dual", dual.shape[:-2], "q, gamma and slack", batch_shape(q, limit), "Give one set of multipliers for each program.")
    rate = conditional(q, limit)
    lam = dual.copy()
    lam[..., 0, :] = -dual[..., 1:, :].sum(axis=-2)
    cost = q[..., 0] - q[..., 1] + (lam[..., None, :, :] * rate).sum(axis=-1)
    tied = np.where(dual[..., 1:, :] == 0, 0.0, np.abs(dual[..., 1:, :]))
    price = np.where(tied == 0, 0.0, tied * np.where(tied == 0, 0.0, limit[..., 1:, :]))
    return q[..., 1].sum(axis=(-2, -1)) + np.minimum(cost, 0).sum(axis=(-2, -1)) - price.sum(axis=(-2, -1))
