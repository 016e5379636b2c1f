"""What one Laplace number for one gap costs: a gap is a weighted count of group 1, and the noise of one such count is known."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .candidates import both_labels
from .releases import as_many

__all__ = ["audit_price", "gap_weights"]


def gap_weights(acceptance: ArrayLike, Y: ArrayLike, n_1: ArrayLike) -> np.ndarray:
    """Weights of people whose sum over group 1 is the gap of two groups: false positives in row 0, true positives in row 1.

    Source: ours. Of the N people with label y let n_1 be in group 1, and let a mixture accept person i with probability h_i, on average h.
    Then rate_1 - rate_0 is the sum over group 1 of (h_i - h) N / (n_1 (N - n_1)): shifting all h_i alike changes no gap.

    Parameters
    ----------
    acceptance : array (m,) in [0, 1]
        P(h = 1) of a classifier, or of a mixture.
    Y : array (m,) of 0/1
    n_1 : array (2,)
        People of group 1 with label 0, and with label 1; neither nobody nor everybody of the label.

    Returns
    -------
    array (2, m); row y is 0 for people of the other label

    Raises
    ------
    ValueError
        Arrays of different lengths, one label only, a group that has all of a label or nobody of it.

    Examples
    --------
    >>> gap_weights([1, 0, 1, 0], [1, 1, 1, 0], [.5, 1])[1].round(3).tolist()
    [0.5, -1.0, 0.5, 0.0]
    """
    acceptance = check.filled("acceptance", check.array("acceptance", acceptance, ndim=1, low=0.0, high=1.0), "person")
    Y = both_labels(check.labels("Y", Y))
    as_many("Y", Y, "acceptance", len(acceptance))
    n_1, N = check.array("n_1", n_1, shape=(2,), low=0.0), np.bincount(Y, minlength=2)
    wrong = (n_1 <= 0) | (n_1 >= N)
    if wrong.any():
        check.refuse("n_1", float(n_1[wrong][0]), f"not between 0 and the {int(N[wrong][0])} people of the label",
                     "Where a group has nobody or everybody of a label there is no gap.")
    weights = np.zeros((2, len(Y)))
    for y in (0, 1):
        mine = Y == y
        weights[y, mine] = (acceptance[mine] - acceptance[mine].mean()) * N[y] / (n_1[y] * (N[y] - n_1[y]))
    return weights


def audit_price(acceptance: ArrayLike, Y: ArrayLike, n_1: ArrayLike, epsilon: float) -> np.ndarray:
    """Standard deviation of the gap of one given mixture by one Laplace number: sqrt(2) max |weight| / epsilon, for each label.

    Source: ours, by supplement, Theorem 1.1 on the sums of :func:`gap_weights`, both labels in parallel. A yardstick, neither what
    :class:`FrontierLearner` pays nor a bound on what could be paid: its audit counts cells, which serve every mixture of the audited
    candidates and pay for it at small epsilon; at large epsilon geometric noise in whole numbers is less than Laplace noise. The mixtures
    that were audited are ``frontier_.audited``; what the learner publishes may use other candidates, for which this is no price.

    Parameters
    ----------
    acceptance, Y, n_1 : as in :func:`gap_weights`
    epsilon : float in [1e-9, 1e9]
        Of the audit.

    Returns
    -------
    array (2,): of the gap in false positives, and in true positives

    Raises
    ------
    ValueError
        As :func:`gap_weights`, and for an epsilon out of range.

    Examples
    --------
    >>> audit_price([1, 0, 1, 0, 1], [1, 1, 1, 0, 0], [1, 1], epsilon=2.0).round(3).tolist()
    [0.707, 0.707]
    """
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e9)
    return np.sqrt(2) * np.abs(gap_weights(acceptance, Y, n_1)).max(axis=1) / epsilon
