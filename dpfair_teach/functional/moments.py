"""Ours: second moments of everybody's row, label and group in one Gaussian release; every fair least-squares fit is post-processing."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..accounting import UNIT_TUPLE, Release
from ..mechanisms import gaussian_sigma, release
from .people import grid_digits, in_domain, sums
from .quadratic import Quadratic, symmetric

__all__ = ["Moments", "moments_l2", "release_moments"]


def group_vertices(n_groups: int) -> np.ndarray:
    """k points of R^(k-1), (k, k-1), with distances 1 from each other and mean 0, one for each group; of two groups -1/2 and 1/2.

    For u, v of them, [u = v] = 1/k + 2 u.v: sums of rows times points tell every group's sum.
    """
    k = n_groups
    V: np.ndarray = np.zeros((k, k - 1))
    for a in range(1, k):           # each new point above the middle of those before
        V[:a, a - 1], V[a, a - 1] = -1.0, a
        V[:, a - 1] *= math.sqrt(1 / (2 * a * (a + 1)))
    return V


def free_gram_weight(n_groups: int | None = None) -> float:
    """The largest weight of x x', from two features on, for which it costs nothing: the sensitivity stays that of labels and groups.

    Source: ours. Squared: 1/8, and with k groups 1/8 + (k - 1) / (4k).
    """
    return math.sqrt(0.125 + (1 - 1 / _groups(n_groups)) / 4)


def _groups(n_groups: int | None) -> int:
    """How many groups are asked about; of none, one that everybody is in."""
    return 1 if n_groups is None else check.group_count(n_groups)


@check.formerly(group_weight="Sums of a group weigh as much as everybody's.")
def moments_l2(n_groups: int | None = None, *, gram_weight: float | None = None) -> float:
    """l2 sensitivity of (y - 1/2) x, v_a x and g x x', summed over people, for rows of norm at most 1 and any sign.

    Source: ours. v_a are points with distances 1, one for each group. At the free g it is 1, and with groups sqrt(1 + 2 (k - 1) / k).

    Parameters
    ----------
    n_groups : int in 2..1000, optional
        k. None: no groups are asked about.
    gram_weight : float in [1e-3, 1e3], optional
        g; None: the largest that costs nothing, squared 1/8, and with groups 1/8 + (k - 1) / (4k).

    Examples
    --------
    >>> moments_l2(), round(moments_l2(2), 4), round(moments_l2(2, gram_weight=1.0), 4)
    (1.0, 1.4142, 1.7678)
    """
    k = _groups(n_groups)
    g = free_gram_weight(n_groups) if gram_weight is None else check.number("gram_weight", gram_weight, low=1e-3, high=1e3)
    lines = [(0.5, slope) for slope in (0.5, -0.5)]                     # squared moves by the rows' inner product c: (value at 0, slope)
    if k > 1:
        share = (k - 1) / k
        lines = [(at + share, slope + more) for at, slope in lines for more in (1 / k, -share)]
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
        The sums of rows times points with distances 1, one for each group, with that noise.
    gram : (d, d) array, symmetric
        X'X, with noise of sigma / ``gram_weight`` on its diagonal, and sqrt(2) times less off it.
    sigma : float > 0
        The noise's deviation.
    gram_weight : float > 0
        What X'X was multiplied with before the noise.

    Examples
    --------
    >>> X = np.column_stack([np.full(4, 0.5), [0.5, 0.5, -0.5, -0.5]])
    >>> A = np.array([1, 0, 1, 0])
    >>> without_noise = Moments(4, 0.5, X.T @ [0.5, 0.5, -0.5, -0.5], [X.T @ (A - 0.5)], X.T @ X, 1.0, 0.5)
    >>> without_noise.total(), without_noise.covariances()
    (array([2., 0.]), array([[0., 0.]]))
    """

    m: int
    constant: float
    by_label: np.ndarray
    by_group: np.ndarray | None
    gram: np.ndarray
    sigma: float
    gram_weight: float

    def __post_init__(self) -> None:
        told = check.filled("by_label", check.array("by_label", self.by_label, ndim=1), "feature")
        groups = self.by_group if self.by_group is None else check.filled(
            "by_group", check.array("by_group", self.by_group, shape=(None, len(told))), "row of sums")
        if groups is not None and len(groups) >= check.MOST_GROUPS:
            check.refuse("by_group", groups.shape, f"is of more than {check.MOST_GROUPS} groups", "Merge groups.")
        gram = symmetric("gram", check.array("gram", self.gram, shape=(len(told), len(told))))
        numbers = {name: check.number(name, getattr(self, name), low=0.0, low_open=True) for name in ("sigma", "gram_weight")}
        fields = dict(m=check.integer("m", self.m, low=1, high=10**15), constant=check.number("constant", self.constant, low=0.0, high=1.0),
                      by_label=told, by_group=groups, gram=gram)
        for name, value in (fields | numbers).items():
            object.__setattr__(self, name, value)

    def objective(self) -> Quadratic:
        """The noisy second-order form of the log loss."""
        return Quadratic(-self.by_label, self.gram / 4)

    def gram_deviation(self) -> float:
        """Standard deviation of the noise on the diagonal of ``gram``; that noise has eigenvalues up to about sqrt(2d) times it."""
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
        return groups[:, 0] / self.constant, math.sqrt(2 - 2 / k) * self.sigma / self.constant

    def covariances(self) -> np.ndarray:
        """Each group's sum of (1[a] - its share) x, by the release: of two groups (1, d), for group 1, else (k, d)."""
        sums_of, total = self.group_sums(), self.total()
        found = sums_of - np.outer(sums_of[:, 0] / total[0], total)
        return found[1:] if len(found) == 2 else found

    def denoised_gram(self) -> np.ndarray:
        """X'X as far as the noise leaves it, (d, d), positive definite: features' own variances, and what of their covariances stands out.

        Post-processing. A feature that the noise hides counts as one that varies on its own, not as one that does not vary.
        """
        noise, mean = self.gram_deviation(), self.total() / self.m
        edge = math.sqrt(2 * (len(mean) - 1)) * noise           # Wigner's semicircle
        C = (self.gram - self.m * np.outer(mean, mean))[1:, 1:]
        own = np.maximum(np.diag(C), 0.0)
        values, vectors = np.linalg.eigh(C - np.diag(np.diag(C)))
        kept = np.sign(values) * np.sqrt(np.maximum(values**2 - edge**2, 0.0))
        values, vectors = np.linalg.eigh(np.diag(own) + (vectors * kept) @ vectors.T)
        root = vectors * np.sqrt(np.maximum(values, 0.0) + 2 * noise)
        found = self.m * np.outer(mean, mean)
        found[1:, 1:] += root @ root.T
        return found


