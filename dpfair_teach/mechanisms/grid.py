"""Noisy numbers on a public grid, so that their low digits tell nothing of what they cover."""
from __future__ import annotations

import numpy as np

__all__: list[str] = []     # what draws noise rounds it here

#: No step is finer, as an exponent of 2: of finer ones there is room for no number. A coarser grid is post-processing too.
_FINEST = -900


def grid_step(scale: np.ndarray | float) -> np.ndarray:
    """The step of the grid of a noise of this scale: a power of two between a 2048th and a 1024th of it. Public, as the scale is."""
    return np.ldexp(1.0, np.maximum(np.frexp(scale)[1] - 11, _FINEST))      # 2^floor(log2(scale)) / 1024


def rounded(noisy: np.ndarray, scale: np.ndarray | float, step: float | None = None) -> np.ndarray:
    """Noisy numbers to the nearest multiple of ``step``; None: of :func:`grid_step`; 0: raw doubles, as papers print it, and not private.

    Raw doubles have low digits that only some private numbers can lead to. ``scale`` broadcasts with ``noisy``; where it is 0 nothing is
    rounded.
    """
    if step == 0:
        return noisy
    steps = grid_step(scale) if step is None else step
    return np.where(np.asarray(scale) > 0, np.rint(noisy / steps) * steps, noisy)
