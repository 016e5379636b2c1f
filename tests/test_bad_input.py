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


# What the wrong thing looks like for an argument of that name; each must be refused wherever the argument occurs.
PER_PERSON = {"X", "A", "Y", "y", "prediction", "sensitive_features"}
FINE = {    # a limit of the formula, with a meaning of its own
    ("audit.exact_delta", "epsilon", "0"), ("audit.laplace_delta", "epsilon", "0"), ("audit.laplace_scale_delta", "epsilon", "0"),
    ("mechanisms.gaussian_delta", "epsilon", "0"),
    ("accounting.optimal_composition_delta", "epsilon", "0"), ("accounting.bounded_range_delta", "epsilon", "0"),
    ("accounting.rdp_to_delta", "epsilon", "0"), ("accounting.pld_delta", "epsilon", "0"),
    # the error needs no rate, and the rates of one group are its rates
    ("fairness.error", "counts", "an empty cell"), ("fairness.error", "counts", "a missing group"),
    ("fairness.rates", "counts", "a missing group"),
    # what is right among the accepted needs accepted people of some label, and a merge needs nobody
    ("fairness.predictive_values", "counts", "an empty cell"), ("fairness.predictive_values", "counts", "a missing group"),
    ("fairness.merge_groups", "counts", "an empty cell"),
    ("postprocessing.clip_counts", "counts", "an empty cell"), ("postprocessing.clip_counts", "counts", "a missing group"),
    # who is in a private cell must not show by a refusal
    ("postprocessing.noisy_counts", "counts", "an empty cell"), ("postprocessing.public_margin_counts", "counts", "an empty cell"),
    # nothing else in the call has one entry a person
    ("mechanisms.randomized_response", "A", "one entry short"), ("data.logistic_base", "X", "one entry short"),
    ("data.ten_people_base", "X", "one entry short"), ("attacks.read_support_vectors", "X", "one entry short"),
}


def _spoilt(argument: str, value: object) -> list[tuple[str, object]]:
    """(what is wrong, the wrong value) for a valid value of an argument."""
    wrong = []
    if argument in {"epsilon", "epsilon0", "claimed_epsilon"}:
        wrong += [("0", 0.0), ("negative", -1.0), ("NaN", math.nan)]
    if argument == "gamma":
        wrong += [("negative", -0.1), ("NaN", math.nan)]
    if argument == "rng":
        wrong += [("a seed", 7)]
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return wrong
    if argument in {"Y", "y"} and numbers.ndim:
        wrong += [("labels 1 and 2", numbers + 1)]
    if argument in {"A", "sensitive_features"}:
        wrong += [("half a group", numbers + 0.5), ("a negative group", numbers - 1)]
    if argument in PER_PERSON and numbers.ndim:
        wrong += [("one entry short", numbers[:-1])]
    if numbers.ndim and numbers.size:
        with_nan = numbers.copy()
        with_nan.flat[-1] = math.nan
        wrong += [("NaN inside", with_nan)]
    if argument == "counts" and numbers.ndim >= 3:
        emptied = numbers.copy()
        emptied[..., :, 0, 0] = 0
        wrong += [("an empty cell", emptied), ("a missing group", numbers[..., :, :1, :])]
    return wrong


SPOILT = [(name, argument, what) for name, argument in CASES for what, _ in _spoilt(argument, VALID[name]().arguments[argument])
          if (name, argument, what) not in FINE]


@pytest.mark.parametrize("name, argument, what", SPOILT)
def test_a_value_that_is_wrong_for_its_argument_is_refused_by_name(name, argument, what):
    call = VALID[name]()
    call.arguments[argument] = dict(_spoilt(argument, call.arguments[argument]))[what]
    with pytest.raises(ValueError, match=rf"\b{argument}\b"):
        call.run()
