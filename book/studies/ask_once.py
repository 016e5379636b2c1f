"""The one-shot methods on Communities and Crime, and the choice of their constants on drawn populations."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import lru_cache
from itertools import product

import numpy as np

from dpfair_teach.experiments import (
    EPSILONS,
    GAMMAS_PROTOCOL,
    bootstrap_means,
    error_at_violation,
    pareto_quality,
)
from dpfair_teach.experiments.reference import error_and_gaps
from dpfair_teach.experiments.tradeoff import Draws, columns_with_interval
from dpfair_teach.oneshot import DEFAULTS, DESIGNED, Frontier, Public, learn, suggested_cells
from dpfair_teach.oneshot.basis import Basis
from dpfair_teach.oneshot.chosen import learn_designed
from dpfair_teach.oneshot.decided import Decisions
from dpfair_teach.oneshot.settings import Settings

from .left_panel import LEFT_GROUPS, left_people, left_reference, left_splits, mean_over_splits
from .panels import AT_VIOLATION, quality_columns
from .populations import PEOPLE, POPULATIONS, population

Rows = list[dict]
#: Functions of x, mixtures of them for all gammas, and what each decides of those learned from.
Learned = tuple[Basis, Frontier, Decisions]

#: Held out a round is a run on each of the 12 splits; more of them than this are not made, whatever ``repeats`` says.
HELD_OUT_ROUNDS = 30
#: Of a method that takes twenty times as long.
FEWER = {"designed": 6}
#: The methods of the left panel that ask once, as arguments of ``oneshot.FrontierLearner``.
ONESHOT_METHODS: dict[str, dict[str, object]] = {
    "histogram": {"method": "histogram", "oracle": "bayes"},
    "histogram_logistic": {"method": "histogram", "oracle": "logistic"},
    "histogram_regression": {"method": "histogram", "oracle": "regression"},
    "sums": {"method": "sums", "oracle": "bayes"},
    "sums_laplace": {"method": "sums", "oracle": "bayes", "norm": "l1"},
    "sums_regression": {"method": "sums", "oracle": "regression"},
    "designed": {"method": "designed", "oracle": "bayes"},
    "response": {"method": "response", "oracle": "regression", "share": 1.0},
    "response_certified": {"method": "response", "oracle": "regression"},
}


@lru_cache(maxsize=64)
def public_of(group: str, label: str, evaluated: str, split: int, oracle: str, settings: Settings = DEFAULTS) -> Public:
    people = left_people(group, label)
    learn_from = left_splits(people, evaluated)[split][0]
    return Public(people.X[learn_from], people.Y[learn_from], settings, oracle=oracle)


def draws_on(public: Public, A: np.ndarray, judge: tuple[np.ndarray, np.ndarray, np.ndarray] | None, epsilon: float, repeats: int,
             rng: np.random.Generator, *, n_groups: int, **how: object) -> Draws:
    """:func:`draws_of` a one-shot method, its arguments in ``how``."""
    how.pop("oracle", None)

    def learned() -> Learned:
        if how.get("method") == "designed":
            basis, frontier, *_ = learn_designed(public, A, n_groups, epsilon, rng, None, GAMMAS_PROTOCOL)
            return basis, frontier, Decisions(basis.of_people(public), frontier.multipliers)
        return learn(public, A, n_groups, epsilon, rng, gammas=GAMMAS_PROTOCOL, **how)[:3]
    return draws_of(learned, A, public.y, judge, repeats, n_groups)


def draws_of(learned: Callable[[], Learned], A: np.ndarray, y: np.ndarray, judge: tuple[np.ndarray, np.ndarray, np.ndarray] | None,
             repeats: int, n_groups: int) -> Draws:
    """Learn ``repeats`` times; error and violation are exact on the true groups of those learned from, or of others (X, A, Y)."""
    error, violation = np.empty((2, repeats, len(GAMMAS_PROTOCOL)))
    for r in range(repeats):
        basis, frontier, decisions = learned()
        used = np.flatnonzero((frontier.weights > 0).any(axis=0))
        weights = frontier.weights[:, used]
        if judge is None:
            errors, gaps = error_and_gaps(decisions.only(used).array(), A, y, n_groups)
        else:
            errors, gaps = error_and_gaps((basis(judge[0]) @ frontier.multipliers[used].T > 0).T, judge[1], judge[2], n_groups)
        error[r], violation[r] = weights @ errors, np.abs(weights @ gaps).max(axis=1)
    return Draws(error, violation, np.ones(repeats, dtype=bool), GAMMAS_PROTOCOL)


def settings_for(how: dict[str, object]) -> Settings:
    """The constants of a method."""
    return DESIGNED if how["method"] == "designed" else DEFAULTS


def _rounds(setting: dict, repeats: int) -> int:
    most = repeats if setting["evaluated"] == "in_sample" else FEWER.get(setting["method"], HELD_OUT_ROUNDS)
    return min(repeats, most)


def oneshot_draws(setting: dict, repeats: int, rng: np.random.Generator, on: Callable[..., Draws] = draws_on) -> Draws:
    """The curve of a setting: a repeat is in-sample one run, held out a round of 12, one on each split. ``on`` these a method runs."""
    people, how = left_people(setting["group"], setting["label"]), ONESHOT_METHODS[setting["method"]]
    splits = left_splits(people, setting["evaluated"])
    rounds = _rounds(setting, repeats)
    parts = []
    for s, (learned, judged) in enumerate(splits):
        public = public_of(setting["group"], setting["label"], setting["evaluated"], s, str(how["oracle"]), settings_for(how))
        judge = None if setting["evaluated"] == "in_sample" else (people.X[judged], people.A[judged], people.Y[judged])
        parts.append(on(public, people.A[learned], judge, setting["epsilon"], rounds, rng, n_groups=people.n_groups, **how))
    return mean_over_splits(parts)


def quality_of(draws: Draws, setting: dict, rng: np.random.Generator) -> dict[str, float]:
    """Q with its interval, NaN where the reference hardly beats the free points; Q by the second reference; the point at gamma = 0."""
    reference, free = left_reference(setting["group"], setting["label"], setting["evaluated"])
    q = quality_columns(draws, reference, free, rng)
    second, _ = left_reference(setting["group"], setting["label"], setting["evaluated"], thresholds=True)
    beside = np.nan if np.isnan(q["q"]) else pareto_quality(draws.means(), second, free)
    violation, error = draws.means()[0]
    return q | {"q_thresholds": float(beside), "violation_at_0": float(violation), "error_at_0": float(error)}


def curves(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The curve of a setting, one row a gamma; its Q stands in each of them."""
    draws = oneshot_draws(setting, repeats, rng)
    rows, q = draws.rows(rng), quality_of(draws, setting, rng)
    return [row | q for row in rows]


