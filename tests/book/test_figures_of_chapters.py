"""What the figures of the chapters and refreshers say, in all positions of their sliders, computed by the chapters' own cells."""
from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from dpfair_teach import accounting, attacks, lagrangian, mechanisms
from dpfair_teach.explore import Explorer
from test_chapters import CHAPTERS, boxes


@cache
def figure(page: str, title: str) -> tuple[Explorer, dict]:
    """The figure of that title, and the names its cell defines, with what the page imports."""
    cells = [re.sub(r"\A(?::\w+:.*\n)+", "", box.body) for box in boxes((CHAPTERS / f"{page}.md").read_text(encoding="utf-8"))
             if box.kind == "code-cell"]
    source, = (cell for cell in cells if "Explorer(" in cell and f'title="{title}"' in cell)
    names: dict = {}
    exec(next(cell for cell in cells if cell.startswith(("import", "from"))), names)
    body, call = source.split("\nExplorer(")
    exec(f"{body}\nfigure = Explorer({call}", names)
    return names["figure"], names


def test_no_interval_of_an_attack_lies_above_the_line_that_none_passes():
    """195 intervals of 10,000 rounds that hold together with 95 %; the seeds are fixed."""
    shown, names = figure("01-locking-the-data-up", "Advantage of the best attack against epsilon")
    n, seen, wide = len(names["TRIED"]), 0, 0.0
    for at in shown.grid():
        frame, said = shown.frame(**at), shown.sentence(**at)
        low, high = frame["intervals, 95 % for all"][:n], frame["intervals, 95 % for all"][n:][::-1]
        bound = np.array([attacks.attribute_advantage_bound(epsilon, at["delta"], at["prior"]) for epsilon in low[:, 0]])
        measured = frame["attack, measured"][:, 1]
        assert (low[:, 1] <= bound).all() and (bound <= high[:, 1]).all(), "the best attack attains the bound"
        assert (low[:, 1] <= measured).all() and (measured <= high[:, 1]).all() and f" 0 of the {n} intervals" in said
        seen, wide = seen + n, max(wide, (high - low)[:, 1].max())
    assert seen == 195 and names["MISS"] == pytest.approx(0.05 / seen) and wide < 0.04


@pytest.mark.parametrize("epsilon, delta, prior", [(1, 1.5, 0.5), (1, -0.1, 0.5), (0, 0, 0.5), (1, 0, 1.2)])
def test_the_game_of_chapter_1_refuses_what_is_no_probability(epsilon, delta, prior):
    _, names = figure("01-locking-the-data-up", "Advantage of the best attack against epsilon")
    with pytest.raises(ValueError, match=r"delta|epsilon|prior"):
        names["played"](epsilon, delta, prior)


def test_no_published_number_makes_anybody_surer_of_ada_than_laplace_noise_promises():
    shown, _ = figure("03-privacy-for-one-attribute", "How sure are you that Ada is in group 1?")
    for at in shown.grid():
        sure, said = shown.frame(**at)["how sure you are"], shown.sentence(**at)
        x, (low, high) = shown.panels[0].x, attacks.posterior_bound(at["epsilon"])
        if at["noise"] == "Laplace":
            np.testing.assert_allclose(sure[x <= 5], low)
            np.testing.assert_allclose(sure[x >= 6], high)
            assert f"up to 5 leaves you {low:.2f} sure" in said and f"from 6 on {high:.2f}" in said
        else:
            leaves = float(re.search(r"numbers above ([\d.]+) make you surer", said)[1])
            assert (np.diff(sure) > 0).all()
            assert (sure[x > leaves + 0.06] > high).all() and (sure[x < leaves - 0.06] < high).all()


def test_the_figure_of_the_exponential_mechanism_names_all_best_thresholds():
    shown, names = figure("03-privacy-for-one-attribute", "The exponential mechanism over ten thresholds")
    for at in shown.grid():
        loss = names["two_worlds"](at["person"])[0]
        best = np.flatnonzero(loss == loss.min())
        chance = mechanisms.exponential_probabilities(loss, 2, at["epsilon"])[best].sum()
        said = shown.sentence(**at)
        assert f"thresholds 0.4 and 0.6. One of them is chosen with probability {chance:.2f};" in said
        assert names["SCORES"][best].tolist() == [0.4, 0.6]
    low, high = shown.panels[0].x_range
    assert low < min(names["SCORES"]) and max(names["SCORES"]) < high      # no marker stands on an axis
    with pytest.raises(ValueError, match=r"Adam.*Ada, Ben"):
        names["two_worlds"]("Adam")


