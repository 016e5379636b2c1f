"""Fairness as rates: everything here is a function of one small table, the number of people with each (yhat, a, y).

A table has shape ``(b, k, 2)`` and is indexed ``[yhat, a, y]``: what the classifier said (b = 2), the group (k of them) and the true
label. Entries are people, or frequencies (people divided by m): rates, errors and violations are the same for both. They may be
expected numbers (a randomized classifier) and, where a privacy mechanism has added noise, negative; what is needed is only that the
sums that stand below a fraction line are positive. Leading axes are batches: ``(..., 2, k, 2)``.
"""
from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from . import _checks as check

__all__ = ["NOTIONS", "AGAINST", "cell_counts", "rates", "error", "violation", "form_constants", "predictive_values", "cross_groups",
           "merge_groups", "report"]

AGAINST = ("anchor", "pairs", "population")


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
    n_groups : int, optional
        k, where the largest code in ``A`` does not tell. A group without people is a row of zeros.
    n_bins : int, optional
        Number b of score bins, at least 2.

    Returns
    -------
    (b, k, 2) array indexed [yhat, a, y], in people: ints where every person counts whole, else floats. b = 2 without ``n_bins``.

    Raises
    ------
    ValueError
        Different lengths, nobody, NaN, labels other than 0/1, groups that are not codes, predictions outside their range, more than
        10^8 cells.

    Examples
    --------
    >>> counts = cell_counts(prediction=[1, 0, 1, 1], A=[0, 0, 1, 1], Y=[1, 1, 1, 0])
    >>> counts.shape
    (2, 2, 2)
    >>> counts[1]   # accepted: rows are groups, columns are labels
    array([[0, 1],
           [1, 1]])
    >>> cell_counts(prediction=[.25, .75], A=[0, 1], Y=[1, 1])[1, :, 1]
    array([0.25, 0.75])
    """
    Y = check.labels("Y", Y)
    if n_groups is not None:
        n_groups = check.integer("n_groups", n_groups, low=1, high=10**6)
    A, k = check.groups("A", A, n_groups=n_groups)
    if n_bins is not None:
        n_bins = check.integer("n_bins", n_bins, low=2, high=1000)
        prediction = check.codes("prediction", prediction, what="score bins",
                                 remedy="Give bins 0, ..., n_bins - 1, for instance numpy.digitize(score, edges).")
        if prediction.max() >= n_bins:
            check.refuse("prediction", int(prediction.max()), f"a bin above n_bins - 1 = {n_bins - 1}", "Raise n_bins or recode the bins.")
        bins = n_bins
    else:
        prediction, bins = _decisions(prediction), 2
    if not len(prediction) == len(A) == len(Y):
        check.refuse("prediction, A, Y", (len(prediction), len(A), len(Y)), "different lengths", "Give one entry a person in each.")
    cells = check.size(bins * k * 2, name="n_groups * n_bins * 2", remedy="Give fewer groups or bins.")[0]
    if prediction.dtype.kind == "f":
        cell = 2 * A + Y
        people = np.bincount(cell, minlength=2 * k)
        accepted = np.bincount(cell, weights=prediction, minlength=2 * k)
        return np.stack([people - accepted, accepted]).reshape(2, k, 2)
    kind = np.uint8 if cells <= 256 else np.int64           # one byte a person: eight times less memory to walk through
    cell = prediction.astype(kind)
    for factor, code in ((k, A), (2, Y)):
        cell *= factor
        cell += code.astype(kind)
    if cells <= 8:
        counts = np.array([np.count_nonzero(cell == c) for c in range(cells)])
    else:
        counts = np.bincount(cell, minlength=cells)
    return counts.reshape(bins, k, 2)


def rates(counts: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """False- and true-positive rate of every group.

    Source: supplement, Remark 1.3 (main text, section 2): FP_a = q_1a0 / q_a0 and TP_a = q_1a1 / q_a1.

    Parameters
    ----------
    counts : (..., 2, k, 2) array [yhat, a, y]

    Returns
    -------
    fp, tp : (..., k) arrays, in [0, 1] unless noise has made an entry negative.

    Raises
    ------
    ValueError
        A (group, label) cell is empty, so that its rate does not exist; the message names the cell.

    Examples
    --------
    >>> fp, tp = rates([[[2, 1], [2, 0]], [[0, 2], [1, 2]]])   # the ten people
    >>> fp.round(3), tp.round(3)
    (array([0.   , 0.333]), array([0.667, 1.   ]))
    """
    counts = check.table("counts", counts, bins=2)
    return _rate(counts, 0), _rate(counts, 1)


def error(counts: ArrayLike) -> np.ndarray:
    """Share of people on whom prediction and label differ.

    Source: supplement, section 2.1: err = P[Yhat != Y].

    Parameters
    ----------
    counts : (..., 2, k, 2) array [yhat, a, y]

    Returns
    -------
    (...) array, or a float for one table

    Raises
    ------
    ValueError
        The table is empty.

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


