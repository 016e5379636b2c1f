"""Wrong arguments of the data package that ``test_bad_input`` does not have: more that are drawn, and what an own rule may not return.

Its public names and their valid calls stand with all others in ``valid_calls.py``.
"""
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpfair_teach import data
from test_bad_input import assert_none, fault
from valid_calls import VALID

RNG = np.random.default_rng
ANYTHING = st.one_of(
    st.floats(), st.integers(), st.text(max_size=5), st.lists(st.floats(), max_size=5), st.lists(st.integers(-3, 3), max_size=5),
    st.lists(st.lists(st.floats(0, 1), min_size=2, max_size=2), max_size=4))


@pytest.mark.parametrize("name", [name for name in sorted(VALID) if name.startswith("data.")])
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(wrong=ANYTHING)
def test_anything_is_taken_or_refused_by_name(name, wrong):
    slow = isinstance(wrong, int) and 10**6 < wrong <= 10**8        # a valid number of people
    assert_none(fault(name, argument, wrong) for argument in VALID[name]().arguments if not (slow and argument == "m"))


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
        data.make_logistic(3, n_groups=4, rng=RNG(1))


def test_more_numbers_than_memory_is_refused_before_any_is_drawn():
    with pytest.raises(ValueError, match=r"^m=10000000: m times d"):
        data.make_logistic(10**7, d=10**4, rng=RNG(1))


def test_masked_entries_are_missing_entries():
    with pytest.raises(ValueError, match=r"^Y=.*masked"):
        data.Dataset([[0.], [1.]], [0, 1], np.ma.masked_array([1, 0], mask=[True, False]), ("x",), ("a", "b"), "n", data.Provenance("test"))
