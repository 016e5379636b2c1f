"""The learners of the tables of Tran et al. 2020: what each is, and how it is made for k groups, a notion and an epsilon.

What the paper leaves open, widths, epochs, multipliers, clips, was fixed by trials on parts of training sets of Bank, M-Bank5 and Compas,
and is the same for all data sets and notions; its own C_p = 10 and C_d = 5 are used as printed. Nothing was chosen by who is judged.
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
#: How fast multipliers move, how far they go, and the clip of one person's gradient.
DUAL_RATE, LARGEST, CLIP = 4.0, 2.0, 0.5
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


def covariance(of: Case) -> Any:
    """Of demographic parity one convex program; of the others a sequence."""
    linear = of.notion == "demographic_parity"
    return baselines.CovarianceClassifier(0.0 if linear else 0.0005, n_groups=of.k, notion=of.notion, steps=None if linear else STEPS)


def reduction(base: Callable[[int], Any], rounds: int) -> Callable[[Case], Any]:
    return lambda of: baselines.Reduction(base(of.epochs), GAMMA, n_groups=of.k, notion=of.notion, rounds=rounds)


def responses(base: Callable[[int], Any], rounds: int) -> Callable[[Case], Any]:
    """M, as Tran et al. describe it: no correction of rates."""
    return lambda of: baselines.PrivateReduction(base(of.epochs), of.epsilon, GAMMA, n_groups=of.k, notion=of.notion, correction="none",
                                                 rounds=rounds)


def printed(**how: Any) -> Callable[[Case], Any]:
    return lambda of: AsPrinted(of.epsilon, of.notion, of.k, epochs=of.epochs, **how)


def repaired(**how: Any) -> Callable[[Case], Any]:
    """PF-LD repaired, or the same network that asked once; without ``method`` F-LD."""
    def make(of: Case) -> Any:
        same = {"n_groups": of.k, "notion": of.notion, "hidden": HIDDEN, "epochs": of.epochs, "batch": BATCH, "dual_rate": DUAL_RATE,
                "largest": LARGEST}
        if not how:
            return lagrangian.FairLagrangian(0.0, **same)
        return lagrangian.PrivateFairLagrangian(of.epsilon, 0.0, DELTA if how["method"] == "gradients" else 0.0, **same, **how)
    return make


def soft(kind: type[SoftGroupLearner], base: str) -> Callable[[Case], Any]:
    """The gap is None: the rule of the library, the same for all."""
    return lambda of: kind(of.epsilon, None, DELTA, n_groups=of.k, notion=of.notion, base=BASES[base](of.epochs))


LOGISTIC_ROUNDS, NETWORK_ROUNDS, STEPS = 10, 6, 4
ONCE, SAME, TOLD = "asked once", "the same learner on responses", "the same learner, told the groups"
METHODS: dict[str, Method] = {
    "clf_network": Method("a network alone", "no", "network", lambda of: Remembered(network(of.epochs))),
    "clf_logistic": Method("logistic regression alone", "no", "logistic", lambda of: Remembered(logistic())),
    "clf_boosted": Method("boosted trees alone", "no", "boosted", lambda of: Remembered(boosted())),
    "z": Method("Z, covariance constraints", "no", "logistic", covariance),
    "a_network": Method("A, the reduction", "no", "network", reduction(network, NETWORK_ROUNDS)),
    "a_logistic": Method("A, the reduction", "no", "logistic", reduction(lambda epochs: logistic(), LOGISTIC_ROUNDS)),
    "f_ld": Method("F-LD, signed", "no", "network", repaired()),
    "m_network": Method("M, the reduction on responses", "yes", "network", responses(network, NETWORK_ROUNDS)),
    "m_logistic": Method("M, the reduction on responses", "yes", "logistic", responses(lambda epochs: logistic(), LOGISTIC_ROUNDS)),
    "pf_ld_printed": Method("PF-LD as printed", "claimed", "network", printed()),
    "pf_ld_autograd": Method("PF-LD by autograd", "claimed", "network", printed(autograd=True)),
    "pf_ld_repaired": Method("PF-LD repaired", "yes", "network", repaired(method="gradients", clip=CLIP)),
    "pf_ld_subspace": Method("PF-LD repaired, in public directions", "yes", "network",
                             repaired(method="gradients", clip=CLIP, subspace=SUBSPACE)),
    "pf_ld_response": Method("F-LD on responses", "yes", "network", repaired(method="response")),
    "pf_ld_posterior": Method("F-LD on a posterior", "yes", "network", repaired(method="posterior")),
    "asked_logistic": Method(ONCE, "yes", "logistic", soft(SoftGroupLearner, "logistic")),
    "asked_network": Method(ONCE, "yes", "network", soft(SoftGroupLearner, "network")),
    "asked_boosted": Method(ONCE, "yes", "boosted", soft(SoftGroupLearner, "boosted")),
    "responding_logistic": Method(SAME, "yes", "logistic", soft(Responding, "logistic")),
    "responding_boosted": Method(SAME, "yes", "boosted", soft(Responding, "boosted")),
    "told_logistic": Method(TOLD, "no", "logistic", soft(Told, "logistic")),
    "told_boosted": Method(TOLD, "no", "boosted", soft(Told, "boosted")),
}
