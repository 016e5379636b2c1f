"""Ours: second moments of everybody's row, label and group in one Gaussian release; every fair least-squares fit is post-processing."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..accounting import UNIT_TUPLE, Release
from ..mechanisms import gaussian, gaussian_sigma
from .people import sums, unit_rows
from .quadratic import Quadratic

__all__ = ["Moments", "denoised_gram", "free_gram_weight", "group_vertices", "moments_l2", "release_moments"]


def group_vertices(n_groups: int) -> np.ndarray:
    """k points of R^(k-1) with distances 1 from each other and mean 0, one for each group; of two groups -1/2 and 1/2.

    Source: ours. For u, v of them, [u = v] = 1/k + 2 u.v: sums of rows times points tell every group's sum.

    Parameters
    ----------
    n_groups : int in 2..1000

    Returns
    -------
    (k, k-1) array

    Raises
    ------
    ValueError
        Another number of groups.

    Examples
    --------
    >>> V = group_vertices(3)
    >>> (1 / 3 + 2 * V @ V.T).round(12) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    k = check.group_count(n_groups)
    V: np.ndarray = np.zeros((k, k - 1))
    for a in range(1, k):           # each new point above the middle of those before
        V[:a, a - 1], V[a, a - 1] = -1.0, a
        V[:, a - 1] *= math.sqrt(1 / (2 * a * (a + 1)))
    return V


def free_gram_weight(n_groups: int | None = None, group_weight: float = 1.0) -> float:
    """The largest weight of x x' for which it costs nothing: the sensitivity of what is released stays that of labels and groups.

    Source: ours. A pair of tuples that changes x x' changes the sum of labelled rows less. Squared: 1/8, and with groups 1/8 + w^2 / (4k).

    Parameters
    ----------
    n_groups : int in 2..1000, optional
        None: no groups are asked about.
    group_weight : float in [1e-3, 1e3]
        w.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> round(free_gram_weight(), 4), free_gram_weight(2)
    (0.3536, 0.5)
    """
    w = check.number("group_weight", group_weight, low=1e-3, high=1e3)
    return math.sqrt(0.125 if n_groups is None else 0.125 + w * w / (4 * check.group_count(n_groups)))


def moments_l2(n_groups: int | None = None, *, group_weight: float = 1.0, gram_weight: float | None = None) -> float:
    """l2 sensitivity of (y - 1/2) x, w v_a x and g x x', summed over people, for rows of norm at most 1 and any sign.

    Source: ours. By c, the inner product of the two rows, the squared move is at most (1 +- c) / 2 for the labels, w^2 (k - 1 + c) / k or
    w^2 (1 - c)(k - 1) / k for the groups, and 2 g^2 (1 - c^2) for x x': a parabola in c for each of the four, and the largest value on
    [-1, 1] is attained by rows of norm 1 from two features on. At the free g it is 1, sqrt(1 + w^2) with two groups.

    Parameters
    ----------
    n_groups : int in 2..1000, optional
        k; None: no groups.
    group_weight : float in [1e-3, 1e3]
        w.
    gram_weight : float in [1e-3, 1e3], optional
        g; None: :func:`free_gram_weight`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> moments_l2(), round(moments_l2(2), 4), round(moments_l2(2, gram_weight=1.0), 4)
    (1.0, 1.4142, 1.7678)
    """
    w = check.number("group_weight", group_weight, low=1e-3, high=1e3)
    g = free_gram_weight(n_groups, w) if gram_weight is None else check.number("gram_weight", gram_weight, low=1e-3, high=1e3)
    k = 1 if n_groups is None else check.group_count(n_groups)
    lines = [(0.5, slope) for slope in (0.5, -0.5)]                     # (value at c = 0, slope)
    if n_groups is not None:
        share = (k - 1) / k
        lines = [(at + w * w * share, slope + w * w * more) for at, slope in lines for more in (1 / k, -share)]
    return math.sqrt(max(at + slope * c + 2 * g * g * (1 - c * c) for at, slope in lines
                         for c in (-1.0, 1.0, min(max(slope / (4 * g * g), -1.0), 1.0))))


