"""A new way to ask once is not forgotten where the others are held to their promises, and stands in the tables and the panel."""
from __future__ import annotations

import pytest
import test_oneshot_draws
import test_oneshot_learner

from dpfair_teach.experiments import LEFT_METHODS, ONESHOT_METHODS
from dpfair_teach.oneshot import learner


@pytest.mark.parametrize("where", [test_oneshot_draws.METHODS, test_oneshot_learner.METHODS, list(ONESHOT_METHODS.values())],
                         ids=["laws of its draws", "what it promises", "experiments"])
def test_every_method_is_tried(where):
    assert {how.get("method", "histogram") for how in where} == set(learner.METHODS)


def test_every_method_of_the_experiments_has_words_in_the_panel():
    assert set(ONESHOT_METHODS) <= set(LEFT_METHODS)
