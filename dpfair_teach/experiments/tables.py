"""A data set and its base classifier as tables of counts: what post-processing starts from, in-sample and held out.

The held-out splits are those of :func:`held_out_splits`. The base is fitted, the cuts of score bins are chosen and the
table is released on the other two thirds; error and violation are read on the third that none of these has seen.
"""
from __future__ import annotations

import numpy as np

from .. import _checks as check
from .. import data, fairness, postprocessing
from ..data import Dataset
from ..postprocessing.bins import Criterion
from .splits import held_out_splits

__all__ = ["base_counts", "held_out_counts"]


def _tables(people: Dataset, learnt: np.ndarray, n_bins: int | None, criterion: Criterion) -> np.ndarray:
    """The tables [yhat or bin, a, y] of those learnt from and of the others, (2, b, k, 2); base and cuts are those of the former."""
    base, b = data.base_classifier(people if learnt.all() else people.subset(learnt)), 2
    decided = base.predict(people.X)
    if n_bins is not None:
        b, score = n_bins, base.predict_proba(people.X)[:, 1]
        decided = postprocessing.score_bins(score, postprocessing.optimal_cuts(score[learnt], people.Y[learnt], b, criterion))
    return np.stack([fairness.cell_counts(decided[side], people.A[side], people.Y[side], n_groups=people.n_groups, n_bins=b)
                     if side.any() else np.zeros((b, people.n_groups, 2), dtype=np.int64) for side in (learnt, ~learnt)])


def base_counts(people: Dataset, n_bins: int | None = None, criterion: Criterion | None = None) -> np.ndarray:
    """People by [base's answer, a, y], the base classifier fitted on all of them.

    Source: main text, Figure 1, right panel (a logistic regression without A on the people of the table).

    Parameters
    ----------
    people : Dataset
    n_bins : int, optional
        Bins of the base's score, cut by ``postprocessing.optimal_cuts``, in place of its two answers; 2 to 1000.
    criterion : "area" or "price", optional
        How bins are cut; as in ``DPPostProcessing``. Refused without ``n_bins``. None: "area".

    Returns
    -------
    ndarray, shape (2, k, 2), or (n_bins, k, 2), read-only

    Raises
    ------
    ValueError
        Where ``people`` is no data set, there is no such criterion or nothing to cut by it, or ``n_bins`` is out of range.

    Examples
    --------
    >>> base_counts(data.load("communities")).sum(axis=0).tolist()
    [[916, 108], [495, 475]]
    >>> base_counts(data.load("communities", group="race_argmax_4", label="p20"), n_bins=6).shape
    (6, 4, 2)
    """
    people, n_bins, criterion = _read(people, n_bins, criterion)
    counts = _tables(people, np.ones(people.m, dtype=bool), n_bins, criterion)[0]
    counts.flags.writeable = False
    return counts


def held_out_counts(people: Dataset, n_bins: int | None = None, criterion: Criterion | None = None, *,
                    seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The tables of the 12 held-out splits: two thirds to learn from, one third to be judged on.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    people, n_bins, criterion : as in :func:`base_counts`
        Base classifier and cuts of bins come from the two thirds.
    seed : int
        Of the partitions, 0 to 2**63 - 1. No privacy rests on it.

    Returns
    -------
    (ndarray, ndarray), each of shape (12, 2, k, 2), or (12, n_bins, k, 2), read-only
        Tables [yhat, a, y] of the people learnt from, and of the people held out.

    Raises
    ------
    ValueError
        As :func:`base_counts`, and as :func:`held_out_splits`.

    Examples
    --------
    >>> people = data.load("communities")
    >>> train, test = held_out_counts(people)
    >>> bool(((train + test).sum(axis=1) == base_counts(people).sum(axis=0)).all())
    True
    """
    people, n_bins, criterion = _read(people, n_bins, criterion)
    splits = held_out_splits(people.m, seed=seed)
    stacked = np.stack([_tables(people, np.isin(np.arange(people.m), learn), n_bins, criterion) for learn, _ in splits])
    stacked.flags.writeable = False
    return stacked[:, 0], stacked[:, 1]


def _read(people: object, n_bins: object, criterion: Criterion | None) -> tuple[Dataset, int | None, Criterion]:
    if not isinstance(people, Dataset):
        check.refuse("people", people, "not a Dataset", "Pass what data.load returns, or build a data.Dataset.")
    if n_bins is None:
        check.unread("n_bins=None, which cuts no score", "a number of bins", criterion=criterion)
    return (people, None if n_bins is None else check.integer("n_bins", n_bins, low=2, high=1000),
            "area" if criterion is None else check.choice("criterion", criterion, ("area", "price")))
