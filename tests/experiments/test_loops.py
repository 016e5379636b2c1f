"""What the stored tables of the loops say, and how their constants were chosen."""
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpfair_teach.experiments import (
    GAMMAS_FIGURE1,
    LITERAL_ROUNDS,
    REPAIRED_LOOPS,
    epsilon_at_quality,
    left_reference,
    loops,
    pareto_quality,
)
from dpfair_teach.experiments.drawn import drawn_population

RESULTS = Path(__file__).parents[2] / "book" / "results"


def table(name):
    return pd.read_csv(RESULTS / f"{name}.csv")


def reaches(rows, target=0.7):
    q = rows.groupby("epsilon")["q"].first()
    return epsilon_at_quality(q.index.to_numpy(), q.to_numpy(), target)


def test_the_constants_of_the_repaired_loop_are_the_best_on_the_drawn_populations():
    """First the best of a fixed list, then of that one's neighbours too: everything that differs in one thing."""
    tuning = table("left_repaired_tuning")
    assert set(tuning["populations"]) == {loops.POPULATIONS} == {12} and tuning["runs"].min() >= 4
    for mix, choices in REPAIRED_LOOPS.items():
        assert tuple(choices) == loops.LOOP_EPSILONS
        for i, (epsilon, variant) in enumerate(choices.items()):
            q = tuning[(tuning["mix"] == mix) & (tuning["epsilon"] == epsilon)].set_index("variant")["q"]
            assert q.idxmax() == variant and len(loops.LOOPS_FIRST) >= 24
            if i < len(loops.LOOP_STARTS[mix]):
                start = loops.LOOP_STARTS[mix][i]
                assert q[list(loops.LOOPS_FIRST)].idxmax() == start
                tried, chosen = np.array([loops.LOOPS_TRIED[name] for name in q.index]), loops.LOOPS_FIRST[start]
                near = tried[(tried != chosen).sum(axis=1) == 1]
                for column, mine, levels in zip(near.T, chosen, loops.LOOP_LEVELS.values(), strict=True):
                    assert set(column) >= set(levels) - {mine}


def test_the_repaired_loop_is_tuned_on_the_populations_of_the_one_shot_methods():
    """Every second one with small factors that count; a seed each."""
    for seed in (0, 1):
        X, A, Y = drawn_population(2000, np.random.default_rng(np.random.SeedSequence(seed)), even=seed % 2 == 1)
        oracle, mine, _ = loops._oracle_on(seed)
        assert (mine == A).all() and (oracle.Y == Y).all() and (oracle.design[:, 1:] == X).all()


def test_the_first_list_crosses_every_level_with_every_other():
    designed = loops._designed()
    assert len(set(designed)) == 24 and set(designed) < set(loops.LOOPS_FIRST.values())
    for i, j in itertools.combinations(range(4), 2):
        levels = itertools.product(*(list(loops.LOOP_LEVELS.values())[n] for n in (i, j)))
        missing = set(levels) - {(loop[i], loop[j]) for loop in designed}
        assert len(missing) <= (1 if (i, j) == (0, 1) else 2 * ((i, j) == (0, 3)))


@pytest.mark.parametrize("group", ["paper", "race_argmax"])
def test_one_release_reaches_seven_tenths_with_a_twelfth_of_the_best_loops_epsilon(group):
    loops, once = table("left_repaired"), table("left_oneshot")
    loop = min(reaches(rows) for _, rows in loops[loops["group"] == group].groupby("mix"))
    histogram = reaches(once[(once["group"] == group) & (once["method"] == "histogram") & (once["evaluated"] == "in_sample")])
    assert loop / histogram >= 12
    assert loop == pytest.approx({"paper": 11, "race_argmax": 6}[group], abs=.5)


def test_the_learner_of_the_experiments_is_useless_at_the_epsilons_of_the_panel():
    """Q is 0 at 100, 150, 200 in both readings of the noise, with both rules for a round's epsilon and at every price. With the noise as
    stated, by the supplement's rule the curve appears between 10^5 and 10^7, by the code's not at 10^8."""
    rows = table("left_literal")
    assert rows.groupby(["noise", "step", "B", "epsilon"])["gamma"].apply(lambda g: np.allclose(g, GAMMAS_FIGURE1, atol=1e-7)).all()
    assert rows["rounds"].max() == LITERAL_ROUNDS < rows["rounds_real"].max() and set(rows["repeats"]) == {30}
    panel = rows[rows["epsilon"] <= 200]
    assert len(panel.groupby(["noise", "step", "B", "epsilon"])) == 2 * 2 * 3 * 3
    assert panel["q"].max() == 0 and panel["error"].min() > 0.39 and (panel["rounds"] < 20).all()
    q = rows[rows["noise"] == "scale"].groupby(["step", "B", "epsilon"])["q"].first()
    assert q.groupby(["step", "B"]).size().eq(8).all() and q["code"].max() == 0
    assert q["supplement", "1/gamma", 1e5] == 0 and 0.4 < q["supplement", "1/gamma", 1e6] < 0.7 < q["supplement", "1/gamma", 1e7]
    assert q["supplement", "1", 1e5] < 0.2 and q["supplement", "1", 1e6] > 0.7


@pytest.mark.parametrize("name", ["left_literal", "left_repaired"])
def test_q_is_that_of_the_stored_curve(name):
    rows = table(name)
    for (group, *_), curve in rows.groupby([c for c in ("group", "mix", "noise", "step", "B", "epsilon") if c in rows]):
        q = pareto_quality(curve[["violation", "error"]].to_numpy(), *left_reference(group))
        assert q == pytest.approx(curve["q"].iloc[0], abs=1e-5)
