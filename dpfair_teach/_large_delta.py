"""A warning where delta is so large that it promises nobody anything, made from public numbers."""
from __future__ import annotations

import warnings


class LargeDeltaWarning(UserWarning):
    """delta is 1/m or more, for the m people of ``fit``: who publishes one person in the clear, drawn among the m, keeps that promise.

    Source: ours: nothing is said of a person but with probability 1/m, so (0, 1/m) holds. delta and m are public.
    """


def warn_of_a_large_delta(delta: float, m: int) -> None:
    """Of a fit with these numbers; each fold of a cross-validation is one, see :class:`SmallGroupWarning`."""
    if delta >= 1 / m:
        warnings.warn(f"delta = {delta:g} is 1/m or more for the m people of fit: such a promise may publish one person in the clear. "
                      "Choose a delta well below 1/m.", LargeDeltaWarning, stacklevel=3)
