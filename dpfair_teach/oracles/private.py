"""A private cost-sensitive oracle for a finite class: the exponential mechanism over labelings, with public costs of each cell."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms import UNIT_A, Release, release
from .labelings import labeling_rows

__all__ = ["cell_losses", "cost_sensitivity", "private_oracle"]

_BLOCK = 2**24
#: Prices below this are 0.
LEAST_PRICE = 1e-200
#: Digits after the first, of the largest price, to which all are rounded: sums of a thousand are then exact.
DIGITS = 40


def charged(price: np.ndarray, axes: int | tuple[int, ...] = -1) -> np.ndarray:
    """The prices as a private player charges them: to 40 digits of the largest over ``axes``, and 0 where that is below 1e-200.

    Source: ours (chapter 11, "tiny prices"). Whole multiples of one power of two, at most 2^40 of it: sums over fewer than 1,000 gaps of a
    rate are exact, and those of a rate that moves nothing are 0. The noise's scale is 1e-237 at least, a normal double.
    """
    largest = np.abs(price).max(axis=axes, keepdims=True)
    unit = np.ldexp(1.0, np.frexp(np.maximum(largest, LEAST_PRICE))[1] - DIGITS)
    return np.where(largest < LEAST_PRICE, 0.0, np.rint(price / unit) * unit)


def _costs(value: object) -> np.ndarray:
    costs = check.array("costs", value, shape=(None, 2), low=-1e9, high=1e9, booleans=False)
    return check.filled("costs", costs, "group")


def _people(labelings: ArrayLike, A: ArrayLike, Y: ArrayLike, costs: ArrayLike) -> tuple[np.ndarray, ...]:
    check.same_people(A=A, Y=Y)
    costs = _costs(costs)
    labelings = labeling_rows("labelings", labelings)
    m = labelings.shape[1]
    A, _ = check.groups("A", A, length=m, n_groups=len(costs))
    return labelings, A, check.labels("Y", Y, length=m), costs


def _losses(labelings: np.ndarray, each: np.ndarray) -> np.ndarray:
    """(H,) of what accepting each person costs, over m."""
    step = max(1, _BLOCK // len(each))
    return np.concatenate([labelings[i:i + step].astype(float) @ each for i in range(0, len(labelings), step)]) / len(each)


def cell_losses(labelings: ArrayLike, A: ArrayLike, Y: ArrayLike, costs: ArrayLike) -> np.ndarray:
    """(1/m) sum over the accepted of costs[a, y], for every labeling: what a cost-sensitive oracle minimizes.

    Source: supplement, Assumption 3.1 and Subroutine 2, up to the constant (1/m) sum C^0: there a person's costs depend on the cell
    (a, y) only, and ``costs`` holds C^1 - C^0.

    Parameters
    ----------
    labelings : (H, m) array of 0/1
    A : (m,) array of ints 0..k-1
    Y : (m,) array of 0/1
    costs : (k, 2) array [a, y]
        What accepting a person of the cell costs more than rejecting; negative where accepting is right.

    Returns
    -------
    (H,) array

    Examples
    --------
    >>> cell_losses([[1, 0], [1, 1]], A=[0, 1], Y=[0, 1], costs=[[1, -1], [1, -1]])
    array([0.5, 0. ])
    """
    labelings, A, Y, costs = _people(labelings, A, Y, costs)
    return _losses(labelings, costs[A, Y])


def cost_sensitivity(costs: ArrayLike, m: int) -> float:
    """The most that one person's A moves any loss of :func:`cell_losses`: max over y of (max_a - min_a) costs[a, y], over m.

    Source: ours (for the learner of supplement, Subroutine 4, when the costs of the cells are public). It is attained for some A.

    Parameters
    ----------
    costs : (k, 2) array [a, y]
        Public.
    m : int in 1..10^15

    Examples
    --------
    >>> cost_sensitivity([[1.0, -1.0], [3.0, -1.5]], m=10)
    0.2
    """
    return float(np.ptp(_costs(costs), axis=0).max()) / check.integer("m", m, low=1, high=10**15, whole_float=True)


def _choice_losses(labelings: ArrayLike, A: ArrayLike, Y: ArrayLike, costs: ArrayLike) -> np.ndarray:
    """:func:`cell_losses` but for a constant, with digits of their own for what depends on A.

    In one sum, costs that hardly depend on the group would be rounded by who is in which group, and the noise, made for the difference,
    would not cover that. So each label's cheapest group is paid for everybody, and only what a group pays more is summed by group.
    """
    labelings, A, Y, costs = _people(labelings, A, Y, costs)
    least = costs.min(axis=0)
    public = _losses(labelings, least[Y])
    return (public - public.min()) + _losses(labelings, (costs - least)[A, Y])


def _charged(costs: np.ndarray) -> np.ndarray:
    """The costs; where groups differ by less than the least price, the cheapest group's for all."""
    least = costs.min(axis=0)
    return costs if charged(costs - least, axes=(0, 1)).any() else np.broadcast_to(least, costs.shape)


@dataclass(frozen=True, eq=False)
class PrivateChoice:
    """What the private oracle answers.

    ``index``, an int or an int array of shape size, are the labelings that were drawn; ``release`` is the record of the draws, or None
    where the costs do not depend on the group, by 1e-200 at least: then nothing private was read.
    """

    index: np.ndarray
    release: Release | None


def private_oracle(labelings: ArrayLike, A: ArrayLike, Y: ArrayLike, costs: ArrayLike, epsilon: float, rng: np.random.Generator,
                   size: int | tuple[int, ...] | None = None, *, as_printed: bool = False) -> PrivateChoice:
    """A labeling of small cost, epsilon-private in A: the exponential mechanism over H(S).

    Source: supplement, section 3.2, CSC_epsilon(H) of Subroutine 4. Private if ``labelings`` and ``costs`` do not depend on A: H(S) of
    features without A, and prices over public or already released denominators. Half of :func:`cost_sensitivity` is enough (chapter 9).
    In doubles each chance is right to a share 1e-5 + 2e-14 (H + m epsilon) of itself (chapter 11).

    Parameters
    ----------
    labelings : (H, m) array of 0/1
        Public: the same whatever A is.
    A : (m,) array of ints 0..k-1
        Private.
    Y : (m,) array of 0/1
    costs : (k, 2) array [a, y]
        Public, as in :func:`cell_losses`. Where groups differ by less than 1e-200, all pay what the cheapest group pays.
    epsilon : float in (0, 1e9]
        Of each draw.
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent draws. Each is a release.
    as_printed : bool
        Definition 1.5 with the largest change of one loss, instead of half of it: epsilon is kept with a factor 2 to spare.

    Examples
    --------
    >>> answer = private_oracle([[1, 0], [1, 1]], A=[0, 1], Y=[0, 1], costs=[[1, -1], [2, -2]], epsilon=100.0,
    ...                         rng=np.random.default_rng(0))
    >>> int(answer.index), answer.release.epsilon, answer.release.sensitivity
    (1, 100.0, 0.25)
    """
    costs = _charged(_costs(costs))
    losses = _choice_losses(labelings, A, Y, costs)
    epsilon, rng = check.epsilon(epsilon), check.rng(rng)
    shape = check.size(size, losses.shape)
    sensitivity = cost_sensitivity(costs, np.shape(labelings)[1]) * (1.0 if check.flag("as_printed", as_printed) else 0.5)
    if sensitivity == 0:
        return PrivateChoice(np.full(shape, losses.argmin()), None)
    return PrivateChoice(*release("exponential", losses, rng, unit=UNIT_A, sensitivity=sensitivity, epsilon=epsilon, size=size))
