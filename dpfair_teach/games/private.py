"""Algorithm 5, DP-oracle-learner: the play of Algorithm 3 with a private learner and a private auditor, as printed and repaired."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..accounting import UNIT_A, Release
from .auditor import MOST_ROUNDS, bound_on_multipliers, hedge_rate, weights
from .budget import ACCOUNTED, SHARE, checked_delta, checked_share, largest_step, printed_step
from .game import FairnessGame
from .play import MOST, Play
from .players import FrozenCounts, PrintedPlayers, PromisedRates, frozen_cells, released_bound, smallest_asked
from .programs import plain
from .rounds import schedule
from .sensitivity import PROTECTED

__all__ = ["dp_oracle_learner", "gradient_seen"]

REPAIRS = ("frozen", "bound", "promise")


@dataclass(frozen=True, eq=False)
class PrivatePlay(Play):
    """A play whose moves were private. Batches and repeats are axes "..." in front of all but the round.

    What may be published: ``chosen``, ``multipliers``, ``Q``, ``lam``, ``gradients``, ``denominators``, ``smallest_cell``. What the other
    properties compute from the data (gap, error, violation) is for the teacher's eye: those numbers are not private.

    Attributes
    ----------
    epsilon_step : (...) array, or float
        epsilon' of each of the private steps.
    gradients : (T-1, ..., K) array
        What the auditor saw: the last round's would never be used. As printed T of them.
    denominators : (..., k, 2) array or None
        The released sizes of the cells, whole people, for the repair "frozen"; NaN where no constraint asks, as nothing is released of
        such a cell. None too where T = 1, which needs no sizes.
    smallest_cell : (...) array or None
        N, promised, or released for the repair "bound", where T > 1; as printed the private n, which this should not show.
    spent, protect
        What ``releases_`` is made from.
    releases_ : tuple of accounting.Release
        All that was released, by all games of the batch. As printed the records say what the paper claims; the claim is false. A
        learner's sensitivity is 1, or 1/2, of the loss divided by the most that one person can move it in that round.
    """

    epsilon_step: np.ndarray
    gradients: np.ndarray = field(repr=False)
    denominators: np.ndarray | None = field(repr=False)
    smallest_cell: np.ndarray | None
    spent: tuple = field(repr=False)
    protect: str = field(repr=False)

    @property
    def releases_(self) -> tuple[Release, ...]:
        return _records(self.spent, self.chosen.shape[1:], self.protect)


def dp_oracle_learner(game: FairnessGame, epsilon: ArrayLike, delta: float, B: ArrayLike, rng: np.random.Generator, *,
                      beta: float = 0.05, as_printed: bool = False, repair: str = "frozen", smallest_cell: float | None = None,
                      share: float = SHARE, protect: str = "A", accounting: str = "rdp", rounds: int | None = None,
                      eta: ArrayLike | None = None, log_labelings: float | None = None,
                      size: int | tuple[int, ...] | None = None) -> PrivatePlay:
    """DP-oracle-learner: T rounds of noisy exponential weights against private best answers.

    Source: supplement, Algorithm 5 with Subroutine 4 (main text, Algorithm 3). As printed the noise is scaled by the smallest cell of the
    private data, and the result is **not** (epsilon, delta)-private. Three repairs, each (epsilon, delta)-private in all that it
    publishes:

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
    however unfair. (With protect="X and A" it is one private choice, and neither sizes nor N are needed.)

    The noise is Laplace's, drawn in doubles, and all noisy numbers of the repairs are rounded to public grids: sizes and N to whole
    people, measurements to a power of two, about a thousandth of the noise's scale. Otherwise their low digits would tell what
    they cover. What remains of doubles: the probabilities of the rounded numbers, right to about 2^-53 each, and those of the
    learner's choices, which Gumbel noise in doubles makes. As printed nothing is rounded.

    Parameters
    ----------
    game : FairnessGame
        Its classifiers must be public: labelings of features, or a finite class. With protect="X and A" a finite class only, fixed
        without X and A. Make it with ``n_groups`` and ``empty="zero"`` where a cell might be empty: that the game refuses such data by
        default, is not private. Made by ``from_counts``, of whole people.
    epsilon : float > 0, or (...) array
        One for all, or one for each game of the batch, with ``rounds`` given.
    delta : float in (0, 1)
    B : float > 0, or (...) array that broadcasts with gamma
    rng : numpy.random.Generator
    beta : float in (0, 1)
        Enters the number of rounds only.
    as_printed : bool
        The printed scales, epsilon', 2T releases. Of the options of the repairs ``share`` and ``accounting`` are not read, nor which
        ``repair`` it is; ``smallest_cell`` and another ``protect`` are refused.
    repair : str
        "frozen", "bound" or "promise".
    smallest_cell : float >= 1, optional
        N, for "promise" alone. Data that break the promise are refused, which anybody may see: the promise covers data that keep it.
    share : float in (0, 1)
        The part of epsilon for the sizes ("frozen") or the bound ("bound", which also gets half of delta).
    protect : str
        "A", for classifiers that do not see it. "X and A": features too, Y public; needed also where the classifiers see A.
    accounting : str
        "rdp": epsilon' by :func:`largest_step`. "advanced": by Theorem 1.5, as the paper.
    rounds : int >= 1, optional
        T; by default :func:`schedule`'s.
    eta : float > 0, or (...) array, optional
        The auditor's step; by default the printed sqrt(ln d / T) / 2.
    log_labelings : float >= 0, optional
        ln|H| in the number of rounds; by default of the game's classifiers.
    size : int or tuple of ints, optional
        Independent repeats, as leading axes. Each is a release.

    Returns
    -------
    PrivatePlay
        ``Q``, ``lam``, ``chosen``, ``multipliers``, ``gradients``, ``epsilon_step``, ``releases_`` and, not private, ``gap``,
        ``error``, ``violation``.

    Raises
    ------
    ValueError
        A number out of range; as printed a smallest cell of 1 (Assumption 3.3); a promise that this data set breaks, or with a repair that
        needs none; counts that are not whole, whose sums would be rounded by who is where; several epsilons or Bs whose schedules differ
        in T; more numbers to keep than memory is for.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, A = rng.random(400), rng.integers(0, 2, 400)
    >>> Y = (x + .3 * A + .3 * rng.normal(size=400) > .6).astype(int)
    >>> game = FairnessGame([x > t for t in np.linspace(0, 1, 11)], A, Y, gamma=.05)
    >>> play = dp_oracle_learner(game, epsilon=2.0, delta=1e-6, B=5, rng=rng, rounds=20)
    >>> [(r.mechanism, r.times) for r in play.releases_]
    [('laplace', 1), ('exponential', 19), ('laplace', 19)]
    """
    if not isinstance(game, FairnessGame):
        check.refuse("game", game, "not a FairnessGame", "Make it with games.FairnessGame(predictions, A, Y, gamma).")
    epsilon = check.array("epsilon", epsilon, low=1e-6, high=1e6, booleans=False)
    check.filled("epsilon", np.atleast_1d(epsilon), "epsilon")
    as_printed = check.flag("as_printed", as_printed)
    halves = check.choice("repair", repair, REPAIRS) == "bound" and not as_printed     # then the rounds get half of delta
    delta, beta = checked_delta(delta, least=2e-300 if halves else 1e-300), check.beta(beta)
    B, rng = bound_on_multipliers(B), check.rng(rng)
    check.choice("accounting", accounting, ACCOUNTED)
    check.choice("protect", protect, PROTECTED[:2])
    share = checked_share(share, float(epsilon.min()))
    if as_printed and protect != "A":
        check.refuse("protect", protect, "the printed sensitivities are for 'A'", "Leave as_printed False.")
    promised = _promise(game, smallest_cell, repair, as_printed)
    if not as_printed and game._people is None and (game.n_pos % 1).any() | (game.n % 1).any():
        check.refuse("game", game, "was made from counts that are not whole people",
                     "Make it from predictions, which may be probabilities.")

    one = check.broadcast("B", B.shape, "gamma", game.gamma.shape, "Give one B for each gamma.")
    one = check.broadcast("epsilon", epsilon.shape, "gamma and B", one, "Give one epsilon for each game.")
    T = _rounds(game, rounds, epsilon, delta, B, beta, log_labelings)
    d = game.n_constraints + 1
    eta = np.asarray(hedge_rate(d - 1, T, as_printed=True)) if eta is None else check.array("eta", eta, low=1e-12, high=1e9, booleans=False)
    check.filled("eta", np.atleast_1d(eta), "step")
    one = check.broadcast("eta", eta.shape, "gamma, B and epsilon", one, "Give one eta, or one for each game.")
    axes = check.size(size, one) + one
    if T * math.prod(axes) * 2 * d > MOST:
        check.refuse("size" if size is not None else "rounds", size if size is not None else rounds,
                     f"means {T} rounds of {math.prod(axes)} games, too many to keep", "Play fewer rounds or games at once.")

    selections = T if as_printed or protect != "A" else T - 1
    gradients = T if as_printed else T - 1
    step, players, before, denominators = _players(game, epsilon, delta, B, axes, T, selections, gradients, rng, as_printed, repair,
                                                   promised, share, protect, accounting)
    theta = np.zeros(axes + (d - 1,))
    chosen, multipliers = np.empty((T,) + axes, dtype=np.int64), np.empty((T,) + axes + (d - 1,))
    seen = np.empty((gradients,) + axes + (d - 1,))
    for t in range(T):
        lam = multipliers[t] = weights(theta, B)
        h = chosen[t] = players.answer(lam[..., 0::2] - lam[..., 1::2], rng)
        if t < gradients:
            seen[t] = players.measure(h, rng)
            theta += eta[..., None] * seen[t]
    spent = (*before, (*players.selection, step, 0.0, selections), (*players.measurement, step, 0.0, gradients))
    return PrivatePlay(game, plain(B), plain(eta), chosen, multipliers, plain(step), seen, denominators,
                       smallest_asked(game) if as_printed else plain(players.N) if isinstance(players, PromisedRates) else None,
                       spent, protect)


def gradient_seen(lam: ArrayLike, B: float, eta: float) -> np.ndarray:
    """The noisy gradient of the first round, from the published average multipliers of a run of two rounds.

    Source: ours, on supplement, Algorithm 5: of lambda~ = (lambda_1 + lambda_2) / 2 everybody knows lambda_1, all whose entries are B /
    (K+1); lambda_2 is the softmax of theta_2 = eta r~_1, which is undone.

    Parameters
    ----------
    lam : (..., K) array
        lambda~ of a run with T = 2.
    B, eta : float > 0
        As in the run.

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
    >>> game = FairnessGame([[0, 0, 0, 0], [1, 1, 1, 1]], A=[0, 0, 1, 1], Y=[1, 0, 0, 1], gamma=.1)
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


