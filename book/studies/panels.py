"""Communities and Crime by every rule: trade-off curves, Q, the error that a violation costs.

A setting names ``group, label, evaluated, method, epsilon``; score bins are cut as the estimator cuts them.
"""
from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dpfair_teach import data
from dpfair_teach.experiments import (
    GAMMAS_PROTOCOL,
    base_counts,
    bootstrap_means,
    draws_over_splits,
    error_at_violation,
    free_points,
    held_out_counts,
    pareto_quality,
    postprocessing_draws,
)
from dpfair_teach.experiments.tradeoff import Draws, columns_with_interval
from dpfair_teach.postprocessing import suggested_bins

from .quality import quality_interval, quality_room

Rows = list[dict]
#: Tables say no Q where ``quality_room`` is below this: a small difference of two noisy curves over next to nothing.
LEAST_ROOM: float = 0.1
Tables = list[tuple[np.ndarray, np.ndarray]]

#: The four methods of the panels.
PANEL_METHODS: tuple[str, ...] = ("as_printed", "as_printed_no_slack", "public_margins", "score_bins")
#: The violation at which methods' errors are compared.
AT_VIOLATION: float = 0.05
#: The methods whose predictions are score bins, and how those are cut: criterion and number, None for ``suggested_bins``. All others have
#: the base's two answers. ``score_bins`` are the estimator's; the others show what its two choices, made on drawn populations, are worth.
BINS: dict[str, tuple[Any, int | None]] = {
    "score_bins": ("area", None), "price_bins": ("price", None),
    **{f"{criterion}_bins_{b}": (criterion, b) for criterion in ("area", "price") for b in (3, 4, 5)}}


@cache
def communities_counts(group: str = "paper", label: str = "p70", n_bins: int | None = None, criterion: Any = None) -> np.ndarray:
    """People by [base's answer or bin, a, y] in Communities and Crime, base fitted on all of them as the paper does."""
    return base_counts(data.load("communities", group=group, label=label), n_bins, criterion)


@cache
def communities_held_out(group: str = "paper", label: str = "p70", n_bins: int | None = None,
                         criterion: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """The tables of its 12 held-out splits, of those learnt from and of the others."""
    return held_out_counts(data.load("communities", group=group, label=label), n_bins, criterion)


def tables(setting: dict, n_bins: int | None = None) -> Tables:
    """Pairs (learnt from, judged on): the whole table twice in-sample, 12 splits held out. Bins are cut by the method's criterion."""
    group, label = setting.get("group", "paper"), setting.get("label", "p70")
    criterion = None if n_bins is None else BINS.get(setting.get("method", ""), BINS["score_bins"])[0]
    if setting.get("evaluated", "in_sample") == "in_sample":
        return [(communities_counts(group, label, n_bins, criterion),) * 2]
    return list(zip(*communities_held_out(group, label, n_bins, criterion), strict=True))


def predictions(method: str, people: int, epsilon: float) -> int:
    """How many predictions the table has: 2, or a number of bins; without noise, as many as the rule ever gives."""
    if method not in BINS:
        return 2
    return BINS[method][1] or suggested_bins(people, min(epsilon, 1e9))


def reference(setting: dict) -> tuple[np.ndarray, np.ndarray]:
    """The non-private optimum on yhat, (G, 2), and the free points, (2, 2); held out, means over the splits. Nothing is drawn."""
    pairs = tables(setting)
    no_draws = np.random.default_rng(0)
    optimum = [postprocessing_draws(train, "as_printed_no_slack", np.inf, GAMMAS_PROTOCOL, 1, no_draws, evaluate_on=test).means()
               for train, test in pairs]
    return np.mean(optimum, axis=0), np.mean([free_points(test) for _, test in pairs], axis=0)


def method_draws(pairs: Tables, method: str, epsilon: float, gammas: tuple[float, ...], repeats: int, rng: np.random.Generator) -> Draws:
    """A method's curve over pairs of tables, in ``repeats // len(pairs)`` rounds. Bins are released alike, however they were cut; their
    tables must be those of bins.
    """
    if method in BINS:
        if pairs[0][0].shape[0] == 2:
            raise RuntimeError(f"{method} needs tables of score bins, and got those of two answers")
        method = "score_bins"
    return draws_over_splits(pairs, method, epsilon, gammas, max(1, repeats // len(pairs)), rng)


def panel_draws(setting: dict, repeats: int, rng: np.random.Generator, *, n_bins: int | None = None) -> Draws:
    """The curve of a setting: in-sample a repeat is a noise draw, held out a round of 12 of them, one on each split."""
    method, epsilon = setting["method"], setting["epsilon"]
    pairs = tables(setting)
    if method in BINS:
        pairs = tables(setting, n_bins or predictions(method, round(pairs[0][0].sum()), epsilon))
    if method == "not_private":  # without noise all methods on yhat are one program
        method = "as_printed_no_slack"
    return method_draws(pairs, method, epsilon, GAMMAS_PROTOCOL, repeats, rng)


def quality_columns(draws: Draws, optimum: np.ndarray, free: np.ndarray, rng: np.random.Generator) -> dict[str, float]:
    """Q of the draws that count, with its interval; NaN where the optimum hardly beats the free points."""
    said = quality_room(optimum, free) >= LEAST_ROOM
    q, low, high = quality_interval(draws.violation[draws.kept], draws.error[draws.kept], optimum, free, rng) if said else [np.nan] * 3
    return {"q": q, "q_low": low, "q_high": high}


def curves(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The curve of a setting, one row a gamma."""
    return panel_draws(setting, repeats, rng).rows(rng)


def quality(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q of the same draws as the curve: both start from the setting's stream. NaN where the optimum hardly beats the free points."""
    return [quality_columns(panel_draws(setting, repeats, rng), *reference(setting), rng)]


def quality_and_error(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q, and the error at violation .05: on the hull with the free points, and on the curve of means (NaN where it never gets there)."""
    draws, (optimum, free) = panel_draws(setting, repeats, rng), reference(setting)
    resampled = bootstrap_means(draws.curves(), rng)
    bins = predictions(setting["method"], round(tables(setting)[0][0].sum()), setting["epsilon"])
    row: dict[str, float] = {"n_bins": bins}
    for name, read in (("q", lambda curve: pareto_quality(curve, optimum, free)),
                       ("error_at", lambda curve: error_at_violation(curve, AT_VIOLATION, free)),
                       ("error_on_curve", lambda curve: _on_curve(curve, AT_VIOLATION))):
        row |= columns_with_interval(name, read, draws.means(), resampled)
    return [row]


def _on_curve(curve: np.ndarray, violation: float) -> float:
    """The smallest error at which the segments of the curve of means, in the order of gamma, meet that violation; NaN if none does."""
    (x0, y0), (x1, y1) = curve[:-1].T, curve[1:].T
    meets = (np.minimum(x0, x1) <= violation) & (violation <= np.maximum(x0, x1)) & (x0 != x1)
    if not meets.any():
        return np.nan
    share = (violation - x0[meets]) / (x1 - x0)[meets]
    return float((y0[meets] + share * (y1 - y0)[meets]).min())