def test_the_figure_of_randomized_response_speaks_of_standard_deviations_and_never_of_0():
    shown, _ = figure("03-privacy-for-one-attribute", "Randomized response and debiasing")
    for at in shown.grid():
        said = shown.sentence(**at)
        two = 2 * np.sqrt(mechanisms.debias_variance([at["people"], 0], at["epsilon"])[0]) / at["people"]
        found = re.findall(r"standard deviations are ([\d.]+)|noise are ([\d.]+)", said)
        numbers = [float((a or b).rstrip(".")) for a, b in found]
        assert numbers[0] == pytest.approx(two, rel=0.05) and "95 of 100" not in said
        assert len(numbers) == (1 if two > 0.5 else 2) and min(numbers) > 0
        if len(numbers) == 2:
            assert numbers[1] == pytest.approx(2 * mechanisms.geometric_law(1, at["epsilon"]).std() / at["people"], rel=0.05)
        low, high = shown.frame(**at)["two standard deviations"].T
        np.testing.assert_allclose(high - low, 2 * two, rtol=1e-9)
        beyond = low.min() < shown.panels[0].y_range[0] or high.max() > shown.panels[0].y_range[1]
        assert ("the band leaves the picture" in said) == beyond


@pytest.mark.turning(7, of=["book/chapters/04-adding-up.md", "dpfair_teach/accounting"])
def test_the_figure_of_accountants_says_where_the_loss_distribution_ends_and_writes_delta_as_its_slider_does():
    shown, names = figure("04-adding-up", "What k runs cost, by accountant")
    some = [at for at in shown.grid() if at["mechanism"] in ("Laplace noise", "Gaussian noise")]
    for at in some:
        line, said = shown.frame(**at)["loss distribution"], shown.sentence(**at)
        assert f"with {'1e-7' if at['delta'] == 1e-7 else '0.0001'} allowed as delta" in said
        last = int(line[-1, 0])
        assert (f"is drawn up to {last:,} runs; for more its epsilon is beyond 650" in said) == (last < 3000)
        if last < 3000:
            further = int(names["STEPS"][names["STEPS"] > last][0])
            steps = accounting.Release("laplace", accounting.UNIT_A, sensitivity=1.0, scale=1 / at["epsilon0"], times=further)
            with pytest.raises(ValueError, match="beyond 650"):
                accounting.pld_epsilon(steps, at["delta"])
    assert sum(len(shown.frame(**at)["loss distribution"]) < len(names["STEPS"]) for at in some) == 2
    with pytest.raises(ValueError, match=r"mechanism='laplacian'.*laplace"):
        names["by_steps"]("laplacian", 0.1, 1e-7)


def test_ten_steps_at_a_tenth_in_chapter_4s_question():
    assert round(accounting.optimal_composition(0.1, 10, 1e-6), 4) == 0.9994


def test_the_truth_lies_under_its_bounds_in_the_refreshers_figure():
    shown, _ = figure("refresher-probability", "Too many heads")
    for at in shown.grid():
        frame = shown.frame(**at)
        assert (frame["exact"] > 0).all() and (frame["exact"] <= frame["Hoeffding"]).all()
        assert (frame["exact"] <= frame["Chebyshev"]).all()


def test_the_multipliers_of_the_refreshers_figure_are_minus_the_slope_of_their_line():
    shown, _ = figure("refresher-linear-programs", "What a little more tolerance is worth")
    for at in shown.grid():
        line, said = shown.frame(**at)["promise of the multipliers"], shown.sentence(**at)
        falls = float(re.search(r"add up to ([\d.]+): the straight line that falls by so much per unit of gamma", said)[1])
        np.testing.assert_allclose(np.diff(line) / np.diff(shown.panels[0].x), -falls, atol=6e-4)


