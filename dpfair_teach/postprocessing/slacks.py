"""What goes with the noise of a released table: the slack that a private algorithm adds to gamma, and the rule for unusable cells.

All of it is read off the noisy table, so none of it costs privacy.
"""
from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import AcceptanceNotion, OfGroups
from ._people import checked_epsilon
from ._program import counted, has_rate, is_pairs, served, slacks, width
from .knorm import k_norm_limit, smallest
from .noise import MarginNoise, margin_noise, margin_sensitivity

__all__ = ["bins_slack", "lift_unusable", "main_text_slack", "margin_slack", "paper_slack"]

Negative = Literal["as_printed", "unconstrained"]
NEGATIVE: tuple[Negative, ...] = get_args(Negative)
NEVER = 1e-30           # a chance that no reader of this book will meet


def lift_unusable(q: ArrayLike, slack: ArrayLike = 0.0, *, notion: AcceptanceNotion | Parity = "equalized_odds",
                  against: OfGroups | None = None) -> np.ndarray:
    """The rule for noisy cells that hold nobody: their constraints are lifted. :class:`DPPostProcessing` and all experiments use it.

    Source: ours; the paper says nothing (outside the event of Lemma A.1). The constraint (a, y) compares rates with q_ay and q_0y under the
    fraction line. Where the released table has one of them at 0 or below (or its entries cancel to a millionth of their size), that rate
    does not exist, and where it makes the printed slack negative, nothing would be feasible: there the slack is infinite, no constraint.
    Between pairs only the group's own rate counts: without it, it is left out of the comparison. The rule
    reads the released table alone, so it is post-processing and costs no privacy. Nothing else is changed: the objective keeps
    negative entries. (Public margins are clipped to [0, N] before, as part of that release.)

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y], k >= 2
        The released table, in people or frequencies.
    slack : float, or (..., k, 2) array [a, y], leading axes broadcasting; ``inf`` and negative numbers allowed
    notion, against : as in :func:`solve_lp`

    Returns
    -------
    (..., k, 2) array [a, y], (..., k, 1) for demographic parity, >= 0, infinite where there is no constraint; against group 0 its row is 0
    and unused

    Raises
    ------
    ValueError
        Not a table, shapes that do not fit, NaN.

    Examples
    --------
    >>> lift_unusable([[[1.5, 3], [2, -2]], [[4, 1], [0, 1]]], slack=.1)   # group 1 has -1 people with label 1
    array([[0. , 0. ],
           [0.1, inf]])
    """
    parity = served(notion, against)
    q = check.table("q", q, least_groups=2)
    slack = slacks(slack, q.shape[-2], width(parity), batch=True)
    check.broadcast("slack", slack.shape[:-2], "q", q.shape[:-3], "Give one slack for each table, or one for all.")
    usable = has_rate(q, parity)
    if is_pairs(parity):
        return np.where(usable & (slack >= 0), slack, np.inf)
    usable = usable & usable[..., :1, :]
    return _unused_anchor(np.where(usable & (slack >= 0), slack, np.inf))


def paper_slack(q: ArrayLike, m: int, epsilon: float, beta: float, *, negative: Negative = "as_printed") -> np.ndarray:
    """What LP~ (3) adds to gamma: 4 ln(4k / beta) / (min(q~_ay, q~_0y) m epsilon).

    Source: supplement, program (3). Computed from the noisy table alone, so it costs no privacy.

    Parameters
    ----------
    q : (..., 2, k, 2) array [yhat, a, y]
        The noisy frequencies q~, which sum to about 1.
    m : int in 1..10^15
    epsilon : float > 0
    beta : float in (0, 1)
        Failure probability of the theorem.
    negative : str
        What to do where noise made q~_ay or q~_0y zero or negative, outside the theorem's event: ``as_printed`` keeps the formula's
        negative number (infinity for 0), which no solver here accepts; ``unconstrained`` lifts the constraint by :func:`lift_unusable`.
        (Leaving such draws out is for simulations on public data: an algorithm that draws again until the slack is positive is not
        private.)

    Returns
    -------
    (..., k, 2) array [a, y]; row 0 is 0 and unused

    Raises
    ------
    ValueError
        Numbers out of range, not a table; a table in people (whole numbers that sum to more than m / 2, or any sum that
        noise cannot have made of 1).

    Examples
    --------
    >>> q = np.array([[[400, 200], [200, 100]], [[100, 300], [100, 600]]]) / 2000
    >>> paper_slack(q, m=2000, epsilon=1, beta=.05)[1].round(4)
    array([0.0677, 0.0406])
    """
    q = _slack_table(q, m, epsilon, beta, negative)
    slack = unguarded_paper_slack(q, m, epsilon, beta)
    return slack if negative == "as_printed" else lift_unusable(q, slack)


