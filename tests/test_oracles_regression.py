"""The regression oracle is two least-squares fits, and reads of A nothing but one sum for each cell."""
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from book.studies.left_panel import reference_on
from dpfair_teach import games, oneshot
from dpfair_teach.games.regression_private import _root
from dpfair_teach.oracles import RegressionOracle
from faults import Mutant


def people(m=300, d=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.integers(0, k, m)
    X = rng.normal(size=(m, d)) + 0.4 * A[:, None]
    return X, A, (X[:, 0] - X[:, 1] + 0.5 * A + rng.normal(size=m) > 0.5).astype(int)


def costs(A, Y, prices, k):
    """C^0 and C^1 of supplement, Subroutine 2, person by person."""
    n = np.array([[((A == a) & (Y == y)).sum() for y in (0, 1)] for a in range(k)])
    C = [(Y == 1).astype(float), (Y == 0).astype(float)]
    for i, (a, y) in enumerate(zip(A, Y, strict=True)):
        w = prices.reshape(k - 1, 2)[:, y]
        C[1][i] += len(A) * (-w.sum() if a == 0 else w[a - 1]) / n[a, y]
    return C


@pytest.mark.parametrize("k", [2, 3, 4])
def test_it_is_two_regressions_and_the_smaller_prediction(k):
    X, A, Y = people(k=k)
    oracle = RegressionOracle(X, Y)
    gaps = oracle.gap_coefficients(oracle.sums(A))
    for prices in np.random.default_rng(1).normal(scale=0.2, size=(5, 2 * (k - 1))):
        zero, one = (LinearRegression().fit(X, C).predict(X) for C in costs(A, Y, prices, k))
        assert np.abs(one - zero).min() > 1e-6
        assert np.array_equal(oracle.answer(prices, gaps), one < zero)
        assert np.array_equal(oracle.answer(prices, gaps, X[:7]), (one < zero)[:7])


def same_sums():
    """Fourteen people, of whom four of one label, at 1, 2, 3 and 4, are in group 1 by their outer or by their inner two: equal sums."""
    x = np.array([1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 1, 2, 3, 4.0])[:, None]
    rest = [0, 1] * 3 + [1, 0, 0, 1]
    return RegressionOracle(x, np.repeat([0, 1], [6, 8])), np.array([1, 0, 0, 1, *rest]), np.array([0, 1, 1, 0, *rest])


def test_it_reads_of_a_nothing_but_the_sums():
    """Another A with the same sums: the same answers to all prices; and not the same game, for the auditor reads more than the sums."""
    X, A, Y = people(k=2)
    oracle = RegressionOracle(X, Y)
    sums = oracle.sums(A)
    np.testing.assert_allclose(sums[:, :, 0], [[((A == a) & (Y == y)).sum() for y in (0, 1)] for a in (0, 1)])
    np.testing.assert_allclose(sums[:, :, 1:], [[X[(A == a) & (Y == y)].sum(axis=0) for y in (0, 1)] for a in (0, 1)])

    oracle, A, other = same_sums()
    assert (A != other).sum() == 4
    sums, gaps = oracle.sums(A), oracle.gap_coefficients(oracle.sums(A))
    np.testing.assert_array_equal(sums, oracle.sums(other))
    prices, Y = np.random.default_rng(3).normal(size=(40, 2)), oracle.Y
    answers = oracle.answer(prices, gaps)
    assert len(np.unique(answers, axis=0)) > 3
    np.testing.assert_array_equal(answers, oracle.answer(prices, oracle.gap_coefficients(oracle.sums(other))))
    for G in (A, other):                # what the costs of these people are, and two regressions on them
        for p, answer in zip(prices, answers, strict=True):
            zero, one = (LinearRegression().fit(oracle.design[:, 1:], C).predict(oracle.design[:, 1:]) for C in costs(G, Y, p, 2))
            clear = np.abs(one - zero) > 1e-9
            assert np.array_equal(answer[clear], (one < zero)[clear])

    plays = [games.regression_exponentiated_gradient(oracle, G, 0.02, rounds=50) for G in (A, other)]
    np.testing.assert_array_equal(plays[0].multipliers[0], plays[1].multipliers[0])
    assert np.abs(plays[0].multipliers - plays[1].multipliers).max() > 9 and abs(plays[0].error - plays[1].error) > 0.03


def test_features_that_depend_on_each_other():
    X, A, Y = people(k=2)
    plain, doubled = RegressionOracle(X, Y), RegressionOracle(np.column_stack([X, X[:, 0], X.sum(axis=1)]), Y)
    for oracle in (plain, doubled):
        oracle.fitted = oracle.scores(np.vstack([oracle.base, oracle.gap_coefficients(oracle.sums(A))]))
    np.testing.assert_allclose(doubled.fitted, plain.fitted, atol=1e-8)


@pytest.mark.parametrize("units", [(1e12, 0.0), (1e-12, 0.0), (1e30, 0.0), (1.0, 1e7), (1e6, 1e15)], ids=str)
def test_units_decide_nothing(units):
    """A column in other units, or counted from another zero, is no rounding, and makes nothing else look so: for the oracle, the plays, the
    learner that asks once and the reference of the protocol."""
    X, A, Y = people(k=2)
    moved = np.column_stack([X[:, :3], units[1] + units[0] * X[:, 3]])
    third = np.flatnonzero(np.arange(len(Y)) % 3 > 0), np.flatnonzero(np.arange(len(Y)) % 3 == 0)
    found = []
    for features in (X, moved):
        oracle, public = RegressionOracle(features, Y), oneshot.public_data(features, Y)
        gaps = oracle.gap_coefficients(oracle.sums(A))
        play = games.regression_exponentiated_gradient(oracle, A, 0.05, rounds=20)
        _, white = _root(oracle.design, 0.0)            # of the private loop: its scores are seen through white white'
        found.append((oracle.scores(np.vstack([oracle.base, gaps])), public.map.score(public.scaling(features)), white @ white.T,
                      play.multipliers, play.acceptance_probability(features),
                      *reference_on(SimpleNamespace(X=features, A=A, Y=Y), [third], False)))
    for before, after in zip(*found, strict=True):
        np.testing.assert_allclose(after, before, atol=2e-6)


@pytest.mark.parametrize(("near", "shift"), [(1e-5, 1e10), (1e-4, 1e11), (1e-4, 1e9)])
def test_a_column_far_from_zero_costs_no_other_its_digits(near, shift):
    """Beside two columns that nearly depend on each other: the rounding of a far column is that of the directions it has a part in."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    Y = (X @ [1, -1, .5, .3, .8] + rng.normal(size=400) > 0).astype(int)
    X[:, 1] = X[:, 0] + near * X[:, 1]
    before, after = (RegressionOracle(X + np.array([0, 0, 0, 0, s]), Y) for s in (0.0, shift))
    np.testing.assert_allclose(after.scores(after.base), before.scores(before.base), atol=2e-4)


def test_a_ridge_in_other_units_is_a_ridge_in_other_units():
    """root root' is (design' design + ridge)^-1 where a cut at PRECISE would take columns: as after division by a power of two."""
    X, _, _ = people(m=50, d=3)
    units = np.array([1.0, 1.0, 1.0, 2.0**40])
    plain = np.column_stack([np.ones(50), X])
    inverse = np.linalg.inv(plain.T @ plain + np.diag(20 / units**2)) / np.outer(units, units)
    root, white = _root(plain * units, 20.0)
    np.testing.assert_allclose(root @ root.T * np.outer(units, units), inverse * np.outer(units, units), atol=1e-12)
    np.testing.assert_allclose(white, (plain * units) @ root, atol=1e-9)


def test_rounding_stays_left_out_where_columns_are_far_from_zero():
    """Two columns at 10^9 and 3 10^9, of which the second is three times the first up to the last digit of either, some 10^-7."""
    X, _, Y = people()
    near = np.column_stack([X[:, 0], X[:, 1]])
    far = np.column_stack([1e9 + X[:, 0], 3e9 + 3 * X[:, 0], X[:, 1]])
    oracle = RegressionOracle(far, Y)
    np.testing.assert_allclose(oracle.scores(oracle.base), RegressionOracle(near, Y).scores(RegressionOracle(near, Y).base), atol=1e-5)
    assert np.abs(oracle.base[1:]).max() < 1


def test_what_one_changed_group_moves_and_what_one_release_covers():
    """X'X and X'C_0 stay; X'C_1 moves as stated, with true denominators; the sums move by at most the released sensitivity, attained."""
    X, A, Y = people(m=60, d=3, k=2)
    oracle, prices = RegressionOracle(X, Y), np.array([0.3, -0.8])
    w, s = np.stack([-prices, prices]), oracle.sums(A)
    n, mu, X1 = s[:, :, 0], s / s[:, :, :1], oracle.design
    before, largest = [X1.T @ C for C in costs(A, Y, prices, 2)], 0.0
    for j, (a, y) in enumerate(zip(A, Y, strict=True)):
        other = A.copy()
        other[j] = b = 1 - a
        zero, one = (X1.T @ C for C in costs(other, Y, prices, 2))
        np.testing.assert_allclose(zero, before[0], rtol=1e-12)
        stated = 60 * (w[a, y] * (mu[a, y] - X1[j]) / (n[a, y] - 1) + w[b, y] * (X1[j] - mu[b, y]) / (n[b, y] + 1))
        np.testing.assert_allclose(one - before[1], stated, atol=1e-9)
        gaps = oracle.gap_coefficients(oracle.sums(other))
        np.testing.assert_allclose(oracle.base - prices @ gaps, oracle.inverse @ (zero - one), atol=1e-9)
        largest = max(largest, np.abs(oracle.sums(other)[1] - s[1]).sum())
    assert largest == pytest.approx(np.abs(X1).sum(axis=1).max())


