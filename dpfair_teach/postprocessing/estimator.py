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
from ..accounting import RELATIONS, UNIT_A, Release
from ..fairness import Parity, cell_counts
from ..fairness.parity import AcceptanceNotion, OfGroups
from ._people import LEAST_EPSILON, MOST_EPSILON
from ._program import EQUALIZED_ODDS, served
from .bins import CRITERIA, Criterion, optimal_cuts, score_bins, suggested_bins
from .closed_form import closed_form
from .curve import claims_and_draws, hidden_errors, noise_of_accepted, noisy_again, possible_tables, times_tried
from .lp import acceptance_probability
from .many import solve_many
from .noise import MARGIN_NOISES, NOISES, MarginNoise, margin_sensitivity, noisy_counts, public_margin_counts
from .slacks import bins_slack, lift_unusable, margin_slack, unguarded_paper_slack
from .solve import solve

__all__ = ["DPPostProcessing"]

Method = Literal["public_margins", "as_printed", "score_bins"]
METHODS: tuple[Method, ...] = get_args(Method)
BINS, BETA = 6, 0.05        # without a word
KNOWN_GROUPS = ", groups and labels known to occur"      # how a record is narrower where k was read off A


@dataclass(frozen=True)
class Settings:
    """The parameters of a fit, each checked."""

    epsilon: float
    gamma: float
    beta: float
    method: Method
    parity: Parity
    noise: Any              # None: that of so many groups
    slack: bool
    n_bins: int | None      # of score bins; None: as many as suggested
    criterion: Criterion

    @property
    def public(self) -> bool:
        """Does the release keep the public margins?"""
        return self.method != "as_printed"

    def noise_for(self, k: int) -> Any:
        if self.noise is not None:
            return self.noise
        return "laplace" if not self.public else "geometric" if k == 2 else "k_norm"

    def parity_for(self, k: int) -> Parity:
        """Of two groups the one pair is also the gap to group 0, whose program is the faster one."""
        return Parity(self.parity.notion) if k == 2 else self.parity


def settings(model: DPPostProcessing) -> Settings:
    """Read and checked before anything else is."""
    epsilon = check.number("epsilon", model.epsilon, low=LEAST_EPSILON, high=MOST_EPSILON)
    gamma, beta = check.gamma(model.gamma), BETA if model.beta is None else check.beta(model.beta)
    method = check.choice("method", model.method, METHODS)
    criterion = "area" if model.criterion is None else check.choice("criterion", model.criterion, CRITERIA)
    parity = served(model.notion, model.against if method == "as_printed" else compared(model.notion, model.against, None))
    if method == "as_printed" and parity != EQUALIZED_ODDS:
        check.refuse("notion, against", (model.notion, model.against), "Algorithm 1 as printed is about equalized odds against group 0",
                     "Choose method='public_margins' or 'score_bins'.")
    noise: Any = model.noise
    if noise is not None:
        check.choice("noise", noise, NOISES if method == "as_printed" else MARGIN_NOISES)
    asked: Any = BINS if model.n_bins is None else model.n_bins
    n_bins = None if isinstance(asked, str) and asked == "suggested" else check.integer("n_bins", asked, low=2)
    slack = method == "as_printed" if model.slack is None else check.flag("slack", model.slack)
    if method != "score_bins":
        check.unread(f"method={method!r}", "method='score_bins'", n_bins=model.n_bins, criterion=model.criterion)
    if not slack:
        check.unread("slack=False, which is what slack=None means but for method='as_printed'", "slack=True", beta=model.beta)
    return Settings(epsilon, gamma, beta, method, parity, noise, slack, n_bins, criterion)


def slack_of(q: np.ndarray, m: int, noise: Any, how: Settings) -> np.ndarray:
    """What the programs add to gamma, from the released table alone; infinite where it has no rate to bound."""
    k, slack = q.shape[-2], np.zeros(())
    parity = how.parity_for(k)
    if how.slack and not how.public:
        slack = unguarded_paper_slack(q, m, how.epsilon, how.beta)
    elif how.slack:
        slack = margin_slack(q, m, how.epsilon, how.beta, noise, notion=parity)
        if how.method == "score_bins" and (k == 2 or noise in ("k_norm", "exact")):     # both in proportion to the same rates: one is
            slack = np.minimum(slack, bins_slack(q, m, how.epsilon, how.beta, noise, notion=parity))    # the smaller for all
    return lift_unusable(q, slack, notion=parity)


