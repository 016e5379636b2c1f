"""Algorithm 5, DP-oracle-learner: the play of Algorithm 3 with a private learner and a private auditor, repaired."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .budget import Accounted
from .game import FairnessGame, refuse_no_game
from .play import Play
from .private_play import PrivatePlay, play
from .private_setting import read_play
from .sensitivity import Guarded
from .setting import REPAIRS, Repair

__all__ = ["dp_oracle_learner", "evaluate", "gradient_seen"]


def evaluate(published: PrivatePlay, game: FairnessGame) -> Play:
    """What a private play is worth on a game: its error, violation, equilibrium gap and regrets, after every round.

    Source: ours. These numbers are computed from the private data, so they are no part of what was published, and are not private: they are
    for the teacher's eye.

    Parameters
    ----------
    published : PrivatePlay
        As :func:`dp_oracle_learner` returns it.
    game : FairnessGame
        The game that was played, or one of the same classifiers, groups, notion and gamma on other people.

    Returns
    -------
    Play
        The same moves, with ``error``, ``violation``, ``gap``, ``regrets``, ``gap_after``, ``regret_after``.

    Raises
    ------
    ValueError
        No private play, or a game of another number of classifiers or groups, another notion or another gamma.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1, n_groups=2, empty="zero")
    >>> play = dp_oracle_learner(game, 1.0, 1e-6, 1.0, np.random.default_rng(0), rounds=2)
    >>> evaluate(play, game).error, evaluate(play, game).violation
    (0.5, 0.0)
    """
    if not isinstance(published, PrivatePlay):
        check.refuse("published", published, "is not what dp_oracle_learner returns",
                     "Give its result; any other play has these numbers itself.")
    if not isinstance(game, FairnessGame):
        refuse_no_game(game)
    for name, theirs, ours in (("number of classifiers", game.n_classifiers, published.n_classifiers),
                               ("notion", game.parity, published.parity),
                               ("number of constraints, and so of groups,", game.n_constraints, published.multipliers.shape[-1]),
                               ("gamma", game.gamma.tolist(), np.asarray(published.gamma).tolist())):
        if theirs != ours:
            check.refuse("game", theirs, f"is its {name}, and the play's is {check.shown(ours)}",
                         "Give the game that was played, or the same on other people.")
    return Play(game, published.B, published.eta, published.chosen, published.multipliers)


def dp_oracle_learner(game: FairnessGame, epsilon: ArrayLike, delta: float, B: ArrayLike, rng: np.random.Generator, *,
                      repair: Repair = "frozen", smallest_cell: float | None = None, share: float | None = None, protect: Guarded = "A",
                      accounting: Accounted = "rdp", rounds: int | None = None, eta: ArrayLike | None = None,
                      beta: float | None = None, log_labelings: float | None = None, size: int | tuple[int, ...] | None = None,
                      progress: bool = False) -> PrivatePlay:
    """DP-oracle-learner: T rounds of noisy exponential weights against private best answers.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3), repaired: as printed (:func:`dp_oracle_learner_as_printed`)
    it is not private. One play on one screen is :func:`algorithm_5`; here many advance together, and leave their records. Three
    repairs, each (epsilon, delta)-private in all that it publishes:

    "frozen" (the default): the sizes of the cells are released once; the players then measure counts, whose sensitivity is public.
    "bound": a lower bound N on the smallest cell is released; the auditor measures the rates, of two groups the gaps, with l1 sensitivity
    2/(N+1).
    "promise": a public ``smallest_cell`` N that holds for all data sets that could occur; the same without a release.

    Where no mixture of the classifiers is gamma-fair, nothing is refused: that would tell of A. What comes out is then, up to the play's
    gap, the mixture with the least error + B times what its largest gap exceeds gamma by: its violation is above gamma, and no number that
    may be published says so. With a constant among the classifiers, whichever of the two (:meth:`FairnessGame.with_constants`), a fair
    mixture always exists.

    In the first round all prices cancel, so a learner that does not see A reads nothing private, and the last round's gradient is
    never used: 2T - 2 private steps, not 2T. With T = 1 nothing private is read at all, and the answer is the most accurate classifier,
    however unfair. (With protect="X and A" it is one private choice.) There is nothing to repair then: ``repair``, ``smallest_cell``,
    ``share``, ``eta`` and, where nothing private is read, another ``accounting`` are refused.

    The noise is Laplace's, drawn in doubles, and all noisy numbers of the repairs are rounded to public grids: sizes and N to whole
    people, measurements to a power of two, about a thousandth of the noise's scale. Otherwise their low digits would tell what
    they cover. What remains of doubles: chances, of the rounded numbers and of the learner's choices, are multiples of 2^-53, so each is
    a little too large or too small, and what is left out for one data set may come out for its neighbour. That is a mass of (1 +
    exp(epsilon')) 60 2^-53 times a noise's scale in steps of its grid: 1.3e-08 for a size released with epsilon 1e-6, 2.7e-11 for each
    number that is measured at a small epsilon'. The sum is taken from ``delta`` before the accountant is asked, and a ``delta`` that is not
    above it is refused: so is an epsilon' of more than about 9, whose factor exp(epsilon') needs chances that doubles do not draw.

    Prices below 1e-200 are 0: of smaller ones doubles make no noise. So a tiny ``B`` is as good as no constraint.

    Parameters
    ----------
    game : FairnessGame
        Its classifiers must be public: labelings of features, or a finite class. With protect="X and A" a finite class only, fixed
        without X and A. Made with ``n_groups`` and ``empty="zero"``: the number of groups is public and not read off A, and an empty cell
        counts as a rate of 0, as a refusal would tell who is in it. Made by ``from_counts``, with
        ``empty="zero"`` and of classifiers that say 0 or 1, whose counts are whole people: for these privacy is proved. Of others the
        counts of all groups together are to be whole, and each cell's are rounded. Any notion of rates against a group or between all
        pairs.
    epsilon : float in [1e-6, 1e6], or (...) array
        One for all, or one for each game of the batch, with ``rounds`` given.
    delta : float in [1e-300, 1)
    B : float in (0, 1e9], or (...) array that broadcasts with gamma
    rng : numpy.random.Generator
    repair : str
        "frozen", "bound" or "promise".
    smallest_cell : float in [1, 1e15], optional
        N, for "promise" alone. Data that break the promise are refused, which anybody may see: the promise covers data that keep it.
    share : float in (0, 1), optional
        The part of epsilon for the sizes ("frozen") or the bound ("bound", which also gets half of delta), by default a tenth; not for
        "promise".
    protect : str
        "A", for classifiers that do not see it. "X and A": features too, Y public; needed also where the classifiers see A.
    accounting : str
        "rdp": epsilon' by :func:`largest_step`. "advanced": by Theorem 1.5, as the paper.
    rounds : int in 1..10^15, optional
        T; by default :func:`schedule`'s.
    eta : float in [1e-12, 1e9], or (...) array, optional
        The auditor's step; by default the printed sqrt(ln d / T) / 2.
    beta : float in [1e-300, 1), optional
        Failure probability, by default 0.05, in the number of rounds; not with ``rounds``.
    log_labelings : float in [0, 1e12], optional
        ln|H| in the number of rounds, by default of the game's classifiers; not with ``rounds``.
    size : int or tuple of ints, optional
        Independent repeats, as leading axes. Each is a release.
    progress : bool
        A bar on the standard error stream.

    Returns
    -------
    PrivatePlay
        ``Q``, ``lam``, ``chosen``, ``multipliers``, ``gradients``, ``epsilon_step``, ``releases_``. Error, violation and gap are not
        private: :func:`evaluate`.

    Raises
    ------
    ValueError
        A game whose making told of A; a number out of range; a promise that this data set breaks; an option that the repair, or a play of
        so many ``rounds``, does not read; a delta not above what noise in doubles gives away; counts that are not whole people, of all
        groups together; several epsilons or Bs whose schedules differ in T; more numbers to keep than memory is for.

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
    s = read_play(game, check.choice("repair", repair, REPAIRS), size, epsilon, delta, B, rounds=rounds, eta=eta, protect=protect,
                  smallest_cell=smallest_cell, share=share, accounting=accounting, beta=beta, log_labelings=log_labelings)
    return play(game, s, check.rng(rng), progress=progress)


def gradient_seen(lam: ArrayLike, B: float, eta: float) -> np.ndarray:
    """The noisy gradient of the first round, from the published average multipliers of a run of two rounds.

    Source: ours, on supplement, Algorithm 5: of lambda~ = (lambda_1 + lambda_2) / 2 everybody knows lambda_1, all whose entries are B /
    (K+1); lambda_2 is the softmax of theta_2 = eta r~_1, which is undone.

    Parameters
    ----------
    lam : (..., K) array
        lambda~ of a run with T = 2.
    B : float in [1e-12, 1e9]
    eta : float in [1e-9, 1e9]
        Both as in the run.

    Returns
    -------
    (..., K) array
        r~_1. What lies so far below the largest entry that floating point has lost it, reads as at the edge of that.

    Raises
    ------
    ValueError
        Multipliers that no such run has; a number out of range.

    Examples
    --------
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1, n_groups=2, empty="zero")
    >>> play = dp_oracle_learner(game, 1.0, 1e-6, 1.0, np.random.default_rng(0), rounds=2)
    >>> bool(np.allclose(gradient_seen(play.lam, play.B, play.eta), play.gradients[0]))
    True
    """
    lam = check.array("lam", lam, low=0.0, high=1e12, booleans=False)
    if lam.ndim == 0 or lam.size == 0:
        check.refuse("lam", lam.shape if lam.ndim else float(lam), "is no vector of multipliers", "Give play.lam of a run of two rounds.")
    B = check.number("B", B, low=1e-12, high=1e9)
    eta = check.number("eta", eta, low=1e-9, high=1e9)
    second = 2 * lam - B / (lam.shape[-1] + 1)
    spare = B - second.sum(axis=-1, keepdims=True)
    if min(second.min(), spare.min()) < -1e-9 * B:
        check.refuse("lam", float(lam.max()), "is an entry of what no run of two rounds with this B publishes", "Give its play.lam and B.")
    edge = B * 2.0**-53
    return np.log(np.maximum(second, edge) / np.maximum(spare, edge)) / eta
