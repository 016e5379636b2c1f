"""The two estimators: a network whose fairness has a price, and one that keeps everybody's group private."""
from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .. import mechanisms
from .._classifier import RandomizedClassifier
from ..accounting import UNIT_A, Release
from ..fairness import Parity
from ..fairness.parity import Notion
from ..mechanisms import release_cells
from ..mechanisms.geometric import geometric_variance
from ..networks import Adam, Network
from ..networks.gradients import MOST
from ..oneshot import debiased_groups, guess_groups, public_part, suggested_cells
from ..training.checkpoint import digest, values_of
from ..training.loop import Callback, check_function
from .calibration import Noise, find_noise, training_releases
from .loop import ASKED, Kind, Run
from .plan import LEAST_SAMPLE, Plan
from .private_steps import LEAST, noisy_sizes, public_sizes
from .problem import LARGEST, FairProblem
from .terms import Averaged, FairTerms

__all__ = ["FairLagrangian", "PrivateFairLagrangian"]

Method = Literal["gradients", "response", "posterior"]
METHODS: tuple[Method, ...] = get_args(Method)
Decision = Literal["threshold", "score"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)
Multipliers = Literal["signed", "absolute"]
MULTIPLIERS: tuple[Multipliers, ...] = get_args(Multipliers)

CHECKPOINTS = 10        # of one fit


class Setting(NamedTuple):
    """The parameters of a fit, each checked; the plan without the secret sample, whose rate goes by how many people there are."""

    terms: FairTerms
    plan: Plan
    hidden: tuple[int, ...]
    more: dict[str, Any]


