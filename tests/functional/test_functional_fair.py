"""The functional mechanism with a fairness term: chapter 19, one test for each of its statements.

Sensitivities and losses are attacked from below by a search over pairs (``functional.attained_move``) and met by pairs of data sets; what
is exact on the box is compared with a search of its own. Noise is compared with its law by the distance of Kolmogorov and Smirnov, against
the bound of Dvoretzky, Kiefer, Wolfowitz and Massart at a chance of 1e-9 and with a fixed seed.
"""
from __future__ import annotations

import dataclasses
import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from dpfair_teach import audit, functional
from dpfair_teach.accounting import UNIT_TUPLE
from dpfair_teach.functional import Quadratic
from dpfair_teach.functional.moments import group_vertices
from dpfair_teach.mechanisms import gaussian_delta, gaussian_sigma
from faults import Mutant, calling, scaled, with_arguments

ALPHA = 1e-9


def some_people(rng: np.random.Generator, m: int, d: int, *, low: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X = rng.uniform(low, 1.0, (m, d))
    return X / np.maximum(np.linalg.norm(X, axis=1), 1.0)[:, None], rng.integers(0, 2, m), rng.integers(0, 2, m)


def neighbours(rng: np.random.Generator, m: int, d: int, *, low: float = 0.0) -> tuple[tuple, tuple]:
    """Two data sets that differ in the first tuple."""
    before, other = some_people(rng, m, d, low=low), some_people(rng, m, d, low=low)
    return before, tuple(np.concatenate([new[:1], old[1:]]) for old, new in zip(before, other, strict=True))


def merged(people: tuple, alpha: float = 1.0) -> np.ndarray:
    return functional.merged_quadratic(*people, alpha).coefficients()


def apart(people: tuple) -> np.ndarray:
    """What is released apart: the coefficients of the log loss, and the covariance vector beside them."""
    X, y, A = people
    return np.r_[functional.log_loss_quadratic(X, y).coefficients(), functional.covariance_vector(X, A)]


@cache
def found(d: int, alpha: float, norm: str = "l1", weights: tuple[float, float] = (1.0, 1.0)) -> float:
    """The largest move that a search finds; of the library as it is, and so the same under every fault."""
    return functional.attained_move(d, np.random.default_rng(d), alpha=alpha, norm=norm, weights=weights, steps=400).norm


def epsilon_at(ratio: float, delta: float) -> float:
    return brentq(lambda epsilon: gaussian_delta(ratio, 1.0, epsilon) - delta, 0.0, 200.0, xtol=1e-12)


def far(values: np.ndarray, law: Any) -> bool:
    """Whether a sample is further from a law than luck allows."""
    return stats.kstest(values, law).statistic > math.sqrt(math.log(2 / ALPHA) / (2 * len(values)))


# --- equations (5) and (6): a penalty, and what is read for it

FOUR = ([[.4, 0], [.6, .8], [.7, .2], [.1, .8]], [0, 0, 1, 0], [1, 0, 0, 0])


def test_equation_6_read_literally_rewards_a_covariance_of_one_sign():
    """Gap D5: four people for whom the covariance goes 1.154, .321, -.512, -15.5; with the other group as 1 it grows from the start."""
    X, y, A = FOUR
    c = functional.covariance_vector(X, A)
    at = {alpha: float(c @ functional.minimum(functional.merged_quadratic(X, y, A, alpha))) for alpha in (0, 1, 2, 20)}
    assert [round(at[alpha], 3) for alpha in (0, 1, 2)] == [1.154, .321, -.512] and round(at[20], 1) == -15.5
    other = [1 - a for a in A]
    turned = {alpha: float(-c @ functional.minimum(functional.merged_quadratic(X, y, other, alpha))) for alpha in (0, 1, 20)}
    assert turned[20] < turned[1] < turned[0] == pytest.approx(-1.154, abs=5e-4)
    f = functional.log_loss_quadratic(X, y)
    for alpha in (.5, 3.0):         # the coefficients are those of f(w) + alpha c.w
        literal = functional.merged_quadratic(X, y, A, alpha)
        np.testing.assert_allclose(literal.b, f.b + alpha * c)
        np.testing.assert_allclose(literal.H, f.H)
    w = np.array([1.0, -2.0])       # and |c.w| has none: it is not additive along any line through 0
    assert abs(c @ w) + abs(-c @ w) != abs(c @ (w - w))


@pytest.mark.parametrize("alpha", [0.0, .3, 2.0, math.inf])
def test_the_penalty_of_equation_5_has_a_closed_form(alpha):
    """A convex objective is nowhere smaller near its minimum; the four people's penalty is at 0 from 1.385 on."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        d = int(rng.integers(1, 6))
        root = rng.normal(size=(d + 2, d))
        f, c = Quadratic(rng.normal(size=d), root.T @ root / d), rng.normal(size=d)
        w = functional.penalized_minimum(f, c, alpha)
        away = rng.normal(size=(400, d)) * 10.0**rng.uniform(-6, 0, (400, 1))
        if math.isinf(alpha):
            assert abs(c @ w) < 1e-10
            away -= np.outer(away @ c, c) / (c @ c)
        price = 0.0 if math.isinf(alpha) else alpha
        values = [f(w + step) + price * abs(c @ (w + step)) for step in away]
        assert min(values) >= f(w) + price * abs(c @ w) - 1e-12
        t, k = -c @ np.linalg.solve(f.H, f.b), c @ np.linalg.solve(f.H, c)
        assert c @ w == pytest.approx(t - k * np.clip(t / k, -alpha, alpha), abs=1e-9)
    X, y, A = FOUR
    f, c = functional.log_loss_quadratic(X, y), functional.covariance_vector(X, A)
    assert [abs(float(c @ functional.penalized_minimum(f, c, price))) < 1e-12 for price in (1.38, 1.39, 20.0)] == [False, True, True]


@pytest.mark.parametrize("tau", [0.0, .1, 1.0])
def test_a_bound_on_the_covariance_has_a_closed_form(tau):
    """Equation (3)'s bound, not a penalty on the distance to it: gap D10."""
    rng, bound = np.random.default_rng(2), 0
    for _ in range(20):
        d = int(rng.integers(2, 6))
        root = rng.normal(size=(d + 2, d))
        f, c = Quadratic(rng.normal(size=d), root.T @ root / d), rng.normal(size=d)
        w, free = functional.bounded_minimum(f, c, tau), functional.minimum(f)
        t = float(c @ free)
        assert c @ w == pytest.approx(np.clip(t, -tau, tau), abs=1e-9)
        allowed = w + rng.normal(size=(400, d)) * 10.0**rng.uniform(-6, 0, (400, 1))
        out = np.abs(allowed @ c) > tau
        allowed -= np.outer(np.where(out, allowed @ c - np.clip(allowed @ c, -tau, tau), 0.0), c) / (c @ c)
        assert min(f(other) for other in allowed) >= f(w) - 1e-12
        k = c @ np.linalg.solve(f.H, c)
        np.testing.assert_allclose(w, -np.linalg.solve(f.H, f.b + math.copysign(max(abs(t) - tau, 0.0), t) / k * c), atol=1e-9)
        bound += abs(t) > tau
    assert bound
    if tau:     # |c.w - tau| at a high price is not |c.w| <= tau: it pulls the covariance up to tau
        f, c = Quadratic([0.0], [[1.0]]), np.array([1.0])
        pulled = tau + functional.penalized_minimum(Quadratic([tau], [[1.0]]), c, 100.0)[0]       # of v = w - tau
        assert pulled == pytest.approx(tau) and functional.bounded_minimum(f, c, tau)[0] == 0.0


# --- how far one person moves the coefficients

@pytest.mark.slow
def test_lemma_4_is_sharp_and_the_mean_of_the_group_is_part_of_the_move():
    rng = np.random.default_rng(3)
    for _ in range(200):        # c - c' = rho [(a - r)(x - g) - (a' - r)(x' - g)]
        D, new = neighbours(rng, int(rng.integers(2, 9)), 3)
        (X, _, A), (X_new, _, A_new), rho = D, new, 1 - 1 / len(D[0])
        r, g = A[1:].mean(), X[1:].mean(axis=0)
        moved = functional.covariance_vector(X, A) - functional.covariance_vector(X_new, A_new)
        np.testing.assert_allclose(moved, rho * ((A[0] - r) * (X[0] - g) - (A_new[0] - r) * (X_new[0] - g)), atol=1e-12)
    for d, alpha in ((2, 1.0), (3, 1.0), (5, 1.0), (5, .25), (4, 2.0), (5, 5.0)):
        sharp = functional.fair_l2(d, alpha)
        assert .999 * sharp <= found(d, alpha, "l2") <= sharp + 1e-9, (d, alpha)
    for m in (2, 10, 1000):     # attained for every m, with beta = alpha rho
        D, new = functional.worst_pair(3, m)
        beta = 2.0 * (1 - 1 / m)
        assert np.linalg.norm(merged(D, 2.0) - merged(new, 2.0)) == pytest.approx(math.hypot(1 + beta, beta))
    for _ in range(300):        # either sign: at most 1 + 2 alpha, and attained
        D, new = neighbours(rng, 20, 2, low=-1.0)
        assert np.linalg.norm(merged(D, 1.5) - merged(new, 1.5)) <= functional.fair_l2(2, 1.5, domain="signed")
    (X, y, A), (_, y_new, A_new) = functional.worst_pair(2, 10_000)
    X[1:] = -X[0]
    moved = np.linalg.norm(merged((X, y, A), 1.5) - merged((X, y_new, A_new), 1.5))
    assert moved == pytest.approx(functional.fair_l2(2, 1.5, domain="signed"), rel=1e-3)


def test_lemma_4_as_printed_is_loose_and_of_other_weights_false():
    """Gaps D4 and D10."""
    assert [round(functional.fair_l2(d, as_printed=True), 1) for d in (10, 100)] == [9.8, 39.1]
    assert [round(functional.fair_l2(10, alpha), 2) for alpha in (1.0, 2.0, 5.0)] == [2.24, 3.61, 7.81]
    D, new = functional.worst_pair(6, 1000)
    assert np.linalg.norm(merged(D, 5.0) - merged(new, 5.0)) > math.sqrt(6**2 / 16 + 9 * 6)
    with pytest.raises(ValueError, match=r"^alpha=5\.0: the printed constant is for a covariance of weight 1"):
        functional.fair_l2(10, 5.0, as_printed=True)


def box_move(d: int, on: np.ndarray, on_H: np.ndarray, alpha: float, rng: np.random.Generator, *, ball: bool = False,
             steps: int = 1500) -> float:
    """The largest weighted l1 move that a search of its own finds on the box, or in the ``ball``: of either sign and norm at most 1."""
    best = 0.0

    def inside(rows: np.ndarray) -> np.ndarray:
        return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1.0) if ball else np.clip(rows, 0, 1)

    def moves(rows: np.ndarray) -> np.ndarray:
        x, new, g = rows[:, 0], rows[:, 1], rows[:, 2]
        linear = [np.abs(sign * (x + other * new) / 2 + alpha * by) @ on
                  for sign in (1, -1) for other in (1, -1) for by in (x - g, x - new)]
        H = np.abs(x[:, :, None] * x[:, None] - new[:, :, None] * new[:, None]) / 8
        return np.max(linear, axis=0) + np.einsum("sij,ij->s", H, on_H)
    rows, step = inside(rng.uniform(-1.0 if ball else 0.0, 1.0, (60, 3, d))), np.full(60, .5)
    now = moves(rows)
    for _ in range(steps):
        tried = inside(rows + step[:, None, None] * rng.normal(size=rows.shape) * (rng.random(rows.shape) < .4))
        new = moves(tried)
        rows, step = np.where((new > now)[:, None, None], tried, rows), np.where(new > now, step, np.maximum(.99 * step, 1e-4))
        now = np.maximum(now, new)
        best = max(best, float(now.max()))
    return best


