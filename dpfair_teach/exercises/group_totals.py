"""A private release of weighted group sizes: how much noise, and a sampler for it."""
from __future__ import annotations

import math
import secrets
from itertools import combinations
from typing import Any

from ._draw import Draw
from ._law import marked

MINUTES, POINTS, LEVEL = 25, 10, "build"
OBJECTIVE = "find the sensitivity of a statistic of k groups, and release it with Laplace noise"
SHAPE = {"code": ("text", 20_000)}


def params(draw: Draw) -> dict[str, Any]:
    """A weight for each of four groups and epsilon: the two largest weights are not neighbours in the list."""
    while True:
        weights = [draw.whole(1, 40) for _ in range(4)]
        largest = sorted(range(4), key=weights.__getitem__)[2:]
        if len(set(weights)) == 4 and abs(largest[0] - largest[1]) > 1:
            return {"weights": weights, "epsilon": draw.whole(3, 30) / 10}


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """4 points for the scale, 6 for noise of that law, at groups that nobody knows before."""
    scale = max(one + other for one, other in combinations(params["weights"], 2)) / params["epsilon"]      # who moves from one to the other
    people = [secrets.randbelow(4) for _ in range(250)]
    exact = [weight * people.count(a) for a, weight in enumerate(params["weights"])]
    return marked(answer["code"], "release", [people], exact, scale, lambda x: 1 - math.exp(-x) / 2 if x > 0 else math.exp(x) / 2)
