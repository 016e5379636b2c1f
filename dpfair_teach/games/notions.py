"""Which rates a game compares: words for them."""
from __future__ import annotations

from typing import Literal, get_args

from .. import _checks as check

__all__: list[str] = []     # the games and their bounds read words with it

#: The notions of :class:`~dpfair_teach.fairness.Parity` that compare these rates.
OddsNotion = Literal["equalized_odds", "false_positive", "true_positive"]
ODDS_NOTIONS: tuple[OddsNotion, ...] = get_args(OddsNotion)

#: The rates that the papers' constraints name, and the label of the people whose rates they are.
LABEL = {"FP": 0, "TP": 1}


def checked_constraints(value: object, name: str = "constraints") -> tuple[str, ...]:
    """("FP", "TP"), or one of them, in that order."""
    remedy = 'Give ("FP", "TP") for equalized odds, ("FP",) for equal false-positive rates, or ("TP",).'
    found = check.entries(name, value, "names of rates", remedy)
    if not found or len(set(map(str, found))) < len(found) or not all(isinstance(c, str) and c in LABEL for c in found):
        check.refuse(name, value, "not one or both of 'FP' and 'TP'", remedy)
    return tuple(c for c in LABEL if c in found)


def labels_of(constraints: tuple[str, ...]) -> list[int]:
    """The labels of the people whose rates are compared: 0 for false positives, 1 for true ones."""
    return [LABEL[name] for name in constraints]
