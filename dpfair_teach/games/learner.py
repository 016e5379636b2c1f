"""DP-oracle-learner as a scikit-learn estimator: public classifiers in, a fair mixture of them out, the group stays private."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .._base_estimator import base_prediction, rows_of
from .._classifier import compared
from .._small_groups import warn_of_a_small_bound
from ..fairness import Parity
from ..fairness.parity import OF_GROUPS, Notion, OfGroups, read_parity
from .auditor import MOST_ROUNDS
from .budget import checked_delta
from .estimator import Loop, LoopClassifier, as_many_labels, deviation_of
from .game import FairnessGame
from .players import bound_is_below
from .private import dp_oracle_learner
from .setting import REPAIRS, Repair

__all__ = ["DPOracleLearner"]


class Read(NamedTuple):
    """The parameters of a fit, each checked."""

    loop: Loop
    classifiers: list[Any]
    repair: Repair


class DPOracleLearner(LoopClassifier):
    """Mix public classifiers until groups are treated alike, with (epsilon, delta)-differential privacy for everybody's group.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3), repaired: :func:`dp_oracle_learner`, on the finite class of
    your classifiers. Privacy unit: one person's A changes; X, y, m, the classifiers and the set of groups {0, ..., k-1} are public. A
    decision draws one of the classifiers and follows it, so it reads X alone. Where a constant is missing among the classifiers it is
    added, "reject everybody" and "accept everybody": with both a fair mixture always exists.

    A learner of its own beside :class:`DPRegressionLearner`, which needs no classifiers: hardly an option of the one means something to
    the other. Without privacy take fairlearn's ``ExponentiatedGradient``. Features that are private too have no estimator: call
    :func:`dp_oracle_learner` with ``protect="X and A"``.

    Each ``fit`` is a new release and costs its epsilon and delta again. It serves one gamma, which the play aims at from its first round.

    Parameters
    ----------
    classifiers : list of fitted classifiers with ``predict``, or of functions X -> 0/1
        Public: none may have been trained on A. They are never refitted. (``sklearn.base.clone``, which cross-validation calls, forgets
        what a classifier has learned: give its ``predict`` method, or wrap it in ``sklearn.frozen.FrozenEstimator``.)
    epsilon : float in [1e-6, 1e6]
        Of the whole fit. How much noise in doubles can keep goes by delta, ``rounds``, m and the number of classifiers: with ten rounds
        and a delta of 1e-6, for some thousand people, an epsilon of more than 100 to 150 is refused.
    gamma : float in [0, 1e9]
        The gap allowed between the groups' rates. What comes out is above it by what the noise and few rounds leave, see
        :func:`theorem_3_5`.
    delta : float in [1e-300, 1)
        Of the whole fit; well below 1 / m, and from there on ``fit`` warns.
    n_groups : int in 2..1000
        k, public. It is not read off A.
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``.
    against : str, optional
        ``pairs``: gaps between any two groups. ``anchor``: gaps to group 0, and two others may be 2 gamma apart. None: ``pairs``, or what
        a Parity says.
    B : float in (0, 1e9], optional
        The most that all constraints together may be priced at. More is fairer, and noisier. None: 1 / gamma, 20 at most.
    rounds : int in 1..10^15
        T. In one round nothing private is read: the answer is the most accurate classifier, however unfair, and neither ``repair`` nor
        ``smallest_cell`` may be given.
    repair : str
        "frozen": the sizes of the cells are released once, and counts over them are measured. "bound": a lower bound on the smallest
        cell is released. "promise": you promise one.
    smallest_cell : float in [1, 1e15], optional
        For "promise" alone: no cell of any data set that could occur holds fewer people.
    progress : bool
        A bar on the standard error stream.

    Attributes
    ----------
    weights_ : (H + c,) array
        The mixture that is published: of the classifiers, then of the c constants that were added.
    constants_ : tuple of 0 and 1
        What the constants that were added say.
    chosen_ : (T,) array of ints
        The learner's classifier in each round; ``weights_`` counts them.
    multipliers_ : (T, K) array
        The auditor's prices in each round.
    history_ : pandas.DataFrame
        One row for each round: ``chosen``, and for each constraint a ``multiplier`` and the ``gradient`` that the auditor saw, such as
        ``gradient FP 1-0 +``, of the rate of group 1 minus that of group 0; missing in the last round.
    sizes_ : (k, 2) array [a, y], or None
        The released sizes of the cells, (k, 1) of rates of all people; None for another repair, or one round.
    smallest_cell_ : float, or None
        The bound on the smallest cell that ``bound`` released, or that you promised; else None.
    B_, eta_ : floats
        The bound of the multipliers, and the auditor's step.
    parity_ : fairness.Parity
    releases_ : tuple of accounting.Release, of the last ``fit`` only
        ``accounting.compose(releases_, delta, "best")`` is at most epsilon. They are the laws of the noise. What doubles give away beside
        them was taken from delta, and is in no record: of several fits add up the epsilons and deltas they were asked for, or leave their
        records some delta to spare.
    n_features_in_ : int, where X has columns
    feature_names_in_ : array of str, where X has columns with names
    classes_ : array([0, 1])

    Raises
    ------
    ValueError
        By every method, for any parameter or array out of range, and for whatever a classifier raises (only the classifiers read X: a
        DataFrame or a list of texts is as good as they find it); by ``fit`` for a ``repair`` or a ``smallest_cell`` that is not read, or a
        promise that these data break. Otherwise never because of who is in which group, nor because of what the noise was.

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
                 rounds: int = 10, repair: Repair = "frozen", smallest_cell: float | None = None, progress: bool = False) -> None:
        self.classifiers = classifiers
        self.epsilon = epsilon
        self.gamma = gamma
        self.delta = delta
        self.n_groups = n_groups
        self.notion = notion
        self.against = against
        self.B = B
        self.rounds = rounds
        self.repair = repair
        self.smallest_cell = smallest_cell
        self.progress = progress

    def _checked_params(self) -> Any:
        against = compared(self.notion, self.against, check.group_count(self.n_groups))
        parity = read_parity(self.notion, against=against, forms=OF_GROUPS,
                             because="How much of all people a group is, is private.")
        loop = self._loop(checked_delta(self.delta), parity, most_epsilon=1e6, most_rounds=MOST_ROUNDS)
        return Read(loop, _listed(self.classifiers), check.choice("repair", self.repair, REPAIRS))

    def _learn(self, how: Read, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        """Ask every classifier, add the constants that are missing, and play: :func:`dp_oracle_learner`."""
        s, (X, m) = how.loop, _rows(X)
        as_many_labels(y, m)
        A = check.groups_below("sensitive_features", sensitive_features, s.k, length=m)
        said = np.array([_decisions(how.classifiers, h, X, m) for h in range(len(how.classifiers))])
        constants = tuple(value for value in (0, 1) if not (said == value).all(axis=1).any())
        said = np.concatenate([said, *(np.full((1, m), value == 1) for value in constants)])
        game = FairnessGame(said, A, y, s.gamma, notion=s.parity, n_groups=s.k, empty="zero")
        published = dp_oracle_learner(game, s.epsilon, s.delta, s.B, rng, repair=how.repair, smallest_cell=self.smallest_cell,
                                      rounds=s.rounds, progress=self.progress)
        self._publish(published)
        self.constants_, self.chosen_, self.weights_ = constants, published.chosen, published.Q
        self.smallest_cell_ = None if published.smallest_cell is None else float(published.smallest_cell)

    def _warn(self, y: np.ndarray) -> None:
        """By the bound, where no size was released: the published mixture is off by the mean of what was drawn in the rounds."""
        if self.smallest_cell_ is None:
            return
        first, *_, auditor = self.releases_
        promised = self.repair == "promise"
        warn_of_a_small_bound(self.smallest_cell_, deviation_of(auditor) / math.sqrt(auditor.times), float(self.epsilon),
                              below=0.0 if promised else float(bound_is_below(math.sqrt(2) / deviation_of(first), first.delta)),
                              known="as promised" if promised else "by the release",
                              otherwise=("promise more where that holds, or " if promised else "") + self._small_group_advice)

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """How many of the rounds' classifiers say 1, over T. The group is no input: given, it is only checked."""
        X, n = _rows(X, getattr(self, "n_features_in_", None))
        self._validated_groups(sensitive_features, n)
        classifiers, H, said = _listed(self.classifiers), len(self.weights_) - len(self.constants_), np.zeros(n)
        for h, times in zip(*np.unique(self.chosen_, return_counts=True), strict=True):
            said += times * (_decisions(classifiers, h, X, n) if h < H else self.constants_[h - H])
        return said / len(self.chosen_)


def _rows(X: Any, columns: int | None = None) -> tuple[Any, int]:
    """``X`` as a table of whatever the classifiers read, and its number of rows."""
    X, rows = rows_of(X, columns=columns)
    if not rows:
        check.refuse("X", X.shape, "is empty", "Give at least one person.")
    return X, rows


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
