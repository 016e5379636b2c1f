"""Invented and drawn people: the ten of every chapter, logistic populations, and the exact law of a population."""
from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .dataset import Dataset, Provenance

__all__ = ["TEN_NAMES", "Population", "make_logistic", "ten_people_base"]

TEN_NAMES: tuple[str, ...] = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hana", "Ivo", "Jo")

_SCORE = (.9, .7, .4, .3, .2, .8, .6, .55, .35, .1)
_LABEL = (1, 1, 1, 0, 0, 1, 1, 0, 0, 0)
_GROUP = (0,) * 5 + (1,) * 5
_MOST_PEOPLE = 10**8
_MOST_NUMBERS = 10**9  # 8 gigabytes


def ten_people() -> Dataset:
    """The ten people: X holds one feature, a score in [0, 1]; five people a group.
    """
    made = Provenance("ten people invented for this book", licence="CC BY 4.0",
                      rules=(("group", "given: Ada to Eve 0, Fay to Jo 1"), ("label", "given: who repaid"),
                             ("features", "given: one score")))
    return Dataset(np.array(_SCORE)[:, None], np.array(_GROUP), np.array(_LABEL), ("score",), ("group 0", "group 1"), "ten_people", made)


def ten_people_base(X: ArrayLike) -> np.ndarray:
    """The base classifier of the ten people: accept a score of at least one half.

    Source: none in the papers; invented for this book.

    Parameters
    ----------
    X : array of shape (m, 1)

    Returns
    -------
    array of shape (m,), 0 or 1

    Examples
    --------
    >>> dict(zip(TEN_NAMES, ten_people_base(ten_people().X).tolist()))  # doctest: +NORMALIZE_WHITESPACE
    {'Ada': 1, 'Ben': 1, 'Cleo': 0, 'Dan': 0, 'Eve': 0,
     'Fay': 1, 'Gus': 1, 'Hana': 1, 'Ivo': 0, 'Jo': 0}
    """
    scores = check.array("X", X, shape=(None, 1))
    return (scores[:, 0] >= 0.5).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Population:
    """The exact law of a population, what infinitely many people would show: groups, labels, and a classifier's rates in each group.

    Source: none in the papers; the rates are those of supplement, Definition 1.1, for a law in place of a sample.

    Parameters
    ----------
    shares : array of shape (k,)
        P(A = a).
    base_rates : array of shape (k,)
        P(Y = 1 | A = a).
    false_positive, true_positive : arrays of shape (k,)
        P(Yhat = 1 | A = a, Y = 0) and P(Yhat = 1 | A = a, Y = 1) of the classifier.

    Examples
    --------
    >>> law = Population([.5, .5], [.6, .4], [0., 1/3], [2/3, 1.])
    >>> law.frequencies.shape, float(law.frequencies.sum())
    ((2, 2, 2), 1.0)
    """

    shares: np.ndarray
    base_rates: np.ndarray
    false_positive: np.ndarray
    true_positive: np.ndarray

    def __post_init__(self) -> None:
        k = None
        for f in fields(self):
            a = check.array(f.name, getattr(self, f.name), ndim=1, low=0.0, high=1.0).copy()
            if k is None and abs(a.sum() - 1.0) > 1e-9:
                check.refuse("shares", a, "must sum to 1", "Divide shares by their sum.")
            if k not in (None, a.size):
                check.refuse(f.name, a, f"holds {a.size} numbers, but shares holds {k}", "Give one number for each group.")
            k = a.size
            a.flags.writeable = False
            object.__setattr__(self, f.name, a)

    @property
    def frequencies(self) -> np.ndarray:
        """P(Yhat = yhat, A = a, Y = y), shape (2, k, 2), indexed [yhat, a, y]: what ``postprocessing.solve_lp`` takes as q."""
        people = self.shares[:, None] * np.stack([1 - self.base_rates, self.base_rates], axis=-1)
        accepted = np.stack([self.false_positive, self.true_positive], axis=-1)
        return np.stack([people * (1 - accepted), people * accepted])


