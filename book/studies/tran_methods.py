"""The learners of the tables of Tran et al. 2020: what each is, and how it is made for k groups, a notion and an epsilon.

What the paper leaves open, widths, epochs, multipliers, clips, was fixed by trials on parts of training sets of Bank, Income, M-Bank5 and
Compas, and is the same for all data sets and notions; its own C_p = 10 and C_d = 5 are used as printed.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression

from dpfair_teach import baselines, lagrangian
from dpfair_teach.oneshot import FrontierLearner

from .tran_asked import TOLD_EPSILON, Remembered
from .tran_lagrangian import ALLOWED, BATCH, CLIP, DUAL_LEARNING_RATE, EPOCHS, HIDDEN, MAX_MULTIPLIER, AskedOnce, AsPrinted, InDirections
from .tran_people import DELTA

#: Of more people than so many half of the epochs: they have four times as many steps.
MANY = 20_000
#: Of Adam, where there is no hidden layer.
LOGISTIC_RATE = 0.01
#: What a gap may be where a learner asks for one and the paper says nothing.
GAMMA = 0.01


def network(epochs: int) -> baselines.NetworkClassifier:
    return baselines.NetworkClassifier(HIDDEN, epochs=epochs, batch=BATCH, precision="float32")


def logistic() -> LogisticRegression:
    return LogisticRegression(max_iter=300)


def boosted() -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(max_leaf_nodes=15, random_state=0)


def both() -> StackingClassifier:
    """Logistic regression and trees; another logistic regression weighs what they say."""
    return StackingClassifier([("logistic", logistic()), ("boosted", boosted())], LogisticRegression(C=1e3), cv=5)


#: Bases of the learner that asks, which it fits to four fifths of the people and asks about the fifth.
BASES: dict[str, Callable[[int], Any]] = {
    "logistic": lambda epochs: Remembered(logistic()), "network": lambda epochs: Remembered(network(epochs)),
    "boosted": lambda epochs: Remembered(both())}


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
    both: bool = False                      # rows for both epsilons


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


def priced(private: bool, **how: Any) -> Callable[[Case], Any]:
    """PF-LD repaired, or F-LD with signed prices: the learners of the library."""
    def make(of: Case) -> Any:
        same = {"n_groups": of.k, "notion": of.notion, "hidden": HIDDEN, "epochs": of.epochs, "batch": BATCH,
                "dual_learning_rate": DUAL_LEARNING_RATE, "max_multiplier": MAX_MULTIPLIER} | how
        if private:
            return lagrangian.PrivateFairLagrangian(of.epsilon, ALLOWED, DELTA, max_grad_norm=CLIP, **same)
        return lagrangian.FairLagrangian(ALLOWED, **same)
    return make


def asked(base: str, epsilon: float | None = None) -> Callable[[Case], Any]:
    """Where it is operated is a matter of its release: ``tran_asked.operating_gamma``."""
    return lambda of: FrontierLearner(epsilon or of.epsilon, GAMMA, n_groups=of.k, notion=of.notion, target="new",
                                      base=BASES[base](of.epochs))


#: Of reductions, by their base; and programs of Z.
LOGISTIC_ROUNDS, NETWORK_ROUNDS, STEPS = 10, 6, 4
ASKED, TOLD = "asked", "the same learner, told what it asks"
LINEAR: dict[str, Any] = {"hidden": (), "learning_rate": LOGISTIC_RATE}
ROUNDS: dict[str, tuple[Callable[[int], Any], int]] = {
    "network": (network, NETWORK_ROUNDS), "logistic": (lambda epochs: logistic(), LOGISTIC_ROUNDS),
    "boosted": (lambda epochs: boosted(), NETWORK_ROUNDS)}
METHODS: dict[str, Method] = {
    "clf_network": Method("a network alone", "no", "network", lambda of: Remembered(network(of.epochs))),
    "clf_logistic": Method("logistic regression alone", "no", "logistic", lambda of: Remembered(logistic())),
    "clf_boosted": Method("boosted trees alone", "no", "boosted", lambda of: Remembered(boosted())),
    "z": Method("Z, covariance constraints", "no", "logistic", covariance),
    **{f"a_{base}": Method("A, the reduction", "no", base, reduction(*ROUNDS[base])) for base in ("network", "logistic")},
    "f_ld": Method("F-LD, signed", "no", "network", priced(False)),
    "f_ld_logistic": Method("F-LD, signed", "no", "logistic", priced(False, **LINEAR)),
    **{f"m_{base}": Method("M, the reduction on responses", "yes", base, responses(*ROUNDS[base]), both=base != "boosted")
       for base in ROUNDS},
    **{f"m_{base}_rates": Method("M, its rates corrected", "yes", base, responses(*ROUNDS[base], "rates"), both=True)
       for base in ("network", "logistic")},
    "pf_ld_printed": Method("PF-LD as printed", "claimed", "network", printed()),
    "pf_ld_autograd": Method("PF-LD by autograd", "claimed", "network", printed(autograd=True)),
    "pf_ld_repaired": Method("PF-LD repaired", "yes", "network", priced(True)),
    "pf_ld_subspace": Method("PF-LD repaired, in public directions", "yes", "network",
                             lambda of: InDirections(of.epsilon, of.notion, of.k, epochs=of.epochs)),
    "pf_ld_logistic": Method("PF-LD repaired", "yes", "logistic", priced(True, **LINEAR)),
    "pf_ld_response": Method("F-LD on responses", "yes", "network",
                             lambda of: AskedOnce(of.epsilon, of.notion, of.k, "response", epochs=of.epochs)),
    "pf_ld_posterior": Method("F-LD on a posterior", "yes", "network",
                             lambda of: AskedOnce(of.epsilon, of.notion, of.k, "posterior", epochs=of.epochs)),
    **{f"asked_{base}": Method(ASKED, "yes", base, asked(base), both=True) for base in ROUNDS},
    **{f"told_{base}": Method(TOLD, "no", base, asked(base, TOLD_EPSILON)) for base in ROUNDS},
}
