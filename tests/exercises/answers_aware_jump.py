"""Neighbours between which a least fair error jumps."""
from __future__ import annotations

from functools import cache

import numpy as np

from dpfair_teach import separation


@cache
def found(m, gamma, least, aware):
    """The library's largest jump among m people, if only A changes: counts and the cell that somebody leaves."""
    jump = separation.largest_jump(m, gamma, least / m, aware, "attribute")
    x, a, y = np.argwhere(jump.counts > jump.counts_neighbour)[0]
    return jump.counts.tolist(), {"x": "VU"[x], "group": "RB"[a], "label": int(y)}


def padded(counts, who, params, cells):
    """d people of label 1 more in each group, and as many people as are then missing, in these two cells [x][group][label] by turns."""
    counts = [[[zeros, ones + params["d"] * (x == 1)] for zeros, ones in table] for x, table in enumerate(counts)]
    for i in range(max(0, params["N"] - sum(sum(map(sum, table)) for table in counts))):
        x, a, y = cells[i % 2]
        counts[x][a][y] += 1
    return {"people": counts, **who}


def from_the_library(aware, cells):
    def make(params):
        return padded(*found(12, int(params["gamma"].split("/")[0]) / 1000, 4, aware), params, cells)
    return make


def exercise_13A(params):
    return padded([[[1, 0], [2, 0]], [[2, 3], [0, 0]]], {"x": "U", "group": "R", "label": 0}, params, [(0, 0, 0), (0, 1, 0)])


def pair(params):
    """The chapter's pair that changes only A, rounded down to the student's numbers."""
    N, few = params["N"], params["N"] * int(params["gamma"].split("/")[0]) // 4000
    counts = [[[N // 2 - 2, 0], [0, 0]], [[2, 0], [few + 1, N // 4 - 2 * params["d"]]]]
    return padded(counts, {"x": "U", "group": "R", "label": 0}, params, [(0, 1, 0), (0, 1, 0)])


def INFORMED(params, draw):
    """In each group c people of label 0, or a few more, nearly all of them with V; the others have label 1; who moves has U."""
    counts = [[[params["c"] + draw.whole(0, 1), 0] for _ in "RB"], [[draw.whole(0, 2), 0] for _ in "RB"]]
    left = params["N"] - sum(sum(map(sum, table)) for table in counts)
    in_R = draw.whole(params["d"], max(params["d"], left - params["d"]))
    for a, ones in enumerate((in_R, left - in_R)):
        counts[0][a][1] = draw.one_of([0, ones, draw.whole(0, max(0, ones))])
        counts[1][a][1] = ones - counts[0][a][1]
    return {"people": counts, "x": "U", "group": draw.one_of("RB"), "label": 0}


def rows(people):
    """[x][group][label] by N, c and d; somebody with V, group R and label 0 moves."""
    return lambda params: {"people": people(params["N"], params["c"], params["d"]), "x": "V", "group": "R", "label": 0}


GIVEN_AWAY = [exercise_13A, pair, *(from_the_library(aware, cells) for aware in (False, True) for cells in (
    [(0, 0, 1), (1, 0, 1)], [(0, 0, 1), (1, 1, 1)], [(0, 1, 1), (1, 0, 1)], [(0, 1, 1), (1, 1, 1)], [(0, 0, 0), (0, 1, 0)]))]
WRONG = [
    (rows(lambda N, c, d: [[[N - c - 2 * d, 0], [c, 0]], [[0, d], [0, d]]]), 0, "blind 0 and 0, aware 0 and 0: a jump of 0.00000"),
    (rows(lambda N, c, d: [[[c, N - 2 * c - d], [c, d]], [[0, 0], [0, 0]]]), 0, "of label 0, before or after the move, and not"),
    (rows(lambda N, c, d: [[[N - c, 0], [c, 0]], [[0, 0], [0, 0]]]), 0, "a group has 0 people of label 1"),
    (rows(lambda N, c, d: [[[0, d], [c, d]], [[N - c - 2 * d, 0], [0, 0]]]), 0, "nobody has V, group R and label 0"),
    (rows(lambda N, c, d: [[[N, d], [c, d]], [[0, 0], [0, 0]]]), 0, "people, not"),
    (rows(lambda N, c, d: [[N, 0], [c, 0]]), 0, "people[0][0] is"),
]
