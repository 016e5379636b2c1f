"""Rounds against which exponentiated gradient, started low, earns far less than one fixed price would have."""
from __future__ import annotations

from math import exp, floor, tanh
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 50, 10, "find"
OBJECTIVE = "find the rounds that cost exponentiated gradient about as much regret as its step allows"
SHAPE = {"rounds": ("list", ("list", ("real", -1, 1), 2, 2), "T", "T")}


def params(draw: Draw) -> dict[str, Any]:
    """The step, the start and the number of rounds; a target a little below tanh(eta/2) a round."""
    eta, T = draw.whole(50, 80) / 100, draw.whole(50, 70)
    start = [-draw.whole(10, 25) / 10 for _ in range(2)]
    return {"eta": eta, "T": T, "start": start, "target": floor(94 * T * tanh(eta / 2)) / 100}


def prices(theta: list[float]) -> list[float]:
    """Of both constraints, with B = 1: what is left of 1 is not charged."""
    top = max(0.0, *theta)
    weights = [exp(each - top) for each in theta]
    return [weight / (exp(-top) + sum(weights)) for weight in weights]


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Plays the rounds, and compares with the best price in hindsight: all on one constraint, or on none."""
    theta, earned, sums = list(params["start"]), 0.0, [0.0, 0.0]
    for r in answer["rounds"]:
        earned += sum(price * value for price, value in zip(prices(theta), r, strict=True))
        sums = [total + value for total, value in zip(sums, r, strict=True)]
        theta = [each + params["eta"] * value for each, value in zip(theta, r, strict=True)]
    best = max(0.0, *sums)
    if best - earned < params["target"]:
        return 0, f"the best fixed price earns {best:.4f}, the prices {earned:.4f}: regret {best - earned:.4f}, not {params['target']}"
    return POINTS, ""
