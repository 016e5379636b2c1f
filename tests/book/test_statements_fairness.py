"""The statements of chapter 2: constants between forms, exclusions, grids of hard decisions, crossed groups."""
from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog

from dpfair_teach import fairness, load, postprocessing
from faults import Mutant
from test_chapters import CHAPTERS


def contrasts(w, against, anchor):
    one = np.eye(len(w))
    other = {"anchor": [one[anchor]], "pairs": one, "population": [w]}[against]
    return np.array([x - o for x in one for o in other])


@pytest.mark.slow
def test_the_constants_between_the_forms_are_exact():
    """The largest violation of one form when another is at most 1, by linear programming, for every anchor."""
    rng = np.random.default_rng(41)
    shares = [*(rng.dirichlet(np.ones(k)) for k in (2, 2, 3, 3, 4)), np.array([0.5, 0.5]), np.array([0.9, 0.05, 0.05]), np.full(5, 0.2)]
    for w in shares:
        for anchor in range(len(w)):
            constants = fairness.form_constants(w, anchor)
            for (i, given), (j, wanted) in itertools.product(enumerate(fairness.AGAINST), repeat=2):
                rows = contrasts(w, given, anchor)
                free = [(0, 0) if a == anchor else (None, None) for a in range(len(w))]
                best = max(-linprog(-c, A_ub=np.vstack([rows, -rows]), b_ub=np.ones(2 * len(rows)), bounds=free).fun
                           for c in contrasts(w, wanted, anchor))
                assert constants[i, j] == pytest.approx(best, abs=1e-8), (w, anchor, given, wanted)


def test_the_constants_hold_for_tables_and_both_labels():
    rng = np.random.default_rng(42)
    for k in (2, 3, 4):
        for counts in rng.integers(1, 30, (60, 2, k, 2)):
            people = counts.sum(axis=0)
            constants = np.max([fairness.form_constants(people[:, y]) for y in (0, 1)], axis=0)
            values = np.array([fairness.violation(counts, against=x) for x in fairness.AGAINST])
            assert (values <= constants * values[:, None] + 1e-12).all()
            of_all = np.array([fairness.violation(counts, "demographic_parity", x) for x in fairness.AGAINST])
            assert (of_all <= fairness.form_constants(people.sum(axis=1)) * of_all[:, None] + 1e-12).all()
    assert np.allclose(fairness.form_constants([60, 30, 10]), fairness.form_constants([0.6, 0.3, 0.1]))


def every_way():
    ten = load("ten_people")
    return np.stack([fairness.cell_counts(way, ten.A, ten.Y, n_groups=2) for way in itertools.product((0, 1), repeat=10)])


def test_ten_people_have_four_ways_of_equal_odds_and_two_with_equal_shares():
    tables = every_way()
    fair = {notion: fairness.violation(tables, notion) < 1e-9 for notion in fairness.NOTIONS}
    both = fair["equalized_odds"] & fair["demographic_parity"]
    assert (fair["equalized_odds"].sum(), both.sum(), (fair["demographic_parity"] & fair["accuracy_parity"]).sum()) == (4, 2, 0)
    fp, tp = fairness.rates(tables)
    assert np.allclose(fp[both], tp[both])
    both = fair["equalized_odds"] & fair["accuracy_parity"]
    assert both.sum() == 2 and np.allclose(fp[both] + tp[both], 1)
    # part 1 of the proposition, for cells of 3 and 4 people, of 4 and 2 for contrast
    for n, m, equal in ((3, 4, 2), (5, 7, 2), (4, 2, 3)):
        assert sum(Fraction(i, n) == Fraction(j, m) for i in range(n + 1) for j in range(m + 1)) == equal


def test_without_coins_only_constants_have_equal_odds_in_general():
    rng = np.random.default_rng(43)
    for counts in rng.integers(1, 30, (40, 2, 2, 2)):
        fp, tp = fairness.rates(counts)
        corner = np.stack([fp, tp], axis=1)
        general = not (np.allclose(corner[0], corner[1]) or np.allclose(corner.sum(axis=0), 1))
        choices = np.array(list(itertools.product((0, 1), repeat=4))).reshape(16, 2, 2)
        fair = fairness.violation(postprocessing.derived_counts(counts / counts.sum(), choices)) < 1e-9
        if general:
            assert {tuple(p.ravel()) for p in choices[fair]} == {(0, 0, 0, 0), (1, 1, 1, 1)}


