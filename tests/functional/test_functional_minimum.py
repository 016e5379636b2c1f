"""Minima with a price or a bound on covariances against another solver, and what is left of a quadratic that has no minimum."""
from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize, nnls
from test_functional_quadratic import drawn

from dpfair_teach import functional
from dpfair_teach.functional import Quadratic, bounded_minimum, minimum, penalized_minimum


def problem(d: int, q: int, kind: str, seed: int) -> tuple[Quadratic, np.ndarray]:
    """A convex quadratic and q vectors: independent, adding up to 0 as the covariances of all groups do, or nearly parallel."""
    rng = np.random.default_rng(seed)
    B, C = rng.normal(size=(d, d)), rng.normal(size=(q, d))
    if kind == "add up to 0":
        C -= C.mean(axis=0)
    if kind == "nearly parallel":
        C = rng.normal(size=d) + 0.01 * C
    return Quadratic(rng.normal(size=d), B @ B.T / d + 0.05 * np.eye(d)), C


KINDS = ("independent", "add up to 0", "nearly parallel")
CASES = [(2, 1, "independent"), (5, 1, "independent"), *((d, 3, kind) for d in (2, 5) for kind in KINDS), (4, 6, "add up to 0")]


def penalized_by_another_solver(f: Quadratic, C: np.ndarray, alpha: float, start: np.ndarray) -> np.ndarray:
    """SLSQP, with a number above each |c.w|."""
    d, q = len(f.b), len(C)
    ends = {"type": "ineq", "fun": lambda z: np.r_[z[d:] - C @ z[:d], z[d:] + C @ z[:d]],
            "jac": lambda z: np.block([[-C, np.eye(q)], [C, np.eye(q)]])}
    return minimize(lambda z: f(z[:d]) + alpha * z[d:].sum(), np.r_[start, np.abs(C @ start) + 0.1], method="SLSQP", constraints=[ends],
                    jac=lambda z: np.r_[f.b + f.H @ z[:d], np.full(q, alpha)], options={"ftol": 1e-15, "maxiter": 2000}).x[:d]


def bounded_by_another_solver(f: Quadratic, C: np.ndarray, tau: float, start: np.ndarray) -> np.ndarray:
    ends = {"type": "ineq", "fun": lambda w: np.r_[tau - C @ w, tau + C @ w], "jac": lambda w: np.concatenate([-C, C])}
    return minimize(f, start, method="SLSQP", jac=lambda w: f.b + f.H @ w, constraints=[ends], options={"ftol": 1e-15, "maxiter": 2000}).x


@pytest.mark.parametrize(("d", "q", "kind"), CASES)
def test_the_penalized_minimum_against_another_solver(d, q, kind):
    for seed in range(4):
        f, C = problem(d, q, kind, seed)
        for alpha in (0.0, 1e-3, 0.05, 0.5, 5.0, 500.0):
            w = penalized_minimum(f, C if q > 1 else C[0], alpha)

            def value(w, f=f, C=C, alpha=alpha):
                return f(w) + alpha * np.abs(C @ w).sum()

            assert value(w) <= value(penalized_by_another_solver(f, C, alpha, w + 0.01)) + 1e-9
            for near in w + np.logspace(-6, 0, 30)[:, None] * np.random.default_rng(seed).normal(size=(30, d)):
                assert value(w) <= value(near) + 1e-12
        np.testing.assert_allclose(penalized_minimum(f, C, 0.0), minimum(f), rtol=1e-9)


