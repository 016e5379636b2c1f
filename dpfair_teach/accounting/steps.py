"""What each accountant says as the number of steps grows: the curves of one figure."""
from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms import MECHANISMS, UNIT_A, Name, Release
from .adding import ACCOUNTANTS, Accountant, compose
from .loss_distribution import coarse_epsilon

__all__ = ["epsilon_by_steps"]


def epsilon_by_steps(mechanism: Name, epsilon0: float, steps: ArrayLike, delta: float,
                     accountants: tuple[Accountant, ...] | None = None) -> dict[str, np.ndarray]:
    """epsilon against the number of steps, for every accountant: what k runs of one mechanism come to, at one delta.

    Source: the methods of :func:`compose`. Gaussian runs have the standard deviation that makes one run (epsilon0, delta)-private.
    k of them are one run with sqrt(k) times the sensitivity, which gives the further curve "exact"; how the others split delta between
    the runs stands at :func:`compose`.

    Parameters
    ----------
    mechanism : "laplace", "geometric" (sensitivity 1), "gaussian", "exponential" or "randomized response"
    epsilon0 : float in [1e-4, 50]
        Of one run.
    steps : int array (n,), from 1 to a million
        The numbers of steps.
    delta : float in [1e-10, 1)
        Of all steps together.
    accountants : tuple of names, optional
        Some of ``ACCOUNTANTS``; all of them by default. "pld" takes most of the time.

    Returns
    -------
    dict name -> array (n,)
        nan where an accountant does not apply or refuses.

    Raises
    ------
    ValueError
        A mechanism or an accountant that does not exist; a number out of range.

    Examples
    --------
    >>> for name, epsilon in epsilon_by_steps("laplace", 0.1, [1, 100, 10_000], 1e-6, ("basic", "advanced", "optimal", "rdp")).items():
    ...     print(name, epsilon.round(2).tolist())
    basic [0.1, 10.0, 1000.0]
    advanced [1.05, 10.51, 105.13]
    optimal [0.1, 4.77, 96.57]
    rdp [0.1, 4.98, 98.12]
    """
    check.choice("mechanism", mechanism, tuple(MECHANISMS))
    epsilon0 = check.number("epsilon0", epsilon0, low=1e-4, high=50.0)
    steps = check.filled("steps", check.whole_numbers("steps", steps, low=1, high=10**6), "number of steps")
    if steps.ndim != 1:
        check.refuse("steps", steps.shape, "not a list of numbers", "Give one axis.")
    delta = check.number("delta", delta, low=1e-10, high=1.0, high_open=True)
    if accountants is None:
        accountants = ACCOUNTANTS
    elif not isinstance(accountants, (tuple, list)):
        check.refuse("accountants", accountants, "not a tuple of names", f"Take some of {', '.join(ACCOUNTANTS)}.")
    for name in accountants:
        check.choice("accountants", name, ACCOUNTANTS)
    known = MECHANISMS[mechanism]
    numbers: dict[str, Any] = known.at(epsilon0, delta)
    one = Release(mechanism, UNIT_A, **numbers)
    sharper: dict[str, Callable[[int], float]] = {"pld": lambda k: coarse_epsilon(one.with_times(k), delta)}
    curves: dict[str, np.ndarray] = {name: _curve(sharper.get(name) or partial(_composed, one, delta, name), steps) for name in accountants}
    if known.epsilon_at(one, delta) is not None:
        curves["exact"] = _curve(lambda k: known.epsilon_at(one.with_times(k), delta), steps)
    return curves


def _composed(one: Release, delta: float, method: Accountant, k: int) -> float:
    return compose(one.with_times(k), delta, method)


def _curve(epsilon: Callable[[int], Any], steps: np.ndarray) -> np.ndarray:
    """epsilon(k) for each number of steps; nan where it is refused."""
    values = np.full(steps.shape, np.nan)
    for i, k in enumerate(steps.tolist()):
        try:
            values[i] = epsilon(k)
        except ValueError:
            continue
    return values
