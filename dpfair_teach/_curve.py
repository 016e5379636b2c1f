"""Error and violation of a classifier for every gamma, as well as what was released tells: estimates, and how far off they may be.

A learner draws tables that could be the true one, by the law of its noise; their errors and violations become intervals that hold for all
gammas at once. All of it reads the release and public numbers: it costs nothing.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import _checks as check
from .fairness import Parity

if TYPE_CHECKING:
    import pandas as pd

#: The 25 tolerances of the book's protocol: 0 to 0.10 by 0.01, then 14 up to 0.5.
GAMMAS: tuple[float, ...] = (*(g / 100 for g in range(11)), *np.linspace(0.12, 0.50, 14).tolist())
#: How many tables are drawn, and how many numbers they may hold together; at least so many.
DRAWS, NUMBERS, LEAST_DRAWS = 4000, 2e7, 400
#: A violation is a largest size, and noise makes sizes larger: of the smallest drawn so many times fewer are left out than of the largest.
#: Calibrated, not derived: chosen after seeing how often intervals held on drawn populations, of the kind that the tests draw.
LOW_TAIL = 4
#: What noise may hide of an error is no more than so many standard deviations of it: none where the release leaves no doubt.
MOST_HIDDEN = 2


class Drawn(NamedTuple):
    """Of G classifiers: the violation on the release itself, ``claimed`` (G,); ``error`` and ``violation`` on D tables that could be true,
    (D, G), or one row where there is no doubt; ``hidden`` (G,), how much more they may err, as they were chosen by the same noise."""

    claimed: np.ndarray
    error: np.ndarray
    violation: np.ndarray
    hidden: np.ndarray | float = 0.0


def draws_of(numbers: int) -> int:
    """How many draws of so many numbers each."""
    return int(min(DRAWS, max(LEAST_DRAWS, NUMBERS / numbers)))


def violation_of(rates: np.ndarray, parity: Parity) -> np.ndarray:
    """The violation of rates (..., k, R), against an anchor or between pairs. A rate of nobody, NaN, is apart from no other."""
    if parity.against == "pairs":
        high, low = np.fmax.reduce(rates, axis=-2), np.fmin.reduce(rates, axis=-2)
        return np.nan_to_num(np.fmax.reduce(high - low, axis=-1))
    if parity.against != "anchor":
        check.refuse("against", parity.against, "is no comparison whose violation is drawn", "Choose 'anchor' or 'pairs'.")
    return np.nan_to_num(np.fmax.reduce(np.abs(rates - rates[..., [parity.anchor], :]), axis=(-2, -1)))


def band(drawn: np.ndarray, confidence: float, tails: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The ends of G intervals that hold all entries of a share ``confidence`` of the rows of ``drawn`` (D, G)."""
    D = len(drawn)
    rank = drawn.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    out = np.maximum(rank, D - 1 - tails * rank).max(axis=1)            # how far out each row is at its worst
    most = int(np.sort(out)[min(int(np.ceil(confidence * D)), D) - 1])
    ordered = np.sort(drawn, axis=0)
    return ordered[(D - 1 - most) // tails], ordered[most]


def table_of(gammas: np.ndarray, known: Drawn, confidence: float) -> pd.DataFrame:
    """The columns of ``curve``."""
    import pandas as pd  # only where a table is made

    columns = {"gamma": gammas}
    for name, drawn in {"error": known.error, "violation": known.violation}.items():
        low, high = band(drawn, confidence, tails=LOW_TAIL if name == "violation" else 1)
        mean = drawn.mean(axis=0)
        if name == "violation":             # what was released is possible too
            low, high = np.minimum(low, known.claimed), np.maximum(high, known.claimed)
        else:
            more = np.clip(known.hidden, 0.0, MOST_HIDDEN * drawn.std(axis=0))
            mean, high = np.minimum(mean + more, 1.0), np.minimum(high + more, 1.0)
        columns |= {name: mean, f"{name}_low": low, f"{name}_high": high}
    return pd.DataFrame(columns | {"claimed": known.claimed})
