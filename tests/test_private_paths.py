"""Through each private fit A is handed to few functions: a reader can follow it from the call to its last use."""
from __future__ import annotations

import pytest

import paths
from private_fits import FITS
from witness import BY_TURNS


@pytest.mark.filterwarnings("ignore")
@BY_TURNS
@pytest.mark.parametrize("name", [name for name, fit in FITS.items() if fit.k == 2])
def test_who_is_in_which_group_is_handed_to_ten_functions_in_five_files_at_most(name):
    way, _ = paths.path_of(FITS[name])
    assert len(way) <= 10 and len({file for file, _ in way}) <= 5, way
