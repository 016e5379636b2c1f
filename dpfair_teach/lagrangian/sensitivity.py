"""How far one person who changes group moves the group term of a training step: as printed, true, and repaired.

The group term is a sum over groups of a multiplier times the mean of the group's gradients. Only who is in which group is private: people's
gradients are public, and so is the population's gradient, which no change of group moves.
"""
from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["theorem_1", "mean_update", "means_sensitivity", "sign_flip_sensitivity", "clipped_mean_sensitivity", "floored_sensitivity",
           "fixed_sensitivity"]


def positive(name: str, value: object, high: float = 1e12) -> float:
    """A number in [1e-12, high]: a clip, a multiplier, a noise multiplier."""
    return check.number(name, value, low=1e-12, high=high)


def sizes_of(n_left: object, n_joined: object) -> tuple[float, float]:
    """People of the two groups of a change before it: the one left, which keeps somebody, and the one joined, which had somebody."""
    return check.number("n_left", n_left, low=2.0, high=1e12), check.number("n_joined", n_joined, low=1.0, high=1e12)


def multipliers_of(value: object) -> np.ndarray:
    """A multiplier of either sign for each of 2 to 1000 groups."""
    nu = check.array("multipliers", value, ndim=1, low=-1e12, high=1e12, booleans=False)
    if not 2 <= nu.size <= 1000:
        check.refuse("multipliers", nu.shape, "not one number for each of 2 to 1000 groups", "Give one multiplier for each group.")
    return nu


def normalisers_of(value: object, k: int) -> np.ndarray:
    """A public number above 0 for each group, which stands for its size."""
    return check.array("normalisers", value, ndim=1, length=k, low=1e-6, high=1e15, booleans=False)


def theorem_1(n_left: float, n_joined: float, clip: float, multiplier: float, *, as_printed: bool = False) -> float:
    """The l2 sensitivity of the group term, a signed sum of group means: 2 C lambda (1/n1 + 1/(n2 + 1)).

    Source: Tran et al. 2020, Theorem 1; the constant is ours (gap T1). Whoever leaves a group of n1 moves its mean by (mean of the rest -
    z) / n1, for two vectors of norm at most C: by at most 2C/n1. Joining a group of n2 moves its mean by (z - mean) / (n2 + 1). With
    multipliers of opposite sign the two moves add up, and they are attained: everybody else has the gradient opposite to z. The printed
    bound forgets that a mean that loses a member weighs all others anew. It is a bound for the sizes at hand: those are private, and no
    noise may be set by them.

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

    Returns
    -------
    float

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

    Source: ours (gap T1). Without z the mean is mean + (mean - z) / (size - 1); with a further z it is mean + (z - mean) / (size + 1). The
    distance is not that of z from 0 but that of z from the mean.

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

    Raises
    ------
    ValueError
        Vectors of different length, or one person leaving nobody behind.

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

    Source: ours, Theorem 1 of Tran et al. 2020 for given multipliers of either sign. With u = nu_a / n_a and v = nu_b / (n_b + 1) the sum
    changes by z (v - u) + u (mean of the others in a) - v (mean of b), three vectors of norm at most C that are free. So the most is
    C (|v-u| + |u| + |v|) = 2 C max(|u|, |v|, |v-u|).

    Parameters
    ----------
    sizes : (k,) array of whole numbers in 1..10^12
        People of each group. A group of one is joined and never left.
    multipliers : (k,) array in [-1e12, 1e12]
        nu, signed.
    clip : float in [1e-12, 1e12]
        C.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Arrays of different length; a group of nobody; all groups of one person, which nobody can leave.

    Examples
    --------
    >>> round(means_sensitivity([20, 20, 50], [1, -1, 0], clip=1), 4)       # opposite signs: Theorem 1
    0.1952
    >>> round(means_sensitivity([20, 20, 50], [1, 1, 1], clip=1), 4)        # the same sign: the two moves partly cancel
    0.1
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

    Source: ours; Tran et al. 2020, Theorem 1, step (8a) to (8b) drops the absolute value (gap T2). The gradient of |V| is sign(V) times
    that of V, and one person can turn the signs of both groups' V. Then the step is not lambda (mean_2 - mean_1) but its opposite, up to
    what the person moves: the change is lambda |mean_2 - mean_1 + mean_2' - mean_1'|, attained with one group's gradients at C and the
    other's at -C.

    It holds for two groups with equal multipliers. There the population's gradient cancels. Anywhere else a flipped sign turns the
    population's gradient, too, which is not clipped: then no number bounds the change.

    Parameters
    ----------
    n_left, n_joined, clip, multiplier : as in :func:`theorem_1`

    Returns
    -------
    float

    Examples
    --------
    >>> round(sign_flip_sensitivity(20, 20, clip=1, multiplier=1), 3), round(sign_flip_sensitivity(2e6, 2e6, clip=1, multiplier=1), 3)
    (3.905, 4.0)
    """
    n1, n2 = sizes_of(n_left, n_joined)
    return positive("clip", clip) * positive("multiplier", multiplier) * (4 - 2 / max(n1, n2 + 1))


