"""What Zafar et al. bound, and a logistic loss under such bounds: convex where they are linear, else convex programs that go down.

A covariance is how far the group goes together with the distance to the boundary, or with the part of it that is a mistake. That of
mistakes is w . g with g concave (each person's rounded min(0, v)), and weights w of both signs: a difference of convex functions. A program
has the tangents at a point in place of the concave parts. They lie above these, so who meets its bounds meets the true ones, and a point
that it returns itself is stationary.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular
from scipy.optimize import minimize, nnls
from scipy.special import expit

from .. import _checks as check
from ..fairness.parity import Notion, Parity, read_parity

__all__ = ["covariances"]

#: Mistakes are counted from a margin of this down to minus this with a weight that goes from 0 to 1: so there are slopes everywhere.
BEND = 1e-3


def bent(v: np.ndarray) -> np.ndarray:
    """min(0, v) with its corner rounded: concave, with slopes in [0, 1], and at most BEND / 4 below it."""
    near = np.clip(v, -BEND, BEND)
    return np.minimum(v - near, 0.0) - (BEND - near)**2 / (4 * BEND)


def bent_slope(v: np.ndarray) -> np.ndarray:
    """The slope of :func:`bent`."""
    return (BEND - np.clip(v, -BEND, BEND)) / (2 * BEND)


def group_weights(A: np.ndarray, Y: np.ndarray, k: int, parity: Parity, *, as_printed: bool = False) -> np.ndarray:
    """(k, R, m): what a person's number is multiplied by in each covariance: ([a_i = a] - share of a) / m in the cell, else 0."""
    found = np.zeros((k, len(parity.cells), len(A)))
    for r, cell in enumerate(parity.cells):
        inside = np.ones(len(A), dtype=bool) if cell.label is None else Y == cell.label
        for a in range(k):
            share = (A == a).mean() if as_printed else (A[inside] == a).mean()
            found[a, r] = np.where(inside, (A == a) - share, 0.0) / len(A)
    return found


def with_everybody(notion: Notion | Parity) -> Parity:
    """The notion, against the population: another ``against`` would be read by nobody."""
    return read_parity(notion, against=None if isinstance(notion, Parity) else "population", forms=("population",),
                       because="A covariance is of a group with everybody.")


def bends(parity: Parity) -> bool:
    """Whether only mistakes count: for all notions but demographic parity, whose number is the score itself."""
    return parity.notion != "demographic_parity"


def covariances(scores: ArrayLike, A: ArrayLike, Y: ArrayLike, n_groups: int, *,
                notion: Notion | Parity = "demographic_parity", as_printed: bool = False) -> np.ndarray:
    """The covariance of belonging to each group with the score, or with the part of it that is a mistake.

    Source: Tran et al. 2020, Section 8, baseline Z (Zafar et al. 2017, reconstructed). With d a person's score, accepted if above 0, and
    s = 2 y - 1: for demographic parity the number is d. For accuracy parity it is min(0, s d), which is 0 unless the person is misjudged.
    For equalized odds it is the same among people of one label at a time. It is no count: a mistake counts as much as it is clear.

    As printed, the share of a group that is taken away from its indicator is that among everybody, and a classifier that treats groups
    alike has a covariance among people of one label that is not 0. By default it is the share among those people.

    Parameters
    ----------
    scores : (m,) array
    A : (m,) array of ints 0..k-1
    Y : (m,) array of 0/1
    n_groups : int in 2..1000
    notion : str or fairness.Parity
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``; a Parity against the
        population, as a covariance is of a group with everybody.
    as_printed : bool

    Returns
    -------
    (k, R) array: for each group, for each rate of the notion

    Examples
    --------
    >>> scores, A, Y = [2.0, -1.0, 1.0, -2.0], [0, 0, 1, 1], [1, 0, 0, 1]
    >>> covariances(scores, A, Y, 2)                                # group means .5 and -.5
    array([[ 0.25],
           [-0.25]])
    >>> covariances(scores, A, Y, 2, notion="accuracy_parity")      # both mistakes are in group 1
    array([[ 0.375],
           [-0.375]])
    """
    parity, k = with_everybody(notion), check.group_count(n_groups)
    check.same_people(scores=scores, A=A, Y=Y)
    scores = check.filled("scores", check.array("scores", scores, ndim=1), "person")
    A = check.groups_below("A", A, k, of="scores", length=len(scores))
    Y = check.labels("Y", Y, length=len(scores))
    check.flag("as_printed", as_printed)
    for cell in parity.cells:
        if cell.label is not None and not (Y == cell.label).any():
            check.refuse("Y", cell.label, "is nobody's label, and the notion asks about them", "Give people of both labels.")
    g = np.minimum((2 * Y - 1) * scores, 0.0) if bends(parity) else scores
    return group_weights(A, Y, k, parity, as_printed=as_printed) @ g


MOST_STEPS = 400             # of the solver, in one convex program
SLACK = 1e-7            # a bound counts as met, and as active, up to so much
PRECISE = 1e-9          # a smaller gain in loss ends the sequence
FLAT = 1e-9             # a direction in which covariances rise by less is rounding: where the Hessian is 1, real ones rise by about .1


