"""What is published of asking well: for a gamma the mixture that is expected to violate by it, and how far off that may be."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._curve import violation_of
from ..fairness import Parity
from ._blocks import blocks, floats, with_one
from ._public import Public
from .basis import Basis
from .belief import Asked, Belief
from .designed import ask_well
from .thresholds import Candidates

#: Draws by which a violation is told, and the corners and the mixture for a gamma are found: others than those of the program.
FRESH, SEED = 400, 2
#: For the intervals of ``curve`` deviations are so much larger than the belief's. Calibrated, not derived: of 40 populations of 2,000
#: people whose groups x tells nothing about, at epsilon 0.5, intervals of 95 % held in 36 with the very law, and in 38 with these.
MORE_APART = 1.3


@dataclass(frozen=True)
class Believed:
    """How often candidates may accept each group, by a belief: ``drawn`` (D, k, S, R), in single precision.

    ``people`` (k, R): how many there are in expectation; ``deviation`` (k, R): of noise alone, of those accepted where half of all are.
    """

    drawn: np.ndarray
    people: np.ndarray
    deviation: np.ndarray

    def rates(self, weights: np.ndarray, apart: float = 1.0) -> np.ndarray:
        """Of mixtures (G, S): (D, G, k, R); with deviations so many times as large."""
        found = np.moveaxis(np.tensordot(weights, self.drawn.astype(float), (1, 2)), 0, 1)
        mean = found.mean(axis=0)
        return found if apart == 1.0 else np.clip(mean + apart * (found - mean), 0.0, 1.0)


@dataclass(frozen=True)
class Frontier:
    """What is published: for a gamma the mixture of least error which is expected to violate by gamma; candidates are functions of x.

    Source: ours, chapter 14. ``gammas`` (G,); ``weights`` (G, H): how often each candidate is used; ``multipliers`` (H, b): candidate h
    accepts x where basis(x) @ multipliers[h] > 0; ``error`` (H,): on the people learned from, exact and public; ``gaps`` (H, C): signed
    gaps of the notion, the mean of the belief; ``corners`` (V, H), mixtures for falling prices of unfairness; ``violations`` (V,), what
    each is expected to violate by, the mean over draws of its largest gap: between two of them a mixture of both violates by no more than
    the mean of theirs. ``expected_violation`` (G,): the same of the mixtures published; ``expected_error`` (G,): exact.
    """

    gammas: tuple[float, ...]
    weights: np.ndarray
    multipliers: np.ndarray
    error: np.ndarray
    gaps: np.ndarray
    corners: np.ndarray
    violations: np.ndarray
    expected_violation: np.ndarray

    @property
    def expected_error(self) -> np.ndarray:
        return self.weights @ self.error

    def row(self, gamma: float) -> np.ndarray:
        """The mixture for a gamma, (H,)."""
        return between(self.corners, self.violations, gamma)


def between(corners: np.ndarray, violations: np.ndarray, gamma: float) -> np.ndarray:
    """Of corners (V, H) of rising violation the last that violates by gamma at most, and as much of the next as gamma allows. Where even
    the first violates by more, that one: no price that was asked makes less worth while."""
    last = max(int(np.searchsorted(violations, gamma, side="right")) - 1, 0)
    if last + 1 == len(violations):
        return corners[last]
    part = max(gamma - violations[last], 0.0) / (violations[last + 1] - violations[last])
    return (1 - part) * corners[last] + part * corners[last + 1]


def lower_corners(violations: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Which of the points (violation, error) make the lower hull that falls, in order: the first has the least violation."""
    order = np.lexsort((errors, violations))
    hull: list[int] = []
    for i in order:
        if hull and errors[i] >= errors[hull[-1]]:
            continue
        while len(hull) > 1 and _above(violations, errors, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(int(i))
    return np.array(hull)


def _above(x: np.ndarray, y: np.ndarray, a: int, b: int, c: int) -> bool:
    """Is b on or above the line from a to c?"""
    return bool((x[b] - x[a]) * (y[c] - y[a]) <= (x[c] - x[a]) * (y[b] - y[a]))


def learn_designed(public: Public, A: np.ndarray, k: int, epsilon: float, rng: np.random.Generator, share: float | None,
                   gammas: tuple[float, ...]) -> tuple[Basis, Frontier, Believed, list[Asked]]:
    """:func:`ask_well`, and what is published of it."""
    asked, belief, found, path = ask_well(public, A, epsilon, rng, n_groups=k, share=share)
    return *published_of(belief, found, path, gammas), asked


def published_of(belief: Belief, found: Candidates, path: np.ndarray, gammas: tuple[float, ...]) -> tuple[Basis, Frontier, Believed]:
    """The candidates that some mixture uses, mixtures for all gammas, and how often they may accept each group."""
    H, parity = len(found.error), belief.public.parity
    used = np.union1d(np.flatnonzero((path > 1e-9).any(axis=0)), [H - 2, H - 1])
    error = found.error[used]
    mixtures = path[:, used] / path[:, used].sum(axis=1, keepdims=True)
    believed = what_is_believed(belief, found, used)
    violations = expected_violations(believed, mixtures, parity)
    corners = lower_corners(violations, mixtures @ error)
    mixtures, violations = mixtures[corners], violations[corners]
    weights = np.stack([between(mixtures, violations, gamma) for gamma in gammas])
    gaps = np.moveaxis(parity.differences_for(belief.k)(np.moveaxis(believed.drawn, 1, 2)), 1, 2).mean(axis=0, dtype=float).T
    frontier = Frontier(gammas, weights, found.decisions.multipliers[used], error, gaps, mixtures, violations,
                        expected_violations(believed, weights, parity))
    return found.basis, frontier, believed


def expected_violations(believed: Believed, weights: np.ndarray, parity: Parity) -> np.ndarray:
    """Of mixtures (G, S), the mean over what could be true."""
    return violation_of(believed.rates(weights), parity).mean(axis=0)


def what_is_believed(belief: Belief, found: Candidates, used: np.ndarray) -> Believed:
    """Of candidates of which the last two are the constants."""
    public, half = belief.public, upper_half(belief.public)
    drawn = found.rates(FRESH, SEED, used)
    drawn[:, :, -2], drawn[:, :, -1] = 0.0, 1.0         # who accepts nobody, or everybody: public
    people, deviation = (np.zeros((belief.k, len(public.people))) for _ in range(2))
    for r, (i, at) in enumerate(zip(public.people, belief.crowd.sample, strict=True)):
        people[:, r] = belief.all_groups(belief.means(r).sum(axis=0), belief.crowd.times[r].sum())
        score = np.where(half[i[at]], 0.5, -0.5)
        # Nothing that was asked tells such a sum better than one count would; of a handful of people the prior seems to.
        least = 0.25 / sum(1 / max(question.variance, 1e-300) for question in belief.asked[r])
        for a in range(belief.k):
            counted = np.zeros((len(score), len(belief.groups)))
            if a in belief.groups:
                counted[:, belief.groups.index(a)] = score
            else:
                counted[:] = -score[:, None]            # whom group 0 has the others have not
            deviation[a, r] = np.sqrt(max(belief.noise(r, counted), least))
    return Believed(drawn, people, deviation)


def upper_half(public: Public) -> np.ndarray:
    """Who of the people of each rate has the larger half of the public scores, (m,) of bool."""
    score = np.concatenate([with_one(floats(public.X[at])) @ public.base for at in blocks(public.m)])
    found = np.zeros(public.m, dtype=bool)
    for people in public.people:
        found[people] = score[people] > np.median(score[people])
    return found
