"""Data sets and half-spaces against the average of two epsilons."""
from __future__ import annotations

from math import exp, hypot, sqrt

from dpfair_teach import functional
from dpfair_teach.exercises.averaged_epsilon import claimed, weighed


def unit(j, length=1.0):
    return [length * (k == j) for k in range(12)]


def widest(params):
    return max(range(12), key=lambda j: params["most"][j])


def answer(params, s, x, x_new, others, epsilon_s, labels=(0, 1), groups=(1, 0), weights=None, shift=0.0):
    """With the half-space of the two laws' likeliest difference, or of other weights."""
    made = {"s": s, "epsilon_s": epsilon_s, "before": {"x": x, "y": labels[0], "a": groups[0]},
            "after": {"x": x_new, "y": labels[1], "a": groups[1]}, "others": {"x": others, "y": 0, "a": 0},
            "weights": weights or [1.0] + [0.0] * 12, "threshold": 0.0}
    before, after = (weighed(params, made, made[name]) for name in ("before", "after"))
    epsilon, sigma = claimed(params, epsilon_s)
    deviation = sigma * hypot(*made["weights"])
    at = (before + after) / 2 + epsilon * deviation**2 / (before - after) if abs(before - after) > 1e-3 else before
    return {**made, "threshold": min(max(at + shift * deviation, -1e6), 1e6)}


def the_books(epsilon_s):
    """`worst_pair`, whose person has the feature s alone, with length 1."""
    def make(params):
        before, after = functional.worst_pair(12, params["m"], s=widest(params))
        return answer(params, widest(params), before.X[0].tolist(), after.X[0].tolist(), before.X[1].tolist(), epsilon_s)
    return make


def shortened(epsilon_s, others=0.0):
    """The same pair with the largest entry that is allowed, and nothing else changed."""
    def make(params):
        s = widest(params)
        row = unit(s, params["most"][s])
        return answer(params, s, row, row, unit((s + 1) % 12, others), epsilon_s)
    return make


def INFORMED(params, draw):
    """The book's pair with its entry as allowed, random other entries, and any budget from 1 to 100, near the likeliest half-space."""
    s, rows = widest(params), []
    for _ in "12":
        row = [0.0 if j == s or draw.whole(0, 1) else one * draw.whole(0, 10) / 10 for j, one in enumerate(params["most"])]
        share = min(1.0, sqrt(1 - params["most"][s] ** 2) / (hypot(*row) or 1.0))
        rows.append([params["most"][s] if j == s else share * one for j, one in enumerate(row)])
    weights = [1.0] + [draw.whole(-10, 10) / 50 for _ in range(12)]
    return answer(params, s, *rows, unit(s, 0.0), exp(draw.whole(0, 460) / 100), weights=weights, shift=draw.whole(-100, 100) / 100)


BUDGETS = (8.0, 12.0, 16.0, 20.0, 25.0, 30.0)
GIVEN_AWAY = [make(budget) for make in (the_books, shortened) for budget in BUDGETS]
WRONG = [
    (the_books(10.0), 0, "is above its bound"),
    (shortened(16.0), 0, "is below target"),
    (lambda params: {**shortened(16.0)(params), "epsilon_s": 500}, 0, "is below target"),
    (lambda params: {**shortened(16.0)(params), "others": {"x": params["most"], "y": 0, "a": 0}}, 0, "the row of others has length"),
    (lambda params: {**shortened(16.0)(params), "weights": [0] * 13}, 0, "deviation 0.0000"),
    (lambda params: {**shortened(16.0)(params), "weights": [1] * 12}, 0, "weights is a list of 12; it must be a list of 13"),
    (lambda params: {**shortened(16.0)(params), "s": 12}, 0, "s is 12; it must be a whole number from 0 to 11"),
]
