"""An equilibrium of the game of fair learning, where the two kinds of mistakes cost different amounts."""
from __future__ import annotations

from itertools import combinations
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 35, 10, "find"
OBJECTIVE = "find a mixture and prices that are best answers to each other, and prove it by both best answers"
SHAPE = {"mixture": ("list", ("real", 0, 1), 8, 8), "prices": ("list", ("real", 0, "B"), 4, 4)}
TOLERANCE = 1e-9


def params(draw: Draw) -> dict[str, Any]:
    """The game: a mixture of two is charged less than each classifier alone, and no two accept as many people of a label."""
    while True:
        people = [[draw.whole(20, 60) for _ in "01"] for _ in "01"]
        accepts = [[[draw.whole(0, size) for size in group] for group in people] for _ in range(8)]
        cost_0, cost_1 = draw.order([1, 2, 3, 4, 5])[:2]
        gamma, most = draw.whole(1, 5) / 100, draw.whole(3, 9)
        own = {"people": people, "accepts": accepts, "cost_0": cost_0, "cost_1": cost_1, "gamma": gamma, "B": most}
        if any(len({one[0][label] + one[1][label] for one in accepts}) < 8 for label in (0, 1)):
            continue
        rows = [entries(own, one) for one in accepts]
        pairs = [charge(own, mixed(rows, {i: k / 10, j: 1 - k / 10})) for i, j in combinations(range(8), 2) for k in range(1, 10)]
        if min(pairs) < min(charge(own, row) for row in rows) - 0.05:
            return own


def entries(params: dict[str, Any], accepted: list) -> list[float]:
    """A classifier's mean cost, then its four entries of r."""
    people, gamma = params["people"], params["gamma"]
    cost = params["cost_0"] * (accepted[0][0] + accepted[1][0]) + params["cost_1"] * sum(people[a][1] - accepted[a][1] for a in (0, 1))
    gaps = [accepted[1][label] / people[1][label] - accepted[0][label] / people[0][label] for label in (0, 1)]
    return [cost / sum(map(sum, people)), gaps[0] - gamma, -gaps[0] - gamma, gaps[1] - gamma, -gaps[1] - gamma]


def mixed(rows: list, weights: dict[int, float]) -> list[float]:
    """The mean of some rows."""
    return [sum(weight * rows[i][k] for i, weight in weights.items()) for k in range(5)]


def charge(params: dict[str, Any], row: list[float]) -> float:
    """What the auditor's best prices make of a row."""
    return row[0] + params["B"] * max(0.0, *row[1:])


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Can neither player do better than the answer by more than the tolerance?"""
    mixture, prices, most = answer["mixture"], answer["prices"], params["B"]
    if abs(sum(mixture) - 1) > TOLERANCE or sum(prices) > most + TOLERANCE:
        return 0, f"the mixture sums to {sum(mixture):.12g}, the prices to {sum(prices):.12g}: not to 1, or to more than {most}"
    rows = [entries(params, one) for one in params["accepts"]]
    pays = [row[0] + sum(price * gap for price, gap in zip(prices, row[1:], strict=True)) for row in rows]
    paid = sum(weight * one for weight, one in zip(mixture, pays, strict=True))
    could = charge(params, mixed(rows, dict(enumerate(mixture))))
    if paid > min(pays) + TOLERANCE or could > paid + TOLERANCE:
        return 0, f"L is {paid:.10g}; another classifier would pay {min(pays):.10g}, other prices would take {could:.10g}"
    return POINTS, ""
