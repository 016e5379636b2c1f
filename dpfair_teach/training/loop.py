"""The loop: from state to state, with a bar that fills, a table of what went on, and a file to resume from."""
from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from .. import _checks as check
from .._generator import own_generator
from ..accounting import Release
from . import checkpoint as files
from .budget import Budget
from .state import State

__all__ = ["train"]

MOST_ROUNDS = 10**15
EVERY = 100     # rounds between two checkpoints

Step = Callable[[State], State]
Callback = Callable[[State], "bool | None"]
History = Callable[[State], Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Training:
    """A training that is over.

    Attributes
    ----------
    state : State
        After the last round.
    stopped : bool
        Whether the callback stopped it.
    resumed : int
        The round that the checkpoint was of; 0 where there was none.
    rows : list of dict
        What ``history`` is made of.
    releases_ : tuple of accounting.Release
        What the budget says that the rounds released, those before a resume too, and of a training that was stopped all that it was to
        have: who stops by what came out has all of them for a price. Nothing without a budget.
    """

    state: State
    stopped: bool
    resumed: int
    rows: list[dict[str, float]] = field(repr=False)
    releases_: tuple[Release, ...] = ()

    @cached_property
    def history(self) -> pd.DataFrame:
        """One row for each round, index ``round``, with the numbers that ``history`` named; those of the rounds before a resume too."""
        index = pd.RangeIndex(self.state.round - len(self.rows) + 1, self.state.round + 1, name="round")
        return pd.DataFrame(self.rows, index=index)


def train(step: Step, state: State, rounds: int | None = None, *, budget: Budget | None = None, progress: bool = False,
          callback: Callback | None = None, history: History | None = None, checkpoint: str | os.PathLike[str] | None = None,
          every: int | None = None, run: object = None) -> Training:
    """Go from ``state`` to the state after ``rounds`` rounds, one step after the other; from a checkpoint, if there is one.

    Source: ours.

    With ``checkpoint`` the state is written into that file before the first round and every ``every`` rounds. If the process dies, the same
    call resumes from the file and ends with the same bytes as if nothing had happened: arrays, generator and history stand in it. A kill
    at any moment leaves the file of one round whole. When the run is done, or the callback has stopped it, the file is deleted.

    Such a run draws from a generator of its own, seeded by the one that it is given, which moves on by these few numbers only. So what is
    drawn from that one between a kill and a resume is not drawn again by the resumed run.

    **A checkpoint of a private run is as secret as the data.** It holds the generator, from which all later noise follows, and whatever
    private numbers the state holds. Only its owner may read it (mode 0600). Do not copy it and do not keep it. ``run`` guards the other
    side: the same noise on other data would cancel in a difference, so a file that belongs to another run is refused. Whoever reads the
    file can test a guess of the private data by its hash, and a refusal says that data differ: both are as secret as the file.

    A callback of a private run may stop it by what is published, never by a number that is computed from the private data. It saves no
    epsilon by that: accountants add up numbers of rounds that were chosen before. Nor does who asks for more rounds, a few at a time, and
    stops where it looks well: count all that could have come. A ``history`` is as private as the numbers that it names.

    Parameters
    ----------
    step : callable
        ``step(state)`` returns ``state.then(...)``.
    state : State
        Where a fresh run starts.
    rounds : int in 0..10^15, optional
        How many there are to be, those that the state has behind it counted. None: as many as the budget allows.
    budget : Budget, optional
        What the rounds may cost. More rounds than it allows are refused before the first one.
    progress : bool
        A bar on the standard error stream.
    callback : callable, optional
        ``callback(state)`` after each round; True stops the run. After a resume it sees the rounds since the checkpoint once more.
    history : callable, optional
        ``history(state)`` after each round: a dict of numbers, a row of the table.
    checkpoint : path, optional
    every : int >= 1, optional
        Rounds between two checkpoints, by default 100.
    run : numbers, texts, arrays, records, and lists and dicts of such
        What this run is, for ``checkpoint``: everything that a step depends on beside the state, the data too. Its hash, with that of
        the budget, is in the file.

    Returns
    -------
    Training
        ``state``, ``history``, ``stopped``, ``resumed``, ``releases_``.

    Raises
    ------
    ValueError
        A step that returns no state of the next round; neither rounds nor a budget, or more rounds than it allows; a checkpoint that is
        no checkpoint, or of another run or budget, or cannot be written; a step that gives the state other arrays than it began with,
        which no file brings back; no ``history`` where the file has one; ``every`` or ``run`` without ``checkpoint``, or ``checkpoint``
        without ``run``, or with a budget and no generator in the state.

    Examples
    --------
    >>> import numpy as np
    >>> def step(state):
    ...     return state.then(w=state["w"] / 2)
    >>> found = train(step, State({"w": np.ones(1)}), 5, history=lambda state: {"w": state["w"][0]},
    ...               callback=lambda state: state.round == 3)
    >>> found.state["w"], found.stopped, found.history["w"].tolist()
    (array([0.125]), True, [0.5, 0.25, 0.125])
    """
    if not isinstance(state, State):
        check.refuse("state", state, "not a State", "Make it with training.State({name: array}, rng).")
    rounds = _allowed(rounds, budget)
    for name, value in (("step", step), ("callback", callback), ("history", history)):
        if value is not None or name == "step":
            check_function(name, value)
    check.flag("progress", progress)
    keeper = _Keeper.of(state, checkpoint, every, run, budget)
    state, rows, resumed = keeper.start(state)
    if rows and history is None:
        check.refuse("history", None, f"and the run of this checkpoint has one, up to round {resumed}", "Give the same history.")
    if state.round > rounds:
        if budget is not None and state.round > budget.steps:
            check.refuse("budget", budget, f"allows {budget.steps} steps, and {state.round} rounds were done already",
                         "Allow more. A training that starts anew is another release.")
        check.refuse("rounds", rounds, f"and {state.round} rounds were done already",
                     "Ask for more." if budget is None else "Ask for more, as far as the budget allows.")
    stopped = False
    with tqdm(total=rounds, initial=state.round, unit="round") if progress else nullcontext() as bar:
        while state.round < rounds and not stopped:
            state = _next(step, state)
            if history is not None:
                rows.append(_row(history(state), state.round, rows))
            stopped = callback is not None and _stops(callback(state))
            if state.round < rounds and not stopped:
                keeper.keep(state, rows)
            if bar is not None:
                bar.update()
    keeper.done()
    return Training(state, stopped, resumed, rows, () if budget is None else budget.releases(rounds if stopped else state.round))


def _allowed(rounds: int | None, budget: Budget | None) -> int:
    """How many rounds there are to be."""
    if budget is not None and not isinstance(budget, Budget):
        check.refuse("budget", budget, "not a Budget", "Make it with training.Budget(step, epsilon, delta).")
    if rounds is None:
        if budget is None:
            check.refuse("rounds", None, "and no budget either, which would say how many", "Give one of them.")
        if not budget.steps:
            check.refuse("budget", budget, "allows no step", "Allow more, or release less in a step.")
        return budget.steps
    rounds = check.integer("rounds", rounds, low=0, high=MOST_ROUNDS)
    if budget is not None and rounds > budget.steps:
        check.refuse("rounds", rounds, f"the budget of epsilon={budget.epsilon:g}, delta={budget.delta:g} allows {budget.steps}",
                     "Ask for no more, allow more, or release less in a step.")
    return rounds


def check_function(name: str, value: Any) -> None:
    """Refuse what cannot be called with a state; for those who ask something first, too."""
    try:
        inspect.signature(value).bind(None)
    except (TypeError, ValueError) as problem:
        check.refuse(name, value, "cannot be called with the state", f"Give {name} as a function of the state.", problem)


def _next(step: Step, state: State) -> State:
    found = step(state)
    if not isinstance(found, State) or found.round != state.round + 1:
        what = f"is the state of round {found.round}" if isinstance(found, State) else "is what it returned, and no State"
        check.refuse("step", found if not isinstance(found, State) else found.round, f"{what} after round {state.round}",
                     "Return state.then(name=new, ...) once.")
    return found


def _stops(said: object) -> bool:
    if said is not None and not isinstance(said, (bool, np.bool_)):
        check.refuse("callback", said, "is what callback(state) returned, and neither True nor False",
                     "Return True to stop, and False or nothing to go on; of an array for instance bool(x.all()).")
    return bool(said)


def _row(found: Mapping[str, float], round: int, rows: list[dict[str, float]]) -> dict[str, float]:
    if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
        check.refuse("history", found, "is what it returned, and no dict of numbers", 'Return {"name": number}.')
    if rows and set(found) != set(rows[0]):
        check.refuse("history", sorted(found), f"are the names of round {round}; the first row has {sorted(rows[0])}",
                     "Return the same names after every round.")
    return {name: files.number(name, value) for name, value in found.items()}


@dataclass(frozen=True)
class _Keeper:
    """What writes the checkpoints: nothing, where there is no file."""

    path: Path | None = None
    every: int = EVERY
    run: str = ""
    spawned: int = 0
    kinds: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, state: State, path: object, every: int | None, run: object, budget: Budget | None) -> _Keeper:
        if path is None:
            check.unread("a run without checkpoint", "one with checkpoint", every=every, run=run)
            return cls()
        if budget is not None and state.rng is None:
            check.refuse("checkpoint", path, "a file, a budget, and a state without a generator: a resume would draw some rounds anew",
                         "Give State(arrays, rng), and draw from state.rng in the step.")
        path = files.path_of(path)
        if run is None:
            check.refuse("checkpoint, run", (str(path), run), "a file, and no word of what the run is",
                         "Say by run what a step depends on, the data and the settings: another run is not to resume it.")
        every = EVERY if every is None else check.integer("every", every, low=1)
        files.refuse_unwritable(path)
        return cls(path, every, files.digest(run if budget is None else {"run": run, "budget": budget}), files.spawned(state.rng),
                   files.kinds(state.values))

    def start(self, state: State) -> tuple[State, list[dict[str, float]], int]:
        """Where to go on from: the file, if there is one. Else it is written: what the state was told before its first step is kept."""
        if self.path is None:
            return state, [], 0
        if state.rng is not None:
            state = State(state.values, own_generator(state.rng), state.round)
        if not self.path.exists():
            files.write(self.path, state, [], self.run)
            return state, [], 0
        found = files.read(self.path, state, self.run)
        return found.state, found.rows, found.state.round

    def keep(self, state: State, rows: list[dict[str, float]]) -> None:
        if self.path is None or state.round % self.every:
            return
        if files.spawned(state.rng) != self.spawned:
            check.refuse("step", state.round, "is the round after which its generator had made others: a resumed run would make them again",
                         "Draw from state.rng itself.")
        if (kinds := files.kinds(state.values)) != self.kinds:
            check.refuse("step", state.round, f"is the round after which the state holds {kinds}, and a resumed run would start from "
                         f"{self.kinds}", "Give the first state every array, as large as it becomes and of the dtype that it keeps.")
        files.write(self.path, state, rows, self.run)

    def done(self) -> None:
        if self.path is not None:
            files.remove(self.path)
