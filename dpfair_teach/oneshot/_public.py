"""Everything that one-shot learning computes before it asks for a group: nothing in this file ever sees A."""
from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import numpy as np

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import AcceptanceNotion, OfGroups
from ..oracles.regression import PRECISE
from ._blocks import blocks, floats, together
from ._clusters import centres, clusters
from ._label import GivenLabel, LabelModel, centre_and_scale
from ._least import projection_on
from ._map import Map
from .candidates import as_many, served, strata_of
from .settings import DESIGNED, Designed

__all__ = ["public_part"]


class Public:
    """X and y, and what follows from them: the chance of label 1, a map of the features, cells on it.

    Of people who are looked at together it holds ``place``, a row a person, and ``eta_of_people``; of more X and y alone.
    """

    def __init__(self, X: object, y: object, settings: Designed = DESIGNED, *, parity: Parity | None = None, label: str = "y",
                 base: Any = None) -> None:
        names = check.column_names(X)
        self.X = check.filled("X", check.rows("X", X, low=-1e50, high=1e50), "feature")
        self.y = check.labels(label, y)
        if self.y.min() == self.y.max():
            check.refuse(label, int(self.y[0]), "everybody has the same label", "Give people of both labels.")
        as_many(label, self.y, "X", len(self.X))
        self.m, self.settings, self.together = len(self.X), settings, together(len(self.X))
        self.parity = parity = parity or Parity("equalized_odds", "anchor")
        self.people = strata_of(parity, self.y)         # those of each rate
        self.least = projection_on(self.X)
        self.base = self.least.coefficients(2.0 * self.y - 1)
        self._set_map()
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
        self.map = self.map.with_landmarks(landmarks.cluster_centers_)

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
        return f"public part of {self.m} people"

    def place_of(self, people: np.ndarray) -> np.ndarray:
        """Where some people stand on the map, (n, p)."""
        return self.place[people] if self.together else self.map.place(floats(self.X[people]))

    def cells_of(self, r: int, n_cells: int) -> tuple[np.ndarray, int]:
        """The cells 0, 1, ... of the people of one rate, and how many."""
        return clusters(self.place_of, self.people[r], n_cells, self.m, random_state=0)


@check.formerly(method="It is the only one, what was 'designed': leave it out.")
def public_part(X: object, Y: object, *, notion: AcceptanceNotion | Parity = "equalized_odds", against: OfGroups | None = None,
                base: Any = None) -> Public:
    """All that asking once computes from X and Y before it asks: a map of the people, cells on it, the chance of label 1. It never sees A.

    Source: ours, chapter 14. Standardize X: who is near whom depends on the units of its columns.

    Parameters
    ----------
    X : array (m, d)
    Y : array (m,) of 0/1, both occurring
    notion, against : as in :func:`multiplier_grid`
        Whose rates are compared.
    base : fitted classifier with ``predict_proba``, optional
        Its P(Y = 1 | x) in the place of the logistic's, see :class:`FrontierLearner`. It must not have seen A.

    Returns
    -------
    record with ``X``, ``y``, ``m``; ``people``: an index of those of each rate; ``cells_of(r, n)``: at most n cells of those of rate r, a
        code for each, and their number; ``eta(X)``: the base's or a logistic's P(Y = 1 | x), for anybody

    Raises
    ------
    ValueError
        Arrays that do not fit, entries that are not finite, one label only, features that hardly vary; a base that cannot tell.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> public = public_part(people.X, people.Y)
    >>> [len(i) for i in public.people], public.cells_of(0, 6)[1]
    ([212, 188], 6)
    """
    check.same_people(X=X, Y=Y)
    return Public(X, Y, parity=served(notion, against), label="Y", base=base)


def settings_of(public: object) -> Designed:
    """The constants of what is a public part."""
    return check.instance("public", public, Public, "is not the public part of a data set",
                          "Make it with oneshot.public_part(X, Y).").settings
