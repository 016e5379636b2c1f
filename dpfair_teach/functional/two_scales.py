"""What noise of two scales costs: the printed averages of two epsilons, and the true epsilon of the worst pair."""
from __future__ import annotations

import math
from functools import cache
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from .. import _checks as check
from ..mechanisms import gaussian_delta
from .extended import gaussian_sigma_extended
from .quadratic import MOST
from .sensitivity import fair_l1, fair_l2

__all__ = ["adfc_claim", "adfc_epsilon", "adfc_ratio", "average_epsilon", "part_l1", "part_l2", "pdfc_epsilon"]


def average_epsilon(d: int, epsilon_s: float, epsilon_n: float) -> float:
    """epsilon_s / d + epsilon_n (d - 1) / d: what PDFC and ADFC say that they cost.

    Source: Theorem 3 and Algorithms 1 and 3 (Ding et al. 2020); in our text Theorem 5 has halves. An average over features, where privacy
    is about the worst pair of neighbours.

    Parameters
    ----------
    d : int in 2..5000
    epsilon_s, epsilon_n : floats in [1e-9, 1e6]
        Of the noise on coefficients with w_s, and on the others.

    Returns
    -------
    float

    Examples
    --------
    >>> round(average_epsilon(10, 10.0, 0.01), 3)
    1.009
    """
    d, epsilon_s, epsilon_n = _budgets(d, epsilon_s, epsilon_n)
    return epsilon_s / d + epsilon_n * (d - 1) / d


def adfc_claim(d: int, epsilon_s: float, epsilon_n: float, delta_s: float, delta_n: float) -> tuple[float, float]:
    """The epsilon and the delta that ADFC says it costs: :func:`average_epsilon`, and 1 - (1 - delta_s)(1 - delta_n).

    Source: Algorithm 3 (Ding et al. 2020), what it outputs beside the weights. Not true: :func:`adfc_epsilon`.

    Parameters
    ----------
    d : int in 2..5000
    epsilon_s, epsilon_n : floats in [1e-9, 1e6]
    delta_s, delta_n : floats in [1e-100, 0.797]

    Returns
    -------
    epsilon, delta : floats

    Examples
    --------
    >>> epsilon, delta = adfc_claim(10, 10.0, 0.01, 1e-5, 1e-3)
    >>> round(epsilon, 3), round(delta, 5)
    (1.009, 0.00101)
    """
    return average_epsilon(d, epsilon_s, epsilon_n), _either(_delta("delta_s", delta_s), _delta("delta_n", delta_n))


def part_l1(d: int, part: Literal["s", "n"]) -> float:
    """l1 sensitivity of the coefficients with w_s, or of those without, in the merged objective; x >= 0 in the unit ball, alpha = 1.

    Source: ours, for Theorem 3 (Ding et al. 2020). Without w_s it is :func:`fair_l1` of one feature less. With w_s it is at most the
    largest, over u and u' in [0, 1], of 3u/2 + u'/2 + |u^2 - u'^2|/8 + sqrt((d - 1)(u^2 (1 - u^2) + u'^2 (1 - u'^2)))/4. Where labels and
    groups differ, u and u' are the entries of the two rows; other people move less than some of those. Taken over a fine grid, with what a
    step of the grid may add.

    Parameters
    ----------
    d : int in 2..5000
    part : {"s", "n"}

    Returns
    -------
    float

    Raises
    ------
    ValueError
        d out of range, another word.

    Examples
    --------
    >>> round(part_l1(10, "s"), 2), round(part_l1(10, "n"), 2)
    (2.31, 7.57)
    """
    d = check.integer("d", d, low=2, high=MOST)
    if check.choice("part", part, ("s", "n")) == "n":
        return fair_l1(d - 1)
    return _with_w_s(d)


@cache
def _with_w_s(d: int) -> float:
    t = np.linspace(0.0, math.pi / 2, 2001)             # u = sin t: u sqrt(1 - u^2) is smooth in t
    u, v = np.sin(t)[:, None], np.sin(t)[None]
    turned = (np.sin(2 * t)[:, None]**2 + np.sin(2 * t)[None]**2) / 4
    found = 1.5 * u + 0.5 * v + np.abs(u**2 - v**2) / 8 + math.sqrt(d - 1) / 4 * np.sqrt(turned)
    slope = 2.0 + 0.25 + math.sqrt(d - 1) / 4 * math.sqrt(2)    # at most so fast along either angle together
    return float(found.max() + slope * (t[1] - t[0]) / 2)


