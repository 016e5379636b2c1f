"""Who is learned from and who is judged in the figures of Ding et al. 2020: Adult, and Census-Income (KDD) where they have a US extract.

Their extract of 370,000 records cannot be passed on; Census-Income is a named stand-in, with another label (50,000 dollars, not 25,000).
``codes``: each attribute is one number in [0, 1], a category by its place in the sorted list, and the row is divided by the root of their
number: so x >= 0 and |x| <= 1, and an attribute x_s is one weight, as in their algorithms. ``one_hot``: categories as 0/1 columns, money by
its root; seven attributes of Adult are categories, so that no row is shorter than root 7, and all are brought to that length.

All of this was fixed without a look at values: ages begin and end where the surveys do (over 16; 90 stands for more), hours have two
digits, losses and wages four, gains and dividends five. Categories are those that occur, all of which the codebooks list.
"""
from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpfair_teach import load
from dpfair_teach.data import Dataset
from dpfair_teach.functional import shorten_rows

#: Ranges of the numbers, and what is no feature.
RANGES: dict[str, dict[str, tuple[float, float]]] = {
    "adult": {"age": (17, 90), "education-num": (1, 16), "capital-gain": (0, 99999), "capital-loss": (0, 9999), "hours-per-week": (0, 99)},
    "census": {"age": (0, 90), "wage per hour": (0, 9999), "capital gains": (0, 99999), "capital losses": (0, 9999),
               "dividends": (0, 99999), "persons worked for employer": (0, 6), "weeks worked in year": (0, 52)}}
NO_FEATURES = {"sex", "fnlwgt", "instance weight", "income"}
MONEY = {"capital-gain", "capital-loss", "capital gains", "capital losses", "dividends", "wage per hour"}
SPLITS = 10
#: Attributes of Adult that are categories.
ONES = 7


def numbers(raw: pd.DataFrame, data: str, one_hot: bool) -> pd.DataFrame:
    """Every attribute in [0, 1]: one column each, or of a category one for each value."""
    columns: dict[str, np.ndarray] = {}
    for name in raw.columns:
        if name in NO_FEATURES:
            continue
        if name in RANGES[data]:
            low, high = RANGES[data][name]
            share = np.clip((raw[name].to_numpy(dtype=float) - low) / (high - low), 0, 1)
            columns[name] = np.sqrt(share) if one_hot and name in MONEY else share
            continue
        codes, values = pd.factorize(raw[name].astype(str), sort=True)
        if one_hot:
            columns |= {f"{name}={value}": (codes == code).astype(float) for code, value in enumerate(values)}
        else:
            columns[name] = codes / max(1, len(values) - 1)
    return pd.DataFrame(columns)


def adult_codes(raw: pd.DataFrame) -> pd.DataFrame:
    return numbers(raw, "adult", one_hot=False)


def adult_one_hot(raw: pd.DataFrame) -> pd.DataFrame:
    return numbers(raw, "adult", one_hot=True)


def census_codes(raw: pd.DataFrame) -> pd.DataFrame:
    return numbers(raw, "census", one_hot=False)


#: By data set and encoding; and how ``data.load`` is asked for them.
FEATURES = {("adult", "codes"): adult_codes, ("adult", "one_hot"): adult_one_hot, ("census", "codes"): census_codes}
READS: tuple[dict[str, Any], ...] = tuple({"name": data, "features": rule} for (data, _), rule in FEATURES.items())


def attributes(names: tuple[str, ...]) -> int:
    """How many there are: columns of one category begin with its name."""
    return len({name.split("=")[0] for name in names})


@cache
def people(data: str, encoding: str) -> tuple[Dataset, int]:
    """The data set by that encoding, not yet divided by anything, and how many attributes a row has."""
    found = load(data, features=FEATURES[data, encoding])
    return found, attributes(found.feature_names)


class Split(NamedTuple):
    """Rows of norm at most 1, labels and groups: of who is learned from, and of who is judged."""

    X: np.ndarray
    y: np.ndarray
    A: np.ndarray
    X_judged: np.ndarray
    y_judged: np.ndarray
    A_judged: np.ndarray
    names: tuple[str, ...]

    def feature(self, attribute: str) -> int:
        return self.names.index(attribute)


@cache
def unit_rows(data: str, encoding: str) -> np.ndarray:
    found, all_attributes = people(data, encoding)
    return shorten_rows(found.X, math.sqrt(ONES if encoding == "one_hot" else all_attributes))


def split(data: str, encoding: str, number: int) -> Split:
    """One of ten: 80 % learn, 20 % are judged."""
    found, _ = people(data, encoding)
    X, order = unit_rows(data, encoding), np.random.default_rng([2020, number]).permutation(found.m)
    learn, judge = order[:found.m * 4 // 5], order[found.m * 4 // 5:]
    return Split(X[learn], found.Y[learn], found.A[learn], X[judge], found.Y[judge], found.A[judge], found.feature_names)


def judged(accepts: np.ndarray, of: Split) -> dict[str, float]:
    """Accuracy, risk difference between the two groups, share accepted, and what the better constant has."""
    rates = [accepts[of.A_judged == a].mean() for a in (0, 1)]
    ones = of.y_judged.mean()
    return {"accuracy": float((accepts == of.y_judged).mean()), "risk_difference": float(abs(rates[1] - rates[0])),
            "accepted": float(accepts.mean()), "constant": float(max(ones, 1 - ones))}


def beyond(rows: pd.DataFrame) -> pd.Series:
    """Accuracy less that of the constant classifier, of rows of a stored table."""
    return rows["accuracy"] - rows["constant"]


def spread(runs: list[dict[str, float]]) -> dict[str, float]:
    """Mean and standard deviation of every number over the runs."""
    table = pd.DataFrame(runs)
    return {**table.mean().to_dict(), **table[["accuracy", "risk_difference"]].std().add_suffix("_deviation").to_dict(), "runs": len(runs)}
