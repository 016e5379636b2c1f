"""Figure 1, right panel: Algorithm 1 as printed on Communities and Crime, and the Q of its curves."""
from __future__ import annotations

import numpy as np

from dpfair_teach.experiments import free_points, postprocessing_draws

from .panels import communities_counts, quality_columns

Rows = list[dict]

#: Privacy levels of the right panel of Figure 1; ``inf`` is the program without noise.
EPSILONS_FIGURE1: tuple[float, ...] = (1.0, 2.0, 3.0, 5.0, float("inf"))


def _merged(*pieces: np.ndarray) -> tuple[float, ...]:
    """The values of all pieces in increasing order, those equal to 12 decimals once."""
    values = np.concatenate(pieces)
    _, first = np.unique(np.round(values, 12), return_index=True)
    return tuple(float(g) for g in values[first])


#: The 72 tolerances of Figure 1: fine near 0, coarse to 1, and 51 values over [0.01, 0.2]; duplicates merged.
GAMMAS_FIGURE1: tuple[float, ...] = _merged(
    np.arange(1, 11) / 1000, np.arange(2, 11) / 100, np.array([0.2, 0.4, 0.8, 1.0]), np.linspace(0.01, 0.2, 51))

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
    return [quality_columns(draws, optimum.means(), free_points(counts), rng)]
