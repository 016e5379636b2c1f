"""The K-norm mechanism: the norm, the number of its points, exact law and variance, privacy by exact loss; a broken one is caught."""
from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

from dpfair_teach import fairness, mechanisms
from dpfair_teach.audit import audit_scalar, exact_epsilon
from dpfair_teach.mechanisms.k_norm import _sum_of_squares
from dpfair_teach.postprocessing import (
    DPPostProcessing,
    bins_slack,
    k_norm_counts,
    k_norm_probability,
    k_norm_variance,
    margin_slack,
    public_margin_counts,
)
from dpfair_teach.postprocessing.noisy_tables import nearest_whole
from dpfair_teach.postprocessing.slacks import k_norm_limit, k_norm_tail, positive_sum_tail
from faults import Mutant, calling, scaled, with_arguments

THREE = np.array([[[40, 11], [22, 7], [3, 30]], [[0, 20], [15, 25], [4, 0]]])


def points(k, most):
    """All whole-number vectors of sum 0 with entries up to ``most`` in absolute value."""
    box = np.array(list(product(range(-most, most + 1), repeat=k)))
    return box[box.sum(axis=1) == 0]


def norm(x):
    return np.maximum(x, 0).sum(axis=-1)


# ---------------------------------------------------------------------------------------------------- the norm and its points

@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_norm_is_the_gauge_of_the_hull_of_all_changes(k):
    """Least total weight of changes e_i - e_j that make x, by a linear program, for every small x."""
    changes = np.array([np.eye(k)[i] - np.eye(k)[j] for i in range(k) for j in range(k) if i != j])
    for x in points(k, 2):
        gauge = optimize.linprog(np.ones(len(changes)), A_eq=changes.T, b_eq=x, method="highs").fun
        assert gauge == pytest.approx(norm(x)) and norm(x) == np.abs(x).sum() / 2


@pytest.mark.parametrize("k", [3, 4])
def test_every_change_of_one_a_has_norm_one(k):
    """Exhaustive over all A of 5 people and all changes of one entry: inside each (yhat, y) the difference has norm 1 or 0."""
    rng = np.random.default_rng(k)
    prediction, Y = rng.integers(0, 3, 5), rng.integers(0, 2, 5)
    seen = set()
    for A in product(range(k), repeat=5):
        counts = fairness.cell_counts(prediction, A, Y, k, n_bins=3)
        for i in range(5):
            for other in range(k):
                change = fairness.cell_counts(prediction, [*A[:i], other, *A[i + 1:]], Y, k, n_bins=3) - counts
                seen.add((int(norm(np.moveaxis(change, 1, -1)).sum()), int(np.abs(change).sum())))
    assert seen == {(0, 0), (1, 2)}


def number_of_points(k, n):
    """By the signs: j positive entries cut n into parts of at least 1, the others cut it into parts that may be 0."""
    return 1 if n == 0 else sum(math.comb(k, j) * math.comb(n - 1, j - 1) * math.comb(n + k - j - 1, k - j - 1) for j in range(1, k))


@pytest.mark.parametrize("k", range(2, 13))
def test_the_number_of_points_and_its_generating_function(k):
    """(1 - r)^d sum_n c_n r^n = sum_i C(d,i)^2 r^i, coefficient by coefficient up to 60; for three groups c_n = 6 n."""
    d = k - 1
    c = [number_of_points(k, n) for n in range(61)]
    for n in range(61):
        coefficient = sum((-1) ** i * math.comb(d, i) * c[n - i] for i in range(min(n, d) + 1))
        assert coefficient == (math.comb(d, n) ** 2 if n <= d else 0)
    if k == 3:
        assert c[1:] == [6 * n for n in range(1, 61)]
    if k <= 4:
        at = norm(points(k, 4))
        assert [int((at == n).sum()) for n in range(5)] == c[:5]


@pytest.mark.parametrize("k, most", [(2, 6), (3, 5), (4, 3)])
def test_squares_over_all_points_of_a_norm(k, most):
    x = points(k, most)
    for n in range(most + 1):
        assert _sum_of_squares(k, n) == (x[norm(x) == n] ** 2).sum()


# ---------------------------------------------------------------------------------------------------------------- the law

