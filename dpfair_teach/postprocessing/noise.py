"""What a private post-processing algorithm publishes: noisy tables.

Privacy unit, everywhere: one person's A changes, X and Y are public. The base never saw A, so yhat is public too, and with it the
margins N[yhat, y], the number of people with each prediction and label.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .. import mechanisms
from ._people import checked_epsilon, people_of, whole_people
from .knorm import k_norm_counts, nearest_whole

__all__ = ["clip_counts", "noisy_counts", "public_margin_counts"]

Noise = Literal["laplace", "geometric", "exact"]
MarginNoise = Literal["laplace", "geometric", "exact", "k_norm"]
NOISES: tuple[Noise, ...] = get_args(Noise)
MARGIN_NOISES: tuple[MarginNoise, ...] = get_args(MarginNoise)


def noisy_counts(counts: ArrayLike, epsilon: float, rng: np.random.Generator,
                 size: int | tuple[int, ...] | None = None, noise: Noise = "laplace") -> np.ndarray:
    """Algorithm 1's table: every cell plus independent noise of scale 2 / epsilon people.

    Source: supplement and main text, Algorithm 1: Lap(2 / (m epsilon)) on every frequency; Lemma 2.1 gives the sensitivity 2 people.
    epsilon-differentially private, for Laplace noise in real numbers: see the caveat in ``noise``.

    Parameters
    ----------
    counts : (b, k, 2) array [yhat, a, y], in people, k >= 2; whole numbers but for ``noise="laplace"``
    epsilon : float >= 1e-9
    rng : numpy.random.Generator
    size : int or tuple, optional
        Independent repeats, as leading axes.
    noise : str
        ``laplace``, as printed, for study: doubles hold only some real numbers, and which ones a count plus noise can reach depends
        on the count, so the last bits of an output may give it away (Mironov 2012). ``geometric``: two-sided, in whole numbers, which
        have no such bits; for use, at an epsilon that is not tiny (see the notes of :func:`dpfair_teach.mechanisms.geometric`: below
        about 1e-3 the claim is for the ideal law), and a generator of numpy is no cryptographic one. ``exact``: the same law drawn without
        floating point, slowly (:func:`dpfair_teach.mechanisms.exact_geometric`).

    Returns
    -------
    size + (b, k, 2) array, in people; entries and sums may be negative.

    Raises
    ------
    ValueError
        A table with negative or non-finite entries, or of fractions that sum to less than 2 (frequencies: multiply by m); epsilon below
        1e-9, no Generator; fractions of people with noise in whole numbers.

    Examples
    --------
    >>> ten = [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    >>> noisy_counts(ten, epsilon=1, rng=np.random.default_rng(0), size=100).shape
    (100, 2, 2, 2)
    """
    counts = people_of(counts)
    draw = _mechanism(counts, check.choice("noise", noise, NOISES))
    return draw(counts, 2, checked_epsilon(epsilon), rng, size).astype(float)


def public_margin_counts(counts: ArrayLike, epsilon: float, rng: np.random.Generator,
                         size: int | tuple[int, ...] | None = None, noise: MarginNoise | None = None) -> np.ndarray:
    """A private table that keeps the public margins N[yhat, y] exactly.

    Source: ours, sharpening Algorithm 1. One changed A moves one person inside one (yhat, y). Two groups: group 1's counts, one for each
    (yhat, y), have l1 sensitivity 1 together; each gets noise of scale 1 / epsilon, is clipped to [0, N[yhat, y]], and group 0 gets the
    rest. More groups: noise that keeps the sums, :func:`k_norm_counts`; or (``laplace``, ``geometric``) noise of scale 2 / epsilon on every
    cell, which is more of it; then for each (yhat, y) the nearest nonnegative k numbers with sum N[yhat, y]. epsilon-differentially
    private (clipping and projecting are post-processing), for Laplace noise in real numbers.

    Parameters
    ----------
    counts : (b, k, 2) array [yhat, a, y], in people, k >= 2; whole numbers but for ``noise="laplace"``
    epsilon : float >= 1e-9
    rng : numpy.random.Generator
    size : int or tuple, optional
        Independent repeats, as leading axes.
    noise : str, optional
        ``laplace``, or ``geometric`` (two-sided, for whole numbers), as in :func:`noisy_counts`; ``k_norm``, in whole numbers, the same law
        as ``geometric`` for two groups; ``exact``, the law of ``k_norm`` drawn without floating point, slowly. None: ``laplace`` for two
        groups, ``k_norm`` for more, whose variance is the smaller (:func:`k_norm_variance`).

    Returns
    -------
    size + (b, k, 2) array, in people, nonnegative, with the margins of ``counts``. A (group, label) may come out empty.

    Raises
    ------
    ValueError
        As :func:`noisy_counts`.

    Examples
    --------
    >>> ten = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]])
    >>> noisy = public_margin_counts(ten, epsilon=1, rng=np.random.default_rng(0), size=5)
    >>> bool(np.allclose(noisy.sum(axis=-2), ten.sum(axis=-2)))
    True
    """
    counts = people_of(counts)
    k = counts.shape[-2]
    noise = margin_noise(noise, k)
    margin = counts.sum(axis=-2)                                        # (b, 2): public
    if noise == "k_norm" or (noise == "exact" and k > 2):
        noisy = k_norm_counts(counts, epsilon, rng, size, exact=noise == "exact")
        return np.moveaxis(nearest_whole(np.moveaxis(noisy, -2, -1), margin.astype(np.int64)), -1, -2).astype(float)
    draw, epsilon = _mechanism(counts, noise), checked_epsilon(epsilon)
    if k == 2:
        ones = np.clip(draw(counts[:, 1], margin_sensitivity(k, noise), epsilon, rng, size), 0, margin)
        return np.stack([margin - ones, ones], axis=-2).astype(float)
    noisy = np.moveaxis(draw(counts, margin_sensitivity(k, noise), epsilon, rng, size), -2, -1)   # (..., b, 2, k)
    return np.moveaxis(_nearest_with_sum(noisy, margin), -1, -2)


def margin_sensitivity(k: int, noise: str) -> int:
    """How far, in people, one changed A takes what :func:`public_margin_counts` adds noise to.

    In l1 one group's counts if k = 2, else all of them; in the K-norm, which counts who moved, the whole table.
    """
    return 1 if k == 2 or noise in ("k_norm", "exact") else 2


def _nearest_with_sum(x: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Euclidean projection of the last axis onto {nonnegative, sum = total}: max(x - t, 0) for the one t that fits."""
    ordered = -np.sort(-x, axis=-1)
    excess = np.cumsum(ordered, axis=-1) - total[..., None]
    thresholds = excess / np.arange(1, x.shape[-1] + 1)
    positive = np.maximum((ordered > thresholds).sum(axis=-1, keepdims=True), 1)
    out = np.maximum(x - np.take_along_axis(thresholds, positive - 1, axis=-1), 0.0)
    sums = out.sum(axis=-1, keepdims=True)
    return out * (total[..., None] / np.where(sums == 0, 1.0, sums))    # a margin of 0, and the last rounding


