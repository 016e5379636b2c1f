"""The best that can be said of k steps of which only (epsilon0, delta0) is known: exact, both ways."""
from __future__ import annotations

import math

import numpy as np
from scipy import special

from .. import _checks as check
from ..mechanisms.mechanism import step_epsilon
from .composition import listed_steps, product_rounded_up

__all__ = ["optimal_composition", "optimal_composition_delta"]


#: Of one rounding, relative; and how many of them the logarithm of a factorial may be off, which a test holds against forty digits.
_U, _FACTORIAL = 2.0 ** -53, 4


def _laws(epsilon0: float, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(ln P, loss), both rounded up: k randomized responses of which i are lies, i = 0..k; the loss ln(P/Q) is (k - 2i) epsilon0."""
    lies = np.arange(k + 1)
    log_ways, error = _ways(epsilon0, k)
    loss = (k - 2 * lies) * epsilon0
    return log_ways - lies * epsilon0 + error + 4 * _U * lies * epsilon0, loss + 2 * _U * np.abs(loss)


def _ways(epsilon0: float, k: int) -> tuple[np.ndarray, float]:
    """ln of k! / (i! (k-i)!) / (1 + e^-epsilon0)^k, and what rounding may have changed in it."""
    lies, log_norm = np.arange(k + 1), k * math.log1p(math.exp(-epsilon0))
    factorial = special.gammaln(k + 1)
    error = _U * ((2 * _FACTORIAL + 2) * factorial + 4 * log_norm + 4)
    return factorial - special.gammaln(lies + 1) - special.gammaln(k - lies + 1) - log_norm, error


def _tails(epsilon0: float, k: int) -> tuple[np.ndarray, np.ndarray]:
    """ln F rounded up and ln G rounded down: the probabilities of at most l lies on D and on D', l = 0..k."""
    lies = np.arange(k + 1)
    log_ways, error = _ways(epsilon0, k)
    log_f, f = _sums(log_ways - lies * epsilon0 + 4 * _U * lies * epsilon0)
    log_g, g = _sums(log_ways - (k - lies) * epsilon0 - 4 * _U * (k - lies) * epsilon0)
    return log_f + error + f, log_g - error - g


def _sums(log_terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ln of the sums S_l up to each term, and what their rounding, and that of a few operations with them, may come to.

    A step rounds ln S_j by at most u (|ln S_j| + 3), of which r_j = S_j / S_l reaches the sum up to l.
    """
    log_sums = np.logaddexp.accumulate(log_terms)
    reach = np.exp(np.minimum(np.logaddexp.accumulate(log_sums) - log_sums, 50))
    return log_sums, _U * ((2 * reach + 8) * (np.abs(log_sums) + 3) + np.arange(len(log_sums)) + 80)


def _left_for_the_losses(delta: float, delta0: float, k: int) -> float:
    """delta' with 1 - delta = (1 - delta0)^k (1 - delta'): what remains of delta when any step may fail altogether; below 0, nothing."""
    if not delta0:
        return delta
    none_fails = k * math.log1p(-delta0)
    if math.expm1(none_fails) == -1:      # some step fails, as far as floats tell: no delta below 1 is enough
        return -math.inf
    spent = -math.expm1(none_fails)
    return (delta - spent - 4 * _U * (delta + spent)) / math.exp(none_fails)        # less what its rounding is worth


def optimal_composition_delta(epsilon0: float, k: int, epsilon: float,
                              delta0: float = 0.0) -> float:
    """The smallest delta for which every k-fold composition of (epsilon0, delta0)-private steps is (epsilon, delta)-private. Exact.

    Source: Kairouz, Oh and Viswanath, ICML 2015, Theorem 3.3; it replaces supplement, Theorem 1.5. The worst steps are k randomized
    responses that each tell everything with probability delta0. The chapter on adding up has the proof.

    Parameters
    ----------
    epsilon0 : float in [1e-9, 1e6]
    k : int from 1 to a million
    epsilon : float >= 0
    delta0 : float in [0, 1)

    Examples
    --------
    >>> round(optimal_composition_delta(0.1, k=100, epsilon=3.0), 6)
    0.001361
    """
    epsilon0, k = step_epsilon(epsilon0), listed_steps(k)
    epsilon = check.number("epsilon", epsilon, low=0.0)
    delta0 = check.number("delta0", delta0, low=0.0, high=1.0, high_open=True)
    log_p, loss = _laws(epsilon0, k)
    above = loss > epsilon
    pure = float((np.exp(log_p[above]) * -np.expm1(epsilon - loss[above])).sum())
    pure *= 1 + 64 * _U
    slips = -math.expm1(k * math.log1p(-delta0))
    return min(1.0, (pure + slips * (1 - pure)) * (1 + 8 * _U))


def optimal_composition(epsilon0: float, k: int, delta: float,
                        delta0: float = 0.0) -> float:
    """The smallest epsilon for which every k-fold composition of (epsilon0, delta0)-private steps is (epsilon, delta)-private. Exact.

    Source: Kairouz, Oh and Viswanath 2015, Theorem 3.3, solved for epsilon. Sums are rounded up: the answer is not below the truth.

    Parameters
    ----------
    epsilon0, k : as in :func:`optimal_composition_delta`
    delta : float in [0, 1)
        At 0 the answer is k epsilon0, rounded up; it is never more.
    delta0 : float in [0, 1)
        Of each step; 1 - (1 - delta0)^k must not exceed ``delta``.

    Examples
    --------
    >>> round(optimal_composition(0.1, k=100, delta=1e-6), 3), round(optimal_composition(1.0, k=1000, delta=1e-5), 2)
    (4.775, 577.83)
    """
    epsilon0, k = step_epsilon(epsilon0), listed_steps(k)
    delta = check.number("delta", delta, low=0.0, high=1.0, high_open=True)
    delta0 = check.number("delta0", delta0, low=0.0, high=1.0, high_open=True)
    left = _left_for_the_losses(delta, delta0, k)
    if left < -1e-15:
        slips = -math.expm1(k * math.log1p(-delta0))
        check.refuse("delta", delta,
                     f"{k} steps of delta0={delta0:g} come to {slips:.6g} alone",
                     "Allow at least that much, or smaller steps.")
    if left <= 0:
        return product_rounded_up(k, epsilon0)
    log_f, log_g = _tails(epsilon0, k)
    log_left = math.log(left) * (1 + 4 * _U) - 4 * _U
    enough = log_f > log_left
    rest = np.log(-np.expm1(log_left - log_f[enough]))
    largest = float((log_f[enough] + rest - log_g[enough]).max(initial=0.0))
    return min(product_rounded_up(k, epsilon0), max(0.0, largest * (1 + 8 * _U)))
