"""Randomized reports: the variance of the debiased count against the exact law, the likeliest counts against a search."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import mechanisms
from faults import Mutant, scaled


def law_of_the_first_report_count(counts, epsilon):
    """Exact: a convolution of binomials, one for each true group."""
    matrix = mechanisms.randomized_response_matrix(len(counts), epsilon)
    law = np.ones(1)
    for n, chance in zip(counts, matrix[:, 0], strict=True):
        law = np.convolve(law, stats.binom.pmf(np.arange(n + 1), n, chance))
    return law


@pytest.mark.parametrize("counts", [(3, 4), (0, 9), (5, 0, 2), (1, 2, 3, 4)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_debiased_count_has_the_true_mean_and_the_stated_variance(counts, epsilon):
    law = law_of_the_first_report_count(counts, epsilon)
    total = sum(counts)
    said = np.arange(total + 1.0)
    # the other groups' reports do not matter for the first group's estimate: split them anyhow
    rest = np.stack([said, *[(total - said) / (len(counts) - 1)] * (len(counts) - 1)], axis=-1)
    found = mechanisms.debias_counts(rest, epsilon)[:, 0]
    assert law @ found == pytest.approx(counts[0], abs=1e-9)
    assert law @ (found - counts[0]) ** 2 == pytest.approx(mechanisms.debias_variance(counts, epsilon)[0], rel=1e-9)


def test_two_groups_pay_half_the_number_of_people_against_geometric_noise():
    """The ratio of the variances is n/2 at every epsilon, whatever the split."""
    for epsilon, ones, n in itertools.product((0.05, 0.5, 1.0, 3.0), (0, 3, 100), (100, 1994)):
        local = mechanisms.debias_variance([n - ones, ones], epsilon)
        assert local / mechanisms.geometric_law(1, epsilon).var() == pytest.approx(n / 2, rel=1e-9)


def log_likelihood(people, said, epsilon):
    matrix = mechanisms.randomized_response_matrix(len(said), epsilon)
    return said @ np.log(people / people.sum() @ matrix)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_no_other_counts_are_likelier(k):
    rng = np.random.default_rng(5)
    for _ in range(60):
        said, epsilon = rng.multinomial(40, rng.dirichlet(np.full(k, 0.5))).astype(float), rng.choice([0.2, 1.0, 3.0])
        best = mechanisms.likely_counts(said, epsilon)
        assert best.min() >= 0 and best.sum() == pytest.approx(said.sum())
        level = log_likelihood(best, said, epsilon)
        far, near = rng.dirichlet(np.full(k, 0.6), 300) * said.sum(), 0.99 * best + 0.01 * rng.dirichlet(np.ones(k), 300) * said.sum()
        assert max(log_likelihood(other, said, epsilon) for other in (*far, *near, *np.eye(k))) <= level + 1e-9
        debiased = mechanisms.debias_counts(said, epsilon)
        if debiased.min() >= 0:
            assert best == pytest.approx(debiased, abs=1e-9)
        elif k == 2:
            assert best == pytest.approx(np.clip(debiased, 0, said.sum()), abs=1e-9)


def test_axes_and_empty_cells():
    said = np.array([[30.0, 10.0, 0.0], [5.0, 10.0, 0.0]])             # [group, cell]
    found = mechanisms.likely_counts(said, 1.0, axis=0)
    assert found[:, 2].tolist() == [0, 0] and found.sum(axis=0) == pytest.approx(said.sum(axis=0))
    assert found[:, 0] == pytest.approx(mechanisms.likely_counts(said[:, 0], 1.0))
    assert mechanisms.debias_variance(said, 1.0, axis=0).T == pytest.approx(mechanisms.debias_variance(said.T, 1.0))
    with pytest.raises(ValueError, match=r"counts.*-1"):
        mechanisms.likely_counts([3, -1], 1.0)


# --- deliberate faults

def clipped_and_scaled(f):
    def likely_counts(counts, epsilon, axis=-1):
        counts = np.asarray(counts, float)
        keep, other = (np.exp(epsilon) / (np.exp(epsilon) + counts.shape[axis] - 1), 1 / (np.exp(epsilon) + counts.shape[axis] - 1))
        total = counts.sum(axis=axis, keepdims=True)
        people = np.maximum((counts - other * total) / (keep - other), 0)
        return people / people.sum(axis=axis, keepdims=True) * total
    return likely_counts


FAULTS = {
    "debias_variance_halved": Mutant("dpfair_teach.mechanisms.debias_variance", scaled(0.5), "half the variance"),
    "debiasing_forgets_the_lies": Mutant(
        "dpfair_teach.mechanisms.debias_counts", lambda f: lambda counts, epsilon, axis=-1: np.asarray(counts, float),
        "reports are taken for the truth"),
    "likely_counts_by_clipping": Mutant("dpfair_teach.mechanisms.likely_counts", clipped_and_scaled, "debiased, clipped at 0 and scaled"),
}
