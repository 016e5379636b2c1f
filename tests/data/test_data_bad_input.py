"""Any wrong argument at any public name of the data package: a ``ValueError`` that names the argument, never another exception."""
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpfair_teach import data

RNG = np.random.default_rng
ODD = [None, True, math.nan, math.inf, -1, 0, 10 ** 400, "", "rubbish", "a\0b", "x" * 5000, b"rubbish", [], {}, object(), 1j,
       [math.nan, 1.0], [[0], [1, 2]], ["a", "b"], np.array(["x"]), np.zeros((2, 0)), np.full(3, np.nan), np.zeros((3, 3, 3)),
       np.array([1, None], dtype=object), pd.DataFrame({"a": ["x"]}), pd.NA, {1, 2}, lambda: 0, int, "2020-01-01",
       np.datetime64("2020-01-01"), np.ma.masked_array([1.0, 2.0], mask=[True, False])]
ANYTHING = st.one_of(
    st.floats(), st.integers(), st.text(max_size=5), st.lists(st.floats(), max_size=5), st.lists(st.integers(-3, 3), max_size=5),
    st.lists(st.lists(st.floats(0, 1), min_size=2, max_size=2), max_size=4))

TEN = data.load("ten_people")
# Every public name with a valid call: a function and its arguments.
CALLS = {
    "Dataset": (data.Dataset, dict(X=[[0.], [1.], [2.]], A=[0, 0, 1], Y=[0, 1, 0], feature_names=("x",), group_names=("a", "b"), name="n",
                                   provenance=data.Provenance("test"), population=None)),
    "Dataset.subset": (lambda rows: TEN.subset(rows), dict(rows=[0, 9])),
    "Provenance": (data.Provenance,
                   dict(source="s", files=(), place="here", archive="", licence="", attribution="", rules=(("group", "g"),),
                                         dropped=((3, "why"),))),
    "Population": (data.Population, dict(shares=[.5, .5], base_rates=[.1, .2], false_positive=[.1, .2], true_positive=[.5, .6])),
    "load": (data.load, dict(name="communities", group="paper", label="p70", features="paper")),
    "load ten": (data.load, dict(name="ten_people", group=None, label=None, features=None)),
    "load synthetic": (data.load, dict(name="synthetic", m=50, n_groups=2, d=3, rng=RNG(1))),
    "list_datasets": (data.list_datasets, {}),
    "identify": (data.identify, dict(path=__file__)),
    "base_classifier": (data.base_classifier, dict(dataset=TEN)),
    "make_synthetic": (data.make_synthetic, dict(m=50, n_groups=2, group_shares=[.5, .5], base_rates=[.1, .2], false_positive=[.1, .2],
                                                 true_positive=[.5, .6], rng=RNG(1))),
    "make_logistic": (data.make_logistic,
                      dict(m=50, n_groups=2, d=3, coefficients=[1., 1., 1.], intercepts=[0., 1.], shifts=[[0., 0., 0.], [1., 1., 1.]],
                                               group_shares=[.5, .5], rng=RNG(1))),
    "logistic_base": (data.logistic_base, dict(X=[[1., 2.]], coefficients=[1., 1.])),
    "ten_people_base": (data.ten_people_base, dict(X=[[.3]])),
}
NOT_CALLED = {"TEN_NAMES", "CorruptData", "DataUnavailable"}  # a tuple and two kinds of ValueError
CASES = [(name, argument) for name, (_, arguments) in CALLS.items() for argument in arguments]


def test_every_public_name_is_attacked():
    assert {name.split(".")[0].split(" ")[0] for name in CALLS} | NOT_CALLED == set(data.__all__)


@pytest.mark.parametrize("name", CALLS)
def test_the_valid_calls_are_valid(name):
    function, arguments = CALLS[name]
    if name == "identify":  # a file, but not a known one
        with pytest.raises(data.CorruptData, match=r"path: .* sha256"):
            function(**arguments)
    else:
        function(**arguments)


def taken_or_refused_by_name(name, argument, wrong):
    function, arguments = CALLS[name]
    if argument == "m" and isinstance(wrong, int) and 10 ** 6 < wrong <= 10 ** 8:
        return  # valid, and only slow
    try:
        function(**(arguments | {argument: wrong}))
    except ValueError as refusal:
        text = str(refusal)
        assert re.search(rf"\b{argument}\b", text), text
        assert text.rstrip().endswith(".") and len(text) < 4000, text


@pytest.mark.parametrize("name, argument", CASES)
def test_each_odd_value_is_taken_or_refused_by_name(name, argument):
    for wrong in ODD:
        taken_or_refused_by_name(name, argument, wrong)


