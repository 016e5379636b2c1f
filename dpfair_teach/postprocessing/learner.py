"""DP-postprocessing as a scikit-learn estimator: a fitted base in, a fair randomized classifier out, the group stays private."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .. import _checks as check
from .._base_estimator import base_prediction, base_score
from .._classifier import FrontierClassifier, compared
from .._curve import Drawn
from ..fairness import Parity, cell_counts
from ..fairness.parity import AcceptanceNotion, OfGroups
from ..mechanisms import RELATIONS, UNIT_A
from .bins import optimal_cuts, score_bins, suggested_bins
from .closed_form import solve
from .curve import claims_and_draws, hidden_errors, noise_of_accepted, noisy_again, possible_tables, times_tried
from .lp import EQUALIZED_ODDS, acceptance_probability, served
from .noisy_tables import LEAST_EPSILON, MOST_EPSILON, draw_table, margin_noise, table_noise
from .slacks import bins_slack, lift_unusable, margin_slack, unguarded_paper_slack

__all__ = ["DPPostProcessing"]

Method = Literal["public_margins", "as_printed", "score_bins"]
METHODS: tuple[Method, ...] = get_args(Method)
BETA = 0.05             # without a word
KNOWN_GROUPS = ", groups and labels known to occur"      # how a record is narrower where k was read off A


@dataclass(frozen=True)
class PostProcessingParams:
    """The parameters of a fit, each checked."""

    epsilon: float
    gamma: float
    beta: float
    method: Method
    parity: Parity
    slack: bool
    n_bins: int | None      # of score bins; None: as many as suggested

    @property
    def public(self) -> bool:
        """Does the release keep the public margins?"""
        return self.method != "as_printed"

    def parity_for(self, k: int) -> Parity:
        """Of two groups the one pair is also the gap to group 0, whose program is the faster one."""
        return Parity(self.parity.notion) if k == 2 else self.parity

    def slack_of(self, q: np.ndarray, m: int) -> np.ndarray:
        """What the programs add to gamma, from the released table alone; infinite where it has no rate to bound."""
        slack, parity = np.zeros(()), self.parity_for(q.shape[-2])
        if self.slack and not self.public:
            slack = unguarded_paper_slack(q, m, self.epsilon, self.beta)
        elif self.slack:
            slack = margin_slack(q, m, self.epsilon, self.beta, notion=parity)
            if self.method == "score_bins":     # both in proportion to the same rates: one is the smaller for all
                slack = np.minimum(slack, bins_slack(q, m, self.epsilon, self.beta, notion=parity))
        return lift_unusable(q, slack, notion=parity)


@check.formerly(noise="It is whole numbers or on a grid, the least that so many groups allow.",
                criterion="Bins are cut by area; postprocessing.optimal_cuts has both criteria.")
class DPPostProcessing(FrontierClassifier):
    """Make a fitted classifier fair between groups, with epsilon-differential privacy for everybody's group.

    Source: supplement and main text, Algorithm 1 (``method="as_printed"``); the other methods are ours, and better.
    Privacy unit: one person's A changes; X, Y, m and the set of groups {0, ..., k-1} are public. The base must not have been trained on A.

    One ``fit`` is one release, and serves every gamma: ``set_params(gamma=...)`` holds at once, ``predict`` and ``score`` take a ``gamma``,
    and :meth:`curve` is the table of all. They read the released table only.

    Parameters
    ----------
    base : fitted classifier with ``predict``, or a function X -> 0/1
        For ``score_bins`` one with ``predict_proba`` or ``decision_function``, or a function X -> score. It is never refitted.
        (``sklearn.base.clone`` forgets what a base has learned: wrap it in ``sklearn.frozen.FrozenEstimator`` first.)
    epsilon : float in [1e-9, 1e9]
    gamma : float >= 0
        The gap allowed between the groups' rates on the noisy table. It may be set anew after a fit.
    method : str
        ``public_margins``: :func:`public_margin_postprocessing`. ``score_bins``: :func:`score_bin_postprocessing`, of bins of the base's
        score in place of its two answers. ``as_printed``: :func:`dp_postprocessing`, with four times the noise, or more, and a slack.
    notion : str or fairness.Parity
        Which rates: ``equalized_odds``, ``false_positive``, ``true_positive`` or ``demographic_parity``; as printed only the first. The
        release is the same for all of them.
    against : str, optional
        Which gaps: ``pairs``, of any two groups; ``anchor``, to group 0, as in the paper, which allows 2 gamma between two others. None:
        ``pairs``, and ``anchor`` where the method is ``as_printed``; or what a Parity says.
    slack : bool, optional
        Add the method's slack to gamma (:func:`paper_slack`; :func:`margin_slack`, or :func:`bins_slack` where that is smaller). None: yes
        for ``as_printed``, no for the others.
    beta : float in (0, 1), optional
        Failure probability in the slack, and refused where none is added. None: 0.05.
    n_bins : int in 2..1000, optional
        b, the number of bins of ``score_bins``, at most the number of different scores; refused by the others. None:
        :func:`suggested_bins`, a public rule.
    n_groups : int, optional
        k, 2 to 1000: the groups are {0, ..., k-1}, and that is public knowledge. Give it: the guarantee is then for every A, and an empty
        group is as good as any. None reads k off the private A and insists that every group has people of both labels: the guarantee then
        holds only among data sets that are publicly known to have these groups, as the relation of the record says.

    Attributes
    ----------
    p_ : (b, k) array [yhat, a], what is published: P(say 1 | the base says yhat, group a) at the model's gamma
    cuts_ : (b - 1,) array, for ``score_bins`` only: where the bins begin, see :func:`score_bins`; public
    q_tilde_ : (b, k, 2) array [yhat, a, y], the noisy frequencies that the program saw
    slack_ : (k, 2) array [a, y], (k, 1) for demographic parity: what was added to gamma; infinite where the constraint was lifted
    parity_ : fairness.Parity, the notion and its form
    releases_ : tuple of accounting.Release, in people; of the last ``fit`` only: add up earlier ones yourself
    m_, n_groups_ : int; how many people and groups

    Examples
    --------
    >>> score = np.array([[.9], [.7], [.4], [.3], [.2], [.8], [.6], [.55], [.35], [.1]])
    >>> Y, A = [1, 1, 1, 0, 0, 1, 1, 0, 0, 0], [0] * 5 + [1] * 5
    >>> model = DPPostProcessing(lambda X: (X[:, 0] >= .5).astype(int), epsilon=5, gamma=.05, n_groups=2)
    >>> model = model.fit(score, Y, sensitive_features=A, rng=np.random.default_rng(0))
    >>> model.releases_[0].mechanism, model.releases_[0].sensitivity, model.releases_[0].epsilon
    ('geometric', 1.0, 5.0)
    >>> model.p_at(gamma=1).tolist()   # any gap is allowed: the base's own decisions
    [[0.0, 0.0], [1.0, 1.0]]
    """

    _reads_groups: ClassVar[bool] = True

    def __init__(self, base: Any, epsilon: float, gamma: float, *, method: Method = "public_margins",
                 notion: AcceptanceNotion | Parity = "equalized_odds", against: OfGroups | None = None, slack: bool | None = None,
                 beta: float | None = None, n_bins: int | None = None, n_groups: int | None = None) -> None:
        self.base = base
        self.epsilon = epsilon
        self.gamma = gamma
        self.method = method
        self.notion = notion
        self.against = against
        self.slack = slack
        self.beta = beta
        self.n_bins = n_bins
        self.n_groups = n_groups

    def _checked_params(self) -> PostProcessingParams:
        epsilon = check.number("epsilon", self.epsilon, low=LEAST_EPSILON, high=MOST_EPSILON)
        gamma, beta = check.gamma(self.gamma), BETA if self.beta is None else check.beta(self.beta)
        method = check.choice("method", self.method, METHODS)
        against: Any = self.against if method == "as_printed" else compared(self.notion, self.against, None)
        parity = served(self.notion, against)
        if method == "as_printed" and parity != EQUALIZED_ODDS:
            check.refuse("notion, against", (self.notion, self.against), "Algorithm 1 as printed is about equalized odds against group 0",
                         "Choose method='public_margins' or 'score_bins'.")
        if isinstance(self.n_bins, str) and self.n_bins == "suggested":
            check.refuse("n_bins", self.n_bins, "is what None means now", "Leave n_bins out.")
        n_bins = None if self.n_bins is None else check.integer("n_bins", self.n_bins, low=2)
        slack = method == "as_printed" if self.slack is None else check.flag("slack", self.slack)
        if method != "score_bins":
            check.unread(f"method={method!r}", "method='score_bins'", n_bins=self.n_bins)
        if not slack:
            check.unread("slack=False, which is what slack=None means but for method='as_printed'", "slack=True", beta=self.beta)
        return PostProcessingParams(epsilon, gamma, beta, method, parity, slack, n_bins)

    def _learn(self, params: PostProcessingParams, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        """Count, add noise. What is published follows from the noisy table: see :meth:`p_at`."""
        prediction, n_bins, cuts = self._predictions(X, y, params)
        A, k = self._people_of_groups(sensitive_features, y)
        m = len(y)

        counts = cell_counts(prediction, A, y, n_groups=k, n_bins=n_bins)
        noise = table_noise(k, params.epsilon, margin_noise(None, k) if params.public else None,
                            relation=RELATIONS[UNIT_A][0] + ("" if self.n_groups is not None else KNOWN_GROUPS))
        q = draw_table(counts, noise, rng, keep_margins=params.public) / m
        # From here on A is not read again.
        self.releases_ = noise.releases
        self.q_tilde_, self.slack_, self.parity_, self.n_groups_, self.m_ = q, params.slack_of(q, m), params.parity_for(k), k, m
        if cuts is not None:
            self.cuts_ = cuts

    @property
    def p_(self) -> np.ndarray:
        """P(say 1 | the base says yhat, group a) at the model's gamma, (b, k) [yhat, a]: :meth:`p_at` of it, also of one set after fit."""
        return self.p_at(self.gamma)

    def p_at(self, gamma: float) -> np.ndarray:
        """What ``p_`` would be at another ``gamma``, shape (b, k): solved from ``q_tilde_``; no data are read, no epsilon is spent."""
        check_is_fitted(self, "q_tilde_")
        gamma = check.gamma(gamma)
        return solve(self.q_tilde_, gamma, self.slack_, notion=self.parity_).p

    def _draws(self, gammas: np.ndarray, rng: np.random.Generator) -> Drawn:
        params, m, parity, released = self._checked_params(), self.m_, self.parity_, self.q_tilde_ * self.m_
        tables = possible_tables(released, params.epsilon, params.public, rng)
        claimed, error, violation = claims_and_draws([self.p_at(gamma) for gamma in gammas], released, tables, parity)
        again = noisy_again(released, params.epsilon, params.public, rng, times_tried(released))
        slack = params.slack_of(again / m, m)

        def answer(gamma: float) -> np.ndarray:
            return solve(again / m, gamma, slack, notion=parity).p
        return Drawn(claimed, error, violation, hidden_errors(gammas, released, again, answer) / m)

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity]:
        params, (b, k, _) = self._checked_params(), self.q_tilde_.shape
        deviation = [noise_of_accepted(b, k, params.epsilon, params.public, 2 if cell.label is None else 1) for cell in self.parity_.cells]
        return self.parity_.sizes(self.q_tilde_.sum(axis=0) * self.m_), np.array(deviation), params.epsilon, self.parity_

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        columns = getattr(self, "n_features_in_", None)
        if hasattr(self, "cuts_"):
            prediction = score_bins(base_score(self.base, X, columns=columns), self.cuts_)
        else:
            prediction = base_prediction(self.base, X, columns=columns)
        return acceptance_probability(self.p_at(gamma), prediction, self._validated_groups(sensitive_features, len(prediction)))

    def _predictions(self, X: Any, y: np.ndarray, params: PostProcessingParams) -> tuple[np.ndarray, int, np.ndarray | None]:
        """What the public base says of everybody: an answer or a score bin, how many of them there can be, and where the bins are cut."""
        if params.method != "score_bins":
            return base_prediction(self.base, X, len(y)), 2, None
        score = base_score(self.base, X, len(y))
        n_bins = params.n_bins or min(suggested_bins(len(y), params.epsilon), max(2, len(np.unique(score))))
        cuts = optimal_cuts(score, y, n_bins)
        return score_bins(score, cuts), n_bins, cuts

    def _people_of_groups(self, sensitive_features: ArrayLike, y: np.ndarray) -> tuple[np.ndarray, int]:
        """Everybody's group, and k: given, or read off A, and then no (group, label) may be empty."""
        if self.n_groups is not None:
            k = check.group_count(self.n_groups)
            return check.groups_below("sensitive_features", sensitive_features, k, length=len(y)), k
        A = check.groups_below("sensitive_features", sensitive_features, check.MOST_GROUPS, length=len(y), last="the largest that is taken",
                               remedy="Code the groups 0, 1, ... by a list of names that is fixed before the data are seen.")
        k = int(A.max()) + 1
        self._refuse_empty_cells(A, y, k)
        return A, k

    @staticmethod
    def _refuse_empty_cells(A: np.ndarray, y: np.ndarray, k: int) -> None:
        """For k that was read off A: every (group, label) holds somebody."""
        if k < 2:
            check.refuse("sensitive_features", 0, "there is only one group in it",
                         "Give n_groups, the public number of groups, if others could occur.")
        check.occupied("sensitive_features", np.bincount(A * 2 + y, minlength=2 * k).reshape(k, 2),
                       "Give n_groups, the public number of groups: then a cell may be empty. (Renumbering groups is not private.)",
                       codes=True)
