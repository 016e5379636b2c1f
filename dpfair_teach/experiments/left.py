"""The in-processing side of Communities and Crime: the non-private reference of the protocol, and the group rules of the left panel."""
from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from .. import _checks, data, fairness
from ..data import Dataset
from ..oneshot import best_mixtures
from ..oracles.regression import pseudo_inverse
from .grids import GAMMAS_PROTOCOL
from .splits import held_out_splits

__all__ = ["LEFT_GROUPS", "REFERENCE_MULTIPLIERS", "left_people", "left_reference"]


def hisp_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racePctHisp is above its median: the paper's rule on another column."""
    return (raw["racePctHisp"] > raw["racePctHisp"].median()).to_numpy().astype(int)


def white_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racePctWhite is at most its median: the paper's rule on another column, the smaller half being group 1."""
    return (raw["racePctWhite"] <= raw["racePctWhite"].median()).to_numpy().astype(int)


#: Group rules of the left panel, by name; the last two are the paper's rule (above or below the median) on the two next race columns.
LEFT_GROUPS: dict[str, Any] = {"paper": "paper", "race_argmax": "race_argmax", "hisp_median": hisp_median, "white_median": white_median}


def _grid(ends: float, points: int) -> np.ndarray:
    axis = np.linspace(-ends, ends, points)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)


#: Multipliers (u_0, u_1) of the reference: 41 x 41 of [-0.5, 0.5]^2 and of [-5, 5]^2, and no constraint first.
REFERENCE_MULTIPLIERS: np.ndarray = np.concatenate([np.zeros((1, 2)), _grid(0.5, 41), _grid(5.0, 41)])


def left_people(group: str = "paper", label: str = "p70") -> Dataset:
    """Communities and Crime for in-processing: features without the protected columns, a group rule of :data:`LEFT_GROUPS`.

    Source: main text, Section 5 (the data; the 18 protected columns left out of X).

    Parameters
    ----------
    group : str
        A name of ``LEFT_GROUPS``.
    label : str
        ``p70`` or ``p20``.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        Where there is no such rule.

    Examples
    --------
    >>> left_people("race_argmax").X.shape
    (1994, 104)
    """
    return _people(_checks.choice("group", group, tuple(LEFT_GROUPS)), _checks.choice("label", label, ("p70", "p20")))


@cache
def _people(group: str, label: str) -> Dataset:
    return data.load("communities", group=LEFT_GROUPS[group], label=label, features="unprotected")


def gaps_and_error(decisions: np.ndarray, A: np.ndarray, Y: np.ndarray, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Error (H,) and signed gaps to group 0 (H, 2 (k-1)) of decisions (H, m), on the true groups: for a = 1..k-1, false positives then
    true positives."""
    decisions = np.asarray(decisions, dtype=float)      # booleans would multiply to booleans
    accepted, people = np.empty((len(decisions), n_groups, 2)), np.empty((n_groups, 2))
    for a, y in np.ndindex(n_groups, 2):
        cell = (A == a) & (Y == y)
        accepted[:, a, y], people[a, y] = decisions @ cell, cell.sum()
    counts = np.stack([people - accepted, accepted], axis=1)
    return fairness.error(counts), fairness.Parity("equalized_odds").gaps(counts)[..., ::2]     # the others are their negatives


def left_splits(people: Dataset, evaluated: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs (learn, judge) of index arrays: everybody twice in-sample, else the 12 splits of :func:`held_out_splits`."""
    everybody = np.arange(people.m)
    return [(everybody, everybody)] if evaluated == "in_sample" else held_out_splits(people.m)


def reference_of(X: np.ndarray, A: np.ndarray, Y: np.ndarray, learn: np.ndarray, judge: np.ndarray) -> np.ndarray:
    """Rows (violation, error): one a gamma of the protocol, then the constant, then the oracle's answer without multipliers.

    Of two groups: a grid as fine for the 2 (k-1) multipliers of k groups would have millions of points.
    """
    if (k := int(A.max()) + 1) != 2:
        _checks.refuse("A", k, "is its number of groups, and the protocol's grid of multipliers (u_0, u_1) is that of two",
                       "Merge groups, or take the frontier of oneshot.best_mixtures over candidates of your own.")
    X1 = np.column_stack([np.ones(len(Y)), X])
    inverse, Al, Yl = pseudo_inverse(X1[learn]), A[learn], Y[learn]
    targets = [2.0 * Yl - 1]
    for y in (0, 1):
        one, zero = (Al == 1) & (Yl == y), (Al == 0) & (Yl == y)
        targets.append(len(learn) * (one / one.sum() - zero / zero.sum()))
    score, gap0, gap1 = (X1 @ (inverse @ np.transpose(targets))).T
    u = REFERENCE_MULTIPLIERS
    decisions = score - u[:, :1] * gap0 - u[:, 1:] * gap1 > 0
    decisions = np.concatenate([decisions, np.zeros((1, len(Y)), bool), np.ones((1, len(Y)), bool)]).astype(float)
    error, gaps = gaps_and_error(decisions[:, learn], Al, Yl, k)
    mixtures = best_mixtures(error, gaps, GAMMAS_PROTOCOL)
    error, gaps = gaps_and_error(decisions[:, judge], A[judge], Y[judge], k)
    curve = np.column_stack([np.abs(mixtures.weights @ gaps).max(axis=1), mixtures.weights @ error])
    return np.vstack([curve, [0.0, min(error[-2:])], [np.abs(gaps[0]).max(), error[0]]])


def left_reference(group: str = "paper", label: str = "p70",
                   evaluated: Literal["in_sample", "held_out"] = "in_sample") -> tuple[np.ndarray, np.ndarray]:
    """The protocol's in-processing reference: the non-private frontier over mixtures of the regression oracle's answers.

    Source: ours, the evaluation protocol of this book; the oracle is that of main text, Section 5. The oracle answers each multiplier of
    ``REFERENCE_MULTIPLIERS``; with the two constants these are the candidates, and one linear program a gamma mixes them.

    Parameters
    ----------
    group, label : as in :func:`left_people`
    evaluated : {"in_sample", "held_out"}
        Held out: learned on two thirds, judged on the other, mean of the 12 splits.

    Returns
    -------
    (ndarray (25, 2), ndarray (2, 2))
        Rows (violation, error) for the gammas of the protocol; the free points, a constant and the oracle's answer without multipliers.

    Raises
    ------
    ValueError
        Where there is no such rule.

    Examples
    --------
    >>> curve, free = left_reference("race_argmax")
    >>> curve.shape, free.round(4).tolist()
    ((25, 2), [[0.0, 0.2924], [0.4477, 0.1269]])
    """
    left_people(group, label)
    return _reference(group, label, _checks.choice("evaluated", evaluated, ("in_sample", "held_out")))


@cache
def _reference(group: str, label: str, evaluated: str) -> tuple[np.ndarray, np.ndarray]:
    people = _people(group, label)
    rows = np.mean([reference_of(people.X, people.A, people.Y, *split) for split in left_splits(people, evaluated)], axis=0)
    rows.flags.writeable = False
    return rows[:-2], rows[-2:]
