"""What the algorithms on one screen are made of: where a play starts, a noisy choice, noise on a grid. For one play."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms.grid import on_grid
from .auditor import bound_on_multipliers
from .game import FairnessGame, refuse_no_game
from .play import MOST
from .players import select

__all__ = ["start_play", "noisy_minimum", "laplace_on_grid"]


def noisy_minimum(loss: ArrayLike, scale: float, rng: np.random.Generator) -> int:
    """One of the losses, drawn with probability proportional to exp(-loss / scale): the smallest, after Gumbel noise of that scale.

    Source: supplement, Definition 1.5 (the exponential mechanism), with scale = 2 sensitivity / epsilon. At scale 0 it is the smallest
    loss, without noise: for losses in which nothing is private, as in the first round, whose prices all cancel.

    Parameters
    ----------
    loss : (H,) array
    scale : float in [0, 1e300]
    rng : numpy.random.Generator

    Returns
    -------
    int in 0..H-1

    Raises
    ------
    ValueError
        Losses that are no list of finite numbers, or none.

    Examples
    --------
    >>> noisy_minimum([.5, .1, .9], scale=1e-3, rng=np.random.default_rng(0))
    1
    """
    loss = check.filled("loss", check.array("loss", loss, ndim=1, booleans=False), "loss")
    return int(select(loss, np.asarray(check.number("scale", scale, low=0.0, high=1e300)), check.rng(rng)))


def laplace_on_grid(value: ArrayLike, scale: float, rng: np.random.Generator) -> np.ndarray:
    """The values with Laplace noise of this scale, rounded to a public grid: multiples of a power of two, about a thousandth of the scale.

    Source: supplement, Definition 1.4 (the Laplace mechanism), with scale = sensitivity / epsilon; the grid is ours. Low digits of a number
    in doubles would tell which private number the noise covers; a multiple of the step can come out whatever it is.

    Parameters
    ----------
    value : (...) array
    scale : float in [1e-300, 1e300]
    rng : numpy.random.Generator

    Returns
    -------
    (...) array

    Raises
    ------
    ValueError
        Values that are not finite numbers, or none.

    Examples
    --------
    >>> laplace_on_grid([3.0, 40.0], scale=2.0, rng=np.random.default_rng(0)) * 512 % 1
    array([0., 0.])
    """
    value = check.filled("value", check.array("value", value, booleans=False), "number")
    scale = check.number("scale", scale, low=1e-300, high=1e300)
    return on_grid(value + check.rng(rng).laplace(size=value.shape) * scale, np.asarray(scale), value.ndim)


def start_play(game: FairnessGame, B: float, eta: float, rounds: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where a play starts: theta_1 = 0, and room for what both players will play.

    Source: supplement, Algorithms 3 and 5, first line.

    Parameters
    ----------
    game : FairnessGame
        With one gamma.
    B : float in (0, 1e9]
    eta : float in [1e-12, 1e9]
    rounds : int in 1..10^8
        T.

    Returns
    -------
    theta : (K,) array of 0
    lam : (T, K) array of 0
    h : (T,) array of ints, 0

    Raises
    ------
    ValueError
        A game with several gammas; more numbers to keep than memory is for.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1)
    >>> theta, lam, h = start_play(game, B=5, eta=.1, rounds=3)
    >>> theta, lam.shape, h
    (array([0., 0., 0., 0.]), (3, 4), array([0, 0, 0]))
    """
    if not isinstance(game, FairnessGame):
        refuse_no_game(game)
    if game.gamma.ndim:
        check.refuse("game", game.gamma.shape, "is the shape of its gammas, and one play has one", "Give game.with_gamma(.1), or call the "
                     "learner that plays many games at once.")
    bound_on_multipliers(check.number("B", B))
    check.number("eta", eta, low=1e-12, high=1e9)
    K, T = game.n_constraints, check.integer("rounds", rounds, low=1, high=10**8)
    if T * (K + 1) > MOST:
        check.refuse("rounds", rounds, f"rounds of {K} multipliers are too many to keep", "Play fewer rounds.")
    return np.zeros(K), np.zeros((T, K)), np.zeros(T, dtype=np.int64)
