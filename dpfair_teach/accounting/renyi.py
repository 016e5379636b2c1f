"""Renyi's accountant: moments of the privacy loss, which add up over steps, and what they say about (epsilon, delta).

For two laws P, Q and an order a > 1 the Renyi divergence is D_a(P, Q) = ln E_P exp((a - 1) L) / (a - 1), L = ln(P/Q) the privacy loss.
Given the answers so far, a step's worst divergence over neighbours is a number that depends on the mechanism alone; exp((a - 1) D_a) of a
composition is at most the product of those of its steps, so the numbers add up, also when a step is chosen after seeing the last answer
(Mironov, "Renyi differential privacy", CSF 2017, Proposition 1).
"""
from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ._ranges import step_epsilon

__all__ = ["ORDERS", "rdp_pure", "rdp_randomized_response", "rdp_laplace", "rdp_geometric", "rdp_gaussian", "rdp_exponential",
           "rdp_to_epsilon", "rdp_to_delta"]

#: Orders at which accountants look: 1.01 to 100,001, four percent apart. Few steps of pure privacy want large ones.
ORDERS = 1 + np.geomspace(0.01, 1e5, 400)
ORDERS.setflags(write=False)


def _order(value: object) -> np.ndarray:
    return check.filled("order", check.array("order", value, low=1.001, high=1e6), "order")


def _two_ends(n_others: float, epsilon0: float, order: np.ndarray) -> np.ndarray:
    """D_a of randomized response among n_others + 1 codes.

    The sum over reports of P^a Q^(1-a) is (e^(a s) + e^((1-a) s) + n - 1) / (e^s + n), s = epsilon0, n = n_others, which is
    1 + (e^((a-1) s) - 1)(1 - e^(-a s)) / (1 + n e^(-s)); in this form nothing cancels, and in logarithms nothing overflows.
    """
    x = (order - 1) * epsilon0
    growth = x + np.log(-np.expm1(-x)) + np.log(-np.expm1(-order * epsilon0)) - math.log1p(n_others * math.exp(-epsilon0))
    return np.logaddexp(0, growth) / (order - 1)


def rdp_pure(epsilon0: float, order: ArrayLike) -> np.ndarray:
    """The most that the Renyi divergence of an epsilon0-private mechanism can be: that of randomized response with two codes.

    Source: Bun and Steinke, "Concentrated differential privacy", TCC 2016, in exact form. D_a is increasing in E_Q r^a, r = P/Q. As r lies
    within exp(+-epsilon0), has mean 1, and r^a is convex, that is largest when r sits on both ends: randomized response. Its divergence is

        ln(cosh((a - 1/2) epsilon0) / cosh(epsilon0 / 2)) / (a - 1)  <=  a epsilon0^2 / 2.

    Parameters
    ----------
    epsilon0 : float in [1e-9, 1e6]
    order : float or array in [1.001, 1e6]

    Returns
    -------
    array of the shape of ``order``; at most epsilon0, its limit at large orders

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> rdp_pure(1.0, [2, 10, 1000]).round(4)
    array([0.7353, 0.9652, 0.9997])
    """
    return _two_ends(1, step_epsilon(epsilon0), _order(order))


def rdp_randomized_response(epsilon0: float, order: ArrayLike, n_groups: int = 2) -> np.ndarray:
    """The exact Renyi divergence of one person's report by ``mechanisms.randomized_response`` when the code changes.

    Source: the definition, for the law of ``mechanisms.randomized_response_matrix``: of k reports one is more likely by exp(epsilon0), one
    less, and k - 2 tell nothing.

    Parameters
    ----------
    epsilon0 : float in [1e-9, 1e6]
    order : float or array in [1.001, 1e6]
    n_groups : int in 2..4096
        k. At 2 it is the worst of all epsilon0-private mechanisms, :func:`rdp_pure`.

    Returns
    -------
    array of the shape of ``order``

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> rdp_randomized_response(1.0, [2, 10, 1000], n_groups=5).round(4)
    array([0.4707, 0.8995, 0.9991])
    """
    epsilon0, order = step_epsilon(epsilon0), _order(order)
    return _two_ends(check.integer("n_groups", n_groups, low=2, high=4096) - 1, epsilon0, order)


