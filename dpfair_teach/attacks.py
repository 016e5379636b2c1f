"""Attribute inference: guess one person's group from what was published, and how well any attack can do that.

The first half bounds and measures that, the second attacks what was published and is not private, or not as private as it says. X and Y are
public, and the attacker knows everybody else's A as well.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from . import _checks as check
from . import audit

__all__ = [
    "attribute_advantage_bound", "posterior_bound", "exact_advantage", "advantage_interval", "guessing_game",
    "secret_shares", "reweighing_weights", "read_support_vectors", "read_multipliers", "floating_point_exclusions",
]


# --------------------------------------------------------------------------------------------- what any attack can do

def _prior(value: object) -> float:
    return check.number("prior", value, low=0.0, high=1.0, low_open=True, high_open=True)


def _blind(prior: float) -> float:
    """How often the best guess is right that looks at nothing."""
    return max(prior, 1 - prior)


def attribute_advantage_bound(epsilon: float, delta: float = 0.0,
                              prior: float = 0.5) -> float:
    """How much more often than by blind guessing a guess of one person's A in {0, 1} from an (epsilon, delta)-private output can be right.

    Source: ours (chapter 1), from supplement, Definition 1.2 (main text Definition 2.2). With prior 1/2 it is (e^epsilon - 1 + 2 delta) /
    (2 (e^epsilon + 1)). Sharp for every prior.

    Parameters
    ----------
    epsilon : float > 0
    delta : float in [0, 1)
    prior : float in (0, 1)
        Probability that A = 1 given everything but the output, everybody else's group included.

    Examples
    --------
    >>> round(attribute_advantage_bound(1.0), 4)
    0.2311
    """
    epsilon = check.epsilon(epsilon)
    delta = check.number("delta", delta, low=0.0, high=1.0, high_open=True)
    blind = _blind(_prior(prior))
    # (e^epsilon + delta) / (e^epsilon + 1)
    informed = special.expit(epsilon) + delta * special.expit(-epsilon)
    # The blind guess, unless the truth is told openly.
    exposed = blind + (1 - blind) * delta
    return float(max(informed, exposed) - blind)


def posterior_bound(epsilon: float, prior: float = 0.5) -> tuple[float, float]:
    """Between which probabilities of A = 1 an epsilon-private output can leave somebody who began with ``prior``.

    Source: ours (chapter 1): posterior odds / prior odds lies in [e^-epsilon, e^epsilon] by supplement, Definition 1.2. With delta > 0 no
    such bound holds.

    Parameters
    ----------
    epsilon : float > 0
    prior : float in (0, 1)
        As in :func:`attribute_advantage_bound`, before the output is seen.

    Returns
    -------
    (low, high) : floats in [0, 1], low < prior < high unless rounding hides it

    Examples
    --------
    >>> low, high = posterior_bound(np.log(3), prior=0.5)
    >>> round(low, 6), round(high, 6)
    (0.25, 0.75)
    """
    epsilon, prior = check.epsilon(epsilon), _prior(prior)
    start = special.logit(prior)
    return float(special.expit(start - epsilon)), float(special.expit(start + epsilon))


def exact_advantage(law_0: ArrayLike, law_1: ArrayLike, prior: float = 0.5) -> float:
    """The advantage of the best attack there is, from the exact laws of the output when A = 0 and when A = 1.

    Source: Bayes: guess the likelier group at each output; right with probability sum of max((1 - prior) P_0, prior P_1).

    Parameters
    ----------
    law_0, law_1 : arrays (n_outcomes,)
        Probabilities of the same outcomes, with sum 1.
    prior : float in (0, 1)

    Examples
    --------
    >>> from dpfair_teach.mechanisms import randomized_response_matrix
    >>> law_0, law_1 = randomized_response_matrix(2, epsilon=1.0)
    >>> round(exact_advantage(law_0, law_1), 4)
    0.2311
    """
    prior, (p, q) = _prior(prior), audit.two_laws(law_0=law_0, law_1=law_1)
    return max(float(np.maximum((1 - prior) * p, prior * q).sum()) - _blind(prior), 0.0)


def advantage_interval(hits: ArrayLike, n: int, prior: float = 0.5, alpha: float = 0.05) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The measured advantage of an attack and its exact confidence interval.

    Source: :func:`audit.clopper_pearson` on the share of right guesses, less max(prior, 1 - prior); of independent guesses.

    Parameters
    ----------
    hits : int or array of ints in 0..n
    n : int in 1..10^10
    prior : float in (0, 1)
    alpha : float in [1e-100, 1)

    Returns
    -------
    (advantage, low, high) : arrays of the shape of ``hits``

    Examples
    --------
    >>> [round(float(x), 3) for x in advantage_interval(731, n=1000)]
    [0.231, 0.202, 0.258]
    """
    right = check.filled("hits", check.whole_numbers("hits", hits, low=0), "count")
    n = check.integer("n", n, low=1, high=10**10)
    if right.max() > n:
        check.refuse("hits", int(right.max()), f"more right guesses than the n={n} guesses", "Count hits among those guesses.")
    low, high = audit.clopper_pearson(right, n, alpha)
    blind = _blind(_prior(prior))
    return right / n - blind, low - blind, high - blind