@dataclass(frozen=True, eq=False)
class CovarianceProgram:
    """min over theta of the mean log loss + |w|^2 / (2 C m), such that |covariances| <= gamma; theta is (w, intercept).

    ``Z`` (m, p) is (X, 1), ``signs`` (m,) are 2 y - 1, ``weights`` (D, m) has a row for each covariance that is bounded; ``bend``: whether
    mistakes count, and not scores.
    """

    Z: np.ndarray
    signs: np.ndarray
    weights: np.ndarray
    bend: bool
    gamma: float
    C: float

    @property
    def ridge(self) -> np.ndarray:
        return np.append(np.full(self.Z.shape[1] - 1, 1 / (self.C * len(self.Z))), 1e-12)

    @cached_property
    def root(self) -> np.ndarray:
        """L with L L' the Hessian at 0: in the coordinates L' theta the loss is round there."""
        try:
            return np.linalg.cholesky(self.Z.T @ self.Z / (4 * len(self.Z)) + np.diag(self.ridge + 1e-9))
        except np.linalg.LinAlgError as problem:
            check.refuse("X, C", (float(np.abs(self.Z).max()), self.C), "columns so large and so alike that the loss cannot be made round",
                         "Standardize X, leave out columns that repeat others, or choose a smaller C.", problem)

    def loss(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss and its gradient."""
        v = self.signs * (self.Z @ theta)
        return self._loss(v, theta), self._pulls(v) @ self.Z + self.ridge * theta

    def _loss(self, v: np.ndarray, theta: np.ndarray) -> float:
        return float(np.logaddexp(0.0, -v).mean() + self.ridge @ theta**2 / 2)

    def _pulls(self, v: np.ndarray) -> np.ndarray:
        """(m,): the slope of the mean log loss by everybody's score."""
        return -(self.signs * expit(-v)) / len(v)

    def bounded(self, theta: np.ndarray, at: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Covariances with both signs, (2 D,), and their gradients (2 D, p); with ``at``, replaced by what is convex and touches there."""
        values, pulls = self._covariances(self.signs * (self.Z @ theta), None if at is None else self.signs * (self.Z @ at))
        return values, pulls @ self.Z

    def _covariances(self, v: np.ndarray, v0: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """As ``bounded``, (2 D,), but slopes by everybody's score, (2 D, m); v0 belongs to ``at``."""
        both = np.concatenate([self.weights, -self.weights])
        if not self.bend:
            return both @ (self.signs * v), both
        value, slope = bent(v), bent_slope(v)
        if v0 is None:
            return both @ value, both * (slope * self.signs)
        steep = bent_slope(v0)
        up, down = np.maximum(both, 0.0), np.minimum(both, 0.0)
        return up @ (bent(v0) + steep * (v - v0)) + down @ value, (up * steep + down * slope) * self.signs

    def step(self, at: np.ndarray) -> np.ndarray:
        """The optimum of the convex program that touches at ``at``; ``at`` itself where the solver finds nothing better that is allowed."""
        v0 = self.signs * (self.Z @ at)
        seen: dict[str, Any] = {}

        def theta_of(x):
            return solve_triangular(self.root, x, lower=True, trans="T")

        def all_at(x):
            """Loss, gradient, covariances and their gradients: the solver asks for them apart, and reading Z is what costs."""
            if "x" not in seen or (seen["x"] != x).any():
                theta = theta_of(x)
                v = self.signs * (self.Z @ theta)
                values, pulls = self._covariances(v, v0)
                slopes = np.vstack([self._pulls(v), pulls]) @ self.Z
                slopes[0] += self.ridge * theta
                slopes = solve_triangular(self.root, slopes.T, lower=True).T
                seen.update(x=x.copy(), found=(self._loss(v, theta), slopes[0], values, slopes[1:]))
            return seen["found"]
        start = self.root.T @ at
        rows = {"type": "ineq", "fun": lambda x: self.gamma - all_at(x)[2], "jac": lambda x: -all_at(x)[3]}
        if not self.gamma:      # both signs say the same, and of all groups one says nothing new: independent linear equations
            _, rise, directions = np.linalg.svd(all_at(start)[3], full_matrices=False)
            equations = directions[rise > FLAT]
            rows = {"type": "eq", "fun": lambda x: equations @ x, "jac": lambda x: equations}
        found = theta_of(minimize(lambda x: all_at(x)[:2], start, jac=True, method="SLSQP",
                                  constraints=[rows] if self.gamma or len(equations) else [],
                                  options={"maxiter": MOST_STEPS, "ftol": 1e-12}).x)
        allowed = np.isfinite(found).all() and self.bounded(found, at)[0].max() <= self.gamma + SLACK
        return found if allowed and self.loss(found)[0] < self.loss(at)[0] else at

    def residual(self, theta: np.ndarray) -> float:
        """How far Lagrange's conditions are from holding: the least length of gradient + sum of multipliers >= 0 times active gradients.

        In the coordinates in which the Hessian at 0 is the unit matrix.
        """
        _, gradient = self.loss(theta)
        values, slopes = self.bounded(theta)
        active = slopes[values >= self.gamma - 10 * SLACK]
        target = -solve_triangular(self.root, gradient, lower=True)
        if not len(active):
            return float(np.linalg.norm(target))
        return float(nnls(solve_triangular(self.root, active.T, lower=True), target)[1])


def convex_concave(program: CovarianceProgram, steps: int) -> tuple[np.ndarray, list[float]]:
    """From theta = 0 on, one convex program after the other, until the loss no longer falls: theta, and the loss after each."""
    theta = np.zeros(program.Z.shape[1])
    losses = [program.loss(theta)[0]]
    for _ in range(steps if program.bend else 1):
        theta = program.step(theta)
        losses.append(program.loss(theta)[0])
        if losses[-2] - losses[-1] <= PRECISE:
            break
    return theta, losses
