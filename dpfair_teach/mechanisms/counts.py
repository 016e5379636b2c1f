"""How many people of each group are in each public cell, asked once."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .measurement import release
from .records import UNIT_A, Release

__all__ = ["cell_sensitivity", "release_cells"]


def cell_sensitivity(n_groups: int, every_group: bool = False) -> int:
    """The most that the counts of groups 1, ..., k-1 in public cells change, in l1, when one person's group does: 1 for k = 2, else 2.

    Source: ours, sharpening supplement, Lemma 2.1: the cell is public, so group 0's count in it is the cell's size less the others, and is
    not released. Whoever moves between 0 and another group changes one released count, whoever moves between two others changes two. With
    ``every_group`` group 0 is counted too: whoever moves changes two counts, so with three or more groups it costs nothing more.

    Parameters
    ----------
    n_groups : int in 2..1000
    every_group : bool

    Returns
    -------
    int, in people

    Examples
    --------
    >>> cell_sensitivity(2), cell_sensitivity(3)
    (1, 2)
    """
    every_group = check.flag("every_group", every_group)
    return 1 if check.group_count(n_groups) == 2 and not every_group else 2


def release_cells(cells: ArrayLike, A: ArrayLike, epsilon: float, rng: np.random.Generator, *, n_groups: int = 2,
                  n_cells: int | None = None, every_group: bool = False, exact: bool = False,
                  part: tuple[str, str] | None = None) -> tuple[np.ndarray, Release]:
    """Count groups 1, ..., k-1 in every public cell, with two-sided geometric noise: epsilon-private for all cells together.

    Source: ours; sensitivity by :func:`cell_sensitivity`, privacy by the discrete form of supplement, Theorem 1.1. Cells that do not
    overlap compose in parallel: a person stands in one of them only.

    Parameters
    ----------
    cells : int array (m,)
        Everybody's cell 0, 1, ..., a function of X and y, or of what was released before.
    A : int array (m,)
        Groups 0..k-1.
    epsilon : float in [1e-9, 1e9]
    rng : numpy.random.Generator
    n_groups : int in 2..1000
        k, public.
    n_cells : int in 1..10^7, optional
        J, public; as many as the largest code asks for without.
    every_group : bool
        Count group 0 too, so that no group is treated otherwise than the others.
    exact : bool
        Noise of exactly its law, by :func:`exact_geometric`: 50 microseconds a number; else in doubles.
    part : pair of str, optional
        Which public part of the people they are, for the record, see :class:`accounting.Release`.

    Returns
    -------
    (int64 array (k-1, J), or (k, J), accounting.Release)
        Noisy counts, and the record of what was asked.

    Examples
    --------
    >>> counts, release = release_cells([0, 0, 1, 1], [1, 1, 0, 1], epsilon=30, rng=np.random.default_rng(0))
    >>> counts.tolist(), release.sensitivity, release.epsilon
    ([[2, 1]], 1.0, 30.0)
    """
    cells = check.codes("cells", cells, what="cells", remedy="Number the cells 0, 1, ..., J-1.")
    k, epsilon, rng = check.group_count(n_groups), check.number("epsilon", epsilon, low=1e-9, high=1e9), check.rng(rng)
    A, every_group = check.groups_below("A", A, k, of="cells", length=len(cells)), check.flag("every_group", every_group)
    J = int(cells.max()) + 1
    if n_cells is None:
        if len(cells) < J:
            check.refuse("cells", J - 1, "a cell code larger than the number of people",
                         "Number the cells 0, 1, ..., J-1, or give n_cells.")
    elif check.integer("n_cells", n_cells, low=1, high=10**7) < J:
        check.refuse("n_cells", n_cells, f"cells holds the code {J - 1}", "Raise n_cells, or renumber the cells.")
    else:
        J = int(n_cells)
    counts = np.stack([np.bincount(cells[A == a], minlength=J) for a in range(0 if every_group else 1, k)])
    return release("geometric", counts, rng, unit=UNIT_A, sensitivity=cell_sensitivity(k, every_group), epsilon=epsilon, part=part,
                   exact=check.flag("exact", exact))
