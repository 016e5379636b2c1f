"""Classifiers that are hard to repair, and prices on their gaps."""
from __future__ import annotations

from fractions import Fraction

from dpfair_teach.exercises.no_mixture import gaps
from dpfair_teach.games import FairnessGame


def wrong_in(cell, people, mistakes):
    """Right about everybody but for so many people of one (group, label)."""
    accepts = [[0, size[1]] for size in people]
    accepts[cell[0]][cell[1]] += -mistakes if cell[1] else mistakes
    return accepts


def by_12c(a, cell):
    """12C's price on one group, 1 and -1, and all mistakes in one cell."""
    def make(params):
        prices = [[int(b == a), -int(b == a)] for b in (1, 2, 3)]
        return {"accepts": wrong_in(cell, params["people"], params["mistakes"]), "prices": prices}
    return make


def of_the_library(cell, gamma, written):
    """The best prices of the library's program that loses 1 for each part of a fair mixture that is not the classifier."""
    def make(params):
        people, accepts = params["people"], wrong_in(cell, params["people"], params["mistakes"])
        indicators = [[size if a == b else [0, 0] for b, size in enumerate(people)] for a in range(4)]
        rows = [accepts]
        for one in params["others"] + indicators:
            rows += [one, [[size - n for size, n in zip(*pair, strict=True)] for pair in zip(people, one, strict=True)]]
        rates = [[float(gap) for of_group in gaps(people, one) for gap in of_group] for one in rows]
        lam = FairnessGame.from_gaps([0.0] + [1.0] * (len(rows) - 1), rates, gamma).fair_erm().lam
        signed = [written(float(above - below)) for above, below in zip(lam[::2], lam[1::2], strict=True)]
        return {"accepts": accepts, "prices": [signed[0:2], signed[2:4], signed[4:6]]}
    return make


def as_a_fraction(number):
    return str(Fraction(number).limit_denominator(10**6))


def accepts_half(params):
    """12C's classifier: half of the people with one label, by turns, and nobody else."""
    return {"accepts": [[size // 2 * (label != a % 2) for label, size in enumerate(sizes)] for a, sizes in enumerate(params["people"])],
            "prices": [[1, -1]] * 3}


def INFORMED(params, draw):
    """As in 12C each group's prices cancel; all mistakes in one cell."""
    prices = [draw.whole(-12, 12) for _ in "123"]
    cell = draw.whole(0, 3), draw.whole(0, 1)
    return {"accepts": wrong_in(cell, params["people"], params["mistakes"]), "prices": [[p, -p] for p in prices]}


CELLS = [(a, y) for a in range(4) for y in (0, 1)]
GIVEN_AWAY = [by_12c(1, (1, 0)), by_12c(2, (2, 1)), by_12c(3, (3, 0)), accepts_half,
              *(of_the_library(cell, 0.01, lambda number: number) for cell in CELLS),
              *(of_the_library(cell, 0.001, as_a_fraction) for cell in CELLS)]
WRONG = [
    (by_12c(1, (1, 0)), 0, "from others[0], or from its opposite, the prices collect -"),
    (of_the_library((1, 0), 0.01, lambda number: round(number, 6)), 0, "the prices collect -"),
    (lambda params: {**by_12c(1, (0, 0))(params), "prices": [[1, 0], [0, 0], [0, 0]]}, 0, "from h_0, or from its opposite"),
    (lambda params: {**by_12c(1, (1, 0))(params), "prices": [[0, 0]] * 3}, 0, "the prices collect 0.000000 of their size"),
    (lambda params: {"accepts": [[0, 0]] * 4, "prices": [[1, -1]] * 3}, 0, "mistakes, more than"),
    (lambda params: {"accepts": wrong_in((1, 0), params["people"], params["mistakes"] + 1), "prices": [[1, -1]] * 3}, 0, "mistakes, more"),
    (lambda params: {"accepts": [[100, 0]] * 4, "prices": [[1, -1]] * 3}, 0, "a cell of accepts has more than its people"),
    (lambda params: {"accepts": [[0, 0]] * 4, "prices": [[1, -1]] * 2}, 0, "prices is a list of 2; it must be a list of 3"),
    (lambda params: {"accepts": [[0.5, 0]] * 4, "prices": [[1, -1]] * 3}, 0, "accepts[0][0] is 0.5; it must be a whole number"),
]
