"""A study gives the same tables whatever the order, the number of workers or the interruptions; some rows again leave the others alone."""
import multiprocessing
import signal
import time

import joblib
import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from book.studies import study as studies
from book.studies.__main__ import COMMAND, SEED, main
from book.studies.study import Study, code_hash, run, setting_rng, sweep

GRID = [{"epsilon": e, "m": m} for e in (0.5, 1.0, float("inf")) for m in (10, 20)]


def draw(setting, repeats, rng):
    """Two rows a setting, from the setting's stream."""
    values = rng.random(repeats) * setting["m"]
    return [{"gamma": g, "mean": values.mean() + g, "count": np.int64(len(values))} for g in (0.0, 0.5)]


def swept(folder, settings=GRID, evaluate=draw, name="x.csv", **more):
    return sweep(evaluate, settings, out=folder / name, **({"repeats": 5, "seed": 3, "command": "make it", "progress": False} | more))


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_one_row_a_setting_and_gamma_in_the_order_of_the_grid(tmp_path):
    table = swept(tmp_path)
    assert list(table.columns) == ["epsilon", "m", "gamma", "mean", "count", "repeats", "seed", "version", "command"]
    assert table[["epsilon", "m"]].drop_duplicates().to_dict("records") == GRID
    assert len(table) == 12 and set(table["repeats"]) == {5} and set(table["seed"]) == {3}


def test_any_row_can_be_computed_alone(tmp_path):
    table = swept(tmp_path)
    for i in np.random.default_rng(0).choice(len(table), 4, replace=False):
        row = table.iloc[i]
        setting = {"epsilon": row["epsilon"], "m": row["m"]}
        alone = draw(setting, int(row["repeats"]), setting_rng(int(row["seed"]), setting))
        assert next(r["mean"] for r in alone if r["gamma"] == row["gamma"]) == row["mean"]


def test_a_reversed_grid_keeps_the_rows(tmp_path):
    full = swept(tmp_path).set_index(["epsilon", "m", "gamma"])["mean"]
    part = swept(tmp_path, GRID[:1:-1]).set_index(["epsilon", "m", "gamma"])["mean"]
    pd.testing.assert_series_equal(full.loc[part.index], part)


def test_streams_of_different_settings_differ_and_zero_has_one():
    assert len({setting_rng(seed, s).random() for seed in (0, 1) for s in GRID}) == 12
    assert len({setting_rng(1, {"e": zero}).random() for zero in (-0.0, 0.0, 0)}) == 1
    assert setting_rng(7, {"e": 1.0, "m": 10}).random() == setting_rng(7, {"m": 10, "e": 1}).random()


@pytest.mark.slow
def test_files_table_times_and_nothing_left_over(tmp_path):
    table = swept(tmp_path)
    assert names_in(tmp_path) == ["x.csv", "x.times.csv"]
    stored = pd.read_csv(tmp_path / "x.csv")
    np.testing.assert_allclose(stored["mean"], table["mean"], rtol=1e-6)
    assert np.isinf(stored["epsilon"]).sum() == 4 and "seconds" not in stored.columns
    assert list(pd.read_csv(tmp_path / "x.times.csv").columns) == ["epsilon", "m", "seconds"]
    before = (tmp_path / "x.csv").read_bytes()
    swept(tmp_path, jobs=2)
    assert (tmp_path / "x.csv").read_bytes() == before


class Stop(Exception):
    pass


def stopped(folder, after=3, **more):
    """A run that is stopped after some settings."""
    left = [after]

    def stops(setting, repeats, rng):
        if left[0] == 0:
            raise Stop
        left[0] -= 1
        return draw(setting, repeats, rng)

    with pytest.raises(Stop):
        swept(folder, evaluate=stops, **more)


def goes_on(folder, **more):
    """The table of the next run, and the settings that it computed."""
    again = []

    def counts(setting, repeats, rng):
        again.append(setting)
        return draw(setting, repeats, rng)
    return swept(folder, evaluate=counts, **more), again


def test_a_stopped_run_continues_where_it_was(tmp_path):
    stopped(tmp_path)
    assert names_in(tmp_path) == ["x.unfinished"]
    table, again = goes_on(tmp_path)
    assert again == GRID[3:] and names_in(tmp_path) == ["x.csv", "x.times.csv"]
    pd.testing.assert_frame_equal(table, swept(tmp_path))


@pytest.mark.parametrize("other", [{"seed": 4}, {"repeats": 6}])
def test_rows_of_another_run_are_not_mixed_in(tmp_path, other):
    stopped(tmp_path)
    table, again = goes_on(tmp_path, **other)
    assert again == GRID
    pd.testing.assert_frame_equal(table, swept(tmp_path, **other))


