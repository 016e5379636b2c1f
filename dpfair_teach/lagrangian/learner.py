"""The two estimators: a network whose fairness has a price, and one that keeps everybody's group private."""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from tqdm import tqdm

from .. import _checks as check
from .._classifier import RandomizedClassifier
from ..fairness import Parity
from ..fairness.parity import Notion
from ..mechanisms import Release
from ..networks import Adam, Network
from .algorithm import f_ld_signed, pf_ld
from .plan import LARGEST, LEAST_SAMPLE, Plan, find_noise, training_releases
from .private_steps import noisy_sizes
from .problem import FairProblem, FairTerms, Part, PublicProblem

__all__ = ["FairLagrangian", "PrivateFairLagrangian"]

#: Options that are gone.
GONE = {"rate": "Say learning_rate.", "dual_rate": "Say dual_learning_rate.", "largest": "Say max_multiplier.",
        "clip": "Say max_grad_norm.",
        "free": "PrivateFairLagrangian warms up for a third of its epochs; write the loop with lagrangian.Plan(warmup_epochs=...).",
        "h": "It is the score, and for accuracy parity the chance to be wrong.",
        "decision": "It decides by a score of 1/2; the scores are network_.probabilities(theta_, X).",
        "multipliers": "They are signed; the paper's are those of lagrangian.f_ld.",
        "callback": "Read history_ after the fit, or give lagrangian.f_ld_signed, privately pf_ld, a log.",
        "checkpoint": "Fit in one go: a fit that resumes could draw its noise twice.",
        "method": "Noisy gradients are the way; to ask once take oneshot.FrontierLearner.",
        "n_cells": "It belonged to method='posterior'; to ask once in cells take oneshot.FrontierLearner.",
        "sample": "It is batch / m; write the loop with lagrangian.Plan(sampling_probability=...) for another.",
        "subspace": "Write the loop with lagrangian.noisy_group_sum and its directions.",
        "shares": "Write the loop with lagrangian.public_sizes and lagrangian.pf_ld.",
        **dict.fromkeys(("sizes_share", "dual_share"), "It is fixed.")}
#: Of epsilon, for the sizes of the groups.
SIZES_BUDGET_FRACTION = 0.05


class LagrangianParams(NamedTuple):
    """The parameters of a fit, each checked; the plan without the secret sample, whose rate goes by how many people there are."""

    terms: FairTerms
    plan: Plan
    hidden: tuple[int, ...]
    epsilon: float = 0.0
    delta: float = 0.0


class History:
    """What a training publishes as it goes: of each epoch the loss, the multipliers and the violations; and a bar."""

    def __init__(self, problem: PublicProblem, plan: Plan, progress: bool) -> None:
        self.problem, self.plan = problem, plan
        self.steps, self.loss = 0, 0.0
        self.rows: list[dict[str, float]] = []
        self.bar = tqdm(total=plan.epochs * plan.steps(problem.m), unit="step") if progress else None

    def __call__(self, part: Part | None = None, multipliers: np.ndarray | None = None, violations: np.ndarray | None = None) -> None:
        if violations is not None:
            self.rows[-1] |= self._named("violation", violations)
        if part is None or multipliers is None:
            return
        if self.steps % self.plan.steps(self.problem.m) == 0:
            self.rows.append({"loss": 0.0} | self._named("multiplier", multipliers))
        self.rows[-1]["loss"] += part.loss() * part.n / self.problem.m
        self.steps += 1
        if self.bar is not None:
            self.bar.update()

    def _named(self, word: str, numbers: np.ndarray) -> dict[str, float]:
        return {f"{word} {cell.name} {a}": float(numbers[a, r]) for r, cell in enumerate(self.problem.terms.parity.cells)
                for a in range(self.problem.terms.n_groups)}

    def table(self) -> Any:
        """A row an epoch; the violations are those that its dual step saw, and none where it had no dual step."""
        import pandas as pd

        nothing = np.full(self.problem.terms.shape, np.nan)
        columns = ["loss", *self._named("multiplier", nothing), *self._named("violation", nothing)]
        return pd.DataFrame(self.rows, columns=columns, index=pd.RangeIndex(1, len(self.rows) + 1, name="epoch"))


