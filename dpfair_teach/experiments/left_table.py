"""The stored tables of the left panel as one table: Section 5's learner, literally, the repaired loop, the one-shot methods."""
from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from .. import _checks

__all__ = ["LEFT_METHODS", "left_curves"]

#: The methods of the left panel, by name, in the words of the book.
LEFT_METHODS: dict[str, str] = {
    "scale_code": "literal, code's step", "scale_supplement": "literal, supplement's step",
    "location_code": "misplaced noise, code's step", "location_supplement": "misplaced noise, supplement's step",
    "loop_mean": "repaired loop, average", "loop_lp": "repaired loop, best mixture",
    "histogram": "counts, Bayes", "histogram_logistic": "counts, logistic", "histogram_regression": "counts, the paper's oracle",
    "sums": "sums (2-norm)", "sums_laplace": "sums (Laplace)", "sums_regression": "sums, the paper's oracle",
    "response": "responses", "response_certified": "responses, certified",
}
_TABLES = ("left_literal", "left_repaired", "left_repaired_held_out", "left_oneshot", "left_oneshot_rules")
_COLUMNS = ["method", "group", "label", "evaluated", "epsilon", "gamma",
            *(name + end for name in ("violation", "error", "q") for end in ("", "_low", "_high"))]


def left_curves(folder: str | Path) -> pd.DataFrame:
    """Every stored curve of the left panel, one row a gamma: error, violation and Q, each with its interval.

    Source: main text, Figure 1, left, for ``scale_*`` and ``location_*``, of which those with B = 1 / gamma are taken; the others are ours.

    Parameters
    ----------
    folder : path
        Where ``left_literal.csv``, ``left_repaired.csv``, ``left_repaired_held_out.csv``, ``left_oneshot.csv`` and
        ``left_oneshot_rules.csv`` are: ``book/results``, or where ``python -m dpfair_teach.experiments`` wrote them.

    Returns
    -------
    pandas.DataFrame
        Columns ``method`` (one of ``LEFT_METHODS``), ``group``, ``label``, ``evaluated``, ``epsilon``, ``gamma``, ``violation``, ``error``,
        ``q``, all but the first six with ``_low`` and ``_high``. Methods in the order of ``LEFT_METHODS``.

    Raises
    ------
    ValueError
        Where ``folder`` is no folder or lacks one of the tables.

    Examples
    --------
    >>> import dpfair_teach                         # in a checkout of the book
    >>> curves = left_curves(Path(dpfair_teach.__file__).parents[1] / "book" / "results")
    >>> curves.groupby(["method", "group"]).epsilon.nunique()["histogram", "white_median"].item()
    6
    """
    if not isinstance(folder, (str, Path)) or not os.path.isdir(folder):
        _checks.refuse("folder", folder, "not a folder that exists", "Give the folder of the stored tables, such as book/results.")
    missing = [name for name in _TABLES if not (Path(folder) / f"{name}.csv").is_file()]
    if missing:
        _checks.refuse("folder", str(folder), f"has no {missing[0]}.csv", "Make it: python -m dpfair_teach.experiments --list says how.")
    literal, repaired, held_out, *once = (pd.read_csv(Path(folder) / f"{name}.csv") for name in _TABLES)
    literal = literal[literal["B"] == "1/gamma"].assign(method=lambda rows: rows["noise"] + "_" + rows["step"])
    loops = pd.concat([literal, repaired]).assign(evaluated="in_sample")
    loops = pd.concat([loops, held_out]).assign(label="p70", method=lambda rows: rows["method"].fillna("loop_" + rows["mix"]))
    table = pd.concat([loops, *once])[_COLUMNS]
    return table.sort_values("method", key=lambda names: names.map(list(LEFT_METHODS).index), kind="stable", ignore_index=True)
