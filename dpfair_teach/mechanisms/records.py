"""What was released: frozen records, apart from any rule that adds them up, and the same as events of dp-accounting and back."""
from __future__ import annotations

import difflib
import math
from dataclasses import KW_ONLY, dataclass
from types import ModuleType
from typing import Any, get_args

from .. import _checks as check
from .mechanism import Neighbours
from .registry import MECHANISMS, mechanism_of

__all__ = ["RELATIONS", "UNIT_A", "UNIT_TUPLE", "Release"]

#: Who is protected in Jagielski et al. and Tran et al.: everything but the group membership may be known.
UNIT_A = "one person's A changes, X and Y public"
#: Who is protected in Ding et al.: all that the data say about one person.
UNIT_TUPLE = "one whole tuple"
#: Which neighbouring relations go with which unit; the first is the default.
RELATIONS = {UNIT_A: ("replace one A",), UNIT_TUPLE: ("replace one tuple", "add or remove one tuple")}


class _OfOneRun:
    """The epsilon of one run of a record: derived whenever it is asked for."""

    def __get__(self, record: Release | None, owner: type | None = None) -> float | None:
        if record is None:
            return None
        return mechanism_of(record.mechanism).epsilon(record.sensitivity, record.scale, vars(record)["own_epsilon"])


def _part(part: object) -> tuple[str, str] | None:
    if part is None:
        return None
    if not isinstance(part, tuple) or len(part) != 2 or not all(isinstance(word, str) and word.strip() for word in part):
        check.refuse("part", part, "is no part of a partition", "Give two texts: whom it was about, and which partition that is a part of.")
    return part[0].strip(), part[1].strip()


