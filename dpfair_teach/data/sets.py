"""The data sets that are read from files: how each is read, its named rules, its terms."""
from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .registry import ADULT, BANK, BANK_ROWS, CENSUS, COMMUNITIES, COMPAS, FileRecord
from .rules import Rule, one_hot
from .sources import Found, find

if TYPE_CHECKING:
    import pandas as pd

__all__: list[str] = []     # the loader reads them

#: A raw table, and what was left out of it: how many rows, and why.
Raw = tuple["pd.DataFrame", tuple[tuple[int, str], ...]]


@dataclass(frozen=True)
class DataFiles:
    """A data set: its files, how they are read, its rules by name (the first is the default) and its terms."""

    rows: int
    licence: str
    source: str
    attribution: str
    files: tuple[FileRecord, ...]
    read: Callable[[list[Found]], Raw]
    groups: dict[str, Rule]
    labels: dict[str, Rule]
    features: dict[str, Rule]
    features_of_others: str = ""  # the default features with any other group rule than the default; empty where they are the same


_UCI = "UCI Machine Learning Repository"
_SEX = {"sex": Rule("sex: Female = 1, Male = 0", lambda raw: (raw["sex"] == "Female").astype(int), ("Male", "Female"))}


# ------------------------------------------------- Communities and Crime: 1,994 communities of the United States around 1990

# The 18 columns that Kearns, Neel, Roth and Wu treat as protected.
PROTECTED: tuple[str, ...] = (
    "racepctblack", "racePctWhite", "racePctAsian", "racePctHisp", "whitePerCap", "blackPerCap", "indianPerCap", "AsianPerCap",
    "OtherPerCap", "HispPerCap", "PctSpeakEnglOnly", "PctNotSpeakEnglWell", "PctForeignBorn", "RacialMatchCommPol", "PctPolicWhite",
    "PctPolicBlack", "PctPolicHisp", "PctPolicAsian")
_RACES = ("racePctWhite", "racepctblack", "racePctAsian", "racePctHisp")  # the order of the codes of race_argmax_4
_TIES = ("racepctblack", "racePctWhite", "racePctAsian", "racePctHisp")  # the order in which the first of equals wins
_CRIME = "ViolentCrimesPerPop"


def _communities(found: list[Found]) -> Raw:
    """1994 x 128, nothing left out. Missing values are NaN here, and 0 in the named feature rules."""
    import pandas as pd

    return pd.read_csv(io.BytesIO(found[0].content)), ()


def _largest_race(raw: pd.DataFrame) -> np.ndarray:
    """Position in ``_RACES`` of the largest of the four race columns."""
    order = raw[list(_TIES)].to_numpy().argmax(axis=1)
    return np.array([_RACES.index(name) for name in _TIES])[order]


def _columns(raw: pd.DataFrame, left_out: tuple[str, ...], centre: bool) -> tuple[np.ndarray, tuple[str, ...]]:
    table = raw.iloc[:, 5:-1].drop(columns=list(left_out)).fillna(0.0)
    X = table.to_numpy(float)
    return (X - X.mean(axis=0) if centre else X), tuple(table.columns)


COMMUNITIES_AND_CRIME = DataFiles(
    1_994, "CC BY 4.0", "https://archive.ics.uci.edu/dataset/183/communities+and+crime",
    f"M. Redmond (2009), Communities and Crime, {_UCI}, doi 10.24432/C53W3X; "
    "M. Redmond, A. Baveja, European Journal of Operational Research 141 (2002)",
    COMMUNITIES, _communities,
    groups={
        "paper": Rule("paper: A = 1 when racepctblack is above its median, 0.06",
                      lambda raw: (raw["racepctblack"] > raw["racepctblack"].median()).astype(int),
                      ("racepctblack at most its median", "racepctblack above its median")),
        "race_argmax": Rule("race_argmax: A = 0 when racePctWhite is the largest of the four scaled race columns, else 1",
                            lambda raw: (_largest_race(raw) > 0).astype(int), ("racePctWhite largest", "another race column largest")),
        "race_argmax_4": Rule("race_argmax_4: which of the four scaled race columns is the largest", _largest_race,
                              ("White largest", "Black largest", "Asian largest", "Hispanic largest"))},
    labels={
        "p70": Rule("p70: ViolentCrimesPerPop strictly above its 70th percentile, 0.28",
                    lambda raw: (raw[_CRIME] > raw[_CRIME].quantile(0.7)).astype(int)),
        "p20": Rule("p20: ViolentCrimesPerPop strictly above its 20th percentile, 0.06",
                    lambda raw: (raw[_CRIME] > raw[_CRIME].quantile(0.2)).astype(int))},
    features={
        "paper": Rule("paper: the 122 features less racepctblack, as they are; missing values 0",
                      lambda raw: _columns(raw, ("racepctblack",), centre=False)),
        "unprotected": Rule("unprotected: the 122 features less the 18 protected ones, missing values 0, then centred",
                            lambda raw: _columns(raw, PROTECTED, centre=True)),
        "all": Rule("all: the 122 features as they are; missing values 0", lambda raw: _columns(raw, (), centre=False))},
    features_of_others="unprotected")


