"""The two pairs of neighbours that separate blind from aware, and the numbers of Theorem 3.9 about them."""
from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from .. import _checks as check
from ..data import Dataset, Provenance
from .optimum import exact_gamma

__all__ = ["instance", "theorem_3_9"]

Neighbour = Literal["paper", "attribute"]
NEIGHBOURS: tuple[Neighbour, ...] = get_args(Neighbour)
V, U, R, B = 0, 1, 0, 1


@dataclass(frozen=True)
class Separation:
    """What the proof computes about a pair of neighbours D, D'; all Fractions.

    ``value`` is f(D), ``value_neighbour`` f(D'), for H = {h_0, h_U}, ``jump`` their difference. ``gap`` is how far apart h_U's false
    positive rates are on D' (on D they are gamma apart), ``share`` the weight of h_U in the best mixture on D'; the rest is h_0.
    """

    value: Fraction
    value_neighbour: Fraction
    jump: Fraction
    gap: Fraction
    share: Fraction


def instance(m: int, gamma: float | Fraction, neighbour: Neighbour = "paper") -> tuple[Dataset, Dataset]:
    """Two data sets of m people, alike but for one person, whose least errors of a gamma-fair blind classifier lie far apart.

    Source: supplement, proof of Theorem 3.9 (main text, Theorem 4.6), for ``neighbour="paper"``; the other pair is ours.

    Parameters
    ----------
    m : int in 4..10^6, a multiple of 4
    gamma : float or Fraction
        At least 0, with gamma m a multiple of 4. A float means the decimal that it prints as.
    neighbour : str
        ``paper``: one person of group B with label 0 changes X from V to U; gamma m is at most m - 4. ``attribute``: one person with X = U
        and label 0 changes A from R to B; gamma m is at most m - 16.

    Returns
    -------
    D, D_neighbour : Datasets with one feature (0 is V, 1 is U) and groups 0 (R) and 1 (B); the last person is the one who changes.

    Examples
    --------
    >>> D, neighbour = instance(40, 0.1)
    >>> D.cell_sizes().tolist()                     # groups R and B, labels 0 and 1
    [[20, 0], [10, 10]]
    """
    m, tolerance, units = _sizes(m, gamma, neighbour)
    quarter = m // 4
    if neighbour == "paper":
        cells = [((V, R, 0), 2 * quarter), ((U, B, 1), quarter), ((U, B, 0), units), ((V, B, 0), quarter - units - 1)]
        before, after = (V, B, 0), (U, B, 0)
    else:
        cells = [((U, R, 0), 1), ((V, R, 0), 2 * quarter - 2), ((U, B, 1), quarter), ((U, B, 0), units + 1),
                 ((V, B, 0), quarter - units - 1)]
        before, after = (U, R, 0), (U, B, 0)
    rest = np.repeat([cell for cell, _ in cells], [people for _, people in cells], axis=0)
    pair = (("D", before), ("D'", after))
    D, changed = (_dataset(np.vstack([rest, last]), f"{name} of Theorem 3.9, m = {m}, gamma = {tolerance}") for name, last in pair)
    return D, changed


def theorem_3_9(m: int, gamma: float | Fraction, neighbour: Neighbour = "paper") -> Separation:
    """f(D), f(D') and the mixture that attains f(D'), by the formulas of the proof, for H = {h_0, h_U}.

    Source: supplement, Theorem 3.9 (main text, Theorem 4.6): f(D) = gamma/4 and f(D') = gamma/4 + 1/(4 + gamma m).

    Parameters
    ----------
    m, gamma, neighbour : as in :func:`instance`

    Returns
    -------
    Separation: ``.value``, ``.value_neighbour``, ``.jump``, ``.gap``, ``.share``, all Fractions

    Examples
    --------
    >>> numbers = theorem_3_9(40, 0.1)
    >>> str(numbers.value), str(numbers.value_neighbour), str(numbers.share)
    ('1/40', '3/20', '1/2')
    """
    m, gamma, _ = _sizes(m, gamma, neighbour)
    if neighbour == "paper":
        error, error_neighbour = gamma / 4, gamma / 4 + Fraction(1, m)      # of h_U, on D and on D'
        gap = gamma + Fraction(4, m)
    else:
        error = error_neighbour = gamma / 4 + Fraction(3, m)
        gap = (gamma * m + 8) / (m + 4) - Fraction(2, m - 2)
    share = gamma / gap
    value = share * error_neighbour + (1 - share) / 4
    return Separation(error, value, value - error, gap, share)


def _sizes(m: object, gamma: object, neighbour: object) -> tuple[int, Fraction, int]:
    """m, gamma and gamma m / 4, checked."""
    check.choice("neighbour", neighbour, NEIGHBOURS)
    short = 4 if neighbour == "paper" else 16
    m = check.integer("m", m, low=short, high=10**6)
    if m % 4:
        check.refuse("m", m, "not a multiple of 4: the proof cuts the people into quarters", f"Choose {m - m % 4} or {m + 4 - m % 4}.")
    tolerance, _ = exact_gamma(gamma)
    people = tolerance * m
    if people.denominator != 1 or people.numerator % 4:
        near = Fraction(4 * min(round(people / 4), (m - short) // 4), m)
        check.refuse("gamma", gamma, f"gamma m = {str(float(people)).removesuffix('.0')} is not a multiple of 4, and a quarter of it are "
                     "people of group B", f"Choose a multiple of 4/m = {4 / m:g}, such as {near!r}.")
    if people > m - short:
        check.refuse("gamma", gamma, f"gamma m = {people} leaves too few people in group B: more than m - {short}",
                     "Choose a smaller gamma, or a larger m.")
    return m, tolerance, people.numerator // 4


def _dataset(people: np.ndarray, name: str) -> Dataset:
    """People given as rows (x, a, y)."""
    return Dataset(people[:, :1].astype(float), people[:, 1], people[:, 2], ("U",), ("R", "B"), name,
                   Provenance("made by dpfair_teach.separation.instance"))
