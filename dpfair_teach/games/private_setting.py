"""The door of DP-oracle-learner: its arguments are read and refused here, once; what is handed on are public numbers."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .auditor import bound_on_multipliers
from .game import FairnessGame, refuse_no_game
from .play import MOST
from .sensitivity import Guarded
from .setting import Setting, Variant, before_the_rounds, checked_cell

__all__: list[str] = []     # dp_oracle_learner asks it


@dataclass(frozen=True, eq=False)
class PlaySetting:
    """What private plays are played with: arguments of :func:`dp_oracle_learner`, or as printed, read, and what follows from them.

    Attributes
    ----------
    setting : Setting
        Of one of the games; of the others epsilon, B and eta may be others.
    B, eta : arrays, that broadcast to ``axes``
    axes : tuple of ints
        Repeats, and the batch.
    repair : str
        As given, or "printed".
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
    repair: Variant
    step: np.ndarray
    first: np.ndarray
    first_delta: float


def read_play(game: FairnessGame, repair: Variant, size: int | tuple[int, ...] | None, epsilon: ArrayLike, delta: float, B: ArrayLike, *,
              rounds: int | None, eta: ArrayLike | None, protect: Guarded = "A", **options: Any) -> PlaySetting:
    """Arguments as in :func:`dp_oracle_learner`, or as printed; of ``options`` that may be None, :meth:`Setting.of` has the defaults.

    A setting is made for each game, and all play one number of rounds. The private data are looked at for a promise that they break, and
    as printed for a smallest cell of 1.
    """
    if not isinstance(game, FairnessGame):
        refuse_no_game(game)
    (refuse_unprinted if repair == "printed" else refuse_unfit)(game)
    given = {name: value for name, value in options.items() if value is not None or name == "accounting"}
    epsilon, B = check.array("epsilon", epsilon, booleans=False), bound_on_multipliers(B)
    rates = None if eta is None else check.array("eta", eta, booleans=False)
    one = check.broadcast("B", B.shape, "gamma", game.gamma.shape, "Give one B for each gamma.")
    one = check.broadcast("epsilon", check.filled("epsilon", epsilon, "epsilon").shape, "gamma and B", one,
                          "Give one epsilon for each game.")
    if rates is not None:
        one = check.broadcast("eta", check.filled("eta", rates, "step").shape, "gamma, B and epsilon", one,
                              "Give one eta, or one for each game.")
    axes = check.size(size, one) + one
    different = np.unique(np.stack(np.broadcast_arrays(epsilon, B, 0.0 if rates is None else rates), axis=-1).reshape(-1, 3), axis=0)
    settings = [Setting.of(game, e, delta, b, rounds=rounds, eta=None if rates is None else h, protect=protect, **given)
                for e, b, h in different.tolist()]
    setting = settings[0]
    if len(found := {each.rounds for each in settings}) > 1:
        check.refuse("epsilon, B", different[:, :2].tolist(), f"their schedules play {sorted(found)} rounds",
                     "Give rounds, or call once for each.")
    _refuse_unread(repair, setting, given | {"rounds": rounds, "eta": eta})
    if repair == "promise":
        promised(game, setting.smallest_cell)
    if setting.rounds * math.prod(axes) * 2 * (setting.K + 1) > MOST:
        check.refuse("size" if size is not None else "rounds", size if size is not None else rounds,
                     f"means {setting.rounds} rounds of {math.prod(axes)} games, too many to keep", "Play fewer rounds or games at once.")
    by_epsilon = {each.epsilon: each for each in settings}
    steps = {e: each.step(repair) for e, each in by_epsilon.items()}
    first = {e: (0.0, 0.0) if repair == "printed" else before_the_rounds(each, repair) for e, each in by_epsilon.items()}
    return PlaySetting(setting, B, np.asarray(setting.learning_rate) if rates is None else rates, axes, repair, _each(epsilon, steps),
                       _each(epsilon, {e: one[0] for e, one in first.items()}), first[setting.epsilon][1])


def _refuse_unread(repair: Variant, setting: Setting, given: dict[str, Any]) -> None:
    """What a play of this setting does not read is not among what was given."""
    def these(*names: str) -> dict[str, Any]:
        return {name: given.get(name) for name in names}
    if setting.rounds == 1:         # all prices of the first round cancel, and what is seen in the last is never used
        once = "a play of rounds=1" + (", which rounds=None means here" if given["rounds"] is None else "")
        added_up = setting.protect != "A" or setting.accounting == "rdp"
        check.unread(once, "a play of more rounds", repair=None if repair in ("frozen", "printed") else repair,
                     accounting=None if added_up else setting.accounting, **these("smallest_cell", "share", "eta"))
    if repair == "promise":
        check.unread("repair='promise'", "repair='frozen' or 'bound'", **these("share"))
    else:
        check.unread(f"repair={repair!r}", "repair='promise'", **these("smallest_cell"))
    if given["rounds"] is not None:
        check.unread(f"a play of rounds={setting.rounds}", "the schedule, which finds them", **these("beta", "log_labelings"))


def _each(epsilon: np.ndarray, found: dict[float, float]) -> np.ndarray:
    """A number of each game, by its epsilon."""
    return np.vectorize(found.__getitem__, otypes=[float])(epsilon)


def refuse_unprinted(game: FairnessGame) -> None:
    """A notion that the paper has not, or a cell too small for its scales."""
    parity = game.parity
    if None in [cell.label for cell in parity.cells] or (parity.against, parity.anchor) != ("anchor", 0):
        check.refuse("game", parity, "is no notion of the printed algorithm",
                     "Compare false or true positive rates with those of group 0, or play dp_oracle_learner.")
    if (smallest := float(game.table.sizes.min())) <= 1:
        check.refuse("game", smallest, "is its smallest cell, and Assumption 3.3 asks for more than one person",
                     "Play dp_oracle_learner: the repairs need no such assumption.")


def refuse_unfit(game: FairnessGame) -> None:
    """A game whose making told of A, of a notion that is not served, or of counts whose sums would be rounded by who is where."""
    if not game.private:
        check.refuse("game", "FairnessGame", "read the number of groups off A, or refuses empty cells; either tells who is in which group",
                     'Make it with n_groups=k and empty="zero" (from_counts: empty="zero"), or play as printed.')
    if game.parity.against == "population":
        check.refuse("game", game.parity, "compares with the population, and how much of it a group is, is private",
                     'Compare with a group, or all pairs: notion=Parity(..., against="pairs").')
    # Of all groups together, which is public. Whether cells are whole may tell who is in which, and so may how their sum is rounded.
    off = 1e-6 + game.n_groups * game.m * 2.0**-52
    if game.table.people is None and any((np.abs(all_ - np.rint(all_)) > off).any() for all_ in (game.table.accepted, game.n.sum(axis=0))):
        check.refuse("game", game, "was made from counts that, of all groups together, are not whole people",
                     "Make it from predictions, which may be probabilities.")


def promised(game: FairnessGame, smallest_cell: float | None) -> float:
    """N as promised; refused where this data set already breaks it, and, without a look at the data, where nothing is promised."""
    if smallest_cell is None:
        check.refuse("smallest_cell", None, "no promise was made", "Give the N below which no cell of any data set falls.")
    smallest_cell = checked_cell(smallest_cell)
    if smallest_cell > float(game.table.sizes.min()):
        check.refuse("smallest_cell", smallest_cell, "a cell of this data set holds fewer people: the promise is broken",
                     "Promise less, or choose repair='frozen', which needs no promise.")
    return smallest_cell
