"""What every mechanism has: how it draws, and what an accountant may ask of it; one class a mechanism, in its own file.

A *run* is a record of what was run: any object with the numbers of :class:`Run`, such as ``accounting.Release``. A mechanism knows no
accountant, and an accountant knows no mechanism by name: a new one is one more file here, and its row in ``MECHANISMS``.
"""
from __future__ import annotations

import math
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .. import _checks as check

#: A run's own numbers, as its record keeps them: sensitivity, scale, and the mechanism's own epsilon: floats, or None.
Numbers = tuple[Any, Any, Any]

#: Neighbouring relations, in the words of dp-accounting.
Neighbours = Literal["add or remove one", "replace one", "replace special"]


class Run(Protocol):
    """The numbers of a record that a mechanism reads."""

    @property
    def mechanism(self) -> str: ...

    @property
    def sensitivity(self) -> Any: ...       # a float, or None for a mechanism that has none; so are the next two

    @property
    def scale(self) -> Any: ...

    @property
    def epsilon(self) -> Any: ...

    @property
    def sampling_probability(self) -> float: ...

    @property
    def relation(self) -> str: ...

    @property
    def times(self) -> int: ...


#: The least epsilon of one step, for formulas with exponentials.
LEAST_STEP = 1e-9


def scale_of(sensitivity: object, epsilon: object) -> float:
    """sensitivity / epsilon, both finite and above 0."""
    sensitivity = check.number("sensitivity", sensitivity, low=0.0, low_open=True)
    epsilon = check.epsilon(epsilon)
    if not 1e-300 < sensitivity / epsilon < 1e300:
        check.refuse("epsilon", epsilon, f"gives the scale {sensitivity / epsilon:g} at sensitivity {sensitivity:g}",
                     "Choose an epsilon nearer to the sensitivity.")
    return sensitivity / epsilon


def failure_chance(beta: object) -> float:
    """A failure probability, large enough for its logarithm."""
    return check.number("beta", beta, low=1e-200, high=1.0, high_open=True)


def step_epsilon(epsilon0: object) -> float:
    """The epsilon of one step, for formulas with exponentials: they are computed so that none overflows or cancels in this range."""
    return check.number("epsilon0", epsilon0, low=LEAST_STEP, high=1e6)


def orders_of(value: object) -> np.ndarray:
    """Orders of a Renyi divergence."""
    return check.filled("order", check.array("order", value, low=1.001, high=1e6), "order")


def rdp_pure(epsilon0: float, order: ArrayLike) -> np.ndarray:
    """The most that the Renyi divergence of an epsilon0-private mechanism can be: that of randomized response with two codes.

    Source: Bun and Steinke, "Concentrated differential privacy", TCC 2016, in exact form: randomized response, whose loss sits on both ends
    of its range. Its divergence is

        ln(cosh((a - 1/2) epsilon0) / cosh(epsilon0 / 2)) / (a - 1)  <=  a epsilon0^2 / 2.

    Parameters
    ----------
    epsilon0 : float in [1e-9, 1e6]
    order : float or array in [1.001, 1e6]

    Returns
    -------
    array of the shape of ``order``; at most epsilon0, its limit at large orders

    Examples
    --------
    >>> rdp_pure(1.0, [2, 10, 1000]).round(4)
    array([0.7353, 0.9652, 0.9997])
    """
    s, order = step_epsilon(epsilon0), orders_of(order)
    # 1 + (e^((a-1) s) - 1)(1 - e^(-a s)) / (1 + e^(-s)): so nothing cancels, and in logarithms nothing overflows
    x = (order - 1) * s
    growth = x + np.log(-np.expm1(-x)) + np.log(-np.expm1(-order * s)) - math.log1p(math.exp(-s))
    return np.logaddexp(0, growth) / (order - 1)


def exp_rest(y: np.ndarray) -> np.ndarray:
    """e^y - 1 - y for y within [-1, 1], by its series: what is left out is below 2e-18 of it."""
    return np.polynomial.polynomial.polyval(y, [0, 0] + [1 / math.factorial(n) for n in range(2, 20)])


