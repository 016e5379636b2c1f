"""The only file of one-shot learning that hands A to a release, or keeps it: each question is one release, and its record is kept."""
from __future__ import annotations

import numpy as np

from .. import mechanisms
from ..accounting import UNIT_A, Release
from ._public import Public
from .posterior import Observed
from .releases import debiased_groups, geometric_variance, release_cells, release_sums
from .smoothing import likeliest


class Asked:
    """What is known about the groups so far: a linear-Gaussian model for each label and group 1, ..., k-1, and the records."""

    def __init__(self, public: Public, A: np.ndarray, k: int, rng: np.random.Generator) -> None:
        self.public, self.k, self.releases, self.answers = public, k, [], []
        self._A, self._rng = A, rng
        self.observed = [[Observed(features) for features in public.features_of] for _ in range(1, k)]
        self.means = np.full((k - 1, 2), 1 / k)
        self.weights_of_features = np.zeros((k - 1, 2, public.features.shape[1]))
        self.reports: np.ndarray | None = None

    def histogram(self, codes: np.ndarray, n_cells: int, epsilon: float, sets_mean: bool = False) -> None:
        """Count the groups in public cells; the first histogram also sets the prior mean, by its own total."""
        counts, release = release_cells(codes, self._A, epsilon, self._rng, n_groups=self.k, n_cells=n_cells)
        self._record(release, codes, counts)
        variance = geometric_variance(release.sensitivity, epsilon)
        for y, i in enumerate(self.public.people):
            here, code = np.unique(codes[i], return_inverse=True)
            queries = np.zeros((len(here), len(i)))
            queries[code.reshape(-1), np.arange(len(i))] = 1.0
            for a, answers in enumerate(counts[:, here].astype(float)):
                if sets_mean:
                    self._set_mean(a, y, answers.sum() / len(i))
                if self.reports is not None:        # the sum of the debiased reports of a cell is an answer too
                    kept = mechanisms.randomized_response_matrix(self.k, self.response_epsilon)
                    one = kept[0, 0] * (1 - kept[0, 0]) / (kept[0, 0] - kept[0, 1]) ** 2
                    if self.k > 2:      # the weight of who is not in group a varies otherwise
                        other = kept[0, 1] * (1 - kept[0, 1]) / (kept[0, 0] - kept[0, 1]) ** 2
                        one = self.means[a, y] * one + (1 - self.means[a, y]) * other
                    self.observed[a][y].add(queries, queries @ self.reports[i, a + 1], queries.sum(axis=1) * one)
                self.observed[a][y].add(queries, answers, np.full(len(here), variance))

    def response(self, epsilon: float) -> None:
        """Everybody's randomized response, debiased."""
        reports = mechanisms.randomized_response(self._A, self.k, epsilon, self._rng)
        self._record(Release("randomized response", UNIT_A, None, None, epsilon), None, reports)
        self.reports, self.response_epsilon = debiased_groups(reports, self.k, epsilon), epsilon
        for y, i in enumerate(self.public.people):
            for a in range(self.k - 1):
                self.observed[a][y] = Observed(np.zeros((len(i), 1)))
                self._set_mean(a, y, self.reports[i, a + 1].mean())

    def sums(self, epsilon: float, norm: str, columns: str) -> None:
        """The sums of (1, X), or of 1, the number of people, and the first coordinates of the public map."""
        n = self.public.settings.coordinates
        place = self.public.place
        features = self.public.design if columns == "features" else np.column_stack([np.ones(len(place)), place[:, -1], place[:, :n - 1]])
        sums, release = release_sums(features, self._A, self.public.y, epsilon, self._rng, n_groups=self.k, norm=norm)
        self._record(release, features, sums)
        d = features.shape[1]
        variance = release.scale**2 * (2.0 if norm == "l1" else d * (self.k - 1) + 1.0)
        for y, i in enumerate(self.public.people):
            for a in range(self.k - 1):
                self._set_mean(a, y, sums[a, y, 0] / len(i))
                self.observed[a][y].add(features[i].T, sums[a, y], np.full(d, variance))

    def smooth_by_likelihood(self) -> None:
        """From here on with the prior covariance that the answers so far speak for."""
        self.public = likeliest(self.public, self.observed, self.means)
        self.observed = [[row[y].under(self.public.features_of[y]) for y in (0, 1)] for row in self.observed]

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
            for a in range(1, self.k):
                mean = self.means[a - 1, y]
                residual = (public.settings.residual if self.reports is None else 1.0) * mean * (1 - mean)
                observed = self.observed[a - 1][y]
                both[0, i, a], both[1, i, a], weights = observed.expected(mean, residual)
                if self.reports is None:
                    self.weights_of_features[a - 1, y] = weights
        both[:, :, 0] = 1 - both[:, :, 1:].sum(axis=2)
        return both[0], both[1]