@pytest.mark.parametrize("k, epsilon, most", [(2, 0.4, 100), (3, 0.8, 45), (4, 1.5, 14)])
def test_the_law_sums_to_one_and_its_variance_is_as_stated(k, epsilon, most):
    x = points(k, most)
    law = k_norm_probability(x, epsilon)
    assert law.sum() == pytest.approx(1, abs=1e-6)
    assert (law * x[:, 0] ** 2).sum() == pytest.approx(k_norm_variance(k, epsilon), rel=1e-4)
    assert k_norm_probability(np.eye(k, dtype=int), epsilon).tolist() == [0] * k        # the sum is public


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3.0])
def test_two_groups_are_the_two_sided_geometric(epsilon):
    law, at = mechanisms.geometric_law(1, epsilon), np.arange(-30, 31)
    assert k_norm_probability(np.stack([at, -at], axis=1), epsilon) == pytest.approx(law.pmf(at))
    assert k_norm_variance(2, epsilon) == pytest.approx(law.var())


@pytest.mark.parametrize("k", [2, 3, 4, 5, 8, 20, 100])
def test_the_variance_at_small_epsilon_is_the_continuous_one(k):
    """4 (k-1)(2k-1) / (k (k+1)): 10/3 for three groups, against 16/3 for projected Laplace noise and 8 for unprojected."""
    limit = 4 * (k - 1) * (2 * k - 1) / (k * (k + 1))
    assert k_norm_variance(k, 1e-6) * 1e-12 == pytest.approx(limit, rel=1e-5)
    # norm ~ Gamma(d); j positive entries have weights C(k,j) / (j-1)! (k-j-1)!; parts of a uniform cut have mean square 2 / (j (j+1))
    weight = [math.comb(k, j) * math.comb(k - 2, j - 1) for j in range(1, k)]
    squares = [Fraction(2, j + 1) + Fraction(2, k - j + 1) for j in range(1, k)]
    mean = sum(w * s for w, s in zip(weight, squares, strict=True)) / sum(weight)
    assert float((k - 1) * mean) == pytest.approx(limit)                                # E[norm^2] = d (d + 1), shared by k entries
    assert limit <= 8 * (1 - 1 / k) and (k == 2 or limit < 8 * (1 - 1 / k))


@pytest.mark.parametrize("k", [3, 4, 5, 8, 20, 50, 100])
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 0.25, 1.0, 2.0, 5.0, 10.0])
def test_its_variance_is_below_every_rivals(k, epsilon):
    """Laplace and geometric noise of sensitivity 2, projected on the public sum (1 - 1/k of the variance): so it is the default."""
    mine = k_norm_variance(k, epsilon)
    assert mine < (1 - 1 / k) * mechanisms.geometric_law(2, epsilon).var()
    assert mine < (1 - 1 / k) * mechanisms.laplace_law(2, epsilon).var()


@pytest.mark.parametrize("k, epsilon", [(3, 0.6), (4, 1.0)])
def test_privacy_by_exact_loss(k, epsilon):
    """Every neighbour of every output that matters: the loss is epsilon at most, and epsilon is reached."""
    outputs = points(k, 6)
    law = k_norm_probability(outputs, epsilon)
    losses = []
    for i in range(k):
        for j in range(k):
            if i != j:
                moved = np.eye(k, dtype=int)[i] - np.eye(k, dtype=int)[j]
                other = k_norm_probability(outputs - moved, epsilon)
                losses.append(np.log(law / other))
                rest = [np.append(p, 1 - p.sum()) for p in (law, other)]                # all other outputs as one
                assert exact_epsilon(*rest) == pytest.approx(epsilon)
    assert np.abs(losses).max() == pytest.approx(epsilon)


def test_noise_of_half_the_size_is_caught():
    """The law with exponent 2 epsilon, claimed to be epsilon-private: the exact loss says twice the claim. So do draws of it."""
    outputs, moved = points(3, 6), np.array([1, -1, 0])
    law, other = (k_norm_probability(outputs - shift, 2 * 0.6) for shift in (0, moved))
    assert exact_epsilon(*(np.append(p, 1 - p.sum()) for p in (law, other))) == pytest.approx(1.2)
    counts = np.full((2, 3, 2), 50)
    halved = k_norm_counts(counts, 1.2, np.random.default_rng(0), 20_000) - counts
    assert not same_law(np.moveaxis(halved, -2, -1).reshape(-1, 3), 0.6)


