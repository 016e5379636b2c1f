"""What a ball's noise hides, from both sides."""
from __future__ import annotations

from itertools import combinations

import numpy as np

MOVES = np.array([np.eye(4)[there] - np.eye(4)[here] for here, there in combinations(range(4), 2)])
SIDES = [[float(a in side) for a in range(4)] for size in (1, 2) for side in combinations(range(4), size)]
THREES = list(combinations(range(6), 3))


def ball(params):
    return np.array(params["vertices"])


def least_squares(params):
    """Weights of each move with the least sum of squares, not of sizes."""
    return np.linalg.lstsq(ball(params).T, MOVES.T, rcond=None)[0].T.tolist()


def best_sides(params):
    """Of the normals of the chapter's ball, people on one side, the one that proves most."""
    return min(SIDES, key=lambda side: np.abs(ball(params) @ side).max())


def by_three(params, three, move):
    """Weights of three vertices that make the move."""
    weights = np.zeros(6)
    weights[list(three)] = np.linalg.lstsq(ball(params)[list(three), :3].T, move[:3], rcond=None)[0]
    return weights


def first_three(params):
    return [by_three(params, (0, 1, 2), move).tolist() for move in MOVES]


def each_by_its_own(params):
    """The chapter's ball: each move is a vertex."""
    return {"weights": np.eye(6).tolist(), "normal": best_sides(params)}


def INFORMED(params, draw):
    """Each move by three vertices, of which one is near it, and the plane through three vertices."""
    weights = [by_three(params, draw.one_of([three for three in THREES if i in three]), move) for i, move in enumerate(MOVES)]
    signs = [draw.one_of([1, -1]) for _ in "012"]
    normal = np.linalg.lstsq(ball(params)[list(draw.one_of(THREES)), :3], signs, rcond=None)[0]
    return {"weights": np.clip(weights, -100, 100).tolist(), "normal": [*np.clip(normal, -100, 100).tolist(), 0]}


GIVEN_AWAY = [
    each_by_its_own,
    lambda params: {"weights": least_squares(params), "normal": best_sides(params)},
    lambda params: {"weights": first_three(params), "normal": best_sides(params)},
]
WRONG = [
    (lambda params: {"weights": least_squares(params), "normal": best_sides(params)}, 0, "the weights prove that the loss is at most"),
    (lambda params: {"weights": least_squares(params), "normal": [1, 1, 1, 1]}, 0, "the normal is the same in all groups"),
    (each_by_its_own, 0, "the weights of 0 to 1 make ("),
    (lambda params: {"weights": (-np.array(least_squares(params))).tolist(), "normal": [1, 0, 0, 0]}, 0, "not (-1, 1, 0, 0)"),
    (lambda params: {"weights": np.eye(6).tolist()[:5], "normal": [1, 0, 0, 0]}, 0, "weights is a list of 5; it must be a list of 6"),
    (lambda params: {"weights": np.eye(6).tolist(), "normal": [1, 0, 0, "1/0"]}, 0, "normal[3] is '1/0'"),
]
