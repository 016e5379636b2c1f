"""The private players of one play, as they are read beside their boxes: a pair for each repair, without batches and axes.

Making a pair reads and refuses, and releases what is released before the first round; its two moves are a few lines each. The batched
players of ``players`` are the same at the same seed.
"""
from __future__ import annotations

import numpy as np

from .. import _checks as check
from .algorithm_steps import laplace_on_grid, noisy_minimum
from .game import FairnessGame, refuse_no_game
from .players import by_rate, excess_errors, frozen_cells, released_bound
from .private_setting import promised, refuse_unfit, refuse_unprinted
from .sensitivity import Sensitivities, lemma_3_1
from .setting import REPAIRS, Repair, Setting, before_the_rounds, checked_setting

__all__ = ["FrozenPlayers", "PromisePlayers", "BoundPlayers", "private_players", "printed_sensitivities"]


class FrozenPlayers:
    """The two private players of the default repair: the sizes of the cells are released once, then counts are measured over them.

    Source: ours, repairing supplement, Subroutine 4 and the auditor of Algorithm 5. For one play, which protects A: others have
    :func:`dp_oracle_learner`. Making them releases the sizes, for ``setting.share`` of epsilon.

    Parameters
    ----------
    game : FairnessGame
        As for :func:`dp_oracle_learner`.
    setting : Setting
        Of this game: ``Setting.of(game, ...)``.
    rng : numpy.random.Generator

    Attributes
    ----------
    game : FairnessGame
        In whole people.
    sizes : (k, R) array
        As released, of the people below each fraction line.
    epsilon_step : float
        epsilon' of each move.
    counts, totals : (H, k, R) and (H, R) arrays
        People above each fraction line, private; and of all groups together, public.
    errors : (H,) array
        err(h), above the smallest.

    Raises
    ------
    ValueError
        A game whose making told of A; a setting of another game, or one that protects more than A; a delta not above what noise in doubles
        gives away.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1, n_groups=2, empty="zero")
    >>> rng = np.random.default_rng(0)
    >>> both = FrozenPlayers(game, Setting.of(game, 1.0, 1e-6, B=1.0, rounds=2), rng)
    >>> both.best_response(np.array([.5, 0, 0, 0]), rng) in (0, 1), both.constraint_values(1, rng).shape
    (True, (4,))
    """

    def __init__(self, game: FairnessGame, setting: Setting, rng: np.random.Generator) -> None:
        self.game = _read(game, setting, rng)
        self.epsilon_step = setting.epsilon_step
        self.counts, self.totals, self.errors = self.game.table.above, self.game.table.totals, excess_errors(self.game)
        self.sizes = np.ones(self.counts.shape[1:])         # one round asks nothing private, and needs none
        if setting.gradients:
            cells, _ = frozen_cells(self.game, np.asarray(setting.epsilon_sizes), (), rng)
            self.sizes = by_rate(self.game.parity, cells)

    def best_response(self, lam: np.ndarray, rng: np.random.Generator) -> int:
        """Subroutine 4: the exponential mechanism on L(h, lambda), over the frozen sizes.

        Parameters
        ----------
        lam : (K,) array
        rng : numpy.random.Generator

        Returns
        -------
        int
            The classifier.
        """
        price = self.game.prices(lam) / self.sizes  # of one counted person, (k, R)
        counts = self.counts.reshape(len(self.counts), -1)
        loss = self.errors + price.ravel() @ counts.T
        spread = np.ptp(price, axis=0).max()        # one changed A: another price
        return noisy_minimum(loss, spread / self.epsilon_step, rng)

    def constraint_values(self, h: int, rng: np.random.Generator) -> np.ndarray:
        """What the auditor measures: r(h) from noisy counts, over the frozen sizes.

        Parameters
        ----------
        h : int
        rng : numpy.random.Generator

        Returns
        -------
        (K,) array
        """
        counts = self.counts[h]
        if len(counts) == 2:            # one count: the other is the public rest
            one = laplace_on_grid(counts[1], 1 / self.epsilon_step, rng)
            counts = np.stack([self.totals[h] - one, one])
        else:                           # one changed A moves two counts by 1
            counts = laplace_on_grid(counts, 2 / self.epsilon_step, rng)
        gaps = self.game.parity.differences(counts / self.sizes)
        return self.game.constraints_of(gaps)


