"""Public choices for each student, the same on every machine and with every version of numpy: from sha256 alone."""
from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


class Draw:
    """Choices that follow from words alone: those of the term, the exercise and the student."""

    def __init__(self, *words: str) -> None:
        self._words, self._count = "|".join(words), 0

    def whole(self, low: int, high: int) -> int:
        """A whole number in low..high, all as likely but for 2^-200."""
        self._count += 1
        digest = hashlib.sha256(f"{self._words}|{self._count}".encode()).digest()
        return low + int.from_bytes(digest) % (high - low + 1)

    def one_of(self, things: Sequence[Thing]) -> Thing:
        """One of them."""
        return things[self.whole(0, len(things) - 1)]

    def order(self, things: Sequence[Thing]) -> list[Thing]:
        """All of them in some order."""
        left = list(things)
        return [left.pop(self.whole(0, len(left) - 1)) for _ in things]