class LagrangianClassifier(RandomizedClassifier):
    """What both have: a network on X alone, multipliers, and a history of both."""

    _tunable_after_fit: ClassVar[tuple[str, ...]] = ("progress",)

    gamma: float
    notion: Notion | Parity
    n_groups: int
    missing: bool
    hidden: Sequence[int]
    epochs: int
    batch: int
    learning_rate: float
    dual_learning_rate: float
    max_multiplier: float
    progress: bool

    def _read(self, *, epsilon: float = 0.0, delta: float = 0.0, **of_the_plan: Any) -> LagrangianParams:
        """What both read; read before any noise is drawn."""
        plan = Plan(check.integer("epochs", self.epochs, low=2, high=10**6), self.batch,
                    optimizer=Adam(check.number("learning_rate", self.learning_rate, low=1e-9, high=1e3)),
                    dual_learning_rate=self.dual_learning_rate, max_multiplier=self.max_multiplier,
                    gamma=check.number("gamma", self.gamma, low=0.0, high=1.0), **of_the_plan)
        hidden = check.entries("hidden", self.hidden, "a list of sizes of layers", "Give for instance (100, 100), or () for none.")
        check.flag("progress", self.progress)
        check.flag("missing", self.missing)
        return LagrangianParams(FairTerms(self.notion, self.n_groups), plan, Network(1, tuple(hidden)).hidden, epsilon, delta)

    def _people(self, X: Any, columns: int | None = None) -> np.ndarray:
        return check.filled("X", check.rows("X", X, columns=columns, low=-LARGEST, high=LARGEST), "person")

    def _keep(self, problem: PublicProblem, theta: np.ndarray, multipliers: np.ndarray, history: History) -> None:
        self.network_, self.theta_, self.multipliers_ = problem.network, theta, multipliers
        self.history_, self.parity_ = history.table(), problem.terms.parity
        self.error_ = float(np.abs(self._decided(problem.rows) - problem.y).mean())

    def _positive_proba(self, X: Any, sensitive_features: ArrayLike | None, gamma: float) -> np.ndarray:
        """The group is no input: given, it is only checked."""
        X = self._people(X, self.n_features_in_)
        self._validated_groups(sensitive_features, len(X))
        return self._decided(X)

    def _decided(self, X: np.ndarray) -> np.ndarray:
        """Everybody's decision: 1 where the score is at least 1/2."""
        return (self.network_.probabilities(self.theta_, X) >= 0.5).astype(float)


