"""Table 2 of Tran et al. 2020 made again: five data sets, three notions, every learner of the book that it bears on, five folds."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from dpfair_teach import SmallGroupWarning
from dpfair_teach.oneshot import FrontierLearner

from .tran_asked import operating_gamma
from .tran_methods import EPOCHS, MANY, METHODS, Case
from .tran_people import FOLDS, NOTIONS, SETS, Fold, fold, judged

#: So many repeats are one run a fold, as in the paper; twice as many are two.
ROUND = 24
EPSILONS: tuple[float, ...] = (1.0, 0.5)


def epsilons(method: str) -> tuple[float, ...]:
    """Of a method's rows. What PF-LD does over epsilon is Figure 1."""
    return EPSILONS if METHODS[method].both else (1.0,) if METHODS[method].private != "no" else (float("inf"),)


#: As everybody writes it, PF-LD is in Figure 1.
TABLE2: list[dict] = [
    {"data": data, "notion": notion, "method": method, "epsilon": epsilon, "fold": number}
    for data in SETS for notion in NOTIONS for method in METHODS if method != "pf_ld_autograd"
    for epsilon in epsilons(method) for number in range(FOLDS)]


def made(method: str, of: Fold, notion: str, epsilon: float) -> Any:
    return METHODS[method].make(Case(of.k, notion, epsilon, EPOCHS if len(of.learn.Y) <= MANY else EPOCHS // 2))


def fitted(model: Any, of: Fold, rng: np.random.Generator) -> Any:
    """Fitted to who is learned from; the bases alone see no group."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallGroupWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)     # of Z: so many steps are its setting
        if not hasattr(model, "notion"):
            return model.fit(of.learn.X, of.learn.Y)
        model.fit(of.learn.X, of.learn.Y, sensitive_features=of.learn.A, rng=rng)
    if isinstance(model, FrontierLearner):
        model.gamma = operating_gamma(model)
    return model


def ones(model: Any, X: np.ndarray) -> np.ndarray:
    """Everybody's P(1): of a learner of the library what it says, which is exact; of any other the likelier label."""
    chances = model.predict_proba(X)[:, 1]
    return chances if hasattr(model, "parity_") or isinstance(model, FrontierLearner) else (chances >= 0.5).astype(float)


def table2(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """A row for each draw of noise: accuracy, violation, and the table of counts on the judged fifth."""
    of, rows = fold(setting["data"], setting["fold"]), []
    for draw, own in enumerate(rng.spawn(repeats // ROUND)):
        model = fitted(made(setting["method"], of, setting["notion"], setting["epsilon"]), of, own)
        rows.append({"draw": draw, **judged(ones(model, of.judge.X), of, setting["notion"])})
    return rows
