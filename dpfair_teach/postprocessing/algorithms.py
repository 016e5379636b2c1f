"""The private algorithms of post-processing, each on one screen: what is printed beside its box, and what :class:`DPPostProcessing` runs.

Privacy unit: one person's A changes. X, Y, m and the number of groups are public, and the base, which never saw A, with all its scores.
"""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..fairness import cell_counts
from .bins import optimal_cuts, score_bins
from .closed_form import solve
from .lp import Solution
from .noise import noisy_counts, public_margin_counts
from .slacks import lift_unusable, paper_slack

__all__ = ["dp_postprocessing", "public_margin_postprocessing", "score_bin_postprocessing"]


def dp_postprocessing(counts: ArrayLike, epsilon: float, gamma: float,
                      beta: float, rng: np.random.Generator) -> Solution:
    """Algorithm 1: noise on every count, then the linear program with its slack. Step 1, the base, is over when the people are counted.

    Source: supplement and main text, Algorithm 1. What it leaves open, a noisy cell that holds nobody, :func:`lift_unusable` settles.
    Released is the noisy table, at the price epsilon; what is returned is computed from it and from public numbers.

    Parameters
    ----------
    counts : (2, k, 2) array [yhat, a, y], in people, k >= 2
    epsilon : float in [1e-9, 1e9]
    gamma : float >= 0
        The gap allowed on the noisy table, before the slack.
    beta : float in (0, 1)
        The chance that the promised accuracy fails; it sets the slack.
    rng : numpy.random.Generator

    Examples
    --------
    >>> ten = [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    >>> dp_postprocessing(ten, epsilon=5, gamma=.1, beta=.05, rng=np.random.default_rng(0)).p.shape
    (2, 2)
    """
    noisy = noisy_counts(counts, epsilon, rng)
    m = round(np.sum(counts, dtype=float))      # the counts are not read again
    slack = paper_slack(noisy / m, m, epsilon, beta)
    return solve(noisy / m, gamma, lift_unusable(noisy / m, slack))


def public_margin_postprocessing(counts: ArrayLike, epsilon: float, gamma: float,
                                 rng: np.random.Generator) -> Solution:
    """Public margins: noise that keeps the public number of people of each prediction and label, then the linear program, without slack.

    Source: ours, sharpening Algorithm 1. Released is the noisy table, at the price epsilon; what is returned is computed from it and from
    gamma. The noise is in whole people: two-sided geometric on group 1's counts for two groups, K-norm noise for more.

    Parameters
    ----------
    counts : (b, k, 2) array [yhat, a, y], whole people, k >= 2
        ``yhat`` is a decision (b = 2) or a score bin.
    epsilon, gamma, rng : as in :func:`dp_postprocessing`

    Examples
    --------
    >>> ten = [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    >>> public_margin_postprocessing(ten, epsilon=5, gamma=1, rng=np.random.default_rng(0)).p.round(3).tolist()   # any gap: the base's own
    [[0.0, 0.0], [1.0, 1.0]]
    """
    noisy = public_margin_counts(counts, epsilon, rng)
    q = noisy / noisy.sum()             # the margins are exact, so the sum is m
    return solve(q, gamma, lift_unusable(q))


def score_bin_postprocessing(
    score: ArrayLike, A: ArrayLike, Y: ArrayLike, n_groups: int, n_bins: int,
    epsilon: float, gamma: float, rng: np.random.Generator,
) -> tuple[np.ndarray, Solution]:
    """Score bins: public margins of the bins of a public score, in place of the base's two answers.

    Source: ours. Score and Y are public, and with them the cuts and everybody's bin. Released is the noisy table of the bins, at the price
    epsilon for any number of bins; what is returned is computed from it and from public numbers.

    Parameters
    ----------
    score : (m,) array
        Of a base that never saw A; larger means more likely label 1.
    A : (m,) array of ints 0..k-1
    Y : (m,) array of 0/1, both occurring
    n_groups : int in 2..1000
        k, public: which groups there are is not read off A.
    n_bins : int in 2..1000
        b; at most the number of different scores.
    epsilon, gamma, rng : as in :func:`dp_postprocessing`

    Returns
    -------
    cuts : (b - 1,) array
        Where the bins begin; public.
    Solution
        ``p`` (b, k) [bin, a] and ``value``, its error on the noisy table.

    Examples
    --------
    >>> score, A, Y = [.9, .7, .4, .3, .2, .8, .6, .55, .35, .1], [0] * 5 + [1] * 5, [1, 1, 1, 0, 0, 1, 1, 0, 0, 0]
    >>> cuts, best = score_bin_postprocessing(score, A, Y, 2, 3, epsilon=5, gamma=.1, rng=np.random.default_rng(0))
    >>> cuts, best.p.shape
    (array([0.4, 0.6]), (3, 2))
    """
    cuts = optimal_cuts(score, Y, n_bins)               # no group is looked at
    bins = score_bins(score, cuts)
    counts = cell_counts(bins, A, Y, n_groups=n_groups, n_bins=n_bins)
    return cuts, public_margin_postprocessing(counts, epsilon, gamma, rng)
