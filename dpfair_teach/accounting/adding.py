"""Adding records up with any of the accountants, and what all of them say of the same records."""
from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby, product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms import MECHANISMS, UNIT_A, Name, Release, mechanism_of
from ..mechanisms.mechanism import LEAST_STEP
from .bounded_range import bounded_range_composition
from .composition import ORDERS, advanced_composition, advanced_composition_long, rdp_to_epsilon
from .loss_distribution import coarse_epsilon, left_for_the_losses, pld_epsilon
from .optimal import optimal_composition
from .releases import alike, records_of, within

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["compare_accountants", "compose", "epsilon_by_steps", "most_steps"]

#: Kinds of people, by the part of each partition that they are in, whose losses are added up one by one; of more, all is added up.
MOST_KINDS = 256


def rdp_of_releases(releases: Release | Iterable[Release], order: ArrayLike) -> np.ndarray:
    """The Renyi divergence of all releases together, of the shape of ``order``: over the records, each times how often it ran.

    Source: Mironov 2017, Proposition 1. Each record by its mechanism's own formula; of a record with a delta the pure part.
    """
    records = records_of(releases, events=True)
    alike(records)
    total: Any = 0.0
    for r in records:
        if r.epsilon is not None and not 1e-9 <= r.epsilon <= 1e6:
            check.refuse("releases", r, f"epsilon {r.epsilon:g} lies outside [1e-9, 1e6]", "Use method='basic'.")
        total = total + r.times * mechanism_of(r.mechanism).divergence(r, order)
    return total


def _split(records: list[Release], delta: float, method: Accountant) -> list[tuple[float, float, int]]:
    """(epsilon, delta, times) of each record's runs. Those without an epsilon share ``delta`` evenly, what the others leave of it."""
    without = sum(r.times for r in records if r.epsilon is None)
    own = math.fsum(r.times * r.delta for r in records)
    if without and own >= delta:
        check.refuse("delta", delta, f"of it {own:.6g} is spent, and {without} runs have no epsilon without a delta of their own",
                     "Allow more than that.")
    within(own, delta)
    return [(_at(r, (delta - own) / without, method), (delta - own) / without, r.times) if r.epsilon is None
            else (r.epsilon, r.delta, r.times) for r in records]


def _at(record: Release, delta: float, method: Accountant) -> float:
    """epsilon of one run at this delta."""
    if delta == 0:
        check.refuse("delta", delta, f"{record.mechanism} noise has no epsilon without one", "Allow a delta above 0.")
    epsilon = mechanism_of(record.mechanism).epsilon_at(record.with_times(1), delta)
    if epsilon is None:
        check.refuse("releases", record, f"no formula has the epsilon of one run, which method {method!r} adds up",
                     "Use method='rdp' or 'pld'.")
    return epsilon


def _basic(records: list[Release], delta: float) -> float:
    return math.fsum(times * epsilon for epsilon, _, times in _split(records, delta, "basic"))


def _same(records: list[Release], method: Accountant) -> tuple[Release, Any, int]:
    """(one record, epsilon0, k) of steps that are all of one size, up to rounding."""
    sizes = [mechanism_of(r.mechanism).loss(r)[1] for r in records]
    kinds = {(r.delta, r.epsilon is None, r.sampling_probability) for r in records}     # of one spread, and yet not of one law
    if max(sizes) > min(sizes) * (1 + 1e-12) or len(kinds) > 1:
        check.refuse("releases", sorted(set(sizes)), f"method {method!r} wants steps of one epsilon and one delta",
                     "Use method='rdp' or 'pld'.")
    largest = records[sizes.index(max(sizes))]
    return largest, largest.epsilon, sum(r.times for r in records)


def _pure(records: list[Release], method: Accountant) -> tuple[float, int]:
    one, epsilon0, k = _same(records, method)
    if one.delta > 0 or epsilon0 is None:
        check.refuse("releases", one, f"method {method!r} is for steps that are private without a delta", "Use method='optimal' or 'pld'.")
    return epsilon0, k


