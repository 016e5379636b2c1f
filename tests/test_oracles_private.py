"""The private oracle: its sensitivity by trying every neighbour, its epsilon exactly, and what breaks when the class depends on A."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpfair_teach import accounting, audit, mechanisms
from dpfair_teach.games import FairnessGame
from dpfair_teach.oracles import cell_losses, cost_sensitivity, halfplane_labelings, private_oracle, threshold_labelings
from faults import Mutant, scaled


def neighbours(k: int, m: int):
    for A in itertools.product(range(k), repeat=m):
        for i in range(m):
            for other in range(A[i] + 1, k):
                yield A, (*A[:i], other, *A[i + 1:])


def test_the_losses_are_those_of_the_game_up_to_a_constant():
    rng = np.random.default_rng(0)
    A, Y, P = np.arange(20) % 2, np.arange(20) // 2 % 2, rng.integers(0, 2, (9, 20))
    game, lam = FairnessGame(P, A, Y, 0.1), rng.exponential(size=4)
    cells = game.cell_costs(lam)
    losses = cell_losses(P, A, Y, cells[1] - cells[0])
    assert np.allclose(losses + (Y == 1).mean(), game.losses(lam) + 0.1 * lam.sum())


@pytest.mark.parametrize("k", [2, 3])
def test_the_sensitivity_is_exact(k):
    """Every A, every change of one entry, every threshold of five people."""
    rng = np.random.default_rng(k)
    m, Y = 5, np.array([0, 1, 1, 0, 1])
    H = threshold_labelings(rng.random(m))
    for _ in range(4):
        costs = rng.normal(size=(k, 2))
        worst = max(np.abs(cell_losses(H, A, Y, costs) - cell_losses(H, B, Y, costs)).max() for A, B in neighbours(k, m))
        assert worst == pytest.approx(cost_sensitivity(costs, m))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_sensitivity_is_met_for_some_groups_and_of_two_groups_for_all(k):
    """Every A of four people, every change of one: with more than two groups somebody of that label has to be in one of the two groups
    whose costs are furthest apart."""
    Y, H = np.array([0, 1, 1, 0]), np.vstack([np.eye(4, dtype=int), np.zeros(4, dtype=int)])
    costs = np.column_stack([np.arange(k) / 10, np.r_[1.0, np.zeros(k - 2), -0.5]])         # label 1: groups 0 and k-1
    far, met = cost_sensitivity(costs, 4), {True: [], False: []}
    assert far == pytest.approx(1.5 / 4)
    for A in itertools.product(range(k), repeat=4):
        moved = max(np.abs(cell_losses(H, A, Y, costs) - cell_losses(H, (*A[:i], b, *A[i + 1:]), Y, costs)).max()
                    for i in range(4) for b in range(k))
        met[any(a in (0, k - 1) for a, y in zip(A, Y, strict=True) if y == 1)].append(moved)
    assert met[True] == pytest.approx([far] * len(met[True])) and len(met[False]) == k**2 * (k - 2)**2
    assert max(met[False], default=0.0) < 0.7 * far


def test_the_private_oracle_is_epsilon_private_and_not_much_better():
    """The exact law at every pair of neighbours, with the sensitivity that the release names: at most epsilon, above .9 of it somewhere.
    And part 3: the chosen loss is within Delta / epsilon ln(H / beta) of the least, but for a chance of beta, which is nearly met."""
    rng, epsilon, m = np.random.default_rng(1), 1.3, 6
    Y, costs = np.array([0, 1, 1, 0, 1, 0]), np.array([[1.0, -1.0], [-1.0, 1.0]])
    H = np.vstack([np.eye(m, dtype=int), halfplane_labelings(rng.normal(size=(m, 2)))[:3], np.zeros((20, m), dtype=int)])
    named = private_oracle(H, [0, 1] * 3, Y, costs, epsilon, rng).release.sensitivity
    printed = private_oracle(H, [0, 1] * 3, Y, costs, epsilon, rng, as_printed=True).release.sensitivity
    worst = {named: 0.0, printed: 0.0}
    for A, B in neighbours(2, m):
        for sensitivity in worst:
            laws = [mechanisms.exponential_probabilities(cell_losses(H, G, Y, costs), sensitivity, epsilon) for G in (A, B)]
            worst[sensitivity] = max(worst[sensitivity], audit.exact_epsilon(*laws))
    assert 0.9 * epsilon < worst[named] <= epsilon + 1e-12 and worst[printed] <= epsilon / 2 + 1e-12

    # One labeling that is right about everybody, 40 that are wrong about one each, at an epsilon at which these are just too dear.
    A, Y, beta = np.tile([0, 1], 20), np.repeat([0, 1], 20), 0.05
    costs = np.array([[1.0, -1.0], [1.0001, -1.0001]])
    H, delta = np.vstack([Y, (Y + np.eye(40, dtype=int)) % 2]), cost_sensitivity(costs, 40)
    losses, epsilon = cell_losses(H, A, Y, costs), 1.001 * 40 * delta * math.log(41 / beta)
    law = mechanisms.exponential_probabilities(losses, private_oracle(H, A, Y, costs, epsilon, rng).release.sensitivity, epsilon)
    too_dear = losses > losses[0] + delta / epsilon * math.log(41 / beta)
    assert too_dear.sum() == 40 and 0.9 * beta < law[too_dear].sum() <= beta


def test_the_draws_have_the_exact_law_and_the_release_says_what_they_cost():
    """100,000 draws over 7 labelings; the largest deviation of a share is below sqrt(ln(14e9) / 2n) except with probability 1e-9."""
    rng, n = np.random.default_rng(2), 100_000
    A, Y, costs = np.array([0, 1, 0, 1, 1, 0]), np.array([0, 1, 1, 0, 1, 0]), np.array([[1.0, -1.0], [2.0, -3.0]])
    H = threshold_labelings(np.arange(6))
    answer = private_oracle(H, A, Y, costs, 5.0, rng, size=n)
    law = mechanisms.exponential_probabilities(cell_losses(H, A, Y, costs), 1 / 6, 5.0)
    share = np.bincount(answer.index, minlength=7) / n
    assert np.abs(share - law).max() < math.sqrt(math.log(14e9) / (2 * n)) and np.ptp(law) > 0.1
    assert answer.release == accounting.Release("exponential", accounting.UNIT_A, sensitivity=1 / 6, epsilon=5.0, times=n)


@pytest.mark.parametrize("tiny", [1.0, 1e-13, 1e-14, 1e-15])
def test_costs_that_hardly_depend_on_the_group_are_no_matter_of_rounding(tiny, monkeypatch):
    """Two labelings that accept equally many of a label: the law of what the mechanism is handed is within epsilon at all neighbours."""
    seen = []
    monkeypatch.setattr(mechanisms.MECHANISMS["exponential"], "draw",
                        lambda losses, numbers, *_, **__: seen.append((losses, numbers[0])) or 0)
    Y, A = np.repeat([0, 1], 200), np.random.default_rng(0).integers(0, 2, 400)
    H = np.zeros((2, 400), dtype=int)
    H[0, :150] = H[1, 50:200] = 1
    for who in range(-1, 400):
        G = np.where(np.arange(400) == who, 1 - A, A)
        private_oracle(H, G, Y, [[1.0, -1.0], [1.0 + tiny, -1.0]], 1.0, np.random.default_rng(0))
    laws = [mechanisms.exponential_probabilities(*each, 1.0) for each in seen]
    assert 0.5 < max(audit.exact_epsilon(laws[0], law) for law in laws) < 1 + 1e-9


def test_costs_may_be_as_large_as_costs_may_be():
    rng = np.random.default_rng(0)
    answer = private_oracle([[0, 0], [1, 1]], A=[0, 1], Y=[0, 1], costs=[[1e9, -1e9], [-1e9, 1e9]], epsilon=1.0, rng=rng)
    assert answer.release.sensitivity == 5e8


def test_costs_that_ignore_the_group_cost_no_privacy():
    answer = private_oracle([[0, 1], [1, 0]], A=[0, 1], Y=[0, 1], costs=[[1, -1], [1, -1]], epsilon=0.01, rng=np.random.default_rng(0))
    assert answer.release is None and answer.index == 0


def test_with_a_in_s_the_class_itself_tells():
    """Two people with equal x: half-planes on (x, a) can treat them differently if and only if their groups differ."""
    x = np.array([0.5, 0.5, 0.1])
    H = [halfplane_labelings(np.column_stack([x, A])) for A in ([0, 1, 0], [1, 1, 0])]
    told = [(0, 1) in {(row[0], row[1]) for row in labelings.tolist()} for labelings in H]
    assert told == [True, False]
    laws = []
    rows = sorted({tuple(r) for labelings in H for r in labelings.tolist()})
    for labelings, A in zip(H, ([0, 1, 0], [1, 1, 0]), strict=True):
        p = mechanisms.exponential_probabilities(cell_losses(labelings, A, [1, 0, 1], [[1, -1], [1, -1]]), 1 / 3, 0.1)
        law = dict(zip(map(tuple, labelings.tolist()), p, strict=True))
        laws.append(np.array([law.get(row, 0.0) for row in rows]))
    assert audit.exact_epsilon(*laws) == math.inf and audit.exact_delta(*laws, epsilon=20.0) > 0.2

    # The twins alone, one of each label, and costs that hardly depend on the group: as close to 1 as one likes, at the mechanism's 1.
    told, both = halfplane_labelings([[0.5, 0], [0.5, 1]]), halfplane_labelings([[0.5, 0], [0.5, 0]])
    assert {tuple(row) for row in both.tolist()} == {(0, 0), (1, 1)}
    apart = told[:, 0] != told[:, 1]
    for t, at_least in ((1.0, 0.3), (0.2, 0.98), (0.05, 1 - 1e-8)):
        costs = [[1.0, -1.0], [1.0 + t, -1.0 - t]]
        for Y in ([0, 1], [1, 0]):
            p = mechanisms.exponential_probabilities(cell_losses(told, [0, 1], Y, costs), cost_sensitivity(costs, 2) / 2, 1.0)
            assert cost_sensitivity(costs, 2) == pytest.approx(t / 2) and p[apart].sum() > at_least


# --- deliberate faults

def second_number_ignored(f):
    return lambda X, **kw: f(np.asarray(X, dtype=float) * [1, 0], **kw)


FAULTS = {
    "cost_sensitivity_of_neighbouring_codes": Mutant(
        "dpfair_teach.oracles.private.cost_sensitivity", lambda f: lambda costs, m: float(np.abs(np.diff(costs, axis=0)).max()) / m,
        "groups whose codes are not next to each other are never exchanged"),
    "cost_sensitivity_of_both_labels": Mutant("dpfair_teach.oracles.private.cost_sensitivity", lambda f: lambda costs, m: (
        float(np.ptp(np.asarray(costs, float), axis=0).sum()) / m), "one person is taken for two"),
    "oracle_at_a_quarter": Mutant("dpfair_teach.oracles.private.cost_sensitivity", scaled(0.5), "a quarter of the sensitivity"),
    "oracle_rounds_small_costs": Mutant(
        "dpfair_teach.oracles.private._choice_losses", lambda f: cell_losses,
        "costs that hardly depend on the group are summed with what does not"),
    "oracle_at_the_whole": Mutant(
        "dpfair_teach.oracles.private.cost_sensitivity", scaled(2), "the textbook's sensitivity, which is private too"),
    "half_planes_without_a": Mutant(
        "dpfair_teach.oracles.labelings.halfplane_labelings", second_number_ignored, "the second number is ignored"),
}
