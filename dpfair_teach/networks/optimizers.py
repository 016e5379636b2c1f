"""Steps of a gradient: plain, and Adam's."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike

from .. import _checks as check
from .network import finite, precision

__all__ = ["SGD", "Adam"]

#: Of Kingma and Ba: how much of the mean, and of the mean of squares, stays from step to step, and what is added to the root.
BETA_1, BETA_2, FLOOR = 0.9, 0.999, 1e-8
MOST_STEPS = 10**15
RETURNED = "Give what start(p), or the last step, returned."


@runtime_checkable
class Optimizer(Protocol):
    """What makes steps of gradients, as SGD and Adam do."""

    @property
    def learning_rate(self) -> float: ...

    def start(self, p: int, dtype: DTypeLike = float) -> dict[str, np.ndarray]: ...

    def step(self, theta: np.ndarray, gradient: np.ndarray,
             moments: Mapping[str, np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]: ...


@check.formerly(rate="Say learning_rate.", momentum="Take Adam, or write a step of your own.")
@dataclass(frozen=True)
class SGD:
    """Plain gradient steps: theta <- theta - learning_rate * gradient.

    Source: Algorithm 1, line 4 (Tran et al. 2020).

    Parameters
    ----------
    learning_rate : float > 0
        How far a step goes.

    Examples
    --------
    >>> step = SGD(0.5)
    >>> step.step(np.array([1.0]), np.array([4.0]), step.start(1))
    (array([-1.]), {})
    """

    learning_rate: float

    def __post_init__(self) -> None:
        _read_rate(self)

    def start(self, p: int, dtype: DTypeLike = float) -> dict[str, np.ndarray]:
        """What the first step is handed, for p parameters: nothing."""
        check.integer("p", p, low=1)
        precision("dtype", dtype)
        return {}

    def step(self, theta: np.ndarray, gradient: np.ndarray, moments: Mapping[str, np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """theta and the moments after one step; those that are given stay as they are.

        ``moments`` are what :meth:`start`, or the last step, returned; a ``training.State`` that holds them will do.
        """
        theta, gradient = _checked(theta, gradient)
        with np.errstate(over="ignore", invalid="ignore"):
            return _arrived(theta - self.learning_rate * gradient, self.learning_rate), {}


@check.formerly(rate="Say learning_rate.", beta_1="It is 0.9.", beta_2="It is 0.999.", floor="It is 1e-8.")
@dataclass(frozen=True)
class Adam:
    """Steps by a running mean of the gradients over the root of a running mean of their squares, both freed of their start at 0.

    Source: Kingma and Ba (2015), Algorithm 1, with their numbers: .9 of the mean and .999 of the squares stay, 1e-8 is added to the root.

    Parameters
    ----------
    learning_rate : float > 0
        About how far an entry of theta moves in a step.

    Examples
    --------
    >>> step = Adam(0.1)
    >>> theta, moments = step.step(np.array([1.0, 1.0]), np.array([3.0, -0.01]), step.start(2))
    >>> theta.round(3)                                          # the first step goes by the signs
    array([0.9, 1.1])
    """

    learning_rate: float = 0.001

    def __post_init__(self) -> None:
        _read_rate(self)

    def start(self, p: int, dtype: DTypeLike = float) -> dict[str, np.ndarray]:
        """What the first step is handed, for p parameters of this ``dtype``, float64 or float32: zeros, and that no step was made."""
        p, kind = check.integer("p", p, low=1), precision("dtype", dtype)
        return {"mean": np.zeros(p, kind), "square": np.zeros(p, kind), "steps": np.array(0)}

    def step(self, theta: np.ndarray, gradient: np.ndarray, moments: Mapping[str, np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """theta and the moments after one step, as :meth:`SGD.step`."""
        theta, gradient = _checked(theta, gradient)
        mean, square = (_moment(moments, name, theta) for name in ("mean", "square"))
        if not square.min(initial=0.0) >= 0:
            check.refuse("moments", float(square.min()), "is an entry of what is called square, a mean of squares", RETURNED)
        t = _steps(moments) + 1
        mean, square = BETA_1 * mean, BETA_2 * square
        mean += (1 - BETA_1) * gradient
        with np.errstate(over="ignore"):
            square += (1 - BETA_2) * (gradient * gradient)
        if not finite(square):      # else such an entry would stand still from now on
            check.refuse("gradient", float(np.abs(gradient).max()), f"has a square that is too large for {theta.dtype}",
                         "Scale the features, or clip the gradient.")
        root = square / (1 - BETA_2**t)             # in one memory: large arrays cost more to get than to fill
        np.sqrt(root, out=root)
        root += FLOOR
        with np.errstate(over="ignore", invalid="ignore"):
            after = np.divide(mean, root, out=root)
            after *= -self.learning_rate / (1 - BETA_1**t)
            after += theta
        return _arrived(after, self.learning_rate), {"mean": mean, "square": square, "steps": np.array(t)}


def _read_rate(optimizer: Any) -> None:
    object.__setattr__(optimizer, "learning_rate", check.number("learning_rate", optimizer.learning_rate, low=0, low_open=True))


def _checked(theta: Any, gradient: Any) -> tuple[np.ndarray, np.ndarray]:
    """A gradient for each parameter, as precise as theta."""
    if type(theta) is not np.ndarray or theta.dtype not in (np.float64, np.float32) or theta.ndim != 1:
        theta = check.array("theta", theta, ndim=1)
    if type(gradient) is not np.ndarray or gradient.dtype != theta.dtype or gradient.shape != theta.shape:
        gradient = check.array("gradient", gradient, ndim=1, length=len(theta)).astype(theta.dtype)
    for name, a in (("theta", theta), ("gradient", gradient)):
        if not finite(a):
            check.array(name, a, remedy="Take smaller steps.")
    return theta, gradient


def _named(moments: Any, name: str) -> Any:
    try:
        return moments[name]
    except Exception as problem:
        check.refuse("moments", moments, f"has no {name}", RETURNED, problem)


def _moment(moments: Any, name: str, theta: np.ndarray) -> np.ndarray:
    """The moment of that name, as long and as precise as theta, and finite: NaN would make every later theta NaN."""
    found = _named(moments, name)
    if type(found) is not np.ndarray or found.shape != theta.shape or found.dtype != theta.dtype:
        check.refuse("moments", found, f"is called {name}, and not of shape {theta.shape} and {theta.dtype} as theta is",
                     "Give what start(p, dtype=theta.dtype), or the last step, returned.")
    if not finite(found):
        check.refuse("moments", float(found[~np.isfinite(found)][0]), f"is an entry of what is called {name}", RETURNED)
    return found


def _steps(moments: Any) -> int:
    """How many steps were made: a whole number, alone or in an array without axes."""
    found: Any = _named(moments, "steps")
    whole = found.dtype.kind in "iu" and found.ndim == 0 if isinstance(found, (np.ndarray, np.generic)) else type(found) is int
    if not whole or not 0 <= int(found) <= MOST_STEPS:
        check.refuse("moments", found, f"is called steps, and no whole number from 0 to {MOST_STEPS:,}", RETURNED)
    return int(found)


def _arrived(theta: np.ndarray, learning_rate: float) -> np.ndarray:
    """theta after a step, if it is still one: of what is not, every later step would be none."""
    if not finite(theta):
        check.refuse("learning_rate", learning_rate, "with this step an entry of theta is no longer finite",
                     "Take smaller steps: choose a smaller learning_rate, or scale the features.")
    return theta
