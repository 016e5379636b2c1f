"""Trade-off curves against a solver of our own, the protocol's facts, and what must hold for every method."""
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.linear_model import LogisticRegression

from book.studies import panels
from book.studies import post_processing_compared as compared
from book.studies.panels import communities_counts, communities_held_out
from dpfair_teach import data, fairness, postprocessing
from dpfair_teach.experiments import (
    GAMMAS_PROTOCOL,
    base_counts,
    draws_over_splits,
    error_at_violation,
    free_points,
    held_out_counts,
    postprocessing_draws,
    tradeoff,
)
from dpfair_teach.experiments.protocol import BETA
from dpfair_teach.experiments.tradeoff import METHODS

COUNTS = communities_counts()
M = COUNTS.sum()
GAMMAS = [0.0, 0.03, 0.1, 0.4]


def printed_program(q, gamma, m, epsilon):
    """LP (3) of the supplement for two groups, written out once more: p = (p_00, p_01, p_10, p_11), [yhat, a]."""
    n = q.sum(axis=0)
    slack = 4 * np.log(8 / BETA) / (np.minimum(n[0], n[1]) * m * epsilon)
    rows, limits = [], []
    for y in (0, 1):
        if n[0, y] <= 0 or n[1, y] <= 0:
            continue
        r = q[1, :, y] / n[:, y]
        gap = np.array([-(1 - r[0]), 1 - r[1], -r[0], r[1]])
        rows += [gap, -gap]
        limits += [gamma + slack[y]] * 2
    result = linprog((q[..., 0] - q[..., 1]).ravel(), A_ub=np.array(rows), b_ub=limits, bounds=(0, 1), method="highs")
    assert result.status == 0
    return result.x.reshape(2, 2)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_draws_as_printed_equal_a_program_written_out_by_hand(epsilon):
    """The same noise through scipy's solver gives the same error and violation on the true counts, for 20 draws x 4 gammas."""
    draws = postprocessing_draws(COUNTS, "as_printed", epsilon, GAMMAS, 20, np.random.default_rng(3))
    noisy = (COUNTS + np.random.default_rng(3).laplace(scale=2 / epsilon, size=(20, *COUNTS.shape))) / M       # raw, as printed
    n1 = COUNTS.sum(axis=0)
    for r, q in enumerate(noisy):
        for g, gamma in enumerate(GAMMAS):
            p = printed_program(q, gamma, M, epsilon)
            rate = np.array([[(COUNTS[:, a, y] @ p[:, a]) / n1[a, y] for y in (0, 1)] for a in (0, 1)])
            error = sum(n1[a, 0] * rate[a, 0] + n1[a, 1] * (1 - rate[a, 1]) for a in (0, 1)) / M
            assert draws.error[r, g] == pytest.approx(error, abs=1e-6)
            assert draws.violation[r, g] == pytest.approx(np.abs(rate[1] - rate[0]).max(), abs=1e-6)


THREE_GROUPS = np.array([[[47, 10], [30, 20], [30, 30]], [[10, 50], [10, 30], [20, 40]]])


def people(counts):
    """The base's prediction as the one feature, y and A of people with these counts [yhat, a, y]."""
    yhat, a, y = np.repeat(np.indices(counts.shape).reshape(3, -1), counts.ravel(), axis=1)
    return yhat[:, None], y, a


@pytest.mark.parametrize("method", [method for method in METHODS if method != "public_margins_laplace"])
@pytest.mark.parametrize("counts, epsilon", [(COUNTS, 0.05), (COUNTS, 1.0), (COUNTS, 5.0), (THREE_GROUPS, 1.0), (THREE_GROUPS, 5.0)])
def test_a_method_is_the_estimator_with_its_settings(method, counts, epsilon, monkeypatch):
    """From the same stream: ten fits, each with the noise of one draw of ours, decide with the same probabilities.

    The noise on three groups is small enough to leave no (yhat, group) empty: there any p would be equally good, and solvers may differ.
    """
    monkeypatch.setitem(METHODS[method], "noise", None)     # the stored tables draw the law of two groups in another way
    X, y, A = people(counts)
    np.testing.assert_array_equal(fairness.cell_counts(X[:, 0], A, y), counts)
    for seed in range(10):
        draws = postprocessing_draws(counts, method, epsilon, GAMMAS, 1, np.random.default_rng(seed))
        how = {word: METHODS[method][word] for word in ("method", "slack")} | ({"n_bins": 2} if method == "score_bins" else {})
        fitted = postprocessing.DPPostProcessing(lambda X: X[:, 0], epsilon, 0.0, n_groups=counts.shape[1], against="anchor", **how)
        fitted.fit(X, y, sensitive_features=A, rng=np.random.default_rng(seed))
        derived = postprocessing.derived_counts(counts, np.stack([fitted.p_at(gamma) for gamma in GAMMAS]))
        np.testing.assert_allclose(draws.error[0], fairness.error(derived), atol=1e-7)
        np.testing.assert_allclose(draws.violation[0], fairness.violation(derived, against="anchor"), atol=1e-7)


