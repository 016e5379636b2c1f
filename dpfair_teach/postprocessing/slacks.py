"""What goes with the noise of a released table: the slack that a private algorithm adds to gamma, and the rule for unusable cells.

All of it is read off the noisy table, so none of it costs privacy.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import AcceptanceNotion
from ..mechanisms.k_norm import log_shift
from .lp import counted, has_rate, is_pairs, served, slack_array, width
from .noisy_tables import LEAST_EPSILON, MarginNoise, margin_noise

__all__ = ["bins_slack", "lift_unusable", "main_text_slack", "margin_slack", "paper_slack"]

NEVER, UNLIKELY = 1e-30, 1e-20      # chances that no reader of this book will meet


@check.formerly(against=check.BY_PARITY)
def lift_unusable(q: ArrayLike, slack: ArrayLike = 0.0, *, notion: AcceptanceNotion | Parity = "equalized_odds") -> np.ndarray:
    """The rule for noisy cells that hold nobody: their constraints are lifted.

    Source: ours; the paper says nothing (outside the event of Lemma A.1). The constraint (a, y) compares rates with q_ay and q_0y under the
    fraction line. Where the released table has one of them at 0 or below (or its entries cancel to a millionth of their size), that rate
    does not exist, and where it makes the printed slack negative, nothing would be feasible: there the slack is infinite, no constraint.
    Between pairs only the group's own rate counts. The objective keeps negative entries.

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y], k >= 2
        The released table, in people or frequencies.
    slack : float, or (..., k, 2) array [a, y], leading axes broadcasting; ``inf`` and negative numbers allowed
    notion : as in :func:`solve_lp`

    Returns
    -------
    (..., k, 2) array [a, y], (..., k, 1) for demographic parity, >= 0, infinite where there is no constraint; against group 0 its row is 0
    and unused

    Examples
    --------
    >>> lift_unusable([[[1.5, 3], [2, -2]], [[4, 1], [0, 1]]], slack=.1)   # group 1 has -1 people with label 1
    array([[0. , 0. ],
           [0.1, inf]])
    """
    parity = served(notion)
    q = check.table("q", q, least_groups=2)
    slack = slack_array(slack, q.shape[-2], width(parity))
    check.broadcast("slack", slack.shape[:-2], "q", q.shape[:-3], "Give one slack for each table, or one for all.")
    usable = has_rate(q, parity)
    if is_pairs(parity):
        return np.where(usable & (slack >= 0), slack, np.inf)
    usable = usable & usable[..., :1, :]
    return _unused_anchor(np.where(usable & (slack >= 0), slack, np.inf))


@check.formerly(negative="Lift such constraints: lift_unusable(q, slack).")
def paper_slack(q: ArrayLike, m: int, epsilon: float, beta: float) -> np.ndarray:
    """What LP~ (3) adds to gamma: 4 ln(4k / beta) / (min(q~_ay, q~_0y) m epsilon).

    Source: supplement, program (3). Where noise made q~_ay or q~_0y zero or negative, outside the theorem's event, it is infinite or
    negative, which no solver here accepts: :func:`lift_unusable` then lifts the constraint.

    Parameters
    ----------
    q : (..., 2, k, 2) array [yhat, a, y]
        The noisy frequencies q~, which sum to about 1.
    m : int in 1..10^15
    epsilon : float > 0
    beta : float in (0, 1)
        Failure probability of the theorem.

    Returns
    -------
    (..., k, 2) array [a, y]; row 0 is 0 and unused

    Examples
    --------
    >>> q = np.array([[[400, 200], [200, 100]], [[100, 300], [100, 600]]]) / 2000
    >>> paper_slack(q, m=2000, epsilon=1, beta=.05)[1].round(4)
    array([0.0677, 0.0406])
    """
    return unguarded_paper_slack(_slack_table(q, m, epsilon, beta), m, epsilon, beta)


def unguarded_paper_slack(q: np.ndarray, m: int, epsilon: float, beta: float) -> np.ndarray:
    """:func:`paper_slack` of frequencies known to be some, however noise has made them look: after a draw no message may depend on it."""
    people = q.sum(axis=-3)
    unit = log_over_m_epsilon(4 * q.shape[-2], m, epsilon, beta)
    return _unused_anchor(over(4 * unit, np.minimum(people, people[..., :1, :])))


@check.formerly(negative="Lift such constraints: lift_unusable(q, slack).")
def main_text_slack(q: ArrayLike, m: int, epsilon: float, beta: float) -> np.ndarray:
    """The slack that the main text prints, for the lesson: 4 ln(4k / beta) / (min(q~_a0, q~_a1) m epsilon). It is wrong.

    Source: main text, program (1). The minimum runs over the labels of group a and forgets group 0: where group 0 is the small one, the
    non-private optimum may be infeasible (Lemma A.1, part 5 fails), and the theorem's error bound with it.

    Parameters
    ----------
    q, m, epsilon, beta : as in :func:`paper_slack`

    Returns
    -------
    (..., k, 2) array [a, y]; row 0 is 0 and unused

    Examples
    --------
    >>> q = np.array([[[400, 200], [200, 100]], [[100, 300], [100, 600]]]) / 2000
    >>> main_text_slack(q, m=2000, epsilon=1, beta=.05)[1].round(4)
    array([0.0677, 0.0677])
    """
    q = _slack_table(q, m, epsilon, beta)
    people, unit = q.sum(axis=-3), log_over_m_epsilon(4 * q.shape[-2], m, epsilon, beta)
    return _unused_anchor(over(4 * unit, np.broadcast_to(people.min(axis=-1, keepdims=True), people.shape)))


@check.formerly(against=check.BY_PARITY)
def margin_slack(q: ArrayLike, m: int, epsilon: float, beta: float, noise: MarginNoise | None = None, *,
                 notion: AcceptanceNotion | Parity = "equalized_odds") -> np.ndarray:
    """The slack that does for :func:`public_margin_counts` what the supplement's does for Algorithm 1.

    Source: ours, from Lemma A.1 (3)-(5). With probability 1 - beta no cell is off by more than t people, so a rate by at most
    (b - 1) t / (m q~_ay), and a gap by at most its two rates together. The chapter on less epsilon has t and the proofs.

    Parameters
    ----------
    q : (..., b, k, 2) array [yhat, a, y], nonnegative
        The released table as frequencies: its sum is 1, as the margins are exact.
    m : int in 1..10^15
    epsilon : float >= 1e-9
    beta : float in (0, 1)
    noise : str, optional
        As in :func:`public_margin_counts`.
    notion : as in :func:`solve_lp`

    Returns
    -------
    (..., k, 2) array [a, y], (..., k, 1) for demographic parity, infinite at empty cells; against group 0 its row is 0 and unused

    Examples
    --------
    >>> q = np.array([[[400, 200], [200, 100]], [[100, 300], [100, 600]]]) / 2000
    >>> margin_slack(q, m=2000, epsilon=1, beta=.05, noise="laplace")[1].round(4)
    array([0.0234, 0.015 ])
    """
    parity, q, noise, m, epsilon, beta = _margin_arguments(q, m, epsilon, beta, noise, notion)
    b, k, _ = q.shape[-3:]
    if noise == "k_norm":
        t: float = k_norm_limit(k, epsilon, beta / (2 * b))
    else:
        sensitivity, published = (1, 2 * b) if k == 2 else (2, 2 * b * k)
        most = sensitivity * log_over_m_epsilon(published, m, epsilon, beta) * m
        if noise == "geometric":                        # P(|W| > n) = 2 alpha ** (n + 1) / (1 + alpha), alpha = exp(-1 / scale)
            scale = sensitivity / epsilon
            most = max(0, math.ceil(most + scale * math.log(2 / (1 + math.exp(-1 / scale)))) - 1)
        t = (1 if k == 2 else 2) * most
    return _of_gaps((b - 1) * t / m if width(parity) == 2 else 2 * (b - 1) * t / m, q, parity)


@check.formerly(against=check.BY_PARITY)
def bins_slack(q: ArrayLike, m: int, epsilon: float, beta: float, noise: MarginNoise | None = None, *,
               notion: AcceptanceNotion | Parity = "equalized_odds") -> np.ndarray:
    """Another slack with the promise of :func:`margin_slack`, smaller from about three bins on: it adds noises up before it bounds them.

    Source: ours. A rate is off by at most the sum of its bins' positive noises, or of the negative ones, over its people, for all p at
    once. The chapter on less epsilon has the proof.

    Parameters
    ----------
    q, m, epsilon, beta : as in :func:`margin_slack`
    noise : str, optional
        As in :func:`public_margin_counts`; with more than two groups ``k_norm``.
    notion : as in :func:`solve_lp`

    Returns
    -------
    (..., k, 2) array [a, y], (..., k, 1) for demographic parity, infinite at empty cells; against group 0 its row is 0 and unused

    Examples
    --------
    >>> q = np.ones((6, 2, 2)) / 24
    >>> [slack(q, m=2000, epsilon=1, beta=.05, noise="laplace")[1].round(4) for slack in (bins_slack, margin_slack)]
    [array([0.0368, 0.0368]), array([0.1096, 0.1096])]
    """
    parity, q, noise, m, epsilon, beta = _margin_arguments(q, m, epsilon, beta, noise, notion)
    b, k, _ = q.shape[-3:]
    together = 2 // width(parity)                       # labels that one rate adds up
    if k == 2:
        t = positive_sum_limit(b * together, epsilon, together * beta / 4, whole=noise != "laplace")
    elif noise == "k_norm":
        t = k_norm_limit(k, epsilon, together * beta / 2, b * together)
    else:
        check.refuse("noise", noise, f"with {k} groups the projection mixes this noise", "Use noise='k_norm', or margin_slack.")
    return _of_gaps(t / m, q, parity)


def _margin_arguments(
    q: ArrayLike, m: int, epsilon: float, beta: float, noise: MarginNoise | None, notion: AcceptanceNotion | Parity,
) -> tuple[Parity, np.ndarray, Any, int, float, float]:
    """What the slacks of public margins read, each checked."""
    parity = served(notion)
    q = check.frequencies("q", check.table("q", q, least_groups=2, low=0.0))
    return parity, q, margin_noise(noise, q.shape[-2]), *bound_numbers(m, check.number("epsilon", epsilon, low=LEAST_EPSILON), beta)


def positive_sum_tail(b: int, epsilon: float, t: float, whole: bool) -> float:
    """P(the positive ones of b noises add up to more than t): two-sided geometric noise of scale 1 / epsilon, or Laplace."""
    from scipy import stats  # here: it takes half a second

    j = np.arange(1, b + 1)
    if whole:                                           # positive: 1 and a geometric number more
        r = math.exp(-epsilon)
        over_t = np.where(j > t, 1.0, stats.nbinom.sf(np.maximum(t - j, 0), j, -math.expm1(-epsilon)))
        return float(stats.binom.pmf(j, b, r / (1 + r)) @ over_t)
    return float(stats.binom.pmf(j, b, 0.5) @ special.gammaincc(j, t * epsilon))


def positive_sum_limit(b: int, epsilon: float, beta: float, whole: bool) -> float:
    """The smallest t, a whole number or not, that the sum passes with probability at most beta."""
    from scipy import optimize

    if whole:
        return smallest(lambda n: positive_sum_tail(b, epsilon, n, True) <= beta)
    if positive_sum_tail(b, epsilon, 0.0, False) <= beta:
        return 0.0
    most = 1.0
    while positive_sum_tail(b, 1.0, most, False) > beta:
        most *= 2
    return optimize.brentq(lambda t: positive_sum_tail(b, 1.0, t, False) - beta, 0.0, most, xtol=1e-12) * (1 + 1e-11) / epsilon


def k_norm_tail(k: int, epsilon: float, n: int, vectors: int = 1) -> float:
    """P(the norms of so many independent noise vectors add up to more than n)."""
    from scipy import signal, stats

    d = k - 1
    shift = log_shift(d, epsilon)
    one = np.exp(shift - shift.max())
    weight, power, left = np.ones(1), one / one.sum(), vectors          # the law of the sum of all I, by squaring
    while left:
        if left % 2:
            weight = signal.convolve(weight, power)
        left //= 2
        if left:
            power = signal.convolve(power, power)
    i = np.arange(len(weight))
    return float(weight @ np.where(i > n, 1.0, stats.nbinom.sf(np.maximum(n - i, 0), d * vectors, -math.expm1(-epsilon))))


def k_norm_limit(k: int, epsilon: float, beta: float, vectors: int = 1) -> int:
    """The smallest n that the sum of the norms passes with probability at most beta."""
    return smallest(lambda n: k_norm_tail(k, epsilon, n, vectors) <= beta)


def smallest(fits: Callable[[int], bool]) -> int:
    """The smallest n >= 0 that fits, where all larger ones do."""
    low, high = -1, 1
    while not fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


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


def _slack_table(q: ArrayLike, m: int, epsilon: float, beta: float) -> np.ndarray:
    """The table of a printed slack, all arguments checked."""
    return noisy_frequencies(check.table("q", q, bins=2, least_groups=2), m, epsilon, beta)


def noisy_frequencies(q: np.ndarray, m: int, epsilon: float, beta: float) -> np.ndarray:
    """Refuses what can only be a table in people: its sum is above m / 2, and it is whole or off by more than noise ever is."""
    cells = math.prod(q.shape[-3:])
    m, epsilon, _ = bound_numbers(m, epsilon, beta)
    most = 1 + cells * 2 * (math.log(cells) - math.log(NEVER)) / epsilon / m
    total = q.sum(axis=(-3, -2, -1))
    step = min(1.0, 1 / (512 * m * epsilon))            # of the noise's grid, at most: all numbers are whole with a chance of step^cells
    whole = (q == np.floor(q)).all(axis=(-3, -2, -1)) & (step**cells < UNLIKELY)
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
