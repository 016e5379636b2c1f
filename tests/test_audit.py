"""The audit: sound (it rarely accuses the innocent, at a rate stated and measured), and strong (it convicts noise that is too small)."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from dpfair_teach.audit import (
    audit_scalar,
    clopper_pearson,
    epsilon_lower_bound,
    exact_delta,
    exact_epsilon,
    laplace_scale_delta,
    laplace_shift_delta,
    one_direction,
    privacy_loss,
)
from dpfair_teach.mechanisms import (
    gaussian_delta,
    geometric,
    geometric_law,
    laplace,
    laplace_law,
    randomized_response,
    randomized_response_matrix,
)
from faults import Mutant

N, ALPHA = 200_000, 1e-9


# ------------------------------------------------------------------------------------------------------- soundness

@pytest.mark.parametrize("n, alpha", [(1, 0.1), (20, 0.05), (50, 1e-3)])
def test_clopper_pearson_errs_at_most_alpha_over_2_on_each_side(n, alpha):
    """Exact coverage, by summing the binomial law over the outcomes that miss p, at 400 values of p."""
    k = np.arange(n + 1)
    low, high = clopper_pearson(k, n, alpha)
    p = np.linspace(1e-4, 1 - 1e-4, 400)
    law = stats.binom.pmf(k[:, None], n, p)
    assert (law * (low[:, None] > p)).sum(axis=0).max() <= alpha / 2 * (1 + 1e-9)
    assert (law * (high[:, None] < p)).sum(axis=0).max() <= alpha / 2 * (1 + 1e-9)
    assert low[0] == 0 and high[-1] == 1 and (np.diff(low) > 0).all() and (low < high).all()
    for hits in k[1:]:                       # and no wider than it must be: p = low makes k or more hits exactly alpha/2 likely
        assert stats.binom.sf(hits - 1, n, low[hits]) == pytest.approx(alpha / 2, rel=1e-6)
        assert stats.binom.cdf(n - hits, n, high[n - hits]) == pytest.approx(alpha / 2, rel=1e-6)


@pytest.mark.parametrize("chances", [[0.5] * 6 + [0.99] * 9, [0.5] * 25 + [0.731] * 5, [0.01] * 20 + [0.9], np.linspace(0, 1, 18)])
@pytest.mark.parametrize("alpha", [0.1, 0.05, 1e-3])
def test_clopper_pearson_covers_the_average_of_unequal_chances(chances, alpha):
    """Hoeffding 1956, by the exact law of the number of hits: each side misses the average at most alpha / 2 often."""
    law = np.ones(1)
    for p in chances:
        law = np.convolve(law, [1 - p, p])
    low, high = clopper_pearson(np.arange(len(law)), len(chances), alpha)
    assert law[low > np.mean(chances)].sum() <= alpha / 2 and law[high < np.mean(chances)].sum() <= alpha / 2


@pytest.mark.parametrize("alpha", [1e-2, 1e-9])
def test_clopper_pearson_is_exact_at_the_sizes_of_an_audit(alpha):
    n, k = 100_000, np.array([1, 50, 18_000, 50_000, 99_000])
    low, high = clopper_pearson(k, n, alpha)
    np.testing.assert_allclose(stats.binom.sf(k - 1, n, low), alpha / 2, rtol=1e-6)
    np.testing.assert_allclose(stats.binom.cdf(k, n, high), alpha / 2, rtol=1e-6)


@pytest.mark.parametrize("alpha", [0.2, 0.01])
@pytest.mark.parametrize("p, q, delta", [(0.5, 0.5 / math.e, 0.0), (1 - 0.5 / math.e, 0.5, 0.0), (0.6, 0.2, 0.05), (0.3, 0.3, 0.0)])
def test_lower_bound_is_too_large_with_probability_at_most_alpha(p, q, delta, alpha):
    """Exactly, by summing over all pairs of hits out of n = 50 each; the truth is the worst of the event's four inequalities."""
    n = 50
    truth = max(0.0, *(math.log((a - delta) / b) for a, b in ((p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p)) if a > delta))
    hits, others = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
    bounds = epsilon_lower_bound(hits, others, n, delta, alpha)
    law = stats.binom.pmf(hits, n, p) * stats.binom.pmf(others, n, q)
    assert law[bounds > truth + 1e-12].sum() <= alpha
    assert (bounds >= 0).all() and bounds.shape == (n + 1, n + 1)