def test_every_setting_of_a_method_matters():
    """No two methods are the same program on the same noise, so the test above tells them apart; but bins are margins of another table."""
    for counts in (COUNTS, THREE_GROUPS):
        first = {method: tuple(postprocessing_draws(counts, method, 1.0, GAMMAS, 1, np.random.default_rng(0)).error[0])
                 for method in METHODS}
        for method in set(METHODS) & set(panels.BINS):
            assert first.pop(method) == first["public_margins"]
        assert len(set(first.values())) == len(first)


def test_the_results_page_states_the_same_settings():
    page = (Path(__file__).parents[2] / "book" / "results" / "README.md").read_text()
    for name, settings in METHODS.items():
        cells = " | ".join(f"`{settings[key]}`" for key in ("method", "noise", "slack"))
        assert page.count(f"| `{name}` | {cells} |") == 1
    assert set(pd.read_csv(Path(__file__).parents[2] / "book" / "results" / "communities_quality.csv")["method"]) == set(METHODS)


def test_more_numbers_than_memory_holds_are_refused_by_name():
    with pytest.raises(ValueError, match="repeats=10000000: asks for more"):
        postprocessing_draws(COUNTS, "as_printed", 1.0, np.linspace(0, 1, 1000), 10**7, np.random.default_rng(0))


@pytest.mark.parametrize("method", METHODS)
def test_without_noise_every_method_is_the_program_2(method):
    draws = postprocessing_draws(COUNTS, method, np.inf, GAMMAS, 2, np.random.default_rng(0))
    for g, gamma in enumerate(GAMMAS):
        assert draws.error[:, g] == pytest.approx(postprocessing.solve_lp(COUNTS / M, gamma).value, abs=1e-9)
    assert (draws.violation[0] <= np.array(GAMMAS) + 1e-9).all()


def test_the_facts_of_the_protocol():
    base = free_points(COUNTS)
    np.testing.assert_allclose(base, [[0, 583 / 1994], [.2356, .1269]], atol=5e-5)
    optimum = postprocessing_draws(COUNTS, "as_printed", np.inf, [.001], 1, np.random.default_rng(0)).error[0, 0]
    assert optimum == pytest.approx(.1975, abs=5e-5)


@pytest.mark.parametrize("method", METHODS)
def test_one_gamma_alone_gives_the_same_column(method):
    """The table is drawn once for all gammas; gamma only enters afterwards."""
    full = postprocessing_draws(COUNTS, method, 0.5, GAMMAS, 30, np.random.default_rng(8))
    alone = postprocessing_draws(COUNTS, method, 0.5, GAMMAS[2:3], 30, np.random.default_rng(8))
    np.testing.assert_allclose(alone.error[:, 0], full.error[:, 2], atol=1e-12)
    np.testing.assert_allclose(alone.violation[:, 0], full.violation[:, 2], atol=1e-12)


def test_batches_do_not_change_the_answer(monkeypatch):
    from dpfair_teach.experiments import tradeoff
    whole = postprocessing_draws(COUNTS, "public_margins", 0.5, GAMMAS, 11, np.random.default_rng(8))
    monkeypatch.setattr(tradeoff, "_PROGRAMS_AT_ONCE", 12)
    np.testing.assert_array_equal(whole.error,
                                  postprocessing_draws(COUNTS, "public_margins", 0.5, GAMMAS, 11, np.random.default_rng(8)).error)


