"""The stored tables of the left panel as one table: Section 5's learner, literally, the repaired loop, asking well."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

#: The methods of the left panel, by name, in the words of the book.
LEFT_METHODS: dict[str, str] = {
    "scale_code": "literal, code's step", "scale_supplement": "literal, supplement's step",
    "location_code": "misplaced noise, code's step", "location_supplement": "misplaced noise, supplement's step",
    "loop_mean": "repaired loop, average", "loop_lp": "repaired loop, best mixture",
    "ask_well": "asked well",
}
METHODS = [{"method": method} for method in LEFT_METHODS]


def words(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """The words of a method. Nothing is drawn."""
    return [{"words": LEFT_METHODS[setting["method"]]}]


_TABLES = ("left_literal", "left_repaired", "left_repaired_held_out", "left_oneshot", "left_asked_rules")
_COLUMNS = ["method", "group", "label", "evaluated", "epsilon", "gamma",
            *(name + end for name in ("violation", "error", "q") for end in ("", "_low", "_high"))]


def left_curves(folder: Path) -> pd.DataFrame:
    """Every stored curve of the left panel, one row a gamma: error, violation and Q, each with its interval.

    Of ``scale_*`` and ``location_*``, Section 5's learner, those with B = 1 / gamma are taken. Columns ``method``, ``group``, ``label``,
    ``evaluated``, ``epsilon``, ``gamma``, and ``violation``, ``error``, ``q``, each with ``_low`` and ``_high``; methods in the order of
    ``LEFT_METHODS``. Chapter 21 reads the same tables in the same way.
    """
    literal, repaired, held_out, *once = (pd.read_csv(folder / f"{name}.csv") for name in _TABLES)
    literal = literal[literal["B"] == "1/gamma"].assign(method=lambda rows: rows["noise"] + "_" + rows["step"])
    loops = pd.concat([literal, repaired]).assign(evaluated="in_sample")
    loops = pd.concat([loops, held_out]).assign(label="p70", method=lambda rows: rows["method"].fillna("loop_" + rows["mix"]))
    table = pd.concat([loops, *once])[_COLUMNS]
    return table.sort_values("method", key=lambda names: names.map(list(LEFT_METHODS).index), kind="stable", ignore_index=True)
