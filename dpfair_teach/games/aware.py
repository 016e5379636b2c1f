"""Classifiers that may see the group, equal false positive rates only: what the group indicators are good for.

A mixture whose gaps are too large is repaired with little of the indicators: ``repair``. What that costs for each unit of violation is the
price above which the auditor is obeyed: ``least_bound``. The paper's repair costs up to |A| - 1, ours at most (|A| + 1)/2.
"""
from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .sensitivity import Sensitivities, lemma_3_1

__all__ = ["group_indicators", "aware_predictions", "aware_sensitivities", "least_bound", "theorem_3_8", "corollary_3_8_1"]


def group_indicators(A: ArrayLike, n_groups: int | None = None) -> np.ndarray:
    """What the maximally discriminatory classifiers say: h_a accepts group a and nobody else, hbar_a everybody else.

    Source: supplement, Assumption 3.4 (main text, Assumption 4.1).

    Parameters
    ----------
    A : (m,) array of ints 0..k-1
    n_groups : int in 1..1000, optional
        k, where the largest code in ``A`` does not tell.

    Returns
    -------
    (2k, m) array of 0/1: h_0, ..., h_{k-1}, hbar_0, ..., hbar_{k-1}

    Raises
    ------
    ValueError
        Groups that are no codes, or more than 10^8 entries.

    Examples
    --------
    >>> group_indicators([0, 1, 1])
    array([[1, 0, 0],
           [0, 1, 1],
           [0, 1, 1],
           [1, 0, 0]])
    """
    A, k = check.groups("A", A, n_groups=n_groups)
    check.size(2 * k * len(A), name="2 * n_groups * len(A)", remedy="Give fewer groups.")
    own = (A == np.arange(k)[:, None]).astype(np.int64)
    return np.concatenate([own, 1 - own])


def aware_predictions(by_group: ArrayLike, A: ArrayLike) -> np.ndarray:
    """What a finite class of functions h(x, a) says of each person: the rows of a :class:`FairnessGame`.

    A private learner chooses the row's number, out of a list that is public. It must not choose among the *distinct rows*: which these
    are, and how many, depends on A.

    Source: supplement, section 3.3, on H(S) (main text, Remark 4.2: ln|H| instead of ln(m^d)).

    Parameters
    ----------
    by_group : (H, k, m) array in [0, 1]
        h(x_i, a) for every a: what h would say if person i belonged to group a. It does not depend on A.
    A : (m,) array of ints 0..k-1

    Returns
    -------
    (H, m) array: entry [h, i] is h(x_i, A_i)

    Raises
    ------
    ValueError
        Shapes that do not fit, predictions outside [0, 1], a group that ``by_group`` does not know.

    Examples
    --------
    >>> cuts = np.array([[[0, 1, 1], [0, 0, 1]]])       # one classifier: the second group has a higher cut
    >>> aware_predictions(cuts, A=[0, 1, 1])
    array([[0., 0., 1.]])
    """
    table = check.filled("by_group", check.array("by_group", by_group, ndim=3, low=0.0, high=1.0), "classifier")
    A = check.group_codes("A", A)
    if len(A) != table.shape[2]:
        check.refuse("by_group, A", (table.shape[2], len(A)), "different numbers of people", "Give one entry a person in both.")
    if A.max() >= table.shape[1]:
        check.refuse("by_group, A", (table.shape[1], int(A.max())), "by_group knows so many groups, and A holds that code",
                     "Give by_group for every group of A.")
    return table[:, A, np.arange(len(A))]


def aware_sensitivities(smallest_cell: float, n_groups: int, B: float, m: int) -> Sensitivities:
    """How far one person's A moves auditor and learner where classifiers see the group, X and Y stay, and no cell falls below N people.

    Whoever changes group is decided about anew, by h(x, a') for h(x, a). If the decision stays, the error does, and the two rates move
    apart: a loss moves by at most 2B/(N+1). If it changes, the error moves by 1/m and both rates the same way, so that no gap moves by more
    than 1/(N+1): B/(N+1) + 1/m. The larger is attained. r and the rates move as for classifiers that do not see the group.

    Source: ours, sharpening supplement, Lemma 3.1, for section 3.3. Features and group together move more:
    :func:`lemma_3_1` with ``protect="X and A"``.

    Parameters
    ----------
    smallest_cell : float in [0, 1e15]
        The promised N, of the cells that a constraint asks about, before and after the change.
    n_groups : int in 2..1000
        k.
    B : float in (0, 1e9]
        Limit on the sum of the multipliers.
    m : int in 1..10^15
        People.

    Returns
    -------
    Sensitivities
        ``auditor``: 2k/(N+1), ``learner``: max(2B/(N+1), B/(N+1) + 1/m), ``rates``: 2/(N+1).

    Examples
    --------
    >>> [round(aware_sensitivities(9, n_groups=2, B=B, m=100).learner, 3) for B in (5, 0.05)]
    [1.0, 0.015]
    >>> [round(lemma_3_1(9, n_groups=2, B=B, m=100, protect="X and A").learner, 3) for B in (5, 0.05)]
    [1.0, 0.016]
    """
    unseen, m = lemma_3_1(smallest_cell, n_groups, B), check.integer("m", m, low=1, high=10**15)
    return replace(unseen, learner=max(unseen.learner, unseen.learner / 2 + 1 / m))