@pytest.mark.slow
def test_lemma_2_is_exact_on_the_box_and_certified_in_the_ball():
    """From below by a search; 8.05, of which 7.96 is found, where the paper has 55, and the gap of 7.79 is beaten."""
    for d, alpha in ((2, 1.0), (3, 0.0), (3, 1.0), (4, 2.0)):
        exact = functional.fair_l1(d, alpha, domain="box")
        assert exact == pytest.approx(d**2 / 8 + (.5 + alpha) * d + .5)
        assert .995 * exact <= box_move(d, np.ones(d), np.ones((d, d)), alpha, np.random.default_rng(d)) <= exact + 1e-9
    for d, alpha in ((2, 1.0), (2, 5.0), (3, 1.0), (5, 1.0), (10, .25), (10, 1.0), (13, 1.0)):
        certified = functional.fair_l1(d, alpha)
        assert .93 * certified <= found(d, alpha) <= certified, (d, alpha)
    assert found(2, 5.0) == pytest.approx(functional.fair_l1(2, 5.0)) == pytest.approx(11.25)       # labels agree
    assert 7.79 < 7.955 < found(10, 1.0) <= functional.fair_l1(10) < 8.055
    assert [functional.fair_l1(10, **how) for how in ({"as_printed": True}, {"domain": "box"})] == [55.0, 28.0]
    assert [round(functional.fair_l1(d)) for d in (100,)] == [37] and functional.fair_l1(100, as_printed=True) == 2800


@pytest.mark.parametrize("d, alpha", [(2, .25), (2, 1.0), (3, 1.0), (3, 5.0)])
def test_lemma_2_of_features_of_either_sign_is_nearly_attained(d, alpha):
    """From below by a search over rows, labels, groups and the others' mean row: at least 98.6 percent of the bound, and never more."""
    bound = functional.fair_l1(d, alpha, domain="signed")
    assert .98 * bound <= box_move(d, np.ones(d), np.ones((d, d)), alpha, np.random.default_rng(d), ball=True, steps=600) <= bound + 1e-9


