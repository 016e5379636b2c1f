"""The numbers of one-shot learning, chosen on drawn populations; by the stored table some of their neighbours are as good.

Those marked "not varied" stand as they were first written, and so do the grid of multipliers (``candidates``), the logistic's C
(``_label``) and, for people to come, the line of bells (``_map``); UNSURE (``posterior``) was chosen among a few. Experiment
``asking_tuned`` changes one of the others at a time, ``first_shares`` the share of the first question. Chapter 14 says what had been seen
of the data of the book before each choice.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

#: Of whom gaps are to be small: the people of the fit, or people to come.
Target = Literal["these", "new"]
TARGETS: tuple[Target, ...] = get_args(Target)
#: So little is told, in (people of the part) times epsilon / unit, that one question is all: for whom, up to how much.
ONE_QUESTION: dict[Target, float] = {"these": 150.0, "new": 200.0}
#: Else the first question's share of epsilon: on average over parts, and how it grows with the part's share of the people.
SHARE: dict[Target, float] = {"these": 0.65, "new": 0.75}
SLOPE = 0.5
#: Who leaves less than this for a second question asks one.
LEFT = 0.05


@dataclass(frozen=True)
class Settings:
    """The constants; lengths are in units of the first principal component's standard deviation."""

    cells: float = 0.67                 # of the first question: this times (n epsilon) to the power of ``growth``
    growth: float = 0.6                 # not varied
    coordinates: int = 25               # principal components on the map
    score_weight: float = 1.0           # of the least-squares score, and of what a base says, beside the principal components; not varied
    label_weight: float = 2.0           # of the label, where one question is to people of both; not varied
    landmarks: int = 150                # not varied
    length: float = 3.0                 # over which logits of P(A = a | x, y) are alike
    linear: float = 0.3                 # prior variance of their slope along the map; of people to come times factors that the answers tell
    smooth: float = 1.6                 # prior variance of their smooth part; of people to come, too
    shared: float = 0.9                 # of a logit's prior variance, what is the same for both labels; the rest is a label's own
    apart: float = 2.0                  # prior standard deviation of a label's mean logit: two are shares of 2 % and 98 %
    draws: int = 128                    # by which mixtures are chosen


SETTINGS = Settings()


def first_shares(sizes: list[int], epsilon: float, target: Target) -> list[float]:
    """Of epsilon, for the first question to each part of so many people; ``epsilon`` is that of one answer, half where a person moves two.

    One question is all where few answers stand above the noise. Chosen on drawn populations: experiment ``first_shares`` has the losses.
    """
    shares = [SHARE[target] + SLOPE * (n / sum(sizes) - 1 / len(sizes)) for n in sizes]
    return [1.0 if n * epsilon <= ONE_QUESTION[target] or share > 1 - LEFT else share for n, share in zip(sizes, shares, strict=True)]
