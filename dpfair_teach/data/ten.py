"""Ten invented people, small enough to count on fingers, met again in every chapter."""
from __future__ import annotations

import numpy as np

from .. import _checks as check
from .dataset import Dataset
from .provenance import Provenance

__all__ = ["TEN_NAMES", "ten_people_base"]

TEN_NAMES: tuple[str, ...] = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hana", "Ivo", "Jo")

_SCORE = (.9, .7, .4, .3, .2, .8, .6, .55, .35, .1)
_LABEL = (1, 1, 1, 0, 0, 1, 1, 0, 0, 0)
_GROUP = (0,) * 5 + (1,) * 5


def ten_people() -> Dataset:
    """The ten people: X holds one feature, a score in [0, 1]; five people a group.

    Examples
    --------
    >>> ten_people().cell_sizes().tolist()
    [[2, 3], [3, 2]]
    """
    made = Provenance("ten people invented for this book", licence="CC BY 4.0",
                      rules=(("group", "given: Ada to Eve 0, Fay to Jo 1"), ("label", "given: who repaid"),
                             ("features", "given: one score")))
    return Dataset(np.array(_SCORE)[:, None], np.array(_GROUP), np.array(_LABEL), ("score",), ("group 0", "group 1"), "ten_people", made)


def ten_people_base(X: object) -> np.ndarray:
    """The base classifier of the ten people: accept a score of at least one half.

    Source: none in the papers; invented for this book.

    Parameters
    ----------
    X : array of shape (m, 1)
        Scores; any finite numbers.

    Returns
    -------
    array of shape (m,), 0 or 1

    Raises
    ------
    ValueError
        X is not a finite array with exactly one column.

    Examples
    --------
    >>> dict(zip(TEN_NAMES, ten_people_base(ten_people().X).tolist()))  # doctest: +NORMALIZE_WHITESPACE
    {'Ada': 1, 'Ben': 1, 'Cleo': 0, 'Dan': 0, 'Eve': 0,
     'Fay': 1, 'Gus': 1, 'Hana': 1, 'Ivo': 0, 'Jo': 0}
    """
    scores = check.array("X", X, shape=(None, 1))
    return (scores[:, 0] >= 0.5).astype(np.int64)
