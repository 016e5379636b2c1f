"""Accounting by the distribution of the privacy loss on a grid, convolved by Google's dp-accounting, imported at the first call."""
from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import _checks as check
from ..mechanisms import Release, mechanism_of
from ..mechanisms.records import package
from .releases import alike, records_of

__all__ = ["pld_epsilon", "pld_delta"]

LEAST_DELTA = 1e-10
_POINTS, _MOST_POINTS, _MOST_RUNS = 10**5, 2 * 10**6, 10**7


def spent_on_failures(records: list[Release]) -> float:
    """1 - prod (1 - delta) over all runs: an (epsilon, delta)-private step is pure except with probability delta."""
    return -math.expm1(sum(r.times * math.log1p(-r.delta) for r in records))


def left_for_the_losses(records: list[Release], delta: float) -> float:
    """What remains of ``delta`` after :func:`spent_on_failures`."""
    spent = spent_on_failures(records)
    if delta <= spent:
        check.refuse("delta", delta, f"the releases alone spend delta = {spent:.6g}", "Allow more than that, or release less.")
    return (delta - spent) / (1 - spent)


def _runs(records: list[Release]) -> int:
    """How many convolutions it takes."""
    return sum(mechanism_of(r.mechanism).convolutions(r) for r in records)


def _rounding(records: list[Release], delta: float) -> float:
    """An allowance for the rounding of floats in a k-fold power of a Fourier transform, measured against exact composition."""
    runs = _runs(records)
    return 1e-14 + 1e-16 * runs + (1e-11 + 8e-14 * runs) * delta


def _interval(records: list[Release], losses: list[tuple[float, float, float]], points: int, pessimistic: bool) -> float:
    """A grid of about ``points`` points, at least 20 a step, on the losses where all steps are alike; shorter steps for a lower bound."""
    runs = [r.times for r in records]
    mean = math.fsum(k * mean for k, (mean, _, _) in zip(runs, losses, strict=True))
    spread = math.sqrt(math.fsum(k * spread * spread for k, (_, spread, _) in zip(runs, losses, strict=True)))
    largest = max(most for _, _, most in losses)
    most = math.fsum(k * most for k, (_, _, most) in zip(runs, losses, strict=True))
    smallest = min(spread for _, spread, _ in losses)
    width = 2 * min(mean + 9 * spread, most)
    interval = min(width / points, smallest / 20)
    if not pessimistic:
        interval = min(interval, 0.02 / _runs(records))
    interval = max(interval, width / _MOST_POINTS, 4 * largest / _MOST_POINTS)      # one run's losses, however rare, are listed
    if all(r.epsilon is not None for r in records) and len({spread for _, spread, _ in losses}) == 1 and interval < smallest:
        interval = smallest / math.ceil(smallest / interval)
    return interval


def _distribution(records: list[Release], pessimistic: bool, points: int = _POINTS) -> Any:
    """The loss distribution of all records, without their failures."""
    alike(records)
    losses = [mechanism_of(r.mechanism).loss(r) for r in records]
    for record, (_, spread, _) in zip(records, losses, strict=True):
        if not 1e-6 <= spread <= 200:
            check.refuse("releases", record, f"a loss of size {spread:g} lies outside [1e-6, 200]: no grid holds it",
                         "Use method='basic' or 'rdp'.")
    if _runs(records) > _MOST_RUNS:
        check.refuse("releases", records[0], f"{_runs(records)} runs: rounding would drown the answer", "Use method='optimal' or 'rdp'.")
    interval = _interval(records, losses, points, pessimistic)
    if interval > 0.1:
        check.refuse("releases", records[0], "the summed loss is so large that no grid holds it", "Use method='optimal' or 'rdp'.")
    package("releases", records[0])
    from dp_accounting.pld import privacy_loss_distribution as pld
    total = pld.identity(interval, pessimistic_estimate=pessimistic)
    how = {"pessimistic_estimate": pessimistic, "value_discretization_interval": interval, "use_connect_dots": pessimistic}
    for record in records:
        total = total.compose(mechanism_of(record.mechanism).losses(pld, record, how))
    return total


