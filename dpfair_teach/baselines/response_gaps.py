"""What randomized response does to gaps between groups: how much is left of them, and how far noise moves what is left."""
from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..games.programs import plain
from ..mechanisms import randomized_response_matrix

__all__ = ["response_shrinkage", "response_gap_deviation"]

Of = Literal["groups", "reports"]
OF: tuple[Of, ...] = get_args(Of)


def law(n_groups: int, epsilon: float) -> tuple[float, float]:
    """The probability of the true code, and of each other one."""
    matrix = randomized_response_matrix(n_groups, epsilon)
    return float(matrix[0, 0]), float(matrix[0, 1])


def _sizes(name: str, value: ArrayLike) -> np.ndarray:
    sizes = check.array(name, value, low=0.0, high=1e15, booleans=False)
    if sizes.ndim == 0 or not 2 <= sizes.shape[-1] <= check.MOST_GROUPS:
        check.refuse(name, sizes.shape if sizes.ndim else float(sizes), f"does not end in 2 to {check.MOST_GROUPS} groups",
                     "Give the people of every group.")
    check.filled(name, sizes, "table")
    if (sizes.sum(axis=-1) <= 0).any():
        check.refuse(name, 0.0, "holds nobody", "Give a table with people in it.")
    return sizes


def response_shrinkage(sizes: ArrayLike, epsilon: float, *, of: Of = "groups") -> np.ndarray:
    """s_a: a group's gap to everybody, as it is among those who report the group, is s_a times its true gap, on average.

    Source: ours, on Tran et al. 2020, Section 8, baseline M (Mozannar et al. 2020, reconstructed): s_a = (p - q) n_a / (q N + (p - q) n_a),
    with p and q the probabilities of the true and of each other code. |gap among reports| <= gamma s says, to the letter, that the debiased
    gap is at most gamma.

    Parameters
    ----------
    sizes : (..., k) array
        People of each group, or of each report, in one cell: all of them, or those of one label.
    epsilon : float in (0, 700]
        The one that people responded with.
    of : str
        "groups" or "reports": what ``sizes`` counts.

    Returns
    -------
    (..., k) array in [0, 1]
        Of reports that are fewer than lies alone would make, 0.

    Examples
    --------
    >>> response_shrinkage([900, 100], np.log(3)).round(3)
    array([0.643, 0.167])
    """
    sizes = _sizes("sizes", sizes)
    check.choice("of", of, OF)
    keep, other = law(sizes.shape[-1], epsilon)
    lies = other * sizes.sum(axis=-1, keepdims=True)
    reports = sizes if of == "reports" else lies + (keep - other) * sizes
    return np.maximum(1 - lies / np.where(reports > 0, reports, np.inf), 0.0) * (reports > 0)


def pair_shrinkage(sizes: ArrayLike, epsilon: float) -> np.ndarray:
    """Of two groups, ``sizes`` (..., 2) of one cell: what is left of the gap between them among reports, (2 p - 1) n_0 n_1 / (r_0 r_1).

    Source: Mozannar et al. 2020 (reconstructed); r_a = (1 - p) N + (2 p - 1) n_a. Of three groups or more there is no such factor.
    """
    n = _sizes("sizes", sizes)
    if n.shape[-1] != 2:
        check.refuse("sizes", n.shape, "is not of two groups, and of more there is no factor", "Use response_shrinkage.")
    keep, other = law(2, epsilon)
    reports = other * n.sum(axis=-1, keepdims=True) + (keep - other) * n
    found = (keep - other) * n[..., 0] * n[..., 1] / (reports[..., 0] * reports[..., 1])
    return plain(found)


def response_gap_deviation(accepted: ArrayLike, sizes: ArrayLike, epsilon: float) -> np.ndarray:
    """How far randomized response alone moves a group's debiased gap to everybody: one standard deviation, for a fixed classifier.

    Source: ours. People respond on their own, so the variances p (1 - p) / (p - q)^2 of a group's members and q (1 - q) / (p - q)^2 of all
    others add up, each times (h - R)^2. The group's size, by which the sum is divided, is taken as known.

    Parameters
    ----------
    accepted : (..., k) array
        People of each group in one cell who are above the fraction line; expected numbers are welcome.
    sizes : (..., k) array
        People of each group in that cell, more than 0.
    epsilon : float in (0, 700]

    Returns
    -------
    (..., k) array

    Examples
    --------
    >>> response_gap_deviation([450, 50], [900, 100], 1.0).round(3)
    array([0.017, 0.152])
    """
    n = _sizes("sizes", sizes)
    x = check.array("accepted", accepted, low=0.0, high=1e15, booleans=False)
    if x.shape != n.shape:
        check.refuse("accepted", x.shape, f"not of the shape of sizes, {n.shape}", "Give one number for each group.")
    if (n <= 0).any():
        check.refuse("sizes", 0.0, "holds an empty group, which has no rate", "Leave it out and renumber the others.")
    if (x > n * (1 + 1e-12)).any():
        check.refuse("accepted, sizes", (x.tolist(), n.tolist()), "more accepted than there are people", "Give accepted people of sizes.")
    keep, other = law(n.shape[-1], epsilon)
    if keep - other < 1e-9:
        check.refuse("epsilon", epsilon, "leaves no information in the reports", "Choose a larger epsilon.")
    R = x.sum(axis=-1, keepdims=True) / n.sum(axis=-1, keepdims=True)
    squares = x * (1 - R)**2 + (n - x) * R**2           # of h - R, summed over the members
    others = squares.sum(axis=-1, keepdims=True) - squares
    return np.sqrt(keep * (1 - keep) * squares + other * (1 - other) * others) / (keep - other) / n
