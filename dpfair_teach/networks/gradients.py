"""What a logit costs, and the way back: the gradient of a sum, everybody's norm, and the sum of what each gradient is once it is clipped.

A person's number (a loss, a score) enters by its slope, the derivative by the person's logit: a person's gradient is slope times gradient
of the logit. X, Y and theta are public here, so all of them are; what is private is who is in which group. Losses are written in
s = 2 y - 1, and keep their digits however large the logit is: nothing is subtracted from 1.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from .. import _checks as check
from .network import Network, Pass, blocks, finite, parameters

__all__ = ["log_loss_slopes", "gradient_norms", "clipped_sum", "per_example_gradients"]

MOST = 10**8        # numbers in a table of all gradients


def log_loss(logits: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Everybody's log loss, ln(1 + exp(-s z)) with s = 2 y - 1, of logits (m,) and labels y (m,), 0 or 1: (m,) of float64.

    Source: problem (L), Section 3 (Tran et al. 2020, for a loss that they leave open).
    """
    z, s = _signed(logits, y)
    return np.logaddexp(0.0, -s * z)


def log_loss_slopes(logits: ArrayLike, y: ArrayLike) -> np.ndarray:
    """The derivative of everybody's log loss by their logit: p - y.

    Source: problem (L), Section 3 (Tran et al. 2020).

    Parameters
    ----------
    logits : (m,) array
    y : (m,) array of 0/1

    Returns
    -------
    (m,) array of float64

    Examples
    --------
    >>> log_loss_slopes([0.0, 40.0, -1000.0], [1, 1, 1])
    array([-5.00000000e-01, -4.24835426e-18, -1.00000000e+00])
    """
    z, s = _signed(logits, y)
    return -s * expit(-s * z)


