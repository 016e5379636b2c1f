"""Scores of covariance 0 and the gap that they leave."""
from __future__ import annotations

from fractions import Fraction


def by_rates(shares):
    """The construction of the proposition: of each group one in so many has a positive score, the others -1; means of 0."""
    def make(params):
        few = [params[f"n_{a}"] // share for a, share in enumerate(shares)]
        return {f"group_{a}": [share - 1] * few[a] + [-1] * (params[f"n_{a}"] - few[a]) for a, share in enumerate(shares)}
    return make


def all_alike(params):
    """Means as asked for, everybody near 0."""
    answer = {}
    for a in (0, 1, 2):
        n, total = params[f"n_{a}"], int(Fraction(params["mean"]) * params[f"n_{a}"])
        ones = (n + total) // 2
        answer[f"group_{a}"] = [1 + (n + total) % 2, *[1] * (ones - 1), *[-1] * (n - ones)]
    return answer


def with_one(value):
    def make(params):
        answer = all_alike(params)
        return {**answer, "group_2": [value, *answer["group_2"][1:]]}
    return make


def INFORMED(params, draw):
    """Groups of different leanings, their scores drawn again one by one until the mean is right."""
    answer = {}
    for a in (0, 1, 2):
        n, total = params[f"n_{a}"], int(Fraction(params["mean"]) * params[f"n_{a}"])
        accepted, sizes = draw.whole(0, n), (1, 2, 3, 4, 5)
        scores = [draw.one_of(sizes) * (1 if i < accepted else -1) for i in range(n)]
        for _ in range(9 * n):
            i = draw.whole(0, n - 1)
            other = draw.one_of(sizes) * (1 if scores[i] > 0 else -1)
            if abs(sum(scores) - scores[i] + other - total) < abs(sum(scores) - total):
                scores[i] = other
        answer[f"group_{a}"] = scores
    return answer


GIVEN_AWAY = [by_rates((2, 2, 2)), by_rates((2, 3, 4)), by_rates((4, 3, 2))]
WRONG = [
    (all_alike, 0, "the largest gap to group 0 is"),
    (with_one(0), 0, "group_2 has a score of 0 (entry 0)"),
    (lambda params: {f"group_{a}": [5 if a else -5] * params[f"n_{a}"] for a in (0, 1, 2)}, 0, "the mean score of all is"),
    (lambda params: {**all_alike(params), "group_1": [1]}, 0, "group_1 is a list of 1; it must be a list of"),
    (with_one(2.0), 0, "group_2[0] is 2.0; it must be a whole number"),
]
