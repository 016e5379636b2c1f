"""Prices, and the least that is charged: below it there are no digits left of which noise could be made."""
from __future__ import annotations

import numpy as np

__all__: list[str] = []     # the private players and the private oracle charge by it

#: Prices below this are 0.
LEAST_PRICE = 1e-200


def charged(price: np.ndarray, axes: int | tuple[int, ...] = -1) -> np.ndarray:
    """The prices as a private player charges them: 0 where the largest over ``axes`` is below 1e-200.

    Source: ours. Far inside the tolerance prices shrink round by round, and a private player's noise, which is made for them, shrinks with
    them: in the end sensitivity over step is rounded to 0, and the answer has no noise, while the private numbers that it reads still
    differ.

    Prices are public, so this is a function of public numbers, and a player who is private at all prices is so at these. What is left is 0
    everywhere, and then what the player reads of the private numbers is 0 too, whatever they are. Or one price is 1e-200 at least. People,
    denominators and N are below 1e17, epsilon' below 1e7 (each is checked): so the range of the prices per person of that label, whose sum
    over the groups is 0, is at least 1e-217, and the noise's scale, that over epsilon', at least 1e-224. Both are normal doubles (from
    2.2e-308 on), right to 2^-53 of themselves. Products of smaller prices may be lost below 4.9e-324: of the scale less than 1e-99.
    """
    return np.where(np.abs(price).max(axis=axes, keepdims=True) < LEAST_PRICE, 0.0, price)
