"""Census-Income (KDD): 299,285 people of the 1994 and 1995 Current Population Surveys."""
from __future__ import annotations

import io

import numpy as np
import pandas as pd

from ._onehot import one_hot
from ._registry import CENSUS
from ._rules import Rule
from ._sources import Found

__all__ = ["FEATURE_RULES", "FILES", "GROUP_RULES", "LABEL_RULES", "read"]

FILES = CENSUS
_COLUMNS = (
    "age", "class of worker", "detailed industry", "detailed occupation", "education", "wage per hour", "enrolled in education",
    "marital status", "major industry", "major occupation", "race", "hispanic origin", "sex", "member of a labor union",
    "reason for unemployment", "full or part time", "capital gains", "capital losses", "dividends", "tax filer status",
    "region of previous residence", "state of previous residence", "detailed household status", "household summary", "instance weight",
    "migration msa", "migration region", "migration within region", "in this house a year ago", "previous residence in sunbelt",
    "persons worked for employer", "family members under 18", "father's country of birth", "mother's country of birth", "country of birth",
    "citizenship", "own business", "veteran's questionnaire", "veterans benefits", "weeks worked in year", "year", "income")
# The rest are codes, some of them written as numbers.
_NUMBERS = ("age", "wage per hour", "capital gains", "capital losses", "dividends", "persons worked for employer", "weeks worked in year")


def read(found: list[Found]) -> tuple[pd.DataFrame, tuple]:
    """The raw table, both parts, and what was left out: no row. ``?`` and ``Not in universe`` are answers of their own."""
    kinds = {c: "int32" if c in _NUMBERS else "float64" if c == "instance weight" else "category" for c in _COLUMNS}
    both = io.BytesIO(b"".join(f.content for f in found))  # read at once: the two parts share their categories
    return pd.read_csv(both, names=_COLUMNS, skipinitialspace=True, keep_default_na=False, dtype=kinds), ()


def default_features(group_rule: object) -> str:
    """One rule, whatever the group."""
    return "one_hot"


GROUP_RULES = {"sex": Rule("sex: Female = 1, Male = 0", lambda raw: (raw["sex"] == "Female").astype(int), ("Male", "Female"))}
LABEL_RULES = {"income": Rule("income: above 50,000 dollars a year = 1", lambda raw: (raw["income"] == "50000+.").astype(int))}
# float32 holds these whole numbers exactly and halves the largest matrix of the library.
FEATURE_RULES = {"one_hot": Rule("one_hot: every category a 0/1 column, numbers as they are; sex and the survey weight left out",
                                 lambda raw: one_hot(raw.drop(columns=["sex", "instance weight", "income"]), dtype=np.float32))}
