"""What a price does: the Lagrangian and its dual on a finite list of candidates; the penalty's gradient, and what equation (10) takes."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .private_steps import NO_PROBLEM
from .problem import FairProblem

__all__ = ["dual_function", "penalty", "penalty_gradient", "printed_direction"]


class Relaxed(NamedTuple):
    """The candidate ``chosen``, of least price (of several the first), its ``value``, which is this price, and its ``loss`` alone."""

    chosen: int
    value: float
    loss: float


def relaxed_problem(losses: ArrayLike, violations: ArrayLike, multipliers: ArrayLike, *, signed: bool = False) -> Relaxed:
    """The candidate of least loss (n,) plus multipliers (c,) times absolute violations (n, c); with ``signed``, times these themselves.

    Source: Tran et al. 2020, equations (4) and (5), for candidates instead of all theta.
    """
    losses = check.filled("losses", check.array("losses", losses, ndim=1, low=-1e100, high=1e100), "loss")
    violations = check.array("violations", violations, ndim=2, low=-1e100, high=1e100)
    signed = check.flag("signed", signed)
    multipliers = check.array("multipliers", multipliers, ndim=1, low=-1e100 if signed else 0.0, high=1e100)
    if violations.shape != (len(losses), len(multipliers)):
        check.refuse("losses, violations, multipliers", (losses.shape, violations.shape, multipliers.shape), "do not fit each other",
                     "Give a row of violations for each loss, and a column for each multiplier.")
    prices = losses + (violations if signed else np.abs(violations)) @ multipliers
    chosen = int(np.argmin(prices))
    return Relaxed(chosen, float(prices[chosen]), float(losses[chosen]))


def dual_function(losses: ArrayLike, violations: ArrayLike, multipliers: ArrayLike, *, signed: bool = False,
               as_printed: bool = False) -> float:
    """The dual function: the value of the relaxed problem, which is at most the least loss of a candidate without violation.

    Source: Tran et al. 2020, equation (6). As printed it is the loss of the relaxed problem's minimiser, without the price (gap T21): of
    signed multipliers that is no bound, and has no maximum where a network may be as unfair as one likes the other way round.

    Parameters
    ----------
    losses : (n,) array
        J of each candidate.
    violations : (n, c) array
        mu(D_P) - mu(D_G) of each candidate and constraint.
    multipliers : (c,) array
        At least 0, unless ``signed``.
    signed : bool
        Of the violations themselves, and not of their absolute values.
    as_printed : bool
        Without the price.

    Examples
    --------
    >>> losses, violations = [0.0, 0.3, 0.9], [[0.5], [0.0], [-0.5]]
    >>> [dual_function(losses, violations, [nu], signed=True) for nu in (0.3, 0.6, 3.0)]
    [0.15, 0.3, -0.6]
    """
    found = relaxed_problem(losses, violations, multipliers, signed=signed)
    return found.loss if check.flag("as_printed", as_printed) else found.value


def penalty(problem: FairProblem, theta: ArrayLike, multipliers: ArrayLike) -> float:
    """Multipliers times absolute violations, over all people.

    Source: Tran et al. 2020, the second term of equation (4).

    Parameters
    ----------
    problem : FairProblem
    theta : (p,) array
    multipliers : (k, R) array
        At least 0.

    Examples
    --------
    >>> from dpfair_teach.lagrangian import FairTerms
    >>> from dpfair_teach.networks import Network
    >>> problem = FairProblem(Network(1, ()), [[0.], [1.], [2.], [3.]], [0, 0, 1, 1], [0, 1, 0, 1], FairTerms("demographic_parity", 2))
    >>> round(penalty(problem, [1.0, -1.0], [[1.0], [1.0]]), 3)
    0.421
    """
    problem, theta, multipliers = read(problem, theta, multipliers)
    return float((multipliers * np.abs(problem.of(theta).violations())).sum())


def penalty_gradient(problem: FairProblem, theta: ArrayLike, multipliers: ArrayLike) -> np.ndarray:
    """The gradient of :func:`penalty`: multiplier times the sign of the violation times the gradient of the violation.

    Source: Tran et al. 2020, line 4 of Algorithm 1. Where a violation is 0 there is none; it counts 0 then.

    Parameters
    ----------
    problem, theta, multipliers : as in :func:`penalty`

    Returns
    -------
    (p,) array

    Examples
    --------
    >>> from dpfair_teach.lagrangian import FairTerms
    >>> from dpfair_teach.networks import Network
    >>> problem = FairProblem(Network(1, ()), [[0.], [1.], [2.], [3.]], [0, 0, 1, 1], [0, 1, 0, 1], FairTerms("demographic_parity", 2))
    >>> penalty_gradient(problem, [1.0, -1.0], [[1.0], [1.0]]).round(3)
    array([ 0.229, -0.073])
    """
    problem, theta, multipliers = read(problem, theta, multipliers)
    part = problem.of(theta)
    return part.gradient(part.penalty_slopes(multipliers * np.sign(part.violations())))


def printed_direction(problem: FairProblem, theta: ArrayLike, multipliers: ArrayLike) -> np.ndarray:
    """What equation (10) puts in the place of the gradient: multiplier times the absolute value of each coordinate of it, without clip and
    noise. A step against it may raise the penalty.

    Source: Tran et al. 2020, equation (10); gap T3.

    Parameters
    ----------
    problem, theta, multipliers : as in :func:`penalty`

    Returns
    -------
    (p,) array

    Examples
    --------
    >>> from dpfair_teach.lagrangian import FairTerms
    >>> from dpfair_teach.networks import Network
    >>> problem = FairProblem(Network(1, ()), [[0.], [1.], [2.], [3.]], [0, 0, 1, 1], [0, 1, 0, 1], FairTerms("demographic_parity", 2))
    >>> printed_direction(problem, [1.0, -1.0], [[1.0], [1.0]]).round(3)
    array([0.229, 0.073])
    """
    problem, theta, multipliers = read(problem, theta, multipliers)
    part = problem.of(theta)
    part.violations()       # refuses a group without people
    return sum((multipliers[a, r] * np.abs(part.mean_gradient(r) - part.mean_gradient(r, a)) for a, r in np.ndindex(multipliers.shape)),
               start=np.zeros(theta.size))


def read(problem: FairProblem, theta: ArrayLike, multipliers: ArrayLike) -> tuple[FairProblem, np.ndarray, np.ndarray]:
    """The arguments, checked."""
    check.instance("problem", problem, FairProblem, *NO_PROBLEM)
    found = check.array("theta", theta, shape=(problem.network.n_parameters,))
    return problem, found, check.array("multipliers", multipliers, shape=problem.terms.shape, low=0.0, high=1e9)
