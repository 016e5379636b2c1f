"""The people of whom something is believed: all of them, or of very many a sample in which each stands for several."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import block_diag

from ._blocks import blocks
from ._public import Public, settings_of

#: Of more people than are looked at together, so many of each rate stand for all.
SAMPLE = 2**13


class Question:
    """What people of one rate were asked: their cells (n,); K whole weights of each (K, n); or such weights of J cells, and the cells.

    Weights are divided by ``grid``, so that nobody's sizes add up to more than 1.
    """

    def __init__(self, asked: Any, answers: np.ndarray, variance: float, grid: float) -> None:
        self.table, self.cells = asked if isinstance(asked, tuple) else (None, asked)
        self.answers, self.variance, self.grid, self.q = answers / grid, variance / grid**2, grid, answers.shape[1]

    def rows(self, at: slice | np.ndarray) -> sparse.csr_array:
        """With what each answer counts some of the people, (q, n)."""
        if self.table is not None:
            return sparse.csr_array(self.table[:, self.cells[at]] / self.grid)
        if self.cells.ndim == 2:
            return sparse.csr_array(self.cells[:, at] / self.grid)
        cells = self.cells[at]
        return sparse.csr_array((np.ones(len(cells)), (cells, np.arange(len(cells)))), shape=(self.q, len(cells)))


def sample_of(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some people of each cell (n,), by a fixed seed and so public; and how many of the cell each of them stands for."""
    sizes = np.bincount(cells)
    wanted = np.minimum(sizes, np.maximum(1, SAMPLE * sizes // len(cells)))
    mixed = np.random.default_rng(0).permutation(len(cells))
    order = mixed[np.argsort(cells[mixed], kind="stable")]
    place = np.arange(len(cells)) - np.repeat(np.cumsum(sizes) - sizes, sizes)       # within the own cell
    at = np.sort(order[place < np.repeat(wanted, sizes)])
    return at, (sizes / np.maximum(wanted, 1))[cells[at]]


class Crowd:
    """The people of each rate by the features that the prior is made of: 1, their place on the public map, bells around its landmarks.

    ``to``, one for each rate, takes these to features whose inner products are the prior covariance of a logit; the first are the mean
    logits of the rates, of which each has its own. Of people who are looked at together
    everybody is in ``sample``, and stands for one; of more, a sample in which the people of each of ``cells`` stand for all of their cell.
    """

    def __init__(self, public: Public, cells: list[np.ndarray]) -> None:
        self.public, self.people = public, public.people
        map = public.map
        n = map.landmarks.shape[1]
        R = len(public.people)
        alike = block_diag(np.sqrt(map.settings.linear) * np.eye(n), map.whiten)
        self.to = [block_diag(settings_of(public).apart * np.eye(R)[r], alike) for r in range(R)]
        self.sample: list[slice | np.ndarray] = [slice(None)] * len(self.people)
        self.times = [np.ones(len(i)) for i in self.people]
        if not public.together:
            chosen = [sample_of(here) for here in cells]
            self.sample, self.times = [at for at, _ in chosen], [times for _, times in chosen]
        self.raw = [self.raw_of(self.people[r][at]) for r, at in enumerate(self.sample)]

    def raw_of(self, people: np.ndarray) -> np.ndarray:
        return self.public.map.raw(self.public.place_of(people))

    def parts(self, r: int, everybody: bool) -> Iterator[tuple[slice | np.ndarray, np.ndarray, np.ndarray]]:
        """(who, raw features, how many people each stands for): the sample, or all people of a rate a block at a time."""
        if not everybody or self.public.together:
            yield self.sample[r], self.raw[r], self.times[r]
            return
        for at in blocks(len(self.people[r])):
            yield at, self.raw_of(self.people[r][at]), np.ones(at.stop - at.start)
