"""Design a question: with what to count everybody, so that the least doubt is left about what matters."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..mechanisms import cell_sensitivity
from ..mechanisms.directions import grid_for
from ..mechanisms.geometric import geometric_variance
from ._blocks import blocks
from ._clusters import clusters
from .belief import Belief
from .thresholds import Candidates

__all__ = ["design_question"]

#: So many directions are tried first, so many times as long as is allowed, and cut; then steps of descent, while they gain this share.
ROWS, REACH, STEPS, GAIN = (1, 2, 3, 5, 8), 2.0, 60, 3e-4
#: What is smaller than this share of another number says nothing beside it, and would say another thing on another processor.
ROUNDING = 1e-9
#: Of very many people so many cells of those who are weighed alike.
ALIKE = 64
#: Noise of an answer is taken for no less than this share of its own variance.
LEAST = 1e-9


class Doubt:
    """What is not known of gaps between groups in one rate, and what a question would leave of it.

    ``gaps`` (n, g, G): how much each gap moves with each person's group; ``prices`` (G,): what a standard deviation of each costs.
    """

    def __init__(self, belief: Belief, r: int, gaps: np.ndarray, prices: np.ndarray, epsilon: float) -> None:
        self.belief, self.r, self.gaps, self.prices = belief, r, gaps, prices
        unit = cell_sensitivity(belief.k, belief.every_group)
        grid = grid_for(epsilon, unit)          # in whole numbers the noise of a weight of 1 is larger than a count's
        self.noise = geometric_variance(unit * grid, epsilon) / grid**2
        self.told = belief.spread(r, gaps)
        self.variances = (gaps * self.told).sum(axis=(0, 1))

    def after(self, question: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Of weights (K, n): the priced deviations left; how each answer is read (g K, G); and what each gap then leaves, (n, g, G).

        Variance left = variance - q' (Q P Q' + noise)^-1 q, with q the covariance of answers and gaps.
        """
        (K, n), g = question.shape, self.told.shape[1]
        asked = np.zeros((n, g, g * K))
        for a in range(g):
            asked[:, a, a * K:(a + 1) * K] = question.T
        spread = self.belief.spread(self.r, asked)
        answers = asked.reshape(n * g, -1).T @ spread.reshape(n * g, -1)
        both = asked.reshape(n * g, -1).T @ self.told.reshape(n * g, -1)
        # At a large epsilon there is next to no noise, and answers that say the same would be a singular matrix: a little is left.
        noise = max(self.noise, LEAST * float(np.trace(answers)) / (g * K), LEAST)
        read = np.linalg.solve(answers + noise * np.eye(g * K), both)
        left = np.sqrt(np.maximum(self.variances - (both * read).sum(axis=0), 1e-14))
        return float(self.prices @ left), read * (self.prices / left), self.told - spread @ read

    def slope(self, read: np.ndarray, left: np.ndarray, K: int) -> np.ndarray:
        """How the priced deviations change with each weight, (K, n)."""
        return -sum(read[a * K:(a + 1) * K] @ left[:, a].T for a in range(left.shape[1]))


class Lift:
    """How much the gaps of mixtures in one rate move with a person's group.

    A rate is how many of a group are accepted over how many there are: who is accepted more often than the group is lifts it.
    """

    def __init__(self, belief: Belief, r: int, mixtures: np.ndarray) -> None:
        means, times = belief.means(r), belief.crowd.times[r]
        self.belief = belief
        self.sizes = np.maximum(belief.all_groups(means.sum(axis=0), times.sum()), 1.0)
        self.rates = belief.all_groups(mixtures.T @ means, (mixtures.T @ times)[:, None]) / self.sizes         # (L, k)
        of = belief.public.parity
        self.differences = Parity("demographic_parity", of.against, of.anchor).differences_for(belief.k)

    def of(self, mixtures: np.ndarray) -> np.ndarray:
        """Of people whom each mixture accepts with these chances (n, L), for each counted group: (n, g, L C)."""
        groups, k = self.belief.groups, self.belief.k
        lift = (mixtures[:, :, None] - self.rates) / self.sizes
        moved = np.zeros((len(lift), len(groups), lift.shape[1], k))
        for b, group in enumerate(groups):
            moved[:, b, :, group] = lift[:, :, group]
            if len(groups) < k:                     # who is in a counted group is not in group 0
                moved[:, b, :, 0] = -lift[:, :, 0]
        return self.differences(moved[..., None]).reshape(len(lift), len(groups), -1)


