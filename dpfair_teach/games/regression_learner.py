"""The private loop with the regression oracle as a scikit-learn estimator: features in, a fair classifier out, the group stays private."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .._constants import warn_of_a_better_constant
from ..fairness import Parity
from ..oracles import RegressionOracle
from .estimator import Loop, LoopClassifier, as_many_labels
from .notions import OddsNotion
from .regression import label_rates
from .regression_private import regression_dp_oracle_learner

__all__ = ["DPRegressionLearner"]

_AT_ONCE = 2**24        # scores that are held together


class DPRegressionLearner(LoopClassifier):
    """Learn a fair classifier from features, with (epsilon, delta)-differential privacy for everybody's group.

    Source: main text, Section 5, repaired: :func:`regression_dp_oracle_learner`, Algorithm 5 with the regression oracle. Privacy unit: one
    person's A changes; X, y, m and the set of groups {0, ..., k-1} are public. Each round is a linear rule on (1, x); a decision draws a
    round and follows its rule, so it reads X alone. The oracle is a heuristic, and no theorem says how fair what comes out is, nor how
    accurate. It can be worse than a constant: with the defaults on the 1,994 communities at epsilon 1 its accuracy is 0.55, and of who
    rejects everybody 0.71. ``fit`` warns of that, a :class:`~dpfair_teach.WorseThanConstantWarning`. Then take
    :class:`~dpfair_teach.oneshot.FrontierLearner`, or a smaller ``B`` and a larger ``ridge``.

    A learner of its own beside :class:`DPOracleLearner`, which mixes classifiers that you bring: hardly an option of the one means
    something to the other. Without privacy take fairlearn's ``ExponentiatedGradient``.

    Each ``fit`` is a new release and costs its epsilon and delta again. It serves one gamma, which the play aims at from its first round.

    Parameters
    ----------
    epsilon : float in [0.000001, 1000]
        Of the whole fit. Noise in doubles keeps less than that: at a delta of 1e-6 an epsilon of more than about 350 is refused.
    gamma : float in [0, 1e9]
        The gap allowed between the groups' rates.
    delta : float in [1e-100, 0.5]
        Of the whole fit; well below 1 / m, and from there on ``fit`` warns.
    n_groups : int in 2..1000
        k, public. It is not read off A.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive`` or ``true_positive``, against group 0.
    B : float in (0, 1e9], optional
        The most that all constraints together may be priced at. More is fairer, and noisier. None: 1 / gamma, 20 at most. On drawn
        populations of 2,000 people with a hundred features 5 was better at epsilon 5 and 10 (the study ``left_repaired_tuning``).
    rounds : int in 1..10^6
        T. In one round nothing private is read: the answer is least squares on y, however unfair, and no ``ridge`` may be given.
    ridge : float in [0, 1e12]
        Added to X'X when costs are regressed: a shrinkage, in the units of X, so standardize X. In the same study 100 was better than 0 at
        epsilon 2 to 20, and 30 above.
    progress : bool
        A bar on the standard error stream.

    Attributes
    ----------
    rules_ : (T, d + 1) array
        What is published: coefficients of each round's classifier, which accepts where (1, x) . rule > 0.
    errors_ : (T,) array
        How often each round's classifier errs on the people of ``fit``. X, y and the rules are public, so these are.
    multipliers_ : (T, K) array
        The auditor's prices in each round.
    history_ : pandas.DataFrame
        One row for each round: ``error``, a ``multiplier`` for each constraint, such as ``multiplier FP 1-0 +``, of the rate of group 1
        minus that of group 0, and each noisy ``gap``; missing in the last round.
    sizes_ : (k, 2) array [a, y], or None
        The released sizes of the cells, whole people; NaN where no constraint asks. None where T = 1, which needs no sizes.
    B_, eta_ : floats
        The bound of the multipliers, and the auditor's step.
    parity_ : fairness.Parity
    releases_ : tuple of accounting.Release, of the last ``fit`` only
        ``accounting.compose(releases_, delta, "best")`` is at most epsilon. They are the laws of the noise. What doubles give away beside
        them was taken from epsilon and delta, and is in no record: of several fits add up the epsilons and deltas they were asked for, or
        leave their records some to spare.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has columns with names
    classes_ : array([0, 1])

    Raises
    ------
    ValueError
        By every method, for any parameter or array out of range; never because of who is in which group, nor because of what the noise was.

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

    def _checked_params(self) -> Any:
        delta = check.number("delta", self.delta, low=1e-100, high=0.5)
        check.number("ridge", self.ridge, low=0.0, high=1e12)
        return self._loop(delta, label_rates(self.notion, None), most_epsilon=1e3, most_rounds=10**6)

    def _learn(self, s: Loop, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        """Play: :func:`regression_dp_oracle_learner`."""
        X = self._people(X)
        as_many_labels(y, len(X))
        A = check.groups_below("sensitive_features", sensitive_features, s.k, length=len(X))
        published = regression_dp_oracle_learner(
            RegressionOracle(X, y), A, s.gamma, s.epsilon, s.delta, rng, n_groups=s.k, B=s.B, rounds=s.rounds, ridge=self.ridge,
            notion=s.parity, progress=self.progress)
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
