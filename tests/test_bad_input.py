"""Rubbish at every argument of every public name: a ``ValueError`` that says which argument, which value and what to do, and nothing else.

No name and no argument is left out. Every callable in every ``__all__`` has a valid call in ``valid_calls.py`` (a missing one is a
failure here). Each argument in turn is replaced by rubbish from one pool, all others stay valid. Then the call may succeed (a number
may happen to be fine) or raise a ``ValueError`` that is ``told`` well; any other exception is a failure. For ``object()``, for a value
of the wrong kind and for what is wrong for an argument of that name (``_spoilt``) success is a failure too, but where the value has a
meaning: those are listed, each with its reason, in ``FINE``. A test is one public name: it goes through all arguments and all rubbish, and
lists at its end every fault that it met.
"""
from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Collection, Iterable

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import dpfair_teach
from valid_calls import ANY_TEXT, VALID, Call

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

# All of these at every argument, and a few drawn ones.
POOL = [None, True, math.nan, math.inf, -math.inf, -1, 0, -0.5, 2, 10 ** 400, "", "rubbish", "a\0b", "x" * 5000, "2020-01-01", b"rubbish",
        [], {}, (), {1, 2}, [math.nan, 1.0], [1, 2], [[0], [1, 2]], ["a", "b"], 1j, np.array(["x"]), np.zeros((2, 0)), np.full(3, np.nan),
        np.zeros((3, 3, 3)), np.array(None), np.array([1, None], dtype=object), pd.NA, pd.DataFrame({"a": ["x"]}),
        np.datetime64("2020-01-01"), np.ma.masked_array([1.0, 2.0], mask=[True, False]), lambda: 0, int]
RUBBISH = st.one_of(st.floats(), st.integers(-5, 5), st.text(max_size=4), st.lists(st.floats(), max_size=4))
NOTHING = (object, bytes, complex, dict)    # kinds that fit beside no partner: then nobody else is to blame


@pytest.fixture(autouse=True)
def somewhere(tmp_path_factory, monkeypatch):
    """A word may be the name of a file, and is then written: not where the tests stand, nor where another worker writes the same."""
    monkeypatch.chdir(tmp_path_factory.mktemp("rubbish"))


def forms(value: object) -> set[str]:
    """Ways to show ``value`` in a message, one of which is enough: itself, its type, its shape, a length, or an entry."""
    found = {" ".join(repr(value).split()), str(value), type(value).__name__}       # in one line
    if callable(value):
        return found | {"raised", "TypeError"}      # a function shows itself by what it raises
    found |= set(value.columns) if isinstance(value, pd.DataFrame) else {"masked"} if isinstance(value, np.ma.MaskedArray) else set()
    try:
        entries = np.asarray(list(value) if isinstance(value, set) else value)
    except ValueError:
        entries = np.array(list(value), dtype=object)
    empty = entries.size == 0 or (isinstance(value, dict) and not value)
    found |= {repr(entries), str(entries.shape), *({"is empty", "[]"} if empty else ())}
    found |= {f"{n} {each}" for n in entries.shape for each in ("groups", "rows", "entries", "names", "repeats", "numbers")}
    found |= {f"holds {n}" for n in entries.shape}
    if entries.ndim:    # one of several lengths, in their order
        found |= {f"({len(entries)}, ", f", {len(entries)}, ", f", {len(entries)}): different"}
    for entry in entries.ravel().tolist():
        found |= {repr(entry)} | ({"nan"} if entry is None else set())
        if isinstance(entry, (bool, int, float)) and abs(entry) < 1e300:
            found |= {repr(float(entry)), f"{entry:g}"} | ({str(int(entry))} if entry == int(entry) else set())
    return {form[:60] for form in found if form}


