"""What noise in doubles gives away beside its law, counted, and the deltas that are refused for it."""
from __future__ import annotations

import math

import numpy as np
import pytest

from dpfair_teach.games import FairnessGame, budget, dp_oracle_learner, regression_dp_oracle_learner
from dpfair_teach.oracles import RegressionOracle
from faults import Mutant, scaled

FAULTS = {
    "a_thousandth_of_what_doubles_give_away": Mutant("dpfair_teach.games.budget.least_delta", scaled(1e-3),
                                                     "deltas are promised that noise in doubles does not keep"),
}


@pytest.mark.parametrize("scale", [37.0, 5000.3, 1e6])
def test_the_holes_of_laplace_noise_in_doubles_are_counted(scale):
    """A count with noise of that scale, in whole people. Of the numbers that noise is made from, counted one by one: those whose outcome
    the neighbour's count cannot have. They are a mass of at most scale 2^-52, and not of a tenth of it."""
    far = np.arange(1.0, 4 * scale + 1)                         # the farthest; nearer ones lie closer than a quarter of a person
    said = np.rint(scale * np.log(2.0**52 / far))               # of 0; its neighbour is 1, whose outcomes are these and 1
    nearest = said.min() + 2
    mass = 0
    for side in (1, -1):                                        # both ends
        reached = np.unique(side * said)
        mass += (~np.isin(side * said, reached + 1) & (said > nearest)).sum() * 2.0**-53
    assert 0.1 * budget.least_delta(scale) < mass <= budget.least_delta(scale)


def game(k=2, m=40):
    A, Y = np.arange(m) % k, np.arange(m) // k % 2
    return FairnessGame(np.random.default_rng(0).integers(0, 2, (4, m)), A, Y, 0.1, n_groups=k, empty="zero")


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("how", "share"), [(dict(repair="frozen"), 1.0), (dict(repair="bound"), 1.0),
                                            (dict(repair="promise", smallest_cell=1), 0.0)])
def test_a_delta_that_doubles_do_not_keep_is_refused(k, how, share):
    """The least delta by hand, from what each repair draws; a little below it is refused, a little above it plays."""
    for epsilon, T in ((1e-4, 2), (1.0, 30)):
        labels = 2
        sizes = {"frozen": labels if k == 2 else 2 * k * labels, "bound": 1, "promise": 0}[how["repair"]] / (0.1 * epsilon)
        measured = (labels if k == 2 else k * labels) * (T - 1) * 2048
        least = (sizes + measured) * 2.0**-52 + 4 * (T - 1) * 2.0**-58

        def play(delta, epsilon=epsilon, T=T):
            return dp_oracle_learner(game(k), epsilon, delta, 2.0, np.random.default_rng(0), rounds=T, **how)
        play(least * 1.001)
        with pytest.raises(ValueError, match=rf"^delta=.*: below {least:.3g}, what noise in doubles gives away here"):
            play(least * 0.999)
    dp_oracle_learner(game(k), 1.0, 1e-200, 2.0, np.random.default_rng(0), rounds=1, **how)     # nothing private is drawn


@pytest.mark.parametrize("k", [2, 3])
def test_a_delta_that_doubles_do_not_keep_is_refused_by_the_loop(k):
    rng = np.random.default_rng(0)
    X, A, Y = rng.normal(size=(60, 2)), rng.integers(0, k, 60), np.arange(60) % 2
    least = (2 if k == 2 else 12) / (0.05 * 1e-3) * 2.0**-52 + 4 * ((2 if k == 2 else 6) + 3) * 2.0**-52
    for delta, fine in ((least * 1.001, True), (least * 0.999, False), (1e-90, False)):
        def play(delta=delta, rounds=5):
            return regression_dp_oracle_learner(RegressionOracle(X, Y), A, 0.1, 1e-3, delta, np.random.default_rng(0), n_groups=k,
                                                rounds=rounds)
        if fine:
            assert math.isfinite(play().rules.sum())
        else:
            with pytest.raises(ValueError, match=r"^delta=.*what noise in doubles gives away"):
                play()
            play(rounds=1)
