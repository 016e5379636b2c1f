"""Objectives as polynomials of degree two: a vector and a matrix, or the coefficients of their monomials."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .people import read_groups, read_labels, read_rows, sums

__all__ = ["Quadratic", "covariance_vector", "log_loss_quadratic", "merged_quadratic", "square_loss_quadratic"]

MOST = 5000     # parameters


@dataclass(frozen=True, eq=False)
class Quadratic:
    """f(w) = b.w + w'Hw / 2, without its constant.

    Source: equation (2) (Ding et al. 2020), J = 2. A coefficient belongs to a monomial: w_1, ..., w_d, then w_j w_l for j <= l, row by row.
    That of w_j^2 is H_jj / 2, that of w_j w_l is H_jl: noise on coefficients arrives doubled on the diagonal of H.

    Parameters
    ----------
    b : (d,) array
        Coefficients of degree one.
    H : (d, d) array, symmetric
        The Hessian.

    Raises
    ------
    ValueError
        Shapes that do not fit, a matrix that is not symmetric, more than 5,000 parameters.

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
        """Those of w_1, ..., w_d and of w_j w_l, j <= l: (d + d (d + 1) / 2,)."""
        half = self.H - np.diag(np.diag(self.H)) / 2
        return np.r_[self.b, half[np.triu_indices(len(self.b))]]

    @classmethod
    def of_coefficients(cls, coefficients: ArrayLike) -> Quadratic:
        """The way back.

        Examples
        --------
        >>> Quadratic.of_coefficients([1.0, 0.0, 1.0, 3.0, 4.0]).H
        array([[2., 3.],
               [3., 8.]])
        """
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

    Source: equation (6) without its last term (Ding et al. 2020); Zhang et al. 2012, reconstructed. With u = x.w a person's loss
    ln(1 + e^u) - y u becomes ln 2 + (1/2 - y) u + u^2 / 8: so b = X'(1/2 - y) and H = X'X / 4. Least squares on labels -2 and 2 has the
    same minimum.

    Parameters
    ----------
    X : (m, d) array
    y : (m,) array of 0/1

    Returns
    -------
    Quadratic

    Raises
    ------
    ValueError
        Arrays that do not fit, labels that are none.

    Examples
    --------
    >>> f = log_loss_quadratic([[1.0, 0.0], [0.0, 1.0]], [1, 0])
    >>> f.b, f.H.diagonal()
    (array([-0.5,  0.5]), array([0.25, 0.25]))
    """
    check.same_people(X=X, y=y)
    rows = read_rows(X)
    labels = read_labels(y, len(rows))
    gram, toward = sums(rows, lambda some: 0.5 - labels[some, None])
    return Quadratic(toward[0], gram / 4)


def square_loss_quadratic(X: ArrayLike, y: ArrayLike) -> Quadratic:
    """The summed square loss (y - x.w)^2, without its constant: no approximation.

    Source: Zhang et al. 2012, linear regression, reconstructed. b = -2 X'y and H = 2 X'X.

    Parameters
    ----------
    X : (m, d) array
    y : (m,) array in [-1, 1]

    Returns
    -------
    Quadratic

    Raises
    ------
    ValueError
        Arrays that do not fit, a number beyond [-1, 1].

    Examples
    --------
    >>> f = square_loss_quadratic([[1.0], [0.5]], [1.0, -1.0])
    >>> f.b, f.H
    (array([-1.]), array([[2.5]]))
    """
    check.same_people(X=X, y=y)
    rows = read_rows(X)
    targets = read_labels(y, len(rows), numbers=True)
    gram, toward = sums(rows, lambda some: targets[some, None])
    return Quadratic(-2 * toward[0], 2 * gram)


def covariance_vector(X: ArrayLike, A: ArrayLike) -> np.ndarray:
    """c = sum_i (a_i - mean of a) x_i: the covariance of group 1 with the score x.w, times m, is c.w.

    Source: equation (4) (Ding et al. 2020), whose z is our A. The mean is over everybody: who leaves moves every term.

    Parameters
    ----------
    X : (m, d) array
    A : (m,) array of 0/1
        Two groups.

    Returns
    -------
    (d,) array

    Raises
    ------
    ValueError
        Arrays that do not fit; a group that is neither 0 nor 1.

    Examples
    --------
    >>> covariance_vector([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [1, 0, 0]).round(3)
    array([ 0.667, -0.667])
    """
    check.same_people(X=X, A=A)
    rows = read_rows(X)
    groups = read_groups(A, len(rows))
    share = groups.mean()
    _, toward = sums(rows, lambda some: groups[some, None] - share)
    return toward[0]


def merged_quadratic(X: ArrayLike, y: ArrayLike, A: ArrayLike, alpha: float = 1.0) -> Quadratic:
    """The penalized objective with the covariance among the coefficients of degree one, as if alpha |c.w| were alpha c.w.

    Source: equation (6) (Ding et al. 2020), taken literally. An absolute value is no polynomial. This objective *rewards* a covariance of
    one sign, the more the larger alpha: see :func:`penalized_minimum` for the penalty itself.

    Parameters
    ----------
    X : (m, d) array
    y : (m,) array of 0/1
    A : (m,) array of 0/1
    alpha : float in [0, 1e6]

    Returns
    -------
    Quadratic

    Raises
    ------
    ValueError
        As :func:`log_loss_quadratic` and :func:`covariance_vector`.

    Examples
    --------
    >>> X, y, A = [[1.0, 0.0], [0.0, 1.0]], [1, 0], [1, 0]
    >>> merged_quadratic(X, y, A).b                         # (-1/2, 1/2) and c = (1/2, -1/2)
    array([0., 0.])
    """
    alpha = check.number("alpha", alpha, low=0.0, high=1e6)
    f = log_loss_quadratic(X, y)
    return Quadratic(f.b + alpha * covariance_vector(X, A), f.H)