def _advanced(records: list[Release], delta: float) -> float:
    return advanced_composition(*_pure(records, "advanced"), delta)


def _long(records: list[Release], delta: float) -> float:
    return advanced_composition_long(*_pure(records, "long"), delta)


#: Of delta, what the runs get that have no epsilon without one.
_SHARES = (0.1, 0.5, 0.9, 0.99)


def _optimal(records: list[Release], delta: float) -> float:
    one, epsilon0, k = _same(records, "optimal")
    if epsilon0 is not None:
        return optimal_composition(epsilon0, k, delta, one.delta)
    each = [share * delta / k for share in _SHARES]         # where that is much, one run's epsilon may be 0
    return min(optimal_composition(max(_at(one, own, "optimal"), LEAST_STEP), k, delta, own) for own in each)


def _bounded_range(records: list[Release], delta: float) -> float:
    if {r.mechanism for r in records} != {"exponential"}:
        check.refuse("releases", sorted({r.mechanism for r in records}), "method 'bounded_range' is for the exponential mechanism alone",
                     "Use method='rdp', which takes any mix.")
    return bounded_range_composition(*_pure(records, "bounded_range"), delta)


def _rdp(records: list[Release], delta: float) -> float:
    left = left_for_the_losses(records, check.delta(delta))
    return float(rdp_to_epsilon(ORDERS, rdp_of_releases(records, ORDERS), left))


#: The accountants' names, and with them "best", which asks all.
Accountant = Literal["basic", "advanced", "long", "optimal", "bounded_range", "rdp", "pld"]
Method = Literal[Accountant, "best"]

_METHODS: dict[Accountant, Callable[[list[Release], float], float]] = {
    "basic": _basic, "advanced": _advanced, "long": _long, "optimal": _optimal, "bounded_range": _bounded_range, "rdp": _rdp,
    "pld": pld_epsilon}
#: The accountants, from the oldest to the sharpest.
ACCOUNTANTS = tuple(_METHODS)


def compose(releases: Release | Iterable[Release], delta: float = 0.0, method: Method = "basic") -> float:
    """An epsilon such that all releases together are (epsilon, delta)-private.

    Source: supplement, Theorem 1.4 (basic composition); the other methods at the functions named below. Of records with a ``part`` only
    those of one part of each partition add up, and those without. All hold also when what is asked was chosen after seeing the last answer,
    as long as the number of releases and their epsilons were fixed beforehand.

    Parameters
    ----------
    releases : Release or iterable of Release, or of dp_accounting.DpEvent
        All with the same unit and relation. An event is read as :meth:`Release.from_event` reads it, for "add or remove one tuple".
    delta : float in [0, 1)
        The total allowed; above 0 for every method but "basic" and "optimal", and for these too with Gaussian noise.
    method : {"basic", "advanced", "long", "optimal", "bounded_range", "rdp", "pld", "best"}
        "basic": the sum, an upper bound; each Gaussian run gets an equal part of delta. "advanced": :func:`advanced_composition`, "long":
        :func:`advanced_composition_long`, both for pure steps of one epsilon. "optimal": :func:`optimal_composition`, for steps of one
        epsilon and one delta; Gaussian runs get a tenth, half, 0.9 or 0.99 of delta together. "bounded_range":
        :func:`bounded_range_composition`, for exponential mechanisms of one epsilon. "rdp": :func:`rdp_to_epsilon`, "pld":
        :func:`pld_epsilon`, any mix. "best": the smallest that applies, by which learners plan. Gaussian noise on a sample is for
        "rdp" and "pld".

    Examples
    --------
    >>> from dpfair_teach.accounting import UNIT_A
    >>> compose([Release("laplace", UNIT_A, sensitivity=1, scale=2.0, times=4), Release("randomized response", UNIT_A, epsilon=1.0)])
    3.0
    >>> noisy = Release("laplace", UNIT_A, sensitivity=1, scale=10.0, times=100)
    >>> round(compose(noisy, 1e-6, "optimal"), 3), round(compose(noisy, 1e-6, "best"), 3)
    (4.775, 4.693)
    """
    records = records_of(releases, events=True)
    alike(records)
    delta = check.number("delta", delta, low=0.0, high=1.0, high_open=True)
    check.choice("method", method, (*ACCOUNTANTS, "best"))
    if method != "best":
        return _of_parts(method, records, delta)
    epsilons = {name: epsilon for name, (epsilon, _) in _answers(records, delta).items() if not math.isnan(epsilon)}
    return min(epsilons.values()) if epsilons else _of_parts("basic", records, delta)     # which says what is wrong


