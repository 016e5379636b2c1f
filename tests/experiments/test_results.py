"""The stored tables: a random sample of rows is computed again from the seeds, and they show what the book says."""
import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpfair_teach import load
from dpfair_teach.experiments import (
    EPSILONS_FIGURE1,
    EXPERIMENTS,
    GAMMAS_FIGURE1,
    communities_counts,
    free_points,
    held_out_counts,
    pareto_quality,
    setting_rng,
)

RESULTS = Path(__file__).parents[2] / "book" / "results"
TABLES = {table: (name, *rest) for name, e in EXPERIMENTS.items() for table, rest in e.tables.items()}


def stored(table):
    return pd.read_csv(RESULTS / f"{table}.csv")


def test_every_stored_table_belongs_to_an_experiment():
    found = {p.name for p in RESULTS.iterdir()}
    assert found == {f"{t}{end}" for t in TABLES for end in (".csv", ".times.csv", ".provenance.txt")} | {"README.md"}


@pytest.mark.parametrize("table", TABLES)
def test_rows_are_what_the_command_says(table):
    name, settings, _ = TABLES[table]
    rows = stored(table)
    keys = list(settings[0])
    assert rows[keys].drop_duplicates().to_dict("records") == settings
    assert (rows[["repeats", "seed", "version", "command"]].nunique() == 1).all()
    first = rows.iloc[0]
    assert first["command"] == f"python -m dpfair_teach.experiments {name} --repeats {first['repeats']} --seed {first['seed']}"
    assert len(pd.read_csv(RESULTS / f"{table}.times.csv")) == len(settings)


