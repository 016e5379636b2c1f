"""Mean and tail of the summed privacy loss: the advanced composition theorem, as printed and with its exact condition."""
from __future__ import annotations

import math
from dataclasses import dataclass

from .. import _checks as check
from ._ranges import any_epsilon, any_steps

__all__ = ["advanced_composition", "advanced_composition_long", "Theorem15", "theorem_1_5"]


def _checked(epsilon0: object, k: object, delta: object) -> tuple[float, int, float]:
    return any_epsilon(epsilon0), any_steps(k), check.delta(delta)


def _mean_and_tail(epsilon0: float, k: int, delta: float) -> tuple[float, float]:
    return k * epsilon0 * math.tanh(epsilon0 / 2), epsilon0 * math.sqrt(-2 * k * math.log(delta))


def advanced_composition(epsilon0: float, k: int, delta: float) -> float:
    """2 epsilon0 sqrt(2 k ln(1/delta)): k pure epsilon0-private steps are (this, delta)-private, where that is true.

    Source: supplement, Theorem 1.5, with pure steps and without its hypothesis epsilon < 1, which is replaced by the exact condition

        sqrt(k) tanh(epsilon0 / 2) <= sqrt(2 ln(1/delta)).

    Why. Let L_t = ln r_t be the privacy loss of step t given the steps before it, r_t the ratio of its likelihoods on D and D'.
    (i) |L_t| <= epsilon0. (ii) On D its mean is E'[r ln r], the expectation taken on D', where E' r = 1. As r ln r is convex, the mean is
    largest when r sits on both ends exp(+-epsilon0), and is then epsilon0 tanh(epsilon0 / 2): randomized response attains it.
    (iii) Azuma and Hoeffding, for increments of range 2 epsilon0: except with probability delta, the losses sum to at most
    k epsilon0 tanh(epsilon0 / 2) + epsilon0 sqrt(2 k ln(1/delta)), and a loss that exceeds epsilon with probability at most
    delta is (epsilon, delta)-privacy. (iv) The first term is at most the second exactly under the condition.

    Parameters
    ----------
    epsilon0 : float in (0, 1e9]
    k : int in 1..10^15
    delta : float in (0, 1)

    Returns
    -------
    float
        epsilon of all ``k`` steps, for ``delta``.

    Raises
    ------
    ValueError
        A number out of range; and where the short formula is no bound, with those that are.

    Notes
    -----
    Basic composition, k epsilon0, is smaller when k < 8 ln(1/delta).

    Examples
    --------
    >>> round(advanced_composition(0.01, k=10_000, delta=1e-5), 3)
    9.597
    """
    epsilon0, k, delta = _checked(epsilon0, k, delta)
    mean, tail = _mean_and_tail(epsilon0, k, delta)
    if mean > tail:
        check.refuse("epsilon0", epsilon0,
                     f"with k={k} and delta={delta:g} the mean loss alone may be {mean:.6g}, so that the short formula is no bound",
                     "Use optimal_composition, the least that is true of all such steps, or for a known mechanism compose(releases, delta, "
                     f"method='rdp') or 'pld'; weaker are the long formula, mean plus tail = {mean + tail:.6g}, and basic composition, "
                     f"k epsilon0 = {k * epsilon0:.6g}. Or choose a smaller epsilon0.")
    return 2 * tail


def advanced_composition_long(epsilon0: float, k: int, delta: float) -> float:
    """k epsilon0 tanh(epsilon0 / 2) + epsilon0 sqrt(2 k ln(1/delta)): mean plus tail, true for all pure epsilon0-private steps.

    Source: steps (i) to (iii) of the proof at :func:`advanced_composition`, which needs no condition up to there. Dwork, Rothblum and
    Vadhan 2010 have epsilon0 (e^epsilon0 - 1) for the mean; epsilon0 tanh(epsilon0 / 2), at most half of it, is exact. The tail is
    Azuma's and may be too large; :func:`optimal_composition` is exact.

    Parameters
    ----------
    epsilon0 : float in (0, 1e9]
    k : int in 1..10^15
    delta : float in (0, 1)

    Returns
    -------
    float
        epsilon of all ``k`` steps, for ``delta``; above k epsilon0 when the steps are few.

    Examples
    --------
    >>> round(advanced_composition_long(1.0, k=1000, delta=1e-5), 2)
    613.86
    """
    return sum(_mean_and_tail(*_checked(epsilon0, k, delta)))