@dataclass(frozen=True)
class GameResult:
    """How often an attack guessed one person's A: ``hits`` right guesses in ``n`` rounds; ``prior`` is the chance of group 1."""

    hits: int
    n: int
    prior: float = 0.5

    @property
    def advantage(self) -> float:
        """Share of right guesses, less that of the best blind guess."""
        return self.hits / self.n - _blind(self.prior)

    def interval(self, alpha: float = 0.05) -> tuple[float, float]:
        """(low, high) of :func:`advantage_interval`."""
        _, low, high = advantage_interval(self.hits, self.n, self.prior, alpha)
        return float(low), float(high)


def _answer(name: str, function: Callable, *arguments: object) -> object:
    """What a function that was handed in says; its exception becomes one that names it."""
    try:
        return function(*arguments)
    except Exception as error:
        check.refuse(name, function, f"raised {type(error).__name__}: {error}", f"Give a {name} that works on all rounds at once.", error)


def guessing_game(release: Callable, attack: Callable, *, trials: int,
                  rng: np.random.Generator, prior: float = 0.5) -> GameResult:
    """Play the attribute-inference game: nature draws one person's A, the mechanism publishes, the attack guesses.

    Source: ours (chapter 1); the attribute-inference experiment of Yeom et al. 2018 with everything but A known. Rounds must not share
    noise.

    Parameters
    ----------
    release : callable
        ``release(A, rng)`` with A an int array (trials,) of 0 and 1, one target a round; returns an array whose first axis is the round.
    attack : callable
        ``attack(outputs)`` returns (trials,) guesses 0 or 1.
    trials : int in 1..10^8
    rng : numpy.random.Generator
    prior : float in (0, 1)

    Examples
    --------
    >>> from dpfair_teach.mechanisms import randomized_response
    >>> result = guessing_game(lambda A, rng: randomized_response(A, 2, 1.0, rng), lambda reports: reports,
    ...                        trials=10_000, rng=np.random.default_rng(0))
    >>> 0.21 < result.advantage < 0.25
    True
    """
    for name, function in (("release", release), ("attack", attack)):
        if not callable(function):
            check.refuse(name, function, "not callable",
                         f"Give a function as {name}.")
    trials = check.integer("trials", trials, low=1, high=10**8)
    rng, prior = check.rng(rng), _prior(prior)
    A = (rng.random(trials) < prior).astype(np.int64)
    outputs = np.asarray(_answer("release", release, A.copy(), rng))
    if outputs.ndim == 0 or len(outputs) != trials:
        check.refuse("release", outputs.shape, "is the shape of its answer, "
                     f"which must begin with the {trials} trials",
                     "Return one output a round.")
    answer = _answer("attack", attack, outputs)
    guesses = check.labels("attack", answer, length=trials)
    return GameResult(int((guesses == A).sum()), trials, prior)


# ----------------------------------------------------------------------------- computed in secret, and then published

def secret_shares(values: ArrayLike, parties: int, modulus: int, rng: np.random.Generator) -> np.ndarray:
    """Split whole numbers into one share a party: all shares together sum to the number, all but one say nothing.

    Source: additive secret sharing, the first step of the secure computation that the main text's introduction discusses (Section 1): the
    last share is the number less the sum of the others, modulo ``modulus``.

    Parameters
    ----------
    values : int array, any shape, entries in 0..modulus - 1
    parties : int in 2..10^6
    modulus : int in 2..2**53
        With ``parties`` times this at most 2**63, so that shares can be added up as they are.
    rng : numpy.random.Generator

    Returns
    -------
    int64 array (parties, *shape of values), entries in 0..modulus - 1

    Examples
    --------
    >>> shares = secret_shares([1, 0, 1], parties=3, modulus=101, rng=np.random.default_rng(0))
    >>> shares.sum(axis=0) % 101
    array([1, 0, 1])
    """
    parties = check.integer("parties", parties, low=2, high=10**6)
    modulus = check.integer("modulus", modulus, low=2, high=2**53)
    if parties * modulus > 2**63:
        check.refuse("parties", parties, f"with modulus={modulus} shares may sum to more than an int64 holds, and then to another number",
                     "Choose fewer parties or a smaller modulus.")
    values = check.filled("values", check.whole_numbers("values", values, low=0, high=modulus - 1), "number")
    check.size(parties, values.shape, "parties", remedy="Share fewer numbers at once, or among fewer parties.")
    shares = check.rng(rng).integers(0, modulus, (parties - 1, *values.shape))
    last = values
    for share in shares:                                 # one at a time: a sum of all could leave the range of int64
        last = (last - share) % modulus
    return np.concatenate([shares, last[None]])


