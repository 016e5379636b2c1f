"""What was asked of people, and what came back."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..accounting import Release


class Answer(NamedTuple):
    """A question to the people of one rate, with its answers.

    Parameters
    ----------
    rate : int
        Whose.
    question : array, or pair
        Their cells (n,); or whole weights of cells (K, J), and the cells.
    answers : array (k-1, K)
        Noisy, of each group but 0, or of all k.
    release : accounting.Release
        The record.
    partition : str
        A name for all people, their labels and the notion.
    """

    rate: int
    question: Any
    answers: np.ndarray
    release: Release
    partition: str = ""


def number_of(kept: float | None) -> float:
    """A number that records of added noise have."""
    assert kept is not None
    return kept
