"""Covariance constraints: counted by hand, the convex program against another solver, stationary points against an adversary."""
from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from dpfair_teach import baselines, data, fairness
from dpfair_teach.baselines import covariance as solver
from dpfair_teach.baselines.covariance import BEND, bends, bent, bent_slope, group_weights
from dpfair_teach.fairness import Parity
from faults import Mutant

CURVED = ("equalized_odds", "accuracy_parity", "true_positive", "false_positive")


def people(k: int, m: int = 400) -> data.Dataset:
    return data.make_logistic(m, n_groups=k, d=3, shifts=np.outer(np.linspace(0, 1.5, k), [1, .5, 0]), rng=np.random.default_rng(7))


def program(k: int, notion: str, gamma: float, m: int = 400) -> solver.CovarianceProgram:
    D, parity = people(k, m), Parity(notion)
    weights = group_weights(D.A, D.Y, k, parity)[1 if k == 2 else 0:].reshape(-1, len(D.Y))
    return solver.CovarianceProgram(np.column_stack([D.X, np.ones(m)]), 2.0 * D.Y - 1, weights, bends(parity), gamma, 1.0)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("notion", fairness.NOTIONS)
def test_covariances_by_hand(notion, k):
    D, scores = people(k), np.random.default_rng(k).normal(size=400)
    cells = {"equalized_odds": (0, 1), "false_positive": (0,), "true_positive": (1,)}.get(notion, (None,))
    hand = np.zeros((k, len(cells)))
    for a in range(k):
        for r, label in enumerate(cells):
            who = [i for i in range(400) if label in (None, D.Y[i])]
            g = [scores[i] if notion == "demographic_parity" else min(0.0, (1 if D.Y[i] else -1) * scores[i]) for i in who]
            z = [float(D.A[i] == a) for i in who]
            hand[a, r] = sum((b - sum(z) / len(who)) * c for b, c in zip(z, g, strict=True)) / 400
    np.testing.assert_allclose(baselines.covariances(scores, D.A, D.Y, k, notion=notion), hand, atol=1e-12)
    np.testing.assert_allclose(hand.sum(axis=0), 0, atol=1e-12)


def test_as_printed_a_classifier_that_treats_groups_alike_has_a_covariance():
    """Everybody has the same score, and one group has more people of a label: printed, that is a covariance."""
    A, Y = np.repeat([0, 0, 1, 1], [40, 10, 10, 40]), np.repeat([0, 1, 0, 1], [40, 10, 10, 40])
    same = np.full(100, -2.0)
    assert np.abs(baselines.covariances(same, A, Y, 2, notion="equalized_odds")).max() < 1e-12
    assert np.abs(baselines.covariances(same, A, Y, 2, notion="equalized_odds", as_printed=True)).max() == pytest.approx(.3)
    for notion in ("demographic_parity", "accuracy_parity"):
        scores = np.random.default_rng(0).normal(size=100)
        assert np.array_equal(*(baselines.covariances(scores, A, Y, 2, notion=notion, as_printed=how) for how in (False, True)))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_covariance_of_0_is_k_less_1_equations_and_no_more(k):
    """Columns that add up to 1, as a category has them, and groups that x hardly tells apart: what rounding leaves of a gradient is no
    constraint. At 0 the loss is that at 1e-10, and the point is stationary.
    """
    D = people(k)
    told = np.random.default_rng(3).integers(0, 4, len(D.Y))
    X = np.column_stack([D.X, np.eye(4)[told]])
    for A in (D.A, np.arange(len(D.Y)) % k):
        found = [baselines.CovarianceClassifier(gamma, n_groups=k, notion="demographic_parity").fit(
            X, D.Y, sensitive_features=A, rng=np.random.default_rng(0)) for gamma in (0.0, 1e-10)]
        assert found[0].losses_[-1] == pytest.approx(found[1].losses_[-1], abs=1e-6) and found[0].residual_ < 1e-4


def test_columns_that_nobody_can_make_round_are_refused_in_words():
    D = people(2)
    with pytest.raises(ValueError, match=r"^X, C=.*Standardize X"):
        baselines.CovarianceClassifier(.1, notion="demographic_parity", C=1e6).fit(
            np.column_stack([D.X * 1e5, D.X * 1e5]), D.Y, sensitive_features=D.A, rng=np.random.default_rng(0))


