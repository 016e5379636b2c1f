"""What chapters 7, 14 and 21 say of the stored tables, beyond what their cells print."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from book.studies import ask_well, panels
from book.studies.left_panel import LEFT_GROUPS, left_people, left_reference
from book.studies.panels import communities_counts
from dpfair_teach import data, load, postprocessing
from dpfair_teach.fairness import Parity
from dpfair_teach.mechanisms.directions import GRID
from dpfair_teach.mechanisms.geometric import geometric_variance
from dpfair_teach.oneshot import SETTINGS, design, gap_question, posterior_frontier, questions, representative
from dpfair_teach.oneshot.candidates import POINTS, grid_of
from dpfair_teach.oneshot.settings import ONE_QUESTION, first_shares

RESULTS = Path(__file__).parents[2] / "book" / "results"
CASE = ["data", "k", "m", "epsilon"]


def stored(table):
    return pd.read_csv(RESULTS / f"{table}.csv")


@pytest.fixture(scope="module")
def compared():
    rows = stored("post_processing_compared")
    return rows.assign(m_epsilon=rows["m"] * rows["epsilon"])


def test_every_mean_of_chapter_21_is_over_300_releases_or_more():
    for table in ("figure1_right", *(f"communities_{name}" for name in ("panel", "rules", "rules_q", "quality", "epsilon"))):
        assert stored(table)["repeats"].min() >= 300, table
    assert stored("post_processing_compared")["repeats"].min() >= 4 * 300                # spread over four sets of people
    for table in ("communities_panel", "communities_rules", "post_processing_compared"):
        rows = stored(table)
        error = "error_at" if table.startswith("post") else "error"
        assert (rows[f"{error}_low"] <= rows[error] + 1e-9).all() and (rows[error] <= rows[f"{error}_high"] + 1e-9).all()


def test_from_which_m_epsilon_a_method_beats_the_chord(compared):
    """Counted apart from who is first: up to 250, at 500, from there on."""
    beats = compared.set_index([*CASE, "method"])["beats"].unstack()
    m_epsilon = beats.index.get_level_values("m") * beats.index.get_level_values("epsilon")
    k, data = beats.index.get_level_values("k"), beats.index.get_level_values("data")
    assert not beats[m_epsilon < 100].any(axis=None)
    small = m_epsilon <= 250
    assert beats["score_bins"][small & (k == 2)].agg(["sum", "size"]).tolist() == [5, 9]
    assert not beats["score_bins"][small & (data == "adult") & (m_epsilon < 250)].any()
    assert beats["score_bins"][small & (k == 2) & (data != "adult") & (m_epsilon > 100)].all()
    assert beats["public_margins"][small & (k == 3)].agg(["sum", "size"]).tolist() == [2, 4]
    assert beats["public_margins"][(k == 3) & (m_epsilon >= 200)].all() and not beats["score_bins"][small & (k == 3)].any()
    assert not beats[small & (k == 4)].any(axis=None)
    assert beats["public_margins"][~small].all() and (1 - beats["score_bins"][~small]).sum() == 1


def test_who_is_first_and_by_how_much(compared):
    error = compared.pivot(index=CASE, columns="method", values="error_at")
    useful = compared.groupby(CASE)["beats"].max() == 1
    first = error.idxmin(axis=1)
    assert set(first[useful]) == {"public_margins", "score_bins"}
    m_epsilon = error.index.get_level_values("m") * error.index.get_level_values("epsilon")
    more = error.index.get_level_values("k") > 2
    assert (first[useful & more & (m_epsilon < 600)] == "public_margins").mean() > 0.8
    assert (first[more & (m_epsilon > 900) & (m_epsilon < 1100)] == "score_bins").mean() > 0.6
    large = error[m_epsilon > 1900]
    gain = large.drop(columns="score_bins").min(axis=1) - large["score_bins"]
    assert gain.min() == pytest.approx(.002, abs=5e-4) and gain.max() == pytest.approx(.041, abs=5e-4)
    optimum = compared.groupby(CASE)["optimum_at"].first()[m_epsilon > 1900]
    assert (large["public_margins"] - optimum).max() < .0035 and (large["score_bins"] < optimum).all()


def test_area_and_price_on_the_drawn_populations():
    rows = stored("bins_tuned")
    rows = rows[rows["m"] == 2000]
    area = rows[rows["criterion"] == "area"].pivot(index="m_epsilon", columns="n_bins", values="q")
    price = rows[rows["criterion"] == "price"].set_index(["m_epsilon", "n_bins"])
    for m_epsilon, q in area.iterrows():
        rule = postprocessing.suggested_bins(int(m_epsilon), 1.0)
        near = min(area.columns, key=lambda b, rule=rule: abs(b - rule))
        gain = price.loc[(m_epsilon, near)]
        assert q[near] > q.max() - .035
        if rule <= 5:
            assert -.01 < gain["gain"] < .03
        if rule >= 9:
            assert gain["gain_high"] < 0


def test_held_out_score_bins_at_a_loose_gamma_are_worse_than_the_base_in_both_numbers():
    rows = stored("communities_rules")
    rows = rows[(rows["group"] == "paper") & (rows["label"] == "p70") & (rows["evaluated"] == "held_out")]
    violation, error = panels.reference({"group": "paper", "evaluated": "held_out"})[1][1]
    loose = rows[(rows["method"] == "score_bins") & (rows["epsilon"] == 1)].iloc[-1]
    assert loose["gamma"] == .5 and loose["violation_low"] > violation + .05 and loose["error_low"] > error + .002
    assert rows[rows["method"].isin(["not_private", "score_bins", "public_margins"]) & (rows["epsilon"] >= 1)]["violation"].min() > .08
    inside = stored("communities_rules")
    inside = inside[(inside["group"] == "paper") & (inside["label"] == "p70") & (inside["evaluated"] == "in_sample")]
    base = panels.reference({"group": "paper"})[1][1]
    assert inside[(inside["method"] == "score_bins") & (inside["epsilon"] == 1)].iloc[-1]["error_high"] < base[1]


def test_where_a_curve_leaves_the_chord():
    """The close of chapter 21: Q at the epsilons of the wide grid, default rules, in-sample."""
    rows = stored("communities_quality")
    q = rows[(rows["group"] == "paper") & (rows["evaluated"] == "in_sample")].set_index(["method", "epsilon"]).sort_index()
    for method, still_free, gone in (("as_printed", 0.5, 1.0), ("as_printed_no_slack", 0.05, 0.1), ("public_margins", 0.025, 0.05),
                                     ("score_bins", 0.025, 0.05)):
        assert q["q_high"][method, still_free] < 1e-6 < q["q_low"][method, gone]


def test_seven_area_bins_have_a_cut_that_nine_lack():
    """Why the error of score bins rises from epsilon 0.5 to 1: their numbers, and least errors without noise."""
    rows = stored("communities_quality").set_index(["group", "evaluated", "method", "epsilon"]).sort_index()
    rows = rows.loc[("paper", "in_sample", "score_bins")]
    assert rows["n_bins"][[0.5, 1.0]].tolist() == [7, 9]
    assert rows["error_on_curve_high"][0.5] < rows["error_on_curve_low"][1.0]
    least = [postprocessing.solve_lp(communities_counts(n_bins=b) / 1994, .05).value for b in (7, 9)]
    assert np.round(least, 4).tolist() == [.1341, .1355]


def test_what_epsilon_each_kind_of_cut_needs():
    """The factors of both chapters, and what was wrong by race_argmax: three area cuts, not the noise in smaller cells."""
    rows = stored("communities_epsilon").set_index(["group", "evaluated", "method"]).sort_index()
    epsilon, factor = rows["epsilon"], rows["factor"]
    inside, held = (rows.loc[("paper", side)] for side in ("in_sample", "held_out"))
    assert inside["epsilon"][["as_printed", "as_printed_no_slack", "public_margins", "score_bins"]].tolist() == pytest.approx(
        [5.1, .4, .235, .12], rel=.03)
    assert inside["factor_low"]["score_bins"] > 40 and held["factor_low"]["score_bins"] > 50
    steps = [inside["factor"][name] for name in ("as_printed_no_slack", "public_margins", "score_bins")]
    assert [steps[0], steps[1] / steps[0], steps[2] / steps[1]] == pytest.approx([12.7, 1.7, 2], rel=.03)
    for cuts in ("area_bins_3", "area_bins_4", "price_bins_3", "price_bins_4"):
        assert inside["epsilon"][cuts] == pytest.approx(.119, abs=.016) and held["epsilon"][cuts] == pytest.approx(.118, abs=.004)
    race = ("race_argmax", "held_out")
    assert factor["race_argmax", "in_sample", "score_bins"] == pytest.approx(12, abs=.3) and epsilon[*race, "as_printed"] < .8
    assert np.isinf(epsilon[*race, "area_bins_3"])
    assert (rows["at_jump"][*race, "score_bins"], rows["n_bins"][*race, "score_bins"]) == (1, 4)
    assert rows["epsilon_high"][*race, "area_bins_4"] < rows["epsilon_low"][*race, "public_margins"]
    assert rows["epsilon_low"][*race, "price_bins_3"] < rows["epsilon_high"][*race, "public_margins"] < epsilon[*race, "score_bins"]
    assert communities_counts("race_argmax").sum(axis=0).min() == 128 and communities_counts().sum(axis=0).min() == 108
    people = load("communities", group="race_argmax")
    score = data.base_classifier(people).predict_proba(people.X)[:, 1]
    assert postprocessing.optimal_cuts(score, people.Y, 3) == pytest.approx([.099, .492], abs=5e-4)


def test_what_chapters_14_and_21_say_of_asking_well_by_the_four_rules():
    """The hardest rule from 1 on is that of the most unfair base, with 55 people in a cell; in-sample no Q passes 1 by the second
    reference."""
    rows = stored("left_oneshot").groupby(["group", "epsilon"])[["q", "q_low", "q_high", "q_thresholds"]].first()
    q = rows["q"].unstack()[[1.0, 2.0, 5.0]]
    assert q.shape == (4, 3) and (q.idxmin() == "white_median").all() and rows["q_thresholds"].max() < 1 < rows["q"].max()
    assert max(LEFT_GROUPS, key=lambda group: left_reference(group)[1][1, 0]) == "white_median"
    people = left_people("white_median")
    assert np.bincount(2 * people.A + people.Y).min() == 55


def test_what_chapter_14_says_of_choosing_gamma():
    """At epsilon 1, by each of four rules: the people asked have on average no more than the gap that was asked for, where it is .05, and
    some where it is 0; people to come have more of either."""
    inside, outside = (
        stored(table).query(f"{of} and label == 'p70' and epsilon == 1").pivot(index="group", columns="gamma", values="violation")
        for table, of in (("left_oneshot", "evaluated == 'in_sample'"), ("left_asked_rules", "evaluated == 'held_out'")))
    assert len(inside) == len(outside) == 4
    assert inside[.05].between(.03, .05).all() and inside[0].min() > 0
    assert (outside[[0, .05]] > inside[[0, .05]]).all(axis=None)


@pytest.mark.slow
def test_what_chapter_14_says_of_the_rules_that_were_tried_last():
    """There are thirteen; by which of them there is little to repair, and by which the base is the most unfair of all."""
    rules = stored("left_last")["group"]
    assert len(set(rules)) == 13
    base = pd.Series({name: left_reference(name)[1][1, 0] for name in rules})
    assert base.idxmax().startswith("PctKids2Par") and base.idxmin().startswith("racePctAsian") and base.min() < .03
    assert max(left_reference(name)[1][1, 0] for name in LEFT_GROUPS) < base.max()


def test_what_chapter_14_says_of_the_rules_that_were_set_aside():
    rows = stored("left_aside").set_index(["evaluated", "group", "epsilon"])
    assert max(left_reference(group)[1][1, 0] for group in ("asian_median", "foreign_median")) < .032
    assert rows.loc["held_out"]["q"].xs("foreign_median", level="group").isna().all() and rows["q"].isna().sum() == 3


def test_the_numbers_of_the_method_in_chapter_14_are_the_library_s():
    """Draws, multipliers, the variance that labels share, the whole numbers of a weight; what the reference says of very many people, of
    intervals and of many groups; and exercise 14F's noise at epsilon one half, with its 32 people."""
    assert (SETTINGS.draws, POINTS**2, SETTINGS.shared, GRID) == (128, 1681, .9, 1024)
    assert (SETTINGS.cells, SETTINGS.growth, questions.MOST_CELLS) == (.67, .6, 400)
    assert first_shares([600, 400], 10.0, "these") == pytest.approx([.7, .6])
    assert first_shares([600, 400], 10.0, "new") == pytest.approx([.8, .7])
    assert first_shares([900], 10.0, "these") == [.65] and first_shares([910, 90], 10.0, "new")[0] == 1     # a twentieth is no question
    assert (representative.SAMPLE, design.MOST, posterior_frontier.FRESH, posterior_frontier.MORE_APART) == (4096, 128, 400, 1.3)
    pairs = Parity("demographic_parity", "pairs")
    assert len(grid_of(42, pairs, SETTINGS.draws)) > 0
    with pytest.raises(ValueError, match=r"^n_groups=43"):
        grid_of(43, pairs, SETTINGS.draws)
    noise = geometric_variance(1.0, .5)
    assert round(noise) == 8 and gap_question(np.ones(32), np.full(32, .25), 8.0).left == pytest.approx(32 * .25 / 2)


