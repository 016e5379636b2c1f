"""Who moves a sum of group means far."""
from __future__ import annotations

import numpy as np

from dpfair_teach import lagrangian


def in_order(params, order, pair):
    """The theorem's people: the first in this order leaves for the second group, against all others of both; the rest follow in any way."""
    groups, left, follow = [-1] * params["m"], list(order), [*pair, *(a for a in range(4) if a not in pair)]
    for a in follow:
        for i in [left.pop(0) for _ in range(params["sizes"][a])]:
            groups[i] = a
    sign = [-1 if i == order[0] else 1 for i in range(params["m"])]
    return {"groups": groups, "gradients": [s * size for s, size in zip(sign, params["lengths"], strict=True)],
            "who": order[0], "to": pair[1]}


def opposite(params):
    """All ordered pairs of groups with prices of opposite signs."""
    return [(a, b) for a in range(4) for b in range(4) if params["prices"][a] * params["prices"][b] < 0]


def dearest(params):
    """The groups with the largest prices of either sign, the smaller one first."""
    prices = params["prices"]
    return sorted((prices.index(max(prices)), prices.index(min(prices))), key=params["sizes"].__getitem__)


def by_the_library(params):
    """The pair that Theorem 1 with all gradients alike moves most, by the library's formula; people as they come."""
    return max(((a, b) for a in range(4) for b in range(4) if a != b), key=lambda pair: lagrangian.means_sensitivity(
        [params["sizes"][a] for a in pair] + [1], [params["prices"][a] for a in pair] + [0], 100))


def as_they_come(params):
    return in_order(params, range(params["m"]), by_the_library(params))


def last_leaves(params):
    return in_order(params, range(params["m"])[::-1], by_the_library(params))


def best_of_all_who_leave(params):
    """People as they come, and of them who moves the sum most, by the library's search."""
    made = as_they_come(params)
    move = lagrangian.largest_move("means", np.reshape(made["gradients"], (-1, 1)), made["groups"], params["prices"])
    return {**made, "who": move.person, "to": move.group}


def longest_leaves(params):
    """The longest gradient leaves; all others as they come."""
    first = params["lengths"].index(max(params["lengths"]))
    return in_order(params, [first, *(i for i in range(params["m"]) if i != first)], by_the_library(params))


def all_alike(params):
    """Everybody's gradient is 40, which is allowed to all, but that of the one who leaves."""
    made = longest_leaves(params)
    return {**made, "gradients": [40 if g > 0 else g for g in made["gradients"]]}


def INFORMED(params, draw):
    """Any groups of opposite prices, one of the three longest gradients leaves, and all others are drawn."""
    by_length = sorted(range(params["m"]), key=params["lengths"].__getitem__)
    first = by_length[-draw.whole(1, 3)]
    pair = draw.one_of(opposite(params)) if opposite(params) else (0, 1)
    return in_order(params, [first, *(i for i in draw.order(by_length) if i != first)], pair)


GIVEN_AWAY = [as_they_come, last_leaves, best_of_all_who_leave, longest_leaves, all_alike,
              lambda params: in_order(params, range(params["m"]), dearest(params))]
WRONG = [
    (longest_leaves, 0, "(the printed bound is "),
    (lambda params: {**longest_leaves(params), "gradients": [0] * params["m"]}, 0, "the sum moves by 0, less than "),
    (lambda params: {**longest_leaves(params), "groups": [0] * params["m"]}, 0, "the groups have ["),
    (lambda params: {**longest_leaves(params), "gradients": [100] * params["m"]}, 0, "is larger than "),
    (lambda params: {**longest_leaves(params), "to": by_the_library(params)[0]}, 0, "already"),
    (lambda params: {**longest_leaves(params), "who": params["m"]}, 0, "there is no person"),
    (lambda params: {**longest_leaves(params), "gradients": [1]}, 0, "gradients is a list of 1; it must be a list of "),
    (lambda params: {**longest_leaves(params), "who": 0.0}, 0, "who is 0.0; it must be a whole number"),
]
