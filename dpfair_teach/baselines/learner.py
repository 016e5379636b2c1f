"""The learners that the papers compare with, as estimators: a network, bounds on covariances, a reduction, and one on responses."""
from __future__ import annotations

import inspect
import warnings
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from .. import _checks as check
from .._base_estimator import base_prediction, fitted_copy, people_of
from .._classifier import RandomizedClassifier, TwoLabelClassifier, refuse_other_columns, remember_columns
from .._generator import own_generator
from ..fairness import Parity
from ..fairness.parity import Against, Notion, read_parity
from ..games import Equilibrium, FairnessGame
from ..mechanisms import UNIT_A, debias_counts, release
from ..networks import Adam, Network, gradient, log_loss_slopes
from ..training import State, train
from .covariance import BEND, CovarianceProgram, bends, convex_concave, group_weights, with_everybody
from .reductions import MOST_ROUNDS, reduction
from .response_gaps import law, response_shrinkage

__all__ = ["CovarianceClassifier", "NetworkClassifier", "PrivateReduction", "Reduction"]

#: The numbers a network is trained in.
Precision = Literal["float64", "float32"]

#: Convex programs of the covariance learner: at most, and where nobody says how many.
MOST_PROGRAMS, PROGRAMS = 1000, 20
#: A residual of which one is told.
RESIDUAL = 0.01

#: Of a reduction's B where nobody gives one.
MOST_B = 20.0
REMEDY = "Give a classifier that answers 0 or 1."

