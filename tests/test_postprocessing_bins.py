"""Score bins: the best cuts by trying all, the closed form for any number of bins, and what bins are worth on real people."""
from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dpfair_teach import fairness, postprocessing
from dpfair_teach.data import base_classifier, load
from dpfair_teach.postprocessing import closed_form, derived_counts, dual_value, optimal_cuts, public_margin_counts, score_bins, solve_lp
from dpfair_teach.postprocessing.closed_form import BY_HAND, MOST_BINS
from dpfair_teach.postprocessing.crossings import best_crossing, pairs
from faults import Mutant, with_arguments

DATA = load("communities")
SCORE = base_classifier(DATA).predict_proba(DATA.X)[:, 1]


def above(score, Y, cuts):
    """Of each label, (2, ..., b+1): nobody, the people who reach the last of ``cuts`` (..., b-1), ..., who reach the first, everybody."""
    reach = [(score[Y == y] >= np.asarray(cuts)[..., None]).sum(axis=-1)[..., ::-1] for y in (0, 1)]
    none, everybody = ([np.full((*found.shape[:-1], 1), n) for found, n in zip(reach, people, strict=True)]
                       for people in ((0, 0), ((Y == 0).sum(), (Y == 1).sum())))
    return np.concatenate([none, reach, everybody], axis=-1)


def area(score, Y, cuts):
    """Under the ROC curve of the binned score, by trapezia; 1 is perfect. Of ``cuts`` (..., b-1)."""
    reached = above(score, Y, cuts)
    return np.trapezoid(reached[1] / (Y == 1).sum(), reached[0] / (Y == 0).sum())


def mean_cost(score, Y, cuts):
    """Of the cheaper answer in each bin, over all prices: the cost is linear between the prices at which some bin changes its answer."""
    N = np.diff(above(score, Y, cuts))
    price = np.sort(np.concatenate([np.zeros((*N.shape[1:-1], 1)), np.ones((*N.shape[1:-1], 1)), N[1] / N.sum(axis=0)], axis=-1))
    cheaper = np.minimum(price[..., None] * N[0][..., None, :], (1 - price[..., None]) * N[1][..., None, :])
    return np.trapezoid(cheaper.sum(axis=-1), price)


# ---------------------------------------------------------------------------------------------------------------- cuts

@pytest.mark.parametrize("kind", [np.int64, np.uint64, object])
def test_scores_that_no_float_tells_apart_are_refused(kind):
    """2^53 and 2^53 + 1 are one float: two people of different scores would share a bin."""
    score = np.array([2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3], dtype=kind)
    for call in (lambda: optimal_cuts(score, [0, 1, 0, 1], 2), lambda: score_bins(score, [2.0**53 + 2])):
        with pytest.raises(ValueError, match=r"^score=900719925474099\d: a whole number beyond"):
            call()
    assert optimal_cuts(score - 2**53 if kind is not object else [0, 1, 2, 3], [0, 0, 1, 1], 2).tolist() == [2]
    assert score_bins([1e16, 1e17], [5e16]).tolist() == [0, 1]


def test_bins_are_how_many_cuts_a_score_reaches():
    cuts = np.array([-1.0, 0.5, 2.0])
    score = np.array([-5, -1, -0.999, 0.5, 1.999, 2, 7])
    assert score_bins(score, cuts).tolist() == [(cuts <= s).sum() for s in score] == [0, 1, 1, 2, 2, 3, 3]


def small_data(n=200):
    """Scores with ties and labels of both kinds, 8 to 14 people."""
    rng, given = np.random.default_rng(0), 0
    while given < n:
        m = int(rng.integers(8, 15))
        score, Y = rng.integers(0, m, m) / 10, rng.integers(0, 2, m)
        if Y.min() != Y.max():
            given += 1
            yield score, Y


