"""f(D): the least error among mixtures of two, or four, classifiers whose false positive rates differ by at most gamma."""
from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..data import Dataset
from ..fairness import cell_counts

__all__ = ["CLASSIFIERS", "fair_optimum", "optimal_error", "optimal_errors"]

#: Reject all; accept those with X = U; accept group R (A = 0); accept group B (A = 1). The first two do not look at A.
CLASSIFIERS = ("h_0", "h_U", "h_R", "h_B")


def exact_gamma(gamma: Any) -> tuple[Fraction, bool]:
    """gamma as a Fraction, and whether it came as one (or as an int); a float means the decimal that it prints as."""
    as_float = check.gamma(gamma)
    rational = isinstance(gamma, Rational)
    return (Fraction(gamma.numerator, gamma.denominator) if rational else Fraction(repr(as_float))), rational


@dataclass(frozen=True)
class Optimum:
    """A fair mixture of least error, in Fractions.

    ``weights``, by classifier in the order of ``CLASSIFIERS``, sum to 1; ``value`` is its error, ``gap`` FP of group R minus FP of group B.
    """

    weights: dict[str, Fraction]
    value: Fraction
    gap: Fraction


def fair_optimum(D: Dataset, gamma: float | Fraction,
                 aware: bool = False) -> Optimum:
    """The mixture of least error whose false positive rates differ by at most gamma, in exact rationals.

    Source: supplement, section 3.4 (main text, section 4.2): f(D), the value of problem (6) for H = {h_0, h_U}, or with h_R and h_B. All
    mixtures of one classifier that is fair, or of two whose gap is just gamma or just -gamma, are tried.

    Parameters
    ----------
    D : Dataset with one feature that is 0 (V) or 1 (U), and two groups, 0 (R) and 1 (B), each with somebody of label 0
    gamma : float or Fraction, at least 0
        A float means the decimal that it prints as: 0.1 is one tenth.
    aware : bool
        Whether h_R and h_B belong to the class.

    Returns
    -------
    Optimum: ``.weights`` by classifier, ``.value``, ``.gap``, all Fractions. Among equally good mixtures the first found, singles first.

    Examples
    --------
    >>> from dpfair_teach import separation
    >>> D, neighbour = separation.instance(40, 0.1)
    >>> best = fair_optimum(neighbour, 0.1)
    >>> str(best.value), [str(weight) for weight in best.weights.values()]
    ('3/20', ['1/2', '1/2'])
    """
    tolerance, _ = exact_gamma(gamma)
    names = CLASSIFIERS if check.flag("aware", aware) else CLASSIFIERS[:2]
    error, gap = (dict(zip(names, values, strict=False))
                  for values in _errors_and_gaps(_table(D)))
    # Fair alone, h_0 at least, or two together just fair.
    mixtures = [{h: Fraction(1)} for h in names if abs(gap[h]) <= tolerance]
    for g, h in combinations(names, 2):
        for edge in (tolerance, -tolerance):
            if gap[g] != gap[h]:
                share = (edge - gap[h]) / (gap[g] - gap[h])
                if 0 < share < 1:
                    mixtures.append({g: share, h: 1 - share})
    best = min(mixtures, key=lambda mixture: sum(
        weight * error[h] for h, weight in mixture.items()))
    value, its_gap = (sum(weight * of[h] for h, weight in best.items())
                      for of in (error, gap))
    return Optimum({h: best.get(h, Fraction(0)) for h in names}, value, its_gap)


def optimal_error(D: Dataset, gamma: float | Fraction, aware: bool = False) -> float | Fraction:
    """f(D): the least error of a mixture whose false positive rates differ by at most gamma.

    Source: supplement, section 3.4 (main text, section 4.2).

    Parameters
    ----------
    D, gamma, aware : as in :func:`fair_optimum`

    Returns
    -------
    float, or a Fraction for a Fraction or an int; computed exactly in both cases

    Examples
    --------
    >>> from dpfair_teach import separation
    >>> D, neighbour = separation.instance(2000, 0.1)
    >>> optimal_error(D, 0.1), round(optimal_error(neighbour, 0.1), 6)
    (0.025, 0.029902)
    """
    value = fair_optimum(D, gamma, aware).value
    return value if exact_gamma(gamma)[1] else float(value)