def record(k: int, noise: str, how: Settings, k_given: bool) -> Release:
    """What was drawn, for the accountant. Where k was read off A, the guarantee is among data sets known to have these groups."""
    sensitivity = margin_sensitivity(k, noise) if how.public else 2
    law = noise if noise != "exact" else "k_norm" if how.public and k > 2 else "geometric"
    return Release(law, UNIT_A, sensitivity=sensitivity, scale=sensitivity / how.epsilon, epsilon=how.epsilon,
                   relation=RELATIONS[UNIT_A][0] + ("" if k_given else KNOWN_GROUPS))


class DPPostProcessing(FrontierClassifier):
    """Make a fitted classifier fair between groups, with epsilon-differential privacy for everybody's group.

    Source: supplement and main text, Algorithm 1 (``method="as_printed"``); ``method="public_margins"`` is the same idea without slack,
    with the public margins kept, and so with half the sensitivity, 1 person;
    ``method="score_bins"`` is public margins again, of ``n_bins`` bins of the base's score in place of its two answers.
    Privacy unit: one person's A changes; X, Y, m and the set of groups {0, ..., k-1} are public. The base must not have been trained on A.
    Give ``n_groups``: the guarantee is then for every A. Without it two things are read off A without noise and are not private: k, which
    is the shape of what is published, and whether a (group, label) is empty, which is refused. The guarantee then holds only among data
    sets that are publicly known to have these k groups, each with people of both labels; the record in ``releases_`` says so as its
    relation.

    Each ``fit`` is a new release and costs its epsilon again. For another gamma, or a whole curve, fit once: ``set_params(gamma=...)``
    holds at once, ``predict`` and ``score`` take a ``gamma``, and :meth:`curve` is the table of all. They read the released table only.

    Parameters
    ----------
    base : fitted classifier with ``predict``, or a function X -> 0/1
        For ``score_bins`` one with ``predict_proba`` or ``decision_function``, or a function X -> score. It is never refitted.
        (``sklearn.base.clone`` forgets what a base has learned: wrap it in ``sklearn.frozen.FrozenEstimator`` first.)
    epsilon : float in [1e-9, 1e9]; with geometric noise from 2e-9 on
    gamma : float >= 0
        The gap allowed between the groups' rates on the noisy table. Rates differ by 1 at most: from 1 on every gamma allows any gap. It
        may be set anew after a fit.
    method : str
        ``public_margins``: :func:`public_margin_counts`. ``as_printed``: :func:`noisy_counts`. ``score_bins``: :func:`optimal_cuts` from
        the scores and y, which are public, then :func:`public_margin_counts` of the bins. In all, :func:`lift_unusable` lifts the
        constraints of noisy cells that hold nobody.
    notion : str or fairness.Parity
        Which rates: ``equalized_odds``, ``false_positive``, ``true_positive`` or ``demographic_parity``; as printed only the first. The
        release is the same for all of them, see the notes. As in :func:`solve_lp`.
    against : str, optional
        Which gaps: ``pairs``, of any two groups; ``anchor``, to group 0, as in the paper, which allows 2 gamma between two others. None:
        ``pairs``, and ``anchor`` where the method is ``as_printed``; or what a Parity says.
    slack : bool, optional
        Add the method's slack to gamma (:func:`paper_slack`, :func:`margin_slack`, the smaller of this and :func:`bins_slack`). None: yes
        for ``as_printed``, no for the others.
    beta : float in (0, 1), optional
        Failure probability in the slack, and refused where none is added. None: 0.05.
    n_bins : int in 2..1000, or "suggested", optional
        b, the number of bins of the method ``score_bins``, at most the number of different scores; refused by the others. More bins
        follow the ROC curve more closely, and put more noise into every rate. None: 6. ``suggested``: :func:`suggested_bins`.
    n_groups : int, optional
        k, 2 to 1000: the groups are {0, ..., k-1}, and that is public knowledge, not learned from the data. Give it: then no message and no
        shape depends on who is in which group, and a group or cell that holds nobody is as good as any. None reads k off the private A, as
        the largest code plus one, and then insists that every group has people of both labels. That is right only for data that
        are known to be so; else the refusal itself, or the shape of ``p_``, tells neighbours apart, and no epsilon covers that.
    noise : str, optional
        ``laplace``, ``geometric`` (two-sided, in whole people), ``exact`` (in whole people, drawn without floating point, slower) or, but
        for ``as_printed``, ``k_norm`` (see :func:`k_norm_counts`). None: laplace for ``as_printed``, as printed; for the others geometric
        with two groups, k_norm with more. Laplace noise in doubles is for study only: its last bits can give a count away (Mironov
        2012; see :func:`noisy_counts`), so its epsilon holds for real numbers. With discrete noise the printed slack serves noise that
        may be half a person larger than Lemma A.1 allows.
    criterion : str, optional
        How :func:`optimal_cuts` chooses the bins of ``score_bins``; refused by the others. ``area``, as without a word, or ``price``. On
        drawn populations, judged by fresh people, ``area`` is the better one on the whole, ``price`` a little with 4 bins or fewer (the
        experiment ``bins_tuned``).

    Attributes
    ----------
    p_ : (b, k) array [yhat, a], what is published: P(say 1 | the base says yhat, group a) at the model's gamma; b is 2, or ``n_bins``
    cuts_ : (b - 1,) array, for ``score_bins`` only: where the bins begin, see :func:`score_bins`; public
    q_tilde_ : (b, k, 2) array [yhat, a, y], the noisy frequencies that the program saw
    slack_ : (k, 2) array [a, y], (k, 1) for demographic parity: what was added to gamma; infinite where the constraint was lifted
    parity_ : fairness.Parity, the notion and its form
    releases_ : tuple of accounting.Release, in people: the mechanism that drew, its scale, its epsilon; of the last ``fit`` only: add up
        earlier ones yourself
    m_, n_groups_, n_features_in_ : int; how many people, groups and, where X has columns, columns
    feature_names_in_ : array of str, where X has columns with names
    classes_ : array([0, 1])

    Raises
    ------
    ValueError
        By every method, for any parameter or array out of range, and for whatever the base raises (only the base reads X: a DataFrame, a
        sparse matrix, a list of texts are as good as it finds them). An entry of A that is no code, or not below n_groups, lies outside
        the data sets that the guarantee is about. With ``n_groups`` given, never because of how the codes 0, ..., k-1 are spread: an
        error there would tell. With None an empty (group, label) is refused, which tells just that. Never because of what the noise was.

    Notes
    -----
    Demographic parity compares [yhat, a], people of both labels together; the error needs each label's. What to release? With
    s = n_v0 + n_v1 and d = n_v0 - n_v1 of a group and prediction, (s, d) is the table in other words. One changed A moves a group's (s, d)
    by (+-1, +-1); the hull of these changes, a square, is the hull of the changes (+-1, 0), (0, +-1) of (n_v0, n_v1), a diamond, in other
    words: so the K-norm noise of (s, d) is the table's own noise, of the table's own sensitivity, 1 person. With two groups both s and d
    get the variance of two such noises, nearly 4 / epsilon^2. Released alone, s would have sensitivity 1 and half that variance, but the
    error would be unknown; s and d one after the other, at a share c of epsilon and the rest, have nearly 2 / (c epsilon)^2 and
    2 / ((1 - c) epsilon)^2: one of them 8 / epsilon^2 or more. So the table is released, once, and serves every notion.

    The intervals of :meth:`curve`: 4,000 tables that could be the true one are drawn, each the released one with a quarter more noise than
    it already has, by the same mechanism and with the same public margins (fewer for large tables). For each gamma the published classifier
    is judged on all of them. With the very noise that would be the law of the truth where no table was more likely than others before the
    release. The intervals are calibrated, and no theorem: the quarter, and a lower end that leaves out four times fewer violations than
    the upper one, were chosen after seeing how often intervals held on drawn populations of 300 to 3,000 people of two to six groups, at
    epsilon 0.3 to 2. There, intervals of 0.95 held the true violations at all gammas at once in 1,173 of 1,200 fits, by kind of fit in 89
    to 100 of 100; a test draws such populations again. On others they may hold less often. :func:`bins_slack` is a proven interval, two
    to three times as wide.

    The error: the classifier was chosen by the table whose noise it should not follow, so on the true one it errs more, and most where many
    cells hold few people each: with twelve bins of six groups, 2,000 drawn people and epsilon 0.5, by 0.01 to 0.02. How much is tried out,
    on tables that have the noise twice; the means are moved by that, and the upper ends.

    Examples
    --------
    >>> score = np.array([[.9], [.7], [.4], [.3], [.2], [.8], [.6], [.55], [.35], [.1]])
    >>> Y, A = [1, 1, 1, 0, 0, 1, 1, 0, 0, 0], [0] * 5 + [1] * 5
    >>> model = DPPostProcessing(lambda X: (X[:, 0] >= .5).astype(int), epsilon=5, gamma=.05, n_groups=2)
    >>> model = model.fit(score, Y, sensitive_features=A, rng=np.random.default_rng(0))
    >>> model.predict_proba(score[:2], sensitive_features=[0, 1]).shape
    (2, 2)
    >>> model.releases_[0].mechanism, model.releases_[0].sensitivity, model.releases_[0].epsilon
    ('geometric', 1.0, 5.0)
    >>> model.curve([0, .05]).round(2)[["gamma", "violation", "violation_high", "claimed"]]
       gamma  violation  violation_high  claimed
    0   0.00       0.03            0.50     0.00
    1   0.05       0.07            0.48     0.05
    >>> model.p_at(gamma=1).tolist()   # any gap is allowed: the base's own decisions
    [[0.0, 0.0], [1.0, 1.0]]
    """

    _reads_groups: ClassVar[bool] = True

    def __init__(self, base: Any, epsilon: float, gamma: float, *, method: Method = "public_margins",
                 notion: AcceptanceNotion | Parity = "equalized_odds", against: OfGroups | None = None, slack: bool | None = None,
                 beta: float | None = None, n_bins: int | Literal["suggested"] | None = None, n_groups: int | None = None,
                 noise: MarginNoise | None = None, criterion: Criterion | None = None) -> None:
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
        self.noise = noise
        self.criterion = criterion

    def _checked_params(self) -> Any:
        return settings(self)

    def _learn(self, how: Settings, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        """Count, add noise. What is published follows from the noisy table: see :meth:`p_at`."""
        prediction, n_bins, cuts = self._predictions(X, y, how)
        A, k = self._people_of_groups(sensitive_features, y)
        m, noise = len(y), how.noise_for(k)

        counts = cell_counts(prediction, A, y, n_groups=k, n_bins=n_bins)
        q = (public_margin_counts if how.public else noisy_counts)(counts, how.epsilon, rng, noise=noise) / m
        # From here on A is not read again.
        self.releases_ = (record(k, noise, how, k_given=self.n_groups is not None),)
        self.q_tilde_, self.slack_, self.parity_, self.n_groups_, self.m_ = q, slack_of(q, m, noise, how), how.parity_for(k), k, m
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
        how, m, parity, released = settings(self), self.m_, self.parity_, self.q_tilde_ * self.m_
        noise = how.noise_for(self.n_groups_)
        tables = possible_tables(released, how.epsilon, noise, how.public, rng)
        claimed, error, violation = claims_and_draws([self.p_at(gamma) for gamma in gammas], released, tables, parity)
        again = noisy_again(released, how.epsilon, noise, how.public, rng, times_tried(released))
        slack, solve_all = slack_of(again / m, m, noise, how), closed_form if self.n_groups_ == 2 else solve_many

        def answer(gamma: float) -> np.ndarray:
            return solve_all(again / m, gamma, slack, notion=parity).p
        return Drawn(claimed, error, violation, hidden_errors(gammas, released, again, answer) / m)

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity]:
        how, (b, k, _) = settings(self), self.q_tilde_.shape
        deviation = [noise_of_accepted(b, k, how.epsilon, how.noise_for(k), how.public, 2 if cell.label is None else 1)
                     for cell in self.parity_.cells]
        return self.parity_.sizes(self.q_tilde_.sum(axis=0) * self.m_), np.array(deviation), how.epsilon, self.parity_

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        columns = getattr(self, "n_features_in_", None)
        if hasattr(self, "cuts_"):
            prediction = score_bins(base_score(self.base, X, columns=columns), self.cuts_)
        else:
            prediction = base_prediction(self.base, X, columns=columns)
        return acceptance_probability(self.p_at(gamma), prediction, self._validated_groups(sensitive_features, len(prediction)))

    def _predictions(self, X: Any, y: np.ndarray, how: Settings) -> tuple[np.ndarray, int, np.ndarray | None]:
        """What the public base says of everybody: an answer or a score bin, how many of them there can be, and where the bins are cut."""
        if how.method != "score_bins":
            return base_prediction(self.base, X, len(y)), 2, None
        score = base_score(self.base, X, len(y))
        n_bins = how.n_bins or min(suggested_bins(len(y), how.epsilon), max(2, len(np.unique(score))))
        cuts = optimal_cuts(score, y, n_bins, how.criterion)
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
