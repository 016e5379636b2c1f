"""The record every room of the library receives: people, their groups, their labels, and where they come from."""
from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from .. import _checks as check

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

__all__ = ["Dataset", "base_classifier"]


@dataclass(frozen=True)
class Provenance:
    """Where data come from and what was done to them, in words; printed with every result."""

    source: str                                     # who made the data, with an address where there is one
    files: tuple[tuple[str, str], ...] = ()         # name and sha256, of the uncompressed bytes, of each file read
    place: str = "made here"                        # or "embedded", "folder", "cache", "url", "pypi"
    archive: str = ""                               # on PyPI, from which they were unpacked, or what the address gave, with its sha256
    licence: str = ""
    attribution: str = ""                           # the words that its owners ask to see
    rules: tuple[tuple[str, str], ...] = ()         # what ``group``, ``label`` and ``features`` mean here
    dropped: tuple[tuple[int, str], ...] = ()       # how many rows were left out, and why, in the order in which it was done

    def __str__(self) -> str:
        lines = [f"source: {self.source}", f"found: {self.place}"]
        lines += [f"file: {name}, sha256 {digest}" for name, digest in self.files]
        lines += [f"{name}: {getattr(self, name)}" for name in ("archive", "licence", "attribution") if getattr(self, name)]
        lines += [f"{name}: {meaning}" for name, meaning in self.rules]
        lines += [f"left out: {count:,} rows, {why}" for count, why in self.dropped]
        return "\n".join(lines)


