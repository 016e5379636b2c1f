"""F-LD and PF-LD on one screen each: as the paper has it without privacy, and repaired."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _checks as check
from .._generator import own_generator
from ..mechanisms import Release
from .plan import NoiseMultipliers, Plan, checked_noise, checked_plan, dual_clip_of
from .private_steps import NO_PROBLEM, centred_prices, noisy_group_sum, noisy_violations
from .problem import WITHOUT_THEM, FairProblem, epoch_batches, poisson_sample

__all__ = ["f_ld", "f_ld_signed", "pf_ld", "start_training", "dual_step"]

NONE = NoiseMultipliers(0.0, 0.0)


def silent(part: Any = None, multipliers: Any = None, violations: Any = None) -> None:
    """A log that keeps nothing."""


Log = Callable[..., None]


def f_ld(
    problem: FairProblem, plan: Plan, rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 1, F-LD: gradient steps on the loss and the priced violations, and prices that rise by the violation. Not private.

    Source: Tran et al. 2020, Algorithm 1. The penalty is lambda times the absolute violation of the batch, so the multipliers never fall
    (gap T21). Of a batch in which a group has nobody the plan's ``empty`` says what is done. A ``gamma`` above 0 is ours.

    Parameters
    ----------
    problem : FairProblem
        Its groups given as codes, none of them empty.
    plan : Plan
    rng : numpy.random.Generator
        The first weights, and the batches.

    Returns
    -------
    theta : (p,) array
    lam : (k, R) array

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.lagrangian import FairTerms
    >>> from dpfair_teach.networks import Network
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> problem = FairProblem(Network(people.d, (8,)), people.X, people.A, people.Y, FairTerms("demographic_parity", 2))
    >>> theta, lam = f_ld(problem, Plan(5, 50), np.random.default_rng(2))
    >>> lam.shape, bool((lam > 0).all())
    ((2, 1), True)
    """
    theta, moments, lam = start_training(problem, plan, rng, least=1)
    for _ in range(plan.epochs):
        for batch in epoch_batches(problem.m, plan.batch, rng):
            part = problem.of(theta, batch)
            apart = part.violations(empty=plan.empty)   # mu(B_P) - mu(B_G)
            slopes = part.loss_slopes()
            slopes += part.penalty_slopes(lam * np.sign(apart))
            theta, moments = plan.step(
                theta, part.gradient(slopes), moments)
        apart = problem.of(theta).violations()          # mu(D_P) - mu(D_G)
        lam = lam + plan.dual_learning_rate * (np.abs(apart) - plan.gamma)
        lam = np.clip(lam, 0.0, plan.max_multiplier)
    return theta, lam


def f_ld_signed(
    problem: FairProblem, plan: Plan, sizes: np.ndarray,
    rng: np.random.Generator, log: Log = silent,
) -> tuple[np.ndarray, np.ndarray]:
    """F-LD with signed prices over the groups' sizes in all the data: they fall again when they were too high. Not private.

    Source: ours, for gaps T19 and T21. What :class:`FairLagrangian` runs. On weights that were released (a posterior, debiased reports) it
    is post-processing.

    Parameters
    ----------
    problem : FairProblem
        Of codes or of weights.
    plan : Plan
    sizes : (k, R) array
        N, above 0.
    rng : numpy.random.Generator
    log : callable
        ``log(part=batch, multipliers=nu)`` after each step, ``log(violations=v)`` before each dual step: for a history and a bar.

    Returns
    -------
    theta : (p,) array
    nu : (k, R) array

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.lagrangian import FairTerms, public_sizes
    >>> from dpfair_teach.networks import Network
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> problem = FairProblem(Network(people.d, (8,)), people.X, people.A, people.Y, FairTerms("demographic_parity", 2))
    >>> theta, nu = f_ld_signed(problem, Plan(5, 50), public_sizes(problem, [.5, .5]), np.random.default_rng(2))
    >>> nu.shape
    (2, 1)
    """
    theta, moments, nu = start_training(problem, plan, rng, log=log)
    for epoch in range(1, plan.epochs + 1):
        for batch in epoch_batches(problem.m, plan.batch, rng):
            part = problem.of(theta, batch)
            slopes = part.loss_slopes()
            slopes += part.penalty_slopes(nu, sizes)
            theta, moments = plan.step(
                theta, part.gradient(slopes), moments)
            log(part=part, multipliers=nu)
        if plan.warmup_epochs <= epoch < plan.epochs:
            apart = problem.of(theta).violations(sizes)
            log(violations=apart)
            nu = dual_step(nu, apart, plan)
    return theta, nu


