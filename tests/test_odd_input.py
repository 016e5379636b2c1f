"""What looks odd and is legal gives the same answer as Python's own numbers; what looks like a number and is none is refused.

Legal: numpy's numbers and arrays of any width. A small type must not let a product overflow inside (int8 holds up to 127, float16 has three
digits). No numbers: spans of time, which numpy counts among the integers; dates, records, masked entries, and objects that raise when they
are read or printed. Both for every argument of every public name that is a number or an array of numbers in ``valid_calls.py``; a test is
one name, and lists at its end every fault that it met.
"""
from __future__ import annotations

import re
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from dpfair_teach import _checks, accounting, attacks
from test_bad_input import assert_none
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


def numbers_of(name: str) -> list[str]:
    """The arguments of a call that are numbers."""
    return [argument for argument, value in VALID[name]().arguments.items() if number_of(value) is not None]


NAMES = [name for name in sorted(VALID) if numbers_of(name)]
KINDS = (np.int8, np.uint8, np.int16, np.int32, np.uint64, np.float16, np.float32)


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
    if hasattr(result, "multipliers_"):
        return seen([getattr(result, name, None) for name in ("weights_", "rules_", "theta_", "multipliers_", "releases_")])
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


def differs(name: str, pairs: dict[str, tuple[object, object]]) -> str:
    """What is wrong where the first of each pair answers otherwise than the second; "" where nothing is."""
    case = f"{name}({', '.join(f'{argument}={pair[0]!r}' for argument, pair in pairs.items())})"
    try:
        odd, plain = (outcome(name, **{argument: pair[side] for argument, pair in pairs.items()}) for side in (0, 1))
    except Exception as crash:      # a warning is one, too: filterwarnings = error
        return f"{case}: {type(crash).__name__}: {crash}"
    return "" if odd == plain else f"{case}: {odd[:200]}, and of Python's numbers {plain[:200]}"


@pytest.mark.turning(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_numpys_numbers_of_any_width_are_pythons(name):
    faults = []
    for argument in numbers_of(name):
        pairs = [pair for kind in KINDS if (pair := as_kind(VALID[name]().arguments[argument], kind)) is not None]
        assert len(pairs) >= 2
        faults += [differs(name, {argument: pair}) for pair in pairs]
    assert_none(faults)


@pytest.mark.turning(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_all_numbers_of_a_call_at_once(name):
    """Only so two small numbers meet in a product."""
    arguments, faults = VALID[name]().arguments, []
    for kind in KINDS:
        pairs = {argument: pair for argument in numbers_of(name) if (pair := as_kind(arguments[argument], kind)) is not None}
        if kind in (np.float16, np.float32):
            pairs.pop("q", None)            # rounded frequencies do not sum to 1
        faults.append(differs(name, pairs))
    assert_none(faults)


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


def taken(name: str, argument: str, wrong: object, what: str) -> str:
    """What is wrong where a call does not refuse a value by the argument's name; "" where nothing is."""
    call = VALID[name]()
    call.arguments[argument] = wrong
    case = f"{name}({argument}: {what})"
    try:
        call.run()
    except ValueError as refusal:
        return "" if re.search(rf"\b{argument}\b", str(refusal)) else f"{case}: the message does not name {argument}: {refusal}"
    except Exception as crash:
        return f"{case}: {type(crash).__name__}: {crash}"
    return f"{case}: it was taken"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_number_is_refused_by_name(name):
    assert_none(taken(name, argument, wrong, what) for argument in numbers_of(name) for what, wrong in NO_NUMBERS.items())


def test_messages_are_one_line_and_short():
    for value in (pd.Series([1.0, None]), pd.DataFrame({"a": ["x"] * 50}), np.ma.array([1.0, 2.0], mask=[True, False]),
                  np.full((9, 9), "text"), pd.Series(range(500), dtype=str)):
        with pytest.raises(ValueError, match=r"^rows=") as refused:
            _checks.array("rows", value)
        assert "\n" not in str(refused.value) and len(str(refused.value)) < 250


def test_a_collection_that_raises_when_read_is_none():
    class Broken:
        def __init__(self, where):
            self.where = where

        def __iter__(self):
            if self.where == "iter":
                raise RuntimeError("the connection is gone")
            return iter([0.5])

        def __len__(self):
            raise KeyError("no length")

    for broken in (Broken("iter"), Broken("len")):
        for call, name in ((accounting.compose, "releases"), (accounting.releases_table, "releases"),
                           (lambda many: _checks.entries("epsilons", many, "a list of numbers", "Give one epsilon or more."), "epsilons")):
            with pytest.raises(ValueError, match=rf"^{name}=.*: not a (collection|list)") as refused:
                call(broken)
            assert isinstance(refused.value.__cause__, (RuntimeError, KeyError))


def test_the_remedy_for_a_wrong_length_names_the_argument_and_speaks_of_nobody_else():
    with pytest.raises(ValueError, match=r"^attack=\(3,\): must have 5 entries .* Give attack one entry for each of the 5\.$"):
        attacks.guessing_game(lambda A, rng: A, lambda outputs: np.zeros(3, int), trials=5, rng=np.random.default_rng(0))


NO_BOOLEANS = {"gamma", "gammas", "slack", "q", "counts", "dual", "epsilon", "epsilons"}


@pytest.mark.parametrize("name", [name for name in NAMES if NO_BOOLEANS.intersection(numbers_of(name))])
def test_true_is_no_number_of_a_program(name):
    """Nor one entry among others; numpy would read it as 1."""
    faults = []
    for argument in NO_BOOLEANS.intersection(numbers_of(name)):
        value = VALID[name]().arguments[argument]
        spoilt = True
        if np.ndim(value):
            spoilt = np.asarray(value, dtype=float).tolist()
            inner = spoilt
            while isinstance(inner[0], list):
                inner = inner[0]
            inner[0] = True
        faults += [taken(name, argument, spoilt, "True"), taken(name, argument, np.ones_like(value, dtype=bool), "all True")]
    assert_none(faults)
