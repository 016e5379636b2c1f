"""A certificate with a quota."""
from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpfair_teach import postprocessing


def solved_without_the_quota(params):
    """What the library solves, with prices for it of 0."""
    q = np.array(params["counts"]) / np.sum(params["counts"])
    gamma = float(Fraction(params["gamma"]))
    solution = postprocessing.solve_lp(q, gamma, slack=np.array([[0, 0], [0, gamma]]))
    return {"coins": np.round(solution.p, 9).tolist(), "prices": [0, 0, 0]}


GIVEN_AWAY = [solved_without_the_quota]
HALF = [["1/2", "1/2"], ["1/2", "1/2"]]
WRONG = [
    (lambda params: {"coins": HALF, "prices": [0, 0, 0]}, 0, "prices prove no more than"),
    (lambda params: {"coins": [[0, 0], [1, 1]], "prices": [0, 0, 0]}, 0, ""),
    (lambda params: {"coins": HALF, "price": [0, 0, 0]}, 0, "the field 'price' is not asked for"),
    (lambda params: {"coins": [[0, 0], [1, 2]], "prices": [0, 0, 0]}, 0, "coins[1][1] is 2; it must be a number such as 3"),
]
