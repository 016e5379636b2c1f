"""Checks that several rooms share, by themselves."""
from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from dpfair_teach import _checks as check


def test_an_argument_that_the_chosen_variant_does_not_read_is_refused():
    check.unread("method='sums'", "method='histogram'", n_cells=None)
    with pytest.raises(ValueError, match=r"^n_cells=5: is read by method='histogram', and not by method='sums'\. Leave n_cells out, or "):
        check.unread("method='sums'", "method='histogram'", n_cells=5)
    with pytest.raises(ValueError, match=r"^norm='l1': "):
        check.unread("method='histogram'", "method='sums'", columns=None, norm="l1")


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
