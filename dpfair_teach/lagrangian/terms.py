"""What a Lagrangian holds alike: the mean of h over a group and over everybody, for each rate of a notion."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import Notion, read_parity
from ..networks import log_loss, log_loss_slopes, soft_error, soft_error_slopes

__all__ = ["FairTerms"]

#: What is averaged. Of the notions that compare acceptance the score; of accuracy parity the error or the loss.
Averaged = Literal["score", "error", "loss"]
AVERAGED: tuple[Averaged, ...] = get_args(Averaged)


@dataclass(frozen=True)
class FairTerms:
    """The constraints of the Lagrangian: for each group a and each rate r of a notion, the mean of h over everybody of the rate, less the
    group's, is to be 0.

    Source: Tran et al. 2020, equations (1) and (2), and Examples 1 to 3; Example 3 leaves out the label, which its h reads. The index set
    is groups times rates: k for demographic and accuracy parity, 2k for equalized odds. With two groups only one of two is free, as the
    groups' violations, weighted by their sizes, add up to 0.

    These are means of *scores*: gap T27. A network whose mean scores are equal need not *accept* equally often where a score of 1/2
    decides; and of accuracy parity, equal mean losses do not mean equal error rates.

    Parameters
    ----------
    notion : str or fairness.Parity
        ``demographic_parity``, ``equalized_odds``, ``accuracy_parity``, ``false_positive`` or ``true_positive``; a Parity against the
        population, as equation (1) is.
    n_groups : int in 2..1000
        k.
    h : str, optional
        ``score``: the chance of label 1, for all notions but accuracy parity. For that one ``error``, the chance to be wrong, in [0, 1],
        as without a word; or ``loss``, as the paper has it, the log loss, which has no upper end.

    Attributes
    ----------
    parity : fairness.Parity
        The notion, against the population.
    averaged : str
        h.
    shape : (k, R)
        Of violations, sizes and multipliers.

    Raises
    ------
    ValueError
        A notion against a group; an h of another notion.

    Examples
    --------
    >>> terms = FairTerms("equalized_odds", 3)
    >>> terms.shape, terms.averaged, terms.cells([0, 1, 1]).tolist()
    ((3, 2), 'score', [0, 1, 1])
    """

    notion: Notion | Parity
    n_groups: int
    h: Averaged | None = None
    parity: Parity = field(init=False, repr=False)
    averaged: Averaged = field(init=False, repr=False)

    def __post_init__(self) -> None:
        form = None if isinstance(self.notion, Parity) else "population"
        parity = read_parity(self.notion, against=form, forms=("population",), because="The constraints are gaps to everybody.")
        served: tuple[Averaged, ...] = ("error", "loss") if parity.notion == "accuracy_parity" else ("score",)
        if self.h is not None and check.choice("h", self.h, AVERAGED) not in served:
            reader = "another notion" if self.h == "score" else "notion='accuracy_parity'"
            check.unread(f"notion={check.shown(self.notion)}", reader, h=self.h)
        for name, value in (("n_groups", check.group_count(self.n_groups)), ("parity", parity), ("averaged", self.h or served[0])):
            object.__setattr__(self, name, value)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_groups, len(self.parity.cells)

    def cells(self, y: ArrayLike) -> np.ndarray:
        """Everybody's rate, (m,): under which fraction line a person of that label stands, and -1 for none. Public, as labels are."""
        y = check.labels("y", y)
        code = np.full(y.shape, -1)
        for r, cell in enumerate(self.parity.cells):
            code[slice(None) if cell.label is None else y == cell.label] = r
        return code

    def values(self, logits: np.ndarray, y: np.ndarray) -> np.ndarray:
        """h of each person, (m,)."""
        if self.averaged == "loss":
            return log_loss(logits, y)
        return _chance(logits) if self.averaged == "score" else soft_error(logits, y)

    def slopes(self, logits: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Derivative of h by the person's logit, (m,)."""
        if self.averaged == "loss":
            return log_loss_slopes(logits, y)
        if self.averaged == "error":
            return soft_error_slopes(logits, y)
        chance = _chance(logits)
        return chance * (1 - chance)

    def sums(self, values: np.ndarray, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Of each group and rate, the sum of weight times value, (k, R); in the order of the people, whoever is in which group."""
        return np.stack([weights[cells == r].T @ values[cells == r] for r in range(self.shape[1])], axis=1)

    def sizes(self, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """People of each group and rate, (k, R)."""
        return self.sums(np.ones(len(cells)), cells, weights)

    def population(self, values: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means over everybody of each rate, and how many they are, (R,) each; the mean of nobody reads 0."""
        n = np.bincount(cells[cells >= 0], minlength=self.shape[1]).astype(float)
        total = np.bincount(cells[cells >= 0], values[cells >= 0], minlength=self.shape[1])
        return total / np.maximum(n, 1.0), n

    def violations(self, values: np.ndarray, cells: np.ndarray, weights: np.ndarray, sizes: np.ndarray | None = None) -> np.ndarray:
        """mu(P) - mu(G), (k, R): with ``sizes``, (1/N_a) times the sum over the group of mu(P) - h, which a wrong N_a rescales and nothing
        else; without, by the group's own size, and NaN where it has nobody."""
        means, _ = self.population(values, cells)
        apart = self.sums(means[cells] - values, cells, weights)
        own = self.sizes(cells, weights) if sizes is None else sizes
        return np.divide(apart, own, out=np.full(self.shape, np.nan), where=own != 0)

    def each(self, prices: np.ndarray, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Everybody's own price, (m,), of prices (k, R): the sum over the groups of weight times price; 0 for who is under no line."""
        return np.where(cells >= 0, np.einsum("ik,ki->i", weights, prices[:, cells]), 0.0)

    def told(self) -> dict[str, Any]:
        """What a checkpoint is told of them."""
        return {"parity": self.parity, "n_groups": self.n_groups, "h": self.averaged}


def _chance(logits: np.ndarray) -> np.ndarray:
    half = np.tanh(logits / 2)
    return (1 + half) / 2
