"""A sweep gives the same table whatever the order, the number of workers or the interruptions."""
import json
import multiprocessing
import signal
import time

import numpy as np
import pandas as pd
import pytest

from dpfair_teach.experiments import setting_rng, sweep

GRID = [{"epsilon": e, "m": m} for e in (0.5, 1.0, float("inf")) for m in (10, 20)]


def draw(setting, repeats, rng):
    """Two rows a setting, from the setting's stream."""
    values = rng.random(repeats) * setting["m"]
    return [{"gamma": g, "mean": values.mean() + g, "count": np.int64(len(values))} for g in (0.0, 0.5)]


def run(settings=GRID, evaluate=draw, **more):
    return sweep(evaluate, settings, **({"repeats": 5, "seed": 3, "command": "make it", "progress": False} | more))


def test_one_row_a_setting_and_gamma_in_the_order_of_the_grid():
    table = run()
    assert list(table.columns) == ["epsilon", "m", "gamma", "mean", "count", "repeats", "seed", "version", "command"]
    assert table[["epsilon", "m"]].drop_duplicates().to_dict("records") == GRID
    assert len(table) == 12 and set(table["repeats"]) == {5} and set(table["seed"]) == {3}


def test_any_row_can_be_computed_alone():
    table = run()
    for i in np.random.default_rng(0).choice(len(table), 4, replace=False):
        row = table.iloc[i]
        setting = {"epsilon": row["epsilon"], "m": row["m"]}
        alone = draw(setting, int(row["repeats"]), setting_rng(int(row["seed"]), setting))
        assert next(r["mean"] for r in alone if r["gamma"] == row["gamma"]) == row["mean"]


def test_a_larger_grid_keeps_old_rows_and_a_reversed_one_too():
    full = run().set_index(["epsilon", "m", "gamma"])["mean"]
    part = run(GRID[:1:-1]).set_index(["epsilon", "m", "gamma"])["mean"]
    pd.testing.assert_series_equal(full.loc[part.index], part)


def test_streams_of_different_settings_differ():
    first = [setting_rng(0, s).random() for s in GRID] + [setting_rng(1, s).random() for s in GRID]
    assert len(set(first)) == 12


def test_files_table_times_and_nothing_left_over(tmp_path):
    table = run(out=tmp_path / "x.csv")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.csv", "x.times.csv"]
    stored = pd.read_csv(tmp_path / "x.csv")
    np.testing.assert_allclose(stored["mean"], table["mean"], rtol=1e-6)
    assert np.isinf(stored["epsilon"]).sum() == 4
    assert list(pd.read_csv(tmp_path / "x.times.csv").columns) == ["epsilon", "m", "seconds"]
    assert "seconds" not in stored.columns
    before = (tmp_path / "x.csv").read_bytes()
    run(out=tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == before


@pytest.mark.parametrize("torn", [b"", b'{"setting": {"epsilon": 1.0, "m"'])
def test_a_stopped_run_continues_where_it_was(tmp_path, torn):
    class Stop(Exception):
        pass

    seen = []

    def stops(setting, repeats, rng):
        if len(seen) == 3:
            raise Stop
        seen.append(setting)
        return draw(setting, repeats, rng)

    with pytest.raises(Stop):
        run(evaluate=stops, out=tmp_path / "x.csv")
    partial = tmp_path / "x.partial.jsonl"
    assert len(partial.read_text().splitlines()) == 4 and not (tmp_path / "x.csv").exists()
    with open(partial, "ab") as file:
        file.write(torn)

    again = []

    def counts(setting, repeats, rng):
        again.append(setting)
        return draw(setting, repeats, rng)

    table = run(evaluate=counts, out=tmp_path / "x.csv")
    assert [s for s in GRID if s not in again] == seen and len(again) == 3
    pd.testing.assert_frame_equal(table, run())
    assert not partial.exists()


def test_rows_of_another_run_are_not_mixed_in(tmp_path):
    (tmp_path / "x.partial.jsonl").write_text(
        json.dumps({"seed": 4, "repeats": 5, "version": "0", "command": "make it"}) + "\n")
    with pytest.raises(ValueError, match="another run"):
        run(out=tmp_path / "x.csv")


def test_unreadable_rows_are_an_error_not_a_loss(tmp_path):
    (tmp_path / "x.partial.jsonl").write_text("no json\n")
    with pytest.raises(ValueError, match="cannot be read"):
        run(out=tmp_path / "x.csv")


def test_killed_in_the_middle_it_continues(tmp_path):
    """A real SIGKILL: the next run computes only the rest, and the file equals that of an undisturbed run."""
    grid = [{"i": i} for i in range(20)]
    calls = []

    def evaluate(setting, repeats, rng):
        calls.append(setting["i"])
        time.sleep(wait)
        return [{"value": rng.random()}]

    wait = 0.1
    child = multiprocessing.get_context("fork").Process(target=run, args=(grid, evaluate), kwargs={"out": tmp_path / "x.csv"})
    child.start()
    partial = tmp_path / "x.partial.jsonl"
    deadline = time.monotonic() + 60
    while (not partial.exists() or len(partial.read_bytes().splitlines()) < 4) and time.monotonic() < deadline:
        time.sleep(0.005)
    child.kill()
    child.join()
    stored = partial.read_bytes().count(b"\n") - 1
    assert child.exitcode == -signal.SIGKILL and 3 <= stored < 20

    wait = 0
    run(grid, evaluate, out=tmp_path / "x.csv")
    assert calls == list(range(stored, 20))
    run(grid, evaluate, out=tmp_path / "y.csv")
    assert (tmp_path / "x.csv").read_bytes() == (tmp_path / "y.csv").read_bytes()


@pytest.mark.parametrize("wrong, name", [
    ({"evaluate": 3}, "evaluate"), ({"evaluate": lambda s, r, g: []}, "evaluate"), ({"evaluate": lambda s, r, g: [1]}, "evaluate"),
    ({"settings": []}, "settings"), ({"settings": [{}]}, "settings"), ({"settings": [{"e": None}]}, "settings"),
    ({"settings": [{"e": float("nan")}]}, "settings"), ({"settings": [{"e": 1}, {"e": 1.0}]}, "settings"),
    ({"settings": "ab"}, "settings"), ({"repeats": 0}, "repeats"), ({"seed": -1}, "seed"), ({"seed": None}, "seed"),
    ({"jobs": 0}, "jobs"), ({"jobs": 1.5}, "jobs"), ({"command": None}, "command"), ({"out": 3}, "out"),
    ({"out": "table.txt"}, "out"), ({"out": "no-such-folder/x.csv"}, "out"),
])
def test_bad_input(wrong, name):
    with pytest.raises(ValueError, match=name):
        run(**wrong)


def test_rows_that_cannot_be_stored(tmp_path):
    with pytest.raises(ValueError, match="evaluate"):
        run(evaluate=lambda s, r, g: [{"x": object()}], out=tmp_path / "x.csv")
