"""Composition of exponential mechanisms, whose privacy loss has half the room of other mechanisms with the same epsilon."""
from __future__ import annotations

import math

import numpy as np
from scipy import special

from .. import _checks as check
from ..mechanisms.exponential import rdp_exponential
from .composition import ORDERS, choice_epsilon, listed_steps, rdp_to_epsilon
from .optimal import optimal_composition

__all__ = ["bounded_range_composition", "bounded_range_delta", "bounded_range_mean"]


def bounded_range_mean(epsilon0: float) -> float:
    """The most that the mean privacy loss of one exponential mechanism can be: x - 1 - ln x with x = epsilon0 / (1 - exp(-epsilon0)).

    Source: Durfee and Rogers 2019; Dong, Durfee and Rogers, ICML 2020. It is about epsilon0^2 / 8, where a pure mechanism may have
    epsilon0^2 / 2.

    Parameters
    ----------
    epsilon0 : float in [1e-6, 500]

    Examples
    --------
    >>> round(bounded_range_mean(1.0), 4)
    0.1233
    """
    x = _excess(choice_epsilon(epsilon0))
    return x - math.log1p(x)


def _excess(epsilon0: float) -> float:
    """epsilon0 / (1 - exp(-epsilon0)) - 1, where small epsilon0 would cancel."""
    if epsilon0 < 1e-2:
        return epsilon0 / 2 + epsilon0**2 / 12 - epsilon0**4 / 720
    return (epsilon0 + math.expm1(-epsilon0)) / -math.expm1(-epsilon0)


def _log_far_tail(high: np.ndarray, k: int, high_q: np.ndarray) -> np.ndarray:
    """ln P(at least ``high`` of k), each with probability ``high_q``, where that underflows: a power and a falling series."""
    power = (special.gammaln(k + 1) - special.gammaln(high + 1) - special.gammaln(k - high + 1) + high * np.log(high_q)
             + (k - high + 1) * np.log1p(-high_q))
    total = term = np.ones_like(high_q)
    i = 1
    while term.max(initial=0.0) > 1e-17:
        term = term * high_q * (k + i) / (high + i)
        total, i = total + term, i + 1
    return power + np.log(total)


def _one_cut(epsilon: np.ndarray | float, lows: np.ndarray, epsilon0: float, k: int) -> np.ndarray:
    """F(l) - exp(epsilon) G(l) for l in ``lows``, at the t that makes it largest, by the high losses: 1 - P'(low) would lose its digits."""
    t = np.clip((epsilon + (lows + 1) * epsilon0) / (k + 1), 0, epsilon0)
    high_p = np.minimum(np.expm1(t - epsilon0) / np.expm1(-epsilon0), 1)
    high_q = np.exp(-t) * high_p
    f, g = (special.bdtrc(k - lows - 1, k, high) for high in (high_p, high_q))
    with np.errstate(divide="ignore"):
        log_g = np.log(g)
    far = (g < 1e-290) & (f > 1e-200)
    log_g[far] = _log_far_tail((k - lows)[far], k, high_q[far])
    return f - np.exp(np.minimum(epsilon + log_g, 1))


def bounded_range_delta(epsilon0: float, k: int, epsilon: float) -> float:
    """The smallest delta of k exponential mechanisms chosen *beforehand*: exact for them, too small for adaptive ones.

    Source: Dong, Durfee and Rogers 2020, Theorem 2. The worst steps have losses t and t - epsilon0 with one t for all: with l the number of
    low ones, the largest over l and t of F(l) - exp(epsilon) G(l): right to about 1e-15 k.

    Parameters
    ----------
    epsilon0 : float in [1e-6, 500]
    k : int from 1 to 100,000
    epsilon : float >= 0

    Examples
    --------
    >>> f"{bounded_range_delta(0.1, k=100, epsilon=2.246):.2e}"
    '1.00e-06'
    """
    epsilon0, k = choice_epsilon(epsilon0), listed_steps(k, 10**5)
    epsilon = check.number("epsilon", epsilon, low=0.0)
    if epsilon >= k * epsilon0:
        return 0.0
    return float(min(1.0, _one_cut(epsilon, np.arange(k), epsilon0, k).max(initial=0.0)))


def _chosen_beforehand(epsilon0: float, k: int, delta: float) -> float:
    """The epsilon at which the curve of ``bounded_range_delta`` meets delta: the largest over l of where each cut does."""
    from scipy import optimize  # here: it takes a tenth of a second

    lows, epsilon = np.arange(k), 0.0
    while True:
        cuts = _one_cut(epsilon, lows, epsilon0, k)
        worst = lows[cuts.argmax()]
        if cuts.max() <= delta * (1 + 1e-12):
            return epsilon
        following = optimize.brentq(lambda e, low=worst: float(_one_cut(e, np.array([low]), epsilon0, k)[0]) - delta, epsilon, k * epsilon0,
                                    xtol=1e-13, rtol=1e-14)
        if following <= epsilon * (1 + 1e-13):      # as near as floats come
            return following
        epsilon = following


def bounded_range_composition(epsilon0: float, k: int, delta: float, *, adaptive: bool = True) -> float:
    """An epsilon for k exponential mechanisms, each epsilon0-private: far less than for k pure mechanisms.

    Source: Durfee and Rogers 2019 and Dong, Durfee and Rogers 2020. For steps chosen adaptively the least of mean plus tail, k times
    :func:`bounded_range_mean` + epsilon0 sqrt(k ln(1/delta) / 2); Renyi's accountant with :func:`rdp_exponential`; and
    :func:`optimal_composition`. For steps fixed beforehand the optimum, :func:`bounded_range_delta` solved for epsilon.

    Parameters
    ----------
    epsilon0 : float in [1e-6, 500]
    k : int from 1 to a million; to 100,000 if not adaptive
    delta : float in (0, 1)
        At least 1e-200; with ``adaptive=False`` at least 1e-12.
    adaptive : bool

    Examples
    --------
    >>> round(bounded_range_composition(0.1, 100, 1e-6), 3), round(bounded_range_composition(0.1, 100, 1e-6, adaptive=False), 3)
    (2.401, 2.246)
    """
    epsilon0, delta = choice_epsilon(epsilon0), check.number("delta", check.delta(delta), low=1e-200, high=1.0)
    if not check.flag("adaptive", adaptive):
        return _chosen_beforehand(epsilon0, listed_steps(k, 10**5), check.number("delta", delta, low=1e-12))
    k = listed_steps(k)
    tail = epsilon0 * math.sqrt(-k * math.log(delta) / 2)
    return min(k * bounded_range_mean(epsilon0) + tail, float(rdp_to_epsilon(ORDERS, k * rdp_exponential(epsilon0, ORDERS), delta)),
               optimal_composition(epsilon0, k, delta))