def test_the_inequality_of_lemma_2_for_labels_that_agree():
    """Step 7: no rows of two even halves pass it, whichever share of the features is a half; and rows that are not even do not."""
    rng = np.random.default_rng(4)
    for d in (2, 5, 12):
        S = np.linspace(0, 1, 20_001)
        most = float((math.sqrt(d / 2) * S + d / 8 * S * (2 * np.sqrt(2 - S * S) - S)).max())
        x, new = rng.random((2, 20_000, d)) ** rng.uniform(.2, 5, (2, 20_000, 1)) * (rng.random((2, 20_000, d)) < .6)
        x, new = (v / np.maximum(np.linalg.norm(v, axis=1), 1e-9)[:, None] for v in (x, new))
        moves = np.abs(x - new).sum(axis=1) / 2 + np.abs(x[:, :, None] * x[:, None] - new[:, :, None] * new[:, None]).sum(axis=(1, 2)) / 8
        assert moves.max() <= most + 1e-9
        theta, psi, omega = rng.uniform(0, math.pi / 2, (3, 20_000))
        omega = omega / 2
        angles, A, B = (theta - omega, theta + omega), np.sin(theta + psi), np.cos(theta - psi)
        inside = (angles[0] >= 0) & (angles[1] <= math.pi / 2)
        s, C = math.sqrt(2) * np.sin(omega), math.sqrt(2) * np.cos(omega)
        (z1, z2), (v1, v2) = ((np.cos(angle), np.sin(angle)) for angle in angles)
        P, P_new = math.sqrt(d) * np.cos(psi) * (z1 - v1), math.sqrt(d) * np.sin(psi) * (v2 - z2)
        mu = math.sqrt(d) * (np.cos(psi) * v1 + np.sin(psi) * z2)
        Q = (P + P_new) / 2 + ((mu + P)**2 + (mu + P_new)**2 - 2 * mu**2) / 8
        np.testing.assert_allclose(Q, math.sqrt(d / 2) * s * A + d / 8 * (2 * s * C * A * B - s**2 * (A**2 + B**2 - 1)), atol=1e-9)
        assert Q[inside].max() <= most + 1e-9


# --- two scales, Laplace noise