def unguarded_paper_slack(q: np.ndarray, m: int, epsilon: float, beta: float) -> np.ndarray:
    """:func:`paper_slack` of frequencies known to be some, however noise has made them look: after a draw no message may depend on it."""
    if q.shape[-3] != 2:                                # a shape is public
        check.refuse("q", q.shape, "has more predictions than the two of the printed slack", "Use margin_slack, which takes any number.")
    people = q.sum(axis=-3)
    unit = log_over_m_epsilon(4 * q.shape[-2], m, epsilon, beta)
    return _unused_anchor(over(4 * unit, np.minimum(people, people[..., :1, :])))


def main_text_slack(q: ArrayLike, m: int, epsilon: float, beta: float, *, negative: Negative = "as_printed") -> np.ndarray:
    """The slack that the main text prints, for the lesson: 4 ln(4k / beta) / (min(q~_a0, q~_a1) m epsilon). It is wrong.

    Source: main text, program (1). The minimum runs over the labels of group a and forgets group 0: where group 0 is the small one, the
    non-private optimum may be infeasible (Lemma A.1, part 5 fails), and the theorem's error bound with it. :func:`paper_slack` is the
    supplement's.

    Parameters
    ----------
    q, m, epsilon, beta, negative : as in :func:`paper_slack`

    Returns
    -------
    (..., k, 2) array [a, y]; row 0 is 0 and unused

    Raises
    ------
    ValueError
        As :func:`paper_slack`.

    Examples
    --------
    >>> q = np.array([[[400, 200], [200, 100]], [[100, 300], [100, 600]]]) / 2000
    >>> main_text_slack(q, m=2000, epsilon=1, beta=.05)[1].round(4)
    array([0.0677, 0.0677])
    """
    q = _slack_table(q, m, epsilon, beta, negative)
    people, unit = q.sum(axis=-3), log_over_m_epsilon(4 * q.shape[-2], m, epsilon, beta)
    slack = _unused_anchor(over(4 * unit, np.broadcast_to(people.min(axis=-1, keepdims=True), people.shape)))
    return slack if negative == "as_printed" else lift_unusable(q, slack)


def margin_slack(q: ArrayLike, m: int, epsilon: float, beta: float, noise: MarginNoise | None = None, *,
                 notion: AcceptanceNotion | Parity = "equalized_odds", against: OfGroups | None = None) -> np.ndarray:
    """The slack that does for :func:`public_margin_counts` what the supplement's does for Algorithm 1.

    Source: ours, from Lemma A.1 (3)-(5). With probability 1 - beta no cell is off by more than t people: two groups, Laplace noise:
    t = ln(2b / beta) / epsilon, a union over the 2b published counts; more groups: t = 4 ln(2bk / beta) / epsilon, twice the largest noise,
    as the projection moves a cell by at most that much again. Two predictions (b = 2): a rate is then off by at most t / (m q~_ay); for b
    score bins by at most (b - 1) t / (m q~_ay), and no smaller factor serves every table. A gap is off by at most its two rates together.
    Geometric noise: the same with the largest whole number that the union allows, which adds to t below half a person for two groups,
    below one for more. ``k_norm`` (and ``exact``): t = the smallest n that ||x|| passes with probability at most beta / 2b; no cell is then
    off by more, before the projection or after it.

    Proof of b - 1: with w_v the error of the cells v of one (a, y), and R = sum p_v n_v / n the true rate, the noisy one is off by
    sum (p_v - R) w_v / (m q~_ay), at most t sum |p_v - R| / (m q~_ay). R lies between the smallest and the largest p_v: these two
    together contribute their distance, at most 1, and each of the other b - 2 at most 1. (p = (0, 1, ..., 1) and R near 0 reach it.)
    Demographic parity: the rate of a group counts both labels, two cells for each v, so by the same sum it is off by at most
    2 (b - 1) t / (m q~_a). Between pairs: each group's slack is its own rate's, and a gap of a and b is off by at most the two together.

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y], nonnegative
        The released table as frequencies: its sum is 1, as the margins are exact.
    m : int in 1..10^15
    epsilon : float >= 1e-9
    beta : float in (0, 1)
    noise : str, optional
        As in :func:`public_margin_counts`.
    notion, against : as in :func:`solve_lp`

    Returns
    -------
    (..., k, 2) array [a, y], (..., k, 1) for demographic parity, infinite at empty cells; against group 0 its row is 0 and unused

    Raises
    ------
    ValueError
        Numbers out of range, a negative entry, not a table, a sum other than 1 (people: divide by m).

    Examples
    --------
    >>> q = np.array([[[400, 200], [200, 100]], [[100, 300], [100, 600]]]) / 2000
    >>> margin_slack(q, m=2000, epsilon=1, beta=.05)[1].round(4)
    array([0.0234, 0.015 ])
    """
    parity = served(notion, against)
    q = check.frequencies("q", check.table("q", q, least_groups=2, low=0.0))
    b, k, _ = q.shape[-3:]
    noise = margin_noise(noise, k)
    m, epsilon, beta = bound_numbers(m, checked_epsilon(epsilon), beta)
    if noise in ("k_norm", "exact"):
        t: float = k_norm_limit(k, epsilon, beta / (2 * b))
    else:
        sensitivity, published = margin_sensitivity(k, noise), 2 * b if k == 2 else 2 * b * k
        most = sensitivity * log_over_m_epsilon(published, m, epsilon, beta) * m
        if noise == "geometric":                        # P(|W| > n) = 2 alpha ** (n + 1) / (1 + alpha), alpha = exp(-1 / scale)
            scale = sensitivity / epsilon
            most = max(0, math.ceil(most + scale * math.log(2 / (1 + math.exp(-1 / scale)))) - 1)
        t = (1 if k == 2 else 2) * most
    return _of_gaps((b - 1) * t / m if width(parity) == 2 else 2 * (b - 1) * t / m, q, parity)


