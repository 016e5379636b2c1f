"""The posterior of more people than are looked at together: features exist a block at a time, and of a cell everybody keeps the number."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from ._blocks import blocks, floats
from ._map import Map
from .posterior import Observed


class Counts:
    """The weights (q, N) with which people in cells 0, ..., q - 1 are counted: 1 in the own cell."""

    def __init__(self, codes: np.ndarray, q: int) -> None:
        self.codes, self.q = codes.astype(np.int32), q

    def sums(self, rows: np.ndarray, at: slice) -> np.ndarray:
        """Of numbers (n, c) of the people of a block, over each cell."""
        n = len(rows)
        return sparse.csc_array((np.ones(n), self.codes[at], np.arange(n + 1)), shape=(self.q, n)) @ rows

    def sizes(self) -> np.ndarray:
        return np.bincount(self.codes, minlength=self.q).astype(float)

    def back(self, pull: np.ndarray) -> np.ndarray:
        """What each person gets of a number for each cell."""
        return pull[self.codes]

    def crossed(self, other: Counts | Weights) -> np.ndarray:
        """This times the other transposed."""
        if isinstance(other, Weights):
            return np.stack([np.bincount(self.codes, row, minlength=self.q) for row in other.rows], axis=1)
        both = np.bincount(self.codes * np.int64(other.q) + other.codes, minlength=self.q * other.q)
        return both.reshape(self.q, other.q).astype(float)

    def __matmul__(self, numbers: np.ndarray) -> np.ndarray:
        return np.bincount(self.codes, numbers, minlength=self.q)


class Weights:
    """Any weights (q, N), as of sums of features."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows, self.q = rows, len(rows)

    def sums(self, rows: np.ndarray, at: slice) -> np.ndarray:
        return self.rows[:, at] @ rows

    def sizes(self) -> np.ndarray:
        return self.rows.sum(axis=1)

    def back(self, pull: np.ndarray) -> np.ndarray:
        return self.rows.T @ pull

    def crossed(self, other: Counts | Weights) -> np.ndarray:
        return self.rows @ other.rows.T if isinstance(other, Weights) else other.crossed(self).T


class FeaturesInBlocks:
    """The prior features of some people, (N, r), of which a block exists at a time; they can be scaled, multiplied and summed."""

    __array_ufunc__ = None      # a numpy number that is multiplied with them leaves that to __rmul__

    def __init__(self, X: np.ndarray, people: np.ndarray, map: Map, scale: float = 1.0,
                 known: list[tuple[Counts | Weights, np.ndarray]] | None = None) -> None:
        self.X, self.people, self.map, self.scale = X, people, map, scale
        self.known = [] if known is None else known     # sums that were made before, not scaled

    def __len__(self) -> int:
        return len(self.people)

    def __rmul__(self, scale: float) -> FeaturesInBlocks:
        return FeaturesInBlocks(self.X, self.people, self.map, float(scale) * self.scale, self.known)

    def _places(self) -> Iterator[tuple[slice, np.ndarray]]:
        for at in blocks(len(self)):
            yield at, self.map.place(floats(self.X[self.people[at]]))

    def __matmul__(self, weights: np.ndarray) -> np.ndarray:
        found = np.empty(len(self))
        for at, place in self._places():
            found[at] = self.map.product(place, weights)
        return self.scale * found

    def sums(self, question: Counts | Weights) -> np.ndarray:
        """question @ features, (q, r)."""
        for asked, found in self.known:
            if asked is question:
                return self.scale * found
        of_place, of_bells = (np.zeros((question.q, n)) for n in (self.map.landmarks.shape[1], len(self.map.landmarks)))
        for at, place in self._places():
            of_place += question.sums(place, at)
            of_bells += question.sums(self.map.bells(place), at)
        self.known.append((question, self.map.whitened(of_place, of_bells)))
        return self.scale * self.known[-1][1]


class NoFeatures:
    """Of people whose answers alone are known: one feature, which is 0."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __matmul__(self, weights: np.ndarray) -> np.ndarray:
        return np.zeros(self.n)

    def sums(self, question: Counts | Weights) -> np.ndarray:
        return np.zeros((question.q, 1))


class ObservedInBlocks(Observed):
    """All that was asked about the people of one label so far, question by question."""

    def __init__(self, features: FeaturesInBlocks | NoFeatures) -> None:
        self.features: FeaturesInBlocks | NoFeatures = features
        self.asked: list[Counts | Weights] = []
        self.answers, self.variances = np.empty(0), np.empty(0)
        self.known: dict[tuple[int, int], np.ndarray] = {}

    @staticmethod
    def alone(n):
        return ObservedInBlocks(NoFeatures(n))

    @staticmethod
    def counting(codes, n):
        return Counts(codes, n)

    @staticmethod
    def weighing(rows):
        return Weights(rows)

    def add(self, queries, answers, variances):
        self.asked = [*self.asked, queries]
        self.answers, self.variances = np.append(self.answers, answers), np.append(self.variances, variances)
        return self

    def joined(self, other):
        self.asked = [*self.asked, *other.asked]
        self.answers, self.variances = np.append(self.answers, other.answers), np.append(self.variances, other.variances)
        return self

    def under(self, features):
        other = ObservedInBlocks(features)
        other.asked, other.answers, other.variances, other.known = self.asked, self.answers, self.variances, self.known
        return other

    def products(self):
        n = range(len(self.asked))
        return (np.concatenate([self.features.sums(question) for question in self.asked]),
                np.block([[self._crossed(i, j) for j in n] for i in n]), np.concatenate([question.sizes() for question in self.asked]))

    def _crossed(self, i, j):
        if i > j:
            return self._crossed(j, i).T
        if (i, j) not in self.known:
            self.known[i, j] = self.asked[i].crossed(self.asked[j])
        return self.known[i, j]

    def of_people(self, weights, pull):
        own = np.zeros(len(self.features))
        for question, part in zip(self.asked, np.split(pull, np.cumsum([question.q for question in self.asked])[:-1]), strict=True):
            own += question.back(part)
        return self.features @ weights, own