def pf_ld(
    problem: FairProblem, plan: Plan, sizes: np.ndarray,
    noise: NoiseMultipliers, rng: np.random.Generator, log: Log = silent,
) -> tuple[np.ndarray, np.ndarray, tuple[Release, ...]]:
    """PF-LD, repaired: signed multipliers, public sizes, a secret sample for what reads A, and noise for the multipliers of the moment.

    Source: ours, repairing Tran et al. 2020, Algorithm 1 with equations (10) and (13); what :class:`PrivateFairLagrangian` runs. Privacy
    unit: one person's A changes; X and Y are public. A step has a public part, on a public batch: the loss, mu(P), and the middle of nu /
    N, which all groups have alike. The rest is one noisy sum over a secret Poisson sample. The dual step adds the noisy violation.

    Parameters
    ----------
    problem : FairProblem
        Its groups given as codes.
    plan : Plan
    sizes : (k, R) array
        N: from :func:`public_sizes`, or asked with noise.
    noise : NoiseMultipliers
        Of :func:`find_noise`.
    rng : numpy.random.Generator
    log : callable
        As of :func:`f_ld_signed`. It is handed public batches and noisy violations.

    Returns
    -------
    theta : (p,) array
    nu : (k, R) array
    releases : tuple of Release
        What was run. A step whose prices are all equal asks nothing, and leaves no record; :func:`training_releases` counts it.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.lagrangian import FairTerms, find_noise, public_sizes
    >>> from dpfair_teach.networks import Network
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> problem = FairProblem(Network(people.d, (8,)), people.X, people.A, people.Y, FairTerms("demographic_parity", 2))
    >>> plan, rng = Plan(5, 50, sampling_probability=.2), np.random.default_rng(2)
    >>> theta, nu, releases = pf_ld(problem, plan, public_sizes(problem, [.5, .5]), find_noise(2.0, 1e-5, plan, 400), rng)
    >>> nu.shape, bool((np.abs(nu) <= plan.max_multiplier).all()), [release.times for release in releases]
    ((2, 1), True, [32, 4])
    """
    theta, moments, nu = start_training(problem, plan, rng, noise, log=log)
    public = problem.public             # all but the groups
    of_steps, of_violations = noise.measurements(plan.sampling_probability)
    for epoch in range(1, plan.epochs + 1):
        for batch in epoch_batches(public.m, plan.batch, rng):
            middle, centred = centred_prices(
                nu, sizes, silent=not public.complete)
            part = public.of(theta, batch)
            slopes = part.loss_slopes()
            slopes += part.public_slopes(nu, middle, plan.max_grad_norm)
            step = part.gradient(slopes)
            if centred.any():       # else nothing private is asked
                secret = poisson_sample(
                    public.m, plan.sampling_probability, rng)
                step -= noisy_group_sum(
                    problem.of(theta, secret), centred, plan.max_grad_norm,
                    of_steps, rng) / plan.sampling_probability
            theta, moments = plan.step(theta, step, moments)
            log(part=part, multipliers=nu)
        if plan.warmup_epochs <= epoch < plan.epochs:
            apart = noisy_violations(
                problem.of(theta), sizes, of_violations, rng)
            log(violations=apart)
            nu = dual_step(nu, apart, plan)
    return theta, nu, of_steps.releases + of_violations.releases