def told(refusal: ValueError, argument: str, value: object, others: Collection[str] = ()) -> str:
    """What a refusal's text lacks; "" when it has the argument, the value and, in a sentence of its own, the remedy.

    The name stands where the message begins; or one of the ``others`` does, which the value contradicts, and the name follows.
    """
    message = str(refusal)
    head = message.split("=", 1)[0]
    begins = re.match(r"\w*", head)[0]
    if not re.search(rf"\b{re.escape(argument)}\b", head) and (begins not in others or argument == "A"):     # "A" also begins sentences
        return f"the message begins neither with {argument} nor with what it contradicts: {message}"
    from_fn = begins == "fn" and argument in {"x", "y"}     # what a function makes of its numbers is the function's doing
    if not from_fn and not re.search(rf"\b{re.escape(argument)}\b", message):
        return f"the message does not name {argument}: {message}"
    if not re.fullmatch(r"(.+?): (.+?)[.?]\s(\S.{5,})[.?)]\s*", message, re.DOTALL):
        return f"the message has no remedy after the reason: {message}"
    if len(message) > 4000:
        return f"the message has {len(message)} characters: {message[:200]}"
    whole = (("" if form[0] == "," else r"(?<![\w.])") + re.escape(form) + ("" if len(form) == 60 or form[-1] == " " else r"(?!\w)")
             for form in forms(value))
    if not from_fn and not any(re.search(form, message) for form in whole):
        return f"the message does not show {value!r}: {message}"
    nothing = type(value) in NOTHING or (isinstance(value, (list, tuple)) and not value)
    if nothing and not re.match(rf"[^=:]*\b{re.escape(argument)}\b", message):
        return f"the message blames another argument than {argument}: {message}"
    return ""


def test_what_a_message_lacks_is_found():
    def lacks(message, argument="epsilon", value: object = -1.0):
        return told(ValueError(message), argument, value, ("base_rates", "shares", "q"))

    assert not lacks("epsilon=-1.0: outside (0, inf). Choose epsilon inside that range.")
    assert not lacks("X=(2, 0): is empty. Give at least one person.", "X", np.zeros((2, 0)))
    assert "begins neither" in lacks("setting an array element with a sequence. The shape was 1.")
    assert "begins neither" in lacks("q=-1.0: bad. A is best.", "A") and "begins neither" in lacks("counts=-1.0: bad. Give less k.", "k")
    assert "does not name" in lacks("q=-1.0: too small. Give another.", "k")
    assert "no remedy" in lacks("epsilon=-1.0: outside (0, inf).") and "no remedy" in lacks("epsilon=-1.0 is bad")
    assert "does not show" in lacks("epsilon: outside (0, inf). Choose epsilon inside that range.")
    assert "blames" in lacks("base_rates=[]: holds 2 numbers, but shares holds 0, (0,). Give one for each.", "shares", [])


def test_every_public_callable_has_a_valid_call():
    covered = {name.split(":")[0] for name in VALID}
    missing = sorted(set(CALLABLES) - covered)
    assert not missing, f"no valid call, in VALID_CALLS of the file of its test, for: {', '.join(missing)}"


