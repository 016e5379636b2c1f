"""What it gives away to encode a category by the mean label of its rows, as the authors' public loader of Bank does.

The mean is taken over the whole file, and so over the labels of those who are judged. How much that is worth shows where there is nothing
to learn: with a fair coin for everybody's label, accuracy on the judged beyond one half is the leak and nothing else. ``one_hot`` is the
book's rule; ``learned`` takes the means over those learned from, ``whole`` over everybody, for the eight columns that the loader encodes;
``many_learned`` and ``many_whole`` do the same to one more column, the balance in pieces of about ten rows: what the mistake becomes where
a category has many values. Learned and judged by the folds of Table 2, with logistic regression.
"""
from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from dpfair_teach import load

from .tran_people import FOLDS, parts, people

ENCODINGS: tuple[str, ...] = ("one_hot", "learned", "whole", "many_learned", "many_whole")
ENCODED: list[dict] = [{"labels": labels, "encoding": encoding} for labels in ("true", "coins") for encoding in ENCODINGS]
#: What the loader encodes; the month becomes a number.
ENCODED_COLUMNS: tuple[str, ...] = ("job", "marital", "education", "default", "housing", "loan", "contact", "poutcome")
_OF_EACH = 10


@cache
def _raw() -> pd.DataFrame:
    """The raw columns, in the order of ``people``."""
    kept: list[pd.DataFrame] = []

    def keep(raw: pd.DataFrame) -> np.ndarray:
        kept.append(raw.drop(columns=["age", "deposit"]))
        return raw[["day"]].to_numpy(float)
    load("bank", features=keep)
    return kept[0]


def encoded(encoding: str, Y: np.ndarray, learn: np.ndarray) -> np.ndarray:
    """Features (m, d) by one of ``ENCODINGS``, for labels Y and the rows learned from."""
    if encoding == "one_hot":
        return people("bank").X
    raw = _raw()
    months = {month: i + 1 for i, month in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}
    categories = {name: raw[name] for name in ENCODED_COLUMNS}
    if encoding.startswith("many"):
        categories["pieces"] = raw["balance"].rank(method="first").astype(int) // _OF_EACH
    rows = learn if encoding.endswith("learned") else np.arange(len(Y))
    labels = pd.Series(Y[rows])
    means = [column.map(labels.groupby(column.to_numpy()[rows]).mean()).fillna(labels.mean()) for column in categories.values()]
    numbers = raw.drop(columns=list(ENCODED_COLUMNS)).assign(month=raw["month"].map(months))
    return np.column_stack([numbers.to_numpy(float), *means])


def leak(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Accuracy on the judged, mean and standard deviation: over the folds, and where labels are coins over ``repeats`` tosses of them."""
    true, found = people("bank").Y, []
    for _ in range(repeats if setting["labels"] == "coins" else 1):
        Y = true if setting["labels"] == "true" else rng.integers(0, 2, len(true))
        for learn, judge in parts(true):
            X = encoded(setting["encoding"], Y, learn)
            scaler = StandardScaler().fit(X[learn])
            model = LogisticRegression(max_iter=1000).fit(scaler.transform(X[learn]), Y[learn])
            found.append(model.score(scaler.transform(X[judge]), Y[judge]))
    accuracy = np.array(found).reshape(-1, FOLDS)
    return [{"accuracy": float(accuracy.mean()), "accuracy_sd": float(accuracy.std(axis=1, ddof=1).mean()),
             "accuracy_se": float(accuracy.mean(axis=1).std(ddof=1) / len(accuracy) ** .5) if len(accuracy) > 1 else 0.0}]
