"""What dp_oracle_learner promises by default: a game over denominators that were released once is not quite the true one."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .programs import plain
from .regret import Noisy, auditor_bound, labelings_of, learner_bound, smallest_of
from .sensitivity import Sensitivities
from .setting import Setting, checked_setting
from .table import checked_constraints, labels_of

__all__ = ["frozen_bound", "frozen_tau"]


def frozen_tau(n: ArrayLike, denominators: ArrayLike, *, constraints: tuple[str, ...] = ("FP", "TP")) -> np.ndarray:
    """tau = max |n~ - n| / n~: how far a rate over the released denominators may be from the true one.

    Source: ours. A rate n_1 / n~ is the true rate times n / n~, so it is off by the rate times |n~ - n| / n~, and a rate is at most 1.

    Parameters
    ----------
    n : (k, 2) array [a, y], entries >= 0
        People of the cells, who are private: so is tau, but for the teacher's eye.
    denominators : (..., k, 2) array, entries >= 1
        What was released, ``dp_oracle_learner(...).denominators``.
    constraints : tuple of "FP", "TP"
        As in the game. Of the other label nothing is released, its denominators are NaN, and it does not count.

    Returns
    -------
    (...) array, or float

    Examples
    --------
    >>> round(frozen_tau([[100, 100], [50, 80]], [[98, 100], [52, 80]]), 3)
    0.038
    >>> round(frozen_tau([[100, 100], [50, 80]], [[98, np.nan], [52, np.nan]], constraints=("FP",)), 3)
    0.038
    """
    labels = labels_of(checked_constraints(constraints))
    n = check.filled("n", check.array("n", n, shape=(None, 2), low=0.0, high=1e15, booleans=False), "group")
    shown = check.numeric("denominators", denominators)
    if shown.ndim < 2 or shown.shape[-2:] != n.shape:
        check.refuse("denominators", shown.shape, f"does not end in the shape of n, {n.shape}", "Give one for each cell.")
    asked = check.array("denominators", shown[..., labels], low=1.0, high=1e15, booleans=False)
    return plain((np.abs(asked - n[:, labels]) / asked).max(axis=(-2, -1)))


def frozen_gap(nu: float, B: float, tau: float) -> float:
    """A nu-approximate equilibrium of the frozen game is one of the true game, with nu + 4 B tau.

    Both rates of a gap are off by at most tau, so a gap is by 2 tau, and the payoff L(Q, lambda), in which the prices sum to at most B, by
    2 B tau. A player who could gain g in the true game gains at least g - 2 (2 B tau) by the same move in the frozen one.
    """
    return nu + 4 * B * tau


@dataclass(frozen=True)
class FrozenBound:
    """What the output of dp_oracle_learner with frozen denominators keeps, with probability at least 1 - beta.

    Attributes
    ----------
    nu : float
        The equilibrium gap in the true game: that of the frozen game, and 4 B tau.
    learner, auditor : float
        Bounds on the two regrets, with what the denominators add to each: 2 B tau and 4 B tau.
    tau : float
        How far a rate over the released denominators is from the true one, at most.
    rounds : int
        T, how many of them the bound is about.
    """

    nu: float
    learner: float
    auditor: float
    tau: float
    rounds: int


def _off(s, cells, epsilon_0):
    """How many people the released sizes of so many cells may be off, with probability at least 1 - beta/3; 1/2 by rounding."""
    return 0.5 + (1 if s.k == 2 else 2) * math.log(3 * cells / s.beta) / epsilon_0


def _grid(s, least):
    """x_0: how far the grid moves a measured gap."""
    return (1 if s.k == 2 else 2) * 2**-11 * 2 / (least * s.step) if s.T > 1 else 0.0


def frozen_bound(setting: Setting) -> FrozenBound:
    """The utility of dp_oracle_learner as it runs by default, with frozen denominators: Theorem 3.5 for it, for gamma <= 1.

    Source: ours, after supplement, Lemmas 3.2 to 3.4 and Theorem 3.5. beta is spent in thirds, beta_0 = beta/3. The released sizes are
    all off by at most xi = 1/2 + ln(L/beta_0)/epsilon_0 (k = 2, L labels) or 1/2 + 2 ln(kL/beta_0)/epsilon_0, 1/2 for whole people, so
    they are at least N~ = max(n - xi, 1), and tau <= xi / N~. Given them the learner's loss has a range of at most 2B/N~, and the noise of
    a gap is that of 2/N~; the rest is as for a promise, where that is 2/(N+1), with gaps up to 1 + tau + x_0, and 2 B x_0 for the grid of
    what is measured: it moves a gap by at most x_0, 2^-11 of the noise's scale (2^-10 for k >= 3). In the true game either player may gain
    4 B tau more. A small ``smallest_cell`` spoils this bound, never the privacy.

    Parameters
    ----------
    setting : Setting
        With ``log_labelings``, and ``smallest_cell``: people in the smallest cell that a constraint asks about; ``protect="A"``. Without
        ``eta`` the step of :func:`dp_oracle_learner`.

    Returns
    -------
    FrozenBound

    Examples
    --------
    >>> found = frozen_bound(Setting(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000))
    >>> round(found.nu, 2), round(found.learner, 2), round(found.auditor, 2), round(found.tau, 4)
    (1.63, 0.93, 0.74, 0.0098)
    """
    if checked_setting(setting).protect != "A":
        check.refuse("protect", setting.protect, "the bound is about a learner that protects A", "Use theorem_3_7, or protect='A'.")
    k, T, B, n = setting.k, setting.T, setting.B, smallest_of(setting)
    off = _off(setting, len(setting.parity.cells) * (1 if k == 2 else k), setting.budget_fraction * setting.epsilon)
    least = max(n - off, 1.0)
    tau, thirds = off / least, setting.beta * 2 / 3
    # Denominators are all at least that: a price of the loss moves by B (1/n + 1/n), its noise is made for half.
    moves = Sensitivities(auditor=4 * (k - 1) / least, learner=B / least, rates=2 / least)
    s = Noisy(T, k, setting.d, B, thirds, setting.epsilon_step, moves)
    learner = learner_bound(s, labelings_of(setting), False) * (T - 1) / T
    grid = _grid(s, least)
    auditor = float(auditor_bound(s, setting.learning_rate, False, largest=1 + tau + grid)) + 2 * B * grid
    return FrozenBound(frozen_gap(learner + auditor, B, tau), learner + 2 * B * tau, auditor + 4 * B * tau, tau, T)
