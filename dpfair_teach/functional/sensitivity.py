"""How far the coefficients move when one whole tuple is replaced: as printed, and as sharp as we can prove.

People are rows x of norm at most 1. ``domain`` says what else is known of them: "nonnegative", as in Ding et al.; "signed", any sign;
"box", entries in [0, 1] and no bound on the norm, which is all that the printed constants use. Throughout c is the inner product of the
two rows that are exchanged: |x + x'|^2 <= 2 + 2c, |x - x'|^2 <= 2 - 2c, and the Frobenius norm of xx' - x'x'' is at most sqrt(2 - 2c^2).
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, get_args

from scipy.optimize import minimize_scalar

from .. import _checks as check
from .quadratic import MOST

__all__ = ["fair_l1", "fair_l2", "linear_l1", "linear_l2", "logistic_l1", "logistic_l2"]

Domain = Literal["nonnegative", "signed", "box"]
DOMAINS: tuple[Domain, ...] = get_args(Domain)
#: The weight of x x' in the log loss.
CURVATURE = 1 / 8


def logistic_l1(d: int, *, domain: Domain = "nonnegative", as_printed: bool = False) -> float:
    """l1 sensitivity of the log loss's coefficients: certified on the ball, exact on the box.

    Source: Lemma 1 (Ding et al. 2020). As printed d^2/4 + d, which reads only that entries are in [0, 1]. On that box d^2/8 + d/2 + 1/2 is
    exact for d >= 2. In the ball at most the largest over c of sqrt(d (1 + c) / 2) + d sqrt(2 - 2c^2) / 8, for either sign of the features:
    the l1 norm of a vector is at most sqrt(d) times its length, that of a matrix d times its Frobenius norm.

    Parameters
    ----------
    d : int in 1..5000
        Features.
    domain : {"nonnegative", "signed", "box"}
    as_printed : bool
        For every domain the same; not with "signed", which the paper does not have.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        d out of range, an unknown domain, ``as_printed`` for signed features.

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

    Source: Lemma 2 (Ding et al. 2020), alpha = 1: as printed d^2/4 + 3d. The mean of the group moves with everybody, so a replaced tuple
    moves every term: c - c' = a [(z - r)(x - g) - (z' - r)(x' - g)], with r the share of the group and g the mean row among the others and
    a = (m - 1) / m; here a counts as 1. On the box d^2/8 + (1/2 + alpha) d + 1/2 is exact. In the ball, for x >= 0, the larger of two
    bounds: for labels that differ as in :func:`logistic_l1`, for labels that agree alpha sqrt(2d) more than without the covariance.
    Separate blocks add up: sqrt(2d) for the covariance, of signed features 2 sqrt(d), on the box d.

    Parameters
    ----------
    d : int in 1..5000
    alpha : float in [0, 1e6]
        Weight of the covariance; of separate blocks, and as printed, 1: the constant does not know it.
    separate : bool
    domain : {"nonnegative", "signed", "box"}
    as_printed : bool

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`logistic_l1`; another alpha than 1 as printed; ``separate`` as printed or with another alpha.

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

    Source: Lemma 3 (Ding et al. 2020). As printed sqrt(d^2/16 + d). By the inner product c the squared move is at most
    (1 + c) / 2 + (1 - c^2) / 16 where labels differ and (1 - c) / 2 + (1 - c^2) / 16 where they agree: both are at most 1. One changed
    label moves by the length of x, which may be 1. It holds for coefficients of monomials, and so for half of each off-diagonal one twice.

    Parameters
    ----------
    d : int in 1..5000
    as_printed : bool

    Returns
    -------
    float

    Raises
    ------
    ValueError
        d out of range.

    Examples
    --------
    >>> logistic_l2(100), round(logistic_l2(100, as_printed=True), 1)
    (1.0, 26.9)
    """
    d = _features(d, "nonnegative", as_printed)
    return math.sqrt(d**2 / 16 + d) if as_printed else 1.0


def fair_l2(d: int, alpha: float = 1.0, *, separate: bool = False, domain: Domain = "nonnegative", as_printed: bool = False) -> float:
    """l2 sensitivity with the covariance: merged into the coefficients of degree one, or beside them as a block of its own.

    Source: Lemma 4 (Ding et al. 2020), alpha = 1: as printed sqrt(d^2/16 + 9d). Merged it is hypot(1 + alpha, alpha) for x >= 0 and
    1 + 2 alpha for signed features; separate, sqrt(1 + 2) and sqrt(1 + 4), whatever alpha, which is then no part of what is released. All
    four are attained in the limit of many people, from two features on.

    Parameters
    ----------
    d : int in 1..5000
    alpha : float in [0, 1e6]
        Weight of the covariance; of separate blocks, and as printed, 1.
    separate : bool
    domain : {"nonnegative", "signed"}
        "box" is refused: it bounds no length.
    as_printed : bool
        Merged only.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`fair_l1`; ``separate`` as printed or with another alpha; the box, which bounds no length.

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


def linear_l1(d: int, *, as_printed: bool = False) -> float:
    """l1 sensitivity of the square loss's coefficients, for targets in [-1, 1] and rows of norm at most 1.

    Source: Zhang et al. 2012, linear regression, reconstructed: as printed 2 (1 + d)^2, with the constant y^2 among the coefficients.
    Without it, certified by the largest over c of 2 sqrt(2 d (1 + c)) + d sqrt(2 - 2c^2).

    Parameters
    ----------
    d : int in 1..5000
    as_printed : bool

    Returns
    -------
    float

    Raises
    ------
    ValueError
        d out of range.

    Examples
    --------
    >>> round(linear_l1(10, as_printed=True), 1), round(linear_l1(10), 1)
    (242.0, 23.7)
    """
    d = _features(d, "nonnegative", as_printed)
    if as_printed:
        return 2.0 * (1 + d)**2
    return _certified(lambda c: 2 * math.sqrt(2 * d * (1 + c)), d, weight=1.0)


def linear_l2() -> float:
    """l2 sensitivity of the square loss's coefficients: 4 for every d, targets in [-1, 1], rows of norm at most 1.

    Source: ours. The linear part moves by at most 2 |yx - y'x'|, the matrix by 1 a monomial: squared at most
    8 (1 + c) + 4 (1 - c^2) <= 16, attained by y = 1 and y' = -1 on one row of norm 1.

    Returns
    -------
    float

    Examples
    --------
    >>> linear_l2()
    4.0
    """
    return 4.0


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
