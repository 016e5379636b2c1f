"""The statements of chapter 21 about rows that stand in the table more than once."""
from __future__ import annotations

import dataclasses
import itertools
import math
import re

import nbformat
import numpy as np
import pandas as pd
import pytest

from book.studies.left_panel import left_reference
from book.studies.panels import communities_counts
from dpfair_teach import accounting, audit, baselines, data, experiments, games, mechanisms, postprocessing
from dpfair_teach.baselines import regression_dp_oracle_learner_as_printed as as_printed
from dpfair_teach.explore import Explorer
from dpfair_teach.oracles import RegressionOracle, threshold_labelings
from faults import Mutant
from test_chapters import CHAPTERS, boxes

TEN = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]])      # the ten people by [yhat, a, y]


def test_the_epsilon_of_a_person_is_that_of_all_copies_and_no_less():
    """Exact laws: one person changes, all of that person's rows with it. A geometric count of a group reaches the bound for the person with
    most copies; chains of any laws whose neighbours are (epsilon, delta)-close never pass it."""
    grid = np.arange(-900, 901)
    for epsilon, copies in itertools.product((0.1, 0.5), ([1] * 5, [10] * 5, [3, 0, 7, 2], [1, 4])):
        A = np.ones(len(copies), dtype=int)
        found = []
        for person in range(len(copies)):
            moved = A.copy()
            moved[person] = 0
            here, there = (mechanisms.geometric_law(1, epsilon, int(groups @ copies)).pmf(grid) for groups in (A, moved))
            found.append(audit.exact_epsilon(here / here.sum(), there / there.sum()))
        promised, _ = accounting.upsampling(epsilon, copies)
        assert max(found) == pytest.approx(promised, rel=1e-6)
        assert promised >= epsilon * np.mean(copies) - 1e-12
    rng = np.random.default_rng(35)
    for _ in range(200):
        chain = rng.dirichlet(np.full(5, 2.0), size=5)
        epsilon = rng.uniform(0.1, 1.0)
        delta = max(audit.exact_delta(*pair, epsilon) for pair in itertools.pairwise(chain))
        person, person_delta = accounting.upsampling(epsilon, [1, 4, 2], delta)
        assert audit.exact_delta(chain[0], chain[4], person) <= person_delta + 1e-9


@pytest.mark.parametrize("counts", [TEN, communities_counts()], ids=["ten", "communities"])
@pytest.mark.parametrize("copies", [2, 10])
def test_the_printed_algorithm_on_copies_is_the_same_at_that_many_times_epsilon(counts, copies):
    """By the same uniform numbers: the noisy frequencies, the slack and every classifier, draw by draw, not on average only."""
    m, epsilon = int(counts.sum()), 0.3
    rows, people = (postprocessing.noisy_counts(table, e, np.random.default_rng(3), size=200, as_printed=True) / table.sum()
                    for table, e in ((copies * counts, epsilon), (counts, copies * epsilon)))
    np.testing.assert_allclose(rows, people, rtol=1e-10, atol=1e-13)
    slack = [postprocessing.paper_slack(np.abs(rows), size, e, .05) for size, e in ((copies * m, epsilon), (m, copies * epsilon))]
    np.testing.assert_allclose(*slack, rtol=1e-9)
    if counts is TEN:
        return                                                      # a cell of none: no rates
    for method in ("as_printed", "as_printed_no_slack", "public_margins_laplace"):
        curve = [experiments.postprocessing_draws(table, method, e, (0.0, 0.02, 0.1), 40, np.random.default_rng(4))
                 for table, e in ((copies * counts, epsilon), (counts, copies * epsilon))]
        np.testing.assert_allclose(curve[0].error, curve[1].error, atol=1e-9)
        np.testing.assert_allclose(curve[0].violation, curve[1].violation, atol=1e-9)
    geometric = [experiments.postprocessing_draws(table, "public_margins", e, (0.0, 0.02), 40, np.random.default_rng(4))
                 for table, e in ((copies * counts, epsilon), (counts, copies * epsilon))]
    assert np.abs(geometric[0].error - geometric[1].error).max() > 1e-6     # whole numbers: near, and not the same law


def test_copies_of_answers_are_worse_than_one_answer_of_the_same_epsilon():
    """Randomized response by each copy: c epsilon for the person, and more variance than one response at c epsilon."""
    for epsilon, copies in itertools.product((0.05, 0.5, 1.0), (2, 10)):
        def variance(e):
            keep = np.exp(e) / (1 + np.exp(e))
            return keep * (1 - keep) / (2 * keep - 1) ** 2

        matrix = mechanisms.randomized_response_matrix(2, epsilon)
        loss = copies * np.log(matrix[0, 0] / matrix[1, 0])
        assert loss == pytest.approx(copies * epsilon) == accounting.upsampling(epsilon, [copies])[0]
        assert variance(epsilon) / copies > 1.001 * variance(copies * epsilon)


