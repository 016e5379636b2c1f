"""How many people of each group a mixture accepts, by the answers: a mean, and how far off it may be."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from .. import mechanisms
from ..mechanisms.geometric import geometric_variance
from ._blocks import blocks, floats, with_one
from ._public import Public
from .decided import Decisions
from .in_blocks import Counts, Weights
from .known import Known
from .posterior import Observed
from .releases import number_of
from .settings import suggested_cells

CELLS_AT = 1.0      # epsilon by which public cells are chosen, for reports that are summed over them
ALONE = 1.0         # of mean (1 - mean), the most that x may leave untold about a person: more than the learner's own residual
#: Deviations are drawn so much larger than the model's. Calibrated, not derived: groups need not be as the model thinks likely, and then it
#: matters that the mixture was chosen by the same answers. Of 398 fits on groups that x tells nothing about, or by the sign of a product of
#: two features, or by the size of one with heavy tails, intervals of 95 % held in 339 with the very law, and with a quarter more in 376.
MORE_APART = 1.25


@dataclass(frozen=True)
class Accepted:
    """By the answers: how many people of each group, and of each rate, S candidates accept, and how many there are.

    Source: ours; :func:`expected_groups` with its covariance. ``candidates`` (S,), those that a mixture of the frontier may use; ``means``
    (A, R, S + 2) and ``covariances`` (A, R, S + 2, S + 2) of the numbers that each accepts, that a public score accepts which accepts
    half, and of all people, for the A groups that are modelled: all, or all but group 0; ``everybody`` (R, S + 2), the same of all groups
    together, public; ``noise`` (A, R), the variance that noise alone gives to an estimate, which nothing shrinks, of those whom that score
    accepts, for their number; ``k``.
    """

    candidates: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    everybody: np.ndarray
    noise: np.ndarray
    k: int

    def of_mixtures(self, weights: np.ndarray) -> Accepted:
        """The same of mixtures (G, H) in place of candidates."""
        mixed = block_diag(weights[:, self.candidates], np.eye(2))
        return Accepted(np.arange(len(weights)), self.means @ mixed.T, mixed @ self.covariances @ mixed.T, self.everybody @ mixed.T,
                        self.noise, self.k)

    def rates(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of the candidates' rates, (size, S, k, R), by a normal law, a little wider than the model's."""
        values, vectors = np.linalg.eigh(self.covariances)
        apart = rng.standard_normal((size, *self.means.shape)) * (MORE_APART * np.sqrt(np.maximum(values, 0.0)))
        drawn = self.all_groups(self.means + np.einsum("arij,sarj->sari", vectors, apart))
        return np.clip(np.moveaxis(drawn[..., :-2] / np.maximum(drawn[..., -1:], 1.0), -1, 1), 0.0, 1.0)

    def all_groups(self, told: np.ndarray) -> np.ndarray:
        """Numbers (..., A, R, S + 2) of the modelled groups as those of all k: group 0 is the rest, or each group gives an equal part."""
        if told.shape[-3] == self.k:
            return told - (told.sum(axis=-3, keepdims=True) - self.everybody) / self.k
        return np.concatenate([(self.everybody - told.sum(axis=-3))[..., None, :, :], told], axis=-3)

    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """People (k, R), and the standard deviation, for their number, of those accepted where half of everybody are."""
        variance = self.noise
        if len(variance) < self.k:                  # whom group 0 has the others have not
            variance = np.concatenate([variance.sum(axis=0, keepdims=True), variance])
        return self.all_groups(self.means)[..., -1], np.sqrt(variance)


class AcceptedInBlocks:
    """The weights (S + 2, N) of sums over the accepted, and over all: a block at a time, and never all of them."""

    def __init__(self, decisions: Decisions, half: np.ndarray, people: np.ndarray) -> None:
        self.decisions, self.half, self.people, self.q = decisions, half, people, len(decisions.multipliers) + 2

    def of(self, at: slice) -> np.ndarray:
        return accepted(self.decisions, self.half, self.people[at])

    def sums(self, rows: np.ndarray, at: slice) -> np.ndarray:
        return self.of(at) @ rows

    def sizes(self) -> np.ndarray:
        return sum((self.of(at).sum(axis=1) for at in blocks(len(self.people))), np.zeros(self.q))

    def crossed(self, other: Counts | Weights | AcceptedInBlocks) -> np.ndarray:
        found = np.zeros((self.q, other.q))
        for at in blocks(len(self.people)):
            rows = self.of(at)
            if isinstance(other, Counts):
                found += other.sums(rows.T, at).T
            else:
                found += rows @ (rows if isinstance(other, AcceptedInBlocks) else other.rows[:, at]).T
        return found


