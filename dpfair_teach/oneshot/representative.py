"""The people that a posterior is about: all of them, or of very many a sample in which each stands for several."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import block_diag

from ._blocks import blocks
from .public_data import PublicData, settings_of

#: Of more people of one part, about so many stand for all; of several groups fewer, but no less than the second number.
SAMPLE, LEAST = 2**12, 2**10


class Question:
    """What people of one part were asked: their cells (n,); or K whole weights of each of J cells, (K, J), and the cells.

    Weights are divided by ``grid``, so that nobody's sizes add up to more than 1.
    """

    def __init__(self, asked: Any, answers: np.ndarray, variance: float, grid: float) -> None:
        self.table, self.cells = asked if isinstance(asked, tuple) else (None, asked)
        self.answers, self.variance, self.grid, self.q = answers / grid, variance / grid**2, grid, answers.shape[1]

    def rows(self, at: slice | np.ndarray) -> sparse.csr_array:
        """With what each answer counts some of the people, (q, n)."""
        if self.table is not None:
            return sparse.csr_array(self.table[:, self.cells[at]] / self.grid)
        return indicators(self.cells[at], self.q)


def indicators(cells: np.ndarray, q: int) -> sparse.csr_array:
    """(q, n): a 1 for each person, in the row of the own cell."""
    return sparse.csr_array((np.ones(len(cells)), (cells, np.arange(len(cells)))), shape=(q, len(cells)))


def sample_of(cells: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Some people of each cell (n,), by a fixed seed and so public; and how many of the cell each of them stands for."""
    sizes = np.bincount(cells)
    wanted = np.minimum(sizes, np.maximum(1, size * sizes // len(cells)))
    mixed = np.random.default_rng(0).permutation(len(cells))
    order = mixed[np.argsort(cells[mixed], kind="stable")]
    place = np.arange(len(cells)) - np.repeat(np.cumsum(sizes) - sizes, sizes)       # within the own cell
    at = np.sort(order[place < np.repeat(wanted, sizes)])
    return at, (sizes / np.maximum(wanted, 1))[cells[at]]


class RepresentativeSample:
    """The people of each part by the features that the prior is made of: 1, their place on the public map, bells around its landmarks.

    ``to``, one for each part, takes these to features whose inner products are the prior covariance of a logit; the first are the mean
    logits of the parts, of which each has its own. Of few people everybody is in ``at``, and stands for one; of more, a sample in which the
    people of each of ``cells``, those of the first question, stand for all of their cell: ``weights``. ``whole``: everybody is there.
    """

    def __init__(self, public: PublicData, cells: list[np.ndarray], k: int) -> None:
        self.public, self.people, size = public, public.people, max(LEAST, 2 * SAMPLE // k)
        settings, n, R = settings_of(public), public.map.landmarks.shape[1], len(public.people)
        alike = block_diag(np.sqrt(settings.linear) * np.eye(n), public.map.whiten)
        self.to = [block_diag(settings.apart * np.eye(R)[r], alike) for r in range(R)]
        #: Features by the factor of their prior: along the score and what a base says; all others but the mean logits.
        score, label, line = R + public.map.axes.shape[1], R + n - public.of_right, R + n + len(public.map.landmarks)
        self.kinds = [np.r_[score:label, line:self.to[0].shape[1]], np.r_[R:score, label:line]]
        some = [sample_of(here, size) if len(here) > size else (np.arange(len(here)), np.ones(len(here))) for here in cells]
        self.at, self.weights = (list(column) for column in zip(*some, strict=True))
        self.whole = all(len(at) == len(i) for at, i in zip(self.at, self.people, strict=True))
        self.raw = [public.map.raw(public.place[i[at]]) for i, at in zip(self.people, self.at, strict=True)]

    def parts(self, r: int, everybody: bool) -> Iterator[tuple[slice | np.ndarray, np.ndarray, np.ndarray]]:
        """(who, raw features, how many people each stands for): the sample, or all people of a part a block at a time."""
        if not everybody or self.whole:
            yield self.at[r], self.raw[r], self.weights[r]
            return
        for at in blocks(len(self.people[r])):
            yield at, self.public.map.raw(self.public.place[self.people[r][at]]), np.ones(at.stop - at.start)