def rdp_laplace(epsilon0: float, order: ArrayLike) -> np.ndarray:
    """The exact Renyi divergence of the Laplace mechanism with sensitivity / scale = epsilon0.

    Source: Mironov 2017, Proposition 6: with b = 2a - 1, ln((a e^((a-1) epsilon0) + (a-1) e^(-a epsilon0)) / b) / (a-1). Released
    vectors: the logarithm of a sum of exponentials is convex in epsilon0, and 0 at 0, so the divergences of several coordinates whose
    changes add up to the sensitivity come to at most that of one coordinate that takes all of it.

    Parameters
    ----------
    epsilon0 : float in [1e-9, 1e6]
        l1 sensitivity over scale.
    order : float or array in [1.001, 1e6]

    Returns
    -------
    array of the shape of ``order``

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> rdp_laplace(1.0, [2, 10, 1000]).round(4)
    array([0.6191, 0.9287, 0.9993])
    """
    epsilon0, order = step_epsilon(epsilon0), _order(order)
    b = 2 * order - 1
    # for small epsilon0 both terms nearly cancel: rounding must not make a divergence negative
    return np.maximum(epsilon0 + np.log1p((order - 1) / b * np.expm1(-b * epsilon0)) / (order - 1), 0)


def rdp_geometric(epsilon0: float, order: ArrayLike, sensitivity: int = 1) -> np.ndarray:
    """The exact Renyi divergence of two-sided geometric noise at this sensitivity: between Laplace's and the worst.

    Source: the definition, for the law of ``mechanisms.geometric_law``. With n the sensitivity and q = exp(-epsilon0 / n), the loss is (n
    - 2x) epsilon0 / n with probability q^x (1-q) / (1+q) for x = 1..n-1, and +-epsilon0 with probabilities 1 / (1+q) and q^n / (1+q): a
    geometric sum. At n = 1 this is :func:`rdp_pure`, for n to infinity :func:`rdp_laplace`. For vectors see :func:`pld_epsilon`.

    Parameters
    ----------
    epsilon0 : float in [1e-9, 1e6]
    order : float or array in [1.001, 1e6]
    sensitivity : int from 1 to 10^9
        l1 sensitivity, in whole numbers.

    Returns
    -------
    array of the shape of ``order``

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> rdp_geometric(1.0, [2, 10, 1000], sensitivity=2).round(4)
    array([0.6548, 0.9473, 0.9995])
    """
    epsilon0, order = step_epsilon(epsilon0), _order(order)
    n = check.integer("sensitivity", sensitivity, low=1, high=10**9)
    t = epsilon0 / n
    if t < 1e-9:
        check.refuse("sensitivity", n, f"epsilon0 / sensitivity = {t:g} is below 1e-9", "Take rdp_laplace, which is its limit.")
    step = (2 * order - 1) * t                   # the terms of the sum fall by exp(-step)
    between = -math.expm1(-t) * np.exp(-step) * np.expm1(-(n - 1) * step) / np.expm1(-step)
    total = np.exp(-n * step) + between
    return np.maximum(epsilon0 + (np.log1p(total) - math.log1p(math.exp(-t))) / (order - 1), 0)


def rdp_gaussian(noise_multiplier: float, order: ArrayLike) -> np.ndarray:
    """The exact Renyi divergence of the Gaussian mechanism: a / (2 z^2), z = standard deviation / l2 sensitivity.

    Source: Mironov 2017, Proposition 7. The loss is normal with mean 1 / (2 z^2) and variance 1 / z^2.

    Parameters
    ----------
    noise_multiplier : float in [1e-6, 1e12]
        z.
    order : float or array in [1.001, 1e6]

    Returns
    -------
    array of the shape of ``order``

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> rdp_gaussian(2.0, [2, 10, 1000])
    array([  0.25,   1.25, 125.  ])
    """
    return _order(order) / (2 * check.number("noise_multiplier", noise_multiplier, low=1e-6, high=1e12)**2)


def rdp_exponential(epsilon0: float, order: ArrayLike) -> np.ndarray:
    """The most that the Renyi divergence of the exponential mechanism can be, from the range of its loss. About a quarter of ``rdp_pure``.

    Source: the exponential mechanism of supplement, Definition 1.5, has bounded range (Durfee and Rogers 2019): on two neighbours all its
    losses ln(P/Q) lie within one interval [t - epsilon0, t], since the normalizing constant shifts them all and epsilon times loss / (2
    sensitivity) spreads by at most epsilon0. By convexity (see :func:`rdp_pure`) the divergence is largest when they sit on both ends.
    The mean of P/Q being 1 fixes the weights, the sum of P^a Q^(1-a) is [e^((a-1) t) (1 - e^(-a epsilon0)) - e^(a t) (e^(-epsilon0) -
    e^(-a epsilon0))] / (1 - e^(-epsilon0)), and its largest value over t is

        e^((a-1) t) (1 - e^(-a epsilon0)) / (a (1 - e^(-epsilon0))),
        where e^t = (a-1) (1 - e^(-a epsilon0)) / (a (e^(-epsilon0) - e^(-a epsilon0))).

    Parameters
    ----------
    epsilon0 : float in [1e-9, 1e6]
    order : float or array in [1.001, 1e6]

    Returns
    -------
    array of the shape of ``order``; at most about a epsilon0^2 / 8

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> rdp_exponential(1.0, [2, 10, 1000]).round(4)
    array([0.2402, 0.6898, 0.9925])
    """
    epsilon0, order = step_epsilon(epsilon0), _order(order)
    ends = np.log(-np.expm1(-order * epsilon0))
    t = epsilon0 + np.log1p(-1 / order) + ends - np.log(-np.expm1(-(order - 1) * epsilon0))
    return np.maximum(t + (ends - np.log(order) - math.log(-math.expm1(-epsilon0))) / (order - 1), 0)


