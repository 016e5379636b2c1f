"""Ours: second moments of everybody's row, label and group in one Gaussian release; every fair least-squares fit is post-processing."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..accounting import UNIT_TUPLE, Release
from ..mechanisms import gaussian, gaussian_sigma
from .people import read_labels, read_rows, sums, unit_rows
from .quadratic import Quadratic, symmetric

__all__ = ["Moments", "denoised_gram", "free_gram_weight", "gram_noise", "group_vertices", "moments_l2", "release_moments"]


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


def free_gram_weight(n_groups: int | None = None, group_weight: float | None = None) -> float:
    """The largest weight of x x', from two features on, for which it costs nothing: the sensitivity stays that of labels and groups.

    Source: ours. A pair of tuples that changes x x' changes the sum of labelled rows less. Squared: 1/8, and with groups
    1/8 + w^2 (k - 1) / (4k). With that, every parabola of :func:`moments_l2` is below the largest at its end.

    Parameters
    ----------
    n_groups : int in 2..1000, optional
        None: no groups are asked about.
    group_weight : float in [1e-3, 1e3], optional
        w, with groups; None: 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        A number out of range; a weight without groups.

    Examples
    --------
    >>> round(free_gram_weight(), 4), free_gram_weight(2), round(free_gram_weight(5), 4)
    (0.3536, 0.5, 0.5701)
    """
    k, w = _groups(n_groups, group_weight)
    return math.sqrt(0.125 + w * w * (1 - 1 / k) / 4)


def _groups(n_groups: int | None, group_weight: float | None) -> tuple[int, float]:
    """How many groups are asked about, and how loudly; of none, one that everybody is in."""
    if n_groups is None:
        check.unread("n_groups=None", "n_groups", group_weight=group_weight)
    w = 1.0 if group_weight is None else check.number("group_weight", group_weight, low=1e-3, high=1e3)
    return 1 if n_groups is None else check.group_count(n_groups), w


def moments_l2(n_groups: int | None = None, *, group_weight: float | None = None, gram_weight: float | None = None) -> float:
    """l2 sensitivity of (y - 1/2) x, w v_a x and g x x', summed over people, for rows of norm at most 1 and any sign.

    Source: ours. By c, the inner product of the two rows, the squared move is at most (1 +- c) / 2 for the labels, w^2 (k - 1 + c) / k or
    w^2 (1 - c)(k - 1) / k for the groups, and 2 g^2 (1 - c^2) for x x': a parabola in c for each of the four, and the largest value on
    [-1, 1] is attained by rows of norm 1 from two features on. At the free g it is 1, and with groups sqrt(1 + 2 w^2 (k - 1) / k): by one
    row with another label and, of two groups, another group; or by two opposite rows.

    Parameters
    ----------
    n_groups : int in 2..1000, optional
        k; None: no groups.
    group_weight : float in [1e-3, 1e3], optional
        w, with groups; None: 1.
    gram_weight : float in [1e-3, 1e3], optional
        g; None: :func:`free_gram_weight`.

    Returns
    -------
    float

    Examples
    --------
    >>> moments_l2(), round(moments_l2(2), 4), round(moments_l2(2, gram_weight=1.0), 4)
    (1.0, 1.4142, 1.7678)
    """
    k, w = _groups(n_groups, group_weight)
    g = free_gram_weight(n_groups, group_weight) if gram_weight is None else check.number("gram_weight", gram_weight, low=1e-3, high=1e3)
    lines = [(0.5, slope) for slope in (0.5, -0.5)]                     # (value at c = 0, slope)
    if k > 1:
        share = (k - 1) / k
        lines = [(at + w * w * share, slope + w * w * more) for at, slope in lines for more in (1 / k, -share)]
    return math.sqrt(max(at + slope * c + 2 * g * g * (1 - c * c) for at, slope in lines
                         for c in (-1.0, 1.0, min(max(slope / (4 * g * g), -1.0), 1.0))))


@dataclass(frozen=True, eq=False)
class Moments:
    """What :func:`release_moments` published: second moments of rows, labels and groups, each with its noise.

    Source: ours.

    Parameters
    ----------
    m : int in 1..10^15
        People; public.
    constant : float in [0, 1]
        Everybody's first feature; 0 where there is no such.
    by_label : (d,) array
        X'(y - 1/2), with noise of deviation ``sigma``.
    by_group : (k-1, d) array, optional
        The sums of rows times :func:`group_vertices`, with sigma / ``group_weight``. None: no group was asked about.
    gram : (d, d) array, symmetric
        X'X, with sigma / ``gram_weight`` on its diagonal, and sqrt(2) times less off it.
    sigma : float > 0
        The standard deviation of the noise of one number.
    group_weight : float > 0
        What the groups' sums were multiplied with before the noise.
    gram_weight : float > 0
        What X'X was multiplied with before the noise.

    Raises
    ------
    ValueError
        Shapes that do not fit, a matrix that is not symmetric, more than 1,000 groups.

    Examples
    --------
    >>> X = np.column_stack([np.full(4, 0.5), [0.5, 0.5, -0.5, -0.5]])
    >>> A = np.array([1, 0, 1, 0])
    >>> without_noise = Moments(4, 0.5, X.T @ [0.5, 0.5, -0.5, -0.5], [X.T @ (A - 0.5)], X.T @ X, 1.0, 1.0, 0.5)
    >>> without_noise.total(), without_noise.covariances()
    (array([2., 0.]), array([[0., 0.]]))
    """

    m: int
    constant: float
    by_label: np.ndarray
    by_group: np.ndarray | None
    gram: np.ndarray
    sigma: float
    group_weight: float
    gram_weight: float

    def __post_init__(self) -> None:
        told = check.filled("by_label", check.array("by_label", self.by_label, ndim=1), "feature")
        groups = self.by_group if self.by_group is None else check.filled(
            "by_group", check.array("by_group", self.by_group, shape=(None, len(told))), "row of sums")
        if groups is not None and len(groups) >= check.MOST_GROUPS:
            check.refuse("by_group", groups.shape, f"is of more than {check.MOST_GROUPS} groups", "Merge groups.")
        gram = check.array("gram", self.gram, shape=(len(told), len(told)))
        gram = symmetric("gram", gram)
        numbers = {name: check.number(name, getattr(self, name), low=0.0, low_open=True)
                   for name in ("sigma", "group_weight", "gram_weight")}
        fields = dict(m=check.integer("m", self.m, low=1, high=10**15), constant=check.number("constant", self.constant, low=0.0, high=1.0),
                      by_label=told, by_group=groups, gram=gram)
        for name, value in (fields | numbers).items():
            object.__setattr__(self, name, value)

    def objective(self) -> Quadratic:
        """The noisy second-order form of the log loss."""
        return Quadratic(-self.by_label, self.gram / 4)

    def gram_deviation(self) -> float:
        """Of the diagonal of ``gram``; the noise has eigenvalues up to about sqrt(2d) times that."""
        return self.sigma / self.gram_weight

    def total(self) -> np.ndarray:
        """The sum of all rows, (d,): the constant's row of X'X over the constant; its own entry is public."""
        if not self.constant:
            check.refuse("constant", self.constant, "no feature is the same for everybody, and sums are read off it",
                         "Put a constant column first, and give A to release_moments.")
        total = self.gram[0] / self.constant
        total[0] = self.m * self.constant
        return total

    def group_sums(self) -> np.ndarray:
        """The sum of each group's rows, (k, d), by the release; together they are :meth:`total`."""
        if self.by_group is None:
            check.refuse("by_group", None, "no group was asked about", "Give A to release_moments.")
        V = group_vertices(len(self.by_group) + 1)
        return self.total() / len(V) + 2 * V @ self.by_group

    def sizes(self) -> tuple[np.ndarray, float]:
        """How many people are in each group, (k,), by the release, and the standard deviation of each number: the constant counts."""
        k = len(groups := self.group_sums())
        return groups[:, 0] / self.constant, math.sqrt(2 - 2 / k) * self.sigma / self.group_weight / self.constant

    def covariances(self) -> np.ndarray:
        """Each group's sum of (1[a] - its share) x, by the release: of two groups (1, d), for group 1, else (k, d).

        The first column of X is a positive constant: so its sums count people.
        """
        sums_of, total = self.group_sums(), self.total()
        found = sums_of - np.outer(sums_of[:, 0] / total[0], total)
        return found[1:] if len(found) == 2 else found


