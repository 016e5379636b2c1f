"""The game of one data set and one class of classifiers: what the learner pays the auditor."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .auditor import bound_on_multipliers
from .programs import Equilibrium, FairERM, plain, solve_fair_erm, solve_game

__all__ = ["FairnessGame"]

_LABEL = {"FP": 0, "TP": 1}
_BLOCK = 2**24      # entries of predictions that are turned into floats at a time


def checked_constraints(value: object, name: str = "constraints") -> tuple[str, ...]:
    """("FP", "TP"), or one of them, in that order."""
    remedy = 'Give ("FP", "TP") for equalized odds, ("FP",) for equal false-positive rates, or ("TP",).'
    found = check.entries(name, value, "names of rates", remedy)
    if not found or len(set(map(str, found))) < len(found) or not all(isinstance(c, str) and c in _LABEL for c in found):
        check.refuse(name, value, "not one or both of 'FP' and 'TP'", remedy)
    return tuple(c for c in _LABEL if c in found)


def labels_of(constraints: tuple[str, ...]) -> list[int]:
    """The labels of the people whose rates are compared: 0 for false positives, 1 for true ones."""
    return [_LABEL[name] for name in constraints]


def public_prices(game: FairnessGame, w: np.ndarray) -> np.ndarray:
    """w with the anchor's, (..., D) -> (..., k, 2) [a, y]: what a unit of each rate costs; 0 for a rate that is not constrained."""
    each = w.reshape(w.shape[:-1] + (game.n_groups - 1, len(game.constraints)))
    price = np.zeros(w.shape[:-1] + game.n.shape)
    for j, y in enumerate(labels_of(game.constraints)):
        price[..., 1:, y] = each[..., j]
        price[..., 0, y] = -each[..., j].sum(axis=-1)
    return price


class NoPeople(ValueError, AttributeError):
    """A game made from gaps was asked for its people: bad input, and for ``hasattr`` an attribute that is not there."""


