"""A private gradient step of PF-LD with public sizes: how far one person's group moves it, and the step with its noise."""
from __future__ import annotations

import math
import secrets
from itertools import combinations
from statistics import NormalDist
from typing import Any

from ._draw import Draw
from ._law import marked

MINUTES, POINTS, LEVEL = 30, 10, "build"
OBJECTIVE = "bound the sensitivity of a priced sum of clipped gradients, and add Gaussian noise for it"
#: Directions, of length 1, near to each other.
WAYS = [(0.5, 0.5, 0.5, 0.5), (0.7, 0.5, 0.5, 0.1), (0.1, 0.5, 0.7, 0.5), (0.5, 0.1, 0.5, 0.7)]
SHAPE = {"code": ("text", 20_000)}


def params(draw: Draw) -> dict[str, Any]:
    """Three groups with public sizes and prices of both signs; the clip; the noise multiplier. The largest price is not of the pair."""
    while True:
        sizes, prices = [draw.whole(20, 90) for _ in range(3)], [draw.whole(-40, 40) / 10 for _ in range(3)]
        own = {"sizes": sizes, "prices": prices, "clip": draw.whole(5, 30) / 10,
               "noise_multiplier": draw.whole(10, 40) / 10}
        each = [price / size for price, size in zip(prices, sizes, strict=True)]
        apart = max(each) - min(each)
        least, most = min(map(abs, each)), max(map(abs, each))
        if min(each) < 0 < max(each) and 0.2 * apart < least and most < 0.8 * apart and min(abs(apart - 2 * most), 1) > 0.2 * apart:
            return own


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """4 points for the scale, 6 for steps that have the right mean and noise of that law."""
    each = [price / size for price, size in zip(params["prices"], params["sizes"], strict=True)]
    moved = max(abs(one - other) for one, other in combinations(each, 2))       # somebody's gradient gets the other group's price
    scale = params["noise_multiplier"] * params["clip"] * moved
    heavy = max(range(3), key=lambda a: abs(each[a]))       # all go one way: a sum whose parts noise does not hide
    people = [heavy] * 12 + [a for a in range(3) if a != heavy] * 14
    lengths = [0.0, *(params["clip"] * (40 + secrets.randbelow(50 if i % 2 else 400)) / 100 for i in range(39))]
    gradients = [[size * part for part in secrets.choice(WAYS)] for size in lengths]
    exact = [0.0] * 4
    for gradient, a in zip(gradients, people, strict=True):
        short = each[a] / max(1.0, math.hypot(*gradient) / params["clip"])
        exact = [total + short * x for total, x in zip(exact, gradient, strict=True)]
    return marked(answer["code"], "step", [gradients, people], exact, scale, NormalDist().cdf)
