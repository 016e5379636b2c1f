"""Through each private fit A is handed to few functions: a reader can follow it from the call to its last use."""
from __future__ import annotations

import pytest

import paths
from private_fits import FITS

#: Of an older way of asking, which is left for later: its sums pass a log of questions.
LONGER = {"method=sums": (16, 8)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.turning(5)
@pytest.mark.parametrize("name", [name for name, fit in FITS.items() if fit.k == 2])
def test_who_is_in_which_group_is_handed_to_ten_functions_in_five_files_at_most(name):
    way, _ = paths.path_of(FITS[name])
    functions, files = next((most for part, most in LONGER.items() if part in name), (10, 5))
    assert len(way) <= functions and len({file for file, _ in way}) <= files, way