def test_both_directions_see_what_one_does_not():
    for hits in ((10, 900), (900, 10), (990, 100), (100, 990)):      # the event, exchanged, and the complements
        assert epsilon_lower_bound(*hits, 1000) == pytest.approx(float(epsilon_lower_bound(10, 900, 1000)))
    assert one_direction(np.array(900), 1000, np.array(10), 1000, 0.0, 0.05) > epsilon_lower_bound(900, 10, 1000) > 0
    assert epsilon_lower_bound(900, 10, 1000, delta=0.1) < epsilon_lower_bound(900, 10, 1000)


def careless_audit(first, second, alpha):
    """The fault that the held-out half prevents: choose the event and certify it on the same runs."""
    thresholds = np.unique(np.concatenate([first, second]))
    hits, others = (x.size - np.searchsorted(np.sort(x), thresholds) for x in (first, second))
    return max(one_direction(a, first.size, b, first.size, 0.0, alpha).max() for a, b in ((hits, others), (others, hits)))


def test_whole_audit_falsely_accuses_at_most_alpha_of_the_time():
    """500 audits of a correct epsilon = 0.02 release, 100 runs each, alpha = 0.2: the number of false alarms stays below the limit that
    a rate of alpha exceeds once in 1e9. Without the held-out half the limit is left far behind."""
    repeats, alpha, epsilon, rng = 500, 0.2, 0.02, np.random.default_rng(11)
    alarms = careless = 0
    for _ in range(repeats):
        first, second = laplace(0, 1, epsilon, rng, 100), laplace(1, 1, epsilon, rng, 100)
        alarms += audit_scalar(first, second, rng, alpha=alpha, claimed_epsilon=epsilon).verdict == "refuted"
        careless += careless_audit(first, second, alpha) > epsilon
    assert alarms <= stats.binom.isf(1e-9, repeats, alpha) < careless


class InOrder(np.random.Generator):
    """A generator that shuffles nothing, so that a test can say which runs choose and which certify."""

    def permutation(self, x, axis=0):
        return x


def test_certifying_runs_have_no_say_in_the_event():
    """The choosing halves differ at 1 only, the certifying halves at 5 far more: the event must still be the one at 1."""
    def runs(share_of_ones, share_of_fives):
        return np.concatenate([np.arange(1000) < 1000 * share_of_ones, 5.0 * (np.arange(1000) < 1000 * share_of_fives)])

    result = audit_scalar(runs(0.4, 0.9), runs(0.2, 0.001), InOrder(np.random.PCG64(0)), alpha=0.05)
    assert result.event == "number >= 1, likelier on the first data set" and result.hits == (900, 1) and result.n == (1000, 1000)


def test_sorted_runs_are_no_trap():
    """Runs handed over in order: the split is drawn, so both halves still follow the same law."""
    rng = np.random.default_rng(12)
    first, second = (np.sort(laplace(v, 1, 1.0, rng, 20_000)) for v in (0, 1))
    result = audit_scalar(first, second, rng, alpha=ALPHA, claimed_epsilon=1.0)
    assert 0.5 < result.lower_bound <= 1.0


# ----------------------------------------------------------------------------------------------------------- power

