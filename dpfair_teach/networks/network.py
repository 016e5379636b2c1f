"""The network: ReLU layers and one logit, all of its numbers in one flat array."""
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from scipy.special import expit

from .. import _checks as check

__all__ = ["Network"]

WIDEST = 10**6
MOST = 10**8        # parameters: 800 MB
TOGETHER = 1024     # people whose logits are computed in one go where nobody asks for a gradient: what a processor holds near it
NUMBERS = 10**7     # and at most so many numbers of a layer: 80 MB


@dataclass(frozen=True, eq=False)
class Pass:
    """What a forward pass leaves for the way back.

    ``logits`` are (m,); ``activations`` what each layer read, the features first, (m, width + 1) with 1 in the last column; ``theta`` is
    where the pass was made: with another one the way back would be a gradient of nothing.
    """

    logits: np.ndarray
    activations: tuple[np.ndarray, ...]
    theta: np.ndarray | None = None


@dataclass(frozen=True)
class Network:
    """A classifier of ReLU layers and one logit, P(1) = 1 / (1 + exp(-logit)). What it has learned is one flat array, theta.

    Source: Section 8, *Architectures* (Tran et al. 2020: ReLU, two hidden layers, without their widths). Theta holds the layers, the first
    one first, each with n inputs and w outputs as n rows of w weights and a row of w biases. Arrays are as precise as theta: float32 is
    about twice as fast as float64, and is kept where theta is a numpy array of it. Without hidden layers this is logistic regression.

    Parameters
    ----------
    n_features : int in 1..10^6
        Columns of X.
    hidden : tuple of ints in 1..10^6
        The widths of the hidden layers; () for none. ``n_parameters``, the length p of theta, is at most 10^8.

    Examples
    --------
    >>> network = Network(2, hidden=(3,))
    >>> network.n_parameters                                    # (2 + 1) * 3 + (3 + 1) * 1
    13
    >>> theta = network.initial(np.random.default_rng(0))
    >>> network.probabilities(theta, [[0., 1.], [2., 0.]]).round(2)
    array([0.64, 0.85])
    """

    n_features: int
    hidden: tuple[int, ...] = (100, 100)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_features", check.integer("n_features", self.n_features, low=1, high=WIDEST))
        hidden: Any = self.hidden
        if not isinstance(hidden, (tuple, list)) and not (isinstance(hidden, np.ndarray) and hidden.ndim == 1):
            check.refuse("hidden", hidden, "not a tuple of widths", "Give the width of each hidden layer, as (100, 100), or () for none.")
        widths = tuple(check.integer(f"hidden[{i}]", width, low=1, high=WIDEST) for i, width in enumerate(hidden))
        object.__setattr__(self, "hidden", widths)
        if self.n_parameters > MOST:
            check.refuse("n_features, hidden", (self.n_features, self.hidden), f"make {self.n_parameters:,} parameters, more than {MOST:,}",
                         "Choose narrower layers.")

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """The shape of each layer's matrix, biases included."""
        widths = (self.n_features, *self.hidden, 1)
        return tuple((n + 1, w) for n, w in pairwise(widths))

    @cached_property
    def n_parameters(self) -> int:
        """The length of theta."""
        return sum(rows * columns for rows, columns in self.shapes)

    def initial(self, rng: np.random.Generator, dtype: DTypeLike = float) -> np.ndarray:
        """Where training starts, (p,): weights and biases of a layer of n inputs and w outputs are uniform within sqrt(6 / (n + w)) of 0.

        Source: Glorot and Bengio (2010), equation (16); for biases as well, as scikit-learn's networks start. ``dtype`` is float64 or
        float32: the same numbers, rounded. So everybody's logit is small at first.

        >>> Network(2, hidden=()).initial(np.random.default_rng(0)).round(2)
        array([ 0.39, -0.65, -1.3 ])
        """
        check.rng(rng, drawn="the first weights")
        kind, theta = precision("dtype", dtype), np.empty(self.n_parameters)
        for block in blocks(self.shapes, theta):
            within = math.sqrt(6 / (len(block) - 1 + block.shape[1]))
            block[...] = rng.uniform(-within, within, block.shape)
        return theta.astype(kind, copy=False)

    def forward(self, theta: ArrayLike, X: ArrayLike) -> Pass:
        """Everybody's logit, with what each layer read on the way: what :func:`gradient_norms` and the others go back along.

        All of a batch X (m, n_features) is held at once; for many people without gradients there is :meth:`logits`.

        >>> passed = Network(1, hidden=(1,)).forward([2.0, -1.0, 3.0, 0.5], [[1.0], [0.0]])
        >>> passed.logits, passed.activations[1]                # what the last layer read: ReLU(2 x - 1), and 1
        (array([3.5, 0.5]), array([[1., 1.],
               [0., 1.]]))
        """
        theta = parameters(self, theta)
        return Pass(*_forward(self, theta, features(self, X)), theta)

    def logits(self, theta: ArrayLike, X: ArrayLike) -> np.ndarray:
        """Everybody's logit (m,), for any number of people: rows are read in blocks, from a numpy.memmap too, and never copied together.

        >>> Network(1, hidden=()).logits([2.0, -1.0], [[1.0], [0.0]])
        array([ 1., -1.])
        """
        theta = parameters(self, theta)
        found = [_forward(self, theta, block)[0] for block in in_blocks(self, features(self, X))]
        return np.concatenate(found) if found else np.empty(0, theta.dtype)

    def probabilities(self, theta: ArrayLike, X: ArrayLike) -> np.ndarray:
        """Everybody's P(1), (m,) of float64, for any number of people, as :meth:`logits`.

        >>> Network(1, hidden=()).probabilities([2.0, -1.0], [[1.0], [0.5]]).round(3)
        array([0.731, 0.5  ])
        """
        return expit(self.logits(theta, X).astype(float))


