"""Events of two widths of noise."""
from __future__ import annotations

from math import exp, log


def theorem(params, cell):
    """The theorem's s for one cell alone, of the wider noise: the sum of its sizes is at least, or at most, s."""
    n, K = params[f"n{cell}"], params[f"K{cell}"]
    before, after = params[f"g{cell}"] / (n - 1), params[f"g{cell}"] / (n - 2 if cell == 1 else n)
    return (K * log(after / before) + params["epsilon"]) / (1 / before - 1 / after)


def first_alone(params):
    return {"u": 1, "v": 0, "s": theorem(params, 1)}


def second_alone(params):
    return {"u": 0, "v": -1, "s": -theorem(params, 2)}


def sums_of(u, v):
    """Sizes weighed in that way, and a half of the theorem's s of each."""
    def make(params):
        return {"u": u, "v": v, "s": u * theorem(params, 1) / 2 + v * theorem(params, 2) / 2}
    return make


def mean_between(u, v):
    """Half way between the means before and after."""
    def make(params):
        first = params["K1"] * params["g1"] * (1 / (params["n1"] - 1) + 1 / (params["n1"] - 2)) / 2
        second = params["K2"] * params["g2"] * (1 / (params["n2"] - 1) + 1 / params["n2"]) / 2
        return {"u": u, "v": v, "s": u * first + v * second}
    return make


def INFORMED(params, draw):
    """The right signs, weights of any ratio to 1 : 50, and a bound near what the sums are in the mean."""
    u, v = exp(draw.whole(-200, 200) / 100), -exp(draw.whole(-200, 200) / 100)
    middle = mean_between(u, v)(params)["s"]
    width = u * params["g1"] / (params["n1"] - 2) * params["K1"] ** 0.5 - v * params["g2"] / (params["n2"] - 1) * params["K2"] ** 0.5
    return {"u": u, "v": v, "s": middle + width * draw.whole(-100, 200) / 100}


GIVEN_AWAY = [first_alone, second_alone, sums_of(1, -1), sums_of(1, 0), mean_between(1, -1)]
WRONG = [
    (first_alone, 0, "afterwards: delta 0."),
    (second_alone, 0, "afterwards: delta 0."),
    (lambda params: {name: -value for name, value in mean_between(1, -1)(params).items()}, 0, "afterwards: delta -"),
    (lambda params: {"u": 0, "v": 0, "s": 0}, 0, "the chances are 1.000000 before and 1.000000 afterwards"),
    (lambda params: {"u": 1, "v": "-1", "s": 0}, 0, "v is '-1'; it must be a number"),
    (lambda params: {"u": 1, "v": -1}, 0, "the field 's' is missing"),
]