def test_the_scales_of_the_learner_of_the_experiments_on_copies():
    """Same rounds, a c-th of a round's epsilon: the noise relative to what it is added to is (n - 1) / (n - 1/c) of the original."""
    rng = np.random.default_rng(5)
    X, A = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    Y = (X[:, 0] + X[:, 1] * A > 0).astype(int)
    n = min(int(((A == a) & (Y == y)).sum()) for a in (0, 1) for y in (0, 1))
    for c in (2, 10):
        one, many = (as_printed(RegressionOracle(np.tile(X, (t, 1)), np.tile(Y, t)), np.tile(A, t), [0.1], 1e4 / t, 1e-7,
                                             np.random.default_rng(6), B=5, step="supplement", most_rounds=3) for t in (1, c))
        assert one.rounds == many.rounds == 3 and many.epsilon_step == pytest.approx(one.epsilon_step / c)
        expected = (n - 1) / (n - 1 / c)
        assert many.auditor_scale / one.auditor_scale == pytest.approx(expected)
        assert many.learner_scale / c / one.learner_scale == pytest.approx(expected)


def test_where_the_small_epsilons_of_the_left_panel_come_from():
    """What chapter 21 says of the legend: a tenth of a round's epsilon by the code's formula, by sums and exactly, all rounds."""
    ranges, exact = [], []
    literal = pd.read_csv(CHAPTERS.parent / "results" / "left_literal.csv")
    literal = literal[literal["B"] == "1/gamma"]
    for epsilon, rounds in ((100, (7, 9)), (150, (11, 14)), (200, (15, 19))):
        row = []
        for T in rounds:
            step = baselines.section_5_step(epsilon, 1e-7, T) / 10
            low, high = 1.0, 10.0
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if baselines.section_5_step(middle, 1e-7, T) < step else (low, middle)
            row.append(low)
            assert 2.5 < accounting.basic_composition(step, 2 * T) < 7 < 25 < accounting.basic_composition(10 * step, 2 * T) < 70
            exact.append(accounting.optimal_composition(step, 2 * T, 1e-7))
            assert exact[-1] > row[-1]                                             # a tenth of the steps: the code's formula is no bound
            full = 10 * step
            assert accounting.optimal_composition(full, 2 * T, 1e-7) == pytest.approx(2 * T * full, rel=1e-5)
            assert full * np.sqrt(4 * T * np.log(1e7)) + 2 * T * full * np.expm1(full) == pytest.approx(2 * epsilon)   # half of that form
        ranges += row
        played = literal[(literal["epsilon"] == epsilon) & (literal["step"] == "code")]["rounds"]
        assert (played.min(), played.max()) == rounds
    assert np.round(ranges, 1).tolist() == [2.3, 2.5, 3.0, 3.2, 3.6, 3.8]
    assert round(min(exact), 1) == 2.7 and round(max(exact), 1) == 5.5


def test_what_the_chapter_says_of_stopping_the_literal_learner():
    """Of the table as the notebook shows it, whose cells are run anew by the checks of the notebooks."""
    notebook = nbformat.read(CHAPTERS.parent / "notebooks" / "21-communities-and-crime.ipynb", as_version=4)
    shown = [o.data["text/plain"] for c in notebook.cells if c.cell_type == "code" for o in c.outputs if "Q, stopped after" in str(o)]
    header, _, *rows = (line.split() for line in shown[0].splitlines())
    assert header[-4:] == ["5", "250", "1000", "4000"]
    q = {" ".join(row[:-4]): [float(number) for number in row[-4:]] for row in rows}
    assert list(q) == ["100,000", "1,000,000", "10,000,000", "that step"]
    assert q["100,000"][0] > 0.5 and max(q["100,000"][1:]) == 0                 # five rounds are best
    million = q["1,000,000"]
    assert abs(million[0] - million[1]) < .02 and million[1] > million[2] + .1 > million[3] + .2       # 5 and 250 about alike
    assert np.argmax(q["10,000,000"]) == 1
    assert q["that step"][1] > q["that step"][2] + .05 > q["that step"][3] + .1 and q["that step"][3] < .05
    literal = pd.read_csv(CHAPTERS.parent / "results" / "left_literal.csv")
    asked = literal[(literal["step"] == "supplement") & (literal["B"] == "1/gamma") & (literal["epsilon"] == 1e7)]["rounds_real"].min()
    assert round(asked / 4000, -1) == 200
    assert "rounds played: 1,000; asked for at 10,000,000: 786,175 or more, a step of 702" in str(notebook.cells)
    T = int(asked)
    people = data.load("communities", features="unprotected")
    for rounds in (5, T):             # the step of the formula's own rounds, in fewer of them, is the step of a smaller epsilon
        run = as_printed(RegressionOracle(people.X, people.Y), people.A, [.05], 1e7 * np.sqrt(rounds / T), 1e-7,
                                      np.random.default_rng(6), B=20, step="supplement", most_rounds=min(rounds, 5))
        assert run.epsilon_step * np.sqrt(run.rounds / rounds) == pytest.approx(702, abs=1)


