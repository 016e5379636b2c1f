"""Neighbours and a half-line that refute noise whose scale is the largest local sensitivity nearby."""
from __future__ import annotations

from math import exp, log
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 60, 10, "find"
OBJECTIVE = "refute a noise scale that is computed from the private data, by neighbours and an event"
SHAPE = {"groups": ("list", ("whole", 0, 1), 24, 24), "who": ("whole", 0, 23), "half_line": ("one of", "at least", "at most"),
         "threshold": ("real", -10**6, 10**6)}
LEAST, TOLERANCE = 1 / 1000, 1e-4       # of logarithms: two decimals of a threshold are enough


def params(draw: Draw) -> dict[str, Any]:
    """Scores of which few are large, k, epsilon, and an excess: a line in k and epsilon below the best that a search found."""
    scores = [round(40 * 1.15**i) + draw.whole(-9, 9) for i in range(24)]
    k, epsilon = draw.whole(6, 8), draw.whole(50, 140) / 100
    return {"scores": draw.order(scores), "k": k, "epsilon": epsilon, "excess": round(4.71 - 0.4 * k - 0.32 * (epsilon - 0.5), 2)}


def flipped(groups: list[int], i: int) -> list[int]:
    """The groups after person i changed."""
    return [*groups[:i], 1 - groups[i], *groups[i + 1:]]


def local_sensitivity(scores: list[int], groups: list[int]) -> float:
    """How far one change moves the mean score of group 1."""
    total, count = sum(score for score, group in zip(scores, groups, strict=True) if group), sum(groups)
    return max(abs(total / count - ((total - score) / (count - 1) if group else (total + score) / (count + 1)))
               for score, group in zip(scores, groups, strict=True))


def law(scores: list[int], groups: list[int], epsilon: float) -> tuple[float, float]:
    """What the noise is added to, and its scale."""
    nearby = [groups, *(flipped(groups, i) for i in range(24))]
    mean = sum(score for score, group in zip(scores, groups, strict=True) if group) / sum(groups)
    return mean, max(local_sensitivity(scores, one) for one in nearby) / epsilon


def log_chance(mean: float, scale: float, sign: int, threshold: float) -> float:
    """The logarithm of the chance that the published number lies in the half-line."""
    beyond = sign * (threshold - mean) / scale
    return log(0.5) - beyond if beyond >= 0 else log(1 - 0.5 * exp(beyond))


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Are both groups large enough, is the half-line likely enough, and its loss large enough?"""
    scores, groups, epsilon = params["scores"], answer["groups"], params["epsilon"]
    fewest = min(sum(groups), sum(flipped(groups, answer["who"])))
    if fewest < params["k"]:
        return 0, f"group 1 has {fewest} people in one of the two, fewer than {params['k']}"
    sign = 1 if answer["half_line"] == "at least" else -1
    here, there = (log_chance(*law(scores, one, epsilon), sign, answer["threshold"]) for one in (groups, flipped(groups, answer["who"])))
    if here < log(LEAST) - TOLERANCE:
        return 0, f"with your groups the half-line has probability {exp(here):.6g}, below 1/1000"
    if here - there < epsilon + params["excess"] - TOLERANCE:
        return 0, f"the loss is {here - there:.6g}, below {epsilon:g} + {params['excess']:g}"
    return POINTS, ""
