"""Pairs of neighbours that move the coefficients far: a sensitivity from below, and the pair that refutes Theorem 5, as data sets."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from .. import _checks as check
from .quadratic import MOST

__all__ = ["largest_move", "worst_pair"]

#: How large the steps of the search are at first and at last.
STEP, LAST = 0.5, 1e-3


class AttainedMove(NamedTuple):
    """A move that one replaced tuple makes.

    Attributes
    ----------
    norm : float
        How far, by the weights that were asked for.
    x : (d,) array
        The row before.
    x_new : (d,) array
        The row after.
    others : (d,) array
        The mean row of the others.
    label : str
        Whether the two people agree in the label: "same", or "other".
    group : str
        Whether they agree in the group.
    """

    norm: float
    x: np.ndarray
    x_new: np.ndarray
    others: np.ndarray
    label: str
    group: str


class Tuples(NamedTuple):
    """People as their tuples; a group may be empty.

    Attributes
    ----------
    X : (m, d) array
        Rows.
    y : (m,) array of 0/1
        Labels.
    A : (m,) array of 0/1
        Groups.
    """

    X: np.ndarray
    y: np.ndarray
    A: np.ndarray


def largest_move(d: int, rng: np.random.Generator, *, alpha: float = 0.0, norm: Literal["l1", "l2"] = "l1",
                 weights: tuple[float, float] = (1.0, 1.0), starts: int = 64, steps: int = 600) -> AttainedMove:
    """The largest move of the coefficients that a search finds: a lower bound on every sensitivity, for x >= 0 in the unit ball.

    Source: ours, against Lemmas 1 to 4 and Theorem 3 (Ding et al. 2020). Rows climb by random steps, projected onto the ball, from drawn
    starts and from rows that are even on some features; labels, groups and signs are tried out. For many people: (m - 1) / m counts as 1.

    Parameters
    ----------
    d : int in 1..500
    rng : numpy.random.Generator
        Of the search; nothing private is drawn.
    alpha : float in [0, 1e6]
        Weight of the covariance; 0 for the log loss alone.
    norm : {"l1", "l2"}
    weights : (float, float), at least 0
        Of coefficients with w_1, and of those without: 1/scale of two-scale noise.
    starts, steps : int in 1..100,000

    Returns
    -------
    AttainedMove

    Raises
    ------
    ValueError
        A norm that is neither, weights below 0 or not two, a seed in place of a generator.

    Examples
    --------
    >>> found = largest_move(2, np.random.default_rng(0), alpha=1.0)
    >>> round(found.norm, 2), found.x.round(2), found.x_new.round(2)
    (3.25, array([1., 0.]), array([0., 1.]))
    """
    d, rng = check.integer("d", d, low=1, high=500), check.rng(rng, drawn="the search")
    alpha, norm = check.number("alpha", alpha, low=0.0, high=1e6), check.choice("norm", norm, ("l1", "l2"))
    pair = check.array("weights", weights, shape=(2,), low=0.0, high=1e100)
    starts, steps = check.integer("starts", starts, low=1, high=100_000), check.integer("steps", steps, low=1, high=100_000)
    on_b, on_H = np.where(np.arange(d) == 0, *pair), np.full((d, d), pair[1])
    on_H[0, :] = on_H[:, 0] = pair[0]
    best = AttainedMove(-1.0, np.zeros(d), np.zeros(d), np.zeros(d), "", "")
    begin = np.stack([*even_rows(d), *rng.random((starts, 3, d)) * rng.integers(0, 2, (starts, 3, d))])
    for label, group, sign in CASES if alpha else CASES[:2]:
        people, step = projected(begin), np.full(len(begin), STEP)
        now = _norms(people, label, group, sign, alpha, norm, on_b, on_H)
        for _ in range(steps):
            moved = projected(people + step[:, None, None] * rng.normal(size=people.shape) * (rng.random(people.shape) < 0.3))
            new = _norms(moved, label, group, sign, alpha, norm, on_b, on_H)
            people = np.where((new > now)[:, None, None], moved, people)
            step = np.where(new > now, step, np.maximum(step * 0.99, LAST))
            now = np.maximum(now, new)
        if now.max() > best.norm:
            x, new, others = people[now.argmax()]
            best = AttainedMove(float(now.max()), x, new, others, label, group)
    return best


#: (labels, groups, sign of the label's part): all that matters, by the symmetry of exchanging the two people.
CASES = (("other", "other", 1), ("same", "other", 1), ("other", "other", -1), ("same", "other", -1),
         ("other", "same", 1), ("same", "same", 1))


def projected(rows: np.ndarray) -> np.ndarray:
    """Nearest rows of entries >= 0 in the ball."""
    rows = np.maximum(rows, 0.0)
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1.0)


def even_rows(d: int) -> Iterator[np.ndarray]:
    """Rows that are even on the first h features, on the others or on all, and single features: (3, d) of x, x' and the others' mean."""
    for h in sorted({1, 2, d // 3, d // 2, (d + 1) // 2, d - 1, d}):
        if 1 <= h <= d:
            first = np.r_[np.full(h, h**-0.5), np.zeros(d - h)]
            last = np.r_[np.zeros(h), np.full(d - h, (d - h)**-0.5)] if h < d else np.zeros(d)
            yield from (np.stack([first, last, last]), np.stack([first, first, last]), np.stack([first, first, 0 * last]))
            yield from (np.stack([last, first, first]), np.stack([last, last, first]))


def _norms(people: np.ndarray, label: str, group: str, sign: int, alpha: float, norm: str, on_b: np.ndarray,
           on_H: np.ndarray) -> np.ndarray:
    """(S,) weighted norms of the moves of (S, 3, d) triples."""
    x, new, others = people[:, 0], people[:, 1], people[:, 2]
    by_group = x - (others if group == "other" else new)
    b = sign * (x + new if label == "other" else x - new) / 2 + alpha * by_group
    H = (x[:, :, None] * x[:, None] - new[:, :, None] * new[:, None]) / 8
    if norm == "l1":
        return np.abs(b) @ on_b + np.einsum("sij,ij->s", np.abs(H), on_H)
    twice = 2 - np.eye(len(on_b))           # a merged coefficient is two entries of H, and counts once
    return np.sqrt((b**2) @ on_b**2 + np.einsum("sij,ij->s", H**2, on_H**2 * twice))


def worst_pair(d: int, m: int, *, s: int = 0) -> tuple[Tuples, Tuples]:
    """Two data sets that differ in one person's label and group, and in ADFC's coefficients as far as any two do.

    Source: ours, against Theorem 5 (Ding et al. 2020). That person has the feature s and no other, everybody else has another single
    feature, label 0 and group 0. Changing the label moves b_s by 1; changing the group moves c_s by a = (m - 1) / m and that of the others'
    feature by -a. So the coefficient of w_s moves by 1 + a, one other by a, and nothing else moves.

    Parameters
    ----------
    d : int in 2..5000
    m : int in 2..10^7
        People.
    s : int in 0..d-1

    Returns
    -------
    Tuples, Tuples
        Before and after.

    Examples
    --------
    >>> from dpfair_teach.functional import merged_quadratic
    >>> D, D_new = worst_pair(3, 100)
    >>> merged_quadratic(*D).b - merged_quadratic(*D_new).b
    array([ 1.99, -0.99,  0.  ])
    """
    d, m = check.integer("d", d, low=2, high=MOST), check.integer("m", m, low=2, high=10**7)
    s = check.integer("s", s, low=0, high=d - 1)
    X: np.ndarray = np.zeros((m, d))
    X[0, s] = X[1:, 1 if s == 0 else 0] = 1.0
    first = (np.arange(m) == 0).astype(int)
    return Tuples(X, 0 * first, first), Tuples(X, first, 0 * first)
