"""F-LD and PF-LD of the tables of Tran et al. 2020 beside the library's learners: as printed, in public directions, and asked once.

With ``missing`` the code k is somebody who does not say the group. All decide by a score of 1/2.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from dpfair_teach import lagrangian, mechanisms, networks
from dpfair_teach.lagrangian import FairProblem, FairTerms, NoiseMultipliers, Plan
from dpfair_teach.lagrangian.algorithm import dual_step
from dpfair_teach.lagrangian.private_steps import noisy_sizes
from dpfair_teach.lagrangian.problem import Part, poisson_sample

from .tran_asked import asked_groups
from .tran_people import DELTA

HIDDEN = (32, 32)
BATCH = 256
EPOCHS = 10
#: How fast multipliers move, how far they go, the violation of scores that is allowed, and the clip of one person's gradient.
DUAL_LEARNING_RATE, MAX_MULTIPLIER, ALLOWED, CLIP = 2.0, 2.0, 0.02, 0.5
#: As printed, where the noise grows with it: with 1 in its place nothing is learned, with 0.02 there is hardly a penalty.
PRINTED_MAX_MULTIPLIER = 0.1
#: As the paper has them.
PRINTED_CLIP, PRINTED_DUAL_CLIP = 10.0, 5.0
#: Public directions that the penalty may move a network along: how many, for how many steps, and from so many people of a batch.
DIRECTIONS, REFRESH, ASKED = 20, 25, 64
#: Of the people of a rate, the least share that a group is taken to have.
LEAST = 0.01


class NetworkOfGroups(ClassifierMixin, BaseEstimator):
    """A network that was trained with multipliers, in scikit-learn's contract."""

    network_: networks.Network
    theta_: np.ndarray
    missing: bool

    def problem(self, X: np.ndarray, y: np.ndarray, A: np.ndarray, notion: str, n_groups: int) -> FairProblem:
        terms = FairTerms(notion, n_groups)
        return FairProblem(networks.Network(X.shape[1], HIDDEN), X, A, y, terms, missing=self.missing and A.ndim == 1)

    def keep(self, problem: FairProblem, theta: np.ndarray, multipliers: np.ndarray) -> Any:
        self.network_, self.theta_, self.multipliers_ = problem.network, theta, multipliers
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        ones = self.network_.probabilities(self.theta_, X)
        return np.column_stack([1 - ones, ones])


class AsPrinted(NetworkOfGroups):
    """PF-LD as printed, or as everybody writes it, with the noise that Theorem 5 asks for. It claims its epsilon, and does not keep it.

    With ``missing`` the sizes in (7) and (11) are of those who say their group, which is what Section 7 divides by.
    """

    def __init__(self, epsilon: float, notion: str, n_groups: int, *, autograd: bool = False, max_grad_norm: float = PRINTED_CLIP,
                 dual_clip: float = PRINTED_DUAL_CLIP, epochs: int = EPOCHS, missing: bool = False) -> None:
        self.epsilon = epsilon
        self.notion = notion
        self.n_groups = n_groups
        self.autograd = autograd
        self.max_grad_norm = max_grad_norm
        self.dual_clip = dual_clip
        self.epochs = epochs
        self.missing = missing

    def fit(self, X: np.ndarray, y: np.ndarray, *, sensitive_features: np.ndarray, rng: np.random.Generator) -> AsPrinted:
        problem = self.problem(X, y, sensitive_features, self.notion, self.n_groups)
        plan = Plan(self.epochs, BATCH, max_multiplier=PRINTED_MAX_MULTIPLIER, max_grad_norm=self.max_grad_norm, dual_clip=self.dual_clip,
                    empty="skip")
        # Theorem 5 counts every epoch: one more than the repaired count has of a plan of as many epochs
        counted = Plan(self.epochs + 1, BATCH, sampling_probability=min(1.0, BATCH / len(y)))
        noise = lagrangian.find_noise(self.epsilon, DELTA, counted, len(y))
        train = lagrangian.pf_ld_autograd if self.autograd else lagrangian.pf_ld_as_printed
        theta, multipliers, self.skipped_ = train(problem, plan, noise, rng)
        return self.keep(problem, theta, multipliers)