@dataclass(frozen=True, init=False, repr=False)
class Release:
    """One mechanism, as it was run ``times`` times on the private data: what it cost is for an accountant to say, ``accounting.compose``.

    Source: supplement, Definition 1.2 (privacy), Definition 1.3 (sensitivity), Definition 1.4 (scale).

    Parameters
    ----------
    mechanism : str
        "laplace", "geometric", "gaussian", "exponential", "randomized response", "k_norm", or another name, of which
        accountants know epsilon alone. A name nearly one of these is refused: it would escape its checks.
    unit : str
        Who is protected: ``UNIT_A``, ``UNIT_TUPLE``, or your own words.
    sensitivity : float > 0, optional
        How far the query moves between neighbours: l1 (laplace, geometric), l2 (gaussian); or the largest change of one loss (exponential).
        On a sample: the largest norm of one person's contribution with a relation that starts with "add or remove"; twice that with
        "replace", for contributions centred at 0.
    scale : float > 0, optional
        Of the noise: sensitivity / epsilon of one run (laplace, geometric), the standard deviation (gaussian).
    epsilon : float in (0, 1e9], optional
        Of one run: exponential, randomized response, another name. Of laplace and geometric it may stand for the scale.
    delta : float in [0, 1)
        The chance that one run fails altogether; not for gaussian.
    sampling_probability : float in (0, 1]
        Below 1, for gaussian: each run is on a secret sample of its own, each person in it with this probability.
    relation : str, optional
        The neighbouring relation; None takes the first of ``RELATIONS[unit]``. Must be said for a unit in your own words.
    times : int in [1, 1e15]
    part : pair of str, optional
        Whom it was about, and of which public partition of the people that is a part: ("label 0", "labels of May"). Parts of one partition
        have nobody in common, and no change of one person's A takes them into another; accountants add up what was asked of one part.

    Attributes
    ----------
    epsilon : float or None
        Of one run: sensitivity / scale, or the mechanism's own; None where one run has none without a delta (gaussian).

    Examples
    --------
    >>> Release("laplace", UNIT_A, sensitivity=2, scale=4.0)
    Release('laplace', "one person's A changes, X and Y public", sensitivity=2.0, scale=4.0, relation='replace one A')
    >>> Release("laplace", UNIT_A, sensitivity=2, scale=4.0).epsilon
    0.5
    """

    mechanism: str
    unit: str
    _: KW_ONLY
    sensitivity: Any        # a float, or None for a mechanism that has none; so is the next
    scale: Any
    epsilon: _OfOneRun = _OfOneRun()
    delta: float
    sampling_probability: float
    relation: str
    times: int
    part: tuple[str, str] | None

    def __init__(self, mechanism: str, unit: str, *, sensitivity: float | None = None, scale: float | None = None,
                 epsilon: float | None = None, delta: float = 0.0, sampling_probability: float = 1.0, relation: str | None = None,
                 times: int = 1, part: tuple[str, str] | None = None) -> None:
        name = _known_name(mechanism)
        known = RELATIONS.get(check.text("unit", unit))
        if relation is None and not known:
            check.refuse("relation", None, f"the unit {check.shown(unit)} has no usual one", "Say which data sets are neighbours.")
        numbers = {field: None if value is None else check.number(field, value, low=0.0, high=high, low_open=True) for field, value, high in
                   (("sensitivity", sensitivity, math.inf), ("scale", scale, math.inf), ("epsilon", epsilon, 1e9))}
        keeps = mechanism_of(name)
        kept = keeps.numbers(name, **numbers)
        fields = dict(zip(("sensitivity", "scale", "own_epsilon"), kept, strict=True)) | {
            "mechanism": name, "unit": unit, "delta": check.number("delta", delta, low=0.0, high=1.0, high_open=True),
            "sampling_probability": check.number("sampling_probability", sampling_probability, low=0.0, high=1.0, low_open=True),
            "relation": known[0] if relation is None and known else check.text("relation", relation),
            "times": check.integer("times", times, low=1, high=10**15), "part": _part(part)}
        for field, value in fields.items():
            object.__setattr__(self, field, value)
        if self.delta and not keeps.may_fail:
            check.refuse("delta", delta, f"{name} noise does not fail; its delta is chosen when what it costs is asked for",
                         "Leave delta out, and hand it to compose.")
        if self.sampling_probability < 1 and not keeps.sampled:
            check.refuse("sampling_probability", sampling_probability, f"what {name!r} costs on a sample is not known here",
                         "Record Gaussian noise, or another name with the epsilon of one run, sample and all.")
        if self.sampling_probability < 1 and not self.relation.startswith(("replace", "add or remove")):
            check.refuse("relation", self.relation, "does not say what a person is in the sample when the data are replaced by neighbours",
                         "Start it with 'replace' or 'add or remove'.")

        if part is not None and (unit != UNIT_A or self.relation != RELATIONS[UNIT_A][0]):
            check.refuse("part", part, f"with the unit {check.shown(unit)} and the relation {check.shown(self.relation)} a change may take "
                         "somebody from one part into another, or touch two", "Leave part out: then all that was asked adds up.")

    def given(self) -> dict[str, Any]:
        """What makes this record again."""
        return {"sensitivity": self.sensitivity, "scale": self.scale, "epsilon": vars(self)["own_epsilon"], "delta": self.delta,
                "sampling_probability": self.sampling_probability, "relation": self.relation, "times": self.times, "part": self.part}

    def with_times(self, times: int) -> Release:
        """The same mechanism, run so often."""
        return Release(self.mechanism, self.unit, **(self.given() | {"times": times}))

    def __repr__(self) -> str:
        usual = {"delta": 0.0, "sampling_probability": 1.0, "times": 1}
        rest = "".join(f", {name}={value!r}" for name, value in self.given().items() if value is not None and usual.get(name) != value)
        return f"Release({self.mechanism!r}, {self.unit!r}{rest})"

    def event(self) -> Any:
        """What was run, as an event of dp-accounting, for any accountant that reads those.

        Give that accountant the neighbouring relation :attr:`neighbours`. Gaussian noise is recorded as a shift by the sensitivity, which
        both accountants read alike under "add or remove one"; only on a sample under a relation that replaces it is an event for "replace
        one". A mechanism without an event of its own is the worst of its epsilon.

        Examples
        --------
        >>> Release("geometric", UNIT_A, sensitivity=1, scale=2.0, times=3).event()
        SelfComposedDpEvent(event=DiscreteLaplaceDpEvent(noise_parameter=0.5, sensitivity=1), count=3)
        """
        return self._event()[0]

    @property
    def neighbours(self) -> Neighbours:
        """The relation under which an accountant of dp-accounting must read :meth:`event`: "add or remove one" or "replace one"."""
        return self._event()[1]

    def _event(self) -> tuple[Any, Neighbours]:
        if self.delta:
            check.refuse("delta", self.delta, "dp-accounting has no event for a run that may fail",
                         "Use compose, which takes such records.")
        dp, mechanism = package("releases", self), mechanism_of(self.mechanism)
        one, neighbours = mechanism.event(dp, self)
        return mechanism.event_of_all(dp, one, self.times), neighbours

    @classmethod
    def from_event(cls, event: Any, unit: str = UNIT_TUPLE, *, neighbours: Neighbours | None = None,
                   relation: str | None = None) -> Release:
        """The record of one mechanism that dp-accounting's event describes, in units of its own sensitivity.

        Parameters
        ----------
        event : dp_accounting.DpEvent
            Of Gaussian, Laplace, discrete Laplace noise or randomized response; Gaussian also on a Poisson sample; any of them repeated.
        unit : str
        neighbours : {"add or remove one", "replace one", "replace special"}, optional
            Under which an accountant reads the event, whose contributions are at most 1. "replace one" exchanges two of them, and the
            record's sensitivity is 2; else it is 1. None takes what goes with ``relation``: "add or remove one" where it starts so, else
            "replace one".
        relation : str, optional
            Of the record. None takes the first of ``RELATIONS[unit]`` that goes with ``neighbours`` (with None: that adds or removes), else
            the first of all.

        Examples
        --------
        >>> from dp_accounting import GaussianDpEvent, SelfComposedDpEvent
        >>> Release.from_event(SelfComposedDpEvent(GaussianDpEvent(1.1), 10))
        Release('gaussian', 'one whole tuple', sensitivity=1.0, scale=1.1, relation='add or remove one tuple', times=10)
        """
        if neighbours is not None:
            check.choice("neighbours", neighbours, get_args(Neighbours))
        if relation is None:
            word = "replace" if neighbours == "replace one" else "add or remove"
            known = RELATIONS.get(check.text("unit", unit), ())
            relation = next((r for r in known if r.startswith(word)), known[0] if known else None)
        if neighbours is None:
            neighbours = "add or remove one" if (relation or "").startswith("add or remove") else "replace one"
        name, numbers, times = read(event, neighbours)
        told: dict[str, Any] = dict(numbers)
        record = cls(name, unit, relation=relation, times=times, **told)
        if record.sampling_probability < 1 and record.relation.startswith("replace") != (neighbours == "replace one"):
            check.refuse("relation", record.relation, f"a sample that was accounted for under {neighbours!r} says nothing of it",
                         "Give the neighbours that the event was made for, and a relation that goes with them.")
        return record