def precision(name: str, value: Any) -> np.dtype:
    """float64 or float32."""
    try:
        kind = np.dtype(value)
    except Exception as problem:
        check.refuse(name, value, "not a kind of numbers", "Choose numpy.float64 or numpy.float32.", problem)
    if value is None or kind not in (np.dtype(np.float64), np.dtype(np.float32)):
        check.refuse(name, value, "neither float64 nor float32", "Choose numpy.float64 or numpy.float32.")
    return kind


def finite(a: np.ndarray) -> bool:
    """No NaN and no infinity; of ordinary numbers one product knows."""
    flat = a.ravel()        # no copy of what lies in one piece
    with np.errstate(all="ignore"):
        return bool(math.isfinite(flat @ flat) or np.isfinite(flat).all())


def parameters(network: Network, theta: Any, name: str = "theta") -> np.ndarray:
    """A number for each parameter of the network: the array itself where it is one of float64 or float32 in one piece."""
    p = network.n_parameters
    if type(theta) is not np.ndarray or theta.dtype not in (np.float64, np.float32) or theta.ndim != 1:
        theta = check.array(name, theta, ndim=1)
    if len(theta) != p:
        check.refuse(name, theta.shape, f"the network has {p} parameters", f"Give {p} numbers, as network.initial(rng) does.")
    if not finite(theta):
        check.array(name, theta, remedy=f"Make {name} finite.")
    return np.ascontiguousarray(theta)


def features(network: Network, X: Any, name: str = "X") -> np.ndarray:
    """Rows of features; a plain array as it is, of whatever number of bits."""
    n = network.n_features
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "biuf" or X.ndim != 2 or np.ma.isMaskedArray(X) or X.dtype == np.longdouble:
        X = check.rows(name, X, columns=n)
    if X.shape[1] != n:
        check.refuse(name, X.shape, f"not of shape (m, {n})", f"Give one column for each of the {n} features of the network.")
    return X


def in_blocks(network: Network, X: np.ndarray) -> Iterator[np.ndarray]:
    """The rows of X, as many at a time as are passed forward together."""
    people = max(1, min(TOGETHER, NUMBERS // max(rows for rows, _ in network.shapes)))
    return (X[start:start + people] for start in range(0, len(X), people))


def blocks(shapes: tuple[tuple[int, int], ...], flat: np.ndarray) -> list[np.ndarray]:
    """The matrices of the layers, as views of one flat array."""
    found, start = [], 0
    for rows, columns in shapes:
        found.append(flat[start:start + rows * columns].reshape(rows, columns))
        start += rows * columns
    return found


def _forward(network: Network, theta: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Everybody's logit, and what each layer read; it ends with a 1 for each person, so that one product does weights and biases."""
    layers, read = blocks(network.shapes, theta), np.empty((X.shape[0], X.shape[1] + 1), theta.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        read[:, :-1] = X
        read[:, -1] = 1
        activations = [read]
        for layer in layers[:-1]:
            after = np.empty((len(X), layer.shape[1] + 1), theta.dtype)
            np.maximum(activations[-1] @ layer, 0, out=after[:, :-1])
            after[:, -1] = 1
            activations.append(after)
        logits = (activations[-1] @ layers[-1])[:, 0]
    if not finite(read):
        check.array("X", X)
        check.refuse("X", float(np.abs(X).max()), f"is too large for {theta.dtype}", "Give smaller features, or a theta of float64.")
    if not all(map(finite, (logits, *activations[1:]))):
        check.refuse("theta, X", (float(np.abs(theta).max()), float(np.abs(X).max())),
                     "are the largest entries, and some number on the way to the logit is no longer finite",
                     "Scale the features, or take smaller steps.")
    return logits, tuple(activations)
