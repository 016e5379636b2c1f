"""The learner: ask once, then every gamma is post-processing."""
from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .. import _checks as check
from .._classifier import FrontierClassifier, compared, refuse_other_columns
from .._curve import GAMMAS, Drawn, violation_of
from .._fit_warnings import warn_of_few
from ..fairness import Parity
from ..fairness.parity import Notion, OfGroups
from ._blocks import blocks, one_thread
from .algorithm import ask_well
from .answer import Answer, number_of
from .candidates import grid_of
from .posterior_frontier import MORE_APART, doubt_of, expected_violations, published_of
from .public_data import PublicData
from .questions import cells_for, parts_of
from .settings import SETTINGS, TARGETS, Target
from .thresholds import read_cost, served

__all__ = ["FrontierLearner", "NothingToAskWarning"]


#: So few rows are decided before threads are set.
FEW = 256


class NothingToAskWarning(UserWarning):
    """Epsilon is so small that noise hides every cell of people who are alike: what is published is what the public data alone say.

    Source: ours. The number of cells follows from how many people there are and from epsilon, :func:`public_cells`; so the warning is
    public.
    """


class FrontierParams(NamedTuple):
    """The parameters of a fit, each checked."""

    epsilon: float
    k: int
    parity: Parity
    target: Target
    share: float | None
    gammas: tuple[float, ...]
    cost: tuple[float, float]


@check.formerly(
    method="There is one way to ask, what was 'designed': leave it out.",
    oracle="Candidates are fair Bayes thresholds, what was 'bayes': leave it out.",
    n_cells="How many cells are counted follows from the number of people and epsilon: leave it out.",
    norm="No sums are asked for any more, but counts: leave it out.",
    columns="No sums are asked for any more, but counts: leave it out.",
    smoothing="The prior covariance is fixed: leave it out.")