def upper_half(public: Public) -> np.ndarray:
    """Who of the people of each rate has the larger half of the public scores, (m,) of bool."""
    score = np.concatenate([with_one(floats(public.X[at])) @ public.base for at in blocks(public.m)])
    found = np.zeros(public.m, dtype=bool)
    for people in public.people:
        found[people] = score[people] > np.median(score[people])
    return found


def accepted(decisions: Decisions, half: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Whom of some people each candidate accepts, and the half, and a row of ones: (S + 2, n)."""
    says = decisions.multipliers @ decisions.scores[people].T > 0 if decisions.whole is None else decisions.whole[:, people]
    return np.concatenate([says, half[people][None], np.ones((1, len(people)))])


def what_is_accepted(known: Known, public: Public, decisions: Decisions, candidates: np.ndarray) -> Accepted:
    """By the answers, in the model of :func:`expected_groups` with the prior covariance of ``public``, which no answer chose, and
    a residual as large as that of anybody can be."""
    chosen, half, found = decisions.only(candidates), upper_half(public), []
    for y, people in enumerate(public.people):
        rows: Any = accepted(chosen, half, people) if public.together else AcceptedInBlocks(chosen, half, people)
        found.append([_of_one(known, public, rows, a, y) for a in range(len(known.groups))])
    means, covariances, noise = (np.array([[one[part] for one in row] for row in found]).swapaxes(0, 1) for part in (0, 1, 3))
    return Accepted(candidates, means, covariances, np.array([row[0][2] for row in found]), noise, known.k)


def _of_one(known: Known, public: Public, rows: Any, a: int, y: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Mean and covariance of the sums ``rows`` over one group and rate; the same sums over everybody; ``noise`` of :class:`Accepted`."""
    mean = known.means[a, y]
    observed = known.observed[a][y] if known.reports is None else _reports_in_cells(known, public, a, y)
    n = len(rows) if isinstance(rows, np.ndarray) else rows.q
    joint = type(observed)(public.features_of[y]).add(rows, np.zeros(n), np.zeros(n)).joined(observed)
    along, cross, sizes = joint.products()
    law = along @ along.T + ALONE * mean * (1 - mean) * cross
    law[np.diag_indices(len(law))] += joint.variances + 1e-9
    gain = np.linalg.solve(law[n:, n:], law[n:, :n]).T
    told = mean * sizes[:n] + gain @ (observed.answers - mean * sizes[n:])
    left = law[:n, :n] - gain @ law[n:, :n]
    half = np.append(np.zeros(n - 2), [1.0, -0.5])          # those whom the score accepts, less half of all
    shown = half @ gain @ law[n:, :n] @ half / (half @ law[:n, :n] @ half)      # how much of the truth the estimate shows
    return told, left, sizes[:n], float((half @ gain) ** 2 @ observed.variances / max(shown, 1e-18) ** 2)


def _reports_in_cells(known: Known, public: Public, a: int, y: int) -> Observed:
    """Reports, one by one, say little and were chosen by; summed over public cells they are answers as noisy counts are. And the audit."""
    people, mean, reports = public.people[y], known.means[a, y], known.reports
    assert reports is not None
    law = mechanisms.randomized_response_matrix(known.k, known.response_epsilon)
    keep, other = law[0, 0], law[0, 1]
    variance = (mean * keep * (1 - keep) + (1 - mean) * other * (1 - other)) / (keep - other) ** 2
    found = known._observes(public.features_of[y])
    codes, _ = public.cells(suggested_cells(public.m, CELLS_AT))
    cell = np.unique(codes[people], return_inverse=True)[1].reshape(-1)
    question = found.counting(cell, int(cell.max()) + 1)
    found.add(question, question @ reports[people, known.groups[a]], np.bincount(cell) * variance)
    for (codes, counts), release in zip(known.answers[1:], known.releases[1:], strict=True):
        here, cell = np.unique(codes[people], return_inverse=True)
        noise = geometric_variance(number_of(release.sensitivity), number_of(release.epsilon))
        found.add(found.counting(cell.reshape(-1), len(here)), counts[a, here].astype(float), np.full(len(here), noise))
    return found