#: How a reduction on reports allows for lies.
Correction = Literal["rates", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def features_of(X: Any, columns: int | None = None) -> np.ndarray:
    """The numbers of X, a row a person."""
    return np.asarray(check.filled("X", check.rows("X", X, columns=columns, low=-1e50, high=1e50), "person"), dtype=float)


@check.formerly(rate="Say learning_rate.", decay="Weights are not drawn to 0: train for fewer epochs.")
class NetworkClassifier(TwoLabelClassifier):
    """A ReLU network that is trained for accuracy alone, by Adam on the log loss; with weights, so that a reduction can use it.

    Source: Tran et al. 2020, Section 8, baseline CLF, and *Architectures*: two hidden layers, whose widths, steps and batches they do not
    say. **Not private**, and it never sees a group: there is no noise, and there are no ``releases_``. Its contract is scikit-learn's own,
    so any meta-estimator takes it. Standardize X.

    Parameters
    ----------
    hidden : tuple of ints in 1..10^6
        The widths of the hidden layers.
    epochs : int in 0..10^6
        How often everybody is looked at; 0 for the network that training starts from.
    batch : int in 1..10^9
        People in a step; the last one of an epoch may be smaller.
    learning_rate : float > 0
        Of Adam.
    precision : str
        "float64", or "float32", about twice as fast.

    Attributes
    ----------
    theta_, network_ : (p,) array, networks.Network

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> model = NetworkClassifier(hidden=(8,), epochs=20).fit(people.X, people.Y, rng=np.random.default_rng(2))
    >>> model.predict(people.X[:3]).shape, model.predict_proba(people.X[:3]).shape, model.theta_.shape
    ((3,), (3, 2), (57,))
    """

    #: What scikit-learn's metadata routing hands on, where it is switched on, without being told.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"rng": True}

    def __init__(self, hidden: tuple[int, ...] = (100, 100), *, epochs: int = 10, batch: int = 256, learning_rate: float = 0.001,
                 precision: Precision = "float64") -> None:
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.precision = precision

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, rng: np.random.Generator | None = None) -> Self:
        """Train from new first weights. Batches and first weights come from ``rng``, which is not kept; None: from fresh entropy.

        ``sample_weight`` (m,) multiplies the losses; divided by its mean, so that only proportions matter.
        """
        rng = np.random.default_rng() if rng is None else check.rng(rng, drawn="the first weights")
        epochs, batch = check.integer("epochs", self.epochs, low=0, high=10**6), check.integer("batch", self.batch, low=1, high=10**9)
        optimizer = Adam(check.number("learning_rate", self.learning_rate, low=0.0, low_open=True))
        precision = np.dtype(check.choice("precision", self.precision, get_args(Precision)))
        people = features_of(X)
        check.same_people(X=X, y=y)
        labels = check.labels("y", y)
        if len(labels) != len(people):
            check.refuse("y", labels.shape, f"not as long as X, which has {len(people)} rows", "Give one label for each row of X.")
        if labels.min() == labels.max():
            check.refuse("y", int(labels[0]), "everybody has the same label", "Give people of both labels.")
        sample_weight = np.ones(len(people)) if sample_weight is None else sample_weight
        weights = check.array("sample_weight", sample_weight, shape=(len(people),), low=0, high=1e100)
        if weights.sum() <= 0:
            check.refuse("sample_weight", 0.0, "is 0 for everybody", "Give somebody a weight.")
        weights = weights / weights.mean()
        network = Network(people.shape[1], self.hidden)
        if precision == np.float32 and np.abs(people).max() > 1e30:
            check.refuse("X, precision", (float(np.abs(people).max()), "float32"), "an entry too large for it", "Standardize X.")
        people = people.astype(precision)
        rounds_of = -(-len(people) // batch)

        def step(state: State) -> State:
            now = state.round % rounds_of
            assert state.rng is not None
            order = state.rng.permutation(len(people)) if now == 0 else state["order"]
            who = order[now * batch:(now + 1) * batch]
            theta = state["theta"]
            passed = network.forward(theta, people[who])
            slopes = weights[who] * log_loss_slopes(passed.logits, labels[who]) / len(who)
            theta, moments = optimizer.step(theta, gradient(network, theta, passed, slopes), state.values)
            return state.then(theta=theta, order=order, **moments)
        theta = network.initial(rng, precision)
        start = State({"theta": theta, "order": np.arange(len(people)), **optimizer.start(len(theta), precision)}, rng)
        self.theta_ = train(step, start, epochs * rounds_of).state["theta"]
        self.network_, self.classes_ = network, np.array([0, 1])
        self.__dict__.pop("feature_names_in_", None)
        remember_columns(self, X)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Everybody's logit, (n,)."""
        check_is_fitted(self)
        refuse_other_columns(self, X)
        return self.network_.logits(self.theta_, features_of(X, self.n_features_in_)).astype(float)

    def predict_proba(self, X: Any) -> np.ndarray:
        """What the network says are the chances of the labels 0 and 1, (n, 2): no coin, :meth:`predict` takes the likelier."""
        check_is_fitted(self)
        refuse_other_columns(self, X)
        ones = self.network_.probabilities(self.theta_, features_of(X, self.n_features_in_))
        return np.column_stack([1 - ones, ones])

    def predict(self, X: Any) -> np.ndarray:
        """1 where the logit is above 0, (n,)."""
        return (self.decision_function(X) > 0).astype(np.int64)


class CovarianceParams(NamedTuple):
    """The parameters of a fit, each checked."""

    gamma: float
    k: int
    parity: Parity
    C: float
    steps: int


@check.formerly(as_printed="baselines.covariances has the printed form.")
class CovarianceClassifier(RandomizedClassifier):
    """Logistic regression in which no group goes together with the score, or with its mistakes, by more than gamma. **Not private.**

    Source: Tran et al. 2020, Section 8, baseline Z (Zafar et al. 2017, reconstructed), for any number of groups: one bound for each group,
    of two groups for one of them, whose covariance is the other's but for its sign. It decides by X alone, and surely: P(1) is 0 or 1.

    ``gamma`` bounds :func:`covariances`, not gaps of rates: at gamma = 0 the mean scores of the groups are equal, and how often they are
    accepted need not be; for demographic parity mean scores of groups of n_a and n_b of m people may be gamma (m / n_a + m / n_b) apart.
    ``fit`` draws nothing from its ``rng``; there are no ``releases_``. Standardize X: the penalty on weights goes by its columns' units.

    For demographic parity the program is convex. For the other notions one convex program follows the other: every step meets the bounds,
    the loss never rises, and a point that returns itself is stationary, but no global optimum. The corner of min(0, v) is rounded over
    0.001 to either side, which moves a covariance by at most 0.000125.

    Parameters
    ----------
    gamma : float in [0, 1e9]
        The covariance allowed; of other notions than demographic parity at least 0.0005, from where on 0 is inside the bounds.
    n_groups : int in 2..1000
        k.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``; a Parity against the
        population, as a covariance is of a group with everybody.
    C : float in [1e-6, 1e6]
        As in scikit-learn's LogisticRegression: the log losses of all people are added to |w|^2 / (2 C); the intercept is free.
    steps : int in 1..1000, optional
        At most so many convex programs; None: 20. Demographic parity has one, and takes no number.

    Attributes
    ----------
    coef_ : (n_features,) array, intercept_ : float
    losses_ : (t,) array
        The penalised mean log loss at theta = 0, and after each convex program; it never rises.
    residual_ : float
        How far Lagrange's conditions are from holding, in coordinates in which the Hessian of the loss at 0 is the unit matrix. Above 0.01
        ``fit`` warns.
    covariances_ : (k, R) array
        On the people of ``fit``, without the rounding.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, d=3, shifts=[[0, 0, 0], [1, .5, 0]], rng=np.random.default_rng(1))
    >>> model = CovarianceClassifier(gamma=.01, notion="demographic_parity")
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> model.covariances_.round(3).ravel(), bool(model.residual_ < 1e-4)
    (array([-0.01,  0.01]), True)
    """

    def __init__(self, gamma: float, *, n_groups: int = 2, notion: Notion | Parity = "equalized_odds", C: float = 1.0,
                 steps: int | None = None) -> None:
        self.gamma = gamma
        self.n_groups = n_groups
        self.notion = notion
        self.C = C
        self.steps = steps

    def _checked_params(self) -> CovarianceParams:
        parity = with_everybody(self.notion)
        gamma = check.number("gamma", self.gamma, low=BEND / 2 if bends(parity) else 0.0, high=1e9)
        if not bends(parity):
            check.unread(f"notion={parity.notion!r}", "a notion about mistakes", steps=self.steps)
        steps = PROGRAMS if self.steps is None else check.integer("steps", self.steps, low=1, high=MOST_PROGRAMS)
        return CovarianceParams(gamma, check.group_count(self.n_groups), parity, check.number("C", self.C, low=1e-6, high=1e6), steps)

    def _learn(self, params: CovarianceParams, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        X = features_of(X)
        A = check.groups_below("sensitive_features", sensitive_features, params.k, length=len(X))
        n = np.bincount(2 * A + y, minlength=2 * params.k).reshape(params.k, 2).astype(float)
        params.parity.require("sensitive_features", n, codes=True)
        weights = group_weights(A, y, params.k, params.parity)
        bounded = weights[1:] if params.k == 2 else weights
        program = CovarianceProgram(np.column_stack([X, np.ones(len(X))]), 2.0 * y - 1, bounded.reshape(-1, len(X)), bends(params.parity),
                                    params.gamma, params.C)
        theta, losses = convex_concave(program, params.steps)
        self.coef_, self.intercept_ = theta[:-1], float(theta[-1])
        self.losses_, self.residual_ = np.array(losses), program.residual(theta)
        if self.residual_ > RESIDUAL:
            warnings.warn(f"not yet stationary after {len(losses) - 1} convex programs: residual_ is {self.residual_:.2g}, above "
                          f"{RESIDUAL}. Standardize X{', or give more steps' if bends(params.parity) else ''}.",
                          ConvergenceWarning, stacklevel=3)
        scores = program.Z @ theta
        self.covariances_ = weights @ (np.minimum(program.signs * scores, 0.0) if program.bend else scores)

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """1 where the score is above 0. The group is no input: given, it is only checked."""
        X = features_of(X, self.n_features_in_)
        self._validated_groups(sensitive_features, len(X))
        return (X @ self.coef_ + self.intercept_ > 0).astype(float)


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


@check.formerly(B="It is 1 / gamma, 20 at most; call baselines.reduction for another.")
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


class PrivateReductionParams(NamedTuple):
    """The parameters of a fit, each checked."""

    reduction: ReductionParams
    epsilon: float
    correction: Correction


@check.formerly(B="It is 1 / gamma, 20 at most; call baselines.reduction for another.")
class PrivateReduction(ReductionClassifier):
    """A fair mixture of answers of a weighted classifier, learned from randomized responses: epsilon-private for everybody's group.

    Source: Tran et al. 2020, Section 8, baseline M (Mozannar et al. 2020, reconstructed). Privacy unit: one person's A changes; X, y and
    the set of groups {0, ..., k-1} are public. Everybody responds once, by k-ary randomized response; :func:`reduction` then takes the
    responses for groups. It is post-processing, so the guarantee is pure epsilon, whoever sees the responses. Nothing is refused because of
    who is in which group.

    Among those who report a group its gap to everybody is smaller, by the factor of :func:`response_shrinkage`. ``correction="rates"`` lets
    each gap among reports be gamma times its factor, held at one standard deviation of the noise where that leaves little of a group.
    ``correction="none"`` is the method as Tran et al. describe it: the true gap may then be gamma divided by the factor.

    Parameters
    ----------
    base : classifier
        As in :class:`Reduction`. Before anybody responds a copy learns y once, so that one that cannot read X costs no epsilon.
    epsilon : float in [1e-6, 700]
        Of the whole fit.
    gamma : float in [0, 1e9]
        What each gap to everybody may be; two groups may then be 2 gamma apart.
    n_groups : int in 2..1000
        k, public. It is not read off A.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``; against the population, as
        between two groups there is no such factor where k is above 2.
    correction : str
        "rates" or "none".
    rounds : int in 1..10^4
        How often the base is fitted.

    Attributes
    ----------
    releases_ : tuple of one accounting.Release, of the last ``fit`` only
    reports_ : (k, R) array
        How many reported each group, under each fraction line.
    factors_ : (k, R) array
        What each gap's tolerance was multiplied by; 1 without a correction.
    classifiers_, weights_, multipliers_, parity_, B_ : as in :class:`Reduction`

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(4000, rng=np.random.default_rng(1))
    >>> model = PrivateReduction(LogisticRegression(), epsilon=2.0, gamma=.02, notion="demographic_parity")
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> [(r.mechanism, r.epsilon) for r in model.releases_], model.predict_proba(people.X[:3]).shape
    ([('randomized response', 2.0)], (3, 2))
    """

    _small_group_advice: ClassVar[str] = "choose a larger epsilon"

    def __init__(self, base: Any, epsilon: float, gamma: float, *, n_groups: int = 2, notion: Notion | Parity = "equalized_odds",
                 correction: Correction = "rates", rounds: int = 20) -> None:
        self.base = base
        self.epsilon = epsilon
        self.gamma = gamma
        self.n_groups = n_groups
        self.notion = notion
        self.correction = correction
        self.rounds = rounds

    def _checked_params(self) -> PrivateReductionParams:
        epsilon = check.number("epsilon", self.epsilon, low=1e-6, high=700.0)
        parity = read_parity(self.notion, against=None if isinstance(self.notion, Parity) else "population", forms=("population",),
                             because="Of three groups or more, gaps among reports tell nothing of gaps between two groups.")
        return PrivateReductionParams(self._read(parity), epsilon, check.choice("correction", self.correction, CORRECTIONS))

    def _learn(self, params: PrivateReductionParams, X: Any, y: np.ndarray, sensitive_features: Any, rng: np.random.Generator) -> None:
        reduction, epsilon, correction = params
        X, m = people_of(X)
        A = check.groups_below("sensitive_features", sensitive_features, reduction.k, length=m)
        tried(reduction.base, X, y)       # a base that fails later has spent epsilon
        Z, record = release("randomized response", A, rng, unit=UNIT_A, epsilon=epsilon, n_groups=reduction.k)
        self.releases_ = (record,)
        self.reports_ = reduction.parity.sizes(np.bincount(2 * Z + y, minlength=2 * reduction.k).reshape(reduction.k, 2).astype(float))
        self.factors_ = np.ones_like(self.reports_) if correction == "none" else tolerated(self.reports_, epsilon)
        self._play(reduction, X, y, Z, rng, self.factors_.ravel())

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity]:
        """How many are in each cell by the reports, and the noise in the number of those who are accepted where half are."""
        n = debias_counts(self.reports_, self.epsilon, axis=0)
        p, q = law(len(n), self.epsilon)
        people = self.reports_.sum(axis=0) * q * (1 - q) + np.maximum(n, 0.0) * (p * (1 - p) - q * (1 - q))
        return n, np.sqrt(people) / 2 / (p - q), float(self.epsilon), self.parity_


def tolerated(reports: np.ndarray, epsilon: float) -> np.ndarray:
    """By what the tolerance of each group and rate (k, R) shrinks on reports: one deviation of their noise at least."""
    factors = response_shrinkage(reports.T, epsilon, of="reports").T
    return np.where(reports > 0, np.maximum(factors, 1 / np.sqrt(np.maximum(reports, 1.0))), 0.0)