class Moments(NamedTuple):
    """What was released of m people whose first feature is ``constant``, with noise of standard deviation ``sigma`` a number.

    ``by_label`` (d,) is X'(y - 1/2); ``by_group`` (k-1, d) the sums of rows times :func:`group_vertices`, with sigma / ``group_weight``, or
    None; ``gram`` (d, d) is X'X, with sigma / ``gram_weight`` on its diagonal and sqrt(2) times less off it.
    """

    m: int
    constant: float
    by_label: np.ndarray
    by_group: np.ndarray | None
    gram: np.ndarray
    sigma: float
    group_weight: float
    gram_weight: float

    def objective(self) -> Quadratic:
        """The noisy second-order form of the log loss."""
        return Quadratic(-self.by_label, self.gram / 4)

    def gram_deviation(self) -> float:
        """Of the diagonal of ``gram``; the noise has eigenvalues up to about sqrt(2d) times that."""
        return self.sigma / self.gram_weight

    def total(self) -> np.ndarray:
        """The sum of all rows, (d,): the constant's row of X'X over the constant; its own entry is public."""
        total = self.gram[0] / self.constant
        total[0] = self.m * self.constant
        return total

    def covariances(self) -> np.ndarray:
        """Each group's sum of (1[a] - its share) x, by the release: of two groups (1, d), for group 1, else (k, d).

        The first column of X is a positive constant: so its sums count people.
        """
        if self.by_group is None:
            check.refuse("by_group", None, "no group was asked about", "Give A to release_moments.")
        V, total = group_vertices(len(self.by_group) + 1), self.total()
        sums_of = total / len(V) + 2 * V @ self.by_group
        found = sums_of - np.outer(sums_of[:, 0] / total[0], total)
        return found[1:] if len(V) == 2 else found


def denoised_gram(moments: Moments, ridge: float = 2.0) -> np.ndarray:
    """X'X as far as the noise leaves it: features' own variances, and what of their covariances stands out of the noise.

    Source: ours; post-processing of a release. Of the d - 1 features beside the constant, centred by the constant's own row, the diagonal is
    kept, at least 0. Noise alone gives the rest eigenvalues up to about sqrt(2 (d - 1)) deviations: smaller ones become 0, a larger one l
    becomes sqrt(l^2 - that^2). What is then negative becomes 0, and ``ridge`` deviations are added. So a feature that the noise hides counts
    as one that varies on its own, and not as one that does not vary.

    Parameters
    ----------
    moments : Moments
        With a constant first feature.
    ridge : float in (0, 1e6]
        In deviations of the diagonal's noise.

    Returns
    -------
    (d, d) array, positive definite

    Raises
    ------
    ValueError
        No constant feature, a number out of range.

    Examples
    --------
    >>> X = np.column_stack([np.full(4000, 0.5), np.tile([0.6, -0.6], 2000)])
    >>> moments, _ = release_moments(X, np.tile([1, 0], 2000), np.arange(4000) < 900, 1.0, 1e-6, np.random.default_rng(0))
    >>> denoised_gram(moments).round(-1)                     # without noise 1000, 0 and 1440; the ridge adds 24
    array([[1000.,    0.],
           [   0., 1480.]])
    """
    if not isinstance(moments, Moments) or not moments.constant:
        check.refuse("moments", moments, "are no Moments with a constant first feature", "Give what release_moments returned with A.")
    s = check.number("ridge", ridge, low=0.0, low_open=True, high=1e6) * moments.gram_deviation()
    mean = moments.total() / moments.m
    C = (moments.gram - moments.m * np.outer(mean, mean))[1:, 1:]
    own = np.maximum(np.diag(C), 0.0)
    values, vectors = np.linalg.eigh(C - np.diag(np.diag(C)))
    edge = math.sqrt(2 * len(own)) * moments.gram_deviation()
    kept = np.sign(values) * np.sqrt(np.maximum(values**2 - edge**2, 0.0))
    values, vectors = np.linalg.eigh(np.diag(own) + (vectors * kept) @ vectors.T)
    found = moments.m * np.outer(mean, mean)
    found[1:, 1:] += (vectors * (np.maximum(values, 0.0) + s)) @ vectors.T
    return found


