"""What post-processing gives at each tolerance: error and violation of every noise draw, their means and intervals.

One noise draw is one release, and serves every tolerance gamma. Error and violation are exact expectations under the true counts, so the
noise of the release is the only thing that is sampled. The violation is of equalized odds, against group 0. Intervals are by the bootstrap:
how far would a mean over repeats move if the repeats were drawn again?
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .. import fairness, postprocessing
from .protocol import BETA

__all__ = ["bootstrap_means", "draws_over_splits", "free_points", "postprocessing_draws"]

ODDS = "It is equalized odds against group 0, as in the papers' figures."

CurveMethod = Literal["as_printed", "as_printed_no_slack", "public_margins_laplace", "public_margins", "score_bins"]
NegativeSlack = Literal["unconstrained", "left_out"]

#: Ways to release the table and to read it, by the name that the stored tables use: a method of ``DPPostProcessing``, its noise and slack.
#: ``public_margins`` and ``score_bins`` have the law of the estimator's noise: K-norm, which is geometric for two groups. With Laplace
#: noise, the kind of the printed algorithm, margins are ``public_margins_laplace``: for two groups of scale 1 / epsilon on one count a
#: public cell; for more, of scale 2 / epsilon on every cell, projected onto the public sums.
METHODS: dict[CurveMethod, dict[str, Any]] = {
    "as_printed": {"method": "as_printed", "noise": "laplace", "slack": True},
    "as_printed_no_slack": {"method": "as_printed", "noise": "laplace", "slack": False},
    "public_margins_laplace": {"method": "public_margins", "noise": "laplace", "slack": False},
    "public_margins": {"method": "public_margins", "noise": "k_norm", "slack": False},
    "score_bins": {"method": "score_bins", "noise": "k_norm", "slack": False},
}

_ANCHORED = fairness.Parity("equalized_odds", "anchor")
_PROGRAMS_AT_ONCE = 20_000  # keeps the arrays of a batch within the processor's cache
#: How often repeats are drawn again for an interval.
RESAMPLES = 1000
_COUNTS_AT_ONCE = 10**7  # 80 MB; the stream does not depend on it


def _table(name: str, value: ArrayLike, b: int | None = 2) -> np.ndarray:
    """True counts [yhat, a, y] in people; error and violation are read on them, so no (group, label) may be empty."""
    counts = check.array(name, value, shape=(b, None, 2), low=0.0, high=1e12, booleans=False)
    if counts.shape[0] < 2:
        check.refuse(name, counts.shape, "has fewer than two predictions", "Give a table of two answers, or of two score bins or more.")
    if counts.shape[1] < 2:
        check.refuse(name, counts.shape, "has fewer than two groups", "Fairness between groups needs two of them.")
    _ANCHORED.require(name, counts.sum(axis=0), "Merge groups or leave the group out yourself.")
    return counts


def bootstrap_means(values: ArrayLike, rng: np.random.Generator, *, resamples: int = RESAMPLES) -> np.ndarray:
    """Means over repeats drawn again with replacement, (resamples, ...); the same draw of repeats for all trailing entries.

    Source: none in the papers; B. Efron's percentile bootstrap.

    Parameters
    ----------
    values : array_like, shape (R, ...), R >= 2
    rng : numpy.random.Generator
    resamples : int from 2 to a million

    Returns
    -------
    ndarray, shape (resamples, ...)

    Examples
    --------
    >>> bootstrap_means([1., 1., 1.], np.random.default_rng(0), resamples=2).tolist()
    [1.0, 1.0]
    """
    values = _repeats(values)
    rng, resamples = check.rng(rng), check.integer("resamples", resamples, low=2, high=10**6)
    check.size(resamples, values.shape[1:], "resamples")
    # How often each repeat is drawn is one multinomial vector a resample.
    n, at_once = len(values), max(1, _COUNTS_AT_ONCE // len(values))
    return np.concatenate([
        np.tensordot(rng.multinomial(n, np.full(n, 1 / n), size=min(at_once, resamples - start)) / n, values, axes=1)
        for start in range(0, resamples, at_once)])


def _repeats(values: ArrayLike) -> np.ndarray:
    """Values with one entry a repeat, of which there must be two."""
    values = check.array("values", values, low=-1e150, high=1e150)
    if values.ndim == 0 or len(values) < 2 or values.size == 0:
        check.refuse("values", values.shape, "needs at least two repeats along its first axis",
                     "Run more repeats: one draw says nothing about its own spread.")
    return values


def bootstrap_interval(values: ArrayLike, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, lower and upper end of its 95 % percentile interval over repeats drawn again, for each trailing entry."""
    values = _repeats(values)
    low, high = np.quantile(bootstrap_means(values, rng, resamples=RESAMPLES), [0.025, 0.975], axis=0)
    return values.mean(axis=0), low, high


