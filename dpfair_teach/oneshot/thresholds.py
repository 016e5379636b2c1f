"""Candidates by a belief: fair Bayes thresholds for a grid of prices, whom each accepts, and how their gaps may be."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import block_diag
from scipy.special import softmax

from .. import _checks as check
from ..fairness import Parity
from ._map import Map
from ._public import Public, settings_of
from .basis import Basis, BayesBasis, BothBases, scores_of
from .belief import Belief
from .candidates import multiplier_grid
from .decided import Decisions

__all__ = ["fair_candidates"]

#: Points on an axis of the grid, for two groups and two rates; else as many as :func:`multiplier_grid` takes, and of many groups fewer.
POINTS, FEWER = 41, (7, 5, 3)
#: Numbers in the table of draws, gaps and candidates from which on there are fewer points, and at most.
MANY, MOST = 4e7, 3e8


def grid_of(k: int, parity: Parity, draws: int) -> np.ndarray:
    """The multipliers of candidates: so many that what is drawn of their gaps can be held."""
    R = len(parity.cells)
    grid, gaps = multiplier_grid(k, points=POINTS if (k, R) == (2, 2) else None, notion=parity), R * len(parity.comparisons(k))
    for points in FEWER:
        if draws * gaps * len(grid) > MANY:
            grid = multiplier_grid(k, points=points, notion=parity)
    if draws * gaps * len(grid) > MOST:
        check.refuse("n_groups", k, f"makes {gaps} gaps between groups, too many to draw for {len(grid):,} candidates",
                     "Merge groups, or compare each with one of them (against='anchor').")
    return grid


def candidate_rows(multipliers: np.ndarray) -> np.ndarray:
    """What the columns (score, gap scores, 1) of a basis are multiplied with: for each multiplier, then reject all and accept all."""
    rows = np.column_stack([np.ones(len(multipliers)), -multipliers, np.zeros(len(multipliers))])
    constants = np.zeros((2, rows.shape[1]))
    constants[:, -1] = (-1.0, 1.0)
    return np.concatenate([rows, constants])


class LogitChances:
    """P(A = a | x, y) for every rate and group, as a function of x: numbers of the fit and the public map, and nobody's data."""

    def __init__(self, belief: Belief) -> None:
        self.map: Map = belief.public.map
        self.weights = np.stack([to @ w @ belief.contrasts.T for to, w in zip(belief.crowd.to, belief.weights, strict=True)])

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """(n, R, k)."""
        return self._at(self.map.place(X))

    def of_people(self, public: Public) -> np.ndarray:
        return self._at(public.place)

    def _at(self, place: np.ndarray) -> np.ndarray:
        raw = self.map.raw(place)
        return np.stack([softmax(raw @ weights, axis=1) for weights in self.weights], axis=1)


