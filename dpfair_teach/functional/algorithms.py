"""The functional mechanism, its relaxation, PDFC, ADFC and PFLR*, each on one screen: noise on coefficients, then a minimum."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..accounting import UNIT_TUPLE, Release
from ..mechanisms import gaussian_sigma, release
from .people import in_domain
from .quadratic import MOST, Quadratic, covariance_vector, log_loss_quadratic, merged_quadratic, minimum
from .sensitivity import fair_l1, fair_l2, logistic_l1, logistic_l2
from .two_scales import adfc_claim, average_epsilon, gaussian_sigma_extended, part_sensitivity

__all__ = ["adfc", "fair_functional_mechanism", "functional_mechanism", "pdfc", "pflr_star", "relaxed_functional_mechanism",
           "with_feature"]


@dataclass(frozen=True, eq=False)
class NoisyFit:
    """What each of these algorithms publishes: a noisy objective, a minimum of it, and the records of the noise.

    Source: Algorithms 1 to 3 (Ding et al. 2020).

    Attributes
    ----------
    w : (d,) array
        Weights; no intercept.
    objective : Quadratic
        With the noise, and without the ridge.
    releases_ : tuple of accounting.Release
        What was drawn.
    claimed : float > 0
        The epsilon that was asked for, or that the paper states.
    claimed_delta : float in [0, 1)
        The delta beside it; 0 for Laplace noise.
    c : (d,) array, optional
        The covariance vector with its noise, where it was released beside the objective.
    """

    w: np.ndarray
    objective: Quadratic
    releases_: tuple[Release, ...]
    claimed: float
    claimed_delta: float = 0.0
    c: np.ndarray | None = None


def with_feature(d: int, s: int) -> np.ndarray:
    """Which coefficients belong to a monomial with w_s, in the order of :meth:`Quadratic.coefficients`.

    Source: Algorithms 1 and 3, lines 5 to 13 (Ding et al. 2020).

    Parameters
    ----------
    d : int in 2..5000
    s : int in 0..d-1

    Returns
    -------
    (d + d (d + 1) / 2,) array of bool

    Examples
    --------
    >>> with_feature(3, 1).astype(int)                      # w1 w2 w3, then 11 12 13 22 23 33
    array([0, 1, 0, 0, 1, 0, 1, 1, 0])
    """
    d = check.integer("d", d, low=2, high=MOST)
    s = check.integer("s", s, low=0, high=d - 1)
    rows, cols = np.triu_indices(d)
    return np.r_[np.arange(d) == s, (rows == s) | (cols == s)]


def functional_mechanism(
        X: ArrayLike, y: ArrayLike, epsilon: float, rng: np.random.Generator, *,
        as_printed: bool = False) -> NoisyFit:
    """Logistic regression with Laplace noise on the coefficients of its second-order form.

    Source: "Functional Mechanism" (Ding et al. 2020; Zhang et al. 2012, reconstructed). Privacy unit: one whole tuple is replaced, m
    public. epsilon, pure but for noise in doubles (chapter 18). Weights minimize noisy numbers and a ridge of four deviations of the noise.

    Parameters
    ----------
    X : (m, d) array
        Rows of norm at most 1; as printed also entries of at least 0.
    y : (m,) array of 0/1
    epsilon : float in (0, 1e9]
    rng : numpy.random.Generator
    as_printed : bool
        Noise for Lemma 1's d^2/4 + d in place of :func:`logistic_l1`.

    Examples
    --------
    >>> X = np.tile([[0.8, 0.1], [0.1, 0.8]], (5000, 1))
    >>> functional_mechanism(X, np.tile([1, 0], 5000), 1.0, np.random.default_rng(0)).w.round(1)
    array([ 2.8, -2.8])
    """
    X, y = in_domain(X, y, domain="signed", as_printed=as_printed)
    objective = log_loss_quadratic(X, y)
    sensitivity = logistic_l1(len(objective.b), as_printed=as_printed)
    noisy, record = release(
        "laplace", objective.coefficients(), rng, unit=UNIT_TUPLE,
        sensitivity=sensitivity, epsilon=epsilon)
    f = Quadratic.of_coefficients(noisy)
    w = minimum(f, ridge=4 * math.sqrt(2) * record.scale)
    return NoisyFit(w, f, (record,), epsilon)


def relaxed_functional_mechanism(
        X: ArrayLike, y: ArrayLike, epsilon: float, delta: float,
        rng: np.random.Generator, *, as_printed: bool = False) -> NoisyFit:
    """Logistic regression with Gaussian noise on the coefficients of its second-order form.

    Source: Algorithm 2 and Theorem 4 (Ding et al. 2020). Privacy unit: one whole tuple is replaced, m public. (epsilon, delta).

    Parameters
    ----------
    X, y : as in :func:`functional_mechanism`
    epsilon : float in [1e-9, 1e3], as printed up to 1e6
    delta : float in [1e-100, 1 - 1e-9], as printed up to 0.797
    rng : numpy.random.Generator
    as_printed : bool
        The noise of :func:`gaussian_sigma_extended` for Lemma 3's sensitivity, in place of the exact calibration to 1.

    Examples
    --------
    >>> X = np.tile([[0.8, 0.1], [0.1, 0.8]], (5000, 1))
    >>> relaxed_functional_mechanism(X, np.tile([1, 0], 5000), 1.0, 1e-6, np.random.default_rng(0)).w.round(1)
    array([ 2.8, -2.8])
    """
    X, y = in_domain(X, y, domain="signed", as_printed=as_printed)
    objective = log_loss_quadratic(X, y)
    sensitivity = logistic_l2(len(objective.b), as_printed=as_printed)
    calibrated = gaussian_sigma_extended if as_printed else gaussian_sigma
    noisy, record = release(
        "gaussian", objective.coefficients(), rng, unit=UNIT_TUPLE,
        sensitivity=sensitivity, scale=calibrated(sensitivity, epsilon, delta))
    f = Quadratic.of_coefficients(noisy)
    w = minimum(f, ridge=4 * record.scale)
    return NoisyFit(w, f, (record,), epsilon, delta)


def pdfc(
        X: ArrayLike, y: ArrayLike, A: ArrayLike, s: int, epsilon_s: float,
        epsilon_n: float, rng: np.random.Generator) -> NoisyFit:
    """PDFC as printed: the covariance merged as if it were a polynomial, and Laplace noise of two scales.

    Source: Algorithm 1 and Theorem 3 (Ding et al. 2020), and a ridge with trimming. Privacy unit: one whole tuple is replaced, m public.
    What it costs is :func:`pdfc_epsilon`; the paper says :func:`average_epsilon`.

    Parameters
    ----------
    X : (m, d) array
        Rows of norm at most 1 with entries of at least 0; at most 10^7.
    y : (m,) array of 0/1
    A : (m,) array of 0/1
    s : int in 0..d-1
        The feature x_s, whose monomials have noise of their own; public.
    epsilon_s, epsilon_n : floats in [1e-9, 1e6]
    rng : numpy.random.Generator

    Examples
    --------
    >>> X = np.tile([[0.8, 0.1], [0.1, 0.8]], (5000, 1))
    >>> fit = pdfc(X, np.tile([1, 0], 5000), np.tile([0, 0, 1, 0], 2500), 0, 1.0, 1.0, np.random.default_rng(0))
    >>> [round(release.scale, 1) for release in fit.releases_]
    [7.0, 7.0]
    """
    X, y = in_domain(X, y, A)
    noisy = merged_quadratic(X, y, A).coefficients()            # equation (6)
    d = X.shape[1]
    claimed = average_epsilon(d, epsilon_s, epsilon_n)
    in_s = with_feature(d, s)
    sensitivity = fair_l1(d, as_printed=True)                   # Lemma 2
    noisy[in_s], of_s = release(
        "laplace", noisy[in_s], rng, unit=UNIT_TUPLE, scale=sensitivity / epsilon_s,
        sensitivity=part_sensitivity(d, "s", "l1"))
    noisy[~in_s], of_n = release(
        "laplace", noisy[~in_s], rng, unit=UNIT_TUPLE, scale=sensitivity / epsilon_n,
        sensitivity=part_sensitivity(d, "n", "l1"))
    f = Quadratic.of_coefficients(noisy)
    w = minimum(f, ridge=4 * math.sqrt(2) * of_n.scale)
    return NoisyFit(w, f, (of_s, of_n), claimed)


def adfc(
        X: ArrayLike, y: ArrayLike, A: ArrayLike, s: int, epsilon_s: float,
        epsilon_n: float, delta_s: float, delta_n: float,
        rng: np.random.Generator) -> NoisyFit:
    """ADFC as printed: :func:`pdfc` with Gaussian noise of two scales. **Not as private as Theorem 5 says.**

    Source: Algorithm 3 and Theorem 5 (Ding et al. 2020). Privacy unit: one whole tuple is replaced, m public. What it costs is
    :func:`adfc_epsilon`.

    Parameters
    ----------
    X, y, A, s, epsilon_s, epsilon_n : as in :func:`pdfc`
    delta_s, delta_n : floats in [1e-100, 0.797]
    rng : numpy.random.Generator

    Examples
    --------
    >>> X = np.tile([[0.8, 0.1], [0.1, 0.8]], (5000, 1))
    >>> fit = adfc(X, np.tile([1, 0], 5000), np.tile([0, 0, 1, 0], 2500), 0, 1.0, 1.0, 1e-5, 1e-5, np.random.default_rng(0))
    >>> [round(release.scale, 1) for release in fit.releases_]
    [20.7, 20.7]
    """
    X, y = in_domain(X, y, A)
    noisy = merged_quadratic(X, y, A).coefficients()            # equation (6)
    d = X.shape[1]
    claimed = adfc_claim(d, epsilon_s, epsilon_n, delta_s, delta_n)
    in_s = with_feature(d, s)
    sensitivity = fair_l2(d, as_printed=True)                   # Lemma 4
    sigma_s = gaussian_sigma_extended(sensitivity, epsilon_s, delta_s)
    sigma_n = gaussian_sigma_extended(sensitivity, epsilon_n, delta_n)
    noisy[in_s], of_s = release(
        "gaussian", noisy[in_s], rng, unit=UNIT_TUPLE, scale=sigma_s,
        sensitivity=part_sensitivity(d, "s", "l2"))
    noisy[~in_s], of_n = release(
        "gaussian", noisy[~in_s], rng, unit=UNIT_TUPLE, scale=sigma_n,
        sensitivity=part_sensitivity(d, "n", "l2"))
    f = Quadratic.of_coefficients(noisy)
    w = minimum(f, ridge=4 * sigma_n)
    return NoisyFit(w, f, (of_s, of_n), *claimed)


def fair_functional_mechanism(
        X: ArrayLike, y: ArrayLike, A: ArrayLike, epsilon: float,
        delta: float | None, rng: np.random.Generator, *,
        alpha: float = 1.0) -> NoisyFit:
    """Noise on the coefficients of the log loss and, beside them, on the covariance vector; the penalty alpha |c.w| afterwards.

    Source: ours, in place of Algorithms 1 and 3 (Ding et al. 2020): equation (5) itself and not equation (6). Privacy unit: one whole
    tuple is replaced, m public. :func:`release_moments` asks for less noise still.

    Parameters
    ----------
    X, y, A : as in :func:`pdfc`
    epsilon : float in (0, 1e9], with ``delta`` in [1e-9, 1e3]
    delta : float in [1e-100, 1 - 1e-9], or None
        None: Laplace noise for ``fair_l1(d, separate=True)``, else Gaussian noise for sqrt(3).
    rng : numpy.random.Generator
    alpha : float >= 0, or inf
        inf asks for c.w = 0.

    Examples
    --------
    >>> X = np.tile([[0.8, 0.1], [0.1, 0.8]], (5000, 1))
    >>> y, A = np.tile([1, 0], 5000), np.tile([0, 0, 1, 0], 2500)
    >>> for alpha in (0.0, np.inf):
    ...     print(fair_functional_mechanism(X, y, A, 1.0, 1e-6, np.random.default_rng(0), alpha=alpha).w.round(1))
    [ 2.7 -2.7]
    [-0. -0.]
    """
    X, y = in_domain(X, y, A)
    f, c = log_loss_quadratic(X, y), covariance_vector(X, A)
    values, d = np.r_[f.coefficients(), c], len(c)
    if delta is None:
        noisy, record = release(
            "laplace", values, rng, unit=UNIT_TUPLE, epsilon=epsilon,
            sensitivity=fair_l1(d, separate=True))
        deviation = math.sqrt(2) * record.scale
    else:
        sensitivity = fair_l2(d, separate=True)
        deviation = gaussian_sigma(sensitivity, epsilon, delta)
        noisy, record = release(
            "gaussian", values, rng, unit=UNIT_TUPLE, scale=deviation,
            sensitivity=sensitivity)
    f, c = Quadratic.of_coefficients(noisy[:-d]), noisy[-d:]
    w = minimum(f, ridge=4 * deviation, c=c, alpha=alpha)
    return NoisyFit(w, f, (record,), epsilon, delta or 0.0, c)


def pflr_star(
        X: ArrayLike, y: ArrayLike, A: ArrayLike, epsilon: float,
        rng: np.random.Generator, *, alpha: float = 1.0, pays: bool = False,
        as_printed: bool = False) -> NoisyFit:
    """PFLR*: Laplace noise whose mean is the covariance, on the coefficients of degree one.

    Source: the baseline PFLR* (Ding et al. 2020; Xu, Yuan and Wu 2019, reconstructed). Privacy unit: one whole tuple is replaced, m
    public. The noise is that of plain logistic regression: epsilon is about 1.9 times the one asked for at d = 10.

    Parameters
    ----------
    X, y, A : as in :func:`pdfc`
    epsilon : float in [1e-9, 1e9]
        Asked for.
    rng : numpy.random.Generator
    alpha : float in [0.1, 1e6]
        Weight of the shift.
    pays : bool
        Noise for what is released: then epsilon holds.
    as_printed : bool
        Noise for d^2/4 + d, or with ``pays`` d^2/4 + 3d; else for the certified numbers.

    Examples
    --------
    >>> X = np.tile([[0.8, 0.1], [0.1, 0.8]], (5000, 1))
    >>> y, A = np.tile([1, 0], 5000), np.tile([0, 0, 1, 0], 2500)
    >>> fits = [pflr_star(X, y, A, 1.0, np.random.default_rng(0), pays=pays) for pays in (False, True)]
    >>> [round(fit.releases_[0].epsilon, 2) for fit in fits]
    [2.11, 1.0]
    """
    X, y = in_domain(X, y, A)
    alpha = check.number("alpha", alpha, low=0.1, high=1e6)
    objective = merged_quadratic(X, y, A, alpha)
    d = len(objective.b)
    noise_for = (fair_l1(d, alpha, as_printed=as_printed)
                 if check.flag("pays", pays)
                 else logistic_l1(d, as_printed=as_printed))
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e9)
    noisy, record = release(
        "laplace", objective.coefficients(), rng, unit=UNIT_TUPLE,
        sensitivity=fair_l1(d, alpha), scale=noise_for / epsilon)
    f = Quadratic.of_coefficients(noisy)
    w = minimum(f, ridge=4 * math.sqrt(2) * record.scale)
    return NoisyFit(w, f, (record,), epsilon)
