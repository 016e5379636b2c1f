"""The learner: ask once, then every gamma is post-processing."""
from __future__ import annotations

import warnings
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .. import _checks as check
from .._classifier import FrontierClassifier, compared, refuse_other_columns
from .._curve import GAMMAS, Drawn, draws_of, violation_of
from .._fit_warnings import warn_of_few
from ..fairness import Parity
from ..fairness.parity import AcceptanceNotion, OfGroups
from ._blocks import one_thread
from ._public import Columns, Oracle, Public
from .basis import Basis, chances
from .belief import Asked
from .candidates import multiplier_grid, served
from .chosen import MORE_APART, Believed, Chosen, expected_violations, learn_designed
from .curve import Accepted, what_is_accepted
from .designed import cells_for
from .releases import NORMS, Norm, number_of
from .run import METHODS, Method, Smoothing, learn, parts_of
from .settings import DEFAULTS, DESIGNED
from .thresholds import grid_of

__all__ = ["FrontierLearner", "NothingToAskWarning"]

COLUMNS: tuple[Columns, ...] = get_args(Columns)
SMOOTHINGS: tuple[Smoothing, ...] = get_args(Smoothing)
ORACLES: tuple[Oracle, ...] = get_args(Oracle)


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
    method: Method
    oracle: Oracle
    share: float | None
    n_cells: int | None
    norm: Norm
    columns: Columns
    smoothing: Smoothing
    gammas: tuple[float, ...]
    base: Any


def setting(model: FrontierLearner) -> FrontierParams:
    """Read and checked before any noise is drawn: afterwards no message may depend on it."""
    epsilon = check.number("epsilon", model.epsilon, low=1e-6, high=1e6)
    check.gamma(model.gamma)
    method = check.choice("method", model.method, METHODS)
    oracle = check.choice("oracle", model.oracle, ORACLES) if model.oracle is not None else (
        "regression" if method == "response" else "bayes")
    norm = "l2" if model.norm is None else check.choice("norm", model.norm, NORMS)
    columns = "coordinates" if model.columns is None else check.choice("columns", model.columns, COLUMNS)
    smoothing = check.choice("smoothing", model.smoothing, SMOOTHINGS)
    if method == "response" and oracle == "bayes":
        check.refuse("oracle", oracle, "needs P(A = a | x, y), which randomized responses alone do not give",
                     "Choose method='histogram' or 'sums', or oracle='regression'.")
    gammas = check.filled("gammas", check.array("gammas", model.gammas, ndim=1, low=0.0, booleans=False), "tolerance")
    k, parity = check.group_count(model.n_groups), model._parity
    if method == "designed":
        grid_of(k, parity, DESIGNED.draws)
    else:
        multiplier_grid(k, notion=parity)
    share = None if model.share is None else check.number("share", model.share, low=1e-3, high=1.0)
    usual = DEFAULTS.share if share is None else share
    parts_of(epsilon, usual, k)
    if method == "response" and epsilon * usual > 700:
        check.refuse("epsilon", epsilon, f"leaves {epsilon * usual:g} for the responses, and above 700 one never lies in doubles",
                     "Choose a smaller epsilon or share.")
    n_cells = None if model.n_cells is None else check.integer("n_cells", model.n_cells, low=2, high=10_000)
    if method != "histogram":
        check.unread(f"method={method!r}", "method='histogram'", n_cells=model.n_cells,
                     smoothing=None if smoothing == "fixed" else smoothing)
    if method != "sums":
        check.unread(f"method={method!r}", "method='sums'", norm=model.norm, columns=model.columns)
    if method == "designed" and oracle != "bayes":
        check.unread("method='designed', whose candidates are fair Bayes thresholds", "another method", oracle=oracle)
    if oracle == "regression":
        check.unread("oracle='regression'", "oracle='bayes' or 'logistic'", base=model.base)
    return FrontierParams(epsilon, k, parity, method, oracle, share, n_cells, norm, columns, smoothing, tuple(gammas.tolist()), model.base)