def _curve(orders: object, rdp: object) -> tuple[np.ndarray, np.ndarray]:
    orders = check.filled("orders", check.array("orders", orders, ndim=1, low=1.001, high=1e6), "order")
    rdp = check.filled("rdp", check.array("rdp", rdp, low=0.0), "divergence")
    if rdp.ndim == 0 or rdp.shape[-1] != len(orders):
        check.refuse("rdp", rdp.shape, f"has not one entry for each of {len(orders)} orders on its last axis",
                     "Compute it at these orders.")
    return orders, rdp


def rdp_to_epsilon(orders: ArrayLike, rdp: ArrayLike, delta: float) -> np.ndarray:
    """The epsilon that Renyi divergences give at this delta: the smallest over the orders of the sharp conversion.

    Source: Balle, Barthe, Gaboardi, Hsu and Sato 2020, Theorem 21, and Asoodeh, Liao, Calmon, Kosut and Sankar 2021:

        epsilon = rdp + ln(1 - 1/a) - (ln delta + ln a) / (a - 1).

    Why. delta is E_P (1 - exp(epsilon - L))_+. Bound (1 - e^(-u))_+ by c e^((a-1) u), u = L - epsilon, with the smallest c that does,
    which is the largest value of (1 - e^(-u)) e^(-(a-1) u); it is at e^(-u) = 1 - 1/a, and c = (1 - 1/a)^(a-1) / a. Then delta is at most
    c E_P e^((a-1) L) e^(-(a-1) epsilon) <= c exp((a-1) (rdp - epsilon)); solve for epsilon. Markov's inequality alone has c = 1. Further,
    where delta^2 >= 1 - exp(-rdp), epsilon 0 will do (Bretagnolle and Huber: it bounds the total variation distance).

    Parameters
    ----------
    orders : array (n,) in [1.001, 1e6]
    rdp : array (..., n) >= 0
        Of the whole composition: sums over its steps. Leading axes are separate compositions.
    delta : float in (0, 1)

    Returns
    -------
    array (...)

    Raises
    ------
    ValueError
        A number out of range; not one divergence for each order.

    Examples
    --------
    >>> rdp_to_epsilon(ORDERS, np.outer([1, 100], rdp_laplace(0.1, ORDERS)), delta=1e-6).round(3)
    array([0.1  , 4.984])
    """
    orders, rdp = _curve(orders, rdp)
    delta = check.number("delta", check.delta(delta), low=1e-300, high=1.0)
    epsilon = (rdp + np.log1p(-1 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1)).min(axis=-1)
    free = (-np.expm1(-rdp) <= delta**2).any(axis=-1)
    return np.where(free, 0.0, np.maximum(epsilon, 0.0))[()]


def rdp_to_delta(orders: ArrayLike, rdp: ArrayLike, epsilon: float) -> np.ndarray:
    """The delta that Renyi divergences give at this epsilon: :func:`rdp_to_epsilon`, solved the other way.

    Source: as there: (1 - 1/a)^(a-1) exp((a-1) (rdp - epsilon)) / a, or sqrt(1 - exp(-rdp)), the smallest over the orders.

    Parameters
    ----------
    orders : array (n,) in [1.001, 1e6]
    rdp : array (..., n) >= 0
    epsilon : float >= 0

    Returns
    -------
    array (...), in [0, 1]

    Raises
    ------
    ValueError
        A number out of range; not one divergence for each order.

    Examples
    --------
    >>> f"{rdp_to_delta(ORDERS, 100 * rdp_laplace(0.1, ORDERS), epsilon=4.984):.2e}"
    '1.00e-06'
    """
    orders, rdp = _curve(orders, rdp)
    epsilon = check.number("epsilon", epsilon, low=0.0)
    with np.errstate(over="ignore"):        # to infinity, which is cut at delta = 1, or to minus infinity, which is delta = 0
        log_delta = (orders - 1) * (rdp - epsilon + np.log1p(-1 / orders)) - np.log(orders)
    return np.minimum(np.exp(np.minimum(log_delta, 0).min(axis=-1)), np.sqrt(-np.expm1(-rdp)).min(axis=-1))[()]
