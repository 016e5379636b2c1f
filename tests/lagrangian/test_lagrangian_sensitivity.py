"""How far one person moves a step: every neighbour of every small data set against the bounds, as printed, true and repaired."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpfair_teach.lagrangian import (
    FairProblem,
    FairTerms,
    centred_prices,
    clipped_mean_sensitivity,
    fixed_sensitivity,
    fixed_violation_sensitivity,
    group_term,
    largest_move,
    mean_update,
    means_sensitivity,
    missing_sensitivity,
    noisy_group_sum,
    theorem_1,
    theorem_2,
    worst_people,
)
from dpfair_teach.lagrangian.sensitivity import floored_sensitivity, sign_flip_sensitivity
from dpfair_teach.mechanisms import Measurement
from dpfair_teach.networks import Network
from faults import Mutant, scaled, with_arguments

GRADIENTS = [[1.0], [-1.0], [0.5], [1.0]]
VALID_CALLS = {
    "lagrangian.theorem_1": lambda: dict(n_left=20.0, n_joined=9.0, clip=1.0, multiplier=0.5, as_printed=True),
    "lagrangian.mean_update": lambda: dict(mean=[0.5, 1.0], size=4, person=[1.0, -1.0], joins=True),
    "lagrangian.means_sensitivity": lambda: dict(sizes=[3, 4], multipliers=[1.0, -1.0], clip=1.0),
    "lagrangian.clipped_mean_sensitivity": lambda: dict(clip=1.0, multiplier=0.5),
    "lagrangian.fixed_sensitivity": lambda: dict(multipliers=[1.0, -1.0], clip=1.0, normalisers=[3.0, 4.0], missing=True),
    "lagrangian.theorem_2": lambda: dict(n_left=20.0, n_joined=9.0, low=-1.0, high=1.5, as_printed=True),
    "lagrangian.fixed_violation_sensitivity": lambda: dict(normalisers=[3.0, 4.0], low=-1.0, high=1.0, population=0.5),
    "lagrangian.missing_sensitivity": lambda: dict(n_left=20.0, n_joined=20.0, rate=0.5, clip=1.0, multiplier=0.5, as_printed=True),
    "lagrangian.worst_people": lambda: dict(n_left=3, n_joined=3, clip=1.0, sign_flips=True),
    **{f"lagrangian.{name}": lambda: dict(
        form="autograd", gradients=GRADIENTS, A=[0, 0, 1, 1], multipliers=[1.0, 0.5], scores=[1.0, 0.0, 0.5, 0.0])
       for name in ("group_term", "largest_move")},
}


def furthest(term, A, k):
    """The largest move of ``term(A)`` where one person changes group."""
    steps = np.eye(len(A), dtype=int)
    return max(np.linalg.norm(term(np.where(step, a, A)) - term(A)) for step in steps for a in range(k))


def by_size(nu, g, per):
    """The sum over the groups of multiplier times the group's sum, over what ``per`` makes of its size."""
    def term(A):
        return sum(price / per(a, (A == a).sum()) * g[A == a].sum(axis=0) for a, price in enumerate(nu))
    return term