@pytest.mark.parametrize("factor, verdict", [(1.0, "consistent"), (2.0, "refuted")])
def test_an_audit_of_draws_refutes_noise_of_half_the_size_only(factor, verdict):
    """A person goes from group 0 to group 2; statistic: her two counts' difference; 2 * 60,000 runs, alpha = 1e-9, claim 1."""
    rng, counts = np.random.default_rng(4), np.full((2, 3, 2), 50)
    moved = counts.copy()
    moved[0, :, 1] += [-1, 0, 1]
    runs = [k_norm_counts(table, factor * 1.0, rng, 60_000)[:, 0, :, 1] for table in (counts, moved)]
    result = audit_scalar(*((run[:, 0] - run[:, 2]).astype(float) for run in runs), rng, alpha=1e-9, claimed_epsilon=1.0)
    assert (result.verdict == "refuted") == (verdict == "refuted")
    if factor == 1.0:
        assert 0.6 < result.lower_bound <= 1.0          # the bound is not empty: the attack comes near what is allowed


def same_law(sample, epsilon, most=2, alpha=1e-9):
    """Chi-square of the points with entries up to ``most``, all others together; expected numbers at least 5."""
    k = sample.shape[1]
    x = points(k, most)
    expected = len(sample) * k_norm_probability(x, epsilon)
    expected = np.append(expected, len(sample) - expected.sum())
    inside = (np.abs(sample) <= most).all(axis=1)
    weights = (2 * most + 1) ** np.arange(k)
    found = np.bincount((sample[inside] + most) @ weights, minlength=(2 * most + 1) ** k)[(x + most) @ weights]
    observed = np.append(found, len(sample) - inside.sum())
    assert expected.min() >= 5
    return ((observed - expected) ** 2 / expected).sum() <= stats.chi2.isf(alpha, len(expected) - 1)


@pytest.mark.parametrize("k, epsilon", [(2, 0.5), (3, 0.5), (3, 2.0), (4, 1.0), (5, 1.3)])
def test_draws_have_the_law(k, epsilon):
    """n = 4 * 25,000 vectors, alpha = 1e-9; sums are 0; every group's variance within 5 % of the exact one."""
    counts = np.full((2, k, 2), 30)
    noise = np.moveaxis(k_norm_counts(counts, epsilon, np.random.default_rng(k), 25_000) - counts, -2, -1).reshape(-1, k)
    assert (noise.sum(axis=1) == 0).all() and noise.dtype.kind == "i"
    assert same_law(noise, epsilon)
    assert noise.var(axis=0) == pytest.approx(np.full(k, k_norm_variance(k, epsilon)), rel=0.05)


@pytest.mark.parametrize("k, epsilon", [(2, 1.0), (3, 1.0), (4, 1.5)])
def test_exact_draws_have_the_law(k, epsilon):
    """n = 4 * 600 vectors, alpha = 1e-9; noise of 1 / 1.4 the size fails the same test."""
    counts = np.full((2, k, 2), 30)
    noise = np.moveaxis(k_norm_counts(counts, epsilon, np.random.default_rng(k), 600, exact=True) - counts, -2, -1).reshape(-1, k)
    assert (noise.sum(axis=1) == 0).all() and same_law(noise, epsilon, most=1)
    assert not same_law(noise, 1.4 * epsilon, most=1)


def test_many_groups_and_loud_noise():
    """50 groups; an epsilon of 1e-9: nothing overflows, the sums are kept, the norms are as large as they should be."""
    counts = np.full((2, 50, 2), 100)
    noise = k_norm_counts(counts, 0.5, np.random.default_rng(0), 500) - counts
    assert (noise.sum(axis=-2) == 0).all() and noise.var() == pytest.approx(k_norm_variance(50, 0.5), rel=0.05)
    loud = k_norm_counts(np.full((2, 3, 2), 100), 1e-9, np.random.default_rng(0), 500) - 100
    assert (loud.sum(axis=-2) == 0).all() and loud.var() * 1e-18 == pytest.approx(10 / 3, rel=0.1)
    assert (k_norm_counts(THREE, 1e3, np.random.default_rng(0), 100) == THREE).all()


# ------------------------------------------------------------------------------------------------------------ afterwards

@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_nearest_table_by_trying_all(k):
    rng = np.random.default_rng(k)
    for _ in range(100):
        total = int(rng.integers(0, 6))
        true = rng.multinomial(total, np.ones(k) / k)
        x = true + rng.permutation(points(k, 4))[0]
        found = nearest_whole(x[None], np.array([total]))[0]
        every = np.array([p for p in product(range(total + 1), repeat=k) if sum(p) == total])
        assert found.sum() == total and (found >= 0).all() and found.dtype.kind == "i"
        assert ((found - x) ** 2).sum() == ((every - x) ** 2).sum(axis=1).min()
        assert norm(found - true) <= norm(x - true)            # it never leads further away, and so no entry moves by more
        assert np.abs(found - true).max() <= norm(x - true)


