"""Checks that several rooms share, by themselves."""
from __future__ import annotations

import pytest

from dpfair_teach import _checks as check


def test_an_argument_that_the_chosen_variant_does_not_read_is_refused():
    check.unread("method='sums'", "method='histogram'", n_cells=None)
    with pytest.raises(ValueError, match=r"^n_cells=5: is read by method='histogram', and not by method='sums'\. Leave n_cells out, or "):
        check.unread("method='sums'", "method='histogram'", n_cells=5)
    with pytest.raises(ValueError, match=r"^norm='l1': "):
        check.unread("method='histogram'", "method='sums'", columns=None, norm="l1")
