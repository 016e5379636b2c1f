"""Three exponential mechanisms, each chosen by the outcomes before it, whose delta no plan fixed beforehand reaches."""
from __future__ import annotations

from itertools import product
from math import comb, exp, inf, log
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 40, 10, "explore"
OBJECTIVE = "show by numbers that adaptive exponential mechanisms lose more than the best ones fixed beforehand"
SHAPE = {"tables": ("list", ("list", ("real", 0, 1), 2, 2), 7, 7)}
#: Relative, of a ratio of odds, far below what the target leaves.
TOLERANCE = 1e-5


def params(draw: Draw) -> dict[str, Any]:
    """epsilon0, epsilon, and a target 6 % above the best delta of three steps fixed beforehand, which the chapter's theorem has."""
    epsilon0 = draw.whole(50, 150) / 100
    epsilon = round(draw.whole(760, 880) / 1000 * epsilon0, 4)
    return {"epsilon0": epsilon0, "epsilon": epsilon, "target": round(1.06 * fixed_beforehand(epsilon0, epsilon) - 5e-7, 6)}


def fixed_beforehand(epsilon0: float, epsilon: float) -> float:
    """The largest delta of three exponential mechanisms, none chosen by the outcomes of others."""
    deltas, c = [], 1 - exp(-epsilon0)
    for most in range(3):
        t = min((epsilon + (most + 1) * epsilon0) / 4, epsilon0)
        q, p = (1 - exp(-t)) / c, (exp(t) - 1) / (c * exp(epsilon0))
        in_p, in_q = (sum(comb(3, low) * one**low * (1 - one)**(3 - low) for low in range(most + 1)) for one in (p, q))
        deltas.append(in_p - exp(epsilon) * in_q)
    return max(deltas)


def delta(tables: list, epsilon: float) -> float:
    """The sum over the eight ways through the tree of what P has above e^epsilon Q."""
    total = 0.0
    for first, second, third in product((0, 1), repeat=3):
        p = q = 1.0
        for table, outcome in ((tables[0], first), (tables[1 + first], second), (tables[3 + 2 * first + second], third)):
            p, q = (so_far * (1 - chance if outcome else chance) for so_far, chance in zip((p, q), table, strict=True))
        total += max(0.0, p - exp(epsilon) * q)
    return total


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Is each table one of an exponential mechanism, and is the tree's delta large enough?"""
    most = exp(params["epsilon0"]) * (1 + TOLERANCE)
    places = ["at first", *(f"after {outcomes}" for outcomes in "0 1 00 01 10 11".split())]
    for place, (p, q) in zip(places, answer["tables"], strict=True):
        odds, others = p * (1 - q), q * (1 - p)
        if max(odds, others) > most * min(odds, others):
            told = log(max(odds, others) / min(odds, others)) if min(odds, others) else inf
            return 0, f"the table {place} moves the odds of its candidates by a factor of e^{told:.6g}, more than e^{params['epsilon0']}"
    reached = delta(answer["tables"], params["epsilon"])
    if reached < params["target"]:
        return 0, f"the tree's delta is {reached:.7f}, below {params['target']:.6f}"
    return POINTS, ""