def test_public_margins_of_more_groups_use_it():
    drawn = public_margin_counts(THREE, 0.3, np.random.default_rng(1), 200)
    noisy = np.moveaxis(k_norm_counts(THREE, 0.3, np.random.default_rng(1), 200), -2, -1)
    assert (np.moveaxis(drawn, -2, -1) == nearest_whole(noisy, THREE.sum(axis=-2))).all()
    assert (drawn >= 0).all() and (drawn == np.rint(drawn)).all() and (drawn.sum(axis=-2) == THREE.sum(axis=-2)).all()
    named = public_margin_counts(THREE, 0.3, np.random.default_rng(1), 200, noise="k_norm")
    assert (named == drawn).all()
    error = {noise: ((public_margin_counts(THREE, 0.5, np.random.default_rng(2), 4000, noise=noise) - THREE) ** 2).mean()
             for noise in ("k_norm", "laplace", "geometric")}
    assert error["k_norm"] < 0.85 * min(error["laplace"], error["geometric"])


def test_two_groups_by_any_noise_in_whole_numbers():
    """k_norm and geometric: one law, clipped. n = 4 * 5,000, Hoeffding for P(group 1's count is right)."""
    counts = np.array([[[40, 11], [22, 7]], [[10, 20], [15, 25]]])
    right = math.tanh(0.5)
    for noise, n in (("k_norm", 5000), ("geometric", 5000)):
        drawn = public_margin_counts(counts, 1.0, np.random.default_rng(3), n, noise=noise)
        assert (drawn.sum(axis=-2) == counts.sum(axis=-2)).all() and (drawn >= 0).all()
        assert abs((drawn[:, :, 1] == counts[:, 1]).mean() - right) <= math.sqrt(math.log(2e9) / (8 * n))


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [1e-9, 0.05, 0.5, 5.0])
def test_the_slack_is_the_smallest_that_the_union_allows(k, epsilon):
    """2b released vectors; no cell is off by more than the norm of its noise."""
    b, m, beta = 4, 1000, 0.05
    n = k_norm_limit(k, epsilon, beta / (2 * b))
    assert k_norm_tail(k, epsilon, n) <= beta / (2 * b) and (n == 0 or k_norm_tail(k, epsilon, n - 1) > beta / (2 * b))
    q = np.full((b, k, 2), 1 / (2 * b * k))
    for noise in ("k_norm", *([None] if k > 2 else [])):
        slack = margin_slack(q, m, epsilon, beta, noise)
        assert slack[1] == pytest.approx(2 * (b - 1) * n / (m / (2 * k))) and (slack[0] == 0).all()
    if k > 2 and epsilon < 5:
        assert margin_slack(q, m, epsilon, beta, "laplace")[1, 0] > margin_slack(q, m, epsilon, beta, "k_norm")[1, 0]
    elif k == 2:
        assert margin_slack(q, m, epsilon, beta, "k_norm") == pytest.approx(margin_slack(q, m, epsilon, beta, "geometric"), rel=1e-6)


@pytest.mark.parametrize("k, epsilon", [(3, 0.7), (4, 2.0)])
def test_the_tail_of_the_norm(k, epsilon):
    """Summed over the points, norm by norm."""
    r = math.exp(-epsilon)
    total = sum(number_of_points(k, n) * r**n for n in range(400))
    for n in (-1, 0, 1, 5, 12):
        assert k_norm_tail(k, epsilon, n) == pytest.approx(sum(number_of_points(k, i) * r**i for i in range(n + 1, 400)) / total, rel=1e-9)