def release_moments(X: ArrayLike, y: ArrayLike, A: ArrayLike | None, epsilon: float, delta: float, rng: np.random.Generator, *,
                    n_groups: int = 2, group_weight: float = 1.0) -> tuple[Moments, Release]:
    """Release the second moments of row, label and group with Gaussian noise, in one answer.

    Source: ours. Privacy unit: one whole tuple (x, y, a) is replaced, m public. (epsilon, delta), exactly calibrated to
    :func:`moments_l2`. The matrix rides free: its weight is the largest that leaves the sensitivity that of labels and groups. Nothing is
    centred at a mean of these people: covariances follow from the sums (:meth:`Moments.covariances`). Drawn in doubles, see
    :mod:`dpfair_teach.mechanisms`.

    Parameters
    ----------
    X : (m, d) array
        Rows of norm at most 1, of any sign. The first column is the same positive number for everybody, and public, if covariances are
        wanted.
    y : (m,) array of 0/1
    A : (m,) array of ints 0..k-1, or None
    epsilon : float in [1e-9, 1e3]
    delta : float in [1e-100, 1 - 1e-9]
    rng : numpy.random.Generator
    n_groups : int in 2..1000
    group_weight : float in [1e-3, 1e3]
        Of the groups' sums beside the labels': larger asks them more loudly.

    Returns
    -------
    Moments, Release

    Raises
    ------
    ValueError
        A row longer than 1, arrays that do not fit, a number out of range.

    Examples
    --------
    >>> X = np.full((1000, 1), 0.5)
    >>> moments, release = release_moments(X, np.arange(1000) < 300, None, 1.0, 1e-6, np.random.default_rng(0))
    >>> moments.by_label.round(), release.sensitivity
    (array([-99.]), 1.0)
    """
    rows = check.filled("X", check.rows("X", X, low=-1e50, high=1e50), "person")
    constant = 0.0 if A is None else _constant(rows)
    return released(rows, constant, unit_rows, y, A, epsilon, delta, rng, n_groups=n_groups, group_weight=group_weight)


def released(X: np.ndarray, constant: float, framed: Callable[[np.ndarray], np.ndarray], y: ArrayLike, A: ArrayLike | None, epsilon: float,
             delta: float, rng: np.random.Generator, *, n_groups: int, group_weight: float) -> tuple[Moments, Release]:
    """The moments of rows as ``framed`` makes them of some people's: it refuses those that are longer than 1."""
    y = check.labels("y", y, length=len(X))
    columns, k = [(y - 0.5)[:, None]], None
    w = check.number("group_weight", group_weight, low=1e-3, high=1e3)
    if A is not None:
        k = check.group_count(n_groups)
        columns.append(w * group_vertices(k)[check.groups_below("A", A, k, length=len(X))])
    g, sensitivity = free_gram_weight(k, w), moments_l2(k, group_weight=w)
    sigma, rng = gaussian_sigma(sensitivity, epsilon, delta), check.rng(rng)
    gram, toward = sums(X, np.hstack(columns), framed)
    d = len(gram)
    rows, cols = np.triu_indices(d)
    stretch = g * np.where(rows == cols, 1.0, math.sqrt(2))             # so that the l2 norm of these is g times Frobenius's
    answer = gaussian(np.r_[toward.ravel(), stretch * gram[rows, cols]], sensitivity, epsilon, delta, rng)
    release = Release("gaussian", UNIT_TUPLE, sensitivity=sensitivity, scale=sigma)
    noisy: np.ndarray = np.zeros((d, d))
    noisy[rows, cols] = noisy[cols, rows] = answer[toward.size:] / stretch
    told = answer[:toward.size].reshape(toward.shape)
    return Moments(len(X), constant, told[0], told[1:] / w if k else None, noisy, sigma, w, g), release


def _constant(X: np.ndarray) -> float:
    """The first feature, the same for everybody."""
    first = np.asarray(X[:, 0], dtype=float)
    if first[0] <= 0 or (first != first[0]).any():
        check.refuse("X[:, 0]", (float(first.min()), float(first.max())),
                     "is not one positive number for everybody, and groups are counted by it",
                     "Put a constant column first, or give A=None.")
    return float(first[0])
