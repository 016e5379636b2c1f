"""What a logit costs a person, and how fast that changes: the numbers that are averaged, and their slopes by the logit.

Written in s = 2 y - 1, all of them keep their digits however large the logit is: nothing is subtracted from 1.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from .. import _checks as check

__all__ = ["log_loss", "log_loss_slopes", "score_slopes", "soft_error", "soft_error_slopes"]


def log_loss(logits: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Everybody's log loss, ln(1 + exp(-s z)) with s = 2 y - 1: minus the log of the probability that the network gives to the label.

    Source: problem (L), Section 3 (Tran et al. 2020, for a loss that they leave open).

    Parameters
    ----------
    logits : (m,) array
    y : (m,) array of 0/1

    Returns
    -------
    (m,) array of float64

    Raises
    ------
    ValueError
        Labels that are not 0 or 1, other lengths, logits that are not finite.

    Examples
    --------
    >>> log_loss([0.0, 1000.0, -1000.0], [1, 1, 1])
    array([6.93147181e-01, 0.00000000e+00, 1.00000000e+03])
    """
    z, s = _signed(logits, y)
    return np.logaddexp(0.0, -s * z)


def log_loss_slopes(logits: ArrayLike, y: ArrayLike) -> np.ndarray:
    """The derivative of everybody's log loss by their logit, p - y.

    Source: problem (L), Section 3 (Tran et al. 2020).

    Parameters
    ----------
    logits : (m,) array
    y : (m,) array of 0/1

    Returns
    -------
    (m,) array of float64

    Raises
    ------
    ValueError
        As :func:`log_loss`.

    Examples
    --------
    >>> log_loss_slopes([0.0, 40.0, -1000.0], [1, 1, 1])
    array([-5.00000000e-01, -4.24835426e-18, -1.00000000e+00])
    """
    z, s = _signed(logits, y)
    return -s * expit(-s * z)


def score_slopes(logits: ArrayLike) -> np.ndarray:
    """The derivative of everybody's P(1) by their logit, p (1 - p): what demographic parity and equalized odds average.

    Source: Examples 1 and 2, Section 4.1 (Tran et al. 2020), with the score for the decision.

    Parameters
    ----------
    logits : (m,) array

    Returns
    -------
    (m,) array of float64

    Raises
    ------
    ValueError
        Logits that are not finite.

    Examples
    --------
    >>> score_slopes([0.0, 2.0, -1000.0]).round(3)
    array([0.25 , 0.105, 0.   ])
    """
    z = check.array("logits", logits, ndim=1)
    return expit(z) * expit(-z)


def soft_error(logits: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Everybody's chance of a wrong answer when the network answers 1 with probability p: |y - p|, between 0 and 1.

    Source: Example 3, Section 4.1 (Tran et al. 2020), with the score for the decision.

    Parameters
    ----------
    logits : (m,) array
    y : (m,) array of 0/1

    Returns
    -------
    (m,) array of float64

    Raises
    ------
    ValueError
        As :func:`log_loss`.

    Examples
    --------
    >>> soft_error([0.0, 2.0, 2.0], [1, 1, 0]).round(3)
    array([0.5  , 0.119, 0.881])
    """
    z, s = _signed(logits, y)
    return expit(-s * z)


def soft_error_slopes(logits: ArrayLike, y: ArrayLike) -> np.ndarray:
    """The derivative of everybody's soft error by their logit, (1 - 2 y) p (1 - p).

    Source: Example 3, Section 4.1 (Tran et al. 2020), with the score for the decision.

    Parameters
    ----------
    logits : (m,) array
    y : (m,) array of 0/1

    Returns
    -------
    (m,) array of float64

    Raises
    ------
    ValueError
        As :func:`log_loss`.

    Examples
    --------
    >>> soft_error_slopes([0.0, 2.0, 2.0], [1, 1, 0]).round(3)
    array([-0.25 , -0.105,  0.105])
    """
    z, s = _signed(logits, y)
    return -s * expit(z) * expit(-z)


def _signed(logits: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Logits and s = 2 y - 1."""
    z = check.array("logits", logits, ndim=1)
    labels = check.labels("y", y) if len(z) or np.size(y) else np.empty(0)     # nobody: a batch may be empty
    if len(labels) != len(z):
        check.refuse("logits, y", (len(z), len(labels)), "different lengths", "Give one logit and one label a person: logits and y.")
    return z, 2.0 * labels - 1
