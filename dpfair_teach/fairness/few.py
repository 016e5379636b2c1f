"""Who accepts few people differs little between groups, whatever is learned."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["widest_gap"]


def widest_gap(accepted: ArrayLike, shares: ArrayLike) -> np.ndarray:
    """The largest demographic parity gap, between any two groups, that a classifier can have which accepts this share of all people.

    Source: ours, for Table 1 (Ding et al. 2020). Let all who are accepted be of group a as far as it goes, and none of group b until the
    others are full: min(1, p / pi_a) - max(0, (p - 1 + pi_b) / pi_b), and the worst pair. For a small p it is p over the smallest share.

    Parameters
    ----------
    accepted : array in [0, 1]
        p, of any shape.
    shares : (k,) array, k >= 2
        Every group's share of the people, each above 0, with sum 1.

    Returns
    -------
    array of the shape of ``accepted``

    Raises
    ------
    ValueError
        Shares that are none, fewer than two groups, an ``accepted`` outside [0, 1].

    Examples
    --------
    >>> widest_gap([0.01, 0.3, 1.0], [0.7, 0.3]).round(3)
    array([0.033, 1.   , 0.   ])
    """
    p = check.array("accepted", accepted, low=0.0, high=1.0)
    pi = check.array("shares", shares, ndim=1, low=0.0, high=1.0)
    if len(pi) < 2 or (pi <= 0).any() or abs(pi.sum() - 1) > 1e-6:
        check.refuse("shares", pi.tolist(), "are not the shares of two groups or more: each above 0, with sum 1",
                     "Divide the sizes of the groups by their sum.")
    highest = np.minimum(1.0, p[..., None] / pi)
    lowest = np.maximum(0.0, (p[..., None] - 1 + pi) / pi)
    gaps = highest[..., :, None] - lowest[..., None, :]
    return gaps[..., ~np.eye(len(pi), dtype=bool)].max(axis=-1)
