"""Intervals by the bootstrap: how far would a mean over repeats move if the repeats were drawn again?"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["bootstrap_interval", "bootstrap_means"]

#: How often repeats are drawn again for an interval.
RESAMPLES = 1000
_COUNTS_AT_ONCE = 10**7  # 80 MB; the stream does not depend on it


def bootstrap_means(values: ArrayLike, rng: np.random.Generator, *, resamples: int = RESAMPLES) -> np.ndarray:
    """Means over repeats drawn again with replacement, (resamples, ...); the same draw of repeats for all trailing entries.

    Source: none in the papers; B. Efron's percentile bootstrap.

    Parameters
    ----------
    values : array_like, shape (R, ...), R >= 2
    rng : numpy.random.Generator
    resamples : int from 2 to a million

    Returns
    -------
    ndarray, shape (resamples, ...)

    Examples
    --------
    >>> bootstrap_means([1., 1., 1.], np.random.default_rng(0), resamples=2).tolist()
    [1.0, 1.0]
    """
    values = _repeats(values)
    rng, resamples = check.rng(rng), check.integer("resamples", resamples, low=2, high=10**6)
    check.size(resamples, values.shape[1:], "resamples")
    # How often each repeat is drawn is one multinomial vector a resample.
    n, at_once = len(values), max(1, _COUNTS_AT_ONCE // len(values))
    return np.concatenate([
        np.tensordot(rng.multinomial(n, np.full(n, 1 / n), size=min(at_once, resamples - start)) / n, values, axes=1)
        for start in range(0, resamples, at_once)])


def _repeats(values: ArrayLike) -> np.ndarray:
    """Values with one entry a repeat, of which there must be two."""
    values = check.array("values", values, low=-1e150, high=1e150)
    if values.ndim == 0 or len(values) < 2 or values.size == 0:
        check.refuse("values", values.shape, "needs at least two repeats along its first axis",
                     "Run more repeats: one draw says nothing about its own spread.")
    return values


def bootstrap_interval(values: ArrayLike, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, lower and upper end of its 95 % percentile interval over repeats drawn again, for each trailing entry.

    Source: none in the papers; B. Efron's percentile bootstrap.

    Parameters
    ----------
    values, rng : as in :func:`bootstrap_means`

    Returns
    -------
    (ndarray, ndarray, ndarray), each of shape ``values.shape[1:]``

    Examples
    --------
    >>> mean, low, high = bootstrap_interval(np.arange(100.), np.random.default_rng(0))
    >>> float(mean), bool(43 < low < mean < high < 56)
    (49.5, True)
    """
    values = _repeats(values)
    low, high = np.quantile(bootstrap_means(values, rng, resamples=RESAMPLES), [0.025, 0.975], axis=0)
    return values.mean(axis=0), low, high


def columns_with_interval(name: str, read: Callable[[np.ndarray], float], mean: np.ndarray, resampled: np.ndarray) -> dict[str, float]:
    """Columns ``name``, ``name_low``, ``name_high``: what ``read`` says of the mean, and its 95 % interval over resampled means, or NaN."""
    again = np.array([read(one) for one in resampled])
    low, high = np.quantile(again, [.025, .975]) if not np.isnan(again).any() else (np.nan, np.nan)
    return {name: float(read(mean)), f"{name}_low": float(low), f"{name}_high": float(high)}