def bins_slack(q: ArrayLike, m: int, epsilon: float, beta: float, noise: MarginNoise | None = None, *,
               notion: AcceptanceNotion | Parity = "equalized_odds", against: OfGroups | None = None) -> np.ndarray:
    """Another slack with the promise of :func:`margin_slack`, smaller from about three bins on: it adds noises up before it bounds them.

    Source: ours. In the notation there, a rate is off by (sum p_v w_v - R W) / (m q~_ay) with W = sum w_v. As p_v and R lie in [0, 1],
    that is at most max(P, N) / (m q~_ay), where P is the sum of the positive w_v and N of the negative ones, without sign; for all p at
    once. Two groups have opposite w_v, so the same max(P, N). Before clipping, which brings every w_v nearer to 0, P and N have one law: a
    binomial number J of b of the w_v is positive, and J exponential (geometric) numbers are added. With probability 1 - beta none of the
    four sums (two labels) passes t, the smallest t with P(sum > t) <= beta / 4. More groups, K-norm noise: P and N of every group are
    at most the sum of the b norms, and P(sum > t) <= beta / 2. Demographic parity adds both labels up: 2b noises, half as many sums.

    Parameters
    ----------
    q, m, epsilon, beta : as in :func:`margin_slack`
    noise : str, optional
        As in :func:`public_margin_counts`; with more than two groups ``k_norm`` or ``exact``, or None for the former.
    notion, against : as in :func:`solve_lp`

    Returns
    -------
    (..., k, 2) array [a, y], (..., k, 1) for demographic parity, infinite at empty cells; against group 0 its row is 0 and unused

    Raises
    ------
    ValueError
        As :func:`margin_slack`; noise of another kind for more than two groups.

    Examples
    --------
    >>> q = np.ones((6, 2, 2)) / 24
    >>> bins_slack(q, m=2000, epsilon=1, beta=.05)[1].round(4), margin_slack(q, m=2000, epsilon=1, beta=.05)[1].round(4)
    (array([0.0368, 0.0368]), array([0.1096, 0.1096]))
    """
    parity = served(notion, against)
    q = check.frequencies("q", check.table("q", q, least_groups=2, low=0.0))
    b, k, _ = q.shape[-3:]
    noise = margin_noise(noise, k)
    m, epsilon, beta = bound_numbers(m, checked_epsilon(epsilon), beta)
    together = 2 // width(parity)                       # labels that one rate adds up
    if k == 2:
        t = positive_sum_limit(b * together, epsilon, together * beta / 4, whole=noise != "laplace")
    elif noise in ("k_norm", "exact"):
        t = k_norm_limit(k, epsilon, together * beta / 2, b * together)
    else:
        check.refuse("noise", noise, f"with {k} groups the projection mixes this noise", "Use noise='k_norm', or margin_slack.")
    return _of_gaps(t / m, q, parity)


