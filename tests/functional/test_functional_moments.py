"""Moments in one release: how far one tuple moves them by brute force, the law of the noise, and an attack on all that is released."""
from __future__ import annotations

import importlib
import itertools

import numpy as np
import pytest
from scipy import stats
from test_functional_quadratic import drawn, on_grid, without_noise

from dpfair_teach import functional
from dpfair_teach.accounting import UNIT_TUPLE, compose
from dpfair_teach.functional import Moments, moments_l2, release_moments
from dpfair_teach.functional.moments import group_vertices
from dpfair_teach.mechanisms import gaussian_delta
from faults import Mutant

moments = importlib.import_module("dpfair_teach.functional.moments")
GROUPS = (2, 3, 5)


def with_constant(X: np.ndarray) -> np.ndarray:
    """Rows that begin with 1/2 and stay in the ball."""
    return np.column_stack([np.full(len(X), 0.5), np.sqrt(0.75) * X])


def everything(x: np.ndarray, y: int, a: int, k: int | None, g: float) -> np.ndarray:
    """What one tuple adds to the vector that gets the noise, written out."""
    V = group_vertices(k)[a] if k else np.zeros(0)
    off = [np.sqrt(2) * x[j] * x[j2] for j, j2 in itertools.combinations(range(len(x)), 2)]
    return np.concatenate([(y - 0.5) * x, np.outer(V, x).ravel(), g * x**2, g * np.array(off)])


def seeing(seen: list[np.ndarray]):
    """``mechanisms.release`` that writes down the private numbers."""
    real = moments.release

    def release(mechanism, value, rng, **numbers):
        seen.append(np.array(value))
        return real(mechanism, value, rng, **numbers)
    return release


def asked(X, y, A, k) -> np.ndarray:
    """The vector that :func:`release_moments` hands to the mechanism."""
    seen: list[np.ndarray] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(moments, "release", seeing(seen))
        release_moments(X, y, A, 1.0, 1e-6, np.random.default_rng(0), n_groups=k)
    return seen[0]


