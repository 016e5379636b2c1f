"""How far one person who changes group moves what a step takes from the groups: by formula, and by trying everybody.

The group term is a sum over groups of a multiplier times the mean of the group's gradients. Only who is in which group is private: people's
gradients are public, and so is the population's gradient, which no change of group moves.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["theorem_1", "mean_update", "means_sensitivity", "clipped_mean_sensitivity",
           "fixed_sensitivity", "theorem_2", "fixed_violation_sensitivity", "missing_sensitivity", "group_term", "largest_move",
           "worst_people"]


def positive(name: str, value: object, high: float = 1e12) -> float:
    """A number in [1e-12, high]: a clip, a multiplier, a noise multiplier."""
    return check.number(name, value, low=1e-12, high=high)


def sizes_of(n_left: object, n_joined: object) -> tuple[float, float]:
    """Checked sizes of the two groups between which one person moves, before the move: neither is empty at any time."""
    return check.number("n_left", n_left, low=2.0, high=1e12), check.number("n_joined", n_joined, low=1.0, high=1e12)


def multipliers_of(value: object) -> np.ndarray:
    """A multiplier of either sign for each of 2 to 1000 groups."""
    nu = check.array("multipliers", value, ndim=1, low=-1e12, high=1e12, booleans=False)
    if not 2 <= nu.size <= 1000:
        check.refuse("multipliers", nu.shape, "not one number for each of 2 to 1000 groups", "Give one multiplier for each group.")
    return nu


def normalisers_of(value: object, k: int | None = None) -> np.ndarray:
    """A public number above 0 for each group, which stands for its size."""
    N = check.array("normalisers", value, ndim=1, length=k, low=1e-6, high=1e15, booleans=False)
    if not 2 <= N.size <= 1000:
        check.refuse("normalisers", N.shape, "not one number for each of 2 to 1000 groups", "Give one normaliser for each group.")
    return N


def theorem_1(n_left: float, n_joined: float, clip: float, multiplier: float, *, as_printed: bool = False) -> float:
    """The l2 sensitivity of the group term, a signed sum of group means: 2 C lambda (1/n1 + 1/(n2 + 1)).

    Source: Tran et al. 2020, Theorem 1; the constant is ours (gap T1): the printed bound forgets that a mean that loses a member weighs all
    others anew. It is met. It holds for the sizes at hand, which are private: no noise may be set by them.

    Parameters
    ----------
    n_left : float in [2, 1e12]
        n1: people of the group that is left, with the one who leaves.
    n_joined : float in [1, 1e12]
        n2: people of the group that is joined, before.
    clip : float in [1e-12, 1e12]
        C: the largest norm of one person's gradient.
    multiplier : float in [1e-12, 1e12]
        lambda: the largest absolute value of a multiplier.
    as_printed : bool
        2 C lambda / (min(n1, n2) - 1), infinite where the smaller group holds one person.

    Examples
    --------
    >>> round(theorem_1(20, 20, clip=1, multiplier=1), 4), round(theorem_1(20, 20, clip=1, multiplier=1, as_printed=True), 4)
    (0.1952, 0.1053)
    """
    n1, n2 = sizes_of(n_left, n_joined)
    twice = 2 * positive("clip", clip) * positive("multiplier", multiplier)
    if check.flag("as_printed", as_printed):
        return twice / (min(n1, n2) - 1) if min(n1, n2) > 1 else float("inf")
    return twice * (1 / n1 + 1 / (n2 + 1))


def mean_update(mean: ArrayLike, size: int, person: ArrayLike, *, joins: bool) -> np.ndarray:
    """The mean of a group after one person left or joined it.

    Source: ours (gap T1). It moves by the distance of z from the mean, not from 0: by (mean - z) / (size - 1), or (z - mean) / (size + 1).

    Parameters
    ----------
    mean : (p,) array
    size : int in 1..10^12
        People before; at least 2 when somebody leaves.
    person : (p,) array
        z.
    joins : bool
        Whether z joins; else z, who is one of them, leaves.

    Returns
    -------
    (p,) array

    Examples
    --------
    >>> mean_update([0.5], 4, [-1.0], joins=False), mean_update([0.5], 4, [-1.0], joins=True)
    (array([1.]), array([0.2]))
    """
    mean = check.filled("mean", check.array("mean", mean, ndim=1, low=-1e150, high=1e150), "coordinate")
    person = check.array("person", person, ndim=1, length=mean.size, low=-1e150, high=1e150)
    size = check.integer("size", size, low=1 if check.flag("joins", joins) else 2, high=10**12)
    return mean + ((person - mean) / (size + 1) if joins else (mean - person) / (size - 1))


def means_sensitivity(sizes: ArrayLike, multipliers: ArrayLike, clip: float) -> float:
    """The largest change of the sum of multiplier times group mean towards any neighbour of groups of these sizes; exact.

    Source: ours, Theorem 1 of Tran et al. 2020 for given multipliers of either sign: 2 C max(|u|, |v|, |v - u|) over all pairs of groups, u
    = nu_a / n_a and v = nu_b / (n_b + 1).

    Parameters
    ----------
    sizes : (k,) array of whole numbers in 1..10^12
        People of each group. A group of one is joined and never left.
    multipliers : (k,) array in [-1e12, 1e12]
        nu, signed.
    clip : as in :func:`theorem_1`

    Examples
    --------
    >>> round(means_sensitivity([20, 20, 50], [1, -1, 0], clip=1), 4)       # opposite signs: Theorem 1
    0.1952
    """
    nu = multipliers_of(multipliers)
    n = check.array("sizes", check.whole_numbers("sizes", sizes, low=1, high=10**12), ndim=1, length=nu.size)
    C = positive("clip", clip)
    if n.max() < 2:
        check.refuse("sizes", float(n.max()), "is the largest group: nobody can change group and leave a mean behind",
                     "Give groups of which one holds two people or more.")
    pairs = ((nu[a] / n[a], nu[b] / (n[b] + 1)) for a, b in permutations(range(nu.size), 2) if n[a] >= 2)
    return float(max(2 * C * max(abs(u), abs(v), abs(v - u)) for u, v in pairs))


def sign_flip_sensitivity(n_left: float, n_joined: float, clip: float, multiplier: float) -> float:
    """The l2 sensitivity of what autograd makes of the absolute violations of two groups: C lambda (4 - 2 / max(n1, n2 + 1)).

    Source: ours; Tran et al. 2020, Theorem 1, step (8a) to (8b) drops the absolute value (gap T2), whose sign one person can turn. It holds
    for two groups with equal multipliers. Anywhere else a flipped sign turns the population's gradient, too, which is not clipped: then no
    number bounds the change.
    """
    n1, n2 = sizes_of(n_left, n_joined)
    return positive("clip", clip) * positive("multiplier", multiplier) * (4 - 2 / max(n1, n2 + 1))


def clipped_mean_sensitivity(clip: float, multiplier: float) -> float:
    """The l2 sensitivity where the gradient of a group's mean is clipped, and not everybody's: 4 C lambda, whatever the sizes.

    Source: Tran et al. 2020, the formula after (10); the constant is ours (gap T4): one person with a long gradient turns the mean round.

    Parameters
    ----------
    clip, multiplier : as in :func:`theorem_1`

    Examples
    --------
    >>> clipped_mean_sensitivity(clip=1, multiplier=0.5)
    2.0
    """
    return 4 * positive("clip", clip) * positive("multiplier", multiplier)


def floored_sensitivity(multipliers: ArrayLike, clip: float, floor: int) -> float:
    """The l2 sensitivity with floored means, sum of the group over max(size, m0), m0 public: for all sizes.

    Source: ours (repair R3 of gap T6): 2C / (m0 + 1) times the range of the multipliers and 0, which is met.
    """
    nu, C = multipliers_of(multipliers), positive("clip", clip)
    m0 = check.integer("floor", floor, low=1, high=10**12)
    return float(2 * C * np.ptp(np.append(nu, 0.0)) / (m0 + 1))


def fixed_sensitivity(multipliers: ArrayLike, clip: float, normalisers: ArrayLike, *, missing: bool = False) -> float:
    """The l2 sensitivity with fixed public normalisers, the group's sum over N_a: C times the range of nu / N.

    Source: ours (repair R2 of gaps T1 and T6). Each person adds clip(gradient) nu_a / N_a and nothing else changes with their group.

    Parameters
    ----------
    multipliers, clip : as in :func:`means_sensitivity`
    normalisers : (k,) array in [1e-6, 1e15]
        N, public.
    missing : bool
        Whether some people do not say their group, who add 0: then it is protected, too, whether somebody says it.

    Examples
    --------
    >>> fixed_sensitivity([1, 0.5], clip=1, normalisers=[20, 20]), fixed_sensitivity([1, 0.5], clip=1, normalisers=[20, 20], missing=True)
    (0.025, 0.05)
    """
    nu = multipliers_of(multipliers)
    shares = nu / normalisers_of(normalisers, nu.size)
    if check.flag("missing", missing):
        shares = np.append(shares, 0.0)
    return float(positive("clip", clip) * np.ptp(shares))


def _range(low: object, high: object) -> tuple[float, float]:
    low, high = check.number("low", low, low=-1e12, high=1e12), check.number("high", high, low=-1e12, high=1e12)
    if high - low < 1e-12:
        check.refuse("high", high, f"not above low = {low:g}", "Give the least and the largest value of h.")
    return low, high


def theorem_2(n_left: float, n_joined: float, low: float, high: float, *, as_printed: bool = False) -> float:
    """The l2 sensitivity of the violations, one for each group: (high - low) hypot(1/n1, 1/(n2 + 1)).

    Source: Tran et al. 2020, Theorem 2; the constant is ours (gaps T16 and T17). Signed violations attain it, absolute ones where a third
    group keeps their signs. As in Theorem 1 the sizes at hand are private.

    Parameters
    ----------
    n_left, n_joined : as in :func:`theorem_1`
    low, high : float in [-1e12, 1e12]
        The range of h, public; high above low.
    as_printed : bool
        sqrt(2) C_d / (min(n1, n2) - 1), C_d the largest absolute value of h: valid if h has one sign, too small if it has both.

    Examples
    --------
    >>> round(theorem_2(10, 10, low=-1, high=1), 3), round(theorem_2(10, 10, low=-1, high=1, as_printed=True), 3)
    (0.27, 0.157)
    """
    n1, n2 = sizes_of(n_left, n_joined)
    low, high = _range(low, high)
    if check.flag("as_printed", as_printed):
        return math.sqrt(2) * max(abs(low), abs(high)) / (min(n1, n2) - 1) if min(n1, n2) > 1 else math.inf
    return (high - low) * math.hypot(1 / n1, 1 / (n2 + 1))


def fixed_violation_sensitivity(normalisers: ArrayLike, low: float, high: float, population: float) -> float:
    """The l2 sensitivity of violations with fixed public normalisers, (1/N_a) times the sum over group a of (population - h).

    Source: ours (repair R2 of gaps T17 and T28): R hypot of the two largest 1/N, with R = max(high - population, population - low).

    Parameters
    ----------
    normalisers : as in :func:`fixed_sensitivity`
    low, high : as in :func:`theorem_2`
    population : float in [-1e12, 1e12]
        The mean of h over all people, which is public; from low to high.

    Examples
    --------
    >>> round(fixed_violation_sensitivity([10, 10], low=0, high=1, population=0.4), 4)
    0.0849
    """
    N = normalisers_of(normalisers)
    low, high = _range(low, high)
    population = check.number("population", population, low=-1e12, high=1e12)
    if not low <= population <= high:
        check.refuse("population", population, f"outside the range of h, from low = {low:g} to high = {high:g}",
                     "Give the mean of h over all people.")
    return float(max(high - population, population - low) * math.hypot(*np.sort(1 / N)[-2:]))


def missing_sensitivity(n_left: float, n_joined: float, rate: float, clip: float, multiplier: float, *, as_printed: bool = False) -> float:
    """The l2 sensitivity of a signed sum of group means when a share r of each group says its group.

    Source: Tran et al. 2020, Section 7, divides the printed Theorem 1 by r. Ours (gap T25): means are over those who say it, so it is
    :func:`theorem_1` at r n1 and r n2 people. It is more noise, not less as the text says. With fixed normalisers
    (:func:`fixed_sensitivity`) nothing of this is needed: who says nothing adds 0.

    Parameters
    ----------
    n_left, n_joined : as in :func:`theorem_1`
        At least 2 and 1 of them say it.
    rate : float in (0, 1]
        r.
    clip, multiplier : as in :func:`theorem_1`
    as_printed : bool
        The printed Theorem 1, divided by r.

    Examples
    --------
    >>> round(missing_sensitivity(20, 20, 0.2, 1, 1), 3), round(missing_sensitivity(20, 20, 0.2, 1, 1, as_printed=True), 3)
    (0.9, 0.526)
    """
    n1, n2 = sizes_of(n_left, n_joined)
    rate = check.number("rate", rate, low=0.0, high=1.0, low_open=True)
    if check.flag("as_printed", as_printed):
        return theorem_1(n1, n2, clip, multiplier, as_printed=True) / rate
    if rate * n1 < 2 or rate * n2 < 1:
        check.refuse("rate", rate, f"leaves {rate * n1:g} and {rate * n2:g} people who say their group: one mean would empty",
                     "Raise the rate, or use fixed normalisers.")
    return theorem_1(rate * n1, rate * n2, clip, multiplier)


#: How the group term is written.
Form = Literal["means", "autograd", "printed"]
FORMS: tuple[Form, ...] = get_args(Form)


def _read(gradients: object, A: object, multipliers: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    nu = multipliers_of(multipliers)
    G = check.filled("gradients", check.array("gradients", gradients, ndim=2, low=-1e100, high=1e100), "person")
    return G, check.groups_below("A", A, nu.size, of="gradients", length=len(G)), nu


def _means(G: np.ndarray, A: np.ndarray, k: int) -> np.ndarray:
    """(k, p): the mean of each group."""
    n = np.bincount(A, minlength=k)
    if not n.all():
        check.refuse("A", int(n.argmin()), f"group {n.argmin()} holds nobody, so it has no mean", "Leave that group out.")
    return (np.eye(k)[A].T @ G) / n[:, None]


def group_term(form: Form, gradients: ArrayLike, A: ArrayLike, multipliers: ArrayLike, *, scores: ArrayLike | None = None) -> np.ndarray:
    """What a training step takes from the private groups, without noise.

    Source: Tran et al. 2020: "printed" is equation (10), "autograd" the gradient of the penalty of its Theorem 1 and Algorithm 1; "means"
    is ours. With g the people's gradients and nu the multipliers, "means" is the sum of nu_a mean_a(g); "autograd" that of
    nu_a sign(V_a) (mean(g) - mean_a(g)), V_a = mean(scores) - mean_a(scores); "printed" that of nu_a |mean(g) - mean_a(g)|, coordinate by
    coordinate.

    Parameters
    ----------
    form : str
        One of the three.
    gradients : (m, p) array
        Of h, one row for each person, as they enter: clipped, where they are to be clipped. Public.
    A : (m,) array of 0..k-1
        Groups. Private.
    multipliers : (k,) array in [-1e12, 1e12]
    scores : (m,) array
        h of each person; for "autograd".

    Returns
    -------
    (p,) array

    Examples
    --------
    >>> g, A = [[1.0], [-1.0], [1.0], [1.0]], [0, 0, 1, 1]
    >>> group_term("means", g, A, [1, -1]), group_term("printed", g, A, [1, 1])
    (array([-1.]), array([1.]))
    """
    form = check.choice("form", form, FORMS)
    G, A, nu = _read(gradients, A, multipliers)
    means, everybody = _means(G, A, nu.size), G.mean(axis=0)
    if form != "autograd":
        check.unread(f"form={form!r}", "form='autograd'", scores=scores)
        return nu @ (means if form == "means" else np.abs(everybody - means))
    if scores is None:
        check.refuse("scores", None, "form='autograd' reads it", "Give scores.")
    h = check.array("scores", scores, ndim=1, length=len(G), low=-1e100, high=1e100)
    return (nu * np.sign(h.mean() - _means(h[:, None], A, nu.size)[:, 0])) @ (everybody - means)


@dataclass(frozen=True)
class Move:
    """The neighbour that moves a group term furthest: by ``value`` in l2 norm, when ``person`` changes to ``group``."""

    value: float
    person: int
    group: int


def largest_move(form: Form, gradients: ArrayLike, A: ArrayLike, multipliers: ArrayLike, *, scores: ArrayLike | None = None) -> Move:
    """Brute force: change everybody's group in turn to every other, and look how far :func:`group_term` moves.

    Source: the definition of sensitivity in Tran et al. 2020, Section 4.2, at one data set. Neighbours that leave a group without anybody
    are left out.

    Parameters
    ----------
    form, gradients, A, multipliers, scores : as in :func:`group_term`

    Examples
    --------
    >>> people = worst_people(20, 20, clip=1)
    >>> round(largest_move("means", people.gradients, people.A, [1, -1]).value, 4)
    0.1952
    """
    before = group_term(form, gradients, A, multipliers, scores=scores)
    G, A, nu = _read(gradients, A, multipliers)
    found = Move(-1.0, -1, -1)
    for person, was in enumerate(A.tolist()):
        if (A == was).sum() == 1:
            continue
        for group in set(range(nu.size)) - {was}:
            other = A.copy()
            other[person] = group
            value = float(np.linalg.norm(group_term(form, G, other, nu, scores=scores) - before))
            if value > found.value:
                found = Move(value, person, group)
    if found.person < 0:
        check.refuse("A", A.shape, "nobody can leave a group without emptying it",
                     "Give a group of two people or more.")
    return found


@dataclass(frozen=True, eq=False)
class WorstPeople:
    """Public ``gradients`` (m, 1) and ``scores`` (m,) of h, and private groups ``A``: the first person is the one who changes group."""

    gradients: np.ndarray
    scores: np.ndarray
    A: np.ndarray


def worst_people(n_left: int, n_joined: int, clip: float, *, sign_flips: bool = False) -> WorstPeople:
    """Two groups in which the first person's change of group moves the group term as far as it can be moved.

    Source: ours (gaps T1 and T2).

    Parameters
    ----------
    n_left : int in 2..10^6
        People of group 0, with the one who leaves.
    n_joined : int in 1..10^6
        People of group 1.
    clip : float in [1e-12, 1e12]
        Everybody's gradient is of this length.
    sign_flips : bool
        Whether the change turns the signs of both violations.

    Examples
    --------
    >>> worst_people(2, 2, clip=1).gradients.ravel(), worst_people(2, 2, clip=1, sign_flips=True).gradients.ravel()
    (array([-1.,  1.,  1.,  1.]), array([-1., -1.,  1.,  1.]))
    """
    n1, n2 = check.integer("n_left", n_left, low=2, high=10**6), check.integer("n_joined", n_joined, low=1, high=10**6)
    C, A = positive("clip", clip), np.repeat([0, 1], [n1, n2])
    if check.flag("sign_flips", sign_flips):
        g, scores = np.where(A == 0, -C, C), np.full(n1 + n2, 0.5)
        g[0] = -C if n1 <= n2 + 1 else C
        scores[0] = 1.0
    else:
        g, scores = np.full(n1 + n2, C), np.where(A == 0, 0.9, 0.1)
        g[0] = -C
    return WorstPeople(g[:, None], scores, A)
