"""Records of what was released, as accountants read them: a list of one kind, and a table."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .. import _checks as check
from ..mechanisms import Release
from ..mechanisms.records import is_event, parts_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["releases_table"]


def records_of(releases: object, events: bool = False, name: str = "releases") -> list[Release]:
    """One release, or a collection of them, as a list that is not empty; with ``events``, also of dp-accounting's."""
    if isinstance(releases, Release) or (events and is_event(releases)):
        releases = [releases]
    what = "Release records, or events of dp-accounting" if events else "Release records"
    found = check.entries(name, releases, f"a collection of {what}", "Give a list, such as an estimator's releases_.")
    records = [record for entry in found for record in (
        [Release.from_event(part, neighbours="add or remove one") for part in parts_of(entry)] if events and is_event(entry) else [entry])]
    for record in records:
        check.instance(name, record, Release, "an entry is not a Release", "Give accounting.Release records only.")
    if not records:
        check.refuse(name, records, "is empty: nothing private was released, and that costs epsilon 0", "Give at least one Release.")
    return records


def releases_table(releases: Release | Iterable[Release]) -> pd.DataFrame:
    """The records as a table, one row each, in the order of release.

    Source: the fields of :class:`Release`; ``None`` shows as a missing value.

    Parameters
    ----------
    releases : as in :func:`compose`

    Returns
    -------
    pandas.DataFrame
        Columns ``mechanism``, ``unit``, ``relation``, ``sensitivity``, ``scale``, ``epsilon`` (of one run), ``delta`` (text, six digits),
        ``times``; ``sampling_probability``, ``part`` and ``partition`` where a record has one.

    Examples
    --------
    >>> from dpfair_teach.accounting import UNIT_A
    >>> table = releases_table([Release("laplace", UNIT_A, sensitivity=2, scale=4.0)])
    >>> table[["mechanism", "scale", "epsilon", "times"]]
                 mechanism  scale  epsilon  times
    0              laplace    4.0      0.5      1
    """
    import pandas as pd  # here: it takes half a second

    records = records_of(releases)
    columns = ["mechanism", "unit", "relation", "sensitivity", "scale", "epsilon", "delta", "times"]
    if any(r.sampling_probability < 1 for r in records):
        columns.append("sampling_probability")
    table = pd.DataFrame([{c: getattr(r, c) for c in columns} for r in records], columns=columns)
    partitions = {r.part[1] for r in records if r.part is not None}
    for n, name in enumerate(("part", "partition")[:len(partitions)]):
        table[name] = [r.part and r.part[n] for r in records]
    return table.assign(delta=[str(float(f"{delta:.6g}")) for delta in table["delta"]]).astype(
        {"sensitivity": float, "scale": float, "epsilon": float})


def alike(records: list[Release]) -> None:
    for field in ("unit", "relation"):
        if len({getattr(r, field) for r in records}) > 1:
            check.refuse("releases", sorted({getattr(r, field) for r in records}), f"the records differ in their {field}",
                         "Add up only releases that protect the same thing; fits that are all given n_groups have one relation.")


def within(spent: float, delta: float) -> None:
    if spent > delta * (1 + 1e-12):  # the margin is for rounding in the sum
        check.refuse("delta", delta, f"the releases alone spend delta = {spent:.6g}", "Allow at least that much, or release less.")