def test_base_rates_tie_odds_to_shares_and_to_errors():
    rng = np.random.default_rng(44)
    met = 0
    for counts in [*rng.integers(1, 30, (300, 2, 2, 2)), *every_way()]:
        pi = counts[..., 1].sum(axis=0) / counts.sum(axis=(0, 2))
        (fp, tp), odds = fairness.rates(counts), fairness.violation(counts)
        far = abs(pi[1] - pi[0])
        shares = fairness.violation(counts, "demographic_parity")
        errors = fairness.violation(counts, "accuracy_parity")
        step = (1 - pi[1]) * (fp[1] - fp[0])
        assert shares == pytest.approx(abs(step + pi[1] * (tp[1] - tp[0]) + (pi[1] - pi[0]) * (tp[0] - fp[0])), abs=1e-12)
        assert errors == pytest.approx(abs(step - pi[1] * (tp[1] - tp[0]) + (pi[1] - pi[0]) * (1 - tp[0] - fp[0])), abs=1e-12)
        assert abs(tp[0] - fp[0]) * far <= shares + odds + 1e-12 and abs(1 - tp[0] - fp[0]) * far <= errors + odds + 1e-12
        met += shares > 0 and abs(abs(tp[0] - fp[0]) * far - shares - odds) < 1e-12
    assert met >= 2                                                 # sharp, and not only at 0
    coin = np.array([[[1, 3], [2, 2]], [[1, 3], [2, 2]]])           # TP = FP = 1/2 satisfies all of them
    assert all(fairness.violation(coin, notion) == 0 for notion in fairness.NOTIONS)


def test_predictive_parity_forces_the_false_positive_rate():
    rng = np.random.default_rng(45)
    for counts in rng.integers(1, 30, (200, 2, 3, 2)):
        pi = counts[..., 1].sum(axis=0) / counts.sum(axis=(0, 2))
        fp, tp = fairness.rates(counts)
        positive, negative = fairness.predictive_values(counts)
        assert fp == pytest.approx(pi / (1 - pi) * (1 - positive) / positive * tp)
        for a in range(3):
            assert positive[a] == pytest.approx(counts[1, a, 1] / counts[1, a].sum())
            assert negative[a] == pytest.approx(counts[0, a, 0] / counts[0, a].sum())
    witness = np.array([[[9, 3], [3, 1]], [[1, 3], [3, 9]]])        # exercise 2B
    assert np.allclose(fairness.predictive_values(witness), 0.75) and fairness.violation(witness, against="pairs") == pytest.approx(0.4)
    with pytest.raises(ValueError, match="in group 1 nobody is accepted"):
        fairness.predictive_values([[[1, 1], [1, 1]], [[1, 1], [0, 0]]])


def test_predictive_parity_needs_both_values_and_a_true_positive():
    """The two classifiers of chapter 2 that have all but one of the conditions, with base rates 0.4 and 0.6."""
    half, wrong = np.array([[[[6, 2], [4, 3]], [[0, 2], [0, 3]]], [[[0, 4], [0, 6]], [[6, 0], [4, 0]]]])
    for table in (half, wrong):
        assert (table[..., 1].sum(axis=0) / table.sum(axis=(0, 2))).tolist() == [0.4, 0.6] and fairness.violation(table) == 0
    (fp, tp), (precise, negative) = fairness.rates(half), fairness.predictive_values(half)
    assert (fp == 0).all() and (tp == 0.5).all() and (precise == 1).all() and negative[0] != negative[1]
    (fp, tp), values = fairness.rates(wrong), fairness.predictive_values(wrong)
    assert (fp == 1).all() and (tp == 0).all() and (np.array(values) == 0).all()


def test_a_calibrated_score_is_balanced_only_with_equal_base_rates():
    """Scores 1/8..7/8 with 8 people each, as many of label 1 as the score says: expected counts give the averages."""
    rng = np.random.default_rng(46)
    for _ in range(30):
        score, A, Y = [], [], []
        for a in (0, 1):
            for s in rng.integers(1, 8, size=12):
                score += [s / 8] * 8
                A += [a] * 8
                Y += [1] * int(s) + [0] * int(8 - s)
        counts = fairness.cell_counts(score, A, Y)
        z, x = fairness.rates(counts)
        pi = counts[..., 1].sum(axis=0) / counts.sum(axis=(0, 2))
        assert pi * x + (1 - pi) * z == pytest.approx(pi)            # Steps 1 and 2
        assert pi * (1 - x) == pytest.approx((1 - pi) * z)           # Step 3
        assert (fairness.violation(counts) > 1e-9) or pi[0] == pytest.approx(pi[1])
        assert (x > z).all()


