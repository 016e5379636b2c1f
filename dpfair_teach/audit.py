"""Attacks that measure privacy: how large epsilon must be, from samples or from exact laws.

A claim is refuted by one event E: if it has probability p on one data set and p' on a neighbour, epsilon >= ln((p - delta) / p'). From
samples the bound is certified at a stated level: it can refute a claim, never prove one.
"""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from . import _checks as check

__all__ = [
    "clopper_pearson", "epsilon_lower_bound", "audit_scalar", "privacy_loss",
    "exact_epsilon", "exact_delta", "laplace_shift_delta", "laplace_scale_delta", "largest_power",
]

#: Events that an audit of samples chooses from, quantiles of half of them.
THRESHOLDS = 200


# ------------------------------------------------------------------------------------------------- from samples

def _counts(name: str, value: object, n: int) -> np.ndarray:
    hits = check.filled(name, check.whole_numbers(name, value, low=0), "count")
    if hits.max() > n:
        check.refuse(name, int(hits.max()), f"more hits than the n={n} trials", f"Count {name} among those trials.")
    return hits


def _trials(name: str, value: object) -> int:
    return check.integer(name, value, low=1, high=10**10)


def _alpha(value: object) -> float:
    return check.number("alpha", value, low=1e-100, high=1.0, high_open=True)


def _delta(value: object) -> float:
    return check.number("delta", value, low=0.0, high=1.0, high_open=True)


def _lower(hits: np.ndarray, n: int, alpha: float) -> np.ndarray:
    """One-sided Clopper-Pearson: exceeds the true probability with probability at most alpha."""
    return np.where(hits == 0, 0.0, special.betaincinv(np.maximum(hits, 1), n - hits + 1.0, alpha))


def _upper(hits: np.ndarray, n: int, alpha: float) -> np.ndarray:
    return np.where(hits == n, 1.0, special.betainccinv(hits + 1.0, np.maximum(n - hits, 1), alpha))


