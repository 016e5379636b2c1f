"""Where A is handed to a release: each question is one, and its record is kept. (``designed`` has :func:`ask_part`.)"""
from __future__ import annotations

import numpy as np

from ..mechanisms import UNIT_A, release, release_cells
from ..mechanisms.geometric import geometric_variance
from ._public import Columns, Public
from .known import Known
from .releases import Norm, debiased_groups, number_of, release_sums


class Asked:
    """The questions of a run: each is handed A here, and its answer to what is ``known``, which never sees A.

    Only people whose rates are compared are asked: all, or those of one label.
    """

    def __init__(self, public: Public, A: np.ndarray, k: int, rng: np.random.Generator) -> None:
        self.known, self._A, self._rng = Known(public, k), A, rng

    def histogram(self, codes: np.ndarray, n_cells: int, epsilon: float, sets_mean: bool = False) -> None:
        """Count the groups in public cells; the first histogram also sets the prior mean, by its own total."""
        known, who = self.known, self.known.public.who
        counts, release = release_cells(codes[who], self._A[who], epsilon, self._rng, n_groups=known.k, n_cells=n_cells,
                                        every_group=known.every_group)
        known.record(release, codes, counts)
        known.count(codes, counts, geometric_variance(number_of(release.sensitivity), epsilon), sets_mean)

    def response(self, epsilon: float) -> None:
        """A randomized response of everybody who is asked, debiased."""
        known = self.known
        reports, record = release("randomized response", self._A[known.public.who], self._rng, unit=UNIT_A, epsilon=epsilon,
                                  n_groups=known.k)
        known.record(record, None, reports)
        known.report(debiased_groups(reports, known.k, epsilon), epsilon)

    def sums(self, epsilon: float, norm: Norm, columns: Columns) -> None:
        """The sums of (1, X), or of 1, the number of people, and the first coordinates of the public map."""
        known, public = self.known, self.known.public
        features = public.summed(columns)
        labels = public.y if len(public.people) == 2 else None      # one rate: labels play no part among those who are asked
        sums, release = release_sums(features[public.who], self._A[public.who], labels, epsilon, self._rng, n_groups=known.k, norm=norm,
                                     every_group=known.every_group)
        known.record(release, features, sums)
        d = features.shape[1]
        known.sum(features, sums, number_of(release.scale)**2 * (2.0 if norm == "l1" else d * len(known.groups) + 1.0))
