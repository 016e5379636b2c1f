"""Violations that are counted over those who say their group."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["reported_violations"]


def reported_violations(values: ArrayLike, A: ArrayLike, reports: ArrayLike, normalisers: ArrayLike, *, centred: bool = True) -> np.ndarray:
    """How far each group's mean of h seems to be from everybody's, by the sum over those who say their group and a fixed normaliser.

    Source: ours, for Tran et al. 2020, Section 7 (gap T25). Let r n of a group's n people say it, with the mean m_R. The centred sum,
    (1/N) sum (mu - h), is r n / N times mu - m_R: a wrong N, or another rate, rescales it, and 0 stays 0. The plain one, mu - (1/N) sum h,
    is off by (1 - r n / N) m_R more, and calls a fair model unfair. Neither repairs that m_R is not the mean m of the group: m_R - m is
    (1 - r) times the distance to the mean of the silent.

    No noise: privacy unit and noise are those of :func:`noisy_violations`.

    Parameters
    ----------
    values : (m,) array in [-1e100, 1e100]
        h of each person. Public.
    A : (m,) array of 0..k-1
        Groups. Private; of the silent ones not read.
    reports : (m,) array of 0/1
        Who says it.
    normalisers : (k,) array in [1e-6, 1e15]
        N, public: how many are expected to say it.
    centred : bool

    Returns
    -------
    (k,) array

    Raises
    ------
    ValueError
        Arrays of different length.

    Examples
    --------
    >>> h, A = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0, 0, 0, 0, 1, 1]           # fair; of group 0 only half say it
    >>> reported_violations(h, A, [1, 1, 0, 0, 1, 1], [4, 2]), reported_violations(h, A, [1, 1, 0, 0, 1, 1], [4, 2], centred=False)
    (array([0., 0.]), array([0.25, 0.  ]))
    """
    h = check.filled("values", check.array("values", values, ndim=1, low=-1e100, high=1e100), "person")
    N = check.array("normalisers", normalisers, ndim=1, low=1e-6, high=1e15, booleans=False)
    if not 2 <= N.size <= 1000:
        check.refuse("normalisers", N.shape, "not one number for each of 2 to 1000 groups", "Give one normaliser for each group.")
    A = check.groups_below("A", A, N.size, of="values", length=h.size)
    says = check.array("reports", reports, ndim=1, length=h.size, low=0.0, high=1.0)
    if not np.isin(says, (0, 1)).all():
        check.refuse("reports", float(says[~np.isin(says, (0, 1))][0]), "neither 0 nor 1", "Give 1 for who says the group, else 0.")
    told = says[:, None] * np.eye(N.size)[A]
    if check.flag("centred", centred):
        return (h.mean() - h) @ told / N
    return h.mean() - h @ told / N
