"""PF-LD as it is printed, and as everybody writes it who lets a library take the gradient. Neither is private."""
from __future__ import annotations

import numpy as np

from .. import _checks as check
from .algorithm import start_training
from .plan import EMPTY, Empty, NoiseMultipliers, Plan, checked_noise, dual_clip_of
from .problem import FairProblem, GroupPart, epoch_batches

__all__ = ["clipped", "pf_ld_as_printed", "pf_ld_autograd", "printed_dual_step", "printed_sensitivity"]


def clipped(vector: np.ndarray, clip: float) -> np.ndarray:
    """The vector (p,), shortened to the length ``clip`` if it is longer.

    Source: Tran et al. 2020, after equation (10).
    """
    vector = check.array("vector", vector, ndim=1, low=-1e100, high=1e100)
    clip = check.number("clip", clip, low=0.0, high=1e9, low_open=True)
    return vector / max(1.0, float(np.linalg.norm(vector)) / clip)


def printed_sensitivity(sizes: np.ndarray, clip: float | None, factor: float, empty: Empty = "refuse") -> float:
    """factor times clip over the smallest of the sizes (k, R) less 1; 0 where that size is 1 or less.

    Source: Tran et al. 2020, Theorem 1 (equation (7), factor = 2 lambda^max) and Theorem 2 (equation (11), factor = sqrt 2). Neither is a
    sensitivity: gaps T1, T2 and T6. The sizes are private, and so is this number. Of a size of 1 or less it has no value: ``empty`` says
    "refuse", or "skip".
    """
    sizes = check.filled("sizes", check.array("sizes", sizes, ndim=2, low=-1e15, high=1e15), "size")
    clip = check.number("clip", clip, low=0.0, high=1e9, low_open=True)
    factor = check.number("factor", factor, low=0.0, high=1e9)
    least, empty = float(sizes.min()), check.choice("empty", empty, EMPTY)
    if least <= 1 and empty == "refuse":
        check.refuse("sizes", least, "is the smallest, and the printed sensitivity divides by one less",
                     "Choose a larger batch, or empty='skip', which leaves the penalty out of that step.")
    return factor * clip / (least - 1) if least > 1 else 0.0


def printed_dual_step(multipliers: np.ndarray, whole: GroupPart, plan: Plan, noise: NoiseMultipliers,
                      rng: np.random.Generator) -> np.ndarray:
    """Multipliers (k, R) after the printed dual step: up by the absolute violation of all, with noise, and at most ``max_multiplier``.

    Source: Tran et al. 2020, Algorithm 1 with equations (11) and (13). **Not** private: noise is scaled by the smallest group (T6), and
    for h of both signs by too little (T17). h is shortened to the dual clip in the groups' means, and not in everybody's. Noise may take a
    multiplier below 0 (T19).
    """
    check.instance("whole", whole, GroupPart, "not a part of a FairProblem", "Give problem.of(theta).")
    clip, noise, rng = dual_clip_of(plan), checked_noise(noise), check.rng(rng)
    multipliers = check.array("multipliers", multipliers, shape=whole.problem.terms.shape)
    delta_d = printed_sensitivity(whole.sizes(), clip, 2**.5)       # (11)
    apart = np.abs(whole.clipped_violations(clip))                  # (13)
    apart += rng.normal(size=multipliers.shape) * noise.dual * delta_d
    return np.minimum(multipliers + plan.dual_learning_rate * apart, plan.max_multiplier)