def test_the_cuts_are_the_best_of_all_by_trying_all():
    """200 small data sets with ties, 2 to 6 bins; the hull often has fewer corners than there are cuts."""
    few = 0
    for score, Y in small_data():
        values = np.unique(score)
        for b in range(2, min(6, len(values)) + 1):
            cuts = optimal_cuts(score, Y, b)
            assert cuts.shape == (b - 1,) and np.isin(cuts, values[1:]).all() and (np.diff(cuts) > 0).all()
            best = area(score, Y, list(combinations(values[1:], b - 1))).max()
            assert area(score, Y, cuts) == pytest.approx(best, abs=1e-12)
            few += best < area(score, Y, optimal_cuts(score, Y, 2)) - 1e-12
    assert few          # more bins than corners do cost area: a forced cut below the hull


def test_no_cut_of_communities_can_be_moved_for_the_better():
    """All 1,994 scores are candidates, not the corners of the hull only."""
    values, before = np.unique(SCORE)[1:], 0.5
    for b in (2, 3, 4, 6, 8):
        cuts = optimal_cuts(SCORE, DATA.Y, b)
        reached = area(SCORE, DATA.Y, cuts)
        assert reached > before
        before = reached
        for i in range(0, b - 1):
            low, high = ([-np.inf, *cuts, np.inf][i + n] for n in (0, 2))
            between = values[(values > low) & (values < high)][::5]
            moved = area(SCORE, DATA.Y, [[*cuts[:i], value, *cuts[i + 1:]] for value in between])
            assert moved.max() <= reached + 1e-12


def test_the_price_cuts_are_the_best_of_all_by_trying_all():
    """prop-price-cuts, the cost by its definition, over every price; 200 small data sets with ties, 2 to 6 bins."""
    others = 0
    for score, Y in small_data():
        values = np.unique(score)
        for b in range(2, min(6, len(values)) + 1):
            cuts = optimal_cuts(score, Y, b, criterion="price")
            assert cuts.shape == (b - 1,) and np.isin(cuts, values[1:]).all() and (np.diff(cuts) > 0).all()
            reached = mean_cost(score, Y, cuts)
            bins = score_bins(score, cuts)
            assert reached == pytest.approx(sum(Y[bins == v].var() * (bins == v).sum() for v in range(b)) / 2, abs=1e-12)
            assert reached == pytest.approx(mean_cost(score, Y, list(combinations(values[1:], b - 1))).min(), abs=1e-12)
            others += reached < mean_cost(score, Y, optimal_cuts(score, Y, b)) - 1e-12
    assert others > 100         # the two criteria are different questions


def test_no_price_cut_of_communities_can_be_moved_for_the_better():
    values = np.unique(SCORE)[1:]
    for b in (2, 4, 8):
        cuts = optimal_cuts(SCORE, DATA.Y, b, "price")
        reached = mean_cost(SCORE, DATA.Y, cuts)
        for i in range(b - 1):
            low, high = ([-np.inf, *cuts, np.inf][i + n] for n in (0, 2))
            between = values[(values > low) & (values < high)][::5]
            moved = mean_cost(SCORE, DATA.Y, [[*cuts[:i], value, *cuts[i + 1:]] for value in between])
            assert moved.min() >= reached - 1e-12


@pytest.mark.turning(7)
def test_candidates_where_the_curve_has_very_many_corners_or_very_few():
    rng = np.random.default_rng(0)
    score = rng.random(6000)
    Y = (rng.random(6000) < score).astype(int)
    for b in (2, 4, 8):         # steps of the score are cuts too, and nearly as good: Y's share rises evenly
        cuts = optimal_cuts(score, Y, b, "price")
        assert (np.diff(cuts) > 0).all() and mean_cost(score, Y, cuts) <= mean_cost(score, Y, np.arange(1, b) / b)
        assert cuts == pytest.approx(np.arange(1, b) / b, abs=0.1)
    even = np.linspace(0, 1, 1000)
    for Y in (even > 0.3, even < 0.3, abs(even - 0.5) < 0.301):         # the last two have corners that the hull has not
        for b in (3, 4, 50, 1000):
            cuts = optimal_cuts(even, Y.astype(int), b, "price")
            assert cuts.shape == (b - 1,) and mean_cost(even, Y.astype(int), cuts) == 0