def test_what_chapter_10_says_of_the_slow_auditor():
    """With B = 5 it prices a gap that needs no price, of false positives; in plays with noise, and in one without as long as these."""
    people = data.load("communities")
    score = data.base_classifier(people).decision_function(people.X)
    small = games.FairnessGame(threshold_labelings(score)[::10], people.A, people.Y, .05)
    many = games.FairnessGame.from_counts(100 * small.n_pos, 100 * small.n, .05, empty="zero")
    best = many.equilibrium(5.0).lam
    assert best[:2] == pytest.approx(0, abs=1e-9) and best[2] > .5
    noisy = games.dp_oracle_learner(many, 1.0, 1e-6, 5.0, np.random.default_rng(2), size=20)
    quiet = games.exponentiated_gradient(many, B=5.0, eta=noisy.eta, rounds=noisy.rounds)
    for play in (noisy, quiet):
        prices = play.multipliers.mean(axis=0)                      # of FP +, FP -, TP +, TP -
        assert (prices[..., 0] - prices[..., 1] > .3).all()


def test_what_chapter_10_says_of_its_two_bounds():
    """For many people the auditor's bound is least where bl is a little above 2; and from how many people on the promise says something."""
    def setting(m, T=None):
        planned = games.Setting.scheduled(m, 1.0, 1e-7, 2.0, 2, .05, math.log(m + 1), m / 8)
        return planned if T is None else dataclasses.replace(planned, rounds=T)
    for m in (10**5, 10**6):
        rounds = np.unique(np.geomspace(1, 10**6, 400).astype(int)).tolist()
        least = min(rounds, key=lambda T: games.theorem_3_5(setting(m, T), as_printed=True).auditor)
        scale = games.lemma_3_1(m / 8, 2, 2.0, as_printed=True).auditor / setting(m, least).step("printed")
        assert 2 < scale * math.log(8 * least * 2 / .05) < 2.5
    printed = [2 * games.theorem_3_5(setting(m), as_printed=True).nu for m in (43 * 10**6, 45 * 10**6)]
    sharp = [games.theorem_3_5(games.best_setting(setting(m))).nu for m in (95_000, 105_000)]
    assert printed[0] > 1 > printed[1] and sharp[0] > 1 > sharp[1]


def test_what_25_runs_of_the_loop_cost_together():
    """Solution 21G: one Gaussian of all runs by the loop's own records, exactly, and the sizes added."""
    people = data.load("communities", features="unprotected")
    play = games.regression_dp_oracle_learner(RegressionOracle(people.X, people.Y), people.A, .05, 13.1, 1e-7, np.random.default_rng(6),
                                              n_groups=2, B=.5, rounds=10)
    sizes, *gaussians = play.releases_
    assert {r.mechanism for r in gaussians} == {"gaussian"} and sizes.epsilon == pytest.approx(13.1 / 20)
    ratio = np.sqrt(sum(r.times * (r.sensitivity / r.scale)**2 for r in gaussians))
    assert mechanisms.gaussian_delta(ratio, 1.0, 13.1 * .95) == pytest.approx(1e-7, rel=1e-3)
    assert mechanisms.gaussian_delta(5 * ratio, 1.0, 106.5) > 1e-7 > mechanisms.gaussian_delta(5 * ratio, 1.0, 107.2)
    assert round(107 + 25 * sizes.epsilon) == 123 and round(123 / 13.1) == 9 and 25 * 1e-7 == pytest.approx(2.5e-6)


def test_the_noise_of_a_round_grows_with_the_root_of_their_number():
    people = data.load("communities")
    runs = [as_printed(RegressionOracle(people.X, people.Y), people.A, [0.1], 1e7, 1e-7, np.random.default_rng(6), B=10,
                                    step="supplement", most_rounds=rounds) for rounds in (2, 18)]
    for scale in ("learner_scale", "auditor_scale"):
        assert getattr(runs[1], scale) / getattr(runs[0], scale) == pytest.approx(3)


def test_a_base_fitted_anew_to_ten_copies_is_another_one():
    people = data.load("communities")
    copies = dataclasses.replace(people, X=np.tile(people.X, (10, 1)), Y=np.tile(people.Y, 10), A=np.tile(people.A, 10))
    here, there = (data.base_classifier(table).predict(people.X) for table in (people, copies))
    assert (here != there).sum() == 57 and len(here) == 1994