@check.formerly(group_weight="Sums of a group weigh as much as everybody's.")
def release_moments(X: ArrayLike, y: ArrayLike, A: ArrayLike | None, epsilon: float, delta: float, rng: np.random.Generator, *,
                    n_groups: int | None = None) -> tuple[Moments, Release]:
    """Release the second moments of row, label and group with Gaussian noise, in one answer.

    Source: ours. Privacy unit: one whole tuple (x, y, a) is replaced, m public. (epsilon, delta), calibrated exactly to :func:`moments_l2`
    and what doubles add to it, 2^-49 k m. Rows are cut off toward 0 to a public grid.

    Parameters
    ----------
    X : (m, d) array
        Rows of norm at most 1, of any sign. With A the first column is the same positive number for everybody, and public.
    y : (m,) array of 0/1
    A : (m,) array of ints 0..k-1, or None
    epsilon : float in [1e-9, 1e3]
    delta : float in [1e-100, 1 - 1e-9]
    rng : numpy.random.Generator
    n_groups : int in 2..1000, optional
        With A; None: 2.

    Returns
    -------
    Moments, Release

    Examples
    --------
    >>> X = np.full((1000, 1), 0.5)
    >>> moments, record = release_moments(X, np.arange(1000) < 300, None, 1.0, 1e-6, np.random.default_rng(0))
    >>> moments.by_label.round(), round(record.sensitivity, 9)
    (array([-99.]), 1.0)
    """
    if A is None and n_groups is not None:
        check.refuse("A", None, "asks about no groups, and n_groups is read with groups only", "Leave it out, or give A.")
    check.same_people(X=X, y=y, A=A)
    rows, labels = in_domain(X, y, domain="signed")
    if A is None:
        return released(rows, 0.0, np.divide, labels, np.zeros(len(rows), dtype=int), epsilon, delta, rng, n_groups=None)
    k = check.group_count(2 if n_groups is None else n_groups)
    groups = check.groups_below("A", A, k, length=len(rows))
    return released(rows, _constant(rows[:, 0]), np.divide, labels, groups, epsilon, delta, rng, n_groups=k)


def released(X: np.ndarray, constant: float, framed: Callable[[np.ndarray, float], np.ndarray], y: np.ndarray, A: np.ndarray,
             epsilon: float, delta: float, rng: np.random.Generator, *, n_groups: int | None) -> tuple[Moments, Release]:
    """The moments of checked people, of rows as ``framed`` makes them of some, in whole multiples of a unit, none longer than 1."""
    k, unit = _groups(n_groups), 2.0**-grid_digits(len(X))
    g, sensitivity = free_gram_weight(n_groups), moments_l2(n_groups) + 2.0**-49 * k * len(X)
    sigma, rng = gaussian_sigma(sensitivity, epsilon, delta), check.rng(rng)
    member = np.eye(k)
    gram, of = sums(X, lambda some: np.column_stack([y[some] - 0.5, member[A[some]]]), lambda some: framed(some, unit))
    gram, toward = gram * unit**2, unit * np.vstack([of[:1], group_vertices(k).T @ of[1:]])
    d = len(gram)
    rows, cols = np.triu_indices(d)
    stretch = g * np.where(rows == cols, 1.0, math.sqrt(2))             # so that the l2 norm of these is g times Frobenius's
    answer, record = release("gaussian", np.r_[toward.ravel(), stretch * gram[rows, cols]], rng, unit=UNIT_TUPLE, sensitivity=sensitivity,
                             scale=sigma)
    noisy: np.ndarray = np.zeros((d, d))
    noisy[rows, cols] = noisy[cols, rows] = answer[toward.size:] / stretch
    told = answer[:toward.size].reshape(toward.shape)
    return Moments(len(X), constant, told[0], told[1:] if k > 1 else None, noisy, sigma, g), record


def _constant(first: np.ndarray) -> float:
    """The first feature, the same for everybody."""
    if first[0] <= 0 or (first != first[0]).any():
        check.refuse("X[:, 0]", (float(first.min()), float(first.max())), "is not one positive number for everybody, and groups are "
                     "counted by it", "Put a constant column first, or give A=None.")
    return float(first[0])
