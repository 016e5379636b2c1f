"""Which cuts and how many score bins, tried on drawn populations: behind the cuts of ``DPPostProcessing`` and ``suggested_bins``.

Logistic populations of five features: 400 with coefficients, group shares, base rates and feature shifts drawn at random, of which 58 are
kept, where the base is unfair by at least 0.15 to 2,000 people (else there is nothing to trade). Law n comes from the seed [7, n], and so
do its people; 20,000 more of the same law come from [7, n, 1]. The base, the cuts and the table are the people's, error and violation are
read on the 20,000. Cuts read everybody's label; so on the same people many bins look better than they are, those of the price above all.

What a bin's rates suffer depends on how many people it holds and on the noise, whose scale is 1 / epsilon people: so on m times epsilon,
which is a column. What m does beside shows with 500 people of the same laws. No data set is read.
"""
from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from dpfair_teach import data, fairness, postprocessing
from dpfair_teach.experiments import GAMMAS_PROTOCOL, free_points, pareto_quality, postprocessing_draws
from dpfair_teach.experiments.tradeoff import bootstrap_interval

#: What ``bins_tuned`` compared: m epsilon, bins, how they are cut.
TUNED_AT: tuple[float, ...] = (50.0, 100.0, 200.0, 300.0, 500.0, 800.0, 1200.0, 2000.0, 3200.0, 6400.0, 12800.0)
TUNED_BINS: tuple[int, ...] = (2, 3, 4, 5, 6, 8, 11, 16)
CRITERIA: tuple[str, ...] = ("area", "price")
#: Its settings: all of them at 2,000 people; fewer at 500, which show what m does at the same m epsilon.
TUNED: list[dict] = [{"m": m, "m_epsilon": x, "n_bins": b}
                     for m, at, bins in ((500, (100.0, 300.0, 800.0, 2000.0, 6400.0), (3, 5, 7, 9, 13)), (2000, TUNED_AT, TUNED_BINS))
                     for x, b in product(at, bins)]
_KEPT_AT, _TRIED, _UNFAIR, _FRESH, _SEED = 2000, 400, 0.15, 20_000, 7

People = tuple[np.ndarray, np.ndarray, np.ndarray]


def _drawn(number: int, m: int, fresh: int = 0) -> tuple[People, ...]:
    """Score, A and Y of m people of a law, and of so many fresh ones; the base is fitted on the former."""
    rng = np.random.default_rng([_SEED, number])
    share, first = rng.uniform(.2, .5), rng.uniform(-1, .3)
    w = rng.normal(size=5)
    law = {"d": 5, "coefficients": w * rng.uniform(1.5, 3.5) / np.linalg.norm(w), "intercepts": [first, first + rng.uniform(-1, 1)],
           "shifts": np.stack([np.zeros(5), rng.normal(0, .4, 5)]), "group_shares": [1 - share, share]}
    sets = [data.make_logistic(m, rng=rng, **law)]
    if fresh:
        sets.append(data.make_logistic(fresh, rng=np.random.default_rng([_SEED, number, 1]), **law))
    base = data.base_classifier(sets[0])
    return tuple((base.predict_proba(people.X)[:, 1], people.A, people.Y) for people in sets)


def _decided(people: People) -> np.ndarray:
    score, A, Y = people
    return fairness.cell_counts(score >= .5, A, Y, n_groups=2)


@cache
def _kept() -> tuple[int, ...]:
    """The numbers of the laws whose base is unfair by at least ``_UNFAIR`` to ``_KEPT_AT`` people."""
    return tuple(n for n in range(_TRIED) if fairness.violation(_decided(_drawn(n, _KEPT_AT)[0])) >= _UNFAIR)


@cache
def _populations(m: int) -> list[tuple[People, ...]]:
    """The people learnt from and the fresh ones, of each law."""
    return [_drawn(number, m, _FRESH) for number in _kept()]


@cache
def _references(m: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The non-private optimum on yhat, learnt from the people, and the free points, both read on the fresh ones."""
    no_draws, found = np.random.default_rng(0), []
    for mine, fresh in _populations(m):
        optimum = postprocessing_draws(_decided(mine), "as_printed_no_slack", np.inf, GAMMAS_PROTOCOL, 1, no_draws,
                                       evaluate_on=_decided(fresh))
        found.append((optimum.means(), free_points(_decided(fresh))))
    return found


@cache
def _binned(m: int, criterion: str, n_bins: int) -> list[list[np.ndarray]]:
    """The tables of bins of the people and of the fresh ones; the cuts are the people's."""
    tables = []
    for sets in _populations(m):
        cuts = postprocessing.optimal_cuts(sets[0][0], sets[0][2], n_bins, criterion)
        tables.append([fairness.cell_counts(postprocessing.score_bins(score, cuts), A, Y, n_groups=2, n_bins=n_bins)
                       for score, A, Y in sets])
    return tables


def tuned(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Mean Q over the drawn populations for one m, m epsilon and number of bins, by each criterion from the same stream of noise.

    The intervals resample the populations. ``gain`` is the mean of Q minus that of the area cuts, population by population.
    """
    m, n_bins, stream = setting["m"], setting["n_bins"], int(rng.integers(2**62))
    found = {}
    for criterion in CRITERIA:
        noise = np.random.default_rng(stream)
        draws = [postprocessing_draws(counts, "score_bins", setting["m_epsilon"] / m, GAMMAS_PROTOCOL, repeats, noise,
                                      evaluate_on=fresh).means() for counts, fresh in _binned(m, criterion, n_bins)]
        found[criterion] = np.array([pareto_quality(curve, *known) for curve, known in zip(draws, _references(m), strict=True)])
    rows = []
    for criterion, q in found.items():
        (mean, gain), low, high = bootstrap_interval(np.stack([q, q - found["area"]], axis=1), rng)
        rows.append({"criterion": criterion, "q": float(mean), "q_low": float(low[0]), "q_high": float(high[0]), "q_lowest": float(q.min()),
                     "gain": float(gain), "gain_low": float(low[1]), "gain_high": float(high[1]), "populations": len(q)})
    return rows