@pytest.mark.parametrize("b, k", [(2, 3), (4, 3), (3, 4)])
def test_rates_stay_within_the_slack(b, k):
    """2,000 releases: the share of those with any derived gap off by more than the slack is at most beta; p is the worst by signs."""
    rng = np.random.default_rng(b * k)
    counts = rng.integers(20, 60, (b, k, 2))
    m, beta = counts.sum(), 0.2
    noisy = public_margin_counts(counts, 0.5, rng, 2000) / m
    slack = margin_slack(noisy, m, 0.5, beta)
    off = noisy / noisy.sum(axis=1, keepdims=True) - counts / counts.sum(axis=0)        # (2000, b, k, 2)
    most = np.maximum(off, 0).sum(axis=1)                                               # the worst p of one rate, in each direction
    assert most == pytest.approx(np.maximum(-off, 0).sum(axis=1))
    assert ((most[:, 1:] + most[:, :1] > slack[:, 1:]).any(axis=(1, 2))).mean() <= beta


@pytest.mark.parametrize("b", [3, 6, 12])
@pytest.mark.parametrize("k, noise", [(2, "laplace"), (2, "geometric"), (3, "k_norm"), (5, "k_norm")])
def test_the_slack_that_adds_up_first_holds_for_every_p_and_is_smaller(b, k, noise):
    """10,000 releases: the worst p of each rate, among all 0/1 ones by signs, is within the slack but for a share of at most beta."""
    rng, beta, epsilon = np.random.default_rng(b * k), 0.2, 0.5
    counts = rng.integers(40, 90, (b, k, 2))
    m = counts.sum()
    noisy = public_margin_counts(counts, epsilon, rng, 10_000, noise=noise) / m
    slack, other = bins_slack(noisy, m, epsilon, beta, noise), margin_slack(noisy, m, epsilon, beta, noise)
    assert (slack[:, 1:] < other[:, 1:]).all() and (slack[:, 0] == 0).all()
    off = noisy / noisy.sum(axis=1, keepdims=True) - counts / counts.sum(axis=0)
    most = np.maximum(off, 0).sum(axis=1)
    share = (most[:, 1:] + most[:, :1] > slack[:, 1:]).any(axis=(1, 2)).mean()
    assert share <= beta
    if k == 2:          # the event itself is used up: the largest of the four sums passes t for a share near beta
        w = noisy[:, :, 1] * m - counts[:, 1]
        t = slack[:, 1] * m / (1 / noisy[:, :, 0].sum(axis=1) + 1 / noisy[:, :, 1].sum(axis=1))
        passed = np.maximum(np.maximum(w, 0).sum(axis=1), np.maximum(-w, 0).sum(axis=1)) > t + 1e-6
        assert (0.5 if noise == "laplace" else 0.3) * beta < passed.any(axis=1).mean() <= beta + 0.02


@pytest.mark.parametrize("notion", ["equalized_odds", "demographic_parity"])
@pytest.mark.parametrize("k, noise", [(2, "laplace"), (2, "geometric"), (3, "k_norm"), (5, "k_norm")])
@pytest.mark.parametrize("b", [2, 6])
def test_the_slack_that_adds_up_first_is_the_smallest_that_its_sums_allow(b, k, noise, notion):
    """A rate of one label adds up b noises, a rate of acceptance both labels' 2b; together all sums pass t for a share of at most beta.

    Two groups: the positive ones and the negative ones of each; more: the norms, which are above both.
    """
    m, epsilon, beta = 1000, 0.5, 0.05
    one = notion == "demographic_parity"
    slack = bins_slack(np.full((b, k, 2), 1 / (2 * b * k)), m, epsilon, beta, noise, notion=notion)
    assert slack.shape == (k, 1 if one else 2)
    t = slack[1, 0] / (2 / (m / k if one else m / (2 * k)))
    sums, each = (1 if one else 2) * (2 if k == 2 else 1), 2 * b if one else b

    def passed(limit):
        if k > 2:
            return sums * k_norm_tail(k, epsilon, limit, each)
        return sums * positive_sum_tail(each, epsilon, limit, noise != "laplace")

    assert t == pytest.approx(round(t)) or noise == "laplace"
    least, less = (t * (1 + 1e-9), t * (1 - 1e-6)) if noise == "laplace" else (round(t), round(t) - 1)
    assert passed(least) <= beta < passed(less)


