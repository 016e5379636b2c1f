"""The log loss as a polynomial: how good, and where not."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["taylor_error_bound", "taylor_log_loss"]


def taylor_log_loss(u: ArrayLike) -> np.ndarray:
    """ln 2 + u / 2 + u^2 / 8: ln(1 + e^u) by Taylor's formula of order two, and of order three, at 0.

    Source: equation (6) (Ding et al. 2020). It lies above ln(1 + e^u), by at most :func:`taylor_error_bound`.

    Parameters
    ----------
    u : array in [-1e6, 1e6]
        A score x.w.

    Returns
    -------
    array of the shape of ``u``

    Raises
    ------
    ValueError
        Scores that are not finite or larger.

    Examples
    --------
    >>> (taylor_log_loss([0.0, 1.0, 4.0]) - np.log1p(np.exp([0.0, 1.0, 4.0]))).round(4)
    array([0.    , 0.0049, 0.675 ])
    """
    u = check.array("u", u, low=-1e6, high=1e6)
    return np.log(2) + u / 2 + u**2 / 8


def taylor_error_bound(u: ArrayLike) -> np.ndarray:
    """u^4 / 192, the most by which :func:`taylor_log_loss` lies above ln(1 + e^u); it never lies below.

    Source: ours. The third derivative of ln(1 + e^u) is 0 at 0, and the fourth is p (1 - p) (1 - 6 p (1 - p)) with p = 1 / (1 + e^-u): at
    least -1/8, its value at 0. So the remainder, u^4 / 24 times a fourth derivative, is at least -u^4 / 192. It is at most 0, as the second
    derivative p (1 - p) is at most 1/4.

    Parameters
    ----------
    u : array in [-1e6, 1e6]

    Returns
    -------
    array of the shape of ``u``

    Raises
    ------
    ValueError
        Scores that are not finite or larger.

    Examples
    --------
    >>> taylor_error_bound([1.0, 4.0]).round(4)
    array([0.0052, 1.3333])
    """
    return check.array("u", u, low=-1e6, high=1e6)**4 / 192
