"""DP-oracle-learner as scikit-learn estimators: over classifiers that you bring, or over linear rules. The group stays private."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .._base_estimator import base_prediction, people_of
from .._classifier import RandomizedClassifier, compared
from .._fit_warnings import warn_of_a_better_constant
from ..accounting import Release
from ..fairness import Parity
from ..fairness.parity import OF_GROUPS, Notion, OfGroups, read_parity
from ..oracles import RegressionOracle
from .algorithms import dp_oracle_learner
from .auditor import MOST_ROUNDS, bound_on_multipliers
from .budget import checked_delta
from .game import FairnessGame
from .play import PrivatePlay
from .players import by_rate
from .regression import default_price, label_rates
from .regression_private import PrivateRegressionPlay, regression_dp_oracle_learner
from .table import OddsNotion, table_of_people

__all__ = ["DPOracleLearner", "DPRegressionLearner"]

_AT_ONCE = 2**24        # scores that are held together
#: Options that are gone.
GONE = {"repair": "Sizes of cells are noisy; call games.dp_oracle_learner for other cell_sizes.",
        "cell_sizes": "Sizes of cells are noisy; call games.dp_oracle_learner for others.",
        "smallest_cell": "Call games.dp_oracle_learner, which takes a promise.",
        "checkpoint": "Fit in one go: a fit that resumes could draw its noise twice."}


class OracleLearnerParams(NamedTuple):
    """The parameters of a fit, each checked before any noise is drawn: afterwards no message may depend on it."""

    epsilon: float
    gamma: float
    delta: float
    n_groups: int
    parity: Parity
    B: float
    rounds: int


class _PlayingLearner(RandomizedClassifier):
    """A learner that plays private rounds: one gamma, and a guarantee of (epsilon, delta)."""

    _tunable_after_fit: ClassVar[tuple[str, ...]] = ("progress",)        # of a fit, and not of what it learned

    epsilon: float
    gamma: float
    n_groups: int
    B: float | None
    rounds: int
    progress: bool

    def _read(self, delta: float, parity: Parity, *, most_epsilon: float, most_rounds: int) -> OracleLearnerParams:
        epsilon = check.number("epsilon", self.epsilon, low=1e-6, high=most_epsilon)
        gamma, k = check.number("gamma", self.gamma, low=0.0, high=1e9), check.group_count(self.n_groups)
        parity.comparisons(k)
        B = default_price(np.asarray(gamma)) if self.B is None else bound_on_multipliers(check.number("B", self.B))
        rounds = check.integer("rounds", self.rounds, low=1, high=most_rounds)
        check.flag("progress", self.progress)
        return OracleLearnerParams(epsilon, gamma, delta, k, parity, float(B), rounds)

    def _publish(self, published: PrivatePlay | PrivateRegressionPlay) -> None:
        """Keep what was published: numbers, and neither people nor a game of them."""
        self.releases_, self.B_, self.eta_ = published.releases_, float(published.B), float(published.eta)
        self.multipliers_, self.sizes_, self.parity_ = published.multipliers, published.denominators, published.parity
        self.history_ = published.history

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity] | None:
        """The released sizes; and how far noise moves the rates of the published mixture from what the auditor saw, which is what the play
        holds below gamma: its noise averages over the rounds, and a released size moves all of them alike."""
        if self.sizes_ is None:
            return None
        sizes, *_, auditor = self.releases_
        deviation = math.hypot(_deviation_of(auditor) / math.sqrt(auditor.times), _deviation_of(sizes) / 2)
        people = by_rate(self.parity_, self.sizes_)
        return people, np.full(people.shape[1], deviation), float(self.epsilon), self.parity_


@check.formerly(**GONE)
class DPOracleLearner(_PlayingLearner):
    """Mix public classifiers until groups are treated alike, with (epsilon, delta)-differential privacy for everybody's group.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3), repaired: :func:`dp_oracle_learner`, on the finite class of
    your classifiers. Privacy unit: one person's A changes; X, y, m, the classifiers and the set of groups {0, ..., k-1} are public. A
    decision draws one of the classifiers and follows it, so it reads X alone. Where a constant is missing among the classifiers it is
    added, "reject everybody" and "accept everybody": with both a fair mixture always exists.

    Each ``fit`` is a new release and costs its epsilon and delta again; it serves one gamma. Features that are private too have no
    estimator: call :func:`dp_oracle_learner` with ``protect="X and A"``.

    Parameters
    ----------
    classifiers : list of fitted classifiers with ``predict``, or of functions X -> 0/1
        Public: none may have been trained on A. They are never refitted. In cross-validation give their ``predict`` methods, or wrap them
        in ``sklearn.frozen.FrozenEstimator``.
    epsilon : float in [1e-6, 1e6]
        Of the whole fit. Noise in doubles keeps less: with ten rounds and a delta of 1e-6, for some thousand people, an epsilon of more
        than 100 to 150 is refused.
    gamma : float in [0, 1e9]
        The gap allowed between the groups' rates. What comes out is above it by what the noise and few rounds leave.
    delta : float in [1e-300, 1)
        Of the whole fit; well below 1 / m, and from there on ``fit`` warns.
    n_groups : int in 2..1000
        k, public. It is not read off A.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``.
    against : str, optional
        ``pairs``, the default, or ``anchor``: gaps to group 0, and two others may be 2 gamma apart.
    B : float in (0, 1e9], optional
        The most that all constraints together may be priced at. More is fairer, and noisier. None: 1 / gamma, 20 at most.
    rounds : int in 1..10^15
        T. In one round nothing private is read: the answer is the most accurate classifier, however unfair.
    progress : bool
        A bar on the standard error stream.

    Attributes
    ----------
    weights_ : (H + c,) array
        The mixture that is published: of the classifiers, then of the c constants that were added.
    constants_ : tuple of 0 and 1
        What the constants that were added say.
    chosen_, multipliers_ : (T,) and (T, K) arrays
        The learner's classifier and the auditor's prices in each round.
    history_ : pandas.DataFrame
        One row for each round, as :class:`~dpfair_teach.games.play.PrivatePlay`'s.
    sizes_ : (k, 2) array [a, y], or None
        The released sizes of the cells, (k, 1) of rates of all people; None of one round.
    B_, eta_, parity_
        The bound of the multipliers, the auditor's step, the notion.
    releases_ : tuple of accounting.Release, of the last ``fit`` only
        ``accounting.compose(releases_, delta, "best")`` is at most epsilon. Of several fits add up the epsilons and deltas that they were
        asked for: what doubles give away was taken from delta, and is in no record.
    n_features_in_, feature_names_in_, classes_
        As in scikit-learn, where X has columns, and columns with names.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> rules = [lambda X, t=t: (X[:, 0] > t).astype(int) for t in np.linspace(-1, 1, 9)]
    >>> model = DPOracleLearner(rules, epsilon=2.0, gamma=.05, delta=1e-6)
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> [(r.mechanism, r.times) for r in model.releases_]
    [('laplace', 1), ('exponential', 9), ('laplace', 9)]
    >>> model.weights_.shape, model.constants_, model.predict_proba(people.X[:3]).shape
    ((11,), (0, 1), (3, 2))
    """

    def __init__(self, classifiers: Sequence[Any | Callable[[Any], ArrayLike]], epsilon: float, gamma: float, delta: float, *,
                 n_groups: int = 2, notion: Notion | Parity = "equalized_odds", against: OfGroups | None = None, B: float | None = None,
                 rounds: int = 10, progress: bool = False) -> None:
        self.classifiers = classifiers
        self.epsilon = epsilon
        self.gamma = gamma
        self.delta = delta
        self.n_groups = n_groups
        self.notion = notion
        self.against = against
        self.B = B
        self.rounds = rounds
        self.progress = progress

    def _checked_params(self) -> OracleLearnerParams:
        against = compared(self.notion, self.against, check.group_count(self.n_groups))
        parity = read_parity(self.notion, against=against, forms=OF_GROUPS, because="How much of all people a group is, is private.")
        _listed(self.classifiers)
        return self._read(checked_delta(self.delta), parity, most_epsilon=1e6, most_rounds=MOST_ROUNDS)

    def _learn(self, params: OracleLearnerParams, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        """Ask every classifier, add the constants that are missing, and play: :func:`dp_oracle_learner`."""
        X, m = people_of(X)
        A = check.groups_below("sensitive_features", sensitive_features, params.n_groups, length=m)
        classifiers = _listed(self.classifiers)
        said = np.array([_decisions(classifiers, h, X, m) for h in range(len(classifiers))])
        constants = tuple(value for value in (0, 1) if not (said == value).all(axis=1).any())
        said = np.concatenate([said, *(np.full((1, m), value == 1) for value in constants)])
        table = table_of_people(said, A, y, params.parity, params.n_groups, "zero")      # from here on there are counts
        published = dp_oracle_learner(FairnessGame._made_of(table, params.gamma), params.epsilon, params.delta, params.B, rng,
                                      rounds=params.rounds, progress=self.progress)
        self._publish(published)
        self.constants_, self.chosen_, self.weights_ = constants, published.chosen, published.Q

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """How many of the rounds' classifiers say 1, over T. The group is no input: given, it is only checked."""
        X, n = people_of(X, getattr(self, "n_features_in_", None))
        self._validated_groups(sensitive_features, n)
        classifiers, H, said = _listed(self.classifiers), len(self.weights_) - len(self.constants_), np.zeros(n)
        for h, times in zip(*np.unique(self.chosen_, return_counts=True), strict=True):
            said += times * (_decisions(classifiers, h, X, n) if h < H else self.constants_[h - H])
        return said / len(self.chosen_)