# --------------------- Adult: 48,842 adults of the 1994 Current Population Survey; 45,222 without a missing answer

_ADULT_COLUMNS = ("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
                  "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income")


def _adult(found: list[Found]) -> Raw:
    """The people with every answer given, training part first."""
    import pandas as pd

    # The test part opens with a comment line and ends its labels in a full stop.
    parts = [pd.read_csv(io.BytesIO(f.content), names=_ADULT_COLUMNS, skipinitialspace=True, skiprows=skip, na_values="?",
                         keep_default_na=False) for f, skip in zip(found, (0, 1), strict=True)]
    everybody = pd.concat(parts, ignore_index=True)
    everybody["income"] = everybody["income"].str.rstrip(".")
    raw = everybody.dropna(ignore_index=True)
    return raw, ((len(everybody) - len(raw), "an answer is missing (marked ? in the file)"),)


ADULTS = DataFiles(
    45_222, "CC BY 4.0", "https://archive.ics.uci.edu/dataset/2/adult",
    f"B. Becker, R. Kohavi (1996), Adult, {_UCI}, doi 10.24432/C5XW20", ADULT, _adult,
    groups=_SEX,
    labels={"income": Rule("income: above 50,000 dollars a year = 1", lambda raw: (raw["income"] == ">50K").astype(int))},
    features={"one_hot": Rule("one_hot: every category a 0/1 column, numbers as they are; sex and the survey weight fnlwgt left out",
                              lambda raw: one_hot(raw.drop(columns=["sex", "fnlwgt", "income"])))})


# ------- Bank Marketing: calls of a Portuguese bank, 2008-2010; the balanced selection of 11,162 of UCI's 45,211 rows

def balanced_rows() -> np.ndarray:
    """Which rows of bank-full (from 0) the balanced subset holds, in its order: shape (11162,). No two rows of bank-full are equal."""
    return np.array(find(BANK_ROWS).content.split(), dtype=np.int64)


def _bank(found: list[Found]) -> Raw:
    """The subset, in the subset's order, with ``y`` called ``deposit``."""
    import pandas as pd

    full = pd.read_csv(io.BytesIO(found[0].content), sep=";").rename(columns={"y": "deposit"})
    raw = full.iloc[balanced_rows()].reset_index(drop=True)
    return raw, ((len(full) - len(raw), "not in the balanced subset"),)


def _bands(*bands: tuple[int, int]) -> Callable[[pd.DataFrame], np.ndarray]:
    """A function giving 0, 1, ... for the first, second, ... closed band of ages, and the next code for the rest."""
    def codes(raw: pd.DataFrame) -> np.ndarray:
        age = raw["age"]
        return np.select([age.between(low, high) for low, high in bands], range(len(bands)), default=len(bands))
    return codes


BANK_CLIENTS = DataFiles(
    11_162, "CC BY 4.0", "https://archive.ics.uci.edu/dataset/222/bank+marketing",
    f"S. Moro, P. Rita, P. Cortez (2014), Bank Marketing, {_UCI}, doi 10.24432/C5K306", BANK, _bank,
    groups={
        "age": Rule("age: younger than 25 or older than 60 = 1", _bands((25, 60)), ("25 to 60", "younger than 25 or older than 60")),
        "m3": Rule("m3: age 25-40, 41-60, the rest", _bands((25, 40), (41, 60)), ("25 to 40", "41 to 60", "the rest")),
        "m5": Rule("m5: age 25-33, 34-40, 41-48, 49-60, the rest", _bands((25, 33), (34, 40), (41, 48), (49, 60)),
                   ("25 to 33", "34 to 40", "41 to 48", "49 to 60", "the rest"))},
    labels={"deposit": Rule("deposit: took the term deposit = 1", lambda raw: (raw["deposit"] == "yes").astype(int))},
    features={"one_hot": Rule("one_hot: every category a 0/1 column, numbers as they are; age left out",
                              lambda raw: one_hot(raw.drop(columns=["age", "deposit"])))})


# ------------- COMPAS: people of Broward County, Florida, whose risk of re-offending was scored in 2013-2014. Fetched, never passed on

