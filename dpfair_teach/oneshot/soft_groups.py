"""One Gaussian answer about the groups of everybody, and the logistic model of P(A = a | x, y) that follows from it."""
from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from .. import _checks as check
from .. import mechanisms
from ..mechanisms import UNIT_A, Release, release

__all__ = ["group_contrasts", "release_contrasts", "soft_groups"]

_ROUNDS = 40
_NEAR = 1e-4        # a Newton step that moves nobody's logit by more is the last


def group_contrasts(n_groups: int) -> np.ndarray:
    """Orthonormal directions in which k groups differ: B (k, k-1), with B^T B = I and columns that sum to 0.

    Source: ours (Helmert's contrasts). Row a stands for group a. Any two rows are sqrt(2) apart, so all moves of a person cost the same.

    Parameters
    ----------
    n_groups : int in 2..1000

    Returns
    -------
    array (k, k-1)

    Raises
    ------
    ValueError
        ``n_groups`` out of range.

    Examples
    --------
    >>> group_contrasts(2).round(3).tolist()
    [[-0.707], [0.707]]
    """
    k = check.group_count(n_groups)
    B = np.zeros((k, k - 1))
    for j in range(1, k):
        B[:j, j - 1], B[j, j - 1] = -1 / math.sqrt(j * (j + 1)), j / math.sqrt(j * (j + 1))
    return B


def _features(features: ArrayLike) -> np.ndarray:
    features = check.filled("features", check.array("features", features, ndim=2, low=-1e100, high=1e100), "number")
    if not features.any():
        check.refuse("features", 0.0, "are all 0: nobody has a feature", "Give features that are not all 0.")
    return features


def longest_row(features: np.ndarray) -> float:
    """The largest length of a row. Entries are brought near 1 first, by a power of two: squares of tiny ones would vanish, and with
    them the noise; nothing else is rounded by it."""
    by = np.ldexp(1.0, np.frexp(np.abs(features).max())[1])
    return float(np.linalg.norm(features / by, axis=1).max() * by) if by > 0 else 0.0


def exact_rows(features: np.ndarray) -> np.ndarray:
    """Cut off toward 0 to multiples of a public power of two, so small that sums of everybody's are exact in doubles in any order. X is
    public, so its largest entry may say which; no row becomes longer, so no sensitivity does."""
    unit = max(np.ldexp(1.0, int(np.frexp(np.abs(features).max())[1]) + (len(features) - 1).bit_length() - 53), 5e-324)
    return np.trunc(features / unit) * unit


def release_contrasts(features: ArrayLike, A: ArrayLike, epsilon: float, delta: float, rng: np.random.Generator, *,
                      n_groups: int = 2) -> tuple[np.ndarray, Release]:
    """Sum everybody's public features, one sum for each of k-1 contrasts of the groups, with Gaussian noise: all that the model asks of A.

    Source: ours. The query is c = sum_i f_i b(A_i)^T, with b(a) row a of :func:`group_contrasts`; f_i is public, a function of x_i and y_i.
    Privacy unit: one person's A changes. If i moves from a to a', c changes by f_i (b(a') - b(a))^T and by nothing else, whose Frobenius
    norm is ||f_i||_2 ||b(a') - b(a)||_2 = sqrt(2) ||f_i||_2, for any two groups: rows of an orthonormal B differ by
    ||e_a' - e_a|| = sqrt(2), less what lies along 1, which is nothing. So the l2 sensitivity is sqrt(2) max_i ||f_i||_2; it is attained,
    and public, because X and y are. Features are cut off to a public grid, on which the sum of each group is exact; that the sums are put
    together in doubles adds 2^-49 k m max_i ||f_i||_2: in each of two worlds the product with B is off by at most k 2^-53 || |B| ||_2 times
    the sums' norm, which is at most m max_i ||f_i||_2, and || |B| ||_2 is below 4 up to 1000 groups. The noise is exactly calibrated, noisy
    sums are rounded to a public grid.

    Parameters
    ----------
    features : array (m, d)
        Public. Their largest norm sets the noise: clip the rows of people who stand far out.
    A : int array (m,)
        Groups 0..k-1.
    epsilon : float in [1e-9, 1e3]
    delta : float in [1e-100, 1 - 1e-9]
    rng : numpy.random.Generator
    n_groups : int in 2..1000
        k, public.

    Returns
    -------
    (array (d, k-1), accounting.Release)

    Raises
    ------
    ValueError
        Arrays of different lengths, features that are all 0, a code of n_groups or above, numbers out of range.

    Examples
    --------
    >>> c, release = release_contrasts([[1, 0], [3, 4]], [0, 1], 1e3, 1e-6, np.random.default_rng(0))
    >>> (c[:, 0] * np.sqrt(2)).round(0).tolist(), round(release.sensitivity, 3)
    ([2.0, 4.0], 7.071)
    """
    features, B = _features(features), group_contrasts(n_groups)
    A = check.groups_below("A", A, len(B), of="features", length=len(features))
    rows = exact_rows(features)
    sums = np.stack([rows[A == a].sum(axis=0) for a in range(len(B))])
    sensitivity = (math.sqrt(2) + 2.0**-49 * len(B) * len(features)) * longest_row(features)
    sigma = mechanisms.gaussian_sigma(sensitivity, epsilon, delta)
    return release("gaussian", sums.T @ B, check.rng(rng), unit=UNIT_A, sensitivity=sensitivity, scale=sigma)