def clopper_pearson(n_hits: ArrayLike, n: int, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """The exact confidence interval for a probability, from ``n_hits`` hits in ``n`` independent trials.

    Source: Clopper and Pearson 1934; each side errs with probability at most alpha / 2. Of trials with unequal chances it covers the
    average chance (Hoeffding 1956).

    Parameters
    ----------
    n_hits : int or array of ints in 0..n
    n : int in 1..10^10
    alpha : float in [1e-100, 1)

    Returns
    -------
    (low, high) : arrays of the shape of ``n_hits``, 0 <= low < high <= 1

    Examples
    --------
    >>> low, high = clopper_pearson(8, n=10, alpha=0.05)
    >>> round(float(low), 4), round(float(high), 4)
    (0.4439, 0.9748)
    """
    n, alpha = _trials("n", n), _alpha(alpha)
    hits = _counts("n_hits", n_hits, n)
    return _lower(hits, n, alpha / 2), _upper(hits, n, alpha / 2)


def one_direction(hits: np.ndarray, n: int, others: np.ndarray, m: int, delta: float, alpha: float) -> np.ndarray:
    """Lower bound on epsilon: the event is likelier under the first law, and, by the same two bounds, its complement less likely."""
    low, high = _lower(hits, n, alpha / 2), _upper(others, m, alpha / 2)
    with np.errstate(divide="ignore"):
        event = np.log(np.maximum(low - delta, 0) / high)
        complement = np.log(np.maximum(1 - high - delta, 0) / (1 - low))
    return np.maximum(np.maximum(event, complement), 0.0)


@check.formerly(n_0="As many trials on both data sets: n.", both_directions="Ask twice, with the hits exchanged.")
def epsilon_lower_bound(hits_1: ArrayLike, hits_0: ArrayLike, n: int, delta: float = 0.0, alpha: float = 0.05) -> np.ndarray:
    """With confidence 1 - alpha, no epsilon below this one makes the mechanism (epsilon, delta)-private.

    Source: inverts supplement, Definition 1.2, at one event fixed before the trials, and at its complement, either way round, with
    Clopper-Pearson bounds on the two probabilities (as in Jagielski, Ullman and Oprea 2020).

    Parameters
    ----------
    hits_1, hits_0 : int or arrays of ints, 0 to n
        How often the event happened on data set 1 and on its neighbour 0.
    n : int in 1..10^10
        Trials on each of them.
    delta : float in [0, 1)
    alpha : float in [1e-100, 1)
        Probability of a bound that is too large.

    Returns
    -------
    array of the broadcast shape of the hits, at least 0

    Examples
    --------
    >>> round(float(epsilon_lower_bound(6000, 2000, n=10_000, alpha=1e-9)), 3)
    0.925
    """
    n = _trials("n", n)
    hits_1, hits_0 = _counts("hits_1", hits_1, n), _counts("hits_0", hits_0, n)
    check.broadcast("hits_0", hits_0.shape, "hits_1", hits_1.shape, "Give one count of each per event.")
    delta, alpha = _delta(delta), _alpha(alpha)
    return np.maximum(one_direction(hits_1, n, hits_0, n, delta, alpha / 2), one_direction(hits_0, n, hits_1, n, delta, alpha / 2))


@dataclass(frozen=True)
class AuditResult:
    """What an audit found.

    ``lower_bound`` on epsilon is certified at confidence 1 - ``alpha``, at the claim's ``delta``, by the ``event``, which was chosen on
    other samples; ``hits`` and ``n``: certifying samples that had it, and all, where it is likelier and on the other data set.
    ``claimed_epsilon`` is the claim under audit, or None.
    """

    lower_bound: float
    event: str
    hits: tuple[int, int]
    n: tuple[int, int]
    delta: float
    alpha: float
    claimed_epsilon: float | None = None

    @property
    def verdict(self) -> str:
        """"refuted", "not refuted" (which is no proof), or "no claim"."""
        if self.claimed_epsilon is None:
            return "no claim"
        return "refuted" if self.lower_bound > self.claimed_epsilon else "not refuted"


def _samples(name: str, value: object) -> np.ndarray:
    samples = check.array(name, value, ndim=1, low=-1e150, high=1e150)
    if samples.size < 4:
        check.refuse(name, samples.shape, "fewer than 4 samples", "Half of them choose the event, the rest certify: give many.")
    return samples


@check.formerly(n_thresholds="As many as the samples tell apart.")
def audit_scalar(samples: ArrayLike, samples_neighbour: ArrayLike, rng: np.random.Generator, *, delta: float = 0.0,
                 alpha: float = 1e-9, claimed_epsilon: float | None = None) -> AuditResult:
    """Attack a mechanism through one number per run: choose an event "number >= t" on half of the runs, certify it on the rest.

    Source: supplement, Definition 1.2, by Clopper-Pearson bounds on runs that did not choose the event.

    Parameters
    ----------
    samples, samples_neighbour : arrays (n,), (n',)
        Independent outputs on a data set and on its neighbour, at least 4 of each, such as the :func:`privacy_loss` of released tables.
    rng : numpy.random.Generator
    delta : float in [0, 1)
    alpha : float in [1e-100, 1)
    claimed_epsilon : float > 0, optional

    Examples
    --------
    >>> from dpfair_teach.mechanisms import laplace
    >>> rng = np.random.default_rng(1)
    >>> audit = audit_scalar(laplace(0, 1, 2, rng, 20_000), laplace(1, 1, 2, rng, 20_000), rng, claimed_epsilon=1.0)
    >>> audit.verdict, 1 < audit.lower_bound < 2
    ('refuted', True)
    """
    first, second = _samples("samples", samples), _samples("samples_neighbour", samples_neighbour)
    rng, delta, alpha = check.rng(rng), _delta(delta), _alpha(alpha)
    claim = None if claimed_epsilon is None else check.epsilon(claimed_epsilon, "claimed_epsilon")
    first, second = rng.permutation(first), rng.permutation(second)
    choose = [np.sort(x[:x.size // 2]) for x in (first, second)]
    certify = [x[x.size // 2:] for x in (first, second)]

    thresholds = np.unique(np.quantile(np.concatenate(choose), np.linspace(0, 1, THRESHOLDS + 1)[1:], method="higher"))
    hits = [x.size - np.searchsorted(x, thresholds, side="left") for x in choose]
    bounds = np.stack([one_direction(hits[i], choose[i].size, hits[1 - i], choose[1 - i].size, delta, alpha) for i in (0, 1)])
    likelier, best = np.unravel_index(int(bounds.argmax()), bounds.shape)
    t = float(thresholds[best])

    n = int(certify[likelier].size), int(certify[1 - likelier].size)
    found = int((certify[likelier] >= t).sum()), int((certify[1 - likelier] >= t).sum())
    bound = one_direction(np.array(found[0]), n[0], np.array(found[1]), n[1], delta, alpha)
    return AuditResult(float(bound), f"number >= {t:.6g}, likelier on the {('first data set', 'neighbour')[likelier]}",
                       found, n, delta, alpha, claim)


def privacy_loss(outputs: ArrayLike, table: ArrayLike, table_neighbour: ArrayLike, scale: float) -> np.ndarray:
    """The privacy loss of whole released tables: ln of the likelihood on ``table`` over that on ``table_neighbour``.

    Source: the proof of supplement, Theorem 1.1: for independent Laplace (or geometric) noise of one scale it is the sum over cells of (|y
    - neighbour| - |y - table|) / scale. No other statistic of the table attacks better (Neyman-Pearson).

    Parameters
    ----------
    outputs : array (..., *cells)
        Released tables; leading axes are repeats.
    table, table_neighbour : arrays of shape ``cells``
        The exact tables of the two neighbours.
    scale : float >= 1e-140

    Returns
    -------
    array (...), in nats, at most the l1 distance of the tables over ``scale`` in absolute value

    Examples
    --------
    >>> privacy_loss([[9.0, 2.0], [3.0, 8.0]], table=[5, 5], table_neighbour=[4, 6], scale=2.0)
    array([ 1., -1.])
    """
    table = check.filled("table", check.array("table", table, low=-1e140, high=1e140), "cell")
    other = check.array("table_neighbour", table_neighbour, low=-1e140, high=1e140)
    if other.shape != table.shape:
        check.refuse("table_neighbour", other.shape, f"differs from the shape {table.shape} of table", "Give two tables of the same cells.")
    outputs = check.filled("outputs", check.array("outputs", outputs, low=-1e140, high=1e140), "released table")
    if outputs.ndim < table.ndim or outputs.shape[outputs.ndim - table.ndim:] != table.shape:
        check.refuse("outputs", outputs.shape, f"does not end in the shape {table.shape} of table",
                     "Give released tables of the same cells.")
    scale = check.number("scale", scale, low=1e-140)
    cells = tuple(range(outputs.ndim - table.ndim, outputs.ndim))
    return ((np.abs(outputs - other) - np.abs(outputs - table)) / scale).sum(axis=cells)


# ----------------------------------------------------------------------------------------------- from exact laws

def two_laws(**given: object) -> list[np.ndarray]:
    """Two laws by the names of their arguments: probabilities of the same outcomes."""
    laws = []
    for name, law in given.items():
        law = check.filled(name, check.array(name, law, ndim=1, low=0.0, high=1.0 + 1e-9), "outcome")
        if abs(law.sum() - 1) > 1e-9:
            check.refuse(name, float(law.sum()), "its probabilities do not sum to 1",
                         "Give every outcome; widen the window of a truncated law.")
        laws.append(law)
    (one, other), (p, q) = given, laws
    if p.shape != q.shape:
        check.refuse(other, q.shape, f"differs from the shape {p.shape} of {one}", "Give both laws on the same outcomes.")
    return laws


def exact_delta(law: ArrayLike, law_neighbour: ArrayLike, epsilon: float) -> float:
    """The smallest delta with which two discrete laws are (epsilon, delta)-indistinguishable, both ways.

    Source: supplement, Definition 1.2, at the worst event {P > e^epsilon Q}: the sum of max(0, P - e^epsilon Q).

    Parameters
    ----------
    law, law_neighbour : arrays (n_outcomes,)
        Probabilities of the same outcomes on the two neighbours, each with sum 1 (to 1e-9).
    epsilon : float in [0, 700]

    Examples
    --------
    >>> round(exact_delta([0.75, 0.25], [0.25, 0.75], epsilon=np.log(2)), 3)
    0.25
    """
    p, q = two_laws(law=law, law_neighbour=law_neighbour)
    factor = math.exp(check.number("epsilon", epsilon, low=0.0, high=700.0))
    return float(max(np.maximum(p - factor * q, 0).sum(), np.maximum(q - factor * p, 0).sum()))


def _epsilon_one_way(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    """ln of the largest (P(E) - delta) / Q(E), reached on outcomes in falling order of p / q; P(E) - delta below its rounding is none."""
    if delta == 0:
        inside = p > 0
        with np.errstate(divide="ignore"):
            return float((np.log(p[inside]) - np.log(q[inside])).max())
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(p > 0, np.log(p) - np.log(q), -np.inf))  # logs, as p / q may overflow
        P, Q = np.cumsum(p[order]), np.cumsum(q[order])
        possible = P - delta > len(p) * np.finfo(float).eps
        return float((np.log((P - delta)[possible]) - np.log(Q[possible])).max(initial=-math.inf))


def exact_epsilon(law: ArrayLike, law_neighbour: ArrayLike, delta: float = 0.0) -> float:
    """The smallest epsilon with which two discrete laws are (epsilon, delta)-indistinguishable, both ways.

    Source: supplement, Definition 1.2. With delta = 0 the largest |ln(P/Q)| over outcomes; else the largest ln((P(E) - delta) / Q(E)) over
    events {P/Q >= r}.

    Parameters
    ----------
    law, law_neighbour : as in :func:`exact_delta`
    delta : float in [0, 1)

    Returns
    -------
    float, at least 0; infinite where outcomes of more than delta in all (to rounding) are possible on one data set only

    Examples
    --------
    >>> round(exact_epsilon([0.75, 0.25], [0.25, 0.75]), 6)
    1.098612
    """
    p, q = two_laws(law=law, law_neighbour=law_neighbour)
    delta = _delta(delta)
    return max(0.0, _epsilon_one_way(p, q, delta), _epsilon_one_way(q, p, delta))


def laplace_shift_delta(shift: float, scale: float, epsilon: float) -> float:
    """The smallest delta for Laplace noise of this scale around two values ``shift`` apart: max(0, 1 - exp((epsilon - shift/scale)/2)).

    Source: supplement, Definition 1.2, at the half line where the likelihood ratio exceeds e^epsilon.

    Parameters
    ----------
    shift : float in [0, 1e150]
    scale : float >= 1e-150
    epsilon : float >= 0

    Examples
    --------
    >>> laplace_shift_delta(shift=1, scale=1, epsilon=1)
    0.0
    """
    shift = check.number("shift", shift, low=0.0, high=1e150)
    scale = check.number("scale", scale, low=1e-150)
    unprotected = shift / scale - check.number("epsilon", epsilon, low=0.0)
    return -math.expm1(-unprotected / 2) if unprotected > 0 else 0.0


def laplace_scale_delta(scale: float, scale_neighbour: float, epsilon: float, n: int = 1) -> float:
    """The smallest delta, both ways, when ``n`` Laplace noises have one scale on a data set and another on its neighbour.

    Source: supplement, Definition 1.2 (chapter 11). The loss is unbounded: noise whose scale is computed from private data has **no finite
    epsilon** with delta = 0.

    Parameters
    ----------
    scale, scale_neighbour : float in [1e-150, 1e150]
    epsilon : float in [0, 700]
    n : int in 1..10^9
        How many independent noises are seen.

    Examples
    --------
    >>> round(laplace_scale_delta(2.0, 1.0, epsilon=1.0, n=4), 3)
    0.323
    """
    b, c = check.number("scale", scale, low=1e-150, high=1e150), check.number("scale_neighbour", scale_neighbour, low=1e-150, high=1e150)
    epsilon, n = check.number("epsilon", epsilon, low=0.0, high=700.0), check.integer("n", n, low=1, high=10**9)
    if b == c:
        return 0.0
    wide, narrow = max(b, c), min(b, c)
    far = (n * math.log(wide / narrow) + epsilon) / (1 / narrow - 1 / wide)     # beyond, wide is more than e^epsilon times as likely
    return float(max(special.gammaincc(n, far / wide) - math.exp(epsilon) * special.gammaincc(n, far / narrow), 0.0))


# ------------------------------------------------------------------------------------------------ from epsilon and delta

def largest_power(false_positive: ArrayLike, epsilon: float, delta: float = 0.0) -> np.ndarray:
    """The largest chance to be right about "yes" that a test between two neighbours can have at a chance to be wrong about "no".

    Source: ours, from supplement, Definition 1.2: the smaller of e^epsilon fp + delta, 1 - e^-epsilon (1 - delta - fp), and 1; all reached.

    Parameters
    ----------
    false_positive : array of numbers in [0, 1]
        The chance that the test says "yes" on the data set where the answer is "no".
    epsilon : float in [0, 700]
    delta : float in [0, 1)

    Returns
    -------
    array of the shape of ``false_positive``, in [0, 1]

    Examples
    --------
    >>> largest_power([0.0, 0.1, 0.25, 0.5], epsilon=np.log(3)).round(3)
    array([0.   , 0.3  , 0.75 , 0.833])
    """
    fp = check.filled("false_positive", check.array("false_positive", false_positive, low=0.0, high=1.0), "number")
    epsilon, delta = check.number("epsilon", epsilon, low=0.0, high=700.0), _delta(delta)
    steep, flat = math.exp(epsilon) * fp + delta, 1 - math.exp(-epsilon) * (1 - delta - fp)
    return np.minimum(np.minimum(steep, flat), 1.0)
