"""Scores whose covariance with each of three groups is 0, and the widest gap of acceptance rates that such scores leave."""
from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 25, 10, "find"
OBJECTIVE = "show with data that a covariance of 0 leaves a gap of acceptance rates, and how wide a one"
STEEPEST = 5        # the largest size of a score
SHAPE = {f"group_{a}": ("list", ("whole", -STEEPEST, STEEPEST), f"n_{a}", f"n_{a}") for a in (0, 1, 2)}


def params(draw: Draw) -> dict[str, Any]:
    """Sizes of the groups, a mean between -1 and 1 that each of them can have, not 0, and the widest gap."""
    while True:
        parts = draw.whole(2, 5)
        sizes = [parts * draw.whole(40 // parts, 80 // parts) for _ in range(3)]
        mean = Fraction(draw.whole(1 - parts, parts - 1), parts)
        ends = [extremes(size, mean) for size in sizes]
        gaps = [abs(ends[a][i] - ends[0][1 - i]) for a in (1, 2) for i in (0, 1)]
        if mean and len(set(sizes)) == 3 and sorted(gaps)[-2] < max(gaps):
            return {**{f"n_{a}": size for a, size in enumerate(sizes)}, "mean": str(mean), "gap": str(max(gaps))}


def extremes(size: int, mean: Fraction) -> tuple[Fraction, Fraction]:
    """The lowest and the highest acceptance rate of a group with that mean score: no score is beyond 5, nor within 1."""
    return Fraction(ceil(size * (mean + 1) / (STEEPEST + 1)), size), Fraction(floor(size * (mean + STEEPEST) / (STEEPEST + 1)), size)


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Is every score a decision, are the mean and the covariances right, and are the rates as far apart as they can be?"""
    groups = list(answer.values())
    for name, scores in answer.items():
        if 0 in scores:
            return 0, f"{name} has a score of 0 (entry {scores.index(0)}), which neither accepts nor rejects"
    everybody = [score for scores in groups for score in scores]
    mean = Fraction(sum(everybody), len(everybody))
    if mean != Fraction(params["mean"]):
        return 0, f"the mean score of all is {mean}, not {params['mean']}"
    for a, scores in enumerate(groups):
        covariance = (sum(scores) - len(scores) * mean) / len(everybody)
        if covariance != 0:
            return 0, f"the covariance of group {a} is {covariance}, not 0"
    rates = [Fraction(sum(score > 0 for score in scores), len(scores)) for scores in groups]
    gap = max(abs(rate - rates[0]) for rate in rates)
    if gap < Fraction(params["gap"]):
        return 0, f"the largest gap to group 0 is {gap}, less than {params['gap']}"
    return POINTS, ""
