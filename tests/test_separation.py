"""f(D) against a linear program, the numbers of Theorem 3.9 against f(D), all in exact rationals."""
from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_teach import data, separation
from dpfair_teach.fairness import cell_counts, error, violation
from faults import Mutant, changed, less

SIZES = (40, 80, 200, 400, 2000)
GAMMAS = (Fraction(1, 10), Fraction(1, 5), Fraction(1, 2))
CASES = [(m, gamma) for m in SIZES for gamma in GAMMAS]
PAIRS = ("paper", "attribute")


def table(D):
    return cell_counts(D.X[:, 0].astype(int), D.A, D.Y, n_groups=2)


def decisions(D):
    """What the four classifiers say about each person, (4, m)."""
    x = D.X[:, 0]
    return np.stack([0 * x, x, D.A == 0, D.A == 1]).astype(int)


def by_program(D, gamma, aware):
    """f(D) by HiGHS, from the decisions themselves."""
    counts = [cell_counts(h, D.A, D.Y, n_groups=2) for h in decisions(D)[:4 if aware else 2]]
    gaps = [c[1, 0, 0] / c[:, 0, 0].sum() - c[1, 1, 0] / c[:, 1, 0].sum() for c in counts]
    answer = linprog([error(c) for c in counts], A_ub=[gaps, np.negative(gaps)], b_ub=[gamma, gamma],
                     A_eq=np.ones((1, len(counts))), b_eq=[1])
    assert answer.status == 0
    return answer.fun


def random_datasets(n, rng):
    """Small and larger ones, some cells empty, each group with somebody of label 0."""
    _, pattern = separation.instance(40, 0.1)
    while n:
        counts = rng.multinomial(rng.integers(5, 60), rng.dirichlet(np.full(8, rng.choice([0.3, 1, 5])))).reshape(2, 2, 2)
        if (counts[..., 0].sum(axis=0) > 0).all():
            people = np.repeat(np.argwhere(counts >= 0), counts.ravel(), axis=0)
            yield data.Dataset(people[:, :1].astype(float), people[:, 1], people[:, 2], ("U",), ("R", "B"), "drawn", pattern.provenance)
            n -= 1


@pytest.mark.parametrize("aware", [False, True])
def test_f_is_the_value_of_the_linear_program(aware):
    for D in random_datasets(60, np.random.default_rng(13)):
        for gamma in (0, 0.05, 0.3):
            best = separation.fair_optimum(D, gamma, aware)
            assert float(best.value) == pytest.approx(by_program(D, gamma, aware), abs=1e-9)
            assert separation.optimal_errors(table(D), gamma, aware) == pytest.approx(float(best.value), abs=1e-12)
            # the mixture is one: its weights, its error and its gap, person by person
            assert sum(best.weights.values()) == 1 and min(best.weights.values()) >= 0
            mixture = np.array([float(w) for w in best.weights.values()]) @ decisions(D)[:len(best.weights)]
            mixed = cell_counts(mixture, D.A, D.Y, n_groups=2)
            assert error(mixed) == pytest.approx(float(best.value), abs=1e-12)
            assert violation(mixed, "false_positive") == pytest.approx(abs(float(best.gap)), abs=1e-12)
            assert abs(best.gap) <= Fraction(str(gamma))


def test_many_tables_and_tolerances_at_once():
    tables = np.stack([table(D) for D in random_datasets(6, np.random.default_rng(2))])
    gammas = np.array([[0.0], [0.1], [0.4]])
    batch = separation.optimal_errors(tables, gammas, True)
    assert batch.shape == (3, 6)
    assert batch == pytest.approx(np.array([[separation.optimal_errors(t, float(g), True) for t in tables] for g in gammas[:, 0]]))
    assert (np.diff(batch, axis=0) <= 1e-12).all() and (batch <= separation.optimal_errors(tables, gammas) + 1e-12).all()