@pytest.mark.parametrize("name, argument", CASES)
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(wrong=ANYTHING)
def test_anything_is_taken_or_refused_by_name(name, argument, wrong):
    taken_or_refused_by_name(name, argument, wrong)


@pytest.mark.parametrize("name, argument", CASES)
def test_an_object_that_is_nothing_is_refused_by_name(name, argument):
    function, arguments = CALLS[name]
    with pytest.raises(ValueError, match=rf"\b{argument}\b"):
        function(**(arguments | {argument: object()}))


def frame(raw, value):
    return pd.DataFrame({"a": np.full(len(raw), value)})


@pytest.mark.parametrize("argument, function", [
    ("group", lambda raw: np.zeros(5)), ("group", lambda raw: np.zeros(len(raw))), ("group", lambda raw: 2 * (raw.index % 2)),
    ("group", lambda raw: raw.index % 2 - 1), ("group", lambda raw: raw.racepctblack), ("group", lambda raw: np.full(len(raw), np.nan)),
    ("group", lambda raw: None), ("group", lambda raw: raw.communityname), ("group", lambda raw: raw["no such column"]),
    ("group", lambda: 0), ("group", lambda raw: ["a"] * len(raw)), ("group", lambda raw: raw.index[:-1] % 2),
    ("label", lambda raw: raw.index % 3), ("label", lambda raw: np.full(len(raw), np.nan)), ("label", lambda raw: 1),
    ("label", lambda raw: raw), ("label", lambda raw: raw.index % 2 + 1), ("label", lambda raw: 1 / 0),
    ("features", lambda raw: raw), ("features", lambda raw: raw.LemasSwornFT), ("features", lambda raw: raw[["LemasSwornFT"]]),
    ("features", lambda raw: raw.iloc[:3, 5:7]), ("features", lambda raw: raw.iloc[:, :0]), ("features", lambda raw: frame(raw, np.inf)),
    ("features", lambda raw: pd.concat([frame(raw, 1.0)] * 2, axis=1)), ("features", lambda raw: "all"), ("features", lambda raw: (1, 2)),
    ("features", lambda raw: (np.zeros((3, 1)), ("x",)))])
def test_what_an_own_function_may_not_return(argument, function):
    with pytest.raises(ValueError, match=rf"^{argument}\b") as refusal:
        data.load("communities", **{argument: function})
    assert len(str(refusal.value)) < 600


def test_own_functions_that_are_fine():
    d = data.load("communities", group=lambda raw: (raw.state % 3).to_numpy(), label=lambda raw: raw.pctUrban > .5,
                  features=lambda raw: raw[["medIncome", "PopDens"]])
    assert (d.n_groups, d.feature_names, d.group_names) == (3, ("medIncome", "PopDens"), ("group 0", "group 1", "group 2"))
    assert data.load("communities", features=lambda raw: raw[["medIncome"]].to_numpy()).feature_names == ("x0",)


def test_the_unknown_name_of_a_rule_is_answered_with_the_list():
    names_of = {"group": ("paper", "race_argmax", "race_argmax_4"), "label": ("p70", "p20"), "features": ("paper", "unprotected", "all")}
    for argument, names in names_of.items():
        with pytest.raises(ValueError) as refusal:
            data.load("communities", **{argument: "sex"})
        assert str(refusal.value).startswith(f"{argument}='sex'") and all(repr(n) in str(refusal.value) for n in names)


def test_drawn_data_with_an_empty_group():
    with pytest.raises(ValueError, match=r"^m=3: nobody was drawn for group"):
        data.make_synthetic(3, n_groups=4, rng=RNG(1))


def test_extreme_logistic_laws_are_integrated_or_refused():
    for c in (1e-5, .1, 5., 50.):
        for shift in (-20., 0., 20.):
            try:
                law = data.make_logistic(60, d=40, coefficients=np.full(40, c), shifts=np.outer([0., shift], np.eye(40)[0]),
                                         rng=RNG(1)).population
            except ValueError as refusal:
                assert "practically never" in str(refusal)
            else:
                assert np.isclose(law.base_rates[0], .5, atol=1e-9) or (c > 0 and law.base_rates[0] > 0)


def test_more_numbers_than_memory_is_refused_before_any_is_drawn():
    with pytest.raises(ValueError, match=r"^m=10000000: m times d"):
        data.make_logistic(10**7, d=10**4, rng=RNG(1))


def test_masked_entries_are_missing_entries():
    with pytest.raises(ValueError, match=r"^Y=.*masked"):
        data.Dataset([[0.], [1.]], [0, 1], np.ma.masked_array([1, 0], mask=[True, False]), ("x",), ("a", "b"), "n", data.Provenance("test"))