def soft_error(logits: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Everybody's chance of a wrong answer when the network answers 1 with probability p: |y - p|, between 0 and 1.

    Source: Example 3, Section 4.1 (Tran et al. 2020), with the score for the decision.
    """
    z, s = _signed(logits, y)
    return expit(-s * z)


def soft_error_slopes(logits: ArrayLike, y: ArrayLike) -> np.ndarray:
    """The derivative of everybody's soft error by their logit, (1 - 2 y) p (1 - p).

    Source: Example 3, Section 4.1 (Tran et al. 2020), with the score for the decision.
    """
    z, s = _signed(logits, y)
    return -s * expit(z) * expit(-z)


def _signed(logits: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Logits and s = 2 y - 1."""
    z = check.array("logits", logits, ndim=1)
    labels = check.labels("y", y) if len(z) or np.size(y) else np.empty(0)     # nobody: a batch may be empty
    if len(labels) != len(z):
        check.refuse("logits, y", (len(z), len(labels)), "different lengths", "Give one logit and one label a person: logits and y.")
    return z, 2.0 * labels - 1


def gradient(network: Network, theta: ArrayLike, passed: Pass, slopes: ArrayLike) -> np.ndarray:
    """The sum over people of slope times gradient of the logit: back-propagation, one product a layer.

    Source: ours (the chain rule). Of a mean of losses it is the gradient (p,) for slopes ``log_loss_slopes(logits, y) / m``.
    """
    read = _read(network, theta, passed, slopes)
    return _sum(read, _deltas(read, read.slopes))


def gradient_norms(network: Network, theta: ArrayLike, passed: Pass, slopes: ArrayLike) -> np.ndarray:
    """The l2 norm of everybody's slope times gradient of the logit; the gradients are never made.

    Source: ours, on Section 6.1 (Tran et al. 2020), which clips these; the identity is known since Goodfellow (2015). A layer's gradient of
    one person is the matrix a delta', so the square of the norm is the sum over layers of |delta|^2 (|a|^2 + 1) (chapter 15).

    Parameters
    ----------
    network : Network
    theta : (p,) array
        That of the pass, whose kind of floats is the answer's.
    passed : Pass
        ``network.forward(theta, X)``.
    slopes : (m,) array

    Returns
    -------
    (m,) array of float64

    Examples
    --------
    >>> network = Network(2, hidden=())
    >>> passed = network.forward([0., 0., 0.], [[2., 2.], [3., 4.]])
    >>> gradient_norms(network, [0., 0., 0.], passed, [-1.0, 10.0]).round(3)        # sqrt(4 + 4 + 1), 10 sqrt(9 + 16 + 1)
    array([ 3.   , 50.99])
    """
    read = _read(network, theta, passed, slopes)
    return _norms(read, _deltas(read))


def clipped_sum(network: Network, theta: ArrayLike, passed: Pass, slopes: ArrayLike, clip: float,
                weights: ArrayLike | None = None) -> np.ndarray:
    """The sum over people of weight times clipped gradient, where a gradient longer than ``clip`` is shortened to it; two passes, no loop.

    Source: Section 6.1, the clipping after equation (10) (Tran et al. 2020), for each person as Theorem 1 needs it. Clipping is another
    slope, so the second pass is the gradient for the slopes times min(1, clip / norm). Nobody's share is longer than ``clip``, up to
    rounding: a part in 10^14, in 10^5 of float32.

    Parameters
    ----------
    network, theta, passed, slopes : as in :func:`gradient_norms`
    clip : float > 0
    weights : (m,) array, optional
        Of any sign, multiplied after the clipping; by default 1.

    Returns
    -------
    (p,) array

    Examples
    --------
    >>> network = Network(2, hidden=())
    >>> passed = network.forward([0., 0., 0.], [[2., 2.], [0., 0.]])
    >>> clipped_sum(network, [0., 0., 0.], passed, [1.0, 1.0], clip=1.5, weights=[2.0, -1.0])
    array([2., 2., 0.])
    """
    read, clip = _read(network, theta, passed, slopes), check.number("clip", clip, low=0, low_open=True)
    deltas = _deltas(read)
    scale = read.slopes * (clip / np.maximum(_norms(read, deltas), clip))
    if weights is not None:
        weights = check.array("weights", weights, ndim=1, length=len(scale))
    with np.errstate(over="ignore", invalid="ignore"):
        across = (scale if weights is None else scale * weights).astype(read.slopes.dtype, copy=False)[:, None]
        return _sum(read, [delta * across for delta in deltas])


def per_example_gradients(network: Network, theta: ArrayLike, passed: Pass, slopes: ArrayLike) -> np.ndarray:
    """Everybody's slope times gradient of the logit, one person after the other: what the others here are compared with.

    Source: ours (the chain rule).

    Parameters
    ----------
    network, theta, passed, slopes : as in :func:`gradient_norms`

    Returns
    -------
    (m, p) array, of at most 10^8 numbers

    Examples
    --------
    >>> network = Network(1, hidden=(1,))
    >>> theta = [2.0, -1.0, 3.0, 0.5]
    >>> per_example_gradients(network, theta, network.forward(theta, [[1.0], [0.0]]), [1.0, 1.0])
    array([[3., 3., 1., 1.],
           [0., 0., 0., 1.]])
    """
    read = _read(network, theta, passed, slopes)
    m, p = len(read.slopes), network.n_parameters
    if m * p > MOST:
        check.refuse("passed, slopes", m, f"gradients of {p} numbers each are more than {MOST:,} numbers",
                     "Use gradient_norms and clipped_sum, which make none.")
    found = np.empty((m, p), read.slopes.dtype)
    for i in range(m):
        alone = Pass(passed.logits[i:i + 1], tuple(a[i:i + 1] for a in passed.activations))
        found[i] = gradient(network, theta, alone, read.slopes[i:i + 1])
    return found


def layer_deltas(layers: list[np.ndarray], activations: tuple[np.ndarray, ...], slopes: np.ndarray) -> list[np.ndarray]:
    """How a number whose derivative by the logit is the slope changes with what each layer adds up, (m, width) for each layer."""
    found = [slopes[:, None]]
    for layer, read in zip(layers[:0:-1], activations[:0:-1], strict=True):
        back = found[0] @ layer[:-1].T
        back *= read[:, :-1] > 0
        found.insert(0, back)
    return found


def summed_gradient(activations: tuple[np.ndarray, ...], found: list[np.ndarray], out: list[np.ndarray]) -> None:
    """The sum over people of read' delta, written into the views of a flat gradient."""
    for read, delta, into in zip(activations, found, out, strict=True):
        np.matmul(read.T, delta, out=into)


def squared_norms(activations: tuple[np.ndarray, ...], found: list[np.ndarray]) -> np.ndarray:
    """|delta|^2 (|a|^2 + 1), added over the layers, for each person."""
    total = np.zeros(len(found[0]), found[0].dtype)
    for read, delta in zip(activations, found, strict=True):
        total += np.vecdot(delta, delta) * np.vecdot(read, read)
    return total


class _Read(NamedTuple):
    """A pass and its slopes, whose arguments were read; ``layers`` are the matrices."""

    network: Network
    layers: list[np.ndarray]
    activations: tuple[np.ndarray, ...]
    slopes: np.ndarray


def _read(network: Any, theta: Any, passed: Any, slopes: Any) -> _Read:
    check.instance("network", network, Network, "not a Network", "Make it with networks.Network(n_features, hidden).")
    theta = parameters(network, theta)
    check.instance("passed", passed, Pass, "not what a forward pass returns", "Give network.forward(theta, X) as passed.")
    m = len(passed.logits)
    found, wanted = tuple(read.shape for read in passed.activations), tuple((m, rows) for rows, _ in network.shapes)
    if found != wanted:
        check.refuse("network, passed", found, f"are the shapes of what the layers read, and those of this network read {wanted}",
                     "Give network.forward(theta, X) as passed.")
    with np.errstate(over="ignore"):        # of a number too large for the kind: then the answer is not finite, and refused
        theta = theta.astype(passed.logits.dtype, copy=False)
        slopes = _for_everybody("slopes", slopes, m).astype(theta.dtype, copy=False)
    if passed.theta is not None and theta is not passed.theta and not np.array_equal(theta, passed.theta):
        at = int(np.argmax(theta != passed.theta))
        check.refuse("theta, passed", (float(theta[at]), float(passed.theta[at])), f"are entry {at} of theta, and of the one that the pass "
                     "was made with", "Give network.forward(theta, X) as passed, of this theta.")
    return _Read(network, blocks(network.shapes, theta), passed.activations, slopes)


def _for_everybody(name: str, value: Any, m: int) -> np.ndarray:
    """A number for each of m people."""
    if type(value) is np.ndarray and value.dtype in (np.float64, np.float32) and value.shape == (m,) and finite(value):
        return value
    return check.array(name, value, ndim=1, length=m)


def _sum(read: _Read, deltas: list[np.ndarray]) -> np.ndarray:
    """The flat gradient that the deltas of everybody add up to."""
    found = np.empty(read.network.n_parameters, read.slopes.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        summed_gradient(read.activations, deltas, blocks(read.network.shapes, found))
    return _finite(found)


def _norms(read: _Read, deltas: list[np.ndarray]) -> np.ndarray:
    """Everybody's norm, of the deltas for slopes of 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.abs(read.slopes.astype(float)) * np.sqrt(squared_norms(read.activations, deltas).astype(float))
    return _finite(norms)


def _deltas(read: _Read, slopes: np.ndarray | None = None) -> list[np.ndarray]:
    """Those of the slopes, or of slopes of 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        return layer_deltas(read.layers, read.activations, np.ones_like(read.slopes) if slopes is None else slopes)


def _finite(found: np.ndarray) -> np.ndarray:
    if not finite(found):
        check.refuse("theta, passed, slopes, weights", float(found.ravel()[~np.isfinite(found.ravel())][0]),
                     "is what a gradient of them, or its norm, holds", "Scale the features, or take smaller steps.")
    return found