def part_l2(d: int, part: Literal["s", "n"]) -> float:
    """l2 sensitivity of the coefficients with w_s, exactly 2, or of those without: sqrt(5) from three features on, else 2; alpha = 1.

    Source: ours, for Theorem 5 (Ding et al. 2020); x >= 0 in the unit ball, many people.

    Parameters
    ----------
    d : int in 2..5000
    part : {"s", "n"}

    Returns
    -------
    float

    Raises
    ------
    ValueError
        d out of range, another word.

    Examples
    --------
    >>> part_l2(10, "s"), round(part_l2(10, "n"), 3)
    (2.0, 2.236)
    """
    d = check.integer("d", d, low=2, high=MOST)
    return 2.0 if check.choice("part", part, ("s", "n")) == "s" or d == 2 else fair_l2(d - 1)


def pdfc_epsilon(d: int, epsilon_s: float, epsilon_n: float, *, domain: Literal["nonnegative", "box"] = "nonnegative",
                 sensitivity: float | None = None) -> float:
    """The epsilon of PDFC: exact on the box [0, 1]^d, a certified bound in the unit ball.

    Source: Theorem 3 (Ding et al. 2020), whose conclusion is true for x >= 0 because Lemma 2 is loose, and whose average is not why. The
    loss between two neighbours is at most epsilon_s D_s / sensitivity + epsilon_n D_n / sensitivity, with D_s and D_n how far the
    coefficients with and without w_s move in l1, and Laplace noise attains it.

    On the box the worst x is 1 everywhere and the others' rows are 0; x' has t_s at s and entries of sum t_n elsewhere, and the loss is a
    quadratic in the two. In the ball: the smaller weight times the move of all, and the rest times the move of one part.

    Parameters
    ----------
    d : int in 2..5000
    epsilon_s, epsilon_n : floats in [1e-9, 1e6]
    domain : {"nonnegative", "box"}
    sensitivity : float > 0, optional
        That of which the scales are made; None: as printed, d^2/4 + 3d.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        A number out of range, another domain.

    Examples
    --------
    >>> round(pdfc_epsilon(10, 1.0, 1.0), 3), round(pdfc_epsilon(10, 1.0, 1.0, domain="box"), 3)
    (0.146, 0.509)
    """
    d, epsilon_s, epsilon_n = _budgets(d, epsilon_s, epsilon_n)
    sensitivity = fair_l1(d, as_printed=True) if sensitivity is None else check.number("sensitivity", sensitivity, low=0.0, low_open=True)
    if check.choice("domain", domain, ("nonnegative", "box")) == "box":
        return _box_loss(d, epsilon_s, epsilon_n) / sensitivity
    more: Literal["s", "n"] = "s" if epsilon_s > epsilon_n else "n"
    both = min(epsilon_s, epsilon_n) * fair_l1(d) + abs(epsilon_s - epsilon_n) * part_l1(d, more)
    return both / sensitivity


def adfc_ratio(d: int, sigma_s: float, sigma_n: float) -> float:
    """The exact shift of ADFC's coefficients in units of its noise: the worst pair's distance of means over the standard deviation.

    Source: ours, in place of Theorem 5 (Ding et al. 2020), alpha = 1 and m large. A pair that moves the two parts by D_s and D_n is as far
    apart as two normal laws of ratio sqrt(D_s^2 / sigma_s^2 + D_n^2 / sigma_n^2). D_s is at most 2, and D_s^2 + D_n^2 at most 5; one pair
    attains both, :func:`worst_pair`. So where sigma_s <= sigma_n the largest ratio is sqrt(4 / sigma_s^2 + 1 / sigma_n^2), else, from three
    features on, sqrt(5) / sigma_n.

    Parameters
    ----------
    d : int in 2..5000
    sigma_s, sigma_n : floats in [1e-100, 1e100]

    Returns
    -------
    float

    Examples
    --------
    >>> round(adfc_ratio(10, 2.0, 4.0), 4), round(adfc_ratio(10, 4.0, 2.0), 4)
    (1.0308, 1.118)
    """
    d = check.integer("d", d, low=2, high=MOST)
    s, n = (1 / check.number(name, sigma, low=1e-100, high=1e100) for name, sigma in (("sigma_s", sigma_s), ("sigma_n", sigma_n)))
    if s >= n:
        return math.hypot(2 * s, n)
    return math.sqrt(5) * n if d > 2 else math.hypot(s, 2 * n)


