"""A sweep gives the same table whatever the order, the number of workers or the interruptions."""
import multiprocessing
import os
import signal
import time

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from dpfair_teach.experiments import runner, setting_rng, sweep
from dpfair_teach.experiments._unfinished import source_hash

GRID = [{"epsilon": e, "m": m} for e in (0.5, 1.0, float("inf")) for m in (10, 20)]


def draw(setting, repeats, rng):
    """Two rows a setting, from the setting's stream."""
    values = rng.random(repeats) * setting["m"]
    return [{"gamma": g, "mean": values.mean() + g, "count": np.int64(len(values))} for g in (0.0, 0.5)]


def run(settings=GRID, evaluate=draw, **more):
    return sweep(evaluate, settings, **({"repeats": 5, "seed": 3, "command": "make it", "progress": False} | more))


class Stop(Exception):
    pass


def stopped(folder, after=3, **more):
    """The file that a run leaves behind when it is stopped after some settings."""
    left = [after]

    def stops(setting, repeats, rng):
        if left[0] == 0:
            raise Stop
        left[0] -= 1
        return draw(setting, repeats, rng)

    with pytest.raises(Stop):
        run(evaluate=stops, out=folder / "x.csv", **more)
    return folder / "x.partial.jsonl"


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
    partial = stopped(tmp_path)
    assert len(partial.read_text().splitlines()) == 4 and not (tmp_path / "x.csv").exists()
    with open(partial, "ab") as file:
        file.write(torn)

    again = []

    def counts(setting, repeats, rng):
        again.append(setting)
        return draw(setting, repeats, rng)

    table = run(evaluate=counts, out=tmp_path / "x.csv")
    assert again == GRID[3:]
    pd.testing.assert_frame_equal(table, run())
    assert not partial.exists()


@pytest.mark.parametrize("other, named", [({"seed": 4}, "seed"), ({"repeats": 6}, "repeats"), ({"command": "c" * 500}, "command"),
                                          ({"settings": GRID[:5]}, "settings"), ({"seed": 4, "repeats": 6}, "repeats, seed")])
def test_rows_of_another_run_are_not_mixed_in(tmp_path, other, named):
    before = stopped(tmp_path).read_bytes()
    with pytest.raises(ValueError, match=f"another run: {named} differ") as refusal:
        run(out=tmp_path / "x.csv", **other)
    assert len(str(refusal.value)) < 300
    assert [p.name for p in tmp_path.iterdir()] == ["x.partial.jsonl"] and (tmp_path / "x.partial.jsonl").read_bytes() == before


@pytest.mark.parametrize("name, changed", [("__version__", "version"), ("source_hash", "package")])
def test_rows_of_other_code_are_not_mixed_in(tmp_path, monkeypatch, name, changed):
    stopped(tmp_path)
    monkeypatch.setattr(runner, name, {"__version__": "0", "source_hash": lambda package: "other"}[name])
    with pytest.raises(ValueError, match=f"another run: {changed} differ"):
        run(out=tmp_path / "x.csv")


def test_the_source_hash_sees_names_and_contents(tmp_path):
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.py").write_text("x = 1\n")
    hashes = [source_hash(tmp_path)]
    (tmp_path / "room" / "a.py").write_text("x = 2\n")
    hashes.append(source_hash(tmp_path))
    (tmp_path / "room" / "a.py").rename(tmp_path / "room" / "b.py")
    hashes.append(source_hash(tmp_path))
    (tmp_path / "room" / "table.csv").write_text("")
    assert len(set(hashes)) == 3 and source_hash(tmp_path) == hashes[-1]


def digit(lines, row):
    """One digit of the stored mean changed."""
    at = lines[row].index(b'"mean": ') + len(b'"mean": 0.12')
    return lines[:row] + [lines[row][:at] + bytes([lines[row][at] ^ 1]) + lines[row][at + 1:]] + lines[row + 1:]


@pytest.mark.parametrize("spoil", [
    lambda lines: [b"no json"], lambda lines: [b'{"seed": 3, "repeats": 5}'], lambda lines: [*lines, b'{"foo": 1}'],
    lambda lines: [*lines, b"[1, 2]"], lambda lines: [*lines, b"\xff\xfe"], lambda lines: [*lines, b""],
    lambda lines: digit(lines, 1), lambda lines: digit(lines, 3), lambda lines: lines[1:],
])
def test_rows_that_were_changed_are_refused_not_read_and_not_lost(tmp_path, spoil):
    partial = stopped(tmp_path)
    spoiled = b"\n".join(spoil(partial.read_bytes().splitlines())) + b"\n"
    assert spoiled != partial.read_bytes()
    partial.write_bytes(spoiled)
    with pytest.raises(ValueError, match=r"out=.*cannot be read"):
        run(out=tmp_path / "x.csv")
    assert partial.read_bytes() == spoiled and not (tmp_path / "x.csv").exists()


def test_a_row_of_another_run_fits_no_header_but_its_own(tmp_path):
    """A line with a right checksum, taken from a run with another seed."""
    (tmp_path / "other").mkdir()
    line = stopped(tmp_path / "other", seed=4).read_bytes().splitlines()[1]
    with open(stopped(tmp_path), "ab") as file:
        file.write(line + b"\n")
    with pytest.raises(ValueError, match=r"line 5 .*cannot be read"):
        run(out=tmp_path / "x.csv")


