"""The statements of chapter 7 that no room's own tests attack."""
from __future__ import annotations

import numpy as np
import pytest

from dpfair_teach import audit, fairness
from dpfair_teach.mechanisms import laplace
from dpfair_teach.postprocessing import closed_form, derived_counts, public_margin_counts


def farthest(coefficients, constant=0.0):
    """The largest |constant + sum of coefficients p| over the box 0 <= p <= 1, exact."""
    up, down = np.maximum(coefficients, 0).sum(), np.minimum(coefficients, 0).sum()
    return max(constant + up, -(constant + down))


def apart(q, released):
    """(eta, s): how far errors and gaps of one p can differ between two tables, over all p."""
    cost = [table[..., 0] - table[..., 1] for table in (q, released)]
    eta = farthest(cost[1] - cost[0], (released - q)[..., 1].sum())
    share = [table / table.sum(axis=0) for table in (q, released)]
    signed = (share[1] - share[0]) * np.array([-1, 1])[:, None]
    return eta, max(farthest(signed[..., y]) for y in (0, 1))


def random_tables(n=300):
    rng = np.random.default_rng(0)
    for _ in range(n):
        b = int(rng.integers(2, 7))
        q = rng.dirichlet(np.full(b * 4, rng.choice([0.5, 1, 5]))).reshape(b, 2, 2)
        released = np.abs(q + rng.normal(0, rng.choice([0.001, 0.01, 0.03]) / b, q.shape))
        if min(q.sum(axis=0).min(), released.sum(axis=0).min()) > 0.02:
            yield q, released / released.sum(), float(rng.choice([0.01, 0.05, 0.2]))


def test_what_a_slack_buys_and_what_is_promised_without():
    """thm-no-slack on random pairs of tables; eta and s are the exact distances, so no event is left out."""
    seen, spent = 0, 0
    for q, released, gamma in random_tables():
        eta, s = apart(q, released)
        best, constant = closed_form(q, gamma).value, q.sum(axis=(0, 1)).min()
        for limit, unfair, extra in ((gamma + s, gamma + 2 * s, 0.0), (gamma, gamma + s, s / (gamma + s) * (constant - best))):
            answer = closed_form(released, limit)
            true, there = derived_counts(q, answer.p), derived_counts(released, answer.p)
            assert fairness.violation(true) <= unfair + 1e-9
            assert fairness.error(true) <= best + 2 * eta + extra + 1e-9
            unconstrained = np.minimum(released[..., 0], released[..., 1]).sum()
            used = abs(fairness.violation(there) - limit) < 1e-8
            assert used or answer.value == pytest.approx(unconstrained, abs=1e-9)
            seen, spent = seen + 1, spent + used
    assert seen > 300 and spent > 0.3 * seen


@pytest.mark.parametrize("n_bins", [2, 5])
def test_more_bins_spend_no_more_epsilon(n_bins):
    """thm-score-bins, part 1: one person of a middle bin changes group. n = 2 * 100,000, alpha = 1e-9; the claim is 1."""
    rng, here = np.random.default_rng(1), np.full((n_bins, 2, 2), 40)
    there = here.copy()
    there[n_bins // 2, :, 1] += [-1, 1]
    runs = [public_margin_counts(table, 1.0, rng, size=100_000, noise="geometric") for table in (here, there)]
    moved = [run[:, n_bins // 2, 1, 1] for run in runs]
    bound = audit.epsilon_lower_bound(int((moved[1] >= 41).sum()), int((moved[0] >= 41).sum()), 100_000, alpha=1e-9)
    assert 0.9 < bound <= 1
    for run in runs:                                                # the other bins: the same law on both, mean 40
        others = np.delete(run, n_bins // 2, axis=1)[:, :, 1]
        assert abs(others.mean() - 40) < 0.05


@pytest.mark.parametrize("n_bins", [2, 4, 9])
def test_the_noise_of_a_rate_is_the_stated_sum(n_bins):
    """prop-bins-noise: the identity on every draw, the deviation on 40,000, and the two cases in which it is known exactly."""
    rng, sigma = np.random.default_rng(2), np.sqrt(2)
    table = rng.integers(200, 900, (n_bins, 2, 2)).astype(float)
    noise = laplace(np.zeros(n_bins), 1.0, 1.0, rng, size=40_000)
    noisy = np.repeat(table[None], 40_000, axis=0)
    noisy[:, :, 1, 0] += noise
    for p in (rng.random(n_bins), (np.arange(n_bins) >= n_bins / 2).astype(float)):
        p = np.stack([np.zeros(n_bins), p], axis=1)
        rate, seen = (fairness.rates(derived_counts(t, p))[0][..., 1] for t in (table, noisy))
        people = (seen - rate) * noisy[:, :, 1, 0].sum(axis=1)
        assert people == pytest.approx(((p[:, 1] - rate) * noise).sum(axis=1), abs=1e-8)
        assert people.std() <= 1.05 * sigma * np.sqrt(n_bins - 1)
    even = np.full(n_bins, 0.5) * (-1.0) ** np.arange(n_bins)       # p - R of thresholds at R = 1/2
    assert (noise @ even).std() == pytest.approx(sigma * np.sqrt(n_bins) / 2, rel=0.05)
