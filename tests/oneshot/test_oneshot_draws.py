"""What a fit of ``FrontierLearner`` draws: the laws of its answers to both questions.

The records are not believed: scales are written out once more from epsilon and the number of groups. Fixed seeds, alpha = 1e-9.
"""
from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import data
from dpfair_teach.oneshot import FrontierLearner
from faults import Mutant, calling, with_arguments

ALPHA, EPSILON, FITS, SHARE = 1e-9, 2.0, 12, 0.4
WAYS: list[dict] = [{}, {"notion": "true_positive", "against": "pairs"}, {"notion": "demographic_parity", "against": "anchor"}]


def within(value: float, law: stats.rv_continuous) -> None:
    low, high = law.ppf([ALPHA / 2, 1 - ALPHA / 2])
    assert low <= value <= high


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("how", WAYS, ids=str)
def test_the_answers_of_a_fit_have_the_noise_of_their_records(how, k):
    """A dozen fits, all noise of one kind together: that of counts by how often it is 0, that of directions by its sizes. Half a scale is
    six standard deviations away and more."""
    people = data.make_logistic(200, n_groups=k, d=10, rng=np.random.default_rng(1))
    first, second, moved, zeros, spreads = SHARE * EPSILON, (1 - SHARE) * EPSILON, 1.0 if k == 2 else 2.0, [], []
    for seed in range(FITS):
        model = FrontierLearner(EPSILON, 0.0, n_groups=k, gammas=[0.0, 0.1], share=SHARE, **how)
        model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(seed))
        rates = len(model._parity.cells)                                # of each rate's people, each has all of epsilon
        assert [r.epsilon for r in model.releases_] == pytest.approx([first] * rates + [second] * rates)
        for question, answer in model.answers_:
            weights, cells = question if isinstance(question, tuple) else (None, question)
            n = answer.shape[1] if weights is None else weights.shape[1]
            groups = range(k - len(answer), k)                              # group 0 too, between pairs of three
            true = np.stack([np.bincount(cells[(people.A == a) & (cells >= 0)], minlength=n) for a in groups])
            if weights is None:
                zeros += (answer == true).ravel().tolist()
            else:
                spreads += (np.abs(answer - true @ weights.T) * second / (moved * np.abs(weights).sum(axis=0).max())).ravel().tolist()
    q = math.exp(-first / moved)
    within(sum(zeros), stats.binom(len(zeros), (1 - q) / (1 + q)))
    within(sum(spreads), stats.gamma(len(spreads)))                     # of a wide geometric law nearly those of Laplace's


# --- deliberate faults

FAULTS = {
    "first_counts_at_double_epsilon": Mutant(
        "dpfair_teach.oneshot.questions.ask_part", calling("release_cells", with_arguments(epsilon=lambda e: 2 * e)),
        "half the noise on a fit's counts"),
    "directions_at_double_epsilon": Mutant(
        "dpfair_teach.oneshot.questions.ask_part", calling("release_directions", with_arguments(epsilon=lambda e: 2 * e)),
        "half the noise on a fit's sums of weights"),
}
