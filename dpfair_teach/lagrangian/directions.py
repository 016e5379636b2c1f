"""Two directions for the penalty: its gradient, and what equation (10) takes instead."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .problem import FairProblem

__all__ = ["penalty", "penalty_gradient", "printed_direction"]


def penalty(problem: FairProblem, theta: ArrayLike, multipliers: ArrayLike) -> float:
    """Multipliers times absolute violations, over all people.

    Source: Tran et al. 2020, the second term of equation (4).

    Parameters
    ----------
    problem : FairProblem
    theta : (p,) array
    multipliers : (k, R) array
        At least 0.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Shapes that do not fit, a negative multiplier, a group without people.

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
    problem : FairProblem
    theta : (p,) array
    multipliers : (k, R) array
        At least 0.

    Returns
    -------
    (p,) array

    Raises
    ------
    ValueError
        As :func:`penalty`.

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
    problem : FairProblem
    theta : (p,) array
    multipliers : (k, R) array
        At least 0.

    Returns
    -------
    (p,) array
        No coordinate is below 0.

    Raises
    ------
    ValueError
        As :func:`penalty`.

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
    if not isinstance(problem, FairProblem):
        check.refuse("problem", problem, "not a FairProblem", "Make it with lagrangian.FairProblem(network, X, A, Y, terms).")
    found = check.array("theta", theta, shape=(problem.network.n_parameters,))
    return problem, found, check.array("multipliers", multipliers, shape=problem.terms.shape, low=0.0, high=1e9)
