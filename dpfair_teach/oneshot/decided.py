"""What candidates decide about people: all of it where people are looked at together, else a block at a time, counted and forgotten."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._blocks import NARROW, blocks, together


class Decisions:
    """Candidate h accepts person i where scores[i] @ multipliers[h] > 0; scores (m, b), multipliers (H, b)."""

    def __init__(self, scores: np.ndarray, multipliers: np.ndarray, whole: np.ndarray | None = None) -> None:
        self.scores, self.multipliers, self.whole = scores, multipliers, whole
        if whole is None and together(len(scores)):
            self.whole = (scores @ multipliers.T > 0).T

    def only(self, which: np.ndarray) -> Decisions:
        """Of some candidates."""
        return Decisions(self.scores, self.multipliers[which], None if self.whole is None else self.whole[which])

    def of_people(self, people: np.ndarray) -> np.ndarray:
        """Whom of some people each candidate accepts, (n, H), 0 or 1 in single precision: for few people."""
        if self.whole is not None:
            return self.whole[:, people].T.astype(np.float32)
        found = np.empty((len(people), len(self.multipliers)), dtype=np.float32)
        for start in range(0, len(people), NARROW):
            at = slice(start, start + NARROW)
            np.greater(self.scores[people[at]] @ self.multipliers.T, 0, out=found[at], casting="unsafe")
        return found

    def sums(self, columns: Callable[[slice], np.ndarray]) -> np.ndarray:
        """decisions @ columns, (H, c): of each column (m, c) the sum over those whom a candidate accepts, a block at a time."""
        return sum((self.multipliers @ self.scores[at].T > 0).astype(float) @ columns(at) for at in blocks(len(self.scores), narrow=True))

    def counted_with(self, y: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The error of each candidate, (H,), and :meth:`sums` of columns (m, c), in one look at the people."""
        found = self.sums(lambda at: np.column_stack([1.0 - 2 * y[at], columns[at]]))
        return (found[:, 0] + y.sum()) / len(y), found[:, 1:]

    def errors(self, y: np.ndarray) -> np.ndarray:
        """The error of each candidate, (H,)."""
        if self.whole is not None:
            return np.count_nonzero(self.whole != y, axis=1) / len(y)
        return (self.sums(lambda at: 1.0 - 2 * y[at, None])[:, 0] + y.sum()) / len(y)         # sums of 1 and -1: whole numbers, exact
