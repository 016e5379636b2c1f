"""From a few noisy counts to everybody's expected group: a linear-Gaussian model, and counts of any public weights as its observations."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .releases import as_many

__all__ = ["expected_groups", "joint_cells"]


def expected_groups(queries: ArrayLike, answers: ArrayLike, variances: ArrayLike, features: ArrayLike, mean: float,
                    residual: float) -> np.ndarray:
    """E[A_i | answers] for the people of one label, in the model A = mean + features w + e, w ~ N(0, I), e ~ N(0, residual I).

    Source: ours; the linear conditional expectation (Gaussian process regression with the kernel features features^T). An answer is
    queries A + noise: a noisy count of people, a noisy sum, a randomized response. The residual e, one for each person, is what
    features do not tell; it is shared by all answers about the same people, so a second histogram sharpens the first as it should.
    With queries that were fixed beforehand this needs no normal law: it has the least mean square among functions linear in the answers,
    whatever the law of A with these first two moments. With queries that an earlier answer chose it is the best for normal laws only.
    Everything here is public or was released: post-processing.

    Parameters
    ----------
    queries : array (q, N)
        Row r are the weights with which people were counted; public, or chosen by earlier answers, as in an audit.
    answers : array (q,)
    variances : array (q,)
        Of each answer's noise, at least 0.
    features : array (N, d)
        Public. Their inner products are the prior covariance of P(A = 1 | x).
    mean : float in [0, 1]
        Prior mean of A.
    residual : float in [1e-9, 1e9]
        Prior variance of e.

    Returns
    -------
    array (N,); not clipped, because a clip of single values would move the sums over people: values may leave [0, 1]

    Raises
    ------
    ValueError
        Shapes that do not fit, entries that are not finite, numbers out of range.

    Examples
    --------
    Four people, two cells of two; the first cell's noisy count is 1.8 of 2:

    >>> E = expected_groups([[1, 1, 0, 0], [0, 0, 1, 1]], [1.8, .3], [.1, .1], np.zeros((4, 1)), mean=.5, residual=.25)
    >>> E.round(3).tolist()
    [0.833, 0.833, 0.208, 0.208]
    """
    observed, mean, residual = checked_answers(queries, answers, variances, features, mean, residual)
    return observed.expected(mean, residual)[0]


def checked_answers(queries: ArrayLike, answers: ArrayLike, variances: ArrayLike, features: ArrayLike, mean: float,
                    residual: float) -> tuple[Observed, float, float]:
    """The arguments of :func:`expected_groups`, checked."""
    queries = check.filled("queries", check.array("queries", queries, ndim=2, low=-1e9, high=1e9), "weight")
    q, N = queries.shape
    answers = check.array("answers", answers, shape=(q,), low=-1e12, high=1e12)
    variances = check.array("variances", variances, shape=(q,), low=0.0, high=1e24)
    features = check.array("features", features, shape=(N, None), low=-1e9, high=1e9)
    mean = check.number("mean", mean, low=0.0, high=1.0)
    residual = check.number("residual", residual, low=1e-9, high=1e9)
    observed = Observed(features).add(queries, answers, variances)
    try:
        observed.expected(mean, residual)
    except np.linalg.LinAlgError as problem:
        check.refuse("queries", float(np.abs(queries).max()), "is the largest weight: in doubles the answers' covariance is singular",
                     "Scale queries or features down, or ask no question twice.", problem)
    return observed, mean, residual


class Observed:
    """All that was asked about the people of one label so far."""

    def __init__(self, features: np.ndarray) -> None:
        self.features: Any = features
        self.queries, self.answers, self.variances = np.empty((0, len(features))), np.empty(0), np.empty(0)

    @staticmethod
    def alone(n: int) -> Observed:
        """Of n people of whom answers alone are known: a feature that is 0."""
        return Observed(np.zeros((n, 1)))

    @staticmethod
    def weighing(rows: np.ndarray) -> np.ndarray:
        """The weights (q, N) of sums."""
        return rows

    @staticmethod
    def counting(codes: np.ndarray, n: int) -> np.ndarray:
        """The weights (n, N) with which people of the codes 0, ..., n - 1 are counted."""
        queries = np.zeros((n, len(codes)))
        queries[codes, np.arange(len(codes))] = 1.0
        return queries

    def add(self, queries: np.ndarray, answers: np.ndarray, variances: np.ndarray) -> Observed:
        self.queries = np.concatenate([self.queries, queries])
        self.answers, self.variances = np.append(self.answers, answers), np.append(self.variances, variances)
        return self

    def joined(self, other: Any) -> Observed:
        """With what another has about the same people."""
        return self.add(other.queries, other.answers, other.variances)

    def expected(self, mean: float, residual: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """E[A_i | answers]; E[P(A_i = 1 | x_i) | answers], which leaves the person's own residual out; its weights on the features."""
        along, covariance, sizes = self._law(residual)
        pull = np.linalg.solve(covariance, self.answers - mean * sizes)
        weights = along.T @ pull
        told, own = self.of_people(weights, pull)
        smooth = mean + told
        return smooth + residual * own, smooth, weights

    def log_likelihood(self, mean: float, residual: float) -> float:
        """Log density of the answers by a normal law of the model's mean and covariance."""
        _, covariance, sizes = self._law(residual)
        off = self.answers - mean * sizes
        return float(-0.5 * (np.linalg.slogdet(covariance)[1] + off @ np.linalg.solve(covariance, off) + len(off) * np.log(2 * np.pi)))

    def under(self, features: np.ndarray) -> Observed:
        """The same answers with another prior covariance, features features^T."""
        return Observed(features).add(self.queries, self.answers, self.variances)

    def _law(self, residual: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sums of the features that each answer is about; the covariance of the answers; the sums of the weights."""
        along, cross, sizes = self.products()
        covariance = along @ along.T + residual * cross
        covariance[np.diag_indices(len(covariance))] += self.variances + 1e-9
        return along, covariance, sizes

    def products(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """queries features, queries queries^T, queries 1."""
        return self.queries @ self.features, self.queries @ self.queries.T, self.queries.sum(axis=1)

    def of_people(self, weights: np.ndarray, pull: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """features weights, and queries^T pull: a number for each person."""
        return self.features @ weights, self.queries.T @ pull


def joint_cells(decisions: ArrayLike, Y: ArrayLike) -> np.ndarray:
    """Number the people so that two have one code exactly if they have the same label and every classifier decides alike on them.

    Source: ours. On these cells the counts of a group give that group's false and true positives of every one of the classifiers, and of
    all their mixtures: counts of anything finer would be wasted noise. There are at most 2 (2^s) of them, and mostly far fewer.

    Parameters
    ----------
    decisions : array (s, m) of 0/1
        Of s classifiers, functions of X and of what was released.
    Y : array (m,) of 0/1

    Returns
    -------
    int array (m,): codes 0, 1, ..., all of them used

    Raises
    ------
    ValueError
        Decisions or labels other than 0 and 1, shapes that do not fit.

    Examples
    --------
    >>> joint_cells([[0, 1, 1, 1], [0, 0, 1, 1]], [0, 0, 0, 1]).tolist()
    [0, 1, 2, 3]
    """
    decisions = check.filled("decisions", check.array("decisions", decisions, ndim=2, low=0.0, high=1.0), "decision")
    if ((decisions != 0) & (decisions != 1)).any():
        check.refuse("decisions", float(decisions[(decisions != 0) & (decisions != 1)][0]), "neither 0 nor 1", "Give 0/1 decisions.")
    Y = check.labels("Y", Y)
    as_many("Y", Y, "decisions", decisions.shape[1])
    return joint_codes(decisions.astype(np.int64), Y)


def joint_codes(decisions: Iterable[np.ndarray], Y: np.ndarray) -> np.ndarray:
    """:func:`joint_cells` without checks; decisions (m,), one classifier after the other."""
    code = Y.astype(np.int64)
    for row in decisions:
        code = 2 * code + row
        here = np.bincount(code) > 0
        code = (np.cumsum(here) - 1)[code]
    return code
