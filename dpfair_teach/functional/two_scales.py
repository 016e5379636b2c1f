"""The printed calibration of Gaussian noise, and what noise of two scales costs: averages of two epsilons, and the true epsilon."""
from __future__ import annotations

import math
from functools import cache
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from .. import _checks as check
from ..mechanisms import gaussian_delta
from .quadratic import MOST
from .sensitivity import Norm, fair_l1, fair_l2

__all__ = ["adfc_claim", "adfc_epsilon", "adfc_ratio", "average_epsilon", "gaussian_sigma_extended", "part_sensitivity", "pdfc_epsilon"]


def gaussian_sigma_extended(sensitivity: float, epsilon: float, delta: float) -> float:
    """sensitivity (sqrt(s) + sqrt(s + epsilon)) / (sqrt(2) epsilon), s = ln(sqrt(2/pi) / delta): private for every epsilon, and loose.

    Source: Theorem 2 (Ding et al. 2020; from Phan et al. 2019). :func:`mechanisms.gaussian_sigma` is the exact calibration.

    Parameters
    ----------
    sensitivity : float in [1e-200, 1e200]
        l2.
    epsilon : float in [1e-9, 1e6]
    delta : float in [1e-100, 0.797]
        Above sqrt(2/pi) the formula has no value.

    Examples
    --------
    >>> from dpfair_teach.mechanisms import gaussian_sigma
    >>> [round(gaussian_sigma_extended(1, e, 1e-5) / gaussian_sigma(1, e, 1e-5), 2) for e in (.01, 1, 10)]
    [1.95, 1.3, 1.13]
    """
    sensitivity = check.number("sensitivity", sensitivity, low=1e-200, high=1e200)
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e6)
    s = math.log(math.sqrt(2 / math.pi) / check.number("delta", check.delta(delta), low=1e-100, high=0.797))
    return sensitivity * (math.sqrt(s) + math.sqrt(s + epsilon)) / (math.sqrt(2) * epsilon)


def average_epsilon(d: int, epsilon_s: float, epsilon_n: float) -> float:
    """epsilon_s / d + epsilon_n (d - 1) / d: what PDFC and ADFC say that they cost.

    Source: Theorem 3 and Algorithms 1 and 3 (Ding et al. 2020). An average, where privacy is about the worst pair of neighbours.

    Parameters
    ----------
    d : int in 2..5000
    epsilon_s, epsilon_n : floats in [1e-9, 1e6]
        Of the noise on coefficients with w_s, and on the others.

    Examples
    --------
    >>> round(average_epsilon(10, 10.0, 0.01), 3)
    1.009
    """
    d, epsilon_s, epsilon_n = _budgets(d, epsilon_s, epsilon_n)
    return epsilon_s / d + epsilon_n * (d - 1) / d


def adfc_claim(d: int, epsilon_s: float, epsilon_n: float, delta_s: float, delta_n: float) -> tuple[float, float]:
    """The epsilon and the delta that ADFC says it costs: :func:`average_epsilon`, and 1 - (1 - delta_s)(1 - delta_n). Not true.

    Source: Algorithm 3 (Ding et al. 2020), what it outputs beside the weights.
    """
    return average_epsilon(d, epsilon_s, epsilon_n), _either(_delta("delta_s", delta_s), _delta("delta_n", delta_n))


def part_sensitivity(d: int, part: Literal["s", "n"], norm: Norm) -> float:
    """Sensitivity of the coefficients with w_s, or of those without, in the merged objective; x >= 0 in the unit ball, alpha = 1.

    Source: ours, for Theorems 3 and 5 (Ding et al. 2020). In l1 a certified bound; in l2 exact for many people. For up to 10^7 people it
    holds with the rounding of their covariances. ``part`` is "s" or "n", ``norm`` "l1" or "l2".
    """
    d = check.integer("d", d, low=2, high=MOST)
    without = check.choice("part", part, ("s", "n")) == "n"
    if check.choice("norm", norm, ("l1", "l2")) == "l1":
        return fair_l1(d - 1) if without else _with_w_s(d)
    return fair_l2(d - 1) if without and d > 2 else 2.0


@cache
def _with_w_s(d: int) -> float:
    """At most the largest, over u and u' in [0, 1], of 3u/2 + u'/2 + |u^2 - u'^2|/8 + sqrt((d - 1)(u^2 (1 - u^2) + u'^2 (1 - u'^2)))/4:
    over a fine grid, with what a step of it may add. The box of the loss in the ball has the proof."""
    t = np.linspace(0.0, math.pi / 2, 2001)             # u = sin t: u sqrt(1 - u^2) is smooth in t
    u, v = np.sin(t)[:, None], np.sin(t)[None]
    turned = (np.sin(2 * t)[:, None]**2 + np.sin(2 * t)[None]**2) / 4
    found = 1.5 * u + 0.5 * v + np.abs(u**2 - v**2) / 8 + math.sqrt(d - 1) / 4 * np.sqrt(turned)
    slope = 2.0 + 0.25 + math.sqrt(d - 1) / 4 * math.sqrt(2)    # at most so fast along either angle together
    return float(found.max() + slope * (t[1] - t[0]) / 2)


def pdfc_epsilon(d: int, epsilon_s: float, epsilon_n: float, *, domain: Literal["nonnegative", "box"] = "nonnegative",
                 sensitivity: float | None = None) -> float:
    """The epsilon of PDFC: exact on the box [0, 1]^d, a certified bound in the unit ball.

    Source: Theorem 3 (Ding et al. 2020), whose conclusion is true for x >= 0 because Lemma 2 is loose.

    Parameters
    ----------
    d, epsilon_s, epsilon_n : as in :func:`average_epsilon`
    domain : {"nonnegative", "box"}
    sensitivity : float > 0, optional
        That of which the scales are made; None: as printed, d^2/4 + 3d.

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
    both = min(epsilon_s, epsilon_n) * fair_l1(d) + abs(epsilon_s - epsilon_n) * part_sensitivity(d, more, "l1")
    return both / sensitivity


def adfc_ratio(d: int, sigma_s: float, sigma_n: float) -> float:
    """The exact shift of ADFC's coefficients in units of its noise: the worst pair's distance of means over the standard deviation.

    Source: ours, in place of Theorem 5 (Ding et al. 2020), alpha = 1 and m large; attained by :func:`worst_pair`.

    Parameters
    ----------
    d : int in 2..5000
    sigma_s, sigma_n : floats in [1e-100, 1e100]

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

    Source: Theorem 5 (Ding et al. 2020), false as Algorithm 3 states it. Exact, by :func:`adfc_ratio`.

    Parameters
    ----------
    d : int in 2..5000
    epsilon_s, epsilon_n : floats in [1e-9, 1e3]
    delta_s, delta_n : floats in [1e-12, 0.79]
    sensitivity : float in [1, 1e6], optional
        That of which the scales are made; None: as printed, sqrt(d^2/16 + 9d).

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
