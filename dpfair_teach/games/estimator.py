"""What the two estimators of the private loop share: parameters that both read, what both publish, and their warning."""
from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from .. import _checks as check
from .._classifier import RandomizedClassifier
from ..accounting import Release
from ..fairness import Parity
from .auditor import bound_on_multipliers
from .players import by_rate
from .private_play import PrivatePlay
from .regression import default_price
from .regression_private import PrivateRegressionPlay

__all__: list[str] = []     # DPOracleLearner and DPRegressionLearner are made of it


class Loop(NamedTuple):
    """The parameters that every private loop reads, each checked."""

    epsilon: float
    gamma: float
    delta: float
    k: int
    parity: Parity
    B: float
    rounds: int


class LoopClassifier(RandomizedClassifier):
    """A learner that plays a private loop: one gamma, and a guarantee of (epsilon, delta)."""

    _tunable_after_fit: ClassVar[tuple[str, ...]] = ("progress",)        # of a training, and not of what it learned

    epsilon: float
    gamma: float
    n_groups: int
    B: float | None
    progress: bool

    def _loop(self, delta: float, parity: Parity, *, most_epsilon: float, most_rounds: int) -> Loop:
        """Read and checked before any noise is drawn: afterwards no message may depend on it."""
        epsilon = check.number("epsilon", self.epsilon, low=1e-6, high=most_epsilon)
        gamma, k = check.number("gamma", self.gamma, low=0.0, high=1e9), check.group_count(self.n_groups)
        parity.comparisons(k)
        B = default_price(np.asarray(gamma)) if self.B is None else bound_on_multipliers(check.number("B", self.B))
        rounds = check.integer("rounds", self.rounds, low=1, high=most_rounds)
        check.flag("progress", self.progress)
        return Loop(epsilon, gamma, delta, k, parity, float(B), rounds)

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
        deviation = math.hypot(deviation_of(auditor) / math.sqrt(auditor.times), deviation_of(sizes) / 2)
        people = by_rate(self.parity_, self.sizes_)
        return people, np.full(people.shape[1], deviation), float(self.epsilon), self.parity_


def deviation_of(release: Release) -> float:
    """The standard deviation of a release's noise, in what it measures: people, or rates."""
    assert release.scale is not None        # of noise, and none other is asked about
    return release.scale * (math.sqrt(2) if release.mechanism == "laplace" else 1.0)


def as_many_labels(y: np.ndarray, rows: int) -> None:
    """A label for each row of X."""
    if len(y) != rows:
        check.refuse("y", y.shape, f"not as long as X, which has {rows} rows", "Give everybody's label.")
