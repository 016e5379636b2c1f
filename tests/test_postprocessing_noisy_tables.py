"""What is published: exact sensitivities, exact laws, exact margins; and what is done with unusable cells."""
from __future__ import annotations

from functools import partial
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from dpfair_teach import fairness, mechanisms
from dpfair_teach.audit import exact_epsilon
from dpfair_teach.postprocessing import (
    lift_unusable,
    main_text_slack,
    margin_slack,
    noisy_counts,
    paper_slack,
    public_margin_counts,
)
from dpfair_teach.postprocessing.noisy_tables import _nearest_with_sum

TEN = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]])
LARGE = np.array([[[890, 50], [426, 108]], [[26, 58], [69, 367]]])


def neighbours(m: int, k: int):
    """Every A in {0..k-1}^m with every A' that differs from it in one person."""
    for A in product(range(k), repeat=m):
        for i in range(m):
            for other in range(k):
                if other != A[i]:
                    yield np.array(A), np.array([*A[:i], other, *A[i + 1:]])


@pytest.mark.parametrize("k", [2, 3])
def test_what_gets_noise_has_the_sensitivity_that_its_scale_assumes(k):
    """Exhaustive over A: Algorithm 1 publishes the whole table (2 people), public margins with two groups only group 1's half (1)."""
    rng = np.random.default_rng(k)
    prediction, Y = rng.integers(0, 2, (2, 5))
    whole, half = set(), set()
    for A, A_other in neighbours(5, k):
        change = np.abs(fairness.cell_counts(prediction, A, Y, k) - fairness.cell_counts(prediction, A_other, Y, k))
        whole.add(int(change.sum()))
        half.add(int(change[:, 1].sum()))
    assert whole == {2}
    assert max(half) == 1


def distance_to_law(sample, cdf):
    """Kolmogorov-Smirnov distance of a sample from a continuous law."""
    sample = np.sort(sample)
    at = cdf(sample)
    n = len(sample)
    return max((np.arange(1, n + 1) / n - at).max(), (at - np.arange(n) / n).max())


def dkw(n, alpha):
    return np.sqrt(np.log(2 / alpha) / (2 * n))


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_algorithm_1_draws_laplace_of_scale_2_over_epsilon(epsilon):
    """n = 8 * 20,000; DKW at alpha = 1e-10; noise of half the scale is 0.1 away, 12 times the limit."""
    noise = noisy_counts(TEN, epsilon, np.random.default_rng(1), size=20_000) - TEN
    limit = dkw(noise.size, 1e-10)
    assert distance_to_law(noise.ravel(), mechanisms.laplace_law(2, epsilon).cdf) < limit
    assert distance_to_law(noise.ravel(), mechanisms.laplace_law(1, epsilon).cdf) > 5 * limit


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_public_margins_draw_laplace_of_scale_1_over_epsilon(epsilon):
    """n = 4 * 40,000 on cells so large that nothing is clipped; DKW at alpha = 1e-10."""
    large = LARGE * 1000
    noise = public_margin_counts(large, epsilon, np.random.default_rng(2), size=40_000, noise="laplace")[:, :, 1] - large[:, 1]
    limit = dkw(noise.size, 1e-10)
    assert distance_to_law(noise.ravel(), mechanisms.laplace_law(1, epsilon).cdf) < limit
    assert distance_to_law(noise.ravel(), mechanisms.laplace_law(0.5, epsilon).cdf) > 5 * limit


def clipped_law(count, margin, epsilon):
    """The exact law of a geometric count after clipping to 0..margin."""
    law = mechanisms.geometric_law(1, epsilon, count)
    far = int(60 / epsilon)                                        # sums of small terms: 1 - cdf would lose the last digits
    low, high = law.pmf(np.arange(-far, 1)).sum(), law.pmf(np.arange(margin, margin + far)[::-1]).sum()
    return np.concatenate([[low], law.pmf(np.arange(1, margin)), [high]])


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_released_table_loses_exactly_epsilon(epsilon):
    """One changed A moves one count by one. The four counts are independent, so the exact loss of the release is that of the moved one."""
    for margin in (2, 5, 9):
        laws = [clipped_law(count, margin, epsilon) for count in range(margin + 1)]
        losses = [exact_epsilon(one, other) for one, other in pairwise(laws)]
        assert max(losses) == pytest.approx(epsilon)
    # and that law is the one we draw: n = 40,000, each frequency by Hoeffding within sqrt(ln(2 / 1e-11) / 2n), 36 of them
    n, counts = 40_000, LARGE // 50 + 1
    drawn = public_margin_counts(counts, epsilon, np.random.default_rng(3), size=n, noise="geometric")[:, :, 1]
    for cell in np.ndindex(2, 2):
        margin = int(counts.sum(axis=1)[cell])
        frequency = np.bincount(drawn[(slice(None), *cell)].astype(int), minlength=margin + 1) / n
        assert np.abs(frequency - clipped_law(int(counts[:, 1][cell]), margin, epsilon)).max() < dkw(n, 1e-11)


