"""The best clip on one screen; and one that is chosen without a look at the groups, and what that may lose."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .clipping import best_clip, clip_error_bound

__all__ = ["sorted_clip", "public_clip"]


def sorted_clip(norms: ArrayLike, weights: ArrayLike, noise: float) -> float:
    """The least clip for which :func:`clip_error_bound` is least, by sorting: :func:`best_clip` has all of them.

    Source: ours, for Tran et al. 2020, after Theorem 6 (gap T23). From the longest norm down, as soon as those who are as long weigh more
    than the noise, a larger clip costs and a smaller one costs too. If all together do not, the clip is 0.

    Parameters
    ----------
    norms : (m,) array in [0, 1e100]
    weights : (m,) array in [0, 1e100]
    noise : float in [0, 1e100]
        Mean length of the noise at C = 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        A negative number, arrays of different length.

    Examples
    --------
    >>> [sorted_clip([1, 2, 4], [1, 1, 1], noise) for noise in (1.5, 2, 3.5)]
    [2.0, 1.0, 0.0]
    """
    clip_error_bound(norms, weights, 0.0, noise)    # refuses what it cannot be
    length, weight = np.asarray(norms, float), np.asarray(weights, float)
    together = 0.0
    for i in np.argsort(length)[::-1]:
        together += weight[i]
        if together > noise:
            return float(length[i])
    return 0.0


@dataclass(frozen=True)
class PublicClip:
    """A clip of public numbers.

    Attributes
    ----------
    clip : float
        C.
    loses : float
        The bound at C is at most so many times the least, whoever is in which group.
    """

    clip: float
    loses: float


def public_clip(norms: ArrayLike, weights: ArrayLike, sizes: ArrayLike, noise: float) -> PublicClip:
    """The best clip as if everybody had the mean weight: a plain quantile of the norms, for which A is not read.

    Source: ours, for Tran et al. 2020, after Theorem 6 (gap T23). The norms are public, whose weight is whose is not. With one weight u for
    all, between the lightest and the heaviest, the bound is wrong by a factor between u / heaviest and u / lightest, at every clip: at its
    least the true bound is within heaviest / lightest of the least there is. With equal weights, or norms that are distributed alike in all
    groups of these sizes, nothing is lost.

    Parameters
    ----------
    norms : (m,) array in [0, 1e100]
        Of everybody's gradient. Public.
    weights : (k,) array in [0, 1e100]
        Absolute weight of a member of each group, such as abs(nu) / N; not all 0. Public.
    sizes : (k,) array in [1e-6, 1e15]
        What the groups are taken to hold. Public.
    noise : float in [0, 1e100]
        Mean length of the noise at C = 1; not 0.

    Returns
    -------
    PublicClip
        Of an interval of best clips the lowest, which has the least noise.

    Raises
    ------
    ValueError
        Arrays that do not fit, only weights of 0, no noise.

    Examples
    --------
    >>> public_clip([1, 2, 4, 8], weights=[1, 3], sizes=[2, 2], noise=2.5)
    PublicClip(clip=4.0, loses=3.0)
    """
    w = check.array("weights", weights, ndim=1, low=0.0, high=1e100, booleans=False)
    if not 2 <= w.size <= 1000 or w.max() == 0:
        check.refuse("weights", w.tolist(), "not one weight for each of 2 to 1000 groups, some above 0",
                     "Give each group's weight; where all are 0 there is nothing to clip.")
    N = check.array("sizes", sizes, ndim=1, length=w.size, low=1e-6, high=1e15, booleans=False)
    lengths = check.filled("norms", check.array("norms", norms, ndim=1, low=0.0, high=1e100), "person")
    mean = float(w @ N / N.sum())
    found = best_clip(lengths, np.full(lengths.size, mean), noise)
    return PublicClip(found.low, float(w.max() / w.min()) if w.min() > 0 else math.inf)