def _known_name(mechanism: object) -> str:
    """A mechanism's name as it is listed, or as it is given where it is another one."""
    if not isinstance(mechanism, str) or not mechanism.strip():
        check.refuse("mechanism", mechanism, "not a name", "Name the mechanism, for instance 'laplace'.")
    name = " ".join(mechanism.replace("_", " ").lower().split())
    known = {listed.replace("_", " "): listed for listed in MECHANISMS}
    if name in known:
        return known[name]
    meant = difflib.get_close_matches(name, known, n=1, cutoff=0.85)
    if meant:
        check.refuse("mechanism", mechanism, f"nearly {known[meant[0]]!r}, whose records are checked, and not spelt so",
                     f"Write {known[meant[0]]!r}, or another name if you mean another mechanism.")
    return mechanism


def package(name: str, value: object) -> ModuleType:
    """dp_accounting; ``name`` and ``value`` of the argument that asks for it. It is imported here: that takes half a second."""
    try:
        import dp_accounting
    except ImportError as missing:
        check.refuse(name, value, "this needs the package dp-accounting, which is not installed",
                     "Run pip install dp-accounting, or choose another method.", missing)
    return dp_accounting


def read(event: Any, neighbours: Neighbours) -> tuple[str, dict[str, float], int]:
    """The mechanism of an event, the numbers of its record, and how often it ran."""
    inner, times = _repeated(event)
    for name, mechanism in MECHANISMS.items():
        numbers = mechanism.of_event(inner, neighbours)
        if numbers is not None:
            return name, numbers, times
    check.refuse("event", event, "there is no record of such a mechanism", "Take GaussianDpEvent (also inside PoissonSampledDpEvent), "
                 "LaplaceDpEvent, DiscreteLaplaceDpEvent, or RandomizedResponseDpEvent with neighbours='replace one'; for any other, "
                 "ask an accountant of dp-accounting.")


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
