"""DP-oracle-learner with the regression oracle, repaired: frozen denominators, sensitivities that everybody knows, exact accounting."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import _checks as check
from ..accounting import Release
from ..fairness import Parity
from ..fairness.parity import both_signs, signed
from ..mechanisms.grid import on_grid
from ..oracles import RegressionOracle
from ..oracles.private import charged
from ..oracles.regression import PRECISE, SAFE, lost_to_scale
from ..training import State, train
from .auditor import weights
from .history import table_of_rounds
from .notions import OddsNotion, labels_of
from .players import frozen_cells
from .programs import plain
from .regression import checked_oracle, counted, label_rates
from .regression_private_setting import LoopSetting, read_loop

__all__ = ["evaluate_regression", "regression_dp_oracle_learner"]


@dataclass(frozen=True, eq=False)
class PrivateRegressionPlay:
    """What the private loop publishes: public numbers only. Repeats and the batch are axes "...".

    What it is worth on the private groups (counts, gaps, violation) says :func:`evaluate_regression`, which is handed A again.

    Attributes
    ----------
    oracle : oracles.RegressionOracle
        It holds X and Y, which are public.
    n_groups, parity, gamma
        As given; the notion as a :class:`~dpfair_teach.fairness.Parity`, its rates' names as ``constraints``.
    rules : (T, ..., d + 1) array
        Coefficients of each round's classifier: accept where (1, x) . rule > 0.
    multipliers : (T, ..., K) array
        The auditor's lambda in each round.
    errors : (T, ...) array
        Of each round's classifier: X and Y are public, so these are.
    denominators : (..., k, 2) array [a, y], or None
        Released sizes of the cells, whole people; NaN where no constraint asks. None where T = 1, which needs no sizes.
    gaps_seen : (T-1, ..., D) array
        Noisy gaps of each round's classifier but the last.
    history : pandas.DataFrame
        One row for each round, and each game of a batch: ``error``, a ``multiplier`` for each constraint, such as ``multiplier FP 1-0 +``,
        and the ``gap`` that was seen, missing in the last round.
    B, eta, epsilon : arrays or floats
        The bound of the multipliers, the auditor's step and the epsilon of each game of the batch.
    releases_ : tuple of accounting.Release
        All that was released, by all games of the batch. Those of *one* game are together (epsilon, delta)-private:
        ``accounting.compose(..., delta, "pld")`` finds it.
    """

    oracle: RegressionOracle = field(repr=False)
    n_groups: int
    parity: Parity
    gamma: np.ndarray = field(repr=False)
    rules: np.ndarray = field(repr=False)
    multipliers: np.ndarray = field(repr=False)
    errors: np.ndarray = field(repr=False)
    denominators: np.ndarray | None = field(repr=False)
    gaps_seen: np.ndarray = field(repr=False)
    B: np.ndarray
    eta: np.ndarray
    epsilon: np.ndarray
    releases_: tuple[Release, ...]

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.rules)

    @property
    def history(self) -> pd.DataFrame:
        return table_of_rounds(self.parity, self.errors.shape[1:], error=self.errors, multiplier=self.multipliers, gap=self.gaps_seen)

    @property
    def constraints(self) -> tuple[str, ...]:
        """The names of the rates that were compared."""
        return tuple(cell.name for cell in self.parity.cells)

    def acceptance_probability(self, X: ArrayLike) -> np.ndarray:
        """P(accept) by the average of the rounds, exact.

        Parameters
        ----------
        X : (n, d) array

        Returns
        -------
        (..., n) array
        """
        return (self.oracle.scores(self.rules, X) > 0).mean(axis=0)


@dataclass(frozen=True, eq=False)
class EvaluatedRegression:
    """What a private loop is worth on the private groups. None of these numbers is private.

    Attributes
    ----------
    n : (k, 2) array [a, y]
        People.
    counts : (T, ..., k, 2) array [a, y]
        Whom each round's classifier accepts.
    errors : (T, ...) array
        Of each round's classifier.
    gaps : (T, ..., D) array
        True gaps of each round's classifier; the rate of an empty cell reads 0.
    error, violation : (...) arrays, or floats
        Of the average of the rounds.
    """

    n: np.ndarray
    counts: np.ndarray = field(repr=False)
    errors: np.ndarray = field(repr=False)
    gaps: np.ndarray = field(repr=False)

    @property
    def error(self) -> np.ndarray:
        return plain(self.errors.mean(axis=0))

    @property
    def violation(self) -> np.ndarray:
        return plain(np.abs(self.gaps.mean(axis=0)).max(axis=-1))


def evaluate_regression(published: PrivateRegressionPlay, A: ArrayLike) -> EvaluatedRegression:
    """Error and violation of a private loop on the people it learned from: it is handed their groups again.

    Source: ours. These numbers are computed from the private groups, so they are no part of what was published, and are not private: they
    are for the teacher's eye.

    Parameters
    ----------
    published : PrivateRegressionPlay
        As :func:`regression_dp_oracle_learner` returns it.
    A : (m,) array of ints 0..k-1
        Of the oracle's people.

    Returns
    -------
    EvaluatedRegression
        ``counts``, ``n``, ``errors``, ``gaps`` of every round; ``error``, ``violation`` of their average.

    Raises
    ------
    ValueError
        No private play of the regression oracle; groups that are not codes of its people.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, A = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    >>> Y = (X[:, 0] + X[:, 1] * A + .3 * rng.normal(size=400) > .5).astype(int)
    >>> play = regression_dp_oracle_learner(RegressionOracle(X, Y), A, .05, 2.0, 1e-6, rng, n_groups=2, rounds=5)
    >>> found = evaluate_regression(play, A)
    >>> found.counts.shape, bool(found.error == play.errors.mean())
    ((5, 2, 2), True)
    """
    if not isinstance(published, PrivateRegressionPlay):
        check.refuse("published", published, "is not what regression_dp_oracle_learner returns", "Give its result.")
    oracle, k, rules = published.oracle, published.n_groups, published.rules
    A, _ = check.groups("A", A, length=oracle.m, n_groups=k)
    one_hot, n = _cells_of(np.asarray(A), oracle.Y, k)
    people = oracle.design.T
    counts = np.stack([_accepted(each.reshape(-1, each.shape[-1]), people, one_hot) for each in rules]).reshape(len(rules), -1, k, 2)
    gaps = published.parity.differences((counts / np.maximum(n, 1.0))[..., labels_of(published.constraints)])
    axes = rules.shape[:-1]
    return EvaluatedRegression(n, counts.reshape(axes + (k, 2)), published.errors, gaps.reshape(axes + (-1,)))


def _cells_of(A: np.ndarray, Y: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Each person's cell as a row of 0 and one 1, (m, 2k), to be :func:`counted`; and how many are in each."""
    code = 2 * np.asarray(A, dtype=np.int64) + Y
    return (code[:, None] == np.arange(2 * k)).astype(np.float32), np.bincount(code, minlength=2 * k).astype(float).reshape(k, 2)