@pytest.fixture
def left_figure(monkeypatch):
    """The figure of the left panel and the names of the cells it needs, run where the notebook is."""
    monkeypatch.chdir(CHAPTERS.parent / "notebooks")
    text = (CHAPTERS / "21-communities-and-crime.md").read_text(encoding="utf-8")
    options = re.compile(r"\A(?:---\n.*?\n---\n|(?::[^\n]*\n)+)", re.S)
    cells = [options.sub("", box.body) for box in boxes(text) if box.kind == "code-cell"]
    names: dict = {}
    for start in ("from pathlib import Path", "# The stored panels of all rules", "POINT, LOW, HIGH", "# The left panel: read and draw"):
        exec(next(cell for cell in cells if cell.startswith(start)).split("\nExplorer(")[0], names)
    body, call = next(cell for cell in cells if 'title="The left panel, by method, epsilon and rule"' in cell).split("\nExplorer(")
    exec(f"{body}\nfigure = Explorer({call}", names)
    return names["figure"], names["left"], names["references"], names["NAMED"]


@pytest.mark.turning(7, of=["book/chapters/21-communities-and-crime.md", "book/results"])
@pytest.mark.slow
def test_the_figure_of_the_left_panel_shows_what_was_run_and_says_what_was_not(left_figure):
    shown, left, references, name_of = left_figure
    assert isinstance(shown, Explorer)
    stored = left[left["label"] == "p70"].set_index(["method", "group", "evaluated", "epsilon"]).sort_index()
    ran = 0
    for at in shown.grid():
        key = (name_of[at["method"]], at["rule"], {"in-sample": "in_sample", "held-out": "held_out"}[at["people"]],
               at["epsilon"])
        frame, said = shown.frame(**at), shown.sentence(**at)
        assert len(frame["free chord"]) == 2
        if key not in stored.index:
            assert "not run" in said and not any(len(points) for name, points in frame.items() if name != "free chord")
            continue
        run, ran = stored.loc[key], ran + 1
        marked = run[::-6 if key[0].startswith(("scale", "location")) else -4][::-1]     # as the line below the figure says
        assert len(frame["released"]) == len(marked) and len(frame["95% interval"]) == 2 * len(marked) and "not run" not in said
        q = run["q"].iloc[0]
        assert (f"Q is {q:.2f} (" in said) if np.isfinite(q) else ("Q is not defined" in said)
        _, ends = references[at["rule"], key[2]]
        np.testing.assert_allclose(ends, left_reference(at["rule"], "p70", key[2])[1], rtol=1e-6)
        further = (run["violation"] > 1.4 * ends[1, 0]).sum()
        lie = "lies" if further == 1 else "lie"
        assert (f"{further} of its {len(run)} points {lie} further right" in said) == (further > 0) == ("beyond the figure" in said)
        assert run["gamma"].iloc[-1] == marked["gamma"].iloc[-1]
        np.testing.assert_allclose(frame["released"] * [ends[1, 0], 1], marked[["violation", "error"]].to_numpy(), atol=1e-9)
        assert f"at epsilon {at['epsilon']:,.10g}, rule" in said
    assert ran >= 2 * 6 * 4 + 3 * 7 * 4     # asked well, in-sample and held out, and the loops; and the literal learner


# --- deliberate faults

def noise_of_the_table(f):
    def noisy_counts(counts, epsilon, rng, size=None, **how):
        return counts + np.sum(counts) / 2000 * (f(counts, epsilon, rng, size, **how) - counts)
    return noisy_counts


def a_row_is_a_person(f):
    return lambda epsilon, copies, delta=0.0: (epsilon, delta)


def the_mean_person(f):
    return lambda epsilon, copies, delta=0.0: f(epsilon, [round(np.mean(copies))], delta)


FAULTS = {
    "noise_grows_with_the_table": Mutant(
        "dpfair_teach.postprocessing.noisy_counts", noise_of_the_table, "noise of a fixed share of the rows"),
    "slack_of_a_thousand_people": Mutant(
        "dpfair_teach.postprocessing.paper_slack", lambda f: lambda q, m, epsilon, beta, **kw: f(q, 1000, epsilon, beta, **kw),
        "the slack does not read the number of rows"),
    "copies_are_people": Mutant("dpfair_teach.accounting.upsampling", a_row_is_a_person, "a row's epsilon is passed off as a person's"),
    "copies_of_the_mean_person": Mutant(
        "dpfair_teach.accounting.upsampling", the_mean_person, "the mean number of copies, not the largest"),
}