@pytest.mark.parametrize("name", ["x.partial.jsonl", "x.lock", "x.csv"])
def test_a_folder_in_the_way_is_refused(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(ValueError, match="out="):
        run(out=tmp_path / "x.csv")
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_two_runs_at_once_are_refused_with_the_number_of_the_first(tmp_path):
    """The second run is a process of its own; the first waits for it in the middle of a setting."""
    fork = multiprocessing.get_context("fork")
    answers = fork.Queue()

    def second():
        try:
            run(out=tmp_path / "x.csv")
            answers.put("ran")
        except ValueError as refusal:
            answers.put(str(refusal))

    said = []

    def waits(setting, repeats, rng):
        if not said:
            child = fork.Process(target=second)
            child.start()
            said.append(answers.get(timeout=60))
            child.join()
        return draw(setting, repeats, rng)

    table = run(evaluate=waits, out=tmp_path / "x.csv")
    assert f"process {os.getpid()} is writing" in said[0]
    pd.testing.assert_frame_equal(table, run())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.csv", "x.times.csv"]


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path):
    (tmp_path / "x.lock").write_text(f"{os.getpid()}\n")  # whatever number it holds: nobody holds the file
    run(out=tmp_path / "x.csv")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.csv", "x.times.csv"]


@pytest.mark.parametrize("row", [{"epsilon": 2.0}, {"seed": 1}, {"command": "mine"}, {3: 1.0}])
@pytest.mark.parametrize("out", [None, "x.csv"])
def test_a_row_may_not_rename_or_replace_a_column(tmp_path, row, out):
    with pytest.raises(ValueError, match="evaluate="):
        run(evaluate=lambda s, r, g: [row], out=out and tmp_path / out)


@pytest.mark.parametrize("name", ["repeats", "seed", "version", "command", "seconds"])
def test_a_setting_may_not_replace_a_column(name):
    with pytest.raises(ValueError, match=f"settings=.*{name}"):
        run([{name: 1}])


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


@pytest.mark.parametrize("value", [object(), None, [1.0], np.ones(2), 1j, np.datetime64("2020-01-01")])
@pytest.mark.parametrize("out", [None, "x.csv"])
def test_rows_that_cannot_be_stored(tmp_path, value, out):
    with pytest.raises(ValueError, match="evaluate"):
        run(evaluate=lambda s, r, g: [{"x": value}], out=out and tmp_path / out)


def test_values_are_plain_with_a_file_and_without(tmp_path):
    def evaluate(setting, repeats, rng):
        return [{"n": np.int64(3), "x": np.float32(0.5), "name": np.str_("a"), "yes": np.bool_(True)}]
    pd.testing.assert_frame_equal(run(evaluate=evaluate), run(evaluate=evaluate, out=tmp_path / "x.csv"))


def test_zero_has_one_stream():
    assert setting_rng(1, {"e": -0.0}).random() == setting_rng(1, {"e": 0.0}).random() == setting_rng(1, {"e": 0}).random()
    with pytest.raises(ValueError, match="stands there twice"):
        run([{"e": 0.0}, {"e": -0.0}])


def other_columns(setting, repeats, rng):
    return [{"mean": 1.0} if setting == GRID[1] else {"median": 1.0}]


def test_rows_with_other_columns_are_not_filled_up(tmp_path):
    with pytest.raises(ValueError, match=r"^evaluate=\['(mean|median)'\]: the columns of a row of .*; other rows have \['me(dian|an)'\]"):
        run(evaluate=other_columns)
    with pytest.raises(ValueError, match="the columns of a row"):
        run(evaluate=lambda setting, repeats, rng: [{"a": 1, "b": 2}, {"a": 1}])
    with pytest.raises(ValueError, match=r"^settings=\{'m': 3\}: has other names than the first, \['epsilon', 'm'\]"):
        run([*GRID, {"m": 3}])
    stopped(tmp_path, after=1)                      # rows from a file count too
    with pytest.raises(ValueError, match=r"other rows have \['count', 'gamma', 'mean'\]"):
        run(evaluate=lambda setting, repeats, rng: [{"mean": 1.0}], out=tmp_path / "x.csv")


def threads(setting, repeats, rng):
    return [{"threads": max(pool["num_threads"] for pool in threadpool_info())}]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_setting_is_computed_on_one_thread(jobs):
    """With one worker too: more threads round sums otherwise."""
    with threadpool_limits(3):
        assert set(run(GRID[:2], evaluate=threads, jobs=jobs)["threads"]) == {1}


def fails(setting, repeats, rng):
    if setting["m"] == 20:
        raise ZeroDivisionError("in evaluate")
    return [{"mean": 1.0}]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_evaluate_raises_names_the_setting(jobs):
    with pytest.raises(ZeroDivisionError, match="in evaluate") as raised:
        run(GRID[:2], evaluate=fails, jobs=jobs)
    assert raised.value.__notes__ == ["while evaluate computed the setting {'epsilon': 0.5, 'm': 20}"]
