"""Judges of the exercises on rates, privacy and tables: ten people, refreshers, chapters 1 to 7."""
from __future__ import annotations

from typing import Any

from .._draw import Draw
from . import practice

#: A group for each of the ten people.
TEN = ("list", ("whole", 0, 1), 10, 10)
#: Of the ten people, in order: whom the base accepts.
ACCEPTED = (0, 1, 5, 6, 7)


def somebody_accepted(draw: Draw) -> dict[str, Any]:
    """A number of people that the wanted groups have in group 1."""
    return {"ones": draw.whole(3, 7)}


@practice({"groups": TEN, "who": ("whole", 0, 9), "value": ("whole", 0, 1)}, somebody_accepted)
def local_witness(answer: dict[str, Any], own: dict[str, Any]) -> str:
    """3A: neighbours, and the value of f that has probability 1 for the groups and 0 for the neighbour."""
    def both(groups: list[int]) -> bool:
        return len({groups[i] for i in ACCEPTED}) == 2

    def still(groups: list[int]) -> bool:
        return all(both([g ^ (i == j) for j, g in enumerate(groups)]) == both(groups) for i in range(10))
    groups, other = answer["groups"], [g ^ (i == answer["who"]) for i, g in enumerate(answer["groups"])]
    if sum(groups) != own["ones"]:
        return f"group 1 has {sum(groups)} people, and must have {own['ones']}"
    if not still(groups):
        return "one change alters f at your groups: noise is added there, and no value has probability 1"
    if answer["value"] != both(groups):
        return f"f is {both(groups):d} at your groups, so {answer['value']} has probability 0 there"
    if still(other):
        return "at the neighbour no noise is added either, and f is the same: the value has probability 1 for both"
    return ""
