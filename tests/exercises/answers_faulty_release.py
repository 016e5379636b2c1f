"""Boxes for a program whose noise has a fault."""
from __future__ import annotations


def sums(params, groups):
    return [sum(each for each, group in zip(params[name], groups, strict=True) if group) for name in "uv"]


def at_least(who):
    """The event of 21E: everybody is in group 1, one of them leaves, and the sums are at least what they were."""
    def make(params):
        return {"groups": [1] * 10, "moves": who(params), "box": [[s, None] for s in sums(params, [1] * 10)]}
    return make


def at_most(who):
    """The other way round: nobody is in group 1, one joins, and the sums are at most 0."""
    return lambda params: {"groups": [0] * 10, "moves": who(params), "box": [[None, 0], [None, 0]]}


def largest(params):
    return max(range(10), key=lambda i: params["u"][i] + params["v"][i])


def first(params):
    return 0


def INFORMED(params, draw):
    """Boxes that end near the sums, or nowhere, for anybody of nobody, everybody, or some."""
    groups = draw.one_of([[0] * 10, [1] * 10, [draw.whole(0, 1) for _ in range(10)]])
    box = [sorted(s + draw.whole(-60, 60) for _ in "12") for s in sums(params, groups)]
    return {"groups": groups, "moves": draw.whole(0, 9), "box": [[draw.one_of([None, end]) for end in ends] for ends in box]}


GIVEN_AWAY = [at_least(largest), at_least(first), at_most(largest), at_most(first)]
WRONG = [
    (at_least(largest), 0, "chance "),
    (lambda params: {"groups": [0] * 10, "moves": 0, "box": [[None, None], [None, None]]}, 0,
     "chance 1.000000, asked "),
    (lambda params: {"groups": [0] * 10, "moves": 0, "box": [[1, 0], [None, None]]}, 0, "chance 0.000000"),
    (lambda params: {"groups": [0] * 10, "moves": 10, "box": [[0, 0], [0, 0]]}, 0, "moves is 10; it must be a whole number from 0 to 9"),
    (lambda params: {"groups": [0] * 9, "moves": 0, "box": [[0, 0], [0, 0]]}, 0, "groups is a list of 9; it must be a list of 10"),
    (lambda params: {"groups": [0] * 10, "moves": 0, "box": [[0, "inf"], [0, 0]]}, 0, "box[0][1] is 'inf'"),
]
