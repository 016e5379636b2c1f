"""Ask well, on one screen: a question to each label, what to believe then, mixtures that are good by it, and a question made for them."""
from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms import cell_sensitivity, release_cells, release_directions, whole_directions
from ..mechanisms.directions import grid_for
from ._public import Public, settings_of
from .belief import Asked, Belief, believe
from .decide import bayes_mixtures
from .design import design_question
from .settings import Designed
from .thresholds import Candidates, fair_candidates, grid_of

__all__ = ["ask_part", "ask_well", "price_grid", "public_cells", "split_epsilon"]

#: Prices of unfairness, times what a gap costs along the way from the unconstrained classifier to a constant.
TIMES = np.append(np.geomspace(8.0, 0.1, 16), 0.0)
#: Cells of the first question at most. Other constants stand in ``settings``.
MOST_CELLS = 400


class Part(NamedTuple):
    """Those whose rate is compared, and what their two questions may cost: each person is in one part, and has all of epsilon there.

    Parameters
    ----------
    rate : int
        Its number.
    name : pair of str, or None
        In the words of a record: whose, and of which labels.
    people : int array (n,)
        Who is in it.
    m : int
        People in all parts and beside them.
    first : float
        Epsilon of the first question.
    second : float
        Epsilon of the second.
    n_groups : int
        k.
    every_group : bool
        Is group 0 counted too?
    partition : str
        A name for all people and their labels.
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


def ask_well(
    public: Public, A: np.ndarray, epsilon: float, rng: np.random.Generator, *,
    n_groups: int = 2, share: float | None = None,
) -> tuple[list[Asked], Belief, Candidates, np.ndarray]:
    """Two questions to the people of each label, the second designed by the answers to the first; and fair mixtures of functions of x.

    Source: ours, chapter 14. A is read by :func:`ask_part` alone. A person is in one part, and is asked there twice, for ``first`` and for
    ``second``: epsilon together. All else follows from X, Y and the answers. The same numbers:
    ``FrontierLearner(epsilon, gamma).fit(...)``, for every gamma, and for people to come.

    Parameters
    ----------
    public : of :func:`public_part`
    A : array (m,) of codes 0..k-1
        Groups, the private input.
    epsilon : float in [1e-6, 1e6]
    rng : numpy.random.Generator
    n_groups : int in 2..1000
        k, public. How many there may be is a matter of :func:`multiplier_grid`: 21, or 66 for a notion of one rate (between pairs 42).
    share : float in [0.001, 1], optional
        Of epsilon, for the first question of every part; 1 for no second one. None: the larger the part, the more.

    Returns
    -------
    list of records
        All questions with answers and records, see :func:`ask_part`.
    Belief
        By all answers, see :func:`believe`.
    record of :func:`fair_candidates`
        By that belief.
    array (17, H)
        A mixture for each price of :func:`price_grid`.

    Raises
    ------
    ValueError
        Arguments out of range; never because of what the noise was.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import public_part
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> asked, *_ = ask_well(public_part(people.X, people.Y), people.A, 2.0, np.random.default_rng(2))
    >>> [(question.release.part[0], round(question.release.epsilon, 2)) for question in asked]
    [('label 0', 1.05), ('label 1', 0.95), ('label 0', 0.95), ('label 1', 1.05)]
    """
    parts, asked = split_epsilon(public, epsilon, n_groups, share), []
    # 1: ask, of public cells
    for part in parts:
        cells = public_cells(public, part)
        asked.append(ask_part(cells, A, part, part.first, rng))
    # 2: believe; 3: find candidates; 4: decide
    belief = believe(public, asked, n_groups)
    found = fair_candidates(public, belief)
    gaps = found.gaps(seed=0)
    prices = price_grid(found.error, gaps)
    path = bayes_mixtures(found.error, gaps, prices)
    # 5: the question that leaves the least doubt about these mixtures
    for part in parts if share != 1.0 else []:
        question = design_question(belief, found, path, prices, part.rate,
                                   part.second)
        asked.append(ask_part(question, A, part, part.second, rng))
    # 6: once more, by all answers
    belief = believe(public, asked, n_groups)
    found = fair_candidates(public, belief, found, path)
    gaps = found.gaps(seed=1)
    path = bayes_mixtures(found.error, gaps, price_grid(found.error, gaps))
    return asked, belief, found, path


def price_grid(error: ArrayLike, gaps: ArrayLike) -> np.ndarray:
    """Prices of a gap of 1, in errors, for which mixtures are chosen: high ones first, 0 last.

    Source: ours, chapter 14. What a gap costs is a matter of scale: along the chord from the classifier of least error to the better
    constant, so many errors buy one gap. The prices are from 8 times to a tenth of that, evenly in the logarithm, and 0.

    Parameters
    ----------
    error : array (H,)
        Of each candidate; the last two are the constants.
    gaps : array (S, C, H)
        As they could be, see :func:`fair_candidates`.

    Returns
    -------
    array (17,), falling; where a constant errs least, zeros

    Raises
    ------
    ValueError
        Shapes that do not fit, entries that are not finite.

    Examples
    --------
    >>> price_grid([.1, .4, .5], [[[.2, 0, 0]], [[-.4, 0, 0]]]).round(2).tolist()[:3]
    [8.0, 5.97, 4.46]
    """
    error = check.filled("error", check.array("error", error, ndim=1, low=0.0, high=1.0), "candidate")
    gaps = check.array("gaps", gaps, shape=(None, None, len(error)), low=-1e6, high=1e6, booleans=False)
    if 0 in gaps.shape or len(error) < 2:
        check.refuse("gaps", gaps.shape, "has no draw, no gap or no constants", "Give what oneshot.fair_candidates tells.")
    best = int(error.argmin())
    wide = np.abs(gaps[:, :, best]).max(axis=1).mean()
    return TIMES * float((error[-2:].min() - error[best]) / max(wide, 1e-3))


def split_epsilon(public: Public, epsilon: float, n_groups: int = 2, share: float | None = None) -> list[Part]:
    """Who is asked together, and the epsilons of their two questions.

    Source: ours, chapter 14. Each part has all of epsilon, as each person is in one: those of a label, or with demographic parity all.
    The larger a label, the more of it goes to the first question, from a quarter to three quarters.

    Parameters
    ----------
    public : of :func:`public_part`
    epsilon : float in [1e-6, 1e6]
    n_groups : int in 2..1000
    share : float in [0.001, 1], optional
        Of the first question, for every part; either question has at least 1e-9, with three or more groups 2e-9.

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
    >>> from dpfair_teach.oneshot import public_part
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> [round(part.first, 3) for part in split_epsilon(public_part(people.X, people.Y), 1.0)]
    [0.523, 0.477]
    """
    settings = settings_of(public)
    epsilon, k = check.number("epsilon", epsilon, low=1e-6, high=1e6), check.group_count(n_groups)
    grid_of(k, public.parity, settings.draws)       # refuses too many groups before anybody is asked
    sizes, every_group = [len(people) for people in public.people], public.counts_every_group(k)
    if share is None:
        shares = [settings.share + settings.slope * (n / sum(sizes) - 1 / len(sizes)) for n in sizes]
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


def cells_for(n: int, epsilon: float, settings: Designed) -> int:
    """Cells for n people whose counts have the noise of this epsilon; 0 where noise hides all of them."""
    return int(min(settings.cells * (n * epsilon) ** settings.growth, MOST_CELLS, n))


def public_cells(public: Public, part: Part) -> np.ndarray:
    """The cells of the first question to a part: people who are near each other on the public map.

    Source: ours, chapter 14. So many that a cell's noise and its coarseness cost alike, by a rule that was chosen on drawn populations: .67
    (n epsilon)^.6 of n people, from 1 to 400; with three or more groups of half the epsilon.

    Parameters
    ----------
    public : of :func:`public_part`
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
    >>> from dpfair_teach.oneshot import public_part
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> public = public_part(people.X, people.Y)
    >>> [int(public_cells(public, part).max()) + 1 for part in split_epsilon(public, 1.0)]
    [9, 8]
    """
    settings = settings_of(public)
    check_part(part, public)
    return public.cells_of(part.rate, max(1, cells_for(len(part.people), part.first / part.unit, settings)))[0]


def ask_part(question: Any, A: np.ndarray, part: Part, epsilon: float, rng: np.random.Generator) -> Asked:
    """Ask the people of a part: how many of each group in every cell, or everybody counted with a weight; with exact geometric noise.

    Source: ours, chapter 14; :func:`release_cells` and :func:`release_directions`. Weights are divided by the largest sum of a person's
    sizes and become whole numbers up to 1,024, fewer where epsilon leaves no room for them. Parts of one split have nobody in common, and
    their records say so. Two splits are told apart by X, the labels and the notion, not by who stands in which row: of people with equal
    rows and other labels make one split only.

    Parameters
    ----------
    question : int array (n,), array (K, n), or (array (K, J), int array (n,))
        Public cells; or weights, somebody's not all 0; or those of cells, and the cells.
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
    >>> from dpfair_teach.oneshot import public_part
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> public = public_part(people.X, people.Y)
    >>> part = split_epsilon(public, 40.0)[1]
    >>> int(ask_part(public_cells(public, part), people.A, part, 20.0, np.random.default_rng(2)).answers.sum())
    69
    """
    check_part(part)
    epsilon, rng = check.number("epsilon", epsilon, low=1e-9, high=1e9), check.rng(rng)
    question, cells = read_question(question, len(part.people))
    groups = check.groups_below("A", A, part.n_groups, of="the people", length=part.m)[part.people]
    how: dict[str, Any] = {"n_groups": part.n_groups, "every_group": part.every_group, "part": part.name}
    if question.ndim == 1:
        return Asked(part.rate, question, *release_cells(question, groups, epsilon, rng, exact=True, **how), part.partition)
    whole = whole_directions(question, grid_for(epsilon, part.unit))
    if not whole.any():
        check.refuse("epsilon", epsilon, f"leaves room for {grid_for(epsilon, part.unit)} steps of a weight, and {len(whole)} weights of a "
                     "person all become 0", "Ask with fewer weights at once, or give a larger epsilon.")
    answers, release = release_directions(whole, groups, epsilon, rng, cells=cells, **how)
    return Asked(part.rate, whole if cells is None else (whole, cells), answers, release, part.partition)


HOW = "Take one that oneshot.split_epsilon(public, epsilon) returned."


def check_part(part: object, public: Public | None = None) -> None:
    if not isinstance(part, Part) or (public is not None and not (part.rate < len(public.people) and part.partition == public.partition)):
        check.refuse("part", part, "is no part of these people", HOW)


def read_question(question: Any, n: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Cells of n people; or weights of each of them, or of cells, and these."""
    how = "Give cells (n,), weights (K, n), or weights of cells (K, J) and the cells."
    if isinstance(question, tuple):
        if len(question) != 2:
            check.refuse("question", question, "is no pair", how)
        cells = check.codes("question", question[1], what="cells", remedy=how)
        weights = check.array("question", question[0], shape=(None, None), low=-1e100, high=1e100)
        if len(cells) != n or cells.max(initial=0) >= weights.shape[1]:
            check.refuse("question", (weights.shape, cells.shape), f"does not go with {n} people", how)
        return weights, cells
    weights = check.array("question", question, low=-1e100, high=1e100)
    if weights.ndim not in (1, 2) or weights.shape[-1] != n:
        check.refuse("question", weights.shape, f"does not go with {n} people", how)
    if weights.ndim == 1:
        return check.codes("question", question, what="cells", remedy=how), None
    return weights, None