class FrontierLearner(FrontierClassifier):
    """Ask once, in private, who is in which group, then have a fair randomized classifier for every gamma.

    Source: ours, chapter 14; it answers what main text, Section 5 leaves open. Privacy unit: one person's A changes; X, y, m and the set of
    groups {0, ..., k-1} are public. Pure epsilon, for every A, with exact noise: :func:`ask_well` asks the people of each label two
    questions, the second made for the mixtures that the first speaks for; the epsilons of both add up, and cost those of the other label
    nothing. What is not known of a gap counts as gap. The classifiers are functions of x alone. Columns are put on one scale inside, and
    cut at four deviations: units do not matter, and one wild row little. How long a fit takes is not covered.

    Time and memory grow with m and with the number of groups; 5 million people are a minute or two. X may be a table on disk, a numpy
    memmap, which is read a block at a time and never copied; at most 28 numbers a person are kept, and a few more for each group. Of more
    than 16,384 people a sample that is drawn by a fixed seed finds the centres of the cells, and of a label of more than 4,096 people
    (8,192 / k of more groups, at least 1,024) a sample stands for all in the posterior; what is published counts everybody.

    Parameters
    ----------
    epsilon : float in [1e-6, 1e6]
        Of the whole fit, all gammas together.
    gamma : float >= 0
        The gap allowed between the groups' rates, as they are known from the answers: 0.05 are five points of a hundred, and 1 or more
        allows everything. It may be set anew after a fit. Above 0 two neighbours on the path of prices are mixed, such that gamma is what
        they are expected to violate by at most; one is a constant where that is what keeps gamma, or nothing does: :meth:`curve` tells how
        many are accepted and what is ``claimed``. 0 is the fairest mixture of the path itself that errs less than the better constant (by
        half a point, or half of what any spares), and that constant where none does. Where it is expected to violate by more than .05,
        0 gets what .05 gets (or as much as still spares so much; not by accuracy parity, where only a fair coin has no gap).
    gammas : sequence of floats >= 0
        The tolerances of ``frontier_``. What is asked is the same for all, and for every other gamma: its mixture is made from the same
        answers when it is needed.
    n_groups : int in 2..21; in 2..66 for a notion of one rate
        k, public. It is not read off A. How many there may be is a matter of :func:`multiplier_grid`; there are fewer candidates where
        groups are many, and 42 between pairs of one rate are the most. Pairs of 20 among 10,000 people take half a minute.
    notion : str or fairness.Parity
        ``equalized_odds``; ``false_positive`` or ``true_positive``, where only people of that label are asked, and nothing depends on the
        groups of the others; ``demographic_parity`` and ``accuracy_parity``, where everybody is asked together. By accuracy parity a rate
        counts about whom one is right, so constants have gaps.
    against : str, optional
        ``pairs``: gaps between any two groups. ``anchor``: gaps to group 0, or to the anchor of a Parity; two others may be 2 gamma apart.
        None: ``pairs``, or what a Parity says. With ``pairs`` of three or more groups every group is counted, also group 0, which changes
        two counts as before: the epsilon is the same, and a permutation of the groups permutes the answers to the first question. Draws of
        what could be true go by the groups' order.
    target : {"these", "new"}
        Whose gaps are to be small: those of the people of the fit, or of people to come, of whom what is known of these people's own groups
        tells less.
    share : float in [0.001, 1], optional
        Of epsilon for the first question, the rest is for the second; 1 for no second one. None: by people times epsilon, and 1 where these
        are few. Either part is at least 1e-9, with three or more groups 2e-9.
    base : classifier with ``predict_proba``, optional
        Its P(Y = 1 | x) in the place of a logistic regression's. Made of X and y, and never of A or of rng: else no epsilon holds. One that
        is fitted is copied and only asked; what it says of the people that it was fitted on should be what it says of others. One that is
        not is fitted here five times, each time to all people but a fifth, and published is the mean of the five. What it says, of these
        people that of the one which has not seen them, is one more coordinate of the map, as groups may go by what it sees in x. Rows of X
        are given to it as doubles: where columns are texts or need work, X is what the first steps of a pipeline make of them, and base its
        last step. (``sklearn.base.clone`` forgets what a fitted base has learned: wrap it in ``sklearn.frozen.FrozenEstimator`` first.)
    cost : pair of floats in [0, 1e6], not both 0
        Of a false positive and of a false negative: mixtures are chosen for the least loss by these; the errors that are told stay errors.

    Attributes
    ----------
    frontier_ : record with ``gammas``, ``weights``, ``multipliers``, ``error``, ``expected_error`` and ``expected_violation``, a
        mean over what could be true, as the model has it
    summary_ : str
        What was asked of whom, how far off a gap may be, and what gamma gave.
    releases_ : tuple of accounting.Release, of the last ``fit`` only
    answers_ : tuple of (question, answer), one for each release: cells (m,), -1 for who was not asked, and their noisy counts (k-1, J); and
        then pairs of whole weights of cells (K, J) and the cells, with noisy sums (k-1, K). Between pairs with three or more groups k in
        place of k-1: group 0 is counted too. Everything published follows from these and from X and y.
    accepted_ : record of how often each candidate of the frontier may accept each group, by the answers: 400 draws; what :meth:`curve`
        reads
    n_features_in_ : int
    feature_names_in_ : array of str, where X has columns with names
    classes_ : array([0, 1])

    Raises
    ------
    ValueError
        By every method, for any parameter or array out of range; never because of how the codes 0..k-1 are spread over people, nor because
        of what the noise was.

    Notes
    -----
    The intervals of :meth:`curve`: a published mixture is a function of x, and the error of ``frontier_`` is exact. The violations are
    those of 400 draws of the belief, whose mean is ``claimed``, with deviations 1.3 times as large. A model is no theorem, and intervals
    are calibrated: of these people's gaps, at all gammas at once, those of 0.95 held in all of 60 fits on people of the kind that the
    belief expects, and in 91 of 100 where x tells nothing about the groups. On others they hold less often; and too little is claimed where
    answers are few and groups go with x among one label and against it among the other: .14 is true for .05 of 600 people at epsilon 0.5,
    and .05 of 2,000. Of people to come too little is claimed where these are few, columns many, a group rare, or its share goes up and down
    along x, or by much less than the belief expects: .07 are true for .05 after 2,000 people whose groups and labels go by one of four
    columns (.08 after 500, .05 after 8,000, .09 by one of 100); there intervals held in 37 of 40 fits, at gamma 0 in 20.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> model = FrontierLearner(3.0, gamma=.1)
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> [(r.mechanism, round(r.epsilon, 2)) for r in model.releases_]
    [('geometric', 2.0), ('geometric', 1.91), ('geometric', 1.0), ('geometric', 1.09)]
    >>> print(model.summary_.split(";")[0])
    label 0: 25 cells for epsilon 2, then 8 directions for epsilon 1
    >>> model.predict_proba(people.X[:3]).shape, model.predict(people.X[:3], gamma=.05).shape
    ((3, 2), (3,))
    """

    def __init__(self, epsilon: float, gamma: float, *, gammas: ArrayLike = GAMMAS, n_groups: int = 2,
                 notion: Notion | Parity = "equalized_odds", against: OfGroups | None = None, target: Target = "these",
                 share: float | None = None, base: Any = None, cost: tuple[float, float] = (1.0, 1.0)) -> None:
        self.epsilon = epsilon
        self.gamma = gamma
        self.gammas = gammas
        self.n_groups = n_groups
        self.share = share
        self.notion = notion
        self.against = against
        self.base = base
        self.target = target
        self.cost = cost

    @property
    def _parity(self) -> Parity:
        return served(self.notion, compared(self.notion, self.against, check.group_count(self.n_groups)))

    def _checked_params(self) -> FrontierParams:
        """Read and checked before any noise is drawn: afterwards no message may depend on it."""
        epsilon = check.number("epsilon", self.epsilon, low=1e-6, high=1e6)
        check.gamma(self.gamma)
        gammas = check.filled("gammas", check.array("gammas", self.gammas, ndim=1, low=0.0, booleans=False), "tolerance")
        k, parity = check.group_count(self.n_groups), self._parity
        grid_of(k, parity, SETTINGS.draws)      # refuses too many groups
        share = None if self.share is None else check.number("share", self.share, low=1e-3, high=1.0)
        target = check.choice("target", self.target, TARGETS)
        parts_of(epsilon, 0.5 if share is None else share, k)       # refuses parts that are too small
        return FrontierParams(epsilon, k, parity, target, share, tuple(gammas.tolist()), read_cost(self.cost))

    def _learn(self, params: FrontierParams, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        """:func:`ask_well`, and what is published of it."""
        with one_thread():
            public = PublicData(X, y, parity=params.parity, base=self.base, cost=params.cost, target=params.target)
            A = check.groups_below("sensitive_features", sensitive_features, params.k, length=public.m)
            asked, posterior, candidates, path = ask_well(public, A, params.epsilon, rng, n_groups=params.k, share=params.share)
            self.releases_ = tuple(one.release for one in asked)
            self.answers_ = tuple((of_everybody(one.question, public, one.rate), one.answers) for one in asked)
            self._basis, self.frontier_, self.accepted_ = published_of(posterior, candidates, path, params.gammas)
        self.summary_ = self._summary(asked, params)

    def _summary(self, asked: list[Answer], params: FrontierParams) -> str:
        """What was asked of whom, and what is known then, in words."""
        said = []
        for r, cell in enumerate(params.parity.cells):
            own = [one for one in asked if one.rate == r]
            parts = [f"{number(one.answers.shape[1], 'direction' if isinstance(one.question, tuple) else 'cell')} for epsilon "
                     f"{number_of(one.release.epsilon):.3g}" for one in own]
            said.append(f"{'everybody' if cell.label is None else f'label {cell.label}'}: {', then '.join(parts)}")
        weights, gamma = self.frontier_.row(self.gamma), float(self.gamma)
        violation = float(expected_violations(self.accepted_, weights[None], params.parity)[0])
        kept = [f"expected to violate by {violation:.3g}"]
        saves = "errs less" if params.cost[0] == params.cost[1] else "costs less"
        if weights[-2:].max() > 1 - 1e-9:       # by accuracy parity a constant has a gap, too
            kept = ["a constant", *([f"as no mixture {saves}"] if gamma == 0 else []), *(kept if violation else [])]
        elif gamma == 0:
            share = f"{weights[-2:].sum():.0%}"
            said_of = "the fairest of the path" if share == "0%" else "a mixture"
            kept = [f"{said_of} that {saves} than a constant", *([f"{share} of it constants"] if share != "0%" else []), *kept]
        return (f"{'; '.join(said)}. Expected doubt of a gap: {doubt_of(self.accepted_, weights, params.parity):.2g}. "
                f"gamma = {gamma:g}: {', '.join(kept)}.")

    def _warn(self, y: np.ndarray) -> None:
        warn_of_few(y, self._parity)
        first = list(zip(self.answers_, self.releases_, strict=True))[:len(self._parity.cells)]

        def most(times: float) -> int:
            """Cells of the larger label, had the first question so many times its epsilon."""
            return max(cells_for(int((cells >= 0).sum()), times / number_of(release.scale), SETTINGS) for (cells, _), release in first)

        if most(1.0) > 1 or max(len(cells[cells >= 0]) for (cells, _), _ in first) == 1:
            return                              # of one person no epsilon makes two cells
        if self.share is not None and most(1 / self.share) > 1:
            said = (f"share = {self.share:g} leaves so little of epsilon = {self.epsilon:g} for the first question that noise hides "
                    "every cell of people, and the second is designed in the dark. Choose a larger share, or leave it out.")
        else:
            said = (f"epsilon = {self.epsilon:g} is so small that noise hides every cell of people: what is published follows from "
                    "X and y, and how fair it is nobody knows. Choose a larger epsilon, or give more people.")
        warnings.warn(said, NothingToAskWarning, stacklevel=3)

    def decisions(self, X: ArrayLike) -> np.ndarray:
        """What every candidate decides, (H, n), 0 or 1: the rows that ``frontier_.weights`` mixes. X has no column of groups."""
        check_is_fitted(self, "frontier_")
        self._refuse_a_stale_fit()
        refuse_other_columns(self, X)
        return (self._basis(self._people(X)) @ self.frontier_.multipliers.T > 0).T.astype(np.int64)

    def _draws(self, gammas: np.ndarray, rng: np.random.Generator) -> Drawn:
        weights = np.stack([self.frontier_.row(gamma) for gamma in gammas])
        return Drawn(expected_violations(self.accepted_, weights, self._parity), (weights @ self.frontier_.error)[None],
                     violation_of(self.accepted_.rates(weights, MORE_APART), self._parity))

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity]:
        return self.accepted_.people, self.accepted_.deviation, float(self.epsilon), self._parity

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """The group is no input: given, its form is checked, and nothing else."""
        X = self._people(X)
        self._validated_groups(sensitive_features, len(X))
        weights = self.frontier_.row(gamma)
        used = np.flatnonzero(weights > 0)
        multipliers, weights = self.frontier_.multipliers[used], weights[used]
        with one_thread() if len(X) > FEW else nullcontext():
            accepted = [(self._basis(X[at]) @ multipliers.T > 0) @ weights for at in blocks(*X.shape)]
        return np.clip(np.concatenate(accepted), 0.0, 1.0)        # sums of weights round

    def _people(self, X: ArrayLike) -> np.ndarray:
        return check.filled("X", check.rows("X", X, columns=self.n_features_in_, low=-1e50, high=1e50), "person")


def number(n: int, thing: str) -> str:
    return f"{n} {thing}{'' if n == 1 else 's'}"


def of_everybody(question: Any, public: PublicData, r: int) -> Any:
    """What the people of one rate were asked, as a question to all: in cell -1 is who was not asked."""
    cells = np.full(public.m, -1, dtype=np.int32)
    cells[public.people[r]] = question[1] if isinstance(question, tuple) else question
    return (question[0], cells) if isinstance(question, tuple) else cells