def _of_parts(name: Accountant, records: list[Release], delta: float) -> float:
    """The largest answer of those to all that was asked of somebody: of one part of each partition, and of everybody."""
    parts = sorted({r.part for r in records if r.part is not None}, key=lambda part: part[1])
    each = [list(some) for _, some in groupby(parts, key=lambda part: part[1])]
    if math.prod(map(len, each)) > MOST_KINDS:
        return _METHODS[name](records, delta)
    return max(_METHODS[name]([r for r in records if r.part is None or r.part in somebody], delta) for somebody in product(*each))


def _answers(records: list[Release], delta: float) -> dict[Accountant, tuple[float, str]]:
    """accountant -> (epsilon, "") or (nan, why it does not apply)."""
    answers: dict[Accountant, tuple[float, str]] = {}
    for name in ACCOUNTANTS:
        try:
            answers[name] = (_of_parts(name, records, delta), "")
        except ValueError as refusal:
            answers[name] = (math.nan, str(refusal))
    return answers


def compare_accountants(releases: Release | Iterable[Release], delta: float) -> pd.DataFrame:
    """Every accountant's epsilon for the same releases and the same delta.

    Source: the methods of :func:`compose`.

    Parameters
    ----------
    releases : as in :func:`compose`
    delta : float in [0, 1)

    Returns
    -------
    pandas.DataFrame
        A row a method: ``epsilon`` (missing where it does not apply), ``best`` (True on the smallest), ``why_not``.

    Examples
    --------
    >>> from dpfair_teach.accounting import UNIT_A
    >>> compare_accountants(Release("exponential", UNIT_A, epsilon=0.1, times=100), delta=1e-6)["epsilon"].round(3).to_dict()
    {'basic': 10.0, 'advanced': 10.513, 'long': 5.756, 'optimal': 4.775, 'bounded_range': 2.401, 'rdp': 2.401, 'pld': 4.775}
    """
    records = records_of(releases, events=True)
    alike(records)
    answers = _answers(records, check.number("delta", delta, low=0.0, high=1.0, high_open=True))
    import pandas as pd  # here: it takes half a second

    table = pd.DataFrame({"epsilon": [epsilon for epsilon, _ in answers.values()], "why_not": [why for _, why in answers.values()]},
                         index=pd.Index(answers, name="accountant"))
    table.insert(1, "best", table["epsilon"] == table["epsilon"].min())
    return table


_MOST = 10**9