def clip_counts(counts: ArrayLike) -> np.ndarray:
    """Another way to make a noisy table usable, beside ``lift_unusable``: no negative cell, no empty (group, label).

    Negative entries become 0; a (a, y) that then holds nobody gets half a person on each prediction, rates of one half.
    Source: ours. Post-processing, so it costs no privacy.

    Parameters
    ----------
    counts : (..., b, k, 2) array [yhat, a, y], in people

    Returns
    -------
    (..., b, k, 2) array, nonnegative, every (a, y) above 0

    Raises
    ------
    ValueError
        Not a table.

    Examples
    --------
    >>> clip_counts([[[-1.5, 3], [2, -2]], [[4, 1], [0, -1]]])[:, 1]   # group 1: nobody is left with label 1
    array([[2. , 0.5],
           [0. , 0.5]])
    """
    clipped = np.maximum(check.table("counts", counts), 0.0)
    return np.where((clipped.sum(axis=-3) == 0)[..., None, :, :], 0.5, clipped)


def _mechanism(counts: np.ndarray, noise: str) -> Callable[..., np.ndarray]:
    """The mechanism of that name, if it can serve the table."""
    if noise == "laplace":
        return mechanisms.laplace
    whole_people(counts)
    return mechanisms.geometric if noise == "geometric" else mechanisms.exact_geometric


def margin_noise(noise: MarginNoise | None, k: int) -> Any:
    """The noise of public margins, checked: without a word, the smallest for so many groups."""
    return check.choice("noise", ("laplace" if k == 2 else "k_norm") if noise is None else noise, MARGIN_NOISES)
