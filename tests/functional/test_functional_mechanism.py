"""The functional mechanism and its relaxation: how far one tuple moves coefficients, what their noise costs, and whether a minimum is left.

Each test attacks a statement of chapter 18. Moves are those of coefficients as the library counts them, one for each monomial.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats
from test_functional_quadratic import drawn

from dpfair_teach import functional, mechanisms
from dpfair_teach.functional import Quadratic
from faults import Mutant, calling, scaled, with_arguments

ROOM = "dpfair_teach.functional."


def terms(X: np.ndarray, y: np.ndarray, loss: str = "log") -> np.ndarray:
    """Coefficients of many people, one row each, as ``Quadratic.coefficients`` has them."""
    rows, cols = np.triu_indices(X.shape[1])
    products = X[:, rows] * X[:, cols] * np.where(rows == cols, 1, 2)
    return np.c_[(0.5 - y)[:, None] * X, products / 8] if loss == "log" else np.c_[-2 * y[:, None] * X, products]


def moves(X: np.ndarray, y: np.ndarray, X_new: np.ndarray, y_new: np.ndarray, p: int, loss: str = "log") -> np.ndarray:
    return np.linalg.norm(terms(X, y, loss) - terms(X_new, y_new, loss), ord=p, axis=1)


def rows_of(kind: str, n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of a domain, on its border mostly, many with zeros."""
    X = rng.normal(size=(n, d)) * rng.integers(0, 2, (n, d))
    if kind == "box":
        return np.where(rng.random((n, d)) < 0.7, rng.integers(0, 2, (n, d)), rng.random((n, d)))
    X = np.abs(X) if kind == "nonnegative" else X
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9) * rng.choice([1.0, 1.0, 0.7], (n, 1))


