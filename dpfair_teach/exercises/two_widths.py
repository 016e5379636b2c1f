"""An event that tells two neighbours apart by the widths of their noises alone, of which one grows and one shrinks."""
from __future__ import annotations

from math import exp, factorial, floor
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 35, 10, "find"
OBJECTIVE = "find the worst event of two scales that both know the data, and its delta"
SHAPE = {"u": ("real", -10, 10), "v": ("real", -10, 10), "s": ("real", -10_000, 10_000)}


def params(draw: Draw) -> dict[str, Any]:
    """Two cells of unlike g; neither sum alone comes near delta, which is .15 % below that of the worst event there is."""
    while True:
        own: dict[str, Any] = {"n1": draw.whole(4, 7), "g1": draw.whole(1, 12), "K1": draw.whole(4, 10),
                               "n2": draw.whole(3, 6), "g2": draw.whole(1, 12), "K2": draw.whole(4, 10), "epsilon": draw.whole(2, 10) / 10}
        if max(own["g1"], own["g2"]) < 2 * min(own["g1"], own["g2"]):
            continue
        before, after, ratio, h = *scales(own), exp(own["epsilon"]), 0.35
        first, second = ([(h * density(own[K], h * (i + 0.5)), h * b / c * density(own[K], h * (i + 0.5) * b / c)) for i in range(100)]
                         for K, b, c in zip(("K1", "K2"), before, after, strict=True))
        alone = max(sum(max(0.0, q - ratio * p) for p, q in one) for one in (first, second))
        worst = sum(max(0.0, q1 * q2 - ratio * p1 * p2) for p1, q1 in first for p2, q2 in second)
        if worst > max(0.1, 1.2 * alone):
            return {**own, "delta": floor(0.9985 * worst * 1e4) / 1e4}


def scales(own: dict[str, Any]) -> list[tuple[float, float]]:
    """Of both cells, before and after: g over all people but one; the person has left the first cell and joined the second."""
    return [(own["g1"] / (own["n1"] - 1 - moved), own["g2"] / (own["n2"] - 1 + moved)) for moved in (0, 1)]


def density(K: int, x: float) -> float:
    """Of the Gamma(K) law: that of a sum of K sizes of Laplace noises of scale 1."""
    return exp(-x) * x ** (K - 1) / factorial(K - 1)


def tail(K: int, x: float) -> float:
    """The chance that such a sum is at least x."""
    return 1.0 if x <= 0 else 0.0 if x > 700 else exp(-x) * sum(x**j / factorial(j) for j in range(K))


def chance(own: dict[str, Any], scale: tuple[float, float], u: float, v: float, s: float) -> float:
    """That u S1 + v S2 is at least s, summed over 1,000 values of S2."""
    total, h = 0.0, (own["K2"] + 30) / 1000
    for i in range(1000):
        left, each = s - v * scale[1] * h * (i + 0.5), h * density(own["K2"], h * (i + 0.5))
        first = tail(own["K1"], left / (u * scale[0])) if abs(u) > 1e-9 else float(left <= 0)
        total += each * (first if u >= -1e-9 else 1 - first)
    return total


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Is the event, afterwards, so much more likely than before?"""
    before, after = (chance(params, scale, **answer) for scale in scales(params))
    if (reached := after - exp(params["epsilon"]) * before) < params["delta"]:
        return 0, f"the chances are {before:.6f} before and {after:.6f} afterwards: delta {reached:.6f}, less than {params['delta']}"
    return POINTS, ""