def optimal_errors(counts: ArrayLike, gamma: ArrayLike, aware: bool = False) -> np.ndarray | float:
    """f of many tables at once, by prices instead of prohibitions: the second, faster way to :func:`optimal_error`.

    Source: none in the papers; duality: at a price l for each unit of the gap the cheapest classifier costs min_h err(h) + l gap(h), gaps
    up to gamma being free, and f is the largest such number, at l = 0 or where two classifiers cost the same.

    Parameters
    ----------
    counts : (..., 2, 2, 2) array [x, a, y]
        People, or what noise has made of their numbers; the sums over x with y = 0, and the sum of all, are positive.
    gamma : number or array that broadcasts with the leading axes of ``counts``; at least 0
    aware : bool

    Returns
    -------
    (...) array, or a float for one table and one gamma

    Examples
    --------
    >>> from dpfair_teach import separation
    >>> D, neighbour = separation.instance(2000, 0.1)
    >>> tables = [cell_counts(data.X[:, 0].astype(int), data.A, data.Y) for data in (D, neighbour)]
    >>> optimal_errors(tables, 0.1).round(6)
    array([0.025   , 0.029902])
    """
    table = check.table("counts", counts, bins=2, groups=2, remedy="The first index is x, 0 or 1.")
    tolerance = check.array("gamma", gamma, low=0, booleans=False)
    check.occupied("counts", table.sum(axis=-3)[..., :1], "Every group needs people of label 0.", labels=(0,))
    if (table.sum(axis=(-3, -2, -1)) <= 0).any():
        check.refuse("counts", float(table.sum(axis=(-3, -2, -1)).min()), "the table holds nobody", "Give a table with people in it.")
    check.broadcast("gamma", tolerance.shape, "counts", table.shape[:-3], "Give one gamma, or one for each table.")
    errors, gaps = (np.stack(np.broadcast_arrays(*values)) for values in _errors_and_gaps(table))
    n = 4 if check.flag("aware", aware) else 2
    errors, gaps = errors[:n], gaps[:n]
    value = errors.min(axis=0) + 0 * tolerance
    for i, j in combinations(range(n), 2):
        across = gaps[i] - gaps[j]
        price = np.where(across == 0, 0, (errors[j] - errors[i]) / np.where(across == 0, 1, across))
        value = np.maximum(value, (errors + price * gaps).min(axis=0) - tolerance * np.abs(price))
    return value if value.ndim else float(value)


def _table(D: object) -> np.ndarray:
    """The table [x, a, y] of a data set, as an array of Fractions."""
    remedy = "Build one with separation.instance(m, gamma)."
    D = check.instance("D", D, Dataset, "not a Dataset", remedy)
    if D.d != 1 or D.n_groups != 2 or not np.isin(D.X, (0, 1)).all():
        check.refuse("D", D, "not a data set with one feature, 0 or 1, and two groups", remedy)
    if (D.cell_sizes()[:, 0] == 0).any():
        check.refuse("D", D, "a group has nobody of label 0, so it has no false positive rate", remedy)
    counts = cell_counts(D.X[:, 0].astype(int), D.A, D.Y, n_groups=2)
    return np.vectorize(Fraction, otypes=[object])(counts.tolist())


def _errors_and_gaps(table: np.ndarray) -> tuple[list, list]:
    """Error, and FP of R minus FP of B, of the four classifiers on (..., 2, 2, 2) tables [x, a, y]; Fractions stay Fractions."""
    V, U = table[..., 0, :, :], table[..., 1, :, :]
    people, negatives = table.sum(axis=(-3, -2, -1)), V[..., 0] + U[..., 0]
    fp = U[..., 0] / negatives
    h_0 = (V[..., 1] + U[..., 1]).sum(axis=-1) / people
    h_U = (V[..., 1] + U[..., 0]).sum(axis=-1) / people
    groups = V + U
    h_R = (groups[..., 0, 0] + groups[..., 1, 1]) / people
    zero = 0 * people
    return [h_0, h_U, h_R, 1 - h_R], [zero, fp[..., 0] - fp[..., 1], zero + 1, zero - 1]