def pairs(kind: str, d: int, seed: int, n: int = 20_000) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Drawn pairs, labels equal and not; then again with the second row close to the first, or opposite to it."""
    rng, n = np.random.default_rng(seed), min(n, 60_000 // d)
    X, X_new = rows_of(kind, n, d, rng), rows_of(kind, n, d, rng)
    for again in (X_new, X, *([] if kind != "signed" else [-X])):
        for labels in itertools.product((0.0, 1.0), repeat=2):
            yield X, np.full(n, labels[0]), again, np.full(n, labels[1])


def largest(kind: str, d: int, p: int, loss: str = "log", seed: int = 0) -> float:
    return max(moves(*pair, p, loss).max() for pair in pairs(kind, d, seed))


W = np.random.default_rng(1).normal(size=(9, 4))
MONOMIALS = np.c_[W, (W[:, :, None] * W[:, None])[:, *np.triu_indices(4)]]


def test_terms_are_the_librarys_coefficients():
    X, y, _ = drawn(7)
    for x, label, row, square in zip(X, y, terms(X, y), terms(X, y, "square"), strict=True):
        np.testing.assert_allclose(functional.log_loss_quadratic([x], [label]).coefficients(), row)
        loss = [(label - x @ w)**2 - label**2 for w in W]           # the square loss is a polynomial as it stands
        np.testing.assert_allclose(MONOMIALS @ square, loss, atol=1e-12)


# ------------------------------------------------------------------------------------------------ the log loss as a polynomial
def test_equation_1_the_quadratic_has_the_log_losss_value_slope_and_bend_at_0():
    X, y, _ = drawn()
    f, step = functional.log_loss_quadratic(X, y), 1e-4

    def loss(w):
        return (np.logaddexp(0, X @ w) - y * (X @ w)).sum() - len(y) * math.log(2)

    for v in np.random.default_rng(0).normal(size=(20, 4)):
        ahead, behind = loss(step * v), loss(-step * v)
        assert (ahead - behind) / (2 * step) == pytest.approx(f.b @ v, rel=1e-5)
        assert (ahead + behind) / step**2 == pytest.approx(v @ f.H @ v, rel=1e-4)


def second_order(u: np.ndarray) -> np.ndarray:
    """The form of one person with the row 1 and label 0, whose score is u, with the constant ln 2."""
    f = functional.log_loss_quadratic([[1.0]], [0])
    return math.log(2) + f.b[0] * u + f.H[0, 0] * u**2 / 2


def test_equation_2_the_second_order_form_lies_above_by_at_most_a_192nd_of_the_fourth_power():
    u = np.r_[np.linspace(-50, 50, 20_001), np.geomspace(1e-2, 1, 50)]
    above = second_order(u) - np.logaddexp(0, u)
    assert (above >= -1e-12).all() and (above <= u**4 / 192 + 1e-12).all()
    near = np.array([0.1, 0.05])        # and no smaller multiple of the fourth power is enough
    assert ((second_order(near) - np.logaddexp(0, near)) / (near**4 / 192) > 0.99).all()
    for at, value in ((1, 0.0049), (4, 0.675)):
        assert second_order(np.float64(at)) - np.logaddexp(0, at) == pytest.approx(value, abs=5e-5)
    X, y, _ = drawn()
    np.testing.assert_allclose(functional.minimum(functional.log_loss_quadratic(X, y)), np.linalg.lstsq(X, 4 * y - 2, rcond=None)[0],
                               rtol=1e-9)                       # least squares on labels of -2 and 2
    # no polynomial: it falls to 0 on one side, and rises on the other
    assert 0 < np.logaddexp(0, -40) < 1e-16 and np.logaddexp(0, 40) > 39


# ------------------------------------------------------------------------------------------------ how far one tuple moves them
@pytest.mark.parametrize("d", [1, 2, 3, 5, 10])
def test_lemma_1_on_the_box_exactly(d):
    bound = functional.logistic_l1(d, domain="box")
    assert bound == pytest.approx(d**2 / 8 + d / 2 + 1 / 2 if d > 1 else 1)
    assert largest("box", d, 1) <= bound + 1e-9
    if d <= 3:                          # every pair of corners and middles
        rows = np.array(list(itertools.product((0.0, 0.5, 1.0), repeat=d)))
        left, right = np.repeat(rows, len(rows), axis=0), np.tile(rows, (len(rows), 1))
        assert max(moves(left, np.full(len(left), a), right, np.full(len(left), b), 1).max() for a in (0.0, 1.0) for b in (0.0, 1.0)
                   ) == pytest.approx(bound)
    two = np.r_[np.ones(min(2, d)), np.zeros(max(0, d - 2))]        # all features against any two
    assert moves(np.ones((1, d)), np.zeros(1), two[None], np.ones(1), 1)[0] == pytest.approx(bound)
    assert bound <= functional.logistic_l1(d, as_printed=True)


@pytest.mark.parametrize("d", [1, 2, 3, 5, 10, 25])
def test_lemma_1_in_the_ball_from_below(d):
    bound = functional.logistic_l1(d)
    found = functional.attained_move(d, np.random.default_rng(0), steps=300)
    assert found.norm <= bound + 1e-9 and largest("nonnegative", d, 1) <= bound and largest("signed", d, 1) <= bound
    assert found.norm >= 0.87 * bound and bound <= functional.logistic_l1(d, as_printed=True)
    labels = np.zeros(1), np.ones(1) if found.label == "other" else np.zeros(1)
    assert moves(found.x[None], labels[0], found.x_new[None], labels[1], 1)[0] == pytest.approx(found.norm)
    c = np.linspace(-1, 1, 20_001)      # the bound is what the box of the lemma says
    assert bound == pytest.approx((np.sqrt(d * (1 + c) / 2) + d / 8 * np.sqrt(2 - 2 * c**2)).max(), rel=1e-6)


@pytest.mark.parametrize("d, high, bound, attained, printed", [(10, 3, 4.27, 4.16, 35.0), (13, 5, 5.12, 4.97, 55.25)])
def test_lemma_1_at_10_and_13_features(d, high, bound, attained, printed):
    """Gap D2. From below by rows of two levels, higher on a few features, against rows that are even on the others; labels differ."""
    angle = np.linspace(0, math.pi / 2, 2001)[:, None]
    x = np.c_[np.tile(np.sin(angle) / math.sqrt(high), high), np.tile(np.cos(angle) / math.sqrt(d - high), d - high)]
    x_new = np.tile(np.r_[np.zeros(high), np.full(d - high, (d - high)**-0.5)], (len(x), 1))
    found = moves(x, np.zeros(len(x)), x_new, np.ones(len(x)), 1).max()
    assert attained < found <= functional.logistic_l1(d) and round(functional.logistic_l1(d), 2) == bound
    assert functional.logistic_l1(d, as_printed=True) == printed


@pytest.mark.parametrize("d", [1, 2, 3, 10, 40])
def test_lemma_3_is_1_in_every_dimension(d):
    bound = functional.logistic_l2(d)
    for kind in ("nonnegative", "signed"):
        assert largest(kind, d, 2) <= bound + 1e-9
    assert functional.attained_move(d, np.random.default_rng(0), norm="l2", steps=100).norm <= bound + 1e-9
    x = rows_of("signed", 1, d, np.random.default_rng(1)) + 1e-3
    x /= np.linalg.norm(x)
    assert moves(x, np.zeros(1), x, np.ones(1), 2)[0] == pytest.approx(bound)
    assert functional.logistic_l2(d, as_printed=True) == pytest.approx(math.sqrt(d**2 / 16 + d)) and functional.logistic_l2(
        d, as_printed=True) > bound


def test_the_noise_is_four_times_too_large_at_ten_features_and_27_at_a_hundred():
    waste = [functional.logistic_l2(d, as_printed=True) / functional.logistic_l2(d) for d in (10, 100)]
    np.testing.assert_allclose(waste, [4.03, 26.9], atol=0.05)
    with_theorem_2 = [w * functional.gaussian_sigma_extended(1, 1, 1e-5) / mechanisms.gaussian_sigma(1, 1, 1e-5) for w in waste]
    np.testing.assert_allclose(with_theorem_2, [5.25, 35.0], atol=0.05)


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_linear_regression_moves_by_four_and_not_more(d):
    for kind in ("nonnegative", "signed"):
        assert largest(kind, d, 2, "square") <= functional.sensitivity.linear_sensitivity(d, "l2") + 1e-9
        assert max(moves(X, 2 * y - 1, new, 2 * y_new - 1, 2, "square").max() for X, y, new, y_new in pairs(kind, d, 1)
                   ) <= functional.sensitivity.linear_sensitivity(d, "l2") + 1e-9
        assert max(moves(X, 2 * y - 1, new, 2 * y_new - 1, 1, "square").max() for X, y, new, y_new in pairs(kind, d, 1)
                   ) <= functional.sensitivity.linear_sensitivity(d, "l1") + 1e-9
    even = np.full((1, d), d**-0.5)
    assert moves(even, np.ones(1), even, -np.ones(1), 2, "square")[0] == pytest.approx(functional.sensitivity.linear_sensitivity(d, "l2"))
    c = np.linspace(-1, 1, 20_001)
    certified = (2 * np.sqrt(2 * d * (1 + c)) + d * np.sqrt(2 - 2 * c**2)).max()
    assert functional.sensitivity.linear_sensitivity(d, "l1") == pytest.approx(certified, rel=1e-6)
    assert certified < functional.sensitivity.linear_sensitivity(d, "l1", as_printed=True)
    # the matrix counts: two rows that share no feature move the coefficients further than the linear part of any pair
    if d == 10:
        first = np.r_[np.full(5, 5**-0.5), np.zeros(5)][None]
        pair = moves(first, np.ones(1), first[:, ::-1], -np.ones(1), 1, "square")[0]
        assert 4 * math.sqrt(d) < pair <= functional.sensitivity.linear_sensitivity(d, "l1")


# ------------------------------------------------------------------------------------------------ the matrix rides free
def moved(X: np.ndarray, y: np.ndarray, X_new: np.ndarray, y_new: np.ndarray, g: float) -> np.ndarray:
    """Lengths of moves of ((y - 1/2) x, g x x'), the matrix by its Frobenius norm."""
    gram = np.einsum("ni,nj->nij", X, X) - np.einsum("ni,nj->nij", X_new, X_new)
    told = (y - 0.5)[:, None] * X - (y_new - 0.5)[:, None] * X_new
    return np.sqrt((told**2).sum(axis=1) + g**2 * (gram**2).sum(axis=(1, 2)))


def test_the_matrix_rides_free_up_to_a_weight_of_an_eighth_squared_and_no_further():
    g = functional.moments.free_gram_weight()
    assert functional.moments_l2() == pytest.approx(1)
    for d in (1, 2, 5):
        for kind in ("nonnegative", "signed"):
            assert max(moved(*pair, g).max() for pair in pairs(kind, d, 2, n=5000)) <= functional.moments_l2() + 1e-9
    for weight in (1.05 * g, 0.5, 1.0):         # beyond, two rows at an angle move further than a label
        c = 1 / (8 * weight**2)
        x, x_new = np.array([[1.0, 0.0]]), np.array([[c, math.sqrt(1 - c * c)]])
        far = moved(x, np.ones(1), x_new, np.zeros(1), weight)[0]
        assert far == pytest.approx(functional.moments_l2(gram_weight=weight)) and far > 1 + 1e-6


def test_riding_free_leaves_2_8_times_less_noise_on_squares_and_half_of_it_on_products():
    X, y, _ = drawn(300, d=30)
    apart = functional.relaxed_functional_mechanism(X, y, 1.0, 1e-5, np.random.default_rng(0))
    free, release = functional.release_moments(X, y, None, 1.0, 1e-5, np.random.default_rng(0))
    assert release.scale == pytest.approx(apart.releases_[0].scale)
    assert release.sensitivity == pytest.approx(apart.releases_[0].sensitivity, rel=1e-9)
    rows, cols = np.triu_indices(30, 1)
    gram = X.T @ X
    noises = {name: (np.diag(G - gram), (G - gram)[rows, cols]) for name, G in (("apart", 4 * apart.objective.H), ("free", free.gram))}
    deviations = release.scale * np.array([[8, 4], [math.sqrt(8), 2]])
    assert free.gram_deviation() == pytest.approx(deviations[1, 0])
    for (name, found), wanted in zip(noises.items(), deviations, strict=True):
        for noise, deviation in zip(found, wanted, strict=True):
            assert stats.kstest(noise / deviation, "norm").pvalue > 1e-9, name      # 30 and 435 numbers, a known seed
    np.testing.assert_allclose(deviations[0] / deviations[1], [math.sqrt(8), 2])


# ------------------------------------------------------------------------------------------------ noise
def test_theorem_2_is_private_for_every_epsilon_and_wastes():
    for epsilon, delta in itertools.product(np.geomspace(1e-3, 1e3, 31), [*np.geomspace(1e-9, 0.7, 12), 0.797]):
        sigma = functional.gaussian_sigma_extended(1.0, epsilon, delta)
        assert mechanisms.gaussian_delta(1.0, sigma, epsilon) <= math.sqrt(math.pi / 8) * delta
        v, s = epsilon * sigma - 1 / (2 * sigma), math.log(math.sqrt(2 / math.pi) / delta)
        assert v == pytest.approx(math.sqrt(2 * s), rel=1e-6, abs=1e-6)        # what the noise is made for
    for epsilon, waste in ((0.01, 1.95), (1.0, 1.30), (10.0, 1.13)):
        assert functional.gaussian_sigma_extended(2.0, epsilon, 1e-5) / mechanisms.gaussian_sigma(2.0, epsilon, 1e-5) == pytest.approx(
            waste, abs=0.005)
    for epsilon in (0.01, 0.1, 1.0):                                     # within 2 percent of the classic formula
        classic = math.sqrt(2 * math.log(1.25 / 1e-5)) / epsilon
        assert functional.gaussian_sigma_extended(1.0, epsilon, 1e-5) == pytest.approx(classic, rel=0.02)
    with pytest.raises(ValueError, match=r"^delta=0\.9"):       # undefined above the root of 2 / pi
        functional.gaussian_sigma_extended(1.0, 1.0, 0.9)
    for epsilon, true_delta in ((1.0, 3.1e-5), (10.0, 1.65e-4)):        # the root over delta, too: not private
        assert mechanisms.gaussian_delta(1.0, root_over_delta(1.0, epsilon, 1e-5), epsilon) == pytest.approx(true_delta, rel=0.01)


def test_the_root_over_delta_is_enough_for_small_epsilons_and_from_03_on_it_is_not():
    kept = [mechanisms.gaussian_delta(1.0, root_over_delta(1.0, epsilon, 1e-5), epsilon) for epsilon in (0.01, 0.1, 0.29, 0.3, 1.0)]
    assert [delta <= 1e-5 for delta in kept] == [True, True, True, False, False]


def root_over_delta(sensitivity: float, epsilon: float, delta: float) -> float:
    s = math.log(math.sqrt(2 / (math.pi * delta)))
    return sensitivity * (math.sqrt(s) + math.sqrt(s + epsilon)) / (math.sqrt(2) * epsilon)


def far_pair(d: int) -> tuple[functional.Quadratic, functional.Quadratic]:
    """The pair of data sets that the search finds to be the furthest apart in l1."""
    found = functional.attained_move(d, np.random.default_rng(0), steps=200)
    X, y, _ = drawn(50, d=d)
    new_X, new_y = X.copy(), y.copy()
    X[0], new_X[0], y[0], new_y[0] = found.x, found.x_new, 0, int(found.label == "other")
    return functional.log_loss_quadratic(X, y), functional.log_loss_quadratic(new_X, new_y)


@pytest.mark.parametrize("as_printed", [False, True])
def test_the_functional_mechanism_is_private(as_printed):
    """The noise is what its record says, on every coefficient; it hides the furthest pair; and weights come from the noisy objective."""
    epsilon, d = 0.7, 30
    X, y, _ = drawn(200, d=d)
    fit = functional.functional_mechanism(X, y, epsilon, np.random.default_rng(3), as_printed=as_printed)
    release, noise = fit.releases_[0], fit.objective.coefficients() - functional.log_loss_quadratic(X, y).coefficients()
    assert len(noise) == 495 and stats.kstest(noise, "laplace", (0, release.scale)).pvalue > 1e-9       # a known seed
    assert noise.std() == pytest.approx(math.sqrt(2) * release.scale, rel=0.15)
    for size in (2, 5, 10):
        f, f_new = far_pair(size)
        X, y, _ = drawn(50, d=size)
        scale = functional.functional_mechanism(X, y, epsilon, np.random.default_rng(0), as_printed=as_printed).releases_[0].scale
        loss = np.abs(f.coefficients() - f_new.coefficients()).sum() / scale
        assert loss <= epsilon + 1e-9 and (as_printed or loss > 0.9 * epsilon)
    ridge = 4 * math.sqrt(2) * release.scale
    np.testing.assert_allclose(fit.w, functional.minimum(fit.objective, ridge=ridge), rtol=1e-9)


@pytest.mark.parametrize("as_printed", [False, True])
def test_theorem_4_the_relaxed_functional_mechanism_is_private(as_printed):
    """Exactly: a flipped label moves coefficients by 1, and delta is what that costs."""
    epsilon, delta, d = 0.7, 1e-5, 30
    X, y, _ = drawn(200, d=d)
    fit = functional.relaxed_functional_mechanism(X, y, epsilon, delta, np.random.default_rng(3), as_printed=as_printed)
    release, noise = fit.releases_[0], fit.objective.coefficients() - functional.log_loss_quadratic(X, y).coefficients()
    assert stats.kstest(noise / release.scale, "norm").pvalue > 1e-9            # 495 numbers, a known seed
    assert noise.std() == pytest.approx(release.scale, rel=0.15)
    X[0] /= np.linalg.norm(X[0])
    far = [functional.log_loss_quadratic(X, np.r_[label, y[1:]]).coefficients() for label in (0, 1)]
    exact = mechanisms.gaussian_delta(np.linalg.norm(far[0] - far[1]), release.scale, epsilon)
    assert exact == pytest.approx(delta) if not as_printed else exact < math.sqrt(math.pi / 8) * delta
    np.testing.assert_allclose(fit.w, functional.minimum(fit.objective, ridge=4 * release.scale), rtol=1e-9)


# ------------------------------------------------------------------------------------------------ a minimum
def along(v: np.ndarray) -> np.ndarray:
    """What each coefficient adds to v'Hv: twice its monomial."""
    rows, cols = np.triu_indices(len(v))
    return 2 * v[rows] * v[cols]


def test_how_likely_a_noisy_quadratic_has_no_minimum():
    """The direction of the smallest eigenvalue alone, exactly; then 20,000 draws, off by at most 0.024, but for a chance of 1e-9."""
    sigma, n = 3.0, 20_000
    for d in (1, 2, 7, 50):
        rng = np.random.default_rng(d)
        for v in (np.full(d, d**-0.5), np.eye(d)[0], rng.normal(size=d)):
            v = v / np.linalg.norm(v)
            noise = functional.Quadratic.of_coefficients(np.r_[np.zeros(d), rng.normal(size=d * (d + 1) // 2)])
            assert v @ noise.H @ v == pytest.approx(along(v) @ noise.coefficients()[d:])
            deviation = sigma * np.linalg.norm(along(v))
            assert deviation**2 == pytest.approx(2 * sigma**2 * (1 + (v**4).sum()))
            for smallest in (0.0, 1.0, 5.0):
                exact = stats.norm.cdf(-smallest / deviation)
                assert functional.no_minimum_chance(d, smallest, sigma) <= exact + 1e-12
                if np.ptp(v) < 1e-12:           # even over the features: the bound is that chance
                    assert functional.no_minimum_chance(d, smallest, sigma) == pytest.approx(exact)
    d, smallest = 10, 3.0
    v = np.full(d, d**-0.5)
    others = 1e6 * (np.eye(d) - np.outer(v, v)) + smallest * np.outer(v, v)
    rng = np.random.default_rng(0)
    half = np.triu(sigma * rng.normal(size=(n, d, d)))          # Quadratic.of_coefficients, many at once
    lost = (np.linalg.eigvalsh(others + half + half.transpose(0, 2, 1))[:, 0] < 0).mean()
    assert abs(lost - functional.no_minimum_chance(d, smallest, sigma)) < math.sqrt(math.log(2e9) / (2 * n)) + 1e-3


def test_a_quadratic_without_a_minimum_and_what_ridge_and_trimming_make_of_it():
    rng = np.random.default_rng(0)
    for d in (2, 5, 20):
        V = np.linalg.qr(rng.normal(size=(d, d)))[0]
        values = np.r_[np.linspace(-2, -1, d // 2), np.linspace(1, 3, d - d // 2)]
        f = Quadratic(rng.normal(size=d), V @ np.diag(values) @ V.T)
        assert f(1e4 * V[:, 0]) < -1e7          # below everything
        for ridge in (0.0, 1.5, 5.0):
            keep = values + ridge > 0
            w, left = functional.minimum(f, ridge=ridge), V[:, keep]
            np.testing.assert_allclose(V[:, ~keep].T @ w, 0, atol=1e-10)
            np.testing.assert_allclose(left.T @ (f.b + f.H @ w + ridge * w), 0, atol=1e-10)        # Lagrange, among what is kept
            for near in w + (left @ rng.normal(size=(keep.sum(), 20))).T:
                assert f(near) + ridge * near @ near / 2 >= f(w) + ridge * w @ w / 2
    X, y, _ = drawn(300)                        # of a noisy objective, whoever the people are: it reads nothing else
    fit = functional.relaxed_functional_mechanism(X, y, 0.1, 1e-5, np.random.default_rng(1))
    assert np.linalg.eigvalsh(fit.objective.H)[0] < 0
    np.testing.assert_allclose(fit.w, functional.minimum(
        Quadratic.of_coefficients(fit.objective.coefficients()), ridge=4 * fit.releases_[0].scale), rtol=1e-9)


VALID_CALLS = {"functional.no_minimum_chance": lambda: dict(d=10, smallest=2.0, sigma=3.0)}


# ------------------------------------------------------------------------------------------------ faults
def without(box, ball):
    """Lemma 1's bound less a term: ``box(d)`` on the box, and in the ball the largest over c of ``ball(c, d)`` alone."""
    def make(f):
        def faulty(d, *, domain="nonnegative", as_printed=False):
            c = np.linspace(-1, 1, 2001)
            if as_printed:
                return f(d, domain=domain, as_printed=True)
            return f(d, domain="box") - box(d) if domain == "box" else float(ball(c, d).max())
        return faulty
    return make


def linear_of(part):
    return lambda f: lambda d, norm, *, as_printed=False: part(d) if norm == "l1" and not as_printed else f(d, norm, as_printed=as_printed)


def half_as_curved(f):
    def faulty(X, y):
        found = f(X, y)
        return Quadratic(found.b, found.H / 2)
    return faulty


def quieter(factor: float):
    """``mechanisms.release`` with less noise than its record says."""
    def make(f):
        def faulty(mechanism, value, rng, **numbers):
            answer, record = f(mechanism, value, rng, **numbers)
            return value + factor * (answer - value), record
        return faulty
    return make


def no_trimming(f):
    def faulty(g, *, ridge=0.0, **kw):
        return f(g, ridge=ridge, **kw) if kw else -np.linalg.solve(g.H + ridge * np.eye(len(g.b)), g.b)
    return faulty


FAULTS = {
    "log_loss_half_as_curved": Mutant(ROOM + "log_loss_quadratic", half_as_curved, "u^2 / 16 in place of u^2 / 8"),
    "lemma_1_without_the_labels": Mutant(
        ROOM + "logistic_l1", without(lambda d: (d + min(d, 2)) / 2, lambda c, d: d / 8 * np.sqrt(2 - 2 * c**2)), "the matrix alone"),
    "lemma_1_without_the_matrix": Mutant(
        ROOM + "logistic_l1", without(lambda d: (d**2 - min(d, 2)**2) / 8, lambda c, d: np.sqrt(d * (1 + c) / 2)), "the vector alone"),
    "lemma_1_of_one_row": Mutant(
        ROOM + "logistic_l1", without(lambda d: 0.5, lambda c, d: np.sqrt(d / 2) + 0 * c + d / 8 * np.sqrt(2)),
        "box: the other row is 0; ball: the two rows are at a right angle"),
    "lemma_1_as_printed": Mutant(
        ROOM + "logistic_l1", with_arguments(domain=lambda _: "nonnegative", as_printed=lambda _: True), "d^2/4 + d"),
    "lemma_3_times_08": Mutant(ROOM + "logistic_l2", scaled(0.8), "sensitivity times 0.8"),
    "lemma_3_as_printed": Mutant(ROOM + "logistic_l2", with_arguments(as_printed=lambda _: True), "it grows with d"),
    "linear_l2_times_08": Mutant(
        ROOM + "sensitivity.linear_sensitivity", lambda f: lambda d, norm, **how: (0.8 if norm == "l2" else 1.0) * f(d, norm, **how),
        "sensitivity times 0.8"),
    "linear_l1_without_the_labels": Mutant(
        ROOM + "sensitivity.linear_sensitivity", linear_of(lambda d: d * math.sqrt(2)), "the matrix alone"),
    "linear_l1_without_the_matrix": Mutant(
        ROOM + "sensitivity.linear_sensitivity", linear_of(lambda d: 4 * math.sqrt(d)), "the vector alone"),
    "matrix_rides_too_heavy": Mutant(ROOM + "moments.free_gram_weight", scaled(1.2), "a weight that is not free"),
    "moments_l2_without_the_matrix": Mutant(
        ROOM + "moments_l2", lambda f: lambda n_groups=None, *, gram_weight=None: f(n_groups, gram_weight=1e-3),
        "the matrix is not counted"),
    "moments_l2_without_the_labels": Mutant(
        ROOM + "moments_l2", lambda f: lambda n_groups=None, *, gram_weight=None: math.sqrt(2) * (
            gram_weight or functional.moments.free_gram_weight(n_groups)), "the labels are not counted"),
    "extended_sigma_times_08": Mutant(ROOM + "gaussian_sigma_extended", scaled(0.8), "scale times 0.8"),
    "extended_root_over_delta": Mutant(ROOM + "gaussian_sigma_extended", lambda f: root_over_delta, "gap D9's reading"),
    "extended_without_epsilon": Mutant(
        ROOM + "gaussian_sigma_extended", lambda f: lambda sensitivity, epsilon, delta: sensitivity * math.sqrt(
            2 * math.log(math.sqrt(2 / math.pi) / delta)) / epsilon, "the epsilon under the second root is left out"),
    "extended_one_root": Mutant(
        ROOM + "gaussian_sigma_extended", lambda f: lambda sensitivity, epsilon, delta: sensitivity * math.sqrt(
            (math.log(math.sqrt(2 / math.pi) / delta) + epsilon) / 2) / epsilon, "the first root is left out"),
    "functional_noise_halved": Mutant(
        ROOM + "functional_mechanism", calling("release", quieter(0.5)), "half of the recorded noise"),
    "relaxed_noise_halved": Mutant(
        ROOM + "relaxed_functional_mechanism", calling("release", quieter(0.5)), "half of the recorded noise"),
    "no_minimum_too_likely": Mutant(
        ROOM + "no_minimum_chance", with_arguments(sigma=lambda s: 1.25 * s), "the noise along a direction times 1.25"),
    "no_minimum_squares_once": Mutant(
        ROOM + "no_minimum_chance", lambda f: lambda d, smallest, sigma: float(stats.norm.cdf(-smallest / (math.sqrt(2) * sigma))),
        "a square's coefficient counts as a product's"),
    "minimum_without_trimming": Mutant(ROOM + "minimum", no_trimming, "a stationary point, whatever it is"),
    "minimum_without_the_ridge": Mutant(ROOM + "minimum", with_arguments(ridge=lambda _: 0.0), "the ridge is not read"),
}
