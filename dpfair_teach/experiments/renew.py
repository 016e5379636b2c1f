"""Some rows of a stored table computed again, or for the first time, and put in their places; the others stay as they are, to the byte."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .. import __version__
from .. import _checks as check
from .runner import sweep, write

__all__: list[str] = []     # experiments.run calls it

#: What all rows of a table have in common.
COMMON = ("repeats", "seed", "version", "command")


def chosen(settings: Sequence[Mapping[str, Any]], only: Mapping[str, Sequence[str]]) -> list[Mapping[str, Any]]:
    """The settings that have one of the values in each of the columns."""
    for column, values in only.items():
        there = {str(setting[column]) for setting in settings if column in setting}
        if unknown := sorted(set(map(str, values)) - there):
            check.refuse("only", {column: unknown}, "is in no setting", f"There are {', '.join(sorted(there)[:40]) or 'no such columns'}.")
    found = [setting for setting in settings
             if all(column in setting and str(setting[column]) in set(map(str, values)) for column, values in only.items())]
    if not found:
        check.refuse("only", dict(only), "fits no setting", "Name values that stand in one setting together.")
    return found


def renew(evaluate: Callable, settings: Sequence[Mapping[str, Any]], some: Sequence[Mapping[str, Any]], *, out: Path,
          **how: Any) -> pd.DataFrame:
    """As :func:`sweep`, but for ``some`` of the settings alone: their rows go into the table ``out``, in the order of ``settings``.

    A run that was stopped goes on. The stored rows must be of the same repeats, seed, version and command, and every other setting must
    have its rows there.
    """
    if not out.is_file():
        check.refuse("out", str(out), "no table is stored there",
                     "Run the study whole first, or copy a stored table and its provenance there.")
    part, names = out.with_name(f"{out.stem}.renewed.csv"), list(settings[0])
    kept = _text(out)
    for column in COMMON:
        if set(kept[column]) != {str(how.get(column, __version__))}:
            check.refuse("out", str(out), f"has rows of another {column}: {kept[column].iloc[0]}", "Run the study whole.")
    there = {*_keys(kept, names), *(_key(setting, names) for setting in some)}
    for setting in settings:
        if _key(setting, names) not in there:
            check.refuse("only", dict(setting), "is a setting without stored rows", "Compute it too, or run the study whole.")
    sweep(evaluate, some, out=part, **how)
    for stored, new in ((out, part), (out.with_suffix(".times.csv"), part.with_suffix(".times.csv"))):
        if stored.is_file():
            write(stored, _merged(settings, names, _text(stored), _text(new)))
        new.unlink()
    return pd.read_csv(out)


def _merged(settings: Sequence[Mapping[str, Any]], names: Sequence[str], old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """The rows of both in the order of the settings; where both have one, the new ones."""
    if list(old) != list(new):
        check.refuse("out", list(old), f"are the columns of the stored rows, and the new ones have {list(new)}", "Run the study whole.")
    rows: dict[Any, pd.DataFrame] = {}
    for table in (old, new):
        rows |= dict(list(table.groupby(_keys(table, names), sort=False)))
    return pd.concat([rows[_key(setting, names)] for setting in settings])


def _text(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _key(setting: Mapping[str, Any], names: Sequence[str]) -> str:
    return "|".join(_plain(setting[name]) for name in names)


def _keys(table: pd.DataFrame, names: Sequence[str]) -> pd.Series:
    return table[names].map(_plain).agg("|".join, axis=1)


def _plain(value: Any) -> str:
    """One text for one value: numbers by what they are, to the seven digits of a file."""
    try:
        return f"{float(value):.7g}"
    except ValueError:
        return str(value)