def test_every_argument_is_attacked():
    for name, value in CALLABLES.items():
        parameters = {p.name for p in inspect.signature(value).parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
        attacked = set().union(*(VALID[key]().arguments for key in VALID if key.split(":")[0] == name))
        assert parameters <= attacked, f"{name}: no valid value given for {sorted(parameters - attacked)}"


@pytest.mark.parametrize("name", sorted(VALID))
def test_the_valid_call_is_valid(name):
    VALID[name]().run()


def fault(name: str, argument: str, rubbish: object, what: str = "", refused: bool = False) -> str:
    """What is wrong with a call's answer to rubbish; "" where nothing is. With ``refused`` an answer is wrong in any case."""
    call = VALID[name]()
    kind = type(call.arguments[argument])
    call.arguments[argument] = rubbish
    case = f"{name}({argument}={what or ' '.join(repr(rubbish).split())[:60]})"
    try:
        call.run()
    except ValueError as refusal:
        lack = told(refusal, argument, rubbish, call.arguments)
        return lack and f"{case}: {lack}"
    except dpfair_teach.LargeDeltaWarning:       # taken, and said to promise nothing
        return ""
    except Exception as crash:      # a warning is one, too: filterwarnings = error
        return f"{case}: {type(crash).__name__}: {crash}"
    wrong_kind = kind is str and not isinstance(rubbish, str) and rubbish is not None
    made_up_option = kind is str and isinstance(rubbish, str) and rubbish == "rubbish" and (name, argument) not in ANY_TEXT
    return f"{case}: it was taken" if refused or wrong_kind or made_up_option else ""


def assert_none(faults: Iterable[str]) -> None:
    """Go through all, then fail with the whole list."""
    faults = [fault for fault in faults if fault]
    assert not faults, f"{len(faults)} faults:\n" + "\n".join(faults)


def test_all_faults_are_found_and_listed():
    def careless(n, text):
        """Takes everything, but for some n."""
        if n is None:
            raise TypeError("None is no number")
        if n == 0:
            raise ValueError("bad")

    VALID["a careless function"] = lambda: Call(careless, {"n": 1, "text": "some"})
    try:
        for rubbish, lack in ((None, "TypeError: None is no number"), (0, "begins neither"), (2, "")):
            assert lack in fault("a careless function", "n", rubbish) and bool(lack) == bool(fault("a careless function", "n", rubbish))
        assert "taken" in fault("a careless function", "n", 2, refused=True)
        assert "taken" in fault("a careless function", "text", 7) and "taken" in fault("a careless function", "text", "rubbish")
        with pytest.raises(AssertionError, match=r"(?s)^2 faults:.*None is no number.*begins neither"):
            assert_none(fault("a careless function", "n", rubbish) for rubbish in (None, 0, 2))
    finally:
        del VALID["a careless function"]


@pytest.mark.parametrize("name", sorted(VALID))
def test_an_object_that_is_nothing_is_refused(name):
    assert_none(fault(name, argument, object(), refused=True) for argument in VALID[name]().arguments)


@pytest.mark.turning(4)
@pytest.mark.parametrize("name", sorted(VALID))
def test_rubbish_is_accepted_or_refused_by_name_value_and_remedy(name):
    assert_none(fault(name, argument, rubbish) for argument in VALID[name]().arguments for rubbish in POOL)


#: Each other number is other noise to be found, or many more rounds: drawn rubbish waits for the night. That of POOL does not.
DEAR = ("lagrangian.PrivateFairLagrangian", "lagrangian.find_noise", "lagrangian.pf_ld", "games.exponentiated_gradient")


@pytest.mark.turning(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.nightly) if name.split(":")[0] in DEAR else name
                                  for name in sorted(VALID)])
@settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck),
          phases=(Phase.explicit, Phase.generate))      # rubbish is small as it is drawn: to shrink it takes minutes and says nothing more
@given(rubbish=RUBBISH)
def test_drawn_rubbish_is_accepted_or_refused_by_name_value_and_remedy(name, rubbish):
    assert_none(fault(name, argument, rubbish) for argument in VALID[name]().arguments)


