"""What was released, and what it adds up to.

A :class:`Release` records one use of a mechanism: what was measured, in which unit of privacy, with which noise. It says nothing about
how such records add up; :func:`compose` and :func:`compose_parallel` read the records and do that. Every private ``fit`` in this
library leaves its records in ``releases_``.
"""
from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from . import _checks as check
from . import mechanisms

__all__ = ["UNIT_A", "UNIT_TUPLE", "RELATIONS", "Release", "releases_table", "compose", "compose_parallel", "advanced_composition"]

#: Who is protected in Jagielski et al. and Tran et al.: everything but the group membership may be known.
UNIT_A = "one person's A changes, X and Y public"
#: Who is protected in Ding et al.: all that the data say about one person.
UNIT_TUPLE = "one whole tuple"
#: Which neighbouring relations go with which unit; the first is the default.
RELATIONS = {UNIT_A: ("replace one A",), UNIT_TUPLE: ("replace one tuple", "add or remove one tuple")}

_CHECKED = ("laplace", "geometric", "gaussian", "exponential")
_KNOWN = (*_CHECKED, "randomized response")


@dataclass(frozen=True)
class Release:
    """One mechanism run ``times`` times on the private data, each run (epsilon, delta)-private.

    Source: supplement, Definition 1.2 (privacy), Definition 1.3 (sensitivity), Definition 1.4 (scale).

    Parameters
    ----------
    mechanism : str
        "laplace", "geometric", "gaussian", "exponential", "randomized response", or another name; capitals and underscores do not matter.
        For the first four the scale must agree with sensitivity, epsilon and delta, else the record is refused. A name that is
        nearly one of the five is refused too: it would escape that check.
    unit : str
        Who is protected: ``UNIT_A``, ``UNIT_TUPLE``, or your own words.
    sensitivity : float > 0 or None
        l1 (laplace, geometric), l2 (gaussian) or largest change of one loss (exponential); None where there is none.
    scale : float > 0 or None
        Laplace and geometric: sensitivity / epsilon. Gaussian: the standard deviation. Exponential: 2 sensitivity / epsilon.
    epsilon : float > 0
        Of one run.
    delta : float in [0, 1)
        Of one run.
    relation : str, optional
        The neighbouring relation; None takes the first of ``RELATIONS[unit]``. Must be said for a unit in your own words.
    times : int >= 1
        How often it ran.

    Raises
    ------
    ValueError
        A field out of range, or fields that contradict each other.

    Examples
    --------
    >>> Release("laplace", UNIT_A, sensitivity=2, scale=4.0, epsilon=0.5)
    Release(mechanism='laplace', unit="one person's A changes, X and Y public", sensitivity=2.0, scale=4.0, epsilon=0.5, delta=0.0,
            relation='replace one A', times=1)
    """

    mechanism: str
    unit: str
    sensitivity: float | None
    scale: float | None
    epsilon: float
    delta: float = 0.0
    relation: str | None = None
    times: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, str) or not self.mechanism.strip():
            check.refuse("mechanism", self.mechanism, "not a name", "Name the mechanism, for instance 'laplace'.")
        mechanism = " ".join(self.mechanism.replace("_", " ").lower().split())
        if mechanism in _KNOWN:
            object.__setattr__(self, "mechanism", mechanism)
        else:
            meant = difflib.get_close_matches(mechanism, _KNOWN, n=1, cutoff=0.85)
            if meant:
                check.refuse("mechanism", self.mechanism, f"nearly {meant[0]!r}, whose records are checked, and not spelt so",
                             f"Write {meant[0]!r}, or another name if you mean another mechanism.")
        check.text("unit", self.unit)
        known = RELATIONS.get(self.unit)
        if self.relation is None and not known:
            check.refuse("relation", None, f"the unit {self.unit!r} has no usual one", "Say which data sets are neighbours.")
        relation = known[0] if self.relation is None else check.text("relation", self.relation)
        clean = {"relation": relation, "epsilon": check.number("epsilon", self.epsilon, low=0.0, high=1e9, low_open=True),
                 "delta": check.number("delta", self.delta, low=0.0, high=1.0, high_open=True),
                 "times": check.integer("times", self.times, low=1, high=10**15)}
        for name in ("sensitivity", "scale"):
            given = getattr(self, name)
            clean[name] = None if given is None else check.number(name, given, low=0.0, low_open=True)
        for name, value in clean.items():
            object.__setattr__(self, name, value)
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        """The noise that was drawn must be the noise that (sensitivity, epsilon, delta) ask for."""
        if self.mechanism not in _CHECKED:
            return
        for name in ("sensitivity", "scale"):
            if getattr(self, name) is None:
                check.refuse(name, None, f"a {self.mechanism} release has one", f"Give the {name}.")
        if self.mechanism == "gaussian":
            if self.delta == 0 or mechanisms.gaussian_delta(self.sensitivity, self.scale, self.epsilon) > self.delta * (1 + 1e-6):
                check.refuse("scale", self.scale, f"too small for epsilon {self.epsilon:g} and delta {self.delta:g}",
                             "Take mechanisms.gaussian_sigma(sensitivity, epsilon, delta).")
            return
        asked = (2 if self.mechanism == "exponential" else 1) * self.sensitivity / self.epsilon
        if not math.isclose(self.scale, asked, rel_tol=1e-9):
            check.refuse("scale", self.scale, f"sensitivity {self.sensitivity:g} and epsilon {self.epsilon:g} ask for {asked:g}",
                         "Record the scale that was used, and the epsilon that it gives.")