@pytest.mark.parametrize("mechanism", [laplace, geometric])
def test_count_release_is_audited_tightly_and_half_the_noise_is_convicted(mechanism):
    """A count with sensitivity 1 at epsilon = 1; n = 200,000 runs on each neighbour, alpha = 1e-9."""
    rng = np.random.default_rng(13)
    correct = audit_scalar(mechanism(20, 1, 1.0, rng, N), mechanism(21, 1, 1.0, rng, N), rng, alpha=ALPHA, claimed_epsilon=1.0)
    assert 0.5 <= correct.lower_bound <= 1.0 and correct.verdict == "not refuted"
    assert correct.lower_bound > 0.9                      # what it in fact reaches
    broken = audit_scalar(mechanism(20, 1, 2.0, rng, N), mechanism(21, 1, 2.0, rng, N), rng, alpha=ALPHA, claimed_epsilon=1.0)
    assert 1.0 < broken.lower_bound <= 2.0 and broken.verdict == "refuted"
    assert broken.n == (N // 2, N // 2) and broken.alpha == ALPHA


def test_randomized_response_is_audited_through_one_report():
    rng = np.random.default_rng(14)
    reports = [randomized_response([a], 2, epsilon, rng, N)[:, 0] for epsilon in (1.0, 2.0) for a in (0, 1)]
    assert 0.9 < audit_scalar(*reports[:2], rng, claimed_epsilon=1.0).lower_bound <= 1.0
    assert audit_scalar(*reports[2:], rng, claimed_epsilon=1.0).verdict == "refuted"


TABLE = np.array([[[30.0, 12.0], [7.0, 5.0]], [[9.0, 21.0], [8.0, 14.0]]])       # [yhat, a, y]
NEIGHBOUR = TABLE.copy()
NEIGHBOUR[1, 0, 1] -= 1
NEIGHBOUR[1, 1, 1] += 1                                                          # one person's A: two cells move by 1


@pytest.mark.parametrize("mechanism", [laplace, geometric])
def test_whole_table_is_audited_through_its_privacy_loss(mechanism):
    """Noise of scale 2/epsilon on all eight cells (sensitivity 2), epsilon = 1: the loss reaches 1 with probability 1/4, and no cell alone
    shows more than 1/2."""
    rng = np.random.default_rng(15)

    def runs(epsilon, scale):
        tables = [mechanism(t, 2, epsilon, rng, N) for t in (TABLE, NEIGHBOUR)]
        return tables, [privacy_loss(t, TABLE, NEIGHBOUR, scale) for t in tables]

    tables, losses = runs(1.0, 2.0)
    assert max(np.abs(loss).max() for loss in losses) == pytest.approx(1.0)
    correct = audit_scalar(*losses, rng, alpha=ALPHA, claimed_epsilon=1.0)
    assert 0.5 <= correct.lower_bound <= 1.0
    assert correct.lower_bound > 0.85
    one_cell = audit_scalar(*(t[:, 1, 0, 1] for t in tables), rng, alpha=ALPHA)
    assert 0.25 < one_cell.lower_bound <= 0.5 and one_cell.verdict == "no claim"
    broken = audit_scalar(*runs(2.0, 1.0)[1], rng, alpha=ALPHA, claimed_epsilon=1.0)
    assert broken.verdict == "refuted" and broken.lower_bound <= 2.0


def test_privacy_loss_is_the_log_ratio_of_the_exact_laws():
    rng = np.random.default_rng(16)
    for mechanism, law, density in ((laplace, laplace_law, "logpdf"), (geometric, geometric_law, "logpmf")):
        outputs = mechanism(TABLE, 2, 0.7, rng, (3, 4))
        log = [sum(getattr(law(2, 0.7, int(v)), density)(outputs[..., i, a, y]) for (i, a, y), v in np.ndenumerate(t))
               for t in (TABLE, NEIGHBOUR)]
        np.testing.assert_allclose(privacy_loss(outputs, TABLE, NEIGHBOUR, 2 / 0.7), log[0] - log[1], atol=1e-9)


# ------------------------------------------------------------------------------------------------------ exact laws

LAWS = st.lists(st.floats(0, 1), min_size=10, max_size=10).map(
    lambda w: (np.array(w[:5]) + (sum(w[:5]) == 0), np.array(w[5:]) + (sum(w[5:]) == 0))).map(lambda pq: tuple(x / x.sum() for x in pq))


@settings(max_examples=200, deadline=None)
@given(LAWS, st.sampled_from([0.0, 1e-3, 0.1, 0.7]))
def test_exact_epsilon_and_delta_are_the_worst_over_all_events(laws, delta):
    """All 31 events of 5 outcomes, both ways."""
    inside = np.array(list(itertools.product((0, 1), repeat=5)))[1:]
    p, q = (inside @ law for law in laws)
    with np.errstate(divide="ignore", invalid="ignore"):
        worst = max(np.nanmax(np.where(a > delta, np.log(np.maximum(a - delta, 0)) - np.log(b), -np.inf)) for a, b in ((p, q), (q, p)))
    worst = max(0.0, worst)
    epsilon = exact_epsilon(*laws, delta)
    assert epsilon == pytest.approx(worst, rel=1e-6, abs=1e-6)
    for tried in (0.0, 0.5, 2.0):
        assert exact_delta(*laws, tried) == pytest.approx(max(0.0, (p - math.exp(tried) * q).max(), (q - math.exp(tried) * p).max()),
                                                          abs=1e-12)
    if epsilon < 600:
        assert exact_delta(*laws, epsilon) <= delta + 1e-9


@pytest.mark.parametrize("law, delta", [([0.1, 0.2, 0.7], 0.3), ([0.1] * 3 + [0.7], 0.3), ([0.1] * 10 + [0.0], 1 - 2**-53)])
def test_rounding_is_no_outcome_beyond_delta(law, delta):
    """The outcomes that the neighbour lacks have delta in all, but their sum in doubles is above it."""
    neighbour = [0.0] * (len(law) - 1) + [1.0]
    assert exact_epsilon(law, neighbour, delta) < 1e-9
    assert exact_epsilon(law, neighbour, delta - 1e-9) == math.inf


def test_exact_epsilon_of_the_mechanisms_is_their_epsilon():
    w = np.arange(-250, 251)
    laws = [geometric_law(1, 0.3, v).pmf(w) for v in (0, 1)]
    assert exact_epsilon(*laws) == pytest.approx(0.3, rel=1e-6)
    matrix = randomized_response_matrix(4, 1.3)
    assert max(exact_epsilon(a, b) for a, b in itertools.permutations(matrix, 2)) == pytest.approx(1.3, rel=1e-9)
    assert exact_epsilon([0.5, 0.5], [0.5, 0.5]) == 0
    assert exact_epsilon([0.5, 0.5, 0.0], [0.5, 0.4, 0.1]) == math.inf
    assert exact_epsilon([0.5, 0.5, 0.0], [0.5, 0.4, 0.1], delta=0.1) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("shift, scale, epsilon", [(1, 1, 0.0), (1, 0.5, 1.0), (2, 0.4, 3.0), (1, 1, 1.0), (1, 2, 1.0)])
def test_laplace_delta_is_the_hockey_stick(shift, scale, epsilon):
    p, q = laplace_law(scale, 1, shift), laplace_law(scale, 1, 0)
    edge = (shift + scale * epsilon) / 2                    # where the ratio crosses e^epsilon
    area = integrate.quad(lambda x: max(0.0, p.pdf(x) - math.exp(epsilon) * q.pdf(x)), -40, 40, points=[0, edge, shift], limit=400)[0]
    assert laplace_shift_delta(shift, scale, epsilon) == pytest.approx(area, abs=1e-7)


@pytest.mark.parametrize("b, c", [(2.0, 1.0), (1.0, 1.1), (3.0, 0.2)])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_laplace_scale_delta_is_the_hockey_stick_both_ways(b, c, epsilon):
    def one_way(s, t):
        def excess(x):
            return max(0.0, stats.laplace.pdf(x, scale=s) - math.exp(epsilon) * stats.laplace.pdf(x, scale=t))
        return 2 * integrate.quad(excess, 0, 150, limit=2000, points=[0.1, 1, 5, 20])[0]
    value = laplace_scale_delta(b, c, epsilon)
    assert value == pytest.approx(max(one_way(b, c), one_way(c, b)), abs=1e-6)
    assert value == laplace_scale_delta(c, b, epsilon)


def test_wide_noise_taken_for_narrow_is_never_the_smaller_way():
    """Both ways from the Gamma laws of the sums of absolute noises, and the returned delta is the larger."""
    for n, r, epsilon in itertools.product((1, 2, 4, 30), (1.01, 1.3, 2.0, 10.0), (0.0, 0.01, 0.1, 0.5, 1.0, 3.0)):
        wide, narrow = stats.gamma(n, scale=r), stats.gamma(n)
        far, near = ((n * math.log(r) + sign * epsilon) / (1 - 1 / r) for sign in (1, -1))
        ways = wide.sf(far) - math.exp(epsilon) * narrow.sf(far), narrow.cdf(near) - math.exp(epsilon) * wide.cdf(near)
        assert ways[0] >= ways[1] - 1e-12
        assert laplace_scale_delta(r, 1.0, epsilon, n) == pytest.approx(max(*ways, 0.0), abs=1e-12)


@pytest.mark.parametrize("smallest_cell, delta", [(3, 0.323), (4, 0.106), (5, 0.039), (10, 3.8e-4)])
def test_noise_scaled_by_the_private_smallest_cell(smallest_cell, delta):
    """Four Laplace numbers whose scale is 1/(n - 1) on a data set and 1/(n - 2) on its neighbour, at a claimed epsilon of 1."""
    assert laplace_scale_delta(1 / (smallest_cell - 1), 1 / (smallest_cell - 2), 1.0, n=4) == pytest.approx(delta, rel=0.02)


def test_no_epsilon_makes_delta_zero_when_the_scale_is_private():
    """Claimed 1, true delta positive at every epsilon; with public scale it would vanish at shift/scale."""
    deltas = [laplace_scale_delta(1.1, 1.0, e) for e in (0.5, 1, 2, 4)]
    assert all(d > 0 for d in deltas) and deltas == sorted(deltas, reverse=True)
    assert laplace_scale_delta(1.0, 1.0, 0.0) == 0 == laplace_shift_delta(1.0, 1.0, 1.0)


def test_binned_gaussian_law_gives_the_gaussian_delta():
    """exact_delta on a fine grid (step 0.01) of two Gaussians one apart: processing can only lower delta, and hardly does."""
    edges = np.concatenate([[-np.inf], np.arange(-10, 11, 0.01), [np.inf]])
    laws = [np.diff(stats.norm.cdf(edges, loc=v, scale=1.5)) for v in (0, 1)]
    true = gaussian_delta(1, 1.5, 0.5)
    assert true * 0.999 < exact_delta(*laws, 0.5) <= true * (1 + 1e-9)
    assert exact_epsilon(*laws, delta=true) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("call, match", [
    (lambda: clopper_pearson(11, 10, .05), "^n_hits=11: more hits than the n=10 trials"),
    (lambda: epsilon_lower_bound(8, 13, 10), "^hits_0=13: more hits than the n=10 trials"),
    (lambda: epsilon_lower_bound([8, 7], [1, 2, 3], 10), "^hits_0="),
    (lambda: audit_scalar([1.0, 2.0, 3.0], [1.0] * 5, np.random.default_rng(0)), r"^samples=\(3,\): fewer than 4 samples"),
    (lambda: privacy_loss([[1.0, 2.0, 3.0]], [1, 2], [2, 2], 1.0), r"^outputs=\(1, 3\): does not end in the shape \(2,\) of table"),
    (lambda: privacy_loss([[1.0, 2.0]], [1, 2], [2, 2, 2], 1.0), "^table_neighbour="),
    (lambda: exact_epsilon([.5, .6], [.5, .5]), "^law=1.1: its probabilities do not sum to 1"),
    (lambda: exact_delta([.5, .5], [.2, .3, .5], 1.0), r"^law_neighbour=\(3,\): differs from the shape \(2,\) of law"),
])
def test_arguments_that_do_not_go_together_are_refused(call, match):
    with pytest.raises(ValueError, match=match):
        call()


# --- deliberate faults

FAULTS = {
    "scale_delta_of_one_noise": Mutant(
        "dpfair_teach.audit.laplace_scale_delta", lambda f: lambda b, c, e, n=1: f(b, c, e, 1), "one noise seen, not all"),
}
