"""Groups that a reweighed regression betrays."""
from __future__ import annotations

from dpfair_teach.exercises.betrayed_bits import gradient, weights


def size(params, groups):
    """The largest entry of the gradient at the published theta."""
    w = weights(params["labels"], groups)
    return max(map(abs, gradient(params, params["theta"], w))) if w else float("inf")


def one_by_one(params, groups, sweeps=1):
    """Exercise 1D, for each person in turn: the value whose gradient is smaller, as if all the others were known."""
    groups = list(groups)
    for _ in range(sweeps):
        for i in range(20):
            groups[i] = min((0, 1), key=lambda a: size(params, [*groups[:i], a, *groups[i + 1:]]))
    return {"groups": groups}


def alternating(params):
    """One after the other within each label: as independent as they can be, so that all weights are nearly 1."""
    seen = [0, 0]
    groups = []
    for y in params["labels"]:
        groups.append(seen[y] % 2)
        seen[y] += 1
    return groups


def by_feature(params, which):
    """The half with the larger feature; the group is no coin flip then."""
    order = sorted(range(20), key=lambda i: params["features"][i][which])
    return [int(i in order[10:]) for i in range(20)]


def known_but_one(params):
    """Groups with somebody added to the smaller side of the feature: still in the shape, and not the bank's."""
    groups = by_feature(params, 0)
    return [1 - groups[0], *groups[1:]]


def INFORMED(params, draw):
    """Any groups, each person once set to the better value."""
    return one_by_one(params, [draw.whole(0, 1) for _ in range(20)])


GIVEN_AWAY = [lambda params: {"groups": alternating(params)}, lambda params: {"groups": by_feature(params, 0)},
              lambda params: {"groups": by_feature(params, 1)}, lambda params: one_by_one(params, alternating(params), 5),
              lambda params: one_by_one(params, by_feature(params, 1), 5)]
WRONG = [
    (lambda params: one_by_one(params, alternating(params)), 0, "an entry of the gradient at theta is "),
    (lambda params: {"groups": known_but_one(params)}, 0, "in size, not 0"),
    (lambda params: {"groups": params["labels"]}, 0, "no one of some group has some label"),
    (lambda params: {"groups": alternating(params)[:19]}, 0, "groups is a list of 19; it must be a list of 20"),
    (lambda params: {"groups": [bool(a) for a in alternating(params)]}, 0, "groups[0] is "),
    (lambda params: {"groups": [-1, *alternating(params)[1:]]}, 0, "groups[0] is -1; it must be a whole number from 0 to 1"),
]
