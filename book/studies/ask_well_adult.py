"""Adult by demographic parity: what asking well loses to no privacy, by a logistic base and by a boosted one.

Features are those of ``data.load("adult")``: one-hot, without sex, with ``relationship``, which nearly tells it. Of each split 75 % are
learned from and the others judged; columns are standardized by the former. There are twelve, as four say too little: at epsilon .1 it
matters much which cells a split makes. The logistic base is the learner's own; the boosted one is scikit-learn's as it comes, fitted on X
and Y of those learned from.
"""
from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from dpfair_teach import load
from dpfair_teach.data import Dataset
from dpfair_teach.experiments import GAMMAS_PROTOCOL, best_mixtures, error_at_violation
from dpfair_teach.oneshot import FrontierLearner, bayes_scores, multiplier_grid

#: The gap at which errors are read, and the tolerances of the curves: beyond .1 nobody looks.
AT, WIDER = 0.02, 0.05
GAMMAS = tuple(gamma for gamma in GAMMAS_PROTOCOL if gamma <= 0.1)
SPLITS, PARITY = 12, "demographic_parity"
READS: tuple[dict[str, str], ...] = ({"name": "adult"},)


@lru_cache(maxsize=1)
def split(number: int) -> tuple[Dataset, Dataset]:
    """Who is learned from, and who is judged."""
    people = load("adult")
    order = np.random.default_rng([2023, number]).permutation(people.m)
    parts = people.subset(order[:people.m * 3 // 4]), people.subset(order[people.m * 3 // 4:])
    mean, deviation = parts[0].X.mean(axis=0), parts[0].X.std(axis=0)
    learn, judge = (replace(part, X=(part.X - mean) / np.where(deviation > 0, deviation, 1.0)) for part in parts)
    return learn, judge


def chance_of(base: str, X: np.ndarray, of: np.ndarray) -> Any:
    """A fitted classifier of the label, or of the group where there is no privacy; the logistic is drawn to 0 as the learner's own."""
    model = LogisticRegression(C=0.1, max_iter=500) if base == "logistic" else HistGradientBoostingClassifier(random_state=0)
    return model.fit(X, of)


@cache
def boosted(number: int) -> Any:
    people, _ = split(number)
    return chance_of("boosted", people.X, people.Y)


def judged(decisions: np.ndarray, weights: np.ndarray, people: Dataset) -> np.ndarray:
    """(violation, error) of mixtures (G, H) of decisions (H, n) about n people, (G, 2)."""
    rates = [weights @ decisions[:, people.A == a].mean(axis=1) for a in (0, 1)]
    return np.column_stack([np.abs(rates[1] - rates[0]), weights @ (decisions != people.Y).mean(axis=1)])


def private(setting: dict, number: int, rng: np.random.Generator) -> np.ndarray:
    """The curve of one fit."""
    (learn, judge), base = split(number), boosted(number) if setting["base"] == "boosted" else None
    model = FrontierLearner(setting["epsilon"], AT, base=base, notion=PARITY, target="new", gammas=GAMMAS)
    model.fit(learn.X, learn.Y, sensitive_features=learn.A, rng=rng)
    return judged(model.decisions(judge.X), model.frontier_.weights, judge)


def not_private(setting: dict, number: int) -> np.ndarray:
    """The curve of fair Bayes thresholds, of the same kind of model for the true groups, mixed by the true gaps of those learned from."""
    learn, judge = split(number)
    label, group = (chance_of(setting["base"], learn.X, said) for said in (learn.Y, learn.A))
    u = multiplier_grid(2, notion=PARITY)

    def decisions(X: np.ndarray) -> np.ndarray:
        scores = bayes_scores(label.predict_proba(X)[:, 1], group.predict_proba(X)[:, None], [np.bincount(learn.A)], PARITY)
        return np.vstack([scores[:, 0] > u @ scores[:, 1:].T, np.zeros(len(X), bool), np.ones(len(X), bool)])
    told = decisions(learn.X)
    gaps = told[:, learn.A == 1].mean(axis=1) - told[:, learn.A == 0].mean(axis=1)
    mixtures = best_mixtures((told != learn.Y).mean(axis=1), gaps[:, None], GAMMAS)
    return judged(decisions(judge.X), mixtures.weights, judge)


def free_points(setting: dict, number: int) -> np.ndarray:
    """What costs no privacy: the better constant, and the base itself."""
    learn, judge = split(number)
    base = boosted(number) if setting["base"] == "boosted" else chance_of("logistic", learn.X, learn.Y)
    constant, own = judged(np.stack([np.zeros(judge.m), base.predict(judge.X)]), np.eye(2), judge)
    return np.stack([constant, own])


def at_gap(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """The error at a judged gap of .02, and of .05, on the lower hull of the mean curve and the mean free points; its standard error is
    that of the splits, each read by itself, and ``error_at_largest`` the worst of them. ``asked_*``: what a fit that is asked for .02 has.
    """
    curves, free = [], []
    for number, own in enumerate(rng.spawn(SPLITS)):
        if setting["method"] == "not_private":
            curves.append(not_private(setting, number))
        else:
            curves.append(np.mean([private(setting, number, draw) for draw in own.spawn(repeats // SPLITS)], axis=0))
        free.append(free_points(setting, number))
    mean, both = np.mean(curves, axis=0), np.mean(free, axis=0)
    read = [error_at_violation(curve, AT, points) for curve, points in zip(curves, free, strict=True)]
    violation, error = mean[GAMMAS.index(AT)]
    return [{"error_at": error_at_violation(mean, AT, both), "error_at_standard_error": float(np.std(read, ddof=1) / np.sqrt(SPLITS)),
             "error_at_largest": max(read), "error_at_wider": error_at_violation(mean, WIDER, both),
             "asked_violation": float(violation), "asked_error": float(error),
             "base_violation": float(both[1, 0]), "base_error": float(both[1, 1])}]


ADULT = [{"base": base, "method": method, "epsilon": epsilon} for base in ("logistic", "boosted")
         for method, epsilon in [*(("ask_well", epsilon) for epsilon in (0.01, 0.03, 0.1, 1.0)), ("not_private", np.inf)]]
