"""Randomized response: every person reports a group, perhaps another one, before anybody sees it; and what the reports say."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .mechanism import Mechanism, Neighbours, Numbers, Run

__all__ = ["debias_counts", "debias_variance", "debiased_groups", "likely_counts", "randomized_response", "randomized_response_matrix"]


def _truth(n_groups: object, epsilon: object) -> tuple[int, float, float]:
    """k, the probability of the true code, and the probability of each other code."""
    k = check.group_count(n_groups)
    others = math.exp(-check.number("epsilon", epsilon, low=0.0, high=700.0, low_open=True))  # beyond 700 it would underflow to never
    return k, 1 / (1 + (k - 1) * others), others / (1 + (k - 1) * others)


def _lies(k: int, other: float) -> int:
    """How many of 2^53 uniform numbers are a lie: at least as many as the law has, whatever was rounded in ``other``, so that no report
    costs more than epsilon; 2^53 where so many would make another code likelier than the true one."""
    lies = math.ceil((k - 1) * other * 2.0**53 * (1 + 2.0**-49))
    return lies if k * lies <= (k - 1) * 2**53 else 2**53


def randomized_response(A: ArrayLike, n_groups: int, epsilon: float, rng: np.random.Generator,
                        size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Each person reports a group: the true one with probability e^epsilon / (e^epsilon + k - 1), else another at random.

    Source: Warner 1965; k-ary form of Kairouz, Oh and Viswanath 2016. Every report is epsilon-private on its own, and so is whatever is
    computed from the reports and public X and Y. The chance of a lie is a multiple of 2^-53, rounded up; below an epsilon of about k /
    10^15 a report is drawn uniformly.

    Parameters
    ----------
    A : int array (m,) in 0..k-1
    n_groups : int in 2..1000
    epsilon : float in (0, 700]
    rng, size : as in :func:`laplace`

    Returns
    -------
    int64 array of shape size + (m,)

    Examples
    --------
    >>> randomized_response([0, 1, 2, 2], n_groups=3, epsilon=50.0, rng=np.random.default_rng(0))
    array([0, 1, 2, 2])
    """
    k, _, other = _truth(n_groups, epsilon)
    A, k = check.groups("A", A, n_groups=k)
    rng = check.rng(rng)
    shape = check.size(size, A.shape) + A.shape
    lies = _lies(k, other)
    if lies == 2**53:
        return rng.integers(0, k, shape)
    lie = rng.random(shape) >= 1 - lies / 2.0**53
    return np.where(lie, (A + rng.integers(1, k, shape)) % k, A)


