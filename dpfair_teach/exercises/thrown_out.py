"""People and noise with which the main text's slack throws out the exact optimum, in both constraints at once."""
from __future__ import annotations

from fractions import Fraction
from math import floor, log
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 45, 10, "find"
OBJECTIVE = "refute a printed slack by a table and noise within the good event, and say which denominator it forgets"
TABLE = ("list", ("list", ("list", ("whole", "least", "m"), 2, 2), 2, 2), 2, 2)
NOISE = ("list", ("list", ("list", ("exact", -10**6, 10**6), 2, 2), 2, 2), 2, 2)
SHAPE = {"counts": TABLE, "noise": NOISE}
CELLS = [(decision, group) for decision in (0, 1) for group in (0, 1)]
TOLERANCE = Fraction(1, 10**6)


def params(draw: Draw) -> dict[str, Any]:
    """m, epsilon, beta, gamma, the least count, and the margin, .6 to .8 times the noise limit, not next to half a whole number."""
    while True:
        epsilon, beta, gamma = draw.whole(10, 60) / 100, draw.whole(10, 100) / 1000, draw.whole(1, 6) / 100
        limit = float(noise_limit({"epsilon": epsilon, "beta": beta}))
        if limit >= 20 and 0.05 < 2 * limit - floor(2 * limit) < 0.45:
            margin = floor(draw.whole(60, 80) * limit) / 100
            own = {"m": draw.whole(4_000, 20_000), "epsilon": epsilon, "beta": beta, "gamma": gamma, "margin": margin}
            return {**own, "least": draw.whole(1, 2)}


def noise_limit(params: dict[str, Any]) -> Fraction:
    """What the size of no noise exceeds in the lemma's event, in people: tau m."""
    return Fraction(2 * log(8 / params["beta"]) / params["epsilon"])


def rate(table: list, group: int, label: int, accepts: dict) -> Fraction:
    """Of a group's people with a label the part that is accepted when decisions are replaced."""
    people = [Fraction(table[decision][group][label]) for decision in (0, 1)]
    return sum((people[decision] for decision in (0, 1) if accepts[decision, group]), Fraction(0)) / sum(people)


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Do hypothesis and event hold, is the optimum the one that needs no constraint, and is it thrown out by the margin twice?"""
    counts, noise, limit, gamma = answer["counts"], answer["noise"], noise_limit(params), Fraction(str(params["gamma"]))
    if sum(sum(counts[d][a]) for d, a in CELLS) != params["m"]:
        return 0, f"the table has {sum(sum(counts[d][a]) for d, a in CELLS)} people, not {params['m']}"
    smallest = min(counts[0][a][y] + counts[1][a][y] for a in (0, 1) for y in (0, 1))
    largest = max(abs(noise[d][a][y]) for d, a in CELLS for y in (0, 1))
    if smallest <= 2 * limit or largest > limit + TOLERANCE:
        return 0, f"the smallest cell has {smallest} people, the largest noise is {float(largest):.9g}; tau m is {float(limit):.9g}"
    if any(counts[d][a][0] == counts[d][a][1] for d, a in CELLS):
        return 0, "for one decision in one group both labels are as frequent"
    best = {(d, a): counts[d][a][1] > counts[d][a][0] for d, a in CELLS}
    noisy = [[[counts[d][a][y] + noise[d][a][y] for y in (0, 1)] for a in (0, 1)] for d in (0, 1)]
    exact, seen = ([abs(rate(table, 1, y, best) - rate(table, 0, y, best)) for y in (0, 1)] for table in (counts, noisy))
    if max(exact) > gamma:
        return 0, f"the decisions with the fewest mistakes have gaps of {float(exact[0]):.6g} and {float(exact[1]):.6g}, above gamma"
    allowed = gamma + 2 * limit / min(noisy[0][1][y] + noisy[1][1][y] for y in (0, 1))
    if min(seen) < allowed + Fraction(str(params["margin"])) - TOLERANCE:
        return 0, f"the noisy gaps are {float(seen[0]):.6g} and {float(seen[1]):.6g}; allowed is {float(allowed):.6g}, and your margin more"
    return POINTS, ""
