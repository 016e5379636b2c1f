"""The in-processing side of Communities and Crime: the non-private reference of the protocol, and the group rules of the left panel."""
from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from .. import _checks, data
from ..data import Dataset
from ..oneshot import best_mixtures
from ..oracles.regression import pseudo_inverse
from .communities import N_SPLITS
from .grids import GAMMAS_PROTOCOL

__all__ = ["LEFT_GROUPS", "REFERENCE_MULTIPLIERS", "left_people", "left_reference"]


def hisp_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racePctHisp is above its median: the paper's rule on another column."""
    return (raw["racePctHisp"] > raw["racePctHisp"].median()).to_numpy().astype(int)


def white_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racePctWhite is at most its median: the paper's rule on another column, the smaller half being group 1."""
    return (raw["racePctWhite"] <= raw["racePctWhite"].median()).to_numpy().astype(int)


#: Group rules of the left panel, by name; the last two are the paper's rule (above or below the median) on the two next race columns.
LEFT_GROUPS: dict[str, object] = {"paper": "paper", "race_argmax": "race_argmax", "hisp_median": hisp_median, "white_median": white_median}


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


def reads(settings: list[dict]) -> tuple[dict[str, object], ...]:
    """What ``data.load`` is asked for by settings of (group, label): each pair once."""
    pairs = dict.fromkeys((setting["group"], setting["label"]) for setting in settings)
    return tuple({"name": "communities", "group": LEFT_GROUPS[g], "label": label, "features": "unprotected"} for g, label in pairs)


def gaps_and_error(decisions: np.ndarray, A: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Error (H,) and signed gaps (H, 2) of decisions (H, m) of two groups, on the true groups."""
    decisions = np.asarray(decisions, dtype=float)      # booleans would multiply to booleans
    cells = [decisions @ ((A == a) & (Y == y)) / max(((A == a) & (Y == y)).sum(), 1) for y in (0, 1) for a in (0, 1)]
    return (decisions != Y).mean(axis=1), np.stack([cells[1] - cells[0], cells[3] - cells[2]], axis=1)


def left_splits(people: Dataset, evaluated: str, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs (learn, judge) of index arrays: everybody twice in-sample, else 4 partitions into thirds, each third judged once."""
    everybody = np.arange(people.m)
    if evaluated == "in_sample":
        return [(everybody, everybody)]
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    splits = []
    for _ in range(N_SPLITS // 3):
        third = rng.permutation(people.m) % 3
        splits += [(everybody[third != t], everybody[third == t]) for t in range(3)]
    return splits


def reference_of(X: np.ndarray, A: np.ndarray, Y: np.ndarray, learn: np.ndarray, judge: np.ndarray) -> np.ndarray:
    """Rows (violation, error): one a gamma of the protocol, then the constant, then the oracle's answer without multipliers."""
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
    error, gaps = gaps_and_error(decisions[:, learn], Al, Yl)
    mixtures = best_mixtures(error, gaps, GAMMAS_PROTOCOL)
    error, gaps = gaps_and_error(decisions[:, judge], A[judge], Y[judge])
    curve = np.column_stack([np.abs(mixtures.weights @ gaps).max(axis=1), mixtures.weights @ error])
    return np.vstack([curve, [0.0, min(error[-2:])], [np.abs(gaps[0]).max(), error[0]]])


def left_reference(group: str = "paper", label: str = "p70", evaluated: str = "in_sample") -> tuple[np.ndarray, np.ndarray]:
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


def reference_rows(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """The stored form: one row a gamma, and two with gamma -1 (the constant) and infinity (no constraint). Nothing is drawn."""
    curve, free = left_reference(setting["group"], setting["label"], setting["evaluated"])
    return [{"gamma": float(gamma), "violation": float(violation), "error": float(error)}
            for gamma, (violation, error) in zip((*GAMMAS_PROTOCOL, -1.0, np.inf), np.vstack([curve, free]), strict=True)]


REFERENCES = [{"group": group, "label": label, "evaluated": evaluated}
              for group in LEFT_GROUPS for label in ("p70", "p20") for evaluated in ("in_sample", "held_out")]
