"""The problem behind the named experiments: Communities and Crime with its base classifier, as tables of counts.

The held-out splits are those of :func:`held_out_splits`. The base is fitted, the cuts of score bins are chosen and the
table is released on the other two thirds; error and violation are read on the third that none of these has seen.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from .. import _checks as check
from .. import data, fairness, postprocessing
from ..data import Dataset
from ..postprocessing.bins import Criterion
from .splits import held_out_splits

__all__ = ["communities_counts", "held_out_counts"]

Rule = str | Callable
#: People, the base's answers and scores, and which of them are learnt from (everybody in-sample).
Part = tuple[Dataset, np.ndarray, np.ndarray, np.ndarray]


def _rule(name: str, rule: object) -> Rule:
    """A rule's name or a function; which names there are, ``data.load`` knows."""
    if not isinstance(rule, str) and not callable(rule):
        check.refuse(name, rule, "neither a rule's name nor a function", "Name a rule of data.load, or give a function of the raw table.")
    return rule


def _answers(people: Dataset, learnt: np.ndarray) -> Part:
    """A base fitted on those learnt from, asked about everybody."""
    base = data.base_classifier(people if learnt.all() else people.subset(learnt))
    return people, base.predict(people.X), base.predict_proba(people.X)[:, 1], learnt


def _parts(group: Rule, label: Rule, seed: int | None) -> list[Part]:
    """The problem in-sample (``seed`` None), or its 12 splits. Named rules are remembered, a reader's function is asked again."""
    return (_remembered if isinstance(group, str) and isinstance(label, str) else _fresh)(group, label, seed)


def _fresh(group: Rule, label: Rule, seed: int | None) -> list[Part]:
    people = data.load("communities", group=group, label=label)
    if seed is None:
        return [_answers(people, np.ones(people.m, dtype=bool))]
    return [_answers(people, np.isin(np.arange(people.m), learn)) for learn, _ in held_out_splits(people.m, seed=seed)]


_remembered = cache(_fresh)


def _tables(part: Part, n_bins: int | None, criterion: Criterion) -> np.ndarray:
    """The tables [yhat or bin, a, y] of those learnt from and of the others, (2, b, k, 2); the cuts are chosen on the former."""
    people, decided, score, learnt = part
    b = 2
    if n_bins is not None:
        b = n_bins
        decided = postprocessing.score_bins(score, postprocessing.optimal_cuts(score[learnt], people.Y[learnt], b, criterion))
    return np.stack([fairness.cell_counts(decided[side], people.A[side], people.Y[side], n_groups=people.n_groups, n_bins=b)
                     if side.any() else np.zeros((b, people.n_groups, 2), dtype=np.int64) for side in (learnt, ~learnt)])


def communities_counts(group: Rule = "paper", label: Rule = "p70", n_bins: int | None = None, criterion: Criterion = "area") -> np.ndarray:
    """People by [base's answer, a, y] in Communities and Crime, base fitted on all of them as the paper does.

    Source: main text, Figure 1, right panel (the data and the base classifier behind it, by the rules ``paper`` and ``p70``).

    Parameters
    ----------
    group, label : str or callable
        The rules that make A and Y, by name or your own, as in ``data.load``: ``paper``, ``race_argmax``, ``race_argmax_4``; ``p70``,
        ``p20``. The group's rule fixes the features too.
    n_bins : int, optional
        Bins of the base's score, cut by ``postprocessing.optimal_cuts``, in place of its two answers; 2 to 1000.
    criterion : "area" or "price"
        How bins are cut; as in ``DPPostProcessing``.

    Returns
    -------
    ndarray, shape (2, k, 2), or (n_bins, k, 2), read-only

    Raises
    ------
    ValueError
        Where there is no such rule or criterion, or ``n_bins`` is out of range.

    Examples
    --------
    >>> communities_counts().sum(axis=0).tolist()
    [[916, 108], [495, 475]]
    >>> communities_counts("race_argmax_4", "p20", n_bins=6).shape
    (6, 4, 2)
    """
    n_bins, criterion = _bins(n_bins), check.choice("criterion", criterion, ("area", "price"))
    (part,) = _parts(_rule("group", group), _rule("label", label), None)
    counts = _tables(part, n_bins, criterion)[0]
    counts.flags.writeable = False
    return counts


def held_out_counts(group: Rule = "paper", label: Rule = "p70", n_bins: int | None = None, criterion: Criterion = "area", *,
                    seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The tables of the 12 held-out splits: two thirds to learn from, one third to be judged on.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    group, label, n_bins, criterion : as in :func:`communities_counts`
        The cuts of bins come from the two thirds.
    seed : int
        Of the partitions, from 0 on. No privacy rests on it.

    Returns
    -------
    (ndarray, ndarray), each of shape (12, 2, k, 2), or (12, n_bins, k, 2), read-only
        Tables [yhat, a, y] of the people learnt from, and of the people held out.

    Raises
    ------
    ValueError
        Where there is no such rule or criterion, or ``seed`` or ``n_bins`` is out of range.

    Examples
    --------
    >>> train, test = held_out_counts()
    >>> bool(((train + test).sum(axis=1) == communities_counts().sum(axis=0)).all())
    True
    """
    n_bins, criterion = _bins(n_bins), check.choice("criterion", criterion, ("area", "price"))
    parts = _parts(_rule("group", group), _rule("label", label), check.integer("seed", seed, low=0, high=2**63 - 1))
    stacked = np.stack([_tables(part, n_bins, criterion) for part in parts])
    stacked.flags.writeable = False
    return stacked[:, 0], stacked[:, 1]


def _bins(n_bins: object) -> int | None:
    return None if n_bins is None else check.integer("n_bins", n_bins, low=2, high=1000)