@pytest.mark.parametrize("b", [3, 5])
def test_score_bins_are_the_estimator_on_the_score(b, monkeypatch):
    """Real scores: the table of bins, its noise and its programs are those of one fit from the same stream."""
    monkeypatch.setitem(METHODS["score_bins"], "noise", None)
    people, counts = data.load("communities"), communities_counts(n_bins=b)
    fitted = postprocessing.DPPostProcessing(data.base_classifier(people), 0.5, 0.0, n_groups=2, n_bins=b, method="score_bins")
    for seed in range(3):
        fitted.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(seed))
        draws = postprocessing_draws(counts, "score_bins", 0.5, GAMMAS, 1, np.random.default_rng(seed))
        for g, gamma in enumerate(GAMMAS):
            reached = fairness.cell_counts(fitted.predict_proba(people.X, people.A, gamma)[:, 1], people.A, people.Y)
            assert draws.error[0, g] == pytest.approx(fairness.error(reached), abs=1e-7)
            assert draws.violation[0, g] == pytest.approx(fairness.violation(reached), abs=1e-7)


def test_tables_of_bins_are_for_score_bins_only():
    counts = communities_counts(n_bins=4)
    assert postprocessing_draws(counts, "score_bins", 1.0, [0.1], 2, np.random.default_rng(0)).error.shape == (2, 1)
    with pytest.raises(ValueError, match=r"^counts="):
        postprocessing_draws(counts, "public_margins", 1.0, [0.1], 2, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^evaluate_on=.*shape of counts, \(4, 2, 2\)"):
        postprocessing_draws(counts, "score_bins", 1.0, [0.1], 2, np.random.default_rng(0), evaluate_on=COUNTS)


def test_every_method_of_bins_is_drawn_on_tables_of_bins():
    """One table says which methods have bins: a second one is cut its own way wherever methods are run, and two answers are refused."""
    four = communities_counts(n_bins=4)
    for method in {**tradeoff.METHODS, **panels.BINS}:
        assert (method in panels.BINS) == (tradeoff.METHODS.get(method, {"method": "score_bins"})["method"] == "score_bins")
        if method in panels.BINS:
            assert panels.method_draws([(four, four)], method, 1.0, (0.1,), 2, np.random.default_rng(0)).error.shape == (2, 1)
            with pytest.raises(RuntimeError, match=method):
                panels.method_draws([(COUNTS, COUNTS)], method, 1.0, (0.1,), 1, np.random.default_rng(0))
    setting = {"data": "communities", "m": 1994, "k": 2, "method": "price_bins_4", "epsilon": 1.0}
    (row,) = compared.compared(setting, 2, np.random.default_rng(0))
    table = communities_counts(n_bins=4, criterion="price")
    curve = panels.method_draws([(table, table)], "score_bins", 1.0, GAMMAS_PROTOCOL, 2, np.random.default_rng(0)).means()
    assert row["n_bins"] == 4 and row["error_at"] == pytest.approx(error_at_violation(curve, 0.05, free_points(COUNTS)))
    assert panels.quality_and_error(setting, 2, np.random.default_rng(0))[0]["n_bins"] == 4


def test_a_curve_over_several_tables_is_the_mean_of_theirs():
    """One draw on each pair a round, one after the other from one stream."""
    pairs = [tuple(table[n] for table in communities_held_out()) for n in range(3)]
    rng, mine = np.random.default_rng(6), draws_over_splits(pairs, "public_margins", 0.5, GAMMAS, 4, np.random.default_rng(6))
    each = [postprocessing_draws(train, "public_margins", 0.5, GAMMAS, 4, rng, evaluate_on=test) for train, test in pairs]
    np.testing.assert_allclose(mine.error, np.mean([draws.error for draws in each], axis=0), atol=1e-15)
    np.testing.assert_allclose(mine.violation, np.mean([draws.violation for draws in each], axis=0), atol=1e-15)
    assert mine.gammas == tuple(GAMMAS) and mine.kept.tolist() == [True] * 4
    for wrong, why in (([], "is empty"), ([(COUNTS,)], "not a pair"), (3, "list of pairs")):
        with pytest.raises(ValueError, match=rf"^pairs=.*{why}"):
            draws_over_splits(wrong, "public_margins", 0.5, GAMMAS, 4, rng)


def test_rules_of_the_reader():
    def many_foreigners(raw):
        return (raw["PctForeignBorn"] > .2).astype(int)
    people = data.load("communities", group=many_foreigners, label="p20")
    counts = base_counts(people)
    answers = data.base_classifier(people).predict(people.X)
    np.testing.assert_array_equal(counts, fairness.cell_counts(answers, people.A, people.Y))
    assert held_out_counts(people, n_bins=3)[0].shape == (12, 3, 2, 2)
    for wrong in ("papers", 3, ["paper"], None):
        with pytest.raises(ValueError, match=r"^people="):
            base_counts(wrong)
    for read in (base_counts, held_out_counts):
        with pytest.raises(ValueError, match=r"^criterion='price': is read by a number of bins, and not by n_bins=None.*Leave crit"):
            read(people, criterion="price")


def test_cuts_of_held_out_bins_come_from_those_learnt_from():
    people = data.load("communities")
    out = np.random.default_rng(np.random.SeedSequence(0)).permutation(people.m) % 3 == 0
    score = data.base_classifier(people.subset(~out)).predict_proba(people.X)[:, 1]
    cuts = postprocessing.optimal_cuts(score[~out], people.Y[~out], 4)
    bins = postprocessing.score_bins(score, cuts)
    tables = [fairness.cell_counts(bins[side], people.A[side], people.Y[side], n_bins=4) for side in (~out, out)]
    for mine, theirs in zip(communities_held_out(n_bins=4), tables, strict=True):
        np.testing.assert_array_equal(mine[0], theirs)
    assert (postprocessing.optimal_cuts(score, people.Y, 4) != cuts).any()      # so that a cut from everybody would show


@pytest.mark.parametrize("method", [name for name, how in METHODS.items() if not how["slack"]])
def test_what_belongs_to_a_slack_is_refused_where_there_is_none(method):
    counts = COUNTS if method != "score_bins" else communities_counts(n_bins=4)
    for unread in (dict(beta=0.05), dict(negative_slack="unconstrained")):
        with pytest.raises(ValueError, match=rf"^{next(iter(unread))}=.*method='{method}'"):
            postprocessing_draws(counts, method, 1.0, [0.1], 2, np.random.default_rng(0), **unread)


def test_negative_slack_left_out_or_unconstrained():
    """At epsilon = 0.02 the noise has scale 100 people: cells of 108 people come out negative in about one draw of six."""
    args = COUNTS, "as_printed", 0.02, GAMMAS, 400
    out = postprocessing_draws(*args, np.random.default_rng(1), negative_slack="left_out")
    free = postprocessing_draws(*args, np.random.default_rng(1))
    noisy = postprocessing.noisy_counts(COUNTS, 0.02, np.random.default_rng(1), size=400)
    negative = (noisy.sum(axis=1) < 0).any(axis=(1, 2))
    assert 20 < negative.sum() < 200
    np.testing.assert_array_equal(out.kept, ~negative)
    assert free.kept.all()
    np.testing.assert_array_equal(out.error[out.kept], free.error[out.kept])
    row = out.rows(np.random.default_rng(0))[0]
    assert row["share_left_out"] == pytest.approx(negative.mean())
    assert row["error"] == pytest.approx(out.error[out.kept, 0].mean())


def test_no_draw_left_is_visible():
    """Nothing kept: means are missing and the share says why."""
    from dpfair_teach.experiments.tradeoff import Draws
    row = Draws(np.zeros((3, 1)), np.zeros((3, 1)), np.zeros(3, dtype=bool), (0.1,)).rows(np.random.default_rng(0))[0]
    assert np.isnan(row["error"]) and np.isnan(row["violation_high"]) and row["share_left_out"] == 1


def test_public_margins_beat_the_printed_noise_at_the_same_epsilon():
    """Mean violation at gamma = 0, epsilon = 0.5, 500 draws each. The gap is near .012, its standard error near .0012 (asserted)."""
    margins, printed = (postprocessing_draws(COUNTS, method, 0.5, [0.0], 500, np.random.default_rng(2)).violation[:, 0]
                        for method in ("public_margins", "as_printed_no_slack"))
    assert np.sqrt(margins.var() / 500 + printed.var() / 500) < .0014
    assert printed.mean() - margins.mean() > .004


def test_three_groups_go_through_the_solver():
    counts = THREE_GROUPS
    draws = postprocessing_draws(counts, "as_printed_no_slack", np.inf, [0.05], 1, np.random.default_rng(0))
    assert draws.error[0, 0] == pytest.approx(postprocessing.solve_lp(counts / counts.sum(), 0.05).value)
    assert draws.violation[0, 0] <= 0.05 + 1e-9


def test_evaluating_on_other_people():
    train, test = (table[0] for table in communities_held_out())
    draws = postprocessing_draws(train, "public_margins", np.inf, [0.05], 1, np.random.default_rng(0), evaluate_on=test)
    derived = postprocessing.derived_counts(test, postprocessing.solve_lp(train / train.sum(), 0.05).p)
    assert draws.error[0, 0] == pytest.approx(float(fairness.error(derived)))
    assert draws.violation[0, 0] == pytest.approx(float(fairness.violation(derived)))


@pytest.mark.parametrize("group", ["paper", "race_argmax"])
def test_held_out_thirds_hold_out_each_person_four_times(group):
    train, test = communities_held_out(group)
    assert train.shape == test.shape == (12, 2, 2, 2)
    people = communities_counts(group).sum(axis=0)
    np.testing.assert_array_equal(test.sum(axis=(0, 1)), 4 * people)
    np.testing.assert_array_equal((train + test).sum(axis=1), np.broadcast_to(people, (12, 2, 2)))
    assert set(test.sum(axis=(1, 2, 3))) == {664, 665}
    assert len({table.tobytes() for table in test}) == 12


def test_a_held_out_third_by_hand():
    """The first split: people fall into thirds by a permutation from the seed, and the base never sees the third that is held out."""
    everybody = data.load("communities")
    out = np.random.default_rng(np.random.SeedSequence(0)).permutation(everybody.m) % 3 == 0
    tables = {}
    for name, seen in (("two thirds", ~out), ("all", np.full(everybody.m, True)), ("held out", out)):
        model = LogisticRegression(solver="liblinear", C=1.0, random_state=123).fit(everybody.X[seen], everybody.Y[seen])
        base = model.predict(everybody.X)
        tables[name] = [np.array([[[np.sum(side & (base == b) & (everybody.A == a) & (everybody.Y == y)) for y in (0, 1)] for a in (0, 1)]
                                  for b in (0, 1)]) for side in (~out, out)]
    train, test = (table[0] for table in communities_held_out())
    np.testing.assert_array_equal(train, tables["two thirds"][0])
    np.testing.assert_array_equal(test, tables["two thirds"][1])
    # a base that had seen everybody, or the wrong side, would show
    assert (train != tables["all"][0]).any() and (test != tables["all"][1]).any() and (test != tables["held out"][1]).any()


def test_rows_are_the_means_of_the_draws():
    draws = postprocessing_draws(COUNTS, "as_printed", 1.0, GAMMAS, 50, np.random.default_rng(4))
    rows = pd.DataFrame(draws.rows(np.random.default_rng(5)))
    np.testing.assert_allclose(rows["error"], draws.error.mean(axis=0))
    np.testing.assert_allclose(rows["violation"], draws.violation.mean(axis=0))
    assert (rows["error_low"] <= rows["error"] + 1e-12).all() and (rows["error"] <= rows["error_high"] + 1e-12).all()
    assert list(rows["gamma"]) == GAMMAS and set(rows["share_left_out"]) == {0}


def test_tables_hold_whole_people_in_all():
    """Cells may be expected numbers; 110.44 people cannot be, and were counted as 110."""
    rng = np.random.default_rng
    with pytest.raises(ValueError, match=r"^counts=110.44: .*no whole number of people"):
        postprocessing_draws(np.full((2, 2, 2), 110.44 / 8), "as_printed", 1.0, [0.1], 3, rng(0))
    expected = np.array([[[20.3, 10.1], [20, 4]], [[9.7, 19.9], [6, 20]]])      # as a base that decides by chance gives
    assert postprocessing_draws(expected, "as_printed", 1.0, [0.1], 3, rng(0)).error.shape == (3, 1)
