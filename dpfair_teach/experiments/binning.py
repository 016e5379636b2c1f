"""How many score bins, tried on drawn populations: the experiment behind ``postprocessing.suggested_bins``.

Logistic populations of 2,000 people and five features: 400 with coefficients, group shares, base rates and feature shifts drawn at
random, of which the 58 are kept where the base is unfair by at least 0.15 (else there is nothing to trade). What a bin's rates suffer
depends on how many people it holds and on the noise, whose scale is 1 / epsilon people: so on m times epsilon, which is a column.
"""
from __future__ import annotations

from functools import cache

import numpy as np

from .. import data, fairness, postprocessing
from .grids import GAMMAS_PROTOCOL
from .pareto import pareto_quality
from .tradeoff import free_points, postprocessing_draws

__all__ = ["TUNED_AT", "TUNED_BINS"]

#: What ``bins_tuned`` compared: m epsilon, bins.
TUNED_AT: tuple[float, ...] = (50.0, 100.0, 200.0, 300.0, 500.0, 800.0, 1200.0, 2000.0, 3200.0, 6400.0, 12800.0)
TUNED_BINS: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16)
_PEOPLE, _TRIED, _UNFAIR, _SEED = 2000, 400, 0.15, 7


@cache
def _populations() -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]:
    """Score, A and Y of the drawn people whose base is unfair by at least ``_UNFAIR``."""
    kept = []
    for number in range(_TRIED):
        rng = np.random.default_rng([_SEED, number])
        share, first = rng.uniform(.2, .5), rng.uniform(-1, .3)
        w = rng.normal(size=5)
        people = data.make_logistic(
            _PEOPLE, d=5, coefficients=w * rng.uniform(1.5, 3.5) / np.linalg.norm(w), intercepts=[first, first + rng.uniform(-1, 1)],
            shifts=np.stack([np.zeros(5), rng.normal(0, .4, 5)]), group_shares=[1 - share, share], rng=rng)
        score = data.base_classifier(people).predict_proba(people.X)[:, 1]
        if fairness.violation(fairness.cell_counts(score >= .5, people.A, people.Y)) >= _UNFAIR:
            kept.append((score, people.A, people.Y))
    return tuple(kept)


def tuned(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Mean Q over the drawn populations for one m epsilon and one number of bins."""
    found = []
    for score, A, Y in _populations():
        decided = fairness.cell_counts(score >= .5, A, Y)
        bins = postprocessing.score_bins(score, postprocessing.optimal_cuts(score, Y, setting["n_bins"]))
        counts = fairness.cell_counts(bins, A, Y, n_bins=setting["n_bins"])
        optimum = postprocessing_draws(decided, "as_printed_no_slack", np.inf, GAMMAS_PROTOCOL, 1, rng)
        draws = postprocessing_draws(counts, "score_bins", setting["m_epsilon"] / _PEOPLE, GAMMAS_PROTOCOL, repeats, rng)
        found.append(pareto_quality(draws.means(), optimum.means(), free_points(decided)))
    return [{"q": float(np.mean(found)), "q_lowest": float(np.min(found)), "populations": len(found)}]
