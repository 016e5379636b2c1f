"""Everything that one-shot learning computes before it asks for a group: nothing in this file ever sees A."""
from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import numpy as np

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import Notion, OfGroups
from ._blocks import blocks, floats
from ._clusters import centres, clusters
from ._label import label_chance
from ._map import Map
from .scaled import Moments, Scaling
from .settings import SETTINGS, TARGETS, Settings, Target
from .thresholds import as_many, read_cost, served

__all__ = ["public_data"]


class PublicData:
    """X and y, and what follows from them: the chance of label 1, a map of the features, cells on it.

    It holds ``eta_of_people``, and ``place``, a row a person.
    """

    def __init__(self, X: object, y: object, settings: Settings = SETTINGS, *, parity: Parity | None = None, label: str = "y",
                 base: Any = None, cost: tuple[float, float] = (1.0, 1.0), target: Target = "these") -> None:
        names = check.column_names(X)
        self.X = check.filled("X", check.rows("X", X, low=-1e50, high=1e50), "feature")
        self.y = check.labels(label, y)
        if self.y.min() == self.y.max():
            check.refuse(label, int(self.y[0]), "everybody has the same label", "Give people of both labels.")
        as_many(label, self.y, "X", len(self.X))
        self.m, self.settings, self.target = len(self.X), settings, target
        self.parity = parity = parity or Parity("equalized_odds", "anchor")
        #: Of each rate those whose rates are compared, indices: of a label, or all.
        self.people = [np.arange(self.m) if cell.label is None else np.flatnonzero(self.y == cell.label) for cell in parity.cells]
        self.cost = (cost[0] / max(cost), cost[1] / max(cost))        # the dearer error is the unit
        self.of_right = parity.notion == "accuracy_parity"
        self.scaling = Scaling(self.X)
        self.eta, self.eta_of_people, told = label_chance(self.X, self.y, self.scaling, base, names, target == "new")
        moments = Moments(self.X, self.scaling, 2.0 * self.y - 1)
        self.map = Map(settings, self.scaling, moments, None if base is None else told, bent=target == "new")
        self.place = np.empty((self.m, self.map.axes.shape[1] + 1 + (base is not None) + self.of_right))
        for at in blocks(*self.X.shape):
            self.place[at] = self.map.place(self.X[at], told[at], self.y[at] if self.of_right else None)
        self.map.set_landmarks(centres(self.place, settings.landmarks, self.m, max_iter=20, random_state=1).cluster_centers_)

    @cached_property
    def partition(self) -> str:
        """A name for who has which label, where rates are compared by this notion. Of other people, labels or order of them it is another
        one, and then what was asked adds up; of another notion, too, since rows do not say who they are: a table may look the same, and
        its label 1 be who had label 0. By one notion a fit asks every part for as much, and it does not matter who is in which."""
        found = hashlib.sha256(repr(self.parity).encode() + self.y.astype(np.uint8).tobytes())
        for at in blocks(*self.X.shape):
            found.update(floats(self.X[at]).tobytes())
        return f"labels {found.hexdigest()[:16]}"

    def counts_every_group(self, k: int) -> bool:
        """Is group 0 asked for, too? Between pairs of three or more groups that costs no more, and treats all alike."""
        return self.parity.against == "pairs" and k > 2

    def __repr__(self) -> str:
        return f"public part of {self.m} people"

    def counted(self, accepted: np.ndarray, people: np.ndarray) -> np.ndarray:
        """What a rate is the mean of: who is accepted (n, H) of some people, or by accuracy parity about whom that is right."""
        return np.where(self.y[people][:, None] == 1, accepted, 1 - accepted) if self.of_right else accepted

    def cells_of(self, r: int, n_cells: int) -> np.ndarray:
        """The cells 0, 1, ... of the people of one rate."""
        return clusters(self.place[self.people[r]], n_cells, self.m)


@check.formerly(method="It is the only one, what was 'designed': leave it out.")
def public_data(X: object, Y: object, *, notion: Notion | Parity = "equalized_odds", against: OfGroups | None = None,
                base: Any = None, cost: tuple[float, float] = (1.0, 1.0), target: Target = "these") -> PublicData:
    """All that asking once computes from X and Y before it asks: a map of the people, cells on it, the chance of label 1. It never sees A.

    Source: ours, chapter 14.

    Parameters
    ----------
    X : array (m, d)
    Y : array (m,) of 0/1, both occurring
    notion, against : as in :func:`multiplier_grid`
        Whose rates are compared.
    base : classifier with ``predict_proba``, optional
        Its P(Y = 1 | x) in the place of the logistic's, see :class:`FrontierLearner`. It must not have seen A.
    cost : pair of floats
        Of a false positive and of a false negative.
    target : {"these", "new"}
        Whose gaps are to be small: these people's, or people's to come.

    Returns
    -------
    record with ``X``, ``y``, ``m``; ``people``: an index of those of each rate; ``cells_of(r, n)``: at most n cells of those of rate r, a
        code for each; ``eta(X)``: the base's or a logistic's P(Y = 1 | x), for anybody

    Raises
    ------
    ValueError
        Arrays that do not fit, entries that are not finite, one label only, features that hardly vary; a base that cannot tell.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> public = public_data(people.X, people.Y)
    >>> [len(i) for i in public.people], int(public.cells_of(0, 6).max())
    ([212, 188], 5)
    """
    check.same_people(X=X, Y=Y)
    return PublicData(X, Y, parity=served(notion, against), label="Y", base=base, cost=read_cost(cost),
                      target=check.choice("target", target, TARGETS))


def settings_of(public: object) -> Settings:
    """The constants of what is a public part."""
    return check.instance("public", public, PublicData, "is not the public part of a data set",
                          "Make it with oneshot.public_data(X, Y).").settings
