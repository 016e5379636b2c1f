"""Communities and Crime, right panel, by every rule: the settings of its tables, and the epsilon that a quality costs."""
from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from dpfair_teach.experiments import EPSILONS, bootstrap_means, pareto_quality
from dpfair_teach.experiments.tradeoff import METHODS

from .panels import BINS, PANEL_METHODS, panel_draws, predictions, reference, tables

Rows = list[dict]

#: Epsilons that bracket Q = 0.8 for every method.
EPSILONS_WIDE: tuple[float, ...] = (0.01, 0.025, 0.05, *EPSILONS, 10.0, 20.0, 50.0)
#: The quality at which methods' epsilons are compared.
AT_QUALITY: float = 0.8
_PRINTED_SEED = 5


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

#: The releases of a table of two answers.
_RELEASES = ("as_printed", "as_printed_no_slack", "public_margins_laplace", "public_margins")
RELEASES = _grid(**_TWO, method=_RELEASES, epsilon=EPSILONS)
NOT_PRIVATE = _grid(**_TWO, method=("not_private",), epsilon=(np.inf,))
