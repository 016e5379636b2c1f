"""The table of cells, how many people have each (yhat, a, y): made from people, merged, and read off in words that need no notion."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .parity import Parity, rates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cell_counts", "error", "predictive_values", "report", "cross_groups", "merge_groups"]

FEW = 24         # up to so many cells it is quicker to look for one after the other


def cell_counts(prediction: ArrayLike, A: ArrayLike, Y: ArrayLike, n_groups: int | None = None,
                n_bins: int | None = None) -> np.ndarray:
    """Count the people of every (prediction, group, label).

    Source: supplement, Remark 1.2 (main text, section 2), times m: q^[yhat, a, y] is this table divided by m.

    Parameters
    ----------
    prediction : (m,) array
        0/1 decisions; or P(Yhat = 1) in [0, 1], which gives expected counts; or, with ``n_bins``, score bins 0..n_bins-1.
    A : (m,) array of ints
        Groups 0..k-1.
    Y : (m,) array
        Labels 0/1.
    n_groups : int in 1..1000, optional
        k, where the largest code in ``A`` does not tell. A group without people is a row of zeros.
    n_bins : int, optional
        Number b of score bins, 2 to 1000.

    Returns
    -------
    (b, k, 2) array indexed [yhat, a, y], in people: ints where everybody counts whole, else floats. b = 2 without ``n_bins``.

    Examples
    --------
    >>> cell_counts(prediction=[1, 0, 1, 1], A=[0, 0, 1, 1], Y=[1, 1, 1, 0])[1]   # accepted: rows are groups, columns are labels
    array([[0, 1],
           [1, 1]])
    """
    check.same_people(prediction=prediction, A=A, Y=Y)
    if n_groups is not None:
        n_groups = check.group_count(n_groups, low=1)
    if n_bins is not None:
        n_bins = check.integer("n_bins", n_bins, low=2, high=1000)
    table = _few_cells(prediction, A, Y, n_groups, n_bins or 2)
    if table is not None:
        return table
    Y = check.labels("Y", Y)
    A, k = check.groups("A", A, n_groups=n_groups)
    if n_bins is not None:
        prediction = check.codes("prediction", prediction, what="score bins",
                                 remedy="Give bins 0, ..., n_bins - 1, for instance numpy.digitize(score, edges).")
        if prediction.max() >= n_bins:
            check.refuse("prediction", int(prediction.max()), f"a bin above n_bins - 1 = {n_bins - 1}", "Raise n_bins or recode the bins.")
        bins = n_bins
    else:
        prediction, bins = _decisions(prediction), 2
    if not len(prediction) == len(A) == len(Y):
        check.refuse("prediction, A, Y", (len(prediction), len(A), len(Y)), "different lengths", "Give one entry a person in each.")
    if prediction.dtype.kind == "f":
        cell = 2 * A + Y
        people = np.bincount(cell, minlength=2 * k)
        accepted = np.bincount(cell, weights=prediction, minlength=2 * k)
        return np.stack([people - accepted, accepted]).reshape(2, k, 2)
    return np.bincount((prediction * k + A) * 2 + Y, minlength=bins * k * 2).reshape(bins, k, 2)


def _few_cells(prediction: ArrayLike, A: ArrayLike, Y: ArrayLike, n_groups: int | None, bins: int) -> np.ndarray | None:
    """The usual case, quickly: arrays of whole numbers with which nothing is wrong, and at most 256 cells. Else None.

    Each array is fetched from memory once; from there on a person is one byte.
    """
    columns = [found for found in (check.small_codes(Y, 1), check.small_codes(prediction, min(bins, 256) - 1), check.small_codes(A, 254))
               if found is not None]
    if len(columns) < 3 or len({small.size for small, _ in columns}) > 1:
        return None
    (y, _), (cell, _), (a, largest) = columns
    k = largest + 1 if n_groups is None else n_groups
    cells = bins * k * 2
    if not largest < k or (n_groups is None and k > y.size) or cells > 256:
        return None
    for factor, code in ((k, a), (2, y)):
        cell *= factor
        cell += code
    if cells > FEW:
        return np.bincount(cell, minlength=cells).reshape(bins, k, 2)
    counts = [np.count_nonzero(cell == c) for c in range(cells - 1)]
    return np.array([*counts, y.size - sum(counts)]).reshape(bins, k, 2)


def _decisions(prediction: ArrayLike) -> np.ndarray:
    """0/1 decisions as ints, or P(Yhat = 1) as floats."""
    if isinstance(prediction, np.ndarray) and prediction.dtype.kind in "bi":
        return check.labels("prediction", prediction)
    chance = check.array("prediction", prediction, ndim=1, low=0.0, high=1.0)
    return chance if ((chance != 0) & (chance != 1)).any() else chance.astype(np.int64)


def error(counts: ArrayLike) -> np.ndarray:
    """Share of people on whom prediction and label differ.

    Source: supplement, section 2.1: err = P[Yhat != Y].

    Parameters
    ----------
    counts : (..., 2, k, 2) array [yhat, a, y]

    Returns
    -------
    (...) array, or a float for one table

    Examples
    --------
    >>> float(error([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]))
    0.2
    """
    counts = check.table("counts", counts, bins=2)
    total = counts.sum(axis=(-3, -2, -1))
    if (total <= 0).any():
        check.refuse("counts", float(total.min()), "the table holds nobody", "Give a table with people in it.")
    return (counts[..., 0, :, 1] + counts[..., 1, :, 0]).sum(axis=-1) / total


def predictive_values(counts: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """How often a decision turns out right, for every group: P(Y = 1 | accepted) and P(Y = 0 | rejected).

    Source: none in the papers; equal values are called predictive parity.

    Parameters
    ----------
    counts : (..., 2, k, 2) array [yhat, a, y]

    Returns
    -------
    positive, negative : (..., k) arrays, in [0, 1] unless noise has made an entry negative

    Examples
    --------
    >>> positive, negative = predictive_values([[[2, 1], [2, 0]], [[0, 2], [1, 2]]])   # the ten people
    >>> positive.round(3), negative.round(3)
    (array([1.   , 0.667]), array([0.667, 1.   ]))
    """
    counts = check.table("counts", counts, bins=2)
    people = counts.sum(axis=-1)
    if (people <= 0).any():
        yhat, a = np.argwhere(people <= 0)[0][-2:]
        check.refuse("counts", float(people[people <= 0][0]), f"in group {a} nobody is {('rejected', 'accepted')[yhat]}, "
                     "so how often that is right does not exist", "Compare other groups, or rates given the label.")
    return counts[..., 1, :, 1] / people[..., 1, :], counts[..., 0, :, 0] / people[..., 0, :]


@check.formerly(group_names="Rename the rows of the table: report(counts).rename(names).")
def report(counts: ArrayLike) -> pd.DataFrame:
    """A classifier's behaviour as a table to read: a row for each group and one for everybody.

    Source: the rates of supplement, Remark 1.3, and :func:`error`, side by side.

    Parameters
    ----------
    counts : (2, k, 2) array [yhat, a, y]

    Returns
    -------
    pandas.DataFrame
        Columns ``people``, ``label_1`` and ``accepted`` (shares of them), ``error``, ``fp``, ``tp``.

    Examples
    --------
    >>> print(report([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]).round(3))
             people  label_1  accepted  error     fp     tp
    group 0     5.0      0.6       0.4    0.2  0.000  0.667
    group 1     5.0      0.4       0.6    0.2  0.333  1.000
    all        10.0      0.5       0.5    0.2  0.200  0.800
    """
    import pandas as pd  # a quarter of a second, that only tables cost

    counts = check.table("counts", counts, bins=2)
    if counts.ndim != 3:
        check.refuse("counts", counts.shape, "is a batch of tables", "Report one table at a time, for instance counts[0].")
    table = np.concatenate([counts, counts.sum(axis=1, keepdims=True)], axis=1)
    fp, tp = rates(table)
    people = table.sum(axis=(0, 2))
    return pd.DataFrame({
        "people": people, "label_1": table[..., 1].sum(axis=0) / people, "accepted": Parity("demographic_parity").rates(table)[:, 0],
        "error": 1 - Parity("accuracy_parity").rates(table)[:, 0], "fp": fp, "tp": tp,
    }, index=[*(f"group {a}" for a in range(counts.shape[1])), "all"])


def cross_groups(attributes: list[ArrayLike]) -> tuple[np.ndarray, int]:
    """Groups of several attributes at once: one for every combination ("intersectional" groups).

    Source: none in the papers.

    Parameters
    ----------
    attributes : list of (m,) arrays of ints, at least one
        Groups 0..k_1-1, 0..k_2-1, ...

    Returns
    -------
    A : (m,) array of ints
        The combination's number; the last attribute's groups are next to each other.
    n_groups : int
        k_1 k_2 ..., for :func:`cell_counts`; at most 1000. A combination may be empty, and its rates then do not exist.

    Examples
    --------
    >>> A, n_groups = cross_groups([[0, 0, 1, 1], [0, 1, 2, 0]])
    >>> A.tolist(), n_groups
    ([0, 1, 5, 3], 6)
    """
    attributes = check.entries("attributes", attributes, "a list of attributes", "Give [A, B], arrays of group codes.")
    if not attributes:
        check.refuse("attributes", attributes, "holds no attribute", "Give [A, B], arrays of group codes.")
    check.same_people(**{f"attributes[{i}]": attribute for i, attribute in enumerate(attributes)})
    crossed, n_groups = check.groups("attributes[0]", attributes[0])
    for i, attribute in enumerate(attributes[1:], start=1):
        codes, k = check.groups(f"attributes[{i}]", attribute, length=len(crossed))
        n_groups *= k
        if n_groups > check.MOST_GROUPS:
            check.refuse("attributes", n_groups, f"more than {check.MOST_GROUPS} combinations", "Cross fewer attributes, or coarser ones.")
        crossed = crossed * k + codes
    return crossed, n_groups


def merge_groups(counts: ArrayLike, into: ArrayLike) -> np.ndarray:
    """The table of coarser groups, each made of some of the table's groups.

    Source: none in the papers.

    Parameters
    ----------
    counts : (..., b, k, 2) array [yhat, a, y]
    into : (k,) array of ints
        ``into[a]`` is the coarse group, 0..g-1, that group a becomes part of; each of them gets at least one.

    Returns
    -------
    (..., b, g, 2) array [yhat, coarse group, y]

    Examples
    --------
    >>> fine = cell_counts([1, 0, 0, 1], A=[0, 1, 2, 3], Y=[1, 1, 1, 1])
    >>> merge_groups(fine, [0, 0, 1, 1])[1, :, 1]
    array([1., 1.])
    """
    counts = check.table("counts", counts)
    into = check.codes("into", into, what="coarse groups", remedy="Give the coarse group 0, 1, ... of each group.")
    if len(into) != counts.shape[-2]:
        check.refuse("counts, into", (counts.shape[-2], len(into)), "different numbers of groups", "Give one coarse group for each group.")
    if len(set(into.tolist())) <= into.max():
        check.refuse("into", into.tolist(), "leaves out a coarse group", "Number the coarse groups 0, 1, ... without a hole.")
    return np.stack([counts[..., into == g, :].sum(axis=-2) for g in range(int(into.max()) + 1)], axis=-2)
