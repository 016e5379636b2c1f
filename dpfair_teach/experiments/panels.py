"""Communities and Crime by every rule: trade-off curves, Q, the error that a violation costs.

A setting names ``group, label, evaluated, method, epsilon``; score bins are cut as the estimator cuts them.
"""
from __future__ import annotations

import numpy as np

from ..postprocessing import suggested_bins
from .bootstrap import bootstrap_means, columns_with_interval
from .communities import communities_counts, held_out_counts
from .grids import GAMMAS_PROTOCOL
from .pareto import LEAST_ROOM, error_at_violation, pareto_quality, quality_interval, quality_room
from .tradeoff import BINS, Draws, free_points, postprocessing_draws

__all__ = ["AT_VIOLATION", "PANEL_METHODS"]

Rows = list[dict]
Tables = list[tuple[np.ndarray, np.ndarray]]

#: The four methods of the panels.
PANEL_METHODS: tuple[str, ...] = ("as_printed", "as_printed_no_slack", "public_margins", "score_bins")
#: The violation at which methods' errors are compared.
AT_VIOLATION: float = 0.05


def tables(setting: dict, n_bins: int | None = None) -> Tables:
    """Pairs (learnt from, judged on): the whole table twice in-sample, 12 splits held out. Bins are cut by the method's criterion."""
    group, label = setting.get("group", "paper"), setting.get("label", "p70")
    criterion = BINS.get(setting.get("method", ""), BINS["score_bins"])[0]
    if setting.get("evaluated", "in_sample") == "in_sample":
        return [(communities_counts(group, label, n_bins, criterion),) * 2]
    return list(zip(*held_out_counts(group, label, n_bins, criterion), strict=True))


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
    """A method's curve over pairs of tables. ``repeats // len(pairs)`` rounds are made: a round is one draw on each pair, and everything is
    averaged over the pairs. So intervals over rounds are about the noise, not about which people were sampled. Bins are released alike,
    however they were cut; their tables must be those of bins.
    """
    rounds = max(1, repeats // len(pairs))
    if method in BINS:
        if pairs[0][0].shape[0] == 2:
            raise RuntimeError(f"{method} needs tables of score bins, and got those of two answers")
        method = "score_bins"
    parts = [postprocessing_draws(train, method, epsilon, gammas, rounds, rng, evaluate_on=test) for train, test in pairs]
    return Draws(np.mean([part.error for part in parts], axis=0), np.mean([part.violation for part in parts], axis=0),
                 np.ones(rounds, dtype=bool), gammas)


def panel_draws(setting: dict, repeats: int, rng: np.random.Generator, *, n_bins: int | None = None) -> Draws:
    """The curve of a setting: in-sample a repeat is a noise draw, held out a round of 12 of them, one on each split."""
    method, epsilon = setting["method"], setting["epsilon"]
    pairs = tables(setting)
    if method in BINS:
        pairs = tables(setting, n_bins or predictions(method, round(pairs[0][0].sum()), epsilon))
    if method == "not_private":  # without noise all methods on yhat are one program
        method = "as_printed_no_slack"
    return method_draws(pairs, method, epsilon, GAMMAS_PROTOCOL, repeats, rng)


def curves(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The curve of a setting, one row a gamma."""
    return panel_draws(setting, repeats, rng).rows(rng)


def quality(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q of the same draws as the curve: both start from the setting's stream. NaN where the optimum hardly beats the free points."""
    draws, (optimum, free) = panel_draws(setting, repeats, rng), reference(setting)
    if quality_room(optimum, free) < LEAST_ROOM:
        return [{"q": np.nan, "q_low": np.nan, "q_high": np.nan}]
    q, low, high = quality_interval(draws.violation, draws.error, optimum, free, rng)
    return [{"q": q, "q_low": low, "q_high": high}]


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