def _records(releases: object) -> list[Release]:
    """One release, or a collection of them, as a list that is not empty."""
    if isinstance(releases, Release):
        releases = [releases]
    records = check.entries("releases", releases, "a collection of Release records", "Give a list, such as an estimator's releases_.")
    for record in records:
        if not isinstance(record, Release):
            check.refuse("releases", record, "an entry is not a Release", "Give accounting.Release records only.")
    return check.filled("releases", records, "Release")


def releases_table(releases: Release | Iterable[Release]) -> pd.DataFrame:
    """The records as a table, one row each, in the order of release.

    Source: the fields of :class:`Release`; ``None`` shows as a missing value.

    Parameters
    ----------
    releases : Release or iterable of Release

    Returns
    -------
    pandas.DataFrame
        Columns ``mechanism``, ``unit``, ``relation``, ``sensitivity``, ``scale``, ``epsilon``, ``delta``, ``times``.

    Raises
    ------
    ValueError
        No release, or something that is none.

    Examples
    --------
    >>> table = releases_table([Release("laplace", UNIT_A, 2, 4.0, 0.5), Release("randomized response", UNIT_A, None, None, 1.0)])
    >>> table[["mechanism", "scale", "epsilon", "times"]]
                 mechanism  scale  epsilon  times
    0              laplace    4.0      0.5      1
    1  randomized response    NaN      1.0      1
    """
    columns = ["mechanism", "unit", "relation", "sensitivity", "scale", "epsilon", "delta", "times"]
    table = pd.DataFrame([{c: getattr(r, c) for c in columns} for r in _records(releases)], columns=columns)
    return table.astype({"sensitivity": float, "scale": float})


def _alike(records: list[Release]) -> None:
    for field in ("unit", "relation"):
        if len({getattr(r, field) for r in records}) > 1:
            check.refuse("releases", sorted({getattr(r, field) for r in records}), f"the records differ in their {field}",
                         "Add up only releases that protect the same thing.")


def _within(spent: float, delta: float) -> None:
    if spent > delta * (1 + 1e-12):  # the margin is for rounding in the sum
        check.refuse("delta", delta, f"the releases alone spend delta = {spent:.6g}", "Allow at least that much, or release less.")


def compose(releases: Release | Iterable[Release], delta: float = 0.0, method: str = "basic") -> float:
    """An epsilon such that all releases together are (epsilon, delta)-private.

    Source: supplement, Theorem 1.4 (basic composition: the epsilons add up, the deltas add up). It holds also when what is asked was
    chosen after seeing the last answer, as long as the number of releases and their epsilons were fixed beforehand. Where they were not,
    this is what one run spent, not a guarantee for the procedure.

    Parameters
    ----------
    releases : Release or iterable of Release
        All with the same unit and relation.
    delta : float in [0, 1)
        The total delta allowed.
    method : "basic"
        The sum. Sharper accountants are a matter for the chapter on composition.

    Returns
    -------
    float
        epsilon, for ``delta``.

    Raises
    ------
    ValueError
        No release; their own deltas exceed ``delta``; units or relations differ; another method.

    Examples
    --------
    >>> compose([Release("laplace", UNIT_A, 1, 2.0, 0.5, times=4), Release("randomized response", UNIT_A, None, None, 1.0)])
    3.0
    """
    records = _records(releases)
    _alike(records)
    delta = check.number("delta", delta, low=0.0, high=1.0, high_open=True)
    check.choice("method", method, ("basic",))
    _within(math.fsum(r.times * r.delta for r in records), delta)
    return math.fsum(r.times * r.epsilon for r in records)


