"""Asking once and well on Communities and Crime: curves in-sample, on people that were not learned from, and beside the right panel."""
from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import product

import numpy as np

from dpfair_teach.experiments import (
    EPSILONS,
    GAMMAS_PROTOCOL,
    bootstrap_means,
    error_at_violation,
    pareto_quality,
)
from dpfair_teach.experiments.reference import error_and_gaps
from dpfair_teach.experiments.tradeoff import Draws, columns_with_interval
from dpfair_teach.oneshot import Frontier, PublicData, ask_well
from dpfair_teach.oneshot.basis import Basis, scores_of
from dpfair_teach.oneshot.decision_matrix import Decisions
from dpfair_teach.oneshot.posterior_frontier import published_of

from .left_panel import LEFT_GROUPS, left_people, left_reference, left_splits, mean_over_splits
from .panels import AT_VIOLATION, quality_columns

Rows = list[dict]
#: Functions of x, mixtures of them for all gammas, and what each decides of those learned from.
Learned = tuple[Basis, Frontier, Decisions]
#: Whom a learner is judged by, if not by those learned from: X, A, Y.
Judge = tuple[np.ndarray, np.ndarray, np.ndarray]

#: Held out a round is a run on each of the 12 splits; more of them than this are not made, whatever ``repeats`` says.
HELD_OUT_ROUNDS = 6


@lru_cache(maxsize=64)
def public_of(group: str, label: str, evaluated: str, split: int) -> PublicData:
    people = left_people(group, label)
    learn_from = left_splits(people, evaluated)[split][0]
    return PublicData(people.X[learn_from], people.Y[learn_from], target="these" if evaluated == "in_sample" else "new")


def draws_on(public: PublicData, A: np.ndarray, judge: Judge | None, epsilon: float, repeats: int, rng: np.random.Generator, *,
             n_groups: int, share: float | None = None) -> Draws:
    """:func:`draws_of` asking well."""

    def learned() -> Learned:
        _, posterior, candidates, path = ask_well(public, A, epsilon, rng, n_groups=n_groups, share=share)
        basis, frontier, _ = published_of(posterior, candidates, path, GAMMAS_PROTOCOL)
        return basis, frontier, Decisions(scores_of(basis, public), frontier.multipliers)
    return draws_of(learned, A, public.y, judge, repeats, n_groups)


def draws_of(learned: Callable[[], Learned], A: np.ndarray, y: np.ndarray, judge: Judge | None, repeats: int, n_groups: int) -> Draws:
    """Learn ``repeats`` times; error and violation are exact on the true groups of those learned from, or of others."""
    error, violation = np.empty((2, repeats, len(GAMMAS_PROTOCOL)))
    for r in range(repeats):
        basis, frontier, decisions = learned()
        used = np.flatnonzero((frontier.weights > 0).any(axis=0))
        weights = frontier.weights[:, used]
        if judge is None:
            errors, gaps = error_and_gaps(decisions.only(used).about(slice(None)), A, y, n_groups)
        else:
            errors, gaps = error_and_gaps((basis(judge[0]) @ frontier.multipliers[used].T > 0).T, judge[1], judge[2], n_groups)
        error[r], violation[r] = weights @ errors, np.abs(weights @ gaps).max(axis=1)
    return Draws(error, violation, np.ones(repeats, dtype=bool), GAMMAS_PROTOCOL)


def _rounds(setting: dict, repeats: int) -> int:
    return repeats if setting["evaluated"] == "in_sample" else min(repeats, HELD_OUT_ROUNDS)


def oneshot_draws(setting: dict, repeats: int, rng: np.random.Generator) -> Draws:
    """The curve of a setting: a repeat is in-sample one run, held out a round of 12, one on each split."""
    people = left_people(setting["group"], setting["label"])
    splits = left_splits(people, setting["evaluated"])
    rounds = _rounds(setting, repeats)
    parts = []
    for s, (learned, judged) in enumerate(splits):
        public = public_of(setting["group"], setting["label"], setting["evaluated"], s)
        judge = None if setting["evaluated"] == "in_sample" else (people.X[judged], people.A[judged], people.Y[judged])
        parts.append(draws_on(public, people.A[learned], judge, setting["epsilon"], rounds, rng, n_groups=people.n_groups))
    return mean_over_splits(parts)


def quality_of(draws: Draws, setting: dict, rng: np.random.Generator) -> dict[str, float]:
    """Q with its interval, NaN where the reference hardly beats the free points; Q by the second reference; the point at gamma = 0."""
    reference, free = left_reference(setting["group"], setting["label"], setting["evaluated"])
    q = quality_columns(draws, reference, free, rng)
    second, _ = left_reference(setting["group"], setting["label"], setting["evaluated"], thresholds=True)
    beside = np.nan if np.isnan(q["q"]) else pareto_quality(draws.means(), second, free)
    violation, error = draws.means()[0]
    return q | {"q_thresholds": float(beside), "violation_at_0": float(violation), "error_at_0": float(error)}


def curves(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The curve of a setting, one row a gamma; its Q stands in each of them."""
    draws = oneshot_draws(setting, repeats, rng)
    rows, q = draws.rows(rng), quality_of(draws, setting, rng)
    return [row | q for row in rows]


def rules(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The same, and how many curves were averaged."""
    return [row | {"rounds": _rounds(setting, repeats)} for row in curves(setting, repeats, rng)]


def at_violation(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The error offered at violation .05, of the same draws as the stored curve: both start from the setting's stream."""
    draws = oneshot_draws(setting, repeats, rng)
    _, free = left_reference(setting["group"], setting["label"], setting["evaluated"])
    return [columns_with_interval("error_at", lambda curve: error_at_violation(curve, AT_VIOLATION, free), draws.means(),
                                  bootstrap_means(draws.curves(), rng))]


#: ``method`` is what tables of several learners tell them apart by.
CURVES = [{"group": group, "label": "p70", "evaluated": "in_sample", "method": "ask_well", "epsilon": epsilon}
          for group, epsilon in product(LEFT_GROUPS, EPSILONS)]
#: What stands beside the right panel, by the default rules.
BESIDE_RIGHT = [setting for setting in CURVES if setting["group"] == "paper"]
#: By the other label rule, and judged on people that it has not seen.
ASKED_RULES = [{"group": group, "label": label, "evaluated": evaluated, "method": "ask_well", "epsilon": epsilon}
                  for label, evaluated in (("p70", "held_out"), ("p20", "in_sample"), ("p20", "held_out"))
                  for group, epsilon in product(LEFT_GROUPS, EPSILONS)]
