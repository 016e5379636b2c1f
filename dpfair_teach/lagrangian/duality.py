"""What prices can find: the Lagrangian, its minimiser and its dual, on a finite list of candidates where all of it is exact."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["dual_value", "relaxed_problem"]


class Relaxed(NamedTuple):
    """The relaxed problem at some prices.

    Attributes
    ----------
    chosen : int
        The candidate of least price; of several the first.
    value : float
        What it costs: its loss and its priced violations.
    loss : float
        Its loss alone.
    """

    chosen: int
    value: float
    loss: float


def relaxed_problem(losses: ArrayLike, violations: ArrayLike, multipliers: ArrayLike, *, signed: bool = False) -> Relaxed:
    """The candidate of least loss plus multipliers times absolute violations; with ``signed``, times the violations themselves.

    Source: Tran et al. 2020, equations (4) and (5), for candidates instead of all theta.

    Parameters
    ----------
    losses : (n,) array
        J of each candidate.
    violations : (n, c) array
        mu(D_P) - mu(D_G) of each candidate and constraint.
    multipliers : (c,) array
        At least 0, unless ``signed``.
    signed : bool

    Returns
    -------
    Relaxed

    Raises
    ------
    ValueError
        Lengths that do not fit; a negative multiplier of an absolute violation.

    Examples
    --------
    >>> relaxed_problem([0.0, 0.3], [[0.5], [0.0]], [0.5])
    Relaxed(chosen=0, value=0.25, loss=0.0)
    >>> relaxed_problem([0.0, 0.3], [[0.5], [0.0]], [1.0])
    Relaxed(chosen=1, value=0.3, loss=0.3)
    """
    losses = check.filled("losses", check.array("losses", losses, ndim=1, low=-1e100, high=1e100), "loss")
    violations = check.array("violations", violations, ndim=2, low=-1e100, high=1e100)
    signed = check.flag("signed", signed)
    multipliers = check.array("multipliers", multipliers, ndim=1, low=-1e100 if signed else 0.0, high=1e100)
    if violations.shape != (len(losses), len(multipliers)):
        check.refuse("losses, violations, multipliers", (losses.shape, violations.shape, multipliers.shape), "do not fit each other",
                     "Give a row of violations for each loss, and a column for each multiplier.")
    prices = losses + (violations if signed else np.abs(violations)) @ multipliers
    chosen = int(np.argmin(prices))
    return Relaxed(chosen, float(prices[chosen]), float(losses[chosen]))


def dual_value(losses: ArrayLike, violations: ArrayLike, multipliers: ArrayLike, *, signed: bool = False,
               as_printed: bool = False) -> float:
    """The dual function: the value of the relaxed problem, which is at most the least loss of a candidate without violation.

    Source: Tran et al. 2020, equation (6). As printed it is the loss of the relaxed problem's minimiser, without the price (gap T21): of
    signed multipliers that is no bound, and has no maximum where a network may be as unfair as one likes the other way round.

    Parameters
    ----------
    losses : (n,) array
    violations : (n, c) array
    multipliers : (c,) array
        At least 0, unless ``signed``.
    signed : bool
    as_printed : bool
        Without the price.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`relaxed_problem`.

    Examples
    --------
    >>> losses, violations = [0.0, 0.3, 0.9], [[0.5], [0.0], [-0.5]]
    >>> [dual_value(losses, violations, [nu], signed=True) for nu in (0.3, 0.6, 3.0)]
    [0.15, 0.3, -0.6]
    >>> [dual_value(losses, violations, [nu], signed=True, as_printed=True) for nu in (0.3, 0.61, 3.0)]
    [0.0, 0.3, 0.9]
    """
    found = relaxed_problem(losses, violations, multipliers, signed=signed)
    return found.loss if check.flag("as_printed", as_printed) else found.value
