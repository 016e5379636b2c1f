"""At the ends of what may be asked: a bound that says nothing is an answer, and a refusal names an argument of the call."""
from __future__ import annotations

import inspect
import math
from dataclasses import replace

import numpy as np
import pytest

from dpfair_teach import games
from dpfair_teach.games import Setting
from dpfair_teach.games.budget import BUDGET_FRACTION
from dpfair_teach.oracles import RegressionOracle
from test_oracles_regression import people


def test_a_bound_that_says_nothing_is_an_answer():
    """Numbers far above 1."""
    frozen = games.frozen_bound(Setting(100, 0.01, 1e-7, 10.0, 2, 0.05, 8.0, 100.0))
    assert frozen.nu > 1e9 and frozen.nu == pytest.approx(frozen.learner + frozen.auditor - 2 * 10.0 * frozen.tau)
    printed = games.theorem_3_6(Setting(1000, 0.01, 1e-7, 1000.0, 2, 0.05, 900.0, 100.0, m=2000), 0.1, as_printed=True)
    assert printed.nu > 1e10 and printed.error == 2 * printed.nu and printed.violation == pytest.approx((1 + 2 * printed.nu) / 1000 + 0.1)
    finite = Setting(10**6, 0.01, 1e-7, 1e6, 2, 0.05, math.log(10**200), 100.0, protect="X and A", m=2000)
    finite = games.theorem_3_7(finite, 0.0, as_printed=True)
    assert finite.nu > 1e9 and finite.error == 2 * finite.nu
    nothing = games.theorem_3_6(Setting(10**15, 1e-6, 1e-300, 1e9, 2, 1e-300, 1e12, 2.0, m=2000), 0.1, as_printed=True)
    assert 1e39 < nothing.nu < nothing.error == 2 * nothing.nu < math.inf and nothing.violation == pytest.approx(2 * nothing.nu / 1e9)
    assert games.lemma_b_1(1e12) == 2e12
    assert games.fairness_bound_with_constants(1e308, 10.0, 0.0, room=0.0) == math.inf and games.lemma_b_2(1e308, 1e-3, 0.1) == math.inf


@pytest.mark.parametrize("as_printed", [True, False])
def test_one_rate_costs_less_than_two(as_printed):
    """Theorems 3.6 and 3.7 with one rate: the gap is theorem_3_5's with one rate, and smaller than with two."""
    both = Setting(200, 1.0, 1e-7, 10.0, 3, 0.05, 9.0, 10**6, m=10**8)
    lone = replace(both, constraints=("TP",))
    two, one = (games.theorem_3_6(setting, 0.1, as_printed=as_printed) for setting in (both, lone))
    assert one.nu == games.theorem_3_5(lone, as_printed=as_printed).nu < two.nu and one.violation < two.violation
    finite = replace(both, log_labelings=math.log(500), protect="X and A")
    two, one = (games.theorem_3_7(replace(finite, constraints=c), 0.1, as_printed=as_printed) for c in (("FP", "TP"), ("FP",)))
    assert one.nu < two.nu and one.error < two.error


def test_both_functions_spend_the_same_part_of_epsilon_by_default():
    """The play, and the setting of its bound."""
    assert inspect.signature(Setting).parameters["budget_fraction"].default == BUDGET_FRACTION == 0.1
    _, A, Y = people(k=2)
    game = games.FairnessGame(np.eye(3, 300), A, Y, 0.1, n_groups=2, empty="zero")
    for cell_sizes in ("noisy", "noisy_lower_bound"):
        said, left = (games.dp_oracle_learner(game, 1.0, 1e-6, 2.0, np.random.default_rng(0), rounds=3,
                                              cell_sizes=cell_sizes, budget_fraction=share)
                      for share in (BUDGET_FRACTION, None))
        assert said.releases_ == left.releases_


def test_a_share_that_leaves_nothing_is_named():
    X, A, Y = people(k=2)
    rng, oracle = np.random.default_rng(0), RegressionOracle(X, Y)
    game = games.FairnessGame(np.eye(3, 300), A, Y, 0.1, n_groups=2, empty="zero")
    calls = (lambda **how: games.dp_oracle_learner(game, 1.0, 1e-6, 2.0, rng, rounds=3, **how),
             lambda **how: games.frozen_bound(Setting(10, 1.0, 1e-6, 2.0, 2, 0.05, 8.0, 100.0, **how)),
             lambda **how: games.regression_dp_oracle_learner(oracle, A, 0.1, 1.0, 1e-6, rng, n_groups=2, rounds=3, **how))
    for call in calls:
        for share in (1e-300, 1e-320, 1 - 1e-16):
            with pytest.raises(ValueError, match=r"^budget_fraction="):
                call(budget_fraction=share)
        assert call(budget_fraction=1e-7) and call(budget_fraction=1 - 1e-7)
    for share in (1e-300, 1 - 1e-16):
        with pytest.raises(ValueError, match=r"^learner_fraction="):
            calls[2](learner_fraction=share)
    for share in (1e-6, 1 - 1e-6):
        assert np.isfinite(calls[2](learner_fraction=share).rules).all()
