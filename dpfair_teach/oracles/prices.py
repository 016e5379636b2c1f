"""Prices, and the least that is charged: below it there are no digits left of which noise could be made."""
from __future__ import annotations

import numpy as np

__all__: list[str] = []     # the private players and the private oracle charge by it

#: Prices below this are 0.
LEAST_PRICE = 1e-200
#: Digits after the first, of the largest price, to which all are rounded: sums of a thousand are then exact.
DIGITS = 40


def charged(price: np.ndarray, axes: int | tuple[int, ...] = -1) -> np.ndarray:
    """The prices as a private player charges them: to 40 digits of the largest over ``axes``, and 0 where that is below 1e-200.

    Source: ours. Far inside the tolerance prices shrink round by round, and a private player's noise, which is made for them, shrinks with
    them: in the end sensitivity over step is rounded to 0, and the answer has no noise, while the private numbers that it reads still
    differ. And a group's price is a sum over the gaps that it is in, of both signs between all pairs: the large ones may cancel, and what
    is left be as small as any of the others, or nothing but rounding, of one sign for all groups.

    Prices are public, so this is a function of public numbers, and a player who is private at all prices is so at these. They are whole
    multiples of one power of two, at most 2^40 of it, and a group is in fewer than 1,000 gaps of a rate: so sums are below 2^51 of it and
    exact, in any order. Over the groups they add up to 0 exactly: those of a rate are all 0, and then what the player reads of the private
    numbers is 0 too, whatever they are; or there is one of either sign, and no price is larger than their range. Where one is not 0, it
    is 2^-41 times 1e-200 at least. People, denominators and N are below 1e17, epsilon' below 1e7 (each is checked): so the range per person
    is at least 1e-230, and the noise's scale, that over epsilon', at least 1e-237. Both are normal doubles (from 2.2e-308 on), right to
    2^-53 of themselves. Products of smaller prices may be lost below 4.9e-324: of the scale less than 1e-86.
    """
    largest = np.abs(price).max(axis=axes, keepdims=True)
    unit = np.ldexp(1.0, np.frexp(np.maximum(largest, LEAST_PRICE))[1] - DIGITS)
    return np.where(largest < LEAST_PRICE, 0.0, np.rint(price / unit) * unit)