def regression_dp_oracle_learner(oracle: RegressionOracle, A: ArrayLike, gamma: ArrayLike, epsilon: ArrayLike, delta: float,
                                 rng: np.random.Generator, *, n_groups: int, B: ArrayLike | None = None, rounds: int = 10,
                                 eta: ArrayLike | None = None, share: float | None = None, learner_share: float | None = None,
                                 ridge: float = 0.0, constraints: tuple[str, ...] | None = None, notion: OddsNotion | Parity | None = None,
                                 size: int | tuple[int, ...] | None = None, progress: bool = False) -> PrivateRegressionPlay:
    """The loop of Algorithm 5 with the regression oracle, (epsilon, delta)-private: noise on A's part of X'C_1 in every round.

    Source: ours, repairing main text, Section 5. The sizes of the cells are released once and frozen as n~. A round's costs then read A
    through the vector sum over cells of c_ay s_ay, with the public numbers c = m price / n~; one person who changes group moves it by
    (c_a'y - c_ay)(1, x). Gaussian noise with covariance proportional to M = X'X + ridge has, in the norm of M^-1, the sensitivity
    max_y (max_a c_ay - min_a c_ay) times the largest sqrt((1, x)' M^-1 (1, x)): noise where predictions are strong, little where they are
    weak. The auditor counts whom a classifier accepts in each group; with two groups one count a label, sensitivity 1, else sqrt 2. All
    these are Gaussian, so their composition is one Gaussian and the accounting is exact, whatever the order and however adaptive. In the
    first round all prices cancel and nothing is asked; the last round's gaps are never used. With T = 1 nothing private is read at all, and
    ``eta``, ``share``, ``learner_share`` and ``ridge`` are refused.

    Noise is drawn in doubles, and what it is added to is rounded to public grids, so that low digits tell nothing: sizes to whole people,
    counts and the entries of M^-1/2 times the vector, of which a rule is a function, to a power of two, about a thousandth of the noise's
    standard deviation. What remains of doubles, whose chances are multiples of 2^-53 or so: of epsilon 1.2e-11 for each entry and each
    count, and of delta about 120 2^-53 over the sizes' part of epsilon. Both are reckoned for, and an epsilon or a delta that is not above
    them is refused.

    Parameters
    ----------
    oracle : oracles.RegressionOracle
    A : (m,) array of ints 0..k-1
        Private: codes by a list of names that is fixed before A is seen. Which groups and cells occur is private too: an empty one is no
        error, its frozen size is at least 1, and its rate reads 0.
    gamma : float in [0, 1e9], or (...) array
    epsilon : float in [0.000001, 1000], or (...) array
        Of each game.
    delta : float in [1e-100, 0.5]
    rng : numpy.random.Generator
    n_groups : int in 2..1000
        k, public.
    B : float in (0, 1e9], or array that broadcasts with gamma, optional
        By default 1 / gamma, 20 at most.
    rounds : int in 1..10^6
        T.
    eta : float in [1e-12, 1e9], or array, optional
        By default :func:`hedge_rate`'s.
    share : float in (0, 1), optional
        The part of epsilon for the sizes, by default a twentieth.
    learner_share : float in [0.000001, 0.999999], optional
        The learner's part of the Gaussians' budget (of the sum of 1 / sigma^2), by default nine tenths.
    ridge : float in [0, 1e12]
        Added to X'X for the gap scores, a shrinkage, and in M.
    constraints : tuple of "FP", "TP", optional
        By default both.
    notion : str or Parity, optional
        The same in other words: equalized odds, or one of its rates, against group 0.
    size : int or tuple of ints, optional
        Independent repeats, as leading axes. Each is a release.
    progress : bool

    Returns
    -------
    PrivateRegressionPlay
        ``rules``, ``multipliers``, ``errors``, ``acceptance_probability``, ``releases_``; the violation by :func:`evaluate_regression`.

    Raises
    ------
    ValueError
        Not an oracle; shapes that do not broadcast; a number out of range; an epsilon or a delta not above what noise in doubles gives
        away. Never because of who is in which group.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, A = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    >>> Y = (X[:, 0] + X[:, 1] * A + .3 * rng.normal(size=400) > .5).astype(int)
    >>> play = regression_dp_oracle_learner(RegressionOracle(X, Y), A, .05, 2.0, 1e-6, rng, n_groups=2, rounds=5, size=3)
    >>> play.rules.shape, [(r.mechanism, r.times) for r in play.releases_]
    ((5, 3, 4), [('laplace', 3), ('gaussian', 12), ('gaussian', 12)])
    """
    oracle, rng = checked_oracle(oracle), check.rng(rng)
    s = read_loop(oracle, A, gamma, epsilon, delta, label_rates(notion, constraints), n_groups=n_groups, B=B, rounds=rounds, eta=eta,
                  share=share, learner_share=learner_share, ridge=ridge, size=size)
    T, k, people, labels = s.T, s.k, oracle.design.T, labels_of(s.constants.constraints)
    sizes, sensitivity = frozen_cells(s.constants, s.for_sizes.reshape(s.axes), s.axes, rng) if T > 1 else (np.ones(s.axes + (k, 2)), 0.0)
    root, sums, one_hot, n, largest = _vector(oracle, A, k, s.ridge)
    gaps_of, c = s.parity.differences_for(k), np.zeros((s.games, k, 2))
    start = State({"theta": np.zeros((s.games, s.K)), "rules": np.zeros((T, s.games, oracle.d + 1)), "errors": np.zeros((T, s.games)),
                   "multipliers": np.zeros((T, s.games, s.K)), "gaps": np.zeros((T - 1, s.games, s.K // 2)), "sizes": sizes}, rng)

    def step(state: State) -> State:
        t, theta, rules, rng = state.round, state["theta"], state["rules"], state.rng
        assert rng is not None
        # Where no constraint asks, nothing has a price.
        frozen = np.nan_to_num(state["sizes"], nan=1.0).reshape(s.games, k, 2)
        lam = state["multipliers"][t] = weights(theta, s.B)
        c[..., labels] = oracle.m * s.parity.prices_of_rates(charged(signed(lam)), k) / frozen[..., labels]
        if t:
            scale = np.ptp(c, axis=1).max(axis=1) * largest / s.learner
            said = on_grid(c.reshape(s.games, -1) @ sums + _noise(scale, root.shape[1], rng), scale)
        rules[t] = oracle.base - (said @ root.T if t else 0.0)
        counts = _accepted(rules[t], people, one_hot).reshape(s.games, k, 2)
        state["errors"][t] = (counts[..., 0].sum(axis=1) + (n[:, 1].sum() - counts[..., 1].sum(axis=1))) / oracle.m
        if t < T - 1:
            seen = state["gaps"][t] = gaps_of((_measured(counts, n, s.auditor, rng) / frozen)[..., labels])
            theta += s.eta[:, None] * (both_signs(seen) - s.gamma[:, None])
        return state.then()
    state = train(step, start, T, progress=progress).state
    return _published(oracle, s, state, s.records(sensitivity))


def _published(oracle: RegressionOracle, s: LoopSetting, state: State, releases: tuple[Release, ...]) -> PrivateRegressionPlay:
    """All rounds, with the axes that were given."""
    found = [state[name] for name in ("rules", "multipliers", "errors", "gaps")]
    rules, multipliers, errors, seen = (x.reshape(x.shape[:1] + s.axes + x.shape[2:]) for x in found)
    gamma, B, eta, epsilon = s.shown
    sizes = state["sizes"] if s.T > 1 else None
    return PrivateRegressionPlay(oracle, s.k, s.parity, gamma, rules, multipliers, errors, sizes, seen, B, eta, epsilon, releases)


def _vector(oracle: RegressionOracle, A: ArrayLike, k: int, ridge: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]:
    """root with root root' = M^-1, private sums of root' (1, x) over each cell, everybody's cell, the sizes; the longest root' (1, x).

    root' (the vector) gets standard noise: where root has no direction, neither the vector nor the noise is seen. Its entries are rounded
    to a public power of two on which any sum of them is exact: else it would be rounded by who is where, with no noise for that.
    """
    root, white = _root(oracle.design, ridge)
    step = np.ldexp(1.0, np.frexp(np.abs(white).max())[1] + oracle.m.bit_length() - 53)
    white = np.rint(white / step) * step
    one_hot, n = _cells_of(np.asarray(A), oracle.Y, k)
    return root, one_hot.T.astype(float) @ white, one_hot, n, np.sqrt((white ** 2).sum(axis=1).max())


def _root(design: np.ndarray, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    """R with R R' = M^-1, and design R, a row for each person. Directions that the oracle leaves out as rounding are left out here too."""
    m, d = design.shape
    values, vectors = np.linalg.eigh(design.T @ design + ridge * np.eye(d))
    if values[0] > SAFE * values[-1]:
        root = vectors / np.sqrt(values)
        return root, design @ root
    q, r = np.linalg.qr(np.vstack([design, math.sqrt(ridge) * np.eye(d)]) if ridge else design)
    left, singular, right = np.linalg.svd(r, full_matrices=False)
    kept = singular > PRECISE * singular[0]
    standard = lost_to_scale(design, int(kept.sum()), ridge)
    if standard is not None:
        return standard
    return right[kept].T / singular[kept], (q @ left[:, kept])[:m]


def _accepted(rules: np.ndarray, people: np.ndarray, one_hot: np.ndarray) -> np.ndarray:
    """Accepted people of each cell, (G, 2 k).

    Decided in public order, then counted by cell: in an order made from A the rounding of a score near 0 would depend on A.
    """
    return counted(rules @ people > 0, one_hot)


def _noise(scale: np.ndarray, entries: int, rng: np.random.Generator) -> np.ndarray:
    """What the learner adds to each entry of M^-1/2 times its vector, (G, entries)."""
    return rng.standard_normal((len(scale), entries)) * scale[:, None]


def _measured(accepted: np.ndarray, n: np.ndarray, mu: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Noisy counts (G, k, 2): of two groups the second's, the first's being the public rest."""
    if len(n) == 2:
        total = accepted.sum(axis=1)
        one = on_grid(accepted[:, 1] + rng.standard_normal(total.shape) / mu[:, None], 1 / mu)
        return np.stack([total - one, one], axis=1)
    sigma = math.sqrt(2) / mu
    return on_grid(accepted + rng.standard_normal(accepted.shape) * sigma[:, None, None], sigma, 2)