def _promise(game, smallest_cell, repair, as_printed):
    """N as promised; refused where this data set already breaks it, and, without a look at the data, where nothing is promised."""
    if smallest_cell is not None and (as_printed or repair != "promise"):
        check.refuse("smallest_cell", smallest_cell, "is a promise, and this play needs none",
                     "Leave it out, or choose repair='promise' with as_printed False.")
    n = smallest_asked(game)
    if smallest_cell is not None:
        smallest_cell = check.number("smallest_cell", smallest_cell, low=1.0, high=1e15)
        if smallest_cell > n:
            check.refuse("smallest_cell", smallest_cell, "a cell of this data set holds fewer people: the promise is broken",
                         "Promise less, or choose repair='frozen', which needs no promise.")
    if as_printed and n <= 1:
        check.refuse("game", n, "is its smallest cell, and Assumption 3.3 asks for more than one person",
                     "Leave as_printed False: the repairs need no such assumption.")
    if repair == "promise" and not as_printed and smallest_cell is None:
        check.refuse("smallest_cell", None, "no promise was made", "Give the N below which no cell of any data set falls.")
    return smallest_cell


def _rounds(game, rounds, epsilon, delta, B, beta, log_labelings):
    log_labelings = math.log(game.n_classifiers) if log_labelings is None else check.number(
        "log_labelings", log_labelings, low=0.0, high=1e12)
    if rounds is not None:
        return check.integer("rounds", rounds, low=1, high=MOST_ROUNDS)
    pairs = np.unique(np.stack(np.broadcast_arrays(epsilon, B), axis=-1).reshape(-1, 2), axis=0)
    found = {schedule(math.ceil(game.m), e, delta, max(b, 1e-9), game.n_groups, beta, log_labelings, game.constraints).rounds
             for e, b in pairs}
    if len(found) > 1:
        check.refuse("epsilon, B", pairs.tolist(), f"their schedules play {sorted(found)} rounds", "Give rounds, or call once for each.")
    return found.pop()


