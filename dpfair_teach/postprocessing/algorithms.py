"""The private algorithms of post-processing, each on one screen, and what is proved about the first: printed and sharp.

Privacy unit: one person's A changes. X, Y, m and the number of groups are public, and the base, which never saw A, with all its scores.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import cell_counts
from .bins import optimal_cuts, score_bins
from .closed_form import solve
from .lp import Solution
from .noisy_tables import noisy_counts, public_margin_counts
from .slacks import both_rates, bound_numbers, lift_unusable, log_over_m_epsilon, noisy_frequencies, over, paper_slack

__all__ = ["dp_postprocessing", "largest_change", "lemma_a1", "public_margin_postprocessing", "score_bin_postprocessing", "theorem_2_2"]


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


def count_sensitivity(m: int) -> float:
    """l1 sensitivity of the table of frequencies of m people to one person's A: 2 / m.

    Source: supplement, Lemma 2.1. One person leaves a cell and enters another, 1 / m each; never less, so it is an equality.
    """
    return 2 / check.integer("m", m, low=1, high=10**15, whole_float=True)


def largest_change(prediction: ArrayLike, Y: ArrayLike, n_groups: int = 2) -> float:
    """The largest l1 change of the frequencies over every A and every change of one entry of it, by trying them all.

    Source: the maximum in supplement, Lemma 2.1; for small data, to be compared with 2 / m.

    Parameters
    ----------
    prediction, Y : (m,) arrays of 0/1
    n_groups : int in 2..1000
        k; 4 k^(m + 2) m, the numbers that are compared, must be at most 100 million.

    Examples
    --------
    >>> largest_change(prediction=[0, 1, 1, 0], Y=[0, 0, 1, 1])
    0.5
    """
    Y = check.labels("Y", Y)
    prediction = check.labels("prediction", prediction)
    if len(prediction) != len(Y):
        check.refuse("prediction", prediction.shape, f"not as long as Y, which has {len(Y)} entries",
                     "Give one entry of each for every person.")
    m, k = len(Y), check.group_count(n_groups)
    if math.log(4 * m) + (m + 2) * math.log(k) > math.log(10**8):
        check.refuse("n_groups", k, f"{k} ** {m} vectors A of {m} people, each changed in {m * (k - 1)} ways, are too many to try",
                     "Use fewer people or groups.")
    cells = 2 * k * prediction + Y
    groups = np.array(list(product(range(k), repeat=m)))
    tables = np.zeros((len(groups), 4 * k))
    for i in range(m):
        np.add.at(tables, (np.arange(len(groups)), cells[i] + 2 * groups[:, i]), 1 / m)
    worst = 0.0
    place = k ** np.arange(m - 1, -1, -1)                               # A read as a number in base k is its row
    for i in range(m):
        for other in range(k):
            neighbour = tables[np.arange(len(groups)) + (other - groups[:, i]) * place[i]]
            worst = max(worst, float(np.abs(tables - neighbour).sum(axis=1).max()))
    return worst


@dataclass(frozen=True)
class LemmaA1:
    """The five facts of Lemma A.1; they hold together with probability at least 1 - beta.

    Attributes
    ----------
    noise : float
        The event: no cell is off by more than this, 2 ln(4k / beta) / (m epsilon), a frequency.
    holds : bool
        The hypothesis min q_ay > 4 ln(4k / beta) / (m epsilon), read on the table that was given.
    error : float
        (1) |err~(p) - err^(p)| for every p.
    people : float
        (2) every q_ay is off by at most this, twice ``noise``; under the hypothesis on q^ every q~_ay is then above 0.
    rates : (k, 2) array [a, y]
        (3) |FP~_a - FP^_a| (y = 0) and |TP~_a - TP^_a| (y = 1).
    gaps : (k, 2) array [a, y]
        (4) the same for the gaps to group 0 of any derived classifier; row 0 is 0.
    slack : (k, 2) array [a, y]
        (5) with this slack the non-private optimum is feasible in LP~ (3); by the proof the same numbers as ``gaps``.
    """

    noise: float
    holds: bool
    error: float
    people: float
    rates: np.ndarray
    gaps: np.ndarray

    @property
    def slack(self) -> np.ndarray:
        return self.gaps


def lemma_a1(q: ArrayLike, m: int, epsilon: float, beta: float, *, as_printed: bool = False) -> LemmaA1:
    """How far noise carries: the five facts behind Theorem 2.2.

    Source: supplement, Lemma A.1 (Appendix A). With L = ln(4k / beta), printed: (1) 12 k L / (m epsilon),
    (4) 4 L / (min(q~_ay, q~_0y) m epsilon). Sharp: (1) 4 k L / (m epsilon), (4) 2 L / (m epsilon) (1 / q~_ay + 1 / q~_0y).

    Parameters
    ----------
    q : (2, k, 2) array [yhat, a, y]
        The noisy frequencies q~, in which (3), (4), (5) are stated; ``holds`` belongs to q^: give that to ask about the hypothesis.
    m : int in 1..10^15
    epsilon : float > 0
    beta : float in (0, 1)
    as_printed : bool
        The printed constants instead of the sharp ones.

    Examples
    --------
    >>> q = np.array([[[400, 200], [200, 100]], [[100, 300], [100, 600]]]) / 2000
    >>> [round(lemma_a1(q, m=2000, epsilon=1, beta=.05, as_printed=printed).error, 4) for printed in (False, True)]
    [0.0203, 0.0609]
    """
    q = noisy_frequencies(_one_table(q, as_printed), m, epsilon, beta)
    people, k = q.sum(axis=0), q.shape[1]
    unit = log_over_m_epsilon(4 * k, m, epsilon, beta)
    check.occupied("q", people, so="outside the lemma's event",
                   remedy="Choose a larger epsilon, or merge small groups. (Drawing again until it holds would not be private.)")
    rates = over(2 * unit, people)
    gaps = over(4 * unit, np.minimum(people, people[:1])) if as_printed else both_rates(rates)
    gaps[0] = 0.0
    return LemmaA1(noise=2 * unit, holds=bool(people.min() > 4 * unit), error=(12 if as_printed else 4) * k * unit, people=4 * unit,
                   rates=rates, gaps=gaps)


@dataclass(frozen=True)
class Theorem22:
    """What Theorem 2.2 promises, with probability at least 1 - beta.

    Attributes
    ----------
    error : float
        Excess of err^(p~*) over err^(p^*), the best gamma-fair derived classifier.
    error_gamma : float
        A smaller limit for the same excess, with probability at least 1 - 2 beta: 2 / (m epsilon) times the (1 - beta) quantile of
        the sum of 4k standard exponentials, a Gamma(4k). Its size needs no union bound; that the optimum is feasible still does.
    fp, tp : (k,) arrays
        Limits of the gaps |FP_a - FP_0| and |TP_a - TP_0| of p~* on the true table; entry 0 is 0; infinite where the
        hypothesis fails for a cell.
    holds : bool
        The hypothesis min q^_ay > 4 ln(4k / beta) / (m epsilon). Where it is False nothing is promised.
    """

    error: float
    error_gamma: float
    fp: np.ndarray
    tp: np.ndarray
    holds: bool


def theorem_2_2(q: ArrayLike, m: int, epsilon: float, beta: float, gamma: float, *, as_printed: bool = False) -> Theorem22:
    """The price of privacy in Algorithm 1: bounds on error and on unfairness, from the true table.

    Source: supplement, Theorem 2.2 (main text, Theorem 3.1). With L = ln(4k / beta), printed: excess error 24 k L / (m epsilon); gap
    gamma + 8 L / (min(q^_ay, q^_0y) m epsilon - 4 L). Sharp, for the same algorithm with the printed slack: 8 k L / (m epsilon), reached in
    the limit; gap gamma + 4 L / (min - 4 L) + 2 L / (q^_ay m epsilon - 4 L) + 2 L / (q^_0y m epsilon - 4 L).

    Parameters
    ----------
    q : (2, k, 2) array [yhat, a, y]
        The true frequencies q^, which sum to 1.
    m, epsilon, beta : as in :func:`lemma_a1`
    gamma : float >= 0
    as_printed : as in :func:`lemma_a1`

    Examples
    --------
    >>> q = np.array([[[4000, 2000], [2000, 1000]], [[1000, 3000], [1000, 6000]]]) / 20000
    >>> bound = theorem_2_2(q, m=20000, epsilon=1, beta=.05, gamma=.02)
    >>> round(bound.error, 4), bound.fp.round(4), bound.holds
    (0.0041, array([0.    , 0.0323]), True)
    """
    from scipy import stats  # here: it takes half a second

    q = check.frequencies("q", _one_table(q, as_printed))
    people, k = q.sum(axis=0), q.shape[1]
    m, epsilon, beta = bound_numbers(m, epsilon, beta)
    unit = log_over_m_epsilon(4 * k, m, epsilon, beta)
    gamma = check.gamma(gamma)
    room = np.maximum(people - 4 * unit, 0.0)                           # q^_ay - 4 L / (m epsilon)
    least = np.minimum(room, room[:1])
    if as_printed:
        gaps = gamma + over(8 * unit, least)
    else:
        gaps = gamma + over(4 * unit, least) + both_rates(over(2 * unit, room))
    gaps[0] = 0.0
    return Theorem22(error=(24 if as_printed else 8) * k * unit,
                     error_gamma=2 * float(stats.gamma.isf(beta, 4 * k)) / (m * epsilon),
                     fp=gaps[:, 0], tp=gaps[:, 1], holds=bool((room > 0).all()))


def _one_table(q, as_printed):
    q = check.table("q", q, bins=2, least_groups=2)
    if q.ndim != 3:
        check.refuse("q", q.shape, "is a batch of tables", "Bound one table at a time.")
    check.flag("as_printed", as_printed)
    return q
