"""The named experiments: what each computes for one setting, and which tables it writes."""
from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from .. import _checks, data, postprocessing
from . import ask_once, ask_once_others, ask_once_smoothing, binning, both_panels, compared, left, loops, panels
from .communities import communities_counts
from .grids import EPSILONS, EPSILONS_FIGURE1, GAMMAS_FIGURE1
from .pareto import quality_interval
from .runner import sweep
from .tradeoff import free_points, postprocessing_draws

__all__ = ["EXPERIMENTS", "bound_population", "run"]

Rows = list[dict]


@dataclass(frozen=True)
class Experiment:
    """A named experiment: a sentence about it, the repeats it runs with, its tables (file name -> settings, function), its data."""

    about: str
    repeats: int
    tables: dict[str, tuple[list[dict], Callable[[dict, int, np.random.Generator], Rows]]]
    reads: tuple[dict[str, object], ...] = ()  # what ``data.load`` is asked for; nothing where no data set is read

    @property
    def provenance(self) -> str:
        """Where the data comes from, by which rules it was read, and under which licence."""
        return "\n\n".join(str(data.load(**what).provenance) for what in self.reads) or "no data set: simulated"


def _communities(settings: list[dict]) -> tuple[dict[str, str], ...]:
    """The rules by which Communities and Crime is read, each pair once."""
    pairs = dict.fromkeys((setting.get("group", "paper"), setting.get("label", "p70")) for setting in settings)
    return tuple({"name": "communities", "group": group, "label": label} for group, label in pairs)


# ------------------------------------------------------------------------------------------------- Figure 1, right panel

