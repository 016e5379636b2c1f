"""Run a function over a grid of settings: in parallel, with progress, resumable, and repeatable row by row.

Each setting gets a random stream of its own, keyed by the setting itself and not by its place in the grid. So the order in
which workers finish does not matter, a grid can grow without changing old rows, and any row can be computed again alone.
"""
from __future__ import annotations

import functools
import hashlib
import inspect
import json
import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from .. import __version__
from .. import _checks as check
from ._unfinished import Unfinished, alone, source_hash, text_hash

__all__ = ["setting_rng", "sweep"]

Setting = Mapping[str, Any]
Row = dict[str, Any]

#: Columns that the tables have beside those of settings and rows.
_OWN_COLUMNS = frozenset({"repeats", "seed", "version", "command", "seconds"})


def _setting(value: object, name: str = "setting") -> dict[str, Any]:
    """A setting: names to numbers or strings, in plain Python types."""
    if not isinstance(value, Mapping) or not value or not all(isinstance(k, str) for k in value):
        check.refuse(name, value, "not a mapping from names to values", "Give a dict such as {'epsilon': 1.0}.")
    plain: dict[str, Any] = {}
    for key, entry in value.items():
        if isinstance(entry, str):
            plain[key] = str(entry)
        elif isinstance(entry, (int, np.integer)) and not isinstance(entry, bool) and abs(int(entry)) <= 2**53:
            plain[key] = int(entry)
        elif isinstance(entry, (float, np.floating)) and not math.isnan(entry):
            plain[key] = float(entry) + 0.0     # -0.0 is 0.0
        else:
            check.refuse(f"{name}[{key!r}]", entry, "not a string or a number of ordinary size",
                          "Settings hold plain values only.")
    return plain


def _key(setting: Setting) -> str:
    """The setting as text: the same for the same setting, whatever the order of its names; 1 and 1.0 are one number."""
    return json.dumps({k: v if isinstance(v, str) else float(v) for k, v in setting.items()}, sort_keys=True)


def setting_rng(seed: int, setting: Setting) -> np.random.Generator:
    """The random stream of one setting: ``SeedSequence(seed)`` with a spawn key that is a hash of the setting.

    Source: none in the papers; numpy's ``SeedSequence``, whose spawn keys make independent streams.

    Parameters
    ----------
    seed : int
        The sweep's seed, 0 to 2**63 - 1.
    setting : mapping
        Names to numbers or strings.

    Returns
    -------
    numpy.random.Generator
        The same for equal settings, independent for different ones.

    Raises
    ------
    ValueError
        Where ``seed`` is no whole number from 0 to 2**63 - 1, or ``setting`` holds something else than numbers and strings.

    Examples
    --------
    >>> a, b = setting_rng(7, {"epsilon": 1.0, "m": 10}), setting_rng(7, {"m": 10, "epsilon": 1})
    >>> a.random() == b.random()
    True
    >>> setting_rng(7, {"epsilon": 2.0}).random() == setting_rng(7, {"epsilon": 1.0}).random()
    False
    """
    seed = check.integer("seed", seed, low=0, high=2**63 - 1)
    digest = hashlib.sha256(_key(_setting(setting)).encode()).digest()
    words = tuple(int(word) for word in np.frombuffer(digest[:16], dtype="<u4"))
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))


def _timed(evaluate: Callable, setting: dict, repeats: int, seed: int) -> tuple[dict, list[Row], float]:
    """One task: runs in a worker, so it takes and gives plain data only.

    On one thread, as joblib has it where there are as many workers as cores: sums of several are rounded otherwise, and threads that wait
    for each other on a busy machine take many times as long. So a table's digits do not depend on ``jobs``.
    """
    start = time.perf_counter()
    try:
        with threadpool_limits(1):
            rows = evaluate(dict(setting), repeats, setting_rng(seed, setting))
    except Exception as problem:
        problem.add_note(f"while evaluate computed the setting {setting}")
        raise
    return setting, rows, time.perf_counter() - start