class InDirections(NetworkOfGroups):
    """PF-LD repaired, whose penalty moves the network along a few public directions only, with noise on as many coordinates."""

    def __init__(self, epsilon: float, notion: str, n_groups: int, *, epochs: int = EPOCHS, missing: bool = False) -> None:
        self.epsilon = epsilon
        self.notion = notion
        self.n_groups = n_groups
        self.epochs = epochs
        self.missing = missing

    def fit(self, X: np.ndarray, y: np.ndarray, *, sensitive_features: np.ndarray, rng: np.random.Generator) -> InDirections:
        problem = self.problem(X, y, sensitive_features, self.notion, self.n_groups)
        plan = Plan(self.epochs, BATCH, dual_learning_rate=DUAL_LEARNING_RATE, max_multiplier=MAX_MULTIPLIER, gamma=ALLOWED,
                    max_grad_norm=CLIP, warmup_epochs=max(1, self.epochs // 3), sampling_probability=min(1.0, BATCH / problem.m))
        noise = lagrangian.find_noise(self.epsilon, DELTA, plan, problem.m, sizes_budget_fraction=0.05)
        sizes, asked = noisy_sizes(problem, noise.sizes, rng)
        theta, multipliers, releases = pf_ld_in_directions(problem, plan, sizes, noise, rng)
        self.releases_ = (asked, *releases)
        return self.keep(problem, theta, multipliers)


def pf_ld_in_directions(problem: FairProblem, plan: Plan, sizes: np.ndarray, noise: NoiseMultipliers,
                        rng: np.random.Generator, rank: int = DIRECTIONS) -> tuple[np.ndarray, np.ndarray, tuple[mechanisms.Release, ...]]:
    """``lagrangian.pf_ld``, but all of the penalty is projected: else what is public of it would be left over where the rest is cut off."""
    theta, moments, nu = lagrangian.start_training(problem, plan, rng, noise)
    of_steps, of_violations = noise.measurements(plan.sampling_probability)
    directions = np.zeros((theta.size, rank))
    for epoch in range(1, plan.epochs + 1):
        for at, batch in enumerate(lagrangian.epoch_batches(problem.m, plan.batch, rng)):
            middle, centred = lagrangian.centred_prices(nu, sizes, silent=not problem.public.complete)
            part = problem.of(theta, batch)
            penalty = part.public_slopes(nu, middle, plan.max_grad_norm)
            if centred.any():
                if at % REFRESH == 0 and part.n >= rank:
                    directions = public_directions(problem.of(theta, batch[:ASKED]), rank)
                step = part.gradient(part.loss_slopes())
                step += directions @ (directions.T @ part.gradient(penalty))
                secret = problem.of(theta, poisson_sample(problem.m, plan.sampling_probability, rng))
                step -= lagrangian.noisy_group_sum(secret, centred, plan.max_grad_norm, of_steps, rng,
                                                   directions) / plan.sampling_probability
            else:
                step = part.gradient(part.loss_slopes() + penalty)
            theta, moments = plan.step(theta, step, moments)
        if plan.warmup_epochs <= epoch < plan.epochs:
            nu = dual_step(nu, lagrangian.noisy_violations(problem.of(theta), sizes, of_violations, rng), plan)
    return theta, nu, of_steps.releases + of_violations.releases


def public_directions(part: Part, rank: int) -> np.ndarray:
    """The directions along which people's gradients of h differ most, from 0: (p, rank), an orthonormal basis. A is not read.

    Source: ours; the idea of noise in a public subspace is Zhou, Wu and Banerjee's (2021), who need public people for it. Here everybody's
    gradient is public.
    """
    people = networks.per_example_gradients(part.problem.network, part.theta, part.passed, part.slopes).astype(float)
    _, vectors = np.linalg.eigh(people @ people.T)
    top = people.T @ vectors[:, ::-1][:, :rank]
    return np.linalg.qr(top)[0]


class AskedOnce(NetworkOfGroups):
    """F-LD on everybody's expected group, by one question of pure epsilon: then the training is free, however long.

    ``response`` asks everybody for a randomized response and weighs by what it says, freed of its bias; ``posterior`` asks for noisy
    counts in public cells of people who are alike, and weighs by the best guess.
    """

    def __init__(self, epsilon: float, notion: str, n_groups: int, method: str, *, epochs: int = EPOCHS, missing: bool = False) -> None:
        self.epsilon = epsilon
        self.notion = notion
        self.n_groups = n_groups
        self.method = method
        self.epochs = epochs
        self.missing = missing

    def fit(self, X: np.ndarray, y: np.ndarray, *, sensitive_features: np.ndarray, rng: np.random.Generator) -> AskedOnce:
        weights = (self.by_response if self.method == "response" else self.by_posterior)(X, y, sensitive_features, rng)
        problem = self.problem(X, y, weights[:, :self.n_groups], self.notion, self.n_groups)
        everybody = np.maximum(problem.people, 1.0)
        sizes = np.clip(problem.terms.sizes(problem.cells, problem.weights), np.maximum(LEAST * everybody, 1.0), everybody)
        plan = Plan(self.epochs, BATCH, dual_learning_rate=DUAL_LEARNING_RATE, max_multiplier=MAX_MULTIPLIER, gamma=ALLOWED)
        return self.keep(problem, *lagrangian.f_ld_signed(problem, plan, sizes, rng))

    def by_response(self, X: np.ndarray, y: np.ndarray, A: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Who did not say is one more group while asked."""
        k = self.n_groups + self.missing
        reports, record = mechanisms.release("randomized response", A, rng, unit=mechanisms.UNIT_A, epsilon=self.epsilon, n_groups=k)
        self.releases_ = (record,)
        return mechanisms.debiased_groups(reports, k, self.epsilon)

    def by_posterior(self, X: np.ndarray, y: np.ndarray, A: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The same."""
        weights, self.releases_ = asked_groups(X, y, A, self.n_groups + self.missing, self.epsilon, rng)
        return weights
