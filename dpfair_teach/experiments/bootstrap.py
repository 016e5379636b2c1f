"""Intervals by the bootstrap: how far would a mean over repeats move if the repeats were drawn again?"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["bootstrap_interval", "bootstrap_means"]

_COUNTS_AT_ONCE = 10**7  # 80 MB; the stream does not depend on it


def _repeats(values: ArrayLike, keep: ArrayLike | None) -> tuple[np.ndarray, np.ndarray]:
    """Values with one row a repeat, and 0/1 for the repeats that count; at least two must."""
    values = check.array("values", values, low=-1e150, high=1e150)
    if values.ndim == 0 or len(values) < 2 or values.size == 0:
        check.refuse("values", values.shape, "needs at least two repeats along its first axis",
                      "Run more repeats: one draw says nothing about its own spread.")
    if keep is None:
        return values, np.ones(len(values))
    kept = check.labels("keep", keep).astype(float)
    if len(kept) != len(values):
        check.refuse("keep", kept.shape, f"values has {len(values)} repeats, keep has {len(kept)} entries", "Give one entry a repeat.")
    if kept.sum() < 2:
        check.refuse("keep", int(kept.sum()), "keeps fewer than two repeats", "Run more repeats, or keep more of them.")
    return values, kept


def bootstrap_means(values: ArrayLike, rng: np.random.Generator, *, keep: ArrayLike | None = None,
                    resamples: int = 1000) -> np.ndarray:
    """Means over repeats drawn again with replacement; the same draw of repeats for all trailing entries.

    Source: none in the papers; B. Efron's percentile bootstrap.

    Parameters
    ----------
    values : array_like, shape (R, ...)
        One entry a repeat along the first axis, R >= 2.
    rng : numpy.random.Generator
        Draws the resamples.
    keep : array_like of 0/1, shape (R,), optional
        Repeats with 0 do not count: only the others are drawn from.
    resamples : int
        How many, 2 to a million.

    Returns
    -------
    ndarray, shape (resamples, ...)

    Raises
    ------
    ValueError
        Where fewer than two repeats count, a value is not finite, or an argument has the wrong type.

    Examples
    --------
    >>> bootstrap_means([1., 1., 1.], np.random.default_rng(0), resamples=2).tolist()
    [1.0, 1.0]
    """
    values, kept = _repeats(values, keep)
    rng, resamples = check.rng(rng), check.integer("resamples", resamples, low=2, high=10**6)
    check.size(resamples, values.shape[1:], "resamples")
    # Only the repeats that count are resampled: how often each is drawn is one multinomial vector a resample.
    counted = values[kept == 1]
    n, at_once = len(counted), max(1, _COUNTS_AT_ONCE // len(counted))
    return np.concatenate([
        np.tensordot(rng.multinomial(n, np.full(n, 1 / n), size=min(at_once, resamples - start)) / n, counted, axes=1)
        for start in range(0, resamples, at_once)])


def bootstrap_interval(values: ArrayLike, rng: np.random.Generator, *, keep: ArrayLike | None = None,
                       resamples: int = 1000, level: float = 0.95) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean over repeats and its percentile interval, for each trailing entry.

    Source: none in the papers; B. Efron's percentile bootstrap.

    Parameters
    ----------
    values, rng, keep, resamples : as in :func:`bootstrap_means`
    level : float
        Coverage aimed at, in (0, 1).

    Returns
    -------
    (ndarray, ndarray, ndarray), each of shape ``values.shape[1:]``
        Mean, lower end, upper end.

    Raises
    ------
    ValueError
        As :func:`bootstrap_means`, and where ``level`` is outside (0, 1).

    Examples
    --------
    >>> mean, low, high = bootstrap_interval(np.arange(100.), np.random.default_rng(0))
    >>> float(mean), bool(43 < low < mean < high < 56)
    (49.5, True)
    """
    level = check.number("level", level, low=0.0, high=1.0, low_open=True, high_open=True)
    means = bootstrap_means(values, rng, keep=keep, resamples=resamples)
    values, kept = _repeats(values, keep)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return values[kept == 1].mean(axis=0), low, high


def columns_with_interval(name: str, read: Callable[[np.ndarray], float], mean: np.ndarray, resampled: np.ndarray) -> dict[str, float]:
    """Columns ``name``, ``name_low``, ``name_high``: what ``read`` says of the mean, and its 95 % percentile interval over resampled means.

    NaN at both ends where ``read`` says NaN of one of them.
    """
    again = np.array([read(one) for one in resampled])
    low, high = np.quantile(again, [.025, .975]) if not np.isnan(again).any() else (np.nan, np.nan)
    return {name: float(read(mean)), f"{name}_low": float(low), f"{name}_high": float(high)}
