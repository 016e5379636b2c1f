"""What looks odd and is legal gives the same answer as Python's own numbers; what looks like a number and is none is refused.

Legal: numpy's numbers and arrays of any width. A small type must not let a product overflow inside (int8 holds up to 127, float16 has three
digits). No numbers: spans of time, which numpy counts among the integers; dates, records, masked entries, and objects that raise when they
are read or printed. Both for every argument of every public name that is a number or an array of numbers in ``valid_calls.py``.
"""
from __future__ import annotations

import re
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from dpfair_teach import _checks
from valid_calls import VALID


def number_of(value: object) -> np.ndarray | None:
    """A number or numbers as an array; None for everything else, booleans too."""
    if value is None or isinstance(value, (str, bool, np.bool_, pd.DataFrame)):
        return None
    try:
        numbers = np.asarray(value)
    except ValueError:
        return None
    return numbers if numbers.dtype.kind in "iuf" and numbers.size else None


CASES = [(name, argument) for name in sorted(VALID) for argument, value in VALID[name]().arguments.items() if number_of(value) is not None]
KINDS = (np.int8, np.uint8, np.int16, np.int32, np.uint64, np.float16, np.float32, np.longdouble)
MANY_RUNS = {"experiments.run"}     # seconds for each call; its arguments go to ``sweep``, which is here


def seen(result: object) -> str:
    """All that a result holds, as text; what cannot be looked into, as its type."""
    if isinstance(result, (np.ndarray, np.generic, int, float, str, type(None))):
        return repr(np.asarray(result).tolist())
    if isinstance(result, pd.DataFrame):
        return seen(result.to_dict("list"))
    if isinstance(result, dict):
        return seen(list(result.items()))
    if isinstance(result, (list, tuple)):
        return f"[{', '.join(map(seen, result))}]"
    if is_dataclass(result):
        return seen([getattr(result, f.name) for f in fields(result)])
    if isinstance(result, Figure):
        return seen([line.get_xydata() for ax in result.axes for line in ax.lines])
    if isinstance(result, np.random.Generator):
        return seen(result.random(3))
    if hasattr(result, "p_"):
        return seen([result.p_, result.q_tilde_, result.slack_, result.releases_])
    if hasattr(result, "interval"):         # a distribution
        return seen([result.mean(), result.std(), result.interval(0.9)])
    return type(result).__name__


def outcome(name: str, **changed: object) -> str:
    """What a call answers, or that it is refused."""
    call = VALID[name]()
    call.arguments |= changed
    try:
        return seen(call.run())
    except ValueError as refusal:
        assert re.search("|".join(rf"\b{argument}\b" for argument in changed), str(refusal)), refusal
        return "refused"


def as_kind(value: object, kind: type) -> tuple[object, object] | None:
    """``value`` in numpy's ``kind`` and the same in Python's numbers; None where the kind cannot hold it."""
    numbers = number_of(value)
    with np.errstate(all="ignore"):
        odd = numbers.astype(kind)
    rounded = kind in (np.float16, np.float32)
    if not np.isfinite(odd).all() or not (rounded or (odd == numbers).all()):
        return None
    return (odd if odd.ndim else odd[()]), (odd.astype(float) if odd.dtype.kind == "f" else odd).tolist()


@pytest.mark.parametrize("name, argument", [case for case in CASES if case[0] not in MANY_RUNS])
def test_numpys_numbers_of_any_width_are_pythons(name, argument):
    pairs = {kind: as_kind(VALID[name]().arguments[argument], kind) for kind in KINDS}
    assert sum(pair is not None for pair in pairs.values()) >= 2
    for kind, pair in pairs.items():
        if pair is not None:
            assert outcome(name, **{argument: pair[0]}) == outcome(name, **{argument: pair[1]}), f"{argument} as {kind.__name__}"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", sorted({name for name, _ in CASES} - MANY_RUNS))
def test_all_numbers_of_a_call_at_once(name, kind):
    """Only so two small numbers meet in a product."""
    arguments = VALID[name]().arguments
    pairs = {argument: as_kind(arguments[argument], kind) for case, argument in CASES if case == name}
    if "q" in pairs and kind in (np.float16, np.float32):
        del pairs["q"]                      # rounded frequencies do not sum to 1
    odd, plain = ({argument: pair[side] for argument, pair in pairs.items() if pair is not None} for side in (0, 1))
    assert outcome(name, **odd) == outcome(name, **plain)


class Stubborn:
    """Raises whatever is done with it."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("not an array")

    def __repr__(self):
        raise RuntimeError("not to be printed")


NO_NUMBERS = {
    "a span of time": np.timedelta64(3, "s"), "spans of time": np.array([0, 8], "m8[s]"), "a date": np.datetime64("2020-01-01"),
    "dates as objects": np.array([pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-02")], dtype=object),
    "spans as objects": np.array([np.timedelta64(3, "s"), np.timedelta64(4, "s")], dtype=object),
    "records": np.zeros(2, dtype=[("a", float)]), "texts of numbers": ["0.5", "inf"], "a text among numbers": [0.5, "inf"],
    "a masked entry": np.ma.array([1.0, np.inf], mask=[True, False]), "complex": np.array([0.5 + 1j, np.inf]), "stubborn": Stubborn(),
    "none among numbers": np.array([40, None], dtype=object),
}


@pytest.mark.parametrize("name, argument", CASES)
@pytest.mark.parametrize("what", NO_NUMBERS)
def test_what_is_no_number_is_refused_by_name(name, argument, what):
    call = VALID[name]()
    call.arguments[argument] = NO_NUMBERS[what]
    with pytest.raises(ValueError, match=rf"\b{argument}\b"):
        call.run()


def test_messages_are_one_line_and_short():
    for value in (pd.Series([1.0, None]), pd.DataFrame({"a": ["x"] * 50}), np.ma.array([1.0, 2.0], mask=[True, False]),
                  np.full((9, 9), "text"), pd.Series(range(500), dtype=str)):
        with pytest.raises(ValueError, match=r"^rows=") as refused:
            _checks.array("rows", value)
        assert "\n" not in str(refused.value) and len(str(refused.value)) < 250


@pytest.mark.parametrize("name, argument", [(name, argument) for name, argument in CASES
                                            if argument in {"gamma", "gammas", "slack", "q", "counts", "dual", "epsilon", "epsilons"}])
def test_true_is_no_number_of_a_program(name, argument):
    """Nor one entry among others; numpy would read it as 1."""
    value = VALID[name]().arguments[argument]
    spoilt = True
    if np.ndim(value):
        spoilt = np.asarray(value, dtype=float).tolist()
        inner = spoilt
        while isinstance(inner[0], list):
            inner = inner[0]
        inner[0] = True
    for wrong in (spoilt, np.ones_like(value, dtype=bool)):
        call = VALID[name]()
        call.arguments[argument] = wrong
        with pytest.raises(ValueError, match=rf"\b{argument}\b"):
            call.run()