def test_algorithm_1_loses_exactly_epsilon():
    """Two cells move by one each under Lap(2 / epsilon): the log ratio of densities is at most epsilon, and epsilon beyond both."""
    epsilon = 0.7
    grid = np.linspace(-30, 40, 701)
    here, there = (mechanisms.laplace_law(2, epsilon, count).logpdf(grid) for count in (3, 4))
    loss = (here - there)[:, None] + (there - here)[None, :]      # the cell that loses a person, the cell that wins one
    assert loss.max() == pytest.approx(epsilon)
    assert -loss.min() == pytest.approx(epsilon)


@pytest.mark.parametrize("noise", ["laplace", "geometric"])
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (6, 2), (3, 5)])
def test_margins_are_kept_and_nothing_is_negative(noise, shape):
    counts = np.random.default_rng(4).integers(0, 6, (*shape, 2))
    counts[0, :, 1] = 0                                            # a public margin of 0
    noisy = public_margin_counts(counts, 0.5, np.random.default_rng(5), size=(40, 3), noise=noise)
    assert noisy.shape == (40, 3, *shape, 2)
    assert (noisy >= 0).all()
    assert noisy.sum(axis=-2) == pytest.approx(np.broadcast_to(counts.sum(axis=-2), (40, 3, shape[0], 2)))
    assert np.abs(noisy - counts).max() > 1


@settings(max_examples=100, deadline=None, derandomize=True)
@given(x=st.lists(st.floats(-50, 50), min_size=1, max_size=6), total=st.floats(0, 40))
def test_the_projection_is_the_nearest_point(x, total):
    """KKT: x - projection is one number t where the projection is positive, and x <= t where it is 0."""
    x = np.array(x)
    near = _nearest_with_sum(x, np.array(total))
    assert near.sum() == pytest.approx(total, abs=1e-9) and (near >= 0).all()
    shift = x - near
    if (near > 0).any():
        t = shift[near > 0].mean()
        assert shift[near > 0] == pytest.approx(t, abs=1e-8)
        assert (x[near == 0] <= t + 1e-8).all()


def test_with_hardly_any_noise_the_table_comes_back():
    for counts in (TEN, LARGE, np.random.default_rng(6).integers(0, 9, (2, 4, 2))):
        for release in (noisy_counts, public_margin_counts):
            assert release(counts, 1e9, np.random.default_rng(7)) == pytest.approx(counts, abs=1e-6)


def test_the_slacks_are_their_formulas():
    q = LARGE / 1994
    people = q.sum(axis=0)
    unit = 4 * np.log(4 * 2 / 0.05) / (1994 * 3)
    assert paper_slack(q, 1994, 3, 0.05)[1] == pytest.approx(
        [unit / min(people[1, 0], people[0, 0]), unit / min(people[1, 1], people[0, 1])])
    assert main_text_slack(q, 1994, 3, 0.05)[1] == pytest.approx([unit / min(people[1])] * 2)
    for slack in (paper_slack, main_text_slack, margin_slack):
        assert (slack(q, 1994, 3, 0.05)[0] == 0).all()
        batch = slack(np.stack([q, q[:, ::-1]]), 1994, 3, 0.05)
        assert batch[1] == pytest.approx(slack(q[:, ::-1], 1994, 3, 0.05))


def test_unusable_cells_follow_the_documented_rules():
    q = np.array([[[0.2, 0.1], [-0.1, 0.1]], [[0.2, 0.1], [0.05, -0.1]]])  # q_10 = -0.05, q_11 = 0
    printed = paper_slack(q, 100, 1, 0.05)
    assert printed[1, 0] < 0 and np.isposinf(printed[1, 1])
    assert lift_unusable(q, printed).tolist() == [[0, 0], [np.inf, np.inf]]
    assert lift_unusable(q[:, ::-1]).tolist() == [[0, 0], [np.inf, np.inf]]            # the anchor's cells count too
    assert lift_unusable(LARGE, [[1, 1], [0.2, -0.1]]).tolist() == [[0, 0], [0.2, np.inf]]
    assert (lift_unusable(np.stack([LARGE, TEN]), 0.3)[:, 1] == 0.3).all()
    nearly = np.array([[[1.0, 1.0], [-1.43, 1.0]], [[1.0, 1.0], [1.43 + 1e-12, 1.0]]])
    assert np.isposinf(lift_unusable(nearly)[1]).tolist() == [True, False]