def test_the_best_single_cut_is_youdens():
    """One cut: the area is (1 + TP - FP) / 2, so the best threshold is the one with the largest TP - FP."""
    cut = optimal_cuts(SCORE, DATA.Y, 2)
    gains = [(SCORE[DATA.Y == 1] >= value).mean() - (SCORE[DATA.Y == 0] >= value).mean() for value in np.unique(SCORE)]
    assert cut[0] == np.unique(SCORE)[np.argmax(gains)]
    assert area(SCORE, DATA.Y, cut) == pytest.approx((1 + max(gains)) / 2)


def test_frequent_values_and_scores_without_merit():
    few_values = np.repeat([0.1, 0.2, 0.3, 0.9], [5000, 2, 2, 5000])
    Y = np.random.default_rng(0).integers(0, 2, len(few_values))
    assert optimal_cuts(few_values, Y, 4).tolist() == [0.2, 0.3, 0.9]
    backwards = np.linspace(0, 1, 1000)
    assert optimal_cuts(backwards, (backwards < 0.5).astype(int), 5).shape == (4,)


@pytest.mark.parametrize("make, message", [
    (lambda: optimal_cuts([0.1, 0.1, 0.2], [0, 1, 1], 3), "n_bins=3: more bins than the score has different values, 2"),
    (lambda: optimal_cuts([0.1, 0.2], [1, 1], 2), "Y=1: everybody has the same label"),
    (lambda: optimal_cuts([0.1, 0.2], [0, 1, 1], 2), r"score, Y=\(2, 3\): different lengths"),
    (lambda: optimal_cuts([0.1, np.nan], [0, 1], 2), "score=nan"),
    (lambda: optimal_cuts([0.1, 0.2], [0, 1], 1), "n_bins=1"),
    (lambda: optimal_cuts([0.1, 0.2], [0, 1], 2, "people"), "criterion='people': not a known option. Choose one of 'area', 'price'"),
    (lambda: score_bins([0.1], []), "cuts=.*is empty"),
    (lambda: score_bins([0.1], [0.5, 0.5]), r"cuts=\[0.5, 0.5\]: not at most 999 numbers, each above the one before"),
])
def test_what_can_not_be_cut(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# --------------------------------------------------------------------------------------------------------- closed form

TABLES = {
    "smooth": lambda rng, b: rng.dirichlet(np.ones(4 * b)).reshape(b, 2, 2),
    "whole": lambda rng, b: rng.integers(0, 4, (b, 2, 2)) / (6 * b),
    "alike": lambda rng, b: np.repeat(rng.integers(0, 5, (b, 1, 2)), 2, axis=1) / (8 * b),
    "empty bin": lambda rng, b: np.where(np.arange(b)[:, None, None] == b // 2, 0.0, rng.dirichlet(np.ones(4 * b)).reshape(b, 2, 2)),
    "noisy": lambda rng, b: rng.dirichlet(np.ones(4 * b)).reshape(b, 2, 2) + rng.laplace(0, 0.1 / b, (b, 2, 2)),
    "rising": lambda rng, b: np.sort(rng.dirichlet(np.ones(4 * b)).reshape(2, 2, b)).transpose(2, 0, 1)[:, :, ::-1].copy(),
    "people": lambda rng, b: rng.integers(0, 10**5, (b, 2, 2)).astype(float),
}


def usable(kind, b, n, seed):
    rng, tables = np.random.default_rng(seed), []
    while len(tables) < n:
        q = TABLES[kind](rng, b)
        if (q.sum(axis=0) > 1e-3).all():
            tables.append(q)
    return np.array(tables)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("b", [3, 4, 6, 8, MOST_BINS, MOST_BINS + 1])
def test_closed_form_is_the_program_for_any_number_of_bins(kind, b):
    """Random gammas and slacks, some infinite; feasible, priced by its multipliers, and the optimum of the solver."""
    tables = usable(kind, b, 40, seed=b)
    rng = np.random.default_rng(b + 1)
    gammas, slacks = rng.choice([0.0, 0.001, 0.02, 0.1, 0.4, 3.0], 40), rng.choice([0.0, 0.0, 0.03, np.inf], (40, 2, 2))
    found = closed_form(tables, gammas, slacks)
    size = np.abs(tables).sum(axis=(1, 2, 3))
    assert (found.p >= 0).all() and (found.p <= 1).all()
    reached = (tables / tables.sum(axis=1, keepdims=True) * found.p[..., None]).sum(axis=1)
    assert (np.abs(reached[:, 1] - reached[:, 0]) <= gammas[:, None] + slacks[:, 1] + 1e-9).all()
    assert (np.abs(dual_value(tables, gammas, found.dual, slacks) - found.value) <= 1e-9 * size).all()
    best = np.array([solve_lp(*program).value for program in zip(tables, gammas, slacks, strict=True)])
    assert (np.abs(found.value - best) <= 1e-9 * size).all()
    for n in range(0, 40, 8):
        one = closed_form(tables[n], gammas[n], slacks[n])
        assert one.value == pytest.approx(found.value[n], abs=1e-12 * size[n]) and isinstance(one.value, float)


def test_few_tables_need_a_slower_road():
    """Else a fault in the fast road would hide behind the slow one. All b lines of one group meet in a point; some optima lie there."""
    for b in (3, 4, 6, 8, 12):
        counts = fairness.cell_counts(score_bins(SCORE, optimal_cuts(SCORE, DATA.Y, b)), DATA.A, DATA.Y, n_bins=b)
        noisy = public_margin_counts(counts, 1.0, np.random.default_rng(b), size=100)
        found = closed_form(noisy[:, None] / DATA.m, [0.003, 0.02, 0.1])
        assert found.fallbacks <= 0.3 * 300
        if b <= BY_HAND:
            q = counts / DATA.m
            one = best_crossing(q, q / q.sum(axis=0), 0.02, 0.02)
            assert one is not None and one.value == pytest.approx(solve_lp(q, 0.02).value, abs=1e-9)
            assert one.p == pytest.approx(closed_form(q[None], 0.02).p[0], abs=1e-9)


def test_the_number_of_crossings():
    assert [len(pairs(b)) for b in (2, 6, 8)] == [15, 91, 153]


def test_a_bin_without_people_keeps_the_bases_decision():
    q = usable("smooth", 5, 1, seed=3)[0]
    q[0] = q[4] = 0
    for p in (closed_form(q, 0.02).p, closed_form(q[None], 0.02).p[0], solve_lp(q, 0.02).p):
        assert p[0].tolist() == [0, 0] and p[4].tolist() == [1, 1]


def test_more_groups_have_no_closed_form_beyond_two_predictions():
    with pytest.raises(ValueError, match=r"q=\(3, 3, 2\): has 3 values of yhat.* With 3 groups use solve_lp"):
        closed_form(np.ones((3, 3, 2)), 0.0)


# ------------------------------------------------------------------------------------------------- what bins are worth

def test_finer_bins_can_only_help_without_noise():
    """Splitting a bin leaves every old classifier possible: the non-private error falls; with yhat among the cuts it starts from yhat's."""
    cuts, errors = np.array([0.5]), []
    for extra in (None, 0.2, 0.8, 0.1, 0.35, 0.65):
        cuts = cuts if extra is None else np.sort(np.append(cuts, extra))
        counts = fairness.cell_counts(score_bins(SCORE, cuts), DATA.A, DATA.Y, n_bins=len(cuts) + 1)
        best = closed_form(counts / DATA.m, 0.05)
        assert fairness.violation(derived_counts(counts, best.p)) <= 0.05 + 1e-9
        errors.append(best.value)
    yhat = fairness.cell_counts((SCORE >= 0.5).astype(int), DATA.A, DATA.Y)
    assert errors[0] == pytest.approx(closed_form(yhat / DATA.m, 0.05).value)
    assert (np.diff(errors) <= 1e-12).all() and errors[-1] < errors[0] - 0.03


def people(rng, m, share, gap, shift):
    """Two groups with normal scores: ``share`` of them in group 1, whose labels are ``gap`` further apart and whose scores are shifted."""
    A = (rng.random(m) < share).astype(int)
    Y = (rng.random(m) < np.where(A == 1, 0.4, 0.3)).astype(int)
    return gap * Y * np.where(A == 1, 0.8, 1) + shift * A + rng.normal(size=m), A, Y


@pytest.mark.slow
@pytest.mark.parametrize("m, epsilon", [(2000, 0.1), (4000, 0.25), (8000, 0.5)])
def test_the_suggested_number_is_close_to_the_best(m, epsilon):
    """New populations, not those of the fit: mean error at violation 0.05 within 4 % of the best of 2 to 16 bins, and better than two."""
    rng, errors = np.random.default_rng(99), {b: [] for b in (2, 3, 4, 5, 6, 7, 8, 10, 12, 16)}
    chosen = postprocessing.suggested_bins(m, epsilon)
    for share, gap, shift in ((0.5, 1.6, 0.4), (0.3, 1.8, 0.6), (0.4, 1.3, 0.2)):
        score, A, Y = people(rng, m, share, gap, shift)
        for b in errors:
            counts = fairness.cell_counts(score_bins(score, optimal_cuts(score, Y, b)), A, Y, n_bins=b)
            noisy = public_margin_counts(counts, epsilon, rng, 60) / m
            gammas = np.array([0, 0.01, 0.02, 0.03, 0.05])
            derived = derived_counts(counts, closed_form(noisy[:, None], gammas, postprocessing.lift_unusable(noisy)[:, None]).p)
            violation, error = fairness.violation(derived).mean(axis=0), fairness.error(derived).mean(axis=0)
            mixed = min(1.0, 0.05 / violation.min())                    # out of reach: mixed with the constant classifier
            at = np.interp(0.05, violation, error)
            errors[b].append(mixed * at + (1 - mixed) * min(Y.mean(), 1 - Y.mean()))
    mean = {b: np.mean(error) for b, error in errors.items()}
    assert mean[min(mean, key=lambda b: abs(b - chosen))] <= 1.04 * min(mean.values()) and mean[chosen if chosen in mean else 8] < mean[2]


def test_the_suggested_number_of_bins():
    assert [postprocessing.suggested_bins(m, 1.0) for m in (1, 200, 500, 1000, 2000, 4000, 10**4, 10**15)] == [3, 4, 5, 7, 9, 12, 16, 16]
    model = postprocessing.DPPostProcessing(base_classifier(DATA), 1.0, 0.02, method="score_bins", n_groups=2)
    assert model.fit(DATA.X, DATA.Y, sensitive_features=DATA.A, rng=np.random.default_rng(0)).p_.shape == (9, 2)
    ten = load("ten_people")
    coarse = postprocessing.DPPostProcessing(lambda X: np.round(X[:, 0]), 1.0, 0.02, method="score_bins", n_groups=2)
    assert coarse.fit(ten.X, ten.Y, sensitive_features=ten.A, rng=np.random.default_rng(0)).p_.shape == (2, 2)


# --- deliberate faults

def equal_people(f):
    return lambda score, Y, n_bins, criterion="area": np.unique(np.quantile(score, np.arange(1, n_bins) / n_bins, method="higher"))


FAULTS = {
    "closed_form_gamma_doubled": Mutant(
        "dpfair_teach.postprocessing.closed_form", with_arguments(gamma=lambda g: 2 * np.asarray(g, float)), "twice the tolerance"),
    "bins_below_their_cut": Mutant(
        "dpfair_teach.postprocessing.score_bins", lambda f: lambda s, c: np.searchsorted(c, s), "a score equal to a cut is below it"),
    "cuts_with_equal_people": Mutant(
        "dpfair_teach.postprocessing.optimal_cuts", equal_people, "equal numbers of people, not the largest area"),
    "price_cuts_by_area": Mutant(
        "dpfair_teach.postprocessing.optimal_cuts", lambda f: lambda score, Y, n_bins, criterion="area": f(score, Y, n_bins),
        "the criterion is not read"),
}
