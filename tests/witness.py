"""Who stands at the one door for noise while a private fit runs: what was asked there, what was answered, and what records that left.

All noise meets private numbers in ``mechanisms.Measurement.invoke``. A :class:`Witness` there writes down every question, with its value,
and every answer; a second one has the same answers told to a run on other groups. Whatever then still depends on the groups did not go
through a mechanism.
"""
from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import io
import logging
import math
import re
import sys
import warnings
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest

import turning
from dpfair_teach import data, networks
from dpfair_teach.accounting import UNIT_A, UNIT_TUPLE, Release
from dpfair_teach.lagrangian import problem
from dpfair_teach.mechanisms import MECHANISMS, Measurement
from private_fits import Fit, function_of

#: What is tried on every private fit, a quarter of them each day and all of the rooms where something is new. Four days, for the seeds
#: have three and the neighbours seven: in time each fit meets all.
BY_TURNS = pytest.mark.turning(4, of=["tests/private_fits.py", "tests/witness.py", "tests/plays.py", "tests/faults.py"])
#: Who makes records: the door, and plans of what they would cost.
MAKERS = ("dpfair_teach.mechanisms.measurement", "dpfair_teach.accounting.adding")
#: What is drawn of public things, or coins that must stay secret: the same for all groups, and no answer.
COINS = [(networks.Network, "initial"), (problem, "epoch_order"), (problem, "poisson_sample"),
         (importlib.import_module("dpfair_teach.baselines.reductions"), "shaken_prices")]


class Sample(NamedTuple):
    """Whom the coins for a secret sample of m people chose, each with this probability."""

    m: int
    probability: float
    people: np.ndarray


class Asked(NamedTuple):
    """One question at the door: the mechanism with its public numbers, the units, how many repeats; the private value; the answer.

    On a secret sample: with which probability everybody is in it by the record, and the coins that were tossed last and for no other
    question. Of which public part of the people it is by the record, and how the mechanism was told to draw."""

    mechanism: str
    numbers: tuple[Any, ...]
    units: np.ndarray
    axes: tuple[int, ...]
    shape: tuple[int, ...]
    value: np.ndarray
    answer: np.ndarray
    probability: float
    sample: Sample | None
    part: tuple[str, str] | None
    options: str

    def public(self) -> bytes:
        """All but the value and the answer, in bytes."""
        numbers = [None if number is None else np.asarray(number).tolist() for number in self.numbers]
        shapes = self.axes, self.shape, np.shape(self.value), np.shape(self.answer)
        return repr((self.mechanism, numbers, self.units.tolist(), shapes, self.options)).encode()

    def moved(self, other: Asked) -> np.ndarray:
        """How far the other's value is from this one's, in the mechanism's norm, of each game."""
        rows = *self.axes, -1, self.value.shape[-1] if self.value.ndim > len(self.axes) else 1
        return MECHANISMS[self.mechanism].distance(*(each.value.reshape(rows).astype(float) for each in (self, other)))

    def allowed(self) -> np.ndarray:
        """How far one person may move the value: the sensitivity, in its units; 0 where no noise was drawn."""
        sensitivity, scale, _ = self.numbers
        if sensitivity is None:                                 # everybody answers for themselves
            return np.ones(self.axes)
        drawn = np.broadcast_to(1.0 if scale is None else np.asarray(scale) > 0, self.axes)
        return np.where(drawn, np.asarray(sensitivity) * self.units, 0.0)

    def noise(self) -> np.ndarray | None:
        """The noise of a first run in scales, a row for each game or repeat; None where it is not in doubles, or a game has none."""
        scale = np.asarray(0.0 if self.numbers[1] is None else self.numbers[1] * self.units)
        if self.answer.dtype.kind != "f" or not scale.all():
            return None
        noise = (self.answer - self.value) / scale.reshape(scale.shape + (1,) * (self.value.ndim - scale.ndim))
        return noise.reshape(math.prod(self.shape + self.axes), -1)


