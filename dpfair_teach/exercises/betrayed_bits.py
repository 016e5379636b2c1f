"""The groups of all people out of the published coefficients of a reweighed logistic regression."""
from __future__ import annotations

from math import exp
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 30, 10, "find"
PLANTED = True
TOLERANCE = 1e-7
OBJECTIVE = "read private groups off a trained model by its optimality conditions"
SHAPE = {"groups": ("list", ("whole", 0, 1), 20, 20)}


def params(draw: Draw) -> dict[str, Any]:
    """Features and labels of 20 people, and coefficients theta of (1, x1, x2), at which |theta|^2 / 2 + the sum of w_ay times the log
    losses is least; no weight is 1, and no two people have the same features."""
    import numpy as np
    while True:
        features = [[draw.whole(-200, 200) / 100 for _ in "12"] for _ in range(20)]
        labels, groups = ([draw.whole(0, 1) for _ in features] for _ in "YA")
        own = {"features": features, "labels": labels}
        w = weights(labels, groups)
        if not w or 1 in w or len(set(map(tuple, features))) < 20:
            continue
        theta, rows = np.zeros(3), np.insert(features, 0, 1, axis=1)
        inverse = np.linalg.inv(np.eye(3) + rows.T * w @ rows / 4)          # no curvature is larger, so each step goes down
        while max(map(abs, slope := gradient(own, theta, w))) > 1e-11:
            theta -= inverse @ slope
        return {**own, "theta": theta.round(12).tolist()}


def weights(labels: list[int], groups: list[int]) -> list[float]:
    """Of each person n_a n_y / (m n_ay); of nobody, if no one of some group has some label."""
    cells = list(zip(groups, labels, strict=True))
    if len(set(cells)) < 4:
        return []
    return [groups.count(a) * labels.count(y) / (len(cells) * cells.count((a, y))) for a, y in cells]


def gradient(own: dict[str, Any], theta: Any, w: list[float]) -> list[float]:
    """What training makes 0."""
    total = list(theta)
    for (x1, x2), y, weight in zip(own["features"], own["labels"], w, strict=True):
        slope = weight * (1 / (1 + exp(-theta[0] - theta[1] * x1 - theta[2] * x2)) - y)
        total = [t + slope * x for t, x in zip(total, (1, x1, x2), strict=True)]
    return total


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Is the gradient 0 at theta, by the weights of these groups? Exchanging their names changes no weight."""
    w = weights(params["labels"], answer["groups"])
    if not w:
        return 0, "no one of some group has some label, and a weight would be a fraction over 0"
    if (largest := max(map(abs, gradient(params, params["theta"], w)))) > TOLERANCE:
        return 0, f"with these groups an entry of the gradient at theta is {largest:.3g} in size, not 0"
    return POINTS, ""
