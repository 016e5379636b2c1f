"""Drawn data whose exact rates are known, so that a measured rate can be compared with the true one."""
from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import integrate, special

from .. import _checks as check
from .dataset import Dataset
from .population import Population
from .provenance import Provenance

__all__ = ["logistic_base", "make_logistic", "make_synthetic"]

_MOST_PEOPLE = 10**8
_MOST_NUMBERS = 10**9  # 8 gigabytes


def make_synthetic(m: int, *, n_groups: int = 2, group_shares: object = None, base_rates: object = None,
                   false_positive: object = None, true_positive: object = None, rng: np.random.Generator) -> Dataset:
    """People drawn one by one from a law with the rates you choose: A, then Y given A, then a score given both.

    The score is uniform on [1/2, 1) for those the base classifier accepts and on [0, 1/2) for the others, so
    ``ten_people_base(X)``, which accepts a score of at least one half, has exactly the rates asked for.

    Source: none in the papers; a law whose rates are set by hand.

    Parameters
    ----------
    m : int
        Number of people, 1 to 10^8.
    n_groups : int
        k, 1 to 1000.
    group_shares : array of shape (k,), optional
        P(A = a), each above 0, summing to 1; equal shares by default.
    base_rates : array of shape (k,), optional
        P(Y = 1 | A = a); by default from 0.5 for group 0 down to 0.3.
    false_positive, true_positive : array of shape (k,), optional
        P(Yhat = 1 | A = a, Y = y) for y = 0 and 1; by default 0.1 to 0.3 and 0.9 to 0.7.
    rng : numpy.random.Generator

    Returns
    -------
    Dataset
        X holds the score, and ``.population`` the exact law.

    Raises
    ------
    ValueError
        A rate outside [0, 1], lengths other than ``n_groups``, or so few people that a group stayed empty.

    Examples
    --------
    >>> people = make_synthetic(1000, true_positive=[.9, .6], rng=np.random.default_rng(1))
    >>> people.population.true_positive.tolist()
    [0.9, 0.6]
    >>> people.X.shape, people.n_groups
    ((1000, 1), 2)
    """
    m, k, shares = _size(m, n_groups, group_shares)
    base = _rates("base_rates", base_rates, k, 0.5, 0.3)
    accepted = np.stack([_rates("false_positive", false_positive, k, 0.1, 0.3),
                         _rates("true_positive", true_positive, k, 0.9, 0.7)], axis=-1)
    rng = check.rng(rng)
    A = _draw_groups(m, shares, rng)
    Y = (rng.random(m) < base[A]).astype(np.int64)
    prediction = rng.random(m) < accepted[A, Y]
    score = (prediction + rng.random(m)) / 2
    made = Provenance("drawn by make_synthetic", licence="CC BY 4.0", rules=(
        ("group", "drawn with the given shares"), ("label", "drawn with the base rate of the group"),
        ("features", "one score; at least 1/2 with the given false and true positive rates")))
    return Dataset(score[:, None], A, Y, ("score",), _group_names(k), "synthetic", made, Population(shares, base, *accepted.T))