@check.formerly(**GONE)
class DPRegressionLearner(_PlayingLearner):
    """Learn a fair classifier from features, with (epsilon, delta)-differential privacy for everybody's group.

    Source: main text, Section 5, repaired: :func:`regression_dp_oracle_learner`, Algorithm 5 with the regression oracle. Privacy unit: one
    person's A changes; X, y, m and the set of groups {0, ..., k-1} are public. Each round is a linear rule on (1, x); a decision draws a
    round and follows its rule, so it reads X alone. The oracle is a heuristic, and no theorem says how fair what comes out is, nor how
    accurate. It can be worse than a constant: with the defaults on the 1,994 communities at epsilon 1 its accuracy is 0.55, and of who
    rejects everybody 0.71. ``fit`` warns of that, a :class:`~dpfair_teach.WorseThanConstantWarning`. Then take
    :class:`~dpfair_teach.oneshot.FrontierLearner`, or a smaller ``B`` and a larger ``ridge``.

    Parameters
    ----------
    epsilon : float in [0.000001, 1000]
        Of the whole fit. Noise in doubles keeps less than that: at a delta of 1e-6 an epsilon of more than about 350 is refused.
    gamma : float in [0, 1e9]
        The gap allowed between the groups' rates.
    delta : float in [1e-100, 0.5]
        As of :class:`DPOracleLearner`.
    n_groups : int in 2..1000
        k, public. It is not read off A.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive`` or ``true_positive``, against group 0: two other groups may be 2 gamma apart. So of more than
        two groups a word is refused: say ``fairness.Parity("equalized_odds", "anchor")``.
    B : float in (0, 1e9], optional
        The most that all constraints together may be priced at. More is fairer, and noisier. None: 1 / gamma, 20 at most.
    rounds : int in 1..10^6
        T. In one round nothing private is read: the answer is least squares on y, however unfair, and no ``ridge`` may be given.
    ridge : float in [0, 1e12]
        Added to X'X when costs are regressed: a shrinkage, in the units of X, so standardize X.
    progress : bool
        A bar on the standard error stream.

    Attributes
    ----------
    rules_ : (T, d + 1) array
        What is published: coefficients of each round's classifier, which accepts where (1, x) . rule > 0.
    errors_ : (T,) array
        How often each round's classifier errs on the people of ``fit``. X, y and the rules are public, so these are.
    multipliers_, sizes_, B_, eta_, parity_, classes_, n_features_in_, feature_names_in_ : as in :class:`DPOracleLearner`
    history_ : pandas.DataFrame
        One row for each round: ``error``, a ``multiplier`` for each constraint, and each noisy ``gap``; missing in the last round.
    releases_ : tuple of accounting.Release, of the last ``fit`` only
        As there; what doubles give away was taken from epsilon and delta.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> model = DPRegressionLearner(epsilon=2.0, gamma=.05, delta=1e-6, rounds=5)
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> [(r.mechanism, r.times) for r in model.releases_]
    [('laplace', 1), ('gaussian', 4), ('gaussian', 4)]
    >>> model.rules_.shape == (5, model.n_features_in_ + 1), model.predict_proba(people.X[:3]).shape
    (True, (3, 2))
    """

    def __init__(self, epsilon: float, gamma: float, delta: float, *, n_groups: int = 2, notion: OddsNotion | Parity = "equalized_odds",
                 B: float | None = None, rounds: int = 10, ridge: float = 0.0, progress: bool = False) -> None:
        self.epsilon = epsilon
        self.gamma = gamma
        self.delta = delta
        self.n_groups = n_groups
        self.notion = notion
        self.B = B
        self.rounds = rounds
        self.ridge = ridge
        self.progress = progress

    def _checked_params(self) -> OracleLearnerParams:
        delta = check.number("delta", self.delta, low=1e-100, high=0.5)
        check.number("ridge", self.ridge, low=0.0, high=1e12)
        if compared(self.notion, None, check.group_count(self.n_groups)):
            check.refuse("notion", self.notion, "means any two groups, and this learner compares each with group 0 alone",
                         'Say notion=fairness.Parity("equalized_odds", "anchor"): two other groups may then be 2 gamma apart.')
        return self._read(delta, label_rates(self.notion), most_epsilon=1e3, most_rounds=10**6)

    def _learn(self, params: OracleLearnerParams, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        """Play: :func:`regression_dp_oracle_learner`."""
        X = self._people(X)
        A = check.groups_below("sensitive_features", sensitive_features, params.n_groups, length=len(X))
        published = regression_dp_oracle_learner(
            RegressionOracle(X, y), A, params.gamma, params.epsilon, params.delta, rng, n_groups=params.n_groups, B=params.B,
            rounds=params.rounds, ridge=self.ridge, notion=params.parity, progress=self.progress)
        self._publish(published)
        self.rules_, self.errors_ = published.rules, published.errors

    def _warn(self, y: np.ndarray) -> None:
        warn_of_a_better_constant(self.errors_, y, instead="Take oneshot.FrontierLearner, which asks once, or choose a smaller B or a "
                                  "larger ridge; each fit is a new release.")

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """How many of the rounds' rules accept, over T. The group is no input: given, it is only checked."""
        X = self._people(X, self.n_features_in_)
        self._validated_groups(sensitive_features, len(X))
        block = max(1, _AT_ONCE // len(self.rules_))
        return np.concatenate([self._accepted(X[i:i + block]).mean(axis=0) for i in range(0, len(X), block)])

    def _accepted(self, X: np.ndarray) -> np.ndarray:
        """Whom each round's rule accepts, (T, n)."""
        return self.rules_ @ np.column_stack([np.ones(len(X)), X]).T > 0

    @staticmethod
    def _people(X: Any, columns: int | None = None) -> np.ndarray:
        return check.filled("X", check.rows("X", X, columns=columns, low=-1e50, high=1e50), "person")


def _deviation_of(release: Release) -> float:
    """The standard deviation of a release's noise, in what it measures: people, or rates."""
    assert release.scale is not None        # of noise, and none other is asked about
    return release.scale * (math.sqrt(2) if release.mechanism == "laplace" else 1.0)


def _listed(value: Any) -> list[Any]:
    """One classifier or more, and no classifier that is itself a list of its steps."""
    what, remedy = "a list of classifiers", "Give a list of fitted classifiers, or of functions X -> 0/1."
    if callable(getattr(value, "predict", None)):
        check.refuse("classifiers", value, f"is one classifier, and not {what}", remedy)
    return check.filled("classifiers", check.entries("classifiers", value, what, remedy), "classifier")


def _decisions(classifiers: list[Any], h: int, X: Any, m: int) -> np.ndarray:
    """What one of the classifiers says of everybody, True for 1."""
    return base_prediction(classifiers[h], X, m, name=f"classifiers[{h}]",
                           remedy="Give classifiers that answer 0 or 1: turn scores into decisions first, for instance score >= 0.5.") == 1
