"""What a private post-processing algorithm publishes: noisy tables.

Privacy unit, everywhere: one person's A changes, X and Y are public. The base never saw A, so yhat is public too, and with it the
margins N[yhat, y], the number of people with each prediction and label.
"""
from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms import UNIT_A, Measurement

__all__ = ["k_norm_counts", "noisy_counts", "public_margin_counts"]

MarginNoise = Literal["laplace", "geometric", "k_norm"]
MARGIN_NOISES: tuple[MarginNoise, ...] = get_args(MarginNoise)
LEAST_EPSILON = 1e-9    # noise of scale 2e9 people; so every noisy table stays within what a table may hold
MOST_EPSILON = 1e9      # the most that a record of a release takes


@check.formerly(noise="It is Laplace noise on a public grid; k_norm_counts and public_margin_counts have less of it.")
def noisy_counts(counts: ArrayLike, epsilon: float, rng: np.random.Generator, size: int | tuple[int, ...] | None = None, *,
                 as_printed: bool = False) -> np.ndarray:
    """Algorithm 1's table: every cell plus independent Laplace noise of scale 2 / epsilon people, on a public grid.

    Source: supplement and main text, Algorithm 1: Lap(2 / (m epsilon)) on every frequency; Lemma 2.1 gives the sensitivity 2 people. The
    grid, about a thousandth of the scale, costs no epsilon; without it the last bits of a double may give a count away (Mironov 2012).

    Parameters
    ----------
    counts : (b, k, 2) array [yhat, a, y], in people, k >= 2
    epsilon : float in [1e-9, 1e9]
    rng : numpy.random.Generator
    size : int or tuple, optional
        Independent repeats, as leading axes.
    as_printed : bool
        Raw doubles in place of the grid, for study: then epsilon holds for real numbers.

    Returns
    -------
    size + (b, k, 2) array, in people; entries and sums may be negative.

    Examples
    --------
    >>> ten = [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    >>> noisy_counts(ten, epsilon=1, rng=np.random.default_rng(0), size=100).shape
    (100, 2, 2, 2)
    """
    counts = people_of(counts)
    return draw_table(counts, table_noise(counts.shape[1], epsilon, as_printed=as_printed), rng, size, keep_margins=False)


def public_margin_counts(counts: ArrayLike, epsilon: float, rng: np.random.Generator,
                         size: int | tuple[int, ...] | None = None, noise: MarginNoise | None = None, *,
                         as_printed: bool = False) -> np.ndarray:
    """A private table that keeps the public margins N[yhat, y] exactly.

    Source: ours, sharpening Algorithm 1. One changed A moves one person inside one (yhat, y). Two groups: group 1's counts, one for each
    (yhat, y), get noise of scale 1 / epsilon, are clipped to [0, N[yhat, y]], and group 0 gets the rest. More groups: noise that keeps the
    sums, :func:`k_norm_counts`; or noise of scale 2 / epsilon on every cell, which is more of it; then for each (yhat, y) the nearest
    nonnegative k numbers with sum N[yhat, y].

    Parameters
    ----------
    counts : (b, k, 2) array [yhat, a, y], in people, k >= 2; whole numbers but for ``noise="laplace"``
    epsilon : float in [1e-9, 1e9]
    rng, size : as in :func:`noisy_counts`
    noise : str, optional
        ``geometric``: two-sided, in whole numbers, as None takes for two groups; ``k_norm``: in whole numbers, as None takes for more, and
        for two groups the same law as ``geometric``; ``laplace``.
    as_printed : bool
        Of Laplace noise, as in :func:`noisy_counts`.

    Returns
    -------
    size + (b, k, 2) array, in people, nonnegative, with the margins of ``counts``. A (group, label) may come out empty.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]])
    >>> noisy = public_margin_counts(ten, epsilon=1, rng=np.random.default_rng(0), size=5)
    >>> bool(np.allclose(noisy.sum(axis=-2), ten.sum(axis=-2)))
    True
    """
    counts = people_of(counts)
    noise = margin_noise(noise, counts.shape[1])
    counts = counts if noise == "laplace" else whole_people(counts)
    return draw_table(counts, table_noise(counts.shape[1], epsilon, noise, as_printed=as_printed), rng, size, keep_margins=True)


def table_noise(k: int, epsilon: float, margins: MarginNoise | None = None, *, relation: str | None = None,
                as_printed: bool = False) -> Measurement:
    """The mechanism of a table of k groups: noise that keeps the public ``margins``, or Algorithm 1's.

    Sensitivity, in people. Algorithm 1: one changed A moves two cells by one each, 2 in l1. Public margins: in l1 1 where one group's
    counts get the noise (k = 2), else 2; in the K-norm, which counts who moved, 1.
    """
    printed: dict[str, Any] = {"grid": 0} if check.flag("as_printed", as_printed) else {}
    if printed and margins in ("geometric", "k_norm"):
        check.refuse("as_printed", True, f"{margins} noise is in whole numbers", "Leave as_printed out, or choose noise='laplace'.")
    sensitivity = 1 if margins and (k == 2 or margins == "k_norm") else 2
    epsilon = check.number("epsilon", epsilon, low=LEAST_EPSILON, high=MOST_EPSILON)      # before anything is drawn
    return Measurement(margins or "laplace", UNIT_A, sensitivity=sensitivity, epsilon=epsilon, relation=relation, **printed)


