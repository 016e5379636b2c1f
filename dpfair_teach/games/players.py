"""The private players of Algorithm 5: a pair for each way to know how large the cells are. Each holds the two mechanisms that it asks.

They are handed the game, take its table of counts, and hold nothing of anybody alone.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import tqdm
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import both_signs, signed
from ..mechanisms import UNIT_A, Measurement, Name, Release
from ..oracles.private import charged
from .game import FairnessGame, checked_game
from .play import PrivatePlay
from .sensitivity import Sensitivities, lemma_3_1
from .setting import CELL_SIZES, CellSizes, Setting, before_the_rounds, checked_cell, checked_setting

__all__ = ["FrozenPlayers", "PromisePlayers", "private_players", "printed_sensitivities"]


class _Players:
    """What every pair has: the game of the table in whole people, and the measurements of the two, ``choose`` and ``measure``; ``kind`` is
    its word. ``axes`` are the repeats and the batch, the leading axes of all that is asked and answered, which is not checked again.
    """

    choose: Measurement
    measure: Measurement

    def __init__(self, game: FairnessGame, setting: Setting, rng: np.random.Generator, size: int | tuple[int, ...] | None = None,
                 progress: bool = False) -> None:
        game = FairnessGame._made_of(checked_game(game).table, game.gamma)      # of the counts, and not of the people
        _refuse_unfit(game)
        _refuse_another_game(game, setting)
        check.rng(rng)
        self.axes = check.size(size, game.gamma.shape) + game.gamma.shape
        self.setting, self.progress = setting, check.flag("progress", progress)
        self.game = FairnessGame._made_of(game.table.in_whole_people(), game.gamma)
        self.errors, self.gaps_of = excess_errors(self.game), game.parity.differences_for(game.n_groups)
        self.first: tuple[Release, ...] = ()
        self._begin(rng)

    def _begin(self, rng: np.random.Generator) -> None:
        """Release what is released before the rounds, and make the two mechanisms."""
        raise NotImplementedError

    @property
    def rounds(self) -> tqdm.tqdm:
        """0 to T - 1, with a bar where there is to be one."""
        return tqdm.trange(self.setting.rounds, disable=not self.progress)

    def prices(self, lam: np.ndarray) -> np.ndarray:
        """The price of a unit of each rate, (..., k, R): to 40 digits of the largest, and 0 where all are below 1e-200."""
        return self.game.parity.prices_of_rates(charged(signed(lam)), self.game.n_groups)

    def constraints_of(self, gaps: np.ndarray) -> np.ndarray:
        """Gaps as constraint values, (..., K)."""
        values = both_signs(gaps)
        if values.shape[:-1] != self.axes:
            check.refuse("h", values.shape[:-1], f"is not the games' shape {self.axes}, and a record stands for one answer",
                         "Measure one classifier of each game.")
        return values - self.game.gamma[..., None]

    def _asked(self, mechanism: Name, sensitivity: ArrayLike, epsilon: float, **options: Any) -> Measurement:
        """A mechanism that answers for each game."""
        alone = self.setting.protect == "A"
        return Measurement(mechanism, UNIT_A if alone else "one person's X and A change, Y public", sensitivity=sensitivity,
                           epsilon=np.full(self.axes, epsilon), relation=None if alone else "replace one X and A", **options)

    def published(self, lam: np.ndarray, h: np.ndarray, r: np.ndarray) -> PrivatePlay:
        """The moves of all rounds, with what was released before them and the records of all that was released."""
        return PrivatePlay.of(self.game, self.setting, lam, h, r, releases=self.first + self.choose.releases + self.measure.releases,
                              **self._before())

    def _before(self) -> dict[str, Any]:
        """The step, and what is published of the cells."""
        raise NotImplementedError


class FrozenPlayers(_Players):
    """The players of ``cell_sizes="noisy"``: the sizes of the cells are released once, then people are counted over them.

    Source: ours, repairing supplement, Subroutine 4 and the auditor of Algorithm 5. Making them releases the sizes, for
    ``setting.budget_fraction`` of epsilon. One changed A takes 1 from a group's count and adds 1 to another's; of two groups it is enough
    to measure one, as both together are public where X and Y are.

    Parameters
    ----------
    game : FairnessGame
        As for :func:`dp_oracle_learner`.
    setting : Setting
        Of this game: ``Setting.of(game, ...)``.
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent repeats: leading axes "..." of all below, in front of those of the game's gamma.
    progress : bool
        Whether ``rounds`` shows a bar.

    Attributes
    ----------
    game : FairnessGame
        In whole people; ``errors`` (H,) are err(h), above the smallest.
    sizes : (..., k, R) array
        As released, of the people below each fraction line.
    counts, totals : (H, k, R) and (H, R) arrays
        People above each fraction line, private; and of all groups together.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1, n_groups=2, empty="zero")
    >>> rng = np.random.default_rng(0)
    >>> both = FrozenPlayers(game, Setting.of(game, 1.0, 1e-6, B=1.0, rounds=2), rng)
    >>> both.best_response(np.array([.5, 0, 0, 0]), rng) in (0, 1), both.constraint_values(1, rng).shape
    (True, (4,))
    """

    def _begin(self, rng: np.random.Generator) -> None:
        self.cells: np.ndarray | None = None
        sizes = np.ones(self.game.table.sizes.shape)        # one round asks nothing private, and needs none
        if self.setting.gradients:
            self.cells, self.first = release_sizes(self.game, self.setting.epsilon_sizes, self.axes, rng, self._asked)
            sizes = by_rate(self.game.parity, self.cells)
        self._over(sizes, self.setting.epsilon_step)

    def _over(self, sizes: np.ndarray, step: float) -> None:
        """The two mechanisms over these sizes, with epsilon' = ``step``."""
        alone = self.setting.protect == "A"
        self.counts, self.totals, self.sizes = self.game.table.above, self.game.table.totals, sizes
        self.one_count = self.game.n_groups == 2 and alone
        self.choose = self._asked("exponential", 0.5 if alone else 1.0, step)
        self.measure = self._asked("laplace", 1.0 if self.one_count else 2.0, step)

    def spread(self, price: np.ndarray) -> np.ndarray:
        """How far one person moves the losses, at these prices of one counted person: apart from each other; with X too, each of them."""
        if self.setting.protect == "A":             # one changed A: another price
            return np.ptp(price, axis=-2).max(axis=-1)
        # Who is accepted at (1, 0) errs, who is counted at (1, 1) or (0, 0) no longer does; a label that no rate asks about errs alone.
        cells, m = self.game.parity.cells, self.game.m
        each = [price[..., r] + (1.0 if cell == (1, 0) else -1.0) / m for r, found in enumerate(cells) for cell in found.above]
        least = 0.0 if {y for found in cells for _, y in found.above} == {0, 1} else 1 / m
        return np.maximum(np.abs(np.stack(each, axis=-1)).max(axis=(-2, -1)), least)

    def best_response(self, lam: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Subroutine 4: the exponential mechanism on L(h, lambda), over the frozen sizes; (...) classifiers for (..., K) multipliers."""
        price = self.prices(lam) / self.sizes       # of one person, (..., k, R)
        counts = self.counts.reshape(len(self.counts), -1)
        loss = self.errors + price.reshape(*price.shape[:-2], -1) @ counts.T
        return self.choose.invoke(loss, rng, units=self.spread(price))

    def constraint_values(self, h: ArrayLike, rng: np.random.Generator) -> np.ndarray:
        """What the auditor measures, (..., K): r(h) from noisy counts, over the frozen sizes."""
        counts = self.counts[h]         # (..., k, R)
        if self.one_count:              # the other is the public rest
            one = self.measure.invoke(counts[..., 1, :], rng)
            counts = np.stack([self.totals[h] - one, one], axis=-2)
        else:                           # one person moves two counts by 1
            counts = self.measure.invoke(counts, rng)
        return self.constraints_of(self.gaps_of(counts / self.sizes))

    def _before(self) -> dict[str, Any]:
        return dict(epsilon_step=self.setting.epsilon_step, denominators=self.cells, smallest_cell=None)


class PromisePlayers(_Players):
    """The players of ``cell_sizes="public_lower_bound"``: no cell of either neighbour holds fewer than N people, a rate moves by 1/(N+1).

    Source: ours, repairing supplement, Subroutine 4 and the auditor of Algorithm 5. One changed A moves two rates, of two groups: a cell
    that loses or wins one person has at least N + 1 before or after. Who stays and is decided about otherwise moves one by at most 1/N.

    Parameters
    ----------
    game, setting, rng, size, progress : as in :class:`FrozenPlayers`
        ``setting.smallest_cell`` is N.

    Attributes
    ----------
    game, errors
        As in :class:`FrozenPlayers`; ``kind`` is the word of ``cell_sizes``, ``N`` the promise, ``rates`` (H, k, R) are private.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1, n_groups=2, empty="zero")
    >>> rng = np.random.default_rng(0)
    >>> PromisePlayers(game, Setting.of(game, 1.0, 1e-6, B=1.0, rounds=2, smallest_cell=1), rng).N
    1.0
    """

    kind: CellSizes = "public_lower_bound"

    def _begin(self, rng: np.random.Generator) -> None:
        N, self.first = self._bound(rng)
        self._over(N, self.setting.step(self.kind))

    def _over(self, N: Any, step: float) -> None:
        """The two mechanisms with this N, and epsilon' = ``step``."""
        self.N, self.rates = N, self.game.table.compared
        self.choose = self._asked("exponential", 1.0, step)
        self.measure = self._asked("laplace", np.broadcast_to(2 / (np.asarray(N) + 1), self.axes), step)

    def _bound(self, rng: np.random.Generator) -> tuple[Any, tuple[Release, ...]]:
        """N, and what was released for it."""
        return promised(self.game, self.setting.smallest_cell), ()

    def moves(self, price: np.ndarray) -> np.ndarray:
        """The most that one classifier's loss moves, at these prices of each rate."""
        largest = np.sort(np.abs(price), axis=-2)
        moves = (largest[..., -1, :] + largest[..., -2, :]).max(axis=-1) / (self.N + 1)
        if self.setting.protect == "A":
            return moves
        return np.maximum(moves, largest[..., -1, :].max(axis=-1) / np.maximum(self.N, 1.0)) + 1 / self.game.m

    def best_response(self, lam: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Subroutine 4: the exponential mechanism on L(h, lambda), whose change is that of two rates."""
        price = self.prices(lam)                # of each rate, (..., k, R)
        rates = self.rates.reshape(len(self.rates), -1)
        loss = self.errors + price.reshape(*price.shape[:-2], -1) @ rates.T
        return self.choose.invoke(loss, rng, units=self.moves(price))

    def constraint_values(self, h: ArrayLike, rng: np.random.Generator) -> np.ndarray:
        """What the auditor measures, (..., K): r(h) from noisy rates, of two groups from the gaps."""
        # Two rates move by 1/(N+1), or one gap by both.
        if self.game.n_groups == 2:
            gaps = self.measure.invoke(self.game.gaps[h], rng)
        else:
            rates = self.measure.invoke(self.rates[h], rng)
            gaps = self.gaps_of(rates)
        return self.constraints_of(gaps)

    def _before(self) -> dict[str, Any]:
        return dict(epsilon_step=self.setting.step(self.kind), denominators=None, smallest_cell=self.N)


class BoundPlayers(PromisePlayers):
    """The players of ``cell_sizes="noisy_lower_bound"``: an N that is released, for ``setting.budget_fraction`` of epsilon, half of delta.

    Source: ours.
    """

    kind = "noisy_lower_bound"

    def _bound(self, rng: np.random.Generator) -> tuple[Any, tuple[Release, ...]]:
        epsilon, delta = before_the_rounds(self.setting, self.kind)
        if not epsilon:                                         # one round asks nothing private
            return np.zeros(self.axes), ()
        return released_bound(float(self.game.table.sizes.min()), epsilon, delta, self.axes, rng, self._asked)


def private_players(game: FairnessGame, setting: Setting, rng: np.random.Generator, cell_sizes: CellSizes = "noisy",
                    size: int | tuple[int, ...] | None = None, progress: bool = False) -> FrozenPlayers | PromisePlayers:
    """The two private players, by what is known of the sizes of the cells; the arguments are those of :class:`FrozenPlayers`.

    "noisy": :class:`FrozenPlayers`. "public_lower_bound": :class:`PromisePlayers`. "noisy_lower_bound": the latter with an N that is
    released. One round, in which nothing private is read, needs no sizes, and refuses the last two.
    """
    kinds: dict[CellSizes, type[FrozenPlayers] | type[PromisePlayers]] = {
        "noisy": FrozenPlayers, "noisy_lower_bound": BoundPlayers, "public_lower_bound": PromisePlayers}
    kind = kinds[check.choice("cell_sizes", cell_sizes, CELL_SIZES)]
    if checked_setting(setting).rounds == 1:
        check.unread("a play of rounds=1", "a play of more rounds", cell_sizes=None if cell_sizes == "noisy" else cell_sizes)
    return kind(game, setting, rng, size, progress)


def printed_sensitivities(game: FairnessGame, setting: Setting) -> Sensitivities:
    """The sensitivities of Lemma 3.1 as printed, at the smallest cell of the private data, of which no mechanism was asked.

    They are private numbers themselves: a play whose noise they scale is not private. For equalized odds, or one of its rates, against
    group 0, and more than one person in each cell (Assumption 3.3).
    """
    _refuse_another_game(game, setting)
    parity, smallest = game.parity, float(game.table.sizes.min())
    if setting.protect != "A":
        check.refuse("setting", setting.protect, "is what it protects, and as printed it is A alone", 'Protect "A".')
    if None in [cell.label for cell in parity.cells] or (parity.against, parity.anchor) != ("anchor", 0):
        check.refuse("game", parity, "is no notion of the printed algorithm",
                     "Compare false or true positive rates with those of group 0, or play dp_oracle_learner.")
    if smallest <= 1:
        check.refuse("game", smallest, "is its smallest cell, and Assumption 3.3 asks for more than one person",
                     "Play dp_oracle_learner, which needs no such assumption.")
    return lemma_3_1(smallest, setting.n_groups, setting.B, as_printed=True)


# ------------------------------------------------------------------------------------------- what is released before the rounds

def release_sizes(game: FairnessGame, epsilon: float, axes: tuple[int, ...], rng: np.random.Generator,
                  asked: Any) -> tuple[np.ndarray, tuple[Release, ...]]:
    """Sizes of the cells (..., k, 2), in whole people, at least 1, and their record; ``asked`` makes the mechanism.

    With two groups one count for each label is enough: the label's total is public. A cell that no constraint asks about is not released,
    and reads NaN. Of a rate of all people, whatever their label, the groups are the cells: (..., k, 1).
    """
    sizes = game.table.sizes
    if game.n_groups == 2:
        noise, total = asked("laplace", 1.0, epsilon, grid=1.0), sizes.sum(axis=0)
        one = np.clip(noise.invoke(np.broadcast_to(sizes[1], axes + total.shape), rng), 1.0, np.maximum(total - 1, 1.0))
        found = np.stack([np.maximum(total - one, 1.0), one], axis=-2)
    else:
        noise = asked("laplace", 2.0, epsilon, grid=1.0)
        found = np.maximum(noise.invoke(np.broadcast_to(sizes, axes + sizes.shape), rng), 1.0)
    return by_label(game.parity, found), noise.releases


def released_bound(n: float, epsilon: float, delta: float, axes: tuple[int, ...], rng: np.random.Generator,
                   asked: Any) -> tuple[np.ndarray, tuple[Release, ...]]:
    """N >= 0, with probability at least 1 - delta below the smallest cell n, which one person's A moves by at most 1; and its record.

    N = 0 asks nothing of the data: a rate of an empty cell, whatever in [0, 1] it is taken for, moves by at most 1 = 1/(0+1). In whole
    people: noise that is rounded to at least j is at least j - 1/2.
    """
    noise = asked("laplace", 1.0, epsilon, grid=1.0, delta=delta)
    return np.maximum(noise.invoke(np.full(axes, n), rng) - bound_is_below(epsilon, delta), 0.0), noise.releases


def bound_is_below(epsilon: Any, delta: float) -> Any:
    """How far, but for its noise, the released bound is below the smallest cell."""
    return np.ceil(0.5 - np.log(2 * delta) / epsilon)


def promised(game: FairnessGame, smallest_cell: float | None) -> float:
    """N as promised; refused where this data set already breaks it, and, without a look at the data, where nothing is promised."""
    if smallest_cell is None:
        check.refuse("smallest_cell", None, "no promise was made", "Give the N below which no cell of any data set falls.")
    smallest_cell = checked_cell(smallest_cell)
    if smallest_cell > float(game.table.sizes.min()):
        check.refuse("smallest_cell", smallest_cell, "a cell of this data set holds fewer people: the promise is broken",
                     'Promise less, or choose cell_sizes="noisy", which needs no promise.')
    return smallest_cell


# ------------------------------------------------------------------------------------------------------------------- the game

def excess_errors(game: FairnessGame) -> np.ndarray:
    """(H,) errors above the least one: the part of the losses that holds no price.

    A constant changes no choice, but prices and their noise may be far smaller than the digits of an error (chapter 11, "small prices").
    """
    return game.errors - game.errors.min()


def by_rate(parity: Parity, cells: np.ndarray) -> np.ndarray:
    """Sizes of cells as they are published, (..., k, 2) [a, y] or, of a rate of all people, (..., k, 1): of each rate, (..., k, R)."""
    labels: list[Any] = [cell.label for cell in parity.cells]
    return cells[..., :1] if None in labels else cells[..., labels]


def by_label(parity: Parity, sizes: np.ndarray) -> np.ndarray:
    """From rates back to [a, y], (..., k, 2); NaN where no constraint asks."""
    labels: list[Any] = [cell.label for cell in parity.cells]
    if None in labels:
        return sizes
    cells = np.full(sizes.shape[:-1] + (2,), np.nan)
    cells[..., labels] = sizes
    return cells


def _refuse_another_game(game: FairnessGame, setting: Setting) -> None:
    """The setting is of this game, whose people, groups and classifiers its steps are made for."""
    checked_game(game)
    checked_setting(setting)
    for name, theirs, own in (("n_groups", setting.n_groups, game.n_groups), ("constraints", setting.parity, game.parity),
                              ("m", setting.m, game.m), ("n_classifiers", setting.n_classifiers, game.n_classifiers)):
        if theirs != own:
            check.refuse("setting", theirs, f"is its {name}, and the game's is {check.shown(own)}",
                         "Make it with games.Setting.of(game, epsilon, delta, B).")


def _refuse_unfit(game: FairnessGame) -> None:
    """A game whose making told of A, of a notion that is not served, or of counts whose sums would be rounded by who is where."""
    if not game.private:
        check.refuse("game", "FairnessGame", "read the number of groups off A, or refuses empty cells; either tells who is in which group",
                     'Make it with n_groups=k and empty="zero" (from_counts: empty="zero"), or play as printed.')
    if game.parity.against == "population":
        check.refuse("game", game.parity, "compares with the population, and how much of it a group is, is private",
                     'Compare with a group, or all pairs: notion=Parity(..., against="pairs").')
    # Of all groups together, which is public. Whether cells are whole may tell who is in which, and so may how their sum is rounded.
    off = 1e-6 + game.n_groups * game.m * 2.0**-52
    if not game.table.of_people and any((np.abs(all_ - np.rint(all_)) > off).any() for all_ in (game.table.accepted, game.n.sum(axis=0))):
        check.refuse("game", game, "was made from counts that, of all groups together, are not whole people",
                     "Make it from predictions, which may be probabilities.")
