"""How much one person's A moves what the two players compute: as printed, tight, and by trying every neighbour."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .auditor import bound_on_multipliers

__all__ = ["lemma_3_1", "neighbour_changes", "subroutine_4_epsilon"]

#: Whose change is meant: the group alone, group and features, or the whole record with the label.
Protected = Literal["A", "X and A", "record"]
PROTECTED: tuple[Protected, ...] = get_args(Protected)
#: What a private play may protect: a label is public.
Guarded = Literal["A", "X and A"]
GUARDED: tuple[Guarded, ...] = get_args(Guarded)


@dataclass(frozen=True)
class Sensitivities:
    """How much one person can move what a round computes.

    ``auditor``: l1 change of r, all its entries. ``learner``: change of one classifier's loss L(h, lambda), for any lambda with sum at most
    B. ``rates``: l1 change of the 2k rates, of which r is a function.
    """

    auditor: float
    learner: float
    rates: float


def lemma_3_1(smallest_cell: float, n_groups: int, B: float, *, at: Literal["promise", "here"] = "promise", protect: Protected = "A",
              m: int | None = None, as_printed: bool = False) -> Sensitivities:
    """The sensitivities of auditor and learner: printed 2k/(n-1) and (2kB+1)/(n-1); tight 2k/(N+1) and 2B/(N+1).

    Source: supplement, Lemma 3.1 and its proof. Printed, n is the smallest cell of the data at hand: a bound on the change towards *its*
    neighbours, called local sensitivity, and read off private data. What may scale noise is a bound over all pairs of neighbours, with a
    public N below which no cell of either falls. It is attained for every whole N >= 1; the bound towards the neighbours of one data set
    from n = 2 on.

    Parameters
    ----------
    smallest_cell : float in [0, 1e15]
        People in the smallest cell (a, y): the promised N, or n of the data at hand (``at="here"`` and as printed).
    n_groups : int in 2..1000
        k.
    B : float in (0, 1e9]
        Limit on the sum of the multipliers.
    at : str
        "promise": the largest change over all pairs of data sets with at least ``smallest_cell`` people in each cell. "here": over
        the neighbours of data whose smallest cell is that; for "A" only.
    protect : str
        "A": one person's group changes. "X and A": the features too, so predictions change; it also covers classifiers that see the group,
        for which :func:`aware_sensitivities` is sharper. "record": the label too, and then two rates of the anchor may move.
    m : int in 1..10^15, optional
        People; needed where predictions change, because the error does then: by 1/m. Refused for "A", where none does.
    as_printed : bool
        The printed bounds, infinite unless n > 1 (Assumption 3.3). They are for "A", read neither ``at`` nor ``m``, and refuse them.

    Examples
    --------
    >>> lemma_3_1(9, n_groups=2, B=5)
    Sensitivities(auditor=0.4, learner=1.0, rates=0.2)
    >>> lemma_3_1(9, n_groups=2, B=5, as_printed=True)
    Sensitivities(auditor=0.5, learner=2.625, rates=0.25)
    """
    n = check.number("smallest_cell", smallest_cell, low=0.0, high=1e15)
    k = check.group_count(n_groups)
    B = check.number("B", B, low=0.0, high=1e9, low_open=True)
    at, protect = check.choice("at", at, ("promise", "here")), check.choice("protect", protect, PROTECTED)
    if m is not None:
        m = check.integer("m", m, low=1, high=10**15)
    if check.flag("as_printed", as_printed):
        check.unread("as_printed=True", "as_printed=False", at=at if at != "promise" else None, protect=protect if protect != "A" else None,
                     m=m)
        return Sensitivities(*(x / (n - 1) if n > 1 else math.inf for x in (2 * k, 2 * k * B + 1, 2)))
    if protect == "A":
        check.unread("protect='A'", "protect='X and A' or 'record'", m=m)
    if at == "here":
        if protect != "A":
            check.refuse("protect", protect, "the change at one data set is known here for 'A' only", "Choose at='promise'.")
        leave, join = 1 / max(n, 1.0), 1 / (n + 1)
        return Sensitivities(2 * (k - 1) * leave + 2 * join, B * (leave + join), leave + join)
    one = 1 / (n + 1)
    if protect == "A":
        return Sensitivities(2 * k * one, 2 * B * one, 2 * one)
    if m is None:
        check.refuse("m", None, f"predictions change when {protect} does, and the error with them by 1/m", "Give m.")
    stay = 1 / max(n, 1.0)          # somebody who stays in the cell may be accepted after being rejected
    both = 2 * (k - 1) * stay if protect == "X and A" else 4 * (k - 1) * one
    return Sensitivities(max(2 * k * one, 2 * (k - 1) * stay, both), max(2 * B * one, B * stay + 1 / m), 2 * one)


@dataclass(frozen=True)
class NeighbourChanges:
    """The largest change over every neighbour of one data set, found by trying them.

    ``auditor``, ``learner``, ``rates`` are as in :func:`lemma_3_1`, ``learner`` 0 without ``B``. ``smallest_cell`` is that of this data
    set, ``smallest_cell_of_pair`` that of it and of all ``neighbours`` that were compared: those that leave a cell empty have no rates.
    """

    auditor: float
    learner: float
    rates: float
    smallest_cell: int
    smallest_cell_of_pair: int
    neighbours: int


def neighbour_changes(predictions: ArrayLike, A: ArrayLike, Y: ArrayLike, *, B: float | None = None, least: int = 1) -> NeighbourChanges:
    """Brute force: change everybody's A in turn to everything else, and look how far r, the rates and the losses move.

    Source: the definitions in supplement, Lemma 3.1, at one data set. For the learner the worst lambda is found exactly: of sum B it puts
    all on the gap that moves most, in a direction.

    Parameters
    ----------
    predictions : (H, m) array in [0, 1]
        Of classifiers that do not see A.
    A : (m,) array of ints 0..k-1
    Y : (m,) array of 0/1
    B : float in (0, 1e9], optional
    least : int in 1..10^15
        Neighbours with a cell smaller than this are left out.

    Examples
    --------
    >>> found = neighbour_changes([[1, 0, 0, 0, 1, 0]], A=[0, 0, 1, 0, 0, 1], Y=[0, 0, 0, 1, 1, 1], B=1)
    >>> found.auditor, lemma_3_1(found.smallest_cell_of_pair, n_groups=2, B=1).auditor
    (2.0, 2.0)
    """
    check.same_people(A=A, Y=Y)
    A, k = check.groups("A", A)
    Y = check.labels("Y", Y)
    if len(Y) != len(A):
        check.refuse("A, Y", (len(A), len(Y)), "different lengths", "Give one entry a person in each.")
    if k < 2:
        check.refuse("A", k - 1, "is the largest code, so there is one group only", "Comparing needs two groups.")
    predictions = check.filled("predictions", check.array("predictions", predictions, ndim=2, low=0.0, high=1.0), "classifier")
    if predictions.shape[1] != len(A):
        check.refuse("predictions", predictions.shape, f"has not {len(A)} columns, one a person of A", "Give one column a person.")
    B = 0.0 if B is None else check.number("B", B, low=0.0, high=1e9, low_open=True)
    least = check.integer("least", least, low=1, high=10**15)
    check.size(predictions.size * (k - 1), name="predictions", remedy="Give fewer classifiers or people.")
    cell = np.eye(2 * k)[2 * A + Y]
    n, accepted = cell.sum(axis=0).reshape(k, 2), (predictions @ cell).reshape(-1, k, 2)
    check.occupied("A", n, "Merge that group with another.", codes=True)
    before, worst, pair, tried = accepted / n, np.zeros(3), int(n.min()), 0
    for j in range(len(A)):
        a, y, h = A[j], Y[j], predictions[:, j]
        for b in (b for b in range(k) if b != a and n[a, y] > least):
            move = np.zeros((len(h), k))
            move[:, a] = (accepted[:, a, y] - h) / (n[a, y] - 1) - before[:, a, y]
            move[:, b] = (accepted[:, b, y] + h) / (n[b, y] + 1) - before[:, b, y]
            gaps = np.abs(move[:, 1:] - move[:, :1])
            worst = np.maximum(worst, [2 * gaps.sum(axis=1).max(), B * gaps.max(), np.abs(move).sum(axis=1).max()])
            pair, tried = min(pair, int(n[a, y]) - 1), tried + 1
    if not tried:
        check.refuse("least", least, "leaves out every neighbour", "Choose it smaller.")
    auditor, learner, rates = map(float, worst)
    return NeighbourChanges(auditor, learner, rates, int(n.min()), pair, tried)


def subroutine_4_epsilon(epsilon_step: float, B: float, n_groups: int) -> float:
    """What the printed private learner really spends in a round: at most epsilon' (6B+1)/(4kB+2), less than epsilon'.

    Source: ours, on supplement, Subroutine 4 with the Delta l of Lemma 3.1. The learner survives a scale that is read off the data, thanks
    to the factor k that Lemma 3.1 gives away. The auditor does not.

    Parameters
    ----------
    epsilon_step : float > 0
        epsilon'.
    B : float in (0, 1e9]
    n_groups : int in 2..1000

    Examples
    --------
    >>> round(subroutine_4_epsilon(1.0, B=5, n_groups=2), 3)
    0.738
    """
    B = float(bound_on_multipliers(check.number("B", B, low=0.0, high=1e9, low_open=True)))
    k = check.group_count(n_groups)
    return check.epsilon(epsilon_step, "epsilon_step") * (6 * B + 1) / (4 * k * B + 2)
