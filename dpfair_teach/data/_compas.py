"""COMPAS: people of Broward County, Florida, whose risk of re-offending was scored in 2013-2014. Fetched, never passed on."""
from __future__ import annotations

import io

import numpy as np
import pandas as pd

from ._onehot import one_hot
from ._registry import COMPAS
from ._rules import Rule
from ._sources import Found

__all__ = ["FEATURE_RULES", "FILES", "GROUP_RULES", "LABEL_RULES", "read"]

FILES = COMPAS

# Only these columns are ever read: no name, birth date, case number, arrest date. ``score_text`` and
# ``days_b_screening_arrest`` serve ProPublica's filter and go with it.
_NUMBERS = ("age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count")
_KEPT = ("sex", "race", *_NUMBERS, "c_charge_degree", "two_year_recid")
_FILTER = ("is_recid", "days_b_screening_arrest", "score_text")


def read(found: list[Found]) -> tuple[pd.DataFrame, tuple]:
    """The raw table after ProPublica's filter, with the columns kept, and how many rows the filter left out."""
    columns = set(_KEPT + _FILTER)
    table = pd.read_csv(io.BytesIO(found[0].content), usecols=lambda c: c in columns, keep_default_na=False,
                        na_values={"days_b_screening_arrest": [""]})
    fine = (table["days_b_screening_arrest"].abs().le(30) & table["is_recid"].ne(-1) & table["c_charge_degree"].ne("O")
            & ~table["score_text"].isin(["", "N/A"]))
    raw = table.loc[fine, list(_KEPT)].reset_index(drop=True)
    return raw, ((int((~fine).sum()), "ProPublica's filter: charge more than 30 days from the screening, no case found, "
                                      "a traffic offence, or no score"),)


def default_features(group_rule: object) -> str:
    """One rule, whatever the group."""
    return "one_hot"


GROUP_RULES = {
    "sex": Rule("sex: Female = 1, Male = 0", lambda raw: (raw["sex"] == "Female").astype(int), ("Male", "Female")),
    "race": Rule("race: African-American = 1, Caucasian = 0; everybody else left out",
                 lambda raw: np.select([raw["race"] == "Caucasian", raw["race"] == "African-American"], [0, 1], default=-1),
                 ("Caucasian", "African-American"), "neither African-American nor Caucasian in the file"),
}
LABEL_RULES = {"two_year_recid": Rule("two_year_recid: charged again within two years = 1", lambda raw: raw["two_year_recid"])}
FEATURE_RULES = {"one_hot": Rule("one_hot: age, prior and juvenile counts as they are, the charge degree as 0/1 columns; "
                                 "no names, dates or scores",
                                 lambda raw: one_hot(raw[[*_NUMBERS, "c_charge_degree"]]))}
