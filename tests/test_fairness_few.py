"""The widest gap of a classifier that accepts few: against every table of a few people, and attained."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

from dpfair_teach import fairness
from faults import Mutant

VALID_CALLS = {"fairness.widest_gap": lambda: dict(accepted=[.1, .5], shares=[.6, .4])}


@pytest.mark.parametrize("sizes", [(3, 1), (2, 2), (4, 2, 1), (2, 3, 3)])
def test_no_table_of_people_has_a_wider_gap_and_one_has_it(sizes):
    """Every number of accepted people of every group: the widest gap at that share of all is attained, and never passed."""
    n, widest = np.array(sizes), {}
    for accepted in itertools.product(*(range(size + 1) for size in sizes)):
        rates = np.array(accepted) / n
        gap = rates.max() - rates.min()
        widest[sum(accepted)] = max(widest.get(sum(accepted), 0.0), gap)
    for people, gap in widest.items():
        bound = float(fairness.widest_gap(people / n.sum(), n / n.sum()))
        assert gap == pytest.approx(bound, abs=1e-12)       # the worst pair is filled and emptied person by person


def test_few_accepted_and_all_accepted():
    assert fairness.widest_gap(.001, [.9, .1]) == pytest.approx(.01)
    assert fairness.widest_gap([0, 1], [.2, .3, .5]).tolist() == [0, 0]


@pytest.mark.parametrize("call, words", [
    (lambda: fairness.widest_gap(.1, [.5]), "shares=.*two groups"), (lambda: fairness.widest_gap(.1, [.5, .6]), "shares"),
    (lambda: fairness.widest_gap(.1, [1, 0]), "shares"), (lambda: fairness.widest_gap(1.1, [.5, .5]), "accepted")])
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()


FAULTS = {
    "widest_gap_of_the_largest_group": Mutant(
        "dpfair_teach.fairness.widest_gap", lambda f: lambda accepted, shares: np.minimum(1, np.asarray(accepted) / np.max(shares)),
        "all who are accepted are of the largest group"),
    "widest_gap_with_nobody_left_over": Mutant(
        "dpfair_teach.fairness.widest_gap", lambda f: lambda accepted, shares: np.minimum(1, np.asarray(accepted) / np.min(shares)),
        "the other group is never reached"),
}