class FairnessGame:
    """A zero-sum game: the learner picks a mixture Q of H classifiers, the auditor prices lambda >= 0 on the fairness constraints.

    Source: supplement, section 3.1: program (5), the Lagrangian L(Q, lambda) = err(Q) + lambda . r(Q), the constraint vector r. With
    ``constraints=("FP",)`` program (6) of section 3.3.

    The order of constraints, everywhere: for a = 1, ..., k-1: (FP, +), (FP, -), (TP, +), (TP, -), where + is rate_a - rate_0 - gamma and -
    is rate_0 - rate_a - gamma. Group 0 is the anchor. All quantities are exact: expectations over the mixture, nothing is sampled. For
    other notions see :meth:`from_gaps`.

    Parameters
    ----------
    predictions : (H, m) array in [0, 1]
        Row h: what classifier h says of each person, or its probability of saying 1. A classifier that knows the group is welcome:
        column i is h(x_i, a_i).
    A : (m,) array of ints 0..k-1, k >= 2
    Y : (m,) array of 0/1
    gamma : float >= 0, or (...) array
        The tolerance; an array makes one game for each entry, and everything below has these leading axes.
    constraints : tuple of "FP", "TP"
    n_groups : int >= 2, optional
        k, where the largest code in ``A`` does not tell.
    empty : str
        "refuse" a cell (a, y) that holds nobody and that a constraint asks about; or "zero": its rate reads 0. For private learners, as
        a refusal would tell who is in a cell.

    Attributes
    ----------
    errors : (H,) array
        err(h).
    rates : (H, k, 2) array [h, a, y]
        Rate of being accepted: false positives at y = 0, true positives at y = 1; NaN where nobody is and no constraint asks.
    gaps : (H, D) array
        rate_a - rate_0, D = (k-1) len(constraints), for a = 1, ..., k-1: FP, TP.
    n_pos : (H, k, 2) array, n : (k, 2) array
        People accepted and people, [a, y].
    gamma, m, n_groups, constraints, n_constraints, n_classifiers
        n_constraints is K = 2 D, the number of multipliers.

    Raises
    ------
    ValueError
        Shapes that do not fit, predictions outside [0, 1], fewer than two groups, and, unless ``empty`` says otherwise, a cell (a, y)
        that a constraint asks about but that holds nobody.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1)
    >>> game.constraint_values([0, 0, 1])               # FP+, FP-, TP+, TP-
    array([ 0.9, -1.1, -1.1,  0.9])
    >>> best = game.fair_erm()
    >>> round(best.value, 3)
    0.5
    """

    def __init__(self, predictions: ArrayLike, A: ArrayLike, Y: ArrayLike, gamma: ArrayLike,
                 constraints: tuple[str, ...] = ("FP", "TP"), *, n_groups: int | None = None, empty: str = "refuse") -> None:
        A, k = check.groups("A", A, n_groups=None if n_groups is None else check.integer("n_groups", n_groups, low=2, high=4096))
        self._empty = check.choice("empty", empty, ("refuse", "zero"))
        Y = check.labels("Y", Y)
        if len(Y) != len(A):
            check.refuse("A, Y", (len(A), len(Y)), "different lengths", "Give one entry a person in each.")
        predictions = _predictions(predictions, len(A))
        self._people = A, Y
        cells = np.zeros((len(A), k * 2))
        cells[np.arange(len(A)), 2 * A + Y] = 1.0
        step = max(1, _BLOCK // len(A))
        labels, n_pos, accepted = np.eye(2)[Y], [], []
        for i in range(0, len(predictions), step):
            block = predictions[i:i + step].astype(float)
            n_pos.append(block @ cells)
            accepted.append(block @ labels)
        self._set(np.concatenate(n_pos).reshape(-1, k, 2), np.concatenate(accepted), cells.sum(axis=0).reshape(k, 2), gamma, constraints,
                  "A")

    @classmethod
    def from_counts(cls, n_pos: ArrayLike, n: ArrayLike, gamma: ArrayLike,
                    constraints: tuple[str, ...] = ("FP", "TP"), *, empty: str = "refuse") -> FairnessGame:
        """The same game from counts, for classes too large to hold as predictions, and for noisy or expected counts.

        Parameters
        ----------
        n_pos : (H, k, 2) array [h, a, y]
            People that classifier h accepts, between 0 and ``n``.
        n : (k, 2) array [a, y]
            People.
        gamma, constraints, empty : as in the class

        Returns
        -------
        FairnessGame
            Without :meth:`costs`, which needs the people; :meth:`cell_costs` is the same for each cell.
        """
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
        game = cls.__new__(cls)
        game._people, game._empty = None, check.choice("empty", empty, ("refuse", "zero"))
        game._set(n_pos, n_pos.sum(axis=1), n, gamma, constraints, "n")
        return game

    @classmethod
    def from_gaps(cls, errors: ArrayLike, gaps: ArrayLike, gamma: ArrayLike) -> FairnessGame:
        """The game of another notion: any gaps that are averages over a mixture, such as those of acceptance rates (statistical parity).

        All that the game is made of: with the same ``errors`` and ``gaps`` it is the same game.

        Parameters
        ----------
        errors : (H,) array in [0, 1]
        gaps : (H, D) array in [-1, 1]
            Each is to stay within gamma, on both sides.
        gamma : as in the class

        Returns
        -------
        FairnessGame
            Its constraints are (gap 0, +), (gap 0, -), (gap 1, +), ...; it knows no people, so no costs.
        """
        errors = check.filled("errors", check.array("errors", errors, ndim=1, low=0.0, high=1.0), "classifier")
        gaps = check.filled("gaps", check.array("gaps", gaps, ndim=2, low=-1.0, high=1.0), "gap")
        if len(gaps) != len(errors):
            check.refuse("errors, gaps", (len(errors), len(gaps)), "different lengths", "Give one of each for every classifier.")
        game = cls.__new__(cls)
        game._tolerate(gamma)
        game.errors, game.gaps = errors, gaps
        game.n_classifiers, game.n_constraints = len(gaps), 2 * gaps.shape[1]
        return game

    def __getattr__(self, name: str) -> object:
        # Only asked for what is not there: the people of a game that was made from gaps.
        if name in ("n_pos", "n", "rates", "_accepted", "m", "n_groups", "constraints", "_people"):
            try:
                check.refuse("game", self, f"was made from gaps, and has no {name}",
                             "Make it from predictions or from_counts; of other notions than those there is no private play, nor costs.")
            except ValueError as refused:
                raise NoPeople(str(refused)) from None
        raise AttributeError(f"'FairnessGame' object has no attribute '{name}'")

    def _tolerate(self, gamma):
        self.gamma = check.array("gamma", gamma, low=0.0, high=1e9, booleans=False)
        check.filled("gamma", np.atleast_1d(self.gamma), "tolerance")

    def _set(self, n_pos, accepted, n, gamma, constraints, whom):
        # accepted (H, 2) are the people accepted with each label, and so the errors. A sum over the cells would be the same number but for
        # its rounding, which depends on who is in which group: for a private learner that does not see A these are to be public.
        self.constraints = checked_constraints(constraints)
        self._tolerate(gamma)
        self.n_pos, self._accepted, self.n, self.m, self.n_groups = n_pos, accepted, n, float(n.sum()), n.shape[0]
        if self.n_groups < 2:
            check.refuse(whom, self.n_groups - 1, "is the largest code, so there is one group only", "Comparing needs two groups.")
        asked = labels_of(self.constraints)
        if self._empty == "refuse":
            check.occupied(whom, n[:, asked], "Merge that group with another, or leave that rate out of constraints.", labels=tuple(asked),
                           codes=whom == "A")
        self.rates = n_pos / np.where(n > 0, n, np.nan)
        if self._empty == "zero":
            self.rates[:, n == 0] = 0.0
        gaps = self.rates[:, 1:][:, :, asked] - self.rates[:, :1][:, :, asked]
        self.gaps = gaps.reshape(len(n_pos), -1)
        self.errors = (accepted[:, 0] + (n[:, 1].sum() - accepted[:, 1])) / self.m
        self.n_classifiers, self.n_constraints = len(n_pos), 2 * self.gaps.shape[1]

    def _like(self, n_pos, accepted, gamma):
        other = self.__class__.__new__(self.__class__)
        other._people, other._empty = self._people, self._empty
        other._set(n_pos, accepted, self.n, gamma, self.constraints, "n")
        return other

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
        """The same classifiers and people, another tolerance (or several).

        Parameters
        ----------
        gamma : float >= 0, or (...) array

        Returns
        -------
        FairnessGame
        """
        return self._like(self.n_pos, self._accepted, gamma) if "n" in vars(self) else self.from_gaps(self.errors, self.gaps, gamma)

    def restricted(self, index: ArrayLike) -> FairnessGame:
        """The game with some of the classifiers only, such as those that a play has used.

        Parameters
        ----------
        index : (H',) array of ints 0..H-1

        Returns
        -------
        FairnessGame
            Its classifier j is this one's ``index[j]``.
        """
        index = check.filled("index", check.whole_numbers("index", index, low=0, high=self.n_classifiers - 1), "classifier")
        if index.ndim != 1:
            check.refuse("index", index.shape, "is no list of classifiers", "Give index with one axis.")
        if "n" not in vars(self):
            return self.from_gaps(self.errors[index], self.gaps[index], self.gamma)
        return self._like(self.n_pos[index], self._accepted[index], self.gamma)

    def with_constants(self) -> FairnessGame:
        """The game with "reject everybody" and "accept everybody" added as its last two classifiers: then gamma = 0 is feasible.

        Returns
        -------
        FairnessGame
        """
        n_pos, everybody = np.concatenate([self.n_pos, [np.zeros_like(self.n), self.n]]), self.n.sum(axis=0)
        return self._like(n_pos, np.concatenate([self._accepted, [np.zeros(2), everybody]]), self.gamma)

    # ------------------------------------------------------------------------------------------------------- the payoff

    def signed(self, lam: ArrayLike) -> np.ndarray:
        """w = lambda_+ - lambda_-: the price of each gap.

        Parameters
        ----------
        lam : (..., K) array, entries >= 0

        Returns
        -------
        (..., D) array, for a = 1, ..., k-1: FP, TP
        """
        lam = self._multipliers(lam)
        return lam[..., 0::2] - lam[..., 1::2]

    def losses(self, lam: ArrayLike) -> np.ndarray:
        """L(h, lambda) for every classifier: what the learner minimizes, and what the exponential mechanism scores.

        Parameters
        ----------
        lam : (..., K) array, entries >= 0

        Returns
        -------
        (..., H) array
        """
        lam = self._multipliers(lam)
        self._batch("lam", lam.shape[:-1])
        return self.errors + self.signed(lam) @ self.gaps.T - (self.gamma * lam.sum(axis=-1))[..., None]

    def lagrangian(self, Q: ArrayLike, lam: ArrayLike) -> np.ndarray:
        """L(Q, lambda) = err(Q) + lambda . r(Q).

        Parameters
        ----------
        Q : (..., H) array, a distribution
        lam : (..., K) array, entries >= 0

        Returns
        -------
        (...) array, or float
        """
        Q, lam = self._mixture(Q), self._multipliers(lam)
        check.broadcast("lam", lam.shape[:-1], "Q", Q.shape[:-1], "Give one lam for each mixture.")
        self._batch("lam", lam.shape[:-1])
        return plain(Q @ self.errors + (lam * self.constraint_values(Q)).sum(axis=-1))

    def constraint_values(self, Q: ArrayLike) -> np.ndarray:
        """r(Q): every gap minus gamma, in the order of the constraints; Q is gamma-fair when no entry is above 0.

        Parameters
        ----------
        Q : (..., H) array, a distribution

        Returns
        -------
        (..., K) array
        """
        Q = self._mixture(Q)
        self._batch("Q", Q.shape[:-1])
        return self._values(Q @ self.gaps)

    def _values(self, gaps: np.ndarray) -> np.ndarray:
        both = np.stack([gaps, -gaps], axis=-1)
        return both.reshape(gaps.shape[:-1] + (-1,)) - self.gamma[..., None]

    def error(self, Q: ArrayLike) -> np.ndarray:
        """err(Q).

        Parameters
        ----------
        Q : (..., H) array, a distribution

        Returns
        -------
        (...) array, or float
        """
        return plain(self._mixture(Q) @ self.errors)

    def violation(self, Q: ArrayLike) -> np.ndarray:
        """The largest gap to group 0 among the constrained rates.

        Parameters
        ----------
        Q : (..., H) array, a distribution

        Returns
        -------
        (...) array, or float
        """
        return plain(np.abs(self._mixture(Q) @ self.gaps).max(axis=-1))

    # ---------------------------------------------------------------------------------------------------------- the learner

    def cell_costs(self, lam: ArrayLike) -> np.ndarray:
        """The costs of Subroutine 2, which are the same for all people of a cell: of saying yhat to somebody with (a, y).

        Source: supplement, Subroutine 2: C^0 = 1{y = 1}; C^1 = 1{y = 0} + w_(a,y) / q_(a,y), with w_(0,y) = -sum_a w_(a,y) for the anchor.

        Parameters
        ----------
        lam : (..., K) array, entries >= 0

        Returns
        -------
        (..., 2, k, 2) array [yhat, a, y]
            An unconstrained cell that holds nobody has the cost of the mistake alone.
        """
        mistake = np.array([0.0, 1.0])
        accept = 1 - mistake + public_prices(self, self.signed(lam)) * self.m / np.where(self.n > 0, self.n, 1.0)
        return np.stack([np.broadcast_to(mistake, accept.shape), accept], axis=-3)

    def costs(self, lam: ArrayLike) -> np.ndarray:
        """Subroutine 2: for each person the costs C^0 of rejecting and C^1 of accepting, whose least total is the learner's best answer.

        (1/m) sum_i [h(x_i) C^1_i + (1 - h(x_i)) C^0_i] = L(h, lambda) + gamma sum(lambda), for every h.

        Parameters
        ----------
        lam : (..., K) array, entries >= 0

        Returns
        -------
        (..., 2, m) array: row 0 is C^0, row 1 is C^1
        """
        cells = self.cell_costs(lam)
        if self._people is None:
            check.refuse("lam", lam, "asks for the costs of people whom a game made from_counts does not know",
                         "Use cell_costs, or make the game from predictions.")
        A, Y = self._people
        return cells[..., A, Y]

    def best_response(self, lam: ArrayLike) -> np.ndarray:
        """BEST_h: the classifier with the least L(h, lambda); of equals the first.

        Source: supplement, Subroutine 2, over a class that can be searched.

        Parameters
        ----------
        lam : (..., K) array, entries >= 0

        Returns
        -------
        (...) array of ints, or int
        """
        return plain((self.errors + self.signed(lam) @ self.gaps.T).argmin(axis=-1))

    # ---------------------------------------------------------------------------------------------------------- its solutions

    def fair_erm(self) -> FairERM:
        """The exact answer to program (5): the most accurate gamma-fair mixture, by linear programming.

        Source: supplement, program (5), or (6).

        Returns
        -------
        FairERM
            ``value``, ``Q``, ``lam``, ``gap``: with a batch of gammas, arrays with its axes.

        Raises
        ------
        ValueError
            No mixture is gamma-fair; the message says how small a violation can be.
        """
        return solve_fair_erm(self)

    def equilibrium(self, B: ArrayLike, *, as_printed: bool = False) -> Equilibrium:
        """An exact equilibrium of the game with multipliers of sum at most B, by linear programming.

        Source: supplement, section 3.1, primal and dual problem.

        Parameters
        ----------
        B : float > 0, or array that broadcasts with gamma
        as_printed : bool
            The Lambda of the main text, {|lambda|_1 <= B} without lambda >= 0: another game, in which keeping a gap strictly inside the
            tolerance is punished too.

        Returns
        -------
        Equilibrium
            ``value``, ``Q``, ``lam``; as printed ``lam`` may be negative.
        """
        check.flag("as_printed", as_printed)
        B = bound_on_multipliers(B)
        check.broadcast("B", B.shape, "gamma", self.gamma.shape, "Give one B for each gamma.")
        return solve_game(self, B, as_printed)

    def value(self, B: ArrayLike, *, as_printed: bool = False) -> np.ndarray:
        """The value of the game: min over Q of err(Q) + B max(0, largest constraint value), which is the max-min too.

        Parameters
        ----------
        B, as_printed : as in :meth:`equilibrium`

        Returns
        -------
        (...) array, or float
        """
        return self.equilibrium(B, as_printed=as_printed).value

    def regrets(self, Q: ArrayLike, lam: ArrayLike, B: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """What each player could gain by another move: the auditor, max_Lambda L(Q, .) - L(Q, lam); the learner, L(Q, lam) - min L(., lam).

        Parameters
        ----------
        Q : (..., H) array, a distribution
        lam : (..., K) array, entries >= 0, with sum at most B
        B : float > 0, or (...) array

        Returns
        -------
        auditor, learner : (...) arrays, or floats, >= 0
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

        Parameters
        ----------
        Q, lam, B : as in :meth:`regrets`

        Returns
        -------
        (...) array, or float, >= 0
        """
        return plain(np.maximum(*self.regrets(Q, lam, B)))

    # ------------------------------------------------------------------------------------------------------------- checks

    def _batch(self, name, axes):
        check.broadcast(name, axes, "gamma", self.gamma.shape, "Give one for each game of the batch.")

    def _multipliers(self, lam):
        lam = check.array("lam", lam, low=0.0, high=1e12, booleans=False)
        if lam.ndim == 0 or lam.shape[-1] != self.n_constraints:
            check.refuse("lam", lam.shape if lam.ndim else float(lam), f"does not end in {self.n_constraints} multipliers",
                         "Give one for each entry of constraint_values.")
        return lam

    def _mixture(self, Q):
        Q = check.array("Q", Q, low=-1e-9, high=1 + 1e-9, booleans=False)
        if Q.ndim == 0 or Q.shape[-1] != self.n_classifiers:
            check.refuse("Q", Q.shape if Q.ndim else float(Q), f"does not end in {self.n_classifiers} probabilities",
                         "Give one for each classifier.")
        off = np.abs(Q.sum(axis=-1) - 1)
        if off.max() > 1e-6:
            check.refuse("Q", float(Q.sum(axis=-1).ravel()[off.argmax()]), "is a sum of probabilities, and that must be 1",
                         "Divide Q by its sum.")
        return Q


def _predictions(value: object, m: int) -> np.ndarray:
    """(H, m) in [0, 1]; small integers are kept as they are, so that a large class need not be held as floats."""
    plain = type(value) is np.ndarray and value.ndim == 2 and value.dtype.kind in "biu"
    if plain and value.size and value.shape[1] == m and (value.dtype.kind == "b" or (value.min() >= 0 and value.max() <= 1)):
        return value
    found = check.array("predictions", value, ndim=2, low=0.0, high=1.0)
    if found.shape[1] != m:
        check.refuse("predictions", found.shape, f"has {found.shape[1]} columns, and A has {m} people",
                     "Give one row for each classifier, one column for each person.")
    return check.filled("predictions", found, "classifier")
