"""A few outputs that refute a claim of (epsilon, delta)-privacy, and nearly the largest epsilon that so few refute."""
from __future__ import annotations

from math import exp, floor, log
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 30, 10, "find"
#: The largest epsilon is at most so many times the one handed in.
SLACK = 1.01
OBJECTIVE = "find the event that breaks a claimed epsilon at a given delta, and see that no other breaks more"
SHAPE = {"outputs": ("list", ("whole", 0, 49), 1, "most"), "epsilon": ("real", 0.01, 10)}


def params(draw: Draw) -> dict[str, Any]:
    """Chances of 50 outputs in two neighbours, in 10,000ths, delta, and how many outputs may be named. All together refute 15 % more, and
    those with the most beyond that epsilon too little. So do those with the largest loss, or difference, of which two or more are wrong."""
    while True:
        table = [[draw.whole(1, 60) ** 2 for _ in range(50)] for _ in "PQ"]
        table = [[1 + 9950 * size // sum(row) for size in row] for row in table]
        table = [[10_000 - sum(row[1:]), *row[1:]] for row in table]
        most = draw.whole(10, 12)
        for epsilon in [draw.whole(50, 130) / 100 for _ in range(8)]:
            sums = [sum(sorted(excesses(table, way, epsilon))[-most:]) for way in (0, 1)]
            way, own = sums.index(max(sums)), {"table": table, "most": most, "delta": floor(max(sums)) / 10_000}
            if min(sums) > 0.9 * max(sums) or sum(above := excesses(table, way, 1.15 * epsilon)) < max(sums):
                continue
            losses, worth = [p / q for p, q in zip(table[way], table[1 - way], strict=True)], excesses(table, way, epsilon)
            by_above, by_loss, by_difference = ([i for *_, i in sorted(zip(first, worth, range(50), strict=True))[::-1]][:most]
                                                for first in (above, losses, excesses(table, way, 0)))
            named = [by_above, by_difference, *(by_loss[:n + 1] for n in range(most))]
            if (min(sum(worth[i] < sorted(worth)[-most] for i in outputs) for outputs in (by_loss, by_difference)) > 1
                    and max(refuted(own, outputs) for outputs in named) < 0.98 * epsilon):
                return own


def excesses(table: list[list[int]], way: int, epsilon: float) -> list[float]:
    """Of each output its chance in the one world, beyond e^epsilon times that in the other."""
    factor = exp(epsilon)
    return [beyond if (beyond := p - factor * q) > 0 else 0.0 for p, q in zip(table[way], table[1 - way], strict=True)]


def refuted(own: dict[str, Any], outputs: list[int]) -> float:
    """The epsilon up to which these outputs refute the claim, in the better of both ways; 0 if they refute none."""
    sums = [sum(row[i] for i in outputs) / 10_000 for row in own["table"]]
    return max(log(max(1.0, (p - own["delta"]) / q)) for p, q in (sums, sums[::-1]))


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Do the outputs refute epsilon, and does nothing refute one that is a hundredth larger?"""
    if len(set(outputs := answer["outputs"])) < len(outputs):
        return 0, f"an output is named twice in {outputs}"
    if (reached := refuted(params, outputs)) < (epsilon := answer["epsilon"]) - 1e-9:
        return 0, f"these outputs refute no epsilon from {reached:.6f} on, and you claim {epsilon:.6f}"
    beyond = (sum(sorted(excesses(params["table"], way, SLACK * epsilon))[-params["most"]:]) for way in (0, 1))
    if max(beyond) / 10_000 > params["delta"]:
        return 0, f"epsilon {epsilon:.6f} is refuted, and so is one that is a hundredth larger, by other outputs or by these"
    return POINTS, ""