class PromisePlayers:
    """The two private players after a promise: no cell of either neighbour holds fewer than N people, so a rate moves by 1/(N+1).

    Source: ours, repairing supplement, Subroutine 4 and the auditor of Algorithm 5. For one play, which protects A.

    Parameters
    ----------
    game, setting, rng : as in :class:`FrozenPlayers`
        ``setting.smallest_cell`` is N.

    Attributes
    ----------
    game, epsilon_step, errors
        As in :class:`FrozenPlayers`.
    N : float
        As promised.
    rates : (H, k, R) array
        Private.

    Raises
    ------
    ValueError
        As :class:`FrozenPlayers`; no promise, or one that this data set breaks.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1, n_groups=2, empty="zero")
    >>> rng = np.random.default_rng(0)
    >>> PromisePlayers(game, Setting.of(game, 1.0, 1e-6, B=1.0, rounds=2, smallest_cell=1), rng).N
    1.0
    """

    def __init__(self, game: FairnessGame, setting: Setting, rng: np.random.Generator) -> None:
        self.game = _read(game, setting, rng)
        self.rates, self.errors = self.game.table.compared, excess_errors(self.game)
        self.epsilon_step, self.N = self._bound(setting, rng)

    def _bound(self, setting: Setting, rng: np.random.Generator) -> tuple[float, float]:
        """epsilon' and N."""
        return setting.step("promise"), promised(self.game, setting.smallest_cell)

    def best_response(self, lam: np.ndarray, rng: np.random.Generator) -> int:
        """Subroutine 4: the exponential mechanism on L(h, lambda), whose change is that of two rates.

        Parameters
        ----------
        lam : (K,) array
        rng : numpy.random.Generator

        Returns
        -------
        int
            The classifier.
        """
        price = self.game.prices(lam)           # of each rate, (k, R)
        rates = self.rates.reshape(len(self.rates), -1)
        loss = self.errors + price.ravel() @ rates.T
        largest = np.sort(np.abs(price), axis=0)
        moves = (largest[-1] + largest[-2]).max() / (self.N + 1)
        return noisy_minimum(loss, 2 * moves / self.epsilon_step, rng)

    def constraint_values(self, h: int, rng: np.random.Generator) -> np.ndarray:
        """What the auditor measures: r(h) from noisy rates, of two groups from the gaps.

        Parameters
        ----------
        h : int
        rng : numpy.random.Generator

        Returns
        -------
        (K,) array
        """
        # Two rates move by 1/(N+1), or one gap by both.
        scale = 2 / (self.N + 1) / self.epsilon_step
        if self.game.n_groups == 2:
            gaps = laplace_on_grid(self.game.gaps[h], scale, rng)
        else:
            rates = laplace_on_grid(self.rates[h], scale, rng)
            gaps = self.game.parity.differences(rates)
        return self.game.constraints_of(gaps)


class BoundPlayers(PromisePlayers):
    """The same two players with an N that is released: a lower bound on the smallest cell, for ``setting.share`` of epsilon, half of delta.

    Source: ours.

    Parameters
    ----------
    game, setting, rng : as in :class:`FrozenPlayers`

    Attributes
    ----------
    N : float
        As released.

    Raises
    ------
    ValueError
        As :class:`FrozenPlayers`.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1, n_groups=2, empty="zero")
    >>> rng = np.random.default_rng(0)
    >>> BoundPlayers(game, Setting.of(game, 1.0, 1e-6, B=1.0, rounds=2), rng).N
    0.0
    """

    def _bound(self, setting: Setting, rng: np.random.Generator) -> tuple[float, float]:
        step, (epsilon, delta) = setting.step("bound"), before_the_rounds(setting, "bound")
        if not epsilon:                                         # one round asks nothing private
            return step, 0.0
        return step, float(released_bound(float(self.game.table.sizes.min()), np.asarray(epsilon), delta, (), rng))