@pytest.mark.parametrize("noise", ["laplace", "geometric"])
@pytest.mark.parametrize("k, beta", [(2, 0.05), (2, 0.3), (3, 0.3)])
def test_the_slack_of_public_margins_keeps_its_promise(k, beta, noise):
    """n = 5,000 draws: a rate gap of the true base moves by more than the slack in a share of at most beta (one-sided Hoeffding at
    alpha = 1e-10 adds .048)."""
    counts = LARGE if k == 2 else np.random.default_rng(8).integers(60, 400, (2, k, 2))
    m, n, epsilon = int(counts.sum()), 5000, 1.0
    noisy = public_margin_counts(counts, epsilon, np.random.default_rng(9), size=n, noise=noise)
    slack = margin_slack(noisy / m, m, epsilon, beta, noise)

    def gaps(table):
        rate = np.stack(fairness.rates(table), axis=-1)            # (..., k, 2)
        return rate - rate[..., :1, :]

    moved = np.abs(gaps(noisy) - gaps(counts))
    failures = (moved > slack)[:, 1:].any(axis=(1, 2)).mean()
    assert failures <= beta + np.sqrt(np.log(1e10) / (2 * n))


@pytest.mark.parametrize("b", [2, 3, 6])
def test_no_derived_rate_moves_by_more_than_the_slack_says_and_one_nearly_does(b):
    """Every corner of the noise's box and every corner p: the worst move is at most (b - 1) t / n~, and above .99 of it."""
    t, m, beta = 10.0, 10**6, 0.05
    epsilon = np.log(2 * b / beta) / t                             # so that the slack's own t is 10 people
    worst = 0.0
    for least in (20.0, 500.0, 10_000.0):
        n = np.full(b, least)
        n[0] = 100_000.0
        for signs in product((-1, 1), repeat=b):
            noisy = n + t * np.array(signs)
            table = np.zeros((b, 2, 2))
            table[:, 1, 1] = noisy
            table[:, 0, 0] = table[:, 0, 1] = table[:, 1, 0] = (m - noisy.sum()) / (3 * b)
            anchor = (b - 1) * t / table[:, 0, 1].sum()
            allowed = margin_slack(table / m, m, epsilon, beta, "laplace")[1, 1] - anchor
            for p in product((0, 1), repeat=b):
                moved = abs(np.dot(p, noisy) / noisy.sum() - np.dot(p, n) / n.sum())
                assert moved <= allowed * (1 + 1e-9)
                worst = max(worst, moved / allowed)
    assert worst > 0.99


@pytest.mark.parametrize("k, more", [(2, 0.5), (3, 1.0)])
def test_whole_numbers_add_less_than_said(k, more):
    q, m = np.full((2, k, 2), 1 / (4 * k)), 1000
    added = [(margin_slack(q, m, epsilon, beta, "geometric") - margin_slack(q, m, epsilon, beta, "laplace"))[1, 0] * m / (2 * k) / 2
             for epsilon in np.geomspace(1e-3, 50, 100) for beta in (0.01, 0.05, 0.9)]
    assert 0.9 * more < max(added) < more


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("k, sensitivity, published, moves", [(2, 1, 4, 1), (3, 2, 12, 2)])
def test_the_slack_for_whole_numbers_is_the_smallest_that_the_union_allows(k, sensitivity, published, moves, epsilon):
    """The exact tail of the geometric law: P(|W| > n) <= beta / published at the n behind the slack, and not at n - 1."""
    q, m, beta = np.full((2, k, 2), 1 / (4 * k)), 1000, 0.05
    most = margin_slack(q, m, epsilon, beta, "geometric")[1, 0] * m / (2 * k) / 2 / moves
    assert most == pytest.approx(round(most), abs=1e-6)
    tail = 2 * mechanisms.geometric_law(sensitivity, epsilon).sf(np.rint(most) - np.arange(2))
    assert tail[0] <= beta / published * (1 + 1e-9)
    assert tail[1] > beta / published or most == 0


def test_unreleasable_tables_are_refused():
    rng = np.random.default_rng(0)
    for release in (noisy_counts, public_margin_counts):
        with pytest.raises(ValueError, match="counts=-1"):
            release(TEN - 1, 1.0, rng)
        with pytest.raises(ValueError, match="batch of tables"):
            release(np.stack([TEN, TEN]), 1.0, rng)
        with pytest.raises(ValueError, match="epsilon=0"):
            release(TEN, 0, rng)
        with pytest.raises(ValueError, match="rng=None"):
            release(TEN, 1.0, None)
        with pytest.raises(ValueError, match="epsilon=1e-16"):
            release(TEN, 1e-16, rng)
    with pytest.raises(ValueError, match="noise='gaussian'"):
        public_margin_counts(TEN, 1.0, rng, noise="gaussian")
    with pytest.raises(ValueError, match=r"counts=2.5: not a whole number"):
        public_margin_counts(TEN + 0.5, 1.0, rng)
    for slack in (np.ones(3), np.ones((2, 3)), np.ones((5, 2, 2)), np.nan):
        with pytest.raises(ValueError, match="slack="):
            lift_unusable(np.stack([TEN, TEN]), slack)


