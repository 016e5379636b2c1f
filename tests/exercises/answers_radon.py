"""Labels that no half-plane makes."""
from __future__ import annotations

from fractions import Fraction

from dpfair_teach import oracles


def labelled(params):
    """The student's first labels, then ones as long as there are some left."""
    first = params["first_labels"]
    others = params["ones"] - sum(first)
    return first + [int(i < others) for i in range(4)]


def equal(labels):
    """Each label's points with equal weights."""
    return [str(Fraction(1, labels.count(label))) for label in labels]


def first_that_no_half_plane_makes(params):
    """Labels that the library's list of half-planes lacks, with equal weights."""
    made = set(map(tuple, oracles.halfplane_labelings(params["points"]).tolist()))
    labels = next((one for one in own_labels(params) if tuple(one) not in made), labelled(params))
    return {"labels": labels, "weights": equal(labels)}


def own_labels(params):
    first, others = params["first_labels"], params["ones"] - sum(params["first_labels"])
    last = [[i >> j & 1 for j in range(4)] for i in range(16)]
    return [first + one for one in last if sum(one) == others]


def diagonals(params):
    """Exercise 9B: the corners of a square by its diagonals, and their middle."""
    half = ["1/2", "1/2"]
    return {"labels": [*params["first_labels"], 1, 0, 1, 0], "weights": [0, 0, 0, half[0], half[0], half[1], half[1]]}


def small_weights(params, draw):
    """Right labels, and weights that are small whole numbers over their sum; two points at least of each label."""
    labels = draw.one_of(own_labels(params))
    raw = [draw.whole(0, 3) for _ in labels]
    sums = [sum(size for size, label in zip(raw, labels, strict=True) if label == which) for which in (0, 1)]
    return {"labels": labels, "weights": [str(Fraction(size, sums[label] or 1)) for size, label in zip(raw, labels, strict=True)]}


GIVEN_AWAY = [first_that_no_half_plane_makes, diagonals]
INFORMED = small_weights
WRONG = [
    (lambda params: {"labels": labelled(params), "weights": equal(labelled(params))}, 0, "the points with label 1 average to ("),
    (lambda params: {"labels": labelled(params), "weights": [1] * 7}, 0, "sum to "),
    (lambda params: {"labels": [1 - one for one in labelled(params)], "weights": equal(labelled(params))}, 0, "the first three labels are"),
    (lambda params: {"labels": params["first_labels"] + [1] * 4, "weights": [0] * 7}, 0, "points have label 1, not"),
    (lambda params: {"labels": labelled(params)[:6], "weights": equal(labelled(params))}, 0, "it must be a list of 7"),
    (lambda params: {"labels": labelled(params), "weights": [0.5, 0.5, "1/0", 0, 0, 0, 0]}, 0, "weights[2] is '1/0'"),
]
