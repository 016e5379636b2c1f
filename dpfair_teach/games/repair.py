"""A mixture made fair with group indicators: two boxes on one screen, and what they are made of."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .aware import least_bound

__all__ = ["fair_mixture", "fair_mixture_as_printed", "false_positive_gaps", "anchor_move"]


def false_positive_gaps(fp: ArrayLike, gamma: float) -> tuple[np.ndarray, float]:
    """How far each group's false positive rate is from group 0's, and how much too far the furthest is.

    Source: ours; the excesses of supplement, proof of Theorem 3.8.

    Parameters
    ----------
    fp : (k,) array in [0, 1], k >= 2
    gamma : float >= 0

    Returns
    -------
    gap : (k,) array
        Signed; 0 for group 0.
    v : float
        The largest |gap| - gamma, or 0.

    Raises
    ------
    ValueError
        Rates outside [0, 1], fewer than two, gamma negative.

    Examples
    --------
    >>> gap, v = false_positive_gaps([0.25, 0.5, 0.125], 0.125)
    >>> gap.tolist(), v
    ([0.0, 0.25, -0.125], 0.125)
    """
    fp = check.array("fp", fp, ndim=1, low=0.0, high=1.0)
    if len(fp) < 2:
        check.refuse("fp", fp.shape, "rates of fewer than two groups", "Give one false positive rate for each group.")
    gap = fp - fp[0]
    return gap, float(np.maximum(np.abs(gap) - check.gamma(gamma), 0).max())


def anchor_move(gap: ArrayLike, limit: float, most: float) -> float:
    """How far group 0's rate is moved before the others are: up by t, down where t is negative.

    Then another group is raised by (t - gap - limit)_+ or lowered by (gap - t - limit)_+, and all gaps are within ``limit``. What is
    raised, less what is lowered, is t itself. Where this would take a longer move than ``most``, the move is of that length.

    Source: ours, "half the price", Steps 3 and 4.

    Parameters
    ----------
    gap : (k-1,) array in [-1, 1], k >= 2
        Of the groups other than 0.
    limit : float >= 0
        Within which all gaps shall end.
    most : float in [0, 1]

    Returns
    -------
    float in [-most, most]

    Raises
    ------
    ValueError
        Gaps outside [-1, 1], or none.

    Examples
    --------
    >>> anchor_move([0.5, 0.5, -0.5], limit=0.25, most=0.25), anchor_move([-0.5, -0.5, 0.5], limit=0.25, most=0.25)
    (0.125, -0.125)
    """
    gap = check.filled("gap", check.array("gap", gap, ndim=1, low=-1.0, high=1.0), "group")
    limit, most = check.number("limit", limit, low=0.0), check.number("most", most, low=0.0, high=1.0)

    def left(t: float) -> float:
        """What is raised, less what is lowered, less t: it grows with t, linear between the points below."""
        return float(np.maximum(t - gap - limit, 0).sum() - np.maximum(gap - t - limit, 0).sum() - t)

    if left(0.0) > 0:                           # more to raise than to lower: the mirror image
        return -anchor_move(-gap, limit, most)
    if left(most) < 0:
        return most
    points = np.unique(np.concatenate([[0.0, most], gap - limit, gap + limit]))
    points = points[(points >= 0) & (points <= most)]
    values = np.array([left(point) for point in points])
    i = int(np.argmax(values >= 0))
    return float(points[i] if i == 0 else np.interp(0, values[i - 1:i + 1], points[i - 1:i + 1]))


def fair_mixture(fp: ArrayLike, gamma: float) -> tuple[np.ndarray, float]:
    """Mix indicators into a mixture until no false positive rate is further than gamma from group 0's, at half the printed price.

    It moves group 0 too, by t, so that few groups are left to be moved far, stops at gamma of the whole and not of the part, and fills up
    with a fair coin (half h_0, half hbar_0): then h errs about as often on label 0 as on label 1 of any group.

    Source: ours, sharpening supplement, proof of Theorem 3.8, see :func:`fair_mixture_as_printed`.

    Parameters
    ----------
    fp : (k,) array in [0, 1], k >= 2
        The false positive rates of the mixture.
    gamma : float >= 0

    Returns
    -------
    weights : (1 + 2k,) array, a distribution
        Of the mixture that was given, h_0, ..., h_{k-1}, hbar_0, ..., hbar_{k-1}.
    price : float
        The new error is at most the old one plus this, whoever the people are: :func:`least_bound` times the largest |gap| - gamma.

    Raises
    ------
    ValueError
        Rates outside [0, 1], fewer than two, gamma negative.

    Examples
    --------
    >>> weights, price = fair_mixture([0.2, 0.5], 0.1)
    >>> weights.round(3), round(price, 3)               # of Q, h_0, h_1, hbar_0, hbar_1
    (array([0.846, 0.   , 0.   , 0.   , 0.154]), 0.182)
    """
    gap, v = false_positive_gaps(fp, gamma)     # line 1
    k, gamma = len(gap), float(gamma)
    h, bar = np.zeros(k), np.zeros(k)           # weights of the indicators
    if k == 2:                                  # line 2
        price = v * least_bound(k, gamma)
        h[1], bar[1] = price * (gap[1] < 0), price * (gap[1] > 0)
    else:
        v = v / (1 + (k - 1) * gamma)           # line 3: v'
        s, price = (k - 1) * v, (k + 1) / 2 * v
        limit = gamma * (1 + s)                 # gamma'
        t = anchor_move(gap[1:], limit, v)      # line 4: t < 0 swaps the signs
        h[0], bar[0] = max(t, 0), max(-t, 0)
        h[1:] = np.maximum(t - gap[1:] - limit, 0)
        bar[1:] = np.maximum(gap[1:] - t - limit, 0)
        coin = (s - h.sum() - bar.sum()) / 2    # line 5
        h[0], bar[0] = h[0] + coin, bar[0] + coin
    weights = np.concatenate([[1.0], h, bar])
    return weights / weights.sum(), price       # line 6


def fair_mixture_as_printed(fp: ArrayLike, gamma: float) -> tuple[np.ndarray, float]:
    """The repair of the paper's proof: weight |gap_a| - gamma of h_a or hbar_a for each group a whose gap is too large.

    It ends below gamma, and costs up to twice what :func:`fair_mixture` does.

    Source: supplement, proof of Theorem 3.8, with the bars that its text drops.

    Parameters
    ----------
    fp : (k,) array in [0, 1], k >= 2
        The false positive rates of the mixture.
    gamma : float >= 0

    Returns
    -------
    weights : (1 + 2k,) array, a distribution
        Of the mixture that was given, h_0, ..., h_{k-1}, hbar_0, ..., hbar_{k-1}.
    price : float
        The new error is at most the old one plus this, whoever the people are: the sum of the excesses.

    Raises
    ------
    ValueError
        Rates outside [0, 1], fewer than two, gamma negative.

    Examples
    --------
    >>> weights, price = fair_mixture_as_printed([0.2, 0.5], 0.1)
    >>> weights.round(3), round(price, 3)
    (array([0.833, 0.   , 0.   , 0.   , 0.167]), 0.2)
    """
    gap, _ = false_positive_gaps(fp, gamma)
    excess = np.maximum(np.abs(gap) - float(gamma), 0)
    weights = np.concatenate([[1.0], excess * (gap < 0), excess * (gap > 0)])
    return weights / weights.sum(), float(excess.sum())
