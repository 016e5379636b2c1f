"""What a game knows of its classifiers and its people: tables of counts, and the errors and gaps that follow from them."""
from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity, cell_counts
from ..fairness.parity import above

__all__: list[str] = []     # FairnessGame is made of one of these

#: What a cell is that holds nobody and that the notion asks about.
Empty = Literal["refuse", "zero"]
EMPTY: tuple[Empty, ...] = get_args(Empty)

_BLOCK = 2**24      # entries of predictions that are turned into floats at a time
_MANY = 30_000      # people: from here on counting classifier by classifier is quicker than a product of matrices


@dataclass(frozen=True, eq=False)
class Gaps:
    """Errors (H,) and gaps (H, D) of classifiers, and no people: a game of any notion whose gaps are averages over a mixture."""

    errors: np.ndarray
    gaps: np.ndarray

    def restricted(self, index: np.ndarray) -> Gaps:
        return Gaps(self.errors[index], self.gaps[index])


@dataclass(frozen=True, eq=False)
class Table:
    """People and accepted people of every group and label, and the notion that compares them.

    ``n_pos`` (H, k, 2) [h, a, y] are accepted, of ``n`` (k, 2). ``accepted`` (H, 2) are those with each label: a sum over the cells would
    be rounded by who is in which group, and to a private learner that does not see A errors are public. ``k_given``: whether the number of
    groups was given, and not read off A. ``of_people``: whether people were counted, whose sums are exact.
    """

    n_pos: np.ndarray
    n: np.ndarray
    accepted: np.ndarray
    parity: Parity
    empty: Empty
    k_given: bool
    of_people: bool

    def __post_init__(self) -> None:
        sizes = self.parity.sizes(self.n)
        rates = self.above / np.where(sizes > 0, sizes, 1.0)
        for name, value in (("sizes", sizes), ("compared", rates), ("gaps", self.parity.differences(rates, sizes)), ("errors", (
                self.accepted[:, 0] + (self.n[:, 1].sum() - self.accepted[:, 1])) / self.n.sum())):
            object.__setattr__(self, name, value)

    @cached_property
    def above(self) -> np.ndarray:
        """(H, k, R) people above each fraction line."""
        return above(self.n_pos, self.n, self.parity.cells)

    @cached_property
    def totals(self) -> np.ndarray:
        """(H, R) the same of all groups together, from sums in an order that does not depend on A."""
        return above(self.accepted[:, None], self.n.sum(axis=0)[None], self.parity.cells)[:, 0]

    def restricted(self, index: np.ndarray) -> Table:
        return replace(self, n_pos=self.n_pos[index], accepted=self.accepted[index])

    def with_constants(self) -> Table:
        """With "reject everybody" and "accept everybody" as the last two classifiers."""
        return replace(self, n_pos=np.concatenate([self.n_pos, [np.zeros_like(self.n), self.n]]),
                       accepted=np.concatenate([self.accepted, [np.zeros(2), self.n.sum(axis=0)]]))

    def in_whole_people(self) -> Table:
        """Given counts rounded to whole people, half up, and what all groups hold together by itself. Whole counts stay as they are."""
        if self.of_people:
            return self
        return replace(self, n_pos=np.floor(self.n_pos + 0.5), n=np.floor(self.n + 0.5), accepted=np.floor(self.accepted + 0.5))


