"""The loop of all that trains: over ``step(state) -> state``, with a bar that fills and a table of what went on."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from . import _checks as check

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["State", "train"]

MOST_ROUNDS = 10**15


@dataclass(frozen=True, eq=False)
class State:
    """All that the next step of a training depends on: arrays by their names, a generator, the number of steps done.

    Source: ours. A step takes a state and returns ``state.then(name=new, ...)``. It may write into the arrays of the state that it is
    given: nobody keeps the old one.

    Parameters
    ----------
    values : dict of str -> array of numbers or booleans
        Weights, multipliers, an optimizer's moments, what is to be returned.
    rng : numpy.random.Generator, optional
        What the steps draw from. It moves on with every draw.
    round : int >= 0
        How many steps were done.

    Examples
    --------
    >>> state = State({"w": np.zeros(2)})
    >>> after = state.then(w=state["w"] + 1)
    >>> after["w"], after.round, state["w"]
    (array([1., 1.]), 1, array([0., 0.]))
    """

    values: Mapping[str, np.ndarray]
    rng: np.random.Generator | None = None
    round: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.values, Mapping):
            check.refuse("values", self.values, "not a dict of arrays", 'Give one array for each name: {"weights": w}.')
        object.__setattr__(self, "values", {name: _array(name, value) for name, value in self.values.items()})
        if self.rng is not None:
            check.rng(self.rng)
        object.__setattr__(self, "round", check.integer("round", self.round, low=0))

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.values[name]
        except (KeyError, TypeError):
            check.refuse("name", name, f"not in the state, which holds {', '.join(self.values) or 'nothing'}", "Ask for one of these.")

    def then(self, **changed: np.ndarray) -> State:
        """The state after one more step, in which these arrays are others, or new."""
        after = object.__new__(State)       # the others were looked at before: a round may take a hundredth of a millisecond
        values = {**self.values, **{name: _array(name, value) for name, value in changed.items()}} if changed else self.values
        vars(after).update(values=values, rng=self.rng, round=self.round + 1)
        return after


Step = Callable[[State], State]
History = Callable[[State], Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Training:
    """A training that is over.

    Attributes
    ----------
    state : State
        After the last round.
    rows : list of dict
        What ``history`` is made of.
    """

    state: State
    rows: list[dict[str, float]] = field(repr=False)

    @cached_property
    def history(self) -> pd.DataFrame:
        """One row for each round, index ``round``, with the numbers that ``history`` named."""
        import pandas as pd

        index = pd.RangeIndex(self.state.round - len(self.rows) + 1, self.state.round + 1, name="round")
        return pd.DataFrame(self.rows, index=index)


@check.formerly(checkpoint="Train in one go: what was drawn once must not be drawn again.", every="The bar moves at each step.",
                callback="Keep rows by history, or look at the state in the step.",
                budget="Say rounds=accounting.most_steps(releases, epsilon, delta).", run="A fit is one go.")
def train(step: Step, state: State, rounds: int, *, progress: bool = False, history: History | None = None) -> Training:
    """Go from ``state`` to the state after ``rounds`` rounds, one step after the other.

    Source: ours. There is no file to resume from: a private training that goes on from one could draw its noise twice. How many rounds an
    epsilon allows is :func:`dpfair_teach.accounting.most_steps`. A ``history`` is as private as the numbers that it names.

    Parameters
    ----------
    step : callable
        ``step(state)`` returns ``state.then(...)``.
    state : State
    rounds : int in 0..10^15
        How many there are to be, those that the state has behind it counted.
    progress : bool
        A bar on the standard error stream.
    history : callable, optional
        ``history(state)`` after each round: a dict of numbers, a row of the table.

    Returns
    -------
    Training
        ``state`` and ``history``.

    Examples
    --------
    >>> found = train(lambda state: state.then(w=state["w"] / 2), State({"w": np.ones(1)}), 3, history=lambda state: {"w": state["w"][0]})
    >>> found.state["w"], found.history["w"].tolist()
    (array([0.125]), [0.5, 0.25, 0.125])
    """
    check.instance("state", state, State, "not a State", "Make it with training.State({name: array}, rng).")
    rounds = check.integer("rounds", rounds, low=0, high=MOST_ROUNDS)
    for name, value in (("step", step), ("history", history)):
        if value is not None or name == "step":
            _refuse_no_function(name, value)
    if state.round > rounds:
        check.refuse("rounds", rounds, f"and {state.round} rounds were done already", "Ask for more.")
    rows: list[dict[str, float]] = []
    with tqdm(total=rounds, initial=state.round, unit="round") if check.flag("progress", progress) else nullcontext() as bar:
        while state.round < rounds:
            state = _next(step, state)
            if history is not None:
                rows.append(_row(history(state), state.round, rows))
            if bar is not None:
                bar.update()
    return Training(state, rows)


def _array(name: object, value: object) -> np.ndarray:
    if not isinstance(name, str) or not name:
        check.refuse("values", name, "is a name in it, and no text", "Name every array by a text.")
    if type(value) is not np.ndarray or value.dtype.kind not in "biufc":
        check.refuse("values", value, f"is called {name!r}, and no array of numbers", "Give numpy arrays of booleans or numbers.")
    return value


def _refuse_no_function(name: str, value: Any) -> None:
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


def _row(found: Mapping[str, float], round: int, rows: list[dict[str, float]]) -> dict[str, float]:
    if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
        check.refuse("history", found, "is what it returned, and no dict of numbers", 'Return {"name": number}.')
    if rows and set(found) != set(rows[0]):
        check.refuse("history", sorted(found), f"are the names of round {round}; the first row has {sorted(rows[0])}",
                     "Return the same names after every round.")
    return {name: _number(name, value) for name, value in found.items()}


def _number(name: str, value: object) -> float:
    if isinstance(value, (float, np.floating)):
        return float(value)             # not finite too: a loss that overflows is worth a row
    if isinstance(value, (int, np.integer, np.bool_)):
        return int(value)
    try:
        return check.number("history", value)
    except ValueError as problem:
        check.refuse("history", value, f"is what history(state) returned for {name!r}, and not one number",
                     f'Return one, for instance {{"{name}": float(x)}}.', problem)
