"""People, a network and what is to be equal: a batch of them is passed forward, and says what it adds to each step."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import Notion, read_parity
from ..networks import Network, clipped_sum, gradient, gradient_norms, log_loss, log_loss_slopes, soft_error, soft_error_slopes
from ..networks import Pass as Pass
from ..networks.network import in_blocks, parameters
from .plan import LARGEST, Empty

__all__ = ["FairTerms", "FairProblem", "epoch_batches", "poisson_sample"]


@check.formerly(h="It is the score, and for accuracy parity the chance to be wrong.")
@dataclass(frozen=True)
class FairTerms:
    """The constraints of the Lagrangian: for each group a and each rate r of a notion, the mean of h over everybody of the rate, less the
    group's, is to be 0.

    Source: Tran et al. 2020, equations (1) and (2), and Examples 1 to 3. The index set is groups times rates: k for demographic and
    accuracy parity, 2k for equalized odds. h is the chance of label 1, and for accuracy parity the chance to be wrong. These are means of
    *scores* (gap T27): a network whose mean scores are equal need not *accept* equally often where a score of 1/2 decides.

    Parameters
    ----------
    notion : str or fairness.Parity
        ``demographic_parity``, ``equalized_odds``, ``accuracy_parity``, ``false_positive`` or ``true_positive``; a Parity against the
        population, as equation (1) is.
    n_groups : int in 2..1000
        k.

    Attributes
    ----------
    parity : fairness.Parity
        The notion, against the population.
    shape : (k, R)
        Of violations, sizes and multipliers.

    Examples
    --------
    >>> terms = FairTerms("equalized_odds", 3)
    >>> terms.shape, terms.cells([0, 1, 1]).tolist()
    ((3, 2), [0, 1, 1])
    """

    notion: Notion | Parity
    n_groups: int
    parity: Parity = field(init=False, repr=False)

    def __post_init__(self) -> None:
        form = None if isinstance(self.notion, Parity) else "population"
        parity = read_parity(self.notion, against=form, forms=("population",), because="The constraints are gaps to everybody.")
        object.__setattr__(self, "n_groups", check.group_count(self.n_groups))
        object.__setattr__(self, "parity", parity)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_groups, len(self.parity.cells)

    def cells(self, y: ArrayLike) -> np.ndarray:
        """Everybody's rate, (m,): under which fraction line a person of that label stands, and -1 for none. Public, as labels are."""
        y = check.labels("y", y)
        code = np.full(y.shape, -1)
        for r, cell in enumerate(self.parity.cells):
            code[slice(None) if cell.label is None else y == cell.label] = r
        return code

    def values(self, logits: np.ndarray, y: np.ndarray) -> np.ndarray:
        """h of each person, (m,): the chance of label 1, and for accuracy parity the chance to be wrong."""
        return soft_error(logits, y) if self.parity.notion == "accuracy_parity" else _chance(logits)

    def slopes(self, logits: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Derivative of h by the person's logit, (m,)."""
        if self.parity.notion == "accuracy_parity":
            return soft_error_slopes(logits, y)
        chance = _chance(logits)
        return chance * (1 - chance)

    def sums(self, values: np.ndarray, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Of each group and rate, the sum of weight times value, (k, R); in the order of the people, whoever is in which group."""
        return np.stack([weights[cells == r].T @ values[cells == r] for r in range(self.shape[1])], axis=1)

    def sizes(self, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """People of each group and rate, (k, R)."""
        return self.sums(np.ones(len(cells)), cells, weights)

    def population(self, values: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means over everybody of each rate, and how many they are, (R,) each; the mean of nobody reads 0."""
        n = np.bincount(cells[cells >= 0], minlength=self.shape[1]).astype(float)
        total = np.bincount(cells[cells >= 0], values[cells >= 0], minlength=self.shape[1])
        return total / np.maximum(n, 1.0), n

    def violations(self, values: np.ndarray, cells: np.ndarray, weights: np.ndarray, sizes: np.ndarray | None = None) -> np.ndarray:
        """mu(P) - mu(G), (k, R): with ``sizes``, (1/N_a) times the sum over the group of mu(P) - h, which a wrong N_a rescales and nothing
        else; without, by the group's own size, and NaN where it has nobody."""
        means, _ = self.population(values, cells)
        apart = self.sums(means[cells] - values, cells, weights)
        own = self.sizes(cells, weights) if sizes is None else sizes
        return np.divide(apart, own, out=np.full(self.shape, np.nan), where=own != 0)

    def each(self, prices: np.ndarray, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Everybody's own price, (m,), of prices (k, R): the sum over the groups of weight times price; 0 for who is under no line."""
        return np.where(cells >= 0, np.einsum("ik,ki->i", weights, prices[:, cells]), 0.0)


def _chance(logits: np.ndarray) -> np.ndarray:
    half = np.tanh(logits / 2)
    return (1 + half) / 2


#: What to do where a group has nobody, among all people.
WITHOUT_THEM = "Make the FairProblem without that group: renumber the others, or merge groups."


@dataclass(frozen=True, eq=False)
class PublicProblem:
    """What of a problem anybody may see: the people without their groups; ``network``, ``terms``, ``rows``, ``y``, ``cells`` are its.

    By the way the groups were given, not by who is where: are they ``codes``, and is everybody known to be in one, ``complete``?
    """

    network: Network
    terms: FairTerms
    rows: np.ndarray
    y: np.ndarray
    cells: np.ndarray
    codes: bool
    complete: bool

    @property
    def m(self) -> int:
        return len(self.y)

    @cached_property
    def people(self) -> np.ndarray:
        """How many people each rate is about, (R,): public, as labels are."""
        return np.bincount(self.cells[self.cells >= 0], minlength=self.terms.shape[1]).astype(float)

    def of(self, theta: np.ndarray, people: np.ndarray | slice = slice(None)) -> Part:
        """Those people, passed forward; everybody only when asked for logits, in blocks."""
        return Part(self, parameters(self.network, theta), who(people, self.m))


@dataclass(frozen=True, eq=False)
class FairProblem:
    """Who learns what: people, a network, and the constraints.

    Source: Tran et al. 2020, problem (3a), (3b).

    Parameters
    ----------
    network : networks.Network
        Of as many features as X has columns.
    X : (m, d) array, or numpy.memmap
        Entries within 10^6; standardize them. It is read where it lies, a batch at a time.
    A : (m,) array of ints 0..k-1, or (m, k) array
        Groups; or each person's weight on every group, such as debiased answers or a posterior, as an array, a list of rows or a table. A
        row of zeros is a person who is in none.
    Y : (m,) array of 0/1, both occurring
        Labels. Public.
    terms : FairTerms
        The constraints, for k groups.
    missing : bool
        Codes go up to k, and k is a person who did not say. Who said nothing is as private as what others said.

    Attributes
    ----------
    m : int
        People.
    cells, y, rows : (m,), (m,) and (m, d) arrays
        Everybody's rate; Y and X, read.
    weights, codes : (m, k) array, and (m,) array of ints or None
        Everybody's weight on every group, and group, where it was given as a code. Private.
    public : PublicProblem
        All of it but the groups.

    Examples
    --------
    >>> problem = FairProblem(Network(1, ()), [[0.], [1.], [2.]], [0, 1, 1], [0, 1, 1], FairTerms("demographic_parity", 2))
    >>> problem.m, problem.of(np.zeros(2)).violations().round(2).tolist()
    (3, [[0.0], [0.0]])
    """

    network: Network
    X: ArrayLike
    A: ArrayLike
    Y: ArrayLike
    terms: FairTerms
    missing: bool = False
    weights: np.ndarray = field(init=False, repr=False)
    cells: np.ndarray = field(init=False, repr=False)
    y: np.ndarray = field(init=False, repr=False)
    rows: np.ndarray = field(init=False, repr=False)
    codes: np.ndarray | None = field(init=False, repr=False)
    public: PublicProblem = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.instance("network", self.network, Network, "not a Network", "Make it with networks.Network(n_features, hidden).")
        check.instance("terms", self.terms, FairTerms, "not FairTerms", "Make them with lagrangian.FairTerms(notion, n_groups).")
        check.same_people(X=self.X, Y=self.Y, A=self.A)
        rows = check.filled("X", check.rows("X", self.X, columns=self.network.n_features, low=-LARGEST, high=LARGEST), "person")
        y = check.labels("Y", self.Y)
        if len(y) != len(rows):
            check.refuse("X, Y", (rows.shape, y.shape), "not as many rows as labels", "Give a row of X and a label for everybody.")
        if y.min() == y.max():
            check.refuse("Y", int(y[0]), "everybody has the same label", "Give people of both labels.")
        k, m, missing = self.terms.n_groups, len(rows), check.flag("missing", self.missing)
        try:
            table = np.ndim(self.A) == 2
        except Exception:       # rows of different lengths: said below
            table = False
        if table:
            check.unread("a table of weights", "codes", missing=missing or None)
            codes, weights = None, check.array("A", self.A, shape=(m, k), low=-1e9, high=1e9, booleans=False)
        else:
            codes = check.groups_below("A", self.A, k + missing, length=m)
            weights = np.eye(k + 1, k)[codes] if missing else np.eye(k)[codes]
        coded = codes is not None
        public = PublicProblem(self.network, self.terms, rows, y, self.terms.cells(y), coded, coded and not self.missing)
        for name, value in (("X", rows), ("A", weights if codes is None else codes), ("Y", y), ("rows", rows), ("y", y),
                            ("codes", codes), ("weights", weights), ("cells", public.cells), ("public", public)):
            object.__setattr__(self, name, value)

    @property
    def m(self) -> int:
        return self.public.m

    @property
    def people(self) -> np.ndarray:
        """How many people each rate is about, (R,): public, as labels are."""
        return self.public.people

    def of(self, theta: np.ndarray, people: np.ndarray | slice = slice(None)) -> GroupPart:
        """Those people and their weights on the groups, passed forward; everybody only when asked for logits, in blocks."""
        theta, people = parameters(self.network, theta), who(people, self.public.m)
        return GroupPart(self, theta, people, self.weights[people])


@dataclass(frozen=True, eq=False)
class Part:
    """Some ``people`` of a ``problem`` at some ``theta``, and no group. Everybody's logits are computed a block at a time.
    """

    problem: Any
    theta: np.ndarray
    people: np.ndarray | slice

    @cached_property
    def passed(self) -> Pass:
        """The forward pass of a batch."""
        return self.problem.network.forward(self.theta, unchanged(self.problem.rows[self.people]))

    @cached_property
    def logits(self) -> np.ndarray:
        """Everybody's, (n,)."""
        if not isinstance(self.people, slice):
            return self.passed.logits
        network = self.problem.network
        blocks = in_blocks(network, self.problem.rows[self.people])
        return np.concatenate([np.empty(0, self.theta.dtype), *(network.logits(self.theta, unchanged(block)) for block in blocks)])

    @property
    def n(self) -> int:
        """How many they are."""
        return len(self.y)

    @cached_property
    def y(self) -> np.ndarray:
        """Their labels, (n,)."""
        return self.problem.y[self.people]

    @cached_property
    def cells(self) -> np.ndarray:
        """Their rates, (n,)."""
        return self.problem.cells[self.people]

    @cached_property
    def values(self) -> np.ndarray:
        """Everybody's h, (n,)."""
        return self.problem.terms.values(self.logits, self.y)

    @cached_property
    def slopes(self) -> np.ndarray:
        """Derivative of h by everybody's logit, (n,)."""
        return self.problem.terms.slopes(self.logits, self.y)

    @cached_property
    def norms(self) -> np.ndarray:
        """Of everybody's gradient of h: public, as X, Y and theta are."""
        return gradient_norms(self.problem.network, self.theta, self.passed, self.slopes)

    def loss(self) -> float:
        """The mean log loss."""
        return float(log_loss(self.logits, self.y).mean())

    def loss_slopes(self) -> np.ndarray:
        """Of the mean loss, by each person's logit."""
        return log_loss_slopes(self.logits, self.y) / self.n

    def gradient(self, slopes: np.ndarray) -> np.ndarray:
        """The sum over these people of slope times gradient of the logit, (p,)."""
        return gradient(self.problem.network, self.theta, self.passed, slopes)

    def public_slopes(self, multipliers: np.ndarray, middle: np.ndarray, clip: float) -> np.ndarray:
        """The slope of the penalty's public part by each person's logit, for these people, who are a share of all: of mu(P), less the
        middle price of everybody, clipped as the group sums are."""
        if not multipliers.any() and not middle.any():
            return np.zeros(self.n)
        here, everybody = self.cells >= 0, self.problem.people
        price = (multipliers.sum(axis=0) / np.maximum(everybody, 1) - middle)[self.cells] * (self.problem.m / self.n)
        return np.where(here, price, 0.0) * self.slopes * (clip / np.maximum(self.norms, clip))


@dataclass(frozen=True, eq=False)
class GroupPart(Part):
    """Some ``people`` of a ``problem`` at some ``theta``, and their ``weights`` (n, k) on the groups, which are private."""

    problem: FairProblem
    weights: np.ndarray

    def sizes(self) -> np.ndarray:
        """People of each group and rate, (k, R)."""
        return self.problem.terms.sizes(self.cells, self.weights)

    def violations(self, sizes: np.ndarray | None = None, *, empty: Empty = "refuse") -> np.ndarray:
        """mu(P) - mu(G), (k, R). Without ``sizes`` by these people's own, and where a group has nobody here it is refused, or read as 0."""
        apart = self.problem.terms.violations(self.values, self.cells, self.weights, sizes)
        if empty == "refuse" and np.isnan(apart).any():
            a, r = np.argwhere(np.isnan(apart))[0]
            rate = self.problem.terms.parity.cells[r].name
            everybody = isinstance(self.people, slice)      # then no batch is too small
            check.refuse("problem" if everybody else "batch", self.n,
                         f"people of whom nobody is under the line of {rate} in group {a} of {len(apart)}, so the group has no mean",
                         WITHOUT_THEM if everybody else
                         "Choose a larger batch, empty='skip', which leaves that group out of that step, or a fixed normaliser.")
        return np.where(np.isnan(apart), 0.0, apart)

    def clipped_violations(self, clip: float) -> np.ndarray:
        """mu(P) less the group's mean of h shortened to ``clip``, as (13) is printed: everybody's mean is not shortened."""
        terms = self.problem.terms
        means, _ = terms.population(self.values, self.cells)
        short = self.values / np.maximum(1.0, np.abs(self.values) / clip)
        return means - terms.sums(short, self.cells, self.weights) / self.sizes()

    def penalty_slopes(self, multipliers: np.ndarray, sizes: np.ndarray | None = None) -> np.ndarray:
        """Of the sum of multiplier times mu(P) - mu(G), by each person's logit: the groups' sizes are these people's own, or ``sizes`` of
        all people, of whom these are a share."""
        terms = self.problem.terms
        multipliers = check.array("multipliers", multipliers, shape=terms.shape)
        if sizes is not None:
            sizes = check.array("sizes", sizes, shape=terms.shape)
        if sizes is None:
            own, here = self.sizes(), np.bincount(self.cells[self.cells >= 0], minlength=terms.shape[1])
            per = np.divide(multipliers, own, out=np.zeros(terms.shape), where=own != 0)
            every = np.where(own != 0, multipliers, 0.0).sum(axis=0) / np.maximum(here, 1)
        else:
            share = self.problem.m / self.n
            per, every = share * multipliers / sizes, share * multipliers.sum(axis=0) / np.maximum(self.problem.people, 1)
        price = np.where(self.cells >= 0, every[self.cells], 0.0) - terms.each(per, self.cells, self.weights)
        return price * self.slopes

    def mean_gradient(self, r: int, a: int | None = None, clip: float | None = None) -> np.ndarray:
        """The gradient of the mean of h over rate r, of group a or of everybody; with ``clip``, the mean of clipped gradients."""
        member = (self.cells == r) * (1.0 if a is None else self.weights[:, a])
        price = member / member.sum()
        if clip is None:
            return self.gradient(price * self.slopes)
        return clipped_sum(self.problem.network, self.theta, self.passed, self.slopes, clip, price)


def who(people: Any, m: int) -> np.ndarray | slice:
    """Rows of m people: a slice, or whole numbers below m."""
    if isinstance(people, slice):
        return people
    if check.numeric("people", people).dtype.kind == "b":
        check.refuse("people", np.shape(people), "True or False for everybody, and not who", "Give numpy.flatnonzero(people).")
    found = check.whole_numbers("people", people, low=0, high=m - 1)
    if found.ndim != 1:
        check.refuse("people", found.shape if found.ndim else int(found), f"has {found.ndim} axes, not 1", "Give an array of rows.")
    return found


def unchanged(rows: np.ndarray) -> np.ndarray:
    """Rows of X as they are, after a check that the file behind them has not changed since the problem was made."""
    with np.errstate(invalid="ignore"):
        if rows.size and not (rows.max() <= LARGEST and rows.min() >= -LARGEST):     # of NaN both are false
            wrong = rows[~((rows <= LARGEST) & (rows >= -LARGEST))]
            check.refuse("X", float(wrong[0]), f"not within {LARGEST:g}, and all of X was when the problem was made: the file behind X has "
                         "changed, or the array", "Train on a copy that nobody writes to: numpy.array(X).")
    return rows


def epoch_batches(m: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """One epoch: everybody once, in a random order, so many at a time; the last batch holds the rest.

    Source: Tran et al. 2020, Algorithm 1, line 3.

    Parameters
    ----------
    m, size : int in 1..10^9
        People, in all and of a batch.
    rng : numpy.random.Generator

    Returns
    -------
    iterator of arrays of ints

    Examples
    --------
    >>> [len(batch) for batch in epoch_batches(5, 2, np.random.default_rng(0))]
    [2, 2, 1]
    """
    m, size = check.integer("m", m, low=1, high=10**9), check.integer("size", size, low=1, high=10**9)
    order = epoch_order(m, check.rng(rng))
    return iter([order[start:start + size] for start in range(0, m, size)])


def epoch_order(m: int, rng: np.random.Generator) -> np.ndarray:
    """Everybody, in a random order."""
    return rng.permutation(m)


def poisson_sample(m: int, probability: float, rng: np.random.Generator) -> np.ndarray:
    """A secret sample: each of m people is in it with this probability, on its own; their rows, rising. Who is in it must not become known.

    Source: Tran et al. 2020, Definition 2, as it must be read: gap T13. Its size is numpy's binomial in doubles, which leaves out sizes
    that have a chance of 1e-14 or so together.
    """
    m, rng = check.integer("m", m, low=1, high=10**9), check.rng(rng)
    probability = check.number("probability", probability, low=0.0, high=1.0)
    return np.sort(rng.choice(m, int(rng.binomial(m, probability)), replace=False, shuffle=False))
