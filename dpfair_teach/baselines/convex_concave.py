"""A logistic loss under bounds on covariances: convex where they are linear, else a sequence of convex programs that goes down.

A covariance of mistakes is w . g with g concave (each person's rounded min(0, v)), and weights w of both signs. Its positive part is
concave, its negative part convex. At a point, the tangents of the concave part lie above it: with them in its place the covariance is
replaced by a convex function that is nowhere smaller, equal at the point, with the same slope there. So

- who meets the replaced bounds meets the true ones;
- the point itself meets them if it met the true ones, so the convex program's optimum has no larger a loss;
- where the program returns the point itself, the point's Lagrange conditions for the program are those for the true bounds: both have the
  same values and slopes there. Slater's condition, which gives the program multipliers, holds at 0, where scores and slopes vanish: the
  replaced covariance of 0 is at most BEND / 4 times the sum of |w|, below the bound.

It is a stationary point, and no more is claimed: the problem is not convex. How far it is from one is measured, not assumed.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize, nnls
from scipy.special import expit

from .. import _checks as check
from .covariance import bent, bent_slope

__all__: list[str] = []     # CovarianceClassifier solves it

STEPS = 400             # of the solver, in one convex program
SLACK = 1e-7            # a bound counts as met, and as active, up to so much
PRECISE = 1e-9          # a smaller gain in loss ends the sequence
FLAT = 1e-9             # a direction in which covariances rise by less is rounding: where the Hessian is 1, real ones rise by about .1


@dataclass(frozen=True, eq=False)
class CovarianceProgram:
    """min over theta of the mean log loss + |w|^2 / (2 C m), such that |covariances| <= gamma; theta is (w, intercept).

    Attributes
    ----------
    Z : (m, p) array
        (X, 1).
    signs : (m,) array
        2 y - 1.
    weights : (D, m) array
        One row for each covariance that is bounded.
    bend : bool
        Whether mistakes count, and not scores.
    gamma, C : floats
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
                                  options={"maxiter": STEPS, "ftol": 1e-12}).x)
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
