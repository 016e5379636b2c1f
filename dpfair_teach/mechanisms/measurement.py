"""The one door for noise: what draws the answer to a private number also writes the record of it."""
from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .records import UNIT_A, Release
from .registry import MECHANISMS, Name

__all__ = ["Measurement", "release", "release_cells"]


#: Stands for a number that is not given, where kinds of noise are told apart.
NONE = -1.0


class Measurement:
    """A mechanism that is ready to answer: made of public numbers, it draws, counts how often it did, and says so in ``releases``.

    Source: ours; the word is OpenDP's. Every private number of every fit meets its noise in :meth:`invoke` and nowhere else.

    Parameters
    ----------
    mechanism : str
        A name of ``MECHANISMS``: "laplace" and "gaussian" answer on a grid that the scale fixes, "geometric" and "k_norm" in whole numbers,
        "exponential" with the index of a small loss, "randomized response" with everybody's report.
    unit : str
        Who is protected: ``UNIT_A``, ``UNIT_TUPLE``, or your own words.
    sensitivity, scale, epsilon : float, or (...) array
        As in :class:`Release`. Arrays are for many games at once: their axes are the leading axes of every value. A game whose scale is 0
        gets its value as it is, without a record: nothing private may be in it.
    delta, relation, sampling_probability, part : as in :class:`Release`
    options : by keyword
        ``grid`` (those on a grid): another public step, such as 1.0 for whole people; 0: raw doubles, as papers print it, not private.
        ``exact`` (geometric, k_norm): no floating point anywhere. ``n_groups`` (randomized response).

    Examples
    --------
    >>> from dpfair_teach.mechanisms import UNIT_A
    >>> noise = Measurement("laplace", UNIT_A, sensitivity=2, scale=4.0)
    >>> answer = noise.invoke(12.0, np.random.default_rng(0))
    >>> noise.releases
    (Release('laplace', "one person's A changes, X and Y public", sensitivity=2.0, scale=4.0, relation='replace one A'),)
    """

    def __init__(self, mechanism: Name, unit: str, *, sensitivity: ArrayLike | None = None, scale: ArrayLike | None = None,
                 epsilon: ArrayLike | None = None, delta: float = 0.0, relation: str | None = None, sampling_probability: float = 1.0,
                 part: tuple[str, str] | None = None, **options: Any) -> None:
        self.mechanism: Any = check.choice("mechanism", mechanism, get_args(Name))
        self._draws = MECHANISMS[self.mechanism]
        for name in sorted(set(options) - self._draws.options):
            check.refuse(name, options[name], f"is no option of {mechanism}", f"It has {sorted(self._draws.options) or 'none'}.")
        for name, value in options.items():
            if name == "exact":
                check.flag(name, value)
            elif value is not None:
                check.number(name, value, low=0.0, high=1e300)
        self._options = options
        given: list[Any] = []
        self.axes: tuple[int, ...] = ()
        for name, number in (("sensitivity", sensitivity), ("scale", scale), ("epsilon", epsilon)):
            if number is None and name in self._draws.needs:
                check.refuse(name, None, f"the {mechanism} mechanism draws by its {' and '.join(self._draws.needs)}", "Give both.")
            given.append(None if number is None else check.filled(name, check.array(name, number, low=0.0, booleans=False), "number"))
            try:
                self.axes = np.broadcast_shapes(self.axes, () if number is None else given[-1].shape)
            except ValueError as apart:
                check.refuse(name, np.shape(given[-1]), f"does not go with the shape {self.axes} of what stands before it",
                             "Give a number, or one for each game.", apart)
        rows = np.stack([np.full(self.axes, NONE) if number is None else np.broadcast_to(number, self.axes) for number in given], axis=-1)
        rows = rows.reshape(-1, 3)
        kinds, self._kind = rows[:1], np.zeros(len(rows), dtype=np.int64)
        if (rows != rows[:1]).any():
            kinds, self._kind = np.unique(rows, axis=0, return_inverse=True)
        self._silent = (kinds[:, 1] == 0) | (kinds[:, 0] == 0)          # no scale, or nothing that could move: no mechanism
        rest: dict[str, Any] = dict(delta=delta, relation=relation, sampling_probability=sampling_probability, part=part)
        told = [[None if number == NONE else float(number) for number in kind] for kind in kinds]
        self._records = [None if silent else Release(self.mechanism, unit, sensitivity=s, scale=b, epsilon=e, **rest)
                         for (s, b, e), silent in zip(told, self._silent, strict=True)]
        self._given: list[Any] = [None if number is None else number if self.axes else float(number) for number in given]
        self._scale = self._given[1] if self._given[1] is not None or self._given[0] is None else np.divide(self._given[0], self._given[2])
        self._times = np.zeros(len(kinds), dtype=np.int64)

    def invoke(self, value: ArrayLike, rng: np.random.Generator, *, units: ArrayLike = 1.0,
               size: int | tuple[int, ...] | None = None) -> np.ndarray:
        """The answer to the private ``value``. ``units``, public, multiply its sensitivity and scale: a number, or one for each game, where
        0 gives the value as it is and leaves no record; ``size`` repeats it.
        """
        if type(value) is not np.ndarray or not value.size or value.dtype.kind not in "biuf" or not np.isfinite(value).all():
            value = check.filled("value", check.array("value", value), "number")
        games, inner = len(self.axes), self._draws.inner
        if value.shape[:games] != self.axes or (inner and value.ndim != games + inner):     # else one number's noise answers for two games
            check.refuse("value", value.shape, f"does not begin with the axes {self.axes} of the measurement's numbers" if not inner else
                         f"is not one answer's for each of {self.axes} games", "Give one value for each game.")
        rng, shape = check.rng(rng), check.size(size, value.shape)
        plain = type(units) is float and 0 <= units < math.inf
        units = np.asarray(units) if plain else check.array("units", units, low=0.0, booleans=False)
        asked = np.broadcast_to(units > 0, self.axes).ravel() & ~self._silent[self._kind]
        sensitivity, scale, own = self._given[0], self._scale, self._given[2]
        if units.ndim or units != 1:
            sensitivity, scale = (None if number is None else number * units for number in (sensitivity, scale))
        if not asked.any():
            return self._unasked(value, shape, rng)
        if scale is not None and (np.broadcast_to(scale, self.axes).ravel()[asked] == 0).any():
            check.refuse("units", float(units.max()), "times the scale is 0 in doubles: there would be no noise", "Give larger units.")
        self._times += math.prod(shape) * np.bincount(self._kind[asked], minlength=len(self._times))
        return self._draws.draw(value, (sensitivity, scale, own), rng, shape, **self._options)

    def _unasked(self, value: np.ndarray, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """The answer where there is nothing private: the value, or its least loss. A choice draws as much as one with noise."""
        value = np.broadcast_to(value, shape + value.shape)
        if self.mechanism == "exponential":
            rng.gumbel(size=value.shape)
            return value.argmin(axis=-1)
        return value

    @property
    def releases(self) -> tuple[Release, ...]:
        """What was run so far, one record for each kind of noise; () before the first answer."""
        return self._run(self._times)

    def planned(self, times: int) -> tuple[Release, ...]:
        """The records that so many answers to each game would leave: for a budget, before anything is drawn."""
        times = check.integer("times", times, low=0, high=10**15)
        return self._run(times * np.bincount(self._kind.ravel(), minlength=len(self._records)))

    def _run(self, times: np.ndarray) -> tuple[Release, ...]:
        """The records of so many runs of each kind of noise."""
        return tuple(record.with_times(int(n)) for record, n in zip(self._records, times, strict=True) if record is not None and n)


def release(mechanism: Name, value: ArrayLike, rng: np.random.Generator, *, unit: str, sensitivity: float | None = None,
            scale: float | None = None, epsilon: float | None = None, delta: float = 0.0, relation: str | None = None,
            part: tuple[str, str] | None = None, size: int | tuple[int, ...] | None = None, **options: Any) -> tuple[np.ndarray, Release]:
    """One answer to a private number, and its record: a :class:`Measurement` that is made, asked once, and thrown away.

    Source: ours.

    Parameters
    ----------
    mechanism : str
        "laplace", "gaussian", "geometric", "k_norm", "exponential" or "randomized response".
    value : array, private
    rng : numpy.random.Generator
    unit : str
    sensitivity, scale, epsilon : float > 0, optional
    delta, relation, part : as in :class:`Measurement`
    size : as in :func:`laplace`
    options : as in :class:`Measurement`

    Returns
    -------
    array, Release

    Examples
    --------
    >>> from dpfair_teach.mechanisms import UNIT_A
    >>> noisy, record = release("geometric", [12, 30], np.random.default_rng(0), unit=UNIT_A, sensitivity=1, epsilon=20.0)
    >>> noisy.tolist(), record.epsilon
    ([12, 30], 20.0)
    """
    numbers: dict[str, Any] = {name: number if number is None else check.number(name, number, low=0.0, low_open=True) for name, number in (
        ("sensitivity", sensitivity), ("scale", scale), ("epsilon", epsilon))}
    measurement = Measurement(mechanism, unit, **numbers, delta=delta, relation=relation, part=part, **options)
    return measurement.invoke(value, rng, size=size), measurement.releases[0]


def cell_sensitivity(n_groups: int, every_group: bool = False) -> int:
    """The most that the counts of groups 1, ..., k-1 in public cells change, in l1, when one person's group does: 1 for k = 2, else 2.

    Source: ours, sharpening supplement, Lemma 2.1: the cell is public, so group 0's count follows from the others; with ``every_group`` it
    is counted too, and whoever moves changes two counts.
    """
    every_group = check.flag("every_group", every_group)
    return 1 if check.group_count(n_groups) == 2 and not every_group else 2


def release_cells(cells: ArrayLike, A: ArrayLike, epsilon: float, rng: np.random.Generator, *, n_groups: int = 2,
                  n_cells: int | None = None, every_group: bool = False, exact: bool = False,
                  part: tuple[str, str] | None = None) -> tuple[np.ndarray, Release]:
    """Count groups 1, ..., k-1 in every public cell, with two-sided geometric noise: epsilon-private for all cells together.

    Source: ours; sensitivity 1 for k = 2 without group 0, else 2; privacy by the discrete form of supplement, Theorem 1.1.

    Parameters
    ----------
    cells : int array (m,)
        Everybody's cell 0, 1, ..., a function of X and y, or of what was released before.
    A : int array (m,), groups 0..k-1
    epsilon : float in [1e-9, 1e9]
    rng : numpy.random.Generator
    n_groups : int in 2..1000
    n_cells : int in 1..10^7, optional
        J, public; as many as the largest code asks for without.
    every_group : bool
        Group 0 too.
    exact : bool
        Noise of exactly its law, by :func:`exact_geometric`: 50 microseconds a number; else in doubles.
    part : pair of str, optional
        As of :class:`accounting.Release`.

    Returns
    -------
    (int64 array (k-1, J), or (k, J), accounting.Release)

    Examples
    --------
    >>> counts, release = release_cells([0, 0, 1, 1], [1, 1, 0, 1], epsilon=30, rng=np.random.default_rng(0))
    >>> counts.tolist(), release.sensitivity, release.epsilon
    ([[2, 1]], 1.0, 30.0)
    """
    cells = check.codes("cells", cells, what="cells", remedy="Number the cells 0, 1, ..., J-1.")
    k, epsilon, rng = check.group_count(n_groups), check.number("epsilon", epsilon, low=1e-9, high=1e9), check.rng(rng)
    A, every_group = check.groups_below("A", A, k, of="cells", length=len(cells)), check.flag("every_group", every_group)
    J = int(cells.max()) + 1
    if n_cells is None:
        if len(cells) < J:
            check.refuse("cells", J - 1, "a cell code larger than the number of people",
                         "Number the cells 0, 1, ..., J-1, or give n_cells.")
    elif check.integer("n_cells", n_cells, low=1, high=10**7) < J:
        check.refuse("n_cells", n_cells, f"cells holds the code {J - 1}", "Raise n_cells, or renumber the cells.")
    else:
        J = int(n_cells)
    counts = np.stack([np.bincount(cells[A == a], minlength=J) for a in range(0 if every_group else 1, k)])
    return release("geometric", counts, rng, unit=UNIT_A, sensitivity=cell_sensitivity(k, every_group), epsilon=epsilon, part=part,
                   exact=check.flag("exact", exact))
