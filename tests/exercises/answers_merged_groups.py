"""Fair by two forms, far apart by the third, unfair once merged."""
from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpfair_teach import fairness, postprocessing


def at_rates(rates, merge):
    """The whole numbers next to these rates [group][label]."""
    def make(params):
        accepted = [[round(n * Fraction(rate)) for n, rate in zip(sizes, of_group, strict=True)]
                    for sizes, of_group in zip(params["people"], rates, strict=True)]
        return {"accepted": accepted, "merge": merge}
    return make


def apart(signs, merge, middle="1/2"):
    """Rates that many gammas from the middle, for both labels, moved to it by what rounding may cost."""
    def make(params):
        gamma = Fraction(params["gamma"]) * Fraction(97, 100)
        return at_rates([[Fraction(middle) + sign * gamma for sign in of_group] for of_group in signs], merge)(params)
    return make


def alike(*signs):
    return [[sign, sign] for sign in signs]


def of_the_library(against, merge):
    """The least error under that form, from a base that is right more often in one group than in the next."""
    def make(params):
        people = np.array(params["people"], dtype=float)
        right = np.array([0.6, 0.9, 0.7, 0.8])[:, None]
        base = np.stack([people * np.hstack([right, 1 - right]), people * np.hstack([1 - right, right])])
        q = base / base.sum()
        p = postprocessing.solve_lp(q, float(Fraction(params["gamma"])), notion=fairness.Parity(against=against)).p
        accepted = np.rint(postprocessing.derived_counts(base, p)[1]).astype(int)
        return {"accepted": accepted.tolist(), "merge": merge}
    return make


def INFORMED(params, draw):
    """Each rate at an end, or in the middle, or anywhere between; mergers of the anchor sooner than others."""
    signs = [[draw.one_of([-1, 0, 1, Fraction(draw.whole(-10, 10), 10)]) for _ in "01"] for _ in "0123"]
    if draw.whole(0, 1):
        signs[0] = [0, 0]
    return apart(signs, [draw.one_of([0, 0, 1]), draw.whole(2, 3)], Fraction(draw.whole(30, 70), 100))(params)


def one_too_many(params):
    return {"accepted": [*([0, 0] for _ in "012"), [params["people"][3][0] + 1, 0]], "merge": [0, 1]}


GIVEN_AWAY = [
    *(at_rates(alike("1/2", "2/5", "3/5", "1/2"), [0, a]) for a in (1, 2, 3)),          # exercise 2A
    at_rates(alike(1, 0, 0, 1), [0, 1]),                                                # fair to each attribute, not to the crossing
    *(of_the_library(against, [0, a]) for against in ("anchor", "pairs") for a in (1, 2, 3)),
]
WRONG = [
    (apart(alike(0, 0, 0, 0), [0, 1]), 0, "no two false positive rates are more than"),
    (apart(alike(-1, 0, 0, 0), [0, 1]), 0, "no two false positive rates are more than"),       # fair by all three forms
    (apart(alike(0, -2, 2, 0), [0, 1]), 0, "a false positive rate is"),
    (at_rates(alike(0, 0, 0, 1), [0, 3]), 0, ", more than 0."),
    (apart([[0, 0], [0, 1], [0, -1], [0, 0]], [1, 2]), 0, "no two false positive rates are more than"),
    (apart(alike(0, 1, -1, 0), [2, 2]), 0, "group 2 cannot be merged with itself"),
    (one_too_many, 0, "of group 3"),
    (lambda params: {"accepted": [[1, 1]] * 3, "merge": [0, 1]}, 0, "accepted is a list of 3; it must be a list of 4"),
    (lambda params: {"accepted": [[1, 1]] * 4, "merge": 0}, 0, "merge is 0; it must be a list of 2"),
]
