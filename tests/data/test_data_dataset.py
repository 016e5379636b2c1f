"""The record itself: read-only, comparable, picklable, and strict."""
import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest

from dpfair_teach.data import Dataset, Population, Provenance, load

MADE = Provenance("made for a test")


def small(**changes):
    fields = dict(X=[[0.], [1.], [2.], [3.]], A=[0, 0, 1, 1], Y=[0, 1, 0, 1], feature_names=("x",), group_names=("a", "b"), name="small",
                  provenance=MADE)
    return Dataset(**(fields | changes))


def test_fields_and_shapes():
    d = small()
    assert (d.m, d.d, d.n_groups) == (4, 1, 2) and d.X.dtype == float and d.A.dtype == d.Y.dtype == np.int64
    assert d.cell_sizes().tolist() == [[1, 1], [1, 1]]
    assert "small" in repr(d) and "4 people" in repr(d) and "P(Y=1) = 0.5000" in repr(d)


@pytest.mark.parametrize("field, array", [
    ("X", np.zeros((4, 1))), ("X", np.zeros((4, 1), dtype=np.float32)), ("A", np.array([0, 0, 1, 1])), ("Y", np.array([0, 1, 0, 1]))])
def test_the_callers_arrays_are_neither_kept_nor_locked(field, array):
    view = array[:]
    view.flags.writeable = False  # read-only, but its owner can still write
    for given in (array, view):
        d = small(**{field: given})
        array += 1
        assert (getattr(d, field) == array - 1).all() and array.flags.writeable
        array -= 1


def test_single_precision_stays():
    assert small(X=np.zeros((4, 1), dtype=np.float32)).X.dtype == np.float32
    with pytest.raises(ValueError, match=r"^X=.*NaN"):
        small(X=np.full((4, 1), np.nan, dtype=np.float32))


def test_equality_looks_at_people_and_names_not_at_places():
    assert small() == small(provenance=Provenance("elsewhere"))
    for change in (dict(Y=[1, 1, 0, 1]), dict(A=[0, 1, 1, 1]), dict(X=[[9.], [1.], [2.], [3.]]), dict(name="other"),
                   dict(group_names=("a", "c"))):
        assert small() != small(**change)
    assert small() != "small"
    with pytest.raises(TypeError):
        hash(small())


def test_pickle_keeps_everything_and_stays_read_only():
    d = load("ten_people")
    back = pickle.loads(pickle.dumps(d))
    assert back == d and back.provenance == d.provenance and not back.X.flags.writeable


def test_frozen_and_replaceable():
    d = load("ten_people")
    with pytest.raises(dataclasses.FrozenInstanceError):
        d.A = d.Y
    neighbour = dataclasses.replace(d, A=[1, *d.A[1:]])
    assert neighbour != d and (neighbour.A != d.A).sum() == 1


def test_subset_by_positions_and_by_mask():
    d = load("ten_people")
    assert d.subset([9, 0]).X.ravel().tolist() == [.1, .9]
    assert d.subset(d.X[:, 0] > .5) == d.subset(np.flatnonzero(d.X[:, 0] > .5))
    assert d.subset([9, 0]).provenance.dropped[-1] == (8, "not in the chosen subset")


@pytest.mark.parametrize("rows", [[0, 0, 9], [-1, 2], [10], [], [0.5], "all", [True], [[0, 9]], None, [0, 1], [float("nan")]])
def test_bad_subsets(rows):
    with pytest.raises(ValueError, match=r"^(rows|A)="):
        load("ten_people").subset(rows)


@pytest.mark.parametrize("field, value", [
    ("X", [[0.], [1.]]), ("X", [0., 1., 2., 3.]), ("X", [[0.], [np.nan], [1.], [1.]]), ("X", [["a"], ["b"], ["c"], ["d"]]),
    ("X", np.zeros((4, 0))), ("X", None), ("X", np.zeros((0, 1))),
    ("A", [0, 0, 0, 0]), ("A", [0, 1, 2, 1]), ("A", [1, 1, 2, 2]), ("A", [0, .5, 1, 1]), ("A", [0, -1, 1, 1]), ("A", [0, 1]), ("A", None),
    ("A", [0, np.nan, 1, 1]), ("Y", [1, 2, 1, 2]), ("Y", [0, 1, np.nan, 1]), ("Y", [0, 1]), ("Y", ["no"] * 4),
    ("feature_names", ("x", "y")), ("feature_names", "x"), ("feature_names", (1,)), ("group_names", ("a",)), ("group_names", ("a", "a")),
    ("group_names", ()), ("name", ""), ("name", 3), ("provenance", "a note")])
def test_bad_fields_are_named(field, value):
    with pytest.raises(ValueError) as caught:
        small(**{field: value})
    assert "=" in str(caught.value) and len(str(caught.value)) < 400
    # A table of another length is seen at the first array that does not fit it; A one code too high may mean that a name is missing.
    named = {field} | ({"A"} if field in ("X", "group_names") else set())
    assert str(caught.value).split("=")[0] in named


@pytest.mark.parametrize("position, value", [
    (0, [.5, .6]), (0, []), (0, [1.5, -.5]), (1, [.5]), (1, [.5, np.nan]), (2, [.5, 2]), (3, None)])
def test_bad_population(position, value):
    good = [[.5, .5], [.4, .6], [.1, .2], [.8, .9]]
    good[position] = value
    with pytest.raises(ValueError, match="="):
        Population(*good)


def test_population_numbers_by_hand():
    law = Population([.25, .75], [.4, .2], [.1, .3], [.9, .5])
    q = law.frequencies
    assert q.shape == (2, 2, 2) and np.isclose(q.sum(), 1)
    assert np.isclose(q[1, 0, 1], .25 * .4 * .9) and np.isclose(q[0, 1, 0], .75 * .8 * .7)


def test_the_names_of_a_table_are_the_names_of_the_features():
    frame = pd.DataFrame({"height": [0., 1., 2., 3.]})
    assert small(X=frame, feature_names=["height"]).feature_names == ("height",)
    assert small(X=frame.set_axis([0], axis=1)).feature_names == ("x",)         # a table without names
    with pytest.raises(ValueError, match=r"^feature_names=\('x',\): not the columns of X, \['height'\]"):
        small(X=frame)


@pytest.mark.parametrize("rows", [np.array([0, 2], "m8[s]"), np.ma.array([0, 2], mask=[True, False]), np.array([0, 2], dtype=object),
                                  [0.0, 2.0], ["0", "2"], np.array(["2020-01-01"], "M8[D]")])
def test_rows_that_are_no_positions(rows):
    with pytest.raises(ValueError, match=r"^rows="):
        small().subset(rows)