@pytest.mark.parametrize(("d", "q", "kind"), CASES)
def test_the_bounded_minimum_against_another_solver(d, q, kind):
    for seed in range(4):
        f, C = problem(d, q, kind, seed)
        for tau in (0.0, 1e-6, 0.05, 0.3, 100.0):
            w = bounded_minimum(f, C if q > 1 else C[0], tau)
            assert np.abs(C @ w).max() <= tau + 1e-9
            other = bounded_by_another_solver(f, C, tau, 0.9 * w)
            if np.abs(C @ other).max() <= tau + 1e-9:           # it does not always end there
                assert f(w) <= f(other) + 1e-8
            for near in w + np.logspace(-6, 0, 30)[:, None] * np.random.default_rng(seed).normal(size=(30, d)):
                if np.abs(C @ near).max() <= tau:
                    assert f(w) <= f(near) + 1e-12
        np.testing.assert_allclose(bounded_minimum(f, C, 100.0), minimum(f), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("q", [2, 3, 20])
def test_of_any_number_of_vectors_the_bounds_hold_and_the_prices_prove_it_best(kind, q):
    """Lagrange: b + Hw is a sum of prices times vectors, each price of the sign of its c.w, and 0 where |c.w| < tau. 20 features, where
    prices one after the other took 10,000 rounds and left |c.w| at 0.15 with a bound of 0.05."""
    f, C = problem(20, q, kind, 3)
    for tau in (0.0, 0.05, 0.3):
        w = bounded_minimum(f, C, tau)
        said, slope = C @ w, f.b + f.H @ w
        assert np.abs(said).max() <= tau + 1e-9
        at = np.abs(said) >= tau - 1e-9
        pulls = C[at].T if not tau else np.sign(said[at]) * C[at].T
        off = nnls(pulls, -slope)[1] if tau else np.linalg.norm(pulls @ np.linalg.lstsq(pulls, -slope, rcond=None)[0] + slope)
        assert off < 1e-8
    assert np.abs(C @ minimum(f)).max() > 0.3, "else nothing is bounded"


def test_infinity_asks_for_no_covariance_and_a_larger_price_leaves_less():
    for q, kind in ((1, "independent"), (3, "independent"), (3, "add up to 0")):
        f, C = problem(5, q, kind, 1)
        w = penalized_minimum(f, C, np.inf)
        assert np.abs(C @ w).max() < 1e-12
        np.testing.assert_allclose(w, bounded_minimum(f, C, 0.0), atol=1e-12)
        np.testing.assert_allclose(w, penalized_minimum(f, C, 1e6), atol=1e-9)
        left = [np.abs(C @ penalized_minimum(f, C, alpha)).sum() for alpha in (0.0, 0.1, 0.5, 2.0)]
        assert (np.diff(left) <= 1e-12).all() and left[0] > left[-1]


def test_by_hand_in_one_dimension():
    """f = (w - 1)^2 / 2 and c = 2: w stops at tau / 2, and the price 2 alpha pulls it down to 0 and no further."""
    f = Quadratic([-1.0], [[1.0]])
    assert [bounded_minimum(f, [2.0], tau).item() for tau in (0.0, 1.0, 3.0)] == [0.0, 0.5, 1.0]
    np.testing.assert_allclose([penalized_minimum(f, [2.0], alpha).item() for alpha in (0.0, 0.25, 0.5, 9.0)], [1.0, 0.5, 0.0, 0.0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("q", [1, 3])
def test_numbers_of_any_size(q):
    """Squares that vanish or overflow are nobody's concern; and a vector of zeros asks for nothing."""
    rng = np.random.default_rng(0)
    for size in (1e-320, 1e-200, 1.0, 1e90):
        for slope in (0.0, 1e-300, 1.0, 1e100):
            f, C = Quadratic(slope * rng.uniform(-1, 1, 3), np.eye(3)), size * rng.uniform(-1, 1, (q, 3))
            for bound in (0.0, 1e-320, 1.0, 1e308):
                assert np.isfinite(bounded_minimum(f, C, bound)).all() and np.isfinite(penalized_minimum(f, C, bound)).all()
    f, _ = problem(3, 1, "independent", 0)
    for C in (np.zeros((q, 3)), np.zeros(3)):
        np.testing.assert_allclose(bounded_minimum(f, C, 0.0), minimum(f))
        np.testing.assert_allclose(penalized_minimum(f, C, np.inf), minimum(f))


# ------------------------------------------------------------------------------------------------ no minimum
def test_where_there_is_no_minimum_a_direction_is_left_out_and_a_ridge_brings_it_back():
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    f = Quadratic(rng.normal(size=4), V @ np.diag([3.0, 1.0, 0.0, -2.0]) @ V.T)
    w = minimum(f)
    np.testing.assert_allclose(V[:, 2:].T @ w, 0, atol=1e-12)           # 0 and -2: along both there is none
    np.testing.assert_allclose(V[:, :2].T @ w, -V[:, :2].T @ f.b / [3, 1], atol=1e-12)
    np.testing.assert_allclose(V[:, 3].T @ minimum(f, ridge=1.0), 0, atol=1e-12)
    np.testing.assert_allclose(minimum(f, ridge=5.0), -np.linalg.solve(f.H + 5 * np.eye(4), f.b), atol=1e-12)
    assert minimum(Quadratic(f.b, -f.H @ f.H - np.eye(4))).tolist() == [0.0] * 4
    for call in (lambda: penalized_minimum(f, np.ones(4), 1.0), lambda: bounded_minimum(f, np.ones(4), 1.0)):
        with pytest.raises(ValueError, match=r"^f=-2(\.0)?: is an eigenvalue of H: there is no minimum.*minimum\(f, ridge=\.\.\.\)"):
            call()


def test_of_collinear_columns_the_direction_that_tells_nothing_is_left_out():
    """Along it f is a line: level, or without end; with a ridge of 0 no weight has a part there, nor by rounding."""
    X, y, _ = drawn()
    twice = functional.log_loss_quadratic(np.c_[X, X[:, :2], X[:, 2] + X[:, 3]] / 2, y)
    assert np.abs(np.linalg.eigvalsh(twice.H)[:3]).max() < 1e-13
    w = minimum(twice)
    np.testing.assert_allclose(w, np.linalg.lstsq(np.c_[X, X[:, :2], X[:, 2] + X[:, 3]] / 2, 4 * y - 2, rcond=None)[0], rtol=1e-9)
    np.testing.assert_allclose(w[4:], [w[0], w[1], w[2] + w[3]], rtol=1e-9)
    level, endless = Quadratic([-1.0, -1.0], [[1.0, 1.0], [1.0, 1.0]]), Quadratic([-1.0, -3.0], [[2.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(minimum(level), [0.5, 0.5])
    for how, first in (({}, 0.5), (dict(c=[0.0, 1.0], alpha=0.1), 0.5), (dict(c=[1.0, 1.0], alpha=0.5), 0.25)):
        w = minimum(endless, **how)
        assert w[0] == pytest.approx(first) and w[1] == 0
    np.testing.assert_allclose(minimum(endless, ridge=1.0), [1 / 3, 3.0])           # and a ridge brings it back


def test_among_what_is_left_prices_are_kept():
    rng = np.random.default_rng(1)
    V = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    f, C = Quadratic(rng.normal(size=5), V @ np.diag([3.0, 2.0, 1.0, -1.0, -2.0]) @ V.T), rng.normal(size=(2, 5))
    inner = Quadratic(V[:, :3].T @ f.b, np.diag([3.0, 2.0, 1.0]))
    np.testing.assert_allclose(minimum(f, c=C[0], alpha=0.1), V[:, :3] @ penalized_minimum(inner, C[0] @ V[:, :3], 0.1), atol=1e-9)


def test_a_noisy_hessian_has_mostly_no_minimum():
    """What D11 is about: as printed, and at epsilon 1, all of 20 noisy matrices are indefinite; the ridge of four deviations does not mend
    all of them, so there is trimming."""
    X, y, A = drawn(2000, d=10)
    fits = [functional.pdfc(X, y, A, 0, 1.0, 1.0, np.random.default_rng(seed)) for seed in range(20)]
    lowest = np.array([np.linalg.eigvalsh(fit.objective.H)[0] for fit in fits])
    ridge = 4 * np.sqrt(2) * fits[0].releases_[0].scale
    assert lowest.max() < 0 and lowest.min() < -ridge and all(np.isfinite(fit.w).all() for fit in fits)


@pytest.mark.slow
def test_how_often_the_noise_leaves_5000_people_no_minimum():
    """Gap D11: 10 features, 200 draws each. At epsilon 1 all draws of PDFC and ADFC, of Laplace noise for the sharp sensitivity 0.87, and
    with a chance of 0.06 one of Gaussian noise on coefficients apart; at epsilon 10 the chances of PDFC, ADFC and apart are 0.35, 0.004
    and 0. Each bound is more than four deviations of 200 draws away."""
    rng = np.random.default_rng(0)
    X = rng.random((5000, 10)) * (rng.random((5000, 10)) < 0.88)
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9)
    y, A = (X[:, 0] > 0.15).astype(int), rng.integers(0, 2, 5000)

    def rate(name: str, *how: object, **options: object) -> float:
        fits = (getattr(functional, name)(X, y, A, *how, rng, **options) for _ in range(200))
        return float(np.mean([np.linalg.eigvalsh(fit.objective.H)[0] <= 0 for fit in fits]))

    for epsilon, pdfc, adfc, apart in ((1.0, (0.95, 1.0), (0.95, 1.0), (0.0, 0.25)), (10.0, (0.15, 0.55), (0.0, 0.1), (0.0, 0.0))):
        found = (rate("pdfc", 0, epsilon, epsilon), rate("adfc", 0, epsilon, epsilon, 1e-5, 1e-5),
                 rate("fair_functional_mechanism", epsilon, 1e-5, alpha=0.0))
        if epsilon == 1.0:
            assert 0.75 < rate("pflr_star", epsilon, pays=True) < 0.97
        assert all(low <= one <= high for one, (low, high) in zip(found, (pdfc, adfc, apart), strict=True)), (epsilon, found)


def test_what_does_not_fit():
    f = Quadratic([1.0, 1.0], np.eye(2))
    for call, said in ((lambda: minimum(f, c=[1.0, 0.0]), r"^c, alpha=\(\[1\.0, 0\.0\], None\): one of the two alone\. Give both or none"),
                       (lambda: minimum(f, alpha=1.0), r"^c, alpha=\(None, 1\.0\): one of"),
                       (lambda: bounded_minimum(f, [1.0], 1.0), r"^c=\[1\.0\]: is not one row of 2 numbers, or several"),
                       (lambda: bounded_minimum(f, [1.0, 0.0], np.inf), r"^tau=inf: not a finite number"),
                       (lambda: minimum(np.eye(2)), r"^f=array.*: no Quadratic\. Give functional\.Quadratic\(b, H\)")):
        with pytest.raises(ValueError, match=said):
            call()


def _some() -> Quadratic:
    return Quadratic([-1.0, -1.0], [[1.0, 0.0], [0.0, 2.0]])


VALID_CALLS = {
    "functional.penalized_minimum": lambda: dict(f=_some(), c=[1.0, 0.5], alpha=0.25),
    "functional.bounded_minimum": lambda: dict(f=_some(), c=[[1.0, 0.5], [0.0, 1.0]], tau=0.25),
    "functional.minimum": lambda: dict(f=_some(), ridge=0.5, c=[1.0, 0.5], alpha=0.25),
}