def design_question(belief: Belief, candidates: Candidates, path: ArrayLike, prices: ArrayLike, rate: int, epsilon: float) -> Any:
    """Weights of a question to the people of one rate, after which the gaps of mixtures are in the least doubt.

    Source: ours, chapter 14, the designed question. Least is the sum of each price times the standard deviation that is left of the
    mixture's gap. Nobody's sizes add up to more than 1. The search begins with the few directions along which the priced gaps differ
    most, and goes downhill from there.

    Parameters
    ----------
    belief : of :func:`believe`
    candidates : of :func:`fair_candidates`
    path : array (L, H)
        The mixtures, of :func:`bayes_mixtures`.
    prices : array (L,) in [0, 1e9]
        What a standard deviation of each mixture's gaps costs.
    rate : int in 0..1, or 0 for a notion of one rate
        Of which people, as numbered in :func:`split_epsilon`.
    epsilon : float in [1e-9, 1e6]
        Of the question.

    Returns
    -------
    array (K, n); of very many people (array (K, J), int array (n,)): the weights of each of some cells of people whom the mixtures treat
        alike, and everybody's cell

    Raises
    ------
    ValueError
        Shapes that do not fit, numbers out of range.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import ask_part, bayes_mixtures, believe, fair_candidates, public_cells, public_part, split_epsilon
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> public, rng = public_part(people.X, people.Y), np.random.default_rng(2)
    >>> asked = [ask_part(public_cells(public, p), people.A, p, p.first, rng) for p in split_epsilon(public, 2.0)]
    >>> belief = believe(public, asked)
    >>> found = fair_candidates(public, belief)
    >>> path = bayes_mixtures(found.error, found.gaps(64), [1.0, 0.1])
    >>> design_question(belief, found, path, [1.0, 0.1], 0, 1.0).shape[1] == (people.Y == 0).sum()
    np.True_
    """
    check.instance("belief", belief, Belief, "is no belief", "Make it with oneshot.believe(public, asked).")
    if not isinstance(candidates, Candidates) or candidates.belief is not belief:
        check.refuse("candidates", candidates, "are no candidates by this belief",
                     "Make them with oneshot.fair_candidates(public, belief).")
    path = check.filled("path", check.array("path", path, shape=(None, len(candidates.error)), low=0.0, high=1.0), "mixture")
    prices = check.array("prices", prices, shape=(len(path),), low=0.0, high=1e9)
    rate = check.integer("rate", rate, low=0, high=len(belief.asked) - 1)
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e6)
    weights = least_doubt(belief, rate, candidates.of_crowd[rate] @ path.T, prices, epsilon)
    people = belief.public.people[rate]
    if weights.shape[1] == len(people):
        return weights
    return in_cells(belief, candidates, path * prices[:, None], rate, weights)


def in_cells(belief: Belief, candidates: Candidates, path: np.ndarray, rate: int, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights (K, n) of the crowd as those of everybody: cells of people whom mixtures treat alike, as the crowd there is on average."""
    used, people = np.flatnonzero((path > 0).any(axis=0)), belief.public.people[rate]
    few = candidates.decisions.only(used)
    chances = np.concatenate([few.of_people(people[at]) @ path[:, used].T for at in blocks(len(people))])
    cells, J = clusters(lambda at: chances[at], np.arange(len(people)), ALIKE, len(people), random_state=0)
    here = cells[belief.crowd.sample[rate]]
    size = np.maximum(np.bincount(here, minlength=J), 1)
    return np.stack([np.bincount(here, row, minlength=J) / size for row in weights]), cells


def least_doubt(belief: Belief, r: int, mixtures: np.ndarray, prices: np.ndarray, epsilon: float) -> np.ndarray:
    """Weights (K, n) of the crowd of a rate, for mixtures of chances (n, L)."""
    gaps = Lift(belief, r, mixtures).of(mixtures)
    doubt = Doubt(belief, r, gaps, np.repeat(prices, gaps.shape[2] // len(prices)), epsilon)
    tried = [within(rows) for rows in directions(gaps * doubt.prices / np.sqrt(np.maximum(doubt.variances, 1e-14)))]
    found = [doubt.after(question) for question in tried]
    values = np.array([value for value, _, _ in found])
    best = int(np.argmax(values <= values.min() * (1 + ROUNDING)))      # of those that are level the one that asks least
    question, (value, read, left) = tried[best], found[best]
    step = 0.0
    for _ in range(STEPS):
        slope = doubt.slope(read, left, len(question))
        step = step or 0.5 / max(np.abs(slope).max(), 1e-300)
        while step > 1e-12 and slope.any():
            other = within(question - step * slope)
            new = doubt.after(other)
            if new[0] < value * (1 - ROUNDING):
                break
            step /= 3
        else:
            break
        gain, question, (value, read, left) = value - new[0], other, new
        if gain < GAIN * value:
            break
        step *= 1.6
    return question


def directions(gaps: np.ndarray) -> list[np.ndarray]:
    """For each of ``ROWS`` the first that many directions of the gaps (n, g, G), as large as they are important, (K, n).

    Where there is no gap, as of constants, how many there are of a group is all that can be asked.
    """
    if not gaps.any():
        return [np.ones((1, len(gaps)))]
    along, sizes, _ = np.linalg.svd(gaps.reshape(len(gaps), -1), full_matrices=False)
    along, sizes = along[:, sizes > ROUNDING * sizes[0]], sizes[sizes > ROUNDING * sizes[0]]
    # A direction and its opposite ask the same. Which of them is found is a processor's affair, so one is chosen.
    rows = (along * np.where(np.linspace(1, 2, len(along)) @ along < 0, -sizes, sizes)).T
    rows /= np.abs(rows[0]).max()
    return [REACH * rows[:K] for K in ROWS if K <= len(rows)]


def within(question: np.ndarray) -> np.ndarray:
    """The nearest weights (K, n) of which nobody's sizes add up to more than 1."""
    sizes = -np.sort(-np.abs(question), axis=0)
    over = (np.cumsum(sizes, axis=0) - 1) / np.arange(1, len(question) + 1)[:, None]
    last = (sizes > over).sum(axis=0) - 1
    cut = np.maximum(np.take_along_axis(over, last[None], 0), 0.0)
    return np.sign(question) * np.maximum(np.abs(question) - cut, 0.0)