#: ln(sinh(x/2) / (x/2)) = sum over n >= 1 of these times x^2n.
_SINH = [number / (2 * n * math.factorial(2 * n)) for n, number in enumerate(special.bernoulli(24)[2::2], 1)]


def sinh_slope(x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
    """(g(x) - g(y)) / (x^2 - y^2), g(x) = ln(sinh(x/2) / (x/2)), for x, y within [-1, 1], by its series, to all digits."""
    x, y = np.square(x), np.square(y)
    terms, power, total = np.ones_like(x), np.ones_like(y), np.zeros_like(x)
    for number in _SINH:
        total = total + number * terms
        power = power * y
        terms = terms * x + power
    return total


class Mechanism:
    """A mechanism of which only epsilon is known, and what each of the others answers in its own way."""

    #: Whether it can be run on a secret random sample, each person in it with a probability of its own.
    sampled = False
    #: How it may be told to draw, beside its numbers.
    options: frozenset[str] = frozenset()
    #: The numbers without which it does not draw, whatever its records can do without.
    needs: tuple[str, ...] = ()
    #: How many last axes of a value belong to one answer that is not spread over them: the choices of the exponential mechanism.
    inner = 0
    #: Whether one run may fail altogether with a probability delta.
    may_fail = True
    #: The delta at which its law is audited: one where one run has no epsilon without it.
    audit_delta = 0.0

    def numbers(self, mechanism: str, sensitivity: Any, scale: Any, epsilon: Any) -> Numbers:
        """What a record keeps; refuses what says too little, or contradicts itself."""
        if epsilon is None:
            check.refuse("epsilon", None, f"a record of {mechanism!r} with no epsilon says nothing of its privacy",
                         "Give the epsilon that it was run at.")
        return sensitivity, scale, epsilon

    def epsilon(self, sensitivity: Any, scale: Any, own: Any) -> float | None:
        """epsilon of one run, where one run has one without a delta."""
        return own

    def draw(self, value: np.ndarray, numbers: Numbers, rng: np.random.Generator, shape: tuple[int, ...], *args: Any, **options: Any
             ) -> np.ndarray:
        """An answer to the private ``value``, with ``shape`` leading repeats; ``numbers`` are a record's, or arrays over leading axes.
        """
        raise NotImplementedError

    def distance(self, value: np.ndarray, other: np.ndarray) -> np.ndarray:
        """How far apart the values (..., rows, n) of two neighbours are, all rows together, in the norm that the sensitivity bounds; where
        none is known, 0 or 1.
        """
        return (value != other).any(axis=(-2, -1)).astype(float)

    def worst_pair(self) -> tuple[np.ndarray, np.ndarray]:
        """The values of two neighbours that it tells apart most easily, at sensitivity 1: of two rows of three numbers the first moves."""
        return np.zeros((2, 3)), np.eye(2, 3) * [1, 0, 0]

    def at(self, epsilon: float, delta: float) -> dict[str, float]:
        """The numbers of a record that is private at ``epsilon`` (and ``delta``, where it needs one); sensitivity 1."""
        return {"epsilon": epsilon}

    def divergence(self, run: Run, order: ArrayLike) -> np.ndarray:
        """The Renyi divergence of one run."""
        return rdp_pure(run.epsilon, order)

    def loss(self, run: Run) -> tuple[float, float, float]:
        """Mean, spread and largest value of the loss of one run, by which the grid is chosen. Of a pure run the last two are epsilon.
        """
        return run.epsilon * math.tanh(run.epsilon / 2), run.epsilon, run.epsilon

    def convolutions(self, run: Run) -> int:
        """How many it takes to add up all runs."""
        return run.times

    def losses(self, pld: Any, run: Run, how: dict) -> Any:
        """The loss distribution of all runs, by dp-accounting's module ``pld`` with its settings ``how``."""
        return repeated(pld.from_discrete_laplace_mechanism(run.epsilon, 1, **how), run)

    def epsilon_at(self, run: Run, delta: float) -> float | None:
        """The exact epsilon of all runs together at this delta, where a formula has it."""
        return None

    def event(self, dp: Any, run: Run) -> tuple[Any, Neighbours]:
        """One run as an event of the module ``dp`` (dp_accounting), and the neighbouring relation that its accountants must be given."""
        return dp.dp_event.DiscreteLaplaceDpEvent(run.epsilon, 1), "add or remove one"

    def event_of_all(self, dp: Any, one: Any, times: int) -> Any:
        """All runs, from one run's event."""
        return dp.SelfComposedDpEvent(one, times) if times > 1 else one

    def of_event(self, event: Any, neighbours: Neighbours) -> dict[str, float] | None:
        """The numbers of the record that has this event, made for these neighbours; None if it is no event of this mechanism."""
        return None


def beside(number: Any, value: np.ndarray) -> np.ndarray:
    """A number of each leading axis of ``value``, in a shape that broadcasts with it."""
    number = np.asarray(number, dtype=float)
    return number.reshape(number.shape + (1,) * (value.ndim - number.ndim)) if number.ndim else number


#: No step is finer, as an exponent of 2: of finer ones there is room for no number. A coarser grid is post-processing too.
_FINEST = -900


def grid_step(scale: np.ndarray | float) -> np.ndarray:
    """The step of the grid of a noise of this scale: a power of two between a 2048th and a 1024th of it. Public, as the scale is."""
    return np.ldexp(1.0, np.maximum(np.frexp(scale)[1] - 11, _FINEST))      # 2^floor(log2(scale)) / 1024


def rounded(noisy: np.ndarray, scale: np.ndarray | float, step: float | None = None) -> np.ndarray:
    """Noisy numbers to the nearest multiple of ``step``; None: of :func:`grid_step`; 0: raw doubles, as papers print it, and not private.

    Raw doubles have low digits that only some private numbers can lead to. ``scale`` broadcasts with ``noisy``; where it is 0 nothing is
    rounded.
    """
    if step == 0:
        return noisy
    steps = grid_step(scale) if step is None else step
    return np.where(np.asarray(scale) > 0, np.rint(noisy / steps) * steps, noisy)


def noisy(value: np.ndarray, noise: np.ndarray, scale: Any, step: float | None) -> np.ndarray:
    """``value`` with noise of its scale, :func:`rounded`."""
    scale = beside(scale, value)
    return rounded(value + noise * scale, scale, step)


class AdditiveNoise(Mechanism):
    """Noise of a scale, added to a query of a sensitivity, that makes it epsilon-private: epsilon = sensitivity / scale."""

    def distance(self, value: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.abs(value - other).sum(axis=(-2, -1))

    def numbers(self, mechanism: str, sensitivity: Any, scale: Any, epsilon: Any) -> Numbers:
        if scale is None and epsilon is None:
            check.refuse("epsilon", None, f"a {mechanism} record with neither scale nor epsilon says nothing of its noise",
                         "Give sensitivity and scale, as they were run.")
        if sensitivity is None:
            check.refuse("sensitivity", None, f"a {mechanism} record has one", "Give the sensitivity that the noise was made for.")
        if scale is None:
            scale = sensitivity / epsilon
        elif epsilon is not None and not math.isclose(scale, sensitivity / epsilon, rel_tol=1e-9):
            check.refuse("scale", scale, f"sensitivity {sensitivity:g} and epsilon {epsilon:g} ask for {sensitivity / epsilon:g}",
                         "Record the sensitivity and the scale that were used; epsilon is derived.")
        check.number("epsilon", sensitivity / scale, low=0.0, high=1e9 * (1 + 1e-9), low_open=True)
        return sensitivity, scale, None

    def epsilon(self, sensitivity: Any, scale: Any, own: Any) -> float | None:
        short = float(f"{sensitivity / scale:.15g}")        # of the numbers that give this scale, the one that somebody chose
        return short if sensitivity / short == scale else sensitivity / scale

    def at(self, epsilon: float, delta: float) -> dict[str, float]:
        return {"sensitivity": 1.0, "scale": 1 / epsilon}


def repeated(one: Any, run: Run) -> Any:
    """The loss distribution of all runs, from that of one."""
    return one.self_compose(run.times) if run.times > 1 else one
