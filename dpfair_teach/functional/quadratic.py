"""Quadratic objectives of people, and their minima: where noise leaves none, and with a price or a bound on covariances."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import lsq_linear, nnls
from scipy.special import ndtr

from .. import _checks as check
from .people import read_groups, read_people, sums

__all__ = ["Quadratic", "bounded_minimum", "covariance_vector", "log_loss_quadratic", "merged_quadratic", "minimum", "no_minimum_chance",
           "penalized_minimum"]

MOST = 5000     # parameters
#: Eigenvalues below this part of the largest count as 0.
SMALL = 1e-12


@dataclass(frozen=True, eq=False)
class Quadratic:
    """f(w) = b.w + w'Hw / 2, without its constant.

    Source: equation (2) (Ding et al. 2020), J = 2.

    Parameters
    ----------
    b : (d,) array
        At most 5,000 parameters.
    H : (d, d) array, symmetric
        The Hessian.

    Examples
    --------
    >>> f = Quadratic([1.0, 0.0], [[2.0, 3.0], [3.0, 8.0]])
    >>> f.coefficients(), f([1.0, -1.0])
    (array([1., 0., 1., 3., 4.]), 3.0)
    """

    b: np.ndarray
    H: np.ndarray

    def __post_init__(self) -> None:
        b = check.filled("b", check.array("b", self.b, ndim=1, low=-1e100, high=1e100), "parameter")
        if len(b) > MOST:
            check.refuse("b", b.shape, f"has more than {MOST:,} parameters", "Use fewer features.")
        H = check.array("H", self.H, shape=(len(b), len(b)), low=-1e100, high=1e100)
        object.__setattr__(self, "b", b)
        object.__setattr__(self, "H", symmetric("H", H))

    def __call__(self, w: ArrayLike) -> float:
        """The value at w, (d,)."""
        w = check.array("w", w, shape=self.b.shape, low=-1e100, high=1e100)
        return float(self.b @ w + w @ self.H @ w / 2)

    def coefficients(self) -> np.ndarray:
        """Those of the monomials w_1, ..., w_d, then w_j w_l for j <= l, row by row: (d + d (d + 1) / 2,)."""
        half = self.H - np.diag(np.diag(self.H)) / 2
        return np.r_[self.b, half[np.triu_indices(len(self.b))]]

    @classmethod
    def of_coefficients(cls, coefficients: ArrayLike) -> Quadratic:
        """The quadratic with these coefficients."""
        values = check.filled("coefficients", check.array("coefficients", coefficients, ndim=1, low=-1e99, high=1e99), "coefficient")
        d = int((np.sqrt(9 + 8 * len(values)) - 3) / 2 + 0.5)
        if d < 1 or d + d * (d + 1) // 2 != len(values):
            check.refuse("coefficients", values.shape, "is not d + d (d + 1) / 2 numbers for any d", "Give what coefficients() gave.")
        H: np.ndarray = np.zeros((d, d))
        H[np.triu_indices(d)] = values[d:]
        return cls(values[:d], H + H.T)


def symmetric(name: str, matrix: np.ndarray) -> np.ndarray:
    """A square matrix that is symmetric up to rounding, exactly so: products of matrices are not, where an entry happens to be near 0."""
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12 * np.abs(matrix).max(initial=0.0)):
        check.refuse(name, matrix.shape, "is not symmetric", f"Give ({name} + {name}.T) / 2.")
    return (matrix + matrix.T) / 2


def log_loss_quadratic(X: ArrayLike, y: ArrayLike) -> Quadratic:
    """The second-order Taylor form, at w = 0, of the summed log loss, without its constant m ln 2.

    Source: equation (6) without its last term (Ding et al. 2020); Zhang et al. 2012, reconstructed. b = X'(1/2 - y) and H = X'X / 4.

    Parameters
    ----------
    X : (m, d) array
    y : (m,) array of 0/1

    Examples
    --------
    >>> f = log_loss_quadratic([[1.0, 0.0], [0.0, 1.0]], [1, 0])
    >>> f.b, f.H.diagonal()
    (array([-0.5,  0.5]), array([0.25, 0.25]))
    """
    rows, labels = read_people(X, y)
    gram, toward = sums(rows, lambda some: 0.5 - labels[some, None])
    return Quadratic(toward[0], gram / 4)


def covariance_vector(X: ArrayLike, A: ArrayLike) -> np.ndarray:
    """c = sum_i (a_i - mean of a) x_i: the covariance of group 1 with the score x.w, times m, is c.w.

    Source: equation (4) (Ding et al. 2020), whose z is our A. The mean is over everybody: who leaves moves every term.

    Parameters
    ----------
    X : (m, d) array
    A : (m,) array of 0/1

    Returns
    -------
    (d,) array

    Examples
    --------
    >>> covariance_vector([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [1, 0, 0]).round(3)
    array([ 0.667, -0.667])
    """
    check.same_people(X=X, A=A)
    rows = check.filled("X", check.rows("X", X, low=-1e50, high=1e50), "person, with at least one feature")
    groups = read_groups(A, len(rows))
    _, (everybody, group_1) = sums(rows, lambda some: np.column_stack([np.ones(len(groups[some])), groups[some]]))
    return group_1 - groups.sum() * everybody / len(rows)


def merged_quadratic(X: ArrayLike, y: ArrayLike, A: ArrayLike, alpha: float = 1.0) -> Quadratic:
    """The penalized objective with the covariance among the coefficients of degree one, as if alpha |c.w| were alpha c.w.

    Source: equation (6) (Ding et al. 2020), taken literally. It *rewards* a covariance of one sign: see :func:`penalized_minimum`.

    Parameters
    ----------
    X, y : as in :func:`log_loss_quadratic`
    A : as in :func:`covariance_vector`
    alpha : float in [0, 1e6]

    Examples
    --------
    >>> X, y, A = [[1.0, 0.0], [0.0, 1.0]], [1, 0], [1, 0]
    >>> merged_quadratic(X, y, A).b                         # (-1/2, 1/2) and c = (1/2, -1/2)
    array([0., 0.])
    """
    alpha = check.number("alpha", alpha, low=0.0, high=1e6)
    f = log_loss_quadratic(X, y)
    return Quadratic(f.b + alpha * covariance_vector(X, A), f.H)


def penalized_minimum(f: Quadratic, c: ArrayLike, alpha: float) -> np.ndarray:
    """The minimum of f(w) + alpha |c.w| for a positive definite H, exactly; alpha = inf asks for c.w = 0.

    Source: ours, for equation (5) (Ding et al. 2020), in closed form. Of several vectors the sum of |c_a.w| is penalized.

    Parameters
    ----------
    f : Quadratic
    c : (d,) or (q, d) array
    alpha : float >= 0, or inf

    Returns
    -------
    (d,) array

    Examples
    --------
    >>> f = Quadratic([-1.0, -1.0], [[1.0, 0.0], [0.0, 1.0]])
    >>> [penalized_minimum(f, [1.0, 0.0], alpha).tolist() for alpha in (0.0, 0.25, 2.0)]
    [[1.0, 1.0], [0.75, 1.0], [0.0, 1.0]]
    """
    return _priced(f, c, partial(_penalized, alpha=check.number("alpha", alpha, low=0.0, finite=False)))


def bounded_minimum(f: Quadratic, c: ArrayLike, tau: float) -> np.ndarray:
    """The minimum of f(w) where |c.w| <= tau, for a positive definite H, exactly; of several vectors, each within tau.

    Source: ours, for equation (3) (Ding et al. 2020); of several vectors by a least-distance program (Lawson and Hanson 1974).

    Parameters
    ----------
    f, c : as in :func:`penalized_minimum`
    tau : float >= 0

    Returns
    -------
    (d,) array

    Examples
    --------
    >>> f = Quadratic([-1.0, -1.0], [[1.0, 0.0], [0.0, 1.0]])
    >>> [bounded_minimum(f, [1.0, 0.0], tau).tolist() for tau in (2.0, 0.25, 0.0)]
    [[1.0, 1.0], [0.25, 1.0], [0.0, 1.0]]
    """
    return _priced(f, c, partial(_bounded, tau=check.number("tau", tau, low=0.0)))


def _priced(f: Quadratic, c: ArrayLike, nearest: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """In coordinates in which H is the unit matrix: ``nearest`` moves the free minimum, for vectors of length 1 and their lengths."""
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


@check.formerly(tau="Say bounded_minimum(f, tau).")
def minimum(f: Quadratic, *, ridge: float = 0.0, c: ArrayLike | None = None, alpha: float | None = None) -> np.ndarray:
    """The minimum of f with a ridge, among the w that have no part where H + ridge is not positive: a noisy quadratic may have no other.

    Source: Zhang et al. 2012, regularization and spectral trimming, reconstructed; Ding et al. 2020 take a minimum for granted.

    Parameters
    ----------
    f : Quadratic
    ridge : float in [0, 1e100]
        Added to every eigenvalue of H.
    c, alpha : optional
        Penalize alpha |c.w|, as in :func:`penalized_minimum`.

    Returns
    -------
    (d,) array
        0 where no direction is left.

    Examples
    --------
    >>> f = Quadratic([-1.0, -1.0], [[1.0, 0.0], [0.0, -1.0]])      # no minimum: -inf along the second axis
    >>> minimum(f), minimum(f, ridge=2.0)
    (array([1., 0.]), array([0.33333333, 1.        ]))
    """
    C = np.empty((0, 0)) if c is None else _vectors(f, c)
    ridge = check.number("ridge", ridge, low=0.0, high=1e100)
    if (c is None) != (alpha is None):
        check.refuse("c, alpha", (c, alpha), "one of the two alone", "Give both or none.")
    values, vectors = np.linalg.eigh(_quadratic(f).H)
    values = values + ridge
    keep = values > SMALL * max(np.abs(values).max(), 1e-300)
    if not keep.any():
        return np.zeros(len(f.b))
    V = vectors[:, keep]
    left = Quadratic(V.T @ f.b, np.diag(values[keep]))
    return V @ penalized_minimum(left, C @ V, alpha) if alpha is not None else -V @ (left.b / values[keep])


def no_minimum_chance(d: int, smallest: float, sigma: float) -> float:
    """At least so likely a quadratic has no minimum, once its coefficients have Gaussian noise.

    Source: ours, against Algorithms 2 and 3 (Ding et al. 2020). Exact for d = 1.

    Parameters
    ----------
    d : int in 1..5000
    smallest : float in [0, 1e100]
        Eigenvalue of H, without noise.
    sigma : float in [1e-100, 1e100]
        Deviation of the noise on a coefficient.

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
    return check.instance("f", f, Quadratic, "no Quadratic", "Give functional.Quadratic(b, H), or the objective of a NoisyFit.")


def _vectors(f: Quadratic, c: ArrayLike) -> np.ndarray:
    d = len(_quadratic(f).b)
    C = np.atleast_2d(check.array("c", c, low=-1e100, high=1e100))
    if C.ndim != 2 or C.shape[1] != d or not np.ndim(c):
        check.refuse("c", np.shape(c) if np.size(c) > 1 else c, f"is not one row of {d} numbers, or several",
                     "Give a vector as long as b, or a row for each.")
    return C