def test_a_rounded_corner():
    """Concave, slopes in [0, 1], the slope of what it is the slope of, and at most BEND / 4 below min(0, v)."""
    v = np.linspace(-3 * BEND, 3 * BEND, 2001)
    below = np.minimum(v, 0) - bent(v)
    assert below.min() >= -1e-15 and below.max() == pytest.approx(BEND / 4)
    slope = bent_slope(v)
    assert (np.diff(slope) <= 1e-12).all() and slope.min() == 0 and slope.max() == 1
    np.testing.assert_allclose(np.diff(bent(v)) / np.diff(v), (slope[1:] + slope[:-1]) / 2, atol=5e-4)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.filterwarnings("ignore:delta_grad")
@pytest.mark.parametrize("gamma", [0.0, 0.05])
def test_the_convex_program_against_another_solver(gamma, k):
    """trust-constr, in other coordinates; and the conditions of Lagrange, which are enough here."""
    it = program(k, "demographic_parity", gamma)
    theta, losses = solver.convex_concave(it, 20)
    rows = it.weights @ it.Z
    other = minimize(it.loss, np.zeros(len(theta)), jac=True, method="trust-constr", options={"gtol": 1e-9, "xtol": 1e-12},
                     constraints={"type": "ineq", "fun": lambda t: gamma + 1e-9 - np.concatenate([rows @ t, -rows @ t]),
                                  "jac": lambda t: -np.concatenate([rows, -rows])})
    assert it.loss(theta)[0] <= other.fun + 1e-6 and len(losses) == 2
    assert it.bounded(theta)[0].max() <= gamma + 1e-6 and it.residual(theta) < 1e-5


def test_without_a_bound_it_is_logistic_regression():
    D = people(2)
    for notion in ("demographic_parity", "accuracy_parity"):
        model = baselines.CovarianceClassifier(1e6, notion=notion, C=.3)
        model.fit(D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(0))
        theirs = LogisticRegression(C=.3, tol=1e-8, max_iter=1000).fit(D.X, D.Y)
        np.testing.assert_allclose([*model.coef_, model.intercept_], [*theirs.coef_[0], *theirs.intercept_], atol=1e-3)


@pytest.mark.parametrize("notion", CURVED)
@pytest.mark.parametrize("k", [2, 3])
def test_every_step_meets_the_bounds_and_none_raises_the_loss(notion, k):
    it = program(k, notion, 0.002)
    theta, last = np.zeros(it.Z.shape[1]), np.inf
    for _ in range(6):
        after = it.step(theta)
        for at in (theta, after):       # the replaced bounds lie above the true ones, and touch at theta
            assert (it.bounded(at, theta)[0] >= it.bounded(at)[0] - 1e-12).all()
        np.testing.assert_allclose(it.bounded(theta, theta)[0], it.bounded(theta)[0], atol=1e-12)
        np.testing.assert_allclose(it.bounded(theta, theta)[1], it.bounded(theta)[1], atol=1e-12)
        assert it.bounded(after)[0].max() <= it.gamma + solver.SLACK and it.loss(after)[0] <= last
        theta, last = after, it.loss(after)[0]


@pytest.mark.parametrize("notion", ["equalized_odds", "accuracy_parity"])
def test_nobody_near_the_answer_is_allowed_and_better(notion):
    """20,000 points round it, and the residual: stationary, as far as anybody can see."""
    it = program(2, notion, 0.003)
    theta, losses = solver.convex_concave(it, 60)
    assert it.residual(theta) < 5e-3 and (np.diff(losses) <= 0).all() and losses[0] == pytest.approx(np.log(2))
    assert it.bounded(theta)[0].max() == pytest.approx(it.gamma, abs=1e-5), "the bound is active, else there is nothing to see"
    rng = np.random.default_rng(0)
    for size in (1e-1, 1e-2, 1e-3):
        for near in theta + size * rng.normal(size=(2000, len(theta))):
            if it.loss(near)[0] < losses[-1] - 1e-5 * (1 + size / 1e-3):
                assert it.bounded(near)[0].max() > it.gamma


