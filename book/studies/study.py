"""A study: tables to make, by which function at which settings; and what makes them, in parallel, resumable, each row repeatable alone.

Each setting has a random stream of its own, keyed by the setting and not by its place in the grid. So the order in which workers finish
does not matter, a grid can grow without changing old rows, and any row can be computed again.
"""
from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits
from tqdm import tqdm

import dpfair_teach
from dpfair_teach import data

Setting = Mapping[str, Any]
#: Makes the rows of one setting: called with the setting, the repeats and the setting's own stream.
Evaluate = Callable[[dict, int, np.random.Generator], list[dict]]

#: Columns that a table has beside those of settings and rows; all its rows have them in common.
COMMON = ("repeats", "seed", "version", "command")


@dataclass(frozen=True)
class Study:
    """What a study makes: a sentence about it, its repeats, its tables, the data that it reads.

    ``tables`` maps a file name to (settings, function). ``reads`` says what ``data.load`` is asked for; where it is nothing, ``source``
    says what the numbers are from. ``repeats`` noise draws are made for each setting unless the command line says otherwise.
    """

    about: str
    repeats: int
    tables: Mapping[str, tuple[list[dict], Evaluate]]
    reads: tuple[Mapping[str, Any], ...] = ()
    source: str = "simulated"

    @property
    def provenance(self) -> str:
        """Where the data comes from, by which rules it was read, and under which licence."""
        return "\n\n".join(str(data.load(**what).provenance) for what in self.reads) or f"no data set: {self.source}"


def setting_rng(seed: int, setting: Setting) -> np.random.Generator:
    """The random stream of one setting: ``SeedSequence(seed)`` with a spawn key that is a hash of the setting."""
    digest = hashlib.sha256(_key(setting).encode()).digest()
    words = tuple(int(word) for word in np.frombuffer(digest[:16], dtype="<u4"))
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))


def _key(setting: Setting) -> str:
    """The setting as text: the same for the same setting, whatever the order of its names; 1 and 1.0 are one number, 0.0 and -0.0 too."""
    return json.dumps({name: value if isinstance(value, str) else float(value) + 0.0 for name, value in setting.items()}, sort_keys=True)


# ------------------------------------------------------------------------------------------------------------ one table

def sweep(evaluate: Evaluate, settings: Sequence[Setting], *, out: Path, repeats: int, seed: int, command: str, jobs: int = 1,
          progress: bool = True) -> pd.DataFrame:
    """Evaluate every setting and write one table, in the order of ``settings``, and the seconds of each setting to ``*.times.csv``.

    While it runs, finished settings are kept in the folder ``*.unfinished``: a run that was stopped, however, goes on from there when it
    is started again with the same seed, repeats and code. ``evaluate`` must be importable by workers; on a cluster, which
    ``joblib.parallel_config(backend="dask")`` gives, they must see that folder too.
    """
    if len({_key(setting) for setting in settings}) != len(settings):
        raise ValueError("settings: two of them are equal. Give each once: its rows are keyed by it.")
    unfinished = out.with_suffix(".unfinished")
    kept = joblib.Memory(unfinished, verbose=0).cache(_computed, ignore=["evaluate"])
    code = code_hash()
    tasks = (joblib.delayed(kept)(evaluate, dict(setting), repeats, seed, code) for setting in settings)
    done = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(tasks)
    found = {_key(setting): (rows, seconds)
             for setting, rows, seconds in tqdm(done, total=len(settings), disable=not progress, unit="setting")}
    common = dict(zip(COMMON, (repeats, seed, dpfair_teach.__version__, command), strict=True))
    table = _table([{**setting, **row, **common} for setting in settings for row in found[_key(setting)][0]],
                   sum(map(len, (settings[0], found[_key(settings[0])][0][0], common))))
    _write(out, table)
    _write(out.with_suffix(".times.csv"), pd.DataFrame([{**setting, "seconds": found[_key(setting)][1]} for setting in settings]))
    shutil.rmtree(unfinished, ignore_errors=True)
    return table


def _computed(evaluate: Evaluate, setting: dict, repeats: int, seed: int, code: str) -> tuple[dict, list[dict], float]:
    """One task, the rows in plain Python types.

    On one thread: sums of several are rounded otherwise, and threads that wait for each other on a busy machine take many times as long.
    So a table's digits do not depend on ``jobs``. ``code`` is read by the cache alone: other code, other rows.
    """
    start = time.perf_counter()
    try:
        with threadpool_limits(1):
            rows = evaluate(dict(setting), repeats, setting_rng(seed, setting))
    except Exception as problem:
        problem.add_note(f"while computing the setting {setting}")
        raise
    plain = [{name: value.item() if isinstance(value, np.generic) else value for name, value in row.items()} for row in rows]
    return setting, plain, round(time.perf_counter() - start, 4)


def _table(rows: list[dict], columns: int) -> pd.DataFrame:
    """The rows as a table; each must have those columns and no other: nothing is filled in, and no row replaces what the settings say."""
    for row in rows:
        if len(row) != columns or row.keys() != rows[0].keys():
            raise ValueError(f"{row}: has other columns than the first row, {list(rows[0])}, or one that a setting has too. "
                             "Give all settings and all rows the same.")
    return pd.DataFrame(rows)


