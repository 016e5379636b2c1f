"""Which rates a game compares: words for them, and prices of rates."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import _checks as check
from ..fairness import Parity

__all__: list[str] = []     # the games and their bounds read words with it

#: The rates that the papers' constraints name, and the label of the people whose rates they are.
LABEL = {"FP": 0, "TP": 1}


def checked_constraints(value: object, name: str = "constraints") -> tuple[str, ...]:
    """("FP", "TP"), or one of them, in that order."""
    remedy = 'Give ("FP", "TP") for equalized odds, ("FP",) for equal false-positive rates, or ("TP",).'
    found = check.entries(name, value, "names of rates", remedy)
    if not found or len(set(map(str, found))) < len(found) or not all(isinstance(c, str) and c in LABEL for c in found):
        check.refuse(name, value, "not one or both of 'FP' and 'TP'", remedy)
    return tuple(c for c in LABEL if c in found)


def labels_of(constraints: tuple[str, ...]) -> list[int]:
    """The labels of the people whose rates are compared: 0 for false positives, 1 for true ones."""
    return [LABEL[name] for name in constraints]


def signed(lam: np.ndarray) -> np.ndarray:
    """w = lambda_+ - lambda_-, the price of each gap: (..., K) -> (..., D)."""
    return lam[..., 0::2] - lam[..., 1::2]


def both_signs(gaps: np.ndarray) -> np.ndarray:
    """Each gap with the sign + and with the sign -, (..., D) -> (..., 2 D) in the order of constraints."""
    return np.stack([gaps, -gaps], axis=-1).reshape(gaps.shape[:-1] + (2 * gaps.shape[-1],))


def differences(parity: Parity, n_groups: int) -> Callable[[np.ndarray], np.ndarray]:
    """:meth:`Parity.differences` without its checks, for a loop: (..., k, R) rates -> (..., D) gaps. Not against the population."""
    a, b = parity.comparisons(n_groups).T
    return lambda rates: (rates[..., a, :] - rates[..., b, :]).reshape(rates.shape[:-2] + (-1,))


def prices_of_rates(parity: Parity, w: np.ndarray, n_groups: int, sizes: np.ndarray | None = None) -> np.ndarray:
    """(..., D) prices of gaps -> (..., k, R) what a unit of each rate costs; over the groups they sum to 0."""
    return parity.prices(np.stack([w, np.zeros_like(w)], axis=-1).reshape(w.shape[:-1] + (2 * w.shape[-1],)), n_groups, sizes)
