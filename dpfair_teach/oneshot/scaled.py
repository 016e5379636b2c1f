"""X on a scale of its own, column by column, and what least squares and principal components need of it, in one look."""
from __future__ import annotations

import numpy as np

from .. import _checks as check
from ._blocks import blocks, floats, sample, with_one

#: Deviations from the mean at which a column is cut, and in how many looks mean and deviation settle without what is cut.
CUT, LOOKS = 4.0, 3
#: At the first look: so many middle distances from the median, four deviations of a normal law.
REACH = 6.0
#: What is smaller than this share of a column's middle is rounding; the same of a direction's deviation beside the largest.
ROUNDING, FLAT = 1e-12, 1e-5


class Scaling:
    """Columns of X less their mean, in standard deviations, and cut at four of these: units and a few wild entries do not matter.

    X is public, and so are the numbers. A column that is the same for everybody is 0. ``mean`` and ``deviation`` (d,) are those of the
    entries as they are when they have been cut; medians start, so that an entry however far out changes them by little.
    """

    def __init__(self, X: np.ndarray) -> None:
        m, d = X.shape
        centre, reach = middle(X)
        for _ in range(LOOKS):
            total, squares = np.zeros(d), np.zeros(d)
            for at in blocks(m, d):
                rows = np.clip(floats(X[at]) - centre, -reach, reach)
                total += rows.sum(axis=0)
                squares += (rows**2).sum(axis=0)
            moved = total / m
            centre, deviation = centre + moved, np.sqrt(np.maximum(squares / m - moved**2, 0.0))
            reach = CUT * deviation
        same = deviation <= ROUNDING * np.abs(centre)
        if same.all():
            check.refuse("X", float(deviation.max()), "is the largest standard deviation of its columns: the features hardly vary",
                         "Give features that vary, and take a mean that is far from 0 off them.")
        self.mean, self.deviation = centre, np.where(same, np.inf, deviation)

    def __call__(self, X: np.ndarray) -> np.ndarray:
        Z = np.subtract(X, self.mean, order="C", dtype=float)
        Z /= self.deviation
        return np.clip(Z, -CUT, CUT, out=Z)


def middle(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each column the median, and six times the median distance from it of those who are not at it: of a rare indicator most are."""
    some = floats(X[sample(len(X))])
    centre = np.median(some, axis=0)
    distance = np.abs(some - centre)
    distance[distance <= ROUNDING * np.abs(centre)] = np.nan
    empty = np.isnan(distance).all(axis=0)
    distance[0, empty] = np.inf                     # nobody of the sample says how far out its people are
    return centre, REACH * np.nanmedian(distance, axis=0)


class Moments:
    """Of scaled people and targets: principal axes, the first of deviation 1, and least squares on (1, Z).

    ``axes`` (d, r) with ``mean`` (d,); ``coefficients`` (d + 1,), the smallest that fit the targets best. All is made of sums over people,
    so people in any number are read a block at a time, once.
    """

    def __init__(self, X: np.ndarray, scaling: Scaling, targets: np.ndarray) -> None:
        d = X.shape[1]
        products, with_targets = np.zeros((d + 1, d + 1)), np.zeros(d + 1)
        for at in blocks(*X.shape):
            rows = with_one(scaling(X[at]))
            products += rows.T @ rows
            with_targets += rows.T @ targets[at]
        self.mean = products[0, 1:] / len(X)
        covariance = products[1:, 1:] / len(X) - np.outer(self.mean, self.mean)
        values, vectors = np.linalg.eigh(covariance)
        order = np.argsort(-values)
        values, vectors = values[order], vectors[:, order]
        kept = values > FLAT**2 * values[0]
        values, vectors = values[kept], oriented(vectors[:, kept])
        self.axes = vectors / np.sqrt(values[0])
        slopes = vectors @ ((vectors.T @ (with_targets[1:] / len(X) - self.mean * targets.mean())) / values)
        self.coefficients = np.append(targets.mean() - self.mean @ slopes, slopes)
        #: Of the fitted values.
        self.fitted_mean, self.fitted_deviation = float(targets.mean()), float(np.sqrt(max(slopes @ covariance @ slopes, 0.0)))


def oriented(axes: np.ndarray) -> np.ndarray:
    """Each column with its largest entry above 0: which of the two ways an axis points would be a processor's affair."""
    return axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
