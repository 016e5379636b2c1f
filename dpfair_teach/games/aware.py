"""Classifiers that may see the group, equal false positive rates only: what the group indicators are good for.

A mixture whose gaps are too large is made fair with little of the indicators: ``fair_mixture``. What that costs for each unit of
violation is the price above which the auditor is obeyed: ``least_bound``. The paper's way costs up to |A| - 1, ours at most (|A| + 1)/2.
"""
from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .guarantees import Guarantee
from .sensitivity import Sensitivities, lemma_3_1

__all__ = ["group_indicators", "aware_predictions", "aware_sensitivities", "least_bound", "theorem_3_8", "fair_mixture",
           "fair_mixture_as_printed", "false_positive_gaps", "anchor_move"]


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

    Whoever changes group is decided about anew. If the decision stays, a loss moves by at most 2B/(N+1); if it changes, by B/(N+1) + 1/m.
    The larger is attained. r and the rates move as for classifiers that do not see the group, by 2k/(N+1) and 2/(N+1).

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


def theorem_3_8(nu: float, gamma: float, B: float, n_groups: int, *, as_printed: bool = False) -> Guarantee:
    """Error and fairness of a nu-approximate equilibrium of the game with false positive constraints, indicators in the class.

    Source: supplement, Theorem 3.8 (main text, Theorem 4.5): 2 nu, and gamma + 2 nu / (B - (|A| - 1)). Ours has :func:`least_bound` for
    |A| - 1. Corollary 3.8.1 is the theorem with B = |A|: printed, no B is left in the bounds, 2 nu and gamma + 2 nu.

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
    return Guarantee(nu, 2 * nu, gamma + 2 * nu / (number - least))


def false_positive_gaps(fp: ArrayLike, gamma: float) -> tuple[np.ndarray, float]:
    """How far each group's false positive rate is from group 0's, (k,) and signed, and how much too far the furthest is, or 0."""
    fp = check.array("fp", fp, ndim=1, low=0.0, high=1.0)
    if len(fp) < 2:
        check.refuse("fp", fp.shape, "rates of fewer than two groups", "Give one false positive rate for each group.")
    gap = fp - fp[0]
    return gap, float(np.maximum(np.abs(gap) - check.gamma(gamma), 0).max())


def anchor_move(gap: ArrayLike, limit: float, most: float) -> float:
    """How far group 0's rate is moved before the others are: up by t, down where t is negative; in [-most, most].

    Then another group is raised by (t - gap - limit)_+ or lowered by (gap - t - limit)_+, and all (k-1,) gaps, in [-1, 1], are within
    ``limit`` >= 0. What is raised, less what is lowered, is t itself. Where this would take a longer move than ``most``, in [0, 1], the
    move is of that length.

    Source: ours, "half the price", Steps 3 and 4.

    >>> anchor_move([0.5, 0.5, -0.5], limit=0.25, most=0.25), anchor_move([-0.5, -0.5, 0.5], limit=0.25, most=0.25)
    (0.125, -0.125)
    """
    gap = check.filled("gap", check.array("gap", gap, ndim=1, low=-1.0, high=1.0), "group")
    limit, most = check.number("limit", limit, low=0.0), check.number("most", most, low=0.0, high=1.0)

    def left(t: float) -> float:
        """What is raised, less what is lowered, less t: it grows with t, linear between the points below."""
        return float(np.maximum(t - gap - limit, 0).sum() - np.maximum(gap - t - limit, 0).sum() - t)

    if left(0.0) > 0:                           # more to raise than to lower: the mirror image
        return -anchor_move(-gap, limit, most)
    if left(most) < 0:
        return most
    points = np.unique(np.concatenate([[0.0, most], gap - limit, gap + limit]))
    points = points[(points >= 0) & (points <= most)]
    values = np.array([left(point) for point in points])
    i = int(np.argmax(values >= 0))
    return float(points[i] if i == 0 else np.interp(0, values[i - 1:i + 1], points[i - 1:i + 1]))


def fair_mixture(fp: ArrayLike, gamma: float) -> tuple[np.ndarray, float]:
    """Mix indicators into a mixture until no false positive rate is further than gamma from group 0's, at half the printed price.

    It moves group 0 too, by t, so that few groups are left to be moved far, stops at gamma of the whole and not of the part, and fills up
    with a fair coin (half h_0, half hbar_0): then h errs about as often on label 0 as on label 1 of any group.

    Source: ours, sharpening supplement, proof of Theorem 3.8, see :func:`fair_mixture_as_printed`.

    Parameters
    ----------
    fp : (k,) array in [0, 1], k >= 2
        The false positive rates of the mixture.
    gamma : float >= 0

    Returns
    -------
    weights : (1 + 2k,) array, a distribution
        Of the mixture that was given, h_0, ..., h_{k-1}, hbar_0, ..., hbar_{k-1}.
    price : float
        The new error is at most the old one plus this, whoever the people are: :func:`least_bound` times the largest |gap| - gamma.

    Examples
    --------
    >>> weights, price = fair_mixture([0.2, 0.5], 0.1)
    >>> weights.round(3), round(price, 3)               # of Q, h_0, h_1, hbar_0, hbar_1
    (array([0.846, 0.   , 0.   , 0.   , 0.154]), 0.182)
    """
    gap, v = false_positive_gaps(fp, gamma)     # line 1
    k, gamma = len(gap), float(gamma)
    h, bar = np.zeros(k), np.zeros(k)           # weights of the indicators
    if k == 2:                                  # line 2
        price = v * least_bound(k, gamma)
        h[1], bar[1] = price * (gap[1] < 0), price * (gap[1] > 0)
    else:
        v = v / (1 + (k - 1) * gamma)           # line 3: v'
        s, price = (k - 1) * v, (k + 1) / 2 * v
        limit = gamma * (1 + s)                 # gamma'
        t = anchor_move(gap[1:], limit, v)      # line 4: t < 0 swaps the signs
        h[0], bar[0] = max(t, 0), max(-t, 0)
        h[1:] = np.maximum(t - gap[1:] - limit, 0)
        bar[1:] = np.maximum(gap[1:] - t - limit, 0)
        coin = (s - h.sum() - bar.sum()) / 2    # line 5
        h[0], bar[0] = h[0] + coin, bar[0] + coin
    weights = np.concatenate([[1.0], h, bar])
    return weights / weights.sum(), price       # line 6


def fair_mixture_as_printed(fp: ArrayLike, gamma: float) -> tuple[np.ndarray, float]:
    """The repair of the paper's proof: weight |gap_a| - gamma of h_a or hbar_a for each group a whose gap is too large.

    It ends below gamma, and costs up to twice what :func:`fair_mixture` does.

    Source: supplement, proof of Theorem 3.8, with the bars that its text drops.

    Parameters
    ----------
    fp, gamma : as in :func:`fair_mixture`

    Returns
    -------
    weights, price : as there
        The price is the sum of the excesses.

    Examples
    --------
    >>> weights, price = fair_mixture_as_printed([0.2, 0.5], 0.1)
    >>> weights.round(3), round(price, 3)
    (array([0.833, 0.   , 0.   , 0.   , 0.167]), 0.2)
    """
    gap, _ = false_positive_gaps(fp, gamma)
    excess = np.maximum(np.abs(gap) - float(gamma), 0)
    weights = np.concatenate([[1.0], excess * (gap < 0), excess * (gap > 0)])
    return weights / weights.sum(), float(excess.sum())
