"""Outputs that refute a claim."""
from __future__ import annotations

from dpfair_teach import audit
from dpfair_teach.exercises.refuted_claim import refuted


def naming(params, outputs):
    """These outputs, and what they refute."""
    return {"outputs": list(outputs), "epsilon": max(0.01, refuted(params, list(outputs)) - 1e-10)}


def by(params, way, worth):
    """All outputs by their worth (p, q), the best first."""
    return sorted(range(50), key=lambda i: -worth(params["table"][way][i], params["table"][1 - way][i]))


def largest_losses(way, fewer=0):
    return lambda params: naming(params, by(params, way, lambda p, q: p / q)[:params["most"] - fewer])


def largest_differences(way):
    return lambda params: naming(params, by(params, way, lambda p, q: p - q)[:params["most"]])


def likeliest(way):
    return lambda params: naming(params, by(params, way, lambda p, q: p)[:params["most"]])


def exact(params):
    """The library's epsilon of the table, for any number of outputs."""
    return audit.exact_epsilon(*([size / 10_000 for size in row] for row in params["table"]), params["delta"])


def in_the_better_way(params):
    """The outputs with the largest differences, one way or the other."""
    return max((largest_differences(way)(params) for way in (0, 1)), key=lambda answer: answer["epsilon"])


def claimed(epsilon_of):
    """Outputs with the largest losses, and an epsilon of somebody else."""
    return lambda params: {"outputs": largest_losses(0)(params)["outputs"], "epsilon": epsilon_of(params)}


def INFORMED(params, draw):
    """Of the outputs with the largest losses and the largest differences some, or one of them exchanged; and what they refute."""
    way, orders = draw.whole(0, 1), (lambda p, q: p / q, lambda p, q: p - q)
    best = [by(params, way, worth)[:params["most"] + 9] for worth in orders]
    if draw.whole(0, 1):
        one = draw.one_of(best)
        at, other = draw.whole(0, params["most"] - 1), draw.whole(params["most"], len(one) - 1)
        return naming(params, [*one[:at], one[other], *one[at + 1:params["most"]]])
    return naming(params, draw.order(sorted({i for one in best for i in one[:params["most"]]}))[:params["most"]])


GIVEN_AWAY = [make(way) for make in (largest_losses, largest_differences, likeliest) for way in (0, 1)] + [
    claimed(exact), largest_losses(0, 2), largest_losses(1, 2)]
WRONG = [
    (in_the_better_way, 0, "and so is one that is a hundredth larger"),
    (claimed(lambda params: 5.0), 0, "these outputs refute no epsilon from"),
    (lambda params: {"outputs": [3, 3], "epsilon": 0.5}, 0, "an output is named twice in [3, 3]"),
    (lambda params: {"outputs": list(range(13)), "epsilon": 0.5}, 0, "outputs is a list of 13; it must be a list of 1 to"),
    (lambda params: {"outputs": [50], "epsilon": 0.5}, 0, "outputs[0] is 50; it must be a whole number from 0 to 49"),
    (lambda params: {**largest_losses(0)(params), "epsilon": "1/2"}, 0, "epsilon is '1/2'; it must be a number"),
]
