"""Decisions that mean the same in three groups and miss equal rates by given gaps."""
from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 40, 10, "find"
OBJECTIVE = "build a table with equal predictive values and any two gaps of the rates, from the odds that tie them together"
COUNT = ("whole", 0, "people")
SHAPE = {"table": ("list", ("list", ("list", COUNT, 2, 2), 3, 3), 2, 2)}
GAPS = ["1/6", "1/5", "1/4", "3/10", "1/3"]


def params(draw: Draw) -> dict[str, Any]:
    """How many people, both predictive values, above one half and without a common divisor below, and two different gaps."""
    while True:
        ppv, npv = (Fraction(draw.whole(2, 4), draw.whole(3, 5)) for _ in "pn")
        gap_fp, gap_tp = draw.order(GAPS)[:2]
        people = draw.whole(2000, 2800)
        if all(2 < 4 * value < 4 for value in (ppv, npv)) and gcd(ppv.denominator, npv.denominator) == 1:
            return {"people": people, "ppv": str(ppv), "npv": str(npv), "gap_fp": gap_fp, "gap_tp": gap_tp}


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Are the people so many, are both values right in each group, and is each rate's largest gap to group 0 the student's own?"""
    rejected, accepted = answer["table"]
    people = sum(map(sum, rejected + accepted))
    if people != params["people"]:
        return 0, f"the table has {people} people, not {params['people']}"
    for right, decided, short, done in ((1, accepted, "ppv", "accepted"), (0, rejected, "npv", "rejected")):
        for a, counts in enumerate(decided):
            if sum(counts) == 0:
                return 0, f"nobody of group {a} is {done}"
            value = Fraction(counts[right], sum(counts))
            if value != Fraction(params[short]):
                return 0, f"the {short} of group {a} is {value}, not {params[short]}"
    for label, short, name in ((0, "gap_fp", "false"), (1, "gap_tp", "true")):
        rates = [Fraction(yes[label], yes[label] + no[label]) for yes, no in zip(accepted, rejected, strict=True)]
        gap = max(abs(rate - rates[0]) for rate in rates)
        if gap != Fraction(params[short]):
            told = ", ".join(map(str, rates))
            return 0, f"the {name} positive rates {told} are up to {gap} from group 0's, not {params[short]}"
    return POINTS, ""