# ------------------------------------------------------------------------------------------------ the points of the groups
@pytest.mark.parametrize("k", [2, 3, 5, 40])
def test_the_points_of_the_groups_are_a_simplex_with_edges_of_1(k):
    V = group_vertices(k)
    apart = np.linalg.norm(V[:, None] - V[None], axis=-1)
    np.testing.assert_allclose(apart, 1 - np.eye(k), atol=1e-12)
    np.testing.assert_allclose(V.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(1 / k + 2 * V @ V.T, np.eye(k), atol=1e-12)


# ------------------------------------------------------------------------------------------------ the sensitivity
def moves(rng: np.random.Generator, n: int, d: int, k: int | None, g: float) -> float:
    """The largest of n random exchanges of tuples in the ball: drawn rows, long ones, equal ones, opposite ones."""
    x, new = rng.normal(size=(2, n, d))
    x /= np.maximum(np.linalg.norm(x, axis=1), rng.random(n) * 3)[:, None]
    kind = rng.integers(0, 4, n)
    new = np.select([kind[:, None] == 1, kind[:, None] == 2], [x, -x], new)
    near = x + 0.3 * rng.normal(size=x.shape)
    new = np.where(kind[:, None] == 3, near, new)
    new /= np.maximum(np.linalg.norm(new, axis=1), 1.0)[:, None]
    y, a = rng.integers(0, 2, (2, n)), rng.integers(0, k or 1, (2, n))
    V = group_vertices(k) if k else np.zeros((1, 0))
    square = (((y[0] - 0.5)[:, None] * x - (y[1] - 0.5)[:, None] * new)**2).sum(axis=1)
    square += ((V[a[0]][:, :, None] * x[:, None] - V[a[1]][:, :, None] * new[:, None])**2).sum(axis=(1, 2))
    square += g * g * ((x[:, :, None] * x[:, None] - new[:, :, None] * new[:, None])**2).sum(axis=(1, 2))
    return float(np.sqrt(square.max()))


def attained(k: int | None, g: float) -> float:
    """A search over what matters: two unit rows of the plane at an angle, labels and groups equal or not."""
    V = group_vertices(k) if k else np.zeros((1, 0))
    best = 0.0
    for angle in np.linspace(0, np.pi, 501):
        x, new = np.array([1.0, 0.0]), np.array([np.cos(angle), np.sin(angle)])
        for y, a in itertools.product((0, 1), (0, 1) if k else (0,)):
            best = max(best, ((x / 2 - (y - 0.5) * new)**2).sum() + ((np.outer(V[0], x) - np.outer(V[a], new))**2).sum()
                       + g * g * ((np.outer(x, x) - np.outer(new, new))**2).sum())
    return float(np.sqrt(best))


@pytest.mark.parametrize("k", [None, *GROUPS])
def test_the_sensitivity_is_never_exceeded_and_attained(k):
    """5,000 random exchanges for each of four weights, in three numbers of features; and a search finds it within 1e-3."""
    rng = np.random.default_rng(k or 0)
    for factor in (0.5, 1.0, 2.0, 10.0):
        g = functional.moments.free_gram_weight(k) * factor
        bound = moments_l2(k, gram_weight=g)
        for d in (1, 2, 5):
            assert moves(rng, 5000, d, k, g) <= bound + 1e-12
        assert bound - 1e-3 * bound <= attained(k, g) <= bound + 1e-12


@pytest.mark.parametrize("k", [None, *GROUPS])
def test_the_matrix_rides_free_up_to_that_weight_and_not_beyond(k):
    g, without = functional.moments.free_gram_weight(k), moments_l2(k, gram_weight=1e-3)
    assert moments_l2(k) == pytest.approx(without, rel=1e-6) == pytest.approx(moments_l2(k, gram_weight=g))
    assert attained(k, 1.1 * g) > without * (1 + 1e-4), "a larger weight costs something"
    assert moments_l2(k) == pytest.approx(np.sqrt(1 + 2 * (1 - 1 / (k or 1))))


def test_2_8_times_less_noise_on_the_matrix_than_among_the_coefficients():
    """The coefficient of w_j^2 is x_j^2 / 8: noise of 1 on it is 8 on x_j^2, against 1 / sqrt(1/8)."""
    assert 8 * functional.moments.free_gram_weight() == pytest.approx(2.8, abs=0.03)


# ------------------------------------------------------------------------------------------------ what is released
@pytest.mark.parametrize("k", [None, *GROUPS])
def test_the_vector_that_gets_the_noise_person_by_person(k):
    X, y, A = drawn(300, k=k or 2)
    X = with_constant(X)
    hand = sum(everything(x, label, a, k, functional.moments.free_gram_weight(k)) for x, label, a in zip(on_grid(X), y, A, strict=True))
    found = asked(X, y, A if k else None, k)
    d, q = X.shape[1], k or 1
    order = np.argsort([j * d + j2 for j, j2 in [*((j, j) for j in range(d)), *itertools.combinations(range(d), 2)]])
    np.testing.assert_allclose(found, np.r_[hand[:q * d], hand[q * d:][order]], atol=1e-10)


@pytest.mark.parametrize("k", GROUPS)
def test_without_noise_the_covariances_and_sizes_are_those_counted_by_hand(k, monkeypatch):
    X, y, A = drawn(400, k=k)
    X = on_grid(with_constant(X))
    monkeypatch.setattr(moments, "release", without_noise)
    told, _ = release_moments(X, y, A, 1.0, 1e-6, np.random.default_rng(0), n_groups=k)
    hand = np.zeros((k, X.shape[1]))
    for a in range(k):
        share = sum(A == a) / len(A)
        for x, group in zip(X, A, strict=True):
            hand[a] += ((group == a) - share) * x
    np.testing.assert_allclose(told.covariances(), hand[1:] if k == 2 else hand, atol=1e-10)
    np.testing.assert_allclose(told.sizes()[0], np.bincount(A, minlength=k), atol=1e-9)
    np.testing.assert_allclose(told.group_sums(), [X[A == a].sum(axis=0) for a in range(k)], atol=1e-9)
    np.testing.assert_allclose(told.total(), X.sum(axis=0), atol=1e-9)
    f = functional.log_loss_quadratic(X, y)
    np.testing.assert_allclose(told.objective().b, f.b, atol=1e-10)
    np.testing.assert_allclose(told.objective().H, f.H, atol=1e-10)
    if k == 2:
        np.testing.assert_allclose(told.covariances()[0], functional.covariance_vector(X, A), atol=1e-10)


@pytest.mark.slow
def test_the_noise_has_the_stated_deviations():
    """Kolmogorov and Smirnov's distance of 4,000 releases, each of its numbers divided by its deviation, from the standard normal law: by
    Dvoretzky, Kiefer, Wolfowitz and Massart above sqrt(ln(2 / alpha) / 2n) with probability alpha = 1e-9 at most, for each of five parts;
    n = 4,000 of the smallest."""
    X, y, A = drawn(60, d=2, k=3)
    X, rng = on_grid(with_constant(X)), np.random.default_rng(5)
    parts: dict[str, list] = {name: [] for name in ("label", "group", "diagonal", "beside", "size")}
    true = X.T @ (y - 0.5), np.stack([X[A == a].sum(axis=0) for a in range(3)]), X.T @ X
    vertices = group_vertices(3).T @ true[1]
    for _ in range(4000):
        told, release = release_moments(X, y, A, 1.0, 1e-6, rng, n_groups=3)
        s = release.scale
        assert told.sigma == s and told.gram_weight == functional.moments.free_gram_weight(3)
        assert told.gram_deviation() == s / told.gram_weight
        parts["label"].append((told.by_label - true[0]) / s)
        parts["group"].append(((told.by_group - vertices) / s).ravel())
        off = (told.gram - true[2]) / told.gram_deviation()
        assert np.array_equal(told.gram, told.gram.T)
        parts["diagonal"].append(np.diag(off))
        parts["beside"].append(np.sqrt(2) * off[np.triu_indices(3, 1)])
        sizes, deviation = told.sizes()
        parts["size"].append([(sizes[1] - (A == 1).sum()) / deviation])
    for name, drawn_numbers in parts.items():
        numbers = np.concatenate(drawn_numbers)
        assert stats.kstest(numbers, "norm").statistic < (allowed := np.sqrt(np.log(2 / 1e-9) / 2 / len(numbers))), name
        assert name == "size" or stats.kstest(0.8 * numbers, "norm").statistic > allowed, "a fifth less noise would be seen"


def test_the_record_says_what_was_run_and_costs_what_was_asked():
    X, y, A = drawn(100)
    for epsilon, delta in ((0.1, 1e-9), (1.0, 1e-6), (20.0, 1e-3)):
        _, release = release_moments(with_constant(X), y, A, epsilon, delta, np.random.default_rng(0))
        assert release.unit == UNIT_TUPLE and release.sensitivity == moments_l2(2) + 2.0**-49 * 2 * 100
        assert gaussian_delta(release.sensitivity, release.scale, epsilon) == pytest.approx(delta, rel=1e-6)
        assert compose([release], delta) == pytest.approx(epsilon, rel=1e-4)


# ------------------------------------------------------------------------------------------------ an attack
ROWS = [np.array([0.5, *np.sqrt(0.75) * np.array(v)]) for v in ((1, 0), (-1, 0), (0, 1), (0, -1), (0.6, 0.8), (0.3, -0.2), (0, 0))]
FREE_ROWS = [np.array(v, dtype=float) for v in ((1, 0), (-1, 0), (0, 1), (0.6, 0.8), (-0.8, 0.6), (0.5, 0), (0, 0))]


def worst_ratio(rows: list[np.ndarray], k: int | None, longer: float = 1.0, heavier: float = 1.0) -> float:
    """Over all pairs of neighbours of three people, the tuples from a small list, and through the library's own code: how far the vector
    that gets the noise moves, in deviations of its noise, over the ratio for which the noise was made. Two of the three stay the same.

    ``longer``: rows are that much too long, and nobody refuses them. ``heavier``: the matrix is asked about that much more loudly, at the
    noise of the free weight."""
    tuples = [(longer * x, y, a) for x in rows for y in (0, 1) for a in range(k or 1)]
    others = [(rows[0], 1, 0), (rows[2], 0, (k or 1) - 1)]
    seen, said = [], []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(moments, "release", seeing(seen))
        if longer != 1:
            patched.setattr(moments, "in_domain", lambda X, y, domain: (np.trunc(X * 2.0**25) / 2.0**25, np.asarray(y)))
        if heavier != 1:
            weight, sensitivity = moments.free_gram_weight, moments.moments_l2
            patched.setattr(moments, "moments_l2", lambda k=None, *, gram_weight=None: sensitivity(k, gram_weight=weight(k)))
            patched.setattr(moments, "free_gram_weight", lambda k=None: heavier * weight(k))
        patched.setattr(moments, "_constant", lambda X: 0.5)
        for mine in tuples:
            people = [mine, *others]
            _, release = release_moments(np.array([x for x, _, _ in people]), [y for _, y, _ in people],
                                         [a for _, _, a in people] if k else None, 1.0, 1e-6, np.random.default_rng(0),
                                         n_groups=k)
            said.append(release)
    far = max(np.linalg.norm(one - other) for one, other in itertools.combinations(seen, 2))
    return float(far / said[0].scale) / (said[0].sensitivity / said[0].scale)


@pytest.mark.parametrize("k", [None, *GROUPS])
def test_no_neighbour_is_further_off_than_the_noise_is_made_for(k):
    """The whole released vector is one Gaussian answer: its exact privacy is the ratio of the largest shift to the deviation. Every pair of
    neighbours of the list stays below; and the two broken variants do not."""
    for rows in (ROWS, FREE_ROWS):
        assert worst_ratio(rows, k) <= 1
    assert worst_ratio(FREE_ROWS, k) > 0.99, "two opposite rows, of one label and group"
    assert worst_ratio(FREE_ROWS, k, longer=1.2) > 1.15
    assert worst_ratio(FREE_ROWS, k, heavier=2.0) > 1.05


def test_rows_that_are_longer_are_refused():
    X, y, A = drawn(50)
    for wrong in (1.2 * X / np.linalg.norm(X, axis=1, keepdims=True), np.full((50, 2), 0.8)):
        with pytest.raises(ValueError, match=r"^X=1\.\d+: is the norm of a row, and the noise is for rows of norm at most 1\."):
            release_moments(wrong, y, None, 1.0, 1e-6, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^X\[:, 0\]=\(.*: is not one positive number for everybody.*Put a constant column first, or "):
        release_moments(X, y, A, 1.0, 1e-6, np.random.default_rng(0))


def test_what_asks_for_a_constant_or_groups_says_so():
    X, y, _ = drawn(50)
    told, _ = release_moments(X, y, None, 1.0, 1e-6, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^by_group=None: no group was asked about\. Give A"):
        told.covariances()
    with pytest.raises(ValueError, match=r"^constant=0\.0: no feature is the same for everybody.*Put a constant column first"):
        told.total()
        told.denoised_gram()
    with pytest.raises(ValueError, match=r"^gram=\(2, 2\): is not symmetric"):
        Moments(3, 0.5, np.zeros(2), np.zeros((1, 2)), [[0, 1], [0, 0]], 1.0, 1.0)


# ------------------------------------------------------------------------------------------------ the matrix, denoised
def test_hardly_any_noise_leaves_the_matrix_and_a_lot_leaves_the_diagonal():
    X, y, A = drawn(4000, d=6)
    X = with_constant(X)
    told, _ = release_moments(X, y, A, 900.0, 0.1, np.random.default_rng(0))
    np.testing.assert_allclose(told.denoised_gram(), X.T @ X, atol=0.01 * len(X) / 10)
    loud, _ = release_moments(X, y, A, 0.01, 1e-9, np.random.default_rng(0))
    found, mean = loud.denoised_gram(), loud.total() / loud.m
    assert np.linalg.eigvalsh(found)[0] > 0
    left = found - loud.m * np.outer(mean, mean)
    assert np.abs(left[0]).max() < 1e-9 * np.abs(found).max()           # the constant's own row is that of the means
    left = left[1:, 1:]
    own = np.maximum(np.diag(loud.gram - loud.m * np.outer(mean, mean))[1:], 0)
    np.testing.assert_allclose(left, np.diag(own + 2 * loud.gram_deviation()), atol=1e-9 * own.max())


def test_noise_alone_has_eigenvalues_up_to_about_the_edge():
    """Of 200 features one matrix: within 10 percent. What is below the edge is set to 0, so hardly anything of pure noise is left."""
    rng, d = np.random.default_rng(0), 200
    noise = rng.normal(size=(d, d)) / np.sqrt(2)
    noise = np.triu(noise, 1) + np.triu(noise, 1).T
    assert np.abs(np.linalg.eigvalsh(noise)).max() == pytest.approx(np.sqrt(2 * d), rel=0.1)
    told = Moments(100, 0.5, np.zeros(d + 1), None, np.pad(noise, (1, 0)) + np.diag(np.full(d + 1, 30.0)), 1.0, 1.0)
    left = told.denoised_gram()[1:, 1:]
    assert np.abs(left - np.diag(np.diag(left))).max() < 0.1 * np.abs(noise).max()


def test_what_stands_out_of_the_noise_is_shrunk_by_what_noise_had_added():
    """Five pairs of features: beside the diagonal a covariance of l makes the eigenvalues l and -l, and of 10 features the edge is at
    sqrt(20) deviations. sqrt(l^2 - edge^2) is left: a 22nd of l just above the edge, 0.94 of it at three times the edge."""
    deviation, own = 2.0, 1000.0
    edge = np.sqrt(20) * deviation
    covariance = edge * np.array([0.5, 0.999, 1.001, 1.25, 3.0])
    gram = np.diag(np.r_[1000 * 0.25, np.full(10, own)])
    one, other = np.arange(1, 10, 2), np.arange(2, 11, 2)
    gram[one, other] = gram[other, one] = covariance
    found = Moments(1000, 0.5, np.zeros(11), None, gram, 1.0, 0.5).denoised_gram()
    left = np.array([0.0, 0.0, np.sqrt(1.001**2 - 1), 0.75, np.sqrt(8)]) * edge
    gram[one, other] = gram[other, one] = left
    np.testing.assert_allclose(found, gram + np.diag(np.r_[0.0, np.full(10, 2 * deviation)]), atol=1e-9)


@pytest.mark.slow
def test_to_take_a_long_mean_row_off_adds_noise():
    """Everybody alike, so all is noise. What chapter 23 says: 2.6 deviations of a variance, and eigenvalues of 1.2 edges, at most."""
    for mean in (0.0, 0.5, 0.866):
        X = np.tile([0.5, mean], (1000, 1))
        found = []
        for seed in range(600):
            told, _ = release_moments(X, np.zeros(1000, int), np.arange(1000) % 2, 1.0, 1e-6, np.random.default_rng(seed))
            centre = told.total() / told.m
            found.append((told.gram - told.m * np.outer(centre, centre))[1, 1] / told.gram_deviation())
        assert np.std(found) == pytest.approx(np.sqrt(1 + 8 * mean**2), rel=0.12) and np.std(found) < 2.9
    X = np.tile(np.r_[0.5, np.full(100, 0.0866)], (1000, 1))
    most = []
    for seed in range(10):
        told, _ = release_moments(X, np.zeros(1000, int), np.arange(1000) % 2, 1.0, 1e-6, np.random.default_rng(seed))
        centre = told.total() / told.m
        C = (told.gram - told.m * np.outer(centre, centre))[1:, 1:]
        most.append(np.abs(np.linalg.eigvalsh(C - np.diag(np.diag(C)))).max() / (np.sqrt(200) * told.gram_deviation()))
    assert 1.1 < np.mean(most) < 1.2


def test_the_faults_of_the_denoised_matrix_are_the_function_but_for_the_fault():
    rng = np.random.default_rng(0)
    told = Moments(1000, 0.5, np.zeros(20), None, 30 * np.cov(rng.normal(size=(20, 40))) + np.diag(np.full(20, 9.0)), 1.0, 0.5)
    np.testing.assert_allclose(_denoised()(told), told.denoised_gram(), atol=1e-9)


@pytest.mark.parametrize("d", [2, 3, 10, 77, 300])
def test_the_denoised_matrix_is_symmetric_to_the_last_bit(d):
    rng = np.random.default_rng(d)
    for signal in (0.0, 0.1, 10.0):
        root, noise = rng.normal(size=(d, 2 * d)), rng.normal(size=(d, d))
        told = Moments(1000, 0.5, np.zeros(d), None, signal * root @ root.T + noise + noise.T, 1.0, 0.5)
        found = told.denoised_gram()
        assert (found == found.T).all() and np.linalg.eigvalsh(found[1:, 1:])[0] > 0


def _denoised(edge_times=1.0, diagonal=True, shrinks=True):
    """The function with the edge moved, without the features' own variances, or without the shrinking; with none of these it is itself."""
    def faulty(moments):
        edge, least = np.sqrt(2 * (len(moments.gram) - 1)) * moments.gram_deviation(), 2 * moments.gram_deviation()
        mean = moments.total() / moments.m
        C = (moments.gram - moments.m * np.outer(mean, mean))[1:, 1:]
        own = np.maximum(np.diag(C), 0.0) * diagonal
        values, vectors = np.linalg.eigh(C - np.diag(np.diag(C)))
        edge *= edge_times
        kept = np.where(np.abs(values) > edge, np.sign(values) * np.sqrt(np.maximum(values**2 - shrinks * edge**2, 0.0)), 0.0)
        values, vectors = np.linalg.eigh(np.diag(own) + (vectors * kept) @ vectors.T)
        found = moments.m * np.outer(mean, mean)
        found[1:, 1:] += (vectors * (np.maximum(values, 0.0) + least)) @ vectors.T
        return found
    return faulty


VALID_CALLS = {
    "functional.moments_l2": lambda: dict(n_groups=3, gram_weight=1.0),
    "functional.Moments": lambda: dict(m=50, constant=0.5, by_label=[3.0, 1.0], by_group=[[4.0, 0.5]], gram=[[12.5, 2.0], [2.0, 9.0]],
                                       sigma=3.0, gram_weight=0.5),
    "functional.release_moments": lambda: dict(X=[[0.5, 0.3], [0.5, -0.3], [0.5, 0.1]], y=[1, 0, 0], A=[0, 1, 1], epsilon=1.0, delta=1e-6,
                                               rng=np.random.default_rng(1), n_groups=2),
}


def _released(people, A, rng):
    """Rows, labels and groups are all the ones of A: the whole person is private here."""
    X = with_constant(functional.shorten_rows(people.X + 0.5 * np.asarray(A)[:, None], 4.0))
    return release_moments(X, (people.X[:, 0] > 0) ^ (np.asarray(A) == 1), A, 2.0, 1e-6, rng)


PRIVATE_FITS = {"functional.release_moments": _released}

FAULTS = {
    "denoised_without_the_edge": Mutant(
        "dpfair_teach.functional.Moments.denoised_gram", lambda f: _denoised(edge_times=0.0), "what noise alone gives is kept"),
    "denoised_by_a_hard_threshold": Mutant(
        "dpfair_teach.functional.Moments.denoised_gram", lambda f: _denoised(shrinks=False), "what stands out is kept as it is"),
    "denoised_without_the_diagonal": Mutant(
        "dpfair_teach.functional.Moments.denoised_gram", lambda f: _denoised(diagonal=False), "features do not vary on their own"),
}
