"""What was released: frozen records, apart from any rule that adds them up."""
from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from .. import _checks as check
from .. import mechanisms
from .kinds import KINDS, kind_of

__all__ = ["UNIT_A", "UNIT_TUPLE", "RELATIONS", "Release", "releases_table"]

#: Who is protected in Jagielski et al. and Tran et al.: everything but the group membership may be known.
UNIT_A = "one person's A changes, X and Y public"
#: Who is protected in Ding et al.: all that the data say about one person.
UNIT_TUPLE = "one whole tuple"
#: Which neighbouring relations go with which unit; the first is the default.
RELATIONS = {UNIT_A: ("replace one A",), UNIT_TUPLE: ("replace one tuple", "add or remove one tuple")}


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
        if mechanism in KINDS:
            object.__setattr__(self, "mechanism", mechanism)
        else:
            meant = difflib.get_close_matches(mechanism, KINDS, n=1, cutoff=0.85)
            if meant:
                check.refuse("mechanism", self.mechanism, f"nearly {meant[0]!r}, whose records are checked, and not spelt so",
                             f"Write {meant[0]!r}, or another name if you mean another mechanism.")
        check.text("unit", self.unit)
        known = RELATIONS.get(self.unit)
        if self.relation is None and not known:
            check.refuse("relation", None, f"the unit {check.shown(self.unit)} has no usual one", "Say which data sets are neighbours.")
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
        scale_of = kind_of(self).scale
        if scale_of is None:
            return
        for name in ("sensitivity", "scale"):
            if getattr(self, name) is None:
                check.refuse(name, None, f"a {self.mechanism} release has one", f"Give the {name}.")
        if self.mechanism == "gaussian":
            if self.delta == 0 or mechanisms.gaussian_delta(self.sensitivity, self.scale, self.epsilon) > self.delta * (1 + 1e-6):
                check.refuse("scale", self.scale, f"too small for epsilon {self.epsilon:g} and delta {self.delta:g}",
                             "Take mechanisms.gaussian_sigma(sensitivity, epsilon, delta).")
            return
        asked = scale_of(self.sensitivity, self.epsilon, self.delta)
        if not math.isclose(self.scale, asked, rel_tol=1e-9):
            check.refuse("scale", self.scale, f"sensitivity {self.sensitivity:g} and epsilon {self.epsilon:g} ask for {asked:g}",
                         "Record the scale that was used, and the epsilon that it gives.")


def records_of(releases: object) -> list[Release]:
    """One release, or a collection of them, as a list that is not empty."""
    if isinstance(releases, Release):
        releases = [releases]
    records = check.entries("releases", releases, "a collection of Release records", "Give a list, such as an estimator's releases_.")
    for record in records:
        if not isinstance(record, Release):
            check.refuse("releases", record, "an entry is not a Release", "Give accounting.Release records only.")
    if not records:
        check.refuse("releases", records, "is empty: nothing private was released, and that costs epsilon 0", "Give at least one Release.")
    return records


def releases_table(releases: Release | Iterable[Release]) -> pd.DataFrame:
    """The records as a table, one row each, in the order of release.

    Source: the fields of :class:`Release`; ``None`` shows as a missing value.

    Parameters
    ----------
    releases : Release or iterable of Release

    Returns
    -------
    pandas.DataFrame
        Columns ``mechanism``, ``unit``, ``relation``, ``sensitivity``, ``scale``, ``epsilon``, ``delta``, ``times``. delta is text, to six
        digits: among numbers of ordinary size 1e-07 would print as 0.

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
    table = pd.DataFrame([{c: getattr(r, c) for c in columns} for r in records_of(releases)], columns=columns)
    return table.assign(delta=[str(float(f"{delta:.6g}")) for delta in table["delta"]]).astype({"sensitivity": float, "scale": float})


def alike(records: list[Release]) -> None:
    for field in ("unit", "relation"):
        if len({getattr(r, field) for r in records}) > 1:
            check.refuse("releases", sorted({getattr(r, field) for r in records}), f"the records differ in their {field}",
                         "Add up only releases that protect the same thing; fits that are all given n_groups have one relation.")


def within(spent: float, delta: float) -> None:
    if spent > delta * (1 + 1e-12):  # the margin is for rounding in the sum
        check.refuse("delta", delta, f"the releases alone spend delta = {spent:.6g}", "Allow at least that much, or release less.")
