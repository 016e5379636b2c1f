"""An equilibrium with unequal costs."""
from __future__ import annotations

from dpfair_teach.exercises.unequal_costs import entries
from dpfair_teach.games import FairnessGame

FIRST, EVEN = [1] + [0] * 7, [0.125] * 8


def with_equal_costs(params, times=1.0, most=None):
    """The library's game, which charges every mistake one, its prices times a number."""
    game = FairnessGame.from_counts(params["accepts"], params["people"], params["gamma"])
    at = game.equilibrium(most or params["B"])
    return {"mixture": tidy(at.Q, 1), "prices": tidy(at.lam * times, params["B"])}


def tidy(numbers, most):
    return [min(max(float(number), 0.0), float(most)) for number in numbers]


def cheapest_pair(params, draw):
    """Two or three classifiers in twelfths, and B or a part of it in twelfths on two constraints."""
    used, parts = draw.order(range(8))[:3], [draw.whole(0, 12) for _ in range(3)]
    mixture, prices = [0.0] * 8, [0.0] * 4
    for which, part in zip(used, parts, strict=True):
        mixture[which] = part / (sum(parts) or 1)
    pair, total = [draw.whole(0, 1), 2 + draw.whole(0, 1)], draw.whole(0, 12)
    split = draw.whole(0, total)
    prices[pair[0]], prices[pair[1]] = params["B"] * split / 12, params["B"] * (total - split) / 12
    return {"mixture": mixture, "prices": prices}


def auditor_fails(params):
    """The cheapest classifier, and no prices."""
    costs = [entries(params, one)[0] for one in params["accepts"]]
    return {"mixture": [int(i == costs.index(min(costs))) for i in range(8)], "prices": [0] * 4}


def learner_fails(params):
    """Some classifier alone, and B on the constraint that it violates most."""
    gaps = entries(params, params["accepts"][0])[1:]
    return {"mixture": FIRST, "prices": [params["B"] * (gap == max(0, *gaps)) for gap in gaps]}


GIVEN_AWAY = [
    with_equal_costs,
    lambda params: with_equal_costs(params, params["cost_0"], params["B"] / params["cost_0"]),
    lambda params: with_equal_costs(params, params["cost_1"], params["B"] / params["cost_1"]),
]
INFORMED = cheapest_pair
WRONG = [
    (auditor_fails, 0, "other prices would take"),
    (learner_fails, 0, "another classifier would pay"),
    (lambda params: {"mixture": FIRST, "prices": [0, 0, 0, 0]}, 0, "another classifier would pay"),
    (lambda params: {"mixture": EVEN, "prices": [params["B"] / 4] * 4}, 0, "other prices would take"),
    (lambda params: {"mixture": EVEN, "prices": [params["B"], 0.1, 0, 0]}, 0, "or to more than"),
    (lambda params: {"mixture": [0.125] * 7 + [0.12], "prices": [0, 0, 0, 0]}, 0, "the mixture sums to 0.995"),
    (lambda params: {"mixture": EVEN, "prices": [-0.1, 0, 0, 0]}, 0, "prices[0] is -0.1; it must be a number from 0 to"),
    (lambda params: {"mixture": ["1/8"] * 8, "prices": [0, 0, 0, 0]}, 0, "mixture[0] is '1/8'"),
]