@pytest.mark.parametrize("b, epsilon", [(1, 0.7), (3, 0.7), (6, 2.0)])
def test_the_law_of_the_positive_sum(b, epsilon):
    """Convolved by hand: geometric noise exactly; Laplace as the limit of fine geometric noise."""
    law = mechanisms.geometric_law(1, epsilon)
    one = np.append(law.cdf(0), law.pmf(np.arange(1, 120)))
    total = np.ones(1)
    for _ in range(b):
        total = np.convolve(total, one)[:120]
    for n in (0, 1, 4, 11):
        assert positive_sum_tail(b, epsilon, n, True) == pytest.approx(1 - total[:n + 1].sum(), rel=1e-9)
    assert positive_sum_tail(b, 1.0, 2.5, False) == pytest.approx(positive_sum_tail(b, 1e-4, 25_000, True), rel=1e-3)
    assert k_norm_tail(3, epsilon, 4, 2) == pytest.approx(sum(
        (k_norm_tail(3, epsilon, i - 1) - k_norm_tail(3, epsilon, i)) * k_norm_tail(3, epsilon, 4 - i) for i in range(60)), rel=1e-9)


def test_the_slack_that_adds_up_first_needs_noise_that_keeps_sums():
    with pytest.raises(ValueError, match="noise='laplace': with 3 groups the projection mixes this noise"):
        bins_slack(THREE / THREE.sum(), 177, 1.0, 0.05, "laplace")


def test_the_estimator_with_three_groups():
    rng = np.random.default_rng(0)
    score, Y, A = rng.random(600), rng.integers(0, 2, 600), rng.integers(0, 3, 600)

    def fit(**settings):
        model = DPPostProcessing(lambda X: X[:, 0], 1.0, 0.05, method="score_bins", n_bins=4, n_groups=3, **settings)
        return model.fit(score[:, None], Y, sensitive_features=A, rng=np.random.default_rng(1))

    model = fit()
    (release,) = model.releases_
    assert (release.mechanism, release.sensitivity, release.scale, release.epsilon) == ("k_norm", 1, 1, 1.0)
    people = model.q_tilde_ * 600
    assert model.p_.shape == (4, 3) and people == pytest.approx(np.rint(people))
    assert np.isfinite(fit(slack=True).slack_).all()


@pytest.mark.parametrize("make, message", [
    (lambda rng: k_norm_counts(THREE + 0.5, 1, rng), "counts=.*not a whole number of people"),
    (lambda rng: k_norm_counts(THREE / THREE.sum(), 1, rng), "counts="), (lambda rng: k_norm_counts(THREE, 0, rng), "epsilon=0"),
    (lambda rng: k_norm_counts(THREE, 1e10, rng), "epsilon=1"), (lambda rng: k_norm_counts(THREE, 1, 0), "rng=0"),
    (lambda rng: k_norm_counts(THREE, 1, rng, exact=1), "exact=1"), (lambda rng: k_norm_counts([THREE], 1, rng), "counts=.*batch"),
    (lambda rng: k_norm_probability([1], 1), "noise="), (lambda rng: k_norm_probability([0.5, -0.5], 1), "noise=0.5"),
    (lambda rng: k_norm_variance(1, 1), "n_groups=1"), (lambda rng: k_norm_variance(3, -1), "epsilon=-1"),
    (lambda rng: public_margin_counts(THREE + 0.5, 1, rng), "not a whole number of people.*laplace"),
    (lambda rng: public_margin_counts(THREE, 1, rng, noise="gaussian"), "noise='gaussian'"),
    (lambda rng: margin_slack(THREE / THREE.sum(), 177, 1, 0.05, "gaussian"), "noise='gaussian'"),
])
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make(np.random.default_rng(0))


# --- deliberate faults

FAULTS = {
    "k_norm_at_double_epsilon": Mutant(
        "dpfair_teach.postprocessing.k_norm_counts", with_arguments(epsilon=lambda e: 2 * e), "half the noise"),
    "k_norm_law_at_double_epsilon": Mutant(
        "dpfair_teach.postprocessing.k_norm_probability", lambda f: lambda x, e: f(x, 2 * e), "the law of half the noise"),
    "k_norm_variance_a_fifth_less": Mutant("dpfair_teach.postprocessing.k_norm_variance", scaled(0.8), "four fifths of the variance"),
    "bins_slack_halved": Mutant("dpfair_teach.postprocessing.bins_slack", scaled(0.5), "half the slack"),
    "bins_slack_of_half_the_norms": Mutant(
        "dpfair_teach.postprocessing.bins_slack", calling("k_norm_limit", with_arguments(beta=lambda beta: 2 * beta)),
        "more than two groups: the norms of one label may use up beta alone"),
    "bins_slack_of_one_label": Mutant(
        "dpfair_teach.postprocessing.bins_slack", calling("width", lambda f: lambda parity: 2),
        "a rate of acceptance adds up the noises of one label only"),
}
