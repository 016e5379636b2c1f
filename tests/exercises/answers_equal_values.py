"""Equal predictive values and two gaps."""
from __future__ import annotations

from fractions import Fraction


def by_acceptance(params, units):
    """Of each group so many bundles of accepted and rejected people; the predictive values then fill in the labels."""
    ppv, npv = Fraction(params["ppv"]), Fraction(params["npv"])
    accepted, rejected = [ppv.denominator * i for i, _ in units], [npv.denominator * j for _, j in units]
    return {"table": [[[int(n * npv), int(n * (1 - npv))] for n in rejected], [[int(n * (1 - ppv)), int(n * ppv)] for n in accepted]]}


def filled(params, units):
    """The same, and the last group has what is left of the people."""
    bundles = [Fraction(params[short]).denominator for short in ("ppv", "npv")]
    left = params["people"] - sum(bundles[0] * i + bundles[1] * j for i, j in units)
    i = next(i for i in range(1, bundles[1] + 1) if (left - bundles[0] * i) % bundles[1] == 0)
    return by_acceptance(params, [*units, (i, (left - bundles[0] * i) // bundles[1])])


def exercise_2b(params):
    """The two groups of exercise 2B, four and twelve and twelve and four, and a third of all who are left."""
    return filled(params, [(1, 3), (3, 1)])


def by_gaps(params):
    """Right rates: those of group 0 are one half, each gap is one group's; the values follow from nothing."""
    part = params["people"] // 6
    yes = [[part // 2] * 2 for _ in range(3)]
    yes[1][0] -= round(part * Fraction(params["gap_fp"]))
    yes[2][1] -= round(part * Fraction(params["gap_tp"]))
    no = [[part - n for n in counts] for counts in yes]
    no[0][0] += params["people"] - 6 * part
    return {"table": [no, yes]}


def INFORMED(params, draw):
    """Right predictive values and people: two groups with simple ratios, some times over, and the third of all who are left."""
    while True:
        units = [[draw.whole(1, 12) for _ in "ar"] for _ in "01"]
        times = [draw.whole(1, 12) for _ in units]
        answer = filled(params, [(times[a] * i, times[a] * j) for a, (i, j) in enumerate(units)])
        if min(min(counts) for decided in answer["table"] for counts in decided) >= 0:
            first = draw.whole(0, 2)
            return {"table": [decided[first:] + decided[:first] for decided in answer["table"]]}


def with_a_person_less(params):
    table = exercise_2b(params)["table"]
    table[0][2][0] -= 1
    return {"table": table}


GIVEN_AWAY = [exercise_2b, by_gaps, lambda params: filled(params, [(1, 1), (2, 1)])]
WRONG = [
    (exercise_2b, 0, "from group 0's, not"),
    (with_a_person_less, 0, "people, not"),
    (by_gaps, 0, "the ppv of group 0 is 1/2, not"),
    (lambda params: by_acceptance(params, [(1, 1)] * 3), 0, "the table has"),
    (lambda params: {"table": [[[params["people"], 0], [0, 0], [0, 0]], [[0, 0]] * 3]}, 0, "nobody of group 0 is accepted"),
    (lambda params: {"table": [[[1, 2], [3, 4]], [[1, 2], [3, 4]]]}, 0, "table[0] is a list of 2; it must be a list of 3"),
    (lambda params: {"table": [[[1, 2.5]] * 3] * 2}, 0, "table[0][0][1] is 2.5; it must be a whole number"),
]