@check.formerly(**GONE)
class FairLagrangian(LagrangianClassifier):
    """A network that learns labels and pays for what groups are treated differently: F-LD. **Not private.**

    Source: Tran et al. 2020, Algorithm 1, with signed prices over the groups' sizes in all the data: :func:`f_ld_signed`; the paper's own
    is :func:`f_ld`. The classifier reads X alone. What is made equal are mean *scores* (gap T27). A person is accepted where the score is
    at least 1/2, and how equal decisions then are is another number, often near but bound by nothing. Standardize X.

    Parameters
    ----------
    gamma : float in [0, 1]
        The violation aimed at, of a group's mean score to everybody's: a training that ends early, and noise, miss it, and decisions
        follow scores only roughly. Two groups may be 2 gamma apart. The paper's is 0.
    notion : str or fairness.Parity
        ``demographic_parity``, ``equalized_odds``, ``accuracy_parity``, ``false_positive`` or ``true_positive``, as in :class:`FairTerms`.
    n_groups : int in 2..1000
        k.
    missing : bool
        The code k is a person who did not say the group: such a person is in none.
    hidden : sequence of ints
        Sizes of the hidden layers.
    epochs : int in 2..10^6
        T.
    batch : int in 1..10^9
        People of a step.
    learning_rate : float in [1e-9, 1000]
        Of Adam.
    dual_learning_rate : float in [0, 1e9]
        s: how far a multiplier moves for a violation of 1.
    max_multiplier : float in (0, 1e9]
        Multipliers are kept within it.
    progress : bool
        A bar on the standard error stream.

    Attributes
    ----------
    network_, theta_ : networks.Network, (p,) array
    multipliers_ : (k, R) array
        Signed; those of the last epoch.
    error_ : float
        How often it errs on the people of ``fit``.
    history_ : pandas.DataFrame
        A row an epoch: ``loss``, each ``multiplier``, such as ``multiplier FP 1``, each ``violation`` as the dual step saw it.
    parity_ : fairness.Parity

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> model = FairLagrangian(0.0, notion="demographic_parity", hidden=(8,), epochs=20, batch=50)
    >>> model = model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    >>> model.predict_proba(people.X[:3]).shape, model.history_.shape
    ((3, 2), (20, 5))
    """

    def __init__(self, gamma: float, *, notion: Notion | Parity = "equalized_odds", n_groups: int = 2, missing: bool = False,
                 hidden: Sequence[int] = (100, 100), epochs: int = 20, batch: int = 256, learning_rate: float = 0.001,
                 dual_learning_rate: float = 1.0, max_multiplier: float = 5.0, progress: bool = False) -> None:
        self.gamma = gamma
        self.notion = notion
        self.n_groups = n_groups
        self.missing = missing
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.dual_learning_rate = dual_learning_rate
        self.max_multiplier = max_multiplier
        self.progress = progress

    def _checked_params(self) -> LagrangianParams:
        return self._read()

    def _learn(self, params: LagrangianParams, X: Any, y: np.ndarray, sensitive_features: Any, rng: np.random.Generator) -> None:
        X = check.filled("X", self._people(X), "feature")
        A = check.groups_below("sensitive_features", sensitive_features, params.terms.n_groups + self.missing, length=len(X),
                               last="n_groups" if self.missing else "n_groups - 1")
        problem = FairProblem(Network(X.shape[1], params.hidden), X, A, y, params.terms, missing=self.missing)
        terms = params.terms
        sizes = terms.sizes(problem.cells, problem.weights)
        if (sizes == 0).any():
            a, r = np.argwhere(sizes == 0)[0]
            check.refuse("sensitive_features", int(a), f"a group of whom nobody is under the line of {terms.parity.cells[r].name}, so it "
                         "has no mean", "Leave the group out and renumber the others, or merge groups"
                         f"{f', or choose an n_groups below {terms.n_groups}' if terms.n_groups > 2 else ''}.")
        history = History(problem.public, params.plan, self.progress)
        theta, multipliers = f_ld_signed(problem, params.plan, sizes, rng, history)
        self._keep(problem.public, theta, multipliers, history)


