"""A new way to ask once is held to the others' promises by itself; here, that it stands in the tables and the panel."""
from __future__ import annotations

from book.studies.ask_once import ONESHOT_METHODS
from book.studies.left_panel_table import LEFT_METHODS
from dpfair_teach.oneshot import learner


def test_every_method_is_in_the_experiments_and_has_words_in_the_panel():
    assert {how["method"] for how in ONESHOT_METHODS.values()} == set(learner.METHODS)
    assert set(ONESHOT_METHODS) <= set(LEFT_METHODS)
