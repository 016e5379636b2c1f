"""What a reader moves: numbers on a slider, names to choose from, a yes or no, people to click."""
from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any, Literal

import numpy as np

from .._checks import number, refuse
from .arguments import cause, named, raised, shown_value, text
from .people import People

__all__: list[str] = []

#: The argument of ``fn`` and ``alt`` that people set.
PEOPLE = "A"
MOST_FRAMES = 8192
MOST_NAMES = 24

Kind = Literal["range", "names", "flag", "people"]


@dataclass(frozen=True)
class Control:
    """One control: ``name`` is the argument that it sets, ``label`` what stands beside it, ``grid`` its values in order, ``start`` the
    place where it starts, ``people`` those who are clicked. ``kind`` follows from the values, ``places`` are those of the values."""

    name: str
    label: str
    grid: tuple
    start: int = 0
    people: People | None = field(default=None, compare=False)

    @property
    def kind(self) -> Kind:
        """A range, names, a yes or no, or people."""
        if self.people is not None:
            return "people"
        if any(isinstance(value, bool) for value in self.grid):
            return "flag"
        return "names" if any(isinstance(value, str) for value in self.grid) else "range"

    @cached_property
    def texts(self) -> list[str]:
        """How each value reads; of people, who differs from the start."""
        return [self.people.said(value) if self.people else shown_value(value) for value in self.grid]

    @cached_property
    def places(self) -> dict[Any, int]:
        return {value: i for i, value in enumerate(self.grid)}

    def index(self, value: Any, argument: str) -> int:
        """Where ``value`` stands on the grid, or the complaint."""
        if self.people is not None:
            return self.places[self.people.bits(f"{argument}[{self.name!r}]", value)]
        for i, known in enumerate(self.grid):
            if type(value) in (int, float, str, bool) or isinstance(value, np.generic):
                if isinstance(known, bool) != isinstance(value, (bool, np.bool_)):
                    continue
                close = isinstance(known, float) and isinstance(value, Real) and abs(known - float(value)) <= 1e-12 * abs(known)
                if known == value or close:
                    return i
        refuse(f"{argument}[{self.name!r}]", value, "not on that slider's grid", f"Choose one of {', '.join(map(repr, self.grid))}.")


def read(sliders: Any, people: Any, labels: Any, start: Any) -> dict[str, Control]:
    """The controls of a figure, people first."""
    grids = grids_of(sliders, needed=people is None)
    if people is not None and not isinstance(people, People):
        refuse("people", people, "not People", "Give People(names, group=...), or leave people out.")
    if people is not None and PEOPLE in grids:
        refuse("sliders", PEOPLE, "people's groups have that name", "Give the slider another one.")
    names = ([PEOPLE] if people else []) + list(grids)
    beside, begin = named("labels", labels), named("start", start)
    for argument, given in (("labels", beside), ("start", begin)):
        for name in given:
            if name not in names or (argument == "labels" and name not in grids):
                refuse(argument, name, "no slider has that name", f"Choose from {', '.join(grids)}.")
    controls: dict[str, Control] = {}
    if people is not None:
        grid = people.grid()
        controls[PEOPLE] = Control(PEOPLE, "who changes group", grid, grid.index(people.start), people)
    for name, grid in grids.items():
        label = text(f"labels[{name!r}]", beside[name]) if name in beside else name.replace("_", " ")
        controls[name] = Control(name, label, grid)
    for name, value in begin.items():
        control = controls[name]
        controls[name] = Control(control.name, control.label, control.grid, control.index(value, "start"), control.people)
    count = int(np.prod([len(c.grid) for c in controls.values()], dtype=object))
    if count > MOST_FRAMES:
        refuse("sliders", f"{count:,} frames", f"more than {MOST_FRAMES:,}", "Coarsen the grids, or split the figure in two.")
    return controls


def grids_of(sliders: Any, *, needed: bool) -> dict[str, tuple]:
    """Names and grids, checked; numpy numbers become Python's."""
    remedy = 'Give {"epsilon": [0.1, 0.5, 1.0], ...}.'
    if sliders is None and not needed:
        return {}
    if not isinstance(sliders, Mapping) or (needed and not sliders):
        refuse("sliders", sliders, "not a dict with at least one slider", remedy)
    out: dict[str, tuple] = {}
    for name, grid in sliders.items():
        if not isinstance(name, str) or not name.isidentifier():
            refuse("sliders", name, "not the name of an argument of fn", remedy)
        out[name] = grid_of(f"sliders[{name!r}]", grid)
    return out


def grid_of(argument: str, grid: Any) -> tuple:
    """The values of one slider."""
    listed = isinstance(grid, (Sequence, np.ndarray)) and not isinstance(grid, (str, bytes))
    if not listed or getattr(grid, "ndim", 1) != 1 or len(grid) == 0:
        refuse(argument, grid, "not a list of values", "Give at least one number or text.")
    values: list[str | int | float | bool] = []
    for value in grid:
        if isinstance(value, str):
            values.append(str(text(argument, value)))
        elif isinstance(value, (bool, np.bool_)):
            values.append(bool(value))
        else:
            number(argument, value)
            values.append(int(value) if isinstance(value, (int, np.integer)) else float(value))
    if len(set(map(shown_value, values))) != len(values):
        refuse(argument, grid, "two values read the same", "List each value once.")
    if any(isinstance(value, bool) for value in values) and not (len(values) == 2 and all(isinstance(value, bool) for value in values)):
        refuse(argument, grid, "True or False beside other values, or alone", "Give [False, True] for a checkbox.")
    if any(isinstance(value, str) for value in values) and len(values) > MOST_NAMES:
        refuse(argument, f"{len(values)} values", f"names are shown side by side, at most {MOST_NAMES}", "Choose fewer of them.")
    return tuple(values)


def where_of(values: Mapping[str, Any]) -> str:
    """Slider values in an error."""
    return ", ".join(f"{name} = {shown_value(value)}" for name, value in values.items())


class Offered:
    """The settings that a figure offers, as places on the grids of its controls; whoever moves one control takes the later ones along."""

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