class Witness:
    """Stands at the door: with ``told``, the answers are those, and not what is drawn; with ``fresh``, secret samples are not told.

    ``alike``: the generator is that of the first run, so the coins that no mechanism tosses must be its too.

    ``streams``: each generator that noise or a secret sample was drawn from, and its state before. ``written``: where records were made, if
    not by a mechanism.
    """

    def __init__(self, told: list[np.ndarray] | None = None, fresh: bool = False, alike: bool = False) -> None:
        self.told, self.fresh, self.alike, self.asked, self.coins, self.doors = told, fresh, alike, [], [], []
        self._answers, self._sample = iter(told or ()), None
        self.streams: list[tuple[np.random.Generator, str]] = []
        self.written: list[str] = []

    def answer(self, drawn: Any, alike: bool = True) -> Any:
        if self.told is None:
            self.coins.append(drawn)
            return drawn
        told = next(self._answers, None)
        assert told is not None, "a mechanism is asked once more than for other groups"
        assert not alike or np.shape(told) == np.shape(drawn), "a mechanism is asked about more, or less, than for other groups"
        return told

    def watch(self, patched: pytest.MonkeyPatch) -> None:
        real, makes = Measurement.invoke, Release.__init__

        def make(record: Release, *args: Any, **kw: Any) -> None:
            frame = sys._getframe(1)
            while frame.f_globals["__name__"] in ("dpfair_teach.mechanisms.records", "dataclasses", "copy"):
                frame = frame.f_back
            if frame.f_globals["__name__"] not in MAKERS:
                self.written.append(f"{frame.f_globals['__name__']}.{frame.f_code.co_name}")
            makes(record, *args, **kw)

        patched.setattr(Release, "__init__", make)

        def invoke(door: Measurement, value: Any, rng: Any, *, units: Any = 1.0, size: Any = None) -> np.ndarray:
            if not any(door is known for known in self.doors):
                self.doors.append(door)
            before = str(rng.bit_generator.state)
            drawn = real(door, value, rng, units=units, size=size)
            units = np.asarray(units, dtype=float)
            silent = np.broadcast_to(units == 0, door.axes) | door._silent[door._kind].reshape(door.axes)
            answer = np.asarray(self.answer(np.array(drawn)))
            if not silent.all():
                self.streams.append((rng, before))
            if silent.any():                                    # no mechanism there: nothing private may be in it, and nothing is told
                answer = np.where(silent.reshape(silent.shape + (1,) * (answer.ndim - silent.ndim)), drawn, answer)
            shape = tuple(np.atleast_1d(size)) if size is not None else ()
            records = [record for record in door._records if record is not None]
            probability = min((record.sampling_probability for record in records), default=1.0)
            part = next((record.part for record in records), None)
            sample = None
            if probability < 1:
                sample, self._sample = self._sample, None
            self.asked.append(Asked(door.mechanism, (door._given[0], door._scale, door._given[2]), units, door.axes, shape,
                                    np.array(value), answer, probability, sample, part, repr(door._options)))
            return answer[()]

        patched.setattr(Measurement, "invoke", invoke)
        for owner, name in COINS:
            real_coin = getattr(owner, name)

            def coin(*args: Any, real_coin: Any = real_coin, name: str = name, **kw: Any) -> Any:
                if name != "poisson_sample":
                    own = real_coin(*args, **kw)
                    told = self.answer(own)
                    assert not self.alike or all(map(np.array_equal, *(x if isinstance(x, (list, tuple)) else [x] for x in (own, told)))), \
                        f"{name} draws other things for other groups, and asks no mechanism"
                    return told
                self.streams.append((args[-1], str(args[-1].bit_generator.state)))
                own = real_coin(*args, **kw)
                told = self.answer(own, alike=False)
                self._sample = Sample(*args[:2], own if self.fresh else told)
                return self._sample.people

            for module in [owner, *(module for key, module in list(sys.modules.items()) if key.startswith("dpfair_teach"))]:
                if vars(module).get(name) is real_coin:
                    patched.setattr(module, name, coin)

    @property
    def answers(self) -> list[np.ndarray]:
        """Everything that was drawn, in order."""
        return self.coins

    def records(self) -> Counter:
        return merged(record for door in self.doors for record in door.releases)