class LagrangianClassifier(RandomizedClassifier):
    """What both have: a network on X alone, multipliers, and a history of both."""

    _tunable_after_fit: ClassVar[tuple[str, ...]] = ("progress", "callback", "checkpoint")

    gamma: float
    notion: Notion | Parity
    n_groups: int
    h: Averaged | None
    missing: bool
    decision: Decision
    hidden: Sequence[int]
    epochs: int
    batch: int
    rate: float
    dual_rate: float
    largest: float
    free: int
    progress: bool
    callback: Callback | None
    checkpoint: str | os.PathLike[str] | None

    def _read(self, more: dict[str, Any], **of_the_plan: Any) -> Setting:
        """What both read; read before any noise is drawn."""
        plan = Plan(self.epochs, self.batch, optimizer=Adam(check.number("rate", self.rate, low=1e-9, high=1e3)), dual_rate=self.dual_rate,
                    largest=self.largest, gamma=check.number("gamma", self.gamma, low=0.0, high=1.0), free=self.free, **of_the_plan)
        if plan.epochs <= plan.free:
            check.refuse("epochs, free", (plan.epochs, plan.free), "no epoch is left that reads groups",
                         "Choose more epochs, or fewer free ones.")
        hidden = check.entries("hidden", self.hidden, "a list of sizes of layers", "Give for instance (100, 100), or () for none.")
        check.choice("decision", self.decision, DECISIONS)
        check.flag("progress", self.progress)
        if self.callback is not None:
            check_function("callback", self.callback)
        check.flag("missing", self.missing)
        return Setting(FairTerms(self.notion, self.n_groups, self.h), plan, Network(1, tuple(hidden)).hidden, more)

    def _people(self, X: Any, columns: int | None = None) -> np.ndarray:
        return check.filled("X", check.rows("X", X, columns=columns, low=-LARGEST, high=LARGEST), "person")

    def _told_once(self, s: Setting, X: Any, y: np.ndarray, sensitive_features: Any) -> tuple[np.ndarray, np.ndarray]:
        """X as an array, and everybody's code, all looked at before anything is drawn."""
        X = check.filled("X", self._people(X), "feature")
        if len(y) != len(X):
            check.refuse("y", y.shape, f"not as long as X, which has {len(X)} rows", "Give everybody's label.")
        return X, check.groups_below("sensitive_features", sensitive_features, s.terms.n_groups + self.missing, length=len(X),
                                     last="n_groups" if self.missing else "n_groups - 1")

    def _begun(self, s: Setting, X: np.ndarray, y: np.ndarray, A: np.ndarray, **more: Any) -> tuple[str | None, np.ndarray | None]:
        """What this fit is, for its checkpoint; and what a killed fit of the same was told before its first step, where there is its file.

        Read before anything is asked: what a refused fit had asked for would be a release for nothing.
        """
        if self.checkpoint is None:
            return None, None
        told = digest({"algorithm": "lagrangian", "plan": s.plan.told(), "terms": s.terms.told(), "hidden": s.hidden, "settings": s.more,
                       "missing": bool(self.missing), "X": X, "Y": y, "A": A} | more)
        kept = values_of(self.checkpoint, told)
        return told, None if kept is None else kept.get("asked")

    def _train(self, run: Run, rng: np.random.Generator, told: str | None) -> None:
        rounds = run.plan.epochs * run.plan.steps(run.problem.m)
        every = None if self.checkpoint is None else max(1, rounds // CHECKPOINTS)
        found = run.train(rng, progress=self.progress, callback=self.callback, checkpoint=self.checkpoint, every=every,
                          told=told)
        self.network_, self.theta_, self.multipliers_, self.history_ = run.problem.network, found.theta, found.multipliers, found.history
        self.parity_, self.skipped_ = run.problem.terms.parity, found.skipped
        self.error_ = float(np.abs(self._decided(run.problem.rows) - run.problem.y).mean())

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """The group is no input: given, it is only checked."""
        X = self._people(X, self.n_features_in_)
        self._validated_groups(sensitive_features, len(X))
        return self._decided(X)

    def _decided(self, X: np.ndarray) -> np.ndarray:
        """Everybody's chance of a 1."""
        scores = self.network_.probabilities(self.theta_, X)
        return (scores >= 0.5).astype(float) if self.decision == "threshold" else scores


class FairLagrangian(LagrangianClassifier):
    """A network that learns labels and pays for what groups are treated differently: F-LD. **Not private.**

    Source: Tran et al. 2020, Algorithm 1. With ``multipliers="absolute"`` it is the paper's: prices of absolute violations, which a batch
    has by its own groups, and which never fall (gap T21). As without a word they are signed, over the groups' sizes in all the data: the
    Lagrangian of the constraint itself. Then a batch without a group is no problem, and a price falls again when it was too high.

    The classifier reads X alone. What is made equal are mean *scores* (gap T27). With ``decision="threshold"``, as in the paper's Table 2,
    a person is accepted where the score is at least 1/2, and how equal decisions are then is another number, often near but bound by
    nothing. With ``decision="score"`` the score is the chance of a 1: then exactly what was trained is equal, on average over coins, and
    less accurate.

    Standardize X. It may be a numpy memmap, see :func:`spool`: a batch is read at a time, and the same numbers come out.

    Parameters
    ----------
    gamma : float in [0, 1]
        The violation allowed, of a group's mean to everybody's. The paper's is 0.
    notion : str or fairness.Parity
        ``demographic_parity``, ``equalized_odds``, ``accuracy_parity``, ``false_positive`` or ``true_positive``, as in :class:`FairTerms`.
    n_groups : int in 2..1000
        k.
    h : str, optional
        ``score``, ``error`` or ``loss``, as in :class:`FairTerms`.
    missing : bool
        The code k is a person who did not say the group: such a person is in none.
    decision : str
        ``threshold`` or ``score``.
    multipliers : str
        ``signed`` or ``absolute``. With ``absolute`` a group of whom nobody is in a batch has no price in that step, and
        ``skipped_`` counts such batches.
    hidden : sequence of ints
        Sizes of the hidden layers.
    epochs : int in 1..10^6
        T.
    batch : int in 1..10^9
        People of a step.
    rate : float in [1e-9, 1000]
        Of Adam.
    dual_rate : float in [0, 1e9]
        s.
    largest : float in (0, 1e9]
        lambda^max.
    free : int in 1..10^6
        Epochs before the first dual step; of ``signed``, as the paper has 1.
    progress : bool
        A bar on the standard error stream.
    callback : callable, optional
        ``callback(state)`` after each step, as of :func:`training.train`; True stops the training. It sees the generator, which is secret
        where the fit is private, and may stop it by published numbers only; all steps are then counted that were to come.
    checkpoint : path, optional
        A file from which a fit that was killed resumes to the same bytes. One file for one fit. It is written about ten times.

    Attributes
    ----------
    network_ : networks.Network
    theta_ : (p,) array
    multipliers_ : (k, R) array
        Of the last epoch.
    error_ : float
        How often it errs on the people of ``fit``.
    history_ : pandas.DataFrame
        A row an epoch: ``loss``, each ``multiplier``, such as ``multiplier FP 1``, each ``violation`` at the end of the epoch.
    skipped_ : int
    parity_ : fairness.Parity
    n_features_in_ : int
    feature_names_in_ : array of str, where X has columns with names
    classes_ : array([0, 1])

    Raises
    ------
    ValueError
        By every method, for any parameter or array out of range; a group of which there is nobody; steps so large that numbers overflow.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> model = FairLagrangian(0.0, notion="demographic_parity", hidden=(8,), epochs=20, batch=50)
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> model.predict_proba(people.X[:3]).shape, model.history_.shape
    ((3, 2), (20, 5))
    """

    def __init__(self, gamma: float, *, notion: Notion | Parity = "equalized_odds", n_groups: int = 2, h: Averaged | None = None,
                 missing: bool = False, decision: Decision = "threshold", multipliers: Multipliers = "signed",
                 hidden: Sequence[int] = (100, 100), epochs: int = 20, batch: int = 256, rate: float = 0.001, dual_rate: float = 1.0,
                 largest: float = 5.0, free: int = 1, progress: bool = False, callback: Callback | None = None,
                 checkpoint: str | os.PathLike[str] | None = None) -> None:
        self.gamma = gamma
        self.notion = notion
        self.n_groups = n_groups
        self.h = h
        self.missing = missing
        self.decision = decision
        self.multipliers = multipliers
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.dual_rate = dual_rate
        self.largest = largest
        self.free = free
        self.progress = progress
        self.callback = callback
        self.checkpoint = checkpoint

    def _checked_params(self) -> Any:
        kind = check.choice("multipliers", self.multipliers, MULTIPLIERS)
        if kind == "absolute" and self.free != 1:
            check.unread("multipliers='absolute'", "multipliers='signed'", free=self.free)
        return self._read({"kind": kind}, empty="skip")

    def _learn(self, s: Setting, X: Any, y: np.ndarray, sensitive_features: Any, rng: np.random.Generator) -> None:
        X, A = self._told_once(s, X, y, sensitive_features)
        problem = FairProblem(Network(X.shape[1], s.hidden), X, A, y, s.terms, missing=self.missing)
        sizes = s.terms.sizes(problem.cells, problem.weights)
        if (sizes == 0).any():
            a, r = np.argwhere(sizes == 0)[0]
            check.refuse("sensitive_features", int(a), f"a group of whom nobody is under the line of {s.terms.parity.cells[r].name}, so it "
                         "has no mean", "Leave the group out and renumber the others, or merge groups"
                         f"{f', or choose an n_groups below {s.terms.n_groups}' if s.terms.n_groups > 2 else ''}.")
        kind: Kind = s.more["kind"]
        self._train(Run(problem, s.plan, kind, sizes), rng, self._begun(s, X, y, A)[0])


class PrivateFairLagrangian(LagrangianClassifier):
    """A network whose fairness has a price, with (epsilon, delta)-differential privacy for everybody's group: PF-LD, repaired.

    Source: ours, repairing Tran et al. 2020, Algorithm 1 with equations (10) and (13): :func:`pf_ld`. Privacy unit: one person's A
    changes; X, y, m and the set of groups are public. The classifier reads X alone, so it may be published with all that is in this object.

    ``gradients`` is the paper's road: in each step a noisy sum of the group's gradients over a secret sample, in each epoch noisy
    violations. The other two ask once, with pure epsilon, and then train as long as one likes, on everybody's expected group: their
    ``delta`` is 0. ``response`` asks everybody for a randomized response and weighs by what it says, freed of its bias; ``posterior`` asks
    for noisy counts in public cells of people who are alike, as :class:`~dpfair_teach.oneshot.FrontierLearner` does, and weighs by the
    best guess.

    Each ``fit`` is a new release. ``gradients`` has the guarantee of the ideal law of its noise; what doubles give away beside it is not
    reckoned, see :func:`noisy_group_sum`; ``posterior`` and ``response`` as :func:`mechanisms.geometric` and
    :func:`mechanisms.randomized_response` say.

    Scores and decisions: gap T27, see :class:`FairLagrangian`. Standardize X; a numpy memmap is read a batch at a time, with the same
    releases.

    Parameters
    ----------
    epsilon : float in [1e-6, 100]
        Of the whole fit.
    gamma : float in [0, 1]
        The violation allowed, of a group's mean to everybody's. The paper's is 0.
    delta : float in [0, 0.5]
        Of the whole fit; 0 for ``response`` and ``posterior``, at least 1e-10 for ``gradients``.
    notion : str or fairness.Parity
        ``demographic_parity``, ``equalized_odds``, ``accuracy_parity``, ``false_positive`` or ``true_positive``, as in :class:`FairTerms`.
    n_groups : int in 2..1000
        k, public. It is not read off A. With ``missing`` at most 999.
    method : str
        ``gradients``, ``response`` or ``posterior``.
    h : str, optional
        ``score``, ``error`` or ``loss``, as in :class:`FairTerms`.
    missing : bool
        The code k is a person who did not say the group: such a person is in none, and who did not say is private too.
    decision : str
        ``threshold`` or ``score``.
    hidden : sequence of ints
        Sizes of the hidden layers.
    epochs : int in 1..10^6
        T.
    batch : int in 1..10^9
        People of a public batch.
    rate : float in [1e-9, 1000]
        Of Adam.
    dual_rate : float in [0, 1e9]
        s.
    largest : float in (0, 1e9]
        Multipliers are kept within it.
    free : int in 1..10^6
        Epochs before the first dual step: they read nothing private. Below ``epochs``.
    clip : float in (0, 1e9], optional
        For ``gradients``: of each person's gradient of h. None: 1.
    sample : float in [1e-5, 1], optional
        For ``gradients``: with which probability a person is in a step's secret sample. None: batch / m, within that range.
    subspace : int in 0..1000, optional
        For ``gradients``: so many :func:`public_directions`, found anew every 25 steps, along which the penalty moves the network, with
        noise on as many coordinates. None, or 0: all parameters.
    shares : sequence of floats in (0, 1], optional
        For ``gradients``: each group's share, known from elsewhere, as in :func:`public_sizes`. None: sizes are asked for.
    sizes_share : float in [0.001, 0.9], optional
        For ``gradients`` without ``shares``: of epsilon, for the sizes. None: a twentieth.
    dual_share : float in [0.001, 0.9], optional
        For ``gradients``: of epsilon, for the violations. None: 0.2.
    n_cells : int in 2..10,000, optional
        For ``posterior``: cells a label. None: :func:`~dpfair_teach.oneshot.suggested_cells`.
    progress : bool
        A bar on the standard error stream.
    callback : callable, optional
        ``callback(state)`` after each step, as of :func:`training.train`; True stops the training. It sees the generator, which is secret
        where the fit is private, and may stop it by published numbers only; all steps are then counted that were to come.
    checkpoint : path, optional
        A file from which a fit that was killed resumes to the same bytes, with what it had asked, whatever generator of that kind it is
        given. As secret as the data: it holds the generator of the noise, and a hash by which a guess of the groups can be tested. One file
        for one fit; it is written about ten times, and removed at the end.

    Attributes
    ----------
    network_ : networks.Network
    theta_ : (p,) array
    multipliers_ : (k, R) array
        Signed; those of the last epoch.
    error_ : float
        How often it errs on the people of ``fit``: X, y and the network are public, so this is.
    history_ : pandas.DataFrame
        A row an epoch: ``loss``, which is public, each ``multiplier``, such as ``multiplier FP 1``, each noisy ``violation`` as the dual
        step saw it.
    sizes_ : (k, R) array
        How large each group is taken to be.
    deviation_ : (k, R) array
        How far noise alone moves the number of those of a group who are accepted, one standard deviation, where half are: what
        :class:`~dpfair_teach.SmallGroupWarning` goes by.
    noise_ : Noise, or None
    releases_ : tuple of accounting.Release, of the last ``fit`` only
        Of ``gradients``, sums in units of how far one person moves them.
    parity_ : fairness.Parity
    skipped_ : int, 0
    n_features_in_ : int
    feature_names_in_ : array of str, where X has columns with names
    classes_ : array([0, 1])

    Raises
    ------
    ValueError
        By every method, for any parameter or array out of range; by ``fit`` for a budget that no noise reaches, and steps so large that
        numbers overflow; never because of who is in which group: an empty group says nothing. With one exception: a ``checkpoint`` that a
        killed fit has left is refused to a fit of other data, also where only groups differ. That refusal is as secret as the file.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> model = PrivateFairLagrangian(2.0, 0.0, 1e-5, notion="demographic_parity", hidden=(8,), epochs=5, batch=50)
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> [(r.mechanism, r.times) for r in model.releases_]
    [('geometric', 1), ('gaussian', 32), ('gaussian', 4)]
    """

    def __init__(self, epsilon: float, gamma: float, delta: float, *, notion: Notion | Parity = "equalized_odds", n_groups: int = 2,
                 method: Method = "gradients", h: Averaged | None = None, missing: bool = False, decision: Decision = "threshold",
                 hidden: Sequence[int] = (100, 100), epochs: int = 20, batch: int = 256, rate: float = 0.001, dual_rate: float = 1.0,
                 largest: float = 5.0, free: int = 1, clip: float | None = None, sample: float | None = None, subspace: int | None = None,
                 shares: ArrayLike | None = None, sizes_share: float | None = None, dual_share: float | None = None,
                 n_cells: int | None = None, progress: bool = False, callback: Callback | None = None,
                 checkpoint: str | os.PathLike[str] | None = None) -> None:
        self.epsilon = epsilon
        self.gamma = gamma
        self.delta = delta
        self.notion = notion
        self.n_groups = n_groups
        self.method = method
        self.h = h
        self.missing = missing
        self.decision = decision
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.dual_rate = dual_rate
        self.largest = largest
        self.free = free
        self.clip = clip
        self.sample = sample
        self.subspace = subspace
        self.shares = shares
        self.sizes_share = sizes_share
        self.dual_share = dual_share
        self.n_cells = n_cells
        self.progress = progress
        self.callback = callback
        self.checkpoint = checkpoint

    def _checked_params(self) -> Any:
        """Read and checked before any noise is drawn: afterwards no message may depend on it."""
        method = check.choice("method", self.method, METHODS)
        epsilon = check.number("epsilon", self.epsilon, low=1e-6, high=100.0)
        gradients = method == "gradients"
        delta = check.number("delta", self.delta, low=0.0, high=0.5)
        if gradients and delta < 1e-10:
            check.refuse("delta", delta, "and noisy gradients need one of 1e-10 at least", "Choose it well below 1 / m, or another method.")
        if not gradients and delta:
            check.refuse("delta", delta, f"is read by method='gradients', and not by method={method!r}, which is private without one",
                         "Give delta=0, or choose method='gradients'.")
        if not gradients:
            check.unread(f"method={method!r}", "method='gradients'", clip=self.clip, sample=self.sample, subspace=self.subspace,
                         shares=self.shares, sizes_share=self.sizes_share, dual_share=self.dual_share)
        if method != "posterior":
            check.unread(f"method={method!r}", "method='posterior'", n_cells=self.n_cells)
        if self.shares is not None:
            check.filled("shares", check.array("shares", self.shares, low=0.0, high=1.0, booleans=False), "share")
            check.unread(f"shares={check.shown(self.shares)}", "a fit without shares", sizes_share=self.sizes_share)
        more = {"epsilon": epsilon, "delta": delta,
                "sample": None if self.sample is None else check.number("sample", self.sample, low=LEAST_SAMPLE, high=1.0),
                "subspace": None if self.subspace is None else check.integer("subspace", self.subspace, low=0, high=1000),
                "sizes_share": 0.05 if self.sizes_share is None else check.number("sizes_share", self.sizes_share, low=1e-3, high=0.9),
                "dual_share": 0.2 if self.dual_share is None else check.number("dual_share", self.dual_share, low=1e-3, high=0.9),
                "n_cells": None if self.n_cells is None else check.integer("n_cells", self.n_cells, low=2, high=10_000)}
        setting = self._read(more, clip=1.0 if self.clip is None else check.number("clip", self.clip, low=0.0, high=1e9, low_open=True))
        if self.missing and setting.terms.n_groups == check.MOST_GROUPS:
            check.refuse("n_groups", self.n_groups, "with missing=True, which is one group more while groups are asked",
                         f"Choose at most {check.MOST_GROUPS - 1} groups, or missing=False.")
        return setting

    def _learn(self, s: Setting, X: Any, y: np.ndarray, sensitive_features: Any, rng: np.random.Generator) -> None:
        X, A = self._told_once(s, X, y, sensitive_features)
        network = Network(X.shape[1], s.hidden)
        if self.method == "gradients":
            self._by_gradients(s, FairProblem(network, X, A, y, s.terms, missing=self.missing), rng)
            return
        told, kept = self._begun(s, X, y, A, method=self.method)
        weights, asked = (self._by_response if self.method == "response" else self._by_posterior)(s, X, y, A, kept, rng)
        problem = FairProblem(network, X, weights, y, s.terms)
        everybody = np.maximum(problem.people, 1.0)
        self.sizes_ = np.clip(s.terms.sizes(problem.cells, weights), np.maximum(LEAST * everybody, 1.0), everybody)
        self.deviation_ = self._by_the_answer(s, everybody, asked)
        self.noise_: Noise | None = None
        self._train(Run(problem, s.plan, "signed", self.sizes_, asked=asked), rng, told)

    def _by_gradients(self, s: Setting, problem: FairProblem, rng: np.random.Generator) -> None:
        assert problem.codes is not None
        more, m, k = s.more, problem.m, s.terms.n_groups
        plan = Plan(**vars(s.plan) | {"sample": more["sample"] or min(1.0, max(s.plan.batch / m, LEAST_SAMPLE))})
        most = min(plan.batch, m, problem.network.n_parameters)
        rank = more["subspace"] or 0
        if rank > most:
            check.refuse("subspace", rank, f"more directions than {min(plan.batch, m)} people of a batch, or "
                         f"{problem.network.n_parameters} parameters, have", "Choose fewer, or 0 for all parameters.")
        asked = min(max(ASKED, 2 * rank), plan.batch, m)
        if rank and asked * problem.network.n_parameters > MOST:
            check.refuse("hidden, subspace", (s.hidden, rank), f"directions of {asked} gradients of {problem.network.n_parameters} numbers "
                         f"each, more than {MOST:,} in all", "Choose a smaller network, or subspace=0.")
        public = None if self.shares is None else public_sizes(problem, self.shares)
        noise = find_noise(more["epsilon"], more["delta"], plan, m, sizes_share=0.0 if public is not None else more["sizes_share"],
                           dual_share=more["dual_share"])
        told, kept = self._begun(s, problem.rows, problem.y, problem.codes, method=self.method, noise=vars(noise), sample=plan.sample,
                                 public=public)
        self.releases_: tuple[Release, ...] = training_releases(noise, plan, m, k, bool(self.missing))
        if public is None:
            self.sizes_ = noisy_sizes(problem, noise.sizes, rng)[0] if kept is None else kept
        else:
            self.sizes_ = public
        self.noise_ = noise
        # of the violations of all epochs together, as their multipliers add them up
        of_one = math.sqrt(2 * (1 if self.missing else 1 - 1 / k)) * noise.dual
        self.deviation_ = np.full(s.terms.shape, of_one / math.sqrt(max(1, plan.epochs - plan.free)))
        self._train(Run(problem, plan, "private", self.sizes_, noise, rank, self.sizes_), rng, told)

    def _by_the_answer(self, s: Setting, everybody: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """How far what was asked once may be off in the number of those of a group who are accepted, where half are (k, R)."""
        epsilon, k = s.more["epsilon"], s.terms.n_groups + self.missing
        if self.method == "response":
            p, q = mechanisms.randomized_response_matrix(k, epsilon)[0, :2]
            return np.sqrt(everybody * q * (1 - q) + self.sizes_ * (p * (1 - p) - q * (1 - q))) / 2 / (p - q)
        cells = np.array([asked.shape[-1] * (1.0 if cell.label is None else 0.5) for cell in s.terms.parity.cells])
        of_one = geometric_variance(self.releases_[0].sensitivity or 1.0, epsilon)
        return np.broadcast_to(np.sqrt(cells / 2 * of_one), s.terms.shape)

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity] | None:
        return self.sizes_, self.deviation_, float(self.epsilon), self.parity_

    def _by_response(self, s: Setting, X: np.ndarray, y: np.ndarray, A: np.ndarray, kept: np.ndarray | None,
                     rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Everybody's weight on each group, by everybody's response; who did not say is one more group while asked. And the responses."""
        epsilon, k = s.more["epsilon"], s.terms.n_groups + self.missing
        self.releases_ = (Release("randomized response", UNIT_A, epsilon=epsilon),)
        reports = mechanisms.randomized_response(A, k, epsilon, rng).astype(np.int16) if kept is None else kept
        return debiased_groups(reports, k, epsilon)[:, :s.terms.n_groups], reports

    def _by_posterior(self, s: Setting, X: np.ndarray, y: np.ndarray, A: np.ndarray, kept: np.ndarray | None,
                      rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The same, by noisy counts of cells; and the counts."""
        epsilon, k = s.more["epsilon"], s.terms.n_groups + self.missing
        public = public_part(X, y)
        cells, n = public.cells(s.more["n_cells"] or suggested_cells(public.m, epsilon))
        release, = mechanisms.Measurement("geometric", UNIT_A, sensitivity=mechanisms.cell_sensitivity(k), epsilon=epsilon).planned(1)
        self.releases_ = (release,)
        counts = release_cells(cells, A, epsilon, rng, n_groups=k, n_cells=n)[0] if kept is None else kept
        return guess_groups(public, [(cells, counts, release)]).weights[:, :s.terms.n_groups], counts
