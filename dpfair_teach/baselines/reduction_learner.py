"""The reduction as a scikit-learn estimator: any weighted classifier in, a fair mixture of its answers out."""
from __future__ import annotations

import inspect
import warnings
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.dummy import DummyClassifier
from sklearn.utils import get_tags

from .. import _checks as check
from .._base_estimator import base_prediction, fitted_copy, people_of
from .._classifier import RandomizedClassifier
from .._generator import own_generator
from ..fairness import Parity
from ..fairness.parity import Against, Notion, read_parity
from ..games import Equilibrium, FairnessGame
from .reduction import MOST_ROUNDS, reduction

__all__ = ["Reduction"]

MOST_B = 20.0       # of B where nobody gives one


REMEDY = "Give a classifier that answers 0 or 1."


def readable(base: Any) -> Any:
    """A classifier that can be copied, fitted with weights and asked."""
    if isinstance(base, type):
        check.refuse("base", base, "is a class, and no classifier yet",
                     f"Give an instance: {base.__name__ if hasattr(base, 'fit') else 'LogisticRegression'}().")
    for name in ("fit", "predict", "get_params"):
        if not callable(getattr(base, name, None)):
            check.refuse("base", base, f"has no {name}, so it is no classifier of scikit-learn's", "Give one, as LogisticRegression().")
    if "sample_weight" not in inspect.signature(base.fit).parameters:
        check.refuse("base", base, "its fit takes no sample_weight, and the reduction is about weights",
                     "Give one that takes weights, as LogisticRegression(); the last step of a Pipeline does not.")
    return base


def fitted(base: Any, X: Any, labels: np.ndarray, weights: np.ndarray, rng: np.random.Generator) -> Any:
    """A copy that has learned these labels, with weights of mean 1; a constant where there is one label only."""
    total = weights.sum()
    if labels.min() == labels.max() or total <= 0:
        return constant(int(labels[0]))
    # a generator of its own, as a base may keep what it is given
    return fitted_copy(base, X, labels, lambda: own_generator(rng), sample_weight=weights * (len(weights) / total))