def test_no_neighbour_of_the_constants_of_asking_well_is_better_by_more_than_the_runs_tell_apart():
    """By two standard errors of a mean over populations; at epsilon .5 all but one are above what was chosen."""
    table = stored("asking_tuned").set_index(["epsilon", "variant"])
    for epsilon in (0.5, 1.0):
        rows = table.loc[epsilon]
        assert (rows["q"] - rows.loc["chosen", "q"]).max() < 2 * rows["q_standard_error"].max()
        assert len(rows) == len(ask_well.TRIED)
        assert epsilon > .5 or (rows["q"] > rows.loc["chosen", "q"]).sum() == len(rows) - 2      # but the chosen, and one


def test_what_chapter_14_says_of_the_share_of_the_first_question():
    """At epsilon .1 the mean of the two largest shares is above that of the two smallest in every panel; nowhere is a share better than the
    formula by more than two standard errors of their difference. Where there is one question alone."""
    assert ONE_QUESTION == {"these": 150, "new": 200}
    table = stored("first_shares").astype({"share": str}).set_index(["target", "label_share", "epsilon", "share"])
    q, error = (table[column].unstack() for column in ("q", "q_standard_error"))
    shares = [name for name in q if name != "by_rule"]
    low, high = (q[sorted(shares, key=float)].xs(.1, level="epsilon").iloc[:, at].mean(axis=1) for at in (slice(2), slice(-2, None)))
    assert q.shape == (16, 6) and (high > low).all()
    apart = q[shares].sub(q["by_rule"], axis=0) / np.hypot(error[shares], error[["by_rule"]].to_numpy())
    assert apart.max(axis=None) < 2


def test_what_chapter_14_says_of_adult():
    """What the boosted base takes off the error at a gap of .02, in every row; and what privacy costs from epsilon .1 on."""
    table = stored("ask_well_adult").set_index(["method", "epsilon", "base"]).sort_index()
    error = table["error_at"].unstack()
    assert set(error.index) == {*(("ask_well", epsilon) for epsilon in (.01, .03, .1, 1.0)), ("not_private", np.inf)}
    off = error["logistic"] - error["boosted"]
    assert 0 < off.min() and off.max() - off.min() < .01
    lost = error.loc["ask_well"] - error.loc["not_private", np.inf]
    assert (lost.loc[[.1, 1.0]] < .002).all(axis=None)
