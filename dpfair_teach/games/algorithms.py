"""Algorithms 3 and 5, each on one screen, and the functions that find their arguments.

A screen plays many games at once: repeats and a batch of gammas are leading axes "..." of theta, lambda and h, and one game has none. It
checks nothing: what it calls refuses its own arguments.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms import UNIT_A, Measurement, Release
from .auditor import bound_on_multipliers, hedge, hedge_rate
from .game import FairnessGame, checked_game
from .play import IN_ONE_GO, MOST, Play, PrivatePlay
from .players import printed_sensitivities, private_players
from .programs import plain
from .sensitivity import Guarded
from .setting import CELL_SIZES, CellSizes, Setting

__all__ = ["start_play", "algorithm_3", "algorithm_5", "algorithm_5_as_printed", "exponentiated_gradient", "dp_oracle_learner",
           "dp_oracle_learner_as_printed"]

FROM_SCHEDULE = "Say rounds: games.schedule tells how many."


def start_play(game: FairnessGame, B: ArrayLike, eta: ArrayLike, rounds: int,
               size: int | tuple[int, ...] | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where a play starts: theta_1 = 0, and room for what both players will play.

    Source: supplement, Algorithms 3 and 5, first line.

    Parameters
    ----------
    game, B, eta, rounds : as in :func:`algorithm_3`
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.

    Returns
    -------
    theta, lam, h : arrays of 0, (..., K), (T, ..., K) and, of ints, (T, ...)

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1)
    >>> theta, lam, h = start_play(game, B=5, eta=.1, rounds=3)
    >>> theta, lam.shape, h
    (array([0., 0., 0., 0.]), (3, 4), array([0, 0, 0]))
    """
    checked_game(game)
    axes = check.broadcast("B", bound_on_multipliers(B).shape, "gamma", game.gamma.shape, "Give one B for each gamma.")
    eta = check.filled("eta", np.atleast_1d(check.array("eta", eta, low=1e-12, high=1e9, booleans=False)), "step").reshape(np.shape(eta))
    axes = check.broadcast("eta", eta.shape, "B and gamma", axes, "Give one eta, or one for each game.")
    axes = check.size(size, axes) + axes
    K, T = game.n_constraints, check.integer("rounds", rounds, low=1, high=10**8)
    if T * math.prod(axes) * (K + 1) > MOST:
        check.refuse("rounds" if size is None else "size", rounds if size is None else size,
                     f"means {T} rounds of {math.prod(axes)} games, too many to keep", "Play fewer rounds or games at once.")
    return np.zeros((*axes, K)), np.zeros((T, *axes, K)), np.zeros((T, *axes), dtype=np.int64)


