"""The loss distribution of Gaussian noise on a grid, by dp-accounting's "connect the dots", all points of the grid at once.

The package asks for one point after the other, in Python: most of the seconds of an accountant were spent there.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np


def gaussian_losses(standard_deviation: float, sensitivity: float, sampling_prob: float, interval: float, replace: bool) -> Any:
    """The upper bound of ``from_gaussian_mechanism``, the same up to rounding; without a sample, or of what "replace" is worst for on one.

    Its delta at epsilon is that of the event x <= x(epsilon), where the loss, which falls in x, is epsilon. Without a sample the loss is
    linear. On one, with s the sensitivity, it is the difference of two logarithms of 1 - q + q e^(-s (s +- 2x) / (2 sigma^2)): solved for
    x, x = sigma^2 / s (asinh(-alpha sinh(epsilon / 2)) - epsilon / 2), alpha = e^(s^2 / (2 sigma^2)) (1 - q) / q.
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
