"""Rubbish at every argument of every public name: a ``ValueError`` that names the argument, and nothing else.

The rule has no exemptions. Every callable in every ``__all__`` has a valid call in ``valid_calls.py`` (a missing one is a failure here).
Each argument in turn is replaced by rubbish from one pool, all others stay valid. Then the call may succeed (a number may
happen to be fine) or raise a ``ValueError`` whose text holds the argument's name; any other exception is a failure. For
``object()`` and for a value of the wrong kind success is a failure too.
"""
from __future__ import annotations

import importlib
import inspect
import math
import pkgutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dpfair_teach
from valid_calls import ANY_TEXT, VALID

PUBLIC_MODULES = sorted(
    {dpfair_teach.__name__}
    | {info.name for info in pkgutil.walk_packages(dpfair_teach.__path__, "dpfair_teach.")
       if not any(part.startswith("_") for part in info.name.split("."))})


def public_callables() -> dict[str, object]:
    """Every callable named in an ``__all__``, under the shortest module that exports it."""
    found: dict[int, tuple[str, object]] = {}
    for module in sorted(PUBLIC_MODULES, key=lambda name: (name == "dpfair_teach", name.count("."))):
        for name in getattr(importlib.import_module(module), "__all__", ()):
            value = getattr(importlib.import_module(module), name)
            carries_a_message = inspect.isclass(value) and issubclass(value, BaseException)
            if callable(value) and not carries_a_message:
                found.setdefault(id(value), (f"{module.removeprefix('dpfair_teach.')}.{name}", value))
    return dict(found.values())


CALLABLES = public_callables()
CASES = [(name, argument) for name in sorted(VALID) for argument in VALID[name]().arguments]

RUBBISH = st.one_of(
    st.sampled_from([None, True, math.nan, math.inf, -math.inf, -1, 0, -0.5, 2, 10 ** 400, "", "rubbish", b"rubbish", [], {}, (),
                     [math.nan, 1.0], [1, 2], [[0], [1, 2]], ["a", "b"], 1j, np.array(["x"]), np.zeros((2, 0)), np.full(3, np.nan),
                     np.zeros((3, 3, 3)), np.array(None), np.array([1, None], dtype=object), lambda: 0, int]),
    st.floats(), st.integers(-5, 5), st.text(max_size=4),
    st.lists(st.floats(), max_size=4),
)


def test_every_public_callable_has_a_valid_call():
    covered = {name.split(":")[0] for name in VALID}
    missing = sorted(set(CALLABLES) - covered)
    assert not missing, f"no valid call in tests/valid_calls.py for: {', '.join(missing)}"


def test_every_argument_is_attacked():
    for name, value in CALLABLES.items():
        parameters = {p.name for p in inspect.signature(value).parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
        attacked = set().union(*(VALID[key]().arguments for key in VALID if key.split(":")[0] == name))
        assert parameters <= attacked, f"{name}: no valid value given for {sorted(parameters - attacked)}"


@pytest.mark.parametrize("name", sorted(VALID))
def test_the_valid_call_is_valid(name):
    VALID[name]().run()


@pytest.mark.parametrize("name, argument", CASES)
def test_an_object_that_is_nothing_is_refused(name, argument):
    call = VALID[name]()
    call.arguments[argument] = object()
    with pytest.raises(ValueError, match=rf"\b{argument}\b"):
        call.run()


@pytest.mark.parametrize("name, argument", CASES)
@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rubbish=RUBBISH)
def test_rubbish_is_accepted_or_refused_by_name(name, argument, rubbish):
    call = VALID[name]()
    kind = type(call.arguments[argument])
    call.arguments[argument] = rubbish
    try:
        call.run()
    except ValueError as refusal:
        assert argument in str(refusal), f"{name}: the message does not name {argument}: {refusal}"
    else:
        wrong_kind = kind is str and not isinstance(rubbish, str) and rubbish is not None
        assert not wrong_kind, f"{name} took {argument}={rubbish!r} where it wants text"
        made_up_option = kind is str and rubbish == "rubbish"
        assert not made_up_option or (name, argument) in ANY_TEXT, f"{name} took {argument}='rubbish'"
