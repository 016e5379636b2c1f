"""``load``: a data set by its name, under the rules the book's numbers are made with; the synthetic one is drawn by ``make_logistic``."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .. import _checks as check
from . import _adult, _bank, _census, _communities, _compas
from ._rules import feature_table, group_codes, label_values, resolve
from ._sources import find
from .dataset import Dataset
from .provenance import Provenance
from .synthetic import make_logistic
from .ten import ten_people

__all__ = ["list_datasets", "load"]


@dataclass(frozen=True)
class _Entry:
    """What ``list_datasets`` shows, and the room that reads the set (none for what is made here)."""

    rows: int | None  # none where the caller says how many
    licence: str
    source: str
    attribution: str
    room: Any = None    # a module


_UCI = "UCI Machine Learning Repository"
_SETS: dict[str, _Entry] = {
    "ten_people": _Entry(10, "CC BY 4.0", "invented for this book", "none needed beyond this book"),
    "communities": _Entry(
        1_994, "CC BY 4.0", "https://archive.ics.uci.edu/dataset/183/communities+and+crime",
        f"M. Redmond (2009), Communities and Crime, {_UCI}, doi 10.24432/C53W3X; "
        "M. Redmond, A. Baveja, European Journal of Operational Research 141 (2002)",
        _communities),
    "adult": _Entry(45_222, "CC BY 4.0", "https://archive.ics.uci.edu/dataset/2/adult",
                    f"B. Becker, R. Kohavi (1996), Adult, {_UCI}, doi 10.24432/C5XW20", _adult),
    "bank": _Entry(11_162, "CC BY 4.0", "https://archive.ics.uci.edu/dataset/222/bank+marketing",
                   f"S. Moro, P. Rita, P. Cortez (2014), Bank Marketing, {_UCI}, doi 10.24432/C5K306", _bank),
    "compas": _Entry(6_172, "none stated: fetched at run time, not passed on", "https://github.com/propublica/compas-analysis",
                     "J. Larson, S. Mattu, L. Kirchner, J. Angwin (ProPublica, 2016)", _compas),
    "census": _Entry(299_285, "CC BY 4.0", "https://archive.ics.uci.edu/dataset/117/census+income+kdd",
                     f"T. Lane, R. Kohavi (2000), Census-Income (KDD), {_UCI}, doi 10.24432/C5N30T", _census),
    "synthetic": _Entry(None, "CC BY 4.0", "drawn by make_logistic", "none needed beyond this book"),
}

# Parsed tables of this process, under the hashes of the bytes they were read from: the bytes are checked at every call, parsed once.
_tables: dict[tuple[str, ...], tuple[pd.DataFrame, tuple]] = {}


def list_datasets() -> pd.DataFrame:
    """The data sets ``load`` knows: one row each.

    Source: none in the papers; the evaluation protocol of this book, and the data sheet.

    Returns
    -------
    pandas.DataFrame
        Columns name, rows (after the set's own rule; missing for ``synthetic``, which has as many as you ask for), embedded
        (needs no network), licence, source.

    Examples
    --------
    >>> list_datasets().loc[lambda t: t.embedded, "name"].tolist()
    ['ten_people', 'communities', 'adult', 'synthetic']
    """
    return pd.DataFrame([{"name": name, "rows": e.rows, "embedded": e.room is None or all(f.stored_sha256 for f in e.room.FILES),
                          "licence": e.licence, "source": e.source} for name, e in _SETS.items()]).astype({"rows": "Int64"})


def load(name: str, *, group: str | Callable | None = None, label: str | Callable | None = None,
         features: str | Callable | None = None, m: int | None = None, n_groups: int | None = None, d: int | None = None,
         rng: np.random.Generator | None = None) -> Dataset:
    """A data set by its name, with provenance.

    ``synthetic`` is drawn anew at every call: it is ``make_logistic(m, n_groups=n_groups, d=d, rng=rng)``, whose other arguments
    keep their defaults.

    Source: none in the papers; the evaluation protocol of this book. The default rule of ``communities`` is that of main text, Figure 1.

    Parameters
    ----------
    name : str
        One of ``list_datasets().name``. ``ten_people``, ``communities``, ``adult`` and ``synthetic`` need no network.
    group, label, features : str, callable or None
        A named rule (None is the set's default; a wrong name is answered with the list), or your own function of the raw pandas
        table, one row a person: ``group`` returns codes 0..k-1, ``label`` returns 0/1, ``features`` returns a DataFrame or an
        (m, d) array without missing values. ``ten_people`` and ``synthetic`` have no rules to choose.
    m : int in 1..10^8
        ``synthetic`` only, and needed there: how many people to draw.
    n_groups, d : int, optional
        ``synthetic`` only: how many groups, 1 to 1000, and features, 1 to 10,000; 2 and 5 unless given.
    rng : numpy.random.Generator
        ``synthetic`` only, and needed there: what the people are drawn with.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        An unknown name or rule; a function that fails or returns something else than asked; ``synthetic`` without ``m`` or ``rng``;
        ``m``, ``n_groups``, ``d`` or ``rng`` for a set that is not drawn;
        ``CorruptData``, a file with other bytes than expected; ``DataUnavailable``, a file that could be had nowhere.

    Examples
    --------
    >>> load("communities").cell_sizes().tolist()
    [[916, 108], [495, 475]]
    >>> by_income = load("communities", group=lambda raw: (raw.medIncome > raw.medIncome.median()).astype(int))
    >>> by_income.n_groups, by_income.d
    (2, 104)
    >>> load("synthetic", m=500, n_groups=3, rng=np.random.default_rng(1)).X.shape
    (500, 5)
    """
    if not isinstance(name, str) or name not in _SETS:
        check.refuse("name", name, "not a data set", f"Choose one of {', '.join(map(repr, _SETS))}.")
    rules = {"group": group, "label": label, "features": features}
    drawing = {"m": m, "n_groups": n_groups, "d": d, "rng": rng}
    if _SETS[name].room is None:
        check.unread(f"load({name!r})", "a set with rules", **rules)
    if name == "synthetic":
        return _draw(**drawing)
    check.unread(f"load({name!r})", "load('synthetic')", **drawing)
    return ten_people() if name == "ten_people" else _load(name, _SETS[name], **rules)


def _draw(m: Any, rng: Any, **optional: Any) -> Dataset:
    """The synthetic set; ``make_logistic`` checks what is given, its own defaults stand for the rest."""
    if m is None:
        check.refuse("m", m, "'synthetic' has as many people as you ask for", "Say how many: load('synthetic', m=1000, rng=rng).")
    return make_logistic(m, **{name: value for name, value in optional.items() if value is not None}, rng=rng)


def _load(name: str, entry: _Entry, group: Any, label: Any, features: Any) -> Dataset:
    room = entry.room
    group_rule = resolve("group", group, room.GROUP_RULES, next(iter(room.GROUP_RULES)))
    label_rule = resolve("label", label, room.LABEL_RULES, next(iter(room.LABEL_RULES)))
    feature_rule = resolve("features", features, room.FEATURE_RULES, room.default_features(group))

    found = [find(record) for record in room.FILES]
    key = tuple(f.record.sha256 for f in found)
    if key not in _tables:
        _tables[key] = room.read(found)
    raw, dropped = _tables[key]

    A, group_names = group_codes(group_rule, raw)
    Y = label_values(label_rule, raw)
    X, feature_names = feature_table(feature_rule, raw)
    keep = A >= 0
    if not keep.all():
        A, Y, X = A[keep], Y[keep], X[keep]
        dropped += ((int((~keep).sum()), group_rule.left_out),)
    provenance = Provenance(
        source=entry.source, files=tuple((f.record.name, f.record.sha256) for f in found),
        place=", ".join(dict.fromkeys(f.place for f in found)),
        archive="; ".join(dict.fromkeys(f.archive for f in found if f.archive)), licence=entry.licence, attribution=entry.attribution,
        rules=(("group", group_rule.words), ("label", label_rule.words), ("features", feature_rule.words)), dropped=dropped)
    return Dataset(X, np.asarray(A), Y, feature_names, group_names, name, provenance)