def start_training(problem: FairProblem, plan: Plan, rng: np.random.Generator, noise: NoiseMultipliers = NONE, *, least: int = 0,
                   log: Log = silent) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Random weights, an optimizer's first moments, and multipliers that are 0.

    Source: Tran et al. 2020, Algorithm 1, line 1.

    Parameters
    ----------
    problem : FairProblem
    plan : Plan
    rng : numpy.random.Generator
    noise : NoiseMultipliers, optional
        Of a training that has some: it is only looked at, as is ``log``.
    least : int in 0..2
        Of a training that is **not** private: how many people it needs of each group, under each fraction line, in all the data. 1 for a
        mean; 2 for the printed sensitivities. 0: who is in which group is not looked at.
    log : callable

    Returns
    -------
    theta : (p,) array
    moments : dict of arrays
    multipliers : (k, R) array

    Examples
    --------
    >>> from dpfair_teach.lagrangian import FairTerms
    >>> from dpfair_teach.networks import Network
    >>> problem = FairProblem(Network(1, ()), np.ones((6, 1)), [0, 1, 1] * 2, [0, 1] * 3, FairTerms("equalized_odds", 2))
    >>> theta, moments, lam = start_training(problem, Plan(2, 3), np.random.default_rng(0))
    >>> theta.shape, sorted(moments), lam.tolist()
    ((2,), ['mean', 'square', 'steps'], [[0.0, 0.0], [0.0, 0.0]])
    """
    check.instance("problem", problem, FairProblem, *NO_PROBLEM)
    plan, _ = checked_plan(plan), checked_noise(noise)
    try:
        inspect.signature(log).bind(part=None, multipliers=None)
    except (TypeError, ValueError) as wrong:
        check.refuse("log", log, "cannot be called as log(part=..., multipliers=...) and log(violations=...)", "Give such a function.",
                     wrong)
    if check.integer("least", least, low=0, high=2):
        _refuse_before_the_first_step(problem, plan, least)
    theta = problem.network.initial(own_generator(check.rng(rng)))
    return theta, plan.optimizer.start(theta.size), np.zeros(problem.terms.shape)


def _refuse_before_the_first_step(problem: FairProblem, plan: Plan, least: int) -> None:
    """What is wrong with the whole is said before the first step, and not after an epoch."""
    if problem.codes is None:
        check.refuse("problem", problem.weights.shape, "the groups of its people are weights, and this training takes means of groups of "
                     "people", "Make the FairProblem with A as codes 0, 1, ...")
    sizes = problem.terms.sizes(problem.cells, problem.weights)
    if (sizes < least).any():
        a, r = (int(i) for i in np.argwhere(sizes < least)[0])
        few, so = ("nobody is", "it has no mean") if sizes[a, r] == 0 else ("one person is", "the printed sensitivity divides by 0")
        rate = problem.terms.parity.cells[r].name
        check.refuse("problem", a, f"a group of whom {few} under the line of {rate}, in all the data, so {so}", WITHOUT_THEM)
    if least == 2:
        dual_clip_of(plan)


def dual_step(multipliers: np.ndarray, apart: np.ndarray, plan: Plan) -> np.ndarray:
    """Signed multipliers (k, R) after a dual step: up by the signed violation, back to 0 by gamma, within ``max_multiplier`` of 0.

    Source: ours, for gaps T19 and T21: the dual of |v| <= gamma, nu being the price of one sign less that of the other.
    """
    plan = checked_plan(plan)
    multipliers = check.filled("multipliers", check.array("multipliers", multipliers, ndim=2), "multiplier")
    moved = multipliers + plan.dual_learning_rate * check.array("apart", apart, shape=multipliers.shape)
    back = np.maximum(np.abs(moved) - plan.dual_learning_rate * plan.gamma, 0.0)
    return np.clip(np.where(back > 0, np.copysign(back, moved), 0.0), -plan.max_multiplier, plan.max_multiplier)
