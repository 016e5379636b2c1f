"""Minima of noisy quadratics: where there is none, of what the noise leaves; with a price or a bound on covariances, in closed form."""
from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .quadratic import Quadratic

__all__ = ["bounded_minimum", "minimum", "penalized_minimum"]

#: Eigenvalues below this part of the largest count as 0.
SMALL = 1e-12
#: Of several covariances: rounds over them, and the change at which they end.
ROUNDS, STILL = 10_000, 1e-13


def penalized_minimum(f: Quadratic, c: ArrayLike, alpha: float) -> np.ndarray:
    """The minimum of f(w) + alpha |c.w| for a positive definite H, in closed form; alpha = inf asks for c.w = 0.

    Source: ours, for equation (5) (Ding et al. 2020): with b, H and c released this is post-processing and costs no privacy, whatever
    alpha. Of several vectors the sum of |c_a.w| is penalized.

    alpha |t| is the largest s t over s in [-alpha, alpha], so the minimum is a saddle point. For fixed s the inner minimum is at
    w = -H^-1 (b + s c). Its value is a concave parabola in s, with its peak where c.w = 0: clipped to [-alpha, alpha], that is the best s.
    Of several vectors, one after the other until nothing moves.

    Parameters
    ----------
    f : Quadratic
    c : (d,) or (q, d) array
    alpha : float >= 0, or inf

    Returns
    -------
    (d,) array

    Raises
    ------
    ValueError
        H that is not positive definite, shapes that do not fit.

    Examples
    --------
    >>> f = Quadratic([-1.0, -1.0], [[1.0, 0.0], [0.0, 1.0]])
    >>> [penalized_minimum(f, [1.0, 0.0], alpha).tolist() for alpha in (0.0, 0.25, 2.0)]
    [[1.0, 1.0], [0.75, 1.0], [0.0, 1.0]]
    """
    alpha = check.number("alpha", alpha, low=0.0, finite=False)
    return _priced(f, c, lambda peak, length: min(max(peak, -alpha), alpha))


def bounded_minimum(f: Quadratic, c: ArrayLike, tau: float) -> np.ndarray:
    """The minimum of f(w) where |c.w| <= tau, for a positive definite H, in closed form; of several vectors, each within tau.

    Source: ours, for equation (3) (Ding et al. 2020). The price s of the bound takes c.w to the nearest end of [-tau, tau]: with
    w = -H^-1 (b + s c), c.w falls by c'H^-1 c for each unit of s.

    Parameters
    ----------
    f : Quadratic
    c : (d,) or (q, d) array
    tau : float >= 0

    Returns
    -------
    (d,) array

    Raises
    ------
    ValueError
        H that is not positive definite, shapes that do not fit.

    Examples
    --------
    >>> f = Quadratic([-1.0, -1.0], [[1.0, 0.0], [0.0, 1.0]])
    >>> [bounded_minimum(f, [1.0, 0.0], tau).tolist() for tau in (2.0, 0.25, 0.0)]
    [[1.0, 1.0], [0.25, 1.0], [0.0, 1.0]]
    """
    tau = check.number("tau", tau, low=0.0)
    return _priced(f, c, lambda peak, length: math.copysign(max(abs(peak) - tau / length, 0.0), peak))


def _priced(f: Quadratic, c: ArrayLike, price: Callable[[float, float], float]) -> np.ndarray:
    """w = -H^-1 (b + sum of s_a c_a); ``price`` says s_a from the one at which c_a.w = 0, and from c_a'H^-1 c_a."""
    C = _vectors(f, c)
    try:
        L = np.linalg.cholesky(f.H)
    except np.linalg.LinAlgError:
        check.refuse("f", float(f"{np.linalg.eigvalsh(f.H)[0]:.3g}"), "is an eigenvalue of H: there is no minimum, or no single one",
                     "Add a ridge, or take minimum(f, ridge=...), which leaves such directions out.")
    b, C = np.linalg.solve(L, f.b), np.linalg.solve(L, C.T).T           # in coordinates in which H is the unit matrix
    lengths, s = (C**2).sum(axis=1), np.zeros(len(C))
    for _ in range(ROUNDS):
        before = s.copy()
        for a in np.flatnonzero(lengths > 0):
            s[a] = price(s[a] - C[a] @ (b + s @ C) / lengths[a], lengths[a])
        if np.abs(s - before).max() <= STILL * max(1.0, np.abs(s).max()):
            break
    return 0.0 - np.linalg.solve(L.T, b + s @ C)


def minimum(f: Quadratic, *, ridge: float = 0.0, c: ArrayLike | None = None, alpha: float | None = None,
            tau: float | None = None) -> np.ndarray:
    """The minimum of f with a ridge, among the w that have no part where H + ridge is not positive: a noisy quadratic may have no other.

    Source: Zhang et al. 2012, regularization and spectral trimming, reconstructed; Ding et al. 2020 take a minimum for granted. Only the
    released quadratic is read, so both are post-processing.

    Parameters
    ----------
    f : Quadratic
    ridge : float >= 0
        Added to every eigenvalue of H.
    c, alpha or tau : optional
        Penalize alpha |c.w|, as :func:`penalized_minimum`, or bound it, as :func:`bounded_minimum`.

    Returns
    -------
    (d,) array
        0 where no direction is left.

    Raises
    ------
    ValueError
        As :func:`penalized_minimum`; ``c`` without one of ``alpha`` and ``tau``, or the other way round.

    Examples
    --------
    >>> f = Quadratic([-1.0, -1.0], [[1.0, 0.0], [0.0, -1.0]])      # no minimum: -inf along the second axis
    >>> minimum(f), minimum(f, ridge=2.0)
    (array([1., 0.]), array([0.33333333, 1.        ]))
    """
    C = np.empty((0, 0)) if c is None else _vectors(f, c)
    ridge = check.number("ridge", ridge, low=0.0, high=1e100)
    if (c is not None) != ((alpha is None) != (tau is None)):
        check.refuse("alpha, tau", (alpha, tau), f"with {'no' if c is None else 'a'} c",
                     "Give c and one of alpha and tau, or none of the three.")
    values, vectors = np.linalg.eigh(_quadratic(f).H)
    values = values + ridge
    keep = values > SMALL * max(np.abs(values).max(), 1e-300)
    if not keep.any():
        return np.zeros(len(f.b))
    V = vectors[:, keep]
    left = Quadratic(V.T @ f.b, np.diag(values[keep]))
    if alpha is not None:
        return V @ penalized_minimum(left, C @ V, alpha)
    return V @ bounded_minimum(left, C @ V, tau) if tau is not None else -V @ (left.b / values[keep])


def _quadratic(f: Quadratic) -> Quadratic:
    if not isinstance(f, Quadratic):
        check.refuse("f", f, "no Quadratic", "Give functional.Quadratic(b, H).")
    return f


def _vectors(f: Quadratic, c: ArrayLike) -> np.ndarray:
    d = len(_quadratic(f).b)
    C = np.atleast_2d(check.array("c", c, low=-1e100, high=1e100))
    if C.ndim != 2 or C.shape[1] != d:
        check.refuse("c", C.shape, f"is not one row of {d} numbers, or several", "Give a vector as long as b, or a row for each.")
    return C
