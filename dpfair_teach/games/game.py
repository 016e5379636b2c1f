"""The game of one data set and one class of classifiers: what the learner pays the auditor."""
from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import Notion, both_signs, read_parity, signed
from .auditor import bound_on_multipliers
from .programs import Equilibrium, FairERM, plain, solve_fair_erm, solve_game
from .table import Empty, Gaps, Table, table_of_counts, table_of_gaps, table_of_people

__all__ = ["FairnessGame"]


class NoPeople(ValueError, AttributeError):
    """A game made from gaps was asked for its people: bad input, and for ``hasattr`` an attribute that is not there."""


def checked_game(game: object) -> FairnessGame:
    return check.instance("game", game, FairnessGame, "not a FairnessGame", "Make it with games.FairnessGame(predictions, A, Y, gamma).")


class FairnessGame:
    """A zero-sum game: the learner picks a mixture Q of H classifiers, the auditor prices lambda >= 0 on the fairness constraints.

    Source: supplement, section 3.1: program (5), the Lagrangian L(Q, lambda) = err(Q) + lambda . r(Q), the constraint vector r. With
    ``constraints=("FP",)`` program (6) of section 3.3.

    The order of constraints, everywhere: for a = 1, ..., k-1: (FP, +), (FP, -), (TP, +), (TP, -), where + is rate_a - rate_0 - gamma and -
    is rate_0 - rate_a - gamma. Other notions' order is that of :class:`~dpfair_teach.fairness.Parity`. All quantities are exact. Below, Q
    is a mixture (..., H) and lam are multipliers (..., K), >= 0.

    Parameters
    ----------
    predictions : (H, m) array in [0, 1]
        Row h: what classifier h says of each person, or its probability of saying 1. A classifier that knows the group is welcome:
        column i is h(x_i, a_i). For a private play probabilities are rounded to multiples of 2^-53 times about m, so that sums are exact.
    A : (m,) array of ints 0..k-1, k >= 2
    Y : (m,) array of 0/1
    gamma : float in [0, 1e9], or (...) array
        The tolerance; an array makes one game for each entry, and everything below has these leading axes.
    constraints : tuple of "FP", "TP", optional
        By default both: equalized odds.
    notion : str or Parity, optional
        The same in other words, not beside ``constraints``: any notion of :class:`~dpfair_teach.fairness.Parity`, a word for it against
        group 0, the object for all pairs, the population or another anchor. ``Parity(..., against="pairs")`` treats all groups alike.
    n_groups : int in 2..1000, optional
        k, where the largest code in ``A`` does not tell.
    empty : str
        "refuse" a cell (a, y) that holds nobody and that a constraint asks about; or "zero": its rate reads 0. Private learners ask for
        it, as a refusal would tell who is in a cell, and for ``n_groups``, as the largest code would tell too.

    Attributes
    ----------
    errors : (H,) array
        err(h).
    rates : (H, k, 2) array [h, a, y]
        Rate of being accepted: false positives at y = 0, true positives at y = 1; NaN where nobody is and no constraint asks.
    gaps : (H, D) array
        rate_a - rate_0, D = (k-1) len(constraints), for a = 1, ..., k-1: FP, TP; or what ``notion`` compares.
    n_pos : (H, k, 2) array, n : (k, 2) array
        People accepted and people, [a, y].
    gamma, m, n_groups, parity, constraints, n_constraints, n_classifiers
        ``parity`` is the notion, ``constraints`` the names of its rates; n_constraints is K = 2 D, the number of multipliers.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1)
    >>> game.constraint_values([0, 0, 1])               # FP+, FP-, TP+, TP-
    array([ 0.9, -1.1, -1.1,  0.9])
    >>> best = game.fair_erm()
    >>> round(best.value, 3)
    0.5
    """

    _people: tuple[ArrayLike, ArrayLike] | None

    def __init__(self, predictions: ArrayLike, A: ArrayLike, Y: ArrayLike, gamma: ArrayLike,
                 constraints: tuple[str, ...] | None = None, *, notion: Notion | Parity | None = None, n_groups: int | None = None,
                 empty: Empty = "refuse") -> None:
        parity = read_parity(notion, constraints)
        self._set(table_of_people(predictions, A, Y, parity, n_groups, empty), gamma)
        self._people = A, Y         # for the costs of each; all else is made of the counts

    @classmethod
    def from_counts(cls, n_pos: ArrayLike, n: ArrayLike, gamma: ArrayLike, constraints: tuple[str, ...] | None = None, *,
                    notion: Notion | Parity | None = None, empty: Empty = "refuse") -> FairnessGame:
        """The same game from counts, for classes too large to hold as predictions, and for noisy or expected counts. It has no
        :meth:`costs`.

        Parameters
        ----------
        n_pos : (H, k, 2) array [h, a, y]
            People that classifier h accepts, between 0 and ``n``.
        n : (k, 2) array [a, y]
            People.
        gamma, constraints, notion, empty : as in the class
        """
        return cls._made_of(table_of_counts(n_pos, n, read_parity(notion, constraints), empty), gamma)

    @classmethod
    def from_gaps(cls, errors: ArrayLike, gaps: ArrayLike, gamma: ArrayLike) -> FairnessGame:
        """The game of another notion: any gaps that are averages over a mixture. Its constraints are (gap 0, +), (gap 0, -), (gap 1, +),
        ...

        Parameters
        ----------
        errors : (H,) array in [0, 1]
        gaps : (H, D) array in [-1, 1]
        gamma : as in the class
        """
        return cls._made_of(table_of_gaps(errors, gaps), gamma)

    @classmethod
    def _made_of(cls, table: Table | Gaps, gamma: ArrayLike) -> FairnessGame:
        """The game of counts, or of gaps, that were checked: it knows no people."""
        game = cls.__new__(cls)
        game._set(table, gamma)
        return game

    def _with(self, table: Table | Gaps, gamma: ArrayLike) -> FairnessGame:
        game = self._made_of(table, gamma)
        game._people = self._people
        return game

    def __getattr__(self, name: str) -> Any:
        # Only asked for what is not there: the people of a game that was made from gaps.
        if name in ("n_pos", "n", "rates", "m", "n_groups", "constraints", "parity", "private"):
            try:
                self._refuse_gaps(name)
            except ValueError as refused:
                raise NoPeople(str(refused)) from None
        raise AttributeError(f"'FairnessGame' object has no attribute '{name}'")

    def _refuse_gaps(self, name: str) -> NoReturn:
        check.refuse("game", self, f"was made from gaps, and has no {name}",
                     "Make it from predictions or from_counts; of other notions than those there is no private play, nor costs.")

    def _set(self, table: Any, gamma: ArrayLike) -> None:        # a Table, or Gaps, which have no people
        self.gamma = check.array("gamma", gamma, low=0.0, high=1e9, booleans=False)
        check.filled("gamma", np.atleast_1d(self.gamma), "tolerance")
        self.table, self.errors, self.gaps, self._people = table, table.errors, table.gaps, None
        self.n_classifiers, self.n_constraints = len(self.gaps), 2 * self.gaps.shape[1]
        if isinstance(table, Table):
            self.n_pos, self.n, self.parity = table.n_pos, table.n, table.parity
            self.m, self.n_groups, self.constraints = float(table.n.sum()), len(table.n), tuple(cell.name for cell in table.parity.cells)
            # Making the game told nothing of A: the number of groups was given, and no cell would have been refused.
            self.private = table.k_given and table.empty == "zero"

    @property
    def rates(self) -> np.ndarray:
        n = self.n
        return self.n_pos / np.where(n > 0, n, 1.0 if self.table.empty == "zero" else np.nan)

    def __repr__(self) -> str:
        if "n" not in vars(self):
            return f"FairnessGame({self.n_classifiers} classifiers, {self.gaps.shape[1]} gaps)"
        return (f"FairnessGame({self.n_classifiers} classifiers, {self.m:g} people in {self.n_groups} groups, "
                f"{' and '.join(self.constraints)} within gamma={np.array2string(self.gamma, threshold=5)})")

    @property
    def spread(self) -> np.ndarray:
        """Largest minus smallest payoff of a round, the spare constraint's 0 among them: at most max(2, 1 + gamma); shape of gamma."""
        largest = np.abs(self.gaps).max()
        return largest + self.gamma + np.maximum(largest - self.gamma, 0.0)

    def with_gamma(self, gamma: ArrayLike) -> FairnessGame:
        """The same classifiers and people, another tolerance (or several)."""
        return self._with(self.table, gamma)

    def restricted(self, index: ArrayLike) -> FairnessGame:
        """The game with some of the classifiers only, such as those that a play has used: its j-th is this one's ``index[j]``."""
        index = check.filled("index", check.whole_numbers("index", index, low=0, high=self.n_classifiers - 1), "classifier")
        if index.ndim != 1:
            check.refuse("index", index.shape, "is no list of classifiers", "Give index with one axis.")
        return self._with(self.table.restricted(index), self.gamma)

    def with_constants(self) -> FairnessGame:
        """The game with "reject everybody" and "accept everybody" added as its last two classifiers: then gamma = 0 is feasible."""
        if not isinstance(self.table, Table):
            self._refuse_gaps("people")
        return self._with(self.table.with_constants(), self.gamma)

    # ------------------------------------------------------------------------------------------------------- the payoff

    def signed(self, lam: ArrayLike) -> np.ndarray:
        """w = lambda_+ - lambda_-, the price of each gap: of (..., K) multipliers >= 0, (..., D)."""
        return signed(self._multipliers(lam))

    def losses(self, lam: ArrayLike) -> np.ndarray:
        """L(h, lambda) for every classifier, (..., H): what the learner minimizes, and what the exponential mechanism scores."""
        lam = self._multipliers(lam)
        self._batch("lam", lam.shape[:-1])
        return self.errors + self.signed(lam) @ self.gaps.T - (self.gamma * lam.sum(axis=-1))[..., None]

    def lagrangian(self, Q: ArrayLike, lam: ArrayLike) -> np.ndarray:
        """L(Q, lambda) = err(Q) + lambda . r(Q), of mixtures (..., H) and multipliers (..., K)."""
        Q, lam = self._mixture(Q), self._multipliers(lam)
        check.broadcast("lam", lam.shape[:-1], "Q", Q.shape[:-1], "Give one lam for each mixture.")
        self._batch("lam", lam.shape[:-1])
        return plain(Q @ self.errors + (lam * self.constraint_values(Q)).sum(axis=-1))

    def constraint_values(self, Q: ArrayLike) -> np.ndarray:
        """r(Q), (..., K): every gap minus gamma, in the order of the constraints; Q is gamma-fair when no entry is above 0."""
        Q = self._mixture(Q)
        self._batch("Q", Q.shape[:-1])
        return self._values(Q @ self.gaps)

    def constraints_of(self, gaps: ArrayLike) -> np.ndarray:
        """Gaps (..., D) as constraint values (..., K): each with both signs, minus gamma. Of ``game.gaps[h]`` it is r(h)."""
        gaps = check.array("gaps", gaps, booleans=False)
        if gaps.ndim == 0 or 2 * gaps.shape[-1] != self.n_constraints:
            check.refuse("gaps", gaps.shape if gaps.ndim else float(gaps), f"does not end in {self.n_constraints // 2} gaps",
                         "Give one for each comparison and rate.")
        self._batch("gaps", gaps.shape[:-1])
        return self._values(gaps)

    def _values(self, gaps: np.ndarray) -> np.ndarray:
        return both_signs(gaps) - self.gamma[..., None]

    def error(self, Q: ArrayLike) -> np.ndarray:
        """err(Q)."""
        return plain(self._mixture(Q) @ self.errors)

    def violation(self, Q: ArrayLike) -> np.ndarray:
        """The largest gap of Q among the constrained rates."""
        return plain(np.abs(self._mixture(Q) @ self.gaps).max(axis=-1))

    # ---------------------------------------------------------------------------------------------------------- the learner

    def cell_costs(self, lam: ArrayLike) -> np.ndarray:
        """The costs of Subroutine 2, (..., 2, k, 2) [yhat, a, y]: of saying yhat to somebody with (a, y), the same for all people of a
        cell.

        Source: supplement, Subroutine 2: C^0 = 1{y = 1}; C^1 = 1{y = 0} + w_(a,y) / q_(a,y), with w_(0,y) = -sum_a w_(a,y) for the anchor.
        For other notions a rate's price over the share of its people is a cost of whatever stands above its fraction line.
        """
        k, sizes = self.n_groups, self.table.sizes
        prices = self.parity.prices_of_rates(self.signed(lam), k, sizes)
        each = prices * self.m / np.where(sizes > 0, sizes, 1.0)
        costs = np.zeros(each.shape[:-2] + (2, k, 2))
        costs[..., 0, :, 1] = costs[..., 1, :, 0] = 1.0
        for r, cell in enumerate(self.parity.cells):
            for yhat, y in cell.above:
                costs[..., yhat, :, y] += each[..., r]
        return costs

    def costs(self, lam: ArrayLike) -> np.ndarray:
        """Subroutine 2: each person's costs C^0 of rejecting and C^1 of accepting, (..., 2, m), whose least total is the learner's best
        answer.

        (1/m) sum_i [h(x_i) C^1_i + (1 - h(x_i)) C^0_i] = L(h, lambda) + gamma sum(lambda), for every h.
        """
        cells = self.cell_costs(lam)
        if self._people is None:
            check.refuse("lam", lam, "asks for the costs of people whom a game made from_counts does not know",
                         "Use cell_costs, or make the game from predictions.")
        A, Y = self._people
        return cells[..., check.group_codes("A", A), check.labels("Y", Y)]

    def best_response(self, lam: ArrayLike) -> np.ndarray:
        """BEST_h: the classifier with the least L(h, lambda); of equals the first.

        Source: supplement, Subroutine 2, over a class that can be searched.
        """
        return plain((self.errors + self.signed(lam) @ self.gaps.T).argmin(axis=-1))

    # ---------------------------------------------------------------------------------------------------------- its solutions

    def fair_erm(self) -> FairERM:
        """The exact answer to program (5): the most accurate gamma-fair mixture, by linear programming.

        Source: supplement, program (5), or (6). Where no mixture is gamma-fair, the refusal says how small a violation can be.
        """
        return solve_fair_erm(self.errors, self.gaps, self.gamma)

    def equilibrium(self, B: ArrayLike, *, as_printed: bool = False) -> Equilibrium:
        """An exact equilibrium of the game with multipliers of sum at most B, by linear programming.

        Source: supplement, section 3.1, primal and dual problem. ``as_printed`` is the Lambda of the main text, {|lambda|_1 <= B} without
        lambda >= 0: another game, in which keeping a gap strictly inside the tolerance is punished too.
        """
        check.flag("as_printed", as_printed)
        B = bound_on_multipliers(B)
        check.broadcast("B", B.shape, "gamma", self.gamma.shape, "Give one B for each gamma.")
        return solve_game(self.errors, self.gaps, self.gamma, B, as_printed)

    def value(self, B: ArrayLike, *, as_printed: bool = False) -> np.ndarray:
        """The value of the game: min over Q of err(Q) + B max(0, largest constraint value), which is the max-min too."""
        return self.equilibrium(B, as_printed=as_printed).value

    def regrets(self, Q: ArrayLike, lam: ArrayLike, B: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """What each player could gain by another move: the auditor, max_Lambda L(Q, .) - L(Q, lam); the learner, L(Q, lam) - min L(., lam).
        """
        Q, lam, B = self._mixture(Q), self._multipliers(lam), bound_on_multipliers(B)
        axes = check.broadcast("lam", lam.shape[:-1], "Q", Q.shape[:-1], "Give one lam for each mixture.")
        check.broadcast("B", B.shape, "Q and lam", axes, "Give one B, or one for each mixture.")
        self._batch("lam", lam.shape[:-1])
        total, limit = np.broadcast_arrays(lam.sum(axis=-1), B)
        if (over := total > limit * (1 + 1e-9)).any():
            check.refuse("lam", float(total[over][0]), f"is a sum of multipliers above B={float(limit[over][0]):g}",
                         "Give multipliers that sum to at most B.")
        r = self.constraint_values(Q)
        auditor = B * np.maximum(r.max(axis=-1), 0.0) - (lam * r).sum(axis=-1)
        w = self.signed(lam)
        learner = Q @ self.errors + ((Q @ self.gaps) * w).sum(axis=-1) - (self.errors + w @ self.gaps.T).min(axis=-1)
        return plain(np.maximum(auditor, 0.0)), plain(np.maximum(learner, 0.0))

    def equilibrium_gap(self, Q: ArrayLike, lam: ArrayLike, B: ArrayLike) -> np.ndarray:
        """The smallest nu for which (Q, lam) is a nu-approximate equilibrium: the larger of the two :meth:`regrets`.

        Source: supplement, Theorem 3.5 (its definition of an approximate solution).
        """
        return plain(np.maximum(*self.regrets(Q, lam, B)))

    # ------------------------------------------------------------------------------------------------------------- checks

    def _batch(self, name: str, axes: tuple[int, ...]) -> None:
        if axes and self.gamma.ndim:
            check.broadcast(name, axes, "gamma", self.gamma.shape, "Give one for each game of the batch.")

    def _multipliers(self, lam: ArrayLike) -> np.ndarray:
        lam = check.array("lam", lam, low=0.0, high=1e12, booleans=False)
        if lam.ndim == 0 or lam.shape[-1] != self.n_constraints:
            check.refuse("lam", lam.shape if lam.ndim else float(lam), f"does not end in {self.n_constraints} multipliers",
                         "Give one for each entry of constraint_values.")
        return lam

    def _mixture(self, Q: ArrayLike) -> np.ndarray:
        Q = check.array("Q", Q, low=-1e-9, high=1 + 1e-9, booleans=False)
        if Q.ndim == 0 or Q.shape[-1] != self.n_classifiers:
            check.refuse("Q", Q.shape if Q.ndim else float(Q), f"does not end in {self.n_classifiers} probabilities",
                         "Give one for each classifier.")
        off = np.abs(Q.sum(axis=-1) - 1)
        if off.max() > 1e-6:
            check.refuse("Q", float(Q.sum(axis=-1).ravel()[off.argmax()]), "is a sum of probabilities, and that must be 1",
                         "Divide Q by its sum.")
        return Q
