"""What learning can reach without privacy, blind to A: the reference that in-processing is compared with."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .. import fairness
from ..oracles.regression import pseudo_inverse
from .mixtures import best_mixtures
from .protocol import GAMMAS_PROTOCOL

__all__ = ["regression_reference"]


def _grid(ends: float, points: int) -> np.ndarray:
    axis = np.linspace(-ends, ends, points)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)


#: Multipliers (u_0, u_1) of the reference: 41 x 41 of [-0.5, 0.5]^2 and of [-5, 5]^2, and no constraint first.
_MULTIPLIERS: np.ndarray = np.concatenate([np.zeros((1, 2)), _grid(0.5, 41), _grid(5.0, 41)])


def error_and_gaps(decisions: np.ndarray, A: np.ndarray, Y: np.ndarray, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Error (H,) of each of H classifiers, (H, m) decisions in [0, 1], and its signed gaps to group 0, (H, 2 (k-1)).

    For a = 1..k-1 the gap in false positive rates, then that in true positive rates. A mixture's are the averages of these.
    """
    decisions = np.asarray(decisions, dtype=float)
    accepted, people = np.empty((len(decisions), n_groups, 2)), np.empty((n_groups, 2))
    for a, y in np.ndindex(n_groups, 2):
        cell = (A == a) & (Y == y)
        accepted[:, a, y], people[a, y] = decisions @ cell, cell.sum()
    check.occupied("A", people, "Merge groups or leave the group out yourself.")
    counts = np.stack([people - accepted, accepted], axis=1)
    return fairness.error(counts), fairness.Parity("equalized_odds", "anchor").gaps(counts)[..., ::2]     # the others are their negatives


@check.formerly(splits="They are the protocol's.", thresholds="It mixes regressions alone.")
def regression_reference(X: ArrayLike, A: ArrayLike, Y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """The protocol's in-processing reference: the non-private frontier over mixtures of the regression oracle's answers.

    Source: ours, the evaluation protocol of this book; the oracle of main text, Section 5, answers no multiplier and 41 x 41 (u_0, u_1) of
    [-0.5, 0.5]^2 and of [-5, 5]^2; with the two constants these are the candidates, which one program a gamma mixes.

    Parameters
    ----------
    X : array_like, shape (m, d)
    A : array_like of ints, shape (m,)
        Two groups, 0 and 1.
    Y : array_like of 0/1, shape (m,)

    Returns
    -------
    (ndarray (25, 2), ndarray (2, 2))
        Rows (violation, error) for the gammas of the protocol; the free points, a constant and the oracle's answer without multipliers.

    Examples
    --------
    >>> from dpfair_teach import data
    >>> people = data.load("communities", group="race_argmax", features="unprotected")
    >>> curve, free = regression_reference(people.X, people.A, people.Y)
    >>> curve.shape, free.round(4).tolist()
    ((25, 2), [[0.0, 0.2924], [0.4477, 0.1269]])
    """
    X = check.array("X", X, ndim=2)
    A, k = check.groups("A", A)
    Y = check.labels("Y", Y)
    if not len(X) == len(A) == len(Y):
        check.refuse("X, A, Y", (len(X), len(A), len(Y)), "different lengths", "Give one row and one entry a person.")
    if k != 2:
        check.refuse("A", k, "is its number of groups, and the protocol's grid of multipliers (u_0, u_1) is that of two",
                     "Merge groups, or take the frontier of experiments.best_mixtures over candidates of your own.")
    everybody = np.arange(len(Y))
    rows = frontier_points(X, A, Y, everybody, everybody)
    return rows[:-2], rows[-2:]


def frontier_points(X: np.ndarray, A: np.ndarray, Y: np.ndarray, learn: np.ndarray, judge: np.ndarray,
                    others: np.ndarray | None = None) -> np.ndarray:
    """Rows (violation, error): one a gamma of the protocol, then the constant, then the oracle's answer without multipliers.

    ``learn`` and ``judge`` are indices of the people learned from and judged; ``others``: decisions (H, m) of more candidates.
    """
    X1 = np.column_stack([np.ones(len(Y)), X])
    inverse, Al, Yl = pseudo_inverse(X1[learn]), A[learn], Y[learn]
    targets = [2.0 * Yl - 1]
    for y in (0, 1):
        one, zero = (Al == 1) & (Yl == y), (Al == 0) & (Yl == y)
        if not one.any() or not zero.any():
            check.refuse("A", f"{'group 0' if one.any() else 'group 1'}, label {y}", "is nobody of those learned from",
                         "Give more people, or larger parts of them.")
        targets.append(len(learn) * (one / one.sum() - zero / zero.sum()))
    score, gap0, gap1 = (X1 @ (inverse @ np.transpose(targets))).T
    u = _MULTIPLIERS
    decisions = score - u[:, :1] * gap0 - u[:, 1:] * gap1 > 0
    more = [] if others is None else [others]
    decisions = np.concatenate([decisions, *more, np.zeros((1, len(Y)), bool), np.ones((1, len(Y)), bool)]).astype(float)
    error, gaps = error_and_gaps(decisions[:, learn], Al, Yl, 2)
    mixtures = best_mixtures(error, gaps, GAMMAS_PROTOCOL)
    error, gaps = error_and_gaps(decisions[:, judge], A[judge], Y[judge], 2)
    curve = np.column_stack([np.abs(mixtures.weights @ gaps).max(axis=1), mixtures.weights @ error])
    return np.vstack([curve, [0.0, min(error[-2:])], [np.abs(gaps[0]).max(), error[0]]])
