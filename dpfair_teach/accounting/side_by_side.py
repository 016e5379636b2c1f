"""The same releases by our accountants, by dp-accounting's from the releases' events, and by brute force where the laws are few."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, stats

from .. import _checks as check
from ..mechanisms import UNIT_A, UNIT_TUPLE, Release
from ..mechanisms.records import package
from .adding import compose
from .loss_distribution import Theirs, event_epsilon
from .records import alike, records_of

__all__ = ["brute_force_epsilon", "side_by_side"]

#: Cells of one answer's axis, and of all answers together.
_CELLS, _MOST_CELLS = 1000, 4 * 10**6


def brute_force_epsilon(releases: Release | list[Release], delta: float) -> float:
    """The epsilon of a few releases from the probabilities of all their answers, in both orders of the neighbours; from below.

    Source: supplement, Definition 1.2. Each answer's line is cut into cells, and the probabilities of the cells under the worst pair of
    laws are multiplied: delta is the sum of (P - exp(epsilon) Q)_+. Cutting is post-processing, so what comes out is never above the
    truth, and no sum of losses, no moment and no grid of losses is used on the way.

    Parameters
    ----------
    releases : Release or list of Release
        Of laplace, gaussian (also on a sample), geometric or randomized response, at most three runs in all.
    delta : float in [1e-9, 0.5]

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Another mechanism, more than three runs, units or relations that differ, a number out of range.

    Examples
    --------
    >>> two = Release("gaussian", UNIT_A, sensitivity=1, scale=2.0, times=2)
    >>> from dpfair_teach.mechanisms import gaussian_delta
    >>> f"{gaussian_delta(math.sqrt(2), 2.0, brute_force_epsilon(two, 1e-3)):.3g}"
    '0.001'
    """
    records = records_of(releases)
    alike(records)
    delta = check.number("delta", delta, low=1e-9, high=0.5)
    runs = [record for record in records for _ in range(min(record.times, 4))]
    if len(runs) > 3:
        check.refuse("releases", records[0], "more than three runs", "Take compose(..., method='pld').")
    P, Q = np.ones(1), np.ones(1)
    lines = sum(record.mechanism in ("laplace", "gaussian") for record in runs)
    for record in sorted(runs, key=lambda record: record.mechanism in ("laplace", "gaussian")):     # whole answers first
        p, q = _cells(record, min(_CELLS, int((_MOST_CELLS / len(P)) ** (1 / max(lines, 1)))))
        P, Q, lines = np.outer(P, p).ravel(), np.outer(Q, q).ravel(), lines - (record.mechanism in ("laplace", "gaussian"))
    return max(_smallest(P, Q, delta), _smallest(Q, P, delta))


def _smallest(P: np.ndarray, Q: np.ndarray, delta: float) -> float:
    """The epsilon at which the sum of (P - exp(epsilon) Q)_+ is delta: those cells help whose ratio is above exp(epsilon)."""
    falling = np.argsort(Q / np.maximum(P, 1e-300))
    p, q, ratio = np.cumsum(P[falling]), np.cumsum(Q[falling]), (Q / np.maximum(P, 1e-300))[falling]

    def excess(epsilon: float) -> float:
        helping = np.searchsorted(ratio, math.exp(-epsilon))
        return float(p[helping - 1] - math.exp(epsilon) * q[helping - 1]) - delta if helping else -delta

    return 0.0 if excess(0.0) <= 0 else float(optimize.brentq(excess, 0.0, 100.0, xtol=1e-9))


def _cells(record: Release, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of an answer's cells under the worst pair of laws, written down from the mechanism's definition."""
    run: Any = record       # each mechanism has the numbers that are read of it
    s, c = run.sensitivity, run.scale
    if record.mechanism == "randomized response":
        truth = 1 / (1 + math.exp(-run.epsilon))
        return np.array([truth, 1 - truth]), np.array([1 - truth, truth])
    if record.mechanism == "geometric":
        at = np.arange(-math.ceil(30 * c), math.ceil(s + 30 * c) + 1)
        return stats.dlaplace.pmf(at, 1 / c), stats.dlaplace.pmf(at - s, 1 / c)
    noise = {"laplace": stats.laplace, "gaussian": stats.norm}.get(record.mechanism)
    if noise is None:
        check.refuse("releases", record, "its law is not listed here", "Take compose(..., method='pld').")
    reach = noise.isf(1e-13)
    edges = np.concatenate([[-np.inf], np.linspace(-reach * c - s, reach * c + s, cells - 1), [np.inf]])

    def law(shift: float) -> np.ndarray:        # of the upper half the small differences are those of the tail
        up = edges[:-1] > shift
        return np.where(up, -np.diff(noise.sf(edges, shift, c)), np.diff(noise.cdf(edges, shift, c)))

    q, absent = record.sampling_probability, law(0.0)
    if q == 1:
        return absent, law(s)
    if record.relation.startswith("replace"):
        return (1 - q) * absent + q * law(s / 2), (1 - q) * absent + q * law(-s / 2)
    return (1 - q) * absent + q * law(s), absent