def _figure1(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Algorithm 1 as printed; draws with a negative slack are left out, and their share is a column."""
    return postprocessing_draws(communities_counts(), "as_printed", setting["epsilon"], GAMMAS_FIGURE1, repeats, rng,
                                negative_slack="left_out").rows(rng)


_FIGURE1 = [{"epsilon": epsilon} for epsilon in EPSILONS_FIGURE1]


def _figure1_quality(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q of the same draws, against the program without noise at the same gammas."""
    counts = communities_counts()
    draws, optimum = (postprocessing_draws(counts, "as_printed", epsilon, GAMMAS_FIGURE1, n, rng, negative_slack="left_out")
                      for epsilon, n in ((setting["epsilon"], repeats), (np.inf, 1)))
    kept = draws.kept
    q, low, high = quality_interval(draws.violation[kept], draws.error[kept], optimum.means(), free_points(counts), rng)
    return [{"q": q, "q_low": low, "q_high": high}]


# --------------------------------------------------------------------------------------- Methods compared on Communities

#: The releases of a table of two answers.
_RELEASES = ("as_printed", "as_printed_no_slack", "public_margins_laplace", "public_margins")
_COMPARED = [{"group": group, "evaluated": evaluated, "method": method, "epsilon": epsilon}
             for group, evaluated, method, epsilon
             in product(("paper", "race_argmax"), ("in_sample", "held_out"), _RELEASES, EPSILONS)]
_NOT_PRIVATE = [{"group": group, "evaluated": evaluated, "method": "not_private", "epsilon": np.inf}
                for group, evaluated in product(("paper", "race_argmax"), ("in_sample", "held_out"))]


# -------------------------------------------------------------------------------------------- Theorem 2.2 against reality

_BOUND_GAMMA = 0.02


def bound_population(n_groups: int) -> np.ndarray:
    """Fixed frequencies [yhat, a, y] for the bounds: equal groups, base rates and rates of the base that differ between them.

    Source: none in the papers; a population of our own to try supplement, Theorem 2.2 on.

    Parameters
    ----------
    n_groups : int
        k, 2 to 1000.

    Returns
    -------
    ndarray, shape (2, k, 2), sum 1

    Raises
    ------
    ValueError
        Where ``n_groups`` is no whole number in that range.

    Examples
    --------
    >>> bound_population(2).sum(axis=0).round(3).tolist()
    [[0.2, 0.3], [0.3, 0.2]]
    """
    k = _checks.integer("n_groups", n_groups, low=2, high=1000)
    between = np.linspace(0, 1, k)  # group 0 is best off, group k-1 worst
    return data.Population(np.full(k, 1 / k), 0.6 - 0.2 * between, 0.15 + 0.1 * between, 0.85 - 0.2 * between).frequencies


def _quantile(values: np.ndarray, level: float) -> tuple[float, float, float]:
    """The sample quantile, and the order statistics that hold the true one with 95 %."""
    ordered, n = np.sort(values), len(values)
    low, high = stats.binom.ppf([0.025, 0.975], n, level).astype(int)
    return float(np.quantile(ordered, level)), float(ordered[max(low - 1, 0)]), float(ordered[min(high, n - 1)])


def _bound(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The (1 - beta) quantiles that Theorem 2.2 bounds, the same without slack, and its bounds as printed and sharp."""
    m, epsilon, beta = setting["m"], setting["epsilon"], setting["beta"]
    counts = bound_population(setting["n_groups"]) * m
    optimum = postprocessing.solve_lp(counts / m, _BOUND_GAMMA).value
    row = {"gamma": _BOUND_GAMMA}
    for method, ending in (("as_printed", ""), ("as_printed_no_slack", "_no_slack")):
        draws = postprocessing_draws(counts, method, epsilon, [_BOUND_GAMMA], repeats, rng, beta=beta)
        for name, values in (("excess_error", draws.error[:, 0] - optimum), ("violation", draws.violation[:, 0])):
            columns = (name + ending, f"{name}{ending}_low", f"{name}{ending}_high")
            row |= dict(zip(columns, _quantile(values, 1 - beta), strict=True))
    for form, printed in (("printed", True), ("sharp", False)):
        theorem = postprocessing.theorem_2_2(counts / m, m, epsilon, beta, _BOUND_GAMMA, as_printed=printed)
        fairness_bound = max(np.max(theorem.fp[1:]), np.max(theorem.tp[1:])) if theorem.holds else np.nan
        row |= {f"error_bound_{form}": float(theorem.error), f"violation_bound_{form}": float(fairness_bound)}
    return [row]


_BOUNDS = [{"m": m, "epsilon": epsilon, "n_groups": k, "beta": beta}
           for k, beta, m, epsilon in product((2, 3, 5), (0.01, 0.05, 0.2), (500, 1000, 2000, 5000, 20000, 100000, 1000000), EPSILONS)]


# -------------------------------------------------------------------------------------------------------------- Registry

#: The experiments by name.
EXPERIMENTS: dict[str, Experiment] = {
    "figure1_right": Experiment(
        "Figure 1, right panel: Algorithm 1 as printed on Communities and Crime, epsilon 1, 2, 3, 5 and none, 72 gammas.", 4000,
        {"figure1_right": (_FIGURE1, _figure1), "figure1_right_q": (_FIGURE1, _figure1_quality)}, _communities([{}])),
    "communities_q": Experiment(
        "Four releases of the table compared on Communities and Crime by Q, two group rules, in-sample and held-out.", 1200,
        {"communities_curves": (_COMPARED + _NOT_PRIVATE, panels.curves), "communities_q": (_COMPARED, panels.quality)},
        _communities(_COMPARED)),
    "bins_tuned": Experiment(
        "Which score bins: mean Q over drawn populations, by m, m epsilon, number of bins and criterion; behind the defaults.", 40,
        {"bins_tuned": (binning.TUNED, binning.tuned)}),
    "communities_panel": Experiment(
        "Communities and Crime, default rules: four methods, 6 epsilons, 25 gammas, with error bars.", 300,
        {"communities_panel": (panels.PANEL, panels.curves)}, _communities(panels.PANEL)),
    "communities_rules": Experiment(
        "The same panel and its Q for every group rule and label rule, in-sample and held-out.", 1200,
        {"communities_rules": (panels.RULES + panels.RULES_NOT_PRIVATE, panels.curves),
         "communities_rules_q": (panels.RULES, panels.quality)},
        _communities(panels.RULES)),
    "communities_targets": Experiment(
        "What a quality and a violation cost: Q and error at violation .05 from epsilon .01 to 50; epsilon at Q = .8.", 1200,
        {"communities_quality": (panels.TARGETS, panels.quality_and_error), "communities_epsilon": (panels.AT_Q, panels.epsilon_target)},
        _communities(panels.TARGETS)),
    "post_processing_compared": Experiment(
        "Which method when: error at violation .05 and Q on Communities, Adult and drawn populations, by m, k and epsilon.", 1200,
        {"post_processing_compared": (compared.COMPARED, compared.compared)}, _communities([{}]) + ({"name": "adult"},)),
    "left_reference": Experiment(
        "The non-private reference of in-processing: mixtures of the regression oracle's answers, four group rules; nothing is drawn.", 24,
        {"left_reference": (left.REFERENCES, left.reference_rows)}, left.reads(left.REFERENCES)),
    "left_oneshot": Experiment(
        "Left panel by asking once: eight ways, 6 epsilons, 25 gammas; four group rules; held-out and p20 for the default.", 36,
        {"left_oneshot": (ask_once.CURVES, ask_once.curves), "left_oneshot_rules": (ask_once.RULES, ask_once.rules)},
        left.reads(ask_once.CURVES + ask_once.RULES)),
    "left_at_violation": Experiment(
        "Asked once, default rules: the error offered at violation .05 with its interval, of the draws of left_oneshot.", 36,
        {"left_at_violation": (ask_once.BESIDE_RIGHT, ask_once.at_violation)}, left.reads(ask_once.BESIDE_RIGHT)),
    "left_tuning": Experiment(
        "The constants of the one-shot learner: mean Q over drawn populations, one constant changed at a time.", 36,
        {"left_tuning": (ask_once.TUNING, ask_once.tuned)}),
    "left_oneshot_others": Experiment(
        "What the left panel leaves out: the share of epsilon that was changed after all group rules were seen; sums of all features.", 36,
        {"left_oneshot_others": (ask_once_others.OTHERS_ON_DATA, ask_once_others.on_data)}, left.reads(ask_once_others.OTHERS_ON_DATA)),
    "left_tuning_others": Experiment(
        "Other cells and covariances of the one-shot learner: mean Q over drawn populations.", 36,
        {"left_tuning_others": (ask_once_others.OTHERS_DRAWN, ask_once_others.drawn)}),
    "left_tuning_smoothing": Experiment(
        "The one-shot learner's covariance by constants or by the likelihood of its counts, and more cells: Q over fresh populations.", 96,
        {"left_tuning_smoothing": (ask_once_smoothing.SMOOTHED, ask_once_smoothing.smoothed)}),
    "left_literal": Experiment(
        f"Left panel, Section 5's learner by an author's settings, T at most {loops.LITERAL_ROUNDS}: two readings of the noise.", 30,
        {"left_literal": (loops.LITERAL, loops.literal)}, ({"name": "communities", "features": "unprotected"},)),
    "left_repaired": Experiment(
        "Left panel, the same loop repaired: noise on A's part of X'C in each round, sensitivities and accounting tight.", 30,
        {"left_repaired": (loops.REPAIRED, loops.repaired)}, left.reads([setting | {"label": "p70"} for setting in loops.REPAIRED])),
    "left_repaired_held_out": Experiment(
        "The repaired loop by its better mix on people it has not seen, four group rules, 30 runs on each of the 12 splits.", 30,
        {"left_repaired_held_out": (loops.REPAIRED_HELD_OUT, loops.repaired_held_out)},
        left.reads([setting | {"label": "p70"} for setting in loops.REPAIRED_HELD_OUT])),
    "left_repaired_tuning": Experiment(
        f"The constants of the repaired loop: mean Q over drawn populations, {len(loops.LOOPS_FIRST)} variants, then the neighbours.", 48,
        {"left_repaired_tuning": (loops.LOOP_TUNING, loops.loop_tuned)}),
    "both_panels": Experiment(
        "Both panels of Figure 1 in seconds: asking once on the left, four methods on the right, Figure 1's own epsilons and gammas.", 100,
        {"both_panels": (both_panels.BOTH_PANELS, both_panels.both_panels)},
        _communities([{}]) + ({"name": "communities", "features": "unprotected"},)),
    "bound_vs_reality": Experiment(
        "Theorem 2.2: its error and fairness bounds, printed and sharp, beside simulated quantiles over (m, epsilon, |A|, beta).",
        1000, {"bound_vs_reality": (_BOUNDS, _bound)}),
}


def run(name: str, out: str | Path, *, repeats: int | None = None, seed: int, jobs: int = 1,
        progress: bool = True) -> dict[str, pd.DataFrame]:
    """Run a named experiment and write its tables, each with its times and the provenance of its data beside it.

    Source: main text, Figure 1, right panel, for ``figure1_right``; the others are none of the papers', but of this book's protocol.

    Parameters
    ----------
    name : str
        One of ``EXPERIMENTS``.
    out : path
        The folder for the tables; it exists.
    repeats : int, optional
        Noise draws for each setting, 24 or more (two for each held-out split); the experiment's own number without.
    seed : int
        From 0 on. These are simulations on public data, so a fixed seed reveals nobody.
    jobs : int
        Workers, 1 to 1024; -1 for one a core.
    progress : bool
        Show a bar on stderr.

    Returns
    -------
    dict of pandas.DataFrame
        Table name -> table.

    Raises
    ------
    ValueError
        Where there is no such experiment, ``out`` is no folder, or a number is out of range.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tables = run("figure1_right", folder, repeats=24, seed=1, progress=False)
    >>> tables["figure1_right"].shape
    (360, 13)
    """
    name = _checks.choice("name", name, tuple(EXPERIMENTS))
    if not isinstance(out, (str, Path)) or not os.path.isdir(out):          # False, too, for a name that no file could have
        _checks.refuse("out", out, "not a folder that exists", "Make the folder that the tables go to, or give another.")
    experiment = EXPERIMENTS[name]
    repeats = experiment.repeats if repeats is None else _checks.integer("repeats", repeats, low=24, high=10**7)
    seed = _checks.integer("seed", seed, low=0, high=2**63 - 1)
    command = f"python -m dpfair_teach.experiments {name} --repeats {repeats} --seed {seed}"
    tables = {table: sweep(evaluate, settings, repeats=repeats, seed=seed, command=command, out=Path(out) / f"{table}.csv",
                           jobs=jobs, progress=progress)
              for table, (settings, evaluate) in experiment.tables.items()}
    for table in tables:
        (Path(out) / f"{table}.provenance.txt").write_text(experiment.provenance + "\n", encoding="utf-8")
    return tables