def violation(counts: ArrayLike, notion: str = "equalized_odds", against: str = "anchor", anchor: int = 0) -> np.ndarray:
    """How far the groups' rates are apart: the smallest gamma for which the classifier is gamma-fair.

    Source: supplement, Definition 1.1 (main text, Definition 2.1) for equalized odds against an anchor; the definition's first form is
    ``against="pairs"``. gamma against an anchor allows 2 gamma between two other groups.

    Parameters
    ----------
    counts : (..., 2, k, 2) array [yhat, a, y], k >= 2
    notion : str
        ``equalized_odds``: false- and true-positive rates, the larger of the two gaps. ``false_positive``: the former only.
        ``true_positive``: the latter only, also called equal opportunity.
        ``demographic_parity``: P(Yhat = 1 | a). ``accuracy_parity``: P(Yhat = Y | a).
    against : str
        ``anchor``: the largest |rate_a - rate_anchor|. ``pairs``: the largest gap between any two groups. ``population``: the
        largest |rate_a - rate of everybody|.
    anchor : int
        The group that the others are compared with, for ``against="anchor"``; the other two have no anchor and take no notice.

    Returns
    -------
    (...) array, or a float for one table

    Raises
    ------
    ValueError
        Unknown option, fewer than two groups, or an empty cell below a fraction line that the notion needs.

    Examples
    --------
    >>> ten = [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    >>> [round(float(violation(ten, notion)), 4) for notion in NOTIONS]
    [0.3333, 0.3333, 0.3333, 0.2, 0.0]
    >>> round(float(violation(ten, against="population")), 4)
    0.2
    """
    counts = check.table("counts", counts, bins=2, least_groups=2)
    check.choice("notion", notion, NOTIONS)
    check.choice("against", against, AGAINST)
    if against == "anchor":
        anchor = check.integer("anchor", anchor, low=0, high=counts.shape[-2] - 1)
    gaps = []
    for rate_of in _RATES[notion]:
        rate = rate_of(counts)
        if against == "pairs":
            gaps.append(rate.max(axis=-1) - rate.min(axis=-1))
            continue
        reference = rate[..., [anchor]] if against == "anchor" else rate_of(counts.sum(axis=-2, keepdims=True))
        gaps.append(np.abs(rate - reference).max(axis=-1))
    return np.max(gaps, axis=0)


