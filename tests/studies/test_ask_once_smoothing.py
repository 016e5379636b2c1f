"""What chapter 14 says of the covariance by constants and by the likelihood of the noisy counts."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from book.studies import ask_once_smoothing, populations
from book.studies.study import setting_rng

RESULTS = Path(__file__).parents[2] / "book" / "results"


@pytest.fixture(scope="module")
def stored():
    return pd.read_csv(RESULTS / "left_tuning_smoothing.csv").set_index(["smoothing", "cells", "epsilon"])


def test_the_populations_are_new():
    assert min(ask_once_smoothing.FRESH) >= populations.POPULATIONS and len(ask_once_smoothing.FRESH) == 24


def test_what_the_chapter_says(stored):
    """Nowhere better than the default by a standard error; by the likelihood below constants with as many cells; four runs each."""
    others = stored.drop(("fixed", 1))
    assert (others.gain < others.gain_standard_error).all() and len(others) == 15
    assert (stored.q["likelihood"] < stored.q["fixed"]).all() and len(stored.q["likelihood"]) == 9
    worst = stored.loc["likelihood", 4, 0.5]
    assert worst.gain < -4 * worst.gain_standard_error
    assert (stored.repeats // stored.populations == 4).all() and (stored.gain["fixed", 1] == 0).all()


@pytest.mark.slow
def test_the_default_gains_nothing_on_itself_and_the_rest_differs(monkeypatch):
    """Pairs share population and noise: the same learner twice gives the same Q, however few populations."""
    monkeypatch.setattr(ask_once_smoothing, "FRESH", range(100, 102))
    for smoothing, cells in (("fixed", 1), ("likelihood", 1), ("fixed", 2)):
        setting = {"smoothing": smoothing, "cells": cells, "epsilon": 1.0}
        [row] = ask_once_smoothing.smoothed(setting, 4, setting_rng(1, {"epsilon": 1.0}))
        assert (row["gain"] == 0) == (setting["smoothing"] == "fixed" and cells == 1) and np.isfinite(row["q_standard_error"])
