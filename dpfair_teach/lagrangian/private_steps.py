"""What reads A in the repaired training, and nothing else does: the sizes once, a group sum in each step, the violations in each epoch."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms import Measurement, Release, release_cells
from ..networks import clipped_sum
from .problem import FairProblem, GroupPart, Part, PublicProblem

__all__ = ["centred_prices", "noisy_group_sum", "noisy_violations", "noisy_sizes", "public_sizes"]

#: Of the people of a rate, the least share that a group is taken to have.
LEAST = 0.01
#: Of smaller prices nothing is read: their noise could be rounded to none.
LEAST_REACH = 1e-300


def centred_prices(multipliers: ArrayLike, sizes: ArrayLike, silent: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """nu / N as a part that all groups of a rate have alike, and what is left: the middle of its range, and at most half the range.

    Source: ours, for gaps T9 and T19. The middle multiplies everybody's gradient, whatever the group: it is public, and goes into the
    public step. What is left is at most half the range for every group, so a person's contributions, before and after, lie within half of
    what they move: the pair of laws that :func:`~dpfair_teach.accounting.rdp_sampled_gaussian` proves worst for "replace" is theirs.

    Parameters
    ----------
    multipliers : (k, R) array
        nu, within 10^9.
    sizes : (k, R) array
        N, public, at least 10^-9.
    silent : bool
        May a person be in no group, and so have the price 0? By the way the groups were given, not by who is where.

    Returns
    -------
    middle : (R,) array
    centred : (k, R) array, with ``silent`` (k + 1, R)
        The last row is of those in no group.

    Examples
    --------
    >>> centred_prices([[1.0], [-2.0]], [[100.0], [50.0]])
    (array([-0.015]), array([[ 0.025],
           [-0.025]]))
    """
    multipliers = check.filled("multipliers", check.array("multipliers", multipliers, ndim=2, low=-1e9, high=1e9), "multiplier")
    sizes = check.array("sizes", sizes, shape=multipliers.shape, low=1e-9, high=1e15)
    prices = multipliers / sizes
    if check.flag("silent", silent):
        prices = np.vstack([prices, np.zeros(prices.shape[1])])
    middle = (prices.max(axis=0) + prices.min(axis=0)) / 2
    return middle, prices - middle


def noisy_group_sum(part: GroupPart, centred: ArrayLike, clip: float, noise: Measurement, rng: np.random.Generator,
                    directions: np.ndarray | None = None) -> np.ndarray:
    """The sum over a secret sample of centred price times clipped gradient of h, with Gaussian noise: the only look at A in a primal step.

    Source: ours, repairing Tran et al. 2020, equation (10), by gaps T1 to T10. No changed A moves the sum further than reach, twice the
    clip times the largest |centred price|, which is public; the standard deviation is noise times reach. Where all prices are 0, or below
    10^-300, nothing is read, drawn or released. The result is rounded to a public grid, 1/1000 of the noise. The guarantee is that of the
    ideal law: sums of products of doubles are rounded far below the grid, by how much depends on A, and that is not reckoned.

    Parameters
    ----------
    part : of :class:`FairProblem`
        ``problem.of(theta, sample)``, of codes, with a theta of float64; the sample must stay secret.
    centred : (k, R) array
        Of :func:`centred_prices`; (k + 1, R) where a person may be in no group. Others make more noise than they need.
    clip : float in (0, 1e9]
    noise : mechanisms.Measurement
        Gaussian, of sensitivity 1: its scale is the noise multiplier, as of :meth:`NoiseMultipliers.measurements`. It keeps the record.
    rng : numpy.random.Generator
    directions : (p, r) array, optional
        Orthonormal columns, public: only the sum's coordinates on these are released.

    Returns
    -------
    (p,) array

    Examples
    --------
    >>> from dpfair_teach.lagrangian import FairProblem, FairTerms
    >>> from dpfair_teach.networks import Network
    >>> problem = FairProblem(Network(1, ()), [[0.], [1.], [2.]], [0, 1, 1], [0, 1, 1], FairTerms("demographic_parity", 2))
    >>> none = Measurement("gaussian", "A", sensitivity=1.0, scale=0.0)
    >>> noisy_group_sum(problem.of(np.zeros(2), np.arange(3)), [[.5], [-.5]], 1.0, none, np.random.default_rng(0)).round(3)
    array([-0.375, -0.125])
    """
    check.instance("part", part, GroupPart, *NO_PART)
    refuse_weights("part", part.problem.public)
    rng = check.rng(rng)
    if part.theta.dtype != np.float64:
        check.refuse("part", part.theta.dtype, "is the precision of its theta, in which a clipped gradient may be longer than the clip",
                     "Give problem.of a theta of float64.")
    public, weights = part.problem.public, part.weights
    people, (k, R) = Part(public, part.theta, part.people), public.terms.shape
    if not public.complete:       # what of a person is in no group has the last row's price
        k, weights = k + 1, np.column_stack([weights, 1 - weights.sum(axis=1)])
    centred = check.array("centred", centred, shape=(k, R), low=-1e18, high=1e18)
    clip = check.number("clip", clip, low=0.0, high=1e9, low_open=True)
    noise = checked_measurement(noise)
    p = public.network.n_parameters
    if directions is not None:
        directions = orthonormal(directions, p)
    reach = reach_of(centred, clip)
    if reach < LEAST_REACH:
        return np.zeros(p)
    prices = public.terms.each(centred, people.cells, weights)
    total = clipped_sum(public.network, people.theta, people.passed, people.slopes, clip, prices).astype(float)
    if directions is None:
        return noise.invoke(total, rng, units=reach)
    return directions @ noise.invoke(directions.T @ total, rng, units=reach)


def noisy_violations(part: GroupPart, sizes: ArrayLike, noise: Measurement, rng: np.random.Generator) -> np.ndarray:
    """Signed violations over fixed sizes, with Gaussian noise: the only look at A in a dual step.

    Source: ours, repairing Tran et al. 2020, equation (13) and Theorem 2, by gaps T16 to T19 and T28. Of each group and rate it is (1/N_a)
    times the sum over the group of mu(P) - h. In units of how far |mu(P) - h| goes among the people of a rate, which is public, k sums have
    sensitivity sqrt 2. All of a rate together they are 0, so the noise is taken off its mean too, but where a person may be in no group.
    The sums are exact, of numbers on a public grid, and the noisy sums are rounded to another.

    Parameters
    ----------
    part : of :class:`FairProblem`
        ``problem.of(theta)``, everybody, of codes.
    sizes : (k, R) array
        N, public.
    noise : mechanisms.Measurement
        As of :func:`noisy_group_sum`.
    rng : numpy.random.Generator

    Returns
    -------
    (k, R) array

    Examples
    --------
    >>> from dpfair_teach.lagrangian import FairProblem, FairTerms
    >>> from dpfair_teach.networks import Network
    >>> problem = FairProblem(Network(1, ()), [[0.], [1.], [2.]], [0, 1, 1], [0, 1, 1], FairTerms("demographic_parity", 2))
    >>> none = Measurement("gaussian", "A", sensitivity=1.0, scale=0.0)
    >>> noisy_violations(problem.of(np.array([1.0, 0.0])), [[1.0], [2.0]], none, np.random.default_rng(0)).round(3).tolist()
    [[0.204], [-0.102]]
    """
    check.instance("part", part, GroupPart, *NO_PART)
    refuse_weights("part", part.problem.public)
    rng = check.rng(rng)
    public, noise = part.problem.public, checked_measurement(noise)
    people, terms = Part(public, part.theta, part.people), public.terms
    sizes = check.array("sizes", sizes, shape=terms.shape, low=1e-9, high=1e15)
    cells, (means, _) = people.cells, terms.population(people.values, people.cells)
    apart = np.where(cells >= 0, means[cells] - people.values, 0.0)
    far = farthest(apart, cells, terms.shape[1])
    grid = np.ldexp(1.0, 1 + people.n.bit_length() - 53)      # any sum of them is exact
    units = np.rint(np.divide(apart, far[cells], out=np.zeros_like(apart), where=far[cells] > 0) / grid) * grid
    sums = noise.invoke(terms.sums(units, cells, part.weights), rng, units=math.sqrt(2))
    if public.complete:
        sums = sums - sums.mean(axis=0)
    return sums * far / sizes


def noisy_sizes(problem: FairProblem, epsilon: float, rng: np.random.Generator) -> tuple[np.ndarray, Release]:
    """How many people each group has under each fraction line, (k, R), asked once, with geometric noise: epsilon-private; and its record.

    Source: ours, gap T6: what sets the scale of noise must be public. No size is taken to be below a hundredth of its rate, or 1: an empty
    group is no error, and its noise is bounded.
    """
    check.instance("problem", problem, FairProblem, *NO_PROBLEM)
    refuse_weights("problem", problem.public)
    terms, codes = problem.terms, np.asarray(problem.codes)
    k, asked = terms.n_groups + problem.missing, problem.cells >= 0
    counts, release = release_cells(problem.cells[asked], codes[asked], epsilon, rng, n_groups=k, n_cells=terms.shape[1],
                                    every_group=k > 2)
    everybody = problem.public.people
    found = counts[:terms.n_groups] if k > 2 else np.vstack([everybody - counts[0], counts[0]])
    return np.clip(found.astype(float), np.maximum(LEAST * everybody, 1.0), np.maximum(everybody, 1.0)), release


@check.formerly(shares="Say group_proportions.")
def public_sizes(problem: FairProblem, group_proportions: ArrayLike) -> np.ndarray:
    """How many people each group is taken to have under each fraction line, by proportions that are known from elsewhere.

    Source: ours, gap T6. A wrong proportion rescales a violation, and biases nothing: mu(P) is public, see :func:`noisy_violations`.

    Parameters
    ----------
    problem : FairProblem
    group_proportions : (k,) or (k, R) array
        Entries in (0, 1]: of all people, or of those of each rate. Not computed from these people's A.

    Returns
    -------
    (k, R) array

    Examples
    --------
    >>> from dpfair_teach.lagrangian import FairProblem, FairTerms
    >>> from dpfair_teach.networks import Network
    >>> problem = FairProblem(Network(1, ()), np.ones((6, 1)), [0, 1, 1] * 2, [0, 1] * 3, FairTerms("equalized_odds", 2))
    >>> public_sizes(problem, [.25, .75]).tolist()
    [[0.75, 0.75], [2.25, 2.25]]
    """
    check.instance("problem", problem, FairProblem, *NO_PROBLEM)
    k, R = problem.terms.shape
    group_proportions = check.array("group_proportions", group_proportions, low=0.0, high=1.0, booleans=False)
    if group_proportions.shape not in ((k,), (k, R)):
        check.refuse("n_groups, group_proportions", (k, group_proportions.shape), f"not one proportion for each group, ({k},), or for each "
                     f"group and rate, ({k}, {R})", "Give each group's proportion, of all people or of each rate.")
    if (group_proportions < 1e-9).any():
        check.refuse("group_proportions", float(group_proportions.min()), "is the smallest, and of nobody there is no rate",
                     "Give proportions above 0.")
    return np.maximum(np.broadcast_to(group_proportions.reshape(k, -1), (k, R)) * problem.public.people, 1e-9)


def checked_measurement(noise: Any) -> Measurement:
    if not isinstance(noise, Measurement) or noise.mechanism != "gaussian":
        check.refuse("noise", noise, "not a Measurement of Gaussian noise",
                     "Take those of lagrangian.NoiseMultipliers(primal, dual).measurements(sampling_probability).")
    return noise


def reach_of(centred: np.ndarray, clip: float) -> float:
    """Twice what one person can add to the sum, whatever the prices: of centred ones the largest range, times the clip."""
    return 2 * clip * float(np.abs(centred).max())


def farthest(apart: np.ndarray, cells: np.ndarray, rates: int) -> np.ndarray:
    """The largest |mu(P) - h| among the people of each rate, (R,): public."""
    return np.array([np.abs(apart[cells == r]).max(initial=0.0) for r in range(rates)])


def orthonormal(directions: Any, p: int) -> np.ndarray:
    """The directions, refused where a projection on them could make a contribution longer."""
    if not (type(directions) is np.ndarray and directions.dtype == np.float64 and directions.ndim == 2 and len(directions) == p):
        directions = check.array("directions", directions, shape=(p, None))
    with np.errstate(all="ignore"):
        off = float(np.linalg.norm(directions.T @ directions - np.eye(directions.shape[1])))
    if not off <= 1e-9:
        check.array("directions", directions)       # says of what is no number that it is none
        check.refuse("directions", off, "is how far their products with each other are from 1 and 0: the sum's coordinates on them could "
                     "move further than noise is made for", "Give orthonormal columns, as numpy.linalg.qr makes them.")
    return directions


#: Said of what is neither.
NO_PROBLEM = "not a FairProblem", "Make it with lagrangian.FairProblem(network, X, A, Y, terms)."
NO_PART = "not a part of a FairProblem", "Give problem.of(theta, people)."


def refuse_weights(name: str, public: PublicProblem) -> None:
    """Of a problem whose groups are weights: a row of them may be as large as it likes, and how far one person moves anything is known of
    codes alone."""
    if not public.codes:
        check.refuse(name, (public.m, public.terms.n_groups), "the groups of its people are weights, and noise is made for codes",
                     "Make the FairProblem with A as codes 0, 1, ..., or train without noise on weights that are public.")
