"""In-processing on Communities and Crime, the left panel of Figure 1: its group rules, people, splits, and the non-private reference."""
from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from dpfair_teach import data
from dpfair_teach.experiments import GAMMAS_PROTOCOL
from dpfair_teach.experiments.protocol import held_out_splits
from dpfair_teach.experiments.reference import frontier_points
from dpfair_teach.experiments.tradeoff import Draws
from dpfair_teach.oneshot import bayes_scores, multiplier_grid


def hisp_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racePctHisp is above its median: the paper's rule on another column."""
    return (raw["racePctHisp"] > raw["racePctHisp"].median()).to_numpy().astype(int)


def white_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racePctWhite is at most its median: the paper's rule on another column, the smaller half being group 1."""
    return (raw["racePctWhite"] <= raw["racePctWhite"].median()).to_numpy().astype(int)


def asian_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racePctAsian is above its median."""
    return (raw["racePctAsian"] > raw["racePctAsian"].median()).to_numpy().astype(int)


def foreign_median(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where PctForeignBorn is above its median."""
    return (raw["PctForeignBorn"] > raw["PctForeignBorn"].median()).to_numpy().astype(int)


#: Group rules that nobody looked at before the constants of ``oneshot.ask_well`` had been chosen on drawn populations. One constant and
#: four things of the method changed afterwards, as chapter 14 says.
ASIDE_GROUPS: dict[str, Any] = {"asian_median": asian_median, "foreign_median": foreign_median}


def share_of(column: str, share: float) -> Callable[[pd.DataFrame], np.ndarray]:
    """A = 1 for about that share of communities: those above a quantile of a column, or with a share below 0 those at most at one."""

    def rule(raw: pd.DataFrame) -> np.ndarray:
        cut = raw[column].quantile(1 - share if share > 0 else -share)
        return (raw[column] > cut if share > 0 else raw[column] <= cut).to_numpy().astype(int)
    return rule


def black_above_white(raw: pd.DataFrame) -> np.ndarray:
    """A = 1 where racepctblack is above racePctWhite, in the units of the table."""
    return (raw["racepctblack"] > raw["racePctWhite"]).to_numpy().astype(int)


LAST_SHARES = {"racepctblack": .25, "racePctHisp": .2, "racePctWhite": -.25, "racePctAsian": .25, "agePct12t29": .5, "agePct65up": .5,
               "medIncome": -.5, "PctPopUnderPov": .5, "PctKids2Par": -.5, "PctImmigRecent": .5, "PctNotSpeakEnglWell": .5,
               "TotalPctDiv": .5}
#: Group rules that were tried when nothing of asking well was changed any more, all of them.
LAST_GROUPS: dict[str, Any] = {f"{column}: {'highest' if share > 0 else 'lowest'} {abs(share):.0%}": share_of(column, share)
                               for column, share in LAST_SHARES.items()} | {"racepctblack above racePctWhite": black_above_white}
#: Group rules of the left panel, by name; the last two are the paper's rule (above or below the median) on the two next race columns.
LEFT_GROUPS: dict[str, Any] = {"paper": "paper", "race_argmax": "race_argmax", "hisp_median": hisp_median, "white_median": white_median}


@cache
def left_people(group: str = "paper", label: str = "p70") -> data.Dataset:
    """Communities and Crime for in-processing: features without the protected columns, a group rule of those above."""
    return data.load("communities", group=(LEFT_GROUPS | ASIDE_GROUPS | LAST_GROUPS)[group], label=label, features="unprotected")


def left_splits(people: data.Dataset, evaluated: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs (learn, judge) of index arrays: everybody twice in-sample, else the 12 splits of the protocol."""
    everybody = np.arange(people.m)
    return [(everybody, everybody)] if evaluated == "in_sample" else held_out_splits(people.m)


def mean_over_splits(parts: list[Draws]) -> Draws:
    """The curve of each repeat, averaged over the splits."""
    return Draws(np.mean([p.error for p in parts], axis=0), np.mean([p.violation for p in parts], axis=0), parts[0].kept, GAMMAS_PROTOCOL)


def bayes_thresholds(X: np.ndarray, A: np.ndarray, Y: np.ndarray, learn: np.ndarray) -> np.ndarray:
    """What fair Bayes thresholds decide, (H, m), by logistic regressions of those learned from, as the learner's own of the label."""
    from sklearn.linear_model import LogisticRegression

    deviation = X[learn].std(axis=0)
    scaled = X / np.where(deviation > 0, deviation, np.inf)

    def chance(of: np.ndarray, who: np.ndarray) -> np.ndarray:
        return LogisticRegression(C=0.1, max_iter=500).fit(scaled[who], of[who]).predict_proba(scaled)[:, 1]
    of_label = [chance(A, learn[Y[learn] == y]) for y in (0, 1)]
    n = [[((A[learn] == a) & (Y[learn] == y)).sum() for a in (0, 1)] for y in (0, 1)]
    scores = bayes_scores(chance(Y, learn), np.stack([[1 - p, p] for p in of_label]).transpose(2, 0, 1), n)
    return scores[:, 0] > multiplier_grid(2, points=41) @ scores[:, 1:].T


def reference_on(people: data.Dataset, splits: list[tuple[np.ndarray, np.ndarray]], thresholds: bool) -> tuple[np.ndarray, np.ndarray]:
    """``experiments.regression_reference``, as the mean over splits (learn, judge), perhaps with Bayes thresholds too."""
    X, A, Y = people.X, people.A, people.Y
    rows = np.mean([frontier_points(X, A, Y, learn, judge, bayes_thresholds(X, A, Y, learn) if thresholds else None)
                    for learn, judge in splits], axis=0)
    return rows[:-2], rows[-2:]


@cache
def left_reference(group: str = "paper", label: str = "p70", evaluated: str = "in_sample",
                   thresholds: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The protocol's reference, (25, 2) rows (violation, error), and its free points (2, 2); or the second reference."""
    people = left_people(group, label)
    found = reference_on(people, left_splits(people, evaluated), thresholds)
    for array in found:
        array.flags.writeable = False       # the next caller gets the same
    return found


def reads(settings: list[dict]) -> tuple[dict[str, object], ...]:
    """What ``data.load`` is asked for by settings of (group, label): each pair once."""
    pairs = dict.fromkeys((setting["group"], setting["label"]) for setting in settings)
    groups = LEFT_GROUPS | ASIDE_GROUPS | LAST_GROUPS
    return tuple({"name": "communities", "group": groups[g], "label": label, "features": "unprotected"} for g, label in pairs)


def second_rows(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """The same of the second reference, which also mixes fair Bayes thresholds made with the true groups."""
    return reference_rows(setting | {"thresholds": True}, repeats, rng)


def reference_rows(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """The stored form: one row a gamma, and two with gamma -1 (the constant) and infinity (no constraint). Nothing is drawn."""
    curve, free = left_reference(setting["group"], setting["label"], setting["evaluated"], setting.get("thresholds", False))
    return [{"gamma": float(gamma), "violation": float(violation), "error": float(error)}
            for gamma, (violation, error) in zip((*GAMMAS_PROTOCOL, -1.0, np.inf), np.vstack([curve, free]), strict=True)]


REFERENCES = [{"group": group, "label": label, "evaluated": evaluated}
              for group in LEFT_GROUPS for label in ("p70", "p20") for evaluated in ("in_sample", "held_out")]
