"""Gaussian noise and its exact delta curve, from which the scale is calibrated."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .. import _checks as check
from .mechanism import Mechanism, Neighbours, Numbers, Run, noisy, orders_of, repeated
from .noise import normal_noise
from .sampled import gaussian_losses, rdp_sampled_gaussian, sampled_loss

__all__ = ["gaussian", "gaussian_delta", "gaussian_sigma", "gaussian_sigma_textbook"]


def gaussian_delta(sensitivity: float, sigma: float, epsilon: float) -> float:
    """The smallest delta for which N(0, sigma^2) noise on a query of this l2 sensitivity is (epsilon, delta)-private.

    Source: Balle and Wang, "Improving the Gaussian mechanism for differential privacy", ICML 2018, Theorem 8: with
    s = sensitivity / (2 sigma) and t = epsilon sigma / sensitivity, delta = Phi(s - t) - exp(epsilon) Phi(-s - t). Exact.

    Parameters
    ----------
    sensitivity : float > 0
    sigma : float > 0
        Standard deviation. sensitivity / sigma within [1e-12, 1e6].
    epsilon : float in [0, 1e4]

    Examples
    --------
    >>> round(gaussian_delta(sensitivity=1, sigma=4.2248, epsilon=1), 8)
    1e-06
    """
    sensitivity = check.number("sensitivity", sensitivity, low=0.0, low_open=True)
    sigma = check.number("sigma", sigma, low=0.0, low_open=True)
    if not 1e-12 <= sensitivity / sigma <= 1e6:
        check.refuse("sigma", sigma, f"sensitivity / sigma = {sensitivity / sigma:g} lies outside [1e-12, 1e6]", "Choose another sigma.")
    return math.exp(log_delta(sensitivity / sigma, check.number("epsilon", epsilon, low=0.0, high=1e4)))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def log_delta(ratio: float, epsilon: float) -> float:
    """ln delta at ratio = sensitivity / sigma: in logarithms and by Mills' ratio, as an integral where a difference would cancel."""
    s, t = ratio / 2, epsilon / ratio
    if t - s > 50:  # delta below e^-1250: no float
        return -math.inf
    if s < 0.5:
        x = t + s * _NODES
        slopes = 1 - x * math.sqrt(math.pi / 2) * special.erfcx(x / math.sqrt(2))
        return -(t - s) ** 2 / 2 + math.log(s * (_WEIGHTS @ slopes) / math.sqrt(2 * math.pi))
    if t <= s:
        return math.log(special.ndtr(s - t) - math.exp(-(t - s) ** 2 / 2) * special.erfcx((t + s) / math.sqrt(2)) / 2)
    mills = special.erfcx(np.array([t - s, t + s]) / math.sqrt(2))
    return -(t - s) ** 2 / 2 + math.log((mills[0] - mills[1]) / 2)


def gaussian_sigma(sensitivity: float, epsilon: float, delta: float) -> float:
    """The smallest standard deviation that makes Gaussian noise (epsilon, delta)-private for this l2 sensitivity.

    Source: Balle and Wang 2018, Section 3: where the exact curve of :func:`gaussian_delta` crosses ``delta``. For any epsilon.

    Parameters
    ----------
    sensitivity : float in [1e-200, 1e200]
    epsilon : float in [1e-9, 1e3]
    delta : float in [1e-100, 1 - 1e-9]

    Examples
    --------
    >>> sigma = gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-6)
    >>> round(sigma, 3), gaussian_delta(1, sigma, 1) <= 1e-6
    (4.225, True)
    """
    sensitivity = check.number("sensitivity", sensitivity, low=1e-200, high=1e200)
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e3)
    target = math.log(check.number("delta", check.delta(delta), low=1e-100, high=1 - 1e-9))

    def excess(log_u: float) -> float:
        """Above 0 while sigma = u * sensitivity is too small."""
        return max(log_delta(math.exp(-log_u), epsilon), -1e4) - target

    low = high = 0.0
    while excess(low) <= 0:
        low -= 1.0
    while excess(high) > 0:
        high += 1.0
    from scipy import optimize  # here: it takes a tenth of a second

    u = math.exp(optimize.brentq(excess, low, high, xtol=1e-14))
    while excess(math.log(u)) > 0:  # end on the private side of the crossing
        u *= 1 + 1e-13
    return u * sensitivity


