"""People of unlike gradients in four groups, of whom one moves a priced sum of group means nearly as far as anybody can."""
from __future__ import annotations

from itertools import permutations
from math import floor
from operator import mul
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 45, 10, "find"
OBJECTIVE = "find the data that attain a sensitivity of group means, for unlike sizes, prices and clips"
SHAPE = {"groups": ("list", ("whole", 0, 3), "m", "m"), "gradients": ("list", ("exact", -100, 100), "m", "m"),
         "who": ("whole", 0, "m"), "to": ("whole", 0, 3)}


def params(draw: Draw) -> dict[str, Any]:
    """Sizes and signed prices of four groups, everybody's longest gradient, and .999 of the largest move, which is above the printed bound
    and 2 % above that between any other groups; whose gradients count more is not a near tie."""
    while True:
        sizes = [draw.whole(3, 8) for _ in range(4)]
        prices = [draw.whole(2, 12) * draw.one_of([-1, 1]) for _ in sizes]
        lengths = [draw.whole(40, 100) for _ in range(sum(sizes))]
        printed = 2 * max(lengths) * max(map(abs, prices)) / (min(sizes) - 1)
        (second, _), (largest, pair) = sorted((bound(sizes, prices, lengths, *pair), pair) for pair in permutations(range(4), 2))[-2:]
        _, other, new = counts_for(sizes, prices, *pair)
        if largest > 1.03 * max(printed, second) and max(other, new) > 1.4 * min(other, new):
            return {"sizes": sizes, "prices": prices, "lengths": lengths, "m": sum(sizes), "printed": floor(100 * printed) / 100,
                    "move": floor(99.9 * largest) / 100}


def counts_for(sizes: list[int], prices: list[int], left: int, joined: int) -> tuple[float, float, float]:
    """What the gradient of who moves counts for, of each other in the group that is left, and of each in the group that is joined."""
    u, v = prices[left] / sizes[left], prices[joined] / (sizes[joined] + 1)
    return abs(v - u), abs(u) / (sizes[left] - 1), abs(v) / sizes[joined]


def bound(sizes: list[int], prices: list[int], lengths: list[int], left: int, joined: int) -> float:
    """The most that a move between these groups can do."""
    one, other, new = counts_for(sizes, prices, left, joined)
    counts = sorted([one] + [other] * (sizes[left] - 1) + [new] * sizes[joined])
    return sum(map(mul, counts[::-1], sorted(lengths)[::-1]))


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Are sizes and lengths the student's, and how far does the sum move?"""
    groups, gradients, who, to = answer["groups"], answer["gradients"], answer["who"], answer["to"]
    if (sizes := [groups.count(a) for a in range(4)]) != params["sizes"]:
        return 0, f"the groups have {sizes} people, not {params['sizes']}"
    if long := [i for i, (size, most) in enumerate(zip(gradients, params["lengths"], strict=True)) if abs(size) > most]:
        return 0, f"the gradient of person {long[0]} is larger than {params['lengths'][long[0]]} in size"
    if who == len(groups) or groups[who] == to:
        return 0, f"person {who} is in group {to} already" if who < len(groups) else f"there is no person {who}: the first is 0"
    before, after = (sum(params["prices"][a] * gradient / world.count(a) for a, gradient in zip(world, gradients, strict=True))
                     for world in (groups, [*groups[:who], to, *groups[who + 1:]]))
    if (move := abs(after - before)) < params["move"]:
        return 0, f"the sum moves by {float(move):.6g}, less than {params['move']} (the printed bound is {params['printed']})"
    return POINTS, ""
