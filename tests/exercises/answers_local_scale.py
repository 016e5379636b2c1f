"""Noise whose scale is the largest local sensitivity nearby."""
from __future__ import annotations

from math import log

from dpfair_teach.exercises.local_scale import flipped, law


def with_best_half_line(params, groups, who):
    """The half-line that starts where it has probability 1/1000, on the side away from the other mean."""
    (mean, scale), (other, _) = (law(params["scores"], one, params["epsilon"]) for one in (groups, flipped(groups, who)))
    sign = 1 if mean >= other else -1
    return {"groups": groups, "who": who, "half_line": "at least" if sign > 0 else "at most",
            "threshold": mean + sign * scale * (log(500) - 1e-9)}


def of(params, chosen):
    return [int(i in chosen) for i in range(24)]


def by_score(params):
    return sorted(range(24), key=params["scores"].__getitem__)


def chapters_example(params):
    """Group 1 has equal, large scores as Fay and Gus do; one of them leaves."""
    top = by_score(params)[-params["k"] - 1:]
    return with_best_half_line(params, flipped(of(params, top), top[0]), top[0])


def outlier_joins(params):
    """The smallest scores; the largest joins."""
    order = by_score(params)
    return with_best_half_line(params, of(params, order[:params["k"]]), order[-1])


def random_pair(params, draw):
    """Some k or k + 1 people in group 1, somebody who changes, and the best half-line."""
    chosen = draw.order(range(24))[:params["k"] + draw.whole(0, 1)]
    return with_best_half_line(params, of(params, chosen), draw.whole(0, 23))


def too_few(params):
    return {"groups": of(params, range(params["k"] - 1)), "who": 23, "half_line": "at most", "threshold": 0}


def one_leaves(params):
    return {"groups": of(params, range(params["k"])), "who": 0, "half_line": "at most", "threshold": 0}


def too_rare(params):
    half_line = outlier_joins(params)
    return {**half_line, "threshold": half_line["threshold"] * 100 - 10**4 * (half_line["half_line"] == "at most")}


GIVEN_AWAY = [chapters_example, outlier_joins,
              lambda params: with_best_half_line(params, [1] * 24, by_score(params)[-1]),
              lambda params: with_best_half_line(params, of(params, by_score(params)[-params["k"]:]), by_score(params)[0])]
INFORMED = random_pair
WRONG = [
    (outlier_joins, 0, "the loss is"),
    (too_few, 0, "people in one of the two, fewer than"),
    (one_leaves, 0, "people in one of the two, fewer than"),
    (too_rare, 0, "below 1/1000"),
    (lambda params: {**outlier_joins(params), "half_line": "above"}, 0, "half_line is 'above'; it must be \"at least\" or \"at most\""),
    (lambda params: {**outlier_joins(params), "who": [0]}, 0, "who is a list of 1"),
    (lambda params: {**outlier_joins(params), "groups": [True] * 24}, 0, "groups[0] is True"),
]