def sample(settings, content):
    """At least four settings, one or more of each kind: kinds differ in anything but epsilon and m. Any byte of the file decides which."""
    chooser = np.random.default_rng(list(hashlib.sha256(content).digest()))
    kinds = {}
    for setting in settings:
        kinds.setdefault(tuple(v for k, v in setting.items() if k not in ("epsilon", "m")), []).append(setting)
    each = -(-4 // len(kinds))
    return [kind[i] for kind in kinds.values() for i in chooser.choice(len(kind), min(each, len(kind)), replace=False)]


@pytest.mark.parametrize("table", TABLES)
def test_the_sample_holds_every_kind_and_moves_with_any_byte(table):
    _, settings, _ = TABLES[table]
    content = (RESULTS / f"{table}.csv").read_bytes()
    chosen = sample(settings, content)
    assert len(chosen) >= 4
    for name in settings[0].keys() - {"epsilon", "m"}:
        assert {s[name] for s in chosen} == {s[name] for s in settings}
    if "evaluated" in settings[0]:
        kinds = [{(s["group"], s["evaluated"], s["method"]) for s in some} for some in (chosen, settings)]
        assert kinds[0] == kinds[1] and len(kinds[0]) >= 2 * 2 * 4
    flipped = [content[:i] + bytes([content[i] ^ 1]) + content[i + 1:] for i in np.linspace(0, len(content) - 1, 50).astype(int)]
    # the smallest sample, four of five settings in some order, is the same by chance once in 120
    assert sum(sample(settings, other) != chosen for other in flipped) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_a_random_sample_of_rows_from_their_seeds(table):
    """Settings of every kind, chosen anew for each version of the table, give the stored rows again (7 digits are stored)."""
    _, settings, evaluate = TABLES[table]
    rows = stored(table)
    for setting in sample(settings, (RESULTS / f"{table}.csv").read_bytes()):
        mine = rows[np.logical_and.reduce([rows[key] == value for key, value in setting.items()])]
        repeats, seed = int(mine["repeats"].iloc[0]), int(mine["seed"].iloc[0])
        again = pd.DataFrame(evaluate(dict(setting), repeats, setting_rng(seed, setting)))
        assert len(again) == len(mine)
        np.testing.assert_allclose(mine[again.columns].to_numpy(float), again.to_numpy(float), rtol=2e-6, atol=1e-9, err_msg=str(setting))


def test_figure1_right_panel():
    rows = stored("figure1_right")
    assert len(rows) == 5 * 72 and rows["repeats"].min() >= 1000
    assert list(rows["epsilon"].unique()) == list(EPSILONS_FIGURE1)
    for epsilon, curve in rows.groupby("epsilon"):
        np.testing.assert_allclose(curve["gamma"], GAMMAS_FIGURE1, atol=1e-7)
        # at gamma = 1 nothing binds: the base classifier
        np.testing.assert_allclose(curve[["error", "violation"]].iloc[-1], [.1269, .2356], atol=5e-5)
        for name in ("error", "violation"):
            assert (curve[f"{name}_low"] <= curve[name]).all() and (curve[name] <= curve[f"{name}_high"]).all()
            assert (curve[f"{name}_high"] - curve[f"{name}_low"]).max() < .002, epsilon
    exact = rows[np.isinf(rows["epsilon"])].iloc[0]
    assert exact["error"] == pytest.approx(.1975, abs=5e-5) and exact["violation"] == pytest.approx(.001)
    assert rows[rows["epsilon"] == 1]["violation"].min() == pytest.approx(.187, abs=.003)
    assert (rows["share_left_out"] == 0).all()


def test_quality_of_the_releases_on_the_default_rule():
    q = stored("communities_q")
    default = q[(q["group"] == "paper") & (q["evaluated"] == "in_sample")].set_index(["method", "epsilon"])["q"]
    assert default["public_margins", 0.25] >= .79 and default["public_margins", 0.5] >= .90
    assert (default["as_printed"][[0.1, 0.25, 0.5, 1.0]] < .05).all()
    assert default["as_printed", 2.0] == pytest.approx(.5, abs=.05) and default["as_printed", 5.0] == pytest.approx(.8, abs=.05)
    assert ((q["q_low"] <= q["q"] + 1e-9) & (q["q"] <= q["q_high"] + 1e-9)).all()


@pytest.mark.parametrize("group", ["paper", "race_argmax"])
@pytest.mark.parametrize("evaluated", ["in_sample", "held_out"])
def test_quality_is_that_of_the_stored_curve(group, evaluated):
    """Both tables come from the same draws, so Q can be computed from the curve; held out, everything is a mean over the 12 splits."""
    curves, q = (rows[(rows["group"] == group) & (rows["evaluated"] == evaluated)]
                 for rows in map(stored, ("communities_curves", "communities_q")))
    points = {key: rows[["violation", "error"]].to_numpy() for key, rows in curves.groupby(["method", "epsilon"])}
    tables = [communities_counts(group)] if evaluated == "in_sample" else held_out_counts(group)[1]
    free = np.mean([free_points(table) for table in tables], axis=0)
    assert len(q) == 24
    for row in q.itertuples():
        again = pareto_quality(points[row.method, row.epsilon], points["not_private", np.inf], free)
        assert again == pytest.approx(row.q, abs=1e-5)


def test_stored_curves_are_where_curves_can_be():
    """Points that Q does not see, being above the hull: no error above that of the worse constant, intervals around their means."""
    rows = stored("communities_curves")
    for group, mine in rows.groupby("group"):
        people = communities_counts(group).sum(axis=(0, 1))
        assert mine["error"].max() < people.max() / people.sum() and mine["error"].min() > 0
    for name in ("error", "violation"):
        assert (rows[f"{name}_low"] <= rows[name] + 1e-9).all() and (rows[name] <= rows[f"{name}_high"] + 1e-9).all()
        assert rows[f"{name}_low"].min() >= 0 and rows[f"{name}_high"].max() <= 1


def test_theorem_2_2_holds_wherever_its_hypothesis_does():
    rows = stored("bound_vs_reality")
    for form in ("printed", "sharp"):
        assert (rows["excess_error"] <= rows[f"error_bound_{form}"]).all()
        promised = rows[rows[f"violation_bound_{form}"].notna()]
        assert (promised["violation"] <= promised[f"violation_bound_{form}"]).all() and len(promised) > 300
    assert (rows["error_bound_printed"] / rows["error_bound_sharp"]).to_numpy() == pytest.approx(3, rel=1e-5)


@pytest.mark.parametrize("table", TABLES)
def test_the_provenance_beside_a_table_is_that_of_the_data_its_settings_read(table):
    name, settings, _ = TABLES[table]
    groups = {"bound_vs_reality": []}.get(name, list(dict.fromkeys(setting.get("group", "paper") for setting in settings)))
    told = "\n\n".join(str(load("communities", group=group).provenance) for group in groups) or "no data set: simulated"
    assert EXPERIMENTS[name].provenance == told
    assert (RESULTS / f"{table}.provenance.txt").read_text(encoding="utf-8") == told + "\n"


def test_the_readme_names_the_bytes_that_the_tables_came_from():
    (name, sha256), = load("communities").provenance.files
    assert f"`{name}`, sha256 `{sha256}`" in (RESULTS / "README.md").read_text(encoding="utf-8")