def make_logistic(m: int, *, n_groups: int = 2, d: int = 5, coefficients: ArrayLike | None = None, intercepts: ArrayLike | None = None,
                  shifts: ArrayLike | None = None, group_shares: ArrayLike | None = None, rng: np.random.Generator) -> Dataset:
    """People whose label follows a logistic law of d features: P(Y = 1 | x, a) = 1 / (1 + exp(-(w x + c_a))).

    Within group a the features are independent normals of variance 1 with means ``shifts[a]``.

    Source: none in the papers; the synthetic set of the evaluation protocol of this book.

    Parameters
    ----------
    m : int in 1..10^8
    n_groups : int in 1..1000
    d : int in 1..10,000
    coefficients : array of shape (d,), optional
        w, not all 0, entries in [-50, 50]; by default d equal entries of length 2 in all.
    intercepts : array of shape (k,), optional
        c, entries in [-20, 20]; by default from 0 for group 0 down to -1.
    shifts : array of shape (k, d), optional
        Mean of each feature in each group, entries in [-20, 20]; by default 0, but for the first feature, from 0 for group 0 up to 0.5.
    group_shares : array of shape (k,), optional
        P(A = a), each above 0, summing to 1; equal shares by default.
    rng : numpy.random.Generator

    Examples
    --------
    >>> people = make_logistic(500, n_groups=3, d=4, rng=np.random.default_rng(1))
    >>> people.X.shape, people.n_groups
    ((500, 4), 3)
    """
    m, k, shares = _size(m, n_groups, group_shares)
    w = _coefficients(coefficients, check.integer("d", d, low=1, high=10_000))
    c = np.linspace(0.0, -1.0, k) if intercepts is None else _per_group("intercepts", intercepts, k, -20.0, 20.0)
    means = _shifts(shifts, k, w.size)
    if m * w.size > _MOST_NUMBERS:
        check.refuse("m", m, f"m times d is above {_MOST_NUMBERS:,} numbers", "Draw fewer people, or lower d.")
    from scipy.special import expit

    rng = check.rng(rng)
    A = _draw_groups(m, shares, rng)
    X = means[A] + rng.standard_normal((m, w.size))
    Y = (rng.random(m) < expit(X @ w + c[A])).astype(np.int64)
    made = Provenance("drawn by make_logistic", licence="CC BY 4.0", rules=(
        ("group", "drawn with the given shares"), ("label", "logistic in the features, with an intercept for each group"),
        ("features", "independent normals of variance 1 around the means of the group")))
    return Dataset(X, A, Y, tuple(f"x{j}" for j in range(w.size)), tuple(f"group {a}" for a in range(k)), "synthetic", made)


def _size(m: object, n_groups: object, group_shares: object) -> tuple[int, int, np.ndarray]:
    """Number of people, of groups, and the shares of these."""
    m = check.integer("m", m, low=1, high=_MOST_PEOPLE)
    k = check.group_count(n_groups, low=1)
    if group_shares is None:
        return m, k, np.full(k, 1 / k)
    shares = _per_group("group_shares", group_shares, k, low=0.0, high=1.0)
    if (shares == 0).any() or abs(shares.sum() - 1.0) > 1e-9:
        check.refuse("group_shares", shares, "must be above 0 and sum to 1", "Divide group_shares by their sum.")
    return m, k, shares / shares.sum()


def _per_group(name: str, value: object, k: int, low: float, high: float) -> np.ndarray:
    """k given numbers, one a group, in [low, high]."""
    given = check.array(name, value, ndim=1, low=low, high=high)
    if given.size != k:
        check.refuse(name, given, f"holds {given.size} numbers, but n_groups is {k}", "Give one number for each group.")
    return given


def _shifts(value: object, k: int, d: int) -> np.ndarray:
    """Means (k, d) of the features."""
    if value is None:
        means = np.zeros((k, d))
        means[:, 0] = np.linspace(0.0, 0.5, k)
        return means
    means = check.array("shifts", value, ndim=2, low=-20.0, high=20.0)
    if means.shape != (k, d):
        check.refuse("shifts", means.shape, f"not of shape ({k}, {d})",
                      "Give one row for each of n_groups, one column for each of d features.")
    return means


def _coefficients(value: object, d: int) -> np.ndarray:
    """Weights (d,) of the features."""
    if value is None:
        return np.full(d, 2 / np.sqrt(d))
    w = check.array("coefficients", value, ndim=1, low=-50.0, high=50.0)
    if w.size != d:
        check.refuse("coefficients", w, f"holds {w.size} numbers, but there are d = {d} features (columns of X)",
                      "Give one number for each.")
    if np.linalg.norm(w) < 1e-6:
        check.refuse("coefficients", w, "all 0, or nearly", "Give at least one feature a weight.")
    return w


def _draw_groups(m: int, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    A = rng.choice(shares.size, size=m, p=shares)
    empty = np.flatnonzero(np.bincount(A, minlength=shares.size) == 0)
    if empty.size:
        check.refuse("m", m, f"nobody was drawn for group {empty[0]} of {shares.size}",
                      "Draw more people, lower n_groups, or raise that group in group_shares.")
    return A