@pytest.mark.parametrize("m, gamma", CASES)
@pytest.mark.parametrize("neighbour", PAIRS)
def test_theorem_3_9_numbers_are_exact(m, gamma, neighbour):
    """thm-3-9, lower half: the pair of the paper and the pair that changes A only, in Fractions."""
    D, there = separation.instance(m, gamma, neighbour)
    said = separation.theorem_3_9(m, gamma, neighbour)
    assert (separation.optimal_error(D, gamma), separation.optimal_error(there, gamma)) == (said.value, said.value_neighbour)
    assert said.jump == said.value_neighbour - said.value > 0
    best = separation.fair_optimum(there, gamma)
    assert best.weights == {"h_0": 1 - said.share, "h_U": said.share} and abs(best.gap) == gamma
    if neighbour == "paper":
        assert said.value == gamma / 4 and said.jump == 1 / (4 + gamma * m)
        assert said.share == gamma * m / (4 + gamma * m)
    else:
        assert said.value == gamma / 4 + Fraction(3, m)
        assert said.jump == (1 - gamma / said.gap) * (Fraction(1, 4) - gamma / 4 - Fraction(3, m))
    assert separation.optimal_error(D, float(gamma)) == float(said.value)        # a float in, a float out


@pytest.mark.parametrize("neighbour", PAIRS)
def test_one_person_changes_and_only_what_is_said(neighbour):
    for m, gamma in CASES:
        D, there = separation.instance(m, gamma, neighbour)
        assert D.m == there.m == m and (D.Y == there.Y).all()
        assert ((D.X != there.X).sum(), (D.A != there.A).sum()) == ((1, 0) if neighbour == "paper" else (0, 1))
        least = min(D.cell_sizes()[:, 0].min(), there.cell_sizes()[:, 0].min())
        assert least == m // 4                                                  # C = 1/4 holds for both


def test_both_jumps_are_of_order_one_over_gamma_m():
    """jump times gamma m: at most 1 and towards 1 for the paper's pair, towards (6 - 4 gamma)(1 - gamma)/4 for the other."""
    for gamma in (0.1, 0.2, 0.5):
        steps = [[float(separation.theorem_3_9(m, gamma, kind).jump) * gamma * m for m in (2000, 10 ** 6)] for kind in PAIRS]
        for (near, far), limit in zip(steps, (1, (6 - 4 * gamma) * (1 - gamma) / 4), strict=True):
            assert far == pytest.approx(limit, rel=1e-3) and abs(near - limit) < 0.15
    assert float(separation.theorem_3_9(2000, 0.1, "attribute").jump) == pytest.approx(0.0061, abs=5e-5)
    assert float(separation.theorem_3_9(2000, 0.1).jump) == pytest.approx(0.0049, abs=5e-5)
    for m in (16, 2000, 20_000):        # gamma = 0: about a quarter, however many people, and gamma m times it is 0, no limit of 6 / 4
        assert [separation.theorem_3_9(m, 0, kind).jump for kind in PAIRS] == [Fraction(1, 4), Fraction(1, 4) - Fraction(3, m)]


def test_a_little_more_tolerance_removes_the_jump():
    """sec-relaxed: with gamma + alpha on D', alpha how far h_U's gap has moved, no blind jump is left; 4/m for the paper's pair."""
    for m, gamma in CASES:
        for neighbour in PAIRS:
            D, there = separation.instance(m, gamma, neighbour)
            said = separation.theorem_3_9(m, gamma, neighbour)
            relaxed = separation.optimal_error(there, said.gap)
            assert relaxed - separation.optimal_error(D, gamma) == (Fraction(1, m) if neighbour == "paper" else 0)
            assert said.gap - gamma == Fraction(4, m) or neighbour == "attribute"
            assert separation.optimal_error(there, said.gap - Fraction(1, 10 * m)) > relaxed        # and with less some is left


