"""Communities and Crime by every rule: trade-off curves, Q, the epsilon that a quality costs, the error that a violation costs.

A setting names ``group, label, evaluated, method, epsilon``; score bins take their number from ``suggested_bins``.
"""
from __future__ import annotations

from itertools import product

import numpy as np

from ..postprocessing import suggested_bins
from .bootstrap import bootstrap_means, columns_with_interval
from .communities import communities_counts, held_out_counts
from .grids import EPSILONS, GAMMAS_PROTOCOL
from .pareto import epsilon_at_quality, error_at_violation, pareto_quality, quality_interval
from .tradeoff import METHODS, Draws, free_points, postprocessing_draws

__all__ = ["AT_QUALITY", "AT_VIOLATION", "EPSILONS_WIDE", "PANEL_METHODS"]

Rows = list[dict]
Tables = list[tuple[np.ndarray, np.ndarray]]

#: The four methods of the panels.
PANEL_METHODS: tuple[str, ...] = ("as_printed", "as_printed_no_slack", "public_margins", "score_bins")
#: Epsilons that bracket Q = 0.8 for every method.
EPSILONS_WIDE: tuple[float, ...] = (0.01, 0.025, 0.05, *EPSILONS, 10.0, 20.0, 50.0)
#: The quality at which methods' epsilons are compared, and the violation at which their errors are.
AT_QUALITY: float = 0.8
AT_VIOLATION: float = 0.05


def tables(setting: dict, n_bins: int | None = None) -> Tables:
    """Pairs (learnt from, judged on): the whole table twice in-sample, 12 splits held out."""
    group, label = setting.get("group", "paper"), setting.get("label", "p70")
    if setting.get("evaluated", "in_sample") == "in_sample":
        return [(communities_counts(group, label, n_bins),) * 2]
    return list(zip(*held_out_counts(group, label=label, n_bins=n_bins), strict=True))


def _bins(pairs: Tables, epsilon: float) -> int:
    """The number of bins for the people learnt from; without noise, as many as the rule ever gives."""
    return suggested_bins(round(pairs[0][0].sum()), min(epsilon, 1e9))


def reference(setting: dict) -> tuple[np.ndarray, np.ndarray]:
    """The non-private optimum on yhat, (G, 2), and the free points, (2, 2); held out, means over the splits. Nothing is drawn."""
    pairs = tables(setting)
    no_draws = np.random.default_rng(0)
    optimum = [postprocessing_draws(train, "as_printed_no_slack", np.inf, GAMMAS_PROTOCOL, 1, no_draws, evaluate_on=test).means()
               for train, test in pairs]
    return np.mean(optimum, axis=0), np.mean([free_points(test) for _, test in pairs], axis=0)


