"""``load``: a data set by its name, under the rules the book's numbers are made with; the synthetic one is drawn by ``make_logistic``."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks as check
from .dataset import Dataset, Provenance
from .rules import feature_table, group_codes, resolve
from .sets import SETS, Raw
from .sources import find
from .synthetic import make_logistic, ten_people

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["list_datasets", "load"]

#: All names, in the order of the list.
_NAMES = ("ten_people", *SETS, "synthetic")
# Parsed tables of this process, under the hashes of the bytes they were read from: the bytes are checked at every call, parsed once.
_tables: dict[tuple[str, ...], Raw] = {}


def list_datasets() -> pd.DataFrame:
    """The data sets ``load`` knows: one row each.

    Source: none in the papers; the evaluation protocol of this book, and the data sheet.

    Returns
    -------
    pandas.DataFrame
        Columns name, rows (after the set's own rule), embedded (needs no network), licence, source.

    Examples
    --------
    >>> list_datasets().loc[lambda t: t.embedded, "name"].tolist()
    ['ten_people', 'communities', 'adult', 'synthetic']
    """
    import pandas as pd

    made = {"embedded": True, "licence": "CC BY 4.0"}
    rows = [{"name": "ten_people", "rows": 10, **made, "source": "invented for this book"},
            *({"name": name, "rows": one.rows, "embedded": all(file.stored_sha256 for file in one.files), "licence": one.licence,
               "source": one.source} for name, one in SETS.items()),
            {"name": "synthetic", "rows": None, **made, "source": "drawn by make_logistic"}]
    return pd.DataFrame(rows).astype({"rows": "Int64"})


def load(name: str, *, group: str | Callable | None = None, label: str | Callable | None = None,
         features: str | Callable | None = None, m: int | None = None, n_groups: int | None = None, d: int | None = None,
         rng: np.random.Generator | None = None) -> Dataset:
    """A data set by its name, with provenance.

    Source: none in the papers; the evaluation protocol of this book. The default rule of ``communities`` is that of main text, Figure 1.

    Parameters
    ----------
    name : str
        One of ``list_datasets().name``. ``ten_people``, ``communities``, ``adult`` and ``synthetic`` need no network.
    group, label, features : str, callable or None
        A named rule (None is the set's default), or your own function of the raw pandas table, one row a person: ``group`` returns codes
        0..k-1, ``label`` returns 0/1, ``features`` a DataFrame or an (m, d) array without missing values.
    m : int in 1..10^8
        ``synthetic`` only, and needed there, as ``rng`` is: :func:`make_logistic` draws that many.
    n_groups, d : int, optional
        1 to 1000, and 1 to 10,000; 2 and 5 unless given.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        An unknown name or rule; a function that fails; ``synthetic`` without ``m`` or ``rng``, which only it takes;
        ``CorruptData``, a file with other bytes than expected; ``DataUnavailable``, a file that could be had nowhere.

    Examples
    --------
    >>> load("communities").cell_sizes().tolist()
    [[916, 108], [495, 475]]
    >>> by_income = load("communities", group=lambda raw: (raw.medIncome > raw.medIncome.median()).astype(int))
    >>> by_income.n_groups, by_income.d
    (2, 104)
    """
    if not isinstance(name, str) or name not in _NAMES:
        check.refuse("name", name, "not a data set", f"Choose one of {', '.join(map(repr, _NAMES))}.")
    rules = {"group": group, "label": label, "features": features}
    drawing = {"m": m, "n_groups": n_groups, "d": d, "rng": rng}
    if name not in SETS:
        check.unread(f"load({name!r})", "a set with rules", **rules)
    if name == "synthetic":
        return _draw(**drawing)
    check.unread(f"load({name!r})", "load('synthetic')", **drawing)
    return ten_people() if name == "ten_people" else _load(name, **rules)


def _draw(m: Any, rng: Any, **optional: Any) -> Dataset:
    """The synthetic set; ``make_logistic`` checks what is given, its own defaults stand for the rest."""
    if m is None:
        check.refuse("m", m, "'synthetic' has as many people as you ask for", "Say how many: load('synthetic', m=1000, rng=rng).")
    return make_logistic(m, **{name: value for name, value in optional.items() if value is not None}, rng=rng)


def _load(name: str, group: Any, label: Any, features: Any) -> Dataset:
    one = SETS[name]
    default = next(iter(one.groups))
    group_rule = resolve("group", group, one.groups, default)
    label_rule = resolve("label", label, one.labels, next(iter(one.labels)))
    of_others = one.features_of_others if group_rule is not one.groups[default] else ""
    feature_rule = resolve("features", features, one.features, of_others or next(iter(one.features)))

    found = [find(record) for record in one.files]
    key = tuple(f.record.sha256 for f in found)
    if key not in _tables:
        _tables[key] = one.read(found)
    raw, dropped = _tables[key]

    A, group_names = group_codes(group_rule, raw)
    Y = check.labels("label", label_rule.compute(raw), length=len(raw))
    X, feature_names = feature_table(feature_rule, raw)
    keep = A >= 0
    if not keep.all():
        A, Y, X = A[keep], Y[keep], X[keep]
        dropped += ((int((~keep).sum()), group_rule.left_out),)
    provenance = Provenance(
        source=one.source, files=tuple((f.record.name, f.record.sha256) for f in found),
        place=", ".join(dict.fromkeys(f.place for f in found)),
        archive="; ".join(dict.fromkeys(f.archive for f in found if f.archive)), licence=one.licence, attribution=one.attribution,
        rules=(("group", group_rule.words), ("label", label_rule.words), ("features", feature_rule.words)), dropped=dropped)
    return Dataset(X, np.asarray(A), Y, feature_names, group_names, name, provenance)
