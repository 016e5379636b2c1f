"""The way back: the gradient of a sum, everybody's norm, and sums of what each person's gradient is once it is clipped.

A person's number (a loss, a score) enters by its slope, the derivative by the person's logit. A person's gradient is slope times gradient
of the logit. X, Y and theta are public here, so all of them are; what is private is who is in which group.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from . import cores
from .network import Network, Pass, finite, parameters

__all__ = ["gradient", "gradient_norms", "clipped_sum", "clipped_group_sums", "per_example_gradients"]

MOST = 10**8        # numbers in a table of all gradients


def gradient(network: Network, theta: ArrayLike, passed: Pass, slopes: ArrayLike) -> np.ndarray:
    """The sum over people of slope times gradient of the logit: back-propagation, one product a layer.

    Source: ours (the chain rule). Of a mean of losses it is the gradient for slopes ``log_loss_slopes(logits, y) / m``.

    Parameters
    ----------
    network : Network
    theta : (p,) array
        That of the pass, whose kind of floats is the answer's. One that was changed in place since then is not found out.
    passed : Pass
        ``network.forward(theta, X)``.
    slopes : (m,) array

    Returns
    -------
    (p,) array

    Raises
    ------
    ValueError
        Shapes that do not fit; entries, or a gradient, that are not finite; another theta than the pass was made with.

    Examples
    --------
    >>> network = Network(2, hidden=())
    >>> passed = network.forward([0., 0., 0.], [[1., 2.], [3., 4.]])
    >>> gradient(network, [0., 0., 0.], passed, [1.0, 10.0])
    array([31., 42., 11.])
    """
    read = _read(network, theta, passed, slopes)
    return _sum(read, _deltas(read, read.slopes))


def gradient_norms(network: Network, theta: ArrayLike, passed: Pass, slopes: ArrayLike) -> np.ndarray:
    """The l2 norm of everybody's slope times gradient of the logit; the gradients are never made.

    Source: ours, on Section 6.1 (Tran et al. 2020), which clips these; the identity is known since Goodfellow (2015).

    A layer adds up z = W'a + b. So one person's gradient by W is the matrix a delta' with delta the derivative by z, and by b it is delta.
    The sum of squares of a delta' is the sum over j and l of a_j^2 delta_l^2 = |a|^2 |delta|^2, and |delta|^2 more comes from b.
    Layers have no parameter in common, so their squares add up: the sum over layers of |delta|^2 (|a|^2 + 1), exactly.

    Parameters
    ----------
    network : Network
    theta : (p,) array
    passed : Pass
        ``network.forward(theta, X)``.
    slopes : (m,) array

    Returns
    -------
    (m,) array of float64

    Raises
    ------
    ValueError
        As :func:`gradient`.

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

    Source: Section 6.1, the clipping after equation (10) (Tran et al. 2020), for each person as Theorem 1 needs it.

    Nobody's share is longer than ``clip``, up to rounding: a part in 10^14, in 10^5 of float32.

    One pass for the norms n_i of :func:`gradient_norms`. Clipping multiplies a person's gradient by min(1, clip / n_i), and a multiple of
    it is that of another slope: so the second pass is the gradient for the slopes times that, times the weights.

    Parameters
    ----------
    network : Network
    theta : (p,) array
    passed : Pass
        ``network.forward(theta, X)``.
    slopes : (m,) array
    clip : float > 0
    weights : (m,) array, optional
        Of any sign, multiplied after the clipping; by default 1.

    Returns
    -------
    (p,) array

    Raises
    ------
    ValueError
        As :func:`gradient`; a clip that is not positive, weights of another length.

    Examples
    --------
    >>> network = Network(2, hidden=())
    >>> passed = network.forward([0., 0., 0.], [[2., 2.], [0., 0.]])
    >>> clipped_sum(network, [0., 0., 0.], passed, [1.0, 1.0], clip=1.5, weights=[2.0, -1.0])
    array([2., 2., 0.])
    """
    read = _read(network, theta, passed, slopes)
    return _sum(read, _clipped(read, clip, weights))


def clipped_group_sums(network: Network, theta: ArrayLike, passed: Pass, slopes: ArrayLike, clip: float, groups: ArrayLike,
                       n_groups: int | None = None) -> np.ndarray:
    """As :func:`clipped_sum`, of each group by itself; about as fast as one sum of all. A group with no member in the batch has the sum 0.

    Source: Section 6.1, the group terms of equation (10) (Tran et al. 2020), as sums.

    Parameters
    ----------
    network : Network
    theta : (p,) array
    passed : Pass
        ``network.forward(theta, X)``.
    slopes : (m,) array
    clip : float > 0
    groups : (m,) array of ints 0..k-1
    n_groups : int in 1..1000, optional
        k; by default the largest code plus one. Where groups are private give it: which occur in a batch is private too.

    Returns
    -------
    (k, p) array

    Raises
    ------
    ValueError
        As :func:`clipped_sum`; codes that are none.

    Examples
    --------
    >>> network = Network(1, hidden=())
    >>> passed = network.forward([0., 0.], [[0.], [1.], [2.]])
    >>> clipped_group_sums(network, [0., 0.], passed, [1.0, 1.0, 1.0], 10.0, [1, 0, 1], n_groups=3)
    array([[1., 1.],
           [2., 2.],
           [0., 0.]])
    """
    read = _read(network, theta, passed, slopes)
    m = len(read.slopes)
    codes, k = check.groups("groups", groups, length=m, n_groups=n_groups) if m or n_groups is None else (
        np.empty(0, int), check.group_count(n_groups, low=1))
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes, minlength=k)
    activations, deltas = [a[order] for a in read.activations], [delta[order] for delta in _clipped(read, clip)]
    sums = np.zeros((k, network.n_parameters), read.slopes.dtype)
    for flat, end, size in zip(sums, np.cumsum(sizes), sizes, strict=True):
        own = slice(end - size, end)
        cores.summed(tuple(a[own] for a in activations), [delta[own] for delta in deltas], cores.blocks(network.shapes, flat))
    return _finite(sums)


def per_example_gradients(network: Network, theta: ArrayLike, passed: Pass, slopes: ArrayLike) -> np.ndarray:
    """Everybody's slope times gradient of the logit, one person after the other: what the others here are compared with.

    Source: ours (the chain rule).

    Parameters
    ----------
    network : Network
    theta : (p,) array
    passed : Pass
        ``network.forward(theta, X)``.
    slopes : (m,) array

    Returns
    -------
    (m, p) array

    Raises
    ------
    ValueError
        As :func:`gradient`; more than 10^8 numbers.

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


