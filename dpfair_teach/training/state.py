"""The state of a training: all that the next step depends on."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .. import _checks as check

__all__ = ["State"]


@dataclass(frozen=True, eq=False)
class State:
    """All that the next step of a training depends on: arrays by their names, a generator, the number of steps done.

    Source: ours.

    A step takes a state and returns ``state.then(name=new, ...)``. It may write into the arrays of the state that it is given: nobody keeps
    the old one, and who wants to keep an array copies it. What is not in the state (the data, the settings) must not change between steps,
    or a resumed run would go another way.

    Parameters
    ----------
    values : dict of str -> array of numbers or booleans
        Weights, multipliers, an optimizer's moments, what is to be returned. Arrays that are not contiguous are copied: so a state read
        back from a file is summed in the same order.
    rng : numpy.random.Generator, optional
        What the steps draw from. It moves on with every draw. A run with a checkpoint draws from one of its own, which this one seeds.
    round : int >= 0
        How many steps were done.

    Raises
    ------
    ValueError
        A name that is no text, a value that is no array of numbers.

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
        """The state after one more step.

        Parameters
        ----------
        **changed : arrays
            The values that are others now, or new; but where there is a checkpoint the first state has all arrays, as large as they become.

        Returns
        -------
        State
        """
        after = object.__new__(State)       # the others were looked at before: a round may take a hundredth of a millisecond
        values = {**self.values, **{name: _array(name, value) for name, value in changed.items()}} if changed else self.values
        vars(after).update(values=values, rng=self.rng, round=self.round + 1)
        return after


def _array(name: object, value: object) -> np.ndarray:
    if not isinstance(name, str) or not name:
        check.refuse("values", name, "is a name in it, and no text", "Name every array by a text.")
    if type(value) is not np.ndarray or value.dtype.kind not in "biufc":
        check.refuse("values", value, f"is called {name!r}, and no array of numbers", "Give numpy arrays of booleans or numbers.")
    return value if value.flags.forc else value.copy(order="C")
