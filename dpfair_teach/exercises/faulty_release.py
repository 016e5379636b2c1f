"""Two data sets and a box that tell them apart, for a program whose noise has a fault."""
from __future__ import annotations

from math import ceil, exp, floor, inf, log
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 40, 10, "find"
OBJECTIVE = "refute a claimed epsilon by an event that fits the fault of a program"
SHAPE = {"groups": ("list", ("whole", 0, 1), 10, 10), "moves": ("whole", 0, 9),
         "box": ("list", ("list", ("or null", ("whole", -1000, 1000)), 2, 2), 2, 2)}


def params(draw: Draw) -> dict[str, Any]:
    """Numbers of ten people, a fault, the claim, and the loss and the chance to reach: a little below the most there is."""
    fault = draw.one_of(["same", "opposite", "cut", "again"])
    while True:
        u, v = ([draw.whole(5, 40) for _ in range(10)] for _ in "uv")
        epsilon, c = draw.whole(10, 15) / 10, draw.whole(42, 80)
        b = ceil(max(map(sum, zip(u, v, strict=True))) / epsilon)       # enough, were there no fault
        moves = sorted({"same": abs(x - y), "cut": max(x, y)}.get(fault, x + y) for x, y in zip(u, v, strict=True))
        loss, far = 5.0, exp((moves[-1] - c) / b) / 2 if fault == "cut" else 1 - exp(-moves[-1] / (2 * b))
        if fault == "again":
            at_most = max(log(2 * exp(x / b) - 1) + log(2 * exp(y / b) - 1) for x, y in zip(u, v, strict=True))
            loss, far = floor(100 * at_most - 39) / 100, 0.033
        if moves[-1] >= max(15, moves[-2] + 2) and loss > epsilon + 0.1:
            return {"u": u, "v": v, "fault": fault, "c": c, "b": b, "epsilon": epsilon, "loss": loss, "chance": floor(980 * far) / 1000}


def between(b: float, low: float, high: float) -> float:
    """The chance of a noise from low to high."""
    def at_least(k: float) -> float:
        return exp(-k / b) / (1 + exp(-1 / b)) if k > 0 else 1 - exp((k - 1) / b) / (1 + exp(-1 / b))
    return max(0.0, at_least(low) - at_least(high + 1))


def chance(own: dict[str, Any], groups: list[int], box: list[list[int | None]]) -> float:
    """That (z1, z2) lies in the box."""
    b, c, fault, result, ends = own["b"], own["c"], own["fault"], 1.0, []
    for name, (low, high) in zip("uv", box, strict=True):
        s = sum(each for each, group in zip(own[name], groups, strict=True) if group)
        least, most = -inf if low is None else low - s, inf if high is None else high - s
        ends.append((least, most))
        if fault == "again":
            result *= between(b, max(least, -s), most) / between(b, -s, inf)
        elif fault == "cut":
            result *= between(b, -inf if least <= -c else least, inf if most >= c else most) if least <= c and most >= -c else 0.0
    (first, last), (least, most) = ends if fault == "same" else (ends[0], (-ends[1][1], -ends[1][0]))
    return between(b, max(first, least), min(last, most)) if fault in ("same", "opposite") else result


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Both chances, without simulation."""
    moved = [group ^ (i == answer["moves"]) for i, group in enumerate(answer["groups"])]
    here, there = (chance(params, groups, answer["box"]) for groups in (answer["groups"], moved))
    loss = (log(here / there) if there else inf) if here else -inf
    if here < params["chance"] or loss < params["loss"]:
        return 0, f"chance {here:.6f}, asked {params['chance']}; after the move {there:.6f}, so loss {loss:.4f}, asked {params['loss']}"
    return POINTS, ""
