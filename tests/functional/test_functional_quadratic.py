"""Objectives as polynomials: against least squares, against sums person by person, and block by block."""
from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpfair_teach import baselines, functional
from dpfair_teach.accounting import Release
from dpfair_teach.functional import Quadratic, people


def drawn(m: int = 500, d: int = 4, seed: int = 0, k: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows in the unit ball with entries of at least 0, labels and groups, all of which go together."""
    rng = np.random.default_rng(seed)
    A, X = rng.integers(0, k, m), rng.random((m, d))
    X[:, 0] *= 1 - A / (2 * k)
    X /= np.linalg.norm(X, axis=1).max()
    return X, (X[:, 0] + 0.2 * rng.normal(size=m) > 0.2).astype(int), A


def on_grid(X: np.ndarray) -> np.ndarray:
    """Rows as the mechanisms add them up: cut off toward 0 to multiples of 2^-b, b = (53 - ceil(log2 m)) / 2 rounded down."""
    unit = 2.0**-((53 - int(np.ceil(np.log2(len(X))))) // 2)
    return np.trunc(np.asarray(X) / unit) * unit


def without_noise(mechanism, value, rng, **numbers):
    """In place of ``mechanisms.release``: the value as it is, with the record of the noise that was left out."""
    return np.array(value), Release(mechanism, **numbers)


# ------------------------------------------------------------------------------------------------ coefficients
@pytest.mark.parametrize("d", [1, 2, 3, 10, 40])
def test_coefficients_are_those_of_monomials_and_come_back(d):
    rng = np.random.default_rng(d)
    H = rng.normal(size=(d, d))
    f, w = Quadratic(rng.normal(size=d), H + H.T), rng.normal(size=d)
    monomials = np.r_[w, [w[j] * w[each] for j in range(d) for each in range(j, d)]]
    assert f.coefficients() @ monomials == pytest.approx(f(w)) == pytest.approx(sum(
        f.b[j] * w[j] for j in range(d)) + sum(f.H[j, each] * w[j] * w[each] for j in range(d) for each in range(d)) / 2)
    again = Quadratic.of_coefficients(f.coefficients())
    assert np.array_equal(again.b, f.b) and np.allclose(again.H, f.H, rtol=1e-15, atol=0)
    with pytest.raises(ValueError, match=rf"^coefficients=\({len(monomials) + 1},\): is not d \+ d \(d \+ 1\) / 2 numbers for any d\."):
        Quadratic.of_coefficients(np.zeros(len(monomials) + 1))


def test_noise_on_a_coefficient_arrives_doubled_on_the_diagonal():
    f = Quadratic(np.zeros(2), np.zeros((2, 2)))
    assert Quadratic.of_coefficients(f.coefficients() + np.arange(1, 6)).H.tolist() == [[6, 4], [4, 10]]


def test_what_is_no_quadratic():
    with pytest.raises(ValueError, match=r"^H=\(2, 2\): is not symmetric\. Give \(H \+ H\.T\) / 2\."):
        Quadratic([0.0, 0.0], [[0.0, 1.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match=r"^b=\(5001,\): has more than 5,000 parameters\. "):
        Quadratic(np.zeros(5001), np.zeros((1, 1)))


# ------------------------------------------------------------------------------------------------ the two losses
def test_the_log_loss_as_a_polynomial_is_least_squares_on_labels_of_2():
    X, y, _ = drawn()
    f = functional.log_loss_quadratic(X, y)
    labels = 4 * y - 2
    np.testing.assert_allclose(functional.minimum(f), np.linalg.lstsq(X, labels, rcond=None)[0], rtol=1e-9)
    for w in np.random.default_rng(1).normal(size=(20, 4)):
        u = X @ w
        assert f(w) == pytest.approx(((u - labels)**2 / 8 - labels**2 / 8).sum())
        assert f(w) == pytest.approx((u / 2 + u**2 / 8 - y * u).sum())


def test_it_is_the_log_loss_and_its_two_derivatives_at_0():
    X, y, _ = drawn()
    f, step = functional.log_loss_quadratic(X, y), 1e-4

    def loss(w):
        return (np.logaddexp(0, X @ w) - y * (X @ w)).sum() - len(y) * np.log(2)

    slopes = [(loss(step * e) - loss(-step * e)) / (2 * step) for e in np.eye(4)]
    bends = [[(loss(step * (e + g)) - loss(step * (e - g)) - loss(step * (g - e)) + loss(-step * (e + g))) / (4 * step**2)
              for g in np.eye(4)] for e in np.eye(4)]
    np.testing.assert_allclose(f.b, slopes, rtol=1e-6)
    np.testing.assert_allclose(f.H, bends, rtol=1e-4)


# ------------------------------------------------------------------------------------------------ the covariance
def test_the_covariance_vector_person_by_person_and_as_zafars_covariance():
    X, _, A = drawn()
    mean, hand = sum(A.tolist()) / len(A), np.zeros(4)
    for x, a in zip(X, A, strict=True):
        hand += (a - mean) * x
    c = functional.covariance_vector(X, A)
    np.testing.assert_allclose(c, hand, atol=1e-12)
    for w in np.random.default_rng(1).normal(size=(5, 4)):
        both = baselines.covariances(X @ w, A, np.arange(len(A)) % 2, 2)[:, 0]
        assert c @ w / len(A) == pytest.approx(both[1]) == pytest.approx(-both[0])
    np.testing.assert_allclose(functional.covariance_vector(X, 1 - A), -c, atol=1e-12)


def test_equation_6_rewards_a_covariance_of_one_sign():
    """The larger alpha, the further c.w goes below 0; the other group's covariance goes up as far."""
    X, y, A = drawn()
    c, f = functional.covariance_vector(X, A), functional.log_loss_quadratic(X, y)
    goes = [c @ functional.minimum(functional.merged_quadratic(X, y, A, alpha)) for alpha in (0.0, 1.0, 5.0)]
    assert np.diff(goes).max() < 0 and goes[-1] < -abs(c @ functional.minimum(f))
    np.testing.assert_allclose(functional.merged_quadratic(X, y, A, 5.0).b, f.b + 5 * c)
    np.testing.assert_allclose(functional.merged_quadratic(X, y, A, 5.0).H, f.H)


# ------------------------------------------------------------------------------------------------ in blocks, and in the ball
@pytest.mark.parametrize("block", [1, 7, 100, 500, 10_000])
def test_the_sums_are_those_of_all_people_whatever_the_block(monkeypatch, block):
    X, y, A = drawn()
    whole = X.T @ X / 4, X.T @ (0.5 - y), X.T @ (A - A.mean())
    monkeypatch.setattr(people, "BLOCK", block)
    f = functional.log_loss_quadratic(X, y)
    for found, wanted in zip((f.H, f.b, functional.covariance_vector(X, A)), whole, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-11)


@pytest.mark.parametrize("made", [lambda X: X.tolist(), lambda X: pd.DataFrame(X, columns=list("abcd")), np.asfortranarray,
                                  lambda X: X.astype(np.float32)])
def test_a_table_of_any_kind_is_the_same_people(made):
    X, y, A = drawn()
    X = X.astype(np.float32).astype(float)
    f, again = functional.log_loss_quadratic(X, y), functional.log_loss_quadratic(made(X), y)
    np.testing.assert_allclose(again.H, f.H, rtol=1e-12)
    np.testing.assert_allclose(functional.covariance_vector(made(X), A), functional.covariance_vector(X, A), atol=1e-12)


def test_a_row_that_is_shortened_changes_nobody_elses():
    X = np.random.default_rng(0).normal(size=(50, 3))
    short = functional.shorten_rows(X, 1.5)
    assert np.linalg.norm(short, axis=1).max() == pytest.approx(1) and (np.linalg.norm(X, axis=1) > 1.5).any()
    np.testing.assert_allclose(short, [x / max(1.5, np.linalg.norm(x)) for x in X])
    far = X.copy()
    far[3] = 1e30
    again = functional.shorten_rows(far, 1.5)
    assert np.array_equal(np.delete(again, 3, axis=0), np.delete(short, 3, axis=0)) and np.linalg.norm(again[3]) == pytest.approx(1)


def test_who_is_out_of_the_domain_is_refused_and_told_the_way_in():
    X, y, _ = drawn()
    for wrong, said in ((2 * X / np.linalg.norm(X, axis=1).max(), r"^X=2\.0: is the norm of a row, and the noise is for rows of norm at "
                         r"most 1\. Divide X by a bound that does not come from these people; shorten_rows\(X, bound\)"),
                        (-X, r"^X=-0\.\d+: is below 0, .*Shift every feature by a public lower bound before scaling, or take a method")):
        with pytest.raises(ValueError, match=said):
            functional.people.in_domain(wrong, y)
    assert functional.people.in_domain(-X, y, domain="signed")[0] is not None
    with pytest.raises(ValueError, match=r"^X=-0\.\d+: is below 0"):
        functional.people.in_domain(-X, y, domain="signed", as_printed=True)
    with pytest.raises(ValueError, match=r"^y=0\.5: labels must be 0 or 1"):
        functional.people.in_domain(X, y / 2)


@pytest.mark.parametrize("m", [1, 2, 3, 1000, 5000])
def test_on_the_grid_every_sum_is_exact_in_any_order(m):
    """By whole numbers of Python: the sums of products, of labelled rows and of a group's rows, whatever order they are added in."""
    X, y, A = drawn(m, d=3, seed=m)
    on = functional.people.in_domain(X, y, A)[0]
    unit = (53 - (m - 1).bit_length()) // 2
    np.testing.assert_array_equal(on, on_grid(X))
    assert (on <= X).all() and (X - on < 2.0**-unit).all() and (on * 2.0**unit % 1 == 0).all()
    whole = (on * 2**unit).astype(int).astype(object)
    f, order = functional.log_loss_quadratic(on, y), np.random.default_rng(0).permutation(m)
    again = functional.log_loss_quadratic(on[order], y[order])
    assert np.array_equal(f.coefficients(), again.coefficients())
    assert (f.H * 4 * 4**unit).astype(int).tolist() == (whole.T @ whole).tolist()
    assert (f.b * 2 * 2**unit).astype(int).tolist() == (whole.T @ (1 - 2 * y).astype(object)).tolist()


def test_no_row_on_the_grid_is_longer_than_1():
    """Rows of norm 1 by rounding, of 20,000 directions in 1 to 6 dimensions; and one that lies on the grid and is too long is refused."""
    rng = np.random.default_rng(0)
    for d in range(1, 7):
        X = np.abs(rng.normal(size=(20_000, d)))
        X *= (1 + rng.uniform(-1e-9, 1e-9, 20_000) * 0.99)[:, None] / np.linalg.norm(X, axis=1, keepdims=True)
        on = functional.people.in_domain(X, np.zeros(20_000, int))[0]
        unit = 2.0**19
        assert ((on * unit)**2).sum(axis=1).max() <= unit**2
    assert functional.people.in_domain([[1.0, 0.0], [0.5, 0.5]], [0, 1])[0].tolist() == [[1.0, 0.0], [0.5, 0.5]]
    with pytest.raises(ValueError, match=r"^X=1\.00000000012: is the norm of a row"):
        functional.people.in_domain([[1.0, 2.0**-16]], [0])


def test_of_more_than_ten_million_people_there_are_no_covariances(monkeypatch):
    X, y, A = drawn()
    monkeypatch.setattr(people, "MOST_WITH_COVARIANCES", 499)
    assert functional.people.in_domain(X, y)[0].shape == (500, 4)
    with pytest.raises(ValueError, match=r"^X=\(500, 4\): is of more than 499 people\. Take FunctionalClassifier\."):
        functional.people.in_domain(X, y, A)


def test_a_longer_row_is_found_in_whatever_block_it_stands():
    X, y, _ = drawn(9000)
    X[8500] = 0.9
    with pytest.raises(ValueError, match=r"^X=1\.8: is the norm of a row"):
        functional.people.in_domain(X, y)


def test_of_three_groups_there_is_no_covariance_vector():
    X, y, _ = drawn()
    A = np.arange(len(y)) % 3
    for call in (functional.covariance_vector, lambda X, A: functional.merged_quadratic(X, y, A)):
        with pytest.raises(ValueError, match=r"^A=2: a code above the second of two groups.*FunctionalClassifier, which has one for each"):
            call(X, A)


VALID_CALLS = {
    "functional.Quadratic": lambda: dict(b=[1.0, 0.0], H=[[2.0, 3.0], [3.0, 8.0]]),
    "functional.log_loss_quadratic": lambda: dict(X=[[0.6, 0.8], [0.0, 0.5]], y=[1, 0]),
    "functional.covariance_vector": lambda: dict(X=[[0.6, 0.8], [0.0, 0.5], [0.1, 0.0]], A=[1, 0, 0]),
    "functional.merged_quadratic": lambda: dict(X=[[0.6, 0.8], [0.0, 0.5], [0.1, 0.0]], y=[1, 0, 1], A=[1, 0, 0], alpha=2.0),
    "functional.people.in_domain": lambda: dict(X=[[0.6, 0.8], [0.0, 0.5]], y=[1, 0], A=[0, 1], domain="nonnegative", as_printed=True),
    "functional.shorten_rows": lambda: dict(X=[[3.0, 4.0], [0.0, 1.0]], bound=4.0),
}
