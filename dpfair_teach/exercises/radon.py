"""Labels that no half-plane makes, and an average of each label's points that is the same point."""
from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 25, 10, "warm-up"
OBJECTIVE = "prove by one point in two hulls that a labeling is beyond a family"
SHAPE = {"labels": ("list", ("whole", 0, 1), 7, 7), "weights": ("list", ("exact", 0, 1), 7, 7)}


def params(draw: Draw) -> dict[str, Any]:
    """Seven points, labels of the first three and how many get label 1: no three points are on a line, no two pairs have the same middle,
    and the last four points cannot do it alone."""
    while True:
        points = [[draw.whole(0, 30) for _ in "xy"] for _ in range(7)]
        first_labels = [draw.whole(0, 1) for _ in range(3)]
        middles = [tuple(map(sum, zip(*pair, strict=True))) for pair in combinations(points, 2)]
        if 0 in map(turn, combinations(points, 3)) or len(set(middles)) < len(middles) or sum(first_labels) in (0, 3):
            continue
        signs = [turn([points[j] for j in range(3, 7) if j != i]) * (-1) ** i > 0 for i in range(3, 7)]
        if sum(signs) != 2:                             # else two and two of the last four might do it
            return {"points": points, "first_labels": first_labels, "ones": sum(first_labels) + 2}


def turn(triple: Any) -> int:
    """Twice the area of a triangle, negative clockwise; 0 on a line."""
    (x, y), (x1, y1), (x2, y2) = triple
    return (x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Are the labels the student's own where they are given, and do the two averages meet?"""
    labels, weights, first_labels = answer["labels"], answer["weights"], params["first_labels"]
    if labels[:3] != first_labels:
        return 0, f"the first three labels are {labels[:3]}, not your {first_labels}"
    if sum(labels) != params["ones"]:
        return 0, f"{sum(labels)} points have label 1, not {params['ones']}"
    average = []
    for label in (1, 0):
        own = [(point, weight) for point, weight, given in zip(params["points"], weights, labels, strict=True) if given == label]
        total = sum((weight for _, weight in own), Fraction(0))
        if total != 1:
            return 0, f"the weights of the points with label {label} sum to {total}, not to 1"
        average.append([sum(point[axis] * weight for point, weight in own) for axis in (0, 1)])
    if average[0] != average[1]:
        told = [f"({', '.join(f'{float(number):.9g}' for number in one)})" for one in average]
        return 0, f"the points with label 1 average to {told[0]}, those with label 0 to {told[1]}"
    return POINTS, ""