def test_the_paper_s_four_people_are_not_enough_for_the_pair_that_changes_a():
    """J31: at gamma + 4/m the paper's pair is within 1/m, the other is not; at gamma + alpha, alpha = 2/(Cm + 1), it is."""
    for m, gamma, least in ((2000, Fraction(1, 10), 3), (200_000, Fraction(1, 100), 30)):
        alpha = Fraction(2, m // 4 + 1)
        for neighbour in PAIRS:
            D, there = separation.instance(m, gamma, neighbour)
            left = {more: m * (separation.optimal_error(there, gamma + more) - separation.optimal_error(D, gamma))
                    for more in (Fraction(4, m), alpha)}
            assert left[alpha] <= 1
            assert left[Fraction(4, m)] == 1 if neighbour == "paper" else left[Fraction(4, m)] > least


def test_one_mixture_serves_both_neighbours_and_the_relaxed_value_jumps_again():
    """What chapter 13's question on prop-relaxed answers: 8/m is above alpha at C = 1/4, the best mixture of the easier data set keeps its
    error on both, and at the tolerance gamma + 8/m itself there are neighbours as far apart as there were at gamma."""
    m, gamma = 2000, Fraction(1, 10)
    assert separation.sensitivity.gap_sensitivity(m, 0.25) < 8 / m
    for neighbour in PAIRS:
        D, there = separation.instance(m, gamma, neighbour)
        best = separation.fair_optimum(D, gamma)                                # h_U alone, and D is the easier
        mixed = cell_counts(np.array([float(w) for w in best.weights.values()]) @ decisions(there)[:2], there.A, there.Y, n_groups=2)
        value = separation.optimal_error(there, gamma)
        assert best.value < value and error(mixed) <= value + 1 / m and error(mixed) <= best.value + Fraction(1, m) + 1e-12
        assert violation(mixed, "false_positive") <= float(gamma) + separation.sensitivity.gap_sensitivity(m, 0.25)
        relaxed = gamma + Fraction(8, m)
        again = separation.theorem_3_9(m, relaxed, neighbour).jump
        assert again > 9 * Fraction(1, m) and again > 0.9 * separation.theorem_3_9(m, gamma, neighbour).jump


def test_the_blind_line_falls_with_a_slope_of_1_less_gamma_over_4_gamma():
    """Chapter 13's word on the line of D, for both pairs: from h_0's quarter to h_U's error within a tolerance of gamma."""
    for m, gamma in CASES[:-1]:
        for neighbour, more in zip(PAIRS, (0, Fraction(3, m)), strict=True):
            D, _ = separation.instance(m, gamma, neighbour)
            slope = (separation.optimal_error(D, gamma / 2) - separation.optimal_error(D, gamma)) / (gamma / 2)
            assert slope == (1 - gamma) / (4 * gamma) - more / gamma


def test_what_the_aware_class_does_on_the_same_pairs():
    """The jump becomes (1 + gamma)/4 gamma times smaller, in the limit, and for gamma >= 1/3 stays as it is."""
    for neighbour, ratio in (("paper", 2.75), ("attribute", None)):
        D, there = separation.instance(20_000, Fraction(1, 10), neighbour)
        blind, aware = (separation.optimal_error(there, 0.1, a) - separation.optimal_error(D, 0.1, a) for a in (False, True))
        assert blind > 2 * aware > 0 and (ratio is None or blind / aware == pytest.approx(ratio, rel=5e-3))
        D, there = separation.instance(2000, Fraction(1, 2), neighbour)
        assert separation.optimal_error(there, 0.5) == separation.optimal_error(there, 0.5, True)


@pytest.mark.parametrize("m, gamma, neighbour, words", [
    (42, 0.1, "paper", "m=42: not a multiple of 4.*Choose 40 or 44"),
    (40, 0.15, "paper", r"gamma=0.15: gamma m = 6 .*multiple of 4/m = 0.1, such as Fraction\(1, 5\)"),
    (40, 0.1 + 0.2, "paper", r"gamma=0.30000000000000004: gamma m = 12.000000000000002 is .*such as Fraction\(3, 10\)"),
    (40, 0.95, "attribute", r"gamma=0.95: gamma m = 38 is .*such as Fraction\(3, 5\)"),
    (2000, 0.1001, "paper", "gamma=0.1001: gamma m = 200.2"), (40, 1.0, "paper", "gamma=1.0: gamma m = 40 leaves too few"),
    (40, 0.7, "attribute", "gamma=0.7: gamma m = 28 leaves too few"), (40, 0.1, "group", "neighbour='group'"), (0, 0.1, "paper", "m=0"),
    (40, -0.1, "paper", "gamma=-0.1")])
def test_no_pair_of_that_size_or_tolerance(m, gamma, neighbour, words):
    for function in (separation.instance, separation.theorem_3_9):
        with pytest.raises(ValueError, match=words):
            function(m, gamma, neighbour)


def test_data_sets_of_another_kind_are_refused():
    ten = data.load("ten_people")
    with pytest.raises(ValueError, match=r"D=.*not a data set with one feature, 0 or 1"):
        separation.optimal_error(ten, 0.1)
    accepted = data.Dataset([[1.0], [0.0]], [0, 1], [0, 1], ("U",), ("R", "B"), "two", ten.provenance)
    with pytest.raises(ValueError, match=r"D=.*nobody of label 0"):
        separation.fair_optimum(accepted, 0.1)
    with pytest.raises(ValueError, match=r"counts=0.0: the cell \(a=1, y=0\) holds nobody"):
        separation.optimal_errors(cell_counts([1, 0], [0, 1], [0, 1]), 0.1)


def test_from_a_tolerance_of_four_tenths_on_the_classes_do_the_same():
    """What chapter 13 says below its first figure, for all frames of the figure."""
    for neighbour in PAIRS:
        for m in SIZES:
            same = [separation.optimal_error(there, gamma) == separation.optimal_error(there, gamma, True)
                    for gamma in (0.1, 0.4, 0.5, 0.6) for there in separation.instance(m, gamma, neighbour)[1:]]
            assert same == [False, True, True, True]


@pytest.mark.slow
def test_nobody_meets_a_jump_who_may_miss_the_tolerance_by_alpha():
    """prop-relaxed: f at gamma + alpha on D' is at most f at gamma on D plus 1/m; random neighbours and the paper's."""
    rng, tightest = np.random.default_rng(31), []
    pairs = [[table(D) for D in separation.instance(m, 0.1)] for m in (40, 200, 2000)]
    while len(pairs) < 3000:
        counts = rng.multinomial(int(rng.integers(8, 40)), rng.dirichlet(np.ones(8)))
        i, j = rng.choice(8, 2, replace=False)
        other = counts + np.eye(8, dtype=int)[j] - np.eye(8, dtype=int)[i]
        if other.min() >= 0 and min(c.reshape(2, 2, 2)[..., 0].sum(axis=0).min() for c in (counts, other)) > 0:
            pairs.append([counts.reshape(2, 2, 2), other.reshape(2, 2, 2)])
    for D, there in pairs:
        m = D.sum()
        alpha = separation.sensitivity.gap_sensitivity(int(m), min(t[..., 0].sum(axis=0).min() for t in (D, there)) / m)
        for aware in (False, True):
            relaxed, before = separation.optimal_errors(there, 0.1 + alpha, aware), separation.optimal_errors(D, 0.1, aware)
            assert relaxed <= before + 1 / m + 1e-12
            tightest.append(relaxed - before - 1 / m)
    assert max(tightest) > -1e-9


# --- deliberate faults

def blind_for_aware(f):
    return lambda D, gamma, aware=False: f(D, gamma, True)


def tolerance_cut(f):
    return lambda D, gamma, aware=False: f(D, 9 * gamma / 10, aware)


def neighbours_alike(f):
    return lambda *args, **kw: f(*args, **kw)[:1] * 2


FAULTS = {
    "separation_bound_without_the_error": Mutant("dpfair_teach.separation.sensitivity_bound", less(lambda call: 1 / call.m),
                                                 "one mistake more or less is forgotten"),
    "separation_bound_without_the_gap": Mutant("dpfair_teach.separation.sensitivity_bound", lambda f: lambda m, *args, **kw: 1 / m,
                                               "the moved gap costs nothing"),
    "separation_blind_is_aware": Mutant("dpfair_teach.separation.optimal_error", blind_for_aware, "the blind class gets h_R and h_B"),
    "separation_tolerance_cut": Mutant("dpfair_teach.separation.optimal_error", tolerance_cut, "nine tenths of the tolerance"),
    "separation_optimum_tolerance_cut": Mutant("dpfair_teach.separation.fair_optimum", tolerance_cut, "nine tenths of the tolerance"),
    "separation_neighbours_alike": Mutant("dpfair_teach.separation.instance", neighbours_alike, "nobody changes"),
    "separation_jump_halved": Mutant("dpfair_teach.separation.theorem_3_9", changed(jump=lambda x: x / 2), "half the jump"),
}
