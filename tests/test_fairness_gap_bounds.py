"""How large gaps can be: bounds against exact laws and every table of a few people, exact laws against enumeration."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import fairness
from faults import Mutant, scaled

VALID_CALLS = {"fairness.widest_gap": lambda: dict(accepted=[.1, .5], shares=[.6, .4])}


def test_the_bound_of_one_draw_against_the_exact_law_of_a_gap():
    """Two binomial shares, every chance on a grid: the gap is off by t_ay or more with probability at most beta / G, G gaps in all."""
    for n, n_0, k, rates in ((5, 3, 2, 1), (20, 30, 2, 2), (40, 8, 3, 2)):
        people = np.full((k, rates), n)
        people[0] = n_0
        for beta in (0.5, 0.05, 1e-3):
            margin = fairness.gap_margin(people, beta)
            assert margin.shape == (k, rates) and (margin[0] == 0).all()
            gaps = (k - 1) * rates
            for h, h_0 in itertools.product((0.1, 0.3, 0.5), (0.1, 0.5, 0.8)):
                here, there = stats.binom(n, h).pmf(np.arange(n + 1)), stats.binom(n_0, h_0).pmf(np.arange(n_0 + 1))
                gap = np.arange(n + 1)[:, None] / n - np.arange(n_0 + 1) / n_0 - (h - h_0)
                assert (here[:, None] * there)[np.abs(gap) >= margin[1, 0] - 1e-12].sum() <= beta / gaps
    # Hoeffding's formula for two coins in each of two cells, and no room of a factor: at the exponent 2 / rho it is what the formula says
    assert fairness.gap_margin([[2], [2]], 0.1)[1, 0] == pytest.approx(math.sqrt(math.log(20) / 2))
    assert fairness.gap_margin([[500, 200], [500, 50]], 0.05)[1] == pytest.approx(
        [math.sqrt((1 / 500 + 1 / 500) * math.log(80) / 2), math.sqrt((1 / 200 + 1 / 50) * math.log(80) / 2)])


def test_the_bound_holds_for_the_violation_of_unequal_chances_in_one_cell():
    """3,000 rounds of decisions; more than 5 % over the bound at beta = 1 % has probability below 1e-50."""
    rng = np.random.default_rng(31)
    A, Y = rng.integers(0, 3, 900), rng.integers(0, 2, 900)
    chance = rng.random(900)
    expected = fairness.violation(fairness.cell_counts(chance, A, Y), against="anchor")
    people = fairness.cell_counts(np.ones(900), A, Y).sum(axis=0)
    drawn = rng.random((3000, 900)) < chance
    cell = np.eye(6)[2 * A + Y]
    accepted = (drawn @ cell).reshape(-1, 3, 2)
    violation = fairness.violation(np.stack([people - accepted, accepted], axis=1), against="anchor")
    assert (np.abs(violation - expected) > fairness.gap_margin(people, 0.01).max()).mean() <= 0.05
    # one coin for all keeps the chances and leaves the bound behind
    one = (rng.random((3000, 1)) < 0.5).repeat(900, axis=1) == (A == 0)
    accepted = (one @ cell).reshape(-1, 3, 2)
    assert (fairness.violation(np.stack([people - accepted, accepted], axis=1), against="anchor") == 1).all()


@pytest.mark.parametrize("against", ["anchor", "pairs"])
def test_chance_violation_is_the_quantile_by_enumeration(against):
    for n, k, rate in ((4, 2, 0.3), (5, 3, 0.5), (3, 4, 0.1), (6, 2, 1.0), (5, 3, 0.0)):
        counts = np.array(list(itertools.product(range(n + 1), repeat=k)))
        law = stats.binom(n, rate).pmf(counts).prod(axis=1)
        gap = np.ptp(counts, axis=1) if against == "pairs" else np.abs(counts - counts[:, :1]).max(axis=1)
        for beta in (0.4, 0.05, 1e-3):
            enough = min(g for g in range(n + 1) if law[gap <= g].sum() >= 1 - beta)
            assert fairness.chance_violation(n, rate, k, beta, against) == pytest.approx(enough / n)


def test_chance_violation_lies_below_the_bound_and_as_the_chapter_says():
    for n, k, rate in itertools.product((10, 50, 400), (2, 3, 10), (0.05, 0.5)):
        assert fairness.chance_violation(n, rate, k, against="anchor") <= fairness.gap_margin(np.full((k, 1), n)).max() + 1 / n
    assert fairness.chance_violation(50, 0.2) == pytest.approx(0.16)        # the self-check of chapter 2


@pytest.mark.parametrize("n", [(1, 1), (3, 5), (2, 20), (30, 4)])
@pytest.mark.parametrize("r", [(.5, .5), (.1, .8), (0., 1.), (.9, .85)])
def test_the_mean_measured_gap_lies_between_the_bounds_by_enumeration(n, r):
    """Every number of accepted people of either group; the variance is exact, and where both are sure so is the gap."""
    counts = [np.arange(size + 1) for size in n]
    chance = np.outer(*(stats.binom(size, rate).pmf(count) for size, rate, count in zip(n, r, counts, strict=True)))
    gap = np.subtract.outer(counts[0] / n[0], counts[1] / n[1])
    low, high = fairness.mean_gap_bounds(r, n)
    mean = (chance * np.abs(gap)).sum()
    assert low - 1e-12 <= mean <= high + 1e-12
    assert high**2 == pytest.approx((chance * gap**2).sum(), abs=1e-12)
    if set(r) == {0., 1.}:
        assert low == pytest.approx(high) == pytest.approx(1.0)


@pytest.mark.parametrize("sizes", [(3, 1), (2, 2), (4, 2, 1), (2, 3, 3)])
def test_no_table_of_people_has_a_wider_gap_and_one_has_it(sizes):
    """Every number of accepted people of every group: the widest gap at that share of all is attained, and never passed."""
    n, widest = np.array(sizes), {}
    for accepted in itertools.product(*(range(size + 1) for size in sizes)):
        rates = np.array(accepted) / n
        gap = rates.max() - rates.min()
        widest[sum(accepted)] = max(widest.get(sum(accepted), 0.0), gap)
    for people, gap in widest.items():
        bound = float(fairness.widest_gap(people / n.sum(), n / n.sum()))
        assert gap == pytest.approx(bound, abs=1e-12)       # the worst pair is filled and emptied person by person


def test_few_accepted_and_all_accepted():
    assert fairness.widest_gap(.001, [.9, .1]) == pytest.approx(.01)
    assert fairness.widest_gap([0, 1], [.2, .3, .5]).tolist() == [0, 0]


def test_a_tiny_beta_is_exact_or_refused():
    """The law of the gap in whole numbers: rate 3/10, 100 people a cell."""
    weights = [math.comb(100, i) * 3**i * 7**(100 - i) for i in range(101)]
    for beta in (1e-3, 1e-9, 1e-12):
        gap = round(100 * fairness.chance_violation(100, 0.3, beta=beta))
        beyond = [sum(a * b for i, a in enumerate(weights) for j, b in enumerate(weights) if abs(i - j) > g) / 10**200
                  for g in (gap - 1, gap)]
        assert beyond[1] <= beta < beyond[0]
    with pytest.raises(ValueError, match=r"^beta=1e-17: outside \[1e-12, 1\)"):
        fairness.chance_violation(100, 0.3, beta=1e-17)


# --- deliberate faults

def margin_of_the_other_cell(f):
    def gap_margin(people, beta=0.05):
        people = np.asarray(people, float)
        gaps = (people.shape[0] - 1) * people.shape[1]
        margin = np.sqrt(np.log(2 * gaps / beta) / (2 * people[0])) * np.ones_like(people)
        margin[0] = 0
        return margin
    return gap_margin


def margin_of_one_cell(anchor):
    def make(f):
        def gap_margin(people, beta=0.05):
            inverse = 1 / np.asarray(people, float)
            kept = (inverse[:1] if anchor else inverse) / (inverse + inverse[:1])
            return f(people, beta) * np.sqrt(kept)
        return gap_margin
    return make


FAULTS = {
    "mean_gap_without_luck": Mutant(
        "dpfair_teach.fairness.mean_gap_bounds", lambda f: lambda rates, people: (f(rates, people)[0],) * 2, "what is measured is true"),
    "mean_gap_without_the_truth": Mutant(
        "dpfair_teach.fairness.mean_gap_bounds",
        lambda f: lambda rates, people: (lambda low, high: (low, np.sqrt(high**2 - low**2)))(*f(rates, people)), "luck alone"),
    "mean_gap_of_the_second_groups_luck": Mutant(
        "dpfair_teach.fairness.mean_gap_bounds", lambda f: lambda rates, people: f(rates, np.multiply(people, [1e9, 1])),
        "the first group is infinite"),
    "mean_gap_of_the_first_groups_luck": Mutant(
        "dpfair_teach.fairness.mean_gap_bounds", lambda f: lambda rates, people: f(rates, np.multiply(people, [1, 1e9])),
        "the second group is infinite"),
    "gap_margin_of_its_own_cell": Mutant("dpfair_teach.fairness.gap_margin", margin_of_one_cell(False), "the anchor's cell is infinite"),
    "gap_margin_of_the_anchors_cell": Mutant("dpfair_teach.fairness.gap_margin", margin_of_one_cell(True), "the own cell is infinite"),
    "gap_margin_halved": Mutant("dpfair_teach.fairness.gap_margin", scaled(0.5), "half the bound"),
    "gap_margin_of_the_other_cell": Mutant("dpfair_teach.fairness.gap_margin", margin_of_the_other_cell, "only the anchor's cell counts"),
    "chance_violation_halved": Mutant("dpfair_teach.fairness.chance_violation", scaled(0.5), "half the quantile"),
    "chance_violation_pairs_read_the_anchor": Mutant(
        "dpfair_teach.fairness.chance_violation", lambda f: lambda n, rate, k=2, beta=0.05, against="anchor":
        f(n, rate, k, beta, "anchor"), "pairs are not compared"),
    "widest_gap_of_the_largest_group": Mutant(
        "dpfair_teach.fairness.widest_gap", lambda f: lambda accepted, shares: np.minimum(1, np.asarray(accepted) / np.max(shares)),
        "all who are accepted are of the largest group"),
    "widest_gap_with_nobody_left_over": Mutant(
        "dpfair_teach.fairness.widest_gap", lambda f: lambda accepted, shares: np.minimum(1, np.asarray(accepted) / np.min(shares)),
        "the other group is never reached"),
}
