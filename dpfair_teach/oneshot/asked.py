"""The only file of one-shot learning that hands A to a release, or keeps it: each question is one release, and its record is kept."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import mechanisms
from ..accounting import UNIT_A, Release
from ._public import Columns, Public
from .in_blocks import ObservedInBlocks
from .posterior import Observed
from .releases import Norm, debiased_groups, geometric_variance, release_cells, release_sums
from .smoothing import likeliest


class Asked:
    """What is known about the groups so far: a linear-Gaussian model for each rate and group that is asked for, and the records.

    Only people whose rates are compared are asked: all, or those of one label. Groups 1, ..., k-1 are asked for, and group 0 is the rest;
    between pairs of three or more groups every group is, which costs no more and treats all alike.
    """

    def __init__(self, public: Public, A: np.ndarray, k: int, rng: np.random.Generator) -> None:
        self.public, self.k = public, k
        self.releases: list[Release] = []
        self.answers: list[tuple[Any, np.ndarray]] = []
        self._A, self._rng = A, rng
        self.every_group = public.parity.against == "pairs" and k > 2
        self.groups, rates = range(0 if self.every_group else 1, k), len(public.people)
        self._observes = Observed if public.together else ObservedInBlocks
        self.observed = [[self._observes(features) for features in public.features_of] for _ in self.groups]
        self.means = np.full((len(self.groups), rates), 1 / k)
        self.weights_of_features = np.zeros((len(self.groups), rates, public.map.width))
        self.reports: np.ndarray | None = None

    def histogram(self, codes: np.ndarray, n_cells: int, epsilon: float, sets_mean: bool = False) -> None:
        """Count the groups in public cells; the first histogram also sets the prior mean, by its own total."""
        who = self.public.who
        counts, release = release_cells(codes[who], self._A[who], epsilon, self._rng, n_groups=self.k, n_cells=n_cells,
                                        every_group=self.every_group)
        self._record(release, codes, counts)
        variance = geometric_variance(number_of(release.sensitivity), epsilon)
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

    def response(self, epsilon: float) -> None:
        """A randomized response of everybody who is asked, debiased."""
        reports = mechanisms.randomized_response(self._A[self.public.who], self.k, epsilon, self._rng)
        self._record(Release("randomized response", UNIT_A, epsilon=epsilon), None, reports)
        self.reports, self.response_epsilon = np.zeros((self.public.m, self.k)), epsilon
        self.reports[self.public.who] = debiased_groups(reports, self.k, epsilon)
        for y, i in enumerate(self.public.people):
            for a, group in enumerate(self.groups):
                self.observed[a][y] = self._observes.alone(len(i))
                self._set_mean(a, y, self.reports[i, group].mean())

    def sums(self, epsilon: float, norm: Norm, columns: Columns) -> None:
        """The sums of (1, X), or of 1, the number of people, and the first coordinates of the public map."""
        public = self.public
        features = public.summed(columns)
        labels = public.y if len(public.people) == 2 else None      # one rate: labels play no part among those who are asked
        sums, release = release_sums(features[public.who], self._A[public.who], labels, epsilon, self._rng, n_groups=self.k, norm=norm,
                                     every_group=self.every_group)
        self._record(release, features, sums)
        d = features.shape[1]
        variance = number_of(release.scale)**2 * (2.0 if norm == "l1" else d * len(self.groups) + 1.0)
        for y, i in enumerate(public.people):
            for a in range(len(self.groups)):
                self._set_mean(a, y, sums[a, y, 0] / len(i))
                self.observed[a][y].add(self._observes.weighing(features[i].T), sums[a, y], np.full(d, variance))

    def smooth_by_likelihood(self) -> None:
        """From here on with the prior covariance that the answers so far speak for."""
        self.public = likeliest(self.public, self.observed, self.means)
        self.observed = [[one.under(features) for one, features in zip(row, self.public.features_of, strict=True)] for row in self.observed]

    def _record(self, release: Release, question: np.ndarray | None, answer: np.ndarray) -> None:
        self.releases.append(release)
        self.answers.append((question, answer))

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


def number_of(kept: float | None) -> float:
    """A number that records of added noise have."""
    assert kept is not None
    return kept
