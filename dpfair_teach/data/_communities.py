"""Communities and Crime: 1,994 communities of the United States around 1990."""
from __future__ import annotations

import hashlib
import io

import numpy as np
import pandas as pd

from ._registry import COMMUNITIES, COMMUNITIES_DIGEST
from ._rules import Rule
from ._sources import CorruptData, Found

__all__ = ["FEATURE_RULES", "FILES", "GROUP_RULES", "LABEL_RULES", "PROTECTED", "content_digest", "read"]

FILES = COMMUNITIES

# The 18 columns that Kearns, Neel, Roth and Wu treat as protected.
PROTECTED: tuple[str, ...] = (
    "racepctblack", "racePctWhite", "racePctAsian", "racePctHisp", "whitePerCap", "blackPerCap", "indianPerCap", "AsianPerCap",
    "OtherPerCap", "HispPerCap", "PctSpeakEnglOnly", "PctNotSpeakEnglWell", "PctForeignBorn", "RacialMatchCommPol", "PctPolicWhite",
    "PctPolicBlack", "PctPolicHisp", "PctPolicAsian")
_RACES = ("racePctWhite", "racepctblack", "racePctAsian", "racePctHisp")  # the order of the codes of race_argmax_4
_TIES = ("racepctblack", "racePctWhite", "racePctAsian", "racePctHisp")  # the order in which the first of equals wins
_TARGET = "ViolentCrimesPerPop"


def read(found: list[Found]) -> tuple[pd.DataFrame, tuple]:
    """The raw table, 1994 x 128, and what was left out: nothing. Missing values are NaN here, and 0 in the named feature rules."""
    raw = pd.read_csv(io.BytesIO(found[0].content))
    if content_digest(raw) != COMMUNITIES_DIGEST:
        raise CorruptData(f"{found[0].record.name}: content digest is {content_digest(raw)}, but {COMMUNITIES_DIGEST} was expected. "
                          "Install the package again.")
    return raw, ()


def content_digest(raw: pd.DataFrame) -> str:
    """sha256 of the numbers alone, whatever the file format: columns 5 to 127 in hundredths, -1 for missing, as little-endian int16."""
    values = raw.iloc[:, 5:].to_numpy(float)
    hundredths = np.where(np.isnan(values), -1, np.round(values * 100)).astype("<i2")
    return hashlib.sha256(np.ascontiguousarray(hundredths).tobytes()).hexdigest()


def _winner(raw: pd.DataFrame) -> np.ndarray:
    """Position in ``_RACES`` of the largest of the four race columns."""
    order = raw[list(_TIES)].to_numpy().argmax(axis=1)
    return np.array([_RACES.index(name) for name in _TIES])[order]


def _features(raw: pd.DataFrame, left_out: tuple[str, ...], centre: bool) -> tuple[np.ndarray, tuple[str, ...]]:
    table = raw.iloc[:, 5:-1].drop(columns=list(left_out)).fillna(0.0)
    X = table.to_numpy(float)
    return (X - X.mean(axis=0) if centre else X), tuple(table.columns)


GROUP_RULES = {
    "paper": Rule("paper: A = 1 when racepctblack is above its median, 0.06",
                  lambda raw: (raw["racepctblack"] > raw["racepctblack"].median()).astype(int),
                  ("racepctblack at most its median", "racepctblack above its median")),
    "race_argmax": Rule("race_argmax: A = 0 when racePctWhite is the largest of the four scaled race columns, else 1",
                        lambda raw: (_winner(raw) > 0).astype(int), ("racePctWhite largest", "another race column largest")),
    "race_argmax_4": Rule("race_argmax_4: which of the four scaled race columns is the largest", _winner,
                          ("White largest", "Black largest", "Asian largest", "Hispanic largest")),
}
LABEL_RULES = {
    "p70": Rule("p70: ViolentCrimesPerPop strictly above its 70th percentile, 0.28",
                lambda raw: (raw[_TARGET] > raw[_TARGET].quantile(0.7)).astype(int)),
    "p20": Rule("p20: ViolentCrimesPerPop strictly above its 20th percentile, 0.06",
                lambda raw: (raw[_TARGET] > raw[_TARGET].quantile(0.2)).astype(int)),
}
FEATURE_RULES = {
    "paper": Rule("paper: the 122 features less racepctblack, as they are; missing values 0",
                  lambda raw: _features(raw, ("racepctblack",), centre=False)),
    "unprotected": Rule("unprotected: the 122 features less the 18 protected ones, missing values 0, then centred",
                        lambda raw: _features(raw, PROTECTED, centre=True)),
    "all": Rule("all: the 122 features as they are; missing values 0", lambda raw: _features(raw, (), centre=False)),
}


def default_features(group_rule: object) -> str:
    """``paper`` goes with the group rule ``paper``, ``unprotected`` with every other."""
    return "paper" if group_rule in (None, "paper") else "unprotected"
