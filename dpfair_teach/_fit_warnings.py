"""Warnings of a fit, made from what was released and from public numbers: groups too small, delta too large, a constant that is better."""
from __future__ import annotations

import warnings

import numpy as np

from .fairness import Parity

#: A rate is of use while noise moves it by at most so much, in standard deviations.
OF_USE = 0.1
NAMED = 3       # cells in one message; of the others their number
#: People of a label, of whom a rate in either group says nothing about anybody else.
FEW = 10


class SmallGroupWarning(UserWarning):
    """A group has too few people of a label for its epsilon: noise alone moves its rate by more than 0.1, one standard deviation.

    Source: ours. The rate is that of a classifier that accepts half of them; how many they are is read from the noisy answers and nothing
    else, so the warning is post-processing. It says how many people, or which epsilon, would do. ``oneshot.FrontierLearner`` speaks of a
    label of fewer than 10 people, which is public, at any epsilon. Each fold of a cross-validation warns of its own release. Where it has
    been read: ``warnings.simplefilter("ignore", SmallGroupWarning)``.
    """


def warn_of_small_groups(people: np.ndarray, deviation: np.ndarray, epsilon: float, parity: Parity, *, otherwise: str) -> None:
    """One warning for all cells (k, R) that are too small: ``people`` there by the release, and the standard deviation, in people, that its
    noise gives to those who are accepted where half are. ``otherwise`` is what helps too."""
    moved = np.broadcast_to(deviation, people.shape) / np.maximum(people, 1.0)
    names = {(a, r): f"group {a}" + ("" if (label := parity.cells[r].label) is None else f" with label {label}")
             for a, r in np.ndindex(people.shape)}
    small = sorted((cell for cell in names if moved[cell] > OF_USE), key=lambda cell: -moved[cell])
    if small:
        named = [f"{names[cell]} ({_people(max(0.0, float(people[cell])))} by the release, rate {_off(moved[cell])}; it takes "
                f"{_people(np.ceil(moved[cell] / OF_USE * max(people[cell], 1.0)))}, or epsilon {epsilon * moved[cell] / OF_USE:.2g})"
                for cell in small[:NAMED]]
        more = f"; and {len(small) - NAMED} more" if len(small) > NAMED else ""
        warnings.warn(f"too small for epsilon = {epsilon:g}, as noise alone moves a rate by more than {OF_USE}, one standard deviation: "
                      f"{'; '.join(named)}{more}. Merge groups, or {otherwise}.", SmallGroupWarning, stacklevel=3)
    nobody = [names[cell] for cell in names if cell not in small and people[cell] < 0.5]
    if nobody:                                  # little noise, so that is how it is
        warnings.warn(f"nobody is there by the release: {'; '.join(nobody)}. A group without people has no rate, and its gap means "
                      "nothing. Merge groups, or leave out the one that is not there.", SmallGroupWarning, stacklevel=3)


def warn_of_few(y: np.ndarray, parity: Parity) -> None:
    """Warn of a label that hardly anybody has: labels are public, and no release is read."""
    for label in sorted({cell.label for cell in parity.cells if cell.label is not None}):
        if (n := int(np.count_nonzero(y == label))) < FEW:
            warnings.warn(f"y has {_people(n)} of label {label}, fewer than {FEW}: whatever epsilon is, a gap between groups among so few "
                          "says next to nothing of others. Give more people, or choose a notion that does not compare this label.",
                          SmallGroupWarning, stacklevel=4)


def _off(moved: float) -> str:
    return f"off by {moved:.2g}" if moved < 1 else "unknown"


def _people(n: float) -> str:
    return "1 person" if round(n) == 1 else f"{n:,.0f} people"


class LargeDeltaWarning(UserWarning):
    """delta is 1/m or more, for the m people of ``fit``: who publishes one person in the clear, drawn among the m, keeps that promise.

    Source: ours: nothing is said of a person but with probability 1/m, so (0, 1/m) holds. delta and m are public.
    """


def warn_of_a_large_delta(delta: float, m: int) -> None:
    """Of a fit with these numbers; each fold of a cross-validation is one, see :class:`SmallGroupWarning`."""
    if delta >= 1 / m:
        warnings.warn(f"delta = {delta:g} is 1/m or more for the m people of fit: such a promise may publish one person in the clear. "
                      "Choose a delta well below 1/m.", LargeDeltaWarning, stacklevel=3)


#: Who answers as a constant does is no worse than it.
ROUNDING = 1e-9


class WorseThanConstantWarning(UserWarning):
    """What was learned errs more often, on the people of ``fit``, than who accepts everybody, or rejects everybody, whichever is better.

    Source: ours. The rules, X and y are public, and so is how often a rule errs: no group is read, and the warning costs no epsilon.
    """


def warn_of_a_better_constant(errors: np.ndarray, y: np.ndarray, *, instead: str) -> None:
    """One warning where the ``errors`` of what is mixed are larger, on average, than a constant's. ``instead`` is what may help."""
    mixed, constant = float(np.mean(errors)), float(min(np.mean(y), 1 - np.mean(y)))
    if mixed <= constant + ROUNDING:
        return
    everybody = "accepts" if np.mean(y) > 0.5 else "rejects"
    warnings.warn(f"no better than a constant: what was learned errs on {mixed:.3g} of the people of fit, and who {everybody} everybody on "
                  f"{constant:.3g}. {instead}", WorseThanConstantWarning, stacklevel=4)
