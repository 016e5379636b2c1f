"""Fair classification as a sequence of weighted classifications: the game's learner answers with any classifier that takes weights."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..games import Equilibrium, FairnessGame
from ..games.auditor import bound_on_multipliers
from ..games.game import checked_game

__all__ = ["reduction", "reweighed", "shaken_prices", "start_reduction"]

MOST_ROUNDS = 10_000
WIDTHS = (0.1, 0.3, 1.0)     # of logarithms of prices

#: Labels (m,) of 0/1 and weights (m,) in, decisions (m,) of 0/1 out.
Learn = Callable[[np.ndarray, np.ndarray], ArrayLike]


def reweighed(game: FairnessGame, factors: ArrayLike | None = None) -> tuple[FairnessGame, np.ndarray]:
    """The game in which the d-th gap may be gamma times its own factor; and what prices of its constraints are multiplied
    by, (K,), to be prices of the first game.

    Source: ours. With s the factor, in [0, 1], and s' the smallest above 0, |gap| <= gamma s says the same as |gap| s'/s <= gamma s'. A gap
    with the factor 0 is bounded no more; ``factors=None`` is 1 for all. The game is of gaps, so without people.
    """
    checked_game(game)
    if game.gamma.ndim:
        check.refuse("game", game.gamma.shape, "has several gammas", "Take one of them: game.with_gamma(0.1).")
    factors = np.ones(game.gaps.shape[1]) if factors is None else factors
    factors = check.array("factors", factors, low=0.0, high=1.0, booleans=False)
    if factors.shape != game.gaps.shape[1:]:
        check.refuse("factors", factors.shape, f"is not one for each of {game.gaps.shape[1]} gaps, as many as n_groups and the notion make",
                     "Give one factor for each.")
    if not factors.any():
        check.refuse("factors", factors.tolist(), "are all 0, so that no gap is bounded", "Give one that is larger.")
    least = factors[factors > 0].min()
    scale = np.where(factors > 0, least / np.where(factors > 0, factors, 1.0), 0.0)
    return FairnessGame.from_gaps(game.errors, game.gaps * scale, game.gamma * least), np.repeat(scale, 2)


def shaken_prices(lam: ArrayLike, B: float, rng: np.random.Generator) -> np.ndarray:
    """Multipliers near some others: each gap's two times exp(w z), z standard normal, w one of 0.1, 0.3 and 1; of sum at most B."""
    lam = check.array("lam", lam, ndim=1, low=0.0, high=1e12, booleans=False)
    if not len(lam) or len(lam) % 2:
        check.refuse("lam", lam.shape, "has not two multipliers for each gap", "Give them as of FairnessGame.")
    B = float(bound_on_multipliers(check.number("B", B)))
    width = check.rng(rng, drawn="how prices are shaken").choice(WIDTHS)
    shaken = lam * np.repeat(np.exp(width * rng.standard_normal(len(lam) // 2)), 2)
    return shaken * min(1.0, B / max(shaken.sum(), B))


def start_reduction(learn: Learn, A: ArrayLike, gamma: float, B: float, rounds: int, rng: np.random.Generator,
                    parity: Parity, n_groups: int | None = None) -> tuple[list[np.ndarray], Callable[[np.ndarray, np.ndarray], np.ndarray]]:
    """What :func:`reduction` begins with: the decisions of two constants, two (m,) arrays, and ``ask(labels, weights)``, (m,) of 0/1.

    Whatever ``learn`` raises, or else answers, is a ValueError. What is no argument of the reduction is refused.
    """
    if not callable(learn):
        check.refuse("learn", learn, "cannot be called", "Give a function of labels and weights that returns decisions.")
    check.number("gamma", gamma, low=0.0, high=1e9)
    bound_on_multipliers(check.number("B", B))
    check.integer("rounds", rounds, low=1, high=MOST_ROUNDS)
    check.rng(rng, drawn="how prices are shaken")
    check.instance("parity", parity, Parity, "not a Parity", 'Give one, as Parity("demographic_parity", "population").')
    m = len(check.groups("A", A, n_groups=n_groups)[0])

    def ask(labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
        try:
            said = learn(labels.astype(np.int64), weights)
        except ValueError:
            raise
        except Exception as problem:        # whatever it is: it is not ours
            check.refuse("learn", learn, f"raised {type(problem).__name__} ({problem})", "Give a function of labels and weights.", problem)
        return check.labels("learn(labels, weights)", said, length=m, remedy="Decide with 0 or 1 for everybody.")
    return [np.zeros(m), np.ones(m)], ask


def reduction(
    learn: Learn, A: ArrayLike, Y: ArrayLike, gamma: float, B: float, rounds: int,
    rng: np.random.Generator, *, parity: Parity, n_groups: int,
    factors: ArrayLike | None = None,
) -> tuple[FairnessGame, Equilibrium, float]:
    """The reduction: each round prices the gaps, asks for a classifier of people reweighed by the prices, and solves for the best mixture.

    Source: Tran et al. 2020, Section 8, baseline A (Agarwal et al. 2018, reconstructed), with other prices: those of the linear program
    over all that was learned so far, as each round fits a classifier and rounds are dear. A base that answers as well as it can may repeat
    itself: then :func:`shaken_prices` ask for more of the kind that the mixture is made of. Not private.

    Parameters
    ----------
    learn : callable
        ``learn(labels, weights)``, both (m,): a classifier's decisions, 0 or 1, on the same people.
    A : (m,) array of ints 0..k-1
    Y : (m,) array of 0/1
    gamma : float in [0, 1e9]
    B : float in (0, 1e9]
        The most that all gaps together may be priced at.
    rounds : int in 1..10^4
        How often ``learn`` is called.
    rng : numpy.random.Generator
        Shakes prices.
    parity : Parity
    n_groups : int in 1..1000
    factors : (D,) array in [0, 1], optional
        As in :func:`reweighed`.

    Returns
    -------
    game : FairnessGame
        Over "reject everybody", "accept everybody", then the answer of each round.
    best : Equilibrium
        ``Q``, the mixture; ``lam``, which proves that no other mixture of these is better; ``value``, err(Q) + B times what the largest
        gap of Q is above its tolerance.
    bound : float
        The largest L(h, lambda) of an answer h at the multipliers that it answered. If the answers are the best of a class, no mixture of
        that class has a smaller value.

    Examples
    --------
    >>> x = np.array([.1, .4, .6, .9, .2, .3, .7, .8])
    >>> def cut(labels, weights):                       # the best threshold on x
    ...     cuts = np.append(x, 1.0)
    ...     loss = [weights @ ((x > c) != labels) for c in cuts]
    ...     return (x > cuts[np.argmin(loss)]).astype(int)
    >>> game, best, _ = reduction(cut, A=[0, 0, 0, 0, 1, 1, 1, 1], Y=[0, 1, 1, 1, 0, 0, 0, 1], gamma=.1, B=10, rounds=5,
    ...                           rng=np.random.default_rng(0), parity=Parity("demographic_parity", "population"), n_groups=2)
    >>> round(float(game.error(best.Q)), 3), round(float(game.violation(best.Q)), 3)
    (0.15, 0.1)
    """
    said, ask = start_reduction(
        learn, A, gamma, B, rounds, rng, parity, n_groups)
    people = FairnessGame(
        said, A, Y, gamma, notion=parity, n_groups=n_groups, empty="zero")
    game, scale = reweighed(people, factors)
    best, bound = game.equilibrium(B), -np.inf
    priced: list[np.ndarray] = []
    for _ in range(rounds):
        seen = any(np.allclose(best.lam, lam) for lam in priced)
        lam = shaken_prices(best.lam, B, rng) if seen else best.lam
        priced.append(lam)
        C0, C1 = people.costs(lam * scale)          # Subroutine 2
        said.append(ask(C1 < C0, np.abs(C1 - C0)))
        people = FairnessGame(
            said, A, Y, gamma, notion=parity, n_groups=n_groups, empty="zero")
        game, _ = reweighed(people, factors)
        bound = max(bound, game.losses(lam)[-1])
        best = game.equilibrium(B)
    return game, best, float(bound)
