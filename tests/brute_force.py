"""Brute force beside the accountants: the epsilon of a few releases from the probabilities of all their answers; and lists of them."""
from __future__ import annotations

import math
from typing import Any

import dp_accounting
import numpy as np
from dp_accounting import pld, rdp
from scipy import optimize, stats

from dpfair_teach.accounting import UNIT_A, UNIT_TUPLE, Release

#: Cells of one answer's axis, and of all answers together.
CELLS, MOST_CELLS = 1000, 4 * 10**6


def brute_force_epsilon(records: list[Release], delta: float) -> float:
    """In both orders of the neighbours, and from below: at most three runs of laplace, gaussian, geometric or randomized response.

    Each answer's line is cut into cells, and the probabilities of the cells under the worst pair of laws are multiplied: delta is the sum
    of (P - exp(epsilon) Q)_+. Cutting is post-processing; no sum of losses, no moment and no grid of losses is used on the way.
    """
    runs = [record for record in records for _ in range(record.times)]
    assert len(runs) <= 3
    P, Q = np.ones(1), np.ones(1)
    lines = sum(record.mechanism in ("laplace", "gaussian") for record in runs)
    for record in sorted(runs, key=lambda record: record.mechanism in ("laplace", "gaussian")):     # whole answers first
        p, q = cells_of(record, min(CELLS, int((MOST_CELLS / len(P)) ** (1 / max(lines, 1)))))
        P, Q, lines = np.outer(P, p).ravel(), np.outer(Q, q).ravel(), lines - (record.mechanism in ("laplace", "gaussian"))
    return max(smallest(P, Q, delta), smallest(Q, P, delta))


def smallest(P: np.ndarray, Q: np.ndarray, delta: float) -> float:
    """The epsilon at which the sum of (P - exp(epsilon) Q)_+ is delta: those cells help whose ratio is above exp(epsilon)."""
    falling = np.argsort(Q / np.maximum(P, 1e-300))
    p, q, ratio = np.cumsum(P[falling]), np.cumsum(Q[falling]), (Q / np.maximum(P, 1e-300))[falling]

    def excess(epsilon: float) -> float:
        helping = np.searchsorted(ratio, math.exp(-epsilon))
        return float(p[helping - 1] - math.exp(epsilon) * q[helping - 1]) - delta if helping else -delta

    return 0.0 if excess(0.0) <= 0 else float(optimize.brentq(excess, 0.0, 100.0, xtol=1e-9))


def cells_of(record: Release, cells: int) -> tuple[np.ndarray, np.ndarray]:
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


def examples() -> dict[str, tuple[list[Release], float]]:
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


def event_epsilon(event: dp_accounting.DpEvent, delta: float, *, accountant: str = "pld", relation: str = "add or remove one") -> float:
    """What an accountant of dp-accounting says of one of its events."""
    book = (pld.PLDAccountant if accountant == "pld" else rdp.RdpAccountant)(
        neighboring_relation=getattr(dp_accounting.NeighboringRelation, relation.upper().replace(" ", "_")))
    return float(book.compose(event).get_epsilon(delta))