def compose_parallel(releases: Release | Iterable[Release], delta: float = 0.0, touches: int = 1) -> float:
    """An epsilon for releases made on disjoint parts of the data, of which one change touches at most ``touches``.

    Source: parallel composition (McSherry 2009): releases on untouched parts have the same law on both neighbours, so only
    the touched ones add up, by supplement, Theorem 1.4; the largest are taken.

    Parameters
    ----------
    releases : Release or iterable of Release
        One per part.
    delta : float in [0, 1)
        The total delta allowed.
    touches : int from 1 to the number of releases
        1 when the parts are cut by public columns (cells of Yhat and Y, when only A changes); 2 when one replaced value can
        leave one part and enter another (parts cut by A, or a replaced tuple).

    Returns
    -------
    float
        epsilon, for ``delta``.

    Raises
    ------
    ValueError
        As :func:`compose`; ``touches`` not from 1 to the number of releases.

    Examples
    --------
    >>> cells = [Release("laplace", UNIT_A, 1, 2.0, 0.5) for _ in range(4)]
    >>> compose_parallel(cells), compose_parallel(cells, touches=2)
    (0.5, 1.0)
    """
    records = _records(releases)
    _alike(records)
    delta = check.number("delta", delta, low=0.0, high=1.0, high_open=True)
    touches = check.integer("touches", touches, low=1, high=len(records))
    _within(math.fsum(sorted(r.times * r.delta for r in records)[-touches:]), delta)
    return math.fsum(sorted(r.times * r.epsilon for r in records)[-touches:])


def advanced_composition(epsilon0: float, k: int, delta: float) -> float:
    """2 epsilon0 sqrt(2 k ln(1/delta)): k pure epsilon0-private steps are (this, delta)-private, where that is true.

    Source: supplement, Theorem 1.5, with pure steps and without its hypothesis epsilon < 1, which is replaced by the exact condition

        sqrt(k) tanh(epsilon0 / 2) <= sqrt(2 ln(1/delta)).

    Why. Let L_t = ln r_t be the privacy loss of step t given the steps before it, r_t the ratio of its likelihoods on D and D'.
    (i) |L_t| <= epsilon0. (ii) On D its mean is E'[r ln r], the expectation taken on D', where E' r = 1. As r ln r is convex, the mean is
    largest when r sits on both ends exp(+-epsilon0), and is then epsilon0 tanh(epsilon0 / 2): randomized response attains it.
    (iii) Azuma and Hoeffding, for increments of range 2 epsilon0: except with probability delta, the losses sum to at most
    k epsilon0 tanh(epsilon0 / 2) + epsilon0 sqrt(2 k ln(1/delta)), and a loss that exceeds epsilon with probability at most
    delta is (epsilon, delta)-privacy. (iv) The first term is at most the second exactly under the condition.

    Parameters
    ----------
    epsilon0 : float > 0
    k : int >= 1
    delta : float in (0, 1)

    Returns
    -------
    float
        epsilon of all ``k`` steps, for ``delta``.

    Raises
    ------
    ValueError
        A number out of range; and where the short formula is no bound, with the two that are.

    Notes
    -----
    Basic composition, k epsilon0, is smaller when k < 8 ln(1/delta).

    Examples
    --------
    >>> round(advanced_composition(0.01, k=10_000, delta=1e-5), 3)
    9.597
    """
    epsilon0 = check.number("epsilon0", epsilon0, low=0.0, high=1e9, low_open=True)
    k, delta = check.integer("k", k, low=1, high=10**15), check.delta(delta)
    tail = epsilon0 * math.sqrt(-2 * k * math.log(delta))
    mean = k * epsilon0 * math.tanh(epsilon0 / 2)
    if mean > tail:
        check.refuse("epsilon0", epsilon0,
                     f"with k={k} and delta={delta:g} the mean loss alone may be {mean:.6g}, so that the short formula is no bound",
                     f"Use basic composition, k epsilon0 = {k * epsilon0:.6g}, or the long formula, mean plus tail = {mean + tail:.6g}; "
                     "or choose a smaller epsilon0.")
    return 2 * tail
