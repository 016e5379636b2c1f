"""What was played and published, as a table with one row a round."""
from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ..fairness import Parity

__all__: list[str] = []     # plays show it


def table_of_rounds(parity: Parity, axes: tuple[int, ...], **columns: np.ndarray) -> pd.DataFrame:
    """Arrays (t, *axes), or (t, *axes, D) of gaps, or (t, *axes, 2 D) of constraints, as columns, ``multiplier`` among them.

    The index is ``round``, from 1 on, and of a batch also ``axis 0``, ...: where the game stands in it. A number for each gap has a column
    for each, such as ``multiplier FP 1-0 +``: of the false positive rate of group 1 minus that of group 0, with its sign; ``-all`` stands
    for everybody's rate. What a last round has none of is missing there.
    """
    T = max(map(len, columns.values()))
    levels = [range(1, T + 1), *map(range, axes)]
    index = (pd.MultiIndex.from_product(levels, names=["round", *(f"axis {i}" for i in range(len(axes)))]) if axes
             else pd.RangeIndex(1, T + 1, name="round"))
    table: dict[str, np.ndarray] = {}
    for name, values in columns.items():
        if len(values) < T:
            values = np.concatenate([values, np.full((T - len(values), *values.shape[1:]), np.nan)])
        if values.ndim == 1 + len(axes):
            table[name] = values.ravel()
        else:
            gaps = gap_names(parity, columns["multiplier"].shape[-1] // 2)
            signed = values.shape[-1] > len(gaps)
            each = [f"{gap} {sign}" for gap in gaps for sign in "+-"] if signed else gaps
            table |= {f"{name} {one}": values[..., i].ravel() for i, one in enumerate(each)}
    return pd.DataFrame(table, index=index)


def gap_names(parity: Parity, D: int) -> list[str]:
    """What each of D gaps compares: ``FP 1-0``."""
    C = D // len(parity.cells)
    k = {"anchor": C + 1, "population": C, "pairs": (1 + math.isqrt(1 + 8 * C)) // 2}[parity.against]
    return [f"{cell.name} {a}-{b if b >= 0 else 'all'}" for a, b in parity.comparisons(k).tolist() for cell in parity.cells]