def _write(path: Path, table: pd.DataFrame) -> None:
    """A table as CSV in one step: a reader sees the old file or the new one, never half of it."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    table.to_csv(new, index=False, float_format="%.7g", lineterminator="\n")
    os.replace(new, path)


def code_hash() -> str:
    """One hash of the library's and the studies' Python files, names and contents."""
    found = hashlib.sha256()
    for folder in (Path(dpfair_teach.__file__).parent, Path(__file__).parent):
        for path in sorted(folder.rglob("*.py")):
            found.update(f"{path.relative_to(folder).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()


# ------------------------------------------------------------------------------------------------- some rows of a table

def chosen(settings: Sequence[Setting], only: Mapping[str, Sequence[str]]) -> list[Setting]:
    """The settings that have one of the values in each of the columns."""
    for column, values in only.items():
        there = {str(setting[column]) for setting in settings if column in setting}
        if unknown := sorted(set(values) - there):
            raise ValueError(f"only={column}={','.join(unknown)}: is in no setting. "
                             f"There are {', '.join(sorted(there)) or 'no such columns'}.")
    found = [setting for setting in settings
             if all(column in setting and str(setting[column]) in values for column, values in only.items())]
    if not found:
        raise ValueError(f"only={dict(only)}: fits no setting. Name values that stand in one setting together.")
    return found


def renew(evaluate: Evaluate, settings: Sequence[Setting], some: Sequence[Setting], *, out: Path, **how: Any) -> pd.DataFrame:
    """As :func:`sweep`, but for ``some`` of the settings alone: their rows go into the stored table, the others stay, to the byte.

    The stored rows must be of the same repeats, seed, version and command, and every other setting must have its rows there.
    """
    if not out.is_file():
        raise ValueError(f"out={out}: no table is stored there. Run the study whole first, or copy a stored table there.")
    part, names, stored = out.with_name(f"{out.stem}.renewed.csv"), list(settings[0]), _text(out)
    for column in COMMON:
        if set(stored[column]) != {str(how.get(column, dpfair_teach.__version__))}:
            raise ValueError(f"out={out}: has rows of another {column}, {stored[column].iloc[0]}. Run the study whole.")
    there = {*_written(stored, names), *_written(pd.DataFrame(some), names)}
    for setting, key in zip(settings, _written(pd.DataFrame(settings), names), strict=True):
        if key not in there:
            raise ValueError(f"only: {dict(setting)} is a setting without stored rows. Compute it too, or run the study whole.")
    sweep(evaluate, some, out=part, **how)
    for old, new in ((out, part), (out.with_suffix(".times.csv"), part.with_suffix(".times.csv"))):
        if old.is_file():
            _write(old, _merged(pd.DataFrame(settings), _text(old), _text(new)))
        new.unlink()
    return pd.read_csv(out)


def _merged(settings: pd.DataFrame, old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """The rows of both in the order of the settings; where both have some, the new ones."""
    if list(old) != list(new):
        raise ValueError(f"out: the stored rows have the columns {list(old)}, the new ones {list(new)}. Run the study whole.")
    rows: dict[Any, pd.DataFrame] = {}
    for table in (old, new):
        rows |= dict(list(table.groupby(_written(table, list(settings)), sort=False)))
    return pd.concat([rows[key] for key in _written(settings, list(settings))])


def _text(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _written(table: pd.DataFrame, names: Sequence[str]) -> pd.Series:
    """One text for the setting of each row: numbers by what they are, to the seven digits of a file."""
    def text(value: Any) -> str:
        try:
            return f"{float(value):.7g}"
        except ValueError:
            return str(value)
    return table[names].map(text).agg("|".join, axis=1)


# ------------------------------------------------------------------------------------------------------- a whole study

def run(study: Study, out: str | Path, *, command: str, repeats: int | None = None, seed: int, jobs: int = 1, progress: bool = True,
        only: Mapping[str, Sequence[str]] | None = None) -> dict[str, pd.DataFrame]:
    """Make the tables of a study and write them into the folder ``out``, each with its times and the provenance of its data beside it.

    With ``only``, column -> values, settings with one of them are computed alone, and their rows put into the stored tables, where a study
    has grown or a fault moved some rows; a table in which no setting has such values stays as it is. A study simulates on public data, so
    a fixed seed reveals nobody. ``command`` is what to type; with repeats and seed it stands in each row.
    """
    folder, repeats = Path(out), study.repeats if repeats is None else repeats
    for name, value, fine, wanted in (
            ("out", str(out), folder.is_dir(), "a folder that exists"),
            ("repeats", repeats, repeats >= 24, "at least 24: two for each held-out split"),
            ("seed", seed, 0 <= seed < 2**63, "a number from 0 to 2**63 - 1"), ("jobs", jobs, jobs == -1 or jobs > 0, "1 or more, or -1")):
        if not fine:
            raise ValueError(f"{name}={value}: is not {wanted}.")
    how: dict[str, Any] = {"repeats": repeats, "seed": seed, "command": f"{command} --repeats {repeats} --seed {seed}", "jobs": jobs,
                           "progress": progress}
    everything = [setting for settings, _ in study.tables.values() for setting in settings]
    some = everything if only is None else chosen(everything, only)
    tables = {}
    for name, (settings, evaluate) in study.tables.items():
        path = folder / f"{name}.csv"
        if only is None:
            tables[name] = sweep(evaluate, settings, out=path, **how)
        elif fit := [setting for setting in settings if setting in some]:
            tables[name] = renew(evaluate, settings, fit, out=path, **how)
        else:
            continue
        path.with_suffix(".provenance.txt").write_text(study.provenance + "\n", encoding="utf-8")
    return tables
