"""Algorithm 5 as it is printed, whose noise tells of the groups."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .game import FairnessGame
from .private_play import PrivatePlay, play
from .private_setting import read_play

__all__ = ["dp_oracle_learner_as_printed"]


def dp_oracle_learner_as_printed(game: FairnessGame, epsilon: ArrayLike, delta: float, B: ArrayLike, rng: np.random.Generator, *,
                                 rounds: int | None = None, eta: ArrayLike | None = None, beta: float | None = None,
                                 log_labelings: float | None = None, size: int | tuple[int, ...] | None = None,
                                 progress: bool = False) -> PrivatePlay:
    """DP-oracle-learner as it is printed, which is **not** (epsilon, delta)-private: use :func:`dp_oracle_learner`.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3): epsilon' = epsilon / (4 sqrt(T ln(1/delta))), 2T private
    steps, noise of the scales of Lemma 3.1. One play on one screen is :func:`algorithm_5_as_printed`.

    What fails: the scales divide by n - 1, where n is the smallest cell of the private data. A neighbour's n may be another, and then the
    size of the noise alone tells the two apart (:func:`printed_noise_delta` says how well). What the learner releases survives this
    (:func:`subroutine_4_epsilon`), what the auditor releases does not. Where a cell holds one person, the algorithm has no scale at all
    and refuses, which tells of that person too. Nothing is rounded to public grids.

    Parameters
    ----------
    game : FairnessGame
        However it was made; equalized odds or one of its rates, against group 0.
    epsilon : float in [1e-6, 1e6], or (...) array
        As claimed. One for all, or one for each game of the batch, with ``rounds`` given.
    delta : float in [1e-300, 1)
    B : float in (0, 1e9], or (...) array that broadcasts with gamma
    rng : numpy.random.Generator
    rounds : int in 1..10^15, optional
        T; by default :func:`schedule`'s.
    eta : float in [1e-12, 1e9], or (...) array, optional
        The auditor's step; by default the printed sqrt(ln d / T) / 2. Not for one round, after which nobody plays.
    beta : float in [1e-300, 1), optional
    log_labelings : float in [0, 1e12], optional
        Both in the number of rounds, and not with ``rounds``.
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.
    progress : bool

    Returns
    -------
    PrivatePlay
        Its records hold scales that were made from the private data, and say what the paper claims; the claim is false.

    Raises
    ------
    ValueError
        A smallest cell of 1 (Assumption 3.3); a notion that is not the paper's; as :func:`dp_oracle_learner`.

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
    s = read_play(game, "printed", size, epsilon, delta, B, rounds=rounds, eta=eta, beta=beta, log_labelings=log_labelings)
    return play(game, s, check.rng(rng), progress=progress)