def randomized_response_matrix(n_groups: int, epsilon: float) -> np.ndarray:
    """The exact law of :func:`randomized_response`: entry [a, r] is the probability that a member of group a reports r.

    Source: Kairouz, Oh and Viswanath 2016.

    Parameters
    ----------
    n_groups, epsilon : as in :func:`randomized_response`

    Returns
    -------
    array (k, k); rows sum to 1; two entries of a column differ by at most the factor e^epsilon

    Examples
    --------
    >>> randomized_response_matrix(2, np.log(3))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    k, keep, other = _truth(n_groups, epsilon)
    return np.full((k, k), other) + np.eye(k) * (keep - other)


def debias_counts(counts: ArrayLike, epsilon: float, axis: int = -1) -> np.ndarray:
    """Unbiased estimates of the true group counts from counts of randomized reports.

    Source: inverts :func:`randomized_response_matrix`. Entries may come out negative or above the total: nothing is clipped.

    Parameters
    ----------
    counts : array, any shape with at least 2 groups along ``axis``
        How many people of each public kind reported each group; (b, k, 2) cell counts have ``axis=-2``.
    epsilon : float in (0, 700]
    axis : int

    Returns
    -------
    array of the shape of ``counts``, same sum along ``axis``

    Examples
    --------
    >>> debias_counts([40.0, 60.0], epsilon=np.log(3))
    array([30., 70.])
    """
    counts = check.filled("counts", check.array("counts", counts, low=-1e150, high=1e150, booleans=False), "number")
    if counts.ndim == 0:
        check.refuse("counts", float(counts), "is a single number", "Give one count for each group.")
    axis = check.integer("axis", axis, low=-counts.ndim, high=counts.ndim - 1)
    if not 2 <= counts.shape[axis] <= check.MOST_GROUPS:
        check.refuse("counts", counts.shape, f"has {counts.shape[axis]} groups along axis {axis}", "Point axis at the axis of the groups.")
    _, keep, other = _truth(counts.shape[axis], epsilon)
    if keep - other < 1e-9:
        check.refuse("epsilon", epsilon, "leaves no information in the reports", "Choose a larger epsilon.")
    return (counts - other * counts.sum(axis=axis, keepdims=True)) / (keep - other)


def _groups_last(counts: Any, epsilon: Any, axis: Any) -> tuple[np.ndarray, np.ndarray, int]:
    """Counts with the groups on the last axis, the matrix of the reports, and where the groups were."""
    counts = check.filled("counts", check.array("counts", counts, low=0.0, high=1e150, booleans=False), "number")
    debias_counts(counts, epsilon, axis)        # the same demands on shape, axis and epsilon
    counts = np.moveaxis(counts, axis, -1)
    return counts, randomized_response_matrix(counts.shape[-1], epsilon), axis


def debias_variance(counts: ArrayLike, epsilon: float, axis: int = -1) -> np.ndarray:
    """The exact variance of every debiased count, when these are the true counts of people.

    Source: ours. A sum of independent coins, one for each person; debiasing divides by keep - other.

    Parameters
    ----------
    counts : array, nonnegative, at least 2 groups along ``axis``
        The **true** counts, in people: a number for planning, private like the counts themselves.
    epsilon, axis : as in :func:`debias_counts`

    Returns
    -------
    array of the shape of ``counts``, in people squared

    Examples
    --------
    >>> debias_variance([30, 70], epsilon=np.log(3)).round(6)       # 100 * 3 / 4
    array([75., 75.])
    """
    counts, matrix, axis = _groups_last(counts, epsilon, axis)
    spread = matrix[0, 0] - matrix[0, 1]
    return np.moveaxis(counts @ (matrix * (1 - matrix)) / spread**2, -1, axis)


def likely_counts(counts: ArrayLike, epsilon: float, axis: int = -1) -> np.ndarray:
    """The likeliest shares of the groups given the reports, times the number of reports: like debiasing, and never below 0.

    Source: ours. Maximizes sum_r c_r ln(other + (keep - other) pi_r) over shares pi, c_r the reports of r. Where no debiased count is below
    0 this is :func:`debias_counts`; for two groups it is that, clipped to the range.

    Parameters
    ----------
    counts : array, nonnegative, at least 2 groups along ``axis``
    epsilon, axis : as in :func:`debias_counts`

    Returns
    -------
    array of the shape of ``counts``, nonnegative, same sum along ``axis``; 0 where nobody reported

    Examples
    --------
    >>> likely_counts([10.0, 90.0], epsilon=np.log(3)).round(6)     # debiasing says -30 and 130
    array([  0., 100.])
    """
    counts, matrix, axis = _groups_last(counts, epsilon, axis)
    keep, other, k = matrix[0, 0], matrix[0, 1], counts.shape[-1]
    total = counts.sum(axis=-1, keepdims=True)
    share = np.divide(counts, total, out=np.full(counts.shape, 1 / k), where=total > 0)
    falling = -np.sort(-share, axis=-1)
    # tau if only the s largest have people, s = 1..k; right is the largest s whose smallest member still has some
    tau = np.cumsum(falling, axis=-1) / (1 - np.arange(k - 1, -1, -1) * other)
    last = k - 1 - np.argmax((falling > other * tau)[..., ::-1], axis=-1)
    tau = np.take_along_axis(tau, last[..., None], axis=-1)
    people = np.maximum(share / tau - other, 0) / (keep - other)
    return np.moveaxis(people / people.sum(axis=-1, keepdims=True) * total, -1, axis)


def debiased_groups(reports: ArrayLike, n_groups: int, epsilon: float) -> np.ndarray:
    """Weights of every person on every group, unbiased for the true 0/1 membership, from randomized responses.

    Source: ours, inverting :func:`randomized_response_matrix` person by person: a report r gives group a the weight
    (1{r = a} - other) / (keep - other), whose mean over the coin is 1{A = a}. Post-processing of the reports.

    Parameters
    ----------
    reports : int array (m,)
        What :func:`randomized_response` returned.
    n_groups : int in 2..1000
    epsilon : float in [1e-9, 700]
        The one of the response.

    Returns
    -------
    array (m, k); rows sum to 1, entries may be negative or above 1

    Raises
    ------
    ValueError
        Codes that are none, numbers out of range.

    Examples
    --------
    >>> debiased_groups([0, 1], 2, np.log(3)).tolist()
    [[1.5, -0.5], [-0.5, 1.5]]
    """
    law = randomized_response_matrix(check.group_count(n_groups), check.number("epsilon", epsilon, low=1e-9, high=700.0))
    k = law.shape[0]
    reports = check.groups_below("reports", reports, k)
    keep, other = law[0, 0], law[0, 1]
    return ((reports[:, None] == np.arange(k)) - other) / (keep - other)


class RandomizedResponse(Mechanism):
    """Everybody's report; for accountants the worst of all epsilon-private mechanisms, with two codes: a record does not say how many."""

    options = frozenset({"n_groups"})

    def draw(self, value: np.ndarray, numbers: Numbers, rng: np.random.Generator, shape: tuple[int, ...], n_groups: int = 2) -> np.ndarray:
        return randomized_response(value, n_groups, numbers[2], rng, shape)

    def worst_pair(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(3, dtype=int), np.array([1, 0, 0])

    def distance(self, value: np.ndarray, other: np.ndarray) -> np.ndarray:
        return (value != other).sum(axis=(-2, -1)).astype(float)

    def numbers(self, mechanism: str, sensitivity: Any, scale: Any, epsilon: Any) -> Numbers:
        check.unread("that of randomized response", "the record of a noise", sensitivity=sensitivity, scale=scale)
        return super().numbers(mechanism, sensitivity, scale, epsilon)

    def event(self, dp: Any, run: Run) -> tuple[Any, Neighbours]:
        if run.epsilon > 700:
            check.refuse("epsilon", run.epsilon, "a lie is too rare for a float", "Choose an epsilon up to 700.")
        return dp.dp_event.RandomizedResponseDpEvent(2 * math.exp(-run.epsilon) / (1 + math.exp(-run.epsilon)), 2), "replace one"

    def event_of_all(self, dp: Any, one: Any, times: int) -> Any:
        """One by one: of randomized response, and of nothing else, PLD's accountant in dp-accounting 0.6 takes many runs for one."""
        if times > 10_000:
            check.refuse("times", times, "dp-accounting needs one event a run of randomized response", "Use compose, or fewer runs.")
        return dp.ComposedDpEvent([one] * times) if times > 1 else one

    def of_event(self, event: Any, neighbours: Neighbours) -> dict[str, float] | None:
        if type(event).__name__ != "RandomizedResponseDpEvent" or neighbours != "replace one":
            return None
        lie = event.noise_parameter / event.num_buckets
        return {"epsilon": math.log1p(-event.noise_parameter + lie) - math.log(lie)}