def test_equal_mean_scores_are_no_equal_rates():
    """What the covariance does not promise: no covariance, and a gap."""
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.exponential(size=5000) - 1, 1 - rng.exponential(size=5000)])
    A, Y = np.repeat([0, 1], 5000), rng.integers(0, 2, 10_000)
    scores -= np.where(A == 0, scores[:5000].mean(), scores[5000:].mean()) - 0.1
    assert np.abs(baselines.covariances(scores, A, Y, 2)).max() < 1e-12
    assert fairness.violation(fairness.cell_counts(scores > 0, A, Y), "demographic_parity") > .2


def test_what_is_refused():
    D = people(2)
    for how, said in ((dict(gamma=1e-6), r"^gamma=1e-06: outside \[0\.0005"), (dict(gamma=.1, C=0), r"^C=0: outside")):
        with pytest.raises(ValueError, match=said):
            baselines.CovarianceClassifier(**how).fit(D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^Y=1: is nobody's label"):
        baselines.covariances([1.0, 2.0], [0, 1], [0, 0], 2, notion="true_positive")


def test_a_form_that_would_not_be_read_is_refused():
    """A covariance is of a group with everybody; Parity("equalized_odds") is against group 0."""
    D = people(2)
    fits = [baselines.CovarianceClassifier(.1, notion=notion).fit(D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(0)).coef_
            for notion in ("equalized_odds", Parity("equalized_odds", "population"))]
    assert np.array_equal(*fits)
    for against in ("pairs", "anchor"):
        wrong = Parity("equalized_odds", against)
        for ask in (lambda wrong=wrong: baselines.CovarianceClassifier(.1, notion=wrong)._checked_params(),
                    lambda wrong=wrong: baselines.covariances([1.0, 2.0], [0, 1], [0, 1], 2, notion=wrong)):
            with pytest.raises(ValueError, match=f"^against='{against}': not served here.*Choose one of 'population'"):
                ask()


@pytest.mark.parametrize("wrong, said", [
    (pd.NA, r"^X=<NA>: missing, in column 'b'\. Keep its row"), (None, r"^X=None: missing, in column 'b'\. Keep its row"),
    (pd.NaT, r"^X=NaT: missing, in column 'b'"), (pd.Timestamp("2020-01-01"), r"^X=Timestamp.*: not numeric, in column 'b'\. Encode it"),
    ("tall", r"^X='tall': not numeric, in column 'b'")])
def test_the_column_of_what_is_no_number_is_named(wrong, said):
    D = people(2)
    table = pd.DataFrame(D.X, columns=list("abc"))
    table["b"] = pd.Series([*table["b"][:-1], wrong], dtype=object)
    with pytest.raises(ValueError, match=said):
        baselines.CovarianceClassifier(.1).fit(table, D.Y, sensitive_features=D.A, rng=np.random.default_rng(0))
    dates = pd.DataFrame({"when": pd.to_datetime(["2020-01-01"] * 400)})
    with pytest.raises(ValueError, match=r"^X=datetime64.*: not numeric, in column 'when'|^X=.*: not numeric, in column 'when'"):
        baselines.CovarianceClassifier(.1).fit(dates, D.Y, sensitive_features=D.A, rng=np.random.default_rng(0))


VALID_CALLS = {
    "baselines.covariances": lambda: dict(scores=[2.0, -1.0, 1.0, -2.0], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], n_groups=2,
                                          notion="equalized_odds", as_printed=False),
}


# --- deliberate faults

def kept_convex(f):
    """Tangents of the convex part: they lie below it."""
    def bounded(self, theta, at=None):
        if at is None or not self.bend:
            return f(self, theta, at)
        value, slopes = f(self, at)
        return value + slopes @ (theta - at), slopes
    return bounded


FAULTS = {
    "covariance_of_whole_scores": Mutant(
        "dpfair_teach.baselines.covariance.bends", lambda f: lambda parity: False, "scores count where mistakes should"),
    "covariance_without_its_centre": Mutant(
        "dpfair_teach.baselines.covariance.group_weights",
        lambda f: lambda A, Y, k, parity, as_printed=False: np.maximum(f(A, Y, k, parity, as_printed=as_printed), 0.0),
        "no share is taken away from the indicator"),
    "tangents_of_everything": Mutant(
        "dpfair_teach.baselines.covariance.CovarianceProgram.bounded", kept_convex, "the convex part is replaced by its tangent too"),
}
