"""Minima of noisy quadratics: where there is none, of what the noise leaves; with a price or a bound on covariances, in closed form."""
from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import lsq_linear, nnls
from scipy.special import ndtr

from .. import _checks as check
from .quadratic import MOST, Quadratic

__all__ = ["bounded_minimum", "minimum", "no_minimum_chance", "penalized_minimum"]

#: Eigenvalues below this part of the largest count as 0.
SMALL = 1e-12


def penalized_minimum(f: Quadratic, c: ArrayLike, alpha: float) -> np.ndarray:
    """The minimum of f(w) + alpha |c.w| for a positive definite H, exactly; alpha = inf asks for c.w = 0.

    Source: ours, for equation (5) (Ding et al. 2020): with b, H and c released this is post-processing and costs no privacy, whatever
    alpha. Of several vectors the sum of |c_a.w| is penalized.

    alpha |t| is the largest s t over s in [-alpha, alpha], so the minimum is a saddle point. For fixed s the inner minimum is at
    w = -H^-1 (b + s c). Its value is a concave parabola in s, with its peak where c.w = 0: clipped to [-alpha, alpha], that is the best s:
    a closed form. Of several vectors the prices are the least-squares fit of H^-1/2 b by H^-1/2 c_a with bounds on each, by active sets.

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
    return _priced(f, c, partial(_penalized, alpha=check.number("alpha", alpha, low=0.0, finite=False)))


def bounded_minimum(f: Quadratic, c: ArrayLike, tau: float) -> np.ndarray:
    """The minimum of f(w) where |c.w| <= tau, for a positive definite H, exactly; of several vectors, each within tau.

    Source: ours, for equation (3) (Ding et al. 2020). The price s of the bound takes c.w to the nearest end of [-tau, tau]: with
    w = -H^-1 (b + s c), c.w falls by c'H^-1 c for each unit of s. That is a closed form. Of several vectors it is the nearest point of a
    polytope, in coordinates in which H is the unit matrix: a least-distance program (Lawson and Hanson 1974), by active sets.

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
    return _priced(f, c, partial(_bounded, tau=check.number("tau", tau, low=0.0)))