def adfc_epsilon(d: int, epsilon_s: float, epsilon_n: float, delta_s: float, delta_n: float, *, sensitivity: float | None = None) -> float:
    """The true epsilon of ADFC at the delta that Theorem 5 grants it, 1 - (1 - delta_s)(1 - delta_n).

    Source: Theorem 5 (Ding et al. 2020), false as Algorithm 3 states it. Exact: :func:`adfc_ratio` with the two scales of
    :func:`gaussian_sigma_extended`, put into the curve :func:`mechanisms.gaussian_delta`.

    Parameters
    ----------
    d : int in 2..5000
    epsilon_s, epsilon_n : floats in [1e-9, 1e3]
    delta_s, delta_n : floats in [1e-12, 0.79]
    sensitivity : float in [1, 1e6], optional
        That of which the scales are made; None: as printed, sqrt(d^2/16 + 9d).

    Returns
    -------
    float

    Examples
    --------
    >>> round(adfc_epsilon(10, 10.0, 0.01, 1e-5, 1e-5), 3), round(average_epsilon(10, 10.0, 0.01), 3)
    (1.328, 1.009)
    """
    d, epsilon_s, epsilon_n = _budgets(d, epsilon_s, epsilon_n, high=1e3)
    delta_s, delta_n = _delta("delta_s", delta_s, 1e-12, 0.79), _delta("delta_n", delta_n, 1e-12, 0.79)
    sensitivity = fair_l2(d, as_printed=True) if sensitivity is None else check.number("sensitivity", sensitivity, low=1.0, high=1e6)
    ratio = adfc_ratio(d, gaussian_sigma_extended(sensitivity, epsilon_s, delta_s),
                       gaussian_sigma_extended(sensitivity, epsilon_n, delta_n))
    allowed = _either(delta_s, delta_n)
    if ratio <= 1e-12 or gaussian_delta(ratio, 1.0, 0.0) <= allowed:
        return 0.0
    most = ratio**2 / 2 + ratio * math.sqrt(-2 * math.log(allowed))         # where the tail of the loss is below what is allowed
    return float(brentq(lambda epsilon: gaussian_delta(ratio, 1.0, epsilon) - allowed, 0.0, most, xtol=1e-12))


def _budgets(d: int, epsilon_s: float, epsilon_n: float, high: float = 1e6) -> tuple[int, float, float]:
    return (check.integer("d", d, low=2, high=MOST), check.number("epsilon_s", epsilon_s, low=1e-9, high=high),
            check.number("epsilon_n", epsilon_n, low=1e-9, high=high))


def _delta(name: str, delta: float, low: float = 1e-100, high: float = 0.797) -> float:
    return check.number(name, check.delta(delta, name), low=low, high=high)


def _either(delta_s: float, delta_n: float) -> float:
    """1 - (1 - delta_s)(1 - delta_n), exact for small ones."""
    return -math.expm1(math.log1p(-delta_s) + math.log1p(-delta_n))


def _box_loss(d: int, s: float, n: float) -> float:
    """The largest over t_s in [0, 1] and t_n in [0, d - 1] of the weighted move: a quadratic that has no peak inside, but for s = n one on
    the line t_s + t_n = 2, whose end t_s = 0 is on an edge."""
    others = d - 1

    def loss(t_s: float, t_n: float) -> float:
        with_s = (1 + t_s) / 2 + 1 + (1 - t_s**2) / 8 + (others - t_s * t_n) / 4
        without = (others + t_n) / 2 + others + (others**2 - t_n**2) / 8
        return s * with_s + n * without

    def best_n(t_s: float) -> float:                    # where the derivative by t_n is 0
        return min(max((n / 2 - s * t_s / 4) / (n / 4), 0.0), others)

    def best_s(t_n: float) -> float:
        return min(max((0.5 - t_n / 4) / 0.25, 0.0), 1.0)

    tried = [(t, best_n(t)) for t in (0.0, 1.0)] + [(best_s(t), t) for t in (0.0, float(others))]
    return max(loss(*t) for t in tried)
