"""The numbers of one-shot learning, chosen on drawn populations; by the stored table some of their neighbours are as good.

Those marked "not varied" stand as they were first written, and so do the grid of multipliers (``candidates``) and the logistic's C
(``_label``). Experiment ``designed_tuning`` changes one of the others at a time. Chapter 14 says what had been seen of the data of the book
before each choice.
"""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Designed:
    """The constants; lengths are in units of the first principal component's standard deviation."""

    share: float = 0.5                  # of epsilon for the first question, on average over labels
    slope: float = 0.5                  # how a label's share of epsilon for the first question grows with its share of the people
    cells: float = 0.67                 # of the first question: this times (n epsilon) to the power of ``growth``
    growth: float = 0.6                 # not varied
    score_weight: float = 1.0           # of the base score on the map, beside the principal components
    landmarks: int = 150                # not varied
    length: float = 3.0                 # over which logits of P(A = a | x, y) are alike
    linear: float = 0.3                 # prior variance of their slope along the map
    smooth: float = 1.6                 # prior variance of their smooth part
    shared: float = 0.9                 # of a logit's prior variance, what is the same for both labels; the rest is a label's own
    apart: float = 2.0                  # prior standard deviation of a label's mean logit: two are shares of 2 % and 98 %
    draws: int = 128                    # by which mixtures are chosen


DESIGNED = Designed()
