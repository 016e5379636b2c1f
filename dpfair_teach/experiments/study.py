"""A study: tables to make, by which function at which settings; and what runs it into files."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import _checks, data
from .renew import chosen, renew
from .runner import sweep

__all__ = ["Study", "run"]

#: Makes the rows of one setting: called with the setting, the repeats and the setting's own stream.
Evaluate = Callable[[dict, int, np.random.Generator], list[dict]]


@dataclass(frozen=True)
class Study:
    """What a study makes: a sentence about it, its repeats, its tables, the data that it reads.

    Source: none in the papers. ``book/studies`` holds those of the book.

    Parameters
    ----------
    about : str
        One sentence for a list of studies.
    repeats : int
        Noise draws for each setting unless told otherwise, 1 to ten million.
    tables : mapping from str to (list of settings, function)
        By file name; settings and function as :func:`sweep` takes them.
    reads : tuple of mappings, optional
        What ``data.load`` is asked for, as its arguments; nothing where no data set is read.
    source : str, optional
        Where no data set is read: what the numbers are from. By default they are simulated.

    Raises
    ------
    ValueError
        For a table without settings or function.

    Examples
    --------
    >>> def mean_noise(setting, repeats, rng):
    ...     return [{"mean": rng.laplace(scale=1 / setting["epsilon"], size=repeats).mean().round(2)}]
    >>> noise = Study("Mean noise.", 10_000, {"noise": ([{"epsilon": 1.0}, {"epsilon": 2.0}], mean_noise)})
    >>> noise.provenance
    'no data set: simulated'
    """

    about: str
    repeats: int
    tables: Mapping[str, tuple[list[dict], Evaluate]]
    reads: tuple[Mapping[str, Any], ...] = ()
    source: str = "simulated"

    def __post_init__(self) -> None:
        _checks.text("about", self.about)
        _checks.text("source", self.source)
        _checks.integer("repeats", self.repeats, low=1, high=10**7)
        if not isinstance(self.tables, Mapping) or not self.tables or not all(
                isinstance(name, str) and name.isidentifier() and isinstance(rows, tuple) and len(rows) == 2
                and isinstance(rows[0], list) and rows[0] and callable(rows[1]) for name, rows in self.tables.items()):
            _checks.refuse("tables", self.tables, "not a mapping from file names to (settings, function)",
                           "Give {'name': ([{'epsilon': 1.0}, ...], function)}.")
        if not isinstance(self.reads, tuple) or not all(isinstance(what, Mapping) and "name" in what for what in self.reads):
            _checks.refuse("reads", self.reads, "not a tuple of mappings, each with the name of a data set",
                           "Give ({'name': 'communities'},), or nothing.")

    @property
    def provenance(self) -> str:
        """Where the data comes from, by which rules it was read, and under which licence."""
        return "\n\n".join(str(data.load(**what).provenance) for what in self.reads) or f"no data set: {self.source}"


def run(study: Study, out: str | Path, *, command: str, repeats: int | None = None, seed: int, jobs: int = 1,
        progress: bool = True, only: Mapping[str, Sequence[str]] | None = None) -> dict[str, pd.DataFrame]:
    """Make the tables of a study and write them, each with its times and the provenance of its data beside it.

    Source: main text, Figure 1, right panel, for the book's study ``figure1_right``; the others are of this book's protocol.

    Parameters
    ----------
    study : Study
    out : path
        The folder for the tables; it exists.
    command : str
        What to type to run the study; with the repeats and the seed it is stored in each row.
    repeats : int, optional
        Noise draws for each setting, 24 to ten million (two for each held-out split); the study's own number without.
    seed : int
        From 0 to 2**63 - 1. A study simulates on public data, so a fixed seed reveals nobody.
    jobs : int
        Workers, 1 to 1024; -1 for one a core.
    progress : bool
        Show a bar on stderr.
    only : mapping from str to list of str, optional
        Column -> values: only settings with one of them are computed, and their rows put into the stored tables, where a study has grown
        or a fault moved some rows. All others stay as they are, and so does a table in which no setting has such values.

    Returns
    -------
    dict of pandas.DataFrame
        Table name -> table, of those that were written.

    Raises
    ------
    ValueError
        Where ``study`` is none, or ``out`` is no folder; with ``only``, where no table is stored, or one of another run; and as
        :func:`sweep`.

    Examples
    --------
    >>> import tempfile
    >>> def mean_noise(setting, repeats, rng):
    ...     return [{"mean": rng.laplace(scale=1 / setting["epsilon"], size=repeats).mean().round(2)}]
    >>> noise = Study("Mean noise.", 10_000, {"noise": ([{"epsilon": 1.0}, {"epsilon": 2.0}], mean_noise)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tables = run(noise, folder, command="python -m studies noise", seed=1, progress=False)
    >>> tables["noise"].command[0]
    'python -m studies noise --repeats 10000 --seed 1'
    """
    if not isinstance(study, Study):
        _checks.refuse("study", study, "no Study", "Give an experiments.Study.")
    if not isinstance(out, (str, Path)) or not os.path.isdir(out):          # False, too, for a name that no file could have
        _checks.refuse("out", out, "not a folder that exists", "Make the folder that the tables go to, or give another.")
    repeats = study.repeats if repeats is None else _checks.integer("repeats", repeats, low=24, high=10**7)
    seed = _checks.integer("seed", seed, low=0, high=2**63 - 1)
    command = f"{_checks.text('command', command)} --repeats {repeats} --seed {seed}"
    if only is not None and (not isinstance(only, Mapping) or not only):
        _checks.refuse("only", only, "not a mapping from columns to values", "Give for instance {'method': ['m_network']}.")
    everything = [setting for settings, _ in study.tables.values() for setting in settings]
    some = everything if only is None else chosen(everything, only)
    tables = {}
    for table, (settings, evaluate) in study.tables.items():
        how: dict[str, Any] = {"repeats": repeats, "seed": seed, "command": command, "out": Path(out) / f"{table}.csv", "jobs": jobs,
                               "progress": progress}
        if only is None:
            tables[table] = sweep(evaluate, settings, **how)
        elif fit := [setting for setting in settings if setting in some]:
            tables[table] = renew(evaluate, settings, fit, **how)
    for table in tables:
        (Path(out) / f"{table}.provenance.txt").write_text(study.provenance + "\n", encoding="utf-8")
    return tables
