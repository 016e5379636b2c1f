"""What the prices of F-LD can find, and which way its penalty falls: exact on finite lists, by finite differences on networks."""
from __future__ import annotations

import numpy as np
import pytest

from dpfair_teach.data import make_logistic
from dpfair_teach.fairness import NOTIONS
from dpfair_teach.lagrangian import FairProblem, FairTerms, dual_function, penalty, penalty_gradient, printed_direction
from dpfair_teach.lagrangian.penalty import relaxed_problem
from dpfair_teach.networks import Network
from faults import Mutant

PRICES = np.linspace(0, 3, 31)


def candidates(seed: int) -> tuple[np.ndarray, np.ndarray, float, float]:
    """A convex trade-off with one constraint: losses, violations, the least fair loss J*, and the signed multiplier there."""
    rng = np.random.default_rng(seed)
    v = np.concatenate([np.linspace(-1, 1, 41), rng.uniform(-1, 1, 20)])        # 0 is among them
    centre, curve = rng.uniform(-.9, .9), rng.uniform(.2, 1)
    losses = curve * (v - centre) ** 2 + np.where(np.arange(len(v)) < 41, 0, rng.uniform(0, .3, len(v)))
    return losses, v[:, None], float(losses[np.abs(v) < 1e-12].min()), float(2 * curve * centre)


@pytest.mark.parametrize("seed", range(8))
def test_absolute_prices_never_pass_the_fair_loss_and_are_enough_from_the_signed_one_on(seed):
    """F rises, is concave, is at most J*; from |nu*| on it is J*, and beyond it only a fair candidate is chosen."""
    losses, violations, fair, nu = candidates(seed)
    F = np.array([dual_function(losses, violations, [price]) for price in PRICES])
    assert (np.diff(F) >= -1e-12).all() and (np.diff(F, 2) <= 1e-12).all() and (F <= fair + 1e-12).all()
    assert dual_function(losses, violations, [nu], signed=True) == pytest.approx(fair, abs=1e-12)
    for price in PRICES:
        found = relaxed_problem(losses, violations, [price])
        if price >= abs(nu):
            assert found.value == pytest.approx(fair, abs=1e-12)
        if price > abs(nu) + 1e-9:
            assert violations[found.chosen, 0] == pytest.approx(0, abs=1e-12)
    below = relaxed_problem(losses, violations, [max(abs(nu) - 0.3, 0.0)])
    assert abs(nu) < .35 or abs(violations[below.chosen, 0]) > 1e-3, "a smaller price buys less"


@pytest.mark.parametrize("seed", range(8))
def test_without_the_price_equation_6_is_no_bound_for_signed_multipliers(seed):
    losses, violations, fair, _ = candidates(seed)
    grid = np.linspace(-6, 6, 121)
    true = [dual_function(losses, violations, [nu], signed=True) for nu in grid]
    printed = [dual_function(losses, violations, [nu], signed=True, as_printed=True) for nu in grid]
    assert max(true) <= fair + 1e-12 and max(printed) > fair + .01
    # of absolute violations both are at most J*, whatever the list
    assert max(dual_function(losses, violations, [price], as_printed=True) for price in PRICES) <= fair + 1e-12


def test_the_relaxed_problem_is_the_least_of_all_prices():
    rng = np.random.default_rng(0)
    for _ in range(200):
        losses, violations, prices = rng.normal(size=7), rng.normal(size=(7, 3)), rng.uniform(0, 2, 3)
        for signed in (False, True):
            costs = [loss + sum(p * (v if signed else abs(v)) for p, v in zip(prices, row, strict=True))
                     for loss, row in zip(losses, violations, strict=True)]
            found = relaxed_problem(losses, violations, prices, signed=signed)
            assert found.value == pytest.approx(min(costs)) and costs[found.chosen] == min(costs) and found.loss == losses[found.chosen]


def problem(k: int = 2, notion: str = "demographic_parity", hidden: tuple = (6,)) -> FairProblem:
    people = make_logistic(90, n_groups=k, d=3, rng=np.random.default_rng(k))
    return FairProblem(Network(3, hidden), people.X, people.A, people.Y, FairTerms(notion, k))


