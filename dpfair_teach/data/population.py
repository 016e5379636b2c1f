"""The exact law behind drawn data."""
from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from .. import _checks as check

__all__ = ["Population"]


@dataclass(frozen=True, eq=False)
class Population:
    """The exact law behind drawn data: what infinitely many people would show.

    Source: none in the papers; the rates are those of supplement, Definition 1.1, for a law in place of a sample.

    Parameters
    ----------
    shares : array of shape (k,)
        P(A = a).
    base_rates : array of shape (k,)
        P(Y = 1 | A = a).
    false_positive, true_positive : arrays of shape (k,)
        P(Yhat = 1 | A = a, Y = 0) and P(Yhat = 1 | A = a, Y = 1) of the base classifier that comes with the data.

    Raises
    ------
    ValueError
        An entry outside [0, 1], shares that do not sum to 1, or lengths that differ.

    Examples
    --------
    >>> law = Population([.5, .5], [.6, .4], [0., 1/3], [2/3, 1.])
    >>> float(law.error.round(6))
    0.2
    >>> float(law.frequencies.sum())
    1.0
    """

    shares: np.ndarray
    base_rates: np.ndarray
    false_positive: np.ndarray
    true_positive: np.ndarray

    def __post_init__(self) -> None:
        k = None
        for f in fields(self):
            a = check.array(f.name, getattr(self, f.name), ndim=1, low=0.0, high=1.0).copy()
            if k is None and abs(a.sum() - 1.0) > 1e-9:
                check.refuse("shares", a, "must sum to 1", "Divide shares by their sum.")
            if k not in (None, a.size):
                check.refuse(f.name, a, f"holds {a.size} numbers, but shares holds {k}", "Give one number for each group.")
            k = a.size
            a.flags.writeable = False
            object.__setattr__(self, f.name, a)

    @property
    def frequencies(self) -> np.ndarray:
        """P(Yhat = yhat, A = a, Y = y), shape (2, k, 2), indexed [yhat, a, y]: what ``postprocessing.solve_lp`` takes as q."""
        people = self.shares[:, None] * np.stack([1 - self.base_rates, self.base_rates], axis=-1)
        accepted = np.stack([self.false_positive, self.true_positive], axis=-1)
        return np.stack([people * (1 - accepted), people * accepted])

    @property
    def error(self) -> np.float64:
        """P(Yhat != Y) of the base classifier."""
        q = self.frequencies
        return q[1, :, 0].sum() + q[0, :, 1].sum()

    @property
    def violation(self) -> np.float64:
        """Largest gap of either rate to group 0, the anchor."""
        return max(np.abs(r - r[0]).max() for r in (self.false_positive, self.true_positive))
