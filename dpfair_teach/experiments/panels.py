"""Communities and Crime by every rule: trade-off curves, Q, the epsilon that a quality costs, the error that a violation costs.

A setting names ``group, label, evaluated, method, epsilon``; score bins are cut as the estimator cuts them.
"""
from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from ..postprocessing import suggested_bins
from .bootstrap import bootstrap_means, columns_with_interval
from .communities import communities_counts, held_out_counts
from .grids import EPSILONS, GAMMAS_PROTOCOL
from .pareto import LEAST_ROOM, error_at_violation, pareto_quality, quality_interval, quality_room
from .tradeoff import BINS, METHODS, Draws, free_points, postprocessing_draws

__all__ = ["AT_Q", "AT_QUALITY", "AT_VIOLATION", "EPSILONS_WIDE", "PANEL", "PANEL_METHODS", "RULES", "RULES_NOT_PRIVATE", "TARGETS"]

Rows = list[dict]
Tables = list[tuple[np.ndarray, np.ndarray]]

#: The four methods of the panels.
PANEL_METHODS: tuple[str, ...] = ("as_printed", "as_printed_no_slack", "public_margins", "score_bins")
#: Epsilons that bracket Q = 0.8 for every method.
EPSILONS_WIDE: tuple[float, ...] = (0.01, 0.025, 0.05, *EPSILONS, 10.0, 20.0, 50.0)
#: The quality at which methods' epsilons are compared, and the violation at which their errors are.
AT_QUALITY: float = 0.8
AT_VIOLATION: float = 0.05
_PRINTED_SEED = 5


def tables(setting: dict, n_bins: int | None = None) -> Tables:
    """Pairs (learnt from, judged on): the whole table twice in-sample, 12 splits held out. Bins are cut by the method's criterion."""
    group, label = setting.get("group", "paper"), setting.get("label", "p70")
    criterion = BINS.get(setting.get("method"), BINS["score_bins"])[0]
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


# ------------------------------------------------------------------------------------------------- targets at Q and at a violation

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


def epsilon_target(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The smallest epsilon from which Q is at least .8, and by what factor it is below the printed algorithm's; both with intervals.

    ``n_bins`` is the number of predictions there; ``at_jump`` is 1 where Q passes .8 by a jump of the rule for that number: just below,
    with one bin less, it is not reached. Infinite where Q is below at the largest of ``EPSILONS_WIDE``. Q need not grow with epsilon, by a
    rule that jumps or not: from here on it stays above.
    """
    epsilon, again, n_bins, at_jump = _crossing(setting["group"], setting["evaluated"], setting["method"], repeats, rng)
    if np.isinf(epsilon):
        return [dict.fromkeys(("epsilon", "epsilon_low", "epsilon_high"), np.inf) | {"n_bins": n_bins, "at_jump": 0}
                | dict.fromkeys(("factor", "factor_low", "factor_high"), 0.0)]
    printed, printed_again = epsilon, again
    if setting["method"] != "as_printed":
        printed, printed_again = _printed(setting["group"], setting["evaluated"], repeats)
    low, high = np.quantile(again, [.025, .975])
    factor_low, factor_high = np.quantile(printed_again / again, [.025, .975])
    return [{"epsilon": epsilon, "epsilon_low": float(low), "epsilon_high": float(high), "n_bins": n_bins, "at_jump": at_jump,
             "factor": printed / epsilon, "factor_low": float(factor_low), "factor_high": float(factor_high)}]


@cache
def _printed(group: str, evaluated: str, repeats: int) -> tuple[float, np.ndarray]:
    """What all factors of a problem are taken of: the printed algorithm's epsilon, from a stream of its own."""
    return _crossing(group, evaluated, "as_printed", repeats, np.random.default_rng([_PRINTED_SEED, repeats]))[:2]


def _crossing(group: str, evaluated: str, method: str, repeats: int, rng: np.random.Generator) -> tuple[float, np.ndarray, int, int]:
    """The epsilon from which Q stays at .8 or above, that of 400 resamples, the bins there, and whether they jump there.

    First the two neighbours of ``EPSILONS_WIDE`` between which Q passes, then steps of at most 5 % between them and a fifth beyond, with
    both numbers of bins where the rule jumps. Each repeat uses the same stream at every epsilon: curves move smoothly, and a resample draws
    the repeats once for all epsilons. There are four noise draws to a repeat, for Q is steep where it passes; held out they are spread over
    the 12 splits.
    """
    setting = {"group": group, "evaluated": evaluated, "method": method}
    (optimum, free), stream = reference(setting), int(rng.integers(2**62))
    people = round(tables(setting)[0][0].sum())

    def drawn(points: list[tuple[float, int]], n: int) -> np.ndarray:
        return np.stack([panel_draws(setting | {"epsilon": epsilon}, 4 * n, np.random.default_rng(stream), n_bins=bins).curves()
                         for epsilon, bins in points], axis=1)

    def qualities(curves: np.ndarray) -> np.ndarray:
        return np.array([pareto_quality(curve, optimum, free) for curve in curves])

    wide = [(epsilon, predictions(method, people, epsilon)) for epsilon in EPSILONS_WIDE]
    below = np.flatnonzero(qualities(drawn(wide, repeats).mean(axis=0)) < AT_QUALITY)
    if len(below) == 0:
        raise RuntimeError(f"Q = {AT_QUALITY} is passed below epsilon {EPSILONS_WIDE[0]}: {setting}")
    if below[-1] == len(wide) - 1:
        return np.inf, np.array([]), wide[-1][1], 0
    points = _fine(method, people, EPSILONS_WIDE[below[-1]] / 1.2, EPSILONS_WIDE[below[-1] + 1] * 1.2)
    curves = drawn(points, repeats)
    epsilon, i = _passes(points, qualities(curves.mean(axis=0)))
    again = [_passes(points, qualities(resample))[0] for resample in bootstrap_means(curves, rng, resamples=400)]
    return epsilon, np.array(again), points[i][1], int(points[i - 1][0] == points[i][0])


def _fine(method: str, people: int, low: float, high: float) -> list[tuple[float, int]]:
    """Epsilons in steps of at most 5 % with their predictions; where the number jumps, the epsilon with both, found by bisection."""
    grid = np.geomspace(low, high, 1 + int(np.ceil(np.log(high / low) / np.log(1.05)))).tolist()
    points = [(epsilon, predictions(method, people, epsilon)) for epsilon in grid]
    for b in range(points[0][1] + 1, points[-1][1] + 1):
        before, after = low, high
        for _ in range(60):
            middle = (before + after) / 2
            before, after = (before, middle) if predictions(method, people, middle) >= b else (middle, after)
        points += [(after, b - 1), (after, b)]
    return sorted(points)


def _passes(points: list[tuple[float, int]], qualities: np.ndarray) -> tuple[float, int]:
    """Where Q passes the target for the last time, in log epsilon between two points, and the number of the second.

    At either end of the grid where a resample does not pass inside it.
    """
    below = np.flatnonzero(qualities < AT_QUALITY)
    i = min(below[-1] + 1 if len(below) else 1, len(points) - 1)
    (before, _), (after, _) = points[i - 1], points[i]
    share = np.clip((AT_QUALITY - qualities[i - 1]) / max(qualities[i] - qualities[i - 1], 1e-12), 0, 1)
    return float(before * (after / before) ** share), int(i)


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
AT_Q = _grid(**_TWO, method=(*METHODS, *list(BINS)[1:]))
