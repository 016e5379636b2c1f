"""Questions to people, with exact noise: how many of each group in public cells, or everybody counted with the weight of the own cell."""
from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .. import _checks as check
from ..mechanisms import cell_sensitivity, release_cells, release_directions, whole_directions
from ..mechanisms.directions import grid_for
from .answer import Answer
from .candidates import grid_of
from .public_data import PublicData, settings_of
from .settings import Settings, first_shares

__all__ = ["ask_part", "public_cells", "split_epsilon"]

#: Cells of the first question at most. Other constants stand in ``settings``.
MOST_CELLS = 400


class Part(NamedTuple):
    """Those whose rate is compared, and what their two questions may cost: each person is in one part, and has all of epsilon there.

    ``rate``, its number; ``name``, in the words of a record: whose, and of which labels, or None; ``people`` (n,), who is in it; ``m``,
    people in all parts and beside them; ``first`` and ``second``, epsilons of the two questions; ``n_groups``, k; ``every_group``: is group
    0 counted too; ``partition``, a name for all people, their labels and the notion.
    """

    rate: int
    name: tuple[str, str] | None
    people: np.ndarray
    m: int
    first: float
    second: float
    n_groups: int
    every_group: bool
    partition: str = ""

    @property
    def unit(self) -> int:
        """How far one person's group moves the counts of one question in which everybody's weight is 1."""
        return cell_sensitivity(self.n_groups, self.every_group)


def split_epsilon(public: PublicData, epsilon: float, n_groups: int = 2, share: float | None = None) -> list[Part]:
    """Who is asked together, and the epsilons of their two questions.

    Source: ours, chapter 14. Each part has all of epsilon, as each person is in one: those of a label, or with demographic parity all.
    Where few answers stand above the noise all of it goes to the first question; else about two thirds, the more the larger a label, and
    three quarters where gaps are those of people to come.

    Parameters
    ----------
    public : of :func:`public_data`
    epsilon : float in [1e-6, 1e6]
    n_groups : int in 2..1000
    share : float in [0.001, 1], optional
        Of the first question, for every part; 1 for no second one. Either has at least 1e-9, with three or more groups 2e-9.

    Returns
    -------
    list of records with ``rate``, ``name``, ``people``, ``m``, ``first``, ``second``, ``n_groups``, ``every_group``, ``partition``

    Raises
    ------
    ValueError
        Numbers out of range, ``public`` that is none.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import public_data
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> [(round(part.first, 2), round(part.second, 2)) for part in split_epsilon(public_data(people.X, people.Y), 2.0)]
    [(1.35, 0.65), (1.25, 0.75)]
    """
    settings = settings_of(public)
    epsilon, k = check.number("epsilon", epsilon, low=1e-6, high=1e6), check.group_count(n_groups)
    grid_of(k, public.parity, settings.draws)       # refuses too many groups before anybody is asked
    sizes, every_group = [len(people) for people in public.people], public.counts_every_group(k)
    if share is None:
        shares = first_shares(sizes, epsilon / cell_sensitivity(k, every_group), public.target)
    else:
        shares = [check.number("share", share, low=1e-3, high=1.0)] * len(sizes)
    names = [None if cell.label is None else (f"label {cell.label}", public.partition) for cell in public.parity.cells]
    return [Part(r, name, people, public.m, *parts_of(epsilon, part, k), k, every_group, public.partition)
            for r, (name, people, part) in enumerate(zip(names, public.people, shares, strict=True))]


def parts_of(epsilon: float, share: float, k: int) -> tuple[float, float]:
    """Epsilon of the first question and of the second; together not above the whole, and such that the noise of counts lies in doubles."""
    first, least = epsilon * share, 1e-9 * cell_sensitivity(k)
    second = epsilon - first
    if Fraction(first) + Fraction(second) > Fraction(epsilon):      # by the last digit, and epsilon is a promise
        second = float(np.nextafter(second, 0.0))
    for name, part in {"the first question": first, **({"the second question": second} if share < 1 else {})}.items():
        if part < least:
            check.refuse("share", share, f"leaves {part:.2g} of epsilon = {epsilon:g} for {name}: less than {least:g}",
                         "Choose a share nearer to 0.5, 1 for no second question, or a larger epsilon.")
    return first, second


def cells_for(n: int, epsilon: float, settings: Settings) -> int:
    """Cells for n people whose counts have the noise of this epsilon; 0 where noise hides all of them."""
    return int(min(settings.cells * (n * epsilon) ** settings.growth, MOST_CELLS))