def _players(game, epsilon, delta, B, axes, T, selections, gradients, rng, as_printed, repair, promised, share, protect, accounting):
    """epsilon' of each game, the two players with their noise, what was released before the first round, and its sizes."""
    if as_printed:
        step = printed_step(epsilon, delta, T)
        return step, PrintedPlayers(game, step, B), [], None
    if selections + gradients == 0:         # one round, and nothing private is read in it
        return epsilon, FrozenCounts(game, epsilon, np.ones(axes + game.n.shape), protect), [], None
    alone = repair == "promise" or not gradients        # one choice, all of whose prices cancel, needs no sizes
    spent, left = (0.0, delta) if alone else (share, delta if repair == "frozen" else delta / 2)
    each = {e: largest_step((1 - spent) * e, left, selections, gradients, method=accounting) for e in np.unique(epsilon).tolist()}
    step = np.vectorize(each.__getitem__, otypes=[float])(epsilon)
    if repair == "promise":
        return step, PromisedRates(game, step, promised, protect), [], None
    if alone:
        return step, FrozenCounts(game, step, np.ones(axes + game.n.shape), protect), [], None
    if repair == "bound":
        N = released_bound(smallest_asked(game), spent * epsilon, delta - left, axes, rng)
        return step, PromisedRates(game, step, N, protect), [("laplace", 1.0, spent * epsilon, delta - left, 1)], None
    denominators, sensitivity = frozen_cells(game, spent * epsilon, axes, rng)
    sizes = ("laplace", sensitivity, spent * epsilon, 0.0, 1)
    return step, FrozenCounts(game, step, denominators, protect), [sizes], denominators


def _records(spent, axes, protect):
    """The releases of the whole batch: (mechanism, sensitivity, epsilon, delta, times in one game)."""
    unit, relation = (UNIT_A, None) if protect == "A" else ("one person's X and A change, Y public", "replace one X and A")
    found = []
    for mechanism, sensitivity, epsilon, delta, times in spent:
        pairs = np.stack([np.broadcast_to(sensitivity, axes), np.broadcast_to(epsilon, axes)], axis=-1).reshape(-1, 2)
        for (s, e), games in zip(*np.unique(pairs, axis=0, return_counts=True), strict=True):
            if times:
                found.append(Release(mechanism, unit, s, (2 if mechanism == "exponential" else 1) * s / e, e, delta, relation,
                                     times * int(games)))
    return tuple(found)
