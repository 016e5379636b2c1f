"""Bank Marketing: calls of a Portuguese bank, 2008-2010; the balanced selection of 11,162 of UCI's 45,211 rows."""
from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pandas as pd

from ._onehot import one_hot
from ._registry import BANK, BANK_ROWS
from ._rules import Rule
from ._sources import Found, find

__all__ = ["FEATURE_RULES", "FILES", "GROUP_RULES", "LABEL_RULES", "balanced_rows", "read"]

FILES = BANK


def balanced_rows() -> np.ndarray:
    """Which rows of bank-full (from 0) the balanced subset holds, in its order: shape (11162,). No two rows of bank-full are equal."""
    return np.array(find(BANK_ROWS).content.split(), dtype=np.int64)


def read(found: list[Found]) -> tuple[pd.DataFrame, tuple]:
    """The raw table of the subset, in the subset's order, with ``y`` called ``deposit``, and how many rows are not in it."""
    full = pd.read_csv(io.BytesIO(found[0].content), sep=";").rename(columns={"y": "deposit"})
    raw = full.iloc[balanced_rows()].reset_index(drop=True)
    return raw, ((len(full) - len(raw), "not in the balanced subset"),)


def default_features(group_rule: object) -> str:
    """One rule, whatever the group."""
    return "one_hot"


def _bands(*bands: tuple[int, int]) -> Callable[[pd.DataFrame], np.ndarray]:
    """A function giving 0, 1, ... for the first, second, ... closed band of ages, and the next code for the rest."""
    def codes(raw: pd.DataFrame) -> np.ndarray:
        age = raw["age"]
        return np.select([age.between(low, high) for low, high in bands], range(len(bands)), default=len(bands))
    return codes


GROUP_RULES = {
    "age": Rule("age: younger than 25 or older than 60 = 1", _bands((25, 60)), ("25 to 60", "younger than 25 or older than 60")),
    "m3": Rule("m3: age 25-40, 41-60, the rest", _bands((25, 40), (41, 60)), ("25 to 40", "41 to 60", "the rest")),
    "m5": Rule("m5: age 25-33, 34-40, 41-48, 49-60, the rest", _bands((25, 33), (34, 40), (41, 48), (49, 60)),
               ("25 to 33", "34 to 40", "41 to 48", "49 to 60", "the rest")),
}
LABEL_RULES = {"deposit": Rule("deposit: took the term deposit = 1", lambda raw: (raw["deposit"] == "yes").astype(int))}
FEATURE_RULES = {"one_hot": Rule("one_hot: every category a 0/1 column, numbers as they are; age left out",
                                 lambda raw: one_hot(raw.drop(columns=["age", "deposit"])))}