def public_cells(public: PublicData, part: Part) -> np.ndarray:
    """The cells of the first question to a part: people who are near each other on the public map.

    Source: ours, chapter 14. So many that a cell's noise and its coarseness cost alike, by a rule that was chosen on drawn populations: .67
    (n epsilon)^.6 of n people, from 1 to 400; with three or more groups of half the epsilon.

    Parameters
    ----------
    public : of :func:`public_data`
    part : of :func:`split_epsilon`

    Returns
    -------
    int array (n,): codes 0, 1, ..., all of them used

    Raises
    ------
    ValueError
        Arguments that are none of these.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import public_data
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> public = public_data(people.X, people.Y)
    >>> [int(public_cells(public, part).max()) + 1 for part in split_epsilon(public, 2.0)]
    [17, 14]
    """
    settings = settings_of(public)
    check_part(part, public)
    return public.cells_of(part.rate, max(1, cells_for(len(part.people), part.first / part.unit, settings)))


def ask_part(question: Any, A: np.ndarray, part: Part, epsilon: float, rng: np.random.Generator) -> Answer:
    """Ask the people of a part: how many of each group in every cell, or everybody counted with a weight; with exact geometric noise.

    Source: ours, chapter 14; :func:`release_cells` and :func:`release_directions`. Weights are divided by the largest sum of a person's
    sizes and become whole numbers up to 1,024, fewer where epsilon leaves no room for them. Parts of one split have nobody in common, and
    their records say so. Two splits are told apart by X, the labels and the notion, not by who stands in which row: of people with equal
    rows and other labels make one split only.

    Parameters
    ----------
    question : int array (n,), or (array (K, J), int array (n,))
        Public cells; or weights of cells, somebody's not all 0, and the cells.
    A : int array (m,)
        Groups, the private input.
    part : of :func:`split_epsilon`
    epsilon : float in [1e-9, 1e9]
    rng : numpy.random.Generator

    Returns
    -------
    record with ``rate``, ``question`` (as it was asked), ``answers`` (k-1, K), or (k, K) between pairs of three or more groups, ``release``

    Raises
    ------
    ValueError
        A question that is none to these people, codes that are none, numbers out of range; never because of who is in which group.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import public_data
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> public = public_data(people.X, people.Y)
    >>> part = split_epsilon(public, 40.0)[1]
    >>> int(ask_part(public_cells(public, part), people.A, part, 20.0, np.random.default_rng(2)).answers.sum())
    69
    """
    check_part(part)
    epsilon, rng = check.number("epsilon", epsilon, low=1e-9, high=1e9), check.rng(rng)
    weights, cells = read_question(question, len(part.people))
    groups = check.groups_below("A", A, part.n_groups, of="the people", length=part.m)[part.people]
    how: dict[str, Any] = {"n_groups": part.n_groups, "every_group": part.every_group, "part": part.name}
    if weights is None:
        return Answer(part.rate, cells, *release_cells(cells, groups, epsilon, rng, exact=True, **how), part.partition)
    whole = whole_directions(weights, grid_for(epsilon, part.unit))
    if not whole.any():
        check.refuse("epsilon", epsilon, f"leaves room for {grid_for(epsilon, part.unit)} steps of a weight, and {len(whole)} weights of a "
                     "person all become 0", "Ask with fewer weights at once, or give a larger epsilon.")
    return Answer(part.rate, (whole, cells), *release_directions(whole, groups, epsilon, rng, cells=cells, **how), part.partition)


def check_part(part: object, public: PublicData | None = None) -> None:
    if not isinstance(part, Part) or (public is not None and part.partition != public.partition):
        check.refuse("part", part, "is no part of these people", "Take one that oneshot.split_epsilon(public, epsilon) returned.")


def read_question(question: Any, n: int) -> tuple[np.ndarray | None, np.ndarray]:
    """Weights of cells, if there are any, and the cells of n people."""
    how = "Give cells (n,), or a pair: weights of cells (K, J), and the cells."
    pair = isinstance(question, tuple) and len(question) == 2
    cells = check.codes("question", question[1] if pair else question, what="cells", remedy=how)
    weights = check.array("question", question[0], shape=(None, None), low=-1e100, high=1e100) if pair else None
    if len(cells) != n or (weights is not None and cells.max(initial=0) >= weights.shape[1]):
        check.refuse("question", cells.shape if weights is None else (weights.shape, cells.shape), f"does not go with {n} people", how)
    return weights, cells
