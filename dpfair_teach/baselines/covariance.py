"""What Zafar et al. bound: how far the group goes together with the distance to the boundary, or with the part of it that is a mistake."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness.parity import Notion, Parity, read_parity

__all__ = ["covariances"]

#: Mistakes are counted from a margin of this down to minus this with a weight that goes from 0 to 1: so there are slopes everywhere.
BEND = 1e-3


def bent(v: np.ndarray) -> np.ndarray:
    """min(0, v) with its corner rounded: concave, with slopes in [0, 1], and at most BEND / 4 below it."""
    near = np.clip(v, -BEND, BEND)
    return np.minimum(v - near, 0.0) - (BEND - near)**2 / (4 * BEND)


def bent_slope(v: np.ndarray) -> np.ndarray:
    """The slope of :func:`bent`."""
    return (BEND - np.clip(v, -BEND, BEND)) / (2 * BEND)


def group_weights(A: np.ndarray, Y: np.ndarray, k: int, parity: Parity, *, as_printed: bool = False) -> np.ndarray:
    """(k, R, m): what a person's number is multiplied by in each covariance: ([a_i = a] - share of a) / m in the cell, else 0."""
    found = np.zeros((k, len(parity.cells), len(A)))
    for r, cell in enumerate(parity.cells):
        inside = np.ones(len(A), dtype=bool) if cell.label is None else Y == cell.label
        for a in range(k):
            share = (A == a).mean() if as_printed else (A[inside] == a).mean()
            found[a, r] = np.where(inside, (A == a) - share, 0.0) / len(A)
    return found


def with_everybody(notion: Notion | Parity) -> Parity:
    """The notion, against the population: another ``against`` would be read by nobody."""
    return read_parity(notion, against=None if isinstance(notion, Parity) else "population", forms=("population",),
                       because="A covariance is of a group with everybody.")


def bends(parity: Parity) -> bool:
    """Whether only mistakes count: for all notions but demographic parity, whose number is the score itself."""
    return parity.notion != "demographic_parity"


def covariances(scores: ArrayLike, A: ArrayLike, Y: ArrayLike, n_groups: int, *,
                notion: Notion | Parity = "demographic_parity", as_printed: bool = False) -> np.ndarray:
    """The covariance of belonging to each group with the score, or with the part of it that is a mistake.

    Source: Tran et al. 2020, Section 8, baseline Z (Zafar et al. 2017, reconstructed). With d a person's score, accepted if above 0, and
    s = 2 y - 1: for demographic parity the number is d. For accuracy parity it is min(0, s d), which is 0 unless the person is misjudged.
    For equalized odds it is the same among people of one label at a time. It is no count: a mistake counts as much as it is clear.

    As printed, the share of a group that is taken away from its indicator is that among everybody. Among people of one label it does not
    take away the mean, and a classifier that treats groups alike has a covariance there that is not 0. By default it is the share among
    those people. For one cell of all people the two are the same.

    Parameters
    ----------
    scores : (m,) array
    A : (m,) array of ints 0..k-1
    Y : (m,) array of 0/1
    n_groups : int in 2..1000
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``; a Parity against the
        population, as a covariance is of a group with everybody.
    as_printed : bool

    Returns
    -------
    (k, R) array: for each group, for each rate of the notion

    Examples
    --------
    >>> scores, A, Y = [2.0, -1.0, 1.0, -2.0], [0, 0, 1, 1], [1, 0, 0, 1]
    >>> covariances(scores, A, Y, 2)                                # group means .5 and -.5
    array([[ 0.25],
           [-0.25]])
    >>> covariances(scores, A, Y, 2, notion="accuracy_parity")      # both mistakes are in group 1
    array([[ 0.375],
           [-0.375]])
    """
    parity, k = with_everybody(notion), check.group_count(n_groups)
    check.same_people(scores=scores, A=A, Y=Y)
    scores = check.filled("scores", check.array("scores", scores, ndim=1), "person")
    A = check.groups_below("A", A, k, of="scores", length=len(scores))
    Y = check.labels("Y", Y, length=len(scores))
    check.flag("as_printed", as_printed)
    for cell in parity.cells:
        if cell.label is not None and not (Y == cell.label).any():
            check.refuse("Y", cell.label, "is nobody's label, and the notion asks about them", "Give people of both labels.")
    g = np.minimum((2 * Y - 1) * scores, 0.0) if bends(parity) else scores
    return group_weights(A, Y, k, parity, as_printed=as_printed) @ g
