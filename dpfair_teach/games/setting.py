"""The door of DP-oracle-learner: its arguments are read and refused here, once; what is handed on are public numbers."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .auditor import MOST_ROUNDS, bound_on_multipliers, hedge_rate
from .budget import ACCOUNTED, Accounted, checked_delta, checked_share, largest_step, printed_step
from .doubles import choice_delta, laplace_delta, losses_off, refuse_delta_below
from .game import FairnessGame
from .play import MOST, refuse_no_game
from .players import STEPS
from .rounds import rounds_for
from .sensitivity import GUARDED, Guarded

__all__: list[str] = []     # dp_oracle_learner asks it

Repair = Literal["frozen", "bound", "promise"]
REPAIRS: tuple[Repair, ...] = get_args(Repair)


@dataclass(frozen=True, eq=False)
class PlaySetting:
    """What a private play is played with: arguments of :func:`dp_oracle_learner`, checked, and what follows from them.

    Attributes
    ----------
    epsilon, B, eta : arrays, that broadcast to ``axes``
    delta : float
    T, k, K : ints
        Rounds, groups, multipliers.
    selections, gradients : ints
        How often the learner reads private data: where A alone is protected, not in the first round, whose prices all cancel. And how often
        the auditor measures: the last round's gradient would never be used.
    axes : tuple of ints
        Repeats, and the batch.
    as_printed, repair, protect
        As given.
    smallest_cell : float or None
        N, as promised.
    step : array
        epsilon' of each game.
    first : array
        The part of epsilon for what is released before the first round: sizes, or a bound; 0 where nothing is.
    first_delta : float
        And of delta.
    """

    epsilon: np.ndarray
    delta: float
    B: np.ndarray
    eta: np.ndarray
    T: int
    selections: int
    gradients: int
    k: int
    K: int
    axes: tuple[int, ...]
    as_printed: bool
    repair: Repair
    protect: Guarded
    smallest_cell: float | None
    step: np.ndarray
    first: np.ndarray
    first_delta: float



def read_setting(game: FairnessGame, epsilon: ArrayLike, delta: float, B: ArrayLike, *, beta: float, as_printed: bool, repair: Repair,
                 smallest_cell: float | None, share: float, protect: Guarded, accounting: Accounted, rounds: int | None,
                 eta: ArrayLike | None, log_labelings: float | None, size: int | tuple[int, ...] | None) -> PlaySetting:
    """Arguments as in :func:`dp_oracle_learner`. The private data are looked at for a promise that they break, and as printed for a
    smallest cell of 1."""
    check.flag("as_printed", as_printed)
    if not isinstance(game, FairnessGame):
        refuse_no_game(game)
    _refuse_game(game, as_printed)
    k, K, gamma = game.n_groups, game.n_constraints, game.gamma
    epsilon = check.array("epsilon", epsilon, low=1e-6, high=1e6, booleans=False)
    check.filled("epsilon", np.atleast_1d(epsilon), "epsilon")
    halves = check.choice("repair", repair, REPAIRS) == "bound" and not as_printed     # then the rounds get half of delta
    delta, beta = checked_delta(delta, least=2e-300 if halves else 1e-300), check.beta(beta)
    B = bound_on_multipliers(B)
    check.choice("accounting", accounting, ACCOUNTED)
    check.choice("protect", protect, GUARDED)
    share = checked_share(share, float(epsilon.min()))
    if as_printed and protect != "A":
        check.refuse("protect", protect, "the printed sensitivities are for 'A'", "Leave as_printed False.")
    smallest_cell = _promise(float(game.table.sizes.min()), smallest_cell, repair, as_printed)
    one = check.broadcast("B", B.shape, "gamma", gamma.shape, "Give one B for each gamma.")
    one = check.broadcast("epsilon", epsilon.shape, "gamma and B", one, "Give one epsilon for each game.")
    T = _rounds(rounds, epsilon, delta, B, beta, log_labelings, math.ceil(game.m), game.n_classifiers, k, K)
    eta = np.asarray(hedge_rate(K, T, as_printed=True)) if eta is None else check.array("eta", eta, low=1e-12, high=1e9, booleans=False)
    check.filled("eta", np.atleast_1d(eta), "step")
    one = check.broadcast("eta", eta.shape, "gamma, B and epsilon", one, "Give one eta, or one for each game.")
    axes = check.size(size, one) + one
    if T * math.prod(axes) * 2 * (K + 1) > MOST:
        check.refuse("size" if size is not None else "rounds", size if size is not None else rounds,
                     f"means {T} rounds of {math.prod(axes)} games, too many to keep", "Play fewer rounds or games at once.")
    selections, gradients = (T, T) if as_printed else (T - (protect == "A"), T - 1)
    step, first, first_delta = _steps(game, as_printed, repair, protect, share, epsilon, delta, T, selections, gradients, accounting)
    return PlaySetting(epsilon, delta, B, eta, T, selections, gradients, k, K, axes, as_printed, repair, protect, smallest_cell, step,
                       first, first_delta)


def _refuse_game(game, as_printed):
    """A game whose making told of A, of a notion that is not served, or of counts whose sums would be rounded by who is where."""
    parity = game.parity
    if as_printed:
        if None in [cell.label for cell in parity.cells] or (parity.against, parity.anchor) != ("anchor", 0):
            check.refuse("game", parity, "is no notion of the printed algorithm",
                         "Leave as_printed False, or compare false or true positive rates with those of group 0.")
        return
    if not game.private:
        check.refuse("game", "FairnessGame", "read the number of groups off A, or refuses empty cells; either tells who is in which group",
                     'Make it with n_groups=k and empty="zero" (from_counts: empty="zero"), or play as printed.')
    if parity.against == "population":
        check.refuse("game", parity, "compares with the population, and how much of it a group is, is private",
                     'Compare with a group, or all pairs: notion=Parity(..., against="pairs").')
    # Of all groups together, which is public. Whether cells are whole may tell who is in which, and so may how their sum is rounded.
    off = 1e-6 + game.n_groups * game.m * 2.0**-52
    if game.table.people is None and any((np.abs(all_ - np.rint(all_)) > off).any() for all_ in (game.table.accepted, game.n.sum(axis=0))):
        check.refuse("game", game, "was made from counts that, of all groups together, are not whole people",
                     "Make it from predictions, which may be probabilities.")


def _promise(smallest, smallest_cell, repair, as_printed):
    """N as promised; refused where this data set already breaks it, and, without a look at the data, where nothing is promised."""
    if smallest_cell is not None and (as_printed or repair != "promise"):
        check.refuse("smallest_cell", smallest_cell, "is a promise, and this play needs none",
                     "Leave it out, or choose repair='promise' with as_printed False.")
    if smallest_cell is not None:
        smallest_cell = check.number("smallest_cell", smallest_cell, low=1.0, high=1e15)
        if smallest_cell > smallest:
            check.refuse("smallest_cell", smallest_cell, "a cell of this data set holds fewer people: the promise is broken",
                         "Promise less, or choose repair='frozen', which needs no promise.")
    if as_printed and smallest <= 1:
        check.refuse("game", smallest, "is its smallest cell, and Assumption 3.3 asks for more than one person",
                     "Leave as_printed False: the repairs need no such assumption.")
    if repair == "promise" and not as_printed and smallest_cell is None:
        check.refuse("smallest_cell", None, "no promise was made", "Give the N below which no cell of any data set falls.")
    return smallest_cell


def _rounds(rounds, epsilon, delta, B, beta, log_labelings, m, H, k, K):
    log_labelings = math.log(H) if log_labelings is None else check.number("log_labelings", log_labelings, low=0.0, high=1e12)
    if rounds is not None:
        return check.integer("rounds", rounds, low=1, high=MOST_ROUNDS)
    pairs = np.unique(np.stack(np.broadcast_arrays(epsilon, B), axis=-1).reshape(-1, 2), axis=0)
    found = {max(1, math.ceil(rounds_for(m, e, delta, max(b, 1e-9), k, K, beta, log_labelings))) for e, b in pairs}
    if len(found) > 1:
        check.refuse("epsilon, B", pairs.tolist(), f"their schedules play {sorted(found)} rounds", "Give rounds, or call once for each.")
    return found.pop()


def _steps(game, as_printed, repair, protect, share, epsilon, delta, T, selections, gradients, accounting):
    """epsilon' of each game; and what of epsilon and of delta is spent before the first round."""
    nothing = np.zeros_like(epsilon)
    if as_printed:
        return printed_step(epsilon, delta, T), nothing, 0.0
    if selections + gradients == 0:         # one round, and nothing private is read in it
        return epsilon, nothing, 0.0
    alone = repair == "promise" or not gradients        # one choice, all of whose prices cancel, needs no sizes
    spent, first_delta = 0.0 if alone else share, delta / 2 if repair == "bound" and not alone else 0.0

    def step(e):
        left = delta - first_delta
        at_most = largest_step((1 - spent) * e, left, selections, gradients, method=accounting)     # a smaller delta makes it smaller
        least = _in_doubles(game, repair, protect, spent * e, at_most, selections, gradients)
        refuse_delta_below(least * delta / left, delta)
        return largest_step((1 - spent) * e, left - least, selections, gradients, method=accounting)
    each = {e: step(e) for e in np.unique(epsilon).tolist()}
    return np.vectorize(each.__getitem__, otypes=[float])(epsilon), spent * epsilon, first_delta


def _in_doubles(game, repair, protect, first, step, selections, gradients):
    """What one game gives away of delta by noise in doubles: by the numbers that one person moves, and by the choices.

    One person is counted in one cell of a group, and moves one number where that is known from the other group's, or where the gap is one
    number; else two, by half of the step each. Who stays and is decided about otherwise moves one rate by 1/N: of a cell of one person that
    is all of the step, 2/(N + 1).
    """
    k, m, rates = game.n_groups, game.m, game.n_groups * len(game.parity.cells)
    numbers = 1 if k == 2 and (protect == "A" or repair != "frozen") else 2
    sizes = 1 if k == 2 or repair == "bound" else 2
    # Rates are off by 2^-53, and their noise has a scale of 2 / (N + 1) over the step.
    off = 0.0 if repair == "frozen" else m * step
    measured = numbers * laplace_delta(STEPS, step / numbers, off)
    if protect != "A" and repair != "frozen":
        measured = max(measured, laplace_delta(STEPS, step, off))
    chosen = choice_delta(game.n_classifiers, step, losses_off(rates, m, step))
    return (sizes * laplace_delta(sizes / first, first / sizes) if first else 0.0) + gradients * measured + selections * chosen
