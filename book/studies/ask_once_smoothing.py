"""Constants beside the likelihood of the noisy counts, on drawn populations that were in no choice of a constant."""
from __future__ import annotations

import copy
from itertools import product

import numpy as np

from dpfair_teach.experiments.pareto import pareto_quality
from dpfair_teach.oneshot import DEFAULTS, suggested_cells

from .ask_once import ONESHOT_METHODS, draws_on
from .ask_once_others import drawn_public
from .populations import PEOPLE, population

Rows = list[dict]

#: Seeds of populations; ``left_tuning`` and ``left_repaired_tuning`` have 0, ..., 11.
FRESH = range(100, 124)
SMOOTHED = [{"smoothing": smoothing, "cells": cells, "epsilon": epsilon}
            for smoothing, cells, epsilon in product(("fixed", "likelihood"), (1, 2, 4), (0.5, 1.0, 2.0))]


def smoothed(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Mean Q of a smoothing with ``cells`` times the suggested cells, and how much more that is than the default's on the same population
    with the same stream of noise; standard errors over populations."""
    epsilon, suggested = setting["epsilon"], suggested_cells(PEOPLE, setting["epsilon"])

    def quality(seed: int, smoothing: str, cells: int, rng: np.random.Generator) -> float:
        _, A, _, rows = population(seed)
        draws = draws_on(drawn_public(seed, DEFAULTS.score_weight), A, None, epsilon, max(2, repeats // len(FRESH)), rng,
                         **ONESHOT_METHODS["histogram"], n_groups=2, n_cells=int(cells) * suggested, smoothing=smoothing)
        return pareto_quality(draws.means(), rows[:-2], rows[-2:])

    pairs = [(quality(seed, setting["smoothing"], setting["cells"], copy.deepcopy(stream)), quality(seed, "fixed", 1, stream))
             for seed, stream in zip(FRESH, rng.spawn(len(FRESH)), strict=True)]
    mine, default = np.array(pairs).T
    gain = mine - default
    root = np.sqrt(len(FRESH))
    return [{"q": float(mine.mean()), "q_standard_error": float(mine.std(ddof=1) / root), "gain": float(gain.mean()),
             "gain_standard_error": float(gain.std(ddof=1) / root), "better_on": int((gain > 0).sum()), "populations": len(FRESH)}]
