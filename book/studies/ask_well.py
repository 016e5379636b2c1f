"""Asking well: its constants on drawn populations, and the group rules that were set aside until they stood."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import product

import numpy as np

from dpfair_teach.experiments import pareto_quality
from dpfair_teach.experiments.tradeoff import Draws
from dpfair_teach.oneshot import DESIGNED, Public

from .ask_once import draws_on, rules
from .left_panel import ASIDE_GROUPS, LAST_GROUPS
from .populations import POPULATIONS, population

Rows = list[dict]

#: What was varied around the chosen constants, one at a time.
TRIED: dict[str, dict[str, float]] = {
    "chosen": {}, "share 0.4": {"share": 0.4}, "share 0.6": {"share": 0.6}, "slope 0": {"slope": 0.0}, "slope 1": {"slope": 1.0},
    "cells 0.45": {"cells": 0.45}, "cells 1": {"cells": 1.0}, "length 2": {"length": 2.0}, "length 4": {"length": 4.0},
    "linear 0.1": {"linear": 0.1}, "linear 0.9": {"linear": 0.9}, "smooth 0.5": {"smooth": 0.5}, "smooth 5": {"smooth": 5.0},
    "shared 0.7": {"shared": 0.7}, "shared 0.97": {"shared": 0.97}, "apart 1": {"apart": 1.0}, "apart 4": {"apart": 4.0},
    "score 0.5": {"score_weight": 0.5}, "score 1.5": {"score_weight": 1.5}, "draws 64": {"draws": 64},
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
    changed: dict[str, object] = dict(TRIED[setting["variant"]])
    if "draws" in changed:
        changed["draws"] = int(TRIED[setting["variant"]]["draws"])
    constants = dataclasses.replace(DESIGNED, **changed)
    return over_populations(lambda X, A, Y: draws_on(
        Public(X, Y, constants), A, None, setting["epsilon"], max(2, repeats // POPULATIONS), rng, n_groups=2))


ASIDE = [{"group": group, "label": "p70", "evaluated": evaluated, "method": "designed", "epsilon": epsilon}
         for evaluated, group, epsilon in product(("in_sample", "held_out"), ASIDE_GROUPS, (0.5, 1.0, 2.0))]


#: Rules that were tried last, at the one epsilon that the chapter speaks of.
LAST = [{"group": group, "label": "p70", "evaluated": "in_sample", "method": "designed", "epsilon": 1.0} for group in LAST_GROUPS]


def aside(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q of a group rule with its interval, and by the second reference."""
    return [{name: row[name] for name in ("q", "q_low", "q_high", "q_thresholds", "rounds")} for row in rules(setting, repeats, rng)[:1]]