def table_of_people(predictions: ArrayLike, A: ArrayLike, Y: ArrayLike, parity: Parity, n_groups: int | None, empty: Empty) -> Table:
    """Counted from what each classifier says of each person."""
    check.same_people(A=A, Y=Y)
    A, k = check.groups("A", A, n_groups=None if n_groups is None else check.group_count(n_groups))
    check.choice("empty", empty, EMPTY)
    Y = check.labels("Y", Y)
    if len(Y) != len(A):
        check.refuse("A, Y", (len(A), len(Y)), "different lengths", "Give one entry a person in each.")
    predictions = _predictions(predictions, len(A))
    if k < 2:
        check.refuse("A", k - 1, "is the largest code, so there is one group only", "Comparing needs two groups.")
    if len(A) >= _MANY and predictions.dtype.kind in "bi":
        counts = np.stack([cell_counts(said, A, Y, k) for said in predictions]).astype(float)
        _refuse_empty(parity, "A", counts[0].sum(axis=0), empty)
        return Table(counts[:, 1], counts[0].sum(axis=0), counts[:, 1].sum(axis=1), parity, empty, n_groups is not None, True)
    cells = np.zeros((len(A), k * 2))
    cells[np.arange(len(A)), 2 * A + Y] = 1.0
    n = cells.sum(axis=0).reshape(k, 2)
    _refuse_empty(parity, "A", n, empty)
    step = max(1, _BLOCK // len(A))
    labels, n_pos, accepted = np.eye(2)[Y], [], []
    # Sums of probabilities would be rounded by who is in which group, with no noise for it: for a private play they are to be exact.
    unit = 2.0 ** (len(A).bit_length() - 53)
    grid = predictions.dtype.kind == "f" and n_groups is not None and empty == "zero"
    for i in range(0, len(predictions), step):
        block = predictions[i:i + step].astype(float)
        block = np.rint(block / unit) * unit if grid else block
        n_pos.append(block @ cells)
        accepted.append(block @ labels)
    return Table(np.concatenate(n_pos).reshape(-1, k, 2), n, np.concatenate(accepted), parity, empty, n_groups is not None, True)


def table_of_counts(n_pos: ArrayLike, n: ArrayLike, parity: Parity, empty: Empty) -> Table:
    """A table from given counts."""
    n = check.array("n", n, shape=(None, 2), low=0.0, high=1e15, booleans=False)
    if len(n) < 2 or n.sum() <= 0:
        check.refuse("n", n.shape if len(n) < 2 else float(n.sum()), "has fewer than two groups, or nobody",
                     "Give the people of each (group, label).")
    n_pos = check.array("n_pos", n_pos, shape=(None, len(n), 2), low=0.0, high=1e15, booleans=False)
    check.filled("n_pos", n_pos, "classifier")
    beyond = n_pos > n * (1 + 1e-12)
    if beyond.any():
        check.refuse("n_pos", float(n_pos[beyond][0]), "more people accepted than n says there are",
                     "Give n_pos (H, k, 2) in people, as n, and clip noisy counts to 0..n.")
    _refuse_empty(parity, "n", n, check.choice("empty", empty, EMPTY))
    return Table(n_pos, n, n_pos.sum(axis=1), parity, empty, True, False)


def _refuse_empty(parity: Parity, name: str, n: np.ndarray, empty: Empty) -> None:
    if empty == "refuse":
        parity.require(name, n, "Merge that group with another, or leave that rate out of constraints.", codes=name == "A")


def table_of_gaps(errors: ArrayLike, gaps: ArrayLike) -> Gaps:
    """A table from given gaps."""
    errors = check.filled("errors", check.array("errors", errors, ndim=1, low=0.0, high=1.0), "classifier")
    gaps = check.filled("gaps", check.array("gaps", gaps, ndim=2, low=-1.0, high=1.0), "gap")
    if len(gaps) != len(errors):
        check.refuse("errors, gaps", (len(errors), len(gaps)), "different lengths", "Give one of each for every classifier.")
    return Gaps(errors, gaps)


# ------------------------------------------------------------------------------------------- which rates a game compares

#: The notions of :class:`~dpfair_teach.fairness.Parity` that compare these rates.
OddsNotion = Literal["equalized_odds", "false_positive", "true_positive"]
ODDS_NOTIONS: tuple[OddsNotion, ...] = get_args(OddsNotion)

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


def _predictions(value: Any, m: int) -> np.ndarray:
    """(H, m) in [0, 1]; small integers are kept as they are, so that a large class need not be held as floats."""
    plain = type(value) is np.ndarray and value.ndim == 2 and value.dtype.kind in "biu"
    if plain and value.size and value.shape[1] == m and (value.dtype.kind == "b" or (value.min() >= 0 and value.max() <= 1)):
        return value
    found = check.array("predictions", value, ndim=2, low=0.0, high=1.0)
    if found.shape[1] != m:
        check.refuse("predictions", found.shape, f"has {found.shape[1]} columns, and A has {m} people",
                     "Give one row for each classifier, one column for each person.")
    return check.filled("predictions", found, "classifier")
