"""Asking well: its constants and the share of its first question, on drawn populations; and group rules that were set aside."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import lru_cache
from itertools import product

import numpy as np

from dpfair_teach.experiments import lower_hull, pareto_quality, regression_reference
from dpfair_teach.experiments.pareto import area
from dpfair_teach.experiments.tradeoff import Draws
from dpfair_teach.oneshot import SETTINGS, PublicData

from .ask_once import draws_on, rules
from .left_panel import ASIDE_GROUPS, LAST_GROUPS
from .populations import PEOPLE, POPULATIONS, drawn_population, population

Rows = list[dict]

#: What was varied around the chosen constants, one at a time.
TRIED: dict[str, dict[str, float]] = {
    "chosen": {}, "coordinates 12": {"coordinates": 12}, "coordinates 60": {"coordinates": 60}, "cells 0.45": {"cells": 0.45},
    "cells 1": {"cells": 1.0}, "length 2": {"length": 2.0}, "length 4": {"length": 4.0}, "linear 0.1": {"linear": 0.1},
    "linear 0.9": {"linear": 0.9}, "smooth 0.5": {"smooth": 0.5}, "smooth 5": {"smooth": 5.0}, "shared 0.7": {"shared": 0.7},
    "shared 0.97": {"shared": 0.97}, "apart 1": {"apart": 1.0}, "apart 4": {"apart": 4.0}, "draws 64": {"draws": 64},
}
TUNING = [{"variant": variant, "epsilon": epsilon} for variant, epsilon in product(TRIED, (0.5, 1.0))]


def over_populations(draw: Callable[[np.ndarray, np.ndarray, np.ndarray], Draws]) -> Rows:
    """Mean Q over the drawn populations, of what ``draw(X, A, Y)`` learns of each; they are the same for all variants."""
    qualities = []
    for seed in range(POPULATIONS):
        X, A, Y, rows = population(seed)
        qualities.append(pareto_quality(draw(X, A, Y).means(), rows[:-2], rows[-2:]))
    error = np.std(qualities, ddof=1) / np.sqrt(POPULATIONS)
    return [{"q": float(np.mean(qualities)), "q_standard_error": float(error), "q_lowest": float(np.min(qualities)),
             "populations": POPULATIONS}]


def tuned(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Mean Q over drawn populations of one variant of the constants."""
    whole = {name: type(getattr(SETTINGS, name))(value) for name, value in TRIED[setting["variant"]].items()}
    constants = dataclasses.replace(SETTINGS, **whole)
    return over_populations(lambda X, A, Y: draws_on(
        PublicData(X, Y, constants), A, None, setting["epsilon"], max(1, repeats // POPULATIONS), rng, n_groups=2))


#: Of epsilon, for the first question: 1 is no second one. ``by_rule`` is what the learner does by itself.
SHARES = [{"target": target, "label_share": label, "epsilon": epsilon, "share": share} for target, label, epsilon, share in product(
    ("these", "new"), (0.1, 0.3), (0.1, 0.3, 1.0, 3.0), (0.35, 0.5, 0.65, 0.8, 1.0, "by_rule"))]


@lru_cache(maxsize=24)
def with_others(seed: int, label: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """X, A, Y of people learned from and then of twice as many to come; and the reference of either, learned from those themselves."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    X, A, Y = drawn_population(3 * PEOPLE, rng, even=seed % 2 == 1, label=label)
    parts = {"these": slice(0, PEOPLE), "new": slice(PEOPLE, None)}
    return X, A, Y, {name: np.vstack(regression_reference(X[at], A[at], Y[at])) for name, at in parts.items()}


def first_share(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q over drawn populations together, of one share of the first question: 1 less all that is lost over all that could be lost. Its
    standard error is that of leaving out one population after the other."""
    lost = np.empty((POPULATIONS, 2))
    share = None if setting["share"] == "by_rule" else setting["share"]
    for seed in range(POPULATIONS):
        X, A, Y, reference = with_others(seed, setting["label_share"])
        public = PublicData(X[:PEOPLE], Y[:PEOPLE], target=setting["target"])
        others = X[PEOPLE:], A[PEOPLE:], Y[PEOPLE:]
        curve = draws_on(public, A[:PEOPLE], others if setting["target"] == "new" else None, setting["epsilon"],
                         max(1, repeats // POPULATIONS), rng, n_groups=2, share=share).means()
        rows, free = reference[setting["target"]][:-2], reference[setting["target"]][-2:]
        optimum, end = lower_hull(np.vstack([rows, free])), free[1, 0]
        scale = end * (free[0, 1] - free[1, 1])
        lost[seed] = [area(lower_hull(points), optimum, end) / scale for points in (np.vstack([curve, free]), free)]
    without = 1 - (lost[:, 0].sum() - lost[:, 0]) / (lost[:, 1].sum() - lost[:, 1])
    spread = np.sqrt((POPULATIONS - 1) * np.var(without))
    return [{"q": float(1 - lost[:, 0].sum() / lost[:, 1].sum()), "q_standard_error": float(spread), "populations": POPULATIONS}]


ASIDE = [{"group": group, "label": "p70", "evaluated": evaluated, "method": "ask_well", "epsilon": epsilon}
         for evaluated, group, epsilon in product(("in_sample", "held_out"), ASIDE_GROUPS, (0.5, 1.0, 2.0))]


#: Rules that were tried last, at the one epsilon that the chapter speaks of.
LAST = [{"group": group, "label": "p70", "evaluated": "in_sample", "method": "ask_well", "epsilon": 1.0} for group in LAST_GROUPS]


def aside(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q of a group rule with its interval, and by the second reference."""
    return [{name: row[name] for name in ("q", "q_low", "q_high", "q_thresholds", "rounds")} for row in rules(setting, repeats, rng)[:1]]
