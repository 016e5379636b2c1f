"""Gaussian noise on a secret Poisson sample: the pair of laws that is worst, its Renyi divergence and its loss."""
from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .mechanism import exp_rest, orders_of

__all__ = ["rdp_sampled_gaussian"]

#: What a neighbour changes about one person: the contribution, or whether there is one.
Pair = Literal["replace", "add or remove"]


def rdp_sampled_gaussian(noise_multiplier: float, sampling_probability: float, order: ArrayLike,
                         pair: Pair = "replace") -> np.ndarray:
    """The Renyi divergence of a sum with Gaussian noise over a secret Poisson sample: each person is in it with probability q.

    Source: "add or remove": Mironov, Talwar and Zhang 2019, Theorem 4 (of the two directions, (1-q) N(0) + q N(1/z) against N(0) is the
    larger). "replace": ours, after gap T9: (1-q) N(0) + q N(r) against (1-q) N(0) + q N(-r), r = 1 / (2z), which is worst for every
    pair of contributions u, v of norm at most r, in any dimension, whatever the others contribute.

    Parameters
    ----------
    noise_multiplier : float in [1e-3, 1e12]
        z: standard deviation over sensitivity. For "add or remove" the sensitivity is the largest norm of a contribution; for "replace"
        twice that, so that both contributions of a person lie within half of it from 0.
    sampling_probability : float in (0, 1]
    order : as in :func:`rdp_pure`
    pair : {"replace", "add or remove"}

    Returns
    -------
    array of the shape of ``order``
        By the trapezoidal rule, never below the truth and at most 2e-9 of it above; where that takes more than 20,000 points, the
        divergence without sampling.

    Examples
    --------
    >>> rdp_sampled_gaussian(1.0, 0.01, [2, 8, 32]).round(5)
    array([0.0001 , 0.0004 , 0.00163])
    """
    z = check.number("noise_multiplier", noise_multiplier, low=1e-3, high=1e12)
    q = check.number("sampling_probability", sampling_probability, low=0.0, high=1.0, low_open=True)
    order, replace = orders_of(order), check.choice("pair", pair, get_args(Pair)) == "replace"
    if q == 1:
        return order / (2 * z * z)
    return np.vectorize(lambda a: min(_divergence(z, q, a, replace), a / (2 * z * z)), otypes=[float])(order)[()]


def _pair(z: float, q: float, replace: bool, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ln p and ln q of the worst pair at x, both over the density of N(0, 1)."""
    u = 1 / (2 * z) if replace else 1 / z

    def mixture(shift: float) -> np.ndarray:
        tilt = shift * x - shift * shift / 2
        return np.where(tilt < 30, np.log1p(q * np.expm1(np.minimum(tilt, 30))), np.logaddexp(math.log1p(-q), math.log(q) + tilt))

    return mixture(u), mixture(-u) if replace else np.zeros_like(x)


def _step(u: float, order: float) -> float:
    """Between the points at which e^(-x^2/2) (p/q)^order is summed: so fine that the error is below e^-36."""
    return min(0.5, 0.4 / u, 0.5 / math.sqrt(1 + order * u * u / 2))


def _log_normal(x: np.ndarray) -> np.ndarray:
    """ln of the density of N(0, 1), times the step of the grid x."""
    return -x * x / 2 - math.log(2 * math.pi) / 2 + math.log(x[1] - x[0])


def _divergence(z: float, q: float, order: float, replace: bool) -> float:
    u = 1 / (2 * z) if replace else 1 / z
    step, low, high = _step(u, order), -14 - u, 14 + ((2 * order - 1) * u if replace else order * u)    # humps end there, 14 deviations on
    if (high - low) / step > 20_000:
        return math.inf
    x = np.arange(low, high + step, step)
    log_p, log_q = _pair(z, q, replace, x)
    log_law, loss = _log_normal(x) + log_q, log_p - log_q
    weighed = log_law + order * loss
    top = float(weighed.max())
    log_mean = top + math.log(np.exp(weighed - top).sum())
    if log_mean < 1e-3:
        log_mean = math.log1p(max(_beyond_one(log_law, loss, order), 1e-300))
    return log_mean / (order - 1) * (1 + 1e-9)


def _beyond_one(log_law: np.ndarray, loss: np.ndarray, order: float) -> float:
    """The mean of e^(order loss) under a law that gives e^loss mean 1, less 1, where that is small: a sum of positive terms."""
    y = order * loss
    small = np.clip(y, -1, 1)
    near = np.exp(log_law) * (exp_rest(small) - order * exp_rest(small / order))
    far = np.exp(log_law + y) - order * np.exp(log_law + loss) + (order - 1) * np.exp(log_law)
    return float(np.where(np.abs(y) < 1, near, far).sum())


def sampled_loss(ratio: float, q: float, replace: bool) -> tuple[float, float]:
    """Mean and standard deviation of the loss of one run, at ratio = sensitivity / standard deviation."""
    x = np.arange(-14 - ratio, 14 + ratio, _step(ratio, 1.0))
    log_p, log_q = _pair(1 / ratio, q, replace, x)
    law, loss = np.exp(log_p + _log_normal(x)), log_p - log_q
    mean = float(law @ loss)
    return mean, math.sqrt(law @ (loss - mean) ** 2)


def gaussian_losses(standard_deviation: float, sensitivity: float, sampling_prob: float, interval: float, replace: bool) -> Any:
    """The upper bound of ``from_gaussian_mechanism``, the same up to rounding; without a sample, or of what "replace" is worst for on one.

    Its delta at epsilon is that of the event x <= x(epsilon), where the loss, which falls in x, is epsilon: linear without a sample. On
    one, s the sensitivity, x = sigma^2 / s (asinh(-alpha sinh(epsilon / 2)) - epsilon / 2), alpha = e^(s^2 / (2 sigma^2)) (1 - q) / q.
    """
    from dp_accounting.pld import pld_pmf
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
    from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType, GaussianPrivacyLoss
    law = GaussianPrivacyLoss(standard_deviation, sensitivity, sampling_prob=sampling_prob,
                              adjacency_type=AdjacencyType.REPLACE if replace else AdjacencyType.REMOVE)
    bounds = law.connect_dots_bounds()
    low, high = math.floor(bounds.epsilon_lower / interval), math.ceil(bounds.epsilon_upper / interval)
    epsilon = np.arange(low, high + 1) * interval
    x = _where(epsilon, standard_deviation, sensitivity, sampling_prob) if replace else (
        -sensitivity / 2 - epsilon * standard_deviation**2 / sensitivity)
    delta = np.clip(law.mu_upper_cdf(x) - np.exp(epsilon + law.mu_lower_log_cdf(x)), 0, 1)
    return PrivacyLossDistribution(pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(interval, low, high, delta))


def _where(epsilon: np.ndarray, sigma: float, s: float, q: float) -> np.ndarray:
    """x(epsilon) of the pair for "replace" on a sample; sinh and asinh by logarithms, as they overflow."""
    log_alpha = (s / sigma)**2 / 2 + math.log1p(-q) - math.log(q)
    half = np.abs(epsilon) / 2
    with np.errstate(divide="ignore"):      # at epsilon = 0 it is -inf, and asinh is 0
        log_sinh = half + np.log1p(-np.exp(-2 * half)) - math.log(2)
    asinh = np.logaddexp(np.logaddexp(0, 2 * (log_alpha + log_sinh)) / 2, log_alpha + log_sinh)
    return sigma**2 / s * (-np.sign(epsilon) * asinh - epsilon / 2)
