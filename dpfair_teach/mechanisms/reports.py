"""What can be read off randomized reports: how far the unbiased count is off, and the likeliest counts that are none below 0.

Local privacy: every person randomizes the own group before anybody sees it (:func:`dpfair_teach.mechanisms.randomized_response`), and
nobody has to be trusted. :func:`dpfair_teach.mechanisms.debias_counts` turns counts of reports into unbiased counts of people. Here is what
that costs.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .response import debias_counts, randomized_response_matrix

__all__ = ["debias_variance", "likely_counts"]


def _groups_last(counts: Any, epsilon: Any, axis: Any) -> tuple[np.ndarray, np.ndarray, int]:
    """Counts with the groups on the last axis, the matrix of the reports, and where the groups were."""
    counts = check.filled("counts", check.array("counts", counts, low=0.0, high=1e150, booleans=False), "number")
    debias_counts(counts, epsilon, axis)        # the same demands on shape, axis and epsilon
    counts = np.moveaxis(counts, axis, -1)
    return counts, randomized_response_matrix(counts.shape[-1], epsilon), axis


def debias_variance(counts: ArrayLike, epsilon: float, axis: int = -1) -> np.ndarray:
    """The exact variance of every debiased count, when these are the true counts of people.

    Source: ours. The reports that say r are a sum of independent coins, one for each person: variance sum_a n_a M[a, r] (1 - M[a, r]) with
    M the matrix of :func:`dpfair_teach.mechanisms.randomized_response_matrix`; debiasing divides by keep - other.

    Parameters
    ----------
    counts : array, nonnegative, at least 2 groups along ``axis``
        The **true** counts, in people: a number for planning, private like the counts themselves. For two groups it depends on their sum
        only, n e^epsilon / (e^epsilon - 1)^2.
    epsilon : float in (0, 700]
    axis : int
        The axis of the groups.

    Returns
    -------
    array of the shape of ``counts``, in people squared

    Raises
    ------
    ValueError
        As :func:`dpfair_teach.mechanisms.debias_counts`; a count below 0.

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

    Source: ours. With c_r reports of r, maximizes sum_r c_r ln(other + (keep - other) pi_r) over shares pi. A group's share of reports is
    c_r / tau, or other where that is more; tau makes them sum to 1. Where no debiased count is below 0 this is
    :func:`dpfair_teach.mechanisms.debias_counts`; for two groups it is that, clipped to the range.

    Parameters
    ----------
    counts : array, nonnegative, at least 2 groups along ``axis``
        How many people of each public kind reported each group.
    epsilon : float in (0, 700]
        The one the reports were made with.
    axis : int
        The axis of the groups.

    Returns
    -------
    array of the shape of ``counts``, nonnegative, same sum along ``axis``; 0 where nobody reported

    Raises
    ------
    ValueError
        As :func:`dpfair_teach.mechanisms.debias_counts`; a count below 0.

    Examples
    --------
    >>> likely_counts([40.0, 60.0], epsilon=np.log(3)).round(6)
    array([30., 70.])
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
