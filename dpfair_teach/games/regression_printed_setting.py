"""The door of Section 5's learner: its arguments are read and refused here, once; with them T, epsilon' and the scales, which A tells."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..oracles import RegressionOracle
from .auditor import bound_on_multipliers, hedge_rate
from .budget import checked_delta, printed_step
from .game import FairnessGame
from .regression import Cells, asked_people, default_price
from .rounds import schedule

__all__ = ["section_5_step"]

Noise = Literal["scale", "location"]
Step = Literal["code", "supplement"]
NOISES: tuple[Noise, ...] = get_args(Noise)
STEPS: tuple[Step, ...] = get_args(Step)


def section_5_step(epsilon: float, delta: float, rounds: int) -> float:
    """epsilon' of a step, from 0.5 (sqrt(4 T ln(1/delta)) e + 2 T e (exp(e) - 1)) = epsilon.

    Source: none in the papers; an author's public code for Figure 1, left. It is half of Dwork, Rothblum and Vadhan's long form of
    advanced composition for 2 T steps: too large at large steps, no bound at small ones. The supplement's epsilon / (4 sqrt(T ln(1/delta)))
    is :func:`schedule`'s.

    Parameters
    ----------
    epsilon : float in [1e-9, 1e15]
    delta : float in [1e-300, 1)
    rounds : int in 1..10^9
        T.

    Returns
    -------
    float

    Examples
    --------
    >>> [round(section_5_step(epsilon, 1e-7, rounds), 1) for epsilon, rounds in ((100, 9), (150, 14), (200, 19))]
    [1.8, 1.8, 1.8]
    """
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e15)
    delta = checked_delta(delta)
    T = check.integer("rounds", rounds, low=1, high=10**9)
    low, high = 0.0, 50.0
    for _ in range(200):
        e = (low + high) / 2
        spent = 0.5 * (math.sqrt(-4 * T * math.log(delta)) * e + 2 * T * e * math.expm1(e))
        low, high = (e, high) if spent <= epsilon else (low, e)
    return low


@dataclass(frozen=True, eq=False)
class Section5Setting:
    """What Section 5's learner runs with: arguments of :func:`section_5_learner`, checked, and what follows from them.

    Attributes
    ----------
    cells : Cells
        The people in the order of their cells.
    constants : FairnessGame
        Of the two constants on these people: it knows rates and tolerances.
    asked : array of ints
        The gaps that are compared.
    repeats, each : tuples of ints
        The axes of the repeats, and those of the batch.
    rounds_real, rounds, epsilon_step : (E,) arrays
        Of each game of the batch: T by the formula, T as cut, epsilon'.
    B, gamma, eta, learner, auditor : (E,) arrays
        The bound, the tolerance, the auditor's step; the scales of the noise on the constant's coordinate and on the gradient.
    noise : str
    """

    cells: Cells
    constants: FairnessGame
    asked: np.ndarray
    repeats: tuple[int, ...]
    each: tuple[int, ...]
    rounds_real: np.ndarray
    rounds: np.ndarray
    epsilon_step: np.ndarray
    B: np.ndarray
    gamma: np.ndarray
    eta: np.ndarray
    learner: np.ndarray
    auditor: np.ndarray
    noise: Noise

    @property
    def axes(self) -> tuple[int, ...]:
        """Of all games."""
        return self.repeats + self.each

    def of_all(self, *names: str) -> list[np.ndarray]:
        """Numbers of each game of the batch, for every repeat: (games,) arrays."""
        return [np.tile(getattr(self, name), math.prod(self.repeats)) for name in names]


def read_section_5(oracle: RegressionOracle, A: ArrayLike, gamma: ArrayLike, epsilon: ArrayLike, delta: float, *, B: ArrayLike | None,
                   beta: float, step: Step, noise: Noise, most_rounds: int, n_groups: int | None,
                   size: int | tuple[int, ...] | None) -> Section5Setting:
    """Arguments as in :func:`section_5_learner`."""
    cells, constants, asked = asked_people(oracle, A, gamma, n_groups, Parity())
    B = default_price(constants.gamma) if B is None else bound_on_multipliers(B)
    each = check.broadcast("B", B.shape, "gamma", constants.gamma.shape, "Give one B for each gamma.")
    epsilon, beta = check.array("epsilon", epsilon, low=1e-9, high=1e12, booleans=False), check.beta(beta)
    check.filled("epsilon", np.atleast_1d(epsilon), "epsilon")
    each = check.broadcast("epsilon", epsilon.shape, "gamma and B", each, "Give one epsilon for all games, or one for each.")
    delta = checked_delta(delta)
    check.choice("noise", noise, NOISES)
    check.choice("step", step, STEPS)
    most_rounds = check.integer("most_rounds", most_rounds, low=1, high=10**6)
    k, m, n = constants.n_groups, oracle.m, float(cells.n.min())
    if n <= 1:
        check.refuse("A", n, "is the smallest cell, and the scales divide by one person less", "Merge groups; this learner cannot run.")
    repeats = check.size(size, each)
    games = math.prod(repeats + each)
    if games * m > 10**9:
        check.refuse("size", size, f"means {games} games of {m} people at once", "Play fewer at once.")
    B, gammas, epsilons = (np.broadcast_to(v, each).astype(float).ravel() for v in (B, constants.gamma, epsilon))
    log_labelings = (oracle.d + 1) * math.log(m)
    real = np.array([schedule(m, e, delta, b, k, beta, log_labelings).rounds_real for e, b in zip(epsilons, B, strict=True)])
    rounds = np.clip(real.astype(int), 1, most_rounds)
    step_of = section_5_step if step == "code" else printed_step
    steps = np.array([step_of(e, delta, int(t)) for e, t in zip(epsilons, rounds, strict=True)])
    eta = np.array([hedge_rate(constants.n_constraints, int(t), as_printed=True) for t in rounds])
    learner, auditor = 2 * (2 * k * B + 1) / (n - 1) * m / steps, 2 * k / ((n - 1) * steps)
    return Section5Setting(cells, constants, asked, repeats, each, real, rounds, steps, B, gammas, eta, learner, auditor, noise)