def weighted_box(d: int, pair: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    on, on_H = np.where(np.arange(d) == 0, *pair), np.full((d, d), pair[1])
    on_H[0] = on_H[:, 0] = pair[0]
    return on, on_H


@pytest.mark.parametrize("d, pair", [(2, (1.0, 1.0)), (2, (.1, 1.0)), (3, (1.0, .1)), (4, (1.0, .3)), (3, (1.0, .01)), (4, (.05, 1.0))])
def test_the_loss_of_two_scales_on_the_box_is_exact(d, pair):
    exact = functional.pdfc_epsilon(d, *pair, domain="box", sensitivity=1.0)
    assert .995 * exact <= box_move(d, *weighted_box(d, pair), 1.0, np.random.default_rng(0)) <= exact + 1e-9
    if pair[0] == pair[1]:
        assert exact == pytest.approx(pair[0] * functional.fair_l1(d, domain="box"))


@pytest.mark.slow
def test_theorem_3_is_true_by_a_loose_constant_and_false_with_a_sharp_one():
    """Gap D6: the average holds as printed for features in [0, 1]; with the sharp sensitivity a pair loses more, on both sides."""
    scales = (.01, .1, 1.0, 10.0, 100.0)
    for d in (2, 3, 5, 10, 50, 1000):
        printed = functional.fair_l1(d, as_printed=True)
        for s in scales:
            for n in scales:
                assert functional.pdfc_epsilon(d, s, n, domain="box") <= functional.average_epsilon(d, s, n)
                assert functional.pdfc_epsilon(d, s, n) <= functional.average_epsilon(d, s, n)
        assert functional.pdfc_epsilon(d, 1e6, 1e-6, domain="box") / 1e6 <= (d / 4 + 15 / 8) / printed + 1e-9 < 1 / d      # Step 2
        assert functional.pdfc_epsilon(d, 1e-6, 1e6, domain="box") / 1e6 <= (d - 1) * (d / 8 + 15 / 8) / printed + 1e-9     # Step 3
    for pair, least, average in (((.1, 1.0), .879, .82), ((1.0, .1), .435, .28)):
        attained = found(5, 1.0, "l1", pair) / functional.fair_l1(5)
        assert attained >= least > average == pytest.approx(functional.average_epsilon(5, *pair))
        assert attained <= functional.pdfc_epsilon(5, *pair, sensitivity=functional.fair_l1(5)) <= max(pair)
    for d, pair in ((5, (1.0, .1)), (10, (1.0, 1.0)), (10, (1.0, .1)), (4, (.1, 1.0))):     # what is certified in the ball is no less
        assert found(d, 1.0, "l1", pair) <= functional.pdfc_epsilon(d, *pair, sensitivity=1.0)
    assert .1446 < found(10, 1.0) / 55 <= functional.pdfc_epsilon(10, 1.0, 1.0) < .1465
    with_signs = (np.ones(10), np.r_[1.0, -np.ones(9)], -np.ones((9999, 10)))         # Fails if features may be negative
    first = (np.arange(10_000) == 0).astype(int)
    move = np.abs(merged((np.vstack([with_signs[0], with_signs[2]]), 0 * first, first))
                  - merged((np.vstack([with_signs[1], with_signs[2]]), first, 0 * first)))
    loss = move @ np.where(functional.with_feature(10, 0), 1.0, .01) / functional.fair_l1(10, as_printed=True)
    assert round(loss, 3) == .140 and round(functional.average_epsilon(10, 1.0, .01), 3) == .109
    one, others = np.array([1.0, 0.0]), np.tile([0.0, 1.0], (9999, 1))                # and if alpha is 3, at two features
    move = np.abs(merged((np.vstack([one, others]), 0 * first, first), 3.0) - merged((np.vstack([one, others]), first, 0 * first), 3.0))
    loss = move @ np.where(functional.with_feature(2, 0), 1.0, .01) / functional.fair_l1(2, as_printed=True)
    assert round(loss, 3) == .576 > round(functional.average_epsilon(2, 1.0, .01), 3) == .505


@pytest.mark.parametrize("d", [2, 5, 100, 5000])
def test_the_bound_of_one_feature_holds_between_the_points_of_its_grid(d):
    """Grids within grids, down to a step of 1e-10: the maximum is above every point of the library's grid, by 4e-8 to 2e-6, so without
    what a step may add the bound would be too low. With it, it is too high by less than a thousandth."""
    at, width = np.full(2, math.pi / 4), math.pi / 4
    for _ in range(10):
        t, t_new = (np.clip(np.linspace(middle - width, middle + width, 201), 0, math.pi / 2) for middle in at)
        u, v = np.sin(t)[:, None], np.sin(t_new)[None]
        move = 1.5 * u + .5 * v + np.abs(u**2 - v**2) / 8 + np.sqrt((d - 1) * (u**2 * (1 - u**2) + v**2 * (1 - v**2))) / 4
        i, j = np.unravel_index(move.argmax(), move.shape)
        at, width = np.array([t[i], t_new[j]]), width / 10
    assert move.max() <= functional.two_scales.part_sensitivity(d, "s", "l1") <= 1.001 * move.max()


@pytest.mark.parametrize("d", [2, 3, 5, 10])
def test_in_the_ball_no_pair_moves_a_part_or_loses_more_than_is_said(d):
    """Each part attacked alone, and both with weights; and Step 3, on a grid: what a group at the other end moves is less."""
    for weights, part in (((1.0, 0.0), "s"), ((0.0, 1.0), "n")):
        move, bound = found(d, 1.0, "l1", weights), functional.two_scales.part_sensitivity(d, part, "l1")
        assert (.985 * bound if part == "s" else .9 * bound if d > 2 else 0.0) <= move <= bound + 1e-9
    for pair in ((1.0, .1), (.1, 1.0), (1.0, .01)):
        attained, said = found(d, 1.0, "l1", pair), functional.pdfc_epsilon(d, *pair, sensitivity=1.0)
        assert .8 * said <= attained <= said + 1e-9
    u, v = np.meshgrid(*2 * [np.linspace(0, 1, 401)])
    h = np.sqrt(np.maximum(u**2 * (1 - u**2) + v**2 * (1 - v**2), 0))
    most = functional.two_scales.part_sensitivity(d, "s", "l1")
    assert (1 + (v - u) / 2 + np.abs(u**2 - v**2) / 8 + math.sqrt(d - 1) / 4 * h).max() <= most
    assert (h**2)[u + v <= 1].max() <= 3 / 8 + 1e-12


def noise_of(fits: list, mean: np.ndarray, in_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What was added to the coefficients with w_s, and to those without."""
    added = np.array([fit.objective.coefficients() - mean for fit in fits])
    return added[:, in_s].ravel(), added[:, ~in_s].ravel()


@pytest.mark.slow
def test_pdfc_is_the_merged_objective_with_laplace_noise_of_two_scales():
    people, rng = some_people(np.random.default_rng(5), 30, 4), np.random.default_rng(6)
    s, budgets, sensitivity = 2, (.5, 4.0), 4**2 / 4 + 3 * 4
    fits = [functional.pdfc(*people, s, *budgets, rng) for _ in range(3000)]
    for noise, epsilon in zip(noise_of(fits, merged(people), functional.with_feature(4, s)), budgets, strict=True):
        assert not far(noise, stats.laplace(scale=sensitivity / epsilon).cdf)
    fit = fits[0]
    assert fit.claimed == pytest.approx(.5 / 4 + 4.0 * 3 / 4)
    assert [(r.mechanism, r.unit, r.scale) for r in fit.releases_] == [("laplace", UNIT_TUPLE, sensitivity / e) for e in budgets]
    ridge = 4 * math.sqrt(2) * sensitivity / budgets[1]
    np.testing.assert_allclose(fit.w, functional.minimum(fit.objective, ridge=ridge))       # nothing else is read of the people


# --- two scales, Gaussian noise

@pytest.mark.slow
def test_adfc_is_the_merged_objective_with_gaussian_noise_of_two_scales():
    people, rng = some_people(np.random.default_rng(7), 30, 4), np.random.default_rng(8)
    s, budgets, deltas = 1, (.5, 4.0), (1e-7, 1e-3)
    lams = [math.log(math.sqrt(2 / math.pi) / delta) for delta in deltas]
    sigmas = [math.sqrt(4**2 / 16 + 9 * 4) * (math.sqrt(lam) + math.sqrt(lam + e)) / (math.sqrt(2) * e)
              for e, lam in zip(budgets, lams, strict=True)]
    fits = [functional.adfc(*people, s, *budgets, *deltas, rng) for _ in range(3000)]
    for noise, sigma in zip(noise_of(fits, merged(people), functional.with_feature(4, s)), sigmas, strict=True):
        assert not far(noise, stats.norm(scale=sigma).cdf)
    fit = fits[0]
    assert (fit.claimed, fit.claimed_delta) == pytest.approx((.5 / 4 + 4.0 * 3 / 4, 1 - (1 - 1e-7) * (1 - 1e-3)))
    assert functional.adfc(*people, s, *budgets, .1, .2, rng).claimed_delta == pytest.approx(.28)
    assert [r.scale for r in fit.releases_] == pytest.approx(sigmas) and {r.mechanism for r in fit.releases_} == {"gaussian"}
    np.testing.assert_allclose(fit.w, functional.minimum(fit.objective, ridge=4 * sigmas[1]))


def test_the_true_epsilon_reads_each_delta_where_it_belongs():
    """delta_s makes the noise of one part, delta_n that of the other, and both together are what is allowed."""
    d, budgets = 10, (10.0, .01)
    for deltas in ((1e-7, 1e-3), (1e-3, 1e-7)):
        sigmas = [functional.gaussian_sigma_extended(functional.fair_l2(d, as_printed=True), e, delta)
                  for e, delta in zip(budgets, deltas, strict=True)]
        exact = epsilon_at(functional.adfc_ratio(d, *sigmas), 1 - (1 - 1e-7) * (1 - 1e-3))
        assert functional.adfc_epsilon(d, *budgets, *deltas) == pytest.approx(exact, rel=2e-3)
    people = some_people(np.random.default_rng(5), 30, d)
    claims = functional.adfc(*people, 0, *budgets, 1e-60, 1e-80, np.random.default_rng(0))
    assert (claims.claimed, claims.claimed_delta) == pytest.approx((1.009, 1e-60), rel=1e-12)      # no 0 by rounding
    for name, deltas in (("delta_s", (0.9, 1e-5)), ("delta_n", (1e-5, 0.0))):
        with pytest.raises(ValueError, match=name):
            functional.adfc_epsilon(d, *budgets, *deltas)


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("scales", [(1.0, 1.0), (1.0, 3.0), (1.0, 100.0), (1.5, 1.0), (20.0, 1.0)])
def test_the_ratio_of_two_scales_is_exact(d, scales):
    """No pair that a search finds is further apart, and one comes near; D_s alone is at most 2."""
    exact = functional.adfc_ratio(d, *scales)
    weights = (1 / scales[0], 1 / scales[1])
    assert .998 * exact <= found(d, 1.0, "l2", weights) <= exact + 1e-9
    assert found(d, 1.0, "l2", (1.0, 0.0)) <= functional.two_scales.part_sensitivity(d, "s", "l2") + 1e-9 == pytest.approx(2.0)
    D, new = functional.worst_pair(d, 400)
    move, in_s, rho = merged(D) - merged(new), functional.with_feature(d, 0), 1 - 1 / 400
    assert np.linalg.norm(move[in_s]) == pytest.approx(1 + rho) and np.linalg.norm(move[~in_s]) == pytest.approx(rho)
    if scales[0] <= scales[1]:
        attained = np.linalg.norm(move / np.where(in_s, *scales))
        assert attained == pytest.approx(math.hypot((1 + rho) / scales[0], rho / scales[1])) and .997 * exact < attained < exact


def test_theorem_5_is_false_and_true_where_one_feature_has_no_less_noise():
    """Gap D7: exact, on two data sets; drawn on both of them, with Clopper-Pearson bounds at 1e-9 each; and the direction that holds."""
    delta = 1e-5
    granted = 1 - (1 - delta)**2
    for d, pair, true, claimed in ((10, (10.0, .01), 1.328, 1.009), (100, (10.0, .01), .290, .110), (10, (1.0, .01), .124, .109)):
        assert round(functional.adfc_epsilon(d, *pair, delta, delta), 3) == true > claimed == round(functional.average_epsilon(d, *pair), 3)
    d, pair = 100, (10.0, .01)
    people, other = functional.worst_pair(d, 1000)
    assert (people.X == other.X).all() and (people.y != other.y).sum() == (people.A != other.A).sum() == 1      # neighbours
    said = functional.adfc(*people, 0, *pair, delta, delta, np.random.default_rng(0))
    before, after = merged(people), merged(other)
    moved = np.flatnonzero(before != after)
    sigma = np.where(functional.with_feature(d, 0), *(r.scale for r in said.releases_))[moved]
    exact = epsilon_at(float(np.linalg.norm((before - after)[moved] / sigma)), granted)
    assert exact == pytest.approx(functional.adfc_epsilon(d, *pair, delta, delta), rel=2e-3) and exact > 2 * said.claimed
    rng, n = np.random.default_rng(1), 2_000_000

    def hits(mean: np.ndarray) -> int:
        z = mean[moved] + sigma * rng.normal(size=(n, len(moved)))
        return int((((z - after[moved])**2 - (z - before[moved])**2) @ (1 / (2 * sigma**2)) > said.claimed).sum())
    low, high = audit.clopper_pearson(hits(before), n, ALPHA)[0], audit.clopper_pearson(hits(after), n, ALPHA)[1]
    assert low - math.exp(said.claimed) * high > 50 * granted
    scales, m, rng = (1e-3, .01, .1, 1.0, 10.0), 1e16, np.random.default_rng(2)
    # the weights alone: others of every single feature, the square root of m for all but one, labels half and half; then -H w is b's noise
    H, d = np.diag(np.r_[math.sqrt(m), m, np.full(8, math.sqrt(m))]) / 4, 10
    b, in_s = np.r_[1.5, -1.0, np.zeros(8)], functional.with_feature(d, 0)
    noise = np.where(in_s, *(functional.gaussian_sigma_extended(functional.fair_l2(d, as_printed=True), e, 1e-5) for e in pair))
    for _ in range(200):
        noisy = Quadratic.of_coefficients(Quadratic(b, H).coefficients() + noise * rng.normal(size=len(noise)))
        assert (np.abs(-H @ functional.minimum(noisy) - noisy.b) < .02 * noise[:d]).all()
    for d in (2, 3, 4, 10, 100, 5000):
        for n_ in scales:
            for s in scales:
                if s <= n_:
                    for deltas in ((1e-10, 1e-10), (1e-5, 1e-5), (1e-2, 1e-2), (1e-10, 1e-2), (1e-2, 1e-10)):
                        assert functional.adfc_epsilon(d, s, n_, *deltas) <= functional.average_epsilon(d, s, n_)
    sharp = [gaussian_sigma(math.sqrt(5), epsilon, 1e-5) for epsilon in (.1, 1.0)]      # and false again once the noise is sharp
    assert round(epsilon_at(functional.adfc_ratio(10, *sharp), granted), 3) == .953 > functional.average_epsilon(10, .1, 1.0)
    worse = [functional.adfc_epsilon(20, s, .1, 1e-5, 1e-5) > functional.average_epsilon(20, s, .1)
             for s in (2.56, 2.57, 10.0, 287.9, 288.0)]
    assert worse == [False, True, True, True, False]
    ratios = np.geomspace(1, 1e3, 61)                       # where it begins to be false, as epsilon_s grows: at 25 to 120 times epsilon_n
    for d in (10, 20, 50, 100):
        for n_ in (.01, .1):
            false = [functional.adfc_epsilon(d, ratio * n_, n_, 1e-5, 1e-5) > functional.average_epsilon(d, ratio * n_, n_)
                     for ratio in ratios]
            assert 25 < ratios[false.index(True)] < 120, (d, n_)


@pytest.mark.slow
def test_theorem_5_is_refuted_by_a_run_at_ten_features():
    """Gap D7 at (10, 10, .01): at the claimed 1.009 the exact delta is 4.6e-4, and 2e-5 is granted. Noise of the two coefficients that
    move, 40 million times, on both data sets; the same for both, as each bound of Clopper and Pearson holds at 1e-9 by itself. Were both
    counts off by 6.5 deviations to the wrong side, 1.16e-4 would be left; of 20 million draws nothing."""
    d, pair, delta = 10, (10.0, .01), 1e-5
    people, other = functional.worst_pair(d, 1000)
    said = functional.adfc(*people, 0, *pair, delta, delta, np.random.default_rng(0))
    gap = merged(people) - merged(other)
    moved = np.flatnonzero(gap)
    shift = (gap / np.where(functional.with_feature(d, 0), *(r.scale for r in said.releases_)))[moved]
    assert len(moved) == 2 and round(said.claimed, 3) == 1.009
    assert gaussian_delta(float(np.linalg.norm(shift)), 1.0, said.claimed) == pytest.approx(4.6e-4, abs=5e-6)
    rng, n, chunk, hits, half = np.random.default_rng(3), 40_000_000, 500_000, np.zeros(2, dtype=int), shift @ shift / 2
    for _ in range(n // chunk):
        loss = rng.standard_normal((chunk, 2)) @ shift          # and half more where people are the truth, half less where others are
        hits += [np.count_nonzero(loss > said.claimed - half), np.count_nonzero(loss > said.claimed + half)]
    low, high = audit.clopper_pearson(int(hits[0]), n, ALPHA)[0], audit.clopper_pearson(int(hits[1]), n, ALPHA)[1]
    assert low - math.exp(said.claimed) * high > 5 * (1 - (1 - delta)**2)


def test_theorem_5_as_its_own_text_has_it_is_true_by_slack():
    """With halves in place of 1/d and (d - 1)/d; and a constant of a third of the size would not do."""
    for d in (2, 3, 10, 100):
        for pair in itertools.product((1e-3, .1, 1.0, 30.0, 500.0), repeat=2):
            for delta in (1e-10, 1e-3):
                assert functional.adfc_epsilon(d, *pair, delta, delta) <= (pair[0] + (d - 1) * pair[1]) / 2
    small = functional.fair_l2(2, as_printed=True) / 3
    assert functional.adfc_epsilon(2, 6.0, 6.0, 1e-10, 1e-10, sensitivity=small) > 6.0


# --- what to release instead

def test_apart_one_person_moves_the_root_of_3_and_alpha_costs_nothing():
    rng = np.random.default_rng(9)
    for low, domain in ((0.0, "nonnegative"), (-1.0, "signed")):
        for _ in range(300):
            D, new = neighbours(rng, int(rng.integers(2, 30)), 3, low=low)
            move = apart(D) - apart(new)
            assert np.linalg.norm(move) <= functional.fair_l2(3, separate=True, domain=domain)
            assert np.abs(move).sum() <= functional.fair_l1(3, separate=True, domain=domain)
    D, new = functional.worst_pair(2, 2000)
    assert np.linalg.norm(apart(D) - apart(new)) == pytest.approx(math.sqrt(3), rel=1e-3)
    assert functional.fair_l2(2, separate=True) == pytest.approx(math.sqrt(3))
    X = np.r_[[[1.0, 0.0]], np.tile([[-1.0, 0.0]], (1999, 1))]
    assert np.linalg.norm(apart((X, *D[1:])) - apart((X, *new[1:]))) == pytest.approx(math.sqrt(5), rel=1e-3)
    assert functional.fair_l2(2, separate=True, domain="signed") == pytest.approx(math.sqrt(5))


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_apart_and_of_either_sign_the_covariance_moves_by_twice_the_root_of_d(d):
    """One even row changes label and group, and all others have the opposite row; of the bound the matrix's part alone is not attained."""
    X, first = np.vstack([np.ones((1, d)), -np.ones((9999, d))]) / math.sqrt(d), (np.arange(10_000) == 0).astype(int)
    move = np.abs(apart((X, 0 * first, first)) - apart((X, first, 0 * first)))
    bound = functional.fair_l1(d, separate=True, domain="signed")
    assert bound - functional.logistic_l1(d, domain="signed") == pytest.approx(move[-d:].sum(), rel=2e-4)
    assert .89 * bound < move.sum() <= bound and move.sum() == pytest.approx(3 * math.sqrt(d), rel=2e-4)


@pytest.mark.slow
def test_the_fair_functional_mechanism_releases_once_and_penalizes_afterwards():
    people = some_people(np.random.default_rng(10), 400, 3)
    sigma, rng = gaussian_sigma(math.sqrt(3), 2.0, 1e-6), np.random.default_rng(11)
    fits = [functional.fair_functional_mechanism(*people, 2.0, 1e-6, rng) for _ in range(3000)]
    f = functional.log_loss_quadratic(*people[:2]).coefficients()
    assert not far(np.array([fit.objective.coefficients() - f for fit in fits]).ravel(), stats.norm(scale=sigma).cdf)
    assert [(r.mechanism, r.scale) for r in fits[0].releases_] == [("gaussian", pytest.approx(sigma))]
    pure = functional.fair_functional_mechanism(*people, 2.0, None, rng)
    assert pure.releases_[0].mechanism == "laplace" and pure.releases_[0].epsilon == pytest.approx(2.0)
    for epsilon, delta in ((1.0, 1e-6), (1.0, None)):
        same = [functional.fair_functional_mechanism(*people, epsilon, delta, np.random.default_rng(3), alpha=alpha)
                for alpha in (0.0, .5, math.inf)]
        for fit in same[1:]:
            np.testing.assert_array_equal(fit.objective.coefficients(), same[0].objective.coefficients())
            assert fit.releases_ == same[0].releases_
            np.testing.assert_array_equal(fit.c, same[0].c)
        deviation = same[0].releases_[0].scale * (math.sqrt(2) if delta is None else 1)
        later = functional.minimum(same[0].objective, ridge=4 * deviation, c=same[0].c, alpha=.5)
        np.testing.assert_allclose(later, same[1].w, rtol=1e-9)             # one release serves every alpha
    noise = np.array([fit.c for fit in fits]) - functional.covariance_vector(people[0], people[2])
    assert not far(noise.ravel(), stats.norm(scale=sigma).cdf)
    people = some_people(np.random.default_rng(10), 20_000, 3)
    exact = functional.fair_functional_mechanism(*people, 700.0, 1e-2, np.random.default_rng(4), alpha=math.inf)
    free = functional.fair_functional_mechanism(*people, 700.0, 1e-2, np.random.default_rng(4), alpha=0.0)
    c = functional.covariance_vector(people[0], people[2])
    assert abs(c @ exact.w) < .05 * abs(c @ free.w)        # the price is one on the noisy covariance, and these differ little


def moments_of(people: tuple, k: int, g: float) -> np.ndarray:
    """What release_moments adds noise to, made of sums over people."""
    X, y, A = people
    G = X.T @ X
    rows, cols = np.triu_indices(len(G))
    stretch = g * np.where(rows == cols, 1, math.sqrt(2))
    return np.r_[X.T @ (y - .5), (X.T @ group_vertices(k)[A]).ravel(), stretch * G[rows, cols]]


@pytest.mark.parametrize("k, g", [(2, None), (3, None), (4, None), (2, 1.0), (3, .2)])
def test_moments_move_by_the_root_of_2_and_the_matrix_rides_free(k, g):
    """From below by all pairs of two rows of norm 1, or shorter, at every angle, all labels and groups."""
    weight = functional.moments.free_gram_weight(k) if g is None else g
    sharp = functional.moments_l2(k, gram_weight=g)
    rest = (np.zeros((0, 2)), np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    largest = 0.0
    for angle in np.linspace(0, math.pi, 181):
        for lengths in ((1.0, 1.0), (1.0, .7)):
            one, two = lengths[0] * np.array([1.0, 0.0]), lengths[1] * np.array([math.cos(angle), math.sin(angle)])
            for label in (0, 1):
                for group in (0, 1):
                    D, new = ((np.vstack([x, rest[0]]), np.array([y]), np.array([a])) for x, y, a in ((one, 0, 0), (two, label, group)))
                    largest = max(largest, float(np.linalg.norm(moments_of(D, k, weight) - moments_of(new, k, weight))))
    assert .9995 * sharp <= largest <= sharp + 1e-12
    if g is None and k == 2:        # label and group alone
        assert weight == .5 and sharp == pytest.approx(math.sqrt(2))


def test_printed_noise_is_7_times_ours_at_ten_features_and_25_times_at_a_hundred():
    """ADFC's deviation where both its epsilons are one, over that of moments at the same epsilon and delta: on the grid at least 7.68 and
    30.57, found at epsilon 10 and delta 1e-7; smaller epsilons waste more."""
    for d, more_than, least in ((10, 7, 7.68), (100, 25, 30.57)):
        ratios = [functional.gaussian_sigma_extended(functional.fair_l2(d, as_printed=True), epsilon, delta)
                  / gaussian_sigma(functional.moments_l2(2), epsilon, delta)
                  for epsilon, delta in itertools.product((.01, .1, 1.0, 10.0), (1e-3, 1e-5, 1e-7))]
        assert more_than < min(ratios) == ratios[-1] == pytest.approx(least, abs=.005)


@pytest.mark.parametrize("k", [2, 3])
def test_covariances_follow_from_moments_that_were_never_centred(k):
    rng = np.random.default_rng(k)
    X = np.column_stack([np.full(60, .5), rng.uniform(-.3, .3, (60, 3))])
    y, A = rng.integers(0, 2, 60), rng.integers(0, k, 60)
    told = functional.Moments(60, .5, X.T @ (y - .5), group_vertices(k)[A].T @ X, X.T @ X, 1.0, .5)
    groups = [1] if k == 2 else range(k)
    expected = [functional.covariance_vector(X, (A == a).astype(int)) for a in groups]
    np.testing.assert_allclose(told.covariances(), expected, atol=1e-12)
    f = functional.log_loss_quadratic(X, y)
    np.testing.assert_allclose(told.objective().coefficients(), f.coefficients(), atol=1e-12)


# --- a shift is published with the noise

@pytest.mark.slow
def test_the_shift_of_pflr_star_has_to_be_paid():
    """Laplace noise around the merged coefficients, of a scale made for the log loss alone; the record says what it costs."""
    people, alpha, rng = some_people(np.random.default_rng(12), 25, 4), 2.0, np.random.default_rng(13)
    for pays in (False, True):
        scale = (functional.fair_l1(4, alpha) if pays else functional.logistic_l1(4)) / .5
        fits = [functional.pflr_star(*people, .5, rng, alpha=alpha, pays=pays) for _ in range(2500)]
        added = np.array([fit.objective.coefficients() - merged(people, alpha) for fit in fits])
        assert not far(added.ravel(), stats.laplace(scale=scale).cdf)
        (release,) = fits[0].releases_
        assert release.scale == pytest.approx(scale) and release.sensitivity == pytest.approx(functional.fair_l1(4, alpha))
        assert release.epsilon == pytest.approx(.5 if pays else .5 * functional.fair_l1(4, alpha) / functional.logistic_l1(4))
    D, new = functional.worst_pair(2, 100_000)      # attained by data sets: a row e_1 of group 1 for a row e_2 of group 0, as all others
    new = new._replace(X=np.tile(D.X[1], (100_000, 1)), y=D.y)
    assert np.abs(merged(D) - merged(new)).sum() == pytest.approx(3.25, rel=1e-4) and functional.logistic_l1(2, as_printed=True) == 3
    box = {d: functional.fair_l1(d, domain="box") / functional.logistic_l1(d, as_printed=True) for d in (2, 3, 4, 5, 6)}
    assert [ratio > 1 for ratio in box.values()] == [True, True, True, False, False]
    assert 1.8 < functional.fair_l1(10) / functional.logistic_l1(10) < 1.95
    printed = functional.pflr_star(*people, .5, rng, as_printed=True)
    assert printed.releases_[0].scale == pytest.approx((4**2 / 4 + 4) / .5)


# --- who is protected against whom

def test_a_group_alone_moves_the_covariance_and_a_feature_alone_its_own_coefficients():
    """Gap D12."""
    rng = np.random.default_rng(14)
    for _ in range(50):
        m, d = int(rng.integers(2, 12)), int(rng.integers(2, 6))
        X, y, A = some_people(rng, m, d)
        i, s = int(rng.integers(m)), int(rng.integers(d))
        A_new = np.where(np.arange(m) == i, 1 - A, A)
        moved = functional.covariance_vector(X, A_new) - functional.covariance_vector(X, A)
        np.testing.assert_allclose(moved, (A_new[i] - A[i]) * (X[i] - X.mean(axis=0)), atol=1e-12)
        move = merged((X, y, A_new)) - merged((X, y, A))
        np.testing.assert_allclose(move[d:], 0.0, atol=1e-12)
        X_new = X.copy()
        X_new[i, s] *= rng.random()
        move, in_s = merged((X_new, y, A)) - merged((X, y, A)), functional.with_feature(d, s)
        np.testing.assert_allclose(move[~in_s], 0.0, atol=1e-12)
        assert (np.abs(move[in_s][1:]) > 1e-12).all()        # b_s may stay: label and group can cancel
        printed = functional.fair_l1(d, as_printed=True)
        assert np.abs(move).sum() / printed <= (d / 4 + 15 / 8) / printed


# --- more noise on one feature is no fairness theorem

def gaps(epsilon_s: float) -> tuple[float, float]:
    """Mean gap and mean accuracy of ADFC for people who are judged alike without noise: exercise 19C."""
    half, A = np.tile([0.0, .6], 400), np.repeat([0, 1], 800)
    second = np.tile(np.repeat([.1, .2, .3, .4], 200), 2)
    X, y = np.column_stack([np.r_[half, 0 * half + .3], second, np.full(1600, .5)]), (second > .25).astype(int)
    rng, rows = np.random.default_rng(15), []
    for _ in range(300):
        says = X @ functional.adfc(X, y, A, 0, epsilon_s, 1000.0, 1e-3, 1e-3, rng).w > 0
        rows.append([abs(says[A == 0].mean() - says[A == 1].mean()), (says == y).mean()])
    return tuple(np.mean(rows, axis=0))


def test_more_noise_on_one_feature_may_make_the_groups_less_alike():
    """Gap D13: a feature that goes with the group and says nothing of the label. 300 draws: a mean gap of 0.02 by chance, where it is 0
    without noise on the feature, cannot be; at .1 the gap's deviation is about .15, so the mean is below .05 with a chance below 1e-9."""
    quiet, loud = gaps(1000.0), gaps(.3)
    assert quiet[0] < .01 and quiet[1] > .99
    assert loud[0] > .05 and loud[1] < .95


# --- deliberate faults

def quieter(factor):
    """``mechanisms.release`` with less noise than its record says."""
    def make(f):
        def faulty(mechanism, value, rng, **numbers):
            answer, record = f(mechanism, value, rng, **numbers)
            return value + factor * (answer - value), record
        return faulty
    return make


def wrong_l2(form):
    """fair_l2 for merged coefficients, x >= 0, by another form."""
    def make(f):
        def faulty(d, alpha=1.0, **how):
            return f(d, alpha, **how) if how else form(alpha)
        return faulty
    return make


def wrong_l1(differ, agree, box=None):
    """fair_l1 for merged coefficients by other bounds; with ``box`` on the box."""
    def make(f):
        def faulty(d, alpha=1.0, **how):
            if how.get("domain") == "box" and box and not how.get("as_printed"):
                return box(d, alpha)
            if how:
                return f(d, alpha, **how)
            q, S = np.linspace(0, 1, 2001), np.linspace(0, 1, 2001)
            return float(max(differ(d, alpha, q).max(), agree(d, alpha, S).max()))
        return faulty
    return make


def differ(d, alpha, q, label=1.0, groups=1.0, matrix=1.0):
    return np.sqrt(d * ((1 + q) * (.5 * label + alpha * groups) + 2 * groups * alpha**2)) + matrix * d / 8 * np.sqrt(2 - 2 * q * q)


def agree(d, alpha, S, label=1.0, groups=1.0, matrix=1.0):
    return label * math.sqrt(d / 2) * S + matrix * d / 8 * S * (2 * np.sqrt(2 - S * S) - S) + groups * alpha * math.sqrt(2 * d)


def box_bound(d, alpha, label=1.0, groups=1.0, matrix=1.0):
    return label * (d + 2) / 2 + groups * alpha * d + matrix * (d**2 - 4) / 8


def terms(**weights):
    return wrong_l1(*(lambda *given, bound=bound: bound(*given, **weights) for bound in (differ, agree, box_bound)))


def one_part(s: float, n: float):
    """pdfc_epsilon of one of its two parts."""
    return lambda f: lambda d, epsilon_s, epsilon_n, **how: f(d, (s or 1e-9) * epsilon_s, (n or 1e-9) * epsilon_n, **how)


def without_its(name: str):
    """moments_l2 with one of its three parts left out."""
    def make(f):
        def faulty(n_groups=None, *, gram_weight=None):
            k = n_groups
            g = functional.moments.free_gram_weight(k) if gram_weight is None else gram_weight
            lines = [(.5, .5), (.5, -.5)] if name != "label" else [(0.0, 0.0)]
            if name != "group":
                lines = [(at + (k - 1) / k, slope + more) for at, slope in lines for more in (1 / k, -(k - 1) / k)]
            square = 0.0 if name == "matrix" else 2 * g * g
            c = np.linspace(-1, 1, 4001)
            return math.sqrt(max(float((at + slope * c + square * (1 - c * c)).max()) for at, slope in lines))
        return faulty
    return make


def never_stops(f):
    """The price alpha, whatever the covariance is: the sign it had without a penalty, and no clip."""
    def faulty(objective, c, alpha):
        t = -np.asarray(c) @ np.linalg.solve(objective.H, objective.b)
        return functional.minimum(Quadratic(objective.b + math.copysign(min(alpha, 1e6), t) * np.asarray(c), objective.H))
    return faulty


ROOM = "dpfair_teach.functional."
FAULTS = {
    "penalty_of_one_sign": Mutant(
        ROOM + "penalized_minimum", lambda f: lambda q, c, alpha: functional.minimum(Quadratic(q.b + min(alpha, 1e6) * np.asarray(c), q.H)),
        "+alpha c.w in place of the penalty"),
    "penalty_never_stops": Mutant(ROOM + "penalized_minimum", never_stops, "the price is alpha on both sides of 0"),
    "bound_is_equality": Mutant(ROOM + "bounded_minimum", with_arguments(tau=lambda tau: 0.0), "the covariance is made 0, whatever tau"),
    "bound_is_never_reached": Mutant(ROOM + "bounded_minimum", lambda f: lambda q, c, tau: functional.minimum(q), "tau is not read"),
    "merged_against_the_covariance": Mutant(
        ROOM + "merged_quadratic", with_arguments(A=lambda A: 1 - np.asarray(A)), "the other group is called 1"),
    "merged_of_weight_one": Mutant(ROOM + "merged_quadratic", with_arguments(alpha=lambda a: min(a, 1.0)), "larger alphas are not read"),
    "covariance_of_a_fixed_mean": Mutant(
        ROOM + "covariance_vector", lambda f: lambda X, A: (np.asarray(A) - .5) @ np.asarray(X, float), "the mean of the group is no data"),
    "fair_l2_without_the_label": Mutant(ROOM + "fair_l2", wrong_l2(lambda a: math.sqrt(2) * a), "the label's 1 is left out"),
    "fair_l2_without_the_own_row": Mutant(ROOM + "fair_l2", wrong_l2(lambda a: math.hypot(1, a)), "label and group never meet on one row"),
    "fair_l2_without_the_others": Mutant(ROOM + "fair_l2", wrong_l2(lambda a: 1 + a), "the others' mean row is left out"),
    "fair_l1_without_the_label": Mutant(ROOM + "fair_l1", terms(label=0.0), "labels move nothing"),
    "fair_l1_without_the_group": Mutant(ROOM + "fair_l1", terms(groups=0.0), "groups move nothing"),
    "fair_l1_without_the_matrix": Mutant(ROOM + "fair_l1", terms(matrix=0.0), "products move nothing"),
    "fair_l1_of_labels_that_differ": Mutant(
        ROOM + "fair_l1", wrong_l1(differ, lambda d, alpha, S: 0 * S, box_bound), "labels are taken to differ"),
    "fair_l1_of_labels_that_agree": Mutant(
        ROOM + "fair_l1", wrong_l1(lambda d, alpha, q: 0 * q, agree, box_bound), "labels are taken to agree"),
    "pdfc_loss_without_phi_s": Mutant(ROOM + "pdfc_epsilon", one_part(0.0, 1.0), "the coefficients with w_s lose nothing"),
    "pdfc_loss_without_phi_n": Mutant(ROOM + "pdfc_epsilon", one_part(1.0, 0.0), "the coefficients without w_s lose nothing"),
    "pdfc_loss_is_the_average": Mutant(
        ROOM + "pdfc_epsilon", lambda f: lambda d, s, n, **how: functional.average_epsilon(d, s, n), "the paper's average"),
    "pdfc_noise_on_another_feature": Mutant(
        ROOM + "pdfc", calling("with_feature", lambda f: lambda d, s: f(d, (s + 1) % d)), "another feature has noise of its own"),
    "pdfc_noise_times_08": Mutant(
        ROOM + "pdfc", calling("release", quieter(.8)), "the noise is too small"),
    "adfc_noise_on_another_feature": Mutant(
        ROOM + "adfc", calling("with_feature", lambda f: lambda d, s: f(d, (s + 1) % d)), "another feature has noise of its own"),
    "adfc_noise_times_08": Mutant(
        ROOM + "adfc", calling("release", quieter(.8)), "the noise is too small"),
    "adfc_ignores_its_budget": Mutant(ROOM + "adfc", with_arguments(epsilon_s=lambda e: 1000.0), "x_s has no noise of its own"),
    "adfc_claims_the_sum_of_deltas": Mutant(
        ROOM + "adfc", lambda f: lambda *given: dataclasses.replace(f(*given), claimed_delta=given[-3] + given[-2]),
        "the deltas are added up"),
    "part_of_s_without_products": Mutant(
        ROOM + "two_scales.part_sensitivity", lambda f: lambda d, part, norm: 2.0 if part == "s" else f(d, part, norm),
        "products with w_s move nothing"),
    "part_of_s_without_degree_one": Mutant(
        ROOM + "two_scales.part_sensitivity", lambda f: lambda d, part, norm: f(d, part, norm) - (1.5 if part == "s" else 0.0),
        "b_s hardly moves"),
    "ball_loss_is_the_average": Mutant(
        ROOM + "pdfc_epsilon", lambda f: lambda d, s, n, **how: functional.average_epsilon(d, s, n), "the paper's average"),
    "adfc_ratio_without_phi_s": Mutant(
        ROOM + "adfc_ratio", lambda f: lambda d, s, n: math.sqrt(max(f(d, s, n)**2 - 4 / s**2, 0.0)), "the 2 in Phi_s is left out"),
    "adfc_ratio_without_phi_n": Mutant(
        ROOM + "adfc_ratio", lambda f: lambda d, s, n: 2 / s if s <= n else 2 / n, "the others' mean row is left out"),
    "adfc_costs_the_average": Mutant(
        ROOM + "adfc_epsilon", lambda f: lambda d, s, n, *deltas, **how: functional.average_epsilon(d, s, n), "the paper's claim"),
    "adfc_of_one_delta": Mutant(
        ROOM + "adfc", lambda f: lambda *given: f(*given[:-2], given[-3], given[-1]), "the others' delta is not read"),
    "worst_pair_keeps_the_label": Mutant(
        ROOM + "worst_pair", lambda f: lambda d, m, **how: (f(d, m, **how)[0], f(d, m, **how)[1]._replace(y=f(d, m, **how)[0].y)),
        "only the group changes"),
    "apart_without_the_others": Mutant(
        ROOM + "fair_l2", lambda f: lambda d, alpha=1.0, **how: f(d, alpha, **how) * (math.sqrt(2 / 3) if how.get("separate") else 1.0),
        "of the covariance one row is left out"),
    "apart_noise_for_the_loss_alone": Mutant(
        ROOM + "fair_functional_mechanism", calling("release", quieter(3**-.5)),
        "the covariance beside the loss is not paid for"),
    "apart_alpha_in_the_noise": Mutant(
        ROOM + "fair_functional_mechanism",
        lambda f: lambda X, y, A, epsilon, delta, rng, alpha=1.0: f(X, y, A, epsilon / (1 + min(alpha, 9.0)), delta, rng, alpha=alpha),
        "the weight of the penalty scales the noise"),
    "moments_without_the_label": Mutant(ROOM + "moments_l2", without_its("label"), "labels move nothing"),
    "moments_without_the_group": Mutant(ROOM + "moments_l2", without_its("group"), "groups move nothing"),
    "moments_without_the_matrix": Mutant(ROOM + "moments_l2", without_its("matrix"), "the matrix moves nothing, however loud"),
    "moments_never_centred": Mutant(
        ROOM + "Moments.covariances", lambda f: lambda self: f(self) + self.total() / 2, "half of everybody's sum is left in"),
    "shift_not_counted": Mutant(
        ROOM + "pflr_star", calling("fair_l1", lambda f: lambda d, alpha=1.0, **how: functional.logistic_l1(d, **how)),
        "the record has the sensitivity of the loss alone"),
    "shift_left_out": Mutant(ROOM + "pflr_star", with_arguments(alpha=lambda a: 0.1), "the noise has nearly mean 0"),
    "with_feature_alone": Mutant(
        ROOM + "with_feature", lambda f: lambda d, s: f(d, s) & (np.arange(d + d * (d + 1) // 2) < d), "products with w_s are forgotten"),
    "average_claimed_times_09": Mutant(ROOM + "average_epsilon", scaled(.9), "the claim is less than printed"),
}