@check.formerly(**GONE)
class PrivateFairLagrangian(LagrangianClassifier):
    """A network whose fairness has a price, with (epsilon, delta)-differential privacy for everybody's group: PF-LD, repaired.

    Source: ours, repairing Tran et al. 2020, Algorithm 1 with equations (10) and (13): :func:`pf_ld`. Privacy unit: one person's A
    changes; X, y, m and the set of groups are public. The classifier reads X alone, so it may be published with all that is in this object.

    A twentieth of epsilon asks for the groups' sizes. Then each step has a noisy sum of the groups' gradients over a secret sample of
    about ``batch`` people, and each epoch noisy violations. The first third of the epochs is warm-up: it reads no group and costs nothing.

    Each ``fit`` is a new release. The guarantee is that of the ideal law of its noise, see :func:`noisy_group_sum`. Nothing is refused
    because of who is in which group: an empty one says nothing. A numpy memmap is read a batch at a time.

    Parameters
    ----------
    epsilon : float in [1e-6, 100]
        Of the whole fit.
    gamma : float in [0, 1]
        The violation aimed at, of a group's mean score to everybody's: a training that ends early, and noise, miss it, and decisions
        follow scores only roughly. Two groups may be 2 gamma apart. The paper's is 0.
    delta : float in [1e-10, 0.5]
        Of the whole fit; well below 1 / m.
    notion : str or fairness.Parity
        ``demographic_parity``, ``equalized_odds``, ``accuracy_parity``, ``false_positive`` or ``true_positive``, as in :class:`FairTerms`.
    n_groups : int in 2..1000
        k, public. It is not read off A. With ``missing`` at most 999.
    missing : bool
        The code k is a person who did not say the group: such a person is in none, and who did not say is private too.
    hidden, epochs, batch, learning_rate, dual_learning_rate, max_multiplier : as in :class:`FairLagrangian`
        The network, and its training on public batches.
    max_grad_norm : float in (0, 1e9]
        Each person's gradient of h is clipped to this length.
    progress : bool
        A bar on the standard error stream.

    Attributes
    ----------
    network_, theta_, multipliers_, error_, history_, parity_ : as in :class:`FairLagrangian`
        All public: the violations of the history are the noisy ones.
    sizes_ : (k, R) array
        How large each group is taken to be.
    deviation_ : (k, R) array
        How far noise alone moves the number of those of a group who are accepted, one standard deviation, where half are: what
        :class:`~dpfair_teach.SmallGroupWarning` goes by.
    noise_ : NoiseMultipliers
    releases_ : tuple of accounting.Release, of the last ``fit`` only
        Sums in units of how far one person moves them. Of a step that had nothing to ask there is none; what the fit costs is epsilon.

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
                 missing: bool = False, hidden: Sequence[int] = (100, 100), epochs: int = 20, batch: int = 256,
                 learning_rate: float = 0.001, dual_learning_rate: float = 1.0, max_multiplier: float = 5.0, max_grad_norm: float = 1.0,
                 progress: bool = False) -> None:
        self.epsilon = epsilon
        self.gamma = gamma
        self.delta = delta
        self.notion = notion
        self.n_groups = n_groups
        self.missing = missing
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.dual_learning_rate = dual_learning_rate
        self.max_multiplier = max_multiplier
        self.max_grad_norm = max_grad_norm
        self.progress = progress

    def _checked_params(self) -> LagrangianParams:
        """Read and checked before any noise is drawn: afterwards no message may depend on it."""
        params = self._read(
            epsilon=check.number("epsilon", self.epsilon, low=1e-6, high=100.0),
            delta=check.number("delta", self.delta, low=1e-10, high=0.5),
            max_grad_norm=check.number("max_grad_norm", self.max_grad_norm, low=0.0, high=1e9, low_open=True),
            warmup_epochs=max(1, check.integer("epochs", self.epochs, low=2, high=10**6) // 3))
        if self.missing and params.terms.n_groups == check.MOST_GROUPS:
            check.refuse("n_groups", self.n_groups, "with missing=True, which is one group more while groups are asked",
                         f"Choose at most {check.MOST_GROUPS - 1} groups, or missing=False.")
        return params

    def _learn(self, params: LagrangianParams, X: Any, y: np.ndarray, sensitive_features: Any, rng: np.random.Generator) -> None:
        X = check.filled("X", self._people(X), "feature")
        A = check.groups_below("sensitive_features", sensitive_features, params.terms.n_groups + self.missing, length=len(X),
                               last="n_groups" if self.missing else "n_groups - 1")
        problem = FairProblem(Network(X.shape[1], params.hidden), X, A, y, params.terms, missing=self.missing)
        m, k = problem.public.m, params.terms.n_groups
        plan = dataclasses.replace(params.plan, sampling_probability=min(1.0, max(params.plan.batch / m, LEAST_SAMPLE)))
        noise = find_noise(params.epsilon, params.delta, plan, m, sizes_budget_fraction=SIZES_BUDGET_FRACTION)
        self.releases_: tuple[Release, ...] = training_releases(noise, plan, m, k, bool(self.missing))      # of a fit that dies, at most
        (self.sizes_, asked), self.noise_ = noisy_sizes(problem, noise.sizes, rng), noise
        # of the violations of all epochs together, as their multipliers add them up
        of_one = math.sqrt(2 * (1 if self.missing else 1 - 1 / k)) * noise.dual
        self.deviation_ = np.full(params.terms.shape, of_one / math.sqrt(max(1, plan.epochs - plan.warmup_epochs)))
        history = History(problem.public, plan, self.progress)
        theta, multipliers, releases = pf_ld(problem, plan, self.sizes_, noise, rng, history)
        self.releases_ = (asked, *releases)
        self._keep(problem.public, theta, multipliers, history)

    def _people_and_noise(self) -> tuple[np.ndarray, np.ndarray, float, Parity] | None:
        return self.sizes_, self.deviation_, float(self.epsilon), self.parity_