def least_bound(n_groups: int, gamma: float, *, as_printed: bool = False) -> float:
    """The price B above which a violation of equal false positives never pays, when the class holds all group indicators.

    Source: supplement, Theorem 3.8 (main text, Theorem 4.5) needs B > |A| - 1; the sharper numbers are ours.

    Parameters
    ----------
    n_groups : int in 2..1000
        k = |A|.
    gamma : float >= 0
    as_printed : bool
        k - 1.

    Returns
    -------
    float: 1/(1 + gamma) for two groups, (k + 1)/2 / (1 + (k - 1) gamma) for more. For gamma < 1/2 no smaller number would do for all
    classes, and it is at most 1/(2 gamma), what an A-blind class with both constants needs

    Raises
    ------
    ValueError
        Fewer than two groups, gamma negative.

    Examples
    --------
    >>> [round(least_bound(k, 0.05), 3) for k in (2, 3, 4, 10)], [least_bound(k, 0.05, as_printed=True) for k in (2, 3, 4, 10)]
    ([0.952, 1.818, 2.174, 3.793], [1.0, 2.0, 3.0, 9.0])
    """
    k = check.group_count(n_groups)
    gamma = check.gamma(gamma)
    if check.flag("as_printed", as_printed):
        return float(k - 1)
    return (1 if k == 2 else (k + 1) / 2) / (1 + (k - 1) * gamma)


@dataclass(frozen=True)
class AwareGuarantee:
    """What a nu-approximate equilibrium promises.

    Attributes
    ----------
    error : float
        Excess error over the best gamma-fair mixture, at most.
    violation : float
        Largest |FP_a - FP_0|, at most. Above 1 it says nothing.
    """

    error: float
    violation: float


def theorem_3_8(nu: float, gamma: float, B: float, n_groups: int, *, as_printed: bool = False) -> AwareGuarantee:
    """Error and fairness of a nu-approximate equilibrium of the game with false positive constraints, indicators in the class.

    Source: supplement, Theorem 3.8 (main text, Theorem 4.5): 2 nu, and gamma + 2 nu / (B - (|A| - 1)). Ours has :func:`least_bound` for
    |A| - 1.

    Parameters
    ----------
    nu : float in [0, 1e9]
        How far from an equilibrium, such as :meth:`FairnessGame.equilibrium_gap` says. It grows with B.
    gamma : float >= 0
    B : float in (0, 1e9]
        Above :func:`least_bound`.
    n_groups : int in 2..1000
    as_printed : bool
        B above |A| - 1, and that number in the bound.

    Returns
    -------
    AwareGuarantee: ``.error``, ``.violation``

    Raises
    ------
    ValueError
        B too small for the theorem, or a number out of range.

    Examples
    --------
    >>> round(theorem_3_8(0.01, 0.05, 2, 2, as_printed=True).violation, 4), round(theorem_3_8(0.01, 0.05, 2, 2).violation, 4)
    (0.07, 0.0691)
    >>> theorem_3_8(0.01, 0.05, 1, 2, as_printed=True)
    Traceback (most recent call last):
    ...
    ValueError: B=1: not above |A| - 1 = 1, so a violation may pay and nothing is promised. Choose a larger B, for instance |A| = 2.
    """
    nu, gamma = check.number("nu", nu, low=0.0, high=1e9), check.gamma(gamma)
    least = least_bound(n_groups, gamma, as_printed=as_printed)
    number = check.number("B", B, low=0.0, high=1e9, low_open=True)
    if number <= least:
        name = "|A| - 1" if as_printed else "least_bound(n_groups, gamma)"
        check.refuse("B", B, f"not above {name} = {least:.6g}, so a violation may pay and nothing is promised",
                     f"Choose a larger B, for instance |A| = {n_groups}.")
    return AwareGuarantee(2 * nu, gamma + 2 * nu / (number - least))


def corollary_3_8_1(nu: float, gamma: float, n_groups: int, *, as_printed: bool = False) -> AwareGuarantee:
    """Theorem 3.8 with B = |A|: no B is left in the bounds.

    Source: supplement, Corollary 3.8.1: 2 nu and gamma + 2 nu.

    Parameters
    ----------
    nu : float in [0, 1e9]
        For B = |A|.
    gamma : float >= 0
    n_groups : int in 2..1000
    as_printed : bool
        gamma + 2 nu; ours is gamma + 2 nu / (|A| - least_bound), for many groups about gamma + 4 nu / |A|.

    Returns
    -------
    AwareGuarantee: ``.error``, ``.violation``

    Examples
    --------
    >>> corollary_3_8_1(0.01, 0.05, 4, as_printed=True).violation, round(corollary_3_8_1(0.01, 0.05, 4).violation, 4)
    (0.07, 0.061)
    """
    return theorem_3_8(nu, gamma, check.group_count(n_groups), n_groups, as_printed=as_printed)
