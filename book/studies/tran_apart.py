"""Why rows without privacy are apart from those that Tran et al. print: the encoding of Bank, and the gap that A and Z are asked for.

The paper gives neither. Bank's network learns once from one-hot columns and once from the loader's mean labels; A, on Income, and Z, on
Compas, are asked for several gaps.
"""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from dpfair_teach import baselines

from .tran_asked import Remembered
from .tran_encoding import encoded
from .tran_methods import EPOCHS, NETWORK_ROUNDS, network
from .tran_people import FOLDS, NOTIONS, Fold, People, fold, judged, parts, people
from .tran_table2 import fitted, ones

#: Learner, data set, notions, and what is varied.
WAYS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("clf_network", "bank", NOTIONS, ("one_hot", "whole")), ("a_network", "income", ("accuracy_parity",), ("0.01", "0.03", "0.05", "0.08")),
    ("z", "compas", ("demographic_parity",), ("0.0", "0.01", "0.03")))
APART: list[dict] = [{"method": method, "data": data, "notion": notion, "setting": setting}
                     for method, data, notions, varied in WAYS for notion in notions for setting in varied]


def of_encoding(encoding: str, number: int) -> Fold:
    """A fold of Bank with categories by one of ``tran_encoding.ENCODINGS``."""
    _, A, Y = people("bank")
    learn, judge = parts(Y)[number]
    X = encoded(encoding, Y, learn)
    scaler = StandardScaler().fit(X[learn])
    return Fold(*(People(scaler.transform(X[rows]), A[rows], Y[rows]) for rows in (learn, judge)), 2)


def apart(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Mean and standard deviation over five folds of accuracy and violation."""
    found, notion = [], setting["notion"]
    for number in range(FOLDS):
        if setting["method"] == "clf_network":
            of, model = of_encoding(setting["setting"], number), Remembered(network(EPOCHS))
        else:
            of, model = fold(setting["data"], number), asking(setting, notion)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            judgement = judged(ones(fitted(model, of, rng), of.judge.X), of, notion)
        found.append([judgement["accuracy"], judgement["violation"]])
    mean, deviation = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
    return [{"accuracy": mean[0], "accuracy_sd": deviation[0], "violation": mean[1], "violation_sd": deviation[1]}]


def asking(setting: dict, notion: str) -> Any:
    gap = float(setting["setting"])
    if setting["method"] == "z":
        return baselines.CovarianceClassifier(gap, n_groups=2, notion=notion)
    return baselines.Reduction(network(EPOCHS // 2), gap, n_groups=2, notion=notion, rounds=NETWORK_ROUNDS)
