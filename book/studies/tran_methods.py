"""The learners of the tables of Tran et al. 2020: what each is, and how it is made for k groups, a notion and an epsilon.

What the paper leaves open, widths, epochs, multipliers, clips, was fixed by trials on parts of training sets of Bank, Income, M-Bank5 and
Compas, and is the same for all data sets and notions; its own C_p = 10 and C_d = 5 are used as printed.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from dpfair_teach import baselines, lagrangian, networks
from dpfair_teach.oneshot import SoftGroupLearner

from .tran_people import DELTA
from .tran_soft import Remembered, Responding, Told

HIDDEN = (32, 32)
BATCH = 256
#: Epochs, and of more people than so many half of them: they have four times as many steps.
EPOCHS, MANY = 10, 20_000
#: How fast multipliers move, how far they go, the violation of scores that is allowed, and the clip of one person's gradient.
DUAL_RATE, LARGEST, ALLOWED, CLIP = 2.0, 2.0, 0.02, 0.5
#: Of Adam, where there is no hidden layer.
LOGISTIC_RATE = 0.01
#: Public directions that the penalty may move a network along.
SUBSPACE = 20
#: As printed, where the noise grows with it: with 1 in its place nothing is learned, with 0.02 there is hardly a penalty.
PRINTED_LARGEST = 0.1
#: What a gap may be where a learner asks for one and the paper says nothing.
GAMMA = 0.01
#: As the paper has them.
PRINTED_CLIP, PRINTED_DUAL_CLIP = 10.0, 5.0


def network(epochs: int) -> baselines.NetworkClassifier:
    return baselines.NetworkClassifier(HIDDEN, epochs=epochs, batch=BATCH, precision="float32")


def logistic() -> LogisticRegression:
    return LogisticRegression(max_iter=300)


def boosted() -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(max_leaf_nodes=15, random_state=0)


#: Bases of the one-shot learner: of two a logistic regression weighs what they say.
BASES: dict[str, Callable[[int], list]] = {
    "logistic": lambda epochs: [Remembered(logistic())], "network": lambda epochs: [Remembered(network(epochs))],
    "boosted": lambda epochs: [Remembered(logistic()), Remembered(boosted())]}


class AsPrinted(ClassifierMixin, BaseEstimator):
    """PF-LD as printed, or as everybody writes it, with the noise that Theorem 5 asks for. It claims its epsilon, and does not keep it.

    With ``missing`` the code k is somebody who does not say the group. Then the sizes in (7) and (11) are of those who do, which is what
    Section 7 divides by.
    """

    def __init__(self, epsilon: float, notion: str, n_groups: int, *, autograd: bool = False, clip: float = PRINTED_CLIP,
                 dual_clip: float = PRINTED_DUAL_CLIP, epochs: int = EPOCHS, batch: int = BATCH, largest: float = PRINTED_LARGEST,
                 missing: bool = False) -> None:
        self.epsilon = epsilon
        self.notion = notion
        self.n_groups = n_groups
        self.autograd = autograd
        self.clip = clip
        self.dual_clip = dual_clip
        self.epochs = epochs
        self.batch = batch
        self.largest = largest
        self.missing = missing

    def fit(self, X: np.ndarray, y: np.ndarray, *, sensitive_features: np.ndarray, rng: np.random.Generator) -> AsPrinted:
        terms = lagrangian.FairTerms(self.notion, self.n_groups)
        problem = lagrangian.FairProblem(networks.Network(X.shape[1], HIDDEN), X, sensitive_features, y, terms, missing=self.missing)
        plan = lagrangian.Plan(self.epochs, self.batch, largest=self.largest, clip=self.clip, dual_clip=self.dual_clip, empty="skip")
        # Theorem 5 counts every epoch: one more than the repaired count has of a plan of as many epochs
        counted = lagrangian.Plan(self.epochs + 1, self.batch, sample=min(1.0, self.batch / len(y)))
        noise = lagrangian.find_noise(self.epsilon, DELTA, counted, len(y))
        train = lagrangian.pf_ld_autograd if self.autograd else lagrangian.pf_ld_as_printed
        self.theta_, self.multipliers_, self.skipped_ = train(problem, plan, noise, rng)
        self.network_, self.classes_ = problem.network, np.array([0, 1])
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        ones = self.network_.probabilities(self.theta_, X)
        return np.column_stack([1 - ones, ones])


class Case(NamedTuple):
    """What a learner is made for."""

    k: int
    notion: str
    epsilon: float
    epochs: int = EPOCHS


class Method(NamedTuple):
    """A learner of the tables: in words, whether it keeps groups private, with which base, and what makes it."""

    words: str
    private: str                            # "no", "yes", or "claimed"
    base: str
    make: Callable[[Case], Any]
    both: bool = False                      # rows for both epsilons, though they may be told the groups: their rule reads epsilon


def covariance(of: Case) -> Any:
    """Of demographic parity one convex program; of the others a sequence."""
    linear = of.notion == "demographic_parity"
    return baselines.CovarianceClassifier(0.0 if linear else 0.0005, n_groups=of.k, notion=of.notion, steps=None if linear else STEPS)


def reduction(base: Callable[[int], Any], rounds: int) -> Callable[[Case], Any]:
    return lambda of: baselines.Reduction(base(of.epochs), GAMMA, n_groups=of.k, notion=of.notion, rounds=rounds)


def responses(base: Callable[[int], Any], rounds: int, correction: str = "none") -> Callable[[Case], Any]:
    """M, as Tran et al. describe it: no correction of rates; or with it, as chapter 20 has it."""
    return lambda of: baselines.PrivateReduction(base(of.epochs), of.epsilon, GAMMA, n_groups=of.k, notion=of.notion,
                                                 correction=correction, rounds=rounds)


def printed(**how: Any) -> Callable[[Case], Any]:
    return lambda of: AsPrinted(of.epsilon, of.notion, of.k, epochs=of.epochs, **how)


def repaired(**how: Any) -> Callable[[Case], Any]:
    """PF-LD repaired, or the same network that asked once; without ``method`` F-LD. Noise in every step comes after a third of the epochs
    that read no group, and cost nothing."""
    def make(of: Case) -> Any:
        same = {"n_groups": of.k, "notion": of.notion, "hidden": HIDDEN, "epochs": of.epochs, "batch": BATCH, "dual_rate": DUAL_RATE,
                "largest": LARGEST} | how
        if "method" not in how:
            return lagrangian.FairLagrangian(ALLOWED, **same)
        if how["method"] != "gradients":
            return lagrangian.PrivateFairLagrangian(of.epsilon, ALLOWED, 0.0, **same)
        return lagrangian.PrivateFairLagrangian(of.epsilon, ALLOWED, DELTA, clip=CLIP, free=max(1, of.epochs // 3), **same)
    return make


def soft(kind: type[SoftGroupLearner], base: str) -> Callable[[Case], Any]:
    """The gap is None: the rule of the library, the same for all."""
    return lambda of: kind(of.epsilon, None, DELTA, n_groups=of.k, notion=of.notion, base=BASES[base](of.epochs))


#: Of reductions, by their base; and programs of Z.
LOGISTIC_ROUNDS, NETWORK_ROUNDS, STEPS = 10, 6, 4
ONCE, SAME, TOLD = "asked once", "the same learner on responses", "the same learner, told the groups"
LINEAR: dict[str, Any] = {"hidden": (), "rate": LOGISTIC_RATE}
ROUNDS: dict[str, tuple[Callable[[int], Any], int]] = {
    "network": (network, NETWORK_ROUNDS), "logistic": (lambda epochs: logistic(), LOGISTIC_ROUNDS),
    "boosted": (lambda epochs: boosted(), NETWORK_ROUNDS)}
METHODS: dict[str, Method] = {
    "clf_network": Method("a network alone", "no", "network", lambda of: Remembered(network(of.epochs))),
    "clf_logistic": Method("logistic regression alone", "no", "logistic", lambda of: Remembered(logistic())),
    "clf_boosted": Method("boosted trees alone", "no", "boosted", lambda of: Remembered(boosted())),
    "z": Method("Z, covariance constraints", "no", "logistic", covariance),
    **{f"a_{base}": Method("A, the reduction", "no", base, reduction(*ROUNDS[base])) for base in ("network", "logistic")},
    "f_ld": Method("F-LD, signed", "no", "network", repaired()),
    "f_ld_logistic": Method("F-LD, signed", "no", "logistic", repaired(**LINEAR)),
    **{f"m_{base}": Method("M, the reduction on responses", "yes", base, responses(*ROUNDS[base]), both=base != "boosted")
       for base in ROUNDS},
    **{f"m_{base}_rates": Method("M, its rates corrected", "yes", base, responses(*ROUNDS[base], "rates"), both=True)
       for base in ("network", "logistic")},
    "pf_ld_printed": Method("PF-LD as printed", "claimed", "network", printed()),
    "pf_ld_autograd": Method("PF-LD by autograd", "claimed", "network", printed(autograd=True)),
    "pf_ld_repaired": Method("PF-LD repaired", "yes", "network", repaired(method="gradients")),
    "pf_ld_subspace": Method("PF-LD repaired, in public directions", "yes", "network", repaired(method="gradients", subspace=SUBSPACE)),
    "pf_ld_logistic": Method("PF-LD repaired", "yes", "logistic", repaired(method="gradients", **LINEAR)),
    "pf_ld_response": Method("F-LD on responses", "yes", "network", repaired(method="response")),
    "pf_ld_posterior": Method("F-LD on a posterior", "yes", "network", repaired(method="posterior")),
    **{f"asked_{base}": Method(ONCE, "yes", base, soft(SoftGroupLearner, base), both=True) for base in ROUNDS},
    **{f"responding_{base}": Method(SAME, "yes", base, soft(Responding, base), both=True) for base in ROUNDS},
    **{f"told_{base}": Method(TOLD, "no", base, soft(Told, base), both=True) for base in ROUNDS},
}
