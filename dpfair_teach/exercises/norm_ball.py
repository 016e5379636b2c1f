"""The privacy that noise from a given ball really has, proved from both sides: vertices that carry each move, and a half-space."""
from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 45, 10, "prove"
OBJECTIVE = "compute the privacy of K-norm noise for any ball, and prove it by weights and by a facet"
#: Of a move in people, and of the ratio of both proofs: a solver's answer may be handed in as it is.
TOLERANCE = Fraction(1, 10**6)
NUMBER = ("exact", -100, 100)
SHAPE = {"weights": ("list", ("list", NUMBER, 6, 6), 6, 6), "normal": ("list", NUMBER, 4, 4)}
MOVES = list(combinations(range(4), 2))


def params(draw: Draw) -> dict[str, Any]:
    """Six vertices, each near one move, in people with sum 0; of some two sides no vertex carries a whole person to the other."""
    while True:
        tenths = []
        for here, there in MOVES:
            off, beside = draw.whole(1, 4), draw.whole(1, 4)
            vertex = draw.order([off, -off, beside, -beside])
            vertex[here] -= 10
            vertex[there] += 10
            tenths.append(vertex)
        sides = [side for size in (1, 2) for side in combinations(range(4), size)]
        if any(all(abs(sum(vertex[a] for a in side)) < 10 for vertex in tenths) for side in sides):
            return {"vertices": [[part / 10 for part in vertex] for vertex in tenths]}


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Do the weights make each move, and does the normal prove that no weights make all of them with less?"""
    vertices = [[Fraction(str(part)) for part in vertex] for vertex in params["vertices"]]
    most = Fraction(0)
    for (here, there), weights in zip(MOVES, answer["weights"], strict=True):
        move = [(a == there) - (a == here) for a in range(4)]
        made = [sum(weight * vertex[a] for weight, vertex in zip(weights, vertices, strict=True)) for a in range(4)]
        if max(abs(one - asked) for one, asked in zip(made, move, strict=True)) > TOLERANCE:
            return 0, f"the weights of {here} to {there} make ({', '.join(f'{round(float(one), 7):g}' for one in made)}), not {tuple(move)}"
        most = max(most, sum(map(abs, weights)))
    normal = answer["normal"]
    widest = max(abs(sum(y * part for y, part in zip(normal, vertex, strict=True))) for vertex in vertices)
    if widest == 0:
        return 0, "the normal is the same in all groups, so it sees no vertex"
    least = (max(normal) - min(normal)) / widest
    if most > least * (1 + TOLERANCE):
        return 0, f"the weights prove that the loss is at most {float(most):.7g} epsilon, the normal that it is at least {float(least):.7g}"
    return POINTS, ""
