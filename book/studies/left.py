"""The in-processing side of Communities and Crime: the group rules of the left panel, its people, its splits and its reference."""
from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from dpfair_teach import data
from dpfair_teach.experiments import held_out_splits, regression_reference


def hisp_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racePctHisp is above its median: the paper's rule on another column."""
    return (raw["racePctHisp"] > raw["racePctHisp"].median()).to_numpy().astype(int)


def white_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racePctWhite is at most its median: the paper's rule on another column, the smaller half being group 1."""
    return (raw["racePctWhite"] <= raw["racePctWhite"].median()).to_numpy().astype(int)


def asian_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racePctAsian is above its median."""
    return (raw["racePctAsian"] > raw["racePctAsian"].median()).to_numpy().astype(int)


def foreign_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where PctForeignBorn is above its median."""
    return (raw["PctForeignBorn"] > raw["PctForeignBorn"].median()).to_numpy().astype(int)


#: Group rules that nobody looked at before the constants of ``oneshot.ask_well`` stood as they are (``oneshot.settings.Designed``), and
#: those of its neighbours that ``designed_tuning`` tries: the check of a choice that was made on drawn populations.
ASIDE_GROUPS: dict[str, Any] = {"asian_median": asian_median, "foreign_median": foreign_median}
#: Group rules of the left panel, by name; the last two are the paper's rule (above or below the median) on the two next race columns.
LEFT_GROUPS: dict[str, Any] = {"paper": "paper", "race_argmax": "race_argmax", "hisp_median": hisp_median, "white_median": white_median}


@cache
def left_people(group: str = "paper", label: str = "p70") -> data.Dataset:
    """Communities and Crime for in-processing: features without the protected columns, a group rule of ``LEFT_GROUPS``."""
    return data.load("communities", group=(LEFT_GROUPS | ASIDE_GROUPS)[group], label=label, features="unprotected")


def left_splits(people: data.Dataset, evaluated: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs (learn, judge) of index arrays: everybody twice in-sample, else the 12 splits of the protocol."""
    everybody = np.arange(people.m)
    return [(everybody, everybody)] if evaluated == "in_sample" else held_out_splits(people.m)


@cache
def left_reference(group: str = "paper", label: str = "p70", evaluated: str = "in_sample",
                   thresholds: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The protocol's reference, (25, 2) rows (violation, error), and its free points (2, 2); or the second reference."""
    people = left_people(group, label)
    found = regression_reference(people.X, people.A, people.Y, left_splits(people, evaluated), thresholds=thresholds)
    for array in found:
        array.flags.writeable = False       # the next caller gets the same
    return found