def test_an_empty_cell_is_refused():
    X, A, Y = people(k=2)
    oracle = RegressionOracle(X, Y)
    with pytest.raises(ValueError, match=r"sums=0.0: the cell \(a=1, y=1\) holds nobody"):
        oracle.gap_coefficients(oracle.sums(np.where(Y == 1, 0, A)))
    for nobody, missing in ((np.ones((0, 3)), "person"), (np.ones((3, 0)), "feature")):
        with pytest.raises(ValueError, match=f"X=.*at least one {missing}"):
            RegressionOracle(nobody, np.zeros(len(nobody)))
    with pytest.raises(ValueError, match="X, Y"):
        RegressionOracle(X, Y[:-1])
    for call in (oracle.sums, lambda nobody_else: games.regression_exponentiated_gradient(oracle, nobody_else, 0.1)):
        with pytest.raises(ValueError, match=r"^A=0: is the largest code, so there is one group only"):
            call(np.zeros(len(Y), dtype=int))
    with pytest.raises(ValueError, match="prices"):
        oracle.answer([0.0], oracle.gap_coefficients(oracle.sums(A)))


# --- deliberate faults

def anchor_mean_forgotten(f):
    def gap_coefficients(self, sums):
        sums = np.array(sums, dtype=float)
        sums[..., 0, :, 1:] = 0.0
        return f(self, sums)
    return gap_coefficients


def first_of_the_groups_twice(f):
    return lambda self, A, n_groups=None: f(self, np.zeros_like(A), n_groups or int(np.max(A)) + 1)


FAULTS = {
    "regression_without_the_anchor": Mutant(
        "dpfair_teach.oracles.regression.RegressionOracle.gap_coefficients", anchor_mean_forgotten, "group 0's mean is left out"),
    "oracle_cuts_by_units": Mutant(
        "dpfair_teach.oracles.regression.lost_to_scale", lambda f: lambda *_: None, "what a large column makes small counts as rounding"),
    "regression_sums_of_one_group": Mutant(
        "dpfair_teach.oracles.regression.RegressionOracle.sums", first_of_the_groups_twice, "everybody is taken for group 0"),
}