class _Read(NamedTuple):
    """A pass and its slopes, whose arguments were read; ``layers`` are the matrices."""

    network: Network
    layers: list[np.ndarray]
    activations: tuple[np.ndarray, ...]
    slopes: np.ndarray


def _read(network: Any, theta: Any, passed: Any, slopes: Any) -> _Read:
    if not isinstance(network, Network):
        check.refuse("network", network, "not a Network", "Make it with networks.Network(n_features, hidden).")
    theta = parameters(network, theta)
    if not isinstance(passed, Pass):
        check.refuse("passed", passed, "not what a forward pass returns", "Give network.forward(theta, X) as passed.")
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
    return _Read(network, cores.blocks(network.shapes, theta), passed.activations, slopes)


def _for_everybody(name: str, value: Any, m: int) -> np.ndarray:
    """A number for each of m people."""
    if type(value) is np.ndarray and value.dtype in (np.float64, np.float32) and value.shape == (m,) and finite(value):
        return value
    return check.array(name, value, ndim=1, length=m)


def _sum(read: _Read, deltas: list[np.ndarray]) -> np.ndarray:
    """The flat gradient that the deltas of everybody add up to."""
    found = np.empty(read.network.n_parameters, read.slopes.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        cores.summed(read.activations, deltas, cores.blocks(read.network.shapes, found))
    return _finite(found)


def _norms(read: _Read, deltas: list[np.ndarray]) -> np.ndarray:
    """Everybody's norm, of the deltas for slopes of 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.abs(read.slopes.astype(float)) * np.sqrt(cores.squared_norms(read.activations, deltas).astype(float))
    return _finite(norms)


def _clipped(read: _Read, clip: float, weights: ArrayLike | None = None) -> list[np.ndarray]:
    """The deltas of everybody's clipped gradient, times the weights."""
    clip = check.number("clip", clip, low=0, low_open=True)
    deltas = _deltas(read)
    norms = _norms(read, deltas)
    scale = read.slopes * (clip / np.maximum(norms, clip))
    if weights is not None:
        weights = _for_everybody("weights", weights, len(scale))
    with np.errstate(over="ignore", invalid="ignore"):
        across = (scale if weights is None else scale * weights).astype(read.slopes.dtype, copy=False)[:, None]
        return [delta * across for delta in deltas]


def _deltas(read: _Read, slopes: np.ndarray | None = None) -> list[np.ndarray]:
    """Those of the slopes, or of slopes of 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        return cores.deltas(read.layers, read.activations, np.ones_like(read.slopes) if slopes is None else slopes)


def _finite(found: np.ndarray) -> np.ndarray:
    if not finite(found):
        check.refuse("theta, passed, slopes, weights", float(found.ravel()[~np.isfinite(found.ravel())][0]),
                     "is what a gradient of them, or its norm, holds", "Scale the features, or take smaller steps.")
    return found
