"""Rounds against exponentiated gradient."""
from __future__ import annotations

import numpy as np

from dpfair_teach import data, games, oracles


def repeated(*block):
    """The same few rounds again and again."""
    return lambda params: {"rounds": [list(block[t % len(block)]) for t in range(params["T"])]}


def ten_people(params):
    """What the auditor sees of the ten people's gap, in a play of the library at the student's step."""
    ten = data.load("ten_people")
    game = games.FairnessGame(oracles.threshold_labelings(ten.X[:, 0]), ten.A, ten.Y, 0.1)
    play = games.exponentiated_gradient(game, B=1.0, eta=params["eta"], rounds=params["T"])
    return {"rounds": np.clip(game.constraint_values(np.eye(11))[play.chosen][:, :2], -1, 1).tolist()}


def INFORMED(params, draw):
    """Ends of the range, each of the four pairs as often as a first draw says."""
    often = [pair for pair in ([1, 1], [1, -1], [-1, 1], [-1, -1]) for _ in range(draw.whole(0, 4))] or [[1, -1]]
    return {"rounds": [draw.one_of(often) for _ in range(params["T"])]}


def all_but_one(params):
    return {"rounds": repeated((1, -1), (-1, 1))(params)["rounds"][:-1]}


GIVEN_AWAY = [ten_people, repeated((1, -1)), repeated((1, -1), (-1, 1)), repeated((1, 1), (-1, -1)), repeated((1, 0), (0, 1))]
WRONG = [
    (repeated((1, -1), (-1, 1)), 0, "the best fixed price earns"),
    (repeated((1, 1)), 0, "the prices"),
    (repeated((-1, -1)), 0, "the best fixed price earns 0.0000"),
    (all_but_one, 0, "rounds is a list of"),
    (repeated((1, 1.5)), 0, "rounds[0][1] is 1.5; it must be a number from -1 to 1"),
    (repeated((1, -1, 0)), 0, "rounds[0] is a list of 3; it must be a list of 2"),
]
