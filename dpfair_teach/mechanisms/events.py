"""Records as events of dp-accounting, so that anyone's accountant can read them, and those events as what a record says.

No record is made here: a function of this file is handed one, or gives the numbers of one.
"""
from __future__ import annotations

from types import ModuleType
from typing import Any

from .. import _checks as check
from ._mechanism import Neighbours, Run
from .registry import MECHANISMS, mechanism_of


def package(name: str, value: object) -> ModuleType:
    """dp_accounting; ``name`` and ``value`` of the argument that asks for it. It is imported here: that takes half a second."""
    try:
        import dp_accounting
    except ImportError as missing:
        check.refuse(name, value, "this needs the package dp-accounting, which is not installed",
                     "Run pip install dp-accounting, or choose another method.", missing)
    return dp_accounting


def event_of(run: Run) -> tuple[Any, Neighbours]:
    """All runs of a record that cannot fail, as one event, and the neighbouring relation that goes with it."""
    dp, mechanism = package("releases", run), mechanism_of(run.mechanism)
    one, neighbours = mechanism.event(dp, run)
    return mechanism.event_of_all(dp, one, run.times), neighbours


def read(event: Any, neighbours: Neighbours) -> tuple[str, dict[str, float], int]:
    """The mechanism of an event, the numbers of its record, and how often it ran."""
    inner, times = _repeated(event)
    for name, mechanism in MECHANISMS.items():
        numbers = mechanism.of_event(inner, neighbours)
        if numbers is not None:
            return name, numbers, times
    check.refuse("event", event, "there is no record of such a mechanism", "Take GaussianDpEvent (also inside PoissonSampledDpEvent), "
                 "LaplaceDpEvent, DiscreteLaplaceDpEvent, or RandomizedResponseDpEvent with neighbours='replace one'; for any other, "
                 "event_epsilon.")


def _repeated(event: Any) -> tuple[Any, int]:
    """One mechanism, and how often the event says it."""
    dp, inner, times = package("event", event), event, 1
    while isinstance(inner, (dp.SelfComposedDpEvent, dp.ComposedDpEvent)):
        if isinstance(inner, dp.SelfComposedDpEvent):
            inner, times = inner.event, times * inner.count
        elif inner.events and all(part == inner.events[0] for part in inner.events):
            inner, times = inner.events[0], times * len(inner.events)
        else:
            check.refuse("event", event, "holds several mechanisms, or none", "Read them one by one, or hand it to compose.")
    return inner, times


def is_event(value: object) -> bool:
    return any(kind.__name__ == "DpEvent" for kind in type(value).__mro__)      # without importing their package


def parts_of(event: Any) -> list[Any]:
    """The events of which an event is a list, perhaps of lists, perhaps repeated: how often each ran is said, in which order is not."""
    kind = type(event).__name__
    if kind == "ComposedDpEvent":
        return [part for one in event.events for part in parts_of(one)]
    if kind == "SelfComposedDpEvent" and len(parts := parts_of(event.event)) != 1:
        return [type(event)(part, event.count) for part in parts]
    return [event]
