"""Where A is handed to a release: each question is one, and its record is kept. (``designed`` has :func:`ask_part`.)"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..mechanisms import UNIT_A, Release, release, release_cells
from ..mechanisms.geometric import geometric_variance
from ._public import Columns, Public
from .known import Known
from .releases import Norm, debiased_groups, number_of, release_sums


class Asked(Known):
    """What is known about the groups so far, how to ask for more, and the records.

    Only people whose rates are compared are asked: all, or those of one label.
    """

    def __init__(self, public: Public, A: np.ndarray, k: int, rng: np.random.Generator) -> None:
        super().__init__(public, k)
        self.releases: list[Release] = []
        self.answers: list[tuple[Any, np.ndarray]] = []
        self._A, self._rng = A, rng

    def histogram(self, codes: np.ndarray, n_cells: int, epsilon: float, sets_mean: bool = False) -> None:
        """Count the groups in public cells; the first histogram also sets the prior mean, by its own total."""
        who = self.public.who
        counts, release = release_cells(codes[who], self._A[who], epsilon, self._rng, n_groups=self.k, n_cells=n_cells,
                                        every_group=self.every_group)
        self._record(release, codes, counts)
        self.count(codes, counts, geometric_variance(number_of(release.sensitivity), epsilon), sets_mean)

    def response(self, epsilon: float) -> None:
        """A randomized response of everybody who is asked, debiased."""
        reports, record = release("randomized response", self._A[self.public.who], self._rng, unit=UNIT_A, epsilon=epsilon, n_groups=self.k)
        self._record(record, None, reports)
        self.report(debiased_groups(reports, self.k, epsilon), epsilon)

    def sums(self, epsilon: float, norm: Norm, columns: Columns) -> None:
        """The sums of (1, X), or of 1, the number of people, and the first coordinates of the public map."""
        public = self.public
        features = public.summed(columns)
        labels = public.y if len(public.people) == 2 else None      # one rate: labels play no part among those who are asked
        sums, release = release_sums(features[public.who], self._A[public.who], labels, epsilon, self._rng, n_groups=self.k, norm=norm,
                                     every_group=self.every_group)
        self._record(release, features, sums)
        d = features.shape[1]
        self.sum(features, sums, number_of(release.scale)**2 * (2.0 if norm == "l1" else d * len(self.groups) + 1.0))

    def _record(self, release: Release, question: np.ndarray | None, answer: np.ndarray) -> None:
        self.releases.append(release)
        self.answers.append((question, answer))