def _priced(f: Quadratic, c: ArrayLike, nearest: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """The minimum, in coordinates in which H is the unit matrix: there ``nearest`` moves the free one, p, for vectors of length 1 and the
    lengths that they had."""
    C = _vectors(f, c)
    try:
        L = np.linalg.cholesky(f.H)
    except np.linalg.LinAlgError:
        check.refuse("f", float(f"{np.linalg.eigvalsh(f.H)[0]:.3g}"), "is an eigenvalue of H: there is no minimum, or no single one",
                     "Add a ridge, or take minimum(f, ridge=...), which leaves such directions out.")
    p, C = -np.linalg.solve(L, f.b), np.linalg.solve(L, C.T).T
    C = C[np.any(C, axis=1)]
    if len(C):
        largest = np.abs(C).max(axis=1, keepdims=True)          # squares of small numbers vanish
        length = np.linalg.norm(C / largest, axis=1, keepdims=True)
        p = nearest(p, C / largest / length, (largest * length)[:, 0])
    return np.linalg.solve(L.T, p) + 0.0


def _penalized(p: np.ndarray, N: np.ndarray, length: np.ndarray, alpha: float) -> np.ndarray:
    """The smallest |v - p|^2 / 2 + alpha times the sum of length |n.v|: v = p - N's, and s the best prices, each at most alpha length."""
    with np.errstate(over="ignore"):
        most = np.minimum(alpha * length, 1e200)
    N, most = N[most > 0], most[most > 0]
    if len(N) < 2:
        return p - np.clip(N @ p, -most, most) @ N
    return _crossed(p, N) if math.isinf(alpha) else p - lsq_linear(N.T, p, (-most, most), method="bvls", tol=1e-15).x @ N


def _bounded(p: np.ndarray, N: np.ndarray, length: np.ndarray, tau: float) -> np.ndarray:
    """The v nearest to p with length |n.v| <= tau for each."""
    scale = float(np.linalg.norm(p)) or 1.0
    bound = tau / np.maximum(length, tau / (2 * scale))         # beyond |p| it binds nothing
    if len(N) == 1:
        peak = N[0] @ p
        return p - math.copysign(max(abs(peak) - bound[0], 0.0), peak) * N[0]
    if not tau:
        return _crossed(p, N)
    q, bound = p / scale, bound / scale
    if (np.abs(N @ q) <= bound).all():
        return p
    inside = np.column_stack([np.concatenate([-N, N]), np.concatenate([N @ q - bound, -N @ q - bound])]).T
    last = np.r_[np.zeros(len(p)), 1.0]
    left = inside @ nnls(inside, last, maxiter=100 * inside.shape[1])[0] - last
    return scale * (q - left[:-1] / left[-1])


def _crossed(p: np.ndarray, N: np.ndarray) -> np.ndarray:
    """The v nearest to p with n.v = 0 for each; those that follow from others may be among them."""
    _, values, rows = np.linalg.svd(N, full_matrices=False)
    rows = rows[values > SMALL * values[0]]
    return p - (rows @ p) @ rows


def minimum(f: Quadratic, *, ridge: float = 0.0, c: ArrayLike | None = None, alpha: float | None = None,
            tau: float | None = None) -> np.ndarray:
    """The minimum of f with a ridge, among the w that have no part where H + ridge is not positive: a noisy quadratic may have no other.

    Source: Zhang et al. 2012, regularization and spectral trimming, reconstructed; Ding et al. 2020 take a minimum for granted. Only the
    released quadratic is read, so both are post-processing. A direction along which H + ridge is 0, as of collinear features, is left out
    like one below 0: where f falls along it, there is no minimum, and :func:`penalized_minimum` refuses.

    Parameters
    ----------
    f : Quadratic
    ridge : float in [0, 1e100]
        Added to every eigenvalue of H.
    c, alpha, tau : optional
        Penalize alpha |c.w|, as in :func:`penalized_minimum`, or with tau in place of alpha bound |c.w|, as in :func:`bounded_minimum`.

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


def no_minimum_chance(d: int, smallest: float, sigma: float) -> float:
    """At least so likely a quadratic has no minimum, once its coefficients have Gaussian noise.

    Source: ours, against Algorithms 2 and 3 (Ding et al. 2020). Let v be the direction of H's smallest eigenvalue. Noise on coefficients
    adds to v'Hv a normal number of variance 2 sigma^2 (1 + sum_j v_j^4), at least 2 sigma^2 (1 + 1/d): a coefficient of w_j^2 counts
    twice. Where the sum is negative, f goes to -inf along v. Exact for d = 1.

    Parameters
    ----------
    d : int in 1..5000
        Parameters.
    smallest : float in [0, 1e100]
        Eigenvalue of H, without noise.
    sigma : float in [1e-100, 1e100]
        Deviation of the noise on a coefficient.

    Returns
    -------
    float, at most 1/2

    Examples
    --------
    >>> [round(no_minimum_chance(10, smallest, 4.0), 3) for smallest in (0.0, 4.0, 40.0)]
    [0.5, 0.25, 0.0]
    """
    d = check.integer("d", d, low=1, high=MOST)
    smallest = check.number("smallest", smallest, low=0.0, high=1e100)
    deviation = math.sqrt(2 + 2 / d) * check.number("sigma", sigma, low=1e-100, high=1e100)
    return float(ndtr(-smallest / deviation))


def _quadratic(f: Quadratic) -> Quadratic:
    if not isinstance(f, Quadratic):
        check.refuse("f", f, "no Quadratic", "Give functional.Quadratic(b, H), or the objective of a NoisyFit.")
    return f


def _vectors(f: Quadratic, c: ArrayLike) -> np.ndarray:
    d = len(_quadratic(f).b)
    C = np.atleast_2d(check.array("c", c, low=-1e100, high=1e100))
    if C.ndim != 2 or C.shape[1] != d or not np.ndim(c):
        check.refuse("c", np.shape(c) if np.size(c) > 1 else c, f"is not one row of {d} numbers, or several",
                     "Give a vector as long as b, or a row for each.")
    return C
