"""Tables to read: a classifier's behaviour in each group, and how often its decisions turn out right."""
from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import _checks as check
from .parity import Parity, rates

__all__ = ["predictive_values", "report"]


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
    people = table.sum(axis=(0, 2))
    return pd.DataFrame({
        "people": people, "label_1": table[..., 1].sum(axis=0) / people, "accepted": Parity("demographic_parity").rates(table)[:, 0],
        "error": 1 - Parity("accuracy_parity").rates(table)[:, 0], "fp": fp, "tp": tp,
    }, index=[*group_names, "all"])