def make_logistic(m: int, *, n_groups: int = 2, d: int = 5, coefficients: object = None, intercepts: object = None,
                  shifts: object = None, group_shares: object = None, rng: np.random.Generator) -> Dataset:
    """People whose label follows a logistic law of d features: P(Y = 1 | x, a) = 1 / (1 + exp(-(w x + c_a))).

    Within group a the features are independent normals of variance 1 with means ``shifts[a]``: so X tells something of A, and
    the label something more.

    Source: none in the papers; the synthetic set of the evaluation protocol of this book.

    Parameters
    ----------
    m, n_groups : int
        As in ``make_synthetic``.
    d : int
        Number of features, 1 to 10,000.
    coefficients : array of shape (d,), optional
        w, not all 0, entries in [-50, 50]; by default d equal entries of length 2 in all.
    intercepts : array of shape (k,), optional
        c, entries in [-20, 20]; by default from 0 for group 0 down to -1.
    shifts : array of shape (k, d), optional
        Mean of each feature in each group, entries in [-20, 20]; by default 0, but for the first feature, from 0 for group 0 up to 0.5.
    group_shares, rng : as in ``make_synthetic``

    Returns
    -------
    Dataset
        ``.population`` holds the law of ``logistic_base(X, coefficients)``, by numerical integration in one dimension.

    Raises
    ------
    ValueError
        Arguments outside those ranges or of other lengths, a label that practically never occurs in a group, an empty group.

    Examples
    --------
    >>> people = make_logistic(500, n_groups=3, d=4, rng=np.random.default_rng(1))
    >>> people.X.shape, people.n_groups
    ((500, 4), 3)
    >>> people.population.base_rates.round(3).tolist()
    [0.5, 0.462, 0.425]
    """
    m, k, shares = _size(m, n_groups, group_shares)
    w = _coefficients(coefficients, check.integer("d", d, low=1, high=10_000))
    c = np.linspace(0.0, -1.0, k) if intercepts is None else _per_group("intercepts", intercepts, k, -20.0, 20.0)
    means = _shifts(shifts, k, w.size)
    if m * w.size > _MOST_NUMBERS:
        check.refuse("m", m, f"m times d is above {_MOST_NUMBERS:,} numbers", "Draw fewer people, or lower d.")
    rng = check.rng(rng)
    rates = [_logistic_rates(w @ mean, float(np.linalg.norm(w)), ca) for mean, ca in zip(means, c, strict=True)]
    population = Population(shares, *np.transpose(rates))
    A = _draw_groups(m, shares, rng)
    X = means[A] + rng.standard_normal((m, w.size))
    Y = (rng.random(m) < special.expit(X @ w + c[A])).astype(np.int64)
    made = Provenance("drawn by make_logistic", licence="CC BY 4.0", rules=(
        ("group", "drawn with the given shares"), ("label", "logistic in the features, with an intercept for each group"),
        ("features", "independent normals of variance 1 around the means of the group")))
    return Dataset(X, A, Y, tuple(f"x{j}" for j in range(w.size)), _group_names(k), "synthetic", made, population)


def logistic_base(X: object, coefficients: object = None) -> np.ndarray:
    """The base classifier of ``make_logistic``: accept where w x >= 0; it does not look at A.

    Source: none in the papers; the Bayes classifier of a group whose intercept is 0.

    Parameters
    ----------
    X : array of shape (m, d)
    coefficients : array of shape (d,), optional
        w, as given to ``make_logistic``.

    Returns
    -------
    array of shape (m,), 0 or 1

    Raises
    ------
    ValueError
        X is not a finite table, or the coefficients do not fit its columns.

    Examples
    --------
    >>> logistic_base([[1., 1.], [-1., .5]]).tolist()
    [1, 0]
    """
    X = check.array("X", X, shape=(None, None))
    if X.shape[1] == 0:
        check.refuse("X", X.shape, "has no column", "Give at least one feature.")
    return (X @ _coefficients(coefficients, X.shape[1]) >= 0).astype(np.int64)


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


def _rates(name: str, value: object, k: int, first: float, last: float) -> np.ndarray:
    """k probabilities, evenly spaced from ``first`` to ``last`` unless given."""
    return np.linspace(first, last, k) if value is None else _per_group(name, value, k, 0.0, 1.0)


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


def _group_names(k: int) -> tuple[str, ...]:
    return tuple(f"group {a}" for a in range(k))


def _logistic_rates(mean: float, deviation: float, intercept: float) -> tuple[float, float, float]:
    """P(Y=1), P(w x >= 0 | Y=0), P(w x >= 0 | Y=1) where w x is normal and P(Y=1 | w x = z) = expit(z + intercept)."""
    def mass(sign: int, low: float, high: float) -> float:
        def density(t: float) -> float:
            return special.expit(sign * (mean + deviation * t + intercept)) * np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
        # Cut where the integrand bends (the logistic curve within some 40 of its middle), so that no narrow step is passed over.
        bends = (0.0, *((s - intercept - mean) / deviation for s in (-40, -10, -3, 0, 3, 10, 40)))
        cuts = sorted({low, high, *(t for t in bends if low < t < high)})
        return sum(integrate.quad(density, a, b, epsabs=1e-13, epsrel=1e-10, limit=200)[0] for a, b in pairwise(cuts))

    # In units of the normal law, w x >= 0 from here on; 12 deviations hold all of it but 1e-32.
    zero = float(np.clip(-mean / deviation, -12.0, 12.0))
    rejected, accepted = [mass(s, -12.0, zero) for s in (-1, 1)], [mass(s, zero, 12.0) for s in (-1, 1)]
    y0, y1 = rejected[0] + accepted[0], rejected[1] + accepted[1]
    if min(y0, y1) < 1e-6:
        check.refuse("intercepts", intercept, "a label practically never occurs in one group",
                      "Choose smaller intercepts, shifts or coefficients.")
    return y1 / (y0 + y1), accepted[0] / y0, accepted[1] / y1