def soft_groups(features: ArrayLike, contrasts: ArrayLike, scale: float, *, n_groups: int = 2, prior: ArrayLike = 1.0) -> np.ndarray:
    """Weights W of the model P(A = a | x, y) proportional to exp((f W b_a)), from the noisy answer alone.

    Source: ours. A logistic model sees A through the sums c = sum_i f_i b(A_i)^T only. Given W, c has mean sum_i f_i E[b]^T and covariance
    H(W) + scale^2 I, H the Fisher information: the second term is the noise, which plain logistic regression on noisy sums would take for
    people. Here W solves the quasi-likelihood equations under normal weights of variance ``prior``, by Gauss and Newton's steps with that
    covariance.
    Post-processing.

    Parameters
    ----------
    features : array (m, d)
        As they were asked about.
    contrasts : array (d, k-1)
        The answer of :func:`release_contrasts`.
    scale : float in [0, 1e100]
        Standard deviation of its noise.
    n_groups : int in 2..1000
    prior : float, or array (d,), in [1e-12, 1e12]
        Prior variance of a feature's weights.

    Returns
    -------
    array (d, k-1)

    Raises
    ------
    ValueError
        Shapes that do not fit, numbers out of range.

    Examples
    --------
    Three of four people are in group 1, without noise: with a wide prior the model says so.

    >>> W = soft_groups(np.ones((4, 1)), [[2 / np.sqrt(2)]], 0.0, prior=1e6)
    >>> softmax(W @ group_contrasts(2).T, axis=1).round(3).tolist()
    [[0.25, 0.75]]
    """
    F, B = _features(features), group_contrasts(n_groups)
    c = check.array("contrasts", contrasts, ndim=2, low=-1e200, high=1e200)
    if c.shape != (F.shape[1], B.shape[1]):
        check.refuse("contrasts", c.shape, f"is not of {F.shape[1]} features and n_groups - 1 = {B.shape[1]} contrasts",
                     "Give the answer of release_contrasts for these features and n_groups.")
    variance = check.number("scale", scale, low=0.0, high=1e100) ** 2
    d, q = c.shape
    prior = check.array("prior", prior, low=1e-12, high=1e12)
    if prior.ndim and prior.shape != (d,):
        check.refuse("prior", prior.shape, f"is neither a number nor one for each of {d} features", "Give one variance, or one for each.")
    precision = np.tile(np.broadcast_to(1 / prior, (d,)), q)
    W = np.zeros((d, q))
    for _ in range(_ROUNDS):
        p = softmax(F @ W @ B.T, axis=1)
        H = _information(F, p, B)
        M = np.linalg.solve(H + (variance + 1e-9 * np.trace(H) / len(H)) * np.eye(q * d), H)
        slope = M.T @ (c - F.T @ (p @ B)).T.ravel() - precision * W.T.ravel()
        step = np.linalg.solve(H @ M + np.diag(precision), slope).reshape(q, d).T
        moved = float(np.abs(F @ step).max())
        W = W + step * min(1.0, 2.0 / max(moved, 1e-300))      # far from the answer a full step may overshoot
        if moved < _NEAR:
            break
    return W


def _information(F: np.ndarray, p: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Covariance of the exact sums under the model, (q d, q d): people draw their groups independently."""
    d, q = F.shape[1], B.shape[1]
    mean, H = p @ B, np.empty((q, d, q, d))
    for i in range(q):
        for j in range(i, q):
            H[i, :, j, :] = (F.T * (p @ (B[:, i] * B[:, j]) - mean[:, i] * mean[:, j])) @ F
            H[j, :, i, :] = H[i, :, j, :].T
    return H.reshape(q * d, q * d)
