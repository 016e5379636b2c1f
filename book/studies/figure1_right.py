"""Figure 1, right panel: Algorithm 1 as printed on Communities and Crime, and the Q of its curves."""
from __future__ import annotations

import numpy as np

from dpfair_teach.experiments import (
    EPSILONS_FIGURE1,
    GAMMAS_FIGURE1,
    communities_counts,
    free_points,
    postprocessing_draws,
    quality_interval,
)

Rows = list[dict]

FIGURE1 = [{"epsilon": epsilon} for epsilon in EPSILONS_FIGURE1]

def curves(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Algorithm 1 as printed; draws with a negative slack are left out, and their share is a column."""
    return postprocessing_draws(communities_counts(), "as_printed", setting["epsilon"], GAMMAS_FIGURE1, repeats, rng,
                                negative_slack="left_out").rows(rng)


def quality(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q of the same draws, against the program without noise at the same gammas."""
    counts = communities_counts()
    draws, optimum = (postprocessing_draws(counts, "as_printed", epsilon, GAMMAS_FIGURE1, n, rng, negative_slack="left_out")
                      for epsilon, n in ((setting["epsilon"], repeats), (np.inf, 1)))
    kept = draws.kept
    q, low, high = quality_interval(draws.violation[kept], draws.error[kept], optimum.means(), free_points(counts), rng)
    return [{"q": q, "q_low": low, "q_high": high}]