class FrontierLearner(FrontierClassifier):
    """Ask once, in private, who is in which group, then have a fair randomized classifier for every gamma.

    Source: ours; it answers what main text, Section 5 leaves open, with the regression oracle of that section. Privacy unit: one person's
    A changes; X, y, m and the set of groups {0, ..., k-1} are public. Pure epsilon, for every A, in two releases whose epsilons add up,
    one without an audit; with ``designed`` two for the people of each label, which cost those of the other nothing. The classifiers are
    functions of x alone. Standardize X, and cut wild entries: who is near whom, and so the cells and the model, depends on the units of its
    columns, and one row a thousand times as far out as all others makes the rest look alike. Where counts
    get less than about 1e-3 (2e-3 for three or more groups) that is a guarantee of the ideal law, not quite of draws in doubles: see
    :func:`mechanisms.geometric`; of ``sums`` it is one at any epsilon. How long a fit takes is not covered.

    Time and memory grow with m, and with ``designed`` with the number of groups, too (20 of them in 500 people: 1 GB); of m alone, 5
    million people are a minute or two. X may be a table on disk, a numpy memmap, which is read a block at a time and never copied. Up to
    16,384 people are looked at together. Of more, a sample that is drawn by a fixed seed, 8,192 people or 20 for each cell, finds the
    centres of the cells, and everybody belongs to the nearest; and the logistic eta is the exact optimum, near which scikit-learn's solver
    stops. With ``designed`` 8,192 people of each label stand for all of it in the belief, and the second question weighs 64 cells of people
    whom the mixtures treat alike. All else is the same up to rounding.

    Parameters
    ----------
    epsilon : float in [1e-6, 1e6]
        Of the whole fit, all gammas together.
    gamma : float >= 0
        The gap allowed between the groups' rates, as they are known from the answers: 0.05 are five points of a hundred, and 1 or more
        allows everything. It may be set anew after a fit.
    method : str
        What is asked, and how it is used. ``histogram``: noisy counts of the groups in public cells of people who are alike, then a
        linear-Gaussian model of P(A = a | x, y). ``response``: everybody's randomized response, debiased. ``sums``: sums of ``columns``
        over the people of each group and label, with the same model. A second histogram, on the joint decisions of the best candidates,
        then audits them. Only ``response`` publishes mixtures of audited candidates alone (and constants). The others mix all candidates
        by both answers; the gaps of those that were not audited are known through the model only. ``designed``: :func:`ask_well`. Each
        label is asked two questions, the second made for the mixtures that the first speaks for, with exact noise. What is not known of
        a gap counts as gap: for a gamma it takes the mixture that is expected to violate by that, and for one below all of them the
        fairest, of which a further gap would cost eight times what it costs on the way to a constant: ``claimed`` and ``violation`` of
        :meth:`curve` say by how much it misses such a gamma.
    oracle : str, optional
        Where candidates come from. ``regression``: the paper's oracle. ``logistic``: the same for the gaps, and for the label a public
        logistic eta(x), as 2 eta - 1. ``bayes``: fair Bayes thresholding with that eta, see :func:`bayes_scores`; not
        with ``response``, which has no P(A = a | x, y). None: ``bayes``, and ``regression`` with ``response``.
    gammas : sequence of floats >= 0
        The tolerances of ``frontier_``. What is asked, and what the audit counts, is the same for all, and for every other gamma: its
        mixture is solved from the same answers when it is needed.
    n_groups : int in 2..21; in 2..66 for a notion of one rate
        k, public. It is not read off A. How many there may be is a matter of :func:`multiplier_grid`; between pairs 10 take seconds, 20 a
        minute. With ``designed`` there are fewer candidates where groups are many; 42 between pairs of one rate are the most.
    share : float in [0.001, 1], optional
        Of epsilon for the first release, the rest is for the second; 1 for no second one. None: 0.5, with ``designed`` the more, the larger
        the label. Either part is at least 1e-9, with three or more groups 2e-9.
    n_cells : int in 2..10,000, optional
        Cells a label of the first histogram; for ``histogram`` only. None: :func:`suggested_cells`.
    norm : str, optional
        For ``sums`` only, its noise, see :func:`release_sums`: ``l1`` or, as without a word, ``l2``.
    columns : str, optional
        For ``sums`` only, what it adds up. ``coordinates``, as without a word: 1, the base score and the first principal coordinates of
        X, at most 13 numbers a person. ``features``: (1, X), whose sums s_ay are all that the regression oracle needs of A; more
        numbers, so more noise on each.
    smoothing : str
        Where the prior covariance of P(A = a | x, y) comes from. ``fixed``: constants. ``likelihood``, for ``histogram`` only: of a small
        grid the one under which the first noisy counts are likeliest, see :func:`answers_log_likelihood`; it costs no epsilon.
    notion : str or fairness.Parity
        ``equalized_odds``; ``false_positive`` or ``true_positive``, where only people of that label are asked, and nothing depends on the
        groups of the others; ``demographic_parity``, where everybody is asked without the label. Each person stands in at most one cell
        that is counted, or has weights whose sizes add up to at most 1, whatever the notion, so the epsilon is the same.
        ``accuracy_parity`` is not served: constants do not keep it.
    against : str, optional
        ``pairs``: gaps between any two groups. ``anchor``: gaps to group 0, or to the anchor of a Parity; two others may be 2 gamma apart.
        None: ``pairs``, or what a Parity says. With ``pairs`` of three or more groups every group is counted, also group 0, which changes
        two counts as before: the epsilon is the same, and a permutation of the groups permutes the answers and nothing else; but for
        ``designed``, whose draws of what could be true go by the groups' order.
    base : fitted classifier with ``predict_proba``, optional
        Its P(Y = 1 | x) is the eta of the oracles ``bayes`` and ``logistic``, in the place of the logistic's. Made of X and y, and
        never of A: else no epsilon holds. It comes fitted, is copied and never refitted; what it says of the people that it was fitted on
        should be what it says of others. Rows of X are given to it as doubles: where columns are texts or need work, X is what the first
        steps of a pipeline make of them, and base its last step. The map and its cells stay those of least squares.
        (``sklearn.base.clone`` forgets what a base has learned: wrap it in ``sklearn.frozen.FrozenEstimator`` first.)

    Attributes
    ----------
    frontier_ : record with ``gammas``, ``weights``, ``multipliers``, ``error``, ``gaps``, ``audited``, ``expected_error`` and
        ``expected_violation``, an estimate, mostly too low: the program chose what makes it small; with ``designed`` a mean over what
        could be true, as the model has it
    releases_ : tuple of accounting.Release, of the last ``fit`` only
    answers_ : tuple of (question, answer), one for each release: the cells and their noisy counts (k-1, J), nothing and the reports, the
        features and their noisy sums (k-1, R, d), for R rates. With ``designed`` two for each rate: cells and counts, and the whole
        weights (K, m) with which people were counted, 0 for who was not asked; of very many people the weights of cells, and the cells.
        Between pairs with three or more groups k in place of k-1: group 0 is counted too. Everything published follows from these and from
        X and y.
    smoothing_ : dict of the ``length``, ``linear``, ``smooth`` and, but for ``designed``, ``residual`` of that covariance, with
        ``likelihood`` a function of the answers
    accepted_ : record of how many people of each group and rate each candidate of the frontier accepts, by the answers: means and
        covariances, with ``designed`` how often it may accept each group, 400 draws; what :meth:`curve` reads
    n_features_in_ : int
    feature_names_in_ : array of str, where X has columns with names
    classes_ : array([0, 1])

    Raises
    ------
    ValueError
        By every method, for any parameter or array out of range; by ``fit`` for a parameter that ``method`` does not read; never because
        of how the codes 0..k-1 are spread over people, nor because of what the noise was.

    Notes
    -----
    The intervals of :meth:`curve`: a published mixture is a function of x, and the error of ``frontier_`` is exact. How many of each group
    it accepts has a normal law given the answers, in the model of :func:`expected_groups` with the fixed covariance and, to be on the safe
    side, a residual as large as a person's can be; for ``response`` the answers are the audit's and sums of reports over public cells. From
    4,000 draws of it come the violations. Given the model, it does not matter that the mixture was chosen by the same answers. But a
    model is no theorem, and the intervals are calibrated: deviations a quarter larger than the model's, and a lower end that leaves out
    four times fewer draws than the upper one, were chosen after seeing how often intervals held on drawn populations of 500 to 3,000
    people, at epsilon 0.3 to 3. A test draws such populations again: where groups shift x, true violations lay in their intervals of
    0.95, at all gammas at once, in 138 of 140 fits; where the group is the sign of a product of two features, without an audit, in 35 of
    40. On others they may hold less often, above all where a cell holds a few people. With ``designed`` the violations are those of 400
    draws of the belief, whose mean is ``claimed``, with deviations 1.3 times as large: intervals held in all of 60 fits on people
    of the kind that the belief expects, and in 38 of 40 where x tells nothing about the groups, with the belief's own deviations in 36.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> model = FrontierLearner(2.0, gamma=.1)
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> [(r.mechanism, round(r.epsilon, 3)) for r in model.releases_]
    [('geometric', 1.0), ('geometric', 1.0)]
    >>> row = model.curve([.1]).round(2).loc[0]
    >>> bool(row.violation_low <= row.claimed <= row.violation_high)
    True
    >>> model.predict_proba(people.X[:3]).shape, model.predict(people.X[:3], gamma=.05).shape
    ((3, 2), (3,))
    """

    def __init__(self, epsilon: float, gamma: float, *, method: Method = "histogram", oracle: Oracle | None = None,
                 gammas: ArrayLike = GAMMAS, n_groups: int = 2, share: float | None = None, n_cells: int | None = None,
                 norm: Norm | None = None, columns: Columns | None = None, smoothing: Smoothing = "fixed",
                 notion: AcceptanceNotion | Parity = "equalized_odds", against: OfGroups | None = None, base: Any = None) -> None:
        self.epsilon = epsilon
        self.gamma = gamma
        self.method = method
        self.oracle = oracle
        self.gammas = gammas
        self.n_groups = n_groups
        self.share = share
        self.n_cells = n_cells
        self.norm = norm
        self.columns = columns
        self.smoothing = smoothing
        self.notion = notion
        self.against = against
        self.base = base

    @property
    def _parity(self) -> Parity:
        return served(self.notion, compared(self.notion, self.against, check.group_count(self.n_groups)))

    def _checked_params(self) -> FrontierParams:
        return setting(self)

    def _learn(self, params: FrontierParams, X: Any, y: np.ndarray, sensitive_features: ArrayLike, rng: np.random.Generator) -> None:
        """Ask, then solve: :func:`learn`."""
        with one_thread():
            public = Public(X, y, DESIGNED if params.method == "designed" else DEFAULTS, oracle=params.oracle, parity=params.parity,
                            base=params.base)
            A = check.groups_below("sensitive_features", sensitive_features, params.k, length=public.m)
            if params.method == "designed":
                self._publish(public, *learn_designed(public, A, params.k, params.epsilon, rng, params.share, params.gammas))
                return
            basis, frontier, decisions, known = learn(public, A, params.k, params.epsilon, rng, method=params.method, share=params.share,
                                                      n_cells=params.n_cells, norm=params.norm, columns=params.columns,
                                                      smoothing=params.smoothing, gammas=params.gammas)
            self.releases_, self.answers_ = tuple(known.releases), tuple(known.answers)
            self._basis, self.frontier_ = basis, frontier
            self.accepted_: Accepted | Believed = what_is_accepted(known, public, decisions, frontier.used)
        self.smoothing_ = {name: getattr(known.public.settings, name) for name in ("length", "linear", "smooth", "residual")}

    def _publish(self, public: Public, basis: Basis, frontier: Chosen, believed: Believed, asked: list[Asked]) -> None:
        self.releases_ = tuple(one.release for one in asked)
        self.answers_ = tuple((of_everybody(one.question, public, one.rate), one.answers) for one in asked)
        self._basis, self.frontier_, self.accepted_ = basis, frontier, believed
        self.smoothing_ = {name: getattr(public.settings, name) for name in ("length", "linear", "smooth")}

    def _warn(self, y: np.ndarray) -> None:
        if self.method != "designed":
            return
        warn_of_few(y, self._parity)
        rates = len(self._parity.cells)
        first = list(zip(self.answers_[:rates], self.releases_[:rates], strict=True))

        def most(times: float) -> int:
            """Cells of the larger label, had the first question so many times its epsilon."""
            return max(cells_for(int((cells >= 0).sum()), times / number_of(release.scale), DESIGNED) for (cells, _), release in first)

        if most(1.0) > 1 or max(len(cells[cells >= 0]) for (cells, _), _ in first) == 1:
            return                              # of one person no epsilon makes two cells
        if self.share is not None and most(1 / self.share) > 1:
            warnings.warn(f"share = {self.share:g} leaves so little of epsilon = {self.epsilon:g} for the first question that noise hides "
                          "every cell of people, and the second is designed in the dark. Choose a larger share, or leave it out.",
                          NothingToAskWarning, stacklevel=3)
            return
        warnings.warn(f"epsilon = {self.epsilon:g} is so small that noise hides every cell of people: what is published goes from the "
                      "best constant to the classifier that nothing constrains. Choose a larger epsilon, or give more people.",
                      NothingToAskWarning, stacklevel=3)

    def decisions(self, X: ArrayLike) -> np.ndarray:
        """What every candidate decides, shape (H, n), 0 or 1: the rows that ``frontier_.weights`` mixes."""
        check_is_fitted(self, "frontier_")
        self._refuse_a_stale_fit()
        refuse_other_columns(self, X)
        return (self._basis(self._people(X)) @ self.frontier_.multipliers.T > 0).T.astype(np.int64)

    def _draws(self, gammas: np.ndarray, rng: np.random.Generator) -> Drawn:
        weights = np.stack([self.frontier_.row(gamma) for gamma in gammas])
        if isinstance(self.accepted_, Believed):
            parity = self._parity
            return Drawn(expected_violations(self.accepted_, weights, parity), (weights @ self.frontier_.error)[None],
                         violation_of(self.accepted_.rates(weights, MORE_APART), parity))
        known = self.accepted_.of_mixtures(weights)
        rates = known.rates(draws_of(2 * known.means.size), rng)
        claimed = np.abs(weights @ self.frontier_.gaps).max(axis=1)
        return Drawn(claimed, (weights @ self.frontier_.error)[None], violation_of(rates, self._parity))

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity]:
        if isinstance(self.accepted_, Believed):
            return self.accepted_.people, self.accepted_.deviation, float(self.epsilon), self._parity
        return *self.accepted_.sizes(), float(self.epsilon), self._parity

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """The group is no input: given, it is only checked."""
        X = self._people(X)
        self._validated_groups(sensitive_features, len(X))
        weights = self.frontier_.row(gamma)
        used = np.flatnonzero(weights > 0)
        with one_thread():
            return chances(self._basis, X, self.frontier_.multipliers[used], weights[used])

    def _people(self, X: ArrayLike) -> np.ndarray:
        return check.filled("X", check.rows("X", X, columns=self.n_features_in_, low=-1e50, high=1e50), "person")


def of_everybody(question: Any, public: Public, r: int) -> Any:
    """What the people of one rate were asked, as a question to all: in no cell, or with weight 0, is who was not asked."""
    if isinstance(question, tuple):
        return question[0], of_everybody(question[1], public, r)
    if question.ndim == 1:
        whole = np.full(public.m, -1, dtype=np.int32)
    else:
        whole = np.zeros((len(question), public.m), dtype=np.int16)
    whole[..., public.people[r]] = question
    return whole