def columns_with_interval(name: str, read: Callable[[np.ndarray], float], mean: np.ndarray, resampled: np.ndarray) -> dict[str, float]:
    """Columns ``name``, ``name_low``, ``name_high``: what ``read`` says of the mean, and its 95 % interval over resampled means, or NaN."""
    again = np.array([read(one) for one in resampled])
    low, high = np.quantile(again, [.025, .975]) if not np.isnan(again).any() else (np.nan, np.nan)
    return {name: float(read(mean)), f"{name}_low": float(low), f"{name}_high": float(high)}


@check.formerly(notion=ODDS, against=ODDS)
def free_points(counts: ArrayLike) -> np.ndarray:
    """The two points that cost no privacy, rows [0, error] of the better constant and [violation, error] of the base classifier as it is.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    counts : array_like, shape (2, k, 2), people by [yhat, a, y]

    Returns
    -------
    ndarray, shape (2, 2)

    Examples
    --------
    >>> free_points([[[2, 1], [2, 0]], [[0, 2], [1, 2]]]).round(3).tolist()
    [[0.0, 0.5], [0.333, 0.2]]
    """
    counts = _table("counts", counts)
    labels = counts.sum(axis=(0, 1))
    return np.array([[0.0, labels.min() / labels.sum()], [float(_ANCHORED.violation(counts)), float(fairness.error(counts))]])


@dataclass(frozen=True)
class Draws:
    """Error and violation of every draw, each one release, at every tolerance: what :func:`postprocessing_draws` returns.

    ``error``, ``violation``: (R, G) arrays, a row a draw, a column a tolerance of ``gammas``; ``kept``: (R,) booleans, which draws count.
    """

    error: np.ndarray
    violation: np.ndarray
    kept: np.ndarray
    gammas: tuple[float, ...]

    def means(self) -> np.ndarray:
        """The curve: mean violation and mean error over the draws that are kept, (G, 2)."""
        return self.curves()[self.kept].mean(axis=0)

    def curves(self) -> np.ndarray:
        """The curve of every draw, (R, G, 2): violation and error. A repeat is one release, so whole curves are resampled."""
        return np.stack([self.violation, self.error], axis=-1)

    def rows(self, rng: np.random.Generator) -> list[dict[str, float]]:
        """One row a gamma: means over the draws that are kept and their bootstrap intervals, NaN where fewer than two are."""
        names, summary = ("error", "violation"), np.full((3, len(self.gammas), 2), np.nan)
        if self.kept.sum() >= 2:
            summary = np.stack(bootstrap_interval(np.stack([self.error, self.violation], axis=-1)[self.kept], rng))
        left_out = 1.0 - self.kept.mean()
        return [{"gamma": gamma}
                | {name: float(summary[0, g, n]) for n, name in enumerate(names)}
                | {f"{name}_{end}": float(summary[e, g, n])
                   for n, name in enumerate(names) for e, end in ((1, "low"), (2, "high"))}
                | {"share_left_out": float(left_out)} for g, gamma in enumerate(self.gammas)]


def _release(counts: np.ndarray, method: CurveMethod, epsilon: float, repeats: int, rng: np.random.Generator) -> np.ndarray:
    """The noisy tables of all repeats, (R, b, k, 2), in people; at epsilon = inf the true one, R times."""
    if np.isinf(epsilon):
        return np.broadcast_to(counts, (repeats, *counts.shape))
    if METHODS[method]["method"] == "as_printed":
        return postprocessing.noisy_counts(counts, epsilon, rng, repeats, as_printed=METHODS[method]["noise"] == "laplace")
    noise = METHODS[method]["noise"]
    return postprocessing.public_margin_counts(counts, epsilon, rng, repeats, noise, as_printed=noise == "laplace")