def gaussian_sigma_textbook(sensitivity: float, epsilon: float, delta: float) -> float:
    """The textbook's standard deviation, sensitivity sqrt(2 ln(1.25/delta)) / epsilon: private for epsilon up to 1, and larger than needed.

    Source: Dwork and Roth 2014, Theorem 3.22 and Appendix A (arXiv version of Tran et al., Section 4.2, has it with a misprint, gap T26).

    Parameters
    ----------
    sensitivity : float in [1e-200, 1e200]
    epsilon : float in [1e-9, 1]
    delta : float in [1e-100, 1 - 1e-9]

    Examples
    --------
    >>> round(gaussian_sigma_textbook(1, 1, 1e-6), 3), round(gaussian_sigma(1, 1, 1e-6), 3)
    (5.299, 4.225)
    """
    sensitivity = check.number("sensitivity", sensitivity, low=1e-200, high=1e200)
    epsilon = check.number("epsilon", epsilon, low=1e-9)
    if epsilon > 1:
        check.refuse("epsilon", epsilon, "above 1, where the textbook formula is not proved", "Use gaussian_sigma: exact, any epsilon.")
    delta = check.number("delta", check.delta(delta), low=1e-100, high=1 - 1e-9)
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def gaussian(value: ArrayLike, sensitivity: float, epsilon: float, delta: float, rng: np.random.Generator,
             size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Release ``value`` with Gaussian noise calibrated exactly to (epsilon, delta).

    Source: Balle and Wang 2018, Algorithm 1. In doubles, for study.

    Parameters
    ----------
    value : array, any shape
    sensitivity : as in :func:`gaussian_sigma`
        In **l2** norm.
    epsilon, delta : as in :func:`gaussian_sigma`
    rng, size : as in :func:`laplace`

    Returns
    -------
    array of shape size + value.shape

    Examples
    --------
    >>> gaussian([0.0, 0.0], sensitivity=1, epsilon=1, delta=1e-6, rng=np.random.default_rng(0), size=(5, 3)).shape
    (5, 3, 2)
    """
    value = check.filled("value", check.array("value", value, low=-1e300, high=1e300), "number")
    sigma = gaussian_sigma(sensitivity, epsilon, delta)
    rng = check.rng(rng)
    return value + rng.normal(0.0, sigma, size=check.size(size, value.shape) + value.shape)


def rdp_gaussian(noise_multiplier: float, order: ArrayLike) -> np.ndarray:
    """The exact Renyi divergence of the Gaussian mechanism: a / (2 z^2), z = standard deviation / l2 sensitivity.

    Source: Mironov 2017, Proposition 7. Of the shape of ``order``.
    """
    return orders_of(order) / (2 * check.number("noise_multiplier", noise_multiplier, low=1e-6, high=1e12)**2)


def _epsilon(ratio: float, delta: float) -> float:
    """The smallest epsilon at which Gaussian noise has at most ``delta``, at sensitivity / standard deviation = ``ratio``."""
    target = math.log(delta)
    if log_delta(ratio, 0.0) <= target:
        return 0.0
    most = ratio**2 / 2 + ratio * math.sqrt(-2 * target)     # mean plus the Gaussian tail: delta is met there
    from scipy import optimize

    epsilon = optimize.brentq(lambda epsilon: max(log_delta(ratio, epsilon), -1e4) - target, 0.0, most, xtol=1e-12)
    while log_delta(ratio, epsilon) > target:                # the root's last digit, on the safe side
        epsilon += 1e-12 + 1e-15 * epsilon
    return epsilon


class Gaussian(Mechanism):
    """Normal noise, on a public grid. For accountants a shift, many of them one larger one; on a Poisson sample what its relation says.

    Sampled, with "add or remove ...", the sensitivity is the largest norm of a contribution. With "replace ..." both contributions of a
    person lie within half the sensitivity from 0: centre them, or take twice the largest norm.
    """

    sampled, may_fail, audit_delta = True, False, 0.05
    options = frozenset({"grid"})

    def draw(self, value: np.ndarray, numbers: Numbers, rng: np.random.Generator, shape: tuple[int, ...], grid: Any = None) -> np.ndarray:
        return noisy(value, normal_noise(rng, shape + value.shape), numbers[1], grid)

    def distance(self, value: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.linalg.norm(value - other, axis=(-2, -1))

    def numbers(self, mechanism: str, sensitivity: Any, scale: Any, epsilon: Any) -> Numbers:
        if epsilon is not None:
            check.refuse("epsilon", epsilon, "Gaussian noise has no epsilon without a delta, and what it costs is not recorded",
                         "Give sensitivity and scale: mechanisms.gaussian takes gaussian_sigma(sensitivity, epsilon, delta) for it.")
        for name, value in (("scale", scale), ("sensitivity", sensitivity)):
            if value is None:
                check.refuse(name, None, f"a gaussian record with no {name} says nothing of its noise", "Give sensitivity and scale, as "
                             "they were run; the scale is the standard deviation.")
        if not 1e-300 < sensitivity / scale < 1e300:
            check.refuse("scale", scale, f"sensitivity / scale = {sensitivity / scale:g} is no number to use", "Choose another scale.")
        return sensitivity, scale, None

    def epsilon(self, sensitivity: Any, scale: Any, own: Any) -> float | None:
        return None

    def at(self, epsilon: float, delta: float) -> dict[str, float]:
        return {"sensitivity": 1.0, "scale": gaussian_sigma(1.0, epsilon, delta)}

    def divergence(self, run: Run, order: ArrayLike) -> np.ndarray:
        if run.sampling_probability == 1:
            return rdp_gaussian(run.scale / run.sensitivity, order)
        return rdp_sampled_gaussian(run.scale / run.sensitivity, run.sampling_probability, order,
                                    "replace" if _replaces(run) else "add or remove")

    def loss(self, run: Run) -> tuple[float, float, float]:
        ratio = run.sensitivity / run.scale
        mean, most = ratio * ratio / 2, ratio * ratio / 2 + 9 * ratio       # on a sample at most as much: (1-q + q a) / (1-q + q b) lies
        if run.sampling_probability == 1 or ratio > 200:                    # between 1 and a / b if b <= 1 <= a. A loss beyond 200 is on
            return mean, ratio, most                                        # no grid.
        return *sampled_loss(ratio, run.sampling_probability, _replaces(run)), most

    def convolutions(self, run: Run) -> int:
        return 1 if run.sampling_probability == 1 else run.times

    def losses(self, pld: Any, run: Run, how: dict) -> Any:
        z, q, replaces = run.scale / run.sensitivity, run.sampling_probability, _replaces(run)
        if how["use_connect_dots"] and (q == 1 or replaces):
            interval = how["value_discretization_interval"]
            return (gaussian_losses(z / math.sqrt(run.times), 1.0, 1.0, interval, replace=False) if q == 1
                    else repeated(gaussian_losses(z, 0.5, q, interval, replace=True), run))
        if q == 1:
            return pld.from_gaussian_mechanism(z / math.sqrt(run.times), **how)
        if replaces:
            how = how | {"neighboring_relation": pld.NeighborRel.REPLACE_ONE, "sensitivity": 0.5}
        return repeated(pld.from_gaussian_mechanism(z, sampling_prob=q, **how), run)

    def epsilon_at(self, run: Run, delta: float) -> float | None:
        return None if run.sampling_probability < 1 else _epsilon(math.sqrt(run.times) * run.sensitivity / run.scale, delta)

    def event(self, dp: Any, run: Run) -> tuple[Any, Neighbours]:
        """A shift by the sensitivity, which both accountants read alike under "add or remove one"; on a sample as PLD does."""
        z = run.scale / run.sensitivity
        if run.sampling_probability == 1:
            return dp.GaussianDpEvent(z), "add or remove one"
        if _replaces(run):
            return dp.PoissonSampledDpEvent(run.sampling_probability, dp.GaussianDpEvent(2 * z)), "replace one"
        return dp.PoissonSampledDpEvent(run.sampling_probability, dp.GaussianDpEvent(z)), "add or remove one"

    def of_event(self, event: Any, neighbours: Neighbours) -> dict[str, float] | None:
        inner = event.event if type(event).__name__ == "PoissonSampledDpEvent" else event
        if type(inner).__name__ != "GaussianDpEvent":
            return None
        return {"sensitivity": 2.0 if neighbours == "replace one" else 1.0, "scale": inner.noise_multiplier,
                "sampling_probability": 1.0 if inner is event else event.sampling_probability}


def _replaces(run: Run) -> bool:
    return run.relation.startswith("replace")
