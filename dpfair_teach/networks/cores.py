"""The arithmetic of a network, for arguments that were read before: nothing is checked here.

A layer is one matrix: the weights, and below them a row of biases. What it reads ends with a 1 for each person: one product does both.
"""
from __future__ import annotations

import numpy as np

__all__: list[str] = []     # who has not checked calls what stands in the other files


def blocks(shapes: tuple[tuple[int, int], ...], flat: np.ndarray) -> list[np.ndarray]:
    """The matrices of the layers, as views of one flat array."""
    found, start = [], 0
    for rows, columns in shapes:
        found.append(flat[start:start + rows * columns].reshape(rows, columns))
        start += rows * columns
    return found


def with_ones(X: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Rows of features as the first layer reads them, in a memory of their own."""
    read = np.empty((X.shape[0], X.shape[1] + 1), dtype)
    read[:, :-1] = X
    read[:, -1] = 1
    return read


def forward(layers: list[np.ndarray], read: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Everybody's logit, and what each layer read."""
    activations = [read]
    for layer in layers[:-1]:
        after = np.empty((len(read), layer.shape[1] + 1), read.dtype)
        np.maximum(read @ layer, 0, out=after[:, :-1])
        after[:, -1] = 1
        activations.append(read := after)
    return (read @ layers[-1])[:, 0], tuple(activations)


def deltas(layers: list[np.ndarray], activations: tuple[np.ndarray, ...], slopes: np.ndarray) -> list[np.ndarray]:
    """How a number whose derivative by the logit is the slope changes with what each layer adds up, (m, width) for each layer."""
    found = [slopes[:, None]]
    for layer, read in zip(layers[:0:-1], activations[:0:-1], strict=True):
        back = found[0] @ layer[:-1].T
        back *= read[:, :-1] > 0
        found.insert(0, back)
    return found


def summed(activations: tuple[np.ndarray, ...], found: list[np.ndarray], out: list[np.ndarray]) -> None:
    """The sum over people of read' delta, written into the views of a flat gradient."""
    for read, delta, into in zip(activations, found, out, strict=True):
        np.matmul(read.T, delta, out=into)


def squared_norms(activations: tuple[np.ndarray, ...], found: list[np.ndarray]) -> np.ndarray:
    """|delta|^2 (|a|^2 + 1), added over the layers, for each person."""
    total = np.zeros(len(found[0]), found[0].dtype)
    for read, delta in zip(activations, found, strict=True):
        total += np.vecdot(delta, delta) * np.vecdot(read, read)
    return total
