"""The evaluation protocol: its grids, its held-out splits, and a data set with its base classifier as tables of counts."""
from __future__ import annotations

import numpy as np

from .. import _checks as check
from .. import data, fairness, postprocessing
from .._curve import GAMMAS
from ..data import Dataset
from ..postprocessing.bins import Criterion

__all__ = ["DELTA", "EPSILONS", "GAMMAS_PROTOCOL", "base_counts", "held_out_counts"]

#: Privacy levels of the comparisons.
EPSILONS: tuple[float, ...] = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)

#: Failure probability of the approximate guarantees, and the confidence parameter of Algorithm 1.
DELTA: float = 1e-7
BETA: float = 0.05

#: The 25 tolerances of the comparisons, which learners take too where no others are given: 0 to 0.10 by 0.01, then 14 values up to 0.5.
GAMMAS_PROTOCOL: tuple[float, ...] = GAMMAS

_PARTITIONS = 4


def held_out_splits(m: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The 12 held-out splits (learn, judge) of m people, increasing index arrays: four random partitions into thirds, each held out once.

    By numpy's own generator and a fixed seed: the stored tables of the book are about these people. No privacy rests on the seed.
    """
    rng, splits = np.random.default_rng(np.random.SeedSequence(0)), []
    for _ in range(_PARTITIONS):
        third_of = rng.permutation(m) % 3
        splits += [(np.flatnonzero(third_of != third), np.flatnonzero(third_of == third)) for third in range(3)]
    return splits


def base_counts(people: Dataset, n_bins: int | None = None, criterion: Criterion | None = None) -> np.ndarray:
    """People by [base's answer, a, y], (2, k, 2) and read-only, the base classifier fitted on all of them.

    Source: main text, Figure 1, right panel.

    Parameters
    ----------
    people : Dataset
    n_bins : int, optional
        Bins of the base's score, cut by ``postprocessing.optimal_cuts``; 2 to 1000. Then the shape is (n_bins, k, 2).
    criterion : "area" or "price", optional
        How bins are cut; as in ``DPPostProcessing``. None: "area".

    Returns
    -------
    ndarray of ints

    Examples
    --------
    >>> base_counts(data.load("communities")).sum(axis=0).tolist()
    [[916, 108], [495, 475]]
    """
    people, n_bins, criterion = _read(people, n_bins, criterion)
    counts = _tables(people, np.ones(people.m, dtype=bool), n_bins, criterion)[0]
    counts.flags.writeable = False
    return counts


@check.formerly(seed="The protocol has its seeds.")
def held_out_counts(people: Dataset, n_bins: int | None = None, criterion: Criterion | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The tables of 12 splits of the people: of the two thirds learnt from, and of the third judged on.

    The splits are four random partitions into thirds, by a fixed seed, each third held out once. The base is fitted and the bins are cut
    on the two thirds; the table is released there, and error and violation are read on the third.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    people, n_bins, criterion : as in :func:`base_counts`

    Returns
    -------
    (ndarray, ndarray), each of shape (12, 2, k, 2), or (12, n_bins, k, 2), read-only

    Examples
    --------
    >>> people = data.load("communities")
    >>> train, test = held_out_counts(people)
    >>> bool(((train + test).sum(axis=1) == base_counts(people).sum(axis=0)).all())
    True
    """
    people, n_bins, criterion = _read(people, n_bins, criterion)
    stacked = np.stack([_tables(people, np.isin(np.arange(people.m), learn), n_bins, criterion)
                        for learn, _ in held_out_splits(people.m)])
    stacked.flags.writeable = False
    return stacked[:, 0], stacked[:, 1]


def _tables(people: Dataset, learnt: np.ndarray, n_bins: int | None, criterion: Criterion) -> np.ndarray:
    """The tables [yhat or bin, a, y] of those learnt from and of the others, (2, b, k, 2); base and cuts are those of the former."""
    base, b = data.base_classifier(people if learnt.all() else people.subset(learnt)), 2
    decided = base.predict(people.X)
    if n_bins is not None:
        b, score = n_bins, base.predict_proba(people.X)[:, 1]
        decided = postprocessing.score_bins(score, postprocessing.optimal_cuts(score[learnt], people.Y[learnt], b, criterion))
    return np.stack([fairness.cell_counts(decided[side], people.A[side], people.Y[side], n_groups=people.n_groups, n_bins=b)
                     if side.any() else np.zeros((b, people.n_groups, 2), dtype=np.int64) for side in (learnt, ~learnt)])


def _read(people: object, n_bins: object, criterion: Criterion | None) -> tuple[Dataset, int | None, Criterion]:
    people = check.instance("people", people, Dataset, "not a Dataset", "Pass what data.load returns, or build a data.Dataset.")
    if n_bins is None:
        check.unread("n_bins=None, which cuts no score", "a number of bins", criterion=criterion)
    return (people, None if n_bins is None else check.integer("n_bins", n_bins, low=2, high=1000),
            "area" if criterion is None else check.choice("criterion", criterion, ("area", "price")))
