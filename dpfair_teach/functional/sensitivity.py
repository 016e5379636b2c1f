"""How far the coefficients move when one whole tuple is replaced: as printed, as sharp as we can prove, and found by a search.

People are rows x of norm at most 1. ``domain`` says what else is known of them: "nonnegative", as in Ding et al.; "signed", any sign;
"box", entries in [0, 1] and no bound on the norm, which is all that the printed constants use. Below c is the inner product of the two
rows that are exchanged: |x + x'|^2 <= 2 + 2c, |x - x'|^2 <= 2 - 2c, and the Frobenius norm of xx' - x'x'' is at most sqrt(2 - 2c^2).
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.optimize import minimize_scalar

from .. import _checks as check
from .quadratic import MOST

__all__ = ["fair_l1", "fair_l2", "attained_move", "logistic_l1", "logistic_l2", "worst_pair"]

Norm = Literal["l1", "l2"]
Domain = Literal["nonnegative", "signed", "box"]
DOMAINS: tuple[Domain, ...] = get_args(Domain)
#: The weight of x x' in the log loss.
CURVATURE = 1 / 8
#: How large the steps of the search are at first and at last.
STEP, LAST = 0.5, 1e-3
#: How many drawn starts it has.
STARTS = 64


def logistic_l1(d: int, *, domain: Domain = "nonnegative", as_printed: bool = False) -> float:
    """l1 sensitivity of the log loss's coefficients: certified on the ball, exact on the box.

    Source: Lemma 1 (Ding et al. 2020). As printed d^2/4 + d; on the box d^2/8 + d/2 + 1/2 for d >= 2.

    Parameters
    ----------
    d : int in 1..5000
    domain : {"nonnegative", "signed", "box"}
    as_printed : bool
        For every domain the same; not with "signed", which the paper does not have.

    Examples
    --------
    >>> [round(logistic_l1(10, **how), 2) for how in ({"as_printed": True}, {"domain": "box"}, {})]
    [35.0, 18.0, 4.27]
    """
    d = _features(d, domain, as_printed)
    if as_printed:
        return d**2 / 4 + d
    if domain == "box":
        return _in_box(d, 0.0)
    return _certified(lambda c: math.sqrt(d * (1 + c) / 2), d)


def fair_l1(d: int, alpha: float = 1.0, *, separate: bool = False, domain: Domain = "nonnegative", as_printed: bool = False) -> float:
    """l1 sensitivity with the covariance: alpha times it merged into the coefficients of degree one, or beside them as a block of its own.

    Source: Lemma 2 (Ding et al. 2020), alpha = 1: as printed d^2/4 + 3d. Exact on the box, certified in the ball. From alpha =
    0.1 on it covers the rounding of 10^7 people's covariances, (7 alpha + 1) sqrt(d) 2^-53 m, as it is .08 sqrt(d) above the loss's.

    Parameters
    ----------
    d : as in :func:`logistic_l1`
    alpha : float in [0, 1e6]
        Weight of the covariance; of separate blocks, and as printed, 1.
    separate : bool
    domain, as_printed : as in :func:`logistic_l1`

    Examples
    --------
    >>> [round(fair_l1(10, **how), 2) for how in ({"as_printed": True}, {"domain": "box"}, {})]
    [55.0, 28.0, 8.05]
    """
    d, alpha = _features(d, domain, as_printed), check.number("alpha", alpha, low=0.0, high=1e6)
    if _apart(separate, alpha, as_printed):
        return logistic_l1(d, domain=domain) + {"nonnegative": math.sqrt(2 * d), "signed": 2 * math.sqrt(d), "box": float(d)}[domain]
    if as_printed:
        return _printed_weight(alpha, d**2 / 4 + 3 * d)
    if domain == "box":
        return _in_box(d, alpha)
    if domain == "signed":      # x and x' may oppose the mean row of the others
        return _certified(lambda c: math.sqrt(d) * (math.sqrt((0.5 + alpha)**2 + 0.25 + (0.5 + alpha) * c) + alpha), d, least=-1.0)
    differ = _certified(lambda c: math.sqrt(d * ((1 + c) * (0.5 + alpha) + 2 * alpha**2)), d)
    return max(differ, _same_label(d) + alpha * math.sqrt(2 * d))


def logistic_l2(d: int, *, as_printed: bool = False) -> float:
    """l2 sensitivity of the log loss's coefficients: 1, for every d and for either sign of the features.

    Source: Lemma 3 (Ding et al. 2020). As printed sqrt(d^2/16 + d).

    Parameters
    ----------
    d : as in :func:`logistic_l1`
    as_printed : bool

    Examples
    --------
    >>> logistic_l2(100), round(logistic_l2(100, as_printed=True), 1)
    (1.0, 26.9)
    """
    d = _features(d, "nonnegative", as_printed)
    return math.sqrt(d**2 / 16 + d) if as_printed else 1.0


def fair_l2(d: int, alpha: float = 1.0, *, separate: bool = False, domain: Domain = "nonnegative", as_printed: bool = False) -> float:
    """l2 sensitivity with the covariance: merged into the coefficients of degree one, or beside them as a block of its own.

    Source: Lemma 4 (Ding et al. 2020), alpha = 1: as printed sqrt(d^2/16 + 9d). Attained in the limit of many people, from two features
    on. From alpha = 0.1 on it covers the rounding of 10^7 people's covariances, (7 alpha + 1) 2^-53 m, as it is .1 above the loss's.

    Parameters
    ----------
    d, alpha, separate : as in :func:`fair_l1`
    domain : {"nonnegative", "signed"}
        "box" is refused: it bounds no length.
    as_printed : bool
        Merged only.

    Examples
    --------
    >>> [round(fair_l2(10, **how), 3) for how in ({"as_printed": True}, {}, {"separate": True}, {"alpha": 5.0})]
    [9.811, 2.236, 1.732, 7.81]
    """
    d, alpha = _features(d, domain, as_printed), check.number("alpha", alpha, low=0.0, high=1e6)
    if domain == "box":
        check.refuse("domain", domain, "bounds no length, so l2 grows with d", "Choose 'nonnegative' or 'signed', or fair_l1.")
    if _apart(separate, alpha, as_printed):
        return math.sqrt(3.0 if domain == "nonnegative" else 5.0)
    if as_printed:
        return _printed_weight(alpha, math.sqrt(d**2 / 16 + 9 * d))
    return math.hypot(1 + alpha, alpha) if domain == "nonnegative" else 1 + 2 * alpha


def linear_sensitivity(d: int, norm: Norm, *, as_printed: bool = False) -> float:
    """l1 or l2 sensitivity of the square loss's coefficients, for targets in [-1, 1] and rows of norm at most 1.

    Source: Zhang et al. 2012, linear regression, reconstructed: as printed 2 (1 + d)^2 in l1, with the constant y^2 among the coefficients.
    """
    d = _features(d, "nonnegative", as_printed)
    if check.choice("norm", norm, ("l1", "l2")) == "l2":
        check.unread("norm='l2'", "norm='l1'", as_printed=as_printed or None)
        return 4.0
    if as_printed:
        return 2.0 * (1 + d)**2
    return _certified(lambda c: 2 * math.sqrt(2 * d * (1 + c)), d, weight=1.0)


def _features(d: int, domain: Domain, as_printed: bool) -> int:
    d = check.integer("d", d, low=1, high=MOST)
    check.choice("domain", domain, DOMAINS)
    if check.flag("as_printed", as_printed) and domain == "signed":
        check.refuse("as_printed", as_printed, "the paper's features are at least 0", "Leave one of domain and as_printed out.")
    return d


def _printed_weight(alpha: float, constant: float) -> float:
    if alpha != 1:
        check.refuse("alpha", alpha, "the printed constant is for a covariance of weight 1", "Leave alpha or as_printed out.")
    return constant


def _apart(separate: bool, alpha: float, as_printed: bool) -> bool:
    if check.flag("separate", separate):
        check.unread("separate=True", "merged coefficients", as_printed=as_printed or None, alpha=None if alpha == 1 else alpha)
    return separate


def _in_box(d: int, alpha: float) -> float:
    """x is 1 everywhere and the others' rows are 0; x' adds up to 2, or to 1 where there is one feature."""
    t = min(2, d)
    return (d + t) / 2 + alpha * d + (d**2 - t**2) / 8


def _certified(linear: Callable[[float], float], d: int, *, weight: float = CURVATURE, least: float = 0.0) -> float:
    """The largest over c of a concave bound on the part of degree one and weight times that on the matrix."""
    def bound(c: float) -> float:
        return linear(c) + weight * d * math.sqrt(2 * max(0.0, 1 - c * c))
    return _largest(bound, least, 1.0)


def _same_label(d: int) -> float:
    """Labels agree, x >= 0: the largest over S in [0, 1] of sqrt(d/2) S + d S (2 sqrt(2 - S^2) - S) / 8."""
    return _largest(lambda S: math.sqrt(d / 2) * S + CURVATURE * d * S * (2 * math.sqrt(2 - S * S) - S), 0.0, 1.0)


def _largest(concave: Callable[[float], float], low: float, high: float) -> float:
    """The maximum of a concave function; a search ends within 1e-7 of its place, and the ends are tried too."""
    found = minimize_scalar(lambda x: -concave(x), bounds=(low, high), method="bounded", options={"xatol": 1e-10})
    return float(max(-found.fun, concave(low), concave(high))) * (1 + 1e-12)


class AttainedMove(NamedTuple):
    """A move that one replaced tuple makes: its weighted ``norm``; the row (d,) before and after, ``x`` and ``x_new``, and the mean row of
    the ``others``; whether the two people agree in ``label`` and in ``group``, "same" or "other"."""

    norm: float
    x: np.ndarray
    x_new: np.ndarray
    others: np.ndarray
    label: str
    group: str


class Tuples(NamedTuple):
    """People as their tuples: rows ``X`` (m, d), labels ``y`` and groups ``A`` (m,) of 0/1; a group may be empty."""

    X: np.ndarray
    y: np.ndarray
    A: np.ndarray


def attained_move(d: int, rng: np.random.Generator, *, alpha: float = 0.0, norm: Norm = "l1",
                 weights: tuple[float, float] = (1.0, 1.0), steps: int = 600) -> AttainedMove:
    """The largest move of the coefficients that a search finds: a lower bound on every sensitivity, for x >= 0 in the unit ball.

    Source: ours, against Lemmas 1 to 4 and Theorem 3 (Ding et al. 2020). Rows climb by random steps from drawn starts; labels, groups and
    signs are tried out. For many people: (m - 1) / m counts as 1.

    Parameters
    ----------
    d : int in 1..500
    rng : numpy.random.Generator
        Of the search; nothing private is drawn.
    alpha : float in [0, 1e6]
        Weight of the covariance; 0 for the log loss alone.
    norm : {"l1", "l2"}
    weights : (float, float), at least 0
        Of coefficients with w_1, and of those without: 1/scale of two-scale noise.
    steps : int in 1..100,000

    Examples
    --------
    >>> found = attained_move(2, np.random.default_rng(0), alpha=1.0)
    >>> round(found.norm, 2), found.x.round(2), found.x_new.round(2)
    (3.25, array([1., 0.]), array([0., 1.]))
    """
    d, rng = check.integer("d", d, low=1, high=500), check.rng(rng, drawn="the search")
    alpha, norm = check.number("alpha", alpha, low=0.0, high=1e6), check.choice("norm", norm, ("l1", "l2"))
    pair = check.array("weights", weights, shape=(2,), low=0.0, high=1e100)
    steps = check.integer("steps", steps, low=1, high=100_000)
    on_b, on_H = np.where(np.arange(d) == 0, *pair), np.full((d, d), pair[1])
    on_H[0, :] = on_H[:, 0] = pair[0]
    best = AttainedMove(-1.0, np.zeros(d), np.zeros(d), np.zeros(d), "", "")
    begin = np.stack([*even_rows(d), *rng.random((STARTS, 3, d)) * rng.integers(0, 2, (STARTS, 3, d))])
    for label, group, sign in CASES if alpha else CASES[:2]:
        people, step = projected(begin), np.full(len(begin), STEP)
        now = _norms(people, label, group, sign, alpha, norm, on_b, on_H)
        for _ in range(steps):
            moved = projected(people + step[:, None, None] * rng.normal(size=people.shape) * (rng.random(people.shape) < 0.3))
            new = _norms(moved, label, group, sign, alpha, norm, on_b, on_H)
            people = np.where((new > now)[:, None, None], moved, people)
            step = np.where(new > now, step, np.maximum(step * 0.99, LAST))
            now = np.maximum(now, new)
        if now.max() > best.norm:
            x, new, others = people[now.argmax()]
            best = AttainedMove(float(now.max()), x, new, others, label, group)
    return best


#: (labels, groups, sign of the label's part): all that matters, by the symmetry of exchanging the two people.
CASES = (("other", "other", 1), ("same", "other", 1), ("other", "other", -1), ("same", "other", -1),
         ("other", "same", 1), ("same", "same", 1))


def projected(rows: np.ndarray) -> np.ndarray:
    """Nearest rows of entries >= 0 in the ball."""
    rows = np.maximum(rows, 0.0)
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1.0)


def even_rows(d: int) -> Iterator[np.ndarray]:
    """Rows that are even on the first h features, on the others or on all, and single features: (3, d) of x, x' and the others' mean."""
    for h in sorted({1, 2, d // 3, d // 2, (d + 1) // 2, d - 1, d}):
        if 1 <= h <= d:
            first = np.r_[np.full(h, h**-0.5), np.zeros(d - h)]
            last = np.r_[np.zeros(h), np.full(d - h, (d - h)**-0.5)] if h < d else np.zeros(d)
            yield from (np.stack([first, last, last]), np.stack([first, first, last]), np.stack([first, first, 0 * last]))
            yield from (np.stack([last, first, first]), np.stack([last, last, first]))


def _norms(people: np.ndarray, label: str, group: str, sign: int, alpha: float, norm: str, on_b: np.ndarray,
           on_H: np.ndarray) -> np.ndarray:
    """(S,) weighted norms of the moves of (S, 3, d) triples."""
    x, new, others = people[:, 0], people[:, 1], people[:, 2]
    by_group = x - (others if group == "other" else new)
    b = sign * (x + new if label == "other" else x - new) / 2 + alpha * by_group
    H = (x[:, :, None] * x[:, None] - new[:, :, None] * new[:, None]) / 8
    if norm == "l1":
        return np.abs(b) @ on_b + np.einsum("sij,ij->s", np.abs(H), on_H)
    twice = 2 - np.eye(len(on_b))           # a merged coefficient is two entries of H, and counts once
    return np.sqrt((b**2) @ on_b**2 + np.einsum("sij,ij->s", H**2, on_H**2 * twice))


def worst_pair(d: int, m: int, *, s: int = 0) -> tuple[Tuples, Tuples]:
    """Two data sets that differ in one person's label and group, and in ADFC's coefficients as far as any two do.

    Source: ours, against Theorem 5 (Ding et al. 2020). That person has the feature s and no other, everybody else has another single
    feature, label 0 and group 0.

    Parameters
    ----------
    d : int in 2..5000
    m : int in 2..10^7
        People.
    s : int in 0..d-1

    Returns
    -------
    Tuples, Tuples
        Before and after.

    Examples
    --------
    >>> from dpfair_teach.functional import merged_quadratic
    >>> D, D_new = worst_pair(3, 100)
    >>> merged_quadratic(*D).b - merged_quadratic(*D_new).b
    array([ 1.99, -0.99,  0.  ])
    """
    d, m = check.integer("d", d, low=2, high=MOST), check.integer("m", m, low=2, high=10**7)
    s = check.integer("s", s, low=0, high=d - 1)
    X: np.ndarray = np.zeros((m, d))
    X[0, s] = X[1:, 1 if s == 0 else 0] = 1.0
    first = (np.arange(m) == 0).astype(int)
    return Tuples(X, 0 * first, first), Tuples(X, first, 0 * first)
