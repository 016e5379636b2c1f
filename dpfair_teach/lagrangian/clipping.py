"""What a clip costs, and which costs least; and what people who do not say their group do to a measured violation."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .. import _checks as check
from .sensitivity import means_sensitivity, multipliers_of, normalisers_of, theorem_2

__all__ = ["mean_length", "clip_error_bound", "best_clip", "public_clip", "theorem_6", "theorem_7", "reported_violations"]


def mean_length(n_parameters: int) -> float:
    """The mean length of a standard normal vector in p dimensions: at most sqrt(p), and for one dimension 0.798.

    Source: the chi distribution; Tran et al. 2020, proofs of Theorems 6 and 7, take sqrt(p) (gap T24).

    Parameters
    ----------
    n_parameters : int in 1..10^12
        p.

    Examples
    --------
    >>> round(mean_length(1), 3), round(mean_length(5000) / 5000**0.5, 5)
    (0.798, 0.99995)
    """
    p = check.integer("n_parameters", n_parameters, low=1, high=10**12)
    return math.sqrt(2) * float(special.poch(p / 2, 0.5))


def _weighted(norms: object, weights: object, noise: object) -> tuple[np.ndarray, np.ndarray, float]:
    lengths = check.filled("norms", check.array("norms", norms, ndim=1, low=0.0, high=1e100), "person")
    w = check.array("weights", weights, ndim=1, low=0.0, high=1e100)
    if w.size != lengths.size:
        check.refuse("weights", w.shape, f"not as many as norms, {lengths.shape}", "Give norms and weights one entry for each person.")
    return lengths, w, check.number("noise", noise, low=0.0, high=1e100)


def clip_error_bound(norms: ArrayLike, weights: ArrayLike, clip: ArrayLike, noise: float) -> np.ndarray:
    """noise times the clip, plus the weighted sum of what clipping takes off: bounds the error of a clipped and noisy sum of vectors.

    Source: ours, the form that Tran et al. 2020, Theorems 6 and 7 share.

    Parameters
    ----------
    norms : (m,) array in [0, 1e100]
        l, of everybody's gradient.
    weights : (m,) array in [0, 1e100]
        Absolute weight of each in the sum.
    clip : float or array in [0, 1e100]
        C.
    noise : float in [0, 1e100]
        Mean length of the noise at C = 1.

    Returns
    -------
    array of the shape of ``clip``

    Examples
    --------
    >>> clip_error_bound([1, 2, 4], [1, 1, 1], [0, 1, 2, 4], noise=1.5)
    array([7. , 5.5, 5. , 6. ])
    """
    lengths, w, noise = _weighted(norms, weights, noise)
    C = check.array("clip", clip, low=0.0, high=1e100)
    order = np.argsort(lengths)
    lengths, w = lengths[order], w[order]
    above = np.append(np.cumsum(w[::-1])[::-1], 0.0)                     # weight, and weighted length, of those from the i-th on
    long = np.append(np.cumsum((w * lengths)[::-1])[::-1], 0.0)
    first = np.searchsorted(lengths, C, side="right")
    return noise * C + np.maximum(long[first] - C * above[first], 0.0)


@dataclass(frozen=True)
class BestClip:
    """The clips for which the bound is least: all of [``low``, ``high``], mostly one number; and the ``bound`` there. Without noise, all
    from the longest norm on."""

    low: float
    high: float
    bound: float


def best_clip(norms: ArrayLike, weights: ArrayLike, noise: float) -> BestClip:
    """The clip for which :func:`clip_error_bound` is least: a weighted quantile of the norms.

    Source: ours, against Tran et al. 2020, after Theorem 6, whose equality mostly has no solution (gap T23).

    Parameters
    ----------
    norms, weights, noise : as in :func:`clip_error_bound`

    Examples
    --------
    >>> best_clip([1, 2, 4], [1, 1, 1], noise=2)                # as much as two people weigh
    BestClip(low=1.0, high=2.0, bound=6.0)
    """
    clip_error_bound(norms, weights, 0.0, noise)    # refuses what it cannot be
    down = np.argsort(norms)[::-1]                  # from the longest norm down
    length = np.append(np.asarray(norms, float)[down], 0.0)
    together = np.append(np.cumsum(np.asarray(weights, float)[down]), np.inf)
    alike = np.isclose(together, noise, rtol=1e-12, atol=0)
    low = length[(together > noise) & ~alike][0]    # where it first exceeds it
    high = length[(together >= noise) | alike][0]   # where it first reaches it
    return BestClip(float(low), float(high) if noise else np.inf,
                    float(clip_error_bound(norms, weights, low, noise)))


def theorem_6(norms: ArrayLike, A: ArrayLike, multipliers: ArrayLike, clip: float, noise_multiplier: float, n_parameters: int, *,
              as_printed: bool = False) -> float:
    """A bound on the mean error of the private gradient of the group term: the noise's mean length, and what clipping takes off.

    Source: Tran et al. 2020, Theorem 6. As printed it is false: it bounds the distance between the gradient of the absolute violations and
    the sum of absolute values of equation (10), which may differ without noise and clipping (gap T22), and its sensitivity is that of
    Theorem 1. With signed multipliers, everybody's gradient clipped and noise of sigma times :func:`means_sensitivity` it is true.

    Parameters
    ----------
    norms : (m,) array in [0, 1e100]
        Of everybody's gradient, before clipping. Public.
    A : (m,) array of 0..k-1
        Groups. Private.
    multipliers : (k,) array in [-1e12, 1e12]
    clip : float in [0, 1e100]
        C.
    noise_multiplier : float in [0, 1e6]
        sigma_p.
    n_parameters : int in 1..10^12
        p.
    as_printed : bool
        2 sqrt(p) sigma lambda C / (min - 1) for the noise, lambda the largest multiplier; the multipliers must not be negative.

    Examples
    --------
    >>> norms, A = [1.0, 3.0, 1.0, 1.0], [0, 0, 1, 1]
    >>> theorem_6(norms, A, [1, -1], 2.0, 0.0, 10), round(theorem_6(norms, A, [1, -1], 2.0, 1.0, 10), 2)
    (0.5, 10.78)
    """
    lengths = check.filled("norms", check.array("norms", norms, ndim=1, low=0.0, high=1e100), "person")
    nu = multipliers_of(multipliers)
    A = check.groups_below("A", A, nu.size, of="norms", length=lengths.size)
    C, sigma = check.number("clip", clip, low=0.0, high=1e100), check.number("noise_multiplier", noise_multiplier, low=0.0, high=1e6)
    n = np.bincount(A, minlength=nu.size)
    if n.min() < 1:
        check.refuse("A", int(n.argmin()), f"group {n.argmin()} holds nobody, so it has no mean", "Leave that group out.")
    noise = mean_length(n_parameters) * sigma
    if check.flag("as_printed", as_printed):
        if nu.min() < 0:
            check.refuse("multipliers", float(nu.min()), "below 0: the printed multipliers are not", "Choose as_printed=False.")
        noise = math.sqrt(n_parameters) * sigma * 2 * nu.max() / (n.min() - 1) if n.min() > 1 else math.inf
    elif sigma:
        noise *= means_sensitivity(n, nu, 1.0)
    return float(clip_error_bound(lengths, np.abs(nu)[A] / n[A], C, 0.0) + (C * noise if C and sigma else 0.0))


def theorem_7(values: ArrayLike, n_left: float, n_joined: float, clip: float, noise_multiplier: float, *,
              as_printed: bool = False) -> float:
    """A bound on the mean error of one private violation: the noise's mean size, and what clipping takes off.

    Source: Tran et al. 2020, Theorem 7 (gap T24): its step (20) is an inequality, and the mean size of the noise is 0.798 of its standard
    deviation. The sensitivity is that of :func:`theorem_2`, for h clipped to [-C, C], or to [0, C] if no value is negative.

    Parameters
    ----------
    values : (n,) array
        h of the group's people, before clipping.
    n_left, n_joined : as in :func:`theorem_1`
    clip : float in [1e-9, 1e12]
        C_d.
    noise_multiplier : float in [0, 1e6]
        sigma_d.
    as_printed : bool
        sqrt(2) C_d sigma_d / (min - 1) for the noise.

    Examples
    --------
    >>> round(theorem_7([0.2, 0.9], 20, 20, 0.5, 1.0), 4), round(theorem_7([0.2, 0.9], 20, 20, 0.5, 1.0, as_printed=True), 4)
    (0.2275, 0.2372)
    """
    h = check.filled("values", check.array("values", values, ndim=1, low=-1e12, high=1e12), "person")
    C, sigma = check.number("clip", clip, low=1e-9, high=1e12), check.number("noise_multiplier", noise_multiplier, low=0.0, high=1e6)
    moves = theorem_2(n_left, n_joined, 0.0 if h.min() >= 0 else -C, C, as_printed=as_printed)
    bias = np.maximum(np.abs(h) - C, 0).mean()
    return float(bias + (sigma * moves * (1.0 if as_printed else mean_length(1)) if sigma else 0.0))


@dataclass(frozen=True)
class PublicClip:
    """A ``clip`` of public numbers: its bound is at most ``loses`` times the least, whoever is in which group."""

    clip: float
    loses: float


def public_clip(norms: ArrayLike, weights: ArrayLike, sizes: ArrayLike, noise: float) -> PublicClip:
    """The best clip as if everybody had the mean weight: a plain quantile of the norms, for which A is not read.

    Source: ours, for Tran et al. 2020, after Theorem 6 (gap T23): its bound is within heaviest / lightest weight of the least there is.
    With norms that are distributed alike in all groups of these sizes nothing is lost.

    Parameters
    ----------
    norms : (m,) array in [0, 1e100]
        Of everybody's gradient. Public.
    weights : (k,) array in [0, 1e100]
        Absolute weight of a member of each group, such as abs(nu) / N; not all 0. Public.
    sizes : (k,) array in [1e-6, 1e15]
        What the groups are taken to hold. Public.
    noise : float in [0, 1e100]
        Mean length of the noise at C = 1.

    Returns
    -------
    PublicClip
        Of an interval of best clips the lowest, which has the least noise.

    Examples
    --------
    >>> public_clip([1, 2, 4, 8], weights=[1, 3], sizes=[2, 2], noise=2.5)
    PublicClip(clip=4.0, loses=3.0)
    """
    w = check.array("weights", weights, ndim=1, low=0.0, high=1e100, booleans=False)
    if not 2 <= w.size <= 1000 or w.max() == 0:
        check.refuse("weights", w.tolist(), "not one weight for each of 2 to 1000 groups, some above 0",
                     "Give each group's weight; where all are 0 there is nothing to clip.")
    N = check.array("sizes", sizes, ndim=1, length=w.size, low=1e-6, high=1e15, booleans=False)
    lengths = check.filled("norms", check.array("norms", norms, ndim=1, low=0.0, high=1e100), "person")
    mean = float(w @ N / N.sum())
    found = best_clip(lengths, np.full(lengths.size, mean), noise)
    return PublicClip(found.low, float(w.max() / w.min()) if w.min() > 0 else math.inf)


def reported_violations(values: ArrayLike, A: ArrayLike, reports: ArrayLike, normalisers: ArrayLike, *, centred: bool = True) -> np.ndarray:
    """How far each group's mean of h seems to be from everybody's, by the sum over those who say their group and a fixed normaliser.

    Source: ours, for Tran et al. 2020, Section 7 (gap T25). Of the centred sum, (1/N) sum (mu - h), a wrong N, or another rate of saying,
    rescales the violation, and 0 stays 0. The plain one, mu - (1/N) sum h, calls a fair model unfair. Neither repairs that the mean of
    those who say it is not that of the group. No noise: privacy unit and noise are those of :func:`noisy_violations`.

    Parameters
    ----------
    values : (m,) array in [-1e100, 1e100]
        h of each person. Public.
    A : (m,) array of 0..k-1
        Groups. Private; of the silent ones not read.
    reports : (m,) array of 0/1
        Who says it.
    normalisers : (k,) array in [1e-6, 1e15]
        N, public: how many are expected to say it.
    centred : bool

    Returns
    -------
    (k,) array

    Examples
    --------
    >>> h, A = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0, 0, 0, 0, 1, 1]           # fair; of group 0 only half say it
    >>> reported_violations(h, A, [1, 1, 0, 0, 1, 1], [4, 2]), reported_violations(h, A, [1, 1, 0, 0, 1, 1], [4, 2], centred=False)
    (array([0., 0.]), array([0.25, 0.  ]))
    """
    h = check.filled("values", check.array("values", values, ndim=1, low=-1e100, high=1e100), "person")
    N = normalisers_of(normalisers)
    A = check.groups_below("A", A, N.size, of="values", length=h.size)
    says = check.array("reports", reports, ndim=1, length=h.size, low=0.0, high=1.0)
    if not np.isin(says, (0, 1)).all():
        check.refuse("reports", float(says[~np.isin(says, (0, 1))][0]), "neither 0 nor 1", "Give 1 for who says the group, else 0.")
    told = says[:, None] * np.eye(N.size)[A]
    if check.flag("centred", centred):
        return (h.mean() - h) @ told / N
    return h.mean() - h @ told / N
