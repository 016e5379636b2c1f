"""What noise gives away because it is drawn in doubles: a cost that no accountant of the laws knows of.

The idea. A law P is drawn as P~, the neighbour's Q as Q~, and every outcome has its own small error, in P~ and in Q~. Let tau be the mass
that P~ has too much somewhere, as Q~ has too little. Cut from P~ what it has beyond P, and of the rest the share that Q~ lacks of Q. What
is left is nowhere more of Q~ than P is of Q, so whatever is proved of P and Q by any accountant holds for it; where P <= exp(epsilon) Q,
what was cut is tau + exp(epsilon) tau at most. In a play every step cuts its own piece, given all before it; steps whose law is the same
for both neighbours cut nothing. So a play is (epsilon, delta + the sum of all pieces)-private: the accountant is handed delta less that.
And where all chances are right to a small share of themselves, those shares are added to epsilon instead.
"""
from __future__ import annotations

import math

from .. import _checks as check

__all__: list[str] = []     # the private plays ask it

UNIT = 2.0**-53             # a double's uniform number is a multiple of it
#: The scale of what the players measure with is less than so many steps of its grid.
STEPS = 2**11
#: Scales that Laplace noise reaches on one side, twice on the other, and what logarithm and product are off: half of 36.04 + 73.48 + 6.
REACH = 60.0
#: Above this, exp(epsilon) units are more than everything.
MOST_EPSILON = 37.0
#: A larger delta promises nothing.
MOST_DELTA = 0.5


def _both(units: float, epsilon: float) -> float:
    return (1 + math.exp(epsilon)) * units * UNIT if epsilon <= MOST_EPSILON else math.inf


def laplace_delta(scale: float, epsilon: float, rounding: float = 0.0) -> float:
    """What one rounded number with Laplace noise gives away, (1 + exp(epsilon)) 60 (scale + 1) 2^-53.

    Source: ours, after Mironov 2012, who looked at the digits of a number that is not rounded. The generator makes the noise from one of
    2^53 equally likely numbers: below 0 the j-th from the far end is -s ln(2^52 / j). So a multiple of the step comes out with a whole
    number of chances of 2^-53, and it should be any real number of them: off by less than 1. There are multiples as far as s ln 2^52 =
    36.04 s. Above 0 the generator takes the logarithm of 2 - U - U, whose first difference is rounded to 2^-52: the j-th is s ln(2^53 / i)
    with i from 2 j - 1 to 2 j + 1, a multiple is off by 2 at most, and the noise ends at 36.74 s. The logarithm is right to 2^-52, the
    product to 2^-53: at u scales that exchanges 1.5 u exp(-u) chances at either end of a multiple, 3 s over a side. Together less than
    120 (s + 1) chances are too many or too few; of either as many, as all add up to 1: tau <= 60 (s + 1) 2^-53. Only a mass of s 2^-52 of
    it are holes, multiples that one neighbour never says: most are chances that are a little too large or too small at multiples that both
    say.

    Parameters
    ----------
    scale : float
        s, in steps of the grid.
    epsilon : float
        By how many scales one person moves the number.
    rounding : float
        How far it is off before it gets its noise, in 2^-53 scales.
    """
    return _both(REACH * (scale + 1) + rounding, epsilon)


def gaussian_cost(scale: float, mu: float, rounding: float = 0.0) -> tuple[float, float]:
    """What one rounded number with Gaussian noise gives away: of epsilon, about 51 scale 2^-53, and hardly anything of delta.

    Source: ours, for the generator's ziggurat (Marsaglia and Tsang 2000): 256 layers with 2^52 equally likely numbers on either side, a
    chance of 2^-61 each, and as many layers at x as that is likely: 256 times 2 (x phi(x) + Phi(-x)). The products are right to 2^-52, so
    in a layer that reaches to x a multiple is off by 3 chances at most. Of its own chance that is 6 (x + Phi(-x) / phi(x)) s 2^-53, less
    than 25 s 2^-53 up to 3.654 sigma, where the layers end: a factor, which counts as epsilon. Both neighbours have one. Tables and
    wedges are right to 2^-45 of every chance; a number that is off by r sigma before it gets its noise has a factor of exp(13 r).
    Beyond 3.654 the noise is that plus exponential times 0.274, from one uniform number: steps widen by exp(3.654 (x - 3.654)), and it
    ends at 12.2. Under the neighbour's law, mu away, what is lost there has a mass below 0.0004 s exp(3.66 mu) 2^-53 and Phi(mu - 12.2).

    Parameters
    ----------
    scale : float
        sigma, in steps of the grid; at least 1,000.
    mu : float
        By how many sigma one person moves the number.
    rounding : float
        As in :func:`laplace_delta`.

    Returns
    -------
    epsilon, delta : floats
    """
    epsilon = (51 * (scale + 1) + 2**9 + 26 * rounding) * UNIT
    if mu > 10:
        return epsilon, math.inf
    return epsilon, 0.0004 * scale * (1 + math.exp(3.66 * mu)) * UNIT + math.erfc((12.2 - mu) / math.sqrt(2)) / 2


def choice_delta(n: int, epsilon: float, rounding: float = 0.0) -> float:
    """What one choice by the exponential mechanism gives away, (1 + exp(epsilon)) (2 n + 300 + rounding) 2^-53.

    Source: ours. Each of the n classifiers gets Gumbel noise -ln(-ln U) from a multiple U of 2^-53. Exchange one U for an exact one, the
    others as they are: this classifier wins above some threshold, and that chance is off by 2^-53 at most; if it does not win, the others
    are as before. So tau is at most 2^-53 for each classifier, as much again for the one U that is never drawn. Who is 41 scales worse than
    the best is never chosen and should be with less than exp(-41). Losses, noise and their sum are rounded: that is
    another law, with scores off by r, and chances by less than r of each.

    Parameters
    ----------
    n : int
        Classifiers.
    epsilon : float
        Of the choice.
    rounding : float
        How far a loss is off, in 2^-53 of the noise's scale.
    """
    return _both(2 * n + 300 + rounding, epsilon)


def losses_off(rates: int, people: float, epsilon: float) -> float:
    """How far losses are off, those that a choice of this epsilon may still fall on, in 2^-53 of the noise's scale.

    Source: ours. A loss is its error and a sum over all rates of price times count, or price times rate. The noise's scale is at least the
    largest price of one person over epsilon, as prices of one rate are of both signs, and all counts together are at most all people: so
    the sum is at most people times epsilon scales, and every addition and product rounds by 2^-53 of that; an error that matters is at
    most three times as large.
    """
    return (rates + 6) * people * epsilon


def refuse_delta_below(least: float, delta: float, epsilon: float, rounds: int) -> None:
    """Where no delta of use is above it, the fault is not delta's."""
    if delta > least:
        return
    if least >= MOST_DELTA:
        check.refuse("epsilon, rounds", (epsilon, rounds), f"at which noise in doubles gives away more than any delta of use: "
                     f"delta={delta:g} is not above {least:.3g}, as its chances are multiples of 2^-53", "Choose a smaller epsilon.")
    check.refuse("delta", delta, f"not above {least:.3g}, what noise in doubles gives away here: its chances are multiples of "
                 "2^-53, for a data set and for its neighbour", "Choose a larger delta, a moderate epsilon, or play fewer rounds.")
