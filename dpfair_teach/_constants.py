"""A warning where what was learned is no better than a constant, made from public numbers."""
from __future__ import annotations

import warnings

import numpy as np

#: More than rounding: who answers as a constant does is no worse than it.
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