@pytest.mark.parametrize("k", [3, 5])
def test_more_groups_get_noise_of_scale_2_over_epsilon_before_the_projection(k):
    """One changed A moves two cells, so the scale is 2 / epsilon; the same generator state gives the same noise here and there."""
    counts = np.random.default_rng(k).integers(0, 30, (2, k, 2))
    noisy = mechanisms.laplace(counts, 2, 0.5, np.random.default_rng(1), 50)
    expected = _nearest_with_sum(np.moveaxis(noisy, -2, -1), counts.sum(axis=-2).astype(float))
    released = public_margin_counts(counts, 0.5, np.random.default_rng(1), 50, noise="laplace", as_printed=True)
    assert released == pytest.approx(np.moveaxis(expected, -1, -2))


@pytest.mark.parametrize("release", [noisy_counts, partial(public_margin_counts, noise="laplace")])
def test_noise_for_people_is_not_added_to_frequencies(release):
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=r"counts=1.0: is the sum of the entries: fewer than two people.*multiply by m"):
        release(LARGE / LARGE.sum(), 1.0, rng)
    assert rng.bit_generator.state == before
    # expected numbers, and one person, are fine
    for people in (LARGE + 0.25, np.full((2, 2, 2), 0.25), [[[1, 0], [0, 0]], [[0, 0], [0, 0]]]):
        assert release(people, 1.0, rng).shape == (2, 2, 2)


def test_two_people_whose_sum_is_rounded_are_two():
    """As noise and a projection leave them: a message then would depend on the noise."""
    almost = np.full((2, 2, 2), .25)
    almost[0, 0, 0] -= 2.0**-52
    assert almost.sum() < 2
    assert public_margin_counts(almost, 1.0, np.random.default_rng(0), noise="laplace").sum() == pytest.approx(2)


@pytest.mark.parametrize("slack", [paper_slack, main_text_slack, margin_slack])
@pytest.mark.parametrize("m, epsilon", [(1994, 1.0), (1994, 1e-3), (10, 0.1)])
def test_slacks_refuse_people(slack, m, epsilon):
    counts = LARGE if m == 1994 else np.asarray(TEN)
    with pytest.raises(ValueError, match=f"q={float(m)}: is the sum of the entries.*divide by m"):
        slack(counts, m, epsilon, 0.05)
    with pytest.raises(ValueError, match="divide by m"):
        slack(np.stack([counts / m, counts]), m, epsilon, 0.05)
    assert (slack(counts / m, m, epsilon, 0.05) >= 0).all()


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_printed_slacks_refuse_noisy_people_and_take_noisy_frequencies(epsilon):
    """1,000 draws: at m = 1994 noise cannot have made 1 of m, nor the other way round (chance below 1e-30 a draw)."""
    noisy = noisy_counts(LARGE, epsilon, np.random.default_rng(12), size=1000)
    for slack in (paper_slack, main_text_slack):
        slack(noisy / 1994, 1994, epsilon, 0.05)
        for one in noisy[:50]:
            with pytest.raises(ValueError, match="divide by m"):
                slack(one, 1994, epsilon, 0.05)
    for loud in (0.02, 1e-6):                                      # where it could have, nothing is refused
        paper_slack(noisy_counts(LARGE, loud, np.random.default_rng(13), size=1000) / 1994, 1994, loud, 0.05)


def test_printed_slacks_take_what_noise_may_make_with_a_chance_above_1e_30():
    """Ten people at epsilon 1: eight noises that add up to 78 scales, as the difference of two Gamma(8) variables does once in 1e28."""
    chance, _ = integrate.quad(lambda g: stats.gamma.pdf(g, 8) * stats.gamma.sf(78 + g, 8), 0, 60, epsabs=0)
    assert 1e-30 < chance < 1e-26
    noisy = TEN / 10
    noisy[0, 0, 0] += 78 * 0.2
    for slack in (paper_slack, main_text_slack):
        assert (slack(noisy, 10, 1.0, 0.05) >= 0).all()
        with pytest.raises(ValueError, match="divide by m"):
            slack(noisy * 10, 10, 1.0, 0.05)
