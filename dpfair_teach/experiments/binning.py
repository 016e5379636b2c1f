"""How many score bins: a public rule, chosen on drawn data before any result on real data was computed.

More bins follow the ROC curve of the score more closely and put noise into more cells. What a bin's rates suffer depends on how many people
it holds and on the noise, whose scale is 1 / epsilon people: on m times epsilon. Both are public, so the rule costs nothing.

It was chosen by the experiment ``bins_tuned``: logistic populations of 2,000 people and five features, 400 of them with coefficients,
group shares, base rates and feature shifts drawn at random, of which the 58 are kept where the base is unfair by at least 0.15 (else there is
nothing to trade). At each m epsilon the rule takes a number of bins whose mean Q is the best of nine, or within .01 of the best.
"""
from __future__ import annotations

from functools import cache

import numpy as np

from .. import _checks, data, fairness, postprocessing
from .grids import GAMMAS_PROTOCOL
from .pareto import pareto_quality
from .tradeoff import free_points, postprocessing_draws

__all__ = ["BINS_RULE", "bins_by_rule"]

#: Pairs (m epsilon from which on, number of bins).
BINS_RULE: tuple[tuple[float, int], ...] = ((0.0, 3), (150.0, 5), (1000.0, 8), (3000.0, 12), (10_000.0, 16))

#: What ``bins_tuned`` compared: m epsilon, bins.
TUNED_AT: tuple[float, ...] = (50.0, 100.0, 200.0, 300.0, 500.0, 800.0, 1200.0, 2000.0, 3200.0, 6400.0, 12800.0)
TUNED_BINS: tuple[int, ...] = (2, 3, 4, 5, 6, 8, 10, 12, 16)
_PEOPLE, _TRIED, _UNFAIR, _SEED = 2000, 400, 0.15, 7


def bins_by_rule(m: int, epsilon: float) -> int:
    """The number of score bins for m people at epsilon: 3, 5, 8, 12 or 16, growing with m epsilon (``BINS_RULE``).

    Source: ours; chosen on drawn populations by the experiment ``bins_tuned``, for two groups.

    Parameters
    ----------
    m : int
        People in the released table, at least 1.
    epsilon : float
        Above 0; ``inf`` for no noise.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        Where ``m`` or ``epsilon`` is out of range.

    Examples
    --------
    >>> [bins_by_rule(2000, epsilon) for epsilon in (.05, .1, .5, 1, 2, 10)]
    [3, 5, 8, 8, 12, 16]
    """
    m = _checks.integer("m", m, low=1, high=10**15)
    epsilon = _checks.number("epsilon", epsilon, low=1e-9, finite=False)
    return max(bins for least, bins in BINS_RULE if m * epsilon >= least)


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