def test_rows_of_other_code_are_not_mixed_in(tmp_path, monkeypatch):
    stopped(tmp_path)
    monkeypatch.setattr(studies, "code_hash", lambda: "other")
    assert goes_on(tmp_path)[1] == GRID


def test_the_code_is_the_library_s_and_the_studies_names_and_contents(tmp_path, monkeypatch):
    library, mine = tmp_path / "library", tmp_path / "studies"
    for folder in (library, mine):
        folder.mkdir()
        (folder / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(studies, "__file__", str(mine / "study.py"))
    monkeypatch.setattr(studies.dpfair_teach, "__file__", str(library / "__init__.py"))
    hashes = [code_hash()]
    (mine / "a.py").write_text("x = 2\n")
    hashes.append(code_hash())
    (library / "a.py").rename(library / "b.py")
    hashes.append(code_hash())
    (library / "table.csv").write_text("")
    assert len(set(hashes)) == 3 and code_hash() == hashes[-1]


def test_killed_in_the_middle_it_continues(tmp_path):
    """A real SIGKILL: the next run computes only the rest, and the file equals that of an undisturbed run."""
    grid = [{"i": i} for i in range(20)]
    calls = []

    def evaluate(setting, repeats, rng):
        calls.append(setting["i"])
        time.sleep(wait)
        return [{"value": rng.random()}]

    wait = 0.1
    child = multiprocessing.get_context("fork").Process(target=swept, args=(tmp_path, grid, evaluate))
    child.start()
    deadline = time.monotonic() + 60
    while len(list(tmp_path.rglob("output.pkl"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.005)
    child.kill()
    child.join()
    kept = len(list(tmp_path.rglob("output.pkl")))
    assert child.exitcode == -signal.SIGKILL and 3 <= kept < 20

    wait = 0
    swept(tmp_path, grid, evaluate)
    assert calls == list(range(kept, 20))
    swept(tmp_path, grid, evaluate, name="y.csv")
    assert (tmp_path / "x.csv").read_bytes() == (tmp_path / "y.csv").read_bytes()


def where(setting, repeats, rng):
    from distributed import get_worker
    try:
        get_worker()
        on_cluster = 1
    except ValueError:
        on_cluster = 0
    return [{"value": rng.random(), "on_cluster": on_cluster}]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the cluster's own
def test_a_dask_cluster_gives_the_table_of_one_worker(tmp_path):
    distributed = pytest.importorskip("distributed")
    settings = [{"i": i} for i in range(6)]
    alone = swept(tmp_path, settings, where)
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None):
        with joblib.parallel_config(backend="dask"):
            cluster = swept(tmp_path, settings, where, jobs=2)
    pd.testing.assert_frame_equal(cluster.drop(columns="on_cluster"), alone.drop(columns="on_cluster"))
    assert set(alone["on_cluster"]) == {0} and set(cluster["on_cluster"]) == {1}


def threads(setting, repeats, rng):
    return [{"threads": max(pool["num_threads"] for pool in threadpool_info())}]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_setting_is_computed_on_one_thread(tmp_path, jobs):
    """With one worker too: more threads round sums otherwise."""
    with threadpool_limits(3):
        assert set(swept(tmp_path, GRID[:2], threads, jobs=jobs)["threads"]) == {1}


def fails(setting, repeats, rng):
    if setting["m"] == 20:
        raise ZeroDivisionError("in evaluate")
    return [{"mean": 1.0}]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_study_raises_names_the_setting(tmp_path, jobs):
    with pytest.raises(ZeroDivisionError, match="in evaluate") as raised:
        swept(tmp_path, GRID[:2], fails, jobs=jobs)
    assert raised.value.__notes__ == ["while computing the setting {'epsilon': 0.5, 'm': 20}"]


@pytest.mark.parametrize(("settings", "evaluate", "match"), [
    ([{"m": 1}, {"m": 1.0}], draw, "two of them are equal"),
    (GRID, lambda s, n, rng: [{"a": 1, "b": 2}, {"a": 1}], "other columns"),
    (GRID, lambda s, n, rng: [{"mean": 1.0} if s == GRID[1] else {"median": 1.0}], "other columns"),
    (GRID, lambda s, n, rng: [{"epsilon": 2.0}], "one that a setting has too"),
    (GRID, lambda s, n, rng: [{"seed": 1}], "one that a setting has too"),
    ([*GRID, {"m": 3}], lambda s, n, rng: [{"a": 1}], "other columns")])
def test_nothing_is_filled_in_or_replaced(tmp_path, settings, evaluate, match):
    with pytest.raises(ValueError, match=match):
        swept(tmp_path, settings, evaluate)
    assert not (tmp_path / "x.csv").exists()


# ------------------------------------------------------------------------------------------------------- some rows again

SETTINGS = [{"who": who, "epsilon": epsilon} for who in ("a", "b") for epsilon in (0.1, float("inf"))]
HOW = {"command": "here", "seed": 1, "progress": False}


def drawn(shift=0.0):
    def evaluate(setting, repeats, rng):
        return [{"draw": i, "mean": shift + rng.normal(size=repeats).mean()} for i in range(2)]
    return evaluate


def study(settings, shift=0.0):
    return Study("Means.", 30, {"means": (settings, drawn(shift))})


def test_a_table_that_grew_is_that_of_a_whole_run(tmp_path):
    run(study(SETTINGS[:2] + SETTINGS[3:]), tmp_path, **HOW)
    found = run(study(SETTINGS), tmp_path, only={"who": ["b"], "epsilon": ["0.1"]}, **HOW)["means"]
    grown = (tmp_path / "means.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["means.csv", "means.provenance.txt", "means.times.csv"]
    whole = run(study(SETTINGS), tmp_path, **HOW)["means"]
    assert (tmp_path / "means.csv").read_bytes() == grown and np.allclose(found["mean"], whole["mean"])
    assert len(pd.read_csv(tmp_path / "means.times.csv")) == 4


def test_only_the_chosen_rows_change(tmp_path):
    run(study(SETTINGS), tmp_path, **HOW)
    before = (tmp_path / "means.csv").read_text().splitlines()
    run(study(SETTINGS, shift=5.0), tmp_path, only={"epsilon": ["inf"]}, **HOW)
    after = (tmp_path / "means.csv").read_text().splitlines()
    same = [one == other for one, other in zip(before, after, strict=True)]
    assert same == [True, *[True, True, False, False] * 2]


def test_a_table_of_the_study_in_which_nothing_is_chosen_stays_as_it_is(tmp_path):
    """One table has rows of a and b, the other of c by another column: each may be named without the other."""
    both = Study("Two.", 30, {"means": (SETTINGS, drawn()), "others": ([{"who": "c", "size": 1}], drawn())})
    run(both, tmp_path, **HOW)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if ".times." not in path.name}
    changed = Study("Two.", 30, {"means": (SETTINGS, drawn(5.0)), "others": ([{"who": "c", "size": 1}], drawn(5.0))})
    for only, written in (({"who": ["b"]}, "means"), ({"size": ["1"]}, "others")):
        assert list(run(changed, tmp_path, only=only, **HOW)) == [written]
        after = {path.name: path.read_bytes() for path in tmp_path.iterdir() if ".times." not in path.name}
        assert [name for name in after if after[name] != before[name]] == [f"{written}.csv"]
        before = after


@pytest.mark.parametrize(("settings", "only", "how", "match"), [
    (SETTINGS, {"who": ["c"]}, HOW, r"^only=who=c: is in no setting\. There are a, b\.$"),
    (SETTINGS, {"what": ["c"]}, HOW, r"^only=.*There are no such columns"),
    (SETTINGS, {"who": ["a"]}, HOW | {"seed": 2}, r"^out=.*has rows of another (seed|command)"),
    ([*SETTINGS, {"who": "c", "epsilon": 0.1}], {"who": ["a"]}, HOW, r"^only: .*'c'.*is a setting without stored rows")])
def test_what_does_not_fit_is_refused(tmp_path, settings, only, how, match):
    run(study(SETTINGS), tmp_path, **HOW)
    before = (tmp_path / "means.csv").read_bytes()
    with pytest.raises(ValueError, match=match):
        run(study(settings), tmp_path, only=only, **how)
    assert (tmp_path / "means.csv").read_bytes() == before and len(list(tmp_path.iterdir())) == 3     # nothing was computed


def test_without_a_table_there_is_nothing_to_renew(tmp_path):
    with pytest.raises(ValueError, match=r"^out=.*no table is stored there\. Run the study whole first"):
        run(study(SETTINGS), tmp_path, only={"who": ["a"]}, **HOW)


def test_the_command_line_has_it(tmp_path, capsys):
    def typed(*arguments, shift=0.0):
        return main(["means", "--quiet", "--out", str(tmp_path), *arguments], {"means": study(SETTINGS, shift)})
    assert typed() == 0 and typed("--only", "who=a,b", "--only", "epsilon=inf") == 0
    before = (tmp_path / "means.csv").read_text().splitlines()
    assert before[1].endswith(f"{COMMAND} means --repeats 30 --seed {SEED}")
    assert typed("--only", "who=a", "--only", "who=b", shift=5.0) == 0      # a column named twice: the rows of both
    assert not set(before[1:]) & set((tmp_path / "means.csv").read_text().splitlines())
    with pytest.raises(SystemExit):
        typed("--only", "who")
    assert "--only who: give a column and values, as in method=" in capsys.readouterr().err