def private_players(game: FairnessGame, setting: Setting, rng: np.random.Generator,
                    repair: Repair = "frozen") -> FrozenPlayers | PromisePlayers:
    """The two private players of a repair, for one play.

    Source: ours.

    Parameters
    ----------
    game, setting, rng : as in :class:`FrozenPlayers`
    repair : str
        "frozen": :class:`FrozenPlayers`. "bound": :class:`BoundPlayers`. "promise": :class:`PromisePlayers`. One round, in which nothing
        private is read, has nothing to repair, and refuses the last two.

    Returns
    -------
    FrozenPlayers, BoundPlayers or PromisePlayers

    Raises
    ------
    ValueError
        As the class of the players; a repair that a play of one round does not read.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1, n_groups=2, empty="zero")
    >>> type(private_players(game, Setting.of(game, 1.0, 1e-6, B=1.0, rounds=2), np.random.default_rng(0))).__name__
    'FrozenPlayers'
    """
    kinds: dict[Repair, type[FrozenPlayers] | type[PromisePlayers]] = {
        "frozen": FrozenPlayers, "bound": BoundPlayers, "promise": PromisePlayers}
    kind = kinds[check.choice("repair", repair, REPAIRS)]
    if checked_setting(setting).rounds == 1:
        check.unread("a play of rounds=1", "a play of more rounds", repair=None if repair == "frozen" else repair)
    return kind(game, setting, rng)


def printed_sensitivities(game: FairnessGame, setting: Setting) -> Sensitivities:
    """The sensitivities of Lemma 3.1 as printed, at the smallest cell of the private data.

    Source: supplement, Lemma 3.1. They are private numbers themselves: a play whose noise they scale is not private.

    Parameters
    ----------
    game : FairnessGame
        Equalized odds, or one of its rates, against group 0; more than one person in each cell (Assumption 3.3).
    setting : Setting
        Of this game: ``Setting.of(game, ...)``.

    Returns
    -------
    Sensitivities
        ``auditor``, ``learner``, ``rates``.

    Raises
    ------
    ValueError
        Another notion, a cell of one person; a setting of another game, or one that protects more than A.

    Examples
    --------
    >>> game = FairnessGame([[0] * 12, [1] * 12], A=[0, 0, 0, 1, 1, 1] * 2, Y=[1] * 6 + [0] * 6, gamma=.1)
    >>> printed_sensitivities(game, Setting.of(game, 1.0, 1e-6, B=1.0, rounds=2))
    Sensitivities(auditor=2.0, learner=2.5, rates=1.0)
    """
    if not isinstance(game, FairnessGame):
        refuse_no_game(game)
    _fits(game, setting)
    refuse_unprinted(game)
    return lemma_3_1(float(game.table.sizes.min()), setting.n_groups, setting.B, as_printed=True)


def _read(game: FairnessGame, setting: Setting, rng: np.random.Generator) -> FairnessGame:
    """The game in whole people, if what was given can be played by these players."""
    if not isinstance(game, FairnessGame):
        refuse_no_game(game)
    refuse_unfit(game)
    _fits(game, setting)
    check.rng(rng)
    return game if game.table.people is not None else FairnessGame._made_of(game.table.in_whole_people(), game.gamma)


def _fits(game: FairnessGame, setting: Setting) -> None:
    """The setting is of this game, whose people, groups and classifiers its steps are made for; and it protects A alone."""
    checked_setting(setting)
    for name, theirs, own in (("n_groups", setting.n_groups, game.n_groups), ("constraints", setting.parity, game.parity),
                              ("m", setting.m, game.m), ("n_classifiers", setting.n_classifiers, game.n_classifiers)):
        if theirs != own:
            check.refuse("setting", theirs, f"is its {name}, and the game's is {check.shown(own)}",
                         "Make it with games.Setting.of(game, epsilon, delta, B).")
    if setting.protect != "A":
        check.refuse("setting", setting.protect, "is what it protects, and these players protect A alone",
                     "Play dp_oracle_learner, or protect 'A'.")