def _as_long(name: str, value: np.ndarray, other: str, like: np.ndarray) -> None:
    if len(value) != len(like):
        check.refuse(name, value.shape, f"is not as long as {other}, {like.shape}", "Give one entry a person in both.")


def reweighing_weights(A: ArrayLike, Y: ArrayLike, counts: ArrayLike | None = None) -> np.ndarray:
    """Weights that make group and label independent: each person weighs n_a n_y / (m n_ay).

    Source: Kamiran and Calders 2012 (reweighing). A learner that takes weights becomes fairer without A being one of its inputs.

    Parameters
    ----------
    A, Y : int arrays (m,)
        Group codes 0..k-1, and labels 0 or 1.
    counts : array (k, 2) [a, y] of numbers above 0, optional
        Used in place of the people's own counts n_ay, for instance noisy ones.

    Returns
    -------
    array (m,), above 0

    Examples
    --------
    >>> reweighing_weights([0, 0, 0, 1, 1, 1], [0, 0, 1, 0, 1, 1])
    array([0.75, 0.75, 1.5 , 1.5 , 0.75, 0.75])
    """
    check.same_people(A=A, Y=Y)
    Y = check.labels("Y", Y)
    A, k = check.groups("A", A)
    _as_long("A", A, "Y", Y)
    if counts is None:
        cells = np.array([[np.sum((A == a) & (Y == y)) for y in (0, 1)] for a in range(k)], float)
        check.occupied("A", cells, "Merge groups, or leave that group out.", so="so its weight would be a fraction over 0",
                       codes=True)
    else:
        cells = check.array("counts", counts, low=-1e15, high=1e15, booleans=False)
        if cells.shape != (k, 2):
            check.refuse("counts", cells.shape if cells.ndim else counts, f"not of shape ({k}, 2): groups of A, labels of Y",
                         "Reshape counts.")
        check.occupied("counts", cells, "Clip noisy counts to at least 1.", so="so its weight would not be above 0")
    weights = cells.sum(1, keepdims=True) * cells.sum(0) / (cells.sum() * cells)
    return weights[A, Y]


def read_support_vectors(vectors: ArrayLike, X: ArrayLike) -> np.ndarray:
    """Read people's A off the published support vectors of a machine that had A as its last feature.

    Source: main text, Section 1, Example: a kernel machine is published as rows of its training data.

    Parameters
    ----------
    vectors : array (s, d + 1)
        The published rows, group codes in the last column.
    X : array (m, d)
        What the attacker knows of everybody.

    Returns
    -------
    int64 array (m,): the group that was read, or -1 where nothing was. Somebody who shares all of X with another person gets -1.

    Examples
    --------
    >>> read_support_vectors([[0.4, 1], [0.6, 0]], X=[[0.2], [0.4], [0.6]])
    array([-1,  1,  0])
    """
    X = check.filled("X", check.array("X", X, ndim=2), "person and one feature")
    vectors = check.filled("vectors", check.array("vectors", vectors, ndim=2), "row")
    if vectors.shape[1] != X.shape[1] + 1:
        check.refuse("vectors", vectors.shape, f"not rows of X, {X.shape}, and one column more", "Put A behind the columns of X.")
    read = check.codes("vectors", vectors[:, -1], what="the entries of its last column", remedy="Put A last, as integer codes.")
    said = {tuple(row): group for row, group in zip(vectors[:, :-1].tolist(), read, strict=True)}
    _, which, people = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    alone = people[np.ravel(which)] == 1
    return np.array([said.get(tuple(row), -1) if single else -1 for row, single in zip(X.tolist(), alone, strict=True)], np.int64)