# Only these columns are ever read: no name, birth date, case number, arrest date. ``score_text`` and
# ``days_b_screening_arrest`` serve ProPublica's filter and go with it.
_COUNTS = ("age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count")
_KEPT = ("sex", "race", *_COUNTS, "c_charge_degree", "two_year_recid")
_FILTER = ("is_recid", "days_b_screening_arrest", "score_text")


def _compas(found: list[Found]) -> Raw:
    """The rows that ProPublica's filter keeps, with the columns kept."""
    import pandas as pd

    columns = set(_KEPT + _FILTER)
    table = pd.read_csv(io.BytesIO(found[0].content), usecols=lambda c: c in columns, keep_default_na=False,
                        na_values={"days_b_screening_arrest": [""]})
    fine = (table["days_b_screening_arrest"].abs().le(30) & table["is_recid"].ne(-1) & table["c_charge_degree"].ne("O")
            & ~table["score_text"].isin(["", "N/A"]))
    raw = table.loc[fine, list(_KEPT)].reset_index(drop=True)
    return raw, ((int((~fine).sum()), "ProPublica's filter: charge more than 30 days from the screening, no case found, "
                                      "a traffic offence, or no score"),)


COMPAS_SCORES = DataFiles(
    6_172, "none stated: fetched at run time, not passed on", "https://github.com/propublica/compas-analysis",
    "J. Larson, S. Mattu, L. Kirchner, J. Angwin (ProPublica, 2016)", COMPAS, _compas,
    groups=_SEX | {
        "race": Rule("race: African-American = 1, Caucasian = 0; everybody else left out",
                     lambda raw: np.select([raw["race"] == "Caucasian", raw["race"] == "African-American"], [0, 1], default=-1),
                     ("Caucasian", "African-American"), "neither African-American nor Caucasian in the file")},
    labels={"two_year_recid": Rule("two_year_recid: charged again within two years = 1", lambda raw: raw["two_year_recid"])},
    features={"one_hot": Rule("one_hot: age, prior and juvenile counts as they are, the charge degree as 0/1 columns; "
                              "no names, dates or scores", lambda raw: one_hot(raw[[*_COUNTS, "c_charge_degree"]]))})


# ------------------------------- Census-Income (KDD): 299,285 people of the 1994 and 1995 Current Population Surveys

_CENSUS_COLUMNS = (
    "age", "class of worker", "detailed industry", "detailed occupation", "education", "wage per hour", "enrolled in education",
    "marital status", "major industry", "major occupation", "race", "hispanic origin", "sex", "member of a labor union",
    "reason for unemployment", "full or part time", "capital gains", "capital losses", "dividends", "tax filer status",
    "region of previous residence", "state of previous residence", "detailed household status", "household summary", "instance weight",
    "migration msa", "migration region", "migration within region", "in this house a year ago", "previous residence in sunbelt",
    "persons worked for employer", "family members under 18", "father's country of birth", "mother's country of birth", "country of birth",
    "citizenship", "own business", "veteran's questionnaire", "veterans benefits", "weeks worked in year", "year", "income")
# The rest are codes, some of them written as numbers.
_CENSUS_NUMBERS = ("age", "wage per hour", "capital gains", "capital losses", "dividends", "persons worked for employer",
                   "weeks worked in year")


def _census(found: list[Found]) -> Raw:
    """Both parts, nothing left out: ``?`` and ``Not in universe`` are answers of their own."""
    import pandas as pd

    kinds = {c: "int32" if c in _CENSUS_NUMBERS else "float64" if c == "instance weight" else "category" for c in _CENSUS_COLUMNS}
    both = io.BytesIO(b"".join(f.content for f in found))  # read at once: the two parts share their categories
    return pd.read_csv(both, names=_CENSUS_COLUMNS, skipinitialspace=True, keep_default_na=False, dtype=kinds), ()


CENSUS_INCOME = DataFiles(
    299_285, "CC BY 4.0", "https://archive.ics.uci.edu/dataset/117/census+income+kdd",
    f"T. Lane, R. Kohavi (2000), Census-Income (KDD), {_UCI}, doi 10.24432/C5N30T", CENSUS, _census,
    groups=_SEX,
    labels={"income": Rule("income: above 50,000 dollars a year = 1", lambda raw: (raw["income"] == "50000+.").astype(int))},
    # float32 holds these whole numbers exactly and halves the largest matrix of the library.
    features={"one_hot": Rule("one_hot: every category a 0/1 column, numbers as they are; sex and the survey weight left out",
                              lambda raw: one_hot(raw.drop(columns=["sex", "instance weight", "income"]), dtype=np.float32))})

#: The data sets that are read, by name.
SETS: dict[str, DataFiles] = {"communities": COMMUNITIES_AND_CRIME, "adult": ADULTS, "bank": BANK_CLIENTS, "compas": COMPAS_SCORES,
                              "census": CENSUS_INCOME}