def gram_noise(moments: Moments, ridge: float = 2.0) -> tuple[float, float]:
    """About how large eigenvalues noise alone gives X'X beside its diagonal, sqrt(2 (d - 1)) deviations; and a ridge in the same units.

    Source: ours. A symmetric matrix of n rows with independent normal entries of deviation s / sqrt(2) off its diagonal has eigenvalues
    up to about sqrt(2n) s, the edge of Wigner's semicircle. The mean row that is taken off has noise, too: it makes them up to 1.2 times as
    large where features are far from 0 on average.

    Parameters
    ----------
    moments : Moments
        With a constant first feature, which is not counted.
    ridge : float in (0, 1e6]
        In deviations of the diagonal's noise.

    Returns
    -------
    float, float

    Raises
    ------
    ValueError
        No constant feature, a number out of range.

    Examples
    --------
    >>> gram_noise(Moments(100, 0.5, np.zeros(9), np.zeros((1, 9)), np.zeros((9, 9)), 3.0, 1.0, 0.5))
    (24.0, 12.0)
    """
    if not isinstance(moments, Moments) or not moments.constant:
        check.refuse("moments", moments, "are no Moments with a constant first feature", "Give what release_moments returned with A.")
    deviation = moments.gram_deviation()
    return (math.sqrt(2 * (len(moments.gram) - 1)) * deviation,
            check.number("ridge", ridge, low=0.0, low_open=True, high=1e6) * deviation)


