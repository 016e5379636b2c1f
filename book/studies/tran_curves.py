"""What the learner that asks offers at every gap, beside its one point in Table 2: from one release a fold, at shares of what is there."""
from __future__ import annotations

import numpy as np

from .tran_people import FOLDS, NOTIONS, SETS, fold, judged
from .tran_table2 import EPSILONS, fitted, made

#: Gaps asked for, as shares of the one at which nothing is constrained, by the release; at 0 the fairest useful mixture.
SHARES: tuple[float, ...] = (0.0, 0.15, 0.3, 0.5, 0.75, 1.0)
CURVES: list[dict] = [{"data": data, "notion": notion, "method": method, "epsilon": epsilon, "fold": number}
                      for data in SETS for notion in NOTIONS for method in ("asked_logistic", "asked_network", "asked_boosted")
                      for epsilon in EPSILONS for number in range(FOLDS)]


def curves(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """A row for each share."""
    of = fold(setting["data"], setting["fold"])
    model = fitted(made(setting["method"], of, setting["notion"], setting["epsilon"]), of, rng)
    gammas = [share * float(model.frontier_.violations[-1]) for share in SHARES]
    return [{"share": share, "gamma": gamma, **judged(model.predict_proba(of.judge.X, gamma=gamma)[:, 1], of, setting["notion"])}
            for share, gamma in zip(SHARES, gammas, strict=True)]
