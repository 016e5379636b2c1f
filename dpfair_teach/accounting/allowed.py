"""How many steps a budget allows: the other way round than what steps cost."""
from __future__ import annotations

import re
from collections.abc import Iterable

from .. import _checks as check
from ..mechanisms import Release
from .adding import Method, compose
from .records import records_of

__all__ = ["most_steps"]

_MOST = 10**9


def most_steps(step: Release | Iterable[Release], epsilon: float, delta: float = 0.0, *, method: Method = "rdp",
               before: Release | Iterable[Release] = ()) -> int:
    """The largest number of equal steps that stay within (epsilon, delta) together: how long a training may be.

    Source: ours; what the steps cost is :func:`compose`. That grows with their number, so doubling and halving finds it.

    Parameters
    ----------
    step : Release or iterable of Release, or of dp_accounting.DpEvent
        What one step releases.
    epsilon : float in [1e-9, 1e9]
    delta : float in [0, 1)
        As in :func:`compose`; from 1e-300 on for "rdp".
    method : {"basic", "advanced", "long", "optimal", "bounded_range", "rdp", "pld", "best"}
        As in :func:`compose`. "pld" and "best" ask for a loss distribution dozens of times, and take seconds.
    before : Release or iterable of Release
        What is released once, beside the steps.

    Returns
    -------
    int in 0..10^9
        0 where one step is too much.

    Raises
    ------
    ValueError
        ``before`` alone costs more than epsilon; what :func:`compose` refuses.

    Examples
    --------
    >>> from dpfair_teach.accounting import UNIT_A
    >>> noise = Release("gaussian", UNIT_A, sensitivity=1, scale=50.0)
    >>> steps = most_steps(noise, 1.0, 1e-6)
    >>> steps, round(compose([noise] * steps, 1e-6, "rdp"), 4)
    (121, 0.9967)
    """
    each = records_of(step, events=True, name="step")
    once = [] if isinstance(before, (list, tuple)) and not before else records_of(before, events=True, name="before")
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e9)

    def cost(steps: int) -> float:
        records = [*once, *(one.with_times(one.times * steps) for one in each if steps)]
        try:
            return compose(records, delta, method) if records else 0.0
        except ValueError as refused:       # of records that the caller knows by other names
            name = "step" if steps else "before"
            raise ValueError(re.sub("^releases=", f"{name}=", str(refused))) from None
    if cost(0) > epsilon:
        check.refuse("before", once, f"costs {cost(0):.4g} alone, more than epsilon={epsilon:g}", "Release less, or allow more.")

    def fits(steps: int) -> bool:
        return cost(steps) <= epsilon
    low, high, most = 0, 1, min(_MOST, 10**15 // max(one.times for one in each))
    while high <= most and fits(high):
        low, high = high, 2 * high
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
