"""How many steps a budget allows: that many cost no more, and one more costs more."""
from __future__ import annotations

import pytest

from dpfair_teach.accounting import UNIT_A, Release, compose, most_steps
from dpfair_teach.games import largest_step

LAPLACE = Release("laplace", UNIT_A, sensitivity=1, scale=20.0)
EXPONENTIAL = Release("exponential", UNIT_A, epsilon=0.05)
GAUSSIAN = Release("gaussian", UNIT_A, sensitivity=1, scale=30.0)
SAMPLED = Release("gaussian", UNIT_A, sensitivity=1, scale=2.0, sampling_probability=0.01)
VALID_CALLS = {"accounting.most_steps": lambda: dict(step=LAPLACE, epsilon=1.0, delta=1e-6, method="rdp")}


@pytest.mark.parametrize("step", [[LAPLACE], [GAUSSIAN], [SAMPLED], [LAPLACE, EXPONENTIAL], [LAPLACE.with_times(3)]], ids=str)
@pytest.mark.parametrize("method", ["basic", "rdp"])
def test_so_many_steps_are_allowed_and_not_one_more(step, method):
    if method == "basic" and step == [SAMPLED]:
        with pytest.raises(ValueError, match=r"^step=.*no formula has the epsilon of one run"):
            most_steps(step, 1.0, 1e-6, method=method)
        return
    found = most_steps(step, 1.0, 1e-6, method=method)

    def cost(n):
        return compose([one.with_times(n * one.times) for one in step], 1e-6, method)
    assert found > 1 and cost(found) <= 1.0 < cost(found + 1)


def test_it_is_the_other_direction_of_largest_step():
    """epsilon' for 20 selections and 20 gradients affords 20 steps of one each, by the same accountant."""
    step = largest_step(1.0, 1e-6, 20, 20)
    each = [Release("exponential", UNIT_A, epsilon=step), Release("laplace", UNIT_A, sensitivity=1, epsilon=step)]
    assert most_steps(each, 1.0 * (1 + 1e-9), 1e-6, method="rdp") == 20
    assert most_steps(each, 1.0, 1e-6, method="basic") == int(1.0 / (2 * step))


def test_a_sharper_accountant_allows_more():
    assert most_steps(GAUSSIAN, 1.0, 1e-6, method="pld") > most_steps(GAUSSIAN, 1.0, 1e-6) > most_steps(GAUSSIAN, 1.0, 1e-6, method="basic")
    assert most_steps(LAPLACE, 1.0, 0.0, method="basic") == 20


def test_the_ends():
    assert most_steps(LAPLACE, 0.01, 1e-6) == 0
    assert most_steps(Release("laplace", UNIT_A, sensitivity=1, scale=1e15).with_times(10**7), 1e9, method="basic") == 10**8
    little = Release("laplace", UNIT_A, sensitivity=1, scale=1e15)
    assert most_steps(little, 1e9, method="basic") == 10**9 and most_steps([little, little.with_times(10**8)], 1e9, method="basic") == 10**7
    with pytest.raises(ValueError, match=r"^step="):
        most_steps([], 1.0)
