"""Two people of a box with a bound on the sum, who move the coefficients of the functional mechanism as far as any two."""
from __future__ import annotations

from fractions import Fraction
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 60, 10, "find"
OBJECTIVE = "find the sensitivity of an objective's coefficients for bounds of one's own, and the pair that attains it"
FEATURES = range(16)
SHAPE = {"x": ("list", ("exact", 0, 1), 16, 16), "y": ("whole", 0, 1),
         "x_new": ("list", ("exact", 0, 1), 16, 16), "y_new": ("whole", 0, 1)}


def params(draw: Draw) -> dict[str, Any]:
    """Bounds of the features in hundredths, a bound on their sum that lets a person have about four fifths of all, and the largest move."""
    while True:
        most = [draw.whole(10, 99) for _ in FEATURES]
        everything, missing = Fraction(sum(most), 100), Fraction(draw.whole(150, 210), 100)
        if everything > 3 * missing + 3 and len(set(most)) == len(most):
            move = (everything + missing + 1) / 2 + (everything**2 + 3 * missing**2 - 2 * missing * everything) / 8
            return {"most": [one / 100 for one in most], "sum": float(everything - missing), "move": str(move)}


def moved(x: list[Fraction], y: int, x_new: list[Fraction], y_new: int) -> Fraction:
    """The sum of the sizes of the moves of all coefficients: of w_j, of w_j^2, and of w_j w_k for j < k."""
    half, nothing, pairs = Fraction(1, 2), Fraction(0), list(zip(x, x_new, strict=True))
    linear = sum((abs((half - y) * one - (half - y_new) * new) for one, new in pairs), nothing)
    squares = sum((abs(one**2 - new**2) for one, new in pairs), nothing)
    products = sum((abs(pairs[j][0] * pairs[k][0] - pairs[j][1] * pairs[k][1]) for k in FEATURES for j in range(k)), nothing)
    return linear + squares / 8 + products / 4


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Are both people within the bounds, and do they move the coefficients as far as any two?"""
    for name in ("x", "x_new"):
        for j, (value, most) in enumerate(zip(answer[name], params["most"], strict=True)):
            if value > Fraction(str(most)):
                return 0, f"{name}[{j}] is {float(value):.6g}, more than {most}"
        if (total := sum(answer[name])) > Fraction(str(params["sum"])):
            return 0, f"{name} sums to {float(total):.6g}, more than {params['sum']}"
    reached, move = moved(**answer), Fraction(params["move"])
    if reached < move:
        return 0, f"the coefficients move by {float(reached):.7f}, less than {float(move):.7f}, which is possible"
    return POINTS, ""
