"""One object for each notion of fairness: which rates it compares, of whom, and how far apart they are."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["NOTIONS", "AGAINST", "Parity", "rates", "violation"]


class Cell(NamedTuple):
    """A rate that a notion compares: among the people of a group with this label (None: all), the share with a (yhat, y) of ``above``."""

    name: str
    label: int | None
    above: tuple[tuple[int, int], ...]


FP, TP = Cell("FP", 0, ((1, 0),)), Cell("TP", 1, ((1, 1),))

Notion = Literal["equalized_odds", "false_positive", "true_positive", "demographic_parity", "accuracy_parity"]
Against = Literal["anchor", "pairs", "population"]
#: The notions that compare rates of acceptance: what linear programs and mixtures of classifiers can bound.
AcceptanceNotion = Literal["equalized_odds", "false_positive", "true_positive", "demographic_parity"]
#: Gaps between groups, not to everybody.
OfGroups = Literal["anchor", "pairs"]

#: Every notion, and the rates that it wants alike.
_CELLS: dict[Notion, tuple[Cell, ...]] = {
    "equalized_odds": (FP, TP),
    "false_positive": (FP,),
    "true_positive": (TP,),
    "demographic_parity": (Cell("accepted", None, ((1, 0), (1, 1))),),
    "accuracy_parity": (Cell("right", None, ((0, 0), (1, 1))),),
}
NOTIONS: tuple[Notion, ...] = get_args(Notion)
AGAINST: tuple[Against, ...] = get_args(Against)
ACCEPTANCE_NOTIONS: tuple[AcceptanceNotion, ...] = get_args(AcceptanceNotion)
OF_GROUPS: tuple[OfGroups, ...] = get_args(OfGroups)
_CONSTRAINTS: dict[tuple[str, ...], Notion] = {("FP", "TP"): "equalized_odds", ("FP",): "false_positive", ("TP",): "true_positive"}


def signed(lam: np.ndarray) -> np.ndarray:
    """w = lambda_+ - lambda_-, the price of each gap: (..., K) -> (..., D)."""
    return lam[..., 0::2] - lam[..., 1::2]


def both_signs(gaps: np.ndarray) -> np.ndarray:
    """Each gap with the sign + and with the sign -, (..., D) -> (..., 2 D) in the order of constraints."""
    both = np.empty((*gaps.shape, 2), gaps.dtype)
    both[..., 0], both[..., 1] = gaps, -gaps
    return both.reshape((*gaps.shape[:-1], 2 * gaps.shape[-1]))


def above(n_pos: np.ndarray, n: np.ndarray, cells: tuple[Cell, ...]) -> np.ndarray:
    """People above each fraction line, (..., k, R), of accepted people and all people, (..., k, 2) [a, y]."""
    return np.stack([sum(n_pos[..., y] if yhat else n[..., y] - n_pos[..., y] for yhat, y in cell.above) for cell in cells], axis=-1)


@dataclass(frozen=True, init=False)
class Parity:
    """A notion of fairness: the rates it compares, and with whose. From a table of counts it makes rates, signed gaps and the violation.

    Source: supplement, Definition 1.1 (main text, Definition 2.1) for equalized odds against an anchor; the definition's first form is
    ``against="pairs"``. The order of constraints, everywhere: for each comparison, for each rate, + (the group's rate is the larger), -.
    The comparisons: of a = 0, 1, ... but the anchor with the anchor; of b with a for all pairs (a, b), a < b, (0, 1), (0, 2), ..., (1, 2),
    ...; of a = 0, 1, ... with everybody. ``cells`` are the R rates in order, each with the label that it conditions on.

    Parameters
    ----------
    notion : str
        ``equalized_odds``: false- and true-positive rates. ``false_positive``: the former only. ``true_positive``: the latter only, also
        called equal opportunity. ``demographic_parity``: P(Yhat = 1 | a). ``accuracy_parity``: P(Yhat = Y | a).
    against : str, optional
        ``anchor``: each group with one of them. ``pairs``: any two groups. ``population``: each group with everybody. Where it is not said
        (``said``) gaps are those to the anchor, as in the papers, and a learner compares any two groups.
    anchor : int in 0..k-1
        The group that the others are compared with; for ``against="anchor"`` only.

    Examples
    --------
    >>> ten = [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    >>> Parity("equalized_odds").gaps(ten).round(3)             # FP+, FP-, TP+, TP-
    array([ 0.333, -0.333,  0.333, -0.333])
    >>> float(Parity("demographic_parity").violation(ten).round(3))
    0.2
    """

    notion: Notion
    against: Against
    anchor: int
    said: bool = field(init=False, repr=False, compare=False)

    def __init__(self, notion: Notion = "equalized_odds", against: Against | None = None, anchor: int = 0) -> None:
        values = {"notion": check.choice("notion", notion, NOTIONS), "said": against is not None or anchor != 0,
                  "against": check.choice("against", "anchor" if against is None else against, AGAINST),
                  "anchor": check.integer("anchor", anchor, low=0, high=check.MOST_GROUPS - 1)}
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if self.against != "anchor":
            check.unread(f"against={self.against!r}", "against='anchor'", anchor=self.anchor or None)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Who is below and above the fraction line of each rate."""
        return _CELLS[self.notion]

    # ------------------------------------------------------------------------------------------------------ from a table

    def sizes(self, n: ArrayLike) -> np.ndarray:
        """The people under each fraction line, (..., k, R), of the people (..., k, 2) [a, y] of each group and label."""
        n = check.array("n", n, low=-1e15, high=1e15, booleans=False)
        if n.ndim < 2 or n.shape[-1] != 2:
            check.refuse("n", n.shape, "not an array of shape (..., k, 2) indexed [a, y]", "Give the people of each group and label.")
        return np.stack([n.sum(axis=-1) if cell.label is None else n[..., cell.label] for cell in self.cells], axis=-1)

    def rates(self, counts: ArrayLike) -> np.ndarray:
        """The rates compared, (..., k, R), of a table (..., 2, k, 2); in [0, 1] unless noise has made an entry negative."""
        counts, sizes = self._read(counts)
        return self._above(counts) / sizes

    def gaps(self, counts: ArrayLike) -> np.ndarray:
        """The signed gaps of a table (..., 2, k, 2): (..., K) in the order of constraints, K = 2 R times the number of comparisons.

        A classifier is gamma-fair where none exceeds gamma.
        """
        counts, sizes = self._read(counts)
        return both_signs(self.differences(self._above(counts) / sizes, sizes))

    @classmethod
    def among(cls, counts: ArrayLike, notion: Notion = "equalized_odds", against: Against | None = None, anchor: int = 0) -> Parity:
        """The comparison for as many groups as ``counts`` has: of two, who is compared with whom may be left out."""
        return cls(notion, form_for(against, check.table("counts", counts, bins=2, least_groups=2).shape[-2]), anchor)

    def violation(self, counts: ArrayLike) -> np.ndarray:
        """The largest gap of a table (..., 2, k, 2): the smallest gamma for which the classifier is gamma-fair; (...), or a float."""
        counts, sizes = self._read(counts)
        return self.apart(self._above(counts) / sizes, sizes)

    # ------------------------------------------------------------------------------------------------------ from rates

    def comparisons(self, n_groups: int) -> np.ndarray:
        """Who is compared with whom: rows (a, b) of an int array (C, 2) stand for a's rate minus b's; b = -1 is everybody.

        Parameters
        ----------
        n_groups : int in 2..1000
        """
        k = self._k(check.group_count(n_groups))
        if self.against == "pairs":
            return np.stack(np.triu_indices(k, 1)[::-1], axis=-1)
        a = np.arange(k)
        a, other = (a, -1) if self.against == "population" else (a[a != self.anchor], self.anchor)
        return np.stack([a, np.full_like(a, other)], axis=-1)

    def differences(self, rates: ArrayLike, sizes: ArrayLike | None = None) -> np.ndarray:
        """The gaps with the sign +, (..., C R), from rates (..., k, R): for each comparison, for each rate.

        Rates may be averages over a mixture of classifiers, as the cells are the same for all of them. ``sizes`` (..., k, R), as from
        :meth:`sizes`, are needed, and read, against the population only.
        """
        rates = self._read_rates(rates)
        if self.against == "population":
            apart = rates - self._everybody(rates, sizes)
            return apart.reshape(apart.shape[:-2] + (-1,))
        if self.against == "pairs":
            check.size(rates.shape[-2] * (rates.shape[-2] - 1) // 2, rates.shape[:-2] + rates.shape[-1:], "k * (k - 1) / 2",
                       remedy="Take fewer tables at a time, or ask for the violation only.")
        return self.differences_for(rates.shape[-2])(rates)

    def differences_for(self, n_groups: int) -> Callable[[np.ndarray], np.ndarray]:
        """:meth:`differences` of so many groups as a function without checks, for a loop. Not against the population."""
        if self.against == "anchor" and self.anchor == 0:       # the usual one, unburdened
            check.group_count(n_groups)
            return lambda rates: (rates[..., 1:, :] - rates[..., :1, :]).reshape((*rates.shape[:-2], -1))
        a, b = self.comparisons(n_groups).T
        return lambda rates: (rates[..., a, :] - rates[..., b, :]).reshape((*rates.shape[:-2], -1))

    def apart(self, rates: ArrayLike, sizes: ArrayLike | None = None) -> np.ndarray:
        """The violation (...) from rates and sizes as in :meth:`differences`; without making all pairs."""
        if self.against != "pairs":
            return np.abs(self.differences(rates, sizes)).max(axis=-1)
        rates = self._read_rates(rates)
        return (rates.max(axis=-2) - rates.min(axis=-2)).max(axis=-1)

    def prices_of_rates(self, w: np.ndarray, n_groups: int, sizes: ArrayLike | None = None) -> np.ndarray:
        """What a unit of each rate costs, (..., k, R), where every gap has a price w (..., C R): w gaps = prices rates. Unchecked.

        Over the groups the prices of a rate sum to 0. ``sizes`` as in :meth:`differences`.
        """
        pairs, R = self.comparisons(n_groups), len(self.cells)
        w, axes = w.reshape(w.shape[:-1] + (len(pairs), R)), w.shape[:-1]
        if self.against == "population":
            share = self._shares(sizes, (n_groups, R))
            return w - share * w.sum(axis=-2, keepdims=True)
        price = np.zeros(axes + (n_groups, R))
        if self.against == "anchor":
            price[..., pairs[:, 0], :] = w
            price[..., self.anchor, :] = -w.sum(axis=-2)
            return price
        for a in range(n_groups):
            price[..., a, :] = w[..., pairs[:, 0] == a, :].sum(axis=-2) - w[..., pairs[:, 1] == a, :].sum(axis=-2)
        return price

    def require(self, name: str, n: ArrayLike, remedy: str | None = None, *, codes: bool = False) -> np.ndarray:
        """Refuse an empty cell under a fraction line; else the sizes (..., k, R) of the people ``n`` (..., k, 2) [a, y], all above 0.

        ``name`` is the argument that the caller knows, ``remedy`` the way out; with ``codes`` that argument holds group codes, from which
        people were counted, and the group is shown, not how many people.
        """
        sizes = self.sizes(n)
        if self.cells[0].label is None:
            remedy = remedy or "Leave the group out and renumber the others."
        check.occupied(name, sizes, remedy or "Merge groups, use more data, or choose a notion that does not need this cell.",
                       labels=tuple(cell.label for cell in self.cells), codes=codes)
        return sizes

    # ------------------------------------------------------------------------------------------------------ pieces

    def _k(self, k: int) -> int:
        if self.anchor >= k:
            check.refuse("anchor", self.anchor, f"not one of the {k} groups, 0 to {k - 1}", "Choose another anchor.")
        return k

    def _read(self, counts: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """The table as floats, and the people under each fraction line, all above 0."""
        counts = check.table("counts", counts, bins=2, least_groups=2)
        self._k(counts.shape[-2])
        return counts, self.require("counts", counts.sum(axis=-3))

    def _above(self, counts: np.ndarray) -> np.ndarray:
        return np.stack([sum(counts[..., yhat, :, y] for yhat, y in cell.above) for cell in self.cells], axis=-1)

    def _read_rates(self, rates: ArrayLike) -> np.ndarray:
        rates = check.array("rates", rates, booleans=False)
        if rates.ndim < 2 or rates.shape[-1] != len(self.cells) or rates.shape[-2] < 2:
            check.refuse("rates", rates.shape, f"not of shape (..., k, {len(self.cells)}), k at least 2",
                         f"Give {', '.join(cell.name for cell in self.cells)} of every group.")
        self._k(rates.shape[-2])
        return rates

    def _everybody(self, rates: np.ndarray, sizes: ArrayLike | None) -> np.ndarray:
        return (rates * self._shares(sizes, rates.shape[-2:])).sum(axis=-2, keepdims=True)

    def _shares(self, sizes: ArrayLike | None, shape: tuple[int, ...]) -> np.ndarray:
        """The groups' shares (..., k, R) of the people under each fraction line."""
        if sizes is None:
            check.refuse("sizes", sizes, "against='population' needs the people under each fraction line", "Give parity.sizes(n).")
        sizes = check.array("sizes", sizes, booleans=False)
        total = sizes.sum(axis=-2, keepdims=True) if sizes.ndim > 1 else sizes
        if sizes.shape[-2:] != tuple(shape) or (total <= 0).any():
            check.refuse("sizes", sizes.shape, f"not of shape (..., {shape[0]}, {shape[1]}), with people in it", "Give parity.sizes(n).")
        return sizes / total


def read_parity(notion: str | Parity | None = None, constraints: object = None, *, against: str | None = None,
                notions: tuple[str, ...] = NOTIONS, forms: tuple[str, ...] = AGAINST, because: str = "") -> Parity:
    """What a caller may say for a notion, as one :class:`Parity`: a word, an object, or the names of rates. For the rooms, not for users.

    ``notion`` is one of ``NOTIONS`` or a Parity; without it, and without ``constraints``, equalized odds. ``constraints`` says the same in
    the words of supplement, section 3: ("FP", "TP") is equalized odds, one of them alone is ``false_positive`` or ``true_positive``.
    ``against`` stands beside a word; it is "anchor" without it. What the caller does not serve of ``notions`` and ``forms`` is refused,
    with ``because``, a sentence that says why.
    """
    if constraints is not None:
        if notion is not None:
            check.refuse("notion, constraints", (notion, constraints), "two vocabularies for one thing", "Give one of them.")
        remedy = 'Give ("FP", "TP") for equalized odds, ("FP",) for equal false-positive rates, or ("TP",).'
        found = check.entries("constraints", constraints, "names of rates", remedy)
        word = _CONSTRAINTS.get(tuple(sorted(map(str, found)))) if all(isinstance(name, str) for name in found) else None
        if word is None:
            check.refuse("constraints", constraints, "not one or both of 'FP' and 'TP'", remedy)
        notion = word
    if isinstance(notion, Parity):
        if not notion.said and against is not None:
            asked: Any = against
            notion = Parity(notion.notion, asked, notion.anchor)
        if against is not None and against != notion.against:
            check.refuse("notion, against", (notion, against), "two answers to one question", "Give a Parity alone, or a word and against.")
        parity = notion
    else:
        words: Any = "equalized_odds" if notion is None else notion, "anchor" if against is None else against
        for name, given, known, served in zip(("notion", "against"), words, (NOTIONS, AGAINST), (notions, forms), strict=True):
            if not isinstance(given, str) or given not in known:
                check.choice(name, given, served)
        parity = _of_words(*words)
    for name, given, said, served in (("notion", notion, parity.notion, notions), ("against", against, parity.against, forms)):
        if said not in served:
            unsaid = given is None and not isinstance(notion, Parity)
            why = f"means {said!r}, which is not served here" if unsaid else "not served here"
            check.refuse(name, None if unsaid else said, why, f"{because} Choose one of {', '.join(map(repr, served))}.".strip())
    return parity


_of_words = cache(Parity)
_EQUALIZED_ODDS = Parity("equalized_odds", "anchor")


def rates(counts: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """False- and true-positive rate of every group.

    Source: supplement, Remark 1.3 (main text, section 2): FP_a = q_1a0 / q_a0 and TP_a = q_1a1 / q_a1.

    Parameters
    ----------
    counts : (..., 2, k, 2) array [yhat, a, y]

    Returns
    -------
    fp, tp : (..., k) arrays, in [0, 1] unless noise has made an entry negative.

    Examples
    --------
    >>> fp, tp = rates([[[2, 1], [2, 0]], [[0, 2], [1, 2]]])   # the ten people
    >>> fp.round(3), tp.round(3)
    (array([0.   , 0.333]), array([0.667, 1.   ]))
    """
    counts = check.table("counts", counts, bins=2)      # of one group too: nothing is compared
    rate = _EQUALIZED_ODDS._above(counts) / _EQUALIZED_ODDS.require("counts", counts.sum(axis=-3))
    return rate[..., 0], rate[..., 1]


def form_for(against: Against | None, n_groups: int) -> Against:
    """The word for who is compared with whom; for two groups it may be left out, as each pair is then a pair with the anchor."""
    if against is None and n_groups > 2:
        check.refuse("against", None, f"must be said for {n_groups} groups: 'anchor' compares each with one group (two others may then "
                     "differ by twice as much), 'pairs' any two of them, 'population' each with everybody",
                     "Choose 'pairs' for people of your own, 'anchor' for the papers' definition.")
    return "anchor" if against is None else against


def violation(counts: ArrayLike, notion: Notion = "equalized_odds",
              against: Against | None = None, anchor: int = 0) -> np.ndarray:
    """How far the groups' rates are apart: the smallest gamma for which the classifier is gamma-fair.

    Source: supplement, Definition 1.1 (main text, Definition 2.1) for equalized odds against an anchor; the definition's first form is
    ``against="pairs"``. gamma against an anchor allows 2 gamma between two other groups.

    Parameters
    ----------
    counts : (..., 2, k, 2) array [yhat, a, y], k >= 2
    notion, against, anchor : as in ``Parity``
        ``against`` must be said for k > 2; for two groups it is ``anchor``, which ``pairs`` equals there.

    Returns
    -------
    (...) array, or a float for one table

    Examples
    --------
    >>> ten = [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    >>> [round(float(violation(ten, notion)), 4) for notion in NOTIONS]
    [0.3333, 0.3333, 0.3333, 0.2, 0.0]
    """
    parity = Parity.among(counts, notion, against, anchor)
    return parity.violation(counts)