def clipped_mean_sensitivity(clip: float, multiplier: float) -> float:
    """The l2 sensitivity where the gradient of a group's mean is clipped, and not everybody's: 4 C lambda, whatever the sizes.

    Source: Tran et al. 2020, the formula after (10); the constant is ours (gap T4). One person with a long gradient turns the mean of a
    group round, from one end of the ball of radius C to the other: 2 C lambda for each of the two groups, and attained.

    Parameters
    ----------
    clip, multiplier : as in :func:`theorem_1`

    Returns
    -------
    float

    Examples
    --------
    >>> clipped_mean_sensitivity(clip=1, multiplier=0.5)
    2.0
    """
    return 4 * positive("clip", clip) * positive("multiplier", multiplier)


def floored_sensitivity(multipliers: ArrayLike, clip: float, floor: int) -> float:
    """The l2 sensitivity with floored means, sum of the group over max(size, m0), m0 public: for all sizes.

    Source: ours (repair R3 of gap T6). Whoever joins or leaves moves such a mean by at most 2C / (m0 + 1): up to m0 people the divisor is
    fixed and the move at most C/m0; beyond, it is that of a mean of m0 + 1 or more. Both groups of a change together move as in
    :func:`means_sensitivity`, at most as for sizes m0 + 1 and m0: 2C / (m0 + 1) times the range of the multipliers and 0, which is met.

    Parameters
    ----------
    multipliers : (k,) array in [-1e12, 1e12]
        nu, signed.
    clip : float in [1e-12, 1e12]
        C.
    floor : int in 1..10^12
        m0.

    Returns
    -------
    float

    Examples
    --------
    >>> round(floored_sensitivity([1, -1], clip=1, floor=20), 4)
    0.1905
    """
    nu, C = multipliers_of(multipliers), positive("clip", clip)
    m0 = check.integer("floor", floor, low=1, high=10**12)
    return float(2 * C * np.ptp(np.append(nu, 0.0)) / (m0 + 1))


def fixed_sensitivity(multipliers: ArrayLike, clip: float, normalisers: ArrayLike, *, missing: bool = False) -> float:
    """The l2 sensitivity with fixed public normalisers, the group's sum over N_a: C times the range of nu / N.

    Source: ours (repair R2 of gaps T1 and T6). Each person adds clip(gradient) nu_a / N_a and nothing else changes with their group: no
    division by a private size, no minus one, and half of the true Theorem 1.

    Parameters
    ----------
    multipliers : (k,) array in [-1e12, 1e12]
        nu, signed.
    clip : float in [1e-12, 1e12]
        C.
    normalisers : (k,) array in [1e-6, 1e15]
        N, public.
    missing : bool
        Whether some people do not say their group, who add 0: then it is protected, too, whether somebody says it.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Arrays of different length.

    Examples
    --------
    >>> fixed_sensitivity([1, -1], clip=1, normalisers=[20, 20])
    0.1
    >>> fixed_sensitivity([1, 0.5], clip=1, normalisers=[20, 20]), fixed_sensitivity([1, 0.5], clip=1, normalisers=[20, 20], missing=True)
    (0.025, 0.05)
    """
    nu = multipliers_of(multipliers)
    shares = nu / normalisers_of(normalisers, nu.size)
    if check.flag("missing", missing):
        shares = np.append(shares, 0.0)
    return float(positive("clip", clip) * np.ptp(shares))
