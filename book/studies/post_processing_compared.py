"""Which way to post-process is best when: by data set, people m, groups k and epsilon.

Communities and Crime whole; Adult whole and in random parts; logistic populations drawn with known rates. In a part or a drawn population
the base classifier is fitted on the same people, without A, on standardized features. Every method sees the same people.
"""
from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from dpfair_teach import data, fairness, postprocessing
from dpfair_teach.experiments import (
    EPSILONS,
    GAMMAS_PROTOCOL,
    bootstrap_means,
    error_at_violation,
    free_points,
    pareto_quality,
    postprocessing_draws,
)
from dpfair_teach.experiments.tradeoff import columns_with_interval

from .panels import BINS, PANEL_METHODS, method_draws, predictions

#: The violation at which errors are read; people drawn anew so often for each m.
_AT, _PEOPLES, _SEED = 0.05, 4, 11
_SIZES = (500, 2000, 10_000, 45_222)


def _standardized(people: data.Dataset) -> data.Dataset:
    X = np.asarray(people.X)
    spread = X.std(axis=0)
    return data.Dataset((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), people.A, people.Y, people.feature_names,
                        people.group_names, people.name, people.provenance)


def _drawn(m: int, k: int, rng: np.random.Generator) -> data.Dataset:
    """Group a has the label less often and its features lower, the more so the larger a: an unfair base."""
    return data.make_logistic(m, n_groups=k, intercepts=np.linspace(.2, -.9, k), rng=rng,
                              shifts=np.outer(np.linspace(0, -.9, k), np.full(5, 5**-.5)))


@cache
def _peoples(name: str, m: int, k: int) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]:
    """Score, A and Y of the people compared on: one set where all are taken, else ``_PEOPLES`` of them."""
    if name == "communities":
        sets = [data.load("communities")]
    elif name == "adult":
        adult = data.load("adult")
        rng = np.random.default_rng([_SEED, m])
        sets = [adult] if m == adult.m else [adult.subset(rng.choice(adult.m, m, replace=False)) for _ in range(_PEOPLES)]
    else:
        sets = [_drawn(m, k, np.random.default_rng([_SEED, m, k, number])) for number in range(_PEOPLES)]
    if name != "communities":
        sets = [_standardized(people) for people in sets]
    return tuple((data.base_classifier(people).predict_proba(people.X)[:, 1], people.A, people.Y) for people in sets)


@cache
def _problem(name: str, m: int, k: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """The tables of yhat, and the mean over them of the non-private optimum (G, 2) and of the free points (2, 2)."""
    decided = [fairness.cell_counts(score >= .5, A, Y, n_groups=k) for score, A, Y in _peoples(name, m, k)]
    no_draws = np.random.default_rng(0)
    optimum = [postprocessing_draws(counts, "as_printed_no_slack", np.inf, GAMMAS_PROTOCOL, 1, no_draws).means() for counts in decided]
    return decided, np.mean(optimum, axis=0), np.mean([free_points(counts) for counts in decided], axis=0)


@cache
def _binned(name: str, m: int, k: int, n_bins: int, criterion: str) -> list[np.ndarray]:
    """The tables of bins."""
    return [fairness.cell_counts(postprocessing.score_bins(score, postprocessing.optimal_cuts(score, Y, n_bins, criterion)), A, Y,
                                 n_groups=k, n_bins=n_bins) for score, A, Y in _peoples(name, m, k)]


def compared(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Error at violation .05 on the hull with the free points, and Q; means over the sets of people, intervals about the noise.

    ``chord_at`` is the error there of the free points alone, their mixture; ``beats`` says whether the whole interval lies below it.
    """
    name, m, k, method, epsilon = (setting[key] for key in ("data", "m", "k", "method", "epsilon"))
    tables, optimum, free = _problem(name, m, k)
    bins = predictions(method, m, epsilon)
    if method in BINS:
        tables = _binned(name, m, k, bins, BINS[method][0])
    draws = method_draws([(table, table) for table in tables], method, epsilon, GAMMAS_PROTOCOL, repeats, rng)
    resampled = bootstrap_means(draws.curves(), rng, resamples=400)
    row = {"n_bins": bins, "base_violation": free[1, 0], "base_error": free[1, 1], "optimum_at": error_at_violation(optimum, _AT, free),
           "chord_at": error_at_violation(free, _AT, free)}
    for column, read in (("error_at", lambda curve: error_at_violation(curve, _AT, free)),
                         ("q", lambda curve: pareto_quality(curve, optimum, free))):
        row |= columns_with_interval(column, read, draws.means(), resampled)
    return [row | {"beats": int(row["error_at_high"] < row["chord_at"] - 1e-9)}]


_DATA = [("communities", 1994, 2), *(("adult", m, 2) for m in _SIZES), *(("synthetic", m, k) for k, m in product((2, 3, 4), _SIZES))]
COMPARED = [{"data": name, "m": m, "k": k, "method": method, "epsilon": epsilon}
            for (name, m, k), method, epsilon in product(_DATA, PANEL_METHODS, EPSILONS)]