def _rows(rows: object, setting: Setting, taken: set[str]) -> list[Row]:
    """What ``evaluate`` returned, in plain Python types: rows that come back from a file are equal to those that never were in one."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        check.refuse("evaluate", rows, f"returned no list of rows for {setting}", "Return a list of dicts.")
    return [{_column(key, taken): _plain(value) for key, value in row.items()} for row in rows]


def _column(key: object, taken: set[str]) -> str:
    if not isinstance(key, str) or key in taken:
        check.refuse("evaluate", key, "its rows give a column a name that is no string, or that the table has already",
                      f"Choose other names than {', '.join(sorted(taken))}.")
    return key


def _plain(value: object) -> object:
    """A number or a string; numpy's as Python's."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, (str, int, float)):
        check.refuse("evaluate", value, "its rows hold something else than numbers and strings", "Return plain values.")
    return plain


def write(path: Path, table: pd.DataFrame) -> None:
    """A table as CSV in one step: a reader sees the old file or the new one, never half of it."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    table.to_csv(new, index=False, float_format="%.7g", lineterminator="\n")
    os.replace(new, path)


def _check_evaluate(evaluate: Any) -> None:
    try:
        inspect.signature(evaluate).bind({}, 1, None)
    except (TypeError, ValueError):
        check.refuse("evaluate", evaluate, "cannot be called with (setting, repeats, rng)",
                      "Give a function of those three that returns a list of rows.")


def _grid(settings: object) -> dict[str, dict[str, Any]]:
    """The settings by key, in their order, each once."""
    if isinstance(settings, (str, bytes, Mapping)) or not isinstance(settings, Sequence) or not settings:
        check.refuse("settings", settings, "not a non-empty list of settings", "Give a list of dicts.")
    grid = {}
    for i, setting in enumerate(settings):
        plain = _setting(setting, f"settings[{i}]")
        if _key(plain) in grid:
            check.refuse("settings", plain, "stands there twice", "Each setting once: its rows are keyed by it.")
        if not _OWN_COLUMNS.isdisjoint(plain):
            check.refuse("settings", plain, "gives a name that the tables use themselves",
                          f"Choose other names than {', '.join(sorted(_OWN_COLUMNS))}.")
        grid[_key(plain)] = plain
        names = sorted(next(iter(grid.values())))
        if sorted(plain) != names:
            check.refuse("settings", plain, f"has other names than the first, {names}", "Give all settings the same names.")
    return grid


def _source_of(evaluate: Callable) -> str:
    """One hash of the file that a function is from, or of its package; empty for one that is from no file."""
    function = inspect.unwrap(evaluate.func if isinstance(evaluate, functools.partial) else evaluate)
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        return ""
    return source_hash(Path(file).parent) if module.__package__ else text_hash([Path(file).read_text(encoding="utf-8")])


def _check_jobs(jobs: object) -> None:
    if check.integer("jobs", jobs, low=-1, high=1024) == 0:
        check.refuse("jobs", jobs, "no worker", "Give 1 or more, or -1 for one a core.")


def _csv(out: object) -> Path | None:
    """The file to write, in a folder that exists; None for none."""
    if out is None:
        return None
    if not isinstance(out, (str, Path)):
        check.refuse("out", out, "not a path", "Give a file name that ends in .csv, or None.")
    path = Path(out)
    if path.suffix != ".csv" or "\0" in str(path) or os.path.isdir(path) or not os.path.isdir(path.parent):
        check.refuse("out", str(out), "not a .csv file in a folder that exists", "Make the folder, name the file *.csv.")
    return path


def sweep(evaluate: Callable[[dict, int, np.random.Generator], list[Row]], settings: Sequence[Setting], *, repeats: int,
          seed: int, command: str, out: str | Path | None = None, jobs: int = 1, progress: bool = True) -> pd.DataFrame:
    """Evaluate every setting and return one table, in the order of ``settings``.

    With ``out`` the table is written there as CSV and the seconds of each setting beside it, in ``<name>.times.csv``: times
    differ from run to run, the table does not. While it runs, finished rows are appended to ``<name>.partial.jsonl``; started
    again after a kill, the sweep reads them and computes only what is missing, provided that the arguments, the package's source and
    that of ``evaluate`` are the same: its file, with all of its package where it is in one. ``<name>.lock`` keeps a second run out.
    Both are removed at the end.

    The work goes through joblib, so a cluster works by its context manager:
    ``with joblib.parallel_config(backend="dask"): sweep(...)``.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    evaluate : callable (setting, repeats, rng) -> list of rows
        Computes all repeats of a setting at once, as arrays, and returns one dict a row (one for each gamma, say).
        It must be importable by workers: a function of a module or a ``functools.partial`` of one.
    settings : sequence of mappings
        Names to numbers or strings, all different, at least one.
    repeats : int
        Noise draws for each setting, 1 to ten million.
    seed : int
        From 0 to 2**63 - 1; :func:`setting_rng` makes each setting's stream from it.
    command : str
        What to type to get the table again; stored in each row.
    out : path, optional
        A CSV file to write.
    jobs : int
        Workers, 1 to 1024; -1 for one a core.
    progress : bool
        Show a bar on stderr.

    Returns
    -------
    pandas.DataFrame
        The setting's columns, those of the rows, then ``repeats, seed, version, command``.

    Raises
    ------
    ValueError
        Where an argument has the wrong type or range, two settings are equal or have different names, ``evaluate`` returns no rows,
        rows of different columns, or a column with a name that is taken, the file of finished rows is another run's or was changed, or
        another process writes the same table. What ``evaluate`` raises is raised, with a note that names the setting.

    Examples
    --------
    >>> def mean_noise(setting, repeats, rng):
    ...     return [{"mean": rng.laplace(scale=1 / setting["epsilon"], size=repeats).mean().round(2)}]
    >>> table = sweep(mean_noise, [{"epsilon": 1.0}, {"epsilon": 2.0}], repeats=10_000, seed=1, command="", progress=False)
    >>> list(table.columns)
    ['epsilon', 'mean', 'repeats', 'seed', 'version', 'command']
    >>> len(table)
    2
    """
    _check_evaluate(evaluate)
    grid = _grid(settings)
    repeats, seed = check.integer("repeats", repeats, low=1, high=10**7), check.integer("seed", seed, low=0, high=2**63 - 1)
    check.flag("progress", progress)
    _check_jobs(jobs)
    if not isinstance(command, str):
        check.refuse("command", command, "not a string", "Give the command that makes the table.")
    out = _csv(out)
    tail = {"repeats": repeats, "seed": seed, "version": __version__, "command": command}
    if out is None:
        return _table(grid, _computed(evaluate, grid, tail, {}, None, jobs, progress), tail)
    with alone(out.with_suffix(".lock")):
        header = tail | {"settings": text_hash(sorted(grid)), "package": source_hash(Path(__file__).parents[1]),
                         "study": _source_of(evaluate)}
        unfinished = Unfinished(out.with_suffix(".partial.jsonl"), header)
        done = {_key(record["setting"]): record for record in unfinished.records}
        done = _computed(evaluate, grid, tail, done, unfinished, jobs, progress)
        table = _table(grid, done, tail)
        write(out, table)
        write(out.with_suffix(".times.csv"), pd.DataFrame([{**s, "seconds": done[k]["seconds"]} for k, s in grid.items()]))
        unfinished.remove()
    return table


def _computed(evaluate: Callable, grid: dict[str, dict], tail: dict, done: dict[str, dict], unfinished: Unfinished | None,
              jobs: int, progress: bool) -> dict[str, dict]:
    """The records of all settings, by key: those that are done, and the others as the workers finish them."""
    taken = set(tail).union(*grid.values())
    missing = [setting for key, setting in grid.items() if key not in done]
    columns = next((set(row) for record in done.values() for row in record["rows"]), None)
    results = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(
        joblib.delayed(_timed)(evaluate, setting, tail["repeats"], tail["seed"]) for setting in missing)
    with tqdm(total=len(grid), initial=len(done), disable=not progress, unit="setting") as bar:
        for setting, rows, seconds in results:
            record = {"setting": setting, "rows": _rows(rows, setting, taken), "seconds": round(seconds, 4)}
            columns = columns or set(record["rows"][0])
            for row in record["rows"]:
                if set(row) != columns:
                    check.refuse("evaluate", sorted(row), f"the columns of a row of {setting}; other rows have {sorted(columns)}",
                                  "Give every row the same columns: nothing is filled in.")
            if unfinished is not None:
                unfinished.append(record)
            done[_key(setting)] = record
            bar.update()
    return done


def _table(grid: dict[str, dict], done: dict[str, dict], tail: dict) -> pd.DataFrame:
    return pd.DataFrame([{**setting, **row, **tail} for key, setting in grid.items() for row in done[key]["rows"]])