# What the wrong thing looks like for an argument of that name; each must be refused wherever the argument occurs.
PER_PERSON = {"X", "A", "Y", "y", "prediction", "sensitive_features"}
FINE = {
    # epsilon 0 is the end of a formula's range, with a meaning of its own: there delta is the total variation distance
    ("audit.exact_delta", "epsilon", "0"), ("audit.laplace_shift_delta", "epsilon", "0"), ("audit.laplace_scale_delta", "epsilon", "0"),
    ("mechanisms.gaussian_delta", "epsilon", "0"), ("audit.largest_power", "epsilon", "0"),
    ("games.printed_noise_delta", "epsilon", "0"),
    ("accounting.optimal_composition_delta", "epsilon", "0"), ("accounting.bounded_range_delta", "epsilon", "0"),
    ("accounting.pld_delta", "epsilon", "0"),
    ("accounting.group_privacy", "epsilon", "0"), ("accounting.upsampling", "epsilon", "0"),
    # the error needs no rate, and the rates of one group are its rates
    ("fairness.error", "counts", "an empty cell"), ("fairness.error", "counts", "a missing group"),
    ("fairness.rates", "counts", "a missing group"), ("fairness.report", "counts", "a missing group"),
    # what is right among the accepted needs accepted people of some label, and a merge needs nobody
    ("fairness.predictive_values", "counts", "an empty cell"), ("fairness.predictive_values", "counts", "a missing group"),
    ("fairness.merge_groups", "counts", "an empty cell"),
    # who is in a private cell must not show by a refusal
    *((name, "counts", "an empty cell") for name in VALID
      if name.startswith("postprocessing.") and {"counts", "rng"} <= VALID[name]().arguments.keys()),
    # nothing else in the call has one entry a person
    ("mechanisms.randomized_response", "A", "one entry short"),
    ("data.ten_people_base", "X", "one entry short"), ("attacks.read_support_vectors", "X", "one entry short"),
    ("games.group_indicators", "A", "one entry short"),
    ("oracles.halfplane_labelings", "X", "one entry short"), ("functional.shorten_rows", "X", "one entry short"),
    ("oneshot.FrontierLearner:decisions", "X", "one entry short"), ("baselines.reductions.start_reduction", "A", "one entry short"),
    *((f"baselines.NetworkClassifier:{ask}", "X", "one entry short") for ask in ("predict", "predict_proba", "decision_function")),
    *((f"baselines.Reduction:{ask}", "X", "NaN inside") for ask in ("predict", "predict_proba", "score")),      # two constants decide
    *((name, "X", "one entry short") for name in (
        "oracles.RegressionOracle:scores", "oracles.RegressionOracle:answer",
        "games.regression_exponentiated_gradient:acceptance_probability", "games.regression_dp_oracle_learner:acceptance_probability")),
}


def _spoilt(argument: str, value: object) -> list[tuple[str, object]]:
    """(what is wrong, the wrong value) for a valid value of an argument."""
    wrong = []
    if argument in {"epsilon", "epsilon0", "claimed_epsilon"}:
        wrong += [("0", 0.0), ("negative", -1.0), ("NaN", math.nan)]
    if argument in {"delta", "beta"}:
        wrong += [("negative", -0.1), ("2", 2.0)]
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


@pytest.mark.parametrize("name", sorted(VALID))
def test_a_value_that_is_wrong_for_its_argument_is_refused_by_name(name):
    assert_none(fault(name, argument, wrong, what, refused=True) for argument, value in VALID[name]().arguments.items()
                for what, wrong in _spoilt(argument, value) if (name, argument, what) not in FINE)


WITHOUT_A_GROUP = [["a", None], ["a", math.nan], [0.0, math.nan], np.array([0, None], dtype=object),
                   pd.Series(["a", pd.NA], dtype="string"), pd.Series([1, None], dtype="Int64"), ["a", ""], np.array(["", "a"])]


#: Where nobody can be given a code of their own any more.
AT_A_PREDICTION = {name for name in VALID if name.endswith((":predict", ":predict_proba", ":score"))}


@pytest.mark.parametrize("name, argument", [(name, argument) for name in sorted(VALID) for argument in VALID[name]().arguments
                                            if argument in {"A", "sensitive_features"}])
def test_a_missing_group_is_called_so(name, argument):
    for groups in WITHOUT_A_GROUP:
        call = VALID[name]()
        call.arguments[argument] = groups
        out = "Give that person's group, or the code" if name in AT_A_PREDICTION else "Do not drop that row: .* 'not said'"
        said = rf"^{argument}=(None|nan|<NA>|''): a group is missing\. {out}"
        with pytest.raises(ValueError, match=said):
            call.run()


@pytest.mark.parametrize("name", [name for name in sorted(VALID) if name.endswith(":predict") and "rng" in VALID[name]().arguments])
def test_a_prediction_with_a_seed_for_a_generator_speaks_of_coins(name):
    call = VALID[name]()
    call.arguments["rng"] = 7
    with pytest.raises(ValueError, match="the classifier's coins must be unpredictable"):
        call.run()


def test_what_is_fine_is_taken():
    """Else the list of exceptions would hide a refusal, or outlive its reason."""
    for name, argument, what in sorted(FINE):
        call = VALID[name]()
        call.arguments[argument] = dict(_spoilt(argument, call.arguments[argument]))[what]
        call.run()