def read_multipliers(multipliers: ArrayLike, Y: ArrayLike, known: ArrayLike) -> np.ndarray:
    """Read people's A off the published multipliers of a machine that never had A, trained with weights that depend on A.

    Source: ours (chapter 1), for the remark of the main text's Section 1 that A need not be an input. Under :func:`reweighing_weights`
    there are two weights for each label, and a multiplier that repeats is at the limit that a weight sets.

    Parameters
    ----------
    multipliers : array (s,)
        Of the support vectors; signs do not matter.
    Y : int array (s,)
        Their labels.
    known : int array (s,)
        Groups that the attacker knows, -1 for all others; their majority names the two groups.

    Returns
    -------
    int64 array (s,): 0, 1, or -1 for people whose multiplier is below its limit, or of a label in which fewer than two values repeat

    Examples
    --------
    >>> read_multipliers([1.25, 1.25, 0.75, 0.75, 0.31], Y=[1, 1, 1, 1, 1], known=[1, -1, -1, -1, -1])
    array([ 1,  1,  0,  0, -1])
    """
    Y = check.labels("Y", Y)
    size = np.abs(check.array("multipliers", multipliers, ndim=1))
    known = check.array("known", known, ndim=1)
    _as_long("multipliers", size, "Y", Y)
    _as_long("known", known, "Y", Y)
    if not np.isin(known, (-1, 0, 1)).all():
        check.refuse("known", float(known[~np.isin(known, (-1, 0, 1))][0]), "neither a group 0 or 1 nor -1", "Mark the unknown by -1.")
    group = np.full(len(Y), -1, np.int64)
    for y in (0, 1):
        values, people = np.unique(size[Y == y], return_counts=True)
        limits = values[people > 1]             # sorted
        if len(limits) > 2:
            check.refuse("multipliers", limits[:5].tolist(), f"more than two values repeat among the people with label {y}, and which two "
                         "are limits cannot be seen", "Keep at most one person of each value that is no limit.")
        if len(limits) == 2 and values[-1] > limits[1]:
            check.refuse("multipliers", float(values[-1]), f"above {limits[1]:g}, the larger of the two values that repeat among the "
                         f"people with label {y}, so that these are not both limits", "Give the multipliers of one machine, all of them.")
        for which, limit in enumerate(limits if len(limits) == 2 else ()):
            group[(Y == y) & (size == limit)] = which if y == 1 else 1 - which
    named = (known >= 0) & (group >= 0)
    if not named.any():
        check.refuse("known", known.tolist(), "nobody known is among those whose multipliers are at a limit, a value that repeats within "
                     "a label of Y", "Tell the group of one of them.")
    if (group[named] != known[named]).mean() > 0.5:
        group[group >= 0] = 1 - group[group >= 0]
    return group


def floating_point_exclusions(candidates: ArrayLike, answer: ArrayLike, step: float = 0.0) -> np.ndarray:
    """Which worlds cannot be true, because no noise in doubles leads from their numbers to the published ones.

    Source: ours, after Mironov, "On significance of the least significant bits for differential privacy", CCS 2012. For some answers no
    double n has v + n == answer: then v was not the sum, whatever the law of the noise. Tried are answer - v and its two neighbours.

    Parameters
    ----------
    candidates : array (worlds, n) in [-1e300, 1e300]
        The numbers before the noise, one row for each world that the attacker thinks possible.
    answer : array (n,) in [-1e300, 1e300]
    step : float in [0, 1e300]
        The answer is v + n to the nearest multiple of this; 0: as it is. What the last digits tell is then gone; whether there is noise
        enough, or any, is another question, see :mod:`dpfair_teach.audit`.

    Returns
    -------
    bool array (worlds,): excluded with certainty

    Examples
    --------
    >>> answer = 0.1 + np.random.default_rng(0).normal(size=50)            # fifty numbers 0.1, each with its noise
    >>> floating_point_exclusions(np.outer([0.1, 1.1], np.ones(50)), answer)
    array([False,  True])
    """
    step = check.number("step", step, low=0.0, high=1e300)
    told = check.filled("answer", check.array("answer", answer, ndim=1, low=-1e300, high=1e300), "number")
    worlds = check.filled("candidates", check.array("candidates", candidates, ndim=2, low=-1e300, high=1e300), "world")
    if worlds.shape[1:] != told.shape:
        check.refuse("candidates", worlds.shape, f"has no row of {len(told)} numbers, as the answer has", "Give one row for each world.")
    noise = told - worlds
    possible = np.zeros(worlds.shape, dtype=bool)
    for n in (noise, np.nextafter(noise, -np.inf), np.nextafter(noise, np.inf)):
        possible |= (np.rint((worlds + n) / step) * step if step else worlds + n) == told
    return np.logical_not(possible.all(axis=1))