def positive_sum_tail(b: int, epsilon: float, t: float, whole: bool) -> float:
    """P(the positive ones of b noises add up to more than t): two-sided geometric noise of scale 1 / epsilon, or Laplace."""
    j = np.arange(1, b + 1)
    if whole:                                           # positive: 1 and a geometric number more
        r = math.exp(-epsilon)
        over_t = np.where(j > t, 1.0, stats.nbinom.sf(np.maximum(t - j, 0), j, -math.expm1(-epsilon)))
        return float(stats.binom.pmf(j, b, r / (1 + r)) @ over_t)
    return float(stats.binom.pmf(j, b, 0.5) @ special.gammaincc(j, t * epsilon))


def positive_sum_limit(b: int, epsilon: float, beta: float, whole: bool) -> float:
    """The smallest t, a whole number or not, that the sum passes with probability at most beta."""
    if whole:
        return smallest(lambda n: positive_sum_tail(b, epsilon, n, True) <= beta)
    if positive_sum_tail(b, epsilon, 0.0, False) <= beta:
        return 0.0
    most = 1.0
    while positive_sum_tail(b, 1.0, most, False) > beta:
        most *= 2
    return optimize.brentq(lambda t: positive_sum_tail(b, 1.0, t, False) - beta, 0.0, most, xtol=1e-12) * (1 + 1e-11) / epsilon


def over(scale: float, people: np.ndarray) -> np.ndarray:
    """scale / people, infinite where people is 0."""
    nobody = np.abs(people) < 1e-200                    # dividing by less would overflow
    return np.where(nobody, np.inf, scale / np.where(nobody, 1.0, people))


def both_rates(off: np.ndarray) -> np.ndarray:
    """How far a gap is off where rates (..., k, 2) are off by so much: its group's and the anchor's add up."""
    return off + off[..., :1, :]


def _of_gaps(scale: float, q: np.ndarray, parity: Parity) -> np.ndarray:
    """The slack where each rate is off by scale / its people: of gaps to group 0, or each group's own."""
    rate = over(scale, counted(q, parity).sum(axis=-3))
    return rate if is_pairs(parity) else _unused_anchor(both_rates(rate))


def _unused_anchor(slack: np.ndarray) -> np.ndarray:
    slack[..., 0, :] = 0.0
    return slack


def _slack_table(q: ArrayLike, m: int, epsilon: float, beta: float, negative: str) -> np.ndarray:
    """The table of a printed slack, all arguments checked."""
    check.choice("negative", negative, NEGATIVE)
    return noisy_frequencies(check.table("q", q, bins=2, least_groups=2), m, epsilon, beta)


def noisy_frequencies(q: np.ndarray, m: int, epsilon: float, beta: float) -> np.ndarray:
    """Refuses what can only be a table in people: its sum is above m / 2, and it is whole or off by more than noise ever is."""
    cells = math.prod(q.shape[-3:])
    m, epsilon, _ = bound_numbers(m, epsilon, beta)
    most = 1 + cells * 2 * (math.log(cells) - math.log(NEVER)) / epsilon / m
    total = q.sum(axis=(-3, -2, -1))
    whole = (q == np.floor(q)).all(axis=(-3, -2, -1))
    wrong = (total > m / 2) & (whole | (total > most)) & (m > 1)
    if wrong.any():
        check.refuse("q", float(f"{total[wrong].ravel()[0]:.6g}"), "is the sum of the entries, and that of noisy frequencies is about 1",
                     "If q counts people, divide by m, their number.")
    return q


def bound_numbers(m: int, epsilon: float, beta: float) -> tuple[int, float, float]:
    """The three numbers of every bound here, checked, and as Python's: in numpy's small types m * epsilon would overflow."""
    m, epsilon, beta = check.integer("m", m, low=1, high=10**15, whole_float=True), check.epsilon(epsilon), check.beta(beta)
    if epsilon < 1e-100:
        check.refuse("epsilon", epsilon, "so small that a bound may be infinite", "Choose a larger epsilon.")
    return m, epsilon, beta


def log_over_m_epsilon(n: int, m: int, epsilon: float, beta: float) -> float:
    """ln(n / beta) / (m epsilon), the unit of every bound here."""
    m, epsilon, beta = bound_numbers(m, epsilon, beta)
    return (math.log(n) - math.log(beta)) / (m * epsilon)
