"""Settings that a figure offers where not every combination has something to show: what was never run is not to be chosen.

A control offers what goes with the controls before it. Whoever moves one of those takes the later ones along, to the nearest setting
that is offered. So nobody is ever stuck, and the first control offers all that it has.
"""
from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._checks import refuse
from .arguments import cause, raised
from .controls import Control, where_of

__all__: list[str] = []


class Offered:
    """The settings of a figure, as places on the grids of its controls, in the order of their grid."""

    def __init__(self, sizes: list[int], settings: list[tuple[int, ...]], whole: bool) -> None:
        self.sizes, self.settings, self.whole = sizes, settings, whole
        self._known = set(settings)

    @classmethod
    def read(cls, offered: Any, controls: Mapping[str, Control]) -> Offered:
        """All settings, or those of which the function ``offered`` says so."""
        sizes = [len(control.grid) for control in controls.values()]
        every = list(itertools.product(*map(range, sizes)))
        if offered is None:
            return cls(sizes, every, True)
        if not callable(offered):
            refuse("offered", offered, "not callable", "Give a function of the slider values: True where there is something to show.")
        if any(control.people for control in controls.values()):
            refuse("offered", offered, "people may each be flipped, whatever the others are", "Leave offered out, or people.")
        found = []
        for places in every:
            values = {name: control.grid[at] for (name, control), at in zip(controls.items(), places, strict=True)}
            where = where_of(values)
            try:
                answer = offered(**values)
            except Exception as error:
                raise raised("offered", where, error, "Make offered take every slider by name.") from cause(error)
            if not isinstance(answer, (bool, np.bool_)):
                raise ValueError(f"offered at {where}: returned {answer!r}, not True or False. Say whether there is something to show.")
            found += [places] if answer else []
        if not found:
            refuse("offered", offered, "no setting of the sliders is offered", "Return True for at least one.")
        return cls(sizes, found, len(found) == len(every))

    def __contains__(self, places: tuple[int, ...]) -> bool:
        return places in self._known

    def allowed(self, places: tuple[int, ...], k: int) -> list[int]:
        """Where control ``k`` may stand, given where those before it stand."""
        return sorted({one[k] for one in self.settings if one[:k] == places[:k]})

    def nearest(self, places: tuple[int, ...]) -> tuple[int, ...]:
        """The setting that is offered: control by control, the nearest place, of two the lower one."""
        out: tuple[int, ...] = ()
        for k, at in enumerate(places):
            _, place = min((abs(place - at), place) for place in self.allowed((*out, at), k))
            out = (*out, place)
        return out

    def numbers(self) -> np.ndarray:
        """The settings as numbers on the whole grid, the last control moving fastest."""
        return np.array([int(np.ravel_multi_index(one, self.sizes)) for one in self.settings], dtype=np.int64)
