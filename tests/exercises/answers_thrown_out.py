"""The optimum that the main text's slack throws out."""
from __future__ import annotations

from math import floor

from dpfair_teach.exercises.thrown_out import noise_limit

QUIET = [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]


def filled(params, table):
    """The table with all who are left in group 1, decided as those of group 0 are."""
    left = params["m"] - sum(sum(map(sum, group)) for group in table)
    for label, people in ((0, left // 2), (1, left - left // 2)):
        inside = [table[decision][0][label] for decision in (0, 1)]
        accepted = min(max(round(people * inside[1] / sum(inside)), params["least"]), people - params["least"])
        table[1][1][label], table[0][1][label] = accepted, people - accepted
    return table


def one_denominator(params):
    """Exercise 6G: noise moves one rate of the anchor's smallest cell up and keeps the cell's size."""
    least, limit = floor(2 * noise_limit(params)) + 1, float(noise_limit(params))
    table = filled(params, [[[least - 2, 12], [0, 0]], [[2, 5 * least], [0, 0]]])
    return {"counts": table, "noise": [[[-limit, 0], [0, 0]], [[limit, 0], [0, 0]]]}


def chapters_table(params):
    """The chapter's table of 100,000 people in the student's number, with 6G's noise."""
    share, limit = params["m"] / 100_000, float(noise_limit(params))
    table = [[[round(share * 20), round(share * 1000)], [0, 0]], [[round(share * 2) + 2, round(share * 19_000)], [0, 0]]]
    return {"counts": filled(params, table), "noise": [[[-limit, 0], [0, 0]], [[limit, 0], [0, 0]]]}


def both_denominators_stay(params):
    """Exercise 6F: both groups' rates moved apart, for both labels."""
    limit, quarter = float(noise_limit(params)), params["m"] // 8
    table = filled(params, [[[quarter, 2], [0, 0]], [[2, quarter], [0, 0]]])
    return {"counts": table, "noise": [[[limit, -limit], [-limit, limit]], [[-limit, limit], [limit, -limit]]]}


def small_anchor(params, draw):
    """Small cells of group 0, most people decided as their label says; noise of the limit's size, of any signs."""
    least, limit = floor(2 * noise_limit(params)) + 1, float(noise_limit(params))
    sizes, few = [least + draw.whole(0, 6) for _ in "01"], [params["least"] + draw.whole(0, 3) for _ in "01"]
    table = filled(params, [[[sizes[0] - few[0], few[1]], [0, 0]], [[few[0], sizes[1] - few[1]], [0, 0]]])
    return {"counts": table, "noise": [[[draw.whole(-1, 1) * limit for _ in "01"] for _ in "01"] for _ in "01"]}


def with_noise(params, noise):
    return {**both_denominators_stay(params), "noise": noise}


def few_people(params):
    return {"counts": filled(params, [[[5, 2], [0, 0]], [[2, 5], [0, 0]]]), "noise": QUIET}


def as_frequent(params):
    """In group 1 half of those who are accepted have each label."""
    left = params["m"] - 604
    accepted = left // 3
    return {"counts": [[[300, 2], [left - 2 * accepted - 2, 2]], [[2, 300], [accepted, accepted]]], "noise": QUIET}


def too_far_apart(params):
    """Half of group 0's people with label 0 are accepted, nearly nobody of group 1's."""
    left = params["m"] - 1196
    return {"counts": [[[400, 2], [left // 2, 2]], [[390, 400], [2, left - left // 2]]], "noise": QUIET}


GIVEN_AWAY = [one_denominator, chapters_table, both_denominators_stay]
INFORMED = small_anchor
WRONG = [
    (one_denominator, 0, "the noisy gaps are"),
    (lambda params: with_noise(params, QUIET), 0, "the noisy gaps are"),
    (lambda params: with_noise(params, [[[0, 0], [0, 0]], [[0, 0], [0, 2 * float(noise_limit(params))]]]), 0, "the largest noise is"),
    (as_frequent, 0, "both labels are as frequent"),
    (too_far_apart, 0, "above gamma"),
    (few_people, 0, "the smallest cell has 7 people"),
    (lambda params: {"counts": [[[2, 2], [2, 2]]] * 2, "noise": QUIET}, 0, "the table has 16 people, not"),
    (lambda params: {"counts": [[[2, 2], [2, 2]]], "noise": QUIET}, 0, "it must be a list of 2"),
    (lambda params: {"counts": [[[2.0, 2], [2, 2]]] * 2, "noise": QUIET}, 0, "counts[0][0][0] is 2.0"),
]
