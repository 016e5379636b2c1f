"""Checks that several rooms share, by themselves."""
from __future__ import annotations

import re
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from dpfair_teach import _checks as check
from dpfair_teach import attacks, data, fairness, games, oneshot, oracles, postprocessing


def test_an_argument_that_the_chosen_variant_does_not_read_is_refused():
    check.unread("method='as_printed'", "method='score_bins'", n_bins=None)
    with pytest.raises(ValueError, match=r"^n_bins=5: is read by method='score_bins', and not by method='as_printed'\. Leave n_bins"):
        check.unread("method='as_printed'", "method='score_bins'", n_bins=5)
    with pytest.raises(ValueError, match=r"^beta=0\.1: "):
        check.unread("method='score_bins'", "method='as_printed'", n_bins=None, beta=.1)


@pytest.mark.parametrize("kind", [
    list, tuple, np.array, lambda a: np.array(a, dtype=object), pd.Series, pd.Categorical, lambda a: dict(enumerate(a)),
    lambda a: np.ma.array(np.arange(len(a)), mask=[one == "F" for one in a]), lambda a: np.array(a)[:, None]],
    ids=["list", "tuple", "texts", "objects", "series", "categories", "dict", "masked", "column"])
def test_no_message_lists_the_groups(kind):
    """Texts are the likeliest slip of all, and a message may end in a log: it is the same for every neighbour."""
    said = set()
    for first in "MF":
        with pytest.raises(ValueError, match=r"^sensitive_features=") as refused:
            check.group_codes("sensitive_features", kind([first, "M", "F", "M", "F"]))
        said.add(str(refused.value))
    assert len(said) == 1


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array])
def test_a_sparse_table_is_told_how_it_is_taken(kind):
    with pytest.raises(ValueError, match=r"^X=<.*: is sparse, and every number of it is read here\. Give X\.toarray\(\), or fewer"):
        check.rows("X", kind(np.eye(3)))


def test_a_table_with_columns_of_yes_and_no_becomes_numbers_without_an_object_for_each():
    """As pandas.get_dummies makes them; numpy alone would make 32 bytes of each entry before the 8 of a number."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(50_000, 20))).assign(yes=rng.random(50_000) < .5, n=np.arange(50_000))
    expected = np.asarray(table).astype(float)
    tracemalloc.start()
    found = check.rows("X", table)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.dtype == float and np.array_equal(found, expected) and peak < 3 * found.nbytes
    with pytest.raises(ValueError, match=r"^X='no': not numeric"):
        check.rows("X", table.assign(n="no"))


PEOPLE = pd.DataFrame({"x": [0.0, 1.0, 3.0, 2.0, 0.5, 2.5], "A": [0, 0, 0, 1, 1, 1], "Y": [0, 1, 1, 0, 1, 0]}, index=list("uvwxyz"))
COLUMNS_OF_PEOPLE = {
    "counts": lambda said, A, Y: fairness.cell_counts(said, A, Y), "a game": lambda said, A, Y: games.FairnessGame([said], A, Y, 0.1),
    "an oracle": lambda said, A, Y: oracles.RegressionOracle(said.to_frame(), Y), "guesses": lambda said, A, Y: oneshot.public_data(
        said.to_frame(), Y), "the private oracle": lambda said, A, Y: oracles.private_oracle(
        [said.to_numpy()], A, Y, [[1, -1], [2, -2]], 1.0, np.random.default_rng(0)),
    "a table of chances": lambda said, A, Y: postprocessing.lp.acceptance_probability([[0, 0], [1, 1]], said, A),
    "a data set": lambda said, A, Y: data.Dataset(said.to_frame(), A, Y, ("x",), ("a", "b"), "six", data.Provenance(source="drawn")),
    "weights": lambda said, A, Y: attacks.reweighing_weights(A, Y), "thresholds": oracles.threshold_counts,
    "half-planes": lambda said, A, Y: oracles.halfplane_counts(pd.DataFrame({"x": PEOPLE.x, "said": said}), A, Y),
    "neighbours": lambda said, A, Y: games.neighbour_changes([said], A, Y),
    "score bins": lambda said, A, Y: postprocessing.score_bin_postprocessing(said, A, Y, 2, 2, 1.0, 0.1, np.random.default_rng(0))}


@pytest.mark.parametrize("name", COLUMNS_OF_PEOPLE)
def test_columns_of_pandas_about_other_people_are_refused_wherever_people_are_given(name):
    """As by the learners: what is measured, too, would be of pairs that do not exist."""
    call, said = COLUMNS_OF_PEOPLE[name], (PEOPLE.x > 1).astype(int)
    call(said, PEOPLE.A, PEOPLE.Y)
    for spoilt in ("A", "Y"):
        columns = {"A": PEOPLE.A, "Y": PEOPLE.Y} | {spoilt: PEOPLE[spoilt].iloc[::-1]}
        try:
            call(said, **columns)
        except ValueError as refused:
            assert re.match(r"(A|Y)\.index\[0\]='[uz]': \w+ has '[uz]' in row 0: other people, or another order\. Give \w", str(refused))
        else:
            assert (name, spoilt) in {("an oracle", "A"), ("guesses", "A"), ("a table of chances", "Y")}, "it does not read that"


def test_attributes_of_other_people_are_not_crossed():
    assert fairness.cross_groups([PEOPLE.A, PEOPLE.Y.to_numpy()])[0].tolist() == [0, 1, 1, 2, 3, 2]
    with pytest.raises(ValueError, match=r"^attributes\[1\]\.index\[0\]='z': attributes\[0\] has 'u' in row 0: other people"):
        fairness.cross_groups([PEOPLE.A, PEOPLE.Y.iloc[::-1]])
