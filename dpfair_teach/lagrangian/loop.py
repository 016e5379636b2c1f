"""The training of all estimators here: a step is a round of ``training.train``, so that it shows progress, is stopped, and resumes."""
from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from .. import _checks as check
from ..training import State, train
from ..training.loop import Callback
from .algorithm import dual_step, start_training
from .calibration import Noise
from .plan import Plan
from .private_steps import centred_prices, noisy_group_sum, noisy_violations, public_directions
from .problem import LARGEST, FairProblem, Part, epoch_order, poisson_sample

__all__: list[str] = []     # the estimators run it

#: Signed multipliers over fixed sizes; F-LD as printed; the repaired PF-LD.
Kind = Literal["signed", "absolute", "private"]


#: Public directions hold for so many steps, and are found from so many people of a batch, or twice as many as directions.
REFRESH, ASKED = 25, 64


@dataclass(frozen=True, eq=False)
class Trained:
    """What a training leaves: of a private one, public numbers only.

    Attributes
    ----------
    theta : (p,) array
    multipliers : (k, R) array
        Those of the last step.
    history : pandas.DataFrame
        A row for each epoch: ``loss``, the mean over the epoch's batches; each ``multiplier``; each ``violation`` as the dual step saw it.
    skipped : int
        Batches in which a group had nobody.
    """

    theta: np.ndarray
    multipliers: np.ndarray
    history: pd.DataFrame = field(repr=False)
    skipped: int


