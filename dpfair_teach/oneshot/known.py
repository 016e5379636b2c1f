"""What is known about the groups after each answer; nothing in this file ever sees A."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import mechanisms
from ..mechanisms import Release
from ._map import Map
from ._public import Public
from .in_blocks import ObservedInBlocks
from .posterior import Observed
from .smoothing import likeliest


class Known:
    """A linear-Gaussian model for each rate and each group that is asked for.

    Groups 1, ..., k-1 are asked for, and group 0 is the rest; between pairs of three or more groups every group is, which costs no more and
    treats all alike.
    """

    def __init__(self, public: Public, k: int) -> None:
        self.public, self.k = public, k
        self.every_group = public.counts_every_group(k)
        self.groups, rates = range(0 if self.every_group else 1, k), len(public.people)
        self._observes = Observed if public.together else ObservedInBlocks
        self.observed = [[self._observes(features) for features in public.features_of] for _ in self.groups]
        self.means = np.full((len(self.groups), rates), 1 / k)
        self.weights_of_features = np.zeros((len(self.groups), rates, public.map.width))
        self.reports: np.ndarray | None = None
        self.releases: list[Release] = []
        self.answers: list[tuple[Any, np.ndarray]] = []

    def record(self, release: Release, question: np.ndarray | None, answer: np.ndarray) -> None:
        """Keep an answer, and its record."""
        self.releases.append(release)
        self.answers.append((question, answer))

    def count(self, codes: np.ndarray, counts: np.ndarray, variance: float, sets_mean: bool = False) -> None:
        """Noisy counts of public cells; the first also set the prior mean, by their own total."""
        for y, i in enumerate(self.public.people):
            here, code = np.unique(codes[i], return_inverse=True)
            code = code.reshape(-1)
            queries = self._observes.counting(code, len(here))
            for a, answers in enumerate(counts[:, here].astype(float)):
                if sets_mean:
                    self._set_mean(a, y, answers.sum() / len(i))
                if self.reports is not None:        # the sum of the debiased reports of a cell is an answer too
                    kept = mechanisms.randomized_response_matrix(self.k, self.response_epsilon)
                    one = kept[0, 0] * (1 - kept[0, 0]) / (kept[0, 0] - kept[0, 1]) ** 2
                    if self.k > 2:      # the weight of who is not in the group varies otherwise
                        other = kept[0, 1] * (1 - kept[0, 1]) / (kept[0, 0] - kept[0, 1]) ** 2
                        one = self.means[a, y] * one + (1 - self.means[a, y]) * other
                    self.observed[a][y].add(queries, queries @ self.reports[i, self.groups[a]], np.bincount(code) * one)
                self.observed[a][y].add(queries, answers, np.full(len(here), variance))

    def report(self, debiased: np.ndarray, epsilon: float) -> None:
        """Debiased reports (n, k) of everybody who was asked."""
        self.reports, self.response_epsilon = np.zeros((self.public.m, self.k)), epsilon
        self.reports[self.public.who] = debiased
        for y, i in enumerate(self.public.people):
            for a, group in enumerate(self.groups):
                self.observed[a][y] = self._observes.alone(len(i))
                self._set_mean(a, y, self.reports[i, group].mean())

    def sum(self, features: np.ndarray, sums: np.ndarray, variance: float) -> None:
        """Noisy sums (k-1, R, d) of features (m, d), the first of which is a 1."""
        for y, i in enumerate(self.public.people):
            for a in range(len(self.groups)):
                self._set_mean(a, y, sums[a, y, 0] / len(i))
                self.observed[a][y].add(self._observes.weighing(features[i].T), sums[a, y], np.full(features.shape[1], variance))

    def smooth_by_likelihood(self) -> None:
        """From here on with the prior covariance that the answers so far speak for."""
        self.public = likeliest(self.public, self.observed, self.means)
        self.observed = [[one.under(features) for one, features in zip(row, self.public.features_of, strict=True)] for row in self.observed]

    def _set_mean(self, a: int, y: int, mean: float) -> None:
        self.means[a, y] = np.clip(mean, 0.05, 0.95)

    def expected(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights (m, k) of everybody on every group, for audits; and the smooth P(A = a | x, y), for candidates."""
        if self.reports is not None and len(self.observed[0][0].answers) == 0:
            return self.reports, self.reports
        public = self.public
        both = np.zeros((2, public.m, self.k))
        for y, i in enumerate(public.people):
            for a, group in enumerate(self.groups):
                mean = self.means[a, y]
                residual = (public.settings.residual if self.reports is None else 1.0) * mean * (1 - mean)
                observed = self.observed[a][y]
                both[0, i, group], both[1, i, group], weights = observed.expected(mean, residual)
                if self.reports is None:
                    self.weights_of_features[a, y] = weights
        if self.every_group:        # what the groups' chances are above 1 together, each gives an equal part of
            both -= (both.sum(axis=2, keepdims=True) - 1) / self.k
        else:
            both[:, :, 0] = 1 - both[:, :, 1:].sum(axis=2)
        return both[0], both[1]

    def chances(self) -> Chances:
        """P(A = a | x, y) as a function of x, by the answers of the last :meth:`expected`."""
        return Chances(self.public, self.means.copy(), self.weights_of_features.copy(), self.every_group)


class Chances:
    """P(A = a | x, y) for every rate and group, as a function of x: means, weights and the public map, and nobody's data."""

    def __init__(self, public: Public, means: np.ndarray, weights: np.ndarray, every_group: bool) -> None:
        self.map: Map = public.map
        self.together, self.means, self.weights, self.every_group = public.together, means, weights, every_group

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """(n, R, k), indexed [x, rate, a]."""
        place = self.map.place(X)
        if self.together:
            return self.of(self.weights @ self.map.features(place).T)
        return self.of(self.map.product(place, self.weights.reshape(-1, self.map.width).T).T.reshape(*self.means.shape, -1))

    def of_people(self, public: Public) -> np.ndarray:
        """For the people learned from, who are looked at together."""
        return self.of(self.weights @ public.features.T)

    def of(self, told: np.ndarray) -> np.ndarray:
        """Of weights times features."""
        given = self.means[:, :, None] + told               # [a - 1, rate, x], or of every group
        if self.every_group:
            given = np.clip(given - (given.sum(axis=0) - 1) / len(given), 0.0, 1.0)
        else:
            given = np.clip(given, 0.0, 1.0)
            given = np.concatenate([rest_of(given), given])
        return np.moveaxis(given, (0, 1, 2), (2, 1, 0))


def rest_of(given: np.ndarray) -> np.ndarray:
    """P(A = 0 | x, y), as (1, ...), of the other groups' (k - 1, ...)."""
    return np.clip(1 - given.sum(axis=0, keepdims=True), 0.0, 1.0)
