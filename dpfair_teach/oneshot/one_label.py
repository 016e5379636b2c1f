"""The belief and the designed question where they fit a few lines: one label, two groups, one gap."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from .. import _checks as check
from .thresholds import as_many

__all__ = ["winners_curse_bound", "gap_question", "logit_posterior"]


def logit_posterior(
    queries: ArrayLike, answers: ArrayLike, variances: ArrayLike,
    features: ArrayLike, share: float,
) -> np.ndarray:
    """E[A_i | answers] for the people of one label, where A_i is a coin of chance sigmoid(logit(share) + features w), w ~ N(0, I).

    Source: ours, chapter 14, the belief. An answer is queries A + noise: its variance given w has the coins' part and the noise's. The
    w that explains the answers best where chances are linear about it is found by linearizing again and again, with half a step where it
    turns round; then what an answer tells of people beyond their chances is added. Of both labels, any number of groups and very many
    people: :func:`fit_group_posterior`.

    Parameters
    ----------
    queries : array (q, N)
        With what each answer counts each person.
    answers : array (q,)
    variances : array (q,), above 0
        Of each answer's noise.
    features : array (N, d)
        Public; their inner products are the prior covariance of the logits.
    share : float in [0.001, 0.999]
        Of group 1, before any answer.

    Returns
    -------
    array (N,); values may leave [0, 1], as a normal law's

    Raises
    ------
    ValueError
        Shapes that do not fit, numbers out of range.

    Examples
    --------
    Four people, two cells of two; 1.8 of the first two, and none of the others, by the noisy counts:

    >>> E = logit_posterior([[1, 1, 0, 0], [0, 0, 1, 1]], [1.8, 0], [.1, .1], np.eye(4)[:, :2] + np.eye(4)[:, 2:], .5)
    >>> E.round(2).tolist()
    [0.83, 0.83, 0.08, 0.08]
    """
    Q = check.array("queries", queries, ndim=2, low=-1e6, high=1e6)
    check.filled("queries", Q, "weight")
    q, n = Q.shape
    t = check.array("answers", answers, shape=(q,), low=-1e12, high=1e12)
    noise = check.array("variances", variances, shape=(q,), low=1e-12, high=1e24)
    F = check.array("features", features, shape=(n, None), low=-1e6, high=1e6)
    base = logit(check.number("share", share, low=1e-3, high=1 - 1e-3))
    w, before, size = np.zeros(F.shape[1]), np.zeros(n), 1.0
    for _ in range(500):
        p = expit(base + F @ w)
        D = p * (1 - p)
        slopes = Q @ (D[:, None] * F)
        covariance = slopes @ slopes.T + (Q * D) @ Q.T + np.diag(noise)
        pull = np.linalg.solve(covariance, t - Q @ p + slopes @ w)
        step = slopes.T @ pull - w
        scores = F @ step
        moved = np.abs(scores).max(initial=0.0)
        if moved < 1e-6:
            break
        size, before = size * (0.5 if scores @ before < 0 else 1.0), scores
        w = w + step * size * min(1.0, 2.0 / moved)
    return p + D * (Q.T @ pull)


@dataclass(frozen=True)
class GapQuestion:
    """The best weights for one gap.

    Parameters
    ----------
    weights : array (n,) in [-1, 1]
        With which each person is counted.
    tau : float
        Gaps of this size and larger ones get weight 1; smaller ones in proportion.
    left : float
        Of the gap's variance, what the answer leaves.

    Examples
    --------
    >>> gap_question([1.0, 0.1], [.25, .25], 0.0625).tau
    0.8
    """

    weights: np.ndarray
    tau: float
    left: float


def gap_question(gap: ArrayLike, variances: ArrayLike, noise: float) -> GapQuestion:
    """Of all weights in [-1, 1] those after whose one noisy answer the sum of gap_i A_i is in least doubt, for independent people.

    Source: ours, chapter 14, the question for one gap. Who moves the gap by c_i gets the weight c_i / tau, at most 1 in size, where noise
    tau = the sum of D_i (|c_i| - tau)+. What is left of the variance, the sum of D_i c_i^2, is the sum of D_i |c_i| (|c_i| - tau)+. Little
    noise: weights in proportion to the gap, and nothing left. Much: everybody counts fully, on one side or the other.

    Parameters
    ----------
    gap : array (n,), not all 0
        How much each person's group moves it.
    variances : array (n,), above 0
        D, of each person's group.
    noise : float in [1e-9, 1e12]
        The variance of the answer's noise.

    Raises
    ------
    ValueError
        Shapes that do not fit, numbers out of range, a gap that nobody moves.

    Examples
    --------
    >>> found = gap_question([1.0, -0.5, 0.1], [.25, .25, .25], 1.0)
    >>> found.weights.round(2).tolist(), round(found.tau, 2), round(found.left, 3)
    ([1.0, -1.0, 0.4], 0.25, 0.219)
    """
    c = check.filled("gap", check.array("gap", gap, ndim=1, low=-1e100, high=1e100), "person")
    D = check.array("variances", variances, ndim=1, low=1e-12, high=1e12)
    as_many("variances", D, "gap", len(c))
    noise, most = check.number("noise", noise, low=1e-9, high=1e12), float(np.abs(c).max())
    if most == 0:
        check.refuse("gap", 0.0, "is moved by nobody", "Give somebody a part in it.")
    c = c / most                                            # tiny gaps would have no tau in doubles
    order = np.argsort(-np.abs(c))
    size, weight = np.abs(c)[order], D[order]
    tau = float((np.cumsum(weight * size) / (noise + np.cumsum(weight))).max())     # more people raise it as long as they are above it
    left = float((D * np.abs(c) * np.maximum(np.abs(c) - tau, 0.0)).sum())
    return GapQuestion(np.clip(c / tau, -1.0, 1.0), tau * most, left * most**2)


def winners_curse_bound(deviation: float, candidates: int, law: Literal["normal", "laplace"] = "normal") -> float:
    """How much larger than claimed the gap of a candidate is on average at most, whichever is chosen of those fixed before the noise.

    Source: ours, chapter 14, the winner's curse. Of errors that are sub-Gaussian with this deviation, deviation sqrt(2 ln(2 candidates)).
    The tails of one noise are longer: of Laplace errors of scale b, deviation sqrt(2) b, and of whatever has
    Pr[|error| > x] <= 2 exp(-x / b), such as two-sided geometric noise of scale b, it is b (1 + ln(2 candidates)): give sqrt(2) b, as its
    own deviation is smaller.

    Parameters
    ----------
    deviation : float in [0, 1e9]
        Of each candidate's estimate.
    candidates : int in 1..10^15
        Among how many it was chosen.
    law : {"normal", "laplace"}
        Whose tails the errors have: of sums of many, or of one noise.

    Raises
    ------
    ValueError
        A law that is neither, numbers out of range.

    Examples
    --------
    >>> [round(winners_curse_bound(.02, n), 3) for n in (1, 10, 1683)]
    [0.024, 0.049, 0.081]
    >>> [round(winners_curse_bound(.02, n, "laplace"), 3) for n in (1, 10, 1683)]
    [0.024, 0.057, 0.129]
    """
    deviation = check.number("deviation", deviation, low=0.0, high=1e9)
    several = np.log(2 * check.integer("candidates", candidates, low=1, high=10**15))
    if check.choice("law", law, ("normal", "laplace")) == "laplace":
        return float(deviation / np.sqrt(2) * (1 + several))
    return float(deviation * np.sqrt(2 * several))