@check.formerly(interval="The grid follows the records.")
def pld_epsilon(releases: Release | Iterable[Release], delta: float, *, pessimistic: bool = True) -> float:
    """The epsilon of all releases together, from the distribution of their summed privacy loss on a grid.

    Source: Koskela, Jaelkoe and Honkela 2020 (the method); Doroshenko et al., "Connect the dots", 2022 (the grid); done by dp-accounting.
    Each record is replaced by a pair of laws that is worst for its mechanism; one with a delta is pure except with that probability. The
    steps may be chosen adaptively. The grid has about 100,000 points, at least 20 over the loss of one step.

    Parameters
    ----------
    releases : as in :func:`compose`
    delta : float in [1e-10, 1), at least 1e-14 a run
    pessimistic : bool
        True: an upper bound. False: a lower bound, by about half a step of the grid a run too low. Both allow for the rounding of floats.

    Examples
    --------
    >>> noisy = Release("laplace", "one person's A changes, X and Y public", sensitivity=2, scale=20.0, times=100)
    >>> round(pld_epsilon(noisy, delta=1e-6), 3)
    4.693
    """
    return _epsilon(releases, delta, check.flag("pessimistic", pessimistic), _POINTS)


def coarse_epsilon(record: Release, delta: float) -> float:
    """:func:`pld_epsilon` on a tenth of the points, for many in a row."""
    return _epsilon(record, delta, True, _POINTS // 10)


def _epsilon(releases: object, delta: object, pessimistic: bool, points: int) -> float:
    records = records_of(releases)
    delta = check.number("delta", delta, low=LEAST_DELTA, high=1.0, high_open=True)
    left = left_for_the_losses(records, delta)
    rounding = _rounding(records, left)
    if left < max(LEAST_DELTA, 100 * rounding):
        check.refuse("delta", delta, f"the releases' own deltas leave {left:.3g} of it, and rounding takes up to {rounding:.1g}",
                     "Choose a larger delta, or method='rdp' or 'optimal'.")
    left += -rounding if pessimistic else rounding
    with np.errstate(over="ignore"):
        epsilon = float(_distribution(records, pessimistic, points).get_epsilon_for_delta(left))
    if math.isinf(epsilon):
        check.refuse("delta", delta, "too small for this grid: the mass that rounding put at infinity is larger", "Choose a larger delta.")
    if epsilon > 650:
        check.refuse("releases", records[0], "epsilon is beyond 650, where exp(-epsilon) leaves the range of floats",
                     "Use method='optimal' or 'rdp'.")
    return epsilon


@check.formerly(interval="The grid follows the records.")
def pld_delta(releases: Release | Iterable[Release], epsilon: float, *, pessimistic: bool = True) -> float:
    """The delta of all releases together at this epsilon, from the distribution of their summed privacy loss on a grid.

    Source: as :func:`pld_epsilon`. Below 1e-12 it is mostly the allowance for rounding.

    Parameters
    ----------
    releases : as in :func:`compose`
    epsilon : float in [0, 1e6]
    pessimistic : as in :func:`pld_epsilon`

    Examples
    --------
    >>> noisy = Release("laplace", "one person's A changes, X and Y public", sensitivity=2, scale=20.0, times=100)
    >>> f"{pld_delta(noisy, epsilon=4.693):.2e}"
    '9.98e-07'
    """
    epsilon = check.number("epsilon", epsilon, low=0.0, high=1e6)
    records, pessimistic = records_of(releases), check.flag("pessimistic", pessimistic)
    spent, delta = spent_on_failures(records), float(_distribution(records, pessimistic).get_delta_for_epsilon(epsilon))
    delta += _rounding(records, delta) if pessimistic else -_rounding(records, delta)
    return min(1.0, spent + (1 - spent) * max(0.0, delta))