@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_weighted_by_their_sizes_the_violations_of_all_groups_add_up_to_0(k, notion):
    one = problem(k, notion)
    for seed in range(5):
        part = one.of(one.network.initial(np.random.default_rng(seed)))
        sizes = np.array([[((one.codes == a) & (one.cells == r)).sum() for r in range(one.terms.shape[1])] for a in range(k)])
        violations = part.violations()
        assert np.abs((sizes * violations).sum(axis=0)).max() <= 1e-10 and np.abs(violations).max() > 1e-4


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("notion", ["demographic_parity", "equalized_odds", "accuracy_parity"])
def test_the_gradient_of_the_penalty_is_that_of_finite_differences_and_the_printed_one_has_no_signs(k, notion):
    """Of 25 random directions; and the printed one is the sum of absolute coordinates, each got from differences of a violation."""
    one, rng = problem(k, notion), np.random.default_rng(3)
    theta, multipliers = one.network.initial(rng), rng.uniform(.1, 2, one.terms.shape)
    gradient, step = penalty_gradient(one, theta, multipliers), 1e-6
    for _ in range(25):
        along = rng.normal(size=theta.size)
        up, down = (penalty(one, theta + sign * step * along, multipliers) for sign in (1, -1))
        assert (up - down) / (2 * step) == pytest.approx(gradient @ along, rel=1e-4, abs=1e-6)
    of_each = np.array([(one.of(theta + step * unit).violations() - one.of(theta - step * unit).violations()) / (2 * step)
                        for unit in np.eye(theta.size)])
    np.testing.assert_allclose(printed_direction(one, theta, multipliers), np.einsum("par,ar->p", np.abs(of_each), multipliers), atol=1e-6)


def test_a_step_against_the_printed_direction_raises_the_penalty_at_half_of_the_networks():
    """To first order it changes |V| by minus sign(V) times the sum of g |g|, in which nothing reads the sign of V."""
    one, raised = problem(), 0
    multipliers = np.ones(one.terms.shape)
    for seed in range(60):
        theta = one.network.initial(np.random.default_rng(seed))
        direction, gradient = printed_direction(one, theta, multipliers), penalty_gradient(one, theta, multipliers)
        before, step = penalty(one, theta, multipliers), 1e-4
        predicted = direction @ gradient
        assert (direction >= 0).all()
        after = penalty(one, theta - step * direction, multipliers)
        if abs(predicted) > 1e-4 and before > 1e-3:
            assert np.sign(before - after) == np.sign(predicted)
        raised += after > before
        assert penalty(one, theta - step * gradient, multipliers) < before
    assert 15 <= raised <= 45


@pytest.mark.parametrize("call, changes, why", [
    (dual_function, dict(multipliers=[-1.0]), "multipliers"), (dual_function, dict(losses=[]), "losses"),
    (dual_function, dict(violations=[[1.0]]), "violations"), (dual_function, dict(multipliers=[1.0, 2.0]), "multipliers"),
    (penalty, dict(problem=None), "problem"), (penalty_gradient, dict(theta=[1.0]), "theta"),
    (printed_direction, dict(multipliers=-np.ones((2, 1))), "multipliers"),
])
def test_bad_input_is_named(call, changes, why):
    with pytest.raises(ValueError, match=why):
        call(**(VALID_CALLS[f"lagrangian.{call.__name__}"]() | changes))


def listed() -> dict:
    return dict(losses=[0.0, 0.3], violations=[[0.5], [0.0]], multipliers=[1.0], signed=False)


def on_a_network() -> dict:
    return dict(problem=problem(), theta=np.linspace(-1, 1, problem().network.n_parameters), multipliers=np.ones((2, 1)))


VALID_CALLS = {"lagrangian.dual_function": lambda: listed() | {"as_printed": False},
               "lagrangian.penalty": on_a_network, "lagrangian.penalty_gradient": on_a_network,
               "lagrangian.printed_direction": on_a_network}


def of_group_0_doubled(f):
    def faulty(self, *args, **kw):
        found = f(self, *args, **kw)
        found[0] *= 2
        return found
    return faulty


PENALTY = "dpfair_teach.lagrangian.penalty"
FAULTS = {
    "relaxed_without_prices": Mutant(f"{PENALTY}.relaxed_problem", lambda f: lambda losses, violations, multipliers, **kw: f(
        losses, violations, np.zeros(len(multipliers)), **kw), "the violations have no price"),
    "dual_without_the_price": Mutant(f"{PENALTY}.dual_function", lambda f: lambda *args, **kw: f(*args, **(kw | {"as_printed": True})),
                                     "the dual function is the loss alone, as equation (6) is printed"),
    "penalty_gradient_without_signs": Mutant(f"{PENALTY}.penalty_gradient", lambda f: lambda *args: np.abs(f(*args)),
                                             "the gradient of the penalty has lost its signs, as in equation (10)"),
    "printed_direction_turned": Mutant(f"{PENALTY}.printed_direction", lambda f: lambda *args: -f(*args),
                                       "the printed direction points the other way"),
    "violation_of_one_group_doubled": Mutant("dpfair_teach.lagrangian.problem.FairTerms.violations", of_group_0_doubled,
                                             "group 0's violation is counted twice"),
}
