"""A classifier with few mistakes, and prices that show what gap every mixture with it has."""
from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 45, 10, "prove"
OBJECTIVE = "prove by prices on gaps, in fractions, that a classifier cannot be repaired within a class"
GROUPS = range(4)
SHAPE = {"accepts": ("list", ("list", ("whole", 0, 100), 2, 2), 4, 4),
         "prices": ("list", ("list", ("exact", -10**30, 10**30), 2, 2), 3, 3)}


def params(draw: Draw) -> dict[str, Any]:
    """People, two classifiers beside the indicators, and a rate that follows from the sizes: whatever the two are, some price and some cell
    of mistakes reach it. No price of -2 to 2 on the difference of the two gaps leaves both alone."""
    while True:
        people = [[draw.whole(40, 90) for _ in "01"] for _ in GROUPS]
        others = [[[draw.whole(0, size) for size in group] for group in people] for _ in "12"]
        mistakes = draw.whole(25, 39)
        apart = [[false - true for false, true in gaps(people, one)] for one in others]
        if all(any(sum(p * gap for p, gap in zip(price, one, strict=True)) for one in apart)
               for price in product(range(-2, 3), repeat=3) if any(price)):
            return {"people": people, "others": others, "mistakes": mistakes,
                    "rate": str(Fraction(mistakes, 2 * sum(map(min, people[1:]))))}


def gaps(people: list, accepts: list) -> list[list[Fraction]]:
    """Of groups 1, 2 and 3 the gaps of false and of true positives to group 0."""
    rates = [[Fraction(accepts[a][y], people[a][y]) for y in (0, 1)] for a in GROUPS]
    return [[rates[a][y] - rates[0][y] for y in (0, 1)] for a in GROUPS[1:]]


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Do the prices collect nothing from the class, and enough from the classifier?"""
    people, accepts, prices = params["people"], answer["accepts"], answer["prices"]
    if any(accepts[a][y] > people[a][y] for a in GROUPS for y in (0, 1)):
        return 0, "a cell of accepts has more than its people"
    mistakes = sum(accepts[a][0] + people[a][1] - accepts[a][1] for a in GROUPS)
    if mistakes > params["mistakes"]:
        return 0, f"the classifier makes {mistakes} mistakes, more than {params['mistakes']}"

    def collected(one: list) -> Fraction:
        return sum((p * gap for row, of_group in zip(prices, gaps(people, one), strict=True)
                    for p, gap in zip(row, of_group, strict=True)), Fraction(0))
    indicators = [[size if a == b else [0, 0] for b, size in enumerate(people)] for a in GROUPS]
    for name, one in zip(["h_0", "h_1", "h_2", "h_3", "others[0]", "others[1]"], indicators + params["others"], strict=True):
        if (least := -abs(collected(one))) < 0:
            return 0, f"from {name}, or from its opposite, the prices collect {float(least):.6g}, less than 0"
    most = sum(abs(p) for row in prices for p in row)
    if most == 0 or collected(accepts) < Fraction(params["rate"]) * most:
        reached = float(collected(accepts) / most) if most else 0.0
        return 0, f"from the classifier the prices collect {reached:.6f} of their size, less than {params['rate']}"
    return POINTS, ""
