"""The ends of the intervals, against exact laws: half the values are 0 and half 1, so a mean drawn again is binomial."""
from math import comb

import numpy as np
import pytest

from book.studies import quality
from book.studies.bound_vs_reality import quantile
from book.studies.quality import quality_interval
from dpfair_teach.experiments import bootstrap_means, tradeoff

HALF = np.repeat([0.0, 1.0], 20)


def below(k, n, p=0.5):
    """P(Binomial(n, p) <= k)."""
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


def ends(level, resamples):
    """The quantiles (1 -+ level) / 2 of Binomial(40, 1/2) / 40, each at least six standard errors inside its step of the law."""
    found = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        k = next(k for k in range(41) if below(k, 40) >= tail)
        for edge in (below(k - 1, 40), below(k, 40)):
            assert abs(edge - tail) > 6.1 * np.sqrt(edge * (1 - edge) / resamples)
        found.append(k / 40)
    return found


def test_bootstrap_interval_ends_at_the_quantiles_of_its_level(monkeypatch):
    """100,000 resamples; false failure below 1e-8 by the margin asserted in ends (6.1 standard errors), and the seed is fixed.

    An upper end at .9875 in place of .975 would be 27 / 40, not 26 / 40.
    """
    monkeypatch.setattr(tradeoff, "RESAMPLES", 100_000)
    mean, low, high = tradeoff.bootstrap_interval(HALF, np.random.default_rng(1))
    assert mean == 0.5 and [float(low), float(high)] == pytest.approx(ends(0.95, 100_000))


def test_quality_interval_ends_at_the_quantiles_of_its_level(monkeypatch):
    """Errors .2 and .4 at violation 0 have Q 1 and 0: the mean curve's Q is the share of the first."""
    monkeypatch.setattr(quality, "RESAMPLES", 100_000)
    _, low, high = quality_interval(np.zeros((40, 1)), .2 + .2 * HALF[:, None], [[0, .2]], [[0, .4], [.2, .1]], np.random.default_rng(1))
    assert [low, high] == pytest.approx(ends(0.95, 100_000))


@pytest.mark.parametrize("n, level", [(40, 0.5), (1000, 0.8), (1000, 0.95), (1000, 0.99), (300, 0.05)])
def test_order_statistics_hold_the_quantile_with_95_percent_and_no_rank_closer_does(n, level):
    """The true quantile lies below the i-th smallest with P(B <= i - 1), above the j-th with P(B >= j), B ~ Binomial(n, level)."""
    values = np.random.default_rng(0).permutation(np.arange(1, n + 1))
    at, i, j = quantile(values.astype(float), level)
    i, j = int(i), int(j)
    assert at == pytest.approx(np.quantile(values, level)) and 1 <= i < at < j < n
    assert below(i - 1, n, level) <= 0.025 < below(i, n, level)
    assert 1 - below(j - 1, n, level) <= 0.025 < 1 - below(j - 2, n, level)


def test_batches_do_not_change_the_resamples(monkeypatch):
    values = np.random.default_rng(3).random((40, 2))
    whole = bootstrap_means(values, np.random.default_rng(1), resamples=101)
    monkeypatch.setattr(tradeoff, "_COUNTS_AT_ONCE", 400)
    np.testing.assert_allclose(bootstrap_means(values, np.random.default_rng(1), resamples=101), whole, rtol=1e-14)


def test_more_resamples_than_memory_holds_are_refused_by_name():
    with pytest.raises(ValueError, match="resamples=1000000: asks for more"):
        bootstrap_means(np.zeros((2, 1000)), np.random.default_rng(0), resamples=10**6)
