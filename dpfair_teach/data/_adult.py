"""Adult: 48,842 adults of the 1994 Current Population Survey; 45,222 without a missing answer."""
from __future__ import annotations

import io

import pandas as pd

from ._onehot import one_hot
from ._registry import ADULT
from ._rules import Rule
from ._sources import Found

__all__ = ["FEATURE_RULES", "FILES", "GROUP_RULES", "LABEL_RULES", "read"]

FILES = ADULT
_COLUMNS = ("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race", "sex",
            "capital-gain", "capital-loss", "hours-per-week", "native-country", "income")


def read(found: list[Found]) -> tuple[pd.DataFrame, tuple]:
    """The raw table of the people with every answer given, training part first, and how many others there were."""
    # The test part opens with a comment line and ends its labels in a full stop.
    parts = [pd.read_csv(io.BytesIO(f.content), names=_COLUMNS, skipinitialspace=True, skiprows=skip, na_values="?", keep_default_na=False)
             for f, skip in zip(found, (0, 1), strict=True)]
    everybody = pd.concat(parts, ignore_index=True)
    everybody["income"] = everybody["income"].str.rstrip(".")
    raw = everybody.dropna(ignore_index=True)
    return raw, ((len(everybody) - len(raw), "an answer is missing (marked ? in the file)"),)


def default_features(group_rule: object) -> str:
    """One rule, whatever the group."""
    return "one_hot"


GROUP_RULES = {"sex": Rule("sex: Female = 1, Male = 0", lambda raw: (raw["sex"] == "Female").astype(int), ("Male", "Female"))}
LABEL_RULES = {"income": Rule("income: above 50,000 dollars a year = 1", lambda raw: (raw["income"] == ">50K").astype(int))}
FEATURE_RULES = {"one_hot": Rule("one_hot: every category a 0/1 column, numbers as they are; sex and the survey weight fnlwgt left out",
                                 lambda raw: one_hot(raw.drop(columns=["sex", "fnlwgt", "income"])))}
