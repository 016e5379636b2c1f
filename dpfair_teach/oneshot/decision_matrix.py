"""What candidates decide about people: kept where people are few, else made anew, some people at a time, counted and forgotten."""
from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ._blocks import together

#: People whose decisions by all candidates are looked at together: few, as their table is wide.
NARROW = 2**8


def narrow(n: int) -> Iterator[slice]:
    return (slice(start, start + NARROW) for start in range(0, n, NARROW))


class Decisions:
    """Candidate h accepts person i where scores[i] @ multipliers[h] > 0; scores (m, b), multipliers (H, b)."""

    def __init__(self, scores: np.ndarray, multipliers: np.ndarray) -> None:
        self.scores, self.multipliers = scores, multipliers
        self.whole = np.concatenate([self._made(at) for at in narrow(len(scores))], axis=1) if together(len(scores)) else None

    def _made(self, people: np.ndarray | slice) -> np.ndarray:
        return self.multipliers @ self.scores[people].T > 0

    def about(self, people: np.ndarray | slice) -> np.ndarray:
        """What each candidate decides about some people, (H, n) of bool: for few people, or few candidates."""
        return self._made(people) if self.whole is None else self.whole[:, people]

    def of_people(self, people: np.ndarray) -> np.ndarray:
        """The same, (n, H), 0 or 1 in single precision."""
        found = np.empty((len(people), len(self.multipliers)), dtype=np.float32)
        for at in narrow(len(people)):
            found[at] = self.about(people[at]).T
        return found

    def only(self, which: np.ndarray) -> Decisions:
        """Of some candidates."""
        return Decisions(self.scores, self.multipliers[which])

    def sums(self, columns: Callable[[slice], np.ndarray]) -> np.ndarray:
        """decisions @ columns, (H, c): of each column (m, c) the sum over those whom a candidate accepts, in doubles."""
        total = np.float64(0)
        for at in narrow(len(self.scores)):
            of_some = columns(at)
            total = total + self.about(at).astype(of_some.dtype) @ of_some
        return np.asarray(total, dtype=float)

    def accepted(self, y: np.ndarray) -> np.ndarray:
        """How many of label 0 and of label 1 each candidate accepts, (2, H)."""
        both = np.column_stack([1 - y, y]).astype(np.float32)           # whole numbers, exact in single precision too
        return self.sums(lambda at: both[at]).T