def denoised_gram(moments: Moments, ridge: float = 2.0) -> np.ndarray:
    """X'X as far as the noise leaves it: features' own variances, and what of their covariances stands out of the noise.

    Source: ours; post-processing of a release. Of the d - 1 features beside the constant, centred by the constant's own row, the diagonal
    is kept, at least 0. Of the rest, eigenvalues that noise alone gives, up to :func:`gram_noise`, become 0, and a larger one l becomes
    sqrt(l^2 - that^2). What is then negative becomes 0, and ``ridge`` deviations are added. So a feature that the noise hides counts as
    one that varies on its own, and not as one that does not vary.

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
    edge, least = gram_noise(moments, ridge)
    mean = moments.total() / moments.m
    C = (moments.gram - moments.m * np.outer(mean, mean))[1:, 1:]
    own = np.maximum(np.diag(C), 0.0)
    values, vectors = np.linalg.eigh(C - np.diag(np.diag(C)))
    kept = np.sign(values) * np.sqrt(np.maximum(values**2 - edge**2, 0.0))
    values, vectors = np.linalg.eigh(np.diag(own) + (vectors * kept) @ vectors.T)
    root = vectors * np.sqrt(np.maximum(values, 0.0) + least)
    found = moments.m * np.outer(mean, mean)
    found[1:, 1:] += root @ root.T
    return found


def release_moments(X: ArrayLike, y: ArrayLike, A: ArrayLike | None, epsilon: float, delta: float, rng: np.random.Generator, *,
                    n_groups: int | None = None, group_weight: float | None = None) -> tuple[Moments, Release]:
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
    n_groups : int in 2..1000, optional
        With A; None: 2.
    group_weight : float in [1e-3, 1e3], optional
        Of the groups' sums beside the labels': larger asks them more loudly. With A; None: 1.

    Returns
    -------
    Moments, Release

    Raises
    ------
    ValueError
        A row longer than 1, arrays that do not fit, a number out of range; options of groups without A.

    Examples
    --------
    >>> X = np.full((1000, 1), 0.5)
    >>> moments, release = release_moments(X, np.arange(1000) < 300, None, 1.0, 1e-6, np.random.default_rng(0))
    >>> moments.by_label.round(), release.sensitivity
    (array([-99.]), 1.0)
    """
    if A is None and (n_groups is not None or group_weight is not None):
        check.refuse("A", None, "asks about no groups, and n_groups and group_weight are read with groups only",
                     "Leave both out, or give A.")
    check.same_people(X=X, y=y, A=A)
    rows = read_rows(X)
    constant = 0.0 if A is None else _constant(rows)
    k = (2 if n_groups is None else n_groups) if A is not None else None
    return released(rows, constant, unit_rows, y, A, epsilon, delta, rng, n_groups=k, group_weight=group_weight)


def released(X: np.ndarray, constant: float, framed: Callable[[np.ndarray], np.ndarray], y: ArrayLike, A: ArrayLike | None, epsilon: float,
             delta: float, rng: np.random.Generator, *, n_groups: int | None, group_weight: float | None) -> tuple[Moments, Release]:
    """The moments of rows as ``framed`` makes them of some people's: it refuses those that are longer than 1."""
    y = read_labels(y, len(X))
    k, w = _groups(n_groups, group_weight)
    V = w * group_vertices(k) if k > 1 else np.zeros((1, 0))
    A = check.groups_below("A", A, k, length=len(X)) if k > 1 else np.zeros(len(X), dtype=int)
    g, sensitivity = free_gram_weight(n_groups, group_weight), moments_l2(n_groups, group_weight=group_weight)
    sigma, rng = gaussian_sigma(sensitivity, epsilon, delta), check.rng(rng)
    gram, toward = sums(X, lambda some: np.column_stack([y[some] - 0.5, V[A[some]]]), framed)
    d = len(gram)
    rows, cols = np.triu_indices(d)
    stretch = g * np.where(rows == cols, 1.0, math.sqrt(2))             # so that the l2 norm of these is g times Frobenius's
    answer = gaussian(np.r_[toward.ravel(), stretch * gram[rows, cols]], sensitivity, epsilon, delta, rng)
    release = Release("gaussian", UNIT_TUPLE, sensitivity=sensitivity, scale=sigma)
    noisy: np.ndarray = np.zeros((d, d))
    noisy[rows, cols] = noisy[cols, rows] = answer[toward.size:] / stretch
    told = answer[:toward.size].reshape(toward.shape)
    return Moments(len(X), constant, told[0], told[1:] / w if k > 1 else None, noisy, sigma, w, g), release


def _constant(X: np.ndarray) -> float:
    """The first feature, the same for everybody."""
    first = np.asarray(X[:, 0], dtype=float)
    if first[0] <= 0 or (first != first[0]).any():
        check.refuse("X[:, 0]", (float(first.min()), float(first.max())),
                     "is not one positive number for everybody, and groups are counted by it",
                     "Put a constant column first, or give A=None.")
    return float(first[0])