def method_draws(pairs: Tables, method: str, epsilon: float, gammas: tuple[float, ...], repeats: int, rng: np.random.Generator) -> Draws:
    """A method's curve over pairs of tables. ``repeats // len(pairs)`` rounds are made: a round is one draw on each pair, and everything is
    averaged over the pairs. So intervals over rounds are about the noise, not about which people were sampled.
    """
    rounds = max(1, repeats // len(pairs))
    parts = [postprocessing_draws(train, method, epsilon, gammas, rounds, rng, evaluate_on=test) for train, test in pairs]
    return Draws(np.mean([part.error for part in parts], axis=0), np.mean([part.violation for part in parts], axis=0),
                 np.ones(rounds, dtype=bool), gammas)


def panel_draws(setting: dict, repeats: int, rng: np.random.Generator) -> Draws:
    """The curve of a setting: in-sample a repeat is a noise draw, held out a round of 12 of them, one on each split."""
    method, epsilon = setting["method"], setting["epsilon"]
    pairs = tables(setting)
    if method == "score_bins":
        pairs = tables(setting, _bins(pairs, epsilon))
    if method == "not_private":  # without noise all methods on yhat are one program
        method = "as_printed_no_slack"
    return method_draws(pairs, method, epsilon, GAMMAS_PROTOCOL, repeats, rng)


def curves(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The curve of a setting, one row a gamma."""
    return panel_draws(setting, repeats, rng).rows(rng)


def quality(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q of the same draws as the curve: both start from the setting's stream. NaN where even the optimum does not beat the free points."""
    draws, (optimum, free) = panel_draws(setting, repeats, rng), reference(setting)
    middle = free.mean(axis=0)  # of the chord; hulls are convex, so one that is not lower here is lower nowhere
    if error_at_violation(optimum, middle[0], free) > middle[1] - 1e-9:
        return [{"q": np.nan, "q_low": np.nan, "q_high": np.nan}]
    q, low, high = quality_interval(draws.violation, draws.error, optimum, free, rng)
    return [{"q": q, "q_low": low, "q_high": high}]


# ------------------------------------------------------------------------------------------------- targets at Q and at a violation

def quality_and_error(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q, and the error at violation .05: on the hull with the free points, and on the curve of means (NaN where it never gets there)."""
    draws, (optimum, free) = panel_draws(setting, repeats, rng), reference(setting)
    resampled = bootstrap_means(draws.curves(), rng)
    bins = _bins(tables(setting), setting["epsilon"]) if setting["method"] == "score_bins" else 2
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


def epsilon_target(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The epsilon at Q = .8 of a method, and by what factor it is below the printed algorithm's; both with bootstrap intervals.

    Draws at each epsilon are independent, and so are the two methods'; a resample draws the repeats again at every epsilon.
    """
    optimum, free = reference(setting)

    def crossing(method: str) -> tuple[float, np.ndarray]:
        means, resampled = [], []
        for epsilon in EPSILONS_WIDE:
            draws = panel_draws(setting | {"method": method, "epsilon": epsilon}, repeats, rng)
            means.append(pareto_quality(draws.means(), optimum, free))
            resampled.append([pareto_quality(curve, optimum, free) for curve in bootstrap_means(draws.curves(), rng, resamples=400)])
        return _crossing(means), np.array([_crossing(q) for q in np.transpose(resampled)])

    epsilon, again = crossing(setting["method"])
    printed, printed_again = (epsilon, again) if setting["method"] == "as_printed" else crossing("as_printed")
    low, high = np.quantile(again, [.025, .975])
    factor_low, factor_high = np.quantile(printed_again / again, [.025, .975])
    return [{"epsilon": epsilon, "epsilon_low": float(low), "epsilon_high": float(high), "factor": printed / epsilon,
             "factor_low": float(factor_low), "factor_high": float(factor_high)}]


def _crossing(qualities: list[float] | np.ndarray) -> float:
    """Where Q crosses the target; infinite where the grid never gets there."""
    return epsilon_at_quality(EPSILONS_WIDE, qualities, AT_QUALITY) if np.max(qualities) >= AT_QUALITY else np.inf


def _grid(**axes: tuple) -> list[dict]:
    """All combinations but one: by race_argmax_4 no community of group 3 has p20's label 0, so its false positive rate does not exist."""
    grid = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    return [setting for setting in grid if (setting.get("group"), setting.get("label")) != ("race_argmax_4", "p20")]


PANEL = _grid(method=PANEL_METHODS, epsilon=EPSILONS) + [{"method": "not_private", "epsilon": np.inf}]
_RULES = {"group": ("paper", "race_argmax", "race_argmax_4"), "label": ("p70", "p20"), "evaluated": ("in_sample", "held_out")}
RULES = _grid(**_RULES, method=PANEL_METHODS, epsilon=EPSILONS)
RULES_NOT_PRIVATE = _grid(**_RULES, method=("not_private",), epsilon=(np.inf,))
_TWO = {"group": ("paper", "race_argmax"), "evaluated": ("in_sample", "held_out")}
TARGETS = _grid(**_TWO, method=tuple(METHODS), epsilon=EPSILONS_WIDE)
AT_Q = _grid(**_TWO, method=tuple(METHODS))
