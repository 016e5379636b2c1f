"""Least squares on (1, X), and principal components of X: of people in one block as ever, else by a QR that reads a block at a time."""
from __future__ import annotations

import numpy as np

from ..oracles.regression import PRECISE, pseudo_inverse
from ._blocks import blocks, floats, together, with_one


class Projection:
    """Of people who are looked at together.

    ``centre`` and ``largest`` (d,) are the mean and the largest size of each column; ``singular`` and ``axes`` those of X without its mean.
    """

    def __init__(self, X: np.ndarray) -> None:
        self.design = with_one(X)
        self.inverse = pseudo_inverse(self.design)
        self.centre, self.largest, self.deviation = X.mean(axis=0), np.abs(X).max(axis=0), X.std(axis=0)
        _, self.singular, self.axes = np.linalg.svd(X - self.centre, full_matrices=False)

    def coefficients(self, targets: np.ndarray) -> np.ndarray:
        """Of least squares for targets (m,) or (m, t): (d + 1,) or (d + 1, t)."""
        return self.inverse @ targets

    def mean_and_deviation(self, coefficients: np.ndarray) -> tuple[float, float]:
        """Of (1, X) times the coefficients."""
        score = self.design @ coefficients
        return score.mean(), score.std()


class ProjectionInBlocks:
    """The same of any number of people: columns are centred and divided by their deviation, and the triangle of a QR is carried on.

    The numbers are those of :class:`Projection` up to rounding, as a QR of the rows loses no more than one of all of them. Where features
    depend on each other the fitted values are the same, and the coefficients the smallest for standardized columns.
    """

    def __init__(self, X: np.ndarray) -> None:
        self.X, (self.m, d) = X, X.shape
        total, self.largest = np.zeros(d), np.zeros(d)
        for at in blocks(self.m):
            rows = floats(X[at])
            total += rows.sum(axis=0)
            np.maximum(self.largest, np.abs(rows).max(axis=0), out=self.largest)
        self.centre = total / self.m
        triangle: np.ndarray = np.empty((0, d + 1))
        for at in blocks(self.m):
            triangle = np.asarray(np.linalg.qr(np.vstack([triangle, with_one(floats(X[at]) - self.centre)]), mode="r"))
        self.root = triangle[1:, 1:]                # root' root is X'X without the mean, also what rounding left of it
        _, self.singular, axes = np.linalg.svd(self.root)
        self.axes = oriented(axes)
        self.deviation = np.linalg.norm(self.root, axis=0) / np.sqrt(self.m)
        self._standardize(triangle)

    def _standardize(self, triangle: np.ndarray) -> None:
        """``to`` takes coefficients of standardized columns to those of (1, X); ``half`` makes these columns orthonormal; what is left out
        is what :func:`dpfair_teach.oracles.regression.lost_to_scale` leaves out."""
        varies = self.deviation > np.maximum(1e-12 * self.largest, 1e-50)
        scale = np.where(varies, 1 / np.where(varies, self.deviation, 1.0), 0.0)
        self.to = np.diag(np.append(1.0, scale))
        self.to[0, 1:] = -self.centre * scale
        self.scale = scale
        _, singular, right = np.linalg.svd(triangle * np.append(1.0, scale))
        rounding = np.finfo(float).eps * np.sqrt(self.m) * np.linalg.norm(right[:, 1:] * (self.largest * scale), axis=1)
        here = singular > np.maximum(PRECISE * singular[0], 4 * rounding)
        self.half = right[here].T / singular[here]

    def coefficients(self, targets: np.ndarray) -> np.ndarray:
        projected = np.zeros((self.half.shape[1], *targets.shape[1:]))
        for at in blocks(self.m):
            projected += (with_one((floats(self.X[at]) - self.centre) * self.scale) @ self.half).T @ targets[at]
        return self.to @ (self.half @ projected)

    def mean_and_deviation(self, coefficients: np.ndarray) -> tuple[float, float]:
        return (float(coefficients[0] + self.centre @ coefficients[1:]),
                float(np.linalg.norm(self.root @ coefficients[1:]) / np.sqrt(self.m)))


def oriented(axes: np.ndarray) -> np.ndarray:
    """Each row with its largest entry above 0: which of the two ways an axis points would be up to the blocks."""
    return axes * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]


def projection_on(X: np.ndarray) -> Projection | ProjectionInBlocks:
    return Projection(X) if together(len(X)) else ProjectionInBlocks(X)
