"""Categories as 0/1 columns."""
from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["one_hot"]


def one_hot(table: pd.DataFrame, dtype: type = np.float64) -> tuple[np.ndarray, tuple[str, ...]]:
    """Features in the order of the columns: a number stays one column, a category becomes one 0/1 column per value, sorted.

    No value is left out as a reference: each person has exactly one 1 among the columns of a category.
    The matrix is filled in place, because for the census it is the largest thing in memory.

    Parameters
    ----------
    table : DataFrame, m rows, without missing values
    dtype : numpy float type of the result

    Returns
    -------
    X : array of shape (m, d)
    names : tuple of str, ``column`` for a number, ``column=value`` for a category
    """
    numeric = {c: pd.api.types.is_numeric_dtype(table[c]) for c in table}
    codes = {c: pd.factorize(table[c], sort=True) for c in table if not numeric[c]}
    names: list[str] = []
    start = {}
    for c in table:
        start[c] = len(names)
        names += [c] if numeric[c] else [f"{c}={value}" for value in codes[c][1]]
    X: np.ndarray = np.zeros((len(table), len(names)), dtype=dtype)
    rows = np.arange(len(table))
    for c in table:
        if numeric[c]:
            X[:, start[c]] = table[c].to_numpy()
        else:
            X[rows, start[c] + codes[c][0]] = 1.0
    return X, tuple(names)