@dataclass(frozen=True)
class Theorem15:
    """What Theorem 1.5 grants each step, and what all steps then have.

    Source: supplement, Theorem 1.5.

    Parameters
    ----------
    epsilon_step : float > 0
        epsilon', for each step.
    epsilon, delta : float > 0
        What the composition has: the target epsilon, and k delta' + delta.
    condition : bool
        Whether pure steps of this size satisfy the exact condition of :func:`advanced_composition`.

    Raises
    ------
    ValueError
        Not numbers, or not a flag: records are made by :func:`theorem_1_5`.

    Examples
    --------
    >>> Theorem15(epsilon_step=0.01, epsilon=0.5, delta=1e-6, condition=True).epsilon
    0.5
    """

    epsilon_step: float
    epsilon: float
    delta: float
    condition: bool

    def __post_init__(self) -> None:
        for name in ("epsilon_step", "epsilon"):
            object.__setattr__(self, name, check.epsilon(getattr(self, name), name))
        object.__setattr__(self, "delta", check.number("delta", self.delta, low=0.0, low_open=True))
        check.flag("condition", self.condition)


def theorem_1_5(epsilon: float, k: int, delta: float, delta_step: float = 0.0, *, as_printed: bool = False) -> Theorem15:
    """Turn a target (epsilon, delta) into a budget for each of k steps: epsilon' = epsilon / (2 sqrt(2 k ln(1/delta))).

    Source: supplement, Theorem 1.5. Its hypothesis is 0 < epsilon < 1 and delta > 0, for any steps that are (epsilon', delta')-private;
    ``as_printed`` keeps that one. It is too narrow and, for delta near 1, not enough: at epsilon = 0.99, delta = 0.999, k = 10,000 the
    true delta of pure steps exceeds 0.999. By default the hypothesis is the exact condition of :func:`advanced_composition`. As tanh(x)
    <= x, it holds for every k when epsilon <= 8 ln(1/delta). Steps with a delta' are pure except with probability delta' each, so that k
    delta' is added.

    Parameters
    ----------
    epsilon : float in [1e-200, 1e9]
        The target.
    k : int in 1..10^15
    delta : float in (0, 1)
        The part of the total delta that is spent on the tail of the loss.
    delta_step : float in [0, 1)
        delta' of each step; k delta' + delta must stay below 1.
    as_printed : bool
        The printed hypothesis epsilon < 1 instead of the condition.

    Returns
    -------
    Theorem15

    Raises
    ------
    ValueError
        A number out of range; the hypothesis does not hold.

    Examples
    --------
    >>> granted = theorem_1_5(0.5, k=100, delta=1e-6, delta_step=1e-9)
    >>> round(granted.epsilon_step, 6), granted.delta, granted.condition
    (0.004756, 1.1e-06, True)
    """
    epsilon, delta = check.number("epsilon", epsilon, low=1e-200, high=1e9), check.delta(delta)
    k, as_printed = any_steps(k), check.flag("as_printed", as_printed)
    delta_step = check.number("delta_step", delta_step, low=0.0, high=1.0, high_open=True)
    if k * delta_step + delta >= 1:
        check.refuse("delta_step", delta_step, f"k delta_step + delta = {k * delta_step + delta:.6g} is no less than 1",
                     "Choose smaller deltas.")
    if as_printed and epsilon >= 1:
        check.refuse("epsilon", epsilon, "the theorem as printed supposes epsilon < 1", "Leave as_printed False: it then holds up to "
                     f"8 ln(1/delta) = {-8 * math.log(delta):.6g}.")
    step = epsilon / (2 * math.sqrt(-2 * k * math.log(delta)))
    mean, tail = _mean_and_tail(step, k, delta)
    if not as_printed and mean > tail:
        check.refuse("epsilon", epsilon, f"with k={k} and delta={delta:g} the mean loss alone may be {mean:.6g}",
                     f"Choose epsilon up to 8 ln(1/delta) = {-8 * math.log(delta):.6g}.")
    return Theorem15(step, epsilon, k * delta_step + delta, mean <= tail)