def test_merged_groups_are_no_further_apart():
    rng = np.random.default_rng(47)
    for counts in rng.integers(1, 30, (60, 2, 6, 2)):
        into = rng.permutation([0, 0, 0, 1, 1, 2])
        coarse = fairness.merge_groups(counts, into)
        assert coarse.sum() == counts.sum()
        for g in range(3):
            assert (coarse[:, g] == sum(counts[:, a] for a in range(6) if into[a] == g)).all()
        for notion in fairness.NOTIONS:
            fine = fairness.violation(counts, notion, "pairs")
            assert fairness.violation(coarse, notion, "pairs") <= fine + 1e-12 <= 2 * fairness.violation(counts, notion, "anchor") + 2e-12


@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_even_sum_is_fair_to_all_but_the_last_crossing(d):
    bits = np.array(list(itertools.product((0, 1), repeat=d))).repeat(6, axis=0)
    Y = np.tile([0, 1], len(bits) // 2)
    accepted = 1 - bits.sum(axis=1) % 2
    for size in range(1, d + 1):
        for some in itertools.combinations(range(d), size):
            A, k = fairness.cross_groups([bits[:, j] for j in some])
            assert k == 2**size and (A == sum(bits[:, j] * 2**(size - 1 - i) for i, j in enumerate(some))).all()
            counts = fairness.cell_counts(accepted, A, Y, n_groups=k)
            assert (counts.sum(axis=0) == len(Y) / k / 2).all()
            for against in fairness.AGAINST:
                assert fairness.violation(counts, against=against) == (0 if size < d else 0.5 if against == "population" else 1)


def chapters_function(name):
    """A function that a cell of chapter 2 defines."""
    page = (CHAPTERS / "02-fairness-as-rates.md").read_text(encoding="utf8")
    source, = re.findall(rf"^def {name}\(.*?(?=^\S|\Z)", page, re.M | re.S)
    names = {"np": np, "fairness": fairness}
    exec(source, names)
    return names[name]


def test_a_fairness_report_step_by_step():
    """Steps 1 to 4 person by person; Step 5's quantiles against exact laws, 40,000 draws each, alpha 1e-10 by the DKW inequality."""
    rng, forms = np.random.default_rng(46), itertools.product(("false_positive", "true_positive", "demographic_parity"), fairness.AGAINST)
    A, Y, yes = rng.integers(0, 3, 60), rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    table = fairness.cell_counts(yes, A, Y, n_groups=3)
    for yhat, a, y in itertools.product((0, 1), range(3), (0, 1)):
        assert table[yhat, a, y] == sum((yes[i], A[i], Y[i]) == (yhat, a, y) for i in range(60))
    for notion, against in forms:
        asked = {"false_positive": Y == 0, "true_positive": Y == 1, "demographic_parity": Y >= 0}[notion]
        rate = [yes[asked & (a == A)].mean() for a in range(3)]
        gaps = {"anchor": [r - rate[0] for r in rate], "pairs": [r - s for r in rate for s in rate],
                "population": [r - yes[asked].mean() for r in rate]}[against]
        assert fairness.violation(table, notion, against) == pytest.approx(max(map(abs, gaps)))
    both = [fairness.violation(table, notion, "anchor") for notion in ("false_positive", "true_positive")]
    assert fairness.violation(table, against="anchor") == max(both) and table.dtype.kind == "i"
    with pytest.raises(ValueError, match=r"cell \(a=2, y=1\) holds nobody"):
        fairness.violation(fairness.cell_counts(yes, A, np.where(A == 2, 0, Y), n_groups=3), against="anchor")

    n, ten = 40_000, load("ten_people")
    margin = math.sqrt(math.log(2 / 1e-10) / (2 * n))

    def holds(quantile, share, values, chances):
        at = np.asarray(values) <= quantile + 1e-9, np.asarray(values) < quantile - 1e-9
        return chances[at[1]].sum() - margin <= share <= chances[at[0]].sum() + margin

    said = np.array([1, 1, 0, 1, 0, 1, 0, 0, 1, 0])
    real = fairness.cell_counts(said, ten.A, ten.Y)
    people, accepted = real.sum(axis=0), real[1].sum(axis=0)
    dealt = [(i, j) for i in range(accepted[0] + 1) for j in range(accepted[1] + 1)
             if accepted[0] - i <= people[1, 0] and accepted[1] - j <= people[1, 1] and i <= people[0, 0] and j <= people[0, 1]]
    chances = np.array([math.prod(stats.hypergeom(people[:, y].sum(), people[0, y], accepted[y]).pmf(k) for y, k in enumerate(cut))
                        for cut in dealt])
    values = [max(abs(k / people[0, y] - (accepted[y] - k) / people[1, y]) for y, k in enumerate(cut)) for cut in dealt]
    assert chances.sum() == pytest.approx(1)
    assert holds(chapters_function("by_lot")(real, "equalized_odds", rng, times=n), 0.95, values, chances)

    shares = np.array([[6, 9], [12, 3]]) / 30                               # [yhat, a]; half of each has label 1
    counts = np.stack([15 * shares, 15 * shares], axis=-1)
    low, high = chapters_function("bootstrap")(counts, "demographic_parity", rng, times=n)
    drawn = np.array([(a, b, c, 30 - a - b - c) for a in range(31) for b in range(31 - a) for c in range(31 - a - b)])
    drawn = drawn[(drawn[:, 0] + drawn[:, 2] > 0) & (drawn[:, 1] + drawn[:, 3] > 0)]                  # nobody in a group: below 1e-6
    chances = stats.multinomial(30, shares.ravel()).pmf(drawn)
    values = abs(drawn[:, 2] / (drawn[:, 0] + drawn[:, 2]) - drawn[:, 3] / (drawn[:, 1] + drawn[:, 3]))
    assert holds(low, 0.025, values, chances) and holds(high, 0.975, values, chances)


def test_the_chapters_programs_by_anchor_are_solve_lp():
    table = np.array([[[13, 26], [17, 2], [23, 22]], [[25, 6], [4, 26], [2, 17]]]) / 183
    for anchor, value in ((0, 0.2922), (1, 0.3114), (2, 0.3190)):
        order = [anchor] + [a for a in range(3) if a != anchor]
        assert postprocessing.solve_lp(table[:, order], 0.1).value == pytest.approx(value, abs=5e-5)


def test_equal_average_scores_are_not_equal_decisions():
    scores = np.array([[0.4, 0.4, 0.4, 0.8], [0.2, 0.6, 0.6, 0.6]])
    A, Y = np.repeat([0, 1], 4), np.tile([0, 1], 4)
    soft, hard = (fairness.cell_counts(x, A, Y) for x in (scores.ravel(), (scores.ravel() >= 0.5).astype(int)))
    assert fairness.violation(soft, "demographic_parity") == pytest.approx(0)
    assert fairness.violation(hard, "demographic_parity") == pytest.approx(0.5)


def test_crossing_and_merging_refuse_what_does_not_fit():
    for call, message in ((lambda: fairness.cross_groups([]), "attributes=.*holds no attribute"),
                          (lambda: fairness.cross_groups([[0, 1], [0]]), r"attributes\[1\].*must have 2 entries"),
                          (lambda: fairness.cross_groups([np.arange(40), np.arange(40)]), "attributes=1600: more than 1000"),
                          (lambda: fairness.merge_groups(np.ones((2, 3, 2)), [0, 1]), r"counts, into=\(3, 2\)"),
                          (lambda: fairness.merge_groups(np.ones((2, 3, 2)), [0, 2, 2]), "into=.*leaves out a coarse group"),
                          (lambda: fairness.form_constants([1.0, 0.0]), "shares=.*positive"),
                          (lambda: fairness.form_constants([1.0, 1.0], anchor=2), "anchor=2")):
        with pytest.raises(ValueError, match=message):
            call()


# --- deliberate faults

def merge_forgets_all_but_one(f):
    def merge_groups(counts, into):
        first = [list(into).index(g) for g in range(max(into) + 1)]
        return np.asarray(counts, float)[..., first, :]
    return merge_groups


def derived_reverses_nobody(f):
    """Nobody whom the base rejected is accepted."""
    return lambda q, p: f(q, np.asarray(p) * np.array([0.0, 1.0])[:, None])


FAULTS = {
    "form_constants_always_two": Mutant(
        "dpfair_teach.fairness.form_constants", lambda f: lambda shares, anchor=0: 2 - np.eye(3), "the shares play no part"),
    "form_constants_forget_the_anchor": Mutant(
        "dpfair_teach.fairness.form_constants", lambda f: lambda shares, anchor=0: f(shares), "group 0 is always the anchor"),
    "predictive_values_swapped": Mutant(
        "dpfair_teach.fairness.predictive_values", lambda f: lambda counts: f(counts)[::-1], "accepted and rejected exchanged"),
    "merge_forgets_all_but_one": Mutant(
        "dpfair_teach.fairness.merge_groups", merge_forgets_all_but_one, "one of the merged groups stands for all"),
    "cross_forgets_the_last": Mutant(
        "dpfair_teach.fairness.cross_groups", lambda f: lambda attributes: f(attributes[:-1] or attributes),
        "the last attribute is left out"),
    "derived_reverses_nobody": Mutant(
        "dpfair_teach.postprocessing.derived_counts", derived_reverses_nobody, "rejections are never reversed"),
}
