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

__all__ = ["ORDERS", "rdp_to_epsilon"]

#: Orders at which accountants look: 1.01 to 100,001, four percent apart. Few steps of pure privacy want large ones.
ORDERS = 1 + np.geomspace(0.01, 1e5, 400)
ORDERS.setflags(write=False)


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

    The chapter on adding up has the proof. Further, where delta^2 >= 1 - exp(-rdp), epsilon 0 will do (Bretagnolle and Huber: it bounds the
    total variation distance).

    Parameters
    ----------
    orders : array (n,) in [1.001, 1e6]
    rdp : array (..., n) >= 0
        Of the whole composition: sums over its steps. Leading axes are separate compositions.
    delta : float in [1e-300, 1)

    Returns
    -------
    array (...)

    Examples
    --------
    >>> from dpfair_teach.accounting import rdp_laplace
    >>> rdp_to_epsilon(ORDERS, np.outer([1, 100], rdp_laplace(0.1, ORDERS)), delta=1e-6).round(3)
    array([0.1  , 4.984])
    """
    orders, rdp = _curve(orders, rdp)
    delta = check.number("delta", check.delta(delta), low=1e-300, high=1.0)
    for_delta = (math.log(delta) + np.log(orders)) / (orders - 1)
    epsilon = (rdp + np.log1p(-1 / orders) - for_delta).min(axis=-1)
    free = (-np.expm1(-rdp) <= delta**2).any(axis=-1)
    return np.where(free, 0.0, np.maximum(epsilon, 0.0))[()]
