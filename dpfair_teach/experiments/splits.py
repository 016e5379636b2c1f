"""Who is learned from and who is judged: the one place where people are split, for every study."""
from __future__ import annotations

import numpy as np

from .. import _checks as check

__all__ = ["N_SPLITS", "held_out_splits"]

#: Held-out splits: 4 partitions times 3 thirds.
N_SPLITS: int = 12


def held_out_splits(m: int, *, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Four random partitions of m people into thirds, each third held out once: 12 splits.

    These are the kind of splits that scikit-learn's ``RepeatedKFold(n_splits=3, n_repeats=4)`` makes, by numpy's own generator. The stored
    tables of the book are about these people, and no seed of ``RepeatedKFold`` gives the same ones. A study with other numbers of folds
    takes that class.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    m : int
        People, 3 to ten million.
    seed : int
        Of the partitions, from 0 to 2**63 - 1. No privacy rests on it.

    Returns
    -------
    list of 12 pairs (learn, judge) of index arrays
        Increasing; two thirds of the people, and the others. scikit-learn takes the list as ``cv=``.

    Raises
    ------
    ValueError
        As :func:`setting_rng` for the seed; for fewer than three people.

    Examples
    --------
    >>> splits = held_out_splits(6)
    >>> len(splits), [sorted(np.concatenate(split).tolist()) for split in splits[:2]]
    (12, [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]])
    >>> np.sort(np.concatenate([judge for _, judge in splits[:3]])).tolist()
    [0, 1, 2, 3, 4, 5]
    """
    m = check.integer("m", m, low=3, high=10**7)
    rng = np.random.default_rng(np.random.SeedSequence(check.integer("seed", seed, low=0, high=2**63 - 1)))
    splits = []
    for _ in range(N_SPLITS // 3):
        third_of = rng.permutation(m) % 3
        splits += [(np.flatnonzero(third_of != third), np.flatnonzero(third_of == third)) for third in range(3)]
    return splits
