"""The problem behind the named experiments: Communities and Crime with its base classifier, as tables of counts.

Held-out splits: four random partitions into thirds, each third held out once. The base is fitted and the table is released on
the other two thirds; error and violation are read on the third that neither has seen.
"""
from __future__ import annotations

from functools import cache

import numpy as np

from .. import _checks, data, fairness

__all__ = ["N_SPLITS", "communities_counts", "held_out_counts"]

#: Held-out splits: 4 partitions times 3 thirds.
N_SPLITS: int = 12
_GROUPS = ("paper", "race_argmax")


@cache
def _counts(group: str) -> np.ndarray:
    people = data.load("communities", group=group)
    counts = fairness.cell_counts(data.base_classifier(people).predict(people.X), people.A, people.Y)
    counts.flags.writeable = False
    return counts


def communities_counts(group: str = "paper") -> np.ndarray:
    """People by [base's answer, a, y] in Communities and Crime, base fitted on all of them as the paper does.

    Source: main text, Figure 1, right panel (the data and the base classifier behind it, by the rule ``paper``).

    Parameters
    ----------
    group : {"paper", "race_argmax"}
        The rule that makes A; it fixes the features too.

    Returns
    -------
    ndarray, shape (2, 2, 2), read-only

    Raises
    ------
    ValueError
        Where ``group`` is another rule.

    Examples
    --------
    >>> communities_counts().sum(axis=0).tolist()
    [[916, 108], [495, 475]]
    """
    return _counts(_checks.choice("group", group, _GROUPS))


@cache
def _splits(group: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    people = data.load("communities", group=group)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    tables = []
    for _ in range(N_SPLITS // 3):
        part = rng.permutation(people.m) % 3
        for third in range(3):
            base = data.base_classifier(people.subset(part != third)).predict(people.X)
            tables.append([fairness.cell_counts(base[side], people.A[side], people.Y[side], n_groups=2)
                           for side in (part != third, part == third)])
    stacked = np.array(tables)
    stacked.flags.writeable = False
    return stacked[:, 0], stacked[:, 1]


def held_out_counts(group: str = "paper", seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The tables of the 12 held-out splits: two thirds to learn from, one third to be judged on.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    group : {"paper", "race_argmax"}
        As in :func:`communities_counts`.
    seed : int
        Of the partitions, from 0 on. No privacy rests on it.

    Returns
    -------
    (ndarray, ndarray), each of shape (12, 2, 2, 2), read-only
        Tables [yhat, a, y] of the people learnt from, and of the people held out.

    Raises
    ------
    ValueError
        Where ``group`` is another rule or ``seed`` is no whole number from 0 on.

    Examples
    --------
    >>> train, test = held_out_counts()
    >>> bool(((train + test).sum(axis=1) == communities_counts().sum(axis=0)).all())
    True
    """
    return _splits(_checks.choice("group", group, _GROUPS), _checks.integer("seed", seed, low=0, high=2**63 - 1))