def rules(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The same, and how many curves were averaged."""
    return [row | {"rounds": _rounds(setting, repeats)} for row in curves(setting, repeats, rng)]


def at_violation(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The error offered at violation .05, of the same draws as the stored curve: both start from the setting's stream."""
    draws = oneshot_draws(setting, repeats, rng)
    _, free = left_reference(setting["group"], setting["label"], setting["evaluated"])
    return [columns_with_interval("error_at", lambda curve: error_at_violation(curve, AT_VIOLATION, free), draws.means(),
                                  bootstrap_means(draws.curves(), rng))]


CURVES = [{"group": group, "label": "p70", "evaluated": "in_sample", "method": method, "epsilon": epsilon}
          for group, method, epsilon in product(LEFT_GROUPS, ONESHOT_METHODS, EPSILONS)]
#: What stands beside the right panel, by the default rules: the default method, and asking well.
BESIDE_RIGHT = [setting for method in ("histogram", "designed") for setting in CURVES
                if (setting["group"], setting["method"]) == ("paper", method)]
#: The estimator's default by the other label rule, and judged on people that it has not seen.
RULES = [{"group": group, "label": label, "evaluated": evaluated, "method": "histogram", "epsilon": epsilon}
         for label, evaluated in (("p70", "held_out"), ("p20", "in_sample"), ("p20", "held_out"))
         for group, epsilon in product(LEFT_GROUPS, EPSILONS)]
#: The same of asking well.
DESIGNED_RULES = [setting | {"method": "designed"} for setting in RULES]


# ------------------------------------------------------------------------------------------------------------ drawn populations

#: What was varied around the chosen constants, one at a time; ``n_cells`` multiplies the suggested number of cells.
TRIED: dict[str, dict[str, float]] = {
    "chosen": {}, "share 0.4": {"share": 0.4}, "share 0.6": {"share": 0.6}, "half the cells": {"n_cells": 0.5},
    "twice the cells": {"n_cells": 2.0}, "length 1.5": {"length": 1.5}, "length 3": {"length": 3.0}, "linear 0.01": {"linear": 0.01},
    "linear 0.04": {"linear": 0.04}, "smooth 0.05": {"smooth": 0.05}, "smooth 0.2": {"smooth": 0.2}, "residual 0.8": {"residual": 0.8},
    "score 0.5": {"score_weight": 0.5}, "score 1.5": {"score_weight": 1.5},
}
TUNING = [{"method": method, "variant": variant, "epsilon": epsilon}
          for method, variant, epsilon in product(("histogram", "histogram_logistic", "histogram_regression"), TRIED, (0.5, 1.0, 2.0))
          if variant == "chosen" or (method == "histogram" and (epsilon == 1.0 or variant.startswith("share")))]


def tuned(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Mean Q over drawn populations of one variant of the constants; the populations are the same for all variants."""
    changed = dict(TRIED[setting["variant"]])
    factor = changed.pop("n_cells", 1.0)
    constants, how = dataclasses.replace(DEFAULTS, **changed), dict(ONESHOT_METHODS[setting["method"]])
    how["n_cells"] = max(2, round(factor * suggested_cells(PEOPLE, setting["epsilon"])))
    qualities = []
    for seed in range(POPULATIONS):
        X, A, Y, rows = population(seed)
        public = Public(X, Y, constants, oracle=how["oracle"])
        draws = draws_on(public, A, None, setting["epsilon"], max(2, repeats // POPULATIONS), rng, n_groups=2, **how)
        qualities.append(pareto_quality(draws.means(), rows[:-2], rows[-2:]))
    return [{"q": float(np.mean(qualities)), "q_lowest": float(np.min(qualities)), "populations": POPULATIONS}]
