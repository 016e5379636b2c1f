"""The game solved exactly: two linear programs over the mixtures of a class, however large, in a few columns at a time."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _checks as check
from ..fairness.parity import signed
from ..postprocessing.highs import minimize

__all__: list[str] = []     # the games call these

FIRST, MORE = 2000, 200     # columns that a program begins with, and that each further look adds
PRECISE = 1e-9              # a classifier that would improve the value by less is left out
LOOKS = 100                 # then all columns are taken


@dataclass(frozen=True, eq=False)
class FairERM:
    """The solution of program (5) or (6). With a batch of gammas every field has its axes in front.

    ``value``: the least error of a gamma-fair mixture. ``Q`` (..., H): a mixture that attains it, with weight on no more than D + 1
    classifiers. ``lam`` (..., K): multipliers that prove it, as min over h of L(h, lam) is the value; from B = sum(lam) on, the game has
    the same value. Where several are optimal, as may be at gamma = 0, others may have a smaller sum. ``gap``: ``value`` less what ``lam``
    proves, rounding.
    """

    value: np.ndarray
    Q: np.ndarray
    lam: np.ndarray
    gap: np.ndarray


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """An exact equilibrium: the learner's mixture ``Q`` (..., H), the auditor's multipliers ``lam`` (..., K), ``value`` L(Q, lam)."""

    value: np.ndarray
    Q: np.ndarray
    lam: np.ndarray


def plain(value: Any) -> Any:
    """An array without axes as Python's own number."""
    return value if np.ndim(value) else value.item() if isinstance(value, np.generic | np.ndarray) else value


def _columns_first(errors: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """Where to begin: everything, or the most accurate and the extreme classifiers of a large class."""
    if len(gaps) <= FIRST:
        return np.arange(len(gaps))
    ends = np.concatenate([gaps.argmin(axis=0), gaps.argmax(axis=0), np.abs(gaps).sum(axis=1).argsort()[:MORE]])
    return np.unique(np.concatenate([errors.argsort(kind="stable")[:MORE], ends]))


def _solve(errors: np.ndarray, all_gaps: np.ndarray, penalty: float | None,
           limit: float) -> tuple[float, np.ndarray, np.ndarray] | None:
    """min errors . Q + penalty t over mixtures Q and 0 <= t <= 1 with gaps . Q - t <= limit and -gaps . Q - t <= limit.

    Without ``penalty`` there is no t. Returns the value, Q and lambda, the prices of the rows; None where HiGHS says infeasible.
    Columns are added while the prices say that one would help: that is the learner's best answer to the auditor's prices.
    """
    (H, D), used = all_gaps.shape, _columns_first(errors, all_gaps)
    top, low = np.append(np.full(2 * D, limit), 1.0), np.append(np.full(2 * D, -np.inf), 1.0)
    for look in range(LOOKS):
        used = used if look < LOOKS - 1 else np.arange(H)
        gaps = all_gaps[used].T
        rows, cost = np.vstack([gaps, -gaps, np.ones(len(used))]), errors[used]
        if penalty is not None:
            rows, cost = np.column_stack([rows, np.append(-np.ones(2 * D), 0.0)]), np.append(cost, penalty)
        found = minimize(cost[None], rows[None], top[None], low[None])
        if found is None:
            return None
        x, price = found[0][0], found[1][0]
        lam = price[:2 * D].clip(min=0.0)
        scores = errors + all_gaps @ (lam[:D] - lam[D:])
        best = scores.min()
        if best >= scores[used].min() - PRECISE or len(used) == H:
            Q = np.zeros(H)
            Q[used] = x[:len(used)].clip(min=0.0)
            Q /= Q.sum()
            return float(cost @ x), Q, np.stack([lam[:D], lam[D:]], axis=1).ravel()
        used = np.union1d(used, np.argpartition(scores, MORE)[:MORE])
    raise AssertionError("the last look has all columns and returns")


def _solved(errors: np.ndarray, all_gaps: np.ndarray, penalty: float, limit: float) -> tuple[float, np.ndarray, np.ndarray]:
    """The same with a penalty: then every mixture is allowed, and there is an answer."""
    found = _solve(errors, all_gaps, penalty, limit)
    assert found is not None
    return found


def smallest_violation(gaps: np.ndarray) -> float:
    """The smallest violation of any mixture of the class."""
    return _solved(np.zeros(len(gaps)), gaps, 1.0, 0.0)[0]


def solve_fair_erm(errors: np.ndarray, gaps: np.ndarray, gammas: np.ndarray) -> FairERM:
    """Program (5), for each gamma."""
    answers, least, H = [], None, len(gaps)
    for gamma in gammas.ravel():
        # The first columns of a large class may hold no fair mixture; the game, whose prices are finite, is solved there instead.
        start = _solve(errors, gaps, None, gamma) if H <= FIRST else None
        if start is None:
            least = smallest_violation(gaps) if least is None else least
            if least > gamma + PRECISE:
                check.refuse("gamma", float(gamma), f"no mixture of these {H} classifiers is that fair: the smallest "
                             f"violation is {least:.6g}", "Raise gamma, or add the constant classifiers (with_constants).")
            start = _exact_penalty(errors, gaps, gamma)
        value, Q, lam = start
        proof = (errors + gaps @ signed(lam)).min() - gamma * lam.sum()
        answers.append((value, Q, lam, value - proof))
    return FairERM(*_gathered(answers, gammas.shape))


def _exact_penalty(errors: np.ndarray, gaps: np.ndarray, gamma: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Program (5) through the game: from some B on the two agree, and the game is never infeasible."""
    B = 16.0
    while True:
        _, Q, lam = _solved(errors, gaps, B, gamma)
        if np.abs(Q @ gaps).max() <= gamma + PRECISE or B > 1e9:
            return float(Q @ errors), Q, lam
        B *= 16


def solve_game(errors: np.ndarray, gaps: np.ndarray, gammas: np.ndarray, B: np.ndarray, any_sign: bool) -> Equilibrium:
    """The game's value, for each gamma and B. ``any_sign``: lambda of any sign with l1 norm at most B."""
    axes = np.broadcast_shapes(B.shape, gammas.shape)
    answers = []
    for b, gamma in zip(np.broadcast_to(B, axes).ravel(), np.broadcast_to(gammas, axes).ravel(), strict=True):
        found = _solve(errors, gaps, b, 0.0 if any_sign else gamma)
        if found is None:
            check.refuse("B", float(b), "the solver has no answer for a price of that size", "Choose a smaller B.")
        value, Q, lam = found
        if any_sign:
            # The largest |r_k| is |gap| + gamma, at the constraint of the pair that holds: its multiplier is negative. What is left of B
            # goes to a pair in equal parts: that moves no gap and costs the learner gamma.
            lam = -lam.reshape(-1, 2)[:, ::-1].ravel()
            lam[:2] -= max(b + lam.sum(), 0.0) / 2
            value += b * gamma
        answers.append((value, Q, lam))
    return Equilibrium(*_gathered(answers, axes))


def _gathered(answers, axes):
    """One array for each field, with the axes of the batch; single numbers as floats."""
    return tuple(plain(np.array(field).reshape(axes + np.shape(field[0]))) for field in zip(*answers, strict=True))