def _examples() -> dict[str, tuple[list[Release], float]]:
    def gaussian(scale: float, times: int, unit: str = UNIT_A, **how: Any) -> Release:
        return Release("gaussian", unit, sensitivity=1.0, scale=scale, times=times, **how)

    sampled: dict[str, Any] = {"sampling_probability": 0.1}
    many: dict[str, Any] = {"sampling_probability": 0.01, "times": 1000, "scale": 1.0}
    laplace, coin = Release("laplace", UNIT_A, sensitivity=1, scale=2.0), Release("randomized response", UNIT_A, epsilon=0.7)
    counts = Release("geometric", UNIT_A, sensitivity=2, scale=3.0)
    added: dict[str, Any] = {"relation": "add or remove one tuple", "unit": UNIT_TUPLE}
    return {
        "gaussian": ([gaussian(2.0, 3)], 1e-3),
        "gaussian, 98 runs": ([gaussian(20.0, 98)], 1e-6),
        "gaussians of two scales": ([gaussian(2.0, 1), gaussian(5.0, 2)], 1e-3),
        "sampled, replace one A": ([gaussian(1.0, 2, **sampled)], 1e-3),
        "sampled, replace one tuple": ([gaussian(0.7, 2, unit=UNIT_TUPLE, **sampled)], 1e-3),
        "sampled, add or remove one tuple": ([gaussian(1.0, 2, **sampled, **added)], 1e-3),
        "sampled, replace, 1000 runs": ([gaussian(**many)], 1e-5),
        "sampled, add or remove, 1000 runs": ([gaussian(**many, **added)], 1e-5),
        "gaussian and laplace": ([gaussian(2.0, 1), laplace], 1e-3),
        "gaussian, laplace, geometric": ([gaussian(2.0, 1), laplace, counts], 1e-3),
        "sampled and gaussian": ([gaussian(1.0, 1, **sampled), gaussian(4.0, 1)], 1e-3),
        "sampled, laplace, randomized response": ([gaussian(1.0, 1, **sampled), laplace, coin], 1e-3),
    }


def side_by_side(releases: Release | list[Release] | None = None, delta: float | None = None) -> pd.DataFrame:
    """Releases, and their epsilon by every road; without any, lists of every sort: ``python -m dpfair_teach.accounting`` prints that table.

    Source: :func:`compose`; dp-accounting's accountants from ``Release.event``; :func:`brute_force_epsilon`.

    Parameters
    ----------
    releases : Release or list of Release, optional
        All with the same unit and relation.
    delta : float in [1e-9, 0.5], optional
        Theirs; 1e-3 if None.

    Returns
    -------
    pandas.DataFrame
        One row a list of releases. ``delta``; ``pld`` and ``rdp``, ours; ``theirs_pld`` and ``theirs_rdp``, missing where dp-accounting has
        no neighbouring relation for the list, or refuses it; ``brute_force``, a lower bound, missing where that is not for these.

    Raises
    ------
    ValueError
        As :func:`compose`; a delta without releases.

    Examples
    --------
    >>> side_by_side(Release("laplace", UNIT_A, sensitivity=1, scale=8.0, times=3), 0.01).round(2)
           delta  pld  rdp  theirs_pld  theirs_rdp  brute_force
    releases
    yours     0.01  0.3  0.3         0.3         0.3         0.28
    """
    if releases is None and delta is not None:
        check.refuse("releases", None, f"nothing to add up at delta {delta!r}", "Give releases of your own; the table's have their delta.")
    delta = 1e-3 if delta is None else check.number("delta", delta, low=1e-9, high=0.5)
    lists = _examples() if releases is None else {"yours": (records_of(releases), delta)}
    rows = [{"delta": delta, "pld": compose(records, delta, "pld"), "rdp": compose(records, delta, "rdp"),
             "theirs_pld": _or_missing(_theirs, records, delta, "pld"), "theirs_rdp": _or_missing(_theirs, records, delta, "rdp"),
             "brute_force": _or_missing(brute_force_epsilon, records, delta)}
            for records, delta in lists.values()]
    return pd.DataFrame(rows, index=pd.Index(lists, name="releases"))


def _theirs(records: list[Release], delta: float, accountant: Theirs) -> float:
    """What dp-accounting's accountant says of the events, which must all be for the same neighbours."""
    neighbours = {r.neighbours for r in records}
    if len(neighbours) > 1:
        return math.nan
    event = package("releases", records).ComposedDpEvent([r.event() for r in records])
    return event_epsilon(event, delta, accountant=accountant, relation=neighbours.pop())


def _or_missing(epsilon: Callable[..., float], *of: object) -> float:
    try:
        return epsilon(*of)
    except ValueError:
        return math.nan
