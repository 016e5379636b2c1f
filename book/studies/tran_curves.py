"""What the one-shot learner offers at every gap, beside its one point in Table 2: from one release a fold, at shares of what is there."""
from __future__ import annotations

import numpy as np

from dpfair_teach.oneshot.basis import chances

from .tran_people import FOLDS, NOTIONS, SETS, fold, judged
from .tran_soft import mixtures
from .tran_table2 import EPSILONS, fitted, made

#: Gaps asked for, as shares of the gap that the classifier without a constraint has by the model of the groups.
SHARES: tuple[float, ...] = (0.0, 0.15, 0.3, 0.5, 0.75, 1.0)
CURVES: list[dict] = [{"data": data, "notion": notion, "method": method, "epsilon": epsilon, "fold": number}
                      for data in SETS for notion in NOTIONS for method in ("asked_logistic", "asked_network", "asked_boosted")
                      for epsilon in EPSILONS for number in range(FOLDS)]


def curves(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """A row for each share."""
    of = fold(setting["data"], setting["fold"])
    model = fitted(made(setting["method"], of, setting["notion"], setting["epsilon"]), of, rng)
    gammas, basis = [share * model.unconstrained_ for share in SHARES], model._basis
    found = mixtures(model, of.learn.X, of.learn.Y, gammas)
    return [{"share": share, "gamma": gamma, **judged(chances(basis, of.judge.X, one.multipliers, one.weights), of, setting["notion"])}
            for share, gamma, one in zip(SHARES, gammas, found, strict=True)]
