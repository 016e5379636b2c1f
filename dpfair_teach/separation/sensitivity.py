"""How far one changed person can move f(D) at all: the bounds, and every data set of a few people."""
from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal, get_args

import numpy as np

from .. import _checks as check
from .optimum import optimal_errors

__all__ = ["sensitivity_bound", "largest_jump"]

Change = Literal["record", "attribute", "feature"]
CHANGES: tuple[Change, ...] = get_args(Change)
MOST_DATASETS = 1_000_000


@dataclass(frozen=True)
class Jump:
    """The largest change ``value`` of f between neighbours, and two data sets [x, a, y] that show it: ``counts``, ``counts_neighbour``."""

    value: float
    counts: np.ndarray
    counts_neighbour: np.ndarray


def gap_sensitivity(m: int, share: float, *, as_printed: bool = False) -> float:
    """How far one changed person can move the difference of two groups' false positive rates: alpha in the proof.

    Source: supplement, proof of Theorem 3.9, prints 2/(C m); 2/(C m + 1) is ours (chapter 13). C is ``share``, as in
    :func:`sensitivity_bound`.
    """
    return 2 / (share * m + (0 if as_printed else 1))


def sensitivity_bound(m: int, gamma: float, share: float, aware: bool = True, *, as_printed: bool = False) -> float:
    """How far a change of one person moves f(D) at most.

    Source: supplement, Theorem 3.9 (main text, Theorem 4.6), for ``aware``. The sharper constants and the blind bound are ours (chapter
    13).

    Parameters
    ----------
    m : int in 2..10^12, number of people
    gamma : float, at least 0
    share : float in (0, 1/2]
        C: the least share of people with label 0 of a group, in both data sets; share m is at least 1.
    aware : bool
        True: H = {h_0, h_U, h_R, h_B}. False: H = {h_0, h_U}.
    as_printed : bool
        1/m + 2/(C m), which the paper proves for ``aware`` only.

    Returns
    -------
    float: with alpha = 2/(C m + 1), for the blind class 1/m + (1 - 2C) alpha/(gamma + alpha), for the aware one the smaller of that and
    1/m + (1 - C) alpha/(1 + gamma + alpha)

    Examples
    --------
    >>> [round(sensitivity_bound(2000, 0.1, 0.25, aware), 4) for aware in (False, True)]
    [0.0197, 0.0032]
    """
    gamma = check.gamma(gamma)
    aware, as_printed = check.flag("aware", aware), check.flag("as_printed", as_printed)
    m = check.integer("m", m, low=2, high=10**12)
    share = _promised(m, share)
    alpha = gap_sensitivity(m, share, as_printed=as_printed)
    if as_printed:
        if not aware:
            check.unread("aware=False, whose sensitivity the paper does not bound", "aware=True", as_printed=True)
        return 1 / m + alpha
    blind = (1 - 2 * share) * alpha / (gamma + alpha)
    return 1 / m + (min(blind, (1 - share) * alpha / (1 + gamma + alpha)) if aware else blind)


def largest_jump(m: int, gamma: float, share: float, aware: bool = False, change: Change = "record") -> Jump:
    """The sensitivity of f by brute force: all data sets of m people, all neighbours.

    Source: checks supplement, Theorem 3.9 (main text, Theorem 4.6).

    Parameters
    ----------
    m : int in 2..20
        A data set is its table of 8 counts; there are comb(m + 7, 7) of them.
    gamma : float, at least 0
    share : as in :func:`sensitivity_bound`
    aware : bool
    change : str
        ``record``: one person's X, A and Y may change. ``attribute``: A only. ``feature``: X only.

    Returns
    -------
    Jump: ``.value``, and a pair of tables [x, a, y] that shows it

    Examples
    --------
    >>> round(largest_jump(8, 0.25, 0.25).value, 4), round(largest_jump(8, 0.25, 0.25, change="attribute").value, 4)
    (0.3125, 0.0781)
    """
    gamma, aware = check.gamma(gamma), check.flag("aware", aware)
    check.choice("change", change, CHANGES)
    m = check.integer("m", m, low=2)
    if comb(m + 7, 7) > MOST_DATASETS:
        check.refuse("m", m, f"there are more than {MOST_DATASETS:,} data sets of that many people", "Choose at most 20 people.")
    share = _promised(m, share)
    counts = _compositions(m)
    tables = counts.reshape(-1, 2, 2, 2)
    counts = counts[(tables[..., 0].sum(axis=1) >= share * m - 1e-9).all(axis=1)]
    place = (m + 1) ** np.arange(8)
    key = counts @ place
    order = np.argsort(key)
    counts, key = counts[order], key[order]
    value = np.atleast_1d(optimal_errors(counts.reshape(-1, 2, 2, 2), gamma, aware)) if len(counts) else np.empty(0)
    best = None
    for i, j in _moves(change):
        source = np.flatnonzero(counts[:, i])
        moved = key[source] - place[i] + place[j]
        target = np.minimum(np.searchsorted(key, moved), len(key) - 1)
        there = key[target] == moved if len(key) else np.zeros(0, bool)
        jumps = np.abs(value[source[there]] - value[target[there]])
        if jumps.size and (best is None or jumps.max() > best.value + 1e-12):
            at = jumps.argmax()
            pair = (counts[rows[there][at]].reshape(2, 2, 2) for rows in (source, target))
            best = Jump(float(jumps[at]), *pair)
    if best is None:
        check.refuse("share", share, f"no two neighbours of {m} people have so many of label 0 in each group", "Choose a smaller share.")
    return best


def _promised(m: int, share: object) -> float:
    """The share C, checked: at least one person of m."""
    share = check.number("share", share, low=0, high=0.5, low_open=True)
    if share * m < 1:
        check.refuse("share", share, f"share m = {share * m:g} with m = {m}, less than one person", "Choose a larger share, at least 1/m.")
    return share


def _compositions(m: int) -> np.ndarray:
    """All (n, 8) tables of m people: where 7 bars stand among m stars."""
    bars = np.array(list(combinations(range(m + 7), 7)), dtype=np.int64)
    walls = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), m + 7)])
    return np.diff(walls, axis=1) - 1


def _moves(change: Change) -> list[tuple[int, int]]:
    """(from, to) among the cells x a y = 0..7, read as binary digits, that one person may go."""
    pairs = [(i, j) for i in range(8) for j in range(8) if i != j]
    return pairs if change == "record" else [(i, j) for i, j in pairs if i ^ j == {"attribute": 2, "feature": 4}[change]]