def draw_table(counts: np.ndarray, noise: Measurement, rng: np.random.Generator, size: int | tuple[int, ...] | None = None, *,
               keep_margins: bool) -> np.ndarray:
    """What is released of a table of people (b, k, 2), size + (b, k, 2), by the mechanism that :func:`table_noise` made for it."""
    if not keep_margins:
        return noise.invoke(counts, rng, size=size)
    k, margin = counts.shape[1], counts.sum(axis=-2)                    # (b, 2): public
    if noise.mechanism == "k_norm":
        noisy = noise.invoke(np.moveaxis(counts, -2, -1), rng, size=size)                       # (..., b, 2, k)
        return np.moveaxis(nearest_whole(noisy, margin.astype(np.int64)), -1, -2).astype(float)
    if k == 2:
        ones = np.clip(noise.invoke(counts[:, 1], rng, size=size), 0, margin)
        return np.stack([margin - ones, ones], axis=-2).astype(float)
    noisy = np.moveaxis(noise.invoke(counts, rng, size=size), -2, -1)
    return np.moveaxis(_nearest_with_sum(noisy, margin), -1, -2)


def k_norm_counts(counts: ArrayLike, epsilon: float, rng: np.random.Generator, size: int | tuple[int, ...] | None = None,
                  exact: bool = False) -> np.ndarray:
    """Every (yhat, y) gets noise that keeps its public number of people: P(x) proportional to exp(-epsilon ||x||), ||x|| = people moved.

    Source: the K-norm mechanism of Hardt and Talwar 2010, in whole numbers. epsilon-private: one changed A moves one person inside one
    (yhat, y). :func:`public_margin_counts` clips it afterwards.

    Parameters
    ----------
    counts : (b, k, 2) array [yhat, a, y], whole people, k >= 2
    epsilon : float in [1e-9, 1e9]
    rng, size : as in :func:`noisy_counts`
    exact : bool
        Draw in whole numbers, without floating point: about 50 microseconds a group of each (yhat, y).

    Returns
    -------
    size + (b, k, 2) int64 array, in people, with the margins of ``counts``; entries may be negative.

    Examples
    --------
    >>> counts = [[[5, 1], [2, 7], [3, 3]], [[0, 2], [1, 2], [4, 0]]]
    >>> noisy = k_norm_counts(counts, epsilon=1, rng=np.random.default_rng(0), size=100)
    >>> noisy.shape, bool((noisy.sum(axis=-2) == np.sum(counts, axis=-2)).all())
    ((100, 2, 3, 2), True)
    """
    counts = whole_people(people_of(counts)).astype(np.int64)
    epsilon, exact = check.number("epsilon", epsilon, low=LEAST_EPSILON, high=MOST_EPSILON), check.flag("exact", exact)
    check.size(size, counts.shape, most=10**5 if exact else 10**8)
    noise = Measurement("k_norm", UNIT_A, sensitivity=1, epsilon=epsilon, exact=exact)
    return np.moveaxis(noise.invoke(np.moveaxis(counts, -2, -1), rng, size=size), -1, -2)


def margin_noise(noise: MarginNoise | None, k: int) -> Any:
    """The noise of public margins, checked: without a word, the smallest for so many groups."""
    return check.choice("noise", ("geometric" if k == 2 else "k_norm") if noise is None else noise, MARGIN_NOISES)


def _nearest_with_sum(x: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Euclidean projection of the last axis onto {nonnegative, sum = total}: max(x - t, 0) for the one t that fits."""
    ordered = -np.sort(-x, axis=-1)
    excess = np.cumsum(ordered, axis=-1) - total[..., None]
    thresholds = excess / np.arange(1, x.shape[-1] + 1)
    positive = np.maximum((ordered > thresholds).sum(axis=-1, keepdims=True), 1)
    out = np.maximum(x - np.take_along_axis(thresholds, positive - 1, axis=-1), 0.0)
    sums = out.sum(axis=-1, keepdims=True)
    return out * (total[..., None] / np.where(sums == 0, 1.0, sums))    # a margin of 0, and the last rounding


def nearest_whole(x: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The nonnegative whole numbers with sum ``total`` (...) that are nearest to ``x`` (..., k), whole numbers with that sum.

    All give up the same number t, those below it all they have; what is then too much, less than one each, comes off the largest.
    """
    order = np.argsort(-x, axis=-1, kind="stable")
    falling = np.take_along_axis(x, order, axis=-1)
    place = np.arange(1, x.shape[-1] + 1)
    t = ((np.cumsum(falling, axis=-1) - total[..., None]) // place).max(axis=-1, keepdims=True)
    kept = np.maximum(falling - t, 0)
    kept -= place <= kept.sum(axis=-1, keepdims=True) - total[..., None]
    out = np.empty_like(kept)
    np.put_along_axis(out, order, kept, axis=-1)
    return out


def people_of(counts: ArrayLike) -> np.ndarray:
    """One table (b, k, 2) in people."""
    counts = check.table("counts", counts, least_groups=2, low=0.0)
    if counts.ndim != 3:
        check.refuse("counts", counts.shape, "is a batch of tables", "Release one table; size= gives repeats.")
    if not counts.any():                                # their number is public
        check.refuse("counts", 0, "is the sum of the entries: the table holds nobody", "Count at least one person.")
    return check.people("counts", counts)


def whole_people(counts: np.ndarray) -> np.ndarray:
    """The table if it is in whole people, which discrete noise needs."""
    if (counts != np.floor(counts)).any():
        check.refuse("counts", float(counts[counts != np.floor(counts)][0]), "not a whole number of people",
                     "Use noise='laplace' for expected counts.")
    return counts
