"""What is published of asking well: for a gamma the mixture that is expected to violate by it, and how far off that may be."""
from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .. import _checks as check
from .._curve import violation_of
from ..fairness import Parity
from ._blocks import blocks
from .basis import Basis
from .candidates import Candidates
from .decide import NARROW
from .posterior import GroupPosterior

#: Draws by which a violation is told, and the corners and the mixture for a gamma are found: others than those of the program.
FRESH, SEED = 400, 2
#: For gamma = 0: the fairest of the mixtures that spare so much loss against the better constant, or half of what any spares. Where that
#: violates by more than NARROW, what NARROW allows, or as much as spares so much. (Not by accuracy parity, where only a coin has none.)
USEFUL = 0.005
#: Violations and errors of so many digits that are the same are level: the next digit is a processor's affair.
LEVEL = 9
#: For the intervals of ``curve`` deviations are so much larger than the belief's. Calibrated, not derived, on 40 populations of 2,000
#: people whose groups x tells nothing about, at epsilon 0.5; of a hundred others intervals of 95 % hold in 91, and with 1 in 62.
MORE_APART = 1.3


@dataclass(frozen=True)
class RateDraws:
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

    Source: ours, chapter 14. ``gammas`` (G,); ``multipliers`` (H, b): candidate h accepts x where basis(x) @ multipliers[h] > 0;
    ``error`` (H,): on the people learned from, exact and public;
    ``corners`` (V, H): how often each candidate is used by mixtures for falling prices of unfairness, the first mostly a constant;
    ``violations`` (V,): what each is expected to violate by, the mean over draws of its largest gap: between two of them a mixture of both
    violates by no more than the mean of theirs. ``fairest`` (H,), for gamma = 0: of the path the mixture of least expected
    violation that errs less than a constant; about what .05 gives, where that violates by more (not by accuracy parity); the constant,
    where none errs less. ``weights`` (G, H): for each gamma; ``expected_error``, exact, and ``expected_violation`` (G,): theirs.
    """

    gammas: tuple[float, ...]
    multipliers: np.ndarray
    error: np.ndarray
    corners: np.ndarray
    violations: np.ndarray
    fairest: np.ndarray
    expected_violation: np.ndarray

    @cached_property
    def weights(self) -> np.ndarray:
        return np.stack([self.row(gamma) for gamma in self.gammas])

    @property
    def expected_error(self) -> np.ndarray:
        return self.weights @ self.error

    def row(self, gamma: float) -> np.ndarray:
        """The mixture for a gamma, (H,)."""
        return self.fairest if check.gamma(gamma) == 0 else between(self.corners, self.violations, gamma)


def between(corners: np.ndarray, violations: np.ndarray, gamma: float) -> np.ndarray:
    """Of corners (V, H) of rising violation the last that violates by gamma at most, and as much of the next as gamma allows. Where even
    the first violates by more, that one: no price that was asked makes less worth while."""
    last = max(int(np.searchsorted(violations, gamma, side="right")) - 1, 0)
    if last + 1 == len(violations):
        return corners[last]
    part = max(gamma - violations[last], 0.0) / (violations[last + 1] - violations[last])
    return (1 - part) * corners[last] + part * corners[last + 1]


def fairest_useful(violations: np.ndarray, losses: np.ndarray, constant: int, parity: Parity) -> tuple[int, float]:
    """Which mixture is the fairest that spares something against the better ``constant``, that one where none does; and for which gamma
    enough of it is left, where it violates by too much."""
    spared = losses[constant] - losses
    least = min(USEFUL, spared.max() / 2)
    useful = np.flatnonzero(spared > least)
    if not len(useful):
        return constant, float(violations[constant])
    fairest = int(useful[violations[useful].argmin()])
    gap = float(violations[fairest])
    return fairest, gap if parity.notion == "accuracy_parity" else min(gap, max(NARROW, gap * least / spared[fairest]))


def lower_corners(violations: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Which of the points (violation, error) make the lower hull that falls, in order: the first has the least violation.

    Of points that are level, up to rounding, the last is taken: constants stand there.
    """
    violations, errors = violations.round(LEVEL), errors.round(LEVEL)
    order = np.lexsort((-np.arange(len(errors)), errors, violations))
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


def published_of(belief: GroupPosterior, found: Candidates, path: np.ndarray,
                 gammas: tuple[float, ...]) -> tuple[Basis, Frontier, RateDraws]:
    """The candidates that some mixture uses, mixtures for all gammas, and how often they may accept each group."""
    H, parity = len(found.error), belief.public.parity
    used = np.union1d(np.flatnonzero((path > 1e-9).any(axis=0)), [H - 2, H - 1])
    drawn, loss = what_is_believed(belief, found, used), found.loss[used]
    constants = np.eye(len(used))[-2:]
    if belief.public.of_right:          # each is right about more of one group; half of both about half of every group
        constants = np.vstack([constants, constants.mean(axis=0)])
    mixtures = np.concatenate([path[:, used] / path[:, used].sum(axis=1, keepdims=True), constants])
    violations, losses = expected_violations(drawn, mixtures, parity), mixtures @ loss
    corners = lower_corners(violations, losses)
    hull, rising = mixtures[corners], violations[corners]
    zero, gap = fairest_useful(violations, losses, len(path) + int(loss[-2:].argmin()), parity)
    fairest = mixtures[zero] if gap == violations[zero] else between(hull, rising, gap)
    frontier = Frontier(gammas, found.decisions.multipliers[used], found.error[used], hull, rising, fairest, np.zeros(0))
    return found.basis, replace(frontier, expected_violation=expected_violations(drawn, frontier.weights, parity)), drawn


def expected_violations(believed: RateDraws, weights: np.ndarray, parity: Parity) -> np.ndarray:
    """Of mixtures (G, S), the mean over what could be true."""
    return violation_of(believed.rates(weights), parity).mean(axis=0)


def what_is_believed(belief: GroupPosterior, found: Candidates, used: np.ndarray) -> RateDraws:
    """Of candidates of which the last two are the constants."""
    public = belief.public
    score = np.concatenate([public.map.score(public.scaling(public.X[at])) for at in blocks(*public.X.shape)])
    drawn = found.rates(FRESH, SEED, used)
    people, deviation = (np.zeros((belief.k, len(public.people))) for _ in range(2))
    for r, (i, at) in enumerate(zip(public.people, belief.sample.at, strict=True)):
        people[:, r] = belief.all_groups(belief.means(r).sum(axis=0), belief.sample.weights[r].sum())
        upper = np.where(score[i[at]] > np.median(score[i]), 0.5, -0.5)
        # Nothing that was asked tells such a sum better than one count would; of a handful of people the prior seems to.
        least = 0.25 / sum(1 / max(question.variance, 1e-300) for question in belief.asked[r])
        deviation[:, r] = np.sqrt(np.maximum(belief.noise(r, upper), least))
    return RateDraws(drawn, people, deviation)


def doubt_of(draws: RateDraws, weights: np.ndarray, parity: Parity) -> float:
    """How far the gaps of one mixture (S,) are expected to be from their means."""
    gaps = parity.differences_for(draws.people.shape[0])(draws.rates(weights[None])[:, 0])
    return float(np.abs(gaps - gaps.mean(axis=0)).mean())
