"""Design a question: with what to count everybody, so that the least doubt is left about what matters."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms.directions import grid_for
from ..mechanisms.geometric import geometric_variance
from ._blocks import blocks
from ._clusters import clusters
from .candidates import Candidates
from .posterior import GroupPosterior
from .representative import indicators

__all__ = ["design_question"]

#: So many directions are tried first, so many times as long as is allowed, and cut; then steps of descent, while they gain this share.
ROWS, REACH, STEPS, GAIN = (1, 2, 3, 5, 8), 2.0, 60, 3e-4
#: What is smaller than this share of another number says nothing beside it, and would say another thing on another processor.
ROUNDING, DIGITS = 1e-9, 9
#: Cells of people who are weighed alike, times counted groups; but no fewer and no more cells than these.
ALIKE, FEWEST, MOST = 512, 16, 128
#: Noise of an answer is taken for no less than this share of its own variance.
LEAST = 1e-9


def design_question(belief: GroupPosterior, candidates: Candidates, path: ArrayLike, prices: ArrayLike, rate: int,
                    epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights of a question to the people of one rate, after which the gaps of mixtures are in the least doubt.

    Source: ours, chapter 14, the designed question. Least is the sum of each price times the standard deviation that is left of the
    mixture's gap. Nobody's sizes add up to more than 1. The search begins with the few directions along which the priced gaps differ
    most, and goes downhill from there.

    Parameters
    ----------
    belief : of :func:`fit_group_posterior`
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
    (array (K, J), int array (n,))
        The weights of each of J cells of people whom the mixtures treat alike, and everybody's cell.

    Raises
    ------
    ValueError
        Shapes that do not fit, numbers out of range.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import ask_part, bayes_mixtures, fair_candidates, fit_group_posterior
    >>> from dpfair_teach.oneshot import public_cells, public_data, split_epsilon
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> public, rng = public_data(people.X, people.Y), np.random.default_rng(2)
    >>> asked = [ask_part(public_cells(public, p), people.A, p, p.first, rng) for p in split_epsilon(public, 2.0)]
    >>> belief = fit_group_posterior(public, asked)
    >>> found = fair_candidates(public, belief)
    >>> path = bayes_mixtures(found.error, found.rates(64), [1.0, 0.1])
    >>> weights, cells = design_question(belief, found, path, [1.0, 0.1], 0, 1.0)
    >>> weights.shape[1] == int(cells.max()) + 1, bool(np.abs(weights).sum(axis=0).max() <= 1)
    (True, True)
    """
    check.instance("belief", belief, GroupPosterior, "is no belief", "Make it with oneshot.fit_group_posterior(public, asked).")
    if not isinstance(candidates, Candidates) or candidates.belief is not belief:
        check.refuse("candidates", candidates, "are no candidates by this belief",
                     "Make them with oneshot.fair_candidates(public, belief).")
    path = check.filled("path", check.array("path", path, shape=(None, len(candidates.error)), low=0.0, high=1.0), "mixture")
    prices = check.array("prices", prices, shape=(len(path),), low=0.0, high=1e9)
    rate = check.integer("rate", rate, low=0, high=len(belief.asked) - 1)
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e6)
    people, used = belief.public.people[rate], np.flatnonzero((path > 0).any(axis=0))
    few = candidates.decisions.only(used)
    chances = np.concatenate([belief.public.counted(few.of_people(people[at]), people[at]) @ path[:, used].T for at in blocks(len(people))])
    cells = treated_alike(chances, int(np.clip(ALIKE // len(belief.groups), FEWEST, MOST)))
    size = np.bincount(cells)
    alike = np.stack([np.bincount(cells, column) for column in chances.T], axis=1) / size[:, None]
    return least_doubt(Doubt(belief, rate, cells, alike, prices, epsilon), size), cells


def treated_alike(chances: np.ndarray, most: int) -> np.ndarray:
    """At most so many cells of people whom mixtures count alike, (n,), none empty: a cell for each way, or for ways that are near."""
    whole = np.rint(chances * 10**DIGITS).astype(np.int64)
    of_row = whole @ np.random.default_rng(0).integers(2**62, size=chances.shape[1])       # a hash, exact, and faster than whole rows
    ways, cells = np.unique(of_row, return_inverse=True)
    if len(ways) <= most:
        return cells
    return clusters(whole / 10**DIGITS, most, len(chances))


class Doubt:
    """What is not known of mixtures' gaps in one part, and what a question would leave of it.

    People are in J ``cells``, and ``chances`` (J, L) are how often each mixture counts those of a cell; ``prices`` (L,) what a standard
    deviation of each mixture's gaps costs. ``gaps`` (g J, G): how much each of their gaps moves with a person of a group and cell.
    """

    def __init__(self, belief: GroupPosterior, r: int, cells: np.ndarray, chances: np.ndarray, prices: np.ndarray, epsilon: float) -> None:
        self.g, sample = len(belief.groups), belief.sample
        rows = indicators(cells[sample.at[r]], len(chances))
        self.spread, with_wanted, wanted = belief.covariance(r, rows)
        gaps = gap_slopes(belief, rows @ belief.means(r), rows @ sample.weights[r], chances)
        self.gaps = np.moveaxis(gaps, 1, 0).reshape(self.g * len(chances), -1)
        self.prices = np.repeat(prices, self.gaps.shape[1] // len(prices))
        grid = grid_for(epsilon, belief.unit)       # in whole numbers the noise of a weight of 1 is larger than a count's
        self.noise = geometric_variance(belief.unit * grid, epsilon) / grid**2
        self.told = with_wanted @ self.gaps
        self.variances = (self.gaps * (wanted @ self.gaps)).sum(axis=0)

    def after(self, question: np.ndarray) -> tuple[float, np.ndarray]:
        """Of weights (K, J): the priced deviations left, and how these change with each weight, (K, J).

        Variance left = variance - q' (Q P Q' + noise)^-1 q, with q the covariance of answers and gaps.
        """
        K, J = question.shape
        asked = np.kron(np.eye(self.g), question)
        spread = self.spread @ asked.T
        answers, both = asked @ spread, asked @ self.told
        # At a large epsilon there is next to no noise, and answers that say the same would be a singular matrix: a little is left.
        noise = max(self.noise, LEAST * float(np.trace(answers)) / len(asked), LEAST)
        read = np.linalg.solve(answers + noise * np.eye(len(asked)), both)
        left = np.sqrt(np.maximum(self.variances - (both * read).sum(axis=0), 1e-14))
        slopes = (read * (self.prices / left)) @ (self.told - spread @ read).T        # (g K, g J)
        return float(self.prices @ left), -sum(slopes[a * K:(a + 1) * K, a * J:(a + 1) * J] for a in range(self.g))


def gap_slopes(belief: GroupPosterior, means: np.ndarray, people: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """How much the gaps of L mixtures in one part move with the group of a person of a cell, for each counted group: (J, g, L C).

    A rate is how many of a group are counted over how many there are: who is counted more often than the group is lifts it. ``means``
    (J, g) are expected of each counted group in a cell, ``people`` (J,) of all; ``chances`` (J, L) how often they are counted.
    """
    groups, k = belief.groups, belief.k
    sizes = np.maximum(belief.all_groups(means.sum(axis=0), people.sum()), 1.0)
    rates = belief.all_groups(chances.T @ means, (chances.T @ people)[:, None]) / sizes         # (L, k)
    lift = (chances[:, :, None] - rates) / sizes
    moved = np.zeros((len(lift), len(groups), lift.shape[1], k))
    for b, group in enumerate(groups):
        moved[:, b, :, group] = lift[:, :, group]
        if len(groups) < k:                     # who is in a counted group is not in group 0
            moved[:, b, :, 0] = -lift[:, :, 0]
    return belief.public.parity.differences_for(k)(moved[..., None]).reshape(len(lift), len(groups), -1)      # of one rate


def least_doubt(doubt: Doubt, size: np.ndarray) -> np.ndarray:
    """Weights (K, J) of cells of so many people."""
    found = [(question, *doubt.after(question)) for question in map(within, directions(doubt, size))]
    values = np.array([value for _, value, _ in found])
    question, value, slope = found[int(np.argmax(values <= values.min() * (1 + ROUNDING)))]     # of those that are level, which asks least
    step = 0.0
    for _ in range(STEPS):
        step = step or 0.5 / max(np.abs(slope).max(), 1e-300)
        while step > 1e-12 and slope.any():
            other = within(question - step * slope)
            new = doubt.after(other)
            if new[0] < value * (1 - ROUNDING):
                break
            step /= 3
        else:
            break
        gain, question, (value, slope) = value - new[0], other, new
        if gain < GAIN * value:
            break
        step *= 1.6
    return question


def directions(doubt: Doubt, size: np.ndarray) -> list[np.ndarray]:
    """For each of ``ROWS`` the first that many directions of the priced gaps, as large as they are important, (K, J).

    Where there is no gap, as of constants, how many there are of a group is all that can be asked.
    """
    gaps = doubt.gaps * doubt.prices / np.sqrt(np.maximum(doubt.variances, 1e-14))
    if not gaps.any():
        return [np.ones((1, len(size)))]
    of_people = np.sqrt(size)[:, None]
    along, sizes, _ = np.linalg.svd(of_people * np.concatenate(np.split(gaps, doubt.g), axis=1), full_matrices=False)
    along, sizes = along[:, sizes > ROUNDING * sizes[0]] / of_people, sizes[sizes > ROUNDING * sizes[0]]
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
