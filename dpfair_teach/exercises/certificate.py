"""Coins and prices that prove each other best, where half of the people must be accepted."""
from __future__ import annotations

from fractions import Fraction
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 40, 10, "prove"
#: In people, and of a rate: a solver's answer may be handed in as it is.
TOLERANCE = Fraction(1, 10**6)
OBJECTIVE = "certify the optimum of a fair post-processing by its dual prices"
CELLS = [(0, 0), (0, 1), (1, 0), (1, 1)]
SHAPE = {"coins": ("list", ("list", ("exact", 0, 1), 2, 2), 2, 2), "prices": ("list", ("exact", -10**9, 10**9), 3, 3)}


def params(draw: Draw) -> dict[str, Any]:
    """Counts [decision][group][label] and gamma: the best coins for the quota alone break both gaps."""
    while True:
        counts = [[[draw.whole(3, 40) for _ in "01"] for _ in "01"] for _ in "01"]
        gamma = Fraction(draw.whole(2, 8), 100)
        by_worth = sorted(((counts[d][a][0] - counts[d][a][1]) / sum(counts[d][a]), d, a) for d in (0, 1) for a in (0, 1))
        left, coins = Fraction(sum(sum(map(sum, table)) for table in counts), 2), [[Fraction(0)] * 2 for _ in "01"]
        for _, d, a in by_worth:
            coins[d][a] = min(Fraction(1), left / sum(counts[d][a]))
            left -= coins[d][a] * sum(counts[d][a])
        gaps = [abs(gap(counts, coins, y)) for y in (0, 1)]
        if gaps[0] > 2 * gamma and gaps[1] > 4 * gamma:
            return {"counts": counts, "gamma": str(gamma)}


def gap(counts: list, coins: list, y: int) -> Fraction:
    """Of those with label y the accepted part in group 1, less that in group 0."""
    rates = [sum(counts[d][a][y] * coins[d][a] for d in (0, 1)) / Fraction(sum(counts[d][a][y] for d in (0, 1))) for a in (0, 1)]
    return rates[1] - rates[0]


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Are the coins allowed, and is no allowed coin's mean number of mistakes below what the prices say?"""
    counts, coins, (price_fp, price_tp, price_quota) = params["counts"], answer["coins"], answer["prices"]
    gamma, half = Fraction(params["gamma"]), Fraction(sum(sum(map(sum, table)) for table in counts), 2)
    accepted = sum(coins[d][a] * sum(counts[d][a]) for d, a in CELLS)
    if abs(accepted - half) > TOLERANCE:
        return 0, f"{float(accepted):.12g} people are accepted in the mean, not {float(half):g}"
    for y, most, rate in ((0, gamma, "false"), (1, 2 * gamma, "true")):
        if abs(gap(counts, coins, y)) > most + TOLERANCE:
            return 0, f"the {rate} positive rates are {float(abs(gap(counts, coins, y))):.6g} apart, more than {float(most):g}"
    mistakes = lowest = Fraction(sum(counts[d][a][1] for d, a in CELLS))
    for d, a in CELLS:
        negative, positive = counts[d][a]
        of_group = [sum(counts[e][a][y] for e in (0, 1)) for y in (0, 1)]
        mistakes += coins[d][a] * (negative - positive)
        lowest += min(Fraction(0), negative - positive + price_quota * (negative + positive)
                      + (2 * a - 1) * (price_fp * Fraction(negative, of_group[0]) + price_tp * Fraction(positive, of_group[1])))
    lowest -= abs(price_fp) * gamma + abs(price_tp) * 2 * gamma + price_quota * half
    if lowest < mistakes - 100 * TOLERANCE:
        return 0, f"the coins make {float(mistakes):.6g} mistakes in the mean; the prices prove no more than {float(lowest):.6g}"
    return POINTS, ""
