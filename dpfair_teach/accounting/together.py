"""Adding up records with any of the accountants, and all of them side by side."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import _checks as check
from .advanced import advanced_composition, advanced_composition_long
from .bounded_range import bounded_range_composition
from .kinds import kind_of
from .loss_distribution import left_for_the_losses, pld_epsilon
from .optimal import optimal_composition
from .records import Release, alike, records_of, within
from .renyi import ORDERS, rdp_to_epsilon

__all__ = ["ACCOUNTANTS", "compose", "compare_accountants", "rdp_of_releases"]


def rdp_of_releases(releases: Release | Iterable[Release], order: ArrayLike) -> np.ndarray:
    """The Renyi divergence of all releases together: the sum over the records, each times how often it ran.

    Source: Mironov 2017, Proposition 1. Laplace, geometric, Gaussian and exponential records by their own formulas; any other is
    epsilon-private and gets the worst one, :func:`rdp_pure`. Of a record with a delta that is not Gaussian this is the pure part.

    Parameters
    ----------
    releases : Release or iterable of Release
        All with the same unit and relation.
    order : float or array in [1.001, 1e6]

    Returns
    -------
    array of the shape of ``order``

    Raises
    ------
    ValueError
        No release; units or relations differ; a number out of the range of its formula.

    Examples
    --------
    >>> records = [Release("laplace", "one person's A changes, X and Y public", 1, 10.0, 0.1, times=100)]
    >>> rdp_of_releases(records, [2, 10]).round(3)
    array([0.964, 4.272])
    """
    records = records_of(releases)
    alike(records)
    total = 0.0
    for r in records:
        if not 1e-9 <= r.epsilon <= 1e6:
            check.refuse("releases", r, f"epsilon {r.epsilon:g} lies outside [1e-9, 1e6]", "Use method='basic'.")
        total = total + r.times * kind_of(r).rdp(r, order)
    return total


def _basic(records: list[Release], delta: float) -> float:
    within(math.fsum(r.times * r.delta for r in records), delta)
    return math.fsum(r.times * r.epsilon for r in records)


def _same(records: list[Release], method: str) -> tuple[float, int, float]:
    """(epsilon0, k, delta0) of steps that are all of one size."""
    if len({(r.epsilon, r.delta) for r in records}) > 1:
        check.refuse("releases", sorted({r.epsilon for r in records}), f"method {method!r} wants steps of one epsilon and one delta",
                     "Use method='rdp' or 'pld'.")
    return records[0].epsilon, sum(r.times for r in records), records[0].delta


def _pure(records: list[Release], method: str) -> tuple[float, int]:
    epsilon0, k, delta0 = _same(records, method)
    if delta0 > 0:
        check.refuse("releases", records[0], f"method {method!r} is for steps without a delta of their own",
                     "Use method='optimal' or 'pld'.")
    return epsilon0, k


def _advanced(records: list[Release], delta: float) -> float:
    return advanced_composition(*_pure(records, "advanced"), delta)


def _long(records: list[Release], delta: float) -> float:
    return advanced_composition_long(*_pure(records, "long"), delta)


def _optimal(records: list[Release], delta: float) -> float:
    epsilon0, k, delta0 = _same(records, "optimal")
    return optimal_composition(epsilon0, k, delta, delta0)


def _bounded_range(records: list[Release], delta: float) -> float:
    if {r.mechanism for r in records} != {"exponential"}:
        check.refuse("releases", sorted({r.mechanism for r in records}), "method 'bounded_range' is for the exponential mechanism alone",
                     "Use method='rdp', which takes any mix.")
    return bounded_range_composition(*_pure(records, "bounded_range"), delta)


def _rdp(records: list[Release], delta: float) -> float:
    left = left_for_the_losses(records, check.delta(delta))
    return float(rdp_to_epsilon(ORDERS, rdp_of_releases(records, ORDERS), left))


_METHODS: dict[str, Callable[[list[Release], float], float]] = {
    "basic": _basic, "advanced": _advanced, "long": _long, "optimal": _optimal, "bounded_range": _bounded_range, "rdp": _rdp,
    "pld": pld_epsilon}
#: The accountants, from the oldest to the sharpest.
ACCOUNTANTS = tuple(_METHODS)


def compose(releases: Release | Iterable[Release], delta: float = 0.0, method: str = "basic") -> float:
    """An epsilon such that all releases together are (epsilon, delta)-private.

    Source: supplement, Theorem 1.4 (basic composition: the epsilons add up, the deltas add up); the other methods at the functions named
    below. All hold also when what is asked was chosen after seeing the last answer, as long as the number of releases and their epsilons
    were fixed beforehand. Where they were not, this is what one run spent, not a guarantee for the procedure.

    Parameters
    ----------
    releases : Release or iterable of Release
        All with the same unit and relation.
    delta : float in [0, 1)
        The total delta allowed; above 0 for every method but "basic" and "optimal".
    method : str
        "basic": the sum. "advanced": :func:`advanced_composition`, "long": :func:`advanced_composition_long`, both for pure steps of one
        epsilon. "optimal": :func:`optimal_composition`, for steps of one epsilon and one delta. "bounded_range":
        :func:`bounded_range_composition`, for exponential mechanisms of one epsilon. "rdp": :func:`rdp_of_releases`, any mix.
        "pld": :func:`pld_epsilon`, any mix. "best": the smallest that applies; :func:`compare_accountants` says which that is.

    Returns
    -------
    float
        epsilon, for ``delta``.

    Raises
    ------
    ValueError
        No release; their own deltas exceed ``delta``; units or relations differ; a method that does not exist or does not apply.

    Examples
    --------
    >>> from dpfair_teach.accounting import UNIT_A
    >>> compose([Release("laplace", UNIT_A, 1, 2.0, 0.5, times=4), Release("randomized response", UNIT_A, None, None, 1.0)])
    3.0
    >>> noisy = Release("laplace", UNIT_A, 1, 10.0, 0.1, times=100)
    >>> round(compose(noisy, 1e-6, "optimal"), 3), round(compose(noisy, 1e-6, "best"), 3)
    (4.775, 4.693)
    """
    records = records_of(releases)
    alike(records)
    delta = check.number("delta", delta, low=0.0, high=1.0, high_open=True)
    check.choice("method", method, (*ACCOUNTANTS, "best"))
    if method != "best":
        return _METHODS[method](records, delta)
    epsilons = {name: epsilon for name, (epsilon, _) in _answers(records, delta).items() if not math.isnan(epsilon)}
    return min(epsilons.values()) if epsilons else _basic(records, delta)     # which says what is wrong


def _answers(records: list[Release], delta: float) -> dict[str, tuple[float, str]]:
    """accountant -> (epsilon, "") or (nan, why it does not apply)."""
    answers = {}
    for name, method in _METHODS.items():
        try:
            answers[name] = (method(records, delta), "")
        except ValueError as refusal:
            answers[name] = (math.nan, str(refusal))
    return answers


def compare_accountants(releases: Release | Iterable[Release], delta: float) -> pd.DataFrame:
    """Every accountant's epsilon for the same releases and the same delta.

    Source: the methods of :func:`compose`.

    Parameters
    ----------
    releases : Release or iterable of Release
        All with the same unit and relation.
    delta : float in [0, 1)

    Returns
    -------
    pandas.DataFrame
        One row for each of ``ACCOUNTANTS``: ``epsilon`` (missing where it does not apply), ``best`` (True on the smallest), ``why_not``.

    Raises
    ------
    ValueError
        No release; units or relations differ; ``delta`` out of range.

    Examples
    --------
    >>> from dpfair_teach.accounting import UNIT_A
    >>> compare_accountants(Release("exponential", UNIT_A, 1, 20.0, 0.1, times=100), delta=1e-6)[["epsilon", "best"]].round(3)
                   epsilon   best
    accountant
    basic           10.000  False
    advanced        10.513  False
    long             5.756  False
    optimal          4.775  False
    bounded_range    2.401   True
    rdp              2.401   True
    pld              4.775  False
    """
    records = records_of(releases)
    alike(records)
    answers = _answers(records, check.number("delta", delta, low=0.0, high=1.0, high_open=True))
    table = pd.DataFrame({"epsilon": [epsilon for epsilon, _ in answers.values()], "why_not": [why for _, why in answers.values()]},
                         index=pd.Index(answers, name="accountant"))
    table.insert(1, "best", table["epsilon"] == table["epsilon"].min())
    return table
