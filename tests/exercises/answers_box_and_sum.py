"""Pairs in a box with a bound on the sum."""
from __future__ import annotations

from functools import cache

import numpy as np

from dpfair_teach import functional


def filled(order, most, total):
    """Features as large as they may be, in that order, up to a sum; in hundredths."""
    row = [0] * len(most)
    for j in order:
        row[j] = max(0, min(round(100 * most[j]), total - sum(row)))
    return row


def pair(x, x_new, y=0, y_new=1):
    return {"x": [one / 100 for one in x], "y": y, "x_new": [one / 100 for one in x_new], "y_new": y_new}


def by_order(order, total_new, y_new=1):
    """The box's worst pair once more: the largest features, or the smallest, up to the two sums."""
    def make(params):
        at = sorted(range(16), key=lambda j: order * params["most"][j])
        return pair(filled(at, params["most"], round(100 * params["sum"])), filled(at, params["most"], total_new), y_new=y_new)
    return make


def the_box(params):
    """The box's worst pair, all as large as can be against a sum of 2, made smaller until the sum is allowed."""
    most, at = params["most"], range(16)
    share = params["sum"] / sum(most)
    return pair([int(100 * share * one) for one in most], filled(at, most, 200))


@cache
def searched():
    return functional.attained_move(16, np.random.default_rng(0), steps=60)


def of_the_search(params):
    """What the library's search finds in the ball, as shares of what each feature may be, longer until a bound is met."""
    rows = []
    for row in (searched().x, searched().x_new):
        row = row / row.max() * np.array(params["most"])
        rows.append([int(100 * one) for one in row * min(1, params["sum"] / row.sum())])
    return pair(*rows, y_new=int(searched().label == "other"))


def INFORMED(params, draw):
    """Two corners of what is allowed: features in some order, each as large as it may be, up to a sum."""
    total = round(100 * params["sum"])
    sums = draw.one_of([total, draw.whole(200, total)]), draw.one_of([total, draw.whole(200, total)])
    return pair(*(filled(draw.order(range(16)), params["most"], one) for one in sums))


GIVEN_AWAY = [the_box, of_the_search, by_order(1, 0), by_order(-1, 0), by_order(1, 200), by_order(-1, 200)]
WRONG = [
    (by_order(1, 200), 0, "the coefficients move by"),
    (by_order(1, 400, y_new=0), 0, "the coefficients move by"),
    (lambda params: {"x": params["most"], "y": 0, "x_new": [0] * 16, "y_new": 1}, 0, "x sums to"),
    (lambda params: {"x": [0] * 16, "y": 0, "x_new": [0] * 15 + [1], "y_new": 1}, 0, "x_new[15] is 1, more than 0."),
    (lambda params: {"x": [0] * 16, "y": 0, "x_new": [-0.1] + [0] * 15, "y_new": 1}, 0, "x_new[0] is -0.1; it must be a number such as"),
    (lambda params: {"x": [0] * 16, "y": 0, "x_new": [0] * 15, "y_new": 1}, 0, "x_new is a list of 15"),
]
