"""What the one-shot learner does not do, beside what it does: other releases on the data, other cells and covariances on drawn ones."""
from __future__ import annotations

import copy
import dataclasses
from functools import lru_cache
from itertools import product

import numpy as np
from sklearn.cluster import KMeans

from dpfair_teach.experiments import pareto_quality
from dpfair_teach.oneshot import DEFAULTS, Public, suggested_cells

from .ask_once import ONESHOT_METHODS, draws_on, public_of, quality_of
from .left_panel import LEFT_GROUPS, left_people
from .populations import PEOPLE, POPULATIONS, population

Rows = list[dict]

# ------------------------------------------------------------------------------------------------------------ on the data

#: Releases that are no method of the panel, as arguments of ``oneshot.FrontierLearner``. ``share_04`` has the share of epsilon with which
#: all four group rules had been seen before it was changed; ``sums_features`` releases what the regression oracle needs: s_ay of (1, X).
OTHERS: dict[str, dict[str, object]] = {
    "share_04": ONESHOT_METHODS["histogram"] | {"share": 0.4},
    "sums_features": ONESHOT_METHODS["sums_regression"] | {"columns": "features"},
}
OTHERS_ON_DATA = [{"group": group, "label": "p70", "method": method, "epsilon": epsilon}
                  for method, group, epsilon in product(OTHERS, LEFT_GROUPS, (0.5, 1.0, 2.0, 5.0))
                  if method == "share_04" or group in ("paper", "race_argmax")]


def on_data(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q of one setting with its interval, in-sample, and the point at gamma 0."""
    people, how = left_people(setting["group"], setting["label"]), OTHERS[setting["method"]]
    public = public_of(setting["group"], setting["label"], "in_sample", 0, how["oracle"])
    draws = draws_on(public, people.A, None, setting["epsilon"], repeats, rng, n_groups=people.n_groups, **how)
    row = quality_of(draws, setting | {"evaluated": "in_sample"}, rng)
    return [{name: row[name] for name in ("q", "q_low", "q_high", "violation_at_0", "error_at_0")}]


# ------------------------------------------------------------------------------------------------------------ drawn populations

#: The library's way, and cells or a covariance chosen in another; the words for readers stand in chapter 14, beside the table.
WAYS: tuple[str, ...] = ("chosen", "no score", "score bins", "likelihood")
OTHERS_DRAWN = [{"way": way, "epsilon": epsilon} for way, epsilon in product(WAYS, (0.5, 1.0, 2.0))]


def crossed_cells(public: Public, n_cells: int) -> tuple[np.ndarray, int]:
    """``n_cells`` a label: the people of a label in two halves by the base score, each half clustered without it."""
    codes, start = np.empty(public.m, dtype=np.int64), 0
    for mine in public.people:
        high = public.place[mine, -1] > np.median(public.place[mine, -1])
        for half in (mine[~high], mine[high]):
            place = public.place[half, :-1]
            n = min(max(1, n_cells // 2), len(np.unique(place, axis=0)))
            codes[half] = start + KMeans(n, n_init=1, random_state=0).fit(place).labels_
            start += n
    return codes, start


@lru_cache(maxsize=2 * POPULATIONS)
def drawn_public(seed: int, score_weight: float) -> Public:
    X, _, Y, _ = population(seed)
    return Public(X, Y, dataclasses.replace(DEFAULTS, score_weight=score_weight), oracle=str(ONESHOT_METHODS["histogram"]["oracle"]))


def drawn(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Mean Q over drawn populations of one way, with its standard error; the same populations for all ways."""
    way, epsilon = setting["way"], setting["epsilon"]
    how, n_cells = ONESHOT_METHODS["histogram"], suggested_cells(PEOPLE, setting["epsilon"])
    qualities = []
    for seed in range(POPULATIONS):
        _, A, _, rows = population(seed)
        public = drawn_public(seed, 0.0 if way == "no score" else DEFAULTS.score_weight)
        if way == "score bins":
            public = copy.copy(public)
            public._cells = {n_cells: crossed_cells(public, n_cells)}
        draws = draws_on(public, A, None, epsilon, max(2, repeats // POPULATIONS), rng, **how, n_groups=2, n_cells=n_cells,
                         smoothing="likelihood" if way == "likelihood" else "fixed")
        qualities.append(pareto_quality(draws.means(), rows[:-2], rows[-2:]))
    error = np.std(qualities, ddof=1) / np.sqrt(len(qualities))
    return [{"q": float(np.mean(qualities)), "q_standard_error": float(error), "q_lowest": float(np.min(qualities)),
             "populations": POPULATIONS}]
