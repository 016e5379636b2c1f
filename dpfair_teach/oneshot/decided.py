"""What candidates decide about people: all of it where people are looked at together, else a block at a time, counted and forgotten."""
from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ._blocks import NARROW, blocks, together


class Decisions:
    """Candidate h accepts person i where scores[i] @ multipliers[h] > 0; scores (m, b), multipliers (H, b)."""

    def __init__(self, scores: np.ndarray, multipliers: np.ndarray, whole: np.ndarray | None = None) -> None:
        self.scores, self.multipliers, self.whole = scores, multipliers, whole
        if whole is None and together(len(scores)):
            self.whole = (scores @ multipliers.T > 0).T

    @classmethod
    def of(cls, array: np.ndarray) -> Decisions:
        """Decisions, or chances to be accepted, that are known already, (H, m)."""
        return cls(np.empty((array.shape[1], 0)), np.empty((len(array), 0)), array)

    def only(self, which: np.ndarray) -> Decisions:
        """Of some candidates."""
        return Decisions(self.scores, self.multipliers[which], None if self.whole is None else self.whole[which])

    def rows(self, people: np.ndarray | slice = slice(None)) -> Iterator[np.ndarray]:
        """One candidate after the other: what it decides about some people, a bool for each."""
        for h, multipliers in enumerate(self.multipliers):
            yield (self.scores @ multipliers > 0 if self.whole is None else self.whole[h])[people]

    def of_people(self, people: np.ndarray) -> np.ndarray:
        """Whom of some people each candidate accepts, (n, H), 0 or 1 in single precision: for few people."""
        if self.whole is not None:
            return self.whole[:, people].T.astype(np.float32)
        found = np.empty((len(people), len(self.multipliers)), dtype=np.float32)
        for start in range(0, len(people), NARROW):
            at = slice(start, start + NARROW)
            np.greater(self.scores[people[at]] @ self.multipliers.T, 0, out=found[at], casting="unsafe")
        return found

    def array(self) -> np.ndarray:
        """(H, m) of bool: for few candidates, or few people."""
        return np.stack(list(self.rows())) if self.whole is None else self.whole

    def sums(self, columns: Callable[[slice], np.ndarray]) -> np.ndarray:
        """decisions @ columns, (H, c): of each column (m, c) the sum over those whom a candidate accepts."""
        if self.whole is not None:
            return np.asarray(self.whole, dtype=float) @ columns(slice(0, self.whole.shape[1]))
        return sum((self.multipliers @ self.scores[at].T > 0).astype(float) @ columns(at) for at in blocks(len(self.scores), narrow=True))

    def counted_with(self, y: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The error of each candidate, (H,), and :meth:`sums` of columns (m, c), in one look at the people."""
        found = self.sums(lambda at: np.column_stack([1.0 - 2 * y[at], columns[at]]))
        return (found[:, 0] + y.sum()) / len(y), found[:, 1:]

    def counted(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The error of each candidate, (H,), and which accept everybody."""
        if self.whole is not None:
            return np.count_nonzero(self.whole != y, axis=1) / len(y), np.logical_and.reduce(self.whole, axis=1)
        wrong, accepted = self.sums(lambda at: np.column_stack([1.0 - 2 * y[at], np.ones(at.stop - at.start)])).T
        return (wrong + y.sum()) / len(y), accepted > len(y) - 0.5         # sums of 1 and -1: whole numbers, exact in doubles