@check.formerly(notion=ODDS, against=ODDS)
def postprocessing_draws(counts: ArrayLike, method: CurveMethod, epsilon: float, gammas: ArrayLike, repeats: int,
                         rng: np.random.Generator, *, negative_slack: NegativeSlack | None = None, beta: float | None = None,
                         evaluate_on: ArrayLike | None = None) -> Draws:
    """Release the table ``repeats`` times and solve the program of each release for every gamma.

    Source: supplement, Algorithm 1 (DP-postprocessing) and LP (3); main text, Figure 1, right panel; public margins and score bins: ours.

    Parameters
    ----------
    counts : array_like, shape (2, k, 2), or (b, k, 2) for ``score_bins``
        People by [yhat, a, y]; no (group, label) empty. For ``score_bins`` yhat is the bin, see :func:`base_counts`.
    method : str
        ``as_printed`` is Algorithm 1 with its slack; ``as_printed_no_slack``, ``public_margins``, ``public_margins_laplace`` and
        ``score_bins`` have none.
    epsilon : float from 1e-9 on, with K-norm noise to 1e9
        ``inf`` for no noise and no slack.
    gammas : array_like, shape (G,)
    repeats : int
        Noise draws R, 1 to ten million; with all gammas at most a hundred million numbers.
    rng : numpy.random.Generator
    negative_slack : {"unconstrained", "left_out"}, optional
        What a negative slack of LP (3) means. ``unconstrained``, as without a word: that constraint is absent. ``left_out``: the draw does
        not count (a study of public data may do that, a private algorithm may not). Refused by methods without slack.
    beta : float in (0, 1), optional
        In the slack, by default ``BETA``; refused by the methods without slack.
    evaluate_on : array_like, of the shape of ``counts``, optional
        Counts of other people, to read error and violation on.

    Examples
    --------
    >>> ten = [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    >>> draws = postprocessing_draws(ten, "public_margins", np.inf, [0., 1/3], 1, np.random.default_rng(0))
    >>> draws.error.round(3).tolist(), draws.violation.round(3).tolist()
    ([[0.25, 0.2]], [[0.0, 0.333]])
    """
    method = check.choice("method", method, tuple(METHODS))
    counts = _table("counts", counts, b=None if METHODS[method]["method"] == "score_bins" else 2)
    epsilon = check.number("epsilon", epsilon, low=1e-9, finite=False)
    gammas = check.filled("gammas", check.array("gammas", gammas, ndim=1, low=0.0, booleans=False), "tolerance")
    repeats, rng = check.integer("repeats", repeats, low=1, high=10**7), check.rng(rng)
    check.size(repeats, (max(2 * gammas.size, counts.size),), "repeats")
    if not METHODS[method]["slack"]:
        check.unread(f"method={method!r}", "method='as_printed'", negative_slack=negative_slack, beta=beta)
    if negative_slack is not None:
        check.choice("negative_slack", negative_slack, get_args(NegativeSlack))
    beta = BETA if beta is None else check.beta(beta)
    test = counts if evaluate_on is None else _table("evaluate_on", evaluate_on, b=None)
    if test.shape != counts.shape:
        check.refuse("evaluate_on", test.shape, f"not the shape of counts, {counts.shape}", "Give both by the same predictions and groups.")

    m, total = round(counts.sum()), float(counts.sum())
    if total < 2:
        check.refuse("counts", total, "holds fewer than two people in all", "Give counts of people, not frequencies.")
    if abs(total - m) > 1e-9 * m:       # cells may be expected numbers, whose sum is whole up to rounding
        check.refuse("counts", total, "is the sum of the entries, and no whole number of people", "Give counts of people.")
    q = _release(counts, method, epsilon, repeats, rng) / m
    slack, kept = np.zeros(()), np.ones(repeats, dtype=bool)
    if METHODS[method]["slack"] and np.isfinite(epsilon):
        slack = postprocessing.paper_slack(q, m, epsilon, beta)
    slack = postprocessing.lift_unusable(q, slack, notion=_ANCHORED)
    if METHODS[method]["slack"] and negative_slack == "left_out":
        kept = np.asarray(np.isfinite(slack).all(axis=(1, 2)))

    error, violation = np.empty((2, repeats, gammas.size))
    step = max(1, _PROGRAMS_AT_ONCE // gammas.size)
    for start in range(0, repeats, step):
        part = slice(start, start + step)
        derived = postprocessing.derived_counts(test, postprocessing.solve(q[part, None], gammas, slack[part, None], notion=_ANCHORED).p)
        error[part], violation[part] = fairness.error(derived), _ANCHORED.violation(derived)
    return Draws(error, violation, kept, tuple(gammas.tolist()))


@check.formerly(notion=ODDS, against=ODDS)
def draws_over_splits(pairs: Sequence[tuple[ArrayLike, ArrayLike]], method: CurveMethod, epsilon: float, gammas: ArrayLike, repeats: int,
                      rng: np.random.Generator) -> Draws:
    """A method's curve over several tables, each released and judged on its own people or on others; everything averaged over them.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    pairs : sequence of (counts, evaluate_on)
        Such as :func:`held_out_counts` makes: the table released, and the one judged.
    method, epsilon, gammas : as in :func:`postprocessing_draws`
    repeats : int from 1 to ten million
    rng : numpy.random.Generator

    Examples
    --------
    >>> ten = [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    >>> draws = draws_over_splits([(ten, ten)] * 2, "public_margins", np.inf, [0.], 3, np.random.default_rng(0))
    >>> draws.means().round(3).tolist()
    [[0.0, 0.25]]
    """
    remedy = "Give a list of pairs of tables, such as zip(*held_out_counts(people))."
    parts = []
    for pair in check.filled("pairs", check.entries("pairs", pairs, "a list of pairs (counts, evaluate_on)", remedy), "pair of tables"):
        tables = check.entries("pairs", pair, "a pair (counts, evaluate_on)", remedy)
        if len(tables) != 2:
            check.refuse("pairs", pair, "not a pair (counts, evaluate_on)", remedy)
        released, judged = (_table("pairs", table, b=None) for table in tables)
        if released.shape != judged.shape:
            check.refuse("pairs", (released.shape, judged.shape), "two shapes",
                         "Give both tables of a pair by the same predictions and groups.")
        parts.append(postprocessing_draws(released, method, epsilon, gammas, repeats, rng, evaluate_on=judged))
    return Draws(np.mean([part.error for part in parts], axis=0), np.mean([part.violation for part in parts], axis=0),
                 np.ones(len(parts[0].kept), dtype=bool), parts[0].gammas)