def algorithm_3(
    game: FairnessGame, B: ArrayLike, eta: ArrayLike, rounds: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 3, exponentiated gradient: T rounds of exponential weights against best answers. Not private.

    Source: supplement, Algorithm 3 (Agarwal et al. 2018). :func:`exponentiated_gradient` runs it.

    Parameters
    ----------
    game : FairnessGame
    B : float in (0, 1e9], or array that broadcasts with the game's gamma
    eta : float in [1e-12, 1e9], or array like B
    rounds : int in 1..10^8
        T.

    Returns
    -------
    lam : (T, ..., K) array
        The auditor's multipliers in each round.
    h : (T, ...) array of ints
        The learner's answers.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1)
    >>> lam, h = algorithm_3(game, B=5, eta=.1, rounds=400)
    >>> lam.shape, h.shape
    ((400, 4), (400,))
    """
    theta, lam, h = start_play(game, B, eta, rounds)
    for t in range(rounds):
        lam[t] = hedge(theta, B)
        h[t] = game.best_response(lam[t])               # Subroutine 2
        r = game.constraints_of(game.gaps[h[t]])
        theta = theta + np.expand_dims(eta, -1) * r
    return lam, h                   # Q~ and lambda~ are their averages


def algorithm_5(
        game: FairnessGame, setting: Setting, rng: np.random.Generator,
        cell_sizes: CellSizes = "noisy",
        size: int | tuple[int, ...] | None = None,
        progress: bool = False) -> PrivatePlay:
    """Algorithm 5, DP-oracle-learner, repaired: the play of Algorithm 3 with a private learner and a private auditor.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3), repaired. What is returned may be published: it is
    (epsilon, delta)-private where one person's A changes and X and Y are public. :func:`dp_oracle_learner` runs it.

    Parameters
    ----------
    game : FairnessGame
        As for :func:`dp_oracle_learner`.
    setting : Setting
        ``Setting.of(game, ...)``: T, epsilon', eta and B.
    rng, cell_sizes, size, progress : as in :func:`dp_oracle_learner`

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, A = rng.random(400), rng.integers(0, 2, 400)
    >>> Y = (x + .3 * A + .3 * rng.normal(size=400) > .6).astype(int)
    >>> game = FairnessGame([x > t for t in np.linspace(0, 1, 11)], A, Y, gamma=.05, n_groups=2, empty="zero")
    >>> play = algorithm_5(game, Setting.of(game, epsilon=2.0, delta=1e-6, B=5, rounds=20), rng)
    >>> play.Q.shape, play.lam.shape
    ((11,), (4,))
    """
    # Releases noisy sizes.
    both = private_players(game, setting, rng, cell_sizes, size, progress)
    T, B, eta = setting.rounds, setting.B, setting.learning_rate
    theta, lam, h = start_play(game, B, eta, T, size)
    r = np.zeros_like(lam)
    for t in both.rounds:
        lam[t] = hedge(theta, B)
        h[t] = both.best_response(lam[t], rng)      # Subroutine 4, with epsilon'
        if t < T - 1:                               # the last is never used
            r[t] = both.constraint_values(h[t], rng)    # r(h) + W, epsilon'
            theta = theta + eta * r[t]
    return both.published(lam, h, r[:-1])


def algorithm_5_as_printed(
    game: FairnessGame, setting: Setting, rng: np.random.Generator,
    size: int | tuple[int, ...] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[Release, ...]]:
    """Algorithm 5 as it is printed, which is **not** (epsilon, delta)-private: the smallest cell of the private data scales its noise.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3). What fails: a neighbour's smallest cell may be another, and
    then the size of the noise alone tells the two apart, see :func:`printed_noise_delta`. :func:`dp_oracle_learner_as_printed` runs it.

    Parameters
    ----------
    game : FairnessGame
        Equalized odds, or one of its rates, against group 0; more than one person in each cell (Assumption 3.3).
    setting, rng, size : as in :func:`algorithm_5`

    Returns
    -------
    lam, h : as in :func:`algorithm_3`
    r : (T, ..., K) array
        What the auditor saw.
    releases : tuple of accounting.Release
        What the paper claims. The claim is false.

    Examples
    --------
    >>> game = FairnessGame([[0] * 12, [1] * 12], A=[0, 0, 0, 1, 1, 1] * 2, Y=[1] * 6 + [0] * 6, gamma=.1)
    >>> lam, h, r, _ = algorithm_5_as_printed(game, Setting.of(game, 1.0, 1e-6, B=1.0, rounds=2), np.random.default_rng(0))
    >>> lam.shape, h.shape, r.shape
    ((2, 4), (2,), (2, 4))
    """
    # Lemma 3.1, of the private data: this is what fails.
    delta = printed_sensitivities(game, setting)
    T, B, eta = setting.rounds, setting.B, setting.learning_rate
    theta, lam, h = start_play(game, B, eta, T, size)
    r, epsilon = np.zeros_like(lam), np.full(h.shape[1:], setting.step("printed"))
    choose = Measurement("exponential", UNIT_A,
                         sensitivity=delta.learner, epsilon=epsilon)
    measure = Measurement("laplace", UNIT_A, grid=0,
                          sensitivity=delta.auditor, epsilon=epsilon)
    for t in range(T):
        lam[t] = hedge(theta, B)
        h[t] = choose.invoke(game.losses(lam[t]), rng)      # Subroutine 4
        r[t] = measure.invoke(game.constraints_of(game.gaps[h[t]]), rng)
        theta = theta + eta * r[t]
    return lam, h, r, choose.releases + measure.releases


# ------------------------------------------------------------------------------------------- the same, with arguments that are found

@check.formerly(nu="Say rounds=agarwal_theorem_1(nu, K, B).rounds.", checkpoint=IN_ONE_GO, callback=IN_ONE_GO,
                progress="It takes seconds.", every=IN_ONE_GO)
def exponentiated_gradient(game: FairnessGame, B: ArrayLike, *, eta: ArrayLike | None = None, rounds: int,
                           as_printed: bool = False) -> Play:
    """Algorithm 3: T rounds of exponential weights against best answers; the averages approach the equilibrium.

    Source: supplement, Algorithm 3 (Agarwal et al. 2018): :func:`algorithm_3`.

    Where no mixture of the classifiers is gamma-fair, ``violation`` stays above gamma; :meth:`FairnessGame.fair_erm` refuses instead.

    Parameters
    ----------
    game : FairnessGame
        Perhaps with many gammas.
    B : float in (0, 1e9], or array that broadcasts with the game's gamma
    eta : float in [1e-12, 1e9], or array like B, optional
        The step; by default :func:`hedge_regret`'s for T rounds and the game's own :attr:`FairnessGame.spread`.
    rounds : int in 1..10^8
        T, such as :func:`agarwal_theorem_1`'s for a gap that is wanted.
    as_printed : bool
        The printed step; not with ``eta``.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=[.1, .3])
    >>> play = exponentiated_gradient(game, B=5, rounds=400)
    >>> play.Q.shape, bool((play.gap < .4).all())
    ((2, 3), True)
    """
    checked_game(game)
    check.flag("as_printed", as_printed)
    B = bound_on_multipliers(B)
    K, spread = game.n_constraints, np.maximum(game.spread, 1e-6)
    if eta is not None:
        check.unread(f"a play with eta={check.shown(eta)}", "one whose eta is found", as_printed=as_printed or None)
    T = check.integer("rounds", rounds, low=1)
    if T == 1:
        check.unread("a play of rounds=1", "a play of more rounds", eta=eta, as_printed=as_printed or None)
    if eta is None:
        eta = hedge_rate(K, T, as_printed=as_printed) * (1.0 if as_printed else 2.0 / spread)
    eta = check.array("eta", eta, low=1e-12, high=1e9, booleans=False)
    lam, h = algorithm_3(game, B, eta, T)
    return Play(game, plain(B), plain(eta), h, lam)


@check.formerly(repair='Say cell_sizes="noisy", "noisy_lower_bound" or "public_lower_bound".', share="Say budget_fraction.",
                beta="A bound reads it: games.Setting.", log_labelings="A bound reads it: games.Setting.",
                every="The bar moves at each round.",
                accounting="All steps are added up as tightly as the accountant can.", checkpoint=IN_ONE_GO, callback=IN_ONE_GO)
def dp_oracle_learner(game: FairnessGame, epsilon: float, delta: float, B: float, rng: np.random.Generator, *,
                      cell_sizes: CellSizes = "noisy", smallest_cell: float | None = None, budget_fraction: float | None = None,
                      protect: Guarded = "A", rounds: int | None = None, eta: float | None = None,
                      size: int | tuple[int, ...] | None = None,
        progress: bool = False) -> PrivatePlay:
    """DP-oracle-learner: T rounds of noisy exponential weights against private best answers.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3), repaired: as printed (:func:`dp_oracle_learner_as_printed`)
    it is not private. It runs :func:`algorithm_5`. All that it publishes is (epsilon, delta)-private, whichever way the players know how
    large the cells are:

    "noisy" (the default): the sizes of the cells are released once; the players then measure counts, whose sensitivity is public.
    "noisy_lower_bound": a lower bound N on the smallest cell is released; the auditor measures the rates, of two groups the gaps, with l1
    sensitivity 2/(N+1). "public_lower_bound": a public ``smallest_cell`` N that holds for all data sets that could occur.

    Where no mixture of the classifiers is gamma-fair, nothing is refused: that would tell of A. With T = 1 nothing private is read, and the
    answer is the most accurate classifier, however unfair (with protect="X and A" it is one private choice). What noise in doubles gives
    away is taken from ``delta`` (the book's page on machine arithmetic); a ``delta`` not above it is refused, and so is an epsilon' of more
    than about 9.

    Parameters
    ----------
    game : FairnessGame
        Its classifiers must be public: labelings of features, or a finite class; with protect="X and A" one that was fixed without X and
        A. Made with ``n_groups`` and ``empty="zero"``, as else making it told of A; or by ``from_counts`` with ``empty="zero"``, of whole
        people. Any notion of rates against a group or between all pairs; perhaps with many gammas.
    epsilon : float in [1e-6, 1e6]
    delta : float in [1e-300, 1)
    B : float in (0, 1e9]
    rng : numpy.random.Generator
    cell_sizes : str
        "noisy", "noisy_lower_bound" or "public_lower_bound".
    smallest_cell : float in [1, 1e15], optional
        N, for "public_lower_bound" alone. Data that break the promise are refused, which anybody may see: the promise covers data that
        keep it.
    budget_fraction : float in (0, 1), optional
        The part of epsilon for the sizes or the bound (which also gets half of delta), by default a tenth; not for "public_lower_bound".
    protect : str
        "A", for classifiers that do not see it. "X and A": features too, Y public; needed also where the classifiers see A.
    rounds : int in 1..10^15, optional
        T; by default :func:`schedule`'s, at a failure probability of 0.05 and ln|H| of the game's classifiers.
    eta : float in [1e-12, 1e9], optional
        The auditor's step; by default the printed sqrt(ln d / T) / 2.
    size : int or tuple of ints, optional
        Independent repeats, as leading axes. Each is a release.
    progress : bool
        A bar on the standard error stream.

    Returns
    -------
    PrivatePlay
        Error, violation and gap are not private: :func:`evaluate`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, A = rng.random(400), rng.integers(0, 2, 400)
    >>> Y = (x + .3 * A + .3 * rng.normal(size=400) > .6).astype(int)
    >>> game = FairnessGame([x > t for t in np.linspace(0, 1, 11)], A, Y, gamma=.05, n_groups=2, empty="zero")
    >>> play = dp_oracle_learner(game, epsilon=2.0, delta=1e-6, B=5, rng=rng, rounds=20)
    >>> [(r.mechanism, r.times) for r in play.releases_]
    [('laplace', 1), ('exponential', 19), ('laplace', 19)]
    """
    game = FairnessGame._made_of(checked_game(game).table, game.gamma)      # of the counts: from here on nobody's A is at hand
    given = dict(smallest_cell=smallest_cell, budget_fraction=budget_fraction, eta=eta)
    setting = Setting.of(game, epsilon, delta, B, rounds=rounds, protect=protect, **_given(given))
    check.choice("cell_sizes", cell_sizes, CELL_SIZES)
    if setting.rounds == 1:
        once = "a play of rounds=1" + (", which rounds=None means here" if rounds is None else "")
        check.unread(once, "a play of more rounds", cell_sizes=None if cell_sizes == "noisy" else cell_sizes, **given)
    if cell_sizes == "public_lower_bound":
        check.unread("cell_sizes='public_lower_bound'", "noisy ones", budget_fraction=budget_fraction)
    else:
        check.unread(f"cell_sizes={cell_sizes!r}", "cell_sizes='public_lower_bound'", smallest_cell=smallest_cell)
    return algorithm_5(game, setting, rng, cell_sizes, size, progress)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


@check.formerly(checkpoint=IN_ONE_GO, callback=IN_ONE_GO,
                beta=FROM_SCHEDULE, log_labelings=FROM_SCHEDULE, progress="It takes seconds.", every=IN_ONE_GO)
def dp_oracle_learner_as_printed(game: FairnessGame, epsilon: float, delta: float, B: float, rng: np.random.Generator, *,
                                 rounds: int | None = None, eta: float | None = None,
                                 size: int | tuple[int, ...] | None = None) -> PrivatePlay:
    """DP-oracle-learner as it is printed, which is **not** (epsilon, delta)-private: use :func:`dp_oracle_learner`.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3): epsilon' = epsilon / (4 sqrt(T ln(1/delta))), 2T private
    steps, noise of the scales of Lemma 3.1. It runs :func:`algorithm_5_as_printed`, which says what fails. What the learner releases
    survives this (:func:`subroutine_4_epsilon`), what the auditor releases does not.

    Parameters
    ----------
    game : FairnessGame
        However it was made; equalized odds or one of its rates, against group 0.
    epsilon, delta, B, rng, rounds, eta, size : as in :func:`dp_oracle_learner`

    Returns
    -------
    PrivatePlay
        Its records hold scales that were made from the private data, and say what the paper claims; the claim is false.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, A = rng.random(400), rng.integers(0, 2, 400)
    >>> Y = (x + .3 * A + .3 * rng.normal(size=400) > .6).astype(int)
    >>> game = FairnessGame([x > t for t in np.linspace(0, 1, 11)], A, Y, gamma=.05)
    >>> play = dp_oracle_learner_as_printed(game, epsilon=2.0, delta=1e-6, B=5, rng=rng, rounds=20)
    >>> [(r.mechanism, r.times) for r in play.releases_]
    [('exponential', 20), ('laplace', 20)]
    """
    game = FairnessGame._made_of(checked_game(game).table, game.gamma)
    setting = Setting.of(game, epsilon, delta, B, rounds=rounds, eta=eta)
    if setting.rounds == 1:
        once = "a play of rounds=1" + (", which rounds=None means here" if rounds is None else "")
        check.unread(once, "a play of more rounds", eta=eta)
    lam, h, r, releases = algorithm_5_as_printed(game, setting, rng, size)
    return PrivatePlay.of(game, setting, lam, h, r, epsilon_step=setting.step("printed"), denominators=None, smallest_cell=None,
                          releases=releases)