def others(people: data.Dataset, A: np.ndarray, who: int, seen: Run) -> list[tuple[data.Dataset, np.ndarray]]:
    """Where the records of a run protect more of a person than the group: the people, one of whom is another in all of that, with the
    features of somebody who is there, with none, and with such as nobody has."""
    units, one = {record.unit for door in seen.witness.doors for record in door.releases}, np.arange(people.m) == who
    if units <= {UNIT_A}:
        return []
    return [(dataclasses.replace(people, X=np.where(one[:, None], X, people.X),
                                 Y=np.where(one & (units == {UNIT_TUPLE}), 1 - people.Y, people.Y)),
             np.where(one, (A + 1) % people.n_groups, A)) for X in (people.X[::-1], 0 * people.X, 100 * people.X)]


def seed_of(name: str, day: int | None = None) -> int:
    """The seed of a fit's first run: one of three, which turn by the day, so that some branch that one does not take another does."""
    return 1 + (turning.of(name) + (turning.day().toordinal() if day is None else day)) % 3


def merged(records: Any) -> Counter:
    """Records that differ in how often they ran alone, added up."""
    found: Counter = Counter()
    for record in records:
        found[repr(record.with_times(1))] += record.times
    return found


def records_of(result: Any) -> tuple[Release, ...] | None:
    """The records that a result holds, or those in its parts; None if it is numbers alone."""
    if isinstance(result, Release):
        return (result,)
    if isinstance(result, (tuple, list)):
        return sum((records_of(part) or () for part in result), ()) or None
    inside = [getattr(result, name) for name in ("releases_", "releases", "release") if hasattr(result, name)]
    return records_of(tuple(inside[0]) if isinstance(inside[0], (tuple, list)) else inside[0]) if inside else None


class Run(NamedTuple):
    result: Any
    witness: Witness
    rng: np.random.Generator
    claim: tuple[float, float] | None
    said: list[str]                                             # in warnings, a log, print, and at the end of a bar

    @property
    def generator(self) -> dict:
        return self.rng.bit_generator.state


def run(fit: Fit, people: Any, A: np.ndarray, told: list | None = None, seed: int = 1, fresh: bool = False, alike: bool = False) -> Run:
    """One run of a private fit with its door watched, and the epsilon and delta that it was asked for."""
    witness, rng = Witness(told, fresh, alike), np.random.default_rng(seed)
    out, bars = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings(record=True) as said, contextlib.redirect_stdout(out), \
            contextlib.redirect_stderr(bars):
        warnings.simplefilter("always", UserWarning)
        witness.watch(patched)
        claims, before = [], sys.getprofile()
        code = inspect.unwrap(function_of(fit.door)).__code__

        def seen(frame: Any, event: str, what: Any) -> None:
            if before:                                          # whoever watched already goes on, and may have enough
                before(frame, event, what)
                sys.setprofile(seen)
            if event == "call" and frame.f_code is code:
                sys.setprofile(before)
                given = frame.f_locals
                source = vars(given["self"]) if "self" in given else given
                claims.append(tuple(source.get(name) or sum(source[part] for part in source if part.startswith(f"{name}_"))
                                    for name in ("epsilon", "delta")))      # or of two parts

        logged: list[str] = []
        listener = logging.Handler()
        patched.setattr(listener, "emit", lambda record: logged.append(record.getMessage()))
        patched.setattr(logging.getLogger(), "handlers", [listener])
        patched.setattr(logging.getLogger(), "level", logging.DEBUG)
        sys.setprofile(seen)
        try:
            result = fit.of(people, A, rng)
        except ValueError as refusal:
            assert told is None, f"refused for other groups: {refusal}"
            raise
        finally:
            sys.setprofile(before)
    claim = claims[0] if claims and np.any(claims[0][0]) else None
    *drawn, last = bars.getvalue().split("\r")
    beside = [text for text in drawn if text.strip() and not re.search(r"\d+%\||\d+it ", text)]       # bars go by the time
    bar = re.sub(r"\[\S+<\S+ +\S+?(?=[,\]])", "[", last)       # as it ends, but for the time
    return Run(result, witness, rng, claim, [*(str(warning.message) for warning in said), *logged, out.getvalue(), *beside, bar])