@dataclass(frozen=True, eq=False)
class Run:
    """One training: who, how, and with which noise."""

    problem: FairProblem
    plan: Plan
    kind: Kind
    sizes: np.ndarray
    noise: Noise | None = None
    rank: int = 0
    #: What was asked of A before the first step: in the state, so that a resumed run goes on from the same answer.
    asked: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def start(self, rng: np.random.Generator) -> State:
        T, shape, m = self.plan.epochs, self.problem.terms.shape, self.problem.m
        theta, moments, nu = start_training(self.problem, self.plan, rng)
        values = {"theta": theta, "nu": nu, "order": np.arange(m), "loss": np.zeros(T), "multipliers": np.zeros((T, *shape)),
                  "apart": np.full((T, *shape), np.nan), "skipped": np.zeros(1, dtype=np.int64), "asked": self.asked.copy()}
        return State(values | moments | ({"directions": np.zeros((theta.size, self.rank))} if self.rank else {}), rng)

    def step(self, state: State) -> State:
        """One primal step; after the last of an epoch the dual one."""
        plan, rng = self.plan, state.rng
        assert rng is not None
        epoch, at = divmod(state.round, plan.steps(self.problem.m))
        changed: dict[str, np.ndarray] = {}
        if at == 0:
            changed["order"] = epoch_order(self.problem.m, rng)
        order, theta, nu = changed.get("order", state["order"]), state["theta"], state["nu"]
        part = self.problem.of(theta, order[at * plan.batch:(at + 1) * plan.batch])
        state["multipliers"][epoch] = nu
        state["loss"][epoch] += part.loss() * part.n / self.problem.m
        directions = self._directions(part, nu, state, changed, at)
        if directions is None:
            gradient = part.gradient(part.loss_slopes() + self._slopes(part, nu, state))
        else:       # all of the penalty is projected: else what is public of it would be left over where the rest is cut off
            gradient = part.gradient(part.loss_slopes())
            gradient += directions @ (directions.T @ part.gradient(self._slopes(part, nu, state)))
        if self.kind == "private":
            gradient -= self._secret(part, nu, directions, rng)
        theta, moments = plan.optimizer.step(theta, gradient, state.values)
        if not max(theta.max(), -theta.min()) <= LARGEST:       # as of X: overflow goes by X and theta, never by A
            check.refuse("rate", plan.optimizer.rate, f"at which an entry of theta has grown beyond {LARGEST:g}",
                         "Choose a smaller rate, or standardize X.")
        changed |= {"theta": theta, **moments}
        if at == plan.steps(self.problem.m) - 1 and (self.kind == "absolute" or plan.free <= epoch + 1 < plan.epochs):
            changed["nu"] = self._dual(self.problem.of(theta), nu, state, epoch, rng)
        return state.then(**changed)

    def _prices(self, nu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return centred_prices(nu, self.sizes, silent=not self.problem.complete)

    def _slopes(self, part: Part, nu: np.ndarray, state: State) -> np.ndarray:
        """Of the penalty, as far as it is computed on the batch."""
        if self.kind == "private":
            return part.public_slopes(nu, self._prices(nu)[0], self.plan.clip)
        if self.kind == "signed":
            return part.penalty_slopes(nu, self.sizes)
        state["skipped"][0] += bool((part.sizes() == 0).any())
        return part.penalty_slopes(nu * np.sign(part.violations(empty=self.plan.empty)))

    def _directions(self, part: Part, nu: np.ndarray, state: State, changed: dict[str, np.ndarray], at: int) -> np.ndarray | None:
        """Where the penalty may go: found anew as theta moves on. None where it may go anywhere, or is 0."""
        if not self.rank or not self._prices(nu)[1].any():
            return None
        if at % REFRESH == 0 and part.n >= self.rank:
            people = np.asarray(part.people)[:max(ASKED, 2 * self.rank)]
            changed["directions"] = public_directions(self.problem.of(part.theta, people), self.rank)
        return changed.get("directions", state["directions"])

    def _secret(self, part: Part, nu: np.ndarray, directions: np.ndarray | None, rng: np.random.Generator) -> Any:
        """What the step reads of A; nothing where all prices of a rate are one."""
        _, centred = self._prices(nu)
        if not centred.any():
            return 0.0
        assert self.noise is not None
        secret = self.problem.of(part.theta, poisson_sample(self.problem.m, self.plan.sample, rng))
        return noisy_group_sum(secret, centred, self.plan.clip, self.noise.primal, rng, directions) / self.plan.sample

    def _dual(self, whole: Part, nu: np.ndarray, state: State, epoch: int, rng: np.random.Generator) -> np.ndarray:
        if self.kind == "private":
            assert self.noise is not None
            apart = noisy_violations(whole, self.sizes, self.noise.dual, rng)
        else:
            apart = whole.violations(None if self.kind == "absolute" else self.sizes)
        state["apart"][epoch] = apart
        if self.kind == "absolute":
            return np.clip(nu + self.plan.dual_rate * (np.abs(apart) - self.plan.gamma), 0.0, self.plan.largest)
        return dual_step(nu, apart, self.plan)

    def train(self, rng: np.random.Generator, *, progress: bool = False, callback: Callback | None = None,
              checkpoint: str | os.PathLike[str] | None = None, every: int | None = None, told: str | None = None) -> Trained:
        """All steps; ``told`` says what the run is, for a checkpoint."""
        rounds, state = self.plan.epochs * self.plan.steps(self.problem.m), self.start(rng)
        state = train(self.step, state, rounds, progress=progress, callback=callback, checkpoint=checkpoint, every=every,
                      run=told).state
        return Trained(state["theta"], state["multipliers"][-(-state.round // self.plan.steps(self.problem.m)) - 1], self._history(state),
                       int(state["skipped"][0]))

    def _history(self, state: State) -> pd.DataFrame:
        """Of the epochs that were whole."""
        whole = state.round // self.plan.steps(self.problem.m)
        columns: dict[str, np.ndarray] = {"loss": state["loss"]}
        for word, name in (("multiplier", "multipliers"), ("violation", "apart")):
            columns |= {f"{word} {cell.name} {a}": state[name][:, a, r] for r, cell in enumerate(self.problem.terms.parity.cells)
                        for a in range(self.problem.terms.n_groups)}
        return pd.DataFrame(columns, index=pd.RangeIndex(1, self.plan.epochs + 1, name="epoch")).iloc[:whole].copy()