def people(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize("sizes", [(2, 1), (2, 2), (3, 1), (3, 2), (2, 2, 1)])
def test_group_means_move_so_far_and_no_further(sizes):
    """All gradients in {-1, 0, 1}, all neighbours, multipliers of either sign: never above the exact bound, and met."""
    A, k = people(sizes), len(sizes)
    for nu in ([1, -1, 0.5][:k], [1, 1, 1][:k], [2, -0.5, -1][:k]):
        found = max(largest_move("means", np.reshape(g, (-1, 1)), A, nu).value for g in itertools.product((-1.0, 0.0, 1.0), repeat=len(A)))
        assert found == pytest.approx(means_sensitivity(sizes, nu, 1.0))
        assert found <= max(theorem_1(a, b, 1.0, max(np.abs(nu))) for a, b in itertools.permutations(sizes, 2) if a > 1) * (1 + 1e-12)


@pytest.mark.parametrize("n_left, n_joined", [(2, 1), (2, 2), (3, 4), (3, 5), (3, 7), (9, 5), (12, 5), (20, 20), (20, 236)])
def test_theorem_1_is_attained_and_the_printed_bound_is_passed(n_left, n_joined):
    """One person, worst for Theorem 1: exactly 2 C lambda (1/n1 + 1/(n2+1)); the printed bound is too small for groups alike in size."""
    found, C, lam = worst_people(n_left, n_joined, 2.0), 2.0, 1.5
    other = found.A.copy()
    other[0] = 1
    for form, nu, more in (("means", [lam, -lam], {}), ("autograd", [lam, lam], {"scores": found.scores})):
        moved = group_term(form, found.gradients, other, nu, **more) - group_term(form, found.gradients, found.A, nu, **more)
        assert abs(moved[0]) == pytest.approx(theorem_1(n_left, n_joined, C, lam))
    assert abs(moved[0]) == pytest.approx(2 * C * lam * (1 / n_left + 1 / (n_joined + 1)))
    least = min(n_left, n_joined)                # the printed bound fails unless the larger group holds about the square of the smaller
    fails = n_joined + 1 < least * (least - 1) if n_left == least else 2 * n_left < least**2 - 1
    assert (abs(moved[0]) > theorem_1(n_left, n_joined, C, lam, as_printed=True)) == fails


def test_the_printed_bound_is_too_small_by_up_to_two():
    for m in range(2, 200):
        ratio = theorem_1(m, m, 1, 1) / theorem_1(m, m, 1, 1, as_printed=True)
        assert ratio == pytest.approx((2 * m + 1) * (m - 1) / (m * (m + 1))) and (ratio > 1) == (m >= 3)
    assert round(theorem_1(3, 3, 1, 1) / theorem_1(3, 3, 1, 1, as_printed=True), 2) == 1.17
    assert round(theorem_1(20, 20, 1, 1) / theorem_1(20, 20, 1, 1, as_printed=True), 2) == 1.85
    assert theorem_1(2, 1, 1, 1, as_printed=True) == math.inf


def test_the_mean_after_a_change_and_how_far_it_moved():
    rng = np.random.default_rng(0)
    for n in (2, 3, 10):
        g = rng.normal(size=(n, 3))
        g /= np.linalg.norm(g, axis=1)[:, None]
        without = mean_update(g.mean(axis=0), n, g[0], joins=False)
        assert without == pytest.approx(g[1:].mean(axis=0))
        assert mean_update(without, n - 1, g[0], joins=True) == pytest.approx(g.mean(axis=0))
        assert np.linalg.norm(without - g.mean(axis=0)) == pytest.approx(np.linalg.norm(g[0] - g.mean(axis=0)) / (n - 1))
        assert np.linalg.norm(without - g.mean(axis=0)) <= 2 / n


@pytest.mark.parametrize("sizes", [(2, 1), (2, 2), (3, 2), (2, 3)])
def test_one_person_turns_the_sign_of_the_whole_step(sizes):
    """Equal multipliers, two groups: all gradients in {-1, 1} and scores in {0, 1/2, 1} whose change turns the signs, and random ones."""
    A, bounds = people(sizes), [sign_flip_sensitivity(*pair, 1.0, 1.0) for pair in (sizes, sizes[::-1]) if pair[0] > 1]
    worst = 0.0
    for scores in itertools.product((0.0, 0.5, 1.0), repeat=len(A)):
        for g in itertools.product((-1.0, 1.0), repeat=len(A)) if len(set(scores)) > 1 and len(A) < 5 else ():
            worst = max(worst, largest_move("autograd", np.reshape(g, (-1, 1)), A, [1, 1], scores=scores).value)
    for pair in (sizes, sizes[::-1]):
        if pair[0] > 1:
            found = worst_people(*pair, 1.0, sign_flips=True)
            worst = max(worst, largest_move("autograd", found.gradients, found.A, [1, 1], scores=found.scores).value)
    assert worst == pytest.approx(max(bounds))
    rng = np.random.default_rng(0)
    for _ in range(50):
        g = rng.normal(size=(len(A), 3))
        g /= np.linalg.norm(g, axis=1)[:, None]
        assert largest_move("autograd", g, A, [1, 1], scores=rng.uniform(size=len(A))).value <= max(bounds)


def test_the_flip_does_not_shrink_with_the_group():
    """3.905 at m = 20 where 0.105 is printed, 37 times; and it tends to 4, not to 0."""
    for m in (2, 20, 400):
        found = worst_people(m, m, 1.0, sign_flips=True)
        other = found.A.copy()
        other[0] = 1
        step = [group_term("autograd", found.gradients, A, [1, 1], scores=found.scores) for A in (found.A, other)]
        assert np.abs(step[1] - step[0])[0] == pytest.approx(4 - 2 / (m + 1)) and sign_flip_sensitivity(m, m, 1, 1) == 4 - 2 / (m + 1)
    assert round(sign_flip_sensitivity(20, 20, 1, 1), 3) == 3.905
    assert round(sign_flip_sensitivity(20, 20, 1, 1) / theorem_1(20, 20, 1, 1, as_printed=True)) == 37


def test_where_the_populations_gradient_does_not_cancel_nothing_bounds_the_flip():
    """Three groups, or two with unequal multipliers, and a population's gradient that nobody clipped."""
    for A, nu, scores in ((people((2, 2)), [1.0, 0.5], [0.9, 0.5, 0.5, 0.5]), (people((2, 2, 2)), [1.0, 1.0, 1.0], [0.9, 0.4, 1, 1, 0, 0])):
        h, other = np.array(scores), np.where(np.arange(len(A)) == 0, 1, A)
        before, after = (np.sign([h.mean() - h[B == a].mean() for a in range(len(nu))]) for B in (A, other))
        for big in (10.0, 1e6):         # the gradient of everybody; that of each person is 1
            assert abs((after - before) @ nu * (big - 1)) > 0.8 * big


def test_the_coordinates_of_equation_10_move_as_theorem_1_says_and_may_point_uphill():
    """The printed step is within the true Theorem 1. But it is no gradient: h = x.theta, two groups, and the printed direction raises the
    penalty |mean_0 - mean_1| that the true gradient lowers."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        A = rng.permutation(people((3, 4)))
        g = rng.normal(size=(7, 2))
        g /= np.linalg.norm(g, axis=1)[:, None]
        assert largest_move("printed", g, A, [1, 1]).value <= max(theorem_1(3, 4, 1, 1), theorem_1(4, 3, 1, 1))
    X, A, theta = np.array([[1.0, -1.0], [0.0, 0.0], [0.0, 0.0]]), np.array([0, 1, 1]), np.array([0.2, 1.0])
    printed, true = (group_term(form, X, A, [1, 1], **more) for form, more in (("printed", {}), ("autograd", {"scores": X @ theta})))

    def penalty(theta):
        h = X @ theta
        return sum(abs(h.mean() - h[A == a].mean()) for a in (0, 1))

    assert true == pytest.approx([-1, 1]) and printed == pytest.approx([1, 1])
    assert penalty(theta - 0.1 * true) < penalty(theta)
    tilted = np.array([1.0, 0.2])
    other = group_term("autograd", X @ np.diag([1, 2]), A, [1, 1], scores=X @ np.diag([1, 2]) @ tilted)
    assert (group_term("printed", X @ np.diag([1, 2]), A, [1, 1]) @ other) < 0      # uphill


def test_a_clipped_mean_is_turned_round_by_one_person():
    """2 C lambda for each of the two groups, whatever their sizes."""
    for n1, n2 in ((2, 1), (5, 9), (300, 300)):
        g = np.where(people((n1, n2)) == 0, 1.0, 1.0)
        g[0] = -1e5
        means = np.array([[g[people((n1, n2)) == a].mean() for a in (0, 1)], [g[1:n1].mean(), g[[0, *range(n1, n1 + n2)]].mean()]])
        before, after = 1.5 * np.clip(means, -1, 1) @ [1, -1]
        assert abs(after - before) == pytest.approx(clipped_mean_sensitivity(1.0, 1.5))
    rng = np.random.default_rng(0)
    for _ in range(50):
        g = rng.normal(size=(5, 2)) * rng.choice([0.1, 10.0], size=(5, 1))
        means = [np.stack([g[A == a].mean(axis=0) for a in (0, 1)]) for A in (people((3, 2)), np.array([1, 0, 0, 1, 1]))]
        before, after = (mean / np.maximum(1, np.linalg.norm(mean, axis=1, keepdims=True)) for mean in means)
        assert np.linalg.norm(1.5 * (after - before).T @ [1, -1]) <= clipped_mean_sensitivity(1.0, 1.5)


@pytest.mark.parametrize("floor", [1, 2, 3])
def test_floored_means_move_so_far_for_all_sizes(floor):
    for nu in ([1, -1], [1, 1], [1, -0.3]):
        worst = 0.0
        for n1, n2 in itertools.product(range(1, floor + 3), range(floor + 3)):
            for signs in itertools.product((-1.0, 1.0), repeat=3):        # who moves, the rest of one group, the other
                g = np.repeat(signs, [1, n1 - 1, n2])[:, None]
                worst = max(worst, furthest(by_size(nu, g, lambda a, size: max(size, floor)), people((n1, n2)), 2))
        assert worst == pytest.approx(floored_sensitivity(nu, 1.0, floor))


def test_fixed_normalisers_move_by_the_range_and_the_centre_halves_it():
    rng = np.random.default_rng(0)
    for k in (2, 3, 5):
        nu, N, A = rng.normal(size=k), rng.uniform(1, 9, size=k), rng.integers(k, size=12)
        g = rng.normal(size=(12, 3))
        g /= np.linalg.norm(g, axis=1)[:, None]
        whole, (centre, weights) = fixed_sensitivity(nu, 1.0, N), centred_prices(nu[:, None], N[:, None])
        A[0] = (nu / N).argmax()
        assert furthest(by_size(nu, g, lambda a, size, N=N: N[a]), A, k) == pytest.approx(whole)
        assert whole == pytest.approx(2 * np.abs(weights).max())
        assert centre[0] * g.sum(axis=0) + weights[A, 0] @ g == pytest.approx(by_size(nu, g, lambda a, size, N=N: N[a])(A))
        # those who do not say their group are one more group, with multiplier 0
        silent = furthest(by_size([*nu, 0.0], np.r_[g, g], lambda a, size, N=N: [*N, 1.0][a]), np.r_[A, np.full(12, k)], k + 1)
        assert silent == pytest.approx(fixed_sensitivity(nu, 1.0, N, missing=True)) and silent >= whole * (1 - 1e-12)
    assert fixed_sensitivity([1, -1], 1, [20, 20]) == pytest.approx(0.1) and theorem_1(20, 20, 1, 1) > 0.195


def test_the_repaired_step_reads_one_number_of_each_person():
    """Three groups, noise 0: nobody adds more than half of range times clip, a change moves the sum by at most range times clip, and both
    are met; and a sum over a sample is that of its people."""
    rng, sizes, clip = np.random.default_rng(3), np.array([[5.0], [3.0], [4.0]]), 0.5
    A, people = rng.integers(3, size=12), np.arange(12)
    A[:3] = 0, 1, 2
    X, theta = 5 * rng.normal(size=(12, 2)), rng.normal(size=3)
    nu = np.array([[1.0], [-2.0], [0.5]])
    _, centred = centred_prices(nu, sizes)

    none = Measurement("gaussian", "A", sensitivity=1.0, scale=0.0)

    def released(A, some=people):
        problem = FairProblem(Network(2, ()), X, A, people % 2, FairTerms("demographic_parity", 3))
        return noisy_group_sum(problem.of(theta, some), centred, clip, none, rng)

    reach = fixed_sensitivity(nu[:, 0], clip, sizes[:, 0])
    alone = [np.linalg.norm(released(np.full(12, a), people[i:i + 1])) for i in people for a in range(3)]
    moves = [np.linalg.norm(released(np.r_[A[:i], a, A[i + 1:]]) - released(A)) for i in people for a in range(3)]
    assert max(alone) <= reach / 2 * (1 + 1e-9) and max(moves) <= reach * (1 + 1e-9)
    assert max(moves) > 0.99 * reach and max(alone) > 0.99 * reach / 2
    assert released(A, people[:5]) == pytest.approx(sum(released(A, people[i:i + 1]) for i in range(5)))


def test_theorem_2_by_its_two_coordinates():
    """All h in {low, high}: the vector of violations moves by (high - low) hypot(1/n1, 1/(n2+1)), and never more."""
    for n1, n2, (low, high) in itertools.product((2, 3), (1, 2, 3), ((0.0, 1.0), (-1.0, 1.0), (-1.0, 3.0))):
        A, worst = people((n1, n2, 2)), 0.0
        other = np.r_[1, A[1:]]
        for h in itertools.product((low, high), repeat=n1 + n2):
            h = np.r_[h, low, high]
            V = [h.mean() - np.array([h[B == a].mean() for a in range(3)]) for B in (A, other)]
            worst = max(worst, np.linalg.norm(V[1] - V[0]))
            assert np.linalg.norm(np.abs(V[1]) - np.abs(V[0])) <= theorem_2(n1, n2, low, high) + 1e-12
        assert worst == pytest.approx(theorem_2(n1, n2, low, high))
        A = people((n1, n2, 100))               # a third group that keeps all signs: attained by absolute violations, too
        h = np.r_[high, np.full(n1 + n2 - 1, low), np.full(100, high)]
        V = [np.abs(h.mean() - np.array([h[B == a].mean() for a in range(3)])) for B in (A, np.r_[1, A[1:]])]
        assert np.linalg.norm(V[1] - V[0]) == pytest.approx(theorem_2(n1, n2, low, high))
    moves = []                                  # two groups of ten alone: signs change, and |V| moves less; over the means of all others
    for z, r, s in itertools.product((-1.0, 1.0), np.linspace(-1, 1, 101), np.linspace(-1, 1, 101)):
        before, after = np.array([(9 * r + z) / 10, s]), np.array([r, (10 * s + z) / 11])
        P = (9 * r + z + 10 * s) / 20
        moves.append(np.linalg.norm(np.abs(P - after) - np.abs(P - before)))
    assert max(moves) == pytest.approx(.258, abs=6e-4) and max(moves) < theorem_2(10, 10, -1, 1)
    for m in range(2, 50):
        assert theorem_2(m, m, 0, 1) <= theorem_2(m, m, 0, 1, as_printed=True)                     # one sign: valid
        assert (theorem_2(m, m, -1, 1) > theorem_2(m, m, -1, 1, as_printed=True)) == (m >= 3)      # two: not
    assert [round(theorem_2(10, 10, -1, 1, as_printed=p), 3) for p in (False, True)] == [0.270, 0.157]


def test_violations_with_fixed_normalisers():
    for N, (low, high), share in itertools.product(([5.0, 8.0], [5.0, 8.0, 3.0]), ((0.0, 1.0), (-1.0, 2.0)), (0.0, 0.4, 0.9)):
        population, k = low + share * (high - low), len(N)
        moves = [np.linalg.norm([(population - h) / N[a], (population - h) / N[b]])
                 for h in np.linspace(low, high, 11) for a, b in itertools.permutations(range(k), 2)]
        assert max(moves) == pytest.approx(fixed_violation_sensitivity(N, low, high, population))


def test_groups_that_are_not_said():
    """m = 20, a fifth says it: 0.526 printed, 0.667 by the printed formula at four people, 0.9 true, and met by four and four."""
    assert round(missing_sensitivity(20, 20, 0.2, 1, 1, as_printed=True), 3) == 0.526
    assert round(theorem_1(4, 4, 1, 1, as_printed=True), 3) == 0.667
    found = worst_people(4, 4, 1.0)
    assert largest_move("means", found.gradients, found.A, [1, -1]).value == pytest.approx(0.9)
    assert missing_sensitivity(20, 20, 0.2, 1, 1) == pytest.approx(0.9)
    silent = np.r_[2, found.A[1:]]                      # from saying it to not: one mean moves
    moved = group_term("means", np.r_[found.gradients, [[0.0]]], np.r_[silent, 2], [1, -1, 0]) - group_term(
        "means", np.r_[found.gradients, [[0.0]]], np.r_[found.A, 2], [1, -1, 0])
    assert abs(moved[0]) == pytest.approx(2 / 4) and abs(moved[0]) < 0.9
    assert missing_sensitivity(20, 20, 0.5, 1, 1) > theorem_1(20, 20, 1, 1)             # more noise, not less
    with pytest.raises(ValueError, match=r"^rate=0.01: leaves 0.2 and 0.2 people"):
        missing_sensitivity(20, 20, 0.01, 1, 1)


@pytest.mark.parametrize("form, given, words", [
    ("autograd", {}, "scores=None: form='autograd' reads it"),
    ("means", {"scores": [1.0]}, r"scores=\[1.0\]: is read by form='autograd', and not by form='means'"),
    ("means", {"A": [0, 0, 0]}, "A=1: group 1 holds nobody"), ("means", {"multipliers": [1.0]}, r"multipliers=\(1,\): not one number"),
    ("means", {"A": [0, 1, 2]}, "A=2: a code above n_groups - 1 = 1")])
def test_a_form_says_what_it_needs_and_what_it_does_not_read(form, given, words):
    call = {"gradients": [[1.0], [1.0], [0.0]], "A": [0, 0, 1], "multipliers": [1.0, -1.0], **given}
    with pytest.raises(ValueError, match=r"^" + words):
        group_term(form, **call)


def test_nobody_can_change_group():
    with pytest.raises(ValueError, match=r"^A=\(2,\): nobody can leave a group without emptying it"):
        largest_move("means", [[1.0], [1.0]], [0, 1], [1, -1])
    with pytest.raises(ValueError, match=r"^sizes=1.0: is the largest group"):
        means_sensitivity([1, 1], [1, -1], 1.0)


# --- deliberate faults

def true_value(value):
    """Another number where the printed one is not asked for."""
    return lambda f: lambda *args, as_printed=False, **kw: f(*args, as_printed=True, **kw) if as_printed else value(*args, **kw)


SENSITIVITY = "dpfair_teach.lagrangian.sensitivity."
FAULTS = {
    "theorem_1_without_who_leaves": Mutant(SENSITIVITY + "theorem_1", true_value(lambda n1, n2, C, lam: 2 * C * lam / (n2 + 1)),
                                           "the group left does not move"),
    "theorem_1_without_who_joins": Mutant(SENSITIVITY + "theorem_1", true_value(lambda n1, n2, C, lam: 2 * C * lam / n1),
                                          "the group joined does not move"),
    "theorem_1_as_if_nobody_else_moved": Mutant(SENSITIVITY + "theorem_1", true_value(
        lambda n1, n2, C, lam: C * lam * (1 / n1 + 1 / (n2 + 1))), "a mean that loses z moves by z / n"),
    "printed_theorem_1_without_its_one": Mutant(SENSITIVITY + "theorem_1", lambda f: lambda n1, n2, C, lam, as_printed=False: (
        2 * C * lam / min(n1, n2)) if as_printed else f(n1, n2, C, lam), "2 C lambda / min"),
    "mean_update_by_the_size": Mutant(SENSITIVITY + "mean_update", with_arguments(size=lambda n: n + 1), "one person more before"),
    "means_with_the_same_sign": Mutant(SENSITIVITY + "means_sensitivity", with_arguments(multipliers=np.abs), "signs do not matter"),
    "sign_flip_by_one_mean": Mutant(SENSITIVITY + "sign_flip_sensitivity", scaled(0.5), "one of the two steps is 0"),
    "sign_flip_of_four_in_all": Mutant(SENSITIVITY + "sign_flip_sensitivity", lambda f: lambda n1, n2, C, lam: 4 * C * lam,
                                       "the limit for large groups"),
    "clipped_mean_of_one_group": Mutant(SENSITIVITY + "clipped_mean_sensitivity", scaled(0.5), "one group moves"),
    "floor_without_its_one": Mutant(SENSITIVITY + "floored_sensitivity", with_arguments(floor=lambda n: n + 1), "2C / (m0 + 2)"),
    "fixed_by_the_largest": Mutant(SENSITIVITY + "fixed_sensitivity", lambda f: lambda nu, C, N, missing=False: float(
        C * np.abs(np.asarray(nu) / N).max()), "the largest nu / N, and not the range"),
    "missing_is_no_group": Mutant(SENSITIVITY + "fixed_sensitivity", with_arguments(missing=lambda _: False), "who is silent stays so"),
    "centred_nowhere": Mutant("dpfair_teach.lagrangian.private_steps.centred_prices", lambda f: lambda nu, N, silent=False: (
        np.zeros(np.shape(nu)[1]), np.divide(nu, N)), "nothing is moved to the public part"),
    "theorem_2_without_who_leaves": Mutant(SENSITIVITY + "theorem_2", true_value(lambda n1, n2, low, high: (high - low) / (n2 + 1)),
                                           "the group left does not move"),
    "theorem_2_without_who_joins": Mutant(SENSITIVITY + "theorem_2", true_value(lambda n1, n2, low, high: (high - low) / n1),
                                          "the group joined does not move"),
    "theorem_2_adds_up": Mutant(SENSITIVITY + "theorem_2", true_value(lambda n1, n2, low, high: (high - low) * (1 / n1 + 1 / (n2 + 1))),
                                "the moves add up and their squares do not"),
    "theorem_2_by_the_largest_value": Mutant(SENSITIVITY + "theorem_2", true_value(
        lambda n1, n2, low, high: max(abs(low), abs(high)) * math.hypot(1 / n1, 1 / (n2 + 1))), "C_d, and not the width"),
    "violations_centred_at_the_low_end": Mutant(SENSITIVITY + "fixed_violation_sensitivity", lambda f: lambda N, low, high, mu:
        f(N, low, high, high), "the width, and not the distance from the population"),
    "rate_divides_the_sensitivity": Mutant("dpfair_teach.lagrangian.sensitivity.missing_sensitivity", true_value(
        lambda n1, n2, rate, C, lam: theorem_1(n1, n2, C, lam, as_printed=True) / rate), "the printed rule"),
}
