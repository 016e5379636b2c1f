"""Candidates by a posterior: fair Bayes thresholds for a grid of prices, whom each accepts, and how their rates may be."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import block_diag
from scipy.special import softmax

from .. import _checks as check
from ..fairness import Parity
from ._map import Map
from .basis import Basis, scores_of
from .decision_matrix import Decisions
from .posterior import GroupPosterior
from .public_data import PublicData, settings_of
from .thresholds import multiplier_grid

__all__ = ["fair_candidates"]

#: Points on an axis of the grid, for two groups and two rates; else as many as :func:`multiplier_grid` takes, and of many groups fewer.
POINTS, FEWER = 41, (7, 5, 3)
#: Numbers in the table of draws, rates and candidates from which on there are fewer points; draws of gaps at most.
MANY, MOST = 1e7, 3e8


def grid_of(k: int, parity: Parity, draws: int) -> np.ndarray:
    """The multipliers of candidates: so many that what is drawn of their gaps can be held."""
    R = len(parity.cells)
    grid, gaps = multiplier_grid(k, points=POINTS if (k, R) == (2, 2) else None, notion=parity), R * len(parity.comparisons(k))
    for points in FEWER:
        if draws * k * R * len(grid) > MANY:
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

    def __init__(self, belief: GroupPosterior) -> None:
        self.map: Map = belief.public.map
        self.of_right = belief.public.of_right
        weights = [to @ w @ belief.contrasts.T for to, w in zip(belief.sample.to, belief.coefficients, strict=True)]
        self.weights = 2 * weights if self.of_right else weights

    def features(self, X: np.ndarray, eta: np.ndarray) -> list[np.ndarray]:
        """What the chances of each rate are made of; for a notion that asks people of both labels together, of either label."""
        if self.of_right:
            return [self.map.raw(self.map.place(X, eta, np.full(len(X), label))) for label in (0, 1)]
        return [self.map.raw(self.map.place(X, eta))] * len(self.weights)

    def __call__(self, features: list[np.ndarray]) -> np.ndarray:
        """(n, R, k); for a notion that asks people of both labels together (n, 2, k)."""
        return np.stack([softmax(raw @ weights, axis=1) for raw, weights in zip(features, self.weights, strict=True)], axis=1)


class Candidates:
    """Fair Bayes thresholds by a belief, for a grid of multipliers; those of ``also`` that its ``path`` uses, and both constants.

    ``error`` (H,) and ``loss`` (H,), by the costs, are those of each on the people learned from; ``of_sample``, for each rate, whom of the
    sample each counts, (n, H).
    """

    def __init__(self, public: PublicData, belief: GroupPosterior, also: Candidates | None = None, path: np.ndarray | None = None) -> None:
        k, self.belief = belief.k, belief
        n = np.stack([np.maximum(times @ p, 1.0) for times, p in zip(belief.sample.weights, belief.p, strict=True)])
        self.basis = Basis(public, LogitChances(belief), n)
        scores = scores_of(self.basis, public)
        multipliers = candidate_rows(sum(public.cost) / 2 * grid_of(k, public.parity, settings_of(public).draws))
        if also is not None and path is not None:
            kept = also.decisions.multipliers[np.flatnonzero((path[:, :-2] > 0).any(axis=0))]
            self.basis.earlier = also.basis             # whose columns are made already
            scores = np.column_stack([also.decisions.scores, scores])
            multipliers = block_diag(kept, multipliers)
        self.decisions: Decisions = Decisions(scores, multipliers)
        self.of_sample = [public.counted(self.decisions.of_people(i[at]), i[at])
                         for i, at in zip(public.people, belief.sample.at, strict=True)]
        self.exact: np.ndarray | None = None
        if belief.sample.whole or also is None:
            false, true = self.decisions.accepted(public.y)
        else:                   # of very many people, once: what is published counts everybody, and not the sample alone
            (false, true), self.exact = self._counted(public)
        positives = int(public.y.sum())
        self.error = (false + positives - true) / public.m
        self.loss = (public.cost[0] * false + public.cost[1] * (positives - true)) / public.m

    def _counted(self, public: PublicData) -> tuple[np.ndarray, np.ndarray]:
        """How many of either label each candidate accepts; and how many of each counted group, and of all, it is expected to count in a
        rate, and how many there are."""
        g, R = len(self.belief.groups), len(public.people)
        of_rates = np.zeros((public.m, R, g + 1))
        for r, people in enumerate(public.people):
            of_rates[people, r, :g], of_rates[people, r, g] = self.belief.of_everybody(r), 1.0
        expected = of_rates.reshape(public.m, -1)
        there, rejected = expected.sum(axis=0), np.zeros(expected.shape[1])
        if public.of_right:     # who rejects all is right about label 0, and whom else one accepts counts against that
            rejected = expected[public.y == 0].sum(axis=0)
            expected[public.y == 0] *= -1
        found = self.decisions.sums(lambda at: np.column_stack([1.0 - public.y[at], public.y[at], expected[at]]))
        return found[:, :2].T, np.concatenate([rejected + found[:, 2:], there[None]]).T.reshape(R, g + 1, -1)

    def rates(self, size: int | None = None, seed: int = 0, only: np.ndarray | slice = slice(None)) -> np.ndarray:
        """How often they, or ``only`` some, could count each group, by the posterior: (size, k, H, R), in single precision.

        Without a ``size``, as many draws as mixtures are chosen by. ``seed`` hides nothing: these draws are no noise that protects. Of
        constants all groups have the rate of everybody, which is public, but where a rate is of who is right.
        """
        size = settings_of(self.belief.public).draws if size is None else check.integer("size", size, low=1, high=10**6)
        exact = None if self.exact is None else np.concatenate([self.exact[:, :, :-1][:, :, only], self.exact[:, :, -1:]], axis=2)
        found = self.belief.rates([counted[:, only] for counted in self.of_sample], size, np.random.default_rng(seed), exact)
        if not self.belief.public.of_right:
            constants = np.arange(len(self.error))[only] - (len(self.error) - 2)
            found[:, :, constants == 0], found[:, :, constants == 1] = 0.0, 1.0
        return found


def fair_candidates(public: PublicData, belief: GroupPosterior, also: Candidates | None = None,
                    path: ArrayLike | None = None) -> Candidates:
    """Candidates by a belief: fair Bayes thresholds, :func:`bayes_scores`, for a grid of multipliers, and both constants at the end.

    Source: ours, chapter 14, fair Bayes thresholding with believed chances.

    Parameters
    ----------
    public : of :func:`public_data`
    belief : of :func:`fit_group_posterior`
    also, path : of an earlier call, and of :func:`bayes_mixtures`, optional
        Its candidates that some mixture uses are there too: about these the designed question was.

    Returns
    -------
    record with ``error`` and ``loss`` (H,), ``rates(size, seed)`` (size, k, H, R), as they could be; ``basis(X)`` and ``decisions``

    Raises
    ------
    ValueError
        Arguments that are none of these.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import ask_part, fit_group_posterior, public_cells, public_data, split_epsilon
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> public, rng = public_data(people.X, people.Y), np.random.default_rng(2)
    >>> asked = [ask_part(public_cells(public, p), people.A, p, p.first, rng) for p in split_epsilon(public, 2.0)]
    >>> found = fair_candidates(public, fit_group_posterior(public, asked))
    >>> found.rates(64).shape, round(float(found.error.min()), 2)
    ((64, 2, 1684, 2), 0.19)
    """
    settings_of(public)
    if not isinstance(belief, GroupPosterior) or belief.public is not public:
        check.refuse("belief", belief, "is no belief about the people of public",
                     "Make it with oneshot.fit_group_posterior(public, asked).")
    if also is not None and (not isinstance(also, Candidates) or also.belief.public is not public):
        check.refuse("also", also, "are no candidates for the people of public", "Give what oneshot.fair_candidates returned.")
    if (also is None) != (path is None):
        check.refuse("also, path", (also, path), "one without the other", "Give both, or neither.")
    return Candidates(public, belief, also,
                      None if also is None else check.array("path", path, shape=(None, len(also.error)), low=0.0, high=1.0))
