"""What each accountant says as the number of steps grows: the curves of one figure."""
from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from .. import _checks as check
from ..mechanisms.gaussian import log_delta
from .kinds import KINDS
from .loss_distribution import coarse_epsilon
from .optimal import optimal_composition
from .records import UNIT_A, Release
from .together import ACCOUNTANTS, compose

__all__ = ["epsilon_by_steps"]


def _gaussian_epsilon(ratio: float, delta: float) -> float:
    """The smallest epsilon at which Gaussian noise has at most ``delta``, at sensitivity / standard deviation = ``ratio``."""
    target = math.log(delta)
    if log_delta(ratio, 0.0) <= target:
        return 0.0
    most = ratio**2 / 2 + ratio * math.sqrt(-2 * target)     # mean plus the Gaussian tail: delta is met there
    epsilon = optimize.brentq(lambda epsilon: max(log_delta(ratio, epsilon), -1e4) - target, 0.0, most, xtol=1e-12)
    while log_delta(ratio, epsilon) > target:                # the root's last digit, on the safe side
        epsilon += 1e-12 + 1e-15 * epsilon
    return epsilon


def epsilon_by_steps(mechanism: str, epsilon0: float, steps: ArrayLike, delta: float, accountants: tuple[str, ...] | None = None,
                     ) -> dict[str, np.ndarray]:
    """epsilon against the number of steps, for every accountant: what k runs of one mechanism come to, at one delta.

    Source: the methods of :func:`compose`. Gaussian runs have the standard deviation that makes one run (epsilon0, delta)-private.
    k of them are one run with sqrt(k) times the sensitivity, which gives the further curve "exact"; basic composition
    gives each run delta / k, the optimal one the best of four shares of it.

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
    check.choice("mechanism", mechanism, tuple(KINDS))
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
    scale, delta0 = KINDS[mechanism].scale, delta if mechanism == "gaussian" else 0.0
    one = Release(mechanism, UNIT_A, 1.0, scale(1.0, epsilon0, delta0), epsilon0, delta0) if scale else Release(
        mechanism, UNIT_A, None, None, epsilon0)
    sharper: dict[str, Callable[[int], float]] = {"pld": lambda k: coarse_epsilon(_times(one, k), delta)}
    if mechanism == "gaussian":             # any split of delta between the runs is allowed, not only the record's
        ratio = 1 / one.scale
        sharper["basic"] = lambda k: k * _gaussian_epsilon(ratio, delta / k)
        sharper["optimal"] = lambda k: min(optimal_composition(_gaussian_epsilon(ratio, share * delta / k), k, delta, share * delta / k)
                                           for share in (0.1, 0.5, 0.9, 0.99))
    curves = {name: _curve(sharper.get(name, lambda k, name=name: compose(_times(one, k), delta, name)), steps) for name in accountants}
    if mechanism == "gaussian":
        curves["exact"] = _curve(lambda k: _gaussian_epsilon(math.sqrt(k) * ratio, delta), steps)
    return curves


def _times(record: Release, k: int) -> Release:
    return Release(record.mechanism, record.unit, record.sensitivity, record.scale, record.epsilon, record.delta, times=k)


def _curve(epsilon: Callable[[int], float], steps: np.ndarray) -> np.ndarray:
    """epsilon(k) for each number of steps; nan where it is refused."""
    values = np.full(steps.shape, np.nan)
    for i, k in enumerate(steps.tolist()):
        try:
            values[i] = epsilon(k)
        except ValueError:
            continue
    return values