class Candidates:
    """Fair Bayes thresholds by a belief, for a grid of multipliers; those of ``also`` that its ``path`` uses, and both constants.

    ``error`` (H,) is that of each on the people learned from; ``of_crowd``, for each rate, whom of the crowd each accepts, (n, H).
    """

    def __init__(self, public: Public, belief: Belief, also: Candidates | None = None, path: np.ndarray | None = None) -> None:
        k, self.belief = belief.k, belief
        n = np.stack([np.maximum(times @ p, 1.0) for times, p in zip(belief.crowd.times, belief.p, strict=True)])
        self.basis: Basis = BayesBasis(public, LogitChances(belief), n)
        scores = scores_of(self.basis, public)
        multipliers = candidate_rows(grid_of(k, public.parity, settings_of(public).draws))
        if also is not None and path is not None:
            kept = also.decisions.multipliers[np.flatnonzero((path[:, :-2] > 0).any(axis=0))]
            self.basis, scores = BothBases(also.basis, self.basis), np.column_stack([also.decisions.scores, scores])
            multipliers = block_diag(kept, multipliers)
        self.decisions: Decisions = Decisions(scores, multipliers)
        self.of_crowd = [self.decisions.of_people(i[at]) for i, at in zip(public.people, belief.crowd.sample, strict=True)]
        self.exact: np.ndarray | None = None
        if public.together or also is None:
            self.error = self.decisions.errors(public.y)
        else:                   # of very many people, once: what is published counts everybody, and not the crowd alone
            self.error, self.exact = self._counted(public)

    def _counted(self, public: Public) -> tuple[np.ndarray, np.ndarray]:
        """Errors; and how many of each counted group, and of all, each candidate is expected to accept, and how many there are."""
        g, R = len(self.belief.groups), len(public.people)
        told = np.zeros((public.m, R, g + 1))
        for r, people in enumerate(public.people):
            told[people, r, :g], told[people, r, g] = self.belief.of_everybody(r), 1.0
        error, accepted = self.decisions.counted_with(public.y, told.reshape(public.m, -1))
        return error, np.concatenate([accepted, told.sum(axis=0).reshape(1, -1)]).T.reshape(R, g + 1, -1)

    def gaps(self, size: int | None = None, seed: int = 0) -> np.ndarray:
        """Signed gaps of the candidates as they could be by the belief: (size, C, H); of constants none, which is public.

        Without a ``size``, as many as mixtures are chosen by. ``seed`` hides nothing: draws of a belief are no noise that protects.
        """
        size = settings_of(self.belief.public).draws if size is None else check.integer("size", size, low=1, high=10**6)
        rates = self.rates(size, seed)
        gaps = np.moveaxis(self.belief.public.parity.differences_for(self.belief.k)(np.moveaxis(rates, 1, 2)), 1, 2)
        gaps[:, :, -2:] = 0.0
        return gaps

    def rates(self, size: int, seed: int, only: np.ndarray | slice = slice(None)) -> np.ndarray:
        """How often they, or ``only`` some, may accept each group: (size, k, H, R)."""
        exact = None if self.exact is None else np.concatenate([self.exact[:, :, :-1][:, :, only], self.exact[:, :, -1:]], axis=2)
        return self.belief.rates([accepts[:, only] for accepts in self.of_crowd], size, np.random.default_rng(seed), exact)


def fair_candidates(public: Public, belief: Belief, also: Candidates | None = None, path: ArrayLike | None = None) -> Candidates:
    """Candidates by a belief: fair Bayes thresholds, :func:`bayes_scores`, for a grid of multipliers, and both constants at the end.

    Source: ours, chapter 14, fair Bayes thresholding with believed chances.

    Parameters
    ----------
    public : of :func:`public_part`
    belief : of :func:`believe`
    also, path : of an earlier call, and of :func:`bayes_mixtures`, optional
        Its candidates that some mixture uses are there too: about these the designed question was.

    Returns
    -------
    record with ``error`` (H,), ``gaps(size, seed)`` (size, C, H), signed, as they could be; ``basis(X)`` and ``decisions``

    Raises
    ------
    ValueError
        Arguments that are none of these.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import ask_part, believe, public_cells, public_part, split_epsilon
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> public, rng = public_part(people.X, people.Y), np.random.default_rng(2)
    >>> asked = [ask_part(public_cells(public, p), people.A, p, p.first, rng) for p in split_epsilon(public, 2.0)]
    >>> found = fair_candidates(public, believe(public, asked))
    >>> found.gaps(64).shape, round(float(found.error.min()), 2)
    ((64, 2, 1684), 0.19)
    """
    settings_of(public)
    if not isinstance(belief, Belief) or belief.public is not public:
        check.refuse("belief", belief, "is no belief about the people of public", "Make it with oneshot.believe(public, asked).")
    if also is not None and (not isinstance(also, Candidates) or also.belief.public is not public):
        check.refuse("also", also, "are no candidates for the people of public", "Give what oneshot.fair_candidates returned.")
    if (also is None) != (path is None):
        check.refuse("also, path", (also, path), "one without the other", "Give both, or neither.")
    if also is None:
        return Candidates(public, belief)
    return Candidates(public, belief, also, check.array("path", path, shape=(None, len(also.error)), low=0.0, high=1.0))
