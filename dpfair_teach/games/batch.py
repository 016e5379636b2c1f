"""The door of DP-oracle-learner: its arguments are read and refused here, once; what is handed on are public numbers."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .auditor import bound_on_multipliers
from .budget import Accounted
from .game import FairnessGame, refuse_no_game
from .play import MOST
from .sensitivity import Guarded
from .setting import REPAIRS, Repair, Setting, before_the_rounds, checked_cell

__all__: list[str] = []     # dp_oracle_learner asks it


@dataclass(frozen=True, eq=False)
class PlaySetting:
    """What private plays are played with: arguments of :func:`dp_oracle_learner`, read, and what follows from them.

    Attributes
    ----------
    setting : Setting
        Of one of the games; of the others epsilon, B and eta may be others.
    B, eta : arrays, that broadcast to ``axes``
    axes : tuple of ints
        Repeats, and the batch.
    as_printed, repair
        As given.
    step : array
        epsilon' of each game.
    first : array
        The part of epsilon for what is released before the first round: sizes, or a bound; 0 where nothing is.
    first_delta : float
        And of delta.
    """

    setting: Setting
    B: np.ndarray
    eta: np.ndarray
    axes: tuple[int, ...]
    as_printed: bool
    repair: Repair
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
    check.choice("repair", repair, REPAIRS)
    epsilon, B = check.array("epsilon", epsilon, booleans=False), bound_on_multipliers(B)
    rates = None if eta is None else check.array("eta", eta, booleans=False)
    if as_printed and protect != "A":
        check.refuse("protect", protect, "the printed sensitivities are for 'A'", "Leave as_printed False.")
    smallest_cell = _promise(float(game.table.sizes.min()), smallest_cell, repair, as_printed)
    one = check.broadcast("B", B.shape, "gamma", game.gamma.shape, "Give one B for each gamma.")
    one = check.broadcast("epsilon", check.filled("epsilon", epsilon, "epsilon").shape, "gamma and B", one,
                          "Give one epsilon for each game.")
    if rates is not None:
        one = check.broadcast("eta", check.filled("eta", rates, "step").shape, "gamma, B and epsilon", one,
                              "Give one eta, or one for each game.")
    axes = check.size(size, one) + one
    different = np.unique(np.stack(np.broadcast_arrays(epsilon, B, 0.0 if rates is None else rates), axis=-1).reshape(-1, 3), axis=0)
    settings = [Setting.of(game, e, delta, b, rounds=rounds, beta=beta, log_labelings=log_labelings, smallest_cell=smallest_cell,
                           eta=None if rates is None else h, share=share, protect=protect, accounting=accounting)
                for e, b, h in different.tolist()]
    setting = settings[0]
    if len(found := {each.rounds for each in settings}) > 1:
        check.refuse("epsilon, B", different[:, :2].tolist(), f"their schedules play {sorted(found)} rounds",
                     "Give rounds, or call once for each.")
    if setting.rounds * math.prod(axes) * 2 * (setting.K + 1) > MOST:
        check.refuse("size" if size is not None else "rounds", size if size is not None else rounds,
                     f"means {setting.rounds} rounds of {math.prod(axes)} games, too many to keep", "Play fewer rounds or games at once.")
    by_epsilon = {each.epsilon: each for each in settings}
    steps = {e: each.step("printed" if as_printed else repair) for e, each in by_epsilon.items()}
    first = {e: (0.0, 0.0) if as_printed else before_the_rounds(each, repair) for e, each in by_epsilon.items()}
    return PlaySetting(setting, B, np.asarray(setting.learning_rate) if rates is None else rates, axes, as_printed, repair,
                       _each(epsilon, steps), _each(epsilon, {e: one[0] for e, one in first.items()}), first[setting.epsilon][1])


def _each(epsilon: np.ndarray, found: dict[float, float]) -> np.ndarray:
    """A number of each game, by its epsilon."""
    return np.vectorize(found.__getitem__, otypes=[float])(epsilon)


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
        smallest_cell = checked_cell(smallest_cell)
        if smallest_cell > smallest:
            check.refuse("smallest_cell", smallest_cell, "a cell of this data set holds fewer people: the promise is broken",
                         "Promise less, or choose repair='frozen', which needs no promise.")
    if as_printed and smallest <= 1:
        check.refuse("game", smallest, "is its smallest cell, and Assumption 3.3 asks for more than one person",
                     "Leave as_printed False: the repairs need no such assumption.")
    if repair == "promise" and not as_printed and smallest_cell is None:
        check.refuse("smallest_cell", None, "no promise was made", "Give the N below which no cell of any data set falls.")
    return smallest_cell
