"""The algorithms of the game, each on one screen: what is printed beside its box.

Nothing is checked here, and nothing is batched: what is called refuses its own arguments. :func:`exponentiated_gradient` and
:func:`dp_oracle_learner` play the same at the same seed, many games at once; they keep every round, and the record of what was released.
"""
from __future__ import annotations

import numpy as np

from .algorithm_players import printed_sensitivities, private_players
from .algorithm_steps import noisy_minimum, start_play
from .auditor import hedge
from .game import FairnessGame
from .setting import Repair, Setting

__all__ = ["algorithm_3", "algorithm_5", "algorithm_5_as_printed"]


def algorithm_3(
    game: FairnessGame, B: float, eta: float, rounds: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 3, exponentiated gradient: T rounds of exponential weights against best answers. Not private.

    Source: supplement, Algorithm 3 (Agarwal et al. 2018). The same numbers: :func:`exponentiated_gradient`.

    Parameters
    ----------
    game : FairnessGame
        With one gamma.
    B : float in (0, 1e9]
        Limit on the sum of the multipliers.
    eta : float in [1e-12, 1e9]
        The auditor's step, such as :func:`hedge_rate`'s.
    rounds : int in 1..10^8
        T.

    Returns
    -------
    Q : (H,) array
        The learner's average.
    lam : (K,) array
        The auditor's average.

    Raises
    ------
    ValueError
        A game with several gammas; more numbers to keep than memory is for.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1)
    >>> Q, lam = algorithm_3(game, B=5, eta=.1, rounds=400)
    >>> round(game.error(Q), 2), game.violation(Q) < .2
    (0.5, True)
    """
    theta, lam, h = start_play(game, B, eta, rounds)
    for t in range(rounds):
        lam[t] = hedge(theta, B)
        h[t] = game.best_response(lam[t])               # Subroutine 2
        r = game.constraints_of(game.gaps[h[t]])
        theta = theta + float(eta) * r
    return np.bincount(h, minlength=game.n_classifiers) / rounds, lam.mean(axis=0)


def algorithm_5(
        game: FairnessGame, setting: Setting, rng: np.random.Generator,
        repair: Repair = "frozen") -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 5, DP-oracle-learner, repaired: the play of Algorithm 3 with a private learner and a private auditor.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3), repaired: as printed it is not private, see
    :func:`algorithm_5_as_printed`. What is returned may be published: it is (epsilon, delta)-private where one person's A changes and X and
    Y are public. The same numbers, and the records of what was released: :func:`dp_oracle_learner`.

    Parameters
    ----------
    game : FairnessGame
        As for :func:`dp_oracle_learner`, with one gamma.
    setting : Setting
        ``Setting.of(game, ...)``: T, epsilon', eta and B.
    rng : numpy.random.Generator
    repair : str
        "frozen", "bound" or "promise": which :func:`private_players` play.

    Returns
    -------
    Q : (H,) array
        The learner's average.
    lam : (K,) array
        The auditor's average.

    Raises
    ------
    ValueError
        As the players, such as :class:`FrozenPlayers`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, A = rng.random(400), rng.integers(0, 2, 400)
    >>> Y = (x + .3 * A + .3 * rng.normal(size=400) > .6).astype(int)
    >>> game = FairnessGame([x > t for t in np.linspace(0, 1, 11)], A, Y, gamma=.05, n_groups=2, empty="zero")
    >>> Q, lam = algorithm_5(game, Setting.of(game, epsilon=2.0, delta=1e-6, B=5, rounds=20), rng)
    >>> Q.shape, lam.shape
    ((11,), (4,))
    """
    both = private_players(game, setting, rng, repair)  # releases noisy sizes
    T, B, eta = setting.rounds, setting.B, setting.learning_rate
    theta, lam, h = start_play(game, B, eta, T)
    for t in range(T):
        lam[t] = hedge(theta, B)
        h[t] = both.best_response(lam[t], rng)      # Subroutine 4, with epsilon'
        if t < T - 1:                               # the last is never used
            r = both.constraint_values(h[t], rng)   # r(h) + W, with epsilon'
            theta = theta + eta * r
    return np.bincount(h, minlength=game.n_classifiers) / T, lam.mean(axis=0)


def algorithm_5_as_printed(
    game: FairnessGame, setting: Setting, rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 5 as it is printed, which is **not** (epsilon, delta)-private: the smallest cell of the private data scales its noise.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3). What fails: a neighbour's smallest cell may be another, and
    then the size of the noise alone tells the two apart, see :func:`printed_noise_delta`. Where a cell holds one person, there is no scale
    at all. The same choices, up to the rounding of losses: :func:`dp_oracle_learner_as_printed`.

    Parameters
    ----------
    game : FairnessGame
        Equalized odds, or one of its rates, against group 0, with one gamma; more than one person in each cell (Assumption 3.3).
    setting : Setting
        ``Setting.of(game, ...)``.
    rng : numpy.random.Generator

    Returns
    -------
    Q : (H,) array
        The learner's average.
    lam : (K,) array
        The auditor's average.

    Raises
    ------
    ValueError
        As :func:`printed_sensitivities` and :func:`start_play`.

    Examples
    --------
    >>> game = FairnessGame([[0] * 12, [1] * 12], A=[0, 0, 0, 1, 1, 1] * 2, Y=[1] * 6 + [0] * 6, gamma=.1)
    >>> Q, lam = algorithm_5_as_printed(game, Setting.of(game, 1.0, 1e-6, B=1.0, rounds=2), np.random.default_rng(0))
    >>> Q.shape, lam.shape
    ((2,), (4,))
    """
    # Lemma 3.1, of the private data: this is what fails.
    delta = printed_sensitivities(game, setting)
    T, B, eta = setting.rounds, setting.B, setting.learning_rate
    epsilon_step = setting.step("printed")
    theta, lam, h = start_play(game, B, eta, T)
    for t in range(T):
        lam[t] = hedge(theta, B)
        h[t] = noisy_minimum(game.losses(lam[t]),           # Subroutine 4
                             2 * delta.learner / epsilon_step, rng)
        W = rng.laplace(scale=delta.auditor / epsilon_step, size=setting.K)
        r = game.constraints_of(game.gaps[h[t]]) + W
        theta = theta + eta * r
    return np.bincount(h, minlength=game.n_classifiers) / T, lam.mean(axis=0)
