"""Derived classifiers: a chance to say 1 for each prediction of the base and each group, and what becomes of people under it."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .._group_argument import validated_groups

__all__ = ["derived_counts"]


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
