"""The regression oracle: least squares of each label's cost on the features, then the label with the smaller prediction."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["RegressionOracle"]

PRECISE = 1e-10     # directions of the features this much weaker than the strongest are rounding, and left out
SAFE = 1e-9         # the same for squares: above it design' design may be inverted itself


class RegressionOracle:
    """What least squares needs of X and Y, computed once, and answers for any costs and any number of games after that.

    Source: main text, Section 5 (the learner's oracle in the experiments): regress C^0 and C^1 on (1, x), choose the label whose
    predicted cost is smaller. Least squares is linear in the costs (chapter 9), so the answer to all prices is

        accept where  score(x) > sum over gaps of price * gap_score(x),

    with scores of 2 Y - 1, whose coefficients are ``base``, and of m (1{A = a, Y = y} / n_ay - 1{A = 0, Y = y} / n_0y). **A enters through
    k sums a label**, s_ay = sum of (1, x) over the cell (a, y). A heuristic: half-spaces of smaller cost may exist, and no theorem of the
    paper covers it. ``design`` is (1, X); ``inverse`` that of design' design, the pseudo-inverse where features depend on each other.

    Parameters
    ----------
    X : (m, d) array
        Features, without a column of ones, in any units (a spread below 1e-50 is none). Directions that are 10^10 times weaker than the
        strongest are rounding, and left out; before, columns are standardized where the units alone would make one look so.
    Y : (m,) array of 0/1

    Examples
    --------
    >>> oracle = RegressionOracle([[0.], [1.], [2.], [3.]], [0, 0, 1, 1])
    >>> oracle.base.round(3)
    array([-1.2,  0.8])
    >>> gaps = oracle.gap_coefficients(oracle.sums([0, 1, 1, 0]))
    >>> oracle.answer([[0.0, 0.0], [0.0, -2.0]], gaps).astype(int)         # no price; a reward of 2 for a gap of 1 in true positives
    array([[0, 0, 1, 1],
           [1, 1, 0, 0]])
    """

    def __init__(self, X: ArrayLike, Y: ArrayLike) -> None:
        check.same_people(X=X, Y=Y)
        X = check.array("X", X, shape=(None, None), low=-1e50, high=1e50, booleans=False)
        check.filled("X", X, "feature" if len(X) else "person")
        self.Y = check.labels("Y", Y)
        if len(self.Y) != len(X):
            check.refuse("X, Y", (len(X), len(self.Y)), "different lengths", "Give one row and one label a person.")
        self.m, self.d = X.shape
        self.design = np.column_stack([np.ones(self.m), X])
        self.inverse, self._root = _inverse(self.design)
        self.base = self.coefficients(2.0 * self.Y - 1)

    def coefficients(self, targets: ArrayLike) -> np.ndarray:
        """Least squares on (1, X), (d + 1,) or (d + 1, t), of targets (m,) or (m, t): a column for each of them.

        >>> RegressionOracle([[0.], [1.], [2.]], [0, 0, 1]).coefficients([3., 5., 7.]).round(6).tolist()
        [3.0, 2.0]
        """
        targets = check.array("targets", targets, low=-1e100, high=1e100, booleans=False)
        if targets.ndim not in (1, 2) or len(targets) != self.m:
            check.refuse("targets", targets.shape, f"not for {self.m} people", "Give a number, or a row of numbers, a person.")
        sums = self.design.T @ targets
        # In two steps where columns are far from 0: a product of the two would lose the square of how far.
        return self.inverse @ sums if self._root is None else self._root @ (self._root.T @ sums)

    def sums(self, A: ArrayLike, n_groups: int | None = None) -> np.ndarray:
        """s_ay, the sums of (1, x) over each cell, (k, 2, d + 1) [a, y]: all that least squares needs of A. The first entry counts people.

        Parameters
        ----------
        A : (m,) array of ints 0..k-1
        n_groups : int in 2..1000, optional
            k; by default the largest code plus one.

        Examples
        --------
        >>> RegressionOracle([[5.], [6.], [8.]], [0, 1, 1]).sums([0, 1, 1])[1].tolist()
        [[0.0, 0.0], [2.0, 14.0]]
        """
        A, k = check.groups("A", A, length=self.m, n_groups=n_groups)
        if k < 2:
            check.refuse("A", k - 1, "is the largest code, so there is one group only", "Give codes 0, 1, ..., or n_groups.")
        cells = (2 * A + self.Y == np.arange(2 * k)[:, None]).astype(float)
        return (cells @ self.design).reshape(k, 2, -1)

    def gap_coefficients(self, sums: ArrayLike) -> np.ndarray:
        """Coefficients (..., 2 (k-1), d + 1) of gap scores, from sums of cells, true or noisy: m (X'X)^-1 (s_ay / n_ay - s_0y / n_0y).

        Rows are for a = 1, ..., k-1: false positives (y = 0), true positives (y = 1). The sums are (..., k, 2, d + 1) as of :meth:`sums`;
        the first entry, the number of people, is above 0.

        >>> oracle = RegressionOracle([[0.], [1.], [2.], [3.]], [0, 0, 1, 1])
        >>> oracle.gap_coefficients(oracle.sums([0, 1, 1, 0])).round(2)
        array([[-1.2,  0.8],
               [ 1.2, -0.8]])
        """
        sums = check.array("sums", sums, low=-1e60, high=1e60, booleans=False)
        if sums.ndim < 3 or sums.shape[-1] != self.d + 1 or sums.shape[-2] != 2 or sums.shape[-3] < 2 or not sums.size:
            check.refuse("sums", sums.shape, f"not of shape (..., k, 2, {self.d + 1})", "Give oracle.sums(A), or noisy ones.")
        n = sums[..., 0]
        check.occupied("sums", n, "Merge groups, or lift noisy numbers of people to 1.")
        means = sums / n[..., None]
        gaps = means[..., 1:, :, :] - means[..., :1, :, :]
        return self.m * gaps.reshape(gaps.shape[:-3] + (-1, self.d + 1)) @ self.inverse

    def scores(self, coefficients: ArrayLike, X: ArrayLike | None = None) -> np.ndarray:
        """(1, x) times coefficients (..., d + 1), for the people of the oracle or for others, X (n, d): (..., n).

        >>> oracle = RegressionOracle([[0.], [1.], [2.], [3.]], [0, 0, 1, 1])
        >>> oracle.scores(oracle.base, X=[[1.5]]).round(6) + 0.0
        array([0.])
        """
        coefficients = check.array("coefficients", coefficients, low=-1e100, high=1e100, booleans=False)
        if coefficients.ndim == 0 or coefficients.shape[-1] != self.d + 1:
            check.refuse("coefficients", coefficients.shape, f"not of shape (..., {self.d + 1})", "One for the constant, one a feature.")
        design = self.design
        if X is not None:
            X = check.array("X", X, shape=(None, self.d), low=-1e50, high=1e50, booleans=False)
            design = np.column_stack([np.ones(len(X)), X])
        return coefficients @ design.T

    def answer(self, prices: ArrayLike, gap_coefficients: ArrayLike, X: ArrayLike | None = None) -> np.ndarray:
        """The oracle's decisions (..., n) for prices of the gaps: accept where the score is above what acceptance costs.

        Source: main text, Section 5; supplement, Subroutine 2 (the costs). ``prices`` (..., D) are lambda_(+) - lambda_(-) for every gap,
        ``gap_coefficients`` (D, d + 1) those of :meth:`gap_coefficients`; ``X`` (n, d) are others than the people of the oracle.

        >>> oracle = RegressionOracle([[0.], [1.], [2.], [3.]], [0, 0, 1, 1])
        >>> oracle.answer([0.0, 0.0], oracle.gap_coefficients(oracle.sums([0, 1, 1, 0])), X=[[1.4], [1.6]])
        array([False,  True])
        """
        gap_coefficients = check.array("gap_coefficients", gap_coefficients, shape=(None, self.d + 1), low=-1e100, high=1e100,
                                       booleans=False)
        prices = check.array("prices", prices, low=-1e12, high=1e12, booleans=False)
        if prices.ndim == 0 or prices.shape[-1] != len(gap_coefficients):
            check.refuse("prices", prices.shape, f"does not end with {len(gap_coefficients)} prices", "Give one price a gap.")
        return self.scores(self.base - prices @ gap_coefficients, X) > 0


def _inverse(design: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """(design' design)^+: of the product itself where that loses nothing, else by the singular values of the design. Where these lose
    something to the scale of the columns, by standardized ones, and a root of it."""
    values, vectors = np.linalg.eigh(design.T @ design)
    if values[0] > SAFE * values[-1]:
        return (vectors / values) @ vectors.T, None
    _, singular, right = np.linalg.svd(np.linalg.qr(design, mode="r"))
    kept = singular > PRECISE * singular[0]
    standard = lost_to_scale(design, int(kept.sum()))
    if standard is not None:
        return standard[0] @ standard[0].T, standard[0]
    half = right[:len(singular)][kept] / singular[kept, None]
    return half.T @ half, None


def pseudo_inverse(design: np.ndarray) -> np.ndarray:
    """The pseudo-inverse of a design, a column a person, without the directions that the oracle leaves out."""
    values = np.linalg.eigvalsh(design.T @ design)
    if not values[0] > SAFE * values[-1]:
        singular = np.linalg.svd(np.linalg.qr(design, mode="r"), compute_uv=False)
        standard = lost_to_scale(design, int((singular > PRECISE * singular[0]).sum()))
        if standard is not None:
            return standard[0] @ standard[1].T
    return np.linalg.pinv(design, rcond=PRECISE)


def lost_to_scale(design: np.ndarray, kept: int, ridge: float = 0.0) -> tuple[np.ndarray, np.ndarray] | None:
    """R with R R' = (design' design + ridge)^+, and design R, where a cut at PRECISE, which kept so many directions, lost data.

    A column 10^10 times as large as the others, or a mean 10^5 standard deviations away, makes others look like rounding; standardized
    columns do not, but for the rounding of the entries themselves. None if these have no more directions than were kept.
    """
    m, d = design.shape
    if kept == d:
        return None
    X = design[:, 1:]
    centre, largest = X.mean(axis=0), np.abs(X).max(axis=0)
    scale = np.hypot(X.std(axis=0), np.sqrt(ridge / m))
    varies = scale > np.maximum(1e-12 * largest, 1e-50)         # what is the same for all is left to the constant
    to = np.eye(d)
    to[1:, 1:] = np.diag(np.where(varies, 1 / np.where(varies, scale, 1.0), 0.0))
    to[0, 1:] = -centre * np.diag(to)[1:]
    rows = np.column_stack([np.ones(m), (X - centre) * np.diag(to)[1:]])
    q, r = np.linalg.qr(np.vstack([rows, np.sqrt(ridge) * to]) if ridge else rows)
    left, singular, right = np.linalg.svd(r, full_matrices=False)
    rounding = np.finfo(float).eps * np.sqrt(m) * np.linalg.norm(right[:, 1:] * (largest * np.diag(to)[1:]), axis=1)
    here = singular > np.maximum(PRECISE * singular[0], 4 * rounding)
    if here.sum() <= kept:
        return None
    return to @ (right[here].T / singular[here]), (q @ left[:, here])[:m]