@cache
def game_figures() -> tuple[Explorer, Explorer, dict]:
    """Chapter 8's two figures of a run, and all names up to there: its cells build on each other."""
    names: dict = {}
    for box in boxes((CHAPTERS / "08-fair-learning-as-a-game.md").read_text(encoding="utf-8")):
        if box.kind == "code-cell":
            exec(re.sub(r"\A(?::\w+:.*\n)+", "", box.body).replace("\nExplorer(prices,", "\nfirst = Explorer(prices,")
                 .replace("\nExplorer(iterates,", "\nsecond = Explorer(iterates,"), names)
        if "second" in names:
            return names["first"], names["second"], names
    raise AssertionError("chapter 8 has no such figures")


def test_the_prices_of_a_run_are_drawn_in_every_round():
    """Their swings take less than six rounds: every third round would draw others, several times as long."""
    shown, _, names = game_figures()
    assert (np.diff(shown.panels[0].x) == 1).all()
    swings = {at: np.diff(np.flatnonzero(np.diff(np.sign(np.diff(run.multipliers[200:, 0]))) < 0)).mean()
              for at, run in names["RUNS"].items() if at[1] >= 0.3}                          # step 0.1 is still on its way
    assert all(2 <= swing < 6 for swing in swings.values()), swings


def test_each_threshold_played_has_a_place_of_its_own():
    """Two thresholds of the ten people have the same violation and the same error, with gaps of different rates."""
    _, shown, names = game_figures()
    for at in shown.grid():
        frame, said = shown.frame(**at), shown.sentence(**at)
        chosen = names["RUNS"][at["B"], at["eta"]].chosen[:at["rounds"]]
        assert len(set(chosen)) == len(np.unique(frame["thresholds played"].round(9), axis=0)) in (2, 3)
        assert f" {len(set(chosen))} thresholds were played" in said
        assert np.allclose(frame["average now"][0], names["tolerant"].gaps[chosen].mean(axis=0))
        assert (np.abs(frame["thresholds played"]).max(axis=1) > 0.1).all(), "none of them is in the box"
        assert at["rounds"] < 300 or at["eta"] < 1 or np.allclose(frame["average now"], 0.1, atol=0.01), "their average comes to its corner"


@pytest.mark.slow
def test_a_measurement_outside_the_picture_of_the_rounds_is_told():
    shown, names = figure("10-dp-oracle-learner", "Play the rounds")
    outside = 0
    for at in shown.grid():
        frame, said = shown.frame(**at)["Gaps"], shown.sentence(**at)
        for series, told in (("measured now", "Measured now, outside the picture: {:.2f} and {:.2f}."),
                             ("average of all measured", "measured as {:.2f} and {:.2f};")):
            point, = frame[series]
            if np.abs(point).max() > 0.8:
                outside += 1
                assert told.format(*point) in said, at
        assert ("outside" in said) == (np.abs(frame["measured now"]).max() > 0.8)
        assert all(np.abs(frame[series]).max() <= 0.8 for series in ("mixtures before", "mixture so far", "threshold played now"))
    assert outside > 5 and names["WIDE"] == 0.8


def test_adas_group_turns_the_step_of_chapter_16_at_the_scores_drawn_and_never_by_more_than_the_proposition_says():
    """Each piece of a line is the group term at every score of it, not only in the middle."""
    shown, names = figure("16-pf-ld", "What Ada's group does to one step")
    moved = []
    for at in shown.grid():
        frame, far = shown.frame(**at), 0.0
        for group in (0, 1):
            pieces = frame[f"Ada in group {group}"].reshape(-1, 2, 2)
            assert pieces[0, 0, 0] == 0 and pieces[-1, 1, 0] == 1 and (pieces[1:, 0, 0] == pieces[:-1, 1, 0]).all()
            for (low, value), (high, same) in pieces:
                assert value == same
                for score in low + (high - low) * np.array([0.01, 0.3, 0.99]):
                    here = names["group_term"](score, group, **at)
                    assert here == pytest.approx(value)
                    far = max(far, abs(here - names["group_term"](score, 1 - group, **at)))
        if names["FORM"][at["step"]] == "autograd":
            assert far <= lagrangian.sensitivity.sign_flip_sensitivity(at["n"], at["n"], 1.0, 1.0) + 1e-12
            moved.append(far)
        else:
            assert far == pytest.approx(2 / (at["n"] + 1)), "she agrees with group 0, and moves the mean of the other alone"
        assert f"up to {far:.2f}." in shown.sentence(**at)
    assert max(moved) > 3.9 and min(moved) < 0.2, "some settings turn the step, others are too far apart"
