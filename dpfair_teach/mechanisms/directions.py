"""Directions: how many of each group, everybody counted with whole numbers of their own."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .measurement import cell_sensitivity, release
from .records import UNIT_A, Release

__all__ = ["release_directions", "whole_directions"]

#: Whole numbers that stand for a weight of 1, where epsilon leaves room for them.
GRID = 1024
#: By so little a weight, or those of a person together, may fall short of a whole number and stand for it: rounding is smaller, and a
#: person's sizes, being whole numbers, still add up to no more than the grid.
SHORT = 1e-6
#: Of one person's weights together, and of everybody's in one direction: what the exact noise takes.
MOST, MOST_OF_ALL = 5 * 10**8, 2**53


def grid_for(epsilon: float, unit: int) -> int:
    """Whole numbers for a weight of 1, whose person moves ``unit`` answers: as many as the exact noise takes at this epsilon."""
    return int(np.clip(epsilon / unit * 1e9, 1, GRID))


def whole_directions(directions: ArrayLike, grid: int = 1024) -> np.ndarray:
    """Directions on a grid of whole numbers: the same question up to 1 / grid, and its sensitivity is exact.

    Source: ours. Everybody's weights, over all directions together, are first divided by the largest sum of their sizes, times the grid,
    and rounded towards 0 (what is a whole number up to rounding stands for it): so nobody's sizes add up to more than ``grid``.

    Parameters
    ----------
    directions : array (K, m)
        What each of K questions counts each of m people with; public, somebody's not 0.
    grid : int in 1..500,000,000

    Returns
    -------
    int64 array (K, m)
        Divide the answers by ``grid`` and multiply them with the largest sum of sizes for those of the directions given.

    Raises
    ------
    ValueError
        No numbers, nobody counted.

    Examples
    --------
    >>> whole_directions([[1.0, -0.5, 0.25]], grid=8).tolist(), whole_directions([[1, 0, 1], [0, 2, 1]], grid=10).tolist()
    ([[8, -4, 2]], [[5, 0, 5], [0, 10, 5]])
    """
    directions = check.array("directions", directions, ndim=2, low=-1e100, high=1e100)
    grid = check.integer("grid", grid, low=1, high=MOST)
    sizes = np.abs(directions).sum(axis=0)
    if not sizes.size or sizes.max() == 0:
        check.refuse("directions", directions.shape, "count nobody", "Give at least one person a weight that is not 0.")
    scaled = directions / sizes.max() * grid
    return np.trunc(scaled + np.copysign(SHORT / len(scaled), scaled)).astype(np.int64)


def release_directions(directions: ArrayLike, A: ArrayLike, epsilon: float, rng: np.random.Generator, *, n_groups: int = 2,
                       cells: ArrayLike | None = None, every_group: bool = False,
                       part: tuple[str, str] | None = None) -> tuple[np.ndarray, Release]:
    """Count groups 1, ..., k-1 with public whole weights, some of which may be below 0: epsilon-private for all answers together.

    Source: ours, beside :func:`release_cells`, whose questions count everybody in one cell with 1. Whoever changes from one counted group
    to another moves two answers of each direction, by the size of the own weight; from or to group 0, which is not counted, one. So
    the sensitivity is the largest sum of a person's sizes, times :func:`cell_sensitivity`. The noise is
    :func:`exact_geometric`, without doubles: with large weights it is wide, and doubles round.

    Parameters
    ----------
    directions : int array (K, m)
        Public, or a function of what was released before: see :func:`whole_directions`. Nobody's sizes add up to more than 5*10^8, no
        direction's to more than 2^53, and somebody's are not all 0.
    A : int array (m,)
        Groups 0..k-1.
    epsilon : float in [1e-9, 1e9]
        Of all K directions together.
    rng : numpy.random.Generator
    n_groups : int in 2..1000
        k, public.
    cells : int array (m,), optional
        Everybody's cell, public: directions (K, J) then hold a weight for each of J cells, which all in it have, and not for each person.
    every_group : bool
        Count group 0 too, so that no group is treated otherwise than the others.
    part : pair of str, optional
        Which public part of the people they are, for the record, see :class:`accounting.Release`.

    Returns
    -------
    (int64 array (k-1, K), or (k, K), accounting.Release)
        Noisy sums of weights, and the record of what was asked.

    Raises
    ------
    ValueError
        Weights that are not whole, nobody counted, arrays of different lengths, numbers out of range.

    Examples
    --------
    >>> answers, release = release_directions([[3, -1, 2]], [1, 1, 0], epsilon=100, rng=np.random.default_rng(0))
    >>> answers.tolist(), release.sensitivity, release.scale
    ([[2]], 3.0, 0.03)
    """
    weights = check.array("directions", directions, ndim=2, low=-float(MOST), high=float(MOST))
    if (weights != np.trunc(weights)).any():
        check.refuse("directions", float(weights[weights != np.trunc(weights)][0]), "is no whole number",
                     "Round: mechanisms.whole_directions does.")
    whole = weights.astype(np.int64)
    k, every_group = check.group_count(n_groups), check.flag("every_group", every_group)
    epsilon, rng = check.number("epsilon", epsilon, low=1e-9, high=1e9), check.rng(rng)
    if cells is None:
        A = check.groups_below("A", A, k, of="directions", length=whole.shape[1])
        people = np.ones(whole.shape[1], dtype=np.int64)
    else:
        cells = check.codes("cells", cells, what="cells", remedy="Number the cells as the columns of directions are.")
        if cells.max(initial=0) >= whole.shape[1]:
            check.refuse("directions, cells", (directions, int(cells.max())), f"are {whole.shape[1]} columns, and a cell beyond them",
                         "Give a weight for each cell.")
        A = check.groups_below("A", A, k, of="cells", length=len(cells))
        people = np.bincount(cells, minlength=whole.shape[1])
    sizes = np.abs(whole) * (people > 0)
    widest, longest = int(sizes.sum(axis=0).max(initial=0)), int((sizes @ people).max(initial=0))
    if widest == 0:
        check.refuse("directions", whole.shape, "count nobody", "Give at least one person a weight that is not 0.")
    if widest > MOST or longest > MOST_OF_ALL:          # said of the weights, so that it tells nothing of the groups
        check.refuse("directions", max(widest, longest), "is a sum of sizes, and the exact noise has no room for it",
                     "Choose a coarser grid.")
    sensitivity = widest * cell_sensitivity(k, every_group)
    groups = range(0 if every_group else 1, k)
    if cells is None:
        sums = np.stack([whole[:, A == a].sum(axis=1) for a in groups])
    else:
        sums = np.stack([whole @ np.bincount(cells[A == a], minlength=len(people)) for a in groups])
    return release("geometric", sums, rng, unit=UNIT_A, sensitivity=sensitivity, epsilon=epsilon, part=part, exact=True)
