"""Two data sets within bounds on each feature, and a half-space, that refute the average of two epsilons."""
from __future__ import annotations

from math import erfc, exp, floor, hypot, log, pi, sqrt
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 75, 10, "find"
OBJECTIVE = "refute the claim of noise with two scales, where no row is as long in one feature as the proof's"
PERSON = {"x": ("list", ("real", 0, 1), 12, 12), "y": ("whole", 0, 1), "a": ("whole", 0, 1)}
SHAPE = {"s": ("whole", 0, 11), "epsilon_s": ("real", 0.001, 1000), "before": PERSON, "after": PERSON, "others": PERSON,
         "weights": ("list", ("real", -1000, 1000), 13, 13), "threshold": ("real", -10**6, 10**6)}


def params(draw: Draw) -> dict[str, Any]:
    """Bounds, one of them the largest by far; and a target, 3 % below what a long move makes of the best of forty epsilon_s."""
    while True:
        most = draw.order([draw.whole(52, 62) / 100, *(draw.whole(28, 48) / 100 for _ in range(11))])
        own: dict[str, Any] = {"d": draw.whole(40, 70), "m": draw.whole(10, 40), "most": most, "epsilon_n": draw.whole(2, 8) / 100}
        top, room = max(most), hypot(*most) ** 2 - sorted(most)[-2] ** 2
        move, tried = top * hypot(2 - 1 / own["m"], sqrt((1 - top**2) / 8)), (claimed(own, 5 * 1.08**i) for i in range(40))
        target = 0.97 * max(excess(move, 0.0, *each, move / 2 + each[0] * each[1] ** 2 / move) for each in tried)
        if room > 2 - top**2 and target > 4e-5:
            return {**own, "target": floor(target * 1e8) / 1e8}


def claimed(own: dict[str, Any], epsilon_s: float) -> tuple[float, float]:
    """The average, and the deviation of the printed noise on coefficients with w_s for delta_s = 1e-5."""
    d, half = own["d"], log(sqrt(2 / pi) / 1e-5) / 2
    return (epsilon_s + (d - 1) * own["epsilon_n"]) / d, sqrt(d * (d / 16 + 9)) * (sqrt(half) + sqrt(half + epsilon_s / 2)) / epsilon_s


def excess(before: float, after: float, epsilon: float, deviation: float, threshold: float) -> float:
    """By how much the chance to be at least the threshold is above e^epsilon times what it is after."""
    first, second = (erfc((threshold - mean) / (deviation * sqrt(2))) / 2 for mean in (before, after))
    return first - exp(epsilon) * second


def weighed(own: dict[str, Any], answer: dict[str, Any], person: dict[str, Any]) -> float:
    """The weighed coefficients with w_s of a data set: of w_s, then of w_s w_j, where that of w_s^2 stands at j = s."""
    s, people = answer["s"], ((person, 1), (answer["others"], own["m"] - 1))
    share = sum(times * one["a"] for one, times in people) / own["m"]
    of_w_s = sum(times * (0.5 - one["y"] + one["a"] - share) * one["x"][s] for one, times in people)
    products = [sum(times * one["x"][s] * one["x"][j] for one, times in people) / (8 if j == s else 4) for j in range(12)]
    return sum(weight * value for weight, value in zip(answer["weights"], [of_w_s, *products], strict=True))


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Are the rows allowed, and does the half-space break the claim by the target?"""
    for name, row in ((each, answer[each]["x"]) for each in ("before", "after", "others")):
        over = [f"feature {j}" for j, (one, most) in enumerate(zip(row, params["most"], strict=True)) if one > most + 1e-9]
        if over or hypot(*row) > 1 + 1e-9:
            return 0, f"of {name} {over[0]} is above its bound" if over else f"the row of {name} has length {hypot(*row):.12g}"
    before, after = (weighed(params, answer, answer[name]) for name in ("before", "after"))
    (epsilon, sigma), length = claimed(params, answer["epsilon_s"]), hypot(*answer["weights"])
    reached = excess(before, after, epsilon, sigma * length, answer["threshold"]) if length >= 1e-6 else 0.0
    if reached < params["target"]:
        return 0, f"means {before:.4f}, {after:.4f}, deviation {sigma * length:.4f}, claim {epsilon:.4f}: {reached:.3e} is below target"
    return POINTS, ""
