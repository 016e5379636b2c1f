"""Two neighbours between which the least fair error of the aware class jumps, and that of the blind class rests."""
from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 75, 10, "explore"
OBJECTIVE = "build two neighbours on which seeing the group makes the least fair error more sensitive"
SHAPE = {"people": ("list", ("list", ("list", ("whole", 0, "N"), 2, 2), 2, 2), 2, 2),
         "x": ("one of", "V", "U"), "group": ("one of", "R", "B"), "label": ("whole", 0, 1)}


def params(draw: Draw) -> dict[str, Any]:
    """More people than the library's search takes, a tolerance, the least numbers of label 0 and 1 in a group, and a jump."""
    N, thousandths = draw.whole(24, 60), draw.whole(50, 200)
    c, d = draw.whole(4, min(8, N // 5)), draw.whole(1, 5)
    jump = Fraction(79 * (N - 2 * c - 2 * d - 1), 100 * N * (c + 1)) / (1 + Fraction(thousandths, 1000))
    return {"N": N, "gamma": f"{thousandths}/1000", "c": c, "d": d, "t": floor(10**4 * jump) / 10**4}


def least_error(people: list, gamma: Fraction, aware: bool) -> Fraction:
    """Of a fair mixture: of one classifier, or of two that together have a gap of gamma."""
    size, label_0 = sum(sum(map(sum, table)) for table in people), [people[0][a][0] + people[1][a][0] for a in (0, 1)]
    points = []
    for accepts in (lambda x, a: False, lambda x, a: x == 1, lambda x, a: a == 0, lambda x, a: a == 1)[:4 if aware else 2]:
        wrong = sum(people[x][a][0 if accepts(x, a) else 1] for x in (0, 1) for a in (0, 1))
        rates = [Fraction(sum(people[x][a][0] for x in (0, 1) if accepts(x, a)), label_0[a]) for a in (0, 1)]
        points.append((rates[0] - rates[1], Fraction(wrong, size)))
    found = [error for gap, error in points if abs(gap) <= gamma]
    for gap, error in points:
        for other, its_error in points:
            for bound in (-gamma, gamma):
                if other < bound < gap:
                    weight = (bound - other) / (gap - other)
                    found.append(weight * error + (1 - weight) * its_error)
    return min(found)


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Are both data sets allowed, does the blind value rest, and does the aware one jump?"""
    people, x, a, y = answer["people"], "VU".index(answer["x"]), "RB".index(answer["group"]), answer["label"]
    if (size := sum(sum(map(sum, table)) for table in people)) != params["N"]:
        return 0, f"there are {size} people, not {params['N']}"
    if people[x][a][y] == 0:
        return 0, f"nobody has {answer['x']}, group {answer['group']} and label {y}"
    moved = [[[people[i][j][k] + ((i, k) == (x, y)) * (-1 if j == a else 1) for k in (0, 1)] for j in (0, 1)] for i in (0, 1)]
    for label, least in ((0, params["c"]), (1, params["d"])):
        if (fewest := min(each[0][j][label] + each[1][j][label] for each in (people, moved) for j in (0, 1))) < least:
            return 0, f"a group has {fewest} people of label {label}, before or after the move, and not at least {least}"
    gamma = Fraction(params["gamma"])
    (blind, then), (aware, later) = ([least_error(each, gamma, sees) for each in (people, moved)] for sees in (False, True))
    if blind != then or abs(aware - later) < params["t"]:
        return 0, f"blind {blind} and {then}, aware {aware} and {later}: a jump of {float(abs(aware - later)):.5f}, asked is {params['t']}"
    return POINTS, ""