def tried(base: Any, X: Any, y: np.ndarray) -> None:
    """Refuse a base that cannot learn these people, or says no decisions: before anything private is asked, so that it costs nothing.

    A copy learns y with weights of 1, and is thrown away. X, y and the base are all that is read, and its generator is its own: the
    refusal depends on nobody's group, and the caller's generator draws what it would have drawn.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")         # of the same the rounds will warn
        model = fitted_copy(base, X, y, lambda: np.random.default_rng(0), sample_weight=np.ones(len(y)))
        decisions(model, X, len(y))


def constant(value: int) -> DummyClassifier:
    """A classifier with one answer for all."""
    return DummyClassifier(strategy="constant", constant=value).fit(np.zeros((1, 1)), [value])


def decisions(model: Any, X: Any, n: int) -> np.ndarray:
    """What it says of everybody, 0 or 1."""
    return base_prediction(model, X, n, remedy=REMEDY).astype(np.int64)


class ReductionParams(NamedTuple):
    """The parameters of a fit, each checked."""

    base: Any
    gamma: float
    k: int
    parity: Parity
    B: float
    rounds: int


class ReductionClassifier(RandomizedClassifier):
    """What both learn alike: the rounds, and a mixture of what was learned."""

    _gone: ClassVar[dict[str, str]] = {"B": "It is 1 / gamma, 20 at most; call baselines.reduction for another."}

    base: Any
    gamma: float
    n_groups: int
    rounds: int

    def _read(self, parity: Parity) -> ReductionParams:
        gamma, k = check.number("gamma", self.gamma, low=0.0, high=1e9), check.group_count(self.n_groups)
        parity.comparisons(k)
        B = min(1 / gamma, MOST_B) if gamma else MOST_B
        rounds = check.integer("rounds", self.rounds, low=1, high=MOST_ROUNDS)
        return ReductionParams(readable(self.base), gamma, k, parity, B, rounds)

    def _play(self, params: ReductionParams, X: Any, y: np.ndarray, A: np.ndarray, rng: np.random.Generator,
              factors: np.ndarray | None = None) -> tuple[FairnessGame, Equilibrium, float]:
        """:func:`reduction`, keeping what was learned; then the mixture of it."""
        learned = [constant(0), constant(1)]

        def learn(labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
            learned.append(fitted(params.base, X, labels, weights, rng))
            return decisions(learned[-1], X, len(y))
        game, best, bound = reduction(learn, A, y, params.gamma, params.B, params.rounds, rng, parity=params.parity, n_groups=params.k,
                                      factors=factors)
        used = np.flatnonzero(best.Q > 0)
        self.classifiers_, self.weights_ = [learned[i] for i in used], best.Q[used]
        self.multipliers_, self.parity_, self.B_ = best.lam, params.parity, params.B
        return game, best, bound

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.base).input_tags.sparse       # who reads X is the base
        return tags

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """The weights of those who say 1. The group is no input: given, it is only checked."""
        X, n = people_of(X, getattr(self, "n_features_in_", None))
        self._validated_groups(sensitive_features, n)
        said = sum((w * decisions(h, X, n) for h, w in zip(self.classifiers_, self.weights_, strict=True)), np.zeros(n))
        return np.clip(said, 0.0, 1.0)


class Reduction(ReductionClassifier):
    """A fair mixture of answers of a classifier that takes weights, for any notion and any number of groups. **Not private.**

    Source: Tran et al. 2020, Section 8, baseline A (Agarwal et al. 2018, reconstructed): :func:`reduction`. A decision draws one of the
    classifiers and follows it; it reads X alone. The constants "reject everybody" and "accept everybody" are there from the start.

    There is no noise in it, and no ``releases_``; the private one is :class:`PrivateReduction`.

    Parameters
    ----------
    base : classifier
        Of scikit-learn's kind, with ``sample_weight`` in its ``fit``. It is copied, never fitted itself. One whose ``fit`` takes ``rng``
        is given generators of its own.
    gamma : float in [0, 1e9]
        What each gap may be, on the people of ``fit``.
    n_groups : int in 2..1000
        k.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``.
    against : str, optional
        ``population``: gaps to the rate of everybody, the form of the source; two groups may then be 2 gamma apart. ``anchor``: to
        group 0. ``pairs``: between any two groups. None: the first, or what a Parity says.
    rounds : int in 1..10^4
        How often the base is fitted.

    Attributes
    ----------
    classifiers_ : list of fitted classifiers
        Those with weight.
    weights_ : array
        How often each decides.
    multipliers_ : (K,) array
        Prices at which no other mixture of what was learned is better.
    value_, bound_ : floats
        Of :func:`reduction`: err + B times the excess over gamma, and what it could not be below if the base's answers were the best ones.
        B, the most that all gaps together are priced at, is 1 / gamma, 20 at most.
    violation_ : float
        The largest gap on the people of ``fit``, in the form of ``parity_``.
    parity_, B_ : the notion, and B

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, d=3, shifts=[[0, 0, 0], [1, .5, 0]], rng=np.random.default_rng(1))
    >>> model = Reduction(LogisticRegression(), gamma=.02, notion="demographic_parity")
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> round(model.violation_, 3), model.predict_proba(people.X[:3]).shape
    (0.02, (3, 2))
    """

    def __init__(self, base: Any, gamma: float, *, n_groups: int = 2, notion: Notion | Parity = "equalized_odds",
                 against: Against | None = None, rounds: int = 20) -> None:
        self.base = base
        self.gamma = gamma
        self.n_groups = n_groups
        self.notion = notion
        self.against = against
        self.rounds = rounds

    def _checked_params(self) -> ReductionParams:
        return self._read(of_population(self.notion, self.against))

    def _learn(self, params: ReductionParams, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        X, m = people_of(X)
        A = check.groups_below("sensitive_features", sensitive_features, params.k, length=m)
        n = np.bincount(2 * A + y, minlength=2 * params.k).reshape(params.k, 2).astype(float)
        params.parity.require("sensitive_features", n, codes=True)
        game, best, self.bound_ = self._play(params, X, y, A, rng)
        self.value_, self.violation_ = float(best.value), float(game.violation(best.Q))


def of_population(notion: Any, against: str | None) -> Parity:
    """The notion, against everybody where nothing else is said."""
    return read_parity(notion, against="population" if against is None and not isinstance(notion, Parity) else against)
