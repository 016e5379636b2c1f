"""Everything that one-shot learning computes before it asks for a group: nothing in this file ever sees A."""
from __future__ import annotations

import copy
import hashlib
from functools import cached_property
from typing import Any, Literal

import numpy as np

from .. import _checks as check
from ..fairness import Parity
from ..oracles.regression import PRECISE
from ._blocks import blocks, floats, together, with_one
from ._clusters import centres, clusters
from ._label import GivenLabel, LabelModel, centre_and_scale
from ._least import Projection, projection_on
from ._map import Map
from .candidates import strata_of
from .in_blocks import FeaturesInBlocks
from .releases import as_many
from .settings import DEFAULTS, Designed, Settings

#: Where candidates come from.
Oracle = Literal["regression", "logistic", "bayes"]
#: Whose sums may be asked for: coordinates of the public map, or the features themselves.
Columns = Literal["coordinates", "features"]


class Public:
    """X and y, and what follows from them: the oracle's projection, the base score, a map of the features, cells, prior covariance.

    Of people who are looked at together it holds ``place``, ``features`` and the like, a row a person; of more X and y alone.
    """

    def __init__(self, X: object, y: object, settings: Settings = DEFAULTS, *, oracle: Oracle = "regression",
                 parity: Parity | None = None, label: str = "y", base: Any = None) -> None:
        names = check.column_names(X)
        self.X = check.filled("X", check.rows("X", X, low=-1e50, high=1e50), "feature")
        self.y = check.labels(label, y)
        if self.y.min() == self.y.max():
            check.refuse(label, int(self.y[0]), "everybody has the same label", "Give people of both labels.")
        as_many(label, self.y, "X", len(self.X))
        self.m, self.settings, self.oracle, self.together = len(self.X), settings, oracle, together(len(self.X))
        self.parity = parity = parity or Parity("equalized_odds", "anchor")
        self.people = strata_of(parity, self.y)         # those of each rate
        #: Who is asked, as an index: everybody by a slice, which makes no copies.
        self.who: np.ndarray | slice = self.people[0] if len(self.people[0]) < self.m and len(self.people) == 1 else slice(None)
        self.least = projection_on(self.X)
        self.base = self.least.coefficients(2.0 * self.y - 1)
        self._set_map()
        self._cells: dict[int, tuple[np.ndarray, int]] = {}
        if oracle != "regression":
            self.eta = GivenLabel(base, names) if base is not None else LabelModel(
                self.X, self.y, *centre_and_scale(self.least.centre, self.least.deviation, self.least.largest))
            if self.together:
                self.eta_of_people = self.eta(self.X)
            elif base is not None:          # it may raise, and after an answer nothing may
                for at in blocks(self.m):
                    self.eta(floats(self.X[at]))

    def _set_map(self) -> None:
        singular = self.least.singular
        if singular[0] <= PRECISE * np.sqrt(self.m) * max(1.0, np.abs(self.least.centre).max()):
            far = int(np.abs(self.least.centre).argmax())
            if singular[0] > PRECISE * np.sqrt(self.m) and (self.least.deviation > 1e-6 * np.abs(self.least.centre)).any():
                check.refuse("X", float(self.least.centre[far]), f"is the mean of column {far}, so far from 0 that in doubles nothing "
                             "varies beside it", "Take the mean off that column, or leave it out if it is the same for all.")
            check.refuse("X", float(singular[0]), "is its largest singular value without the mean: the features hardly vary beside it",
                         "Give features that vary, standardized.")
        axes = self.least.axes[singular > 1e-9 * singular[0]].T * np.sqrt(self.m) / singular[0]
        self.map = Map(self.settings, self.least.centre, axes, self.base, self.least.mean_and_deviation(self.base))
        if self.together:
            self.place = self.map.place(self.X)
        landmarks = centres(self.place_of, np.arange(self.m), self.settings.landmarks, self.m, max_iter=20, random_state=1)
        self._set_features(landmarks.cluster_centers_)

    def _set_features(self, landmarks: np.ndarray) -> None:
        self.map = self.map.with_landmarks(landmarks, self.settings)
        self.features_of: list
        if self.together:
            self.features = self.map.features(self.place)
            self.features_of = [self.features[i] for i in self.people]
        else:
            self.features_of = [FeaturesInBlocks(self.X, i, self.map) for i in self.people]

    @cached_property
    def partition(self) -> str:
        """A name for who has which label, where rates are compared by this notion. Of other people, labels or order of them it is another
        one, and then what was asked adds up; of another notion, too, since rows do not say who they are: a table may look the same, and
        its label 1 be who had label 0. By one notion a fit asks every part for as much, and it does not matter who is in which."""
        found = hashlib.sha256(repr(self.parity).encode() + self.y.astype(np.uint8).tobytes())
        for at in blocks(self.m):
            found.update(floats(self.X[at]).tobytes())
        return f"labels {found.hexdigest()[:16]}"

    def counts_every_group(self, k: int) -> bool:
        """Is group 0 asked for, too? Between pairs of three or more groups that costs no more, and treats all alike."""
        return self.parity.against == "pairs" and k > 2

    def __repr__(self) -> str:
        return f"public part of {self.m} people, {type(self.settings).__name__}"

    def under(self, settings: Settings) -> Public:
        """The same map, cells and label model with the length, variances and residual of other settings."""
        other = copy.copy(self)
        other.settings = settings
        other._set_features(self.map.landmarks)
        return other

    def place_of(self, people: np.ndarray) -> np.ndarray:
        """Where some people stand on the map, (n, p)."""
        return self.place[people] if self.together else self.map.place(floats(self.X[people]))

    @property
    def asked(self) -> np.ndarray:
        """Those whose rates are compared, in increasing order."""
        return np.arange(self.m)[self.who]

    @property
    def design(self) -> np.ndarray:
        """(1, X) of people who are looked at together."""
        assert isinstance(self.least, Projection)
        return self.least.design

    def summed(self, columns: Columns) -> np.ndarray:
        """What the sums are of: (1, X), or of everybody a 1, the base score and the first coordinates of the map."""
        if columns == "features":
            return self.design if self.together else with_one(floats(self.X))
        n, parts = self.settings.coordinates, []
        for at in blocks(self.m):
            place = self.place if self.together else self.map.place(floats(self.X[at]))
            parts.append(np.column_stack([np.ones(len(place)), place[:, -1], place[:, :n - 1]]))
        return parts[0] if self.together else np.concatenate(parts)

    def cells(self, n_cells: int) -> tuple[np.ndarray, int]:
        """Everybody's cell, ``n_cells`` for each rate (fewer where it has fewer different people), -1 for who is not asked; how many."""
        if n_cells not in self._cells:
            codes, start = np.full(self.m, -1, dtype=np.int32), 0
            for r, i in enumerate(self.people):
                found, n = self.cells_of(r, n_cells)
                codes[i] = start + found
                start += n
            self._cells[n_cells] = codes, start
        return self._cells[n_cells]

    def cells_of(self, r: int, n_cells: int) -> tuple[np.ndarray, int]:
        """The cells 0, 1, ... of the people of one rate, and how many."""
        return clusters(self.place_of, self.people[r], n_cells, self.m, random_state=0)


def settings_of(public: object) -> Designed:
    """The constants of a public part that was made for this."""
    if not isinstance(public, Public) or not isinstance(public.settings, Designed):
        check.refuse("public", public, "is not the public part of a data set, for this method",
                     "Make it with oneshot.public_part(X, Y, method='designed').")
    return public.settings
