"""The group term of a step in each way that it is written, and the neighbour that moves it furthest: found by trying all."""
from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .sensitivity import multipliers_of, normalisers_of, positive

__all__ = ["group_term", "largest_move", "worst_people"]

#: How the group term is written.
Form = Literal["means", "autograd", "printed", "clipped means", "floored means", "fixed"]
FORMS: tuple[Form, ...] = get_args(Form)


def _read(gradients: object, A: object, multipliers: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    nu = multipliers_of(multipliers)
    G = check.filled("gradients", check.array("gradients", gradients, ndim=2, low=-1e100, high=1e100), "person")
    return G, check.groups_below("A", A, nu.size, of="gradients", length=len(G)), nu


def _means(G: np.ndarray, A: np.ndarray, k: int) -> np.ndarray:
    """(k, p): the mean of each group."""
    n = np.bincount(A, minlength=k)
    if not n.all():
        check.refuse("A", int(n.argmin()), f"group {n.argmin()} holds nobody, so it has no mean", "Choose form='floored means' or 'fixed'.")
    return (np.eye(k)[A].T @ G) / n[:, None]


def group_term(form: Form, gradients: ArrayLike, A: ArrayLike, multipliers: ArrayLike, *, scores: ArrayLike | None = None,
               population: ArrayLike | None = None, clip: float | None = None, floor: int | None = None,
               normalisers: ArrayLike | None = None) -> np.ndarray:
    """What a training step takes from the private groups, without noise.

    Source: Tran et al. 2020: "printed" is equation (10), "autograd" the gradient of the penalty of its Theorem 1 and Algorithm 1,
    "clipped means" the formula after (10); the others are ours (repairs R1 to R3).

    ========================  ============================================================
    form                      with g the people's gradients, nu the multipliers
    ========================  ============================================================
    "means"                   sum nu_a mean_a(g)
    "autograd"                sum nu_a sign(V_a) (population - mean_a(g)), V_a = mean of all scores - mean_a(scores)
    "printed"                 sum nu_a |population - mean_a(g)|, coordinate by coordinate
    "clipped means"           sum nu_a clip(mean_a(g))
    "floored means"           sum nu_a sum_a(g) / max(size, floor)
    "fixed"                   sum nu_a sum_a(g) / N_a
    ========================  ============================================================

    Parameters
    ----------
    form : str
        One of the six.
    gradients : (m, p) array
        Of h, one row for each person, as they enter: clipped, where they are to be clipped. Public.
    A : (m,) array of 0..k-1
        Groups. Private.
    multipliers : (k,) array in [-1e12, 1e12]
    scores : (m,) array
        h of each person; for "autograd".
    population : (p,) array, optional
        The population's gradient as it enters, for "autograd" and "printed"; None: the mean of ``gradients``.
    clip : float in [1e-12, 1e12]
        For "clipped means".
    floor : int in 1..10^12
        For "floored means".
    normalisers : (k,) array in [1e-6, 1e15]
        For "fixed".

    Returns
    -------
    (p,) array

    Raises
    ------
    ValueError
        What a form needs is missing, or something is given that it does not read; a group of nobody where its mean is asked for.

    Examples
    --------
    >>> g, A = [[1.0], [-1.0], [1.0], [1.0]], [0, 0, 1, 1]
    >>> group_term("means", g, A, [1, -1]), group_term("fixed", g, A, [1, -1], normalisers=[4, 2])
    (array([-1.]), array([-1.]))
    """
    form = check.choice("form", form, FORMS)
    G, A, nu = _read(gradients, A, multipliers)
    needs = {"autograd": ("scores",), "clipped means": ("clip",), "floored means": ("floor",), "fixed": ("normalisers",)}
    given = {"scores": scores, "clip": clip, "floor": floor, "normalisers": normalisers}
    for name, value in given.items():
        if name in needs.get(form, ()) and value is None:
            check.refuse(name, None, f"form={form!r} reads it", f"Give {name}.")
        reader = next(f"form={other!r}" for other, read in needs.items() if name in read)
        check.unread(f"form={form!r}", reader, **({} if name in needs.get(form, ()) else {name: value}))
    if form not in ("autograd", "printed"):
        check.unread(f"form={form!r}", "form='autograd' and 'printed'", population=population)
    elif population is None:
        everybody = G.mean(axis=0)
    else:
        everybody = check.array("population", population, ndim=1, length=G.shape[1], low=-1e100, high=1e100)
    k = nu.size
    if form == "fixed":
        return (nu / normalisers_of(normalisers, k)) @ (np.eye(k)[A].T @ G)
    if form == "floored means":
        at_least = check.integer("floor", floor, low=1, high=10**12)
        return (nu / np.maximum(np.bincount(A, minlength=k), at_least)) @ (np.eye(k)[A].T @ G)
    means = _means(G, A, k)
    if form == "autograd":
        h = check.array("scores", scores, ndim=1, length=len(G), low=-1e100, high=1e100)
        return (nu * np.sign(h.mean() - _means(h[:, None], A, k)[:, 0])) @ (everybody - means)
    if form == "printed":
        return nu @ np.abs(everybody - means)
    if form == "clipped means":
        means = means / np.maximum(1, np.linalg.norm(means, axis=1) / positive("clip", clip))[:, None]
    return nu @ means


@dataclass(frozen=True)
class Move:
    """The neighbour that moves a group term furthest.

    Attributes
    ----------
    value : float
        How far, in l2 norm.
    person, group : int
        Who changes, and to which group.
    """

    value: float
    person: int
    group: int


def largest_move(form: Form, gradients: ArrayLike, A: ArrayLike, multipliers: ArrayLike, *, scores: ArrayLike | None = None,
                 population: ArrayLike | None = None, clip: float | None = None, floor: int | None = None,
                 normalisers: ArrayLike | None = None) -> Move:
    """Brute force: change everybody's group in turn to every other, and look how far :func:`group_term` moves.

    Source: the definition of sensitivity in Tran et al. 2020, Section 4.2, at one data set. Neighbours that leave a group without anybody
    are left out where its mean is asked for.

    Parameters
    ----------
    form : {"means", "autograd", "printed", "clipped means", "floored means", "fixed"}
    gradients, A, multipliers, scores, population, clip, floor, normalisers : as in :func:`group_term`

    Returns
    -------
    Move

    Raises
    ------
    ValueError
        As there; nobody who can change.

    Examples
    --------
    >>> people = worst_people(20, 20, clip=1)
    >>> round(largest_move("means", people.gradients, people.A, [1, -1]).value, 4)
    0.1952
    """
    term = partial(group_term, form, scores=scores, population=population, clip=clip, floor=floor, normalisers=normalisers)
    before = term(gradients, A, multipliers)
    G, A, nu = _read(gradients, A, multipliers)
    kept = form in ("floored means", "fixed")
    found = Move(-1.0, -1, -1)
    for person, was in enumerate(A.tolist()):
        if not kept and (A == was).sum() == 1:
            continue
        for group in set(range(nu.size)) - {was}:
            other = A.copy()
            other[person] = group
            value = float(np.linalg.norm(term(G, other, nu) - before))
            if value > found.value:
                found = Move(value, person, group)
    if found.person < 0:
        check.refuse("A", A.shape, "nobody can leave a group without emptying it",
                     "Give a group of two people or more.")
    return found


@dataclass(frozen=True, eq=False)
class People:
    """Public gradients and scores, and private groups: the first person is the one who changes group.

    Attributes
    ----------
    gradients : (m, 1) array
        Of h. Public.
    scores : (m,) array
        h. Public.
    A : (m,) array
        Groups. Private.
    """

    gradients: np.ndarray
    scores: np.ndarray
    A: np.ndarray


def worst_people(n_left: int, n_joined: int, clip: float, *, sign_flips: bool = False) -> People:
    """Two groups in which the first person's change of group moves the group term as far as it can be moved.

    Source: ours (gaps T1 and T2). For Theorem 1 everybody else has the gradient opposite to the first person's, and the scores lie so far
    apart that no sign changes. For the sign flip the groups' gradients are opposite, all scores but the first person's are equal, and
    theirs decides which group has the larger mean.

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

    Returns
    -------
    People

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
    return People(g[:, None], scores, A)
