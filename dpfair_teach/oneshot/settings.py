"""The numbers of one-shot learning, chosen on drawn populations; by the stored table some of their neighbours are a little better.

Those marked "not varied" stand as they were first written.

Experiment ``left_tuning`` changes one of the others at a time, at m = 2,000: the share at three epsilons, the rest at epsilon 1. Not in it
either: the grid of multipliers (``candidates``) and the logistic's C (``_public``). Chapter 14 says what had been seen of the data of
the book before each choice.
"""
from __future__ import annotations

from dataclasses import dataclass

from .. import _checks as check

__all__ = ["suggested_cells"]


@dataclass(frozen=True)
class Settings:
    """Constants of the default learner; lengths are in units of the first principal component's standard deviation."""

    share: float = 0.5                  # of epsilon for the first release; the rest audits
    score_weight: float = 1.0           # of the base score on the map, beside the principal components
    landmarks: int = 150                # not varied
    length: float = 2.0                 # over which P(A = 1 | x) is alike
    linear: float = 0.02                # prior variance of its slope along the map
    smooth: float = 0.1                 # prior variance of its smooth part
    residual: float = 0.6               # share of mean (1 - mean) that x does not tell
    support: tuple[float, ...] = (0.0,)  # the gammas whose mixtures are audited; not varied
    coordinates: int = 12               # of the map whose sums the method "sums" asks for, the base score among them; not varied


DEFAULTS = Settings()


@dataclass(frozen=True)
class Designed(Settings):
    """Constants of the method ``designed``, whose prior is one of logits.

    Experiment ``designed_tuning`` changes one at a time; most of its neighbours are as good.
    """

    length: float = 3.0
    linear: float = 0.3
    smooth: float = 1.6
    shared: float = 0.9                 # of a logit's prior variance, what is the same for both labels; the rest is a label's own
    apart: float = 2.0                  # prior standard deviation of a label's mean logit: two are shares of 2 % and 98 %
    slope: float = 0.5                  # how a label's share of epsilon for the first question grows with its share of the people
    cells: float = 0.67                 # of the first question: this times (n epsilon) to the power of ``growth``
    growth: float = 0.6                 # not varied
    draws: int = 128                    # by which mixtures are chosen


DESIGNED = Designed()
# The same for all settings: another number of cells is an argument of the learner.
CELLS = 28.0                            # a label at m = 2,000 and epsilon = 1
GROWTH = 0.6                            # how their number grows with m epsilon; not in the table, which has one m


def suggested_cells(m: int, epsilon: float) -> int:
    """How many public cells a label the first histogram gets, from public numbers only.

    Source: ours; the number at m = 2,000 and epsilon = 1 is in experiment ``left_tuning``, with half and twice as many. The growth with
    m epsilon is a rule of thumb: no stored table varies it.

    Parameters
    ----------
    m : int >= 1
        People.
    epsilon : float in [1e-9, 1e9]
        Of the whole learner.

    Returns
    -------
    int, from 4 to 400

    Examples
    --------
    >>> [suggested_cells(2000, epsilon) for epsilon in (.1, .5, 1, 2, 5)]
    [7, 18, 28, 42, 73]
    """
    m, epsilon = check.integer("m", m, low=1), check.number("epsilon", epsilon, low=1e-9, high=1e9)
    return int(min(max(4, CELLS * (min(m, 10**12) * epsilon / 2000) ** GROWTH), 400))