@check.formerly(population="Keep the data.Population that it was drawn from beside it.")
@dataclass(frozen=True, eq=False)
class Dataset:
    """People with features, a sensitive group and a binary label. All arrays are read-only.

    Source: main text, section 2 (a data set of triples x, a, y).

    Parameters
    ----------
    X : array of shape (m, d)
        Finite floats. A float32 array stays one; anything else becomes float64.
    A : array of shape (m,)
        Group of each person, integer codes 0..k-1; each group has somebody. Group 0 is the anchor.
    Y : array of shape (m,)
        Label of each person, 0 or 1.
    feature_names : tuple of str, length d
        One for each column of X.
    group_names : tuple of str, length k
        One for each code of A, in order.
    name : str
        What tables and messages call the data.
    provenance : data.Provenance
        Where the data come from, and what was done to them: ``data.Provenance("who made them, in words")``.

    Examples
    --------
    >>> made = Provenance("invented")
    >>> two = Dataset([[1.], [2.], [3.]], [0, 1, 1], [0, 1, 0], ["height"], ["short", "tall"], "three people", made)
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

    def __post_init__(self) -> None:
        check.same_people(X=self.X, A=self.A, Y=self.Y)
        X = _features(self.X)
        m, d = X.shape
        group_names = _names("group_names", self.group_names)
        if not group_names:
            check.refuse("group_names", group_names, "is empty", "Name at least one group.")
        A, k = check.groups("A", self.A)
        if k > len(group_names):
            check.refuse("A", k - 1, f"a group code without a name: group_names holds {len(group_names)}",
                          "Give codes 0..k-1, and one of group_names for each.")
        k = len(group_names)
        empty = np.flatnonzero(np.bincount(A, minlength=k) == 0)
        if empty.size:
            check.refuse("A", int(empty[0]), f"group {empty[0]} ({group_names[empty[0]]}) has nobody in it",
                          "Leave that group out of group_names, or keep somebody of it.")
        Y = check.labels("Y", self.Y)
        for name, array in (("A", A), ("Y", Y)):
            if array.size != m:
                check.refuse(name, array.shape, f"holds {array.size} entries, but X has {m} rows", "Give one entry a person.")
        check.instance("provenance", self.provenance, Provenance, "not a Provenance", "Pass data.Provenance(source=...).")
        feature_names, columns = _names("feature_names", self.feature_names, d, "column of X"), check.column_names(self.X)
        if columns is not None and columns != list(feature_names):
            check.refuse("feature_names", feature_names, f"not the columns of X, {columns}", "Give tuple(X.columns), or X.to_numpy().")
        new = dict(X=_frozen(X), A=_frozen(A), Y=_frozen(Y), feature_names=feature_names, group_names=group_names,
                   name=check.text("name", self.name))
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

    def subset(self, rows: object) -> Dataset:
        """The people in ``rows`` (distinct positions, or a mask of m booleans), the provenance saying how many were left out.

        Examples
        --------
        >>> from dpfair_teach.data import load
        >>> load("ten_people").subset([0, 1, 8, 9]).cell_sizes().tolist()
        [[0, 2], [2, 0]]
        """
        remedy = f"Give distinct integers 0..{self.m - 1}, or a boolean mask."
        r = check.numeric("rows", rows, remedy)
        if r.dtype == bool:
            if r.shape != (self.m,):
                check.refuse("rows", r.shape, f"a mask of shape {r.shape}, not ({self.m},)", "Give one boolean a person.")
            r = np.flatnonzero(r)
        if r.ndim != 1 or r.size == 0 or r.dtype.kind not in "iu":
            check.refuse("rows", rows, "not a list of positions", remedy)
        if r.min() < 0 or r.max() >= self.m or np.unique(r).size != r.size:
            check.refuse("rows", rows, f"positions must be distinct and in 0..{self.m - 1}", "Draw with replace=False.")
        missing = np.setdiff1d(self.A, self.A[r])
        if missing.size:
            check.refuse("rows", rows, f"nobody of group {missing[0]} ({self.group_names[missing[0]]}) is left",
                          "Draw rows from every group.")
        left = replace(self.provenance, dropped=(*self.provenance.dropped, (self.m - r.size, "not in the chosen subset")))
        return Dataset(self.X[r], self.A[r], self.Y[r], self.feature_names, self.group_names, self.name, left)

    def __eq__(self, other: object) -> bool:
        """Same people in the same order under the same names, wherever the bytes were found. Without a hash: arrays have none."""
        if not isinstance(other, Dataset):
            return NotImplemented
        return ((self.name, self.feature_names, self.group_names) == (other.name, other.feature_names, other.group_names)
                and all(np.array_equal(a, b) for a, b in ((self.X, other.X), (self.A, other.A), (self.Y, other.Y))))

    def __reduce__(self):
        # Rebuilt through the constructor, because numpy unpickles arrays writable.
        return Dataset, tuple(getattr(self, f.name) for f in fields(self))

    def __repr__(self) -> str:
        cells = self.cell_sizes()
        groups = "; ".join(f"A={a} {name}: {n0 + n1:,} ({n0:,} with Y=0, {n1:,} with Y=1)"
                           for a, (name, (n0, n1)) in enumerate(zip(self.group_names, cells, strict=True)))
        return f"Dataset({self.name!r}: {self.m:,} people, {self.d} feature{'s' * (self.d != 1)}, P(Y=1) = {self.Y.mean():.4f}; {groups})"


def _features(value: object) -> np.ndarray:
    """X as a finite two-dimensional float array with at least one row and one column."""
    if isinstance(value, np.ndarray) and value.dtype == np.float32:
        if value.ndim == 2 and not np.isfinite(value).all():
            check.refuse("X", value.shape, "holds NaN or infinity", "Fill or leave out those entries yourself.")
        X = value if value.ndim == 2 else check.array("X", value, shape=(None, None))
    else:
        X = check.array("X", value, shape=(None, None))
    if 0 in X.shape:
        check.refuse("X", X.shape, "is empty", "Give at least one person and one feature.")
    return X


def _frozen(a: np.ndarray) -> np.ndarray:
    """``a`` read-only: itself if nobody else can write to it, else a copy."""
    if a.flags.writeable or a.base is not None:
        a = a.copy()
        a.flags.writeable = False
    return a


def _names(name: str, value: object, length: int | None = None, each: str = "") -> tuple[str, ...]:
    """A tuple of distinct strings, ``length`` of them where that is given."""
    found = tuple(check.entries(name, value, "a list of names", f"Give {name} as a list of strings."))
    if not all(isinstance(n, str) for n in found) or len(set(found)) != len(found):
        check.refuse(name, found, "not distinct strings", f"Give {name} as a list of distinct strings.")
    if length is not None and len(found) != length:
        check.refuse(name, found, f"holds {len(found)} names, not {length}", f"Give one name for each {each}.")
    return found


def base_classifier(dataset: Dataset) -> LogisticRegression:
    """The base classifier that post-processing starts from: logistic regression of Y on X, fitted without A.

    Source: main text, Figure 1, right panel. It is scikit-learn's with liblinear, C = 1 and random state 123; no privacy rests on it.

    Parameters
    ----------
    dataset : Dataset
        Both labels must occur.

    Returns
    -------
    sklearn.linear_model.LogisticRegression, fitted; ``.predict(X)`` is 0/1

    Examples
    --------
    >>> from dpfair_teach.data import load
    >>> communities = load("communities")
    >>> float((base_classifier(communities).predict(communities.X) != communities.Y).mean().round(4))
    0.1269
    """
    check.instance("dataset", dataset, Dataset, "not a Dataset", "Pass what data.load returns, or build a data.Dataset.")
    if dataset.Y.min() == dataset.Y.max():
        check.refuse("dataset", dataset, f"every label is {dataset.Y[0]}", "A classifier needs people of both labels.")
    from sklearn.linear_model import LogisticRegression  # a second to import: not for those who only load data

    return LogisticRegression(solver="liblinear", C=1.0, random_state=123).fit(np.asarray(dataset.X), dataset.Y)
