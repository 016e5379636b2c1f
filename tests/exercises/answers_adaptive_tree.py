"""Three exponential mechanisms, chosen adaptively."""
from __future__ import annotations

from math import exp

from dpfair_teach import accounting
from dpfair_teach.exercises.adaptive_tree import delta


def two_ended(epsilon0, t):
    """[P(0), Q(0)] of the chapter's two-ended pair: candidate 0 has the loss t, candidate 1 has t - epsilon0."""
    q = (1 - exp(-t)) / (1 - exp(-epsilon0))
    return [min(exp(t) * (1 - q), 1.0), 1 - q]


def each(params, ts):
    return {"tables": [two_ended(params["epsilon0"], min(max(t, 0.0), params["epsilon0"])) for t in ts]}


def best_fixed(params):
    """The t of the chapter's theorem that is best for three steps fixed beforehand."""
    ts = [(params["epsilon"] + (low + 1) * params["epsilon0"]) / 4 for low in range(3)]
    aim = accounting.bounded_range_delta(params["epsilon0"], 3, params["epsilon"])
    return min((t for t in ts if t <= params["epsilon0"]),
               key=lambda t: abs(delta(each(params, [t] * 7)["tables"], params["epsilon"]) - aim))


def near_the_best_fixed(params, draw):
    """Each t anywhere, or not far from the best fixed one."""
    epsilon0, spread = params["epsilon0"], draw.one_of([10, 30, 100])
    if draw.whole(0, 1):
        return each(params, [epsilon0 * draw.whole(0, 200) / 200 for _ in range(7)])
    return each(params, [best_fixed(params) + epsilon0 * draw.whole(-spread, spread) / 200 for _ in range(7)])


GIVEN_AWAY = [
    lambda params: each(params, [best_fixed(params)] * 7),
    lambda params: each(params, [params["epsilon0"] / 2] * 7),
    lambda params: each(params, [(params["epsilon"] + params["epsilon0"]) / 2] * 7),
]
INFORMED = near_the_best_fixed
WRONG = [
    (lambda params: each(params, [best_fixed(params)] * 7), 0, "the tree's delta is"),
    # pure steps of epsilon0 that are no exponential mechanisms
    (lambda params: {"tables": [[1 / (1 + exp(-params["epsilon0"])), 1 / (1 + exp(params["epsilon0"]))]] * 7}, 0, "table at first moves"),
    (lambda params: {"tables": [[0.5, 0.5]] * 3 + [[0.01, 0.5]] * 4}, 0, "table after 00 moves"),
    (lambda params: {"tables": each(params, [0.2] * 6)["tables"] + [[1, 0]]}, 0, "table after 11 moves"),
    (lambda params: {"tables": [[0.5, 0.5]] * 7}, 0, "the tree's delta is 0.0000000, below"),
    (lambda params: {"tables": [[0.5, 0.5]] * 6}, 0, "it must be a list of 7"),
    (lambda params: {"tables": [[0.5, 0.5, 0]] * 7}, 0, "it must be a list of 2"),
]
