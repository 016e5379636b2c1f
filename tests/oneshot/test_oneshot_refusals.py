"""Numbers at the ends of their ranges: an answer, or a refusal that names what to change. Warnings are errors here."""
from __future__ import annotations

import numpy as np
import pytest

from dpfair_teach import data
from dpfair_teach.oneshot import (
    FrontierLearner,
    answers_log_likelihood,
    audit_price,
    debiased_groups,
    expected_groups,
    multiplier_grid,
)

pytestmark = pytest.mark.filterwarnings("error")
PEOPLE = data.make_logistic(60, d=2, rng=np.random.default_rng(1))


def test_epsilons_below_what_doubles_hold_are_refused():
    with pytest.raises(ValueError, match=r"^epsilon=1e-17: outside \[1e-09, 700\]"):
        debiased_groups([0, 1], 2, 1e-17)
    with pytest.raises(ValueError, match=r"^epsilon=5e-324: outside"):
        audit_price([1, 0, 1, 0, 1], [1, 1, 1, 0, 0], [1, 1], 5e-324)
    assert np.isfinite(debiased_groups([0, 1], 2, 1e-9)).all()
    assert np.isfinite(audit_price([1, 0, 1, 0, 1], [1, 1, 1, 0, 0], [1, 1], 1e-9)).all()


@pytest.mark.parametrize("use", [expected_groups, answers_log_likelihood])
def test_a_singular_covariance_is_refused_by_name(use):
    queries, features = np.full((2, 3), 1e6), np.full((3, 1), 1e8)
    with pytest.raises(ValueError, match=r"^queries=1000000\.0: is the largest weight: in doubles the answers' covariance is singular"):
        use(queries, [1.0, 1.0], [1.0, 1.0], features, 0.5, 0.1)


def test_responses_are_refused_by_their_own_part_of_epsilon():
    known = dict(X=PEOPLE.X, y=PEOPLE.Y, sensitive_features=PEOPLE.A)
    FrontierLearner(1000.0, .1, method="response", gammas=[.1]).fit(**known, rng=np.random.default_rng(2))
    with pytest.raises(ValueError, match=r"^epsilon=1000\.0: leaves 1000 for the responses.*Choose a smaller epsilon or share"):
        FrontierLearner(1000.0, 0.0, method="response", share=1.0).fit(**known, rng=np.random.default_rng(2))


def test_remedies_are_things_that_can_be_done():
    with pytest.raises(ValueError, match=r"^n_groups=30: .* Merge groups\.$"):
        multiplier_grid(30)
    with pytest.raises(ValueError, match=r"^sensitive_features=.* Give FrontierLearner one group for each row of X\.$"):
        FrontierLearner(1.0, 0.0).fit(PEOPLE.X, PEOPLE.Y, sensitive_features=PEOPLE.A[1:], rng=np.random.default_rng(3))