def form_constants(shares: ArrayLike, anchor: int = 0) -> np.ndarray:
    """What one form of a notion promises of another: the smallest c with violation(wanted) <= c violation(given), for all rates.

    Source: ours; the supplement, Definition 1.1, goes from pairs to an anchor "without loss of generality".

    Parameters
    ----------
    shares : (k,) array, k >= 2, positive
        People, or shares of people, of each group among those whose rate is compared: with label y for the rates of equalized odds,
        all of them for demographic and accuracy parity.
    anchor : int

    Returns
    -------
    (3, 3) array indexed [given, wanted], both in the order of :data:`AGAINST`. Each constant is attained for violations up to 1/2.

    Raises
    ------
    ValueError
        Fewer than two groups, a share that is not positive, or an anchor that is no group.

    Examples
    --------
    >>> form_constants([0.6, 0.3, 0.1])     # rows: given the anchored, pairwise, population form
    array([[1.        , 2.        , 1.2       ],
           [1.        , 1.        , 0.9       ],
           [1.66666667, 2.        , 1.        ]])
    """
    w = check.array("shares", shares, ndim=1, high=1e15)
    if w.size < 2 or (w <= 0).any():
        check.refuse("shares", w.tolist(), "not the positive shares of at least two groups", "Leave empty groups out.")
    anchor = check.integer("anchor", anchor, low=0, high=w.size - 1)
    w = w / w.max()
    w = w / w.sum()
    own, least = w[anchor], np.delete(w, anchor).min()
    return np.array([
        [1.0, 1.0 if w.size == 2 else 2.0, max(1 - own, 2 - own - 2 * least)],
        [1.0, 1.0, 1 - w.min()],
        [min(2.0, 1 / max(own, least)), min(2.0, 1 / np.sort(w)[1]), 1.0],
    ])