def pf_ld_as_printed(
    problem: FairProblem, plan: Plan, noise: NoiseMultipliers,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, int]:
    """PF-LD by equations (10) and (13), word by word: **not** private, and its penalty is not descended.

    Source: Tran et al. 2020, Algorithm 1 with equations (7), (10), (11) and (13). What fails: the coordinates of the difference of
    gradients lose their signs, and what is left is no gradient (T3); the group's mean is clipped, and not each person's (T4); noise is
    scaled by the smallest group of the batch, which is private (T6), and by too little (T1); loss and population are of the same batch,
    which therefore is no secret (T7, T8); a noisy multiplier may be far below 0 (T19). In a batch whose smallest group has one person, or
    none, (7) has no value: the plan's ``empty`` says what is done, and a batch that is skipped takes a step on the loss alone.

    Parameters
    ----------
    problem : FairProblem
        Its groups given as codes, each of two people at least.
    plan : Plan
        With a ``dual_clip``; the paper's are ``max_grad_norm=10, dual_clip=5``.
    noise : NoiseMultipliers
        sigma_p and sigma_d.
    rng : numpy.random.Generator

    Returns
    -------
    theta : (p,) array
    lam : (k, R) array
    skipped : int
        Batches without a penalty.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.lagrangian import FairTerms
    >>> from dpfair_teach.networks import Network
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> problem = FairProblem(Network(people.d, (8,)), people.X, people.A, people.Y, FairTerms("demographic_parity", 2))
    >>> noise, rng = NoiseMultipliers(1.0, 1.0), np.random.default_rng(2)
    >>> theta, lam, skipped = pf_ld_as_printed(problem, Plan(5, 50, max_grad_norm=10.0, dual_clip=5.0), noise, rng)
    >>> lam.shape, skipped
    ((2, 1), 0)
    """
    theta, moments, lam = start_training(
        problem, plan, rng, noise, least=2)
    skipped = 0
    for _ in range(plan.epochs):
        for batch in epoch_batches(problem.m, plan.batch, rng):
            part = problem.of(theta, batch)
            step = part.gradient(part.loss_slopes())
            delta_p = printed_sensitivity(                      # (7)
                part.sizes(), plan.max_grad_norm,
                2 * plan.max_multiplier, plan.empty)
            skipped += delta_p == 0
            for a, r in np.ndindex(lam.shape) if delta_p else ():
                group = clipped(part.mean_gradient(r, a), plan.max_grad_norm)
                step += lam[a, r] * np.abs(                     # (10)
                    part.mean_gradient(r) - group)
            step += rng.normal(size=len(step)) * noise.primal * delta_p
            theta, moments = plan.step(theta, step, moments)
        lam = printed_dual_step(                                # (11), (13)
            lam, problem.of(theta), plan, noise, rng)
    return theta, lam, skipped


def pf_ld_autograd(
    problem: FairProblem, plan: Plan, noise: NoiseMultipliers,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, int]:
    """PF-LD as everybody writes it who lets a library differentiate lambda times the absolute violation: **not** private.

    Source: Tran et al. 2020, Algorithm 1, with each person's gradient of h clipped in the group means, as Theorem 1 assumes, and the noise
    of (7). It descends. But the derivative of an absolute value is its sign, which is read off the private groups of the batch: one changed
    A may turn it, and moves the step by up to 4 lambda C, or more where mu(P) is not clipped, however large the group is (T2). T1, and how
    scale and batch leak: as in :func:`pf_ld_as_printed`.

    Parameters
    ----------
    problem, plan, noise, rng : as in :func:`pf_ld_as_printed`

    Returns
    -------
    theta, lam, skipped : as of :func:`pf_ld_as_printed`

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.lagrangian import FairTerms
    >>> from dpfair_teach.networks import Network
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> problem = FairProblem(Network(people.d, (8,)), people.X, people.A, people.Y, FairTerms("demographic_parity", 2))
    >>> theta, lam, skipped = pf_ld_autograd(problem, Plan(5, 50, dual_clip=1.0), NoiseMultipliers(1.0, 1.0), np.random.default_rng(2))
    >>> lam.shape, skipped
    ((2, 1), 0)
    """
    theta, moments, lam = start_training(
        problem, plan, rng, noise, least=2)
    skipped = 0
    for _ in range(plan.epochs):
        for batch in epoch_batches(problem.m, plan.batch, rng):
            part = problem.of(theta, batch)
            step = part.gradient(part.loss_slopes())
            delta_p = printed_sensitivity(
                part.sizes(), plan.max_grad_norm,
                2 * plan.max_multiplier, plan.empty)
            skipped += delta_p == 0
            signs = np.sign(part.violations(empty=plan.empty))  # of private means
            for a, r in np.ndindex(lam.shape) if delta_p else ():
                group = part.mean_gradient(r, a, plan.max_grad_norm)
                step += lam[a, r] * signs[a, r] * (
                    part.mean_gradient(r) - group)
            step += rng.normal(size=len(step)) * noise.primal * delta_p
            theta, moments = plan.step(theta, step, moments)
        lam = printed_dual_step(
            lam, problem.of(theta), plan, noise, rng)
    return theta, lam, skipped