@check.formerly(before="Compose what was spent before with the steps: compose([*before, *steps], delta).")
def most_steps(step: Release | Iterable[Release], epsilon: float, delta: float = 0.0, *, method: Method = "rdp") -> int:
    """The largest number of equal steps, 0 to 10^9, that stay within (epsilon, delta) together: how long a training may be.

    Source: ours; what the steps cost is :func:`compose`.

    Parameters
    ----------
    step : Release or iterable of Release, or of dp_accounting.DpEvent
        What one step releases.
    epsilon : float in [1e-9, 1e9]
    delta : float in [0, 1)
        As in :func:`compose`; from 1e-300 on for "rdp".
    method : as in :func:`compose`
        "pld" and "best" take seconds.

    Examples
    --------
    >>> from dpfair_teach.accounting import UNIT_A
    >>> noise = Release("gaussian", UNIT_A, sensitivity=1, scale=50.0)
    >>> steps = most_steps(noise, 1.0, 1e-6)
    >>> steps, round(compose([noise] * steps, 1e-6, "rdp"), 4)
    (121, 0.9967)
    """
    each = records_of(step, events=True, name="step")
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e9)

    def fits(steps: int) -> bool:
        try:
            return compose([one.with_times(one.times * steps) for one in each], delta, method) <= epsilon
        except ValueError as refused:       # of records that the caller knows by another name
            raise ValueError(re.sub("^releases=", "step=", str(refused))) from None

    low, high, most = 0, 1, min(_MOST, 10**15 // max(one.times for one in each))
    while high <= most and fits(high):
        low, high = high, 2 * high
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def epsilon_by_steps(mechanism: Name, epsilon0: float, steps: ArrayLike, delta: float,
                     accountants: tuple[Accountant, ...] | None = None) -> dict[str, np.ndarray]:
    """epsilon against the number of steps, for every accountant: what k runs of one mechanism come to, at one delta.

    Source: the methods of :func:`compose`. Gaussian runs have the standard deviation that makes one run (epsilon0, delta)-private; they
    have the further curve "exact".

    Parameters
    ----------
    mechanism : str
        "laplace", "geometric" (sensitivity 1), "gaussian", "exponential", "randomized response" or "k_norm".
    epsilon0 : float in [1e-4, 50]
    steps : int array (n,), from 1 to a million
    delta : float in [1e-10, 1)
    accountants : tuple of names, optional
        Some of the methods of :func:`compose`; all of them by default. "pld" takes most of the time.

    Returns
    -------
    dict name -> array (n,)
        nan where an accountant does not apply or refuses.

    Examples
    --------
    >>> for name, epsilon in epsilon_by_steps("laplace", 0.1, [1, 100, 10_000], 1e-6, ("basic", "rdp")).items():
    ...     print(name, epsilon.round(2).tolist())
    basic [0.1, 10.0, 1000.0]
    rdp [0.1, 4.98, 98.12]
    """
    check.choice("mechanism", mechanism, tuple(MECHANISMS))
    epsilon0 = check.number("epsilon0", epsilon0, low=1e-4, high=50.0)
    steps = check.filled("steps", check.whole_numbers("steps", steps, low=1, high=10**6), "number of steps")
    if steps.ndim != 1:
        check.refuse("steps", steps.shape, "not a list of numbers", "Give one axis.")
    delta = check.number("delta", delta, low=1e-10, high=1.0, high_open=True)
    if accountants is None:
        accountants = ACCOUNTANTS
    elif not isinstance(accountants, (tuple, list)):
        check.refuse("accountants", accountants, "not a tuple of names", f"Take some of {', '.join(ACCOUNTANTS)}.")
    for name in accountants:
        check.choice("accountants", name, ACCOUNTANTS)
    known = MECHANISMS[mechanism]
    numbers: dict[str, Any] = known.at(epsilon0, delta)
    one = Release(mechanism, UNIT_A, **numbers)

    def composed(method: Accountant, k: int) -> float:
        return compose(one.with_times(k), delta, method)

    sharper: dict[str, Callable[[int], float]] = {"pld": lambda k: coarse_epsilon(one.with_times(k), delta)}
    curves: dict[str, np.ndarray] = {name: _curve(sharper.get(name) or partial(composed, name), steps) for name in accountants}
    if known.epsilon_at(one, delta) is not None:
        curves["exact"] = _curve(lambda k: known.epsilon_at(one.with_times(k), delta), steps)
    return curves


def _curve(epsilon: Callable[[int], Any], steps: np.ndarray) -> np.ndarray:
    """epsilon(k) for each number of steps; nan where it is refused."""
    values = np.full(steps.shape, np.nan)
    for i, k in enumerate(steps.tolist()):
        try:
            values[i] = epsilon(k)
        except ValueError:
            continue
    return values
