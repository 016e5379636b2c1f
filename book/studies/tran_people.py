"""Who is learned from and who is judged in the tables of Tran et al. 2020: five data sets, three notions, five folds, one judge.

The folds are scikit-learn's, stratified by the label, by a public seed. Features are standardized by those learned from. The violation is
the paper's: the largest gap between any two groups, of decisions. Rates that rest on few people are noisy on a fold (Bank's equalized odds
on 37), so a fold keeps its table of counts: tables of five folds add up, and their violation is that of everybody, each judged once.
"""
from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from dpfair_teach import load
from dpfair_teach.fairness import Parity, cell_counts, error

#: The paper's data sets, as ``data.load`` is asked for them.
SETS: dict[str, dict[str, str]] = {
    "bank": {"name": "bank"}, "income": {"name": "adult"}, "compas": {"name": "compas"},
    "m_bank3": {"name": "bank", "group": "m3"}, "m_bank5": {"name": "bank", "group": "m5"}}
#: Its notions, in the order of Table 2.
NOTIONS: tuple[str, ...] = ("accuracy_parity", "demographic_parity", "equalized_odds")
FOLDS = 5
DELTA = 1e-5


class People(NamedTuple):
    """X (m, d) standardized, A (m,) codes, Y (m,) 0/1."""

    X: np.ndarray
    A: np.ndarray
    Y: np.ndarray


class Fold(NamedTuple):
    """Who is learned from, who is judged, and how many groups there are."""

    learn: People
    judge: People
    k: int


@cache
def people(data: str) -> People:
    """One of ``SETS``, features as they are."""
    found = load(**SETS[data])
    return People(found.X, found.A, found.Y)


def parts(Y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The five pairs (learn, judge) of row numbers."""
    return list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(Y)), Y))


@cache
def fold(data: str, number: int) -> Fold:
    """Fold 0 to 4 of a data set."""
    X, A, Y = people(data)
    learn, judge = parts(Y)[number]
    scaler = StandardScaler().fit(X[learn])
    return Fold(*(People(scaler.transform(X[rows]), A[rows], Y[rows]) for rows in (learn, judge)), int(A.max()) + 1)


def parity(notion: str) -> Parity:
    """The paper's measure: any two groups."""
    return Parity(notion, against="pairs")


def judged(ones: np.ndarray, of: Fold, notion: str) -> dict[str, float | str]:
    """Accuracy and violation of P(1), (n,), on who is judged, and the expected counts [yhat, a, y] behind them."""
    counts = cell_counts(ones, of.judge.A, of.judge.Y, n_groups=of.k)
    return {"accuracy": 1 - float(error(counts)), "violation": float(parity(notion).violation(counts)), "counts": written(counts)}


def written(counts: np.ndarray) -> str:
    """A table of counts as text, for one column of a file."""
    return " ".join(f"{count:.10g}" for count in np.asarray(counts).ravel())


def read(text: str) -> np.ndarray:
    """What :func:`written` wrote, (2, k, 2) [yhat, a, y]."""
    return np.array(text.split(), dtype=float).reshape(2, -1, 2)