def predictive_values(counts: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """How often a decision turns out right, for every group: P(Y = 1 | accepted) and P(Y = 0 | rejected).

    Source: none in the papers; equal values are called predictive parity.

    Parameters
    ----------
    counts : (..., 2, k, 2) array [yhat, a, y]

    Returns
    -------
    positive, negative : (..., k) arrays, in [0, 1] unless noise has made an entry negative.

    Raises
    ------
    ValueError
        In some group nobody is accepted, or nobody rejected.

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


def cross_groups(attributes: list[ArrayLike]) -> tuple[np.ndarray, int]:
    """Groups that are crossed: one for every combination of several attributes.

    Source: none in the papers; "intersectional" groups.

    Parameters
    ----------
    attributes : list of (m,) arrays of ints, at least one
        Groups 0..k_1-1, 0..k_2-1, ...

    Returns
    -------
    A : (m,) array of ints
        The combination's number; the last attribute's groups are next to each other.
    n_groups : int
        k_1 k_2 ..., for :func:`cell_counts`. A combination may be empty, and its rates then do not exist.

    Raises
    ------
    ValueError
        No attribute, different lengths, groups that are not codes, or more than 10^6 combinations.

    Examples
    --------
    >>> A, n_groups = cross_groups([[0, 0, 1, 1], [0, 1, 2, 0]])
    >>> A.tolist(), n_groups
    ([0, 1, 5, 3], 6)
    """
    attributes = check.entries("attributes", attributes, "a list of attributes", "Give [A, B], arrays of group codes.")
    if not attributes:
        check.refuse("attributes", attributes, "holds no attribute", "Give [A, B], arrays of group codes.")
    crossed, n_groups = check.groups("attributes[0]", attributes[0])
    for i, attribute in enumerate(attributes[1:], start=1):
        codes, k = check.groups(f"attributes[{i}]", attribute, length=len(crossed))
        n_groups *= k
        if n_groups > 10**6:
            check.refuse("attributes", n_groups, "more than 1,000,000 combinations", "Cross fewer attributes, or coarser ones.")
        crossed = crossed * k + codes
    return crossed, n_groups


def merge_groups(counts: ArrayLike, into: ArrayLike) -> np.ndarray:
    """The table of coarser groups.

    Source: none in the papers.

    Parameters
    ----------
    counts : (..., b, k, 2) array [yhat, a, y]
    into : (k,) array of ints
        ``into[a]`` is the coarse group, 0..g-1, that group a becomes part of; each of them gets at least one.

    Returns
    -------
    (..., b, g, 2) array [yhat, coarse group, y]

    Raises
    ------
    ValueError
        Not one code for each group, or a coarse group that gets none.

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


def report(counts: ArrayLike, group_names: tuple[str, ...] | list[str] | None = None) -> pd.DataFrame:
    """One table of a classifier's behaviour: a row for each group and one for everybody.

    Source: the rates of supplement, Remark 1.3, and :func:`error`, side by side.

    Parameters
    ----------
    counts : (2, k, 2) array [yhat, a, y]
    group_names : k strings, optional
        All different; "all" is the row of everybody.

    Returns
    -------
    pandas.DataFrame
        Columns ``people``, ``label_1`` and ``accepted`` (shares of them), ``error``, ``fp``, ``tp``.

    Raises
    ------
    ValueError
        A batch of tables, an empty cell, a wrong number of names, or a name twice.

    Examples
    --------
    >>> print(report([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]).round(3))
             people  label_1  accepted  error     fp     tp
    group 0     5.0      0.6       0.4    0.2  0.000  0.667
    group 1     5.0      0.4       0.6    0.2  0.333  1.000
    all        10.0      0.5       0.5    0.2  0.200  0.800
    """
    counts = check.table("counts", counts, bins=2)
    if counts.ndim != 3:
        check.refuse("counts", counts.shape, "is a batch of tables", "Report one table at a time, for instance counts[0].")
    group_names = check.group_names(group_names, counts.shape[1], reserved=("all",))
    table = np.concatenate([counts, counts.sum(axis=1, keepdims=True)], axis=1)
    fp, tp = rates(table)
    return pd.DataFrame({
        "people": table.sum(axis=(0, 2)), "label_1": _share(table, table[..., 1].sum(axis=0)),
        "accepted": _accepted(table), "error": 1 - _right(table), "fp": fp, "tp": tp,
    }, index=[*group_names, "all"])


def _decisions(prediction: ArrayLike) -> np.ndarray:
    """0/1 decisions as ints, or P(Yhat = 1) as floats."""
    if isinstance(prediction, np.ndarray) and prediction.dtype.kind in "bi":
        return check.labels("prediction", prediction)
    chance = check.array("prediction", prediction, ndim=1, low=0.0, high=1.0)
    return chance if ((chance != 0) & (chance != 1)).any() else chance.astype(np.int64)


def _rate(counts: np.ndarray, y: int) -> np.ndarray:
    """P(Yhat = 1 | a, y) for every group; refuses an empty (a, y)."""
    people = counts[..., y].sum(axis=-2)
    check.occupied("counts", people[..., None], "Merge groups, use more data, or choose a notion that does not need this cell.",
                   labels=(y,))
    return counts[..., 1, :, y] / people


def _share(counts: np.ndarray, part: np.ndarray) -> np.ndarray:
    """``part`` as a share of each group; refuses an empty group."""
    people = counts.sum(axis=(-3, -1))
    if (people <= 0).any():
        a = int(np.argwhere(people <= 0)[0][-1])
        check.refuse("counts", float(people[people <= 0][0]), f"group {a} holds nobody, so its rates do not exist",
                     "Leave the group out and renumber the others.")
    return part / people


def _false_positive(counts: np.ndarray) -> np.ndarray:
    return _rate(counts, 0)


def _true_positive(counts: np.ndarray) -> np.ndarray:
    return _rate(counts, 1)


def _accepted(counts: np.ndarray) -> np.ndarray:
    return _share(counts, counts[..., 1, :, :].sum(axis=-1))


def _right(counts: np.ndarray) -> np.ndarray:
    return _share(counts, counts[..., 0, :, 0] + counts[..., 1, :, 1])


#: Every notion, and the rates that it wants alike.
_RATES = {
    "equalized_odds": (_false_positive, _true_positive),
    "false_positive": (_false_positive,),
    "true_positive": (_true_positive,),
    "demographic_parity": (_accepted,),
    "accuracy_parity": (_right,),
}
NOTIONS = tuple(_RATES)
